/* test_crowding.c - which processes had to share processors. */
#include "core/sums/crowding.h"
#include "tests/support/test.h"

enum { PROCESSES = 6 };

/* Each process has `threads` threads, that all did something, and may use these processors of this node. */
static const struct machine {
        const char *node[PROCESSES], *processors[PROCESSES];
        uint32_t threads;
        uint8_t is_crowded[PROCESSES];
        uint32_t n_threads, n_processors; /* where it is worst */
} machines[] = {
        /* each has one of its own */
        {{"a", "a", "a", "b", "b", "b"}, {"0", "1", "2", "0", "1", "2"}, 1, {0}, 0, 0},
        /* three on two of a, three on four of b */
        {{"a", "a", "a", "b", "b", "b"},
         {"0-1", "0-1", "0-1", "0-3", "0-3", "0-3"},
         1,
         {1, 1, 1, 0, 0, 0},
         3,
         2},
        /* a team of two each: six threads on two processors, and on four */
        {{"a", "a", "a", "b", "b", "b"},
         {"0,8", "0,8", "0,8", "0-3", "0-3", "0-3"},
         2,
         {1, 1, 1, 1, 1, 1},
         6,
         2},
        /* six processors for six, but two of them are bound to the same one */
        {{"a", "a", "a", "a", "a", "a"}, {"0", "0", "1", "2", "3-4", "5"}, 1, {1, 1, 0, 0, 0, 0}, 2, 1},
        /* lists that overlap: four for six */
        {{"a", "a", "a", "a", "a", "a"},
         {"0-1", "1-2", "2-3", "0-1", "1-2", "2-3"},
         1,
         {1, 1, 1, 1, 1, 1},
         6,
         4},
        /* nobody says, or nothing that makes sense */
        {{"a", "a", "a", "a", "a", "a"}, {NULL, NULL, NULL, NULL, NULL, NULL}, 1, {0}, 0, 0},
        {{"a", "a", "a", "a", "a", "a"}, {"-", "-", ",", ",", "9-1", "70000"}, 1, {0}, 0, 0},
};

static void expect_machine(const struct machine *m)
{
        enum { THREADS_MOST = 2 };
        ps_error err = {0};
        ps_process_def process[PROCESSES] = {0};
        ps_loc by_process[PROCESSES * THREADS_MOST];
        ps_location_info info[PROCESSES * THREADS_MOST] = {0};
        ps_trace trace = {.info = info,
                          .defs = {.by_process = by_process, .processes = {.row = process, .n = PROCESSES}}};
        ps_crowding crowding;
        ps_arena *arena = ps_arena_new();
        assert_non_null(arena);
        trace.defs.strings = ps_strings_new(arena);
        assert_non_null(trace.defs.strings);
        for (ps_proc p = 0; p < PROCESSES; p++) {
                process[p].first = p * m->threads;
                process[p].n_locs = m->threads;
                process[p].node = ps_strings_addz(trace.defs.strings, m->node[p]);
                process[p].processors =
                        m->processors[p] ? ps_strings_addz(trace.defs.strings, m->processors[p]) : 0;
                for (uint32_t t = 0; t < m->threads; t++) {
                        by_process[p * m->threads + t] = p * m->threads + t;
                        info[p * m->threads + t].n_events = 1;
                }
        }
        assert_int_equal(ps_crowding_find(&crowding, &trace, &err), PS_OK);
        uint32_t n = 0;
        for (ps_proc p = 0; p < PROCESSES; p++) {
                assert_int_equal(crowding.is_crowded && crowding.is_crowded[p], m->is_crowded[p]);
                n += m->is_crowded[p];
        }
        assert_int_equal(crowding.n_processes, n);
        assert_int_equal(crowding.n_threads, m->n_threads);
        assert_int_equal(crowding.n_processors, m->n_processors);
        if (n)
                assert_string_equal(ps_defs_str(&trace.defs, crowding.node), "a");
        ps_crowding_clear(&crowding);
        ps_strings_free(trace.defs.strings);
        ps_arena_free(arena);
}

TEST(processes_with_fewer_processors_than_threads_are_told)
{
        for (size_t i = 0; i < sizeof(machines) / sizeof(*machines); i++)
                expect_machine(&machines[i]);
}
