/* serial.c - the serial part of a run: what one thread computes while its team has nothing to do. Nobody
 * waits for it, so that it is no cause; but the critical path goes through it. */
#include "report/causes/words.h"

#include "core/base/memory.h"
#include "core/sums/times.h"
#include "report/facts/sites.h"

#include <stdlib.h>

/* Of the critical path: less is not worth a line. */
#define WORTH_SAYING 0.05

enum { NAME_BYTES = 120 };

/* Computed in a function, outside of all constructs of OpenMP. */
static bool is_serial(const ps_trace *trace, const uint8_t *kind, ps_path path)
{
        if (!path || kind[path] != PS_TIME_COMPUTATION)
                return false;
        for (; path; path = trace->paths[path].parent) {
                const ps_region_def *region = ps_path_region(trace, path);
                if (!region || region->paradigm == PS_PARADIGM_OPENMP)
                        return false;
        }
        return true;
}

/* `threads`: by process, how many are in teams. */
static void add_row(ps_serial *to, const ps_trace *trace, const ps_critical_row *row, const uint32_t *threads)
{
        ps_time sum = 0;
        for (ps_loc loc = 0; loc < trace->n_locs; loc++) {
                const uint32_t n = threads[trace->defs.locations.row[loc].process];
                const ps_time time = n > 1 ? row->by_location[loc] : 0;
                sum += time;
                to->spared += time - time / (n ? n : 1);
        }
        to->all += sum;
        if (sum > to->most) {
                to->most = sum;
                to->path = row->path;
        }
}

/* By process. Is there any with a team of several? */
static bool count_threads(uint32_t *threads, const ps_trace *trace)
{
        bool is_any = false;
        for (ps_loc loc = 0; loc < trace->n_locs; loc++)
                if (trace->info[loc].n_teams)
                        is_any |= ++threads[trace->defs.locations.row[loc].process] > 1;
        return is_any;
}

static ps_status add_rows(ps_serial *to, const ps_trace *trace, const ps_critical *critical,
                          const uint32_t *threads, ps_error *err)
{
        uint8_t *kind;
        PS_TRY(ps_times_of_paths(&kind, trace, err));
        for (uint32_t i = 0; i < critical->n; i++)
                if (is_serial(trace, kind, critical->row[i].path))
                        add_row(to, trace, &critical->row[i], threads);
        free(kind);
        return PS_OK;
}

ps_status ps_serial_find(ps_serial *out, const ps_trace *trace, const ps_critical *critical, ps_error *err)
{
        const uint32_t n = trace->defs.processes.n;
        uint32_t *threads = ps_memory_zeroed(n + (size_t)1, sizeof(*threads));
        *out = (ps_serial){0};
        if (!threads)
                return PS_NOMEM(err, "processes", n);
        ps_status status =
                count_threads(threads, trace) ? add_rows(out, trace, critical, threads, err) : PS_OK;
        free(threads);
        return status;
}

void ps_cause_say_serial(ps_sentence *s, const ps_report *report)
{
        char all[PS_NUMBER_ROOM], most[PS_NUMBER_ROOM];
        if (!report->blame || !report->blame->critical)
                return;
        const ps_serial serial = report->blame->serial;
        const double length = (double)report->blame->critical->length;
        if ((double)serial.all < WORTH_SAYING * length || !serial.all)
                return;
        ps_text_duration(all, serial.all);
        ps_text_duration(most, serial.most);
        ps_sentence_add(s,
                        "Outside of parallel regions one thread of a rank computes alone: %s of the critical "
                        "path, %.0f %% of the run; %s of that in %.*s. Shared out among all threads of the "
                        "rank it would make the run at most %.0f %% shorter.",
                        all, 100 * (double)serial.all / length, serial.most == serial.all ? "all" : most,
                        NAME_BYTES, ps_site_call(report, serial.path), 100 * (double)serial.spared / length);
}
