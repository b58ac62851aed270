/* clock.c - times that contradict causality.
 *
 * A message cannot be received before it is sent, nor a barrier left before its last member has entered it.
 * Where the times say so, clocks differ. Two remedies, for two sorts of clocks:
 *
 * Clocks without a common zero are off by milliseconds or days, but mostly by a constant. Every message
 * bounds the difference of two of these constants (offset.c); within these bounds each process's clock is
 * shifted to where calls that end together do so (together.c), or else to the middle. The width of the
 * interval says how little is certain: it is narrow only where messages went both ways. If the recorder
 * synchronised its clocks and they contradict each other all the same, they go towards the middle only as far
 * as they must.
 *
 * Synchronised clocks are off by less than a microsecond, now in this direction and now in that. No constant
 * explains it; the few ends concerned are moved forward to the first moment that is possible
 * (shift.c).
 *
 * Without a contradiction nothing is changed, unless the caller wants it or the recorder compared no clocks:
 * theirs may differ by much and show no contradiction. */
#include "core/clock/clock.h"
#include "core/base/parallel.h"
#include "core/clock/offset.h"
#include "core/clock/orders.h"
#include "core/clock/shift.h"

#include <stdlib.h>

typedef ps_clock_place place;
typedef ps_clock_tally tally;

static const tally nothing = PS_CLOCK_NOTHING;

static void first_of(place *first, const place *other)
{
        if (other->ref.loc < first->ref.loc ||
            (other->ref.loc == first->ref.loc && other->ref.op < first->ref.op))
                *first = *other;
}

void ps_clock_tally_add(tally *t, const tally *other)
{
        t->messages += other->messages;
        t->collectives += other->collectives;
        t->worst = other->worst > t->worst ? other->worst : t->worst;
        t->slightest = other->slightest < t->slightest ? other->slightest : t->slightest;
        first_of(&t->first_message, &other->first_message);
        first_of(&t->first_collective, &other->first_collective);
}

/* A collective operation counts once, however many of its members contradict it. */
static void tally_add(tally *t, const ps_step *step, ps_time by, bool is_message, bool is_again)
{
        place here = {step->ref, step->time};
        tally one = nothing;
        *(is_message ? &one.messages : &one.collectives) = !is_again;
        *(is_message ? &one.first_message : &one.first_collective) = here;
        one.worst = one.slightest = by;
        ps_clock_tally_add(t, &one);
}

static ps_status tally_message(void *ctx, const ps_message_times *m, ps_error *err)
{
        ps_time by = ps_time_sub(m->sent, m->received);
        (void)err;
        if (by > 0)
                ps_clock_tally_message(ctx, m->recv, m->received, by);
        return PS_OK;
}

static ps_status tally_flow(void *ctx, const ps_flow *flow, uint32_t coll, ps_error *err)
{
        ps_time begun = INT64_MIN;
        int n = 0;
        (void)err;
        for (uint32_t i = 0; i < flow->n; i++) {
                const ps_step *step = &flow->step[i];
                if (!step->takes)
                        begun = step->time > begun ? step->time : begun;
                else if (step->time < begun)
                        tally_add(ctx, step, ps_time_sub(begun, step->time), coll == PS_NONE, n++ > 0);
        }
        return PS_OK;
}

struct counter {
        ps_flows flows;
        tally tally;
        uint32_t first; /* the part to begin with */
};

static ps_status count_part(void *ctx, uint32_t part, unsigned worker, ps_error *err)
{
        struct counter *c = (struct counter *)ctx + worker;
        return ps_flows_visit_part(&c->flows, PS_FLOWS_SUSPECT, c->first + part, tally_flow, &c->tally, err);
}

/* Of what is in these parts: the messages of each location, then collective operations. */
static ps_status count_parts(const ps_trace *trace, const ps_clock_apart *apart, uint32_t first,
                             uint32_t n_parts, unsigned n_threads, tally *out, ps_error *err)
{
        unsigned n = ps_parallel_threads(n_threads);
        n = n < n_parts ? n : n_parts;
        struct counter *counters = calloc(n + (size_t)1, sizeof *counters);
        ps_status st = counters ? PS_OK : PS_NOMEM(err, "threads", n);
        *out = nothing;
        for (unsigned i = 0; i < n && st >= 0; i++) {
                counters[i].tally = nothing;
                counters[i].first = first;
                st = ps_flows_init(&counters[i].flows, trace, &trace->measured, err);
                counters[i].flows.message = tally_message;
                counters[i].flows.apart = apart;
        }
        if (st >= 0)
                st = ps_parallel_for(n, n_parts, count_part, counters, err);
        for (unsigned i = 0; counters && i < n; i++) {
                ps_clock_tally_add(out, &counters[i].tally);
                ps_flows_free(&counters[i].flows);
        }
        free(counters);
        return st;
}

ps_status ps_clock_count_messages(ps_clock_tally *out, const ps_trace *trace, unsigned n_threads,
                                  ps_error *err)
{
        return count_parts(trace, NULL, 0, trace->n_locs, n_threads, out, err);
}

/* -- where others have members, too -- */

void ps_clock_bound(int64_t bounds[PS_BOUNDS], const ps_trace *trace, uint32_t coll)
{
        const ps_coll *c = &trace->colls[coll];
        ps_time begun = INT64_MIN, ended = PS_TIME_MAX;
        ps_loc ends_at = PS_NONE;
        for (uint32_t m = c->first; m < c->first + c->n; m++) {
                ps_ref ref = trace->members[m].ref;
                if (ps_flow_gives(trace, c, m))
                        begun = ps_time_later(begun, ps_op_record_begin(trace, &trace->measured, ref));
                if (!ps_flow_takes(trace, c, m))
                        continue;
                ps_time end = ps_op_record_end(trace, &trace->measured, ref);
                ends_at = ended == PS_TIME_MAX || end < ended ? ref.loc : ends_at;
                ended = ps_time_earlier(ended, end);
        }
        bounds[PS_BOUND_BEGUN] = begun;
        bounds[PS_BOUND_ENDED] = ended;
        bounds[PS_BOUND_ENDS_AT] = ends_at;
}

void ps_clock_bound_add(int64_t *to, const int64_t *bounds)
{
        to[PS_BOUND_BEGUN] = ps_time_later(to[PS_BOUND_BEGUN], bounds[PS_BOUND_BEGUN]);
        const int64_t ended = bounds[PS_BOUND_ENDED], ends_at = bounds[PS_BOUND_ENDS_AT];
        if (ended < to[PS_BOUND_ENDED] || (ended == to[PS_BOUND_ENDED] && ends_at < to[PS_BOUND_ENDS_AT]))
                to[PS_BOUND_ENDS_AT] = ends_at;
        to[PS_BOUND_ENDED] = ps_time_earlier(to[PS_BOUND_ENDED], ended);
}

/* It is counted by whoever has the member that ends first. */
void ps_clock_count_collective(tally *t, const ps_trace *trace, uint32_t coll,
                               const int64_t bounds[PS_BOUNDS])
{
        const ps_coll *c = &trace->colls[coll];
        if (bounds[PS_BOUND_ENDED] >= bounds[PS_BOUND_BEGUN])
                return;
        for (uint32_t m = c->first; m < c->first + c->n; m++) {
                ps_step step = {.ref = trace->members[m].ref};
                if (!ps_flow_takes(trace, c, m))
                        continue;
                step.time = ps_op_record_end(trace, &trace->measured, step.ref);
                if (step.time < bounds[PS_BOUND_BEGUN])
                        tally_add(t, &step, ps_time_sub(bounds[PS_BOUND_BEGUN], step.time), false,
                                  step.ref.loc != bounds[PS_BOUND_ENDS_AT]);
        }
}

ps_time ps_clock_passes_on(const ps_trace *trace, uint32_t member)
{
        const ps_coll *coll = &trace->colls[trace->members[member].coll];
        return ps_flow_passes_on(trace, coll, member)
                       ? ps_op_record_begin(trace, &trace->measured, trace->members[member].ref)
                       : INT64_MIN;
}

bool ps_clock_ends_too_early(tally *t, const ps_trace *trace, uint32_t member, ps_time before)
{
        ps_step step = {.ref = trace->members[member].ref};
        if (!ps_flow_waits_for_lower(trace, &trace->colls[trace->members[member].coll], member))
                return false;
        step.time = ps_op_record_end(trace, &trace->measured, step.ref);
        if (step.time >= before)
                return false;
        tally_add(t, &step, ps_time_sub(before, step.time), false, true);
        return true;
}

/* `messages`: what is known of them; NULL: nothing. */
static ps_status count_here(const ps_trace *trace, const ps_clock_apart *apart, const tally *messages,
                            unsigned n_threads, tally *out, ps_error *err)
{
        uint32_t first = messages ? trace->n_locs : 0;
        PS_TRY(count_parts(trace, apart, first, ps_flows_n_parts(trace) - first, n_threads, out, err));
        if (messages)
                ps_clock_tally_add(out, messages);
        return PS_OK;
}

static ps_status pass_tally(ps_pass *p, void *what)
{
        tally *t = what, other = *t;
        PS_TRY(ps_pass_values(p, &other, 1, sizeof(other)));
        if (p->way == PS_PASS_TAKE)
                ps_clock_tally_add(t, &other);
        return PS_OK;
}

static ps_status count_apart(ps_flows *flows, bool fits, tally *out, ps_error *err)
{
        const ps_clock_apart *apart = flows->apart;
        *out = nothing;
        ps_status status =
                count_here(flows->trace, apart, fits ? &nothing : NULL, apart->n_threads, out, err);
        status = ps_flows_visit_dealt(flows, 0, status, tally_flow, out, err);
        return ps_clock_collect(flows, status, pass_tally, out, err);
}

ps_status ps_count_serve(ps_flows *flows, const ps_clock_order *order, ps_error *err)
{
        tally t;
        return count_apart(flows, order->fits, &t, err);
}

/* Once times were moved; `fits`: no message contradicts them. */
static ps_status count_again(ps_flows *flows, bool fits, unsigned n_threads, tally *out, ps_error *err)
{
        const ps_clock_order order = {.kind = PS_CLOCK_COUNT, .fits = fits};
        if (!flows->apart)
                return count_here(flows->trace, NULL, fits ? &nothing : NULL, n_threads, out, err);
        PS_TRY(ps_clock_ask(flows, &order, err));
        return count_apart(flows, fits, out, err);
}

static void note(ps_trace *trace, ps_issue_kind kind, uint64_t n, const place *first)
{
        ps_place where = {first->ref.loc, 0, UINT64_MAX, first->time};
        ps_issue_note_many(&trace->issues, kind, n, where);
}

static ps_clock_info recorded(const tally *t)
{
        return (ps_clock_info){.violations = t->messages + t->collectives,
                               .message_violations = t->messages,
                               .collective_violations = t->collectives,
                               .worst = t->worst,
                               .left = t->messages + t->collectives};
}

static void report(ps_trace *trace, const tally *t)
{
        trace->clock = recorded(t);
        note(trace, PS_I_CLOCK_MESSAGE, t->messages, &t->first_message);
        note(trace, PS_I_CLOCK_COLLECTIVE, t->collectives, &t->first_collective);
}

static void set_duration(ps_trace *trace)
{
        ps_time first = PS_TIME_MAX, last = INT64_MIN;
        for (ps_loc loc = 0; loc < trace->n_locs; loc++) {
                const ps_location_info *info = &trace->info[loc];
                if (info->first > info->last)
                        continue;
                first = info->first < first ? info->first : first;
                last = info->last > last ? info->last : last;
        }
        if (first <= last)
                trace->measured.duration = ps_time_sub(last, first);
}

/* Offsets that leave half of the contradiction do not explain it: what is wrong is something else, and moving
 * the clocks would only spread it. */
static ps_status repair(ps_trace *trace, ps_flows *flows, ps_clock_mode mode, const ps_slacks *slacks,
                        bool *fits, ps_error *err)
{
        int contradict = trace->clock.worst > PS_CLOCK_NOISE;
        ps_time hopeless = mode == PS_CLOCK_AUTO && contradict ? trace->clock.worst / 2 : PS_TIME_MAX;
        int gently = mode == PS_CLOCK_AUTO && !trace->defs.clock_per_process;
        return ps_clock_offset(trace, flows, slacks, hopeless, gently, fits, err);
}

static ps_status correct(ps_trace *trace, ps_flows *flows, ps_error *err)
{
        ps_status st = ps_clock_shift(trace, flows, PS_CLOCK_NOISE, &trace->clock.moved, err);
        trace->clock.corrected = trace->clock.moved > 0;
        return st;
}

static bool have_no_common_zero(const ps_trace *trace)
{
        return trace->defs.clock_per_process && trace->defs.processes.n > 1;
}

static bool wants_offsets(const ps_trace *trace, ps_clock_mode mode, const tally *counted)
{
        return mode == PS_CLOCK_REPAIR ||
               (mode == PS_CLOCK_AUTO && (counted->worst > PS_CLOCK_NOISE || have_no_common_zero(trace)));
}

static bool wants_shifts(ps_clock_mode mode, const tally *left)
{
        return mode != PS_CLOCK_AS_IS && left->messages + left->collectives > 0 &&
               left->slightest <= PS_CLOCK_NOISE;
}

bool ps_clock_wants_mending(const ps_trace *trace, ps_clock_mode mode, const tally *counted)
{
        return wants_offsets(trace, mode, counted) || wants_shifts(mode, counted);
}

static ps_status mend_offsets(ps_trace *trace, ps_flows *flows, ps_clock_mode mode, const ps_slacks *slacks,
                              unsigned n_threads, tally *t, ps_error *err)
{
        bool fits = false;
        PS_TRY(repair(trace, flows, mode, slacks, &fits, err));
        return trace->clock.repaired ? count_again(flows, fits, n_threads, t, err) : PS_OK;
}

static void take_mended(ps_trace *trace, const struct ps_clock_mended *mended, tally *t)
{
        trace->clock = mended->clock;
        *t = mended->left;
        if (trace->clock.repaired)
                ps_clock_move_rest(trace);
        for (ps_loc l = 0; mended->last && l < trace->n_locs; l++)
                if (trace->info[l].first <= trace->info[l].last)
                        trace->info[l].last = mended->last[l];
}

/* What `mode` asks for, given what was counted; that is counted again where something moved. */
static ps_status mend(ps_trace *trace, ps_flows *flows, ps_clock_mode mode, const ps_slacks *slacks,
                      unsigned n_threads, tally *t, ps_error *err)
{
        ps_status st = PS_OK;
        if (wants_offsets(trace, mode, t))
                st = mend_offsets(trace, flows, mode, slacks, n_threads, t, err);
        if (st == PS_OK && wants_shifts(mode, t)) {
                st = correct(trace, flows, err);
                if (st == PS_OK && trace->clock.corrected)
                        st = count_again(flows, false, n_threads, t, err);
        }
        trace->clock.left = t->messages + t->collectives;
        return st;
}

static ps_status lead(ps_clock_mended *out, ps_trace *trace, ps_flows *flows, ps_clock_mode mode,
                      ps_error *err)
{
        trace->clock = recorded(&out->left);
        ps_status status = mend(trace, flows, mode, NULL, flows->apart->n_threads, &out->left, err);
        ps_clock_dismiss(flows);
        out->clock = trace->clock;
        ps_time *last = PS_ARENA_NEW(trace->arena, ps_time, trace->n_locs);
        for (ps_loc l = 0; last && l < trace->n_locs; l++)
                last[l] = trace->info[l].last;
        out->last = last;
        PS_THEN(status, last ? PS_OK : PS_NOMEM(err, "locations", trace->n_locs));
        return status;
}

ps_status ps_clock_mend_apart(ps_clock_mended *out, ps_trace *trace, ps_clock_mode mode,
                              const ps_clock_apart *apart, ps_error *err)
{
        ps_flows flows;
        ps_status status = ps_flows_init(&flows, trace, &trace->measured, err);
        flows.apart = apart;
        status = ps_exchange_agree(apart->x, status, err);
        if (apart->x->rank && status == PS_OK)
                ps_clock_follow(&flows);
        else
                PS_THEN(status, lead(out, trace, &flows, mode, err));
        ps_flows_free(&flows);
        return status;
}

/* `worst` is the largest contradiction that is left. */
static ps_clock_trust trust(const ps_trace *trace, ps_time worst)
{
        if (trace->clock.repaired)
                return trace->clock.likely == PS_TIME_MAX ? PS_CLOCK_UNKNOWN : PS_CLOCK_BOUNDED;
        return have_no_common_zero(trace) || worst > PS_CLOCK_NOISE ? PS_CLOCK_UNKNOWN : PS_CLOCK_EXACT;
}

/* What needs no counting any more; NULL: all does. */
static const tally *counted_messages(const ps_clock_known *known)
{
        return known->slacks && known->slacks->tells ? &known->slacks->early : known->messages;
}

static ps_status mend_here(ps_trace *trace, ps_clock_mode mode, const ps_slacks *slacks, unsigned n_threads,
                           tally *t, ps_error *err)
{
        ps_flows flows;
        PS_TRY(ps_flows_init(&flows, trace, &trace->measured, err));
        ps_status status = mend(trace, &flows, mode, slacks, n_threads, t, err);
        ps_flows_free(&flows);
        return status;
}

ps_status ps_clock_check(ps_trace *trace, ps_clock_mode mode, const ps_clock_known *known, unsigned n_threads,
                         ps_error *err)
{
        tally t = known->all ? *known->all : nothing;
        if (!known->all)
                PS_TRY(count_here(trace, NULL, counted_messages(known), n_threads, &t, err));
        report(trace, &t);
        trace->clock.trust = trust(trace, t.worst);
        if (mode == PS_CLOCK_AS_IS ||
            (mode == PS_CLOCK_AUTO && trace->clock.violations == 0 && !have_no_common_zero(trace)))
                return PS_OK;
        if (known->mended)
                take_mended(trace, known->mended, &t);
        else
                PS_TRY(mend_here(trace, mode, known->slacks, n_threads, &t, err));
        if (trace->clock.repaired || trace->clock.corrected)
                set_duration(trace);
        trace->clock.trust = trust(trace, t.worst);
        return PS_OK;
}

/* How far the clocks may have drifted apart from what they were when they were compared. */
static ps_time wander_of(const ps_clock_info *clock, uint32_t n, ps_proc a, ps_proc b)
{
        ps_time by = clock->wander ? clock->wander[(size_t)a * n + b] : PS_TIME_MAX;
        return by < clock->wander_most ? by : clock->wander_most;
}

static ps_time room_of(const ps_clock_info *clock, uint32_t n, ps_proc a, ps_proc b)
{
        ps_time room = clock->room    ? clock->room[(size_t)a * n + b]
                       : clock->width ? ps_time_add(clock->width[a], clock->width[b])
                                      : clock->likely;
        return ps_time_add(room, wander_of(clock, n, a, b));
}

ps_time ps_clock_pair_uncertainty(const ps_trace *trace, ps_proc a, ps_proc b)
{
        const ps_clock_info *clock = &trace->clock;
        if (a == b || !clock->repaired)
                return 0;
        ps_time up = room_of(clock, trace->defs.processes.n, a, b);
        ps_time down = room_of(clock, trace->defs.processes.n, b, a), most = up > down ? up : down;
        ps_time well = clock->error ? clock->error[(size_t)a * trace->defs.processes.n + b] : PS_TIME_MAX;
        return well < most ? well : most;
}

ps_time ps_clock_pair_excess(const ps_trace *trace, ps_proc early, ps_proc late)
{
        const ps_clock_info *clock = &trace->clock;
        if (early == late || clock->trust == PS_CLOCK_EXACT)
                return 0;
        return clock->repaired ? room_of(clock, trace->defs.processes.n, late, early) : PS_TIME_MAX;
}
