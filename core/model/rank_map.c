/* rank_map.c - see rank_map.h. */
#include "core/model/rank_map.h"

#include "core/base/file.h"
#include "core/base/number.h"
#include "core/base/vector.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BYTES_MAX = 64 << 20 };

typedef PS_VECTOR(uint32_t) map;

static ps_status put_rank(map *m, uint32_t from, uint32_t to, ps_error *err)
{
        while (m->n <= from)
                if (PS_PUSH(*m, PS_NONE))
                        return PS_NOMEM(err, "ranks", m->n);
        m->row[from] = to;
        return PS_OK;
}

/* A number and the blanks around it, or a comma behind it. */
static const char *skip_rank(const char *text, uint32_t *out)
{
        uint64_t number;

        text += strspn(text, " \t");
        if (!ps_number_whole(&text, PS_RANK_MAX - 1, &number))
                return NULL;
        *out = (uint32_t)number;
        return text + strspn(text, " \t\r,");
}

static ps_status parse_line(map *m, const char *text, const char *path, const char *form, unsigned line,
                            ps_error *err)
{
        uint32_t from = 0, to = 0;
        const char *end;

        text += strspn(text, " \t\r");
        if (*text == '\n' || *text == '#' || !*text)
                return PS_OK;
        end = skip_rank(text, &from);
        end = end ? skip_rank(end, &to) : NULL;
        if (!end || (*end && *end != '\n' && *end != '#'))
                return PS_FAIL(err, PS_E_INPUT,
                               "cannot read the map of ranks: path=\"%s\", line=%u, form=\"%s\"", path, line,
                               form);
        if (from < m->n && m->row[from] != PS_NONE)
                return PS_FAIL(err, PS_E_INPUT, "a rank is mapped twice: path=\"%s\", line=%u, rank=%u", path,
                               line, from);
        return put_rank(m, from, to, err);
}

ps_status ps_rank_map_parse(uint32_t **out, uint32_t *n, const char *text, const char *path, const char *form,
                            ps_error *err)
{
        map m = {0};
        ps_status status = PS_OK;

        for (unsigned line = 1; *text && status == PS_OK; line++) {
                status = parse_line(&m, text, path, form, line, err);
                text += strcspn(text, "\n");
                text += *text == '\n';
        }
        if (status == PS_OK && !m.n)
                status = PS_FAIL(err, PS_E_INPUT, "the map of ranks is empty: path=\"%s\"", path);
        if (status != PS_OK)
                free(m.row);
        *out = status == PS_OK ? m.row : NULL;
        *n = status == PS_OK ? m.n : 0;
        return status;
}

ps_status ps_rank_map_read(uint32_t **out, uint32_t *n, const char *path, const char *form, ps_error *err)
{
        char *text;
        size_t used;

        *out = NULL;
        PS_TRY(ps_file_read(&text, &used, ps_file_open(path), BYTES_MAX, "map of ranks", path, err));
        ps_status status =
                memchr(text, '\0', used)
                        ? PS_FAIL(err, PS_E_INPUT,
                                  "cannot read the map of ranks: path=\"%s\", reason=\"it is not a text\"",
                                  path)
                        : ps_rank_map_parse(out, n, text, path, form, err);
        free(text);
        return status;
}
