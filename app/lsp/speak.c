/* speak.c - messages to the editor: written in memory first, because a message begins with its length. */
#include "app/lsp/state.h"
#include "core/base/blocks.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static ps_status begin_message(ps_speech *speech, ps_error *err)
{
        PS_TRY(ps_output_open_memory(&speech->out, PS_WIDTH_DEFAULT, err));
        speech->row = (ps_row){.out = speech->out, .style = PS_ROW_COMPACT};
        ps_row_open(&speech->row, NULL, '{');
        ps_row_text(&speech->row, "jsonrpc", "2.0");
        return PS_OK;
}

ps_status ps_lsp_notify(ps_lsp *lsp, ps_speech *speech, const char *method, ps_error *err)
{
        (void)lsp;
        PS_TRY(begin_message(speech, err));
        ps_row_text(&speech->row, "method", method);
        ps_row_open(&speech->row, "params", '{');
        return PS_OK;
}

ps_status ps_lsp_request(ps_lsp *lsp, ps_speech *speech, const char *method, ps_error *err)
{
        PS_TRY(begin_message(speech, err));
        ps_row_u64(&speech->row, "id", ++lsp->n_asked);
        ps_row_text(&speech->row, "method", method);
        ps_row_open(&speech->row, "params", '{');
        return PS_OK;
}

/* An id is a number or a text; it comes back as it is. */
static void put_id(ps_row *row, const cJSON *id)
{
        if (cJSON_IsString(id))
                ps_row_exact_text(row, "id", id->valuestring);
        else if (cJSON_IsNumber(id))
                ps_row_exact_real(row, "id", id->valuedouble);
        else
                ps_row_null(row, "id");
}

ps_status ps_lsp_answer(ps_lsp *lsp, ps_speech *speech, const cJSON *id, ps_error *err)
{
        (void)lsp;
        PS_TRY(begin_message(speech, err));
        put_id(&speech->row, id);
        return PS_OK;
}

static ps_status write_all(int fd, const char *bytes, size_t n, ps_error *err)
{
        while (n) {
                ssize_t done = ps_blocks_write(fd, bytes, n);
                if (done < 0 && errno == EINTR)
                        continue;
                if (done < 0)
                        return PS_FAIL(err, PS_E_OUTPUT, "cannot write to the editor: reason=\"%s\"",
                                       strerror(errno));
                bytes += done;
                n -= (size_t)done;
        }
        return PS_OK;
}

ps_status ps_lsp_end(ps_lsp *lsp, ps_speech *speech, ps_error *err)
{
        char header[64];
        while (speech->row.depth)
                ps_row_close(&speech->row, '}');
        const char *text = ps_output_text(speech->out);
        size_t n = ps_output_gathered(speech->out);
        ps_status status = PS_OK;
        if (!text || ps_output_failed(speech->out))
                status = PS_NOMEM(err, "message to the editor", n);
        int length = snprintf(header, sizeof(header), "Content-Length: %zu\r\n\r\n", n);
        PS_THEN(status, write_all(lsp->options->out, header, (size_t)length, err));
        PS_THEN(status, write_all(lsp->options->out, text, n, err));
        ps_output_discard(speech->out);
        return status;
}

ps_status ps_lsp_refuse(ps_lsp *lsp, const cJSON *id, int code, const char *text, ps_error *err)
{
        ps_speech speech;
        PS_TRY(ps_lsp_answer(lsp, &speech, id, err));
        ps_row_open(&speech.row, "error", '{');
        ps_row_i64(&speech.row, "code", code);
        ps_row_text(&speech.row, "message", text);
        return ps_lsp_end(lsp, &speech, err);
}

static ps_status tell_client(ps_lsp *lsp, const char *method, int type, const char *text, ps_error *err)
{
        ps_speech speech;
        PS_TRY(ps_lsp_notify(lsp, &speech, method, err));
        ps_row_i64(&speech.row, "type", type);
        ps_row_text(&speech.row, "message", text);
        return ps_lsp_end(lsp, &speech, err);
}

ps_status ps_lsp_log(ps_lsp *lsp, int type, const char *text, ps_error *err)
{
        return tell_client(lsp, "window/logMessage", type, text, err);
}

ps_status ps_lsp_show(ps_lsp *lsp, int type, const char *text, ps_error *err)
{
        return tell_client(lsp, "window/showMessage", type, text, err);
}
