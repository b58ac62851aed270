/* flows.h - how many messages and bytes each pair of processes had under way over time: sums for a page that
 * has too many messages for them to be looked at one by one. */
#ifndef PS_REPORT_PAGE_FLOWS_H
#define PS_REPORT_PAGE_FLOWS_H

#include "report/page/lanes.h"

typedef enum ps_flow_what { PS_FLOW_MESSAGES, PS_FLOW_BYTES, PS_FLOW_KINDS } ps_flow_what;

typedef struct ps_flows {
        size_t n_pairs;             /* those of the profile; 0: there are none */
        uint32_t n_bins;            /* of the profile's span, of the same length */
        float *under_way;           /* [pair][bin][what], on average */
        float *most[PS_FLOW_KINDS]; /* [pair]: of its bins */
        double largest[PS_FLOW_KINDS];
} ps_flows;

/* To be cleared, also after a failure. */
ps_status ps_flows_make(ps_flows *out, const ps_report *report, ps_error *err);
void ps_flows_clear(ps_flows *flows);

/* Of a bin: in 255ths of the most of its pair. */
uint8_t ps_flow_at(const ps_flows *flows, ps_flow_what what, size_t pair, uint32_t bin);
/* As a part of the largest of all, which is UINT32_MAX. */
uint32_t ps_flow_most(const ps_flows *flows, ps_flow_what what, size_t pair);

#endif
