/* request.h - formats of a report by their names. */
#ifndef PS_LIBRARY_RUN_REQUEST_H
#define PS_LIBRARY_RUN_REQUEST_H

#include "library/run/asked.h"
#include "report/print/record.h"

/* A table name[0 .. n) of the document; those of the report are also those of its pictures. */
ps_status ps_request_find_table(ps_report_request *request, const ps_record *document, const char *name,
                                size_t n, ps_error *err);
/* Of the report of an analysis: "json", "csv.causes". Borrows the name. */
ps_status ps_request_parse(ps_report_request *out, const char *name, ps_error *err);
/* Does it need a profile of the run, causes? */
bool ps_request_wants_profile(const ps_report_request *request);
bool ps_request_wants_causes(const ps_report_request *request);
/* Each operation, of one location after the other, while it is written? */
bool ps_request_borrows_rows(const ps_report_request *request);
/* The ways from findings to causes. */
bool ps_request_wants_chains(const ps_report_request *request);

#endif
