/* retime.c - see retime.h. */
#include "core/views/retime.h"

#include "core/base/blocks.h"
#include "core/base/memory.h"
#include "core/base/parallel.h"
#include "core/base/search.h"
#include "core/model/focus.h"

#include <stdlib.h>
#include <string.h>

typedef struct work {
        const ps_trace *trace;
        const ps_timing *timing;
        ps_path_time *now;
        void *ctx;
        ps_loc loc;
        const ps_focus *then, *here; /* what is looked at, in either timing; NULL: the whole run */
        /* By path, of one location: how much longer its calls became in all, those below it left out; is it a
         * call, or below none. */
        ps_time *longer;
        uint8_t *mark;
        ps_time outside; /* of all regions, of the location at hand in the whole measured run */
} work;

/* A location a round. */
typedef struct retiming {
        ps_retimed *out;
        const ps_time *begin, *end;
        work *worker; /* one a thread */
        unsigned n_workers;
} retiming;

enum { IS_CALL = 1, IS_BELOW_NONE }; /* marks */

static inline bool is_call(const work *w, ps_path path)
{
        return path && w->mark[path] == IS_CALL;
}

/* 0: it is below none, which is marked all the way up: so each path is looked at once, however deep calls
 * are.
 */
static ps_path call_above(const work *w, ps_path path)
{
        const ps_path_node *paths = w->trace->paths;
        ps_path above = paths[path].parent;
        while (above && !w->mark[above])
                above = paths[above].parent;
        if (is_call(w, above))
                return above;
        while ((path = paths[path].parent) != above)
                w->mark[path] = IS_BELOW_NONE;
        return 0;
}

/* The one span of the focus, all there is where nothing is left out; false: it has several. */
static bool is_one_span(ps_span *out, const ps_focus *focus)
{
        *out = focus && focus->n_spans == 1 ? *focus->span : (ps_span){INT64_MIN, INT64_MAX};
        return !focus || focus->n_spans == 1;
}

static inline ps_time clip(const ps_span *to, ps_time begin, ps_time end)
{
        begin = ps_time_later(begin, to->begin);
        end = ps_time_earlier(end, to->end);
        return end > begin ? ps_time_sub(end, begin) : 0;
}

/* Calls below calls have their times in both: the outer one's own is what remains. */
static void compare_calls(work *w, const ps_path_use *uses, uint32_t n)
{
        const ps_ops *ops = &w->trace->ops[w->loc];
        const ps_time *enter = w->timing->enter[w->loc], *leave = w->timing->leave[w->loc],
                      *was_enter = w->trace->measured.enter[w->loc],
                      *was_left = w->trace->measured.leave[w->loc];
        ps_span then, here;
        const bool then_is = is_one_span(&then, w->then), are_one = is_one_span(&here, w->here) && then_is;
        ps_time *longer = w->longer;
        uint8_t *mark = w->mark;
        memset(longer, 0, w->trace->n_paths * sizeof(*longer));
        memset(mark, 0, w->trace->n_paths);
        for (ps_op op = 0; op < ops->n; op++) {
                ps_blocks_keep();
                if (ops->flags[op] & (PS_OP_PART | PS_OP_BARE))
                        continue;
                const ps_path path = ps_op_path(ops, op);
                ps_time before = are_one ? clip(&then, was_enter[op], was_left[op])
                                         : ps_focus_clip(w->then, was_enter[op], was_left[op]);
                ps_time after = are_one ? clip(&here, enter[op], leave[op])
                                        : ps_focus_clip(w->here, enter[op], leave[op]);
                longer[path] = ps_time_add(longer[path], ps_time_sub(after, before));
                mark[path] = IS_CALL;
        }
        /* Parents stand before their children: each is still whole when it is taken off the one above. */
        for (uint32_t i = 0; i < n; i++) {
                ps_path path = uses[i].path, above;
                if (is_call(w, path) && (above = call_above(w, path)))
                        w->longer[above] = ps_time_sub(w->longer[above], w->longer[path]);
        }
}

/* Where the path is among all that the location was in. */
static uint32_t index_of(const ps_location_info *info, ps_path path)
{
        uint32_t low = 0;
        PS_SEARCH(low, info->n_uses, i, info->uses[i].path < path)
        return low;
}

/* What is in the focus becomes longer by as much as the whole. `use`: NULL: outside of all regions. */
static double weight_of(const work *w, const ps_path_use *use, ps_time time)
{
        const ps_location_info *info = &w->trace->info[w->loc];
        if (!w->now)
                return (double)time;
        uint32_t i = use ? index_of(info, use->path) : info->n_uses;
        if (!w->then)
                return w->now(w->ctx, w->loc, i, time);
        ps_time whole = i < info->n_uses ? info->uses[i].exclusive : w->outside;
        return whole > 0 ? (double)time * w->now(w->ctx, w->loc, i, whole) / (double)whole : (double)time;
}

/* Shares `time` out among the computations; the rest goes to what is outside of all regions. */
static void share_out(const work *w, ps_path_use *uses, uint32_t n, ps_time time, ps_time outside)
{
        ps_time old = outside, left = time;
        double sum = weight_of(w, NULL, outside);
        bool is_same = true;
        for (uint32_t i = 0; i < n; i++) {
                if (is_call(w, uses[i].path))
                        continue;
                double weight = weight_of(w, &uses[i], uses[i].exclusive);
                is_same &= weight == (double)uses[i].exclusive;
                sum += weight;
                old = ps_time_add(old, uses[i].exclusive);
        }
        if (is_same && old == time)
                return;
        for (uint32_t i = 0; i < n; i++) {
                if (is_call(w, uses[i].path))
                        continue;
                double share = sum > 0 ? weight_of(w, &uses[i], uses[i].exclusive) / sum : 0;
                ps_time part = (ps_time)(share * (double)time + 0.5);
                uses[i].exclusive = part < left ? part : left;
                left -= uses[i].exclusive;
        }
}

/* What each path became longer by, its children became longer by, too. */
static void fill_inclusive(const work *w, ps_path_use *uses, const ps_path_use *before, uint32_t n)
{
        memset(w->longer, 0, w->trace->n_paths * sizeof(*w->longer));
        for (uint32_t i = n; i-- > 0;) {
                ps_path path = uses[i].path;
                ps_time *longer = &w->longer[path];
                *longer = ps_time_add(*longer, ps_time_sub(uses[i].exclusive, before[i].exclusive));
                ps_time inclusive = ps_time_add(before[i].inclusive, *longer);
                uses[i].inclusive = inclusive > 0 ? inclusive : 0;
                if (path) {
                        ps_time *above = &w->longer[w->trace->paths[path].parent];
                        *above = ps_time_add(*above, *longer);
                }
        }
}

/* What a location did, from its events on and while it was recorded. */
typedef struct doing {
        ps_path_use *uses;
        uint32_t n_uses;
        ps_time time;
} doing;

static ps_time outside_of(const doing *d)
{
        ps_time outside = d->time;
        for (uint32_t i = 0; i < d->n_uses; i++)
                outside = ps_time_sub(outside, d->uses[i].exclusive);
        return outside > 0 ? outside : 0;
}

/* `now` has the uses of `before`, which it changes; its time is what they are to add up to. */
static void retime_uses(work *w, const doing *now, const doing *before)
{
        ps_time computed = now->time, outside = outside_of(before);
        compare_calls(w, before->uses, before->n_uses);
        for (uint32_t i = 0; i < now->n_uses; i++) {
                ps_path_use *use = &now->uses[i];
                if (!is_call(w, use->path))
                        continue;
                use->exclusive = ps_time_add(use->exclusive, w->longer[use->path]);
                use->exclusive = use->exclusive < 0          ? 0
                                 : use->exclusive < computed ? use->exclusive
                                                             : computed;
                computed -= use->exclusive;
        }
        share_out(w, now->uses, now->n_uses, computed > 0 ? computed : 0, outside);
        fill_inclusive(w, now->uses, before->uses, now->n_uses);
}

static void retime_location(work *w, ps_location_info *info, const ps_location_info *before, ps_time end)
{
        info->last = end > info->first ? end : info->first;
        const doing was = {before->uses, before->n_uses,
                           ps_time_sub(ps_time_sub(before->last, before->first), before->off)};
        const doing now = {info->uses, info->n_uses,
                           ps_time_sub(ps_time_sub(info->last, info->first), info->off)};
        w->outside = outside_of(&was);
        retime_uses(w, &now, &was);
}

/* -- the focus -- */

static void retime_part(work *w, ps_focus_part *part, const ps_location_info *info)
{
        const ps_location_info *measured = &w->trace->info[w->loc];
        ps_focus_part before = ps_focus_part_of(w->trace, &w->trace->measured, w->loc);
        const doing whole = {measured->uses, measured->n_uses,
                             ps_time_sub(ps_time_sub(measured->last, measured->first), measured->off)};
        const doing was = {before.uses, before.n_uses,
                           ps_focus_clip(w->then, measured->first, measured->last) - before.off};
        const doing now = {part->uses, part->n_uses,
                           ps_focus_clip(w->here, info->first, info->last) - part->off};
        w->outside = outside_of(&whole);
        retime_uses(w, &now, &was);
}

static ps_status copy_parts(ps_retimed *out, const ps_trace *trace, ps_error *err)
{
        size_t n = 0;
        for (ps_loc l = 0; l < trace->n_locs; l++)
                n += ps_focus_part_of(trace, &trace->measured, l).n_uses;
        ps_focus_part *part = out->focus->part = ps_memory_zeroed(trace->n_locs + (size_t)1, sizeof(*part));
        ps_path_use *use = out->part_uses = ps_memory_zeroed(n + 1, sizeof(*use));
        if (!part || !use)
                return PS_NOMEM(err, "times of call paths", n);
        for (ps_loc l = 0; l < trace->n_locs; l++) {
                part[l] = ps_focus_part_of(trace, &trace->measured, l);
                for (uint32_t i = 0; i < part[l].n_uses; i++)
                        use[i] = part[l].uses[i];
                part[l].uses = use;
                use += part[l].n_uses;
        }
        return PS_OK;
}

static ps_status retime_part_of(void *ctx, uint32_t loc, unsigned worker, ps_error *err)
{
        const retiming *r = ctx;
        work *w = &r->worker[worker];
        (void)err;
        w->loc = loc;
        w->then = w->trace->measured.focus;
        w->here = r->out->focus;
        if (w->trace->info[loc].n_events)
                retime_part(w, &r->out->focus->part[loc], &r->out->info[loc]);
        return PS_OK;
}

static ps_status retime_focus(retiming *r, const ps_trace *trace, const ps_timing *timing, ps_error *err)
{
        ps_status status = ps_focus_of_timing(&r->out->focus, trace, timing, err);
        if (status != PS_OK || !r->out->focus)
                return status;
        PS_TRY(copy_parts(r->out, trace, err));
        return ps_parallel_for(r->n_workers, trace->n_locs, retime_part_of, r, err);
}

static ps_status copy_info(ps_retimed *out, const ps_trace *trace, ps_error *err)
{
        size_t n = 0;
        for (ps_loc l = 0; l < trace->n_locs; l++)
                n += trace->info[l].n_uses;
        out->info = ps_memory_zeroed(trace->n_locs + (size_t)1, sizeof(*out->info));
        out->uses = ps_memory_zeroed(n + 1, sizeof(*out->uses));
        if (!out->info || !out->uses)
                return PS_NOMEM(err, "times of call paths", n);
        n = 0;
        for (ps_loc l = 0; l < trace->n_locs; l++) {
                out->info[l] = trace->info[l];
                out->info[l].uses = out->uses + n;
                for (uint32_t i = 0; i < trace->info[l].n_uses; i++)
                        out->uses[n++] = trace->info[l].uses[i];
        }
        return PS_OK;
}

static ps_status retime_whole_of(void *ctx, uint32_t loc, unsigned worker, ps_error *err)
{
        const retiming *r = ctx;
        work *w = &r->worker[worker];
        const ps_location_info *before = &w->trace->info[loc];
        (void)err;
        w->loc = loc;
        r->out->info[loc].first = r->begin ? r->begin[loc] : before->first;
        if (before->n_events)
                retime_location(w, &r->out->info[loc], before, r->end[loc]);
        return PS_OK;
}

static ps_status make_workers(retiming *r, const work *like, ps_error *err)
{
        const size_t n = like->trace->n_paths + (size_t)1;
        r->worker = calloc(r->n_workers, sizeof(*r->worker));
        for (unsigned i = 0; r->worker && i < r->n_workers; i++) {
                work *w = &r->worker[i];
                *w = *like;
                w->longer = ps_memory_zeroed(n, sizeof(*w->longer));
                w->mark = ps_memory_zeroed(n, 1);
                if (!w->longer || !w->mark)
                        return PS_NOMEM(err, "times of call paths", n);
        }
        return r->worker ? PS_OK : PS_NOMEM(err, "threads", r->n_workers);
}

static void free_workers(retiming *r)
{
        for (unsigned i = 0; r->worker && i < r->n_workers; i++) {
                free(r->worker[i].longer);
                free(r->worker[i].mark);
        }
        free(r->worker);
}

ps_status ps_retime(ps_retimed *out, const ps_trace *trace, const ps_timing *timing, const ps_time *begin,
                    const ps_time *end, ps_path_time *now, void *ctx, unsigned n_threads, ps_error *err)
{
        const work like = {.trace = trace, .timing = timing, .now = now, .ctx = ctx};
        const unsigned n_workers = ps_parallel_threads(n_threads);
        retiming r = {.out = out, .begin = begin, .end = end};
        *out = (ps_retimed){0};
        r.n_workers = n_workers < trace->n_locs ? n_workers : trace->n_locs ? trace->n_locs : 1;
        ps_status status = make_workers(&r, &like, err);
        PS_THEN(status, copy_info(out, trace, err));
        PS_THEN(status, ps_parallel_for(r.n_workers, trace->n_locs, retime_whole_of, &r, err));
        PS_THEN(status, retime_focus(&r, trace, timing, err));
        free_workers(&r);
        if (status != PS_OK)
                ps_retimed_clear(out);
        return status;
}

void ps_retimed_clear(ps_retimed *retimed)
{
        free(retimed->info);
        free(retimed->uses);
        if (retimed->focus)
                free(retimed->focus->part);
        free(retimed->part_uses);
        ps_focus_free(retimed->focus);
        *retimed = (ps_retimed){0};
}
