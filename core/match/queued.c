/* queued.c - sends that are received in another order than they were sent in: a queue for each (communicator,
 * sender, tag), in a hash table. What is about to be looked up is mostly next to what was found before. */
#include "core/match/receiver.h"

#include "core/base/blocks.h"
#include "core/base/hash.h"
#include "core/base/memory.h"

#include <stdlib.h>

/* The slot of the queue, or the free one where it belongs. (A table of its own: whoever is in a queue says of
 * which it is.) Tags that follow each other have slots that do, so that programs which number their messages
 * stay in a cache; others are scattered. A slot that is taken leads behind the neighbours of the tag. The
 * seed enters where differences of streams cannot cancel those of tags without knowing it. */
MATCH_INLINE uint32_t *find_slot(const struct sent *sent, const struct worker *w, const struct stream *s,
                                 uint32_t tag)
{
        uint32_t *slots = w->slots;
        const uint32_t mask = w->n_slots - 1;
        enum { NEIGHBOURS = 512 };
        const uint64_t key = (tag / NEIGHBOURS ^ w->seed) + s->end * UINT64_C(0x9e3779b97f4a7c15);
        for (uint32_t i = (uint32_t)ps_hash_mix(key) + tag % NEIGHBOURS;; i += NEIGHBOURS + 1) {
                uint32_t *slot = &slots[i & mask], in = *slot - 1;
                if (in == PS_NONE || (is_left_in(s, in) && tag_at(sent, s, in) == tag))
                        return slot;
        }
}

static inline uint32_t last_of(const struct worker *w, uint32_t *slot)
{
        uint32_t i = *slot - 1;
        while (!(w->state[i] & SEND_LAST))
                i = w->next[i];
        *slot = i + 1;
        return i;
}

/* Puts the queues of the first `n` sends into a table of this size. */
static ps_status fill_table(const struct receiver *r, uint32_t n, uint32_t n_slots, ps_error *err)
{
        const struct sent sent = sent_to(r);
        struct worker *w = r->w;
        uint32_t at = r->m->sends.incoming[r->process];
        const ps_pair *in;
        free(w->slots);
        w->n_slots = n_slots;
        w->slots = n_slots ? ps_memory_zeroed(n_slots, sizeof(*w->slots)) : NULL;
        if (!w->slots)
                return PS_NOMEM(err, "message queues", n_slots);
        for (const struct stream *s; (s = next_stream(r, &at, &in)) && s->at < n;)
                for (uint32_t i = s->at; i < s->end && i < n; i++) {
                        ps_blocks_keep();
                        if (sent.state[i] & SEND_LAST)
                                *find_slot(&sent, w, s, tag_at(&sent, s, i)) = i + 1;
                }
        return PS_OK;
}

/* `n` are in queues so far. As many slots as all sends may need are mostly too many, and it is not worth it
 * to come close to that. */
static ps_status grow_table(const struct receiver *r, uint32_t n, ps_error *err)
{
        enum { GROWTH = 8 };
        const uint32_t n_slots = r->w->n_slots;
        uint64_t enough = n_slots;
        while (enough <= r->n * UINT64_C(2))
                enough *= 2;
        if (enough / GROWTH / GROWTH > n_slots)
                enough = (uint64_t)n_slots * GROWTH;
        return enough > UINT32_MAX ? PS_NOMEM(err, "message queues", enough)
                                   : fill_table(r, n, (uint32_t)enough, err);
}

/* Behind which send this one belongs, which is not behind the one that was guessed: itself, if it is the
 * first of a queue. */
MATCH_INLINE uint32_t find_place(const struct sent *sent, struct worker *w, const struct stream *s,
                                 uint32_t send)
{
        uint32_t *slot = find_slot(sent, w, s, tag_at(sent, s, send));
        if (*slot)
                return last_of(w, slot);
        *slot = send + 1;
        w->n_queues++;
        w->next[send] = send;
        w->state[send] = SEND_FIRST;
        return send;
}

/* What is left of a stream. Programs repeat what they do: if one send was put behind another, then the next
 * one mostly belongs behind the next one. */
static ps_status queue_stream(const struct receiver *r, const struct stream *s, ps_error *err)
{
        const struct sent sent = sent_to(r);
        struct worker *w = r->w;
        uint32_t *next = w->next;
        for (uint32_t i = s->at, guess = i; i < s->end; i++) {
                ps_blocks_keep();
                if (sent.state[i] & SEND_TAKEN)
                        continue;
                uint32_t last =
                        sent.state[guess] & SEND_LAST && tag_at(&sent, s, guess) == tag_at(&sent, s, i)
                                ? guess
                                : find_place(&sent, w, s, i);
                guess = last == i ? i : last + 1;
                next[i] = next[last];
                next[last] = i;
                sent.state[last] &= (uint8_t)~SEND_LAST;
                sent.state[i] |= SEND_LAST;
                if (w->n_queues * UINT64_C(2) >= w->n_slots)
                        PS_TRY(grow_table(r, i + 1, err));
        }
        return PS_OK;
}

ps_status ps_queued_make(const struct receiver *r, ps_error *err)
{
        enum { FIRST_SLOTS = 64 };
        struct worker *w = r->w;
        const ps_pair *in;
        free(w->next);
        w->next = ps_memory_new(r->n * sizeof(*w->next));
        if (!w->next)
                return PS_NOMEM(err, "messages to one process", r->n);
        w->n_queues = 0;
        PS_TRY(fill_table(r, 0, FIRST_SLOTS, err));
        uint32_t at = r->m->sends.incoming[r->process];
        for (const struct stream *s; (s = next_stream(r, &at, &in));)
                PS_TRY(queue_stream(r, s, err));
        return PS_OK;
}

/* The first send in the queue of this tag, or the end of the stream. What is received nobody passes again. */
__attribute__((noinline)) static uint32_t find_first(const struct receiver *r, const struct stream *s,
                                                     uint32_t tag)
{
        const struct sent sent = sent_to(r);
        const struct worker *w = r->w;
        uint32_t *slot = find_slot(&sent, w, s, tag);
        if (!*slot)
                return s->end;
        uint32_t last = last_of(w, slot), i = w->next[last];
        if (w->state[last] & SEND_TAKEN)
                return s->end;
        while (!(w->state[i] & SEND_FIRST))
                i = w->next[i];
        return w->next[last] = i;
}

MATCH_INLINE void take_queued(const struct sent *sent, const uint32_t *next, uint32_t i)
{
        bool is_last = sent->state[i] & SEND_LAST;
        sent->state[i] = is_last ? SEND_TAKEN | SEND_LAST : SEND_TAKEN;
        if (!is_last)
                sent->state[next[i]] |= SEND_FIRST;
}

void ps_queued_take(const struct receiver *r, const ps_posted *rows)
{
        const struct view v = view_of(r, rows->loc);
        struct worker *w = r->w;
        const uint32_t *next = w->next;
        uint64_t n = 0;
        for (ps_op op = rows->from; op < rows->end; op++) {
                const uint32_t from = stream_at(&v, op), tag = v.ops.tag[op];
                if (from >= PS_PAIR_NOBODY)
                        continue;
                struct stream *s = &v.streams[from];
                uint32_t i = s->guess;
                ps_blocks_keep();
                if (!is_left_in(s, i) || !(v.sent.state[i] & SEND_FIRST) || tag_at(&v.sent, s, i) != tag) {
                        if ((i = find_first(r, s, tag)) == s->end)
                                continue;
                        s->step = i < s->guess ? UINT32_MAX : 1;
                }
                s->guess = i + s->step;
                take_queued(&v.sent, next, i);
                receive(&v, w, s, send_at(&v.sent, s, i), op);
                n++;
        }
        w->matched += n;
}
