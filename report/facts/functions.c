/* functions.c - see functions.h. */
#include "report/facts/functions.h"

#include <inttypes.h>

static void show(ps_doc *doc, const ps_trace *trace, const ps_times *times, const ps_function *f)
{
        ps_region region = trace->paths[f->path].region;
        const char *name = region == PS_NONE
                                   ? "(outside of all)"
                                   : ps_defs_str(&trace->defs, trace->defs.regions.row[region].name);

        ps_doc_row(doc, 0);
        ps_doc_cell(doc, PS_DOC_NAME, *name ? name : "(unnamed)");
        ps_doc_cell_share(doc, ps_times_share(times, f->exclusive));
        ps_doc_cell_time(doc, f->exclusive);
        ps_doc_cell_time(doc, f->inclusive);
        ps_doc_cell_time(doc, f->waiting);
        ps_doc_cell_count(doc, f->visits);
        ps_doc_cell_time(doc, f->least);
        ps_doc_cell_time(doc, f->exclusive / (f->n_processes ? f->n_processes : 1));
        ps_doc_cell_time(doc, f->most);
        ps_doc_cellf(doc, PS_DOC_PLAIN, "%" PRIu32, f->most_process);
}

void ps_functions_show(ps_doc *doc, const ps_trace *trace, const ps_times *times,
                       const ps_functions *functions, uint32_t most)
{
        uint32_t n = functions->n < most ? functions->n : most;

        ps_doc_begin_table(doc, PS_DOC_TABLE, "Functions",
                           "Function|=Share|=Own|+=Inclusive|=Waiting|?=Visits|+=Least|?=Mean|=Most|=Rank");
        for (uint32_t i = 0; i < n; i++)
                show(doc, trace, times, &functions->row[i]);
        ps_doc_end_table(doc);
        ps_doc_rest(doc, functions->n - n, "call path", "call paths", "-v shows all");
}
