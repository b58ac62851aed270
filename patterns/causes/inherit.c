/* inherit.c - see inherit.h.
 *
 * A location's waits are visited from the last to the first. A wait that passes something on to a range of
 * them adds a rate where the range ends and takes it away where the range begins: how much is passed on for
 * each picosecond of waiting. Rates are binary fractions. What their division leaves over is passed on at the
 * range's begin; what a wait gets is rounded down, and the rest is left for the wait before it. So each range
 * gets exactly what was to be passed on. */
#include "patterns/causes/inherit.h"

#include "core/base/heap.h"
#include "core/base/memory.h"

#include <stdlib.h>

enum { FRACTION = 32 };

struct passing {
        struct delaying *d;
        const struct heirs *h;
        ps_delay_family family;
        ps_time *sum;   /* by wait: what it passes on */
        uint8_t *gives; /* by wait: the last family that it passed something on of, + 1 */
        struct purse {
                ps_wide_time rate, has;
        } * purse; /* by location */
};

static ps_wide_time wide(ps_time time)
{
        return (uint64_t)time;
}

static inline bool gives(const struct passing *p, uint32_t i)
{
        return p->gives[i] == p->family + 1;
}

static inline ps_wide_time all_of(const struct passing *p, uint32_t i)
{
        return wide(p->sum[i]) << FRACTION;
}

/* What wait number `i` passes on for each picosecond of the waits that it inherits from. */
static inline ps_wide_time rate_of(const struct passing *p, uint32_t i)
{
        uint64_t sum = (uint64_t)p->sum[i], waited = (uint64_t)p->d->wait[i].waited;
        return sum >> (64 - FRACTION) ? all_of(p, i) / waited : (sum << FRACTION) / waited;
}

/* What wait number `i` of this location inherits, of this family. */
static inline ps_time take_inherited(struct passing *p, uint32_t i)
{
        const struct waiting *wait = p->d->wait;
        struct purse *purse = &p->purse[wait[i].loc];
        for (uint32_t k = p->h->begin[i]; k; k = p->h->begins_as_well[k - 1])
                if (gives(p, k - 1))
                        purse->rate += rate_of(p, k - 1);
        if (!purse->rate && !purse->has)
                return 0;
        purse->has += purse->rate * wide(length_of(&wait[i]));
        for (uint32_t k = p->h->end[i]; k; k = p->h->ends_as_well[k - 1]) {
                if (!gives(p, k - 1))
                        continue;
                const struct waiting *heir = &wait[k - 1];
                ps_wide_time rate = rate_of(p, k - 1);
                purse->rate -= rate;
                purse->has += all_of(p, k - 1) - rate * wide(heir->waited);
                purse->has -= rate * wide(heir->cut);
        }
        ps_time whole = (ps_time)(purse->has >> FRACTION);
        purse->has -= wide(whole) << FRACTION;
        return whole;
}

static inline void give(struct passing *p, uint32_t i, ps_time sum)
{
        p->sum[i] = sum;
        p->gives[i] = (uint8_t)(p->family + 1);
}

static void pass(struct passing *p, uint32_t i)
{
        struct delaying *d = p->d;
        struct waiting *w = &d->wait[i];
        bool is_own = w->family == p->family && w->counts;
        ps_time inherited = take_inherited(p, i);
        if (!inherited && !is_own)
                return;
        struct split own = {0};
        ps_time *unexplained = sum_at(d->out, p->family, PS_DELAYED_UNEXPLAINED, w->loc);
        if (!w->is_caused || w->excess + w->waited <= 0) {
                *unexplained += inherited + (is_own ? length_of(w) : 0);
                return;
        }
        if (is_own) {
                own = ps_split_of(d, w);
                *unexplained += length_of(w) - own.direct - own.indirect;
        }
        ps_time direct = inherited ? part_of(inherited, w->excess, w->waited) : 0;
        w->passed += direct;
        *sum_at(d->out, p->family, PS_DELAYED_LONG, w->by.loc) += direct;
        ps_time indirect = inherited - direct + own.indirect;
        if (indirect && w->first < w->behind)
                give(p, i, indirect);
        else
                *unexplained += indirect;
}

/* Most waits are of another family, and nothing of this one is passed on to them. */
static void pass_family(struct passing *p)
{
        const struct waiting *wait = p->d->wait;
        for (const uint32_t *i = p->h->order, *end = i + p->d->n_waits; i < end; i++) {
                const struct purse *purse = &p->purse[wait[*i].loc];
                if (wait[*i].family == p->family || p->h->begin[*i] || purse->rate || purse->has)
                        pass(p, *i);
        }
}

/* -- propagating waits -- */

/* A wait whose window others lie in, and which part of them it passes on. */
struct heir {
        double share;
        uint32_t wait;
};

#define PASSES_ON_MORE(a, b) ((a)->share > (b)->share)
PS_HEAP(heirs, struct heir, PASSES_ON_MORE)

struct heap {
        struct heir *at; /* the one that passes on most comes first */
        uint32_t n;
};

/* Scalasca's are only those of messages. */
static bool propagates(const struct delaying *d, const struct waiting *heir)
{
        return !is_scalasca(d) || heir->family == PS_DELAY_LATE_SENDER ||
               heir->family == PS_DELAY_LATE_RECEIVER;
}

static ps_time explained_of(const struct waiting *w)
{
        return earlier(length_of(w), w->excess + w->waited);
}

/* Of one location, the latest wait first. */
static void propagate(struct delaying *d, const struct heirs *h, struct heap *heap, ps_loc loc)
{
        const struct timeline *line = &d->line[loc];
        heap->n = 0;
        for (uint32_t i = line->wait + line->n_waits; i-- > line->wait;) {
                const struct waiting *w = &d->wait[i];
                for (uint32_t k = h->begin[i]; k; k = h->begins_as_well[k - 1]) {
                        const struct waiting *heir = &d->wait[k - 1];
                        double share = (double)explained_of(heir) / (double)(heir->excess + heir->waited);
                        if (propagates(d, heir))
                                heirs_rise(heap->at, heap->n++, (struct heir){share, k - 1});
                }
                while (heap->n && d->wait[heap->at[0].wait].first > i) {
                        heap->n--;
                        heirs_sink(heap->at, heap->n, 0, heap->at[heap->n]);
                }
                if (!heap->n || !w->counts)
                        continue;
                const struct waiting *heir = &d->wait[heap->at[0].wait];
                ps_time length = length_of(w) - (heir->first == i ? heir->cut : 0);
                *sum_at(d->out, w->family, PS_DELAYED_PROPAGATING, loc) +=
                        share_of(explained_of(heir), length, heir->excess + heir->waited);
        }
}

/* -- all -- */

static void add_up(struct delaying *d)
{
        for (uint32_t i = 0; i < d->n_waits; i++) {
                struct waiting *w = &d->wait[i];
                w->passed = 0;
                if (!w->counts)
                        continue;
                struct split split = w->is_caused ? ps_split_of(d, w) : (struct split){0, 0};
                if (is_scalasca(d)) {
                        split.indirect = propagates(d, w) ? split.indirect : 0;
                        split.direct = length_of(w) - split.indirect;
                }
                ps_time *sum = d->out->sum[w->loc][w->family];
                sum[PS_DELAYED_WAIT] += length_of(w);
                sum[PS_DELAYED_DIRECT] += split.direct;
                sum[PS_DELAYED_INDIRECT] += split.indirect;
        }
}

static void add_up_terminal(ps_delays *out)
{
        for (unsigned f = 0; f < PS_N_DELAYS; f++)
                for (ps_loc loc = 0; loc < out->n_locs; loc++)
                        *sum_at(out, f, PS_DELAYED_TERMINAL, loc) =
                                *sum_at(out, f, PS_DELAYED_WAIT, loc) -
                                *sum_at(out, f, PS_DELAYED_PROPAGATING, loc);
}

static bool occurs(const struct delaying *d, ps_delay_family family)
{
        for (ps_loc loc = 0; loc < d->trace->n_locs; loc++)
                if (*sum_at(d->out, family, PS_DELAYED_WAIT, loc))
                        return true;
        return false;
}

static ps_status pass_all(struct delaying *d, const struct heirs *h, ps_error *err)
{
        size_t n = d->n_waits + (size_t)1, n_locs = d->trace->n_locs + (size_t)1;
        struct passing p = {.d = d,
                            .h = h,
                            .sum = ps_memory_new(n * sizeof(*p.sum)),
                            .gives = ps_memory_zeroed(n, sizeof(*p.gives)),
                            .purse = ps_memory_zeroed(n_locs, sizeof(*p.purse))};
        ps_status status = p.sum && p.gives && p.purse ? PS_OK : PS_NOMEM(err, "waits", n);
        for (int f = 0; f < PS_N_DELAYS && status == PS_OK; f++) {
                p.family = (ps_delay_family)f;
                if (occurs(d, p.family))
                        pass_family(&p);
        }
        free(p.sum);
        free(p.gives);
        free(p.purse);
        return status;
}

ps_status ps_inherit_all(struct delaying *d, const struct heirs *h, ps_error *err)
{
        struct heap heap = {ps_memory_new((d->n_waits + (size_t)1) * sizeof(*heap.at)), 0};
        if (!heap.at)
                return PS_NOMEM(err, "waits", d->n_waits);
        add_up(d);
        for (ps_loc loc = 0; loc < d->trace->n_locs; loc++)
                propagate(d, h, &heap, loc);
        add_up_terminal(d->out);
        free(heap.at);
        return pass_all(d, h, err);
}
