/* analysis.c - see analysis.h. */
#include "library/run/analysis.h"
#include "core/load/profiled.h"
#include "core/load/share.h"
#include "core/model/focus.h"
#include "library/gains/fixes.h"
#include "library/run/input.h"
#include "library/run/message.h"
#include "library/run/request.h"
#include "patterns/engine/intervals.h"
#include "reader/reader.h"
#include "report/subjects/profile.h"
#include "simulator/network/network.h"

#include <inttypes.h>
#include <string.h>

/* -- stages -- */

enum { PATTERNS, CAUSES, SUMS, REPLAY, REPORT, GAINS, FIXES, STAGES };

/* About how much of the work each of them is, and what is said when it is over; NULL: it speaks for itself.
 */
static const struct {
        unsigned share;
        const char *said;
} stages[STAGES] = {[PATTERNS] = {5, "found patterns of waiting"},
                    [CAUSES] = {4, "found who caused them"},
                    [SUMS] = {2, "summed up intervals and functions"},
                    [REPLAY] = {2, "replayed the run with messages that cost nothing"},
                    [REPORT] = {1, "made the report"},
                    [GAINS] = {2, "replayed the run without what findings lose"},
                    [FIXES] = {2, NULL}};

/* How much longer it is since, in milliseconds. */
static double ms_since(const struct timespec *before)
{
        struct timespec now;

        clock_gettime(CLOCK_MONOTONIC, &now);
        return (double)(now.tv_sec - before->tv_sec) * 1e3 + (double)(now.tv_nsec - before->tv_nsec) / 1e6;
}

static unsigned shares_of(unsigned n)
{
        unsigned sum = 0;

        for (unsigned i = 0; i < n; i++)
                sum += stages[i].share;
        return sum;
}

/* So far has the stage at hand got. */
static int tell_share(void *ctx, uint64_t done, uint64_t total)
{
        enum { PARTS = 1000 }; /* of a share */
        const ps_stages *s = ctx;
        const ps_asked_analysis *asked = &s->options->analysis;
        double share = done < total ? (double)done / (double)total : 1;
        uint64_t here = (uint64_t)(share * PARTS * stages[s->n_done].share);

        return asked->progress
                       ? asked->progress(asked->progress_ctx, (uint64_t)PARTS * shares_of(s->n_done) + here,
                                         (uint64_t)PARTS * shares_of(STAGES))
                       : 0;
}

static ps_status end_stage(ps_stages *s, bool was_needed, ps_error *err)
{
        if (was_needed && stages[s->n_done].said)
                ps_message_note(&s->options->terminal, "%s in %.1f ms", stages[s->n_done].said,
                                ms_since(&s->since));
        clock_gettime(CLOCK_MONOTONIC, &s->since);
        if (tell_share(s, 1, 1))
                return PS_FAIL(err, PS_E_CANCELLED, "the analysis was cancelled: stage=%u, stages=%d",
                               s->n_done + 1, STAGES);
        s->n_done++;
        return PS_OK;
}

static bool wants_profile(const ps_asked_reports *asked)
{
        for (unsigned i = 0; i < asked->n; i++)
                if (ps_request_wants_profile(&asked->row[i]))
                        return true;
        return false;
}

/* Trees of one trace and the same names have the same intervals, whatever the times are. */
static ps_status split_intervals(ps_intervals *tree, const ps_options *options, const ps_trace *trace,
                                 const ps_timing *ideal, ps_error *err)
{
        ps_intervals *of = NULL;
        ps_status status =
                ps_intervals_of(&of, trace, ideal, NULL, options->reports.intervals.row,
                                options->reports.intervals.n, ps_plan_threads(options, trace), err);

        if (status == PS_OK)
                ps_intervals_split(tree, of);
        ps_intervals_free(of);
        return status;
}

/* What a replay in which messages cost nothing says of the time in communication: of the whole run, and of
 * its intervals. */
static ps_status take_split(ps_analysed *w, const ps_options *options, const ps_replays *replays,
                            ps_error *err)
{
        const ps_replayed *ideal = &replays->run[PS_REPLAYED_IDEAL];

        if (ideal->stuck) {
                ps_message_warn(&options->terminal,
                                "what fixes gain is not known: a replay of the run ends in a deadlock");
                return PS_OK;
        }
        w->ideal = ideal->timing && ideal->timing->focus ? ideal->timing->focus->length : ideal->total;
        return w->intervals ? split_intervals(w->intervals, options, replays->trace, ideal->timing, err)
                            : PS_OK;
}

/* Does the focus leave a part of the run out? */
static bool is_cut(const ps_trace *trace)
{
        return trace->measured.focus && trace->measured.focus->part;
}

/* Of a measured run the times are gone before the report needs its memory. */
static ps_status split_communication(ps_analysed *w, ps_plan *p, const ps_options *options,
                                     const ps_trace *trace, ps_error *err)
{
        ps_status status;

        if (p->gains == PS_GAINS_AUTO)
                p->gains = ps_gains_unasked(trace->n_operations, w->analysis->n_findings);
        if (p->replays)
                return take_split(w, options, p->replays, err);
        status = ps_replays_make_ideal(&w->replays, trace, w->intervals || is_cut(trace),
                                       ps_plan_threads(options, trace), err);
        if (status == PS_E_USAGE) { /* the analysis does not depend on it */
                ps_message_warn(&options->terminal, "what fixes gain is not known: %s", err->cause[0].text);
                *err = (ps_error){0};
                status = PS_OK;
        } else if (status == PS_OK) {
                status = take_split(w, options, &w->replays, err);
        }
        ps_replays_clear_runs(&w->replays);
        if (!p->gains && !(w->waits && ps_plan_fixes(p, trace->n_operations)))
                ps_replays_clear(&w->replays);
        return status;
}

static ps_status put_fixes(ps_analysed *w, const ps_plan *p, const ps_options *options, const ps_trace *trace,
                           ps_error *err)
{
        const ps_replays *replays = p->replays ? p->replays : &w->replays;
        const ps_fixes_options how = {.most = ps_plan_fixes(p, trace->n_operations),
                                      .all = p->all_fixes != 0,
                                      .n_threads = p->how.n_threads,
                                      .found = {&p->how, w->waits}};
        struct timespec before;
        uint32_t n_tried = 0;

        if (!w->waits || !replays->replay || !how.most)
                return PS_OK;
        clock_gettime(CLOCK_MONOTONIC, &before);
        PS_TRY(ps_fixes_put(w->report, &w->blame, replays, &how, &n_tried, err));
        ps_message_note(&options->terminal,
                        "what fixes gain: %" PRIu32 " replays of %" PRIu64 " operations in %.1f ms", n_tried,
                        trace->n_operations, ms_since(&before));
        return PS_OK;
}

/* Then waits are looked up again in their log. */
static bool asks_for_gains(const ps_analysed *w, const ps_plan *p, uint64_t n_operations)
{
        uint32_t gains = p->gains == PS_GAINS_AUTO ? ps_gains_unasked(n_operations, w->analysis->n_findings)
                                                   : p->gains;
        return gains || ps_plan_fixes(p, n_operations);
}

/* The patterns, and the waits from which causes are found. */
static ps_status find_patterns(ps_analysed *w, const ps_plan *p, const ps_options *options,
                               const ps_trace *trace, const ps_timing *timing, ps_error *err)
{
        ps_analysis_options how = p->how;
        how.progress = tell_share;
        how.progress_ctx = &w->stages;
        if (ps_plan_wants_causes(p, options)) {
                PS_TRY(ps_focus_check_sums(timing, trace->n_locs, err));
                PS_TRY(ps_wait_log_new(&w->waits, trace, err));
                ps_wait_log_listen(w->waits, &how);
        }
        PS_TRY(ps_analyse(&w->analysis, trace, timing, &how, err));
        return end_stage(&w->stages, true, err);
}

static bool wants_chains(const ps_options *options)
{
        bool wants = false;
        for (unsigned i = 0; i < options->reports.n && !wants; i++)
                wants = ps_request_wants_chains(&options->reports.row[i]);
        return wants;
}

/* Nothing more is asked of other processes, unless what they have is for reports to go through. */
static void let_others_go(const ps_options *options, const ps_trace *trace)
{
        if (!ps_plan_borrows_rows(options) || !ps_share_is_apart(trace, &trace->measured))
                ps_share_forget(trace);
}

static ps_status find_causes(ps_analysed *w, const ps_plan *p, const ps_options *options,
                             const ps_trace *trace, const ps_timing *timing, ps_error *err)
{
        if (!ps_share_is_apart(trace, timing) && (w->waits || !wants_profile(&options->reports)))
                ps_share_forget(trace);
        if (w->waits) {
                const ps_blame_options blame = {.n_threads = p->how.n_threads,
                                                .takes_log = !asks_for_gains(w, p, trace->n_operations),
                                                .tells_chains = wants_chains(options)};
                PS_TRY(ps_blame_find(&w->blame, trace, timing, w->waits, w->analysis, &blame, err));
        }
        return end_stage(&w->stages, w->waits != NULL, err);
}

/* What a prediction of the same run must be told, too, to say the same. */
static void repeat_options(ps_report_settings *settings, const ps_options *options)
{
        static const char *const clocks[] = {
                [PS_CLOCK_AUTO] = NULL, [PS_CLOCK_AS_IS] = "as-is", [PS_CLOCK_REPAIR] = "repair"};
        static const char *const definitions[] = {[PS_DEFINITIONS_PATSCAN] = NULL,
                                                  [PS_DEFINITIONS_SCALASCA] = "scalasca",
                                                  [PS_DEFINITIONS_PAPER] = "paper"};
        const struct {
                const char *option, *value;
        } asked[PS_AGAIN_MOST / 2] = {
                {"--clock", clocks[options->load.clock]},
                {"--definitions", definitions[options->analysis.definitions]},
                {"--focus", options->focus.focus},
                {"--from", options->focus.from},
                {"--to", options->focus.to},
                {"--ranks", options->focus.ranks},
                {"--epsilon", options->analysis.epsilon},
        };
        /* Who records a program means what is recorded by the part of the run that he names. */
        for (unsigned i = 0; i < (options->program ? 2 : PS_AGAIN_MOST / 2); i++)
                if (asked[i].value) {
                        settings->again[settings->n_again++] = asked[i].option;
                        settings->again[settings->n_again++] = asked[i].value;
                }
}

/* A network that a page is to draw has room for all processes. */
static ps_status check_network(const ps_options *options, const ps_trace *trace, ps_error *err)
{
        ps_network *network = NULL;
        if (!options->machine.network || !(options->reports.has_page || options->reports.are_open))
                return PS_OK;
        PS_TRY(ps_network_open(&network, options->machine.network, trace->defs.processes.n, err));
        ps_network_free(network);
        return PS_OK;
}

ps_status ps_plan_analyse(ps_analysed *w, ps_plan *p, const ps_options *options, const ps_trace *trace,
                          const ps_timing *timing, ps_error *err)
{
        ps_source_options where = ps_input_sources(&options->source);
        ps_report_settings settings = {
                .trace_path = options->arguments[0],
                .is_predicted = p->is_predicted,
                .prediction = p->prediction,
                .source_root = options->source.roots.n ? options->source.roots.row[0] : NULL,
                .baseline = options->limits.baseline,
                .configured = &options->configured,
                .top = options->reports.top,
                .left_out = p->selection.left_out,
                .options = &p->how,
                .beside = p->beside,
                .network = options->machine.network,
                .is_extra = options->reports.has_extra,
                .stacks = p->stacks && ps_stacks_are_of(p->stacks, trace) ? p->stacks : NULL,
                .rank_by = (ps_rank_by)options->reports.rank_by};

        repeat_options(&settings, options);
        *w = (ps_analysed){.stages.options = options};
        clock_gettime(CLOCK_MONOTONIC, &w->stages.since);
        ps_plan_settle(p, options, trace, timing);
        if (p->has_eager || p->how.definitions == PS_DEFINITIONS_PAPER)
                settings.eager_bytes = &p->eager_bytes;
        PS_TRY(check_network(options, trace, err));
        PS_TRY(find_patterns(w, p, options, trace, timing, err));
        if (!p->intervals)
                PS_TRY(ps_intervals_of(&w->intervals, trace, timing, w->analysis,
                                       options->reports.intervals.row, options->reports.intervals.n,
                                       ps_plan_threads(options, trace), err));
        PS_TRY(find_causes(w, p, options, trace, timing, err));
        if (wants_profile(&options->reports))
                PS_TRY(ps_profile_make_fine_all(&w->profile, trace, timing, err));
        settings.profile = w->profile;
        settings.intervals = p->intervals ? p->intervals : w->intervals;
        settings.interval_levels = options->reports.interval_level;
        PS_TRY(end_stage(&w->stages, true, err));
        if (p->splits)
                PS_TRY(split_communication(w, p, options, trace, err));
        PS_TRY(end_stage(&w->stages, p->splits && !p->replays, err));
        PS_TRY(ps_sources_new(&w->sources, trace, &where, err));
        PS_TRY(ps_report_new(&w->report, trace, timing, w->analysis, w->sources, &settings, err));
        if (w->waits)
                PS_TRY(ps_blame_tell(&w->blame, w->report, err));
        if (wants_chains(options) || ps_plan_borrows_rows(options))
                PS_TRY(ps_report_bring_worst(w->report, err));
        let_others_go(options, trace);
        if (w->ideal)
                ps_efficiency_split(&w->report->efficiency, ps_focus_length(timing), w->ideal);
        if (options->limits.baseline)
                ps_baseline_mark(&p->baseline, w->report);
        if (options->limits.baseline && w->waits)
                ps_baseline_mark_causes(&p->baseline, &w->blame);
        return end_stage(&w->stages, true, err);
}

void ps_analysed_clear(ps_analysed *w)
{
        ps_replays_clear(&w->replays);
        ps_report_free(w->report);
        ps_blame_clear(&w->blame);
        ps_wait_log_free(w->waits);
        ps_sources_free(w->sources);
        ps_profile_free(w->profile);
        ps_intervals_free(w->intervals);
        ps_analysis_free(w->analysis);
        *w = (ps_analysed){0};
}

ps_status ps_plan_write(const void *report, const ps_report_request *request, ps_output *out, ps_error *err)
{
        if (!request->table)
                return ps_report_formats[request->format].write(report, out, err);
        ps_record_write_csv(out, request->document, request->table, NULL, report);
        return PS_OK;
}

void ps_plan_judge_limits(ps_report_limit limits[PS_GATES_MAX], const ps_gates *gates, ps_report *report)
{
        for (unsigned i = 0; i < gates->n; i++) {
                limits[i].text = gates->row[i].text;
                limits[i].verdict = ps_gate_judge(&gates->row[i], report, limits[i].told);
        }
        report->settings.limits = limits;
        report->settings.n_limits = gates->n;
}

/* What was not analysed, or only in part, passes no limit: that verdict comes first. */
ps_exit ps_plan_judge(const ps_options *options, const ps_plan *p, const ps_report *report)
{
        const ps_trace *trace = report->trace;
        ps_exit code = ps_input_judge(options, trace->n_events, &trace->issues);

        if (code == PS_EXIT_OK && !trace->n_operations) {
                const ps_reader_class *format = ps_reader_named(trace->format);
                const char *instead = format && !p->is_predicted ? format->instead : NULL;

                ps_message_warn(&options->terminal, "nothing was analysed: the trace holds no operations%s%s",
                                instead ? "; " : "", instead ? instead : "");
                code = PS_EXIT_PARTIAL;
        }
        if (p->gates.n && ps_input_distrusts(options, trace, ps_gates_are_on_waits(&p->gates)))
                code = code == PS_EXIT_OK ? PS_EXIT_PARTIAL : code;
        bool is_unknown = 0, is_hit = 0;
        for (unsigned i = 0; i < report->settings.n_limits; i++) {
                const ps_report_limit *limit = &report->settings.limits[i];
                is_unknown |= limit->verdict == PS_LIMIT_UNKNOWN;
                is_hit |= limit->verdict == PS_LIMIT_HIT;
                if (limit->verdict == PS_LIMIT_UNKNOWN)
                        ps_message_warn(&options->terminal, "the limit cannot be judged: %s", limit->told);
                if (limit->verdict == PS_LIMIT_HIT)
                        ps_message_limit(&options->terminal, limit->told);
        }
        if (code == PS_EXIT_OK && (is_unknown || is_hit))
                code = is_unknown ? PS_EXIT_PARTIAL : PS_EXIT_GATE;
        return code;
}

ps_status ps_plan_make_report(ps_analysed *w, ps_plan *p, const ps_options *options, const ps_trace *trace,
                              ps_error *err)
{
        p->splits = p->replays || ((!p->is_predicted || p->is_recording) && !p->timing &&
                                   ps_plan_replays(p, options, trace->n_operations));
        PS_TRY(ps_plan_analyse(w, p, options, trace, p->timing ? p->timing : &trace->measured, err));
        if (p->gains && w->ideal)
                PS_TRY(ps_gains_put(w->report, p->replays ? p->replays : &w->replays, p->removed,
                                    &(ps_removals_source){&p->how, w->waits}, p->gains, err));
        PS_TRY(end_stage(&w->stages, p->gains && w->ideal, err));
        PS_TRY(put_fixes(w, p, options, trace, err));
        PS_TRY(end_stage(&w->stages, false, err));
        ps_report_rank(w->report);
        return PS_OK;
}

ps_status ps_plan_carry_out(ps_plan *p, const ps_options *options, const ps_trace *trace, ps_exit *code,
                            ps_error *err)
{
        ps_analysed w;
        ps_report_limit limits[PS_GATES_MAX];
        ps_status status = ps_plan_make_report(&w, p, options, trace, err);

        if (status == PS_OK)
                ps_plan_judge_limits(limits, &p->gates, w.report);
        PS_THEN(status, ps_input_reports(options, ps_plan_write, w.report, err));
        ps_share_forget(trace);
        if (status == PS_OK)
                *code = ps_plan_judge(options, p, w.report);
        ps_analysed_clear(&w);
        return status;
}

ps_status ps_plan_open_stacks(ps_plan *p, const ps_options *options, const ps_trace *trace, const char *path,
                              ps_error *err)
{
        const ps_reader_class *format = ps_reader_named(trace->format);
        ps_status status = format ? ps_stacks_new(&p->stacks, trace, format, path, err) : PS_OK;
        if (status != PS_E_INPUT)
                return status;
        ps_message_warn(&options->terminal, "the page has no call stacks: %s", err->cause[0].text);
        *err = (ps_error){0};
        return PS_OK;
}
