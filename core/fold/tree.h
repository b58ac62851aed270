/* tree.h - the call tree of a location under way, and how those of all become one. */
#ifndef PS_CORE_FOLD_TREE_H
#define PS_CORE_FOLD_TREE_H

#include "core/base/lookup.h"
#include "core/fold/fold.h"

/* A node of the location's own call tree, with its use. */
struct node {
        ps_path_node place;
        ps_path_use use; /* its path: the region, if nothing else is known of the place; or PS_NONE */
        ps_path last;    /* the child entered last, and */
        ps_path succ;    /* the sibling entered after this node the last time: loops repeat */
};

struct tree {
        struct node *node;
        uint32_t n, cap;
        ps_lookup by_place;
};

int ps_tree_init(struct tree *tree);
void ps_tree_free(struct tree *tree);
/* The child of `parent` that will be entered next if what was done last time is done again; 0: no idea. Who
 * takes it makes it the parent's `last`. */
static inline ps_path ps_tree_guess(const struct tree *tree, ps_path parent)
{
        return tree->node[tree->node[parent].last].succ;
}

/* The child of `place.parent` that is like `place`; 0 (the root is nobody's child) when memory is out. */
ps_path ps_tree_child(struct tree *tree, const ps_path_node *place);
/* The common call tree of all locations: fills trace->paths and the uses, and renumbers the rows of the
 * builders. */
ps_status ps_tree_merge(ps_trace *trace, ps_builder **builders, unsigned n_threads, ps_error *err);

#endif
