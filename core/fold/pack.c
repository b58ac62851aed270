/* pack.c - a location that was folded in one process goes on in another: what is left of its events but for
 * the columns, which are by far the most and travel as they stand. */
#include "core/base/pass.h"
#include "core/fold/builder.h"
#include "core/fold/outline.h"
#include "core/model/stack_places.h"

#include <stdlib.h>

#define VALUE(p, value) PS_TRY(ps_pass_values((p), &(value), 1, sizeof(value)))
#define WHOLE(p, v)     PS_TRY(ps_pass_whole((p), &(v).row, &(v).n, &(v).cap, sizeof(*(v).row)))

static ps_status pass_pieces(ps_pass *p, struct ps_piecing *pieces)
{
        VALUE(p, pieces->is_full);
        VALUE(p, pieces->is_odd);
        WHOLE(p, pieces->piece);
        WHOLE(p, pieces->end);
        return PS_OK;
}

static ps_status pass_places(ps_pass *p, ps_stack_places *places)
{
        VALUE(p, places->begin);
        WHOLE(p, places->places);
        WHOLE(p, places->open);
        return PS_OK;
}

static ps_status pass_info(ps_pass *p, ps_builder *b)
{
        VALUE(p, b->info.n_events);
        VALUE(p, b->info.first);
        VALUE(p, b->info.last);
        VALUE(p, b->info.off);
        VALUE(p, b->info.n_teams);
        bool has_issues;
        PS_TRY(ps_pass_presence(p, &b->issues, &has_issues));
        if (has_issues)
                return ps_pass_values(p, b->issues, 1, sizeof(*b->issues));
        free(b->issues);
        b->issues = NULL;
        return PS_OK;
}

ps_status ps_outline_pass(ps_pass *p, ps_builder *b)
{
        VALUE(p, b->ops.n);
        VALUE(p, b->ops.n_completed);
        VALUE(p, b->ops.n_calls);
        VALUE(p, b->ops.has_length);
        VALUE(p, b->ops.has_completed);
        PS_TRY(pass_info(p, b));
        PS_TRY(ps_pass_whole(p, &b->tree.node, &b->tree.n, &b->tree.cap, sizeof(*b->tree.node)));
        PS_TRY(ps_pass_whole(p, &b->tree.place, &b->tree.n, &b->tree.cap_places, sizeof(*b->tree.place)));
        WHOLE(p, b->wide);
        WHOLE(p, b->visits.list);
        return b->places ? pass_places(p, b->places) : PS_OK;
}

static ps_status pass_builder(ps_pass *p, ps_builder *b)
{
        uint32_t cap;
        PS_TRY(ps_outline_pass(p, b));
        PS_TRY(ps_pass_whole(p, &b->ops.calls, &b->ops.n_calls, &cap, sizeof(*b->ops.calls)));
        PS_TRY(ps_pass_whole(p, &b->ops.completed, &b->ops.n_completed, &cap, sizeof(*b->ops.completed)));
        WHOLE(p, b->received);
        WHOLE(p, b->foreign);
        WHOLE(p, b->idle);
        return b->pieces ? pass_pieces(p, b->pieces) : PS_OK;
}

ps_status ps_builder_pack(ps_packed *out, ps_builder *b, ps_error *err)
{
        ps_pass measure = {.way = PS_PASS_MEASURE, .err = err};
        *out = (ps_packed){.columns = b->enter, .n_columns = ps_rows_bytes(b->defs, &b->ops, b->ops.n)};
        PS_TRY(pass_builder(&measure, b));
        ps_pass put = {.way = PS_PASS_PUT, .size = measure.used, .err = err};
        out->n_rest = measure.used;
        out->rest = put.bytes = malloc(measure.used);
        return out->rest ? pass_builder(&put, b) : PS_NOMEM(err, "a location's rest", measure.used);
}

/* What a new builder has already of all that, and what was counted where its events were read. */
static void drop_what_is_taken(ps_builder *b)
{
        ps_tree_free(&b->tree);
        free(b->events_by_code);
        b->events_by_code = NULL;
        if (!b->pieces)
                return;
        free(b->pieces->piece.row);
        free(b->pieces->end.row);
        b->pieces->piece.row = NULL;
        b->pieces->end.row = NULL;
}

ps_status ps_builder_unpack(ps_builder *b, ps_packed *packed, ps_path *map, ps_error *err)
{
        ps_pass take = {.way = PS_PASS_TAKE, .bytes = packed->rest, .size = packed->n_rest, .err = err};
        drop_what_is_taken(b);
        b->map = map;
        PS_TRY(pass_builder(&take, b));
        packed->n_columns = ps_rows_bytes(b->defs, &b->ops, b->ops.n);
        packed->columns = ps_rows_take(b, b->ops.n);
        ps_status status =
                packed->columns ? ps_rows_keep_tables(b, err) : PS_NOMEM(err, "operations", b->ops.n);
        b->pool = NULL; /* as with what was read here */
        return status;
}

/* Its columns are those of no rows, with which its tables stand, until it gets others. */
ps_status ps_outline_take(ps_pass *p, ps_builder *b, ps_path *map)
{
        drop_what_is_taken(b);
        b->map = map;
        PS_TRY(ps_outline_pass(p, b));
        uint32_t n_completed = b->ops.n_completed, n_calls = b->ops.n_calls;
        b->ops.n_completed = b->ops.n_calls = 0;
        ps_status status =
                ps_rows_take(b, 0) ? ps_rows_keep_tables(b, p->err) : PS_NOMEM(p->err, "operations", 0);
        b->ops.n_completed = n_completed;
        b->ops.n_calls = n_calls;
        b->pool = NULL;
        return status;
}
