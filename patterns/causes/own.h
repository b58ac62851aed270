/* own.h - what a location does between two moments, by call path, without its waits.
 *
 * Time is cut into cells: before each operation a gap, in which the program computes, and then the operation,
 * up to its end or to the begin of the next one. A window from one moment to another adds cells up one by
 * one, or, where it is long, takes the difference of two sums that were kept on the way: it costs no more
 * than a location has call paths, however many operations lie between. */
#ifndef PS_PATTERNS_CAUSES_OWN_H
#define PS_PATTERNS_CAUSES_OWN_H

#include "patterns/causes/sums.h"
#include "patterns/causes/waits.h"

/* Fills d->same, and of d->line all but waits and what is kept. */
ps_status ps_own_make(struct delaying *d, ps_error *err);
/* Keeps sums on the way where windows are long, as `longest` says. */
ps_status ps_own_keep(struct delaying *d, ps_error *err);
/* Frees what ps_own_add() needs, which must not be called any more. */
void ps_own_forget(struct delaying *d);
void ps_own_free(struct delaying *d);

/* Rows of a call, such as the send and the receive of an MPI_Sendrecv, begin and end at the same time: what
 * it does is in the last of them, and the others are empty. Mostly they are two. */
ps_op ps_own_last_row(const struct timeline *line, ps_op op);

/* Of a location with a cut_end. */
static inline ps_op ps_own_row_of_call(const struct timeline *line, ps_op op)
{
        const ps_time *const enter = line->enter;
        const ps_op n = line->ops->n;
        if (op + 1 >= n || enter[op + 1] != enter[op])
                return op;
        op++;
        return op + 1 < n && enter[op + 1] == enter[op] ? ps_own_last_row(line, op) : op;
}

static inline ps_op ps_own_row(const struct timeline *line, ps_op op)
{
        return line->cut_end && op != PS_NONE ? ps_own_row_of_call(line, op) : op;
}

struct window {
        ps_time begin, end;
        struct near {
                ps_op first, last;
                uint32_t wait;
        } near; /* operations close to its begin and its end, and a wait; or PS_NONE: not known */
};

/* Adds what the location does in the window. */
void ps_own_add(struct sums *sums, const struct delaying *d, ps_loc loc, const struct window *window);
/* The same with its waits. */
void ps_own_add_all(struct sums *sums, const struct delaying *d, ps_loc loc, const struct window *window);
/* The first without its waits; over all that the location does it costs less. */
void ps_own_add_span(struct sums *sums, const struct delaying *d, ps_loc loc, ps_span span);

/* The number of the location's first wait that ends after `time`. `near` is one close to it, or PS_NONE. */
uint32_t ps_wait_search(const struct delaying *d, ps_loc loc, ps_time time);

static inline uint32_t ps_wait_after(const struct delaying *d, ps_loc loc, ps_time time, uint32_t near)
{
        const struct timeline *line = &d->line[loc];
        uint32_t first = line->wait, end = line->wait + line->n_waits;
        if (near < first || near > end || (near > first && d->wait[near - 1].end > time))
                return ps_wait_search(d, loc, time);
        if (near == end || d->wait[near].end > time)
                return near;
        if (++near == end || d->wait[near].end > time)
                return near;
        return ps_wait_search(d, loc, time);
}

#endif
