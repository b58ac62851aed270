/* record.c - see record.h. A line a call, with tabs between the fields; the first line tells of the process.
 */
#define _GNU_SOURCE
#include "tests/pgas/record.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static struct {
        pgas_call *at;
        size_t n, cap;
} calls;

uint64_t pgas_now(void)
{
        struct timespec t;
        clock_gettime(CLOCK_MONOTONIC, &t);
        return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

void pgas_record(const pgas_call *call)
{
        if (calls.n == calls.cap) {
                size_t cap = calls.cap ? 2 * calls.cap : 1024;
                pgas_call *grown = realloc(calls.at, cap * sizeof(*grown));
                if (!grown)
                        return;
                calls.at = grown;
                calls.cap = cap;
        }
        calls.at[calls.n++] = *call;
}

static const char *or_dash(const char *text)
{
        return text && *text ? text : "-";
}

int pgas_record_write(const char *creator, int rank, int ranks)
{
        const char *folder = getenv("PGAS_RECORD");
        char path[4096], host[256] = "host";
        if (!folder)
                return 0;
        gethostname(host, sizeof(host) - 1);
        snprintf(path, sizeof(path), "%s/%d.calls", folder, rank);
        FILE *file = fopen(path, "w");
        if (!file)
                return -1;
        fprintf(file, "%s\t%d\t%d\t%s\n", creator, rank, ranks, host);
        for (size_t i = 0; i < calls.n; i++) {
                const pgas_call *c = &calls.at[i];
                fprintf(file,
                        "%s\t%s\t%d\t%s\t%s\t%" PRId64 "\t%" PRId64 "\t%" PRId64 "\t%" PRIu64 "\t%" PRIu64
                        "\t%" PRIu64 "\t%d\n",
                        c->name, or_dash(c->file), c->line, or_dash(c->in), or_dash(c->out), c->root,
                        c->target, c->lock, c->bytes, c->enter, c->leave, c->failed);
        }
        int bad = ferror(file);
        return fclose(file) || bad ? -1 : 0;
}
