/* pgas.c - calls of UPC, coarrays and SHMEM: what their names, attributes and records tell of them.
 *
 * Many recorders write names only, so that a call's row is filled when it begins, with what holds for all
 * such calls; records that follow know better. A split barrier is a nonblocking barrier (notify) and the call
 * that completes it (wait). Of calls inside of calls the outermost counts: what a library does to carry out
 * an operation is no operation of the program. */
#include "core/fold/sink.h"

#include <string.h>

uint32_t ps_builder_pgas_thread(const ps_builder *b, ps_comm comm, uint32_t rank)
{
        if (comm >= b->defs->comms.n || rank >= b->defs->comms.row[comm].n_members)
                return PS_NONE;
        return b->defs->comms.row[comm].members[rank];
}

uint32_t ps_builder_pgas_target(const ps_builder *b, ps_comm comm, uint32_t rank)
{
        return comm < b->defs->comms.n && b->defs->comms.row[comm].team
                       ? ps_builder_pgas_thread(b, comm, rank)
                       : ps_builder_location(b, ps_defs_peer(b->defs, comm, rank, b->process));
}

static void complete_notify(ps_builder *b, ps_op wait)
{
        ps_op notify = ps_fold_end_under_way(b, SPACE_NOTIFY, 0);
        if (notify == PS_NONE)
                return;
        CELL(b, done, notify) = wait;
        (void)ps_fold_note_completed(b, wait, notify, false);
}

void ps_builder_begin_plain_pgas(ps_builder *b, ps_op op)
{
        const uint8_t kind = CELL(b, kind, op);
        const ps_comm comm = b->defs->pgas_comm;
        if (kind == PS_K_WAIT)
                complete_notify(b, op);
        if (ps_kinds[kind].cls != PS_C_COLL)
                return;
        if (!(ps_kinds[kind].traits & PS_T_RMA))
                ps_rows_say_comm(b, op, comm,
                                 kind == PS_K_ALLOC ? ps_builder_pgas_thread(b, comm, 0) : PS_NONE);
        if (kind == PS_K_BARRIER && CELL(b, flags, op) & PS_OP_NONBLOCKING)
                (void)ps_fold_get_under_way(b, SPACE_NOTIFY, 0, op, false);
}

void ps_builder_tell_pgas(ps_builder *b, ps_op op, uint32_t modes, uint32_t root, const uint64_t *lock)
{
        const uint8_t kind = CELL(b, kind, op);
        if (b->status != PS_OK)
                return; /* the row may have no call */
        if (lock && (kind == PS_K_WIN_LOCK || kind == PS_K_WIN_UNLOCK)) {
                SAY(b, op, bytes, *lock);
                CELL(b, link, op) = 0;
        }
        if (ps_kinds[kind].cls != PS_C_COLL || ps_kinds[kind].traits & PS_T_RMA)
                return;
        CELL(b, tag, op) = modes;
        if (root != PS_NONE && kind != PS_K_ALLOC)
                SAY(b, op, peer, ps_builder_pgas_thread(b, b->defs->pgas_comm, root));
}

void ps_builder_begin_pgas(ps_builder *b, ps_op op, const ps_event *e)
{
        ps_builder_begin_plain_pgas(b, op);
        ps_builder_tell_pgas(b, op, e->tag, e->peer, e->op ? &e->request : NULL);
}

static void merge_modes(ps_builder *b, ps_op op, uint32_t modes)
{
        CELL(b, tag, op) = ps_sync_merge(CELL(b, tag, op), modes);
}

/* Attributes and records come first, then what the name tells. */
void ps_builder_end_pgas(ps_builder *b, const struct frame *f)
{
        if (f->row != PS_NONE && ps_kinds[CELL(b, kind, f->row)].cls == PS_C_COLL)
                merge_modes(b, f->row, b->defs->regions.row[f->region].sync);
}

/* Where nothing else tells it, the level of the synchronisation may be known to be the mode at the end. */
void ps_builder_pgas_level(ps_builder *b, ps_op op, const struct frame *f, uint32_t level)
{
        static const uint8_t modes[4] = {PS_SYNC_NO, PS_SYNC_UNKNOWN, PS_SYNC_MY, PS_SYNC_ALL};
        if (!b->defs->levels_are_out_modes || ps_kinds[CELL(b, kind, op)].traits & PS_T_BARRIER)
                return;
        if (f)
                merge_modes(b, op, b->defs->regions.row[f->region].sync);
        merge_modes(b, op, PS_SYNC_MODES(PS_SYNC_UNKNOWN, modes[level & 3]));
}

void ps_builder_pgas_root(ps_builder *b, ps_op op, uint32_t root)
{
        uint32_t named =
                root == PS_NONE ? PS_NONE : ps_builder_pgas_thread(b, ps_rows_call(b, op)->comm, root);
        if (named != PS_NONE)
                SAY(b, op, peer, named);
}

/* A parameter of the call: the flags of a collective, as text or as a number whose meaning is known. */
void ps_builder_on_parameter(ps_builder *b, const ps_event *e)
{
        const struct frame *f = top_frame(b);
        if (!f || !(f->marks & MARK_PGAS) || f->row == PS_NONE || e->ref >= b->defs->params.n)
                return;
        if (ps_kinds[CELL(b, kind, f->row)].cls == PS_C_COLL &&
            strcmp(ps_defs_str(b->defs, b->defs->params.row[e->ref]), "upc_flags") == 0)
                merge_modes(b, f->row,
                            e->op ? ps_sync_parse(ps_defs_str(b->defs, (ps_str)e->bytes))
                                  : ps_sync_of_flags(e->bytes, b->defs->upc_flags));
}
