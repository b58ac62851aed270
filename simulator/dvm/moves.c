/* moves.c - transfers, found dimension by dimension: only pairs that have something for one another are
 * ever looked at, so that a sparse exchange stays cheap on many processors. */
#include "simulator/dvm/moves.h"

#include "core/base/vector.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

void ps_dvm_moves_free(ps_dvm_moves *moves)
{
        free(moves->row);
        *moves = (ps_dvm_moves){0};
}

static ps_status add_move(ps_dvm_moves *moves, uint32_t source, uint32_t destination, int64_t bytes,
                          ps_error *err)
{
        return PS_APPEND(moves->row, moves->n, moves->cap,
                         (ps_transfer){source, destination, (uint64_t)bytes})
                       ? PS_NOMEM(err, "transfers", moves->n)
                       : PS_OK;
}

/* -- from one layout to another -- */

/* Positions of one dimension that coordinate `old` had and coordinate `now` gets; 0 where it is not cut. */
struct overlap {
        uint32_t old, now;
        int64_t n;
};

struct overlaps {
        struct overlap *row;
        uint32_t n;
};

static const ps_dvm_range *parts(const ps_dvm_layout *layout, uint32_t dim, ps_dvm_range *whole, uint32_t *n)
{
        uint32_t v = layout->axis_of[dim];
        *whole = (ps_dvm_range){0, layout->count[dim] - 1};
        *n = v == PS_NONE ? 1 : layout->system->size[v];
        return v == PS_NONE ? whole : layout->cut[v].part;
}

/* Parts are disjoint and in order, or all the same way round backwards: walk through both at once. */
static ps_status overlaps_of(struct overlaps *out, const ps_dvm_layout *old, const ps_dvm_layout *now,
                             uint32_t dim, ps_error *err)
{
        ps_dvm_range whole_a, whole_b;
        uint32_t n_a, n_b, i = 0, j = 0;
        const ps_dvm_range *a = parts(old, dim, &whole_a, &n_a), *b = parts(now, dim, &whole_b, &n_b);
        int up_a = n_a == 1 || old->cut[old->axis_of[dim]].direction > 0;
        int up_b = n_b == 1 || now->cut[now->axis_of[dim]].direction > 0;
        out->n = 0;
        out->row = calloc((size_t)n_a + n_b, sizeof(*out->row));
        if (!out->row)
                return PS_NOMEM(err, "coordinates of processors", n_a + n_b);
        while (i < n_a && j < n_b) {
                uint32_t p = up_a ? i : n_a - 1 - i, q = up_b ? j : n_b - 1 - j;
                int64_t first = a[p].first > b[q].first ? a[p].first : b[q].first;
                int64_t last = a[p].last < b[q].last ? a[p].last : b[q].last;
                if (first <= last)
                        out->row[out->n++] = (struct overlap){p, q, last - first + 1};
                if (a[p].first > a[p].last || (b[q].first <= b[q].last && a[p].last <= b[q].last))
                        i++;
                else
                        j++;
        }
        return PS_OK;
}

struct relocation {
        const ps_dvm_layout *old, *now;
        struct overlaps dim[PS_DVM_RANK_MAX];
        uint32_t at[PS_DVM_RANK_MAX]; /* by dimension: the overlap that is looked at */
        uint32_t zero[PS_DVM_RANK_MAX], last[PS_DVM_RANK_MAX];
        int64_t element_bytes;
};

static bool holds(const ps_dvm_layout *layout, const uint32_t *coord)
{
        for (uint32_t v = 0; v < layout->system->rank; v++) {
                ps_dvm_range part = layout->cut[v].part[coord[v]];
                if (layout->cut[v].dim == PS_NONE && part.first > part.last)
                        return false;
        }
        return true;
}

/* The copy nearest to the receiver: along axes that do not cut, its own coordinate or the next that holds. */
static void nearest(const struct relocation *r, uint32_t *source, const uint32_t *destination)
{
        const ps_dvm_layout *old = r->old;
        for (uint32_t v = 0; v < old->system->rank; v++) {
                const ps_dvm_cut *cut = &old->cut[v];
                uint32_t wanted = v < r->now->system->rank ? destination[v] : 0;
                if (cut->dim == PS_NONE)
                        source[v] = wanted < cut->from ? cut->from : wanted > cut->to ? cut->to : wanted;
                else
                        source[v] = r->dim[cut->dim].row[r->at[cut->dim]].old;
        }
}

/* One overlap of each dimension is chosen: all processors that get these elements. */
static ps_status add_receivers(ps_dvm_moves *moves, const struct relocation *r, ps_error *err)
{
        const ps_dvm_layout *now = r->now;
        uint32_t from[PS_DVM_RANK_MAX], to[PS_DVM_RANK_MAX], coord[PS_DVM_RANK_MAX], source[PS_DVM_RANK_MAX];
        int64_t bytes = r->element_bytes;
        for (uint32_t d = 0; d < now->rank; d++) {
                assert(r->dim[d].row); /* no dimension is empty */
                bytes *= r->dim[d].row[r->at[d]].n;
        }
        for (uint32_t v = 0; v < now->system->rank; v++) {
                const ps_dvm_cut *cut = &now->cut[v];
                from[v] = cut->dim == PS_NONE ? cut->from : r->dim[cut->dim].row[r->at[cut->dim]].now;
                to[v] = cut->dim == PS_NONE ? cut->to : from[v];
                if (from[v] > to[v])
                        return PS_OK;
        }
        memcpy(coord, from, sizeof(coord));
        do {
                if (!holds(now, coord))
                        continue;
                nearest(r, source, coord);
                uint32_t p = r->old->system->processor[ps_dvm_place(r->old->system, source)];
                uint32_t q = now->system->processor[ps_dvm_place(now->system, coord)];
                if (p != q)
                        PS_TRY(add_move(moves, p, q, bytes, err));
        } while (ps_dvm_step(coord, from, to, now->system->rank));
        return PS_OK;
}

static bool is_nowhere(const ps_dvm_layout *layout)
{
        for (uint32_t v = 0; v < layout->system->rank; v++)
                if (layout->cut[v].from > layout->cut[v].to)
                        return 1;
        return 0;
}

ps_status ps_dvm_moves_layout(ps_dvm_moves *moves, const ps_dvm_layout *old, const ps_dvm_layout *now,
                              int64_t element_bytes, ps_error *err)
{
        struct relocation r = {.old = old, .now = now, .element_bytes = element_bytes};
        ps_status status = PS_OK;
        bool is_empty = is_nowhere(old) || is_nowhere(now);
        for (uint32_t d = 0; d < old->rank && status == PS_OK; d++) {
                status = overlaps_of(&r.dim[d], old, now, d, err);
                is_empty |= !r.dim[d].n;
                r.last[d] = r.dim[d].n - 1;
        }
        if (status == PS_OK && !is_empty)
                do
                        status = add_receivers(moves, &r, err);
                while (status == PS_OK && ps_dvm_step(r.at, r.zero, r.last, old->rank));
        for (uint32_t d = 0; d < old->rank; d++)
                free(r.dim[d].row);
        return status;
}

/* -- shadow edges -- */

struct edges {
        const ps_dvm_layout *layout;
        const int64_t *low, *high;
        int64_t element_bytes;
        uint32_t stride[PS_DVM_RANK_MAX]; /* places from one coordinate to the next, by axis */
        /* The sender: where it is, and its part by dimension and in all. */
        uint32_t place, coord[PS_DVM_RANK_MAX];
        int64_t extent[PS_DVM_RANK_MAX], elements;
};

/* The coordinate that has the positions next to those of `coord[v]`, above (side 1) or below (-1). */
static bool neighbour(const struct edges *e, uint32_t v, int side, uint32_t *out)
{
        const ps_dvm_cut *cut = &e->layout->cut[v];
        int step = side * cut->direction;
        for (uint32_t c = e->coord[v]; step < 0 ? c > cut->from : c < cut->to;) {
                c += (uint32_t)step;
                if (cut->part[c].first <= cut->part[c].last) {
                        *out = c;
                        return true;
                }
        }
        return false;
}

/* How many of the sender's positions the neighbour on that side wants: those below want its lowest ones, as
 * the upper edge of theirs. */
static ps_status width(int64_t *out, const struct edges *e, uint32_t dim, int side, ps_error *err)
{
        *out = side < 0 ? e->high[dim] : e->low[dim];
        if (*out > e->extent[dim])
                return PS_FAIL(err, PS_E_INPUT,
                               "a block is smaller than the shadow edge: dimension=%" PRIu32
                               ", block=%" PRId64 ", edge=%" PRId64,
                               dim + 1, e->extent[dim], *out);
        return PS_OK;
}

/* What the sender owes the processor next to it along n axes (one, or two at a corner). */
static ps_status send_edge(ps_dvm_moves *moves, const struct edges *e, const uint32_t *axis, const int *side,
                           uint32_t n, ps_error *err)
{
        const ps_dvm_system *system = e->layout->system;
        uint32_t to = e->place;
        int64_t elements = e->elements;
        for (uint32_t i = 0; i < n; i++) {
                uint32_t v = axis[i], d = e->layout->cut[v].dim, next;
                int64_t share;
                if (!neighbour(e, v, side[i], &next))
                        return PS_OK;
                PS_TRY(width(&share, e, d, side[i], err));
                elements = elements / e->extent[d] * share;
                to += (next - e->coord[v]) * e->stride[v];
        }
        if (!elements)
                return PS_OK;
        return add_move(moves, system->processor[e->place], system->processor[to],
                        elements * e->element_bytes, err);
}

/* The parts of the processor at `coord`; 0 when it has none. */
static bool take_part(struct edges *e)
{
        const ps_dvm_layout *layout = e->layout;
        for (uint32_t d = 0; d < layout->rank; d++)
                e->extent[d] = layout->count[d];
        for (uint32_t v = 0; v < layout->system->rank; v++) {
                ps_dvm_range part = layout->cut[v].part[e->coord[v]];
                if (part.first > part.last)
                        return false;
                if (layout->cut[v].dim != PS_NONE)
                        e->extent[layout->cut[v].dim] = part.last - part.first + 1;
        }
        e->elements = 1;
        for (uint32_t d = 0; d < layout->rank; d++)
                e->elements *= e->extent[d];
        return true;
}

/* The axes that cut the layout, by the dimension that they cut. */
static uint32_t cutting_axes(const ps_dvm_layout *layout, uint32_t *axis)
{
        uint32_t n = 0;
        for (uint32_t d = 0; d < layout->rank; d++)
                if (layout->axis_of[d] != PS_NONE)
                        axis[n++] = layout->axis_of[d];
        return n;
}

static ps_status send_edges(ps_dvm_moves *moves, const struct edges *e, const uint32_t *axis, uint32_t n,
                            int corners, ps_error *err)
{
        static const int sides[] = {-1, 1};
        for (uint32_t i = 0; i < n; i++)
                for (int s = 0; s < 2; s++)
                        PS_TRY(send_edge(moves, e, &axis[i], &sides[s], 1, err));
        for (int corner = 0; corners && n > 1 && corner < 4; corner++) {
                int side[] = {sides[corner / 2], sides[corner % 2]};
                PS_TRY(send_edge(moves, e, axis, side, 2, err));
        }
        return PS_OK;
}

ps_status ps_dvm_moves_shadow(ps_dvm_moves *moves, const ps_dvm_layout *layout, const int64_t *low,
                              const int64_t *high, int corners, int64_t element_bytes, ps_error *err)
{
        struct edges e = {.layout = layout, .low = low, .high = high, .element_bytes = element_bytes};
        uint32_t axis[PS_DVM_RANK_MAX], n = cutting_axes(layout, axis);
        uint32_t zero[PS_DVM_RANK_MAX] = {0}, last[PS_DVM_RANK_MAX];
        for (uint32_t v = layout->system->rank, stride = 1; v-- > 0; stride *= layout->system->size[v]) {
                last[v] = layout->system->size[v] - 1;
                e.stride[v] = stride;
        }
        for (int more = 1; more; e.place++) {
                if (take_part(&e))
                        PS_TRY(send_edges(moves, &e, axis, n, corners, err));
                more = ps_dvm_step(e.coord, zero, last, layout->system->rank);
        }
        return PS_OK;
}
