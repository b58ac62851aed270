/* book.h - what of booking is done for each wait of a call: of messages alone, where nothing else is asked,
 * it is done right where the wait is found. */
#ifndef PS_PATTERNS_ENGINE_BOOK_H
#define PS_PATTERNS_ENGINE_BOOK_H

#include "core/clock/clock.h"
#include "patterns/engine/walk.h"

/* How far the clocks of the location's process and of another one may well disagree. */
PS_WALK_INLINE ps_time uncertainty_with(const struct local *l, ps_loc other)
{
        const ps_trace *trace = l->engine->trace;
        const ps_proc own = l->process, theirs = trace->defs.locations.row[other].process;
        struct doubt *doubt = &l->worker->doubt[theirs];
        if (doubt->own != own + 1)
                *doubt = (struct doubt){own + 1, ps_clock_pair_uncertainty(trace, own, theirs)};
        return doubt->uncertainty;
}

/* Does what was lost rest on clocks that differ? */
PS_WALK_INLINE bool rests_on_clocks(const struct local *l, ps_ref partner)
{
        const ps_location_def *locations = l->engine->trace->defs.locations.row;
        return l->engine->clocks_differ && partner.op != PS_NONE &&
               l->process != locations[partner.loc].process;
}

/* A wait that is shorter than the likely error of the two clocks may not be one. Who sets an epsilon wants to
 * see all waits above it. */
PS_WALK_INLINE bool is_doubtful(const struct local *l, ps_ref partner, ps_time lost)
{
        return l->engine->notes_hidden && lost > 0 && rests_on_clocks(l, partner) &&
               lost < uncertainty_with(l, partner.loc);
}

PS_WALK_INLINE void move_time(const struct local *l, ps_time_kind from, ps_time_kind to, ps_time time)
{
        ps_time *moved = &l->moves->moved[from][to];
        *moved = ps_time_add(*moved, time);
}

PS_WALK_INLINE void wait_at(struct local *l, ps_ref partner, ps_path path, ps_time time)
{
        const ps_defs *defs = &l->engine->trace->defs;
        struct worker *w = l->worker;
        ps_proc by = partner.op == PS_NONE ? defs->processes.n /* nobody is known */
                                           : defs->locations.row[partner.loc].process;
        if (!l->is_told)
                return;
        w->waiting[path] = ps_time_add(w->waiting[path], time);
        w->awaited[by] = ps_time_add(w->awaited[by], time);
}

/* Threads that come to or go from a team are outside of all regions meanwhile, but for the one that forks it,
 * which may be a further thread of a team around it. */
static inline void ps_walk_account_for_team(const struct local *l, ps_path path, ps_time time)
{
        const bool is_outside = !path && l->engine->trace->defs.locations.row[l->loc].thread;
        move_time(l, is_outside ? PS_TIME_NOT_RUNNING : (ps_time_kind)l->engine->kind_of_path[path],
                  PS_TIME_RUNTIME, time);
}

/* How much of what was lost at `call` is certain in spite of the clocks. */
ps_time ps_walk_least_by_clocks(const struct local *l, const ps_instance *instance);

/* Adds `n` to what was found of the pattern there; returns it if the worst of them is the worst so far. */
PS_WALK_INLINE ps_finding *ps_walk_findings(struct local *l, uint32_t pattern, ps_path path, ps_time lost,
                                            ps_time least, uint64_t n, ps_time worst)
{
        ps_finding *finding = ps_tally_map_at(&l->findings, pattern, path, l->loc, &l->worker->hints);
        if (!finding) {
                l->status = PS_E_NOMEM;
                return NULL;
        }
        finding->lost = ps_time_add(finding->lost, lost);
        finding->least = ps_time_add(finding->least, least);
        const uint64_t before = finding->count;
        finding->count += n;
        return !before || worst > finding->worst.lost ? finding : NULL;
}

PS_WALK_INLINE ps_finding *ps_walk_finding(struct local *l, uint32_t pattern, ps_path path, ps_time lost,
                                           ps_time least)
{
        return ps_walk_findings(l, pattern, path, lost, least, 1, lost);
}

/* By how much later its call had better been made is found out of the worst of all, see
 * ps_walk_find_distances: until then `later` is the row `own` and one, or 0. */
void ps_walk_keep_worst(ps_finding *finding, const ps_instance *worst, ps_op own);

/* Of a wait that is booked plainly: what is seldom asked, so that none is put together before. */
ps_time ps_walk_least_of_found(const struct local *l, struct found f);
void ps_walk_keep_worst_found(const struct local *l, ps_finding *finding, struct found f, ps_time begin,
                              ps_time least);
void ps_walk_show_found(const struct local *l, const struct found *f, ps_time begin, ps_path path);

/* The same field by field: only where it is passed on it has to stand in memory. */
PS_WALK_INLINE struct found ps_walk_found(const struct found *f)
{
        return (struct found){f->lost, {f->partner.loc, f->partner.op}, f->pattern, f->own, f->call};
}

/* Who listens hears of it, if it is wanted. */
PS_WALK_INLINE void ps_walk_show_if_wanted(const struct local *l, const struct found *f, ps_time begin,
                                           ps_path path)
{
        const ps_analysis_options *options = l->engine->options;
        if (options->sink && (!options->sink_wants || options->sink_wants[f->pattern])) {
                const struct found shown = ps_walk_found(f);
                ps_walk_show_found(l, &shown, begin, path);
        }
}

/* The two below of one that is kept somewhere, and is copied only where it is needed. */
PS_WALK_INLINE void tally_kept_certain(struct local *l, const struct found *f, ps_time begin, ps_path path,
                                       ps_time least)
{
        ps_finding *worst = l->status == PS_OK ? ps_walk_finding(l, f->pattern, path, f->lost, least) : NULL;
        if (worst)
                ps_walk_keep_worst_found(l, worst, ps_walk_found(f), begin, least);
        ps_walk_show_if_wanted(l, f, begin, path);
}

PS_WALK_INLINE void tally_kept(struct local *l, const struct found *f, ps_time begin, ps_path path,
                               bool doubtful)
{
        struct worker *w = l->worker;
        if (doubtful) {
                w->doubtful = ps_time_add(w->doubtful, f->lost);
                w->doubtful_count++;
                return;
        }
        tally_kept_certain(l, f, begin, path,
                           rests_on_clocks(l, f->partner) ? ps_walk_least_of_found(l, ps_walk_found(f))
                                                          : f->lost);
}

/* Of what is booked plainly and began then, `least` is certain. */
PS_WALK_INLINE void tally_certain(struct local *l, struct found f, ps_time begin, ps_path path, ps_time least)
{
        tally_kept_certain(l, &f, begin, path, least);
}

/* ps_walk_tally() of a plain wait that began then, lies in the focus and is not short. */
PS_WALK_INLINE void tally_plain_from(struct local *l, struct found f, ps_time begin, ps_path path,
                                     bool doubtful)
{
        tally_kept(l, &f, begin, path, doubtful);
}

/* The same of one that began with its call. */
PS_WALK_INLINE void tally_plain(struct local *l, struct found f, ps_path path, bool doubtful)
{
        tally_plain_from(l, f, l->enter[f.call], path, doubtful);
}

/* Moves the time of a plain wait; returns whether that is doubtful. */
PS_WALK_INLINE bool account_wait(struct local *l, struct found f, ps_path path)
{
        bool doubtful = is_doubtful(l, f.partner, f.lost);
        move_time(l, (ps_time_kind)l->engine->kind_of_path[path],
                  doubtful ? PS_TIME_UNEXPLAINED : PS_TIME_WAITING, f.lost);
        if (!doubtful)
                wait_at(l, f.partner, path, f.lost);
        return doubtful;
}

/* Where calls may be plain: is it the first wait in the call at hand, which lies in the focus and is no
 * shorter? */
PS_WALK_INLINE bool is_first_wait(const struct local *l, const struct found *f, ps_span call)
{
        const ps_span span = l->engine->plain.span;
        const struct worker *w = l->worker;
        return f->call == w->call && w->call_left < 0 && f->lost > 0 && f->lost <= call.end - call.begin &&
               call.begin >= span.begin && call.end <= span.end;
}

/* ps_walk_book() of such a plain wait. */
PS_WALK_INLINE void book_first_wait(struct local *l, struct found f, ps_span call)
{
        const ps_path path = ps_op_path(l->ops, f.call);
        const bool doubtful = account_wait(l, f, path);
        l->worker->call_left = call.end - call.begin - f.lost;
        if (f.lost >= l->engine->rules.epsilon)
                tally_plain(l, f, path, doubtful);
}

#endif
