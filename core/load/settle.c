/* settle.c - see settle.h.
 *
 * Call trees travel to process 0 without rows, 24 bytes a node; it makes one of all, in the order of
 * locations whoever has read them, and answers each with its nodes' numbers there. */
#include "core/load/settle.h"

#include "core/base/parallel.h"
#include "core/exchange/exchange.h"
#include "core/fold/cut.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* Of what was read here; PS_TIME_MAX: nothing has happened. */
static ps_time first_here(const struct ps_folding *f)
{
        ps_time first = PS_TIME_MAX;
        for (uint32_t i = 0; i < f->n_order; i++) {
                ps_time own = ps_builder_first(f->builders[f->order[i]]);
                first = own < first ? own : first;
        }
        return first;
}

/* What the others send: when their first event was, their events by code, and the trees of their locations.
 */
static size_t put_trees(const struct ps_folding *f, uint8_t *at)
{
        ps_time first = first_here(f);
        const size_t n_counts = f->trace->defs.codes.n * sizeof(*f->trace->events_by_code);
        size_t n = sizeof(first) + n_counts;
        if (at) {
                memcpy(at, &first, sizeof(first));
                memcpy(at + sizeof(first), f->trace->events_by_code, n_counts);
        }
        for (ps_loc l = 0; l < f->trace->n_locs; l++)
                if (f->builders[l])
                        n += ps_builder_put_tree(f->builders[l], at ? at + n : NULL);
        return n;
}

static ps_status send_trees(const struct ps_folding *f, ps_exchange *x, ps_error *err)
{
        ps_pile nothing;
        size_t n = put_trees(f, NULL);
        uint8_t *trees = malloc(n);
        ps_status status = ps_exchange_agree(x, trees ? PS_OK : PS_NOMEM(err, "call paths", n), err);
        if (status == PS_OK && trees)
                put_trees(f, trees);
        PS_THEN(status, ps_exchange_gather(x, &nothing, trees, n, err));
        free(trees);
        return status;
}

/* -- process 0 -- */

struct came {
        ps_pile trees;
        const uint8_t **at; /* by process: what is next */
        uint32_t *n;        /* by location: nodes */
        ps_path *answer;    /* to one of the processes */
};

static void take_counts(struct ps_folding *f, const uint8_t **at)
{
        for (uint32_t code = 0; code < f->trace->defs.codes.n; code++) {
                uint64_t n;
                memcpy(&n, *at, sizeof(n));
                f->trace->events_by_code[code] += n;
                *at += sizeof(n);
        }
}

static ps_status begin_reading(struct ps_folding *f, struct came *came, uint32_t size, ps_error *err)
{
        came->at = calloc(size, sizeof(*came->at));
        came->n = calloc(f->trace->n_locs + (size_t)1, sizeof(*came->n));
        if (!came->at || !came->n)
                return PS_NOMEM(err, "processes", size);
        for (uint32_t p = 1; p < size; p++) {
                size_t n;
                ps_time first;
                came->at[p] = ps_pile_part(&came->trees, p, &n);
                memcpy(&first, came->at[p], sizeof(first));
                came->at[p] += sizeof(first);
                f->zero = first < f->zero ? first : f->zero;
                take_counts(f, &came->at[p]);
        }
        return PS_OK;
}

static uint32_t owner_of(const struct ps_folding *f, ps_loc l)
{
        return f->owner[f->trace->defs.locations.row[l].process];
}

static ps_status grow(struct ps_folding *f, struct came *came, ps_forest *forest, ps_error *err)
{
        for (ps_loc l = 0; l < f->trace->n_locs; l++)
                if (f->builders[l])
                        PS_TRY(ps_forest_add(forest, f->builders[l], &f->map[l], err));
                else if (f->owner)
                        PS_TRY(ps_forest_take(forest, &came->at[owner_of(f, l)], &f->map[l], &came->n[l],
                                              err));
        return ps_forest_keep(forest, f->trace, err);
}

static ps_status make_one_tree(struct ps_folding *f, struct came *came, ps_error *err)
{
        ps_forest *forest;
        ps_status status = ps_forest_new(&forest, err);
        PS_THEN(status, grow(f, came, forest, err));
        ps_forest_free(forest);
        return status;
}

/* The maps of a process, in one piece: as many letters as there are locations would take longer than all that
 * they tell. Returns how many nodes it has. */
static size_t put_maps(ps_path *out, const struct ps_folding *f, const struct came *came, uint32_t owner)
{
        size_t n = 0;
        for (ps_loc l = 0; l < f->trace->n_locs; l++) {
                if (owner_of(f, l) != owner)
                        continue;
                if (out && came->n[l])
                        memcpy(out + n, f->map[l], came->n[l] * sizeof(*out));
                n += came->n[l];
        }
        return n;
}

static ps_status make_answer(const struct ps_folding *f, struct came *came, uint32_t size, ps_error *err)
{
        size_t most = 0;
        for (uint32_t p = 1; p < size; p++) {
                size_t n = put_maps(NULL, f, came, p);
                most = n > most ? n : most;
        }
        came->answer = malloc(most * sizeof(*came->answer) + 1);
        return came->answer ? PS_OK : PS_NOMEM(err, "call paths", most);
}

static ps_status lead(struct ps_folding *f, ps_exchange *x, struct came *came, ps_error *err)
{
        PS_TRY(ps_exchange_agree(x, PS_OK, err));
        PS_TRY(ps_exchange_gather(x, &came->trees, NULL, 0, err));
        ps_status status = begin_reading(f, came, x->size, err);
        PS_THEN(status, make_one_tree(f, came, err));
        PS_THEN(status, make_answer(f, came, x->size, err));
        PS_TRY(ps_exchange_agree(x, status, err));
        ps_exchange_broadcast(x, &f->zero, sizeof(f->zero));
        for (uint32_t p = 1; p < x->size; p++) {
                size_t n = put_maps(came->answer, f, came, p);
                ps_exchange_send(x, p, came->answer, n * sizeof(*came->answer));
        }
        return PS_OK;
}

/* -- the others -- */

/* And how many nodes there are. */
static ps_status make_maps(struct ps_folding *f, size_t *n_all, ps_error *err)
{
        *n_all = 0;
        for (uint32_t i = 0; i < f->n_order; i++) {
                uint32_t n = ps_builder_n_nodes(f->builders[f->order[i]]);
                if (!(f->map[f->order[i]] = malloc(n * sizeof(**f->map))))
                        return PS_NOMEM(err, "call paths", n);
                *n_all += n;
        }
        return PS_OK;
}

static void take_maps(struct ps_folding *f, const ps_path *answer)
{
        for (ps_loc l = 0; l < f->trace->n_locs; l++) {
                if (!f->map[l])
                        continue;
                size_t n = ps_builder_n_nodes(f->builders[l]);
                memcpy(f->map[l], answer, n * sizeof(*answer));
                answer += n;
        }
}

static ps_status follow(struct ps_folding *f, ps_exchange *x, struct came *came, ps_error *err)
{
        size_t n;
        PS_TRY(send_trees(f, x, err));
        ps_status status = make_maps(f, &n, err);
        if (status == PS_OK && !(came->answer = malloc(n * sizeof(*came->answer) + 1)))
                status = PS_NOMEM(err, "call paths", n);
        PS_TRY(ps_exchange_agree(x, status, err));
        assert(came->answer); /* as all agree */
        ps_exchange_broadcast(x, &f->zero, sizeof(f->zero));
        ps_exchange_receive(x, 0, came->answer, n * sizeof(*came->answer));
        take_maps(f, came->answer);
        return PS_OK;
}

/* -- all -- */

static ps_status find_common(struct ps_folding *f, ps_error *err)
{
        ps_exchange *x = f->options->exchange;
        struct came came = {.at = NULL};
        f->zero = first_here(f);
        ps_status status = !f->owner  ? make_one_tree(f, &came, err)
                           : !x->rank ? lead(f, x, &came, err)
                                      : follow(f, x, &came, err);
        ps_pile_clear(&came.trees);
        free(came.at);
        free(came.n);
        free(came.answer);
        return status;
}

/* One that is so large that it was read on several threads. */
struct large {
        const struct ps_folding *f;
        ps_loc location;
        uint32_t n_parts;
};

static ps_status settle_part(void *ctx, uint32_t i, unsigned worker, ps_error *err)
{
        const struct large *large = ctx;
        const struct ps_folding *f = large->f;
        (void)worker;
        (void)err;
        ps_builder_settle_part(f->builders[large->location], f->zero, i, large->n_parts);
        return PS_OK;
}

static ps_status settle_location(void *ctx, uint32_t i, unsigned worker, ps_error *err)
{
        struct ps_folding *f = ctx;
        ps_loc l = f->order[i];
        (void)worker;
        (void)err;
        if (i >= f->n_portioned)
                ps_builder_settle_part(f->builders[l], f->zero, 0, 1);
        ps_builder_settle(f->builders[l], f->map[l]);
        f->map[l] = NULL;
        return PS_OK;
}

static ps_status settle_locations(struct ps_folding *f, ps_error *err)
{
        unsigned n_threads = ps_parallel_threads(f->options->n_threads);
        for (uint32_t i = 0; i < f->n_portioned; i++) {
                struct large large = {f, f->order[i], n_threads};
                PS_TRY(ps_parallel_for(n_threads, n_threads, settle_part, &large, err));
        }
        return ps_parallel_for(f->n_workers, f->n_order, settle_location, f, err);
}

/* What needs nobody else. */
static ps_status prepare(struct ps_folding *f, ps_error *err)
{
        f->map = calloc(f->trace->n_locs + (size_t)1, sizeof(*f->map));
        PS_TRY(f->map ? PS_OK : PS_NOMEM(err, "locations", f->trace->n_locs));
        return ps_build_tie(&f->trace->defs, f->builders, err);
}

/* Of a PGAS program the region of a call tells what it is: who has read it needs the paths of its own rows.
 */
static ps_status keep_paths(const struct ps_folding *f, ps_error *err)
{
        ps_trace *trace = f->trace;
        if (!ps_defs_has_pgas(&trace->defs))
                return PS_OK;
        for (uint32_t i = 0; i < f->n_order; i++) {
                ps_path behind = ps_builder_put_paths(f->builders[f->order[i]], NULL);
                trace->n_paths = behind > trace->n_paths ? behind : trace->n_paths;
        }
        trace->paths = PS_ARENA_NEW(trace->arena, ps_path_node, trace->n_paths + (size_t)1);
        if (!trace->paths)
                return PS_NOMEM(err, "call paths", trace->n_paths);
        for (uint32_t i = 0; i < f->n_order; i++)
                ps_builder_put_paths(f->builders[f->order[i]], trace->paths);
        return PS_OK;
}

ps_status ps_settle(struct ps_folding *f, ps_error *err)
{
        ps_exchange *x = f->owner ? f->options->exchange : NULL;
        ps_status status = prepare(f, err);
        PS_TRY(x ? ps_exchange_agree(x, status, err) : status);
        PS_TRY(find_common(f, err));
        f->zero = f->zero == PS_TIME_MAX ? 0 : f->zero;
        status = settle_locations(f, err);
        if (x && x->rank)
                PS_THEN(status, keep_paths(f, err));
        return x ? ps_exchange_agree(x, status, err) : status;
}
