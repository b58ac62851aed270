/* hockney.h - random programs, and what they take on a machine by Hockney's formula, worked out apart from
 * the replay: every rank goes on until it needs what is not known yet, again and again.
 *
 * A message is there latency + bytes / bandwidth after it was sent or, beyond the eager limit, after it was
 * sent and its receive posted; its sender is then free when the first or the last byte has left. A collective
 * operation takes that time once for each doubling of its members, after the last one has come, or the root.
 */
#ifndef PS_TESTS_SIMULATOR_REPLAY_HOCKNEY_H
#define PS_TESTS_SIMULATOR_REPLAY_HOCKNEY_H

#include "tests/simulator/replay/lab.h"

enum { HOCKNEY_REGIONS = 3 };

extern const char *const hockney_regions[HOCKNEY_REGIONS];

typedef struct hockney_machine {
        double latency_ps, ps_per_byte;
        uint64_t eager_bytes;
        bool frees_at_end;              /* senders */
        double factor[HOCKNEY_REGIONS]; /* of what the regions compute */
} hockney_machine;

typedef struct hockney hockney;

/* As many steps, each of which all ranks take part in or two do; messages have between two and four sizes. */
hockney *hockney_new(uint64_t seed, uint32_t n_ranks, uint32_t n_steps);
void hockney_free(hockney *program);
/* How long it takes. */
ps_time hockney_time(hockney *program, const hockney_machine *machine);
/* As a recorder would have seen it there. */
ps_trace *hockney_trace(hockney *program, const hockney_machine *machine,
                        const struct ps_piece_options *pieces);

#endif
