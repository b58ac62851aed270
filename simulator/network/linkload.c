/* linkload.c - see linkload.h. Work and memory follow the pairs that have messages and the lengths of their
 * ways, not the size of the network. */
#include "simulator/network/linkload.h"

#include "core/base/map.h"
#include "core/base/search.h"
#include "core/base/vector.h"
#include "simulator/network/routes.h"

#include <stdlib.h>

typedef struct gathering {
        ps_link_load *out;
        ps_map row_of; /* (link, 0): its row */
        size_t cap;
} gathering;

static ps_link_load_row *find_load_row(gathering *g, const ps_network *network, uint32_t link)
{
        ps_link_load *out = g->out;
        ps_time *at = ps_map_at(&g->row_of, link, 0, (ps_time)out->n_rows);

        if (!at || (size_t)*at < out->n_rows)
                return at ? &out->rows[*at] : NULL;
        if (PS_ROOM(out->rows, out->n_rows, g->cap))
                return NULL;
        ps_network_link def = ps_network_link_at(network, link);
        out->rows[out->n_rows] = (ps_link_load_row){.from = def.from, .to = def.to, .weight = def.weight};
        return &out->rows[out->n_rows++];
}

static ps_status add_pair(gathering *g, const ps_network *network, ps_routes *routes,
                          const ps_profile_pair *pair, ps_error *err)
{
        const uint32_t *links;
        uint32_t n;

        PS_TRY(ps_routes_find(routes, pair->from, pair->to, &links, &n, err));
        g->out->n_messages += n ? pair->messages : 0;
        g->out->n_hops += n * pair->messages;
        g->out->n_bytes += n * pair->bytes;
        for (uint32_t i = 0; i < n; i++) {
                ps_link_load_row *row = find_load_row(g, network, links[i]);
                if (!row)
                        return PS_NOMEM(err, "links", g->out->n_rows);
                row->messages += pair->messages;
                row->bytes += pair->bytes;
        }
        return PS_OK;
}

static int by_load(const void *a, const void *b)
{
        const ps_link_load_row *x = a, *y = b;

        PS_ORDER_BY(y->load, x->load);
        PS_ORDER_BY(x->from, y->from);
        return PS_ORDER(x->to, y->to);
}

ps_status ps_link_load_make(ps_link_load **out, const ps_profile *profile, const ps_network *network,
                            ps_error *err)
{
        gathering g = {.out = calloc(1, sizeof(*g.out))};
        ps_routes *routes = NULL;
        ps_status status = g.out ? ps_routes_new(&routes, network, err) : PS_NOMEM(err, "links", 1);

        *out = NULL;
        for (size_t i = 0; i < profile->n_pairs && status == PS_OK; i++)
                status = add_pair(&g, network, routes, &profile->pairs[i], err);
        ps_routes_free(routes);
        ps_map_free(&g.row_of);
        if (status != PS_OK) {
                ps_link_load_free(g.out);
                return status;
        }
        g.out->n_links = ps_network_links(network);
        for (size_t i = 0; i < g.out->n_rows; i++)
                g.out->rows[i].load = (double)g.out->rows[i].bytes / g.out->rows[i].weight;
        if (g.out->n_rows)
                qsort(g.out->rows, g.out->n_rows, sizeof(*g.out->rows), by_load);
        *out = g.out;
        return PS_OK;
}

void ps_link_load_free(ps_link_load *load)
{
        if (!load)
                return;
        free(load->rows);
        free(load);
}
