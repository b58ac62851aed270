/* run.h - the processes of a run together: what they define is brought to numbers that all share. */
#ifndef PS_RECORD_FINISH_RUN_H
#define PS_RECORD_FINISH_RUN_H

#include "core/base/map.h"
#include "record/finish/process.h"
#include "record/finish/rows.h"

typedef struct ps_raw_run_thread {
        uint32_t process; /* PS_NONE: of a rank that left nothing */
        uint32_t rank, thread;
        char *path; /* NULL: no rows */
} ps_raw_run_thread;

typedef struct ps_raw_run_region {
        ps_str name;
        bool is_mpi;
} ps_raw_run_region;

typedef struct ps_raw_run_context {
        uint32_t parent, region, source; /* or PS_NONE */
} ps_raw_run_context;

typedef struct ps_raw_run_source {
        ps_str file;
        uint32_t line;
} ps_raw_run_source;

typedef struct ps_raw_run_comm {
        ps_str name;
        uint32_t parent;  /* PS_NONE: none */
        uint32_t group;   /* in `groups` */
        uint32_t group_b; /* of an intercommunicator, or PS_NONE */
} ps_raw_run_comm;

typedef struct ps_raw_run_group {
        const char *members; /* a text of ranks */
        bool is_self;
} ps_raw_run_group;

typedef struct ps_raw_run {
        ps_arena *arena;
        ps_strings *strings;                  /* of the archive */
        ps_strings *texts;                    /* others */
        uint32_t size;                        /* of the world */
        PS_VECTOR(ps_process) processes;      /* by rank */
        PS_VECTOR(ps_raw_run_thread) threads; /* by rank and thread: the locations */
        PS_VECTOR(ps_raw_run_region) regions;
        PS_VECTOR(ps_raw_run_source) sources;
        PS_VECTOR(ps_raw_run_context) contexts;
        PS_VECTOR(ps_raw_run_comm) comms;
        PS_VECTOR(ps_raw_run_group) groups; /* each once */
        PS_VECTOR(uint32_t) windows;        /* their communicators */
        ps_map keys[8];                     /* see unify.c and places.c */
} ps_raw_run;

/* Reads the definitions in a folder and finds the files of rows. `processes` is empty if none left anything.
 * To be cleared, also after a failure. */
ps_status ps_raw_run_read(ps_raw_run *out, const char *folder, ps_error *err);
void ps_raw_run_clear(ps_raw_run *run);

/* unify.c: communicators, windows and groups; places.c: call sites. */
ps_status ps_raw_run_unify(ps_raw_run *run, ps_error *err);
ps_status ps_raw_run_places(ps_raw_run *run, ps_error *err);

#endif
