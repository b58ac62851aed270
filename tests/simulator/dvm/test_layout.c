/* test_layout.c - who holds what, and who sends what to whom, against the definition: each element by
 * itself on small random cases, and examples worked out by hand. */
#include "simulator/dvm/moves.h"
#include "tests/support/draw.h"
#include "tests/support/test.h"
#include <stdlib.h>
#include <string.h>

enum { MOST = 64 };

static uint64_t seed = 1;

static int64_t below(int64_t n)
{
        return (int64_t)draw(&seed, (uint64_t)n);
}

/* A processor grid with numbers as they come. */
static ps_dvm_system *grid_of(uint32_t rank, const uint32_t *size)
{
        static uint32_t numbers[1024];
        ps_dvm_system *s = calloc(1, sizeof(*s));
        assert_non_null(s);
        s->rank = rank;
        s->n = 1;
        for (uint32_t v = 0; v < rank; v++) {
                s->size[v] = size[v];
                s->n *= size[v];
        }
        for (uint32_t p = 0; p < 1024; p++)
                numbers[p] = p;
        s->processor = numbers;
        return s;
}

struct placed {
        ps_dvm_spread spread;
        int64_t bound[PS_DVM_RANK_MAX][MOST];
        int64_t view_size[PS_DVM_RANK_MAX];
        ps_dvm_alignment alignment;
        ps_dvm_lattice lattice;
        ps_dvm_layout *layout;
};

static void lay(struct placed *p)
{
        ps_error err = {0};
        for (uint32_t v = 0; v < p->spread.system->rank; v++) {
                p->spread.bound[v] = p->bound[v];
                if (p->spread.axis[v] != PS_NONE)
                        ps_dvm_blocks_fill(p->bound[v], p->spread.system->size[v],
                                           p->view_size[p->spread.axis[v]], NULL, 1);
        }
        ps_status status =
                ps_dvm_layout_new(&p->layout, &p->spread, p->view_size, &p->alignment, &p->lattice, &err);
        if (status != PS_OK)
                fail_msg("%s", err.cause[0].text);
}

/* By the definition: does the processor at `coord` have element `index`? */
static int has(const struct placed *p, const uint32_t *coord, const int64_t *index)
{
        for (uint32_t v = 0; v < p->spread.system->rank; v++) {
                uint32_t t = p->spread.axis[v];
                if (t == PS_NONE)
                        continue;
                const ps_dvm_placing *a = &p->alignment.axis[t];
                int64_t low = p->bound[v][coord[v]], high = p->bound[v][coord[v] + 1] - 1;
                int64_t from = a->from, to = a->to;
                if (a->dim != PS_NONE)
                        from = to = a->coeff * (p->lattice.first[a->dim] +
                                                index[a->dim] * p->lattice.step[a->dim]) +
                                    a->constant;
                if (from > high || to < low)
                        return 0;
        }
        return 1;
}

static int64_t distance(uint32_t rank, const uint32_t *a, const uint32_t *b)
{
        int64_t sum = 0;
        for (uint32_t v = 0; v < rank; v++)
                sum += a[v] > b[v] ? a[v] - b[v] : b[v] - a[v];
        return sum;
}

static void all_of(const ps_dvm_system *s, uint32_t *from, uint32_t *to)
{
        for (uint32_t v = 0; v < s->rank; v++) {
                from[v] = 0;
                to[v] = s->size[v] - 1;
        }
}

static int next_index(int64_t *index, const int64_t *count, uint32_t rank)
{
        for (uint32_t d = rank; d-- > 0; index[d] = 0)
                if (++index[d] < count[d])
                        return 1;
        return 0;
}

/* matrix[source * n + destination], element by element. */
static void add_by_definition(int64_t *matrix, const struct placed *old, const struct placed *now)
{
        const ps_dvm_system *s = old->spread.system;
        uint32_t from[PS_DVM_RANK_MAX], to[PS_DVM_RANK_MAX];
        int64_t index[PS_DVM_RANK_MAX] = {0};
        all_of(s, from, to);
        for (uint32_t d = 0; d < old->lattice.rank; d++)
                if (!old->lattice.count[d])
                        return;
        do {
                uint32_t q[PS_DVM_RANK_MAX] = {0};
                do {
                        uint32_t p[PS_DVM_RANK_MAX] = {0}, best[PS_DVM_RANK_MAX] = {0};
                        int64_t nearest = INT64_MAX;
                        if (!has(now, q, index))
                                continue;
                        do
                                if (has(old, p, index) && distance(s->rank, p, q) < nearest) {
                                        nearest = distance(s->rank, p, q);
                                        memcpy(best, p, sizeof(best));
                                }
                        while (ps_dvm_step(p, from, to, s->rank));
                        if (nearest && nearest != INT64_MAX)
                                matrix[ps_dvm_place(s, best) * s->n + ps_dvm_place(s, q)]++;
                } while (ps_dvm_step(q, from, to, s->rank));
        } while (next_index(index, old->lattice.count, old->lattice.rank));
}

/* A random distribution of a random template with a random alignment of a lattice of `rank` dimensions. */
static void make_random(struct placed *p, const ps_dvm_system *s, const ps_dvm_lattice *lattice)
{
        uint32_t n_axes = lattice->rank + (uint32_t)below(2), used = 0;
        *p = (struct placed){.lattice = *lattice};
        p->spread.system = s;
        p->alignment.n = n_axes;
        for (uint32_t t = 0; t < n_axes; t++) {
                ps_dvm_placing *a = &p->alignment.axis[t];
                int64_t coeff = below(2) ? 1 + below(2) : -1 - below(2);
                *a = (ps_dvm_placing){PS_NONE, 0, 0, 0, 0};
                if (used < lattice->rank && below(4)) {
                        int64_t slope = coeff * lattice->step[used], end = slope * (lattice->count[used] - 1);
                        int64_t low = end < 0 ? end : 0, high = end > 0 ? end : 0;
                        int64_t gap = below(3);
                        p->view_size[t] = high - low + 1 + gap + below(3);
                        *a = (ps_dvm_placing){used, coeff, gap - low - coeff * lattice->first[used], 0, 0};
                        used++;
                } else {
                        p->view_size[t] = 1 + below(12);
                        a->from = below(p->view_size[t]);
                        a->to = a->from + below(p->view_size[t] - a->from);
                }
        }
        for (uint32_t v = 0, t = (uint32_t)below(2); v < s->rank; v++)
                p->spread.axis[v] = below(4) && t < n_axes ? t++ : PS_NONE;
        lay(p);
}

static void check_moves(int round, const struct placed *old, const struct placed *now)
{
        const ps_dvm_system *s = now->spread.system;
        ps_dvm_moves moves = {0};
        ps_error err = {0};
        assert_int_equal(ps_dvm_moves_layout(&moves, old->layout, now->layout, 1, &err), PS_OK);
        int64_t *matrix = calloc((size_t)s->n * s->n, sizeof(*matrix));
        assert_non_null(matrix);
        add_by_definition(matrix, old, now);
        for (size_t i = 0; i < moves.n; i++)
                matrix[moves.row[i].source * s->n + moves.row[i].destination] -= (int64_t)moves.row[i].bytes;
        for (uint32_t i = 0; i < s->n * s->n; i++)
                if (matrix[i])
                        fail_msg("round %d: %u -> %u differs by %lld", round, i / s->n, i % s->n,
                                 (long long)matrix[i]);
        free(matrix);
        ps_dvm_moves_free(&moves);
}

static void check_counts(const struct placed *p)
{
        const ps_dvm_system *s = p->spread.system;
        int64_t counts[1024], own[1024] = {0};
        uint32_t q[PS_DVM_RANK_MAX] = {0}, from[PS_DVM_RANK_MAX], to[PS_DVM_RANK_MAX];
        ps_dvm_layout_counts(p->layout, counts);
        all_of(s, from, to);
        do {
                int64_t index[PS_DVM_RANK_MAX] = {0};
                do
                        own[ps_dvm_place(s, q)] += has(p, q, index);
                while (next_index(index, p->lattice.count, p->lattice.rank));
                assert_int_equal(counts[ps_dvm_place(s, q)], own[ps_dvm_place(s, q)]);
        } while (ps_dvm_step(q, from, to, s->rank));
}

TEST(layouts_change_as_each_element_does)
{
        for (int round = 0; round < 6000; round++) {
                uint32_t rank = 1 + (uint32_t)below(3), size[3];
                ps_dvm_lattice lattice = {.rank = 1 + (uint32_t)below(2)};
                for (uint32_t v = 0; v < rank; v++)
                        size[v] = 1 + (uint32_t)below(4);
                for (uint32_t d = 0; d < lattice.rank; d++) {
                        lattice.first[d] = below(5);
                        lattice.step[d] = below(2) ? 1 + below(2) : -1 - below(2);
                        lattice.count[d] = 1 + below(9);
                }
                ps_dvm_system *s = grid_of(rank, size);
                struct placed old, now;
                make_random(&old, s, &lattice);
                make_random(&now, s, &lattice);
                check_moves(round, &old, &now);
                check_counts(&now);
                ps_dvm_layout_free(old.layout);
                ps_dvm_layout_free(now.layout);
                free(s);
        }
}

/* Ten on four: 2 3 2 3, not 3 3 3 1. */
TEST(blocks_are_rounded_down)
{
        static const int64_t plain[] = {0, 2, 5, 7, 10}, by_three[] = {0, 0, 3, 6, 10};
        static const double weights[] = {1, 3, 1, 5};
        static const int64_t weighted[] = {0, 1, 4, 5, 10};
        int64_t bound[5];
        ps_dvm_blocks_fill(bound, 4, 10, NULL, 1);
        assert_memory_equal(bound, plain, sizeof(plain));
        ps_dvm_blocks_fill(bound, 4, 10, NULL, 3);
        assert_memory_equal(bound, by_three, sizeof(by_three));
        ps_dvm_blocks_fill(bound, 4, 10, weights, 1);
        assert_memory_equal(bound, weighted, sizeof(weighted));
}

/* An array on another one: A(i) with B(2 i + 1), B(j) with T(3 j + 5) is A(i) with T(6 i + 8). */
TEST(alignments_are_put_together)
{
        static const int64_t size[] = {100}, axis[] = {1}, three[] = {3}, five[] = {5}, two[] = {2},
                             one[] = {1};
        static const int64_t all[] = {-1}, none[] = {0}, ten[] = {10};
        ps_dvm_linear b = {1, axis, three, five}, a = {1, axis, two, one}, copy = {1, all, none, none};
        ps_dvm_alignment outer, inner;
        ps_error err = {0};
        assert_int_equal(ps_dvm_align_compose(&outer, &b, 0, size, NULL, NULL, &err), PS_OK);
        assert_int_equal(ps_dvm_align_compose(&inner, &a, 0, size, &outer, ten, &err), PS_OK);
        assert_int_equal(inner.axis[0].coeff, 6);
        assert_int_equal(inner.axis[0].constant, 8);
        /* A copy along B is a copy along the part of T that B covers: 5 .. 3 * 9 + 5. */
        assert_int_equal(ps_dvm_align_compose(&inner, &copy, 0, size, &outer, ten, &err), PS_OK);
        assert_int_equal(inner.axis[0].dim, PS_NONE);
        assert_int_equal(inner.axis[0].from, 5);
        assert_int_equal(inner.axis[0].to, 32);
}

/* An 8 x 8 array of doubles on 2 x 2 with edges of width 1. */
static struct placed eight_by_eight(const ps_dvm_system *s)
{
        struct placed p = {.view_size = {8, 8}, .lattice = {2, {0, 0}, {1, 1}, {8, 8}}};
        p.spread.system = s;
        p.spread.axis[0] = 0;
        p.spread.axis[1] = 1;
        p.alignment.n = 2;
        p.alignment.axis[0] = (ps_dvm_placing){0, 1, 0, 0, 0};
        p.alignment.axis[1] = (ps_dvm_placing){1, 1, 0, 0, 0};
        return p;
}

TEST(edges_go_to_neighbours)
{
        static const uint32_t size[] = {2, 2};
        static const int64_t width[] = {1, 1};
        ps_dvm_system *s = grid_of(2, size);
        struct placed p = eight_by_eight(s);
        ps_error err = {0};
        lay(&p);
        for (int corners = 0; corners < 2; corners++) {
                ps_dvm_moves moves = {0};
                uint64_t bytes = 0;
                assert_int_equal(ps_dvm_moves_shadow(&moves, p.layout, width, width, corners, 8, &err),
                                 PS_OK);
                assert_int_equal(moves.n, corners ? 12 : 8);
                for (size_t i = 0; i < moves.n; i++) {
                        uint32_t a = moves.row[i].source, b = moves.row[i].destination;
                        int diagonal = (a ^ b) == 3;
                        assert_int_equal(moves.row[i].bytes, diagonal ? 8 : 32);
                        bytes += moves.row[i].bytes;
                }
                assert_int_equal(bytes, corners ? 8 * 32 + 4 * 8 : 8 * 32);
                ps_dvm_moves_free(&moves);
        }
        ps_dvm_layout_free(p.layout);
        free(s);
}

/* Ten elements backwards on four: coordinate 3 has the first positions. What a processor needs below its part
 * comes from the coordinate above. */
TEST(edges_of_mirrored_arrays)
{
        static const uint32_t size[] = {4};
        static const int64_t low[] = {2}, high[] = {0}, wide[] = {4};
        ps_dvm_system *s = grid_of(1, size);
        struct placed p = {.view_size = {10}, .lattice = {1, {0}, {1}, {10}}};
        ps_dvm_moves moves = {0};
        ps_error err = {0};
        p.spread.system = s;
        p.spread.axis[0] = 0;
        p.alignment.n = 1;
        p.alignment.axis[0] = (ps_dvm_placing){0, -1, 9, 0, 0};
        lay(&p);
        assert_int_equal(ps_dvm_moves_shadow(&moves, p.layout, low, high, 0, 1, &err), PS_OK);
        assert_int_equal(moves.n, 3);
        for (size_t i = 0; i < moves.n; i++) {
                assert_int_equal(moves.row[i].source, moves.row[i].destination + 1);
                assert_int_equal(moves.row[i].bytes, 2);
        }
        assert_int_equal(ps_dvm_moves_shadow(&moves, p.layout, wide, high, 0, 1, &err), PS_E_INPUT);
        ps_dvm_moves_free(&moves);
        ps_dvm_layout_free(p.layout);
        free(s);
}

/* Rows to columns of 16 x 16 doubles on four: everybody sends 4 x 4 of them to everybody else. */
TEST(rows_become_columns)
{
        static const uint32_t size[] = {4};
        ps_dvm_system *s = grid_of(1, size);
        struct placed row = {.view_size = {16, 16}, .lattice = {2, {0, 0}, {1, 1}, {16, 16}}}, column;
        ps_dvm_moves moves = {0};
        ps_error err = {0};
        row.spread.system = s;
        row.spread.axis[0] = 0;
        row.alignment.n = 2;
        row.alignment.axis[0] = (ps_dvm_placing){0, 1, 0, 0, 0};
        row.alignment.axis[1] = (ps_dvm_placing){1, 1, 0, 0, 0};
        column = row;
        column.alignment.axis[0].dim = 1;
        column.alignment.axis[1].dim = 0;
        lay(&row);
        lay(&column);
        assert_int_equal(ps_dvm_moves_layout(&moves, row.layout, column.layout, 8, &err), PS_OK);
        assert_int_equal(moves.n, 12);
        for (size_t i = 0; i < moves.n; i++)
                assert_int_equal(moves.row[i].bytes, 128);
        ps_dvm_moves_free(&moves);
        ps_dvm_layout_free(row.layout);
        ps_dvm_layout_free(column.layout);
        free(s);
}

TEST(what_reaches_beyond_the_template_is_refused)
{
        static const uint32_t size[] = {2, 2};
        ps_dvm_system *s = grid_of(2, size);
        struct placed p = eight_by_eight(s);
        ps_error err = {0};
        p.alignment.axis[1].constant = 1;
        for (uint32_t v = 0; v < 2; v++) {
                p.spread.bound[v] = p.bound[v];
                ps_dvm_blocks_fill(p.bound[v], 2, 8, NULL, 1);
        }
        assert_int_equal(ps_dvm_layout_new(&p.layout, &p.spread, p.view_size, &p.alignment, &p.lattice, &err),
                         PS_E_INPUT);
        assert_null(p.layout);
        free(s);
}
