/* samples.c - what a recorder saw a location compute, as it looked now and then.
 *
 * Between two operations each sample stands for the time around it, up to half way to the next one. Most gaps
 * are shorter than that, and no sample falls into them: their time is shared out as the samples tell of all
 * gaps of the location between calls of the same two places. */
#include "core/base/search.h"
#include "core/fold/builder.h"

#include <stdlib.h>

/* Between which paths there is how much of a third. */
typedef struct share {
        ps_path from, to, in;
        uint32_t n;
} share;

struct shares {
        PS_VECTOR(share) row;
};

void ps_builder_on_sample(ps_builder *b, const ps_event *e)
{
        struct ps_piecing *p = b->pieces;
        if (!p || !ps_builder_is_between(b) || b->is_off || e->ref >= b->defs->contexts.n)
                return;
        ps_path node = ps_builder_context_node(b, e->ref);
        if (p->sampled)
                ps_builder_charge_sample(b, p->sampled_at + (e->time - p->sampled_at) / 2);
        p->next = GAP_SAMPLED;
        ps_builder_be_sampled(p, node);
        p->sampled_at = e->time;
        PUSH(b, p->samples, ((struct sample){b->n_rows, node}));
}

static int by_place(const void *a, const void *b)
{
        const share *x = a, *y = b;
        PS_ORDER_BY(x->from, y->from);
        PS_ORDER_BY(x->to, y->to);
        return PS_ORDER(x->in, y->in);
}

static share around(const ps_builder *b, uint32_t gap)
{
        return (share){.from = gap ? ps_rows_call(b, gap - 1)->path : 0,
                       .to = gap < b->n_rows ? ps_rows_call(b, gap)->path : 0};
}

/* Of each three paths one row, in their order. */
static void make_shares(ps_builder *b, struct shares *out)
{
        const struct ps_piecing *p = b->pieces;
        for (uint32_t i = 0; i < p->samples.n; i++) {
                share row = around(b, p->samples.row[i].gap);
                row.in = p->samples.row[i].node;
                row.n = 1;
                PUSH(b, out->row, row);
        }
        if (!out->row.n)
                return;
        qsort(out->row.row, out->row.n, sizeof(*out->row.row), by_place);
        uint32_t n = 0;
        for (uint32_t i = 1; i < out->row.n; i++)
                if (by_place(&out->row.row[n], &out->row.row[i]) == 0)
                        out->row.row[n].n++;
                else
                        out->row.row[++n] = out->row.row[i];
        out->row.n = n + 1;
}

/* Those of a gap: *n of them; the sum of their counts is *sum. */
static const share *find_shares(const struct shares *all, const share *wanted, uint32_t *n, uint64_t *sum)
{
        uint32_t low = 0;
        PS_SEARCH(low, all->row.n, i, by_place(&all->row.row[i], wanted) < 0)
        *n = 0;
        *sum = 0;
        while (low + *n < all->row.n && all->row.row[low + *n].from == wanted->from &&
               all->row.row[low + *n].to == wanted->to)
                *sum += all->row.row[low + (*n)++].n;
        return &all->row.row[low];
}

static void share_out(ps_builder *b, ps_piece_rows *out, const ps_piece *piece, const share *row, uint32_t n,
                      uint64_t sum)
{
        uint64_t before = 0;
        ps_time given = 0;
        for (uint32_t i = 0; i < n; i++) {
                before += row[i].n;
                ps_time until = (ps_time)((double)piece->time * ((double)before / (double)sum));
                until = i + 1 == n ? piece->time : until;
                PUSH(b, *out, ((ps_piece){until - given, row[i].in, 0}));
                given = until;
        }
}

/* A gap that is one piece, of which no sample tells. */
static bool is_plain(const struct ps_piecing *p, uint32_t first, uint32_t end, bool has_sample)
{
        return !has_sample && end == first + 1 && !p->piece.row[first].begins &&
               p->piece.row[first].path != PS_NONE;
}

static void share_all(ps_builder *b, const struct shares *shares, ps_piece_rows *out)
{
        struct ps_piecing *p = b->pieces;
        uint32_t sample = 0, first = 0;
        for (uint32_t gap = 0; gap < p->end.n && b->status == PS_OK; gap++) {
                uint32_t end = p->end.row[gap], n;
                uint64_t sum;
                bool has_sample = sample < p->samples.n && p->samples.row[sample].gap == gap;
                while (sample < p->samples.n && p->samples.row[sample].gap == gap)
                        sample++;
                share wanted = around(b, gap);
                const share *row = find_shares(shares, &wanted, &n, &sum);
                if (n && is_plain(p, first, end, has_sample) && out->n + n <= p->most)
                        share_out(b, out, &p->piece.row[first], row, n, sum);
                else
                        for (uint32_t i = first; i < end; i++)
                                PUSH(b, *out, p->piece.row[i]);
                first = end;
                p->end.row[gap] = out->n;
        }
}

void ps_builder_share_samples(ps_builder *b)
{
        struct ps_piecing *p = b->pieces;
        struct shares shares = {{NULL, 0, 0}};
        ps_piece_rows out = {NULL, 0, 0};
        if (!p || !p->samples.n || p->is_full)
                return;
        make_shares(b, &shares);
        if (b->status == PS_OK) {
                share_all(b, &shares, &out);
                free(p->piece.row);
                p->piece.row = out.row;
                p->piece.n = out.n;
                p->piece.cap = out.cap;
        }
        free(shares.row.row);
}
