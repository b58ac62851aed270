/* lending.c - see lending.h.
 *
 * While process 0 has borrowed rows of a location, its columns stand elsewhere than those with the single
 * rows that were brought there, which are in their place again afterwards. There is room for all rows, so
 * that each has its own place, but no memory in it where there are none now. */
#include "core/load/lending.h"
#include "core/load/lent.h"
#include "core/load/share.h"
#include "core/load/tasks.h"

#include "core/base/memory.h"
#include "core/fold/outline.h"
#include "core/model/unexplained.h"

#include <stdlib.h>
#include <string.h>

ps_op ps_loan_at_once = 1 << 16;

/* A location. */
struct ps_lent {
        struct beside beside;
        void *pages; /* for one after the other */
        size_t bytes;
        /* What stood in their place. */
        ps_ops ops;
        ps_time *enter, *leave;
        ps_pieces pieces;
        struct parcel parcel;
};

struct ps_loans {
        struct ps_lent lent;
        /* What has come of locations that nobody has taken yet, and of which span: */
        const ps_trace *trace;
        ps_pile pile;
        ps_pass ahead;
        bool has_span;
        ps_span span;
};

ps_status ps_loans_new(ps_loans **out, ps_error *err)
{
        *out = calloc(1, sizeof(**out));
        return *out ? PS_OK : PS_NOMEM(err, "operations of others", 1);
}

static void forget_ahead(ps_loans *loans)
{
        ps_pile_clear(&loans->pile);
        loans->ahead = (ps_pass){.way = PS_PASS_TAKE};
}

void ps_loans_free(ps_loans *loans)
{
        if (!loans)
                return;
        forget_ahead(loans);
        if (loans->lent.pages)
                ps_outline_give_back(loans->lent.pages, loans->lent.bytes);
        free(loans);
}

/* Those of the last location may do. */
static ps_status have_pages(struct ps_lent *lent, size_t bytes, ps_error *err)
{
        if (lent->pages && lent->bytes >= bytes)
                return PS_OK;
        if (lent->pages)
                ps_outline_give_back(lent->pages, lent->bytes);
        lent->bytes = bytes;
        lent->pages = ps_outline_pages(bytes);
        return lent->pages ? PS_OK : PS_NOMEM(err, "bytes of operations", bytes);
}

/* Everything has its place, though nothing is there. */
static ps_status make_room(ps_loan *loan, struct ps_lent *lent, ps_error *err)
{
        const ps_trace *trace = loan->trace;
        ps_ops *ops = &trace->ops[loan->loc];
        const struct parcel *parcel = &lent->parcel;
        const size_t n = ops->n, pieces = parcel->n_pieces * sizeof(ps_piece);
        const size_t columns = ps_outline_bytes(&trace->defs, ops);
        PS_TRY(have_pages(lent, columns + pieces + (n + 1) * (3 * sizeof(uint32_t) + 1), err));
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

/* The rows that stand next in an answer. */
static ps_status take_rows(ps_loan *loan, const struct parcel *parcel, ps_op from, ps_pass *take)
{
        const ps_trace *trace = loan->trace;
        const struct range r = parcel->range;
        struct beside beside = loan->lent->beside;
        loan->from = from;
        loan->end = r.end == trace->ops[loan->loc].n ? PS_NONE : r.end - 1;
        beside.operation += r.from;
        beside.link += r.from;
        beside.is_unexplained += r.from;
        return ps_lent_pass_rows(take, trace, loan->loc, r, beside, parcel->has_pieces);
}

static ps_status ask_rows(ps_pile *out, ps_pass *take, const ps_trace *trace, struct lending *asked,
                          ps_error *err)
{
        ps_exchange *x = trace->spread->x;
        asked->at_once = ps_loan_at_once;
        asked->stand_in = trace->spread->agreed.stand_in;
        asked->is_moved = trace->clock.repaired || trace->clock.moved;
        asked->issues = ps_lent_issues(trace);
        PS_TRY(ps_task_ask(x, TASK_LEND, asked, sizeof(*asked), err));
        PS_TRY(ps_share_gather(x, PS_OK, out, NULL, 0, err));
        uint32_t owner = trace->spread->owner[trace->defs.locations.row[asked->loc].process];
        size_t n;
        uint8_t *bytes = out->bytes + (ps_pile_part(out, owner, &n) - out->bytes);
        *take = (ps_pass){.way = PS_PASS_TAKE, .bytes = bytes, .size = n, .err = err};
        return PS_OK;
}

/* Has the location come already? Those before it nobody wants any more. */
static bool find_ahead(ps_loans *loans, ps_loc loc, struct parcel *parcel)
{
        ps_pass *ahead = &loans->ahead;
        while (ahead->used < ahead->size && ps_pass_values(ahead, parcel, 1, sizeof(*parcel)) == PS_OK) {
                if (parcel->loc >= loc)
                        return parcel->loc == loc;
                ahead->used += parcel->bytes;
        }
        return false;
}

static bool is_same_span(const ps_loans *loans, const ps_span *span)
{
        return loans->has_span == (span != NULL) &&
               (!span || (loans->span.begin == span->begin && loans->span.end == span->end));
}

static ps_status reach_location(ps_loans *loans, const ps_trace *trace, ps_loc loc, const ps_span *span,
                                ps_error *err)
{
        struct parcel *parcel = &loans->lent.parcel;
        loans->ahead.err = err;
        if (loans->trace == trace && is_same_span(loans, span) && find_ahead(loans, loc, parcel))
                return PS_OK;
        struct lending asked;
        memset(&asked, 0, sizeof(asked)); /* what is between its parts is sent, too */
        asked.loc = loc;
        asked.begins = true;
        asked.has_span = loans->has_span = span != NULL;
        if (span)
                asked.span = loans->span = *span;
        forget_ahead(loans);
        loans->trace = trace;
        PS_TRY(ask_rows(&loans->pile, &loans->ahead, trace, &asked, err));
        return ps_pass_values(&loans->ahead, parcel, 1, sizeof(*parcel));
}

ps_status ps_loan_take(ps_loan *out, ps_loans *loans, const ps_trace *trace, const ps_timing *timing,
                       ps_loc loc, const ps_span *span, ps_error *err)
{
        *out = (ps_loan){.trace = trace, .loc = loc, .end = PS_NONE};
        if (!ps_share_is_apart(trace, timing) || ps_share_is_here(trace, loc)) {
                ps_lent_span(timing->enter[loc], &trace->ops[loc], span, &out->first, &out->behind);
                return PS_OK;
        }
        const struct parcel *parcel = &loans->lent.parcel;
        PS_TRY(reach_location(loans, trace, loc, span, err));
        ps_status status = make_room(out, &loans->lent, err);
        out->first = parcel->first;
        out->behind = parcel->behind;
        PS_THEN(status, take_rows(out, parcel, parcel->first, &loans->ahead));
        if (status != PS_OK || loans->ahead.used == loans->ahead.size)
                forget_ahead(loans);
        return status;
}

ps_status ps_loan_move(ps_loan *loan, ps_op op, ps_error *err)
{
        struct lending asked;
        struct parcel parcel;
        ps_pile pile = {NULL, NULL};
        ps_pass take;
        memset(&asked, 0, sizeof(asked));
        asked.loc = loan->loc;
        asked.from = op;
        ps_outline_empty(loan->lent->pages, loan->lent->bytes);
        ps_status status = ask_rows(&pile, &take, loan->trace, &asked, err);
        PS_THEN(status, ps_pass_values(&take, &parcel, 1, sizeof(parcel)));
        PS_THEN(status, take_rows(loan, &parcel, op, &take));
        ps_pile_clear(&pile);
        return status;
}

/* Where all rows of the next location come, these may stay until then. */
static void leave_pages(const struct ps_lent *lent)
{
        if (lent->ops.n > ps_loan_at_once)
                ps_outline_empty(lent->pages, lent->bytes);
        else
                ps_memory_poison(lent->pages, lent->bytes);
}

void ps_loan_return(ps_loan *loan)
{
        const ps_trace *trace = loan->trace;
        const struct ps_lent *lent = loan->lent;
        if (!lent)
                return;
        trace->ops[loan->loc] = lent->ops;
        trace->measured.enter[loan->loc] = lent->enter;
        trace->measured.leave[loan->loc] = lent->leave;
        if (lent->parcel.has_pieces)
                trace->pieces[loan->loc] = lent->pieces;
        leave_pages(lent);
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
