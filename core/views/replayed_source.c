/* replayed_source.c - see replayed_source.h.
 *
 * Each location keeps a stack of open regions. Before a call begins, all that is no part of its call path is
 * left, and what is missing of it is entered: regions of the program as late and as short as the operations
 * in them allow, but for the outermost one, which lasts from the location's first event to its last. */
#include "core/views/replayed_source.h"

#include "core/base/memory.h"
#include "core/base/vector.h"
#include "core/views/replayed_records.h"

#include <stdlib.h>

#define STAYS PS_TIME_MAX /* a region of the program: when it is left is seen later */

struct open {
        ps_path path;
        ps_time leave;
        uint32_t first; /* its records in the list, and those that are told already */
        uint32_t told;
};

/* Transfers under way: the row that begins them, and the one that ends them. */
struct transfer {
        ps_op start, done;
};

/* The location that is told; others are told from their beginning when they are asked for. */
struct tape {
        ps_loc loc;
        ps_op next;
        bool has_ended, has_told; /* all events; one */
        ps_time last;
        struct open *stack;
        uint32_t n_stack, cap_stack;
        struct transfer *transfer;
        uint32_t n_transfers, cap_transfers;
        ps_path *chain; /* of paths that are to be entered */
        uint32_t cap_chain;
        ps_event *ready;
        uint32_t n_ready, cap_ready, taken;
        ps_records records;
};

struct ps_replayed_source {
        const ps_trace *trace;
        const ps_timing *timing;
        struct tape *tape; /* by location; those that are through hold nothing */
        bool failed;
};

/* Room for one more; 0 when there is none. */
#define GROW(s, rows, n, cap) (PS_ROOM(rows, n, cap) ? ((s)->failed = 1, 0) : 1)

static void put_event(struct ps_replayed_source *s, struct tape *t, ps_event event)
{
        if (!GROW(s, t->ready, t->n_ready, t->cap_ready))
                return;
        event.time = event.time > t->last ? event.time : t->last;
        event.code = UINT16_MAX;
        t->last = event.time;
        t->ready[t->n_ready++] = event;
}

/* What begins before its first event or ends behind its last one, outside of all regions: only the program
 * itself. */
static void tell_program(struct ps_replayed_source *s, struct tape *t, ps_event_kind kind, ps_time time)
{
        if (s->trace->defs.locations.row[t->loc].thread == 0)
                put_event(s, t, (ps_event){.kind = (uint8_t)kind, .time = time});
}

static void put_on_tape(struct ps_replayed_source *s, struct tape *t, ps_event event)
{
        if (!t->has_told && event.time > t->last)
                tell_program(s, t, PS_EV_PROGRAM_BEGIN, t->last);
        t->has_told = true;
        put_event(s, t, event);
}

/* -- regions -- */

static void enter_region(struct ps_replayed_source *s, struct tape *t, ps_path path, ps_time time,
                         ps_time leave)
{
        const ps_path_node *node = &s->trace->paths[path];
        if (!GROW(s, t->stack, t->n_stack, t->cap_stack))
                return;
        uint32_t n = t->records.list.n;
        t->stack[t->n_stack++] = (struct open){path, leave, n, n};
        put_on_tape(s, t,
                    (ps_event){.kind = PS_EV_ENTER,
                               .time = time,
                               .ref = node->region,
                               .peer = PS_NONE,
                               .site_file = node->site_file,
                               .site_line = node->site_line});
}

/* Records of the innermost region before `time`. */
static void tell_records(struct ps_replayed_source *s, struct tape *t, ps_time time)
{
        struct open *top = &t->stack[t->n_stack - 1];
        while (top->told < t->records.list.n && t->records.list.at[top->told].time < time)
                put_on_tape(s, t, t->records.list.at[top->told++]);
}

static void leave_region(struct ps_replayed_source *s, struct tape *t)
{
        tell_records(s, t, PS_TIME_MAX);
        struct open *top = &t->stack[--t->n_stack];
        t->records.list.n = top->first;
        put_on_tape(s, t,
                    (ps_event){.kind = PS_EV_LEAVE,
                               .time = top->leave == STAYS ? t->last : top->leave,
                               .ref = s->trace->paths[top->path].region});
}

/* Is `path` `below`, or above it? */
static bool is_on_way(const ps_trace *trace, ps_path path, ps_path below)
{
        while (below > path)
                below = trace->paths[below].parent;
        return below == path;
}

/* Leaves all that is not above `path`, and enters what is missing between them. */
static void go_to(struct ps_replayed_source *s, struct tape *t, ps_path path, ps_time time)
{
        while (t->n_stack && !is_on_way(s->trace, t->stack[t->n_stack - 1].path, path))
                leave_region(s, t);
        if (t->n_stack)
                tell_records(s, t, time);
        ps_path from = t->n_stack ? t->stack[t->n_stack - 1].path : 0;
        uint32_t n = 0;
        for (ps_path p = path; p != from; p = s->trace->paths[p].parent)
                if (GROW(s, t->chain, n, t->cap_chain))
                        t->chain[n++] = p;
        while (n && !s->failed) {
                ps_time begin = t->n_stack ? time : ps_timing_info(s->trace, s->timing, t->loc)->first;
                enter_region(s, t, t->chain[--n], begin < time ? begin : time, STAYS);
        }
}

/* -- calls -- */

static void keep_transfer(struct ps_replayed_source *s, struct tape *t, ps_op op)
{
        const ps_ops *ops = &s->trace->ops[t->loc];
        if (ps_kinds[ops->kind[op]].cls == PS_C_RMA && ps_op_comm(ops, op) != PS_NONE &&
            ops->done[op] != PS_NONE && GROW(s, t->transfer, t->n_transfers, t->cap_transfers))
                t->transfer[t->n_transfers++] = (struct transfer){op, ops->done[op]};
}

static void end_transfers(struct tape *t, ps_op op, uint32_t first)
{
        uint32_t n = 0;
        for (uint32_t i = 0; i < t->n_transfers; i++) {
                struct transfer transfer = t->transfer[i];
                if (transfer.done == op)
                        ps_records_add_transfer_end(&t->records, (ps_ref){t->loc, transfer.start},
                                                    (ps_ref){t->loc, op}, first);
                else
                        t->transfer[n++] = transfer;
        }
        t->n_transfers = n;
}

static void add_rows(struct ps_replayed_source *s, struct tape *t, ps_op end)
{
        uint32_t first = t->n_stack ? t->stack[t->n_stack - 1].told : t->records.list.n;
        for (; t->next < end; t->next++) {
                ps_records_add(&t->records, (ps_ref){t->loc, t->next}, first);
                keep_transfer(s, t, t->next);
                if (t->n_transfers)
                        end_transfers(t, t->next, first);
        }
}

/* A record outside of any call, in the region that is open then. */
static void tell_bare(struct ps_replayed_source *s, struct tape *t, ps_time time)
{
        add_rows(s, t, t->next + 1);
        if (t->n_stack) {
                tell_records(s, t, time == PS_TIME_MAX ? time : time + 1);
                return;
        }
        for (uint32_t i = 0; i < t->records.list.n; i++)
                put_on_tape(s, t, t->records.list.at[i]);
        t->records.list.n = 0;
}

static void tell_next(struct ps_replayed_source *s, struct tape *t)
{
        const ps_ops *ops = &s->trace->ops[t->loc];
        ps_path path = ps_op_path(ops, t->next), parent = path ? s->trace->paths[path].parent : 0;
        ps_time enter = s->timing->enter[t->loc][t->next], leave = s->timing->leave[t->loc][t->next];
        if (ops->flags[t->next] & PS_OP_BARE || !path) {
                go_to(s, t, path, enter);
                tell_bare(s, t, leave);
                return;
        }
        go_to(s, t, parent, enter); /* another visit of the same path is another call */
        ps_op end = t->next + 1;
        while (ps_op_continues(ops, end))
                end++;
        bool is_lock = ps_kinds[ops->kind[t->next]].cls == PS_C_LOCK;
        enter_region(s, t, path, enter, is_lock ? STAYS : leave);
        if (!s->failed)
                add_rows(s, t, end);
}

/* A location that called nothing was in some region, at least. */
static void tell_silent(struct ps_replayed_source *s, struct tape *t)
{
        const ps_location_info *info = ps_timing_info(s->trace, s->timing, t->loc);
        for (uint32_t i = 0; i < info->n_uses; i++)
                if (info->uses[i].path && !s->trace->paths[info->uses[i].path].parent) {
                        enter_region(s, t, info->uses[i].path, info->first, STAYS);
                        return;
                }
}

static void tell_end(struct ps_replayed_source *s, struct tape *t)
{
        if (!s->trace->ops[t->loc].n)
                tell_silent(s, t);
        while (t->n_stack > 1)
                leave_region(s, t);
        ps_time end = ps_timing_info(s->trace, s->timing, t->loc)->last;
        if (t->n_stack && t->stack[0].leave == STAYS && end > t->last)
                t->stack[0].leave = end;
        if (t->n_stack)
                leave_region(s, t);
        if (end > t->last)
                tell_program(s, t, PS_EV_PROGRAM_END, end);
        t->has_ended = true;
}

/* -- the source -- */

static void tape_clear(struct tape *t)
{
        free(t->stack);
        free(t->transfer);
        free(t->chain);
        free(t->ready);
        ps_records_clear(&t->records);
}

static ps_status begin_tape(struct ps_replayed_source *s, struct tape *t, ps_loc loc, ps_error *err)
{
        if (t->records.trace || t->has_ended)
                return PS_OK;
        t->loc = loc;
        t->last = ps_timing_info(s->trace, s->timing, loc)->first;
        t->has_ended = !s->trace->info[loc].n_events;
        return ps_records_init(&t->records, s->trace, s->timing, err);
}

static ps_status next_replayed(void *ctx, ps_loc location, ps_batch *out, ps_error *err)
{
        struct ps_replayed_source *s = ctx;
        struct tape *t = &s->tape[location];
        ps_status status = begin_tape(s, t, location, err);
        out->location = location;
        out->n = 0;
        while (status == PS_OK && out->n < PS_BATCH_EVENTS) {
                if (t->taken < t->n_ready) {
                        out->event[out->n++] = t->ready[t->taken++];
                        continue;
                }
                t->taken = t->n_ready = 0;
                if (t->has_ended)
                        break;
                if (t->next < s->trace->ops[location].n)
                        tell_next(s, t);
                else
                        tell_end(s, t);
                if (s->failed || t->records.list.failed)
                        status = PS_NOMEM(err, "events", t->n_ready);
        }
        if (t->has_ended && t->taken == t->n_ready && !out->n) {
                tape_clear(t);
                *t = (struct tape){.has_ended = 1};
        }
        return status;
}

ps_status ps_replayed_source_new(ps_replayed_source **out, const ps_trace *trace, const ps_timing *timing,
                                 ps_error *err)
{
        ps_replayed_source *s = calloc(1, sizeof(*s));
        *out = s;
        if (s)
                s->tape = ps_memory_zeroed(trace->n_locs + (size_t)1, sizeof(*s->tape));
        if (!s || !s->tape) {
                free(s);
                *out = NULL;
                return PS_NOMEM(err, "locations", trace->n_locs);
        }
        s->trace = trace;
        s->timing = timing;
        return PS_OK;
}

static void rewind_all(ps_replayed_source *s)
{
        for (ps_loc l = 0; l < s->trace->n_locs; l++) {
                tape_clear(&s->tape[l]);
                s->tape[l] = (struct tape){0};
        }
        s->failed = 0;
}

ps_source ps_replayed_source_of(ps_replayed_source *s)
{
        rewind_all(s);
        return (ps_source){s, s->trace->n_locs, next_replayed};
}

void ps_replayed_source_free(ps_replayed_source *s)
{
        if (!s)
                return;
        rewind_all(s);
        free(s->tape);
        free(s);
}
