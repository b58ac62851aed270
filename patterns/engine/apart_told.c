/* apart_told.c - who takes no part in what the others do, where each of several processes has some rows. */
#include "patterns/engine/works.h"

#include "core/base/memory.h"
#include "core/sums/apart.h"

#include <stdlib.h>
#include <string.h>

static void look_here(uint8_t *part, const ps_trace *trace, ps_span focus)
{
        const ps_spread *spread = trace->spread;
        for (ps_proc p = 0; p < trace->defs.processes.n; p++)
                if (spread->owner[p] == spread->x->rank)
                        part[p] = ps_apart_part(trace, &trace->measured, focus, p);
}

void ps_apart_work(const ps_trace *trace, unsigned n_threads, uint8_t *asked, size_t n)
{
        ps_error err = {0};
        ps_pile nothing;
        ps_span focus;
        uint32_t n_parts = trace->defs.processes.n;
        uint8_t *part = ps_memory_zeroed(n_parts + (size_t)1, 1);
        (void)n_threads;
        (void)n;
        memcpy(&focus, asked, sizeof(focus));
        if (part)
                look_here(part, trace, focus);
        ps_share_gather(trace->spread->x, part ? PS_OK : PS_NOMEM(&err, "processes", n_parts), &nothing, part,
                        n_parts, &err);
        free(part);
}

static ps_status ask(uint8_t *part, const ps_trace *trace, ps_exchange *x, ps_error *err)
{
        const ps_span focus = ps_focus_hull(&trace->measured);
        uint32_t n_parts = trace->defs.processes.n;
        ps_pile pile;
        PS_TRY(ps_share_ask(x, PS_WORK_APART, &focus, sizeof(focus), err));
        look_here(part, trace, focus);
        PS_TRY(ps_share_gather(x, PS_OK, &pile, NULL, 0, err));
        for (ps_proc p = 0; p < n_parts; p++) {
                size_t n;
                uint32_t owner = trace->spread->owner[p];
                if (owner)
                        part[p] = ps_pile_part(&pile, owner, &n)[p];
        }
        ps_pile_clear(&pile);
        return PS_OK;
}

ps_status ps_apart_find_all(uint8_t **out, const ps_trace *trace, const ps_timing *timing, ps_error *err)
{
        ps_exchange *x = ps_share_others(trace, timing);
        uint32_t n = trace->defs.processes.n;
        if (!x)
                return ps_apart_find(out, trace, timing, err);
        uint8_t *part = ps_memory_zeroed(n + (size_t)1, 1);
        *out = NULL;
        ps_status status = part ? ask(part, trace, x, err) : PS_NOMEM(err, "processes", n);
        if (status == PS_OK && ps_apart_judge(part, n))
                *out = part;
        else
                free(part);
        return status;
}
