/* ranks.c - see ranks.h.
 *
 * Members of a process whose ranks follow each other are a run, of which one row tells. One process gets all
 * rows of an operation, and answers each with the latest of the runs before it. */
#include "core/match/ranks.h"

#include "core/base/memory.h"
#include "core/base/search.h"
#include "core/base/vector.h"
#include "core/exchange/numbers.h"

#include <assert.h>
#include <stdlib.h>

/* Of an operation; after the answer `latest` is that of all runs before it. */
struct run {
        uint32_t id, rank;
        ps_latest latest;
        uint32_t at; /* its place among those that came */
};

struct visiting {
        const ps_ranks *r;
        uint32_t *member_of;
        PS_VECTOR(struct run) runs;
        uint32_t next; /* of them, once they are answered */
        ps_latest before;
        uint32_t last_rank;
};

static const ps_latest nobody = {INT64_MIN, {PS_NONE, PS_NONE}};

static void keep_later(ps_latest *to, const ps_latest *other)
{
        if (other->time > to->time)
                *to = *other;
}

/* -- the members that are here -- */

typedef void rank_visitor(struct visiting *v, uint32_t coll, uint32_t rank, uint32_t member);

static void pass(void *ctx, uint32_t member)
{
        (void)ctx;
        (void)member;
}

static void visit_coll(struct visiting *v, uint32_t c, rank_visitor *visit)
{
        const ps_trace *trace = v->r->trace;
        const ps_coll *coll = &trace->colls[c];
        v->last_rank = PS_NONE - 1;
        v->before = nobody;
        ps_coll_visit_ranks(trace, coll, v->member_of, pass, NULL); /* fills member_of */
        for (uint32_t rank = 0; rank < trace->defs.comms.row[coll->comm].n_members; rank++) {
                uint32_t member = ps_coll_member(trace, coll, v->member_of, rank);
                if (member != PS_NONE && v->r->is_here(v->r->ctx, member))
                        visit(v, c, rank, member);
        }
}

static void visit_colls(struct visiting *v, rank_visitor *visit)
{
        for (uint32_t c = 0; c < v->r->trace->n_colls; c++)
                if (v->r->is_one(v->r->ctx, c))
                        visit_coll(v, c, visit);
}

static ps_latest latest_of(const struct visiting *v, uint32_t member)
{
        ps_time when = v->r->when(v->r->ctx, member);
        return when == INT64_MIN ? nobody : (ps_latest){when, v->r->trace->members[member].ref};
}

/* Begins a run where the one before ends; those without memory are missed by their number. */
static void count_rank(struct visiting *v, uint32_t c, uint32_t rank, uint32_t member)
{
        uint32_t id = v->r->agreed->id[c];
        ps_latest own = latest_of(v, member);
        if (id == PS_NONE)
                return;
        bool begins = rank != v->last_rank + 1;
        v->last_rank = rank;
        v->next += begins;
        if (begins)
                PS_PUSH(v->runs, ((struct run){.id = id, .rank = rank, .latest = own}));
        else if (v->runs.n == v->next)
                keep_later(&v->runs.row[v->runs.n - 1].latest, &own);
}

static void take_rank(struct visiting *v, uint32_t c, uint32_t rank, uint32_t member)
{
        ps_latest own = latest_of(v, member);
        if (v->r->agreed->id[c] != PS_NONE && rank != v->last_rank + 1) {
                assert(v->next < v->runs.n && v->runs.row);
                v->before = v->runs.row[v->next++].latest;
        }
        v->last_rank = rank;
        v->r->take(v->r->ctx, member, &v->before);
        keep_later(&v->before, &own);
}

static ps_status begin(struct visiting *v, ps_error *err)
{
        v->member_of = malloc(ps_coll_room(v->r->trace) * sizeof(*v->member_of));
        if (!v->member_of)
                return PS_NOMEM(err, "collective operations", v->r->trace->n_colls);
        visit_colls(v, count_rank);
        bool is_well = v->runs.n == v->next;
        v->next = 0;
        return is_well ? PS_OK : PS_NOMEM(err, "collective operations", v->runs.n);
}

/* -- what is told -- */

/* What rows are told as steps from. */
struct last {
        uint32_t id;
        ps_time time;
};

static void put_latest(ps_numbers *text, const ps_latest *latest, struct last *last)
{
        bool is_there = latest->time != INT64_MIN;
        ps_numbers_put(text, is_there ? latest->ref.loc + (uint64_t)1 : 0);
        if (!is_there)
                return;
        ps_numbers_put(text, latest->ref.op);
        ps_numbers_put_step(text, latest->time, &last->time);
}

static ps_latest take_latest(const uint8_t **at, struct last *last)
{
        ps_latest latest = nobody;
        uint64_t location = ps_numbers_take(at);
        if (!location)
                return latest;
        latest.ref = (ps_ref){(ps_loc)(location - 1), (ps_op)ps_numbers_take(at)};
        latest.time = ps_numbers_take_step(at, &last->time);
        return latest;
}

/* Operations are dealt out by their numbers. */
static uint32_t owner_of(const ps_ranks *r, uint32_t id)
{
        return (uint32_t)((uint64_t)id * r->x->size / ((uint64_t)r->agreed->n_all + 1));
}

static ps_status tell(const struct visiting *v, ps_pile *out, ps_error *err)
{
        ps_numbers text = {0};
        uint32_t i = 0;
        out->end = calloc(v->r->x->size, sizeof(*out->end));
        if (!out->end)
                return PS_NOMEM(err, "processes", v->r->x->size);
        for (uint32_t p = 0; p < v->r->x->size; p++) {
                struct last last = {0, 0};
                for (; i < v->runs.n && owner_of(v->r, v->runs.row[i].id) == p; i++) {
                        const struct run *run = &v->runs.row[i];
                        ps_numbers_put(&text, run->id - last.id);
                        last.id = run->id;
                        ps_numbers_put(&text, run->rank);
                        put_latest(&text, &run->latest, &last);
                }
                out->end[p] = text.n;
        }
        out->bytes = text.row;
        return text.lacks ? PS_NOMEM(err, "bytes for other processes", text.n) : PS_OK;
}

/* -- who answers -- */

typedef PS_VECTOR(struct run) runs;

static ps_status read_runs(runs *to, const ps_pile *in, uint32_t size, uint32_t *n_from, ps_error *err)
{
        for (uint32_t p = 0; p < size; p++) {
                size_t n;
                const uint8_t *at = ps_pile_part(in, p, &n), *end = at + n;
                struct last last = {0, 0};
                while (at < end) {
                        struct run run = {.id = last.id += (uint32_t)ps_numbers_take(&at), .at = to->n};
                        run.rank = (uint32_t)ps_numbers_take(&at);
                        run.latest = take_latest(&at, &last);
                        if (PS_PUSH(*to, run))
                                return PS_NOMEM(err, "collective operations", to->n);
                        n_from[p]++;
                }
        }
        return PS_OK;
}

static int compare_runs(const void *a, const void *b)
{
        const struct run *x = a, *y = b;
        PS_ORDER_BY(x->id, y->id);
        return PS_ORDER(x->rank, y->rank);
}

static int compare_places(const void *a, const void *b)
{
        const struct run *x = a, *y = b;
        return PS_ORDER(x->at, y->at);
}

/* Each gets the latest of those before it, and all stand as they came again. */
static void find_latest(runs *all)
{
        ps_latest before = nobody;
        if (!all->n)
                return;
        qsort(all->row, all->n, sizeof(*all->row), compare_runs);
        for (uint32_t i = 0; i < all->n; i++) {
                struct run *run = &all->row[i];
                ps_latest own = run->latest;
                before = i && run[-1].id == run->id ? before : nobody;
                run->latest = before;
                keep_later(&before, &own);
        }
        qsort(all->row, all->n, sizeof(*all->row), compare_places);
}

static ps_status answer(const ps_pile *in, ps_pile *out, uint32_t size, ps_error *err)
{
        runs all = {0};
        ps_numbers text = {0};
        uint32_t *n_from = calloc(size, sizeof(*n_from)), i = 0;
        out->end = calloc(size, sizeof(*out->end));
        ps_status status = n_from && out->end ? read_runs(&all, in, size, n_from, err)
                                              : PS_NOMEM(err, "processes", size);
        if (status == PS_OK)
                find_latest(&all);
        for (uint32_t p = 0; p < size && status == PS_OK; p++) {
                struct last last = {0, 0};
                for (; n_from[p]; n_from[p]--)
                        put_latest(&text, &all.row[i++].latest, &last);
                out->end[p] = text.n;
        }
        free(n_from);
        free(all.row);
        out->bytes = text.row;
        PS_TRY(status);
        return text.lacks ? PS_NOMEM(err, "bytes for other processes", text.n) : PS_OK;
}

static void hear(struct visiting *v, const ps_pile *in)
{
        uint32_t i = 0;
        for (uint32_t p = 0; p < v->r->x->size; p++) {
                size_t n;
                const uint8_t *at = ps_pile_part(in, p, &n), *end = at + n;
                for (struct last last = {0, 0}; at < end;) {
                        assert(i < v->runs.n && v->runs.row);
                        v->runs.row[i++].latest = take_latest(&at, &last);
                }
        }
}

/* -- all of it -- */

static ps_status exchange_runs(struct visiting *v, ps_error *err)
{
        ps_exchange *x = v->r->x;
        ps_pile out = {NULL, NULL}, in = {NULL, NULL}, told = {NULL, NULL}, answers = {NULL, NULL};
        ps_status status = ps_exchange_agree(x, tell(v, &out, err), err);
        PS_THEN(status, ps_exchange_deal(x, &in, &out, err));
        if (status == PS_OK)
                status = ps_exchange_agree(x, answer(&in, &answers, x->size, err), err);
        PS_THEN(status, ps_exchange_deal(x, &told, &answers, err));
        if (status == PS_OK)
                hear(v, &told);
        ps_pile_clear(&out);
        ps_pile_clear(&in);
        ps_pile_clear(&told);
        ps_pile_clear(&answers);
        return status;
}

ps_status ps_ranks_visit(const ps_ranks *ranks, ps_error *err)
{
        struct visiting v = {.r = ranks};
        ps_status status = ps_exchange_agree(ranks->x, begin(&v, err), err);
        if (status == PS_OK && ps_exchange_any(ranks->x, v.runs.n))
                status = exchange_runs(&v, err);
        if (status == PS_OK)
                visit_colls(&v, take_rank);
        free(v.member_of);
        free(v.runs.row);
        return status;
}
