/* apart_open.c - apart.h: what process 0 learns of the waits of all first, and the room for what others lend.
 */
#include "patterns/causes/apart.h"

#include "core/base/memory.h"
#include "core/model/focus.h"

#include <stdlib.h>
#include <string.h>

/* Waits that are lent at a time, of all locations, and as many that come next; but of each a few. */
enum { LENT = 1 << 17, LEAST_LENT = 64 };

enum { LETTER_BYTES = (size_t)PS_LENT_TOGETHER * PS_CAUSES_TOLD * sizeof(struct part) };

_Static_assert(sizeof(struct lent_forward) <= PS_CAUSES_TOLD * sizeof(struct part),
               "there is room for waits, too");

/* -- how many there are, and where paths end -- */

static ps_status find_ends(const struct delaying *d, ps_error *err)
{
        struct path_end *last = d->apart->last = ps_memory_zeroed(d->n_spans, sizeof(*last));
        if (!last)
                return PS_NOMEM(err, "spans", d->n_spans);
        for (uint32_t s = 0; s < d->n_spans; s++) {
                last[s].loc = last[s].rest = PS_NONE;
                const struct path_end end = ps_critical_end(d, d->span[s]);
                ps_critical_join_ends(&last[s], &end);
        }
        return PS_OK;
}

static void take_ends(const struct delaying *d, const ps_pile *ends)
{
        struct path_end *last = d->apart->last, end;
        for (uint32_t p = 1; p < d->apart->x->size; p++) {
                size_t n;
                const uint8_t *at = ps_pile_part(ends, p, &n);
                for (uint32_t s = 0; s < d->n_spans; s++) {
                        memcpy(&end, at + s * sizeof(end), sizeof(end));
                        ps_critical_join_ends(&last[s], &end);
                }
        }
}

static ps_status gather_ends(struct delaying *d, ps_error *err)
{
        ps_exchange *x = d->apart->x;
        ps_pile ends = {NULL, NULL};
        ps_status status = ps_exchange_agree(x, find_ends(d, err), err);
        PS_THEN(status,
                ps_exchange_gather(x, &ends, d->apart->last, d->n_spans * sizeof(*d->apart->last), err));
        if (status == PS_OK && !x->rank)
                take_ends(d, &ends);
        ps_pile_clear(&ends);
        return status;
}

/* -- rows of all waits -- */

struct ps_apart_run ps_apart_next_run(const struct delaying *d, ps_loc from)
{
        const struct apart *a = d->apart;
        struct ps_apart_run run = {.from = from, .behind = from, .owner = owner_of(d, from)};
        for (; run.behind < d->trace->n_locs && owner_of(d, run.behind) == run.owner; run.behind++) {
                const struct timeline *line = &d->line[run.behind];
                if (!run.n)
                        run.here = line->wait;
                run.n += line->n_waits;
        }
        if (!a->x->rank) {
                run.of_all = a->first[from];
                run.n = a->first[run.behind] - run.of_all;
        }
        return run;
}

void ps_apart_collect(const struct delaying *d, void *of_all, const void *here, size_t size)
{
        const struct apart *a = d->apart;
        for (struct ps_apart_run run = {.behind = 0}; run.behind < d->trace->n_locs;) {
                run = ps_apart_next_run(d, run.behind);
                const uint8_t *from = (const uint8_t *)here + run.here * size;
                uint8_t *to = a->x->rank ? NULL : (uint8_t *)of_all + run.of_all * size;
                const bool is_own = run.owner == a->x->rank;
                if (a->x->rank && is_own)
                        ps_exchange_send(a->x, 0, from, run.n * size);
                else if (!a->x->rank && !is_own)
                        ps_exchange_receive(a->x, run.owner, to, run.n * size);
                else if (!a->x->rank && run.n)
                        memcpy(to, from, run.n * size);
        }
}

/* -- the room for what is lent -- */

/* How many waits each location here has. */
static ps_status count_here(uint32_t **out, size_t *n, const struct delaying *d, ps_error *err)
{
        *n = 0;
        *out = malloc((d->trace->n_locs + (size_t)1) * sizeof(**out));
        if (!*out)
                return PS_NOMEM(err, "locations", d->trace->n_locs);
        for (ps_loc loc = 0; loc < d->trace->n_locs; loc++)
                if (is_here(d, loc))
                        (*out)[(*n)++] = d->line[loc].n_waits;
        return PS_OK;
}

static ps_status add_counts(const struct delaying *d, const ps_pile *counts, ps_error *err)
{
        struct apart *a = d->apart;
        const uint8_t **at = calloc(a->x->size, sizeof(*at));
        uint64_t sum = 0;
        size_t n;
        for (uint32_t p = 0; at && p < a->x->size; p++)
                at[p] = ps_pile_part(counts, p, &n);
        for (ps_loc loc = 0; at && loc < d->trace->n_locs; loc++) {
                uint32_t count;
                a->first[loc] = sum < PS_NONE ? (uint32_t)sum : PS_NONE;
                memcpy(&count, at[owner_of(d, loc)], sizeof(count));
                at[owner_of(d, loc)] += sizeof(count);
                sum += count;
        }
        const bool lacks = !at;
        free(at);
        if (lacks || sum + 1 >= PS_NONE)
                return PS_NOMEM(err, "waits", sum);
        a->first[d->trace->n_locs] = (uint32_t)sum;
        return PS_OK;
}

static ps_status find_first(struct delaying *d, ps_error *err)
{
        ps_exchange *x = d->apart->x;
        ps_pile counts = {NULL, NULL};
        uint32_t *mine;
        size_t n;
        ps_status status = ps_exchange_agree(x, count_here(&mine, &n, d, err), err);
        PS_THEN(status, ps_exchange_gather(x, &counts, mine, n * sizeof(*mine), err));
        if (!x->rank)
                PS_THEN(status, add_counts(d, &counts, err));
        ps_pile_clear(&counts);
        free(mine);
        return status;
}

/* The same in all processes. */
static uint32_t find_most(const struct delaying *d)
{
        uint32_t n_lent = 1;
        for (ps_loc loc = 0; loc < d->trace->n_locs; loc++)
                n_lent += owner_of(d, loc) != 0;
        return LENT / n_lent > LEAST_LENT ? LENT / n_lent : LEAST_LENT;
}

/* Room for waits of a location of another process. */
static uint32_t room_of(const struct apart *a, ps_loc loc)
{
        const uint32_t n_waits = a->first[loc + 1] - a->first[loc];
        return n_waits < a->most_lent ? n_waits : a->most_lent;
}

static struct block take_room(const struct apart *a, size_t *n, ps_loc loc)
{
        const struct block block = {.row = a->lent_row + *n * sizeof(struct lent_forward),
                                    .due = a->lent_due + *n * PS_CAUSES_TOLD};
        *n += room_of(a, loc);
        return block;
}

static ps_status make_room(struct delaying *d, ps_error *err)
{
        struct apart *a = d->apart;
        const size_t n_locs = d->trace->n_locs + (size_t)1;
        size_t n = 0;
        for (ps_loc loc = 0; loc < d->trace->n_locs; loc++)
                n += is_here(d, loc) ? 0 : room_of(a, loc);
        a->lent = ps_memory_zeroed(n_locs, sizeof(*a->lent));
        a->wished = malloc(a->x->size * sizeof(*a->wished));
        a->lent_row = ps_memory_again((2 * n + 1) * sizeof(struct lent_forward));
        a->lent_due = malloc((2 * n * PS_CAUSES_TOLD + 1) * sizeof(*a->lent_due)); /* mostly hardly touched */
        a->shown = calloc(1, sizeof(*a->shown));
        if (!a->lent || !a->wished || !a->lent_row || !a->lent_due || !a->shown)
                return PS_NOMEM(err, "waits", n);
        for (uint32_t p = 0; p < a->x->size; p++)
                a->wished[p] = (struct wished){PS_NONE, PS_NONE, false};
        a->shown->wait->op = PS_NONE;
        n = 0;
        for (ps_loc loc = 0; loc < d->trace->n_locs; loc++) {
                const uint32_t n_waits = a->first[loc + 1] - a->first[loc];
                a->lent[loc] = (struct lent){.wait = d->wait + d->line[loc].wait,
                                             .now = {.first = a->first[loc], .n = n_waits}};
                if (is_here(d, loc))
                        continue;
                a->lent[loc] = (struct lent){.now = take_room(a, &n, loc)};
                a->lent[loc].next = take_room(a, &n, loc);
        }
        return PS_OK;
}

/* Whoever lends puts rows there, and it holds what goes together. */
static size_t room_of_letter(const struct apart *a)
{
        const size_t room = a->x->rank ? a->most_lent * sizeof(struct lent_forward) : 0;
        return room > LETTER_BYTES ? room : LETTER_BYTES;
}

void ps_apart_forget_lent(struct apart *a)
{
        ps_memory_pass_on(a->lent_row);
        free(a->lent_due);
        ps_memory_pass_on(a->letter);
        free(a->shown);
        free(a->wished);
        a->lent_row = NULL;
        a->lent_due = NULL;
        a->letter = NULL;
        a->shown = NULL;
        a->wished = NULL;
}

/* -- all -- */

ps_status ps_apart_open(struct delaying *d, ps_error *err)
{
        struct apart *a = d->apart;
        PS_TRY(gather_ends(d, err));
        PS_TRY(ps_exchange_agree(a->x, ps_critical_find_forks(&a->forks, d, err), err));
        if (a->x->rank)
                ps_critical_forget_forks(&a->forks);
        a->most_lent = find_most(d);
        a->first = ps_memory_zeroed(d->trace->n_locs + (size_t)1, sizeof(*a->first));
        a->letter = ps_memory_again(room_of_letter(a));
        PS_TRY(ps_exchange_agree(
                a->x, a->first && a->letter ? PS_OK : PS_NOMEM(err, "locations", d->trace->n_locs), err));
        ps_status status = find_first(d, err);
        if (!a->x->rank)
                PS_THEN(status, make_room(d, err));
        status = ps_exchange_agree(a->x, status, err);
        a->is_open = status == PS_OK;
        if (status == PS_OK)
                ps_apart_offer(d);
        return status;
}
