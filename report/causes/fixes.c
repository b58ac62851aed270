/* fixes.c - what mending a cause gains: the fix that applies first, in words. */
#include "report/causes/words.h"

#include <stdio.h>
#include <string.h>

/* From here on a gain needs no tenths. */
#define WHOLE_PERCENT 0.1

enum { LINES_BYTES = 120 };

double ps_cause_fix_share(const ps_cause_fix *fix, ps_time length)
{
        return length > 0 ? (double)fix->gain / (double)length : 0;
}

bool ps_cause_is_mended_by(const ps_cause_fix *fix, ps_time length)
{
        return fix && !ps_cause_fix_is_bound(fix) && ps_cause_fix_share(fix, length) >= PS_WORTH_MENDING;
}

/* The first one that gains anything, unless another one gains far more; if none does, the first one. */
static const ps_cause_fix *fix_of(const ps_cause_fixes *fixes, ps_time length)
{
        const ps_cause_fix *row = fixes->row, *best = NULL;
        for (uint32_t i = 0; i < fixes->n; i++)
                if (!best ? ps_cause_fix_share(&row[i], length) >= PS_WORTH_MENDING
                          : !ps_cause_fix_is_bound(&row[i]) &&
                                    ps_cause_gains_far_more(row[i].gain, best->gain, length))
                        best = &row[i];
        return best || !fixes->n ? best : row;
}

static const ps_cause_fixes *fixes_of(const ps_report *report, const ps_cause_group *group)
{
        const ps_cause_fixes *fixes = report->blame->fixes;
        for (uint32_t i = 0; fixes && !ps_cause_is_untold(group) && i < group->n; i++) {
                const ps_cause_fixes *of = &fixes[group->row[i] - report->blame->told];
                if (of->are_known && of->n)
                        return of;
        }
        return NULL;
}

const char *ps_cause_why_no_fix(const ps_report *report, const ps_cause_group *group)
{
        const ps_cause_fixes *fixes = report->blame->fixes;
        return fixes ? fixes[group->row[0] - report->blame->told].why_none : NULL;
}

const ps_cause_fix *ps_cause_first_fix(const ps_report *report, const ps_cause_group *group)
{
        const ps_cause_fixes *fixes = fixes_of(report, group);
        return fixes ? fix_of(fixes, ps_focus_length(report->timing)) : NULL;
}

const ps_cause_fix *ps_cause_vain_fix(const ps_report *report, const ps_cause_group *group)
{
        const ps_cause_fixes *fixes = fixes_of(report, group);
        const ps_cause_fix *fix = fixes ? fix_of(fixes, ps_focus_length(report->timing)) : NULL;
        return fix && fix != fixes->row && !fix->is_inside ? fixes->row : NULL;
}

static bool is_of_start(const ps_cause_fix *fix)
{
        static const char start[] = "start:";
        return fix->edit && strncmp(fix->edit, start, strlen(start)) == 0;
}

static void say_way(ps_sentence *s, const ps_cause_fix *fix)
{
        static const char *const ways[PS_N_FIXES] = {
                [PS_FIX_BALANCED] = "Sharing the work out evenly",
                [PS_FIX_EVENED] = "Taking no longer than the others do",
                [PS_FIX_SPED_UP] = "Doing without it altogether",
                [PS_FIX_REORDERED] = "Receiving in the order of sending",
                [PS_FIX_OVERLAPPED] = "Letting transfers go on behind computation",
        };
        if (is_of_start(fix))
                ps_sentence_add(s, "Starting with the others");
        else if (fix->has_factor && fix->factor > 0)
                ps_sentence_add(s, "Taking %.0f %% less time here", 100 * (1 - fix->factor));
        else if (ps_cause_fix_is_bound(fix) && fix->kind == PS_FIX_OVERLAPPED)
                ps_sentence_add(s, "A faster network");
        else
                ps_sentence_add(s, "%s", ways[fix->kind]);
        if (fix->is_inside)
                ps_sentence_add(s, " each time in %.*s", LINES_BYTES, strchr(fix->edit, ':') + 1);
}

void ps_cause_say_fix(ps_sentence *s, const ps_cause_fix *fix, ps_time length)
{
        double share = ps_cause_fix_share(fix, length);
        char run[PS_NUMBER_ROOM], was[PS_NUMBER_ROOM], gain[PS_NUMBER_ROOM];
        if (share < PS_WORTH_MENDING) {
                say_way(s, fix);
                ps_sentence_add(s, " would not make the run shorter.");
                return;
        }
        ps_text_duration(run, ps_time_sub(length, fix->gain));
        ps_text_duration(was, length);
        ps_text_share(gain, share);
        if (share >= WHOLE_PERCENT)
                snprintf(gain, sizeof(gain), "%.0f %%", 100 * share);
        if (ps_cause_fix_is_bound(fix)) {
                ps_sentence_add(s, "At most %s of the run could be gained, %s (%s instead of %s).", gain,
                                fix->kind == PS_FIX_OVERLAPPED ? "if no message of the program cost anything"
                                                               : "by doing without it altogether",
                                run, was);
                return;
        }
        say_way(s, fix);
        const bool is_most =
                fix->kind == PS_FIX_OVERLAPPED; /* many an MPI moves data only while it is called */
        ps_sentence_add(s, " %s make the run %s%s shorter (%s instead of %s)%s.", is_most ? "could" : "would",
                        is_most ? "up to " : "", gain, run, was,
                        is_most ? ", if MPI moves data meanwhile" : "");
}
