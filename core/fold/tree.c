/* tree.c - the call tree of one location while it grows, and the common one of all. */
#include "core/base/radix.h"
#include "core/base/search.h"
#include "core/fold/builder.h"

#include "core/base/hash.h"
#include "core/base/vector.h"

#include <stdlib.h>
#include <string.h>

static bool same_place(const ps_path_node *a, const ps_path_node *b)
{
        return a->region == b->region && a->parent == b->parent && a->site_line == b->site_line &&
               a->site_file == b->site_file && a->frame_line == b->frame_line &&
               a->frame_file == b->frame_file;
}

/* What is called at one place often has neighbouring numbers: it is looked for in few lines of the cache. But
 * the more stand side by side, the more have to be passed where those of two places come together. */
static uint64_t place_hash(const ps_path_node *p)
{
        enum { SIDE_BY_SIDE = 8 };
        uint64_t sites = ((uint64_t)p->site_line << 32 | p->frame_line) ^
                         ps_hash_mix((uint64_t)p->site_file << 32 | p->frame_file);
        uint64_t hash = ps_hash_pair((uint64_t)p->parent << 32 | p->region / SIDE_BY_SIDE, sites);
        return hash * SIDE_BY_SIDE + p->region % SIDE_BY_SIDE;
}

static uint64_t hash_of_node(const void *nodes, uint32_t node)
{
        return place_hash(&((const struct node_place *)nodes)[node].is);
}

static bool is_like(const void *place, const void *nodes, uint32_t node)
{
        return same_place(&((const struct node_place *)nodes)[node].is, place);
}

static ps_path add_node(struct tree *tree, const ps_path_node *place)
{
        const ps_path id = tree->n++;
        bool is_plain = !place->site_file && !place->site_line && !place->frame_file && !place->frame_line;
        tree->place[id] = (struct node_place){*place, is_plain ? place->region : PS_NONE};
        tree->node[id] = (struct node){.region = place->region,
                                       .enter = PS_NO_RECORD,
                                       .enter_size = PS_NO_RECORD_SIZE,
                                       .leave = PS_NO_RECORD,
                                       .leave_size = PS_NO_RECORD_SIZE};
        return id;
}

/* The node that is like `place`, a new one if need be; 0 when memory is out. */
static ps_path look_up(struct tree *tree, const ps_path_node *place)
{
        if (ps_lookup_room(&tree->by_place, tree->n, hash_of_node, tree->place))
                return 0;
        uint32_t *slot = ps_lookup_find(&tree->by_place, place_hash(place), is_like, place, tree->place);
        if (*slot)
                return *slot - 1;
        if (PS_ROOM(tree->node, tree->n, tree->cap) || PS_ROOM(tree->place, tree->n, tree->cap_places))
                return 0;
        *slot = add_node(tree, place) + 1;
        return *slot - 1;
}

/* The same; mostly it is the one behind `before`, as locations came to the same paths in the same order. */
static ps_path look_up_behind(struct tree *tree, ps_path before, const ps_path_node *place)
{
        ps_path next = before + 1;
        return next < tree->n && same_place(&tree->place[next].is, place) ? next : look_up(tree, place);
}

/* Where there are many nodes, slots that stay in caches are worth more than those that nobody else takes. */
enum { FEWEST_SLOTS_BITS = 7, MANY_SLOTS_BITS = 15, MORE_SLOTS_BITS = 2 };

static uint32_t bits_for(uint32_t n, uint32_t bits)
{
        while (bits <= MANY_SLOTS_BITS && (uint64_t)n * 8 > (uint64_t)1 << bits)
                bits += MORE_SLOTS_BITS;
        while (bits > MANY_SLOTS_BITS && (uint64_t)n * 2 > (uint64_t)1 << bits)
                bits++;
        return bits;
}

/* Makes room for what is known by its records, and forgets what was. */
static int make_slots(struct tree *tree, uint32_t bits)
{
        ps_path *slots = calloc((size_t)1 << bits, sizeof(*slots));
        if (!slots)
                return -1;
        free(tree->by_record);
        tree->by_record = slots;
        tree->record_bits = bits;
        return 0;
}

static int make_nodes(struct tree *tree, uint32_t n)
{
        tree->node = ps_memory_new(n * sizeof(*tree->node));
        tree->place = ps_memory_new(n * sizeof(*tree->place));
        tree->cap = tree->node ? n : 0;
        tree->cap_places = tree->place ? n : 0;
        return tree->node && tree->place ? ps_lookup_reserve(&tree->by_place, n) : -1;
}

int ps_tree_init(struct tree *tree, uint32_t n)
{
        *tree = (struct tree){0};
        if (n && make_nodes(tree, n))
                return -1;
        look_up(tree, &(ps_path_node){.parent = PS_NONE, .region = PS_NONE});
        return tree->n ? make_slots(tree, bits_for(n, FEWEST_SLOTS_BITS)) : -1;
}

void ps_tree_free(struct tree *tree)
{
        free(tree->node);
        free(tree->place);
        free(tree->by_record);
        ps_lookup_free(&tree->by_place);
        *tree = (struct tree){0};
}

/* Where much of it is free. Not by realloc(), which leaves behind a place that is too small for the next
 * location's. */
static void *shrunk(void *rows, uint32_t n, uint32_t *cap, size_t size)
{
        enum { MUCH = 8 };
        void *kept = *cap - n > *cap / MUCH ? malloc(n * size) : NULL;
        if (!kept)
                return rows;
        memcpy(kept, rows, n * size);
        free(rows);
        *cap = n;
        return kept;
}

uint32_t ps_tree_shrink(struct tree *tree)
{
        ps_lookup_free(&tree->by_place);
        free(tree->by_record);
        tree->by_record = NULL;
        tree->node = shrunk(tree->node, tree->n, &tree->cap, sizeof(*tree->node));
        tree->place = shrunk(tree->place, tree->n, &tree->cap_places, sizeof(*tree->place));
        return tree->n;
}

ps_path ps_tree_child(struct tree *tree, const ps_path_node *place)
{
        ps_path child = look_up(tree, place);
        if (child)
                ps_tree_go(tree, child);
        return child;
}

/* Where there is no memory for more slots, less is known. */
void ps_tree_learn(struct tree *tree, ps_path child, uint64_t next)
{
        const uint32_t bits = bits_for(tree->n, tree->record_bits);
        if (bits > tree->record_bits)
                (void)make_slots(tree, bits);
        *ps_tree_slot(tree, tree->place[child].is.parent, next) = child;
}

/* -- the tree of a portion -- */

static bool is_stem(const ps_path_node *place)
{
        return place->parent == PS_NONE && place->region != PS_NONE;
}

ps_path ps_tree_stem(struct tree *tree, uint32_t number)
{
        return look_up(tree, &(ps_path_node){.parent = PS_NONE, .region = number});
}

int ps_tree_join(struct tree *tree, const struct tree *apart, const ps_path *stem, ps_path *map)
{
        map[0] = 0;
        for (uint32_t i = 1; i < apart->n; i++) {
                const struct node *node = &apart->node[i];
                ps_path_node place = apart->place[i].is;
                if (is_stem(&place)) {
                        map[i] = stem[place.region];
                        continue;
                }
                place.parent = map[place.parent];
                if (!(map[i] = look_up(tree, &place)))
                        return -1;
                struct node *here = &tree->node[map[i]];
                here->visits += node->visits;
                here->inclusive += node->inclusive;
                here->exclusive += node->exclusive;
        }
        return 0;
}

/* -- all locations' trees in one -- */

struct ps_forest {
        struct tree all;
};

ps_status ps_forest_new(ps_forest **out, ps_error *err)
{
        ps_forest *forest = *out = calloc(1, sizeof(*forest));
        return forest && ps_tree_init(&forest->all, 0) == 0 ? PS_OK : PS_NOMEM(err, "call paths", 1);
}

void ps_forest_free(ps_forest *forest)
{
        if (forest)
                ps_tree_free(&forest->all);
        free(forest);
}

/* Locations come to much the same paths: there is room for those of the first at once. */
static int make_room(ps_forest *forest, uint32_t n)
{
        if (forest->all.n > 1)
                return 0;
        ps_tree_free(&forest->all);
        return ps_tree_init(&forest->all, n);
}

/* The places of `n` nodes, `stride` bytes apart. */
static ps_status add_places(ps_forest *forest, const void *places, size_t stride, uint32_t n, ps_path **map,
                            ps_error *err)
{
        *map = malloc(n * sizeof(**map));
        if (!*map || make_room(forest, n))
                return PS_NOMEM(err, "call paths", n);
        (*map)[0] = 0;
        for (uint32_t i = 1; i < n; i++) {
                ps_path_node place;
                memcpy(&place, (const uint8_t *)places + i * stride, sizeof(place));
                place.parent = (*map)[place.parent];
                (*map)[i] = look_up_behind(&forest->all, (*map)[i - 1], &place);
                if (!(*map)[i])
                        return PS_NOMEM(err, "call paths", forest->all.n);
        }
        return PS_OK;
}

ps_status ps_forest_add(ps_forest *forest, const ps_builder *b, ps_path **map, ps_error *err)
{
        return add_places(forest, &b->tree.place->is, sizeof(*b->tree.place), b->tree.n, map, err);
}

size_t ps_builder_put_tree(const ps_builder *b, uint8_t *at)
{
        uint32_t n = b->tree.n;
        if (at)
                memcpy(at, &n, sizeof(n));
        at = at ? at + sizeof(n) : NULL;
        for (uint32_t i = 0; at && i < n; i++)
                memcpy(at + i * sizeof(ps_path_node), &b->tree.place[i].is, sizeof(ps_path_node));
        return sizeof(n) + n * sizeof(ps_path_node);
}

ps_status ps_forest_take(ps_forest *forest, const uint8_t **at, ps_path **map, uint32_t *n, ps_error *err)
{
        memcpy(n, *at, sizeof(*n));
        const uint8_t *places = *at + sizeof(*n);
        *at = places + *n * sizeof(ps_path_node);
        return add_places(forest, places, sizeof(ps_path_node), *n, map, err);
}

ps_status ps_forest_keep(const ps_forest *forest, ps_trace *trace, ps_error *err)
{
        const struct tree *all = &forest->all;
        trace->paths = PS_ARENA_NEW(trace->arena, ps_path_node, all->n);
        if (!trace->paths)
                return PS_NOMEM(err, "call paths", all->n);
        for (uint32_t i = 0; i < all->n; i++)
                trace->paths[i] = all->place[i].is;
        trace->n_paths = all->n;
        return PS_OK;
}

uint32_t ps_builder_n_nodes(const ps_builder *b)
{
        return b->tree.n;
}

void ps_builder_settle_part(ps_builder *b, ps_time zero, uint32_t i, uint32_t n)
{
        uint32_t from = (uint32_t)((uint64_t)b->ops.n * i / n),
                 end = (uint32_t)((uint64_t)b->ops.n * (i + 1) / n);
        for (uint32_t k = from; k < end; k++) {
                b->enter[k] -= zero;
                b->leave[k] -= zero;
        }
}

void ps_builder_settle(ps_builder *b, ps_path *map)
{
        b->map = map;
        for (uint32_t i = 0; i < b->ops.n_calls; i++)
                b->ops.calls[i].path = map[b->ops.calls[i].path];
        ps_builder_map_pieces(b, map);
}

ps_path ps_builder_put_paths(const ps_builder *b, ps_path_node *paths)
{
        ps_path behind = 0;
        for (uint32_t k = 0; k < b->tree.n; k++) {
                ps_path path = b->map[k];
                behind = path < behind ? behind : path + 1;
                if (!paths)
                        continue;
                paths[path] = b->tree.place[k].is;
                paths[path].parent = k ? b->map[paths[path].parent] : paths[path].parent;
        }
        return behind;
}

/* -- what each location did there -- */

static uint64_t by_path(const void *use)
{
        return ((const ps_path_use *)use)->path;
}

static int compare_use(const void *a, const void *b)
{
        return PS_ORDER(by_path(a), by_path(b));
}

void ps_builder_list_uses(ps_builder *b)
{
        ps_location_info *info = &b->info;
        info->n_uses = 0;
        for (uint32_t k = 0; k < b->tree.n; k++)
                if (b->tree.node[k].visits) {
                        info->uses[info->n_uses] = ps_tree_use(&b->tree, k);
                        info->uses[info->n_uses++].path = b->map[k];
                }
        if (ps_radix_sort(info->uses, info->n_uses, sizeof(*info->uses), (ps_row_number *[]){by_path}, 1))
                qsort(info->uses, info->n_uses, sizeof(*info->uses), compare_use);
}
