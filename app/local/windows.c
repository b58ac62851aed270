/* windows.c - see windows.h. How many windows there are is decided once, and all are mapped from the start,
 * so that whoever brings another one never needs an address more than there are: one that goes is closed
 * where it is, moved, and opened there. */
#define _GNU_SOURCE // NOLINT(bugprone-reserved-identifier): to move what is mapped
#include "app/local/windows.h"
#include "core/base/limit.h"
#include "core/base/space.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { WINDOW = 16 << 10, PAGE = 4096, LEAST = 64, MOST = 24576, ALIGNMENT = 2 << 20, EXIT_INTERNAL = 5 };

static struct {
        pthread_mutex_t lock;
        int file;
        char *at;
        size_t bytes;
        uint32_t n, next;      /* that are mapped; the one that goes next */
        uint32_t mapped[MOST]; /* their numbers */
} windows = {.lock = PTHREAD_MUTEX_INITIALIZER};

static char *place_of(uint32_t window)
{
        return windows.at + (size_t)window * WINDOW;
}

static bool is_mapped(uint32_t window)
{
        unsigned char pages[WINDOW / PAGE];
        return mincore(place_of(window), WINDOW, pages) == 0;
}

/* Nobody may see what was in the one that goes at the place of the one that comes. */
static bool bring(uint32_t window)
{
        uint32_t *slot = &windows.mapped[windows.next++ % windows.n];
        char *from = place_of(*slot), *to = place_of(window);
        if (mmap(from, WINDOW, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0) !=
                    from ||
            mremap(from, WINDOW, WINDOW, MREMAP_MAYMOVE | MREMAP_FIXED, to) != to ||
            mmap(to, WINDOW, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE | MAP_FIXED, windows.file,
                 (off_t)window * WINDOW) != to)
                return false;
        *slot = window;
        return true;
}

static void end(void)
{
        static const char text[] = "patscan: error: the system does not map what does not fit into memory\n";
        ssize_t n = write(STDERR_FILENO, text, sizeof(text) - 1);
        (void)n;
        _exit(EXIT_INTERNAL);
}

/* Whoever holds the lock touches no window. */
static void open_window(int number, siginfo_t *info, void *context)
{
        int kept = errno;
        size_t at = (size_t)((char *)info->si_addr - windows.at);
        (void)context;
        if ((info->si_code != SEGV_MAPERR && info->si_code != SEGV_ACCERR) || at >= ps_space_bytes()) {
                signal(number, SIG_DFL); /* it comes again */
                return;
        }
        pthread_mutex_lock(&windows.lock);
        uint32_t window = (uint32_t)(at / WINDOW);
        if (!is_mapped(window) && !bring(window))
                end();
        pthread_mutex_unlock(&windows.lock);
        errno = kept;
}

/* Half of what is left, and less where that cannot be had. */
static bool map_first(int file, char *at)
{
        uint64_t most, taken = ps_limit_addresses_taken();
        if (!ps_limit_of_addresses(&most))
                most = (uint64_t)MOST * WINDOW * 2 + taken;
        uint64_t n = most > taken ? (most - taken) / 2 / WINDOW : 0;
        for (n = n < MOST ? n : MOST; n >= LEAST; n /= 2)
                if (mmap(at, n * WINDOW, PROT_READ | PROT_WRITE,
                         MAP_SHARED | MAP_NORESERVE | MAP_FIXED_NOREPLACE, file, 0) == at) {
                        windows.n = (uint32_t)n;
                        for (uint32_t i = 0; i < windows.n; i++)
                                windows.mapped[i] = i;
                        return true;
                }
        return false;
}

static void *map_windows(int file, size_t bytes)
{
        struct sigaction how = {.sa_sigaction = open_window, .sa_flags = SA_SIGINFO};
        uintptr_t gap = (uintptr_t)ps_limit_gap(bytes + ALIGNMENT);
        char *at =
                (char *)((gap + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT); // NOLINT(performance-no-int-to-ptr)
        if (!gap || sysconf(_SC_PAGESIZE) > PAGE || !map_first(file, at))
                return MAP_FAILED;
        windows.file = file;
        windows.bytes = bytes;
        windows.at = at;
        sigaction(SIGSEGV, &how, NULL);
        return at;
}

static bool close_half(void)
{
        pthread_mutex_lock(&windows.lock);
        bool are_closed = windows.n / 2 >= LEAST;
        uint32_t left = are_closed ? windows.n / 2 : windows.n;
        for (uint32_t i = left; i < windows.n; i++)
                munmap(place_of(windows.mapped[i]), WINDOW);
        windows.n = left;
        pthread_mutex_unlock(&windows.lock);
        return are_closed;
}

void ps_windows_use(void)
{
        static const ps_space_parts parts = {map_windows, close_half};
        ps_space_in_parts(&parts);
}

void ps_windows_leave(void)
{
        ps_space_in_parts(NULL);
}
