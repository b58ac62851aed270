/* tracegen.h - tests write the OTF2 archive that they expect something of, with the constants they expect.
 *
 * A generator holds the archive's writers; definitions are gathered on the way and written by ps_gen_close().
 * Times are ticks since the trace's start (nanoseconds at the default resolution); each location must be
 * written in its own order, locations in any. Everything that fails aborts with a message: a test has no use
 * for a half-written trace. Defects that the library refuses to write are put in afterwards. */
#ifndef PS_TESTS_TRACEGEN_H
#define PS_TESTS_TRACEGEN_H

#include <otf2/otf2.h>
#include <stddef.h>
#include <stdint.h>

typedef struct ps_gen ps_gen;

enum { PS_GEN_WORLD = 0 }; /* the communicator of all ranks */

typedef enum ps_gen_style {
        PS_GEN_SCOREP, /* paradigms, roles, corrected clocks; anchor traces.otf2, creator "Score-P 8.4" */
        PS_GEN_EZTRACE /* anchor eztrace_log.otf2, no creator; every region USER/FUNCTION and defined once a
                        * rank, two of its own with them; group 0 defined twice; definitions out of order;
                        * empty local ones; "2 events" promised for each location; skewed clocks stay so */
} ps_gen_style;

typedef struct ps_gen_options {
        uint32_t ranks;      /* 0: 1 */
        uint32_t threads;    /* locations of each rank; 0: 1 */
        uint64_t resolution; /* ticks per second; 0: 1e9 */
        uint64_t start;      /* tick of the trace's start; 0: 1e9 */
        ps_gen_style style;
        int mapped;           /* Score-P style: locations use ids of their own, with mapping tables */
        int fortran;          /* MPI_Send is recorded as mpi_send_ */
        const int64_t *skew;  /* by rank: how far its clock is ahead, in ticks. Score-P style writes the
                               * offsets that correct it, EZTrace style does not. NULL: none */
        uint64_t chunk_bytes; /* of event files; 0: 256 KiB */
        OTF2_Paradigm pgas;   /* the ranks are threads of UPC, PEs of SHMEM, ...: with several threads each of
                               * them is   a member of the world, rank by rank; 0: MPI */
        uint32_t nodes;       /* machines that the ranks are spread over in blocks; 0: 1 */
        const char *creator;  /* what the anchor says wrote it; NULL: that of the style */
} ps_gen_options;

/* `path`: the archive's folder, which must not exist; NULL: a temporary one that ps_gen_free removes. */
ps_gen *ps_gen_new(const char *path, ps_gen_options options);
/* Writes the definitions and closes the archive; from then on only paths and defects. */
void ps_gen_close(ps_gen *g);
void ps_gen_free(ps_gen *g); /* closes first if needed */

/* Thread `thread` of `rank`. Thread 0's location is the rank's own number. */
uint32_t ps_gen_at(const ps_gen *g, uint32_t rank, uint32_t thread);

#define PS_GEN_US(n) ((uint64_t)(n)*1000)
#define PS_GEN_MS(n) ((uint64_t)(n)*1000000)

/* Definitions. All give the id that events use. */
uint32_t ps_gen_region(ps_gen *g, const char *name, const char *file, uint32_t line);
void ps_gen_describe(ps_gen *g, uint32_t region, const char *description);
uint32_t ps_gen_comm(ps_gen *g, const char *name, const uint32_t *ranks, uint32_t n);
uint32_t ps_gen_self(ps_gen *g); /* one MPI_COMM_SELF that all ranks share; a new one each time */
uint32_t ps_gen_intercomm(ps_gen *g, const char *name, const uint32_t *a, uint32_t n_a, const uint32_t *b,
                          uint32_t n_b);
uint32_t ps_gen_team(ps_gen *g, const char *name, const uint32_t *locations, uint32_t n);
uint32_t ps_gen_group(ps_gen *g, const uint32_t *ranks, uint32_t n); /* for RMA_GROUP_SYNC */
/* A property of a process, with a text for its value. */
void ps_gen_property(ps_gen *g, uint32_t rank, const char *name, const char *text);
/* Of the communicator, that `rank` gets data from others: "1 3". */
void ps_gen_neighbours(ps_gen *g, uint32_t comm, uint32_t rank, const char *others);
uint32_t ps_gen_window(ps_gen *g, const char *name, uint32_t comm);
uint32_t ps_gen_parameter(ps_gen *g, const char *name);
/* `region` as called from `parent` (OTF2_UNDEFINED_CALLING_CONTEXT: outermost); its own code is at file:line,
 * file NULL: unknown. */
uint32_t ps_gen_context(ps_gen *g, uint32_t parent, const char *region, const char *file, uint32_t line);
void ps_gen_location_type(ps_gen *g, uint32_t loc, OTF2_LocationType type);
/* What the definitions promise as the location's number of events, instead of the truth. */
void ps_gen_promise(ps_gen *g, uint32_t loc, uint64_t n_events);
/* A clock offset of one's own: with the first one the location loses those of its style. Local ticks. */
void ps_gen_clock_offset(ps_gen *g, uint32_t loc, uint64_t time, int64_t offset);
/* Called with the writer of the global definitions after all others were written: defects, rare records. */
void ps_gen_more_defs(ps_gen *g, void (*write)(OTF2_GlobalDefWriter *w, void *ctx), void *ctx);
uint32_t ps_gen_string(ps_gen *g, const char *text);

/* Records. One of them, at any time. */
typedef enum ps_gen_kind {
#define PS_GEN_REC(id, ...)  PS_GEN_R_##id,
#define PS_GEN_REC0(id, ...) PS_GEN_R_##id,
#include "tests/support/tracegen.def"
#undef PS_GEN_REC
#undef PS_GEN_REC0
} ps_gen_kind;

typedef struct ps_gen_rec { /* what is used: see tracegen.def */
        ps_gen_kind kind;
        uint32_t peer, comm, tag, ref;
        uint64_t bytes, received, request;
        uint8_t op; /* OTF2_CollectiveOp, OTF2_LockType, OTF2_RmaAtomicType, OTF2_Paradigm, ... */
} ps_gen_rec;

#define PS_GEN_REC_OF(kind_, ...) ((ps_gen_rec){.kind = PS_GEN_R_##kind_, __VA_ARGS__})

void ps_gen_put(ps_gen *g, uint32_t loc, uint64_t time, ps_gen_rec rec);
/* The next record of `loc` gets the place of its call as an attribute. */
void ps_gen_site(ps_gen *g, uint32_t loc, const char *file, uint32_t line);
/* The next record of `loc` gets an attribute of PGAS calls: "UPC_IN_SYNC", "UPC_OUT_SYNC"; "ROOT", "LOCK_ID".
 */
void ps_gen_hint_text(ps_gen *g, uint32_t loc, const char *name, const char *text);
void ps_gen_hint(ps_gen *g, uint32_t loc, const char *name, uint64_t value);
OTF2_EvtWriter *ps_gen_writer(ps_gen *g, uint32_t loc); /* for what is not foreseen here; raw local ticks */

/* Regions are defined at their first use: MPI_* as calls of MPI with their role, "!$omp ..." of OpenMP,
 * pthread_*, upc_*, shmem_*, the rest as functions of the program in no file. */
void ps_gen_enter(ps_gen *g, uint32_t loc, uint64_t time, const char *region);
void ps_gen_leave(ps_gen *g, uint32_t loc, uint64_t time, const char *region);
void ps_gen_visit(ps_gen *g, uint32_t loc, uint64_t begin, uint64_t end, const char *region);

/* Paths, borrowed until the next call: tests/support/damage.h breaks what is there once it is closed. */
const char *ps_gen_anchor(ps_gen *g);
const char *ps_gen_events_file(ps_gen *g, uint32_t loc);
const char *ps_gen_defs_file(ps_gen *g, uint32_t loc);
const char *ps_gen_global_defs_file(ps_gen *g);

/* Gives the records of `loc` that stand at `time` another time: a clock that runs backward. */
void ps_gen_retime(ps_gen *g, uint32_t loc, uint64_t time, uint64_t new_time);

#include "tests/support/tracegen_calls.h"

#endif
