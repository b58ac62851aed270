/* lines.c - see lines.h. */
#include "patterns/source/lines.h"

#include "core/base/vector.h"
#include "patterns/source/open.h"

#include <stdlib.h>
#include <string.h>

/* A line ends with \n, \r\n or the file. */
static void end_line(char *text, size_t begin, size_t end)
{
        if (end > begin && text[end - 1] == '\r')
                end--;
        text[end] = '\0';
}

ps_status ps_lines_make(ps_lines *out, char *text, size_t n, ps_error *err)
{
        PS_VECTOR(size_t) line = {0};
        *out = (ps_lines){.text = text};
        for (size_t at = 0; at < n;) {
                char *newline = memchr(text + at, '\n', n - at);
                size_t end = newline ? (size_t)(newline - text) : n;
                if (PS_PUSH(line, at)) {
                        free(line.row);
                        ps_lines_clear(out);
                        return PS_NOMEM(err, "source lines", line.n);
                }
                end_line(text, at, end);
                at = end + 1;
        }
        out->line = line.row;
        out->n = line.n;
        return PS_OK;
}

ps_status ps_lines_read(ps_lines *out, const char *path, ps_error *err)
{
        char *text;
        size_t n;
        *out = (ps_lines){0};
        PS_TRY(ps_source_read(&text, &n, path, err));
        return text ? ps_lines_make(out, text, n, err) : PS_OK;
}

void ps_lines_clear(ps_lines *lines)
{
        free(lines->text);
        free(lines->line);
        *lines = (ps_lines){0};
}

const char *ps_lines_at(const ps_lines *lines, uint32_t line)
{
        return line && line <= lines->n ? lines->text + lines->line[line - 1] : NULL;
}
