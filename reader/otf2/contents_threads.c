/* contents_threads.c - records of threads, teams, tasks and their locks, each of which makes a row.
 *
 * Each is a function that calls nothing, one for those whose pieces are asked for, and where either would
 * have to call something one that may. */
#include "core/fold/sink.h"
#include "reader/otf2/fold.h"
#include "reader/otf2/plain.h"

/* Of a record whose length stands at `p`: its end, or NULL where it is not plain. A portion does not know
 * what team it begins in. */
PLAIN_INLINE const uint8_t *begin_record(const ps_builder *b, const uint8_t **p)
{
        const uint8_t *end = *p + 1 + **p;
        return *(*p)++ > PS_OTF2_PLAIN_BYTES || b->debts ? NULL : end;
}

PLAIN_INLINE bool take_team(ps_stream *s, const uint8_t **p, ps_comm *out, bool is_quick)
{
        return is_quick ? ps_otf2_plain_reference_near(s, OTF2_MAPPING_COMM, p, out)
                        : ps_otf2_plain_reference(s, OTF2_MAPPING_COMM, p, out);
}

PLAIN_INLINE bool take_fork(ps_stream *s, const uint8_t **p, ps_fold_threads *out, bool is_quick)
{
        (void)s, (void)is_quick;
        *out = (ps_fold_threads){PS_NONE, PS_NONE, 0};
        ++*p; /* the paradigm */
        return ps_otf2_plain_number32(p, &out->tag);
}

PLAIN_INLINE bool take_join(ps_stream *s, const uint8_t **p, ps_fold_threads *out, bool is_quick)
{
        (void)s, (void)p, (void)is_quick;
        *out = (ps_fold_threads){PS_NONE, PS_NONE, 0};
        return true;
}

PLAIN_INLINE bool take_bounds(ps_stream *s, const uint8_t **p, ps_fold_threads *out, bool is_quick)
{
        out->peer = PS_NONE;
        out->tag = 0;
        return take_team(s, p, &out->team, is_quick);
}

PLAIN_INLINE bool take_task(ps_stream *s, const uint8_t **p, ps_fold_threads *out, bool is_quick)
{
        return take_team(s, p, &out->team, is_quick) && ps_otf2_plain_number32(p, &out->peer) &&
               ps_otf2_plain_number32(p, &out->tag);
}

/* `take`: what a record tells. */
#define FOLD_THREADS(name, take, kind, code)                                                                 \
        PLAIN_INLINE const uint8_t *fold_##name(ps_stream *s, ps_builder *b, const struct frame *top,        \
                                                const uint8_t *p, ps_time time, ps_fold_way way)             \
        {                                                                                                    \
                ps_fold_threads says;                                                                        \
                const uint8_t *end = begin_record(b, &p);                                                    \
                if (!end || !take(s, &p, &says, way != PS_FOLD_AT_LENGTH) || p > end ||                      \
                    !ps_fold_thread(b, top, PS_K_##kind, says, time, way))                                   \
                        return NULL;                                                                         \
                ps_fold_count(b, PLAIN_##code);                                                              \
                return end;                                                                                  \
        }

#define FOLD_LOCK(name, kind)                                                                                \
        PLAIN_INLINE const uint8_t *fold_##name(ps_stream *s, ps_builder *b, const struct frame *top,        \
                                                const uint8_t *p, ps_time time, ps_fold_way way)             \
        {                                                                                                    \
                uint32_t lock, order;                                                                        \
                const uint8_t *end = begin_record(b, &p);                                                    \
                (void)s;                                                                                     \
                p++; /* the paradigm */                                                                      \
                if (!end || !ps_otf2_plain_number32(&p, &lock) || !ps_otf2_plain_number32(&p, &order) ||     \
                    p > end || !ps_fold_lock(b, top, PS_K_##kind, lock, order, time, way))                   \
                        return NULL;                                                                         \
                ps_fold_count(b, PLAIN_##kind);                                                              \
                return end;                                                                                  \
        }

#define CONTENT(name)                                                                                        \
        __attribute__((noinline)) static const uint8_t *fold_##name##_slowly(                                \
                ps_stream *s, ps_builder *b, const struct frame *top, const uint8_t *p, ps_time time)        \
        {                                                                                                    \
                return fold_##name(s, b, top, p, time, PS_FOLD_AT_LENGTH);                                   \
        }                                                                                                    \
        __attribute__((noinline)) static const uint8_t *fold_##name##_watched(                               \
                ps_stream *s, ps_builder *b, const struct frame *top, const uint8_t *p, ps_time time)        \
        {                                                                                                    \
                const uint8_t *end = fold_##name(s, b, top, p, time, PS_FOLD_PIECES_QUICKLY);                \
                return end ? end : fold_##name##_slowly(s, b, top, p, time);                                 \
        }                                                                                                    \
        const uint8_t *ps_otf2_fold_##name(ps_stream *s, ps_builder *b, struct frame *top, const uint8_t *p, \
                                           ps_time time)                                                     \
        {                                                                                                    \
                if (b->is_watched)                                                                           \
                        return fold_##name##_watched(s, b, top, p, time);                                    \
                const uint8_t *end = fold_##name(s, b, top, p, time, PS_FOLD_QUICKLY);                       \
                return end ? end : fold_##name##_slowly(s, b, top, p, time);                                 \
        }

FOLD_THREADS(fork, take_fork, THREAD_FORK, FORK)
FOLD_THREADS(join, take_join, THREAD_JOIN, JOIN)
FOLD_THREADS(team_begin, take_bounds, TEAM_BEGIN, TEAM_BEGIN)
FOLD_THREADS(team_end, take_bounds, TEAM_END, TEAM_END)
FOLD_THREADS(task_create, take_task, TASK_CREATE, TASK_CREATE)
FOLD_THREADS(task_switch, take_task, TASK_SWITCH, TASK_SWITCH)
FOLD_THREADS(task_complete, take_task, TASK_COMPLETE, TASK_COMPLETE)
FOLD_LOCK(lock_acquire, LOCK_ACQUIRE)
FOLD_LOCK(lock_release, LOCK_RELEASE)

CONTENT(fork)
CONTENT(join)
CONTENT(team_begin)
CONTENT(team_end)
CONTENT(task_create)
CONTENT(task_switch)
CONTENT(task_complete)
CONTENT(lock_acquire)
CONTENT(lock_release)
