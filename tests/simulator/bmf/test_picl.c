/* test_picl.c - a run that is written in the thesis' dialect of PICL and read again is the same run. */
#include "reader/picl/writer.h"
#include "tests/simulator/bmf/lab.h"
#include "tests/support/analysed.h"
#include "tests/support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static ps_status put(void *ctx, const char *text, size_t len, ps_error *err)
{
        (void)err;
        return fwrite(text, 1, len, ctx) == len ? PS_OK : PS_E_OUTPUT;
}

static void write_run(ps_recording *recording, FILE *file)
{
        ps_picl_written written;
        ps_error err = {0};
        assert_int_equal(ps_picl_write(&written, (ps_picl_sink){file, put}, ps_recording_defs(recording),
                                       ps_recording_source(recording), &(ps_picl_write_options){.thesis = 1},
                                       &err),
                         PS_OK);
        assert_int_equal(written.n_lossy, 0);
}

/* What a trace's operations and their times are, but for call paths, whose numbers are each trace's own. */
static void expect_same(const ps_trace *a, const ps_trace *b)
{
        assert_int_equal(a->n_locs, b->n_locs);
        assert_int_equal(a->n_messages, b->n_messages);
        assert_int_equal(a->measured.duration, b->measured.duration);
        assert_int_equal(ps_issues_total(&b->issues), 0);
        for (ps_loc l = 0; l < a->n_locs; l++) {
                const ps_ops *x = &a->ops[l], *y = &b->ops[l];
                size_t n = x->n;
                assert_int_equal(x->n, y->n);
                assert_int_equal(a->info[l].n_uses, b->info[l].n_uses);
                assert_memory_equal(x->kind, y->kind, n);
                assert_memory_equal(x->flags, y->flags, n);
                assert_memory_equal(x->link, y->link, n * sizeof(*x->link));
                for (ps_op op = 0; op < n; op++) {
                        assert_int_equal(ps_op_peer(x, op), ps_op_peer(y, op));
                        assert_int_equal(ps_op_tag(x, op), ps_op_tag(y, op));
                        assert_int_equal(ps_op_bytes(x, op), ps_op_bytes(y, op));
                }
                assert_memory_equal(a->measured.enter[l], b->measured.enter[l], n * sizeof(ps_time));
                assert_memory_equal(a->measured.leave[l], b->measured.leave[l], n * sizeof(ps_time));
        }
}

static void round_trip(const char *text, const ps_bmf_options *options)
{
        char path[] = "/tmp/patscan-bmf-XXXXXX";
        bmf_lab lab;
        ps_trace *own, *again;
        ps_error err = {0};
        int descriptor = mkstemp(path);
        FILE *file = descriptor < 0 ? NULL : fdopen(descriptor, "w");
        assert_non_null(file);
        bmf_lab_run(&lab, text, options);
        write_run(lab.run.recording, file);
        fclose(file);
        assert_int_equal(ps_recording_load(&own, lab.run.recording, NULL, &err), PS_OK);
        assert_int_equal(ps_trace_load(&again, path, NULL, &err), PS_OK);
        unlink(path);
        expect_same(own, again);
        ps_analysis *x = analysed(own, PS_DEFINITIONS_PATSCAN, 0, 1);
        ps_analysis *y = analysed(again, PS_DEFINITIONS_PATSCAN, 0, 1);
        for (uint32_t p = 0; p < ps_pattern_count(); p++) {
                assert_int_equal(analysed_count(x, p, 1), analysed_count(y, p, 1));
                for (ps_loc l = 0; l < own->n_locs; l++)
                        assert_int_equal(analysed_lost(x, p, l, 1), analysed_lost(y, p, l, 1));
        }
        ps_analysis_free(x);
        ps_analysis_free(y);
        ps_trace_close(own);
        ps_trace_close(again);
        bmf_lab_clear(&lab);
}

static const char *const programs[] = {
        "P_Split (B_Num 8) (B_Num 0) [1,2,3,4,5,6,7,8,9,10,11,12,13,14,15]",
        "B_Comp (P_Scan (B_Op (B_Conc))) (P_Split (B_Num 7) (B_Num 1)) [1,2,3,4,5,6,7,8]",
        "B_Comp (P_Reduce (B_Op (B_Conc))) (B_Comp (P_Map (B_Map (P_Reduce (B_Op (B_Conc)))))"
        "(B_Comp (P_Map (B_Map (P_Map (B_Map (B_Id))))) (B_Comp (P_Map (B_Map (P_Split (B_Num 4) (B_Num 0))))"
        "(P_Split (B_Num 4) (B_Num 2))))) [[0,1,2,3],[5,6,7,8],[9,10,11,12],[13,14,15,16]]",
        "B_Comp (P_Project) (B_Alltup [B_Comp (P_Split (B_Num 5) (B_Num 0)) (B_Id), B_Id]) [4, 4, 0, 1, 2]",
        "B_Comp (P_Zip (B_Op (B_Conc))) (B_Alltup [P_Split (B_Num 3) (B_Num 0), P_Split (B_Num 3) (B_Num 0)])"
        "[1, 2, 3, 4]",
        "B_Comp (P_Distl) (B_Comp (B_Alltup [B_Con (B_Int 2), B_Id]) (P_Split (B_Num 6) (B_Num 0))) "
        "[1,2,3,4]",
};

TEST(runs_survive_picl)
{
        for (size_t i = 0; i < sizeof(programs) / sizeof(*programs); i++) {
                ps_bmf_options usual = {.costs = ps_bmf_costs_default}, free_work = bmf_lab_plain(1, 5);
                ps_bmf_options network = bmf_lab_plain(1, 0);
                round_trip(programs[i], &usual);
                round_trip(programs[i], &free_work);
                network.network = "ring";
                network.n_processors = 20;
                round_trip(programs[i], &network);
        }
}

/* The records of 3.2, among those of the operators. */
TEST(records_are_those_of_the_thesis)
{
        static const char *const wanted[] = {
                "-3 -601 0.000000 2 -1 0", "-3 -21 1.000000 0 -1 3 2 5 1 2", "-4 -21 2.000000 0 -1 0",
                "-4 -601 4.000000 2 -1 0", "-3 -51 4.000000 2 -1 1 2 1",     "-4 -51 5.000000 2 -1 3 2 5 1 0",
        };
        static char text[1 << 16];
        FILE *file = fmemopen(text, sizeof(text), "w");
        bmf_lab lab;
        ps_bmf_options o = bmf_lab_plain(0, 2);
        o.costs.send_fixed = o.costs.receive_fixed = o.costs.work = 1;
        bmf_lab_run(&lab, "B_Comp (P_Split (B_Num 2) (B_Num 1)) (B_Id) [1,2,3,4,5,6,7,8,9,10]", &o);
        write_run(lab.run.recording, file);
        fclose(file);
        for (size_t i = 0; i < sizeof(wanted) / sizeof(*wanted); i++)
                if (!strstr(text, wanted[i]))
                        fail_msg("no record \"%s\" in:\n%s", wanted[i], text);
        bmf_lab_clear(&lab);
}
