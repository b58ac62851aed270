/* places.c - the places of a report for people: what was lost there and what to do about it.
 *
 * What is at one place in several ranks is told once, with the rank that lost most and the sum of all; advice
 * once for each pattern. */
#include "report/facts/sites.h"
#include "report/facts/verdict.h"
#include "report/formats/analysis.h"
#include "report/formats/next.h"
#include "report/subjects/manual.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { BRIEF = 10, PAGE = 100, CALLPATH_MOST = 64, CANDIDATES_SHOWN = 4 };

#define WORTH_SHOWING 0.0005 /* what is printed as 0.1 % */

/* "Late receiver: 5 ms, 1.1 %, 12 calls, rank 3" */
static void put_head(ps_doc *doc, const ps_report *report, const ps_site *site)
{
        const ps_report_finding *f = site->largest;
        char id[PS_DOC_ID_ROOM], ranks[PS_RANKS_ROOM];

        snprintf(id, sizeof(id), "finding-%s-%" PRIu32, f->site, f->place->line);
        ps_doc_begin_item(doc, id);
        ps_doc_put(doc, PS_DOC_STRONG, f->pattern->title);
        bool is_view = f->pattern->is_view && f->pattern->subject != PS_ON_EXCHANGE;
        if (f->pattern->is_defect || is_view) {
                ps_doc_put(doc, PS_DOC_PLAIN, ", ");
                ps_doc_put(doc, PS_DOC_MARK, f->pattern->is_defect ? "an error of the program" : "not added");
        }
        ps_doc_put(doc, PS_DOC_PLAIN, ": ");
        if (site->lost || !f->pattern->is_defect) {
                ps_doc_put_time(doc, PS_DOC_PLAIN, site->lost);
                ps_doc_put(doc, PS_DOC_PLAIN, ", ");
                ps_doc_put_share(doc, ps_doc_loudness(site->share), site->share);
                ps_doc_put(doc, PS_DOC_PLAIN, ", ");
        }
        ps_doc_put_many(doc, site->count, "call", "calls");
        ps_doc_putf(doc, PS_DOC_PLAIN, ", %s", ps_site_ranks(ranks, site));
        if (f->is_new && report->settings.baseline) {
                ps_doc_put(doc, PS_DOC_PLAIN, ", ");
                ps_doc_put(doc, PS_DOC_BAD, "new");
        }
        ps_doc_end(doc);
}

/* "heat.c:23 or 31" */
static void put_source(ps_doc *doc, const ps_source_place *at, bool tells_lines)
{
        if (!at->file) {
                ps_doc_put(doc, PS_DOC_PLAIN, tells_lines ? "source unknown, see Next" : "source unknown");
                return;
        }
        ps_doc_put_place(doc, at->file, at->line);
        for (uint32_t i = 0; i < at->n_candidates && i < CANDIDATES_SHOWN; i++)
                if (at->candidates[i] != at->line)
                        ps_doc_putf(doc, PS_DOC_PLAIN, " or %" PRIu32, at->candidates[i]);
}

/* Where it is, how sure that is, and where the partner was. */
static void put_where(ps_doc *doc, const ps_report *report, const ps_report_finding *f)
{
        const ps_source_place *partner = f->partner_place;

        ps_doc_begin(doc, PS_DOC_P);
        put_source(doc, f->place, ps_next_tells_lines(report));
        if (f->confidence != PS_CONFIDENCE_HIGH)
                ps_doc_putf(doc, PS_DOC_PLAIN, " (%s%s confidence)",
                            f->place->certainty == PS_LINE_FUNCTION ? "only the function is known, " : "",
                            ps_confidence_names[f->confidence]);
        if (partner && partner->file && partner->line != f->place->line) {
                ps_doc_put(doc, PS_DOC_PLAIN, ", its partner: ");
                put_source(doc, partner, 0);
        }
        ps_doc_end(doc);
}

void ps_analysis_put_callpath(ps_doc *doc, const ps_report *report, ps_path path)
{
        const char *names[CALLPATH_MOST];
        uint32_t n = ps_report_callpath(report, path, names, CALLPATH_MOST);

        if (!n)
                return;
        ps_doc_begin(doc, PS_DOC_PATH);
        if (n > CALLPATH_MOST)
                ps_doc_put(doc, PS_DOC_PLAIN, "... > ");
        for (uint32_t i = 0; i < n && i < CALLPATH_MOST; i++) {
                ps_doc_put(doc, PS_DOC_PLAIN, i ? " > " : "");
                ps_doc_put(doc, PS_DOC_NAME, *names[i] ? names[i] : "(unnamed)");
        }
        ps_doc_end(doc);
}

/* "On thread 1 of rank 3, ..": of the one that lost most, if there are several. */
static void put_comment(ps_doc *doc, const ps_report *report, const ps_site *site)
{
        const ps_report_finding *f = site->largest;
        const ps_defs *defs = &report->trace->defs;
        const ps_location_def *at = &defs->locations.row[f->finding->location];
        char room[PS_COMMENT_ROOM];
        const char *comment = ps_report_comment(report, f, room);

        if (!*comment)
                return;
        ps_doc_begin(doc, PS_DOC_P);
        if (site->n > 1 && defs->processes.row[at->process].n_locs > 1)
                ps_doc_putf(doc, PS_DOC_PLAIN, "On thread %" PRIu32 " of rank %" PRIu32 ", ", at->thread,
                            at->process);
        else if (site->n > 1)
                ps_doc_putf(doc, PS_DOC_PLAIN, "On rank %" PRIu32 ", ", at->process);
        ps_doc_put(doc, PS_DOC_PLAIN, comment);
        ps_doc_end(doc);
}

static void put_formula(ps_doc *doc, const ps_report *report, const ps_report_finding *f)
{
        bool is_paper = report->analysis->definitions == PS_DEFINITIONS_PAPER;
        char formula[PS_FORMULA_TOLD];

        ps_doc_say(doc, PS_DOC_HINT, "%s", ps_manual_say_formula(formula, f->finding->pattern, is_paper));
}

static void put_place(ps_doc *doc, const ps_report *report, const ps_sites *sites, uint32_t i,
                      unsigned *advised)
{
        const ps_site *site = &sites->row[i];
        const ps_report_finding *f = site->largest;
        unsigned *first = &advised[f->finding->pattern];
        char gain[PS_DOUBT_ROOM];

        put_head(doc, report, site);
        put_where(doc, report, f);
        ps_analysis_put_callpath(doc, report, f->finding->path);
        put_comment(doc, report, site);
        ps_analysis_put_caused(doc, report, &sites->places.row[i]);
        ps_next_show_events(doc, report, f);
        ps_report_gain(gain, report, f);
        ps_doc_say(doc, PS_DOC_P, "%s", gain);
        if (*first && !ps_doc_page(doc)) /* a page may show each alone */
                ps_doc_say(doc, PS_DOC_ADVICE, "As for %u.", *first);
        else
                ps_doc_say(doc, PS_DOC_ADVICE, "%s", f->advice ? f->advice : "");
        *first = *first ? *first : i + 1;
        if (ps_doc_page(doc))
                put_formula(doc, report, f);
}

/* Unless more are asked for, places that hardly matter are left to the page. */
static uint32_t count_shown(const ps_doc *doc, const ps_report *report, const ps_sites *sites)
{
        uint32_t most = ps_doc_most(doc, report->settings.top, BRIEF, PAGE), n = 0;

        while (n < sites->n && n < most &&
               (most != BRIEF || report->settings.top || !n || sites->row[n].largest->pattern->is_defect ||
                sites->row[n].share >= WORTH_SHOWING))
                n++;
        return n;
}

ps_status ps_analysis_put_places(ps_doc *doc, const void *subject, ps_error *err)
{
        unsigned advised[PS_MAX_PATTERNS] = {0}; /* by pattern: the first place, which has the advice */
        ps_sites *sites;

        PS_TRY(ps_sites_new(&sites, subject, false, err));
        uint32_t shown = count_shown(doc, subject, sites);
        ps_doc_begin_items(doc);
        for (uint32_t i = 0; i < shown; i++)
                put_place(doc, subject, sites, i, advised);
        ps_doc_end_items(doc);
        ps_doc_rest(doc, sites->n - shown, "place", "places", "-v shows all");
        ps_sites_free(sites);
        return PS_OK;
}
