/* swept.c - see swept.h. */
#include "library/run/swept.h"
#include "core/base/memory.h"
#include "core/model/focus.h"
#include "library/run/drift.h"
#include "library/run/input.h"
#include "library/run/message.h"
#include "report/facts/edit_sweep.h"
#include "report/facts/replayed.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { AT_A_TIME = 64, N_NOTES = 2, NOTE_ROOM = 320 };

struct ps_swept_run {
        const ps_options *options;
        const ps_predict_machine *on;
        const char *const *edit;
        unsigned n_edits;
        ps_edit_sweep sweep;
        const ps_trace *trace;
        ps_edits first; /* those of the first row: what all have in common is known from it */
        ps_what_if what_if;
        ps_replays replays;
        ps_drift_told drift;
        ps_master *master;     /* whose tasks are dealt out; or NULL */
        const char *no_master; /* why not */
        ps_prediction prediction;
        ps_prediction_note note[N_NOTES];
        char told[NOTE_ROOM];
        char formula[PS_FORMULA_ROOM];
        ps_swept_row row[PS_SWEEP_ROWS];
};

/* -- what can be asked -- */

static ps_status check_sweep_options(const ps_options *o, ps_error *err)
{
        PS_TRY(ps_refuse(o, "fail-on|baseline|sensitivity|gains|causes|rank-by|grid|procs|distribute",
                         "of edits with several values there is one table only", err));
        return ps_refuse_other_formats(o, err);
}

/* Those are about what was found in the run, and make another structure of it. */
static ps_status check_edits(const ps_edits *edits, ps_error *err)
{
        const char *text = edits->n_removed     ? edits->removed[0].text
                           : edits->n_reordered ? edits->reordered[0].text
                           : edits->map         ? edits->map
                                                : NULL;
        return text ? PS_FAIL(err, PS_E_USAGE,
                              "remove, reorder and map do not go with edits of several values: "
                              "edit=\"%.80s\"",
                              text)
                    : PS_OK;
}

/* -- the run, and what all rows have in common -- */

static ps_status parse_row(ps_edits *out, const ps_swept_run *w, uint32_t row,
                           const char *texts[PS_EDITS_MAX], ps_error *err)
{
        PS_TRY(ps_edit_sweep_texts(texts, &w->sweep, row, err));
        return ps_edits_parse(out, texts, w->sweep.n_fixed + w->sweep.n_axes, err);
}

static ps_status prepare_sweep(ps_swept_run *w, ps_error *err)
{
        const ps_options *o = w->options;
        PS_TRY(ps_predict_what_if(&w->what_if, &w->first, w->trace, w->on, &o->reports.intervals, err));
        PS_TRY(ps_replays_make(&w->replays, w->trace, &w->what_if, o->load.threads, err));
        if (w->replays.run[PS_REPLAYED_RECORDED].stuck || w->replays.run[PS_REPLAYED_EDITED].stuck)
                return PS_OK; /* the rows tell */
        return ps_drift_measure(&w->drift, o, &w->replays, err);
}

static void tell_note(ps_swept_run *w, const char *text)
{
        ps_message_warn(&w->options->terminal, "%s", text);
        w->note[w->prediction.n_notes++].text = text;
        w->prediction.notes = w->note;
}

/* With the factors of a row by themselves the other one is unknown, too. */
static void note_range(ps_swept_run *w)
{
        const ps_replay_info *info = ps_replay_info_of(w->replays.replay);
        bool is_changed = 0;
        for (unsigned i = 0; i < w->n_edits; i++) {
                const char *text = w->edit[i];
                is_changed |= strncmp(text, "bw", 2) == 0 || (*text == 'L' && strchr("*/", text[1]));
        }
        if (!is_changed || w->on->machine || w->on->divider || info->is_fitted)
                return;
        tell_note(w, "the recording cannot tell latency from bandwidth, as its messages are of about one "
                     "size: what is taken for latency is an estimate; --machine recorded:FILE "
                     "takes the split of a machine");
}

static void describe_sweep(ps_swept_run *w)
{
        const ps_machine *m = w->on->machine;
        const ps_word_list *names = &w->options->machine.names;
        const bool has_drift =
                !w->replays.run[PS_REPLAYED_RECORDED].stuck && !w->replays.run[PS_REPLAYED_EDITED].stuck;

        ps_replay_formula(w->formula, m, w->on->divider, ps_replay_info_of(w->replays.replay));
        w->prediction = (ps_prediction){.machine = m && m->name ? m->name
                                                   : names->n   ? names->row[0]
                                                                : "recorded",
                                        .formula = w->formula,
                                        .source = m ? m->source : NULL,
                                        .edits = w->edit,
                                        .n_edits = w->n_edits,
                                        .drift = has_drift ? &w->drift.drift : NULL};
        if (has_drift && w->drift.worst_interval[0])
                w->prediction.worst_interval = w->drift.worst_interval;
}

/* -- work that is handed out -- */

static ps_status find_master(ps_swept_run *w, ps_error *err)
{
        PS_TRY(ps_master_find(&w->master, &w->no_master, w->trace, err));
        if (!w->master && !w->no_master)
                w->no_master = "no rank receives from others and answers each of them with the next task";
        return PS_OK;
}

/* With the first or the last of all values somebody else would have been first. */
static ps_status count_early(uint32_t *out, ps_swept_run *w, ps_error *err)
{
        const ps_replay_options how = {.wants_timing = 1, .n_threads = w->options->load.threads};
        const char *texts[PS_EDITS_MAX];
        ps_edits edits = {0};
        ps_what_if last = {0};
        ps_replayed run = {0};
        const ps_timing *first = w->replays.run[PS_REPLAYED_EDITED].timing;
        uint32_t n = 0;
        *out = 0;
        ps_status status = first ? ps_master_count_early(out, w->master, first, err) : PS_OK;
        PS_THEN(status, parse_row(&edits, w, w->sweep.n_rows - 1, texts, err));
        PS_THEN(status,
                ps_predict_what_if(&last, &edits, w->trace, w->on, &w->options->reports.intervals, err));
        PS_THEN(status, ps_replay_run(&run, w->replays.replay, &last.scenario, 1, &how, err));
        if (status == PS_OK && !run.stuck)
                status = ps_master_count_early(&n, w->master, run.timing, err);
        *out += n;
        ps_replayed_clear(&run);
        ps_what_if_clear(&last);
        ps_edits_clear(&edits);
        return status;
}

static ps_status note_order(ps_swept_run *w, ps_error *err)
{
        const bool redoes = w->options->predict.redo_order != 0;
        uint32_t n_early = 0;
        if (w->master && !redoes)
                PS_TRY(count_early(&n_early, w, err));
        if (!redoes && !n_early)
                return PS_OK;
        ps_redo_told of = w->master ? ps_master_tell(w->master) : (ps_redo_told){0};
        if (w->no_master)
                snprintf(w->told, NOTE_ROOM, "no work is dealt out anew: %s", w->no_master);
        else if (redoes)
                snprintf(w->told, NOTE_ROOM,
                         "rank %u hands out work: in each row its %u tasks are dealt out anew to %u workers, "
                         "each to whoever asks first in predicted time",
                         of.master, of.n_tasks, of.n_workers);
        else
                snprintf(w->told, NOTE_ROOM,
                         "rank %u hands out work, and others would ask it first: here its %u tasks stay with "
                         "the workers that had them in the recording; --redo-order deals them out anew",
                         of.master, of.n_tasks);
        tell_note(w, w->told);
        return PS_OK;
}

/* A row's tasks go to whoever is free first. */
static ps_status redo_row(ps_swept_run *w, uint32_t row, const ps_scenario *scenario, ps_error *err)
{
        ps_reordered rearranged;
        ps_redo_told told;
        ps_status status =
                ps_redo_order(&rearranged, &told, w->master, scenario, w->options->load.threads, err);
        ps_reordered_clear(&rearranged);
        if (status == PS_OK && told.why)
                w->no_master = told.why;
        else if (status == PS_OK)
                w->row[row] = (ps_swept_row){told.is_stuck, told.length, told.total};
        return status;
}

/* -- the rows -- */

static ps_status run_some(ps_swept_run *w, uint32_t from, uint32_t n, ps_error *err)
{
        const ps_replay_options how = {.n_threads = w->options->load.threads};
        const char *texts[PS_EDITS_MAX];
        ps_edits edits[AT_A_TIME] = {0};
        ps_what_if of[AT_A_TIME] = {0};
        ps_scenario scenario[AT_A_TIME] = {0};
        ps_replayed run[AT_A_TIME];
        ps_status status = PS_OK;
        for (uint32_t i = 0; i < n; i++) {
                PS_THEN(status, parse_row(&edits[i], w, from + i, texts, err));
                PS_THEN(status, ps_predict_what_if(&of[i], &edits[i], w->trace, w->on,
                                                   &w->options->reports.intervals, err));
                scenario[i] = of[i].scenario;
        }
        PS_THEN(status, ps_replay_run(run, w->replays.replay, scenario, n, &how, err));
        for (uint32_t i = 0; i < n && status == PS_OK; i++) {
                w->row[from + i] = (ps_swept_row){run[i].stuck, run[i].focus, run[i].total};
                ps_replayed_clear(&run[i]);
                if (w->master && w->options->predict.redo_order)
                        PS_THEN(status, redo_row(w, from + i, &scenario[i], err));
        }
        for (uint32_t i = 0; i < n; i++) {
                ps_what_if_clear(&of[i]);
                ps_edits_clear(&edits[i]);
        }
        return status;
}

static ps_status run_all(ps_swept_run *w, ps_error *err)
{
        uint32_t n = w->sweep.n_rows;
        for (uint32_t i = 0; i < n; i += AT_A_TIME)
                PS_TRY(run_some(w, i, n - i < AT_A_TIME ? n - i : AT_A_TIME, err));
        return PS_OK;
}

/* -- all of it -- */

static ps_status sweep(ps_swept_run *w, ps_error *err)
{
        const ps_options *o = w->options;
        const char *texts[PS_EDITS_MAX];
        PS_TRY(check_sweep_options(o, err));
        PS_TRY(ps_drift_limit(&w->drift.drift.limit, o->predict.max_drift, "1%", err));
        PS_TRY(ps_edit_sweep_parse(&w->sweep, w->edit, w->n_edits, err));
        PS_TRY(parse_row(&w->first, w, 0, texts, err));
        PS_TRY(check_edits(&w->first, err));
        if (!w->trace)
                return PS_OK;
        PS_TRY(prepare_sweep(w, err));
        describe_sweep(w);
        note_range(w);
        PS_TRY(find_master(w, err));
        PS_TRY(run_all(w, err));
        return note_order(w, err);
}

ps_status ps_swept_run_new(ps_swept_run **out, const ps_options *options, const ps_trace *trace,
                           const ps_predict_machine *on, const char *const *edits, unsigned n, ps_error *err)
{
        ps_swept_run *w = *out = ps_memory_zeroed(1, sizeof(*w));
        if (!w)
                return PS_NOMEM(err, "edits", 1);
        w->options = options;
        w->trace = trace;
        w->on = on;
        w->edit = edits;
        w->n_edits = n;
        return sweep(w, err);
}

void ps_swept_run_free(ps_swept_run *w)
{
        if (!w)
                return;
        ps_replays_clear(&w->replays); /* first: it reads what follows */
        ps_what_if_clear(&w->what_if);
        ps_master_free(w->master);
        ps_edits_clear(&w->first);
        ps_edit_sweep_clear(&w->sweep);
        free(w);
}

ps_swept ps_swept_run_told(const ps_swept_run *w)
{
        return (ps_swept){w->options->arguments[0], &w->prediction, &w->sweep, w->row,
                          ps_focus_length(&w->trace->measured)};
}

ps_status ps_swept_run_write(const ps_swept_run *w, const char *format, ps_output *out, ps_error *err)
{
        const ps_swept swept = ps_swept_run_told(w);
        static ps_status (*const writers[])(const ps_swept *, ps_output *, ps_error *) = {
                ps_swept_write_text, ps_swept_write_json, ps_swept_write_csv, ps_swept_write_html,
                ps_swept_write_markdown};
        int at = ps_table_format(format);
        return at < 0 ? ps_refuse_format(format, err) : writers[at](&swept, out, err);
}

ps_exit ps_swept_run_judge(const ps_swept_run *w)
{
        ps_exit code = ps_input_judge(w->options, w->trace->n_events, &w->trace->issues);
        if (w->prediction.drift)
                ps_drift_judge(&w->drift, w->options, &code);
        for (uint32_t i = 0; i < w->sweep.n_rows; i++)
                if (w->row[i].is_stuck)
                        code = PS_EXIT_PARTIAL;
        return code;
}
