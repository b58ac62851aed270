/* exchange.h - what the processes that work on one trace say to each other.
 *
 * How bytes get from one process to another is a wire's affair: MPI's in patscan-mpi (app/mpi), memory that
 * the processes of one machine share (app/local), that of threads in tests. Whatever is made of it is here,
 * once. Whoever works alone has a size of 1, and no wire: then all of this does nothing, so that nobody has
 * to ask.
 *
 * What all processes do together, all of them call in the same order, whatever has failed before in one of
 * them: that is what ps_exchange_agree is for. A wire does not fail: it ends all processes instead. */
#ifndef PS_CORE_EXCHANGE_EXCHANGE_H
#define PS_CORE_EXCHANGE_EXCHANGE_H

#include "core/base/error.h"
#include "core/base/memory.h"

#include <stddef.h>
#include <stdint.h>

/* The most that any wire has on its way at a time. */
enum { PS_EXCHANGE_BLOCK = PS_AT_ONCE(4 << 20, 1 << 16) };

typedef enum ps_way { PS_WAY_OUT, PS_WAY_IN, PS_WAYS } ps_way;

/* One block at a time each way; it stays where it is until it is done. Blocks between the same two processes
 * come in the order in which they were sent, and as large as they were. */
typedef struct ps_wire {
        void (*send)(void *ctx, uint32_t to, const void *block, size_t n);
        void (*receive)(void *ctx, uint32_t from, void *block, size_t n);
        bool (*is_done)(void *ctx, ps_way way);
        size_t most; /* in a block: what is larger goes in several */
} ps_wire;

/* What process 0 knows of the trace that was loaded last, and of what that took. */
typedef struct ps_exchange_told {
        uint64_t messages, crossing; /* of the trace; the ends lie with two of our processes */
        uint64_t collectives;
        uint64_t match_bytes, read_bytes; /* that were sent for it, by all */
        uint64_t sum_bytes;               /* and for what each adds up of its rows */
        uint64_t cause_bytes;             /* and for the waits that causes are found from */
        bool is_known;
        const char *rows_travelled; /* all of them, to process 0: what for; NULL: they did not */
} ps_exchange_told;

typedef struct ps_exchange {
        uint32_t rank, size;
        const ps_wire *wire;
        void *wire_ctx;
        unsigned n_threads;     /* of each process, where nobody asks for a number of them */
        unsigned asked_threads; /* 0: nobody does */
        bool leads_only;        /* by process 0: it reads nothing, to have more room for what all tell it */
        /* Called each ten seconds for which somebody waits; may be NULL. */
        void (*waits)(void *ctx, uint32_t other, double seconds);
        void *waits_ctx;
        uint64_t messages, bytes; /* sent by this process */
        uint32_t readings;        /* traces that were read together so far */
        ps_exchange_told told;
} ps_exchange;

static inline bool ps_exchange_is_shared(const ps_exchange *x)
{
        return x && x->size > 1;
}

/* Bytes for each process, or from each: those of process p end at end[p] and begin where those of the process
 * before it end. Behind what came there is room to read eight more. */
typedef struct ps_pile {
        uint8_t *bytes;
        size_t *end;
} ps_pile;

void ps_pile_clear(ps_pile *pile);
/* The same, and its pages are for others (core/base/memory.h). */
void ps_pile_pass_on(ps_pile *pile);
/* Those of process p. */
const uint8_t *ps_pile_part(const ps_pile *pile, uint32_t p, size_t *n);

/* Between two processes, both of which know how much it is. To send something and to receive something at
 * once cannot make anybody wait for a process that waits for him. */
void ps_exchange_send(ps_exchange *x, uint32_t to, const void *bytes, size_t n);
void ps_exchange_receive(ps_exchange *x, uint32_t from, void *bytes, size_t n);
void ps_exchange_swap(ps_exchange *x, uint32_t to, const void *out, size_t n_out, uint32_t from, void *in,
                      size_t n_in);

/* The same of what nobody will ask for any more: its large pages are for what comes, if that `is_fresh` -
 * nobody has touched the room for it yet - or for others (core/base/memory.h). */
void ps_exchange_swap_pages(ps_exchange *x, uint32_t to, const void *out, size_t n_out, uint32_t from,
                            void *in, size_t n_in, bool is_fresh);

/* What process 0 has at `bytes`, all have there then. */
void ps_exchange_broadcast(ps_exchange *x, void *bytes, size_t n);

/* The worst status of all is everybody's, and so is what the first process that has it says. */
ps_status ps_exchange_agree(ps_exchange *x, ps_status status, ps_error *err);

/* Is it so with any of them? Alone: with this one. Spares all what only some have something to do with. */
bool ps_exchange_any(ps_exchange *x, bool is_so);

/* Process 0 gets what each has; of the others *out is empty. */
ps_status ps_exchange_gather(ps_exchange *x, ps_pile *out, const void *mine, size_t n, ps_error *err);

/* Each gets what each has for it; in `size` - 1 phases, in each of which everybody sends to one process and
 * receives from one. */
ps_status ps_exchange_deal(ps_exchange *x, ps_pile *in, const ps_pile *out, ps_error *err);

/* The same of bytes that lie anywhere. `sent`, if not NULL, is called for each part that nobody will ask for
 * any more. */
typedef struct ps_parts {
        const uint8_t *(*part)(void *ctx, uint32_t p, size_t *n);
        void (*sent)(void *ctx, uint32_t p);
        void *ctx;
} ps_parts;

ps_status ps_exchange_deal_parts(ps_exchange *x, ps_pile *in, const ps_parts *out, ps_error *err);

/* Is given what came from process p, behind which there is room to read eight bytes more. */
typedef void ps_hears(void *ctx, uint32_t p, const uint8_t *part, size_t n);
/* The same of what is heard as it comes, and then is gone: so it needs room for the largest part only. Nobody
 * hears anything if anybody has no room for it. */
ps_status ps_exchange_deal_in_turn(ps_exchange *x, const ps_parts *out, ps_hears *hears, void *ctx,
                                   ps_error *err);

#endif
