/* preset.c - the networks that have a name.
 *
 * Processors come first in the numbering, as everywhere; how switches are numbered only decides between ways
 * that cost the same. */
#include "simulator/network/internal.h"

#include <stdlib.h>
#include <string.h>

typedef struct plan {
        const char *spec;
        uint32_t n_processors, n_nodes;
        double weight; /* of each link, or of a fat tree's lowest */
        uint32_t n_sizes, size[PS_SHAPE_DIMS];
        ps_shape shape;
        ps_network_edges edges;
        ps_error *err;
} plan;

typedef struct preset {
        ps_network_preset_info info;
        uint32_t max_sizes;
        ps_status (*build)(plan *p);
} preset;

static ps_status reject(const plan *p, const char *why)
{
        return PS_FAIL(p->err, PS_E_USAGE, "%s: network=\"%.60s\", processors=%u", why, p->spec,
                       p->n_processors);
}

static ps_status add_link(plan *p, uint32_t from, uint32_t to)
{
        return ps_network_edges_add(&p->edges, from, to, p->weight, p->err);
}

/* -- grids -- */

/* The neighbours of node v, whose coordinate is x of `size`, along a dimension where steps are `stride`. Two
 * nodes that are neighbours both ways round have one link. */
static ps_status link_neighbours(plan *p, uint32_t v, uint32_t x, uint32_t size, uint32_t stride)
{
        uint32_t round = (size - 1) * stride;
        int wraps = p->shape.wraps && size > 2;
        if (x + 1 < size)
                PS_TRY(add_link(p, v, v + stride));
        else if (wraps)
                PS_TRY(add_link(p, v, v - round));
        if (x > 0)
                PS_TRY(add_link(p, v, v - stride));
        else if (wraps)
                PS_TRY(add_link(p, v, v + round));
        return PS_OK;
}

static ps_status build_grid(plan *p)
{
        uint64_t n = 1;
        for (uint32_t i = 0; i < p->n_sizes; i++) {
                n *= p->size[i];
                if (n > PS_NETWORK_NODES_MAX)
                        return reject(p, "network has too many nodes");
        }
        if (n < p->n_processors)
                return reject(p, "network is too small");
        p->n_nodes = (uint32_t)n;
        p->shape.n = p->n_sizes;
        memcpy(p->shape.size, p->size, sizeof p->size);
        for (uint32_t v = 0; v < p->n_nodes; v++)
                for (uint32_t i = p->n_sizes, stride = 1; i-- > 0; stride *= p->size[i]) {
                        PS_TRY(link_neighbours(p, v, v / stride % p->size[i], p->size[i], stride));
                }
        return PS_OK;
}

/* Rows and columns as near to each other as whole numbers without a rest can be. */
static void default_to_square(plan *p)
{
        uint32_t rows = 1;
        for (uint32_t i = 2; (uint64_t)i * i <= p->n_processors; i++)
                if (p->n_processors % i == 0)
                        rows = i;
        p->n_sizes = 2;
        p->size[0] = rows;
        p->size[1] = p->n_processors / rows;
}

static ps_status build_mesh(plan *p)
{
        p->shape.kind = PS_SHAPE_GRID;
        if (p->n_sizes == 0)
                default_to_square(p);
        return build_grid(p);
}

static ps_status build_torus(plan *p)
{
        p->shape.wraps = 1;
        return build_mesh(p);
}

static ps_status build_ring(plan *p)
{
        p->n_sizes = 1;
        p->size[0] = p->n_processors;
        return build_torus(p);
}

static ps_status build_hypercube(plan *p)
{
        if (p->n_processors & (p->n_processors - 1))
                return reject(p, "a hypercube needs a power of two processors");
        while (UINT32_C(1) << p->n_sizes < p->n_processors)
                p->size[p->n_sizes++] = 2;
        p->shape.kind = PS_SHAPE_CUBE;
        return build_grid(p);
}

/* -- trees -- */

/* Links both ways between each node of a level and its switch in the next one. */
static ps_status link_level(plan *p, uint32_t level)
{
        const uint32_t *start = &p->shape.start[level];
        for (uint32_t i = 0; i < start[1] - start[0]; i++) {
                uint32_t child = start[0] + i, parent = start[1] + i / p->shape.arity;
                PS_TRY(add_link(p, child, parent));
                PS_TRY(add_link(p, parent, child));
        }
        return PS_OK;
}

/* `growth`: what a link weighs in terms of one that is a level lower. */
static ps_status build_levels(plan *p, uint32_t growth)
{
        ps_shape *s = &p->shape;
        s->kind = PS_SHAPE_TREE;
        s->start[1] = p->n_processors;
        for (s->n_levels = 1; s->start[s->n_levels] - s->start[s->n_levels - 1] > 1; s->n_levels++) {
                uint32_t nodes = s->start[s->n_levels] - s->start[s->n_levels - 1];
                s->start[s->n_levels + 1] = s->start[s->n_levels] + (nodes - 1) / s->arity + 1;
        }
        p->n_nodes = s->start[s->n_levels];
        if (p->n_nodes > PS_NETWORK_NODES_MAX)
                return reject(p, "network has too many nodes");
        for (uint32_t level = 0; level + 1 < s->n_levels; level++, p->weight *= growth) {
                PS_TRY(link_level(p, level));
        }
        return PS_OK;
}

static ps_status set_arity(plan *p)
{
        p->shape.arity = p->n_sizes ? p->size[0] : 2;
        return p->shape.arity > 1 ? PS_OK : reject(p, "a switch of a tree needs two branches or more");
}

static ps_status build_tree(plan *p)
{
        PS_TRY(set_arity(p));
        return build_levels(p, 1);
}

static ps_status build_fattree(plan *p)
{
        PS_TRY(set_arity(p));
        return build_levels(p, p->shape.arity);
}

static ps_status build_star(plan *p)
{
        p->shape.arity = p->n_processors > 1 ? p->n_processors : 2;
        return build_levels(p, 1);
}

static ps_status build_crossbar(plan *p)
{
        if (p->n_processors > 1 << 16)
                return reject(p, "network has too many links");
        p->n_nodes = p->n_processors;
        p->shape.kind = PS_SHAPE_CROSSBAR;
        p->shape.weight = p->weight;
        return PS_OK;
}

/* -- the table -- */

static const preset presets[] = {
        {{"crossbar", "",
          "a link of its own for each pair: distances are equal, and messages do not hinder each other"},
         0,
         build_crossbar},
        {{"fattree", ":ARITY",
          "tree whose links get wider by ARITY (2) with each level: its root is no bottleneck"},
         1,
         build_fattree},
        {{"hypercube", "", "links between numbers that differ in one bit; a power of two processors"},
         0,
         build_hypercube},
        {{"mesh", ":AxBx...",
          "grid, the last coordinate varies fastest; by default two dimensions, near a square"},
         PS_SHAPE_DIMS,
         build_mesh},
        {{"ring", "", "each processor has a link to the next and to the one before"}, 0, build_ring},
        {{"star", "",
          "one switch in the middle, of unlimited speed; each processor has one link to and from it"},
         0,
         build_star},
        {{"torus", ":AxBx...", "mesh whose first and last nodes are linked in each dimension"},
         PS_SHAPE_DIMS,
         build_torus},
        {{"tree", ":ARITY", "processors are leaves, switches have ARITY (2) branches, all links are equal"},
         1,
         build_tree},
};

enum { N_PRESETS = sizeof presets / sizeof *presets };

const ps_network_preset_info *ps_network_preset_row(uint32_t i)
{
        return i < N_PRESETS ? &presets[i].info : NULL;
}

static const preset *find_preset(const char *name, size_t len)
{
        for (uint32_t i = 0; i < N_PRESETS; i++)
                if (strlen(presets[i].info.name) == len && !memcmp(presets[i].info.name, name, len))
                        return &presets[i];
        return NULL;
}

bool ps_network_is_preset(const char *spec)
{
        return find_preset(spec, strcspn(spec, ":@")) != NULL;
}

static ps_status read_sizes(plan *p, uint32_t max_sizes, const char *text, const char *end)
{
        for (const char *stop; text <= end; text = stop + 1) {
                stop = memchr(text, 'x', (size_t)(end - text));
                stop = stop ? stop : end;
                if (p->n_sizes == max_sizes)
                        return reject(p, "network takes fewer sizes");
                uint32_t *size = &p->size[p->n_sizes++];
                if (!ps_network_whole(text, (size_t)(stop - text), PS_NETWORK_NODES_MAX, size) || *size == 0)
                        return reject(p, "sizes of a network are whole numbers, as in 4x4");
        }
        return PS_OK;
}

static ps_status read_spec(plan *p, const preset **out)
{
        size_t name = strcspn(p->spec, ":@"), sizes = strcspn(p->spec, "@");
        *out = find_preset(p->spec, name);
        if (!*out)
                return reject(p, "there is no network of this name");
        if (p->n_processors == 0 || p->n_processors > PS_NETWORK_NODES_MAX)
                return reject(p, "a network needs 1 to 1048576 processors");
        p->weight = 1;
        if (p->spec[sizes] == '@' &&
            !ps_network_weight(p->spec + sizes + 1, strlen(p->spec + sizes + 1), &p->weight))
                return reject(p, "weight of a network's links is a positive number, as in ring@2.5");
        if (p->spec[name] != ':')
                return PS_OK;
        return read_sizes(p, (*out)->max_sizes, p->spec + name + 1, p->spec + sizes);
}

ps_status ps_network_preset(ps_network **out, const char *spec, uint32_t n_processors, ps_error *err)
{
        plan p = {.spec = spec, .n_processors = n_processors, .err = err};
        const preset *found;
        ps_status status = read_spec(&p, &found);
        PS_THEN(status, found->build(&p));
        if (status == PS_OK)
                return ps_network_build(out, p.n_nodes, &p.edges, &p.shape, err);
        free(p.edges.row);
        return status;
}
