/* run.c - runs this program again and takes the measure of it: time on the wall, CPU of all its threads, the
 * peak of its memory (wait4), and what it prints. */
#include "tests/bench/bench.h"
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MAX_ARGUMENTS = 8, MAX_COPIES = 8, MAX_ANSWER = 512 };

static double wall_s(void)
{
        struct timespec t;
        clock_gettime(CLOCK_MONOTONIC, &t);
        return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void become(const char *const *arguments, int output)
{
        char *argv[MAX_ARGUMENTS + 2] = {(char *)"bench"};
        for (int i = 0; i < MAX_ARGUMENTS && arguments[i]; i++)
                argv[i + 1] = (char *)arguments[i];
        /* A run that never ends must not outlive a driver that was stopped. */
        if (dup2(output, STDOUT_FILENO) < 0 || prctl(PR_SET_PDEATHSIG, SIGKILL))
                _exit(126);
        execv("/proc/self/exe", argv);
        _exit(127);
}

static uint64_t value_of(const char *answer, const char *key)
{
        const char *at = answer;
        size_t n = strlen(key);
        while ((at = strstr(at, key))) {
                if ((at == answer || at[-1] == ' ' || at[-1] == '\n') && at[n] == '=')
                        return strtoull(at + n + 1, NULL, 10);
                at += n;
        }
        return 0;
}

static void take_answer(bench_sample *out, const char *answer)
{
        out->events = value_of(answer, "events");
        out->operations = value_of(answer, "operations");
        out->findings = value_of(answer, "findings");
        out->stretches = value_of(answer, "stretches");
        out->load_cpu_ns = value_of(answer, "load_cpu_ns");
        out->floor_cpu_ns = value_of(answer, "floor_cpu_ns");
        out->report_cpu_ns = value_of(answer, "report_cpu_ns");
        out->hops = value_of(answer, "hops");
        out->network_cpu_ns = value_of(answer, "network_cpu_ns");
        out->replay_bytes = value_of(answer, "replay_bytes");
}

static double seconds(struct timeval t)
{
        return (double)t.tv_sec + (double)t.tv_usec * 1e-6;
}

/* Waits for one process; -1 when it failed. */
static int reap(bench_sample *out, pid_t pid)
{
        int status;
        struct rusage used;
        if (wait4(pid, &status, 0, &used) != pid)
                return -1;
        uint64_t peak = (uint64_t)used.ru_maxrss * 1024;
        out->user_s += seconds(used.ru_utime);
        out->cpu_s += seconds(used.ru_utime) + seconds(used.ru_stime);
        out->peak_bytes = peak > out->peak_bytes ? peak : out->peak_bytes;
        return WIFEXITED(status) && !WEXITSTATUS(status) ? 0 : -1;
}

/* All that the processes print; ends when the last of them has closed its end of the pipe. */
static void read_answer(int input, char *answer)
{
        size_t len = 0;
        ssize_t n;
        while (len < MAX_ANSWER - 1 && (n = read(input, answer + len, MAX_ANSWER - 1 - len)) > 0)
                len += (size_t)n;
        answer[len] = 0;
}

int bench_run(bench_sample *out, unsigned copies, const char *const *arguments)
{
        pid_t pid[MAX_COPIES];
        int ends[2], failed = 0;
        char answer[MAX_ANSWER];
        *out = (bench_sample){0};
        fflush(stdout);
        if (copies > MAX_COPIES || pipe(ends))
                return -1;
        double begin = wall_s();
        for (unsigned i = 0; i < copies; i++) {
                pid[i] = fork();
                if (!pid[i])
                        become(arguments, ends[1]);
        }
        close(ends[1]);
        read_answer(ends[0], answer);
        close(ends[0]);
        for (unsigned i = 0; i < copies; i++)
                failed |= pid[i] < 0 || reap(out, pid[i]);
        out->wall_s = wall_s() - begin;
        take_answer(out, answer);
        return failed ? -1 : 0;
}

static double least(double a, double b)
{
        return a < b ? a : b;
}

void bench_keep_best(bench_sample *best, const bench_sample *sample)
{
        bench_sample was = *best;
        *best = *sample;
        if (was.wall_s <= 0)
                return;
        best->wall_s = least(was.wall_s, sample->wall_s);
        best->cpu_s = least(was.cpu_s, sample->cpu_s);
        best->user_s = least(was.user_s, sample->user_s);
        if (was.load_cpu_ns < sample->load_cpu_ns)
                best->load_cpu_ns = was.load_cpu_ns;
        if (was.report_cpu_ns < sample->report_cpu_ns)
                best->report_cpu_ns = was.report_cpu_ns;
        if (was.network_cpu_ns < sample->network_cpu_ns)
                best->network_cpu_ns = was.network_cpu_ns;
        if (was.peak_bytes > sample->peak_bytes)
                best->peak_bytes = was.peak_bytes;
        if (was.replay_bytes > sample->replay_bytes)
                best->replay_bytes = was.replay_bytes;
}
