/* launch.c - see launch.h. */
#include "record/launch/launch.h"

#include "record/launch/library.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SHELL_SIGNAL = 128 };

bool ps_launch_is_rank(void)
{
        static const char *const signs[] = {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "PALS_RANKID",
                                            "SLURM_PROCID"};
        for (size_t i = 0; i < sizeof(signs) / sizeof(signs[0]); i++)
                if (getenv(signs[i]))
                        return true;
        return false;
}

char *ps_launch_self(void)
{
        char path[PATH_MAX];
        ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 1);
        path[n > 0 ? n : 0] = '\0';
        return n > 0 ? strdup(path) : NULL;
}

static ps_status set_preload(const char *library, ps_error *err)
{
        const char *old = getenv("LD_PRELOAD");
        size_t n = strlen(library) + (old ? strlen(old) : 0) + 2;
        char *both = malloc(n);
        if (!both)
                return PS_NOMEM(err, "environment", n);
        snprintf(both, n, old && *old ? "%s:%s" : "%s", library, old);
        int failed = setenv("LD_PRELOAD", both, 1);
        free(both);
        return failed ? PS_NOMEM(err, "environment", n) : PS_OK;
}

ps_status ps_launch_prepare(char *const *command, const ps_launch_setting *settings, ps_error *err)
{
        char library[PATH_MAX];
        PS_TRY(ps_launch_library(library, sizeof(library), command[0], err));
        for (; settings->name; settings++)
                if (settings->value && setenv(settings->name, settings->value, 1))
                        return PS_NOMEM(err, "environment", 1);
        return set_preload(library, err);
}

ps_status ps_launch_become(char *const *command, ps_error *err)
{
        execvp(command[0], command);
        return PS_FAIL(err, errno == ENOENT ? PS_E_USAGE : PS_E_INPUT,
                       "cannot start the program: path=\"%s\", reason=\"%s\"", command[0], strerror(errno));
}

static int shell_status(int status)
{
        return WIFEXITED(status) ? WEXITSTATUS(status) : SHELL_SIGNAL + WTERMSIG(status);
}

/* As in a shell: the signals of the keyboard are the program's, which decides what comes of them. */
ps_status ps_launch_wait(char *const *command, int *status, ps_error *err)
{
        struct sigaction ignore = {.sa_handler = SIG_IGN}, before[2];
        sigaction(SIGINT, &ignore, &before[0]);
        sigaction(SIGQUIT, &ignore, &before[1]);
        int told = 0;
        pid_t child = fork();
        if (child == 0) {
                sigaction(SIGINT, &before[0], NULL);
                sigaction(SIGQUIT, &before[1], NULL);
                execvp(command[0], command);
                _exit(errno == ENOENT ? 127 : 126);
        }
        while (child > 0 && waitpid(child, &told, 0) < 0 && errno == EINTR)
                ;
        sigaction(SIGINT, &before[0], NULL);
        sigaction(SIGQUIT, &before[1], NULL);
        if (child < 0)
                return PS_FAIL(err, PS_E_INPUT, "cannot start a process: reason=\"%s\"", strerror(errno));
        *status = shell_status(told);
        return PS_OK;
}
