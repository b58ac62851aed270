/* nodes.c - a machine as a thing: its life, and where its ranks are and how fast. */
#include "core/base/search.h"
#include "simulator/cost/collectives.h"
#include "simulator/cost/lmo.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const ps_send_modes[PS_N_SEND_MODES] = {"by-size", "synchronous", "buffered"};
const char *const ps_sharings[PS_N_SHARINGS] = {"fifo", "fair"};

const ps_model_info ps_models[PS_N_MODELS] = {
#define PS_MODEL(id, name, title, formula, source) {name, title, formula, source},
#include "simulator/cost/models.def"
#undef PS_MODEL
};

void ps_machine_init(ps_machine *machine, ps_model model)
{
        *machine = (ps_machine){0};
        machine->model = model;
        machine->link.bandwidth_bytes_per_s = INFINITY;
        machine->intra.bandwidth_bytes_per_s = INFINITY;
        machine->link_bandwidth_bytes_per_s = INFINITY;
        machine->eager_bytes = UINT64_MAX;
        machine->sender_free_at_end = model != PS_MODEL_DIMEMAS;
        machine->channels = 1;
        machine->cpu_ratio = 1;
        machine->lmo.gather_low_bytes = machine->lmo.gather_high_bytes = INFINITY;
        ps_collective_defaults(machine->collective, model);
}

static void clear_table(ps_table *table)
{
        free(table->bytes);
        free(table->s);
}

void ps_machine_clear(ps_machine *machine)
{
        free(machine->name);
        free(machine->source);
        free(machine->network);
        clear_table(&machine->send_table);
        clear_table(&machine->receive_table);
        clear_table(&machine->gap_table);
        ps_lmo_clear(&machine->lmo);
        free(machine->node_of_rank);
        free(machine->cpu_ratios.row);
        free(machine->block_weights.row);
        for (uint32_t i = 0; i < machine->n_region_ratios; i++)
                free(machine->region_ratios[i].region);
        free(machine->region_ratios);
        for (uint32_t i = 0; i < machine->n_clusters; i++)
                free(machine->clusters[i].name);
        free(machine->clusters);
        free(machine->cluster_members);
        *machine = (ps_machine){0};
}

void ps_machine_free(ps_machine *machine)
{
        if (machine)
                ps_machine_clear(machine);
        free(machine);
}

/* The member of cluster `at` in which `rank` is; *rank becomes its place there. *instance goes from the
 * number of the cluster to that of the member, which a processor does not have. */
static uint32_t descend(const ps_machine *m, uint32_t at, uint32_t *rank, uint32_t *instance)
{
        const ps_cluster *cluster = &m->clusters[at];
        *instance += 1;
        for (uint32_t i = 0;; i++) {
                const ps_cluster_member *member = &m->cluster_members[cluster->first_member + i];
                const ps_cluster *inner = &m->clusters[member->cluster];
                uint32_t index = *rank / inner->n_ranks;
                if (index >= member->count && i + 1 == cluster->n_members)
                        index = member->count - 1; /* no such rank: the last one */
                if (index < member->count) {
                        *rank -= index * inner->n_ranks;
                        if (*rank >= inner->n_ranks)
                                *rank = inner->n_ranks - 1;
                        *instance += index * inner->n_instances;
                        return member->cluster;
                }
                *rank -= member->count * inner->n_ranks;
                *instance += member->count * inner->n_instances;
        }
}

uint32_t ps_cluster_find(const ps_machine *machine, uint32_t p, uint32_t q, uint32_t *instance)
{
        uint32_t at = machine->n_clusters - 1, number = 0;
        for (;;) {
                uint32_t number_p = number, number_q = number, rank_p = p, rank_q = q;
                uint32_t inner = descend(machine, at, &rank_p, &number_p);
                if (instance)
                        *instance = number;
                if (descend(machine, at, &rank_q, &number_q) != inner || p - rank_p != q - rank_q ||
                    !machine->clusters[inner].n_members)
                        return at;
                at = inner;
                number = number_p;
                p = rank_p;
                q = rank_q;
        }
}

const char *ps_clusters_count(ps_machine *machine)
{
        for (uint32_t i = 0; i < machine->n_clusters; i++) {
                ps_cluster *c = &machine->clusters[i];
                uint64_t ranks = !c->n_members, instances = c->n_members != 0, shown = 1;
                for (uint32_t k = 0; k < c->n_members; k++) {
                        const ps_cluster_member *member = &machine->cluster_members[c->first_member + k];
                        const ps_cluster *inner = &machine->clusters[member->cluster];
                        ranks += (uint64_t)member->count * inner->n_ranks;
                        instances += (uint64_t)member->count * inner->n_instances;
                        shown += inner->n_shown;
                        if (ranks > PS_MACHINE_RANKS_MAX || shown > PS_CLUSTERS_MAX)
                                return "it has too many processors or parts";
                }
                c->n_ranks = (uint32_t)ranks;
                c->n_instances = (uint32_t)instances;
                c->n_shown = (uint32_t)shown;
        }
        return NULL;
}

static double ratio_in_cluster(const ps_machine *m, uint32_t rank)
{
        uint32_t at = m->n_clusters - 1, number = 0;
        while (m->clusters[at].n_members)
                at = descend(m, at, &rank, &number);
        return m->clusters[at].cpu_ratio;
}

uint32_t ps_machine_node(const ps_machine *machine, uint32_t rank)
{
        if (rank < machine->n_node_of_rank)
                return machine->node_of_rank[rank];
        return machine->ranks_per_node ? rank / machine->ranks_per_node : rank;
}

typedef struct numbered {
        uint32_t node, rank;
} numbered;

static int compare_numbered(const void *a, const void *b)
{
        const numbered *x = a, *y = b;
        PS_ORDER_BY(x->node, y->node);
        return PS_ORDER(x->rank, y->rank);
}

ps_status ps_machine_number_nodes(uint32_t **out, uint32_t *n_nodes, const ps_machine *machine,
                                  uint32_t n_ranks, ps_error *err)
{
        numbered *of = malloc(((size_t)n_ranks + 1) * sizeof(*of));
        uint32_t *node = malloc(((size_t)n_ranks + 1) * sizeof(*node));
        *out = NULL;
        *n_nodes = 0;
        if (!of || !node) {
                free(of);
                free(node);
                return PS_NOMEM(err, "nodes", n_ranks);
        }
        for (uint32_t r = 0; r < n_ranks; r++)
                of[r] = (numbered){ps_machine_node(machine, r), r};
        if (n_ranks)
                qsort(of, n_ranks, sizeof(*of), compare_numbered);
        for (uint32_t i = 0; i < n_ranks; i++) {
                *n_nodes += i == 0 || of[i].node != of[i - 1].node;
                node[of[i].rank] = *n_nodes - 1;
        }
        free(of);
        *out = node;
        return PS_OK;
}

double ps_machine_cpu_ratio(const ps_machine *machine, uint32_t rank)
{
        if (rank < machine->cpu_ratios.n)
                return machine->cpu_ratios.row[rank];
        return machine->model == PS_MODEL_CLUSTER ? ratio_in_cluster(machine, rank) : machine->cpu_ratio;
}

static int compare_region(const void *key, const void *row)
{
        return strcmp(key, ((const ps_region_ratio *)row)->region);
}

double ps_machine_region_ratio(const ps_machine *machine, const char *region)
{
        const ps_region_ratio *row =
                !machine->n_region_ratios ? NULL
                                          : bsearch(region, machine->region_ratios, machine->n_region_ratios,
                                                    sizeof(*row), compare_region);
        return row ? row->cpu_ratio : 1;
}

uint32_t ps_machine_ranks(const ps_machine *machine)
{
        if (machine->model == PS_MODEL_LMO)
                return machine->lmo.n;
        return machine->model == PS_MODEL_CLUSTER ? machine->clusters[machine->n_clusters - 1].n_ranks
                                                  : UINT32_MAX;
}

ps_status ps_machine_fit(const ps_machine *machine, uint32_t n_ranks, ps_error *err)
{
        if (n_ranks <= ps_machine_ranks(machine))
                return PS_OK;
        return PS_FAIL(err, PS_E_USAGE, "the machine is too small: machine=\"%s\", processors=%u, needed=%u",
                       machine->name ? machine->name : ps_models[machine->model].name,
                       ps_machine_ranks(machine), n_ranks);
}
