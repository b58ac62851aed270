/* wrong_clocks.c - see wrong_clocks.h. */
#include "tests/support/clocks/wrong_clocks.h"

#include "tests/support/random_program.h"
#include "tests/support/trace_maker.h"

/* Ticks from a tenth of a nanosecond to ten microseconds: what a call waits for tells of clocks from 100 us
 * on. */
ps_gen *wrong_clocks_skewed(uint64_t seed)
{
        static const uint64_t resolutions[] = {UINT64_C(10000000000), 1000000000, 10000000, 1000000, 100000};
        uint64_t state = seed, n = 2 + seed % (RANDOM_MAX_RANKS - 1);
        int64_t skew[RANDOM_MAX_RANKS];
        uint32_t n_messages, n_colls;
        for (uint32_t r = 0; r < RANDOM_MAX_RANKS; r++)
                skew[r] = (int64_t)maker_random(&state, 20000);
        const random_program p = {.seed = seed,
                                  .ranks = (uint32_t)n,
                                  .steps = 200,
                                  .options = {.style = PS_GEN_EZTRACE,
                                              .resolution = resolutions[seed % 5],
                                              .start = 100000,
                                              .skew = skew}};
        return random_program_write(&p, &n_messages, &n_colls);
}

/* What a clock shows that gains `ppm`. */
static uint64_t shown(uint64_t time, int64_t ppm)
{
        return time + (uint64_t)((int64_t)(time / 1000) * ppm / 1000);
}

/* In each round somebody else comes last to a barrier and leaves it a little late, and each rank waits for
 * the receiver of a large message. */
ps_gen *wrong_clocks_crowd(const struct wrong_crowd *c, uint64_t seed)
{
        uint64_t state = seed;
        int64_t skew[WRONG_CLOCKS_MOST], ppm[WRONG_CLOCKS_MOST];
        for (uint32_t r = 0; r < c->ranks; r++) {
                skew[r] = (int64_t)maker_random(&state, PS_GEN_MS(40));
                ppm[r] = c->ppm ? (int64_t)maker_random(&state, 2 * (uint32_t)c->ppm) - c->ppm : 0;
        }
        ps_gen *g =
                ps_gen_new(NULL, (ps_gen_options){.ranks = c->ranks,
                                                  .style = c->synchronised ? PS_GEN_SCOREP : PS_GEN_EZTRACE,
                                                  .start = PS_GEN_MS(100),
                                                  .skew = c->synchronised ? NULL : skew});
        for (uint32_t i = 0; i < c->rounds; i++) {
                uint64_t met = PS_GEN_MS(10) + i * c->apart;
                for (uint32_t r = 0; r < c->ranks; r++) {
                        uint64_t from =
                                r == i % c->ranks ? met : met - PS_GEN_US(300) - maker_random(&state, 900000);
                        uint64_t until = met + PS_GEN_US(1) + maker_random(&state, 30000);
                        ps_gen_barrier(g, r, shown(from, ppm[r]), shown(until, ppm[r]), PS_GEN_WORLD);
                }
                for (uint32_t r = 0; r < c->ranks; r++) {
                        uint64_t sent = met + PS_GEN_US(100), got = sent + PS_GEN_US(200);
                        uint32_t to = (r + 1) % c->ranks, from = (r + c->ranks - 1) % c->ranks;
                        ps_gen_irecv(g, r, shown(sent - PS_GEN_US(2), ppm[r]),
                                     shown(sent - PS_GEN_US(1), ppm[r]), i);
                        ps_gen_send(g, r, shown(sent, ppm[r]),
                                    shown(got + maker_random(&state, 9000), ppm[r]), to, PS_GEN_WORLD, 4,
                                    100000);
                        ps_gen_wait(g, r, shown(got + PS_GEN_US(10), ppm[r]),
                                    shown(got + PS_GEN_US(300), ppm[r]),
                                    PS_GEN_GOT(from, PS_GEN_WORLD, 4, 100000, i));
                }
        }
        ps_gen_close(g);
        return g;
}

/* Clocks that were compared, but show each moment up to 600 ns too late: sends, receives in and outside of a
 * wait, and barriers that push each other. */
ps_gen *wrong_clocks_noisy(uint32_t n, uint64_t seed)
{
        uint64_t state = seed;
        ps_gen *g = ps_gen_new(NULL, (ps_gen_options){.ranks = n});
        for (uint32_t r = 0; r < n; r++)
                for (uint32_t i = 0; i < 60; i++) {
                        uint64_t t = 1000 + 3000 * i, at = t + maker_random(&state, 600);
                        uint32_t to = (r + 1) % n, from = (r + n - 1) % n;
                        ps_gen_irecv(g, r, at, at + 10, i);
                        ps_gen_send(g, r, at + 20, at + 40, to, PS_GEN_WORLD, 4, 300);
                        ps_gen_wait(g, r, at + 60, at + 100 + maker_random(&state, 400),
                                    PS_GEN_GOT(from, PS_GEN_WORLD, 4, 300, i));
                        at = t + 1200 + maker_random(&state, 600);
                        ps_gen_barrier(g, r, at, at + 50 + maker_random(&state, 500), PS_GEN_WORLD);
                        at = t + 2400 + maker_random(&state, 100);
                        ps_gen_send(g, r, at, at + 10, from, PS_GEN_WORLD, 5, 300);
                        ps_gen_recv(g, r, at + 15, at + 20 + maker_random(&state, 300), to, PS_GEN_WORLD, 5,
                                    300);
                }
        ps_gen_close(g);
        return g;
}
