/* sweep.c - a sweep over grids for people: a table, the best row marked. */
#include "report/facts/sweep.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

static void put_share(ps_doc *doc, double part, double whole)
{
        ps_doc_cell_share(doc, whole > 0 ? part / whole : NAN);
}

static void put_sweep_row(ps_doc *doc, const ps_sweep_row *row)
{
        const ps_interval_sums *s = &row->sums;

        ps_doc_row(doc, 0);
        ps_doc_cellf(doc, row->is_best ? PS_DOC_GOOD : PS_DOC_PLAIN, "%s%s", row->grid,
                     row->is_best ? " *" : "");
        ps_doc_cell_count(doc, row->n_processors);
        if (row->reason) {
                ps_doc_row_note(doc);
                ps_doc_put(doc, PS_DOC_PLAIN, row->reason);
                return;
        }
        ps_doc_cell_seconds(doc, s->execution_s);
        ps_doc_cell_seconds(doc, s->total_s);
        ps_doc_cell_share(doc, s->efficiency);
        put_share(doc, s->insufficient_s, s->total_s);
        put_share(doc, s->communication_all_s, s->total_s);
        put_share(doc, s->idle_s, s->total_s);
}

static ps_status put_basis(ps_doc *doc, const void *subject, ps_error *err)
{
        return ps_prediction_show(doc, ((const ps_sweep *)subject)->prediction, 0, err);
}

static ps_status put_grids(ps_doc *doc, const void *subject, ps_error *err)
{
        const ps_sweep *sweep = subject;
        bool has_best = 0;

        (void)err;
        ps_doc_begin_table(doc, PS_DOC_TABLE, "",
                           "Grid|=Procs|=Execution|=Total|=Useful|?=Repeated|=Comm.|?=Idle");
        for (uint32_t i = 0; i < sweep->n; i++) {
                put_sweep_row(doc, &sweep->row[i]);
                has_best |= sweep->row[i].is_best;
        }
        ps_doc_end_table(doc);
        ps_doc_say(doc, PS_DOC_P, "%s",
                   has_best ? "* the least execution time. Shares are of the total: all processors together. "
                              "What is repeated is insufficient parallelism."
                            : "The program can run on none of these grids.");
        return PS_OK;
}

static const ps_doc_section sections[] = {
        {"prediction", "Prediction", PS_DOC_UNTITLED, NULL, put_basis},
        {"grids", "Grids", PS_DOC_UNTITLED, NULL, put_grids},
};

static ps_status write_sweep(ps_doc *doc, const void *subject, ps_error *err)
{
        const ps_sweep *sweep = subject;
        char what[64];

        snprintf(what, sizeof(what), "%" PRIu32 " grid%s (predicted)", sweep->n, sweep->n == 1 ? "" : "s");
        ps_doc_title(doc, "predict", sweep->trace_path, what);
        return ps_doc_sections(doc, sections, sizeof(sections) / sizeof(*sections), subject, err);
}

PS_DOC_FORMATS(ps_sweep_write, ps_sweep, write_sweep)
