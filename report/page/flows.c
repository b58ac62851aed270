/* flows.c - see flows.h. */
#include "report/page/flows.h"
#include "report/page/own.h"

#include "core/base/memory.h"
#include "core/base/search.h"

#include <stdlib.h>

/* So many bins of all pairs together. */
enum { CELLS = 1 << 19, LEAST_BINS = 8, MOST_BINS = 1024 };

static uint32_t choose_bins(size_t n_pairs)
{
        uint32_t bins = LEAST_BINS;
        while (bins < MOST_BINS && (uint64_t)n_pairs * bins * 2 <= CELLS)
                bins *= 2;
        return bins;
}

/* Pairs are sorted by from, then to. SIZE_MAX: nobody counts it. */
static size_t find_pair(const ps_profile *profile, ps_proc from, ps_proc to)
{
        size_t low = 0;
        PS_SEARCH(low, profile->n_pairs, i,
                  profile->pairs[i].from < from ||
                          (profile->pairs[i].from == from && profile->pairs[i].to < to))
        return low < profile->n_pairs && profile->pairs[low].from == from && profile->pairs[low].to == to
                       ? low
                       : SIZE_MAX;
}

static void add_message(ps_flows *f, size_t pair, ps_span span, ps_span all, uint64_t bytes)
{
        double width = (double)(all.end - all.begin) / f->n_bins;
        double at = (double)((span.begin > all.begin ? span.begin : all.begin) - all.begin);
        double end = (double)((span.end < all.end ? span.end : all.end) - all.begin);
        for (uint32_t bin = (uint32_t)(at / width); bin < f->n_bins && at < end; bin++) {
                double until = (bin + 1) * width < end ? (bin + 1) * width : end;
                float *cell = &f->under_way[(pair * f->n_bins + bin) * PS_FLOW_KINDS];
                cell[PS_FLOW_MESSAGES] += (float)((until - at) / width);
                cell[PS_FLOW_BYTES] += (float)((until - at) / width * (double)bytes);
                at = until;
        }
}

struct sending {
        ps_flows *flows;
        const ps_report *report;
};

static bool add_sent(void *ctx, const ps_loan_message *message)
{
        const struct sending *s = ctx;
        const ps_profile *profile = s->report->settings.profile;
        const ps_location_def *locations = s->report->trace->defs.locations.row;
        size_t pair = find_pair(profile, locations[message->send.loc].process,
                                locations[message->receive.loc].process);
        if (pair != SIZE_MAX)
                add_message(s->flows, pair, (ps_span){message->sent, message->received}, profile->span,
                            message->bytes);
        return true;
}

static void find_most(ps_flows *f)
{
        for (size_t i = 0; i < f->n_pairs * f->n_bins * PS_FLOW_KINDS; i++) {
                size_t pair = i / f->n_bins / PS_FLOW_KINDS, what = i % PS_FLOW_KINDS;
                if (f->under_way[i] > f->most[what][pair])
                        f->most[what][pair] = f->under_way[i];
                if ((double)f->under_way[i] > f->largest[what])
                        f->largest[what] = (double)f->under_way[i];
        }
}

ps_status ps_flows_make(ps_flows *out, const ps_report *report, ps_error *err)
{
        const ps_profile *profile = report->settings.profile;
        struct sending sending = {out, report};
        *out = (ps_flows){.n_bins = choose_bins(profile->n_pairs)};
        out->under_way = ps_memory_zeroed(profile->n_pairs,
                                          (size_t)out->n_bins * PS_FLOW_KINDS * sizeof(*out->under_way));
        for (int what = 0; what < PS_FLOW_KINDS; what++)
                out->most[what] = ps_memory_zeroed(profile->n_pairs, sizeof(**out->most));
        if (!out->under_way || !out->most[PS_FLOW_MESSAGES] || !out->most[PS_FLOW_BYTES])
                return PS_NOMEM(err, "pairs of processes over time", profile->n_pairs);
        out->n_pairs = profile->n_pairs;
        PS_TRY(ps_loan_messages(report->trace, report->timing, &(ps_loan_senders){.n = report->trace->n_locs},
                                add_sent, &sending, err));
        find_most(out);
        return PS_OK;
}

void ps_flows_clear(ps_flows *f)
{
        free(f->under_way);
        for (int what = 0; what < PS_FLOW_KINDS; what++)
                free(f->most[what]);
        *f = (ps_flows){0};
}

uint8_t ps_flow_at(const ps_flows *f, ps_flow_what what, size_t pair, uint32_t bin)
{
        float now = f->under_way[(pair * f->n_bins + bin) * PS_FLOW_KINDS + what];
        return (uint8_t)ps_page_part((double)now, (double)f->most[what][pair], UINT8_MAX);
}

uint32_t ps_flow_most(const ps_flows *f, ps_flow_what what, size_t pair)
{
        return ps_page_part((double)f->most[what][pair], f->largest[what], UINT32_MAX);
}
