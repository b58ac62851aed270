/* portions.c - one large location on several threads.
 *
 * Its file is cut into as many portions as there are threads, each folded at the same time with what little
 * is known where it begins; then they are joined from the first to the last. Where one cannot be joined, or
 * has ended early, the location goes on from there as if there were no portions, up to the next one: the
 * result is the same. */
#include "core/load/folding.h"

#include "core/base/parallel.h"

#include <stdlib.h>

enum { PORTION_BYTES = 8 << 20, MOST_CHECKED = 16 << 10, MOST_ASKED = 4 };

struct portion {
        ps_stream *stream;
        ps_row_pool *pool;
        ps_builder *builder;
        ps_batch batch;
        ps_stream_portion at;
        uint64_t until; /* where the next one begins */
};

/* The first is the location's own stream and builder. */
struct portions {
        struct ps_folding *folding;
        ps_loc location;
        uint64_t bytes;
        uint32_t n;
        struct portion *row;
};

static const ps_stream_portions *class_of(const struct ps_folding *f)
{
        bool is_plain = !f->options->pieces && !f->in_focus && !f->trace->stack_places;
        return is_plain && f->format->stream_fold ? f->format->portions : NULL;
}

static uint32_t count_portions(const struct ps_folding *f, uint64_t bytes)
{
        uint64_t asked = f->options->portion_bytes, n = bytes / (asked ? asked : PORTION_BYTES),
                 most = asked ? MOST_ASKED : ps_parallel_threads(f->options->n_threads);
        return (uint32_t)(n < most ? n : most);
}

/* So large that all else is read before it on the other threads. */
static bool is_worth_it(const struct ps_folding *f, uint64_t bytes)
{
        return count_portions(f, bytes) > 1 &&
               (f->options->portion_bytes ||
                bytes > f->total_bytes / ps_parallel_threads(f->options->n_threads));
}

uint32_t ps_folding_count_portioned(const struct ps_folding *f)
{
        uint32_t n = 0;
        if (class_of(f) && is_worth_it(f, f->most_bytes)) /* files are asked for their sizes only then */
                while (n < f->n_order && is_worth_it(f, f->format->weight(f->reader, f->order[n])))
                        n++;
        return n;
}

static ps_status open_portions(struct portions *all, ps_stream *own, ps_error *err)
{
        struct ps_folding *f = all->folding;
        all->row = calloc(all->n, sizeof(*all->row));
        if (!all->row)
                return PS_NOMEM(err, "portions", all->n);
        all->row[0].stream = own;
        for (uint32_t i = 0; i < all->n; i++) {
                struct portion *s = &all->row[i];
                s->until = UINT64_MAX;
                if (i && !(s->pool = ps_row_pool_new()))
                        return PS_NOMEM(err, "portions", i);
                if (i)
                        PS_TRY(f->format->stream_open(&s->stream, f->reader, all->location, err));
        }
        return PS_OK;
}

static ps_status find_portion(void *ctx, uint32_t i, unsigned worker, ps_error *err)
{
        (void)worker;
        const struct portions *all = ctx;
        struct portion *s = &all->row[i + 1];
        uint64_t each = all->bytes / all->n, near = each * (i + 1),
                 enough = each / 4 < MOST_CHECKED ? each / 4 : MOST_CHECKED;
        return class_of(all->folding)
                ->find(s->stream, s->pool, &s->batch, near - each + 1, near, enough, &s->at, err);
}

/* Each ends where the next one that was found begins. */
static void limit_portions(struct portions *all)
{
        uint64_t until = UINT64_MAX;
        for (uint32_t i = all->n; i-- > 0;) {
                struct portion *s = &all->row[i];
                s->until = until;
                s->at.is_found &= s->at.from.offset < until;
                if (s->at.is_found)
                        until = s->at.from.offset;
                class_of(all->folding)->limit(s->stream, s->until);
        }
}

static ps_status fold_apart(const struct portions *all, struct portion *s, unsigned worker, ps_error *err)
{
        struct ps_folding *f = all->folding;
        const ps_stream_portions *class = class_of(f);
        PS_TRY(ps_builder_new_apart(&s->builder, &f->trace->defs, all->location, s->pool, err));
        PS_TRY(class->begin(s->stream, &s->at, err));
        for (uint64_t seen = s->at.from.offset; !s->at.is_over; seen = s->at.to.offset) {
                PS_TRY(class->fold(s->stream, s->builder, &s->batch, &s->at, err));
                atomic_fetch_add(&f->done_bytes, s->at.to.offset - seen);
                PS_TRY(ps_folding_progress(f, worker, err));
        }
        return PS_OK;
}

static ps_status fold_portion(void *ctx, uint32_t i, unsigned worker, ps_error *err)
{
        const struct portions *all = ctx;
        struct portion *s = &all->row[i];
        if (!i)
                return ps_folding_stream(all->folding, s->stream, &s->batch,
                                         all->folding->builders[all->location], worker, err);
        return s->at.is_found ? fold_apart(all, s, worker, err) : PS_OK;
}

/* Joins what can be joined, and folds what is left between. */
static ps_status join_portions(const struct portions *all, ps_error *err)
{
        struct ps_folding *f = all->folding;
        const ps_stream_portions *class = class_of(f);
        ps_builder *own = f->builders[all->location];
        ps_stream *stream = all->row->stream;
        for (uint32_t i = 1; i < all->n; i++) {
                struct portion *s = &all->row[i];
                if (!s->at.is_found)
                        continue;
                if (class->is_at(stream, &s->at) && ps_builder_may_join(own, s->builder)) {
                        PS_TRY(ps_builder_join(own, s->builder, f->options->n_threads, err));
                        PS_TRY(class->pass(stream, &s->at, err));
                }
                class->limit(stream, s->until);
                PS_TRY(ps_folding_stream(f, stream, &all->row->batch, own, 0, err));
        }
        class->limit(stream, UINT64_MAX);
        return PS_OK;
}

static void close_portions(struct portions *all)
{
        for (uint32_t i = 1; all->row && i < all->n; i++) {
                struct portion *s = &all->row[i];
                ps_builder_free(s->builder);
                ps_row_pool_free(s->pool);
                all->folding->format->stream_close(s->stream);
        }
        free(all->row);
}

ps_status ps_folding_portions(struct ps_folding *f, ps_loc location, ps_stream *stream, ps_error *err)
{
        uint64_t bytes = f->format->weight(f->reader, location);
        struct portions all = {f, location, bytes, count_portions(f, bytes), NULL};
        unsigned n_threads = f->options->n_threads;
        if (all.n < 2)
                return PS_OK;
        ps_status status = open_portions(&all, stream, err);
        PS_THEN(status, ps_parallel_for(n_threads, all.n - 1, find_portion, &all, err));
        if (status == PS_OK)
                limit_portions(&all);
        PS_THEN(status, ps_parallel_for(n_threads, all.n, fold_portion, &all, err));
        PS_THEN(status, join_portions(&all, err));
        close_portions(&all);
        return status;
}
