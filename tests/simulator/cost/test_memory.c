/* test_memory.c - the messages of a collective operation, of which each allocation fails in turn. */
#include "simulator/cost/schedule.h"
#include "tests/support/failing_memory.h"
#include "tests/support/test.h"

#include <stdlib.h>

TEST(messages_without_memory_are_told_by_every_algorithm)
{
        for (unsigned algorithm = 0; algorithm < PS_N_ALGORITHMS; algorithm++) {
                const ps_schedule schedule = {
                        .n = 16,
                        .n_stages = 1,
                        .stage = {{.algorithm = algorithm, .bytes = 1 << 20, .segment = 1 << 10}}};
                for (uint32_t member = 0; member < schedule.n; member++)
                        for (long left = 0, done = 0; !done; left++) {
                                ps_legs legs = {0};
                                allocations_left = left;
                                ps_status status = ps_schedule_legs(&legs, &schedule, member, NULL);
                                done = allocations_left >= 0;
                                allocations_left = -1;
                                assert_int_equal(status, done ? PS_OK : PS_E_NOMEM);
                                free(legs.row);
                        }
        }
}
