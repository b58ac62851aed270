/* cutting.c - see cutting.h. */
#include "core/load/cutting.h"

#include "core/base/parallel.h"
#include "core/fold/cut.h"

#include <stdlib.h>

struct cutters {
        const struct ps_cutting *what;
        ps_row_pool **pools; /* by worker */
        ps_batch *batches;
};

static ps_status feed(ps_cut *cut, const struct ps_folding *f, ps_loc loc, ps_batch *batch, ps_error *err)
{
        ps_issues *again = calloc(1, sizeof(*again)); /* they were all noted the first time */
        ps_stream *stream = NULL;
        ps_status status =
                again ? f->format->stream_open(&stream, f->reader, loc, err) : PS_NOMEM(err, "issues", 1);
        while (status == PS_OK && ps_cut_needs_more(cut)) {
                status = f->format->stream_next(stream, batch, again, err);
                if (status != PS_OK || !batch->n)
                        break;
                status = ps_cut_add(cut, batch, err);
        }
        f->format->stream_close(stream);
        free(again);
        return status;
}

static ps_status cut_location(void *ctx, uint32_t i, unsigned worker, ps_error *err)
{
        const struct cutters *c = ctx;
        const struct ps_folding *f = c->what->f;
        ps_loc loc = f->order[i];
        ps_time shift = c->what->shift[loc];
        ps_cut *cut;
        if (shift == PS_UNCUT)
                return PS_OK;
        ps_status status = ps_cut_new(&cut, f->builders[loc], c->what->focus, shift, c->pools[worker], err);
        if (status == PS_OK && ps_cut_needs_more(cut))
                status = feed(cut, f, loc, &c->batches[worker], err);
        if (status == PS_OK)
                ps_cut_finish(cut, &c->what->part[loc]);
        ps_cut_free(cut);
        return status;
}

/* Memory of an arena is cut by one thread. */
static ps_status make_room(struct cutters *c, ps_arena *arena, unsigned n_workers, ps_error *err)
{
        const struct ps_folding *f = c->what->f;
        c->pools = calloc(n_workers, sizeof(*c->pools));
        c->batches = calloc(n_workers, sizeof(*c->batches));
        if (!c->pools || !c->batches)
                return PS_NOMEM(err, "workers", n_workers);
        for (uint32_t i = 0; i < f->n_order; i++) {
                ps_loc l = f->order[i];
                uint32_t n = ps_builder_n_nodes(f->builders[l]);
                if (c->what->shift[l] != PS_UNCUT &&
                    !(c->what->part[l].uses = PS_ARENA_NEW(arena, ps_path_use, n)))
                        return PS_NOMEM(err, "call paths", n);
        }
        for (unsigned i = 0; i < n_workers; i++)
                if (!(c->pools[i] = ps_row_pool_new()))
                        return PS_NOMEM(err, "workers", i);
        return PS_OK;
}

ps_status ps_cut_here(const struct ps_cutting *cutting, ps_arena *arena, ps_error *err)
{
        unsigned n_workers = ps_parallel_threads(cutting->f->options->n_threads);
        struct cutters c = {.what = cutting};
        ps_status status = make_room(&c, arena, n_workers, err);
        PS_THEN(status, ps_parallel_for(n_workers, cutting->f->n_order, cut_location, &c, err));
        for (unsigned i = 0; c.pools && i < n_workers; i++)
                ps_row_pool_free(c.pools[i]);
        free(c.pools);
        free(c.batches);
        return status;
}
