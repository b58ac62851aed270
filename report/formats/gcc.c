/* gcc.c - findings as a compiler prints its warnings: what every editor can jump along.
 *
 *   file:line:column: warning: what is lost. What happened. [-Wpattern]; below 1 % of all time a note
 *   file:line:column: note: where the partner was, other lines that may be meant,
 *                            who made it wait
 *
 * A site without a line becomes "patscan: warning: ...", as compilers say what stands nowhere: it is not
 * lost, and no editor takes it for a place. The column is always there, because some editors insist on it. */
#include "report/causes/words.h"
#include "report/facts/sites.h"
#include "report/formats/next.h"
#include "report/print/text.h"

#include <inttypes.h>

enum { CANDIDATES_MAX = 8 };

static void write_place(ps_output *out, const ps_report *report, const ps_source_place *place, uint32_t line)
{
        ps_text_write(out, ps_place_file(report, place));
        ps_output_printf(out, ":%" PRIu32 ":%" PRIu32 ": ", line,
                         line == place->line && place->column ? place->column : 1);
}

/* What hardly costs anything is for who wants to know; what is wrong with the program is for everybody. */
static const char *severity_of(const ps_site *site)
{
        return site->share >= 0.01 || site->largest->pattern->is_defect ? "warning" : "note";
}

static void write_warning(ps_output *out, const ps_report *report, const ps_site *site)
{
        const ps_report_finding *f = site->largest;

        if (ps_place_has_line(f->place))
                write_place(out, report, f->place, f->place->line);
        else
                ps_output_puts(out, "patscan: ");
        ps_output_printf(out, "%s: %s: ", severity_of(site), f->pattern->title);
        ps_site_write_loss(out, report, site, ps_text_write);
        if (!f->finding->path) {
                ps_output_putc(out, '.');
        } else if (!ps_place_has_line(f->place)) {
                ps_output_puts(out, " (");
                ps_site_write_callpath(out, report, f->finding->path, ps_text_write);
                ps_output_putc(out, ')');
        } else {
                ps_output_putc(out, '.');
                ps_site_write_comment(out, report, site, ps_text_write);
        }
        ps_output_printf(out, " [-W%s]\n", f->pattern->id);
}

/* Where else the call may stand. */
static void write_doubts(ps_output *out, const ps_report *report, const ps_source_place *place)
{
        if (place->certainty == PS_LINE_FUNCTION) {
                write_place(out, report, place, place->line);
                ps_output_puts(out, "note: the call is somewhere in this function\n");
        }
        for (uint32_t i = 0, n = 0; i < place->n_candidates && n < CANDIDATES_MAX; i++) {
                if (place->candidates[i] == place->line)
                        continue;
                write_place(out, report, place, place->candidates[i]);
                ps_output_puts(out, "note: or this call, which has the same name\n");
                n++;
        }
}

/* How to see the worst of it. */
static void write_events(ps_output *out, const ps_report *report, const ps_report_finding *f)
{
        char room[PS_NEXT_ROOM];

        if (!ps_next_events(report, f, room))
                return;
        write_place(out, report, f->place, f->place->line);
        ps_output_puts(out, "note: its events: ");
        ps_text_write(out, report->dump);
        ps_output_puts(out, room);
        ps_output_putc(out, '\n');
}

static void write_partner(ps_output *out, const ps_report *report, const ps_report_finding *f)
{
        ps_proc process = ps_site_process(report, f->finding->worst.partner);

        if (process == PS_NONE || !ps_place_has_line(f->partner_place))
                return;
        write_place(out, report, f->partner_place, f->partner_place->line);
        ps_output_printf(out, "note: rank %" PRIu32 " ", process);
        ps_site_write_partner(out, f);
        ps_output_putc(out, '\n');
}

/* Who made it wait: the places of those that explain a good part of it. */
static void write_causes(ps_output *out, const ps_report *report, const ps_report_place *place)
{
        ps_group_share share[PS_CAUSES_TOLD];
        unsigned n = report->blame ? ps_cause_shares_of(share, report, place) : 0;

        for (unsigned i = 0; i < n && 10 * share[i].waiting >= place->lost; i++) {
                const ps_cause_group *group = &report->blame->group[share[i].group];
                const ps_cause_place *at = &group->row[0]->at;
                const char *found = at->file ? ps_sources_file_on_disk(report->sources, at->file) : NULL;
                char room[PS_COMMENT_ROOM], time[PS_NUMBER_ROOM];
                ps_sentence said = {room, sizeof(room), 0};
                if (!at->file || !at->line)
                        continue;
                ps_text_duration(time, share[i].waiting);
                ps_cause_say_what(&said, report, group);
                ps_text_write(out, found ? found : at->file);
                ps_output_printf(out, ":%" PRIu32 ":1: note: %s of that is due to this: ", at->line, time);
                ps_text_write(out, room);
                ps_output_putc(out, '\n');
        }
}

/* What is wrong with the run or its trace stands nowhere in the source. */
static void write_cautions(ps_output *out, const ps_report *report)
{
        for (unsigned i = 0; i < report->cautions.n; i++) {
                ps_output_puts(out, "patscan: warning: ");
                ps_text_write(out, report->cautions.row[i].text);
                ps_output_printf(out, " [-W%s]\n", report->cautions.row[i].kind);
        }
}

ps_status ps_report_write_gcc(const ps_report *report, ps_output *out, ps_error *err)
{
        ps_sites *sites;

        PS_TRY(ps_sites_new(&sites, report, false, err));
        write_cautions(out, report);
        for (uint32_t i = 0; i < sites->n && !ps_output_failed(out); i++) {
                const ps_report_finding *f = sites->row[i].largest;
                write_warning(out, report, &sites->row[i]);
                if (!ps_place_has_line(f->place))
                        continue;
                write_doubts(out, report, f->place);
                write_partner(out, report, f);
                write_events(out, report, f);
                write_causes(out, report, &sites->places.row[i]);
        }
        ps_sites_free(sites);
        return PS_OK;
}
