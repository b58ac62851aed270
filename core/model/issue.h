/* issue.h - counted defects of a trace. Each thread fills a table of its own; tables are merged in location
 * order, so that "the first place" does not depend on the number of threads. */
#ifndef PS_CORE_MODEL_ISSUE_H
#define PS_CORE_MODEL_ISSUE_H

#include "core/base/types.h"

typedef enum ps_issue_kind {
#define PS_ISSUE(id, name, damages, text) PS_I_##id,
#include "core/model/issues.def"
#undef PS_ISSUE
        PS_I_COUNT
} ps_issue_kind;

typedef struct ps_issue_info {
        const char *name, *text;
        uint8_t damages;
} ps_issue_info;

extern const ps_issue_info ps_issue_infos[PS_I_COUNT];

typedef struct ps_issue {
        uint64_t count;  /* 0: the rest means nothing */
        ps_loc location; /* of the first one, or PS_NONE */
        ps_str file;     /* 0 when it has no file */
        uint64_t offset; /* bytes into the file, or a line (ps_defs.counts_lines); UINT64_MAX: unknown */
        ps_time time;    /* of the event, relative like every time of its reader; INT64_MIN when none */
} ps_issue;

typedef struct ps_issues {
        ps_issue row[PS_I_COUNT];
} ps_issues;

/* Where an issue was found; {PS_NONE, 0, UINT64_MAX, INT64_MIN} knows nothing. */
typedef struct ps_place {
        ps_loc location;
        ps_str file;
        uint64_t offset;
        ps_time time;
} ps_place;

#define PS_NOWHERE ((ps_place){PS_NONE, 0, UINT64_MAX, INT64_MIN})

void ps_issue_note(ps_issues *issues, ps_issue_kind kind, ps_place place);
void ps_issue_note_many(ps_issues *issues, ps_issue_kind kind, uint64_t count, ps_place place);
void ps_issues_merge(ps_issues *into, const ps_issues *from);
uint64_t ps_issues_total(const ps_issues *issues);

#endif
