/* lanes.c - see lanes.h.
 *
 * Operations and the gaps between them make stretches one after the other; the waits, which are known by
 * their times, are laid over them. */
#include "report/page/own.h"

#include "core/base/memory.h"
#include "core/base/search.h"
#include "core/model/pieces.h"
#include "core/model/unexplained.h"

#include <stdlib.h>

/* -- what it is to be somewhere -- */

static ps_lane_state state_of(const ps_trace *trace, ps_path path, uint8_t kind)
{
        static const ps_lane_state states[PS_TIME_KINDS] = {[PS_TIME_COMPUTATION] = PS_LANE_COMPUTES,
                                                            [PS_TIME_WAITING] = PS_LANE_WAITS_ALL,
                                                            [PS_TIME_TRANSFER] = PS_LANE_TRANSFERS,
                                                            [PS_TIME_LIBRARY] = PS_LANE_LIBRARY,
                                                            [PS_TIME_UNEXPLAINED] = PS_LANE_UNEXPLAINED,
                                                            [PS_TIME_RUNTIME] = PS_LANE_RUNTIME,
                                                            [PS_TIME_NOT_RUNNING] = PS_LANE_NOT_RUNNING,
                                                            [PS_TIME_FILES] = PS_LANE_FILES,
                                                            [PS_TIME_DEVICE] = PS_LANE_DEVICE};
        const ps_region_def *region = ps_path_region(trace, path);
        uint8_t op = region ? region->kind : PS_K_NONE;
        bool is_collective = kind == PS_TIME_TRANSFER && op < PS_K_COUNT && ps_kinds[op].cls == PS_C_COLL;
        return is_collective ? PS_LANE_COLLECTIVE : states[kind];
}

ps_status ps_lanes_make(ps_lanes *out, const ps_report *report, const ps_sites *sites, ps_lanes_of what,
                        ps_error *err)
{
        const ps_trace *trace = report->trace;
        *out = (ps_lanes){.report = report, .sites = sites};
        if (!report->settings.options)
                return PS_FAIL(err, PS_E_INTERNAL, "the analysis cannot be repeated: format=html");
        out->waits = ps_memory_zeroed(trace->n_locs + (size_t)1, sizeof(*out->waits));
        out->state_of_path = ps_memory_zeroed(trace->n_paths + (size_t)1, 1);
        if (!out->waits || !out->state_of_path)
                return PS_NOMEM(err, "call paths", trace->n_paths);
        PS_TRY(ps_times_of_paths(&out->kind_of_path, trace, err));
        for (ps_path path = 0; path < trace->n_paths; path++)
                out->state_of_path[path] = (uint8_t)state_of(trace, path, out->kind_of_path[path]);
        PS_TRY(ps_loans_new(&out->loans, err));
        return ps_lanes_gather_waits(out, what, err);
}

void ps_lanes_clear(ps_lanes *lanes)
{
        for (ps_loc loc = 0; lanes->waits && loc < lanes->report->trace->n_locs; loc++)
                free(lanes->waits[loc].row);
        free(lanes->waits);
        ps_lanes_forget_waits(lanes);
        ps_loans_free(lanes->loans);
        free(lanes->kind_of_path);
        free(lanes->state_of_path);
        *lanes = (ps_lanes){0};
}

/* -- a walk -- */

struct walk {
        const ps_lanes *lanes;
        ps_loan *loan;
        ps_loc loc;
        ps_time now;   /* up to where there are stretches */
        uint32_t wait; /* the next one */
        ps_lane_stretch last;
        ps_op op, shown; /* where the walk is; the last one that had a stretch */
        bool has_last;
        ps_span span; /* what is wanted */
        ps_lane_sink *sink;
        void *ctx;
};

static void end_last(struct walk *w)
{
        ps_lane_stretch *s = &w->last;
        if (!w->has_last || s->end < w->span.begin || s->begin > w->span.end)
                return;
        s->begin = s->begin > w->span.begin ? s->begin : w->span.begin;
        s->end = s->end < w->span.end ? s->end : w->span.end;
        w->sink(w->ctx, s);
}

static void put_stretch(struct walk *w, ps_lane_stretch s)
{
        ps_lane_stretch *last = &w->last;
        if (w->has_last && last->state == s.state && last->path == s.path && last->op == s.op &&
            last->partner == s.partner && last->finding == s.finding && last->pattern == s.pattern) {
                last->end = s.end;
                return;
        }
        end_last(w);
        w->has_last = true;
        w->shown = s.op == PS_NONE ? w->shown : s.op;
        *last = s;
}

static ps_lane_stretch waiting(const ps_lane_wait *wait, ps_lane_stretch s)
{
        s.end = wait->end < s.end ? wait->end : s.end;
        s.partner = wait->partner;
        s.finding = wait->finding;
        s.pattern = wait->pattern;
        s.state = wait->state == PS_LANE_STATES ? s.state : (ps_lane_state)wait->state;
        return s;
}

/* From where the walk is to `end`, with the waits that lie in it. */
static void go_on(struct walk *w, ps_time end, ps_path path, ps_lane_state state)
{
        const ps_lane_waits *waits = &w->lanes->waits[w->loc];
        while (w->now < end) {
                while (w->wait < waits->n && waits->row[w->wait].end <= w->now)
                        w->wait++;
                const ps_lane_wait *next = w->wait < waits->n ? &waits->row[w->wait] : NULL;
                ps_lane_stretch s = {w->now, end, path, w->op, PS_NONE, PS_NONE, PS_NONE, state};
                if (next && next->begin <= w->now)
                        s = waiting(next, s);
                else if (next && next->begin < end)
                        s.end = next->begin;
                put_stretch(w, s);
                w->now = s.end;
        }
}

/* What the trace does not explain of a call is all that no wait is known of. */
static ps_lane_state state_of_call(const struct walk *w, ps_op op)
{
        const ps_ops *ops = &w->lanes->report->trace->ops[w->loc];
        return ps_loan_is_unexplained(w->loan, op)
                       ? PS_LANE_UNEXPLAINED
                       : (ps_lane_state)w->lanes->state_of_path[ps_op_path(ops, op)];
}

/* In an operation; one without time is there, too, and so are all rows of a call: the last one has its time.
 */
static void go_on_with(struct walk *w, ps_op op, ps_time end)
{
        ps_path path = ps_op_path(&w->lanes->report->trace->ops[w->loc], op);
        ps_lane_state state = state_of_call(w, op);
        w->op = op;
        go_on(w, end, path, state);
        if (w->shown != op)
                put_stretch(w, (ps_lane_stretch){w->now, w->now, path, op, PS_NONE, PS_NONE, PS_NONE, state});
        w->op = PS_NONE;
}

/* Outside of all regions a process computes; its further threads have nothing to do, as ps_times has it. */
static void go_on_in(struct walk *w, ps_time end, ps_path path)
{
        bool is_further = w->lanes->report->trace->defs.locations.row[w->loc].thread != 0;
        go_on(w, end, path,
              path == 0 && is_further ? PS_LANE_NOT_RUNNING : (ps_lane_state)w->lanes->state_of_path[path]);
}

/* The deepest path that both are below. */
static ps_path common_path(const ps_trace *trace, ps_path a, ps_path b)
{
        while (a != b) {
                ps_path *deeper = a > b ? &a : &b; /* parents have smaller indices */
                *deeper = trace->paths[*deeper].parent;
        }
        return a;
}

/* Nobody noted what was computed: then it was in what calls both operations. */
static ps_path path_of_gap(const ps_trace *trace, ps_loc loc, ps_op gap)
{
        uint32_t n = trace->ops[loc].n;
        ps_path before = gap ? ps_op_caller(trace, (ps_ref){loc, gap - 1}) : PS_NONE;
        ps_path behind = gap < n ? ps_op_caller(trace, (ps_ref){loc, gap}) : before;
        return n ? common_path(trace, gap ? before : behind, behind) : 0;
}

/* The pieces of a gap are as long as they were measured, one after the other; in another timing they are
 * longer or shorter by the same factor. */
static void go_through_gap(struct walk *w, ps_op gap, ps_time end)
{
        const ps_trace *trace = w->lanes->report->trace;
        const ps_pieces *pieces = trace->pieces ? &trace->pieces[w->loc] : NULL;
        ps_time begin = w->now, sum = 0, so_far = 0;
        uint32_t first = pieces ? ps_pieces_first(pieces, gap) : 0, behind = pieces ? pieces->end[gap] : 0;
        if (begin >= end)
                return;
        for (uint32_t i = first; i < behind; i++)
                sum = ps_time_add(sum, pieces->piece[i].time);
        for (uint32_t i = first; i < behind; i++) {
                const ps_piece *piece = &pieces->piece[i];
                so_far = ps_time_add(so_far, piece->time);
                ps_time until =
                        so_far == sum ? end
                        : sum == end - begin
                                ? begin + so_far
                                : begin + (ps_time)((double)(end - begin) * ((double)so_far / (double)sum));
                if (piece->path == PS_NONE)
                        go_on(w, until, 0, PS_LANE_NOT_RUNNING);
                else
                        go_on_in(w, until, piece->path);
        }
        if (w->now < end)
                go_on_in(w, end, path_of_gap(trace, w->loc, gap));
}

uint32_t ps_lanes_operations(const ps_lanes *lanes, ps_loc loc, ps_span span, ps_op *first)
{
        return ps_rows_of_span(lanes->report->timing->enter[loc], lanes->report->trace->ops[loc].n, span,
                               first);
}

/* Up to where there are stretches before the operation: see go_on_with. */
static ps_time end_before(const ps_timing *timing, ps_loc loc, ps_op op)
{
        ps_time end = timing->leave[loc][op - 1];
        return end < timing->enter[loc][op] ? end : timing->enter[loc][op];
}

/* The first wait that has not ended by then. */
static uint32_t wait_at(const ps_lane_waits *waits, ps_time now)
{
        uint32_t low = 0;
        PS_SEARCH(low, waits->n, i, waits->row[i].end <= now)
        return low;
}

/* Those that begin before that are at hand then. */
static ps_status reach_waits(struct walk *w, ps_time until, ps_error *err)
{
        return ps_loan_is_away(w->loan) ? ps_lanes_fetch_waits(w->lanes, w->loc, w->now, until, &w->wait, err)
                                        : PS_OK;
}

static ps_status walk_operations(struct walk *w, ps_error *err)
{
        const ps_timing *timing = w->lanes->report->timing;
        ps_loc loc = w->loc;
        uint32_t n_ops = w->lanes->report->trace->ops[loc].n;
        for (ps_op op = w->loan->first; op < w->loan->behind; op++) {
                PS_TRY(ps_loan_reach(w->loan, op, err));
                ps_time end = timing->leave[loc][op];
                if (op + 1 < n_ops && timing->enter[loc][op + 1] < end)
                        end = timing->enter[loc][op + 1]; /* what is inside of it comes first */
                PS_TRY(reach_waits(w, end > timing->enter[loc][op] ? end : timing->enter[loc][op], err));
                go_through_gap(w, op, timing->enter[loc][op]);
                go_on_with(w, op, end);
        }
        return PS_OK;
}

static ps_status walk_rows(struct walk *w, ps_error *err)
{
        const ps_report *report = w->lanes->report;
        const ps_timing *timing = report->timing;
        const ps_location_info *info = ps_timing_info(report->trace, timing, w->loc);
        ps_op first = w->loan->first, behind = w->loan->behind;
        if (info->first <= info->last) {
                w->now = first ? end_before(timing, w->loc, first) : 0;
                PS_TRY(reach_waits(w, first ? w->now : info->first, err));
                w->wait = wait_at(&w->lanes->waits[w->loc], w->now);
                if (!first)
                        go_on(w, info->first, 0, PS_LANE_NOT_RUNNING);
                PS_TRY(walk_operations(w, err));
                ps_time end =
                        behind < report->trace->ops[w->loc].n ? timing->enter[w->loc][behind] : info->last;
                PS_TRY(reach_waits(w, end, err));
                go_through_gap(w, behind, end);
        }
        if (w->now < w->span.end) {
                PS_TRY(reach_waits(w, timing->duration, err));
                go_on(w, timing->duration, 0, PS_LANE_NOT_RUNNING);
        }
        end_last(w);
        return PS_OK;
}

static ps_status take_location(struct walk *w, ps_error *err)
{
        const ps_report *report = w->lanes->report;
        PS_TRY(ps_loan_take(w->loan, w->lanes->loans, report->trace, report->timing, w->loc, &w->span, err));
        if (ps_loan_is_away(w->loan))
                ps_lanes_begin_waits(w->lanes, w->loc);
        return PS_OK;
}

static void return_location(struct walk *w)
{
        if (ps_loan_is_away(w->loan))
                ps_lanes_end_waits(w->lanes, w->loc);
        ps_loan_return(w->loan);
}

static ps_status walk_location(struct walk *w, ps_error *err)
{
        w->op = w->shown = PS_NONE;
        ps_status status = take_location(w, err);
        PS_THEN(status, walk_rows(w, err));
        return_location(w);
        return status;
}

ps_status ps_lanes_walk_span(const ps_lanes *lanes, ps_loc loc, ps_span span, ps_lane_sink *sink, void *ctx,
                             ps_error *err)
{
        ps_loan loan;
        struct walk w = {.lanes = lanes, .loan = &loan, .loc = loc, .span = span, .sink = sink, .ctx = ctx};
        return walk_location(&w, err);
}

ps_status ps_lanes_walk(const ps_lanes *lanes, ps_loan *loan, ps_loc loc, ps_lane_sink *sink, void *ctx,
                        ps_error *err)
{
        struct walk w = {
                .lanes = lanes, .loan = loan, .loc = loc, .span = {0, PS_TIME_MAX}, .sink = sink, .ctx = ctx};
        return walk_location(&w, err);
}
