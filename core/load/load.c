/* load.c - the stages of a load: folding (a location a round), the common tables, matching, clocks.
 *
 * Each location is read by the thread that folds it, largest first, so that the last rounds are short. */
#include "core/load/load.h"
#include "core/base/search.h"
#include "core/load/files.h"
#include "core/load/focus.h"

#include "core/base/parallel.h"
#include "core/clock/clock.h"
#include "core/fold/fold.h"
#include "core/match/match.h"
#include "core/model/stack_places.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* What a worker uses again for each location. */
struct scratch {
        ps_row_pool *pool;
        ps_batch batch;
};

struct load {
        ps_trace *trace;
        const ps_reader_class *format;
        const ps_load_options *options;
        ps_reader *reader;
        ps_builder **builders;
        ps_loc *order;           /* locations, largest first */
        struct scratch *scratch; /* by worker */
        unsigned n_workers;
        uint8_t *in_focus; /* by region: its visits are what the focus is; NULL: no region's are */
        uint64_t total_bytes;
        atomic_uint_fast64_t done_bytes;
};

static ps_status report_progress(struct load *load, unsigned worker, ps_error *err)
{
        const ps_load_options *o = load->options;
        if (worker || !o->progress || !o->progress(o->progress_ctx, load->done_bytes, load->total_bytes))
                return PS_OK;
        return PS_FAIL(err, PS_E_CANCELLED, "loading was cancelled: bytes=%llu",
                       (unsigned long long)load->done_bytes);
}

static ps_status fold_stream(struct load *load, ps_stream *stream, ps_batch *batch, ps_builder *builder,
                             unsigned worker, ps_error *err)
{
        uint64_t seen = 0;
        for (;;) {
                ps_status status =
                        load->format->stream_fold
                                ? load->format->stream_fold(stream, builder, batch, err)
                                : load->format->stream_next(stream, batch, ps_builder_issues(builder), err);
                if (status != PS_OK || !batch->n)
                        return status != PS_OK ? status : ps_builder_end(builder, err);
                PS_TRY(ps_builder_add(builder, batch, err));
                uint64_t offset = batch->event[batch->n - 1].offset;
                if (offset > seen) {
                        atomic_fetch_add(&load->done_bytes, offset - seen);
                        seen = offset;
                }
                PS_TRY(report_progress(load, worker, err));
        }
}

/* What the fold noted has offsets; the file that they count in is the stream's. */
static void name_file(ps_issues *issues, ps_str file)
{
        for (int kind = 0; kind < PS_I_COUNT; kind++)
                if (issues->row[kind].count && !issues->row[kind].file &&
                    issues->row[kind].offset != UINT64_MAX)
                        issues->row[kind].file = file;
}

static ps_status fold_location(void *ctx, uint32_t i, unsigned worker, ps_error *err)
{
        struct load *load = ctx;
        ps_loc location = load->order[i];
        ps_stream *stream = NULL;
        struct scratch *scratch = &load->scratch[worker];
        ps_status status =
                ps_builder_new(&load->builders[location], &load->trace->defs, location, scratch->pool, err);
        if (status == PS_OK && load->options->pieces)
                status = ps_builder_keep_pieces(load->builders[location], load->options->pieces->most, err);
        if (status == PS_OK && load->in_focus)
                ps_builder_keep_visits(load->builders[location], load->in_focus);
        if (status == PS_OK && load->trace->stack_places)
                ps_builder_keep_places(load->builders[location], &load->trace->stack_places[location]);
        PS_THEN(status, load->format->stream_open(&stream, load->reader, location, err));
        PS_THEN(status, fold_stream(load, stream, &scratch->batch, load->builders[location], worker, err));
        if (status == PS_OK && load->format->stream_file)
                name_file(ps_builder_issues(load->builders[location]), load->format->stream_file(stream));
        if (status != PS_OK && status != PS_E_CANCELLED)
                (void)PS_CAUSE(
                        err, status, "cannot read the events of a location: location=\"%s\"",
                        ps_defs_str(&load->trace->defs, load->trace->defs.locations.row[location].name));
        load->format->stream_close(stream);
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

static ps_status order_locations(struct load *load, ps_error *err)
{
        uint32_t n = load->trace->n_locs;
        struct weighed *list = calloc(n ? n : 1, sizeof(*list));
        load->order = calloc(n ? n : 1, sizeof(*load->order));
        load->builders = calloc(n ? n : 1, sizeof(ps_builder *));
        if (!list || !load->order || !load->builders) {
                free(list);
                return PS_NOMEM(err, "locations", n);
        }
        for (ps_loc l = 0; l < n; l++) {
                list[l] = (struct weighed){load->format->weight(load->reader, l), l};
                load->total_bytes += list[l].weight;
        }
        qsort(list, n, sizeof(*list), compare_weight);
        for (uint32_t i = 0; i < n; i++)
                load->order[i] = list[i].location;
        free(list);
        return PS_OK;
}

/* Where the format can be read from there. */
static ps_status make_room_for_places(struct load *load, ps_error *err)
{
        ps_trace *trace = load->trace;
        if (!load->options->call_stacks || !load->format->stream_mark)
                return PS_OK;
        trace->stack_places = ps_memory_zeroed(trace->n_locs + (size_t)1, sizeof(*trace->stack_places));
        return trace->stack_places ? PS_OK : PS_NOMEM(err, "locations", trace->n_locs);
}

static ps_status fold_all(struct load *load, ps_error *err)
{
        uint32_t n = load->trace->n_locs;
        unsigned n_workers = ps_parallel_threads(load->options->n_threads);
        load->n_workers = n_workers < n ? n_workers : n ? n : 1;
        load->scratch = calloc(load->n_workers, sizeof(*load->scratch));
        if (!load->scratch)
                return PS_NOMEM(err, "workers", load->n_workers);
        for (unsigned i = 0; i < load->n_workers; i++)
                if (!(load->scratch[i].pool = ps_row_pool_new()))
                        return PS_NOMEM(err, "workers", i);
        PS_TRY(ps_parallel_for(load->n_workers, n, fold_location, load, err));
        for (unsigned i = 0; i < load->n_workers; i++)
                PS_TRY(ps_row_pool_keep(load->scratch[i].pool, load->trace->arena, err));
        return PS_OK;
}

static void free_scratch(struct load *load)
{
        for (unsigned i = 0; load->scratch && i < load->n_workers; i++)
                ps_row_pool_free(load->scratch[i].pool);
        free(load->scratch);
        load->scratch = NULL;
}

/* -- the zero of time -- */

struct shift {
        ps_trace *trace;
        ps_time zero;
};

static ps_status shift_location(void *ctx, uint32_t l, unsigned worker, ps_error *err)
{
        (void)worker;
        (void)err;
        const struct shift *s = ctx;
        ps_location_info *info = &s->trace->info[l];
        for (ps_op i = 0; i < s->trace->ops[l].n; i++) {
                s->trace->measured.enter[l][i] -= s->zero;
                s->trace->measured.leave[l][i] -= s->zero;
        }
        if (info->n_events) {
                info->first -= s->zero;
                info->last -= s->zero;
        }
        return PS_OK;
}

static ps_status shift_to_zero(ps_trace *trace, unsigned n_threads, ps_error *err)
{
        struct shift s = {trace, PS_TIME_MAX};
        ps_time last = INT64_MIN;
        for (ps_loc l = 0; l < trace->n_locs; l++)
                if (trace->info[l].n_events) {
                        s.zero = trace->info[l].first < s.zero ? trace->info[l].first : s.zero;
                        last = trace->info[l].last > last ? trace->info[l].last : last;
                }
        if (last == INT64_MIN)
                return PS_OK;
        trace->measured.duration = last - s.zero;
        for (int kind = 0; kind < PS_I_COUNT; kind++)
                if (trace->issues.row[kind].time != INT64_MIN)
                        trace->issues.row[kind].time -= s.zero;
        return ps_parallel_for(n_threads, trace->n_locs, shift_location, &s, err);
}

/* -- stages -- */

static ps_status check_strict(const ps_trace *trace, const ps_load_options *options, ps_error *err)
{
        if (!options->strict)
                return PS_OK;
        for (int kind = 0; kind < PS_I_COUNT; kind++)
                if (trace->issues.row[kind].count)
                        return PS_FAIL(err, PS_E_INPUT,
                                       "the trace has a defect: kind=%s, count=%llu, meaning=\"%s\"",
                                       ps_issue_infos[kind].name,
                                       (unsigned long long)trace->issues.row[kind].count,
                                       ps_issue_infos[kind].text);
        return PS_OK;
}

static ps_status match_all(struct load *load, ps_error *err)
{
        ps_trace *trace = load->trace;
        const uint64_t **received = calloc(trace->n_locs ? trace->n_locs : 1, sizeof(*received));
        if (!received)
                return PS_NOMEM(err, "locations", trace->n_locs);
        uint32_t n;
        for (ps_loc l = 0; l < trace->n_locs; l++)
                received[l] = ps_builder_received(load->builders[l], &n);
        ps_status status = ps_match_collectives(trace, received, err);
        PS_THEN(status, ps_match_messages(trace, load->options->n_threads, err));
        PS_THEN(status, ps_files_check(trace, err));
        free(received);
        return status;
}

static ps_status run_stages(struct load *load, ps_error *err)
{
        ps_trace *trace = load->trace;
        unsigned n_threads = load->options->n_threads;
        trace->defs.upc_flags = load->options->upc_flags;
        PS_TRY(ps_defs_freeze(&trace->defs, err));
        PS_TRY(check_strict(trace, load->options, err));
        trace->n_locs = trace->defs.locations.n;
        ps_status status = ps_load_focus_regions(&load->in_focus, trace, load->options->focus, err);
        PS_THEN(status, order_locations(load, err));
        PS_THEN(status, make_room_for_places(load, err));
        PS_THEN(status, fold_all(load, err));
        load->done_bytes = load->total_bytes;
        PS_THEN(status, report_progress(load, 0, err));
        if (status == PS_OK) /* else builders that were not ended still need it */
                free_scratch(load);
        PS_THEN(status, ps_build_finish(trace, load->builders, n_threads, err));
        PS_THEN(status, shift_to_zero(trace, n_threads, err));
        PS_THEN(status, match_all(load, err));
        PS_THEN(status, ps_clock_check(trace, load->options->clock, n_threads, err));
        PS_THEN(status, ps_pieces_settle(trace, err));
        if (load->options->focus)
                PS_THEN(status,
                        ps_load_focus(trace, load->builders, load->format, load->reader, load->options, err));
        return status == PS_OK ? check_strict(trace, load->options, err) : status;
}

/* Blocks too small for a file: measured, with 8 to 1,024 locations. */
static ps_status check_memory(const ps_trace *trace, const ps_load_options *options, ps_error *err)
{
        enum { LEAST_BYTES = 32 << 20, LOCATION_BYTES = 8 << 10 };
        uint64_t least = LEAST_BYTES + (uint64_t)trace->defs.locations.n * LOCATION_BYTES;
        if (!options->memory || options->memory >= least)
                return PS_OK;
        return PS_FAIL(err, PS_E_USAGE,
                       "--memory is too little for this trace: bytes=%" PRIu64 ", least=%" PRIu64,
                       options->memory, least);
}

ps_status ps_load_streams(ps_trace *trace, const ps_reader_class *format, ps_reader *reader,
                          const ps_load_options *options, ps_error *err)
{
        static const ps_load_options defaults;
        struct load load = {
                .format = format, .options = options ? options : &defaults, .trace = trace, .reader = reader};
        ps_status status = check_memory(trace, load.options, err);
        PS_THEN(status, run_stages(&load, err));
        for (ps_loc l = 0; load.builders && l < trace->n_locs; l++)
                ps_builder_free(load.builders[l]);
        free_scratch(&load);
        free(load.in_focus);
        free(load.builders);
        free(load.order);
        return status;
}

ps_status ps_load(ps_trace **out, const ps_reader_class *format, const char *path,
                  const ps_load_options *options, ps_error *err)
{
        ps_trace *trace;
        ps_reader *reader = NULL;
        *out = NULL;
        PS_TRY(ps_trace_new(&trace, format->name, err));
        ps_status status = format->open(&reader, path, &trace->defs, &trace->issues, err);
        PS_THEN(status, ps_load_streams(trace, format, reader, options, err));
        if (reader)
                format->close(reader);
        if (status == PS_OK) {
                *out = trace;
                return PS_OK;
        }
        ps_trace_close(trace);
        return PS_CAUSE(err, status, "cannot load the trace: path=\"%s\", format=%s", path, format->name);
}
