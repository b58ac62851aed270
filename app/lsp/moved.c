/* moved.c - a line that is no longer where the report has it is looked for nearby: the nearest one of the
 * same text, within the same function. */
#include "app/lsp/moved.h"

#include "patterns/source/scan.h"

#include <stdlib.h>
#include <string.h>

enum { REACH = 200 };

typedef struct search {
        const ps_lines *lines;
        const char *path;
        ps_scan *scan; /* made when it is first asked for; NULL: no language that we know */
        char *text;    /* what it points into */
        bool was_made;
} search;

static ps_status make_scan(search *s, ps_error *err)
{
        const ps_lines *lines = s->lines;
        size_t n = lines->n ? lines->line[lines->n - 1] + strlen(ps_lines_at(lines, lines->n)) : 0;
        if (s->was_made || !n)
                return PS_OK;
        s->was_made = true;
        s->text = malloc(n + 1);
        if (!s->text)
                return PS_NOMEM(err, "source text", n);
        memcpy(s->text, lines->text, n);
        for (uint32_t i = 1; i < lines->n; i++)
                s->text[lines->line[i] - 1] = '\n';
        for (size_t i = 0; i < n; i++)
                if (!s->text[i])
                        s->text[i] = ' ';
        return ps_scan_new(&s->scan, s->text, n, ps_scan_language_of(s->path), err);
}

/* The nearest line above that begins a function of this name which has the line in it. */
static bool is_in_function(const search *s, const char *function, uint32_t line)
{
        char name[PS_SCAN_LONGEST_NAME];
        size_t at = s->lines->line[line - 1];
        if (!s->scan || !function || !ps_scan_name(name, function, ps_scan_language_in(s->scan)))
                return true;
        bool is_named = false;
        for (uint32_t i = s->lines->n; i >= 1; i--) {
                if (!strstr(ps_lines_at(s->lines, i), name))
                        continue;
                ps_scan_span span = ps_scan_function(s->scan, name, i, 0);
                if (span.begin < span.end) {
                        is_named = true;
                        if (i <= line && at < span.end)
                                return true;
                }
        }
        return !is_named;
}

static bool is_it(const search *s, const ps_line_mark *mark, uint32_t line)
{
        const char *text = ps_lines_at(s->lines, line);
        return text && strcmp(text, mark->line_text) == 0 && is_in_function(s, mark->function, line);
}

static ps_status find_line(search *s, ps_line_mark *mark, ps_error *err)
{
        PS_TRY(make_scan(s, err));
        mark->state = PS_MARK_STALE;
        for (uint32_t away = 1; away <= REACH; away++) {
                uint32_t above = mark->line > away ? mark->line - away : 0;
                uint32_t line = is_it(s, mark, above)               ? above
                                : is_it(s, mark, mark->line + away) ? mark->line + away
                                                                    : 0;
                if (!line)
                        continue;
                mark->now = line;
                mark->state = PS_MARK_MOVED;
                return PS_OK;
        }
        return PS_OK;
}

static ps_status settle_mark(search *s, ps_line_mark *mark, bool is_newer, ps_error *err)
{
        const char *text = ps_lines_at(s->lines, mark->line);
        mark->now = mark->line;
        mark->state = is_newer ? PS_MARK_STALE : PS_MARK_UNKNOWN;
        if (!mark->line_text || !s->lines->n || !mark->line)
                return PS_OK;
        if (text && strcmp(text, mark->line_text) == 0) {
                mark->state = PS_MARK_SOUND;
                return PS_OK;
        }
        return find_line(s, mark, err);
}

ps_status ps_marks_settle(ps_line_mark *mark, uint32_t n, const ps_lines *lines, const char *path,
                          bool is_newer, ps_error *err)
{
        search s = {.lines = lines, .path = path};
        ps_status status = PS_OK;
        for (uint32_t i = 0; i < n && status == PS_OK; i++)
                status = settle_mark(&s, &mark[i], is_newer, err);
        ps_scan_free(s.scan);
        free(s.text);
        return status;
}
