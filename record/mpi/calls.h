/* calls.h - what the wrappers of MPI's calls note: messages, requests,
 * communicators, windows. */
#ifndef PS_RECORD_MPI_CALLS_H
#define PS_RECORD_MPI_CALLS_H

#include "record/shim/shim.h"

#include <mpi.h>

typedef struct ps_comm_info {
        uint32_t id;
        int rank, size, remote; /* remote 0: an intracommunicator */
} ps_comm_info;

typedef enum ps_request_kind {
        PS_REQUEST_SEND,
        PS_REQUEST_RECV,
        PS_REQUEST_COLL,
        PS_REQUEST_COMM,
        PS_REQUEST_GIVEN, /* a receive of which source and tag are known, lest the status does not tell them
                           */
        PS_REQUEST_RMA
} ps_request_kind;

/* An operation between the call that starts it and the one that completes it.
 */
typedef struct ps_request {
        struct ps_request *next;
        MPI_Request handle;
        uint64_t id, place;                     /* place: how many were started until it was */
        uint64_t sent;                          /* of a receive that is a send, too: the id of that; or 0 */
        uint64_t field[PS_RAW_FIELDS_MOST - 1]; /* of the note that it begins or ends
                                                   with, but for the id */
        MPI_Comm parent;                        /* of a communicator that is made */
        void *made;                             /* where its handle will be */
        uint8_t kind, is_persistent, is_active, is_cancelled, is_fortran;
} ps_request;

enum { PS_COMM_CACHE = 16 };

/* Of this thread. */
typedef struct ps_call_state {
        ps_request pending; /* started by the call at work */
        uint64_t n_started; /* requests, when the call at work was entered */
        uint32_t comms_age; /* of the cache */
        struct {
                MPI_Comm comm;
                ps_comm_info info;
        } comms[PS_COMM_CACHE];
} ps_call_state;
extern __thread ps_call_state ps_call __attribute__((tls_model("initial-exec")));

/* -- clocks.c -- */
/* Offsets to the clock of rank 0: nothing as long as ps_shim_clocks_find has
 * found only one. */
void ps_shim_clocks_find(void);
void ps_shim_clocks_compare(void);

/* -- comms.c: communicators and groups -- */
void ps_shim_comms_start(void);
ps_comm_info ps_shim_comm(MPI_Comm comm);
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
/* Before a call that waits for a message: all that is known of it if it never
 * ends. */
void ps_shim_awaits(ps_thread *t, int from, MPI_Comm comm);
void ps_shim_recv(ps_thread *t, MPI_Comm comm, const MPI_Status *status);
void ps_shim_isend(ps_thread *t, int to, int tag, MPI_Comm comm, uint64_t bytes);
/* One request for both. */
void ps_shim_isendrecv(ps_thread *t, int to, int sent_tag, uint64_t bytes, int from, int tag, uint64_t most,
                       MPI_Comm comm);
void ps_shim_irecv(ps_thread *t, int from, MPI_Comm comm);
void ps_shim_send_init(int to, int tag, MPI_Comm comm, uint64_t bytes);
void ps_shim_recv_init(int from, MPI_Comm comm);
void ps_shim_precv_init(int from, int tag, MPI_Comm comm, uint64_t bytes);
void ps_shim_probed(MPI_Message message, MPI_Comm comm);
MPI_Comm ps_shim_probed_on(MPI_Message message);

/* -- requests.c -- */
/* What the call at work starts, ps_call.pending, has this handle. */
void ps_shim_started(MPI_Request handle);
void ps_shim_restart(ps_thread *t, MPI_Request handle);
void ps_shim_done(ps_thread *t, MPI_Request handle, const MPI_Status *status);
void ps_shim_cancel(MPI_Request handle);
void ps_shim_forget(MPI_Request handle);
uint64_t ps_shim_started_so_far(void);
uint64_t ps_shim_next_id(void);

/* -- collectives.c -- */
void ps_shim_coll(ps_thread *t, int operation, MPI_Comm comm, int root, uint64_t sent, uint64_t received);
void ps_shim_icoll(ps_thread *t, int operation, MPI_Comm comm, int root, uint64_t sent, uint64_t received);
void ps_shim_coll_init(int operation, MPI_Comm comm, int root, uint64_t sent, uint64_t received);
void ps_shim_idup(ps_thread *t, MPI_Comm comm, void *made, bool is_fortran);
bool ps_shim_is_root(MPI_Comm comm, int root);
/* How many each process of it exchanges with. */
int ps_shim_width(MPI_Comm comm);
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
bool ps_shim_is_ignored(const void *status); /* MPI_STATUS(ES)_IGNORE, in whatever language */
bool ps_shim_is_in_place(const void *buffer);

#endif
