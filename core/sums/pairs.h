/* pairs.h - who sends to whom: a part of profile.h. */
#ifndef PS_CORE_SUMS_PAIRS_H
#define PS_CORE_SUMS_PAIRS_H

#include "core/sums/levels.h"

enum { PS_PAIRS_CALLS = 64 }; /* of a location, at most */

/* What a location sent to another one by a call of its table (core/model/ops.h), and nobody has been told
 * yet. */
typedef struct ps_pairs_call {
        uint32_t call;
        ps_loc to;
        uint64_t messages, bytes; /* bytes: where each message has its own */
} ps_pairs_call;

/* Whom a call sends to, and how much, is mostly told by the call alone; else as many as a power of two, of
 * which each call has one. */
typedef struct ps_pairs_calls {
        uint64_t *sent; /* by call: messages; NULL: rows tell who receives, or how much */
        ps_pairs_call *row;
        uint32_t last;
} ps_pairs_calls;

typedef struct ps_pairs {
        ps_profile *out;
        const ps_trace *trace;
        const ps_queue *queue; /* by location: tells its row */
        ps_pairs_calls *calls; /* by location: by which it sent last */
        ps_pairs_call *all;    /* of all locations */
        uint64_t *all_sent;
        size_t cap;
        bool lacks_memory;
} ps_pairs;

ps_status ps_pairs_begin(ps_pairs *pairs, const ps_trace *trace, const ps_levels *levels, ps_error *err);
void ps_pairs_free(ps_pairs *pairs);
void ps_pairs_tell(ps_pairs *pairs, ps_loc from, const ps_pairs_call *sent);
/* What somebody else has counted, but for what rows tell. */
void ps_pairs_add(ps_pairs *pairs, const ps_profile_pair *some);
/* All is told; -1 when there was no memory, now or before. */
int ps_pairs_tell_all(ps_pairs *pairs);
/* By from, then to, each of them once; -1 when there is no memory. */
int ps_pairs_sort(ps_pairs *pairs);

/* `by`: those of the location that sends. */
static inline void ps_pairs_count(ps_pairs *pairs, ps_pairs_calls by, const ps_ops *ops, ps_ref send)
{
        const uint32_t call = ops->call[send.op];
        if (by.sent) {
                by.sent[call]++;
                return;
        }
        const ps_loc to = ps_op_peer(ops, send.op);
        ps_pairs_call *sent = &by.row[call & by.last];
        if (sent->call != call || sent->to != to) {
                ps_pairs_tell(pairs, send.loc, sent);
                *sent = (ps_pairs_call){.call = call, .to = to};
        }
        sent->messages++;
        if (ops->length)
                sent->bytes += ops->length[send.op];
}

#endif
