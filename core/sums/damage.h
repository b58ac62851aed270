/* damage.h - does what was found say that a trace is not what was recorded? */
#ifndef PS_CORE_SUMS_DAMAGE_H
#define PS_CORE_SUMS_DAMAGE_H

#include "core/model/issue.h"

typedef struct ps_damage {
        ps_issue_kind first; /* the first issue that means damage; PS_I_COUNT: there is none */
        unsigned n_kinds;    /* such issues */
        /* Sends without a receive, or receives without a send, whichever are more; 0: no more than one in a
         * hundred. The end of a run leaves a few; more mean that what stands for a process is not its own. */
        uint64_t lonely, messages;
} ps_damage;

/* `n_messages`: those that have both ends. */
ps_damage ps_damage_of(const ps_issues *issues, uint64_t n_messages);

static inline bool ps_is_damaged(const ps_damage *damage)
{
        return damage->n_kinds || damage->lonely;
}

#endif
