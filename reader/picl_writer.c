/* picl_writer.c - see picl_writer.h.
 *
 * A call's records come between its Enter and its Leave, but the entry of an event says what only they tell.
 * So the entry is a line that is held until the first record; each record also holds a place for the exit
 * of its event and the entry of another one, in case it is not the call's last. */
#include "reader/picl_writer.h"

#include "reader/picl_names.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { OPEN_MAX = 1 << 20, MISNEST_DEPTH = 256 };

/* An open region. */
typedef struct frame {
        ps_region region;
        const ps_picl_event *row; /* the event that its calls are written as, or NULL */
        uint8_t is_call;          /* of the library: records inside tell of it */
        uint32_t n_parts;         /* events that it has become so far */
        uint64_t entry;           /* the line of the first one */
        uint64_t next_exit;       /* if n_parts: two held lines, for the end of the last event ... */
        ps_picl_line last;        /* its exit as far as it is known */
} frame;

typedef struct place {
        frame *open;
        uint32_t n, cap;
        uint32_t node;
        int32_t pid;
        uint8_t is_cpu;
} place;

typedef struct writer {
        const ps_defs *defs;
        ps_picl_names names;
        ps_picl_lines lines;
        place *places;
        int thesis;
        ps_time zero;
        ps_picl_written *written;
} writer;

/* What a record says: the event, and the values at its entry and exit. */
typedef struct part {
        const ps_picl_event *row;
        uint8_t n_entry, n_exit;
        int64_t entry[PS_PICL_LINE_DATA], exit[PS_PICL_LINE_DATA];
} part;

static const ps_picl_event *const events = ps_picl_events;

static frame *top(place *p)
{
        return p->n ? &p->open[p->n - 1] : NULL;
}

static ps_picl_line line_of(const writer *w, const place *p, ps_time time, int32_t record, int32_t event)
{
        return (ps_picl_line){.time = ps_time_sub(time, w->zero),
                              .node = p->node,
                              .pid = p->pid,
                              .record = record,
                              .event = event,
                              .state = PS_PICL_READY};
}

static uint64_t add(writer *w, const place *p, ps_time time, int32_t record, int32_t event)
{
        ps_picl_line line = line_of(w, p, time, record, event);

        return ps_picl_lines_add(&w->lines, &line);
}

static uint64_t hold(writer *w, const place *p, ps_time time, int32_t record)
{
        ps_picl_line line = line_of(w, p, time, record, 0);

        line.state = PS_PICL_HELD;
        return ps_picl_lines_add(&w->lines, &line);
}

/* Gives a held line what it waited for; `value` may be NULL. */
static void settle(writer *w, uint64_t number, int32_t event, const int64_t *value, uint8_t n)
{
        if (w->lines.status)
                return;
        ps_picl_line *line = ps_picl_lines_at(&w->lines, number);
        line->event = event;
        line->state = PS_PICL_READY;
        line->n = n;
        if (n)
                memcpy(line->value, value, n * sizeof(*value));
}

static void drop(writer *w, uint64_t number)
{
        if (w->lines.status == PS_OK)
                ps_picl_lines_at(&w->lines, number)->state = PS_PICL_DROPPED;
}

static void note_loss(writer *w)
{
        w->written->n_lossy++;
}

/* -- regions ------------------------------------------------------------------------------------------- */

/* As the fold sees it: the records inside of such a region belong to it. */
static int is_call(const ps_region_def *def)
{
        return def->kind != PS_K_NONE || def->paradigm == PS_PARADIGM_MPI ||
               def->paradigm == PS_PARADIGM_SHMEM || def->paradigm == PS_PARADIGM_PGAS;
}

/* An interval that is one by its name, without any record inside. */
static int needs_no_record(const ps_picl_event *row)
{
        return row && (row->act == PS_PICL_PLAIN || row->act == PS_PICL_IO || row->act == PS_PICL_FLUSH);
}

static int32_t number_of(const writer *w, const frame *f)
{
        const ps_picl_event *own = ps_picl_names_own(&w->names, f->region);

        return own ? own->number : needs_no_record(f->row) ? f->row->number : (int32_t)f->region;
}

static frame *push(writer *w, place *p)
{
        if (p->n == p->cap && p->n < OPEN_MAX) {
                uint32_t cap = p->cap ? 2 * p->cap : 16;
                frame *grown = realloc(p->open, cap * sizeof(*grown));
                if (!grown)
                        w->lines.status = PS_NOMEM(&w->lines.err, "open regions", cap);
                else
                        p->cap = cap;
                p->open = grown ? grown : p->open;
        }
        if (p->n == p->cap && w->lines.status == PS_OK)
                w->lines.status =
                        PS_FAIL(&w->lines.err, PS_E_INPUT, "too many open regions: most=%d", OPEN_MAX);
        return w->lines.status ? NULL : &p->open[p->n++];
}

static void enter_region(writer *w, place *p, ps_time time, ps_region region)
{
        if (region >= w->defs->regions.n) {
                note_loss(w);
                return;
        }
        frame *f = push(w, p);
        if (!f)
                return;
        *f = (frame){.region = region, .row = w->names.row[region]};
        f->is_call = (uint8_t)is_call(&w->defs->regions.row[region]);
        if (f->is_call && !needs_no_record(f->row))
                f->entry = hold(w, p, time, PS_PICL_R_ENTRY);
        else
                f->entry = add(w, p, time, PS_PICL_R_ENTRY, number_of(w, f));
}

static int is_waiting_inside(const writer *w, const frame *f, const frame *idle)
{
        return w->thesis && f->is_call && !f->n_parts && f->row && f->row->act == PS_PICL_RECV && idle->row &&
               idle->row->number == events[PS_PICL_E_IDLE].number;
}

static void close_frame(writer *w, place *p, frame *f, ps_time time)
{
        int32_t event = number_of(w, f);
        uint64_t line = hold(w, p, time, PS_PICL_R_EXIT);

        if (f->n_parts) {
                settle(w, line, f->last.event, f->last.value, f->last.n);
                drop(w, f->next_exit);
                drop(w, f->next_exit + 1);
        } else {
                if (f->is_call && !needs_no_record(f->row))
                        settle(w, f->entry, event, NULL, 0);
                settle(w, line, event, NULL, 0);
        }
        if (f > p->open && is_waiting_inside(w, f - 1, f)) {
                drop(w, f[-1].entry);
                f[-1].entry = hold(w, p, time, PS_PICL_R_ENTRY);
        }
}

static void leave_region(writer *w, place *p, ps_time time, ps_region region)
{
        for (uint32_t depth = 0; depth < p->n && depth < MISNEST_DEPTH; depth++) {
                uint32_t at = p->n - 1 - depth;
                if (region != PS_NONE && p->open[at].region != region)
                        continue;
                close_frame(w, p, &p->open[at], time);
                memmove(&p->open[at], &p->open[at + 1], depth * sizeof(*p->open));
                p->n--;
                return;
        }
        note_loss(w);
}

/* What is never left has an entry only. */
static void end_place(writer *w, place *p)
{
        for (uint32_t i = 0; i < p->n; i++) {
                frame *f = &p->open[i];
                if (f->n_parts) {
                        drop(w, f->next_exit);
                        drop(w, f->next_exit + 1);
                } else if (f->is_call && !needs_no_record(f->row)) {
                        settle(w, f->entry, number_of(w, f), NULL, 0);
                }
        }
}

/* -- records ------------------------------------------------------------------------------------------- */

/* The event that is written for a record: the call's own one if it is of that sort. */
static const ps_picl_event *row_for(place *p, ps_picl_act act, const ps_picl_event *otherwise)
{
        frame *f = top(p);

        return f && f->is_call && f->row && f->row->act == act ? f->row : otherwise;
}

static void add_bare(writer *w, place *p, ps_time time, const part *what)
{
        uint64_t line = hold(w, p, time, PS_PICL_R_ENTRY);

        settle(w, line, what->row->number, what->entry, what->n_entry);
        line = hold(w, p, time, PS_PICL_R_EXIT);
        settle(w, line, what->row->number, what->exit, what->n_exit);
}

/* A record of a call that has become events already ends the last of them. */
static void add_part(writer *w, place *p, ps_time time, const part *what)
{
        frame *f = top(p);

        if (!f || !f->is_call || needs_no_record(f->row)) {
                add_bare(w, p, time, what);
                return;
        }
        if (f->n_parts++) {
                settle(w, f->next_exit, f->last.event, f->last.value, f->last.n);
                settle(w, f->next_exit + 1, what->row->number, what->entry, what->n_entry);
                note_loss(w);
        } else {
                settle(w, f->entry, what->row->number, what->entry, what->n_entry);
        }
        f->last = (ps_picl_line){.event = what->row->number, .n = what->n_exit};
        memcpy(f->last.value, what->exit, sizeof(what->exit));
        f->next_exit = hold(w, p, time, PS_PICL_R_EXIT);
        hold(w, p, time, PS_PICL_R_ENTRY);
}

static int64_t node_of(writer *w, const place *p, const ps_event *e)
{
        ps_proc process = ps_defs_peer(w->defs, e->comm, e->peer, p->node);

        if (process == PS_NONE || e->comm != w->names.world)
                note_loss(w);
        return process == PS_NONE ? -1 : (int64_t)process;
}

static void on_send(writer *w, place *p, const ps_event *e)
{
        part what = {.row = row_for(p, PS_PICL_SEND, &events[PS_PICL_E_SEND]), .n_entry = 3};

        what.entry[0] = (int64_t)e->bytes;
        what.entry[1] = e->tag;
        what.entry[2] = node_of(w, p, e);
        add_part(w, p, e->time, &what);
}

static void on_isend(writer *w, place *p, const ps_event *e)
{
        part what = {.row = row_for(p, PS_PICL_ISEND, &events[PS_PICL_E_ISEND]), .n_entry = 3, .n_exit = 1};

        what.entry[0] = (int64_t)e->bytes;
        what.entry[1] = e->tag;
        what.entry[2] = node_of(w, p, e);
        what.exit[0] = (int64_t)e->request;
        add_part(w, p, e->time, &what);
}

static void on_recv(writer *w, place *p, const ps_event *e)
{
        part what = {.n_entry = w->thesis ? 1 : 2, .n_exit = 3};

        what.row = w->thesis ? &events[PS_PICL_E_RECV]
                             : row_for(p, PS_PICL_RECV, &events[PS_PICL_E_RECV_BLOCKED]);
        what.entry[0] = what.exit[1] = e->tag;
        what.entry[1] = what.exit[2] = node_of(w, p, e);
        what.exit[0] = (int64_t)e->bytes;
        add_part(w, p, e->time, &what);
}

/* Of the message nothing is recorded before it is there: any tag from anywhere. */
static void on_irecv_post(writer *w, place *p, const ps_event *e)
{
        part what = {.row = row_for(p, PS_PICL_IRECV, &events[PS_PICL_E_IRECV]), .n_entry = 2, .n_exit = 1};

        what.entry[0] = -1;
        what.entry[1] = -2;
        what.exit[0] = (int64_t)e->request;
        add_part(w, p, e->time, &what);
}

/* Is the innermost call one that looks without waiting? */
static int is_test(const writer *w, place *p)
{
        frame *f = top(p);
        unsigned kind = f ? w->defs->regions.row[f->region].kind : PS_K_NONE;

        return kind < PS_K_COUNT && ps_kinds[kind].cls == PS_C_COMPLETE &&
               !(ps_kinds[kind].traits & PS_T_BLOCKING);
}

static void on_isend_done(writer *w, place *p, const ps_event *e)
{
        const ps_picl_event *usual =
                &events[is_test(w, p) ? PS_PICL_E_ISEND_TESTED : PS_PICL_E_ISEND_WAIT_BLOCKED];
        part what = {.row = row_for(p, PS_PICL_SEND_DONE, usual), .n_entry = 1};

        what.entry[0] = (int64_t)e->request;
        add_part(w, p, e->time, &what);
}

static void on_irecv(writer *w, place *p, const ps_event *e)
{
        const ps_picl_event *usual =
                &events[is_test(w, p) ? PS_PICL_E_IRECV_TESTED : PS_PICL_E_IRECV_WAIT_BLOCKED];
        part what = {.row = row_for(p, PS_PICL_RECV_DONE, usual), .n_entry = 1, .n_exit = 4};

        what.entry[0] = what.exit[0] = (int64_t)e->request;
        what.exit[1] = (int64_t)e->bytes;
        what.exit[2] = e->tag;
        what.exit[3] = node_of(w, p, e);
        add_part(w, p, e->time, &what);
}

/* Whose request it is the record does not say; mostly a receive's. */
static void on_request_test(writer *w, place *p, const ps_event *e)
{
        part what = {.row = row_for(p, PS_PICL_TESTED, &events[PS_PICL_E_IRECV_PENDING]), .n_entry = 1};

        what.entry[0] = (int64_t)e->request;
        add_part(w, p, e->time, &what);
}

static void on_cancelled(writer *w, place *p, const ps_event *e)
{
        part what = {.row = row_for(p, PS_PICL_CANCELLED, &events[PS_PICL_E_IRECV_CANCEL]), .n_entry = 1};

        what.entry[0] = (int64_t)e->request;
        add_part(w, p, e->time, &what);
}

static int has_root(ps_kind kind)
{
        return (ps_kinds[kind].traits & (PS_T_ONE_TO_ALL | PS_T_ALL_TO_ONE)) != 0;
}

static void on_coll_end(writer *w, place *p, const ps_event *e)
{
        part what = {
                .row = row_for(p, PS_PICL_COLL, e->op < PS_K_COUNT ? ps_picl_event_of_kind(e->op) : NULL)};
        int64_t subset;

        if (!what.row || !ps_picl_names_subset(&w->names, e->comm, p->node, &subset)) {
                if (e->op >= PS_K_COUNT || !(ps_kinds[e->op].traits & PS_T_LIFE))
                        note_loss(w);
                return;
        }
        if (what.row->kind != PS_K_BARRIER) {
                int is_leaf = what.row->kind == PS_K_BCAST && !e->bytes;
                what.entry[what.n_entry++] = is_leaf ? -1 : (int64_t)e->bytes;
                what.exit[what.n_exit++] = (int64_t)e->received;
        }
        if (has_root(what.row->kind)) {
                ps_proc root = e->peer == PS_ROOT_SELF ? p->node
                               : e->peer == PS_NONE    ? PS_NONE
                                                       : ps_defs_peer(w->defs, e->comm, e->peer, p->node);
                what.entry[what.n_entry++] = root == PS_NONE ? -1 : (int64_t)root;
        }
        what.entry[what.n_entry++] = subset;
        add_part(w, p, e->time, &what);
}

static void on_coll_begin(writer *w, place *p, const ps_event *e)
{
        (void)w, (void)p, (void)e; /* the end tells it all */
}

static void on_enter(writer *w, place *p, const ps_event *e)
{
        enter_region(w, p, e->time, e->ref);
}

static void on_leave(writer *w, place *p, const ps_event *e)
{
        leave_region(w, p, e->time, e->ref);
}

static ps_region region_of_context(const writer *w, uint32_t context)
{
        return context < w->defs->contexts.n ? w->defs->contexts.row[context].region : PS_NONE;
}

static void on_context_enter(writer *w, place *p, const ps_event *e)
{
        enter_region(w, p, e->time, region_of_context(w, e->ref));
}

static void on_context_leave(writer *w, place *p, const ps_event *e)
{
        leave_region(w, p, e->time, region_of_context(w, e->ref));
}

static void on_measurement(writer *w, place *p, const ps_event *e)
{
        add(w, p, e->time, e->op ? PS_PICL_R_ENTRY : PS_PICL_R_EXIT, events[PS_PICL_E_TRACING].number);
}

typedef void (*handler)(writer *w, place *p, const ps_event *e);

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
};

/* -- all of it ----------------------------------------------------------------------------------------- */

static ps_status make_places(writer *w, ps_error *err)
{
        const ps_defs *defs = w->defs;
        uint32_t n = defs->locations.n;

        w->places = calloc(n ? n : 1, sizeof(*w->places));
        if (!w->places)
                return PS_NOMEM(err, "locations", n);
        for (ps_loc i = 0; i < n; i++) {
                const ps_location_def *def = &defs->locations.row[i];
                int is_alone = defs->processes.row[def->process].n_locs <= 1;
                w->places[i].node = def->process;
                w->places[i].pid = is_alone ? w->thesis ? -1 : 0 : (int32_t)def->thread;
                w->places[i].is_cpu = def->type == PS_LOCATION_CPU;
        }
        return PS_OK;
}

static void write_event(writer *w, const ps_cursor_event *row)
{
        place *p = &w->places[row->location];
        handler handle = p->is_cpu ? handlers[row->event.kind] : NULL;

        if (!w->written->n_events++)
                w->zero = row->event.time;
        if (handle)
                handle(w, p, &row->event);
        else
                note_loss(w);
        ps_picl_lines_pass(&w->lines);
}

static ps_status write_events(writer *w, ps_cursor *cursor, ps_error *err)
{
        const ps_cursor_event *row;
        ps_status status;

        while (!(status = ps_cursor_next(cursor, &row, err)) && row && !w->lines.status)
                write_event(w, row);
        for (ps_loc i = 0; i < w->defs->locations.n; i++)
                end_place(w, &w->places[i]);
        ps_picl_lines_pass(&w->lines);
        return status ? status : ps_picl_lines_end(&w->lines, err);
}

ps_status ps_picl_write(ps_picl_written *written, ps_picl_sink sink, const ps_defs *defs, ps_source source,
                        const ps_picl_write_options *options, ps_error *err)
{
        writer w = {.defs = defs, .lines = {.sink = sink}, .thesis = options->thesis, .written = written};
        ps_cursor *cursor = NULL;
        ps_status status;

        *written = (ps_picl_written){0};
        status = ps_picl_names_make(&w.names, defs, err);
        if (!status)
                status = make_places(&w, err);
        if (!status)
                status = ps_cursor_new(&cursor, source, err);
        if (status)
                goto out;
        ps_picl_names_write(&w.names, &w.lines);
        status = write_events(&w, cursor, err);
        written->n_records = w.lines.n_written;
out:
        ps_cursor_free(cursor);
        for (ps_loc i = 0; w.places && i < defs->locations.n; i++)
                free(w.places[i].open);
        free(w.places);
        ps_picl_lines_free(&w.lines);
        ps_picl_names_free(&w.names);
        return status;
}
