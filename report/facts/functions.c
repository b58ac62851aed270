/* functions.c - see functions.h. */
#include "report/facts/functions.h"

#include "report/print/text.h"

#include <inttypes.h>
#include <stdio.h>

/* The rows of both, the longest first: what is outside of all functions is told as what is between their
 * calls, where that is known. */
typedef struct merge {
        const ps_functions *functions, *between; /* the latter NULL or empty: not known */
        uint32_t next, next_between;
} merge;

static bool has_between(const merge *m)
{
        return m->between && m->between->n;
}

/* NULL: that was all. */
static const ps_function *next_row(merge *m, bool *is_between)
{
        const ps_functions *all = m->functions;
        while (has_between(m) && m->next < all->n && !all->row[m->next].path)
                m->next++;
        const ps_function *own = m->next < all->n ? &all->row[m->next] : NULL;
        const ps_function *between =
                has_between(m) && m->next_between < m->between->n ? &m->between->row[m->next_between] : NULL;
        *is_between = between && (!own || between->exclusive > own->exclusive);
        if (*is_between)
                m->next_between++;
        else if (own)
                m->next++;
        return *is_between ? between : own;
}

static uint32_t count_rows(const merge *m)
{
        uint32_t n = m->functions->n + (has_between(m) ? m->between->n : 0);
        for (uint32_t i = 0; has_between(m) && i < m->functions->n; i++)
                n -= !m->functions->row[i].path;
        return n;
}

static void put_name(ps_doc *doc, const ps_trace *trace, ps_path path, bool is_between)
{
        bool is_function = ps_path_region(trace, path) != NULL;
        const char *name = is_function ? ps_path_region_name(trace, path) : "(outside of all)";
        char every[PS_NUMBER_ROOM], how[PS_NUMBER_ROOM + 32] = "";
        (void)ps_text_duration(every, trace->defs.sampled_every);
        if (is_between && is_function)
                snprintf(how, sizeof(how),
                         trace->defs.sampled_every ? ", sampled every %s" : ", between calls", every);
        ps_doc_cellf(doc, PS_DOC_NAME, "%s%s", *name ? name : "(unnamed)", how);
}

static void show(ps_doc *doc, const ps_trace *trace, const ps_times *times, const ps_function *f,
                 bool is_between)
{
        ps_doc_row(doc, 0);
        put_name(doc, trace, f->path, is_between);
        ps_doc_cell_share(doc, ps_times_share(times, f->exclusive));
        ps_doc_cell_time(doc, f->exclusive);
        ps_doc_cell_time(doc, is_between ? f->exclusive : f->inclusive);
        ps_doc_cell_time(doc, f->waiting);
        if (is_between)
                ps_doc_cell(doc, PS_DOC_DIM, "-");
        else
                ps_doc_cell_count(doc, f->visits);
        ps_doc_cell_time(doc, f->least);
        ps_doc_cell_time(doc, f->exclusive / (f->n_processes ? f->n_processes : 1));
        ps_doc_cell_time(doc, f->most);
        ps_doc_cellf(doc, PS_DOC_PLAIN, "%" PRIu32, f->most_process);
}

void ps_functions_show(ps_doc *doc, const ps_trace *trace, const ps_times *times,
                       const ps_functions *functions, const ps_functions *between, uint32_t most)
{
        merge m = {functions, between, 0, 0};
        const ps_function *row;
        bool is_between;
        uint32_t rows = count_rows(&m), n = rows < most ? rows : most;

        ps_doc_begin_table(doc, PS_DOC_TABLE, "Functions",
                           "Function|=Share|=Own|+=Inclusive|=Waiting|?=Visits|+=Least|?=Mean|=Most|=Rank");
        for (uint32_t i = 0; i < n && (row = next_row(&m, &is_between)); i++)
                show(doc, trace, times, row, is_between);
        ps_doc_end_table(doc);
        ps_doc_rest(doc, rows - n, "call path", "call paths", "-v shows all");
}
