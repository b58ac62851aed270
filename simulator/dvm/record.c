/* record.c - the simulated run as a trace: a location for each processor of the grid.
 *
 * Intervals, loops' bodies, calls that communicate and input and output are regions; so is what all
 * processors do at one place of the program. At the end everybody waits for the last one. Inside a call, its
 * operations are regions of their own, so that one call may meet, start and send: the meeting is a barrier or
 * part of a collective operation, transfers that go on by themselves are messages, reductions nonblocking
 * collective operations. Remote elements are fetched by whoever needs them, whenever it gets there:
 * one-sided. */
#include "simulator/dvm/record.h"
#include "core/base/vector.h"
#include "simulator/dvm/recorder.h"

#include <stdlib.h>
#include <string.h>

static void put_event(struct ps_dvm_sim *sim, uint32_t processor, ps_event event)
{
        struct ps_dvm_recorder *r = sim->recorder;
        PS_THEN(r->status, ps_recording_add(r->recording, processor, &event, &r->err));
}

static void leave_region(struct ps_dvm_sim *sim, uint32_t processor, ps_region region, ps_time time)
{
        put_event(sim, processor, (ps_event){.time = time, .kind = PS_EV_LEAVE, .ref = region});
}

/* With the place in the program that the call stands at, as a call site. */
static void enter_from(struct ps_dvm_sim *sim, const ps_dvm_call *call, uint32_t processor, ps_region region,
                       ps_time time)
{
        put_event(sim, processor,
                  (ps_event){.time = time,
                             .kind = PS_EV_ENTER,
                             .ref = region,
                             .site_file = ps_dvm_file_of(sim, call->file),
                             .site_line =
                                     call->line > 0 && call->line < UINT32_MAX ? (uint32_t)call->line : 0});
}

static void enter_region(struct ps_dvm_sim *sim, uint32_t processor, ps_region region, ps_time time)
{
        enter_from(sim, sim->call, processor, region, time);
}

static void enter_interval(struct ps_dvm_sim *sim, uint32_t processor, uint32_t interval)
{
        struct ps_dvm_recorder *r = sim->recorder;
        struct ps_dvm_inside *in = &r->inside[processor];
        if (PS_APPEND(in->interval, in->n, in->cap, interval)) {
                r->status = PS_NOMEM(&r->err, "intervals", in->n);
                return;
        }
        enter_region(sim, processor, ps_dvm_interval_region(sim, interval), sim->clock[processor]);
}

/* Only the innermost one: another system of processors may have entered it. */
static void leave_interval(struct ps_dvm_sim *sim, uint32_t processor, uint32_t interval)
{
        struct ps_dvm_inside *in = &sim->recorder->inside[processor];
        if (!in->n || in->interval[in->n - 1] != interval)
                return;
        in->n--;
        leave_region(sim, processor, ps_dvm_interval_region(sim, interval), sim->clock[processor]);
}

ps_status ps_dvm_record_begin(struct ps_dvm_sim *sim, ps_error *err)
{
        struct ps_dvm_recorder *r = sim->recorder = calloc(1, sizeof(*r));
        if (!r)
                return PS_NOMEM(err, "recorder", 1);
        PS_TRY(ps_recording_new(&r->recording, "dvm", err));
        r->inside = calloc(sim->n_processors, sizeof(*r->inside));
        if (!r->inside)
                return PS_NOMEM(err, "processors", sim->n_processors);
        PS_TRY(ps_dvm_define(sim, err));
        for (uint32_t p = 0; p < sim->n_processors; p++)
                put_event(sim, p, (ps_event){.time = 0, .kind = PS_EV_ENTER, .ref = r->interval[0]});
        return PS_OK;
}

ps_status ps_dvm_record_end(struct ps_dvm_sim *sim, ps_error *err)
{
        struct ps_dvm_recorder *r = sim->recorder;
        const ps_dvm_call end = {.file = sim->dvm->exit_file, .line = sim->dvm->exit_line};
        for (uint32_t p = 0; p < sim->n_processors; p++) {
                while (r->inside[p].n)
                        leave_interval(sim, p, r->inside[p].interval[r->inside[p].n - 1]);
                enter_from(sim, &end, p, r->operation[R_EXIT], sim->clock[p]);
                leave_region(sim, p, r->operation[R_EXIT], sim->run->duration);
                leave_region(sim, p, r->interval[0], sim->run->duration);
        }
        if (r->status != PS_OK) {
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
        ps_map_free(&r->loop);
        ps_map_free(&r->place);
        ps_map_free(&r->region);
        ps_map_free(&r->comm_of);
        ps_map_free(&r->file);
        for (uint32_t p = 0; r->inside && p < sim->n_processors; p++)
                free(r->inside[p].interval);
        free(r->inside);
        free(r->interval);
        free(r);
        sim->recorder = NULL;
}

/* -- events -- */

void ps_dvm_record_call(struct ps_dvm_sim *sim, int begins)
{
        const ps_dvm_system *s = sim->current;
        if (!sim->recorder)
                return;
        if (begins) /* once it is done, it may look different */
                sim->recorder->in_operation = ps_dvm_is_operation(sim);
        ps_region region = ps_dvm_function_region(sim, sim->recorder->in_operation);
        for (uint32_t i = 0; i < s->n; i++)
                (begins ? enter_region : leave_region)(sim, s->processor[i], region,
                                                       sim->clock[s->processor[i]]);
}

void ps_dvm_record_interval(struct ps_dvm_sim *sim, uint32_t interval, int begins)
{
        const ps_dvm_system *s = sim->current;
        if (!sim->recorder)
                return;
        for (uint32_t i = 0; i < s->n; i++)
                (begins ? enter_interval : leave_interval)(sim, s->processor[i], interval);
}

void ps_dvm_record_loop(struct ps_dvm_sim *sim, uint32_t processor, uint32_t copies, int begins)
{
        if (sim->recorder)
                (begins ? enter_region : leave_region)(sim, processor,
                                                       ps_dvm_place_region(sim, sim->call, P_WAVE, copies),
                                                       sim->clock[processor]);
}

void ps_dvm_record_wave_end(struct ps_dvm_sim *sim, uint32_t processor)
{
        if (!sim->recorder)
                return;
        enter_region(sim, processor, sim->recorder->operation[R_WAIT], sim->clock[processor]);
        leave_region(sim, processor, sim->recorder->operation[R_WAIT], sim->clock[processor]);
}

void ps_dvm_record_body(struct ps_dvm_sim *sim, uint32_t processor, uint32_t copies, ps_time time)
{
        if (!sim->recorder)
                return;
        ps_region region = ps_dvm_place_region(sim, sim->call, P_LOOP, copies);
        enter_region(sim, processor, region, sim->clock[processor]);
        leave_region(sim, processor, region, ps_time_add(sim->clock[processor], time));
}

bool ps_dvm_record_is_elsewhere(const struct ps_dvm_sim *sim)
{
        const ps_dvm_call *charged = sim->recorder ? sim->recorder->charged : NULL;
        return charged && (charged->file != sim->call->file || charged->line != sim->call->line);
}

void ps_dvm_record_charge(struct ps_dvm_sim *sim)
{
        if (sim->recorder)
                sim->recorder->charged = sim->call;
}

void ps_dvm_record_settled(struct ps_dvm_sim *sim)
{
        if (sim->recorder)
                sim->recorder->charged = NULL;
}

static ps_time record_stretch(struct ps_dvm_sim *sim, uint32_t processor, enum place_region which,
                              ps_time begin, ps_time time)
{
        const ps_dvm_call *call = sim->recorder->charged ? sim->recorder->charged : sim->call;
        if (time <= 0)
                return begin;
        ps_region region = ps_dvm_place_region(sim, call, which, sim->current->n);
        enter_from(sim, call, processor, region, begin);
        leave_region(sim, processor, region, ps_time_add(begin, time));
        return ps_time_add(begin, time);
}

void ps_dvm_record_common(struct ps_dvm_sim *sim, uint32_t processor, ps_time cpu, ps_time system)
{
        if (!sim->recorder)
                return;
        ps_time end = record_stretch(sim, processor, P_CODE, sim->clock[processor], cpu);
        record_stretch(sim, processor, P_LIBRARY, end, system);
}

void ps_dvm_record_io(struct ps_dvm_sim *sim, uint32_t processor, ps_time time)
{
        if (!sim->recorder)
                return;
        ps_region region = ps_dvm_function_region(sim, 1);
        enter_region(sim, processor, region, sim->clock[processor]);
        leave_region(sim, processor, region, ps_time_add(sim->clock[processor], time));
}

/* -- operations -- */

/* The sender is busy until the message is there, yet does not wait for its receiver. */
void ps_dvm_record_pass(struct ps_dvm_sim *sim, uint32_t source, uint32_t destination, uint64_t bytes,
                        ps_time begin, ps_time end)
{
        struct ps_dvm_recorder *r = sim->recorder;
        if (!r)
                return;
        uint64_t request = r->next_request++;
        enter_region(sim, source, r->operation[R_SEND], begin);
        put_event(sim, source,
                  (ps_event){.time = begin,
                             .kind = PS_EV_ISEND,
                             .peer = destination,
                             .bytes = bytes,
                             .request = request});
        leave_region(sim, source, r->operation[R_SEND], end);
        enter_region(sim, source, r->operation[R_WAIT], end);
        put_event(sim, source, (ps_event){.time = end, .kind = PS_EV_ISEND_DONE, .request = request});
        leave_region(sim, source, r->operation[R_WAIT], end);
}

void ps_dvm_record_take(struct ps_dvm_sim *sim, uint32_t processor, uint32_t source, uint64_t bytes,
                        ps_time begin, ps_time end)
{
        struct ps_dvm_recorder *r = sim->recorder;
        if (!r)
                return;
        enter_region(sim, processor, r->operation[R_TAKE], begin);
        put_event(sim, processor,
                  (ps_event){.time = end, .kind = PS_EV_RECV, .peer = source, .bytes = bytes});
        leave_region(sim, processor, r->operation[R_TAKE], end);
}

/* The bytes that each processor of the grid sends and receives in the gathered transfers. */
static uint64_t *volumes(struct ps_dvm_sim *sim)
{
        uint64_t *volume = calloc(sim->n_processors, 2 * sizeof(*volume));
        if (!volume)
                sim->recorder->status = PS_NOMEM(&sim->recorder->err, "processors", sim->n_processors);
        for (size_t i = 0; volume && i < sim->moves.n; i++) {
                volume[(size_t)2 * sim->moves.row[i].source] += sim->moves.row[i].bytes;
                volume[(size_t)2 * sim->moves.row[i].destination + 1] += sim->moves.row[i].bytes;
        }
        return volume;
}

void ps_dvm_record_meeting(struct ps_dvm_sim *sim, ps_time end, int moves_data)
{
        const ps_dvm_system *s = sim->current;
        if (!sim->recorder || sim->recorder->status != PS_OK)
                return;
        uint64_t *volume = moves_data ? volumes(sim) : NULL;
        ps_region region = sim->recorder->operation[moves_data ? R_EXCHANGE : R_MEET];
        ps_comm comm = ps_dvm_comm_of(sim, s);
        for (uint32_t i = 0; i < s->n; i++) {
                uint32_t p = s->processor[i];
                enter_region(sim, p, region, sim->clock[p]);
                put_event(sim, p, (ps_event){.time = sim->clock[p], .kind = PS_EV_COLL_BEGIN});
                put_event(sim, p,
                          (ps_event){.time = end,
                                     .kind = PS_EV_COLL_END,
                                     .op = moves_data ? PS_K_ALLTOALLV : PS_K_BARRIER,
                                     .comm = comm,
                                     .peer = PS_NONE,
                                     .bytes = volume ? volume[(size_t)2 * p] : 0,
                                     .received = volume ? volume[(size_t)2 * p + 1] : 0});
                leave_region(sim, p, region, end);
        }
        free(volume);
}

static void start_reduction(struct ps_dvm_sim *sim, const struct ps_dvm_pending *pending)
{
        const ps_dvm_system *s = sim->current;
        ps_region region = sim->recorder->operation[R_REDUCE];
        for (uint32_t i = 0; i < s->n; i++) {
                uint32_t p = s->processor[i];
                enter_region(sim, p, region, sim->clock[p]);
                put_event(sim, p,
                          (ps_event){.time = sim->clock[p],
                                     .kind = PS_EV_NBC_REQUEST,
                                     .request = pending->request});
                leave_region(sim, p, region, sim->clock[p]);
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
                enter_region(sim, p, region, sim->clock[p]);
                put_event(sim, p,
                          (ps_event){.time = sim->clock[p],
                                     .kind = kinds[how],
                                     .peer = how == R_SEND ? t->destination : t->source,
                                     .bytes = t->bytes,
                                     .request = pending->request + 2 * i + (how != R_SEND)});
                leave_region(sim, p, region, sim->clock[p]);
        }
}

void ps_dvm_record_start(struct ps_dvm_sim *sim, struct ps_dvm_pending *pending, bool is_reduction,
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
        ps_comm comm = ps_dvm_comm_of(sim, s);
        for (uint32_t i = 0; i < s->n; i++) {
                uint32_t p = s->processor[i];
                put_event(sim, p,
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
                        put_event(sim, t->source,
                                  (ps_event){.time = sim->clock[t->source],
                                             .kind = PS_EV_ISEND_DONE,
                                             .request = pending->request + 2 * i});
                else
                        put_event(sim, t->source,
                                  (ps_event){.time = sim->clock[t->source], .kind = PS_EV_RMA_WAIT_CHANGE});
                put_event(sim, t->destination,
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
                enter_region(sim, s->processor[i], r->operation[R_WAIT], sim->clock[s->processor[i]]);
        if (begins)
                return;
        if (pending->transfers)
                finish_transfers(sim, pending);
        else
                finish_reduction(sim, pending);
        for (uint32_t i = 0; i < s->n; i++)
                leave_region(sim, s->processor[i], r->operation[R_WAIT], sim->clock[s->processor[i]]);
        free(pending->transfers);
        pending->transfers = NULL;
}
