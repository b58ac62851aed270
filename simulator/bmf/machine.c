/* machine.c - clocks, sends and what is recorded of them; after Martinaitis, 4.6 and 4.7.
 *
 * The sender's clock goes on to the end of its send, which 4.7.1 does not say, but without which the traffic
 * would not be that of chapter 5. A processor that is still busy when a message arrives receives it
 * afterwards. */
#include "simulator/bmf/machine.h"

#include "core/base/vector.h"
#include "core/model/kinds.h"

#include <math.h>
#include <stdlib.h>

enum { MESSAGE_TYPE = 1 }; /* of all messages (3.2.3) */

const ps_bmf_costs ps_bmf_costs_default = {8, 1, 8, 1, 16, 1, PS_PS_PER_S};

/* -- what is recorded -- */

/* What to do about times that no trace can hold. */
static ps_status advise(const ps_bmf_machine *m)
{
        return PS_CAUSE(m->err, PS_E_USAGE, "choose a shorter --unit, or lower costs");
}

static ps_status record(ps_bmf_machine *m, uint32_t proc, ps_event event)
{
        if (++m->n_events > m->limits->events)
                return PS_FAIL(m->err, PS_E_INPUT, "the run has too many events: limit=%llu",
                               (unsigned long long)m->limits->events);
        ps_status status = ps_recording_add(m->recording, proc, &event, m->err);
        return status == PS_E_USAGE ? advise(m) : status;
}

static ps_status enter_site(ps_bmf_machine *m, uint32_t proc, ps_region region, const ps_bmf_node *site)
{
        return record(m, proc,
                      (ps_event){.time = m->clock[proc],
                                 .kind = PS_EV_ENTER,
                                 .ref = region,
                                 .site_file = site ? m->file[site->index] : 0,
                                 .site_line = site ? site->place.line : 0});
}

static ps_status leave_site(ps_bmf_machine *m, uint32_t proc, ps_region region)
{
        return record(m, proc, (ps_event){.time = m->clock[proc], .kind = PS_EV_LEAVE, .ref = region});
}

static ps_status idle_until(ps_bmf_machine *m, uint32_t proc, ps_time until)
{
        if (m->clock[proc] >= until)
                return PS_OK;
        PS_TRY(enter_site(m, proc, m->idle, NULL));
        m->clock[proc] = until;
        return leave_site(m, proc, m->idle);
}

ps_status ps_bmf_machine_reach(ps_bmf_machine *m, const ps_bmf_node *node, uint64_t proc)
{
        if (proc >= m->n)
                return ps_bmf_fail(m->err, PS_E_INPUT, &node->place, ps_bmf_node_name(node),
                                   "no such processor: processor=%llu, processors=%u",
                                   (unsigned long long)proc, m->n);
        if (proc >= m->n_used)
                m->n_used = (uint32_t)proc + 1;
        return PS_OK;
}

ps_status ps_bmf_machine_enter(ps_bmf_machine *m, const ps_bmf_node *node, uint32_t proc)
{
        return m->recording ? enter_site(m, proc, m->region[node->index], NULL) : PS_OK;
}

ps_status ps_bmf_machine_leave(ps_bmf_machine *m, const ps_bmf_node *node, uint32_t proc)
{
        return m->recording ? leave_site(m, proc, m->region[node->index]) : PS_OK;
}

/* Saturates: a time that is too long is told when it is recorded. */
static ps_time cost_of_units(ps_time each, uint64_t n)
{
        ps_time cost;
        return __builtin_mul_overflow(each, n, &cost) ? PS_TIME_MAX : cost;
}

void ps_bmf_machine_work(ps_bmf_machine *m, uint32_t proc, uint64_t units)
{
        if (m->recording)
                m->clock[proc] = ps_time_add(m->clock[proc], cost_of_units(m->cost.work, units));
}

ps_status ps_bmf_machine_finish(ps_bmf_machine *m)
{
        ps_time last = 0;
        if (!m->recording)
                return PS_OK;
        for (uint32_t p = 0; p < m->n; p++)
                last = m->clock[p] > last ? m->clock[p] : last;
        for (uint32_t p = 0; p < m->n; p++)
                PS_TRY(idle_until(m, p, last));
        return PS_OK;
}

/* -- teams -- */

ps_bmf_team ps_bmf_team_new(ps_bmf_machine *m)
{
        m->gathering++;
        return (ps_bmf_team){m->n_team, 0};
}

ps_status ps_bmf_team_add(ps_bmf_machine *m, ps_bmf_team *team, uint32_t proc)
{
        if (!m->recording || m->seen[proc] == m->gathering)
                return PS_OK;
        m->seen[proc] = m->gathering;
        if (PS_APPEND(m->team, m->n_team, m->cap_team, proc))
                return PS_NOMEM(m->err, "machine", m->n_team);
        team->n++;
        return PS_OK;
}

ps_status ps_bmf_team_meet(ps_bmf_machine *m, ps_bmf_team team)
{
        ps_time last = 0;
        for (uint32_t i = 0; i < team.n; i++) {
                ps_time clock = m->clock[m->team[team.first + i]];
                last = clock > last ? clock : last;
        }
        for (uint32_t i = 0; i < team.n; i++)
                PS_TRY(idle_until(m, m->team[team.first + i], last));
        return PS_OK;
}

ps_status ps_bmf_team_begin(ps_bmf_machine *m, ps_bmf_team team, const ps_bmf_node *node)
{
        PS_TRY(ps_bmf_team_meet(m, team));
        for (uint32_t i = 0; i < team.n; i++)
                PS_TRY(enter_site(m, m->team[team.first + i], m->region[node->index], NULL));
        return PS_OK;
}

ps_status ps_bmf_team_end(ps_bmf_machine *m, ps_bmf_team team, const ps_bmf_node *node)
{
        PS_TRY(ps_bmf_team_meet(m, team));
        for (uint32_t i = 0; i < team.n; i++)
                PS_TRY(leave_site(m, m->team[team.first + i], m->region[node->index]));
        m->n_team = team.first;
        return PS_OK;
}

/* -- messages -- */

/* When a message that is in the network at `sent` is at the other end. There is a way between all processors.
 */
static ps_status transport(ps_bmf_machine *m, const ps_bmf_message *message, ps_time *arrival)
{
        *arrival = ps_time_add(message->sent, m->cost.transport);
        if (!m->links)
                return PS_OK;
        ps_status status = ps_links_send(m->links, message->from, message->to, message->bytes, message->sent,
                                         arrival, m->err);
        return status == PS_E_INPUT ? advise(m) : status;
}

static ps_status record_message(ps_bmf_machine *m, ps_event_kind kind, uint32_t proc, uint32_t peer,
                                uint64_t bytes)
{
        return record(m, proc,
                      (ps_event){.time = m->clock[proc],
                                 .kind = (uint8_t)kind,
                                 .code = 1,
                                 .peer = peer,
                                 .comm = 0,
                                 .tag = MESSAGE_TYPE,
                                 .bytes = bytes});
}

static ps_status begin_message(ps_bmf_machine *m, const ps_bmf_node *node, ps_bmf_message *message)
{
        uint32_t from = message->from;
        m->n_messages++;
        PS_TRY(enter_site(m, from, m->send, node));
        PS_TRY(record_message(m, PS_EV_SEND, from, message->to, message->bytes));
        ps_time overhead = ps_time_add(m->cost.send_fixed, cost_of_units(m->cost.send_byte, message->bytes));
        m->clock[from] = ps_time_add(m->clock[from], overhead);
        message->sent = m->clock[from];
        return leave_site(m, from, m->send);
}

static ps_status end_message(ps_bmf_machine *m, const ps_bmf_node *node, const ps_bmf_message *message)
{
        uint32_t to = message->to;
        ps_time arrival = 0;
        PS_TRY(transport(m, message, &arrival));
        PS_TRY(enter_site(m, to, m->receive, node));
        PS_TRY(idle_until(m, to, arrival));
        ps_time overhead =
                ps_time_add(m->cost.receive_fixed, cost_of_units(m->cost.receive_byte, message->bytes));
        m->clock[to] = ps_time_add(m->clock[to], overhead);
        PS_TRY(record_message(m, PS_EV_RECV, to, message->from, message->bytes));
        return leave_site(m, to, m->receive);
}

ps_status ps_bmf_send(ps_bmf_machine *m, const ps_bmf_node *node, uint32_t from, uint32_t to, uint64_t bytes)
{
        ps_bmf_message message = {from, to, bytes, 0};
        if (!m->recording || from == to)
                return PS_OK;
        PS_TRY(begin_message(m, node, &message));
        return end_message(m, node, &message);
}

ps_status ps_bmf_send_delayed(ps_bmf_machine *m, const ps_bmf_node *node, uint32_t from, uint32_t to,
                              uint64_t bytes)
{
        ps_bmf_message message = {from, to, bytes, 0};
        if (!m->recording || from == to)
                return PS_OK;
        PS_TRY(begin_message(m, node, &message));
        if (PS_APPEND(m->pending, m->n_pending, m->cap_pending, message))
                return PS_NOMEM(m->err, "machine", m->n_pending);
        return PS_OK;
}

ps_status ps_bmf_receive_all(ps_bmf_machine *m, const ps_bmf_node *node)
{
        for (uint32_t i = 0; i < m->n_pending; i++)
                PS_TRY(end_message(m, node, &m->pending[i]));
        m->n_pending = 0;
        return PS_OK;
}

/* -- definitions -- */

static ps_status add_processor(ps_defs *defs, uint32_t p, ps_error *err)
{
        char name[32];
        snprintf(name, sizeof(name), "processor %u", p);
        ps_str id = ps_strings_addz(defs->strings, name);
        ps_process_def process = {.name = id};
        ps_location_def location = {.name = id, .process = p, .native = p, .n_events = UINT64_MAX};
        if (id == PS_NONE)
                return PS_NOMEM(err, "strings", 1);
        PS_TRY(ps_defs_add_process(defs, &process, NULL, err));
        return ps_defs_add_location(defs, &location, NULL, err);
}

static ps_status add_processors(ps_defs *defs, uint32_t n, ps_error *err)
{
        uint32_t *members = PS_ARENA_NEW(defs->arena, uint32_t, n);
        if (!members)
                return PS_NOMEM(err, "processors", n);
        for (uint32_t p = 0; p < n; p++) {
                members[p] = p;
                PS_TRY(add_processor(defs, p, err));
        }
        ps_comm_def world = {.parent = PS_NONE, .n_members = n, .members = members};
        world.name = ps_strings_addz(defs->strings, "all processors");
        if (world.name == PS_NONE)
                return PS_NOMEM(err, "strings", 1);
        return ps_defs_add_comm(defs, &world, NULL, err);
}

/* Kinds are given, as by the PICL reader, so that the names tell nothing. */
static ps_status add_region(ps_defs *defs, const char *name, ps_region_def def, ps_region *out, ps_error *err)
{
        def.given = 1;
        def.name = ps_strings_addz(defs->strings, name);
        return def.name == PS_NONE ? PS_NOMEM(err, "strings", 1) : ps_defs_add_region(defs, &def, out, err);
}

static ps_status add_operators(ps_bmf_machine *m, ps_defs *defs)
{
        m->region = calloc((size_t)m->program->n_nodes + 1, sizeof(*m->region));
        m->file = calloc((size_t)m->program->n_nodes + 1, sizeof(*m->file));
        if (!m->region || !m->file)
                return PS_NOMEM(m->err, "regions", m->program->n_nodes);
        for (uint32_t i = 0; i < m->program->n_nodes; i++) {
                const ps_bmf_node *node = m->program->nodes[i];
                ps_region_def def = {.line = node->place.line,
                                     .line_end = node->place.line,
                                     .paradigm = PS_PARADIGM_USER,
                                     .role = PS_ROLE_FUNCTION,
                                     .kind = PS_K_NONE};
                if (node->form == PS_BMF_REFERENCE || node->form == PS_BMF_COMP)
                        continue;
                m->file[i] = def.file = ps_strings_addz(defs->strings, node->place.path);
                PS_TRY(def.file == PS_NONE
                               ? PS_NOMEM(m->err, "strings", 1)
                               : add_region(defs, ps_bmf_node_name(node), def, &m->region[i], m->err));
        }
        return PS_OK;
}

/* Names and paradigms are those of a PICL trace of the run. Idle time is the library's: it is no work. */
static ps_status define_site(ps_bmf_machine *m)
{
        static const ps_region_def idle = {.paradigm = PS_PARADIGM_MPI, .kind = PS_K_NONE};
        static const ps_region_def send = {
                .paradigm = PS_PARADIGM_MPI, .role = PS_ROLE_POINT_TO_POINT, .kind = PS_K_SEND};
        static const ps_region_def receive = {
                .paradigm = PS_PARADIGM_MPI, .role = PS_ROLE_POINT_TO_POINT, .kind = PS_K_RECV};
        ps_defs *defs = ps_recording_defs(m->recording);
        PS_TRY(add_processors(defs, m->n, m->err));
        defs->sends_are_buffered = 1;
        PS_TRY(ps_defs_add_code(defs, "region", NULL, m->err));
        PS_TRY(ps_defs_add_code(defs, "message", NULL, m->err));
        PS_TRY(add_region(defs, "idle", idle, &m->idle, m->err));
        PS_TRY(add_region(defs, "send", send, &m->send, m->err));
        PS_TRY(add_region(defs, "recv", receive, &m->receive, m->err));
        return add_operators(m, defs);
}

static ps_time in_ps(double units, ps_time unit)
{
        double ps = units * (double)unit;
        return ps < (double)PS_READER_TIME_LIMIT ? (ps_time)llround(ps)
                                                 : PS_TIME_MAX; /* too long for any trace */
}

ps_status ps_bmf_machine_init(ps_bmf_machine *m, const ps_bmf_program *program, uint32_t n,
                              const ps_bmf_costs *costs, const ps_network *network, ps_recording *recording,
                              const ps_bmf_limits *limits, ps_error *err)
{
        *m = (ps_bmf_machine){.n = n,
                              .n_used = 1,
                              .program = program,
                              .limits = limits,
                              .err = err,
                              .recording = recording};
        if (!recording)
                return PS_OK;
        m->cost.send_fixed = in_ps(costs->send_fixed, costs->unit);
        m->cost.send_byte = in_ps(costs->send_byte, costs->unit);
        m->cost.receive_fixed = in_ps(costs->receive_fixed, costs->unit);
        m->cost.receive_byte = in_ps(costs->receive_byte, costs->unit);
        m->cost.transport = in_ps(costs->transport, costs->unit);
        m->cost.work = in_ps(costs->work, costs->unit);
        m->clock = calloc(n, sizeof(*m->clock));
        m->seen = calloc(n, sizeof(*m->seen));
        PS_TRY(m->clock && m->seen ? define_site(m) : PS_NOMEM(err, "processors", n));
        return network ? ps_links_new(&m->links, network, (double)costs->unit, err) : PS_OK;
}

void ps_bmf_machine_clear(ps_bmf_machine *m)
{
        free(m->clock);
        free(m->seen);
        free(m->region);
        free(m->file);
        free(m->team);
        free(m->pending);
        ps_links_free(m->links);
}
