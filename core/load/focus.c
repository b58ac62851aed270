/* focus.c - see focus.h. */
#include "core/load/focus.h"

#include "core/base/memory.h"
#include "core/base/parallel.h"
#include "core/fold/cut.h"
#include "core/model/region_names.h"

#include <stdlib.h>
#include <string.h>

/* -- visits of a region -- */

ps_status ps_load_focus_regions(uint8_t **out, const ps_trace *trace, const ps_focus_wish *wish,
                                ps_error *err)
{
        const ps_defs *defs = &trace->defs;
        bool found = false;
        *out = NULL;
        if (!wish || wish->how != PS_FOCUS_REGION)
                return PS_OK;
        *out = ps_memory_zeroed(defs->regions.n + (size_t)1, 1);
        if (!*out)
                return PS_NOMEM(err, "regions", defs->regions.n);
        for (ps_region r = 0; r < defs->regions.n; r++)
                if (strcmp(ps_defs_str(defs, defs->regions.row[r].name), wish->region) == 0)
                        (*out)[r] = found = true;
        return found ? PS_OK : ps_region_is_unknown(defs, "--focus", wish->region, strlen(wish->region), err);
}

/* The n-th visits of all locations are one. */
static ps_status join_visits(ps_focus_visit **out, uint32_t *n, const ps_trace *trace,
                             ps_builder *const *builders, ps_error *err)
{
        uint32_t most = 0, here;
        for (ps_loc l = 0; l < trace->n_locs; l++) {
                ps_builder_visits(builders[l], &here);
                most = here > most ? here : most;
        }
        ps_focus_visit *visit = *out = ps_memory_zeroed(most + (size_t)1, sizeof(*visit));
        *n = most;
        if (!visit)
                return PS_NOMEM(err, "visits", most);
        for (ps_loc l = 0; l < trace->n_locs; l++) {
                const ps_span *span = ps_builder_visits(builders[l], &here);
                ps_time shift = trace->info[l].first - ps_builder_first(builders[l]);
                for (uint32_t i = 0; i < here; i++) {
                        ps_time begin = ps_time_add(span[i].begin, shift);
                        ps_time end = ps_time_add(span[i].end, shift);
                        bool is_new = !visit[i].span.end && !visit[i].span.begin;
                        if (is_new || begin < visit[i].span.begin) {
                                visit[i].span.begin = begin;
                                visit[i].first = l;
                        }
                        if (is_new || end > visit[i].span.end) {
                                visit[i].span.end = end;
                                visit[i].last = l;
                        }
                }
        }
        return PS_OK;
}

/* -- what the locations did there -- */

struct cutting {
        ps_trace *trace;
        ps_focus *focus;
        ps_builder *const *builders;
        const ps_reader_class *format;
        ps_reader *reader;
        ps_row_pool **pools; /* by worker */
        ps_batch *batches;
};

static ps_status feed(ps_cut *cut, const struct cutting *c, ps_loc loc, ps_batch *batch, ps_error *err)
{
        ps_issues *again = calloc(1, sizeof(*again)); /* they were all noted the first time */
        ps_stream *stream = NULL;
        ps_status status =
                again ? c->format->stream_open(&stream, c->reader, loc, err) : PS_NOMEM(err, "issues", 1);
        while (status == PS_OK && ps_cut_needs_more(cut)) {
                status = c->format->stream_next(stream, batch, again, err);
                if (status != PS_OK || !batch->n)
                        break;
                status = ps_cut_add(cut, batch, err);
        }
        c->format->stream_close(stream);
        free(again);
        return status;
}

static bool holds_all(const ps_focus *focus, const ps_location_info *info)
{
        return focus->n_spans == 1 && focus->span[0].begin <= info->first && focus->span[0].end >= info->last;
}

static ps_status cut_location(void *ctx, uint32_t loc, unsigned worker, ps_error *err)
{
        const struct cutting *c = ctx;
        const ps_location_info *info = &c->trace->info[loc];
        ps_focus_part *part = &c->focus->part[loc];
        if (!info->n_events)
                return PS_OK;
        if (holds_all(c->focus, info)) {
                *part = (ps_focus_part){info->uses, info->n_uses, info->off};
                return PS_OK;
        }
        ps_cut *cut;
        ps_time shift = info->first - ps_builder_first(c->builders[loc]);
        ps_status status = ps_cut_new(&cut, c->builders[loc], c->focus, shift, c->pools[worker], err);
        if (status == PS_OK && ps_cut_needs_more(cut))
                status = feed(cut, c, loc, &c->batches[worker], err);
        if (status == PS_OK)
                ps_cut_finish(cut, part);
        ps_cut_free(cut);
        return status;
}

/* Memory of the trace is cut by one thread. */
static ps_status make_cutting_room(struct cutting *c, unsigned n_workers, ps_error *err)
{
        ps_trace *trace = c->trace;
        c->focus->part = PS_ARENA_NEW(trace->arena, ps_focus_part, trace->n_locs);
        c->pools = calloc(n_workers, sizeof(*c->pools));
        c->batches = calloc(n_workers, sizeof(*c->batches));
        if (!c->focus->part || !c->pools || !c->batches)
                return PS_NOMEM(err, "locations", trace->n_locs);
        for (ps_loc l = 0; l < trace->n_locs; l++)
                if (!holds_all(c->focus, &trace->info[l]) &&
                    !(c->focus->part[l].uses =
                              PS_ARENA_NEW(trace->arena, ps_path_use, trace->info[l].n_uses)))
                        return PS_NOMEM(err, "call paths", trace->info[l].n_uses);
        for (unsigned i = 0; i < n_workers; i++)
                if (!(c->pools[i] = ps_row_pool_new()))
                        return PS_NOMEM(err, "workers", i);
        return PS_OK;
}

static ps_status cut_all(struct cutting *c, unsigned n_threads, ps_error *err)
{
        unsigned n_workers = ps_parallel_threads(n_threads);
        ps_status status = make_cutting_room(c, n_workers, err);
        if (status == PS_OK)
                status = ps_parallel_for(n_workers, c->trace->n_locs, cut_location, c, err);
        for (unsigned i = 0; c->pools && i < n_workers; i++)
                ps_row_pool_free(c->pools[i]);
        free(c->pools);
        free(c->batches);
        return status;
}

ps_status ps_load_focus(ps_trace *trace, ps_builder *const *builders, const ps_reader_class *format,
                        ps_reader *reader, const ps_load_options *options, ps_error *err)
{
        struct cutting c = {.trace = trace, .builders = builders, .format = format, .reader = reader};
        ps_focus_visit *visits = NULL;
        uint32_t n = 0;
        ps_status status = PS_OK;
        if (options->focus->how == PS_FOCUS_REGION)
                status = join_visits(&visits, &n, trace, builders, err);
        if (status == PS_OK)
                status = ps_focus_make(&c.focus, trace, options->focus, visits, n, err);
        free(visits);
        if (status == PS_OK && c.focus->how != PS_FOCUS_WHOLE_RUN)
                status = cut_all(&c, options->n_threads, err);
        trace->measured.focus = c.focus;
        return status;
}
