/* times.c - where all time in the focus went, for people: a table that adds up, and who was waited for. */
#include "report/causes/words.h"
#include "report/formats/analysis.h"

#include <inttypes.h>

/* "rank 3", or "rank 3, thread 1". */
static void put_location_times(ps_doc *doc, const ps_report *report, ps_loc loc)
{
        const ps_defs *defs = &report->trace->defs;
        const ps_location_def *location = &defs->locations.row[loc];

        ps_doc_putf(doc, PS_DOC_PLAIN, "rank %" PRIu32, location->process);
        if (defs->processes.row[location->process].n_locs > 1)
                ps_doc_putf(doc, PS_DOC_PLAIN, ", thread %" PRIu32, location->thread);
}

static void put_time(ps_doc *doc, const ps_report *report, ps_time_kind kind)
{
        const ps_time *time = ps_times_of_kind(report->times, kind);
        double share = ps_times_share(report->times, report->times->sum[kind]);
        const bool is_lost = ps_time_infos[kind].nature == PS_TIME_IS_LOST;
        ps_loc most = 0;

        for (ps_loc l = 1; l < report->times->n_locs; l++)
                most = time[l] > time[most] ? l : most;
        ps_doc_row(doc, 0);
        ps_doc_cell(doc, PS_DOC_PLAIN, ps_time_infos[kind].title);
        ps_doc_cell_begin(doc);
        ps_doc_put_share(doc, is_lost ? ps_doc_loudness(share) : PS_DOC_PLAIN, share);
        ps_doc_cell_time(doc, report->times->sum[kind]);
        ps_doc_cell_time(doc, time[most]);
        ps_doc_cell_begin(doc);
        put_location_times(doc, report, most);
        ps_doc_cell_begin(doc);
        ps_doc_put_bar(doc, &(ps_doc_part){is_lost ? "loss" : "productive", "share", share}, 1, 1);
}

/* The next one after `last` of those that were waited for, from the longest on; PS_NONE: there are no more.
 */
static uint32_t next_awaited(const ps_time *awaited, uint32_t n, uint32_t last)
{
        uint32_t best = PS_NONE;

        for (uint32_t p = 0; p < n; p++)
                if (awaited[p] &&
                    (last == PS_NONE || awaited[p] < awaited[last] ||
                     (awaited[p] == awaited[last] && p > last)) &&
                    (best == PS_NONE || awaited[p] > awaited[best]))
                        best = p;
        return best;
}

static void put_awaited_rest(ps_doc *doc, bool is_first, const char *whom, ps_time time)
{
        if (!time)
                return;
        ps_doc_putf(doc, PS_DOC_PLAIN, "%s%s ", is_first ? "" : ", ", whom);
        ps_doc_put_time(doc, PS_DOC_PLAIN, time);
}

/* Those that were waited for most; one more takes no more room than "others". What a trace only calls idle,
 * and waits of which it does not tell who came last, are for nobody. */
static void put_awaited(ps_doc *doc, const ps_report *report)
{
        enum { MOST = 3 };
        const ps_time *awaited = report->analysis->awaited;
        ps_time all = report->times->sum[PS_TIME_WAITING], known = 0, told = 0;
        uint32_t n = report->trace->defs.processes.n, n_awaited = 0, last = PS_NONE;

        if (!awaited || !all)
                return;
        for (uint32_t p = 0; p < n; p++) {
                known = ps_time_add(known, awaited[p]);
                n_awaited += awaited[p] != 0;
        }
        known = known < all ? known : all;
        ps_doc_begin(doc, PS_DOC_P);
        ps_doc_put(doc, PS_DOC_PLAIN, "Waited for: ");
        for (unsigned shown = 0; shown < MOST + (n_awaited == MOST + 1); shown++) {
                uint32_t best = next_awaited(awaited, n, last);
                if (best == PS_NONE)
                        break;
                ps_doc_putf(doc, PS_DOC_PLAIN, "%srank %" PRIu32 " (", told ? ", " : "", best);
                ps_doc_put_time(doc, PS_DOC_PLAIN, awaited[best]);
                ps_doc_put(doc, PS_DOC_PLAIN, ")");
                told += awaited[best];
                last = best;
        }
        put_awaited_rest(doc, 0, "others", known > told ? known - told : 0);
        put_awaited_rest(doc, !known, "nobody whom the trace names", all - known);
        ps_doc_put(doc, PS_DOC_PLAIN, ".");
        ps_doc_end(doc);
}

ps_status ps_analysis_put_times(ps_doc *doc, const void *subject, ps_error *err)
{
        const ps_report *report = subject;
        char room[PS_COMMENT_ROOM];
        ps_sentence said = {room, sizeof(room), 0};

        (void)err;
        ps_cause_say_serial(&said, report);
        ps_doc_begin_table(doc, PS_DOC_TABLE, "All time", "Kind|=Share|=Time|=Most|By|+of all time");
        for (unsigned kind = 0; kind < PS_TIME_KINDS; kind++)
                if (report->times->sum[kind])
                        put_time(doc, report, (ps_time_kind)kind);
        ps_doc_end_table(doc);
        put_awaited(doc, report);
        if (said.n)
                ps_doc_say(doc, PS_DOC_P, "%s", room);
        return PS_OK;
}
