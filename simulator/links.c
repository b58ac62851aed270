/* links.c - packets along their routes. What is kept of a link exists from its first packet on, so that a
 * crossbar of thousands of processors costs what is used of it. */
#include "simulator/links.h"
#include "core/map.h"
#include "simulator/gaps.h"
#include "simulator/routes.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

enum { SWEEP_MIN = 1024 };

typedef struct line {
        ps_gaps_tree gaps;
        ps_time forgotten; /* until when */
        ps_link_use use;
} line;

struct ps_links {
        const ps_network *network;
        ps_routes *routes;
        double ps_per_byte;
        ps_time latency; /* of each link */
        ps_map index;    /* (link, 0): its row in `line`, or -1 */
        line *line;
        uint32_t n_lines, cap_lines;
        ps_gaps gaps;
        ps_time retired;
        uint32_t sweep_at; /* so many blocks of gaps */
};

ps_status ps_links_new(ps_links **out, const ps_network *network, double ps_per_byte, ps_error *err)
{
        if (!isfinite(ps_per_byte) || ps_per_byte < 0)
                return PS_FAIL(err, PS_E_USAGE, "time per byte must be 0 or more: ps_per_byte=%g",
                               ps_per_byte);
        ps_links *links = calloc(1, sizeof *links);
        if (!links)
                return PS_NOMEM(err, "links", 1);
        links->network = network;
        links->ps_per_byte = ps_per_byte;
        links->retired = INT64_MIN;
        links->sweep_at = SWEEP_MIN;
        ps_status status = ps_routes_new(&links->routes, network, err);
        if (status == PS_OK)
                *out = links;
        else
                ps_links_free(links);
        return status;
}

void ps_links_free(ps_links *links)
{
        if (!links)
                return;
        ps_routes_free(links->routes);
        ps_map_free(&links->index);
        ps_gaps_free(&links->gaps);
        free(links->line);
        free(links);
}

void ps_links_set_latency(ps_links *links, ps_time latency)
{
        links->latency = latency;
}

static line *new_line(ps_links *links)
{
        if (links->n_lines == links->cap_lines) {
                uint32_t cap = links->cap_lines ? 2 * links->cap_lines : 64;
                line *bigger = cap > links->cap_lines ? realloc(links->line, cap * sizeof *bigger) : NULL;
                if (!bigger)
                        return NULL;
                links->line = bigger;
                links->cap_lines = cap;
        }
        line *l = &links->line[links->n_lines];
        *l = (line){.forgotten = INT64_MIN};
        if (ps_gaps_new_tree(&links->gaps, &l->gaps) < 0)
                return NULL;
        links->n_lines++;
        return l;
}

static line *line_of(ps_links *links, uint32_t link)
{
        ps_time *index = ps_map_at(&links->index, link, 0, -1);
        if (!index || *index >= 0)
                return index ? &links->line[*index] : NULL;
        line *l = new_line(links);
        if (l)
                *index = l - links->line;
        return l;
}

static void forget(ps_links *links, line *l)
{
        if (l->forgotten < links->retired)
                ps_gaps_forget(&links->gaps, &l->gaps, links->retired);
        l->forgotten = links->retired;
}

/* Less than 0: it takes longer than there is time. */
static ps_time duration_of(const ps_links *links, uint32_t link, uint64_t bytes)
{
        long double exact =
                (long double)bytes * links->ps_per_byte / ps_network_link_at(links->network, link).weight;
        return exact < (long double)(PS_TIME_MAX / 2) ? llrintl(exact) : -1;
}

/* The packet is ready at the link's beginning at *at, and then at its end. */
static ps_status pass(ps_links *links, uint32_t link, uint64_t bytes, ps_time *at, ps_error *err)
{
        ps_time begin, duration = duration_of(links, link, bytes);
        line *l = line_of(links, link);
        if (!l)
                return PS_NOMEM(err, "links", links->n_lines);
        forget(links, l);
        ps_status status =
                duration < 0 ? PS_E_INPUT : ps_gaps_take(&links->gaps, &l->gaps, *at, duration, &begin);
        if (status == PS_E_NOMEM)
                return PS_NOMEM(err, "packets", ps_gaps_used(&links->gaps));
        if (status < 0)
                return PS_FAIL(err, status, "packet takes too long: bytes=%" PRIu64 ", ready_s=%g", bytes,
                               (double)*at / (double)PS_PS_PER_S);
        l->use.busy = ps_time_add(l->use.busy, duration);
        l->use.messages++;
        l->use.bytes = l->use.bytes > UINT64_MAX - bytes ? UINT64_MAX : l->use.bytes + bytes;
        *at = ps_time_add(begin + duration, links->latency);
        return PS_OK;
}

ps_status ps_links_send(ps_links *links, uint32_t from, uint32_t to, uint64_t bytes, ps_time injected,
                        ps_time *arrival, ps_error *err)
{
        const uint32_t *route;
        uint32_t n = 0;
        if (injected < links->retired)
                return PS_FAIL(err, PS_E_USAGE,
                               "packet is sent before a time that was retired: from=%u, to=%u", from, to);
        ps_status status = ps_routes_find(links->routes, from, to, &route, &n, err);
        for (uint32_t i = 0; i < n && status == PS_OK; i++)
                status = pass(links, route[i], bytes, &injected, err);
        if (status == PS_OK)
                *arrival = injected;
        return status;
}

/* Links that are used forget when they are; the others when there is twice as much to forget. */
void ps_links_retire(ps_links *links, ps_time before)
{
        if (before <= links->retired)
                return;
        links->retired = before;
        if (ps_gaps_used(&links->gaps) < links->sweep_at)
                return;
        for (uint32_t i = 0; i < links->n_lines; i++)
                forget(links, &links->line[i]);
        links->sweep_at =
                ps_gaps_used(&links->gaps) < SWEEP_MIN / 2 ? SWEEP_MIN : 2 * ps_gaps_used(&links->gaps);
}

ps_link_use ps_links_use(const ps_links *links, uint32_t link)
{
        ps_time index = ps_map_get(&links->index, link, 0, -1);
        return index < 0 ? (ps_link_use){0} : links->line[index].use;
}
