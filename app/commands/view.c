/* view.c - patscan view: the page of a trace, served from this machine. The trace stays in memory, so that
 * the page can ask for any part of it. */
#include "app/cli/input.h"
#include "app/cli/message.h"
#include "core/base/number.h"
#include "core/model/pieces.h"
#include "library/run/analysis.h"
#include "library/run/cached.h"
#include "report/document/page.h"
#include "serve/server.h"

#include <string.h>

enum { IDLE_S = 600 };

static ps_status parse_port(unsigned *port, const char *text, ps_error *err)
{
        uint64_t number = 0;
        if (text)
                PS_TRY(ps_whole_parse(&number, "port", text, 0, 65535, err));
        *port = (unsigned)number;
        return PS_OK;
}

/* The options are set as for a page that is written as a report. */
static void ask_for_page(ps_options *options)
{
        while (strcmp(ps_report_formats[options->reports.row[0].format].name, "html") != 0)
                options->reports.row[0].format++;
        options->reports.n = 1;
        options->reports.has_page = true;
}

static ps_status make_page(ps_served *served, ps_timeline **timeline, ps_report *report, ps_error *err)
{
        report->settings.timeline = timeline;
        PS_TRY(ps_serve_make_token(served->token, err));
        PS_TRY(ps_output_open_memory(&served->page, PS_WIDTH_DEFAULT, err));
        PS_TRY(ps_output_open_memory(&served->policy, PS_WIDTH_DEFAULT, err));
        PS_TRY(ps_report_write_served(report, served->page, err));
        ps_html_policy(served->policy, true);
        served->timeline = *timeline;
        return ps_output_text(served->page) && ps_output_text(served->policy) ? PS_OK
                                                                              : PS_NOMEM(err, "pages", 1);
}

static ps_status tell_address(const ps_served *served, unsigned port, ps_error *err)
{
        ps_output *out;
        PS_TRY(ps_output_open(&out, "-", PS_COLOR_NEVER, err));
        ps_output_printf(out, "http://127.0.0.1:%u/%s/\n", port, served->token);
        return ps_output_commit(out, err);
}

static ps_status serve(const ps_served *served, unsigned port, const ps_options *options, ps_error *err)
{
        ps_server *server = NULL;
        ps_status status = ps_server_start(&server, served, &port, err);
        PS_THEN(status, tell_address(served, port, err));
        if (status == PS_OK) {
                ps_message_note(&options->terminal, "the page is there until Ctrl-C%s",
                                options->view.keep ? "" : ", or until ten minutes after it was closed");
                ps_server_wait(server, options->view.keep ? 0 : IDLE_S);
        }
        ps_server_stop(server);
        return status;
}

/* The trace, and what it was before it was read; no text: nobody knows. */
struct read_trace {
        const char *path;
        ps_cache_key state;
};

static bool has_changed(const void *ctx)
{
        const struct read_trace *then = ctx;
        ps_cache_key now;
        ps_error why = {0};
        const bool is_same =
                ps_cached_state(&now, then->path, &why) == PS_OK && ps_cache_key_is_same(&then->state, &now);
        ps_cache_key_clear(&now);
        return !is_same;
}

static ps_status view(ps_plan *plan, const ps_options *options, const ps_trace *trace,
                      const struct read_trace *then, unsigned port, ps_exit *code, ps_error *err)
{
        ps_analysed w;
        ps_served served = {.has_changed = then->state.text ? has_changed : NULL, .ctx = then};
        ps_timeline *timeline = NULL;
        ps_status status = ps_plan_make_report(&w, plan, options, trace, err);
        PS_THEN(status, make_page(&served, &timeline, w.report, err));
        PS_THEN(status, serve(&served, port, options, err));
        if (status == PS_OK)
                *code = ps_input_judge(options, trace->n_events, &trace->issues);
        if (served.page)
                ps_output_discard(served.page);
        if (served.policy)
                ps_output_discard(served.policy);
        ps_timeline_free(timeline);
        ps_analysed_clear(&w);
        return status;
}

ps_status ps_cmd_view(const ps_options *asked, ps_exit *code, ps_error *err)
{
        const struct ps_piece_options pieces = {.most = PS_PIECES_MOST};
        ps_options options = *asked;
        ps_plan plan = {0};
        struct read_trace then = {.path = options.arguments[0]};
        ps_trace *trace = NULL;
        ps_error why = {0};
        unsigned port;

        PS_TRY(ps_server_check(err));
        PS_TRY(parse_port(&port, options.view.port, err));
        ask_for_page(&options);
        if (ps_cached_state(&then.state, then.path, &why) != PS_OK)
                ps_cache_key_clear(&then.state); /* what is wrong with it is told where it is read */
        ps_status status = ps_plan_make(&plan, &options, err);
        PS_THEN(status,
                ps_input_load(&trace, &options, ps_plan_wants_causes(&plan, &options) ? &pieces : NULL, err));
        PS_THEN(status, ps_plan_open_stacks(&plan, &options, trace, options.arguments[0], err));
        PS_THEN(status, view(&plan, &options, trace, &then, port, code, err));
        ps_plan_clear(&plan); /* its stacks look at the trace */
        ps_trace_close(trace);
        ps_cache_key_clear(&then.state);
        return status;
}
