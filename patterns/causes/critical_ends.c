/* critical_ends.c - where the critical path of a span of time ends, where it begins, and where it leads from
 * a thread to the one that called it to a team. */
#include "patterns/causes/apart.h"
#include "patterns/causes/cells.h"

#include "core/base/memory.h"
#include "core/base/vector.h"

#include <stdlib.h>
#include <string.h>

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

/* -- teams: before its part of one a thread has nothing to do, and nobody ends a wait of it -- */

/* The first thread of the team of operation `op`, if it is another one whose rows are here; or PS_NONE. */
static ps_loc caller_of(const struct delaying *d, ps_loc loc, ps_op op)
{
        const ps_trace *trace = d->trace;
        const ps_comm team = ps_op_comm(&trace->ops[loc], op);
        if (team >= trace->defs.comms.n)
                return PS_NONE;
        const ps_comm_def *def = &trace->defs.comms.row[team];
        const ps_loc first = def->team && def->n_members ? def->members[0] : PS_NONE;
        return first < trace->n_locs && first != loc && is_here(d, first) ? first : PS_NONE;
}

static ps_status add_forks_of(struct forks *to, const struct delaying *d, ps_loc loc, ps_error *err)
{
        const ps_ops *ops = &d->trace->ops[loc];
        uint32_t near = PS_NONE;
        for (ps_op op = 0; op < ops->n; op++) {
                const ps_loc by = ops->kind[op] == PS_K_TEAM_BEGIN ? caller_of(d, loc, op) : PS_NONE;
                if (by == PS_NONE)
                        continue;
                const ps_time at = d->timing->enter[loc][op];
                near = ps_wait_after(d, by, at, near);
                const struct fork new = {.at = at, .loc = loc, .by = by, .behind = near - d->line[by].wait};
                if (PS_APPEND(to->row, to->n, to->cap, new))
                        return PS_NOMEM(err, "teams", to->n);
        }
        return PS_OK;
}

static ps_status find_here(struct forks *to, const struct delaying *d, ps_error *err)
{
        for (ps_loc loc = 0; loc < d->trace->n_locs; loc++)
                if (!is_scalasca(d) && is_here(d, loc) && d->trace->defs.locations.row[loc].thread &&
                    d->trace->info[loc].n_teams)
                        PS_TRY(add_forks_of(to, d, loc, err));
        return PS_OK;
}

/* By location, each in the order in which they were. */
static ps_status put_in_order(struct forks *to, const struct delaying *d, ps_error *err)
{
        const uint32_t n_locs = d->trace->n_locs;
        struct fork *row = ps_memory_new((to->n + (size_t)1) * sizeof(*row));
        to->first = ps_memory_zeroed(n_locs + (size_t)2, sizeof(*to->first));
        to->seen = ps_memory_zeroed(to->n + (size_t)1, 1);
        if (!row || !to->first || !to->seen) {
                free(row);
                return PS_NOMEM(err, "teams", to->n);
        }
        for (uint32_t i = 0; i < to->n; i++)
                to->first[to->row[i].loc + 2]++;
        for (ps_loc loc = 0; loc < n_locs; loc++)
                to->first[loc + 1] += to->first[loc];
        for (uint32_t i = 0; i < to->n; i++)
                row[to->first[to->row[i].loc + 1]++] = to->row[i];
        free(to->row);
        to->row = row;
        return PS_OK;
}

static ps_status take(struct forks *to, const ps_pile *all, uint32_t size, ps_error *err)
{
        for (uint32_t p = 1; p < size; p++) {
                size_t n;
                const uint8_t *at = ps_pile_part(all, p, &n);
                for (const uint8_t *end = at + n; at < end; at += sizeof(struct fork)) {
                        struct fork new;
                        memcpy(&new, at, sizeof(new));
                        if (PS_APPEND(to->row, to->n, to->cap, new))
                                return PS_NOMEM(err, "teams", to->n);
                }
        }
        return PS_OK;
}

ps_status ps_critical_find_forks(struct forks *out, const struct delaying *d, ps_error *err)
{
        ps_exchange *x = d->apart ? d->apart->x : NULL;
        ps_pile all = {NULL, NULL};
        *out = (struct forks){0};
        ps_status status = find_here(out, d, err);
        if (x) {
                PS_TRY(ps_exchange_agree(x, status, err));
                status = ps_exchange_gather(x, &all, out->row, out->n * sizeof(*out->row), err);
                if (!x->rank)
                        PS_THEN(status, take(out, &all, x->size, err));
                ps_pile_clear(&all);
        }
        if (!x || !x->rank)
                PS_THEN(status, put_in_order(out, d, err));
        return status;
}

const struct fork *ps_critical_fork_before(struct forks *forks, ps_loc loc, ps_time time, ps_time after)
{
        uint32_t low = forks->first[loc];
        const uint32_t first = low;
        PS_SEARCH(low, forks->first[loc + 1], middle, forks->row[middle].at <= time);
        if (low == first || forks->row[low - 1].at <= after || forks->seen[low - 1])
                return NULL;
        forks->seen[low - 1] = 1;
        return &forks->row[low - 1];
}

void ps_critical_forget_forks(struct forks *forks)
{
        free(forks->row);
        free(forks->first);
        free(forks->seen);
        *forks = (struct forks){0};
}
