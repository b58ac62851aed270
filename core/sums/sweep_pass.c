/* sweep_pass.c - what was seen in a window elsewhere, or is told there: see sweep.h. */
#include "core/sums/sweep.h"

static ps_status pass_change(ps_pass *p, ps_changes *c, uint32_t i)
{
        uint64_t *number = &c->order.row[i + 1];
        PS_TRY(ps_pass_values(p, number, 1, sizeof(*number)));
        return ps_change_is_told(*number) || ps_change_is_short(*number)
                       ? ps_pass_values(p, &c->told[i], 1, sizeof(*c->told))
                       : PS_OK;
}

/* They come behind those that are here. */
static ps_status take_changes(ps_pass *p, ps_changes *c, uint32_t n)
{
        const uint32_t before = c->order.n;
        if (ps_changes_grow(c, n))
                return PS_NOMEM(p->err, "changes", n);
        for (; n; n--) {
                PS_TRY(pass_change(p, c, c->order.n));
                c->order.row[++c->order.n] += (uint64_t)before << PS_CHANGE_BITS;
        }
        return PS_OK;
}

ps_status ps_sweep_pass_seen(ps_pass *p, ps_sweep *s)
{
        ps_changes *c = &s->changes;
        uint32_t n = c->order.n;
        PS_TRY(ps_pass_values(p, &n, 1, sizeof(n)));
        if (p->way == PS_PASS_TAKE)
                return take_changes(p, c, n);
        for (uint32_t i = 0; i < n; i++)
                PS_TRY(pass_change(p, c, i));
        return PS_OK;
}

static void add_row(ps_profile_row *to, const ps_profile_row *row)
{
        for (int state = 0; state < PS_STATE_COUNT; state++)
                to->state[state] += row->state[state];
        to->sent += row->sent;
        to->sent_bytes += row->sent_bytes;
        to->received += row->received;
        to->received_bytes += row->received_bytes;
}

static ps_status take_sums(ps_pass *p, ps_sweep *s, uint64_t n_pairs)
{
        for (uint32_t i = 0; i < s->out->n_rows; i++) {
                ps_profile_row row;
                PS_TRY(ps_pass_values(p, &row, 1, sizeof(row)));
                add_row(&s->out->rows[i], &row);
        }
        for (ps_profile_pair one; n_pairs; n_pairs--) {
                PS_TRY(ps_pass_values(p, &one, 1, sizeof(one)));
                ps_pairs_add(&s->pairs, &one);
        }
        return s->pairs.lacks_memory ? PS_NOMEM(p->err, "pairs of processes", s->out->n_pairs) : PS_OK;
}

ps_status ps_sweep_pass_sums(ps_pass *p, ps_sweep *s)
{
        uint64_t n_pairs = s->out->n_pairs;
        PS_TRY(ps_pass_values(p, &n_pairs, 1, sizeof(n_pairs)));
        if (p->way == PS_PASS_TAKE)
                return take_sums(p, s, n_pairs);
        PS_TRY(ps_pass_values(p, s->out->rows, s->out->n_rows, sizeof(*s->out->rows)));
        return ps_pass_values(p, s->out->pairs, n_pairs, sizeof(*s->out->pairs));
}
