/* builder.h - the parts of a builder, shared by the build_*.c files and by nothing else.
 *
 * Rows in flight are structs of one cache line in blocks, because events keep touching the newest few; at the
 * location's end they are turned into columns block by block, each block being given back as it is done, so
 * that the peak stays near the size of the result. */
#ifndef PS_CORE_BUILDER_H
#define PS_CORE_BUILDER_H

#include "core/build.h"
#include "core/memory.h"
#include "core/parallel.h"

/* A block is one large page. */
enum { ROW_BLOCK = PS_LARGE_PAGE / 64 };

#define ROW_OPEN PS_TIME_MAX /* the leave time of a call that goes on */

struct row {
        ps_time enter, leave;
        uint64_t bytes;
        uint32_t path, peer, comm, tag;
        uint32_t link; /* of a COLL row: its place in `received`; of a COMPLETE row: its first in `completed`
                        */
        uint32_t done;
        uint32_t pre, post;
        uint8_t kind, flags;
        uint32_t next; /* the next row of the same call, or PS_NONE */
};

_Static_assert(sizeof(struct row) == 64, "a row is a cache line");

/* Blocks that a worker's next location may use again, and the columns of those that have ended. */
struct ps_row_pool {
        struct row *block[16];
        unsigned n;
        ps_arena *columns;
};

/* An open region. */
struct frame {
        ps_path node;
        ps_region region;
        ps_time enter;
        ps_time below;    /* time spent in regions below it, and with the recorder switched off */
        ps_time overlap;  /* part of its time that frames left out of order were already charged with */
        ps_op row, last;  /* the first and the last row of the call, or PS_NONE */
        ps_op coll;       /* the row of the collective that has begun and not ended, or PS_NONE */
        ps_op completion; /* the row that completed[] entries of this call belong to, or PS_NONE */
        uint32_t pending; /* the first of the builder's completions that belongs to it */
        uint8_t used;     /* a record has claimed the row */
        uint8_t idle;     /* of ps_region_def */
        uint8_t pgas;     /* an operation of a PGAS program */
        uint8_t inner;    /* below such an operation */
};

/* A node of the location's own call tree, with its use. */
struct node {
        ps_path_node place;
        ps_path_use use;
        ps_path last; /* the child entered last, and */
        ps_path succ; /* the sibling entered after this node the last time: loops repeat */
};

struct tree {
        struct node *node;
        uint32_t n, cap;
        uint32_t *slot; /* node + 1; 0 is free */
        uint32_t n_slots;
};

/* A nonblocking operation under way: its request and its row. Requests and RMA operations count apart. */
struct request {
        uint64_t id;
        ps_op row;
        uint8_t space, used;
};

enum { SPACE_REQUEST, SPACE_RMA, SPACE_NOTIFY };

struct requests {
        struct request *slot;
        uint32_t n, n_slots;
        uint64_t seed; /* an address: nobody can know it who prepares ids that collide */
};

/* A completion whose start is not on this location: maybe another thread's. */
struct orphan {
        ps_event event;
        ps_op done;
};

struct completion {
        ps_time time;
        ps_op start, done;
};

#define PS_VECTOR(type)                                                                                      \
        struct {                                                                                             \
                type *at;                                                                                    \
                uint32_t n, cap;                                                                             \
        }

struct ps_builder {
        const ps_defs *defs;
        ps_loc location;
        ps_proc process;
        int one_of_many; /* the process has other locations */
        ps_status status;
        ps_error err;

        ps_row_pool *pool;
        struct row **block;
        uint32_t n_blocks, cap_blocks, n_rows;
        struct tree tree;
        struct requests requests;
        ps_path *node_of_context;  /* by context; 0: not yet known */
        PS_VECTOR(uint32_t) chain; /* contexts on the way to the outermost one that has a node */
        PS_VECTOR(struct frame) stack;
        PS_VECTOR(uint32_t) teams;
        PS_VECTOR(uint32_t) completed;
        PS_VECTOR(uint64_t) received;
        PS_VECTOR(struct ps_wide) wide;
        PS_VECTOR(struct completion) completions; /* of the calls that are still open */
        PS_VECTOR(struct request) lost; /* still open when their id was given again, or at the end */
        PS_VECTOR(struct orphan) orphans;
        PS_VECTOR(ps_idle) idle;

        ps_location_info info;
        ps_issues issues;
        ps_time off_since;
        int is_off, has_ended;
        int is_watched;            /* the recorder is off, or pieces are kept */
        struct ps_piecing *pieces; /* build_pieces.c; NULL: they are not kept */

        /* After ps_builder_end. */
        ps_ops ops;
        ps_time *enter, *leave;
};

/* Makes room for one more; -1 when there is no memory (the builder's status is set). */
int ps_vector_grow(ps_builder *b, void *vector, size_t size, const char *what);

/* Pushes a value; nothing happens when memory is out, the builder's status tells. */
#define PS_PUSH(b, vector, ...)                                                                              \
        do {                                                                                                 \
                if ((vector).n < (vector).cap ||                                                             \
                    ps_vector_grow((b), &(vector), sizeof(*(vector).at), #vector) == 0)                      \
                        (vector).at[(vector).n++] = __VA_ARGS__;                                             \
        } while (0)

static inline struct row *row_at(const ps_builder *b, ps_op op)
{
        return &b->block[op / ROW_BLOCK][op % ROW_BLOCK];
}

/* A new row with everything unknown; NULL when memory or numbers are out. */
struct row *ps_rows_add(ps_builder *b, ps_kind kind, ps_path path, ps_time enter);
/* A distance of a row's record, negative or too long for 32 bits; such long ones go to `wide`. */
uint32_t ps_rows_distance_odd(ps_builder *b, ps_op op, int is_post, ps_time distance);

static inline uint32_t ps_rows_distance(ps_builder *b, ps_op op, int is_post, ps_time distance)
{
        return (uint64_t)distance < UINT32_MAX ? (uint32_t)distance
                                               : ps_rows_distance_odd(b, op, is_post, distance);
}

ps_status ps_rows_freeze(ps_builder *b, ps_error *err);
void ps_rows_free(ps_builder *b);

/* Remembers an open request; an older one with the same id is handed out through *old (1 is returned). */
int ps_requests_open(ps_builder *b, uint8_t space, uint64_t id, ps_op row, ps_op *old);
/* Its row; PS_NONE when there is none. */
ps_op ps_requests_row(const ps_builder *b, uint8_t space, uint64_t id);
/* Forgets it; PS_NONE when there is none. */
ps_op ps_requests_close(ps_builder *b, uint8_t space, uint64_t id);

/* May an event of kind `event` complete a row of kind `kind`? */
int ps_event_completes(uint8_t event, uint8_t kind);

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
/* The common call tree of all locations: fills trace->paths and the uses, and renumbers the builders' rows.
 */
ps_status ps_tree_merge(ps_trace *trace, ps_builder **builders, unsigned n_threads, ps_error *err);

/* -- what the fold's files share -- */

typedef void (*ps_event_handler)(ps_builder *b, const ps_event *e);

/* By kind of event; NULL: no record of an operation. */
extern const ps_event_handler ps_record_handlers[PS_EV_COUNT];

/* The first location of a process, or PS_NONE. */
uint32_t ps_builder_location(const ps_builder *b, ps_proc process);

/* build_records.c: a row for a record outside of any call */
struct row *ps_builder_bare_row(ps_builder *b, ps_kind kind, ps_time time);

/* build_pieces.c. The location has been where it is until `now`, when what it enters was called from `caller`
 * (PS_NONE: it enters nothing); until its last event; an operation is begun, and has ended; a region was
 * pushed on the stack; region number `at` of the stack is taken from it; nothing follows. */
void ps_builder_charge_piece(ps_builder *b, ps_time now, ps_path caller);
void ps_builder_charge_rest(ps_builder *b, ps_time now);
void ps_builder_end_gap(ps_builder *b, ps_time enter);
void ps_builder_begin_gap(ps_builder *b, ps_time leave);
void ps_builder_push_visit(ps_builder *b, ps_path node, ps_region region);
void ps_builder_pop_visit(ps_builder *b, uint32_t at);
void ps_builder_end_pieces(ps_builder *b);
void ps_builder_free_pieces(ps_builder *b);
/* For ps_build_finish: were all kept; the paths of the common tree; into the trace. */
int ps_builder_has_pieces(const ps_builder *b);
void ps_builder_map_pieces(ps_builder *b, const ps_path *map);
ps_status ps_builder_give_pieces(ps_builder *b, ps_trace *trace, ps_error *err);

/* build_threads.c */
void ps_builder_on_thread(ps_builder *b, const ps_event *e);
void ps_builder_on_lock(ps_builder *b, const ps_event *e);

/* build_pgas.c */
int ps_builder_is_pgas(const ps_builder *b, ps_region region);
/* The location of a thread of the program by its rank. */
uint32_t ps_builder_pgas_target(const ps_builder *b, ps_comm comm, uint32_t rank);
void ps_builder_begin_pgas(ps_builder *b, ps_op op, const ps_event *e);
void ps_builder_end_pgas(ps_builder *b, const struct frame *f);
void ps_builder_pgas_level(ps_builder *b, struct row *row, const struct frame *f, uint32_t level);
void ps_builder_pgas_root(const ps_builder *b, struct row *row, uint32_t root);
void ps_builder_on_parameter(ps_builder *b, const ps_event *e);

static inline ps_place place_of(const ps_builder *b, const ps_event *e)
{
        return (ps_place){b->location, 0, e->offset, e->time};
}

static inline void ps_builder_note(ps_builder *b, ps_issue_kind kind, const ps_event *e)
{
        ps_issue_note(&b->issues, kind, place_of(b, e));
}

static inline struct frame *top_frame(ps_builder *b)
{
        return b->stack.n ? &b->stack.at[b->stack.n - 1] : NULL;
}

static inline const ps_region_def *region_of(const ps_builder *b, ps_region region)
{
        return region < b->defs->regions.n ? &b->defs->regions.row[region] : NULL;
}

static inline ps_kind kind_of(const ps_builder *b, ps_region region)
{
        const ps_region_def *def = region_of(b, region);
        return def ? (ps_kind)def->kind : PS_K_NONE;
}

static inline uint32_t team_now(const ps_builder *b)
{
        return b->teams.n ? b->teams.at[b->teams.n - 1] : PS_NONE;
}

#endif
