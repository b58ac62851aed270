/* membership.c - which members of collective operations wait for all, and which take part. */
#include "patterns/causes/apart.h"
#include "patterns/causes/passes.h"

#include "core/base/blocks.h"
#include "core/base/parallel.h"

static bool waits_for_all(const struct delaying *d, const ps_coll *coll, uint32_t member, bool takes_part)
{
        uint16_t traits = ps_kinds[coll->kind].traits;
        ps_collective_view view;
        if (coll->n < 2 && !(d->apart && is_shared(d, d->trace->members[member].coll)))
                return false;
        if (is_scalasca(d) && (coll->kind == PS_K_FINALIZE || coll->kind == PS_K_ALLTOALLV ||
                               coll->kind == PS_K_ALLTOALLW || traits & PS_T_RMA))
                return false;
        if (!coll->pgas && !(traits & PS_T_RMA))
                return (traits & (PS_T_BARRIER | PS_T_ALL_TO_ALL | PS_T_LIFE)) && takes_part;
        ps_view_collective(&view, d->colls, member);
        if (traits & PS_T_RMA)
                return view.all.earliest_end >= view.all.latest_begin;
        return traits & PS_T_BARRIER || view.own.in_sync == PS_SYNC_ALL;
}

enum { MEMBERS_AT_ONCE = 4096 };

struct memberships {
        const struct delaying *d;
        uint8_t *of; /* by member */
};

static uint8_t membership_of(const struct delaying *d, const ps_coll *coll, uint32_t member)
{
        const uint16_t traits = ps_kinds[coll->kind].traits;
        if (coll->n > 1 && !coll->pgas && (traits & (PS_T_BARRIER | PS_T_RMA)) == PS_T_BARRIER)
                return WAITS_FOR_ALL | TAKES_PART; /* whoever sends what */
        const bool takes_part = ps_takes_part(d->colls, member),
                   is_group = !(traits & PS_T_ALL_TO_ALL) || coll->pgas;
        return (uint8_t)((waits_for_all(d, coll, member, takes_part) ? WAITS_FOR_ALL : 0) |
                         (is_group || takes_part ? TAKES_PART : 0));
}

static ps_status find_memberships(void *ctx, uint32_t chunk, unsigned worker, ps_error *err)
{
        const struct memberships *m = ctx;
        const ps_trace *trace = m->d->trace;
        uint32_t first = chunk * MEMBERS_AT_ONCE, left = trace->n_members - first;
        (void)worker, (void)err;
        ps_blocks_look();
        for (uint32_t i = first; i - first < left && i - first < MEMBERS_AT_ONCE; i++)
                m->of[i] = membership_of(m->d, &trace->colls[trace->members[i].coll], i);
        return PS_OK;
}

ps_status ps_memberships_find(uint8_t *of, const struct delaying *d, ps_error *err)
{
        struct memberships m = {d, of};
        return ps_parallel_for(d->options.n_threads,
                               (d->trace->n_members + MEMBERS_AT_ONCE - 1) / MEMBERS_AT_ONCE,
                               find_memberships, &m, err);
}
