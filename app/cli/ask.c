/* ask.c - see ask.h. */
#include "app/cli/ask.h"
#include "app/cli/limited.h"
#include "app/cli/message.h"

static void hear(void *ctx, patscan_message_kind kind, const char *text)
{
        ps_asked_calls *asked = ctx;
        const ps_asked_terminal *terminal = asked->terminal;

        if (kind == PATSCAN_MESSAGE_LIMIT)
                ps_message_limit(terminal, text);
        else if (kind == PATSCAN_MESSAGE_NOTE)
                ps_message_note(terminal, "%s", text);
        else
                ps_message_warn(terminal, "%s", text);
}

static void ask_to_open(ps_asked_calls *out, const ps_options *options)
{
        ps_settings_give(&out->open, PS_SETTINGS_OPEN, options, out->words[PS_SETTINGS_OPEN]);
        out->terminal = &options->terminal;
        out->opening = (ps_opening){.exchange = options->load.exchange, .rows_stay_from = UINT64_MAX};
        ps_progress_begin(&out->reading, &options->terminal, "reading", 0);
        out->open.clock = options->load.clock_is_told ? out->open.clock : NULL;
        out->open.call_stacks = options->reports.has_page;
        out->open.progress = ps_progress_update;
        out->open.progress_ctx = &out->reading;
        out->open.listener = hear;
        out->open.listener_ctx = out;
}

void ps_ask(ps_asked_calls *out, const ps_options *options)
{
        const ps_configured *configured = &options->configured;

        ask_to_open(out, options);
        ps_settings_give(&out->analyze, PS_SETTINGS_ANALYZE, options, out->words[PS_SETTINGS_ANALYZE]);
        ps_progress_begin(&out->analysing, &options->terminal, "analysing", 0);
        out->analyze.progress = ps_progress_update;
        out->analyze.progress_ctx = &out->analysing;
        ps_settings_give(&out->info, PS_SETTINGS_INFO, options, out->words[PS_SETTINGS_INFO]);
        ps_settings_give(&out->compare, PS_SETTINGS_COMPARE, options, out->words[PS_SETTINGS_COMPARE]);
        ps_settings_give(&out->predict, PS_SETTINGS_PREDICT, options, out->words[PS_SETTINGS_PREDICT]);
        if (!options->machine.pipelining_is_told)
                out->predict.pipelining = NULL;
        out->analyze.ignored = configured->ignored;
        out->analyze.n_ignored = configured->n_ignored;
        for (unsigned i = 0; i < configured->n_files && i + 1 < PATSCAN_LIST; i++)
                out->analyze.config[i] = configured->file[i];
        out->analyze.config_says = configured->says;
}

ps_status ps_ask_open(patscan_trace **out, const char *path, ps_asked_calls *asked, ps_error *err)
{
        ps_limited_open(asked, path);
        return ps_open_shared(out, path, &asked->open, &asked->opening, err);
}

ps_status ps_ask_reports(const ps_options *options,
                         ps_status (*write)(const void *what, const ps_report_request *request,
                                            ps_output *out, ps_error *err),
                         const void *what, ps_error *err)
{
        ps_limited_report();
        return ps_input_reports(options, write, what, err);
}

patscan_report_options ps_ask_look(const ps_output *out)
{
        return (patscan_report_options){.size = sizeof(patscan_report_options),
                                        .width = ps_output_width(out),
                                        .color = ps_output_has_color(out)};
}

int ps_ask_put(void *out, const char *bytes, size_t n)
{
        ps_output_write(out, bytes, n);
        return ps_output_failed(out);
}

ps_status ps_ask_done(const ps_output *out, ps_status status, ps_error *err)
{
        if (status != PS_E_OUTPUT || !ps_output_failed(out))
                return status;
        *err = (ps_error){0};
        return PS_OK;
}
