/* test_topology.c - who has whom for a neighbour, as archives tell it, and what is wrong with that. */
#include "core/load/load.h"
#include "tests/support/loaded.h"
#include "tests/support/test.h"
#include "tests/support/tracegen.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RANKS = 4 };
#define WORLD PS_GEN_WORLD

/* All that is done is a visit of each rank. */
static ps_trace *load(ps_gen *g)
{
        ps_trace *trace;
        const ps_load_options options = {.n_threads = 1, .clock = PS_CLOCK_AS_IS};
        for (uint32_t r = 0; r < RANKS; r++)
                ps_gen_visit(g, r, PS_GEN_US(0), PS_GEN_US(10), "work");
        ps_gen_close(g);
        assert_int_equal(ps_trace_load(&trace, ps_gen_anchor(g), &options, NULL), PS_OK);
        ps_gen_free(g);
        return trace;
}

static ps_gen *begin(void)
{
        return ps_gen_new(NULL, (ps_gen_options){.ranks = RANKS});
}

/* What is known of a rank, as a text; "?": nothing. */
static const char *near_of(const ps_trace *trace, ps_comm comm, uint32_t rank)
{
        static char text[256];
        uint32_t n, at = 0;
        const uint32_t *list = ps_near_of(&trace->defs, &trace->defs.comms.row[comm], rank, &n);
        strcpy(text, list ? "" : "?");
        for (uint32_t i = 0; i < n; i++)
                at += (uint32_t)snprintf(text + at, sizeof(text) - at, i ? " %u" : "%u", list[i]);
        return text;
}

static uint64_t issue(const ps_trace *trace, ps_issue_kind kind)
{
        return trace->issues.row[kind].count;
}

TEST(each_rank_has_its_neighbours)
{
        ps_gen *g = begin();
        ps_gen_neighbours(g, WORLD, 3, "2 0");
        ps_gen_neighbours(g, WORLD, 0, "3 1 3 1");
        ps_gen_neighbours(g, WORLD, 2, "");
        ps_trace *trace = load(g);
        assert_string_equal(near_of(trace, 0, 0), "1 3");
        assert_string_equal(near_of(trace, 0, 1), "?");
        assert_string_equal(near_of(trace, 0, 2), "");
        assert_string_equal(near_of(trace, 0, 3), "0 2");
        assert_string_equal(near_of(trace, 0, 4), "?");
        assert_int_equal(issue(trace, PS_I_DEF_INVALID) + issue(trace, PS_I_DEF_UNKNOWN), 0);
        ps_trace_close(trace);
}

/* Process 3 is rank 0 of the other communicator, and process 0 is not in it. */
TEST(ranks_are_those_of_the_communicator)
{
        static const uint32_t members[] = {3, 2, 1};
        ps_gen *g = begin();
        uint32_t turned = ps_gen_comm(g, "turned", members, 3);
        ps_gen_neighbours(g, turned, 3, "1 2");
        ps_gen_neighbours(g, turned, 1, "0");
        ps_gen_neighbours(g, turned, 0, "0");
        ps_gen_neighbours(g, WORLD, 0, "3");
        ps_trace *trace = load(g);
        assert_string_equal(near_of(trace, turned, 0), "1 2");
        assert_string_equal(near_of(trace, turned, 1), "?");
        assert_string_equal(near_of(trace, turned, 2), "0");
        assert_string_equal(near_of(trace, WORLD, 0), "3");
        assert_int_equal(issue(trace, PS_I_DEF_UNKNOWN), 1);
        ps_trace_close(trace);
}

/* The first definition of a process counts. */
TEST(two_definitions_that_differ_are_told)
{
        ps_gen *g = begin();
        ps_gen_neighbours(g, WORLD, 1, "2");
        ps_gen_neighbours(g, WORLD, 1, "2");
        ps_gen_neighbours(g, WORLD, 2, "1");
        ps_gen_neighbours(g, WORLD, 2, "3");
        ps_trace *trace = load(g);
        assert_string_equal(near_of(trace, 0, 1), "2");
        assert_string_equal(near_of(trace, 0, 2), "1");
        assert_int_equal(issue(trace, PS_I_DEF_DUPLICATE), 1);
        ps_trace_close(trace);
}

TEST(what_makes_no_sense_is_left_out)
{
        static const char *const texts[] = {"one", "1 ", " 1", "1,2", "-1", "99999999999", "1  2"};
        static const char *const names[] = {"PATSCAN::NEIGHBOURS:", "PATSCAN::NEIGHBOURS:x",
                                            "PATSCAN::NEIGHBOURS:99",
                                            "PATSCAN::NEIGHBOURS:99999999999999999999"};
        for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
                ps_gen *g = begin();
                ps_gen_neighbours(g, WORLD, 0, texts[i]);
                ps_gen_neighbours(g, WORLD, 1, texts[i]);
                ps_trace *trace = load(g);
                assert_string_equal(near_of(trace, 0, 0), "?");
                assert_int_equal(issue(trace, PS_I_DEF_INVALID), 2);
                ps_trace_close(trace);
        }
        for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
                ps_gen *g = begin();
                ps_gen_property(g, 0, names[i], "1");
                ps_trace *trace = load(g);
                assert_false(ps_trace_tells_neighbours(trace));
                assert_int_equal(issue(trace, PS_I_DEF_UNKNOWN), 1);
                ps_trace_close(trace);
        }
}

/* A team has threads and an intercommunicator two groups: nobody has neighbours there. A rank that there is
 * not is told, and nobody waits for it. */
TEST(neighbours_need_a_communicator_that_has_them)
{
        static const uint32_t a[] = {0, 1}, b[] = {2, 3};
        ps_gen *g = begin();
        uint32_t inter = ps_gen_intercomm(g, "inter", a, 2, b, 2), self = ps_gen_self(g),
                 team = ps_gen_team(g, "team", a, 2);
        ps_gen_neighbours(g, inter, 0, "1");
        ps_gen_neighbours(g, team, 0, "1");
        ps_gen_neighbours(g, self, 0, "0");
        ps_gen_neighbours(g, WORLD, 0, "1 7");
        ps_trace *trace = load(g);
        assert_int_equal(trace->defs.comms.row[inter].n_near + trace->defs.comms.row[team].n_near +
                                 trace->defs.comms.row[self].n_near,
                         0);
        assert_int_equal(issue(trace, PS_I_DEF_INVALID), 2);
        assert_int_equal(issue(trace, PS_I_DEF_UNKNOWN), 1);
        assert_string_equal(near_of(trace, WORLD, 0), "1 7");
        ps_trace_close(trace);
}

/* Many processes that name one long text: it is kept once. */
TEST(a_text_is_kept_once_however_many_name_it)
{
        enum { LONG = 20000, TIMES = 2000 };
        char *text = malloc(LONG * 6 + 1), name[64];
        assert_non_null(text);
        for (int i = 0, at = 0; i < LONG; i++)
                at += sprintf(text + at, i ? " %d" : "%d", i % 100000);
        ps_gen *g = begin();
        uint32_t members[] = {0, 1, 2, 3};
        for (int i = 0; i < TIMES; i++) {
                snprintf(name, sizeof(name), "part %d", i);
                ps_gen_neighbours(g, ps_gen_comm(g, name, members, RANKS), 0, text);
        }
        ps_trace *trace = load(g);
        assert_true(trace->defs.near_lists.n == LONG + 1);
        assert_int_equal(trace->defs.comms.row[TIMES].n_near, 1);
        ps_trace_close(trace);
        free(text);
}
