/* slots.c - see slots.h. Each process has a slot for what it sends, and there is one block in it at a time:
 * it is for one other process, who takes it out. So each takes as many addresses as there are processes, not
 * pairs of them. */
#define _GNU_SOURCE // NOLINT(bugprone-reserved-identifier): memory without a file
#include "app/local/slots.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { NOBODY = 0, MOST = (256 << 10) - 64 };

struct slot {
        _Alignas(64) _Atomic uint32_t to; /* NOBODY: it is empty; else the process that it is for, plus 1 */
        uint32_t n;
        uint8_t block[MOST];
};

struct ps_slots {
        uint32_t n, rank;
        struct slot *slot; /* by process; all else here is each process's own */
        const void *out;   /* what is to be sent still; NULL: nothing */
        void *in;
        size_t n_out, n_in;
        uint32_t to, from;
};

ps_slots *ps_slots_new(uint32_t n)
{
        ps_slots *slots = calloc(1, sizeof(*slots));
        void *at = mmap(NULL, n * sizeof(struct slot), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
                        0);
        if (slots && at != MAP_FAILED) {
                *slots = (ps_slots){.n = n, .slot = at};
                return slots;
        }
        if (at != MAP_FAILED)
                munmap(at, n * sizeof(struct slot));
        free(slots);
        return NULL;
}

void ps_slots_free(ps_slots *slots)
{
        if (slots)
                munmap(slots->slot, slots->n * sizeof(*slots->slot));
        free(slots);
}

static void send_block(void *ctx, uint32_t to, const void *block, size_t n)
{
        ps_slots *s = ctx;
        s->to = to;
        s->out = block;
        s->n_out = n;
}

static void receive_block(void *ctx, uint32_t from, void *block, size_t n)
{
        ps_slots *s = ctx;
        s->from = from;
        s->in = block;
        s->n_in = n;
}

/* It has left its place once it lies in the slot. */
static bool put(ps_slots *s)
{
        struct slot *own = &s->slot[s->rank];
        if (atomic_load_explicit(&own->to, memory_order_acquire) != NOBODY)
                return false;
        memcpy(own->block, s->out, s->n_out);
        own->n = (uint32_t)s->n_out;
        atomic_store_explicit(&own->to, s->to + 1, memory_order_release);
        return true;
}

static bool take(ps_slots *s)
{
        struct slot *theirs = &s->slot[s->from];
        if (atomic_load_explicit(&theirs->to, memory_order_acquire) != s->rank + 1)
                return false;
        if (theirs->n != s->n_in) /* they do not agree on what is sent, so that nothing is right any more */
                abort();
        memcpy(s->in, theirs->block, s->n_in);
        atomic_store_explicit(&theirs->to, NOBODY, memory_order_release);
        return true;
}

static bool is_done(void *ctx, ps_way way)
{
        return way == PS_WAY_OUT ? put(ctx) : take(ctx);
}

void ps_slots_join(ps_exchange *out, ps_slots *slots, uint32_t rank)
{
        static const ps_wire wire = {send_block, receive_block, is_done, MOST};
        slots->rank = rank;
        *out = (ps_exchange){
                .rank = rank, .size = slots->n, .wire = &wire, .wire_ctx = slots, .n_threads = 1};
}
