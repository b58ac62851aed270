/* fold.c - plain records, folded where they are decoded: no event is made of them. */
#include "reader/otf2/fold.h"

#include "core/fold/sink.h"
#include "reader/otf2/events.h"
#include "reader/otf2/plain.h"
#include "reader/otf2/timing.h"

static ps_time far_time(const ps_otf2_scale *scale, uint64_t ticks)
{
        int clamped = 0;
        ps_time time = ps_otf2_scale_apply_far(scale, ticks, &clamped);
        return clamped ? INT64_MIN : time;
}

__attribute__((noinline)) ps_time ps_otf2_plain_time(ps_stream *s, struct ps_otf2_timing *timing,
                                                     uint64_t ticks)
{
        ticks = ps_otf2_local_time(&s->local, ticks);
        if (s->local.n_intervals)
                timing->in = s->local.interval[s->local.at];
        return ps_otf2_scale_is_near(&timing->scale, ticks) ? ps_otf2_scale_apply_near(&timing->scale, ticks)
                                                            : far_time(&timing->scale, ticks);
}

/* Near its zero it follows from its time. */
static void keep_ticks(ps_stream *s, const struct ps_otf2_timing *timing, ps_time last)
{
        if (timing->near && (uint64_t)last / timing->scale.mult < timing->near)
                s->ticks = timing->scale.zero + (uint64_t)last / timing->scale.mult;
}

static bool is_odd_now(ps_stream *s, struct ps_otf2_timing *timing, const ps_builder *b, const uint8_t *p)
{
        return s->big || s->names->comm_ranks || ps_otf2_stream_is_between(s) || !ps_fold_is_ready(b) ||
               (*p != PS_OTF2_TIMESTAMP && ps_otf2_plain_time(s, timing, s->ticks) != s->last);
}

enum { CODE_ATTRIBUTES = UINT8_MAX + 1 + PS_OTF2_ATTRIBUTES - PS_OTF2_FIRST_TYPE }; /* as a byte */

/* A value that nobody needs. */
static bool pass_value(const uint8_t **p, uint8_t type)
{
        int width = ps_otf2_attribute_width(type);
        uint64_t ignored;
        if (width < 0)
                return ps_otf2_plain_number(p, 8, &ignored);
        *p += width;
        return true;
}

/* What attributes tell of a call. */
struct told {
        ps_str file;
        uint32_t line;
        ps_otf2_hints hints;
};

static uint32_t modes_of(ps_stream *s, ps_str text)
{
        ps_otf2_modes *known = &s->modes[text % PS_OTF2_MODES];
        if (known->text != text)
                *known = (ps_otf2_modes){text, ps_sync_parse(ps_defs_str(s->defs, text))};
        return known->modes;
}

/* An attribute of calls of PGAS programs. */
static bool take_hint(ps_stream *s, const uint8_t **p, uint8_t attribute, uint8_t type, ps_otf2_hints *hints)
{
        const bool is_mode = attribute == PS_OTF2_ATTRIBUTE_IN || attribute == PS_OTF2_ATTRIBUTE_OUT;
        uint32_t text;
        uint64_t number;
        if (is_mode) {
                if (type != OTF2_TYPE_STRING || !ps_otf2_plain_reference(s, OTF2_MAPPING_STRING, p, &text))
                        return false;
                number = modes_of(s, text);
        } else if ((type != OTF2_TYPE_UINT32 && type != OTF2_TYPE_UINT64) ||
                   !ps_otf2_plain_number(p, 8, &number)) {
                return false;
        }
        ps_otf2_note_hint(hints, attribute, number);
        return true;
}

static bool take_told(ps_stream *s, const uint8_t **p, struct told *told)
{
        uint32_t which, place;
        uint64_t number;
        if (!ps_otf2_plain_reference(s, OTF2_MAPPING_ATTRIBUTE, p, &which))
                return false;
        uint8_t type = *(*p)++;
        switch (s->names->attribute[which]) {
        case PS_OTF2_ATTRIBUTE_OTHER:
                return pass_value(p, type);
        case PS_OTF2_ATTRIBUTE_FILE:
                return type == OTF2_TYPE_STRING &&
                       ps_otf2_plain_reference(s, OTF2_MAPPING_STRING, p, &told->file);
        case PS_OTF2_ATTRIBUTE_LINE:
                if ((type != OTF2_TYPE_UINT32 && type != OTF2_TYPE_UINT64) ||
                    !ps_otf2_plain_number(p, 8, &number) || number >= INT32_MAX)
                        return false;
                told->line = (uint32_t)number;
                return true;
        case PS_OTF2_ATTRIBUTE_PLACE:
                if (type != OTF2_TYPE_SOURCE_CODE_LOCATION ||
                    !ps_otf2_plain_reference(s, OTF2_MAPPING_SOURCE_CODE_LOCATION, p, &place))
                        return false;
                told->file = s->names->source[place].file;
                told->line = s->names->source[place].line;
                return true;
        default:
                return take_hint(s, p, s->names->attribute[which], type, &told->hints);
        }
}

/* The attributes whose length stands at `p`: gives their end, or NULL. */
static const uint8_t *take_attributes(ps_stream *s, const uint8_t *p, struct told *told)
{
        enum { MOST_BYTES = 48 }; /* what is read behind them is within PS_OTF2_FAST_BYTES, too */
        const uint8_t *end = p + 1 + *p;
        uint32_t n;
        *told = (struct told){0};
        if (*p++ > MOST_BYTES || !ps_otf2_plain_number32(&p, &n))
                return NULL;
        for (; n && p < end; n--)
                if (!take_told(s, &p, told))
                        return NULL;
        return n || p != end ? NULL : end;
}

/* Is it anything that is needed? */
static bool tells(const struct told *told)
{
        return told->file || told->line || told->hints.known;
}

/* The record from `start` to `end` entered it. What leaves a region says the same, but for its type. */
static void learn_enter(ps_builder *b, const struct frame *now, const uint8_t *start, const uint8_t *end)
{
        const uint64_t next = ps_otf2_load64(start);
        struct node *node = ps_fold_node(b, now);
        ps_fold_learn(next, (size_t)(end - start), &node->enter, &node->enter_size);
        if (*start == PS_OTF2_FIRST_TYPE + PLAIN_ENTER)
                ps_fold_learn(next + PLAIN_LEAVE - PLAIN_ENTER, (size_t)(end - start), &node->leave,
                              &node->leave_size);
        ps_tree_learn(&b->tree, now->node, next);
}

/* A record that is about a region, and was not foreseen: gives its end, or NULL. */
__attribute__((noinline)) static const uint8_t *fold_region(ps_stream *s, ps_builder *b, const uint8_t *p,
                                                            unsigned code, ps_time time)
{
        struct frame *top = ps_fold_top(b), *now = NULL;
        const uint8_t *start = p++;
        uint32_t id;
        bool enters = code == PLAIN_ENTER || code == PLAIN_CONTEXT_ENTER;
        if (code == PLAIN_ENTER || code == PLAIN_LEAVE) {
                if (ps_otf2_plain_reference(s, OTF2_MAPPING_REGION, &p, &id))
                        now = enters ? ps_fold_enter(b, top, id, time) : ps_fold_leave(b, top, id, time);
        } else if (code == PLAIN_CONTEXT_ENTER || code == PLAIN_CONTEXT_LEAVE) {
                if (ps_otf2_plain_reference_only(s, OTF2_MAPPING_CALLING_CONTEXT, &p, 0, &id))
                        now = enters ? ps_fold_enter_context(b, top, id, time)
                                     : ps_fold_leave(b, top, b->defs->contexts.row[id].region, time);
        }
        if (!now)
                return NULL;
        if (enters) {
                learn_enter(b, now, start, p);
        } else {
                struct node *node = ps_fold_node(b, top);
                ps_fold_learn(ps_otf2_load64(start), (size_t)(p - start), &node->leave, &node->leave_size);
                ps_tree_leave(&b->tree, top->node);
        }
        return p;
}

PS_FOLD_INLINE unsigned code_at(const uint8_t *p)
{
        return (uint8_t)(*p - (unsigned)PS_OTF2_FIRST_TYPE);
}

PS_FOLD_INLINE bool is_enter_known(const struct node *node, uint64_t next)
{
        return ps_fold_is_record(next, node->enter, &node->enter_size);
}

/* The child that was entered by such a record before, or NULL. */
PS_FOLD_INLINE struct node *known_child(struct tree *tree, ps_path parent, uint64_t next, ps_path *id)
{
        *id = *ps_tree_slot(tree, parent, next);
        struct node *node = &tree->node[*id];
        if (tree->place[*id].is.parent != parent || !is_enter_known(node, next))
                return NULL;
        ps_tree_go(tree, *id);
        return node;
}

/* The child of the top that the next bytes are known to enter, or NULL. */
PS_FOLD_INLINE struct node *next_known(ps_builder *b, const struct frame *top, const struct node *here,
                                       uint64_t next, ps_path *id)
{
        *id = b->tree.node[here->last].succ;
        struct node *node = &b->tree.node[*id];
        if (!is_enter_known(node, next))
                node = known_child(&b->tree, top->node, next, id);
        return node && ps_fold_has_room(b, top) ? node : NULL;
}

/* Enters it. `watched`: why somebody asks where the location is. */
PS_FOLD_INLINE void enter_known(ps_builder *b, struct frame **top, struct node **here, ps_path id,
                                ps_time time, uint8_t watched)
{
        struct node *node = &b->tree.node[id];
        *top = ps_fold_push(b, *top, id, node, time, watched);
        *here = node;
}

/* Counts the record at `p` that enters it, and gives its end. */
PS_FOLD_INLINE const uint8_t *take_enter(ps_builder *b, struct node *here, ps_path id, const uint8_t *p,
                                         unsigned code)
{
        ps_fold_count(b, code);
        ps_tree_follow(here, id);
        return p + b->tree.node[id].enter_size.n;
}

PS_FOLD_INLINE bool is_leave_known(const struct frame *top, const struct node *here, uint64_t next)
{
        return ps_fold_is_record(next, here->leave, &here->leave_size) && ps_fold_may_leave(top);
}

PS_FOLD_INLINE const uint8_t *leave_known(ps_builder *b, struct frame **top, struct node **here,
                                          const uint8_t *p, unsigned code, ps_time time, uint8_t watched)
{
        ps_fold_count(b, code);
        const uint8_t *end = p + (*here)->leave_size.n;
        *top = ps_fold_pop(b, *top, *here, time, watched);
        *here = ps_fold_node(b, *top);
        return end;
}

/* The record at `p`, if it is plain and was foreseen: counts it and gives its end; or NULL. */
static const uint8_t *fold_quickly(ps_stream *s, ps_builder *b, const uint8_t *p, ps_time time)
{
        unsigned code = code_at(p);
        struct frame *top = ps_fold_top(b);
        struct node *here = ps_fold_node(b, top);
        uint64_t next = ps_otf2_load64(p);
        ps_path id;
        if (is_leave_known(top, here, next))
                return leave_known(b, &top, &here, p, code, time, b->is_watched);
        if (ps_otf2_contents[code])
                return ps_otf2_contents[code](s, b, top, p + 1, time);
        if (!next_known(b, top, here, next, &id))
                return NULL;
        p = take_enter(b, here, id, p, code);
        enter_known(b, &top, &here, id, time, b->is_watched);
        return p;
}

/* As an event: a call of which attributes that begin at `at` tell more than where it stands. */
static bool take_call_told(ps_stream *s, ps_builder *b, ps_region region, const struct told *told,
                           const uint8_t *at, ps_time time)
{
        const ps_event e = {.time = time,
                            .ref = region,
                            .peer = told->hints.root,
                            .comm = PS_NONE,
                            .tag = told->hints.modes,
                            .request = told->hints.lock,
                            .op = told->hints.has_lock,
                            .code = PLAIN_ENTER,
                            .kind = PS_EV_ENTER,
                            .site_file = told->file,
                            .site_line = told->line,
                            .offset = s->base + (uint64_t)(at - s->window)};
        if (b->debts && !ps_builder_may_take(b, &e))
                return false;
        ps_builder_take(b, &e);
        return true;
}

static void tell_call(ps_builder *b, const struct frame *top, const ps_otf2_hints *hints)
{
        if (hints->known && top->marks & MARK_PGAS && top->row != PS_NONE)
                ps_builder_tell_pgas(b, top->row, hints->modes, hints->root,
                                     hints->has_lock ? &hints->lock : NULL);
}

/* The record at `p` that enters a call, of which attributes told something, and which was not foreseen. */
static const uint8_t *fold_call_anew(ps_stream *s, ps_builder *b, const struct told *told, const uint8_t *at,
                                     const uint8_t *p, ps_time time)
{
        const uint8_t *start = p++;
        struct frame *top = ps_fold_top(b), *now;
        uint32_t region;
        if (!ps_otf2_plain_reference(s, OTF2_MAPPING_REGION, &p, &region))
                return NULL;
        const bool has_site = told->file || told->line;
        now = has_site ? ps_fold_enter_at(b, top, region, told->file, told->line, time)
                       : ps_fold_enter(b, top, region, time);
        if (!now)
                return told->hints.known && take_call_told(s, b, region, told, at, time) ? p : NULL;
        if (!has_site)
                learn_enter(b, now, start, p);
        tell_call(b, now, &told->hints);
        return p;
}

/* The same, foreseen or not, where it is one: counts it and gives its end, or NULL. */
static const uint8_t *fold_call_told(ps_stream *s, ps_builder *b, const struct told *told, const uint8_t *at,
                                     const uint8_t *p, ps_time time)
{
        struct frame *top = ps_fold_top(b);
        struct node *here = ps_fold_node(b, top);
        const unsigned code = code_at(p);
        ps_path id;
        if (code != PLAIN_ENTER)
                return NULL;
        if (told->file || told->line || !next_known(b, top, here, ps_otf2_load64(p), &id))
                return ps_otf2_counted(b, code, fold_call_anew(s, b, told, at, p, time));
        p = take_enter(b, here, id, p, code);
        enter_known(b, &top, &here, id, time, b->is_watched);
        tell_call(b, top, &told->hints);
        return p;
}

/* The record at `at`, whose type stands at `p`, where it was not foreseen or is not plain: counts it and
 * gives its end; or NULL. Attributes that tell nothing that is needed are passed over, and the record begins
 * behind them. */
__attribute__((noinline)) static const uint8_t *fold_slowly(ps_stream *s, ps_builder *b, const uint8_t *at,
                                                            const uint8_t *p, ps_time time)
{
        struct told told;
        const uint8_t *end = NULL,
                      *behind = *p == PS_OTF2_ATTRIBUTES ? take_attributes(s, p + 1, &told) : NULL;
        if (behind && (end = tells(&told) ? fold_call_told(s, b, &told, p + 1, behind, time)
                                          : fold_quickly(s, b, p = at = behind, time)))
                return end;
        unsigned code = code_at(p);
        if (ps_otf2_slow_contents[code] &&
            (end = ps_otf2_slow_contents[code](s, b, ps_fold_top(b), p + 1, time)))
                return end;
        if (!ps_otf2_contents[code])
                end = fold_region(s, b, p, code, time);
        if (end || (end = ps_otf2_fold_event(s, b, at, p + 1, code, time)))
                ps_fold_count(b, code);
        return end;
}

/* What the loop knows goes on to be so. */
static bool goes_on(const ps_builder *b, uint8_t is_watched)
{
        return ps_fold_is_ready(b) && b->is_watched == is_watched;
}

/* The rest of a region of the program in which nothing happens, as of the calls below. */
PS_FOLD_INLINE struct ps_otf2_call fold_leaf(ps_builder *b, const struct ps_otf2_timing *timing,
                                             struct frame *top, ps_path id, const uint8_t *p, ps_time time,
                                             uint8_t watched)
{
        struct ps_otf2_moment leave = {time, 0};
        struct node *node = &b->tree.node[id];
        if (!(p = ps_otf2_next_leave(timing, node, p, &leave)) ||
            (watched && !ps_builder_pass_own(b, top->node, id, time, leave.time)))
                return (struct ps_otf2_call){NULL, time};
        ps_fold_pass(b, top, node, time, leave.time);
        return ps_otf2_end_call(b, timing, node, p, &leave);
}

/* The rest of a call that the top has entered just now: gives its end, if it is folded at once, or one
 * without an end. `watched`: as below. */
PS_FOLD_INLINE struct ps_otf2_call fold_whole(ps_builder *b, const struct ps_otf2_timing *timing,
                                              struct frame *top, ps_path id, const uint8_t *p, ps_time time,
                                              uint8_t watched)
{
        enum { FIRST = 1 + sizeof(uint64_t) /* behind its timestamp */ };
        const struct ps_otf2_call none = {NULL, time};
        struct node *node = &b->tree.node[id];
        if ((watched && watched != WATCH_PIECES) || node->awaits == AWAITS_OTHER ||
            node->awaits == AWAITS_DONE)
                return none;
        if (node->awaits == AWAITS_NOTHING)
                return (watched && node->last) || node->marks
                               ? none
                               : fold_leaf(b, timing, top, id, p, time, watched);
        if (*p != PS_OTF2_TIMESTAMP || node->kind == PS_K_SENDRECV_SEND) /* mostly two messages */
                return none;
        ps_otf2_whole *const whole = ps_otf2_wholes[code_at(p + FIRST)];
        return whole ? whole(b, timing, top, id, p + FIRST + 1, time) : none;
}

/* The records from `at` on, up to the first that is not plain. What the loop changes it keeps in registers.
 * `watched`: why somebody asks where the location is; a constant.
 */
PS_FOLD_INLINE const uint8_t *fold_records(ps_stream *s, ps_builder *b, struct ps_otf2_timing *timing,
                                           const uint8_t *at, const uint8_t *end, uint8_t watched)
{
        uint8_t is_watched = b->is_watched;
        struct frame *top = ps_fold_top(b);
        struct node *here = ps_fold_node(b, top);
        const uint64_t before = ps_fold_counted(b);
        timing->end = end;
        ps_time last = s->last;
        while (at < end) {
                const uint8_t *p = at, *done;
                ps_time time = last;
                if (*p == PS_OTF2_TIMESTAMP) {
                        time = ps_otf2_time(s, timing, ps_otf2_load64(p + 1));
                        p += 9;
                        if (time < last)
                                break;
                }
                uint64_t next = ps_otf2_load64(p);
                unsigned code = (uint8_t)(next - PS_OTF2_FIRST_TYPE);
                ps_path id;
                if (is_leave_known(top, here, next)) {
                        done = leave_known(b, &top, &here, p, code, time, watched);
                } else if (ps_otf2_contents[code]) {
                        done = ps_otf2_contents[code](s, b, top, p + 1, time);
                } else if (!next_known(b, top, here, next, &id)) {
                        done = NULL;
                } else {
                        done = take_enter(b, here, id, p, code);
                        const struct ps_otf2_call call = fold_whole(b, timing, top, id, done, time, watched);
                        if (call.end) {
                                done = call.end;
                                time = call.time;
                        } else {
                                enter_known(b, &top, &here, id, time, watched);
                        }
                }
                if (!done) {
                        if (!(done = fold_slowly(s, b, at, p, time)))
                                break;
                        top = ps_fold_top(b);
                        here = ps_fold_node(b, top);
                        end = goes_on(b, is_watched) ? end : at;
                }
                at = done;
                last = time;
        }
        const uint64_t n = ps_fold_counted(b) - before;
        ps_fold_note_events(b, n, last);
        if (n)
                keep_ticks(s, timing, last);
        s->last = last;
        s->n_events += n;
        return at;
}

/* Records are decoded while window and chunk are sure to hold them. */
void ps_otf2_fold_plain(ps_stream *s, void *ctx)
{
        const struct ps_otf2_folding *f = ctx;
        ps_builder *b = f->builder;
        ps_otf2_bytes rest = ps_otf2_rest_of_chunk(s);
        struct ps_otf2_timing timing = ps_otf2_timing_of(s);
        if (f->batch->n || rest.end - rest.p <= PS_OTF2_FAST_BYTES || is_odd_now(s, &timing, b, rest.p))
                return;
        const uint8_t *at = rest.p, *end = ps_otf2_plain_end(s, &rest);
        if (!b->is_watched)
                at = fold_records(s, b, &timing, at, end, 0);
        else if (b->is_watched == WATCH_PIECES)
                at = fold_records(s, b, &timing, at, end, WATCH_PIECES);
        else
                at = fold_records(s, b, &timing, at, end, WATCH_ANY);
        s->at = (size_t)(at - s->window);
}

static bool is_plain_next(const ps_stream *s)
{
        const uint8_t *p = s->window + s->at;
        if (s->have - s->at < PS_OTF2_FAST_BYTES)
                return false;
        unsigned code = code_at(*p == PS_OTF2_TIMESTAMP ? p + 9 : p);
        return code < ps_otf2_n_records || code == CODE_ATTRIBUTES;
}

/* Somebody may want to read on from here: see core/model/stack_places.h. */
static ps_status keep_place(const ps_stream *s, ps_builder *b, const ps_batch *batch, ps_error *err)
{
        ps_stream_mark at;
        if (batch->n || !ps_builder_wants_place(b, ps_otf2_stream_offset(s)))
                return PS_OK;
        ps_otf2_stream_mark(s, &at);
        return ps_builder_add_place(b, &at, err);
}

ps_status ps_otf2_fold(ps_stream *stream, ps_builder *builder, ps_batch *batch, ps_error *err)
{
        struct ps_otf2_folding f = {builder, batch};
        ps_issues *issues = ps_builder_issues(builder);
        while (!ps_otf2_stream_is_over(stream) && batch->n < PS_BATCH_EVENTS &&
               !(batch->n && is_plain_next(stream))) {
                PS_TRY(keep_place(stream, builder, batch, err));
                PS_TRY(ps_otf2_decode_step(stream, ps_otf2_fold_plain, &f, batch, issues, err));
        }
        return PS_OK;
}
