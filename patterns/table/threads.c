/* threads.c - OpenMP and POSIX threads: barriers of a team, locks, the beginning of parallel regions. */
#include "patterns/table/families.h"

PS_COLLECTIVE_FORMULA(wait_for_team, own.takes_part, earlier(all.latest_begin, own.end) - own.begin);
PS_CALL_FORMULA(critical_taken, call.is_critical, earlier(call.released, call.leave) - call.enter);
PS_CALL_FORMULA(openmp_lock_taken, call.is_openmp && !call.is_critical,
                earlier(call.released, call.leave) - call.enter);
PS_CALL_FORMULA(pthread_lock_taken, !call.is_openmp && !call.is_critical,
                earlier(call.released, call.leave) - call.enter);
PS_CALL_FORMULA(fork_to_begin, call.leave > call.enter, call.leave - call.enter);
PS_CALL_FORMULA(end_to_join, call.leave > call.enter, call.leave - call.enter);

#define K(k) PS_COLLECTIVE_KIND(k)
#define BOTH (PS_BY_PATSCAN | PS_BY_SCALASCA)
#define BALANCE                                                                                              \
        "Balance the work of the threads: another schedule, smaller chunks, or less work for the slow ones."
#define HOLD_SHORTER                                                                                         \
        "Hold it for a shorter time, split it into several, or give each thread data of its own and "        \
        "combine them "                                                                                      \
        "at the end."

static const ps_pattern rows[] = {
        {.id = "omp-barrier-wait",
         .title = "Wait at an OpenMP barrier",
         .summary = "Threads that come early wait for the last one of their team.",
         .advice = BALANCE,
         .source = "Scalasca 2.6: omp_ebarrier_wait",
         .subject = PS_ON_COLLECTIVE,
         .definitions = BOTH,
         .kinds = K(TEAM_BARRIER),
         .formula = &wait_for_team},
        {.id = "omp-implicit-barrier-wait",
         .title = "Wait at the end of a parallel construct",
         .summary =
                 "Threads that are done early wait at the implicit barrier for the last one of their team.",
         .advice = BALANCE " Where nothing depends on it, nowait drops the barrier.",
         .source = "Scalasca 2.6: omp_ibarrier_wait",
         .subject = PS_ON_COLLECTIVE,
         .definitions = BOTH,
         .kinds = K(TEAM_IMPLICIT_BARRIER),
         .formula = &wait_for_team},
        {.id = "omp-fork",
         .title = "Begin of parallel regions",
         .summary = "The time from the fork of a team until a thread begins its part.",
         .advice = "Make parallel regions larger: one region with several loops instead of a region for each "
                   "loop.",
         .source = "Scalasca 2.6: omp_management_fork",
         .subject = PS_ON_FORK,
         .definitions = PS_BY_PATSCAN,
         .formula = &fork_to_begin},
        {.id = "omp-join",
         .title = "End of parallel regions",
         .summary = "The time from the end of a thread's part until its team is joined.",
         .advice = "Balance the work of the threads, and make parallel regions larger: one region with "
                   "several loops "
                   "instead of a region for each loop.",
         .source = "Scalasca 2.6: omp_management_join",
         .subject = PS_ON_JOIN,
         .definitions = PS_BY_PATSCAN,
         .formula = &end_to_join},
        {.id = "omp-critical-wait",
         .title = "Wait for a critical section",
         .summary = "A thread waits for another one to leave a critical section.",
         .advice = HOLD_SHORTER,
         .source = "Scalasca 2.6: omp_lock_contention_critical",
         .subject = PS_ON_LOCK,
         .definitions = BOTH,
         .formula = &critical_taken},
        {.id = "omp-lock-wait",
         .title = "Wait for an OpenMP lock",
         .summary = "A thread waits for another one to give back a lock of OpenMP.",
         .advice = HOLD_SHORTER,
         .source = "Scalasca 2.6: omp_lock_contention_api",
         .subject = PS_ON_LOCK,
         .definitions = BOTH,
         .formula = &openmp_lock_taken},
        {.id = "pthread-lock-wait",
         .title = "Wait for a mutex",
         .summary = "A thread waits for another one to unlock a POSIX mutex.",
         .advice = HOLD_SHORTER,
         .source = "Scalasca 2.6: pthread_lock_contention_mutex_lock",
         .subject = PS_ON_LOCK,
         .definitions = BOTH,
         .formula = &pthread_lock_taken},
};

const ps_family ps_family_threads = {rows, sizeof(rows) / sizeof(rows[0])};
