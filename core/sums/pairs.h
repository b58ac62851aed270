/* pairs.h - who sends to whom: a part of profile.h. */
#ifndef PS_CORE_SUMS_PAIRS_H
#define PS_CORE_SUMS_PAIRS_H

#include "core/base/map.h"
#include "core/sums/levels.h"

enum { PS_PAIRS_PEERS = 4 };

/* What a location sent to another one, and nobody has been told yet. */
typedef struct ps_pairs_peer {
        ps_loc to;
        uint64_t messages, bytes;
} ps_pairs_peer;

typedef struct ps_pairs {
        ps_profile *out;
        const ps_trace *trace;
        const ps_queue *queue;                 /* by location: tells its row */
        ps_pairs_peer (*peer)[PS_PAIRS_PEERS]; /* by location: to whom it sent last */
        ps_map index;                          /* (from, to): of a pair */
        size_t cap;
        bool lacks_memory;
} ps_pairs;

ps_status ps_pairs_begin(ps_pairs *pairs, const ps_trace *trace, const ps_levels *levels, ps_error *err);
void ps_pairs_free(ps_pairs *pairs);
void ps_pairs_tell(ps_pairs *pairs, ps_loc from, const ps_pairs_peer *peer);
/* What somebody else has counted, but for what rows tell. */
void ps_pairs_add(ps_pairs *pairs, const ps_profile_pair *some);
/* All is told; -1 when there was no memory, now or before. */
int ps_pairs_tell_all(ps_pairs *pairs);
/* By from, then to; nothing comes behind that. */
void ps_pairs_sort(ps_pairs *pairs);

static inline void ps_pairs_count(ps_pairs *pairs, ps_loc from, ps_loc to, uint64_t bytes)
{
        ps_pairs_peer *peer = &pairs->peer[from][to % PS_PAIRS_PEERS];
        if (peer->to != to) {
                ps_pairs_tell(pairs, from, peer);
                *peer = (ps_pairs_peer){.to = to};
        }
        peer->messages++;
        peer->bytes += bytes;
}

#endif
