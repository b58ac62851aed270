/* sites.c - the words that all reports for editors and reviewers share. */
#include "report/facts/sites.h"
#include "report/print/text.h"

#include "core/base/memory.h"
#include "core/base/search.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RANGES_MAX = 8, PATH_MAX_SHOWN = 64, PATH_MOST = 256 /* deeper ones lose their outermost regions */ };

ps_proc ps_site_process(const ps_report *report, ps_ref ref)
{
        return ref.op != PS_NONE && ref.loc < report->trace->n_locs
                       ? report->trace->defs.locations.row[ref.loc].process
                       : PS_NONE;
}

static int compare_processes(const void *a, const void *b)
{
        ps_proc x = *(const ps_proc *)a, y = *(const ps_proc *)b;

        return PS_ORDER(x, y);
}

static void fill_site(ps_site *site, ps_proc *process, const ps_report *report, const ps_report_place *place)
{
        *site = (ps_site){.largest = place->finding[0],
                          .process = process,
                          .n = place->n,
                          .lost = place->lost,
                          .share = ps_report_share(report, place->lost)};
        for (uint32_t i = 0; i < place->n; i++) {
                const ps_finding *f = place->finding[i]->finding;
                site->count += f->count;
                process[i] = ps_site_process(report, (ps_ref){f->location, 0});
        }
        site->most = process[0];
        qsort(process, place->n, sizeof(*process), compare_processes);
}

static int compare_order(const void *a, const void *b)
{
        const ps_report_place *x = *(const ps_report_place *const *)a,
                              *y = *(const ps_report_place *const *)b;

        return PS_ORDER(x->finding, y->finding);
}

/* Places of the same site lie side by side where they were gathered, in the order of their lines. */
static ps_status number_sites(ps_sites *sites, ps_error *err)
{
        const ps_report_places *places = &sites->places;
        const ps_report_place **order = ps_memory_zeroed((size_t)places->n + 1, sizeof(*order));

        if (!order)
                return PS_NOMEM(err, "sites", places->n);
        for (uint32_t i = 0; i < places->n; i++)
                order[i] = &places->row[i];
        qsort(order, places->n, sizeof(*order), compare_order);
        for (uint32_t i = 1; i < places->n; i++)
                if (strcmp(order[i - 1]->finding[0]->site, order[i]->finding[0]->site) == 0)
                        sites->row[order[i] - places->row].nth =
                                sites->row[order[i - 1] - places->row].nth + 1;
        free(order);
        return PS_OK;
}

ps_status ps_sites_new(ps_sites **out, const ps_report *report, bool with_ignored, ps_error *err)
{
        ps_sites *sites = calloc(1, sizeof(*sites));
        ps_status status;
        size_t at = 0;

        *out = NULL;
        if (!sites)
                return PS_NOMEM(err, "sites", 1);
        status = ps_places_gather(&sites->places, report, with_ignored, err);
        if (status != PS_OK)
                goto out;
        sites->row = ps_memory_zeroed((size_t)sites->places.n + 1, sizeof(*sites->row));
        sites->processes = ps_memory_zeroed((size_t)report->n_findings + 1, sizeof(*sites->processes));
        if (!sites->row || !sites->processes) {
                status = PS_NOMEM(err, "sites", sites->places.n);
                goto out;
        }
        for (; sites->n < sites->places.n; sites->n++) {
                const ps_report_place *place = &sites->places.row[sites->n];
                fill_site(&sites->row[sites->n], sites->processes + at, report, place);
                at += place->n;
        }
        status = number_sites(sites, err);
out:
        if (status == PS_OK)
                *out = sites;
        else
                ps_sites_free(sites);
        return status;
}

void ps_sites_free(ps_sites *sites)
{
        if (!sites)
                return;
        ps_places_clear(&sites->places);
        free(sites->row);
        free(sites->processes);
        free(sites);
}

/* The next run of neighbouring ranks from *at on. */
static void take_range(const ps_site *site, uint32_t *at, ps_proc *first, ps_proc *last)
{
        *first = *last = site->process[(*at)++];
        for (; *at < site->n && site->process[*at] - *last <= 1; (*at)++)
                *last = site->process[*at];
}

const char *ps_site_ranks(char room[PS_RANKS_ROOM], const ps_site *site)
{
        ps_proc first, last;
        uint32_t at = 0;
        size_t n = (size_t)snprintf(room, PS_RANKS_ROOM,
                                    site->process[0] == site->process[site->n - 1] ? "rank " : "ranks ");

        for (int i = 0; at < site->n && i < RANGES_MAX; i++) {
                take_range(site, &at, &first, &last);
                n += (size_t)snprintf(room + n, PS_RANKS_ROOM - n, "%s%" PRIu32, i ? ", " : "", first);
                if (last != first)
                        n += (size_t)snprintf(room + n, PS_RANKS_ROOM - n, "%s%" PRIu32,
                                              last == first + 1 ? ", " : "-", last);
        }
        if (at < site->n)
                snprintf(room + n, PS_RANKS_ROOM - n, ", ...");
        return room;
}

void ps_site_write_ranks(ps_output *out, const ps_site *site)
{
        char room[PS_RANKS_ROOM];

        ps_output_puts(out, ps_site_ranks(room, site));
}

void ps_site_write_loss(ps_output *out, const ps_report *report, const ps_site *site, ps_name_writer name)
{
        char lost[PS_NUMBER_ROOM];

        ps_text_duration(lost, site->lost);
        if (site->lost || !site->largest->pattern->is_defect)
                ps_output_printf(out,
                                 site->share > 0 && site->share < 0.0005 ? "%s lost (<0.1 %%) in "
                                                                         : "%s lost (%.1f %%) in ",
                                 lost, 100 * site->share);
        ps_path path = site->largest->finding->path;
        bool is_call = ps_path_region(report->trace, path) != NULL;
        ps_output_printf(out, "%" PRIu64 " %s%s ", site->count, is_call ? "call" : "case",
                         site->count == 1 ? "" : "s");
        if (is_call) {
                ps_output_puts(out, "of ");
                name(out, ps_site_call(report, path));
                ps_output_putc(out, ' ');
        }
        ps_output_puts(out, "on ");
        ps_site_write_ranks(out, site);
}

void ps_site_write_callpath(ps_output *out, const ps_report *report, ps_path path, ps_name_writer name)
{
        const char *names[PATH_MAX_SHOWN];
        uint32_t n = ps_report_callpath(report, path, names, PATH_MAX_SHOWN);

        if (n > PATH_MAX_SHOWN)
                ps_output_puts(out, "... > ");
        for (uint32_t i = 0; i < n && i < PATH_MAX_SHOWN; i++) {
                ps_output_puts(out, i ? " > " : "");
                name(out, names[i]);
        }
}

/* What the text of a call path begins with. */
static const char *lead_of(const ps_report *report, ps_path path)
{
        const char *names[PATH_MAX_SHOWN];
        uint32_t n = ps_report_callpath(report, path, names, PATH_MAX_SHOWN);

        if (n > PATH_MAX_SHOWN)
                return "...";
        return n ? names[0] : "";
}

void ps_site_put_callpath(ps_row *to, const char *key, const ps_report *report, ps_path path)
{
        const char *names[PATH_MOST];
        uint32_t n;

        if (to->style == PS_ROW_CSV) {
                ps_row_open_cell(to, lead_of(report, path));
                ps_site_write_callpath(to->out, report, path, ps_row_write_name);
                ps_row_close_cell(to);
                return;
        }
        n = ps_report_callpath(report, path, names, PATH_MOST);
        ps_row_open(to, key, '[');
        if (n > PATH_MOST) {
                names[0] = "...";
                n = PATH_MOST;
        }
        for (uint32_t i = 0; i < n; i++)
                ps_row_text(to, NULL, names[i]);
        ps_row_close(to, ']');
}

const char *ps_site_call(const ps_report *report, ps_path path)
{
        return ps_path_region(report->trace, path) ? ps_path_region_name(report->trace, path)
                                                   : "an unknown call";
}

void ps_site_write_partner(ps_output *out, const ps_report_finding *f)
{
        static const char *const verbs[PS_N_SUBJECTS] = {
                [PS_ON_RECEIVER] = "sent the message",  [PS_ON_ORDER] = "sent the message",
                [PS_ON_PROBE] = "sent the message",     [PS_ON_SENDER] = "received the message",
                [PS_ON_READY] = "received the message", [PS_ON_COLLECTIVE] = "called it",
                [PS_ON_NONBLOCKING] = "began it",
        };
        const char *verb = ps_report_came_back(f) ? "completed it" : verbs[f->pattern->subject];
        const ps_source_place *place = f->partner_place;

        ps_output_printf(out, "%s %s", verb ? verb : "took part",
                         place->certainty == PS_LINE_FUNCTION ? "in this function" : "here");
        if (place->certainty == PS_LINE_CANDIDATES && place->n_candidates == 1)
                ps_output_puts(out, " (one of the calls in this line)");
        else if (place->certainty == PS_LINE_CANDIDATES)
                ps_output_printf(out, " (one of %" PRIu32 " such calls)", place->n_candidates);
}

void ps_site_write_comment(ps_output *out, const ps_report *report, const ps_site *site, ps_name_writer prose)
{
        char room[PS_COMMENT_ROOM];
        const char *comment = ps_report_comment(report, site->largest, room);

        if (!*comment)
                return;
        if (site->n > 1)
                ps_output_printf(out, " Most on rank %" PRIu32 ":", site->most);
        ps_output_putc(out, ' ');
        prose(out, comment);
}

bool ps_place_has_line(const ps_source_place *place)
{
        return place && place->file && *place->file && place->line;
}

const char *ps_place_file(const ps_report *report, const ps_source_place *place)
{
        const char *found = ps_sources_file_on_disk(report->sources, place->file);

        return found ? found : place->file;
}
