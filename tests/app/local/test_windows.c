/* test_windows.c - blocks for which there are no addresses hold what was written there, whoever looks. */
#define _GNU_SOURCE // NOLINT(bugprone-reserved-identifier): a limit of another process
#include "app/local/windows.h"

#include "core/base/allocate.h"
#include "core/base/blocks.h"
#include "core/base/limit.h"
#include "core/base/space.h"
#include "tests/support/sanitized.h"
#include "tests/support/test.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MIB = 1 << 20, MORE = 64 * MIB, BLOCKS = 8, WORKERS = 3 };
static const size_t N = (size_t)32 * MIB / sizeof(uint64_t); /* of each block: four times the limit in all */

static uint64_t *block[BLOCKS];

static bool limit_addresses(void)
{
        const rlim_t most = ps_limit_addresses_taken() + MORE;
        const struct rlimit limit = {most, most};
        ps_windows_use();
        return setenv("TMPDIR", "/var/tmp", 1) == 0 && setrlimit(RLIMIT_AS, &limit) == 0;
}

static bool take_blocks(void)
{
        for (int i = 0; i < BLOCKS; i++)
                if (!(block[i] = malloc(N * sizeof(**block))) || !ps_space_holds_part(block[i]))
                        return false;
        return true;
}

/* How a process of its own ends that does that under such a limit. */
static int run_apart(bool (*limit)(void), int (*work)(void))
{
        int how;
        if (SANITIZED) /* which maps more than there is */
                skip();
        pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0)
                _exit(limit() ? work() : 100);
        assert_int_equal(waitpid(child, &how, 0), child);
        return how;
}

static void expect_done_within(bool (*limit)(void), int (*work)(void))
{
        int how = run_apart(limit, work);
        assert_true(WIFEXITED(how));
        assert_int_equal(WEXITSTATUS(how), 0);
}

static void expect_done(int (*work)(void))
{
        expect_done_within(limit_addresses, work);
}

static int write_and_read(void)
{
        if (!take_blocks())
                return 1;
        for (size_t i = 0; i < N; i++)
                for (int b = 0; b < BLOCKS; b++)
                        block[b][i] = i * BLOCKS + (uint64_t)b;
        for (size_t i = N; i-- > 0;)
                for (int b = 0; b < BLOCKS; b++)
                        if (block[b][i] != i * BLOCKS + (uint64_t)b)
                                return 2;
        return ps_limit_resident() > (uint64_t)MORE + 16 * MIB ? 3 : 0;
}

TEST(four_times_as_much_as_there_are_addresses_for_is_kept_in_them)
{
        expect_done(write_and_read);
}

/* -- what signals it takes -- */

static struct sigaction own;
static atomic_uint n_signals;

static void count_signal(int number, siginfo_t *info, void *context)
{
        n_signals++;
        own.sa_sigaction(number, info, context);
}

/* The blocks hold 16,384 pieces of 16 KiB, of which each asked for a signal if it came by itself. */
static int read_in_order(void)
{
        struct sigaction counting = {.sa_sigaction = count_signal, .sa_flags = SA_SIGINFO};
        uint64_t sum = 0;
        if (!take_blocks() || sigaction(SIGSEGV, &counting, &own) != 0)
                return 1;
        for (size_t i = 0; i < N; i++)
                for (int b = 0; b < BLOCKS; b++)
                        sum += block[b][i];
        return sum ? 2 : n_signals > 16384 / 4 ? 3 : 0;
}

TEST(what_is_read_in_order_comes_in_long_runs)
{
        expect_done(read_in_order);
}

/* Each of them adds to all numbers, at random: that takes all windows away from the others, again and again.
 */
static void *add_at_random(void *number)
{
        uint64_t random = *(const uint64_t *)number;
        for (int i = 0; i < 20000; i++) {
                random = random * UINT64_C(6364136223846793005) + 1442695040888963407U;
                _Atomic uint64_t *at =
                        (_Atomic uint64_t *)&block[(random >> 60) % BLOCKS][(random >> 30) % N];
                *at += 1;
        }
        return NULL;
}

static int add_together(void)
{
        static uint64_t number[WORKERS] = {1, 2, 3};
        pthread_t thread[WORKERS];
        uint64_t sum = 0;
        if (!take_blocks())
                return 1;
        for (int i = 0; i < WORKERS; i++)
                if (pthread_create(&thread[i], NULL, add_at_random, &number[i]))
                        return 2;
        for (int i = 0; i < WORKERS; i++)
                pthread_join(thread[i], NULL);
        for (int b = 0; b < BLOCKS; b++)
                for (size_t i = 0; i < N; i++)
                        sum += block[b][i];
        return sum == (uint64_t)WORKERS * 20000 ? 0 : 3;
}

TEST(threads_see_what_others_wrote_though_all_windows_move)
{
        expect_done(add_together);
}

/* -- little memory -- */

static uint64_t most_resident;

static bool limit_memory(void)
{
        most_resident = ps_limit_resident() + MORE / 2;
        ps_blocks_limit(most_resident);
        ps_windows_use();
        return setenv("TMPDIR", "/var/tmp", 1) == 0 && ps_windows_suffice(most_resident);
}

static void *touch_at_random(void *number)
{
        uint64_t random = *(const uint64_t *)number;
        for (int i = 0; i < 20000; i++) {
                random = random * UINT64_C(6364136223846793005) + 1442695040888963407U;
                _Atomic uint64_t *at =
                        (_Atomic uint64_t *)&block[(random >> 60) % BLOCKS][(random >> 30) % N];
                *at = random;
                if (i % 100 == 0 && ps_limit_resident() > most_resident)
                        return number;
        }
        return NULL;
}

/* None of them says where it goes, and each in so many places that all would be resident. */
static int touch_together(void)
{
        static uint64_t number[WORKERS] = {1, 2, 3};
        pthread_t thread[WORKERS];
        void *was_more = NULL;
        if (!take_blocks())
                return 1;
        for (int i = 0; i < WORKERS; i++)
                if (pthread_create(&thread[i], NULL, touch_at_random, &number[i]))
                        return 2;
        for (int i = 0; i < WORKERS; i++) {
                void *result;
                pthread_join(thread[i], &result);
                was_more = result ? result : was_more;
        }
        return was_more ? 3 : 0;
}

TEST(nobody_has_to_say_where_it_goes_for_little_to_be_resident)
{
        expect_done_within(limit_memory, touch_together);
}

/* -- the system -- */

/* A pipe holds what was written until it is read: 64 KiB. */
static int ask_the_system(void)
{
        enum { BYTES = 40000 };
        int ends[2];
        char room[PATH_MAX];
        struct stat info;
        if (!take_blocks() || pipe(ends) != 0)
                return 1;
        char *from = (char *)block[0], *to = (char *)block[1], *path = (char *)block[2];
        for (size_t i = 0; i < BYTES; i++)
                from[i] = (char)(i % 251);
        strcpy(path, "/");
        for (int b = 3; b < BLOCKS; b++) /* nothing of the first ones is mapped any more */
                memset(block[b], 1, N * sizeof(**block));
        errno = 0;
        if (write(ends[1], from, BYTES) != -1 || errno != EFAULT)
                return 2;
        for (size_t done = 0; done < BYTES;) {
                ssize_t n = ps_blocks_write(ends[1], from + done, BYTES - done);
                ssize_t got = n > 0 ? ps_blocks_read(ends[0], to + done, (size_t)n) : -1;
                if (got != n)
                        return 3;
                done += (size_t)n;
        }
        if (memcmp(from, to, BYTES) != 0)
                return 4;
        return stat(ps_blocks_path(room, path), &info) == 0 && S_ISDIR(info.st_mode) ? 0 : 5;
}

TEST(the_system_reads_and_writes_what_it_does_not_see)
{
        expect_done(ask_the_system);
}

/* Blocks that are freed leave their place to others, which are zero if that is asked for. */
static int free_and_take_again(void)
{
        for (int round = 0; round < 3; round++) {
                if (!take_blocks())
                        return 1;
                memset(block[round], 1, N * sizeof(**block));
                for (int i = 0; i < BLOCKS; i++)
                        free(block[i]);
                uint64_t *zeros = calloc(N, sizeof(*zeros));
                for (size_t i = 0; i < N; i += 100)
                        if (!zeros || zeros[i])
                                return 2;
                free(zeros);
        }
        return 0;
}

TEST(blocks_that_come_where_others_were_are_zero_when_they_have_to_be)
{
        expect_done(free_and_take_again);
}

/* Small blocks stay in memory: windows are closed for them. */
static int take_small_ones(void)
{
        enum { SMALL = 32 << 10, MANY = MORE / SMALL / 8 * 7 };
        if (!take_blocks())
                return 1;
        for (int i = 0; i < MANY; i++) {
                char *small = malloc(SMALL);
                if (!small || ps_space_holds(small))
                        return 2;
                memset(small, 1, SMALL);
        }
        block[0][N - 1] = 7;
        memset(block[1], 1, N * sizeof(**block));
        return block[0][N - 1] == 7 ? 0 : 3;
}

TEST(windows_are_closed_for_what_has_to_be_in_memory)
{
        expect_done(take_small_ones);
}

static int touch_nothing(void)
{
        volatile char *nothing = (char *)block[0] + (take_blocks() ? 0 : 1);
        const struct rlimit none = {0, 0};
        setrlimit(RLIMIT_CORE, &none);
        return nothing[1];
}

TEST(whoever_touches_what_is_nobodys_ends_as_ever)
{
        int how = run_apart(limit_addresses, touch_nothing);
        assert_true(WIFSIGNALED(how));
        assert_int_equal(WTERMSIG(how), SIGSEGV);
}
