/* apart_path.c - apart.h: the critical path leads through locations whose rows are in several processes.
 * Process 0, which knows all waits, finds the way; each then tells what its locations did on it, by call
 * path. */
#include "patterns/causes/apart.h"

#include "core/base/memory.h"
#include "core/exchange/letters.h"

#include <stdlib.h>

/* -- the stretches -- */

/* Its wait, if one is known, counts from the first one of the location. */
struct told_stretch {
        ps_time begin, end;
        struct near near;
        ps_loc loc;
};

void ps_apart_put_stretch(ps_numbers *to, const struct delaying *d, ps_loc loc, const struct window *w)
{
        struct told_stretch stretch = {w->begin, w->end, w->near, loc};
        if (w->near.wait != PS_NONE)
                stretch.near.wait -= d->apart->first[loc];
        ps_numbers_put_plain(to, &stretch, sizeof(stretch));
}

static ps_status take_stretches(struct tracing *t, const uint8_t *at, size_t n, ps_error *err)
{
        struct told_stretch stretch;
        for (const uint8_t *end = at + n; at < end;) {
                ps_numbers_take_plain(&at, &stretch, sizeof(stretch));
                struct window w = {stretch.begin, stretch.end, stretch.near};
                if (w.near.wait != PS_NONE) {
                        w.near.wait += t->d->line[stretch.loc].wait;
                        w.near.first = t->d->wait[w.near.wait].op;
                }
                PS_TRY(ps_critical_note_stretch(t, stretch.loc, &w, err));
        }
        return PS_OK;
}

/* -- what was done there -- */

static void put_rows(ps_numbers *to, const struct tracing *t)
{
        const struct delaying *d = t->d;
        for (uint32_t i = 0; i < t->out->n; i++)
                for (ps_loc loc = 0; loc < d->trace->n_locs; loc++) {
                        if (!t->out->row[i].by_location[loc])
                                continue;
                        ps_numbers_put(to, t->out->row[i].path + UINT64_C(1));
                        ps_numbers_put(to, loc);
                        ps_numbers_put_signed(to, t->out->row[i].by_location[loc]);
                }
        ps_numbers_put(to, 0);
        for (uint32_t i = 0; i < sums_n(&t->all); i++) {
                const ps_path path = sums_path(&t->all, i);
                if (!sums_at(&t->all, path))
                        continue;
                ps_numbers_put(to, path);
                ps_numbers_put_signed(to, sums_at(&t->all, path));
        }
}

static ps_status take_rows(struct tracing *t, const uint8_t *at, size_t n, ps_error *err)
{
        const uint8_t *end = at + n;
        for (uint64_t path; (path = ps_numbers_take(&at));) {
                ps_loc loc = (ps_loc)ps_numbers_take(&at);
                PS_TRY(ps_critical_add_time(t, (ps_path)(path - 1), loc, ps_numbers_take_signed(&at), err));
        }
        while (at < end) {
                ps_path path = (ps_path)ps_numbers_take(&at);
                sums_add(&t->all, path, ps_numbers_take_signed(&at));
        }
        return PS_OK;
}

/* -- all -- */

/* Process 0 among them. */
static ps_status add_up(struct tracing *t, ps_numbers *stretches, ps_status status, ps_error *err)
{
        ps_pile in;
        size_t n;
        PS_TRY(ps_letters_deal(&in, stretches, t->d->apart->x, status, err));
        const uint8_t *at = ps_pile_part(&in, 0, &n);
        status = take_stretches(t, at, n, err);
        ps_pile_pass_on(&in);
        PS_THEN(status, ps_critical_add_all(t, err));
        return status;
}

static ps_status hear_all(struct tracing *t, ps_numbers *stretches, ps_status status, ps_error *err)
{
        ps_exchange *x = t->d->apart->x;
        ps_pile rows;
        PS_TRY(ps_exchange_agree(x, add_up(t, stretches, status, err), err));
        PS_TRY(ps_exchange_gather(x, &rows, NULL, 0, err));
        for (uint32_t p = 1; p < x->size && status == PS_OK; p++) {
                size_t n;
                const uint8_t *at = ps_pile_part(&rows, p, &n);
                status = take_rows(t, at, n, err);
        }
        ps_pile_clear(&rows);
        PS_THEN(status, ps_critical_order_rows(t, err));
        return ps_exchange_agree(x, status, err);
}

ps_status ps_apart_trace(struct tracing *t, ps_numbers *stretches, ps_status status, ps_error *err)
{
        ps_apart_give_back(t->d);
        status = hear_all(t, stretches, status, err);
        t->d->apart->is_open = status == PS_OK;
        return status;
}

static ps_status answer(struct tracing *t, ps_numbers *rows, ps_error *err)
{
        ps_exchange *x = t->d->apart->x;
        ps_numbers *nothing = NULL;
        ps_pile none;
        ps_status status = ps_critical_begin_rows(t, err);
        PS_THEN(status, ps_letters_new(&nothing, x, err));
        status = add_up(t, nothing, status, err);
        if (status == PS_OK)
                put_rows(rows, t);
        PS_THEN(status, rows->lacks ? PS_NOMEM(err, "critical path", rows->n) : PS_OK);
        PS_TRY(ps_exchange_agree(x, status, err));
        PS_TRY(ps_exchange_gather(x, &none, rows->row, rows->n, err));
        return ps_exchange_agree(x, PS_OK, err);
}

static ps_status follow_path(const struct delaying *d, ps_error *err)
{
        struct tracing t = {.d = d};
        ps_numbers rows = {NULL, 0, 0, false};
        ps_apart_lend(d);
        ps_status status = answer(&t, &rows, err);
        ps_critical_end_rows(&t);
        ps_critical_free(t.out);
        free(rows.row);
        return status;
}

static ps_status follow_costs(struct delaying *d, ps_error *err)
{
        PS_TRY(ps_apart_count_heirs(d, NULL, PS_OK, err));
        ps_apart_lend(d);
        return ps_apart_charge(d, NULL, PS_OK, err);
}

void ps_apart_serve(struct delaying *d)
{
        ps_error err = {0};
        ps_status status = follow_path(d, &err);
        ps_own_forget(d);
        PS_THEN(status, follow_costs(d, &err));
        if (status == PS_OK)
                ps_apart_follow_forward(d);
}
