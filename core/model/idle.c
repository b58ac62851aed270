/* idle.c - see idle.h. */
#include "core/model/idle.h"
#include "core/base/search.h"

#include <stdlib.h>

static int by_begin(const void *a, const void *b)
{
        const ps_span *x = a, *y = b;

        PS_ORDER_BY(x->begin, y->begin);
        return PS_ORDER(x->end, y->end);
}

_Static_assert(PS_K_TEAM_END == PS_K_TEAM_BEGIN + 1, "one question for both");
static inline bool begins_or_ends_team(uint8_t kind)
{
        return (uint8_t)(kind - PS_K_TEAM_BEGIN) <= PS_K_TEAM_END - PS_K_TEAM_BEGIN;
}

/* A thread of a team has nothing to do between the teams. */
static uint32_t idle_between_teams(const ps_trace *trace, const ps_timing *timing, ps_loc loc, ps_span *out)
{
        const ps_ops *ops = &trace->ops[loc];
        ps_time since = PS_TIME_MAX;
        uint32_t n = 0;

        for (ps_op op = 0; op < ops->n; op++) {
                if (!begins_or_ends_team(ops->kind[op]))
                        continue;
                const bool ends = ops->kind[op] == PS_K_TEAM_END;
                if (!ends && since < timing->enter[loc][op])
                        out[n++] = (ps_span){since, timing->enter[loc][op]};
                since = ends ? timing->leave[loc][op] : PS_TIME_MAX;
        }
        if (since < timing->duration)
                out[n++] = (ps_span){since, timing->duration};
        return n;
}

/* Some are counted in bytes, many of which a processor has at once. */
static size_t room_for_teams(const ps_ops *ops)
{
        size_t n = 1;

        for (ps_op op = 0; op < ops->n;) {
                const ps_op end = ops->n - op < UINT8_MAX ? ops->n : op + UINT8_MAX;
                uint8_t few = 0;
                for (; op < end; op++)
                        few = (uint8_t)(few + (ops->kind[op] == PS_K_TEAM_BEGIN));
                n += few;
        }
        return n;
}

/* The end of all that a location does; a prediction moves it with its last operation. */
static ps_time last_of(const ps_trace *trace, const ps_timing *timing, ps_loc loc)
{
        ps_op n = trace->ops[loc].n;
        ps_time last = trace->info[loc].last;

        if (timing != &trace->measured && n)
                last = ps_time_add(last,
                                   ps_time_sub(timing->leave[loc][n - 1], trace->measured.leave[loc][n - 1]));
        return last < timing->duration ? last : timing->duration;
}

/* Mostly they are: only teams and what the trace says may come between each other. */
static bool is_sorted(const ps_span *span, uint32_t n)
{
        uint32_t i = 1;
        while (i < n && by_begin(&span[i - 1], &span[i]) <= 0)
                i++;
        return i >= n;
}

ps_status ps_idle_times(ps_span **out, uint32_t *n, const ps_trace *trace, const ps_timing *timing,
                        ps_loc loc, ps_error *err)
{
        const ps_location_info *info = &trace->info[loc];
        bool is_worker = trace->defs.locations.row[loc].thread > 0;
        size_t room = info->n_idle + (size_t)2 + (is_worker ? room_for_teams(&trace->ops[loc]) : 0);
        ps_span *span = malloc(room * sizeof(*span));

        *out = span;
        *n = 0;
        if (!span)
                return PS_NOMEM(err, "idle times", room);
        span[(*n)++] = (ps_span){0, info->first > info->last ? timing->duration : info->first};
        for (uint32_t i = 0; i < info->n_idle; i++)
                span[(*n)++] = ps_idle_span(trace, timing, loc, &info->idle[i]);
        if (is_worker)
                *n += idle_between_teams(trace, timing, loc, span + *n);
        if (info->first <= info->last)
                span[(*n)++] = (ps_span){last_of(trace, timing, loc), timing->duration};
        if (!is_sorted(span, *n))
                qsort(span, *n, sizeof(*span), by_begin);
        return PS_OK;
}
