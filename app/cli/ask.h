/* ask.h - what a command line asks for, as programs ask libpatscan for it. */
#ifndef PS_APP_CLI_ASK_H
#define PS_APP_CLI_ASK_H

#include "app/cli/input.h"
#include "library/api/lent.h"
#include "library/api/settings.h"
#include "patscan/patscan.h"

/* The options of all calls. Texts are those of the command line, or of `words`. It must stay where it was
 * filled. */
typedef struct ps_asked_calls {
        patscan_open_options open;
        patscan_analyze_options analyze;
        patscan_info_options info;
        patscan_compare_options compare;
        patscan_predict_options predict;
        ps_settings_words words[PS_SETTING_GROUPS];
        ps_progress reading, analysing;
        const ps_asked_terminal *terminal;
        ps_opening opening;
} ps_asked_calls;

void ps_ask(ps_asked_calls *out, const ps_options *options);

/* patscan_open(), shared with other processes if there are any. */
ps_status ps_ask_open(patscan_trace **out, const char *path, ps_asked_calls *asked, ps_error *err);

/* ps_input_reports(), of a trace that was opened so. */
ps_status ps_ask_reports(const ps_options *options,
                         ps_status (*write)(const void *what, const ps_report_request *request,
                                            ps_output *out, ps_error *err),
                         const void *what, ps_error *err);

/* How a report looks that goes to `out`, and a patscan_write of which that is the context. */
patscan_report_options ps_ask_look(const ps_output *out);
int ps_ask_put(void *out, const char *bytes, size_t n);
/* The end of a report that was written so: the output itself tells why it failed. */
ps_status ps_ask_done(const ps_output *out, ps_status status, ps_error *err);

#endif
