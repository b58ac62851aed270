/* mistaken.c - see mistaken.h. What is found is a help only: who has no memory, or may not look, is told
 * less. */
#include "reader/mistaken.h"

#include "core/base/file.h"
#include "core/base/text.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_LEVELS = 3, MOST_ENTRIES = 2000 };

typedef struct given {
        const char *path;
        const uint8_t *head;
        size_t len;
        bool is_folder;
        char found[PATH_MAX]; /* the path, or what a row has found */
} given;

static bool ends_with(const char *text, const char *ending, size_t n)
{
        size_t len = strlen(text);
        return len >= n && memcmp(text + len - n, ending, n) == 0;
}

static bool ends_with_any(const char *text, const char *endings)
{
        for (size_t n; *endings; endings += n + (endings[n] == ' ')) {
                n = strcspn(endings, " ");
                if (ends_with(text, endings, n))
                        return true;
        }
        return false;
}

static bool is_empty(given *g)
{
        return !g->is_folder && g->len == 0;
}

static bool is_saved(given *g)
{
        static const char schema[] = "\"patscan-";
        for (size_t i = 0; i + sizeof(schema) - 1 <= g->len && i < 64; i++)
                if (memcmp(g->head + i, schema, sizeof(schema) - 1) == 0)
                        return true;
        return false;
}

/* `name` in `folder`; whether it fits. */
static bool join(char out[PATH_MAX], const char *folder, const char *name)
{
        const char *slash = ends_with(folder, "/", 1) ? "" : "/";
        int n = snprintf(out, PATH_MAX, "%s%s%s", folder, slash, name);
        return n >= 0 && n < PATH_MAX;
}

/* Beside a folder of events lies the anchor of its name. */
static bool finds_beside(given *g, const char *folder)
{
        char *whole = realpath(folder, NULL);
        int n = whole ? snprintf(g->found, sizeof(g->found), "%s.otf2", whole) : -1;
        free(whole);
        return n >= 0 && n < (int)sizeof(g->found) && access(g->found, R_OK) == 0;
}

static bool finds_anchor(given *g)
{
        char folder[PATH_MAX];
        const char *slash = strrchr(g->path, '/');
        int n = slash ? (int)(slash - g->path) : 0;
        snprintf(folder, sizeof(folder), "%.*s", n ? n : 1, n ? g->path : slash ? "/" : ".");
        return finds_beside(g, folder);
}

static bool finds_around(given *g)
{
        return g->is_folder && finds_beside(g, g->path);
}

static bool is_folder(const char *path)
{
        struct stat info;
        return lstat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

/* The first by name of all files below `folder` that end so; in `found`, if there was one. */
static bool find_file(char found[PATH_MAX], const char *folder, const char *ending, unsigned levels,
                      unsigned *left)
{
        bool was_found = false;
        DIR *dir = ps_folder_open(folder);
        for (struct dirent *e; dir && *left && (e = readdir(dir));) {
                char path[PATH_MAX], below[PATH_MAX];
                if (e->d_name[0] == '.' || !join(path, folder, e->d_name))
                        continue;
                (*left)--;
                const char *one = ends_with(path, ending, strlen(ending)) ? path : below;
                if (one == below &&
                    !(levels && is_folder(path) && find_file(below, path, ending, levels - 1, left)))
                        continue;
                if (!was_found || strcmp(one, found) < 0)
                        snprintf(found, PATH_MAX, "%s", one);
                was_found = true;
        }
        if (dir)
                closedir(dir);
        return was_found;
}

static bool has_file(const given *g, const char *ending, unsigned levels, char found[PATH_MAX])
{
        unsigned left = MOST_ENTRIES;
        return g->is_folder && find_file(found, g->path, ending, levels, &left);
}

static bool finds_below(given *g)
{
        char found[PATH_MAX];
        if (!has_file(g, ".otf2", MOST_LEVELS, found))
                return false;
        snprintf(g->found, sizeof(g->found), "%s", found);
        return true;
}

static bool is_aborted(given *g)
{
        char found[PATH_MAX];
        return has_file(g, ".evt", 1, found);
}

static bool has_profile_only(given *g)
{
        char found[PATH_MAX];
        return has_file(g, ".cubex", 1, found) || has_file(g, "scorep.cfg", 0, found);
}

static const struct mistaken {
        const char *names;
        size_t offset, len;
        const char *head;
        bool (*looks)(given *g);
        const char *text;
} rows[] = {
#define PS_MISTAKEN(name, offset, head, looks, text) {name, offset, sizeof(head) - 1, head, looks, text},
#include "reader/mistaken.def"
#undef PS_MISTAKEN
};

static bool is_mistaken_for(const struct mistaken *row, given *g)
{
        return (!*row->names || (!g->is_folder && ends_with_any(g->path, row->names))) &&
               row->offset + row->len <= g->len &&
               (!row->len || memcmp(g->head + row->offset, row->head, row->len) == 0) &&
               (!row->looks || row->looks(g));
}

/* The text with what was found, twice at most, as a shell takes it. */
static ps_status tell_mistaken(const char *text, const char *found, ps_error *err)
{
        int first = (int)strcspn(text, "%"), second;
        const char *behind = text[first] ? text + first + 1 : "";
        second = (int)strcspn(behind, "%");
        const char *last = behind[second] ? behind + second + 1 : NULL;
        char *word = ps_text_quoted_path(found);
        ps_status status =
                word ? PS_FAIL(err, PS_E_INPUT, "%.*s%s%.*s%s%s", first, text, text[first] ? word : "",
                               second, behind, last ? word : "", last ? last : "")
                     : PS_OK;
        free(word);
        return status;
}

ps_status ps_mistaken_explain(const char *path, const uint8_t *head, size_t len, ps_error *err)
{
        given g = {.path = path, .head = head, .len = len};
        struct stat info;
        g.is_folder = stat(path, &info) == 0 && S_ISDIR(info.st_mode);
        snprintf(g.found, sizeof(g.found), "%s", path);
        for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
                if (is_mistaken_for(&rows[i], &g))
                        return tell_mistaken(rows[i].text, g.found, err);
        return PS_OK;
}
