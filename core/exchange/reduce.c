/* reduce.c - see reduce.h.
 *
 * The text of a row: by how much its thing is behind the one before, which of its numbers tell something, and
 * these. Whoever has added them up answers with the sums, in the order in which they came. */
#include "core/exchange/reduce.h"
#include "core/exchange/numbers.h"

#include "core/base/memory.h"

#include <stdlib.h>

struct reducing {
        ps_exchange *x;
        const ps_reduction *r;
        uint32_t n_ids;
        int64_t *sums; /* of the things that are added up here */
        ps_pile out, in;
};

/* What rows are told as steps from. */
struct last {
        uint32_t id;
        int64_t first;
};

static uint32_t first_of(const struct reducing *g, uint32_t p)
{
        return (uint32_t)((uint64_t)g->n_ids * p / g->x->size);
}

static void put_row(const ps_reduction *r, ps_numbers *text, struct last *last, uint32_t id,
                    const int64_t *row)
{
        unsigned tells = 0;
        for (unsigned i = 0; i < r->n_fields; i++)
                tells |= (unsigned)(row[i] != r->field[i].nothing) << i;
        ps_numbers_put(text, id - last->id);
        ps_numbers_put(text, tells);
        for (unsigned i = 0; i < r->n_fields; i++) {
                int64_t near = row[0];
                if (!i && tells & 1)
                        ps_numbers_put_step(text, row[0], &last->first);
                else if (tells >> i & 1 && r->field[i].is_near)
                        ps_numbers_put_step(text, row[i], &near);
                else if (tells >> i & 1)
                        ps_numbers_put_signed(text, row[i]);
        }
        last->id = id;
}

static uint32_t take_row(const ps_reduction *r, const uint8_t **at, struct last *last, int64_t *row)
{
        last->id += (uint32_t)ps_numbers_take(at);
        unsigned tells = (unsigned)ps_numbers_take(at);
        for (unsigned i = 0; i < r->n_fields; i++) {
                int64_t near = i ? row[0] : 0;
                if (!(tells >> i & 1))
                        row[i] = r->field[i].nothing;
                else if (!i)
                        row[0] = ps_numbers_take_step(at, &last->first);
                else if (r->field[i].is_near)
                        row[i] = ps_numbers_take_step(at, &near);
                else
                        row[i] = ps_numbers_take_signed(at);
        }
        return last->id;
}

/* The text, of which g->out.end[p] are the ends. */
static ps_status keep_text(struct reducing *g, ps_numbers *text, ps_error *err)
{
        g->out.bytes = text->row;
        return text->lacks ? PS_NOMEM(err, "bytes for other processes", text->n) : PS_OK;
}

static ps_status begin_text(struct reducing *g, ps_error *err)
{
        g->out = (ps_pile){NULL, calloc(g->x->size, sizeof(*g->out.end))};
        return g->out.end ? PS_OK : PS_NOMEM(err, "processes", g->x->size);
}

static ps_status tell_rows(struct reducing *g, const uint32_t *id, uint32_t n, const int64_t *rows,
                           ps_error *err)
{
        ps_numbers text = {0};
        uint32_t i = 0;
        PS_TRY(begin_text(g, err));
        for (uint32_t p = 0; p < g->x->size; p++) {
                struct last last = {first_of(g, p), 0};
                for (; i < n && id[i] < first_of(g, p + 1); i++)
                        put_row(g->r, &text, &last, id[i], rows + (size_t)i * g->r->n_fields);
                g->out.end[p] = text.n;
        }
        return keep_text(g, &text, err);
}

/* -- who adds up -- */

static int64_t *sum_of(const struct reducing *g, uint32_t id)
{
        return g->sums + (size_t)(id - first_of(g, g->x->rank)) * g->r->n_fields;
}

/* What process p says, or the sums of what it asks for. */
static void read_part(struct reducing *g, uint32_t p, ps_numbers *answer)
{
        size_t n;
        const uint8_t *at = ps_pile_part(&g->in, p, &n), *end = at + n;
        struct last last = {first_of(g, g->x->rank), 0}, told = last;
        int64_t row[PS_REDUCED_MOST];
        while (at < end) {
                int64_t *sum = sum_of(g, take_row(g->r, &at, &last, row));
                if (answer)
                        put_row(g->r, answer, &told, last.id, sum);
                else
                        g->r->add(sum, row);
        }
}

static ps_status add_up(struct reducing *g, ps_error *err)
{
        uint32_t n = first_of(g, g->x->rank + 1) - first_of(g, g->x->rank);
        ps_numbers text = {0};
        g->sums = ps_memory_new((size_t)n * g->r->n_fields * sizeof(*g->sums));
        if (!g->sums)
                return PS_NOMEM(err, "what several processes have", n);
        for (size_t i = 0; i < (size_t)n * g->r->n_fields; i++)
                g->sums[i] = g->r->field[i % g->r->n_fields].nothing;
        for (uint32_t p = 0; p < g->x->size; p++)
                read_part(g, p, NULL);
        ps_pile_clear(&g->out);
        PS_TRY(begin_text(g, err));
        for (uint32_t p = 0; p < g->x->size; p++) {
                read_part(g, p, &text);
                g->out.end[p] = text.n;
        }
        return keep_text(g, &text, err);
}

/* -- all of it -- */

static void hear_rows(const struct reducing *g, int64_t *rows)
{
        for (uint32_t p = 0; p < g->x->size; p++) {
                size_t n;
                const uint8_t *at = ps_pile_part(&g->in, p, &n), *end = at + n;
                for (struct last last = {first_of(g, p), 0}; at < end; rows += g->r->n_fields)
                        take_row(g->r, &at, &last, rows);
        }
}

static ps_status reduce(struct reducing *g, const uint32_t *id, uint32_t n, int64_t *rows, ps_error *err)
{
        PS_TRY(ps_exchange_agree(g->x, tell_rows(g, id, n, rows, err), err));
        PS_TRY(ps_exchange_deal(g->x, &g->in, &g->out, err));
        PS_TRY(ps_exchange_agree(g->x, add_up(g, err), err));
        ps_pile_clear(&g->in);
        PS_TRY(ps_exchange_deal(g->x, &g->in, &g->out, err));
        hear_rows(g, rows);
        return PS_OK;
}

ps_status ps_exchange_reduce(ps_exchange *x, const ps_reduction *r, uint32_t n_ids, const uint32_t *id,
                             uint32_t n, int64_t *rows, ps_error *err)
{
        struct reducing g = {.x = x, .r = r, .n_ids = n_ids};
        ps_status status = ps_exchange_is_shared(x) ? reduce(&g, id, n, rows, err) : PS_OK;
        ps_pile_clear(&g.out);
        ps_pile_clear(&g.in);
        free(g.sums);
        return status;
}
