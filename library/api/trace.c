/* trace.c - a trace is opened, told of, and closed. */
#include "core/load/share.h"
#include "core/model/focus.h"
#include "core/model/pieces.h"
#include "library/api/handle.h"
#include "library/api/lent.h"
#include "library/api/settings.h"
#include "library/run/input.h"
#include "reader/reader.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *patscan_version(void)
{
        return PS_VERSION;
}

const char *patscan_error_text(const patscan_error *err, char *room, size_t size)
{
        size_t at = 0;

        if (size)
                *room = '\0';
        for (int i = err->n_causes; i-- > 0 && at < size;) {
                int n = snprintf(room + at, size - at, "%s%s", err->cause[i].text, i ? ": " : "");
                at += n > 0 ? (size_t)n : 0;
        }
        return room;
}

/* -- what is asked -- */

static void tell_listener(const ps_asked_terminal *terminal, ps_message_kind kind, const char *text)
{
        static const patscan_message_kind kinds[] = {[PS_MESSAGE_WARNING] = PATSCAN_MESSAGE_WARNING,
                                                     [PS_MESSAGE_LIMIT] = PATSCAN_MESSAGE_LIMIT,
                                                     [PS_MESSAGE_NOTE] = PATSCAN_MESSAGE_NOTE};
        const patscan_trace *trace = terminal->ctx;

        if (trace->listener)
                trace->listener(trace->listener_ctx, kinds[kind], text);
}

static ps_status take_ignored(ps_configured *to, const patscan_analyze_options *options, ps_arena *arena,
                              ps_error *err)
{
        ps_ignored *row = PS_ARENA_NEW(arena, ps_ignored, options->n_ignored + 1);
        const char **file = PS_ARENA_NEW(arena, const char *, PATSCAN_LIST);

        if (!row || !file)
                return PS_NOMEM(err, "ignored findings", options->n_ignored);
        for (size_t i = 0; i < options->n_ignored; i++)
                row[i] = (ps_ignored){ps_made_rows_copy(arena, options->ignored[i].site),
                                      ps_made_rows_copy(arena, options->ignored[i].reason),
                                      ps_made_rows_copy(arena, options->ignored[i].from)};
        while (to->n_files + 1 < PATSCAN_LIST && options->config[to->n_files]) {
                file[to->n_files] = ps_made_rows_copy(arena, options->config[to->n_files]);
                to->n_files++;
        }
        to->ignored = row;
        to->n_ignored = (uint32_t)options->n_ignored;
        to->file = file;
        to->says = ps_made_rows_copy(arena, options->config_says);
        for (size_t i = 0; i < options->n_ignored; i++)
                if (!row[i].site || !row[i].reason)
                        return PS_FAIL(err, PS_E_USAGE,
                                       "a finding that is ignored needs a site and a reason");
        return PS_OK;
}

ps_status ps_handle_ask(ps_options *out, const patscan_trace *trace, const patscan_analyze_options *options,
                        ps_arena *arena, ps_error *err)
{
        *out = trace ? trace->asked : (ps_options){.command = NULL};
        PS_TRY(ps_settings_take(out, PS_SETTINGS_ANALYZE, options, arena, err));
        if (options && options->size >= offsetof(patscan_analyze_options, config_says) + sizeof(char *))
                PS_TRY(take_ignored(&out->configured, options, arena, err));
        if (options && options->size >= offsetof(patscan_analyze_options, progress_ctx) + sizeof(void *)) {
                out->analysis.progress = options->progress;
                out->analysis.progress_ctx = options->progress_ctx;
        }
        return PS_OK;
}

/* -- loading -- */

ps_status ps_handle_open_options(patscan_trace *t, const patscan_open_options *options, ps_error *err)
{
        t->listener = options ? options->listener : NULL;
        t->listener_ctx = options ? options->listener_ctx : NULL;
        t->asked.terminal = (ps_asked_terminal){.verbose = 1, .tell = tell_listener, .ctx = t};
        t->asked.reports.interval_level = UINT32_MAX;
        PS_TRY(ps_settings_take(&t->asked, PS_SETTINGS_OPEN, options, t->arena, err));
        t->asked.load.clock_is_told = options && options->clock;
        t->asked.load.progress = options ? options->progress : NULL;
        t->asked.load.progress_ctx = options ? options->progress_ctx : NULL;
        return PS_OK;
}

/* The focus of a program is that of its predicted run, of which nothing is known yet. */
static ps_status put_focus_off(ps_options *asked, const char *path, const patscan_open_options *options,
                               ps_error *err)
{
        const ps_reader_class *format;

        if (!options || !options->for_programs)
                return PS_OK;
        PS_TRY(ps_reader_find(&format, path, err));
        if (ps_handle_is_program(format->name))
                asked->focus = (ps_asked_focus){.focus = NULL};
        return PS_OK;
}

static ps_status load_as_asked(patscan_trace *t, const char *path, const patscan_open_options *options,
                               const ps_opening *how, ps_error *err)
{
        const struct ps_piece_options pieces = {.most = PS_PIECES_MOST};

        PS_TRY(ps_handle_open_options(t, options, err));
        t->asked.arguments[0] = ps_made_rows_copy(t->arena, path);
        t->asked.n_arguments = 1;
        if (!t->asked.arguments[0])
                return PS_NOMEM(err, "path", 1);
        ps_load_options load = ps_asked_load_options(&t->asked);
        load.exchange = how->exchange;
        load.rows_may_stay = !t->asked.load.cache;
        load.rows_travel_below = how->rows_stay_from;
        load.rows_wanted = load.rows_may_stay ? how->rows_wanted : "--cache keeps a trace as a whole";
        ps_options asked = t->asked;
        PS_TRY(put_focus_off(&asked, path, options, err));
        load.call_stacks = options && options->call_stacks;
        load.pieces = options && options->lean ? NULL : &pieces;
        return ps_asked_read(&t->trace, &asked, path, &load, err);
}

ps_status ps_handle_is_whole(unsigned lacks, ps_error *err)
{
        unsigned more = ps_memory_lacks() - lacks;

        return more ? PS_NOMEM(err, "all that was asked for", more) : PS_OK;
}

static void summarize(patscan_trace *t)
{
        static const char *const trusts[] = {
                [PS_CLOCK_EXACT] = "exact", [PS_CLOCK_BOUNDED] = "bounded", [PS_CLOCK_UNKNOWN] = "unknown"};
        const ps_trace *trace = t->trace;
        ps_span focus = ps_focus_hull(&trace->measured);
        ps_options silent = t->asked;

        silent.terminal.tell = NULL;
        t->summary = (patscan_summary_row){
                .path = t->asked.arguments[0],
                .format = trace->format,
                .creator = ps_made_rows_text(ps_defs_str(&trace->defs, trace->defs.creator)),
                .processes = trace->defs.processes.n,
                .locations = trace->n_locs,
                .events = trace->n_events,
                .operations = trace->n_operations,
                .messages = trace->n_messages,
                .collectives = ps_share_n_collectives(trace),
                .issues = ps_issues_total(&trace->issues),
                .duration_s = ps_time_seconds(trace->measured.duration),
                .focus_begin_s = ps_time_seconds(focus.begin),
                .focus_end_s = ps_time_seconds(focus.end),
                .clock_resolution_hz = trace->defs.resolution_hz,
                .clock_violations = trace->clock.violations,
                .clock_trust = trusts[trace->clock.trust],
                .verdict = (patscan_verdict)ps_input_judge(&silent, trace->n_events, &trace->issues)};
}

ps_status ps_open_shared(patscan_trace **out, const char *path, const patscan_open_options *options,
                         const ps_opening *how, ps_error *err)
{
        unsigned lacks = ps_memory_lacks();
        *out = NULL;
        patscan_trace *t = calloc(1, sizeof(*t));
        if (!t)
                return PS_NOMEM(err, "trace", 1);
        t->arena = ps_arena_new();
        t->rows = ps_made_rows_new();
        pthread_mutex_init(&t->lock, NULL);
        ps_status status = t->arena && t->rows ? PS_OK : PS_NOMEM(err, "trace", 1);
        PS_THEN(status, load_as_asked(t, path, options, how, err));
        PS_THEN(status, ps_handle_is_whole(lacks, err));
        if (status != PS_OK) {
                patscan_close(t);
                return status;
        }
        summarize(t);
        *out = t;
        return PS_OK;
}

patscan_status patscan_open(patscan_trace **out, const char *path, const patscan_open_options *options,
                            patscan_error *err)
{
        return ps_open_shared(out, path, options, &(ps_opening){.rows_stay_from = UINT64_MAX}, err);
}

void patscan_close(patscan_trace *t)
{
        if (!t)
                return;
        ps_made_rows_free(t->rows);
        free(atomic_load(&t->messages));
        pthread_mutex_destroy(&t->lock);
        ps_trace_close(t->trace);
        ps_arena_free(t->arena);
        free(t);
}

const patscan_summary_row *patscan_summary(const patscan_trace *trace)
{
        return &trace->summary;
}
