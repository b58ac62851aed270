/* apart.c - a portion of a location that is folded without what stands before it, and how it is joined to
 * that.
 *
 * Of the stack that it begins with nothing is known but that the innermost region is one of the program, not
 * a call. A frame of no region stands for it. Leaving that is a debt: from then on the frame stands for the
 * next one further out, at another stem of the call tree. Whoever has folded all before has the stack, pays
 * the debts, and the stems come where those regions are. What needs more - a request that was started before,
 * a region that is left out of order, threads - is not taken, and the portion ends before it. */
#include "core/fold/sink.h"

#include <stdlib.h>

enum { MOST_DEBTS = 256 };

static const ps_region region_owed = PS_NONE - 1;

ps_status ps_builder_new_apart(ps_builder **out, const ps_defs *defs, ps_loc location, ps_row_pool *pool,
                               ps_error *err)
{
        PS_TRY(ps_builder_new(out, defs, location, pool, err));
        ps_builder *b = *out;
        struct frame *f = ps_fold_top(b) + 1;
        b->debts = calloc(1, sizeof(*b->debts));
        *f = (struct frame){.region = region_owed,
                            .row = PS_NONE,
                            .last = PS_NONE,
                            .coll = PS_NONE,
                            .completion = PS_NONE,
                            .node = ps_tree_stem(&b->tree, 0)};
        b->stack.n = 1;
        if (b->debts && f->node)
                return PS_OK;
        ps_builder_free(b);
        *out = NULL;
        return PS_NOMEM(err, "builder", 1);
}

void ps_builder_owe_leave(ps_builder *b, ps_region region, ps_time time)
{
        struct frame *f = b->stack.row;
        PUSH(b, b->debts->list, (struct debt){region, time, f->below});
        ps_path stem = ps_tree_stem(&b->tree, b->debts->list.n);
        if (!stem)
                b->status = PS_NOMEM(&b->pool->err, "call paths", b->tree.n);
        f->node = stem;
        f->below = 0;
        b->left_since = time;
}

/* -- what may be folded apart -- */

enum { NOT_TAKEN, TAKEN, ENTERS, LEAVES, ENTERS_CONTEXT, LEAVES_CONTEXT, COMPLETES };

static const uint8_t needs[PS_EV_COUNT] = {
        [PS_EV_ENTER] = ENTERS,
        [PS_EV_LEAVE] = LEAVES,
        [PS_EV_CONTEXT_ENTER] = ENTERS_CONTEXT,
        [PS_EV_CONTEXT_LEAVE] = LEAVES_CONTEXT,
        [PS_EV_SEND] = TAKEN,
        [PS_EV_ISEND] = TAKEN,
        [PS_EV_ISEND_DONE] = COMPLETES,
        [PS_EV_RECV] = TAKEN,
        [PS_EV_IRECV_POST] = TAKEN,
        [PS_EV_IRECV] = COMPLETES,
        [PS_EV_REQUEST_TEST] = TAKEN,
        [PS_EV_COLL_BEGIN] = TAKEN,
        [PS_EV_COLL_END] = TAKEN,
        [PS_EV_NBC_REQUEST] = TAKEN,
        [PS_EV_NBC_DONE] = COMPLETES,
        [PS_EV_COMM_CREATE] = TAKEN,
        [PS_EV_COMM_DESTROY] = TAKEN,
        [PS_EV_PARAMETER] = TAKEN, /* it is about calls of PGAS programs, which are not entered */
        [PS_EV_METRIC] = TAKEN,
        [PS_EV_IO] = TAKEN,
        [PS_EV_OTHER] = TAKEN,
};

static bool may_enter(const ps_builder *b, ps_region region)
{
        const ps_region_def *def = region_of(b, region);
        return def && def->is_plain && !ps_fold_lacks_more(b, def);
}

static bool may_leave(const ps_builder *b, ps_region region)
{
        return region < b->defs->regions.n && (b->stack.row[b->stack.n - 1].region == region ||
                                               (b->stack.n == 1 && b->debts->list.n < MOST_DEBTS));
}

static ps_region region_of_context(const ps_builder *b, uint32_t context)
{
        return context < b->defs->contexts.n ? b->defs->contexts.row[context].region : PS_NONE;
}

bool ps_builder_may_take(const ps_builder *b, const ps_event *e)
{
        switch (needs[e->kind]) {
        case TAKEN:
                return true;
        case ENTERS:
                return may_enter(b, e->ref);
        case LEAVES:
                return may_leave(b, e->ref);
        case ENTERS_CONTEXT:
                return may_enter(b, region_of_context(b, e->ref));
        case LEAVES_CONTEXT:
                return may_leave(b, region_of_context(b, e->ref));
        case COMPLETES: {
                ps_op start = ps_ids_get(&b->requests, SPACE_REQUEST, e->request);
                return start != PS_NONE && ps_event_completes(e->kind, CELL(b, kind, start));
        }
        default:
                return false;
        }
}

/* -- joining -- */

/* Is it a region of the program, about which there is nothing to be done but to leave it? */
static bool is_simple(const ps_builder *b, const struct frame *f)
{
        return !f->marks && f->row == PS_NONE && f->coll == PS_NONE && f->completion == PS_NONE &&
               !is_library(region_of(b, f->region));
}

static bool has_stack(const ps_builder *b, const struct debts *debts)
{
        uint32_t n = debts->list.n;
        if (n > b->stack.n)
                return false;
        for (uint32_t i = 0; i < n; i++) {
                const struct frame *f = ps_fold_top(b) - i;
                if (f->region != debts->list.row[i].region || !is_simple(b, f))
                        return false;
        }
        return n == b->stack.n || is_simple(b, ps_fold_top(b) - n);
}

static bool has_room(uint32_t n, uint32_t more)
{
        return (uint64_t)n + more < PS_NONE - ROW_BLOCK;
}

bool ps_builder_may_join(const ps_builder *b, const ps_builder *apart)
{
        uint64_t at = 0;
        ps_id open;
        return b->info.n_events && b->status == PS_OK && apart->status == PS_OK && !b->has_ended &&
               !b->is_off && !b->has_flush && !b->is_watched && !b->visits.is_wanted && !b->places &&
               !ps_ids_next(&b->requests, &at, &open) && has_room(b->n_rows, apart->n_rows) &&
               has_room(b->completed.n, apart->completed.n) && has_room(b->received.n, apart->received.n) &&
               has_stack(b, apart->debts);
}

/* Fills `stem`. */
static void pay_debts(ps_builder *b, const ps_builder *apart, ps_path *stem)
{
        const struct debts *debts = apart->debts;
        for (uint32_t i = 0; i < debts->list.n; i++) {
                const struct debt *debt = &debts->list.row[i];
                struct frame *f = ps_fold_top(b);
                stem[i] = f->node;
                f->below += debt->below;
                ps_fold_pop(b, f, ps_fold_node(b, f), debt->time, false);
        }
        struct frame *f = ps_fold_top(b);
        stem[debts->list.n] = f->node;
        f->below += apart->stack.row->below;
}

static ps_op move_op(ps_op op, ps_op rows)
{
        return op == PS_NONE ? op : op + rows;
}

/* `rows`: so many stand before those of the portion. */
static void join_stack(ps_builder *b, const ps_builder *apart, const ps_path *map, ps_op rows)
{
        uint32_t before = b->completions.n;
        for (uint32_t i = 1; i < apart->stack.n && b->status == PS_OK; i++) {
                struct frame f = apart->stack.row[i];
                f.node = map[f.node];
                f.row = move_op(f.row, rows);
                f.last = move_op(f.last, rows);
                f.coll = move_op(f.coll, rows);
                f.completion = move_op(f.completion, rows);
                f.pending += before;
                if (b->stack.n == b->stack.cap && ps_builder_deepen(b) < 0)
                        b->status = PS_NOMEM(&b->pool->err, "stack", b->stack.n);
                else
                        b->stack.row[b->stack.n++] = f;
        }
        for (uint32_t i = 0; i < apart->completions.n; i++) {
                struct completion c = apart->completions.row[i];
                PUSH(b, b->completions, (struct completion){c.time, c.start + rows});
        }
}

static void join_requests(ps_builder *b, const ps_builder *apart, ps_op rows)
{
        uint64_t at = 0;
        for (ps_id open; b->status == PS_OK && ps_ids_next(&apart->requests, &at, &open);)
                (void)ps_requests_open(b, open.space, open.id, open.row + rows);
        for (uint32_t i = 0; i < apart->lost.n; i++) {
                ps_id lost = apart->lost.row[i];
                lost.row += rows;
                PUSH(b, b->lost, lost);
        }
}

/* What stands beside the rows, and points to them. */
static void join_lists(ps_builder *b, const ps_builder *apart, ps_op rows)
{
        for (uint32_t i = 0; i < apart->completed.n && b->status == PS_OK; i++)
                PUSH(b, b->completed, apart->completed.row[i] + rows);
        for (uint32_t i = 0; i < apart->received.n && b->status == PS_OK; i++)
                PUSH(b, b->received, apart->received.row[i]);
        for (uint32_t i = 0; i < apart->wide.n && b->status == PS_OK; i++) {
                struct ps_wide wide = apart->wide.row[i];
                wide.op += rows;
                PUSH(b, b->wide, wide);
        }
}

void ps_builder_give_counts(ps_builder *b, uint64_t *events_by_code)
{
        for (uint32_t i = 0; i < b->defs->codes.n; i++)
                events_by_code[i] += b->events_by_code[i];
        free(b->events_by_code);
        b->events_by_code = NULL;
}

static void join_counts(ps_builder *b, const ps_builder *apart)
{
        for (uint32_t i = 0; i <= b->defs->codes.n; i++)
                b->events_by_code[i] += apart->events_by_code[i];
        b->info.n_events += apart->info.n_events;
        b->info.last = apart->info.last;
        if (apart->left_since != INT64_MIN)
                b->left_since = apart->left_since;
        ps_issues_merge(b->issues, apart->issues);
}

ps_status ps_builder_join(ps_builder *b, ps_builder *apart, unsigned n_threads, ps_error *err)
{
        if (!apart->info.n_events)
                return PS_OK;
        ps_op rows = b->n_rows;
        ps_path *map = malloc(apart->tree.n * sizeof(*map)),
                *stem = malloc((apart->debts->list.n + 1) * sizeof(*stem));
        ps_status status = map && stem ? PS_OK : PS_NOMEM(err, "call paths", apart->tree.n);
        if (status == PS_OK) {
                pay_debts(b, apart, stem);
                if (ps_tree_join(&b->tree, &apart->tree, stem, map))
                        status = PS_NOMEM(err, "call paths", b->tree.n);
        }
        PS_THEN(status, ps_rows_append(b, apart, map, n_threads, err));
        if (status == PS_OK) {
                join_stack(b, apart, map, rows);
                join_requests(b, apart, rows);
                join_lists(b, apart, rows);
                join_counts(b, apart);
        }
        free(map);
        free(stem);
        if (status == PS_OK && b->status != PS_OK && err)
                *err = b->pool->err;
        return status == PS_OK ? b->status : status;
}
