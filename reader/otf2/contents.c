/* contents.c - records that are about no region, folded into the call at the top. */
#include "core/fold/sink.h"
#include "reader/otf2/events.h"
#include "reader/otf2/fold.h"
#include "reader/otf2/plain.h"
#include "reader/otf2/timing.h"

PS_FOLD_INLINE struct address *take_address(ps_stream *s, ps_builder *b, ps_path in, const uint8_t **p,
                                            bool is_quick)
{
        const uint8_t *start = *p;
        uint64_t next = ps_otf2_load64(start);
        if (!is_quick)
                ps_addresses_look(b, &b->addresses);
        struct address *a = ps_fold_address(b, next, in);
        uint32_t rank, comm;
        if (a->is_there && ps_fold_is_record(next, a->known, &a->known_size)) {
                *p += a->known_size.n;
                return a;
        }
        if (is_quick || !ps_otf2_plain_address(s, p, &rank, &comm) ||
            !(a = ps_fold_find_address(b, next, in, comm, rank)))
                return NULL;
        ps_fold_learn(next, (size_t)(*p - start), &a->known, &a->known_size);
        return a;
}

/* `request`: NULL: it has none. */
PS_FOLD_INLINE bool take_message(ps_stream *s, ps_builder *b, ps_path in, const uint8_t **p,
                                 ps_fold_message *out, uint64_t *request, bool is_quick)
{
        const uint8_t *end = *p + 1 + **p;
        ++*p;
        out->at = take_address(s, b, in, p, is_quick);
        return out->at && ps_otf2_plain_message(p, end, &out->tag, &out->bytes, request);
}

PS_FOLD_INLINE const uint8_t *take_send(ps_stream *s, ps_builder *b, struct frame *top, const uint8_t *p,
                                        ps_time time, bool is_quick)
{
        ps_fold_message m;
        return take_message(s, b, top->node, &p, &m, NULL, is_quick) &&
                               ps_fold_send(b, top, &m, time, is_quick)
                       ? p
                       : NULL;
}

PS_FOLD_INLINE const uint8_t *take_recv(ps_stream *s, ps_builder *b, struct frame *top, const uint8_t *p,
                                        ps_time time, bool is_quick)
{
        ps_fold_message m;
        return take_message(s, b, top->node, &p, &m, NULL, is_quick) &&
                               ps_fold_recv(b, top, &m, time, is_quick)
                       ? p
                       : NULL;
}

PS_FOLD_INLINE const uint8_t *take_isend(ps_stream *s, ps_builder *b, struct frame *top, const uint8_t *p,
                                         ps_time time, bool is_quick)
{
        ps_fold_message m;
        uint64_t request;
        return take_message(s, b, top->node, &p, &m, &request, is_quick) &&
                               ps_fold_start(b, top, AWAITS_ISEND, &m, request, time, is_quick)
                       ? p
                       : NULL;
}

PS_FOLD_INLINE const uint8_t *take_irecv(ps_stream *s, ps_builder *b, struct frame *top, const uint8_t *p,
                                         ps_time time, bool is_quick)
{
        ps_fold_message m;
        uint64_t request;
        return take_message(s, b, top->node, &p, &m, &request, is_quick) &&
                               ps_fold_complete(b, top, true, &m, request, time, is_quick)
                       ? p
                       : NULL;
}

PS_FOLD_INLINE const uint8_t *take_irecv_request(ps_stream *s, ps_builder *b, struct frame *top,
                                                 const uint8_t *p, ps_time time, bool is_quick)
{
        uint64_t request;
        (void)s;
        return ps_otf2_plain_number(&p, 8, &request) &&
                               ps_fold_start(b, top, AWAITS_IRECV, NULL, request, time, is_quick)
                       ? p
                       : NULL;
}

PS_FOLD_INLINE const uint8_t *take_isend_complete(ps_stream *s, ps_builder *b, struct frame *top,
                                                  const uint8_t *p, ps_time time, bool is_quick)
{
        uint64_t request;
        (void)s;
        return ps_otf2_plain_number(&p, 8, &request) &&
                               ps_fold_complete(b, top, false, NULL, request, time, is_quick)
                       ? p
                       : NULL;
}

/* A message in a call that may have several; `code` is a constant. */
PS_FOLD_INLINE const uint8_t *take_one_of_several(ps_stream *s, ps_builder *b, struct frame *top,
                                                  const uint8_t *p, ps_time time, unsigned code)
{
        const bool is_posted = code == PLAIN_IRECV_REQUEST, has_request = is_posted || code == PLAIN_ISEND;
        const ps_kind kind =
                ps_fold_kind_of_several(ps_fold_node(b, top), is_posted || code == PLAIN_RECV, has_request);
        ps_fold_message m;
        uint64_t request = 0, *its = has_request ? &request : NULL;
        if (kind == PS_K_NONE || !(is_posted ? ps_otf2_plain_number(&p, 8, its)
                                             : take_message(s, b, top->node, &p, &m, its, false)))
                return NULL;
        return ps_otf2_counted(
                b, code, ps_fold_one_of_several(b, top, kind, is_posted ? NULL : &m, its, time) ? p : NULL);
}

/* `awaited`: what calls of one message await; others may have several. Nothing is done behind that, which
 * leaves registers alone. */
#define FOLD_CONTENT(name, code, awaited)                                                                    \
        __attribute__((noinline)) static const uint8_t *fold_##name##_of_several(                            \
                ps_stream *s, ps_builder *b, struct frame *top, const uint8_t *p, ps_time time)              \
        {                                                                                                    \
                return take_one_of_several(s, b, top, p, time, code);                                        \
        }                                                                                                    \
        static const uint8_t *fold_##name(ps_stream *s, ps_builder *b, struct frame *top, const uint8_t *p,  \
                                          ps_time time)                                                      \
        {                                                                                                    \
                if ((awaited) != AWAITS_NOTHING && top->awaits != (awaited))                                 \
                        return fold_##name##_of_several(s, b, top, p, time);                                 \
                return ps_otf2_counted(b, code, take_##name(s, b, top, p, time, true));                      \
        }                                                                                                    \
        static const uint8_t *fold_##name##_slowly(ps_stream *s, ps_builder *b, struct frame *top,           \
                                                   const uint8_t *p, ps_time time)                           \
        {                                                                                                    \
                return ps_otf2_counted(b, code, take_##name(s, b, top, p, time, false));                     \
        }

FOLD_CONTENT(send, PLAIN_SEND, AWAITS_SEND)
FOLD_CONTENT(recv, PLAIN_RECV, AWAITS_RECV)
FOLD_CONTENT(isend, PLAIN_ISEND, AWAITS_ISEND)
FOLD_CONTENT(irecv_request, PLAIN_IRECV_REQUEST, AWAITS_IRECV)
FOLD_CONTENT(irecv, PLAIN_IRECV, AWAITS_NOTHING)
FOLD_CONTENT(isend_complete, PLAIN_ISEND_COMPLETE, AWAITS_NOTHING)

/* -- collective operations -- */

/* The bytes of operation, communicator and root at the front of a record; how many these are: what they
 * are tells it. More than eight are not known again. */
PS_FOLD_INLINE unsigned bytes_of_coll(const uint8_t *p, uint64_t *bytes)
{
        unsigned n_comm = p[1], root = n_comm <= 4 ? p[2 + n_comm] : UINT8_MAX;
        unsigned n = 3 + n_comm + (root == UINT8_MAX ? 0 : root);
        *bytes = n <= 8 ? ps_otf2_first_bytes(p, n) : 0;
        return n;
}

PS_FOLD_INLINE struct address *take_coll_address(ps_stream *s, ps_builder *b, ps_path in, const uint8_t **p,
                                                 bool is_quick)
{
        uint64_t bytes;
        const unsigned n = bytes_of_coll(*p, &bytes);
        struct address *a = n <= 8 ? ps_fold_known(&b->collectives, bytes, in) : NULL;
        if (a) {
                *p += n;
                return a;
        }
        uint8_t op = *(*p)++;
        uint32_t comm, root;
        return !is_quick && ps_otf2_plain_reference(s, OTF2_MAPPING_COMM, p, &comm) &&
                               ps_otf2_plain_root(p, &root)
                       ? ps_fold_learn_coll(b, n <= 8 ? bytes : UINT64_MAX, in,
                                            (ps_kind)ps_otf2_collective_kind(op, 0), comm, root)
                       : NULL;
}

/* `request`: NULL: it has none. */
PS_FOLD_INLINE bool take_coll(ps_stream *s, ps_builder *b, ps_path in, const uint8_t **p, ps_fold_coll *out,
                              uint64_t *request, bool is_quick)
{
        const uint8_t *end = *p + 1 + **p;
        ++*p;
        out->says.at = take_coll_address(s, b, in, p, is_quick);
        return out->says.at && ps_otf2_plain_number(p, 8, &out->says.bytes) &&
               ps_otf2_plain_number(p, 8, &out->received) &&
               (!request || ps_otf2_plain_number(p, 8, request)) && *p == end;
}

static const uint8_t *fold_coll_begin(ps_stream *s, ps_builder *b, struct frame *top, const uint8_t *p,
                                      ps_time time)
{
        (void)s;
        return ps_otf2_counted(b, PLAIN_COLL_BEGIN,
                               *p == 0 && ps_fold_begin_coll(b, top, time) ? p + 1 : NULL);
}

PS_FOLD_INLINE const uint8_t *take_coll_end(ps_stream *s, ps_builder *b, struct frame *top, const uint8_t *p,
                                            ps_time time, unsigned code, bool is_quick)
{
        ps_fold_coll coll;
        (void)code;
        return take_coll(s, b, top->node, &p, &coll, NULL, is_quick) &&
                               ps_fold_end_coll(b, top, &coll, PS_T_RMA, time, is_quick)
                       ? p
                       : NULL;
}

PS_FOLD_INLINE const uint8_t *take_nbc_request(ps_stream *s, ps_builder *b, struct frame *top,
                                               const uint8_t *p, ps_time time, unsigned code, bool is_quick)
{
        const uint8_t *end = p + 1 + *p;
        uint64_t request;
        (void)s, (void)code;
        ++p;
        return ps_otf2_plain_number(&p, 8, &request) && p == end &&
                               ps_fold_start_coll(b, top, request, time, is_quick)
                       ? p
                       : NULL;
}

PS_FOLD_INLINE const uint8_t *take_nbc_done(ps_stream *s, ps_builder *b, struct frame *top, const uint8_t *p,
                                            ps_time time, unsigned code, bool is_quick)
{
        ps_fold_coll coll;
        uint64_t request;
        (void)code;
        return take_coll(s, b, top->node, &p, &coll, &request, is_quick) &&
                               ps_fold_complete_coll(b, top, &coll, request, time, is_quick)
                       ? p
                       : NULL;
}

PLAIN_CONTENT(static, fold_coll_end, PLAIN_COLL_END, take_coll_end)
PLAIN_CONTENT(static, fold_nbc_request, PLAIN_NBC_REQUEST, take_nbc_request)
PLAIN_CONTENT(static, fold_nbc_done, PLAIN_NBC_DONE, take_nbc_done)

/* -- calls that are folded at once -- */

static const struct ps_otf2_call no_call = {NULL, 0};

/* One message; `code` and what such calls await are constants. */
PS_FOLD_INLINE struct ps_otf2_call take_call(ps_builder *b, const struct ps_otf2_timing *timing,
                                             struct frame *top, ps_path id, const uint8_t *p, ps_time time,
                                             unsigned code, uint8_t awaited)
{
        const bool is_posted = code == PLAIN_IRECV_REQUEST, has_request = is_posted || code == PLAIN_ISEND;
        struct node *node = &b->tree.node[id];
        struct ps_otf2_moment at = {time, 0}, leave;
        ps_fold_message m;
        uint64_t request = 0, *its = has_request ? &request : NULL;
        if (node->awaits != awaited || node->marks || !ps_otf2_go_on(timing, ps_otf2_timestamp_of(p), &at) ||
            !(is_posted ? ps_otf2_plain_number(&p, 8, its) : take_message(NULL, b, id, &p, &m, its, true)))
                return no_call;
        leave = at;
        if (!(p = ps_otf2_next_leave(timing, node, p, &leave)))
                return no_call;
        const ps_fold_times t = {time, at.time, at.time, leave.time};
        if (!(has_request ? ps_fold_call_starts_message(b, top, node, is_posted ? NULL : &m, request, &t)
                          : ps_fold_call_of_message(b, top, node, code == PLAIN_RECV, &m, &t)))
                return no_call;
        ps_fold_count(b, code);
        return ps_otf2_end_call(b, timing, node, p, &leave);
}

PLAIN_WHOLE(static, fold_send_call, take_call, PLAIN_SEND, AWAITS_SEND)
PLAIN_WHOLE(static, fold_isend_call, take_call, PLAIN_ISEND, AWAITS_ISEND)
PLAIN_WHOLE(static, fold_recv_call, take_call, PLAIN_RECV, AWAITS_RECV)
PLAIN_WHOLE(static, fold_irecv_call, take_call, PLAIN_IRECV_REQUEST, AWAITS_IRECV)

static struct ps_otf2_call fold_coll_call(ps_builder *b, const struct ps_otf2_timing *timing,
                                          struct frame *top, ps_path id, const uint8_t *p, ps_time time)
{
        struct node *node = &b->tree.node[id];
        struct ps_otf2_moment begin = {time, 0}, end, leave;
        ps_fold_coll coll;
        if (node->awaits != AWAITS_COLL || node->marks || *p != 0 ||
            !ps_otf2_go_on(timing, ps_otf2_timestamp_of(p), &begin))
                return no_call;
        end = begin;
        if (!(p = ps_otf2_next_content(timing, p + 1, PS_OTF2_FIRST_TYPE + PLAIN_COLL_END, &end)) ||
            !take_coll(NULL, b, id, &p, &coll, NULL, true))
                return no_call;
        leave = end;
        if (!(p = ps_otf2_next_leave(timing, node, p, &leave)) ||
            !ps_fold_call_of_coll(b, top, node, &coll,
                                  &(ps_fold_times){time, begin.time, end.time, leave.time}))
                return no_call;
        ps_fold_count(b, PLAIN_COLL_BEGIN);
        ps_fold_count(b, PLAIN_COLL_END);
        return ps_otf2_end_call(b, timing, node, p, &leave);
}

static struct ps_otf2_call fold_nbc_start(ps_builder *b, const struct ps_otf2_timing *timing,
                                          struct frame *top, ps_path id, const uint8_t *p, ps_time time)
{
        struct node *node = &b->tree.node[id];
        struct ps_otf2_moment begin = {time, 0}, leave;
        const uint8_t *end = p + 1 + *p;
        uint64_t request;
        if (node->awaits != AWAITS_COLL || node->marks ||
            !ps_otf2_go_on(timing, ps_otf2_timestamp_of(p++), &begin) ||
            !ps_otf2_plain_number(&p, 8, &request) || p != end)
                return no_call;
        leave = begin;
        if (!(p = ps_otf2_next_leave(timing, node, p, &leave)) ||
            !ps_fold_call_starts_coll(b, top, node, request,
                                      &(ps_fold_times){time, begin.time, leave.time, leave.time}))
                return no_call;
        ps_fold_count(b, PLAIN_NBC_REQUEST);
        return ps_otf2_end_call(b, timing, node, p, &leave);
}

/* One that waits for one message or collective operation; `code` is a constant. */
PS_FOLD_INLINE struct ps_otf2_call take_wait(ps_builder *b, const struct ps_otf2_timing *timing,
                                             struct frame *top, ps_path id, const uint8_t *p, ps_time time,
                                             unsigned code)
{
        const bool is_coll = code == PLAIN_NBC_DONE, is_recv = code == PLAIN_IRECV;
        const int what = is_coll ? COMPLETES_COLL : is_recv ? COMPLETES_RECV : COMPLETES_SEND;
        struct node *node = &b->tree.node[id];
        struct ps_otf2_moment done = {time, 0}, leave;
        ps_fold_coll coll; /* or, of a message, what it says */
        uint64_t request;
        ps_op start;
        if (node->awaits != AWAITS_ONE || node->marks ||
            !ps_otf2_go_on(timing, ps_otf2_timestamp_of(p), &done) ||
            !(is_coll   ? take_coll(NULL, b, id, &p, &coll, &request, true)
              : is_recv ? take_message(NULL, b, id, &p, &coll.says, &request, true)
                        : ps_otf2_plain_number(&p, 8, &request)))
                return no_call;
        leave = done;
        if (!(p = ps_otf2_next_leave(timing, node, p, &leave)))
                return no_call;
        const ps_fold_times t = {time, time, done.time, leave.time};
        if (!ps_fold_call_completes(b, top, node, what, is_coll || is_recv ? &coll.says : NULL, request, &t,
                                    &start))
                return no_call;
        if (is_coll)
                ps_fold_fill_coll(b, start, &coll, 0);
        else if (is_recv)
                ps_fold_fill(ps_rows_block(b, start), start % ROW_BLOCK, &coll.says);
        ps_fold_count(b, code);
        return ps_otf2_end_call(b, timing, node, p, &leave);
}

PLAIN_WHOLE(static, fold_irecv_wait, take_wait, PLAIN_IRECV)
PLAIN_WHOLE(static, fold_isend_wait, take_wait, PLAIN_ISEND_COMPLETE)
PLAIN_WHOLE(static, fold_nbc_wait, take_wait, PLAIN_NBC_DONE)

/* It is counted, and how many values it has is in it. */
static const uint8_t *fold_metric(ps_stream *s, ps_builder *b, struct frame *top, const uint8_t *p,
                                  ps_time time)
{
        uint32_t metric;
        (void)top, (void)time;
        bool is_plain = ps_otf2_plain_reference_only(s, OTF2_MAPPING_METRIC, &p, 1, &metric);
        return ps_otf2_counted(b, PLAIN_METRIC, is_plain ? p : NULL);
}

/* It is counted. */
static const uint8_t *fold_request_test(ps_stream *s, ps_builder *b, struct frame *top, const uint8_t *p,
                                        ps_time time)
{
        uint64_t request;
        (void)s, (void)top, (void)time;
        return ps_otf2_counted(b, PLAIN_REQUEST_TEST, ps_otf2_plain_number(&p, 8, &request) ? p : NULL);
}

ps_otf2_content *const ps_otf2_contents[UINT8_MAX + 1] = {
        [PLAIN_SEND] = fold_send,
        [PLAIN_ISEND] = fold_isend,
        [PLAIN_ISEND_COMPLETE] = fold_isend_complete,
        [PLAIN_IRECV_REQUEST] = fold_irecv_request,
        [PLAIN_RECV] = fold_recv,
        [PLAIN_IRECV] = fold_irecv,
        [PLAIN_REQUEST_TEST] = fold_request_test,
        [PLAIN_COLL_BEGIN] = fold_coll_begin,
        [PLAIN_COLL_END] = fold_coll_end,
        [PLAIN_NBC_REQUEST] = fold_nbc_request,
        [PLAIN_NBC_DONE] = fold_nbc_done,
        [PLAIN_METRIC] = fold_metric,
        [PLAIN_WINDOW_COLL_BEGIN] = ps_otf2_fold_window_coll_begin,
        [PLAIN_WINDOW_COLL_END] = ps_otf2_fold_window_coll_end,
        [PLAIN_WINDOW_REQUEST] = ps_otf2_fold_window_request,
        [PLAIN_WINDOW_LOCK] = ps_otf2_fold_window_lock,
        [PLAIN_WINDOW_TRY] = ps_otf2_fold_window_try,
        [PLAIN_WINDOW_UNLOCK] = ps_otf2_fold_window_unlock,
        [PLAIN_MEMORY_SYNC] = ps_otf2_fold_memory_sync,
        [PLAIN_WAIT_CHANGE] = ps_otf2_fold_wait_change,
        [PLAIN_PUT] = ps_otf2_fold_put,
        [PLAIN_GET] = ps_otf2_fold_get,
        [PLAIN_ATOMIC] = ps_otf2_fold_atomic,
        [PLAIN_TRANSFERRED] = ps_otf2_fold_transferred,
        [PLAIN_TRANSFERRED_LATER] = ps_otf2_fold_transferred_later,
        [PLAIN_TRANSFERRED_THERE] = ps_otf2_fold_transferred_there,
        [PLAIN_FORK] = ps_otf2_fold_fork,
        [PLAIN_JOIN] = ps_otf2_fold_join,
        [PLAIN_TEAM_BEGIN] = ps_otf2_fold_team_begin,
        [PLAIN_TEAM_END] = ps_otf2_fold_team_end,
        [PLAIN_LOCK_ACQUIRE] = ps_otf2_fold_lock_acquire,
        [PLAIN_LOCK_RELEASE] = ps_otf2_fold_lock_release,
        [PLAIN_TASK_CREATE] = ps_otf2_fold_task_create,
        [PLAIN_TASK_SWITCH] = ps_otf2_fold_task_switch,
        [PLAIN_TASK_COMPLETE] = ps_otf2_fold_task_complete};

ps_otf2_content *const ps_otf2_slow_contents[UINT8_MAX + 1] = {
        [PLAIN_SEND] = fold_send_slowly,
        [PLAIN_ISEND] = fold_isend_slowly,
        [PLAIN_ISEND_COMPLETE] = fold_isend_complete_slowly,
        [PLAIN_IRECV_REQUEST] = fold_irecv_request_slowly,
        [PLAIN_RECV] = fold_recv_slowly,
        [PLAIN_IRECV] = fold_irecv_slowly};

ps_otf2_whole *const ps_otf2_wholes[UINT8_MAX + 1] = {[PLAIN_SEND] = fold_send_call,
                                                      [PLAIN_ISEND] = fold_isend_call,
                                                      [PLAIN_RECV] = fold_recv_call,
                                                      [PLAIN_IRECV_REQUEST] = fold_irecv_call,
                                                      [PLAIN_COLL_BEGIN] = fold_coll_call,
                                                      [PLAIN_NBC_REQUEST] = fold_nbc_start,
                                                      [PLAIN_NBC_DONE] = fold_nbc_wait,
                                                      [PLAIN_IRECV] = fold_irecv_wait,
                                                      [PLAIN_ISEND_COMPLETE] = fold_isend_wait,
                                                      [PLAIN_PUT] = ps_otf2_fold_put_call,
                                                      [PLAIN_GET] = ps_otf2_fold_get_call,
                                                      [PLAIN_ATOMIC] = ps_otf2_fold_atomic_call,
                                                      [PLAIN_WINDOW_LOCK] = ps_otf2_fold_lock_call,
                                                      [PLAIN_WINDOW_UNLOCK] = ps_otf2_fold_unlock_call,
                                                      [PLAIN_TRANSFERRED] = ps_otf2_fold_transferred_call};
