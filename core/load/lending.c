/* lending.c - see lending.h.
 *
 * While process 0 has borrowed rows of a location, its columns stand elsewhere than those with the single
 * rows that were brought there, which are in their place again afterwards. There is room for all rows, so
 * that each has its own place, but no memory in it where there are none now. */
#include "core/load/lending.h"
#include "core/load/share.h"
#include "core/load/tasks.h"

#include "core/fold/outline.h"
#include "core/model/unexplained.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

ps_op ps_loan_at_once = 1 << 16;

/* -- a location -- */

/* What process 0 asks for. */
struct lending {
        ps_loc loc;
        bool begins; /* a loan: with the first row of the span */
        ps_op from, at_once;
        uint32_t stand_in; /* see ps_agreed: in process 0 */
        bool is_moved;     /* times are not those that were recorded */
        bool has_span;
        ps_span span;
        uint64_t issues; /* a bit for each sort that the whole trace has */
};

_Static_assert(PS_I_COUNT <= 64, "they have a bit each");

/* What it hears first. */
struct parcel {
        uint32_t n_pieces;
        ps_op first, behind;
        bool has_pieces, adds_up;
};

/* What stands beside rows, by row. */
struct beside {
        uint32_t *operation; /* see ps_loan_operation */
        uint32_t *link;      /* as process 0 is to have it */
        uint8_t *is_unexplained;
};

/* In process 0. */
struct ps_lent {
        struct beside beside;
        void *pages;
        size_t bytes;
        /* What stood in their place. */
        ps_ops ops;
        ps_time *enter, *leave;
        ps_pieces pieces;
        struct parcel parcel;
};

/* The rows at hand, and those beside them. */
struct range {
        ps_op from, end;
};

static struct range range_with_neighbours(const ps_ops *ops, ps_op from, ps_op at_once)
{
        struct range r = {from ? from - 1 : 0, ops->n};
        if (from < ops->n && ops->n - from > at_once)
                r.end = from + at_once + 1;
        return r;
}

/* Up to the end of the last gap: those of the first one that they do not lie in are not needed. */
static ps_status pass_pieces(ps_pass *p, const ps_trace *trace, const ps_pieces *pieces, struct range r)
{
        PS_TRY(ps_outline_pass_placed(p, trace, pieces->end + r.from, r.end - r.from + (size_t)1,
                                      sizeof(*pieces->end)));
        uint32_t first = r.from ? pieces->end[r.from] : 0, behind = pieces->end[r.end];
        return ps_outline_pass_placed(p, trace, pieces->piece + first, behind - first,
                                      sizeof(*pieces->piece));
}

/* `beside` is that of the first of these rows. */
static ps_status pass_rows(ps_pass *p, const ps_trace *trace, ps_loc loc, struct range r,
                           struct beside beside, bool has_pieces)
{
        const size_t n = r.end - r.from;
        PS_TRY(ps_outline_pass_range(p, trace, loc, r.from, r.end));
        PS_TRY(ps_outline_pass_placed(p, trace, beside.link, n, sizeof(*beside.link)));
        PS_TRY(ps_outline_pass_placed(p, trace, beside.operation, n, sizeof(*beside.operation)));
        PS_TRY(ps_outline_pass_placed(p, trace, beside.is_unexplained, n, sizeof(*beside.is_unexplained)));
        return has_pieces ? pass_pieces(p, trace, &trace->pieces[loc], r) : PS_OK;
}

/* -- who has the rows -- */

static bool is_member(const ps_ops *ops, ps_op op)
{
        return ps_kinds[ops->kind[op]].cls == PS_C_COLL && ops->flags[op] & PS_OP_MATCHED;
}

/* Of rows of collective operations, which operation that is, and what stands for it in process 0. */
static void name_operations(const ps_trace *here, const struct lending *asked, struct range r,
                            const struct beside *out)
{
        const ps_ops *ops = &here->ops[asked->loc];
        for (ps_op op = r.from; op < r.end; op++) {
                out->operation[op - r.from] = PS_NONE;
                out->link[op - r.from] = ops->link[op];
                if (!is_member(ops, op))
                        continue;
                uint32_t coll = here->members[ops->link[op]].coll;
                out->operation[op - r.from] = here->spread->agreed.number[coll];
                out->link[op - r.from] = asked->stand_in + !here->colls[coll].complete;
        }
}

/* Of the call that each belongs to. What kinds of calls wait in any case, by their names, process 0 knows. */
static void find_unexplained(const ps_trace *here, const struct lending *asked, struct range r, uint8_t *out)
{
        const ps_ops *ops = &here->ops[asked->loc];
        ps_trace trace = *here;
        ps_op call = r.from;
        for (int i = 0; i < PS_I_COUNT; i++)
                trace.issues.row[i].count = asked->issues >> i & 1;
        trace.n_paths = 0;
        while (call > 0 && ps_op_continues(ops, call))
                call--;
        bool is_unexplained = ps_op_unexplained_why(&trace, (ps_ref){asked->loc, call}) != PS_EXPLAINED;
        for (ps_op op = r.from; op < r.end; op++) {
                if (op > r.from && !ps_op_continues(ops, op))
                        is_unexplained =
                                ps_op_unexplained_why(&trace, (ps_ref){asked->loc, op}) != PS_EXPLAINED;
                out[op - r.from] = is_unexplained;
        }
}

static ps_status settle_pieces(const ps_trace *here, const struct lending *asked, struct parcel *out,
                               ps_error *err)
{
        const ps_pieces *pieces = here->pieces ? &here->pieces[asked->loc] : NULL;
        ps_trace moved = *here;
        if (!pieces || !pieces->end)
                return PS_OK;
        moved.clock.repaired = asked->is_moved;
        if (asked->begins)
                PS_TRY(ps_pieces_settle_of(&moved, asked->loc, err));
        out->n_pieces = pieces->n;
        out->has_pieces = true;
        out->adds_up = pieces->adds_up != 0;
        return PS_OK;
}

/* The rows of the span, or all. */
static void find_span(const ps_time *enter, const ps_ops *ops, const ps_span *span, ps_op *first,
                      ps_op *behind)
{
        *first = 0;
        *behind = ops->n;
        if (span)
                *behind = ps_rows_of_span(enter, ops->n, *span, first) + *first;
}

static ps_status put_answer(ps_pass *put, const ps_trace *here, const struct lending *asked, ps_error *err)
{
        const ps_ops *ops = &here->ops[asked->loc];
        struct parcel parcel = {.n_pieces = 0};
        PS_TRY(settle_pieces(here, asked, &parcel, err));
        find_span(here->measured.enter[asked->loc], ops, asked->has_span ? &asked->span : NULL, &parcel.first,
                  &parcel.behind);
        struct range r =
                range_with_neighbours(ops, asked->begins ? parcel.first : asked->from, asked->at_once);
        const size_t n = r.end - r.from;
        uint32_t *room = malloc(n * (2 * sizeof(*room) + 1) + 1);
        struct beside beside = {room, room + n, (uint8_t *)(room + 2 * n)};
        if (!room)
                return PS_NOMEM(err, "operations", n);
        name_operations(here, asked, r, &beside);
        if (n)
                find_unexplained(here, asked, r, beside.is_unexplained);
        ps_status status = PS_OK;
        for (int way = PS_PASS_MEASURE; way <= PS_PASS_PUT && status == PS_OK; way++) {
                ps_pass p = {.way = (ps_pass_way)way, .bytes = put->bytes, .size = put->size, .err = err};
                status = ps_pass_values(&p, &parcel, 1, sizeof(parcel));
                PS_THEN(status, pass_rows(&p, here, asked->loc, r, beside, parcel.has_pieces));
                put->size = p.used;
                if (way == PS_PASS_MEASURE && status == PS_OK && !(put->bytes = malloc(put->size)))
                        status = PS_NOMEM(err, "operations", n);
        }
        free(room);
        return status;
}

void ps_lend_rows(const ps_trace *here, unsigned n_threads, uint8_t *bytes, size_t n)
{
        struct lending asked;
        ps_error err = {0};
        ps_pass put = {.bytes = NULL};
        ps_status status = PS_OK;
        ps_pile nothing;
        (void)n_threads;
        assert(n == sizeof(asked));
        memcpy(&asked, bytes, n);
        if (ps_share_is_here(here, asked.loc))
                status = put_answer(&put, here, &asked, &err);
        ps_share_gather(here->spread->x, status, &nothing, put.bytes, put.size, &err);
        free(put.bytes);
}

/* -- process 0 -- */

/* Everything has its place, though nothing is there. */
static ps_status make_room(ps_loan *loan, struct ps_lent *lent, ps_error *err)
{
        const ps_trace *trace = loan->trace;
        ps_ops *ops = &trace->ops[loan->loc];
        const struct parcel *parcel = &lent->parcel;
        const size_t n = ops->n, pieces = parcel->n_pieces * sizeof(ps_piece);
        const size_t columns = ps_outline_bytes(&trace->defs, ops);
        lent->bytes = columns + pieces + (n + 1) * (3 * sizeof(uint32_t) + 1);
        lent->pages = ps_outline_pages(lent->bytes);
        if (!lent->pages)
                return PS_NOMEM(err, "operations", n);
        char *at = (char *)lent->pages + columns;
        uint32_t *numbers = (uint32_t *)(void *)(at + pieces);
        loan->lent = lent;
        lent->ops = *ops;
        lent->enter = trace->measured.enter[loan->loc];
        lent->leave = trace->measured.leave[loan->loc];
        ps_outline_stand(trace, loan->loc, lent->pages);
        lent->beside = (struct beside){numbers + n + 1, ops->link, (uint8_t *)(numbers + 3 * (n + 1))};
        if (parcel->has_pieces) {
                lent->pieces = trace->pieces[loan->loc];
                trace->pieces[loan->loc] = (ps_pieces){.end = numbers,
                                                       .piece = (ps_piece *)(void *)at,
                                                       .n = parcel->n_pieces,
                                                       .adds_up = parcel->adds_up};
        }
        return PS_OK;
}

static ps_status begin_loan(ps_loan *loan, const struct parcel *parcel, ps_error *err)
{
        struct ps_lent *lent = calloc(1, sizeof(*lent));
        if (!lent)
                return PS_NOMEM(err, "operations", 1);
        lent->parcel = *parcel;
        ps_status status = make_room(loan, lent, err);
        if (status != PS_OK)
                free(lent);
        loan->first = parcel->first;
        loan->behind = parcel->behind;
        return status;
}

/* Takes what the owner has put. */
static ps_status take_answer(ps_loan *loan, const struct lending *asked, const uint8_t *bytes, size_t n,
                             ps_error *err)
{
        const ps_trace *trace = loan->trace;
        const ps_ops *ops = &trace->ops[loan->loc];
        ps_pass take = {.way = PS_PASS_TAKE, .bytes = (uint8_t *)bytes, .size = n, .err = err};
        struct parcel parcel;
        PS_TRY(ps_pass_values(&take, &parcel, 1, sizeof(parcel)));
        if (asked->begins)
                PS_TRY(begin_loan(loan, &parcel, err));
        else
                ps_outline_empty(loan->lent->pages, loan->lent->bytes);
        loan->from = asked->begins ? parcel.first : asked->from;
        struct range r = range_with_neighbours(ops, loan->from, asked->at_once);
        struct beside beside = loan->lent->beside;
        loan->end = r.end == ops->n ? PS_NONE : r.end - 1;
        beside.operation += r.from;
        beside.link += r.from;
        beside.is_unexplained += r.from;
        return pass_rows(&take, trace, loan->loc, r, beside, parcel.has_pieces);
}

static ps_status ask_rows(ps_loan *loan, struct lending *asked, ps_error *err)
{
        const ps_trace *trace = loan->trace;
        ps_exchange *x = trace->spread->x;
        ps_pile pile;
        asked->loc = loan->loc;
        asked->at_once = ps_loan_at_once;
        asked->stand_in = trace->spread->agreed.stand_in;
        asked->is_moved = trace->clock.repaired || trace->clock.moved;
        for (int i = 0; i < PS_I_COUNT; i++)
                asked->issues |= (uint64_t)(trace->issues.row[i].count > 0) << i;
        PS_TRY(ps_task_ask(x, TASK_LEND, asked, sizeof(*asked), err));
        ps_status status = ps_share_gather(x, PS_OK, &pile, NULL, 0, err);
        if (status == PS_OK) {
                size_t n;
                uint32_t owner = trace->spread->owner[trace->defs.locations.row[loan->loc].process];
                const uint8_t *bytes = ps_pile_part(&pile, owner, &n);
                status = take_answer(loan, asked, bytes, n, err);
                x->told.sum_bytes += n;
        }
        ps_pile_clear(&pile);
        return status;
}

ps_status ps_loan_take(ps_loan *out, const ps_trace *trace, const ps_timing *timing, ps_loc loc,
                       const ps_span *span, ps_error *err)
{
        struct lending asked;
        *out = (ps_loan){.trace = trace, .loc = loc, .end = PS_NONE};
        if (!ps_share_is_apart(trace, timing) || ps_share_is_here(trace, loc)) {
                find_span(timing->enter[loc], &trace->ops[loc], span, &out->first, &out->behind);
                return PS_OK;
        }
        memset(&asked, 0, sizeof(asked)); /* what is between its parts is sent, too */
        asked.begins = true;
        asked.has_span = span != NULL;
        if (span)
                asked.span = *span;
        return ask_rows(out, &asked, err);
}

ps_status ps_loan_move(ps_loan *loan, ps_op op, ps_error *err)
{
        struct lending asked;
        memset(&asked, 0, sizeof(asked));
        asked.from = op;
        return ask_rows(loan, &asked, err);
}

void ps_loan_return(ps_loan *loan)
{
        const ps_trace *trace = loan->trace;
        struct ps_lent *lent = loan->lent;
        if (!lent)
                return;
        trace->ops[loan->loc] = lent->ops;
        trace->measured.enter[loan->loc] = lent->enter;
        trace->measured.leave[loan->loc] = lent->leave;
        if (lent->parcel.has_pieces)
                trace->pieces[loan->loc] = lent->pieces;
        ps_outline_give_back(lent->pages, lent->bytes);
        free(lent);
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
        return loan->lent ? loan->lent->beside.operation[op]
                          : number_of(trace, trace->members[trace->ops[loan->loc].link[op]].coll);
}

bool ps_loan_is_unexplained(const ps_loan *loan, ps_op op)
{
        const ps_ref ref = {loan->loc, op};
        if (loan->lent)
                return loan->lent->beside.is_unexplained[op] && !ps_op_is_pgas(loan->trace, ref);
        const ps_ops *ops = &loan->trace->ops[loan->loc];
        ps_op call = op;
        while (call > 0 && ps_op_continues(ops, call))
                call--;
        return ps_op_unexplained_why(loan->trace, (ps_ref){loan->loc, call}) != PS_EXPLAINED;
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

/* Of rows from `from` on that are at hand; returns where to go on. */
static ps_op list_messages(const ps_loan *loan, ps_op from, ps_op send[MESSAGES], ps_ref receive[MESSAGES],
                           uint32_t *n)
{
        const ps_ops *ops = &loan->trace->ops[loan->loc];
        ps_op end = loan->end < loan->behind ? loan->end : loan->behind;
        for (*n = 0; from < end && *n < MESSAGES; from++) {
                if (ps_kinds[ops->kind[from]].cls != PS_C_SEND)
                        continue;
                receive[*n] = ps_op_partner(loan->trace, (ps_ref){loan->loc, from});
                send[*n] = from;
                *n += receive[*n].op != PS_NONE;
        }
        return from;
}

ps_status ps_loan_messages(ps_loan *loan, const ps_timing *timing,
                           bool (*visit)(void *ctx, const ps_loan_message *message), void *ctx, ps_error *err)
{
        ps_op send[MESSAGES] = {0}, op = loan->first;
        ps_ref receive[MESSAGES] = {{0, 0}};
        int64_t received[MESSAGES] = {0};
        uint32_t n;
        for (bool goes_on = true; op < loan->behind && goes_on;) {
                PS_TRY(ps_loan_reach(loan, op, err));
                op = list_messages(loan, op, send, receive, &n);
                PS_TRY(ps_loan_facts(received, PS_LOAN_RECORD_END, loan->trace, timing, receive, n, err));
                for (uint32_t i = 0; i < n && goes_on; i++) {
                        const ps_loan_message message = {send[i], receive[i], received[i]};
                        goes_on = visit(ctx, &message);
                }
        }
        return PS_OK;
}
