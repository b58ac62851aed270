/* dvm.h - one sequential run of a DVM program, as its run-time system Lib-DVM recorded it.
 *
 * It is no stream of events of a location but a list of calls with what they were given: templates, arrays
 * and how they are laid over processors, loops, exchanges. A simulation walks the list in order and lays it
 * over a grid of its own. A ps_dvm is frozen once read, and owns all that it points to. */
#ifndef PS_CORE_DVM_DVM_H
#define PS_CORE_DVM_DVM_H

#include "core/dvm/params.h"
#include "core/model/defs.h"
#include "core/model/issue.h"

enum { PS_DVM_DEPTH_MAX = 64 }; /* of calls in calls */

typedef enum ps_dvm_function {
#define PS_DVM(id, name, cls, form) PS_DVM_##id,
#include "core/dvm/dvm.def"
#undef PS_DVM
        PS_DVM_UNKNOWN,
        PS_DVM_COUNT
} ps_dvm_function;

/* How a call is simulated. */
typedef enum ps_dvm_class {
        PS_DVM_C_ORDINARY,     /* its time, by the base algorithm */
        PS_DVM_C_IO,           /* input and output */
        PS_DVM_C_INTERVAL,     /* begins or ends an interval */
        PS_DVM_C_OBJECT,       /* makes or drops a machine, processor system, template, array */
        PS_DVM_C_DISTRIBUTION, /* lays templates and arrays over processors; may move data */
        PS_DVM_C_LOOP,
        PS_DVM_C_SETUP,      /* prepares collective operations */
        PS_DVM_C_COLLECTIVE, /* starts, carries out or awaits one */
        PS_DVM_C_UNSUPPORTED /* known, yet treated as ORDINARY and noted; no call has this class */
} ps_dvm_class;

/* What a call's fields hold; fields that are not named hold PS_NONE, 0, NULL. */
typedef enum ps_dvm_form {
        PS_DVM_F_NONE,
        PS_DVM_F_AM,      /* object: am; of runam_ value: 1 it is entered, 0 not */
        PS_DVM_F_MAPAM,   /* object: am, other: ps */
        PS_DVM_F_PS,      /* object: ps */
        PS_DVM_F_VIEW,    /* object: view */
        PS_DVM_F_WEIGHTS, /* object: view (PS_NONE: all), other: ps, of.weights */
        PS_DVM_F_BLOCKS,  /* object: view, of.blocks */
        PS_DVM_F_DISTR,   /* of.distr */
        PS_DVM_F_ARRAY,   /* object: array */
        PS_DVM_F_ALIGN,   /* object: array, of.align */
        PS_DVM_F_COPY,    /* of.copy, of waitcp_ that of its aarrcp_; value: elements copied, -1: not told */
        PS_DVM_F_LOOP,    /* object: loop */
        PS_DVM_F_MAP,     /* object: loop, of.map */
        PS_DVM_F_STEP,    /* object: loop, value: 1 the body is run next, 0 the loop is over */
        PS_DVM_F_EDGE,    /* object: loop, other: shadow group */
        PS_DVM_F_RED_GROUP,    /* object: reduction group */
        PS_DVM_F_RED,          /* object: reduction */
        PS_DVM_F_RED_MEMBER,   /* object: reduction group, other: reduction, value: renewed, of.target */
        PS_DVM_F_SHADOW_GROUP, /* object: shadow group */
        PS_DVM_F_SHADOW,       /* object: shadow group, of.shadow */
        PS_DVM_F_ACROSS,       /* of.across */
        PS_DVM_F_BUFFER,       /* object: buffer; of loadrb_ value: renewed */
        PS_DVM_F_INTERVAL,     /* object: the interval that is begun or ended */
        PS_DVM_F_BYTES         /* value: how many bytes are moved */
} ps_dvm_form;

typedef struct ps_dvm_info {
        const char *name;
        uint8_t cls;  /* ps_dvm_class */
        uint8_t form; /* ps_dvm_form */
} ps_dvm_info;

/* One row for each function; UNKNOWN's name is "". */
extern const ps_dvm_info ps_dvm_infos[PS_DVM_COUNT];

typedef struct ps_dvm_call {
        ps_time call_time; /* in the program's own code, since the call before was left */
        ps_time ret_time;  /* in the run-time function */
        uint8_t function;  /* ps_dvm_function */
        uint8_t cls;       /* ps_dvm_class; ORDINARY also for calls that are known and not supported */
        uint8_t form;      /* ps_dvm_form */
        uint8_t depth;     /* 0; more for a call inside the last call before it of less depth, whose time
                            * contains its own: of no use to a simulation */
        ps_str name;       /* as recorded, "dopl_" */
        ps_str file;       /* of the program */
        int64_t line;
        uint64_t at; /* the line of the trace where it begins, from 1 */
        uint32_t object, other;
        int64_t value;
        union {
                const void *any;
                const ps_dvm_weights *weights;
                const ps_dvm_blocks *blocks;
                const ps_dvm_distr *distr;
                const ps_dvm_align *align;
                const ps_dvm_copy *copy;
                const ps_dvm_map *map;
                const ps_dvm_target *target;
                const ps_dvm_shadow *shadow;
                const ps_dvm_across *across;
        } of;
} ps_dvm_call;

/* A function whose calls only take time because patscan does not know it, or not what it does. */
typedef struct ps_dvm_stranger {
        ps_str name;
        uint8_t known; /* unsupported rather than unknown */
        uint64_t count;
        uint64_t at; /* the line of the trace where the first call begins */
} ps_dvm_stranger;

typedef struct ps_dvm {
        ps_arena *arena;
        ps_strings *strings;
        PS_VECTOR(ps_dvm_call) calls;
        PS_VECTOR(ps_dvm_am) ams;
        PS_VECTOR(ps_dvm_ps) pss;
        PS_VECTOR(ps_dvm_view) views;
        PS_VECTOR(ps_dvm_array) arrays;
        PS_VECTOR(ps_dvm_loop) loops;
        PS_VECTOR(ps_dvm_red) reds;
        PS_VECTOR(ps_dvm_group) red_groups;
        PS_VECTOR(ps_dvm_group) shadow_groups;
        PS_VECTOR(ps_dvm_buffer) buffers;
        PS_VECTOR(ps_dvm_interval) intervals;
        PS_VECTOR(ps_dvm_stranger) strangers; /* in the order of their first calls */
        int64_t rts_version;                  /* of Lib-DVM; 0: not told */
        int64_t n_processors;                 /* that recorded, mostly 1 */
        uint32_t virtual_rank;                /* of the grid the program asked for; 0: none */
        const int64_t *virtual_size;          /* [virtual_rank] */
        ps_time exit_time;                    /* in the program's own code, from the last call to the end */
        ps_str exit_file;
        int64_t exit_line;
        ps_str path;       /* of the trace */
        uint64_t n_lines;  /* of the trace, as far as it was read */
        uint8_t truncated; /* the trace breaks off; only complete calls are here */
        ps_issues issues;  /* offset: the line of the trace */
} ps_dvm;

void ps_dvm_free(ps_dvm *dvm);

/* Whether the function begins an interval, rather than ends one. */
static inline bool ps_dvm_begins_interval(uint8_t function)
{
        return function == PS_DVM_BINTER || function == PS_DVM_BPLOOP || function == PS_DVM_BSLOOP;
}

const char *ps_dvm_str(const ps_dvm *dvm, ps_str id);

#endif
