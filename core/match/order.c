/* order.c - a heap over the locations of a process; with one of them it is a plain walk. */
#include "core/match/order.h"

#include "core/base/heap.h"

#include <assert.h>
#include <stdlib.h>

static bool is_before(const struct ps_posting *a, const struct ps_posting *b)
{
        return a->begin != b->begin ? a->begin < b->begin : a->ref.loc < b->ref.loc;
}

PS_HEAP(postings, struct ps_posting, is_before)

ps_status ps_postings_open(ps_postings *postings, const ps_trace *trace, ps_proc process, ps_class cls,
                           ps_error *err)
{
        const ps_process_def *def = &trace->defs.processes.row[process];
        if (def->n_locs > postings->cap) {
                struct ps_posting *heads = realloc(postings->heads, def->n_locs * sizeof(*heads));
                if (!heads)
                        return PS_NOMEM(err, "locations of a process", def->n_locs);
                postings->heads = heads;
                postings->cap = def->n_locs;
        }
        postings->trace = trace;
        postings->cls = cls;
        postings->n = 0;
        for (uint32_t i = 0; i < def->n_locs; i++) {
                ps_loc loc = trace->defs.by_process[def->first + i];
                ps_ref ref = {loc, ps_ops_next(&trace->ops[loc], 0, cls)};
                if (ref.op < trace->ops[loc].n)
                        postings->heads[postings->n++] =
                                (struct ps_posting){ps_op_record_begin(trace, &trace->measured, ref), ref};
        }
        for (uint32_t i = postings->n / 2; i-- > 0;)
                postings_sink(postings->heads, postings->n, i, postings->heads[i]);
        return PS_OK;
}

void ps_postings_advance(ps_postings *postings)
{
        assert(postings->n > 0);
        struct ps_posting *head = &postings->heads[0];
        const ps_ops *ops = &postings->trace->ops[head->ref.loc];
        head->ref.op = ps_ops_next(ops, head->ref.op + 1, postings->cls);
        if (head->ref.op < ops->n)
                head->begin = ps_op_record_begin(postings->trace, &postings->trace->measured, head->ref);
        else
                *head = postings->heads[--postings->n];
        postings_sink(postings->heads, postings->n, 0, *head);
}

void ps_postings_free(ps_postings *postings)
{
        free(postings->heads);
        postings->heads = NULL;
        postings->n = postings->cap = 0;
}

void ps_tally_add(ps_tally *tally, ps_ref ref)
{
        const ps_ref *first = &tally->first;
        if (!tally->count++ || ref.loc < first->loc || (ref.loc == first->loc && ref.op < first->op))
                tally->first = ref;
}

void ps_tally_join(ps_tally *tally, const ps_tally *of_later_rows)
{
        if (!tally->count)
                tally->first = of_later_rows->first;
        tally->count += of_later_rows->count;
}

void ps_tally_note(const ps_tally *tally, ps_trace *trace, ps_issue_kind kind)
{
        if (!tally->count)
                return;
        ps_place place = PS_NOWHERE;
        place.location = tally->first.loc;
        place.time = ps_op_record_begin(trace, &trace->measured, tally->first);
        ps_issue_note_many(&trace->issues, kind, tally->count, place);
}
