/* findings.c - what was found in both runs, and what in one of them only. */
#include "compare/parts.h"
#include "core/base/search.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* -- patterns: both tables are sorted by id -- */

static void add_pattern(ps_compare *c, const ps_run_pattern *m, const ps_run_pattern *p)
{
        if ((m && (m->count || m->lost_s != 0)) || (p && (p->count || p->lost_s != 0)))
                c->patterns.row[c->patterns.n++] =
                        (ps_compared_pattern){{m, p}, {m ? m->lost_s : NAN, p ? p->lost_s : NAN}};
}

static int compare_patterns(const void *a, const void *b)
{
        const ps_compared_pattern *x = a, *y = b;
        double d = fabs(ps_two_difference(x->lost)), e = fabs(ps_two_difference(y->lost));
        const char *name = (x->row[PS_MEASURED] ? x->row[PS_MEASURED] : x->row[PS_PREDICTED])->id;
        const char *other = (y->row[PS_MEASURED] ? y->row[PS_MEASURED] : y->row[PS_PREDICTED])->id;

        PS_ORDER_BY(e, d);
        return strcmp(name, other);
}

static ps_status pair_patterns(ps_compare *c, ps_error *err)
{
        const ps_run *m = c->run[PS_MEASURED], *p = c->run[PS_PREDICTED];
        uint32_t i = 0, j = 0;

        c->patterns.row = calloc((size_t)m->patterns.n + p->patterns.n + 1, sizeof(*c->patterns.row));
        if (!c->patterns.row)
                return PS_NOMEM(err, "patterns", m->patterns.n);
        while (i < m->patterns.n || j < p->patterns.n) {
                const ps_run_pattern *x = i < m->patterns.n ? &m->patterns.row[i] : NULL;
                const ps_run_pattern *y = j < p->patterns.n ? &p->patterns.row[j] : NULL;
                int order = !x ? 1 : !y ? -1 : strcmp(x->id, y->id);
                add_pattern(c, order <= 0 ? x : NULL, order >= 0 ? y : NULL);
                i += order <= 0;
                j += order >= 0;
        }
        if (c->patterns.n)
                qsort(c->patterns.row, c->patterns.n, sizeof(*c->patterns.row), compare_patterns);
        return PS_OK;
}

/* -- findings: both tables are sorted by site -- */

static const ps_run_site *either(const ps_compared_site *row)
{
        return row->row[PS_MEASURED] ? row->row[PS_MEASURED] : row->row[PS_PREDICTED];
}

static int compare_sites(const void *a, const void *b)
{
        const ps_compared_site *x = a, *y = b;
        double d = fabs(ps_two_difference(x->lost)), e = fabs(ps_two_difference(y->lost));

        PS_ORDER_BY(e, d);
        return PS_ORDER(either(x)->site, either(y)->site);
}

static void add_site(ps_compare *c, const ps_run_site *m, const ps_run_site *p)
{
        c->sites.row[c->sites.n++] = (ps_compared_site){{m, p}, {m ? m->lost_s : NAN, p ? p->lost_s : NAN}};
        if (m && p)
                c->site_matches.both++;
        else
                c->site_matches.only[m ? PS_MEASURED : PS_PREDICTED]++;
}

static ps_status pair_sites(ps_compare *c, ps_error *err)
{
        const ps_run *m = c->run[PS_MEASURED], *p = c->run[PS_PREDICTED];
        uint32_t i = 0, j = 0;

        c->sites.row = calloc((size_t)m->sites.n + p->sites.n + 1, sizeof(*c->sites.row));
        if (!c->sites.row)
                return PS_NOMEM(err, "findings", m->sites.n);
        while (i < m->sites.n || j < p->sites.n) {
                const ps_run_site *x = i < m->sites.n ? &m->sites.row[i] : NULL;
                const ps_run_site *y = j < p->sites.n ? &p->sites.row[j] : NULL;
                bool is_x = x && (!y || x->site <= y->site), is_y = y && (!x || y->site <= x->site);
                add_site(c, is_x ? x : NULL, is_y ? y : NULL);
                i += (uint32_t)is_x;
                j += (uint32_t)is_y;
        }
        if (c->sites.n)
                qsort(c->sites.row, c->sites.n, sizeof(*c->sites.row), compare_sites);
        return PS_OK;
}

ps_status ps_compare_findings(ps_compare *c, ps_error *err)
{
        PS_TRY(pair_patterns(c, err));

        return pair_sites(c, err);
}
