/* server.c - reads what the editor says and has it answered; looks after the report in between. */
#include "app/lsp/server.h"

#include "app/lsp/state.h"
#include "core/base/blocks.h"
#include "report/print/uri.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LOOK_MS = 500, FIRST_LOOK_MS = 50 };

/* -- how it begins and ends -- */

static void take_client(ps_lsp *lsp, const cJSON *params)
{
        const cJSON *window = ps_lsp_member(ps_lsp_member(params, "capabilities"), "window");
        const char *root = cJSON_GetStringValue(ps_lsp_member(params, "rootUri"));
        const cJSON *folder = cJSON_GetArrayItem(ps_lsp_member(params, "workspaceFolders"), 0);
        if (!root)
                root = cJSON_GetStringValue(ps_lsp_member(folder, "uri"));
        lsp->shows_documents = cJSON_IsTrue(ps_lsp_member(ps_lsp_member(window, "showDocument"), "support"));
        lsp->shows_progress = cJSON_IsTrue(ps_lsp_member(window, "workDoneProgress"));
        lsp->desk.root = root ? ps_uri_path(root) : NULL;
}

static void put_capabilities(ps_row *row, const char *page)
{
        ps_row_open(row, "capabilities", '{');
        ps_row_open(row, "textDocumentSync", '{');
        ps_row_bool(row, "openClose", true);
        ps_row_u64(row, "change", 0);
        ps_row_bool(row, "save", true);
        ps_row_close(row, '}');
        ps_row_bool(row, "hoverProvider", true);
        ps_row_open(row, "codeLensProvider", '{');
        ps_row_close(row, '}');
        ps_row_bool(row, "inlayHintProvider", true);
        ps_row_open(row, "codeActionProvider", '{');
        ps_row_open(row, "codeActionKinds", '[');
        ps_row_text(row, NULL, "quickfix");
        ps_row_close(row, ']');
        ps_row_close(row, '}');
        ps_row_open(row, "executeCommandProvider", '{');
        ps_row_open(row, "commands", '[');
        for (size_t i = 0; ps_lsp_commands[i]; i++)
                ps_row_text(row, NULL, ps_lsp_commands[i]);
        ps_row_close(row, ']');
        ps_row_close(row, '}');
        ps_row_open(row, "experimental", '{');
        ps_row_known(exact_text, row, "page", page, page);
        ps_row_close(row, '}');
        ps_row_close(row, '}');
}

static ps_status initialize(const ps_lsp_question *q)
{
        ps_speech speech;
        if (q->lsp->phase != PS_LSP_NEW)
                return ps_lsp_refuse(q->lsp, q->id, PS_RPC_BAD_REQUEST, "initialize was sent already",
                                     q->err);
        take_client(q->lsp, q->params);
        q->lsp->phase = PS_LSP_BEGUN;
        PS_TRY(ps_lsp_answer(q->lsp, &speech, q->id, q->err));
        ps_row_open(&speech.row, "result", '{');
        put_capabilities(&speech.row, q->lsp->page);
        ps_row_open(&speech.row, "serverInfo", '{');
        ps_row_text(&speech.row, "name", "patscan");
        ps_row_text(&speech.row, "version", patscan_version());
        return ps_lsp_end(q->lsp, &speech, q->err);
}

/* A bad configuration is reported, and findings are shown all the same. */
static ps_status configure(ps_lsp *lsp, ps_error *err)
{
        const ps_lsp_options *options = lsp->options;
        ps_error why = {0};
        if (!options->ignore ||
            options->configure(options->ctx, lsp->desk.root, &lsp->desk.where, &why) == PS_OK)
                return PS_OK;
        return ps_lsp_show(lsp, 2, why.cause[0].text, err);
}

static ps_status initialized(const ps_lsp_question *q)
{
        if (q->lsp->phase != PS_LSP_BEGUN)
                return PS_OK;
        q->lsp->phase = PS_LSP_READY;
        PS_TRY(configure(q->lsp, q->err));
        if (!q->lsp->options->is_report)
                PS_TRY(ps_lsp_begin_analysis(q->lsp, q->err));
        return ps_lsp_watch(q->lsp, q->err);
}

static ps_status shut(const ps_lsp_question *q)
{
        ps_speech speech;
        q->lsp->phase = PS_LSP_SHUT;
        q->lsp->was_shut = true;
        PS_TRY(ps_lsp_answer(q->lsp, &speech, q->id, q->err));
        ps_row_null(&speech.row, "result");
        return ps_lsp_end(q->lsp, &speech, q->err);
}

static ps_status answer_exit(const ps_lsp_question *q)
{
        q->lsp->phase = PS_LSP_GONE;
        return PS_OK;
}

/* -- files in the editor -- */

/* Its marks once more: an editor may have forgotten them, and its text may differ from the file's. */
static ps_status show_again(const ps_lsp_question *q, ps_str file)
{
        const ps_marked_file *marked = file ? ps_desk_marks(&q->lsp->desk, file) : NULL;
        if (!marked)
                return PS_OK;
        PS_TRY(ps_desk_settle(&q->lsp->desk, marked, q->err));
        return ps_lsp_publish_file(q->lsp, file, q->err);
}

static ps_status opened(const ps_lsp_question *q)
{
        const char *uri = ps_lsp_uri(q->params);
        const char *text =
                cJSON_GetStringValue(ps_lsp_member(ps_lsp_member(q->params, "textDocument"), "text"));
        ps_str file = uri ? ps_desk_find(&q->lsp->desk, uri) : 0;
        if (!file || !text)
                return PS_OK;
        PS_TRY(ps_desk_call(&q->lsp->desk, file, uri, q->err));
        PS_TRY(ps_desk_open(&q->lsp->desk, file, text, q->err));
        return show_again(q, file);
}

/* Closed, or saved: now the file counts. */
static ps_status looked_up(const ps_lsp_question *q)
{
        const char *uri = ps_lsp_uri(q->params);
        ps_str file = uri ? ps_desk_find(&q->lsp->desk, uri) : 0;
        if (!file)
                return PS_OK;
        PS_TRY(ps_desk_open(&q->lsp->desk, file, NULL, q->err));
        return show_again(q, file);
}

/* -- which message is which -- */

static const struct method {
        const char *name;
        bool is_request;
        ps_status (*run)(const ps_lsp_question *q);
} methods[] = {{"initialize", true, initialize},
               {"initialized", false, initialized},
               {"shutdown", true, shut},
               {"exit", false, answer_exit},
               {"textDocument/didOpen", false, opened},
               {"textDocument/didClose", false, looked_up},
               {"textDocument/didSave", false, looked_up},
               {"textDocument/codeLens", true, ps_lsp_code_lenses},
               {"textDocument/hover", true, ps_lsp_hover},
               {"textDocument/inlayHint", true, ps_lsp_hints},
               {"textDocument/codeAction", true, ps_lsp_actions},
               {"workspace/executeCommand", true, ps_lsp_command}};

static const struct method *find_method(const char *name)
{
        for (size_t i = 0; i < sizeof(methods) / sizeof(*methods); i++)
                if (strcmp(methods[i].name, name) == 0)
                        return &methods[i];
        return NULL;
}

static ps_status run_request(const ps_lsp_question *q, const struct method *method)
{
        if (q->lsp->phase == PS_LSP_NEW && (!method || method->run != initialize))
                return ps_lsp_refuse(q->lsp, q->id, PS_RPC_TOO_EARLY, "initialize has to come first", q->err);
        if (q->lsp->phase == PS_LSP_SHUT)
                return ps_lsp_refuse(q->lsp, q->id, PS_RPC_BAD_REQUEST, "shutdown was sent already", q->err);
        if (!method || !method->is_request)
                return ps_lsp_refuse(q->lsp, q->id, PS_RPC_NO_METHOD, "patscan does not know this request",
                                     q->err);
        return method->run(q);
}

/* Notifications that mean nothing to us, and answers to our own requests, are passed over. */
static ps_status run_message(ps_lsp *lsp, const cJSON *message, ps_error *err)
{
        const cJSON *id = ps_lsp_member(message, "id");
        const char *name = cJSON_GetStringValue(ps_lsp_member(message, "method"));
        ps_lsp_question q = {lsp, id, ps_lsp_member(message, "params"), err};
        if (!cJSON_IsObject(message))
                return ps_lsp_refuse(lsp, NULL, PS_RPC_BAD_REQUEST, "a message has to be an object", err);
        if (!name)
                return ps_lsp_member(message, "result") || ps_lsp_member(message, "error")
                               ? PS_OK
                               : ps_lsp_refuse(lsp, id, PS_RPC_BAD_REQUEST, "a message has to have a method",
                                               err);
        const struct method *method = find_method(name);
        if (id)
                return run_request(&q, method);
        if (!method || method->is_request ||
            (lsp->phase != PS_LSP_READY && method->run != initialized && method->run != answer_exit))
                return PS_OK;
        return method->run(&q);
}

static ps_status run_text(ps_lsp *lsp, const char *text, size_t n, ps_error *err)
{
        cJSON *message = cJSON_ParseWithLength(text, n);
        ps_status status = message ? run_message(lsp, message, err)
                                   : ps_lsp_refuse(lsp, NULL, PS_RPC_NO_JSON, "this is not JSON", err);
        cJSON_Delete(message);
        return status;
}

static ps_status run_frames(ps_lsp *lsp, ps_error *err)
{
        for (ps_frame frame = PS_FRAME_TEXT; frame != PS_FRAME_NONE && lsp->phase != PS_LSP_GONE;) {
                char *text;
                size_t n;
                PS_TRY(ps_wire_take(&lsp->wire, &frame, &text, &n, err));
                ps_status status = PS_OK;
                if (frame == PS_FRAME_TEXT)
                        status = run_text(lsp, text, n, err);
                else if (frame == PS_FRAME_BROKEN)
                        status = ps_lsp_refuse(lsp, NULL, PS_RPC_NO_JSON,
                                               "this is not a message, or it is too long", err);
                free(text);
                PS_TRY(status);
        }
        return PS_OK;
}

/* -- the loop -- */

static ps_status read_more(ps_lsp *lsp, ps_error *err)
{
        char *room;
        size_t n;
        PS_TRY(ps_wire_room(&lsp->wire, &room, &n, err));
        ssize_t got = ps_blocks_read(lsp->options->in, room, n);
        if (got < 0 && errno != EINTR && errno != EAGAIN)
                return PS_FAIL(err, PS_E_OUTPUT, "cannot read from the editor: reason=\"%s\"",
                               strerror(errno));
        if (got == 0)
                lsp->phase = PS_LSP_GONE;
        ps_wire_put(&lsp->wire, got > 0 ? (size_t)got : 0);
        return run_frames(lsp, err);
}

static ps_status serve(ps_lsp *lsp, ps_error *err)
{
        while (lsp->phase != PS_LSP_GONE) {
                struct pollfd in = {.fd = lsp->options->in, .events = POLLIN};
                int ready = poll(&in, 1, lsp->child > 0 && !lsp->n_waits ? FIRST_LOOK_MS : LOOK_MS);
                if (ready > 0)
                        PS_TRY(read_more(lsp, err));
                else if (lsp->phase == PS_LSP_READY)
                        PS_TRY(ps_lsp_watch(lsp, err));
        }
        return PS_OK;
}

/* A page beside the report, if nobody says where it is. */
static char *find_page(const ps_lsp_options *options)
{
        const char *dot = strrchr(options->source, '.'), *page = options->page;
        char beside[PATH_MAX], *path, *uri;
        if (page && strstr(page, "://"))
                return strdup(page);
        if (!page) {
                int n = dot && !strchr(dot, '/') ? (int)(dot - options->source)
                                                 : (int)strlen(options->source);
                snprintf(beside, sizeof(beside), "%.*s.html", n, options->source);
                page = beside;
        }
        path = realpath(page, NULL);
        uri = path ? ps_uri_encode("file://", path) : NULL;
        free(path);
        return uri;
}

ps_status ps_lsp_serve(const ps_lsp_options *options, bool *is_orderly, ps_error *err)
{
        ps_lsp lsp = {.options = options, .desk = {.where = options->where}};
        ps_status status = PS_OK;
        lsp.page = find_page(options);
        if (options->is_report)
                lsp.report = strdup(options->source);
        if (options->is_report && !lsp.report)
                status = PS_NOMEM(err, "path", 1);
        lsp.desk.report = options->source;
        PS_THEN(status, serve(&lsp, err));
        *is_orderly = lsp.was_shut;
        ps_lsp_end_watch(&lsp);
        ps_desk_clear(&lsp.desk);
        ps_wire_clear(&lsp.wire);
        free(lsp.page);
        return status;
}
