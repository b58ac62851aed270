/* gains.c - see gains.h. Each finding is a scenario, and so is each place: what several ranks lose there.
 * They are replayed many at a time. */
#include "app/whatif/gains.h"

#include "core/base/memory.h"
#include "report/facts/places.h"

#include <stdlib.h>
#include <string.h>

/* UNASKED: operations in all the replays that nobody asked for. A finding takes as long as A_FINDING of them.
 */
enum { AT_A_TIME = 64, UNASKED = 1000000, A_FINDING = 8 };

/* A scenario: these findings, in the order of the places, are gone. */
typedef struct wish {
        uint32_t first, n;
        uint8_t is_place;
} wish;

typedef struct work {
        ps_report *report;
        const ps_replays *replays;
        const ps_unwaited *removed;
        ps_report_places places;
        ps_report_finding **finding; /* those that wishes are about */
        uint32_t n_findings;
        ps_waits waits; /* of those findings */
        wish *wishes;
        uint32_t n_wishes;
} work;

uint32_t ps_gains_unasked(uint64_t n_operations, uint64_t n_findings)
{
        uint64_t n = UNASKED / (n_operations + A_FINDING * n_findings + 1);
        return n < PS_GAINS_USUAL ? (uint32_t)n : PS_GAINS_USUAL;
}

ps_status ps_gains_parse(uint32_t *out, const char *text, uint32_t otherwise, ps_error *err)
{
        char *end;
        *out = otherwise;
        if (!text)
                return PS_OK;
        *out = UINT32_MAX;
        if (strcmp(text, "all") == 0)
                return PS_OK;
        *out = 0;
        if (strcmp(text, "none") == 0)
                return PS_OK;
        unsigned long n = text[0] >= '0' && text[0] <= '9' ? strtoul(text, &end, 10) : 0;
        if (!n || *end || n >= PS_GAINS_AUTO)
                return PS_FAIL(err, PS_E_USAGE,
                               "bad number: option=\"--gains\", value=\"%s\", forms=\"10, all, none\"", text);
        *out = (uint32_t)n;
        return PS_OK;
}

/* -- which findings -- */

static void add_place(work *w, const ps_report_place *place, uint32_t most)
{
        uint32_t first = w->n_findings, n_wanted = 0;
        for (uint32_t i = 0; i < place->n; i++)
                n_wanted += (uint32_t)(place->finding[i] - w->report->findings) < most;
        if (!n_wanted || place->finding[0]->pattern->is_view)
                return;
        for (uint32_t i = 0; i < place->n; i++) {
                uint32_t at = (uint32_t)(place->finding[i] - w->report->findings);
                w->finding[w->n_findings] = &w->report->findings[at];
                if (at < most && place->n > 1)
                        w->wishes[w->n_wishes++] = (wish){w->n_findings, 1, 0};
                w->n_findings++;
        }
        w->wishes[w->n_wishes++] = (wish){first, place->n, 1};
}

static ps_status choose(work *w, uint32_t most, const ps_analysis_options *how, ps_error *err)
{
        uint32_t n = w->report->n_findings;
        ps_status status = ps_places_gather(&w->places, w->report, err);
        if (status < 0)
                return status;
        w->finding = ps_memory_zeroed(n + (size_t)1, sizeof(ps_report_finding *));
        w->wishes = ps_memory_zeroed(2 * (size_t)n + 1, sizeof(*w->wishes));
        const ps_finding **found = ps_memory_zeroed(n + (size_t)1, sizeof(const ps_finding *));
        if (!w->finding || !w->wishes || !found) {
                free(found);
                return PS_NOMEM(err, "findings", n);
        }
        for (uint32_t i = 0; i < w->places.n; i++)
                add_place(w, &w->places.row[i], most);
        for (uint32_t i = 0; i < w->n_findings; i++)
                found[i] = w->finding[i]->finding;
        if (w->n_findings)
                status = ps_waits_gather(&w->waits, w->report->trace, w->report->timing, how, found,
                                         w->n_findings, err);
        free(found);
        return status;
}

/* -- the replays -- */

static uint64_t rows_of(const work *w, const wish *of)
{
        uint64_t n = 0;
        for (uint32_t i = 0; i < of->n; i++)
                n += w->waits.row[of->first + i].n;
        return n;
}

static ps_status prepare(const work *w, const wish *of, ps_unwaited *set, ps_scenario *scenario,
                         ps_error *err)
{
        const ps_trace *trace = w->report->trace;
        ps_status status = ps_unwaited_new(set, trace, w->removed, err);
        for (uint32_t i = 0; i < of->n && status == PS_OK; i++)
                status = ps_unwaited_add(set, trace, &w->waits.row[of->first + i], err);
        *scenario = w->replays->scenario;
        scenario->unwaited = (const uint64_t *const *)set->rows;
        return status;
}

static void keep(work *w, const wish *of, const ps_replayed *run)
{
        ps_time before = w->report->timing->duration;
        ps_time gain = run->total < before ? ps_time_sub(before, run->total) : 0;
        if (run->stuck)
                return;
        for (uint32_t i = 0; i < of->n; i++) {
                ps_report_finding *f = w->finding[of->first + i];
                if (!w->waits.row[of->first + i].n)
                        continue;
                if (of->is_place) {
                        f->place_gain = gain;
                        f->has_place_gain = 1;
                }
                if (!of->is_place || of->n == 1) {
                        f->gain = gain;
                        f->has_gain = 1;
                }
        }
}

/* `most` wishes from `first` on; those that no row belongs to say nothing. */
static ps_status replay_some(work *w, uint32_t first, uint32_t most, ps_error *err)
{
        ps_unwaited sets[AT_A_TIME] = {{0}};
        ps_scenario scenarios[AT_A_TIME];
        ps_replayed runs[AT_A_TIME];
        uint32_t of[AT_A_TIME], n = 0;
        const ps_replay_options options = {.n_threads = w->report->settings.options->n_threads};
        ps_status status = PS_OK;
        for (uint32_t i = first; i < first + most && status == PS_OK; i++) {
                if (!rows_of(w, &w->wishes[i]))
                        continue;
                of[n] = i;
                status = prepare(w, &w->wishes[i], &sets[n], &scenarios[n], err);
                n++;
        }
        if (status == PS_OK)
                status = ps_replay_run(runs, w->replays->replay, scenarios, n, &options, err);
        for (uint32_t i = 0; i < n; i++) {
                if (status == PS_OK) {
                        keep(w, &w->wishes[of[i]], &runs[i]);
                        ps_replayed_clear(&runs[i]);
                }
                ps_unwaited_clear(&sets[i]);
        }
        return status;
}

ps_status ps_gains_find(ps_report *report, const ps_replays *replays, const ps_unwaited *removed,
                        const ps_analysis_options *how, uint32_t most, ps_error *err)
{
        work w = {.report = report, .replays = replays, .removed = removed};
        ps_status status = choose(&w, most, how, err);
        for (uint32_t i = 0; i < w.n_wishes && status == PS_OK; i += AT_A_TIME) {
                uint32_t left = w.n_wishes - i;
                status = replay_some(&w, i, left < AT_A_TIME ? left : AT_A_TIME, err);
        }
        ps_waits_clear(&w.waits);
        ps_places_clear(&w.places);
        free(w.finding);
        free(w.wishes);
        return status;
}
