/* words.h - causes in sentences, for all reports. */
#ifndef PS_REPORT_CAUSES_WORDS_H
#define PS_REPORT_CAUSES_WORDS_H

#include "report/causes/causes.h"
#include "report/print/text.h"

/* "Rank 2 computes 40 % longer than the others in relax (heat.c:17)", and the same with what it costs whom.
 */
void ps_cause_say_what(ps_sentence *s, const ps_report *report, const ps_cause_group *group);
void ps_cause_say(ps_sentence *s, const ps_report *report, const ps_cause_group *group);
/* For which reason: that of the group, unless it is the order of messages and the fix says otherwise. */
ps_why ps_cause_spoken_why(const ps_report *report, const ps_cause_group *group);
/* "rank 2 in relax" */
void ps_cause_say_short(ps_sentence *s, const ps_report *report, const ps_cause_group *group);
/* What to do about it. */
const char *ps_cause_advice_of(const ps_report *report, const ps_cause_group *group);
/* Or does it read or write a file, or wait for a device? */
bool ps_cause_computes(const ps_report *report, const ps_cause_group *group);
/* Does the trace hide for whom those waited who are charged? */
bool ps_cause_is_untold(const ps_cause_group *group);
/* Of waiting that is nobody's doing. */
void ps_cause_say_unexplained(ps_sentence *s, ps_time waiting);

/* What a fix gains of the `length` that the report is about, the focus: how long MPI_Init takes does not make
 * it worth less. What is less than this is nothing. */
#define PS_WORTH_MENDING 0.0005
/* Who gains so much of it is worth it, however little waits for him. */
#define PS_WORTH_LEADING 0.01
/* So much more than the other gain that it is told instead of it. */
static inline bool ps_cause_gains_far_more(ps_time gain, ps_time other, ps_time length)
{
        return (double)gain >= PS_WORTH_LEADING * (double)length && gain / 10 > other;
}
double ps_cause_fix_share(const ps_cause_fix *fix, ps_time length);
/* Is there something to do that gains so much? Not what is only the most that could be gained. */
bool ps_cause_is_mended_by(const ps_cause_fix *fix, ps_time length);
/* The fix that applies first, of those that gain anything, if there are any, of the largest cause of the
 * group that has one; NULL: none is known. */
const ps_cause_fix *ps_cause_first_fix(const ps_report *report, const ps_cause_group *group);
/* The one that would apply before that and gains nothing; NULL: there is none. */
const ps_cause_fix *ps_cause_vain_fix(const ps_report *report, const ps_cause_group *group);
ps_status ps_serial_find(ps_serial *out, const ps_trace *trace, const ps_critical *critical, ps_error *err);
/* Nothing where that is little. */
void ps_cause_say_serial(ps_sentence *s, const ps_report *report);
/* "Sharing the work out evenly would make the run 21 % shorter (92 ms instead of 116 ms)."; of what nobody
 * can reach: "At most 21 % of the run could be gained, ..." */
void ps_cause_say_fix(ps_sentence *s, const ps_cause_fix *fix, ps_time length);
/* Why no fix is known, in a sentence that goes on; NULL: there is one, or nobody asked. */
const char *ps_cause_why_no_fix(const ps_report *report, const ps_cause_group *group);
/* A replay keeps the order of the recording: said where one process seems to hand out work to the others. 0:
 * there is no such process. */
bool ps_cause_say_order(ps_sentence *s, const ps_report *report);

#endif
