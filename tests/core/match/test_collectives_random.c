/* test_collectives_random.c - random programs with missing and surplus calls against a matcher that
 * follows the same rule by asking for the cost of each kind separately. */
#include "tests/core/match/lab.h"
#include "tests/support/test.h"
#include "tests/support/trace_maker.h"

#include <string.h>

#define CALL(at_loc, what, on)                                                                               \
        {                                                                                                    \
                .loc = (at_loc), .kind = PS_K_##what, .comm = (on), .peer = PS_NONE                          \
        }

/* -- random programs -- */

enum { MAX_ROWS = 400, MAX_PROCS = 6, N_COMMS = 3, SIGHT = 32 };

typedef struct program {
        maker_comm comms[N_COMMS];
        maker_shape shape;
        maker_row rows[MAX_ROWS];
        uint32_t n;
} program;

static void add_call(program *p, uint64_t *seed, ps_loc loc, uint8_t kind, ps_comm comm)
{
        if (p->n < MAX_ROWS)
                p->rows[p->n++] = (maker_row){.loc = loc,
                                              .kind = kind,
                                              .comm = comm,
                                              .peer = PS_NONE,
                                              .flags = maker_random(seed, 4) ? 0 : PS_OP_NONBLOCKING,
                                              .received = maker_random(seed, 1000),
                                              .done = 0};
}

/* A common sequence; one call in `rarity` is missing or preceded by another. */
static void make_program(program *p, uint64_t seed, uint32_t rarity)
{
        static const uint8_t kinds[] = {PS_K_BARRIER, PS_K_ALLREDUCE, PS_K_SCAN, PS_K_COMM_MANAGE};
        memset(p, 0, sizeof(*p));
        uint32_t n_procs = 1 + maker_random(&seed, MAX_PROCS), length = maker_random(&seed, 60);
        for (uint32_t c = 0; c < N_COMMS; c++)
                for (uint32_t proc = 0; proc < n_procs; proc++)
                        if (c == 0 || maker_random(&seed, 3))
                                p->comms[c].members[p->comms[c].n++] = proc;
        p->shape = (maker_shape){.n_procs = n_procs, .comms = p->comms, .n_comms = N_COMMS};
        for (uint32_t i = 0; i < length; i++) {
                uint8_t kind = kinds[maker_random(&seed, N(kinds))];
                ps_comm comm = maker_random(&seed, N_COMMS);
                for (uint32_t m = 0; m < p->comms[comm].n; m++) {
                        ps_loc loc = p->comms[comm].members[m];
                        if (!maker_random(&seed, rarity))
                                add_call(p, &seed, loc, kinds[maker_random(&seed, N(kinds))], comm);
                        if (maker_random(&seed, rarity))
                                add_call(p, &seed, loc, kind, comm);
                }
        }
}

/* How far ahead of a member's next call the first one of that sort is, and its row; SIGHT: not in sight. */
static uint32_t distance(const program *p, const uint8_t *taken, ps_loc loc, ps_comm comm, int key,
                         uint32_t *row)
{
        uint32_t ahead = 0;
        for (uint32_t i = 0; i < p->n && ahead < SIGHT; i++) {
                if (taken[i] || p->rows[i].loc != loc || p->rows[i].comm != comm)
                        continue;
                if (p->rows[i].kind * 2 + (p->rows[i].flags & PS_OP_NONBLOCKING) == key) {
                        *row = i;
                        return ahead;
                }
                ahead++;
        }
        return SIGHT;
}

static int is_done(const program *p, const uint8_t *taken, ps_loc loc, ps_comm comm)
{
        for (uint32_t i = 0; i < p->n; i++)
                if (!taken[i] && p->rows[i].loc == loc && p->rows[i].comm == comm)
                        return 0;
        return 1;
}

static int best_key(const program *p, const uint8_t *taken, ps_comm comm)
{
        uint32_t best_cost = UINT32_MAX, row;
        int best = -1;
        for (int key = 0; key < 2 * PS_K_COUNT; key++) {
                uint32_t cost = 0, found = 0;
                for (ps_loc loc = 0; loc < p->shape.n_procs; loc++)
                        if (!is_done(p, taken, loc, comm)) {
                                uint32_t ahead = distance(p, taken, loc, comm, key, &row);
                                cost += ahead;
                                found |= ahead < SIGHT;
                        }
                if (found && cost < best_cost) {
                        best_cost = cost;
                        best = key;
                }
        }
        return best;
}

/* expected[i]: the instance of row i, or PS_NONE. Returns how many lack members. */
static uint32_t match_naively(const program *p, uint32_t *expected)
{
        uint8_t taken[MAX_ROWS] = {0};
        uint32_t n_colls = 0, n_incomplete = 0;
        memset(expected, 0xff, MAX_ROWS * sizeof(*expected));
        for (ps_comm comm = 0; comm < N_COMMS; comm++)
                for (int key; (key = best_key(p, taken, comm)) >= 0; n_colls++) {
                        uint32_t n = 0;
                        for (ps_loc loc = 0; loc < p->shape.n_procs; loc++) {
                                uint32_t row = 0;
                                if (distance(p, taken, loc, comm, key, &row) == SIGHT)
                                        continue;
                                for (uint32_t i = 0; i <= row; i++)
                                        taken[i] |= p->rows[i].loc == loc && p->rows[i].comm == comm;
                                expected[row] = n_colls;
                                n++;
                        }
                        n_incomplete += n < p->comms[comm].n;
                }
        return n_incomplete;
}

TEST(agrees_with_a_naive_matcher)
{
        for (uint64_t seed = 1; seed <= 150; seed++) {
                program p;
                uint32_t expected[MAX_ROWS], mismatched = 0;
                make_program(&p, seed, 2 + (uint32_t)seed % 30);
                uint32_t n_incomplete = match_naively(&p, expected);
                for (uint32_t i = 0; i < p.n; i++)
                        mismatched += expected[i] == PS_NONE;
                ps_trace *trace = match_collectives(&p.shape, p.rows, p.n);
                match_colls(trace, p.rows, expected, p.n);
                match_issues(trace, mismatched, n_incomplete);
                maker_free(trace);
        }
}

/* Process l becomes n - 1 - l, and the clocks differ by seconds. */
TEST(names_and_clocks_change_nothing)
{
        for (uint64_t seed = 1000; seed < 1100; seed++) {
                program p, q;
                make_program(&p, seed, 10);
                q = p;
                q.shape.comms = q.comms;
                uint32_t last = p.shape.n_procs - 1;
                for (uint32_t c = 0; c < N_COMMS; c++)
                        for (uint32_t m = 0; m < q.comms[c].n; m++)
                                q.comms[c].members[m] = last - p.comms[c].members[m];
                for (uint32_t i = 0; i < q.n; i++) {
                        q.rows[i].loc = last - p.rows[i].loc;
                        q.rows[i].at = 10 * (ps_time)i + 1 + PS_PS_PER_S * (q.rows[i].loc * 7 % 5);
                }
                ps_trace *a = match_collectives(&p.shape, p.rows, p.n),
                         *b = match_collectives(&q.shape, q.rows, q.n);
                assert_int_equal(a->n_colls, b->n_colls);
                for (uint32_t i = 0; i < p.n; i++)
                        assert_int_equal(match_coll_of(a, p.rows, i), match_coll_of(b, q.rows, i));
                maker_free(a);
                maker_free(b);
        }
}
