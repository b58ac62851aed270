/* sarif_result.c - one result: a pattern at a call site.
 *
 * Viewers draw the steps of the first flow's first thread only. So all ranks are steps of one thread flow, in
 * the order of time, and each step says whose it is. Links in a message are the only way to a related
 * location; a message gives brackets and braces a meaning, so names have theirs escaped. */
#include "report/causes/words.h"
#include "report/formats/next.h"
#include "report/formats/sarif.h"
#include "report/print/markdown.h"
#include "report/print/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { CANDIDATES_MAX = 8, STEPS_MAX = 3 + 2 * PS_CHAIN_MOST };

static void write_plain(ps_output *out, const char *text)
{
        static const char *const escapes[PS_ASCII] = {
                ['['] = "\\[", [']'] = "\\]", ['{'] = "{{", ['}'] = "}}"};

        ps_text_write_escaped(out, text, escapes);
}

void ps_sarif_put_text(ps_sarif *sarif, const char *key)
{
        const char *text = ps_output_text(sarif->text);

        ps_row_exact_text(&sarif->row, key, text ? text : "");
        ps_output_clear(sarif->text);
}

/* What was gathered, as a message of its own. */
static void put_message(ps_sarif *sarif)
{
        ps_row_open(&sarif->row, "message", '{');
        ps_sarif_put_text(sarif, "text");
        ps_row_close(&sarif->row, '}');
}

/* -- places -- */

static void put_region(ps_sarif *sarif, const ps_sarif_file *file, const ps_source_place *place,
                       uint32_t line)
{
        uint32_t first = 1, end = line <= file->n_lines ? file->line[line - 1].columns + 1 : 1;

        if (line == place->line && place->column) {
                first = place->column;
                end = place->column_end > first ? place->column_end : first;
        }
        ps_row_open(&sarif->row, "region", '{');
        ps_row_u64(&sarif->row, "startLine", line);
        ps_row_u64(&sarif->row, "startColumn", first);
        ps_row_u64(&sarif->row, "endLine", line);
        ps_row_u64(&sarif->row, "endColumn", end);
        ps_row_close(&sarif->row, '}');
}

static void put_artifact(ps_sarif *sarif, uint32_t index)
{
        const ps_sarif_file *file = &sarif->file[index];

        ps_row_open(&sarif->row, "artifactLocation", '{');
        ps_row_text(&sarif->row, "uri", file->uri);
        if (file->is_relative)
                ps_row_text(&sarif->row, "uriBaseId", "SRCROOT");
        ps_row_u64(&sarif->row, "index", index);
        ps_row_close(&sarif->row, '}');
}

/* What stands in no known file stands in the trace: scanning services take no result without a file. */
static void put_physical(ps_sarif *sarif, const ps_source_place *place, uint32_t line)
{
        bool known = place && place->file && *place->file;
        uint32_t index = known ? ps_sarif_find_file(sarif, ps_place_file(sarif->report, place)) : PS_NONE;

        known = index != PS_NONE;
        index = known ? index : sarif->trace_file;
        ps_row_open(&sarif->row, "physicalLocation", '{');
        put_artifact(sarif, index);
        if (known && line)
                put_region(sarif, &sarif->file[index], place, line);
        ps_row_close(&sarif->row, '}');
}

static void put_logical(ps_sarif *sarif, ps_path path)
{
        ps_row_open(&sarif->row, "logicalLocations", '[');
        ps_row_open(&sarif->row, NULL, '{');
        ps_row_text(&sarif->row, "name", ps_site_call(sarif->report, path));
        ps_site_write_callpath(sarif->text, sarif->report, path, ps_text_write);
        ps_sarif_put_text(sarif, "fullyQualifiedName");
        ps_row_text(&sarif->row, "kind", "function");
        ps_row_close(&sarif->row, '}');
        ps_row_close(&sarif->row, ']');
}

/* -- related places -- */

static bool has_partner(const ps_sarif *sarif, const ps_report_finding *f)
{
        return ps_place_has_line(f->partner_place) &&
               ps_site_process(sarif->report, f->finding->worst.partner) != PS_NONE;
}

/* The lines that may be meant besides the one that is given. */
static uint32_t candidates_of(const ps_source_place *place, uint32_t lines[CANDIDATES_MAX])
{
        uint32_t n = 0;

        for (uint32_t i = 0; ps_place_has_line(place) && i < place->n_candidates && n < CANDIDATES_MAX; i++)
                if (place->candidates[i] != place->line)
                        lines[n++] = place->candidates[i];
        return n;
}

static void put_related(ps_sarif *sarif, uint32_t id, const ps_source_place *place, uint32_t line)
{
        ps_row_open(&sarif->row, NULL, '{');
        ps_row_u64(&sarif->row, "id", id);
        put_physical(sarif, place, line);
        put_message(sarif);
        ps_row_close(&sarif->row, '}');
}

static void put_related_places(ps_sarif *sarif, const ps_report_finding *f)
{
        uint32_t id = 1, lines[CANDIDATES_MAX], n = candidates_of(f->place, lines);

        if (!has_partner(sarif, f) && !n)
                return;
        ps_row_open(&sarif->row, "relatedLocations", '[');
        if (has_partner(sarif, f)) {
                ps_output_printf(sarif->text, "rank %" PRIu32 " ",
                                 ps_site_process(sarif->report, f->finding->worst.partner));
                ps_site_write_partner(sarif->text, f);
                put_related(sarif, id++, f->partner_place, f->partner_place->line);
        }
        for (uint32_t i = 0; i < n; i++) {
                ps_output_puts(sarif->text, "or this call, which has the same name");
                put_related(sarif, id++, f->place, lines[i]);
        }
        ps_row_close(&sarif->row, ']');
}

/* -- messages -- */

static void gather_links(ps_sarif *sarif, const ps_report_finding *f)
{
        uint32_t id = 1, lines[CANDIDATES_MAX], n = candidates_of(f->place, lines);

        if (has_partner(sarif, f)) {
                ps_output_printf(sarif->text, " Rank %" PRIu32 " [",
                                 ps_site_process(sarif->report, f->finding->worst.partner));
                ps_site_write_partner(sarif->text, f);
                ps_output_printf(sarif->text, "](%" PRIu32 ").", id++);
        }
        if (f->place->certainty == PS_LINE_FUNCTION)
                ps_output_puts(sarif->text, " The line is that of the function which the call is in.");
        for (uint32_t i = 0; i < n; i++)
                ps_output_printf(sarif->text, "%s[line %" PRIu32 "](%" PRIu32 ")%s",
                                 i ? ", " : " The call may also be the one in ", lines[i], id++,
                                 i == n - 1 ? "." : "");
}

/* The largest of what made those wait who are there. */
static void gather_cause(ps_sarif *sarif, const ps_report_place *place, ps_name_writer prose)
{
        const ps_blame *blame = sarif->report->blame;
        ps_group_share share[PS_CAUSES_TOLD];
        char room[PS_COMMENT_ROOM];
        ps_sentence said = {room, sizeof(room), 0};

        if (!blame || !ps_cause_shares_of(share, sarif->report, place))
                return;
        ps_sentence_add(&said, "Caused by this: ");
        ps_cause_say_what(&said, sarif->report, &blame->group[share[0].group]);
        ps_sentence_add(&said, ".");
        ps_output_putc(sarif->text, ' ');
        prose(sarif->text, room);
}

static void put_main_message(ps_sarif *sarif, const ps_site *site, const ps_report_place *place)
{
        const ps_report_finding *f = site->largest;

        ps_row_open(&sarif->row, "message", '{');
        ps_output_printf(sarif->text, "%s: ", f->pattern->title);
        ps_site_write_loss(sarif->text, sarif->report, site, write_plain);
        ps_output_putc(sarif->text, '.');
        ps_site_write_comment(sarif->text, sarif->report, site, write_plain);
        gather_cause(sarif, place, write_plain);
        gather_links(sarif, f);
        ps_sarif_put_text(sarif, "text");
        ps_output_printf(sarif->text, "**%s**: ", f->pattern->title);
        ps_site_write_loss(sarif->text, sarif->report, site, ps_markdown_write_name);
        ps_output_puts(sarif->text, ".\n\n");
        ps_site_write_comment(sarif->text, sarif->report, site, ps_markdown_write_prose);
        gather_cause(sarif, place, ps_markdown_write_prose);
        gather_links(sarif, f);
        ps_output_printf(sarif->text, "\n\n%s", f->advice ? f->advice : "");
        ps_sarif_put_text(sarif, "markdown");
        ps_row_close(&sarif->row, '}');
}

/* -- the flow -- */

typedef struct step {
        ps_time time;
        ps_ref who;
        ps_path path;
        const ps_source_place *place;
        const char *what;
} step;

static void put_step(ps_sarif *sarif, const step *s, unsigned order)
{
        const ps_report *report = sarif->report;
        char time[PS_NUMBER_ROOM];

        ps_text_seconds(time, s->time);
        ps_row_open(&sarif->row, NULL, '{');
        ps_row_u64(&sarif->row, "executionOrder", order);
        ps_row_open(&sarif->row, "location", '{');
        if (ps_place_has_line(s->place))
                put_physical(sarif, s->place, s->place->line);
        ps_output_printf(sarif->text, "rank %" PRIu32 " at %s s: %s ", ps_site_process(report, s->who), time,
                         s->what);
        write_plain(sarif->text, ps_site_call(report, s->path));
        put_message(sarif);
        ps_row_close(&sarif->row, '}');
        ps_row_close(&sarif->row, '}');
}

/* What was longer than elsewhere, of those who are to blame for the finding: at this location, if any is. */
static const ps_told_cause *cause_at(const ps_report *report, const ps_report_finding *f, ps_loc loc)
{
        const ps_blame *blame = report->blame;
        size_t i = (size_t)(f->finding - report->analysis->findings);

        for (uint32_t k = blame ? blame->first[i] : 0; blame && k < blame->first[i + 1]; k++)
                if (blame->blamed[k].cause->cause->location == loc)
                        return blame->blamed[k].cause;
        return NULL;
}

struct flow {
        step steps[STEPS_MAX];
        unsigned n;
        ps_source_place cause; /* of a step that is no call */
};

static void add_step(struct flow *flow, step s)
{
        unsigned at = flow->n < STEPS_MAX ? flow->n++ : STEPS_MAX - 1;

        for (; at && flow->steps[at - 1].time > s.time; at--)
                flow->steps[at] = flow->steps[at - 1];
        flow->steps[at] = s;
}

static step flow_step_at(const ps_sarif *sarif, ps_time time, ps_ref at, const char *what)
{
        ps_path path = ps_op_path(&sarif->report->trace->ops[at.loc], at.op);
        const ps_source_place *place = NULL;

        if (ps_sources_of(sarif->report->sources, path, &place, NULL) < 0)
                place = NULL;
        return (step){time, at, path, place, what};
}

/* What the one who is charged does there; of a call nobody knows here whether it is long or waits itself. */
static const char *const does[PS_N_WHYS] = {
        [PS_WHY_LONGER] = "takes longer than the others in",
        [PS_WHY_ALONE] = "alone is in",
        [PS_WHY_LATE_ORDER] = "sends in another order than is received, in",
        [PS_WHY_TRANSFER] = "is in",
        [PS_WHY_LOCK] = "holds a lock in",
        [PS_WHY_START] = "begins late, in",
};

/* From what made it wait through those who waited in between. */
static void add_chain(ps_sarif *sarif, struct flow *flow, const ps_report_finding *f)
{
        const ps_report *report = sarif->report;
        ps_delay_step chain[PS_CHAIN_MOST];
        uint32_t n = report->blame ? ps_delays_chain(report->blame->delays, f->finding->worst.at, chain) : 0;

        for (uint32_t i = 1; i < n; i++) {
                add_step(flow, flow_step_at(sarif, chain[i].begin, chain[i].at, "waits, too, in"));
                if (chain[i].by.op != PS_NONE)
                        add_step(flow,
                                 flow_step_at(sarif, report->timing->enter[chain[i].by.loc][chain[i].by.op],
                                              chain[i].by, "enters"));
        }
        if (!n || chain[n - 1].by.op == PS_NONE)
                return;
        const ps_told_cause *told = cause_at(report, f, chain[n - 1].by.loc);
        if (!told)
                return;
        flow->cause = (ps_source_place){.file = told->at.file,
                                        .function = told->at.function,
                                        .line = told->at.line,
                                        .certainty = told->at.certainty};
        add_step(flow, (step){chain[n - 1].begin,
                              {chain[n - 1].by.loc, 0},
                              told->cause->path,
                              &flow->cause,
                              does[told->cause->why]});
}

/* The worst of the waits: its begin, its end, in between, mostly, what it was for, and why that came so late.
 */
static void put_flow(ps_sarif *sarif, const ps_report_finding *f)
{
        const ps_instance *worst = &f->finding->worst;
        ps_ref partner = worst->partner;
        const ps_path path = f->finding->path;
        struct flow flow = {.n = 0};

        if (ps_site_process(sarif->report, partner) == PS_NONE || !ps_place_has_line(f->place))
                return;
        add_step(&flow, (step){worst->begin, worst->at, path, f->place, "begins to wait in"});
        add_step(&flow, (step){sarif->report->timing->enter[partner.loc][partner.op], partner,
                               f->partner_path, f->partner_place, "enters"});
        add_step(&flow, (step){worst->begin + worst->lost, worst->at, path, f->place, "ends its wait in"});
        add_chain(sarif, &flow, f);
        ps_row_open(&sarif->row, "codeFlows", '[');
        ps_row_open(&sarif->row, NULL, '{');
        ps_row_open(&sarif->row, "threadFlows", '[');
        ps_row_open(&sarif->row, NULL, '{');
        ps_row_open(&sarif->row, "locations", '[');
        for (unsigned i = 0; i < flow.n; i++)
                put_step(sarif, &flow.steps[i], i + 1);
        ps_row_close(&sarif->row, ']');
        ps_row_close(&sarif->row, '}');
        ps_row_close(&sarif->row, ']');
        ps_row_close(&sarif->row, '}');
        ps_row_close(&sarif->row, ']');
}

/* -- the rest -- */

/* A slow place is no error, at which services would stop a change: --fail-on is there for limits. */
static const char *level_of(const ps_site *site)
{
        if (site->largest->pattern->is_defect)
                return "error";
        return site->share >= 0.01 ? "warning" : "note";
}

static void put_fingerprints(ps_sarif *sarif, const ps_report_finding *f)
{
        const ps_source_place *place = f->place;
        uint32_t index = ps_place_has_line(place)
                                 ? ps_sarif_find_file(sarif, ps_place_file(sarif->report, place))
                                 : PS_NONE;
        const ps_sarif_file *file = index == PS_NONE ? NULL : &sarif->file[index];
        char room[40];

        ps_row_open(&sarif->row, "partialFingerprints", '{');
        if (file && place->line <= file->n_lines) {
                const ps_line_hash *line = &file->line[place->line - 1];
                snprintf(room, sizeof(room), "%" PRIx64 ":%" PRIu32, line->hash, line->occurrence);
                ps_row_text(&sarif->row, "primaryLocationLineHash", room);
        }
        ps_row_text(&sarif->row, "patscan/v1", f->site);
        ps_row_close(&sarif->row, '}');
}

/* Their ids, as in the JSON report. */
static void put_causes(ps_sarif *sarif, const ps_report_finding *f)
{
        const ps_blame *blame = sarif->report->blame;
        size_t i = (size_t)(f->finding - sarif->report->analysis->findings);

        if (!blame)
                return;
        ps_row_open(&sarif->row, "causes", '[');
        for (uint32_t k = blame->first[i]; k < blame->first[i + 1]; k++)
                ps_row_text(&sarif->row, NULL, blame->blamed[k].cause->id);
        ps_row_close(&sarif->row, ']');
}

static void put_properties(ps_sarif *sarif, const ps_site *site)
{
        const ps_report_finding *f = site->largest;
        char events[PS_NEXT_ROOM];

        ps_row_open(&sarif->row, "properties", '{');
        ps_row_time(&sarif->row, "lost_s", site->lost);
        ps_row_share(&sarif->row, "share", site->share);
        ps_site_write_ranks(sarif->text, site);
        ps_sarif_put_text(sarif, "ranks");
        ps_row_text(&sarif->row, "confidence", ps_confidence_names[f->confidence]);
        ps_row_text(&sarif->row, "line_source", ps_line_source_names[f->place->certainty]);
        put_causes(sarif, f);
        const size_t n = ps_next_events(sarif->report, f, events);
        if (n)
                ps_row_text_and(&sarif->row, "dump", sarif->report->dump, events, n);
        ps_row_close(&sarif->row, '}');
}

static void put_suppression(ps_sarif *sarif, const ps_report_finding *f)
{
        if (!f->ignored)
                return;
        ps_row_open(&sarif->row, "suppressions", '[');
        ps_row_open(&sarif->row, NULL, '{');
        ps_row_text(&sarif->row, "kind", "external");
        ps_row_text(&sarif->row, "justification", f->ignored);
        ps_row_close(&sarif->row, '}');
        ps_row_close(&sarif->row, ']');
}

void ps_sarif_write_result(ps_sarif *sarif, uint32_t i)
{
        const ps_site *site = &sarif->sites->row[i];
        const ps_report_finding *f = site->largest;

        ps_row_open(&sarif->row, NULL, '{');
        ps_row_text(&sarif->row, "ruleId", f->pattern->id);
        ps_row_u64(&sarif->row, "ruleIndex", f->finding->pattern);
        ps_row_text(&sarif->row, "level", level_of(site));
        put_main_message(sarif, site, &sarif->sites->places.row[i]);
        ps_row_open(&sarif->row, "locations", '[');
        ps_row_open(&sarif->row, NULL, '{');
        put_physical(sarif, f->place, f->place->line);
        put_logical(sarif, f->finding->path);
        ps_row_close(&sarif->row, '}');
        ps_row_close(&sarif->row, ']');
        put_related_places(sarif, f);
        put_flow(sarif, f);
        put_fingerprints(sarif, f);
        ps_row_u64(&sarif->row, "occurrenceCount", site->count);
        ps_row_share(&sarif->row, "rank", site->share < 1 ? 100 * site->share : 100);
        if (sarif->report->settings.baseline)
                ps_row_text(&sarif->row, "baselineState", f->is_new ? "new" : "unchanged");
        put_suppression(sarif, f);
        put_properties(sarif, site);
        ps_row_close(&sarif->row, '}');
}
