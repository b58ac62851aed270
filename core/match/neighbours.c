/* neighbours.c - see neighbours.h.
 *
 * All know the definitions: so each tells of its members without being asked, and whoever hears of one finds
 * it by operation and rank. */
#include "core/match/neighbours.h"

#include "core/base/search.h"
#include "core/base/vector.h"
#include "core/exchange/rows.h"

#include <stdlib.h>

struct visiting {
        const ps_neighbours *how;
        uint32_t *member_of; /* room of ps_coll_visit_ranks() */
        uint32_t *told;      /* by rank: for whom it was told last, plus one */
        ps_dealt_rows rows;  /* ps_neighbour */
};

static bool is_here(const struct visiting *v, ps_proc process)
{
        return process != PS_NONE && v->how->owner[process] == v->how->x->rank;
}

static void pass(void *ctx, uint32_t member)
{
        (void)ctx;
        (void)member;
}

/* The member of that rank, if it is of this process; PS_NONE: it is not, or did not come. */
static uint32_t member_here(const struct visiting *v, const ps_coll *coll, uint32_t rank)
{
        const ps_trace *trace = v->how->trace;
        uint32_t member = ps_coll_member(trace, coll, v->member_of, rank);
        return member != PS_NONE && is_here(v, ps_trace_process(trace, trace->members[member].ref.loc))
                       ? member
                       : PS_NONE;
}

/* -- telling -- */

static ps_status tell_member(struct visiting *v, uint32_t c, uint32_t rank, uint32_t to, ps_error *err)
{
        uint32_t member = member_here(v, &v->how->trace->colls[c], rank);
        ps_dealt_rows *rows = &v->rows;
        if (member == PS_NONE || v->told[rank] == to + 1)
                return PS_OK;
        if (ps_memory_room(&rows->row, rows->n, &rows->cap, 16, sizeof(ps_neighbour)))
                return PS_NOMEM(err, "neighbours", rows->n);
        ps_neighbour *row = (ps_neighbour *)rows->row + rows->n++;
        *row = (ps_neighbour){.to = to};
        v->how->tell(v->how->ctx, member, row);
        row->id = v->how->agreed->id[c];
        row->rank = rank;
        v->told[rank] = to + 1;
        return PS_OK;
}

static ps_status tell_coll(struct visiting *v, uint32_t c, ps_error *err)
{
        const ps_trace *trace = v->how->trace;
        const ps_coll *coll = &trace->colls[c];
        const ps_comm_def *comm = &trace->defs.comms.row[coll->comm];
        ps_coll_visit_ranks(trace, coll, v->member_of, pass, NULL); /* fills member_of */
        for (uint32_t rank = 0; rank < comm->n_members; rank++)
                v->told[rank] = 0;
        for (uint32_t i = 0; i < comm->n_near; i++) {
                uint32_t of = comm->near[i].rank, n;
                ps_proc process = of < comm->n_members ? comm->members[of] : PS_NONE;
                const uint32_t *near = ps_near_of(&trace->defs, comm, of, &n);
                if (process == PS_NONE || is_here(v, process))
                        continue;
                for (uint32_t k = 0; k < n; k++)
                        if (near[k] < comm->n_members)
                                PS_TRY(tell_member(v, c, near[k], v->how->owner[process], err));
        }
        return PS_OK;
}

static bool is_shared(const struct visiting *v, uint32_t c)
{
        return v->how->agreed->id[c] != PS_NONE;
}

static ps_status tell_all(struct visiting *v, ps_error *err)
{
        const ps_trace *trace = v->how->trace;
        size_t n = ps_coll_room(trace), most = 1;
        for (ps_comm c = 0; c < trace->defs.comms.n; c++)
                if (trace->defs.comms.row[c].n_near && trace->defs.comms.row[c].n_members > most)
                        most = trace->defs.comms.row[c].n_members;
        v->member_of = malloc(n * sizeof(*v->member_of));
        v->told = malloc(most * sizeof(*v->told));
        if (!v->member_of || !v->told)
                return PS_NOMEM(err, "neighbours", n);
        for (uint32_t c = 0; c < trace->n_colls; c++)
                if (ps_coll_is_near(trace, &trace->colls[c]) && is_shared(v, c))
                        PS_TRY(tell_coll(v, c, err));
        return PS_OK;
}

static uint32_t whose(const void *ctx, const void *row)
{
        (void)ctx;
        return ((const ps_neighbour *)row)->to;
}

/* -- hearing -- */

static int compare_neighbours(const void *a, const void *b)
{
        const ps_neighbour *x = a, *y = b;
        PS_ORDER_BY(x->id, y->id);
        return PS_ORDER(x->rank, y->rank);
}

static const ps_neighbour *find(const struct visiting *v, uint32_t c, uint32_t rank)
{
        const ps_neighbour key = {.id = v->how->agreed->id[c], .rank = rank};
        return is_shared(v, c) && v->rows.n
                       ? bsearch(&key, v->rows.row, v->rows.n, sizeof(key), compare_neighbours)
                       : NULL;
}

static void take_near(const struct visiting *v, uint32_t c, uint32_t member, const uint32_t *near, uint32_t n)
{
        ps_neighbour own;
        for (uint32_t k = 0; k < n; k++) {
                uint32_t needed = member_here(v, &v->how->trace->colls[c], near[k]);
                const ps_neighbour *heard = needed == PS_NONE ? find(v, c, near[k]) : &own;
                if (!heard || needed == member)
                        continue;
                if (heard == &own) {
                        own = (ps_neighbour){.nothing = 0};
                        v->how->tell(v->how->ctx, needed, &own);
                }
                v->how->take(v->how->ctx, member, heard);
        }
}

static void take_coll(const struct visiting *v, uint32_t c)
{
        const ps_trace *trace = v->how->trace;
        const ps_coll *coll = &trace->colls[c];
        const ps_comm_def *comm = &trace->defs.comms.row[coll->comm];
        ps_coll_visit_ranks(trace, coll, v->member_of, pass, NULL);
        for (uint32_t i = 0; i < comm->n_near; i++) {
                uint32_t member = member_here(v, coll, comm->near[i].rank), n;
                const uint32_t *near = ps_near_of(&trace->defs, comm, comm->near[i].rank, &n);
                if (member != PS_NONE)
                        take_near(v, c, member, near, n);
        }
}

static void take_all(const struct visiting *v)
{
        const ps_trace *trace = v->how->trace;
        if (v->rows.n)
                qsort(v->rows.row, v->rows.n, sizeof(ps_neighbour), compare_neighbours);
        for (uint32_t c = 0; c < trace->n_colls; c++)
                if (ps_coll_is_near(trace, &trace->colls[c]))
                        take_coll(v, c);
}

ps_status ps_neighbours_visit(const ps_neighbours *neighbours, ps_error *err)
{
        struct visiting v = {.how = neighbours};
        const ps_rows_deal how = {sizeof(ps_neighbour) / sizeof(int64_t), whose, NULL};
        ps_status status = tell_all(&v, err);
        status = ps_exchange_rows(neighbours->x, &v.rows, &how, status, err);
        if (status == PS_OK)
                take_all(&v);
        free(v.rows.row);
        free(v.member_of);
        free(v.told);
        return status;
}
