/* linkload.h - what the messages of a run would put on the links of a network, whatever it really ran on:
 * each pair of processes has its messages sent along the way between its two processors. */
#ifndef PS_SIMULATOR_NETWORK_LINKLOAD_H
#define PS_SIMULATOR_NETWORK_LINKLOAD_H

#include "core/sums/profile.h"
#include "simulator/network/network.h"

typedef struct ps_link_load_row {
        uint32_t from, to;   /* nodes */
        double weight, load; /* load: bytes / weight */
        uint64_t messages, bytes;
} ps_link_load_row;

typedef struct ps_link_load {
        ps_link_load_row *rows; /* links that carry anything: highest load first, then by from and to */
        size_t n_rows;
        uint32_t n_links;         /* of the network */
        uint64_t n_messages;      /* that stay on no node: from == to is no way */
        uint64_t n_hops, n_bytes; /* links that all messages take together, and bytes on all links */
} ps_link_load;

/* Process i runs on processor i, which the network must have. */
ps_status ps_link_load_make(ps_link_load **out, const ps_profile *profile, const ps_network *network,
                            ps_error *err);
void ps_link_load_free(ps_link_load *load);

#endif
