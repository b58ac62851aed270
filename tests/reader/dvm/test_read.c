/* test_read.c - the text of DVM traces: what Lib-DVM prints beside the rules, where a trace may break
 * off, what is refused and with which words. */
#include "tests/reader/dvm/check.h"
#include "tests/reader/dvm/lab.h"
#include "tests/support/damage.h"
#include "tests/support/test.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define N(array)  (sizeof(array) / sizeof((array)[0]))
#define HEAD(...) "TIME=" __VA_ARGS__ " LINE=1 FILE=t.c\n"
#define T         HEAD("0.5")

static const char preamble[] = "RTS VERSION = 2889\n ProcCount=1;  PSRank=1;  PSSize= 1;\nret_dvm_Init " T;
static const char leaving[] = "Event_dvm_exit " T;

static ps_dvm *read_calls(const char *calls)
{
        dvm_text t = {0};
        dvm_put(&t, "%s%s%s", preamble, calls, leaving);
        ps_dvm *d = dvm_read_text(t.text);
        free(t.text);
        return d;
}

static void expect_no_issues(const ps_dvm *d)
{
        for (int kind = 0; kind < PS_I_COUNT; kind++)
                if (d->issues.row[kind].count)
                        ps_test_die("unexpected issue: kind=%s", ps_issue_infos[kind].name);
        assert_int_equal(d->truncated, 0);
}

/* -- whole traces -- */

static ps_time sum_of(const ps_dvm *d, const char *name)
{
        ps_time sum = 0;
        for (uint32_t i = 0; i < d->calls.n; i++)
                if (!name || strcmp(ps_dvm_str(d, d->calls.row[i].name), name) == 0)
                        sum += d->calls.row[i].call_time + d->calls.row[i].ret_time;
        return sum;
}

TEST(the_samples_are_read)
{
        static const struct {
                char *(*make)(void);
                uint32_t n_calls, n_arrays, n_loops, n_intervals;
                ps_time sum;
        } rows[] = {/* 5 + 3 * 8; 0.009 * (90 + 72 + 56) / 90 */
                    {dvm_sample_gauss, 29, 1, 3, 1, 21800000000},
                    /* 7 + 2 * (2 + 12 + 10) */
                    {dvm_sample_jacobi, 55, 2, 4, 2, 21840000000},
                    /* 7 + 2 * 5 + 1 */
                    {dvm_sample_realign, 18, 2, 2, 1, 8000000000}};
        for (size_t i = 0; i < N(rows); i++) {
                char *text = rows[i].make();
                ps_dvm *d = dvm_read_text(text);
                expect_no_issues(d);
                assert_int_equal(d->calls.n, rows[i].n_calls);
                assert_int_equal(d->arrays.n, rows[i].n_arrays);
                assert_int_equal(d->loops.n, rows[i].n_loops);
                assert_int_equal(d->intervals.n, rows[i].n_intervals);
                assert_int_equal(sum_of(d, NULL), rows[i].sum);
                ps_dvm_free(d);
                free(text);
        }
}

TEST(jacobi_is_understood)
{
        char *text = dvm_sample_jacobi();
        ps_dvm *d = dvm_read_text(text);
        const ps_dvm_call *red = dvm_nth(d, "insred_", 1);
        assert_int_equal(d->reds.row[red->other].bytes, 8);
        assert_int_equal(d->reds.row[red->other].function, 3);
        assert_int_equal(red->of.target->kind, PS_DVM_T_LOOP);
        assert_int_equal(red->of.target->index, 2); /* the third loop, though all of them were called cc */
        assert_int_equal(dvm_nth(d, "mappl_", 3)->of.map->iterations, 36);
        assert_int_equal(dvm_nth(d, "mappl_", 3)->of.map->pattern, 1);
        assert_int_equal(dvm_nth(d, "inssh_", 1)->object, 1);
        assert_int_equal(d->intervals.row[1].count, 2);
        assert_int_equal(d->intervals.row[1].line, 20);
        assert_int_equal(d->intervals.row[1].expr, 1);
        assert_int_equal(sum_of(d, "dopl_"), INT64_C(21600000000));
        ps_dvm_free(d);
        free(text);
}

TEST(a_packed_trace_reads_the_same)
{
        char *text = dvm_sample_jacobi();
        ps_dvm *plain = dvm_read_bytes(text, strlen(text), 0, 0),
               *packed = dvm_read_bytes(text, strlen(text), 1, 0);
        assert_null(dvm_difference(plain, packed));
        ps_dvm_free(plain);
        ps_dvm_free(packed);
        free(text);
}

/* -- irregularities -- */

TEST(lines_end_and_begin_in_many_ways)
{
        char *text = dvm_sample_jacobi();
        dvm_text t = {0};
        for (const char *p = text; *p; p++) {
                if (*p == '\n')
                        dvm_put(&t, " \t\r\n%s",
                                p[1] == 'c'   ? "--------------------\n\t  "
                                : p[1] == 'r' ? "     "
                                              : "");
                else
                        dvm_put(&t, "%c", *p);
        }
        ps_dvm *plain = dvm_read_text(text), *odd = dvm_read_text(t.text);
        assert_null(dvm_difference(plain, odd));
        ps_dvm_free(plain);
        ps_dvm_free(odd);
        free(t.text);
        free(text);
}

TEST(parameters_come_in_any_order_and_shape)
{
        ps_dvm *d = read_calls(
                "call_crtda_ " T "ReDistrSign=3; SizeArray [1] = 3;SizeArray[0]=2\n"
                "DArr->ArrBlock.ALoc.Ptr0=555d  Size=664 Rank2=9 XRank=8\n"
                "&Rank=7; (Rank=6) *** Rank *** Rank : 5\n"
                "  HiShdWidthArray[0]=4;HiShdWidthArray[1]=5;; LowShdWidthArray[0]=6 LowShdWidthArray[1]=7\n"
                "Rank = 2 ; TypeSize=-4 Rank=9 TypeSize=99;\n"
                "ArrayHeader=0xA1\n"
                "ret_crtda_ " T "\n \nIsLocal=\n");
        assert_int_equal(d->arrays.n, 1);
        const ps_dvm_array *a = d->arrays.row;
        assert_int_equal(a->rank, 2);
        assert_int_equal(a->element_bytes, 4);
        assert_int_equal(a->size[0], 2);
        assert_int_equal(a->size[1], 3);
        assert_int_equal(a->low[0], 6);
        assert_int_equal(a->low[1], 7);
        assert_int_equal(a->high[0], 4);
        assert_int_equal(a->high[1], 5);
        ps_dvm_free(d);
}

TEST(keys_are_matched_whole)
{
        ps_dvm *d =
                read_calls("call_getam_ " T "ret_getam_ " T "AMRefPtr=5; AMRef=aa; AMRefs=6;\n"
                           "call_getps_ " T "AMRefPtr=77; AMRef=aa;\nret_getps_ " T "PSRefPtr=1; PSRef=50;\n"
                           "call_psview_ " T "PSRefPtr=99; PSRef=50; Rank=1;\nSizeArray[0]=3;\nret_psview_ " T
                           "PSRef=51;\n");
        assert_int_equal(d->pss.row[1].parent, 0);
        ps_dvm_free(d);
}

TEST(long_ids_and_lines)
{
        dvm_text t = {0};
        dvm_put(&t, "%scall_crtpl_ %sRank=1; %*s Junk=%0*d\nret_crtpl_ %sLoopRef=ffff8979e700ffff;\n",
                preamble, T, 300000, "", 300000, 7, T);
        dvm_put(&t, "call_endpl_ %sLoopRefPtr=NULL; LoopRef=ffff8979e700ffff\nret_endpl_ %s%s", T, T,
                leaving);
        ps_dvm *d = dvm_read_text(t.text);
        assert_int_equal(dvm_nth(d, "endpl_", 0)->object, 0);
        expect_no_issues(d);
        ps_dvm_free(d);
        free(t.text);
}

TEST(the_head_tells_of_the_processors)
{
        dvm_text t = {0};
        dvm_put(&t,
                "\nRTS VERSION = 2889\n\nsyspar   file version = 2889 (min vers = 2889)\n"
                "call_mps_Barrier " T "ret_mps_Barrier " T "  ProcCount=3  HasCurrent=1\n"
                " ProcCount=3;      PSRank=2;      PSSize= 1 1;\nVProcCount=6; VPSRank=2; VPSSize= 2 3;\n"
                "ret_dvm_Init " T "%s",
                leaving);
        ps_dvm *d = dvm_read_text(t.text);
        expect_no_issues(d);
        assert_int_equal(d->rts_version, 2889);
        assert_int_equal(d->n_processors, 3);
        assert_int_equal(d->virtual_rank, 2);
        assert_int_equal(d->virtual_size[0], 2);
        assert_int_equal(d->virtual_size[1], 3);
        assert_int_equal(d->calls.n, 0);
        ps_dvm_free(d);
        free(t.text);
}

TEST(formats_are_any_text)
{
        ps_dvm *d = read_calls("call_dvm_printf " T "Format=%d = Rank\ncall_dopl_ " T "ret_dopl_ " T
                               "ret_dvm_printf \nret_dvm_printf " HEAD("0.25") "Res=3;\n");
        assert_int_equal(d->calls.n, 1);
        assert_int_equal(d->calls.row[0].ret_time, PS_PS_PER_S / 4);
        expect_no_issues(d);
        ps_dvm_free(d);
}

TEST(what_follows_the_end_is_not_looked_at)
{
        dvm_text t = {0};
        dvm_put(&t, "%s%src=0;\ncall_dopl_ TIME=junk\nret_endpl_ %s", preamble, leaving, T);
        ps_dvm *d = dvm_read_text(t.text);
        assert_int_equal(d->calls.n, 0);
        expect_no_issues(d);
        ps_dvm_free(d);
        free(t.text);
}

TEST(calls_may_be_nested)
{
        ps_dvm *d = read_calls("call_crtpl_ " T "Rank=2;\n"
                               "     call_getlen_ " T "ArrayHeader=1;\n     ret_getlen_ " T "     Res=4;\n"
                               "     call_getrnk_ " T "          call_tstio_ " T "          ret_tstio_ " T
                               "     ret_getrnk_ " T "ret_crtpl_ " T "LoopRef=cc;\n"
                               "call_endpl_ " T "LoopRef=cc;\nret_endpl_ " T);
        static const struct {
                const char *name;
                int depth;
        } want[] = {{"crtpl_", 0}, {"getlen_", 1}, {"getrnk_", 1}, {"tstio_", 2}, {"endpl_", 0}};
        assert_int_equal(d->calls.n, N(want));
        for (unsigned i = 0; i < N(want); i++) {
                assert_string_equal(ps_dvm_str(d, d->calls.row[i].name), want[i].name);
                assert_int_equal(d->calls.row[i].depth, want[i].depth);
        }
        assert_int_equal(d->loops.row[0].rank, 2);
        expect_no_issues(d);
        ps_dvm_free(d);
}

TEST(ids_are_used_again)
{
        static const char loop[] = "call_crtpl_ " T "Rank=%d;\nret_crtpl_ " T "LoopRef=cc;\n";
        static const char step[] = "call_dopl_ " T "LoopRef=cc;\nret_dopl_ " T "DoPL=0;\n";
        dvm_text t = {0};
        dvm_put(&t, loop, 1);
        dvm_put(&t, step);
        dvm_put(&t, loop, 2); /* the first was never ended */
        dvm_put(&t, step);
        dvm_put(&t, "call_endpl_ " T "LoopRef=cc;\nret_endpl_ " T);
        dvm_put(&t, loop, 3);
        dvm_put(&t, step);
        ps_dvm *d = read_calls(t.text);
        assert_int_equal(d->loops.n, 3);
        for (unsigned i = 0; i < 3; i++) {
                assert_int_equal(d->loops.row[i].rank, i + 1);
                assert_int_equal(dvm_nth(d, "dopl_", i)->object, i);
        }
        ps_dvm_free(d);
        free(t.text);
}

TEST(what_is_deleted_is_gone)
{
        static const struct {
                const char *function, *id;
        } rows[] = {{"delda_", "ArrayHeader=a1; ArrayHandlePtr=a10;"},
                    {"delobj_", "ObjectRefPtr=9; ObjectRef=a10;"}};
        for (unsigned i = 0; i < N(rows); i++) {
                dvm_text t = {0};
                dvm_begin(&t);
                dvm_setup(&t, 4, 4, 1, 1, 8);
                dvm_put(&t, "call_%s %s%s\nret_%s %s", rows[i].function, T, rows[i].id, rows[i].function, T);
                dvm_put(&t, "call_delda_ %sArrayHeader=a1;\nret_delda_ %s", T, T);
                dvm_end(&t);
                char *message = dvm_read_failure(t.text);
                assert_non_null(strstr(message, "no such object lives: line="));
                assert_non_null(strstr(message, "function=delda_, parameter=ArrayHeader, value=a1"));
                free(message);
                free(t.text);
        }
}

/* -- intervals out of order -- */

TEST(odd_ends_of_intervals_are_noted)
{
        ps_dvm *d = read_calls("call_einter_ " T "nfrag=1; nline=1\nret_einter_ " T "call_binter_ " T
                               "nfrag=1; index=1\nret_binter_ " T "call_enloop_ " T "nfrag=1\nret_enloop_ " T
                               "call_bploop_ " T "nfrag=1\nret_bploop_ " T);
        assert_int_equal(d->issues.row[PS_I_NEST_STRAY_LEAVE].count, 1);
        assert_int_equal(d->issues.row[PS_I_NEST_STRAY_LEAVE].offset, 4);
        assert_int_equal(d->issues.row[PS_I_NEST_LEAVE].count, 1);
        assert_int_equal(d->issues.row[PS_I_NEST_OPEN].count, 1);
        assert_int_equal(dvm_nth(d, "einter_", 0)->cls, PS_DVM_C_ORDINARY);
        assert_int_equal(dvm_nth(d, "enloop_", 0)->object, 1);
        ps_dvm_free(d);
}

TEST(times_out_of_range_are_noted)
{
        ps_dvm *d = read_calls("call_getlen_ " HEAD("-0.1") "ret_getlen_ " HEAD("1e9") "call_getlen_ " T
                                                                                       "ret_getlen_ " T);
        assert_int_equal(d->issues.row[PS_I_TIME_BACKWARD].count, 1);
        assert_int_equal(d->issues.row[PS_I_TIME_RANGE].count, 4); /* no room is left for the others */
        assert_int_equal(d->calls.row[0].call_time, 0);
        assert_int_equal(d->calls.row[0].ret_time, PS_READER_TIME_LIMIT);
        ps_dvm_free(d);
}

/* -- traces that Lib-DVM wrote. They are no part of this tree: they are looked for in a folder beside it, or
 * where PATSCAN_TRACES points, and the test is skipped without them. */

TEST(real_traces_are_read)
{
        const char *given = getenv("PATSCAN_TRACES");
        char pattern[1024];
        glob_t found = {0};
        snprintf(pattern, sizeof(pattern), "%s/dvm/*.ptr", given ? given : "../*/traces");
        if (glob(pattern, 0, NULL, &found) != 0 || found.gl_pathc == 0) {
                globfree(&found);
                skip();
        }
        for (size_t i = 0; i < found.gl_pathc; i++) {
                ps_dvm *d;
                ps_error err = {.status = PS_OK};
                if (ps_dvm_read(&d, found.gl_pathv[i], &err) < 0)
                        ps_test_die("cannot read: %s", err.cause[0].text);
                dvm_check(d);
                expect_no_issues(d);
                assert_true(d->calls.n > 0 && d->rts_version >= 2884);
                ps_dvm_free(d);
        }
        globfree(&found);
}
