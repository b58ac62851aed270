/* columns.c - one pass over all that a trace holds, in three ways: it measures, it writes, or it takes.
 *
 * Numbers are copied; a column is written as it stands, and taken by pointing at it. So there is one list of
 * what a trace holds, and what is written cannot be read in another order. */
#include "core/cache/columns.h"
#include "core/cache/check.h"

#include "core/base/hash.h"
#include "core/base/pass.h"
#include "core/model/focus.h"
#include "core/model/pieces.h"
#include "core/model/stack_places.h"

#include <stdlib.h>
#include <string.h>

#define VALUE(p, value)          PS_TRY(ps_pass_values((p), &(value), 1, sizeof(value)))
#define FLAG(p, value)           PS_TRY(ps_pass_bool((p), &(value)))
#define COLUMN(p, rows, count)   PS_TRY(ps_pass_column((p), &(rows), (count), sizeof(*(rows))))
#define OPTIONAL(p, rows, count) PS_TRY(ps_pass_optional((p), &(rows), (count), sizeof(*(rows))))
#define ROWS(p, rows, count)     PS_TRY(ps_pass_rows((p), &(rows), (count), sizeof(*(rows))))
#define VECTOR(p, v)             PS_TRY(ps_pass_vector((p), &(v).row, &(v).n, &(v).cap, sizeof(*(v).row)))
/* Of rows without pointers. */
#define WHOLE_VECTOR(p, v) PS_TRY(ps_pass_whole((p), &(v).row, &(v).n, &(v).cap, sizeof(*(v).row)))

/* -- definitions -- */

static uint64_t hash_shared(const void *rows, uint32_t row)
{
        const ps_pass_shared *s = (const ps_pass_shared *)rows + row;
        return ps_hash_pair((uintptr_t)s->rows, s->n);
}

static bool is_same_shared(const void *key, const void *rows, uint32_t row)
{
        const ps_pass_shared *a = key, *b = (const ps_pass_shared *)rows + row;
        return a->rows == b->rows && a->n == b->n;
}

/* Where these rows were written before, or *at as it is: they are now. */
static ps_status find_shared(ps_pass *p, const uint32_t *rows, uint32_t n, uint64_t *at)
{
        const ps_pass_shared wanted = {rows, n, *at};
        if (ps_lookup_room(&p->by_rows, p->shared.n, hash_shared, p->shared.row))
                return PS_NOMEM(p->err, "members", p->shared.n);
        uint32_t *slot =
                ps_lookup_find(&p->by_rows, hash_shared(&wanted, 0), is_same_shared, &wanted, p->shared.row);
        if (*slot) {
                *at = p->shared.row[*slot - 1].at;
                return PS_OK;
        }
        if (PS_PUSH(p->shared, wanted))
                return PS_NOMEM(p->err, "members", p->shared.n);
        *slot = p->shared.n;
        return PS_OK;
}

/* Rows that others may have, too: where they stand, and there they follow at once if they are new. */
static ps_status pass_members(ps_pass *p, const uint32_t **rows, uint32_t n)
{
        bool is_there;
        PS_TRY(ps_pass_presence(p, rows, &is_there));
        uint64_t at = (p->used + sizeof(at) + PS_PASS_ALIGN - 1) / PS_PASS_ALIGN * PS_PASS_ALIGN, next = at;
        if (!is_there)
                return n ? PS_FAIL(p->err, PS_E_INPUT, "the cache lacks members: members=%u", n) : PS_OK;
        if (p->way != PS_PASS_TAKE)
                PS_TRY(find_shared(p, *rows, n, &at));
        VALUE(p, at);
        if (at == next)
                return ps_pass_column(p, rows, n, sizeof(**rows));
        if (p->way == PS_PASS_TAKE &&
            (at > p->used || at % sizeof(**rows) || n > (p->used - at) / sizeof(**rows)))
                return PS_FAIL(p->err, PS_E_INPUT,
                               "the cache has members outside of itself: offset=%llu, members=%u",
                               (unsigned long long)at, n);
        if (p->way == PS_PASS_TAKE)
                *rows = (const uint32_t *)(const void *)(p->bytes + at);
        return PS_OK;
}

static ps_status pass_comm(ps_pass *p, ps_comm_def *comm)
{
        VALUE(p, comm->name);
        VALUE(p, comm->parent);
        VALUE(p, comm->n_members);
        VALUE(p, comm->n_members_b);
        VALUE(p, comm->self);
        VALUE(p, comm->inter);
        VALUE(p, comm->team);
        VALUE(p, comm->pgas);
        PS_TRY(pass_members(p, &comm->members, comm->n_members));
        PS_TRY(pass_members(p, &comm->members_b, comm->n_members_b));
        VALUE(p, comm->n_near);
        OPTIONAL(p, comm->near, comm->n_near);
        return comm->inter ? pass_members(p, &comm->sorted_a, comm->n_members) : PS_OK;
}

static ps_status pass_group(ps_pass *p, ps_group_def *group)
{
        VALUE(p, group->name);
        VALUE(p, group->n_members);
        return pass_members(p, &group->members, group->n_members);
}

static ps_status pass_facts(ps_pass *p, ps_defs *defs)
{
        VALUE(p, defs->creator);
        VALUE(p, defs->resolution_hz);
        VALUE(p, defs->sampled_every);
        VALUE(p, defs->pgas_comm);
        VALUE(p, defs->upc_flags);
        FLAG(p, defs->clock_per_process);
        FLAG(p, defs->sends_are_buffered);
        FLAG(p, defs->counts_lines);
        FLAG(p, defs->levels_are_out_modes);
        FLAG(p, defs->partners_vary);
        FLAG(p, defs->is_dvm);
        FLAG(p, defs->recv_comm_unreliable);
        return PS_OK;
}

static ps_status pass_defs(ps_pass *p, ps_defs *defs)
{
        PS_TRY(ps_pass_strings(p, defs->strings));
        WHOLE_VECTOR(p, defs->regions);
        for (ps_region r = 0; r < defs->regions.n; r++)
                FLAG(p, defs->regions.row[r].is_plain); /* a byte of a file may be no bool: it becomes one */
        WHOLE_VECTOR(p, defs->locations);
        WHOLE_VECTOR(p, defs->processes);
        VECTOR(p, defs->comms);
        for (ps_comm c = 0; c < defs->comms.n; c++)
                PS_TRY(pass_comm(p, &defs->comms.row[c]));
        VECTOR(p, defs->groups);
        for (uint32_t g = 0; g < defs->groups.n; g++)
                PS_TRY(pass_group(p, &defs->groups.row[g]));
        WHOLE_VECTOR(p, defs->windows);
        WHOLE_VECTOR(p, defs->contexts);
        WHOLE_VECTOR(p, defs->codes);
        WHOLE_VECTOR(p, defs->params);
        WHOLE_VECTOR(p, defs->metrics);
        WHOLE_VECTOR(p, defs->near_lists);
        COLUMN(p, defs->by_process, defs->locations.n);
        return pass_facts(p, defs);
}

/* -- what locations did -- */

static ps_status pass_ops(ps_pass *p, ps_ops *ops, ps_time **enter, ps_time **leave)
{
        VALUE(p, ops->n);
        VALUE(p, ops->n_calls);
        VALUE(p, ops->n_completed);
        VALUE(p, ops->n_wide);
        COLUMN(p, ops->kind, ops->n);
        COLUMN(p, ops->flags, ops->n);
        uint32_t **columns[] = {&ops->call, &ops->tag, &ops->link, &ops->done, &ops->pre, &ops->post};
        for (size_t i = 0; i < sizeof(columns) / sizeof(*columns); i++)
                COLUMN(p, *columns[i], ops->n);
        OPTIONAL(p, ops->peer, ops->n);
        VALUE(p, ops->has_length);
        VALUE(p, ops->has_completed);
        OPTIONAL(p, ops->length, ops->n);
        COLUMN(p, ops->calls, ops->n_calls);
        COLUMN(p, ops->completed, ops->n_completed);
        COLUMN(p, ops->wide, ops->n_wide);
        COLUMN(p, *enter, ops->n);
        COLUMN(p, *leave, ops->n);
        return PS_OK;
}

static ps_status pass_info(ps_pass *p, ps_location_info *info)
{
        VALUE(p, info->n_events);
        VALUE(p, info->first);
        VALUE(p, info->last);
        VALUE(p, info->off);
        VALUE(p, info->n_teams);
        VALUE(p, info->n_uses);
        VALUE(p, info->n_idle);
        COLUMN(p, info->uses, info->n_uses);
        COLUMN(p, info->idle, info->n_idle);
        return PS_OK;
}

static ps_status pass_pieces(ps_pass *p, ps_trace *trace)
{
        bool is_there;
        PS_TRY(ps_pass_presence(p, &trace->pieces, &is_there));
        if (!is_there)
                return PS_OK;
        ROWS(p, trace->pieces, trace->n_locs);
        for (ps_loc l = 0; l < trace->n_locs; l++) {
                ps_pieces *pieces = &trace->pieces[l];
                VALUE(p, pieces->n);
                VALUE(p, pieces->adds_up);
                OPTIONAL(p, pieces->end, trace->ops[l].n + (size_t)1);
                COLUMN(p, pieces->piece, pieces->n);
        }
        return PS_OK;
}

/* They are of malloc, as if they were gathered. */
static ps_status pass_stack_places(ps_pass *p, ps_trace *trace)
{
        bool is_there;
        PS_TRY(ps_pass_presence(p, &trace->stack_places, &is_there));
        if (!is_there)
                return PS_OK;
        PS_TRY(ps_pass_check_room(p, trace->n_locs));
        if (p->way == PS_PASS_TAKE)
                trace->stack_places = calloc(trace->n_locs + (size_t)1, sizeof(*trace->stack_places));
        if (!trace->stack_places)
                return PS_NOMEM(p->err, "locations", trace->n_locs);
        for (ps_loc l = 0; l < trace->n_locs; l++) {
                ps_stack_places *places = &trace->stack_places[l];
                WHOLE_VECTOR(p, places->places);
                WHOLE_VECTOR(p, places->open);
                for (uint32_t i = 0; i < places->open.n; i++)
                        FLAG(p, places->open.row[i].is_seen);
                VALUE(p, places->begin);
        }
        return PS_OK;
}

static ps_status pass_locations(ps_pass *p, ps_trace *trace)
{
        ps_timing *measured = &trace->measured;
        trace->n_locs = trace->defs.locations.n;
        ROWS(p, trace->ops, trace->n_locs);
        ROWS(p, trace->info, trace->n_locs);
        ROWS(p, measured->enter, trace->n_locs);
        ROWS(p, measured->leave, trace->n_locs);
        for (ps_loc l = 0; l < trace->n_locs; l++) {
                PS_TRY(pass_ops(p, &trace->ops[l], &measured->enter[l], &measured->leave[l]));
                PS_TRY(pass_info(p, &trace->info[l]));
        }
        OPTIONAL(p, trace->events_by_code, trace->defs.codes.n);
        PS_TRY(pass_pieces(p, trace));
        return pass_stack_places(p, trace);
}

/* -- the run -- */

static ps_status pass_clock(ps_pass *p, ps_clock_info *clock, size_t n)
{
        ps_clock_info held = *clock;
        VALUE(p, held); /* with pointers, which mean nothing there */
        if (p->way == PS_PASS_TAKE)
                *clock = held;
        OPTIONAL(p, clock->offset, n);
        OPTIONAL(p, clock->width, n);
        OPTIONAL(p, clock->drift, n);
        OPTIONAL(p, clock->room, n * n);
        OPTIONAL(p, clock->error, n * n);
        OPTIONAL(p, clock->wander, n * n);
        return PS_OK;
}

static ps_status pass_text(ps_pass *p, const char **text)
{
        size_t n = *text ? strlen(*text) + 1 : 0;
        VALUE(p, n);
        OPTIONAL(p, *text, n);
        if (p->way == PS_PASS_TAKE && *text && (!n || (*text)[n - 1]))
                return PS_FAIL(p->err, PS_E_INPUT, "the cache has a text without an end: bytes=%zu", n);
        return PS_OK;
}

static ps_status pass_parts(ps_pass *p, ps_focus *focus, ps_loc n_locs)
{
        bool is_there;
        PS_TRY(ps_pass_presence(p, &focus->part, &is_there));
        if (!is_there)
                return PS_OK;
        ROWS(p, focus->part, n_locs);
        for (ps_loc l = 0; l < n_locs; l++) {
                VALUE(p, focus->part[l].n_uses);
                VALUE(p, focus->part[l].off);
                COLUMN(p, focus->part[l].uses, focus->part[l].n_uses);
        }
        return PS_OK;
}

static ps_status pass_focus(ps_pass *p, ps_trace *trace)
{
        ps_focus *focus;
        bool is_there;
        PS_TRY(ps_pass_presence(p, &trace->measured.focus, &is_there));
        if (!is_there)
                return PS_OK;
        focus = ps_pass_pointer(&trace->measured.focus);
        ROWS(p, focus, 1);
        trace->measured.focus = focus;
        VALUE(p, focus->how);
        VALUE(p, focus->n_spans);
        VALUE(p, focus->length);
        COLUMN(p, focus->span, focus->n_spans);
        OPTIONAL(p, focus->moments, 2 * (size_t)focus->n_spans);
        OPTIONAL(p, focus->is_told, trace->n_locs);
        PS_TRY(pass_text(p, &focus->region));
        return pass_parts(p, focus, trace->n_locs);
}

static ps_status pass_trace(ps_pass *p, ps_trace *trace)
{
        PS_TRY(pass_text(p, &trace->format));
        PS_TRY(pass_defs(p, &trace->defs));
        PS_TRY(pass_locations(p, trace));
        VALUE(p, trace->n_paths);
        COLUMN(p, trace->paths, trace->n_paths);
        VALUE(p, trace->n_colls);
        COLUMN(p, trace->colls, trace->n_colls);
        VALUE(p, trace->n_members);
        COLUMN(p, trace->members, trace->n_members);
        VALUE(p, trace->n_foreign);
        COLUMN(p, trace->foreign, trace->n_foreign);
        VALUE(p, trace->n_events);
        VALUE(p, trace->n_operations);
        VALUE(p, trace->n_messages);
        VALUE(p, trace->measured.duration);
        VALUE(p, trace->issues);
        PS_TRY(pass_clock(p, &trace->clock, trace->defs.processes.n));
        return pass_focus(p, trace);
}

static ps_status run_pass(ps_pass *p, ps_trace *trace)
{
        p->arena = trace->arena;
        ps_status status = pass_trace(p, trace);
        if (status == PS_OK && p->bytes && p->used != p->size)
                status = PS_FAIL(p->err, PS_E_INPUT,
                                 "the cache is longer than what it holds: used=%zu, bytes=%zu", p->used,
                                 p->size);
        free(p->shared.row);
        ps_lookup_free(&p->by_rows);
        return status;
}

ps_status ps_cache_columns_measure(size_t *bytes, ps_trace *trace, ps_error *err)
{
        ps_pass p = {.way = PS_PASS_MEASURE, .err = err};
        ps_status status = run_pass(&p, trace);
        *bytes = p.used;
        return status;
}

ps_status ps_cache_columns_put(uint8_t *at, size_t bytes, ps_trace *trace, ps_error *err)
{
        ps_pass p = {.way = PS_PASS_PUT, .bytes = at, .size = bytes, .err = err};
        return run_pass(&p, trace);
}

ps_status ps_cache_columns_take(ps_trace *out, const uint8_t *at, size_t bytes, unsigned n_threads,
                                ps_error *err)
{
        ps_pass p = {.way = PS_PASS_TAKE, .size = bytes, .err = err};
        memcpy(&p.bytes, &at, sizeof(at)); /* nothing is written there in this way */
        PS_TRY(run_pass(&p, out));
        return ps_cache_check(out, n_threads, err);
}

uint64_t ps_cache_columns_layout(void)
{
        static const uint32_t sizes[] = {
                sizeof(ps_trace),         sizeof(ps_defs),        sizeof(ps_region_def),
                sizeof(ps_location_def),  sizeof(ps_process_def), sizeof(ps_comm_def),
                sizeof(ps_group_def),     sizeof(ps_window_def),  sizeof(ps_near),
                sizeof(ps_context_def),   sizeof(ps_ops),         sizeof(struct ps_call),
                sizeof(struct ps_wide),   sizeof(ps_coll),        sizeof(ps_member),
                sizeof(ps_path_use),      sizeof(ps_path_node),   sizeof(ps_idle),
                sizeof(ps_location_info), sizeof(ps_foreign),     sizeof(ps_clock_info),
                sizeof(ps_clock_drift),   sizeof(ps_focus),       sizeof(ps_moment),
                sizeof(ps_piece),         sizeof(ps_stack_place), sizeof(ps_open_function),
                sizeof(ps_issues),        sizeof(size_t),         PS_K_COUNT};
        return ps_hash_bytes(sizes, sizeof(sizes)); /* which depend on the byte order, too */
}
