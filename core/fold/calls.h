/* calls.h - what the calls of a location say, each thing once: programs go round in loops, and say the same
 * each time. */
#ifndef PS_CORE_FOLD_CALLS_H
#define PS_CORE_FOLD_CALLS_H

#include "core/base/hash.h"
#include "core/base/lookup.h"
#include "core/base/vector.h"
#include "core/model/ops.h"

/* {0} is empty. */
struct ps_calls {
        PS_VECTOR(struct ps_call) list;
        ps_lookup by_call;
        uint32_t *recent, n_recent; /* by path: what was said there last */
        uint32_t n_added;           /* of the list, by ps_calls_add() */
};

static inline uint64_t ps_call_word(const struct ps_call *c, size_t i)
{
        uint64_t word;
        _Static_assert(sizeof(*c) == 3 * sizeof(word), "without gaps");
        memcpy(&word, (const char *)c + i * sizeof(word), sizeof(word));
        return word;
}

static inline bool ps_calls_same(const struct ps_call *a, const struct ps_call *b)
{
        return !((ps_call_word(a, 0) ^ ps_call_word(b, 0)) | (ps_call_word(a, 1) ^ ps_call_word(b, 1)) |
                 (ps_call_word(a, 2) ^ ps_call_word(b, 2)));
}

/* What neighbouring paths say of the same is looked for in one line of the cache. */
__attribute__((always_inline)) static inline uint64_t ps_calls_hash(const struct ps_call *c)
{
        enum { SIDE_BY_SIDE = 16 };
        const uint64_t odd = UINT64_C(0x9e3779b97f4a7c15); /* so that no two words make up for each other */
        const uint64_t where = (uint64_t)c->peer << 32 | c->path / SIDE_BY_SIDE;
        return ps_hash_mix((c->bytes * odd ^ where) * odd ^ ps_call_word(c, 2)) ^ c->path % SIDE_BY_SIDE;
}

/* The number of what was said last on the path, which may be that of another; NULL: of none so far. */
static inline uint32_t *ps_calls_recent(const struct ps_calls *c, ps_path path)
{
        return c->recent ? &c->recent[path & (c->n_recent - 1)] : NULL;
}

/* The number of the call if that is what was said last, or PS_NONE. */
static inline uint32_t ps_calls_number_again(const struct ps_calls *c, const struct ps_call *call)
{
        const uint32_t *recent = ps_calls_recent(c, call->path);
        return recent && *recent < c->list.n && ps_calls_same(&c->list.row[*recent], call) ? *recent
                                                                                           : PS_NONE;
}

/* None so far, with room for n; where there is no memory for that, for as many as there is need of. */
struct ps_calls ps_calls_new(uint32_t n);
/* The number of the call, a new one if need be; PS_NONE when memory is out. */
uint32_t ps_calls_number(struct ps_calls *calls, const struct ps_call *call);
/* The number of the call where that can be told without calling anything, or PS_NONE. */
__attribute__((always_inline)) static inline uint32_t ps_calls_number_near(const struct ps_calls *c,
                                                                           const struct ps_call *call)
{
        uint32_t slot = c->by_call.n_slots
                                ? c->by_call.slot[(uint32_t)ps_calls_hash(call) & (c->by_call.n_slots - 1)]
                                : 0;
        return slot && ps_calls_same(&c->list.row[slot - 1], call) ? slot - 1 : PS_NONE;
}
/* The same of one that says what nothing has said, and hardly anything will: it is not looked for. */
uint32_t ps_calls_add(struct ps_calls *calls, const struct ps_call *call);
/* All that were numbered, whose memory the caller has then; NULL: there are none. */
struct ps_call *ps_calls_take(struct ps_calls *calls);
void ps_calls_free(struct ps_calls *calls);

#endif
