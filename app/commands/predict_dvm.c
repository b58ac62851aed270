/* predict_dvm.c - lays a DVM trace over a grid of processors and reports the run as if it had been measured;
 * over several grids, and compares them. */
#include "app/cli/input.h"
#include "app/cli/message.h"
#include "app/commands/predict.h"
#include "core/model/pieces.h"
#include "library/run/focus.h"
#include "reader/dvm/dvm.h"
#include "report/facts/report.h"
#include "report/facts/sweep.h"
#include "simulator/dvm/dvm.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What is owned until the end. */
typedef struct work {
        const ps_options *options;
        ps_machine *machine;
        ps_dvm *dvm;
        ps_edits edits;
        ps_overrides overrides;
        ps_grid_list grids;
        ps_dvm_options how; /* of each simulation, but for the grid */
        char formula[PS_FORMULA_ROOM];
        ps_prediction_note *notes;
        ps_prediction prediction;
} work;

static void work_free(work *w)
{
        ps_edits_clear(&w->edits);
        ps_dvm_free(w->dvm);
        ps_overrides_free(&w->overrides);
        ps_grid_list_free(&w->grids);
        free(w->notes);
}

/* -- what is asked for -- */

/* Without a word about it: as the machine is, or one processor. */
static ps_status choose_grids(work *w, uint32_t rank, ps_error *err)
{
        const ps_options *o = w->options;
        if (o->machine.grid && o->machine.procs)
                return PS_FAIL(err, PS_E_USAGE,
                               "--grid already says how many processors there are: leave --procs out");
        if (o->machine.grid)
                return ps_grids_parse(&w->grids, o->machine.grid, err);
        if (o->machine.procs)
                return ps_grids_of_procs(&w->grids, o->machine.procs,
                                         rank < PS_GRID_RANK ? rank : PS_GRID_RANK, err);
        if (w->machine->grid_rank)
                ps_message_note(&o->terminal, "the machine says what the grid is");
        else
                ps_message_warn(&o->terminal, "without --grid the prediction is for one processor");
        return PS_OK;
}

static const struct sweep_format {
        const char *name;
        ps_status (*write)(const ps_sweep *sweep, ps_output *out, ps_error *err);
} sweep_formats[] = {{"text", ps_sweep_write_text},
                     {"json", ps_sweep_write_json},
                     {"csv", ps_sweep_write_csv},
                     {"html", ps_sweep_write_html},
                     {"markdown", ps_sweep_write_markdown}};

static const struct sweep_format *sweep_format(const char *name)
{
        for (size_t i = 0; i < sizeof(sweep_formats) / sizeof(*sweep_formats); i++)
                if (strcmp(sweep_formats[i].name, name) == 0)
                        return &sweep_formats[i];
        return NULL;
}

/* What only the run on one grid can be asked. */
static ps_status check_sweep(const ps_options *o, ps_error *err)
{
        static const char reason[] = "of several grids there is one table only";
        PS_TRY(ps_options_refuse(o, "write|fail-on|baseline|sensitivity|gains|rank-by|max-drift", reason,
                                 err));
        ps_message_idle(o, PS_OPTIONS_OF_ANALYSIS, reason);
        for (unsigned i = 0; i < o->reports.n; i++)
                if (o->reports.row[i].table ||
                    !sweep_format(ps_report_formats[o->reports.row[i].format].name))
                        return PS_FAIL(err, PS_E_USAGE,
                                       "this report cannot show several grids: value=\"%s\", "
                                       "choices=\"text|json|csv|html|markdown\"",
                                       o->reports.row[i].text);
        return PS_OK;
}

/* With --strict the first defect is an error; parameters are looked at by the reader. */
static ps_status read_trace(work *w, ps_error *err)
{
        const ps_options *o = w->options;
        ps_status status =
                (o->load.strict ? ps_dvm_read : ps_dvm_read_tolerant)(&w->dvm, o->arguments[0], err);
        for (int kind = 0; status == PS_OK && o->load.strict && kind < PS_I_COUNT; kind++)
                if (w->dvm->issues.row[kind].count)
                        status =
                                PS_FAIL(err, PS_E_INPUT, "the trace has a defect: kind=\"%s\", line=%" PRIu64,
                                        ps_issue_infos[kind].name, w->dvm->issues.row[kind].offset);
        return status;
}

/* What changes the network changes the machine, before the run is simulated: that is exact. */
static void edit_network(work *w)
{
        ps_edits *e = &w->edits;
        ps_machine_scale(w->machine, e->latency, e->per_byte);
        if (e->ideal)
                ps_machine_idealize(w->machine);
        e->latency = e->per_byte = 1;
        e->ideal = 0;
}

static ps_status prepare_program(work *w, ps_error *err)
{
        const ps_options *o = w->options;
        uint32_t rank = 1;
        PS_TRY(ps_overrides_parse(&w->overrides, o->predict.distribute.row, o->predict.distribute.n, err));
        PS_TRY(read_trace(w, err));
        w->how = (ps_dvm_options){.pipelining = (ps_pipelining)o->machine.pipelining,
                                  .overrides = w->overrides.row,
                                  .n_overrides = w->overrides.n};
        edit_network(w);
        w->prediction.machine = w->machine->name ? w->machine->name : o->machine.names.row[0];
        w->prediction.asked = o->machine.names.row[0];
        w->prediction.formula = ps_machine_formula(w->machine, w->formula);
        w->prediction.source = w->machine->source;
        PS_TRY(ps_dvm_grid_rank(&rank, w->dvm, &w->how, err));
        return choose_grids(w, rank, err);
}

/* -- what is told besides -- */

/* Kept for the report, and told at once. */
static void add_note(work *w, const char *text, uint64_t count, uint64_t line)
{
        if (!count)
                return;
        w->notes[w->prediction.n_notes++] = (ps_prediction_note){text, count, line, 0};
        if (line)
                ps_message_warn(&w->options->terminal, "%s: count=%" PRIu64 ", first_line=%" PRIu64, text,
                                count, line);
        else
                ps_message_warn(&w->options->terminal, "%s: count=%" PRIu64, text, count);
}

static ps_status add_stranger(work *w, const ps_dvm_stranger *stranger, ps_error *err)
{
        static const char format[] =
                "calls of %s take their time and do nothing else, as patscan does not %s them";
        const char *name = ps_dvm_str(w->dvm, stranger->name), *does = stranger->known ? "simulate" : "know";
        size_t room = sizeof(format) + strlen(name) + strlen(does);
        char *text = ps_arena_alloc(w->overrides.arena, room, 1);
        if (!text)
                return PS_NOMEM(err, "notes", 1);
        snprintf(text, room, format, name, does);
        add_note(w, text, stranger->count, stranger->at);
        return PS_OK;
}

/* What reading the trace has told; there is room for what simulations will tell. */
static ps_status begin_notes(work *w, ps_error *err)
{
        const ps_dvm *dvm = w->dvm;
        const ps_issue *invalid = &dvm->issues.row[PS_I_CALL_INVALID];
        ps_status status = PS_OK;
        w->notes = calloc((size_t)dvm->strangers.n + PS_DVM_NOTES + 2, sizeof(*w->notes));
        if (!w->notes)
                return PS_NOMEM(err, "notes", dvm->strangers.n);
        w->prediction.notes = w->notes;
        add_note(w, "the trace breaks off", dvm->truncated, dvm->n_lines);
        add_note(w, "calls with bad parameters take their time and do nothing else", invalid->count,
                 invalid->offset);
        for (uint32_t i = 0; i < dvm->strangers.n && status == PS_OK; i++)
                status = add_stranger(w, &dvm->strangers.row[i], err);
        return status;
}

/* What the run left out or replaced. */
static void add_notes(work *w, const ps_dvm_noted note[PS_DVM_NOTES])
{
        for (int i = 0; i < PS_DVM_NOTES; i++)
                add_note(w, ps_dvm_note_texts[i], note[i].count, note[i].at);
}

/* -- edits -- */

/* What is only of MPI. */
static ps_status refuse_edits(const work *w, ps_error *err)
{
        static const char *const names[] = {"eager", "map", "coll"};
        for (unsigned i = 0; i < w->edits.n_text; i++)
                for (size_t k = 0; k < sizeof(names) / sizeof(*names); k++) {
                        size_t len = strcspn(w->edits.text[i], ":=");
                        if (strlen(names[k]) == len && strncmp(w->edits.text[i], names[k], len) == 0)
                                return PS_FAIL(err, PS_E_USAGE,
                                               "this edit cannot be made to a DVM program: edit=\"%.80s\"",
                                               w->edits.text[i]);
                }
        return PS_OK;
}

/* Is there anything that a replay of the simulated run has to tell? */
static bool is_replayed(const work *w)
{
        return w->edits.n_text || w->options->predict.sensitivity;
}

/* Of several grids there are no runs, only how long they take. */
static ps_status check_sweep_edits(const work *w, ps_error *err)
{
        const ps_edits *e = &w->edits;
        if (e->n_works || e->n_ranks || e->n_removed || e->n_reordered || e->balanced || e->overlap)
                return PS_FAIL(err, PS_E_USAGE,
                               "with several grids only the network can be edited: edit=\"%.80s\"",
                               e->text[0]);
        return PS_OK;
}

/* -- one grid -- */

static ps_status write_run(const ps_options *options, ps_recording *recording, ps_error *err)
{
        ps_defs *defs = ps_recording_defs(recording);
        if (!options->predict.write)
                return PS_OK;
        ps_status status = ps_defs_freeze(defs, err); /* as a reader's would be */
        return status != PS_OK ? status
                               : ps_predict_write(options, defs, ps_recording_source(recording), err);
}

/* Otherwise the simulation knows the intervals: those of the program, and its loops. */
static bool names_regions(const ps_options *options)
{
        const ps_word_list *names = &options->reports.intervals;
        return names->n > 1 || (names->n && strcmp(names->row[0], "loops") != 0);
}

/* A recording may be loaded once. */
struct recorded {
        const ps_options *options;
        ps_recording *recording;
};

static ps_status load_run(void *ctx, ps_trace **out, const struct ps_piece_options *pieces, ps_error *err)
{
        const struct recorded *r = ctx;
        ps_progress progress = {0};
        ps_load_options how = ps_input_options(r->options, &progress);
        ps_focus_wish wish;
        how.progress = NULL;
        how.focus = &wish;
        how.pieces = pieces;
        PS_TRY(ps_focus_asked(&wish, r->options, err));
        return ps_recording_load(out, r->recording, &how, err);
}

static ps_status report_simulated(work *w, ps_plan *plan, struct recorded *recorded, ps_exit *code,
                                  ps_error *err)
{
        const struct ps_piece_options pieces = {.most = PS_PIECES_MOST};
        ps_trace *trace = NULL;
        ps_status status = write_run(w->options, recorded->recording, err);
        PS_THEN(status,
                load_run(recorded, &trace, ps_plan_wants_causes(plan, w->options) ? &pieces : NULL, err));
        PS_THEN(status, ps_plan_carry_out(plan, w->options, trace, code, err));
        ps_trace_close(trace);
        return status;
}

static ps_status report_run(work *w, ps_plan *plan, ps_dvm_run *run, ps_exit *code, ps_error *err)
{
        char grid[PS_GRID_ROOM];
        struct recorded recorded = {w->options, run->recording};
        const ps_predict_run edited = {
                .load = load_run, .ctx = &recorded, .edits = &w->edits, .prediction = &w->prediction};
        w->prediction.grid = ps_grid_text(grid, &run->grid);
        add_notes(w, run->note);
        if (is_replayed(w))
                return ps_predict_edited(w->options, plan, &edited, code, err);
        plan->prediction = &w->prediction;
        plan->intervals = names_regions(w->options) ? NULL : run->intervals;
        return report_simulated(w, plan, &recorded, code, err);
}

static ps_status predict_one(work *w, ps_plan *plan, ps_exit *code, ps_error *err)
{
        ps_dvm_options how = w->how;
        ps_dvm_run run = {0};
        how.record = 1;
        how.loops = w->options->reports.intervals.n ? PS_DVM_ALL_LOOPS : PS_DVM_LOOPS_ALONE;
        if (w->grids.n)
                how.grid = w->grids.row[0];
        ps_status status = ps_dvm_simulate(&run, w->dvm, w->machine, &how, err);
        PS_THEN(status, report_run(w, plan, &run, code, err));
        ps_dvm_run_clear(&run);
        return status;
}

/* -- several grids -- */

static ps_status write_sweep(const void *report, const ps_report_request *request, ps_output *out,
                             ps_error *err)
{
        return sweep_format(ps_report_formats[request->format].name)->write(report, out, err);
}

static ps_status predict_many(work *w, ps_exit *code, ps_error *err)
{
        ps_dvm_sweep run;
        ps_status status =
                ps_dvm_sweep_run(&run, w->dvm, w->machine, &w->how, &w->grids, w->options->load.threads, err);
        if (status == PS_OK) {
                const ps_sweep sweep = {w->options->arguments[0], &w->prediction, run.row, run.n};
                add_notes(w, run.note);
                status = ps_input_reports(w->options, write_sweep, &sweep, err);
        }
        if (status == PS_OK && run.n_failed == run.n)
                *code = PS_EXIT_PARTIAL;
        ps_dvm_sweep_clear(&run);
        return status;
}

/* What only the replay of a recorded run has. */
static ps_status check_program_options(const ps_options *o, const ps_machine *machine, ps_error *err)
{
        if (!machine)
                return PS_FAIL(err, PS_E_USAGE,
                               "a DVM trace says nothing of its machine: give --machine a file or a preset");
        ps_message_idle(o, "clock", "the trace is that of one processor");
        if (machine->model != PS_MODEL_TRANSPUTER)
                ps_message_idle(o, "pipelining", "the machine is not a grid of transputers");
        return PS_OK;
}

ps_status ps_predict_dvm(const ps_options *options, ps_plan *plan, const ps_predict_machine *on,
                         ps_exit *code, ps_error *err)
{
        work w = {.options = options, .machine = on->machine};
        ps_status status = check_program_options(options, on->machine, err);
        plan->is_predicted = plan->is_recording = true;
        PS_THEN(status, ps_edits_parse(&w.edits, options->arguments + 1, options->n_arguments - 1, err));
        PS_THEN(status, refuse_edits(&w, err));
        PS_THEN(status, prepare_program(&w, err));
        if (w.grids.n > 1) {
                PS_THEN(status, check_sweep(options, err));
                PS_THEN(status, check_sweep_edits(&w, err));
        }
        PS_THEN(status, begin_notes(&w, err));
        PS_THEN(status, w.grids.n > 1 ? predict_many(&w, code, err) : predict_one(&w, plan, code, err));
        if (status == PS_OK) {
                ps_exit read = ps_input_judge(options, w.dvm->calls.n, &w.dvm->issues);
                ps_input_warn(options, options->arguments[0], &w.dvm->issues, 0);
                *code = read == PS_EXIT_OK ? *code : read;
        }
        work_free(&w);
        return status;
}
