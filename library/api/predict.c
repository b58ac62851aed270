/* predict.c - runs on other machines, and with something different. */
#include "library/api/handle.h"
#include "library/api/lent.h"
#include "library/api/settings.h"
#include "library/run/input.h"
#include "library/run/predicted.h"
#include "library/run/program.h"
#include "library/run/swept.h"
#include "reader/dvm/dvm.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* One of these tells of it. */
struct patscan_prediction {
        const patscan_trace *trace;
        patscan_machine *machine; /* NULL: as recorded */
        ps_arena *arena;
        ps_options asked;
        ps_plan plan;
        const char **edit;
        unsigned n_edits;
        ps_edits edits;
        ps_predict_run run;
        ps_program *program;     /* of what records a program */
        ps_swept_run *swept;     /* of edits with several values */
        ps_predicted *predicted; /* of a run that was replayed */
        patscan_predicted_row *row;
        size_t n;
};

/* -- what is asked for -- */

static ps_status take_edits(patscan_prediction *p, const char *const *edits, size_t n, ps_error *err)
{
        p->edit = PS_ARENA_NEW(p->arena, const char *, n + 1);
        if (!p->edit)
                return PS_NOMEM(err, "edits", n);
        if (n >= PS_EDITS_MAX)
                return PS_FAIL(err, PS_E_USAGE, "there are too many edits: given=%zu, most=%d", n,
                               PS_EDITS_MAX - 1);
        for (; p->n_edits < n; p->n_edits++)
                if (!(p->edit[p->n_edits] = ps_made_rows_copy(p->arena, edits[p->n_edits])))
                        return PS_NOMEM(err, "edits", n);
        return PS_OK;
}

static ps_status take_machine(patscan_prediction *p, const patscan_machine *machine, ps_error *err)
{
        if (!machine)
                return PS_OK;
        char *name = ps_made_rows_copy(p->arena, machine->name);
        if (!name)
                return PS_NOMEM(err, "machine", 1);
        p->machine = ps_handle_share(machine);
        p->asked.machine.names = (ps_word_list){{name}, 1};
        p->run.on = (ps_predict_machine){machine->machine, machine->divider};
        return PS_OK;
}

/* Without the baseline: that is read for the analysis. */
static ps_status ask(patscan_prediction *p, const patscan_predict_options *options,
                     const patscan_analyze_options *what, ps_error *err)
{
        PS_TRY(ps_handle_ask(&p->asked, p->trace, what, p->arena, err));
        PS_TRY(ps_settings_take(&p->asked, PS_SETTINGS_PREDICT, options, p->arena, err));
        p->asked.machine.pipelining_is_told = options && options->pipelining;
        return ps_plan_check(&p->plan, &p->asked, err);
}

static bool is_swept(const patscan_prediction *p)
{
        for (unsigned i = 0; i < p->n_edits; i++)
                if (ps_edit_is_swept(p->edit[i]))
                        return true;
        return false;
}

bool ps_handle_is_program(const char *format)
{
        return strcmp(format, ps_dvm_reader.name) == 0;
}

/* -- the ways of predicting -- */

static ps_status lend_trace(void *ctx, ps_trace **out, const struct ps_piece_options *pieces, ps_error *err)
{
        const patscan_trace *trace = ctx;

        (void)pieces; /* it was opened with them, or is lean */
        (void)err;
        *out = trace->trace;
        return PS_OK;
}

static ps_status replay(patscan_prediction *p, ps_error *err)
{
        p->run.edits = &p->edits;
        PS_TRY(ps_edits_parse(&p->edits, p->edit, p->n_edits, err));
        if (!p->trace)
                return PS_OK;
        p->run.load = lend_trace;
        // NOLINTNEXTLINE(performance-no-int-to-ptr): const goes; it is only lent
        p->run.ctx = (void *)(uintptr_t)p->trace;
        p->run.is_borrowed = true;
        return ps_predicted_new(&p->predicted, &p->asked, &p->plan, &p->run, err);
}

static ps_status run_program(patscan_prediction *p, ps_error *err)
{
        if (is_swept(p))
                return PS_FAIL(err, PS_E_USAGE, "edits of a DVM trace have one value each");
        p->plan.is_predicted = p->plan.is_recording = true;
        PS_TRY(ps_program_new(&p->program, &p->asked, p->run.on.machine, p->edit, p->n_edits, err));
        if (ps_program_sweep(p->program) || !ps_program_edits(p->program))
                return PS_OK;
        p->run = (ps_predict_run){.load = ps_program_load,
                                  .ctx = p->program,
                                  .edits = ps_program_edits(p->program),
                                  .prediction = ps_program_prediction(p->program)};
        return ps_predicted_new(&p->predicted, &p->asked, &p->plan, &p->run, err);
}

/* Without a trace: what can be said without one. */
static ps_status predict(patscan_prediction *p, ps_error *err)
{
        if (p->trace && ps_handle_is_program(p->trace->trace->format))
                return run_program(p, err);
        if (p->trace)
                PS_TRY(ps_refuse(&p->asked, "grid|procs|distribute|pipelining",
                                 "it is for traces of DVM programs", err));
        return is_swept(p) ? ps_swept_run_new(&p->swept, &p->asked, p->trace ? p->trace->trace : NULL,
                                              &p->run.on, p->edit, p->n_edits, err)
                           : replay(p, err);
}

/* -- rows -- */

static ps_status make_rows(patscan_prediction *p, size_t n, ps_error *err)
{
        p->row = PS_ARENA_NEW(p->arena, patscan_predicted_row, n);
        if (!p->row)
                return PS_NOMEM(err, "predicted runs", n);
        p->n = n;
        for (size_t i = 0; i < n; i++)
                p->row[i] = (patscan_predicted_row){.processes = p->trace->trace->defs.processes.n,
                                                    .duration_s = (double)NAN,
                                                    .focus_s = (double)NAN,
                                                    .drift = (double)NAN};
        return PS_OK;
}

static void tell_times(patscan_predicted_row *row, const ps_timing *timing)
{
        row->duration_s = ps_time_seconds(timing->duration);
        row->focus_s = ps_time_seconds(ps_focus_length(timing));
}

static ps_status tell_replayed(patscan_prediction *p, ps_error *err)
{
        ps_error why = {0};
        PS_TRY(make_rows(p, 1, err));
        p->row->processes = ps_predicted_trace(p->predicted)->defs.processes.n;
        if (!ps_predicted_stuck(p->predicted)) {
                tell_times(p->row, ps_predicted_replays(p->predicted)->run[PS_REPLAYED_EDITED].timing);
                p->row->drift = ps_predicted_drift(p->predicted)->drift.total;
                return ps_predicted_depend(p->predicted, err);
        }
        PS_TRY(ps_predicted_tell_stuck(p->predicted, &why, err));
        p->row->reason = ps_made_rows_copy(p->arena, why.cause[0].text);
        return p->row->reason ? PS_OK : PS_NOMEM(err, "predicted runs", 1);
}

static ps_status tell_grids(patscan_prediction *p, const ps_dvm_sweep *sweep, ps_error *err)
{
        PS_TRY(make_rows(p, sweep->n, err));
        for (uint32_t i = 0; i < sweep->n; i++) {
                const ps_sweep_row *from = &sweep->row[i];
                p->row[i].label = from->grid;
                p->row[i].reason = from->reason;
                p->row[i].processes = from->n_processors;
                if (!from->reason)
                        p->row[i].duration_s = p->row[i].focus_s = ps_time_seconds(from->duration);
        }
        return PS_OK;
}

static char *label_of(const ps_swept *of, uint32_t row, ps_arena *arena)
{
        const char *text[PS_EDITS_MAX];
        unsigned n = of->sweep->n_fixed + of->sweep->n_axes;
        size_t room = 1;
        if (ps_edit_sweep_texts(text, of->sweep, row, NULL) != PS_OK)
                return NULL;
        for (unsigned i = 0; i < n; i++)
                room += strlen(text[i]) + 1;
        char *label = ps_arena_alloc(arena, room, 1), *end = label;
        for (unsigned i = 0; label && i < n; i++) {
                if (i)
                        *end++ = ' ';
                end = stpcpy(end, text[i]);
        }
        return label;
}

static ps_status tell_swept(patscan_prediction *p, ps_error *err)
{
        const ps_swept of = ps_swept_run_told(p->swept);
        PS_TRY(make_rows(p, of.sweep->n_rows, err));
        for (uint32_t i = 0; i < of.sweep->n_rows; i++) {
                patscan_predicted_row *row = &p->row[i];
                row->label = label_of(&of, i, p->arena);
                if (!row->label)
                        return PS_NOMEM(err, "predicted runs", p->n);
                row->drift = of.prediction->drift ? of.prediction->drift->total : (double)NAN;
                if (of.row[i].is_stuck) {
                        row->reason = "it ends in a deadlock";
                        continue;
                }
                row->duration_s = ps_time_seconds(of.row[i].whole);
                row->focus_s = ps_time_seconds(of.row[i].focus);
        }
        return PS_OK;
}

static ps_status tell(patscan_prediction *p, ps_error *err)
{
        if (p->swept)
                return tell_swept(p, err);
        if (p->predicted)
                return tell_replayed(p, err);
        if (ps_program_sweep(p->program))
                return tell_grids(p, ps_program_sweep(p->program), err);
        PS_TRY(make_rows(p, 1, err));
        p->row->processes = ps_recording_defs(ps_program_recording(p->program))->processes.n;
        p->row->duration_s = ps_time_seconds(ps_program_duration(p->program));
        return PS_OK;
}

size_t patscan_predicted_count(const patscan_prediction *p)
{
        return p->n;
}

const patscan_predicted_row *patscan_predicted(const patscan_prediction *p, size_t i)
{
        return i < p->n ? &p->row[i] : NULL;
}

double patscan_prediction_duration_s(const patscan_prediction *p)
{
        return p->row->duration_s;
}

/* -- the handle -- */

static ps_status make(patscan_prediction *p, const patscan_machine *machine, const char *const *edits,
                      size_t n, const patscan_predict_options *options, const patscan_analyze_options *what,
                      ps_error *err)
{
        p->arena = ps_arena_new();
        if (!p->arena)
                return PS_NOMEM(err, "prediction", 1);
        PS_TRY(ask(p, options, what, err));
        PS_TRY(take_machine(p, machine, err));
        PS_TRY(take_edits(p, edits, n, err));
        PS_TRY(predict(p, err));
        return p->trace ? tell(p, err) : PS_OK;
}

patscan_status patscan_predict_with(patscan_prediction **out, const patscan_trace *trace,
                                    const patscan_machine *machine, const char *const *edits, size_t n,
                                    const patscan_predict_options *options,
                                    const patscan_analyze_options *what, patscan_error *err)
{
        unsigned lacks = ps_memory_lacks();
        *out = NULL;
        patscan_prediction *p = calloc(1, sizeof(*p));
        if (!p)
                return PS_NOMEM(err, "prediction", 1);
        p->trace = trace;
        ps_status status = make(p, machine, edits, n, options, what, err);
        PS_THEN(status, ps_handle_is_whole(lacks, err));
        if (status == PS_OK && trace)
                *out = p;
        else
                patscan_prediction_free(p);
        return status;
}

patscan_status patscan_predict(patscan_prediction **out, const patscan_trace *trace,
                               const patscan_machine *machine, const char *const *edits, size_t n,
                               patscan_error *err)
{
        patscan_prediction *p;
        *out = NULL;
        PS_TRY(patscan_predict_with(&p, trace, machine, edits, n, NULL, NULL, err));
        if (!p)
                return PS_FAIL(err, PS_E_USAGE, "nothing is predicted without a trace");
        ps_status status =
                p->n == 1 && p->row->reason ? PS_FAIL(err, PS_E_INPUT, "%s", p->row->reason) : PS_OK;
        if (status == PS_OK)
                *out = p;
        else
                patscan_prediction_free(p);
        return status;
}

void patscan_prediction_free(patscan_prediction *p)
{
        if (!p)
                return;
        ps_predicted_free(p->predicted);
        ps_swept_run_free(p->swept);
        ps_program_free(p->program);
        ps_plan_clear(&p->plan);
        ps_edits_clear(&p->edits);
        patscan_machine_free(p->machine);
        ps_arena_free(p->arena);
        free(p);
}

/* -- what is told of it -- */

patscan_status patscan_prediction_report(const patscan_prediction *p, const char *format,
                                         const patscan_report_options *options, patscan_write *write,
                                         void *ctx, patscan_error *err)
{
        ps_output *out;

        if (!p->row->label)
                return PS_FAIL(err, PS_E_USAGE, "there is one run only: its analysis has reports");
        PS_TRY(ps_handle_output(&out, options, write, ctx, err));
        return ps_handle_close(out,
                               p->swept ? ps_swept_run_write(p->swept, format, out, err)
                                        : ps_program_write(p->program, format, out, err),
                               err);
}

patscan_verdict patscan_prediction_judge(const patscan_prediction *p)
{
        ps_exit code = PS_EXIT_OK;

        if (p->swept)
                return (patscan_verdict)ps_swept_run_judge(p->swept);
        if (p->predicted && !ps_predicted_stuck(p->predicted))
                ps_drift_judge(ps_predicted_drift(p->predicted), &p->asked, &code);
        if (p->program && ps_program_judge(p->program) != PS_EXIT_OK)
                code = PS_EXIT_PARTIAL;
        return (patscan_verdict)(p->n == 1 && p->row->reason ? PS_EXIT_PARTIAL : code);
}

/* -- its analysis -- */

/* The measured run, for a page to show beside the predicted one. */
static ps_status analyse_measured(patscan_analysis *a, const ps_trace *trace, ps_error *err)
{
        if (!a->asked.reports.has_page)
                return PS_OK;
        PS_TRY(ps_plan_open_stacks(&a->plan, &a->asked, trace, a->trace->asked.arguments[0], err));
        a->beside_plan = a->plan;
        ps_status status =
                ps_plan_analyse(&a->beside, &a->beside_plan, &a->asked, trace, &trace->measured, err);
        a->plan.beside = a->beside.report;
        return status;
}

/* Of a run that never ends the report says it, and nothing else: there are no times to look at. */
static void plan_stuck(patscan_analysis *a, const ps_trace *trace)
{
        ps_plan *plan = &a->plan;
        a->none = (ps_timing){.enter = trace->measured.enter, .leave = trace->measured.leave};
        memset(plan->selection.off, 1, sizeof(plan->selection.off));
        plan->timing = &a->none;
        plan->replays = NULL;
        plan->gains = 0;
        plan->is_predicted = true; /* no other replay is asked */
}

static ps_status analyze(patscan_analysis *a, const patscan_prediction *p, ps_error *err)
{
        a->asked.machine.names = p->asked.machine.names;
        a->prediction = p;
        if (p->program)
                ps_program_plan(p->program, &a->plan, &a->asked);
        const ps_trace *trace;
        if (!p->predicted) {
                PS_TRY(ps_program_trace(&trace, p->program, &p->plan, err));
                return ps_handle_report(a, trace, err);
        }
        trace = ps_predicted_trace(p->predicted);
        if (!p->row->reason)
                PS_TRY(analyse_measured(a, trace, err));
        ps_predicted_plan(p->predicted, &a->plan);
        if (p->row->reason)
                plan_stuck(a, trace);
        return ps_handle_report(a, ps_predicted_replays(p->predicted)->trace, err);
}

patscan_status patscan_prediction_analyze(patscan_analysis **out, patscan_prediction *p,
                                          const patscan_analyze_options *options, patscan_error *err)
{
        patscan_analysis *a = NULL;
        unsigned lacks = ps_memory_lacks();
        *out = NULL;
        if (p->row->label)
                return PS_FAIL(err, PS_E_USAGE, "of several runs there is one table only");
        ps_status status = ps_handle_new(&a, p->trace, options, err);
        PS_THEN(status, analyze(a, p, err));
        PS_THEN(status, ps_handle_is_whole(lacks, err));
        if (status != PS_OK) {
                patscan_analysis_free(a);
                return status;
        }
        *out = a;
        return PS_OK;
}

/* -- for those who write it as a trace -- */

/* As a reader's would be. */
static ps_status lend_recording(ps_lent *out, ps_recording *recording, ps_error *err)
{
        ps_defs *defs = ps_recording_defs(recording);
        PS_TRY(ps_defs_freeze(defs, err));
        *out = (ps_lent){.defs = defs, .source = ps_recording_source(recording)};
        return PS_OK;
}

ps_status ps_prediction_lend(ps_lent *out, const patscan_prediction *p, ps_error *err)
{
        *out = (ps_lent){.defs = NULL};
        if (!p->predicted)
                return lend_recording(out, ps_program_recording(p->program), err);
        const ps_replays *replays = ps_predicted_replays(p->predicted);
        PS_TRY(ps_replayed_source_new(&out->replayed, replays->trace, replays->run[PS_REPLAYED_EDITED].timing,
                                      err));
        out->defs = &ps_predicted_trace(p->predicted)->defs;
        out->source = ps_replayed_source_of(out->replayed);
        return PS_OK;
}
