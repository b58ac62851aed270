/* machine.h - one description of a parallel machine, for all that predicts times.
 *
 * A machine is a model (models.def) and its parameters, in seconds and bytes as its file has them; costs are
 * picoseconds, rounded once for each part of a message. Whoever predicts takes costs from models.h
 * (messages), collectives.h, trees.h and exchange.h (transfer matrices); the parameters themselves are for
 * those who print or change them. simulator/machine/file.h reads and writes machines. */
#ifndef PS_SIMULATOR_COST_MACHINE_H
#define PS_SIMULATOR_COST_MACHINE_H

#include "core/base/error.h"
#include "core/base/types.h"
#include "core/model/kinds.h"

typedef enum ps_model {
#define PS_MODEL(id, name, title, formula, source) PS_MODEL_##id,
#include "simulator/cost/models.def"
#undef PS_MODEL
        PS_N_MODELS
} ps_model;

typedef enum ps_send_mode {
        PS_SEND_BY_SIZE,
        PS_SEND_SYNCHRONOUS,
        PS_SEND_BUFFERED,
        PS_N_SEND_MODES
} ps_send_mode;

extern const char *const ps_send_modes[PS_N_SEND_MODES];

/* Of the links of a network: who is there first has a link for itself, or all who are there have equal parts.
 */
typedef enum ps_sharing { PS_SHARING_FIFO, PS_SHARING_FAIR, PS_N_SHARINGS } ps_sharing;

extern const char *const ps_sharings[PS_N_SHARINGS];

enum { PS_GRID_RANK = 4, PS_MACHINE_RANKS_MAX = 1 << 20, PS_LMO_RANKS_MAX = 1024, PS_CLUSTERS_MAX = 1 << 16 };

/* A straight line: latency_s + bytes / bandwidth. An infinite bandwidth costs nothing. */
typedef struct ps_link {
        double latency_s, bandwidth_bytes_per_s;
} ps_link;

/* A function of the size by points, sorted by bytes; straight between them and past the last two. */
typedef struct ps_table {
        double *bytes, *s;
        uint32_t n;
} ps_table;

/* Each processor and each pair of its own: C, t, L, beta. Pairs: [i * n + j], the diagonal is not used. */
typedef struct ps_lmo {
        uint32_t n;
        double *processing_s, *processing_s_per_byte, *latency_s, *bandwidth_bytes_per_s;
        double scatter_bytes, gather_low_bytes, gather_high_bytes; /* S, M1, M2 */
        double escalation_s, escalation_probability; /* what a gather between M1 and M2 may take longer */
} ps_lmo;

/* A processor (n_members 0) or a cluster of them. A member is a cluster, `count` times; it stands before its
 * cluster in the table, so that there are no circles. */
typedef struct ps_cluster {
        char *name; /* may be NULL */
        ps_link link;
        uint32_t channels; /* messages at a time; 0: any number */
        double cpu_ratio;  /* of a processor */
        uint32_t first_member, n_members;
        uint32_t n_ranks, n_instances; /* processors; clusters, itself included */
        uint32_t n_shown;              /* parts of its description, each member once */
} ps_cluster;

typedef struct ps_cluster_member {
        uint32_t count, cluster;
} ps_cluster_member;

typedef struct ps_region_ratio {
        char *region;
        double cpu_ratio;
} ps_region_ratio;

/* By rank, NULL or a table. */
typedef struct ps_ratios {
        double *row;
        uint32_t n, cap;
} ps_ratios;

/* The ways through a network, which this module knows nothing of. */
typedef struct ps_ways ps_ways;

typedef struct ps_machine {
        ps_model model;
        char *name, *source; /* NULL or text */
        ps_link link;        /* TS, TB; L, beta; L, G */
        bool has_intra;      /* ranks of one node have `intra` instead of `link` */
        ps_link intra;
        double send_overhead_s, send_overhead_s_per_byte;
        double receive_overhead_s, receive_overhead_s_per_byte;
        double gap_s;
        double processing_s, processing_s_per_byte;    /* HLMO: C, t */
        ps_table send_table, receive_table, gap_table; /* PLogP: os, or, g */
        ps_lmo lmo;
        /* A send of more bytes than eager_bytes waits for its receive: rendezvous. UINT64_MAX: none does. */
        uint64_t eager_bytes;
        uint32_t handshakes;    /* latencies between the meeting and the data of a rendezvous */
        int sender_free_at_end; /* of the transfer, under rendezvous; otherwise when it starts */
        ps_send_mode send_mode;
        uint32_t buses, links_in, links_out; /* Dimemas; 0: any number */
        uint32_t channels;                   /* Myrinet */
        char *network;                       /* TOPOLOGY: file or preset of simulator/network/network.h */
        double link_bandwidth_bytes_per_s, hop_latency_s; /* of an edge of weight 1 */
        ps_sharing sharing;
        ps_ways *ways;           /* simulator/network/ways.h, not the machine's own; NULL: L + b/B alone */
        uint32_t ranks_per_node; /* 0: each rank has a node of its own */
        uint32_t *node_of_rank, n_node_of_rank; /* overrides ranks_per_node; NULL or a table */
        double cpu_ratio;                       /* time = recorded time / ratio */
        ps_ratios cpu_ratios;                   /* others have cpu_ratio */
        ps_region_ratio *region_ratios;         /* sorted by name */
        uint32_t n_region_ratios;
        uint32_t grid[PS_GRID_RANK], grid_rank; /* the processors of a DVM program; rank 0: not told */
        ps_ratios block_weights;
        ps_cluster *clusters; /* the last one is the machine */
        ps_cluster_member *cluster_members;
        uint32_t n_clusters, cap_clusters, n_cluster_members, cap_cluster_members;
        uint8_t collective[PS_K_COUNT][2]; /* ps_shape (collectives.h): the way in, the way out */
} ps_machine;

struct ps_ways {
        /* The seconds that a message is under way between ranks of two nodes. */
        double (*flight)(ps_ways *ways, const ps_machine *machine, uint32_t from, uint32_t to, double bytes);
};

typedef struct ps_model_info {
        const char *name, *title, *formula, *source;
} ps_model_info;

extern const ps_model_info ps_models[PS_N_MODELS];

/* `machine` may be on the stack or of ps_machine_open(); these set what a file need not say. */
void ps_machine_init(ps_machine *machine, ps_model model);
void ps_machine_clear(ps_machine *machine);
void ps_machine_free(ps_machine *machine); /* NULL is fine */

/* Another network: all latencies, and what each byte takes, so many times as long. */
void ps_machine_scale(ps_machine *machine, double latency, double per_byte);
void ps_machine_idealize(ps_machine *machine); /* messages cost nothing; processors stay */

/* -- ranks and nodes -- */

uint32_t ps_machine_node(const ps_machine *machine, uint32_t rank);
/* The nodes of the first ranks, numbered from 0 in the order of their numbers; to be freed. */
ps_status ps_machine_number_nodes(uint32_t **out, uint32_t *n_nodes, const ps_machine *machine,
                                  uint32_t n_ranks, ps_error *err);
double ps_machine_cpu_ratio(const ps_machine *machine, uint32_t rank);
double ps_machine_region_ratio(const ps_machine *machine, const char *region); /* 1 if it has none */
uint32_t ps_machine_ranks(const ps_machine *machine); /* how many it is made for; UINT32_MAX: any number */
/* An error when the machine is made for fewer ranks. */
ps_status ps_machine_fit(const ps_machine *machine, uint32_t n_ranks, ps_error *err);

/* CLUSTER: the smallest cluster that holds both; `instance`, if not NULL, becomes which one it is of those
 * with equal parameters: a number below clusters[n_clusters - 1].n_instances. */
uint32_t ps_cluster_find(const ps_machine *machine, uint32_t p, uint32_t q, uint32_t *instance);

/* Fills in the counts of all clusters; NULL, or what is wrong with them. */
const char *ps_clusters_count(ps_machine *machine);

/* What every prediction prints: the formula with its values. Returns `room`. */
enum { PS_FORMULA_ROOM = 1024 };
const char *ps_machine_formula(const ps_machine *machine, char room[PS_FORMULA_ROOM]);

#endif
