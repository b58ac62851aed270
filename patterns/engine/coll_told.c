/* coll_told.c - the sums of collective operations of which several processes have members.
 *
 * Each makes a row of what its members tell; the sum of all rows is what one process would know that has all
 * members. Where those that are waited for have their rows elsewhere they stand behind all members that are
 * here. */
#include "core/exchange/rows.h"
#include "core/load/share.h"
#include "core/match/neighbours.h"
#include "core/match/ranks.h"
#include "patterns/engine/coll_sums.h"
#include "patterns/engine/works.h"
#include "patterns/table/formula.h"

#include "core/base/memory.h"

#include <stdlib.h>
#include <string.h>

/* Each of those that are waited for by its begin, its location and its row. */
enum {
        LATEST,
        SENDER = 3, /* the latest one */
        ROOT = 6,
        ENDED = 9, /* the earliest */
        HAS_PAYLOAD,
        ASKS_ALONE, /* the root */
        N_FIELDS,
        BEGIN = 0,
        AT_LOCATION,
        AT_ROW
};

#define SOMEBODY(which, is_near_the_first)                                                                   \
        [(which) + BEGIN] = {PS_NEVER_BEGUN, is_near_the_first}, [(which) + AT_LOCATION] = {PS_NONE, false}, \
                   [(which) + AT_ROW] = {PS_NONE, false}
static const ps_reduced fields[N_FIELDS] = {SOMEBODY(LATEST, false),    SOMEBODY(SENDER, true),
                                            SOMEBODY(ROOT, true),       [ENDED] = {PS_NEVER_ENDED, true},
                                            [HAS_PAYLOAD] = {0, false}, [ASKS_ALONE] = {0, false}};
#undef SOMEBODY

struct telling {
        ps_coll_sums *s;
        const ps_trace *trace;
        uint32_t n_awaited; /* that stand behind all members */
        bool is_other;      /* between two groups, it is the other sum that is told of */
        uint32_t waiting;   /* for neighbours, the latest of which is `near`, so far; PS_NONE: nobody */
        ps_latest near;
};

/* Of those who begin at the same time the first by its place. */
static void keep_later(int64_t *to, const int64_t *other)
{
        const ps_ref a = {(ps_loc)to[AT_LOCATION], (ps_op)to[AT_ROW]},
                     b = {(ps_loc)other[AT_LOCATION], (ps_op)other[AT_ROW]};
        if (other[BEGIN] > to[BEGIN] || (other[BEGIN] == to[BEGIN] && ps_refs_compare(&b, &a) < 0))
                memcpy(to, other, 3 * sizeof(*to));
}

static void add_rows(int64_t *to, const int64_t *row)
{
        keep_later(to + LATEST, row + LATEST);
        keep_later(to + SENDER, row + SENDER);
        keep_later(to + ROOT, row + ROOT);
        to[ENDED] = earlier(to[ENDED], row[ENDED]);
        to[HAS_PAYLOAD] |= row[HAS_PAYLOAD];
        to[ASKS_ALONE] |= row[ASKS_ALONE];
}

static void put_somebody(int64_t *to, const ps_coll_sums *s, const ps_coll *coll, uint32_t member)
{
        ps_ref ref = member == PS_NONE ? (ps_ref){PS_NONE, PS_NONE} : s->trace->members[member].ref;
        to[BEGIN] = member == PS_NONE ? PS_NEVER_BEGUN : begin_of(s, coll, member);
        to[AT_LOCATION] = ref.loc;
        to[AT_ROW] = ref.op;
}

static void put_sum(void *ctx, uint32_t c, int64_t *row)
{
        const struct telling *t = ctx;
        const ps_coll_sums *s = t->s;
        const ps_coll *coll = &s->trace->colls[c];
        const struct sum *sum = ps_coll_sums_at(s, c, t->is_other);
        if (!sum)
                return;
        put_somebody(row + LATEST, s, coll, sum->latest);
        put_somebody(row + SENDER, s, coll, sum->latest_sender);
        put_somebody(row + ROOT, s, coll, coll->root);
        row[ENDED] = sum->earliest_end;
        row[HAS_PAYLOAD] = sum->has_payload;
        row[ASKS_ALONE] = !t->is_other && ps_coll_sums_ask_alone(s, coll);
}

/* The member whose row it is; of rows elsewhere a new one, but for the one that was added last. */
static uint32_t member_at(struct telling *t, uint32_t coll, ps_ref ref, ps_time begin)
{
        if (ref.op == PS_NONE)
                return PS_NONE;
        if (ps_share_has_all(t->trace) || ps_share_is_here(t->trace, ref.loc))
                return t->trace->ops[ref.loc].link[ref.op];
        uint32_t member = t->s->n_here + t->n_awaited;
        if (t->n_awaited && !ps_refs_compare(&t->trace->members[member - 1].ref, &ref))
                return member - 1;
        t->trace->members[member] = (ps_member){.ref = ref, .coll = coll};
        t->s->begin[t->n_awaited++] = begin;
        return member;
}

static uint32_t member_of(struct telling *t, uint32_t coll, const int64_t *row)
{
        return member_at(t, coll, (ps_ref){(ps_loc)row[AT_LOCATION], (ps_op)row[AT_ROW]}, row[BEGIN]);
}

static void take_sum(void *ctx, uint32_t c, const int64_t *row)
{
        struct telling *t = ctx;
        struct sum *sum = ps_coll_sums_at(t->s, c, t->is_other);
        if (!sum || !ps_coll_sums_are_shared(t->s, c))
                return;
        bool is_latest = memcmp(row + LATEST, row + SENDER, 3 * sizeof(*row)) == 0;
        sum->has_others = 1;
        sum->latest_begin = row[LATEST + BEGIN];
        sum->latest = member_of(t, c, row + LATEST);
        sum->latest_sender_begin = row[SENDER + BEGIN];
        sum->latest_sender = is_latest ? sum->latest : member_of(t, c, row + SENDER);
        t->trace->colls[c].root = member_of(t, c, row + ROOT);
        sum->earliest_end = row[ENDED];
        sum->has_payload = row[HAS_PAYLOAD] != 0;
        sum->asks_alone = row[ASKS_ALONE] != 0;
}

/* Adds up rows of those operations that several processes have members of and `is_one` picks, which all pick
 * alike. */
static ps_status reduce_some(struct telling *t, ps_exchange *x, const ps_agreed_rows *rows,
                             bool (*is_one)(const struct telling *t, uint32_t coll), ps_error *err)
{
        const ps_agreed *agreed = t->s->agreed;
        ps_agreed some = *agreed;
        some.id = ps_memory_new(agreed->n_colls * sizeof(*agreed->id));
        ps_status status = some.id ? PS_OK : PS_NOMEM(err, "collective operations", agreed->n_colls);
        uint32_t n = 0;
        for (uint32_t c = 0; c < agreed->n_colls && status == PS_OK; c++) {
                some.id[c] = ps_coll_sums_are_shared(t->s, c) && is_one(t, c) ? agreed->id[c] : PS_NONE;
                n += some.id[c] != PS_NONE;
        }
        status = ps_exchange_agree(x, status, err);
        if (status == PS_OK && ps_exchange_any(x, n))
                status = ps_agreed_reduce(&some, x, rows, err);
        free(some.id);
        return status;
}

/* -- operations that not all were in at one time -- */

static void put_end(void *ctx, uint32_t c, int64_t *row)
{
        const struct telling *t = ctx;
        const struct sum *sum = ps_coll_sums_at(t->s, c, t->is_other);
        *row = sum ? sum->earliest_end : PS_NEVER_ENDED;
}

static void take_end(void *ctx, uint32_t c, const int64_t *row)
{
        const struct telling *t = ctx;
        struct sum *sum = ps_coll_sums_at(t->s, c, t->is_other);
        if (sum)
                sum->earliest_end = *row;
}

static void add_ends(int64_t *to, const int64_t *row)
{
        *to = earlier(*to, *row);
}

/* Which these are all know by now. */
static bool narrows(const struct telling *t, uint32_t c)
{
        return ps_coll_sums_at(t->s, c, t->is_other) && ps_coll_sums_narrow(t->s, c, t->is_other);
}

static ps_status narrow(struct telling *t, ps_exchange *x, ps_error *err)
{
        static const ps_reduced field = {PS_NEVER_ENDED, false};
        const ps_agreed_rows ends = {{&field, 1, add_ends}, put_end, take_end, t};
        return reduce_some(t, x, &ends, narrows, err);
}

/* -- operations that were only begun -- */

/* Who comes back; when, and when the call before that one ended; and in which call. */
enum { CAME, WHO_LOCATION, WHO_ROW, LEFT, BACK_LOCATION, BACK_ROW, N_RETURNS };
static const ps_reduced returns[N_RETURNS] = {
        [CAME] = {PS_NEVER_BEGUN, false}, [WHO_LOCATION] = {PS_NONE, false},  [WHO_ROW] = {PS_NONE, false},
        [LEFT] = {PS_NEVER_BEGUN, true},  [BACK_LOCATION] = {PS_NONE, false}, [BACK_ROW] = {PS_NONE, false}};

/* The member whose return all have to wait for who wait for any, as far as the trace has it, or PS_NONE. */
static uint32_t returning(const ps_coll_sums *s, uint32_t c, const struct sum *sum)
{
        const ps_coll *coll = &s->trace->colls[c];
        uint16_t traits = traits_of(coll);
        uint32_t member = traits & (PS_T_BARRIER | PS_T_ALL_TO_ALL) ? sum->latest_back
                          : traits & PS_T_ONE_TO_ALL                ? coll->root
                          : traits & PS_T_ALL_TO_ONE                ? sum->latest_sender
                                                                    : sum->latest;
        return member < s->n_here ? member : PS_NONE;
}

static void put_return(void *ctx, uint32_t c, int64_t *row)
{
        const struct telling *t = ctx;
        const ps_coll_sums *s = t->s;
        const struct sum *sum = ps_coll_sums_at(s, c, t->is_other);
        if (!sum)
                return;
        uint32_t member = returning(s, c, sum);
        struct coll_back back = ps_coll_sums_back_of(s, member);
        ps_ref who = back.ref.op == PS_NONE ? back.ref : s->trace->members[member].ref;
        row[CAME] = back.came;
        row[WHO_LOCATION] = who.loc;
        row[WHO_ROW] = who.op;
        row[LEFT] = back.left;
        row[BACK_LOCATION] = back.ref.loc;
        row[BACK_ROW] = back.ref.op;
}

static void take_return(void *ctx, uint32_t c, const int64_t *row)
{
        const struct telling *t = ctx;
        const struct sum *sum = ps_coll_sums_at(t->s, c, t->is_other);
        if (sum)
                t->s->shared_back[sum - t->s->sum] = (struct coll_back){
                        {(ps_loc)row[BACK_LOCATION], (ps_op)row[BACK_ROW]}, row[CAME], row[LEFT]};
}

/* Of those who come back at the same time the first by its place. */
static void add_returns(int64_t *to, const int64_t *row)
{
        const ps_ref a = {(ps_loc)to[WHO_LOCATION], (ps_op)to[WHO_ROW]},
                     b = {(ps_loc)row[WHO_LOCATION], (ps_op)row[WHO_ROW]};
        if (row[CAME] > to[CAME] || (row[CAME] == to[CAME] && ps_refs_compare(&b, &a) < 0))
                memcpy(to, row, N_RETURNS * sizeof(*to));
}

static bool are_begun(const struct telling *t, uint32_t c)
{
        return ps_coll_sums_at(t->s, c, t->is_other) && ps_coll_sums_are_begun(t->s, c);
}

static ps_status find_returns(struct telling *t, ps_exchange *x, ps_error *err)
{
        const ps_agreed_rows rows = {{returns, N_RETURNS, add_returns}, put_return, take_return, t};
        size_t n = 2 * (t->trace->n_colls + (size_t)1);
        t->s->shared_back = ps_memory_new(n * sizeof(*t->s->shared_back));
        PS_TRY(ps_exchange_agree(x, t->s->shared_back ? PS_OK : PS_NOMEM(err, "collective operations", n),
                                 err));
        PS_TRY(reduce_some(t, x, &rows, are_begun, err));
        t->is_other = true;
        PS_TRY(reduce_some(t, x, &rows, are_begun, err));
        t->is_other = false;
        return PS_OK;
}

/* -- operations in which each waits for those of lower ranks -- */

static bool is_shared_prefix(void *ctx, uint32_t c)
{
        const struct telling *t = ctx;
        return ps_coll_sums_are_shared(t->s, c) && traits_of(&t->trace->colls[c]) & PS_T_PREFIX;
}

static bool is_told_here(void *ctx, uint32_t member)
{
        const ps_trace *trace = ((const struct telling *)ctx)->trace;
        return ps_share_is_here(trace, trace->members[member].ref.loc);
}

static ps_time sends_at(void *ctx, uint32_t member)
{
        return ps_coll_sums_sends_at(((const struct telling *)ctx)->s, member);
}

/* Who has all rows knows it already. */
static void take_lower(void *ctx, uint32_t member, const ps_latest *before)
{
        struct telling *t = ctx;
        if (ps_share_has_all(t->trace))
                return;
        uint32_t *of = &t->s->predecessor[member];
        ps_time own = sends_at(t, member);
        *of = PS_NONE;
        if (own > before->time)
                *of = member;
        else if (before->time != INT64_MIN)
                *of = member_at(t, t->trace->members[member].coll, before->ref, before->time);
}

static ps_status find_lower(struct telling *t, ps_exchange *x, ps_error *err)
{
        const ps_ranks ranks = {t->trace,     t->s->agreed, x,          is_shared_prefix,
                                is_told_here, sends_at,     take_lower, t};
        return ps_ranks_visit(&ranks, err);
}

/* -- who comes back of those of lower ranks -- */

/* For a member of one process, another one that has come to it: asked for in its process, and the answer. */
struct return_of {
        uint32_t to, from, member, nothing;
        ps_ref ref;
        ps_time came, left;
};

static uint32_t is_asked(const void *ctx, const void *row)
{
        (void)ctx;
        return ((const struct return_of *)row)->to;
}

static uint32_t is_answered(const void *ctx, const void *row)
{
        (void)ctx;
        return ((const struct return_of *)row)->from;
}

/* What the trace has itself needs not be asked for. */
static ps_status ask_return(const struct telling *t, uint32_t member, ps_dealt_rows *rows, ps_error *err)
{
        const ps_trace *trace = t->trace;
        uint32_t lower = t->s->predecessor[member];
        if (lower == PS_NONE || lower < t->s->n_here) {
                t->s->back[member] = ps_coll_sums_back_of(t->s, lower);
                return PS_OK;
        }
        if (ps_memory_room(&rows->row, rows->n, &rows->cap, 16, sizeof(struct return_of)))
                return PS_NOMEM(err, "collective operations", rows->n);
        const ps_ref ref = trace->members[lower].ref;
        ((struct return_of *)rows->row)[rows->n++] =
                (struct return_of){.to = trace->spread->owner[ps_trace_process(trace, ref.loc)],
                                   .from = trace->spread->x->rank,
                                   .member = member,
                                   .ref = ref};
        return PS_OK;
}

static ps_status ask_returns(const struct telling *t, ps_dealt_rows *rows, ps_error *err)
{
        for (uint32_t c = 0; c < t->trace->n_colls; c++) {
                const ps_coll *coll = &t->trace->colls[c];
                if (!ps_coll_sums_are_shared(t->s, c) || !(traits_of(coll) & PS_T_PREFIX) ||
                    !ps_coll_sums_are_begun(t->s, c))
                        continue;
                for (uint32_t m = coll->first; m < coll->first + coll->n; m++)
                        PS_TRY(ask_return(t, m, rows, err));
        }
        return PS_OK;
}

static void answer_returns(const struct telling *t, const ps_dealt_rows *rows)
{
        for (uint32_t i = 0; i < rows->n; i++) {
                struct return_of *row = (struct return_of *)rows->row + i;
                const uint32_t member = t->trace->ops[row->ref.loc].link[row->ref.op];
                const struct coll_back back = ps_coll_sums_back_of(t->s, member);
                row->ref = back.ref;
                row->came = back.came;
                row->left = back.left;
        }
}

static ps_status find_lower_returns(const struct telling *t, ps_exchange *x, ps_error *err)
{
        enum { WORDS = sizeof(struct return_of) / sizeof(int64_t) };
        const ps_rows_deal asked = {WORDS, is_asked, NULL}, answered = {WORDS, is_answered, NULL};
        ps_dealt_rows rows = {NULL, 0, 0};
        ps_status status = ps_exchange_rows(x, &rows, &asked, ask_returns(t, &rows, err), err);
        if (status == PS_OK) {
                answer_returns(t, &rows);
                status = ps_exchange_rows(x, &rows, &answered, PS_OK, err);
        }
        for (uint32_t i = 0; i < rows.n && status == PS_OK; i++) {
                const struct return_of *row = (const struct return_of *)rows.row + i;
                t->s->back[row->member] = (struct coll_back){row->ref, row->came, row->left};
        }
        free(rows.row);
        return status;
}

/* -- operations in which each waits for its neighbours -- */

static void tell_neighbour(void *ctx, uint32_t member, ps_neighbour *out)
{
        const ps_coll_sums *s = ((const struct telling *)ctx)->s;
        struct coll_back back = ps_coll_sums_back_of(s, member);
        out->ref = s->trace->members[member].ref;
        out->begin = ps_coll_sums_sends_at(s, member);
        out->back = back.ref;
        out->came = back.came;
        out->left = back.left;
}

/* All neighbours of the one who waits are known. */
static void settle_neighbour(struct telling *t)
{
        if (t->waiting != PS_NONE)
                t->s->predecessor[t->waiting] =
                        member_at(t, t->trace->members[t->waiting].coll, t->near.ref, t->near.time);
        t->waiting = PS_NONE;
        t->near = (ps_latest){PS_NEVER_BEGUN, {PS_NONE, PS_NONE}};
}

/* As sum_neighbour() does where all members are here. */
static void take_neighbour(void *ctx, uint32_t member, const ps_neighbour *needed)
{
        struct telling *t = ctx;
        if (t->waiting != member)
                settle_neighbour(t);
        t->waiting = member;
        if (needed->begin == INT64_MIN)
                return;
        if (needed->begin > t->near.time)
                t->near = (ps_latest){needed->begin, needed->ref};
        if (needed->came > t->s->back[member].came)
                t->s->back[member] = (struct coll_back){needed->back, needed->came, needed->left};
}

static ps_status find_neighbours(struct telling *t, ps_exchange *x, ps_error *err)
{
        const ps_neighbours neighbours = {t->trace,       t->s->agreed,   x, t->trace->spread->owner,
                                          tell_neighbour, take_neighbour, t};
        settle_neighbour(t);
        PS_TRY(ps_neighbours_visit(&neighbours, err));
        settle_neighbour(t);
        return PS_OK;
}

/* -- all of it -- */

static bool has_other(const struct telling *t, uint32_t c)
{
        return ps_coll_sums_at(t->s, c, true);
}

/* Of all members, and between two groups, in which data flows from one to the other, of those of the second.
 */
static ps_status find_sums(struct telling *t, ps_exchange *x, ps_error *err)
{
        const ps_agreed_rows rows = {{fields, N_FIELDS, add_rows}, put_sum, take_sum, t};
        PS_TRY(ps_agreed_reduce(t->s->agreed, x, &rows, err));
        PS_TRY(narrow(t, x, err));
        t->is_other = true;
        PS_TRY(reduce_some(t, x, &rows, has_other, err));
        PS_TRY(narrow(t, x, err));
        t->is_other = false;
        return PS_OK;
}

static ps_status begin(struct telling *t, unsigned n_threads, ps_error *err)
{
        const ps_trace *trace = t->trace;
        const ps_spread *spread = trace->spread;
        PS_TRY(ps_coll_sums_begin(&t->s, trace, &trace->measured, &spread->agreed, n_threads, err));
        if (ps_share_has_all(trace))
                return PS_OK;
        size_t n = 3 * (trace->n_colls + (size_t)1);
        for (uint32_t c = 0; c < trace->n_colls; c++)
                if (ps_coll_sums_are_shared(t->s, c)) {
                        bool waits_for_some = traits_of(&trace->colls[c]) & (PS_T_PREFIX | PS_T_SPARSE);
                        n += (waits_for_some ? trace->colls[c].n : 0) + (has_other(t, c) ? 3 : 0U);
                }
        t->s->begin = ps_memory_new(n * sizeof(*t->s->begin));
        return t->s->begin ? PS_OK : PS_NOMEM(err, "collective operations", trace->n_colls);
}

ps_status ps_coll_sums_together(ps_coll_sums **out, const ps_trace *trace, unsigned n_threads, ps_error *err)
{
        struct telling t = {.trace = trace, .waiting = PS_NONE};
        ps_exchange *x = trace->spread->x;
        ps_status status = ps_exchange_agree(x, begin(&t, n_threads, err), err);
        PS_THEN(status, find_sums(&t, x, err));
        PS_THEN(status, ps_coll_sums_find_alone_together(t.s, x, err));
        PS_THEN(status, find_returns(&t, x, err));
        PS_THEN(status, find_lower(&t, x, err));
        PS_THEN(status, find_lower_returns(&t, x, err));
        PS_THEN(status, find_neighbours(&t, x, err));
        *out = t.s;
        return status;
}
