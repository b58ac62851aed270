/* requests.c - operations between start and completion, by the handle of their
 * request.
 *
 * A library may give a handle again as soon as it is free, to another thread
 * before this one has taken its row out. Of several rows with one handle a call
 * means the newest that was there when it was entered: what came later got the
 * handle back from it. */
#include "record/mpi/calls.h"

enum { BUCKET_BITS = 12, BUCKETS = 1 << BUCKET_BITS };

__thread ps_call_state ps_call;

static struct {
        ps_request *bucket[BUCKETS];
        ps_request *unused;
        uint64_t last_id, n_started;
} requests;

uint64_t ps_shim_next_id(void)
{
        return __atomic_add_fetch(&requests.last_id, 1, __ATOMIC_RELAXED);
}

uint64_t ps_shim_started_so_far(void)
{
        return __atomic_load_n(&requests.n_started, __ATOMIC_ACQUIRE);
}

static ps_request **bucket_of(MPI_Request handle)
{
        uint64_t key = (uint64_t)(uintptr_t)handle;
        return &requests.bucket[(key * 0x9E3779B97F4A7C15U) >> (64 - BUCKET_BITS)];
}

/* The place of the newest row of the first `known` that were started; of NULL
 * when there is none. */
static ps_request **find_request(MPI_Request handle, uint64_t known)
{
        ps_request **found = NULL, **at = bucket_of(handle);
        for (; *at; at = &(*at)->next)
                if ((*at)->handle == handle && (*at)->place <= known)
                        found = at;
        return found ? found : at;
}

void ps_shim_started(MPI_Request handle)
{
        if (!ps_call.pending.id || handle == MPI_REQUEST_NULL)
                return;
        ps_shim_lock();
        ps_request *row = requests.unused, **at = bucket_of(handle);
        if (row)
                requests.unused = row->next;
        else
                row = malloc(sizeof(*row));
        while (*at)
                at = &(*at)->next;
        if (row) {
                *row = ps_call.pending;
                row->handle = handle;
                row->next = NULL;
                row->place = __atomic_add_fetch(&requests.n_started, 1, __ATOMIC_RELEASE);
                *at = row;
        }
        ps_shim_unlock();
}

/* Takes the row of the handle; one of a persistent request stays, and is no
 * longer active. `id` 0: none. */
static ps_request take_request(MPI_Request handle, uint64_t known, bool for_good)
{
        ps_request found = {0};
        ps_shim_lock();
        ps_request **at = find_request(handle, known), *row = *at;
        if (row) {
                found = *row;
                row->is_active = row->is_cancelled = false;
        }
        if (row && (for_good || !row->is_persistent)) {
                *at = row->next;
                row->next = requests.unused;
                requests.unused = row;
        }
        ps_shim_unlock();
        return found;
}

void ps_shim_restart(ps_thread *t, MPI_Request handle)
{
        ps_request started = {0};
        ps_shim_lock();
        ps_request *row = *find_request(handle, UINT64_MAX);
        if (row && row->id) {
                row->id = ps_shim_next_id();
                row->is_active = true;
                started = *row;
        }
        ps_shim_unlock();
        if (started.id && started.kind == PS_REQUEST_SEND)
                PS_SHIM_NOTE(t, ISEND, started.field[0], started.field[1], started.field[2], started.field[3],
                             started.id);
        else if (started.id && started.kind == PS_REQUEST_COLL)
                PS_SHIM_NOTE(t, NBC_POST, started.id);
        else if (started.id)
                PS_SHIM_NOTE(t, IRECV_POST, started.id, started.field[0], started.field[1]);
}

static MPI_Comm made_by(const ps_request *row)
{
#ifndef PS_MPI_ABI
        if (row->is_fortran)
                return PMPI_Comm_f2c(*(const MPI_Fint *)row->made);
#endif
        return *(const MPI_Comm *)row->made;
}

static void end_coll(ps_thread *t, const ps_request *row)
{
        const uint64_t *f = row->field;
        PS_SHIM_NOTE(t, NBC_DONE, f[0], f[1], f[2], f[3], f[4], row->id);
        if (row->kind == PS_REQUEST_COMM)
                ps_shim_comm_made(t, "idup", row->parent, made_by(row), 0);
}

static bool was_cancelled(const ps_request *row, const MPI_Status *status)
{
        int cancelled = 0;
        if (row->is_cancelled)
                PMPI_Test_cancelled(status, &cancelled);
        return cancelled;
}

static void end_recv(ps_thread *t, const ps_request *row, const MPI_Status *status)
{
        PS_SHIM_NOTE(t, IRECV, (uint64_t)status->MPI_SOURCE, row->field[1], (uint64_t)status->MPI_TAG,
                     ps_shim_received(status), row->id);
}

static void end_given(ps_thread *t, const ps_request *row, const MPI_Status *status)
{
        const uint64_t *f = row->field;
        bool is_told = (uint64_t)status->MPI_SOURCE == f[0] - 1 && (uint64_t)status->MPI_TAG == f[2];
        PS_SHIM_NOTE(t, IRECV, f[0] - 1, f[1], f[2], is_told ? ps_shim_received(status) : f[3], row->id);
}

static void end_request(ps_thread *t, const ps_request *row, const MPI_Status *status)
{
        const uint64_t *f = row->field;
        if (row->sent)
                PS_SHIM_NOTE(t, ISEND_DONE, row->sent);
        switch ((ps_request_kind)row->kind) {
        case PS_REQUEST_SEND:
                PS_SHIM_NOTE(t, ISEND_DONE, row->id);
                break;
        case PS_REQUEST_RECV:
                end_recv(t, row, status);
                break;
        case PS_REQUEST_GIVEN:
                end_given(t, row, status);
                break;
        case PS_REQUEST_RMA:
                PS_SHIM_NOTE(t, RMA_DONE, f[0], row->id);
                break;
        default:
                end_coll(t, row);
        }
}

void ps_shim_done(ps_thread *t, MPI_Request handle, const MPI_Status *status)
{
        if (handle == MPI_REQUEST_NULL)
                return;
        ps_request row = take_request(handle, ps_call.n_started, 0);
        if (!row.id || !row.is_active)
                return;
        if (was_cancelled(&row, status))
                PS_SHIM_NOTE(t, CANCELLED, row.id);
        else
                end_request(t, &row, status);
}

void ps_shim_cancel(MPI_Request handle)
{
        ps_shim_lock();
        ps_request *row = *find_request(handle, UINT64_MAX);
        if (row)
                row->is_cancelled = true;
        ps_shim_unlock();
}

/* Before the call, so that the newest row is the handle's. */
void ps_shim_forget(MPI_Request handle)
{
        take_request(handle, UINT64_MAX, 1);
}
