/* near.c - operations in which only neighbours wait for each other, as far as the trace tells who they are.
 */
#include "simulator/replay/plan.h"

#include "core/base/memory.h"

#include <stdlib.h>

static void note_begin(void *ctx, uint32_t member, uint32_t needed)
{
        ps_replay *r = ctx;
        replay_near *near = &r->near[member];
        near->begin = ps_time_later(near->begin, recorded_begin(r, r->trace->members[needed].ref));
}

/* Where somebody is missing nobody could go on who waits for him: such an operation stays as it is. */
static void look_at_ranks(ps_replay *r, const ps_coll *coll, uint32_t *member_of)
{
        uint32_t n = r->trace->defs.comms.row[coll->comm].n_members;
        ps_coll_visit_near(r->trace, coll, member_of, note_begin, r);
        if (!coll->complete || coll->n != n)
                return;
        for (uint32_t rank = 0; rank < n; rank++)
                if (ps_coll_member(r->trace, coll, member_of, rank) == PS_NONE)
                        return;
        for (uint32_t rank = 0; rank < n; rank++)
                r->near[ps_coll_member(r->trace, coll, member_of, rank)].rank = rank;
}

ps_status ps_replay_find_near(ps_replay *r, ps_error *err)
{
        const ps_trace *trace = r->trace;
        if (!ps_trace_tells_neighbours(trace))
                return PS_OK;
        uint32_t *member_of = ps_memory_zeroed(trace->defs.processes.n + (size_t)1, sizeof(*member_of));
        r->near = ps_memory_new((trace->n_members + (size_t)1) * sizeof(*r->near));
        for (uint32_t m = 0; r->near && m < trace->n_members; m++)
                r->near[m] = (replay_near){INT64_MIN, PS_NONE};
        for (uint32_t c = 0; member_of && r->near && c < trace->n_colls; c++)
                if (ps_coll_is_near(trace, &trace->colls[c]))
                        look_at_ranks(r, &trace->colls[c], member_of);
        ps_status status = member_of && r->near ? PS_OK : PS_NOMEM(err, "members", trace->n_members);
        free(member_of);
        return status;
}
