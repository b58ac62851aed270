/* objects.h - what a DVM program works with: processor systems, templates, arrays, loops, intervals.
 *
 * Ids of the trace are addresses, used again and again; here each object that ever lived has a row of its own
 * in the table of its kind, in the order of creation, and every reference is an index into it, already known
 * to be good. `made` is the call that made the object, an index into calls. PS_NONE in place of a processor
 * system or a machine means the current one.
 *
 * Axes: `axis` of a mapping counts from 1; 0 means none. Indices of arrays, loops and templates count from 0.
 * No number of a mapping exceeds PS_DVM_INDEX_MAX, no coefficient PS_DVM_COEFF_MAX: coeff * index + constant
 * cannot overflow. A rank is at least 1 and at most PS_DVM_RANK_MAX. */
#ifndef PS_CORE_DVM_OBJECTS_H
#define PS_CORE_DVM_OBJECTS_H

#include "core/base/types.h"

enum { PS_DVM_RANK_MAX = 16 };

#define PS_DVM_INDEX_MAX (INT64_C(1) << 40)
#define PS_DVM_COEFF_MAX (INT64_C(1) << 20)

/* An abstract machine: the one the program began with, or the part of a template's at `index`. */
typedef struct ps_dvm_am {
        uint32_t made;
        uint32_t view; /* PS_NONE: the one the program began with */
        uint32_t rank;
        const int64_t *index; /* [rank], NULL without a view */
} ps_dvm_am;

typedef enum ps_dvm_ps_kind {
        PS_DVM_PS_OF_AM, /* getps_: the one that `am` runs on */
        PS_DVM_PS_PART,  /* crtps_: the processors first[d] .. last[d] of `parent` */
        PS_DVM_PS_SHAPE  /* psview_: the processors of `parent` in another shape */
} ps_dvm_ps_kind;

typedef struct ps_dvm_ps {
        uint32_t made;
        uint8_t kind;                /* ps_dvm_ps_kind */
        uint32_t am;                 /* PS_DVM_PS_OF_AM; PS_NONE: the current one */
        uint32_t parent;             /* PS_NONE: the current one */
        uint32_t rank;               /* 0 for PS_DVM_PS_OF_AM */
        const int64_t *first, *last; /* [rank], PS_DVM_PS_PART; 0 <= first <= last */
        const int64_t *size;         /* [rank], PS_DVM_PS_SHAPE; at least 1 */
} ps_dvm_ps;

/* A template ("abstract machine view"): what is distributed, and what arrays are aligned with. */
typedef struct ps_dvm_view {
        uint32_t made;
        uint32_t am; /* PS_NONE: the current one */
        uint32_t rank;
        const int64_t *size; /* [rank], at least 1; their product fits into 62 bits */
} ps_dvm_view;

typedef struct ps_dvm_array {
        uint32_t made;
        uint32_t rank;
        int64_t element_bytes;     /* at least 1 */
        const int64_t *size;       /* [rank], at least 1; the array's bytes fit into 50 bits */
        const int64_t *low, *high; /* [rank], widths of the shadow edges, at least 0 */
} ps_dvm_array;

typedef struct ps_dvm_loop {
        uint32_t made;
        uint32_t rank;
} ps_dvm_loop;

typedef struct ps_dvm_red {
        uint32_t made;
        uint32_t function; /* 1 sum, 2 product, 3 max, 4 min, 11 maxloc, 12 minloc, ...: as recorded */
        int64_t bytes;     /* what it sends: (element + location) * length; 0 for types that are not known */
} ps_dvm_red;

/* A group of reductions or of shadow edges: filled by insred_, inssh_, ... */
typedef struct ps_dvm_group {
        uint32_t made;
} ps_dvm_group;

/* A linear mapping of the axes of something with ranks (an array, a loop) to those of a pattern. For each
 * axis t of the pattern: axis[t] = -1: everything on it (a copy everywhere, a whole dimension); coeff[t] = 0
 * or axis[t] = 0: position constant[t]; else dimension axis[t] - 1 stands at coeff[t] * index + constant[t].
 */
typedef struct ps_dvm_linear {
        uint32_t n;
        const int64_t *axis, *coeff, *constant; /* [n] */
} ps_dvm_linear;

/* What is read of a remote array: section.n is the array's rank; by a loop, or by the processor at `coord`.
 */
typedef struct ps_dvm_buffer {
        uint32_t made;
        uint32_t array;
        uint32_t loop;         /* crtrbl_; PS_NONE for crtrbp_ */
        ps_dvm_linear section; /* crtrbl_: axis counts the loop's dimensions; n = 0 for crtrbp_ */
        uint32_t ps;           /* crtrbp_ */
        uint32_t rank;         /* of coord, crtrbp_ */
        const int64_t *coord;  /* [rank], one for each dimension of the array; -1: the whole of it */
} ps_dvm_buffer;

typedef enum ps_dvm_interval_type {
        PS_DVM_I_MAIN,
        PS_DVM_I_USER, /* binter_ */
        PS_DVM_I_PAR,  /* bploop_ */
        PS_DVM_I_SEQ   /* bsloop_ */
} ps_dvm_interval_type;

#define PS_DVM_NO_EXPR INT64_C(2000000000)

/* A node of the tree of intervals; parents stand before their children. Row 0 is the whole run. */
typedef struct ps_dvm_interval {
        uint32_t parent; /* PS_NONE: the root */
        uint32_t level;
        uint8_t type; /* ps_dvm_interval_type */
        ps_str file;
        int64_t line;
        int64_t expr;   /* the value that tells runs of a user's interval apart, or PS_DVM_NO_EXPR */
        uint64_t count; /* how often it was entered */
} ps_dvm_interval;

#endif
