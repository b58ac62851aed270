/* store.c - files of caches: a head, the key, and the columns. */
#define _GNU_SOURCE /* O_TMPFILE */ // NOLINT(bugprone-reserved-identifier): the C library's own switch
#include "core/cache/store.h"
#include "core/cache/cache.h"
#include "core/cache/columns.h"

#include "core/base/blocks.h"
#include "core/base/hash.h"
#include "core/base/parallel.h"
#include "core/base/space.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PAGE = 4096, BLOCK = 4 << 20, LANES = 4, WORD = sizeof(uint64_t), LINK_ROOM = 32, NAME_ROOM = 48 };

static const char magic[16] = "patscan cache 1";

/* The key follows at once, the columns at the next page. */
typedef struct head {
        char magic[sizeof(magic)];
        uint64_t sum; /* of all behind the head */
        uint64_t n_key, n_columns;
} head;

/* A file in memory. */
typedef struct image {
        uint8_t *at;
        size_t bytes;
        bool is_copy; /* a block, not mapped */
} image;

static size_t columns_begin(size_t n_key)
{
        return (sizeof(head) + n_key + PAGE - 1) / PAGE * PAGE;
}

/* -- the sum: it finds what a disk lost, not what somebody forged -- */

typedef struct sums {
        const uint8_t *at;
        size_t bytes;
        uint64_t *of_block;
} sums;

static ps_status sum_block(void *ctx, uint32_t i, unsigned worker, ps_error *err)
{
        const sums *s = ctx;
        size_t from = (size_t)i * BLOCK, n = s->bytes - from < BLOCK ? s->bytes - from : BLOCK;
        uint64_t lane[LANES] = {1, 2, 3, 4}, word[LANES];
        size_t done = 0;
        (void)worker;
        (void)err;
        for (; n - done >= sizeof(word); done += sizeof(word)) {
                memcpy(word, s->at + from + done, sizeof(word));
                for (int k = 0; k < LANES; k++)
                        lane[k] = (lane[k] ^ word[k]) * UINT64_C(0x9e3779b97f4a7c15);
        }
        uint64_t sum = ps_hash_bytes(s->at + from + done, n - done);
        for (int k = 0; k < LANES; k++)
                sum = ps_hash_pair(sum, lane[k]);
        s->of_block[i] = sum;
        return PS_OK;
}

static ps_status sum_image(uint64_t *out, const image *file, unsigned n_threads, ps_error *err)
{
        size_t bytes = file->bytes - sizeof(head), n = bytes / BLOCK + 1;
        sums s = {file->at + sizeof(head), bytes, calloc(n, sizeof(uint64_t))};
        if (!s.of_block || n > UINT32_MAX) {
                free(s.of_block);
                return PS_NOMEM(err, "sums of a cache", n);
        }
        ps_status status = ps_parallel_for(n_threads, (uint32_t)n, sum_block, &s, err);
        *out = bytes;
        for (size_t i = 0; i < n; i++)
                *out = ps_hash_pair(*out, s.of_block[i]);
        free(s.of_block);
        return status;
}

/* -- reading -- */

/* Nobody else may have written it, or read what is in it. */
static ps_status check_owner(const struct stat *st, const char *path, ps_error *err)
{
        if (!S_ISREG(st->st_mode) || st->st_uid != geteuid() || st->st_mode & (S_IRWXG | S_IRWXO))
                return PS_FAIL(
                        err, PS_E_INPUT,
                        "the cache is not a file that only you can use: path=\"%s\", mode=%o, owner=%u", path,
                        (unsigned)st->st_mode & 07777, (unsigned)st->st_uid);
        return PS_OK;
}

static void unmap_file(const image *file)
{
        if (file->is_copy) {
                free(file->at);
                return;
        }
        ps_blocks_mapped(file->at, 0);
        munmap(file->at, file->bytes);
}

/* Where parts of blocks are mapped, each of which is counted, nothing else is: what of a file is touched
 * comes faster than anybody looks. */
static ps_status copy_file(image *out, int fd, const char *path, ps_error *err)
{
        void *at;
        ssize_t n;
        if (posix_memalign(&at, PAGE, out->bytes) != 0)
                return PS_NOMEM(err, "bytes of a cache", out->bytes);
        out->at = at;
        for (size_t done = 0; done < out->bytes; done += (size_t)n)
                if ((n = ps_blocks_read_at(fd, out->at + done, out->bytes - done, (off_t)done)) <= 0) {
                        free(at);
                        return PS_FAIL(err, PS_E_INPUT, "cannot read the cache: path=\"%s\", reason=\"%s\"",
                                       path, n ? strerror(errno) : "it ends early");
                }
        return PS_OK;
}

static ps_status map_file(image *out, int fd, const char *path, ps_error *err)
{
        struct stat st;
        if (fstat(fd, &st) != 0)
                return PS_FAIL(err, PS_E_INPUT, "cannot read the cache: path=\"%s\", reason=\"%s\"", path,
                               strerror(errno));
        PS_TRY(check_owner(&st, path, err));
        if ((uint64_t)st.st_size < sizeof(head) || (uint64_t)st.st_size > SIZE_MAX)
                return PS_FAIL(err, PS_E_INPUT, "the cache ends early: path=\"%s\", bytes=%jd", path,
                               (intmax_t)st.st_size);
        *out = (image){NULL, (size_t)st.st_size, ps_space_is_in_parts()};
        if (out->is_copy)
                return copy_file(out, fd, path, err);
        void *at = mmap(NULL, out->bytes, PROT_READ, MAP_PRIVATE, fd, 0);
        if (at == MAP_FAILED)
                return PS_FAIL(err, PS_E_NOMEM, "cannot map the cache: path=\"%s\", bytes=%jd, reason=\"%s\"",
                               path, (intmax_t)st.st_size, strerror(errno));
        out->at = at;
        ps_blocks_mapped(at, out->bytes);
        return PS_OK;
}

/* A key of another state of the trace is no defect: *is_same tells. */
static ps_status check_head(const image *file, const ps_cache_key *key, bool *is_same, unsigned n_threads,
                            ps_error *err)
{
        head h;
        uint64_t sum;
        memcpy(&h, file->at, sizeof(h));
        bool is_whole = memcmp(h.magic, magic, sizeof(magic)) == 0 && h.n_key <= file->bytes - sizeof(h) &&
                        columns_begin(h.n_key) <= file->bytes &&
                        h.n_columns == file->bytes - columns_begin(h.n_key);
        if (!is_whole)
                return PS_FAIL(err, PS_E_INPUT, "this is no cache: path=\"%s\", bytes=%zu", key->file,
                               file->bytes);
        *is_same = h.n_key == key->n && memcmp(file->at + sizeof(h), key->text, key->n) == 0;
        if (!*is_same)
                return PS_OK;
        PS_TRY(sum_image(&sum, file, n_threads, err));
        return sum == h.sum ? PS_OK
                            : PS_FAIL(err, PS_E_INPUT,
                                      "the cache has changed since it was written: path=\"%s\"", key->file);
}

/* The trace has the image from here on. */
static ps_status take_columns(ps_trace **out, const image *file, size_t begin, unsigned n_threads,
                              ps_error *err)
{
        ps_trace *trace;
        ps_status status = ps_trace_new(&trace, NULL, err);
        if (status != PS_OK) {
                unmap_file(file);
                return status;
        }
        trace->mapped = file->at;
        trace->mapped_bytes = file->is_copy ? 0 : file->bytes;
        status = ps_cache_columns_take(trace, file->at + begin, file->bytes - begin, n_threads, err);
        if (status == PS_OK)
                *out = trace;
        else
                ps_trace_close(trace);
        return status;
}

static ps_status use_file(ps_trace **out, int fd, const ps_cache_key *key, unsigned n_threads, ps_error *err)
{
        image file;
        bool is_same = false;
        PS_TRY(map_file(&file, fd, key->file, err));
        ps_status status = check_head(&file, key, &is_same, n_threads, err);
        if (status == PS_OK && is_same)
                return take_columns(out, &file, columns_begin(key->n), n_threads, err);
        unmap_file(&file);
        return status;
}

ps_status ps_cache_open(ps_trace **out, const ps_cache_key *key, unsigned n_threads, ps_error *err)
{
        *out = NULL;
        int fd = open(key->file, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
        if (fd < 0 && errno == ENOENT)
                return PS_OK;
        ps_status status =
                fd < 0 ? PS_FAIL(err, PS_E_INPUT, "cannot open the cache: path=\"%s\", reason=\"%s\"",
                                 key->file, strerror(errno))
                       : use_file(out, fd, key, n_threads, err);
        if (fd >= 0)
                close(fd);
        if (status == PS_E_INPUT)
                (void)unlink(key->file);
        return status;
}

/* -- writing -- */

static ps_status fail_write(const char *path, int reason, ps_error *err)
{
        return PS_FAIL(err, PS_E_OUTPUT, "cannot write the cache: path=\"%s\", reason=\"%s\"", path,
                       strerror(reason));
}

/* With the folders around it, which are ours alone. */
static ps_status make_folder(const char *folder, ps_error *err)
{
        char *path = strdup(folder);
        if (!path)
                return PS_NOMEM(err, "path of a cache", strlen(folder));
        for (char *at = strchr(path + 1, '/'); at; at = strchr(at + 1, '/')) {
                *at = '\0';
                (void)mkdir(path, S_IRWXU);
                *at = '/';
        }
        free(path);
        return mkdir(folder, S_IRWXU) == 0 || errno == EEXIST ? PS_OK : fail_write(folder, errno, err);
}

/* A full disk is told here, not by a signal later; and so is what this process may write at most. */
static int make_room(int fd, size_t bytes)
{
        struct rlimit most;
        if (getrlimit(RLIMIT_FSIZE, &most) == 0 && bytes > most.rlim_cur)
                return EFBIG;
        return posix_fallocate(fd, 0, (off_t)bytes);
}

static ps_status fill_file(int fd, const char *path, const ps_cache_key *key, ps_trace *trace,
                           unsigned n_threads, ps_error *err)
{
        head h = {.n_key = key->n};
        size_t begin = columns_begin(key->n);
        memcpy(h.magic, magic, sizeof(magic));
        PS_TRY(ps_cache_columns_measure(&h.n_columns, trace, err));
        image file = {NULL, begin + h.n_columns, false};
        int reason = make_room(fd, file.bytes);
        if (reason)
                return fail_write(path, reason, err);
        void *at = mmap(NULL, file.bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        if (at == MAP_FAILED)
                return fail_write(path, errno, err);
        file.at = at;
        ps_blocks_mapped(file.at, file.bytes);
        memcpy(file.at + sizeof(h), key->text, key->n);
        ps_status status = ps_cache_columns_put(file.at + begin, h.n_columns, trace, err);
        PS_THEN(status, sum_image(&h.sum, &file, n_threads, err));
        memcpy(file.at, &h, sizeof(h));
        unmap_file(&file);
        return status;
}

/* A file without a name, of which nothing stays if the command dies; -1: there is none in that folder. */
static int open_unnamed(char link[LINK_ROOM], const char *folder)
{
        int fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, S_IRUSR | S_IWUSR);
        snprintf(link, LINK_ROOM, "/proc/self/fd/%d", fd);
        if (fd < 0 || access(link, F_OK) == 0)
                return fd;
        close(fd); /* it could never be given a name */
        return -1;
}

/* `path`: room for the name that the file has for a moment. */
static ps_status write_file(char *path, size_t size, const ps_cache_key *key, ps_trace *trace,
                            unsigned n_threads, ps_error *err)
{
        char link[LINK_ROOM];
        int fd = open_unnamed(link, key->folder);
        bool is_named = fd < 0;
        if (is_named)
                snprintf(path, size, "%s.XXXXXX", key->file);
        else
                snprintf(path, size, "%s.%ld-%d", key->file, (long)getpid(), fd);
        if (is_named && (fd = mkostemp(path, O_CLOEXEC)) < 0) /* which gives it mode 0600 */
                return fail_write(path, errno, err);
        ps_status status = fill_file(fd, path, key, trace, n_threads, err);
        if (status == PS_OK && !is_named && linkat(AT_FDCWD, link, AT_FDCWD, path, AT_SYMLINK_FOLLOW) != 0)
                status = fail_write(path, errno, err);
        close(fd);
        if (status == PS_OK && rename(path, key->file) != 0)
                status = fail_write(key->file, errno, err);
        if (status != PS_OK)
                (void)unlink(path);
        return status;
}

ps_status ps_cache_keep(const ps_cache_key *key, ps_trace *trace, unsigned n_threads, ps_error *err)
{
        size_t size = strlen(key->file) + NAME_ROOM;
        PS_TRY(make_folder(key->folder, err));
        char *path = malloc(size);
        if (!path)
                return PS_NOMEM(err, "path of a cache", size);
        ps_status status = write_file(path, size, key, trace, n_threads, err);
        free(path);
        return status;
}

ps_status ps_cache_clear(const char *folder, unsigned *n, ps_error *err)
{
        char *path = ps_cache_folder(folder);
        DIR *dir = path ? opendir(path) : NULL;
        ps_status status = PS_OK;
        *n = 0;
        if (path && !dir && errno != ENOENT)
                status = PS_FAIL(err, PS_E_OUTPUT, "cannot list the caches: folder=\"%s\", reason=\"%s\"",
                                 path, strerror(errno));
        for (struct dirent *e; dir && (e = readdir(dir));) {
                if (!strstr(e->d_name, PS_CACHE_SUFFIX))
                        continue;
                if (unlinkat(dirfd(dir), e->d_name, 0) == 0)
                        ++*n;
                else
                        status = PS_FAIL(err, PS_E_OUTPUT,
                                         "cannot remove a cache: folder=\"%s\", file=\"%s\", reason=\"%s\"",
                                         path, e->d_name, strerror(errno));
        }
        if (dir)
                closedir(dir);
        free(path);
        return status;
}
