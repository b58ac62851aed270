/* sweep_pass.c - what was seen in a window elsewhere, or is told there: see sweep.h. */
#include "core/sums/sweep.h"

/* They come behind those that are here. */
static ps_status take_changes(ps_pass *p, ps_changes *c, uint32_t n)
{
        const uint32_t before = c->order.n;
        if (ps_changes_grow(c, n))
                return PS_NOMEM(p->err, "changes", n);
        for (uint64_t number; n; n--) {
                PS_TRY(ps_pass_values(p, &number, 1, sizeof(number)));
                if (ps_change_is_told(number))
                        PS_TRY(ps_pass_values(p, &c->told[c->order.n], 1, sizeof(*c->told)));
                if (ps_change_is_short(number))
                        PS_TRY(ps_pass_values(p, &c->length[c->order.n], 1, sizeof(*c->length)));
                ps_changes_take(c, number, before);
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
        for (uint32_t i = 0; i < n; i++) {
                PS_TRY(ps_pass_values(p, &c->order.row[i + 1], 1, sizeof(*c->order.row)));
                if (ps_change_is_told(c->order.row[i + 1]))
                        PS_TRY(ps_pass_values(p, &c->told[i], 1, sizeof(*c->told)));
                if (ps_change_is_short(c->order.row[i + 1]))
                        PS_TRY(ps_pass_values(p, &c->length[i], 1, sizeof(*c->length)));
        }
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
