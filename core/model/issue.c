/* issue.c - counting. */
#include "core/model/issue.h"

const ps_issue_info ps_issue_infos[PS_I_COUNT] = {
#define PS_ISSUE(id, name, damages, text) {name, text, damages},
#include "core/model/issues.def"
#undef PS_ISSUE
};

void ps_issue_note_many(ps_issues *issues, ps_issue_kind kind, uint64_t count, ps_place place)
{
        ps_issue *issue = &issues->row[kind];
        if (count && !issue->count) {
                issue->location = place.location;
                issue->file = place.file;
                issue->offset = place.offset;
                issue->time = place.time;
        }
        issue->count += count;
}

void ps_issue_note(ps_issues *issues, ps_issue_kind kind, ps_place place)
{
        ps_issue_note_many(issues, kind, 1, place);
}

void ps_issues_merge(ps_issues *into, const ps_issues *from)
{
        for (int kind = 0; kind < PS_I_COUNT; kind++) {
                const ps_issue *issue = &from->row[kind];
                ps_place place = {issue->location, issue->file, issue->offset, issue->time};
                ps_issue_note_many(into, (ps_issue_kind)kind, issue->count, place);
        }
}

uint64_t ps_issues_total(const ps_issues *issues)
{
        uint64_t total = 0;
        for (int kind = 0; kind < PS_I_COUNT; kind++)
                total += issues->row[kind].count;
        return total;
}
