/* server.h - a language server: what a report found, on the lines that an editor shows.
 *
 * It speaks JSON-RPC on two file descriptors, tells of all files at once, and of a report that changes as
 * soon as it has. */
#ifndef PS_APP_LSP_SERVER_H
#define PS_APP_LSP_SERVER_H

#include "app/lsp/desk.h"
#include "app/lsp/wire.h"

typedef struct ps_lsp_options {
        const char *source; /* a JSON report, or a trace */
        bool is_report;
        const char *page; /* a file or an address; NULL: none */
        ps_source_options where;
        int in, out;
        /* Analyses the trace, in a process of its own, into a JSON report at `file`. */
        ps_status (*analyse)(void *ctx, const char *file, ps_error *err);
        /* What the project in the editor's folder says, NULL: here, and which sites it ignores. */
        ps_status (*configure)(void *ctx, const char *root, ps_source_options *where, ps_error *err);
        bool (*is_ignored)(void *ctx, const char *site);
        /* Adds one to them. NULL: there is no configuration. */
        ps_status (*ignore)(void *ctx, const char *root, const char *site, ps_error *err);
        void *ctx;
} ps_lsp_options;

/* Until the editor says exit, or is gone. *is_orderly: it had said shutdown before. */
ps_status ps_lsp_serve(const ps_lsp_options *options, bool *is_orderly, ps_error *err);

#endif
