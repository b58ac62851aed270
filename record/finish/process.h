/* process.h - what a process that was recorded has said of itself: its definitions, read from their file. */
#ifndef PS_RECORD_FINISH_PROCESS_H
#define PS_RECORD_FINISH_PROCESS_H

#include "core/base/error.h"
#include "core/base/types.h"
#include "core/base/vector.h"
#include "record/raw/raw.h"

typedef struct ps_clock_point {
        uint64_t ticks, ns;
} ps_clock_point;

typedef struct ps_clock_offset {
        int64_t at, offset; /* ns: when, and what is to be added to get the time of rank 0 */
} ps_clock_offset;

typedef struct ps_raw_module {
        const char *build_id, *path; /* build_id NULL: unknown */
        uint32_t resolved;           /* its number in the resolver */
} ps_raw_module;

typedef struct ps_raw_site {
        const char *function; /* "-": one that is none of MPI, on the way to others */
        uint64_t offset; /* where the call returns to; of a jump, in the function that it is the end of */
        uint32_t module; /* PS_NONE: unknown */
        uint32_t outer;  /* the site of the caller; PS_NONE: unknown */
        bool is_jump;
        uint32_t context;
        uint32_t body_module; /* of the function that is called there, and has the line of it all; or PS_NONE
                               */
        uint64_t body;
        uint32_t barrier; /* of a parallel region: the context of the barrier at its end */
} ps_raw_site;

/* Is it one of constructs.def? */
static inline bool ps_raw_site_is_construct(const ps_raw_site *site)
{
        return site->function[0] == '!';
}

/* Where a file with code was loaded, between two times at which one was unloaded. */
typedef struct ps_raw_range {
        uint64_t begin, end, base;
        uint32_t module, epoch;
} ps_raw_range;

/* Members are texts, "0 1 2", the same in all processes. NULL: those of the parent. */
typedef struct ps_raw_comm {
        const char *how, *members, *remote;
        const char *neighbours; /* ranks in it whose data the process gets along a topology; NULL: none */
        uint32_t parent, size;
        int32_t tag;
        uint32_t id; /* in the archive */
} ps_raw_comm;

typedef struct ps_raw_window {
        uint32_t comm, id;
} ps_raw_window;

typedef struct ps_raw_group {
        const char *members;
        uint32_t id;
} ps_raw_group;

typedef struct ps_process {
        uint32_t rank, size; /* size 0: nothing is known of it */
        long pid;
        uint64_t clock; /* its name */
        const char *host;
        const char *processors; /* that it might run on, "0-3,8"; NULL: it cannot be told */
        bool is_tsc, has_ended, has_teams, is_shmem; /* teams of OpenMP; no ranks but PEs of OpenSHMEM */
        ps_raw_end cut;                              /* why rows are missing that have no file to tell it */
        uint32_t unwound;                            /* how many functions around a call are told, at most */
        PS_VECTOR(ps_clock_point) points;
        PS_VECTOR(ps_clock_offset) offsets;
        PS_VECTOR(ps_raw_module) modules;
        PS_VECTOR(ps_raw_site) sites;
        PS_VECTOR(ps_raw_range) ranges;
        PS_VECTOR(uint64_t) unloaded; /* when, in ticks */
        uint64_t period;              /* of samples, in ns; 0: none were asked for */
        PS_VECTOR(ps_raw_comm) comms;
        PS_VECTOR(ps_raw_window) windows;
        PS_VECTOR(ps_raw_group) groups;
        char *text;      /* that all texts are in */
        ps_arena *arena; /* of members that took several lines; somebody else's */
} ps_process;

/* `arena` keeps what is longer than a line. To be cleared, also after a failure. */
ps_status ps_process_read(ps_process *out, const char *path, ps_arena *arena, ps_error *err);
void ps_process_clear(ps_process *process);

/* Ticks of the process's clock as nanoseconds of its node. */
uint64_t ps_process_time(const ps_process *process, uint64_t ticks);
/* The same on the clock of rank 0. */
uint64_t ps_process_common(const ps_process *process, uint64_t ns);

#endif
