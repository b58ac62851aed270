/* watch.c - the report: read when it is there, and again when it changes; made first where a trace was given.
 *
 * A trace is analysed by a process of its own, so that the editor gets its answers meanwhile. */
#include "app/lsp/state.h"

#include "core/base/file.h"
#include "core/base/vector.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* -- a folder for files of ours -- */

const char *ps_lsp_folder(ps_lsp *lsp)
{
        const char *base = getenv("TMPDIR");
        char path[512];
        if (lsp->folder)
                return lsp->folder;
        if (snprintf(path, sizeof(path), "%s/patscan-lsp-XXXXXX", base && *base ? base : "/tmp") >=
                    (int)sizeof(path) ||
            !mkdtemp(path))
                return NULL;
        lsp->folder = strdup(path);
        return lsp->folder;
}

static void remove_folder(ps_lsp *lsp)
{
        static const char *const names[] = {"report.json", "finding.md"};
        char path[600];
        for (size_t i = 0; lsp->folder && i < sizeof(names) / sizeof(*names); i++) {
                snprintf(path, sizeof(path), "%s/%s", lsp->folder, names[i]);
                unlink(path);
        }
        if (lsp->folder)
                rmdir(lsp->folder);
        free(lsp->folder);
        lsp->folder = NULL;
}

/* -- progress, for editors that show it -- */

static ps_status progress(ps_lsp *lsp, const char *kind, const char *title, const char *message,
                          ps_error *err)
{
        ps_speech speech;
        if (!lsp->shows_progress)
                return PS_OK;
        PS_TRY(ps_lsp_notify(lsp, &speech, "$/progress", err));
        ps_row_text(&speech.row, "token", "patscan");
        ps_row_open(&speech.row, "value", '{');
        ps_row_text(&speech.row, "kind", kind);
        if (title)
                ps_row_text(&speech.row, "title", title);
        if (message)
                ps_row_text(&speech.row, "message", message);
        return ps_lsp_end(lsp, &speech, err);
}

static ps_status begin_progress(ps_lsp *lsp, ps_error *err)
{
        ps_speech speech;
        if (!lsp->shows_progress)
                return PS_OK;
        PS_TRY(ps_lsp_request(lsp, &speech, "window/workDoneProgress/create", err));
        ps_row_text(&speech.row, "token", "patscan");
        PS_TRY(ps_lsp_end(lsp, &speech, err));
        return progress(lsp, "begin", "patscan reads the trace", lsp->options->source, err);
}

/* -- the analysis of a trace -- */

static _Noreturn void analyse_again(const ps_lsp *lsp)
{
        ps_error why = {0};
        int nowhere = dup2(STDERR_FILENO, STDOUT_FILENO); /* what the editor reads is ours alone */
        ps_status status =
                nowhere < 0 ? PS_E_OUTPUT : lsp->options->analyse(lsp->options->ctx, lsp->report, &why);
        if (status != PS_OK && why.n_causes)
                fprintf(stderr, "patscan: %s\n", why.cause[why.n_causes - 1].text);
        _exit(status == PS_OK ? 0 : 1);
}

ps_status ps_lsp_begin_analysis(ps_lsp *lsp, ps_error *err)
{
        const char *folder = ps_lsp_folder(lsp);
        size_t n = folder ? strlen(folder) + sizeof("/report.json") : 0;
        if (!folder)
                return PS_FAIL(err, PS_E_OUTPUT, "cannot make a folder for the report: reason=\"%s\"",
                               strerror(errno));
        if (!lsp->report) {
                lsp->report = malloc(n);
                if (!lsp->report)
                        return PS_NOMEM(err, "path", n);
                snprintf(lsp->report, n, "%s/report.json", folder);
        }
        PS_TRY(begin_progress(lsp, err));
        fflush(NULL);
        lsp->child = fork();
        if (lsp->child == 0)
                analyse_again(lsp);
        if (lsp->child < 0)
                return PS_FAIL(err, PS_E_OUTPUT, "cannot analyse the trace: reason=\"%s\"", strerror(errno));
        return PS_OK;
}

/* Every now and then while it runs, and once when it has ended. */
static ps_status watch_child(ps_lsp *lsp, ps_error *err)
{
        char text[64];
        int how;
        pid_t ended = waitpid(lsp->child, &how, WNOHANG);
        if (ended == 0) {
                if (++lsp->n_waits % 2)
                        return PS_OK;
                snprintf(text, sizeof(text), "for %u s", lsp->n_waits / 2);
                return progress(lsp, "report", NULL, text, err);
        }
        lsp->child = 0;
        lsp->n_waits = 0;
        PS_TRY(progress(lsp, "end", NULL, NULL, err));
        if (ended > 0 && WIFEXITED(how) && WEXITSTATUS(how) == 0)
                return PS_OK;
        return ps_lsp_show(lsp, 1, "patscan cannot analyse the trace; its log says why.", err);
}

/* -- the report -- */

typedef struct uris {
        PS_VECTOR(char *) list;
} uris;

/* What the editor shows marks of now. */
static ps_status remember_shown(uris *shown, const ps_desk *desk, ps_error *err)
{
        for (uint32_t i = 1; i < desk->n_files; i++) {
                char *uri = desk->file[i].is_shown ? strdup(desk->file[i].uri) : NULL;
                if (desk->file[i].is_shown && (!uri || PS_PUSH(shown->list, uri))) {
                        free(uri);
                        return PS_NOMEM(err, "shown files", shown->list.n);
                }
        }
        return PS_OK;
}

static ps_status take_back(ps_lsp *lsp, const uris *shown, ps_error *err)
{
        for (uint32_t i = 0; i < shown->list.n; i++) {
                ps_speech speech;
                ps_str file = ps_desk_find(&lsp->desk, shown->list.row[i]);
                if (file && ps_desk_marks(&lsp->desk, file))
                        continue;
                PS_TRY(ps_lsp_notify(lsp, &speech, "textDocument/publishDiagnostics", err));
                ps_row_exact_text(&speech.row, "uri", shown->list.row[i]);
                ps_row_open(&speech.row, "diagnostics", '[');
                ps_row_close(&speech.row, ']');
                PS_TRY(ps_lsp_end(lsp, &speech, err));
        }
        return PS_OK;
}

static void forget_shown(uris *shown)
{
        for (uint32_t i = 0; i < shown->list.n; i++)
                free(shown->list.row[i]);
        free(shown->list.row);
}

static ps_status say_what_is_not_shown(ps_lsp *lsp, ps_error *err)
{
        const ps_marks *marks = &lsp->desk.marks;
        char text[160];
        if (!marks->n_nowhere)
                return PS_OK;
        snprintf(text, sizeof(text),
                 "patscan: %" PRIu64 " of %" PRIu64 " findings have no source file, and are not shown.",
                 marks->n_nowhere, marks->n_findings);
        return ps_lsp_log(lsp, 3, text, err);
}

static ps_status show_report(ps_lsp *lsp, const uris *shown, ps_error *err)
{
        PS_TRY(take_back(lsp, shown, err));
        PS_TRY(ps_lsp_publish(lsp, err));
        return say_what_is_not_shown(lsp, err);
}

static ps_status read_report(ps_lsp *lsp, const struct stat *st, ps_error *err)
{
        char *text = NULL;
        size_t n = 0;
        uris shown = {{0}};
        ps_status status = remember_shown(&shown, &lsp->desk, err);
        PS_THEN(status, ps_file_read(&text, &n, ps_file_open(lsp->report), PS_MARKS_MOST, "report",
                                     lsp->report, err));
        PS_THEN(status, ps_desk_read(&lsp->desk, text, n, st->st_mtime, err));
        free(text);
        if (status == PS_OK && lsp->options->ignore)
                ps_desk_drop(&lsp->desk, lsp->options->is_ignored, lsp->options->ctx);
        PS_THEN(status, show_report(lsp, &shown, err));
        forget_shown(&shown);
        return status;
}

static bool is_same_state(const struct stat *a, const struct stat *b)
{
        return a->st_ino == b->st_ino && a->st_dev == b->st_dev && a->st_size == b->st_size &&
               a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

/* A report that is no good may be one that is being written: what was there before stays, and nobody is told
 * unless it is so still when we look again. */
static ps_status take_failure(ps_lsp *lsp, ps_status status, const ps_error *why, ps_error *err)
{
        char text[PS_ERROR_TEXT + 64];
        bool is_known = lsp->has_failed;
        lsp->has_failed = true;
        if (status == PS_E_NOMEM || status == PS_E_OUTPUT) {
                if (err)
                        *err = *why;
                return status;
        }
        if (!is_known) {
                lsp->seen.st_ino = 0; /* look once more */
                return PS_OK;
        }
        snprintf(text, sizeof(text), "patscan: %s", why->cause[why->n_causes - 1].text);
        return ps_lsp_show(lsp, 1, text, err);
}

ps_status ps_lsp_watch(ps_lsp *lsp, ps_error *err)
{
        struct stat st;
        ps_error why = {0};
        if (lsp->child > 0)
                PS_TRY(watch_child(lsp, err));
        if (lsp->child > 0 || !lsp->report || stat(lsp->report, &st) != 0 || is_same_state(&st, &lsp->seen))
                return PS_OK;
        lsp->seen = st;
        ps_status status = read_report(lsp, &st, &why);
        if (status != PS_OK)
                return take_failure(lsp, status, &why, err);
        lsp->has_report = true;
        lsp->has_failed = false;
        return PS_OK;
}

void ps_lsp_end_watch(ps_lsp *lsp)
{
        int how;
        if (lsp->child > 0) {
                kill(lsp->child, SIGTERM);
                waitpid(lsp->child, &how, 0);
        }
        remove_folder(lsp);
        free(lsp->report);
}
