/* releases.h - whom a one-sided call, or one for a lock, waited for, and until when: the holder of a lock,
 * the target that had not posted its window yet, the origin that had not completed its accesses, another
 * atomic operation on the same memory. Found once for all calls before the walk. */
#ifndef PS_PATTERNS_ENGINE_RELEASES_H
#define PS_PATTERNS_ENGINE_RELEASES_H

#include "core/model/trace.h"

typedef enum ps_release_sort {
        PS_RELEASED_BY_UNLOCK,
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
        uint8_t sort;
} ps_release;

typedef struct ps_releases ps_releases;

/* `tolerance`: by how much clocks may disagree. */
ps_status ps_releases_new(ps_releases **out, const ps_trace *trace, const ps_timing *timing,
                          ps_time tolerance, ps_error *err);
void ps_releases_free(ps_releases *releases);

/* Has the trace one-sided communication? */
bool ps_releases_are_one_sided(const ps_trace *trace);

/* The last release of this sort; NULL when the call waited for nobody. */
const ps_release *ps_releases_find(const ps_releases *releases, ps_ref at, ps_release_sort sort);

/* -- for the files that find them -- */

struct ps_release_finder {
        const ps_trace *trace;
        const ps_timing *timing;
        ps_time tolerance;
        ps_releases *out;
};

ps_status ps_releases_add(ps_releases *releases, const ps_release *release, ps_error *err);
ps_status ps_release_epochs(const struct ps_release_finder *finder, ps_error *err);
ps_status ps_release_atomics(const struct ps_release_finder *finder, ps_error *err);

#endif
