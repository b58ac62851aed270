/* samples.c - what a recorder saw a location compute, as it looked now and then.
 *
 * Between two operations each sample stands for the time around it, up to half way to the next one. Most gaps
 * are shorter than that, and no sample falls into them: their time is shared out as the samples tell of all
 * gaps of the location between calls of the same two places. */
#include "core/base/map.h"
#include "core/fold/builder.h"

#include <stdlib.h>

/* Of the gaps between calls of the same two places, how many samples saw a path there. */
typedef struct share {
        uint32_t between; /* number of the two places */
        ps_path in;
        uint32_t n;
} share;

/* Of two places: which shares are theirs, and how many samples in all. */
struct between {
        uint32_t first, n;
        uint64_t sum;
};

enum { MET = 64 };

struct shares {
        PS_VECTOR(share) row;
        PS_VECTOR(struct between) between;
        ps_map numbers;    /* by the paths of two calls: number of these places */
        ps_map known;      /* by that and a path: number of the share */
        uint32_t met[MET]; /* shares that were counted last */
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
        PS_ORDER_BY(x->between, y->between);
        return PS_ORDER(x->in, y->in);
}

static ps_path path_before(const ps_builder *b, uint32_t gap)
{
        return gap ? ps_rows_call(b, gap - 1)->path : 0;
}

static ps_path path_behind(const ps_builder *b, uint32_t gap)
{
        return gap < b->n_rows ? ps_rows_call(b, gap)->path : 0;
}

static uint32_t number_of_gap(ps_builder *b, struct shares *s, uint32_t gap)
{
        const ps_time *number =
                ps_map_at(&s->numbers, path_before(b, gap), path_behind(b, gap), s->between.n);
        if (!number)
                b->status = PS_NOMEM(&b->pool->err, "samples", s->row.n);
        else if ((uint32_t)*number == s->between.n)
                PUSH(b, s->between, ((struct between){0, 0, 0}));
        return number ? (uint32_t)*number : 0;
}

static void count_anew(ps_builder *b, struct shares *s, uint32_t between, ps_path in)
{
        const ps_time *number = ps_map_at(&s->known, between, in, s->row.n);
        if (!number)
                b->status = PS_NOMEM(&b->pool->err, "samples", s->row.n);
        else if ((uint32_t)*number == s->row.n)
                PUSH(b, s->row, ((share){between, in, 0}));
        if (b->status != PS_OK)
                return;
        s->row.row[*number].n++;
        s->met[in % MET] = (uint32_t)*number;
}

static inline void count_sample(ps_builder *b, struct shares *s, uint32_t between, ps_path in)
{
        const uint32_t met = s->met[in % MET];
        if (met < s->row.n && s->row.row[met].in == in && s->row.row[met].between == between)
                s->row.row[met].n++;
        else
                count_anew(b, s, between, in);
}

/* Samples of a gap follow each other. Shares of the same two places do in the end, by their paths. */
static void make_shares(ps_builder *b, struct shares *s)
{
        const struct ps_piecing *p = b->pieces;
        uint32_t gap = PS_NONE, between = 0;
        for (uint32_t i = 0; i < p->samples.n && b->status == PS_OK; i++) {
                const struct sample *sample = &p->samples.row[i];
                if (sample->gap != gap)
                        between = number_of_gap(b, s, gap = sample->gap);
                if (b->status == PS_OK)
                        count_sample(b, s, between, sample->node);
        }
        if (b->status != PS_OK)
                return;
        qsort(s->row.row, s->row.n, sizeof(*s->row.row), by_place);
        for (uint32_t i = 0; i < s->row.n; i++) {
                struct between *of = &s->between.row[s->row.row[i].between];
                of->first = of->n++ ? of->first : i;
                of->sum += s->row.row[i].n;
        }
}

/* Those of a gap, or none. */
static struct between find_shares(const ps_builder *b, const struct shares *s, uint32_t gap)
{
        const ps_time number = ps_map_get(&s->numbers, path_before(b, gap), path_behind(b, gap), -1);
        return number >= 0 ? s->between.row[number] : (struct between){0, 0, 0};
}

static void share_out(ps_builder *b, ps_piece_rows *out, const ps_piece *piece, const share *row,
                      const struct between *of)
{
        uint64_t before = 0;
        ps_time given = 0;
        for (uint32_t i = 0; i < of->n; i++) {
                before += row[i].n;
                ps_time until = (ps_time)((double)piece->time * ((double)before / (double)of->sum));
                until = i + 1 == of->n ? piece->time : until;
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
                uint32_t end = p->end.row[gap];
                bool has_sample = sample < p->samples.n && p->samples.row[sample].gap == gap;
                while (sample < p->samples.n && p->samples.row[sample].gap == gap)
                        sample++;
                const struct between of = is_plain(p, first, end, has_sample) ? find_shares(b, shares, gap)
                                                                              : (struct between){0, 0, 0};
                if (of.n && out->n + of.n <= p->most)
                        share_out(b, out, &p->piece.row[first], &shares->row.row[of.first], &of);
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
        struct shares shares = {.row = {NULL, 0, 0}};
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
        free(shares.between.row);
        ps_map_free(&shares.numbers);
        ps_map_free(&shares.known);
}
