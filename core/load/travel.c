/* travel.c - see travel.h.
 *
 * Locations go in batches of some megabytes, a larger one in a batch of its own. A batch is announced by its
 * sizes, for which process 0 answers whether it has the room; then come the sizes of its locations and all of
 * them but their columns, and once process 0 has room for these, the columns. What is alone goes from where
 * it is to where it belongs; of several, what goes is put side by side. */
#include "core/load/travel.h"
#include "core/load/tasks.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct batch {
        uint32_t n, is_there;
        uint64_t n_rests, n_columns;
};

struct traveller {
        uint64_t location, n_rest;
};

/* -- process 0 -- */

struct arrival {
        struct batch batch;
        struct traveller *traveller;
        ps_packed *packed;
        uint8_t *rests, *columns; /* of several: side by side */
};

static ps_status make_room(struct arrival *a, ps_error *err)
{
        const struct batch *b = &a->batch;
        a->traveller = malloc(b->n * sizeof(*a->traveller));
        a->packed = calloc(b->n, sizeof(*a->packed));
        a->rests = malloc(b->n_rests + 1);
        a->columns = b->n > 1 ? malloc(b->n_columns + 1) : NULL;
        return a->traveller && a->packed && a->rests && (a->columns || b->n == 1)
                       ? PS_OK
                       : PS_NOMEM(err, "bytes of other processes", b->n_rests + b->n_columns);
}

static void drop_arrival(struct arrival *a)
{
        free(a->traveller);
        free(a->packed);
        free(a->rests);
        free(a->columns);
}

/* Then columns are to be received. */
static ps_status unpack(struct ps_folding *f, const struct arrival *a, ps_error *err)
{
        uint8_t *rest = a->rests;
        for (uint32_t i = 0; i < a->batch.n; i++) {
                const ps_loc location = (ps_loc)a->traveller[i].location;
                PS_TRY(ps_folding_builder(f, location, f->scratch[0].pool, err));
                ps_path *map = f->map[location];
                f->map[location] = NULL;
                a->packed[i] = (ps_packed){.rest = rest, .n_rest = a->traveller[i].n_rest};
                PS_TRY(ps_builder_unpack(f->builders[location], &a->packed[i], map, err));
                rest += a->traveller[i].n_rest;
        }
        return PS_OK;
}

static void receive_columns(const struct arrival *a, ps_exchange *x, uint32_t from)
{
        const uint8_t *at = a->columns;
        if (!at) {
                ps_exchange_receive(x, from, a->packed[0].columns, a->packed[0].n_columns);
                return;
        }
        ps_exchange_receive(x, from, a->columns, a->batch.n_columns);
        for (uint32_t i = 0; i < a->batch.n; i++) {
                if (a->packed[i].n_columns)
                        memcpy(a->packed[i].columns, at, a->packed[i].n_columns);
                at += a->packed[i].n_columns;
        }
}

/* *status: what keeps us from taking it. Returns how many locations came; 0: nothing more comes from there.
 */
static uint32_t take_batch(struct ps_folding *f, ps_exchange *x, uint32_t from, ps_status *status,
                           ps_error *err)
{
        struct arrival a = {.rests = NULL};
        ps_exchange_receive(x, from, &a.batch, sizeof(a.batch));
        if (!a.batch.is_there)
                return 0;
        PS_THEN(*status, make_room(&a, err));
        if (*status == PS_OK) {
                ps_exchange_send(x, from, &(uint32_t){1}, sizeof(uint32_t));
                ps_exchange_receive(x, from, a.traveller, a.batch.n * sizeof(*a.traveller));
                ps_exchange_receive(x, from, a.rests, a.batch.n_rests);
                *status = unpack(f, &a, err);
        }
        uint32_t goes_on = *status == PS_OK;
        ps_exchange_send(x, from, &goes_on, sizeof(goes_on));
        if (goes_on)
                receive_columns(&a, x, from);
        drop_arrival(&a);
        return goes_on ? a.batch.n : 0;
}

static uint32_t count_of(const struct ps_folding *f, uint32_t owner)
{
        uint32_t n = 0;
        for (ps_loc l = 0; l < f->trace->n_locs; l++)
                n += f->owner[f->trace->defs.locations.row[l].process] == owner;
        return n;
}

ps_status ps_travel_take(struct ps_folding *f, ps_exchange *x, ps_error *err)
{
        ps_status status = PS_OK;
        x->told.rows_travelled = f->rows_wanted;
        ps_task_order(x, TASK_GIVE, 0);
        for (uint32_t p = 1; p < x->size; p++)
                for (uint32_t left = count_of(f, p), came = 1; left && came; left -= came)
                        came = take_batch(f, x, p, &status, err);
        return ps_exchange_agree(x, status, err);
}

/* -- the others -- */

struct departure {
        const struct ps_folding *f;
        ps_packed *packed; /* in the order of locations */
        struct traveller *traveller;
        uint32_t first, end; /* a batch */
        uint8_t *rests, *columns;
};

static uint64_t size_of(const ps_packed *packed)
{
        return packed->n_rest + packed->n_columns;
}

/* The next batch; what does not go with it any more is packed already. */
static ps_status choose_batch(struct departure *d, struct batch *out, ps_error *err)
{
        d->first = d->end;
        for (; d->end < d->f->n_order; d->end++) {
                ps_packed *packed = &d->packed[d->end];
                const ps_loc location = d->f->order[d->end];
                if (!packed->rest)
                        PS_TRY(ps_builder_pack(packed, d->f->builders[location], err));
                if (out->n && out->n_rests + out->n_columns + size_of(packed) > PS_EXCHANGE_BLOCK)
                        break;
                d->traveller[out->n++] = (struct traveller){location, packed->n_rest};
                out->n_rests += packed->n_rest;
                out->n_columns += packed->n_columns;
        }
        return PS_OK;
}

static ps_status put_side_by_side(struct departure *d, const struct batch *batch, ps_error *err)
{
        uint8_t *rest = d->rests = malloc(batch->n_rests + 1),
                *columns = d->columns = malloc(batch->n_columns + 1);
        if (!rest || !columns)
                return PS_NOMEM(err, "bytes for process 0", batch->n_rests + batch->n_columns);
        for (uint32_t i = d->first; i < d->end; i++) {
                const ps_packed *packed = &d->packed[i];
                memcpy(rest, packed->rest, packed->n_rest);
                memcpy(columns, packed->columns, packed->n_columns);
                rest += packed->n_rest;
                columns += packed->n_columns;
        }
        return PS_OK;
}

static void drop_batch(struct departure *d)
{
        for (uint32_t i = d->first; i < d->end; i++) {
                free(d->packed[i].rest);
                d->packed[i].rest = NULL;
        }
        free(d->rests);
        free(d->columns);
        d->rests = d->columns = NULL;
}

/* Does process 0 have the room? */
static bool hear_answer(ps_exchange *x)
{
        uint32_t goes_on = 0;
        ps_exchange_receive(x, 0, &goes_on, sizeof(goes_on));
        return goes_on != 0;
}

/* True when process 0 has got it. */
static bool give_batch(struct departure *d, ps_exchange *x, ps_status *status, ps_error *err)
{
        struct batch batch = {.n = 0};
        PS_THEN(*status, choose_batch(d, &batch, err));
        if (batch.n > 1)
                PS_THEN(*status, put_side_by_side(d, &batch, err));
        batch.is_there = *status == PS_OK;
        ps_exchange_send(x, 0, &batch, sizeof(batch));
        bool goes_on = batch.is_there && hear_answer(x);
        if (goes_on) {
                const ps_packed *one = &d->packed[d->first];
                assert(d->packed);
                ps_exchange_send(x, 0, d->traveller, batch.n * sizeof(*d->traveller));
                ps_exchange_send(x, 0, d->rests ? d->rests : one->rest, batch.n_rests);
                goes_on = hear_answer(x);
                if (goes_on)
                        ps_exchange_send(x, 0, d->columns ? d->columns : one->columns, batch.n_columns);
        }
        drop_batch(d);
        return goes_on;
}

ps_status ps_travel_give(const struct ps_folding *f, ps_exchange *x, ps_error *err)
{
        const size_t n = f->n_order + (size_t)1;
        struct departure d = {f,   calloc(n, sizeof(*d.packed)), malloc(n * sizeof(*d.traveller)), 0, 0, NULL,
                              NULL};
        ps_status status = d.packed && d.traveller ? PS_OK : PS_NOMEM(err, "locations", n);
        while (d.end < f->n_order && give_batch(&d, x, &status, err))
                ;
        for (uint32_t i = d.end; d.packed && i < f->n_order; i++)
                free(d.packed[i].rest);
        free(d.packed);
        free(d.traveller);
        return ps_exchange_agree(x, status, err);
}
