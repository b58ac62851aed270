/* releases.h - whom a one-sided call, or one for a lock, waited for, and until when: the holder of a lock,
 * the target that had not posted its window yet or did not come into the library, the origin that had not
 * completed its accesses, another atomic operation on the same memory. Found once for all calls before the
 * walk. */
#ifndef PS_PATTERNS_RELEASES_RELEASES_H
#define PS_PATTERNS_RELEASES_RELEASES_H

#include "core/exchange/exchange.h"
#include "core/model/trace.h"

typedef enum ps_release_sort {
        PS_RELEASED_BY_UNLOCK,
        PS_RELEASED_BY_TARGET, /* maybe: it came into the library while the call went on */
        PS_RELEASED_BY_POST,
        PS_RELEASED_BY_COMPLETE,
        PS_RELEASED_BY_ATOMIC
} ps_release_sort;

typedef struct ps_release {
        ps_ref at; /* the call that may have waited */
        ps_ref by; /* the call that released it */
        ps_time until;
        ps_time transferred; /* by a Win_complete: the end of the last transfer before it, or PS_NEVER_BEGUN
                              */
        uint64_t sort;
} ps_release;

typedef struct ps_releases ps_releases;

ps_status ps_releases_new(ps_releases **out, const ps_trace *trace, const ps_timing *timing, ps_error *err);
/* The same by all processes together that have some of the rows: each learns of the calls of its own. They
 * have agreed before that all is well, and do so afterwards. */
ps_status ps_releases_together(ps_releases **out, const ps_trace *trace, ps_error *err);
void ps_releases_free(ps_releases *releases);

/* What was found last, of one call after the other: who asks keeps it, {0} at first. */
enum { PS_RELEASE_SEARCHES = 3 };
typedef struct ps_releases_near {
        uint32_t at[PS_RELEASE_SEARCHES]; /* by search */
        uint32_t location; /* and one, or 0: from this row on none was released before the next */
        ps_op from, next;
} ps_releases_near;

/* The last release of this sort; NULL when the call waited for nobody. */
const ps_release *ps_releases_find(const ps_releases *releases, ps_ref at, ps_release_sort sort,
                                   ps_releases_near *near);
/* Of a call about a lock: by its holder if there was one, else by its target if that is so. */
const ps_release *ps_releases_of_lock(const ps_releases *releases, ps_ref at, ps_releases_near *near);

void ps_releases_find_next(const ps_releases *releases, ps_ref from, ps_releases_near *near);
/* The first call of the location from this one on that was released by anything; PS_NONE: there is none. */
static inline ps_op ps_releases_next(const ps_releases *releases, ps_ref from, ps_releases_near *near)
{
        if (near->location != from.loc + 1 || from.op < near->from || from.op > near->next)
                ps_releases_find_next(releases, from, near);
        return near->next;
}

#endif
