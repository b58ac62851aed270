/* perfetto.c - the run for ui.perfetto.dev: a process for each rank, a thread for each location, slices for
 * functions, operations and, inside of these, what they waited.
 *
 * Slices of a track must nest, so each location is walked with a stack of what is open. Each location is a
 * sequence of its own: names are told once in each, and times are differences. Packets are gathered and
 * deflated. */
#include "report/exports/exports.h"
#include "report/exports/proto.h"
#include "report/page/lanes.h"
#include "report/print/text.h"

#include "core/base/memory.h"
#include "core/base/search.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

/* Numbers of fields: of perfetto's Trace, TracePacket and what is in them. */
enum { TRACE_PACKET = 1 };
enum {
        PACKET_CLOCKS = 6,
        PACKET_TIME = 8,
        PACKET_SEQUENCE = 10,
        PACKET_EVENT = 11,
        PACKET_INTERNED = 12,
        PACKET_FLAGS = 13,
        PACKET_COMPRESSED = 50,
        PACKET_DEFAULTS = 59,
        PACKET_TRACK = 60
};
enum { FLAG_CLEARED = 1, FLAG_NEEDS_STATE = 2 };
enum {
        CLOCKS_CLOCK = 1,
        CLOCKS_PRIMARY = 2,
        CLOCK_ID = 1,
        CLOCK_TIME = 2,
        CLOCK_IS_INCREMENTAL = 3,
        CLOCK_UNIT_NS = 4
};
enum { CLOCK_BOOT = 6, CLOCK_OWN = 64 };
enum { DEFAULTS_EVENT = 11, DEFAULTS_CLOCK = 58 };
enum {
        TRACK_UUID = 1,
        TRACK_NAME = 2,
        TRACK_PROCESS = 3,
        TRACK_THREAD = 4,
        TRACK_ORDER_RANK = 12,
        TRACK_PROCESS_ORDER = 19
};
enum {
        PROCESS_PID = 1,
        PROCESS_NAME = 6,
        THREAD_PID = 1,
        THREAD_TID = 2,
        THREAD_NAME = 5,
        ORDER_AS_GIVEN = 1
};
enum {
        EVENT_CATEGORY = 3,
        EVENT_TYPE = 9,
        EVENT_NAME = 10,
        EVENT_TRACK = 11,
        EVENT_SOURCE = 34,
        EVENT_FLOW = 47,
        EVENT_FLOW_ENDS = 48,
        EVENT_CORRELATION = 52
};
enum { BEGINS = 1, ENDS = 2 };
enum {
        INTERNED_CATEGORY = 1,
        INTERNED_NAME = 2,
        INTERNED_SOURCE = 4,
        INTERNED_ID = 1,
        INTERNED_TEXT = 2,
        SOURCE_LINE = 4
};

enum { CHUNK = 1 << 19 };

typedef enum category { OPERATION, WAIT, WAIT_OUTSIDE, FUNCTION, CATEGORIES } category;
static const char *const categories[CATEGORIES] = {"operation", "wait", "wait-outside", "function"};

/* What is open: a function or an operation, or a wait in it (path PS_NONE). */
struct slice {
        ps_path path;
        ps_op op;
};

/* A flow joins the operation of a finding's worst wait with the one that ended it: from the one that began
 * first, because flows go forward in time. */
struct flow {
        ps_ref at;
        uint64_t id;
        bool ends;
};

struct writer {
        const ps_report *report;
        const ps_lanes *lanes;
        ps_output *out;
        ps_error *err;
        ps_status status;
        ps_proto gathered, packet, event, inner, text;
        struct flow *flow; /* by place */
        uint32_t n_flows;
        /* Of the location at hand: */
        ps_loc loc;
        ps_loan loan;
        uint32_t *told; /* by path, then by pattern, then by kind: the last location that the name was told
                           to, + 1 */
        PS_VECTOR(struct slice) open;
        PS_VECTOR(ps_path) way; /* to open */
        ps_time now;            /* of the sequence, in nanoseconds */
};

/* -- packets -- */

static ps_status flush_packets(struct writer *w)
{
        uLongf room = compressBound(w->gathered.n);
        unsigned char *bytes = w->gathered.n ? malloc(room) : NULL;
        if (!w->gathered.n)
                return PS_OK;
        if (w->gathered.failed || !bytes ||
            compress2(bytes, &room, w->gathered.bytes, w->gathered.n, 6) != Z_OK) {
                free(bytes);
                return PS_NOMEM(w->err, "packets", w->gathered.n);
        }
        ps_proto_bytes(&w->packet, PACKET_COMPRESSED, bytes, room);
        free(bytes);
        w->gathered.n = 0;
        ps_proto_message(&w->gathered, TRACE_PACKET, &w->packet);
        if (w->gathered.failed)
                return PS_NOMEM(w->err, "packets", w->gathered.n);
        ps_output_write(w->out, (const char *)w->gathered.bytes, w->gathered.n);
        w->gathered.n = 0;
        return PS_OK;
}

static void end_packet(struct writer *w)
{
        ps_proto_message(&w->gathered, TRACE_PACKET, &w->packet);
        if (w->status == PS_OK && w->gathered.n >= CHUNK)
                w->status = flush_packets(w);
}

static uint64_t track_of(const struct writer *w, ps_loc loc)
{
        return (uint64_t)w->report->trace->defs.processes.n + loc + 1;
}

/* -- who takes part -- */

static void put_process(struct writer *w, ps_proc process)
{
        char name[48];
        snprintf(name, sizeof(name), "rank %" PRIu32, process);
        ps_proto_varint(&w->inner, PROCESS_PID, process + UINT64_C(1));
        ps_proto_text(&w->inner, PROCESS_NAME, name);
        ps_proto_varint(&w->event, TRACK_UUID, process + UINT64_C(1));
        ps_proto_message(&w->event, TRACK_PROCESS, &w->inner);
        ps_proto_varint(&w->event, TRACK_ORDER_RANK, process);
        ps_proto_message(&w->packet, PACKET_TRACK, &w->event);
        end_packet(w);
}

/* The first thread of a process has its number, as elsewhere. */
static void put_thread(struct writer *w, ps_loc loc)
{
        const ps_location_def *location = &w->report->trace->defs.locations.row[loc];
        char name[64];
        snprintf(name, sizeof(name), location->thread ? "thread %" PRIu32 : "main thread", location->thread);
        ps_proto_varint(&w->inner, THREAD_PID, location->process + UINT64_C(1));
        ps_proto_varint(&w->inner, THREAD_TID,
                        location->thread ? track_of(w, loc) : location->process + UINT64_C(1));
        ps_proto_text(&w->inner, THREAD_NAME, name);
        ps_proto_varint(&w->event, TRACK_UUID, track_of(w, loc));
        ps_proto_message(&w->event, TRACK_THREAD, &w->inner);
        ps_proto_message(&w->packet, PACKET_TRACK, &w->event);
        end_packet(w);
}

static void put_ranks(struct writer *w)
{
        ps_proto_varint(&w->event, TRACK_UUID, 0);
        ps_proto_varint(&w->event, TRACK_PROCESS_ORDER, ORDER_AS_GIVEN);
        ps_proto_message(&w->packet, PACKET_TRACK, &w->event);
        end_packet(w);
        for (ps_proc process = 0; process < w->report->trace->defs.processes.n; process++)
                put_process(w, process);
}

/* Times of a sequence are differences from the one before, in nanoseconds. */
static void begin_sequence(struct writer *w)
{
        static const uint64_t clocks[] = {CLOCK_OWN, CLOCK_BOOT};
        for (unsigned i = 0; i < 2; i++) {
                ps_proto_varint(&w->inner, CLOCK_ID, clocks[i]);
                ps_proto_varint(&w->inner, CLOCK_TIME, 0);
                if (clocks[i] == CLOCK_OWN) {
                        ps_proto_varint(&w->inner, CLOCK_IS_INCREMENTAL, 1);
                        ps_proto_varint(&w->inner, CLOCK_UNIT_NS, 1);
                }
                ps_proto_message(&w->event, CLOCKS_CLOCK, &w->inner);
        }
        ps_proto_varint(&w->event, CLOCKS_PRIMARY, CLOCK_BOOT);
        ps_proto_message(&w->packet, PACKET_CLOCKS, &w->event);
        ps_proto_varint(&w->packet, PACKET_SEQUENCE, w->loc + UINT64_C(1));
        end_packet(w);
        ps_proto_varint(&w->inner, EVENT_TRACK, track_of(w, w->loc));
        ps_proto_message(&w->event, DEFAULTS_EVENT, &w->inner);
        ps_proto_varint(&w->event, DEFAULTS_CLOCK, CLOCK_OWN);
        ps_proto_message(&w->packet, PACKET_DEFAULTS, &w->event);
        for (uint64_t i = 0; i < CATEGORIES; i++) {
                ps_proto_varint(&w->inner, INTERNED_ID, i + 1);
                ps_proto_text(&w->inner, INTERNED_TEXT, categories[i]);
                ps_proto_message(&w->event, INTERNED_CATEGORY, &w->inner);
        }
        ps_proto_message(&w->packet, PACKET_INTERNED, &w->event);
        ps_proto_varint(&w->packet, PACKET_SEQUENCE, w->loc + UINT64_C(1));
        ps_proto_varint(&w->packet, PACKET_FLAGS, FLAG_CLEARED | FLAG_NEEDS_STATE);
        end_packet(w);
        w->now = 0;
}

/* -- slices -- */

static void put_event(struct writer *w, ps_time time)
{
        ps_time ns = time / PS_PS_PER_NS;
        ps_proto_varint(&w->packet, PACKET_TIME, (uint64_t)(ns > w->now ? ns - w->now : 0));
        w->now = ns > w->now ? ns : w->now;
        ps_proto_message(&w->packet, PACKET_EVENT, &w->event);
        ps_proto_varint(&w->packet, PACKET_SEQUENCE, w->loc + UINT64_C(1));
        ps_proto_varint(&w->packet, PACKET_FLAGS, FLAG_NEEDS_STATE);
        end_packet(w);
}

static void put_end(struct writer *w, ps_time time)
{
        ps_proto_varint(&w->event, EVENT_TYPE, ENDS);
        put_event(w, time);
        w->open.n--;
}

/* Tells a name, and where it stands, once to each sequence: in the packet that first needs it. */
static uint64_t intern_name(struct writer *w, uint32_t index, const char *name, const ps_source_place *place)
{
        uint64_t id = index + UINT64_C(1);
        if (w->told[index] == w->loc + 1)
                return id;
        w->told[index] = w->loc + 1;
        ps_proto_varint(&w->inner, INTERNED_ID, id);
        ps_proto_text(&w->inner, INTERNED_TEXT, name);
        ps_proto_message(&w->text, INTERNED_NAME, &w->inner);
        if (place && place->file && place->line) {
                ps_proto_varint(&w->inner, INTERNED_ID, id);
                ps_proto_text(&w->inner, INTERNED_TEXT, place->file);
                ps_proto_varint(&w->inner, SOURCE_LINE, place->line);
                ps_proto_message(&w->text, INTERNED_SOURCE, &w->inner);
        }
        ps_proto_message(&w->packet, PACKET_INTERNED, &w->text);
        return id;
}

static category category_of(const struct writer *w, ps_path path, ps_op op)
{
        return op != PS_NONE && ps_op_path(&w->report->trace->ops[w->loc], op) == path ? OPERATION : FUNCTION;
}

static int compare_flows(const void *a, const void *b)
{
        const struct flow *x = a, *y = b;
        return ps_refs_compare(&x->at, &y->at);
}

static void put_flows(struct writer *w, ps_op op)
{
        const struct flow key = {{w->loc, op}, 0, 0};
        uint32_t low = 0;
        PS_SEARCH(low, w->n_flows, i, compare_flows(&w->flow[i], &key) < 0)
        for (; low < w->n_flows && compare_flows(&w->flow[low], &key) == 0; low++)
                ps_proto_fixed64(&w->event, w->flow[low].ends ? EVENT_FLOW_ENDS : EVENT_FLOW,
                                 w->flow[low].id);
}

/* The n-th operation of all members of a communicator is one. */
static void put_correlation(struct writer *w, ps_op op)
{
        const ps_trace *trace = w->report->trace;
        const ps_ops *ops = &trace->ops[w->loc];
        if (ps_kinds[ops->kind[op]].cls == PS_C_COLL && ops->flags[op] & PS_OP_MATCHED)
                ps_proto_varint(&w->event, EVENT_CORRELATION, ps_loan_operation(&w->loan, op) + UINT64_C(1));
}

static void put_begin(struct writer *w, ps_time time, ps_path path, ps_op op)
{
        category kind = category_of(w, path, op);
        const ps_source_place *place = NULL;
        if (w->status == PS_OK)
                w->status = ps_sources_of(w->report->sources, path, &place, w->err);
        uint64_t name = intern_name(w, path, ps_site_call(w->report, path), place);
        ps_proto_varint(&w->event, EVENT_TYPE, BEGINS);
        ps_proto_varint(&w->event, EVENT_CATEGORY, kind + UINT64_C(1));
        ps_proto_varint(&w->event, EVENT_NAME, name);
        if (place && place->file && place->line)
                ps_proto_varint(&w->event, EVENT_SOURCE, name);
        if (kind == OPERATION) {
                put_flows(w, op);
                put_correlation(w, op);
        }
        put_event(w, time);
        if (PS_PUSH(w->open, (struct slice){path, kind == OPERATION ? op : PS_NONE}) && w->status == PS_OK)
                w->status = PS_NOMEM(w->err, "open slices", w->open.n);
}

static bool is_below(const ps_trace *trace, ps_path path, ps_path above)
{
        while (path > above)
                path = trace->paths[path].parent;
        return path == above;
}

/* Closes what the stretch is not in. A slice of an operation goes on only in the operation itself. */
static void close_others(struct writer *w, ps_time time, ps_path path, ps_op op)
{
        while (w->open.n) {
                const struct slice *top = &w->open.row[w->open.n - 1];
                bool is_other = op != PS_NONE && top->path == path && top->op != op;
                if (!is_other && is_below(w->report->trace, path, top->path))
                        return;
                put_end(w, time);
        }
}

/* Call paths may be of any depth: they are listed from the inside, and opened from the outside. */
static void open_down_to(struct writer *w, ps_time time, ps_path path, ps_op op)
{
        ps_path top = w->open.n ? w->open.row[w->open.n - 1].path : 0, inmost = path;
        int failed = 0;
        for (w->way.n = 0; path != top; path = w->report->trace->paths[path].parent)
                failed |= PS_PUSH(w->way, path);
        if (failed && w->status == PS_OK)
                w->status = PS_NOMEM(w->err, "call paths", w->way.n);
        while (w->way.n-- > 0 && w->status == PS_OK)
                put_begin(w, time, w->way.row[w->way.n], w->way.row[w->way.n] == inmost ? op : PS_NONE);
}

/* A wait is cut where the focus begins and ends. */
static void put_wait_part(struct writer *w, const ps_lane_stretch *s, ps_time begin, ps_time end)
{
        bool is_inside = ps_focus_clip(w->report->timing->focus, begin, end) > 0;
        uint32_t n_paths = w->report->trace->n_paths;
        if (begin >= end)
                return;
        uint64_t name = intern_name(w, n_paths + s->pattern, ps_pattern_at(s->pattern)->title, NULL);
        ps_proto_varint(&w->event, EVENT_TYPE, BEGINS);
        ps_proto_varint(&w->event, EVENT_CATEGORY, (is_inside ? WAIT : WAIT_OUTSIDE) + UINT64_C(1));
        ps_proto_varint(&w->event, EVENT_NAME, name);
        put_event(w, begin);
        w->open.n++;
        put_end(w, end);
}

static void put_wait(struct writer *w, const ps_lane_stretch *s)
{
        const ps_focus *focus = w->report->timing->focus;
        ps_time at = s->begin;
        for (uint32_t i = 0; focus && i < focus->n_spans; i++) {
                const ps_time cuts[2] = {focus->span[i].begin, focus->span[i].end};
                for (unsigned k = 0; k < 2; k++) {
                        if (cuts[k] <= at || cuts[k] >= s->end)
                                continue;
                        put_wait_part(w, s, at, cuts[k]);
                        at = cuts[k];
                }
        }
        put_wait_part(w, s, at, s->end);
}

/* A record outside of any call: an operation without time. */
static void put_record(struct writer *w, const ps_lane_stretch *s)
{
        uint8_t kind = w->report->trace->ops[w->loc].kind[s->op];
        uint32_t index = w->report->trace->n_paths + PS_MAX_PATTERNS + kind;
        uint64_t name = intern_name(w, index, ps_kinds[kind].name, NULL);
        ps_proto_varint(&w->event, EVENT_TYPE, BEGINS);
        ps_proto_varint(&w->event, EVENT_CATEGORY, OPERATION + UINT64_C(1));
        ps_proto_varint(&w->event, EVENT_NAME, name);
        put_flows(w, s->op);
        put_correlation(w, s->op);
        put_event(w, s->begin);
        w->open.n++;
        put_end(w, s->begin);
}

static void put_stretch(void *ctx, const ps_lane_stretch *s)
{
        struct writer *w = ctx;
        if (w->status != PS_OK || ps_output_failed(w->out))
                return;
        if (s->op != PS_NONE && w->report->trace->ops[w->loc].flags[s->op] & PS_OP_BARE) {
                close_others(w, s->begin, s->path, PS_NONE);
                open_down_to(w, s->begin, s->path, PS_NONE);
                if (PS_ROOM(w->open.row, w->open.n, w->open.cap) == 0)
                        put_record(w, s);
                return;
        }
        close_others(w, s->begin, s->path, s->op);
        open_down_to(w, s->begin, s->path, s->op);
        if (s->pattern != PS_NONE && PS_ROOM(w->open.row, w->open.n, w->open.cap) == 0)
                put_wait(w, s);
}

/* -- all of it -- */

static ps_status list_flows(struct writer *w, const ps_sites *sites)
{
        w->flow = ps_memory_zeroed(sites->n + (size_t)1, 2 * sizeof(*w->flow));
        if (!w->flow)
                return PS_NOMEM(w->err, "flows", sites->n);
        for (uint32_t i = 0; i < sites->n; i++) {
                const ps_instance *worst = &sites->row[i].largest->finding->worst;
                if (sites->row[i].largest->pattern->is_view || worst->partner.op == PS_NONE ||
                    worst->at.op == PS_NONE)
                        continue;
                ps_time *const *enter = w->report->timing->enter;
                bool is_first =
                        enter[worst->at.loc][worst->at.op] < enter[worst->partner.loc][worst->partner.op];
                w->flow[w->n_flows++] = (struct flow){worst->partner, i + UINT64_C(1), is_first};
                w->flow[w->n_flows++] = (struct flow){worst->at, i + UINT64_C(1), !is_first};
        }
        if (w->n_flows)
                qsort(w->flow, w->n_flows, sizeof(*w->flow), compare_flows);
        return PS_OK;
}

static void put_thread_track(struct writer *w, ps_loc loc)
{
        const ps_location_info *info = ps_timing_info(w->report->trace, w->report->timing, loc);
        if (w->report->trace->defs.locations.row[loc].type != PS_LOCATION_CPU || info->first > info->last)
                return;
        w->loc = loc;
        put_thread(w, loc);
        begin_sequence(w);
        ps_status status = ps_lanes_walk(w->lanes, &w->loan, loc, put_stretch, w, w->err);
        w->status = w->status == PS_OK ? status : w->status;
        while (w->open.n)
                put_end(w, info->last);
}

static ps_status put_all(struct writer *w, const ps_sites *sites)
{
        const ps_trace *trace = w->report->trace;
        w->told = ps_memory_zeroed((size_t)trace->n_paths + PS_MAX_PATTERNS + PS_K_COUNT, sizeof(*w->told));
        if (!w->told)
                return PS_NOMEM(w->err, "names", trace->n_paths);
        PS_TRY(list_flows(w, sites));
        put_ranks(w);
        for (ps_loc loc = 0; loc < trace->n_locs && w->status == PS_OK && !ps_output_failed(w->out); loc++)
                put_thread_track(w, loc);
        return w->status == PS_OK ? flush_packets(w) : w->status;
}

ps_status ps_report_write_perfetto(const ps_report *report, ps_output *out, ps_error *err)
{
        ps_lanes lanes = {0};
        struct writer w = {.report = report, .lanes = &lanes, .out = out, .err = err};
        ps_sites *sites = NULL;
        ps_status status = ps_sites_new(&sites, report, true, err);
        PS_THEN(status, ps_lanes_make(&lanes, report, sites, PS_LANES_OF_PATTERNS, err));
        PS_THEN(status, put_all(&w, sites));
        ps_lanes_clear(&lanes);
        ps_sites_free(sites);
        free(w.flow);
        free(w.told);
        free(w.open.row);
        free(w.way.row);
        ps_proto_free(&w.gathered);
        ps_proto_free(&w.packet);
        ps_proto_free(&w.event);
        ps_proto_free(&w.inner);
        ps_proto_free(&w.text);
        return status;
}
