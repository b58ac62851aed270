/* late.c - messages that fit nobody where their receiver is, and may fit each other if communicators do not
 * count.
 *
 * All that is left goes to process 0, about 25 bytes a row. There it stands for the rows of all, each in its
 * own location, and is matched as ever (rest.c); the answer is the partner, in the order in which the rows
 * came. */
#include "core/match/ends.h"
#include "core/match/match.h"

#include "core/base/memory.h"
#include "core/exchange/numbers.h"

#include <stdlib.h>
#include <string.h>

/* A row as it is told, as a call that begins and ends with its records. */
enum sort { SENDS, RECEIVES, NEVER_RECEIVES };

struct left {
        ps_ref ref;
        enum sort sort;
        uint32_t peer, comm, tag, rank;
        uint64_t bytes;
        ps_time begin, end;
};

/* What rows are told as steps from. */
struct last {
        ps_ref ref;
        ps_time begin;
};

static const struct last nothing = {{PS_NONE, PS_NONE}, 0};

static bool is_left(const ps_ops *ops, ps_op op)
{
        return (ps_kind_sends(ops->kind[op]) || ps_kind_receives(ops->kind[op])) &&
               ps_op_comm(ops, op) != PS_NONE && !(ops->flags[op] & (PS_OP_MATCHED | PS_OP_CANCELLED));
}

static struct left left_of(const ps_trace *trace, ps_ref ref)
{
        const ps_ops *ops = &trace->ops[ref.loc];
        bool ends = ps_op_completion(trace, ref).op != PS_NONE;
        return (struct left){.ref = ref,
                             .sort = ps_kind_sends(ops->kind[ref.op]) ? SENDS
                                     : ends                           ? RECEIVES
                                                                      : NEVER_RECEIVES,
                             .peer = ps_op_peer(ops, ref.op),
                             .comm = ps_op_comm(ops, ref.op),
                             .tag = ps_op_tag(ops, ref.op),
                             .rank = ops->link[ref.op],
                             .bytes = ps_op_bytes(ops, ref.op),
                             .begin = ps_op_record_begin(trace, &trace->measured, ref),
                             .end = ps_op_record_end(trace, &trace->measured, ref)};
}

static void put_left(ps_numbers *text, const struct left *row, struct last *last)
{
        if (row->ref.loc != last->ref.loc) { /* no step of a row is 0 */
                ps_numbers_put(text, 0);
                ps_numbers_put(text, row->ref.loc);
                last->ref = (ps_ref){row->ref.loc, PS_NONE};
        }
        ps_numbers_put(text, row->ref.op - last->ref.op);
        last->ref.op = row->ref.op;
        ps_numbers_put(text, row->sort);
        ps_numbers_put(text, row->peer + 1U);
        ps_numbers_put(text, row->comm);
        ps_numbers_put(text, row->tag);
        ps_numbers_put(text, row->rank + 1U);
        ps_numbers_put(text, row->bytes);
        ps_numbers_put_step(text, row->begin, &last->begin);
        ps_numbers_put_signed(text, ps_time_sub(row->end, row->begin));
}

static void take_left(struct left *row, const uint8_t **at, struct last *last)
{
        uint64_t step = ps_numbers_take(at);
        if (!step) {
                last->ref = (ps_ref){(ps_loc)ps_numbers_take(at), PS_NONE};
                step = ps_numbers_take(at);
        }
        last->ref.op += (uint32_t)step;
        row->ref = last->ref;
        row->sort = (enum sort)ps_numbers_take(at);
        row->peer = (uint32_t)ps_numbers_take(at) - 1U;
        row->comm = (uint32_t)ps_numbers_take(at);
        row->tag = (uint32_t)ps_numbers_take(at);
        row->rank = (uint32_t)ps_numbers_take(at) - 1U;
        row->bytes = ps_numbers_take(at);
        row->begin = ps_numbers_take_step(at, &last->begin);
        row->end = ps_time_add(row->begin, ps_numbers_take_signed(at));
}

static ps_status tell_left(ps_numbers *text, const ps_trace *trace, ps_error *err)
{
        struct last last = nothing;
        for (ps_loc l = 0; l < trace->n_locs; l++)
                for (ps_op op = 0; op < trace->ops[l].n; op++)
                        if (is_left(&trace->ops[l], op)) {
                                struct left row = left_of(trace, (ps_ref){l, op});
                                put_left(text, &row, &last);
                        }
        return text->lacks ? PS_NOMEM(err, "messages that find nobody", text->n) : PS_OK;
}

/* -- process 0 -- */

/* The rows of all that are left, as a trace of their own. */
struct lefts {
        ps_trace trace;
        const uint32_t *owner;
        uint32_t **real; /* by location: the numbers of its rows in the whole trace */
        void *columns;
};

/* Calls visit for each row that came. */
static void read_left(const ps_pile *in, uint32_t size,
                      void (*visit)(struct lefts *to, const struct left *row), struct lefts *to)
{
        for (uint32_t p = 0; p < size; p++) {
                size_t n;
                const uint8_t *at = ps_pile_part(in, p, &n), *end = at + n;
                struct last last = nothing;
                struct left row;
                while (at < end) {
                        take_left(&row, &at, &last);
                        visit(to, &row);
                }
        }
}

static void count_row(struct lefts *to, const struct left *row)
{
        to->trace.ops[row->ref.loc].n++;
}

static void add_row(struct lefts *to, const struct left *row)
{
        static const uint8_t kinds[] = {
                [SENDS] = PS_K_SEND, [RECEIVES] = PS_K_RECV, [NEVER_RECEIVES] = PS_K_IRECV};
        ps_loc l = row->ref.loc;
        ps_ops *ops = &to->trace.ops[l];
        ps_op op = ops->n++;
        ops->kind[op] = kinds[row->sort];
        ops->flags[op] = 0;
        ops->peer[op] = row->peer;
        ops->tag[op] = row->tag;
        ops->call[op] = ops->n_calls++;
        ops->calls[op] = (struct ps_call){.bytes = row->bytes, .peer = row->peer, .comm = row->comm};
        ops->link[op] = row->rank;
        ops->done[op] = PS_NONE;
        ops->pre[op] = ops->post[op] = 0;
        to->trace.measured.enter[l][op] = row->begin;
        to->trace.measured.leave[l][op] = row->end;
        to->real[l][op] = row->ref.op;
}

/* The columns of a location, at *at. */
static void place_columns(struct lefts *to, ps_loc l, char **at)
{
        ps_ops *ops = &to->trace.ops[l];
        size_t n = ops->n;
#define COLUMN(column)                                                                                       \
        (column) = (void *)*at;                                                                              \
        *at += n * sizeof(*(column));
        COLUMN(to->trace.measured.enter[l])
        COLUMN(to->trace.measured.leave[l])
        COLUMN(ops->calls)
        COLUMN(ops->call)
        COLUMN(ops->peer)
        COLUMN(ops->tag)
        COLUMN(ops->link)
        COLUMN(ops->done)
        COLUMN(ops->pre)
        COLUMN(ops->post)
        COLUMN(to->real[l])
        COLUMN(ops->kind)
        COLUMN(ops->flags)
#undef COLUMN
        *at += -(uintptr_t)*at % sizeof(ps_time);
        ops->n = 0;
}

static ps_status make_room(struct lefts *to, const ps_trace *trace, ps_error *err)
{
        size_t n = trace->n_locs + (size_t)1;
        to->trace = (ps_trace){.defs = trace->defs, .n_locs = trace->n_locs, .arena = trace->arena};
        to->trace.ops = calloc(n, sizeof(*to->trace.ops));
        to->trace.measured.enter = calloc(n, sizeof(*to->trace.measured.enter));
        to->trace.measured.leave = calloc(n, sizeof(*to->trace.measured.leave));
        to->real = calloc(n, sizeof(*to->real));
        return to->trace.ops && to->trace.measured.enter && to->trace.measured.leave && to->real
                       ? PS_OK
                       : PS_NOMEM(err, "locations", n);
}

static ps_status make_trace(struct lefts *to, const ps_trace *trace, const ps_pile *in, uint32_t size,
                            ps_error *err)
{
        enum { ROW_BYTES = 2 * sizeof(ps_time) + sizeof(struct ps_call) + 8 * sizeof(uint32_t) + 2 };
        PS_TRY(make_room(to, trace, err));
        read_left(in, size, count_row, to);
        size_t bytes = 0;
        for (ps_loc l = 0; l < trace->n_locs; l++)
                bytes += (size_t)to->trace.ops[l].n * ROW_BYTES + sizeof(ps_time);
        if (!(to->columns = ps_memory_new(bytes)))
                return PS_NOMEM(err, "messages that find nobody", bytes);
        char *at = to->columns;
        for (ps_loc l = 0; l < trace->n_locs; l++)
                place_columns(to, l, &at);
        read_left(in, size, add_row, to);
        return PS_OK;
}

static void clear_lefts(struct lefts *l)
{
        free(l->trace.ops);
        free(l->trace.measured.enter);
        free(l->trace.measured.leave);
        free(l->real);
        free(l->columns);
}

static void count_matched(const struct lefts *l, ps_match_late *out)
{
        const ps_location_def *locations = l->trace.defs.locations.row;
        for (ps_loc loc = 0; loc < l->trace.n_locs; loc++)
                for (ps_op op = 0; op < l->trace.ops[loc].n; op++) {
                        const ps_ops *ops = &l->trace.ops[loc];
                        if (!ps_kind_receives(ops->kind[op]) || !(ops->flags[op] & PS_OP_MATCHED))
                                continue;
                        out->matched++;
                        out->crossing += l->owner[locations[loc].process] !=
                                         l->owner[locations[ps_op_peer(ops, op)].process];
                }
}

/* Of the rows of one process, in the order in which they came. */
static void answer_process(ps_numbers *text, const struct lefts *l, uint32_t p)
{
        for (ps_loc loc = 0; loc < l->trace.n_locs; loc++) {
                const ps_ops *ops = &l->trace.ops[loc];
                for (ps_op op = 0; op < ops->n; op++) {
                        if (l->owner[l->trace.defs.locations.row[loc].process] != p)
                                break;
                        bool is_matched = ops->flags[op] & PS_OP_MATCHED;
                        ps_loc other = is_matched ? ps_op_peer(ops, op) : PS_NONE;
                        ps_numbers_put(text, other + 1U);
                        if (is_matched)
                                ps_numbers_put(text, l->real[other][ops->link[op]]);
                }
        }
}

static ps_status lead(struct lefts *l, const ps_trace *trace, const ps_pile *in, ps_exchange *x,
                      unsigned n_threads, ps_match_late *out, const ps_match_look *look, ps_pile *answers,
                      ps_error *err)
{
        ps_numbers text = {0};
        PS_TRY(make_trace(l, trace, in, x->size, err));
        PS_TRY(ps_match_late_rows(&l->trace, n_threads, &out->comms, err));
        count_matched(l, out);
        out->real = l->real;
        PS_TRY(look->look(look->ctx, &l->trace, NULL, n_threads, err));
        out->real = NULL;
        for (uint32_t p = 0; p < x->size; p++) {
                answer_process(&text, l, p);
                answers->end[p] = text.n;
        }
        answers->bytes = text.row;
        return text.lacks ? PS_NOMEM(err, "messages that find nobody", text.n) : PS_OK;
}

/* -- who has the rows -- */

static void hear(const ps_trace *trace, const uint8_t *at)
{
        for (ps_loc l = 0; l < trace->n_locs; l++)
                for (ps_op op = 0; op < trace->ops[l].n; op++) {
                        if (!is_left(&trace->ops[l], op))
                                continue;
                        ps_loc other = (ps_loc)ps_numbers_take(&at) - 1U;
                        if (other != PS_NONE)
                                point_at(&trace->ops[l], op, (ps_ref){other, (ps_op)ps_numbers_take(&at)});
                }
}

/* -- all of it -- */

static ps_status gather_left(ps_pile *in, const ps_trace *trace, ps_exchange *x, ps_error *err)
{
        ps_numbers text = {0};
        ps_status status = ps_exchange_agree(x, tell_left(&text, trace, err), err);
        PS_THEN(status, ps_exchange_gather(x, in, text.row, text.n, err));
        free(text.row);
        return status;
}

ps_status ps_match_late_here(ps_trace *trace, const uint32_t *owner, ps_exchange *x, unsigned n_threads,
                             ps_match_late *out, const ps_match_look *look, ps_error *err)
{
        struct lefts lefts = {.owner = owner};
        ps_pile in = {NULL, NULL}, answers = {NULL, calloc(x->size, sizeof(*answers.end))},
                told = {NULL, NULL};
        *out = (ps_match_late){0};
        ps_status status = answers.end ? PS_OK : PS_NOMEM(err, "processes", x->size);
        const ps_status others = ps_exchange_agree(x, status, err);
        PS_THEN(status, others);
        PS_THEN(status, gather_left(&in, trace, x, err));
        if (status == PS_OK) {
                if (!x->rank)
                        status = lead(&lefts, trace, &in, x, n_threads, out, look, &answers, err);
                status = ps_exchange_agree(x, status, err);
        }
        clear_lefts(&lefts);
        PS_THEN(status, ps_exchange_deal(x, &told, &answers, err));
        if (status == PS_OK)
                hear(trace, told.bytes);
        ps_pile_clear(&in);
        ps_pile_clear(&answers);
        ps_pile_clear(&told);
        return status;
}
