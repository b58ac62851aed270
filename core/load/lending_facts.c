/* lending_facts.c - single facts of rows that others have, and messages: see lending.h. */
#include "core/load/lending.h"
#include "core/load/lent.h"
#include "core/load/share.h"
#include "core/load/tasks.h"

#include "core/model/unexplained.h"

#include <stdlib.h>
#include <string.h>

enum { ROWS = 1 << 15 }; /* at a time */

/* Before the rows that are asked about. */
struct asked {
        uint64_t what, issues;
};

typedef int64_t of_row(const ps_trace *trace, const ps_timing *timing, ps_ref ref);

static int64_t path_of(const ps_trace *trace, const ps_timing *timing, ps_ref ref)
{
        (void)timing;
        return (int64_t)ps_op_path(&trace->ops[ref.loc], ref.op);
}

static int64_t completes_of(const ps_trace *trace, const ps_timing *timing, ps_ref ref)
{
        (void)timing;
        return ps_op_completes(&trace->ops[ref.loc], ref.op);
}

static int64_t why_of(const ps_trace *trace, const ps_timing *timing, ps_ref ref)
{
        (void)timing;
        return ps_op_unexplained_why(trace, ref);
}

static of_row *const facts[PS_LOAN_FACTS] = {[PS_LOAN_PATH] = path_of,
                                             [PS_LOAN_RECORD_END] = ps_op_record_end,
                                             [PS_LOAN_COMPLETES] = completes_of,
                                             [PS_LOAN_WHY] = why_of};

void ps_lend_facts(const ps_trace *here, unsigned n_threads, uint8_t *bytes, size_t n)
{
        ps_error err = {0};
        ps_pile nothing;
        struct asked asked;
        size_t n_rows = (n - sizeof(asked)) / sizeof(ps_ref), n_told = 0;
        int64_t *told = malloc(n_rows * sizeof(*told) + 1);
        (void)n_threads;
        memcpy(&asked, bytes, sizeof(asked));
        const ps_trace trace = ps_lent_look(here, asked.issues);
        for (size_t i = 0; told && i < n_rows; i++) {
                ps_ref ref;
                memcpy(&ref, bytes + sizeof(asked) + i * sizeof(ref), sizeof(ref));
                if (ps_share_is_here(here, ref.loc))
                        told[n_told++] = facts[asked.what](&trace, &here->measured, ref);
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
        const struct asked head = {what, ps_lent_issues(trace)};
        size_t bytes = sizeof(head) + n * sizeof(*rows);
        uint8_t *asked = malloc(bytes);
        size_t *at = malloc(x->size * sizeof(*at));
        ps_pile pile = {NULL, NULL};
        ps_status status = asked && at ? PS_OK : PS_NOMEM(err, "rows", n);
        if (asked && at) {
                memcpy(asked, &head, sizeof(head));
                memcpy(asked + sizeof(head), rows, n * sizeof(*rows));
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

/* Compilers take a function that only fetches for one without effect, and drop its calls. */
#define FETCH_INLINE __attribute__((always_inline)) static inline

/* Rows lie anywhere. */
FETCH_INLINE void fetch_row(const ps_trace *trace, ps_ref ref)
{
        __builtin_prefetch(&trace->ops[ref.loc].call[ref.op]);
}

/* And what they lead to. */
FETCH_INLINE void fetch_call(const ps_trace *trace, ps_ref ref)
{
        const ps_ops *ops = &trace->ops[ref.loc];
        __builtin_prefetch(&ops->calls[ops->call[ref.op]]);
}

ps_status ps_loan_facts(int64_t *out, ps_loan_fact what, const ps_trace *trace, const ps_timing *timing,
                        const ps_ref *rows, size_t n, ps_error *err)
{
        enum { AHEAD = 16 };
        bool is_apart = ps_share_is_apart(trace, timing);
        for (size_t i = 0; i < n; i++) {
                if (!is_apart && what == PS_LOAN_PATH && i + (size_t)2 * AHEAD < n)
                        fetch_row(trace, rows[i + (size_t)2 * AHEAD]);
                if (!is_apart && what == PS_LOAN_PATH && i + AHEAD < n)
                        fetch_call(trace, rows[i + AHEAD]);
                if (!is_apart || ps_share_is_here(trace, rows[i].loc))
                        out[i] = facts[what](trace, timing, rows[i]);
        }
        for (size_t from = 0; is_apart && from < n; from += ROWS)
                PS_TRY(ask_facts(out + from, what, trace, rows + from, n - from < ROWS ? n - from : ROWS,
                                 err));
        return PS_OK;
}

/* -- messages -- */

enum { MESSAGES = ROWS }; /* at a time */

struct listed {
        ps_loan_message *row; /* when they were received is not known yet */
        ps_ref *receive;
        int64_t *received;
        uint32_t n;
        bool goes_on;
        const ps_trace *trace;
        const ps_timing *timing;
        bool (*visit)(void *ctx, const ps_loan_message *message);
        void *ctx;
};

static ps_status visit_listed(struct listed *l, ps_error *err)
{
        PS_TRY(ps_loan_facts(l->received, PS_LOAN_RECORD_END, l->trace, l->timing, l->receive, l->n, err));
        for (uint32_t i = 0; i < l->n && l->goes_on; i++) {
                l->row[i].received = l->received[i];
                l->goes_on = l->visit(l->ctx, &l->row[i]);
        }
        l->n = 0;
        return PS_OK;
}

static ps_status list_send(struct listed *l, ps_ref send, ps_error *err)
{
        const ps_ops *ops = &l->trace->ops[send.loc];
        if (ps_kinds[ops->kind[send.op]].cls != PS_C_SEND)
                return PS_OK;
        const ps_ref receive = ps_op_partner(l->trace, send);
        if (receive.op == PS_NONE)
                return PS_OK;
        l->receive[l->n] = receive;
        l->row[l->n++] = (ps_loan_message){.send = send,
                                           .receive = receive,
                                           .sent = ps_op_record_begin(l->trace, l->timing, send),
                                           .bytes = ps_op_bytes(ops, send.op),
                                           .tag = ps_op_tag(ops, send.op)};
        return l->n == MESSAGES ? visit_listed(l, err) : PS_OK;
}

static ps_status list_of(struct listed *l, ps_loan *loan, ps_error *err)
{
        for (ps_op op = loan->first; op < loan->behind && l->goes_on; op++) {
                PS_TRY(ps_loan_reach(loan, op, err));
                PS_TRY(list_send(l, (ps_ref){loan->loc, op}, err));
        }
        return PS_OK;
}

static ps_status list_all(struct listed *l, ps_loans *loans, const ps_loan_senders *senders, ps_error *err)
{
        for (uint32_t i = 0; i < senders->n && l->goes_on; i++) {
                ps_loan loan;
                ps_status status =
                        ps_loan_take(&loan, loans, l->trace, l->timing,
                                     senders->location ? senders->location[i] : i, senders->span, err);
                PS_THEN(status, list_of(l, &loan, err));
                ps_loan_return(&loan);
                PS_TRY(status);
        }
        return l->goes_on ? visit_listed(l, err) : PS_OK;
}

ps_status ps_loan_messages(const ps_trace *trace, const ps_timing *timing, const ps_loan_senders *senders,
                           bool (*visit)(void *ctx, const ps_loan_message *message), void *ctx, ps_error *err)
{
        struct listed l = {.row = malloc(MESSAGES * sizeof(*l.row)),
                           .receive = malloc(MESSAGES * sizeof(*l.receive)),
                           .received = malloc(MESSAGES * sizeof(*l.received)),
                           .goes_on = true,
                           .trace = trace,
                           .timing = timing,
                           .visit = visit,
                           .ctx = ctx};
        ps_loans *loans = NULL;
        ps_status status = l.row && l.receive && l.received ? PS_OK : PS_NOMEM(err, "messages", MESSAGES);
        PS_THEN(status, ps_loans_new(&loans, err));
        PS_THEN(status, list_all(&l, loans, senders, err));
        ps_loans_free(loans);
        free(l.row);
        free(l.receive);
        free(l.received);
        return status;
}
