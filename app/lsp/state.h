/* state.h - what the parts of the server share. */
#ifndef PS_APP_LSP_STATE_H
#define PS_APP_LSP_STATE_H

#include "app/lsp/server.h"
#include "report/print/row.h"

#include <cjson/cJSON.h>
#include <sys/types.h>

/* JSON-RPC's and the protocol's own. */
enum {
        PS_RPC_NO_JSON = -32700,
        PS_RPC_BAD_REQUEST = -32600,
        PS_RPC_NO_METHOD = -32601,
        PS_RPC_BAD_PARAMS = -32602,
        PS_RPC_TOO_EARLY = -32002
};

typedef enum ps_lsp_phase { PS_LSP_NEW, PS_LSP_BEGUN, PS_LSP_READY, PS_LSP_SHUT, PS_LSP_GONE } ps_lsp_phase;

typedef struct ps_lsp {
        const ps_lsp_options *options;
        ps_desk desk;
        char *page; /* as an address; NULL: there is none */
        ps_wire wire;
        ps_lsp_phase phase;
        bool was_shut;
        bool shows_documents, shows_progress; /* the editor can */
        uint64_t n_asked;                     /* requests of ours */
        /* The report as it was when it was read. */
        struct stat seen;
        bool has_report, has_failed;
        /* Of a trace: the process that analyses it, and where it writes the report. */
        pid_t child;
        char *folder; /* of files that are ours; NULL: none yet */
        char *report; /* that is read */
        unsigned n_waits;
} ps_lsp;

/* -- messages (speak.c) -- */

/* NULL: it is not there. */
static inline const cJSON *ps_lsp_member(const cJSON *object, const char *key)
{
        return cJSON_GetObjectItemCaseSensitive(object, key);
}

/* A message in the making: what has an `id` of NULL is a notification. */
typedef struct ps_speech {
        ps_output *out;
        ps_row row;
} ps_speech;

/* {"jsonrpc": "2.0", "method": ..., "params": {: the caller writes the members and ends it. */
ps_status ps_lsp_notify(ps_lsp *lsp, ps_speech *speech, const char *method, ps_error *err);
ps_status ps_lsp_request(ps_lsp *lsp, ps_speech *speech, const char *method, ps_error *err);
/* {"jsonrpc": "2.0", "id": ...: the caller writes "result" and ends it. */
ps_status ps_lsp_answer(ps_lsp *lsp, ps_speech *speech, const cJSON *id, ps_error *err);
/* `depth`: what is left open is closed. Writes the message, or nothing after a failure. */
ps_status ps_lsp_end(ps_lsp *lsp, ps_speech *speech, ps_error *err);

ps_status ps_lsp_refuse(ps_lsp *lsp, const cJSON *id, int code, const char *text, ps_error *err);
/* What a person is to know: 1 error, 2 warning, 3 info; as a line in a log, or shown. */
ps_status ps_lsp_log(ps_lsp *lsp, int type, const char *text, ps_error *err);
ps_status ps_lsp_show(ps_lsp *lsp, int type, const char *text, ps_error *err);

/* -- what is shown (publish.c) -- */

ps_status ps_lsp_publish(ps_lsp *lsp, ps_error *err);
ps_status ps_lsp_publish_file(ps_lsp *lsp, ps_str file, ps_error *err);

/* -- what is asked (answers.c, actions.c) -- */

typedef struct ps_lsp_question {
        ps_lsp *lsp;
        const cJSON *id, *params;
        ps_error *err;
} ps_lsp_question;

ps_status ps_lsp_code_lenses(const ps_lsp_question *q);
ps_status ps_lsp_hover(const ps_lsp_question *q);
ps_status ps_lsp_hints(const ps_lsp_question *q);
ps_status ps_lsp_actions(const ps_lsp_question *q);
ps_status ps_lsp_command(const ps_lsp_question *q);
extern const char *const ps_lsp_commands[]; /* ended by NULL */

/* params.textDocument.uri; NULL: there is none. */
const char *ps_lsp_uri(const cJSON *params);
/* The line of params[key], from 0, or -1. */
int64_t ps_lsp_line(const cJSON *range, const char *key);
/* The UTF-16 units of the first `bytes` of a line, as editors count columns. */
uint32_t ps_lsp_units(const char *line, size_t bytes);
/* A range in a line. */
void ps_lsp_put_range(ps_row *row, ps_lsp *lsp, ps_str file, uint32_t line, uint32_t column,
                      uint32_t column_end);

/* -- the report (watch.c) -- */

/* Reads it if it is there and not what was read before; tells the editor. */
ps_status ps_lsp_watch(ps_lsp *lsp, ps_error *err);
ps_status ps_lsp_begin_analysis(ps_lsp *lsp, ps_error *err);
void ps_lsp_end_watch(ps_lsp *lsp);
/* A folder for files of ours; NULL: it cannot be made. */
const char *ps_lsp_folder(ps_lsp *lsp);

#endif
