/* predicted.c - see predicted.h. How far to trust a prediction is told with it. */
#include "library/run/predicted.h"
#include "core/base/memory.h"
#include "library/gains/removals.h"
#include "library/run/input.h"
#include "library/run/message.h"
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
struct ps_predicted {
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
};

void ps_predicted_free(ps_predicted *w)
{
        if (!w)
                return;
        ps_replays_clear(&w->replays); /* first: it reads what follows */
        ps_what_if_clear(&w->what_if);
        ps_unwaited_clear(&w->removed);
        ps_reordered_clear(&w->reordered);
        ps_master_free(w->master);
        ps_sensitivity_clear(&w->sensitivity);
        ps_sources_free(w->sources);
        ps_deadlock_clear(&w->deadlock);
        if (!w->run->is_borrowed)
                ps_trace_close(w->trace);
        free(w);
}

/* Kept for the report, and told at once if it may be unexpected. */
__attribute__((format(printf, 4, 5))) static void add_note(ps_predicted *w, int which, uint64_t count,
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

static ps_status reorder(ps_predicted *w, const ps_report *report, ps_error *err)
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

static ps_status leave_out(ps_predicted *w, const ps_report *report, ps_error *err)
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
static ps_status apply_found(ps_predicted *w, ps_error *err)
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

static ps_status redo_order(ps_predicted *w, const char *why, ps_error *err)
{
        ps_redo_told told = {
                .why = why ? why
                           : "no rank receives from others and answers each of them with the next task"};
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

static ps_status find_master(ps_predicted *w, ps_error *err)
{
        const char *why;
        PS_TRY(ps_master_find(&w->master, &why, w->trace, err));
        return w->options->predict.redo_order ? redo_order(w, why, err) : PS_OK;
}

/* Another worker would have asked first. */
static ps_status note_order(ps_predicted *w, const ps_timing *timing, ps_error *err)
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

static void put_prediction(ps_predicted *w)
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
}

/* -- where regions are -- */

static bool tells_regions_apart(const ps_predicted *w)
{
        return w->edits->n_works || w->edits->n_reordered || w->edits->balanced ||
               w->options->predict.redo_order || w->options->predict.sensitivity ||
               (w->machine && w->machine->n_region_ratios);
}

static ps_status load_machine_and_trace(ps_predicted *w, ps_error *err)
{
        struct ps_piece_options pieces = {PS_PIECES_MOST};
        bool wants = tells_regions_apart(w) || ps_plan_wants_causes(w->plan, w->options);
        return w->run->load(w->run->ctx, &w->trace, wants ? &pieces : NULL, err);
}

static void note_estimate(ps_predicted *w)
{
        if (!w->trace->pieces && tells_regions_apart(w))
                add_note(w, NOTE_ESTIMATE, w->trace->n_locs,
                         "locations have too many pieces of computation to be kept: times of regions are "
                         "estimated from their sums by call path, not by visit");
}

/* -- what the recording does not tell -- */

static bool changes_network(const ps_predicted *w)
{
        const ps_scenario *s = &w->replays.scenario;
        return !w->machine && (s->latency != 1 || s->per_byte != 1);
}

/* Factors that differ need to know which part of a transfer is which. */
static ps_status note_range(ps_predicted *w, ps_error *err)
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

static void note_gathers(ps_predicted *w)
{
        uint64_t n = w->machine ? ps_replay_uncertain_gathers(w->replays.replay, w->machine) : 0;
        if (n)
                add_note(w, NOTE_GATHER, n,
                         "a gather of M1 to M2 bytes takes anything between the time of all its messages at "
                         "once and that of one after the other: here it takes the latter");
}

/* What libraries do themselves is longer or shorter for other reasons. */
static void note_share(ps_predicted *w)
{
        const ps_replay_info *info = ps_replay_info_of(w->replays.replay);
        double share = info->in_calls > 0 ? 1 - (double)info->in_transfers / (double)info->in_calls : 0;
        if (changes_network(w) && share >= 0.0005)
                add_note(w, NOTE_SHARE, 0,
                         "no edit of the network changes %.1f %% of the time in communication: there calls "
                         "neither wait nor transfer data, as far as the recording tells",
                         100 * share);
}

/* -- a run that never ends -- */

static ps_status describe_replay(ps_predicted *w, const ps_replayed *run, ps_error *err)
{
        const ps_options *o = w->options;
        ps_source_options where = ps_input_sources(&o->source);
        PS_TRY(ps_sources_new(&w->sources, w->trace, &where, err));
        PS_TRY(ps_deadlock_describe(&w->deadlock, w->replays.trace, run, w->sources, err));
        w->prediction.deadlock = &w->deadlock;
        return PS_OK;
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

/* Up to the replays, and what there is to say of them. */
static ps_status predict(ps_predicted *w, ps_error *err)
{
        const ps_options *o = w->options;
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
        if (ps_predicted_stuck(w)) {
                w->prediction.drift = NULL;
                return describe_replay(w, ps_predicted_stuck(w), err);
        }
        PS_TRY(ps_drift_measure(&w->drift, o, &w->replays, err));
        PS_TRY(note_range(w, err));
        PS_TRY(note_order(w, edited->timing, err));
        note_share(w);
        note_gathers(w);
        if (w->prediction.notes == w->notes)
                w->prediction.n_notes = w->n_notes;
        if (w->drift.worst_interval[0])
                w->prediction.worst_interval = w->drift.worst_interval;
        return PS_OK;
}

ps_status ps_predicted_new(ps_predicted **out, const ps_options *options, ps_plan *plan,
                           const ps_predict_run *run, ps_error *err)
{
        ps_predicted *w = *out = ps_memory_zeroed(1, sizeof(*w));
        if (!w)
                return PS_NOMEM(err, "prediction", 1);
        w->options = options;
        w->plan = plan;
        w->run = run;
        w->machine = run->on.machine;
        w->divider = run->on.divider;
        w->edits = run->edits;
        PS_TRY(ps_drift_limit(&w->drift.drift.limit, options->predict.max_drift, "1%", err));
        PS_TRY(load_machine_and_trace(w, err));
        return predict(w, err);
}

/* -- what is told of it -- */

const ps_trace *ps_predicted_trace(const ps_predicted *w)
{
        return w->trace;
}

const ps_replays *ps_predicted_replays(const ps_predicted *w)
{
        return &w->replays;
}

const ps_drift_told *ps_predicted_drift(const ps_predicted *w)
{
        return &w->drift;
}

const ps_replayed *ps_predicted_stuck(const ps_predicted *w)
{
        for (unsigned i = PS_REPLAYED_RECORDED; i <= PS_REPLAYED_EDITED; i++)
                if (w->replays.run[i].stuck)
                        return &w->replays.run[i];
        return NULL;
}

ps_status ps_predicted_tell_stuck(ps_predicted *w, ps_error *told, ps_error *err)
{
        enum { TOLD_BYTES = 120 }; /* an error has no room for more */
        char *calls = ps_deadlock_text(&w->deadlock);
        if (!calls)
                return PS_NOMEM(err, "text", 1);
        (void)PS_FAIL(told, PS_E_INPUT, "%s ends in a deadlock: %.*s%s",
                      ps_predicted_stuck(w) == &w->replays.run[PS_REPLAYED_RECORDED]
                              ? "the replay of the recording"
                              : "the predicted run",
                      TOLD_BYTES, calls, strlen(calls) > TOLD_BYTES ? "..." : "");
        free(calls);
        return PS_OK;
}

void ps_predicted_plan(const ps_predicted *w, ps_plan *plan)
{
        plan->prediction = &w->prediction;
        plan->timing = w->replays.run[PS_REPLAYED_EDITED].timing;
        plan->replays = &w->replays;
        plan->removed = w->edits->n_removed ? &w->removed : NULL;
}

ps_status ps_predicted_depend(ps_predicted *w, ps_error *err)
{
        if (!w->options->predict.sensitivity)
                return PS_OK;
        w->prediction.sensitivity = &w->sensitivity;
        return ps_sensitivity_find(&w->sensitivity, &w->replays, w->options->load.threads, err);
}
