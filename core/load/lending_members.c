/* lending_members.c - the members of collective operations: see lending.h. */
#include "core/load/lending.h"
#include "core/load/share.h"
#include "core/load/tasks.h"

#include "core/base/search.h"
#include "core/base/vector.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { MEMBERS = 1 << 16 }; /* about so many at a time */

/* Operations first .. end. */
struct block {
        uint32_t first, end;
};

typedef PS_VECTOR(ps_loan_member) members;

static ps_loan_member member_of(const ps_trace *trace, const ps_timing *timing, const ps_coll *coll,
                                uint32_t number, uint32_t m)
{
        const ps_ref ref = trace->members[m].ref;
        ps_ref done = ps_op_completion(trace, ref);
        done = done.op == PS_NONE ? ref : done;
        ps_loan_member member;
        memset(&member, 0, sizeof(member)); /* what is between its parts is sent, too */
        member.operation = number;
        member.comm = coll->comm;
        member.ref = ref;
        member.time = (ps_span){timing->enter[ref.loc][ref.op], timing->leave[done.loc][done.op]};
        member.path = ps_op_path(&trace->ops[ref.loc], ref.op);
        member.kind = coll->kind;
        member.complete = coll->complete;
        member.is_root = m == coll->root;
        return member;
}

/* Those that are here, in order. */
static ps_status list_members(members *out, const ps_trace *here, struct block block, ps_error *err)
{
        const uint32_t *number = here->spread->agreed.number;
        uint32_t c = 0;
        PS_SEARCH(c, here->n_colls, i, number[i] < block.first);
        for (; c < here->n_colls && number[c] < block.end; c++) {
                const ps_coll *coll = &here->colls[c];
                for (uint32_t m = coll->first; m < coll->first + coll->n; m++)
                        if (PS_PUSH(*out, member_of(here, &here->measured, coll, number[c], m)))
                                return PS_NOMEM(err, "members of collective operations", out->n);
        }
        return PS_OK;
}

void ps_lend_members(const ps_trace *here, unsigned n_threads, uint8_t *asked, size_t n)
{
        members list = {NULL, 0, 0};
        struct block block;
        ps_error err = {0};
        ps_pile nothing;
        (void)n_threads;
        assert(n == sizeof(block));
        memcpy(&block, asked, n);
        ps_status status = list_members(&list, here, block, &err);
        ps_share_gather(here->spread->x, status, &nothing, list.row, list.n * sizeof(*list.row), &err);
        free(list.row);
}

static int compare_members(const void *a, const void *b)
{
        const ps_loan_member *x = a, *y = b;
        PS_ORDER_BY(x->operation, y->operation);
        return ps_refs_compare(&x->ref, &y->ref);
}

static ps_status gather_members(members *out, const ps_trace *trace, struct block block, ps_error *err)
{
        ps_exchange *x = trace->spread->x;
        ps_pile pile = {NULL, NULL};
        out->n = 0;
        PS_TRY(ps_task_ask(x, TASK_MEMBERS, &block, sizeof(block), err));
        ps_status status = ps_share_gather(x, list_members(out, trace, block, err), &pile, NULL, 0, err);
        size_t bytes = status == PS_OK ? pile.end[x->size - 1] : 0;
        for (size_t at = 0; at < bytes && status == PS_OK; at += sizeof(ps_loan_member)) {
                ps_loan_member member;
                memcpy(&member, pile.bytes + at, sizeof(member));
                if (PS_PUSH(*out, member))
                        status = PS_NOMEM(err, "members of collective operations", out->n);
        }
        ps_pile_clear(&pile);
        if (status == PS_OK && out->n)
                qsort(out->row, out->n, sizeof(*out->row), compare_members);
        return status;
}

bool ps_loan_members_of(const ps_trace *trace, const ps_timing *timing, uint32_t c,
                        bool (*visit)(void *ctx, const ps_loan_member *member), void *ctx)
{
        const ps_coll *coll = &trace->colls[c];
        bool goes_on = true;
        for (uint32_t m = coll->first; m < coll->first + coll->n && goes_on; m++) {
                const ps_loan_member member = member_of(trace, timing, coll, c, m);
                goes_on = visit(ctx, &member);
        }
        return goes_on;
}

ps_status ps_loan_members(const ps_trace *trace, const ps_timing *timing,
                          bool (*visit)(void *ctx, const ps_loan_member *member), void *ctx, ps_error *err)
{
        members list = {NULL, 0, 0};
        ps_status status = PS_OK;
        if (!ps_share_is_apart(trace, timing)) {
                for (uint32_t c = 0; c < trace->n_colls && ps_loan_members_of(trace, timing, c, visit, ctx);)
                        c++;
                return PS_OK;
        }
        uint32_t n_all = trace->spread->agreed.n_all, at_once = MEMBERS / (trace->n_locs + 1) + 1;
        bool goes_on = true;
        for (uint32_t first = 0; first < n_all && status == PS_OK && goes_on;) {
                struct block block = {first, n_all - first < at_once ? n_all : first + at_once};
                status = gather_members(&list, trace, block, err);
                for (uint32_t i = 0; status == PS_OK && i < list.n && goes_on; i++)
                        goes_on = visit(ctx, &list.row[i]);
                first = block.end;
        }
        free(list.row);
        return status;
}
