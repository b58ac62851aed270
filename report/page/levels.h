/* levels.h - of what is mixed in each lane, how much of which state there is, by bins of time: in levels,
 * each with half as many bins as the one before. */
#ifndef PS_REPORT_PAGE_LEVELS_H
#define PS_REPORT_PAGE_LEVELS_H

#include "report/page/lanes.h"

enum { PS_LEVELS_MOST = 20 };

typedef struct ps_levels {
        uint32_t n_lanes, n_bins;       /* of the finest level */
        unsigned n;                     /* levels; 0: nothing is mixed */
        uint8_t *level[PS_LEVELS_MOST]; /* [lane][bin][state], in 255ths of what is mixed there */
} ps_levels;

/* To be cleared, also after a failure. `n_bins` is of the coarsest one. */
ps_status ps_levels_make(ps_levels *out, uint32_t n_lanes, uint32_t n_bins, unsigned n_levels, ps_error *err);
void ps_levels_clear(ps_levels *levels);

/* `time`: [bin][state] of a lane, of the finest bins. All of it is 0 afterwards. */
void ps_levels_keep(ps_levels *levels, uint32_t lane, double *time);

static inline uint32_t ps_levels_bins(const ps_levels *levels, unsigned level)
{
        return levels->n_bins >> level;
}

#endif
