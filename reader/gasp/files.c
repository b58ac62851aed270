/* files.c - see files.h. The tool writes the thread's number into the name of its file. */
#include "reader/gasp/files.h"
#include "core/base/file.h"

#include <ctype.h>
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

bool ps_gasp_next_line(FILE *file, char line[PS_GASP_LINE_BYTES], size_t *n, uint64_t *read)
{
        int c = 0;
        *n = *read = 0;
        while ((c = getc(file)) != EOF) {
                ++*read;
                if (c == '\n')
                        break;
                if (*n < PS_GASP_LINE_BYTES - 1)
                        line[(*n)++] = (char)(c ? c : ' ');
        }
        line[*n] = '\0';
        return *read > 0;
}

/* What the first line of a file says of the thread. The file may be anything: no more is read of it. */
static bool read_first(const char *path, ps_gasp_line *out)
{
        char line[PS_GASP_LINE_BYTES];
        struct stat st;
        if (stat(path, &st) != 0 || !S_ISREG(st.st_mode))
                return false;
        size_t n = ps_file_head(line, sizeof(line), path);
        const char *end = memchr(line, '\n', n);
        return !ps_gasp_line_parse(out, line, end ? (size_t)(end - line) : n);
}

int ps_gasp_files_probe(const char *path, const uint8_t *head, size_t head_len)
{
        ps_gasp_line line;
        struct stat st;
        const uint8_t *end = head_len ? memchr(head, '\n', head_len) : NULL;
        if (end && !ps_gasp_line_parse(&line, (const char *)head, (size_t)(end - head)))
                return 90;
        if (stat(path, &st) != 0 || !S_ISDIR(st.st_mode))
                return 0;
        bool found = false;
        DIR *dir = ps_folder_open(path);
        for (struct dirent *e; dir && !found && (e = readdir(dir));) {
                char name[PS_GASP_LINE_BYTES];
                int n = snprintf(name, sizeof(name), "%s/%s", path, e->d_name);
                found = e->d_name[0] != '.' && n < (int)sizeof(name) && read_first(name, &line);
        }
        if (dir)
                closedir(dir);
        return found ? 80 : 0;
}

/* The first file of a folder by name that is one of a set. */
static ps_status find_first(const char *folder, char **out, ps_error *err)
{
        struct dirent **list = NULL;
        int n = scandir(folder, &list, NULL, alphasort);
        ps_gasp_line line;
        *out = NULL;
        for (int i = 0; i < n; i++) {
                size_t size = strlen(folder) + strlen(list[i]->d_name) + 2;
                char *name = *out || list[i]->d_name[0] == '.' ? NULL : malloc(size);
                if (name) {
                        snprintf(name, size, "%s/%s", folder, list[i]->d_name);
                        if (read_first(name, &line))
                                *out = name;
                        else
                                free(name);
                }
                free(list[i]);
        }
        free(list);
        return *out ? PS_OK
                    : PS_FAIL(err, PS_E_INPUT, "this folder has no text trace of GASP: path=\"%s\"", folder);
}

/* Where the thread's number stands in the name of its file: the last such number. NULL: nowhere. */
static const char *number_in(const char *path, uint32_t thread, size_t *digits)
{
        char number[16];
        const char *slash = strrchr(path, '/'), *found = NULL;
        *digits = (size_t)snprintf(number, sizeof(number), "%u", thread);
        for (const char *at = slash ? slash + 1 : path; (at = strstr(at, number)) != NULL; at++)
                if ((at == path || !isdigit((unsigned char)at[-1])) && !isdigit((unsigned char)at[*digits]))
                        found = at;
        return found;
}

static ps_status add_file(ps_gasp_files *r, const char *path, uint32_t thread, ps_defs *defs, ps_error *err)
{
        struct stat st;
        ps_gasp_file *f = &r->file[r->n];
        *f = (ps_gasp_file){.path = strdup(path), .thread = thread, .barrier = PS_GASP_NO_BARRIER};
        f->name = ps_strings_addz(defs->strings, path);
        f->size = stat(path, &st) == 0 ? (uint64_t)st.st_size : 0;
        r->n++;
        return f->path && f->name != PS_NONE ? PS_OK : PS_NOMEM(err, "file names", r->n);
}

/* All files of the set that `path` belongs to, in the order of their threads. */
static ps_status find_set(ps_gasp_files *r, const char *path, ps_defs *defs, ps_issues *issues, ps_error *err)
{
        ps_gasp_line first, other;
        size_t digits, size = strlen(path) + 16;
        if (!read_first(path, &first))
                return PS_FAIL(err, PS_E_INPUT, "this is not a text trace of GASP: path=\"%s\", line=1",
                               path);
        const char *at = number_in(path, first.thread, &digits);
        r->n_threads = first.threads;
        r->file = calloc(first.threads, sizeof(*r->file));
        char *name = malloc(size);
        ps_status status = r->file && name ? PS_OK : PS_NOMEM(err, "threads", first.threads);
        for (uint32_t i = 0; i < first.threads && status == PS_OK; i++) {
                if (at)
                        snprintf(name, size, "%.*s%u%s", (int)(at - path), path, i, at + digits);
                else
                        snprintf(name, size, "%s", i == first.thread ? path : "");
                if (i == first.thread ||
                    (read_first(name, &other) && other.thread == i && other.threads == first.threads))
                        status = add_file(r, i == first.thread ? path : name, i, defs, err);
                else
                        ps_issue_note(issues, PS_I_FILE_MISSING,
                                      (ps_place){PS_NONE, ps_strings_addz(defs->strings, name), UINT64_MAX,
                                                 INT64_MIN});
        }
        free(name);
        return status;
}

ps_status ps_gasp_files_find(ps_gasp_files *out, const char *path, ps_defs *defs, ps_issues *issues,
                             ps_error *err)
{
        struct stat st;
        char *first = NULL;
        ps_status status = PS_OK;
        if (stat(path, &st) == 0 && S_ISDIR(st.st_mode))
                status = find_first(path, &first, err);
        PS_THEN(status, find_set(out, first ? first : path, defs, issues, err));
        free(first);
        return status;
}

static ps_status take_path(ps_gasp_file *f, const ps_defs *defs, ps_error *err)
{
        f->path = strdup(ps_strings_get(defs->strings, f->name));
        return f->path ? PS_OK : PS_NOMEM(err, "file names", 1);
}

ps_status ps_gasp_files_pass(ps_pass *p, ps_gasp_files *files, const ps_defs *defs)
{
        uint32_t cap;
        PS_TRY(ps_pass_values(p, &files->n_threads, 1, sizeof(files->n_threads)));
        ps_status status = ps_pass_vector(p, &files->file, &files->n, &cap, sizeof(*files->file));
        files->n = files->file ? files->n : 0;
        PS_TRY(status);
        for (uint32_t i = 0; i < files->n; i++) {
                ps_gasp_file *f = &files->file[i];
                PS_TRY(ps_pass_values(p, &f->name, 1, sizeof(f->name)));
                PS_TRY(ps_pass_values(p, &f->thread, 1, sizeof(f->thread)));
                PS_TRY(ps_pass_values(p, &f->size, 1, sizeof(f->size)));
                PS_TRY(ps_pass_values(p, &f->barrier, 1, sizeof(f->barrier)));
                if (p->way == PS_PASS_TAKE)
                        PS_TRY(take_path(f, defs, p->err));
        }
        return PS_OK;
}

ps_status ps_gasp_file_check(const ps_gasp_file *file, FILE *open, ps_error *err)
{
        struct stat st;
        if (fstat(fileno(open), &st) == 0 && (uint64_t)st.st_size == file->size)
                return PS_OK;
        return PS_FAIL(err, PS_E_INPUT, "there is another file at this path here: path=\"%s\"", file->path);
}

void ps_gasp_files_free(ps_gasp_files *files)
{
        for (uint32_t i = 0; i < files->n; i++)
                free(files->file[i].path);
        free(files->file);
}

unsigned ps_gasp_files_parts(char *out[], const char *path)
{
        struct stat st;
        bool is_folder = stat(path, &st) == 0 && S_ISDIR(st.st_mode);
        const char *slash = is_folder ? NULL : strrchr(path, '/');
        if (!is_folder && !slash)
                path = ".";
        *out = slash ? strndup(path, (size_t)(slash - path) + 1) : strdup(path);
        return *out != NULL;
}
