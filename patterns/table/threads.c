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
#include "patterns/table/threads.def"
};

const ps_family ps_family_threads = {rows, sizeof(rows) / sizeof(rows[0])};
