/* input.c - see input.h. */
#include "library/run/input.h"
#include "core/base/blocks.h"
#include "core/base/text.h"
#include "core/model/trace.h"
#include "core/sums/damage.h"
#include "core/sums/overview.h"
#include "library/run/cached.h"
#include "library/run/focus.h"
#include "library/run/message.h"
#include "library/run/quantity.h"
#include "patterns/table/pattern.h"
#include "report/facts/report.h"
#include "report/print/text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Scalasca corrects no times unless it is told to. */
static ps_clock_mode clock_mode(const ps_options *options)
{
        if (options->analysis.definitions == PS_DEFINITIONS_SCALASCA && !options->load.clock_is_told)
                return PS_CLOCK_AS_IS;
        return (ps_clock_mode)options->load.clock;
}

ps_load_options ps_asked_load_options(const ps_options *options)
{
        return (ps_load_options){.n_threads = options->load.threads,
                                 .strict = options->load.strict != 0,
                                 .clock = clock_mode(options),
                                 .progress = options->load.progress,
                                 .progress_ctx = options->load.progress_ctx,
                                 .upc_flags = (ps_upc_flags)options->load.upc_flags,
                                 .call_stacks = options->reports.has_page};
}

ps_source_options ps_input_sources(const ps_asked_source *asked)
{
        return (ps_source_options){asked->roots.row, asked->roots.n, asked->maps.row, asked->maps.n};
}

static double seconds(void)
{
        struct timespec now;

        clock_gettime(CLOCK_MONOTONIC, &now);
        return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static void warn_of_clocks(const ps_options *options, const ps_trace *trace, ps_clock_mode clock)
{
        char worst[PS_NUMBER_ROOM];

        if (clock != PS_CLOCK_AS_IS || options->load.clock_is_told || !trace->clock.violations)
                return;
        ps_text_duration(worst, trace->clock.worst);
        ps_message_warn(
                &options->terminal,
                "some messages end before they begin, or collectives too early: messages=%" PRIu64
                ", collectives=%" PRIu64
                ", most=\"%s\"; --definitions scalasca leaves clocks as they are, --clock auto repairs them",
                trace->clock.message_violations, trace->clock.collective_violations, worst);
}

/* The first of several kinds of damage is named, and stands for all. */
void ps_input_warn(const ps_options *options, const char *path, const ps_issues *issues, uint64_t n_messages)
{
        ps_damage damage = ps_damage_of(issues, n_messages);
        bool is_refused = ps_issues_are_partial(issues) && !options->limits.allow_partial;
        char *quoted = ps_text_quoted_path(path);

        path = quoted ? quoted : path;
        if (damage.n_kinds)
                ps_message_warn(&options->terminal,
                                "the trace is damaged: issue=%s, count=%" PRIu64
                                ", kinds=%u; see \"patscan info %s\"%s",
                                ps_issue_infos[damage.first].name, issues->row[damage.first].count,
                                damage.n_kinds + (damage.lonely > 0), path,
                                is_refused ? "; part of it could not be read, which --allow-partial accepts"
                                           : "");
        else if (damage.lonely)
                ps_message_warn(&options->terminal,
                                "some messages have no partner: count=%" PRIu64 ", of=%" PRIu64
                                "; see \"patscan info %s\"",
                                damage.lonely, damage.messages, path);
        free(quoted);
}

/* The limit is the process's: who asks for none leaves it as it is. */
static ps_status limit_memory(uint64_t *bytes, const ps_options *options, ps_error *err)
{
        if (!options->load.memory)
                return PS_OK;
        PS_TRY(ps_size_parse(bytes, options->load.memory, "--memory", err));
        ps_blocks_limit(*bytes);
        return PS_OK;
}

ps_status ps_asked_read(ps_trace **out, const ps_options *options, const char *path,
                        const ps_load_options *how, ps_error *err)
{
        ps_load_options own = *how;
        ps_focus_wish wish;
        double before = seconds();
        PS_TRY(ps_focus_asked(&wish, options, err));
        own.focus = &wish;
        PS_TRY(limit_memory(&own.memory, options, err));
        PS_TRY(ps_cached_load(out, options, path, &own, err));
        ps_message_note(&options->terminal, "read %" PRIu64 " events in %.3f s", (*out)->n_events,
                        seconds() - before);
        ps_input_warn(options, path, &(*out)->issues, (*out)->n_messages);
        if (options->analysis.definitions == PS_DEFINITIONS_SCALASCA)
                warn_of_clocks(options, *out, how->clock);
        return PS_OK;
}

ps_exit ps_input_judge(const ps_options *options, uint64_t n_events, const ps_issues *issues)
{
        if (!n_events) {
                ps_message_warn(&options->terminal, "the trace holds no events");
                return PS_EXIT_PARTIAL;
        }
        if (!ps_issues_are_partial(issues) || options->limits.allow_partial)
                return PS_EXIT_OK;
        return PS_EXIT_PARTIAL; /* ps_input_warn has said so */
}

/* Parts that are missing, or that are not what they are taken for. */
static const char *missing_parts(const ps_trace *trace)
{
        static const struct {
                ps_issue_kind kind;
                const char *reason;
        } reasons[] = {{PS_I_LOCAL_DEFS_MISSING, "local definitions are missing"},
                       {PS_I_FILE_SWAPPED, "the files of some locations seem to be swapped"},
                       {PS_I_FILE_COPIED, "a file seems to be a copy of another location's"}};

        for (size_t i = 0; i < sizeof(reasons) / sizeof(reasons[0]); i++)
                if (trace->issues.row[reasons[i].kind].count)
                        return reasons[i].reason;
        return ps_damage_of(&trace->issues, trace->n_messages).lonely
                       ? "more than 1 % of the messages have no partner"
                       : NULL;
}

bool ps_input_distrusts(const ps_options *options, const ps_trace *trace, int on_waits)
{
        const char *missing = options->limits.allow_partial ? NULL : missing_parts(trace);
        int takes_clocks = options->load.clock == PS_CLOCK_AS_IS && options->load.clock_is_told;

        if (missing) {
                ps_message_warn(&options->terminal,
                                "the limits cannot be trusted: %s; --allow-partial checks them all the same",
                                missing);
                return 1;
        }
        if (on_waits && trace->clock.trust == PS_CLOCK_UNKNOWN && !takes_clocks) {
                ps_message_warn(&options->terminal,
                                "the limits cannot be trusted, because nobody knows how far the clocks of "
                                "the processes disagree; --clock as-is takes them as they are");
                return 1;
        }
        if (on_waits && trace->clock.trust == PS_CLOCK_BOUNDED)
                ps_message_warn(
                        &options->terminal,
                        "the clocks are known only within bounds: limits are checked on the likely values");
        return 0;
}

ps_status ps_input_reports(const ps_options *options,
                           ps_status (*write)(const void *what, const ps_report_request *request,
                                              ps_output *out, ps_error *err),
                           const void *what, ps_error *err)
{
        ps_status status = PS_OK;

        for (unsigned i = 0; i < options->reports.n && status == PS_OK; i++) {
                const ps_report_request *request = &options->reports.row[i];
                ps_output *out;
                double before = seconds();
                status = ps_output_open(&out, request->file, (ps_color_mode)options->terminal.color, err);
                if (status != PS_OK)
                        break;
                status = write(what, request, out, err);
                if (status != PS_OK)
                        ps_output_discard(out);
                else
                        status = ps_output_commit(out, err);
                if (status == PS_OK)
                        ps_message_note(&options->terminal, "wrote the report \"%s\" in %.3f s",
                                        request->name, seconds() - before);
        }
        return status;
}

/* -- what is asked for where it is not there -- */

ps_status ps_refuse(const ps_options *o, const char *names, const char *reason, ps_error *err)
{
        const struct {
                const char *name;
                bool is_asked;
        } options[] = {{"fail-on", o->limits.fail_on.n > 0},
                       {"baseline", o->limits.baseline != NULL},
                       {"sensitivity", o->predict.sensitivity != 0},
                       {"gains", o->predict.gains != NULL},
                       {"causes", o->predict.causes != NULL},
                       {"rank-by", o->reports.rank_by != 0},
                       {"max-drift", o->predict.max_drift != NULL},
                       {"grid", o->machine.grid != NULL},
                       {"procs", o->machine.procs != NULL},
                       {"distribute", o->predict.distribute.n > 0},
                       {"pipelining", o->machine.pipelining_is_told},
                       {"focus", o->focus.focus != NULL},
                       {"from", o->focus.from != NULL},
                       {"to", o->focus.to != NULL},
                       {"ranks", o->focus.ranks != NULL}};
        for (size_t i = 0; i < sizeof(options) / sizeof(*options); i++)
                if (options[i].is_asked &&
                    ps_choice_find(names, options[i].name, strlen(options[i].name)) >= 0)
                        return PS_FAIL(err, PS_E_USAGE, "--%s has no effect here: %s", options[i].name,
                                       reason);
        return PS_OK;
}

static const char table_formats[] = "text|json|csv|html|markdown";

int ps_table_format(const char *name)
{
        return ps_choice_find(table_formats, name, strlen(name));
}

ps_status ps_refuse_format(const char *format, ps_error *err)
{
        return PS_FAIL(err, PS_E_USAGE,
                       "this report cannot show several predictions: value=\"%.60s\", choices=\"%s\"", format,
                       table_formats);
}

ps_status ps_refuse_other_formats(const ps_options *o, ps_error *err)
{
        for (unsigned i = 0; i < o->reports.n; i++) {
                const ps_report_request *request = &o->reports.row[i];
                if (request->table || ps_table_format(ps_report_formats[request->format].name) < 0)
                        return ps_refuse_format(request->text, err);
        }
        return PS_OK;
}
