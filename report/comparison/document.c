/* document.c - a comparison for people: what the difference is, may it be trusted, what it consists of, and
 * where it is. */
#include "report/document/document.h"
#include "report/comparison/tables.h"
#include "report/comparison/words.h"
#include "report/facts/run_name.h"
#include "report/page/timeline.h"
#include "report/scaling/scaling.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

/* -- the runs -- */

static void put_run(ps_doc *doc, const ps_compare *c, ps_run_role side)
{
        const ps_run *run = c->run[side];
        char room[PS_COMPARE_VERDICT_ROOM];

        ps_doc_begin_term(doc, ps_compare_side_title(c, side));
        ps_doc_put(doc, PS_DOC_NAME, run->path);
        ps_doc_putf(doc, PS_DOC_PLAIN, ": %s", ps_compare_run_text(room, run));
        ps_doc_end(doc);
        if (run->machine || run->formula) {
                ps_doc_begin_term(doc, "Machine");
                ps_doc_putf(doc, PS_DOC_PLAIN, "%s%s%s", run->machine ? run->machine : "",
                            run->machine && run->formula ? ": " : "", run->formula ? run->formula : "");
                ps_doc_end(doc);
        }
        if (run->machine_source)
                ps_doc_term(doc, "Source", PS_DOC_PLAIN, run->machine_source);
}

static ps_status put_runs(ps_doc *doc, const void *subject, ps_error *err)
{
        const ps_compare *c = subject;
        const ps_compared_operations *o = &c->operations;

        (void)err;
        put_run(doc, c, PS_MEASURED);
        put_run(doc, c, PS_PREDICTED);
        ps_doc_begin_term(doc, "Aligned");
        ps_doc_putf(doc, PS_DOC_PLAIN, "%" PRIu64 " of %" PRIu32 " intervals", c->interval_matches.both,
                    c->intervals.n);
        if (o->is_known) {
                ps_doc_put(doc, PS_DOC_PLAIN, ", ");
                ps_doc_put_count(doc, PS_DOC_PLAIN, o->matches.both);
                ps_doc_put(doc, PS_DOC_PLAIN, " of ");
                ps_doc_put_many(doc, o->matches.both + o->matches.only[PS_MEASURED], "operation",
                                "operations");
        }
        if (o->by_counts)
                ps_doc_putf(doc, PS_DOC_PLAIN, " (on %" PRIu32 " ranks only counted)", o->by_counts);
        ps_doc_end(doc);
        return PS_OK;
}

/* -- the verdict -- */

static void put_total(ps_doc *doc, const ps_compare *c)
{
        const ps_two two = c->sampled.median;
        char difference[PS_NUMBER_ROOM], share[PS_NUMBER_ROOM];

        ps_doc_begin(doc, PS_DOC_BIG);
        if (two.measured == two.predicted) {
                ps_doc_put(doc, PS_DOC_STRONG, "No difference");
                ps_doc_put(doc, PS_DOC_PLAIN, ": both take ");
                ps_doc_put_seconds(doc, PS_DOC_PLAIN, two.measured);
                ps_doc_put(doc, PS_DOC_PLAIN, ".");
                ps_doc_end(doc);
                return;
        }
        ps_doc_put(doc, PS_DOC_STRONG, ps_compare_difference(difference, two));
        ps_doc_putf(doc, PS_DOC_PLAIN, " (%s): %s ", ps_compare_change(share, ps_errors_signed(two)),
                    ps_compare_side_name(c, PS_MEASURED));
        ps_doc_put_seconds(doc, PS_DOC_PLAIN, two.measured);
        ps_doc_putf(doc, PS_DOC_PLAIN, ", %s ", ps_compare_side_name(c, PS_PREDICTED));
        ps_doc_put_seconds(doc, PS_DOC_PLAIN, two.predicted);
        if (two.measured > 0)
                ps_doc_putf(doc, PS_DOC_PLAIN, ", ratio %.4g", two.predicted / two.measured);
        ps_doc_put(doc, PS_DOC_PLAIN, ".");
        ps_doc_end(doc);
}

/* What lies outside of the focus is told apart. */
static void put_whole(ps_doc *doc, const ps_compare *c)
{
        const ps_run *m = c->run[PS_MEASURED], *p = c->run[PS_PREDICTED];

        if (m->whole_s <= m->duration_s && p->whole_s <= p->duration_s)
                return;
        ps_doc_begin(doc, PS_DOC_P);
        ps_doc_putf(doc, PS_DOC_PLAIN, "That is of what the reports are about; the whole runs: %s ",
                    ps_compare_side_name(c, PS_MEASURED));
        ps_doc_put_seconds(doc, PS_DOC_PLAIN, m->whole_s);
        ps_doc_putf(doc, PS_DOC_PLAIN, ", %s ", ps_compare_side_name(c, PS_PREDICTED));
        ps_doc_put_seconds(doc, PS_DOC_PLAIN, p->whole_s);
        ps_doc_put(doc, PS_DOC_PLAIN, ".");
        ps_doc_end(doc);
}

static ps_status put_verdict(ps_doc *doc, const void *subject, ps_error *err)
{
        const ps_compare *c = subject;
        char room[PS_COMPARE_VERDICT_ROOM], note[PS_COMPARE_NOTE_ROOM];

        (void)err;
        put_total(doc, c);
        put_whole(doc, c);
        ps_doc_begin(doc, PS_DOC_P);
        ps_doc_put(doc, c->total_exceeded || c->intervals_exceeded ? PS_DOC_BAD : PS_DOC_PLAIN,
                   ps_compare_verdict(room, c));
        ps_doc_end(doc);
        for (unsigned i = 0; ps_compare_note(note, c, i); i++)
                ps_doc_say(doc, PS_DOC_NOTE, "%s", ps_compare_note(note, c, i));
        ps_comparison_put_samples(doc, c);
        ps_doc_say(doc, PS_DOC_P, "%s", ps_compare_parting(room, c));
        return PS_OK;
}

/* -- how the program scales from the one to the other -- */

static bool has_scaling(const void *subject)
{
        return ((const ps_compare *)subject)->options.scaling != NULL;
}

static ps_status put_scaling(ps_doc *doc, const void *subject, ps_error *err)
{
        const ps_scaling *scaling = ((const ps_compare *)subject)->options.scaling;
        PS_TRY(ps_scaling_put_runs(doc, scaling, err));
        PS_TRY(ps_scaling_put_pictures(doc, scaling, err));

        return ps_scaling_put_limits(doc, scaling, err);
}

/* -- the runs over time -- */

static const char *title_of(char room[PS_RUN_NAME_ROOM], const ps_run *run)
{
        return *ps_run_name(room, run->path) ? room : run->path;
}

static bool has_timelines(const void *subject)
{
        const ps_compare *c = subject;
        const ps_report *measured = c->run[PS_MEASURED]->report, *predicted = c->run[PS_PREDICTED]->report;

        return measured && predicted && ps_timeline_is_told(measured) && ps_timeline_is_told(predicted);
}

static ps_status put_timelines(ps_doc *doc, const void *subject, ps_error *err)
{
        const ps_compare *c = subject;
        const ps_run *measured = c->run[PS_MEASURED], *predicted = c->run[PS_PREDICTED];
        char first[PS_RUN_NAME_ROOM], second[PS_RUN_NAME_ROOM];

        return ps_timeline_put_two(doc, measured->report, title_of(first, measured), predicted->report,
                                   title_of(second, predicted), err);
}

static const ps_doc_section sections[] = {
        {"runs", "Runs", PS_DOC_UNTITLED, NULL, put_runs},
        {"verdict", "Verdict", PS_DOC_UNTITLED, NULL, put_verdict},
        {"run", "Timelines", PS_DOC_PAGE_ONLY, has_timelines, put_timelines},
        {"scaling", "How the program scales", 0, has_scaling, put_scaling},
        {"parts", "What the difference consists of", PS_DOC_UNTITLED, NULL, ps_comparison_put_parts},
        {"intervals", "Intervals", PS_DOC_UNTITLED, ps_comparison_has_intervals, ps_comparison_put_intervals},
        {"ranks", "Ranks", PS_DOC_UNTITLED, ps_comparison_has_ranks, ps_comparison_put_ranks},
        {"messages", "Messages", PS_DOC_UNTITLED, ps_comparison_has_messages, ps_comparison_put_messages},
        {"patterns", "Patterns", PS_DOC_UNTITLED, ps_comparison_has_patterns, ps_comparison_put_patterns},
        {"findings", "Findings", PS_DOC_UNTITLED, ps_comparison_has_sites, ps_comparison_put_sites},
};

static ps_status write_comparison(ps_doc *doc, const void *subject, ps_error *err)
{
        const ps_compare *c = subject;
        char measured[PS_RUN_NAME_ROOM], predicted[PS_RUN_NAME_ROOM], title[2 * PS_RUN_NAME_ROOM + 8];

        snprintf(title, sizeof(title), "%s and %s", title_of(measured, c->run[PS_MEASURED]),
                 title_of(predicted, c->run[PS_PREDICTED]));
        ps_doc_title(doc, "compare", title, NULL);
        return ps_doc_sections(doc, sections, sizeof(sections) / sizeof(*sections), subject, err);
}

PS_DOC_FORMATS(ps_compare_write, ps_compare, write_comparison)
