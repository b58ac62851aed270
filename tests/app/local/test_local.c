/* test_local.c - processes of this machine that are forked, and the one that waits for them. */
#define _GNU_SOURCE // NOLINT(bugprone-reserved-identifier): to become who hears of orphans
#include "app/local/local.h"
#include "tests/support/crew/crew_laws.h"
#include "tests/support/sanitized.h"
#include "tests/support/test.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static unsigned count_descriptors(void)
{
        unsigned n = 0;
        DIR *dir = opendir("/proc/self/fd");
        while (dir && readdir(dir))
                n++;
        if (dir)
                closedir(dir);
        return n;
}

static void expect_no_children(void)
{
        assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
        assert_int_equal(errno, ECHILD);
}

/* What process 0 exits with, or how others end it. */
static ps_local_end end_of(uint32_t n, void (*serve)(ps_exchange *x), int (*lead)(ps_exchange *x))
{
        ps_exchange x;
        ps_local_end end;
        unsigned n_descriptors = count_descriptors();
        ps_local_role role = ps_local_start(n, serve, &x, &end);
        if (role == PS_LOCAL_FIRST)
                _exit(lead(&x));
        assert_int_equal(role, PS_LOCAL_WATCHER);
        expect_no_children();
        assert_int_equal(count_descriptors(), n_descriptors);
        return end;
}

static void expect_end(ps_local_end end, uint32_t process, int code, int killed_by)
{
        assert_int_equal(end.process, process);
        assert_int_equal(end.code, code);
        assert_int_equal(end.signal, killed_by);
}

/* -- what they say to each other -- */

static void obey(ps_exchange *x)
{
        if (crew_laws(x))
                abort();
}

static int obey_first(ps_exchange *x)
{
        const char *broken = crew_laws(x);
        if (broken)
                fprintf(stderr, "does not hold: %s\n", broken);
        return broken ? 1 : 42;
}

TEST(one_two_three_four_and_seven_processes_keep_the_laws)
{
        static const uint32_t sizes[] = {1, 2, 3, 4, 7};
        for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++)
                expect_end(end_of(sizes[i], obey, obey_first), 0, 42, 0);
}

/* -- who dies -- */

/* In every round all hear from process 0, and each from all others. */
static void talk(ps_exchange *x, unsigned n_rounds)
{
        static uint8_t block[300000];
        ps_error err = {0};
        for (unsigned i = 0; i < n_rounds; i++) {
                ps_exchange_broadcast(x, block, sizeof(block));
                ps_exchange_agree(x, PS_OK, &err);
        }
}

static unsigned rounds; /* before one dies */
static int death;       /* of what; 0: it exits with 3 */

static void die_later(ps_exchange *x)
{
        talk(x, x->rank == 2 ? rounds : 1000000);
        if (death)
                raise(death);
        _exit(3);
}

static int talk_on(ps_exchange *x)
{
        talk(x, 1000000);
        return 0;
}

/* `process` does, now and later, and exits with `code` if nothing kills it. */
static void let_die(void (*serve)(ps_exchange *x), int (*lead)(ps_exchange *x), uint32_t process, int code)
{
        static const int deaths[] = {0, SIGKILL, SIGTERM};
        for (size_t i = 0; i < sizeof(deaths) / sizeof(*deaths); i++)
                for (rounds = 0; rounds < 30; rounds += 7) {
                        death = deaths[i];
                        expect_end(end_of(4, serve, lead), process, death ? 0 : code, death);
                }
}

TEST(who_dies_at_any_moment_takes_all_with_him)
{
        let_die(die_later, talk_on, 2, 3);
}

static void talk_for_ever(ps_exchange *x)
{
        talk(x, 1000000);
}

static int die_first(ps_exchange *x)
{
        talk(x, rounds);
        if (death)
                raise(death);
        return 7;
}

/* The others would wait for it. */
TEST(with_process_0_all_end_however_it_ends)
{
        let_die(talk_for_ever, die_first, 0, 7);
}

/* A process that nobody waits for becomes our child when its parent dies: so all of them are seen to end. */
TEST(nobody_outlives_who_has_started_them)
{
        int pipes[2], how;
        char byte;
        assert_int_equal(prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
        assert_int_equal(pipe(pipes), 0);
        pid_t watcher = fork();
        if (!watcher) {
                ps_exchange x;
                ps_local_end end;
                if (ps_local_start(3, talk_for_ever, &x, &end) == PS_LOCAL_FIRST) {
                        talk(&x, 3);
                        if (write(pipes[1], "", 1) == 1) /* now all are there */
                                talk(&x, 1000000);
                }
                _exit(0);
        }
        close(pipes[1]);
        assert_int_equal(read(pipes[0], &byte, 1), 1);
        kill(watcher, SIGKILL);
        assert_int_equal(read(pipes[0], &byte, 1), 0); /* nobody has the other end any more */
        close(pipes[0]);
        for (unsigned i = 0; i < 4; i++) {
                assert_true(waitpid(-1, &how, 0) > 0);
                assert_true(WIFSIGNALED(how) && WTERMSIG(how) == SIGKILL);
        }
        expect_no_children();
        assert_int_equal(prctl(PR_SET_CHILD_SUBREAPER, 0), 0);
}

TEST(children_of_somebody_else_end_nothing)
{
        pid_t stranger = fork();
        if (!stranger)
                _exit(9);
        ps_exchange x;
        ps_local_end end;
        if (ps_local_start(2, obey, &x, &end) == PS_LOCAL_FIRST)
                _exit(obey_first(&x));
        expect_end(end, 0, 42, 0);
        (void)waitpid(stranger, NULL, 0);
        expect_no_children();
}

/* What they would share is larger than what may be mapped. */
TEST(where_there_is_no_room_for_what_they_say_none_is_started)
{
        struct rlimit before, little;
        ps_exchange x;
        ps_local_end end;
        if (SANITIZED) /* which maps more than there is */
                skip();
        assert_int_equal(getrlimit(RLIMIT_AS, &before), 0);
        little = (struct rlimit){128 << 20, before.rlim_max};
        assert_int_equal(setrlimit(RLIMIT_AS, &little), 0);
        assert_int_equal(ps_local_start(5000, obey, &x, &end), PS_LOCAL_NONE);
        assert_int_equal(setrlimit(RLIMIT_AS, &before), 0);
        expect_no_children();
}
