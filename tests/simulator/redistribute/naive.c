/* naive.c - see naive.h. */
#include "tests/simulator/redistribute/naive.h"
#include "tests/support/test.h"

#include <stdlib.h>
#include <string.h>

static void *zeroed(uint64_t n, size_t size)
{
        void *block = calloc(n ? n : 1, size);

        assert_non_null(block);
        return block;
}

/* Who has index `v` of `extent`. */
static uint32_t owner(const ps_redist_format *format, uint64_t v, uint64_t extent, uint32_t procs)
{
        uint32_t c = 0;

        switch (format->kind) {
        case PS_REDIST_WHOLE:
                return 0;
        case PS_REDIST_CYCLIC:
                return (uint32_t)(v / format->block % procs);
        case PS_REDIST_BLOCK:
                return (uint32_t)(v / ((extent + procs - 1) / procs));
        default:
                while ((c + 1) * extent / procs <= v)
                        c++;
                return c;
        }
}

static void coordinates(uint32_t out[PS_REDIST_AXES], const ps_redist_grid *grid, uint32_t rank)
{
        for (unsigned a = grid->n_axes; a-- > 0; rank /= grid->size[a])
                out[a] = rank % grid->size[a];
}

static void indices(uint64_t out[PS_REDIST_DIMS], const ps_redist_spec *spec, uint64_t element)
{
        for (unsigned d = spec->n_dims; d-- > 0; element /= spec->extent[d])
                out[d] = element % spec->extent[d];
}

static int holds(const ps_redist *r, ps_redist_side side, uint32_t rank, const uint64_t *index)
{
        uint32_t at[PS_REDIST_AXES];

        coordinates(at, &r->grid[side], rank);
        for (unsigned d = 0; d < r->spec.n_dims; d++) {
                unsigned axis = r->axis[side][d];
                if (axis != PS_REDIST_AXES && owner(&r->spec.format[side][d], index[d], r->spec.extent[d],
                                                    r->grid[side].size[axis]) != at[axis])
                        return 0;
        }
        return 1;
}

static uint32_t steps(const ps_redist_grid *grid, uint32_t p, uint32_t q)
{
        uint32_t a[PS_REDIST_AXES], b[PS_REDIST_AXES], sum = 0;

        coordinates(a, grid, p);
        coordinates(b, grid, q);
        for (unsigned i = 0; i < grid->n_axes; i++)
                sum += a[i] > b[i] ? a[i] - b[i] : b[i] - a[i];
        return sum;
}

/* From whom `receiver` gets the element. */
static uint32_t nearest(const ps_redist *r, uint32_t receiver, const uint64_t *index)
{
        const ps_redist_grid *grid = &r->grid[PS_REDIST_SOURCE];
        uint32_t from = receiver < grid->procs ? receiver : grid->procs - 1, best = UINT32_MAX;

        for (uint32_t p = 0; p < grid->procs; p++)
                if (holds(r, PS_REDIST_SOURCE, p, index) &&
                    (best == UINT32_MAX || steps(grid, p, from) < steps(grid, best, from)))
                        best = p;
        assert_true(best != UINT32_MAX);
        return best;
}

static void place(naive_redist *out, const ps_redist *r, uint64_t element)
{
        uint64_t index[PS_REDIST_DIMS];

        indices(index, &r->spec, element);
        for (unsigned side = 0; side < PS_REDIST_SIDES; side++)
                for (uint32_t p = 0; p < out->procs[side]; p++)
                        if (holds(r, (ps_redist_side)side, p, index))
                                out->local[side][p][out->n_local[side][p]++] = element;
        for (uint32_t q = 0; q < out->procs[PS_REDIST_DESTINATION]; q++)
                if (holds(r, PS_REDIST_DESTINATION, q, index))
                        out->matrix[nearest(r, q, index) * out->procs[PS_REDIST_DESTINATION] + q]++;
}

void naive_redist_make(naive_redist *out, const ps_redist *redist)
{
        *out = (naive_redist){.n = 1};
        for (unsigned d = 0; d < redist->spec.n_dims; d++)
                out->n *= redist->spec.extent[d];
        for (unsigned side = 0; side < PS_REDIST_SIDES; side++) {
                uint32_t procs = out->procs[side] = redist->grid[side].procs;
                out->local[side] = zeroed(procs, sizeof(*out->local[side]));
                out->n_local[side] = zeroed(procs, sizeof(*out->n_local[side]));
                for (uint32_t p = 0; p < procs; p++)
                        out->local[side][p] = zeroed(out->n, sizeof(**out->local[side]));
        }
        out->matrix = zeroed((uint64_t)out->procs[0] * out->procs[1], sizeof(*out->matrix));
        for (uint64_t element = 0; element < out->n; element++)
                place(out, redist, element);
}

void naive_redist_free(naive_redist *naive)
{
        for (unsigned side = 0; side < PS_REDIST_SIDES; side++) {
                for (uint32_t p = 0; p < naive->procs[side]; p++)
                        free(naive->local[side][p]);
                free(naive->local[side]);
                free(naive->n_local[side]);
        }
        free(naive->matrix);
}

void naive_redist_assert_matrix(const naive_redist *naive, const ps_redist *redist)
{
        size_t cells = (size_t)naive->procs[0] * naive->procs[1], filled = 0;
        uint64_t elements = 0, local = 0;

        for (size_t i = 0; i < redist->transfers.n; i++) {
                const ps_redist_transfer *t = &redist->transfers.row[i];
                assert_true(t->source < naive->procs[0] && t->destination < naive->procs[1]);
                assert_int_equal(t->elements,
                                 naive->matrix[(size_t)t->source * naive->procs[1] + t->destination]);
                *(t->source == t->destination ? &local : &elements) += t->elements;
                if (i && t[-1].source == t->source)
                        assert_true(t[-1].destination < t->destination);
                else if (i)
                        assert_true(t[-1].source < t->source);
        }
        for (size_t i = 0; i < cells; i++)
                filled += naive->matrix[i] != 0;
        assert_int_equal(filled, redist->transfers.n);
        assert_int_equal(elements, redist->sums.elements);
        assert_int_equal(local, redist->sums.local_elements);
}

static uint64_t *put_runs(uint64_t *out, const ps_redist_runs *runs, uint64_t offset)
{
        for (size_t i = 0; i < runs->n; i++)
                for (uint64_t c = 0; c < runs->row[i].count; c++)
                        for (uint64_t l = 0; l < runs->row[i].length; l++)
                                *out++ = offset + runs->row[i].first + c * runs->row[i].stride + l;
        return out;
}

/* All positions of one dimension of one side, of which there are at most `room`. */
static uint64_t positions(uint64_t *out, uint64_t room, const ps_redist_part *part)
{
        uint64_t *at = out;

        for (uint64_t x = 0; x < part->repeats; x++)
                at = put_runs(at, &part->cycle, x * part->period);
        at = put_runs(at, &part->rest, 0);
        assert_true((uint64_t)(at - out) <= room);
        return (uint64_t)(at - out);
}

/* Where the elements of a message lie in the local array, in the message's order; returns how many. */
static uint64_t flatten(uint64_t *out, const ps_redist *r, const ps_redist_plan *plan, ps_redist_side side,
                        uint32_t rank, uint64_t room)
{
        uint64_t shape[PS_REDIST_DIMS], n = 1, *one = zeroed(room, sizeof(*one)),
                                        *next = zeroed(room, sizeof(*next));

        ps_redist_local_shape(shape, r, side, rank);
        out[0] = 0;
        for (unsigned d = 0; d < r->spec.n_dims; d++) {
                uint64_t here = positions(one, room, &plan->part[side][d]);
                for (uint64_t i = 0; i < n; i++)
                        for (uint64_t k = 0; k < here; k++)
                                next[i * here + k] = out[i] * shape[d] + one[k];
                n *= here;
                memcpy(out, next, n * sizeof(*out));
        }
        free(one);
        free(next);
        return n;
}

void naive_redist_assert_plan(const naive_redist *naive, const ps_redist *redist)
{
        ps_redist_plan plan = {0};
        uint64_t *from = zeroed(naive->n, sizeof(*from)), *to = zeroed(naive->n, sizeof(*to));
        uint64_t **got = zeroed(naive->procs[1], sizeof(*got));

        for (uint32_t q = 0; q < naive->procs[1]; q++) {
                got[q] = zeroed(naive->n, sizeof(**got));
                memset(got[q], 0xff, naive->n_local[1][q] * sizeof(**got));
        }
        assert_int_equal(ps_redist_plan_check(redist, NULL), PS_OK);
        for (size_t i = 0; i < redist->transfers.n; i++) {
                const ps_redist_transfer *t = &redist->transfers.row[i];
                assert_int_equal(ps_redist_plan_transfer(&plan, redist, t, NULL), PS_OK);
                assert_int_equal(flatten(from, redist, &plan, PS_REDIST_SOURCE, t->source, naive->n),
                                 t->elements);
                assert_int_equal(flatten(to, redist, &plan, PS_REDIST_DESTINATION, t->destination, naive->n),
                                 t->elements);
                for (uint64_t e = 0; e < t->elements; e++) {
                        assert_true(from[e] < naive->n_local[0][t->source]);
                        assert_true(to[e] < naive->n_local[1][t->destination]);
                        got[t->destination][to[e]] = naive->local[0][t->source][from[e]];
                }
        }
        for (uint32_t q = 0; q < naive->procs[1]; q++) {
                assert_memory_equal(got[q], naive->local[1][q], naive->n_local[1][q] * sizeof(**got));
                free(got[q]);
        }
        free(got);
        free(from);
        free(to);
        ps_redist_plan_free(&plan);
}
