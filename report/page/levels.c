/* levels.c - see levels.h. */
#include "report/page/levels.h"

#include "core/base/memory.h"

#include <stdlib.h>
#include <string.h>

ps_status ps_levels_make(ps_levels *out, uint32_t n_lanes, uint32_t n_bins, unsigned n_levels, ps_error *err)
{
        *out = (ps_levels){.n_lanes = n_lanes, .n_bins = n_bins << (n_levels - 1), .n = n_levels};
        for (unsigned k = 0; k < n_levels; k++) {
                out->level[k] = ps_memory_zeroed(n_lanes, (size_t)ps_levels_bins(out, k) * PS_LANE_STATES);
                if (!out->level[k])
                        return PS_NOMEM(err, "bins of a page", ps_levels_bins(out, k));
        }
        return PS_OK;
}

void ps_levels_clear(ps_levels *levels)
{
        for (unsigned k = 0; k < levels->n; k++)
                free(levels->level[k]);
        *levels = (ps_levels){0};
}

static void keep_bins(uint8_t *to, const double *time, size_t n)
{
        for (size_t bin = 0; bin < n; bin += PS_LANE_STATES) {
                double sum = 0;
                for (size_t i = bin; i < bin + PS_LANE_STATES; i++)
                        sum += time[i];
                for (size_t i = bin; i < bin + PS_LANE_STATES && sum > 0; i++)
                        to[i] = (uint8_t)(time[i] / sum * 255 + 0.5);
        }
}

/* Two bins become one. */
static void halve(double *time, size_t n)
{
        for (size_t bin = 0; bin < n; bin += PS_LANE_STATES)
                for (size_t i = 0; i < PS_LANE_STATES; i++)
                        time[bin + i] = time[2 * bin + i] + time[2 * bin + PS_LANE_STATES + i];
}

void ps_levels_keep(ps_levels *levels, uint32_t lane, double *time)
{
        size_t n_all = (size_t)levels->n_bins * PS_LANE_STATES;
        for (unsigned k = 0; k < levels->n; k++) {
                size_t n = (size_t)ps_levels_bins(levels, k) * PS_LANE_STATES;
                if (k)
                        halve(time, n);
                keep_bins(levels->level[k] + lane * n, time, n);
        }
        memset(time, 0, n_all * sizeof(*time));
}
