/* exchange.c - blocks between two processes, and how one waits for them.
 *
 * Calls of MPI that wait burn a whole processor, which others need: so whoever waits asks now and then, and
 * sleeps in between, longer as it goes on. Hardly any wait is over after a few tries that it has not slept
 * between, and where processes share processors each such try costs as much as a switch to another one. */
#include "core/exchange/exchange.h"

#include "core/base/memory.h"

#include <sched.h>
#include <time.h>

/* -- waiting -- */

enum { TRIES_AWAKE = 2, TELLS_EVERY_S = 10 };

static const int64_t SECOND_NS = 1000000000, SHORTEST_NS = 50000, LONGEST_NS = 1000000;

struct pause {
        unsigned tries;
        int64_t sleep_ns, began_ns, told_ns;
};

static int64_t now_ns(void)
{
        struct timespec now;
        clock_gettime(CLOCK_MONOTONIC, &now);
        return (int64_t)now.tv_sec * SECOND_NS + now.tv_nsec;
}

static void tell(const ps_exchange *x, struct pause *p, uint32_t other)
{
        int64_t now = now_ns();
        p->began_ns = p->began_ns ? p->began_ns : now;
        p->told_ns = p->told_ns ? p->told_ns : now;
        if (!x->waits || now - p->told_ns < TELLS_EVERY_S * SECOND_NS)
                return;
        x->waits(x->waits_ctx, other, (double)(now - p->began_ns) / (double)SECOND_NS);
        p->told_ns = now;
}

static void rest(const ps_exchange *x, struct pause *p, uint32_t other)
{
        if (p->tries++ < TRIES_AWAKE) {
                sched_yield();
                return;
        }
        p->sleep_ns = p->sleep_ns ? 2 * p->sleep_ns : SHORTEST_NS;
        p->sleep_ns = p->sleep_ns < LONGEST_NS ? p->sleep_ns : LONGEST_NS;
        nanosleep(&(struct timespec){.tv_nsec = p->sleep_ns}, NULL);
        tell(x, p, other);
}

/* -- blocks -- */

/* What goes one way: of `from` or to `to`. */
struct leg {
        uint32_t other;
        const uint8_t *from;
        uint8_t *to;
        size_t n, done, under_way;
        bool has_pages; /* nobody asks for what was sent, or has touched the room for what comes */
};

/* The pages of what has left are for what comes next. */
static void end_block(struct leg *leg, ps_way way)
{
        if (leg->has_pages && way == PS_WAY_OUT)
                ps_memory_leave((void *)(leg->from + leg->done), leg->under_way);
        leg->done += leg->under_way;
        leg->under_way = 0;
}

/* Has anything come about? */
static bool step(ps_exchange *x, ps_way way, struct leg *leg)
{
        if (leg->under_way) {
                if (!x->wire->is_done(x->wire_ctx, way))
                        return false;
                end_block(leg, way);
        }
        size_t n = leg->n - leg->done;
        if (!n)
                return true;
        leg->under_way = n < x->wire->most ? n : x->wire->most;
        if (way == PS_WAY_IN) {
                if (leg->has_pages)
                        ps_memory_fill_next(leg->to, leg->done, leg->done + leg->under_way, leg->n);
                x->wire->receive(x->wire_ctx, leg->other, leg->to + leg->done, leg->under_way);
                return true;
        }
        x->wire->send(x->wire_ctx, leg->other, leg->from + leg->done, leg->under_way);
        x->messages++;
        x->bytes += leg->under_way;
        return true;
}

static bool is_over(const struct leg *leg)
{
        return leg->done == leg->n;
}

static void go(ps_exchange *x, struct leg leg[PS_WAYS])
{
        struct pause pause = {0};
        while (!is_over(&leg[PS_WAY_OUT]) || !is_over(&leg[PS_WAY_IN])) {
                bool moved = false;
                for (int way = 0; way < PS_WAYS; way++)
                        if (!is_over(&leg[way]))
                                moved |= step(x, (ps_way)way, &leg[way]);
                if (moved)
                        pause = (struct pause){0};
                else
                        rest(x, &pause, leg[is_over(&leg[PS_WAY_IN]) ? PS_WAY_OUT : PS_WAY_IN].other);
        }
}

void ps_exchange_swap(ps_exchange *x, uint32_t to, const void *out, size_t n_out, uint32_t from, void *in,
                      size_t n_in)
{
        struct leg leg[PS_WAYS] = {[PS_WAY_OUT] = {.other = to, .from = out, .n = n_out},
                                   [PS_WAY_IN] = {.other = from, .to = in, .n = n_in}};
        go(x, leg);
}

void ps_exchange_swap_pages(ps_exchange *x, uint32_t to, const void *out, size_t n_out, uint32_t from,
                            void *in, size_t n_in, bool is_fresh)
{
        struct leg leg[PS_WAYS] = {[PS_WAY_OUT] = {.other = to, .from = out, .n = n_out, .has_pages = true},
                                   [PS_WAY_IN] = {.other = from, .to = in, .n = n_in, .has_pages = is_fresh}};
        go(x, leg);
}

void ps_exchange_send(ps_exchange *x, uint32_t to, const void *bytes, size_t n)
{
        ps_exchange_swap(x, to, bytes, n, to, NULL, 0);
}

void ps_exchange_receive(ps_exchange *x, uint32_t from, void *bytes, size_t n)
{
        ps_exchange_swap(x, from, NULL, 0, from, bytes, n);
}
