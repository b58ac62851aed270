/* windows.c - see windows.h. How many windows there are is decided once. Where addresses are limited, all are
 * mapped from the start, so that nobody else takes theirs; where memory is, only what somebody touches. They
 * come and go in runs, which lie one behind the other: whoever goes on where a run ended gets one that is
 * twice as long, so that what is read in order comes with few signals, and what is looked up here and there
 * takes no more than it needs. */
#define _GNU_SOURCE // NOLINT(bugprone-reserved-identifier): to replace nothing by what is mapped
#include "app/local/windows.h"
#include "core/base/blocks.h"
#include "core/base/limit.h"
#include "core/base/space.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

enum {
        WINDOW = 16 << 10,
        PAGE = 4096,
        LEAST = 64,
        MOST = 24576,
        LONGEST = 16, /* run */
        STREAMS = 64, /* of the longest runs that there have to be windows for */
        END_BITS = 9,
        ALIGNMENT = 2 << 20,
        EXIT_INTERNAL = 5
};

typedef struct run {
        uint32_t first, n; /* windows */
} run;

static struct {
        pthread_mutex_t lock;
        int file;
        char *at;
        size_t bytes;
        uint32_t most, mapped;      /* windows; some of them twice, if runs overlap */
        uint32_t first_run, n_runs; /* that are mapped, in the order in which they came */
        run run[MOST];              /* in turn */
        run ended[1 << END_BITS];   /* by the window behind it: of late */
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

/* Streams are often as far from each other as a power of two. */
static run *ended_at(uint32_t window)
{
        return &windows.ended[window * UINT32_C(0x9E3779B1) >> (32 - END_BITS)];
}

static void add_run(run added)
{
        windows.run[(windows.first_run + windows.n_runs++) % MOST] = added;
        windows.mapped += added.n;
        *ended_at(added.first + added.n) = added;
}

static void close_first(void)
{
        const run *first = &windows.run[windows.first_run];
        munmap(place_of(first->first), (size_t)first->n * WINDOW);
        windows.mapped -= first->n;
        windows.first_run = (windows.first_run + 1) % MOST;
        windows.n_runs--;
}

static uint32_t smaller(uint32_t a, uint32_t b)
{
        return a < b ? a : b;
}

/* Where a run goes on, twice as much of it, as far as the file goes. */
static run run_at(uint32_t window)
{
        const run *before = ended_at(window);
        uint32_t n = before->n && before->first + before->n == window ? 2 * before->n : 1;
        n = smaller(n, smaller(LONGEST, windows.most / STREAMS));
        return (run){window, smaller(n, (uint32_t)(windows.bytes / WINDOW - window))};
}

/* Whoever takes the addresses of those that go meanwhile, keeps them. */
static bool bring(run wanted)
{
        char *to = place_of(wanted.first);
        size_t bytes = (size_t)wanted.n * WINDOW;
        while (windows.mapped + wanted.n > windows.most)
                close_first();
        while (mmap(to, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE | MAP_FIXED, windows.file,
                    (off_t)wanted.first * WINDOW) != to) {
                if (!windows.n_runs)
                        return false;
                close_first();
        }
        ps_space_comes_alone(to, bytes);
        add_run(wanted);
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
        uint32_t window = (uint32_t)(at / WINDOW);
        ps_blocks_come((size_t)LONGEST * WINDOW);
        pthread_mutex_lock(&windows.lock);
        if (!is_mapped(window) && !bring(run_at(window)))
                end();
        pthread_mutex_unlock(&windows.lock);
        errno = kept;
}

/* Half of what is left, and less where that cannot be had. */
static bool map_first(int file, char *at, uint64_t most_addresses)
{
        uint64_t taken = ps_limit_addresses_taken();
        uint64_t n = most_addresses > taken ? (most_addresses - taken) / 2 / WINDOW : 0;
        for (n = n < MOST ? n : MOST; n >= LEAST; n /= 2)
                if (mmap(at, n * WINDOW, PROT_READ | PROT_WRITE,
                         MAP_SHARED | MAP_NORESERVE | MAP_FIXED_NOREPLACE, file, 0) == at) {
                        windows.most = (uint32_t)n;
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
        uint64_t most_addresses;
        bool are_limited = ps_limit_of_addresses(&most_addresses);
        if (!gap || sysconf(_SC_PAGESIZE) > PAGE ||
            !map_first(file, at, are_limited ? most_addresses : UINT64_MAX))
                return MAP_FAILED;
        windows.file = file;
        windows.bytes = bytes;
        windows.at = at;
        for (uint32_t i = 0; i < windows.most; i += LONGEST)
                add_run((run){i, smaller(LONGEST, windows.most - i)});
        while (!are_limited && windows.n_runs)
                close_first();
        sigaction(SIGSEGV, &how, NULL);
        return at;
}

static bool close_one(void)
{
        pthread_mutex_lock(&windows.lock);
        bool is_there = windows.n_runs != 0;
        if (is_there)
                close_first();
        pthread_mutex_unlock(&windows.lock);
        return is_there;
}

static bool close_half(void)
{
        pthread_mutex_lock(&windows.lock);
        bool are_closed = windows.most / 2 >= LEAST;
        if (are_closed)
                windows.most /= 2;
        while (windows.mapped > windows.most)
                close_first();
        pthread_mutex_unlock(&windows.lock);
        return are_closed;
}

bool ps_windows_suffice(uint64_t bytes)
{
        return bytes <= (uint64_t)MOST * WINDOW;
}

enum { STACK = 512 << 10 }; /* is deeper than any call of what windows are for */

__attribute__((noinline)) static void touch_stack(void)
{
        volatile char page[STACK / PAGE][PAGE];
        for (size_t i = STACK / PAGE; i > 0; i--)
                page[i - 1][0] = 0;
        (void)page;
}

/* The first thread's stack gets addresses as it grows: if nobody has left any, the program ends at a touch.
 */
static void take_stack(void)
{
        uint64_t addresses;
        struct rlimit most;
        if (ps_limit_of_addresses(&addresses) && getrlimit(RLIMIT_STACK, &most) == 0 &&
            most.rlim_cur >= 2 * (rlim_t)STACK)
                touch_stack();
}

void ps_windows_use(void)
{
        static const ps_space_parts parts = {map_windows, close_half, close_one};
        take_stack();
        ps_space_in_parts(&parts);
}

void ps_windows_leave(void)
{
        ps_space_in_parts(NULL);
}
