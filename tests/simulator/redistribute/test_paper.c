/* test_paper.c - the formulas of Chung and Hsu, "Efficient Methods for kr -> r and r -> kr Array
 * Redistribution", as they are printed and as they must be, against arrays laid out element by element.
 * docs/REDISTRIBUTION.md tells how many of all cases each printed one gets wrong: the numbers stand here, so
 * that nobody has to believe them. */
#include "simulator/redistribute/redistribute.h"
#include "tests/support/test.h"

#include <string.h>

enum { PROCS = 8, FACTORS = 13, SIZES = 3, CYCLE = PROCS * FACTORS * SIZES };

/* One global complete cycle: who has what, where; by formula. */
typedef struct layout {
        int m, k, r;
        int owner[2][CYCLE];           /* 0: in blocks of kr, 1: of r */
        int position[2][CYCLE];        /* in the local array */
        int shared[PROCS][PROCS];      /* [owner of kr][owner of r]: elements */
        int first[2][PROCS][PROCS];    /* [side]: the position of the first of them */
        int order[PROCS][FACTORS + 1]; /* [owner of r]: the owners of kr that it meets, in order */
        int sizes[PROCS][FACTORS + 1]; /* and how many elements of each, in a row */
        int n_order[PROCS];
} layout;

typedef struct tally {
        int wrong, cases;
} tally;

static void count(tally *t, int formula, int truth)
{
        t->cases++;
        t->wrong += formula != truth;
}

static int mod(int a, int m)
{
        return (a % m + m) % m;
}

static void lay_out(layout *l, int m, int k, int r)
{
        int n[2][PROCS] = {{0}};

        memset(l, 0, sizeof(*l));
        l->m = m, l->k = k, l->r = r;
        for (int v = 0; v < m * k * r; v++) {
                int a = v / (k * r) % m, b = v / r % m;
                l->owner[0][v] = a, l->owner[1][v] = b;
                l->position[0][v] = n[0][a]++, l->position[1][v] = n[1][b]++;
                if (!l->shared[a][b]++) {
                        l->first[0][a][b] = l->position[0][v];
                        l->first[1][a][b] = l->position[1][v];
                }
                if (!l->n_order[b] || l->order[b][l->n_order[b] - 1] != a)
                        l->order[b][l->n_order[b]++] = a;
                l->sizes[b][l->n_order[b] - 1]++;
        }
}

/* Calls `visit` for each of the 1..8 processors, k of 1..13 and r of 1..3. */
static void each_layout(void (*visit)(const layout *l, tally *t), tally *t)
{
        static layout l;

        for (int m = 1; m <= PROCS; m++)
                for (int k = 1; k <= FACTORS; k++)
                        for (int r = 1; r <= SIZES; r++) {
                                lay_out(&l, m, k, r);
                                visit(&l, t);
                        }
}

/* -- kr -> r: i has blocks of kr, j of r -- */

enum { ETA, GAMMA, GAMMA_PRINTED, ALPHA, ALPHA_PRINTED, N_SEND };

static void visit_kr_to_r(const layout *l, tally *t)
{
        int m = l->m, k = l->k, r = l->r;

        for (int i = 0; i < m; i++) {
                count(&t[ETA], i * k % m, l->owner[1][i * k * r]);
                for (int j = 0; j < m; j++) {
                        int truth = l->shared[i][j];
                        count(&t[GAMMA], (k / m + (mod(j - i * k, m) < k % m)) * r, truth);
                        count(&t[GAMMA_PRINTED], (k / m + (mod(i + m - i * k % m, m) < k % m)) * r, truth);
                        if (!truth)
                                continue;
                        count(&t[ALPHA], (i * k / m + (j < i * k % m)) * r, l->first[1][i][j]);
                        count(&t[ALPHA_PRINTED], (i * k / m + (i < i * k % m)) * r, l->first[1][i][j]);
                }
        }
}

TEST(kr_to_r)
{
        tally t[N_SEND] = {{0, 0}};

        each_layout(visit_kr_to_r, t);
        assert_int_equal(t[ETA].wrong, 0);
        assert_int_equal(t[GAMMA].wrong, 0);
        assert_int_equal(t[ALPHA].wrong, 0);
        assert_int_equal(t[GAMMA_PRINTED].cases, 7956);
        assert_int_equal(t[GAMMA_PRINTED].wrong, 3414);
        assert_int_equal(t[ALPHA_PRINTED].cases, 6318);
        assert_int_equal(t[ALPHA_PRINTED].wrong, 1494);
}

/* -- r -> kr: i has blocks of r, j of kr -- */

enum {
        PHI,
        SIZE,
        SIZE_PRINTED,
        DELTA_PRINTED,
        BETA,
        BETA_PRINTED,
        NEXT,
        NEXT_PRINTED,
        CHAIN_PRINTED,
        N_RECEIVE
};

/* The classes of source i: the destination of the next one. As printed it follows from the one before: each
 * step by itself, with the right one before, and the whole chain. */
static void visit_classes(const layout *l, int i, tally *t)
{
        int m = l->m, k = l->k, r = l->r, at = 0, chain = i / k;

        for (int w = 0; w + 1 < l->n_order[i]; w++) {
                at += l->sizes[i][w];
                int step = l->sizes[i][w] * m / (k * r), next = l->order[i][w + 1];
                chain = (step + chain) % m;
                count(&t[NEXT], (i + at / r * m) / k, next);
                count(&t[NEXT_PRINTED], (step + l->order[i][w]) % m, next);
                count(&t[CHAIN_PRINTED], chain, next);
        }
}

static void visit_r_to_kr(const layout *l, tally *t)
{
        int m = l->m, k = l->k, r = l->r;

        for (int i = 0; i < m; i++) {
                count(&t[PHI], i / k, l->owner[0][i * r]);
                visit_classes(l, i, t);
                for (int j = 0; j < m; j++) {
                        int truth = l->shared[j][i], printed = mod(i + m - i * k % m, m);
                        count(&t[SIZE], (k / m + (mod(i - j * k, m) < k % m)) * r, truth);
                        count(&t[SIZE_PRINTED], k / m + (printed < k % m) * r, truth);
                        count(&t[DELTA_PRINTED], (k / m + (printed < k % m)) * r, truth);
                        if (!truth)
                                continue;
                        count(&t[BETA], mod(i - j * k, m) * r, l->first[0][j][i]);
                        count(&t[BETA_PRINTED], printed * r, l->first[0][j][i]);
                }
        }
}

TEST(r_to_kr)
{
        tally t[N_RECEIVE] = {{0, 0}};

        each_layout(visit_r_to_kr, t);
        assert_int_equal(t[PHI].wrong, 0);
        assert_int_equal(t[SIZE].wrong, 0);
        assert_int_equal(t[BETA].wrong, 0);
        assert_int_equal(t[NEXT].wrong, 0);
        assert_int_equal(t[SIZE_PRINTED].cases, 7956);
        assert_int_equal(t[SIZE_PRINTED].wrong, 5190);
        assert_int_equal(t[DELTA_PRINTED].wrong, 3414);
        assert_int_equal(t[BETA_PRINTED].cases, 6318);
        assert_int_equal(t[BETA_PRINTED].wrong, 3936);
        assert_int_equal(t[NEXT_PRINTED].cases, 4914);
        assert_int_equal(t[NEXT_PRINTED].wrong, 1977);
        assert_int_equal(t[CHAIN_PRINTED].wrong, 3126);
}

/* What the program reckons with gives the corrected formulas for a whole cycle, and twice that for two. */
static void visit_program(const layout *l, tally *t)
{
        uint64_t n = (uint64_t)(l->m * l->k * l->r);

        for (uint64_t cycles = 1; cycles <= 2; cycles++) {
                ps_redist_line kr = {cycles * n, (uint64_t)(l->k * l->r), (uint32_t)l->m};
                ps_redist_line r = {cycles * n, (uint64_t)l->r, (uint32_t)l->m};
                ps_redist_list list;
                assert_int_equal(ps_redist_line_transfers(&list, &kr, &r, NULL), PS_OK);
                for (size_t i = 0; i < list.n; i++)
                        count(t, (int)list.row[i].elements,
                              (int)cycles * l->shared[list.row[i].source][list.row[i].destination]);
                ps_redist_list_free(&list);
        }
}

TEST(all_layouts_of_the_paper_agree_with_its_program)
{
        tally t = {0, 0};

        each_layout(visit_program, &t);
        assert_int_equal(t.cases, 2 * 6318);
        assert_int_equal(t.wrong, 0);
}
