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

static void look_at(uint8_t *part, const uint8_t *tells, const ps_trace *trace, const ps_timing *timing,
                    ps_loc loc, ps_span focus)
{
        const ps_ops *ops = &trace->ops[loc];
        const uint8_t *kind = ops->kind;
        for (size_t op = 0, n = ops->n; op < n && !(*part & PS_APART_COMMUNICATES); op++) {
                if (!tells[kind[op]])
                        continue;
                if (tells[kind[op]] == PS_APART_FINALIZES ||
                    (timing->leave[loc][op] >= focus.begin && timing->enter[loc][op] <= focus.end))
                        *part |= tells[kind[op]];
        }
}

uint8_t ps_apart_part(const ps_trace *trace, const ps_timing *timing, ps_span focus, ps_proc process)
{
        const ps_process_def *def = &trace->defs.processes.row[process];
        uint8_t part = 0, tells[UINT8_MAX + 1] = {[PS_K_FINALIZE] = PS_APART_FINALIZES};
        for (unsigned kind = 0; kind < PS_K_COUNT; kind++)
                if (communicates((ps_kind)kind))
                        tells[kind] = PS_APART_COMMUNICATES;
        for (uint32_t i = 0; i < def->n_locs; i++)
                look_at(&part, tells, trace, timing, trace->defs.by_process[def->first + i], focus);
        return part;
}

bool ps_apart_judge(uint8_t *part, uint32_t n)
{
        uint32_t n_apart = 0, n_in = 0;
        for (uint32_t p = 0; p < n; p++) {
                n_in += part[p] & PS_APART_COMMUNICATES;
                part[p] = part[p] == PS_APART_FINALIZES;
                n_apart += part[p];
        }
        return n_apart && n_in;
}

ps_status ps_apart_find(uint8_t **out, const ps_trace *trace, const ps_timing *timing, ps_error *err)
{
        uint32_t n = trace->defs.processes.n;
        *out = NULL;
        if (n < 2) /* nobody is apart from itself */
                return PS_OK;
        uint8_t *part = ps_memory_zeroed(n + (size_t)1, 1);
        if (!part)
                return PS_NOMEM(err, "processes", n);
        for (ps_proc p = 0; p < n; p++)
                part[p] = ps_apart_part(trace, timing, ps_focus_hull(timing), p);
        if (ps_apart_judge(part, n))
                *out = part;
        else
                free(part);
        return PS_OK;
}
