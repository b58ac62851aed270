/* pgas.c - calls of UPC, coarrays and SHMEM: what their names, attributes and records tell of them.
 *
 * Many recorders write names only, so that a call's row is filled when it begins, with what holds for all
 * such calls; records that follow know better. A split barrier is a nonblocking barrier (notify) and the call
 * that completes it (wait). Of calls inside of calls the outermost counts: what a library does to carry out
 * an operation is no operation of the program. */
#include "core/fold/builder.h"

#include <string.h>

bool ps_builder_is_pgas(const ps_builder *b, ps_region region)
{
        const ps_region_def *def = region_of(b, region);
        return def && def->kind != PS_K_NONE && ps_paradigm_is_pgas(def->paradigm);
}

/* A thread of the program: a process, or a location where several of them share a process. */
static uint32_t thread_at(const ps_builder *b, ps_comm comm, uint32_t rank)
{
        if (comm >= b->defs->comms.n || rank >= b->defs->comms.row[comm].n_members)
                return PS_NONE;
        return b->defs->comms.row[comm].members[rank];
}

uint32_t ps_builder_pgas_target(const ps_builder *b, ps_comm comm, uint32_t rank)
{
        return comm < b->defs->comms.n && b->defs->comms.row[comm].team
                       ? thread_at(b, comm, rank)
                       : ps_builder_location(b, ps_defs_peer(b->defs, comm, rank, b->process));
}

static void begin_collective(ps_builder *b, struct row *row, const ps_event *e)
{
        if (ps_kinds[row->kind].traits & PS_T_RMA)
                return;
        row->comm = b->defs->pgas_comm;
        row->tag = e->tag;
        uint32_t root = row->kind == PS_K_ALLOC ? 0 : e->peer;
        row->peer = root == PS_NONE ? PS_NONE : thread_at(b, row->comm, root);
}

static void complete_notify(ps_builder *b, ps_op wait)
{
        ps_op notify = ps_ids_drop(&b->requests, SPACE_NOTIFY, 0);
        if (notify == PS_NONE)
                return;
        row_at(b, notify)->done = wait;
        row_at(b, wait)->tag++;
        PUSH(b, b->completed, notify);
}

void ps_builder_begin_pgas(ps_builder *b, ps_op op, const ps_event *e)
{
        struct row *row = row_at(b, op);
        if (ps_kinds[row->kind].cls == PS_C_COLL)
                begin_collective(b, row, e);
        if (row->kind == PS_K_BARRIER && row->flags & PS_OP_NONBLOCKING)
                ps_requests_open(b, SPACE_NOTIFY, 0, op);
        if (row->kind == PS_K_WAIT)
                complete_notify(b, op);
        if (e->op && (row->kind == PS_K_WIN_LOCK || row->kind == PS_K_WIN_UNLOCK)) {
                row->bytes = e->request;
                row->link = 0;
        }
}

/* Attributes and records come first, then what the name tells. */
void ps_builder_end_pgas(ps_builder *b, const struct frame *f)
{
        struct row *row = row_at(b, f->row);
        if (ps_kinds[row->kind].cls == PS_C_COLL)
                row->tag = ps_sync_merge(row->tag, b->defs->regions.row[f->region].sync);
}

/* Where nothing else tells it, the level of the synchronisation may be known to be the mode at the end. */
void ps_builder_pgas_level(ps_builder *b, struct row *row, const struct frame *f, uint32_t level)
{
        static const uint8_t modes[4] = {PS_SYNC_NO, PS_SYNC_UNKNOWN, PS_SYNC_MY, PS_SYNC_ALL};
        if (!b->defs->levels_are_out_modes || ps_kinds[row->kind].traits & PS_T_BARRIER)
                return;
        if (f)
                row->tag = ps_sync_merge(row->tag, b->defs->regions.row[f->region].sync);
        row->tag = ps_sync_merge(row->tag, PS_SYNC_MODES(PS_SYNC_UNKNOWN, modes[level & 3]));
}

void ps_builder_pgas_root(const ps_builder *b, struct row *row, uint32_t root)
{
        uint32_t named = root == PS_NONE ? PS_NONE : thread_at(b, row->comm, root);
        row->peer = named == PS_NONE ? row->peer : named;
}

/* A parameter of the call: the flags of a collective, as text or as a number whose meaning is known. */
void ps_builder_on_parameter(ps_builder *b, const ps_event *e)
{
        const struct frame *f = top_frame(b);
        if (!f || !f->pgas || f->row == PS_NONE || e->ref >= b->defs->params.n)
                return;
        struct row *row = row_at(b, f->row);
        if (ps_kinds[row->kind].cls == PS_C_COLL &&
            strcmp(ps_defs_str(b->defs, b->defs->params.row[e->ref]), "upc_flags") == 0)
                row->tag =
                        ps_sync_merge(row->tag, e->op ? ps_sync_parse(ps_defs_str(b->defs, (ps_str)e->bytes))
                                                      : ps_sync_of_flags(e->bytes, b->defs->upc_flags));
}
