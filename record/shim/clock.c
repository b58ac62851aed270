/* clock.c - the clock of a process.
 *
 * Times are those of CLOCK_MONOTONIC, which all processes of a node share. Where the processor's counter is
 * what the kernel itself takes it from, that counter is read, since it costs a third, and pairs of both tell
 * the finish what it means. */
#define _GNU_SOURCE // NOLINT(bugprone-reserved-identifier): the C library's own switch
#include "record/shim/shim.h"

#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { PAIR_TRIES = 8 };
static const uint64_t NEXT_PAIR_NS = 500000000;

uint64_t ps_shim_monotonic(void)
{
        struct timespec now;
        clock_gettime(CLOCK_MONOTONIC, &now);
        return (uint64_t)now.tv_sec * 1000000000U + (uint64_t)now.tv_nsec;
}

/* The first bytes of a small file of the system. */
static void read_text(char *out, size_t size, const char *path)
{
        FILE *file = fopen(path, "re");
        size_t n = file ? fread(out, 1, size - 1, file) : 0;
        out[n] = '\0';
        if (file)
                (void)fclose(file);
}

bool ps_shim_clock_is_tsc(void)
{
#ifdef __x86_64__
        char source[16], cpu[8192];
        const char *wanted = getenv("PATSCAN_RECORD_CLOCK");
        read_text(source, sizeof(source), "/sys/devices/system/clocksource/clocksource0/current_clocksource");
        read_text(cpu, sizeof(cpu), "/proc/cpuinfo");
        return strncmp(source, "tsc", 3) == 0 && strstr(cpu, " constant_tsc") &&
               strstr(cpu, " nonstop_tsc") && (!wanted || strcmp(wanted, "monotonic") != 0);
#else
        return 0;
#endif
}

void ps_shim_clock_read(uint64_t *ticks, uint64_t *ns)
{
        uint64_t least = UINT64_MAX;
        for (int i = 0; i < PAIR_TRIES; i++) {
                uint64_t before = ps_shim_now(), at = ps_shim_monotonic(), after = ps_shim_now();
                if (after - before < least) {
                        least = after - before;
                        *ticks = before + least / 2;
                        *ns = at;
                }
        }
}

uint64_t ps_shim_clock_pair(void)
{
        uint64_t ticks = 0, ns = 0;
        ps_shim_clock_read(&ticks, &ns);
        ps_shim_define("pair %llu %llu\n", (unsigned long long)ticks, (unsigned long long)ns);
        /* A counter makes 1 to 6 ticks a nanosecond: the next pair comes after that long at most. */
        return ticks + NEXT_PAIR_NS;
}

uint64_t ps_shim_clock_name(void)
{
        char text[256] = "", space[64] = "";
        uint64_t name = 0xcbf29ce484222325U;
        read_text(text, 64, "/proc/sys/kernel/random/boot_id");
        ssize_t n = readlink("/proc/self/ns/time", space, sizeof(space) - 1);
        space[n > 0 ? n : 0] = '\0';
        if (!*text) /* nodes cannot be told from one another */
                (void)gethostname(text, sizeof(text) - sizeof(space) - 1);
        strcat(text, space);
        for (const char *p = text; *p; p++)
                name = (name ^ (uint8_t)*p) * 0x100000001b3U;
        return name;
}
