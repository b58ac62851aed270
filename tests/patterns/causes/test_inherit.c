/* test_inherit.c - what of waits is propagated, against one heir after the other. */
#include "patterns/causes/passes.h"
#include "tests/support/draw.h"
#include "tests/support/test.h"

#include <stdlib.h>

enum { LOCS = 2, WAITS = 24, HEIRS = 40, ALL = WAITS + HEIRS, RUNS = 2000, LONGEST = 1000 };

/* Location 0 waited, and those who waited for it inherit from its waits; location 1 is all of these. */
struct lab {
        ps_trace trace;
        ps_delays out;
        struct timeline line[LOCS];
        struct waiting wait[ALL + 1];
        ps_time sum[LOCS][PS_N_DELAYS][PS_N_DELAYED];
        struct delaying d;
};

static void draw_heir(struct lab *lab, struct waiting *heir, uint64_t *random)
{
        heir->by = (ps_ref){0, 0};
        heir->is_caused = true;
        heir->first = (uint32_t)draw(random, WAITS);
        heir->behind = heir->first + 1 + (uint32_t)draw(random, WAITS - heir->first);
        const ps_time first = length_of(&lab->wait[heir->first]);
        const ps_time cut = draw(random, 2) ? (ps_time)draw(random, (uint64_t)first) : 0;
        heir->is_cut = cut > 0;
        heir->waited = waited_between(&lab->d, heir->first, heir->behind) - cut;
        heir->excess = draw(random, 2) ? (ps_time)draw(random, WAITS * LONGEST) : 0;
}

static struct lab *new_lab(uint64_t seed)
{
        struct lab *lab = calloc(1, sizeof(*lab));
        assert_non_null(lab);
        lab->trace.n_locs = lab->out.n_locs = LOCS;
        lab->out.sum = lab->sum;
        lab->line[0] = (struct timeline){.n_waits = WAITS, .counts = true};
        lab->line[1] = (struct timeline){.wait = WAITS, .n_waits = HEIRS, .counts = true};
        lab->d = (struct delaying){.trace = &lab->trace,
                                   .options = {.definitions = PS_DEFINITIONS_PATSCAN},
                                   .wait = lab->wait,
                                   .n_waits = ALL,
                                   .line = lab->line,
                                   .out = &lab->out};
        for (uint32_t i = 0; i < ALL; i++) {
                lab->wait[i].by.loc = lab->wait[i].by.op = PS_NONE;
                lab->wait[i + 1].before = lab->wait[i].before + 1 + draw(&seed, LONGEST);
        }
        for (uint32_t i = WAITS; i < ALL; i++)
                draw_heir(lab, &lab->wait[i], &seed);
        return lab;
}

/* What an heir passes on is what explains it, in proportion to how long its causer waited there. */
static ps_time passed_on(const struct lab *lab, const struct waiting *heir, uint32_t wait)
{
        const ps_time all = heir->excess + heir->waited, own = length_of(heir);
        const ps_time cut = waited_between(&lab->d, heir->first, heir->behind) - heir->waited;
        const ps_time length = length_of(&lab->wait[wait]) - (wait == heir->first ? cut : 0);
        return wait < heir->first || wait >= heir->behind ? 0 : (own < all ? own : all) * length / all;
}

TEST(a_wait_is_propagating_by_the_most_that_an_heir_passes_on)
{
        for (uint64_t seed = 0; seed < RUNS; seed++) {
                struct lab *lab = new_lab(seed);
                ps_time sum = 0;
                for (uint32_t i = 0; i < WAITS; i++) {
                        ps_time most = 0;
                        for (uint32_t k = WAITS; k < ALL; k++) {
                                const ps_time here = passed_on(lab, &lab->wait[k], i);
                                most = here > most ? here : most;
                        }
                        sum += most;
                }
                assert_int_equal(ps_inherit_add_up(&lab->d, NULL), PS_OK);
                assert_int_equal(lab->sum[0][0][PS_DELAYED_PROPAGATING], sum);
                assert_int_equal(lab->sum[0][0][PS_DELAYED_TERMINAL],
                                 lab->wait[WAITS].before - (uint64_t)sum);
                free(lab);
        }
}
