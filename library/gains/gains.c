/* gains.c - see gains.h. Each finding is a wish, and so is each place: what several ranks lose there. */
#include "library/gains/gains.h"

#include "core/base/memory.h"
#include "core/base/number.h"
#include "report/facts/places.h"

#include <stdlib.h>
#include <string.h>

/* UNASKED: operations in all the replays that nobody asked for. A finding takes as long as A_FINDING of them.
 */
enum { UNASKED = 1000000, A_FINDING = 8 };

/* Wishes are about findings in the order of the places. */
typedef struct work {
        ps_report *report;
        ps_report_places places;
        ps_report_finding **finding; /* those that wishes are about */
        uint32_t n_findings;
        ps_removals removals; /* of those findings */
        ps_wish *wishes;
        uint8_t *is_place; /* by wish */
        uint32_t n_wishes;
} work;

uint32_t ps_gains_unasked(uint64_t n_operations, uint64_t n_findings)
{
        uint64_t n = UNASKED / (n_operations + A_FINDING * n_findings + 1);
        return n < PS_GAINS_USUAL ? (uint32_t)n : PS_GAINS_USUAL;
}

ps_status ps_gains_parse(uint32_t *out, const char *text, uint32_t otherwise, ps_error *err)
{
        const char *at = text;
        uint64_t n;
        *out = otherwise;
        if (!text)
                return PS_OK;
        *out = UINT32_MAX;
        if (strcmp(text, "all") == 0)
                return PS_OK;
        *out = 0;
        if (strcmp(text, "none") == 0)
                return PS_OK;
        if (!ps_number_whole(&at, PS_GAINS_AUTO - 1, &n) || *at || !n)
                return PS_FAIL(err, PS_E_USAGE, "--gains needs a number, all or none: value=\"%s\"", text);
        *out = (uint32_t)n;
        return PS_OK;
}

/* -- which findings -- */

static void add_wish(work *w, uint32_t first, uint32_t n, bool is_place)
{
        w->is_place[w->n_wishes] = (uint8_t)is_place;
        w->wishes[w->n_wishes++] = (ps_wish){.first = first, .n = n};
}

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
                        add_wish(w, w->n_findings, 1, 0);
                w->n_findings++;
        }
        add_wish(w, first, place->n, 1);
}

static ps_status choose_findings(work *w, uint32_t most, const ps_removals_source *source, ps_error *err)
{
        uint32_t n = w->report->n_findings;
        ps_status status = ps_places_gather(&w->places, w->report, true, err);
        if (status != PS_OK)
                return status;
        w->finding = ps_memory_zeroed(n + (size_t)1, sizeof(ps_report_finding *));
        w->wishes = ps_memory_zeroed(2 * (size_t)n + 1, sizeof(*w->wishes));
        w->is_place = ps_memory_zeroed(2 * (size_t)n + 1, 1);
        const ps_finding **found = ps_memory_zeroed(n + (size_t)1, sizeof(const ps_finding *));
        if (!w->finding || !w->wishes || !w->is_place || !found) {
                free(found);
                return PS_NOMEM(err, "findings", n);
        }
        for (uint32_t i = 0; i < w->places.n; i++)
                add_place(w, &w->places.row[i], most);
        for (uint32_t i = 0; i < w->n_findings; i++)
                found[i] = w->finding[i]->finding;
        if (w->n_findings)
                status = ps_removals_gather(&w->removals, w->report->trace, w->report->timing, source, found,
                                            w->n_findings, err);
        free(found);
        return status;
}

/* -- what they gain -- */

/* A finding without operations tells nothing, not even where its place has other findings. */
static void keep_wish(const work *w, uint32_t wish)
{
        const ps_wish *of = &w->wishes[wish];
        for (uint32_t i = of->first; of->is_known && i < of->first + of->n; i++) {
                ps_report_finding *f = w->finding[i];
                if (!w->removals.row[i].n)
                        continue;
                if (w->is_place[wish]) {
                        f->place_gain = of->gain;
                        f->has_place_gain = true;
                }
                if (!w->is_place[wish] || of->n == 1) {
                        f->gain = of->gain;
                        f->has_gain = true;
                }
        }
}

ps_status ps_gains_put(ps_report *report, const ps_replays *replays, const ps_unwaited *removed,
                       const ps_removals_source *source, uint32_t most, ps_error *err)
{
        work w = {.report = report};
        const ps_gains_options options = {removed, ps_focus_length(report->timing), source->how->n_threads};
        ps_status status = choose_findings(&w, most, source, err);
        PS_THEN(status, ps_gains_find(w.wishes, w.n_wishes, w.removals.row, replays, &options, err));
        for (uint32_t i = 0; i < w.n_wishes && status == PS_OK; i++)
                keep_wish(&w, i);
        ps_removals_clear(&w.removals);
        ps_places_clear(&w.places);
        free(w.finding);
        free(w.wishes);
        free(w.is_place);
        return status;
}
