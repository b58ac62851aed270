/* trace_maker.c - counts, cuts columns from the trace's arena, fills. */
#include "tests/support/trace_maker.h"

#include "core/base/hash.h"
#include "tests/support/test.h"

#include <stdlib.h>
#include <string.h>

#define NEW(trace, type, n) ((type *)not_null(ps_arena_alloc((trace)->arena, (n), sizeof(type))))

static void *not_null(void *block)
{
        assert_non_null(block);
        return block;
}

static const uint32_t *copy_members(ps_trace *trace, const uint32_t *members, uint32_t n)
{
        uint32_t *copy = NEW(trace, uint32_t, n);
        if (n)
                memcpy(copy, members, n * sizeof(*copy));
        return copy;
}

static void add_comm(ps_trace *trace, const maker_comm *comm)
{
        ps_comm_def def = {.name = ps_strings_addz(trace->defs.strings, comm->name ? comm->name : ""),
                           .parent = PS_NONE,
                           .n_members = comm->n,
                           .n_members_b = comm->n_b,
                           .members = comm->long_members ? comm->long_members
                                                         : copy_members(trace, comm->members, comm->n),
                           .members_b = copy_members(trace, comm->members_b, comm->n_b),
                           .self = comm->self,
                           .inter = comm->inter,
                           .team = comm->team};
        assert_int_equal(ps_defs_add_comm(&trace->defs, &def, NULL, NULL), PS_OK);
}

static void add_defs(ps_trace *trace, const maker_shape *shape)
{
        ps_defs *defs = &trace->defs;
        for (uint32_t p = 0; p < shape->n_procs; p++)
                assert_int_equal(ps_defs_add_process(defs, &(ps_process_def){0}, NULL, NULL), PS_OK);
        for (uint32_t l = 0; l < trace->n_locs; l++) {
                ps_location_def def = {.process = shape->process ? shape->process[l] : l};
                assert_int_equal(ps_defs_add_location(defs, &def, NULL, NULL), PS_OK);
        }
        for (uint32_t c = 0; c < shape->n_comms; c++)
                add_comm(trace, &shape->comms[c]);
        for (uint32_t w = 0; w < shape->n_windows; w++) {
                ps_window_def def = {0, shape->windows[w]};
                assert_int_equal(ps_defs_add_window(defs, &def, NULL, NULL), PS_OK);
        }
        defs->recv_comm_unreliable = shape->recv_comm_unreliable;
        assert_int_equal(ps_defs_freeze(defs, NULL), PS_OK);
}

static void cut_columns(ps_trace *trace, ps_loc loc, uint32_t n)
{
        ps_ops *ops = &trace->ops[loc];
        uint32_t **columns[] = {&ops->call, &ops->tag, &ops->link, &ops->done, &ops->pre, &ops->post};
        for (size_t i = 0; i < sizeof(columns) / sizeof(columns[0]); i++)
                *columns[i] = NEW(trace, uint32_t, n);
        ops->peer = trace->defs.partners_vary ? NEW(trace, uint32_t, n) : NULL;
        ops->kind = NEW(trace, uint8_t, n);
        ops->flags = NEW(trace, uint8_t, n);
        ops->calls = NEW(trace, struct ps_call, n);
        trace->measured.enter[loc] = NEW(trace, ps_time, n);
        trace->measured.leave[loc] = NEW(trace, ps_time, n);
}

static void add_row(ps_trace *trace, const maker_row *row, uint32_t place)
{
        ps_ops *ops = &trace->ops[row->loc];
        ps_op op = ops->n++;
        ops->kind[op] = row->kind;
        ops->flags[op] = row->flags;
        ops->call[op] = ops->n_calls++;
        ops->calls[op] = (struct ps_call){.bytes = row->bytes, .peer = row->peer, .comm = row->comm};
        ops->tag[op] = row->tag;
        if (ops->peer)
                ops->peer[op] = row->peer;
        ops->done[op] = row->done;
        ops->link[op] = row->rank;
        trace->measured.enter[row->loc][op] = row->at ? row->at : 1000 * ((ps_time)place + 1);
        trace->measured.leave[row->loc][op] = trace->measured.enter[row->loc][op] + 100;
}

ps_trace *maker_trace(const maker_shape *shape, const maker_row *rows, uint32_t n_rows)
{
        ps_trace *trace = not_null(calloc(1, sizeof(*trace)));
        assert_int_equal(ps_defs_init(&trace->defs, NULL), PS_OK);
        trace->arena = trace->defs.arena;
        trace->n_locs = shape->process ? shape->n_locs : shape->n_procs;
        add_defs(trace, shape);
        trace->ops = NEW(trace, ps_ops, trace->n_locs);
        trace->info = NEW(trace, ps_location_info, trace->n_locs);
        trace->measured.enter = NEW(trace, ps_time *, trace->n_locs);
        trace->measured.leave = NEW(trace, ps_time *, trace->n_locs);
        uint32_t *n = NEW(trace, uint32_t, trace->n_locs);
        for (uint32_t i = 0; i < n_rows; i++)
                n[rows[i].loc]++;
        for (ps_loc loc = 0; loc < trace->n_locs; loc++)
                cut_columns(trace, loc, n[loc]);
        for (uint32_t i = 0; i < n_rows; i++)
                add_row(trace, &rows[i], i);
        return trace;
}

void maker_free(ps_trace *trace)
{
        ps_defs_free(&trace->defs);
        free(trace);
}

ps_ref maker_ref(const maker_row *rows, uint32_t i)
{
        ps_ref ref = {rows[i].loc, 0};
        for (uint32_t k = 0; k < i; k++)
                ref.op += rows[k].loc == ref.loc;
        return ref;
}

const uint64_t *const *maker_received(ps_trace *trace, const maker_row *rows, uint32_t n_rows)
{
        uint64_t **received = NEW(trace, uint64_t *, trace->n_locs);
        uint32_t *n = NEW(trace, uint32_t, trace->n_locs);
        for (ps_loc loc = 0; loc < trace->n_locs; loc++)
                received[loc] = NEW(trace, uint64_t, trace->ops[loc].n);
        for (uint32_t i = 0; i < n_rows; i++)
                if (ps_kinds[rows[i].kind].cls == PS_C_COLL)
                        received[rows[i].loc][n[rows[i].loc]++] = rows[i].received;
        return (const uint64_t *const *)received;
}

uint32_t maker_random(uint64_t *state, uint32_t below)
{
        *state += UINT64_C(0x9e3779b97f4a7c15);
        return (uint32_t)((ps_hash_mix(*state) >> 32) % below);
}
