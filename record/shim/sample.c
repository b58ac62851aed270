/* sample.c - what threads compute between calls: each is asked where it is whenever it has computed for so
 * long.
 *
 * The timers run on the processor's time of a thread, so that one that waits in the system is left alone:
 * nothing that it waits in is broken off. What the program has blocked or handles itself it keeps. */
#define _GNU_SOURCE // NOLINT(bugprone-reserved-identifier): the C library's own switch
#include "record/shim/shim.h"

#include <errno.h>
#include <signal.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id _sigev_un._tid
#endif

static struct {
        int signal; /* 0: nobody samples */
        struct timespec period;
} sampling;

static ps_shim_frame frame_of(const ucontext_t *context)
{
#if defined(__x86_64__)
        const greg_t *reg = context->uc_mcontext.gregs;
        return (ps_shim_frame){(uintptr_t)reg[REG_RIP], (uintptr_t)reg[REG_RSP], (uintptr_t)reg[REG_RBP]};
#elif defined(__aarch64__)
        const mcontext_t *m = &context->uc_mcontext;
        return (ps_shim_frame){m->pc, m->sp, m->regs[29]};
#else
        (void)context;
        return (ps_shim_frame){0, 0, 0};
#endif
}

static void on_timer(int number, siginfo_t *info, void *context)
{
        int code = errno;
        ps_shim_frame frame = frame_of(context);
        if (info->si_code == SI_TIMER && info->si_value.sival_ptr == &sampling) {
                if (frame.pc)
                        ps_shim_sample(frame);
        } else { /* somebody sends it to the program, which has no handler for it */
                (void)signal(number, SIG_DFL);
                (void)raise(number);
        }
        errno = code;
}

void ps_shim_sample_start(uint64_t per_second)
{
        static const int usual[] = {SIGPROF, SIGVTALRM};
        struct sigaction old, ours = {.sa_sigaction = on_timer, .sa_flags = SA_SIGINFO | SA_RESTART};
        sigemptyset(&ours.sa_mask);
        for (size_t i = 0; i < sizeof(usual) / sizeof(usual[0]) && !sampling.signal; i++)
                if (sigaction(usual[i], NULL, &old) == 0 && !(old.sa_flags & SA_SIGINFO) &&
                    old.sa_handler == SIG_DFL && sigaction(usual[i], &ours, NULL) == 0)
                        sampling.signal = usual[i];
        uint64_t ns = 1000000000 / per_second;
        sampling.period = (struct timespec){(time_t)(ns / 1000000000), (long)(ns % 1000000000)};
        if (sampling.signal)
                ps_shim_define("sample %llu\n", (unsigned long long)ns);
}

bool ps_shim_is_sampling(void)
{
        return sampling.signal != 0;
}

void ps_shim_sample_open(ps_thread *t)
{
        struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = sampling.signal};
        struct itimerspec every = {sampling.period, sampling.period};
        if (!sampling.signal || t->has_timer)
                return;
        event.sigev_value.sival_ptr = &sampling;
        event.sigev_notify_thread_id = (pid_t)syscall(SYS_gettid);
        t->has_timer = timer_create(CLOCK_THREAD_CPUTIME_ID, &event, &t->timer) == 0;
        if (t->has_timer)
                (void)timer_settime(t->timer, 0, &every, NULL);
}

void ps_shim_sample_close(ps_thread *t)
{
        if (t->has_timer)
                (void)timer_delete(t->timer);
        t->has_timer = false;
}
