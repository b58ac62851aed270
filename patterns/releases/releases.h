/* releases.h - whom a one-sided call, or one for a lock, waited for, and until when: the holder of a lock,
 * the target that had not posted its window yet or did not come into the library, the origin that had not
 * completed its accesses, another atomic operation on the same memory, whoever wrote what it waited for.
 * Found once for all calls before the walk. */
#ifndef PS_PATTERNS_RELEASES_RELEASES_H
#define PS_PATTERNS_RELEASES_RELEASES_H

#include "core/exchange/exchange.h"
#include "core/model/trace.h"

typedef enum ps_release_sort {
        PS_RELEASED_BY_UNLOCK,
        PS_RELEASED_BY_TARGET, /* maybe: it came into the library while the call went on */
        PS_RELEASED_BY_POST,
        PS_RELEASED_BY_COMPLETE,
        PS_RELEASED_BY_ATOMIC,
        PS_RELEASED_BY_WRITE /* maybe: it wrote to the memory that the call watched */
} ps_release_sort;

typedef struct ps_release {
        ps_ref at; /* the call that may have waited */
        ps_ref by; /* the call that released it */
        ps_time until;
        ps_time transferred; /* by a Win_complete: the end of the last transfer before it, or PS_NEVER_BEGUN
                              */
        uint64_t sort;
} ps_release;

/* In the order of the calls and of sorts, of which there is one each. */
typedef struct ps_releases {
        ps_release *row;
        uint32_t n;
} ps_releases;

ps_status ps_releases_new(ps_releases **out, const ps_trace *trace, const ps_timing *timing, ps_error *err);
/* Only of calls that waited for another process to do something, whatever it holds. */
ps_status ps_releases_begun(ps_releases **out, const ps_trace *trace, const ps_timing *timing, ps_error *err);
/* All by all processes together that have some of the rows: each learns of the calls of its own. They
 * have agreed before that all is well, and do so afterwards. */
ps_status ps_releases_together(ps_releases **out, const ps_trace *trace, ps_error *err);
void ps_releases_free(ps_releases *releases);

/* What was found last: who asks keeps it, {0} at first. */
typedef struct ps_releases_near {
        uint32_t at;
        uint32_t location; /* and one, or 0: from this row on none was released before the next */
        ps_op from, next;
} ps_releases_near;

/* Where that of a call or of those behind it stands that comes first, to be looked for anywhere. */
uint32_t ps_releases_search(const ps_releases *releases, uint64_t wanted, uint32_t near);
/* The same, which is mostly what was found last, or the one behind it. */
static inline uint32_t ps_releases_first(const ps_releases *releases, ps_ref at, ps_releases_near *near)
{
        const ps_release *row = releases->row;
        const uint64_t wanted = ps_ref_place(at);
        const uint32_t n = releases->n, last = near->at;
        if (last < n && ps_ref_place(row[last].at) < wanted) {
                if (last + 1 >= n || ps_ref_place(row[last + 1].at) >= wanted)
                        return near->at = last + 1;
        } else if (!last || (last <= n && ps_ref_place(row[last - 1].at) < wanted)) {
                return last;
        }
        return near->at = ps_releases_search(releases, wanted, last);
}

/* The last release of this sort; NULL when the call waited for nobody. */
const ps_release *ps_releases_find(const ps_releases *releases, ps_ref at, ps_release_sort sort,
                                   ps_releases_near *near);

/* Of a call about a lock: by its holder if there was one, else by its target if that is so. */
static inline const ps_release *ps_releases_of_lock(const ps_releases *releases, ps_ref at,
                                                    ps_releases_near *near)
{
        const uint32_t i = ps_releases_first(releases, at, near);
        return i < releases->n && ps_ref_place(releases->row[i].at) == ps_ref_place(at) ? &releases->row[i]
                                                                                        : NULL;
}

/* The first call of the location from this one on that was released by anything; PS_NONE: there is none. */
static inline ps_op ps_releases_next(const ps_releases *releases, ps_ref from, ps_releases_near *near)
{
        if (near->location != from.loc + 1 || from.op < near->from || from.op > near->next) {
                const uint32_t i = ps_releases_first(releases, from, near);
                const bool is_there = i < releases->n && releases->row[i].at.loc == from.loc;
                near->location = from.loc + 1;
                near->from = from.op;
                near->next = is_there ? releases->row[i].at.op : PS_NONE;
        }
        return near->next;
}

#endif
