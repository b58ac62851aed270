/* open.c - see open.h. */
#include "patterns/source/open.h"
#include "core/base/blocks.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LARGEST_FILE = 8 << 20 };

/* Opening must neither touch a device nor wait for a pipe, and what stat() said of the path a moment ago need
 * not hold any more. */
static int open_source(const char *path, size_t *size)
{
        char room[PATH_MAX];
        int fd = open(ps_blocks_path(room, path), O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
        struct stat st;
        if (fd < 0)
                return -1;
        if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode) || st.st_size < 0 || st.st_size > LARGEST_FILE) {
                close(fd);
                return -1;
        }
        *size = (size_t)st.st_size;
        return fd;
}

static size_t read_all(int fd, char *text, size_t size)
{
        size_t n = 0;
        for (ssize_t got = 1; n < size && got > 0; n += got > 0 ? (size_t)got : 0)
                got = ps_blocks_read(fd, text + n, size - n);
        return n;
}

ps_status ps_source_read(char **text, size_t *n, const char *path, ps_error *err)
{
        size_t size = 0;
        int fd = open_source(path, &size);
        *text = NULL;
        *n = 0;
        if (fd < 0)
                return PS_OK;
        *text = malloc(size + 1);
        if (*text)
                *n = read_all(fd, *text, size);
        close(fd);
        return *text ? PS_OK : PS_NOMEM(err, "source text", size);
}
