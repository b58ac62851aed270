/* local.c - see local.h. */
#define _GNU_SOURCE // NOLINT(bugprone-reserved-identifier): to end with who has started us
#include "app/local/local.h"
#include "app/local/slots.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* -- who watches -- */

struct watch {
        uint32_t n; /* that were started */
        pid_t *pid; /* by process; 0: it has ended */
};

static pid_t await(pid_t pid, int *how)
{
        pid_t who;
        do
                who = waitpid(pid, how, 0);
        while (who < 0 && errno == EINTR);
        return who;
}

static void end_all(struct watch *w)
{
        int how;
        for (uint32_t i = 0; i < w->n; i++)
                if (w->pid[i])
                        kill(w->pid[i], SIGKILL);
        for (uint32_t i = 0; i < w->n; i++)
                if (w->pid[i])
                        await(w->pid[i], &how);
}

static uint32_t process_of(const struct watch *w, pid_t pid)
{
        uint32_t i = 0;
        while (i < w->n && w->pid[i] != pid)
                i++;
        return i;
}

/* The program may have children that it does not know of: those of a shell that it was put in the place of.
 */
static ps_local_end watch(struct watch *w)
{
        for (;;) {
                int how = 0;
                pid_t pid = await(-1, &how);
                uint32_t i = pid < 0 ? 0 : process_of(w, pid);
                if (i == w->n)
                        continue;
                w->pid[i] = 0;
                ps_local_end end = {i, WIFEXITED(how) ? WEXITSTATUS(how) : 0,
                                    WIFSIGNALED(how) ? WTERMSIG(how) : 0};
                if (!i || end.code || end.signal)
                        return end;
        }
}

/* -- who is watched -- */

/* It may have ended before it could be said that we end with it. */
static void end_with(pid_t watcher)
{
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() != watcher)
                _exit(0);
}

static void join(ps_exchange *x, ps_slots *slots, uint32_t rank)
{
        *x = (ps_exchange){.size = 1, .n_threads = 1};
        if (slots)
                ps_slots_join(x, slots, rank);
}

/* True in each process that was started; false here, when all were or one could not be. */
static bool fork_all(struct watch *w, uint32_t n, ps_slots *slots, ps_exchange *x)
{
        pid_t watcher = getpid();
        for (w->n = 0; w->n < n; w->n++) {
                w->pid[w->n] = fork();
                if (w->pid[w->n] < 0)
                        return false;
                if (!w->pid[w->n]) {
                        end_with(watcher);
                        join(x, slots, w->n);
                        return true;
                }
        }
        return false;
}

ps_local_role ps_local_start(uint32_t n, void (*serve)(ps_exchange *x), ps_exchange *x, ps_local_end *end)
{
        ps_slots *slots = n > 1 ? ps_slots_new(n) : NULL;
        struct watch w = {.pid = calloc(n, sizeof(*w.pid))};
        ps_local_role role = PS_LOCAL_NONE;
        signal(SIGCHLD, SIG_DFL); /* if it is ignored, nobody tells how a child has ended */
        if (w.pid && (slots || n == 1) && fork_all(&w, n, slots, x)) {
                free(w.pid);
                if (!x->rank)
                        return PS_LOCAL_FIRST;
                serve(x);
                _exit(0);
        }
        if (w.n == n) {
                *end = watch(&w);
                role = PS_LOCAL_WATCHER;
        }
        end_all(&w);
        ps_slots_free(slots);
        free(w.pid);
        return role;
}
