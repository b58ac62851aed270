/* places.c - see places.h. */
#include "report/facts/places.h"

#include "core/base/memory.h"
#include "core/base/search.h"

#include <stdlib.h>
#include <string.h>

/* By what a person sees: recorders that define the regions of each process anew give the same call path
 * several times. */
static int compare_looks(const ps_report_finding *x, const ps_report_finding *y)
{
        int by_site = strcmp(x->site, y->site);

        if (by_site)
                return by_site;
        return PS_ORDER(x->place->line, y->place->line);
}

static int compare_findings(const void *a, const void *b)
{
        const ps_report_finding *x = *(const ps_report_finding *const *)a,
                                *y = *(const ps_report_finding *const *)b;
        int by_looks = compare_looks(x, y);

        return by_looks ? by_looks : (x > y) - (x < y);
}

static int by_loss(const void *a, const void *b)
{
        const ps_report_place *x = a, *y = b;
        const ps_report_finding *p = x->finding[0], *q = y->finding[0];

        if (p->pattern->is_defect != q->pattern->is_defect)
                return p->pattern->is_defect ? -1 : 1;
        PS_ORDER_BY(y->rank, x->rank);
        PS_ORDER_BY(y->lost, x->lost);
        return PS_ORDER(p, q);
}

/* What goes before the time that was lost. */
static ps_time rank_of(const ps_report *report, const ps_report_finding *f)
{
        int by_gain = report->settings.rank_by == PS_RANK_BY_GAIN && f->has_fix_gain;

        return !by_gain ? -1 : f->fix_gain > 0 ? f->fix_gain : 0;
}

ps_status ps_places_gather(ps_report_places *out, const ps_report *report, bool with_ignored, ps_error *err)
{
        uint32_t n = report->n_findings, n_told = 0;

        *out = (ps_report_places){.row = ps_memory_new(n * sizeof(*out->row) + 1),
                                  .order = ps_memory_new(n * sizeof(*out->order) + 1)};
        if (!out->row || !out->order) {
                ps_places_clear(out);
                return PS_NOMEM(err, "places", n);
        }
        for (uint32_t i = 0; i < n; i++)
                if (with_ignored || !report->findings[i].ignored)
                        out->order[n_told++] = &report->findings[i];
        n = n_told;
        qsort(out->order, n, sizeof(*out->order), compare_findings);
        for (uint32_t i = 0; i < n; i++) {
                const ps_report_finding *f = out->order[i];
                if (!i || compare_looks(out->order[i - 1], f))
                        out->row[out->n++] =
                                (ps_report_place){.finding = &out->order[i], .rank = rank_of(report, f)};
                ps_report_place *place = &out->row[out->n - 1];
                place->n++;
                if (__builtin_add_overflow(place->lost, f->finding->lost, &place->lost))
                        place->lost = PS_TIME_MAX;
        }
        qsort(out->row, out->n, sizeof(*out->row), by_loss);
        return PS_OK;
}

void ps_places_clear(ps_report_places *places)
{
        free(places->row);
        free(places->order);
        *places = (ps_report_places){0};
}
