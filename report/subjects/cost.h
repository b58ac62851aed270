/* cost.h - the report of `patscan cost`: what operations take on a machine by closed formulas. */
#ifndef PS_REPORT_SUBJECTS_COST_H
#define PS_REPORT_SUBJECTS_COST_H

#include "report/print/output.h"
#include "report/print/record.h"
#include "simulator/cost/quote.h"

typedef struct ps_cost_row {
        ps_kind kind;
        uint32_t n_ranks;
        uint64_t bytes;
        ps_quote quote;
} ps_cost_row;

typedef struct ps_cost_report {
        const ps_machine *machine;
        const char *machine_name;
        const ps_cost_row *row; /* by operation, number of ranks, size, and way */
        size_t n;
} ps_cost_report;

extern const ps_record ps_record_cost;

typedef ps_status ps_cost_writer(const ps_cost_report *report, ps_output *out, ps_error *err);
ps_cost_writer ps_cost_write_text, ps_cost_write_html, ps_cost_write_markdown, ps_cost_write_json,
        ps_cost_write_csv;

/* "binomial", or "logarithmic, constant" for a way in and a way out. Returns `room`. */
enum { PS_COST_WAY_ROOM = 64 };
const char *ps_cost_way(char room[PS_COST_WAY_ROOM], const ps_quote *quote);

#endif
