/* rank_map.c - see rank_map.h. */
#include "core/model/rank_map.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BYTES_MAX = 64 << 20 };

typedef struct map {
        uint32_t *row;
        uint32_t n, cap;
} map;

static ps_status put(map *m, uint32_t from, uint32_t to, ps_error *err)
{
        if (from >= m->cap) {
                uint32_t cap = m->cap * 2 > from + 1 ? m->cap * 2 : from + 64;
                uint32_t *larger = realloc(m->row, cap * sizeof(*larger));
                if (!larger)
                        return PS_NOMEM(err, "ranks", cap);
                m->row = larger;
                m->cap = cap;
        }
        for (; m->n <= from; m->n++)
                m->row[m->n] = PS_NONE;
        m->row[from] = to;
        return PS_OK;
}

/* A number and the blanks around it, or a comma behind it. */
static const char *skip_rank(const char *text, uint32_t *out)
{
        char *end;

        text += strspn(text, " \t");
        if (*text < '0' || *text > '9')
                return NULL;
        unsigned long number = strtoul(text, &end, 10);
        *out = number < PS_RANK_MAX ? (uint32_t)number : PS_NONE;
        return number < PS_RANK_MAX ? end + strspn(end, " \t\r,") : NULL;
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
                return PS_FAIL(err, PS_E_INPUT, "cannot read map of ranks: path=\"%s\", line=%u, form=\"%s\"",
                               path, line, form);
        if (from < m->n && m->row[from] != PS_NONE)
                return PS_FAIL(err, PS_E_INPUT, "rank mapped twice: path=\"%s\", line=%u, rank=%u", path,
                               line, from);
        return put(m, from, to, err);
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
                status = PS_FAIL(err, PS_E_INPUT, "map of ranks is empty: path=\"%s\"", path);
        if (status < 0)
                free(m.row);
        *out = status == PS_OK ? m.row : NULL;
        *n = status == PS_OK ? m.n : 0;
        return status;
}

static ps_status fail_reading(const char *path, const char *reason, ps_error *err)
{
        return PS_FAIL(err, PS_E_INPUT, "cannot read map of ranks: path=\"%s\", reason=\"%s\"", path, reason);
}

ps_status ps_rank_map_read(uint32_t **out, uint32_t *n, const char *path, const char *form, ps_error *err)
{
        FILE *file = fopen(path, "rb");
        char *text = NULL;
        size_t room = 0, used = 0, got = 1;
        ps_status status = PS_OK;

        *out = NULL;
        if (!file)
                return fail_reading(path, strerror(errno), err);
        while (got && used < BYTES_MAX && status == PS_OK) {
                char *larger = room - used < 4096 ? realloc(text, room = 2 * room + 8192) : text;
                if (!larger)
                        status = PS_NOMEM(err, "ranks", room);
                text = larger ? larger : text;
                got = larger ? fread(text + used, 1, room - used - 1, file) : 0;
                used += got;
        }
        if (status == PS_OK && (ferror(file) || used >= BYTES_MAX))
                status = fail_reading(path, used >= BYTES_MAX ? "it is too large" : strerror(errno), err);
        fclose(file);
        if (status == PS_OK && memchr(text, '\0', used))
                status = fail_reading(path, "it is no text", err);
        if (status == PS_OK) {
                text[used] = '\0';
                status = ps_rank_map_parse(out, n, text, path, form, err);
        }
        free(text);
        return status;
}
