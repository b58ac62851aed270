/* profiled.c - see profiled.h.
 *
 * Each follows its own locations through a window of time, and tells process 0 what has changed in it, which
 * adds that up in order of time. So levels and peaks come about as ever, and process 0 holds a window of all.
 */
#include "core/load/profiled.h"
#include "core/load/share.h"
#include "core/load/tasks.h"

#include "core/base/pass.h"
#include "core/match/neighbours.h"
#include "core/match/partners.h"
#include "core/match/ranks.h"
#include "core/model/focus.h"
#include "core/sums/sweep.h"

#include <stdlib.h>
#include <string.h>

#define VALUE(p, value) PS_TRY(ps_pass_values((p), &(value), 1, sizeof(value)))

/* Operations that begin in a window, of all. */
enum { WINDOW_OPS = 1 << 18, LEAST_OPS = 64 };

/* When a location begins and ends. */
struct lasting {
        ps_time first, last;
};

struct settings {
        uint32_t n_bins;
        bool has_queues; /* in process 0 */
        ps_time duration;
        bool has_focus;
        ps_focus focus;
        struct lasting *lasting; /* by location */
};

static ps_status pass_settings(ps_pass *p, struct settings *s, uint32_t n_locs)
{
        VALUE(p, s->n_bins);
        VALUE(p, s->duration);
        PS_TRY(ps_pass_column(p, &s->lasting, n_locs, sizeof(*s->lasting)));
        PS_TRY(ps_pass_bool(p, &s->has_focus));
        return s->has_focus ? ps_focus_pass(p, &s->focus, n_locs) : PS_OK;
}

/* -- all -- */

static void put_bounds(void *ctx, uint32_t coll, int64_t *row)
{
        ps_waits_bound(ctx, coll, row);
}

static void take_bounds(void *ctx, uint32_t coll, const int64_t *row)
{
        ps_waits_fill(ctx, coll, row);
}

static void add_bounds(int64_t *to, const int64_t *bounds)
{
        for (unsigned i = 0; i < PS_WAITS_BOUNDS; i++)
                to[i] = bounds[i] > to[i] ? bounds[i] : to[i];
}

static bool is_prefix(void *ctx, uint32_t coll)
{
        return ps_kinds[((const ps_waits *)ctx)->trace->colls[coll].kind].traits & PS_T_PREFIX;
}

static bool is_member_here(void *ctx, uint32_t member)
{
        const ps_trace *here = ((const ps_waits *)ctx)->trace;
        return ps_share_is_here(here, here->members[member].ref.loc);
}

static ps_time entered_at(void *ctx, uint32_t member)
{
        const ps_trace *here = ((const ps_waits *)ctx)->trace;
        const ps_ref ref = here->members[member].ref;
        return here->measured.enter[ref.loc][ref.op];
}

static void take_lower(void *ctx, uint32_t member, const ps_latest *before)
{
        ((const ps_waits *)ctx)->ready[member] = ps_time_later(entered_at(ctx, member), before->time);
}

static void tell_neighbour(void *ctx, uint32_t member, ps_neighbour *out)
{
        out->begin = entered_at(ctx, member);
}

static void take_neighbour(void *ctx, uint32_t member, const ps_neighbour *needed)
{
        ps_time *ready = &((const ps_waits *)ctx)->ready[member];
        *ready = ps_time_later(*ready, needed->begin);
}

static ps_status make_waits(ps_waits *out, const ps_trace *here, ps_exchange *x, ps_error *err)
{
        static const ps_reduced fields[PS_WAITS_BOUNDS] = {
                [PS_WAITS_LAST] = {INT64_MIN, false}, [PS_WAITS_ROOT] = {INT64_MIN, true}};
        const ps_agreed_rows rows = {{fields, PS_WAITS_BOUNDS, add_bounds}, put_bounds, take_bounds, out};
        PS_TRY(ps_exchange_agree(x, ps_waits_make_apart(out, here, &here->measured, err), err));
        const ps_ranks ranks = {
                here, &here->spread->agreed, x, is_prefix, is_member_here, entered_at, take_lower, out};
        PS_TRY(ps_agreed_reduce(&here->spread->agreed, x, &rows, err));
        const ps_neighbours neighbours = {here,           &here->spread->agreed, x,  here->spread->owner,
                                          tell_neighbour, take_neighbour,        out};
        PS_TRY(ps_ranks_visit(&ranks, err));
        return ps_neighbours_visit(&neighbours, err);
}

/* Process 0 takes what each of the others tells. */
static ps_status tell(ps_sweep *s, ps_exchange *x, ps_status status,
                      ps_status (*pass)(ps_pass *p, ps_sweep *sweep), ps_error *err)
{
        ps_pile pile;
        ps_pass measure = {.way = PS_PASS_MEASURE, .err = err}, put = {.way = PS_PASS_PUT, .err = err};
        if (x->rank && status == PS_OK) {
                status = pass(&measure, s);
                put.size = measure.used;
                put.bytes = malloc(put.size + 1);
                PS_THEN(status, put.bytes ? pass(&put, s) : PS_NOMEM(err, "changes", put.size));
        }
        status = ps_share_gather(x, status, &pile, put.bytes, put.used, err);
        for (uint32_t p = 1; !x->rank && p < x->size && status == PS_OK; p++) {
                ps_pass take = {.way = PS_PASS_TAKE, .err = err};
                take.bytes = (uint8_t *)ps_pile_part(&pile, p, &take.size);
                status = pass(&take, s);
        }
        ps_pile_clear(&pile);
        free(put.bytes);
        return status;
}

/* What each would choose, and how much happens in it. */
struct wish {
        ps_time end;
        uint64_t n;
};

/* The soonest end, and so soon that all changes of the window have room in its numbers. */
static ps_status agree_on_end(ps_sweep *s, ps_exchange *x, ps_time now, ps_time *end, ps_error *err)
{
        ps_pile wishes;
        uint32_t most = WINDOW_OPS / x->size > LEAST_OPS ? WINDOW_OPS / x->size : LEAST_OPS;
        struct wish wish;
        wish.end = ps_sweep_window_end(s, now, most, &wish.n);
        PS_TRY(ps_exchange_gather(x, &wishes, &wish, sizeof(wish), err));
        for (uint32_t p = 1; !x->rank && p < x->size; p++) {
                struct wish other;
                memcpy(&other, wishes.bytes + p * sizeof(other), sizeof(other));
                wish.end = ps_time_earlier(wish.end, other.end);
                wish.n += other.n;
        }
        ps_pile_clear(&wishes);
        ps_time length = wish.end - now;
        while (length > 1 && !ps_sweep_has_room(s, length, wish.n))
                length /= 2;
        *end = now + length;
        ps_exchange_broadcast(x, end, sizeof(*end));
        return PS_OK;
}

static ps_status run_windows(ps_sweep *s, ps_exchange *x, ps_error *err)
{
        ps_status status = PS_OK;
        for (ps_time now = 0, end; now < s->timing->duration; now = end) {
                PS_TRY(ps_exchange_agree(x, status, err));
                PS_TRY(agree_on_end(s, x, now, &end, err));
                status = tell(s, x, ps_sweep_follow(s, end), ps_sweep_pass_seen, err);
                if (!x->rank)
                        PS_THEN(status, ps_sweep_add_up(s));
        }
        return ps_exchange_agree(x, status, err);
}

static ps_status mark_away(uint8_t **out, const ps_trace *here, ps_error *err)
{
        *out = calloc(here->n_locs + (size_t)1, 1);
        for (ps_loc l = 0; *out && l < here->n_locs; l++)
                (*out)[l] = !ps_share_is_here(here, l);
        return *out ? PS_OK : PS_NOMEM(err, "locations", here->n_locs);
}

/* Queues over time are what process 0 adds up, and nobody else needs. */
static ps_status sweep_all(ps_sweep *s, ps_exchange *x, const struct settings *how, ps_error *err)
{
        PS_TRY(ps_exchange_agree(x, ps_sweep_begin(s, how->n_bins, how->has_queues), err));
        PS_TRY(run_windows(s, x, err));
        return tell(s, x, ps_sweep_end_locations(s), ps_sweep_pass_sums, err);
}

/* Of the rows that are here; process 0 gets the profile of all. */
static ps_status profile_together(ps_profile **out, ps_trace *here, const struct settings *how, ps_error *err)
{
        ps_exchange *x = here->spread->x;
        ps_partners partners = {.rows = NULL};
        ps_sweep s = {.trace = here, .timing = &here->measured, .err = err};
        uint8_t *is_away;
        ps_status status = ps_exchange_agree(x, mark_away(&is_away, here, err), err);
        s.is_away = is_away;
        PS_THEN(status,
                ps_partners_deal(&partners, here, here->spread->owner, PS_PARTNERS_WITH_BYTES, x, err));
        PS_THEN(status, make_waits(&s.waits, here, x, err));
        PS_THEN(status, sweep_all(&s, x, how, err));
        status = ps_sweep_end(out, &s, status);
        ps_waits_free(&s.waits);
        ps_partners_clear(&partners, here);
        free(is_away);
        return status;
}

/* -- process 0 -- */

static ps_status ask(const ps_trace *trace, const struct settings *how, ps_error *err)
{
        struct settings s = {.n_bins = how->n_bins,
                             .duration = trace->measured.duration,
                             .has_focus = trace->measured.focus,
                             .lasting = calloc(trace->n_locs + (size_t)1, sizeof(*s.lasting))};
        ps_pass measure = {.way = PS_PASS_MEASURE, .err = err}, put = {.way = PS_PASS_PUT, .err = err};
        ps_status status = s.lasting ? PS_OK : PS_NOMEM(err, "locations", trace->n_locs);
        if (s.has_focus)
                s.focus = *trace->measured.focus;
        for (ps_loc l = 0; s.lasting && l < trace->n_locs; l++)
                s.lasting[l] = (struct lasting){trace->info[l].first, trace->info[l].last};
        PS_THEN(status, pass_settings(&measure, &s, trace->n_locs));
        put.size = measure.used;
        put.bytes = calloc(put.size + 1, 1);
        PS_THEN(status, put.bytes ? pass_settings(&put, &s, trace->n_locs)
                                  : PS_NOMEM(err, "what is asked", put.size));
        PS_THEN(status, ps_task_ask(trace->spread->x, TASK_PROFILE, put.bytes, put.size, err));
        free(put.bytes);
        free(s.lasting);
        return status;
}

static ps_status profile_all(ps_profile **out, const ps_trace *trace, const struct settings *how,
                             ps_error *err)
{
        ps_trace here;
        *out = NULL;
        PS_TRY(ask(trace, how, err));
        ps_status status = ps_exchange_agree(trace->spread->x, ps_share_look(&here, trace, err), err);
        PS_THEN(status, profile_together(out, &here, how, err));
        ps_share_look_away(&here);
        return status;
}

ps_status ps_profile_make_all(ps_profile **out, const ps_trace *trace, const ps_timing *timing,
                              uint32_t n_bins, ps_error *err)
{
        const struct settings how = {.n_bins = n_bins ? n_bins : PS_PROFILE_BINS};
        return ps_share_is_apart(trace, timing) ? profile_all(out, trace, &how, err)
                                                : ps_profile_make(out, trace, timing, n_bins, err);
}

ps_status ps_profile_make_fine_all(ps_profile **out, const ps_trace *trace, const ps_timing *timing,
                                   ps_error *err)
{
        const struct settings how = {.n_bins = PS_PROFILE_BINS_FINE, .has_queues = true};
        return ps_share_is_apart(trace, timing) ? profile_all(out, trace, &how, err)
                                                : ps_profile_make_fine(out, trace, timing, err);
}

/* -- the others -- */

static ps_status hear(ps_trace *here, struct settings *s, ps_pass *take)
{
        PS_TRY(pass_settings(take, s, here->n_locs));
        here->measured.duration = s->duration;
        here->measured.focus = s->has_focus ? &s->focus : NULL;
        for (ps_loc l = 0; l < here->n_locs; l++) {
                here->info[l].first = s->lasting[l].first;
                here->info[l].last = s->lasting[l].last;
        }
        return PS_OK;
}

void ps_profile_apart(const ps_trace *near, unsigned n_threads, uint8_t *asked, size_t n)
{
        ps_error err = {0};
        ps_trace here = *near;
        ps_profile *none = NULL;
        struct settings settings = {.n_bins = 0};
        ps_pass take = {.way = PS_PASS_TAKE, .bytes = asked, .size = n, .err = &err};
        (void)n_threads;
        ps_status status = hear(&here, &settings, &take);
        if (ps_exchange_agree(here.spread->x, status, &err) == PS_OK)
                profile_together(&none, &here, &settings, &err); /* what fails is process 0's to tell */
        ps_profile_free(none);
}
