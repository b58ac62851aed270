/* tables.h - the tables of a comparison for people: parts, intervals, ranks, messages, findings. */
#ifndef PS_REPORT_COMPARISON_TABLES_H
#define PS_REPORT_COMPARISON_TABLES_H

#include "compare/compare.h"
#include "report/document/document.h"

/* Sections of the document. */
ps_doc_writer ps_comparison_put_parts, ps_comparison_put_intervals, ps_comparison_put_ranks,
        ps_comparison_put_messages, ps_comparison_put_patterns, ps_comparison_put_sites;
bool ps_comparison_has_intervals(const void *subject), ps_comparison_has_ranks(const void *subject),
        ps_comparison_has_messages(const void *subject), ps_comparison_has_patterns(const void *subject),
        ps_comparison_has_sites(const void *subject);
/* Where a side is several runs: how long they took. */
void ps_comparison_put_samples(ps_doc *doc, const ps_compare *c);

#endif
