/* count.c - the instructions of a run, as cachegrind counts them: unlike times they are the same on a busy
 * machine. Of a run that becomes the program they are the program's, with its start. */
#define _XOPEN_SOURCE 700
#include "tests/bench/bench.h"
#include "tests/support/damage.h"
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MOST_ARGUMENTS = 8, PATH_ROOM = 4096, LINE_ROOM = 4096 };

int bench_can_count(void)
{
        return system("valgrind --version >/dev/null 2>&1") == 0;
}

/* Of a run whose misses are counted: what is beyond is memory. A small one, so that short traces pass it. */
#define LAST_CACHE "1048576,16,64"

/* Each counts into a file: all of a run, or of each thread, in a file of its own with a number behind the
 * name. Threads run one at a time below valgrind; in fair turns each gets as much done as on a processor of
 * its own, while otherwise the one that runs keeps on and takes the other's work, too, on an idle machine.
 */
struct tool {
        const char *name, *how, *of, *out;
};

static const struct tool whole = {"--tool=cachegrind", "--cache-sim=no", "--LL=" LAST_CACHE,
                                  "--cachegrind-out-file"},
                         misses = {"--tool=cachegrind", "--cache-sim=yes", "--LL=" LAST_CACHE,
                                   "--cachegrind-out-file"},
                         by_thread = {"--tool=callgrind", "--separate-threads=yes", "--LL=" LAST_CACHE,
                                      "--callgrind-out-file"};

static void become_counted(const struct tool *tool, const char *const *arguments, const char *file)
{
        char self[PATH_ROOM], out[PATH_ROOM + 32];
        ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
        const char *argv[MOST_ARGUMENTS + 9] = {
                "valgrind",         tool->name, tool->how, tool->of, "--trace-children=yes",
                "--fair-sched=try", out,        self};
        int nowhere = open("/dev/null", O_WRONLY);
        if (n < 0 || nowhere < 0 || dup2(nowhere, STDOUT_FILENO) < 0 || dup2(nowhere, STDERR_FILENO) < 0)
                _exit(126);
        self[n] = 0;
        snprintf(out, sizeof out, "%s=%s", tool->out, file);
        for (int i = 0; i < MOST_ARGUMENTS && arguments[i]; i++)
                argv[8 + i] = arguments[i];
        execvp(argv[0], (char *const *)(uintptr_t)argv);
        _exit(127);
}

/* The number in that column of what is counted. */
static uint64_t read_summary(const char *file, int column)
{
        static const char is[] = "summary:";
        char line[LINE_ROOM];
        uint64_t count = 0;
        FILE *in = fopen(file, "r");
        while (in && fgets(line, sizeof line, in)) {
                char *at = line + sizeof is - 1;
                if (strncmp(line, is, sizeof is - 1) == 0)
                        for (int i = 0; i <= column; i++)
                                count = strtoull(at, &at, 10);
        }
        if (in)
                fclose(in);
        return count;
}

uint64_t bench_cpu_ns(void)
{
        struct timespec t;
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
        return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* Makes the file that `name`, a pattern of mkstemp(), becomes, and runs the program. */
static void count_into(const struct tool *tool, char *name, const char *const *arguments)
{
        int status = 0, made = mkstemp(name);
        if (made < 0)
                ps_test_die("cannot make a file: path=\"%s\"", name);
        close(made);
        pid_t pid = fork();
        if (!pid)
                become_counted(tool, arguments, name);
        if (pid < 0 || waitpid(pid, &status, 0) != pid || status)
                ps_test_die("run failed: valgrind %s %s", arguments[0], arguments[1]);
}

static uint64_t count_by(const struct tool *tool, int column, const char *const *arguments)
{
        char file[] = "/tmp/bench-count-XXXXXX";
        count_into(tool, file, arguments);
        uint64_t count = read_summary(file, column);
        unlink(file);
        return count;
}

uint64_t bench_count(const char *const *arguments)
{
        return count_by(&whole, 0, arguments);
}

uint64_t bench_count_misses(const char *const *arguments)
{
        enum {
                READ_FROM_MEMORY = 5
        }; /* behind three of instructions, and all reads and those of one cache */
        return count_by(&misses, READ_FROM_MEMORY, arguments);
}

uint64_t bench_count_busiest(const char *const *arguments)
{
        enum { MOST_THREADS = 64 };
        char file[] = "/tmp/bench-count-XXXXXX", thread[sizeof file + 16];
        uint64_t most = 0, count = 1;
        count_into(&by_thread, file, arguments);
        unlink(file);
        for (unsigned i = 1; i < MOST_THREADS && count; i++) {
                snprintf(thread, sizeof thread, "%s-%02u", file, i);
                count = read_summary(thread, 0);
                most = count > most ? count : most;
                unlink(thread);
        }
        return most;
}
