/* comparison.h - the report of `patscan compare`, for people and for programs. */
#ifndef PS_REPORT_COMPARISON_COMPARISON_H
#define PS_REPORT_COMPARISON_COMPARISON_H

#include "compare/compare.h"
#include "report/print/record.h"

extern const ps_record ps_record_comparison; /* docs/compare.schema.json */

/* What a reader has to know before trusting it, one at a time from i = 0; NULL: no more. */
enum { PS_COMPARE_NOTE_ROOM = 400 };
const char *ps_compare_note(char room[PS_COMPARE_NOTE_ROOM], const ps_compare *compare, unsigned i);

typedef ps_status ps_compare_writer(const ps_compare *compare, ps_output *out, ps_error *err);
ps_compare_writer ps_compare_write_text, ps_compare_write_json, ps_compare_write_html,
        ps_compare_write_markdown;

#endif
