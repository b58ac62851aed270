/* actions.c - what can be done about a finding: look at its cause, read more, see it, ignore it. */
#include "app/lsp/state.h"
#include "app/lsp/words.h"
#include "core/base/text.h"
#include "report/print/text.h"
#include "report/print/uri.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const ps_lsp_commands[] = {"patscan.explain", "patscan.showCause", "patscan.showPage",
                                       "patscan.ignore", NULL};

/* -- the menu -- */

static void put_action(ps_row *row, const char *title, const char *command, const char *argument)
{
        ps_row_open(row, NULL, '{');
        ps_row_text(row, "title", title);
        ps_row_text(row, "kind", "quickfix");
        ps_row_open(row, "command", '{');
        ps_row_text(row, "title", title);
        ps_row_text(row, "command", command);
        ps_row_open(row, "arguments", '[');
        ps_row_text(row, NULL, argument);
        ps_row_close(row, ']');
        ps_row_close(row, '}');
        ps_row_close(row, '}');
}

/* "Show the cause: relax (heat.c:26)" */
static void put_cause_action(ps_row *row, const ps_marks *marks, const ps_mark_cause *cause)
{
        char title[256];
        const char *name = ps_file_name(ps_marks_name(marks, cause->file));
        ps_sentence said = {title, sizeof(title), 0};
        ps_sentence_add(&said, "Show the cause: %s", cause->function ? cause->function : "its line");
        ps_sentence_add(&said, " (%s:%" PRIu32 ")", name, cause->line);
        put_action(row, title, "patscan.showCause", cause->id);
}

static void put_actions(ps_row *row, const ps_lsp *lsp, const ps_line_mark *mark)
{
        const ps_mark_cause *cause = ps_marks_cause(&lsp->desk.marks, mark->cause);
        char title[256];
        ps_sentence said = {title, sizeof(title), 0};
        if (cause && cause->file && cause->line)
                put_cause_action(row, &lsp->desk.marks, cause);
        ps_sentence_add(&said, "Explain: %s", ps_mark_title(mark));
        put_action(row, title, "patscan.explain", mark->id);
        if (lsp->page)
                put_action(row, "Show it in the run's page", "patscan.showPage", mark->id);
        if (lsp->options->ignore)
                put_action(row, "Ignore this finding in this project", "patscan.ignore", mark->id);
}

ps_status ps_lsp_actions(const ps_lsp_question *q)
{
        const cJSON *range = cJSON_GetObjectItemCaseSensitive(q->params, "range");
        int64_t first = ps_lsp_line(range, "start"), last = ps_lsp_line(range, "end");
        const char *uri = ps_lsp_uri(q->params);
        ps_str file = uri ? ps_desk_find(&q->lsp->desk, uri) : 0;
        const ps_marked_file *marked = file ? ps_desk_marks(&q->lsp->desk, file) : NULL;
        ps_speech speech;
        PS_TRY(ps_lsp_answer(q->lsp, &speech, q->id, q->err));
        ps_row_open(&speech.row, "result", '[');
        for (uint32_t i = 0; marked && i < marked->n; i++) {
                const ps_line_mark *mark = &q->lsp->desk.marks.mark[marked->first + i];
                int64_t line = mark->now ? (int64_t)mark->now - 1 : 0;
                if (mark->id && line >= first && line <= last)
                        put_actions(&speech.row, q->lsp, mark);
        }
        ps_row_close(&speech.row, ']');
        return ps_lsp_end(q->lsp, &speech, q->err);
}

/* -- what they do -- */

static const ps_line_mark *find_mark(const ps_lsp *lsp, const char *id)
{
        for (uint32_t i = 0; i < lsp->desk.marks.n; i++)
                if (lsp->desk.marks.mark[i].id && strcmp(lsp->desk.marks.mark[i].id, id) == 0)
                        return &lsp->desk.marks.mark[i];
        return NULL;
}

/* In the editor, or in what the machine opens such addresses with; an editor that cannot is told where. */
static ps_status show_document(ps_lsp *lsp, const char *uri, bool is_outside, int64_t line, ps_error *err)
{
        ps_speech speech;
        if (!lsp->shows_documents)
                return ps_lsp_show(lsp, 3, uri, err);
        PS_TRY(ps_lsp_request(lsp, &speech, "window/showDocument", err));
        ps_row_exact_text(&speech.row, "uri", uri);
        ps_row_bool(&speech.row, "external", is_outside);
        if (!is_outside)
                ps_row_bool(&speech.row, "takeFocus", true);
        if (line >= 0) {
                ps_row_open(&speech.row, "selection", '{');
                for (int i = 0; i < 2; i++) {
                        ps_row_open(&speech.row, i ? "end" : "start", '{');
                        ps_row_i64(&speech.row, "line", line);
                        ps_row_u64(&speech.row, "character", 0);
                        ps_row_close(&speech.row, '}');
                }
                ps_row_close(&speech.row, '}');
        }
        return ps_lsp_end(lsp, &speech, err);
}

static ps_status show_cause(ps_lsp *lsp, const char *id, ps_error *err)
{
        const ps_mark_cause *cause = ps_marks_cause(&lsp->desk.marks, id);
        if (!cause || !cause->file)
                return ps_lsp_show(lsp, 2, "The report does not have this cause any more.", err);
        return show_document(lsp, lsp->desk.file[cause->file].uri, false, (int64_t)cause->line - 1, err);
}

/* The page has an anchor for each place where something was found. */
static ps_status show_page(ps_lsp *lsp, const char *id, ps_error *err)
{
        const ps_line_mark *mark = find_mark(lsp, id);
        char anchor[128];
        if (!mark || !lsp->page)
                return ps_lsp_show(lsp, 2, "There is no page of this finding.", err);
        snprintf(anchor, sizeof(anchor), "#finding-%.32s-%" PRIu32, mark->site, mark->line);
        char *uri = malloc(strlen(lsp->page) + strlen(anchor) + 1);
        if (!uri)
                return PS_NOMEM(err, "address", 1);
        stpcpy(stpcpy(uri, lsp->page), anchor);
        ps_status status = show_document(lsp, uri, true, -1, err);
        free(uri);
        return status;
}

/* What there is to say of a finding or a cause; false: the report has neither. */
static bool put_explanation(ps_output *out, const ps_lsp *lsp, const char *id)
{
        const ps_line_mark *mark = find_mark(lsp, id);
        const ps_mark_cause *cause = ps_marks_cause(&lsp->desk.marks, id);
        if (mark)
                ps_mark_explain(out, &lsp->desk.marks, mark);
        else if (cause)
                ps_mark_explain_cause(out, &lsp->desk.marks, cause);
        return mark || cause;
}

static ps_status show_text(ps_lsp *lsp, const char *id, ps_error *err)
{
        ps_output *out;
        PS_TRY(ps_output_open_memory(&out, PS_WIDTH_DEFAULT, err));
        bool is_there = put_explanation(out, lsp, id);
        const char *text = ps_output_text(out);
        ps_status status =
                ps_lsp_show(lsp, 3, is_there && text ? text : "The report does not have this any more.", err);
        ps_output_discard(out);
        return status;
}

/* As a document of its own, in a file. */
static ps_status write_document(const ps_lsp *lsp, const char *id, const char *path, ps_error *err)
{
        ps_output *out;
        PS_TRY(ps_output_open(&out, path, PS_COLOR_NEVER, err));
        put_explanation(out, lsp, id);
        ps_output_putc(out, '\n');
        return ps_output_commit(out, err);
}

static ps_status explain(ps_lsp *lsp, const char *id, ps_error *err)
{
        const char *folder = lsp->shows_documents ? ps_lsp_folder(lsp) : NULL;
        char path[512];
        if (!folder)
                return show_text(lsp, id, err);
        snprintf(path, sizeof(path), "%s/finding.md", folder);
        PS_TRY(write_document(lsp, id, path, err));
        char *uri = ps_uri_encode("file://", path);
        if (!uri)
                return PS_NOMEM(err, "address", 1);
        ps_status status = show_document(lsp, uri, false, 0, err);
        free(uri);
        return status;
}

/* A finding that is ignored stays in the report, and goes from the editor. */
static ps_status ignore(ps_lsp *lsp, const char *id, ps_error *err)
{
        const ps_line_mark *mark = find_mark(lsp, id);
        char text[512];
        ps_error why = {0};
        if (!mark || !lsp->options->ignore)
                return ps_lsp_show(lsp, 2, "The report does not have this finding any more.", err);
        if (lsp->options->ignore(lsp->options->ctx, lsp->desk.root, mark->site, &why) != PS_OK) {
                snprintf(text, sizeof(text), "It cannot be ignored: %.400s",
                         why.n_causes ? why.cause[0].text : "");
                return ps_lsp_show(lsp, 1, text, err);
        }
        ps_str file = mark->file;
        ps_desk_drop(&lsp->desk, lsp->options->is_ignored, lsp->options->ctx);
        return ps_lsp_publish_file(lsp, file, err);
}

static const struct command {
        ps_status (*run)(ps_lsp *lsp, const char *id, ps_error *err);
} commands[] = {{explain}, {show_cause}, {show_page}, {ignore}}; /* as ps_lsp_commands */

ps_status ps_lsp_command(const ps_lsp_question *q)
{
        const char *name = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(q->params, "command"));
        const char *argument = cJSON_GetStringValue(
                cJSON_GetArrayItem(cJSON_GetObjectItemCaseSensitive(q->params, "arguments"), 0));
        ps_speech speech;
        for (size_t i = 0; name && ps_lsp_commands[i]; i++) {
                if (strcmp(ps_lsp_commands[i], name) != 0)
                        continue;
                PS_TRY(ps_lsp_answer(q->lsp, &speech, q->id, q->err));
                ps_row_null(&speech.row, "result");
                PS_TRY(ps_lsp_end(q->lsp, &speech, q->err));
                return argument ? commands[i].run(q->lsp, argument, q->err) : PS_OK;
        }
        return ps_lsp_refuse(q->lsp, q->id, PS_RPC_BAD_PARAMS, "no such command of patscan", q->err);
}
