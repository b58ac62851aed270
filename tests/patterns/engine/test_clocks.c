/* test_clocks.c - runs whose recorder compared no clocks: made-up programs on true clocks and on clocks that
 * are up to 150 ms apart. What is found on the former must be found on the latter, and little else. */
#include "tests/support/analysed.h"
#include "tests/support/loaded.h"
#include "tests/support/trace_maker.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { RANKS = 4, REPS = 10, N_SEEDS = 8 };
#define MS 1000000u /* ticks */
#define US 1000u

typedef struct machine {
        ps_gen *g;
        uint64_t seed;
        uint64_t now[RANKS];
} machine;

/* Between 5 and 25 us; now and then, as on a machine with too few cores, up to 2 ms. */
static uint64_t delay(machine *m)
{
        return maker_random(&m->seed, 10) == 0 ? maker_random(&m->seed, 2 * MS)
                                               : 5 * US + maker_random(&m->seed, 20 * US);
}

static void work(machine *m, uint32_t r, uint64_t for_ticks)
{
        m->now[r] += for_ticks + delay(m);
}

/* What moves a lot waits for its receive, like all that does not fit into a buffer. */
static void message(machine *m, uint32_t from, uint32_t to, uint64_t bytes)
{
        uint64_t send = m->now[from], recv = m->now[to], met = send > recv ? send : recv;
        uint64_t sent = (bytes > 65536 ? met : send) + 2 * US + delay(m), got = met + 2 * US + delay(m);
        ps_gen_enter(m->g, from, send, "MPI_Send");
        ps_gen_put(m->g, from, send, PS_GEN_REC_OF(SEND, .peer = to, .tag = 1, .bytes = bytes));
        ps_gen_leave(m->g, from, sent, "MPI_Send");
        ps_gen_enter(m->g, to, recv, "MPI_Recv");
        ps_gen_put(m->g, to, got, PS_GEN_REC_OF(RECV, .peer = from, .tag = 1, .bytes = bytes));
        ps_gen_leave(m->g, to, got, "MPI_Recv");
        m->now[from] = sent;
        m->now[to] = got;
}

static void all(machine *m, const char *name)
{
        uint64_t last = 0, bytes = strcmp(name, "MPI_Barrier") ? 64 : 0;
        for (uint32_t r = 0; r < RANKS; r++)
                last = m->now[r] > last ? m->now[r] : last;
        for (uint32_t r = 0; r < RANKS; r++) {
                uint64_t end = last + 2 * US + delay(m);
                ps_gen_enter(m->g, r, m->now[r], name);
                ps_gen_put(m->g, r, m->now[r], (ps_gen_rec){.kind = PS_GEN_R_COLL_BEGIN});
                ps_gen_put(m->g, r, end,
                           PS_GEN_REC_OF(COLL_END, .op = ps_gen_op(name), .peer = OTF2_UNDEFINED_UINT32,
                                         .bytes = bytes, .received = bytes));
                ps_gen_leave(m->g, r, end, name);
                m->now[r] = end;
        }
}

static void late_sender(machine *m)
{
        for (uint32_t r = 0; r < RANKS; r += 2) {
                work(m, r, 20 * MS);
                message(m, r, r + 1, 64);
        }
}

static void late_receiver(machine *m)
{
        for (uint32_t r = 0; r < RANKS; r += 2) {
                work(m, r + 1, 20 * MS);
                message(m, r, r + 1, 1 << 20);
        }
}

static void ping_pong(machine *m)
{
        uint32_t a = maker_random(&m->seed, RANKS), b = (a + 1) % RANKS;
        work(m, a, 15 * MS);
        message(m, a, b, 64);
        message(m, b, a, 64);
}

static void late_to_barrier(machine *m)
{
        for (uint32_t r = 0; r < RANKS; r++)
                work(m, r, 7 * MS * r);
        all(m, "MPI_Barrier");
}

static void uneven_exchange(machine *m)
{
        static const char *const names[] = {"MPI_Allreduce", "MPI_Alltoall", "MPI_Allgather"};
        work(m, maker_random(&m->seed, RANKS), 20 * MS);
        all(m, names[maker_random(&m->seed, 3)]);
}

static void balanced(machine *m)
{
        for (uint32_t r = 0; r < RANKS; r++)
                work(m, r, 10 * MS);
        all(m, "MPI_Allreduce");
}

/* In the order in which a rank starts on its own: up to 30 ms after the first. One barrier, then the steps.
 */
static ps_trace *run(void (*step)(machine *), uint64_t seed, const int64_t *skew, ps_clock_mode clock)
{
        ps_gen_options options = {.ranks = RANKS, .style = PS_GEN_EZTRACE, .skew = skew};
        machine m = {.g = ps_gen_new(NULL, options), .seed = seed};
        for (uint32_t r = 0; r < RANKS; r++)
                m.now[r] = 1 + maker_random(&m.seed, 30 * MS);
        all(&m, "MPI_Barrier");
        for (int i = 0; i < REPS; i++)
                step(&m);
        ps_trace *t = loaded(m.g, clock);
        ps_gen_free(m.g);
        return t;
}

typedef struct comparison {
        double truth, told, both, least;
} comparison;

/* By pattern and location, what both say; views are in no sum. */
static comparison compare(const ps_analysis *truth, const ps_analysis *told)
{
        comparison c = {0};
        for (uint32_t p = 0; p < ps_pattern_count(); p++)
                for (ps_loc l = 0; l < RANKS && !ps_pattern_at(p)->is_view; l++) {
                        double a = (double)truth->lost[p * RANKS + l], b = (double)told->lost[p * RANKS + l];
                        c.truth += a;
                        c.told += b;
                        c.both += a < b ? a : b;
                }
        for (uint32_t i = 0; i < told->n_findings; i++)
                if (!ps_pattern_at(told->findings[i].pattern)->is_view)
                        c.least += (double)told->findings[i].least;
        return c;
}

static void check(const char *name, void (*step)(machine *))
{
        for (uint64_t seed = 1; seed <= N_SEEDS; seed++) {
                int64_t skew[RANKS];
                uint64_t random = seed * 77;
                for (int r = 0; r < RANKS; r++)
                        skew[r] = (int64_t)maker_random(&random, 300 * MS) - 150 * (int64_t)MS;
                ps_trace *t = run(step, seed, NULL, PS_CLOCK_AS_IS),
                         *u = run(step, seed, skew, PS_CLOCK_AUTO);
                ps_analysis *truth = analysed(t, PS_DEFINITIONS_PATSCAN, -1, 1);
                ps_analysis *told = analysed(u, PS_DEFINITIONS_PATSCAN, -1, 1);
                comparison c = compare(truth, told);
                double ms = (double)PS_PS_PER_S / 1e3;
                assert_int_equal(u->clock.trust, PS_CLOCK_BOUNDED);
                if (c.both + 2 * ms < 0.9 * c.truth || c.told - c.both > 0.15 * c.told + 2 * ms ||
                    c.least > c.truth * 1.0001)
                        fail_msg("%s, seed %d: true %.3f, told %.3f, of it true %.3f, at least %.3f ms", name,
                                 (int)seed, c.truth / ms, c.told / ms, c.both / ms, c.least / ms);
                ps_analysis_free(truth);
                ps_analysis_free(told);
                ps_trace_close(t);
                ps_trace_close(u);
        }
}

static void test_found_on_unsynchronised_clocks(void **state)
{
        (void)state;
        check("late sender", late_sender);
        check("late receiver", late_receiver);
        check("ping-pong", ping_pong);
        check("barriers", late_to_barrier);
        check("exchanges", uneven_exchange);
        check("balanced", balanced);
}

/* Two ranks and nothing between them: whatever is told is none of the clocks. */
static void test_nothing_in_common(void **state)
{
        (void)state;
        ps_gen *g = ps_gen_new(NULL, (ps_gen_options){.ranks = 2, .style = PS_GEN_EZTRACE});
        for (uint32_t r = 0; r < 2; r++)
                ps_gen_visit(g, r, 1 + r * MS, 5 * MS, "work");
        ps_trace *t = loaded(g, PS_CLOCK_AUTO);
        assert_int_equal(t->clock.trust, PS_CLOCK_UNKNOWN);
        ps_trace_close(t);
        ps_gen_free(g);
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_found_on_unsynchronised_clocks),
                cmocka_unit_test(test_nothing_in_common),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
