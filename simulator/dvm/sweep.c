/* sweep.c - one program on many grids, several at a time, and which of them is best. */
#include "core/base/memory.h"
#include "core/base/parallel.h"
#include "simulator/dvm/dvm.h"

#include <stdlib.h>
#include <string.h>

typedef struct work {
        ps_dvm_sweep *sweep;
        const ps_dvm *dvm;
        const ps_machine *machine;
        const ps_dvm_options *options;
        const ps_grid_list *grids;
        uint64_t (*noted)[PS_DVM_NOTES]; /* by grid */
} work;

/* A grid that the program cannot run on is a result, too. */
static ps_status keep_reason(ps_sweep_row *row, ps_status status, ps_error *reason, ps_error *err)
{
        if (status != PS_E_INPUT && status != PS_E_USAGE) {
                *err = *reason;
                return status;
        }
        row->reason = strdup(reason->n_causes ? reason->cause[0].text : "");
        return row->reason ? PS_OK : PS_NOMEM(err, "reason", 1);
}

static ps_status run_row(void *ctx, uint32_t i, unsigned worker, ps_error *err)
{
        const work *w = ctx;
        ps_sweep_row *row = &w->sweep->row[i];
        ps_dvm_options how = *w->options;
        ps_dvm_run run;
        ps_error reason = {0};
        (void)worker;
        how.grid = w->grids->row[i];
        ps_grid_text(row->grid, &how.grid);
        row->n_processors = ps_grid_count(&how.grid);
        ps_status status = ps_dvm_simulate(&run, w->dvm, w->machine, &how, &reason);
        if (status != PS_OK)
                return keep_reason(row, status, &reason, err);
        row->duration = run.duration;
        row->sums = run.intervals->row[0].sums;
        row->messages = run.messages;
        row->bytes = run.bytes;
        for (int k = 0; k < PS_DVM_NOTES; k++)
                w->noted[i][k] = run.note[k].count;
        ps_dvm_run_clear(&run);
        return PS_OK;
}

static bool is_better(const ps_sweep_row *a, const ps_sweep_row *b)
{
        if (a->sums.execution_s < b->sums.execution_s || a->sums.execution_s > b->sums.execution_s)
                return a->sums.execution_s < b->sums.execution_s;
        return a->n_processors < b->n_processors;
}

static void sum_up_grids(work *w)
{
        ps_dvm_sweep *sweep = w->sweep;
        ps_sweep_row *best = NULL;
        for (uint32_t i = 0; i < sweep->n; i++) {
                ps_sweep_row *row = &sweep->row[i];
                sweep->n_failed += row->reason != NULL;
                if (!row->reason && (!best || is_better(row, best)))
                        best = row;
                for (int k = 0; k < PS_DVM_NOTES; k++)
                        if (w->noted[i][k] > sweep->note[k].count)
                                sweep->note[k].count = w->noted[i][k];
        }
        if (best)
                best->is_best = true;
}

ps_status ps_dvm_sweep_run(ps_dvm_sweep *out, const ps_dvm *dvm, const ps_machine *machine,
                           const ps_dvm_options *options, const ps_grid_list *grids, unsigned n_threads,
                           ps_error *err)
{
        work w = {out, dvm, machine, options, grids, NULL};
        *out = (ps_dvm_sweep){.n = grids->n};
        out->row = ps_memory_zeroed(grids->n + (size_t)1, sizeof(*out->row));
        w.noted = ps_memory_zeroed(grids->n + (size_t)1, sizeof(*w.noted));
        ps_status status = out->row && w.noted ? ps_parallel_for(n_threads, grids->n, run_row, &w, err)
                                               : PS_NOMEM(err, "grids", grids->n);
        if (status == PS_OK)
                sum_up_grids(&w);
        free(w.noted);
        return status;
}

void ps_dvm_sweep_clear(ps_dvm_sweep *sweep)
{
        for (uint32_t i = 0; sweep->row && i < sweep->n; i++)
                free(sweep->row[i].reason);
        free(sweep->row);
        *sweep = (ps_dvm_sweep){0};
}
