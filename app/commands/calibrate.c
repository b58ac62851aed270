/* calibrate.c - patscan calibrate: traces, or a table of round trips, to the file of a machine. */
#include "app/cli/input.h"
#include "app/cli/message.h"
#include "core/base/file.h"
#include "core/base/text.h"
#include "core/clock/clock.h"
#include "core/model/focus.h"
#include "library/run/drift.h"
#include "report/calibration/calibration.h"
#include "report/facts/run_name.h"
#include "report/print/text.h"
#include "simulator/machine/file.h"
#include "simulator/replay/replay.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TABLE_BYTES_MAX = 64 << 20, HEAD = 4096, NAME_MAX_BYTES = 255 };

/* In the order of the choices of --model. */
static const ps_model models[] = {PS_MODEL_HOCKNEY, PS_MODEL_LOGGP, PS_MODEL_PLOGP, PS_MODEL_LMO,
                                  PS_MODEL_HLMO};

/* What is owned until the end. */
typedef struct work {
        const ps_options *options;
        ps_samples samples;
        ps_rtt_table *table;
        ps_trace *trace; /* the only one; NULL: there are several, or none */
        ps_calibration calibration;
        ps_calibrate_replay replay;
        bool is_replayed;
        double max_drift;
        char name[NAME_MAX_BYTES + 1], source[NAME_MAX_BYTES + 1];
        char *machine;                        /* its file */
        char beyond[PATSCAN_ERROR_TEXT + 64]; /* why it is none */
        ps_exit code;
} work;

/* -- reading -- */

static bool is_table(const char *path)
{
        char head[HEAD];
        return ps_rtt_is_table(head, ps_file_head(head, sizeof(head), path));
}

static ps_status add_table(work *w, const char *path, ps_error *err)
{
        char *text = NULL;
        size_t len = 0;
        if (w->table)
                return PS_FAIL(err, PS_E_USAGE, "only one table of round trips can be used: second=\"%s\"",
                               path);
        ps_status status =
                ps_file_read(&text, &len, ps_file_open(path), TABLE_BYTES_MAX, "round trips", path, err);
        PS_THEN(status, ps_rtt_parse(&w->table, text, len, path, err));
        PS_THEN(status, ps_samples_add_table(&w->samples, w->table, err));
        free(text);
        return status;
}

static ps_status load_trace(ps_trace **out, const work *w, const char *path, ps_clock_mode clock,
                            ps_error *err)
{
        ps_load_options how = ps_input_options(w->options, NULL);
        how.clock = clock;
        return ps_input_read(out, w->options, path, &how, err);
}

/* Moving single times away from what is impossible would spoil the shortest ones. So the clocks are repaired
 * only where they have nothing in common. */
static ps_status load_plain(ps_trace **out, const work *w, const char *path, ps_error *err)
{
        ps_clock_mode asked = (ps_clock_mode)w->options->load.clock;
        PS_TRY(load_trace(out, w, path, asked == PS_CLOCK_AUTO ? PS_CLOCK_AS_IS : asked, err));
        if (asked != PS_CLOCK_AUTO || (*out)->clock.worst <= PS_CLOCK_NOISE)
                return PS_OK;
        ps_trace_close(*out);
        *out = NULL;
        return load_trace(out, w, path, PS_CLOCK_AUTO, err);
}

static ps_status add_trace(work *w, const char *path, ps_error *err)
{
        ps_trace *trace = NULL;
        PS_TRY(load_plain(&trace, w, path, err));
        ps_exit code = ps_input_judge(w->options, trace->n_events, &trace->issues);
        w->code = code != PS_EXIT_OK ? code : w->code;
        ps_status status = ps_samples_add_trace(&w->samples, trace, &trace->measured, err);
        if (w->options->n_arguments == 1)
                w->trace = trace;
        else
                ps_trace_close(trace);
        return status;
}

static ps_status read_all(work *w, ps_error *err)
{
        for (unsigned i = 0; i < w->options->n_arguments; i++) {
                const char *path = w->options->arguments[i];
                PS_TRY(is_table(path) ? add_table(w, path, err) : add_trace(w, path, err));
        }
        return ps_samples_finish(&w->samples, err);
}

/* -- the machine -- */

/* Adds to `room` as much as there is room for; 0: not all of it. */
static bool append_text(char room[NAME_MAX_BYTES + 1], const char *text)
{
        size_t used = strlen(room), len = strlen(text);
        if (used + len > NAME_MAX_BYTES - 4)
                return false;
        memcpy(room + used, text, len + 1);
        return true;
}

/* That of the file, without its ending. */
static ps_status find_name(work *w, ps_error *err)
{
        const char *path = w->options->reports.output;
        char *clean = ps_text_clean(path && strcmp(path, "-") != 0 ? ps_file_name(path) : "calibrated");
        if (!clean)
                return PS_NOMEM(err, "name", 1);
        char *dot = strrchr(clean, '.');
        if (dot && dot != clean)
                *dot = '\0';
        if (!append_text(w->name, clean))
                append_text(w->name, "calibrated");
        free(clean);
        return PS_OK;
}

/* What compare knows the run by. */
static const char *run_name(char room[PS_RUN_NAME_ROOM], const char *path)
{
        return *ps_run_name(room, path) ? room : ps_file_name(path);
}

static ps_status find_source(work *w, ps_error *err)
{
        char room[PS_RUN_NAME_ROOM];
        bool is_whole = append_text(w->source, "calibrated by patscan " PS_VERSION " from ");
        for (unsigned i = 0; i < w->options->n_arguments && is_whole; i++) {
                char *clean = ps_text_clean(run_name(room, w->options->arguments[i]));
                if (!clean)
                        return PS_NOMEM(err, "name", 1);
                is_whole = (!i || append_text(w->source, ", ")) && append_text(w->source, clean);
                free(clean);
        }
        if (!is_whole)
                memcpy(w->source + strlen(w->source), "...", sizeof("..."));
        return PS_OK;
}

/* "; not identified: latency_s, gap_s": the file of the machine is read where the report is not. */
static void list_assumed(work *w, char room[NAME_MAX_BYTES + 1])
{
        const ps_calibration *c = &w->calibration;
        for (uint32_t i = 0; i < c->n_rows; i++) {
                char name[64];
                if (!c->row[i].is_assumed)
                        continue;
                snprintf(name, sizeof(name), "%s%s%s%s", *room ? ", " : "", c->row[i].where,
                         *c->row[i].where ? "." : "", c->row[i].name);
                append_text(room, name);
        }
}

static void tell_assumed(work *w)
{
        char names[NAME_MAX_BYTES + 1] = "";
        list_assumed(w, names);
        if (!*names)
                return;
        ps_message_warn(&w->options->terminal,
                        "the measurements do not determine these parameters, so the machine has assumed "
                        "values for them: %s",
                        names);
        if (append_text(w->source, "; not identified: "))
                append_text(w->source, names);
}

/* What was measured may be impossible for a machine; reading it back is the check. */
static ps_status print_machine(work *w, ps_error *err)
{
        ps_machine *machine = &w->calibration.machine, *again;
        PS_TRY(find_name(w, err));
        PS_TRY(find_source(w, err));
        tell_assumed(w);
        machine->name = strdup(w->name);
        machine->source = strdup(w->source);
        if (!machine->name || !machine->source)
                return PS_NOMEM(err, "name", 1);
        ps_error reason = {0};
        ps_status status = ps_machine_print(&w->machine, machine, err);
        if (status != PS_OK ||
            ps_machine_parse(&again, w->machine, strlen(w->machine), "calibrated", &reason) != PS_E_INPUT) {
                ps_machine_free(status != PS_OK ? NULL : again);
                return status;
        }
        const char *key = strstr(reason.cause[0].text, "key="); /* behind a path, which it has none of */
        snprintf(w->beyond, sizeof(w->beyond), "its parameters are beyond what a machine may have: %s",
                 key ? key : reason.cause[0].text);
        w->calibration.refusal = w->beyond;
        free(w->machine);
        w->machine = NULL;
        return PS_OK;
}

static ps_status write_machine(const work *w, ps_error *err)
{
        ps_output *out;
        PS_TRY(ps_output_open(&out, w->options->reports.output ? w->options->reports.output : "-",
                              PS_COLOR_NEVER, err));
        ps_output_puts(out, w->machine);
        ps_output_putc(out, '\n');
        return ps_output_commit(out, err);
}

/* Of the focus: how long Init and Finalize take is not the network's doing. */
static ps_status measure_replay(work *w, ps_replayed *run, ps_error *err)
{
        ps_focus *focus = NULL;
        PS_TRY(ps_focus_of_timing(&focus, w->trace, run->timing, err));
        run->timing->focus = focus;
        w->replay = (ps_calibrate_replay){ps_focus_length(&w->trace->measured), ps_focus_length(run->timing),
                                          run->stuck};
        w->is_replayed = w->replay.measured > 0;
        run->timing->focus = NULL;
        ps_focus_free(focus);
        return PS_OK;
}

/* How near the machine comes to what it was made from. A trace that it is too small for, or that never ends
 * on it, is no failure of the calibration. */
static ps_status replay(work *w, ps_error *err)
{
        ps_replay *replay = NULL;
        ps_replayed run = {0};
        ps_scenario scenario;
        ps_replay_options how = {.wants_timing = 1, .n_threads = w->options->load.threads};
        ps_scenario_init(&scenario);
        scenario.machine = &w->calibration.machine;
        ps_status status = ps_replay_new_for_machines(&replay, w->trace, &w->trace->measured,
                                                      w->options->load.threads, err);
        PS_THEN(status, ps_replay_run(&run, replay, &scenario, 1, &how, err));
        PS_THEN(status, measure_replay(w, &run, err));
        ps_replayed_clear(&run);
        ps_replay_free(replay);
        return status;
}

/* A machine that does not give back what it was made from is written, but is no success. */
static void judge_replay(work *w)
{
        const ps_calibrate_replay *r = &w->replay;
        double drift = (double)r->replayed / (double)r->measured - 1;
        if (!w->is_replayed || (!r->never_ends && fabs(drift) <= w->max_drift))
                return;
        if (r->never_ends)
                ps_message_warn(&w->options->terminal, "do not trust the calibrated machine: on it, the run "
                                                       "that it was made from never ends");
        else
                ps_message_warn(&w->options->terminal,
                                "the calibrated machine does not reproduce the run that it was made from: "
                                "drift=%+.1f%%, limit=%g%%; --allow-partial accepts that",
                                100 * drift, 100 * w->max_drift);
        if (!w->options->limits.allow_partial && w->code == PS_EXIT_OK)
                w->code = PS_EXIT_PARTIAL;
}

/* -- reports -- */

static ps_status write_calibration(const void *report, const ps_report_request *request, ps_output *out,
                                   ps_error *err)
{
        static ps_status (*const writers[])(const ps_calibrate_report *, ps_output *, ps_error *) = {
                ps_calibrate_write_text, ps_calibrate_write_json, ps_calibrate_write_html,
                ps_calibrate_write_markdown};
        return writers[request->format](report, out, err);
}

static ps_status write_reports(const work *w, ps_error *err)
{
        char formula[PS_FORMULA_ROOM];
        const ps_options *o = w->options;
        ps_calibrate_report report = {.paths = o->arguments,
                                      .n_paths = o->n_arguments,
                                      .model = models[o->machine.model],
                                      .samples = &w->samples,
                                      .calibration = &w->calibration,
                                      .name = w->name};
        if (w->machine)
                report.formula = ps_machine_formula(&w->calibration.machine, formula);
        if (w->is_replayed)
                report.replay = &w->replay;
        return ps_input_reports(o, write_calibration, &report, err);
}

static ps_status check_places(const ps_options *options, ps_error *err)
{
        const char *output = options->reports.output ? options->reports.output : "-";
        for (unsigned i = 0; i < options->reports.n; i++)
                if (strcmp(options->reports.row[i].file, output) == 0)
                        return PS_FAIL(
                                err, PS_E_USAGE,
                                "the machine and a report would be written to the same place: file=\"%s\"",
                                output);
        return PS_OK;
}

static ps_status calibrate(work *w, ps_error *err)
{
        PS_TRY(read_all(w, err));
        PS_TRY(ps_calibrate(&w->calibration, &w->samples, w->table, models[w->options->machine.model], err));
        if (!w->calibration.refusal)
                PS_TRY(print_machine(w, err));
        if (w->machine)
                PS_TRY(write_machine(w, err));
        if (w->machine && w->trace)
                PS_TRY(replay(w, err));
        judge_replay(w);
        PS_TRY(write_reports(w, err));
        if (w->calibration.refusal) {
                ps_message_warn(&w->options->terminal, "no machine of model %s can be fitted: %s",
                                ps_models[models[w->options->machine.model]].name, w->calibration.refusal);
                w->code = PS_EXIT_PARTIAL;
        }
        return PS_OK;
}

ps_status ps_cmd_calibrate(const ps_options *options, ps_exit *code, ps_error *err)
{
        work w = {.options = options, .code = PS_EXIT_OK};
        ps_status status = check_places(options, err);
        PS_THEN(status, ps_drift_limit(&w.max_drift, options->predict.max_drift, "10%", err));
        PS_THEN(status, calibrate(&w, err));
        *code = w.code;
        free(w.machine);
        ps_calibration_clear(&w.calibration);
        ps_samples_free(&w.samples);
        ps_rtt_free(w.table);
        ps_trace_close(w.trace);
        return status;
}
