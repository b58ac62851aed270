/* answers.c - what an editor asks about a file: lenses over functions, hovers, hints on lines. */
#include "app/lsp/state.h"
#include "app/lsp/words.h"

#include <string.h>

const char *ps_lsp_uri(const cJSON *params)
{
        return cJSON_GetStringValue(ps_lsp_member(ps_lsp_member(params, "textDocument"), "uri"));
}

int64_t ps_lsp_line(const cJSON *range, const char *key)
{
        const cJSON *line = ps_lsp_member(ps_lsp_member(range, key), "line");
        return cJSON_IsNumber(line) && line->valuedouble >= 0 && line->valuedouble < UINT32_MAX
                       ? (int64_t)line->valuedouble
                       : -1;
}

/* The file that is asked about: 0 if the report tells nothing of it. */
static ps_status find_file(const ps_lsp_question *q, ps_str *file)
{
        const char *uri = ps_lsp_uri(q->params);
        *file = uri ? ps_desk_find(&q->lsp->desk, uri) : 0;
        return PS_OK;
}

typedef struct answer {
        ps_speech speech;
        ps_output *text;
} answer;

static ps_status begin_answer(const ps_lsp_question *q, answer *a)
{
        PS_TRY(ps_output_open_memory(&a->text, PS_WIDTH_DEFAULT, q->err));
        ps_status status = ps_lsp_answer(q->lsp, &a->speech, q->id, q->err);
        if (status != PS_OK)
                ps_output_discard(a->text);
        return status;
}

static ps_status end_answer(const ps_lsp_question *q, answer *a)
{
        ps_output_discard(a->text);
        return ps_lsp_end(q->lsp, &a->speech, q->err);
}

static void put_answer_text(answer *a, const char *key)
{
        const char *text = ps_output_text(a->text);
        ps_row_exact_text(&a->speech.row, key, text ? text : "");
        ps_output_clear(a->text);
}

/* -- lenses -- */

static void put_lens(const ps_lsp_question *q, answer *a, const ps_mark_function *function)
{
        ps_row *row = &a->speech.row;
        const ps_mark_cause *cause = ps_mark_cause_in(&q->lsp->desk.marks, function);
        ps_mark_say_function(a->text, &q->lsp->desk.marks, function);
        if (!ps_output_gathered(a->text))
                return;
        ps_row_open(row, NULL, '{');
        ps_lsp_put_range(row, q->lsp, function->file, function->line, 0, 0);
        ps_row_open(row, "command", '{');
        put_answer_text(a, "title");
        ps_row_text(row, "command", "patscan.explain");
        ps_row_open(row, "arguments", '[');
        if (cause)
                ps_row_text(row, NULL, cause->id);
        ps_row_close(row, ']');
        ps_row_close(row, '}');
        ps_row_close(row, '}');
}

ps_status ps_lsp_code_lenses(const ps_lsp_question *q)
{
        const ps_marks *marks = &q->lsp->desk.marks;
        ps_str file;
        answer a;
        PS_TRY(find_file(q, &file));
        PS_TRY(begin_answer(q, &a));
        ps_row_open(&a.speech.row, "result", '[');
        for (uint32_t i = 0; file && i < marks->n_functions; i++)
                if (marks->function[i].file == file)
                        put_lens(q, &a, &marks->function[i]);
        ps_row_close(&a.speech.row, ']');
        return end_answer(q, &a);
}

/* -- hovers -- */

static void explain_line(const ps_lsp_question *q, answer *a, ps_str file, int64_t line)
{
        const ps_marks *marks = &q->lsp->desk.marks;
        const ps_marked_file *marked = ps_desk_marks(&q->lsp->desk, file);
        const char *between = "";
        for (uint32_t i = 0; marked && i < marked->n; i++) {
                const ps_line_mark *mark = &marks->mark[marked->first + i];
                if (line + 1 != (mark->now ? mark->now : 1))
                        continue;
                ps_output_puts(a->text, between);
                ps_mark_explain(a->text, marks, mark);
                between = "\n\n---\n\n";
        }
        for (uint32_t i = 0; i < marks->n_functions; i++) {
                const ps_mark_function *function = &marks->function[i];
                const ps_mark_cause *cause = function->file == file && function->line == line + 1
                                                     ? ps_mark_cause_in(marks, function)
                                                     : NULL;
                if (!cause)
                        continue;
                ps_output_puts(a->text, between);
                ps_mark_explain_cause(a->text, marks, cause);
                between = "\n\n---\n\n";
        }
}

ps_status ps_lsp_hover(const ps_lsp_question *q)
{
        int64_t line = ps_lsp_line(q->params, "position");
        ps_row *row;
        ps_str file;
        answer a;
        PS_TRY(find_file(q, &file));
        PS_TRY(begin_answer(q, &a));
        row = &a.speech.row;
        if (file && line >= 0)
                explain_line(q, &a, file, line);
        if (!ps_output_gathered(a.text)) {
                ps_row_null(row, "result");
                return end_answer(q, &a);
        }
        ps_row_open(row, "result", '{');
        ps_row_open(row, "contents", '{');
        ps_row_text(row, "kind", "markdown");
        put_answer_text(&a, "value");
        ps_row_close(row, '}');
        ps_lsp_put_range(row, q->lsp, file, (uint32_t)line + 1, 0, 0);
        return end_answer(q, &a);
}

/* -- hints -- */

/* The marks of one line together. */
static void put_hint(const ps_lsp_question *q, answer *a, const ps_line_mark *mark, uint32_t n)
{
        ps_row *row = &a->speech.row;
        const char *line = ps_desk_line(&q->lsp->desk, mark->file, mark->now);
        ps_row_open(row, NULL, '{');
        ps_row_open(row, "position", '{');
        ps_row_u64(row, "line", mark->now - 1);
        ps_row_u64(row, "character", line ? ps_lsp_units(line, strlen(line)) : 0);
        ps_row_close(row, '}');
        ps_mark_say_line(a->text, mark, n);
        put_answer_text(a, "label");
        ps_row_bool(row, "paddingLeft", true);
        ps_mark_say(a->text, &q->lsp->desk.marks, mark);
        put_answer_text(a, "tooltip");
        ps_row_close(row, '}');
}

ps_status ps_lsp_hints(const ps_lsp_question *q)
{
        const cJSON *range = ps_lsp_member(q->params, "range");
        int64_t first = ps_lsp_line(range, "start"), last = ps_lsp_line(range, "end");
        ps_str file;
        answer a;
        PS_TRY(find_file(q, &file));
        PS_TRY(begin_answer(q, &a));
        const ps_marked_file *marked = file ? ps_desk_marks(&q->lsp->desk, file) : NULL;
        const ps_line_mark *mark = marked ? &q->lsp->desk.marks.mark[marked->first] : NULL;
        ps_row_open(&a.speech.row, "result", '[');
        for (uint32_t i = 0, n; marked && i < marked->n; i += n) {
                for (n = 1; i + n < marked->n && mark[i + n].now == mark[i].now; n++)
                        ;
                int64_t line = (int64_t)mark[i].now - 1;
                if (line >= (first < 0 ? 0 : first) && (last < 0 || line <= last))
                        put_hint(q, &a, &mark[i], n);
        }
        ps_row_close(&a.speech.row, ']');
        return end_answer(q, &a);
}
