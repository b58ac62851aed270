/* blocks.c - see blocks.h. The file is as large as addresses can be had for, but sparse: a block is allocated
 * on the disk before it is used, so that a full disk is a failed allocation and never a signal, and its place
 * on the disk is given back with the block. */
#define _GNU_SOURCE // NOLINT(bugprone-reserved-identifier): the C library's own switch
#undef malloc
#undef calloc
#undef realloc
#undef reallocarray
#undef posix_memalign
#undef free
#include "core/base/blocks.h"

#include "core/base/limit.h"
#include "core/base/space.h"

#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum {
        LARGE = 64 << 10,
        PAGE = 4096,
        STEP = 4 << 20,
        COPY = 64 << 10,
        MAPPED_MOST = 16,
        WATCH_NS = 2000000,
        LEAST_WATCH_NS = 200000,
        LEAST_PAUSE_NS = 20000,
        LEAST_ROOM = 4 << 20,
        WATCH_STACK = 256 << 10, /* a whole one may be most of `ulimit -d` */
        FORGETS = 4096
};

void *ps_block_malloc(size_t bytes);
void *ps_block_calloc(size_t count, size_t size);
void *ps_block_realloc(void *block, size_t bytes);
void *ps_block_reallocarray(void *block, size_t count, size_t size);
int ps_block_memalign(void **out, size_t alignment, size_t bytes);
void ps_block_free(void *block);

static _Atomic uint64_t limit; /* 0: nobody has looked yet */
static _Atomic bool is_asked;  /* by a user, who wants nothing above it */

/* Bytes of large blocks of the C library: those of strdup() and its like are not seen when they are made,
 * only when they are freed, so that there may seem to be less than nothing. */
static _Atomic int64_t in_memory;

/* Resident bytes at the last look, and the most that they grew by from one to the next, of late. */
static _Atomic uint64_t left_there, touched_most = 16 << 20;

static pthread_mutex_t sweeping = PTHREAD_MUTEX_INITIALIZER;
static struct {
        pthread_mutex_t lock;
        pthread_t thread;
        bool runs;
        atomic_bool is_over;
} guard = {.lock = PTHREAD_MUTEX_INITIALIZER};

static struct {
        char *at;
        size_t bytes;
} mapped[MAPPED_MOST];
static atomic_uint n_mapped;
atomic_bool ps_blocks_are_filed;

void ps_blocks_limit(uint64_t bytes)
{
        is_asked = true;
        limit = bytes;
}

void ps_blocks_divide(unsigned n)
{
        limit = ps_limit_given() / n;
}

static _Atomic uint64_t least_limit;
void ps_blocks_need(uint64_t least)
{
        if (least > least_limit)
                least_limit = least;
}

ps_blocks_told ps_blocks_tell(void)
{
        ps_blocks_told told = {.limit = is_asked ? limit : 0, .least = least_limit};
        told.in_file = ps_space_most(&told.folder);
        return told;
}

static uint64_t limit_now(void)
{
        uint64_t now = limit, none = 0;
        if (!now && !atomic_compare_exchange_strong(&limit, &none, now = ps_limit_given()))
                now = none;
        return now;
}

/* -- resident pages -- */

static void sweep(char *at, size_t bytes, size_t *hand, uint64_t goal)
{
        for (size_t done = 0; done < bytes && ps_limit_resident() > goal; done += STEP) {
                if (*hand >= bytes)
                        *hand = 0;
                size_t rest = bytes - *hand;
                madvise(at + *hand, rest < STEP ? rest : STEP, MADV_DONTNEED);
                *hand += STEP;
        }
}

/* What is mapped in parts comes back part by part, each of which is counted (ps_blocks_come). */
static void sweep_space(size_t *hand, uint64_t goal)
{
        if (!ps_space_is_in_parts())
                sweep(ps_space_begin(), ps_space_bytes(), hand, goal);
        else
                while (ps_limit_resident() > goal && ps_space_close())
                        ;
}

/* How long a look is good for: four threads take a quarter of what is left each, 64 KiB a microsecond. */
static uint64_t pause_ns(uint64_t left)
{
        uint64_t ns = left / 4 / (LARGE / 1000);
        return ns < LEAST_PAUSE_NS ? LEAST_PAUSE_NS : ns < WATCH_NS ? ns : WATCH_NS;
}

/* What is free for pages that are touched until somebody looks again: twice as much as ever of late, since on
 * a busy machine the watch comes late. */
static uint64_t room_of(uint64_t most, uint64_t there)
{
        uint64_t before = left_there, touched = before && there > before ? there - before : 0,
                 least = LEAST_ROOM + most / 16;
        left_there = there;
        if (ps_space_is_in_parts() && !n_mapped) /* all of which are counted */
                return least;
        if (touched > touched_most)
                touched_most = touched;
        uint64_t room = 2 * touched_most > least ? 2 * touched_most : least;
        return room < most / 4 ? room : most / 4;
}

/* `ulimit -d` counts nothing that lies in the file. Below the least limit, of which whoever asks for one is
 * told, pages would come and go without end. */
static uint64_t most_resident(void)
{
        uint64_t most = limit_now(), least = least_limit, data;
        return is_asked || most >= least || !ps_limit_of_data(&data) ? most : least;
}

/* Takes pages out if that is due, and says how many bytes are left. */
static uint64_t look(void)
{
        static size_t hand, mapped_hand[MAPPED_MOST];
        uint64_t most = most_resident(), there = ps_limit_resident(), room = room_of(most, there),
                 start = most - room, goal = start - room / 2;
        if (there < start)
                return most - there;
        pthread_mutex_lock(&sweeping);
        for (unsigned i = 0; i < MAPPED_MOST; i++)
                if (mapped[i].at)
                        sweep(mapped[i].at, mapped[i].bytes, &mapped_hand[i], goal);
        sweep_space(&hand, goal);
        left_there = there = ps_limit_resident();
        pthread_mutex_unlock(&sweeping);
        return there < most ? most - there : 0;
}

/* Half of what is left, until somebody looks again: the other half is for what comes uncounted. */
void ps_blocks_come(size_t bytes)
{
        static _Atomic int64_t allowed;
        if (is_asked && atomic_fetch_sub(&allowed, (int64_t)bytes) < (int64_t)bytes)
                allowed = (int64_t)(look() / 2) - (int64_t)bytes;
}

static uint64_t now_ns(void)
{
        struct timespec now;
        clock_gettime(CLOCK_MONOTONIC, &now);
        return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

void ps_blocks_look(void)
{
        static _Thread_local uint64_t due;
        uint64_t now = ps_blocks_are_filed ? now_ns() : 0;
        if (now >= due && now)
                due = now + pause_ns(look());
}

/* The clock takes longer than what some loops do in a round. */
void ps_blocks_look_at_times(void)
{
        static _Thread_local unsigned calls;
        if (calls++ % 16 == 0)
                ps_blocks_look();
}

static void *watch(void *nothing)
{
        for (struct timespec pause = {0}; !guard.is_over; nanosleep(&pause, NULL)) {
                uint64_t ns = pause_ns(look());
                touched_most -= touched_most / FORGETS;
                pause.tv_nsec = (long)(ns < LEAST_WATCH_NS ? LEAST_WATCH_NS : ns);
        }
        return nothing;
}

/* Without a thread, pages are looked after when blocks are taken. Signals are the business of others. */
static void start_watch(void)
{
        sigset_t all, before;
        pthread_attr_t how;
        pthread_mutex_lock(&guard.lock);
        if (!guard.runs && pthread_attr_init(&how) == 0) {
                pthread_attr_setstacksize(&how, WATCH_STACK);
                sigfillset(&all);
                pthread_sigmask(SIG_SETMASK, &all, &before);
                guard.runs = pthread_create(&guard.thread, &how, watch, NULL) == 0;
                pthread_attr_destroy(&how);
                pthread_sigmask(SIG_SETMASK, &before, NULL);
        }
        pthread_mutex_unlock(&guard.lock);
}

/* With the last block and file, so that nothing runs on when nothing is left to do. */
static void stop_watch(void)
{
        pthread_mutex_lock(&guard.lock);
        if (guard.runs && !ps_space_bytes() && !n_mapped) {
                guard.is_over = true;
                pthread_join(guard.thread, NULL);
                guard.is_over = guard.runs = false;
        }
        pthread_mutex_unlock(&guard.lock);
}

void ps_blocks_mapped(void *at, size_t bytes)
{
        pthread_mutex_lock(&sweeping);
        for (unsigned i = 0; i < MAPPED_MOST; i++)
                if (mapped[i].at == (bytes ? NULL : at)) {
                        mapped[i].at = bytes ? at : NULL;
                        mapped[i].bytes = bytes;
                        n_mapped = bytes ? n_mapped + 1 : n_mapped - 1;
                        ps_blocks_are_filed = true;
                        break;
                }
        pthread_mutex_unlock(&sweeping);
        if (bytes && is_asked)
                start_watch();
        else if (!bytes)
                stop_watch();
}

/* -- what is taken instead of what the C library has -- */

/* Counts a block of the C library. */
static void *counted(void *block)
{
        size_t bytes = block ? malloc_usable_size(block) : 0;
        if (!block)
                ps_space_tell_limit();
        if (bytes >= LARGE)
                in_memory += (int64_t)bytes;
        return block;
}

static void uncount(void *block)
{
        size_t bytes = malloc_usable_size(block);
        if (bytes >= LARGE)
                in_memory -= (int64_t)bytes;
}

/* Of addresses, program and threads need some, too, and so does what of the file is mapped. */
static uint64_t most_in_memory(void)
{
        uint64_t most = limit_now() / (is_asked ? 8 : 4), addresses;
        return ps_limit_of_addresses(&addresses) && addresses / 4 < most ? addresses / 4 : most;
}

static bool belongs_on_disk(size_t bytes)
{
        int64_t there = in_memory;
        return bytes >= LARGE && bytes + (there > 0 ? (uint64_t)there : 0) > most_in_memory();
}

/* Where nobody has asked for a limit, more memory is as good as a file where none can be had. */
static void *block_in_file(size_t bytes, size_t alignment)
{
        void *block = ps_space_take(bytes, alignment > PAGE ? alignment : PAGE);
        if (!block) {
                errno = ENOMEM;
                return NULL;
        }
        if (ps_space_is_in_parts() && !is_asked) /* so that little of it is resident anyway */
                return block;
        ps_blocks_are_filed = true;
        start_watch();
        ps_blocks_look();
        return block;
}

/* What the C library has no room for, and belongs in memory otherwise: `ulimit -d` counts nothing of a file.
 */
static bool may_lie_in_file(size_t bytes)
{
        uint64_t data;
        return bytes >= LARGE && (ps_space_is_in_parts() || ps_limit_of_data(&data));
}

static void *block_otherwise(size_t bytes, size_t alignment)
{
        return may_lie_in_file(bytes) ? block_in_file(bytes, alignment) : NULL;
}

void *ps_block_malloc(size_t bytes)
{
        bool belongs = belongs_on_disk(bytes);
        void *block = belongs ? block_in_file(bytes, PAGE) : NULL;
        if (block || (belongs && is_asked))
                return block;
        if (!(block = malloc(bytes)) && (block = block_otherwise(bytes, PAGE)))
                return block;
        while (!block && ps_space_yield())
                block = malloc(bytes);
        return counted(block);
}

/* Makes the block zero, unless it is: what is new in the file is. */
static void make_zero(void *block, size_t bytes)
{
        if (!ps_space_holds(block))
                memset(block, 0, bytes);
}

void *ps_block_calloc(size_t count, size_t size)
{
        size_t bytes;
        if (__builtin_mul_overflow(count, size, &bytes))
                return NULL;
        void *block;
        if (!belongs_on_disk(bytes)) {
                if (!(block = calloc(count, size)) && (block = block_otherwise(bytes, PAGE)))
                        return block;
                while (!block && ps_space_yield())
                        block = calloc(count, size);
                return counted(block);
        }
        block = ps_block_malloc(bytes);
        if (block)
                make_zero(block, bytes);
        return block;
}

int ps_block_memalign(void **out, size_t alignment, size_t bytes)
{
        bool belongs = belongs_on_disk(bytes); /* asked once: another thread may free what is in memory */
        if (belongs && (*out = block_in_file(bytes, alignment)))
                return 0;
        if (belongs && is_asked)
                return ENOMEM;
        int reason = posix_memalign(out, alignment, bytes);
        if (reason && (*out = block_otherwise(bytes, alignment)))
                return 0;
        while (reason && ps_space_yield())
                reason = posix_memalign(out, alignment, bytes);
        counted(reason ? NULL : *out);
        return reason;
}

void ps_block_wish(void *block, size_t bytes)
{
        if (!ps_space_holds(block))
                madvise(block, bytes, MADV_HUGEPAGE);
}

void ps_blocks_copy(void *to, const void *from, size_t bytes)
{
        for (size_t at = 0; at < bytes; at += COPY) {
                ps_blocks_keep();
                memcpy((char *)to + at, (const char *)from + at, bytes - at < COPY ? bytes - at : COPY);
        }
}

/* -- blocks that grow, and go -- */

static void *move_block(void *block, size_t had, size_t bytes)
{
        void *fresh = ps_block_malloc(bytes);
        if (!fresh)
                return NULL;
        ps_blocks_copy(fresh, block, had < bytes ? had : bytes);
        ps_block_free(block);
        return fresh;
}

void *ps_block_realloc(void *block, size_t bytes)
{
        if (!block)
                return ps_block_malloc(bytes);
        if (ps_space_holds(block)) {
                size_t now = ps_space_resize(block, bytes);
                return now >= bytes ? block : move_block(block, now, bytes);
        }
        size_t had = malloc_usable_size(block);
        if (bytes > had && belongs_on_disk(bytes))
                return move_block(block, had, bytes);
        uncount(block);
        bool may_move = may_lie_in_file(bytes);
        void *grown;
        while (!(grown = realloc(block, bytes)) && bytes && !may_move && ps_space_yield())
                ;
        if (!grown && may_move)
                return move_block(counted(block), had, bytes);
        if (!grown && bytes)
                ps_space_tell_limit();
        counted(grown || !bytes ? grown : block);
        return grown;
}

void *ps_block_reallocarray(void *block, size_t count, size_t size)
{
        size_t bytes;
        if (!__builtin_mul_overflow(count, size, &bytes))
                return ps_block_realloc(block, bytes);
        errno = ENOMEM;
        return NULL;
}

static void free_in_file(char *block)
{
        if (ps_space_free(block))
                stop_watch();
}

void ps_block_free(void *block)
{
        if (!block)
                return;
        int kept = errno;
        if (ps_space_holds(block)) {
                free_in_file(block);
        } else {
                uncount(block);
                free(block);
        }
        errno = kept;
}
