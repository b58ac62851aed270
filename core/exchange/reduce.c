/* reduce.c - see reduce.h.
 *
 * The text of a row: by how much its thing is behind the one before, which of its numbers tell something, and
 * these. Whoever has added them up answers with the sums, in the order in which they came; most often all
 * processes have told of the same things, and hear the same. */
#include "core/exchange/reduce.h"
#include "core/exchange/numbers.h"

#include "core/base/memory.h"

#include <stdlib.h>
#include <string.h>

/* What one process is told, in the text; and of which things it has told, in `told`. */
struct share {
        size_t begin, end;
        uint32_t first_told, n_told;
};

struct reducing {
        ps_exchange *x;
        const ps_reduction *r;
        uint32_t n_ids;
        const uint32_t *id; /* of ours, and their rows */
        int64_t *rows;
        uint32_t n;
        uint32_t own, behind_own; /* those of ours that are added up here */
        int64_t *sums;            /* of all things that are added up here, whoever has rows */
        struct share *shares;
        PS_VECTOR(uint32_t) told;
        ps_numbers text;
        ps_pile in;
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

/* The first number is a step from that of the row before. */
static inline int64_t base_of(const ps_reduction *r, const struct last *last, unsigned i, const int64_t *row)
{
        return !i ? last->first : r->field[i].is_near ? row[0] : 0;
}

static void put_row(const ps_reduction *r, ps_numbers *text, struct last *last, uint32_t id,
                    const int64_t *row)
{
        unsigned tells = 0;
        for (unsigned i = 0; i < r->n_fields; i++)
                tells |= (unsigned)(row[i] != r->field[i].nothing) << i;
        ps_numbers_put(text, id - last->id);
        ps_numbers_put(text, tells);
        for (unsigned left = tells; left;) {
                uint32_t lengths = 0;
                if (!ps_numbers_have_room(text, sizeof(lengths) + PS_PACKED_MOST * sizeof(*row)))
                        return;
                uint8_t *begin = text->row + text->n, *at = begin + sizeof(lengths);
                for (unsigned k = 0; left && k < PS_PACKED_MOST; k++, left &= left - 1) {
                        unsigned i = (unsigned)__builtin_ctz(left);
                        at = ps_packed_put_step(at, &lengths, k, row[i], base_of(r, last, i, row));
                }
                memcpy(begin, &lengths, sizeof(lengths));
                text->n = (size_t)(at - text->row);
        }
        *last = (struct last){id, tells & 1 ? row[0] : last->first};
}

static uint32_t take_row(const ps_reduction *r, const uint8_t **from, struct last *last, int64_t *row)
{
        const uint8_t *at = *from;
        last->id += (uint32_t)ps_numbers_take(&at);
        unsigned tells = (unsigned)ps_numbers_take(&at);
        for (unsigned i = 0; i < r->n_fields; i++)
                row[i] = r->field[i].nothing;
        for (unsigned left = tells; left;) {
                uint32_t lengths;
                memcpy(&lengths, at, sizeof(lengths));
                at += sizeof(lengths);
                for (unsigned k = 0; left && k < PS_PACKED_MOST; k++, left &= left - 1) {
                        unsigned i = (unsigned)__builtin_ctz(left);
                        row[i] = ps_packed_take_step(&at, lengths, k, base_of(r, last, i, row));
                }
        }
        last->first = tells & 1 ? row[0] : last->first;
        *from = at;
        return last->id;
}

/* Own rows that are added up here are not told. */
static ps_status tell_rows(struct reducing *g, ps_error *err)
{
        const uint32_t *id = g->id;
        uint32_t i = 0;
        g->shares = calloc(g->x->size, sizeof(*g->shares));
        if (!g->shares)
                return PS_NOMEM(err, "processes", g->x->size);
        for (uint32_t p = 0; p < g->x->size; p++) {
                const bool is_own = p == g->x->rank;
                struct last last = {first_of(g, p), 0};
                g->own = is_own ? i : g->own;
                g->shares[p].begin = g->text.n;
                for (; i < g->n && id[i] < first_of(g, p + 1); i++)
                        if (!is_own)
                                put_row(g->r, &g->text, &last, id[i], g->rows + (size_t)i * g->r->n_fields);
                g->shares[p].end = g->text.n;
                g->behind_own = is_own ? i : g->behind_own;
        }
        return g->text.lacks ? PS_NOMEM(err, "bytes for other processes", g->text.n) : PS_OK;
}

static const uint8_t *share_of(void *ctx, uint32_t p, size_t *n)
{
        const struct reducing *g = ctx;
        *n = g->shares[p].end - g->shares[p].begin;
        return *n ? g->text.row + g->shares[p].begin : NULL;
}

static ps_status deal_text(struct reducing *g, ps_error *err)
{
        const ps_parts parts = {share_of, NULL, g};
        return ps_exchange_deal_parts(g->x, &g->in, &parts, err);
}

/* -- who adds up -- */

static int64_t *sum_of(const struct reducing *g, uint32_t id)
{
        return g->sums + (size_t)(id - first_of(g, g->x->rank)) * g->r->n_fields;
}

/* What process p says. */
static ps_status add_part(struct reducing *g, uint32_t p, ps_error *err)
{
        size_t n;
        const uint8_t *at = ps_pile_part(&g->in, p, &n), *end = at + n;
        struct last last = {first_of(g, g->x->rank), 0};
        int64_t row[PS_REDUCED_MOST];
        while (at < end) {
                uint32_t id = take_row(g->r, &at, &last, row);
                g->r->add(sum_of(g, id), row);
                if (PS_PUSH(g->told, id))
                        return PS_NOMEM(err, "what several processes have", g->told.n);
        }
        return PS_OK;
}

static void add_own(const struct reducing *g)
{
        for (uint32_t i = g->own; i < g->behind_own; i++)
                g->r->add(sum_of(g, g->id[i]), g->rows + (size_t)i * g->r->n_fields);
}

static ps_status add_parts(struct reducing *g, ps_error *err)
{
        uint32_t n = first_of(g, g->x->rank + 1) - first_of(g, g->x->rank);
        g->sums = ps_memory_new((size_t)n * g->r->n_fields * sizeof(*g->sums));
        if (!g->sums)
                return PS_NOMEM(err, "what several processes have", n);
        for (size_t i = 0; i < (size_t)n * g->r->n_fields; i++)
                g->sums[i] = g->r->field[i % g->r->n_fields].nothing;
        add_own(g);
        for (uint32_t p = 0; p < g->x->size; p++) {
                g->shares[p].first_told = g->told.n;
                PS_TRY(add_part(g, p, err));
                g->shares[p].n_told = g->told.n - g->shares[p].first_told;
        }
        return PS_OK;
}

static bool tell_of_same(const struct reducing *g, const struct share *a, const struct share *b)
{
        const size_t size = a->n_told * sizeof(*g->told.row);
        if (a->n_told != b->n_told)
                return false;
        return !a->n_told || memcmp(&g->told.row[a->first_told], &g->told.row[b->first_told], size) == 0;
}

/* Who has told of the same things as the process before hears the same. */
static ps_status add_up(struct reducing *g, ps_error *err)
{
        const struct share *before = NULL;
        PS_TRY(add_parts(g, err));
        g->text.n = 0;
        for (uint32_t p = 0; p < g->x->size; p++) {
                struct share *share = &g->shares[p];
                struct last last = {first_of(g, g->x->rank), 0};
                share->begin = g->text.n;
                share->end = g->text.n;
                if (p == g->x->rank)
                        continue;
                if (before && tell_of_same(g, share, before)) {
                        share->begin = before->begin;
                        share->end = before->end;
                        continue;
                }
                for (uint32_t i = share->first_told; i < share->first_told + share->n_told; i++)
                        put_row(g->r, &g->text, &last, g->told.row[i], sum_of(g, g->told.row[i]));
                share->end = g->text.n;
                before = share;
        }
        return g->text.lacks ? PS_NOMEM(err, "bytes for other processes", g->text.n) : PS_OK;
}

/* -- all of it -- */

static void take_own(const struct reducing *g)
{
        const unsigned n = g->r->n_fields;
        for (uint32_t i = g->own; i < g->behind_own; i++)
                memcpy(g->rows + (size_t)i * n, sum_of(g, g->id[i]), n * sizeof(*g->rows));
}

static void hear_rows(const struct reducing *g)
{
        uint32_t i = 0;
        for (uint32_t p = 0; p < g->x->size; p++) {
                size_t n;
                const uint8_t *at = ps_pile_part(&g->in, p, &n), *end = at + n;
                for (struct last last = {first_of(g, p), 0}; at < end; i++)
                        take_row(g->r, &at, &last, g->rows + (size_t)i * g->r->n_fields);
                if (p == g->x->rank) {
                        take_own(g);
                        i = g->behind_own;
                }
        }
}

static ps_status reduce(struct reducing *g, ps_error *err)
{
        PS_TRY(ps_exchange_agree(g->x, tell_rows(g, err), err));
        PS_TRY(deal_text(g, err));
        PS_TRY(ps_exchange_agree(g->x, add_up(g, err), err));
        ps_pile_clear(&g->in);
        PS_TRY(deal_text(g, err));
        hear_rows(g);
        return PS_OK;
}

ps_status ps_exchange_reduce(ps_exchange *x, const ps_reduction *r, uint32_t n_ids, const uint32_t *id,
                             uint32_t n, int64_t *rows, ps_error *err)
{
        struct reducing g = {.x = x, .r = r, .n_ids = n_ids, .id = id, .rows = rows, .n = n};
        ps_status status = ps_exchange_is_shared(x) ? reduce(&g, err) : PS_OK;
        ps_pile_clear(&g.in);
        free(g.text.row);
        free(g.told.row);
        free(g.shares);
        free(g.sums);
        return status;
}
