/* builder.h - a builder; private to this folder. */
#ifndef PS_CORE_FOLD_BUILDER_H
#define PS_CORE_FOLD_BUILDER_H

#include "core/base/ids.h"
#include "core/base/vector.h"
#include "core/fold/calls.h"
#include "core/fold/fold.h"
#include "core/fold/pgas.h"
#include "core/fold/pieces.h"
#include "core/fold/requests.h"
#include "core/fold/rows.h"
#include "core/fold/tree.h"

/* An open region. What is not set at once stands apart: compilers put neighbours together in a vector, which
 * takes longer than to set them. */
struct frame {
        ps_path node;
        union {
                struct {
                        uint8_t awaits; /* AWAITS_*: what its row is there for; nothing once a record has
                                           claimed it */
                        uint8_t marks;  /* MARK_* */
                };
                uint16_t awaits_and_marks;
        };
        ps_time enter;
        ps_time overlap; /* part of its time that frames left out of order were already charged with */
        ps_time below;   /* time spent in regions below it, and with the recorder switched off */
        ps_region region;
        ps_op row;        /* the first row of the call, or PS_NONE */
        ps_op coll;       /* the row of the collective that has begun and not ended, or PS_NONE */
        ps_op last;       /* the last row of the call, or PS_NONE */
        ps_op completion; /* the row that completed[] entries of this call belong to, or PS_NONE */
        uint32_t pending; /* the first of the builder's completions that belongs to it */
};

enum {
        MARK_IDLE = 1,    /* ps_region_def.idle */
        MARK_VISITED = 2, /* its visits are wanted */
        MARK_PGAS = 4,    /* an operation of a PGAS program */
        MARK_INNER = 8,   /* below such an operation */
        MARK_FLOOR = 16,  /* no region, but what is below all of them */
        MARK_COLL = 32,   /* a collective has begun and not ended */
        MARK_MODES = 64   /* MARK_PGAS, and its name tells modes */
};

/* What follows from the region alone. */
static inline uint8_t marks_of(const ps_region_def *def)
{
        return !ps_paradigm_is_pgas(def->paradigm) ? 0 : def->sync ? MARK_PGAS | MARK_MODES : MARK_PGAS;
}

/* Those four fields of a frame; all bits set. */
enum { OF_NO_ROW = 4 * sizeof(ps_op) };
_Static_assert(offsetof(struct frame, pending) == offsetof(struct frame, row) + OF_NO_ROW, "side by side");

/* The record that a call of this sort is made for. */
enum {
        AWAITS_NOTHING,
        AWAITS_SEND,
        AWAITS_ISEND,
        AWAITS_RECV,
        AWAITS_IRECV,
        AWAITS_LOCK, /* of a window */
        AWAITS_OTHER,
        AWAITS_DONE, /* from here on the row takes more than that */
        AWAITS_ONE,  /* the same of what mostly completes one: a Wait */
        AWAITS_COLL,
        AWAITS_TRANSFER
};

static inline uint8_t awaits_of(ps_kind kind)
{
#define PS_KIND(id, name, cls, traits)                                                                       \
        PS_C_##cls == PS_C_SEND       ? AWAITS_ISEND - !!((traits)&PS_T_BLOCKING)                            \
        : PS_C_##cls == PS_C_RECV     ? AWAITS_IRECV - !!((traits)&PS_T_BLOCKING)                            \
        : PS_C_##cls == PS_C_COMPLETE ? AWAITS_DONE + (PS_K_##id == PS_K_WAIT)                               \
        : PS_C_##cls == PS_C_COLL     ? AWAITS_COLL                                                          \
        : PS_C_##cls == PS_C_RMA      ? AWAITS_TRANSFER                                                      \
        : PS_K_##id == PS_K_WIN_LOCK || PS_K_##id == PS_K_WIN_UNLOCK ? AWAITS_LOCK                           \
                                                                     : AWAITS_OTHER,
        static const uint8_t awaits[PS_K_COUNT] = {
#include "core/model/kinds.def"
        };
#undef PS_KIND
        return awaits[kind];
}

/* Where a message went to or came from, and the bytes of its record that said so. With that length a row of
 * call `before` becomes one of `call`; with a length of its own one of call `varying` becomes one of `own`.
 */
struct address {
        uint64_t known, bytes;
        struct ps_record_size known_size;
        bool is_there;
        bool keeps_peer; /* it tells no root: see sink_colls.h */
        ps_comm comm;
        uint32_t rank;
        ps_loc location;
        uint32_t before, call;
        uint32_t varying, own;
        ps_path in; /* what is known by records of one path: see sink_known.h */
};

/* Those of a location that were met last. Whoever takes another one's place is counted, and they become more
 * where that happens often. */
struct addresses {
        struct address *row; /* by a hash of the first bytes; NULL at the end. Without `is_there` nobody is */
        uint32_t shift, n_taken; /* there are 2^(32 - shift) */
        bool are_of_many;        /* communicators */
};

/* A completion whose start is not on this location: maybe another thread's. */
struct orphan {
        ps_event event;
        ps_op done;
};

struct completion {
        ps_time time;
        ps_op start;
};

/* Where the location has been towards its end, so that this can be taken off again: see stays.c. */
struct stay {
        ps_time from, to;
        ps_path node;
        uint8_t off;     /* with the recorder switched off */
        uint8_t entered; /* it begins with entering the node */
};

struct stays {
        PS_VECTOR(struct stay) list;
        ps_time since;
        uint8_t runs, entered;
};

/* Of the regions of which somebody wants to know when they were visited. */
struct visits {
        const uint8_t *is_wanted; /* by region; NULL: none */
        PS_VECTOR(ps_span) list;
        ps_time since;
        uint32_t depth;
};

/* Why somebody asks at each region that is entered or left where the location is. Nearly always it is for
 * pieces alone. */
enum {
        WATCH_PIECES = 1,
        WATCH_STAYS = 2, /* also when none are kept any more */
        WATCH_OFF = 4,   /* the recorder is off */
        WATCH_ANY = 8    /* as an argument: whatever it is for */
};

/* The recorder looked where the location was: in the gap before this operation, and there. */
struct sample {
        ps_op gap;
        ps_path node;
};

typedef PS_VECTOR(ps_piece) ps_piece_rows;

/* Of the next gap no sample has told so far; or one has. Else none is kept any more. */
enum { GAP_PLAIN = 1, GAP_SAMPLED = 2 };

/* Where a location is between its operations: see charging.c. */
struct ps_piecing {
        uint32_t most;
        ps_piece_rows piece;
        uint32_t room; /* so many pieces there may be where a region is entered or left, without more to it */
        PS_VECTOR(struct sample) samples;
        ps_path sampled; /* last, since nothing was entered or left; 0: none */
        ps_time sampled_at;
        PS_VECTOR(uint32_t) end;    /* by gap; how many is set at the end */
        uint32_t *newest, n_newest; /* by path: its newest piece, + 1; it may grow if that is of this gap */
        ps_path begun;              /* entered, and nothing charged there yet; 0: none */
        uint8_t next;               /* GAP_* */
        uint8_t is_full, is_odd;    /* is_odd: pieces may not add up to their gaps */
        bool is_off;                /* the recorder was switched off in some */
        /* Of the gap before the row of this number; the first time that somebody asks at a later one it is
         * found out: see charging.c. Where it is that of the next row, it runs. */
        ps_op gap;
        uint32_t first; /* piece */
        uint32_t quick; /* that, or PS_NONE where a sample has told: a newest piece behind it just grows */
        ps_path left;   /* last, while it was the innermost; 0: something was entered since */
        ps_op in;       /* the last operation in which it was asked, while it went on */
        ps_time since;  /* up to when it is charged */
};

/* A region that was left in a portion, and entered before it. */
struct debt {
        ps_region region;
        ps_time time, below;
};

struct debts {
        PS_VECTOR(struct debt) list;
};

/* The call of rows that say this, and one; 0: of none so far. */
struct thread_call {
        ps_path path;
        uint32_t team, peer, call;
};

/* Which call such a row has in that team or communicator, and one; 0: none so far. */
struct team_call {
        uint32_t bare, team, call;
};

enum { THREAD_CALLS = 16, TEAM_CALLS = 16 };

struct ps_builder {
        const ps_defs *defs;
        ps_loc location;
        ps_proc process;
        bool one_of_many; /* the process has other locations */
        ps_status status; /* of what failed the pool has the error: it is large, and one is enough */

        ps_row_pool *pool;
        struct row_block **block, *newest; /* the last one of them */
        uint32_t n_blocks, cap_blocks, n_rows;
        struct tree tree;
        struct ps_calls calls;
        ps_ids requests; /* what is under way, by space and request */
        struct addresses addresses;
        struct addresses collectives, targets; /* known by records of these: see sink_known.h */
        ps_path *node_of_context;              /* by context; 0: not yet known */
        PS_VECTOR(uint32_t) chain;             /* contexts on the way to the outermost one that has a node */
        struct frame *floor;                   /* MARK_FLOOR; the stack's rows stand right above it */
        PS_VECTOR(struct frame) stack;
        PS_VECTOR(uint32_t) teams;
        /* What was said last of threads, and of barriers. */
        struct thread_call thread_calls[THREAD_CALLS];
        struct team_call team_calls[TEAM_CALLS];
        PS_VECTOR(uint32_t) completed;
        PS_VECTOR(uint64_t) received;
        PS_VECTOR(struct ps_wide) wide;
        PS_VECTOR(struct completion) completions; /* of the calls that are still open */
        PS_VECTOR(ps_id) lost; /* still open when their id was given again, or at the end */
        PS_VECTOR(struct orphan) orphans;
        PS_VECTOR(ps_foreign) foreign; /* started here; once threads are tied */
        PS_VECTOR(ps_idle) idle;

        ps_location_info info;
        uint64_t *events_by_code;      /* n: ps_defs.codes.n; NULL once they were given to all others' */
        ps_issues *issues;             /* NULL at the end, if there are none */
        ps_time off_since, left_since; /* when the recorder was switched off; when a region was left last */
        bool is_off, has_ended, has_flush;
        ps_span flush;      /* if there is one, the recorder was writing then; what is told is to come */
        uint8_t is_watched; /* WATCH_*; 0: nobody asks where the location is */
        struct ps_piecing *pieces; /* NULL: they are not kept */
        struct stays stays;
        struct visits visits;
        struct ps_stack_places *places; /* NULL: they are not kept */
        struct debts *debts;            /* of a portion that is folded apart; NULL: it is none */
        ps_path *map;                   /* by node: its path in the common tree; set by ps_builder_settle */

        /* After ps_builder_end. */
        ps_ops ops;
        PS_VECTOR(struct ps_call) late; /* where calls were said after that: all of them */
        ps_time *enter, *leave;
};

/* Pushes a value; nothing happens when memory is out, the builder's status tells. */
#define PUSH(b, vector, ...)                                                                                 \
        do {                                                                                                 \
                if (PS_PUSH(vector, __VA_ARGS__))                                                            \
                        (b)->status = PS_NOMEM(&(b)->pool->err, #vector, (vector).n);                        \
        } while (0)

static inline struct row_block *ps_rows_block(const ps_builder *b, ps_op op)
{
        return b->block[op / ROW_BLOCK];
}

/* What the row's call says, but for its length. */
static inline const struct ps_call *ps_rows_call(const ps_builder *b, ps_op op)
{
        return &b->calls.list.row[CELL(b, call, op)];
}

/* All that it says, with the row's length. */
static inline struct ps_call ps_rows_said(const ps_builder *b, ps_op op)
{
        struct ps_call call = *ps_rows_call(b, op);
        if (call.varies) {
                call.bytes = CELL(b, length, op);
                call.varies = 0;
        }
        return call;
}

/* rows.c: it says this; it says something else in one field */
void ps_rows_say(ps_builder *b, ps_op op, const struct ps_call *call);
#define SAY(b, op, field, value)                                                                             \
        do {                                                                                                 \
                struct ps_call says_ = ps_rows_said((b), (op));                                              \
                says_.field = (value);                                                                       \
                ps_rows_say((b), (op), &says_);                                                              \
        } while (0)
/* rows.c: what it completes, so far rows that follow each other, is listed */
void ps_rows_list_completed(ps_builder *b, ps_op op);
/* rows.c: what a call says of which nothing but its path is known */
uint32_t ps_rows_call_of(ps_builder *b, ps_path path);
/* rows.c: it is of this communicator, as all such rows of its path are; or of the innermost team */
void ps_rows_say_comm(ps_builder *b, ps_op op, ps_comm comm, uint32_t peer);
__attribute__((cold)) void ps_rows_say_team(ps_builder *b, ps_op op);
/* rows.c: what a row of `call` says with a message of so many bytes; false when memory is out */
bool ps_rows_learn_call(ps_builder *b, struct address *a, uint32_t call, uint64_t bytes);

/* lengths.c: does the row of a call have a length of its own now? */
static inline bool ps_lengths_are_own(const ps_builder *b, uint64_t bytes)
{
        return b->ops.has_length && bytes <= UINT32_MAX;
}

/* The number of the call, without its length where that is the row's own; PS_NONE when memory is out. */
uint32_t ps_lengths_number(ps_builder *b, const struct ps_call *call);
/* No row follows: from now on they have lengths of their own where that takes less. */
void ps_lengths_settle(ps_builder *b);

static inline bool is_open(const ps_builder *b, ps_op op)
{
        return CELL(b, leave, op) >= ROW_OPEN;
}

typedef void (*ps_event_handler)(ps_builder *b, const ps_event *e);

/* addresses.c: room for as many as the last location came to, and where they are no longer asked for */
int ps_addresses_init(ps_builder *b);
void ps_addresses_leave(ps_builder *b);
/* There was another one at a place; or the one there was met on another path before, and stays. */
void ps_addresses_take(ps_builder *b, struct addresses *a);
void ps_addresses_share(ps_builder *b, const struct address *place);
/* Before a look at any place: where that happened often they become more, up to 2^this where there are no
 * more paths. */
enum { PS_MOST_ADDRESS_BITS = 16, PS_MOST_KNOWN_BITS = 14 };
void ps_addresses_look(ps_builder *b, struct addresses *a);
/* Frees what is kept for the next location. */
void ps_addresses_drop(struct ps_known *known);

/* fold.c: an event that is counted elsewhere */
void ps_builder_take(ps_builder *b, const ps_event *e);
/* fold.c: makes room for one more frame; -1 when there is none */
int ps_builder_deepen(ps_builder *b);
/* apart.c: leaves what was entered before the portion */
void ps_builder_owe_leave(ps_builder *b, ps_region region, ps_time time);

/* By kind of event; NULL: no record of an operation. */
extern const ps_event_handler ps_record_handlers[PS_EV_COUNT];

/* The first location of a process, or PS_NONE. */
uint32_t ps_builder_location(const ps_builder *b, ps_proc process);

/* records.c: the row for a record of a begin; of the collective that has begun, or a new one of this kind */
ps_op ps_builder_begin_row(ps_builder *b, ps_kind kind, const ps_event *e);
ps_op ps_builder_end_coll(ps_builder *b, const ps_event *e, ps_kind kind);
/* records.c: a row for a record outside of any call, or PS_NONE */
ps_op ps_builder_bare_row(ps_builder *b, ps_kind kind, ps_time time);

/* stays.c: from now on they are kept; the location has been where it is until `time`, when it enters
 * something or not; nothing follows. */
void ps_builder_begin_stays(ps_builder *b, ps_time time);
void ps_builder_add_stay(ps_builder *b, ps_time time, int enters);
void ps_builder_end_stays(ps_builder *b, ps_time time);
/* Where stays are kept, or the recorder is off. */
void ps_builder_charge_stay(ps_builder *b, ps_time time, int enters);

/* fold.c: the node of a region that is entered, not foreseen; 0 when memory is out */
ps_path ps_builder_find_node(ps_builder *b, ps_path parent, const ps_event *e);

/* fold.c: the node of a calling context, made together with those of its parents */
ps_path ps_builder_make_context_node(ps_builder *b, uint32_t context);

static inline ps_path ps_builder_context_node(ps_builder *b, uint32_t context)
{
        const ps_path known = b->node_of_context ? b->node_of_context[context] : 0;
        return known ? known : ps_builder_make_context_node(b, context);
}

/* off.c */
void ps_builder_on_measurement(ps_builder *b, const ps_event *e);
void ps_builder_on_flush(ps_builder *b, const ps_event *e);
/* Nothing happens up to now but that the recorder may be writing. */
void ps_builder_charge_flush(ps_builder *b, ps_time now);

/* samples.c */
void ps_builder_on_sample(ps_builder *b, const ps_event *e);
void ps_builder_share_samples(ps_builder *b);

/* windows.c */
void ps_builder_on_transfer(ps_builder *b, const ps_event *e);
void ps_builder_on_transferred(ps_builder *b, const ps_event *e);
void ps_builder_on_window_wait(ps_builder *b, const ps_event *e);
void ps_builder_on_window_coll(ps_builder *b, const ps_event *e);
void ps_builder_on_window_lock(ps_builder *b, const ps_event *e);
void ps_builder_on_group_sync(ps_builder *b, const ps_event *e);

/* threads.c */
void ps_builder_on_thread(ps_builder *b, const ps_event *e);
void ps_builder_on_lock(ps_builder *b, const ps_event *e);

static inline ps_place place_of(const ps_builder *b, const ps_event *e)
{
        return (ps_place){b->location, 0, e->offset, e->time};
}

static inline void ps_builder_note(ps_builder *b, ps_issue_kind kind, const ps_event *e)
{
        ps_issue_note(b->issues, kind, place_of(b, e));
}

static inline struct frame *top_frame(ps_builder *b)
{
        return b->stack.n ? &b->stack.row[b->stack.n - 1] : NULL;
}

static inline const ps_region_def *region_of(const ps_builder *b, ps_region region)
{
        return region < b->defs->regions.n ? &b->defs->regions.row[region] : NULL;
}

/* Library code, of whatever kind: its records belong to the call. NULL: an unknown region. */
static inline bool is_library(const ps_region_def *def)
{
        return def && (def->kind != PS_K_NONE || def->paradigm == PS_PARADIGM_MPI ||
                       def->paradigm == PS_PARADIGM_SHMEM || def->paradigm == PS_PARADIGM_PGAS);
}

static inline bool is_library_call(const ps_builder *b, const struct frame *f)
{
        return f && is_library(region_of(b, f->region));
}

static inline uint32_t team_now(const ps_builder *b)
{
        return b->teams.n ? b->teams.row[b->teams.n - 1] : PS_NONE;
}

/* As much as the last location came to, and a little: what it has more would take twice the room. */
static inline uint32_t room_like(uint32_t n)
{
        enum { A_PART = 16 };
        return n <= UINT32_MAX - n / A_PART ? n + n / A_PART : n;
}

#endif
