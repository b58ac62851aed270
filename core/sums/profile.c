/* profile.c - see profile.h. The run is cut into windows of time, which sweep.c looks at. */
#include "core/sums/merge.h"

#include <stdlib.h>

/* About so many operations in a window, and at least so many a location: of many locations, rows of each are
 * far from those of the others, so that fewer of them would be waited for. More of them cost less, as long as
 * what changes in a window takes a few megabytes. */
enum { WINDOW_OPS = 8192, WINDOW_OPS_MANY = 65536, WINDOW_LOCATION_OPS = 32 };

static uint32_t window_ops(uint32_t n_locs)
{
        const uint32_t few = n_locs * WINDOW_LOCATION_OPS, more = 2 * few;
        if (few >= WINDOW_OPS_MANY)
                return few;
        return more < WINDOW_OPS ? WINDOW_OPS : more < WINDOW_OPS_MANY ? more : WINDOW_OPS_MANY;
}

/* So many are looked at first where they may well go on in turns after that. */
enum { FEW_OPS = 64 };

const char *const ps_state_names[PS_STATE_COUNT] = {"busy", "overhead", "idle"};

static ps_status run_sweep(ps_sweep *s)
{
        const uint32_t most = window_ops(s->trace->n_locs);
        uint64_t n_ops;
        const bool can_merge = ps_merge_can(s);
        if (can_merge)
                s->length =
                        (ps_time)((double)s->length * FEW_OPS / ((double)s->trace->n_operations + FEW_OPS));
        for (ps_time now = 0; now < s->timing->duration; now = s->changes.window.end) {
                if (can_merge && ps_merge_follow(s))
                        return PS_NOMEM(s->err, "changes", s->changes.n_later);
                now = s->changes.window.end;
                const bool is_left = now < s->timing->duration;
                if (is_left)
                        PS_TRY(ps_sweep_follow(s, ps_sweep_window_end(s, now, most, &n_ops)));
                if (s->is_causal && s->is_early)
                        return PS_OK;
                if (is_left)
                        PS_TRY(ps_sweep_add_up(s));
        }
        return ps_sweep_end_locations(s);
}

/* Only few traces have messages that take no time or less: a sender looks for these when a receiver has seen
 * one. */
static ps_status make_profile(ps_profile **out, const ps_trace *trace, const ps_timing *timing,
                              uint32_t n_bins, bool has_queues, ps_error *err)
{
        ps_waits waits;
        bool is_early = trace->clock.left, is_done = false;
        ps_status status = ps_waits_make(&waits, trace, timing, err);
        *out = NULL;
        while (status == PS_OK && !is_done) {
                ps_sweep s = {
                        .trace = trace, .timing = timing, .waits = waits, .is_causal = !is_early, .err = err};
                status = ps_sweep_begin(&s, n_bins, has_queues);
                PS_THEN(status, run_sweep(&s));
                is_done = is_early || !s.is_early;
                is_early = true;
                ps_profile_free(*out);
                status = ps_sweep_end(out, &s, status);
        }
        ps_waits_free(&waits);
        return status;
}

ps_status ps_profile_make(ps_profile **out, const ps_trace *trace, const ps_timing *timing, uint32_t n_bins,
                          ps_error *err)
{
        return make_profile(out, trace, timing, n_bins ? n_bins : PS_PROFILE_BINS, false, err);
}

ps_status ps_profile_make_fine(ps_profile **out, const ps_trace *trace, const ps_timing *timing,
                               ps_error *err)
{
        return make_profile(out, trace, timing, PS_PROFILE_BINS_FINE, true, err);
}

void ps_profile_free(ps_profile *profile)
{
        if (!profile)
                return;
        for (int state = 0; state < PS_STATE_COUNT; state++)
                free(profile->concurrency[state]);
        free(profile->rows);
        free(profile->bins);
        free(profile->queue);
        free(profile->queue_bytes);
        free(profile->pairs);
        free(profile);
}
