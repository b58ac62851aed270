/* test_fixes_windows.c - what it gains to be earlier for those who wait in one-sided calls. Times are
 * microseconds. */
#include <stdint.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "tests/app/commands/fixes_lab.h"
#include "tests/support/test.h"
#include "tests/support/tracegen.h"

#define US PS_GEN_US

enum { ORIGIN, TARGET, RANKS };

typedef struct epoch {
        ps_gen *g;
        uint32_t window, group[RANKS]; /* each alone */
} epoch;

static epoch begin(void)
{
        epoch e = {.g = ps_gen_new(NULL, (ps_gen_options){.ranks = RANKS})};
        e.window = ps_gen_window(e.g, "window", PS_GEN_WORLD);
        for (uint32_t r = 0; r < RANKS; r++)
                e.group[r] = ps_gen_group(e.g, &r, 1);
        return e;
}

static void call(const epoch *e, const char *name, uint32_t rank, uint64_t from, uint64_t to)
{
        ps_gen_rec record = PS_GEN_REC_OF(RMA_GROUP_SYNC, .ref = e->window, .comm = e->group[!rank]);
        ps_gen_call(e->g, name, rank, US(from), US(to), 1, &record);
}

/* Twice, the origin works for 100 between its start and its complete, for which the target waits and is over
 * 5 later; then the target posts, for which the origin waits with its next start, which takes 5 more. The
 * target prepares for 10 before it waits. */
static ps_gen *two_rounds(void)
{
        const epoch e = begin();
        for (uint64_t now = 0, started = 0; now <= 110; started = now + 108, now += 110) {
                call(&e, "MPI_Win_post", TARGET, now, now + 1);
                ps_gen_visit(e.g, TARGET, US(now + 1), US(now + 11), "prepare");
                call(&e, "MPI_Win_wait", TARGET, now + 11, now + 110);
                call(&e, "MPI_Win_start", ORIGIN, started, now + 5);
                ps_gen_visit(e.g, ORIGIN, US(now + 5), US(now + 105), "work");
                call(&e, "MPI_Win_complete", ORIGIN, now + 105, now + 108);
        }
        ps_gen_close(e.g);
        return e.g;
}

/* Half the work: the target is through at 60, the origin with its next start at 65, and with its work at 115.
 * No work at all: the target has prepared at 11 and at 22, and waits for nobody. When it prepares for 110, it
 * posts again at 111, the origin starts until 116 and completes at 216, and the target has prepared at 222.
 */
PREDICT_TEST(who_waits_in_an_epoch_waits_for_who_is_in_it)
{
        ps_gen *g = two_rounds();
        predict_takes(ps_gen_anchor(g), "", 220);
        predict_takes(ps_gen_anchor(g), "region:work*0.5", 120);
        predict_takes(ps_gen_anchor(g), "region:work*0", 22);
        predict_takes(ps_gen_anchor(g), "region:prepare*11", 222);
        cJSON *root = predict_told(PS_EXIT_OK, ps_gen_anchor(g), "analyze");
        fixes_expect(root, "sped-up", "region:work!@0*0.5", 100, 120);
        cJSON_Delete(root);
        ps_gen_free(g);
}

/* The origin is in its start for 80, although the target has posted: what that takes no network tells. */
PREDICT_TEST(what_a_one_sided_call_takes_is_not_told_to_gain_nothing)
{
        const epoch e = begin();
        call(&e, "MPI_Win_post", TARGET, 0, 1);
        call(&e, "MPI_Win_wait", TARGET, 1, 90);
        call(&e, "MPI_Win_start", ORIGIN, 5, 85);
        call(&e, "MPI_Win_complete", ORIGIN, 85, 88);
        ps_gen_close(e.g);
        cJSON *root = predict_told(PS_EXIT_OK, ps_gen_anchor(e.g), "analyze");
        const cJSON *first = cJSON_GetArrayItem(fixes_causes(root), 0);
        assert_string_equal(fixes_text(first, "why"), "transfer");
        assert_true(cJSON_IsNull(cJSON_GetObjectItem(first, "fixes")));
        assert_string_equal(fixes_text(first, "no_fix"), "a replay keeps what this call takes.");
        cJSON_Delete(root);
        ps_gen_free(e.g);
}

/* Twice, PE 0 works for 100 and sets a flag, for which PE 1 waits; it is through 5 after that. */
PREDICT_TEST(who_waits_for_a_change_of_memory_waits_for_who_writes_it)
{
        ps_gen *g = ps_gen_new(NULL, (ps_gen_options){.ranks = RANKS, .pgas = OTF2_PARADIGM_SHMEM});
        uint32_t window = ps_gen_window(g, "heap", PS_GEN_WORLD);
        for (uint64_t now = 0, waits = 0; now <= 102; waits = now + 105, now += 102) {
                ps_gen_rec write = PS_GEN_REC_OF(PUT, .ref = window, .peer = 1, .bytes = 8, .request = now);
                ps_gen_visit(g, ORIGIN, US(now), US(now + 100), "work");
                ps_gen_call(g, "shmem_long_p", ORIGIN, US(now + 100), US(now + 102), 1, &write);
                ps_gen_call(g, "shmem_long_wait_until", TARGET, US(waits), US(now + 105), 0, NULL);
        }
        ps_gen_close(g);
        predict_takes(ps_gen_anchor(g), "", 207);
        predict_takes(ps_gen_anchor(g), "region:work*0.5", 107);
        predict_takes(ps_gen_anchor(g), "region:work*2", 407);
        cJSON *root = predict_told(PS_EXIT_OK, ps_gen_anchor(g), "analyze");
        assert_true(fixes_count_pattern(root, "pgas-change-wait") == 2);
        fixes_expect(root, "sped-up", "region:work!@0*0.5", 100, 107);
        cJSON_Delete(root);
        ps_gen_free(g);
}
