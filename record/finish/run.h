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

typedef enum ps_raw_paradigm {
        PS_RAW_OF_USER,
        PS_RAW_OF_MPI,
        PS_RAW_OF_SHMEM,
        PS_RAW_OF_OPENMP
} ps_raw_paradigm;

typedef struct ps_raw_run_region {
        ps_str name;
        ps_raw_paradigm paradigm;
        uint8_t role;    /* of OTF2 */
        uint32_t source; /* of a construct: where it is; or PS_NONE */
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

/* What is looked up by two numbers: see unify.c, places.c and teams.c. */
typedef enum ps_raw_keys {
        PS_RAW_COMM_IDS,
        PS_RAW_WINDOW_IDS,
        PS_RAW_GROUP_IDS,
        PS_RAW_REGION_IDS,
        PS_RAW_SOURCE_IDS,
        PS_RAW_NODE_IDS,
        PS_RAW_CONTEXT_IDS,
        PS_RAW_SITE_IDS,
        PS_RAW_BELOW_IDS,
        PS_RAW_PLACE_IDS,
        PS_RAW_SAMPLE_IDS,
        PS_RAW_SET_IDS,
        PS_RAW_TEAM_IDS,
        PS_RAW_JOINS,
        PS_RAW_KEYS
} ps_raw_keys;

/* A set of threads: those of another one, and one more, which come in the order of their numbers. Sets are
 * numbered from 1; 0 is empty. */
typedef struct ps_raw_run_set {
        uint32_t before, thread;
        uint32_t n;
        uint32_t team; /* PS_NONE: it is none */
} ps_raw_run_set;

/* An address that was sampled. */
typedef struct ps_raw_run_place {
        uint32_t module, offset; /* module PS_NONE: in no file that is known */
        bool is_return;          /* of a call */
        bool is_told;            /* it is in the program's own code, and has a line */
        bool is_runtime;         /* it is in what runs the threads of teams */
} ps_raw_run_place;

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
        PS_VECTOR(ps_raw_run_set) sets;
        PS_VECTOR(uint32_t) teams; /* of OpenMP: their sets */
        PS_VECTOR(ps_raw_run_place) places;
        ps_map addresses; /* to 1 more than the place, of */
        uint32_t addresses_process, addresses_epoch;
        struct ps_resolver *resolver;
        ps_map keys[PS_RAW_KEYS];
} ps_raw_run;

/* Reads the definitions in a folder and finds the files of rows. `processes` is empty if none left anything.
 * To be cleared, also after a failure. */
ps_status ps_raw_run_read(ps_raw_run *out, const char *folder, ps_error *err);
void ps_raw_run_clear(ps_raw_run *run);

/* unify.c: communicators, windows and groups; places.c: call sites. */
ps_status ps_raw_run_unify(ps_raw_run *run, ps_error *err);
ps_status ps_raw_run_places(ps_raw_run *run, ps_error *err);
/* Where `context` is told by its site alone: the same inside of the construct or region `outer`, or PS_NONE.
 */
ps_status ps_raw_run_inside(ps_raw_run *run, uint32_t outer, uint32_t context, uint32_t *out, ps_error *err);

/* The context of a sample that was taken at address[0], in functions whose calls return to the others. */
ps_status ps_raw_run_sample(ps_raw_run *run, uint32_t process, uint64_t ticks, const uint64_t *address,
                            uint32_t n, uint32_t *out, ps_error *err);

/* teams.c: which threads take part in parallel regions, by process and the region's number, and when they
 * were joined. */
ps_status ps_raw_run_teams(ps_raw_run *run, ps_error *err);
uint32_t ps_raw_run_team_size(const ps_raw_run *run, uint32_t process, uint64_t region);
/* The number of its team in `teams`, which gets it now if nobody asked before. */
ps_status ps_raw_run_team(ps_raw_run *run, uint32_t process, uint64_t region, uint32_t *out, ps_error *err);
/* On the process's clock; 0: never. */
uint64_t ps_raw_run_joined(const ps_raw_run *run, uint32_t process, uint64_t region);

#endif
