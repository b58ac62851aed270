/* warp.c - see warp.h. */
#include "core/views/warp.h"

#include "core/base/search.h"

/* What a location did last ends where the next thing begins: an operation may hold others. */
static ps_time end_of_operation(const ps_timing *timing, ps_loc loc, ps_op op, uint32_t n_ops)
{
        ps_time end = timing->leave[loc][op];
        return op + 1 < n_ops && timing->enter[loc][op + 1] < end ? timing->enter[loc][op + 1] : end;
}

/* From one moment that both timings know to the next one. */
static ps_span span_of_stretch(const ps_trace *trace, const ps_timing *timing, ps_loc loc, uint32_t n_before,
                               bool is_inside)
{
        const ps_location_info *info = ps_timing_info(trace, timing, loc);
        uint32_t n_ops = trace->ops[loc].n;
        ps_time end = n_before ? end_of_operation(timing, loc, n_before - 1, n_ops) : info->first;
        if (is_inside)
                return (ps_span){timing->enter[loc][n_before - 1], end};
        return (ps_span){end, n_before < n_ops ? timing->enter[loc][n_before] : info->last};
}

ps_time ps_time_warped(const ps_trace *trace, const ps_timing *from, const ps_timing *to, ps_loc loc,
                       ps_time time)
{
        uint32_t n_ops = trace->ops[loc].n, n_before = 0;
        PS_BISECT(n_before, n_ops, i, from->enter[loc][i] <= time)
        bool is_inside = n_before && time < end_of_operation(from, loc, n_before - 1, n_ops);
        ps_span here = span_of_stretch(trace, from, loc, n_before, is_inside),
                there = span_of_stretch(trace, to, loc, n_before, is_inside);
        if (time <= here.begin)
                return there.begin;
        if (time >= here.end)
                return there.end;
        return there.begin + (ps_time)((double)(there.end - there.begin) *
                                       ((double)(time - here.begin) / (double)(here.end - here.begin)));
}
