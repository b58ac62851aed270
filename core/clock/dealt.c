/* dealt.c - collective operations that have members in several processes.
 *
 * Each is put together in one of these: the numbers of the operations are dealt out in blocks, and each tells
 * whoever has a number what its members add to it. There the steps stand in the order in which they would
 * stand if all rows were there. */
#include "core/base/search.h"
#include "core/base/vector.h"
#include "core/clock/flow.h"

#include <stdlib.h>

/* Of all processes, in a block. */
enum { STEPS_AT_ONCE = 1 << 20 };

struct told {
        uint32_t id;
        ps_comm comm;
        ps_ref ref;
        ps_time time, stay;
        uint32_t order;
        uint8_t kind, takes;
};

struct dealing {
        ps_flows *flows;
        uint32_t few;
        uint32_t next; /* of those here */
        PS_VECTOR(struct told) out;
        PS_VECTOR(ps_step) step;
        PS_VECTOR(ps_time) stay;
        ps_pile in;
};

static uint32_t count_at_once(const ps_flows *flows)
{
        uint32_t n = STEPS_AT_ONCE / (2 * flows->trace->defs.processes.n + 1);
        return n ? n : 1;
}

/* -- telling -- */

static bool tell_part(struct dealing *d, uint32_t coll)
{
        const ps_trace *trace = d->flows->trace;
        const ps_flow flow = ps_flow_part(d->flows, coll);
        bool lacks = false;
        for (uint32_t i = 0; i < flow.n; i++) {
                const ps_step *s = &flow.step[i];
                const struct told told = {.id = d->flows->apart->id[coll],
                                          .comm = flow.of->comm,
                                          .ref = s->ref,
                                          .time = s->time,
                                          .stay = ps_flow_stay(trace, s->ref),
                                          .order = s->order,
                                          .kind = (uint8_t)flow.of->kind,
                                          .takes = s->takes};
                lacks |= PS_PUSH(d->out, told) != 0;
        }
        return !lacks;
}

static bool is_left_out(const struct dealing *d, const ps_coll *coll)
{
        const ps_defs *defs = &d->flows->trace->defs;
        return coll->comm < defs->comms.n && defs->comms.row[coll->comm].n_members <= d->few;
}

/* Those whose numbers are below `end`. Process p puts together those up to its part of them. */
static ps_status tell_block(struct dealing *d, size_t *ends, uint32_t first, uint32_t end, ps_error *err)
{
        const ps_clock_apart *apart = d->flows->apart;
        d->out.n = 0;
        for (uint32_t p = 0; p < apart->x->size; p++) {
                uint32_t until = first + (uint32_t)((uint64_t)(end - first) * (p + 1) / apart->x->size);
                for (; d->next < apart->n_dealt && apart->id[apart->dealt[d->next]] < until; d->next++) {
                        uint32_t coll = apart->dealt[d->next];
                        if (!is_left_out(d, &d->flows->trace->colls[coll]) && !tell_part(d, coll))
                                return PS_NOMEM(err, "members elsewhere", d->out.n);
                }
                ends[p] = d->out.n * sizeof(*d->out.row);
        }
        return PS_OK;
}

/* -- putting together -- */

static int compare_told(const void *a, const void *b)
{
        const struct told *x = a, *y = b;
        PS_ORDER_BY(x->id, y->id);
        PS_ORDER_BY(x->order, y->order);
        return ps_refs_compare(&x->ref, &y->ref);
}

/* Who takes before anybody gives waits for nobody. */
static ps_status show_one(struct dealing *d, const struct told *told, uint32_t n, ps_flow_visitor visit,
                          void *ctx, ps_error *err)
{
        const ps_coll of = {.kind = told->kind, .comm = told->comm};
        uint32_t n_gives = 0;
        d->step.n = d->stay.n = 0;
        for (uint32_t i = 0; i < n; i++) {
                const struct told *t = &told[i];
                const ps_step step = {.ref = t->ref,
                                      .time = t->time,
                                      .process = ps_trace_process(d->flows->trace, t->ref.loc),
                                      .takes = t->takes};
                if (t->takes && !n_gives)
                        continue;
                n_gives += !t->takes;
                if (PS_PUSH(d->step, step) || PS_PUSH(d->stay, t->stay))
                        return PS_NOMEM(err, "members elsewhere", n);
        }
        const ps_flow flow = {d->step.row, d->step.n, n_gives, &of, d->stay.row};
        return n_gives < flow.n ? visit(ctx, &flow, told->id, err) : PS_OK;
}

static ps_status show_block(struct dealing *d, ps_flow_visitor visit, void *ctx, ps_error *err)
{
        struct told *told = (struct told *)(void *)d->in.bytes;
        size_t n = d->in.end[d->flows->apart->x->size - 1] / sizeof(*told);
        if (n)
                qsort(told, n, sizeof(*told), compare_told);
        for (size_t i = 0, j; i < n; i = j) {
                for (j = i + 1; j < n && told[j].id == told[i].id;)
                        j++;
                PS_TRY(show_one(d, &told[i], (uint32_t)(j - i), visit, ctx, err));
        }
        return PS_OK;
}

/* What fails in one of them is agreed on before the next block, or at the end. */
static ps_status deal_blocks(struct dealing *d, size_t *ends, ps_status status, ps_flow_visitor visit,
                             void *ctx, ps_error *err)
{
        const ps_clock_apart *apart = d->flows->apart;
        uint32_t at_once = count_at_once(d->flows);
        for (uint32_t first = 0, end; first < apart->n_all; first = end) {
                end = apart->n_all - first > at_once ? first + at_once : apart->n_all;
                PS_THEN(status, tell_block(d, ends, first, end, err));
                PS_TRY(ps_exchange_agree(apart->x, status, err));
                const ps_pile out = {(uint8_t *)d->out.row, ends};
                PS_TRY(ps_exchange_deal(apart->x, &d->in, &out, err));
                status = show_block(d, visit, ctx, err);
                ps_pile_clear(&d->in);
        }
        return status;
}

ps_status ps_flows_visit_dealt(ps_flows *flows, uint32_t few, ps_status status, ps_flow_visitor visit,
                               void *ctx, ps_error *err)
{
        struct dealing d = {.flows = flows, .few = few};
        ps_exchange *x = flows->apart->x;
        size_t *ends = calloc(x->size, sizeof(*ends));
        PS_THEN(status, ends ? PS_OK : PS_NOMEM(err, "processes", x->size));
        status = deal_blocks(&d, ends, status, visit, ctx, err);
        free(ends);
        free(d.out.row);
        free(d.step.row);
        free(d.stay.row);
        return ps_exchange_agree(x, status, err);
}

uint32_t ps_flows_find_dealt(const ps_flows *flows, uint32_t number)
{
        const ps_clock_apart *apart = flows->apart;
        uint32_t at = 0, n = apart ? apart->n_dealt : 0;
        PS_BISECT(at, n, i, apart->id[apart->dealt[i]] < number);
        return at < n && apart->id[apart->dealt[at]] == number ? apart->dealt[at] : PS_NONE;
}
