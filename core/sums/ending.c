/* ending.c - looks at the last call of each location.
 *
 * Many recorders write who a receive is from, and which communicator a collective operation is on, only when
 * it is over: then nobody can be named, unless the recorder says it elsewhere. */
#include "core/sums/ending.h"

#include "core/base/memory.h"
#include "core/base/search.h"
#include "core/sums/overview.h"

#include <stdbool.h>
#include <stdlib.h>

/* What a call is found to lack. */
struct lack {
        bool is_stuck;
        ps_proc partner;
};

static const struct lack nothing = {0, PS_NONE};

static struct lack lack_of_message(const ps_trace *trace, ps_ref ref)
{
        const ps_ops *ops = &trace->ops[ref.loc];
        if (ops->flags[ref.op] & (PS_OP_MATCHED | PS_OP_CANCELLED))
                return nothing;
        return (struct lack){1, ps_trace_process(trace, ps_op_peer(ops, ref.op))};
}

/* A Wait may be about any of the open requests: its partner is known only if all of them have the same one.
 */
static struct lack lack_of_wait(const ps_trace *trace, ps_ref wait)
{
        const ps_far *far = ps_trace_far(trace, wait.loc);
        struct lack all = nothing;
        for (uint32_t i = 0; i < (far ? far->n_open : wait.op); i++) {
                ps_ref request = {wait.loc, far ? far->open[i] : i};
                if (request.op >= wait.op || !ps_op_is_open(trace, request))
                        continue;
                struct lack one = lack_of_message(trace, request);
                if (one.is_stuck)
                        all.partner = !all.is_stuck || all.partner == one.partner ? one.partner : PS_NONE;
                all.is_stuck |= one.is_stuck;
        }
        return all;
}

/* The rows of other members may be elsewhere: then somebody has asked. */
static ps_proc first_absent(const ps_trace *trace, const ps_coll *coll, ps_ref call)
{
        uint32_t low = 0;
        PS_SEARCH(low, trace->n_absent, i, ps_refs_compare(&trace->absent[i].call, &call) < 0);
        if (low < trace->n_absent && !ps_refs_compare(&trace->absent[low].call, &call))
                return trace->absent[low].process;
        return ps_coll_absent(trace, coll);
}

/* The first member that never came. */
static struct lack lack_of_collective(const ps_trace *trace, ps_ref ref)
{
        const ps_ops *ops = &trace->ops[ref.loc];
        if (ps_kinds[ops->kind[ref.op]].traits & PS_T_TEAM)
                return nothing;
        if (!(ops->flags[ref.op] & PS_OP_MATCHED))
                return (struct lack){1, PS_NONE};
        const ps_coll *coll = &trace->colls[trace->members[ops->link[ref.op]].coll];
        if (coll->complete)
                return nothing;
        return (struct lack){1, first_absent(trace, coll, ref)};
}

static struct lack lack_of_row(const ps_trace *trace, ps_ref ref)
{
        const ps_ops *ops = &trace->ops[ref.loc];
        const ps_kind_info *kind = &ps_kinds[ops->kind[ref.op]];
        if (!(kind->traits & PS_T_BLOCKING) || ops->flags[ref.op] & PS_OP_NONBLOCKING)
                return nothing;
        switch (kind->cls) {
        case PS_C_SEND:
        case PS_C_RECV:
                return lack_of_message(trace, ref);
        case PS_C_COMPLETE:
                return lack_of_wait(trace, ref);
        case PS_C_COLL:
                /* exit() does not come back. */
                return ops->kind[ref.op] == PS_K_FINALIZE && ps_op_is_pgas(trace, ref)
                               ? nothing
                               : lack_of_collective(trace, ref);
        case PS_C_PROBE:
        case PS_C_RMA_SYNC:
                return (struct lack){1, PS_NONE};
        default:
                return nothing;
        }
}

/* A region that is never left although others come after it is a fault of the recorder. */
static bool is_stuck(const ps_trace *trace, ps_loc loc, ps_stuck *out)
{
        const ps_ops *ops = &trace->ops[loc];
        ps_op op = ops->n;
        if (!ps_trace_ends_in_call(trace, loc))
                return false;
        struct lack found = nothing;
        do {
                struct lack one = lack_of_row(trace, (ps_ref){loc, --op});
                found = one.is_stuck && found.partner == PS_NONE ? one : found;
        } while (op && ps_op_continues(ops, op));
        ps_proc process = ps_trace_process(trace, loc);
        uint32_t told = trace->defs.processes.row[process].awaits;
        if (found.partner == PS_NONE && told)
                found.partner = told - 1;
        *out = (ps_stuck){process, {loc, op}, found.partner};
        return found.is_stuck;
}

/* Which of `stuck` the partner is, or PS_NONE. */
static uint32_t next_of(const ps_ending *e, const uint32_t *of_process, uint32_t i)
{
        ps_proc partner = e->stuck[i].partner;
        return partner == PS_NONE ? PS_NONE : of_process[partner];
}

/* Each walk marks where it came by; one that comes back to its own mark has found a circle. */
static void find_circle(ps_ending *e, const uint32_t *of_process, uint32_t *seen)
{
        for (uint32_t i = 0; i < e->n_stuck && !e->n_circle; i++) {
                uint32_t at = i;
                for (; at != PS_NONE && !seen[at]; at = next_of(e, of_process, at))
                        seen[at] = i + 1;
                if (at == PS_NONE || seen[at] != i + 1)
                        continue;
                uint32_t start = at;
                do {
                        e->circle[e->n_circle++] = at;
                        at = next_of(e, of_process, at);
                } while (at != start);
        }
}

static ps_status find_stuck(ps_ending *e, const ps_trace *trace, uint32_t *of_process, ps_error *err)
{
        const ps_defs *defs = &trace->defs;
        for (ps_proc p = 0; p < defs->processes.n; p++) {
                const ps_process_def *process = &defs->processes.row[p];
                of_process[p] = PS_NONE;
                for (uint32_t i = 0; i < process->n_locs && of_process[p] == PS_NONE; i++)
                        if (is_stuck(trace, defs->by_process[process->first + i], &e->stuck[e->n_stuck]))
                                of_process[p] = e->n_stuck++;
        }
        uint32_t *seen = ps_memory_zeroed(e->n_stuck + (size_t)1, sizeof(*seen));
        e->circle = ps_memory_new((e->n_stuck + (size_t)1) * sizeof(*e->circle));
        if (seen && e->circle)
                find_circle(e, of_process, seen);
        free(seen);
        return seen && e->circle ? PS_OK : PS_NOMEM(err, "processes", e->n_stuck);
}

static bool makes_call(const ps_trace *trace, ps_proc process, ps_kind kind)
{
        const ps_process_def *def = &trace->defs.processes.row[process];
        for (uint32_t i = 0; i < def->n_locs; i++) {
                const ps_location_info *info = &trace->info[trace->defs.by_process[def->first + i]];
                for (uint32_t use = 0; use < info->n_uses; use++) {
                        ps_region region = trace->paths[info->uses[use].path].region;
                        if (region != PS_NONE && trace->defs.regions.row[region].kind == kind)
                                return 1;
                }
        }
        return 0;
}

static ps_ref last_call(const ps_trace *trace, ps_proc process)
{
        const ps_process_def *def = &trace->defs.processes.row[process];
        for (uint32_t i = 0; i < def->n_locs; i++) {
                ps_loc loc = trace->defs.by_process[def->first + i];
                if (trace->ops[loc].n)
                        return (ps_ref){loc, trace->ops[loc].n - 1};
        }
        return (ps_ref){PS_NONE, PS_NONE};
}

/* Where the recorder does not say how processes ended, one that has an Init ends with a Finalize. */
static bool is_cut_off(const ps_trace *trace, ps_proc process)
{
        uint8_t end = trace->defs.processes.row[process].end;
        if (end != PS_END_UNTOLD)
                return end != PS_END_REACHED;
        return makes_call(trace, process, PS_K_INIT) && !makes_call(trace, process, PS_K_FINALIZE);
}

/* A recorder that was switched off earlier leaves no Finalize either, so that a missing one alone proves
 * nothing. */
static ps_status find_cut_off(ps_ending *e, const ps_trace *trace, const uint32_t *of_process, ps_error *err)
{
        uint32_t n = trace->defs.processes.n;
        e->cut_off = ps_memory_new((n + (size_t)1) * sizeof(*e->cut_off));
        if (!e->cut_off)
                return PS_NOMEM(err, "processes", n);
        e->is_finished = !e->n_stuck;
        for (ps_proc p = 0; p < n; p++) {
                uint8_t end = trace->defs.processes.row[p].end;
                if (of_process[p] != PS_NONE || !is_cut_off(trace, p))
                        continue;
                e->is_finished = 0;
                if (e->n_stuck || end != PS_END_UNTOLD)
                        e->cut_off[e->n_cut_off++] =
                                (ps_cut_off){p, last_call(trace, p), end == PS_END_ABORT};
        }
        return PS_OK;
}

static bool is_finalized(const ps_trace *trace, ps_loc loc)
{
        const ps_ops *ops = &trace->ops[loc];
        const ps_far *far = ps_trace_far(trace, loc);
        if (!ops->n || ps_trace_ends_in_call(trace, loc))
                return false;
        if (!far)
                return ops->kind[ops->n - 1] == PS_K_FINALIZE;
        const ps_edge *last = far->edge + far->n_edges - 1;
        return far->n_edges && last->kind == PS_K_FINALIZE && last->at.op == ops->n - 1;
}

/* Whatever is missing: has every process left its Finalize? */
static bool all_finalized(const ps_trace *trace)
{
        uint32_t n = 0;
        for (ps_loc l = 0; l < trace->n_locs; l++)
                n += is_finalized(trace, l);
        return n && n == trace->defs.processes.n;
}

ps_status ps_ending_find(ps_ending *out, const ps_trace *trace, ps_error *err)
{
        uint32_t n = trace->defs.processes.n;
        *out = (ps_ending){.is_known = !ps_issues_are_partial(&trace->issues)};
        out->is_finished = !out->is_known && all_finalized(trace);
        if (!out->is_known)
                return PS_OK;
        uint32_t *of_process = ps_memory_new((n + (size_t)1) * sizeof(*of_process));
        out->stuck = ps_memory_new((n + (size_t)1) * sizeof(*out->stuck));
        ps_status status = of_process && out->stuck ? find_stuck(out, trace, of_process, err)
                                                    : PS_NOMEM(err, "processes", n);
        PS_THEN(status, find_cut_off(out, trace, of_process, err));
        free(of_process);
        return status;
}

void ps_ending_clear(ps_ending *ending)
{
        free(ending->stuck);
        free(ending->circle);
        free(ending->cut_off);
        *ending = (ps_ending){0};
}
