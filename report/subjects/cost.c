/* cost.c - what operations cost, for people: a table of all, and on a page curves over the size. */
#include "report/subjects/cost.h"
#include "core/base/memory.h"
#include "report/document/document.h"
#include "report/print/text.h"

#include <stdio.h>
#include <stdlib.h>

enum { ROWS_BRIEF = 60, ROWS_PAGE = 2000, CURVES_MOST = 12, NAME_ROOM = 96 };

const char *ps_cost_way(char room[PS_COST_WAY_ROOM], const ps_quote *quote)
{
        snprintf(room, PS_COST_WAY_ROOM, "%s%s%s", quote->way, quote->way_out ? ", " : "",
                 quote->way_out ? quote->way_out : "");
        return room;
}

static bool is_same_case(const ps_cost_row *a, const ps_cost_row *b)
{
        return a->kind == b->kind && a->n_ranks == b->n_ranks && a->bytes == b->bytes;
}

/* -- the table -- */

/* Of the ways of one case, which stand one after the other. */
static bool is_fastest(const ps_cost_report *report, size_t at)
{
        const ps_cost_row *row = report->row;
        size_t first = at, end = at + 1;
        while (first > 0 && is_same_case(&row[first - 1], &row[at]))
                first--;
        while (end < report->n && is_same_case(&row[end], &row[at]))
                end++;
        for (size_t i = first; i < end; i++)
                if (row[i].quote.most < row[at].quote.most)
                        return false;
        return end - first > 1;
}

static void put_cost_row(ps_doc *doc, const ps_cost_report *report, size_t at)
{
        const ps_cost_row *row = &report->row[at];
        char way[PS_COST_WAY_ROOM];
        ps_doc_row(doc, 0);
        ps_doc_cell(doc, PS_DOC_NAME, ps_kinds[row->kind].name);
        ps_doc_cell_count(doc, row->n_ranks);
        ps_doc_cell_count(doc, row->bytes);
        ps_doc_cell(doc, row->quote.is_machines_own ? PS_DOC_STRONG : PS_DOC_PLAIN,
                    ps_cost_way(way, &row->quote));
        ps_doc_cell_begin(doc);
        if (row->quote.least < row->quote.most) {
                ps_doc_put_time(doc, PS_DOC_PLAIN, row->quote.least);
                ps_doc_put(doc, PS_DOC_PLAIN, " to ");
        }
        ps_doc_put_time(doc, PS_DOC_PLAIN, row->quote.most);
        ps_doc_cell(doc, PS_DOC_GOOD, is_fastest(report, at) ? "fastest" : "");
}

static ps_status put_table(ps_doc *doc, const void *subject, ps_error *err)
{
        const ps_cost_report *report = subject;
        uint32_t most = ps_doc_most(doc, 0, ROWS_BRIEF, ROWS_PAGE);
        bool has_range = false;
        (void)err;
        ps_doc_begin_table(doc, PS_DOC_TABLE, "Times", "Operation|=Ranks|=Bytes|Way|=Time|");
        for (size_t i = 0; i < report->n; i++) {
                has_range |= report->row[i].quote.least < report->row[i].quote.most;
                if (i < most)
                        put_cost_row(doc, report, i);
        }
        ps_doc_end_table(doc);
        if (report->n > most)
                ps_doc_rest(doc, report->n - most, "row", "rows", "--report csv has all of them");
        if (has_range)
                ps_doc_say(doc, PS_DOC_P,
                           "A gather of a size between M1 and M2 has no single time: the network may stall, "
                           "how often is a matter of chance. The upper end is the figure to plan with.");
        return PS_OK;
}

/* -- curves: one for each operation, number of ranks and way, over the size -- */

typedef struct curves {
        const ps_cost_report *report;
        size_t first[CURVES_MOST]; /* a row of each */
        char names[CURVES_MOST][NAME_ROOM];
        unsigned n;
} curves;

static bool is_on_curve(const ps_cost_row *a, const ps_cost_row *b)
{
        return a->kind == b->kind && a->n_ranks == b->n_ranks && a->quote.way == b->quote.way &&
               a->quote.way_out == b->quote.way_out && a->quote.is_machines_own == b->quote.is_machines_own;
}

static void find_curves(curves *c)
{
        char way[PS_COST_WAY_ROOM];
        for (size_t i = 0; i < c->report->n && c->n < CURVES_MOST; i++) {
                const ps_cost_row *row = &c->report->row[i];
                unsigned k = 0;
                while (k < c->n && !is_on_curve(&c->report->row[c->first[k]], row))
                        k++;
                if (k < c->n)
                        continue;
                c->first[c->n] = i;
                snprintf(c->names[c->n++], NAME_ROOM, "%s of %u, %s", ps_kinds[row->kind].name, row->n_ranks,
                         ps_cost_way(way, &row->quote));
        }
}

/* The curve's next point from row *at on. */
static bool next_point(const void *of, unsigned curve, size_t *at, double *x, double *y)
{
        const curves *c = of;
        const ps_cost_row *row = c->report->row;
        while (*at < c->report->n && !is_on_curve(&row[c->first[curve]], &row[*at]))
                ++*at;
        if (*at == c->report->n)
                return false;
        *x = (double)row[*at].bytes;
        *y = ps_time_seconds(row[(*at)++].quote.most);
        return true;
}

static bool has_curves(const void *subject)
{
        const ps_cost_report *report = subject;
        for (size_t i = 1; i < report->n; i++)
                if (report->row[i].bytes != report->row[0].bytes)
                        return 1;
        return 0;
}

static ps_status put_curves(ps_doc *doc, const void *subject, ps_error *err)
{
        curves *c = ps_memory_zeroed(1, sizeof(*c));
        const char *names[CURVES_MOST];
        if (!c)
                return PS_NOMEM(err, "curves", CURVES_MOST);
        c->report = subject;
        find_curves(c);
        for (unsigned i = 0; i < c->n; i++)
                names[i] = c->names[i];
        ps_doc_curves(doc, &(ps_doc_curves_spec){.title = "Time by size",
                                                 .x_unit = "bytes",
                                                 .name = names,
                                                 .n_curves = c->n,
                                                 .next = next_point,
                                                 .of = c});
        free(c);
        return PS_OK;
}

static ps_status put_machine(ps_doc *doc, const void *subject, ps_error *err)
{
        char formula[PS_FORMULA_ROOM];
        (void)err;
        ps_doc_term(doc, "A message", PS_DOC_PLAIN,
                    ps_machine_formula(((const ps_cost_report *)subject)->machine, formula));
        return PS_OK;
}

static const ps_doc_section sections[] = {
        {"machine", "Machine", PS_DOC_UNTITLED, NULL, put_machine},
        {"curves", "Time by size", PS_DOC_PAGE_ONLY, has_curves, put_curves},
        {"times", "Times", PS_DOC_UNTITLED, NULL, put_table},
};

static ps_status put_all(ps_doc *doc, const void *subject, ps_error *err)
{
        const ps_cost_report *report = subject;
        ps_doc_title(doc, "cost", report->machine_name, ps_models[report->machine->model].title);
        return ps_doc_sections(doc, sections, sizeof(sections) / sizeof(*sections), subject, err);
}

PS_DOC_FORMATS(ps_cost_write, ps_cost_report, put_all)
