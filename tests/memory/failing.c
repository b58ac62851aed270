/* failing.c - preloaded into a program: its n-th allocation fails.
 *
 * PS_FAIL_AT is that n. PS_FAIL_PLACES names a file that gets the n of each allocation that is asked for
 * through a chain of calls that none before it came through: whoever lets these fail has tried each place in
 * the program that allocates, however often it does. */
#define _GNU_SOURCE
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { FRAMES = 14, KNOWN = 1 << 16 };

/* glibc's own, which the functions below stand in front of */
void *__libc_malloc(size_t n);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *p, size_t n);
void *__libc_memalign(size_t alignment, size_t n);
void failing_here(void);

static long fails_at;
static int places = -1;
static long counted;
static uint64_t known[KNOWN]; /* hashes of chains, by open addressing; 0: free */
static size_t n_known;
static __thread bool is_inside; /* of backtrace(), which may allocate, too */

__attribute__((noinline)) void failing_here(void) /* where a debugger stops */
{
        __asm__ volatile("");
}

__attribute__((constructor)) static void ask_environment(void)
{
        const char *at = getenv("PS_FAIL_AT");
        const char *path = getenv("PS_FAIL_PLACES");
        fails_at = at ? atol(at) : 0;
        places = path ? open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600) : -1;
        unsetenv("LD_PRELOAD"); /* programs that this one starts are not meant */
        counted = 0;
}

static void tell(long n)
{
        char line[24];
        int length = snprintf(line, sizeof line, "%ld\n", n);
        if (write(places, line, (size_t)length) != length)
                abort();
}

/* the last line is how many there were */
__attribute__((destructor)) static void tell_total(void)
{
        if (places >= 0)
                tell(counted);
}

static bool is_new(uint64_t chain)
{
        size_t at = chain % KNOWN;
        while (known[at] && known[at] != chain)
                at = (at + 1) % KNOWN;
        if (known[at] || n_known == KNOWN / 2)
                return false;
        known[at] = chain;
        n_known++;
        return true;
}

static void tell_new_place(long n)
{
        void *frames[FRAMES];
        uint64_t chain = 1469598103934665603u;
        is_inside = true;
        int depth = backtrace(frames, FRAMES);
        for (int i = 0; i < depth; i++)
                chain = (chain ^ (uintptr_t)frames[i]) * 1099511628211u;
        if (is_new(chain | 1))
                tell(n);
        is_inside = false;
}

static bool is_out(void)
{
        if (is_inside)
                return false;
        long n = __atomic_add_fetch(&counted, 1, __ATOMIC_RELAXED);
        if (places >= 0)
                tell_new_place(n);
        if (n != fails_at)
                return false;
        failing_here();
        errno = ENOMEM;
        return true;
}

void *malloc(size_t n)
{
        return is_out() ? NULL : __libc_malloc(n);
}

void *calloc(size_t count, size_t size)
{
        return is_out() ? NULL : __libc_calloc(count, size);
}

void *realloc(void *p, size_t n)
{
        return is_out() ? NULL : __libc_realloc(p, n);
}

void *aligned_alloc(size_t alignment, size_t n)
{
        return is_out() ? NULL : __libc_memalign(alignment, n);
}

int posix_memalign(void **out, size_t alignment, size_t n)
{
        return is_out() || !(*out = __libc_memalign(alignment, n)) ? ENOMEM : 0;
}

/* The OTF2 library asks for it, and glibc's own does not survive a lack of memory. */
long gethostid(void)
{
        return 0;
}
