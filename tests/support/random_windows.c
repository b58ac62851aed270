/* random_windows.c - one-sided communication of random programs: fences, epochs of access and exposure,
 * locks; and the calls of UPC. */
#include "tests/support/random_machine.h"

/* A call of the member at that place, unless it is lost, which ends when what it waits for is there. */
static uint64_t call_window(machine *m, const comm *c, uint32_t at, const char *call, uint64_t awaits,
                            ps_gen_rec record)
{
        uint32_t r = c->members[at];
        uint64_t from = begin(m, r), until = (awaits > from ? awaits : from) + 10 + pick(m, 30);
        if (!loses(m, m->p->loses_calls))
                ps_gen_call(m->g, call, name(m, r), from, until, 1, &record);
        m->rank[r].now = until;
        return until;
}

static void transfer(machine *m, const comm *c, window *w, uint32_t from, uint32_t to)
{
        static const char *const calls[] = {"MPI_Put", "MPI_Get", "MPI_Accumulate", "MPI_Rput"};
        uint32_t which = pick(m, 4), id = ++w->transfers;
        ps_gen_rec record = PS_GEN_REC_OF(PUT, .ref = w->id, .peer = to, .bytes = 8 * id, .request = id);
        record.kind = which == 1 ? PS_GEN_R_GET : which == 2 ? PS_GEN_R_ATOMIC : PS_GEN_R_PUT;
        call_window(m, c, from, calls[which], 0, record);
        if (which == 3)
                call_window(m, c, from, "MPI_Wait", 0, PS_GEN_REC_OF(RMA_DONE, .ref = w->id, .request = id));
}

/* What all of a group do; returns when the last of them began. */
static uint64_t call_group(machine *m, const comm *c, const window *w, int side, const char *call,
                           uint64_t awaits)
{
        uint64_t last = 0;
        for (uint32_t i = 0; i < w->n[side]; i++) {
                uint32_t at = w->members[side][i];
                uint64_t from = m->rank[c->members[at]].now;
                call_window(m, c, at, call, awaits,
                            PS_GEN_REC_OF(RMA_GROUP_SYNC, .ref = w->id, .comm = w->group[!side]));
                last = from > last ? from : last;
        }
        return last + 500;
}

static void share_epoch(machine *m, const comm *c, window *w)
{
        uint64_t posted = call_group(m, c, w, 1, "MPI_Win_post", 0);
        call_group(m, c, w, 0, "MPI_Win_start", pick(m, 2) ? posted : 0);
        for (uint32_t i = 0; i < w->n[0]; i++)
                for (uint32_t k = pick(m, 3); k; k--)
                        transfer(m, c, w, w->members[0][i], w->members[1][pick(m, w->n[1])]);
        uint64_t completed = call_group(m, c, w, 0, "MPI_Win_complete", posted);
        call_group(m, c, w, 1, "MPI_Win_wait", completed);
}

/* Several want the same lock; some only try, and some libraries wait when it is given back. */
static void hold_locks(machine *m, const comm *c, window *w)
{
        uint32_t at = pick(m, c->n), id = pick(m, 2);
        for (uint32_t k = 1 + pick(m, 3); k; k--) {
                uint32_t from = pick(m, c->n), to = pick(m, 8) ? at : pick(m, c->n);
                uint8_t sort = pick(m, 3) ? OTF2_LOCK_EXCLUSIVE : OTF2_LOCK_SHARED;
                uint64_t awaits = pick(m, 3) ? w->is_free[to] : 0;
                ps_gen_rec lock =
                        PS_GEN_REC_OF(RMA_LOCK_ACQUIRE, .ref = w->id, .peer = to, .request = id, .op = sort);
                if (!pick(m, 8))
                        lock.kind = PS_GEN_R_RMA_LOCK_TRY;
                call_window(m, c, from, "MPI_Win_lock", awaits, lock);
                if (pick(m, 2))
                        transfer(m, c, w, from, to);
                if (!pick(m, 4))
                        call_window(m, c, from, "MPI_Win_flush", 0,
                                    PS_GEN_REC_OF(RMA_SYNC, .ref = w->id, .peer = to));
                lock.kind = PS_GEN_R_RMA_LOCK_RELEASE;
                w->is_free[to] = call_window(m, c, from, "MPI_Win_unlock", awaits ? 0 : w->is_free[to], lock);
        }
}

static void fence(machine *m, const comm *c, const window *w)
{
        static const char *const calls[] = {"MPI_Win_fence", "MPI_Win_fence", "MPI_Win_create",
                                            "MPI_Win_free"};
        const char *call = calls[pick(m, 4)];
        uint64_t from[RANDOM_MAX_RANKS], last = begin_all(m, c, from);
        for (uint32_t i = 0; i < c->n; i++) {
                uint64_t until = last + last - from[i] + pick(m, 20);
                if (!loses(m, m->p->loses_calls))
                        ps_gen_win_collective(m->g, call, name(m, c->members[i]), from[i], until, w->id);
                m->rank[c->members[i]].now = until;
        }
}

void random_use_window(machine *m)
{
        uint32_t k = pick(m, N_WINDOWS);
        static void (*const uses[])(machine * m, const comm *c, window *w) = {share_epoch, hold_locks};
        if (pick(m, 3))
                uses[pick(m, 2)](m, &m->comm[k], &m->window[k]);
        else
                fence(m, &m->comm[k], &m->window[k]);
}

void random_make_windows(machine *m)
{
        for (uint32_t k = 0; k < N_WINDOWS; k++) {
                const comm *c = &m->comm[k];
                window *w = &m->window[k];
                w->id = ps_gen_window(m->g, "window", c->id);
                for (int side = 0; side < 2; side++) {
                        uint32_t names[RANDOM_MAX_RANKS];
                        for (uint32_t i = 0; i < c->n; i++)
                                if (pick(m, 2) || (!w->n[side] && i + 1 == c->n))
                                        w->members[side][w->n[side]++] = i;
                        for (uint32_t i = 0; i < w->n[side]; i++)
                                names[i] = name(m, c->members[w->members[side][i]]);
                        w->group[side] = ps_gen_group(m->g, names, w->n[side]);
                }
        }
}

/* -- UPC -- */

/* Each synchronises with some of the others, or with none: some modes are not told. */
static void hint_modes(machine *m, uint32_t at, uint32_t in, uint32_t out)
{
        static const char *const ins[] = {"UPC_IN_ALLSYNC", "UPC_IN_MYSYNC", "UPC_IN_NOSYNC"},
                                 *const outs[] = {"UPC_OUT_ALLSYNC", "UPC_OUT_MYSYNC", "UPC_OUT_NOSYNC"};
        if (in < 3)
                ps_gen_hint_text(m->g, at, "UPC_IN_SYNC", ins[in]);
        if (out < 3)
                ps_gen_hint_text(m->g, at, "UPC_OUT_SYNC", outs[out]);
}

/* Some stay in it when others have not come yet, and some are alone in it. */
static void share_collective(machine *m)
{
        static const char *const calls[] = {"upc_all_broadcast",      "upc_all_gather",     "upc_all_reduceI",
                                            "upc_all_scatter",        "upc_all_gather_all", "upc_all_permute",
                                            "upc_all_prefix_reduceI", "upc_all_alloc",      "upc_barrier",
                                            "shmem_int_broadcast",    "upc_all_exchange",   "shmem_malloc"};
        uint32_t n = m->p->ranks, which = pick(m, 12), root = pick(m, n), in = pick(m, 4), out = pick(m, 4);
        uint64_t from[RANDOM_MAX_RANKS], last = 0;
        m->n_colls++;
        for (uint32_t r = 0; r < n; r++) {
                from[r] = begin(m, r);
                last = from[r] > last ? from[r] : last;
        }
        for (uint32_t r = 0; r < n; r++) {
                bool waits = which == 8 || which == 11 || pick(m, 3);
                uint64_t until = (waits ? last : from[r]) + 50 + pick(m, 600);
                m->rank[r].now = until;
                if (loses(m, m->p->loses_calls))
                        continue;
                hint_modes(m, name(m, r), in, out);
                if (which < 4)
                        ps_gen_hint(m->g, name(m, r), "ROOT", root);
                ps_gen_visit(m->g, name(m, r), from[r], until,
                             loses(m, m->p->loses_calls) ? "upc_all_gather_all" : calls[which]);
        }
}

static void share_split_barrier(machine *m)
{
        uint64_t last = 0;
        m->n_colls++;
        for (uint32_t r = 0; r < m->p->ranks; r++) {
                uint64_t from = begin(m, r);
                if (!loses(m, m->p->loses_calls))
                        ps_gen_visit(m->g, name(m, r), from, from + 20, "upc_notify");
                m->rank[r].now = from + 20;
                last = from > last ? from : last;
        }
        for (uint32_t r = 0; r < m->p->ranks; r++) {
                uint64_t from = begin(m, r), until = (from > last ? from : last) + 30 + pick(m, 50);
                ps_gen_visit(m->g, name(m, r), from, until, "upc_wait");
                m->rank[r].now = until;
        }
}

static void share_call(machine *m, uint32_t r, const char *call, uint64_t length, ps_gen_kind kind)
{
        uint64_t from = begin(m, r);
        const ps_gen_rec record = PS_GEN_REC_OF(PUT, .ref = m->heap, .peer = pick(m, m->p->ranks),
                                                .bytes = 8 * pick(m, 100), .request = 1);
        ps_gen_rec rec = record;
        rec.kind = kind;
        ps_gen_call(m->g, call, name(m, r), from, from + length, 1, &rec);
        m->rank[r].now = from + length;
}

/* Some want the same lock, and read and write what is shared meanwhile. */
static void share_locks(machine *m)
{
        uint64_t is_free = 0, id = 7 + pick(m, 3);
        for (uint32_t k = 1 + pick(m, 4); k; k--) {
                uint32_t r = pick(m, m->p->ranks), at = name(m, r);
                uint64_t from = begin(m, r), until = (is_free > from ? is_free : from) + 20;
                ps_gen_hint(m->g, at, "LOCK_ID", id);
                ps_gen_visit(m->g, at, from, until, pick(m, 6) ? "upc_lock" : "upc_lock_attempt");
                m->rank[r].now = until;
                share_call(m, r, "upc_memget", 40, PS_GEN_R_GET);
                from = begin(m, r);
                ps_gen_hint(m->g, at, "LOCK_ID", id);
                ps_gen_visit(m->g, at, from, from + 15, "upc_unlock");
                m->rank[r].now = is_free = from + 15;
        }
}

/* Mostly of the first rank, so that it may be the master. */
static void share_transfers(machine *m)
{
        uint32_t r = pick(m, 3) ? 0 : pick(m, m->p->ranks);
        for (uint32_t k = pick(m, 4); k; k--)
                share_call(m, r, "upc_memput", 10 + pick(m, 90), PS_GEN_R_PUT);
        for (uint32_t k = pick(m, 3); k; k--)
                share_call(m, pick(m, m->p->ranks), "bupc_atomicI64_fetchadd_strict", 500, PS_GEN_R_ATOMIC);
        uint64_t from = begin(m, r);
        ps_gen_visit(m->g, name(m, r), from, from + 90, "upc_fence");
        m->rank[r].now = from + 90;
}

/* One sets a flag for another one, which is too late or waits for it, and whom others write to meanwhile. */
static void share_flag(machine *m)
{
        uint32_t by = pick(m, m->p->ranks), to = (by + 1 + pick(m, m->p->ranks - 1)) % m->p->ranks;
        uint64_t set = begin(m, by), from = begin(m, to),
                 until = (from > set ? from : set) + 30 + pick(m, 30);
        const ps_gen_rec flag = PS_GEN_REC_OF(PUT, .ref = m->heap, .peer = to,
                                              .bytes = UINT64_C(8) << pick(m, 2), .request = 1);
        ps_gen_call(m->g, "shmem_long_p", name(m, by), set, set + 20, 1, &flag);
        m->rank[by].now = set + 20;
        ps_gen_visit(m->g, name(m, to), from, until, "shmem_long_wait_until");
        m->rank[to].now = until;
}

void random_share_memory(machine *m)
{
        static void (*const steps[])(machine * m) = {share_collective, share_split_barrier, share_locks,
                                                     share_transfers, share_flag};
        uint32_t which = pick(m, 8);
        steps[which < 5 ? which : 0](m);
}
