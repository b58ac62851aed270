/* tree.h - the call tree of a location under way, and how those of all become one. */
#ifndef PS_CORE_FOLD_TREE_H
#define PS_CORE_FOLD_TREE_H

#include "core/base/lookup.h"
#include "core/fold/fold.h"

/* The bytes of a whole short record, the first the lowest, and a number of what calls say: of a record that
 * enters a node, all that its calls say as yet (0: not known); of one that tells an address, see there. */
struct ps_record_bytes {
        uint64_t bytes, mask;
        uint32_t n, call;
};

#define PS_NO_RECORD ((struct ps_record_bytes){.bytes = 1})

/* A node by its number, and its region; together, as a frame begins with them. */
struct in_node {
        ps_path node;
        ps_region region;
};

/* A node of the location's own call tree, with its use. */
struct node {
        ps_path_node place;
        struct in_node self;
        ps_path_use use; /* its path: the region, if nothing else is known of the place; or PS_NONE */
        ps_path last;    /* the child entered last, and */
        ps_path succ;    /* the sibling entered after this node the last time: loops repeat */
        ps_path next;    /* the child after `last`, or 0 */
        uint8_t kind, awaits, flags;         /* of the rows of its calls; set before it is entered in place */
        struct ps_record_bytes enter, leave; /* the last records that entered and left it in place */
};

_Static_assert((sizeof(struct node) & (sizeof(struct node) - 1)) == 0, "found by a shift, at each record");

struct tree {
        struct node *node;
        uint32_t n, cap;
        ps_lookup by_place;
        ps_path *
                by_record; /* children by parent and by the record that entered them last; some are missing */
        uint32_t record_bits;
};

int ps_tree_init(struct tree *tree);
void ps_tree_free(struct tree *tree);
/* It will not grow any more. */
void ps_tree_shrink(struct tree *tree);
/* The child of `parent` that will be entered next if what was done last time is done again; 0: no idea. */
static inline ps_path ps_tree_guess(const struct tree *tree, ps_path parent)
{
        return tree->node[parent].next;
}

/* It was right. */
static inline void ps_tree_follow(struct node *parent, ps_path child, const struct node *node)
{
        parent->last = child;
        parent->next = node->succ;
}

/* It was not: this one is. */
static inline void ps_tree_go(struct tree *tree, ps_path child)
{
        struct node *parent = &tree->node[tree->node[child].place.parent];
        tree->node[parent->last].succ = child;
        ps_tree_follow(parent, child, &tree->node[child]);
}

/* Where it is kept that below `parent` the record of which these are the next bytes enters a child. Behind
 * its type such a record has the number of its bytes that follow. */
static inline ps_path *ps_tree_slot(const struct tree *tree, ps_path parent, uint64_t next)
{
        uint64_t record = next << ((6 - (next >> 8)) * 8 & 63);
        return &tree->by_record[(record ^ parent * UINT64_C(0x9e3779b97f4a7c15)) *
                                        UINT64_C(0xd6e8feb86659fd93) >>
                                (64 - tree->record_bits)];
}

/* That node has been entered by a record of these bytes. */
void ps_tree_learn(struct tree *tree, ps_path child, uint64_t next);

/* The child of `place.parent` that is like `place`; 0 (the root is nobody's child) when memory is out. */
ps_path ps_tree_child(struct tree *tree, const ps_path_node *place);
/* A node that stands for one of another tree; 0 when memory is out. Those of a tree count from 0. */
ps_path ps_tree_stem(struct tree *tree, uint32_t number);
/* The nodes of `apart` and their uses come to `tree`, what grows on stem i to stem[i]; `map`, by node of
 * `apart`: where. -1 when memory is out. */
int ps_tree_join(struct tree *tree, const struct tree *apart, const ps_path *stem, ps_path *map);
/* How the location of a settled builder went through the common tree, where there is room for that. */
void ps_builder_list_uses(ps_builder *b);

#endif
