/* test_limited.c - under `ulimit -v` several processes do what one has no room for, and tell the same. */
#include "app/cli/program.h"
#include "core/base/file.h"
#include "library/run/exit.h"
#include "tests/support/damage.h"
#include "tests/support/sanitized.h"
#include "tests/support/test.h"
#include "tests/support/tracegen.h"
#include "tests/support/tracegen_calls.h"

#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { RANKS = 8, STEPS = 40000, FEW_STEPS = 16000, MIB = 1 << 20, STEP_MIB = 8, WORDS = 16 };

/* What a run of the program has printed, and how it ended. */
struct ran {
        int code;
        char *out, *said;
};

static void clear(struct ran *r)
{
        free(r->out);
        free(r->said);
}

static char *text_of(FILE *file)
{
        char *text;
        size_t n;
        ps_error err = {0};
        rewind(file);
        assert_int_equal(ps_file_read(&text, &n, file, 64 * MIB, "text", "", &err), PS_OK);
        return text;
}

static size_t addresses_now(void)
{
        unsigned long pages = 0;
        FILE *file = fopen("/proc/self/statm", "r");
        if (!file || fscanf(file, "%lu", &pages) != 1)
                abort();
        fclose(file);
        return pages * (size_t)sysconf(_SC_PAGESIZE);
}

struct running {
        pid_t pid;
        FILE *out, *said;
};

/* With so many MiB of addresses beyond those that this process has; 0: as many as it likes. */
static struct running start(size_t more_mib, const char *folder, char **words)
{
        struct running r = {0, tmpfile(), tmpfile()};
        struct rlimit limit;
        int n = 0;
        assert_true(r.out && r.said);
        while (words[n])
                n++;
        if ((r.pid = fork()))
                return r;
        if (dup2(fileno(r.out), STDOUT_FILENO) < 0 || dup2(fileno(r.said), STDERR_FILENO) < 0 ||
            getrlimit(RLIMIT_AS, &limit) || setenv("TMPDIR", folder, 1))
                abort();
        limit.rlim_cur = more_mib ? addresses_now() + more_mib * MIB : limit.rlim_cur;
        if (setrlimit(RLIMIT_AS, &limit))
                abort();
        exit(ps_program(n, words, "", NULL));
}

static struct ran end(const struct running *r)
{
        int how;
        assert_int_equal(waitpid(r->pid, &how, 0), r->pid);
        assert_true(WIFEXITED(how));
        return (struct ran){WEXITSTATUS(how), text_of(r->out), text_of(r->said)};
}

static struct ran run(size_t more_mib, const char *folder, char **words)
{
        const struct running r = start(more_mib, folder, words);
        return end(&r);
}

/* Where there may be a file, and where there may not. */
static const char disk[] = "/var/tmp", nowhere[] = "/nowhere/at/all";

/* Steps in which each waits for the one before it, some longer than others. */
static ps_gen *ring(uint64_t steps, bool has_puts)
{
        if (SANITIZED) /* which maps more than there is */
                skip();
        ps_gen *g = ps_gen_new(NULL, (ps_gen_options){.ranks = RANKS});
        uint32_t window = ps_gen_window(g, "window", PS_GEN_WORLD);
        for (uint32_t rank = 0; rank < RANKS; rank++) {
                ps_gen_visit(g, rank, rank, 90, "MPI_Init");
                for (uint64_t i = 0; i < steps; i++) {
                        uint64_t t = 100 + 100 * i, late = (rank + i) % RANKS;
                        ps_gen_sendrecv(g, rank, t + 2 * late, t + 50, (rank + 1) % RANKS,
                                        (rank + RANKS - 1) % RANKS, PS_GEN_WORLD, 4, 64);
                        if (i % 8 == 0)
                                ps_gen_barrier(g, rank, t + 60 + late, t + 80, PS_GEN_WORLD);
                }
                if (has_puts)
                        ps_gen_call(g, "MPI_Put", rank, 100 * steps + 200, 100 * steps + 220, 1,
                                    &PS_GEN_REC_OF(PUT, .peer = 0, .ref = window, .bytes = 8));
        }
        ps_gen_close(g);
        return g;
}

/* The same command with a limit on its memory works alone, and has all of it in its memory below this one. */
static char **alone(char *room[WORDS], char **words)
{
        unsigned n = 0;
        for (; words[n]; n++)
                room[n] = words[n];
        room[n++] = "--memory";
        room[n++] = "1T";
        room[n] = NULL;
        return room;
}

/* Whatever the limit is, it is done as without, or ends with what is to be done about that, where there is no
 * file to help. How often it was done where one process alone cannot. */
static unsigned try_limits(char **words)
{
        unsigned n_gained = 0;
        bool is_over = false;
        struct ran whole = run(0, nowhere, words);
        for (size_t mib = 1; !is_over; mib += STEP_MIB) {
                char *room[WORDS];
                struct ran one = run(mib, nowhere, alone(room, words)), many = run(mib, nowhere, words);
                is_over = one.code == whole.code;
                if (many.code == whole.code) {
                        assert_string_equal(many.out, whole.out);
                        assert_string_equal(many.said, whole.said);
                        n_gained += !is_over;
                } else {
                        assert_int_equal(many.code, PS_EXIT_INTERNAL);
                        assert_false(is_over);
                        assert_string_equal(many.out, "");
                        assert_non_null(strstr(many.said, "out of memory"));
                        assert_true(strstr(many.said, "ulimit_v_bytes=") || strstr(many.said, nowhere));
                }
                clear(&one);
                clear(&many);
        }
        clear(&whole);
        return n_gained;
}

static void expect_gain(ps_gen *g, char *command, char *causes, unsigned least)
{
        char *words[WORDS] = {"patscan",     command,    (char *)(uintptr_t)ps_gen_anchor(g),
                              "--no-config", "--report", "json",
                              "--threads",   "1"};
        if (causes) {
                words[8] = "--causes";
                words[9] = causes;
        }
        assert_true(try_limits(words) >= least);
}

TEST(what_one_process_has_no_addresses_for_several_tell_in_the_same_words)
{
        ps_gen *g = ring(FEW_STEPS, false);
        expect_gain(g, "analyze", "none", 2);
        expect_gain(g, "analyze", "0", 0);
        expect_gain(g, "info", NULL, 1);
        ps_gen_free(g);
}

/* What is said of it is said once, however many tries there were. */
TEST(a_damaged_trace_is_one_under_a_limit_too)
{
        ps_gen *g = ring(FEW_STEPS, false);
        const char *path = ps_gen_events_file(g, 3);
        ps_file_truncate(path, ps_file_size(path) / 2);
        expect_gain(g, "analyze", "none", 1);
        ps_gen_free(g);
}

/* All rows have to be in one process: then it is done there, if that has the room. */
TEST(where_others_are_no_use_one_process_does_all)
{
        ps_gen *g = ring(FEW_STEPS, true);
        expect_gain(g, "analyze", "0", 0);
        ps_gen_free(g);
}

/* -- with a file -- */

enum { FEW_MIB = 24 };

/* What cannot be done with so few addresses is done in the same words where there is a file. */
static void expect_the_same(const char *path, const char *command)
{
        char text[4096], *words[WORDS], *anchor = (char *)(uintptr_t)path;
        unsigned n = 0;
        snprintf(text, sizeof(text), "%s", command);
        for (char *rest = text, *word; (word = strtok_r(rest, " ", &rest));)
                words[n++] = strcmp(word, "TRACE") ? word : anchor;
        words[n] = NULL;
        struct ran whole = run(0, disk, words), without = run(FEW_MIB, nowhere, words);
        assert_true(*whole.out); /* whatever a calibration says of such a trace */
        assert_int_equal(without.code, PS_EXIT_INTERNAL);
        struct ran limited = run(FEW_MIB, disk, words);
        if (limited.code != whole.code)
                print_message("%s: %s", command, limited.said);
        assert_int_equal(limited.code, whole.code);
        assert_string_equal(limited.out, whole.out);
        assert_string_equal(limited.said, whole.said);
        clear(&limited);
        clear(&whole);
        clear(&without);
}

TEST(what_nobody_has_addresses_for_every_command_sees_through_windows)
{
        static const char *const commands[] = {
                "patscan analyze TRACE --report json --no-config --threads 2",
                "patscan analyze TRACE --report json --no-config --causes 2 --gains 1",
                "patscan analyze TRACE --report html --no-config --causes none",
                "patscan info TRACE --report json --profile --threads 2",
                "patscan compare TRACE TRACE --report json --no-config",
                "patscan predict TRACE --machine ideal --report json --no-config",
                "patscan calibrate TRACE -o /dev/null --report json",
                "patscan dump TRACE --ranks 1"};
        ps_gen *g = ring(STEPS, false);
        for (size_t i = 0; i < sizeof(commands) / sizeof(*commands); i++)
                expect_the_same(ps_gen_anchor(g), commands[i]);
        ps_gen_free(g);
}

TEST(a_report_that_needs_all_rows_is_made_of_them_in_a_file)
{
        ps_gen *g = ring(STEPS, true);
        expect_the_same(ps_gen_anchor(g), "patscan analyze TRACE --report json --no-config --causes 0");
        ps_gen_free(g);
}

/* A thread of UPC in step after step of barriers, where another one is the last each time. */
static void write_thread(const char *folder, unsigned thread)
{
        enum { THREADS = 4 };
        char path[PATH_MAX];
        snprintf(path, sizeof(path), "%s/steps.%u", folder, thread);
        FILE *file = fopen(path, "w");
        assert_non_null(file);
        fprintf(file, "%u/%d 0.000000> [a.upc:1:1] INIT ATOMIC { MYTHREAD = %u, THREADS = %d }\n", thread,
                THREADS, thread, THREADS);
        for (unsigned i = 1; i <= 2 * STEPS; i++) {
                unsigned at = 100 * i + (thread + i) % THREADS * 10, behind = 100 * i + 50;
                const char *const said[] = {"NOTIFY START", "NOTIFY END", "WAIT START", "WAIT END"};
                for (unsigned k = 0; k < 4; k++) {
                        unsigned t = k < 3 ? at + k : behind;
                        fprintf(file, "%u/%d %u.%06u> [a.upc:12:1] UPC_%s { 0, 0 }\n", thread, THREADS,
                                t / 1000000, t % 1000000, said[k]);
                }
        }
        assert_int_equal(fclose(file), 0);
}

TEST(barriers_of_upc_are_seen_through_windows)
{
        if (SANITIZED)
                skip();
        char *folder = ps_dir_new(), path[PATH_MAX];
        for (unsigned thread = 0; thread < 4; thread++)
                write_thread(folder, thread);
        snprintf(path, sizeof(path), "%s/steps.0", folder);
        expect_the_same(path, "patscan analyze TRACE --report json --no-config --causes 0");
        expect_the_same(path, "patscan info TRACE --report json --profile");
        ps_dir_remove(folder);
        free(folder);
}

/* Of predictions of 8 locations: 64 MiB and 64 KiB each. */
TEST(who_wants_to_know_is_told_what_memory_a_trace_took)
{
        char *words[] = {"patscan", "predict", NULL, "--machine", "ideal", "--no-config", "-v", NULL};
        ps_gen *g = ring(STEPS, false);
        words[2] = (char *)(uintptr_t)ps_gen_anchor(g);
        struct ran ran = run(FEW_MIB, disk, words);
        assert_int_equal(ran.code, PS_EXIT_OK);
        assert_non_null(strstr(ran.said, "patscan: memory: resident_bytes="));
        assert_non_null(strstr(ran.said, ", least_bytes=67633152, ulimit_v_bytes="));
        assert_non_null(strstr(ran.said, "path=\"/var/tmp\"\n"));
        clear(&ran);
        ps_gen_free(g);
}

/* -- that are killed -- */

/* The last of the processes that it has started; 0: there is none yet. */
static pid_t last_child(pid_t pid)
{
        char path[64];
        int child = 0;
        snprintf(path, sizeof(path), "/proc/%d/task/%d/children", pid, pid);
        FILE *file = fopen(path, "r");
        while (file && fscanf(file, "%d", &child) == 1)
                ;
        if (file)
                fclose(file);
        return child;
}

TEST(one_of_them_that_is_killed_ends_it_with_a_line)
{
        char *words[] = {"patscan", NULL, "--no-config", "--causes", "none", NULL};
        pid_t child;
        ps_gen *g = ring(STEPS, false);
        words[1] = (char *)(uintptr_t)ps_gen_anchor(g);
        const struct running r = start(25, nowhere, words);
        while (!(child = last_child(r.pid)))
                ;
        kill(child, SIGKILL);
        struct ran ran = end(&r);
        assert_int_equal(ran.code, PS_EXIT_INTERNAL);
        assert_string_equal(ran.out, "");
        assert_non_null(strstr(ran.said, "patscan: error: one of "));
        assert_non_null(strstr(ran.said, "signal=9, reason=\"the machine may lack memory\"\n"));
        clear(&ran);
        ps_gen_free(g);
}
