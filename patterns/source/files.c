/* files.c - one row for each name, found when it is first asked for and read when it is first needed.
 */
#include "patterns/source/files.h"

#include "core/base/blocks.h"
#include "core/base/vector.h"
#include "patterns/source/lines.h"
#include "patterns/source/open.h"

#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { MOST_BYTES = 64 << 20, MOST_SUFFIXES = 64 };

struct ps_source_files {
        ps_source_options options;
        ps_arena *arena;
        ps_strings *names, *shown;
        ps_source_file *row; /* by id in `names`; row 0 is the empty name */
        struct shown {
                const char *disk; /* where the first file of that name is; NULL: not here */
                ps_lines lines;
                bool was_read;
        } * shown_row; /* by id in `shown` */
        uint32_t n, cap, n_shown, cap_shown;
        size_t n_bytes;         /* of all that was read */
        pthread_mutex_t asking; /* for lines: reports are written by several threads */
};

ps_status ps_source_files_new(ps_source_files **out, const ps_source_options *options, ps_error *err)
{
        for (unsigned i = 0; i < options->n_maps; i++)
                if (!strchr(options->maps[i], '='))
                        return PS_FAIL(err, PS_E_USAGE, "--path-map needs OLD=NEW: map=\"%s\"",
                                       options->maps[i]);
        ps_source_files *files = calloc(1, sizeof(*files));
        if (files) {
                files->options = *options;
                files->asking = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
                files->arena = ps_arena_new();
                files->names = files->arena ? ps_strings_new(files->arena) : NULL;
                files->shown = files->names ? ps_strings_new(files->arena) : NULL;
        }
        if (!files || !files->shown) {
                ps_source_files_free(files);
                return PS_NOMEM(err, "source files", 1);
        }
        *out = files;
        return PS_OK;
}

void ps_source_files_free(ps_source_files *files)
{
        if (!files)
                return;
        for (uint32_t i = 0; i < files->n; i++) {
                ps_scan_free(files->row[i].scan);
                free(files->row[i].text);
        }
        free(files->row);
        for (uint32_t i = 0; i < files->n_shown; i++)
                ps_lines_clear(&files->shown_row[i].lines);
        free(files->shown_row);
        ps_strings_free(files->shown);
        ps_strings_free(files->names);
        ps_arena_free(files->arena);
        free(files);
}

/* -- where a file may be -- */

/* The length without trailing slashes. */
static size_t folder_length(const char *text, size_t len)
{
        while (len && text[len - 1] == '/')
                len--;
        return len;
}

/* `len` bytes of `path` and the end, or the start of a further component. */
static bool begins_with(const char *path, const char *folder, size_t len)
{
        return strncmp(path, folder, len) == 0 && (path[len] == '/' || path[len] == '\0');
}

/* Exchanges the longest old prefix of all maps; 0 when the result is too long to be a path. */
static bool map_path(const ps_source_options *options, const char *name, char out[PATH_MAX])
{
        const char *best = NULL;
        size_t best_len = 0;
        for (unsigned i = 0; i < options->n_maps; i++) {
                const char *map = options->maps[i];
                size_t len = folder_length(map, (size_t)(strchr(map, '=') - map));
                if (begins_with(name, map, len) && (!best || len > best_len)) {
                        best = strchr(map, '=') + 1;
                        best_len = len;
                }
        }
        if (!best)
                return snprintf(out, PATH_MAX, "%s", name) < PATH_MAX;
        const char *rest = name + best_len;
        int new_len = (int)folder_length(best, strnlen(best, PATH_MAX));
        if (!*best)
                rest += *rest == '/';
        return snprintf(out, PATH_MAX, "%.*s%s", new_len, best, rest) < PATH_MAX;
}

static bool is_regular(const char *path)
{
        struct stat st;
        char room[PATH_MAX];
        return stat(ps_blocks_path(room, path), &st) == 0 && S_ISREG(st.st_mode);
}

/* The part of a path that may be looked for below a root: none that climbs out of it. */
static const char *safe_part(const char *path)
{
        const char *part = path;
        for (const char *c = path; *c; c++)
                if ((c == path || c[-1] == '/') && strncmp(c, "..", 2) == 0 && (c[2] == '/' || c[2] == '\0'))
                        part = c + 2;
        return part;
}

/* Of very deep paths only the last components are tried. */
static const char *last_components(const char *part)
{
        unsigned n = 0;
        const char *c = part + strlen(part);
        while (c > part && (c[-1] != '/' || ++n < MOST_SUFFIXES))
                c--;
        return c;
}

static bool find_below_roots(const ps_source_options *options, const char *path, char out[PATH_MAX])
{
        const char *part = last_components(safe_part(path));
        while (*part) {
                while (*part == '/')
                        part++;
                for (unsigned i = 0; *part && i < options->n_roots; i++)
                        if (snprintf(out, PATH_MAX, "%s/%s", options->roots[i], part) < PATH_MAX &&
                            is_regular(out))
                                return true;
                part += strcspn(part, "/");
        }
        return false;
}

/* -- the rows -- */

/* The path below the source root that holds it, or all of it. */
static const char *below_root(const ps_source_options *options, const char *path)
{
        for (unsigned i = 0; i < options->n_roots; i++) {
                const char *root = options->roots[i];
                size_t len = folder_length(root, strlen(root));
                if (*root && begins_with(path, root, len) && path[len] == '/')
                        return path + len + strspn(path + len, "/");
        }
        return NULL;
}

static const char *keep_text(ps_source_files *files, const char *text)
{
        size_t len = strlen(text) + 1;
        char *copy = ps_arena_alloc(files->arena, len, 1);
        if (copy)
                memcpy(copy, text, len);
        return copy;
}

/* The first file that is shown under a name keeps it. */
static bool remember_shown(ps_source_files *files, const ps_source_file *file)
{
        ps_str id = ps_strings_addz(files->shown, file->shown);
        if (id == UINT32_MAX)
                return false;
        while (files->n_shown <= id)
                if (PS_APPEND(files->shown_row, files->n_shown, files->cap_shown, (struct shown){0}))
                        return false;
        if (!files->shown_row[id].disk)
                files->shown_row[id].disk = file->disk;
        return true;
}

static bool find_file(ps_source_files *files, const char *name, ps_source_file *file)
{
        char mapped[PATH_MAX], found[PATH_MAX];
        const ps_source_options *options = &files->options;
        bool is_path = map_path(options, name, mapped);
        file->shown = is_path ? keep_text(files, mapped) : name;
        if (is_path && ps_scan_language_of(mapped) != PS_SCAN_NONE) {
                bool is_here = is_regular(mapped);
                if (is_here || find_below_roots(options, mapped, found)) {
                        const char *path = is_here ? mapped : found, *below = below_root(options, path);
                        file->disk = keep_text(files, path);
                        file->shown = below ? keep_text(files, below) : file->shown;
                        if (!file->disk)
                                return false;
                }
        }
        return file->shown && remember_shown(files, file);
}

ps_source_file *ps_source_files_get(ps_source_files *files, const char *name)
{
        ps_str id = ps_strings_addz(files->names, name);
        if (id == UINT32_MAX)
                return NULL;
        while (files->n <= id) {
                ps_source_file file = {0};
                if (!find_file(files, ps_strings_get(files->names, files->n), &file) ||
                    PS_APPEND(files->row, files->n, files->cap, file))
                        return NULL;
        }
        return &files->row[id];
}

static struct shown *find_shown(const ps_source_files *files, const char *shown)
{
        /* Asking adds the name: one that nobody has shown has no row. */
        ps_str id = ps_strings_addz(files->shown, shown);
        return id < files->n_shown ? &files->shown_row[id] : NULL;
}

const char *ps_source_files_disk(const ps_source_files *files, const char *shown)
{
        const struct shown *row = find_shown(files, shown);
        return row ? row->disk : NULL;
}

/* -- reading -- */

static ps_status read_source(ps_source_files *files, ps_source_file *file, ps_error *err)
{
        size_t n = 0;
        if (files->n_bytes >= MOST_BYTES)
                return PS_OK;
        PS_TRY(ps_source_read(&file->text, &n, file->disk, err));
        files->n_bytes += n;
        return file->text ? ps_scan_new(&file->scan, file->text, n, ps_scan_language_of(file->disk), err)
                          : PS_OK;
}

ps_status ps_source_files_scan(ps_source_files *files, ps_source_file *file, const ps_scan **out,
                               ps_error *err)
{
        ps_status status = PS_OK;
        if (!file->was_read && file->disk)
                status = read_source(files, file, err);
        file->was_read = true;
        *out = file->scan;
        return status;
}

static const char *find_line(ps_source_files *files, const char *shown, uint32_t line)
{
        struct shown *row = find_shown(files, shown);
        if (!row || !row->disk)
                return NULL;
        if (!row->was_read && ps_lines_read(&row->lines, row->disk, NULL) != PS_OK)
                return NULL;
        row->was_read = true;
        return ps_lines_at(&row->lines, line);
}

const char *ps_source_files_line(ps_source_files *files, const char *shown, uint32_t line)
{
        pthread_mutex_lock(&files->asking);
        const char *found = find_line(files, shown, line);
        pthread_mutex_unlock(&files->asking);
        return found;
}
