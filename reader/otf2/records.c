/* records.c - see records.h. */
#include "reader/otf2/records.h"

#include "core/base/search.h"
#include "core/model/kinds.h"

#include <otf2/OTF2_Events.h>
#include <stdlib.h>
#include <string.h>

/* Fields, in the record's order: r x w m p: `ref`, a region, calling context, window, metric, parameter;
 * c g: `comm`, a communicator, a group; P: `peer`; R: the same, a root; t: `tag`; b B: `bytes`, `received`;
 * q: `request`; k K: `op`, a collective operation, of a communicator or of a window; o: `op` as it stands;
 * h l: `ref` as it stands; s: `bytes`, a string; F: `bytes`, a time; v: `op`, 1 for on; d e: `tag`, a 64-bit
 * number; n: `tag`, one byte; '.' '-': a byte, a number of no use. '!': no length stands before the record,
 * which is a single number. Fields at the end that nobody needs are left out. */
const ps_otf2_record ps_otf2_records[] = {
        {"BUFFER_FLUSH", PS_EV_FLUSH, "F"},
        {"MEASUREMENT_ON_OFF", PS_EV_MEASUREMENT, "v"},
        {"ENTER", PS_EV_ENTER, "!r"},
        {"LEAVE", PS_EV_LEAVE, "!r"},
        {"MPI_SEND", PS_EV_SEND, "Pctb"},
        {"MPI_ISEND", PS_EV_ISEND, "Pctbq"},
        {"MPI_ISEND_COMPLETE", PS_EV_ISEND_DONE, "!q"},
        {"MPI_IRECV_REQUEST", PS_EV_IRECV_POST, "!q"},
        {"MPI_RECV", PS_EV_RECV, "Pctb"},
        {"MPI_IRECV", PS_EV_IRECV, "Pctbq"},
        {"MPI_REQUEST_TEST", PS_EV_REQUEST_TEST, "!q"},
        {"MPI_REQUEST_CANCELLED", PS_EV_REQUEST_CANCELLED, "!q"},
        {"MPI_COLLECTIVE_BEGIN", PS_EV_COLL_BEGIN, ""},
        {"MPI_COLLECTIVE_END", PS_EV_COLL_END, "kcRbB"},
        {"OMP_FORK", PS_EV_THREAD_FORK, "!t"},
        {"OMP_JOIN", PS_EV_THREAD_JOIN, ""},
        {"OMP_ACQUIRE_LOCK", PS_EV_LOCK_ACQUIRE, "lt"},
        {"OMP_RELEASE_LOCK", PS_EV_LOCK_RELEASE, "lt"},
        {"OMP_TASK_CREATE", PS_EV_TASK_CREATE, "!d"},
        {"OMP_TASK_SWITCH", PS_EV_TASK_SWITCH, "!d"},
        {"OMP_TASK_COMPLETE", PS_EV_TASK_COMPLETE, "!d"},
        {"METRIC", PS_EV_METRIC, "mn"},
        {"PARAMETER_STRING", PS_EV_PARAMETER, "ps"},
        {"PARAMETER_INT", PS_EV_PARAMETER, "pb"},
        {"PARAMETER_UNSIGNED_INT", PS_EV_PARAMETER, "pb"},
        {"RMA_WIN_CREATE", PS_EV_WIN_CREATE, "w"},
        {"RMA_WIN_DESTROY", PS_EV_WIN_DESTROY, "w"},
        {"RMA_COLLECTIVE_BEGIN", PS_EV_RMA_COLL_BEGIN, ""},
        {"RMA_COLLECTIVE_END", PS_EV_RMA_COLL_END, "KtwRbB"},
        {"RMA_GROUP_SYNC", PS_EV_RMA_GROUP_SYNC, "twg"},
        {"RMA_REQUEST_LOCK", PS_EV_RMA_LOCK_REQUEST, "wPqo"},
        {"RMA_ACQUIRE_LOCK", PS_EV_RMA_LOCK_ACQUIRE, "wPqo"},
        {"RMA_TRY_LOCK", PS_EV_RMA_LOCK_TRY, "wPqo"},
        {"RMA_RELEASE_LOCK", PS_EV_RMA_LOCK_RELEASE, "wPq"},
        {"RMA_SYNC", PS_EV_RMA_SYNC, "wPo"},
        {"RMA_WAIT_CHANGE", PS_EV_RMA_WAIT_CHANGE, "w"},
        {"RMA_PUT", PS_EV_RMA_PUT, "wPbq"},
        {"RMA_GET", PS_EV_RMA_GET, "wPbq"},
        {"RMA_ATOMIC", PS_EV_RMA_ATOMIC, "wPobBq"},
        {"RMA_OP_COMPLETE_BLOCKING", PS_EV_RMA_DONE_LOCAL, "wq"},
        {"RMA_OP_COMPLETE_NON_BLOCKING", PS_EV_RMA_DONE_LOCAL, "wq"},
        {"RMA_OP_TEST", PS_EV_RMA_TEST, "wq"},
        {"RMA_OP_COMPLETE_REMOTE", PS_EV_RMA_DONE_REMOTE, "wq"},
        {"THREAD_FORK", PS_EV_THREAD_FORK, ".t"},
        {"THREAD_JOIN", PS_EV_THREAD_JOIN, ""},
        {"THREAD_TEAM_BEGIN", PS_EV_TEAM_BEGIN, "c"},
        {"THREAD_TEAM_END", PS_EV_TEAM_END, "c"},
        {"THREAD_ACQUIRE_LOCK", PS_EV_LOCK_ACQUIRE, ".lt"},
        {"THREAD_RELEASE_LOCK", PS_EV_LOCK_RELEASE, ".lt"},
        {"THREAD_TASK_CREATE", PS_EV_TASK_CREATE, "cPt"},
        {"THREAD_TASK_SWITCH", PS_EV_TASK_SWITCH, "cPt"},
        {"THREAD_TASK_COMPLETE", PS_EV_TASK_COMPLETE, "cPt"},
        {"THREAD_CREATE", PS_EV_THREAD_CREATE, "cq"},
        {"THREAD_BEGIN", PS_EV_THREAD_BEGIN, "cq"},
        {"THREAD_WAIT", PS_EV_THREAD_WAIT, "cq"},
        {"THREAD_END", PS_EV_THREAD_END, "cq"},
        {"CALLING_CONTEXT_ENTER", PS_EV_CONTEXT_ENTER, "x"},
        {"CALLING_CONTEXT_LEAVE", PS_EV_CONTEXT_LEAVE, "x"},
        {"CALLING_CONTEXT_SAMPLE", PS_EV_SAMPLE, "x"},
        {"IO_CREATE_HANDLE", PS_EV_IO, "h"},
        {"IO_DESTROY_HANDLE", PS_EV_IO, "h"},
        {"IO_DUPLICATE_HANDLE", PS_EV_IO, "h"},
        {"IO_SEEK", PS_EV_IO, "h"},
        {"IO_CHANGE_STATUS_FLAGS", PS_EV_IO, "h"},
        {"IO_DELETE_FILE", PS_EV_IO, "."},
        {"IO_OPERATION_BEGIN", PS_EV_IO, "h.-bq"},
        {"IO_OPERATION_TEST", PS_EV_IO, "hq"},
        {"IO_OPERATION_ISSUED", PS_EV_IO, "hq"},
        {"IO_OPERATION_COMPLETE", PS_EV_IO, "hbq"},
        {"IO_OPERATION_CANCELLED", PS_EV_IO, "hq"},
        {"IO_ACQUIRE_LOCK", PS_EV_IO, "h"},
        {"IO_RELEASE_LOCK", PS_EV_IO, "h"},
        {"IO_TRY_LOCK", PS_EV_IO, "h"},
        {"PROGRAM_BEGIN", PS_EV_PROGRAM_BEGIN, ""},
        {"PROGRAM_END", PS_EV_PROGRAM_END, "e"},
        {"NON_BLOCKING_COLLECTIVE_REQUEST", PS_EV_NBC_REQUEST, "q"},
        {"NON_BLOCKING_COLLECTIVE_COMPLETE", PS_EV_NBC_DONE, "kcRbBq"},
        {"COMM_CREATE", PS_EV_COMM_CREATE, "c"},
        {"COMM_DESTROY", PS_EV_COMM_DESTROY, "c"},
};
const unsigned ps_otf2_n_records = sizeof(ps_otf2_records) / sizeof(ps_otf2_records[0]);

static const uint32_t UNDEFINED = UINT32_MAX;

void ps_otf2_note(const ps_otf2_decoder *d, ps_issue_kind kind)
{
        ps_issue_note(
                d->issues, kind,
                (ps_place){d->s->location, d->s->file, d->offset, d->s->n_events ? d->s->last : INT64_MIN});
}

uint8_t ps_otf2_collective_kind(uint8_t op, int on_window)
{
        static const uint8_t map[][2] = {
                [OTF2_COLLECTIVE_OP_BARRIER] = {PS_K_BARRIER, PS_K_FENCE},
                [OTF2_COLLECTIVE_OP_BCAST] = {PS_K_BCAST, PS_K_RMA_COLLECTIVE},
                [OTF2_COLLECTIVE_OP_GATHER] = {PS_K_GATHER, PS_K_RMA_COLLECTIVE},
                [OTF2_COLLECTIVE_OP_GATHERV] = {PS_K_GATHERV, PS_K_RMA_COLLECTIVE},
                [OTF2_COLLECTIVE_OP_SCATTER] = {PS_K_SCATTER, PS_K_RMA_COLLECTIVE},
                [OTF2_COLLECTIVE_OP_SCATTERV] = {PS_K_SCATTERV, PS_K_RMA_COLLECTIVE},
                [OTF2_COLLECTIVE_OP_ALLGATHER] = {PS_K_ALLGATHER, PS_K_RMA_COLLECTIVE},
                [OTF2_COLLECTIVE_OP_ALLGATHERV] = {PS_K_ALLGATHERV, PS_K_RMA_COLLECTIVE},
                [OTF2_COLLECTIVE_OP_ALLTOALL] = {PS_K_ALLTOALL, PS_K_RMA_COLLECTIVE},
                [OTF2_COLLECTIVE_OP_ALLTOALLV] = {PS_K_ALLTOALLV, PS_K_RMA_COLLECTIVE},
                [OTF2_COLLECTIVE_OP_ALLTOALLW] = {PS_K_ALLTOALLW, PS_K_RMA_COLLECTIVE},
                [OTF2_COLLECTIVE_OP_ALLREDUCE] = {PS_K_ALLREDUCE, PS_K_RMA_COLLECTIVE},
                [OTF2_COLLECTIVE_OP_REDUCE] = {PS_K_REDUCE, PS_K_RMA_COLLECTIVE},
                [OTF2_COLLECTIVE_OP_REDUCE_SCATTER] = {PS_K_REDUCE_SCATTER, PS_K_RMA_COLLECTIVE},
                [OTF2_COLLECTIVE_OP_SCAN] = {PS_K_SCAN, PS_K_RMA_COLLECTIVE},
                [OTF2_COLLECTIVE_OP_EXSCAN] = {PS_K_EXSCAN, PS_K_RMA_COLLECTIVE},
                [OTF2_COLLECTIVE_OP_REDUCE_SCATTER_BLOCK] = {PS_K_REDUCE_SCATTER_BLOCK, PS_K_RMA_COLLECTIVE},
                [OTF2_COLLECTIVE_OP_CREATE_HANDLE] = {PS_K_COMM_MANAGE, PS_K_WIN_CREATE},
                [OTF2_COLLECTIVE_OP_DESTROY_HANDLE] = {PS_K_COMM_MANAGE, PS_K_WIN_FREE},
                [OTF2_COLLECTIVE_OP_ALLOCATE] = {PS_K_COLLECTIVE, PS_K_RMA_COLLECTIVE},
                [OTF2_COLLECTIVE_OP_DEALLOCATE] = {PS_K_COLLECTIVE, PS_K_RMA_COLLECTIVE},
                [OTF2_COLLECTIVE_OP_CREATE_HANDLE_AND_ALLOCATE] = {PS_K_COMM_MANAGE, PS_K_WIN_CREATE},
                [OTF2_COLLECTIVE_OP_DESTROY_HANDLE_AND_DEALLOCATE] = {PS_K_COMM_MANAGE, PS_K_WIN_FREE}};
        if (op < sizeof(map) / sizeof(map[0]))
                return map[op][on_window];
        return on_window ? PS_K_RMA_COLLECTIVE : PS_K_COLLECTIVE;
}

/* An empty row holds an id that belongs into another one. */
static const ps_otf2_cached nothing_cached[PS_OTF2_CACHE_ROWS] = {{.id = 1}};

void ps_otf2_cache_begin(ps_stream *s)
{
        for (int m = 0; m < OTF2_MAPPING_MAX; m++)
                s->cache[m] = nothing_cached;
}

void ps_otf2_cache_end(ps_stream *s)
{
        for (int m = 0; m < OTF2_MAPPING_MAX; m++)
                free(s->own_cache[m]);
}

/* Without memory for a cache all is found without one. */
static void remember_id(ps_stream *s, int mapping, uint32_t id, uint32_t value)
{
        ps_otf2_cached **rows = &s->own_cache[mapping];
        if (!*rows && (*rows = malloc(sizeof(nothing_cached))))
                s->cache[mapping] = memcpy(*rows, nothing_cached, sizeof(nothing_cached));
        if (*rows)
                (*rows)[id % PS_OTF2_CACHE_ROWS] = (ps_otf2_cached){id, value};
}

uint32_t ps_otf2_cache_id(ps_stream *s, int mapping, uint32_t id)
{
        const ps_otf2_cached *slot = &s->cache[mapping][id % PS_OTF2_CACHE_ROWS];
        if (id == UNDEFINED)
                return PS_NONE;
        if (slot->id == id)
                return slot->value;
        uint32_t global = ps_otf2_local_map(&s->local, mapping, id);
        uint32_t value = ps_otf2_ids_find(&s->names->ids[mapping], global);
        if (value != PS_NONE)
                remember_id(s, mapping, id, value);
        return value;
}

uint32_t ps_otf2_lookup_anew(const ps_otf2_decoder *d, int mapping, uint32_t id)
{
        uint32_t value = ps_otf2_cache_id(d->s, mapping, id);
        if (value == PS_NONE && id != UNDEFINED)
                ps_otf2_note(d, PS_I_DEF_UNKNOWN);
        return value;
}

ps_event *ps_otf2_add_event(const ps_otf2_decoder *d, ps_batch *batch, unsigned code, uint8_t kind)
{
        ps_stream *s = d->s;
        ps_event *event = &batch->event[batch->n++];
        *event = (ps_event){.time = ps_otf2_time_of(d, s->ticks),
                            .ref = PS_NONE,
                            .peer = PS_NONE,
                            .comm = PS_NONE,
                            .code = (uint16_t)code,
                            .kind = kind,
                            .offset = d->offset};
        ps_otf2_take_hints(s, event);
        s->n_events++;
        return event;
}

uint32_t ps_otf2_root(uint32_t root)
{
        if (root == OTF2_COLLECTIVE_ROOT_SELF)
                return PS_ROOT_SELF;
        return root >= OTF2_COLLECTIVE_ROOT_THIS_GROUP ? PS_NONE : root;
}

static uint32_t narrow(uint64_t value)
{
        return value < PS_NONE ? (uint32_t)value : PS_NONE;
}

static uint64_t flush_end(const ps_otf2_decoder *d, ps_otf2_bytes *b, ps_time begin)
{
        int clamped = 0;
        uint64_t ticks = ps_otf2_local_time(&d->s->local, ps_otf2_full64(b));
        ps_time end = ps_otf2_scale_apply(&d->s->scale, ticks, &clamped);
        return (uint64_t)(end > begin ? end : begin);
}

/* Two kinds of fields: references, which are resolved, and values. */
static void decode_reference(const ps_otf2_decoder *d, ps_otf2_bytes *b, char field, ps_event *event)
{
        uint32_t id = ps_otf2_u32(b);
        if (b->bad)
                return;
        switch (field) {
        case 'r':
                event->ref = ps_otf2_lookup(d, OTF2_MAPPING_REGION, id);
                break;
        case 'x':
                event->ref = ps_otf2_lookup(d, OTF2_MAPPING_CALLING_CONTEXT, id);
                break;
        case 'w':
                event->ref = ps_otf2_lookup(d, OTF2_MAPPING_RMA_WIN, id);
                break;
        case 'm':
                event->ref = ps_otf2_lookup(d, OTF2_MAPPING_METRIC, id);
                break;
        case 'p':
                event->ref = ps_otf2_lookup(d, OTF2_MAPPING_PARAMETER, id);
                break;
        case 'c':
                event->comm = ps_otf2_lookup(d, OTF2_MAPPING_COMM, id);
                break;
        case 'g':
                event->comm = ps_otf2_lookup(d, OTF2_MAPPING_GROUP, id);
                break;
        default: /* 's' */
                id = ps_otf2_lookup(d, OTF2_MAPPING_STRING, id);
                event->bytes = id == PS_NONE ? 0 : id;
                event->op = 1;
        }
}

static void decode_value(const ps_otf2_decoder *d, ps_otf2_bytes *b, char field, ps_event *event)
{
        switch (field) {
        case 'P':
                event->peer = ps_otf2_u32(b);
                break;
        case 'R':
                event->peer = ps_otf2_root(ps_otf2_u32(b));
                break;
        case 't':
                event->tag = ps_otf2_u32(b);
                break;
        case 'n':
                event->tag = ps_otf2_u8(b);
                break;
        case 'd':
        case 'e':
                event->tag = field == 'd' ? narrow(ps_otf2_u64(b)) : (uint32_t)ps_otf2_u64(b);
                break;
        case 'b':
                event->bytes = ps_otf2_u64(b);
                break;
        case 'B':
                event->received = ps_otf2_u64(b);
                break;
        case 'q':
                event->request = ps_otf2_u64(b);
                break;
        case 'k':
                event->op = ps_otf2_collective_kind(ps_otf2_u8(b), 0);
                break;
        case 'K': /* which kind it is depends on the window */
        case 'o':
                event->op = ps_otf2_u8(b);
                break;
        case 'v':
                event->op = ps_otf2_u8(b) == OTF2_MEASUREMENT_ON;
                break;
        case 'F':
                event->bytes = flush_end(d, b, event->time);
                break;
        case 'h':
        case 'l':
                event->ref = ps_otf2_u32(b);
                break;
        case '.':
                ps_otf2_u8(b);
                break;
        default: /* '-' */
                ps_otf2_u32(b);
        }
}

static ps_comm comm_of_window(const ps_defs *defs, uint32_t window)
{
        return window == PS_NONE ? PS_NONE : defs->windows.row[window].comm;
}

uint8_t ps_otf2_window_collective(const ps_defs *defs, const ps_event *event)
{
        ps_comm comm = comm_of_window(defs, event->ref);
        return ps_otf2_collective_kind(event->op, comm == PS_NONE || !defs->comms.row[comm].pgas);
}

/* Ranks that count in the whole paradigm become ranks of the communicator. */
static void translate_peer(const ps_otf2_decoder *d, ps_event *event)
{
        ps_comm comm = event->comm;
        if (comm == PS_NONE && event->kind >= PS_EV_RMA_COLL_BEGIN && event->kind <= PS_EV_RMA_TEST)
                comm = comm_of_window(d->s->defs, event->ref);
        if (comm == PS_NONE || event->kind == PS_EV_RMA_GROUP_SYNC || event->peer == PS_NONE)
                return;
        const ps_otf2_ranks *ranks = &d->s->names->comm_ranks[comm];
        uint32_t low = 0;
        PS_SEARCH(low, ranks->n, middle, ranks->rank[middle].global < event->peer);
        if (ranks->rank)
                event->peer = low < ranks->n && ranks->rank[low].global == event->peer
                                      ? ranks->rank[low].local
                                      : PS_NONE;
}

bool ps_otf2_decode_record(const ps_otf2_decoder *d, ps_otf2_bytes *b, unsigned code, ps_batch *batch)
{
        const ps_otf2_record *record = &ps_otf2_records[code];
        ps_event *event = ps_otf2_add_event(d, batch, code, record->kind);
        for (const char *f = record->fields; *f && !b->bad; f++) {
                if (strchr("rxwmpcgs", *f))
                        decode_reference(d, b, *f, event);
                else if (*f != '!')
                        decode_value(d, b, *f, event);
        }
        if (b->bad) {
                batch->n--;
                d->s->n_events--;
                return false;
        }
        if (record->kind == PS_EV_RMA_COLL_END)
                event->op = ps_otf2_window_collective(d->s->defs, event);
        if (d->s->names->comm_ranks)
                translate_peer(d, event);
        return true;
}

int ps_otf2_attribute_width(uint8_t type)
{
        switch (type) {
        case OTF2_TYPE_NONE:
                return 0;
        case OTF2_TYPE_UINT8:
        case OTF2_TYPE_INT8:
                return 1;
        case OTF2_TYPE_UINT16:
        case OTF2_TYPE_INT16:
                return 2;
        case OTF2_TYPE_FLOAT:
                return 4;
        case OTF2_TYPE_DOUBLE:
                return 8;
        default:
                return -1;
        }
}

/* The mode that an attribute's text names. */
static uint32_t modes_of(const ps_otf2_decoder *d, uint8_t type, uint64_t value)
{
        uint32_t text = PS_NONE;
        if (type == OTF2_TYPE_STRING)
                text = ps_otf2_lookup(d, OTF2_MAPPING_STRING, narrow(value));
        return text == PS_NONE ? 0 : ps_sync_parse(ps_defs_str(d->s->defs, text));
}

void ps_otf2_note_hint(ps_otf2_hints *hints, uint8_t attribute, uint64_t value)
{
        if (!hints->known)
                *hints = (ps_otf2_hints){.root = PS_NONE, .known = 1};
        if (attribute == PS_OTF2_ATTRIBUTE_IN) {
                hints->modes = PS_SYNC_MODES(ps_sync_in((uint32_t)value), ps_sync_out(hints->modes));
        } else if (attribute == PS_OTF2_ATTRIBUTE_OUT) {
                hints->modes = PS_SYNC_MODES(ps_sync_in(hints->modes), ps_sync_out((uint32_t)value));
        } else if (attribute == PS_OTF2_ATTRIBUTE_ROOT) {
                hints->root = narrow(value);
        } else if (attribute == PS_OTF2_ATTRIBUTE_LOCK_ID) {
                hints->lock = value;
                hints->has_lock = true;
        }
}

static void take_hint(const ps_otf2_decoder *d, uint8_t what, uint8_t type, uint64_t value)
{
        ps_otf2_hints *hints = &d->s->hints;
        if (what == PS_OTF2_ATTRIBUTE_IN || what == PS_OTF2_ATTRIBUTE_OUT)
                ps_otf2_note_hint(hints, what, modes_of(d, type, value));
        else if (type <= OTF2_TYPE_INT64)
                ps_otf2_note_hint(hints, what, value);
        else
                ps_otf2_note_hint(hints, PS_OTF2_ATTRIBUTE_OTHER, 0);
}

static void take_attribute(const ps_otf2_decoder *d, ps_otf2_bytes *b)
{
        uint32_t id = ps_otf2_u32(b);
        uint8_t type = ps_otf2_u8(b);
        int width = ps_otf2_attribute_width(type);
        uint64_t value = 0;
        if (width < 0)
                value = ps_otf2_u64(b);
        else if (width == 4 || width == 8)
                ps_otf2_skip(b, (uint64_t)width);
        else
                for (int i = 0; i < width; i++) {
                        uint64_t byte = ps_otf2_u8(b);
                        value = b->big ? value << 8 | byte : value | byte << 8 * i;
                }
        uint32_t which = b->bad ? PS_NONE : ps_otf2_lookup(d, OTF2_MAPPING_ATTRIBUTE, id);
        if (which == PS_NONE)
                return;
        const uint8_t what = d->s->names->attribute[which];
        if (what == PS_OTF2_ATTRIBUTE_FILE && type == OTF2_TYPE_STRING) {
                uint32_t text = ps_otf2_lookup(d, OTF2_MAPPING_STRING, narrow(value));
                d->s->site_file = text == PS_NONE ? 0 : text;
        } else if (what == PS_OTF2_ATTRIBUTE_LINE && type <= OTF2_TYPE_INT64 && value < INT32_MAX) {
                d->s->site_line = (uint32_t)value;
        } else if (what >= PS_OTF2_ATTRIBUTE_IN) {
                take_hint(d, what, type, value);
        } else if (what == PS_OTF2_ATTRIBUTE_PLACE && type == OTF2_TYPE_SOURCE_CODE_LOCATION) {
                uint32_t place = ps_otf2_lookup(d, OTF2_MAPPING_SOURCE_CODE_LOCATION, narrow(value));
                if (place != PS_NONE) {
                        d->s->site_file = d->s->names->source[place].file;
                        d->s->site_line = d->s->names->source[place].line;
                }
        }
}

bool ps_otf2_take_attributes(const ps_otf2_decoder *d, ps_otf2_bytes *b, bool whole)
{
        uint32_t n = ps_otf2_u32(b);
        for (uint32_t i = 0; i < n && !b->bad; i++)
                take_attribute(d, b);
        return !b->bad || !whole;
}
