/* stack.c - the call stack of a lane for a while, as JSON. */
#include "report/page/stack.h"
#include "report/document/page.h"

#include "core/base/memory.h"

#include <inttypes.h>
#include <stdlib.h>

/* What is shorter than a pixel of a large screen is not told. */
enum { PIXELS = 1500 };

struct told {
        const ps_picture *p;
        ps_output *out;
        uint32_t *number; /* by region, the last one being none: its name's, from 1 on */
        ps_region *named;
        uint32_t n_named;
};

static void put_frame(struct told *t, const ps_stack_frame *f, bool is_first)
{
        uint32_t n_regions = t->p->lanes->report->trace->defs.regions.n;
        uint32_t region = f->region < n_regions ? f->region : n_regions;
        if (!t->number[region]) {
                t->named[t->n_named] = region;
                t->number[region] = ++t->n_named;
        }
        ps_output_printf(t->out, "%s%" PRIu32 ",%" PRIu32 ",%" PRIu32 ",%" PRIu32, is_first ? "" : ",",
                         ps_picture_tick(t->p, f->begin), ps_picture_tick(t->p, f->end), f->depth,
                         t->number[region] - 1);
}

static void put_names(const struct told *t)
{
        const ps_defs *defs = &t->p->lanes->report->trace->defs;
        ps_output_puts(t->out, "],\"names\":[");
        for (uint32_t i = 0; i < t->n_named; i++) {
                ps_region region = t->named[i];
                ps_output_puts(t->out, i ? "," : "");
                ps_html_script_text(t->out, region < defs->regions.n
                                                    ? ps_defs_str(defs, defs->regions.row[region].name)
                                                    : "(unknown)");
        }
        ps_output_putc(t->out, ']');
}

static ps_status put_frames(struct told *t, const ps_stack_frames *found, ps_error *err)
{
        size_t n_regions = t->p->lanes->report->trace->defs.regions.n;
        t->number = ps_memory_zeroed(n_regions + 1, sizeof(*t->number));
        t->named = ps_memory_zeroed(n_regions + 1, sizeof(*t->named));
        if (!t->number || !t->named)
                return PS_NOMEM(err, "regions", n_regions);
        ps_output_printf(t->out, ",\"short\":%" PRIu64 ",\"frames\":[", found->n_short);
        for (uint32_t i = 0; i < found->frames.n; i++)
                put_frame(t, &found->frames.row[i], i == 0);
        put_names(t);
        return PS_OK;
}

ps_status ps_stack_put(const ps_picture *p, uint32_t lane, uint32_t begin, uint32_t end, ps_output *out,
                       ps_error *err)
{
        ps_stacks *stacks = p->lanes->report->settings.stacks;
        const ps_span span = {begin * p->tick, end * p->tick};
        struct told t = {.p = p, .out = out};
        ps_stack_frames found = {.n_short = 0};
        ps_output_printf(out, "{\"lane\":%" PRIu32 ",\"from\":%" PRIu32 ",\"to\":%" PRIu32, lane, begin, end);
        ps_status status = ps_stacks_read(stacks, p->location[lane], p->lanes->report->timing, span,
                                          (span.end - span.begin) / PIXELS, &found, err);
        PS_THEN(status, put_frames(&t, &found, err));
        ps_output_putc(out, '}');
        free(found.frames.row);
        free(t.number);
        free(t.named);
        return status;
}
