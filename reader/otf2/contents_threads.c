/* contents_threads.c - records of threads, teams, tasks and their locks, each of which makes a row. */
#include "core/fold/sink.h"
#include "reader/otf2/fold.h"
#include "reader/otf2/plain.h"

/* Of a record whose length stands at `p`: its end, or NULL where it is not plain. A portion does not know
 * what team it begins in. */
static const uint8_t *begin_record(const ps_builder *b, const uint8_t **p)
{
        const uint8_t *end = *p + 1 + **p;
        return *(*p)++ > PS_OTF2_PLAIN_BYTES || b->debts ? NULL : end;
}

static const uint8_t *end_thread(ps_builder *b, unsigned code, const ps_fold_threads *says, ps_time time,
                                 const uint8_t *end)
{
        static const uint8_t kinds[] = {
                [PLAIN_FORK] = PS_K_THREAD_FORK,           [PLAIN_JOIN] = PS_K_THREAD_JOIN,
                [PLAIN_TEAM_BEGIN] = PS_K_TEAM_BEGIN,      [PLAIN_TEAM_END] = PS_K_TEAM_END,
                [PLAIN_TASK_CREATE] = PS_K_TASK_CREATE,    [PLAIN_TASK_SWITCH] = PS_K_TASK_SWITCH,
                [PLAIN_TASK_COMPLETE] = PS_K_TASK_COMPLETE};
        ps_fold_thread(b, (ps_kind)kinds[code], says, time);
        ps_fold_count(b, code);
        return end;
}

const uint8_t *ps_otf2_fold_fork(ps_stream *s, ps_builder *b, struct frame *top, const uint8_t *p,
                                 ps_time time)
{
        ps_fold_threads says = {PS_NONE, PS_NONE, 0};
        const uint8_t *end = begin_record(b, &p);
        (void)s, (void)top;
        p++; /* the paradigm */
        return end && ps_otf2_plain_number32(&p, &says.tag) && p <= end
                       ? end_thread(b, PLAIN_FORK, &says, time, end)
                       : NULL;
}

const uint8_t *ps_otf2_fold_join(ps_stream *s, ps_builder *b, struct frame *top, const uint8_t *p,
                                 ps_time time)
{
        const ps_fold_threads says = {PS_NONE, PS_NONE, 0};
        const uint8_t *end = begin_record(b, &p);
        (void)s, (void)top;
        return end ? end_thread(b, PLAIN_JOIN, &says, time, end) : NULL;
}

PLAIN_INLINE const uint8_t *fold_team(ps_stream *s, ps_builder *b, const uint8_t *p, ps_time time,
                                      unsigned code)
{
        ps_fold_threads says = {.peer = PS_NONE};
        const uint8_t *end = begin_record(b, &p);
        return end && ps_otf2_plain_reference(s, OTF2_MAPPING_COMM, &p, &says.team) && p <= end
                       ? end_thread(b, code, &says, time, end)
                       : NULL;
}

PLAIN_INLINE const uint8_t *fold_task(ps_stream *s, ps_builder *b, const uint8_t *p, ps_time time,
                                      unsigned code)
{
        ps_fold_threads says;
        const uint8_t *end = begin_record(b, &p);
        return end && ps_otf2_plain_reference(s, OTF2_MAPPING_COMM, &p, &says.team) &&
                               ps_otf2_plain_number32(&p, &says.peer) &&
                               ps_otf2_plain_number32(&p, &says.tag) && p <= end
                       ? end_thread(b, code, &says, time, end)
                       : NULL;
}

PLAIN_INLINE const uint8_t *fold_lock(ps_stream *s, ps_builder *b, const uint8_t *p, ps_time time,
                                      unsigned code)
{
        uint32_t lock, order;
        const uint8_t *end = begin_record(b, &p);
        (void)s;
        p++; /* the paradigm */
        if (!end || !ps_otf2_plain_number32(&p, &lock) || !ps_otf2_plain_number32(&p, &order) || p > end)
                return NULL;
        ps_fold_lock(b, code == PLAIN_LOCK_ACQUIRE, lock, order, time);
        ps_fold_count(b, code);
        return end;
}

#define CONTENT(name, fold, code)                                                                            \
        const uint8_t *ps_otf2_fold_##name(ps_stream *s, ps_builder *b, struct frame *top, const uint8_t *p, \
                                           ps_time time)                                                     \
        {                                                                                                    \
                (void)top;                                                                                   \
                return fold(s, b, p, time, code);                                                            \
        }

CONTENT(team_begin, fold_team, PLAIN_TEAM_BEGIN)
CONTENT(team_end, fold_team, PLAIN_TEAM_END)
CONTENT(task_create, fold_task, PLAIN_TASK_CREATE)
CONTENT(task_switch, fold_task, PLAIN_TASK_SWITCH)
CONTENT(task_complete, fold_task, PLAIN_TASK_COMPLETE)
CONTENT(lock_acquire, fold_lock, PLAIN_LOCK_ACQUIRE)
CONTENT(lock_release, fold_lock, PLAIN_LOCK_RELEASE)
