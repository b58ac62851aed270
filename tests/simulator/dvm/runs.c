/* runs.c - see runs.h. */
#include "tests/simulator/dvm/runs.h"
#include "patterns/engine/intervals.h"
#include "tests/support/test.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void dvm_near(double value, double expected, const char *what)
{
        if (!(fabs(value - expected) <= 6e-10 * (fabs(expected) < 1 ? 1 : fabs(expected))))
                fail_msg("%s is %.12g, not %.12g", what, value, expected);
}

ps_dvm *dvm_program(char *text)
{
        char path[] = "/tmp/patscan-dvm-XXXXXX";
        int fd = mkstemp(path);
        ps_dvm *dvm;
        ps_error err = {0};
        assert_true(fd >= 0);
        close(fd);
        dvm_write(path, text, strlen(text));
        ps_status status = ps_dvm_read(&dvm, path, &err);
        unlink(path);
        free(text);
        if (status != PS_OK)
                fail_msg("%s", err.cause[0].text);
        return dvm;
}

ps_machine dvm_machine(ps_model model)
{
        ps_machine machine;
        ps_machine_init(&machine, model);
        machine.link = (ps_link){75e-6, 5e6};
        return machine;
}

const ps_interval_sums *dvm_simulate_on(ps_dvm_run *run, const ps_dvm *dvm, const ps_machine *machine,
                                        const ps_dvm_options *options)
{
        ps_error err = {0};
        if (ps_dvm_simulate(run, dvm, machine, options, &err) != PS_OK)
                fail_msg("%s", err.cause[0].text);
        for (uint32_t i = 0; i < run->intervals->n; i++) {
                const ps_interval_sums *s = &run->intervals->row[i].sums;
                DVM_NEAR(s->total_s, s->productive_s + s->lost_s);
        }
        return &run->intervals->row[0].sums;
}

const ps_interval_sums *dvm_simulate(ps_dvm_run *run, const ps_dvm *dvm, ps_model model, ps_grid grid)
{
        ps_machine machine = dvm_machine(model);
        ps_dvm_options options = {.grid = grid, .pipelining = PS_PIPELINING_CODE, .record = 1};
        const ps_interval_sums *sums = dvm_simulate_on(run, dvm, &machine, &options);
        ps_machine_clear(&machine);
        return sums;
}

static int is_same_key(const ps_intervals *a, uint32_t i, const ps_intervals *b, uint32_t k)
{
        const ps_interval_key *x = &a->row[i].key, *y = &b->row[k].key;
        return x->type == y->type && x->line == y->line && x->has_index == y->has_index &&
               (!x->has_index || x->index == y->index) &&
               strcmp(ps_intervals_str(a, x->file), ps_intervals_str(b, y->file)) == 0;
}

/* Picoseconds are rounded visit by visit, or once. */
static void roughly(double value, double expected)
{
        if (fabs(value - expected) > 1e-7)
                fail_msg("%.12g is not %.12g", value, expected);
}

static void check_sums(const ps_interval_sums *s, const ps_interval_sums *t)
{
        DVM_NEAR(t->execution_s, s->execution_s);
        DVM_NEAR(t->cpu_s, s->cpu_s);
        DVM_NEAR(t->system_s, s->system_s);
        DVM_NEAR(t->io_s, s->io_s);
        roughly(t->insufficient_cpu_s, s->insufficient_cpu_s);
        roughly(t->insufficient_system_s, s->insufficient_system_s);
        DVM_NEAR(t->idle_s, s->idle_s);
        DVM_NEAR(t->imbalance_s, s->imbalance_s);
        roughly(t->efficiency * t->total_s, s->efficiency * s->total_s);
        for (int c = 0; c < PS_IC_COUNT; c++) {
                DVM_NEAR(t->communication_s[c], s->communication_s[c]);
                DVM_NEAR(t->variation_s[c], s->variation_s[c]);
                if (t->count[c] != s->count[c])
                        fail_msg("%" PRIu64 " operations of class %d instead of %" PRIu64, t->count[c], c,
                                 s->count[c]);
        }
}

void dvm_check_trace_intervals(const ps_dvm_run *run, const ps_trace *trace)
{
        const ps_intervals *own = run->intervals;
        ps_intervals *told;
        ps_error err = {0};
        uint32_t at[64] = {0}, n = 0;
        assert_true(own->n <= 64);
        if (ps_intervals_of(&told, trace, &trace->measured, NULL, NULL, 0, 1, &err) != PS_OK)
                fail_msg("%s", err.cause[0].text);
        for (uint32_t i = 0; i < own->n; i++) {
                uint32_t k = i ? 1 : 0;
                while (i && k < told->n &&
                       (told->row[k].parent != at[own->row[i].parent] || !is_same_key(own, i, told, k)))
                        k++;
                at[i] = k;
                if (k == told->n && own->row[i].count && own->row[i].sums.total_s > 0)
                        fail_msg("the trace has no interval of line %" PRIu32, own->row[i].key.line);
                if (k == told->n)
                        continue;
                check_sums(&own->row[i].sums, &told->row[k].sums);
                n++;
        }
        assert_int_equal(n, told->n);
        ps_intervals_free(told);
}

ps_dvm *dvm_program_with(int n1, int n2, int n_axes, int n_arrays, dvm_more_calls *more)
{
        dvm_text t = {0};
        dvm_begin(&t);
        dvm_setup(&t, n1, n2, n_axes, n_arrays, 8);
        more(&t);
        dvm_end(&t);
        return dvm_program(t.text);
}

void dvm_loop_over(dvm_text *t, char array, int n1, int n2, double seconds)
{
        dvm_map_loop(t, array, 40, (int[]){0, 0}, (int[]){n1 - 1, n2 - 1});
        dvm_call(t, "dopl_", 0, 0, 40, "LoopRefPtr=3; LoopRef=cc;\n", "DoPL=1;\n");
        dvm_call(t, "dopl_", seconds, 0, 40, "LoopRefPtr=3; LoopRef=cc;\n", "DoPL=0;\n");
        dvm_call(t, "endpl_", 0, 0, 40, "LoopRefPtr=3; LoopRef=cc;\n", "");
}

void dvm_redistribute(dvm_text *t, const char *ps, int axis, int is_fresh)
{
        char text[256];
        snprintf(text, sizeof(text),
                 "AMViewRefPtr=2; AMViewRef=bb; %s ParamCount=1; NewSign=%d;\nAxisArray[0]=%d;\n"
                 "DistrParamArray[0]=0;\n",
                 ps, is_fresh, axis);
        dvm_call(t, "redis_", 0, 0, 30, text, "IsLocal=1;\n");
}

ps_interval_sums dvm_of_processor(const ps_dvm_run *run, uint32_t p)
{
        ps_interval_sums one;
        ps_interval_processor(run->intervals, 0, p, &one);
        return one;
}

void dvm_on_bus(dvm_more_calls *more, int n1, int n2, int n_axes, int n_arrays, ps_grid grid,
                dvm_check_run *check)
{
        ps_dvm *dvm = dvm_program_with(n1, n2, n_axes, n_arrays, more);
        ps_dvm_run run;
        const ps_interval_sums *s = dvm_simulate(&run, dvm, PS_MODEL_BUS, grid);
        check(&run, s);
        ps_dvm_run_clear(&run);
        ps_dvm_free(dvm);
}
