/* critical_ends.c - where the critical path of a span of time ends, and where it begins. */
#include "patterns/causes/apart.h"
#include "patterns/causes/cells.h"

/* Idle regions that last up to the end are no work, however they are nested or follow each other. */
static ps_time end_of_work(const struct delaying *d, ps_loc loc, ps_time end)
{
        const ps_location_info *info = ps_timing_info(d->trace, d->timing, loc);
        for (uint32_t i = info->n_idle; i-- > 0;) {
                ps_span span = ps_idle_span(d->trace, d->timing, loc, &info->idle[i]);
                if (span.end < end)
                        break;
                end = earlier(end, span.begin);
        }
        return end;
}

/* In a predicted run operations may end later than the location does. */
static ps_time end_of_all(const struct timeline *line)
{
        return gap_end(line, line->ops->n);
}

/* Until when the location does something of its own. */
static ps_time end_of_own(const struct delaying *d, ps_loc loc, ps_span span)
{
        const struct timeline *line = &d->line[loc];
        const ps_ops *ops = &d->trace->ops[loc];
        ps_time end = earlier(line->last, span.end);
        ps_op behind = ops->n;
        while (line->finalize != PS_NONE && behind > line->finalize && line->leave[behind - 1] >= span.begin)
                behind--;
        if (behind == line->finalize)
                return earlier(end, line->enter[behind]);
        uint32_t last = ps_wait_after(d, loc, end - 1, PS_NONE);
        if (last < line->wait + line->n_waits)
                end = earlier(end, begin_of(&d->wait[last]));
        return end_of_work(d, loc, end);
}

bool ps_critical_is_running(const struct delaying *d, ps_loc loc)
{
        return d->trace->defs.locations.row[loc].type == PS_LOCATION_CPU && d->trace->info[loc].n_events;
}

static bool is_later(ps_loc loc, ps_time time, ps_loc than, ps_time than_time)
{
        return loc != PS_NONE && (than == PS_NONE || time > than_time || (time == than_time && loc < than));
}

void ps_critical_join_ends(struct path_end *to, const struct path_end *other)
{
        if (is_later(other->loc, other->time, to->loc, to->time)) {
                to->loc = other->loc;
                to->behind = other->behind;
                to->time = other->time;
                to->until = other->until;
        }
        if (is_later(other->rest, other->rest_until, to->rest, to->rest_until)) {
                to->rest = other->rest;
                to->rest_until = other->rest_until;
        }
}

struct path_end ps_critical_end(const struct delaying *d, ps_span span)
{
        struct path_end last = {.loc = PS_NONE, .rest = PS_NONE};
        for (ps_loc loc = 0; loc < d->trace->n_locs; loc++) {
                if (!ps_critical_is_running(d, loc) || !is_here(d, loc))
                        continue;
                const ps_time until = later(span.begin, earlier(end_of_all(&d->line[loc]), span.end));
                const struct path_end end = {loc, loc, 0, end_of_own(d, loc, span), until, until};
                ps_critical_join_ends(&last, &end);
        }
        if (last.loc != PS_NONE)
                last.behind = ps_wait_after(d, last.loc, is_scalasca(d) ? last.time : span.end, PS_NONE) -
                              d->line[last.loc].wait;
        return last;
}

/* Scalasca begins where the location enters MPI_Init, and ends where the last one enters MPI_Finalize. */
ps_time ps_critical_begin(const struct delaying *d, ps_loc loc, ps_span span)
{
        const ps_ops *ops = &d->trace->ops[loc];
        for (ps_op op = 0; is_scalasca(d) && op < ops->n; op++)
                if (ops->kind[op] == PS_K_INIT)
                        return d->timing->enter[loc][op];
        return span.begin;
}
