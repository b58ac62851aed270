/* absent.c - see absent.h.
 *
 * Process 0 asks about calls. Who has the row of one tells which operation it is of, and all tell who of
 * theirs took part in these. */
#include "core/load/absent.h"
#include "core/load/share.h"
#include "core/load/tasks.h"

#include "core/base/search.h"
#include "core/base/vector.h"
#include "core/exchange/numbers.h"

#include <stdlib.h>
#include <string.h>

/* An operation that calls are of; `absent` is known where nobody else has members. */
struct asked {
        uint32_t id;
        ps_comm comm;
        ps_proc absent;
};

/* That a member took part in the operation of the `at`th number. */
struct came {
        uint32_t at;
        ps_proc process;
};

struct asking {
        const ps_trace *trace;
        ps_exchange *x;
        const ps_ref *call;
        uint32_t n;
        struct asked *of; /* by call, in process 0 */
        uint32_t *id;     /* numbers of operations, in order */
        uint32_t n_ids;
        PS_VECTOR(struct came) came;
};

/* -- which operations -- */

static const ps_coll *coll_of(const ps_trace *trace, ps_ref call)
{
        return &trace->colls[trace->members[trace->ops[call.loc].link[call.op]].coll];
}

static ps_status tell_operations(const struct asking *a, ps_numbers *text, ps_error *err)
{
        const ps_trace *trace = a->trace;
        for (uint32_t i = 0; i < a->n; i++) {
                if (!ps_share_is_here(trace, a->call[i].loc))
                        continue;
                const ps_coll *coll = coll_of(trace, a->call[i]);
                ps_numbers_put(text, i);
                ps_numbers_put(text, trace->spread->agreed.id[coll - trace->colls] + 1U);
                ps_numbers_put(text, coll->comm);
                ps_numbers_put(text, ps_coll_absent(trace, coll) + 1U);
        }
        return text->lacks ? PS_NOMEM(err, "collective operations", text->n) : PS_OK;
}

static int compare_ids(const void *a, const void *b)
{
        const uint32_t *x = a, *y = b;
        return PS_ORDER(*x, *y);
}

static ps_status hear_operations(struct asking *a, const ps_pile *in, ps_error *err)
{
        a->of = calloc(a->n + (size_t)1, sizeof(*a->of));
        a->id = calloc(a->n + (size_t)1, sizeof(*a->id));
        if (!a->of || !a->id)
                return PS_NOMEM(err, "collective operations", a->n);
        const uint8_t *at = in->bytes, *end = in->bytes + in->end[a->x->size - 1];
        uint32_t n = 0;
        while (at < end) {
                struct asked *of = &a->of[ps_numbers_take(&at)];
                of->id = (uint32_t)ps_numbers_take(&at) - 1U;
                of->comm = (ps_comm)ps_numbers_take(&at);
                of->absent = (ps_proc)ps_numbers_take(&at) - 1U;
                if (of->id != PS_NONE)
                        a->id[n++] = of->id;
        }
        if (n)
                qsort(a->id, n, sizeof(*a->id), compare_ids);
        for (uint32_t i = 0; i < n; i++)
                if (!i || a->id[i] != a->id[i - 1])
                        a->id[a->n_ids++] = a->id[i];
        return PS_OK;
}

static ps_status agree_on_operations(struct asking *a, ps_error *err)
{
        ps_numbers text = {0};
        ps_pile in = {NULL, NULL};
        ps_status status = ps_exchange_agree(a->x, tell_operations(a, &text, err), err);
        PS_THEN(status, ps_exchange_gather(a->x, &in, text.row, text.n, err));
        free(text.row);
        if (!a->x->rank)
                PS_THEN(status, hear_operations(a, &in, err));
        ps_pile_clear(&in);
        PS_TRY(ps_exchange_agree(a->x, status, err));
        ps_exchange_broadcast(a->x, &a->n_ids, sizeof(a->n_ids));
        if (a->x->rank)
                a->id = malloc((a->n_ids + (size_t)1) * sizeof(*a->id));
        PS_TRY(ps_exchange_agree(a->x, a->id ? PS_OK : PS_NOMEM(err, "collective operations", a->n_ids),
                                 err));
        ps_exchange_broadcast(a->x, a->id, a->n_ids * sizeof(*a->id));
        return PS_OK;
}

/* -- who came -- */

/* Operations have their numbers in order, as far as they have any. */
static ps_status tell_members(const struct asking *a, ps_numbers *text, ps_error *err)
{
        const ps_trace *trace = a->trace;
        const uint32_t *id = trace->spread->agreed.id;
        for (uint32_t c = 0, k = 0; c < trace->n_colls; c++) {
                const ps_coll *coll = &trace->colls[c];
                while (id[c] != PS_NONE && k < a->n_ids && a->id[k] < id[c])
                        k++;
                if (k == a->n_ids || id[c] != a->id[k])
                        continue;
                for (uint32_t m = coll->first; m < coll->first + coll->n; m++) {
                        ps_numbers_put(text, k);
                        ps_numbers_put(text, ps_trace_process(trace, trace->members[m].ref.loc));
                }
        }
        return text->lacks ? PS_NOMEM(err, "collective operations", text->n) : PS_OK;
}

static int compare_came(const void *a, const void *b)
{
        const struct came *x = a, *y = b;
        PS_ORDER_BY(x->at, y->at);
        return PS_ORDER(x->process, y->process);
}

static ps_status hear_members(struct asking *a, const ps_pile *in, ps_error *err)
{
        const uint8_t *at = in->bytes, *end = in->bytes + in->end[a->x->size - 1];
        while (at < end) {
                struct came came = {.at = (uint32_t)ps_numbers_take(&at)};
                came.process = (ps_proc)ps_numbers_take(&at);
                if (PS_PUSH(a->came, came))
                        return PS_NOMEM(err, "collective operations", a->came.n);
        }
        if (a->came.n)
                qsort(a->came.row, a->came.n, sizeof(*a->came.row), compare_came);
        return PS_OK;
}

static ps_status gather_members(struct asking *a, ps_error *err)
{
        ps_numbers text = {0};
        ps_pile in = {NULL, NULL};
        ps_status status = ps_exchange_agree(a->x, tell_members(a, &text, err), err);
        PS_THEN(status, ps_exchange_gather(a->x, &in, text.row, text.n, err));
        free(text.row);
        if (!a->x->rank)
                PS_THEN(status, hear_members(a, &in, err));
        ps_pile_clear(&in);
        return ps_exchange_agree(a->x, status, err);
}

static ps_status ask(struct asking *a, ps_error *err)
{
        PS_TRY(agree_on_operations(a, err));
        return gather_members(a, err);
}

static void clear(struct asking *a)
{
        free(a->of);
        free(a->id);
        free(a->came.row);
}

void ps_absent_tell(const ps_trace *here, unsigned n_threads, uint8_t *asked, size_t n)
{
        ps_error err = {0};
        const ps_ref *call = (const ps_ref *)(const void *)asked;
        struct asking a = {
                .trace = here, .x = here->spread->x, .call = call, .n = (uint32_t)(n / sizeof(*call))};
        (void)n_threads;
        ask(&a, &err);
        clear(&a);
}

/* -- process 0 -- */

typedef PS_VECTOR(ps_ref) calls;

/* Of the call in which a location ends, if that is never left. */
static ps_status add_calls(calls *to, const ps_trace *trace, ps_loc l, ps_error *err)
{
        const ps_ops *ops = &trace->ops[l];
        ps_op op = ops->n;
        if (!ps_trace_ends_in_call(trace, l))
                return PS_OK;
        do {
                ps_ref call = {l, --op};
                if (ps_kinds[ops->kind[op]].cls != PS_C_COLL || !(ops->flags[op] & PS_OP_MATCHED) ||
                    coll_of(trace, call)->complete)
                        continue;
                if (PS_PUSH(*to, call))
                        return PS_NOMEM(err, "collective operations", to->n);
        } while (op && ps_op_continues(ops, op));
        return PS_OK;
}

static bool has_come(const struct asking *a, uint32_t at, ps_proc process)
{
        const struct came wanted = {at, process};
        uint32_t low = 0;
        PS_SEARCH(low, a->came.n, i, compare_came(&a->came.row[i], &wanted) < 0);
        return low < a->came.n && !compare_came(&a->came.row[low], &wanted);
}

static ps_proc first_absent(const struct asking *a, const struct asked *of)
{
        const ps_comm_def *comm = &a->trace->defs.comms.row[of->comm];
        uint32_t at = 0;
        PS_SEARCH(at, a->n_ids, i, a->id[i] < of->id);
        for (uint32_t i = 0; !comm->team && !comm->inter && i < comm->n_members; i++)
                if (comm->members[i] != PS_NONE && !has_come(a, at, comm->members[i]))
                        return comm->members[i];
        return PS_NONE;
}

static ps_status keep_absent(struct asking *a, ps_trace *trace, ps_error *err)
{
        trace->absent = PS_ARENA_NEW(trace->arena, ps_absent, a->n);
        if (!trace->absent)
                return PS_NOMEM(err, "collective operations", a->n);
        for (uint32_t i = 0; i < a->n; i++)
                trace->absent[i] = (ps_absent){
                        a->call[i], a->of[i].id == PS_NONE ? a->of[i].absent : first_absent(a, &a->of[i])};
        trace->n_absent = a->n;
        return PS_OK;
}

ps_status ps_absent_find(ps_trace *trace, ps_error *err)
{
        calls found = {0};
        struct asking a = {.trace = trace, .x = trace->spread->x};
        ps_status status = PS_OK;
        for (ps_loc l = 0; l < trace->n_locs && status == PS_OK; l++)
                status = add_calls(&found, trace, l, err);
        a.call = found.row;
        a.n = found.n;
        if (a.n) {
                qsort(found.row, found.n, sizeof(*found.row), ps_refs_compare);
                PS_THEN(status, ps_task_ask(a.x, TASK_ABSENT, a.call, a.n * sizeof(*a.call), err));
                PS_THEN(status, ask(&a, err));
                PS_THEN(status, keep_absent(&a, trace, err));
        }
        clear(&a);
        free(found.row);
        return status;
}
