/* events.c - see events.h.
 *
 * The interval of an event is a region. What its data tell of a message, a request or a collective operation
 * becomes an event inside of it. Data that only the exit has (a request's number) but that is needed at the
 * entry, and the reverse, comes from the record at the interval's other end.
 *
 * Arrival traces: simulators after the model of the parallel BMF simulator write the entry of a receive when
 * its message arrives, and mark waiting for it as idle. As everywhere else a receive begins when its process
 * is ready for it, it is entered together with the idleness that it ends, and idleness is a region inside it.
 * Idleness that ends otherwise is a region by itself. There an idle process stays idle until it is told to
 * be busy or communicates, and at the end of its records until the end of the trace. */
#include "reader/picl/events.h"

enum { MOST_EVENTS = 4 }; /* of one record */

/* Requests of receives and of calls that are never completed count apart from those of sends. */
static const uint64_t recv_space = UINT64_C(1) << 40, own_space = UINT64_C(1) << 41;

static ps_event *emit_event(ps_batch *batch, const ps_picl_rec *r, ps_event_kind kind, uint16_t code)
{
        ps_event *e = &batch->event[batch->n++];
        *e = (ps_event){.time = r->time,
                        .ref = PS_NONE,
                        .peer = PS_NONE,
                        .comm = PS_NONE,
                        .code = code,
                        .kind = (uint8_t)kind,
                        .offset = r->line};
        return e;
}

/* An event besides the one that counts as the record itself. */
static ps_event *emit_derived(const ps_stream *s, ps_batch *batch, const ps_picl_rec *r, ps_event_kind kind)
{
        return emit_event(batch, r, kind, (uint16_t)(s->log->first_derived + kind));
}

static void emit_region(ps_batch *batch, const ps_picl_rec *r, ps_event_kind kind)
{
        emit_event(batch, r, kind, r->code)->ref = r->region;
}

static void emit_idle(const ps_stream *s, ps_batch *batch, const ps_picl_rec *r, ps_event_kind kind)
{
        emit_derived(s, batch, r, kind)->ref = s->log->region_of_row[PS_PICL_E_IDLE];
}

static void emit_counted(ps_batch *batch, const ps_picl_rec *r)
{
        emit_event(batch, r, PS_EV_OTHER, r->code);
}

static const ps_picl_rec *mate_of(const ps_stream *s, const ps_picl_rec *r)
{
        return r->mate == PS_NONE ? NULL : ps_picl_rec_at(s->place, r->mate);
}

/* -- what data tell -- */

/* The request that `holder` names. Without one, or in a trace that completes none, where recorders use one
 * number again and again, the interval has one of its own. */
static uint64_t request_of(const ps_stream *s, const ps_picl_rec *holder, bool is_recv)
{
        if (!s->completes || !holder || !(holder->fields & PS_PICL_REQUEST))
                return own_space + s->at;
        return (uint32_t)holder->extra + (is_recv ? recv_space : 0);
}

static ps_event *emit_message(const ps_stream *s, ps_batch *batch, const ps_picl_rec *r, ps_event_kind kind)
{
        ps_event *e = emit_derived(s, batch, r, kind);
        e->comm = s->names->messages;
        e->peer = ps_picl_process(s->log, r->peer, r->fields & PS_PICL_PID ? r->extra : 0);
        e->tag = (uint32_t)r->tag;
        e->bytes = (uint64_t)r->value;
        return e;
}

static bool has_message(const ps_picl_rec *r)
{
        return (r->fields & PS_PICL_PEER) && (r->fields & PS_PICL_BYTES);
}

static void emit_completion(const ps_stream *s, ps_batch *batch, const ps_picl_rec *r, ps_event_kind kind)
{
        const ps_picl_rec *entry = mate_of(s, r);
        bool is_recv = r->row >= PS_PICL_E_IRECV && r->row <= PS_PICL_E_IRECV_CANCEL;
        if (!entry || !(entry->fields & PS_PICL_REQUEST))
                return;
        ps_event *e = kind == PS_EV_IRECV ? emit_message(s, batch, r, kind) : emit_derived(s, batch, r, kind);
        e->request = request_of(s, entry, is_recv);
}

static void emit_collective(const ps_stream *s, ps_batch *batch, const ps_picl_rec *r)
{
        const ps_picl_rec *entry = mate_of(s, r);
        if (!entry)
                return;
        ps_event *e = emit_derived(s, batch, r, PS_EV_COLL_END);
        int32_t subset = entry->fields & PS_PICL_SUBSET_ID ? entry->extra : PS_PICL_WILDCARD;
        e->op = ps_picl_events[r->row].kind;
        e->comm = ps_picl_comm(s->names, s->log, subset);
        if (entry->fields & PS_PICL_PEER)
                e->peer = ps_picl_root(s->names, s->log, e->comm, entry->peer);
        bool is_told = (r->fields & (PS_PICL_BYTES | PS_PICL_NO_BYTES)) != 0;
        e->bytes = (uint64_t)entry->value;
        /* Some exits say nothing: then all members get the values of the entry, unless these are the root's
         * alone. */
        e->received =
                (uint64_t)(is_told || ps_kinds[e->op].traits & PS_T_ALL_TO_ONE ? r->value : entry->value);
}

static void emit_entry_data(const ps_stream *s, ps_batch *batch, const ps_picl_rec *r)
{
        const ps_picl_rec *exit = mate_of(s, r);
        switch ((ps_picl_act)ps_picl_events[r->row].act) {
        case PS_PICL_SEND:
                if (has_message(r))
                        emit_message(s, batch, r, PS_EV_SEND);
                break;
        case PS_PICL_ISEND:
                if (has_message(r))
                        emit_message(s, batch, r, PS_EV_ISEND)->request = request_of(s, exit, 0);
                break;
        case PS_PICL_IRECV:
                emit_derived(s, batch, r, PS_EV_IRECV_POST)->request = request_of(s, exit, 1);
                break;
        case PS_PICL_COLL:
                emit_derived(s, batch, r, PS_EV_COLL_BEGIN);
                break;
        case PS_PICL_IO:
                emit_derived(s, batch, r, PS_EV_IO)->bytes = (uint64_t)r->value;
                break;
        case PS_PICL_FLUSH:
                if (exit)
                        emit_derived(s, batch, r, PS_EV_FLUSH)->bytes = (uint64_t)exit->time;
                break;
        default:
                break;
        }
}

static void emit_exit_data(const ps_stream *s, ps_batch *batch, const ps_picl_rec *r)
{
        switch ((ps_picl_act)ps_picl_events[r->row].act) {
        case PS_PICL_RECV:
                if (has_message(r))
                        emit_message(s, batch, r, PS_EV_RECV);
                break;
        case PS_PICL_SEND_DONE:
                emit_completion(s, batch, r, PS_EV_ISEND_DONE);
                break;
        case PS_PICL_RECV_DONE:
                if (has_message(r))
                        emit_completion(s, batch, r, PS_EV_IRECV);
                break;
        case PS_PICL_TESTED:
                emit_completion(s, batch, r, PS_EV_REQUEST_TEST);
                break;
        case PS_PICL_CANCELLED:
                emit_completion(s, batch, r, PS_EV_REQUEST_CANCELLED);
                break;
        case PS_PICL_COLL:
                emit_collective(s, batch, r);
                break;
        default:
                break;
        }
}

/* -- idleness in arrival traces -- */

static bool is_recv(const ps_picl_rec *r)
{
        return r->row < PS_PICL_E_COUNT && ps_picl_events[r->row].act == PS_PICL_RECV;
}

static bool is_idle(const ps_picl_rec *r, ps_picl_type type)
{
        return r->row == PS_PICL_E_IDLE && r->type == type;
}

/* The entry of the receive that the idleness beginning now ends at, or NULL. */
static const ps_picl_rec *recv_after(const ps_stream *s)
{
        const ps_picl_rec *left = NULL;
        for (uint32_t i = s->at + 1; i < s->place->n; i++) {
                const ps_picl_rec *r = ps_picl_rec_at(s->place, i);
                if (r->type == PS_PICL_MARK || r->type > PS_PICL_EXIT || is_idle(r, PS_PICL_ENTRY))
                        continue;
                if (!left && is_idle(r, PS_PICL_EXIT))
                        left = r;
                else
                        return r->type == PS_PICL_ENTRY && is_recv(r) && (!left || left->time == r->time)
                                       ? r
                                       : NULL;
        }
        return NULL;
}

static void enter_idle(ps_stream *s, ps_batch *batch, const ps_picl_rec *r)
{
        if (s->idle != PS_PICL_BUSY) {
                emit_counted(batch, r);
                return;
        }
        const ps_picl_rec *recv = recv_after(s);
        if (recv)
                emit_derived(s, batch, r, PS_EV_ENTER)->ref = recv->region;
        emit_region(batch, r, PS_EV_ENTER);
        s->idle = recv ? PS_PICL_IDLE_IN_RECV : PS_PICL_IDLE;
}

static void leave_idle(ps_stream *s, ps_batch *batch, const ps_picl_rec *r)
{
        if (s->idle == PS_PICL_IDLE || s->idle == PS_PICL_IDLE_IN_RECV)
                emit_region(batch, r, PS_EV_LEAVE);
        else
                emit_counted(batch, r);
        s->idle = s->idle == PS_PICL_IDLE_IN_RECV ? PS_PICL_IN_RECV
                  : s->idle == PS_PICL_IN_RECV    ? PS_PICL_IN_RECV
                                                  : PS_PICL_BUSY;
}

/* Communication ends idleness. 1: the call that begins with `r` has been entered already. */
static bool end_idle(ps_stream *s, ps_batch *batch, const ps_picl_rec *r)
{
        bool is_entered = s->idle == PS_PICL_IDLE_IN_RECV || s->idle == PS_PICL_IN_RECV;
        if (s->idle == PS_PICL_IDLE || s->idle == PS_PICL_IDLE_IN_RECV)
                emit_idle(s, batch, r, PS_EV_LEAVE);
        s->idle = PS_PICL_BUSY;
        return is_entered;
}

/* -- records -- */

static bool is_communication(const ps_picl_rec *r)
{
        return r->row < PS_PICL_E_COUNT && ps_picl_events[r->row].kind != PS_K_NONE;
}

/* The recorder's whole run is no region, and a trace's end no gap; only what is between two runs is. */
static void take_tracing(ps_stream *s, ps_batch *batch, const ps_picl_rec *r)
{
        int goes_off = r->type == PS_PICL_EXIT && s->at < s->place->last_tracing;
        int goes_on = r->type == PS_PICL_ENTRY && s->is_off;
        if (!goes_off && !goes_on) {
                emit_counted(batch, r);
                return;
        }
        emit_event(batch, r, PS_EV_MEASUREMENT, r->code)->op = (uint8_t)goes_on;
        s->is_off = goes_off;
}

static void take_entry(ps_stream *s, ps_batch *batch, const ps_picl_rec *r)
{
        if (s->is_arrival && r->row == PS_PICL_E_IDLE) {
                enter_idle(s, batch, r);
                return;
        }
        if (s->is_arrival && is_communication(r) && end_idle(s, batch, r))
                emit_counted(batch, r);
        else
                emit_region(batch, r, PS_EV_ENTER);
        if (r->row < PS_PICL_E_COUNT)
                emit_entry_data(s, batch, r);
}

static void take_exit(ps_stream *s, ps_batch *batch, const ps_picl_rec *r)
{
        if (s->is_arrival && r->row == PS_PICL_E_IDLE) {
                leave_idle(s, batch, r);
                return;
        }
        if (r->row < PS_PICL_E_COUNT)
                emit_exit_data(s, batch, r);
        emit_region(batch, r, PS_EV_LEAVE);
}

static void take_picl_record(ps_stream *s, ps_batch *batch, const ps_picl_rec *r)
{
        if (r->type > PS_PICL_EXIT)
                return;
        if (r->type == PS_PICL_MARK)
                emit_counted(batch, r);
        else if (r->row == PS_PICL_E_TRACING)
                take_tracing(s, batch, r);
        else if (r->type == PS_PICL_ENTRY)
                take_entry(s, batch, r);
        else
                take_exit(s, batch, r);
}

void ps_picl_stream_init(ps_stream *stream, const ps_picl_log *log, const ps_picl_names *names,
                         ps_loc location)
{
        *stream =
                (ps_stream){.log = log, .names = names, .place = &log->place[location], .location = location};
        stream->is_arrival = ps_picl_is_arrival(log);
        for (unsigned row = 0; row < PS_PICL_E_COUNT; row++) {
                ps_picl_act act = (ps_picl_act)ps_picl_events[row].act;
                bool is_used = log->region_of_row[row] != PS_NONE;
                stream->completes |= is_used && (act == PS_PICL_SEND_DONE || act == PS_PICL_RECV_DONE);
        }
}

void ps_picl_stream_next(ps_stream *stream, ps_batch *batch)
{
        const ps_picl_place *place = stream->place;
        batch->location = stream->location;
        batch->n = 0;
        for (; stream->at < place->n && batch->n + MOST_EVENTS <= PS_BATCH_EVENTS; stream->at++)
                take_picl_record(stream, batch, ps_picl_rec_at(place, stream->at));
        if (stream->at == place->n && place->n && batch->n < PS_BATCH_EVENTS) {
                ps_picl_rec last = *ps_picl_rec_at(place, place->n - 1);
                last.time = stream->log->end;
                end_idle(stream, batch, &last);
        }
}
