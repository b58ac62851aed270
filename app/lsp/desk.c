/* desk.c - where the report's files are, and where their lines went since.
 *
 * A name in a report is tried as it is, then below each folder that may be meant: those of --source-root,
 * that of the report's settings, the editor's, and the one in which the report lies. */
#include "app/lsp/desk.h"
#include "app/lsp/moved.h"

#include "core/base/vector.h"
#include "patterns/source/files.h"
#include "report/print/uri.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
        ROOTS_MOST = 40,
        KEPT_MOST = 8 << 20 /* bytes of source text that are kept */
};

/* -- folders -- */

typedef struct roots {
        const char *row[ROOTS_MOST];
        unsigned n;
        char beside[PATH_MAX], below[PATH_MAX];
} roots;

static void add_root(roots *all, const char *folder)
{
        if (folder && *folder && all->n < ROOTS_MOST)
                all->row[all->n++] = folder;
}

/* A root that was given in another folder is looked for beside the report, too. */
static void gather_roots(roots *all, const ps_desk *desk, const char *saved)
{
        const char *slash = strrchr(desk->report, '/');
        all->n = 0;
        for (unsigned i = 0; i < desk->where.n_roots; i++)
                add_root(all, desk->where.roots[i]);
        add_root(all, saved);
        snprintf(all->beside, sizeof(all->beside), "%.*s", slash ? (int)(slash - desk->report) : 1,
                 slash ? desk->report : ".");
        if (saved && *saved != '/' &&
            snprintf(all->below, sizeof(all->below), "%s/%s", all->beside, saved) < (int)sizeof(all->below))
                add_root(all, all->below);
        add_root(all, desk->root);
        add_root(all, all->beside);
}

/* The path from the root of the file system, without steps that lead nowhere. Links stay as they are, because
 * the editor calls the file by them. malloc'ed. */
static char *absolute_path(const char *path)
{
        char room[PATH_MAX];
        if (*path != '/' && getcwd(room, sizeof(room)))
                path = snprintf(room + strlen(room), sizeof(room) - strlen(room), "/%s", path) < PATH_MAX
                               ? room
                               : path;
        char *out = strstr(path, "/../") ? realpath(path, NULL) : NULL, *to;
        if (out)
                return out;
        out = to = malloc(strlen(path) + 1);
        if (!out)
                return NULL;
        for (const char *at = path; *at;) {
                if (at[0] == '/' && at[1] == '/')
                        at++;
                else if (at[0] == '/' && at[1] == '.' && (at[2] == '/' || !at[2]))
                        at += 2;
                else
                        *to++ = *at++;
        }
        *to = '\0';
        return out;
}

/* Where a file would be that is not here. */
static char *supposed_path(const roots *all, const char *name)
{
        char room[PATH_MAX];
        if (*name == '/' || !all->n || snprintf(room, sizeof(room), "%s/%s", all->row[0], name) >= PATH_MAX)
                return absolute_path(name);
        return absolute_path(room);
}

static ps_status place_file(ps_desk_file *out, ps_source_files *files, const roots *all, const char *name,
                            ps_error *err)
{
        const ps_source_file *found = ps_source_files_get(files, name);
        if (!found)
                return PS_NOMEM(err, "source files", 1);
        out->is_here = found->disk != NULL;
        out->path = found->disk ? absolute_path(found->disk) : supposed_path(all, found->shown);
        out->uri = out->path ? ps_uri_encode("file://", out->path) : NULL;
        return out->uri ? PS_OK : PS_NOMEM(err, "source files", 1);
}

static void clear_file(ps_desk_file *file)
{
        free(file->path);
        free(file->uri);
        ps_lines_clear(&file->lines);
}

static ps_status place_files(ps_desk *desk, ps_error *err)
{
        ps_source_files *files = NULL;
        roots all;
        gather_roots(&all, desk, desk->marks.source_root);
        ps_source_options where = {all.row, all.n, desk->where.maps, desk->where.n_maps};
        uint32_t n = 1;
        while (*ps_marks_name(&desk->marks, n)) /* names are never empty */
                n++;
        desk->file = calloc(n, sizeof(*desk->file));
        if (!desk->file)
                return PS_NOMEM(err, "source files", n);
        desk->n_files = n;
        ps_status status = ps_source_files_new(&files, &where, err);
        for (uint32_t i = 1; i < n && status == PS_OK; i++)
                status = place_file(&desk->file[i], files, &all, ps_marks_name(&desk->marks, i), err);
        ps_source_files_free(files);
        return status;
}

/* -- the desk -- */

static void clear_report(ps_desk *desk)
{
        for (uint32_t i = 0; i < desk->n_files; i++)
                clear_file(&desk->file[i]);
        free(desk->file);
        desk->file = NULL;
        desk->n_files = 0;
        ps_marks_clear(&desk->marks);
}

void ps_desk_clear(ps_desk *desk)
{
        clear_report(desk);
        free(desk->root);
        *desk = (ps_desk){0};
}

/* What the editor has open, and what it shows, is so with a new report, too. */
static void take_over(ps_desk *desk, ps_desk *old)
{
        for (uint32_t i = 1; i < old->n_files; i++) {
                ps_desk_file *was = &old->file[i];
                ps_str now = was->is_open || was->is_shown ? ps_desk_find(desk, was->uri) : 0;
                ps_desk_file *file = &desk->file[now];
                if (!now)
                        continue;
                file->is_shown = was->is_shown;
                was->is_shown = false;
                if (!was->is_open)
                        continue;
                file->is_open = file->was_read = true;
                file->lines = was->lines;
                was->lines = (ps_lines){0};
        }
}

ps_status ps_desk_read(ps_desk *desk, const char *text, size_t n, time_t made, ps_error *err)
{
        ps_desk now = {.made = made, .where = desk->where, .report = desk->report, .root = desk->root};
        ps_status status = ps_marks_read(&now.marks, text, n, desk->report, err);
        PS_THEN(status, place_files(&now, err));
        if (status != PS_OK) {
                clear_report(&now);
                return status;
        }
        take_over(&now, desk);
        clear_report(desk);
        *desk = now;
        return status;
}

static bool is_same_file(const char *a, const char *b)
{
        struct stat x, y;
        return stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

ps_str ps_desk_find(ps_desk *desk, const char *uri)
{
        char *path = ps_uri_path(uri);
        ps_str found = 0;
        for (uint32_t i = 1; i < desk->n_files && !found; i++)
                if (strcmp(desk->file[i].uri, uri) == 0 || (path && strcmp(desk->file[i].path, path) == 0))
                        found = i;
        const char *base = path ? strrchr(path, '/') : NULL;
        for (uint32_t i = 1; base && i < desk->n_files && !found; i++) {
                const char *slash = strrchr(desk->file[i].path, '/');
                if (desk->file[i].is_here && slash && strcmp(slash, base) == 0 &&
                    is_same_file(desk->file[i].path, path))
                        found = i;
        }
        free(path);
        return found;
}

const ps_marked_file *ps_desk_marks(const ps_desk *desk, ps_str file)
{
        for (uint32_t i = 0; i < desk->marks.n_files; i++)
                if (desk->marks.file[i].name == file)
                        return &desk->marks.file[i];
        return NULL;
}

void ps_desk_drop(ps_desk *desk, bool (*is_ignored)(void *ctx, const char *site), void *ctx)
{
        ps_marks *marks = &desk->marks;
        uint32_t n = 0;
        for (uint32_t i = 0; i < marks->n_files; i++) {
                ps_marked_file *file = &marks->file[i];
                uint32_t first = n;
                for (uint32_t k = file->first; k < file->first + file->n; k++)
                        if (!is_ignored(ctx, marks->mark[k].site))
                                marks->mark[n++] = marks->mark[k];
                file->first = first;
                file->n = n - first;
        }
        marks->n = n;
}

/* Texts are read again when they are asked for again: of thousands of files few are looked at. */
static void forget_lines(ps_desk *desk)
{
        for (uint32_t i = 1; i < desk->n_files; i++) {
                if (desk->file[i].is_open)
                        continue;
                ps_lines_clear(&desk->file[i].lines);
                desk->file[i].was_read = false;
        }
        desk->n_kept = 0;
}

static ps_status read_lines(ps_desk *desk, ps_str name, ps_error *err)
{
        ps_desk_file *file = &desk->file[name];
        if (file->was_read)
                return PS_OK;
        if (desk->n_kept > KEPT_MOST)
                forget_lines(desk);
        file->was_read = true;
        if (!file->is_here)
                return PS_OK;
        PS_TRY(ps_lines_read(&file->lines, file->path, err));
        desk->n_kept += file->lines.n ? file->lines.line[file->lines.n - 1] : 0;
        return PS_OK;
}

const char *ps_desk_line(ps_desk *desk, ps_str file, uint32_t line)
{
        return read_lines(desk, file, NULL) == PS_OK ? ps_lines_at(&desk->file[file].lines, line) : NULL;
}

ps_status ps_desk_call(ps_desk *desk, ps_str file, const char *uri, ps_error *err)
{
        char *copy = strdup(uri);
        if (!copy)
                return PS_NOMEM(err, "address", 1);
        free(desk->file[file].uri);
        desk->file[file].uri = copy;
        return PS_OK;
}

ps_status ps_desk_open(ps_desk *desk, ps_str name, const char *text, ps_error *err)
{
        ps_desk_file *file = &desk->file[name];
        size_t n = text ? strlen(text) : 0;
        char *copy = text ? malloc(n + 1) : NULL;
        ps_lines_clear(&file->lines);
        file->is_open = file->was_read = text != NULL;
        if (!text)
                return PS_OK;
        if (!copy)
                return PS_NOMEM(err, "source text", n);
        memcpy(copy, text, n + 1);
        return ps_lines_make(&file->lines, copy, n, err);
}

/* -- where lines are now -- */

ps_status ps_desk_settle(ps_desk *desk, const ps_marked_file *marked, ps_error *err)
{
        ps_desk_file *file = &desk->file[marked->name];
        struct stat st;
        bool is_newer = file->is_here && stat(file->path, &st) == 0 && st.st_mtime > desk->made;
        PS_TRY(read_lines(desk, marked->name, err));
        return ps_marks_settle(&desk->marks.mark[marked->first], marked->n, &file->lines, file->path,
                               is_newer, err);
}
