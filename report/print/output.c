/* output.c - buffered writing with a kept error, and files that are replaced as a whole.
 *
 * Until it is whole a file has no name where the system can do that, so that nothing is left behind by a
 * process that is interrupted or killed; else it has a temporary one. */
#define _GNU_SOURCE /* O_TMPFILE */ // NOLINT(bugprone-reserved-identifier): the C library's own switch
#include "report/print/output.h"

#include "core/base/blocks.h"
#include "core/base/memory.h"
#include "core/base/number.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BUFFER_BYTES = 1 << 16, NAME_TRIES = 100, LINKS_MOST = 40, WIDTH_MIN = 40, WIDTH_MAX = 160 };

unsigned ps_output_width(const ps_output *out)
{
        return out->width;
}

static void output_free(ps_output *out)
{
        if (!out)
                return;
        if (out->fd > STDERR_FILENO)
                close(out->fd);
        free(out->name);
        free(out->target);
        free(out->temporary);
        free(out->buffer);
        free(out);
}

static ps_status output_new(ps_output **out, ps_error *err)
{
        ps_output *made = calloc(1, sizeof(*made));
        char *buffer = malloc(BUFFER_BYTES);

        unsigned lacks = ps_memory_lacks();
        if (!made || !buffer) {
                free(made);
                free(buffer);
                return PS_NOMEM(err, "output", BUFFER_BYTES);
        }
        *made = (ps_output){
                .fd = -1, .width = PS_WIDTH_DEFAULT, .buffer = buffer, .size = BUFFER_BYTES, .lacks = lacks};
        *out = made;
        return PS_OK;
}

/* What COLUMNS says goes before what the terminal does, as with other programs. */
static unsigned columns_of(const ps_output *out, int terminal)
{
        const char *asked = getenv("COLUMNS");
        struct winsize size;
        uint64_t columns = 0;

        if (asked && (!ps_number_whole(&asked, UINT16_MAX, &columns) || *asked))
                columns = 0;
        if (!columns && terminal && ioctl(out->fd, TIOCGWINSZ, &size) == 0)
                columns = size.ws_col;
        if (!columns)
                return out->width;
        return columns < WIDTH_MIN ? WIDTH_MIN : columns > WIDTH_MAX ? WIDTH_MAX : (unsigned)columns;
}

static void look_at_terminal(ps_output *out, ps_color_mode color)
{
        int terminal = isatty(out->fd);
        const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM");

        out->width = columns_of(out, terminal);
        out->color =
                color == PS_COLOR_ALWAYS || (color == PS_COLOR_AUTO && terminal && !(no_color && *no_color) &&
                                             term && strcmp(term, "dumb") != 0);
}

/* How many bytes of the target name its folder, the slash included. */
static int folder_bytes(const ps_output *out)
{
        const char *slash = strrchr(out->target, '/');

        return slash ? (int)(slash + 1 - out->target) : 0;
}

static void link_of(char room[32], int fd)
{
        snprintf(room, 32, "/proc/self/fd/%d", fd);
}

static int open_unnamed(const ps_output *out)
{
        char link[32],
                *folder = folder_bytes(out) ? strndup(out->target, (size_t)folder_bytes(out)) : strdup(".");
        int fd = folder ? open(folder, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666) : -1;

        free(folder);
        link_of(link, fd);
        if (fd >= 0 && access(link, F_OK) != 0) { /* it could never be given a name */
                close(fd);
                fd = -1;
        }
        return fd;
}

static int open_named(ps_output *out)
{
        out->fd = open(out->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        return out->fd < 0 ? -1 : 0;
}

static int give_name(ps_output *out)
{
        char link[32];

        link_of(link, out->fd);
        return linkat(AT_FDCWD, link, AT_FDCWD, out->temporary, AT_SYMLINK_FOLLOW);
}

/* Makes a file of a name that is not in use, beside the target. */
static int make_temporary(ps_output *out, int (*make)(ps_output *))
{
        size_t size = strlen(out->target) + 48;
        int folder = folder_bytes(out);

        if (!out->temporary)
                out->temporary = malloc(size);
        for (int i = 0; out->temporary && i < NAME_TRIES && !out->is_named; i++) {
                snprintf(out->temporary, size, "%.*s.%s.%ld-%d.tmp", folder, out->target,
                         out->target + folder, (long)getpid(), i);
                out->is_named = make(out) == 0;
                if (!out->is_named && errno != EEXIST)
                        break;
        }
        return out->is_named ? 0 : -1;
}

/* Opens a fresh file, which takes over the permissions of the target if that exists. */
static int open_temporary(ps_output *out, const struct stat *old)
{
        out->fd = open_unnamed(out);
        if (out->fd < 0 && make_temporary(out, open_named))
                return -1;
        return old ? fchmod(out->fd, old->st_mode & 07777) : 0;
}

/* As a path from where `link` lies. */
static char *path_of_link(const char *link, const char *target, size_t n)
{
        const char *slash = strrchr(link, '/');
        size_t folder = slash && *target != '/' ? (size_t)(slash + 1 - link) : 0;
        char *path = malloc(folder + n + 1);
        if (path) {
                memcpy(path, link, folder);
                memcpy(path + folder, target, n);
                path[folder + n] = '\0';
        }
        return path;
}

/* Where the links lead that `path` may be, to a file that may not be there yet. NULL: nowhere, as errno has
 * it. */
static char *follow_links(const char *path)
{
        char *at = strdup(path), target[PATH_MAX];
        for (unsigned i = 0; at; i++) {
                ssize_t n = readlink(at, target, sizeof(target));
                if (n < 0)
                        return at;
                char *next = i < LINKS_MOST ? path_of_link(at, target, (size_t)n) : NULL;
                free(at);
                at = next;
                errno = i < LINKS_MOST ? errno : ELOOP;
        }
        return NULL;
}

/* A link's target is replaced, not the link. */
static int open_file(ps_output *out, const char *path)
{
        struct stat old;
        int exists = stat(path, &old) == 0;

        if (exists && S_ISREG(old.st_mode)) {
                out->target = realpath(path, NULL);
                return out->target ? open_temporary(out, &old) : -1;
        }
        if (exists) {
                out->fd = open(path, O_WRONLY | O_CLOEXEC);
                return out->fd < 0 ? -1 : 0;
        }
        out->target = follow_links(path);
        return out->target ? open_temporary(out, NULL) : -1;
}

ps_status ps_output_open(ps_output **out, const char *path, ps_color_mode color, ps_error *err)
{
        ps_output *made;
        ps_status status = output_new(&made, err);

        if (status != PS_OK)
                return status;
        bool is_stdout = strcmp(path, "-") == 0;
        made->name = strdup(is_stdout ? "stdout" : path);
        if (is_stdout && made->name) {
                made->fd = STDOUT_FILENO;
        } else if (!made->name || open_file(made, path)) {
                status = PS_FAIL(err, PS_E_OUTPUT, "cannot write the file: path=\"%s\", reason=\"%s\"", path,
                                 strerror(errno));
                ps_output_discard(made);
                return status;
        }
        look_at_terminal(made, color);
        *out = made;
        return PS_OK;
}

ps_status ps_output_open_memory(ps_output **out, unsigned width, ps_error *err)
{
        PS_TRY(output_new(out, err));

        (*out)->width = width;
        return PS_OK;
}

ps_status ps_output_open_taker(ps_output **out, int (*take)(void *ctx, const char *bytes, size_t n),
                               void *ctx, unsigned width, bool has_color, ps_error *err)
{
        PS_TRY(ps_output_open_memory(out, width, err));
        (*out)->take = take;
        (*out)->ctx = ctx;
        (*out)->color = has_color;
        return PS_OK;
}

bool ps_output_has_color(const ps_output *out)
{
        return out->color != 0;
}

const char *ps_output_text(ps_output *out)
{
        ps_output_reserve(out, 1)[0] = '\0';
        return out->failed ? NULL : out->buffer;
}

void ps_output_clear(ps_output *out)
{
        out->used = 0;
}

/* Of an output that goes somewhere. */
static void give(ps_output *out, const char *bytes, size_t n)
{
        if (out->take && n && !out->failed && out->take(out->ctx, bytes, n))
                out->failed = ECANCELED;
        while (!out->take && !out->failed && n) {
                ssize_t done = ps_blocks_write(out->fd, bytes, n);

                if (done > 0) {
                        bytes += done;
                        n -= (size_t)done;
                } else if (done < 0 && errno != EINTR) {
                        out->failed = errno;
                }
        }
}

static void flush(ps_output *out)
{
        out->n_flushes++;
        give(out, out->buffer, out->used);
        out->used = 0;
}

static bool only_gathers(const ps_output *out)
{
        return out->fd < 0 && !out->take;
}

static void grow_buffer(ps_output *out, size_t n)
{
        size_t size = out->size;
        char *larger;

        while (size - out->used < n)
                size *= 2;
        larger = realloc(out->buffer, size);
        if (larger) {
                out->buffer = larger;
                out->size = size;
        } else {
                ps_memory_lack();
                out->failed = ENOMEM;
                out->used = 0;
        }
}

void ps_output_make_room(ps_output *out, size_t n)
{
        if (only_gathers(out))
                grow_buffer(out, n);
        else
                flush(out);
}

/* Much goes where it is to go without being gathered. */
void ps_output_write_parts(ps_output *out, const char *bytes, size_t n)
{
        if (!only_gathers(out)) {
                flush(out);
                give(out, bytes, n);
                return;
        }
        for (size_t part; n; bytes += part, n -= part) {
                part = n < PS_OUTPUT_ROOM ? n : PS_OUTPUT_ROOM;
                ps_output_write(out, bytes, part);
        }
}

ps_status ps_output_take(void *out, const char *bytes, size_t n, ps_error *err)
{
        (void)err;
        ps_output_write(out, bytes, n);
        return PS_OK;
}

void ps_output_repeat(ps_output *out, char c, size_t n)
{
        while (n) {
                size_t part = n < PS_OUTPUT_ROOM ? n : PS_OUTPUT_ROOM;

                memset(ps_output_reserve(out, part), c, part);
                out->used += part;
                n -= part;
        }
}

void ps_output_printf(ps_output *out, const char *fmt, ...)
{
        va_list args;
        char *room = ps_output_reserve(out, PS_OUTPUT_ROOM);
        int n;

        va_start(args, fmt);
        n = vsnprintf(room, PS_OUTPUT_ROOM, fmt, args);
        va_end(args);
        if (n > 0)
                out->used += n < PS_OUTPUT_ROOM ? (size_t)n : PS_OUTPUT_ROOM - 1;
}

void ps_output_style(ps_output *out, ps_style style)
{
        static const char *const codes[] = {
                [PS_PLAIN] = "\033[0m", [PS_BOLD] = "\033[1m",   [PS_DIM] = "\033[2m",
                [PS_RED] = "\033[31m",  [PS_GREEN] = "\033[32m", [PS_YELLOW] = "\033[33m",
                [PS_CYAN] = "\033[36m",
        };

        if (out->color)
                ps_output_puts(out, codes[style]);
}

static void put_in_place(ps_output *out)
{
        if (!out->failed && !out->is_named && make_temporary(out, give_name))
                out->failed = errno;
        if (!out->failed && fsync(out->fd) && errno != EINVAL) /* or a crash could leave an empty file */
                out->failed = errno;
        if (close(out->fd) && !out->failed)
                out->failed = errno;
        out->fd = -1;
        if (!out->failed && rename(out->temporary, out->target))
                out->failed = errno;
}

ps_status ps_output_commit(ps_output *out, ps_error *err)
{
        ps_status status = PS_OK;
        const char *name;

        if (!out)
                return PS_OK;
        name = out->name ? out->name : "memory";
        if (!out->failed && ps_memory_lacks() != out->lacks) /* something may be missing */
                out->failed = ENOMEM;
        if (out->fd >= 0 || out->take)
                flush(out);
        if (out->target)
                put_in_place(out);
        if (out->failed) {
                status = PS_FAIL(err, PS_E_OUTPUT, "cannot write the output: to=\"%s\", reason=\"%s\"", name,
                                 strerror(out->failed));
                ps_output_discard(out);
        } else {
                output_free(out);
        }
        return status;
}

void ps_output_discard(ps_output *out)
{
        if (out && out->is_named)
                unlink(out->temporary);
        else if (out && out->fd >= 0 && !out->target)
                flush(out);
        output_free(out);
}
