/* windows.c - one-sided communication: windows by numbers of the process's own, and transfers that are under
 * way until a call completes them. */
#include "record/mpi/calls.h"

typedef struct window {
        MPI_Win win;
        uint32_t id;
        uint32_t group[2]; /* of the epoch of access, of exposure */
} window;

typedef struct transfer {
        uint64_t window, id;
        int target;
} transfer;

static struct {
        window *row;
        size_t n, cap;
        transfer *transfers;
        size_t n_transfers, transfers_cap;
        uint32_t last_id;
} windows;

/* Under the lock. NULL: it is not known. */
static window *find_window(MPI_Win win)
{
        for (size_t i = 0; i < windows.n; i++)
                if (windows.row[i].win == win)
                        return &windows.row[i];
        return NULL;
}

static uint64_t id_of(MPI_Win win)
{
        ps_shim_lock();
        const window *row = find_window(win);
        uint64_t id = row ? row->id : UINT32_MAX;
        ps_shim_unlock();
        return id;
}

void ps_shim_win_made(ps_thread *t, MPI_Comm comm, MPI_Win win, int operation)
{
        uint32_t id = 0, comm_id = ps_shim_comm(comm).id;
        ps_shim_lock();
        if (ps_shim_room(&windows.row, &windows.cap, windows.n + 1, sizeof(*windows.row)) == 0) {
                id = windows.last_id++;
                windows.row[windows.n++] = (window){win, id, {0, 0}};
                ps_shim_define("window %u %u\n", id, comm_id);
        }
        ps_shim_unlock();
        PS_SHIM_NOTE(t, WIN_CREATE, id);
        ps_shim_win_coll(t, operation, win);
}

void ps_shim_win_gone(ps_thread *t, MPI_Win win)
{
        PS_SHIM_NOTE(t, WIN_DESTROY, id_of(win));
        ps_shim_win_coll(t, PS_RAW_OP_DESTROY, win);
        ps_shim_lock();
        window *row = find_window(win);
        if (row)
                *row = windows.row[--windows.n];
        ps_shim_unlock();
}

void ps_shim_win_coll(ps_thread *t, int operation, MPI_Win win)
{
        PS_SHIM_NOTE(t, WIN_COLL, (uint64_t)operation, id_of(win), operation == PS_RAW_OP_BARRIER ? 3 : 1);
}

void ps_shim_win_begin(ps_thread *t, MPI_Win win, MPI_Group group, bool is_exposure)
{
        uint32_t id = ps_shim_group(group);
        ps_shim_lock();
        window *row = find_window(win);
        if (row)
                row->group[is_exposure] = id;
        ps_shim_unlock();
        PS_SHIM_NOTE(t, GROUP_SYNC, id_of(win), id);
}

void ps_shim_win_end(ps_thread *t, MPI_Win win, bool is_exposure)
{
        ps_shim_lock();
        const window *row = find_window(win);
        uint32_t id = row ? row->group[is_exposure] : 0;
        ps_shim_unlock();
        PS_SHIM_NOTE(t, GROUP_SYNC, id_of(win), id);
}

static uint64_t target_of(int target)
{
        return target == PS_SHIM_ALL ? 0 : (uint64_t)target + 1;
}

void ps_shim_win_lock(ps_thread *t, MPI_Win win, int target, bool is_shared)
{
        if (target != MPI_PROC_NULL)
                PS_SHIM_NOTE(t, LOCK, id_of(win), target_of(target), is_shared);
}

void ps_shim_win_unlock(ps_thread *t, MPI_Win win, int target)
{
        if (target == MPI_PROC_NULL)
                return;
        ps_shim_win_flush(t, win, target);
        PS_SHIM_NOTE(t, UNLOCK, id_of(win), target_of(target));
}

void ps_shim_win_flush(ps_thread *t, MPI_Win win, int target)
{
        uint64_t id = id_of(win);
        size_t kept = 0;
        ps_shim_lock();
        for (size_t i = 0; i < windows.n_transfers; i++) {
                transfer *row = &windows.transfers[i];
                if (row->window == id && (target == PS_SHIM_ALL || row->target == target))
                        PS_SHIM_NOTE(t, RMA_DONE, id, row->id);
                else
                        windows.transfers[kept++] = *row;
        }
        windows.n_transfers = kept;
        ps_shim_unlock();
}

/* A transfer with a request of its own is completed by that. */
static uint64_t begin_transfer(uint64_t win, int target)
{
        uint64_t id = ps_shim_next_id();
        ps_call.pending = (ps_request){.kind = PS_REQUEST_RMA, .id = id, .is_active = 1, .field = {win}};
        ps_shim_lock();
        if (ps_shim_room(&windows.transfers, &windows.transfers_cap, windows.n_transfers + 1,
                         sizeof(*windows.transfers)) == 0)
                windows.transfers[windows.n_transfers++] = (transfer){win, id, target};
        ps_shim_unlock();
        return id;
}

void ps_shim_put(ps_thread *t, MPI_Win win, int target, uint64_t bytes)
{
        uint64_t id = id_of(win);
        if (target != MPI_PROC_NULL)
                PS_SHIM_NOTE(t, PUT, id, (uint64_t)target, bytes, begin_transfer(id, target));
}

void ps_shim_get(ps_thread *t, MPI_Win win, int target, uint64_t bytes)
{
        uint64_t id = id_of(win);
        if (target != MPI_PROC_NULL)
                PS_SHIM_NOTE(t, GET, id, (uint64_t)target, bytes, begin_transfer(id, target));
}

void ps_shim_atomic(ps_thread *t, MPI_Win win, int target, int operation, uint64_t sent, uint64_t received)
{
        uint64_t id = id_of(win);
        if (target != MPI_PROC_NULL)
                PS_SHIM_NOTE(t, ATOMIC, id, (uint64_t)target, (uint64_t)operation, sent, received,
                             begin_transfer(id, target));
}
