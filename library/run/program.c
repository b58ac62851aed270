/* program.c - see program.h. */
#include "library/run/program.h"
#include "core/base/memory.h"
#include "core/load/recording.h"
#include "core/model/pieces.h"
#include "library/run/analysis.h"
#include "library/run/focus.h"
#include "library/run/input.h"
#include "library/run/message.h"
#include "reader/dvm/dvm.h"
#include "report/facts/report.h"
#include "report/facts/sweep.h"
#include "simulator/dvm/dvm.h"
#include "simulator/machine/file.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What is owned until the end. */
struct ps_program {
        const ps_options *options;
        const ps_machine *machine; /* the caller's, or the next one */
        ps_machine *edited;
        ps_dvm *dvm;
        ps_edits edits;
        ps_overrides overrides;
        ps_grid_list grids;
        ps_dvm_options how; /* of each simulation, but for the grid */
        char formula[PS_FORMULA_ROOM];
        ps_prediction_note *notes;
        ps_prediction prediction;
        ps_dvm_sweep sweep; /* of several grids */
        ps_dvm_run run;     /* on one */
        char grid[PS_GRID_ROOM];
        ps_trace *trace; /* of that run, unless somebody else has loaded it */
};

void ps_program_free(ps_program *w)
{
        if (!w)
                return;
        ps_trace_close(w->trace);
        ps_machine_free(w->edited);
        ps_dvm_run_clear(&w->run);
        ps_dvm_sweep_clear(&w->sweep);
        ps_edits_clear(&w->edits);
        ps_dvm_free(w->dvm);
        ps_overrides_free(&w->overrides);
        ps_grid_list_free(&w->grids);
        free(w->notes);
        free(w);
}

/* -- what is asked for -- */

/* Without a word about it: as the machine is, or one processor. */
static ps_status choose_grids(ps_program *w, uint32_t rank, ps_error *err)
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

/* What only the run on one grid can be asked. */
static ps_status check_sweep(const ps_options *o, ps_error *err)
{
        PS_TRY(ps_refuse(o, "fail-on|baseline|sensitivity|gains|causes|rank-by|max-drift|focus|from|to|ranks",
                         "of several grids there is one table only", err));
        return ps_refuse_other_formats(o, err);
}

/* With --strict the first defect is an error; parameters are looked at by the reader. */
static ps_status read_trace(ps_program *w, ps_error *err)
{
        const ps_options *o = w->options;
        PS_TRY((o->load.strict ? ps_dvm_read : ps_dvm_read_tolerant)(&w->dvm, o->arguments[0], err));
        for (int kind = 0; o->load.strict && kind < PS_I_COUNT; kind++)
                if (w->dvm->issues.row[kind].count)
                        return PS_FAIL(err, PS_E_INPUT, "the trace has a defect: kind=\"%s\", line=%" PRIu64,
                                       ps_issue_infos[kind].name, w->dvm->issues.row[kind].offset);
        return PS_OK;
}

/* What changes the network changes the machine, before the run is simulated: that is exact. */
static ps_status edit_network(ps_program *w, ps_error *err)
{
        ps_edits *e = &w->edits;
        char *text = NULL;
        if (e->latency == 1 && e->per_byte == 1 && !e->ideal)
                return PS_OK;
        ps_status status = ps_machine_print(&text, w->machine, err);
        PS_THEN(status, ps_machine_parse(&w->edited, text, strlen(text), "machine", err));
        free(text);
        if (status != PS_OK)
                return status;
        ps_machine_scale(w->edited, e->latency, e->per_byte);
        if (e->ideal)
                ps_machine_idealize(w->edited);
        w->machine = w->edited;
        e->latency = e->per_byte = 1;
        e->ideal = 0;
        return PS_OK;
}

static ps_status prepare_program(ps_program *w, ps_error *err)
{
        const ps_options *o = w->options;
        uint32_t rank = 1;
        PS_TRY(ps_overrides_parse(&w->overrides, o->predict.distribute.row, o->predict.distribute.n, err));
        PS_TRY(read_trace(w, err));
        w->how = (ps_dvm_options){.pipelining = (ps_pipelining)o->machine.pipelining,
                                  .overrides = w->overrides.row,
                                  .n_overrides = w->overrides.n};
        PS_TRY(edit_network(w, err));
        w->prediction.machine = w->machine->name ? w->machine->name : o->machine.names.row[0];
        w->prediction.asked = o->machine.names.row[0];
        w->prediction.formula = ps_machine_formula(w->machine, w->formula);
        w->prediction.source = w->machine->source;
        PS_TRY(ps_dvm_grid_rank(&rank, w->dvm, &w->how, err));
        return choose_grids(w, rank, err);
}

/* -- what is told besides -- */

/* Kept for the report, and told at once. */
static void add_note(ps_program *w, const char *text, uint64_t count, uint64_t line)
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

static ps_status add_stranger(ps_program *w, const ps_dvm_stranger *stranger, ps_error *err)
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
static ps_status begin_notes(ps_program *w, ps_error *err)
{
        const ps_dvm *dvm = w->dvm;
        const ps_issue *invalid = &dvm->issues.row[PS_I_CALL_INVALID];
        w->notes = calloc((size_t)dvm->strangers.n + PS_DVM_NOTES + 2, sizeof(*w->notes));
        if (!w->notes)
                return PS_NOMEM(err, "notes", dvm->strangers.n);
        w->prediction.notes = w->notes;
        add_note(w, "the trace breaks off", dvm->truncated, dvm->n_lines);
        add_note(w, "calls with bad parameters take their time and do nothing else", invalid->count,
                 invalid->offset);
        for (uint32_t i = 0; i < dvm->strangers.n; i++)
                PS_TRY(add_stranger(w, &dvm->strangers.row[i], err));
        return PS_OK;
}

/* What the run left out or replaced. */
static void add_notes(ps_program *w, const ps_dvm_noted note[PS_DVM_NOTES])
{
        for (int i = 0; i < PS_DVM_NOTES; i++)
                add_note(w, ps_dvm_note_texts[i], note[i].count, note[i].at);
}

/* -- edits -- */

/* What is only of MPI. */
static ps_status refuse_edits(const ps_program *w, ps_error *err)
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
static bool is_replayed(const ps_program *w)
{
        return w->edits.n_text || w->options->predict.sensitivity;
}

/* Of several grids there are no runs, only how long they take. */
static ps_status check_sweep_edits(const ps_program *w, ps_error *err)
{
        const ps_edits *e = &w->edits;
        if (e->n_works || e->n_ranks || e->n_starts || e->all_start || e->n_removed || e->n_reordered ||
            e->balanced || e->overlap)
                return PS_FAIL(err, PS_E_USAGE,
                               "with several grids only the network can be edited: edit=\"%.80s\"",
                               e->text[0]);
        return PS_OK;
}

/* -- one grid -- */

/* Otherwise the simulation knows the intervals: those of the program, and its loops. */
static bool names_regions(const ps_options *options)
{
        const ps_word_list *names = &options->reports.intervals;
        return names->n > 1 || (names->n && strcmp(names->row[0], "loops") != 0);
}

ps_status ps_program_load(void *program, ps_trace **out, const struct ps_piece_options *pieces, ps_error *err)
{
        ps_program *w = program;
        ps_load_options how = ps_asked_load_options(w->options);
        ps_focus_wish wish;
        how.progress = NULL;
        how.focus = &wish;
        how.pieces = pieces;
        PS_TRY(ps_focus_asked(&wish, w->options, err));
        return ps_recording_load(out, w->run.recording, &how, err);
}

static ps_status simulate(ps_program *w, ps_error *err)
{
        ps_dvm_options how = w->how;
        how.record = 1;
        how.loops = w->options->reports.intervals.n ? PS_DVM_ALL_LOOPS : PS_DVM_LOOPS_ALONE;
        if (w->grids.n)
                how.grid = w->grids.row[0];
        PS_TRY(ps_dvm_simulate(&w->run, w->dvm, w->machine, &how, err));
        w->prediction.grid = ps_grid_text(w->grid, &w->run.grid);
        add_notes(w, w->run.note);
        return PS_OK;
}

/* -- several grids -- */

static ps_status simulate_all(ps_program *w, ps_error *err)
{
        PS_TRY(ps_dvm_sweep_run(&w->sweep, w->dvm, w->machine, &w->how, &w->grids, w->options->load.threads,
                                err));
        add_notes(w, w->sweep.note);
        return PS_OK;
}

ps_status ps_program_write(const ps_program *w, const char *format, ps_output *out, ps_error *err)
{
        const ps_sweep sweep = {w->options->arguments[0], &w->prediction, w->sweep.row, w->sweep.n};
        static ps_status (*const writers[])(const ps_sweep *, ps_output *, ps_error *) = {
                ps_sweep_write_text, ps_sweep_write_json, ps_sweep_write_csv, ps_sweep_write_html,
                ps_sweep_write_markdown};
        int at = ps_table_format(format);
        return at < 0 ? ps_refuse_format(format, err) : writers[at](&sweep, out, err);
}

/* -- all of it -- */

/* What only the replay of a recorded run has. */
static ps_status check_program_options(const ps_options *o, const ps_machine *machine, ps_error *err)
{
        if (!machine)
                return PS_FAIL(err, PS_E_USAGE,
                               "a DVM trace says nothing of its machine: give --machine a file or a preset");
        if (o->machine.pipelining_is_told && machine->model != PS_MODEL_TRANSPUTER)
                ps_message_warn(&o->terminal,
                                "--pipelining has no effect here: the machine is not a grid of transputers");
        return PS_OK;
}

static ps_status predict(ps_program *w, const char *const *edits, unsigned n, ps_error *err)
{
        PS_TRY(check_program_options(w->options, w->machine, err));
        PS_TRY(ps_edits_parse(&w->edits, edits, n, err));
        PS_TRY(refuse_edits(w, err));
        PS_TRY(prepare_program(w, err));
        if (w->grids.n > 1) {
                PS_TRY(check_sweep(w->options, err));
                PS_TRY(check_sweep_edits(w, err));
        }
        PS_TRY(begin_notes(w, err));
        return w->grids.n > 1 ? simulate_all(w, err) : simulate(w, err);
}

ps_status ps_program_new(ps_program **out, const ps_options *options, const ps_machine *machine,
                         const char *const *edits, unsigned n, ps_error *err)
{
        ps_program *w = *out = ps_memory_zeroed(1, sizeof(*w));
        if (!w)
                return PS_NOMEM(err, "program", 1);
        w->options = options;
        w->machine = machine;
        return predict(w, edits, n, err);
}

/* -- what is told of it -- */

const ps_dvm_sweep *ps_program_sweep(const ps_program *w)
{
        return w->sweep.n ? &w->sweep : NULL;
}

ps_edits *ps_program_edits(ps_program *w)
{
        return is_replayed(w) ? &w->edits : NULL;
}

ps_recording *ps_program_recording(const ps_program *w)
{
        return w->run.recording;
}

ps_time ps_program_duration(const ps_program *w)
{
        return w->run.duration;
}

ps_status ps_program_trace(const ps_trace **out, ps_program *w, const ps_plan *plan, ps_error *err)
{
        const struct ps_piece_options pieces = {.most = PS_PIECES_MOST};
        ps_status status = PS_OK;
        if (!w->trace)
                status = ps_program_load(w, &w->trace,
                                         ps_plan_wants_causes(plan, w->options) ? &pieces : NULL, err);
        *out = w->trace;
        return status;
}

const ps_prediction *ps_program_prediction(const ps_program *w)
{
        return &w->prediction;
}

void ps_program_plan(const ps_program *w, ps_plan *plan, const ps_options *options)
{
        plan->is_predicted = plan->is_recording = true;
        plan->prediction = &w->prediction;
        plan->intervals = is_replayed(w) || names_regions(options) ? NULL : w->run.intervals;
}

ps_exit ps_program_judge(const ps_program *w)
{
        if (w->sweep.n && w->sweep.n_failed == w->sweep.n)
                return PS_EXIT_PARTIAL;
        return ps_input_judge(w->options, w->dvm->calls.n, &w->dvm->issues);
}
