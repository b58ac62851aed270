/* limited.c - see limited.h. */
#define _GNU_SOURCE // NOLINT(bugprone-reserved-identifier): memory without a file
#include "app/cli/limited.h"
#include "app/cli/program.h"
#include "app/local/local.h"
#include "app/local/windows.h"
#include "core/base/file.h"
#include "core/base/limit.h"
#include "core/base/parallel.h"
#include "core/load/share.h"
#include "library/run/quantity.h"
#include "library/run/works.h"
#include "reader/reader.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST = 64 };

/* With causes or a profile, where less than this is left at the start, some of many lack addresses for their
 * stacks. */
static const uint64_t APART_BYTES = 64 << 20;
/* What a process takes beside its part of the trace: the program and what all know; and a thread, with a heap
 * of its own if it gets one. */
static const uint64_t BESIDE_BYTES = 24 << 20, STACK_BYTES = 8 << 20, HEAP_BYTES = 128 << 20;
/* What the deepest of our calls take of a stack is less than a third of that. */
enum { LEAST_STACK = 1 << 20 };
/* Of memory, what a thread is to have at least. */
static const uint64_t THREAD_BYTES = 32 << 20;

/* What the process that watches and process 0 of each try know of each other; NULL: there are no tries. */
static struct tries {
        uint32_t size, most; /* of this try; more are no use */
        bool is_again;       /* it is to be followed by another one */
        bool alone_failed;   /* in one process */
        bool rows_travelled; /* process 0 had to have all rows: others are no use */
        uint32_t n_said;     /* messages, by all tries so far */
} * tries;
static uint32_t n_said; /* by this one */
static bool is_writing;
static ps_exchange exchange;

/* -- how many -- */

/* What the files of the locations hold; *n of them. OTF2 is the format that has them. */
static uint64_t size_of(const char *folder, uint32_t *n)
{
        uint64_t bytes = 0;
        struct stat info;
        DIR *dir = ps_folder_open(folder);
        *n = 0;
        for (struct dirent *e; dir && (e = readdir(dir));) {
                const char *ending = strrchr(e->d_name, '.');
                if (ending && strcmp(ending, ".evt") == 0 && fstatat(dirfd(dir), e->d_name, &info, 0) == 0) {
                        bytes += (uint64_t)info.st_size;
                        ++*n;
                }
        }
        if (dir)
                closedir(dir);
        return bytes;
}

/* Of a trace that several processes can read; 0: of another one. */
static uint64_t size_of_trace(const char *path, uint32_t *n)
{
        const ps_reader_class *format;
        char *part[PS_TRACE_PARTS];
        uint64_t bytes = 0;
        ps_error err = {0};
        if (ps_reader_find(&format, path, &err) != PS_OK || !format->lies_apart)
                return 0;
        unsigned n_parts = format->parts(part, path);
        for (unsigned i = 0; i < n_parts; i++) {
                uint32_t files;
                uint64_t size = size_of(part[i], &files);
                if (size > bytes) {
                        bytes = size;
                        *n = files;
                }
                free(part[i]);
        }
        return bytes;
}

/* Operations take about as much as their events do in files, causes as much again; with what goes from one
 * process to another, which grows with their number, a half more. */
static uint32_t first_size(uint64_t trace_bytes, bool is_lean, uint64_t addresses, uint32_t most)
{
        uint64_t room = addresses > 2 * BESIDE_BYTES ? addresses - BESIDE_BYTES : BESIDE_BYTES;
        uint64_t n = (trace_bytes + trace_bytes / 2) * (is_lean ? 1 : 2) / room + 1;
        return n < most ? (uint32_t)n : most;
}

/* No more than there are locations, or than the machine has memory for if each takes all that it may. */
static uint32_t most_of(uint32_t n_files, bool is_lean, uint64_t addresses)
{
        uint64_t n = ps_limit_given() / (addresses + 1), of_use = n_files + (is_lean ? 0 : 1);
        if (!is_lean && addresses < ps_limit_addresses_taken() + APART_BYTES)
                return 1;
        n = n < of_use ? n : of_use;
        return n < MOST ? (uint32_t)n : MOST;
}

/* 0: there is nothing left to try. */
static uint32_t next_size(const struct tries *t)
{
        if (t->rows_travelled || t->size == t->most)
                return t->alone_failed ? 0 : 1;
        return 2 * t->size < t->most ? 2 * t->size : t->most;
}

/* -- tries -- */

static void serve(ps_exchange *x)
{
        ps_windows_leave();
        ps_share_serve(x, ps_reader_named, ps_all_works);
}

/* What ends process 0 from outside was meant for the program. */
static int exit_code(const ps_local_end *end)
{
        static const int meant[] = {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGQUIT};
        char text[160];
        if (!end->signal && !end->process)
                return end->code;
        for (size_t i = 0; i < sizeof(meant) / sizeof(*meant) && !end->process; i++)
                if (end->signal == meant[i])
                        raise(end->signal);
        snprintf(
                text, sizeof(text),
                "one of %u processes that work on the trace was killed: process=%u, signal=%d, reason=\"%s\"",
                tries->size, end->process, end->signal,
                end->signal == SIGKILL ? "the machine may lack memory" : strsignal(end->signal));
        ps_program_complain(text);
        return PS_EXIT_INTERNAL;
}

/* Process 0 comes back, or this one if there can be no others. */
static void try_all(bool tells)
{
        ps_local_role role;
        ps_local_end end;
        do {
                if (tells && tries->size > 1)
                        fprintf(stderr, "patscan: addresses are limited: processes=%u\n", tries->size);
                tries->is_again = false;
                role = ps_local_start(tries->size, serve, &exchange, &end);
        } while (role == PS_LOCAL_WATCHER && tries->is_again && (tries->size = next_size(tries)));
        if (role == PS_LOCAL_WATCHER)
                exit(exit_code(&end));
        if (role == PS_LOCAL_NONE) {
                munmap(tries, sizeof(*tries));
                tries = NULL;
        }
}

/* One, and more if those take no more than a sixteenth of all addresses. */
static unsigned most_beside(uint64_t addresses, uint64_t each)
{
        uint64_t n = addresses / 16 / each + 1;
        return n < INT_MAX ? (unsigned)n : INT_MAX;
}

static void bound_heaps(uint64_t addresses)
{
#ifdef __GLIBC__
        mallopt(M_ARENA_MAX, (int)most_beside(addresses, HEAP_BYTES));
#else
        (void)addresses;
#endif
}

/* Stacks take of both limits. */
static unsigned threads_of(unsigned asked, unsigned n_processes, uint64_t addresses)
{
        uint64_t data;
        ps_limit_of_data(&data);
        unsigned n = ps_parallel_threads(asked) / n_processes,
                 most = most_beside(data < addresses ? data : addresses, STACK_BYTES);
        n = n < most ? n : most;
        return n ? n : 1;
}

/* Each thread looks up at random in what it has open: little memory is enough for few. What is wrong with the
 * limit is said later. */
static void bound_memory(ps_options *options)
{
        uint64_t bytes;
        ps_error err;
        if (!options->load.memory || ps_size_parse(&bytes, options->load.memory, "--memory", &err) != PS_OK ||
            !ps_windows_suffice(bytes))
                return;
        unsigned n = ps_parallel_threads(options->load.threads), most = (unsigned)(bytes / THREAD_BYTES);
        options->load.threads = n < most ? n : most ? most : 1;
        ps_windows_use();
}

/* The limit is asked whenever the first stack grows, but that of threads when the program starts. */
bool ps_limited_has_stack(void)
{
        struct rlimit limit;
        pthread_attr_t how;
        if (getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur >= LEAST_STACK)
                return true;
        limit.rlim_cur = LEAST_STACK;
        if (limit.rlim_max < LEAST_STACK || setrlimit(RLIMIT_STACK, &limit) != 0 ||
            pthread_attr_init(&how) != 0)
                return false;
        const bool is_set =
                pthread_attr_setstacksize(&how, LEAST_STACK) == 0 && pthread_setattr_default_np(&how) == 0;
        pthread_attr_destroy(&how);
        return is_set;
}

void ps_limited_begin(ps_options *options)
{
        uint64_t addresses, data;
        if (options->load.exchange)
                return;
        bound_memory(options);
        bool are_few = ps_limit_of_addresses(&addresses);
        if (are_few || ps_limit_of_data(&data))
                options->load.threads = threads_of(options->load.threads, 1, addresses);
        if (!are_few)
                return;
        bound_heaps(addresses);
        ps_windows_use();
}

/* A process shares the processors with the others; whatever the number of its threads, it tells the same. */
static void share_threads(ps_asked_calls *asked, ps_exchange *x, uint64_t addresses)
{
        asked->open.threads = x->n_threads = x->asked_threads =
                threads_of(asked->open.threads, x->size, addresses);
}

/* Not where rows are borrowed when a report has begun, after which there is no other try. */
static bool may_be_shared(const ps_asked_calls *asked, uint64_t *addresses)
{
        const ps_opening *how = &asked->opening;
        return !how->exchange && how->rows_stay_from != UINT64_MAX && !how->are_borrowed &&
               !asked->open.memory && !asked->open.cache && ps_limit_of_addresses(addresses);
}

/* A profile is made when the report is begun, after which there is no other try. */
static bool is_lean(const ps_asked_calls *asked)
{
        const patscan_info_options *how = &asked->info;
        return asked->open.lean && !how->profile && !how->bins && !how->network;
}

void ps_limited_open(ps_asked_calls *asked, const char *path)
{
        uint64_t addresses;
        uint32_t n_files = 0;
        if (!may_be_shared(asked, &addresses))
                return;
        uint64_t bytes = size_of_trace(path, &n_files);
        uint32_t most = most_of(n_files, is_lean(asked), addresses);
        void *at = most < 2 ? MAP_FAILED
                            : mmap(NULL, sizeof(*tries), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
                                   -1, 0);
        if (at == MAP_FAILED)
                return;
        tries = at;
        tries->most = most;
        tries->size = first_size(bytes, is_lean(asked), addresses, most);
        fflush(NULL);
        try_all(asked->terminal->verbose);
        if (!tries)
                return;
        share_threads(asked, &exchange, addresses);
        exchange.leads_only = exchange.size > 2 && !asked->open.lean; /* it borrows the waits of all */
        if (exchange.size == 1)
                return;
        ps_windows_leave();
        asked->opening.exchange = &exchange;
}

void ps_limited_report(void)
{
        is_writing = true;
}

void ps_limited_fail(void)
{
        if (!tries || is_writing)
                return;
        tries->alone_failed |= tries->size == 1;
        tries->rows_travelled |= exchange.told.rows_travelled != NULL;
        tries->is_again = next_size(tries) != 0;
        if (!tries->is_again)
                return;
        ps_progress_hide();
        _exit(PS_EXIT_INTERNAL);
}

bool ps_limited_was_said(void)
{
        if (!tries)
                return false;
        if (n_said++ < tries->n_said)
                return true;
        tries->n_said++;
        return false;
}
