/* defs.h - what a trace defines before anything happens: who takes part, and the names of things.
 *
 * A reader fills the tables through the ps_defs_add functions, in its own order, and gets dense indices back;
 * native ids never leave the reader. ps_defs_freeze() then derives what every later stage relies on: the
 * kind of each region and the locations of each process. */
#ifndef PS_CORE_MODEL_DEFS_H
#define PS_CORE_MODEL_DEFS_H

#include "core/base/error.h"
#include "core/base/types.h"
#include "core/base/vector.h"
#include "core/model/loading.h"
#include "core/model/region_dvm.h"

typedef enum ps_paradigm {
        PS_PARADIGM_UNKNOWN,
        PS_PARADIGM_USER, /* by hand or by compiler: the program's own code */
        PS_PARADIGM_MPI,
        PS_PARADIGM_OPENMP,
        PS_PARADIGM_PTHREAD,
        PS_PARADIGM_SHMEM,
        PS_PARADIGM_PGAS, /* UPC, coarrays, GASPI, ... */
        PS_PARADIGM_ACCELERATOR,
        PS_PARADIGM_IO,
        PS_PARADIGM_RECORDER, /* the measurement system's own activity */
        PS_PARADIGM_OTHER
} ps_paradigm;

typedef enum ps_role {
        PS_ROLE_OTHER,
        PS_ROLE_FUNCTION,
        PS_ROLE_LOOP,
        PS_ROLE_PHASE, /* phases and their dynamic instances */
        PS_ROLE_PARALLEL,
        PS_ROLE_BARRIER,
        PS_ROLE_IMPLICIT_BARRIER,
        PS_ROLE_CRITICAL,
        PS_ROLE_LOCK,
        PS_ROLE_TASK,
        PS_ROLE_POINT_TO_POINT,
        PS_ROLE_COLLECTIVE,
        PS_ROLE_RMA
} ps_role;

typedef struct ps_region_def {
        ps_str name;
        ps_str file;             /* 0 when the trace does not tell; never a library's name */
        ps_str means;            /* the call that it is, where its name does not say so ("MPI_Wait"); or 0 */
        uint32_t line, line_end; /* 0: unknown */
        uint8_t paradigm;        /* ps_paradigm */
        uint8_t role;            /* ps_role */
        uint8_t kind;            /* ps_kind; set by ps_defs_freeze */
        uint8_t nonblocking;     /* set by ps_defs_freeze */
        uint8_t idle;            /* being in it is waiting, says the trace; set by ps_defs_freeze */
        uint8_t given; /* the reader has set kind, nonblocking and paradigm: the name tells nothing */
        uint8_t sync;  /* modes that its name tells; ps_defs_freeze completes them */
        /* Entering and leaving it adds at most one row, always of the same kind; or does so where it is an
         * operation of a PGAS program, which have more to begin with; set by ps_defs_freeze. */
        bool is_plain, is_plain_pgas;
        uint8_t is_of_files; /* it reads, writes or handles files; set by ps_defs_freeze. A byte, because kept
                                loads may hold anything */
        ps_region_dvm dvm;
} ps_region_def;

typedef enum ps_location_type {
        PS_LOCATION_CPU,
        PS_LOCATION_METRIC,
        PS_LOCATION_ACCELERATOR
} ps_location_type;

typedef struct ps_location_def {
        ps_str name;
        ps_proc process;
        uint32_t thread;   /* which of its process's locations this is; set by ps_defs_freeze */
        uint8_t type;      /* ps_location_type: only CPU locations take part in the analysis */
        uint64_t native;   /* its id in the trace, for messages */
        uint64_t n_events; /* as promised by the trace; UINT64_MAX: no promise */
} ps_location_def;

/* How a process ended, as the recorder says. */
typedef enum ps_process_end {
        PS_END_UNTOLD,
        PS_END_REACHED, /* it left its Finalize */
        PS_END_CUT_OFF, /* it did not */
        PS_END_ABORT    /* it was in Abort */
} ps_process_end;

typedef struct ps_process_def {
        ps_str name;
        ps_str node;       /* the machine that it ran on, or 0 */
        ps_str processors; /* of that machine that it might run on, "0-3,8"; 0: the recorder does not say */
        ps_loc first; /* set by ps_defs_freeze: its CPU locations are by_process[first ..  first + n_locs) */
        uint32_t n_locs;
        uint8_t end;     /* ps_process_end */
        uint32_t awaits; /* 1 more than the process that it waits for as it ends; 0: the recorder does not say
                          */
} ps_process_def;

/* Of a rank in a process topology: near_lists[list] tells how many others it gets data from, and what stands
 * behind that who they are. */
typedef struct ps_near {
        uint32_t rank, list;
} ps_near;

/* A communicator, or a team of threads. Members stand in rank order. */
typedef struct ps_comm_def {
        ps_str name;
        ps_comm parent;
        uint32_t n_members;   /* of the local group, or of group A of an intercommunicator */
        uint32_t n_members_b; /* group B of an intercommunicator */
        const uint32_t *members,
                *members_b; /* processes, or locations of a team; PS_NONE: not in the trace */
        uint8_t self;  /* MPI_COMM_SELF or made of it: one definition shared by all, never across ranks */
        uint8_t inter; /* peers are ranks of the other group */
        uint8_t team;  /* members are locations */
        uint8_t pgas;  /* threads of UPC, PEs of SHMEM, ... */
        const uint32_t
                *sorted_a; /* of an intercommunicator, group A in rising order; set by ps_defs_freeze */
        uint32_t n_near;
        const ps_near *near; /* of ranks whose neighbours are known, by rank: see ps_near_of */
} ps_comm_def;

typedef struct ps_group_def {
        ps_str name;
        uint32_t n_members;
        const uint32_t *members; /* processes */
} ps_group_def;

typedef struct ps_window_def {
        ps_str name;
        ps_comm comm;
} ps_window_def;

/* A frame of a calling context: `region`, called from `parent`, which stands at (file, line) in `region`. */
typedef struct ps_context_def {
        uint32_t parent; /* another context, always a smaller index; PS_NONE: outermost */
        ps_region region;
        ps_str file;
        uint32_t line;
} ps_context_def;

typedef struct ps_defs {
        ps_arena *arena;
        ps_strings *strings;
        PS_VECTOR(ps_region_def) regions;
        PS_VECTOR(ps_location_def) locations;
        PS_VECTOR(ps_process_def) processes;
        PS_VECTOR(ps_comm_def) comms;
        PS_VECTOR(ps_group_def) groups;
        PS_VECTOR(ps_window_def) windows;
        PS_VECTOR(ps_context_def) contexts;
        PS_VECTOR(ps_str) codes;  /* the format's names of its event records */
        PS_VECTOR(ps_str) params; /* names of parameters */
        PS_VECTOR(ps_str) metrics;
        PS_VECTOR(uint32_t) near_lists; /* of all communicators: see ps_near */
        const ps_loc *by_process;       /* CPU locations grouped by process; set by ps_defs_freeze */
        ps_str creator;
        uint64_t resolution_hz;    /* of the recorder's clock */
        ps_time sampled_every;     /* what locations compute was looked at so often; 0: never */
        bool clock_per_process;    /* the clocks of the processes have no common zero */
        bool sends_are_buffered;   /* no send waits for its receiver: the network takes over what is sent */
        bool counts_lines;         /* offsets of events and issues are numbers of lines */
        ps_comm pgas_comm;         /* of all threads of a PGAS program, or PS_NONE; set by ps_defs_freeze */
        ps_upc_flags upc_flags;    /* what the numeric flags of UPC's collectives mean */
        bool levels_are_out_modes; /* the sync level of a PGAS collective tells its mode at the end */
        bool partners_vary;        /* a message may come from elsewhere than its record says: a process has
                                      several threads, or two communicators may be sides of one; set by
                                      ps_defs_freeze */
        bool is_dvm; /* a program of the DVM system: its regions say so; set by ps_defs_freeze */
        bool recv_comm_unreliable; /* receives carry a wrong communicator: match what is left without it */
} ps_defs;

/* Paradigms of a partitioned global address space. */
static inline bool ps_paradigm_is_pgas(uint8_t paradigm)
{
        return paradigm == PS_PARADIGM_PGAS || paradigm == PS_PARADIGM_SHMEM;
}

ps_status ps_defs_init(ps_defs *defs, ps_error *err);
void ps_defs_free(ps_defs *defs); /* arena and strings included */

/* Append a copy of *def; *out is its index. They fail only for want of memory. */
ps_status ps_defs_add_region(ps_defs *defs, const ps_region_def *def, ps_region *out, ps_error *err);
ps_status ps_defs_add_location(ps_defs *defs, const ps_location_def *def, ps_loc *out, ps_error *err);
ps_status ps_defs_add_process(ps_defs *defs, const ps_process_def *def, ps_proc *out, ps_error *err);
ps_status ps_defs_add_comm(ps_defs *defs, const ps_comm_def *def, ps_comm *out, ps_error *err);
ps_status ps_defs_add_group(ps_defs *defs, const ps_group_def *def, uint32_t *out, ps_error *err);
ps_status ps_defs_add_window(ps_defs *defs, const ps_window_def *def, uint32_t *out, ps_error *err);
ps_status ps_defs_add_context(ps_defs *defs, const ps_context_def *def, uint32_t *out, ps_error *err);
ps_status ps_defs_add_code(ps_defs *defs, const char *name, uint32_t *out, ps_error *err);
ps_status ps_defs_add_param(ps_defs *defs, ps_str name, uint32_t *out, ps_error *err);
ps_status ps_defs_add_metric(ps_defs *defs, ps_str name, uint32_t *out, ps_error *err);

/* Checks the tables (a location without a process, a context that is its own parent are PS_E_INTERNAL: the
 * reader has to sort them out) and fills the derived fields. */
ps_status ps_defs_freeze(ps_defs *defs, ps_error *err);

/* The process behind rank `rank` of `comm` as seen from `from`: for an intercommunicator a rank of the other
 * group, for MPI_COMM_SELF always `from`. PS_NONE when there is no such member. */
ps_proc ps_defs_peer(const ps_defs *defs, ps_comm comm, uint32_t rank, ps_proc from);

/* Whether the process is in the first group of an intercommunicator. */
bool ps_defs_in_group_a(const ps_comm_def *comm, ps_proc process);

/* Has it calls of UPC, coarrays, SHMEM, ...? */
bool ps_defs_has_pgas(const ps_defs *defs);
/* The communicator of all processes, or PS_NONE. */
ps_comm ps_defs_world(const ps_defs *defs);

/* -- who gets data from whom in the collective operations along a process topology -- */

/* Adds a list of ranks, in any order and some of them twice, whose place is *out. They get sorted. */
ps_status ps_near_add_list(ps_defs *defs, uint32_t *ranks, uint32_t n, uint32_t *out, ps_error *err);

/* Gives ranks of a communicator their neighbours; no rank may be there twice. They get sorted. */
ps_status ps_near_set(ps_defs *defs, ps_comm comm, ps_near *rows, uint32_t n, ps_error *err);

/* The ranks whose data `rank` gets, in rising order, perhaps with itself and with ranks that there are not;
 * NULL: the trace does not tell. */
const uint32_t *ps_near_of(const ps_defs *defs, const ps_comm_def *comm, uint32_t rank, uint32_t *n);

const char *ps_defs_str(const ps_defs *defs, ps_str id);

#endif
