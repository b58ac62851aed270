/* input.h - what the commands that read a trace have in common. */
#ifndef PS_APP_CLI_INPUT_H
#define PS_APP_CLI_INPUT_H

#include "app/cli/commands.h"
#include "app/cli/progress.h"
#include "core/model/issue.h"
#include "patterns/source/source.h"
#include "report/print/output.h"

ps_load_options ps_input_options(const ps_options *options, ps_progress *progress);
/* Is one of the reports a page for browsers? */
bool ps_input_wants_page(const ps_options *options);
ps_source_options ps_input_sources(const ps_asked_source *asked);

/* Traces are read in any order, and more than once: where one is called "-", what comes through the standard
 * input is kept in a file without a name, and the argument becomes what opens it. */
ps_status ps_input_take_stdin(ps_options *options, ps_error *err);

/* A trace, with progress and a note of how long it took. What everybody has to know of it is said at once. */
ps_status ps_input_read(ps_trace **out, const ps_options *options, const char *path,
                        const ps_load_options *how, ps_error *err);
/* The trace that is the command's first argument, as the options ask for it. */
ps_status ps_input_load(ps_trace **out, const ps_options *options, const struct ps_piece_options *pieces,
                        ps_error *err);

/* Writes each --report that was asked for, until one fails: `write` is given `what` and the request. */
ps_status ps_input_reports(const ps_options *options,
                           ps_status (*write)(const void *what, const ps_report_request *request,
                                              ps_output *out, ps_error *err),
                           const void *what, ps_error *err);

/* One line, if the trace is not what was recorded. */
void ps_input_warn(const ps_options *options, const char *path, const ps_issues *issues, uint64_t n_messages);

/* How the program ends after reading `n_events` with these issues; says so if it is not well. */
ps_exit ps_input_judge(const ps_options *options, uint64_t n_events, const ps_issues *issues);
/* Says why no limit on what the trace tells may be trusted, and returns 1; 0: it may. `on_waits`: the limits
 * are on times that go from one process's clock to another's. */
bool ps_input_distrusts(const ps_options *options, const ps_trace *trace, int on_waits);

#endif
