/* limit.c - what the system tells of memory, in the files that it has for it. */
#include "core/base/limit.h"

#include "core/base/number.h"

#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum { LINE = 256, PAGE = 4096 };

static uint64_t smaller(uint64_t a, uint64_t b)
{
        return a < b ? a : b;
}

/* The number behind `name` in the file, which is the first one where `name` is ""; UINT64_MAX if there is
 * none, as in "max". */
static uint64_t number_in(const char *path, const char *name)
{
        char line[LINE];
        uint64_t n = UINT64_MAX;
        FILE *file = fopen(path, "re");
        while (file && n == UINT64_MAX && fgets(line, sizeof(line), file)) {
                const char *at = line + strlen(name);
                if (strncmp(line, name, strlen(name)) != 0)
                        continue;
                at += strspn(at, " \t");
                if (!ps_number_whole(&at, UINT64_MAX, &n))
                        n = UINT64_MAX;
        }
        if (file)
                fclose(file);
        return n;
}

/* The least limit of the group at `path` below `root` and of those around it. */
static uint64_t least_of_groups(const char *root, char *path, const char *name)
{
        uint64_t least = UINT64_MAX;
        for (char *end;; *end = '\0') {
                char file[PATH_MAX];
                int n = snprintf(file, sizeof(file), "%s%s/%s", root, path, name);
                if (n > 0 && (size_t)n < sizeof(file))
                        least = smaller(least, number_in(file, ""));
                if (!(end = strrchr(path, '/')))
                        return least;
        }
}

/* Of version 2 ("0::/path") and of version 1 ("4:memory:/path"). */
static uint64_t limit_of_group(void)
{
        char line[PATH_MAX];
        uint64_t least = UINT64_MAX;
        FILE *file = fopen("/proc/self/cgroup", "re");
        while (file && fgets(line, sizeof(line), file)) {
                char *names = strchr(line, ':'), *path = names ? strchr(names + 1, ':') : NULL;
                if (!path)
                        continue;
                path[strcspn(path, "\n")] = '\0';
                *path++ = '\0';
                if (!names[1])
                        least = smaller(least, least_of_groups("/sys/fs/cgroup", path, "memory.max"));
                else if (strstr(names, "memory"))
                        least = smaller(least, least_of_groups("/sys/fs/cgroup/memory", path,
                                                               "memory.limit_in_bytes"));
        }
        if (file)
                fclose(file);
        return least;
}

static uint64_t limit_of(int resource)
{
        struct rlimit limit;
        return getrlimit(resource, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY ? limit.rlim_cur
                                                                                   : UINT64_MAX;
}

uint64_t ps_limit_given(void)
{
        uint64_t kib = number_in("/proc/meminfo", "MemAvailable:");
        uint64_t free_bytes = kib < UINT64_MAX / 1024 ? kib * 1024 : UINT64_MAX;
        return smaller(free_bytes, smaller(limit_of_group(), limit_of(RLIMIT_DATA)));
}

bool ps_limit_of_data(uint64_t *bytes)
{
        return (*bytes = limit_of(RLIMIT_DATA)) != UINT64_MAX;
}

bool ps_limit_of_addresses(uint64_t *bytes)
{
        return (*bytes = limit_of(RLIMIT_AS)) != UINT64_MAX;
}

void *ps_limit_gap(uint64_t bytes)
{
        uintptr_t begin, end, behind = PAGE, gap_begin = 0, gap = 0;
        FILE *maps = fopen("/proc/self/maps", "re");
        while (maps && fscanf(maps, "%" SCNxPTR "-%" SCNxPTR "%*[^\n]", &begin, &end) == 2 &&
               begin < (uintptr_t)&maps) {
                if (begin > behind && begin - behind > gap) {
                        gap = begin - behind;
                        gap_begin = behind;
                }
                behind = end;
        }
        if (maps)
                fclose(maps);
        uintptr_t at = (gap_begin + gap / 2) / PAGE * PAGE;
        return gap / 4 > bytes ? (void *)at : NULL; // NOLINT(performance-no-int-to-ptr): of no object yet
}

/* The file stays open: this is asked often. */
static bool read_statm(char text[LINE])
{
        static atomic_int kept = -1;
        int fd = kept, none = -1;
        if (fd < 0 && (fd = open("/proc/self/statm", O_RDONLY | O_CLOEXEC)) >= 0 &&
            !atomic_compare_exchange_strong(&kept, &none, fd)) {
                close(fd); /* another thread was faster */
                fd = none;
        }
        ssize_t n = fd < 0 ? -1 : pread(fd, text, LINE - 1, 0);
        text[n > 0 ? n : 0] = '\0';
        return n > 0;
}

/* The number behind so many others. */
static uint64_t pages_in_bytes(unsigned behind)
{
        char text[LINE];
        uint64_t pages = 0;
        const char *at = text;
        if (!read_statm(text))
                return 0;
        for (; behind; behind--)
                at += strcspn(at, " ") + 1;
        return ps_number_whole(&at, UINT64_MAX, &pages) ? pages * (uint64_t)sysconf(_SC_PAGESIZE) : 0;
}

uint64_t ps_limit_addresses_taken(void)
{
        return pages_in_bytes(0);
}

uint64_t ps_limit_resident(void)
{
        return pages_in_bytes(1);
}
