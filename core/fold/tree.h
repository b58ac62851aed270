/* tree.h - the call tree of a location under way, and how those of all become one. */
#ifndef PS_CORE_FOLD_TREE_H
#define PS_CORE_FOLD_TREE_H

#include "core/base/lookup.h"
#include "core/fold/fold.h"

/* A whole short record is known by its bytes, the first the lowest, shifted until its last is the highest. */
struct ps_record_size {
        uint8_t n, shift;
};

#define PS_NO_RECORD      1
#define PS_NO_RECORD_SIZE ((struct ps_record_size){0, 8})

/* What each visit of a node asks or changes: of many paths as much as possible shall stay in caches. */
struct node {
        uint64_t visits;
        ps_time inclusive, exclusive;
        uint64_t enter, leave; /* the last records that entered and left it in place */
        ps_region region;
        ps_path last;  /* the child entered last, or 0 */
        ps_path succ;  /* the sibling entered after this node the last time, or 0: loops repeat */
        uint32_t call; /* the number of all that its calls say as yet; 0: not known */
        struct ps_record_size enter_size, leave_size;
        uint8_t kind, flags; /* of the rows of its calls; set before it is entered in place, as is */
        union {
                struct {
                        uint8_t awaits, marks; /* of its frames; MARK_* only as its region has them */
                };
                uint16_t awaits_and_marks;
        };
};

_Static_assert(sizeof(struct node) == 64, "a line of the cache, found by a shift at each record");

/* The rest of it. */
struct node_place {
        ps_path_node is;
        ps_region plain; /* its region, if nothing else is known of the place; or PS_NONE */
};

/* The location's own call tree. */
struct tree {
        struct node *node;
        struct node_place *place; /* of each */
        uint32_t n, cap, cap_places;
        ps_lookup by_place;
        ps_path *
                by_record; /* children by parent and by the record that entered them last; some are missing */
        uint32_t record_bits;
};

/* With room for so many nodes; where more come it grows. */
int ps_tree_init(struct tree *tree, uint32_t n);
void ps_tree_free(struct tree *tree);
/* It will not grow any more; returns how many nodes it has. */
uint32_t ps_tree_shrink(struct tree *tree);
/* The child of `parent` that will be entered next if what was done last time is done again; 0: no idea. */
static inline ps_path ps_tree_guess(const struct tree *tree, ps_path parent)
{
        return tree->node[tree->node[parent].last].succ;
}

/* It was right. */
static inline void ps_tree_follow(struct node *parent, ps_path child)
{
        parent->last = child;
}

/* It was not: this one is. */
static inline void ps_tree_go(struct tree *tree, ps_path child)
{
        struct node *parent = &tree->node[tree->place[child].is.parent];
        if (parent->last)
                tree->node[parent->last].succ = child;
        ps_tree_follow(parent, child);
}

/* It is left: when it is entered again it begins as it did, as far as one knows. Its first child is the node
 * behind it, if that was the way by which they were met. */
static inline void ps_tree_leave(struct tree *tree, ps_path path)
{
        const ps_path last = tree->node[path].last, first = path + 1;
        if (last && !tree->node[last].succ && first < tree->n && tree->place[first].is.parent == path)
                tree->node[last].succ = first;
}

/* Where it is kept that below `parent` the record of which these are the next bytes enters a child. Behind
 * its type such a record has the number of its bytes that follow. Parents that were met one after the other,
 * and call the same, have their slots side by side. */
static inline ps_path *ps_tree_slot(const struct tree *tree, ps_path parent, uint64_t next)
{
        const uint64_t record = next << ((6 - (next >> 8)) * 8 & 63);
        const uint32_t shift = 64 - tree->record_bits;
        return &tree->by_record[(record * UINT64_C(0xd6e8feb86659fd93) + ((uint64_t)parent << shift)) >>
                                shift];
}

/* That node has been entered by a record of these bytes. */
void ps_tree_learn(struct tree *tree, ps_path child, uint64_t next);

/* The child of `place.parent` that is like `place`; 0 (the root is nobody's child) when memory is out. */
ps_path ps_tree_child(struct tree *tree, const ps_path_node *place);
/* A node that stands for one of another tree; 0 when memory is out. Those of a tree count from 0. */
ps_path ps_tree_stem(struct tree *tree, uint32_t number);
/* How often it was visited, and how long. */
static inline ps_path_use ps_tree_use(const struct tree *tree, ps_path path)
{
        const struct node *node = &tree->node[path];
        return (ps_path_use){path, node->visits, node->inclusive, node->exclusive};
}
/* The nodes of `apart` and their uses come to `tree`, what grows on stem i to stem[i]; `map`, by node of
 * `apart`: where. -1 when memory is out. */
int ps_tree_join(struct tree *tree, const struct tree *apart, const ps_path *stem, ps_path *map);
/* How the location of a settled builder went through the common tree, where there is room for that. */
void ps_builder_list_uses(ps_builder *b);

#endif
