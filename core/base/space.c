/* space.c - see space.h. The file is as large as addresses can be had for, but sparse: a block is allocated
 * on the disk before it is used, so that a full disk is a failed allocation and never a signal, and its place
 * on the disk is given back with the block. */
#define _GNU_SOURCE // NOLINT(bugprone-reserved-identifier): the C library's own switch
#undef realloc
#include "core/base/space.h"

#include "core/base/blocks.h"
#include "core/base/error.h"
#include "core/base/limit.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/vfs.h>
#include <unistd.h>

/* PIECE: what the system maps at a touch, if it can. */
enum { PAGE = 4096, PIECE = 64 << 10, FIRST_RANGES = 256, TROUBLE = PS_ERROR_TEXT };
#define SPACE_MOST  ((size_t)1 << 40)
#define SPACE_LEAST ((size_t)1 << 26)

typedef struct range {
        size_t at, bytes;
} range;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int file = -1;
static char *_Atomic space; /* where the file is mapped; NULL: there is none yet */
static size_t space_bytes;
static range *taken; /* by place */
static size_t n_taken, taken_room;
static uint64_t bytes_taken, bytes_most;
static atomic_size_t top; /* behind the last one */
static char report_folder[PATH_MAX];
static _Thread_local char trouble[TROUBLE];
static const ps_space_parts *parts; /* NULL: all is mapped */

const char *ps_blocks_trouble(void)
{
        return trouble;
}

void ps_blocks_beside(const char *path)
{
        const char *slash = strrchr(path, '/');
        pthread_mutex_lock(&lock);
        if (slash && !space)
                snprintf(report_folder, sizeof(report_folder), "%.*s", slash > path ? (int)(slash - path) : 1,
                         path);
        pthread_mutex_unlock(&lock);
}

char *ps_space_begin(void)
{
        return space;
}

size_t ps_space_bytes(void)
{
        return top;
}

bool ps_space_holds(const void *block)
{
        const char *begin = space;
        return begin && (uintptr_t)block - (uintptr_t)begin < space_bytes;
}

void ps_space_in_parts(const ps_space_parts *how)
{
        if (!space)
                parts = how;
}

bool ps_space_is_in_parts(void)
{
        return parts;
}

bool ps_space_holds_part(const void *at)
{
        return parts && ps_space_holds(at);
}

bool ps_space_yield(void)
{
        return space && parts && parts->yield();
}

bool ps_space_close(void)
{
        return space && parts && parts->close();
}

/* The path has what an error's text leaves. */
static void tell_trouble(const char *what, const char *folder, const char *reason)
{
        static const char form[] = "%s what does not fit into memory: path=\"%.*s\", reason=\"%.60s\"";
        int others = snprintf(NULL, 0, form, what, 0, "", reason);
        snprintf(trouble, sizeof(trouble), form, what, TROUBLE - 1 - others, folder, reason);
}

static int open_unnamed(const char *folder)
{
        char path[PATH_MAX];
        int fd = open(folder, O_TMPFILE | O_RDWR | O_EXCL | O_CLOEXEC, 0600);
        int n = snprintf(path, sizeof(path), "%s/.patscan-XXXXXX", folder);
        if (fd < 0 && n > 0 && (size_t)n < sizeof(path) && (fd = mkostemp(path, O_CLOEXEC)) >= 0)
                unlink(path);
        return fd;
}

static bool is_on_disk(int fd)
{
        struct statfs about;
        return fstatfs(fd, &about) == 0 && about.f_type != TMPFS_MAGIC && about.f_type != RAMFS_MAGIC;
}

/* The folder that a user tells is taken as it is. */
static int open_file(void)
{
        const char *told = getenv("TMPDIR"), *reason = "";
        const char *folders[] = {told && *told ? told : report_folder, ".", "/var/tmp"};
        unsigned n = folders[0] == told ? 1 : sizeof(folders) / sizeof(*folders);
        for (unsigned i = 0; i < n; i++) {
                int fd = *folders[i] ? open_unnamed(folders[i]) : -1;
                if (fd >= 0 && (folders[i] == told || is_on_disk(fd))) {
                        if (folders[i] != report_folder)
                                snprintf(report_folder, sizeof(report_folder), "%s", folders[i]);
                        return fd;
                }
                reason = fd < 0 ? strerror(errno) : "it is in memory, $TMPDIR may name another one";
                if (fd >= 0)
                        close(fd);
        }
        tell_trouble("no folder on a disk for", folders[n - 1], reason);
        return -1;
}

void ps_space_comes_alone(void *at, size_t bytes)
{
        madvise(at, bytes, MADV_RANDOM);
}

static void *map_bytes(int fd, size_t bytes)
{
        if (parts)
                return parts->map(fd, bytes);
        void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd, 0);
        if (at != MAP_FAILED) {
                madvise(at, bytes, MADV_NOHUGEPAGE);
                ps_space_comes_alone(at, bytes);
        }
        return at;
}

/* As many addresses as the system gives. */
static bool map_most(int fd)
{
        struct rlimit most = {.rlim_cur = RLIM_INFINITY};
        getrlimit(RLIMIT_FSIZE, &most);
        for (size_t bytes = SPACE_MOST; bytes >= SPACE_LEAST; bytes /= 2) {
                errno = bytes > most.rlim_cur ? EFBIG : ENOMEM; /* who maps parts may say nothing */
                if (bytes > most.rlim_cur || ftruncate(fd, (off_t)bytes) != 0)
                        continue;
                void *at = map_bytes(fd, bytes);
                if (at == MAP_FAILED)
                        continue;
                file = fd;
                space_bytes = bytes;
                space = at;
                return true;
        }
        return false;
}

/* As a whole, where parts of it can be mapped nowhere: there may be addresses for that. */
static bool map_file(int fd)
{
        uint64_t addresses;
        bool is_mapped = map_most(fd);
        if (!is_mapped && parts && !ps_limit_of_addresses(&addresses)) {
                parts = NULL;
                is_mapped = map_most(fd);
        }
        if (is_mapped)
                return true;
        tell_trouble("cannot map a file for", report_folder, strerror(errno));
        close(fd);
        return false;
}

bool ps_space_lacks_addresses(void)
{
        uint64_t addresses;
        if (!ps_limit_of_addresses(&addresses))
                return false;
        if (!*trouble || !parts) /* a file that cannot be had is what is to be mended */
                snprintf(trouble, sizeof(trouble),
                         "no more addresses: ulimit_v_bytes=%llu, hint=\"a higher ulimit -v, or --memory "
                         "instead of it where the command has that\"",
                         (unsigned long long)addresses);
        return true;
}

void ps_space_tell_limit(void)
{
        uint64_t data;
        if (!ps_space_lacks_addresses() && !*trouble && ps_limit_of_data(&data))
                snprintf(trouble, sizeof(trouble),
                         "no more memory: ulimit_d_bytes=%llu, hint=\"a higher ulimit -d\"",
                         (unsigned long long)data);
}

static bool has_space(void)
{
        if (space)
                return true;
        if (!parts && ps_space_lacks_addresses())
                return false;
        int fd = open_file();
        return fd >= 0 && map_file(fd);
}

/* -- blocks; with the lock -- */

/* The first block that begins at `at` or behind it. */
static size_t find_taken(size_t at)
{
        size_t low = 0, high = n_taken;
        while (low < high) {
                size_t middle = low + (high - low) / 2;
                if (taken[middle].at < at)
                        low = middle + 1;
                else
                        high = middle;
        }
        return low;
}

static size_t aligned(size_t n, size_t alignment)
{
        return (n + alignment - 1) / alignment * alignment;
}

/* Behind all others while the file has room, otherwise in the first gap that is large enough. */
static bool find_gap(size_t *row, size_t *at, size_t bytes, size_t alignment)
{
        size_t last = n_taken ? taken[n_taken - 1].at + taken[n_taken - 1].bytes : 0, behind = 0;
        if (aligned(last, alignment) < space_bytes && bytes <= space_bytes - aligned(last, alignment)) {
                *row = n_taken;
                *at = aligned(last, alignment);
                return true;
        }
        for (size_t i = 0; i < n_taken; behind = taken[i].at + taken[i].bytes, i++)
                if (aligned(behind, alignment) + bytes <= taken[i].at) {
                        *row = i;
                        *at = aligned(behind, alignment);
                        return true;
                }
        return false;
}

static bool has_row(void)
{
        size_t more = taken_room ? 2 * taken_room : FIRST_RANGES;
        if (n_taken < taken_room)
                return true;
        range *grown = realloc(taken, more * sizeof(*grown));
        if (!grown)
                return false;
        taken = grown;
        taken_room = more;
        return true;
}

/* What is written lies in the system's memory in pieces as large as they were written, and is there at the
 * first touch of any of it. Touched first, each page would be made by itself, at ten times the cost. */
static int write_zeros(size_t at, size_t bytes)
{
        static const char zeros[PIECE];
        for (size_t end = at + bytes; at < end;) {
                size_t most = PIECE - at % PIECE;
                ssize_t n = pwrite(file, zeros, end - at < most ? end - at : most, (off_t)at);
                if (n < 0 && errno != EINTR)
                        return errno;
                at += n > 0 ? (size_t)n : 0;
        }
        return 0;
}

static bool fill_disk(size_t at, size_t bytes)
{
        int reason;
        while ((reason = posix_fallocate(file, (off_t)at, (off_t)bytes)) == EINTR)
                ;
        if (!reason)
                reason = write_zeros(at, bytes);
        if (reason)
                tell_trouble("no place for", report_folder, strerror(reason));
        return reason == 0;
}

static void give_back(size_t at, size_t bytes)
{
        if (bytes)
                (void)fallocate(file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)at, (off_t)bytes);
}

static void note_taken(size_t more, size_t less)
{
        bytes_taken += more - less;
        bytes_most = bytes_taken > bytes_most ? bytes_taken : bytes_most;
        top = n_taken ? taken[n_taken - 1].at + taken[n_taken - 1].bytes : 0;
}

static void *take_block(size_t bytes, size_t alignment)
{
        size_t row, at;
        trouble[0] = '\0';
        if (!has_space() || !has_row())
                return NULL;
        if (!find_gap(&row, &at, bytes, alignment)) {
                tell_trouble("no place for", report_folder, strerror(EFBIG));
                return NULL;
        }
        if (!fill_disk(at, bytes))
                return NULL;
        memmove(taken + row + 1, taken + row, (n_taken++ - row) * sizeof(*taken));
        taken[row] = (range){at, bytes};
        note_taken(bytes, 0);
        return space + at;
}

/* -- what others call -- */

uint64_t ps_space_most(const char **folder)
{
        pthread_mutex_lock(&lock);
        uint64_t most = bytes_most;
        *folder = space ? report_folder : "";
        pthread_mutex_unlock(&lock);
        return most;
}

void *ps_space_take(size_t bytes, size_t alignment)
{
        if (bytes > SPACE_MOST)
                return NULL;
        pthread_mutex_lock(&lock);
        void *block = take_block(aligned(bytes, PAGE), alignment);
        pthread_mutex_unlock(&lock);
        return block;
}

size_t ps_space_resize(const void *block, size_t bytes)
{
        size_t at = (size_t)((const char *)block - space), wanted = aligned(bytes ? bytes : 1, PAGE);
        pthread_mutex_lock(&lock);
        size_t row = find_taken(at), end = row + 1 < n_taken ? taken[row + 1].at : space_bytes;
        assert(row < n_taken && taken[row].at == at);
        range *own = &taken[row];
        size_t had = own->bytes;
        if (wanted <= own->bytes)
                give_back(at + wanted, own->bytes - wanted);
        if (wanted <= own->bytes || (wanted <= end - at && fill_disk(at + own->bytes, wanted - own->bytes)))
                own->bytes = wanted;
        size_t now = own->bytes;
        note_taken(now, had);
        pthread_mutex_unlock(&lock);
        return now;
}

bool ps_space_free(const void *block)
{
        size_t at = (size_t)((const char *)block - space);
        pthread_mutex_lock(&lock);
        size_t row = find_taken(at);
        assert(row < n_taken && taken[row].at == at);
        size_t had = taken[row].bytes;
        give_back(at, had);
        memmove(taken + row, taken + row + 1, (--n_taken - row) * sizeof(*taken));
        note_taken(0, had);
        bool is_empty = n_taken == 0;
        pthread_mutex_unlock(&lock);
        return is_empty;
}

/* -- what the system reads or writes: it may be a block, of which only parts are mapped -- */

enum { ROOM = 16 << 10 };

/* What was read goes where it belongs. */
static ssize_t put(void *to, const char *from, ssize_t n)
{
        if (n > 0)
                memcpy(to, from, (size_t)n);
        return n;
}

ssize_t ps_blocks_read(int fd, void *to, size_t n)
{
        char room[ROOM];
        if (!ps_space_holds_part(to))
                return read(fd, to, n);
        return put(to, room, read(fd, room, n < ROOM ? n : ROOM));
}

ssize_t ps_blocks_read_at(int fd, void *to, size_t n, off_t at)
{
        char room[ROOM];
        if (!ps_space_holds_part(to))
                return pread(fd, to, n, at);
        return put(to, room, pread(fd, room, n < ROOM ? n : ROOM, at));
}

ssize_t ps_blocks_write(int fd, const void *from, size_t n)
{
        char room[ROOM];
        if (!ps_space_holds_part(from))
                return write(fd, from, n);
        n = n < ROOM ? n : ROOM;
        memcpy(room, from, n);
        return write(fd, room, n);
}

const char *ps_blocks_path(char room[PATH_MAX], const char *path)
{
        if (!ps_space_holds_part(path))
                return path;
        size_t n = strnlen(path, PATH_MAX);
        memcpy(room, path, n < PATH_MAX ? n + 1 : n);
        return n < PATH_MAX ? room : "";
}
