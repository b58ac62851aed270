/* collectives.c - see collectives.h.
 *
 * An operation has a way in and a way out, each with a shape. Where ranks or links differ, X(b) is the
 * slowest message of the root; in a network the slowest of each stage of a tree, or between neighbours of a
 * ring. */
#include "simulator/cost/collectives.h"

#include "simulator/cost/meeting.h"

#include <string.h>

const char *const ps_shape_names[PS_N_SHAPES] = {
#define PS_SHAPE(id, name, formula) name,
#include "simulator/cost/shapes.def"
#undef PS_SHAPE
};

/* The kinds whose usual algorithm is another than LOGARITHMIC. */
static const uint8_t usual[PS_K_COUNT] = {
        [PS_K_SCATTER] = PS_SHAPE_BINOMIAL,
        [PS_K_SCATTERV] = PS_SHAPE_FLAT,
        [PS_K_GATHER] = PS_SHAPE_BINOMIAL,
        [PS_K_GATHERV] = PS_SHAPE_FLAT,
        [PS_K_ALLGATHER] = PS_SHAPE_RING,
        [PS_K_ALLGATHERV] = PS_SHAPE_RING,
        [PS_K_ALLTOALL] = PS_SHAPE_LINEAR,
        [PS_K_ALLTOALLV] = PS_SHAPE_LINEAR,
        [PS_K_ALLTOALLW] = PS_SHAPE_LINEAR,
        [PS_K_REDUCE_SCATTER] = PS_SHAPE_RING,
        [PS_K_REDUCE_SCATTER_BLOCK] = PS_SHAPE_RING,
};

void ps_collective_defaults(uint8_t collective[PS_K_COUNT][2], ps_model model)
{
        for (int kind = 0; kind < PS_K_COUNT; kind++) {
                collective[kind][0] = usual[kind] ? usual[kind] : PS_SHAPE_LOGARITHMIC;
                collective[kind][1] = PS_SHAPE_FREE;
                if (model == PS_MODEL_DIMEMAS)
                        collective[kind][0] = collective[kind][1] = PS_SHAPE_LOGARITHMIC;
        }
}

void ps_collectives_of_library(ps_machine *machine, ps_shape library)
{
        for (int kind = 0; kind < PS_K_COUNT; kind++)
                if (ps_kinds[kind].cls == PS_C_COLL) {
                        machine->collective[kind][0] = (uint8_t)library;
                        machine->collective[kind][1] = PS_SHAPE_FREE;
                }
}

/* -- shapes -- */

typedef struct operation {
        const ps_machine *machine;
        const ps_group *group;
        ps_kind kind;
        uint64_t bytes;
} operation;

static uint32_t rank_of(const operation *op, uint32_t place)
{
        return op->group->members ? op->group->members[place] : place;
}

/* The slowest of the messages that members which are `step` places apart send, each `every` places; places
 * are counted from the root. */
static ps_time slowest(const operation *op, uint32_t step, uint32_t every, bool wraps, uint64_t bytes)
{
        uint64_t n = op->group->n;
        ps_time longest = 0;
        for (uint64_t at = 0; at < n && (wraps || at + step < n); at += every) {
                uint32_t from = rank_of(op, (uint32_t)((op->group->root + at) % n));
                uint32_t to = rank_of(op, (uint32_t)((op->group->root + at + step) % n));
                ps_time time = ps_machine_p2p(op->machine, from, to, bytes);
                longest = time > longest ? time : longest;
        }
        return longest;
}

/* Down a binomial tree on a network: stage after stage, half of the way, a fourth of it, ... */
static ps_time staged(const operation *op, uint64_t bytes)
{
        ps_time sum = 0;
        uint32_t step = 1;
        while (step < op->group->n - step)
                step *= 2;
        for (; step; step /= 2)
                sum = ps_time_add(sum, slowest(op, step, 2 * step, false, bytes));
        return sum;
}

static ps_time message(const operation *op, uint64_t bytes)
{
        const ps_machine *m = op->machine;
        if (!m->ways && m->model != PS_MODEL_LMO && m->model != PS_MODEL_CLUSTER && !m->has_intra)
                return ps_machine_p2p(m, 0, 1, bytes);
        return ps_scatter_parallel(op->machine, op->group, bytes);
}

/* All members have the same vector of `bytes`, at the beginning or in the end. */
static bool has_whole_vector(ps_kind kind)
{
        return kind == PS_K_BCAST || kind == PS_K_REDUCE || kind == PS_K_ALLREDUCE ||
               (ps_kinds[kind].traits & PS_T_PREFIX) != 0;
}

/* Half of those that are left pair up in each stage, as many at a time as there are buses. */
static uint64_t stages(uint32_t n, uint32_t buses)
{
        uint64_t count = 0;
        for (uint32_t left = n; left > 1; left -= left / 2)
                count += buses ? (left / 2 - 1) / buses + 1 : 1;
        return count;
}

static ps_time ring(const operation *op)
{
        uint64_t n = op->group->n, part = op->bytes / n + (op->bytes % n != 0);
        bool is_divided = has_whole_vector(op->kind);
        uint64_t bytes = is_divided ? part : op->bytes;
        ps_time one = op->machine->ways ? slowest(op, 1, 1, true, bytes) : message(op, bytes);
        return ps_time_times(one, is_divided ? 2 * (n - 1) : n - 1);
}

/* A message after the other, in each of which all that are left pair up. */
static ps_time logarithmic(const operation *op, uint32_t buses)
{
        if (op->machine->ways)
                return staged(op, op->bytes);
        return ps_time_times(message(op, op->bytes), stages(op->group->n, buses));
}

static ps_time flat(const operation *op)
{
        if (ps_kinds[op->kind].traits & PS_T_ALL_TO_ONE)
                return ps_gather_flat(op->machine, op->group, op->bytes).high;
        return ps_scatter_flat(op->machine, op->group, op->bytes);
}

static ps_time binomial(const operation *op)
{
        uint16_t traits = ps_kinds[op->kind].traits;
        if (has_whole_vector(op->kind))
                return logarithmic(op, 0);
        if (traits & PS_T_ALL_TO_ONE)
                return ps_gather_binomial(op->machine, op->group, op->bytes);
        return ps_scatter_binomial(op->machine, op->group, op->bytes);
}

/* -- of messages -- */

ps_schedule ps_collective_schedule(const ps_machine *machine, ps_kind kind, uint32_t n, uint32_t root,
                                   uint64_t bytes)
{
        uint8_t shape = machine->collective[kind][0], second = machine->collective[kind][1];
        bool is_flat = second == PS_SHAPE_FLAT ||
                       (second != PS_SHAPE_BINOMIAL && (kind == PS_K_SCATTERV || kind == PS_K_GATHERV));
        if (shape == PS_SHAPE_P2P)
                return ps_schedule_usual(kind, n, root, bytes, is_flat, second == PS_SHAPE_RING);
        return ps_schedule_of_library(shape == PS_SHAPE_MPICH ? PS_LIBRARY_MPICH : PS_LIBRARY_OPENMPI, kind,
                                      n, root, bytes);
}

static bool is_flat(const ps_schedule *s)
{
        return s->stage[0].algorithm == PS_ALGORITHM_FLAT_IN ||
               s->stage[0].algorithm == PS_ALGORITHM_FLAT_OUT;
}

bool ps_collective_is_flat(const ps_machine *machine, ps_kind kind, uint32_t n, uint64_t bytes)
{
        const uint8_t *shape = machine->collective[kind];
        if (ps_shape_is_formula(shape[0]))
                return shape[0] == PS_SHAPE_FLAT || shape[1] == PS_SHAPE_FLAT;
        ps_schedule schedule = ps_collective_schedule(machine, kind, n, 0, bytes);
        return is_flat(&schedule);
}

bool ps_collective_is_played(const ps_machine *machine, ps_kind kind, uint32_t n, uint64_t bytes)
{
        if (n < 2 || ps_shape_is_formula(machine->collective[kind][0]))
                return 0;
        ps_schedule schedule = ps_collective_schedule(machine, kind, n, 0, bytes);
        bool is_of_lmo = machine->model == PS_MODEL_LMO && is_flat(&schedule) && schedule.n_stages == 1;
        return !ps_schedule_is_wide(&schedule) && !is_of_lmo;
}

/* An operation among ranks that all begin at 0. */
typedef struct playing {
        const operation *op;
        ps_time cost[6];
} playing;

static ps_time bounded(ps_time time)
{
        return time < PS_MEETING_TIME_LIMIT / 2 ? time : PS_MEETING_TIME_LIMIT / 2;
}

static ps_message_cost cost_of_message(void *context, uint32_t from, uint32_t to, uint64_t bytes)
{
        playing *p = context;
        const ps_machine *m = p->op->machine;
        uint32_t source = rank_of(p->op, from), target = rank_of(p->op, to);
        ps_time *c = p->cost;
        ps_time latency = ps_machine_latency(m, source, target);
        c[0] = bounded(ps_machine_send_overhead(m, source, target, bytes));
        c[1] = bounded(ps_machine_flight(m, source, target, bytes));
        c[2] = bounded(ps_machine_receive_overhead(m, source, target, bytes));
        c[3] = bounded(ps_machine_handshake(m, source, target));
        c[4] = m->sender_free_at_end && c[1] > latency ? c[1] - latency : 0;
        c[5] = bounded(ps_machine_gap(m, source, target, bytes));
        return (ps_message_cost){c, c + 1, c + 2, c + 3, c + 4, c + 5};
}

/* PS_TIME_MAX when there is no memory, or it takes too long to be told. */
static ps_time played(const operation *op, const ps_schedule *schedule)
{
        const ps_machine *machine = op->machine;
        playing p = {.op = op};
        ps_meeting_ways ways = {.context = &p,
                                .eager_bytes = machine->send_mode == PS_SEND_BUFFERED ? UINT64_MAX
                                                                                      : machine->eager_bytes,
                                .all_wait = machine->send_mode == PS_SEND_SYNCHRONOUS,
                                .receives_early = ps_machine_receives_early(machine),
                                .cost = cost_of_message};
        ps_meeting *meeting;
        ps_time begin = 0, last = 0;
        ps_status status = ps_meeting_new(&meeting, schedule, 1, NULL);
        if (status != PS_OK)
                return PS_TIME_MAX;
        for (uint32_t i = 0; i < schedule->n && status == PS_OK; i++)
                status = ps_meeting_enter(meeting, &ways, i, &begin, NULL);
        for (uint32_t i = 0; i < schedule->n && status == PS_OK; i++)
                last = *ps_meeting_end(meeting, i) > last ? *ps_meeting_end(meeting, i) : last;
        ps_meeting_free(meeting);
        return status == PS_OK ? last : PS_TIME_MAX;
}

/* Rounds in which all do the same; flat trees. */
static ps_time as_a_whole(const operation *op, const ps_schedule *schedule)
{
        uint64_t n = schedule->n, bytes = schedule->stage[0].bytes, part = bytes / n + (bytes % n != 0);
        ps_time port = ps_time_add(ps_machine_send_overhead(op->machine, 0, 1, bytes),
                                   ps_machine_receive_overhead(op->machine, 0, 1, bytes));
        switch (schedule->stage[0].algorithm) {
        case PS_ALGORITHM_FLAT_IN:
        case PS_ALGORITHM_FLAT_OUT:
                return flat(op);
        case PS_ALGORITHM_RING_REDUCE:
                return ps_time_times(message(op, part), 2 * (n - 1));
        case PS_ALGORITHM_SCATTER_RING:
                return ps_time_add(ps_scatter_binomial(op->machine, op->group, part),
                                   ps_time_times(message(op, part), n - 1));
        case PS_ALGORITHM_NEIGHBOR:
                return ps_time_add(message(op, bytes), ps_time_times(message(op, 2 * bytes), n / 2 - 1));
        case PS_ALGORITHM_ALL_AT_ONCE:
                return ps_time_add(message(op, bytes), ps_time_times(port, n - 2));
        default:
                return ps_time_times(message(op, bytes), n - 1);
        }
}

static ps_time of_messages(const operation *op)
{
        ps_schedule schedule =
                ps_collective_schedule(op->machine, op->kind, op->group->n, op->group->root, op->bytes);
        bool is_played = ps_collective_is_played(op->machine, op->kind, schedule.n, op->bytes);
        return is_played ? played(op, &schedule) : as_a_whole(op, &schedule);
}

static ps_time cost(const operation *op, ps_shape shape)
{
        switch (shape) {
        case PS_SHAPE_CONSTANT:
                return message(op, op->bytes);
        case PS_SHAPE_LINEAR:
                return ps_time_times(message(op, op->bytes), op->group->n - 1);
        case PS_SHAPE_LOGARITHMIC:
        case PS_SHAPE_P2P:
                return logarithmic(op, op->machine->buses);
        case PS_SHAPE_RING:
                return ring(op);
        case PS_SHAPE_FLAT:
                return flat(op);
        case PS_SHAPE_BINOMIAL:
                return binomial(op);
        case PS_SHAPE_OPENMPI:
        case PS_SHAPE_MPICH:
                return of_messages(op);
        case PS_SHAPE_FREE:
        case PS_N_SHAPES:
                break;
        }
        return 0;
}

ps_time ps_machine_collective(const ps_machine *machine, ps_kind kind, const ps_group *group, uint64_t bytes)
{
        operation op = {machine, group, kind, bytes};
        if (group->n < 2)
                return 0;
        return ps_time_add(cost(&op, machine->collective[kind][0]), cost(&op, machine->collective[kind][1]));
}
