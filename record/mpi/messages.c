/* messages.c - what calls send and receive. Nothing is sent to, or comes from,
 * MPI_PROC_NULL. */
#include "record/mpi/calls.h"

#include <string.h>

void ps_shim_send(ps_thread *t, int to, int tag, MPI_Comm comm, uint64_t bytes)
{
        if (to != MPI_PROC_NULL)
                PS_SHIM_NOTE(t, SEND, (uint64_t)to, ps_shim_comm(comm).id, (uint64_t)tag, bytes);
}

/* Sources as notes have them. */
static uint64_t source_of(int from)
{
        return from < 0 ? 0 : (uint64_t)from + 1;
}

void ps_shim_awaits(ps_thread *t, int from, MPI_Comm comm)
{
        if (from == MPI_PROC_NULL || comm == MPI_COMM_NULL)
                return;
        t->awaits = t->at;
        PS_SHIM_NOTE(t, AWAITS, source_of(from), ps_shim_comm(comm).id);
}

/* The message has come, and is noted with all that is known now. */
static void drop_awaits(ps_thread *t)
{
        if (!t->awaits)
                return;
        memset(t->awaits, 0, (size_t)(t->at - t->awaits));
        t->at = t->awaits;
        t->awaits = NULL;
}

void ps_shim_recv(ps_thread *t, MPI_Comm comm, const MPI_Status *status)
{
        drop_awaits(t);
        if (status->MPI_SOURCE >= 0 && comm != MPI_COMM_NULL)
                PS_SHIM_NOTE(t, RECV, (uint64_t)status->MPI_SOURCE, ps_shim_comm(comm).id,
                             (uint64_t)status->MPI_TAG, ps_shim_received(status));
}

/* What is pending becomes a request once the call gives its handle; without a
 * partner there is none. */
static void begin_request(ps_request_kind kind)
{
        ps_call.pending = (ps_request){.kind = (uint8_t)kind, .id = ps_shim_next_id(), .is_active = 1};
}

void ps_shim_isend(ps_thread *t, int to, int tag, MPI_Comm comm, uint64_t bytes)
{
        begin_request(PS_REQUEST_SEND);
        if (to == MPI_PROC_NULL)
                ps_call.pending.id = 0;
        else
                PS_SHIM_NOTE(t, ISEND, (uint64_t)to, ps_shim_comm(comm).id, (uint64_t)tag, bytes,
                             ps_call.pending.id);
}

void ps_shim_irecv(ps_thread *t, int from, MPI_Comm comm)
{
        begin_request(PS_REQUEST_RECV);
        if (from == MPI_PROC_NULL || comm == MPI_COMM_NULL) {
                ps_call.pending.id = 0;
                return;
        }
        ps_call.pending.field[1] = ps_shim_comm(comm).id;
        ps_call.pending.field[0] = source_of(from);
        PS_SHIM_NOTE(t, IRECV_POST, ps_call.pending.id, ps_call.pending.field[0], ps_call.pending.field[1]);
}

/* The request is that of the receive, and of the send where nothing is received. */
void ps_shim_isendrecv(ps_thread *t, int to, int sent_tag, uint64_t bytes, int from, int tag, uint64_t most,
                       MPI_Comm comm)
{
        ps_shim_isend(t, to, sent_tag, comm, bytes);
        ps_request sent = ps_call.pending;
        ps_shim_irecv(t, from, comm);
        if (!ps_call.pending.id) {
                ps_call.pending = sent;
                return;
        }
        ps_call.pending.kind = from >= 0 && tag != MPI_ANY_TAG ? PS_REQUEST_GIVEN : PS_REQUEST_RECV;
        ps_call.pending.field[2] = (uint64_t)tag;
        ps_call.pending.field[3] = most;
        ps_call.pending.sent = sent.id;
}

void ps_shim_send_init(int to, int tag, MPI_Comm comm, uint64_t bytes)
{
        ps_call.pending = (ps_request){.kind = PS_REQUEST_SEND,
                                       .id = to != MPI_PROC_NULL,
                                       .is_persistent = 1,
                                       .field = {(uint64_t)to, ps_shim_comm(comm).id, (uint64_t)tag, bytes}};
}

void ps_shim_recv_init(int from, MPI_Comm comm)
{
        ps_call.pending = (ps_request){.kind = PS_REQUEST_RECV,
                                       .id = from != MPI_PROC_NULL,
                                       .is_persistent = 1,
                                       .field = {source_of(from), ps_shim_comm(comm).id}};
}

void ps_shim_precv_init(int from, int tag, MPI_Comm comm, uint64_t bytes)
{
        ps_shim_recv_init(from, comm);
        ps_call.pending.kind = PS_REQUEST_GIVEN;
        ps_call.pending.field[2] = (uint64_t)tag;
        ps_call.pending.field[3] = bytes;
}

/* -- messages that were probed for: their status does not tell the communicator
 * -- */

enum { PROBED_MOST = 1024 };

static struct {
        MPI_Message message;
        MPI_Comm comm;
} probed[PROBED_MOST];
static unsigned n_probed;

void ps_shim_probed(MPI_Message message, MPI_Comm comm)
{
        ps_shim_lock();
        if (message != MPI_MESSAGE_NULL && message != MPI_MESSAGE_NO_PROC && n_probed < PROBED_MOST) {
                probed[n_probed].message = message;
                probed[n_probed++].comm = comm;
        }
        ps_shim_unlock();
}

MPI_Comm ps_shim_probed_on(MPI_Message message)
{
        MPI_Comm comm = MPI_COMM_NULL;
        ps_shim_lock();
        for (unsigned i = n_probed; i-- > 0 && comm == MPI_COMM_NULL;)
                if (probed[i].message == message) {
                        comm = probed[i].comm;
                        probed[i] = probed[--n_probed];
                }
        ps_shim_unlock();
        return comm;
}
