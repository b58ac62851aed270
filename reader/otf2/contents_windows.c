/* contents_windows.c - records of windows in calls of their own sort. */
#include "core/fold/sink.h"
#include "reader/otf2/fold.h"
#include "reader/otf2/plain.h"

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

PLAIN_INLINE const uint8_t *take_transfer(ps_stream *s, ps_builder *b, struct frame *top, const uint8_t *p,
                                          ps_time time, unsigned code, bool is_quick)
{
        const ps_kind kind = code == PLAIN_PUT ? PS_K_PUT : code == PLAIN_GET ? PS_K_GET : PS_K_ATOMIC;
        const uint8_t *end = end_of(b, top, p++);
        ps_fold_message m = {.at = end ? take_target(s, b, top->node, &p, false, is_quick) : NULL};
        uint64_t got, id;
        if (kind == PS_K_ATOMIC)
                p++; /* what it does there */
        return m.at && ps_otf2_plain_number(&p, 8, &m.bytes) &&
                               (kind != PS_K_ATOMIC || ps_otf2_plain_number(&p, 8, &got)) &&
                               ps_otf2_plain_number(&p, 8, &id) && p <= end &&
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

PLAIN_INLINE const uint8_t *take_lock(ps_stream *s, ps_builder *b, struct frame *top, const uint8_t *p,
                                      ps_time time, unsigned code, bool is_quick)
{
        const bool gives = code == PLAIN_WINDOW_UNLOCK;
        const uint8_t *end = end_of(b, top, p++);
        ps_fold_message m = {.at = end ? take_target(s, b, top->node, &p, false, is_quick) : NULL};
        return m.at && ps_otf2_plain_number(&p, 8, &m.bytes) && (gives ? p <= end : p < end) &&
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
