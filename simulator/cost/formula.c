/* formula.c - the formula of a machine with its values, as every prediction prints it. */
#include "simulator/cost/amount.h"
#include "simulator/cost/collectives.h"

#include <stdio.h>
#include <string.h>

/* Text that is cut where the room ends. */
typedef struct line {
        char *room;
        size_t used;
} line;

static char *rest_of(const line *l)
{
        return l->room + l->used;
}

static void advance(line *l, int n)
{
        l->used += n < 0 ? 0 : (size_t)n;
        if (l->used >= PS_FORMULA_ROOM)
                l->used = PS_FORMULA_ROOM - 1;
}

static void put_formula_text(line *l, const char *text)
{
        advance(l, snprintf(rest_of(l), PS_FORMULA_ROOM - l->used, "%s", text));
}

static void put_value(line *l, const char *name, ps_amount type, double value)
{
        advance(l, ps_amount_print(rest_of(l), PS_FORMULA_ROOM - l->used, name, type, value));
}

/* The formula without the terms that are 0. */
static void put_formula(line *l, const ps_machine *m)
{
        static const struct {
                const char *term;
                size_t field;
        } terms[] = {
                {"os + ", offsetof(ps_machine, send_overhead_s)},
                {"Os*bytes + ", offsetof(ps_machine, send_overhead_s_per_byte)},
                {" + or", offsetof(ps_machine, receive_overhead_s)},
                {" + Or*bytes", offsetof(ps_machine, receive_overhead_s_per_byte)},
        };
        const char *at = ps_models[m->model].formula;
        while (*at) {
                size_t skip = 0;
                for (size_t i = 0; i < sizeof(terms) / sizeof(terms[0]); i++) {
                        double value;
                        memcpy(&value, (const char *)m + terms[i].field, sizeof(value));
                        if (value == 0 && strncmp(at, terms[i].term, strlen(terms[i].term)) == 0)
                                skip = strlen(terms[i].term);
                }
                char one[] = {*at, '\0'};
                if (!skip)
                        put_formula_text(l, one);
                at += skip ? skip : 1;
        }
}

static void put_clusters(line *l, const ps_machine *m)
{
        for (uint32_t i = m->n_clusters; i-- > 0;) {
                const ps_cluster *c = &m->clusters[i];
                if (!c->n_members)
                        continue;
                put_formula_text(l, "; ");
                put_formula_text(l, c->name ? c->name : "cluster");
                put_value(l, "processors", PS_A_COUNT, c->n_ranks);
                put_value(l, "channels", PS_A_COUNT, c->channels);
                put_value(l, "L", PS_A_SECONDS, c->link.latency_s);
                put_value(l, "B", PS_A_RATE, c->link.bandwidth_bytes_per_s);
        }
}

static void put_word(line *l, const char *name, const char *word)
{
        put_formula_text(l, ", ");
        put_formula_text(l, name);
        put_formula_text(l, "=");
        put_formula_text(l, word);
}

static void put_shapes(line *l, const char *name, const uint8_t shapes[2])
{
        put_word(l, name, ps_shape_names[shapes[0]]);
        if (shapes[1] != PS_SHAPE_FREE) {
                put_formula_text(l, ",");
                put_formula_text(l, ps_shape_names[shapes[1]]);
        }
}

/* Those that are not as usual; once when all are the same. */
static void put_collectives(line *l, const ps_machine *m)
{
        uint8_t usual[PS_K_COUNT][2];
        int n = 0, n_same = 0, last = 0;
        ps_collective_defaults(usual, m->model);
        for (int kind = 0; kind < PS_K_COUNT; kind++) {
                if (ps_kinds[kind].cls != PS_C_COLL)
                        continue;
                n_same += n++ == 0 || memcmp(m->collective[kind], m->collective[last], 2) == 0;
                last = kind;
        }
        bool is_one = n == n_same && memcmp(m->collective[last], usual[last], 2) != 0;
        if (is_one)
                put_shapes(l, "collectives", m->collective[last]);
        for (int kind = 0; kind < PS_K_COUNT && !is_one; kind++)
                if (ps_kinds[kind].cls == PS_C_COLL && memcmp(m->collective[kind], usual[kind], 2) != 0)
                        put_shapes(l, ps_kinds[kind].name, m->collective[kind]);
}

/* What is not one number of the machine. */
static void put_parts(line *l, const ps_machine *m)
{
        if (m->has_intra) {
                put_value(l, "within a node L", PS_A_SECONDS, m->intra.latency_s);
                put_value(l, "B", PS_A_RATE, m->intra.bandwidth_bytes_per_s);
        }
        if (m->network)
                put_word(l, "network", m->network);
        if (m->sharing != PS_SHARING_FIFO)
                put_word(l, "sharing", ps_sharings[m->sharing]);
        if (m->send_mode != PS_SEND_BY_SIZE)
                put_word(l, "sends", ps_send_modes[m->send_mode]);
        if (m->cpu_ratios.n)
                put_value(l, "ranks with a ratio of their own", PS_A_COUNT, m->cpu_ratios.n);
        if (m->n_region_ratios)
                put_value(l, "regions with a ratio of their own", PS_A_COUNT, m->n_region_ratios);
        put_collectives(l, m);
        if (m->model == PS_MODEL_CLUSTER)
                put_clusters(l, m);
}

const char *ps_machine_formula(const ps_machine *machine, char room[PS_FORMULA_ROOM])
{
        line l = {room, 0};
        ps_machine usual;

        room[0] = '\0';
        ps_machine_init(&usual, machine->model);
        put_formula_text(&l, "send-to-receive = ");
        put_formula(&l, machine);
        if (machine->model == PS_MODEL_LMO)
                put_value(&l, "processors", PS_A_COUNT, machine->lmo.n);
        for (uint32_t i = 0; i < ps_n_machine_keys; i++) {
                const ps_machine_key *key = &ps_machine_keys[i];
                double value = ps_machine_get(machine, key);
                bool is_shown = key->must >> machine->model & 1 || value != ps_machine_get(&usual, key);
                if (is_shown && (key->must | key->may) >> machine->model & 1)
                        put_value(&l, key->symbol, key->type, value);
        }
        put_parts(&l, machine);
        return room;
}
