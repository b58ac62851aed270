/* causes.c - the causes of a report for people, and the critical path: who made the others wait, what that
 * cost and what mending it gains. The waits refer to them by their numbers. */
#include "core/model/focus.h"
#include "report/causes/words.h"
#include "report/facts/sites.h"
#include "report/facts/verdict.h"
#include "report/formats/analysis.h"
#include "report/formats/next.h"

#include <inttypes.h>
#include <stdio.h>

enum { BRIEF = 3, PAGE = 100 };

/* Of all time in the focus: what is less is left to those who ask for all. */
#define WORTH_SHOWING 0.0005
/* Of a wait. */
#define WORTH_NAMING 0.05

bool ps_analysis_has_causes(const void *subject)
{
        const ps_report *report = subject;
        const ps_blame *blame = report->blame;

        return blame && blame->causes->n && ps_report_share(report, blame->causes->waiting) >= WORTH_SHOWING;
}

static uint32_t causes_shown(const ps_doc *doc, const ps_report *report)
{
        const ps_blame *blame = report->blame;
        uint32_t most = ps_doc_most(doc, report->settings.top, BRIEF, PAGE), n = 0;
        char untold[PS_DOUBT_ROOM];

        ps_time waiting;

        ps_report_untold(untold, report);
        if (*untold || !ps_analysis_has_causes(report))
                return 0;
        if (most == BRIEF && !report->settings.top && ps_causes_are_trifling(&waiting, report))
                return 0;
        for (; n < blame->n_groups && n < most; n++)
                if (most == BRIEF && !report->settings.top && !blame->group[n].leads &&
                    !ps_cause_is_large(report, &blame->group[n]))
                        break;
        return n;
}

static void put_id(char room[PS_DOC_ID_ROOM], uint32_t number)
{
        snprintf(room, PS_DOC_ID_ROOM, "cause-%" PRIu32, number);
}

static void put_cause(ps_doc *doc, const ps_report *report, uint32_t g)
{
        const ps_cause_group *group = &report->blame->group[g];
        const ps_cause_fix *fix = ps_cause_first_fix(report, group);
        ps_time length = ps_focus_length(report->timing);
        char id[PS_DOC_ID_ROOM], room[PS_COMMENT_ROOM];
        ps_sentence said = {room, sizeof(room), 0};

        put_id(id, g + 1);
        ps_cause_say(&said, report, group);
        ps_doc_begin_item(doc, id);
        ps_doc_put(doc, PS_DOC_PLAIN, room);
        if (group->row[0]->is_new) {
                ps_doc_put(doc, PS_DOC_PLAIN, " ");
                ps_doc_put(doc, PS_DOC_BAD, "new");
        }
        ps_doc_end(doc);
        ps_analysis_put_callpath(doc, report, group->row[0]->cause->path);
        if (fix) {
                const ps_cause_fix *vain = ps_cause_vain_fix(report, group);
                said.n = 0;
                if (vain) {
                        ps_cause_say_fix(&said, vain, length);
                        ps_sentence_add(&said, " ");
                }
                ps_cause_say_fix(&said, fix, length);
                ps_doc_say(doc, PS_DOC_P, "%s", room);
                if (ps_cause_fix_share(fix, length) >= PS_WORTH_MENDING)
                        ps_next_show_prediction(doc, report, fix->edit);
        }
        const char *why_none = fix ? NULL : ps_cause_why_no_fix(report, group);
        if (why_none)
                ps_doc_say(doc, PS_DOC_P, "What mending it gains cannot be told: %s", why_none);
        if (!fix || ps_cause_fix_is_bound(fix) || !ps_cause_computes(report, group))
                ps_doc_say(doc, PS_DOC_ADVICE, "%s", ps_cause_advice_of(report, group));
}

static ps_time unexplained_of(const ps_blame *blame)
{
        ps_time sum = 0;

        for (uint32_t i = 0; i < blame->causes->n; i++)
                if (blame->causes->row[i].location == PS_NONE)
                        sum = blame->causes->row[i].direct;
        return sum;
}

/* What the numbers above do not know. */
static void put_doubts(ps_doc *doc, const ps_report *report, bool has_fixes)
{
        char room[PS_COMMENT_ROOM];
        ps_sentence said = {room, sizeof(room), 0};
        ps_time unexplained = unexplained_of(report->blame);

        if (ps_report_share(report, unexplained) >= WORTH_SHOWING) {
                ps_cause_say_unexplained(&said, unexplained);
                ps_doc_say(doc, PS_DOC_NOTE, "%s", room);
        }
        said.n = 0;
        if (has_fixes && ps_cause_say_order(&said, report))
                ps_doc_say(doc, PS_DOC_NOTE, "%s", room);
}

/* A program that hardly ran between Init and Finalize, as a test of an installation does. */
static void put_trifling(ps_doc *doc, const ps_report *report, bool are_shown)
{
        char waited[PS_NUMBER_ROOM], whole[PS_NUMBER_ROOM];
        ps_time waiting;

        if (!ps_causes_are_trifling(&waiting, report))
                return;
        ps_text_duration(waited, waiting);
        ps_text_duration(whole, report->timing->duration);
        ps_doc_say(
                doc, PS_DOC_P,
                "Nothing here is worth mending: on average each rank waits for %s in a run of %s, and what "
                "is so short differs from one run to the next.",
                waited, whole);
        if (!are_shown)
                ps_doc_say(doc, PS_DOC_HINT, "-v shows the causes all the same");
}

ps_status ps_analysis_put_causes(ps_doc *doc, const void *subject, ps_error *err)
{
        const ps_report *report = subject;
        uint32_t n = causes_shown(doc, report);
        char untold[PS_DOUBT_ROOM];
        bool has_fixes = 0;

        (void)err;
        ps_report_untold(untold, report);
        if (*untold) {
                ps_doc_say(doc, PS_DOC_NOTE, "Who made the others wait cannot be told, either.");
                return PS_OK;
        }
        put_trifling(doc, report, n > 0);
        if (n)
                ps_doc_begin_items(doc);
        for (uint32_t g = 0; g < n; g++) {
                put_cause(doc, report, g);
                has_fixes |= ps_cause_first_fix(report, &report->blame->group[g]) != NULL;
        }
        if (n) {
                ps_doc_end_items(doc);
                ps_doc_rest(doc, report->blame->n_groups - n, "cause", "causes", "-v shows all");
        }
        put_doubts(doc, report, has_fixes);
        return PS_OK;
}

/* -- the causes of a wait -- */

void ps_analysis_put_caused(ps_doc *doc, const ps_report *report, const ps_report_place *place)
{
        ps_group_share share[PS_CAUSES_TOLD];
        unsigned n = report->blame ? ps_cause_shares_of(share, report, place) : 0;
        uint32_t shown = n ? causes_shown(doc, report) : 0;
        char id[PS_DOC_ID_ROOM], number[PS_NUMBER_ROOM], room[PS_COMMENT_ROOM];

        for (unsigned i = 0; i < n; i++) {
                const ps_cause_group *group = &report->blame->group[share[i].group];
                ps_sentence said = {room, sizeof(room), 0};
                if ((double)share[i].waiting < WORTH_NAMING * (double)place->lost)
                        continue;
                if (!i)
                        ps_doc_begin(doc, PS_DOC_P);
                ps_doc_put(doc, PS_DOC_PLAIN, i ? "; by " : "Caused by ");
                put_id(id, share[i].group + 1);
                snprintf(number, sizeof(number), "%" PRIu32, share[i].group + 1);
                ps_cause_say_short(&said, report, group);
                if (share[i].group < shown) {
                        ps_doc_put_link(doc, id, number);
                        ps_doc_putf(doc, PS_DOC_PLAIN, " (%s): ", room);
                } else {
                        ps_doc_putf(doc, PS_DOC_PLAIN, "%s: ", room);
                }
                ps_doc_put_time(doc, PS_DOC_PLAIN, share[i].waiting);
        }
        if (n && (double)share[0].waiting >= WORTH_NAMING * (double)place->lost) {
                ps_doc_put(doc, PS_DOC_PLAIN, ".");
                ps_doc_end(doc);
        }
}

/* -- the critical path -- */

bool ps_analysis_has_critical(const void *subject)
{
        const ps_blame *blame = ((const ps_report *)subject)->blame;

        return blame && blame->critical->n > 0;
}

static ps_loc most_on_path(const ps_report *report, const ps_critical_row *row)
{
        ps_loc most = 0;

        for (ps_loc l = 1; l < report->trace->n_locs; l++)
                most = row->by_location[l] > row->by_location[most] ? l : most;
        return most;
}

ps_status ps_analysis_put_critical(ps_doc *doc, const void *subject, ps_error *err)
{
        const ps_report *report = subject;
        const ps_critical *critical = report->blame->critical;
        uint32_t n = ps_doc_most(doc, report->settings.top, BRIEF, PAGE);

        (void)err;
        n = n < critical->n ? n : critical->n;
        ps_doc_begin_table(doc, PS_DOC_TABLE, "Critical path", "Call|=Share|=Time|=Imbalance|=Most|=Rank");
        for (uint32_t i = 0; i < n; i++) {
                const ps_critical_row *row = &critical->row[i];
                ps_loc most = most_on_path(report, row);
                ps_doc_row(doc, 0);
                ps_doc_cell(doc, PS_DOC_NAME,
                            row->path ? ps_site_call(report, row->path) : "(outside of all)");
                ps_doc_cell_share(doc, critical->length ? (double)row->time / (double)critical->length : 0);
                ps_doc_cell_time(doc, row->time);
                ps_doc_cell_time(doc, row->imbalance);
                ps_doc_cell_time(doc, row->by_location[most]);
                ps_doc_cell_count(doc, report->trace->defs.locations.row[most].process);
        }
        ps_doc_end_table(doc);
        ps_doc_rest(doc, critical->n - n, "call path", "call paths", "-v shows all");
        return PS_OK;
}
