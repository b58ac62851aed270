/* redistribute.h - what it takes to change the distribution of an array over the processors of a machine.
 *
 * Each dimension of an array is dealt out to the coordinates of one axis of a processor grid in blocks:
 * BLOCK-CYCLIC(s). What processor p has before and processor q has after is then a product over the
 * dimensions, and for one dimension it follows from one block of the side with the larger blocks. Nothing
 * here grows with the array, and nothing with the square of the processors: only pairs that share elements
 * are kept.
 *
 * Method: Y.-C. Chung, C.-H. Hsu, "Efficient Methods for kr -> r and r -> kr Array Redistribution", corrected
 * and extended: see docs/REDISTRIBUTION.md. */
#ifndef PS_SIMULATOR_REDISTRIBUTE_REDISTRIBUTE_H
#define PS_SIMULATOR_REDISTRIBUTE_REDISTRIBUTE_H

#include "core/base/error.h"

enum { PS_REDIST_DIMS = 8, PS_REDIST_AXES = 4, PS_REDIST_NAME = 64, PS_REDIST_PROCS_MAX = 1 << 20 };
#define PS_REDIST_NUMBER_MAX    (UINT64_C(1) << 62) /* extents and blocks */
#define PS_REDIST_TRANSFERS_MAX (UINT64_C(1) << 26)

typedef enum ps_redist_kind {
        PS_REDIST_WHOLE,    /* "*": not distributed */
        PS_REDIST_CYCLIC,   /* "cyclic(s)": blocks of s elements, dealt out in turn */
        PS_REDIST_BLOCK,    /* "block": cyclic(ceil(extent / processors)), as HPF has it */
        PS_REDIST_DVM_BLOCK /* "dvm-block": coordinate c begins at floor(c * extent / processors), as DVM has
                               it */
} ps_redist_kind;

/* How one dimension lies on one side. */
typedef struct ps_redist_format {
        ps_redist_kind kind;
        uint64_t block;  /* CYCLIC: at least 1 */
        unsigned axis;   /* of the grid, from 1; 0: the next one that is free */
        unsigned column; /* in the text that it was read from, from 1 */
} ps_redist_format;

/* A processor grid; ranks are row-major. */
typedef struct ps_redist_grid {
        unsigned n_axes;
        uint32_t size[PS_REDIST_AXES]; /* at least 1 each */
        uint32_t procs;                /* their product */
} ps_redist_grid;

typedef enum ps_redist_side { PS_REDIST_SOURCE, PS_REDIST_DESTINATION, PS_REDIST_SIDES } ps_redist_side;

typedef struct ps_redist_spec {
        char name[PS_REDIST_NAME]; /* may be "" */
        unsigned n_dims;
        uint64_t extent[PS_REDIST_DIMS];
        uint64_t element_bytes; /* 8 unless it is changed after the parsing */
        ps_redist_format format[PS_REDIST_SIDES][PS_REDIST_DIMS];
} ps_redist_spec;

/* "A(100,200): cyclic(10),* -> *,block@1" */
ps_status ps_redist_spec_parse(ps_redist_spec *out, const char *text, ps_error *err);
/* "4", "2x2", or one for each side: "4->6", "2x2->1x6". `what` is named in errors. */
ps_status ps_redist_grids_parse(ps_redist_grid out[PS_REDIST_SIDES], const char *text, const char *what,
                                ps_error *err);

/* One dimension of one side, ready to be reckoned with: block b, from 0, belongs to coordinate b mod procs.
 */
typedef struct ps_redist_line {
        uint64_t extent;
        uint64_t block; /* 0: one block for each coordinate, with the bounds of DVM */
        uint32_t procs;
} ps_redist_line;

/* What `source` has before and `destination` has after; they may be the same processor. */
typedef struct ps_redist_transfer {
        uint32_t source, destination;
        uint64_t elements; /* at least 1 */
} ps_redist_transfer;

typedef struct ps_redist_list {
        ps_redist_transfer *row; /* by source, then by destination; each pair once */
        size_t n, room;
} ps_redist_list;

void ps_redist_list_free(ps_redist_list *list);

/* The transfers of one dimension, between coordinates. O(1) for each transfer when one block is a multiple of
 * the other and the processors are the same; else O(blocks of one period). Refuses what would take minutes.
 */
ps_status ps_redist_line_transfers(ps_redist_list *out, const ps_redist_line *source,
                                   const ps_redist_line *destination, ps_error *err);

typedef struct ps_redist_sums {
        uint64_t messages;       /* transfers between two processors */
        uint64_t elements;       /* in messages */
        uint64_t local_elements; /* that stay where they are */
        uint64_t largest;        /* elements of the largest message; 0: none */
        uint64_t bytes;          /* of `elements` */
} ps_redist_sums;

typedef struct ps_redist {
        ps_redist_spec spec;
        ps_redist_grid grid[PS_REDIST_SIDES];
        ps_redist_line line[PS_REDIST_SIDES][PS_REDIST_DIMS];
        /* The grid's axis that a dimension lies on, from 0; PS_REDIST_AXES: none. Along an axis that no
         * dimension lies on, the array is replicated. */
        unsigned axis[PS_REDIST_SIDES][PS_REDIST_DIMS];
        ps_redist_list transfers; /* between ranks */
        ps_redist_sums sums;
} ps_redist;

/* Where several processors have an element before, the receiver takes it from itself or else from the
 * nearest: from the one with its own coordinates along the axes of replication (a receiver outside of the
 * source grid has those of the grid's last processor). */
ps_status ps_redist_new(ps_redist **out, const ps_redist_spec *spec,
                        const ps_redist_grid grid[PS_REDIST_SIDES], ps_error *err);
void ps_redist_free(ps_redist *redist);

/* Where a rank is along the axis of a dimension; 0 when the dimension is not distributed. */
uint32_t ps_redist_coordinate(const ps_redist *redist, ps_redist_side side, unsigned dim, uint32_t rank);

#endif
