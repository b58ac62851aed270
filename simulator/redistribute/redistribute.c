/* redistribute.c - the transfers of a whole array: the product of those of its dimensions. */
#include "simulator/redistribute/redistribute.h"
#include "simulator/redistribute/line.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* The rank's coordinate along an axis. */
static uint32_t coordinate_of(const ps_redist_grid *grid, unsigned axis, uint32_t rank)
{
        for (unsigned i = grid->n_axes - 1; i > axis; i--)
                rank /= grid->size[i];
        return rank % grid->size[axis];
}

/* How far apart the ranks of two neighbours along an axis are. */
static uint32_t stride_of(const ps_redist_grid *grid, unsigned axis)
{
        uint32_t stride = 1;

        while (++axis < grid->n_axes)
                stride *= grid->size[axis];
        return stride;
}

uint32_t ps_redist_coordinate(const ps_redist *r, ps_redist_side side, unsigned dim, uint32_t rank)
{
        unsigned axis = r->axis[side][dim];

        return axis == PS_REDIST_AXES ? 0 : coordinate_of(&r->grid[side], axis, rank);
}

static const char *const side_names[] = {"source", "destination"};

static ps_status take_axis(ps_redist *r, ps_redist_side side, unsigned dim, unsigned axis, int *used,
                           ps_error *err)
{
        const ps_redist_grid *grid = &r->grid[side];
        unsigned column = r->spec.format[side][dim].column;

        if (axis >= grid->n_axes)
                return PS_FAIL(err, PS_E_USAGE,
                               "the %s grid has no axis for this dimension: column=%u, axes=%u",
                               side_names[side], column, grid->n_axes);
        if (used[axis])
                return PS_FAIL(err, PS_E_USAGE,
                               "two dimensions take the same axis of the %s grid: column=%u, axis=%u",
                               side_names[side], column, axis + 1);
        used[axis] = 1;
        r->axis[side][dim] = axis;
        return PS_OK;
}

/* Those that name their axis take it first; the others follow in their order. */
static ps_status lay_out(ps_redist *r, ps_redist_side side, ps_error *err)
{
        int used[PS_REDIST_AXES] = {0};
        unsigned next = 0;

        for (unsigned d = 0; d < r->spec.n_dims; d++) {
                r->axis[side][d] = PS_REDIST_AXES;
                if (r->spec.format[side][d].axis)
                        PS_TRY(take_axis(r, side, d, r->spec.format[side][d].axis - 1, used, err));
        }
        for (unsigned d = 0; d < r->spec.n_dims; d++) {
                const ps_redist_format *format = &r->spec.format[side][d];
                if (format->axis || format->kind == PS_REDIST_WHOLE)
                        continue;
                while (next < PS_REDIST_AXES && used[next])
                        next++;
                PS_TRY(take_axis(r, side, d, next, used, err));
        }
        return PS_OK;
}

static void measure_out(ps_redist *r, ps_redist_side side, unsigned dim)
{
        const ps_redist_format *format = &r->spec.format[side][dim];
        unsigned axis = r->axis[side][dim];
        ps_redist_line *line = &r->line[side][dim];

        *line = (ps_redist_line){.extent = r->spec.extent[dim], .block = format->block, .procs = 1};
        if (axis != PS_REDIST_AXES)
                line->procs = r->grid[side].size[axis];
        if (format->kind == PS_REDIST_WHOLE || format->kind == PS_REDIST_BLOCK)
                line->block = line->extent / line->procs + (line->extent % line->procs != 0);
        if (format->kind != PS_REDIST_DVM_BLOCK && !line->block)
                line->block = 1;
}

/* What every rank has together must be countable, whatever is replicated. */
static ps_status check_volume(const ps_redist *r, ps_error *err)
{
        uint64_t volume = r->grid[PS_REDIST_DESTINATION].procs;
        bool is_empty = false, overflows = false;

        for (unsigned d = 0; d < r->spec.n_dims; d++)
                is_empty |= !r->spec.extent[d];
        for (unsigned i = 0; i < r->spec.n_dims; i++)
                if (r->axis[PS_REDIST_DESTINATION][i] != PS_REDIST_AXES)
                        volume /= r->line[PS_REDIST_DESTINATION][i].procs;
        for (unsigned d = 0; d < r->spec.n_dims && !is_empty; d++)
                overflows |= __builtin_mul_overflow(volume, r->spec.extent[d], &volume);
        if (overflows)
                return PS_FAIL(err, PS_E_USAGE,
                               "the array has too many elements: dimensions=%u, processors=%" PRIu32,
                               r->spec.n_dims, r->grid[PS_REDIST_DESTINATION].procs);
        return PS_OK;
}

/* Multiplies `list` by one dimension's transfers, whose coordinates become ranks by the strides. */
static ps_status multiply(ps_redist_list *list, const ps_redist_list *by, uint32_t source_stride,
                          uint32_t destination_stride, ps_error *err)
{
        uint64_t n;

        if (__builtin_mul_overflow(list->n, by->n, &n) || n > PS_REDIST_TRANSFERS_MAX)
                return PS_FAIL(err, PS_E_USAGE, "too many transfers: most=%" PRIu64, PS_REDIST_TRANSFERS_MAX);
        ps_redist_transfer *row = malloc((n ? n : 1) * sizeof(*row)), *at = row;
        if (!row)
                return PS_NOMEM(err, "transfers", n);
        for (size_t i = 0; i < list->n; i++)
                for (size_t k = 0; k < by->n; k++)
                        *at++ = (ps_redist_transfer){list->row[i].source + by->row[k].source * source_stride,
                                                     list->row[i].destination +
                                                             by->row[k].destination * destination_stride,
                                                     list->row[i].elements * by->row[k].elements};
        free(list->row);
        *list = (ps_redist_list){row, n, n};
        return PS_OK;
}

static uint32_t stride_of_dim(const ps_redist *r, ps_redist_side side, unsigned dim)
{
        unsigned axis = r->axis[side][dim];

        return axis == PS_REDIST_AXES ? 0 : stride_of(&r->grid[side], axis);
}

static ps_status multiply_dim(ps_redist *r, unsigned dim, ps_error *err)
{
        ps_redist_list list;
        ps_status status = ps_redist_line_transfers(&list, &r->line[PS_REDIST_SOURCE][dim],
                                                    &r->line[PS_REDIST_DESTINATION][dim], err);

        if (status != PS_OK)
                return status;
        status = multiply(&r->transfers, &list, stride_of_dim(r, PS_REDIST_SOURCE, dim),
                          stride_of_dim(r, PS_REDIST_DESTINATION, dim), err);
        ps_redist_list_free(&list);
        return status;
}

static bool is_replicated(const ps_redist *r, ps_redist_side side, unsigned axis)
{
        for (unsigned d = 0; d < r->spec.n_dims; d++)
                if (r->axis[side][d] == axis)
                        return 0;
        return 1;
}

/* Everybody along an axis of replication receives. */
static ps_status multiply_copies(ps_redist *r, unsigned axis, ps_error *err)
{
        const ps_redist_grid *grid = &r->grid[PS_REDIST_DESTINATION];
        ps_redist_list list = {calloc(grid->size[axis], sizeof(*list.row)), grid->size[axis],
                               grid->size[axis]};
        ps_status status;

        if (!list.row)
                return PS_NOMEM(err, "copies", list.n);
        for (uint32_t i = 0; i < grid->size[axis]; i++)
                list.row[i] = (ps_redist_transfer){0, i, 1};
        status = multiply(&r->transfers, &list, 0, stride_of(grid, axis), err);
        ps_redist_list_free(&list);
        return status;
}

/* Takes each receiver's nearest copy along an axis along which the source is replicated. */
static void choose_copies(ps_redist *r, unsigned axis)
{
        const ps_redist_grid *grid = &r->grid[PS_REDIST_SOURCE];
        uint32_t stride = stride_of(grid, axis);

        for (size_t i = 0; i < r->transfers.n; i++) {
                ps_redist_transfer *t = &r->transfers.row[i];
                uint32_t nearest = t->destination < grid->procs ? t->destination : grid->procs - 1;
                t->source += coordinate_of(grid, axis, nearest) * stride;
        }
}

static ps_status find_transfers(ps_redist *r, ps_error *err)
{
        r->transfers.row = malloc(sizeof(*r->transfers.row));
        if (!r->transfers.row)
                return PS_NOMEM(err, "transfers", 1);
        r->transfers.row[0] = (ps_redist_transfer){0, 0, 1};
        r->transfers.n = r->transfers.room = 1;
        for (unsigned d = 0; d < r->spec.n_dims; d++)
                PS_TRY(multiply_dim(r, d, err));
        for (unsigned a = 0; a < r->grid[PS_REDIST_DESTINATION].n_axes; a++)
                if (is_replicated(r, PS_REDIST_DESTINATION, a))
                        PS_TRY(multiply_copies(r, a, err));
        for (unsigned a = 0; a < r->grid[PS_REDIST_SOURCE].n_axes; a++)
                if (is_replicated(r, PS_REDIST_SOURCE, a))
                        choose_copies(r, a);
        return ps_redist_list_sort(&r->transfers, err);
}

static ps_status sum_up_transfers(ps_redist *r, ps_error *err)
{
        ps_redist_sums *sums = &r->sums;

        for (size_t i = 0; i < r->transfers.n; i++) {
                const ps_redist_transfer *t = &r->transfers.row[i];
                if (t->source == t->destination) {
                        sums->local_elements += t->elements;
                        continue;
                }
                sums->messages++;
                sums->elements += t->elements;
                sums->largest = t->elements > sums->largest ? t->elements : sums->largest;
        }
        if (__builtin_mul_overflow(sums->elements, r->spec.element_bytes, &sums->bytes))
                return PS_FAIL(err, PS_E_USAGE,
                               "too many bytes: elements=%" PRIu64 ", element_bytes=%" PRIu64, sums->elements,
                               r->spec.element_bytes);
        return PS_OK;
}

ps_status ps_redist_new(ps_redist **out, const ps_redist_spec *spec,
                        const ps_redist_grid grid[PS_REDIST_SIDES], ps_error *err)
{
        ps_redist *r = calloc(1, sizeof(*r));
        ps_status status = r ? PS_OK : PS_NOMEM(err, "redistribution", 1);

        *out = NULL;
        if (status != PS_OK)
                return status;
        r->spec = *spec;
        memcpy(r->grid, grid, sizeof(r->grid));
        for (unsigned side = 0; side < PS_REDIST_SIDES && status == PS_OK; side++) {
                status = lay_out(r, (ps_redist_side)side, err);
                for (unsigned d = 0; d < spec->n_dims && status == PS_OK; d++)
                        measure_out(r, (ps_redist_side)side, d);
        }
        PS_THEN(status, check_volume(r, err));
        PS_THEN(status, find_transfers(r, err));
        PS_THEN(status, sum_up_transfers(r, err));
        if (status == PS_OK)
                *out = r;
        else
                ps_redist_free(r);
        return status;
}

void ps_redist_free(ps_redist *redist)
{
        if (!redist)
                return;
        ps_redist_list_free(&redist->transfers);
        free(redist);
}
