/* search.h - the searches for releases. Each makes rows of the calls of one location after the other, in
 * which stands all that others need to know of these, and finds the releases in the rows of all calls that
 * may have to do with each other. So several processes that have some of the calls each only have to deal out
 * rows before, and releases afterwards. */
#ifndef PS_PATTERNS_RELEASES_SEARCH_H
#define PS_PATTERNS_RELEASES_SEARCH_H

#include "core/exchange/rows.h"
#include "patterns/releases/releases.h"
#include "patterns/table/view.h"

/* What is searched, and what was found. */
struct finder {
        const ps_trace *trace;
        const ps_timing *timing;
        const uint64_t *kinds; /* by location: ps_ops_rare_kinds */
        const uint64_t *count; /* how many calls there are, by kind */
        ps_dealt_rows found;   /* ps_release */
};

struct search {
        size_t size;    /* of a row */
        uint64_t kinds; /* where there is none of these, nothing is to be collected */
        ps_status (*collect)(ps_dealt_rows *to, const struct finder *f, ps_loc location, ps_error *err);
        /* All rows that this one may have to do with are about the same process of the program: PS_NONE is
         * one, too. */
        ps_proc (*about)(const ps_trace *trace, const void *row);
        ps_status (*find)(struct finder *f, const ps_dealt_rows *rows, ps_error *err);
        ps_kind wants; /* where nobody has any of this kind, nothing is to be found; PS_K_SEND: always */
};

extern const struct search ps_search_locks, ps_search_epochs, ps_search_atomics, ps_search_changes;

ps_status ps_releases_add(struct finder *f, const ps_release *release, ps_error *err);

#endif
