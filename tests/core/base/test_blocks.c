/* test_blocks.c - blocks that lie in a file: what is in them stays there, little of them is resident, and a
 * file that has no room fails an allocation. */
#include "core/base/blocks.h"

#include "core/base/allocate.h"
#include "core/base/limit.h"
#include "core/base/memory.h"
#include "core/base/space.h"
#include "tests/core/base/apart.h"
#include "tests/support/sanitized.h"
#include "tests/support/test.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* Does what a sanitizer notes of each page stay resident without the page? */
enum { IS_SHADOWED = THREAD_SANITIZED };

enum { N = 24, MIB = 1 << 20 };

static void fill(uint64_t *block, size_t n, uint64_t seed)
{
        for (size_t i = 0; i < n; i++)
                block[i] = seed + i * 7;
}

static bool is_filled(const uint64_t *block, size_t n, uint64_t seed)
{
        for (size_t i = 0; i < n; i++)
                if (block[i] != seed + i * 7)
                        return false;
        return true;
}

static int keep_more_than_the_limit(void)
{
        uint64_t *block[N];
        size_t n = 4 * MIB / sizeof(**block), before = ps_limit_resident();
        ps_blocks_limit(before + 32 * MIB);
        for (int i = 0; i < N; i++) {
                if (!(block[i] = malloc(n * sizeof(**block))))
                        return 1;
                fill(block[i], n, (uint64_t)i);
                ps_blocks_look();
                if (!IS_SHADOWED && ps_limit_resident() > before + 32 * MIB)
                        return 2;
        }
        for (int i = 0; i < N; i++) {
                if (!is_filled(block[i], n, (uint64_t)i))
                        return 3;
                free(block[i]);
        }
        return 0;
}

TEST(blocks_keep_what_they_hold_and_little_of_them_is_resident)
{
        run_apart(keep_more_than_the_limit);
}

enum { PAGE = 4096, PAGES = 16 * MIB / PAGE };

static unsigned pages_there(void *at)
{
        static unsigned char there[PAGES];
        unsigned n = 0;
        if (mincore(at, (size_t)PAGES * PAGE, there) != 0)
                return PAGES;
        for (unsigned i = 0; i < PAGES; i++)
                n += there[i] & 1;
        return n;
}

/* Has nothing to say where the system keeps all, as a tmpfs does. */
static int look_at_one_page_again(void)
{
        void *at;
        ps_blocks_limit(ps_limit_resident() + 32 * MIB);
        if (posix_memalign(&at, PAGE, (size_t)PAGES * PAGE) != 0 || !ps_space_holds(at))
                return 1;
        unsigned char *block = at;
        memset(block, 7, (size_t)PAGES * PAGE);
        if (msync(block, (size_t)PAGES * PAGE, MS_SYNC) != 0 ||
            madvise(block, (size_t)PAGES * PAGE, MADV_PAGEOUT) != 0 || pages_there(block) > 0)
                return 0;
        unsigned char held = *(volatile unsigned char *)&block[(size_t)PAGES / 2 * PAGE];
        return held != 7 ? 2 : pages_there(block) > 16 ? 3 : 0;
}

TEST(a_page_that_is_looked_at_again_is_read_without_its_neighbours)
{
        run_apart(look_at_one_page_again);
}

static int grow_and_shrink(void)
{
        size_t n = MIB / sizeof(uint64_t), last = 0;
        uint64_t *a = NULL, *b;
        ps_blocks_limit(1);
        for (size_t more = n; more <= 16 * n; last = more, more *= 2) {
                a = realloc(a, more * sizeof(*a)); /* what is behind it is free */
                if (!a || !is_filled(a, last, 5))
                        return 1;
                fill(a, more, 5);
        }
        if (!(b = calloc(n, sizeof(*b))) || b[0] || b[n - 1])
                return 2;
        fill(b, n, 9);
        if (!(a = realloc(a, 32 * n * sizeof(*a))) || !is_filled(a, last, 5)) /* it has to move */
                return 3;
        if (!(a = realloc(a, n * sizeof(*a))) || !is_filled(a, n, 5) || !is_filled(b, n, 9))
                return 4;
        free(b);
        if (!(b = ps_memory_zeroed(4 * n, sizeof(*b))) || (uintptr_t)b % PS_LARGE_PAGE)
                return 5;
        for (size_t i = 0; i < 4 * n; i++)
                if (b[i])
                        return 6;
        free(a);
        free(b);
        return 0;
}

TEST(blocks_grow_move_shrink_and_are_zero_when_they_have_to_be)
{
        run_apart(grow_and_shrink);
}

/* A file may have 64 MiB: that is how a full disk looks, too. */
static int fill_the_file(void)
{
        struct rlimit most = {64 * MIB, 64 * MIB};
        void *first, *second;
        ps_blocks_limit(1);
        if (setrlimit(RLIMIT_FSIZE, &most) || !(first = malloc(40 * MIB)))
                return 1;
        errno = 0;
        if ((second = malloc(40 * MIB)) || errno != ENOMEM || !strstr(ps_blocks_trouble(), "path="))
                return 2;
        free(first);
        if (!(first = malloc(40 * MIB)) || *ps_blocks_trouble())
                return 3;
        free(first);
        return 0;
}

TEST(a_file_without_room_fails_an_allocation_and_tells_where)
{
        run_apart(fill_the_file);
}

static int run_out_of_addresses(void)
{
        struct rlimit most = {256 * MIB, 256 * MIB};
        if (setrlimit(RLIMIT_AS, &most) || malloc((size_t)512 * MIB))
                return 1;
        return strstr(ps_blocks_trouble(), "ulimit_v_bytes=268435456") ? 0 : 2;
}

TEST(who_runs_out_of_addresses_is_told_of_the_limit_that_helps)
{
        if (!SANITIZED)
                run_apart(run_out_of_addresses);
}

/* Room that was touched here and there comes with pieces, not with pages: what is resident grows no further
 * than to the limit all the same, also where nobody but a loop of its own looks. */
static int touch_far_and_wide(void)
{
        enum { TOUCHED = SANITIZED ? 1 << 12 : 1 << 15 };
        size_t n = (size_t)128 * MIB, before = ps_limit_resident();
        ps_blocks_limit(before + 96 * MIB);
        unsigned char *block = malloc(n);
        if (!block)
                return 1;
        for (uint32_t i = 0; i < TOUCHED; i++) {
                ps_blocks_keep();
                block[(size_t)i * 1000003 % n] ^= 1;
                if (!SANITIZED && i % 512 == 0 && ps_limit_resident() > before + 96 * MIB)
                        return 2;
        }
        unsigned sum = 0;
        for (size_t i = 0; i < n; i++)
                sum += block[i];
        free(block);
        return sum == TOUCHED ? 0 : 3;
}

TEST(a_loop_that_goes_far_in_a_block_stays_below_the_limit)
{
        run_apart(touch_far_and_wide);
}

static int find_no_folder(void)
{
        ps_blocks_limit(1);
        if (setenv("TMPDIR", "/nowhere/at/all", 1) || malloc(MIB))
                return 1;
        return strstr(ps_blocks_trouble(), "/nowhere/at/all") ? 0 : 2;
}

TEST(a_folder_that_is_not_there_is_told)
{
        run_apart(find_no_folder);
}

/* The model: blocks of the C library that hold the same. */
static int mix(void)
{
        enum { SLOTS = 40, ROUNDS = SANITIZED ? 500 : 3000 };
        struct {
                uint64_t *block, n, seed;
        } slot[SLOTS] = {{0}};
        uint64_t random = 1;
        ps_blocks_limit(1);
        for (int round = 0; round < ROUNDS; round++) {
                random = random * UINT64_C(6364136223846793005) + 1442695040888963407U;
                unsigned at = (unsigned)(random >> 33) % SLOTS, what = (unsigned)(random >> 20) % 3;
                uint64_t n = 30000 + (random >> 40) % 60000;
                if (slot[at].block && !is_filled(slot[at].block, slot[at].n, slot[at].seed))
                        return 1;
                if (what == 0) {
                        free(slot[at].block);
                        slot[at].block = NULL;
                } else {
                        uint64_t *block = realloc(slot[at].block, n * sizeof(*block));
                        if (!block || (slot[at].block &&
                                       !is_filled(block, n < slot[at].n ? n : slot[at].n, slot[at].seed)))
                                return 2;
                        slot[at].block = block;
                        slot[at].n = n;
                        slot[at].seed = random;
                        fill(block, n, random);
                }
                if (!slot[at].block)
                        slot[at].n = 0;
        }
        for (int i = 0; i < SLOTS; i++)
                free(slot[i].block);
        return 0;
}

TEST(blocks_of_random_sizes_never_overlap)
{
        run_apart(mix);
}

/* Of a column, of which a piece at a time gets pages and is written then. */
static void fill_in_pieces(uint64_t *column, uint64_t n, uint64_t seed)
{
        enum { PIECE = 5 * MIB / 2 / sizeof(*column) };
        for (uint64_t at = 0, end; at < n; at = end) {
                end = n - at < PIECE ? n : at + PIECE;
                ps_memory_fill_next(column, at * sizeof(*column), end * sizeof(*column), n * sizeof(*column));
                fill(column + at, end - at, seed + at * 7);
        }
}

/* Blocks that are passed on, those that are made of them, and what was never touched and becomes some, at
 * once or piece by piece: each keeps what was put there. */
static int mix_passed_on(void)
{
        enum { SLOTS = 8, ROUNDS = SANITIZED ? 100 : 400, MOST = 12 * MIB };
        struct {
                uint64_t *block, n, seed;
        } slot[SLOTS] = {{0}};
        uint64_t random = 1;
        for (int round = 0; round < ROUNDS; round++) {
                random = random * UINT64_C(6364136223846793005) + 1442695040888963407U;
                unsigned at = (unsigned)(random >> 33) % SLOTS, what = (unsigned)(random >> 20) % 5;
                uint64_t n = (random >> 40) % (MOST / sizeof(*slot->block));
                if (slot[at].block && !is_filled(slot[at].block, slot[at].n, slot[at].seed))
                        return 1;
                ps_memory_pass_on(slot[at].block);
                slot[at].block = what < 2 ? ps_memory_again(n * sizeof(*slot->block))
                                          : ps_memory_new(n * sizeof(*slot->block));
                if (!slot[at].block)
                        return 2;
                if (what == 3)
                        ps_memory_fill(slot[at].block + n / 3, n / 3 * sizeof(*slot->block));
                slot[at].n = n;
                slot[at].seed = random;
                if (what == 4)
                        fill_in_pieces(slot[at].block, n, random);
                else
                        fill(slot[at].block, n, random);
                if (round % 64 == 63)
                        ps_memory_give_back();
        }
        for (int i = 0; i < SLOTS; i++)
                free(slot[i].block);
        return 0;
}

TEST(blocks_of_pages_that_were_passed_on_never_overlap)
{
        run_apart(mix_passed_on);
}

/* Rows of as many words become more, up to 64 MiB: gives how many pages were touched for that, or 0 if they
 * do not hold any more what they held. */
static long count_faults_of_growth(size_t words)
{
        enum { WHOLE = 64 * MIB / sizeof(uint64_t) };
        uint64_t *rows = NULL;
        size_t cap = 0;
        struct rusage before, after;
        bool is_kept = true;
        getrusage(RUSAGE_SELF, &before);
        while (cap * words < WHOLE && is_kept) {
                const size_t n = cap * words;
                is_kept = !ps_memory_grow_wide(&rows, &cap, 16, words * sizeof(*rows)) &&
                          is_filled(rows, n, words);
                if (is_kept)
                        fill(rows, cap * words, words);
        }
        getrusage(RUSAGE_SELF, &after);
        ps_memory_pass_on(rows);
        return is_kept ? after.ru_minflt - before.ru_minflt : 0;
}

/* Small pages up to 1 MiB are 256 and what the C library needs of its own, large ones up to 128 MiB 64. Where
 * the system has none, a block that does not grow has small ones, too. */
static int grow(void)
{
        enum { FEW = 64, MOST = 1024 };
        struct rusage before, after;
        uint64_t *block = ps_memory_new(16 * MIB);
        getrusage(RUSAGE_SELF, &before);
        fill(block, 16 * MIB / sizeof(*block), 1);
        getrusage(RUSAGE_SELF, &after);
        free(block);
        const bool has_large = !SANITIZED && after.ru_minflt - before.ru_minflt < FEW;
        for (size_t words = 1; words < 8; words += 2) {
                const long n = count_faults_of_growth(words);
                if (!n || (has_large && n > MOST))
                        return (int)words;
        }
        return 0;
}

TEST(rows_that_become_more_keep_what_they_hold_and_large_pages)
{
        run_apart(grow);
}

/* What is resident of 16 MiB that were touched and passed on: all of it, which is what the next block of as
 * many has then, until it is given back; with a limit, nothing. */
static int count_passed_on(void)
{
        enum { WORDS = 16 * MIB / sizeof(uint64_t), FEW = 4 * MIB };
        uint64_t *block = ps_memory_new(32 * MIB);
        const uint64_t before = ps_limit_resident();
        fill(block, WORDS, 1);
        ps_memory_pass_on_touched(block, 16 * MIB);
        if (ps_limit_resident() < before + 16 * MIB - FEW)
                return 1;
        block = ps_memory_again(16 * MIB);
        fill(block, WORDS, 2);
        if (ps_limit_resident() > before + 16 * MIB + FEW)
                return 2;
        ps_memory_pass_on(block);
        ps_memory_give_back();
        if (ps_limit_resident() > before + FEW)
                return 3;
        ps_blocks_limit(UINT64_C(1) << 40);
        block = ps_memory_again(16 * MIB);
        fill(block, WORDS, 3);
        ps_memory_pass_on(block);
        return ps_limit_resident() > before + FEW ? 4 : 0;
}

/* 8 MiB in the midst of 16 are left: what is around stays, and what comes next has their pages. */
static int leave_a_part(void)
{
        enum { WORDS = 4 * MIB / sizeof(uint64_t), FEW = 4 * MIB };
        uint64_t *block = ps_memory_new(16 * MIB), *next = ps_memory_new(8 * MIB);
        const uint64_t before = ps_limit_resident();
        fill(block, WORDS, 1);
        fill(block + WORDS, 2 * WORDS, 2);
        fill(block + 3 * WORDS, WORDS, 3);
        ps_memory_leave(block + WORDS, 8 * MIB);
        ps_memory_fill(next, 8 * MIB);
        fill(next, 2 * WORDS, 4);
        const bool is_kept = is_filled(block, WORDS, 1) && is_filled(block + 3 * WORDS, WORDS, 3) &&
                             is_filled(next, 2 * WORDS, 4);
        return !is_kept ? 1 : !SANITIZED && ps_limit_resident() > before + 16 * MIB + FEW ? 2 : 0;
}

TEST(pages_of_a_part_that_is_left_are_for_what_comes_next)
{
        run_apart(leave_a_part);
}

TEST(pages_that_are_passed_on_stay_until_they_are_given_back)
{
        if (!SANITIZED)
                run_apart(count_passed_on);
}

/* A block of three sixteenths of a part lies in memory, where one that was asked for as a limit has an
 * eighth. */
static int divide_what_there_is(void)
{
        const uint64_t part = ps_limit_given() / 1024;
        ps_blocks_divide(1024);
        void *block = malloc(part * 3 / 16), *more = malloc(part / 8);
        bool is_in_file = ps_space_holds(block), is_more_in_file = ps_space_holds(more);
        uint64_t asked = ps_blocks_tell().limit;
        free(block);
        free(more);
        return is_in_file ? 1 : !is_more_in_file ? 2 : asked ? 3 : 0;
}

TEST(processes_that_divide_the_memory_have_a_quarter_of_their_part_before_there_is_a_file)
{
        run_apart(divide_what_there_is);
}

/* strdup() takes its copy from the C library, where it is not counted. */
static int free_copies_of_texts(void)
{
        char *text = malloc(MIB), *copy;
        ps_blocks_limit(64 * MIB);
        if (!text)
                return 1;
        memset(text, 'a', MIB - 1);
        text[MIB - 1] = '\0';
        copy = strdup(text);
        free(text);
        free(copy);
        text = malloc(MIB);
        bool is_in_file = ps_space_holds(text);
        free(text);
        return is_in_file ? 2 : 0;
}

TEST(copies_of_texts_that_are_freed_leave_room_in_memory)
{
        run_apart(free_copies_of_texts);
}

/* Of an eighth of 64 MiB, all but a block at a time: what is asked for belongs in memory and on disk in
 * turns. */
static void *come_and_go(void *is_over)
{
        while (!atomic_load((atomic_bool *)is_over))
                free(malloc(8 * MIB - 64 * 1024));
        return NULL;
}

static int take_while_others_free(void)
{
        atomic_bool is_over = false;
        pthread_t other;
        int failed = 0;
        ps_blocks_limit(64 * MIB);
        if (pthread_create(&other, NULL, come_and_go, &is_over))
                return 1;
        for (int i = 0; i < 30000 && !failed; i++) {
                void *block;
                failed = posix_memalign(&block, 64, 128 * 1024) ? 2 : 0;
                if (!failed)
                        free(block);
        }
        atomic_store(&is_over, true);
        pthread_join(other, NULL);
        return failed;
}

TEST(blocks_are_there_while_others_come_and_go)
{
        run_apart(take_while_others_free);
}
