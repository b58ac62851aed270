/* contents_windows.c - records of windows in calls of their own sort. */
#include "core/fold/sink.h"
#include "reader/otf2/fold.h"
#include "reader/otf2/plain.h"

/* What a record begins with, behind its length at `p`: its window, and the rank of the target; gives its end,
 * or NULL where it is not plain. */
PLAIN_INLINE const uint8_t *take_window(ps_stream *s, const uint8_t **p, ps_fold_window *w)
{
        const uint8_t *end = *p + 1 + **p;
        return *(*p)++ <= PS_OTF2_PLAIN_BYTES &&
                               ps_otf2_plain_reference(s, OTF2_MAPPING_RMA_WIN, p, &w->window)
                       ? end
                       : NULL;
}

PLAIN_INLINE const uint8_t *take_target(ps_stream *s, const uint8_t **p, ps_fold_window *w)
{
        const uint8_t *end = take_window(s, p, w);
        return end && ps_otf2_plain_number32(p, &w->rank) ? end : NULL;
}

PLAIN_INLINE const uint8_t *counted(ps_builder *b, unsigned code, bool is_folded, const uint8_t *end)
{
        if (!is_folded)
                return NULL;
        ps_fold_count(b, code);
        return end;
}

PLAIN_INLINE const uint8_t *fold_transfer(ps_stream *s, ps_builder *b, struct frame *top, const uint8_t *p,
                                          ps_time time, unsigned code)
{
        ps_fold_window w = {0};
        const uint8_t *end = take_target(s, &p, &w);
        return counted(b, code,
                       end && ps_otf2_plain_number(&p, 8, &w.bytes) && ps_otf2_plain_number(&p, 8, &w.id) &&
                               p <= end &&
                               ps_fold_transfer(b, top, code == PLAIN_PUT ? PS_K_PUT : PS_K_GET, &w, time),
                       end);
}

PLAIN_INLINE const uint8_t *fold_transferred(ps_stream *s, ps_builder *b, struct frame *top, const uint8_t *p,
                                             ps_time time, unsigned code)
{
        ps_fold_window w = {0};
        const uint8_t *end = take_window(s, &p, &w);
        (void)time;
        return counted(b, code,
                       end && ps_otf2_plain_number(&p, 8, &w.id) && p <= end &&
                               ps_fold_transferred(b, top, &w),
                       end);
}

PLAIN_INLINE const uint8_t *fold_lock(ps_stream *s, ps_builder *b, struct frame *top, const uint8_t *p,
                                      ps_time time, unsigned code)
{
        ps_fold_window w = {0};
        const uint8_t *end = take_target(s, &p, &w);
        (void)time;
        return counted(b, code,
                       end && ps_otf2_plain_number(&p, 8, &w.id) && p < end &&
                               ps_fold_window_lock(b, top, &w, *p),
                       end);
}

PLAIN_INLINE const uint8_t *fold_unlock(ps_stream *s, ps_builder *b, struct frame *top, const uint8_t *p,
                                        ps_time time, unsigned code)
{
        ps_fold_window w = {0};
        const uint8_t *end = take_target(s, &p, &w);
        return counted(b, code,
                       end && ps_otf2_plain_number(&p, 8, &w.id) && p <= end &&
                               ps_fold_window_unlock(b, top, &w, time),
                       end);
}

PLAIN_INLINE const uint8_t *fold_coll_begin(ps_stream *s, ps_builder *b, struct frame *top, const uint8_t *p,
                                            ps_time time, unsigned code)
{
        (void)s;
        bool is_folded =
                *p == 0 && !b->debts && !(top->marks & MARK_INNER) && ps_fold_begin_coll(b, top, time);
        return counted(b, code, is_folded, p + 1);
}

PLAIN_INLINE const uint8_t *fold_coll_end(ps_stream *s, ps_builder *b, struct frame *top, const uint8_t *p,
                                          ps_time time, unsigned code)
{
        ps_fold_window w = {0};
        const uint8_t *end = p + 1 + *p;
        uint32_t level, root;
        uint64_t received;
        bool is_plain = *p <= PS_OTF2_PLAIN_BYTES;
        p += 2; /* the operation is the call's */
        is_plain = is_plain && ps_otf2_plain_number32(&p, &level) &&
                   ps_otf2_plain_reference(s, OTF2_MAPPING_RMA_WIN, &p, &w.window) &&
                   ps_otf2_plain_root(&p, &root) && ps_otf2_plain_number(&p, 8, &w.bytes) &&
                   ps_otf2_plain_number(&p, 8, &received) && p <= end;
        return counted(b, code, is_plain && ps_fold_end_window_coll(b, top, &w, received, time), end);
}

#define CONTENT(name, fold, code)                                                                            \
        const uint8_t *ps_otf2_fold_##name(ps_stream *s, ps_builder *b, struct frame *top, const uint8_t *p, \
                                           ps_time time)                                                     \
        {                                                                                                    \
                return fold(s, b, top, p, time, code);                                                       \
        }

CONTENT(put, fold_transfer, PLAIN_PUT)
CONTENT(get, fold_transfer, PLAIN_GET)
CONTENT(transferred, fold_transferred, PLAIN_TRANSFERRED)
CONTENT(transferred_later, fold_transferred, PLAIN_TRANSFERRED_LATER)
CONTENT(window_lock, fold_lock, PLAIN_WINDOW_LOCK)
CONTENT(window_unlock, fold_unlock, PLAIN_WINDOW_UNLOCK)
CONTENT(window_coll_begin, fold_coll_begin, PLAIN_WINDOW_COLL_BEGIN)
CONTENT(window_coll_end, fold_coll_end, PLAIN_WINDOW_COLL_END)
