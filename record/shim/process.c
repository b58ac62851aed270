/* process.c - what a process that is recorded says of itself first: who it is, and where it may run. */
#define _GNU_SOURCE // NOLINT(bugprone-reserved-identifier): the C library's own switch
#include "record/shim/shim.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <unistd.h>

enum { PROCESSORS_MOST = 1 << 16, LIST_ROOM = 2048, RANGE_ROOM = 24 };

/* "0-3,8"; false if it takes more room than there is. */
static bool list_processors(char out[LIST_ROOM], const cpu_set_t *set, size_t size, int most)
{
        size_t n = 0;
        for (int i = 0; i < most; i++) {
                if (!CPU_ISSET_S((size_t)i, size, set))
                        continue;
                int first = i;
                while (i + 1 < most && CPU_ISSET_S((size_t)i + 1, size, set))
                        i++;
                if (n + RANGE_ROOM > LIST_ROOM)
                        return false;
                n += (size_t)snprintf(out + n, LIST_ROOM - n, first == i ? "%s%d" : "%s%d-%d", n ? "," : "",
                                      first, i);
        }
        return n > 0;
}

/* The processors that the calling thread may run on. The kernel wants room for all that there could be. */
static bool find_processors(char out[LIST_ROOM])
{
        bool is_found = false;
        for (int most = CPU_SETSIZE; most <= PROCESSORS_MOST; most *= 2) {
                size_t size = CPU_ALLOC_SIZE((size_t)most);
                cpu_set_t *set = CPU_ALLOC((size_t)most);
                int failed = set ? sched_getaffinity(0, size, set) : -1;
                bool is_too_small = set && failed && errno == EINVAL;
                is_found = set && !failed && list_processors(out, set, size, most);
                if (set)
                        CPU_FREE(set);
                if (!is_too_small)
                        break;
        }
        return is_found;
}

void ps_shim_process_define(const ps_shim_world *world, bool is_tsc)
{
        char host[256] = "", processors[LIST_ROOM];
        (void)gethostname(host, sizeof(host) - 1);
        ps_shim_define("%s\n", PS_RAW_VERSION);
        ps_shim_define("process %d %d %ld %llx %s %d %s\n", world->rank, world->size, (long)getpid(),
                       (unsigned long long)ps_shim_clock_name(), is_tsc ? "tsc" : "ns", world->level, host);
        if (find_processors(processors))
                ps_shim_define("processors %s\n", processors);
}
