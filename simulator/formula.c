/* formula.c - the formula of a machine with its values, as every prediction prints it. */
#include "simulator/amount.h"
#include "simulator/collectives.h"

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

static void put(line *l, const char *text)
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
                        put(l, one);
                at += skip ? skip : 1;
        }
}

static void put_clusters(line *l, const ps_machine *m)
{
        for (uint32_t i = m->n_clusters; i-- > 0;) {
                const ps_cluster *c = &m->clusters[i];
                if (!c->n_members)
                        continue;
                put(l, "; ");
                put(l, c->name ? c->name : "cluster");
                put_value(l, "processors", PS_A_COUNT, c->n_ranks);
                put_value(l, "channels", PS_A_COUNT, c->channels);
                put_value(l, "L", PS_A_SECONDS, c->link.latency_s);
                put_value(l, "B", PS_A_RATE, c->link.bandwidth_bytes_per_s);
        }
}

const char *ps_machine_formula(const ps_machine *machine, char room[PS_FORMULA_ROOM])
{
        line l = {room, 0};
        ps_machine usual;

        room[0] = '\0';
        ps_machine_init(&usual, machine->model);
        put(&l, "send-to-receive = ");
        put_formula(&l, machine);
        if (machine->model == PS_MODEL_LMO)
                put_value(&l, "processors", PS_A_COUNT, machine->lmo.n);
        for (uint32_t i = 0; i < ps_n_machine_keys; i++) {
                const ps_machine_key *key = &ps_machine_keys[i];
                double value = ps_machine_get(machine, key);
                int is_shown = key->must >> machine->model & 1 || value != ps_machine_get(&usual, key);
                if (is_shown && (key->must | key->may) >> machine->model & 1)
                        put_value(&l, key->symbol, key->type, value);
        }
        if (machine->has_intra) {
                put_value(&l, "within a node L", PS_A_SECONDS, machine->intra.latency_s);
                put_value(&l, "B", PS_A_RATE, machine->intra.bandwidth_bytes_per_s);
        }
        if (machine->network) {
                put(&l, ", network=");
                put(&l, machine->network);
        }
        if (machine->model == PS_MODEL_CLUSTER)
                put_clusters(&l, machine);
        return room;
}
