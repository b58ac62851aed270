/* lines.c - a window that moves over the text; it grows only for a line that is longer than it. */
#include "reader/dvm/lines.h"

#include "core/base/vector.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { WINDOW_BYTES = 256 * 1024, PACK_BUFFER_BYTES = 128 * 1024 };

/* Traces pack 10 to 100 to one. What unpacks to more than RATIO_MAX times its size is no trace. */
enum { RATIO_MAX = 400 };
#define RATIO_FROM_BYTES (UINT64_C(64) << 20)

ps_status ps_dvm_lines_open(ps_dvm_lines *lines, const char *path, ps_error *err)
{
        struct stat st;
        *lines = (ps_dvm_lines){.cap = WINDOW_BYTES};
        int fd = open(path, O_RDONLY | O_CLOEXEC);
        if (fd < 0 || fstat(fd, &st) != 0 || !S_ISREG(st.st_mode)) {
                const char *reason = fd < 0 ? strerror(errno) : "not a regular file";
                if (fd >= 0)
                        close(fd);
                return PS_FAIL(err, PS_E_INPUT, "cannot open the trace: path=\"%s\", reason=\"%s\"", path,
                               reason);
        }
        lines->n_packed = (uint64_t)st.st_size;
        lines->file = gzdopen(fd, "rb");
        if (!lines->file) {
                close(fd);
                return PS_NOMEM(err, "file", 1);
        }
        gzbuffer(lines->file, PACK_BUFFER_BYTES);
        lines->window = malloc(WINDOW_BYTES);
        if (!lines->window) {
                ps_dvm_lines_close(lines);
                return PS_NOMEM(err, "window", WINDOW_BYTES);
        }
        return PS_OK;
}

void ps_dvm_lines_close(ps_dvm_lines *lines)
{
        if (lines->file)
                gzclose(lines->file);
        free(lines->window);
        lines->file = NULL;
        lines->window = NULL;
}

static ps_status check_ratio(const ps_dvm_lines *lines, ps_error *err)
{
        uint64_t total = lines->base + lines->n;
        if (total < RATIO_FROM_BYTES || total / RATIO_MAX < lines->n_packed)
                return PS_OK;
        return PS_FAIL(err, PS_E_INPUT,
                       "the trace unpacks to far more than its size: bytes=%llu, packed=%llu",
                       (unsigned long long)total, (unsigned long long)lines->n_packed);
}

/* Moves the rest of the window to its beginning and fills it up. */
static ps_status refill(ps_dvm_lines *lines, ps_error *err)
{
        memmove(lines->window, lines->window + lines->next, lines->n - lines->next);
        lines->base += lines->next;
        lines->n -= lines->next;
        lines->next = 0;
        if (PS_ROOM(lines->window, lines->n, lines->cap))
                return PS_NOMEM(err, "line", lines->cap);
        size_t room = lines->cap - lines->n;
        int got =
                gzread(lines->file, lines->window + lines->n, room < INT32_MAX ? (unsigned)room : INT32_MAX);
        if (got <= 0) {
                int code;
                gzerror(lines->file, &code);
                if (code == Z_MEM_ERROR)
                        return PS_NOMEM(err, "unpacking", room);
                if (code == Z_ERRNO)
                        return PS_FAIL(err, PS_E_INPUT, "cannot read the trace: bytes=%llu, reason=\"%s\"",
                                       (unsigned long long)(lines->base + lines->n), strerror(errno));
                lines->corrupt = code == Z_DATA_ERROR;
                lines->at_end = 1;
                return PS_OK;
        }
        lines->n += (size_t)got;
        return check_ratio(lines, err);
}

static void hand_out(ps_dvm_lines *lines, size_t end, size_t skipped)
{
        lines->at = lines->window + lines->next;
        lines->end = lines->window + end;
        lines->number++;
        lines->next = end + skipped;
        if (lines->end > lines->at && lines->end[-1] == '\r')
                lines->end--;
}

int ps_dvm_lines_next(ps_dvm_lines *lines, ps_error *err)
{
        size_t searched = lines->next;
        for (;;) {
                const char *found = lines->n > searched
                                            ? memchr(lines->window + searched, '\n', lines->n - searched)
                                            : NULL;
                if (found) {
                        hand_out(lines, (size_t)(found - lines->window), 1);
                        return 1;
                }
                if (lines->at_end)
                        break;
                searched = lines->n - lines->next;
                PS_TRY(refill(lines, err));
        }
        if (lines->next == lines->n)
                return 0;
        lines->unended = 1;
        hand_out(lines, lines->n, 0);
        return 1;
}
