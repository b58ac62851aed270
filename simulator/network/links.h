/* links.h - who occupies which link of a network when: the model of congestion.
 *
 * After Martinaitis, "The Simulation and Visualization of Parallel BMF Code", 6.3: a link carries one packet
 * at a time, for bytes * (time per byte) / weight, and a node has a whole packet before it passes it on. A
 * packet takes the first gap in what was promised so far that is long enough. What was promised is never
 * taken back: THE RESULT DEPENDS ON THE ORDER OF THE CALLS, not only on the times, as it does there. Whoever
 * wants first come, first served has to send in the order of time. */
#ifndef PS_SIMULATOR_NETWORK_LINKS_H
#define PS_SIMULATOR_NETWORK_LINKS_H

#include "simulator/network/network.h"

typedef struct ps_links ps_links;

/* Borrows the network. A byte takes `ps_per_byte` picoseconds on a link of weight 1 (finite, >= 0); the time
 * of a packet on a link is rounded once, to the nearest picosecond. */
ps_status ps_links_new(ps_links **out, const ps_network *network, double ps_per_byte, ps_error *err);
void ps_links_free(ps_links *links);

/* A packet needs so much longer to the end of each link, which is free for others meanwhile; >= 0, 0 unless
 * set. */
void ps_links_set_latency(ps_links *links, ps_time latency);

/* A packet is ready at node `from` at `injected`; at `arrival` its last link is done. from == to: at once.
 * After an error (no way, times too large, no memory) `links` can only be freed. */
ps_status ps_links_send(ps_links *links, uint32_t from, uint32_t to, uint64_t bytes, ps_time injected,
                        ps_time *arrival, ps_error *err);

/* Promises that nothing will be sent at an earlier time any more: what ended before it is forgotten. */
void ps_links_retire(ps_links *links, ps_time before);

#endif
