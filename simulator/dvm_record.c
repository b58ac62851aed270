/* dvm_record.c - the simulated run as a trace: a location for each processor of the grid.
 *
 * Intervals, loops' bodies, calls that communicate and input and output are regions; what else the run-time
 * system does is time of the program. Inside a call, its operations are regions of their own, so that one
 * call may meet, start and send: the meeting is a barrier or part of a collective operation, transfers that
 * go on by themselves are messages, reductions nonblocking collective operations. Remote elements are fetched
 * by whoever needs them, whenever it gets there: one-sided. */
#include "simulator/dvm_state.h"

#include "core/kinds.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Regions of operations: RECORD_REGION(ID, name, kind, nonblocking) */
#define RECORD_REGIONS(RECORD_REGION)                                                                        \
        RECORD_REGION(MEET, "meeting", BARRIER, 0)                                                           \
        RECORD_REGION(EXCHANGE, "exchange", ALLTOALLV, 0)                                                    \
        RECORD_REGION(REDUCE, "reduction", ALLREDUCE, 1)                                                     \
        RECORD_REGION(SEND, "send", ISEND, 0)                                                                \
        RECORD_REGION(RECEIVE, "receive", IRECV, 0)                                                          \
        RECORD_REGION(FETCH, "fetch", GET, 0)                                                                \
        RECORD_REGION(TAKE, "take", RECV, 0)                                                                 \
        RECORD_REGION(WAIT, "wait", WAITALL, 0)

enum operation_region {
#define ID(id, name, kind, nonblocking) R_##id,
        RECORD_REGIONS(ID)
#undef ID
                N_OPERATIONS
};

struct ps_dvm_recorder {
        ps_recording *recording; /* NULL once it was handed out */
        ps_region operation[N_OPERATIONS];
        ps_region *interval;              /* by interval */
        ps_region function[PS_DVM_COUNT]; /* PS_NONE: not met yet */
        ps_map loop_at;                   /* by file and line of the program: the region of its body */
        ps_map comm_of;                   /* by the address of a system: its communicator */
        ps_map file;                      /* by string of the trace: string of the recording */
        uint64_t next_request;
        ps_status status;
        ps_error err;
};

/* -- definitions
 * ------------------------------------------------------------------------------------------ */

static ps_str name_of(ps_defs *defs, const char *text)
{
        ps_str name = ps_strings_addz(defs->strings, text);
        return name == PS_NONE ? 0 : name;
}

static ps_status add_region(ps_defs *defs, const char *name, const char *file, int64_t line, uint8_t role,
                            uint8_t paradigm, ps_region *out, ps_error *err)
{
        ps_region_def def = {.name = name_of(defs, name),
                             .file = file && *file ? name_of(defs, file) : 0,
                             .line = line > 0 && line < UINT32_MAX ? (uint32_t)line : 0,
                             .role = role,
                             .paradigm = paradigm};
        return ps_defs_add_region(defs, &def, out, err);
}

static ps_status define_processors(struct ps_dvm_sim *sim, ps_defs *defs, ps_error *err)
{
        ps_status status = PS_OK;
        for (uint32_t p = 0; p < sim->n_processors && status == PS_OK; p++) {
                char name[32];
                snprintf(name, sizeof(name), "processor %" PRIu32, p);
                ps_process_def process = {.name = name_of(defs, name)};
                ps_location_def location = {
                        .name = process.name, .process = p, .native = p, .n_events = UINT64_MAX};
                status = ps_defs_add_process(defs, &process, NULL, err);
                if (status == PS_OK)
                        status = ps_defs_add_location(defs, &location, NULL, err);
        }
        return status;
}

static ps_status define_operations(struct ps_dvm_recorder *r, ps_defs *defs, ps_error *err)
{
        static const struct {
                const char *name;
                uint8_t kind, nonblocking;
        } rows[] = {
#define ROW(id, name, kind, nonblocking) {name, PS_K_##kind, nonblocking},
                RECORD_REGIONS(ROW)
#undef ROW
        };
        ps_status status = PS_OK;
        for (int i = 0; i < N_OPERATIONS && status == PS_OK; i++) {
                ps_region_def def = {.name = name_of(defs, rows[i].name),
                                     .paradigm = PS_PARADIGM_OTHER,
                                     .kind = rows[i].kind,
                                     .nonblocking = rows[i].nonblocking,
                                     .given = 1};
                status = ps_defs_add_region(defs, &def, &r->operation[i], err);
        }
        return status;
}

static ps_status define_intervals(struct ps_dvm_sim *sim, struct ps_dvm_recorder *r, ps_defs *defs,
                                  ps_error *err)
{
        const ps_dvm *dvm = sim->dvm;
        ps_status status = PS_OK;
        r->interval = calloc(dvm->intervals.n ? dvm->intervals.n : 1, sizeof(*r->interval));
        if (!r->interval)
                return PS_NOMEM(err, "intervals", dvm->intervals.n);
        for (uint32_t i = 1; i < dvm->intervals.n && status == PS_OK; i++) {
                const ps_dvm_interval *row = &dvm->intervals.row[i];
                const char *file = ps_dvm_str(dvm, row->file);
                char name[160];
                int n = snprintf(name, sizeof(name), "interval %.100s:%" PRId64, file, row->line);
                if (row->expr != PS_DVM_NO_EXPR)
                        snprintf(name + n, sizeof(name) - (size_t)n, " (%" PRId64 ")", row->expr);
                status = add_region(defs, name, file, row->line, PS_ROLE_PHASE, PS_PARADIGM_USER,
                                    &r->interval[i], err);
        }
        return status;
}

/* The communicator of a system, made when it is met for the first time. */
static ps_comm comm_of(struct ps_dvm_sim *sim, const ps_dvm_system *system)
{
        struct ps_dvm_recorder *r = sim->recorder;
        uintptr_t key = (uintptr_t)system;
        ps_defs *defs = ps_recording_defs(r->recording);
        ps_time *at = ps_map_at(&r->comm_of, (uint32_t)(key >> 32), (uint32_t)key, -1);
        if (at && *at < 0) {
                uint32_t *members = PS_ARENA_NEW(defs->arena, uint32_t, system->n), id = 0;
                ps_comm_def def = {.name = name_of(defs, system == sim->root ? "grid" : "processor system"),
                                   .parent = PS_NONE,
                                   .n_members = system->n,
                                   .members = members};
                if (!members)
                        r->status = PS_NOMEM(&r->err, "processors", system->n);
                else {
                        memcpy(members, system->processor, system->n * sizeof(*members));
                        r->status = ps_defs_add_comm(defs, &def, &id, &r->err);
                }
                *at = id;
        }
        if (!at)
                r->status = PS_NOMEM(&r->err, "processor systems", 1);
        return at ? (ps_comm)*at : 0;
}

ps_status ps_dvm_record_begin(struct ps_dvm_sim *sim, ps_error *err)
{
        struct ps_dvm_recorder *r = sim->recorder = calloc(1, sizeof(*r));
        if (!r)
                return PS_NOMEM(err, "recorder", 1);
        for (int i = 0; i < PS_DVM_COUNT; i++)
                r->function[i] = PS_NONE;
        ps_status status = ps_recording_new(&r->recording, "dvm", err);
        if (status < 0)
                return status;
        ps_defs *defs = ps_recording_defs(r->recording);
        defs->creator = name_of(defs, "simulated from a DVM trace");
        status = define_processors(sim, defs, err);
        if (status == PS_OK)
                status = define_operations(r, defs, err);
        if (status == PS_OK)
                status = define_intervals(sim, r, defs, err);
        if (status < 0)
                return status;
        ps_window_def window = {.name = name_of(defs, "remote elements"), .comm = comm_of(sim, sim->root)};
        return r->status < 0 ? r->status : ps_defs_add_window(defs, &window, NULL, err);
}

ps_status ps_dvm_record_end(struct ps_dvm_sim *sim, ps_error *err)
{
        struct ps_dvm_recorder *r = sim->recorder;
        if (r->status < 0) {
                *err = r->err;
                return r->status;
        }
        sim->run->recording = r->recording;
        r->recording = NULL;
        return PS_OK;
}

void ps_dvm_record_free(struct ps_dvm_sim *sim)
{
        struct ps_dvm_recorder *r = sim->recorder;
        if (!r)
                return;
        ps_recording_free(r->recording);
        ps_map_free(&r->loop_at);
        ps_map_free(&r->comm_of);
        ps_map_free(&r->file);
        free(r->interval);
        free(r);
        sim->recorder = NULL;
}

/* -- events
 * ------------------------------------------------------------------------------------------ */

static void put(struct ps_dvm_sim *sim, uint32_t processor, ps_event event)
{
        struct ps_dvm_recorder *r = sim->recorder;
        if (r->status == PS_OK)
                r->status = ps_recording_add(r->recording, processor, &event, &r->err);
}

/* The place in the program that the call stands at, as a call site. */
static ps_event here(struct ps_dvm_sim *sim, ps_event event)
{
        struct ps_dvm_recorder *r = sim->recorder;
        const ps_dvm_call *call = sim->call;
        ps_time *file = ps_map_at(&r->file, call->file, 0, -1);
        if (file && *file < 0)
                *file = name_of(ps_recording_defs(r->recording), ps_dvm_str(sim->dvm, call->file));
        event.site_file = file ? (ps_str)*file : 0;
        event.site_line = call->line > 0 && call->line < UINT32_MAX ? (uint32_t)call->line : 0;
        return event;
}

static void enter(struct ps_dvm_sim *sim, uint32_t processor, ps_region region, ps_time time)
{
        put(sim, processor, here(sim, (ps_event){.time = time, .kind = PS_EV_ENTER, .ref = region}));
}

static void leave(struct ps_dvm_sim *sim, uint32_t processor, ps_region region, ps_time time)
{
        put(sim, processor, (ps_event){.time = time, .kind = PS_EV_LEAVE, .ref = region});
}

static ps_region function_region(struct ps_dvm_sim *sim)
{
        struct ps_dvm_recorder *r = sim->recorder;
        ps_region *region = &r->function[sim->call->function];
        if (*region == PS_NONE && r->status == PS_OK)
                r->status = add_region(ps_recording_defs(r->recording), ps_dvm_str(sim->dvm, sim->call->name),
                                       NULL, 0, PS_ROLE_FUNCTION,
                                       sim->call->cls == PS_DVM_C_IO ? PS_PARADIGM_IO : PS_PARADIGM_OTHER,
                                       region, &r->err);
        return *region;
}

void ps_dvm_record_call(struct ps_dvm_sim *sim, int begins)
{
        const ps_dvm_system *s = sim->current;
        if (!sim->recorder)
                return;
        ps_region region = function_region(sim);
        for (uint32_t i = 0; i < s->n; i++)
                (begins ? enter : leave)(sim, s->processor[i], region, sim->clock[s->processor[i]]);
}

void ps_dvm_record_interval(struct ps_dvm_sim *sim, uint32_t interval, int begins)
{
        const ps_dvm_system *s = sim->current;
        if (!sim->recorder)
                return;
        ps_region region = sim->recorder->interval[interval];
        for (uint32_t i = 0; i < s->n; i++)
                (begins ? enter : leave)(sim, s->processor[i], region, sim->clock[s->processor[i]]);
}

/* The region of the loop that ends here. */
static ps_region loop_region(struct ps_dvm_sim *sim)
{
        struct ps_dvm_recorder *r = sim->recorder;
        const ps_dvm_call *call = sim->call;
        ps_time *at = ps_map_at(&r->loop_at, call->file, (uint32_t)call->line, -1);
        if (at && *at < 0) {
                const char *file = ps_dvm_str(sim->dvm, call->file);
                char name[160];
                ps_region region = 0;
                snprintf(name, sizeof(name), "loop %.100s:%" PRId64, file, call->line);
                if (r->status == PS_OK)
                        r->status = add_region(ps_recording_defs(r->recording), name, file, call->line,
                                               PS_ROLE_LOOP, PS_PARADIGM_USER, &region, &r->err);
                *at = region;
        }
        return at ? (ps_region)*at : 0;
}

void ps_dvm_record_loop(struct ps_dvm_sim *sim, uint32_t processor, int begins)
{
        if (sim->recorder)
                (begins ? enter : leave)(sim, processor, loop_region(sim), sim->clock[processor]);
}

void ps_dvm_record_body(struct ps_dvm_sim *sim, uint32_t processor, ps_time time)
{
        if (!sim->recorder)
                return;
        ps_region region = loop_region(sim);
        enter(sim, processor, region, sim->clock[processor]);
        leave(sim, processor, region, ps_time_add(sim->clock[processor], time));
}

void ps_dvm_record_io(struct ps_dvm_sim *sim, uint32_t processor, ps_time time)
{
        if (!sim->recorder)
                return;
        ps_region region = function_region(sim);
        enter(sim, processor, region, sim->clock[processor]);
        leave(sim, processor, region, ps_time_add(sim->clock[processor], time));
}

/* -- operations
 * ------------------------------------------------------------------------------------------ */

/* The sender is busy until the message is there, yet does not wait for its receiver. */
void ps_dvm_record_pass(struct ps_dvm_sim *sim, uint32_t source, uint32_t destination, uint64_t bytes,
                        ps_time begin, ps_time end)
{
        struct ps_dvm_recorder *r = sim->recorder;
        if (!r)
                return;
        uint64_t request = r->next_request++;
        enter(sim, source, r->operation[R_SEND], begin);
        put(sim, source,
            (ps_event){.time = begin,
                       .kind = PS_EV_ISEND,
                       .peer = destination,
                       .bytes = bytes,
                       .request = request});
        leave(sim, source, r->operation[R_SEND], end);
        enter(sim, source, r->operation[R_WAIT], end);
        put(sim, source, (ps_event){.time = end, .kind = PS_EV_ISEND_DONE, .request = request});
        leave(sim, source, r->operation[R_WAIT], end);
}

void ps_dvm_record_take(struct ps_dvm_sim *sim, uint32_t processor, uint32_t source, uint64_t bytes,
                        ps_time begin, ps_time end)
{
        struct ps_dvm_recorder *r = sim->recorder;
        if (!r)
                return;
        enter(sim, processor, r->operation[R_TAKE], begin);
        put(sim, processor, (ps_event){.time = end, .kind = PS_EV_RECV, .peer = source, .bytes = bytes});
        leave(sim, processor, r->operation[R_TAKE], end);
}

/* The bytes that each processor of the grid sends and receives in the gathered transfers. */
static uint64_t *volumes(struct ps_dvm_sim *sim)
{
        uint64_t *volume = calloc(sim->n_processors, 2 * sizeof(*volume));
        if (!volume)
                sim->recorder->status = PS_NOMEM(&sim->recorder->err, "processors", sim->n_processors);
        for (size_t i = 0; volume && i < sim->moves.n; i++) {
                volume[2 * sim->moves.row[i].source] += sim->moves.row[i].bytes;
                volume[2 * sim->moves.row[i].destination + 1] += sim->moves.row[i].bytes;
        }
        return volume;
}

void ps_dvm_record_meeting(struct ps_dvm_sim *sim, ps_time end, int moves_data)
{
        const ps_dvm_system *s = sim->current;
        if (!sim->recorder || sim->recorder->status < 0)
                return;
        uint64_t *volume = moves_data ? volumes(sim) : NULL;
        ps_region region = sim->recorder->operation[moves_data ? R_EXCHANGE : R_MEET];
        ps_comm comm = comm_of(sim, s);
        for (uint32_t i = 0; i < s->n; i++) {
                uint32_t p = s->processor[i];
                enter(sim, p, region, sim->clock[p]);
                put(sim, p, (ps_event){.time = sim->clock[p], .kind = PS_EV_COLL_BEGIN});
                put(sim, p,
                    (ps_event){.time = end,
                               .kind = PS_EV_COLL_END,
                               .op = moves_data ? PS_K_ALLTOALLV : PS_K_BARRIER,
                               .comm = comm,
                               .peer = PS_NONE,
                               .bytes = volume ? volume[2 * p] : 0,
                               .received = volume ? volume[2 * p + 1] : 0});
                leave(sim, p, region, end);
        }
        free(volume);
}

static void start_reduction(struct ps_dvm_sim *sim, const struct ps_dvm_pending *pending)
{
        const ps_dvm_system *s = sim->current;
        ps_region region = sim->recorder->operation[R_REDUCE];
        for (uint32_t i = 0; i < s->n; i++) {
                uint32_t p = s->processor[i];
                enter(sim, p, region, sim->clock[p]);
                put(sim, p,
                    (ps_event){
                            .time = sim->clock[p], .kind = PS_EV_NBC_REQUEST, .request = pending->request});
                leave(sim, p, region, sim->clock[p]);
        }
}

/* One half of each transfer, in a call of its own. */
static void start_transfers(struct ps_dvm_sim *sim, const struct ps_dvm_pending *pending,
                            enum operation_region how)
{
        static const uint8_t kinds[N_OPERATIONS] = {
                [R_SEND] = PS_EV_ISEND, [R_RECEIVE] = PS_EV_IRECV_POST, [R_FETCH] = PS_EV_RMA_GET};
        ps_region region = sim->recorder->operation[how];
        for (size_t i = 0; i < pending->n_transfers; i++) {
                const ps_transfer *t = &pending->transfers[i];
                uint32_t p = how == R_SEND ? t->source : t->destination;
                enter(sim, p, region, sim->clock[p]);
                put(sim, p,
                    (ps_event){.time = sim->clock[p],
                               .kind = kinds[how],
                               .peer = how == R_SEND ? t->destination : t->source,
                               .bytes = t->bytes,
                               .request = pending->request + 2 * i + (how != R_SEND)});
                leave(sim, p, region, sim->clock[p]);
        }
}

void ps_dvm_record_start(struct ps_dvm_sim *sim, struct ps_dvm_pending *pending, int is_reduction,
                         uint64_t bytes)
{
        struct ps_dvm_recorder *r = sim->recorder;
        if (!r)
                return;
        pending->request = r->next_request;
        pending->bytes = bytes;
        pending->n_transfers = is_reduction ? 0 : sim->moves.n;
        r->next_request += 2 * pending->n_transfers + 1;
        if (is_reduction) {
                start_reduction(sim, pending);
                return;
        }
        pending->transfers = malloc(sim->moves.n ? sim->moves.n * sizeof(ps_transfer) : 1);
        if (!pending->transfers) {
                r->status = PS_NOMEM(&r->err, "transfers", sim->moves.n);
                return;
        }
        if (sim->moves.n)
                memcpy(pending->transfers, sim->moves.row, sim->moves.n * sizeof(ps_transfer));
        if (pending->starts) {
                start_transfers(sim, pending, R_FETCH);
                return;
        }
        start_transfers(sim, pending, R_RECEIVE);
        start_transfers(sim, pending, R_SEND);
}

static void finish_reduction(struct ps_dvm_sim *sim, const struct ps_dvm_pending *pending)
{
        const ps_dvm_system *s = sim->current;
        ps_comm comm = comm_of(sim, s);
        for (uint32_t i = 0; i < s->n; i++) {
                uint32_t p = s->processor[i];
                put(sim, p,
                    (ps_event){.time = sim->clock[p],
                               .kind = PS_EV_NBC_DONE,
                               .op = PS_K_ALLREDUCE,
                               .comm = comm,
                               .peer = PS_NONE,
                               .bytes = pending->bytes,
                               .received = pending->bytes,
                               .request = pending->request});
        }
}

static void finish_transfers(struct ps_dvm_sim *sim, const struct ps_dvm_pending *pending)
{
        for (size_t i = 0; i < pending->n_transfers; i++) {
                const ps_transfer *t = &pending->transfers[i];
                if (!pending->starts)
                        put(sim, t->source,
                            (ps_event){.time = sim->clock[t->source],
                                       .kind = PS_EV_ISEND_DONE,
                                       .request = pending->request + 2 * i});
                put(sim, t->destination,
                    (ps_event){.time = sim->clock[t->destination],
                               .kind = pending->starts ? PS_EV_RMA_DONE_LOCAL : PS_EV_IRECV,
                               .peer = t->source,
                               .comm = 0,
                               .bytes = t->bytes,
                               .request = pending->request + 2 * i + 1});
        }
}

void ps_dvm_record_wait(struct ps_dvm_sim *sim, struct ps_dvm_pending *pending, int begins)
{
        const ps_dvm_system *s = sim->current;
        struct ps_dvm_recorder *r = sim->recorder;
        if (!r)
                return;
        for (uint32_t i = 0; begins && i < s->n; i++)
                enter(sim, s->processor[i], r->operation[R_WAIT], sim->clock[s->processor[i]]);
        if (begins)
                return;
        if (pending->transfers)
                finish_transfers(sim, pending);
        else
                finish_reduction(sim, pending);
        for (uint32_t i = 0; i < s->n; i++)
                leave(sim, s->processor[i], r->operation[R_WAIT], sim->clock[s->processor[i]]);
        free(pending->transfers);
        pending->transfers = NULL;
}
