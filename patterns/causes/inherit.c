/* inherit.c - what the waits of each location are: direct, indirect, or propagating. */
#include "patterns/causes/apart.h"
#include "patterns/causes/passes.h"

#include "core/base/blocks.h"
#include "core/base/heap.h"
#include "core/base/memory.h"

#include <stdlib.h>

/* -- whose ranges begin with a wait -- */

/* Waits are visited from a location's last to its first, so that a range begins with its last wait. Those
 * that begin with the same wait are a list. Numbers are + 1; 0 ends a list. */
struct heirs {
        uint32_t *begin, *begins_as_well; /* by wait: the first heir; by heir: the next one */
};

static void link_heirs_of(struct heirs *h, const struct delaying *d, ps_loc loc)
{
        const struct timeline *line = &d->line[loc];
        for (uint32_t i = line->wait + line->n_waits; i-- > line->wait;) {
                const struct waiting *w = &d->wait[i];
                ps_blocks_keep();
                if (!inherits(w) || !is_here(d, w->by.loc))
                        continue;
                uint32_t *begin = &h->begin[base_here(d, w->by.loc) + w->behind - 1];
                h->begins_as_well[i] = *begin;
                *begin = i + 1;
        }
}

static ps_status link_heirs(struct heirs *h, const struct delaying *d, ps_error *err)
{
        const size_t n = d->n_waits + (size_t)1;
        h->begin = ps_memory_zeroed(n, sizeof(*h->begin));
        h->begins_as_well = ps_memory_again(n * sizeof(*h->begins_as_well));
        if (!h->begin || !h->begins_as_well)
                return PS_NOMEM(err, "waits", n);
        for (ps_loc loc = d->trace->n_locs; loc-- > 0;)
                link_heirs_of(h, d, loc);
        return PS_OK;
}

/* -- propagating waits -- */

/* A wait, and how long it waited for each picosecond of its causer's excess and waiting. */
struct heir {
        double share;
        uint32_t wait,
                last; /* of the first wait that it inherits from it gets no such share, if that is cut */
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

/* How much of the first wait that an heir inherits from lies before its causer's window. */
static ps_time cut_before(const struct delaying *d, const struct waiting *heir)
{
        const uint32_t base = base_here(d, heir->by.loc);
        return heir->is_cut ? waited_between(d, base + heir->first, base + heir->behind) - heir->waited : 0;
}

static inline bool begins_with(const struct delaying *d, const struct waiting *heir, uint32_t i)
{
        return base_here(d, heir->by.loc) + heir->first == i;
}

/* What of wait number `i` is propagated. */
static inline ps_time propagated(const struct delaying *d, const struct waiting *heir, uint32_t i)
{
        ps_time length = length_of(&d->wait[i]) - (begins_with(d, heir, i) ? cut_before(d, heir) : 0);
        return share_of(explained_of(heir), length, heir->excess + heir->waited);
}

static inline double rate_of(const struct waiting *heir)
{
        return (double)explained_of(heir) / (double)(heir->excess + heir->waited);
}

/* Ranges that begin with wait number `i` come in, those that ended behind it go. Returns the most that is
 * propagated of it by those that inherit from it alone, or from a part of it. */
static inline ps_time move_on(const struct delaying *d, const struct heirs *h, struct heap *heap, uint32_t i)
{
        ps_time most = 0;
        for (uint32_t k = h->begin[i]; k; k = h->begins_as_well[k - 1]) {
                const struct waiting *heir = &d->wait[k - 1];
                if (!propagates(d, heir))
                        continue;
                if (begins_with(d, heir, i))
                        most = later(most,
                                     share_of(explained_of(heir), heir->waited, heir->excess + heir->waited));
                else
                        heirs_rise(heap->at, heap->n++,
                                   (struct heir){rate_of(heir), k - 1,
                                                 base_here(d, heir->by.loc) + heir->first + heir->is_cut});
        }
        while (heap->n && heap->at[0].last > i) {
                const struct waiting *heir = &d->wait[heap->at[0].wait];
                if (heir->is_cut && heap->at[0].last == i + 1)
                        most = later(most, propagated(d, heir, i));
                heap->n--;
                heirs_sink(heap->at, heap->n, 0, heap->at[heap->n]);
        }
        return most;
}

/* The most that one of its heirs passed on to wait number `i`. */
static inline ps_time most_propagated(const struct delaying *d, const struct heirs *h, struct heap *heap,
                                      uint32_t i)
{
        const ps_time most = move_on(d, h, heap, i);
        return heap->n ? later(most, propagated(d, &d->wait[heap->at[0].wait], i)) : most;
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
        ps_blocks_look();
        for (uint32_t i = line->wait + line->n_waits; i-- > line->wait;) {
                const struct waiting *w = &d->wait[i];
                const ps_time propagating = most_propagated(d, h, heap, i);
                if (!line->counts)
                        continue;
                add_wait(d, w, sum[w->family]);
                sum[w->family][PS_DELAYED_PROPAGATING] += propagating;
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

ps_status ps_inherit_add_up(struct delaying *d, ps_error *err)
{
        struct heirs heirs = {NULL, NULL};
        struct heap heap = {ps_memory_new((d->n_waits + (size_t)1) * sizeof(*heap.at)), 0};
        ps_status status = heap.at ? link_heirs(&heirs, d, err) : PS_NOMEM(err, "waits", d->n_waits);
        for (ps_loc loc = 0; status == PS_OK && loc < d->trace->n_locs; loc++) {
                ps_blocks_keep();
                if (is_here(d, loc))
                        add_up(d, &heirs, &heap, loc);
        }
        add_up_terminal(d->out);
        free(heap.at);
        ps_memory_pass_on(heirs.begin);
        ps_memory_pass_on(heirs.begins_as_well);
        return status;
}
