/* sums.h - times by call path, added up one window after the other. */
#ifndef PS_PATTERNS_CAUSES_SUMS_H
#define PS_PATTERNS_CAUSES_SUMS_H

#include "core/model/trace.h"

/* Most are 0. */
struct sums {
        struct sum_of_path {
                ps_time time;
                uint32_t mark; /* the round in which it was touched */
        } * of;                /* by path */
        ps_path *path;         /* touched in this round */
        uint32_t n, round, n_paths;
};

ps_status ps_sums_new(struct sums *sums, const ps_trace *trace, ps_error *err);
void ps_sums_free(struct sums *sums);

static inline void sums_clear(struct sums *s)
{
        s->n = 0;
        s->round++;
}

static inline void sums_add(struct sums *s, ps_path path, ps_time time)
{
        struct sum_of_path *sum = &s->of[path];
        if (sum->mark == s->round) {
                sum->time += time;
                return;
        }
        *sum = (struct sum_of_path){time, s->round};
        s->path[s->n++] = path;
}

static inline ps_time sums_at(const struct sums *s, ps_path path)
{
        return s->of[path].mark == s->round ? s->of[path].time : 0;
}

#endif
