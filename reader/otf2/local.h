/* local.h - the local definitions of a location: how its ids and its clock relate to the global ones. */
#ifndef PS_READER_OTF2_LOCAL_H
#define PS_READER_OTF2_LOCAL_H

#include "core/base/error.h"
#include "reader/otf2/bytes.h"

#include <otf2/OTF2_GeneralDefinitions.h>

/* Local to global ids of one kind: a list (dense), or pairs sorted by the local id. */
typedef struct ps_otf2_map {
        uint32_t *to;
        uint64_t *from; /* NULL: dense, an id is its own place */
        uint64_t n;
} ps_otf2_map;

/* From `begin` on, `offset + slope * (t - begin)` ticks are to be added, up to `end`, where the next begins.
 */
typedef struct ps_otf2_interval {
        uint64_t begin, end;
        int64_t offset;
        double slope;
        uint64_t near; /* as far from `begin` it goes on, and all products are exact enough */
} ps_otf2_interval;

typedef struct ps_otf2_local {
        bool found;                        /* the file is there */
        ps_otf2_step end;                  /* how reading it ended */
        uint64_t offset;                   /* where */
        bool doubtful;                     /* it has a second table for the same ids, or times in disorder */
        ps_otf2_map map[OTF2_MAPPING_MAX]; /* by OTF2_MAPPING_*; n == 0: ids are global */
        ps_otf2_interval *interval;
        uint32_t n_intervals, at; /* `at`: the one that the last time fell into; times only move on */
        bool have_offset;         /* while reading: an offset waits for the next one */
        ps_otf2_interval open;
} ps_otf2_local;

/* `chunk`: size of the definitions' chunks. Damage is told in `end` and `offset`. */
ps_status ps_otf2_local_read(ps_otf2_local *out, const char *path, uint64_t chunk, ps_error *err);
void ps_otf2_local_free(ps_otf2_local *local);

/* The global id; ids that no table names stand for themselves. */
uint32_t ps_otf2_local_map(const ps_otf2_local *local, int mapping, uint32_t id);

/* The global time of a local one, in ticks; exactly the format's own rule, rounding included: between two
 * measured offsets they are interpolated, before and after by the nearest two; a single one counts nothing.
 */
uint64_t ps_otf2_local_time_anew(ps_otf2_local *local, uint64_t ticks);

static inline bool ps_otf2_is_near(const ps_otf2_interval *in, uint64_t ticks)
{
        return ticks - in->begin < in->near;
}

/* Of what is near. Adding and taking off a number whose last bit is worth one rounds to the nearest whole
 * number. */
static inline uint64_t ps_otf2_near_time(const ps_otf2_interval *in, uint64_t ticks)
{
        const double last_bit_is_one = 0x1.8p52;
        double more = in->slope * (double)(int64_t)(ticks - in->begin);
        return ticks + (uint64_t)in->offset + (uint64_t)(int64_t)((more + last_bit_is_one) - last_bit_is_one);
}

/* Nearly all are near. */
static inline uint64_t ps_otf2_local_time(ps_otf2_local *local, uint64_t ticks)
{
        if (!local->n_intervals)
                return ticks;
        const ps_otf2_interval *in = &local->interval[local->at];
        return ps_otf2_is_near(in, ticks) ? ps_otf2_near_time(in, ticks)
                                          : ps_otf2_local_time_anew(local, ticks);
}

#endif
