/* scale.c - the same machine with another network. */
#include "simulator/cost/machine.h"

#include <math.h>

static double divided(double bandwidth, double by)
{
        return by > 0 ? bandwidth / by : INFINITY;
}

static void scale_link(ps_link *link, double latency, double per_byte)
{
        link->latency_s *= latency;
        link->bandwidth_bytes_per_s = divided(link->bandwidth_bytes_per_s, per_byte);
}

void ps_machine_scale(ps_machine *m, double latency, double per_byte)
{
        scale_link(&m->link, latency, per_byte);
        scale_link(&m->intra, latency, per_byte);
        for (uint32_t i = 0; i < m->n_clusters; i++)
                scale_link(&m->clusters[i].link, latency, per_byte);
        for (uint64_t i = 0; m->lmo.latency_s && i < (uint64_t)m->lmo.n * m->lmo.n; i++) {
                m->lmo.latency_s[i] *= latency;
                m->lmo.bandwidth_bytes_per_s[i] = divided(m->lmo.bandwidth_bytes_per_s[i], per_byte);
        }
        m->gap_s *= per_byte;
        for (uint32_t i = 0; i < m->gap_table.n; i++)
                m->gap_table.s[i] *= per_byte;
        m->hop_latency_s *= latency;
        m->link_bandwidth_bytes_per_s = divided(m->link_bandwidth_bytes_per_s, per_byte);
}

void ps_machine_idealize(ps_machine *m)
{
        m->model = PS_MODEL_BUS;
        m->link = (ps_link){0, INFINITY};
        m->has_intra = false;
}
