/* tree.c - the call tree of one location while it grows, and the common one of all. */
#include "core/base/search.h"
#include "core/fold/builder.h"

#include "core/base/hash.h"
#include "core/base/parallel.h"
#include "core/base/vector.h"

#include <stdlib.h>
#include <string.h>

static bool same_place(const ps_path_node *a, const ps_path_node *b)
{
        return a->parent == b->parent && a->region == b->region && a->site_line == b->site_line &&
               a->site_file == b->site_file && a->frame_line == b->frame_line &&
               a->frame_file == b->frame_file;
}

static uint64_t place_hash(const ps_path_node *p)
{
        uint64_t sites = ((uint64_t)p->site_line << 32 | p->frame_line) ^
                         ps_hash_mix((uint64_t)p->site_file << 32 | p->frame_file);
        return ps_hash_pair((uint64_t)p->parent << 32 | p->region, sites);
}

static uint64_t hash_of_node(const void *nodes, uint32_t node)
{
        return place_hash(&((const struct node *)nodes)[node].place);
}

static bool is_like(const void *place, const void *nodes, uint32_t node)
{
        return same_place(&((const struct node *)nodes)[node].place, place);
}

/* The node that is like `place`, a new one if need be; 0 when memory is out. */
static ps_path look_up(struct tree *tree, const ps_path_node *place)
{
        if (PS_ROOM(tree->node, tree->n, tree->cap) ||
            ps_lookup_room(&tree->by_place, tree->n, hash_of_node, tree->node))
                return 0;
        uint32_t *slot = ps_lookup_find(&tree->by_place, place_hash(place), is_like, place, tree->node);
        if (!*slot) {
                ps_path id = tree->n++;
                bool is_plain =
                        !place->site_file && !place->site_line && !place->frame_file && !place->frame_line;
                tree->node[id] = (struct node){.place = *place,
                                               .use = {.path = is_plain ? place->region : PS_NONE},
                                               .enter = PS_NO_RECORD,
                                               .leave = PS_NO_RECORD};
                *slot = id + 1;
        }
        return *slot - 1;
}

int ps_tree_init(struct tree *tree)
{
        *tree = (struct tree){0};
        look_up(tree, &(ps_path_node){.parent = PS_NONE, .region = PS_NONE});
        return tree->n ? 0 : -1;
}

void ps_tree_free(struct tree *tree)
{
        free(tree->node);
        ps_lookup_free(&tree->by_place);
        *tree = (struct tree){0};
}

void ps_tree_shrink(struct tree *tree)
{
        /* Not by realloc(), which leaves behind a place that is too small for the next location's. */
        struct node *node = malloc(tree->n * sizeof(*node));
        ps_lookup_free(&tree->by_place);
        if (!node)
                return;
        memcpy(node, tree->node, tree->n * sizeof(*node));
        free(tree->node);
        tree->node = node;
        tree->cap = tree->n;
}

ps_path ps_tree_child(struct tree *tree, const ps_path_node *place)
{
        ps_path child = look_up(tree, place);
        if (child)
                ps_tree_go(tree, child);
        return child;
}

/* -- all locations' trees in one -- */

struct merge {
        ps_trace *trace;
        ps_builder **builders;
        ps_path **map; /* [location][own node] -> common node */
};

static ps_status merge_one(ps_trace *trace, struct tree *all, const ps_builder *b, ps_path **map,
                           ps_error *err)
{
        *map = malloc(b->tree.n * sizeof(**map));
        if (!*map)
                return PS_NOMEM(err, "call paths", b->tree.n);
        (*map)[0] = 0;
        for (uint32_t i = 1; i < b->tree.n; i++) {
                ps_path_node place = b->tree.node[i].place;
                place.parent = (*map)[place.parent];
                (*map)[i] = look_up(all, &place);
                if (!(*map)[i])
                        return PS_NOMEM(err, "call paths", all->n);
        }
        ps_location_info *info = &trace->info[b->location];
        info->uses = PS_ARENA_NEW(trace->arena, ps_path_use, b->tree.n);
        return info->uses ? PS_OK : PS_NOMEM(err, "call paths", b->tree.n);
}

static int compare_use(const void *a, const void *b)
{
        const ps_path_use *x = a, *y = b;
        return PS_ORDER(x->path, y->path);
}

/* Renumbers one location's rows and uses. */
static ps_status renumber(void *ctx, uint32_t i, unsigned worker, ps_error *err)
{
        (void)worker;
        (void)err;
        struct merge *m = ctx;
        ps_builder *b = m->builders[i];
        if (!b)
                return PS_OK;
        const ps_path *map = m->map[i];
        ps_builder_map_pieces(b, map);
        for (uint32_t k = 0; k < b->ops.n; k++)
                b->ops.path[k] = map[b->ops.path[k]];
        ps_location_info *info = &m->trace->info[i];
        for (uint32_t k = 0; k < b->tree.n; k++)
                if (b->tree.node[k].use.visits) {
                        info->uses[info->n_uses] = b->tree.node[k].use;
                        info->uses[info->n_uses++].path = map[k];
                }
        qsort(info->uses, info->n_uses, sizeof(*info->uses), compare_use);
        return PS_OK;
}

static ps_status keep_paths(ps_trace *trace, const struct tree *all, ps_error *err)
{
        trace->paths = PS_ARENA_NEW(trace->arena, ps_path_node, all->n);
        if (!trace->paths)
                return PS_NOMEM(err, "call paths", all->n);
        for (uint32_t i = 0; i < all->n; i++)
                trace->paths[i] = all->node[i].place;
        trace->n_paths = all->n;
        return PS_OK;
}

ps_status ps_tree_merge(ps_trace *trace, ps_builder **builders, unsigned n_threads, ps_error *err)
{
        struct tree all = {0};
        struct merge m = {trace, builders, calloc(trace->n_locs ? trace->n_locs : 1, sizeof(ps_path *))};
        ps_status status = PS_OK;
        if (!m.map || ps_tree_init(&all) < 0) {
                status = PS_NOMEM(err, "call paths", trace->n_locs);
                goto out;
        }
        for (ps_loc l = 0; l < trace->n_locs && status == PS_OK; l++)
                if (builders[l])
                        status = merge_one(trace, &all, builders[l], &m.map[l], err);
        PS_THEN(status, keep_paths(trace, &all, err));
        PS_THEN(status, ps_parallel_for(n_threads, trace->n_locs, renumber, &m, err));
out:
        for (ps_loc l = 0; m.map && l < trace->n_locs; l++)
                if (builders[l])
                        builders[l]->map = m.map[l];
        free(m.map);
        ps_tree_free(&all);
        return status;
}
