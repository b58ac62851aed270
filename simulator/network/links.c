/* links.c - packets along their routes. What is kept of a link exists from its first packet on, so that a
 * crossbar of thousands of processors costs what is used of it. */
#include "simulator/network/links.h"
#include "core/base/gaps.h"
#include "core/base/map.h"
#include "core/base/vector.h"
#include "simulator/network/routes.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SWEEP_MIN = 1024 };

/* What is kept of a link: one line of the cache. */
typedef struct line {
        _Alignas(64) ps_gaps_tree gaps;
        uint32_t speed;
} line;

/* Links of one weight, and how long the last packet took on one of them: many are equally long. */
typedef struct speed {
        double weight;
        uint64_t bytes;
        ps_time duration;
} speed;

struct ps_links {
        const ps_network *network;
        ps_routes *routes;
        double ps_per_byte;
        ps_time latency;   /* of each link */
        uint32_t *line_of; /* by link: its row in `line`, 0: nothing was sent yet; a crossbar has too many */
        ps_map index;      /* of a crossbar: (link, 0): the same */
        ps_map weights;    /* a weight's two halves: its row in `speed` */
        speed *speed;
        line *line;
        uint32_t n_lines, cap_lines, cap_speeds;
        ps_gaps gaps;
        uint32_t sweep_at; /* so many blocks of gaps */
};

/* The first one stands for "none". Each row is a cache line, which core/base/vector knows nothing of. */
static bool reserve_line(ps_links *links)
{
        uint32_t cap = links->cap_lines ? 2 * links->cap_lines : 64;
        void *bigger = NULL;
        if (links->n_lines < links->cap_lines)
                return true;
        if (cap < links->cap_lines || posix_memalign(&bigger, sizeof(line), cap * sizeof(line)))
                return false;
        if (links->cap_lines)
                memcpy(bigger, links->line, links->n_lines * sizeof(line));
        else
                links->n_lines = 1;
        free(links->line);
        links->line = bigger;
        links->cap_lines = cap;
        return true;
}

ps_status ps_links_new(ps_links **out, const ps_network *network, double ps_per_byte, ps_error *err)
{
        if (!isfinite(ps_per_byte) || ps_per_byte < 0)
                return PS_FAIL(err, PS_E_USAGE, "the time per byte must be 0 or more: ps_per_byte=%g",
                               ps_per_byte);
        ps_links *links = calloc(1, sizeof *links);
        if (!links)
                return PS_NOMEM(err, "links", 1);
        links->network = network;
        links->ps_per_byte = ps_per_byte;
        links->gaps = PS_GAPS_NEW;
        links->sweep_at = SWEEP_MIN;
        ps_status status = ps_routes_new(&links->routes, network, err);
        if (status == PS_OK && !ps_network_is_implicit(network)) {
                size_t n = (size_t)ps_network_links(network) + 1;
                links->line_of = calloc(n, sizeof *links->line_of);
                status = links->line_of && reserve_line(links) ? PS_OK : PS_NOMEM(err, "links", n);
        }
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
        ps_map_free(&links->weights);
        ps_gaps_free(&links->gaps);
        free(links->line_of);
        free(links->speed);
        free(links->line);
        free(links);
}

void ps_links_set_latency(ps_links *links, ps_time latency)
{
        links->latency = latency;
}

/* PS_NONE when there is no memory. */
static uint32_t speed_of(ps_links *links, double weight)
{
        uint32_t half[2];
        memcpy(half, &weight, sizeof half);
        uint32_t n = (uint32_t)links->weights.n;
        ps_time *row = ps_map_at(&links->weights, half[0], half[1], n);
        if (!row || *row < n)
                return row ? (uint32_t)*row : PS_NONE;
        if (PS_ROOM(links->speed, n, links->cap_speeds))
                return PS_NONE;
        links->speed[n] = (speed){weight, 0, 0};
        return n;
}

/* 0 when there is no memory. */
static uint32_t new_line(ps_links *links, uint32_t link)
{
        uint32_t own = speed_of(links, ps_network_link_at(links->network, link).weight);
        if (own == PS_NONE || !reserve_line(links))
                return 0;
        links->line[links->n_lines] = (line){.gaps = PS_GAPS_ALL_FREE, .speed = own};
        return links->n_lines++;
}

/* On the first packet of a link, and of a crossbar's on each. */
static uint32_t find_line(ps_links *links, uint32_t link)
{
        if (links->line_of)
                return links->line_of[link] = new_line(links, link);
        ps_time *at = ps_map_at(&links->index, link, 0, 0);
        if (at && !*at)
                *at = new_line(links, link);
        return at ? (uint32_t)*at : 0;
}

/* Less than 0: it takes longer than there is time. */
static ps_time duration_of(const ps_links *links, speed *s, uint64_t bytes)
{
        if (s->bytes == bytes)
                return s->duration;
        long double exact = (long double)bytes * links->ps_per_byte / s->weight;
        s->bytes = bytes;
        s->duration = exact < (long double)(PS_TIME_MAX / 2) ? llrintl(exact) : -1;
        return s->duration;
}

/* The packet is ready at the link's beginning at *at, and then at its end. */
static ps_status pass_packet(ps_links *links, uint32_t link, uint64_t bytes, ps_time *at, ps_error *err)
{
        uint32_t row = links->line_of ? links->line_of[link] : 0;
        if (!row)
                row = find_line(links, link);
        if (!row)
                return PS_NOMEM(err, "links", links->n_lines);
        line *l = &links->line[row];
        ps_time begin, duration = duration_of(links, &links->speed[l->speed], bytes);
        ps_status status =
                duration < 0 ? PS_E_INPUT : ps_gaps_take(&links->gaps, &l->gaps, *at, duration, &begin);
        if (status == PS_E_NOMEM)
                return PS_NOMEM(err, "packets", ps_gaps_used(&links->gaps));
        if (status != PS_OK)
                return PS_FAIL(err, status, "a packet takes too long: bytes=%" PRIu64 ", ready_s=%g", bytes,
                               ps_time_seconds(*at));
        *at = ps_time_add(begin + duration, links->latency);
        return PS_OK;
}

ps_status ps_links_send(ps_links *links, uint32_t from, uint32_t to, uint64_t bytes, ps_time injected,
                        ps_time *arrival, ps_error *err)
{
        const uint32_t *route;
        uint32_t n = 0;
        if (injected < links->gaps.retired)
                return PS_FAIL(err, PS_E_INTERNAL,
                               "packet is sent before a time that was retired: from=%u, to=%u", from, to);
        PS_TRY(ps_routes_find(links->routes, from, to, &route, &n, err));
        for (uint32_t i = 0; i < n && links->line_of; i++) /* they are waited for together */
                __builtin_prefetch(&links->line[links->line_of[route[i]]]);
        for (uint32_t i = 0; i < n; i++)
                PS_TRY(pass_packet(links, route[i], bytes, &injected, err));
        *arrival = injected;
        return PS_OK;
}

/* Links that are used forget when they are; the others when there is twice as much to forget. */
void ps_links_retire(ps_links *links, ps_time before)
{
        if (before <= links->gaps.retired)
                return;
        ps_gaps_retire(&links->gaps, before);
        if (ps_gaps_used(&links->gaps) < links->sweep_at)
                return;
        for (uint32_t i = 1; i < links->n_lines; i++)
                ps_gaps_forget(&links->gaps, &links->line[i].gaps);
        links->sweep_at =
                ps_gaps_used(&links->gaps) < SWEEP_MIN / 2 ? SWEEP_MIN : 2 * ps_gaps_used(&links->gaps);
}
