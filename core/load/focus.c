/* focus.c - see focus.h. */
#include "core/load/focus.h"
#include "core/load/cutting.h"
#include "core/load/focus_apart.h"

#include "core/base/memory.h"
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

static bool holds_all(const ps_focus *focus, const ps_location_info *info)
{
        return focus->n_spans == 1 && focus->span[0].begin <= info->first && focus->span[0].end >= info->last;
}

/* What lies in the focus as a whole is known; all else has to be cut. */
static void list_shifts(ps_time *shift, const struct ps_folding *f, const ps_focus *focus)
{
        for (ps_loc l = 0; l < f->trace->n_locs; l++) {
                const ps_location_info *info = &f->trace->info[l];
                bool is_cut = info->n_events && !holds_all(focus, info);
                shift[l] = is_cut ? info->first - ps_builder_first(f->builders[l]) : PS_UNCUT;
                if (info->n_events && !is_cut)
                        focus->part[l] = (ps_focus_part){info->uses, info->n_uses, info->off};
        }
}

static ps_status cut_all(struct ps_folding *f, ps_focus *focus, ps_error *err)
{
        ps_trace *trace = f->trace;
        ps_time *shift = ps_memory_zeroed(trace->n_locs + (size_t)1, sizeof(*shift));
        focus->part = PS_ARENA_NEW(trace->arena, ps_focus_part, trace->n_locs);
        ps_status status = shift && focus->part ? PS_OK : PS_NOMEM(err, "locations", trace->n_locs);
        if (status == PS_OK)
                list_shifts(shift, f, focus);
        const struct ps_cutting cutting = {f, focus, shift, focus->part};
        PS_THEN(status, f->owner ? ps_cut_together(&cutting, err) : ps_cut_here(&cutting, trace->arena, err));
        free(shift);
        return status;
}

static ps_status find_moments(const struct ps_folding *f, ps_focus *focus, ps_error *err)
{
        if (focus->moments && f->rows_are_away)
                return ps_moments_together(f, focus, err);
        ps_focus_find_moments(focus, f->trace, NULL);
        return PS_OK;
}

ps_status ps_load_focus(struct ps_folding *f, ps_error *err)
{
        const ps_focus_wish *wish = f->options->focus;
        ps_focus *focus = NULL;
        ps_focus_visit *visits = NULL;
        uint32_t n = 0;
        ps_status status = PS_OK;
        if (wish->how == PS_FOCUS_REGION)
                status = join_visits(&visits, &n, f->trace, f->builders, err);
        PS_THEN(status, ps_focus_make(&focus, f->trace, wish, visits, n, err));
        free(visits);
        PS_THEN(status, find_moments(f, focus, err));
        if (focus && focus->how != PS_FOCUS_WHOLE_RUN)
                PS_THEN(status, cut_all(f, focus, err));
        f->trace->measured.focus = focus;
        return status;
}
