/* traffic.c - what was under way over time, the queues of all ranks, and how many of them were in a state at
 * once: what the profile of the run says, for the pictures of a page. */
#include "report/page/own.h"

#include <inttypes.h>

enum { CONCURRENCY_LANES = 10000 };

static const ps_profile *profile_of(const ps_picture *p)
{
        const ps_profile *profile = p->lanes->report->settings.profile;
        return profile && profile->n_queue_bins && !p->is_part && profile->n_rows == p->n_lanes ? profile
                                                                                                : NULL;
}

static double of_bin(const ps_profile_bin *bin, ps_traffic_what what)
{
        const double value[PS_TRAFFIC_KINDS] = {bin->messages, bin->bytes, (double)bin->most_messages,
                                                (double)bin->most_bytes};
        return value[what];
}

static double largest_of(const ps_profile *profile, ps_traffic_what what)
{
        double most = 0;
        for (uint32_t i = 0; i < profile->n_bins; i++)
                most = of_bin(&profile->bins[i], what) > most ? of_bin(&profile->bins[i], what) : most;
        return most;
}

static double largest_queue(const ps_profile *profile, const double *queue)
{
        double most = 0;
        for (size_t i = 0; i < (size_t)profile->n_rows * profile->n_queue_bins; i++)
                most = queue[i] > most ? queue[i] : most;
        return most;
}

void ps_traffic_find(ps_traffic *out, const ps_picture *p)
{
        *out = (ps_traffic){.profile = profile_of(p)};
        if (!out->profile)
                return;
        for (unsigned what = 0; what < PS_TRAFFIC_KINDS; what++)
                out->largest[what] = largest_of(out->profile, (ps_traffic_what)what);
        out->queue = largest_queue(out->profile, out->profile->queue);
        out->queue_bytes = largest_queue(out->profile, out->profile->queue_bytes);
}

uint32_t ps_traffic_at(const ps_traffic *t, ps_traffic_what what, uint32_t bin)
{
        return ps_page_part(of_bin(&t->profile->bins[bin], what), t->largest[what], UINT32_MAX);
}

uint32_t ps_traffic_queue(const ps_traffic *t, uint32_t cell)
{
        return ps_page_part(t->profile->queue[cell], t->queue, UINT16_MAX);
}

uint32_t ps_traffic_queue_bytes(const ps_traffic *t, uint32_t cell)
{
        return ps_page_part(t->profile->queue_bytes[cell], t->queue_bytes, UINT16_MAX);
}

static void put_concurrency(const ps_profile *profile, ps_output *out)
{
        ps_output_puts(out, ",\n\"concurrency\":");
        if (profile->n_rows > CONCURRENCY_LANES) {
                ps_output_puts(out, "null");
                return;
        }
        for (int state = 0; state < PS_STATE_COUNT; state++)
                for (uint32_t k = 0; k <= profile->n_rows; k++)
                        ps_output_printf(out, "%s%.12g%s",
                                         k       ? ","
                                         : state ? ",["
                                                 : "[[",
                                         (double)profile->concurrency[state][k] / PS_PS_PER_NS,
                                         k < profile->n_rows ? "" : "]");
        ps_output_putc(out, ']');
}

static void put_peaks(const ps_profile *profile, ps_output *out)
{
        ps_output_puts(out, ",\n\"queues\":[");
        for (uint32_t i = 0; i < profile->n_rows; i++)
                ps_output_printf(out, "%s[%" PRIu64 ",%" PRIu64 "]", i ? "," : "",
                                 profile->rows[i].queue.value, profile->rows[i].queue_bytes.value);
        ps_output_putc(out, ']');
}

void ps_traffic_put(const ps_picture *p, ps_output *out)
{
        ps_traffic t;
        ps_traffic_find(&t, p);
        ps_output_puts(out, ",\n\"traffic\":");
        if (!t.profile) {
                ps_output_puts(out, "null");
                return;
        }
        ps_output_printf(out, "{\"from\":%" PRIu32 ",\"to\":%" PRIu32 ",\"bins\":%" PRIu32,
                         ps_picture_tick(p, t.profile->span.begin), ps_picture_tick(p, t.profile->span.end),
                         t.profile->n_bins);
        ps_output_printf(out, ",\"queueBins\":%" PRIu32 ",\"largest\":[", t.profile->n_queue_bins);
        for (unsigned what = 0; what < PS_TRAFFIC_KINDS; what++)
                ps_output_printf(out, "%s%.12g", what ? "," : "", t.largest[what]);
        ps_output_printf(out, "],\"queueLargest\":[%.12g,%.12g]", t.queue, t.queue_bytes);
        put_concurrency(t.profile, out);
        put_peaks(t.profile, out);
        ps_output_putc(out, '}');
}
