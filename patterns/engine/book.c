/* book.c - what was found: its time goes where it belongs, and if it is not too short it is a finding. */
#include "patterns/engine/book.h"
#include "patterns/engine/walk_pgas.h"

/* MPI below a call of UPC, or a message that a recorder writes for one, is how that is done: the wait is the
 * outer call's. */
static bool is_inner(const struct local *l, ps_op op, ps_path path)
{
        const ps_ops *ops = l->ops;
        if (l->engine->inner[path] == NOT_INNER)
                return false;
        if (l->engine->inner[path] == IS_INNER || op >= ops->n)
                return l->engine->inner[path] == IS_INNER;
        ps_class cls = ps_kinds[ops->kind[op]].cls;
        return cls == PS_C_SEND || cls == PS_C_RECV;
}

static inline bool is_charged_outside(const struct local *l, const ps_instance *instance, ps_path path)
{
        return l->engine->inner && is_inner(l, instance->at.op, path);
}

ps_time ps_walk_tolerance(const struct local *l, ps_loc other)
{
        const struct engine *e = l->engine;
        return e->clocks_differ ? later(e->least_tolerance, ps_walk_sane(uncertainty_with(l, other)))
                                : e->tolerance;
}

/* Whether a send was still under way when its receiver came depends on two clocks: it may have been over. */
static bool may_be_over(const struct local *l, const ps_instance *instance, ps_proc own, ps_proc other)
{
        const struct engine *e = l->engine;
        ps_ref at = instance->at;
        ps_time came = ps_time_add(instance->begin, instance->lost);
        return ps_kinds[e->trace->ops[at.loc].kind[at.op]].cls == PS_C_SEND &&
               ps_time_sub(e->timing->leave[at.loc][at.op], came) <
                       ps_clock_pair_excess(e->trace, other, own);
}

/* How much of it is certain in spite of the clocks. Who is still in a collective operation when the first
 * member has left depends on the clocks of all members: none of that is certain. */
ps_time ps_walk_least_by_clocks(const struct local *l, const ps_instance *instance)
{
        const struct engine *e = l->engine;
        const ps_location_def *locations = e->trace->defs.locations.row;
        ps_proc own = locations[instance->at.loc].process, other = locations[instance->partner.loc].process;
        ps_time excess = ps_clock_pair_excess(e->trace, own, other);
        if (e->rules.rule[instance->pattern].row->is_work || may_be_over(l, instance, own, other))
                return 0;
        return later(0, ps_time_sub(instance->lost, excess));
}

static inline ps_time least_of(const struct local *l, const ps_instance *instance)
{
        return rests_on_clocks(l, instance->partner) ? ps_walk_least_by_clocks(l, instance) : instance->lost;
}

/* How much of a time lies in the focus: where calls may be plain that has one span. */
static inline ps_time clip(const struct local *l, ps_time begin, ps_time end)
{
        const ps_span span = l->engine->plain.span;
        return l->is_plain && begin >= span.begin && end <= span.end && begin <= end
                       ? end - begin
                       : ps_focus_clip(l->engine->timing->focus, begin, end);
}

/* The part that lies in the focus. A call waits first; the time that it takes without waiting is at its end.
 */
PS_WALK_INLINE ps_time inside_of(const struct local *l, const ps_instance *instance)
{
        const struct engine *e = l->engine;
        const ps_rule *rule = &e->rules.rule[instance->pattern];
        ps_time begin = instance->begin;
        if (rule->is_sum || !e->timing->focus)
                return instance->lost;
        if (rule->ends_with_call)
                begin = e->timing->leave[instance->at.loc][instance->at.op] - instance->lost;
        return clip(l, begin, ps_time_add(begin, instance->lost));
}

/* Takes up to `time` of what is not charged yet of the present call's time in the focus, which is computed
 * when it is first needed: for most calls it never is. */
PS_WALK_INLINE ps_time take_of_call(struct local *l, ps_time time)
{
        struct worker *w = l->worker;
        if (w->call_left < 0)
                w->call_left = clip(l, l->enter[w->call], l->leave[w->call]);
        time = earlier(time, w->call_left);
        w->call_left -= time;
        return time;
}

/* A partner whose clock is shown too early was waited for longer than it seems, but not for longer than the
 * call took, and not for longer than the clocks may well be wrong by. */
void ps_walk_note_hidden(struct local *l, ps_ref partner)
{
        const ps_location_def *locations = l->engine->trace->defs.locations.row;
        if (partner.op == PS_NONE || locations[partner.loc].process == locations[l->loc].process ||
            !l->is_told)
                return;
        ps_time hidden = take_of_call(l, uncertainty_with(l, partner.loc));
        l->worker->hidden = ps_time_add(l->worker->hidden, hidden);
}

void ps_walk_leave_out(struct local *l)
{
        ps_path path = path_of(l, (ps_ref){l->loc, l->worker->call});
        move_time(l, (ps_time_kind)l->engine->kind_of_path[path], PS_TIME_NOT_RUNNING,
                  take_of_call(l, PS_TIME_MAX));
}

PS_WALK_INLINE void account(struct local *l, const ps_instance *instance, ps_path path, ps_time inside,
                            bool doubtful)
{
        const ps_rule *rule = &l->engine->rules.rule[instance->pattern];
        ps_time_kind from = (ps_time_kind)l->engine->kind_of_path[path];
        ps_time_kind to = doubtful ? PS_TIME_UNEXPLAINED : PS_TIME_WAITING;
        if (rule->is_of_team) {
                ps_walk_account_for_team(l, path, inside);
                return;
        }
        if (!rule->waits)
                return;
        if (rule->is_series) { /* with what is computed between its calls */
                ps_time between = earlier(l->worker->series.gap, inside);
                move_time(l, PS_TIME_COMPUTATION, PS_TIME_WAITING, between);
                move_time(l, from, PS_TIME_WAITING, inside - between);
        } else {
                inside = take_of_call(l, inside);
                move_time(l, from, to, inside);
        }
        if (to == PS_TIME_WAITING)
                wait_at(l, instance->partner, path, inside);
}

void ps_walk_keep_worst(ps_finding *finding, const ps_instance *worst, ps_op own)
{
        finding->worst = *worst;
        finding->worst.later = own == PS_NONE ? 0 : (ps_time)own + 1;
}

/* Rows of the worst lie anywhere: those that the distance is told by, some findings ahead. Inline: compilers
 * take a function that only fetches for one without effect, and drop its calls. */
PS_WALK_INLINE void fetch_own(const struct local *l, const ps_finding *finding)
{
        const ps_ops *ops = l->ops;
        const ps_time own = finding->worst.later - 1;
        if (own < 0)
                return;
        __builtin_prefetch(&ops->kind[own]);
        __builtin_prefetch(&ops->flags[own]);
        __builtin_prefetch(&ops->call[own]);
        __builtin_prefetch(&ops->link[own]);
        __builtin_prefetch(&ops->done[own]);
        __builtin_prefetch(&l->enter[own]);
        __builtin_prefetch(&l->leave[own]);
}

PS_WALK_INLINE void fetch_other(const struct local *l, const ps_finding *finding)
{
        const struct engine *e = l->engine;
        const ps_time own = finding->worst.later - 1;
        if (own < 0)
                return;
        const ps_ref partner = ps_op_partner(e->trace, (ps_ref){l->loc, (ps_op)own});
        if (partner.op != PS_NONE)
                __builtin_prefetch(&e->timing->enter[partner.loc][partner.op]);
        if (l->ops->done[own] != PS_NONE) {
                __builtin_prefetch(&l->enter[l->ops->done[own]]);
                __builtin_prefetch(&l->leave[l->ops->done[own]]);
        }
}

void ps_walk_find_distances(struct local *l)
{
        enum { AHEAD = 8 };
        ps_finding *row = l->findings.row;
        const uint32_t n = l->findings.n;
        for (uint32_t i = 0; i < n + 2 * AHEAD; i++) {
                if (i < n)
                        fetch_own(l, &row[i]);
                if (i >= AHEAD && i - AHEAD < n)
                        fetch_other(l, &row[i - AHEAD]);
                if (i < 2 * AHEAD)
                        continue;
                ps_time *later = &row[i - 2 * AHEAD].worst.later;
                *later = *later ? ps_walk_distance(l, (ps_op)(*later - 1)) : 0;
        }
}

static void add_to_findings(struct local *l, const ps_instance *instance, ps_path path, ps_op own,
                            ps_time inside, ps_time least)
{
        ps_instance here = *instance;
        here.lost = inside;
        here.least = least;
        ps_finding *finding = ps_walk_finding(l, instance->pattern, path, inside, least);
        if (finding)
                ps_walk_keep_worst(finding, &here, own);
}

ps_time ps_walk_least_of_found(const struct local *l, struct found f)
{
        const ps_instance instance = instance_of(l, &f);
        return earlier(f.lost, ps_walk_least_by_clocks(l, &instance));
}

void ps_walk_keep_worst_found(const struct local *l, ps_finding *finding, struct found f, ps_time begin,
                              ps_time least)
{
        ps_instance worst = instance_of(l, &f);
        worst.begin = begin;
        worst.least = least;
        ps_walk_keep_worst(finding, &worst, f.own);
}

void ps_walk_show_found(const struct local *l, const struct found *f, ps_time begin, ps_path path)
{
        const ps_analysis_options *options = l->engine->options;
        ps_instance instance = instance_of(l, f);
        instance.begin = begin;
        options->sink(options->sink_ctx, &instance, path);
}

/* Not inlined: few programs have one. */
__attribute__((noinline)) static void note_master(struct local *l, const ps_instance *instance, ps_path path,
                                                  ps_time inside, ps_time least)
{
        ps_instance here = *instance;
        here.lost = inside;
        here.least = least;
        ps_walk_note_master(l, &here, path);
}

PS_WALK_INLINE void tally(struct local *l, const ps_instance *instance, ps_path path, ps_op own,
                          ps_time inside, bool doubtful)
{
        const struct engine *e = l->engine;
        struct worker *w = l->worker;
        if (ps_walk_is_short(l, instance))
                return;
        if (doubtful) {
                w->doubtful = ps_time_add(w->doubtful, inside);
                w->doubtful_count++;
                return;
        }
        ps_time *outside = &w->outside[instance->pattern];
        if (l->is_told && inside != instance->lost)
                *outside = ps_time_add(*outside, instance->lost - inside);
        bool counts = l->is_told &&
                      (inside > 0 || (!instance->lost &&
                                      ps_focus_clip(e->timing->focus, instance->begin, instance->begin + 1)));
        ps_time least = earlier(inside, least_of(l, instance));
        if (l->status == PS_OK && counts)
                add_to_findings(l, instance, path, own, inside, least);
        if (e->master != PS_NONE)
                note_master(l, instance, path, inside, least);
        if (e->options->sink)
                e->options->sink(e->options->sink_ctx, instance, path);
}

void ps_walk_account(struct local *l, const ps_instance *instance, ps_path path)
{
        if (!is_charged_outside(l, instance, path))
                account(l, instance, path, inside_of(l, instance),
                        is_doubtful(l, instance->partner, instance->lost));
}

void ps_walk_tally(struct local *l, const ps_instance *instance, ps_path path, ps_op own)
{
        if (!is_charged_outside(l, instance, path))
                tally(l, instance, path, own, inside_of(l, instance),
                      is_doubtful(l, instance->partner, instance->lost));
}

void ps_walk_book(struct local *l, const ps_instance *instance, ps_path path, ps_op own)
{
        if (is_charged_outside(l, instance, path))
                return;
        ps_time inside = inside_of(l, instance);
        bool doubtful = is_doubtful(l, instance->partner, instance->lost);
        account(l, instance, path, inside, doubtful);
        tally(l, instance, path, own, inside, doubtful);
}

void ps_walk_account_unexplained(struct local *l, ps_op op, ps_time time)
{
        if (time <= 0)
                return;
        ps_path path = ps_op_path(l->ops, op);
        move_time(l, (ps_time_kind)l->engine->kind_of_path[path], PS_TIME_UNEXPLAINED, take_of_call(l, time));
}
