/* apart.c - see apart.h. */
#include "core/sums/apart.h"

#include "core/base/memory.h"

#include <stdlib.h>

/* Barriers of threads do not count as communication, and neither do Init and Finalize. */
static bool communicates(ps_kind kind)
{
        static const uint8_t does[] = {
                [PS_C_SEND] = 1,     [PS_C_RECV] = 1, [PS_C_SENDRECV] = 1, [PS_C_PROBE] = 1,
                [PS_C_COMPLETE] = 1, [PS_C_COLL] = 1, [PS_C_RMA] = 1,      [PS_C_RMA_SYNC] = 1};
        ps_class cls = ps_kinds[kind].cls;
        return cls < sizeof(does) && does[cls] && !(ps_kinds[kind].traits & (PS_T_TEAM | PS_T_LIFE));
}

struct part {
        bool communicates, finalizes;
};

static void look_at(struct part *part, const ps_trace *trace, const ps_timing *timing, ps_loc loc)
{
        const ps_ops *ops = &trace->ops[loc];
        ps_span focus = ps_focus_hull(timing);
        for (ps_op op = 0; op < ops->n && !part->communicates; op++) {
                part->finalizes |= ops->kind[op] == PS_K_FINALIZE;
                part->communicates = communicates((ps_kind)ops->kind[op]) &&
                                     timing->leave[loc][op] >= focus.begin &&
                                     timing->enter[loc][op] <= focus.end;
        }
}

static struct part part_of_run(const ps_trace *trace, const ps_timing *timing, ps_proc process)
{
        const ps_process_def *def = &trace->defs.processes.row[process];
        struct part part = {0};
        for (uint32_t i = 0; i < def->n_locs; i++)
                look_at(&part, trace, timing, trace->defs.by_process[def->first + i]);
        return part;
}

ps_status ps_apart_find(uint8_t **out, const ps_trace *trace, const ps_timing *timing, ps_error *err)
{
        uint32_t n = trace->defs.processes.n, n_apart = 0, n_in = 0;
        uint8_t *apart = ps_memory_zeroed(n + (size_t)1, 1);
        *out = NULL;
        if (!apart)
                return PS_NOMEM(err, "processes", n);
        for (ps_proc p = 0; p < n; p++) {
                struct part part = part_of_run(trace, timing, p);
                apart[p] = part.finalizes && !part.communicates;
                n_apart += apart[p];
                n_in += (uint32_t)part.communicates;
        }
        if (n_apart && n_in)
                *out = apart;
        else
                free(apart);
        return PS_OK;
}
