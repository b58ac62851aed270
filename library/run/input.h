/* input.h - traces as they are asked for, and what everybody has to know of them. */
#ifndef PS_LIBRARY_RUN_INPUT_H
#define PS_LIBRARY_RUN_INPUT_H

#include "core/load/load.h"
#include "core/model/issue.h"
#include "library/run/asked.h"
#include "library/run/exit.h"
#include "patterns/source/source.h"

/* Without pieces and focus. */
ps_load_options ps_asked_load_options(const ps_options *options);
ps_source_options ps_input_sources(const ps_asked_source *asked);

/* A trace in the focus that is asked for. What everybody has to know of it is said at once. */
ps_status ps_asked_read(ps_trace **out, const ps_options *options, const char *path,
                        const ps_load_options *how, ps_error *err);

/* One line, if the trace is not what was recorded. */
void ps_input_warn(const ps_options *options, const char *path, const ps_issues *issues, uint64_t n_messages);

/* How the program ends after reading `n_events` with these issues; says so if it is not well. */
ps_exit ps_input_judge(const ps_options *options, uint64_t n_events, const ps_issues *issues);
/* Says why no limit on what the trace tells may be trusted, and returns 1; 0: it may. `on_waits`: the limits
 * are on times that go from one process's clock to another's. */
bool ps_input_distrusts(const ps_options *options, const ps_trace *trace, int on_waits);

/* Writes each --report that was asked for, until one fails: `write` is given `what` and the request. */
ps_status ps_input_reports(const ps_options *options,
                           ps_status (*write)(const void *what, const ps_report_request *request,
                                              ps_output *out, ps_error *err),
                           const void *what, ps_error *err);

/* PS_E_USAGE if one of the options "a|b" is asked for; `reason` says why that cannot be. */
ps_status ps_refuse(const ps_options *options, const char *names, const char *reason, ps_error *err);
/* What is no analysis has few formats: which of text, json, csv, html and markdown it is; -1: none of them.
 */
int ps_table_format(const char *name);
/* Of several predictions there is a table only, in these formats. */
ps_status ps_refuse_format(const char *format, ps_error *err);
ps_status ps_refuse_other_formats(const ps_options *options, ps_error *err); /* that are asked for */

#endif
