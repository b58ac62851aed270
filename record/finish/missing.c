/* missing.c - what is missing of a recording, in words. */
#include "core/base/number.h"
#include "record/finish/run.h"
#include "record/finish/runs.h"

#include <stdio.h>
#include <string.h>

static void tell_missing(ps_finished *out, const char *what)
{
        size_t n = strlen(out->incomplete);
        snprintf(out->incomplete + n, sizeof(out->incomplete) - n, "%s%s", n ? "; " : "", what);
}

static bool is_listed(const char *list, uint32_t rank)
{
        uint64_t first, last;
        while (list && ps_number_range(&list, UINT32_MAX, &first, &last)) {
                if (rank >= first && rank <= last)
                        return 1;
                list = *list == ',' ? list + 1 : NULL;
        }
        return 0;
}

/* "rank 2", "ranks 1, 4 and 7 more". */
static void tell_silent(ps_finished *out, const ps_raw_run *run, const char *ranks)
{
        enum { SHOWN = 8 };
        char text[256] = "";
        uint32_t n = 0, p = 0;
        for (uint32_t rank = 0; rank < run->size; rank++) {
                while (p < run->processes.n && run->processes.row[p].rank < rank)
                        p++;
                if ((p < run->processes.n && run->processes.row[p].rank == rank) ||
                    (ranks && !is_listed(ranks, rank)))
                        continue;
                size_t at = strlen(text);
                if (n++ < SHOWN)
                        snprintf(text + at, sizeof(text) - at, "%s%u", at ? ", " : "", rank);
        }
        if (n == 0)
                return;
        char whole[320];
        size_t at = (size_t)snprintf(whole, sizeof(whole), "nothing was recorded of rank%s %s",
                                     n > 1 ? "s" : "", text);
        if (n > SHOWN)
                snprintf(whole + at, sizeof(whole) - at, " and %u more", n - SHOWN);
        tell_missing(out, whole);
}

/* How often each reason was given, and the first rank with it. */
typedef struct reasons {
        uint32_t n[PS_RAW_ENDS], first[PS_RAW_ENDS];
} reasons;

static void count_reason(reasons *r, uint64_t why, uint32_t rank)
{
        if (why < PS_RAW_ENDS && r->n[why]++ == 0)
                r->first[why] = rank;
}

/* Why rows end before their thread did. */
static void tell_ends(ps_finished *out, const ps_raw_run *run)
{
        static const char *const texts[PS_RAW_ENDS] = {
                [PS_RAW_NO_SPACE] = "the disk was full",
                [PS_RAW_MAX_SIZE] = "--max-size was reached",
                [PS_RAW_NO_MEMORY] = "there was no memory for more rows",
                [PS_RAW_FILE_SIZE] = "files may not be so large (ulimit -f)",
                [PS_RAW_NO_FILE] = "a file of the recording could not be opened or written"};
        reasons r = {.n = {0}};
        for (uint32_t i = 0; i < run->threads.n; i++) {
                const ps_raw_run_thread *thread = &run->threads.row[i];
                ps_rows rows;
                if (!thread->path || ps_rows_open(&rows, thread->path, NULL) != PS_OK)
                        continue;
                count_reason(&r, rows.head.end, thread->rank);
                ps_rows_close(&rows);
        }
        for (uint32_t i = 0; i < run->processes.n; i++)
                count_reason(&r, run->processes.row[i].cut, run->processes.row[i].rank);
        for (int why = 0; why < PS_RAW_ENDS; why++) {
                char text[160];
                if (!texts[why] || !r.n[why])
                        continue;
                snprintf(text, sizeof(text), "%s: %u thread%s, rank %u first", texts[why], r.n[why],
                         r.n[why] > 1 ? "s" : "", r.first[why]);
                tell_missing(out, text);
        }
}

void ps_finish_tell(ps_finished *out, const ps_raw_run *run, const char *ranks)
{
        tell_silent(out, run, ranks);
        tell_ends(out, run);
}
