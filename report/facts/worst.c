/* worst.c - what a report tells of the worst calls of its findings, and of their partners: wherever their
 * rows are, of all findings at once. */
#include "report/facts/sites.h"

#include "core/base/memory.h"
#include "core/load/lending.h"
#include "core/load/share.h"
#include "core/model/unexplained.h"

#include <stdlib.h>

enum { AT_ONCE = 1 << 15 };

/* A fact, whose findings ask for it, and of which row. */
struct looked_up {
        ps_loan_fact what;
        bool (*is_asked)(const ps_report_finding *f);
        bool is_of_partner;
        void (*take)(ps_report_finding *f, const ps_trace *trace, int64_t fact);
};

static bool has_partner(const ps_report_finding *f)
{
        return f->finding->worst.partner.op != PS_NONE;
}

static void take_path(ps_report_finding *f, const ps_trace *trace, int64_t fact)
{
        (void)trace;
        f->partner_path = (ps_path)fact;
}

static bool may_complete(const ps_report_finding *f)
{
        return f->finding->worst.at.op != PS_NONE &&
               (f->finding->worst.later || f->pattern->subject == PS_ON_COMPLETION);
}

static void take_completes(ps_report_finding *f, const ps_trace *trace, int64_t fact)
{
        (void)trace;
        f->completes = (uint8_t)fact;
}

static bool may_come_back(const ps_report_finding *f)
{
        return f->pattern->subject == PS_ON_NONBLOCKING && has_partner(f);
}

static void take_partner_completes(ps_report_finding *f, const ps_trace *trace, int64_t fact)
{
        (void)trace;
        f->partner_completes = (uint8_t)fact;
}

static bool is_unexplained(const ps_report_finding *f)
{
        return f->pattern->subject == PS_ON_UNEXPLAINED;
}

static void take_why(ps_report_finding *f, const ps_trace *trace, int64_t fact)
{
        const ps_region_def *region = ps_path_region(trace, f->finding->path);
        f->why = region && ps_paradigm_is_pgas(region->paradigm) ? PS_EXPLAINED : (uint8_t)fact;
}

static const struct looked_up looked_up[] = {
        {PS_LOAN_PATH, has_partner, true, take_path},
        {PS_LOAN_COMPLETES, may_complete, false, take_completes},
        {PS_LOAN_COMPLETES, may_come_back, true, take_partner_completes},
        {PS_LOAN_WHY, is_unexplained, false, take_why},
};

/* Of some findings that follow each other. */
static ps_status look_up(const ps_report *report, const struct looked_up *l, ps_report_finding *f, uint32_t n,
                         ps_ref *row, int64_t *fact, ps_error *err)
{
        size_t n_rows = 0;
        for (uint32_t i = 0; i < n; i++)
                if (l->is_asked(&f[i]))
                        row[n_rows++] =
                                l->is_of_partner ? f[i].finding->worst.partner : f[i].finding->worst.at;
        PS_TRY(ps_loan_facts(fact, l->what, report->trace, report->timing, row, n_rows, err));
        for (uint32_t i = 0; i < n; i++)
                if (l->is_asked(&f[i]))
                        l->take(&f[i], report->trace, *fact++);
        return PS_OK;
}

ps_status ps_report_look_up(ps_report *report, ps_error *err)
{
        const uint32_t most = report->n_findings < AT_ONCE ? report->n_findings : AT_ONCE;
        ps_ref *row = ps_memory_new((most + (size_t)1) * sizeof(*row));
        int64_t *fact = ps_memory_new((most + (size_t)1) * sizeof(*fact));
        ps_status status = row && fact ? PS_OK : PS_NOMEM(err, "findings", most);
        for (uint32_t from = 0; from < report->n_findings; from += AT_ONCE) {
                const uint32_t left = report->n_findings - from;
                for (unsigned i = 0; i < sizeof(looked_up) / sizeof(*looked_up); i++)
                        PS_THEN(status, look_up(report, &looked_up[i], report->findings + from,
                                                left < AT_ONCE ? left : AT_ONCE, row, fact, err));
        }
        free(row);
        free(fact);
        return status;
}

ps_status ps_report_bring_worst(const ps_report *report, ps_error *err)
{
        ps_sites *sites;
        if (!ps_share_is_apart(report->trace, report->timing))
                return PS_OK;
        PS_TRY(ps_sites_new(&sites, report, true, err));
        ps_ref *row = ps_memory_new((2 * (size_t)sites->n + 1) * sizeof(*row));
        size_t n = 0;
        for (uint32_t i = 0; row && i < sites->n; i++) {
                const ps_instance *worst = &sites->row[i].largest->finding->worst;
                const ps_ref ends[] = {worst->at, worst->partner};
                for (unsigned k = 0; k < 2; k++)
                        if (ends[k].op != PS_NONE && !ps_share_is_here(report->trace, ends[k].loc))
                                row[n++] = ends[k];
        }
        ps_status status = !row ? PS_NOMEM(err, "findings", sites->n)
                           : n  ? ps_share_bring(report->trace, row, n, err)
                                : PS_OK;
        free(row);
        ps_sites_free(sites);
        return status;
}
