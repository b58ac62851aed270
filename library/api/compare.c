/* compare.c - runs against runs. */
#include "library/api/handle.h"
#include "library/api/settings.h"
#include "library/run/compared.h"
#include "report/saved/saved.h"

#include <stdlib.h>

struct patscan_comparison {
        patscan_trace asked_as; /* no trace: how all are opened, and who listens */
        ps_compared *compared;
        ps_options asked;
        patscan_comparison_row row;
};

/* Paths outlive the call. */
static ps_status copy_paths(ps_compare_paths *to, const char *const *path, size_t n, ps_arena *arena,
                            ps_error *err)
{
        const char **copy = PS_ARENA_NEW(arena, const char *, n);

        for (size_t i = 0; copy && i < n; i++)
                if (!(copy[i] = ps_made_rows_copy(arena, path[i])))
                        return PS_NOMEM(err, "paths", n);
        *to = (ps_compare_paths){copy, (uint32_t)n};
        return copy ? PS_OK : PS_NOMEM(err, "paths", n);
}

static void summarize(patscan_comparison *c)
{
        const ps_compare *result = ps_compared_result(c->compared);

        c->row = (patscan_comparison_row){.measured_s = result->duration.measured,
                                          .predicted_s = result->duration.predicted,
                                          .intervals_exceeded = result->intervals_exceeded,
                                          .exceeded = result->total_exceeded,
                                          .partial = result->is_partial};
        c->row.error = (c->row.predicted_s - c->row.measured_s) / c->row.measured_s;
}

patscan_status patscan_compare(patscan_comparison **out, const char *const *measured, size_t n_measured,
                               const char *const *predicted, size_t n_predicted,
                               const patscan_compare_options *options, const patscan_open_options *how,
                               const patscan_analyze_options *what, patscan_error *err)
{
        ps_compare_paths sides[PS_SIDES];
        unsigned lacks = ps_memory_lacks();
        *out = NULL;
        if (!n_measured || !n_predicted || n_measured > PS_SAMPLES_MOST || n_predicted > PS_SAMPLES_MOST)
                return PS_FAIL(err, PS_E_USAGE, "a comparison needs runs on both sides, %d at most",
                               (int)PS_SAMPLES_MOST);
        patscan_comparison *c = calloc(1, sizeof(*c));
        if (!c)
                return PS_NOMEM(err, "comparison", 1);
        patscan_trace *as = &c->asked_as;
        as->arena = ps_arena_new();
        ps_status status = as->arena ? ps_handle_open_options(as, how, err) : PS_NOMEM(err, "comparison", 1);
        PS_THEN(status, copy_paths(&sides[PS_MEASURED], measured, n_measured, as->arena, err));
        PS_THEN(status, copy_paths(&sides[PS_PREDICTED], predicted, n_predicted, as->arena, err));
        PS_THEN(status, ps_handle_ask(&c->asked, as, what, as->arena, err));
        PS_THEN(status, ps_settings_take(&c->asked, PS_SETTINGS_COMPARE, options, as->arena, err));
        c->asked.reports.has_page |= how && how->call_stacks;
        PS_THEN(status, ps_compared_new(&c->compared, sides, &c->asked, err));
        PS_THEN(status, ps_handle_is_whole(lacks, err));
        if (status != PS_OK) {
                patscan_comparison_free(c);
                return status;
        }
        summarize(c);
        *out = c;
        return PS_OK;
}

void patscan_comparison_free(patscan_comparison *c)
{
        if (!c)
                return;
        ps_compared_free(c->compared);
        ps_arena_free(c->asked_as.arena);
        free(c);
}

const patscan_comparison_row *patscan_comparison_sums(const patscan_comparison *c)
{
        return &c->row;
}

patscan_verdict patscan_comparison_judge(const patscan_comparison *c)
{
        return (patscan_verdict)ps_compared_judge(c->compared, &c->asked);
}

patscan_status patscan_comparison_report(const patscan_comparison *c, const char *format,
                                         const patscan_report_options *options, patscan_write *write,
                                         void *ctx, patscan_error *err)
{
        ps_output *out;

        PS_TRY(ps_handle_output(&out, options, write, ctx, err));
        return ps_handle_close(out, ps_compared_write(c->compared, format, out, err), err);
}
