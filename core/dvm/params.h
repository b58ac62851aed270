/* params.h - what calls of a DVM program are given, beyond the object that they are about. Conventions as
 * in objects.h. */
#ifndef PS_CORE_DVM_PARAMS_H
#define PS_CORE_DVM_PARAMS_H

#include "core/dvm/objects.h"

/* For each axis v of the processor system: axis[v] is the template's axis (from 1) that is cut along it, 0:
 * each of its processors has a copy. The template's other axes are not cut. */
typedef struct ps_dvm_distr {
        uint32_t view;  /* the template, always */
        uint32_t array; /* redis_: the array by which it was named, or PS_NONE */
        uint32_t ps;    /* PS_NONE: the current one */
        uint8_t fresh;  /* redis_: contents are not kept, nothing moves */
        uint32_t n;
        const int64_t *axis;  /* [n], 0 .. PS_DVM_RANK_MAX */
        const int64_t *param; /* [n] as recorded; 0 is a block */
} ps_dvm_distr;

/* map.n is the pattern's rank, map.axis counts the array's dimensions. */
typedef struct ps_dvm_align {
        uint32_t array;
        uint32_t view;    /* the pattern is this template, or PS_NONE and then */
        uint32_t pattern; /* this array, aligned before, which is another one */
        uint8_t fresh;    /* realn_: contents are not kept, nothing moves */
        ps_dvm_linear map;
} ps_dvm_align;

typedef struct ps_dvm_map {
        uint32_t loop;
        uint32_t view, pattern; /* as in ps_dvm_align; both PS_NONE: every processor runs the whole loop */
        ps_dvm_linear map;      /* map.n is the pattern's rank, map.axis counts the loop's dimensions */
        uint32_t rank;          /* of the loop */
        const int64_t *init, *last; /* [rank], both inclusive; init beyond last: no iterations */
        const int64_t *step;        /* [rank], never 0 */
        int64_t iterations;         /* of the whole loop; fits into 62 bits */
} ps_dvm_map;

/* One side of a copy: elements first, first + step, .. last of each dimension. first = -1: the whole
 * dimension. */
typedef struct ps_dvm_section {
        uint32_t array; /* PS_NONE: a buffer that every processor has; then rank is 0 */
        uint32_t rank;
        const int64_t *first, *last, *step; /* [rank] */
} ps_dvm_section;

typedef struct ps_dvm_copy {
        ps_dvm_section from, to;
        int64_t regime; /* as recorded */
} ps_dvm_copy;

/* Widths of the edges that an exchange brings; already resolved where the trace says "the array's own". */
typedef struct ps_dvm_shadow {
        uint32_t array;
        uint32_t rank;
        uint8_t corners;           /* elements beyond more than one edge come too */
        const int64_t *low, *high; /* [rank], at least 0 */
        const int64_t *sign;       /* [rank], insshd_ and incshd_: which edges of each dimension; else NULL */
        int64_t max_count;         /* insshd_ and incshd_; else -1 */
} ps_dvm_shadow;

/* The loop that was mapped last has iterations that need what others have computed. */
typedef struct ps_dvm_across {
        uint32_t old_group; /* shadow group that is exchanged before the loop, or PS_NONE */
        uint32_t new_group; /* whose edges go from processor to processor during the loop, or PS_NONE */
        uint8_t writes;     /* iterations write their neighbours' elements, instead of reading them */
        double stages; /* as recorded: above 0 how many, else minus the seconds of an iteration; 0: not told
                        */
} ps_dvm_across;

typedef enum ps_dvm_target_kind {
        PS_DVM_T_NONE,
        PS_DVM_T_LOOP,
        PS_DVM_T_VIEW,
        PS_DVM_T_ARRAY,
        PS_DVM_T_PS /* index PS_NONE: the current one */
} ps_dvm_target_kind;

/* Over whose processors a reduction goes. */
typedef struct ps_dvm_target {
        uint8_t kind; /* ps_dvm_target_kind */
        uint32_t index;
} ps_dvm_target;

/* Weights of the coordinates along each axis of a processor system. */
typedef struct ps_dvm_weights {
        uint32_t n;
        const int64_t *count; /* [n]: how many weights the axis has; their sum is n_weights */
        uint32_t n_weights;
        const double *weight; /* finite, at least 0, the sum of an axis above 0 */
} ps_dvm_weights;

/* Of MULT_BLOCK: blocks of template axis t begin at multiples of divisor[t]. */
typedef struct ps_dvm_blocks {
        uint32_t n;
        const int64_t *divisor; /* [n], at least 1 */
} ps_dvm_blocks;

#endif
