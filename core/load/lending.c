/* lending.c - see lending.h.
 *
 * While process 0 has borrowed a location, its columns stand elsewhere than those with the single rows that
 * were brought there, which are in their place again afterwards. */
#include "core/load/lending.h"
#include "core/load/share.h"
#include "core/load/tasks.h"

#include "core/fold/outline.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* -- a location -- */

struct lending {
        ps_loc loc;
        uint32_t stand_in; /* see ps_agreed: in process 0 */
        uint32_t is_moved; /* times are not those that were recorded */
};

/* What comes with the rows. */
struct parcel {
        uint32_t n_pieces;
        uint8_t has_pieces, adds_up;
};

static bool is_member(const ps_ops *ops, ps_op op)
{
        return ps_kinds[ops->kind[op]].cls == PS_C_COLL && ops->flags[op] & PS_OP_MATCHED;
}

/* Of rows of collective operations, which operation that is, and what stands for it in process 0. */
static void name_operations(const ps_trace *here, const struct lending *asked, uint32_t *operation,
                            uint32_t *link)
{
        const ps_ops *ops = &here->ops[asked->loc];
        for (ps_op op = 0; op < ops->n; op++) {
                operation[op] = PS_NONE;
                link[op] = ops->link[op];
                if (!is_member(ops, op))
                        continue;
                uint32_t coll = here->members[ops->link[op]].coll;
                operation[op] = here->spread->agreed.number[coll];
                link[op] = asked->stand_in + !here->colls[coll].complete;
        }
}

static void send_location(const ps_trace *here, ps_loc loc, const struct parcel *parcel,
                          const uint32_t *operation, const uint32_t *link)
{
        ps_exchange *x = here->spread->x;
        const ps_ops *ops = &here->ops[loc];
        ps_exchange_send(x, 0, here->measured.enter[loc], ps_outline_rows_bytes(&here->defs, ops));
        ps_exchange_send(x, 0, ops->calls, ops->n_calls * sizeof(*ops->calls));
        ps_exchange_send(x, 0, ops->completed, ops->n_completed * sizeof(*ops->completed));
        ps_exchange_send(x, 0, link, ops->n * sizeof(*link));
        ps_exchange_send(x, 0, operation, ops->n * sizeof(*operation));
        if (!parcel->has_pieces)
                return;
        ps_exchange_send(x, 0, here->pieces[loc].end, (ops->n + (size_t)1) * sizeof(*here->pieces[loc].end));
        ps_exchange_send(x, 0, here->pieces[loc].piece, parcel->n_pieces * sizeof(*here->pieces[loc].piece));
}

static ps_status settle_pieces(const ps_trace *here, const struct lending *asked, struct parcel *out,
                               ps_error *err)
{
        const ps_pieces *pieces = here->pieces ? &here->pieces[asked->loc] : NULL;
        ps_trace moved = *here;
        if (!pieces || !pieces->end)
                return PS_OK;
        moved.clock.repaired = asked->is_moved != 0;
        PS_TRY(ps_pieces_settle_of(&moved, asked->loc, err));
        *out = (struct parcel){pieces->n, true, pieces->adds_up};
        return PS_OK;
}

void ps_lend_location(const ps_trace *here, unsigned n_threads, uint8_t *bytes, size_t n)
{
        struct lending asked;
        struct parcel parcel = {.n_pieces = 0};
        ps_exchange *x = here->spread->x;
        ps_error err = {0};
        ps_pile nothing;
        (void)n_threads;
        assert(n == sizeof(asked));
        memcpy(&asked, bytes, n);
        bool is_here = ps_share_is_here(here, asked.loc);
        size_t n_rows = is_here ? here->ops[asked.loc].n : 0;
        uint32_t *operation = malloc(2 * n_rows * sizeof(*operation) + 1);
        ps_status status = operation ? PS_OK : PS_NOMEM(&err, "operations", n_rows);
        if (is_here)
                PS_THEN(status, settle_pieces(here, &asked, &parcel, &err));
        if (is_here && status == PS_OK)
                name_operations(here, &asked, operation, operation + n_rows);
        status = ps_share_gather(x, status, &nothing, &parcel, is_here ? sizeof(parcel) : 0, &err);
        if (status == PS_OK)
                status = ps_exchange_agree(x, PS_OK, &err); /* process 0 has room for it */
        if (status == PS_OK && is_here)
                send_location(here, asked.loc, &parcel, operation, operation + n_rows);
        free(operation);
}

static ps_status make_room(ps_loan *loan, const struct parcel *parcel, ps_error *err)
{
        const ps_trace *trace = loan->trace;
        ps_ops *ops = &trace->ops[loan->loc];
        size_t n = ops->n;
        ps_pieces pieces = {.adds_up = parcel->adds_up, .n = parcel->n_pieces};
        loan->columns = malloc(ps_outline_bytes(&trace->defs, ops));
        loan->operation = malloc(n * sizeof(*loan->operation) + 1);
        if (parcel->has_pieces) {
                pieces.end = malloc((n + 1) * sizeof(*pieces.end));
                pieces.piece = malloc(parcel->n_pieces * sizeof(*pieces.piece) + 1);
        }
        if (!loan->columns || !loan->operation || (parcel->has_pieces && (!pieces.end || !pieces.piece))) {
                free(pieces.end);
                free(pieces.piece);
                free(loan->columns);
                free(loan->operation);
                *loan = (ps_loan){.trace = trace, .loc = loan->loc};
                return PS_NOMEM(err, "operations", n);
        }
        loan->ops = *ops;
        loan->enter = trace->measured.enter[loan->loc];
        loan->leave = trace->measured.leave[loan->loc];
        ps_outline_stand(trace, loan->loc, loan->columns);
        loan->has_pieces = parcel->has_pieces;
        if (parcel->has_pieces) {
                loan->pieces = trace->pieces[loan->loc];
                trace->pieces[loan->loc] = pieces;
        }
        return PS_OK;
}

static void receive_location(const ps_loan *loan, uint32_t from, const struct parcel *parcel)
{
        const ps_trace *trace = loan->trace;
        ps_exchange *x = trace->spread->x;
        const ps_ops *ops = &trace->ops[loan->loc];
        ps_exchange_receive(x, from, loan->columns, ps_outline_rows_bytes(&trace->defs, ops));
        ps_exchange_receive(x, from, ops->calls, ops->n_calls * sizeof(*ops->calls));
        ps_exchange_receive(x, from, ops->completed, ops->n_completed * sizeof(*ops->completed));
        ps_exchange_receive(x, from, ops->link, ops->n * sizeof(*ops->link));
        ps_exchange_receive(x, from, loan->operation, ops->n * sizeof(*loan->operation));
        x->told.sum_bytes += ps_outline_bytes(&trace->defs, ops) + 2 * sizeof(*ops->link) * ops->n;
        if (!parcel->has_pieces)
                return;
        const ps_pieces *pieces = &trace->pieces[loan->loc];
        ps_exchange_receive(x, from, pieces->end, (ops->n + (size_t)1) * sizeof(*pieces->end));
        ps_exchange_receive(x, from, pieces->piece, pieces->n * sizeof(*pieces->piece));
        x->told.sum_bytes += ops->n * sizeof(*pieces->end) + pieces->n * sizeof(*pieces->piece);
}

ps_status ps_loan_take(ps_loan *out, const ps_trace *trace, const ps_timing *timing, ps_loc loc,
                       ps_error *err)
{
        *out = (ps_loan){.trace = trace, .loc = loc};
        if (!ps_share_is_apart(trace, timing) || ps_share_is_here(trace, loc))
                return PS_OK;
        ps_exchange *x = trace->spread->x;
        const struct lending asked = {loc, trace->spread->agreed.stand_in,
                                      trace->clock.repaired || trace->clock.moved};
        struct parcel parcel;
        ps_pile pile;
        PS_TRY(ps_task_ask(x, TASK_LEND, &asked, sizeof(asked), err));
        PS_TRY(ps_share_gather(x, PS_OK, &pile, NULL, 0, err));
        memcpy(&parcel, pile.bytes, sizeof(parcel));
        ps_pile_clear(&pile);
        PS_TRY(ps_exchange_agree(x, make_room(out, &parcel, err), err));
        receive_location(out, trace->spread->owner[trace->defs.locations.row[loc].process], &parcel);
        return PS_OK;
}

void ps_loan_return(ps_loan *loan)
{
        const ps_trace *trace = loan->trace;
        if (!loan->columns)
                return;
        trace->ops[loan->loc] = loan->ops;
        trace->measured.enter[loan->loc] = loan->enter;
        trace->measured.leave[loan->loc] = loan->leave;
        if (loan->has_pieces) {
                free(trace->pieces[loan->loc].end);
                free(trace->pieces[loan->loc].piece);
                trace->pieces[loan->loc] = loan->pieces;
        }
        free(loan->columns);
        free(loan->operation);
        *loan = (ps_loan){.trace = trace, .loc = loan->loc};
}

/* Of an operation that this process has. */
static uint32_t number_of(const ps_trace *trace, uint32_t coll)
{
        bool is_apart = trace->spread && trace->spread->rows_are_away;
        return is_apart ? trace->spread->agreed.number[coll] : coll;
}

uint32_t ps_loan_operation(const ps_loan *loan, ps_op op)
{
        const ps_trace *trace = loan->trace;
        return loan->operation ? loan->operation[op]
                               : number_of(trace, trace->members[trace->ops[loan->loc].link[op]].coll);
}

/* -- single facts -- */

enum { ROWS = 1 << 15 }; /* at a time */

static int64_t fact_of(const ps_trace *trace, const ps_timing *timing, ps_ref ref, ps_loan_fact what)
{
        return what == PS_LOAN_PATH ? (int64_t)ps_op_path(&trace->ops[ref.loc], ref.op)
                                    : ps_op_record_end(trace, timing, ref);
}

/* Asked: of what, and then the rows. */
void ps_lend_facts(const ps_trace *here, unsigned n_threads, uint8_t *asked, size_t n)
{
        ps_error err = {0};
        ps_pile nothing;
        uint32_t what;
        size_t n_rows = (n - sizeof(what)) / sizeof(ps_ref), n_told = 0;
        int64_t *told = malloc(n_rows * sizeof(*told) + 1);
        (void)n_threads;
        memcpy(&what, asked, sizeof(what));
        for (size_t i = 0; told && i < n_rows; i++) {
                ps_ref ref;
                memcpy(&ref, asked + sizeof(what) + i * sizeof(ref), sizeof(ref));
                if (ps_share_is_here(here, ref.loc))
                        told[n_told++] = fact_of(here, &here->measured, ref, (ps_loan_fact)what);
        }
        ps_share_gather(here->spread->x, told ? PS_OK : PS_NOMEM(&err, "rows", n_rows), &nothing, told,
                        n_told * sizeof(*told), &err);
        free(told);
}

/* Each has answered in the order of the rows. */
static void take_facts(int64_t *out, const ps_trace *trace, const ps_pile *pile, const ps_ref *rows,
                       size_t *at, size_t n)
{
        const ps_spread *s = trace->spread;
        for (uint32_t p = 1; p < s->x->size; p++)
                at[p] = pile->end[p - 1];
        for (size_t i = 0; i < n; i++) {
                uint32_t owner = s->owner[trace->defs.locations.row[rows[i].loc].process];
                if (!owner)
                        continue;
                memcpy(&out[i], pile->bytes + at[owner], sizeof(*out));
                at[owner] += sizeof(*out);
        }
}

static ps_status ask_facts(int64_t *out, ps_loan_fact what, const ps_trace *trace, const ps_ref *rows,
                           size_t n, ps_error *err)
{
        ps_exchange *x = trace->spread->x;
        uint32_t number = what;
        size_t bytes = sizeof(number) + n * sizeof(*rows);
        uint8_t *asked = malloc(bytes);
        size_t *at = malloc(x->size * sizeof(*at));
        ps_pile pile = {NULL, NULL};
        ps_status status = asked && at ? PS_OK : PS_NOMEM(err, "rows", n);
        if (asked && at) {
                memcpy(asked, &number, sizeof(number));
                memcpy(asked + sizeof(number), rows, n * sizeof(*rows));
                PS_THEN(status, ps_task_ask(x, TASK_FACTS, asked, bytes, err));
                PS_THEN(status, ps_share_gather(x, PS_OK, &pile, NULL, 0, err));
        }
        if (status == PS_OK && at)
                take_facts(out, trace, &pile, rows, at, n);
        ps_pile_clear(&pile);
        free(asked);
        free(at);
        return status;
}

ps_status ps_loan_facts(int64_t *out, ps_loan_fact what, const ps_trace *trace, const ps_timing *timing,
                        const ps_ref *rows, size_t n, ps_error *err)
{
        bool is_apart = ps_share_is_apart(trace, timing);
        for (size_t i = 0; i < n; i++)
                if (!is_apart || ps_share_is_here(trace, rows[i].loc))
                        out[i] = fact_of(trace, timing, rows[i], what);
        for (size_t from = 0; is_apart && from < n; from += ROWS)
                PS_TRY(ask_facts(out + from, what, trace, rows + from, n - from < ROWS ? n - from : ROWS,
                                 err));
        return PS_OK;
}

/* -- messages -- */

enum { MESSAGES = 4096 }; /* at a time */

/* Of rows from .. end; returns where to go on. */
static ps_op list_messages(const ps_trace *trace, ps_ref from, ps_op end, ps_op send[MESSAGES],
                           ps_ref receive[MESSAGES], uint32_t *n)
{
        const ps_ops *ops = &trace->ops[from.loc];
        for (*n = 0; from.op < end && *n < MESSAGES; from.op++) {
                if (ps_kinds[ops->kind[from.op]].cls != PS_C_SEND)
                        continue;
                receive[*n] = ps_op_partner(trace, from);
                send[*n] = from.op;
                *n += receive[*n].op != PS_NONE;
        }
        return from.op;
}

ps_status ps_loan_messages(const ps_trace *trace, const ps_timing *timing, ps_ref from, ps_op end,
                           bool (*visit)(void *ctx, const ps_loan_message *message), void *ctx, ps_error *err)
{
        ps_op send[MESSAGES] = {0};
        ps_ref receive[MESSAGES] = {{0, 0}};
        int64_t received[MESSAGES] = {0};
        uint32_t n;
        for (bool goes_on = true; from.op < end && goes_on;) {
                from.op = list_messages(trace, from, end, send, receive, &n);
                PS_TRY(ps_loan_facts(received, PS_LOAN_RECORD_END, trace, timing, receive, n, err));
                for (uint32_t i = 0; i < n && goes_on; i++) {
                        const ps_loan_message message = {send[i], receive[i], received[i]};
                        goes_on = visit(ctx, &message);
                }
        }
        return PS_OK;
}
