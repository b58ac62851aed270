/* pairs.c - see pairs.h.
 *
 * What a location sends by a call is counted before a pair is looked for. */
#include "core/sums/pairs.h"

#include "core/base/radix.h"
#include "core/base/vector.h"

#include <stdlib.h>

enum { SOME_PAIRS = 64, MANY_PAIRS = 1 << 16 };

static bool is_told_by_rows(const ps_ops *ops)
{
        return ops->peer || ops->length;
}

static uint32_t room_for(const ps_ops *ops)
{
        uint32_t room = 1;
        while (is_told_by_rows(ops) && room < ops->n_calls && room < PS_PAIRS_CALLS)
                room *= 2;
        return room;
}

ps_status ps_pairs_begin(ps_pairs *p, const ps_trace *trace, const ps_levels *levels, ps_error *err)
{
        *p = (ps_pairs){.out = levels->out, .trace = trace, .queue = levels->queue};
        size_t n = 1, n_sent = 1;
        for (ps_loc loc = 0; loc < trace->n_locs; loc++) {
                n += room_for(&trace->ops[loc]);
                n_sent += trace->ops[loc].n_calls;
        }
        p->calls = ps_memory_zeroed(trace->n_locs + (size_t)1, sizeof(*p->calls));
        p->all = ps_memory_zeroed(n, sizeof(*p->all));
        p->all_sent = ps_memory_zeroed(n_sent, sizeof(*p->all_sent));
        if (!p->calls || !p->all || !p->all_sent)
                return PS_NOMEM(err, "locations", trace->n_locs);
        ps_pairs_call *row = p->all;
        uint64_t *sent = p->all_sent;
        for (ps_loc loc = 0; loc < trace->n_locs; loc++) {
                const ps_ops *ops = &trace->ops[loc];
                uint32_t room = room_for(ops);
                p->calls[loc] = (ps_pairs_calls){is_told_by_rows(ops) ? NULL : sent, row, room - 1};
                row += room;
                sent += ops->n_calls;
        }
        return PS_OK;
}

void ps_pairs_free(ps_pairs *pairs)
{
        free(pairs->calls);
        free(pairs->all);
        free(pairs->all_sent);
}

static uint64_t number_of(const void *pair)
{
        const ps_profile_pair *it = pair;
        return (uint64_t)it->from << 32 | it->to;
}

/* In order, each of them once. */
int ps_pairs_sort(ps_pairs *p)
{
        ps_profile *out = p->out;
        size_t n = 0;
        if (ps_radix_sort(out->pairs, out->n_pairs, sizeof(*out->pairs), (ps_row_number *const[]){number_of},
                          1))
                return -1;
        for (size_t i = 0; i < out->n_pairs; i++) {
                const ps_profile_pair *pair = &out->pairs[i];
                if (!n || number_of(&out->pairs[n - 1]) != number_of(pair)) {
                        out->pairs[n++] = *pair;
                } else {
                        out->pairs[n - 1].messages += pair->messages;
                        out->pairs[n - 1].bytes += pair->bytes;
                }
        }
        out->n_pairs = n;
        return 0;
}

/* Before there is room for more, those that are the same become one, where that may save much. */
static int make_room(ps_pairs *p)
{
        ps_profile *out = p->out;
        if (out->n_pairs < p->cap)
                return 0;
        if (p->cap >= MANY_PAIRS && ps_pairs_sort(p))
                return -1;
        return out->n_pairs < p->cap / 2
                       ? 0
                       : ps_memory_grow_wide(&out->pairs, &p->cap, SOME_PAIRS, sizeof(*out->pairs));
}

void ps_pairs_add(ps_pairs *p, const ps_profile_pair *some)
{
        if (make_room(p)) {
                p->lacks_memory = true;
                return;
        }
        p->out->pairs[p->out->n_pairs++] = *some;
        p->out->n_messages += some->messages;
        p->out->n_bytes += some->bytes;
}

void ps_pairs_tell(ps_pairs *p, ps_loc from, const ps_pairs_call *sent)
{
        const ps_location_def *locations = p->trace->defs.locations.row;
        if (!sent->messages)
                return;
        const struct ps_call *call = &p->trace->ops[from].calls[sent->call];
        uint32_t from_row = p->queue[from].row, to_row = p->queue[sent->to].row;
        const ps_profile_pair some = {locations[from].process, locations[sent->to].process, sent->messages,
                                      call->varies ? sent->bytes : sent->messages * call->bytes};

        ps_pairs_add(p, &some);
        if (from_row != PS_NONE) {
                p->out->rows[from_row].sent += some.messages;
                p->out->rows[from_row].sent_bytes += some.bytes;
        }
        if (to_row != PS_NONE) {
                p->out->rows[to_row].received += some.messages;
                p->out->rows[to_row].received_bytes += some.bytes;
        }
}

/* By calls that tell who receives. */
static void tell_calls(ps_pairs *p, ps_loc loc)
{
        const ps_ops *ops = &p->trace->ops[loc];
        uint64_t *sent = p->calls[loc].sent;
        for (uint32_t call = 0; sent && call < ops->n_calls; call++) {
                if (!sent[call])
                        continue;
                ps_pairs_tell(p, loc, &(ps_pairs_call){call, ops->calls[call].peer, sent[call], 0});
                sent[call] = 0;
        }
}

int ps_pairs_tell_all(ps_pairs *p)
{
        for (ps_loc loc = 0; loc < p->trace->n_locs; loc++) {
                tell_calls(p, loc);
                for (uint32_t i = 0; i <= p->calls[loc].last; i++) {
                        ps_pairs_tell(p, loc, &p->calls[loc].row[i]);
                        p->calls[loc].row[i].messages = p->calls[loc].row[i].bytes = 0;
                }
        }
        return p->lacks_memory ? -1 : 0;
}
