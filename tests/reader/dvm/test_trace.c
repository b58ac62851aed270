/* test_trace.c - a DVM trace as an ordinary one: one location, times that add up, calls and intervals as
 * regions. */
#include "reader/dvm/dvm.h"
#include "reader/reader.h"
#include "tests/simulator/dvm/samples.h"
#include "tests/support/analysed.h"
#include "tests/support/damage.h"
#include "tests/support/loaded.h"
#include "tests/support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define T     "TIME=0.5 LINE=1 FILE=t.c\n"
#define US(n) ((ps_time)(n)*1000000)

static char path[1024];

static int make_folder(void **state)
{
        *state = ps_dir_new();
        snprintf(path, sizeof(path), "%s/t.ptr", (char *)*state);
        return 0;
}

static int drop_folder(void **state)
{
        ps_dir_remove(*state);
        free(*state);
        return 0;
}

static ps_trace *load(const char *text, int packed)
{
        (packed ? dvm_write_gzip : dvm_write)(path, text, strlen(text));
        return loaded_by(path, 1, PS_CLOCK_AUTO);
}

/* The sums of all nodes of the tree that have the region's name. */
static ps_path_use sum_of(const ps_trace *trace, const char *name)
{
        ps_path_use sum = {0};
        for (uint32_t i = 0; i < trace->info[0].n_uses; i++) {
                const ps_path_use *use = &trace->info[0].uses[i];
                ps_region region = trace->paths[use->path].region;
                if (region == PS_NONE ||
                    strcmp(ps_defs_str(&trace->defs, trace->defs.regions.row[region].name), name) != 0)
                        continue;
                sum.visits += use->visits;
                sum.inclusive += use->inclusive;
                sum.exclusive += use->exclusive;
        }
        return sum;
}

static void expect_use(const ps_trace *trace, const char *name, uint64_t visits, ps_time inclusive,
                       ps_time exclusive)
{
        ps_path_use use = sum_of(trace, name);
        assert_int_equal(use.visits, visits);
        assert_int_equal(use.inclusive, inclusive);
        assert_int_equal(use.exclusive, exclusive);
}

TEST_BETWEEN(times_add_up, make_folder, drop_folder)
{
        char *text = dvm_sample_jacobi();
        ps_trace *trace = load(text, 0);
        assert_string_equal(trace->format, "dvm");
        assert_string_equal(ps_defs_str(&trace->defs, trace->defs.creator), "Lib-DVM 2884");
        assert_int_equal(trace->n_locs, 1);
        assert_int_equal(trace->defs.processes.n, 1);
        /* Twice 3600, 100, 20 and 7200 us, and 1 us before the end. */
        assert_int_equal(trace->measured.duration, US(21841));
        expect_use(trace, "program", 1, US(21841), US(1));
        expect_use(trace, "interval t.cdv:20 (1)", 2, US(21840), US(21800));
        expect_use(trace, "getlen_", 2, US(40), US(40));
        expect_use(trace, "dopl_", 8, 0, 0);
        expect_use(trace, "binter_", 2, 0, 0);
        EXPECT_ISSUES(trace, "");
        /* 1 call of 55 is the program's: 2 events each, and 2 of each interval. */
        assert_int_equal(trace->n_events, 2 * (1 + 55 + 2));
        analysed_hostile(trace);
        ps_efficiency efficiency = analysed_efficiency(trace);
        assert_true(efficiency.parallel > 0.99816 && efficiency.parallel < 0.99818); /* 21801 of 21841 */
        ps_trace_close(trace);
        free(text);
}

TEST_BETWEEN(calls_know_where_they_stand, make_folder, drop_folder)
{
        char *text = dvm_sample_realign();
        ps_trace *trace = load(text, 0);
        unsigned n = 0;
        for (uint32_t i = 0; i < trace->n_paths; i++) {
                const ps_path_node *node = &trace->paths[i];
                if (node->region == PS_NONE)
                        continue;
                const ps_region_def *def = &trace->defs.regions.row[node->region];
                if (strcmp(ps_defs_str(&trace->defs, def->name), "realn_") != 0)
                        continue;
                assert_string_equal(ps_defs_str(&trace->defs, node->site_file), "t.cdv");
                assert_int_equal(node->site_line, 24);
                assert_int_equal(def->paradigm, PS_PARADIGM_PGAS);
                n++;
        }
        assert_int_equal(n, 1);
        ps_trace_close(trace);
        free(text);
}

TEST_BETWEEN(packed_or_not_is_the_same, make_folder, drop_folder)
{
        char *text = dvm_sample_gauss();
        ps_trace *plain = load(text, 0), *packed = load(text, 1);
        assert_null(loaded_difference(plain, packed, 1));
        ps_trace_close(plain);
        ps_trace_close(packed);
        free(text);
}

TEST_BETWEEN(intervals_are_loops_and_phases, make_folder, drop_folder)
{
        dvm_text t = {0};
        dvm_begin(&t);
        dvm_put(&t, "call_binter_ " T "nfrag=1;\nret_binter_ " T "call_bploop_ " T "ret_bploop_ " T
                    "call_enloop_ " T "ret_enloop_ " T "call_bsloop_ " T "ret_bsloop_ " T "call_eloop_ " T
                    "ret_eloop_ " T);
        dvm_end(&t);
        ps_trace *trace = load(t.text, 0);
        static const struct {
                const char *name;
                ps_role role;
        } want[] = {{"interval t.c:1", PS_ROLE_PHASE},
                    {"parallel loop t.c:1", PS_ROLE_LOOP},
                    {"sequential loop t.c:1", PS_ROLE_LOOP}};
        for (unsigned i = 0; i < 3; i++) {
                const ps_region_def *found = NULL;
                for (uint32_t r = 0; r < trace->defs.regions.n; r++)
                        if (strcmp(ps_defs_str(&trace->defs, trace->defs.regions.row[r].name),
                                   want[i].name) == 0)
                                found = &trace->defs.regions.row[r];
                assert_non_null(found);
                assert_int_equal(found->role, want[i].role);
                assert_int_equal(found->line, 1);
                assert_string_equal(ps_defs_str(&trace->defs, found->file), "t.c");
        }
        /* Each call takes 0.5 s before it and 0.5 s itself: what begins a loop lies outside, what ends it
         * inside. The interval is never ended: it ends with the program. */
        expect_use(trace, "parallel loop t.c:1", 1, PS_PS_PER_S, PS_PS_PER_S / 2);
        expect_use(trace, "interval t.c:1", 1, 4 * PS_PS_PER_S, PS_PS_PER_S);
        EXPECT_ISSUES(trace, "unclosed-region=1");
        ps_trace_close(trace);
        free(t.text);
}

TEST_BETWEEN(nested_calls_lie_in_the_one_around_them, make_folder, drop_folder)
{
        dvm_text t = {0};
        dvm_begin(&t);
        dvm_put(&t, "call_crtpl_ " T "Rank=1;\n  call_getlen_ " T "  ret_getlen_ " T "  call_getrnk_ " T
                    "  ret_getrnk_ " T "ret_crtpl_ TIME=1.2 LINE=1 FILE=t.c\nLoopRef=1;\n");
        dvm_end(&t);
        ps_trace *trace = load(t.text, 0);
        assert_int_equal(trace->measured.duration, 17 * (PS_PS_PER_S / 10) + US(1));
        expect_use(trace, "crtpl_", 1, 12 * (PS_PS_PER_S / 10), 7 * (PS_PS_PER_S / 10));
        expect_use(trace, "getlen_", 1, PS_PS_PER_S / 2, PS_PS_PER_S / 2);
        expect_use(trace, "getrnk_", 1, 0, 0); /* begins 1.5 s after crtpl_, which is over by then */
        EXPECT_ISSUES(trace, "");
        ps_trace_close(trace);
        free(t.text);
}

TEST_BETWEEN(what_is_wrong_is_noted, make_folder, drop_folder)
{
        dvm_text t = {0};
        dvm_begin(&t);
        dvm_put(&t, "call_crtpl_ " T "Rank=0;\nret_crtpl_ " T "LoopRef=1;\ncall_dopl_ " T
                    "LoopRef=1;\nret_dopl_ " T "DoPL=1;\ncall_new_ " T "ret_new_ " T "call_recvla_ " T
                    "ret_recvla_ " T "call_einter_ " T "ret_einter_ " T "call_getlen_ " T);
        ps_trace *trace = load(t.text, 0);
        EXPECT_ISSUES(trace,
                      "truncated-file=1 stray-leave=1 unknown-call=1 unsupported-call=1 invalid-call=2");
        assert_string_equal(ps_defs_str(&trace->defs, trace->issues.row[PS_I_CALL_INVALID].file), "t.ptr");
        assert_int_equal(trace->issues.row[PS_I_CALL_INVALID].offset, 6);
        expect_use(trace, "dopl_", 1, PS_PS_PER_S / 2, PS_PS_PER_S / 2);
        ps_trace_close(trace);
        free(t.text);
}

static const char *format_of(const char *text, size_t n)
{
        const ps_reader_class *format;
        ps_error err;
        dvm_write(path, text, n);
        return ps_reader_find(&format, path, &err) == PS_OK ? format->name : "";
}

TEST_BETWEEN(its_content_tells_the_format, make_folder, drop_folder)
{
        static const char call[] = "\n\n call_dopl_ " T, other[] = "call_me maybe\nTIME=1\n";
        char *text = dvm_sample_jacobi();
        assert_string_equal(format_of(text, strlen(text)), "dvm");
        assert_string_equal(format_of(call, strlen(call)), "dvm");
        assert_string_equal(format_of(other, strlen(other)), "");
        assert_string_equal(format_of("\x1f\x8b\x08 nothing", 11), "");
        assert_string_equal(format_of("RTS VERSION = 1\0", 17), "");
        assert_string_equal(format_of("", 0), "");
        ps_trace_close(load(text, 1));
        free(text);
}
