/* sink_calls.h - the part of sink.h about calls: their rows and frames, and regions that are entered and
 * left.
 */
#ifndef PS_CORE_FOLD_SINK_CALLS_H
#define PS_CORE_FOLD_SINK_CALLS_H

#include "core/fold/piecing.h"

#include <assert.h>
#include <string.h>

/* May records be folded here now? The first event, those behind the end and those behind a flush go the long
 * way. */
PS_FOLD_INLINE bool ps_fold_is_ready(const ps_builder *b)
{
        return b->info.n_events && !b->has_ended && b->status == PS_OK && !b->visits.is_wanted &&
               !b->has_flush;
}

/* `n` records were folded, the last at `time`; each was counted by its code. */
PS_FOLD_INLINE void ps_fold_note_events(ps_builder *b, uint64_t n, ps_time time)
{
        b->info.n_events += n;
        b->info.last = n ? time : b->info.last;
}

PS_FOLD_INLINE void ps_fold_count(ps_builder *b, unsigned code)
{
        b->events_by_code[code]++;
}

/* How many were counted so. */
static inline uint64_t ps_fold_counted(const ps_builder *b)
{
        uint64_t n = 0;
        for (uint32_t i = 0; i < b->defs->codes.n; i++)
                n += b->events_by_code[i];
        return n;
}

/* Is there room for one more? */
PS_FOLD_INLINE bool ps_fold_has_row(ps_builder *b)
{
        return b->n_rows % ROW_FRESH != 0 || ps_rows_room(b) == 0;
}

/* There is. `begun`: it is the first of a call of this node; NULL: of none. `ends_gap`: is it still to be
 * told that an operation is begun, if somebody wants to know? Here and below `watched` is why somebody asks
 * where the location is. */
PS_FOLD_INLINE ps_op ps_fold_put_row(ps_builder *b, uint8_t kind, uint8_t awaits, uint32_t call,
                                     ps_time enter, const struct node *begun, bool ends_gap)
{
        ps_op op = b->n_rows;
        uint32_t at = op % ROW_BLOCK;
        if (ends_gap)
                ps_piecing_end_gap(b, enter);
        struct row_block *rows = b->newest;
        b->n_rows = op + 1;
        rows->enter[at] = enter;
        rows->call[at] = call;
        rows->kind[at] = kind;
        if (begun)
                rows->flags[at] = begun->flags;
        if (awaits < AWAITS_DONE)
                return op;
        if (awaits <= AWAITS_ONE) {
                rows->link[at] = b->completed.n;
        } else if (awaits == AWAITS_COLL) {
                rows->link[at] = b->received.n;
                PUSH(b, b->received, 0);
                if (begun && ps_kind_is_of_team(kind))
                        ps_rows_say_team(b, op);
        } else {
                return op;
        }
        if (begun && begun->marks)
                ps_builder_begin_plain_pgas(b, op);
        return op;
}

/* The same, or PS_NONE. */
PS_FOLD_INLINE ps_op ps_fold_add_row(ps_builder *b, uint8_t kind, uint8_t awaits, uint32_t call,
                                     ps_time enter, bool ends_gap)
{
        return ps_fold_has_row(b) ? ps_fold_put_row(b, kind, awaits, call, enter, NULL, ends_gap) : PS_NONE;
}

/* The innermost frame; the floor when nothing is open. */
PS_FOLD_INLINE struct frame *ps_fold_top(const ps_builder *b)
{
        return &b->floor[b->stack.n];
}

PS_FOLD_INLINE struct node *ps_fold_node(const ps_builder *b, const struct frame *f)
{
        return &b->tree.node[f->node];
}

/* May a region be entered without more to it than a frame and a row? */
PS_FOLD_INLINE bool ps_fold_has_room(const ps_builder *b, const struct frame *top)
{
        return b->stack.n != b->stack.cap && !(top->marks & (MARK_PGAS | MARK_INNER));
}

/* A portion does not know in which team it begins, nor what of a PGAS program is under way. */
PS_FOLD_INLINE bool ps_fold_lacks_more(const ps_builder *b, const ps_region_def *def)
{
        return b->debts && (ps_kind_is_of_team(def->kind) || !def->is_plain);
}

PS_FOLD_INLINE bool ps_fold_may_enter(const ps_builder *b, const ps_region_def *def, const struct frame *top)
{
        return (def->is_plain || def->is_plain_pgas) && ps_fold_has_room(b, top) &&
               !ps_fold_lacks_more(b, def);
}

/* A call of the node is begun. */
PS_FOLD_INLINE void ps_fold_begin_row(ps_builder *b, struct frame *f, const struct node *node, ps_time time,
                                      bool ends_gap)
{
        if (!ps_fold_has_row(b)) {
                f->awaits = AWAITS_NOTHING;
                return;
        }
        f->row = f->last = ps_fold_put_row(b, node->kind, node->awaits, node->call, time, node, ends_gap);
}

/* The new top, at the node with this number. Where only pieces are asked for it lies right below the top. */
PS_FOLD_INLINE struct frame *ps_fold_push(ps_builder *b, struct frame *top, ps_path id, struct node *node,
                                          ps_time time, uint8_t watched)
{
        if (watched && watched != WATCH_PIECES)
                ps_builder_enter_slowly(b, id, time);
        node->visits++;
        struct frame *f = top + 1; /* there is room for it; each field by itself is what compilers do best */
        memset(&f->row, 0xff, OF_NO_ROW);
        f->node = id;
        f->region = node->region;
        f->enter = time;
        f->overlap = f->below = 0;
        f->pending = b->completions.n;
        f->awaits_and_marks = node->awaits_and_marks;
        if (node->kind == PS_K_NONE) {
                if (watched == WATCH_PIECES)
                        ps_builder_enter_own(b, top->node, id, time);
                b->stack.n++;
        } else {
                if (watched == WATCH_PIECES && !ps_piecing_enters_call(b, top->node, time))
                        ps_builder_enter_call(b, top->node, id, time);
                b->stack.n++;
                ps_fold_begin_row(b, f, node, time, watched && watched != WATCH_PIECES);
        }
        return f;
}

/* The same where it was not foreseen that this node would be entered. */
static inline struct frame *ps_fold_push_anew(ps_builder *b, struct frame *top, ps_path id,
                                              const ps_region_def *def, ps_time time)
{
        uint8_t watched = b->is_watched;
        struct node *node = &b->tree.node[id];
        node->kind = def->kind;
        node->awaits = def->kind == PS_K_NONE ? AWAITS_NOTHING : awaits_of((ps_kind)def->kind);
        node->marks = def->is_plain_pgas ? marks_of(def) : 0;
        node->flags = def->nonblocking ? PS_OP_NONBLOCKING : 0;
        (void)ps_rows_call_of(b, id);
        if (watched && b->tree.place[id].is.parent != top->node)
                watched = WATCH_ANY;
        return ps_fold_push(b, top, id, node, time, watched);
}

/* Enters a region that the trace defines, its call without a known site, and gives the new top, or NULL. */
static inline struct frame *ps_fold_enter(ps_builder *b, struct frame *top, ps_region region, ps_time time)
{
        const ps_region_def *def = &b->defs->regions.row[region];
        if (!ps_fold_may_enter(b, def, top))
                return NULL;
        ps_path parent = top->node;
        ps_path id = ps_tree_guess(&b->tree, parent);
        const struct node_place *place = &b->tree.place[id];
        if (place->is.parent == parent && place->plain == region)
                ps_tree_follow(&b->tree.node[parent], id);
        else if (!(id = ps_builder_find_node(b, parent, &(ps_event){.ref = region})))
                return NULL;
        return ps_fold_push_anew(b, top, id, def, time);
}

/* The same for a call whose line is known. */
static inline struct frame *ps_fold_enter_at(ps_builder *b, struct frame *top, ps_region region, ps_str file,
                                             uint32_t line, ps_time time)
{
        const ps_region_def *def = &b->defs->regions.row[region];
        if (!ps_fold_may_enter(b, def, top))
                return NULL;
        ps_path parent = top->node;
        ps_path id = ps_tree_guess(&b->tree, parent);
        const ps_path_node *place = &b->tree.place[id].is;
        if (place->parent == parent && place->region == region && place->site_line == line &&
            place->site_file == file && !place->frame_file && !place->frame_line)
                ps_tree_follow(&b->tree.node[parent], id);
        else if (!(id = ps_builder_find_node(
                           b, parent, &(ps_event){.ref = region, .site_file = file, .site_line = line})))
                return NULL;
        return ps_fold_push_anew(b, top, id, def, time);
}

/* The same for a calling context that the trace defines. Where it was never entered before it goes the long
 * way, which makes its node. */
static inline struct frame *ps_fold_enter_context(ps_builder *b, struct frame *top, uint32_t context,
                                                  ps_time time)
{
        ps_path id = b->node_of_context ? b->node_of_context[context] : 0;
        ps_region region = b->defs->contexts.row[context].region;
        if (!id || region >= b->defs->regions.n)
                return NULL;
        const ps_region_def *def = &b->defs->regions.row[region];
        if (!ps_fold_may_enter(b, def, top))
                return NULL;
        if (b->tree.place[id].is.parent == top->node)
                ps_tree_go(&b->tree, id);
        return ps_fold_push_anew(b, top, id, def, time);
}

/* The rows of a call get its end, and what ended in it its distance from there. */
PS_FOLD_INLINE void ps_fold_close_rows(ps_builder *b, const struct frame *f, ps_time time)
{
        for (ps_op op = f->row, next; op != f->last; op = next) {
                next = (ps_op)CELL(b, leave, op);
                CELL(b, leave, op) = time;
        }
        CELL(b, leave, f->last) = time;
        if (b->completions.n <= f->pending)
                return;
        for (uint32_t i = f->pending; i < b->completions.n; i++) {
                const struct completion *c = &b->completions.row[i];
                CELL(b, post, c->start) = ps_rows_distance(b, c->start, 1, time - c->time);
        }
        b->completions.n = f->pending;
}

/* Charges a frame's time to its node and to the frame below it. */
PS_FOLD_INLINE void ps_fold_settle(ps_builder *b, struct frame *f, struct node *node, ps_time time)
{
        ps_time inclusive = time - f->enter;
        b->left_since = time;
        node->inclusive += inclusive;
        node->exclusive += inclusive - f->below;
        f[-1].below += inclusive - f->overlap;
}

/* May the region at the top be left without more to it? */
PS_FOLD_INLINE bool ps_fold_may_leave(const struct frame *top)
{
        return !(top->marks & ~(MARK_INNER | MARK_PGAS));
}

/* Leaves it and gives the new top. */
PS_FOLD_INLINE struct frame *ps_fold_pop(ps_builder *b, struct frame *f, struct node *node, ps_time time,
                                         uint8_t watched)
{
        bool has_row = f->row != PS_NONE;
        if (watched && watched != WATCH_PIECES)
                ps_builder_leave_slowly(b, b->stack.n - 1, time);
        ps_fold_settle(b, f, node, time);
        if (watched == WATCH_PIECES && (!has_row || f->last != b->n_rows - 1)) /* else an operation goes on */
                ps_builder_leave_own(b, f->node, time);
        if (has_row)
                ps_fold_close_rows(b, f, time);
        b->stack.n--;
        return f - 1;
}

/* Nothing happens in a region of the program that the top enters, and nobody asks where the location is, or
 * has been told: it needs no frame. */
PS_FOLD_INLINE void ps_fold_pass(ps_builder *b, struct frame *top, struct node *node, ps_time enter,
                                 ps_time leave)
{
        const ps_time inclusive = leave - enter;
        b->left_since = leave;
        node->visits++;
        node->inclusive += inclusive;
        node->exclusive += inclusive;
        top->below += inclusive;
}

/* The same if it is this region; or NULL. */
static inline struct frame *ps_fold_leave(ps_builder *b, struct frame *f, ps_region region, ps_time time)
{
        if (f->region != region || f->marks & ~(MARK_INNER | MARK_PGAS | MARK_MODES))
                return NULL;
        if (f->marks & MARK_MODES)
                ps_builder_end_pgas(b, f);
        return ps_fold_pop(b, f, ps_fold_node(b, f), time, b->is_watched);
}

/* -- records that are known again by their bytes, of which these are the next eight -- */

PS_FOLD_INLINE bool ps_fold_is_record(uint64_t next, uint64_t bytes, const struct ps_record_size *size)
{
        return next << size->shift == bytes;
}

/* The `n` bytes of the record were what is kept in `bytes` and `size`. */
static inline void ps_fold_learn(uint64_t next, size_t n, uint64_t *bytes, struct ps_record_size *size)
{
        if (!n || n > sizeof(next))
                return;
        uint8_t shift = (uint8_t)(8 * (sizeof(next) - n));
        *bytes = next << shift;
        *size = (struct ps_record_size){(uint8_t)n, shift};
}

#endif
