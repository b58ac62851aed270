/* contents_windows.c - records of windows in calls of their own sort. */
#include "core/fold/sink.h"
#include "reader/otf2/fold.h"
#include "reader/otf2/plain.h"
#include "reader/otf2/timing.h"

/* The bytes of window and rank, or root, in a record; how many these are. They are known again up to seven,
 * those of collective operations with a mark behind them. */
enum { MOST_BYTES = 7 };

PLAIN_INLINE unsigned bytes_of_target(const uint8_t *p, bool is_root, uint64_t *bytes)
{
        const unsigned n_window = p[0], rank = n_window <= 4 ? p[1 + n_window] : MOST_BYTES;
        const unsigned n = 2 + n_window + (rank == UINT8_MAX ? 0 : rank);
        *bytes = n > MOST_BYTES ? UINT64_MAX : ps_otf2_first_bytes(p, n) | (is_root ? UINT64_C(1) << 63 : 0);
        return n;
}

/* Whom it is about, or NULL where that is not plain. */
PLAIN_INLINE struct address *take_target(ps_stream *s, ps_builder *b, ps_path in, const uint8_t **p,
                                         bool is_root, bool is_quick)
{
        uint64_t bytes;
        uint32_t window, rank;
        const unsigned n = bytes_of_target(*p, is_root, &bytes);
        struct address *a = n <= MOST_BYTES ? ps_fold_known(&b->targets, bytes, in) : NULL;
        if (a) {
                *p += n;
                return a;
        }
        if (is_quick || !ps_otf2_plain_reference(s, OTF2_MAPPING_RMA_WIN, p, &window) ||
            !(is_root ? ps_otf2_plain_root(p, &rank) : ps_otf2_plain_rank(p, &rank)))
                return NULL;
        return is_root ? ps_fold_learn_window_coll(b, bytes, in, window, rank)
                       : ps_fold_learn_target(b, bytes, in, window, rank);
}

/* The end of the content whose length stands at `p`, or NULL where it is not plain. */
PLAIN_INLINE const uint8_t *end_of(const ps_builder *b, const struct frame *top, const uint8_t *p)
{
        return *p <= PS_OTF2_PLAIN_BYTES && ps_fold_is_of_window(b, top) ? p + 1 + *p : NULL;
}

PLAIN_INLINE ps_kind kind_of(unsigned code)
{
        return code == PLAIN_PUT ? PS_K_PUT : code == PLAIN_GET ? PS_K_GET : PS_K_ATOMIC;
}

/* What a transfer's record tells in front of `end`, behind the length of its content: gives where its id
 * stands, or NULL. */
PLAIN_INLINE const uint8_t *take_moved(ps_stream *s, ps_builder *b, ps_path in, const uint8_t *p,
                                       const uint8_t *end, ps_kind kind, ps_fold_message *m, uint64_t *id,
                                       bool is_quick)
{
        uint64_t got;
        *m = (ps_fold_message){.at = take_target(s, b, in, &p, false, is_quick)};
        if (kind == PS_K_ATOMIC)
                p++; /* what it does there */
        if (!m->at || !ps_otf2_plain_number(&p, 8, &m->bytes) ||
            (kind == PS_K_ATOMIC && !ps_otf2_plain_number(&p, 8, &got)))
                return NULL;
        const uint8_t *at = p;
        return ps_otf2_plain_number(&p, 8, id) && p <= end ? at : NULL;
}

PLAIN_INLINE const uint8_t *take_transfer(ps_stream *s, ps_builder *b, struct frame *top, const uint8_t *p,
                                          ps_time time, unsigned code, bool is_quick)
{
        const ps_kind kind = kind_of(code);
        const uint8_t *end = end_of(b, top, p);
        ps_fold_message m;
        uint64_t id;
        return end && take_moved(s, b, top->node, p + 1, end, kind, &m, &id, is_quick) &&
                               ps_fold_transfer(b, top, kind, &m, id, time, is_quick)
                       ? end
                       : NULL;
}

PLAIN_INLINE const uint8_t *take_transferred(ps_stream *s, ps_builder *b, struct frame *top, const uint8_t *p,
                                             ps_time time, unsigned code, bool is_quick)
{
        const uint8_t *end = end_of(b, top, p++);
        uint32_t window;
        uint64_t id;
        (void)time, (void)code;
        return end && ps_otf2_plain_reference(s, OTF2_MAPPING_RMA_WIN, &p, &window) &&
                               ps_otf2_plain_number(&p, 8, &id) && p <= end &&
                               ps_fold_transferred(b, top, window, id, is_quick)
                       ? end
                       : NULL;
}

/* Of synchronisation of memory nothing is needed, but that it is whole. */
PLAIN_INLINE const uint8_t *take_sync(ps_stream *s, ps_builder *b, struct frame *top, const uint8_t *p,
                                      ps_time time, unsigned code, bool is_quick)
{
        const uint8_t *end = end_of(b, top, p++);
        uint32_t window, rank;
        (void)time, (void)code, (void)is_quick;
        return end && ps_otf2_plain_reference(s, OTF2_MAPPING_RMA_WIN, &p, &window) &&
                               ps_otf2_plain_rank(&p, &rank) && p < end
                       ? end
                       : NULL;
}

PLAIN_INLINE const uint8_t *take_wait(ps_stream *s, ps_builder *b, struct frame *top, const uint8_t *p,
                                      ps_time time, unsigned code, bool is_quick)
{
        const uint8_t *end = end_of(b, top, p++);
        uint32_t window;
        (void)time, (void)code;
        return end && ps_otf2_plain_reference(s, OTF2_MAPPING_RMA_WIN, &p, &window) && p <= end &&
                               ps_fold_wait_change(b, top, window, is_quick)
                       ? end
                       : NULL;
}

/* Which of several locks at a target it is about: mostly there is one, whose number is 0. */
PLAIN_INLINE bool take_lock_id(const uint8_t **p, uint64_t *id)
{
        *id = 0;
        if (**p)
                return ps_otf2_plain_number(p, 8, id);
        ++*p;
        return true;
}

PLAIN_INLINE const uint8_t *take_lock(ps_stream *s, ps_builder *b, struct frame *top, const uint8_t *p,
                                      ps_time time, unsigned code, bool is_quick)
{
        const bool gives = code == PLAIN_WINDOW_UNLOCK;
        const uint8_t *end = end_of(b, top, p++);
        ps_fold_message m = {.at = end ? take_target(s, b, top->node, &p, false, is_quick) : NULL};
        return m.at && take_lock_id(&p, &m.bytes) && (gives ? p <= end : p < end) &&
                               ps_fold_window_lock(b, top, &m, gives ? NULL : p, code == PLAIN_WINDOW_TRY,
                                                   time, is_quick)
                       ? end
                       : NULL;
}

const uint8_t *ps_otf2_fold_window_coll_begin(ps_stream *s, ps_builder *b, struct frame *top,
                                              const uint8_t *p, ps_time time)
{
        (void)s;
        bool is_folded = *p == 0 && ps_fold_is_of_window(b, top) && ps_fold_begin_coll(b, top, time);
        return ps_otf2_counted(b, PLAIN_WINDOW_COLL_BEGIN, is_folded ? p + 1 : NULL);
}

PLAIN_INLINE const uint8_t *take_coll_end(ps_stream *s, ps_builder *b, struct frame *top, const uint8_t *p,
                                          ps_time time, unsigned code, bool is_quick)
{
        const uint8_t *end = end_of(b, top, p);
        ps_fold_coll coll;
        uint32_t level;
        (void)code;
        p += 2; /* the operation is the call's */
        coll.says.at = end && ps_otf2_plain_number32(&p, &level)
                               ? take_target(s, b, top->node, &p, true, is_quick)
                               : NULL;
        return coll.says.at && ps_otf2_plain_number(&p, 8, &coll.says.bytes) &&
                               ps_otf2_plain_number(&p, 8, &coll.received) && p <= end &&
                               ps_fold_end_window_coll(b, top, &coll, level, time, is_quick)
                       ? end
                       : NULL;
}

PLAIN_CONTENT(, ps_otf2_fold_put, PLAIN_PUT, take_transfer)
PLAIN_CONTENT(, ps_otf2_fold_get, PLAIN_GET, take_transfer)
PLAIN_CONTENT(, ps_otf2_fold_atomic, PLAIN_ATOMIC, take_transfer)
PLAIN_CONTENT(, ps_otf2_fold_transferred, PLAIN_TRANSFERRED, take_transferred)
PLAIN_CONTENT(, ps_otf2_fold_transferred_later, PLAIN_TRANSFERRED_LATER, take_transferred)
PLAIN_CONTENT(, ps_otf2_fold_transferred_there, PLAIN_TRANSFERRED_THERE, take_transferred)
PLAIN_CONTENT(, ps_otf2_fold_memory_sync, PLAIN_MEMORY_SYNC, take_sync)
PLAIN_CONTENT(, ps_otf2_fold_wait_change, PLAIN_WAIT_CHANGE, take_wait)
PLAIN_CONTENT(, ps_otf2_fold_window_request, PLAIN_WINDOW_REQUEST, take_lock)
PLAIN_CONTENT(, ps_otf2_fold_window_try, PLAIN_WINDOW_TRY, take_lock)
PLAIN_CONTENT(, ps_otf2_fold_window_lock, PLAIN_WINDOW_LOCK, take_lock)
PLAIN_CONTENT(, ps_otf2_fold_window_unlock, PLAIN_WINDOW_UNLOCK, take_lock)
PLAIN_CONTENT(, ps_otf2_fold_window_coll_end, PLAIN_WINDOW_COLL_END, take_coll_end)

/* -- calls that are folded at once -- */

/* Behind the record that a transfer is over, if it is the one at `p`, and names window and id by the same
 * bytes as the record of the transfer does; or NULL. */
PLAIN_INLINE const uint8_t *pass_transferred(const struct ps_otf2_timing *timing, const uint8_t *p,
                                             const uint8_t *window, const uint8_t *id,
                                             struct ps_otf2_moment *last)
{
        const unsigned n_window = 1 + *window, n = n_window + 1 + *id;
        if (n > 8 || !(p = ps_otf2_next_content(timing, p, PS_OTF2_FIRST_TYPE + PLAIN_TRANSFERRED, last)))
                return NULL;
        const uint64_t same = ps_otf2_first_bytes(window, n_window) | ps_otf2_load64(id) << 8 * n_window;
        return *p == n && (ps_otf2_load64(p + 1) ^ same) << (64 - 8 * n) == 0 ? p + 1 + n : NULL;
}

/* Of these and of those below `code`, of the first record, is a constant. */
PLAIN_INLINE struct ps_otf2_call take_transfer_call(ps_builder *b, const struct ps_otf2_timing *timing,
                                                    struct frame *top, ps_path path, const uint8_t *p,
                                                    ps_time time, unsigned code)
{
        const struct ps_otf2_call none = {NULL, 0};
        const ps_kind kind = kind_of(code);
        const uint8_t *window = p + 1, *end = window + *p, *at;
        struct node *node = &b->tree.node[path];
        struct ps_otf2_moment begin = {time, 0}, last;
        ps_fold_message m;
        uint64_t id;
        if (node->kind != kind || node->marks & ~MARK_PGAS || b->debts || *p > PS_OTF2_PLAIN_BYTES ||
            !ps_otf2_go_on(timing, ps_otf2_timestamp_of(p), &begin) ||
            !(at = take_moved(NULL, b, path, window, end, kind, &m, &id, true)))
                return none;
        last = begin;
        const bool is_over = end[1 + sizeof(uint64_t)] == PS_OTF2_FIRST_TYPE + PLAIN_TRANSFERRED;
        if ((is_over && !(end = pass_transferred(timing, end, window, at, &last))) ||
            !(end = ps_otf2_next_leave(timing, node, end, &last)) ||
            !ps_fold_call_of_transfer(b, top, node, &m, id, is_over,
                                      &(ps_fold_times){time, begin.time, last.time, last.time}))
                return none;
        ps_fold_count(b, code);
        if (is_over)
                ps_fold_count(b, PLAIN_TRANSFERRED);
        return ps_otf2_end_call(b, timing, node, end, &last);
}

/* That a transfer is over, told in front of what the call is there for: gives the end of it, or NULL. */
PLAIN_INLINE const uint8_t *take_over(const ps_builder *b, const struct ps_otf2_timing *timing,
                                      const uint8_t *p, ps_ids_page **page, uint64_t *id)
{
        enum { MOST = 2 + sizeof(uint32_t) + sizeof(uint64_t) };
        const uint8_t *end = p + 1 + *p;
        uint32_t window;
        return *p++ <= MOST &&
                               ps_otf2_plain_reference_near(timing->stream, OTF2_MAPPING_RMA_WIN, &p,
                                                            &window) &&
                               ps_otf2_plain_number(&p, 8, id) && p <= end &&
                               (*page = ps_fold_under_way(b, window, *id))
                       ? end
                       : NULL;
}

PLAIN_INLINE struct ps_otf2_call take_lock_call(ps_builder *b, const struct ps_otf2_timing *timing,
                                                struct frame *top, ps_path path, const uint8_t *p,
                                                ps_time time, unsigned code)
{
        const struct ps_otf2_call none = {NULL, 0};
        const bool gives = code != PLAIN_WINDOW_LOCK, is_over = code == PLAIN_TRANSFERRED;
        struct node *node = &b->tree.node[path];
        struct ps_otf2_moment at = {time, 0}, leave;
        ps_fold_message m;
        ps_ids_page *over = NULL;
        uint64_t id = 0;
        if (node->awaits != AWAITS_LOCK || node->marks & ~MARK_PGAS || b->debts ||
            !ps_otf2_go_on(timing, ps_otf2_timestamp_of(p), &at))
                return none;
        if (is_over &&
            (!(p = take_over(b, timing, p, &over, &id)) ||
             !(p = ps_otf2_next_content(timing, p, PS_OTF2_FIRST_TYPE + PLAIN_WINDOW_UNLOCK, &at))))
                return none;
        const uint8_t *end = p + 1 + *p;
        if (*p++ > PS_OTF2_PLAIN_BYTES || !(m.at = take_target(NULL, b, path, &p, false, true)) ||
            !take_lock_id(&p, &m.bytes) || (gives ? p > end : p >= end))
                return none;
        leave = at;
        if (!(end = ps_otf2_next_leave(timing, node, end, &leave)) ||
            !ps_fold_call_of_lock(b, top, node, &m, gives ? NULL : p,
                                  &(ps_fold_times){time, at.time, leave.time, leave.time}))
                return none;
        if (is_over) {
                ps_fold_end_in_call(b, over, id, b->n_rows - 1);
                ps_fold_count(b, PLAIN_TRANSFERRED);
        }
        ps_fold_count(b, gives ? PLAIN_WINDOW_UNLOCK : PLAIN_WINDOW_LOCK);
        return ps_otf2_end_call(b, timing, node, end, &leave);
}

PLAIN_WHOLE(, ps_otf2_fold_put_call, take_transfer_call, PLAIN_PUT)
PLAIN_WHOLE(, ps_otf2_fold_get_call, take_transfer_call, PLAIN_GET)
PLAIN_WHOLE(, ps_otf2_fold_atomic_call, take_transfer_call, PLAIN_ATOMIC)
PLAIN_WHOLE(, ps_otf2_fold_lock_call, take_lock_call, PLAIN_WINDOW_LOCK)
PLAIN_WHOLE(, ps_otf2_fold_unlock_call, take_lock_call, PLAIN_WINDOW_UNLOCK)
PLAIN_WHOLE(, ps_otf2_fold_transferred_call, take_lock_call, PLAIN_TRANSFERRED)
