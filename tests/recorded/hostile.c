/* hostile.c - an MPI program that does what recorders do not expect: `hostile HOW`. What it prints, and its
 * status, must be the same whether it is recorded or not. Rank 0 prints what all have computed. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;
static int rank, size;
static unsigned long sum;

/* So many calls that files have to grow several times: messages to ourselves, and now and then to others. */
static void exchange(int n)
{
        for (int i = 0; i < n; i++) {
                int far = i % 100 == 0, to = far ? (rank + 1) % size : rank,
                    from = far ? (rank + size - 1) % size : rank;
                unsigned long mine = (sum + (unsigned)i) * 2654435761U + (unsigned)rank, theirs = 0;
                MPI_Sendrecv(&mine, 1, MPI_UNSIGNED_LONG, to, 1, &theirs, 1, MPI_UNSIGNED_LONG, from, 1,
                             MPI_COMM_WORLD, MPI_STATUS_IGNORE);
                sum ^= theirs;
                errno = 77;
                MPI_Iprobe(MPI_PROC_NULL, 1, MPI_COMM_WORLD, &(int){0}, MPI_STATUS_IGNORE);
                sum += errno == 77;
        }
}

static void say(const char *what, long n)
{
        if (rank == 0)
                printf("%s %ld\n", what, n);
}

static int count_descriptors(void)
{
        int n = 0;
        DIR *dir = opendir("/proc/self/fd");
        while (dir && readdir(dir))
                n++;
        closedir(dir);
        return n;
}

/* All that are files, of whomever; their numbers go to a file of ours, which must stay as it is. */
static void close_files(void)
{
        struct stat info;
        char path[64], text[8] = "";
        say("descriptors", count_descriptors());
        exchange(100);
        for (int fd = 3; fd < 1024; fd++)
                if (fstat(fd, &info) == 0 && S_ISREG(info.st_mode))
                        close(fd);
        snprintf(path, sizeof(path), "own.%d", rank);
        int own = open(path, O_RDWR | O_CREAT | O_TRUNC, 0666), copies[16];
        if (write(own, "mine", 4) != 4)
                abort();
        for (int i = 0; i < 16; i++)
                copies[i] = dup(own);
        exchange(5000);
        fstat(own, &info);
        say("size", (long)info.st_size);
        if (pread(own, text, 4, 0) != 4 || strcmp(text, "mine") != 0)
                abort();
        for (int i = 0; i < 16; i++)
                close(copies[i]);
        close(own);
}

static void change_folder(void)
{
        char folder[] = "../gone.XXXXXX";
        exchange(100);
        if (!mkdtemp(folder) || chdir(folder) || rmdir(folder))
                abort();
        exchange(2000);
        if (chdir("/"))
                abort();
        exchange(2900);
}

static void *leave(void *unused)
{
        (void)unused;
        pthread_exit(NULL);
}

static void have_children(void)
{
        int status;
        exchange(100);
        for (int i = 0; i < 3; i++) {
                pid_t child = fork();
                if (child == 0) {
                        pthread_t thread;
                        pthread_create(&thread, NULL, leave, NULL);
                        pthread_join(thread, NULL);
                        if (i == 0)
                                _exit(3);
                        if (i == 1)
                                execl("/bin/sh", "sh", "-c", "exit 4", (char *)NULL);
                        pthread_exit(NULL); /* with all that threads leave behind */
                }
                exchange(100);
                waitpid(child, &status, 0);
                say("child", WEXITSTATUS(status));
        }
        pid_t child;
        if (posix_spawn(&child, "/bin/sh", NULL, NULL, (char *[]){"sh", "-c", "exit 5", NULL}, environ))
                abort();
        waitpid(child, &status, 0);
        say("spawned", WEXITSTATUS(status));
        say("system", WEXITSTATUS(system("exit 6")));
        say("environment", WEXITSTATUS(system("env | grep -c -e PATSCAN_RECORD -e LD_PRELOAD >/dev/null")));
        exchange(1600);
}

static volatile sig_atomic_t n_signals;
static void on_signal(int signal)
{
        int flag;
        (void)signal;
        n_signals++;
        MPI_Iprobe(MPI_PROC_NULL, 1, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
}

/* A timer that strikes all the time, in MPI calls and outside; what it calls of MPI needs no locks. */
static void get_signals(void)
{
        struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
        struct itimerval often = {{0, 200}, {0, 200}}, never = {{0, 0}, {0, 0}};
        int flag;
        MPI_Iprobe(MPI_PROC_NULL, 1, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
        sigaction(SIGALRM, &action, NULL);
        setitimer(ITIMER_REAL, &often, NULL);
        exchange(5000);
        setitimer(ITIMER_REAL, &never, NULL);
        say("signals", n_signals > 0);
}

static void limit_files(void)
{
        struct rlimit limit = {100000, 100000};
        setrlimit(RLIMIT_FSIZE, &limit);
        exchange(5000);
}

static void limit_addresses(void)
{
        struct rlimit limit = {(rlim_t)4 << 30, (rlim_t)4 << 30};
        setrlimit(RLIMIT_AS, &limit);
        exchange(5000);
        char *much = malloc((size_t)1 << 30);
        say("memory", much != NULL);
        free(much);
}

static void run_nothing(void)
{
        exchange(5000);
}

static void do_all(void)
{
        close_files();
        change_folder();
        have_children();
        get_signals();
}

static void leave_without_finalize(void)
{
        exchange(1000);
        say("sum", (long)(sum % 1000));
        fflush(stdout);
        MPI_Barrier(MPI_COMM_WORLD);
        exit(0);
}

static void abort_all(void)
{
        exchange(1000);
        MPI_Barrier(MPI_COMM_WORLD);
        if (rank == 1)
                MPI_Abort(MPI_COMM_WORLD, 5);
        MPI_Recv(&sum, 1, MPI_UNSIGNED_LONG, 1, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static int status = 0;
static void fail(void)
{
        exchange(1000);
        status = 3;
}

int main(int argc, char **argv)
{
        static const struct {
                const char *name;
                void (*run)(void);
        } ways[] = {{"all", do_all},
                    {"nothing", run_nothing},
                    {"files", limit_files},
                    {"addresses", limit_addresses},
                    {"abort", abort_all},
                    {"fail", fail},
                    {"exit", leave_without_finalize}};
        MPI_Init(&argc, &argv);
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        MPI_Comm_size(MPI_COMM_WORLD, &size);
        for (unsigned i = 0; argc > 1 && i < sizeof(ways) / sizeof(ways[0]); i++)
                if (strcmp(argv[1], ways[i].name) == 0)
                        ways[i].run();
        say("sum", (long)(sum % 1000000));
        fflush(stdout);
        MPI_Finalize();
        return status;
}
