/* match.h - who talked to whom, without any global order of time.
 *
 * Messages match first in, first out for each (communicator, sender, receiver, tag): sends in program order,
 * receives in the order of posting. Collective operations match by their n-th call on a communicator. So a
 * clock that is wrong cannot make a match wrong. */
#ifndef PS_CORE_MATCH_MATCH_H
#define PS_CORE_MATCH_MATCH_H

#include "core/clock/slack.h"
#include "core/exchange/exchange.h"

/* Fills peer, link and PS_OP_MATCHED of sends and receives, counts n_messages and notes what is left over.
 * On entry `peer` of each holds a location of the partner's process, or PS_NONE. `slacks`: what it has seen
 * of their times, of which the caller frees the rows, whatever comes of it; NULL: nobody asks. */
ps_status ps_match_messages(ps_trace *trace, unsigned n_threads, ps_slacks *slacks, ps_error *err);

/* The two steps of that: rows that fit each other, and how many find nobody; then, where there are some, what
 * else they may be, and notes. */
ps_status ps_match_fitting(ps_trace *trace, unsigned n_threads, uint64_t *left, ps_error *err);
ps_status ps_match_rest(ps_trace *trace, unsigned n_threads, ps_error *err);

/* Rows that find nobody, where each process of ours has some rows. */
typedef struct ps_lonely {
        uint64_t count;
        ps_ref first; /* in location order */
        ps_time time; /* of its record */
} ps_lonely;

void ps_lonely_add_row(ps_lonely *to, const ps_trace *trace, ps_ref row);
void ps_lonely_add(ps_lonely *to, const ps_lonely *other);
void ps_lonely_note(ps_trace *trace, ps_issue_kind kind, const ps_lonely *lonely);

typedef struct ps_match_lonely {
        ps_lonely sends, recvs;
} ps_match_lonely;

/* Of the rows that are here, once those are matched that fit. */
void ps_match_find_lonely(ps_match_lonely *out, ps_trace *trace);
void ps_match_lonely_add(ps_match_lonely *to, const ps_match_lonely *other);
/* May a look at their rows still find partners among them? Else all there is to do is to note them. */
bool ps_match_lonely_may_fit(const ps_match_lonely *lonely);
void ps_match_note_lonely(ps_trace *trace, const ps_match_lonely *lonely);

typedef struct ps_match_near {
        uint64_t crossing; /* messages that are received here, and not sent here */
        uint64_t left;     /* rows here that find nobody */
} ps_match_near;

/* Called while the sends of others stand in `trace` with the times of their records, and receives point at
 * them. `early`: what of them contradicts causality, where that was seen when they were matched; else NULL.
 */
typedef struct ps_match_look {
        ps_status (*look)(void *ctx, const ps_trace *trace, const ps_clock_tally *early, unsigned n_threads,
                          ps_error *err);
        void *ctx;
} ps_match_look;

/* The first step where the rows of each process of the program are in one of ours only, its owner. Those of
 * others are empty here, and are used meanwhile. Each message is matched where its receiver is, which counts
 * it. All of ours call it together, and have agreed before that all is well. */
ps_status ps_match_fitting_here(ps_trace *trace, const uint32_t *owner, ps_exchange *x, unsigned n_threads,
                                ps_match_near *out, const ps_match_look *look, ps_error *err);

/* What is left after that, where the trace has sends as well as receives that find nobody: it is told to
 * process 0, which knows then how many are matched late, and of how many the ends are in two processes.
 * Called by all together.
 */
typedef struct ps_match_late {
        uint64_t matched, crossing;
        ps_lonely comms; /* whose partner has another communicator */
        uint32_t *const
                *real; /* while somebody looks, by location: the numbers of its rows in the whole trace */
} ps_match_late;

/* `look` is called in process 0, with all that was left and is matched late, or never. */
ps_status ps_match_late_here(ps_trace *trace, const uint32_t *owner, ps_exchange *x, unsigned n_threads,
                             ps_match_late *out, const ps_match_look *look, ps_error *err);
/* In rest.c: matches the rows of such a trace. */
ps_status ps_match_late_rows(ps_trace *trace, unsigned n_threads, ps_lonely *comms, ps_error *err);

/* Fills colls, members, and link and PS_OP_MATCHED of collective operations. `received` holds, for each
 * location, the bytes received by its COLL rows in order (NULL: zeros). */
ps_status ps_match_collectives(ps_trace *trace, const uint64_t *const *received, unsigned n_threads,
                               ps_error *err);

/* Messages and collective operations, neither of which needs the other. */
ps_status ps_match_all(ps_trace *trace, const uint64_t *const *received, unsigned n_threads,
                       ps_slacks *slacks, ps_error *err);

#endif
