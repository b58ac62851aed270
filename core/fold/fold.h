/* fold.h - folds the events of one location into its operations and its part of the call tree.
 *
 * A builder needs nothing of other locations, so that each may run on a thread of its own. What is only
 * known with the others (partners, instances, the common call tree) is put together afterwards by
 * ps_build_finish and core/match/match.h. */
#ifndef PS_CORE_FOLD_FOLD_H
#define PS_CORE_FOLD_FOLD_H

#include "core/model/event.h"
#include "core/model/format.h"
#include "core/model/pieces.h"
#include "core/model/trace.h"

typedef struct ps_builder ps_builder;

/* Working memory that builders hand on to the next, and the columns that they leave behind: one for each
 * thread, not for several at once. */
typedef struct ps_row_pool ps_row_pool;

ps_row_pool *ps_row_pool_new(void);
void ps_row_pool_free(ps_row_pool *pool);
/* What is kept for builders that begin later is freed: there will be none. */
void ps_row_pool_empty(ps_row_pool *pool);
/* The columns live as long as the arena does, not as long as the pool. */
ps_status ps_row_pool_keep(ps_row_pool *pool, ps_arena *arena, ps_error *err);

/* `pool` is used until ps_builder_end, and holds what was built. */
ps_status ps_builder_new(ps_builder **out, const ps_defs *defs, ps_loc location, ps_row_pool *pool,
                         ps_error *err);
void ps_builder_free(ps_builder *builder);

/* Keep what is computed between operations, `most` pieces at most. Before the first event, of which there
 * will be about `n_events`. */
ps_status ps_builder_keep_pieces(ps_builder *builder, uint32_t most, uint64_t n_events, ps_error *err);

/* Remember when regions are visited: `is_wanted`, by region, is borrowed. Before the first event. */
void ps_builder_keep_visits(ps_builder *builder, const uint8_t *is_wanted);

/* Keep places to read the call stack from: `places` is borrowed. Before the first event. */
void ps_builder_keep_places(ps_builder *builder, struct ps_stack_places *places);
/* For streams that fold, where all before has been folded: is this a place to be kept? */
bool ps_builder_wants_place(const ps_builder *builder, uint64_t offset);
ps_status ps_builder_add_place(ps_builder *builder, const ps_stream_mark *at, ps_error *err);

ps_status ps_builder_add(ps_builder *builder, const ps_batch *batch, ps_error *err);

/* apart.c: one for a portion of a location that is folded without what stands before it. It takes only
 * events that need nothing of that, and is joined to the builder of all before, if that is as it took for
 * granted. It is never ended. */
ps_status ps_builder_new_apart(ps_builder **out, const ps_defs *defs, ps_loc location, ps_row_pool *pool,
                               ps_error *err);
bool ps_builder_may_take(const ps_builder *apart, const ps_event *e);
bool ps_builder_may_join(const ps_builder *before, const ps_builder *apart);
ps_status ps_builder_join(ps_builder *before, ps_builder *apart, unsigned n_threads, ps_error *err);

/* Closes what is still open and gives back what is not needed any more. */
ps_status ps_builder_end(ps_builder *builder, ps_error *err);

/* Its events by code, which it keeps no longer, are added to these. */
void ps_builder_give_counts(ps_builder *builder, uint64_t *events_by_code);

/* NULL once it was ended and there are none. */
ps_issues *ps_builder_issues(ps_builder *builder);

/* The bytes received by each COLL row of this location, in order; n of them. */
const uint64_t *ps_builder_received(const ps_builder *builder, uint32_t *n);

/* For a location that was folded in one process and goes on in another: its columns, and what there is beside
 * them. Both processes have the same definitions, and ask builders for the same things. */
typedef struct ps_packed {
        void *columns; /* the builder's */
        size_t n_columns;
        uint8_t *rest; /* to be freed */
        size_t n_rest;
} ps_packed;

/* Of a builder that was settled. */
ps_status ps_builder_pack(ps_packed *out, ps_builder *builder, ps_error *err);
/* Of `rest` a new builder becomes one that was settled, with the map that it was settled with, which is its
 * own then; `columns` is where these have to be put. */
ps_status ps_builder_unpack(ps_builder *builder, ps_packed *packed, ps_path *map, ps_error *err);

/* Ties requests that one thread of a process started and another completed: of each process that has builders
 * all of its locations have one. What is tied already stays as it is. */
ps_status ps_build_tie(const ps_defs *defs, ps_builder **builders, ps_error *err);

/* What builders have tied, into `trace`. */
ps_status ps_build_foreign(ps_trace *trace, ps_builder **builders, ps_error *err);

/* Lets others look at the rows of a builder whose threads are tied, which it keeps. */
void ps_builder_rows(const ps_builder *builder, ps_ops *ops, ps_time **enter, ps_time **leave);
/* At what it computes between operations. False: not all of that was kept. */
bool ps_builder_pieces(const ps_builder *builder, ps_pieces *pieces);

/* The common call tree, to which locations add theirs in their order. `map`, by node of the location's own
 * tree: its path; to be freed. */
typedef struct ps_forest ps_forest;

ps_status ps_forest_new(ps_forest **out, ps_error *err);
void ps_forest_free(ps_forest *forest);
ps_status ps_forest_add(ps_forest *forest, const ps_builder *builder, ps_path **map, ps_error *err);
/* Fills trace->paths. */
ps_status ps_forest_keep(const ps_forest *forest, ps_trace *trace, ps_error *err);

/* The location's own tree in bytes, for a forest in another process: how many they are; NULL: nowhere. */
size_t ps_builder_put_tree(const ps_builder *builder, uint8_t *at);
/* Goes on behind it. */
ps_status ps_forest_take(ps_forest *forest, const uint8_t **at, ps_path **map, uint32_t *n, ps_error *err);
uint32_t ps_builder_n_nodes(const ps_builder *builder);
/* Of a builder that is settled: puts its own paths where they are in the common tree; returns behind the last
 * of them. NULL: they are put nowhere. */
ps_path ps_builder_put_paths(const ps_builder *builder, ps_path_node *paths);

/* Of a builder that was ended, and whose threads are tied: its rows get times since `zero`, all parts of
 * them, on any threads; and it gets the paths of the common tree. `map` is the builder's then. */
void ps_builder_settle_part(ps_builder *builder, ps_time zero, uint32_t i, uint32_t n);
void ps_builder_settle(ps_builder *builder, ps_path *map);

/* Moves the results of settled builders (one for each location, in order; NULL: nothing was read) into
 * `trace`. */
ps_status ps_build_finish(ps_trace *trace, ps_builder **builders, unsigned n_threads, ps_error *err);

#endif
