/* folding.c - each location is read by the thread that folds it, largest first, so that the last rounds are
 * short. */
#include "core/load/folding.h"
#include "core/base/search.h"

#include "core/base/blocks.h"
#include "core/base/parallel.h"
#include "core/exchange/exchange.h"
#include "core/model/stack_places.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>

ps_status ps_folding_progress(struct ps_folding *f, unsigned worker, ps_error *err)
{
        const ps_load_options *o = f->options;
        if (worker || !o->progress || !o->progress(o->progress_ctx, f->done_bytes, f->total_bytes))
                return PS_OK;
        return PS_FAIL(err, PS_E_CANCELLED, "loading was cancelled: bytes=%llu",
                       (unsigned long long)f->done_bytes);
}

ps_status ps_folding_stream(struct ps_folding *f, ps_stream *stream, ps_batch *batch, ps_builder *builder,
                            unsigned worker, ps_error *err)
{
        uint64_t seen = 0;
        for (;;) {
                ps_status status =
                        f->format->stream_fold
                                ? f->format->stream_fold(stream, builder, batch, err)
                                : f->format->stream_next(stream, batch, ps_builder_issues(builder), err);
                if (status != PS_OK || !batch->n)
                        return status;
                PS_TRY(ps_builder_add(builder, batch, err));
                uint64_t offset = batch->event[batch->n - 1].offset;
                if (offset > seen) {
                        atomic_fetch_add(&f->done_bytes, offset - seen);
                        seen = offset;
                }
                PS_TRY(ps_folding_progress(f, worker, err));
        }
}

/* What the fold noted has offsets; the file that they count in is the stream's. */
static void name_file(ps_issues *issues, ps_str file)
{
        for (int kind = 0; issues && kind < PS_I_COUNT; kind++)
                if (issues->row[kind].count && !issues->row[kind].file &&
                    issues->row[kind].offset != UINT64_MAX)
                        issues->row[kind].file = file;
}

static bool is_mine(const struct ps_folding *f, ps_loc location)
{
        const ps_exchange *x = f->options->exchange;
        return !f->owner || f->owner[f->trace->defs.locations.row[location].process] == x->rank;
}

/* How many events there are nobody knows yet: about one a line, or in so many bytes. */
static uint64_t event_bytes(const struct ps_folding *f)
{
        return f->trace->defs.counts_lines ? 1 : 16;
}

/* No more than the location's file has room for: of a run that broke off, most may be missing. */
static uint64_t expected_events(const struct ps_folding *f, ps_loc location)
{
        const uint64_t promised = f->trace->defs.locations.row[location].n_events,
                       weight = is_mine(f, location) ? f->format->weight(f->reader, location) : 0;
        if (promised == UINT64_MAX)
                return weight / event_bytes(f);
        return promised < weight ? promised : weight;
}

ps_status ps_folding_builder(struct ps_folding *f, ps_loc location, ps_row_pool *pool, ps_error *err)
{
        ps_builder **out = &f->builders[location];
        PS_TRY(ps_builder_new(out, &f->trace->defs, location, pool, err));
        if (f->options->pieces)
                PS_TRY(ps_builder_keep_pieces(*out, f->options->pieces->most, expected_events(f, location),
                                              err));
        if (f->in_focus)
                ps_builder_keep_visits(*out, f->in_focus);
        if (f->trace->stack_places)
                ps_builder_keep_places(*out, &f->trace->stack_places[location]);
        return PS_OK;
}

static ps_status fold_location(void *ctx, uint32_t i, unsigned worker, ps_error *err)
{
        struct ps_folding *f = ctx;
        ps_loc location = f->order[i];
        ps_stream *stream = NULL;
        struct ps_fold_scratch *scratch = &f->scratch[worker];
        ps_status status = ps_folding_builder(f, location, scratch->pool, err);
        PS_THEN(status, f->format->stream_open(&stream, f->reader, location, err));
        if (i < f->n_portioned)
                PS_THEN(status, ps_folding_portions(f, location, stream, err));
        PS_THEN(status, ps_folding_stream(f, stream, &scratch->batch, f->builders[location], worker, err));
        PS_THEN(status, ps_builder_end(f->builders[location], err));
        if (status == PS_OK)
                ps_builder_give_counts(f->builders[location], scratch->events_by_code);
        if (status == PS_OK && f->format->stream_file)
                name_file(ps_builder_issues(f->builders[location]), f->format->stream_file(stream));
        if (status != PS_OK && status != PS_E_CANCELLED)
                (void)PS_CAUSE(err, status, "cannot read the events of a location: location=\"%s\"",
                               ps_defs_str(&f->trace->defs, f->trace->defs.locations.row[location].name));
        f->format->stream_close(stream);
        return status;
}

struct weighed {
        uint64_t weight;
        ps_loc location;
};

static int compare_weight(const void *a, const void *b)
{
        const struct weighed *x = a, *y = b;
        PS_ORDER_BY(y->weight, x->weight);
        return PS_ORDER(x->location, y->location);
}

static const uint64_t KIB = 1 << 10, MIB = 1 << 20, SMALL_MOST = 64 << 10;

/* What of a location lies in blocks that are too small for a file: that of few events does, and of many it is
 * in large ones. Measured; who keeps what is computed between calls finds causes, or replays the run. */
static uint64_t small_bytes(const struct ps_folding *f, uint64_t weight)
{
        static const uint64_t LEAST = 16 << 10, AN_EVENT = 64;
        const uint64_t n = weight / event_bytes(f);
        return n < (SMALL_MOST - LEAST) / AN_EVENT ? LEAST + n * AN_EVENT : SMALL_MOST;
}

/* Beside that of locations, which of those of other processes may be any. The rest is the room in which pages
 * of the file come and go. */
static ps_status check_memory(const struct ps_folding *f, ps_error *err)
{
        const ps_load_options *options = f->options;
        const uint64_t n = f->trace->n_locs, away = n - f->n_order,
                       least = options->pieces ? 64 * MIB + f->small_bytes + away * SMALL_MOST
                                               : 40 * MIB + n * 8 * KIB;
        ps_blocks_need(least);
        if (!options->memory || options->memory >= least)
                return PS_OK;
        return PS_FAIL(err, PS_E_USAGE,
                       "--memory is too little for this trace: bytes=%" PRIu64 ", least=%" PRIu64,
                       options->memory, least);
}

static ps_status order_locations(struct ps_folding *f, ps_error *err)
{
        uint32_t n = f->trace->n_locs;
        struct weighed *list = calloc(n ? n : 1, sizeof(*list));
        f->order = calloc(n ? n : 1, sizeof(*f->order));
        f->builders = calloc(n ? n : 1, sizeof(ps_builder *));
        if (!list || !f->order || !f->builders) {
                free(list);
                return PS_NOMEM(err, "locations", n);
        }
        f->total_bytes = f->small_bytes = 0;
        for (ps_loc l = 0; l < n; l++) {
                if (!is_mine(f, l)) /* whose size is not asked for: on many nodes that adds up */
                        continue;
                uint64_t weight = f->format->weight(f->reader, l);
                f->total_bytes += weight;
                f->small_bytes += small_bytes(f, weight);
                list[f->n_order++] = (struct weighed){weight, l};
        }
        qsort(list, f->n_order, sizeof(*list), compare_weight);
        for (uint32_t i = 0; i < f->n_order; i++)
                f->order[i] = list[i].location;
        f->most_bytes = list->weight;
        free(list);
        return PS_OK;
}

/* Where the format can be read from there. */
static ps_status make_room_for_places(struct ps_folding *f, ps_error *err)
{
        ps_trace *trace = f->trace;
        if (!f->options->call_stacks || !f->format->stream_mark)
                return PS_OK;
        trace->stack_places = ps_memory_zeroed(trace->n_locs + (size_t)1, sizeof(*trace->stack_places));
        return trace->stack_places ? PS_OK : PS_NOMEM(err, "locations", trace->n_locs);
}

static uint64_t *new_counts(ps_trace *trace)
{
        return PS_ARENA_NEW(trace->arena, uint64_t, trace->defs.codes.n);
}

/* One at least: it holds what comes from elsewhere, too. */
static ps_status make_workers(struct ps_folding *f, ps_error *err)
{
        unsigned n_workers = ps_parallel_threads(f->options->n_threads);
        f->n_workers = n_workers < f->n_order ? n_workers : f->n_order ? f->n_order : 1;
        assert(f->n_workers);
        f->scratch = calloc(f->n_workers, sizeof(*f->scratch));
        if (!f->scratch)
                return PS_NOMEM(err, "workers", f->n_workers);
        for (unsigned i = 0; i < f->n_workers; i++) {
                f->scratch[i].pool = ps_row_pool_new();
                f->scratch[i].events_by_code = new_counts(f->trace);
                if (!f->scratch[i].pool || !f->scratch[i].events_by_code)
                        return PS_NOMEM(err, "workers", i);
        }
        return PS_OK;
}

static void choose_threads(struct ps_folding *f)
{
        f->own = *f->options;
        f->own.n_threads = ps_parallel_worth(f->options->n_threads, f->total_bytes / event_bytes(f));
        f->options = &f->own;
}

ps_status ps_folding_prepare(struct ps_folding *f, ps_error *err)
{
        PS_TRY(order_locations(f, err));
        return check_memory(f, err);
}

static ps_status make_room(struct ps_folding *f, ps_error *err)
{
        choose_threads(f);
        PS_TRY(make_room_for_places(f, err));
        f->trace->events_by_code = new_counts(f->trace);
        return f->trace->events_by_code ? make_workers(f, err)
                                        : PS_NOMEM(err, "kinds of records", f->trace->defs.codes.n);
}

struct others {
        struct ps_folding *folding;
        uint32_t first;
};

static ps_status fold_other(void *ctx, uint32_t i, unsigned worker, ps_error *err)
{
        const struct others *others = ctx;
        return fold_location(others->folding, others->first + i, worker, err);
}

void ps_folding_count(struct ps_folding *f, const uint64_t *events_by_code)
{
        for (uint32_t code = 0; code < f->trace->defs.codes.n; code++)
                f->trace->events_by_code[code] += events_by_code[code];
}

ps_status ps_folding_run(struct ps_folding *f, ps_error *err)
{
        PS_TRY(make_room(f, err));
        f->n_portioned = ps_folding_count_portioned(f);
        for (uint32_t i = 0; i < f->n_portioned; i++)
                PS_TRY(fold_location(f, i, 0, err));
        struct others others = {f, f->n_portioned};
        ps_status status =
                ps_parallel_for(f->n_workers, f->n_order - f->n_portioned, fold_other, &others, err);
        for (unsigned i = 0; i < f->n_workers; i++) {
                ps_row_pool_empty(f->scratch[i].pool);
                ps_folding_count(f, f->scratch[i].events_by_code);
        }
        return status;
}

static void free_scratch(struct ps_folding *f)
{
        for (unsigned i = 0; f->scratch && i < f->n_workers; i++)
                ps_row_pool_free(f->scratch[i].pool);
        free(f->scratch);
        f->scratch = NULL;
}

ps_status ps_folding_end(struct ps_folding *f, ps_error *err)
{
        for (unsigned i = 0; i < f->n_workers; i++)
                PS_TRY(ps_row_pool_keep(f->scratch[i].pool, f->trace->arena, err));
        f->done_bytes = f->total_bytes;
        PS_TRY(ps_folding_progress(f, 0, err));
        free_scratch(f); /* only now: builders that were not ended still need it */
        return PS_OK;
}

void ps_folding_clear(struct ps_folding *f)
{
        for (ps_loc l = 0; f->builders && l < f->trace->n_locs; l++)
                ps_builder_free(f->builders[l]);
        for (ps_loc l = 0; f->map && l < f->trace->n_locs; l++)
                free(f->map[l]);
        free(f->map);
        free_scratch(f);
        free(f->in_focus);
        free(f->builders);
        free(f->order);
        free(f->owner);
        free(f->lasting);
        free(f->slacks.row);
        ps_agreed_clear(&f->agreed);
}
