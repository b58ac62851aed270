/* inherit.c - see inherit.h.
 *
 * A location's waits are visited from the last to the first. A wait that passes something on to a range of
 * them adds a rate where the range ends and takes it away where the range begins: how much is passed on for
 * each picosecond of waiting. Rates are binary fractions. What their division leaves over is passed on at the
 * range's begin; what a wait gets is rounded down, and the rest is left for the wait before it. So each range
 * gets exactly what was to be passed on. */
#include "patterns/causes/inherit.h"

#include "core/base/blocks.h"
#include "core/base/heap.h"
#include "core/base/memory.h"
#include "core/base/vector.h"
#include "patterns/causes/costs.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { FRACTION = 32 };

/* What a wait passes on of one family. */
struct gift {
        ps_wide_time rate; /* for each picosecond of the waits that are inherited from */
        ps_time sum;
        uint32_t next; /* gift of the same wait, or that was spent, + 1 */
        ps_delay_family family;
};

struct passing {
        struct delaying *d;
        const struct heirs *h;
        struct gift *gift;
        uint32_t n_gifts, cap_gifts;
        uint32_t spent;       /* a gift whose room may be used again, + 1 */
        uint32_t *first_gift; /* by wait, + 1 */
        bool is_full;         /* memory was out */
        /* By location and family: what the next wait on the way back gets. */
        struct purses {
                uint32_t in_use; /* a bit for each family of which there is something */
                struct purse {
                        ps_wide_time rate, has;
                } of[PS_N_DELAYS];
        } * purses;
};

static ps_wide_time wide(ps_time time)
{
        return (uint64_t)time;
}

/* What is passed on for each picosecond of the waits that are inherited from. */
static inline ps_wide_time rate_of(ps_time sum, ps_time waited)
{
        uint64_t whole = (uint64_t)sum, of = (uint64_t)waited;
        return whole >> (64 - FRACTION) ? (wide(sum) << FRACTION) / of : (whole << FRACTION) / of;
}

static inline struct gift *gift_at(const struct passing *p, uint32_t g)
{
        assert(p->gift && g <= p->n_gifts);
        return &p->gift[g - 1];
}

/* The range of heir number `k` begins: the last wait that it inherits from comes next. */
static inline void begin_range(const struct passing *p, struct purses *purses, uint32_t k)
{
        for (uint32_t g = p->first_gift[k]; g; g = gift_at(p, g)->next) {
                const struct gift *gift = gift_at(p, g);
                purses->of[gift->family].rate += gift->rate;
                purses->in_use |= 1U << gift->family;
        }
}

/* It ends: the first wait that it inherits from has got its share. Nobody needs the heir's gifts any more. */
static inline void end_range(struct passing *p, struct purses *purses, uint32_t k)
{
        const struct waiting *heir = &p->d->wait[k];
        const ps_time inherited = waited_between(p->d, heir->first, heir->behind);
        for (uint32_t g = p->first_gift[k], next; g; g = next) {
                struct gift *gift = gift_at(p, g);
                struct purse *purse = &purses->of[gift->family];
                purse->rate -= gift->rate;
                purse->has += (wide(gift->sum) << FRACTION) - gift->rate * wide(inherited);
                purses->in_use |= 1U << gift->family;
                next = gift->next;
                gift->next = p->spent;
                p->spent = g;
        }
}

/* The whole picoseconds of a family. */
static inline ps_time take_whole(struct purses *purses, unsigned family)
{
        struct purse *purse = &purses->of[family];
        ps_time whole = (ps_time)(purse->has >> FRACTION);
        purse->has -= wide(whole) << FRACTION;
        if (!purse->rate && !purse->has)
                purses->in_use &= ~(1U << family);
        return whole;
}

static inline void add_gift(struct passing *p, uint32_t i, ps_delay_family family, ps_time sum)
{
        uint32_t g = p->spent;
        if (g)
                p->spent = gift_at(p, g)->next;
        else if (PS_ROOM(p->gift, p->n_gifts, p->cap_gifts))
                p->is_full = true;
        else
                g = ++p->n_gifts;
        if (!g)
                return;
        *gift_at(p, g) = (struct gift){rate_of(sum, p->d->wait[i].waited), sum, p->first_gift[i], family};
        p->first_gift[i] = g;
}

/* Does the causer's excess, or its waiting, explain something of it? */
static inline bool explains(const struct waiting *w)
{
        return w->excess + w->waited > 0;
}

/* Passes on what heirs passed to wait number `i` in a family, and what is inherited from it itself, `own`.
 * Returns what the excess of its causer is charged with. */
static inline ps_time pass_on_family(struct passing *p, uint32_t i, ps_delay_family family, ps_time received,
                                     ps_time own)
{
        const struct delaying *d = p->d;
        const struct waiting *w = &d->wait[i];
        ps_time direct = 0, indirect = received + own;
        bool is_explained = explains(w);
        if (!indirect)
                return 0;
        if (received && is_explained) {
                direct = part_of(received, w->excess, w->waited);
                *sum_at(d->out, family, PS_DELAYED_LONG, w->by.loc) += direct;
                indirect -= direct;
        }
        if (indirect && is_explained && w->first < w->behind)
                add_gift(p, i, family, indirect);
        else
                *sum_at(d->out, family, PS_DELAYED_UNEXPLAINED, w->loc) += indirect;
        return direct;
}

static inline void pass_on_wait(struct passing *p, uint32_t i, bool is_heir)
{
        const struct heirs *h = p->h;
        const struct waiting *w = &p->d->wait[i];
        struct purses *purses = &p->purses[w->loc];
        for (uint32_t k = h->begin[i]; k; k = h->begins_as_well[k - 1])
                begin_range(p, purses, k - 1);
        for (uint32_t left = purses->in_use; left; left &= left - 1) {
                struct purse *purse = &purses->of[__builtin_ctz(left)];
                purse->has += purse->rate * wide(length_of(w));
        }
        for (uint32_t k = h->end[i]; k; k = h->ends_as_well[k - 1])
                end_range(p, purses, k - 1);
        ps_time own = is_heir ? ps_split_of(p->d, w).indirect : 0, charged = 0;
        for (uint32_t left = purses->in_use | (own ? 1U << w->family : 0); left; left &= left - 1) {
                unsigned family = (unsigned)__builtin_ctz(left);
                charged += pass_on_family(p, i, (ps_delay_family)family, take_whole(purses, family),
                                          family == w->family ? own : 0);
        }
        if (charged)
                ps_costs_add_inherited(p->d, w, charged);
}

static inline void take_turn(struct passing *p, uint32_t i)
{
        const struct waiting *w = &p->d->wait[i];
        bool is_heir = inherits(w) && p->d->line[w->loc].counts;
        if (is_heir || p->purses[w->loc].in_use || p->h->begin[i] || p->h->end[i])
                pass_on_wait(p, i, is_heir);
}

/* -- propagating waits -- */

/* A wait, and how long it waited for each picosecond of its causer's excess and waiting. */
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

/* Ranges that begin with wait number `i` come in, those that ended behind it go. */
static inline void move_on(const struct delaying *d, const struct heirs *h, struct heap *heap, uint32_t i)
{
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
}

/* What of wait number `i` is propagated. */
static inline ps_time propagated(const struct delaying *d, const struct heap *heap, uint32_t i)
{
        const struct waiting *heir = &d->wait[heap->at[0].wait];
        ps_time length = length_of(&d->wait[i]) - (heir->first == i ? cut_before(d, heir) : 0);
        return share_of(explained_of(heir), length, heir->excess + heir->waited);
}

/* What the waits of a location are by themselves. */
static inline void add_wait(const struct delaying *d, const struct waiting *w, ps_time *sum)
{
        ps_time length = length_of(w);
        struct split split = ps_split_of(d, w); /* of nobody's wait 0 and 0 */
        sum[PS_DELAYED_WAIT] += length;
        sum[PS_DELAYED_UNEXPLAINED] += length - split.direct - (inherits(w) ? split.indirect : 0);
        if (is_scalasca(d)) {
                split.indirect = propagates(d, w) ? split.indirect : 0;
                split.direct = length - split.indirect;
        }
        sum[PS_DELAYED_DIRECT] += split.direct;
        sum[PS_DELAYED_INDIRECT] += split.indirect;
}

/* Of one location, the latest wait first. */
static void add_up(struct delaying *d, const struct heirs *h, struct heap *heap, ps_loc loc)
{
        const struct timeline *line = &d->line[loc];
        ps_time(*sum)[PS_N_DELAYED] = d->out->sum[loc];
        heap->n = 0;
        for (uint32_t i = line->wait + line->n_waits; i-- > line->wait;) {
                const struct waiting *w = &d->wait[i];
                if (h->begin[i] || heap->n)
                        move_on(d, h, heap, i);
                if (!line->counts)
                        continue;
                add_wait(d, w, sum[w->family]);
                if (heap->n)
                        sum[w->family][PS_DELAYED_PROPAGATING] += propagated(d, heap, i);
        }
}

/* -- all -- */

static void add_up_terminal(ps_delays *out)
{
        for (unsigned f = 0; f < PS_N_DELAYS; f++)
                for (ps_loc loc = 0; loc < out->n_locs; loc++)
                        *sum_at(out, f, PS_DELAYED_TERMINAL, loc) =
                                *sum_at(out, f, PS_DELAYED_WAIT, loc) -
                                *sum_at(out, f, PS_DELAYED_PROPAGATING, loc);
}

static ps_status pass_on_all(struct delaying *d, const struct heirs *h, ps_error *err)
{
        size_t n = d->n_waits + (size_t)1, n_locs = d->trace->n_locs + (size_t)1;
        struct passing p = {.d = d,
                            .h = h,
                            .first_gift = ps_memory_zeroed(n, sizeof(*p.first_gift)),
                            .purses = ps_memory_new(n_locs * sizeof(*p.purses))};
        bool has_room = p.first_gift && p.purses;
        for (ps_loc loc = 0; has_room && loc < d->trace->n_locs; loc++)
                memset(&p.purses[loc], 0, sizeof(*p.purses));
        for (uint32_t i = 0; has_room && i < d->n_waits; i++) {
                ps_blocks_keep_at(i);
                take_turn(&p, h->order[i]);
        }
        free(p.gift);
        free(p.first_gift);
        free(p.purses);
        return has_room && !p.is_full ? PS_OK : PS_NOMEM(err, "waits", n);
}

ps_status ps_inherit_all(struct delaying *d, const struct heirs *h, ps_error *err)
{
        struct heap heap = {ps_memory_new((d->n_waits + (size_t)1) * sizeof(*heap.at)), 0};
        if (!heap.at)
                return PS_NOMEM(err, "waits", d->n_waits);
        for (ps_loc loc = 0; loc < d->trace->n_locs; loc++) {
                ps_blocks_keep();
                add_up(d, h, &heap, loc);
        }
        add_up_terminal(d->out);
        free(heap.at);
        return pass_on_all(d, h, err);
}
