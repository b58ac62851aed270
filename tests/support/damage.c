/* damage.c - breaking files on purpose. */
#define _XOPEN_SOURCE 700 /* nftw */
#include "tests/support/damage.h"
#include <ftw.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

uint64_t ps_files_limit(uint64_t n)
{
        struct rlimit limit;
        getrlimit(RLIMIT_NOFILE, &limit);
        uint64_t before = limit.rlim_cur;
        limit.rlim_cur = n;
        if (setrlimit(RLIMIT_NOFILE, &limit) != 0)
                ps_test_die("cannot limit how many files are open: limit=%" PRIu64, n);
        return before;
}

void ps_test_die(const char *format, ...)
{
        va_list args;
        va_start(args, format);
        fputs("test support: ", stderr);
        vfprintf(stderr, format, args);
        fputc('\n', stderr);
        va_end(args);
        abort();
}

char *ps_dir_new(void)
{
        const char *base = getenv("TMPDIR");
        if (!base || !*base)
                base = "/tmp";
        size_t size = strlen(base) + sizeof "/patscan-XXXXXX";
        char *path = malloc(size);
        if (!path)
                ps_test_die("out of memory");
        snprintf(path, size, "%s/patscan-XXXXXX", base);
        if (!mkdtemp(path))
                ps_test_die("cannot make folder: path=\"%s\"", path);
        return path;
}

static int remove_one(const char *path, const struct stat *status, int type, struct FTW *walk)
{
        (void)status, (void)type, (void)walk;
        return remove(path);
}

void ps_dir_remove(const char *path)
{
        if (nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS))
                ps_test_die("cannot remove folder: path=\"%s\"", path);
}

uint64_t ps_file_size(const char *path)
{
        struct stat status;
        if (stat(path, &status))
                ps_test_die("no such file: path=\"%s\"", path);
        return (uint64_t)status.st_size;
}

void ps_file_truncate(const char *path, uint64_t size)
{
        if (size > ps_file_size(path) || truncate(path, (off_t)size))
                ps_test_die("cannot truncate: path=\"%s\", size=%llu", path, (unsigned long long)size);
}

void ps_file_patch(const char *path, uint64_t offset, const void *bytes, size_t n)
{
        FILE *file = fopen(path, "r+b");
        if (!file || fseek(file, (long)offset, SEEK_SET) || fwrite(bytes, 1, n, file) != n || fclose(file))
                ps_test_die("cannot patch: path=\"%s\", offset=%llu", path, (unsigned long long)offset);
}

static unsigned char *read_all(const char *path, size_t size)
{
        unsigned char *data = malloc(size + 1);
        FILE *file = fopen(path, "rb");
        if (!data || !file || fread(data, 1, size, file) != size || fclose(file))
                ps_test_die("cannot read: path=\"%s\"", path);
        return data;
}

uint64_t ps_file_replace(const char *path, const void *old_bytes, const void *new_bytes, size_t n)
{
        size_t size = (size_t)ps_file_size(path), found = 0, count = 0;
        unsigned char *data = read_all(path, size);
        for (size_t i = 0; i + n <= size; i++)
                if (!memcmp(data + i, old_bytes, n))
                        found = i, count++;
        free(data);
        if (count != 1)
                ps_test_die("bytes stand %zu times in the file, not once: path=\"%s\"", count, path);
        ps_file_patch(path, found, new_bytes, n);
        return found;
}
