/* run_name.c - see run_name.h. */
#include "report/facts/run_name.h"

#include <ctype.h>
#include <string.h>

static const char *const anchors[] = {"traces.otf2", "eztrace_log.otf2"};

static size_t without_slashes(const char *path, size_t n)
{
        while (n && path[n - 1] == '/')
                n--;
        return n;
}

/* Where the last part of path[0..n) begins. */
static size_t last_part(const char *path, size_t n)
{
        while (n && path[n - 1] != '/')
                n--;
        return n;
}

static bool is_anchor(const char *part, size_t n)
{
        for (size_t i = 0; i < sizeof(anchors) / sizeof(anchors[0]); i++)
                if (strlen(anchors[i]) == n && memcmp(part, anchors[i], n) == 0)
                        return 1;
        return 0;
}

static bool is_dots(const char *part, size_t n)
{
        return n <= 2 && strspn(part, ".") >= n;
}

const char *ps_run_name(char room[PS_RUN_NAME_ROOM], const char *path)
{
        size_t n = without_slashes(path, strlen(path)), base = last_part(path, n);
        *room = '\0';
        if (is_anchor(path + base, n - base)) {
                n = without_slashes(path, base);
                base = last_part(path, n);
        }
        size_t above = without_slashes(path, base), first = last_part(path, above);
        if (is_dots(path + base, n - base))
                return room;
        if (first == above || is_dots(path + first, above - first))
                first = base;
        if (n - first < PS_RUN_NAME_ROOM) {
                memcpy(room, path + first, n - first);
                room[n - first] = '\0';
        }
        return room;
}

static bool is_inside_word(char c)
{
        return isalnum((unsigned char)c) || c == '_' || c == '-' || (unsigned char)c >= 0x80;
}

/* The name `base` stands at `at` by itself, and not below another folder than `above`[0..n_above). */
static bool stands_at(const char *text, const char *at, const char *base, const char *above, size_t n_above)
{
        const char *end = at + strlen(base);
        if (is_inside_word(*end) || (*end == '.' && is_inside_word(end[1])))
                return false;
        if (at == text || (!is_inside_word(at[-1]) && at[-1] != '.' && at[-1] != '/'))
                return true;
        if (at[-1] != '/')
                return false;
        if (!n_above || (size_t)(at - text) < n_above + 1)
                return !n_above;
        const char *folder = at - 1 - n_above;
        return memcmp(folder, above, n_above) == 0 && (folder == text || !is_inside_word(folder[-1]));
}

bool ps_run_is_named(const char *text, const char *path)
{
        char name[PS_RUN_NAME_ROOM];
        if (!*ps_run_name(name, path))
                return 0;
        const char *slash = strrchr(name, '/'), *base = slash ? slash + 1 : name;
        size_t n_above = slash ? (size_t)(slash - name) : 0;
        for (const char *at = strstr(text, base); at; at = strstr(at + 1, base))
                if (stands_at(text, at, base, name, n_above))
                        return 1;
        return 0;
}
