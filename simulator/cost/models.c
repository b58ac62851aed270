/* models.c - what each model charges for one message, and where: a row of functions a model.
 *
 * All amounts are seconds in double until they leave this file. A rank that the machine does not have is
 * taken for its last one: ps_machine_fit() is where that is refused. */
#include "simulator/cost/models.h"

#include "core/base/search.h"

#include <math.h>

/* -- small things of every model -- */

ps_time ps_time_of_seconds(double seconds)
{
        double ps = seconds * (double)PS_PS_PER_S;
        if (!(ps > 0))
                return 0;
        if (ps >= 0x1p63)
                return PS_TIME_MAX;
        ps_time whole = (ps_time)ps; /* llround() is a call, and this is the innermost function of all */
        return whole + (ps - (double)whole >= 0.5);
}

static double per_byte(const ps_link *link)
{
        return 1 / link->bandwidth_bytes_per_s;
}

static uint32_t lmo_row(const ps_lmo *lmo, uint32_t rank)
{
        return rank < lmo->n ? rank : lmo->n - 1;
}

/* The link that a message takes. */
static ps_link link_of(const ps_machine *m, uint32_t from, uint32_t to)
{
        if (m->model == PS_MODEL_LMO) {
                size_t at = (size_t)lmo_row(&m->lmo, from) * m->lmo.n + lmo_row(&m->lmo, to);
                return (ps_link){m->lmo.latency_s[at], m->lmo.bandwidth_bytes_per_s[at]};
        }
        if (m->model == PS_MODEL_CLUSTER)
                return m->clusters[ps_cluster_find(m, from, to, NULL)].link;
        if (m->has_intra && ps_machine_node(m, from) == ps_machine_node(m, to))
                return m->intra;
        return m->link;
}

static double at_size(const ps_table *table, double bytes)
{
        uint32_t next = 1; /* the end of the interval */
        if (table->n == 1)
                return table->s[0];
        PS_SEARCH(next, table->n - 1, k, table->bytes[k] <= bytes);
        uint32_t i = next - 1;
        double slope = (table->s[i + 1] - table->s[i]) / (table->bytes[i + 1] - table->bytes[i]);
        double value = table->s[i] + slope * (bytes - table->bytes[i]);
        return value > 0 ? value : 0;
}

/* -- parts by model -- */

typedef double part(const ps_machine *m, uint32_t from, uint32_t to, double bytes);

static double send_linear(const ps_machine *m, uint32_t from, uint32_t to, double bytes)
{
        (void)from, (void)to;
        return m->send_overhead_s + bytes * m->send_overhead_s_per_byte;
}

static double receive_linear(const ps_machine *m, uint32_t from, uint32_t to, double bytes)
{
        (void)from, (void)to;
        return m->receive_overhead_s + bytes * m->receive_overhead_s_per_byte;
}

static double send_plogp(const ps_machine *m, uint32_t from, uint32_t to, double bytes)
{
        (void)from, (void)to;
        return at_size(&m->send_table, bytes);
}

static double receive_plogp(const ps_machine *m, uint32_t from, uint32_t to, double bytes)
{
        (void)from, (void)to;
        return at_size(&m->receive_table, bytes);
}

static double send_lmo(const ps_machine *m, uint32_t from, uint32_t to, double bytes)
{
        uint32_t i = lmo_row(&m->lmo, from);
        (void)to;
        return m->lmo.processing_s[i] + bytes * m->lmo.processing_s_per_byte[i];
}

static double receive_lmo(const ps_machine *m, uint32_t from, uint32_t to, double bytes)
{
        return send_lmo(m, to, from, bytes);
}

static double own_hlmo(const ps_machine *m, uint32_t from, uint32_t to, double bytes)
{
        (void)from, (void)to;
        return m->processing_s + bytes * m->processing_s_per_byte;
}

static double latency_alone(const ps_machine *m, uint32_t from, uint32_t to, double bytes)
{
        (void)bytes;
        return link_of(m, from, to).latency_s;
}

static double flight_linear(const ps_machine *m, uint32_t from, uint32_t to, double bytes)
{
        ps_link link = link_of(m, from, to);
        return link.latency_s + bytes * per_byte(&link);
}

/* The first byte goes with the overhead. */
static double flight_loggp(const ps_machine *m, uint32_t from, uint32_t to, double bytes)
{
        return flight_linear(m, from, to, bytes > 1 ? bytes - 1 : 0);
}

/* What is left of L + g(b) beside the overheads of both ends. */
static double flight_plogp(const ps_machine *m, uint32_t from, uint32_t to, double bytes)
{
        double left = link_of(m, from, to).latency_s + at_size(&m->gap_table, bytes) -
                      at_size(&m->send_table, bytes) - at_size(&m->receive_table, bytes);
        return left > 0 ? left : 0;
}

static double flight_dimemas(const ps_machine *m, uint32_t from, uint32_t to, double bytes)
{
        ps_link link = link_of(m, from, to);
        return bytes * per_byte(&link);
}

static double flight_network(const ps_machine *m, uint32_t from, uint32_t to, double bytes)
{
        if (!m->ways || ps_machine_node(m, from) == ps_machine_node(m, to))
                return flight_linear(m, from, to, bytes);
        return m->ways->flight(m->ways, m, from, to, bytes);
}

static double port_network(const ps_machine *m, uint32_t from, uint32_t to, double bytes)
{
        return send_linear(m, from, to, bytes) + flight_network(m, from, to, bytes) +
               receive_linear(m, from, to, bytes);
}

static double port_whole(const ps_machine *m, uint32_t from, uint32_t to, double bytes)
{
        return send_linear(m, from, to, bytes) + flight_linear(m, from, to, bytes) +
               receive_linear(m, from, to, bytes);
}

static double port_logp(const ps_machine *m, uint32_t from, uint32_t to, double bytes)
{
        return fmax(m->gap_s, fmax(send_linear(m, from, to, bytes), receive_linear(m, from, to, bytes)));
}

static double port_loggp(const ps_machine *m, uint32_t from, uint32_t to, double bytes)
{
        return port_logp(m, from, to, bytes) + flight_loggp(m, from, to, bytes) -
               link_of(m, from, to).latency_s;
}

static double port_plogp(const ps_machine *m, uint32_t from, uint32_t to, double bytes)
{
        (void)from, (void)to;
        return at_size(&m->gap_table, bytes);
}

static double gap_none(const ps_machine *m, uint32_t from, uint32_t to, double bytes)
{
        (void)m, (void)from, (void)to, (void)bytes;
        return 0;
}

/* `send_port` and `receive_port`: how long the port of that end is taken; `gap`: the least distance of two
 * sends that the model demands beside the overhead. */
static const struct {
        part *send, *flight, *receive, *send_port, *receive_port, *gap;
} parts[PS_N_MODELS] = {
        [PS_MODEL_HOCKNEY] = {send_linear, flight_linear, receive_linear, port_whole, port_whole, gap_none},
        [PS_MODEL_LOGP] = {send_linear, latency_alone, receive_linear, port_logp, port_logp, port_logp},
        [PS_MODEL_LOGGP] = {send_linear, flight_loggp, receive_linear, port_loggp, port_loggp, port_loggp},
        [PS_MODEL_PLOGP] = {send_plogp, flight_plogp, receive_plogp, port_plogp, port_plogp, port_plogp},
        [PS_MODEL_LMO] = {send_lmo, flight_linear, receive_lmo, send_lmo, receive_lmo, gap_none},
        [PS_MODEL_HLMO] = {own_hlmo, flight_linear, own_hlmo, own_hlmo, own_hlmo, gap_none},
        [PS_MODEL_BUS] = {send_linear, flight_linear, receive_linear, port_whole, port_whole, gap_none},
        [PS_MODEL_TRANSPUTER] = {send_linear, flight_linear, receive_linear, port_whole, port_whole,
                                 gap_none},
        [PS_MODEL_MYRINET] = {send_linear, flight_linear, receive_linear, port_whole, port_whole, gap_none},
        [PS_MODEL_CLUSTER] = {send_linear, flight_linear, receive_linear, port_whole, port_whole, gap_none},
        [PS_MODEL_DIMEMAS] = {latency_alone, flight_dimemas, latency_alone, latency_alone, latency_alone,
                              gap_none},
        [PS_MODEL_TOPOLOGY] = {send_linear, flight_network, receive_linear, port_network, port_network,
                               gap_none},
};

#define PS_COST_OF(field) ps_time_of_seconds(parts[machine->model].field(machine, from, to, (double)bytes))

ps_time ps_machine_send_overhead(const ps_machine *machine, uint32_t from, uint32_t to, uint64_t bytes)
{
        return PS_COST_OF(send);
}

ps_time ps_machine_flight(const ps_machine *machine, uint32_t from, uint32_t to, uint64_t bytes)
{
        return PS_COST_OF(flight);
}

ps_time ps_machine_receive_overhead(const ps_machine *machine, uint32_t from, uint32_t to, uint64_t bytes)
{
        return PS_COST_OF(receive);
}

ps_time ps_machine_gap(const ps_machine *machine, uint32_t from, uint32_t to, uint64_t bytes)
{
        return PS_COST_OF(gap);
}

ps_time ps_machine_port(const ps_machine *machine, int receiving, uint32_t from, uint32_t to, uint64_t bytes)
{
        return receiving ? PS_COST_OF(receive_port) : PS_COST_OF(send_port);
}

bool ps_machine_receives_early(const ps_machine *machine)
{
        return machine->model == PS_MODEL_DIMEMAS;
}

ps_time ps_machine_latency(const ps_machine *machine, uint32_t from, uint32_t to)
{
        return ps_time_of_seconds(link_of(machine, from, to).latency_s);
}

ps_time ps_machine_handshake(const ps_machine *machine, uint32_t from, uint32_t to)
{
        return ps_time_of_seconds(machine->handshakes * link_of(machine, from, to).latency_s);
}

ps_time ps_machine_p2p(const ps_machine *machine, uint32_t from, uint32_t to, uint64_t bytes)
{
        ps_time time = ps_time_add(PS_COST_OF(send), PS_COST_OF(flight));
        return ps_machine_receives_early(machine) ? time : ps_time_add(time, PS_COST_OF(receive));
}
