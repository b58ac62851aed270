/* writer.c - see writer.h: what each kind of event says in PICL. */
#include "reader/picl/writer.h"

#include "reader/picl/calls.h"

#include <stdlib.h>

typedef struct writer {
        ps_picl_calls calls;
        ps_picl_place_out *places;
        ps_picl_written *written;
} writer;

static const ps_picl_event *const events = ps_picl_events;

/* The event that is written for a record: the call's own one if it is of that sort. */
static const ps_picl_event *row_for(ps_picl_place_out *p, ps_picl_act act, const ps_picl_event *otherwise)
{
        const ps_picl_call *f = ps_picl_calls_top(p);

        return f && f->is_library && f->row && f->row->act == act ? f->row : otherwise;
}

static int64_t node_of(ps_picl_calls *w, const ps_picl_place_out *p, const ps_event *e)
{
        ps_proc process = ps_defs_peer(w->defs, e->comm, e->peer, p->node);

        if (process == PS_NONE || e->comm != w->numbers.world)
                w->n_lossy++;
        return process == PS_NONE ? -1 : (int64_t)process;
}

/* Tags and requests are ints in PICL; recorders count requests, so that those that are open at once differ.
 */
static int64_t tag_of(const ps_event *e)
{
        return (int32_t)e->tag;
}

static int64_t request_of(const ps_event *e)
{
        return (int64_t)(e->request & INT32_MAX);
}

static void on_send(ps_picl_calls *w, ps_picl_place_out *p, const ps_event *e)
{
        ps_picl_part what = {.row = row_for(p, PS_PICL_SEND, &events[PS_PICL_E_SEND]), .n_entry = 3};

        what.entry[0] = (int64_t)e->bytes;
        what.entry[1] = tag_of(e);
        what.entry[2] = node_of(w, p, e);
        ps_picl_calls_part(w, p, e->time, &what);
}

static void on_isend(ps_picl_calls *w, ps_picl_place_out *p, const ps_event *e)
{
        ps_picl_part what = {
                .row = row_for(p, PS_PICL_ISEND, &events[PS_PICL_E_ISEND]), .n_entry = 3, .n_exit = 1};

        what.entry[0] = (int64_t)e->bytes;
        what.entry[1] = tag_of(e);
        what.entry[2] = node_of(w, p, e);
        what.exit[0] = request_of(e);
        ps_picl_calls_part(w, p, e->time, &what);
}

static void on_recv(ps_picl_calls *w, ps_picl_place_out *p, const ps_event *e)
{
        ps_picl_part what = {.n_entry = w->thesis ? 1 : 2, .n_exit = 3};

        what.row = w->thesis ? &events[PS_PICL_E_RECV]
                             : row_for(p, PS_PICL_RECV, &events[PS_PICL_E_RECV_BLOCKED]);
        what.entry[0] = what.exit[1] = tag_of(e);
        what.entry[1] = what.exit[2] = node_of(w, p, e);
        what.exit[0] = (int64_t)e->bytes;
        ps_picl_calls_part(w, p, e->time, &what);
}

/* Of the message nothing is recorded before it is there: any tag from anywhere. */
static void on_irecv_post(ps_picl_calls *w, ps_picl_place_out *p, const ps_event *e)
{
        ps_picl_part what = {
                .row = row_for(p, PS_PICL_IRECV, &events[PS_PICL_E_IRECV]), .n_entry = 2, .n_exit = 1};

        what.entry[0] = -1;
        what.entry[1] = -2;
        what.exit[0] = request_of(e);
        ps_picl_calls_part(w, p, e->time, &what);
}

/* Is the innermost call one that looks without waiting? */
static bool is_test(const ps_picl_calls *w, ps_picl_place_out *p)
{
        const ps_picl_call *f = ps_picl_calls_top(p);
        unsigned kind = f ? w->defs->regions.row[f->region].kind : PS_K_NONE;

        return kind < PS_K_COUNT && ps_kinds[kind].cls == PS_C_COMPLETE &&
               !(ps_kinds[kind].traits & PS_T_BLOCKING);
}

static void on_isend_done(ps_picl_calls *w, ps_picl_place_out *p, const ps_event *e)
{
        const ps_picl_event *usual =
                &events[is_test(w, p) ? PS_PICL_E_ISEND_TESTED : PS_PICL_E_ISEND_WAIT_BLOCKED];
        ps_picl_part what = {.row = row_for(p, PS_PICL_SEND_DONE, usual), .n_entry = 1};

        what.entry[0] = request_of(e);
        ps_picl_calls_part(w, p, e->time, &what);
}

static void on_irecv(ps_picl_calls *w, ps_picl_place_out *p, const ps_event *e)
{
        const ps_picl_event *usual =
                &events[is_test(w, p) ? PS_PICL_E_IRECV_TESTED : PS_PICL_E_IRECV_WAIT_BLOCKED];
        ps_picl_part what = {.row = row_for(p, PS_PICL_RECV_DONE, usual), .n_entry = 1, .n_exit = 3};

        what.entry[0] = request_of(e);
        what.exit[0] = (int64_t)e->bytes;
        what.exit[1] = tag_of(e);
        what.exit[2] = node_of(w, p, e);
        ps_picl_calls_part(w, p, e->time, &what);
}

/* Whose request it is the record does not say; mostly a receive's. */
static void on_request_test(ps_picl_calls *w, ps_picl_place_out *p, const ps_event *e)
{
        ps_picl_part what = {.row = row_for(p, PS_PICL_TESTED, &events[PS_PICL_E_IRECV_PENDING]),
                             .n_entry = 1};

        what.entry[0] = request_of(e);
        ps_picl_calls_part(w, p, e->time, &what);
}

static bool is_cancel(const ps_picl_calls *w, const ps_picl_place_out *p)
{
        const ps_picl_call *f = ps_picl_calls_top(p);

        return f && w->defs->regions.row[f->region].kind == PS_K_CANCEL;
}

static void on_cancelled(ps_picl_calls *w, ps_picl_place_out *p, const ps_event *e)
{
        ps_picl_part what = {.row = row_for(p, PS_PICL_CANCELLED, &events[PS_PICL_E_IRECV_CANCEL]),
                             .n_entry = 1};

        /* The call that finds it cancelled becomes the one that cancels it. */
        w->n_lossy += what.row == &events[PS_PICL_E_IRECV_CANCEL] && !is_cancel(w, p);
        what.entry[0] = request_of(e);
        ps_picl_calls_part(w, p, e->time, &what);
}

static bool moves_data(ps_kind kind)
{
        return !(ps_kinds[kind].traits & PS_T_BARRIER) && kind != PS_K_COMM_MANAGE;
}

static bool has_root(ps_kind kind)
{
        return (ps_kinds[kind].traits & (PS_T_ONE_TO_ALL | PS_T_ALL_TO_ONE)) != 0;
}

/* PICL knows no neighbours: as an exchange of all with all it would tell of another run. */
static bool is_among_neighbours(const ps_picl_calls *w, const ps_picl_place_out *p)
{
        const ps_picl_call *f = ps_picl_calls_top(p);

        uint8_t kind = f && f->is_library ? w->defs->regions.row[f->region].kind : PS_K_COUNT;

        return kind < PS_K_COUNT && ps_kinds[kind].traits & PS_T_SPARSE;
}

static const ps_picl_event *collective_row(const ps_picl_calls *w, ps_picl_place_out *p, const ps_event *e)
{
        if (e->op >= PS_K_COUNT || is_among_neighbours(w, p))
                return NULL;
        return row_for(p, PS_PICL_COLL, ps_picl_event_of_kind(e->op));
}

static void on_coll_end(ps_picl_calls *w, ps_picl_place_out *p, const ps_event *e)
{
        ps_picl_part what = {.row = collective_row(w, p, e)};
        int64_t subset;

        if (!what.row || !ps_picl_numbers_subset(&w->numbers, e->comm, p->node, &subset)) {
                w->n_lossy++;
                return;
        }
        if (moves_data(what.row->kind)) {
                bool is_leaf = what.row->kind == PS_K_BCAST && !e->bytes;
                what.entry[what.n_entry++] = is_leaf ? -1 : (int64_t)e->bytes;
                if (!(ps_kinds[what.row->kind].traits & PS_T_ALL_TO_ALL))
                        what.exit[what.n_exit++] = (int64_t)e->received;
        }
        if (has_root(what.row->kind)) {
                ps_proc root = e->peer == PS_ROOT_SELF ? p->node
                               : e->peer == PS_NONE    ? PS_NONE
                                                       : ps_defs_peer(w->defs, e->comm, e->peer, p->node);
                what.entry[what.n_entry++] = root == PS_NONE ? -1 : (int64_t)root;
        }
        what.entry[what.n_entry++] = subset;
        ps_picl_calls_part(w, p, e->time, &what);
}

static void on_coll_begin(ps_picl_calls *w, ps_picl_place_out *p, const ps_event *e)
{
        (void)w, (void)p, (void)e; /* the end tells it all */
}

static void on_enter(ps_picl_calls *w, ps_picl_place_out *p, const ps_event *e)
{
        ps_picl_calls_enter(w, p, e->time, e->ref);
}

static void on_leave(ps_picl_calls *w, ps_picl_place_out *p, const ps_event *e)
{
        ps_picl_calls_leave(w, p, e->time, e->ref);
}

static ps_region region_of_context(const ps_picl_calls *w, uint32_t context)
{
        return context < w->defs->contexts.n ? w->defs->contexts.row[context].region : PS_NONE;
}

static void on_context_enter(ps_picl_calls *w, ps_picl_place_out *p, const ps_event *e)
{
        ps_picl_calls_enter(w, p, e->time, region_of_context(w, e->ref));
}

static void on_context_leave(ps_picl_calls *w, ps_picl_place_out *p, const ps_event *e)
{
        ps_picl_calls_leave(w, p, e->time, region_of_context(w, e->ref));
}

static void on_measurement(ps_picl_calls *w, ps_picl_place_out *p, const ps_event *e)
{
        ps_picl_calls_line(w, p, e->time, e->op ? PS_PICL_R_ENTRY : PS_PICL_R_EXIT,
                           events[PS_PICL_E_TRACING].number);
}

/* What no analysis needs is kept for the time that it took place at. */
static void on_other(ps_picl_calls *w, ps_picl_place_out *p, const ps_event *e)
{
        const ps_picl_counted *as = e->code < w->defs->codes.n ? &w->numbers.counted[e->code] : NULL;

        if (as && as->record)
                ps_picl_calls_line(w, p, e->time, as->record, as->event);
}

typedef void (*handler)(ps_picl_calls *w, ps_picl_place_out *p, const ps_event *e);

/* PICL has nothing like the others. */
static const handler handlers[PS_EV_COUNT] = {
        [PS_EV_ENTER] = on_enter,
        [PS_EV_LEAVE] = on_leave,
        [PS_EV_CONTEXT_ENTER] = on_context_enter,
        [PS_EV_CONTEXT_LEAVE] = on_context_leave,
        [PS_EV_SEND] = on_send,
        [PS_EV_ISEND] = on_isend,
        [PS_EV_ISEND_DONE] = on_isend_done,
        [PS_EV_RECV] = on_recv,
        [PS_EV_IRECV_POST] = on_irecv_post,
        [PS_EV_IRECV] = on_irecv,
        [PS_EV_REQUEST_TEST] = on_request_test,
        [PS_EV_REQUEST_CANCELLED] = on_cancelled,
        [PS_EV_COLL_BEGIN] = on_coll_begin,
        [PS_EV_COLL_END] = on_coll_end,
        [PS_EV_MEASUREMENT] = on_measurement,
        [PS_EV_OTHER] = on_other,
};

/* -- all of it -- */

static ps_status make_places(writer *w, ps_error *err)
{
        const ps_defs *defs = w->calls.defs;
        uint32_t n = defs->locations.n;

        w->places = calloc(n ? n : 1, sizeof(*w->places));
        if (!w->places)
                return PS_NOMEM(err, "locations", n);
        for (ps_loc i = 0; i < n; i++) {
                const ps_location_def *def = &defs->locations.row[i];
                bool is_alone = defs->processes.row[def->process].n_locs <= 1;
                w->places[i].node = def->process;
                w->places[i].pid = is_alone ? w->calls.thesis ? -1 : 0 : (int32_t)def->thread;
                w->places[i].is_cpu = def->type == PS_LOCATION_CPU;
        }
        return PS_OK;
}

static void write_event(writer *w, const ps_cursor_event *row)
{
        ps_picl_place_out *p = &w->places[row->location];
        handler handle = p->is_cpu ? handlers[row->event.kind] : NULL;

        if (!w->written->n_events++)
                w->calls.zero = row->event.time;
        if (handle)
                handle(&w->calls, p, &row->event);
        else
                w->calls.n_lossy++;
        ps_picl_queue_pass(&w->calls.queue);
}

static ps_status write_events(writer *w, ps_cursor *cursor, ps_error *err)
{
        const ps_cursor_event *row;
        ps_status status;

        while ((status = ps_cursor_next(cursor, &row, err)) == PS_OK && row && w->calls.queue.status == PS_OK)
                write_event(w, row);
        for (ps_loc i = 0; i < w->calls.defs->locations.n; i++)
                ps_picl_calls_end(&w->calls, &w->places[i]);
        ps_picl_queue_pass(&w->calls.queue);
        return status != PS_OK ? status : ps_picl_queue_end(&w->calls.queue, err);
}

ps_status ps_picl_write(ps_picl_written *written, ps_picl_sink sink, const ps_defs *defs, ps_source source,
                        const ps_picl_write_options *options, ps_error *err)
{
        writer w = {.calls = {.defs = defs,
                              .queue = {.sink = sink},
                              .thesis = options->thesis || defs->sends_are_buffered},
                    .written = written};
        ps_cursor *cursor = NULL;
        ps_status status;

        *written = (ps_picl_written){0};
        status = ps_picl_numbers_make(&w.calls.numbers, defs, err);
        PS_THEN(status, make_places(&w, err));
        PS_THEN(status, ps_cursor_new(&cursor, source, err));
        if (status != PS_OK)
                goto out;
        ps_picl_numbers_write(&w.calls.numbers, &w.calls.queue);
        status = write_events(&w, cursor, err);
        written->n_records = w.calls.queue.n_written;
        written->n_lossy = w.calls.n_lossy;
out:
        ps_cursor_free(cursor);
        for (ps_loc i = 0; w.places && i < defs->locations.n; i++)
                free(w.places[i].open);
        free(w.places);
        ps_picl_queue_free(&w.calls.queue);
        ps_picl_numbers_free(&w.calls.numbers);
        return status;
}
