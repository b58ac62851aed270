/* layout.h - which processor holds which part of a template, an array or the iterations of a loop.
 *
 * Templates are cut along the axes of a processor system; arrays are aligned with templates; iterations go
 * where the elements are that they are mapped to. Arrays, sections of them and loops are all lattices: their
 * dimensions count positions k from 0, and position k stands for first + k * step. */
#ifndef PS_SIMULATOR_DVM_LAYOUT_H
#define PS_SIMULATOR_DVM_LAYOUT_H

#include "core/base/error.h"
#include "core/dvm/dvm.h"

/* Some processors of the simulated grid in a shape of their own, row-major. */
typedef struct ps_dvm_system {
        uint32_t rank, n;
        uint32_t size[PS_DVM_RANK_MAX];
        uint32_t *processor; /* [n]: its number in the grid */
} ps_dvm_system;

/* How a template is cut: by each axis of the system, the template's axis (from 0) or PS_NONE: a copy on each
 * coordinate. bound[v][c] .. bound[v][c + 1] - 1 is what coordinate c has of it. */
typedef struct ps_dvm_spread {
        const ps_dvm_system *system;
        uint32_t axis[PS_DVM_RANK_MAX];
        int64_t *bound[PS_DVM_RANK_MAX];
} ps_dvm_spread;

/* What stands at one axis of a template: dimension `dim` at coeff * index + constant, or (dim is PS_NONE) the
 * same at all positions from .. to. */
typedef struct ps_dvm_placing {
        uint32_t dim;
        int64_t coeff, constant, from, to;
} ps_dvm_placing;

typedef struct ps_dvm_alignment {
        uint32_t view, n;
        ps_dvm_placing axis[PS_DVM_RANK_MAX];
} ps_dvm_alignment;

typedef struct ps_dvm_lattice {
        uint32_t rank;
        int64_t first[PS_DVM_RANK_MAX], step[PS_DVM_RANK_MAX], count[PS_DVM_RANK_MAX];
} ps_dvm_lattice;

typedef struct ps_dvm_range {
        int64_t first, last; /* positions; first > last: nothing */
} ps_dvm_range;

/* One axis of the system. Without a dimension: a copy on each coordinate whose part is not empty. */
typedef struct ps_dvm_cut {
        uint32_t dim;       /* or PS_NONE */
        int direction;      /* of growing positions along growing coordinates: 1 or -1 */
        uint32_t from, to;  /* the first and the last coordinate that holds anything; from > to: none does */
        ps_dvm_range *part; /* [size of the axis] */
} ps_dvm_cut;

typedef struct ps_dvm_layout {
        const ps_dvm_system *system;
        uint32_t rank;
        int64_t count[PS_DVM_RANK_MAX];    /* positions, by dimension */
        uint32_t axis_of[PS_DVM_RANK_MAX]; /* by dimension: the axis that cuts it, or PS_NONE */
        ps_dvm_cut cut[PS_DVM_RANK_MAX];   /* by axis of the system */
} ps_dvm_layout;

/* Template axis t of `size` cut into n blocks: weights may be NULL (all the same); blocks begin at multiples
 * of `divisor`. bound has room for n + 1. */
void ps_dvm_blocks_fill(int64_t *bound, uint32_t n, int64_t size, const double *weights, int64_t divisor);

/* The alignment of something that is mapped by `map` to a template (pattern NULL) or to an array of
 * `pattern_size` that has an alignment itself. */
ps_status ps_dvm_align_compose(ps_dvm_alignment *out, const ps_dvm_linear *map, uint32_t view,
                               const int64_t *view_size, const ps_dvm_alignment *pattern,
                               const int64_t *pattern_size, ps_error *err);

/* All of an array; a part of it. */
void ps_dvm_lattice_of(ps_dvm_lattice *out, uint32_t rank, const int64_t *size);

ps_status ps_dvm_layout_new(ps_dvm_layout **out, const ps_dvm_spread *spread, const int64_t *view_size,
                            const ps_dvm_alignment *alignment, const ps_dvm_lattice *lattice, ps_error *err);
/* A copy of the whole lattice on each processor of the system. */
ps_status ps_dvm_layout_everywhere(ps_dvm_layout **out, const ps_dvm_system *system,
                                   const ps_dvm_lattice *lattice, ps_error *err);
void ps_dvm_layout_free(ps_dvm_layout *layout);

/* How many positions each processor of the system has; out has room for all. */
void ps_dvm_layout_counts(const ps_dvm_layout *layout, int64_t *out);
/* How many processors have the same part as one that has any. */
uint32_t ps_dvm_layout_copies(const ps_dvm_layout *layout);
/* Bit v: axis v of the system cuts it. */
uint32_t ps_dvm_layout_axes(const ps_dvm_layout *layout);

/* Walks through coordinates, the last axis fastest; 0 when it is through and all are at `from` again. */
bool ps_dvm_step(uint32_t *coord, const uint32_t *from, const uint32_t *to, uint32_t rank);
/* The place of a processor in its system. */
uint32_t ps_dvm_place(const ps_dvm_system *system, const uint32_t *coord);

#endif
