/* predict_replay.c - replays a recorded run with something different, and reports it as if it had been
 * measured: how far to trust it is told with it. */
#include "app/cli/input.h"
#include "app/cli/message.h"
#include "app/commands/predict.h"
#include "app/commands/predict_drift.h"
#include "core/base/memory.h"
#include "core/views/replayed_source.h"
#include "library/run/removals.h"
#include "patterns/engine/intervals.h"
#include "report/facts/replayed.h"
#include "report/print/text.h"
#include "simulator/redo/redo.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Each is told once at most. */
enum {
        NOTE_ESTIMATE,
        NOTE_REMOVED,
        NOTE_REORDERED,
        NOTE_ORDER,
        NOTE_RANGE,
        NOTE_SHARE,
        NOTE_GATHER,
        N_NOTES,
        NOTE_ROOM = 320
};

/* What is owned until the end. */
typedef struct work {
        const ps_options *options;
        ps_plan *plan;
        const ps_predict_run *run;
        ps_machine *machine; /* the caller's; NULL: as recorded */
        const ps_machine *divider;
        ps_edits *edits; /* the caller's */
        ps_trace *trace;
        ps_what_if what_if;
        ps_unwaited removed;
        ps_reordered reordered;
        ps_master *master; /* or NULL: nobody is seen to hand out work */
        ps_replays replays;
        ps_drift_told drift;
        ps_deadlock deadlock;
        ps_sources *sources;
        ps_sensitivity sensitivity;
        ps_prediction prediction;
        ps_prediction_note notes[N_NOTES];
        uint32_t n_notes;
        char told[N_NOTES][NOTE_ROOM];
        char formula[PS_FORMULA_ROOM];
} work;

static void work_clear(work *w)
{
        ps_replays_clear(&w->replays); /* first: it reads what follows */
        ps_what_if_clear(&w->what_if);
        ps_unwaited_clear(&w->removed);
        ps_reordered_clear(&w->reordered);
        ps_master_free(w->master);
        ps_sensitivity_clear(&w->sensitivity);
        ps_sources_free(w->sources);
        ps_deadlock_clear(&w->deadlock);
        ps_trace_close(w->trace);
}

static ps_status check_replay_options(const ps_options *o, ps_error *err)
{
        return ps_options_refuse(o, "grid|procs|distribute|pipelining", "it is for traces of DVM programs",
                                 err);
}

/* Kept for the report, and told at once if it may be unexpected. */
__attribute__((format(printf, 4, 5))) static void add_note(work *w, int which, uint64_t count,
                                                           const char *format, ...)
{
        va_list arguments;
        va_start(arguments, format);
        (void)vsnprintf(w->told[which], NOTE_ROOM, format, arguments);
        va_end(arguments);
        uint8_t is_quiet = which == NOTE_SHARE;
        w->notes[w->n_notes++] = (ps_prediction_note){w->told[which], count, 0, is_quiet};
        if (!is_quiet)
                ps_message_warn(&w->options->terminal, "%s", w->told[which]);
}

/* -- what is removed -- */

static ps_status reorder(work *w, const ps_report *report, ps_error *err)
{
        ps_ref *late;
        uint32_t n;
        if (!w->edits->n_reordered)
                return PS_OK;
        ps_status status = ps_removals_reordered(&late, &n, w->edits, report,
                                                 &(ps_removals_source){.how = &w->plan->how}, err);
        PS_THEN(status, ps_reordered_new(&w->reordered, w->trace, late, n, err));
        free(late);
        if (status == PS_OK && !w->reordered.n_moved)
                add_note(w, NOTE_REORDERED, 0,
                         "nothing is reordered: edit=\"%.80s\": no message was there before that a "
                         "blocking receive waited for later",
                         w->edits->reordered[0].text);
        w->what_if.reordered = status == PS_OK ? &w->reordered : NULL;
        return status;
}

static ps_status leave_out(work *w, const ps_report *report, ps_error *err)
{
        const ps_edits *edits = w->edits;
        uint64_t n_operations = 0;
        if (!edits->n_removed)
                return PS_OK;
        PS_TRY(ps_removals_apply(&w->removed, &n_operations, edits, report, &w->plan->how, err));
        if (!n_operations)
                add_note(w, NOTE_REMOVED, 0,
                         "nothing is removed: edit=\"%.80s\"%s: no wait of that kind that a replay knows was "
                         "found",
                         edits->removed[0].text, edits->n_removed > 1 ? ", ..." : "");
        w->what_if.scenario.unwaited = (const uint64_t *const *)w->removed.rows;
        w->plan->removed = &w->removed;
        return PS_OK;
}

/* What edits say of findings and causes is about those of the measured run. */
static ps_status apply_found(work *w, ps_error *err)
{
        ps_analysed found;
        if (!w->edits->n_removed && !w->edits->n_reordered)
                return PS_OK;
        w->plan->needs_causes = w->edits->n_reordered > 0;
        ps_status status = ps_plan_analyse(&found, w->plan, w->options, w->trace, &w->trace->measured, err);
        PS_THEN(status, leave_out(w, found.report, err));
        PS_THEN(status, reorder(w, found.report, err));
        w->plan->needs_causes = false;
        ps_analysed_clear(&found);
        return status;
}

/* -- work that is handed out -- */

static ps_status redo_order(work *w, const char *why, ps_error *err)
{
        ps_redo_told told = {.why = why ? why
                                        : "no rank hears from others and answers each with the next task"};
        ps_proc rank = 0;
        if (w->edits->n_removed || w->edits->n_reordered)
                return PS_FAIL(
                        err, PS_E_USAGE,
                        "%s is about calls as they were recorded: option=\"--redo-order\", edit=\"%.80s\"",
                        w->edits->n_removed ? "remove" : "reorder",
                        w->edits->n_removed ? w->edits->removed[0].text : w->edits->reordered[0].text);
        if (w->master)
                PS_TRY(ps_redo_order(&w->reordered, &told, w->master, &w->what_if.scenario,
                                     w->options->load.threads, err));
        rank = told.master;
        if (told.why) {
                ps_reordered_clear(&w->reordered);
                add_note(w, NOTE_ORDER, 0, "no work is dealt out anew: %s", told.why);
                return PS_OK;
        }
        w->what_if.reordered = &w->reordered;
        add_note(w, NOTE_ORDER, told.n_moved,
                 "rank %u hands out work: its %u tasks are dealt out anew to %u workers, each to whoever "
                 "asks first "
                 "in predicted time; %u of them go to another worker than in the recording%s%s",
                 rank, told.n_tasks, told.n_workers, told.n_moved,
                 told.has_speeds && told.n_moved ? ", scaled by how fast their workers were there" : "",
                 told.n_early ? ", and some may still be out of order" : "");
        return PS_OK;
}

static ps_status find_master(work *w, ps_error *err)
{
        const char *why;
        PS_TRY(ps_master_find(&w->master, &why, w->trace, err));
        return w->options->predict.redo_order ? redo_order(w, why, err) : PS_OK;
}

/* Another worker would have asked first. */
static ps_status note_order(work *w, const ps_timing *timing, ps_error *err)
{
        uint32_t n;
        if (!w->master || w->options->predict.redo_order)
                return PS_OK;
        PS_TRY(ps_master_count_early(&n, w->master, timing, err));
        ps_redo_told told = ps_master_tell(w->master);
        if (n)
                add_note(w, NOTE_ORDER, n,
                         "rank %u hands out work, and others would ask it first: here its %u tasks stay with "
                         "the "
                         "workers that had them in the recording; --redo-order deals them out anew",
                         told.master, told.n_tasks);
        return PS_OK;
}

/* -- what the prediction rests on -- */

static void put_prediction(work *w)
{
        ps_replay_formula(w->formula, w->machine, w->divider, ps_replay_info_of(w->replays.replay));
        const ps_word_list *names = &w->options->machine.names;
        const ps_prediction *of = w->run->prediction;
        w->prediction = (ps_prediction){.machine = !w->machine        ? names->n ? names->row[0] : "recorded"
                                                   : w->machine->name ? w->machine->name
                                                                      : names->row[0],
                                        .formula = w->formula,
                                        .source = w->machine ? w->machine->source : NULL};
        if (of)
                w->prediction = *of;
        w->prediction.on = w->machine;
        if (!w->prediction.n_notes)
                w->prediction.notes = w->notes;
        w->prediction.edits = w->edits->text;
        w->prediction.n_edits = w->edits->n_text;
        w->prediction.drift = &w->drift.drift;
        w->plan->prediction = &w->prediction;
}

/* -- where regions are -- */

static bool tells_regions_apart(const work *w)
{
        return w->edits->n_works || w->edits->n_reordered || w->edits->balanced ||
               w->options->predict.redo_order || w->options->predict.sensitivity ||
               (w->machine && w->machine->n_region_ratios);
}

static ps_status load(work *w, ps_error *err)
{
        struct ps_piece_options pieces = {PS_PIECES_MOST};
        bool wants = tells_regions_apart(w) || ps_plan_wants_causes(w->plan, w->options);
        return w->run->load(w->run->ctx, &w->trace, wants ? &pieces : NULL, err);
}

static void note_estimate(work *w)
{
        if (!w->trace->pieces && tells_regions_apart(w))
                add_note(w, NOTE_ESTIMATE, w->trace->n_locs,
                         "locations have too many pieces of computation to be kept: times of regions are "
                         "estimated from their sums by call path, not by visit");
}

/* -- what the recording does not tell -- */

static bool changes_network(const work *w)
{
        const ps_scenario *s = &w->replays.scenario;
        return !w->machine && (s->latency != 1 || s->per_byte != 1);
}

/* Factors that differ need to know which part of a transfer is which. */
static ps_status note_range(work *w, ps_error *err)
{
        const ps_replay_info *info = ps_replay_info_of(w->replays.replay);
        const ps_scenario *s = &w->replays.scenario;
        ps_prediction *p = &w->prediction;
        char least[PS_NUMBER_ROOM], most[PS_NUMBER_ROOM];
        if (!changes_network(w) || w->divider || info->is_fitted || s->latency == s->per_byte)
                return PS_OK;
        PS_TRY(ps_replays_range(&p->least, &p->most, &w->replays, err));
        p->has_range = p->least < p->most;
        if (!p->has_range)
                return PS_OK;
        ps_text_duration(least, p->least);
        ps_text_duration(most, p->most);
        add_note(w, NOTE_RANGE, 0,
                 "the recording cannot tell latency from bandwidth, as its messages are of about one size: "
                 "the run takes from %s to %s; with the split of a machine it is exact: --machine "
                 "recorded:FILE",
                 least, most);
        return PS_OK;
}

static void note_gathers(work *w)
{
        uint64_t n = w->machine ? ps_replay_uncertain_gathers(w->replays.replay, w->machine) : 0;
        if (n)
                add_note(w, NOTE_GATHER, n,
                         "gathers of M1 to M2 bytes take anything from their parts at once to one after the "
                         "other: what they cost here is the upper end");
}

/* What libraries do themselves is longer or shorter for other reasons. */
static void note_share(work *w)
{
        const ps_replay_info *info = ps_replay_info_of(w->replays.replay);
        double share = info->in_calls > 0 ? 1 - (double)info->in_transfers / (double)info->in_calls : 0;
        if (changes_network(w) && share >= 0.0005)
                add_note(w, NOTE_SHARE, 0,
                         "no edit of the network reaches %.1f %% of the time in communication: there calls "
                         "neither wait nor transfer, as far as the recording tells",
                         100 * share);
}

/* -- a run that never ends -- */

static ps_status describe_replay(work *w, const ps_replayed *run, ps_error *err)
{
        const ps_options *o = w->options;
        ps_source_options where = ps_input_sources(&o->source);
        ps_status status = ps_sources_new(&w->sources, w->trace, &where, err);
        PS_THEN(status, ps_deadlock_describe(&w->deadlock, w->replays.trace, run, w->sources, err));
        w->prediction.deadlock = &w->deadlock;
        return status;
}

/* The report says it, and nothing else: there are no times to look at. */
static ps_status report_deadlock(work *w, const ps_replayed *run, ps_exit *code, ps_error *err)
{
        const ps_timing none = {.enter = w->trace->measured.enter, .leave = w->trace->measured.leave};
        PS_TRY(describe_replay(w, run, err));
        enum { TOLD_BYTES = 120 }; /* an error has no room for more */
        char *calls = ps_deadlock_text(&w->deadlock);
        ps_error told = {0};
        if (!calls)
                return PS_NOMEM(err, "text", 1);
        (void)PS_FAIL(&told, PS_E_INPUT, "%s ends in a deadlock: %.*s%s",
                      run == &w->replays.run[PS_REPLAYED_RECORDED] ? "the replay of the recording"
                                                                   : "the predicted run",
                      TOLD_BYTES, calls, strlen(calls) > TOLD_BYTES ? "..." : "");
        ps_message_error(&w->options->terminal, &told);
        free(calls);
        memset(w->plan->selection.off, 1, sizeof(w->plan->selection.off));
        w->plan->timing = &none;
        w->plan->gains = 0;
        w->plan->is_predicted = true; /* no other replay is asked */
        ps_status status = ps_plan_carry_out(w->plan, w->options, w->replays.trace, code, err);
        w->plan->timing = NULL;
        *code = PS_EXIT_PARTIAL;
        return status;
}

/* -- a run that ends -- */

static ps_status write_trace(const work *w, const ps_timing *timing, ps_error *err)
{
        ps_replayed_source *source;
        if (!w->options->predict.write)
                return PS_OK;
        ps_status status = ps_replayed_source_new(&source, w->replays.trace, timing, err);
        PS_THEN(status, ps_predict_write(w->options, &w->trace->defs, ps_replayed_source_of(source), err));
        ps_replayed_source_free(source);
        return status;
}

/* The measured run, for a page to show beside the predicted one. */
static ps_status analyse_measured(ps_analysed *out, ps_plan *plan, work *w, ps_error *err)
{
        *out = (ps_analysed){0};
        if (!w->options->reports.has_page)
                return PS_OK;
        PS_TRY(ps_plan_open_stacks(w->plan, w->options, w->trace, w->options->arguments[0], err));
        *plan = *w->plan;
        ps_status status = ps_plan_analyse(out, plan, w->options, w->trace, &w->trace->measured, err);
        w->plan->beside = out->report;
        return status;
}

static ps_status report_run(work *w, ps_exit *code, ps_error *err)
{
        const ps_timing *timing = w->replays.run[PS_REPLAYED_EDITED].timing;
        ps_analysed measured;
        ps_plan measured_plan;
        ps_status status = analyse_measured(&measured, &measured_plan, w, err);
        if (status == PS_OK && w->options->predict.sensitivity) {
                status = ps_sensitivity_find(&w->sensitivity, &w->replays, w->options->load.threads, err);
                w->prediction.sensitivity = &w->sensitivity;
        }
        PS_THEN(status, write_trace(w, timing, err));
        w->plan->timing = timing;
        w->plan->replays = &w->replays;
        PS_THEN(status, ps_plan_carry_out(w->plan, w->options, w->replays.trace, code, err));
        if (status == PS_OK)
                ps_drift_judge(&w->drift, w->options, code);
        w->plan->beside = NULL;
        ps_analysed_clear(&measured);
        return status;
}

ps_status ps_predict_what_if(ps_what_if *out, const ps_edits *edits, const ps_trace *trace,
                             const ps_predict_machine *on, const ps_word_list *intervals, ps_error *err)
{
        const ps_defs *defs = &trace->defs;
        uint8_t *is_interval = ps_memory_zeroed(defs->regions.n + (size_t)1, 1);
        ps_status status = is_interval ? PS_OK : PS_NOMEM(err, "regions", defs->regions.n);
        if (status == PS_OK && edits->balanced)
                status = ps_intervals_choose(is_interval, defs, intervals->row, intervals->n, err);
        PS_THEN(status, ps_what_if_make(out, edits, trace, on->machine, is_interval, err));
        out->scenario.divider = on->divider;
        free(is_interval);
        return status;
}

static ps_status predict(work *w, ps_exit *code, ps_error *err)
{
        const ps_options *o = w->options;
        const ps_replayed *recorded = &w->replays.run[PS_REPLAYED_RECORDED];
        const ps_replayed *edited = &w->replays.run[PS_REPLAYED_EDITED];
        PS_TRY(ps_predict_what_if(&w->what_if, w->edits, w->trace, &w->run->on, &o->reports.intervals, err));
        PS_TRY(apply_found(w, err));
        PS_TRY(find_master(w, err));
        PS_TRY(ps_replays_make(&w->replays, w->trace, &w->what_if, o->load.threads, err));
        w->replays.redo = w->what_if.reordered == &w->reordered && o->predict.redo_order ? w->master : NULL;
        put_prediction(w);
        note_estimate(w);
        if (w->prediction.notes == w->notes)
                w->prediction.n_notes = w->n_notes;
        if (recorded->stuck || edited->stuck) {
                w->prediction.drift = NULL;
                return report_deadlock(w, recorded->stuck ? recorded : edited, code, err);
        }
        ps_status status = ps_drift_measure(&w->drift, o, &w->replays, err);
        PS_THEN(status, note_range(w, err));
        PS_THEN(status, note_order(w, edited->timing, err));
        note_share(w);
        note_gathers(w);
        if (w->prediction.notes == w->notes)
                w->prediction.n_notes = w->n_notes;
        if (status == PS_OK && w->drift.worst_interval[0])
                w->prediction.worst_interval = w->drift.worst_interval;
        return status != PS_OK ? status : report_run(w, code, err);
}

ps_status ps_predict_edited(const ps_options *options, ps_plan *plan, const ps_predict_run *run,
                            ps_exit *code, ps_error *err)
{
        work w = {.options = options,
                  .plan = plan,
                  .run = run,
                  .machine = run->on.machine,
                  .divider = run->on.divider,
                  .edits = run->edits};
        ps_status status = ps_drift_limit(&w.drift.drift.limit, options->predict.max_drift, "1%", err);
        PS_THEN(status, load(&w, err));
        PS_THEN(status, predict(&w, code, err));
        work_clear(&w);
        return status;
}

static ps_status load_trace(void *ctx, ps_trace **out, const struct ps_piece_options *pieces, ps_error *err)
{
        return ps_input_load(out, ctx, pieces, err);
}

ps_status ps_predict_replay(const ps_options *options, ps_plan *plan, const ps_predict_machine *on,
                            ps_exit *code, ps_error *err)
{
        ps_edits edits = {0};
        ps_options own = *options;
        const ps_predict_run run = {.load = load_trace, .ctx = &own, .on = *on, .edits = &edits};
        ps_status status = check_replay_options(options, err);
        PS_THEN(status, ps_edits_parse(&edits, options->arguments + 1, options->n_arguments - 1, err));
        PS_THEN(status, ps_predict_edited(options, plan, &run, code, err));
        ps_edits_clear(&edits);
        return status;
}
