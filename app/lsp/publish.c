/* publish.c - diagnostics: what is on each line of a file. */
#include "app/lsp/state.h"
#include "app/lsp/words.h"
#include "core/base/text.h"
#include "report/print/text.h"

#include <inttypes.h>
#include <string.h>

enum { SEVERITY_ERROR = 1, SEVERITY_WARNING, SEVERITY_INFORMATION, SEVERITY_HINT };

/* -- places -- */

uint32_t ps_lsp_units(const char *line, size_t bytes)
{
        uint32_t n = 0, point;
        for (const char *at = line; *at && at < line + bytes;) {
                size_t size = ps_text_decode(at, &point);
                n += size && point >= 0x10000 ? 2 : 1;
                at += size ? size : 1;
        }
        return n;
}

static void put_position(ps_row *row, const char *key, uint32_t line, uint32_t character)
{
        ps_row_open(row, key, '{');
        ps_row_u64(row, "line", line);
        ps_row_u64(row, "character", character);
        ps_row_close(row, '}');
}

void ps_lsp_put_range(ps_row *row, ps_lsp *lsp, ps_str file, uint32_t line, uint32_t column,
                      uint32_t column_end)
{
        const char *text = ps_desk_line(&lsp->desk, file, line);
        size_t n = text ? strlen(text) : 0;
        size_t first = text ? strspn(text, " \t") : 0, end = n;
        if (column && column_end > column && column_end - 1 <= n) {
                first = column - 1;
                end = column_end - 1;
        }
        ps_row_open(row, "range", '{');
        put_position(row, "start", line ? line - 1 : 0, text ? ps_lsp_units(text, first) : 0);
        put_position(row, "end", line ? line - 1 : 0, text ? ps_lsp_units(text, end) : 0);
        ps_row_close(row, '}');
}

static void put_related(ps_row *row, ps_lsp *lsp, ps_str file, uint32_t line, const char *text)
{
        ps_row_open(row, NULL, '{');
        ps_row_open(row, "location", '{');
        ps_row_exact_text(row, "uri", lsp->desk.file[file].uri);
        ps_lsp_put_range(row, lsp, file, line, 0, 0);
        ps_row_close(row, '}');
        ps_row_text(row, "message", text);
        ps_row_close(row, '}');
}

/* Where the partner was, and who made it so late. */
static void put_related_places(ps_row *row, ps_lsp *lsp, const ps_line_mark *mark)
{
        const ps_marks *marks = &lsp->desk.marks;
        const ps_mark_cause *cause = ps_marks_cause(marks, mark->cause);
        ps_str partner = mark->partner_file ? ps_strings_find(marks->names, mark->partner_file,
                                                              strlen(mark->partner_file))
                                            : PS_NONE;
        char said[64];
        ps_row_open(row, "relatedInformation", '[');
        if (partner && partner < lsp->desk.n_files && mark->partner_line && mark->partner != PS_NONE) {
                ps_sentence sentence = {said, sizeof(said), 0};
                ps_sentence_add(&sentence, "rank %" PRIu32 ", for which it waited, was here", mark->partner);
                put_related(row, lsp, partner, mark->partner_line, said);
        }
        if (cause && cause->file && cause->line && cause->comment)
                put_related(row, lsp, cause->file, cause->line, cause->comment);
        ps_row_close(row, ']');
}

/* -- a diagnostic -- */

static int severity_of(const ps_line_mark *mark)
{
        int severity = ps_mark_is_defect(mark) ? SEVERITY_ERROR
                       : mark->share >= 0.01   ? SEVERITY_WARNING
                                               : SEVERITY_INFORMATION;
        return mark->state == PS_MARK_STALE && severity < SEVERITY_HINT ? severity + 1 : severity;
}

static void put_message(ps_row *row, ps_output *text, const ps_marks *marks, const ps_line_mark *mark)
{
        ps_output_clear(text);
        ps_mark_say(text, marks, mark);
        ps_row_exact_text(row, "message", ps_output_text(text) ? ps_output_text(text) : "");
}

static void put_diagnostic(ps_row *row, ps_output *text, ps_lsp *lsp, const ps_line_mark *mark)
{
        bool is_there =
                mark->state != PS_MARK_MOVED; /* columns are those of the line as it was, which it is */
        ps_row_open(row, NULL, '{');
        ps_lsp_put_range(row, lsp, mark->file, mark->now, is_there || mark->line_text ? mark->column : 0,
                         mark->column_end);
        ps_row_i64(row, "severity", severity_of(mark));
        if (mark->type)
                ps_row_text(row, "code", mark->type);
        ps_row_text(row, "source", "patscan");
        put_message(row, text, &lsp->desk.marks, mark);
        put_related_places(row, lsp, mark);
        ps_row_open(row, "data", '{');
        ps_row_text(row, "site", mark->site);
        ps_row_text(row, "id", mark->id);
        ps_row_text(row, "title", ps_mark_title(mark)); /* for lists that sort and sum up */
        ps_row_real(row, "lost_s", mark->lost_s);
        ps_row_close(row, '}');
        ps_row_close(row, '}');
}

static ps_status publish_file(ps_lsp *lsp, ps_str name, const ps_marked_file *marked, ps_output *text,
                              ps_error *err)
{
        ps_speech speech;
        PS_TRY(ps_lsp_notify(lsp, &speech, "textDocument/publishDiagnostics", err));
        ps_row_exact_text(&speech.row, "uri", lsp->desk.file[name].uri);
        ps_row_open(&speech.row, "diagnostics", '[');
        for (uint32_t i = 0; marked && i < marked->n; i++)
                put_diagnostic(&speech.row, text, lsp, &lsp->desk.marks.mark[marked->first + i]);
        ps_row_close(&speech.row, ']');
        lsp->desk.file[name].is_shown = marked != NULL;
        return ps_lsp_end(lsp, &speech, err);
}

ps_status ps_lsp_publish_file(ps_lsp *lsp, ps_str file, ps_error *err)
{
        ps_output *text;
        PS_TRY(ps_output_open_memory(&text, PS_WIDTH_DEFAULT, err));
        ps_status status = publish_file(lsp, file, ps_desk_marks(&lsp->desk, file), text, err);
        ps_output_discard(text);
        return status;
}

ps_status ps_lsp_publish(ps_lsp *lsp, ps_error *err)
{
        ps_output *text;
        ps_status status = PS_OK;
        PS_TRY(ps_output_open_memory(&text, PS_WIDTH_DEFAULT, err));
        for (uint32_t i = 0; i < lsp->desk.marks.n_files && status == PS_OK; i++) {
                const ps_marked_file *file = &lsp->desk.marks.file[i];
                status = ps_desk_settle(&lsp->desk, file, err);
                PS_THEN(status, publish_file(lsp, file->name, file, text, err));
        }
        ps_output_discard(text);
        return status;
}
