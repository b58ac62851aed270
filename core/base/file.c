/* file.c - see file.h. Nobody asks how long a file is: it may grow, and a pipe does not tell. */
#include "core/base/file.h"

#include "core/base/memory.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_ROOM = 1 << 16 };

static ps_status read_all(char **text, size_t *n, FILE *file, size_t most, const char *what, const char *path,
                          ps_error *err)
{
        size_t cap = 0;
        do { /* one byte is kept for the NUL */
                if (*n + 1 >= cap && ps_memory_grow_wide(text, &cap, FIRST_ROOM, 1))
                        return PS_NOMEM(err, what, cap);
                *n += fread(*text + *n, 1, cap - *n - 1, file);
        } while (*n + 1 == cap && *n <= most);
        if (ferror(file))
                return PS_FAIL(err, errno == ENOMEM ? PS_E_NOMEM : PS_E_INPUT,
                               "cannot read the %s: path=\"%s\", reason=\"%s\"", what, path, strerror(errno));
        if (*n > most)
                return PS_FAIL(err, PS_E_INPUT,
                               "cannot read the %s: path=\"%s\", reason=\"it is too large\", most_bytes=%zu",
                               what, path, most);
        (*text)[*n] = '\0';
        return PS_OK;
}

FILE *ps_file_open(const char *path)
{
        FILE *file = fopen(path, "rb");
        if (!file && errno == ENOMEM)
                ps_memory_lack();
        return file;
}

size_t ps_file_head(void *head, size_t size, const char *path)
{
        FILE *file = ps_file_open(path);
        size_t n = file ? fread(head, 1, size, file) : 0;
        if (file)
                fclose(file);
        return n;
}

DIR *ps_folder_open(const char *path)
{
        DIR *folder = opendir(path);
        if (!folder && errno == ENOMEM)
                ps_memory_lack();
        return folder;
}

ps_status ps_file_unopened(const char *what, const char *path, ps_error *err)
{
        bool are_too_many = errno == EMFILE || errno == ENFILE;
        return PS_FAIL(err, are_too_many || errno == ENOMEM ? PS_E_NOMEM : PS_E_INPUT,
                       "cannot open the %s: path=\"%s\", reason=\"%s\"%s", what, path, strerror(errno),
                       are_too_many ? ", hint=\"let more files be open at once: ulimit -n\"" : "");
}

ps_status ps_file_read(char **text, size_t *n, FILE *file, size_t most, const char *what, const char *path,
                       ps_error *err)
{
        *text = NULL;
        *n = 0;
        if (!file)
                return ps_file_unopened(what, path, err);
        ps_status status = read_all(text, n, file, most, what, path, err);
        if (file != stdin)
                fclose(file);
        if (status != PS_OK) {
                free(*text);
                *text = NULL;
        }
        return status;
}
