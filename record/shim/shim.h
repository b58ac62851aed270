/* shim.h - the library that is loaded before a program's MPI: what its wrappers call.
 *
 * It is compiled once for each MPI. A wrapper begins a row, notes what is known before the call, calls the
 * library, notes what is known then, and ends the row. Only the outermost call of a thread is recorded: what
 * an MPI calls of itself - a Fortran function the C one - is none of the program's. */
#ifndef PS_RECORD_SHIM_H
#define PS_RECORD_SHIM_H

#include "record/raw/raw.h"

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

typedef struct ps_site_slot {
        const void *caller; /* NULL: free */
        uint32_t what, id;  /* what: the function, and the site around it */
} ps_site_slot;

/* Where a thread is: an address in a function, and the registers that say where its frame is. */
typedef struct ps_shim_frame {
        uintptr_t pc, stack, frame;
} ps_shim_frame;

typedef struct ps_comm_info {
        uint32_t id;
        int rank, size, remote; /* remote 0: an intracommunicator */
} ps_comm_info;

typedef enum ps_request_kind {
        PS_REQUEST_SEND,
        PS_REQUEST_RECV,
        PS_REQUEST_COLL,
        PS_REQUEST_COMM,
        PS_REQUEST_RMA
} ps_request_kind;

/* An operation between the call that starts it and the one that completes it. */
typedef struct ps_request {
        struct ps_request *next;
        MPI_Request handle;
        uint64_t id, place;                     /* place: how many were started until it was */
        uint64_t field[PS_RAW_FIELDS_MOST - 1]; /* of the note that it begins or ends with, but for the id */
        MPI_Comm parent;                        /* of a communicator that is made */
        void *made;                             /* where its handle will be */
        uint8_t kind, is_persistent, is_active, is_cancelled, is_fortran;
} ps_request;

enum { PS_COMM_CACHE = 16 };

/* A file that grows, of which the last part is mapped. */
typedef struct ps_shim_map {
        uint8_t *base;         /* NULL: nothing is */
        uint64_t offset, size; /* of that part in the file, of the file */
} ps_shim_map;

typedef struct ps_thread {
        uint8_t *at, *end; /* where the next byte goes, and how far it may */
        ps_raw_row *row;   /* the open one */
        uint8_t *awaits;   /* its note of what it waits for, the last one before the call; or NULL */
        uint32_t depth;    /* of wrappers */
        uint32_t n_slots, n_sites;
        ps_site_slot *sites;
        uint32_t epoch;        /* of the files with code that the sites and rules are of */
        struct ps_rule *rules; /* of unwind.c; NULL: none */
        uintptr_t stack_end;
        ps_request pending; /* started by the call at work */
        uint64_t n_started; /* requests, when the call at work was entered */
        uint32_t comms_age; /* of the cache */
        struct {
                MPI_Comm comm;
                ps_comm_info info;
        } comms[PS_COMM_CACHE];
        /* What stands in for arguments. */
        MPI_Request *requests;
        MPI_Status *statuses;
        size_t requests_cap, statuses_cap;
        /* The file. */
        ps_shim_map map;
        ps_raw_head *head;
        bool is_open, is_closed, is_dropped; /* dropped: the row at work is outside of --from and --for */
} ps_thread;

/* -- recorder.c: rows -- */

uint64_t ps_shim_now(void);
/* Opens a row for the call; NULL: nothing is to be recorded of it. */
ps_thread *ps_shim_begin(uint32_t function, const void *caller);
void ps_shim_enter(ps_thread *t);
void ps_shim_note(ps_thread *t, ps_raw_note note, const uint64_t *fields);
/* Closes the row; `leave` is taken before the notes of what the call gave. */
void ps_shim_end(ps_thread *t, uint64_t leave);
/* Ends a call for which there was no row. */
void ps_shim_skip(void);
bool ps_shim_is_nested(void); /* in another call of this thread */
#define PS_SHIM_NOTE(t, note, ...) ps_shim_note((t), PS_RAW_##note, (const uint64_t[]){__VA_ARGS__})

/* The recording begins; the call that began it has taken from `enter` until now. And ends. */
void ps_shim_start(int level, uint32_t function, const void *caller, uint64_t enter);
void ps_shim_finish(void);

/* No more rows are begun. */
void ps_shim_stop(void);
/* Around what all threads share. */
void ps_shim_lock(void);
void ps_shim_unlock(void);
/* `rows` is the address of a pointer to rows of `size` bytes: makes room for `n` of them. 0; -1: no memory.
 */
int ps_shim_room(void *rows, size_t *cap, size_t n, size_t size);

/* -- file.c: where rows and definitions go -- */

/* Maps the file from `keep` on, with room for `step` more bytes behind its end; a map of nothing makes it.
 * `has_archive`: something as long will be made of it. After a failure the map is as it was. */
ps_raw_end ps_shim_map_more(ps_shim_map *map, const char *path, uint64_t keep, uint64_t step,
                            bool has_archive);
/* Where in the file `at` is. */
uint64_t ps_shim_map_place(const ps_shim_map *map, const void *at);
void ps_shim_unmap(ps_shim_map *map);
/* The same, and the file ends at `end`. */
void ps_shim_map_close(ps_shim_map *map, const char *path, const void *end, bool has_archive);

typedef struct ps_shim_files {
        char folder[3072];
        int rank;
        uint64_t step, most, used; /* files grow by so much, up to that together; 0: as they can */
} ps_shim_files;
ps_raw_end ps_shim_files_open(ps_thread *t, const ps_shim_files *files, uint32_t thread);
/* Room for `bytes` more; 0: there is none, and the reason stands in the file's head. */
bool ps_shim_files_grow(ps_thread *t, ps_shim_files *files, size_t bytes, uint64_t now);
void ps_shim_files_close(ps_thread *t, const ps_shim_files *files);

/* -- definitions.c -- */
bool ps_shim_definitions_open(const ps_shim_files *files);
/* A line of the process's definitions. */
void ps_shim_define(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Why rows are missing that have no head to tell it. */
void ps_shim_cut(ps_raw_end why);
void ps_shim_definitions_close(void);
void ps_shim_definitions_forget(void); /* in a child */

/* -- sites.c -- */
enum { PS_SHIM_FRAME = 1023, PS_SHIM_NOWHERE = UINT32_MAX };
/* The number of a call, of a function of MPI or (PS_SHIM_FRAME) of another one, that returns to `caller`,
 * below the site `outer`, or PS_SHIM_NOWHERE. */
uint32_t ps_shim_site_in(ps_thread *t, uint32_t function, const void *caller, uint32_t outer);
/* The same, below those that the thread is in. */
uint32_t ps_shim_site(ps_thread *t, uint32_t function, const void *caller);
void ps_shim_sites_unwind(uint32_t most); /* that many functions around each call */
extern const char *const ps_shim_functions[];

/* -- unwind.c: the stack of a thread -- */
bool ps_shim_unwind_open(ps_thread *t);
void ps_shim_unwind_close(ps_thread *t);
void ps_shim_unwind_forget(ps_thread *t); /* which files are loaded has changed */
/* To where the call that returns to `caller` was made; 0: unknown. */
bool ps_shim_unwind_to(ps_thread *t, const void *caller, ps_shim_frame *out);
/* To the caller; 0: there is none. `is_exact`: the frame's address is not that which a call returns to. */
bool ps_shim_unwind_step(ps_thread *t, ps_shim_frame *frame, bool is_exact);

/* -- clock.c -- */
uint64_t ps_shim_monotonic(void);
bool ps_shim_clock_is_tsc(void);
/* A pair of ticks and nanoseconds, one that is as good as can be. */
void ps_shim_clock_read(uint64_t *ticks, uint64_t *ns);
/* Defines such a pair, and says when the next one is due. */
uint64_t ps_shim_clock_pair(void);
/* Names the clock, the same in all processes that share it. */
uint64_t ps_shim_clock_name(void);
/* Offsets to the clock of rank 0: nothing as long as ps_shim_clocks_find has found only one. */
void ps_shim_clocks_find(void);
void ps_shim_clocks_compare(void);

/* -- comms.c: communicators and groups -- */
void ps_shim_comms_start(void);
ps_comm_info ps_shim_comm(ps_thread *t, MPI_Comm comm);
void ps_shim_comm_made(ps_thread *t, const char *how, MPI_Comm parent, MPI_Comm made, int tag);
void ps_shim_comm_gone(ps_thread *t, MPI_Comm comm);
uint32_t ps_shim_group(MPI_Group group);

/* -- sizes.c -- */
uint64_t ps_shim_bytes(int count, MPI_Datatype type);
uint64_t ps_shim_bytes_all(const int *counts, MPI_Datatype type, int n);
uint64_t ps_shim_bytes_types(const int *counts, const MPI_Datatype *types, int n);
uint64_t ps_shim_received(const MPI_Status *status);

/* -- messages.c -- */
void ps_shim_send(ps_thread *t, int to, int tag, MPI_Comm comm, uint64_t bytes);
/* Before a call that waits for a message: all that is known of it if it never ends. */
void ps_shim_awaits(ps_thread *t, int from, MPI_Comm comm);
void ps_shim_recv(ps_thread *t, MPI_Comm comm, const MPI_Status *status);
void ps_shim_isend(ps_thread *t, int to, int tag, MPI_Comm comm, uint64_t bytes);
void ps_shim_irecv(ps_thread *t, int from, MPI_Comm comm);
void ps_shim_send_init(ps_thread *t, int to, int tag, MPI_Comm comm, uint64_t bytes);
void ps_shim_recv_init(ps_thread *t, int from, MPI_Comm comm);
void ps_shim_probed(MPI_Message message, MPI_Comm comm);
MPI_Comm ps_shim_probed_on(MPI_Message message);

/* -- requests.c -- */
/* What the call at work starts, t->pending, has this handle. */
void ps_shim_started(ps_thread *t, MPI_Request handle);
void ps_shim_restart(ps_thread *t, MPI_Request handle);
void ps_shim_done(ps_thread *t, MPI_Request handle, const MPI_Status *status);
void ps_shim_cancel(MPI_Request handle);
void ps_shim_forget(MPI_Request handle);
uint64_t ps_shim_started_so_far(void);
uint64_t ps_shim_next_id(void);

/* -- collectives.c -- */
void ps_shim_coll(ps_thread *t, int operation, MPI_Comm comm, int root, uint64_t sent, uint64_t received);
void ps_shim_icoll(ps_thread *t, int operation, MPI_Comm comm, int root, uint64_t sent, uint64_t received);
void ps_shim_idup(ps_thread *t, MPI_Comm comm, void *made, bool is_fortran);
bool ps_shim_is_root(ps_thread *t, MPI_Comm comm, int root);
/* How many each process of it exchanges with. */
int ps_shim_width(ps_thread *t, MPI_Comm comm);
int ps_shim_neighbours(MPI_Comm comm, bool in);

/* -- windows.c -- */
void ps_shim_win_made(ps_thread *t, MPI_Comm comm, MPI_Win win, int operation);
void ps_shim_win_gone(ps_thread *t, MPI_Win win);
void ps_shim_win_coll(ps_thread *t, int operation, MPI_Win win);
/* Epochs with a group: exposure (Post, Wait), or access (Start, Complete). */
void ps_shim_win_begin(ps_thread *t, MPI_Win win, MPI_Group group, bool is_exposure);
void ps_shim_win_end(ps_thread *t, MPI_Win win, bool is_exposure);
void ps_shim_win_lock(ps_thread *t, MPI_Win win, int target, bool is_shared);
void ps_shim_win_unlock(ps_thread *t, MPI_Win win, int target);
/* Transfers to `target`, or to all, have ended. */
void ps_shim_win_flush(ps_thread *t, MPI_Win win, int target);
void ps_shim_put(ps_thread *t, MPI_Win win, int target, uint64_t bytes);
void ps_shim_get(ps_thread *t, MPI_Win win, int target, uint64_t bytes);
void ps_shim_atomic(ps_thread *t, MPI_Win win, int target, int operation, uint64_t sent, uint64_t received);
enum { PS_SHIM_ALL = -100 }; /* targets */

/* -- fortran.c -- */
typedef void ps_shim_function(void);
ps_shim_function *ps_shim_next(const char *name);
bool ps_shim_is_ignored(const void *status); /* MPI_STATUS(ES)_IGNORE, in whatever language */
bool ps_shim_is_in_place(const void *buffer);

#endif
