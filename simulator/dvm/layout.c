/* layout.c - blocks of templates, alignments put together, and what follows for each coordinate. */
#include "simulator/dvm/layout.h"

#include <inttypes.h>
#include <stdlib.h>

/* Blocks as Lib-DVM cuts them: each unit of weight has `size / sum` elements, the bound of coordinate c is
 * what the weights before it have, rounded down, and then down to a multiple of the divisor. Without weights
 * in integers. */
void ps_dvm_blocks_fill(int64_t *bound, uint32_t n, int64_t size, const double *weights, int64_t divisor)
{
        double sum = 0, before = 0;
        for (uint32_t c = 0; weights && c < n; c++)
                sum += weights[c];
        for (uint32_t c = 0; c < n; c++) {
                int64_t part = size / n, rest = size % n;
                double end = before > 0 ? (double)size / sum * before : 0;
                bound[c] = !weights ? part * c + rest * c / n : end < (double)size ? (int64_t)end : size;
                bound[c] -= bound[c] % divisor;
                before += weights ? weights[c] : 0;
        }
        bound[n] = size;
}

/* -- alignments -- */

/* Where `map` puts something on axis t of the pattern; `extent` is that axis' size. */
static ps_dvm_placing placing_of(const ps_dvm_linear *map, uint32_t t, int64_t extent)
{
        if (map->axis[t] < 0)
                return (ps_dvm_placing){PS_NONE, 0, 0, 0, extent - 1};
        if (map->axis[t] == 0 || map->coeff[t] == 0)
                return (ps_dvm_placing){PS_NONE, 0, 0, map->constant[t], map->constant[t]};
        return (ps_dvm_placing){(uint32_t)(map->axis[t] - 1), map->coeff[t], map->constant[t], 0, 0};
}

static int64_t at(const ps_dvm_placing *placing, int64_t index)
{
        return placing->coeff * index + placing->constant;
}

/* `own` is placed on the dimension of a pattern that `outer` puts on the template. */
static ps_dvm_placing chain(const ps_dvm_placing *outer, const ps_dvm_placing *own)
{
        if (own->dim == PS_NONE) {
                int64_t a = at(outer, own->from), b = at(outer, own->to);
                return (ps_dvm_placing){PS_NONE, 0, 0, a < b ? a : b, a < b ? b : a};
        }
        return (ps_dvm_placing){own->dim, outer->coeff * own->coeff, at(outer, own->constant), 0, 0};
}

/* What chains multiply stays small enough for coeff * index + constant. */
static ps_status check_placing(const ps_dvm_placing *p, uint32_t t, ps_error *err)
{
        const int64_t most = 2 * PS_DVM_INDEX_MAX;
        if (p->coeff > PS_DVM_COEFF_MAX || p->coeff < -PS_DVM_COEFF_MAX || p->constant > most ||
            p->constant < -most || p->from < -most || p->to > most)
                return PS_FAIL(err, PS_E_INPUT,
                               "alignment through arrays leads too far: axis=%" PRIu32
                               ", coefficient=%" PRId64 ", constant=%" PRId64,
                               t + 1, p->coeff, p->constant);
        return PS_OK;
}

static ps_status check_dims(const ps_dvm_alignment *a, ps_error *err)
{
        uint32_t seen = 0;
        for (uint32_t t = 0; t < a->n; t++) {
                if (a->axis[t].dim == PS_NONE)
                        continue;
                if (seen & 1u << a->axis[t].dim)
                        return PS_FAIL(err, PS_E_INPUT, "one dimension is on two axes: dimension=%" PRIu32,
                                       a->axis[t].dim + 1);
                seen |= 1u << a->axis[t].dim;
        }
        return PS_OK;
}

ps_status ps_dvm_align_compose(ps_dvm_alignment *out, const ps_dvm_linear *map, uint32_t view,
                               const int64_t *view_size, const ps_dvm_alignment *pattern,
                               const int64_t *pattern_size, ps_error *err)
{
        ps_dvm_alignment result = {.view = view, .n = pattern ? pattern->n : map->n};
        for (uint32_t t = 0; t < result.n; t++) {
                if (!pattern) {
                        result.axis[t] = placing_of(map, t, view_size[t]);
                } else if (pattern->axis[t].dim == PS_NONE) {
                        result.axis[t] = pattern->axis[t];
                } else {
                        uint32_t dim = pattern->axis[t].dim;
                        ps_dvm_placing own = placing_of(map, dim, pattern_size[dim]);
                        result.axis[t] = chain(&pattern->axis[t], &own);
                }
                PS_TRY(check_placing(&result.axis[t], t, err));
        }
        *out = result;
        return check_dims(out, err);
}

void ps_dvm_lattice_of(ps_dvm_lattice *out, uint32_t rank, const int64_t *size)
{
        out->rank = rank;
        for (uint32_t d = 0; d < rank; d++) {
                out->first[d] = 0;
                out->step[d] = 1;
                out->count[d] = size[d];
        }
}

/* -- layouts -- */

static int64_t div_down(int64_t a, int64_t b)
{
        return a / b - (a % b != 0 && (a % b < 0) != (b < 0));
}

static int64_t div_up(int64_t a, int64_t b)
{
        return a / b + (a % b != 0 && (a % b < 0) == (b < 0));
}

/* The positions k with low <= slope * k + offset <= high. */
static ps_dvm_range positions(int64_t slope, int64_t offset, int64_t low, int64_t high, int64_t count)
{
        ps_dvm_range r =
                slope > 0 ? (ps_dvm_range){div_up(low - offset, slope), div_down(high - offset, slope)}
                          : (ps_dvm_range){div_up(high - offset, slope), div_down(low - offset, slope)};
        r.first = r.first > 0 ? r.first : 0;
        r.last = r.last < count - 1 ? r.last : count - 1;
        return low <= high ? r : (ps_dvm_range){0, -1};
}

static void find_holders(ps_dvm_cut *cut, uint32_t size)
{
        cut->from = size;
        cut->to = 0;
        for (uint32_t c = 0; c < size; c++) {
                if (cut->part[c].first > cut->part[c].last)
                        continue;
                cut->from = cut->from < c ? cut->from : c;
                cut->to = c;
        }
}

/* Axis v of the system, which cuts template axis t into the blocks of `bound`. */
static ps_status fill_cut(ps_dvm_layout *layout, uint32_t v, const int64_t *bound, int64_t extent,
                          const ps_dvm_placing *placing, const ps_dvm_lattice *lattice, ps_error *err)
{
        ps_dvm_cut *cut = &layout->cut[v];
        uint32_t size = layout->system->size[v], dim = placing->dim;
        if (dim == PS_NONE) {
                for (uint32_t c = 0; c < size; c++)
                        if (bound[c] > placing->to || bound[c + 1] <= placing->from)
                                cut->part[c] = (ps_dvm_range){0, -1};
                return PS_OK;
        }
        int64_t slope = placing->coeff * lattice->step[dim], offset = at(placing, lattice->first[dim]);
        int64_t end = slope * (lattice->count[dim] - 1) + offset;
        if (lattice->count[dim] > 0 && (offset < 0 || offset >= extent || end < 0 || end >= extent))
                return PS_FAIL(err, PS_E_INPUT,
                               "what is mapped reaches beyond the template: dimension=%" PRIu32
                               ", from=%" PRId64 ", to=%" PRId64 ", size=%" PRId64,
                               dim + 1, offset, end, extent);
        cut->dim = dim;
        cut->direction = slope > 0 ? 1 : -1;
        layout->axis_of[dim] = v;
        for (uint32_t c = 0; c < size; c++)
                cut->part[c] = positions(slope, offset, bound[c], bound[c + 1] - 1, lattice->count[dim]);
        return PS_OK;
}

ps_status ps_dvm_layout_everywhere(ps_dvm_layout **out, const ps_dvm_system *system,
                                   const ps_dvm_lattice *lattice, ps_error *err)
{
        size_t n = 0;
        for (uint32_t v = 0; v < system->rank; v++)
                n += system->size[v];
        ps_dvm_layout *layout = calloc(1, sizeof(*layout) + n * sizeof(ps_dvm_range));
        *out = layout;
        if (!layout)
                return PS_NOMEM(err, "coordinates of processors", n);
        ps_dvm_range *part = (ps_dvm_range *)(void *)(layout + 1); /* {0, 0}: a copy */
        layout->system = system;
        layout->rank = lattice->rank;
        for (uint32_t v = 0; v < system->rank; part += system->size[v++])
                layout->cut[v] = (ps_dvm_cut){PS_NONE, 1, 0, system->size[v] - 1, part};
        for (uint32_t d = 0; d < lattice->rank; d++) {
                layout->count[d] = lattice->count[d];
                layout->axis_of[d] = PS_NONE;
        }
        return PS_OK;
}

ps_status ps_dvm_layout_new(ps_dvm_layout **out, const ps_dvm_spread *spread, const int64_t *view_size,
                            const ps_dvm_alignment *alignment, const ps_dvm_lattice *lattice, ps_error *err)
{
        const ps_dvm_system *system = spread->system;
        ps_status status = ps_dvm_layout_everywhere(out, system, lattice, err);
        for (uint32_t v = 0; v < system->rank && status == PS_OK; v++) {
                uint32_t t = spread->axis[v];
                if (t == PS_NONE)
                        continue;
                status = fill_cut(*out, v, spread->bound[v], view_size[t], &alignment->axis[t], lattice, err);
                find_holders(&(*out)->cut[v], system->size[v]);
        }
        if (status != PS_OK) {
                ps_dvm_layout_free(*out);
                *out = NULL;
        }
        return status;
}

void ps_dvm_layout_free(ps_dvm_layout *layout)
{
        free(layout);
}

bool ps_dvm_step(uint32_t *coord, const uint32_t *from, const uint32_t *to, uint32_t rank)
{
        for (uint32_t v = rank; v-- > 0; coord[v] = from[v])
                if (coord[v] < to[v]) {
                        coord[v]++;
                        return true;
                }
        return false;
}

uint32_t ps_dvm_place(const ps_dvm_system *system, const uint32_t *coord)
{
        uint32_t place = 0;
        for (uint32_t v = 0; v < system->rank; v++)
                place = place * system->size[v] + coord[v];
        return place;
}

/* Axis by axis: what the axes before gave, times what this one has. Backwards, so that it can be done in
 * place. */
void ps_dvm_layout_counts(const ps_dvm_layout *layout, int64_t *out)
{
        uint32_t n = 1;
        out[0] = 1;
        for (uint32_t d = 0; d < layout->rank; d++)
                if (layout->axis_of[d] == PS_NONE)
                        out[0] *= layout->count[d];
        for (uint32_t v = 0; v < layout->system->rank; v++) {
                uint32_t size = layout->system->size[v];
                for (uint32_t i = n; i-- > 0;)
                        for (uint32_t c = size; c-- > 0;) {
                                ps_dvm_range part = layout->cut[v].part[c];
                                int64_t own = part.last >= part.first ? part.last - part.first + 1 : 0;
                                out[i * size + c] = out[i] * own;
                        }
                n *= size;
        }
}

uint32_t ps_dvm_layout_copies(const ps_dvm_layout *layout)
{
        uint32_t n = 1;
        for (uint32_t v = 0; v < layout->system->rank; v++) {
                const ps_dvm_cut *cut = &layout->cut[v];
                if (cut->dim == PS_NONE)
                        n *= cut->to >= cut->from ? cut->to - cut->from + 1 : 0;
        }
        return n;
}

uint32_t ps_dvm_layout_axes(const ps_dvm_layout *layout)
{
        uint32_t axes = 0;
        for (uint32_t v = 0; v < layout->system->rank; v++)
                axes |= layout->cut[v].dim == PS_NONE ? 0 : 1u << v;
        return axes;
}
