/* file.c - see file.h. Nobody asks how long a file is: it may grow, and a pipe does not tell. */
#include "core/base/file.h"

#include "core/base/blocks.h"
#include "core/base/memory.h"
#include "core/base/space.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_ROOM = 1 << 16, ROOM = 16 << 10 };

/* As far as the file goes, also where the system cannot write (core/base/blocks.h). */
static size_t read_block(char *to, size_t n, FILE *file)
{
        char room[ROOM];
        size_t done = 0;
        if (!ps_space_holds_part(to))
                return fread(to, 1, n, file);
        for (size_t got = 1; got && done < n; done += got) {
                got = fread(room, 1, n - done < ROOM ? n - done : ROOM, file);
                memcpy(to + done, room, got);
        }
        return done;
}

static ps_status read_all(char **text, size_t *n, FILE *file, size_t most, const char *what, const char *path,
                          ps_error *err)
{
        size_t cap = 0;
        do { /* one byte is kept for the NUL */
                if (*n + 1 >= cap && ps_memory_grow_wide(text, &cap, FIRST_ROOM, 1))
                        return PS_NOMEM(err, what, cap);
                *n += read_block(*text + *n, cap - *n - 1, file);
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

static bool are_too_many(void)
{
        return errno == EMFILE || errno == ENFILE;
}

static void count_lack(void)
{
        if (errno == ENOMEM || are_too_many())
                ps_memory_lack();
}

FILE *ps_file_open(const char *path)
{
        char room[PATH_MAX];
        FILE *file = fopen(ps_blocks_path(room, path), "rb");
        if (!file)
                count_lack();
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
        char room[PATH_MAX];
        DIR *folder = opendir(ps_blocks_path(room, path));
        if (!folder)
                count_lack();
        return folder;
}

ps_status ps_file_unopened(const char *what, const char *path, ps_error *err)
{
        return PS_FAIL(err, are_too_many() || errno == ENOMEM ? PS_E_NOMEM : PS_E_INPUT,
                       "cannot open the %s: path=\"%s\", reason=\"%s\"%s", what, path, strerror(errno),
                       are_too_many() ? ", hint=\"let more files be open at once: ulimit -n\"" : "");
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
