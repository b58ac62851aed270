/* compare_text.c - a comparison for people: what the difference is, what it consists of, and where it is. */
#include "report/subjects/compare_words.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

enum { NAME_COLUMNS = 32, CELL_COLUMNS = 12, LABEL_COLUMNS = 11, ROWS_SHOWN = 10 };

static uint32_t most_of(const ps_compare *c, uint32_t n)
{
        uint32_t most = c->options.top ? c->options.top : ROWS_SHOWN;

        return n < most ? n : most;
}

static void put_rest(ps_output *out, uint32_t shown, uint32_t n, const char *what)
{
        if (shown < n)
                ps_output_printf(out, "  and %" PRIu32 " more %s%s: --verbose shows %s\n", n - shown, what,
                                 n - shown == 1 ? "" : "s", n - shown == 1 ? "it" : "them");
}

/* Rows that are sorted by their differences end with those that have none. */
static int is_equal(ps_two two)
{
        return two.measured == two.predicted;
}

static void put_equal(ps_output *out, uint32_t differ, uint32_t n)
{
        if (differ < n)
                ps_output_printf(out, "  %s%" PRIu32 " %s not differ\n", differ ? "and " : "", n - differ,
                                 n - differ == 1 ? "does" : "do");
}

/* A table's first line: the name, and up to four heads. */
static void put_heads(ps_output *out, const char *name, const char *const heads[4])
{
        ps_output_putc(out, '\n');
        ps_output_style(out, PS_BOLD);
        ps_output_printf(out, "%-*s", NAME_COLUMNS, name);
        for (int i = 0; i < 4 && heads[i]; i++)
                ps_output_printf(out, "%*s", CELL_COLUMNS, heads[i]);
        ps_output_style(out, PS_PLAIN);
        ps_output_putc(out, '\n');
}

static void put_cell(ps_output *out, const char *text)
{
        ps_output_printf(out, " %*s", CELL_COLUMNS - 1, text);
}

/* A name that is too long for its column has a line of its own. */
static void put_name(ps_output *out, const char *name)
{
        unsigned columns = ps_text_columns(name);

        ps_output_puts(out, "  ");
        ps_text_write(out, name);
        if (columns > NAME_COLUMNS - 2) {
                ps_output_puts(out, "\n  ");
                columns = 0;
        }
        ps_output_repeat(out, ' ', NAME_COLUMNS - 2 - columns);
}

static void put_two(ps_output *out, ps_two two)
{
        char room[PS_NUMBER_ROOM];

        put_cell(out, ps_compare_seconds(room, two.measured));
        put_cell(out, ps_compare_seconds(room, two.predicted));
        put_cell(out, ps_compare_difference(room, two));
}

/* -- the runs */

static void put_labelled(ps_output *out, const char *label, const char *before, const char *between,
                         const char *after)
{
        ps_text_write_label(out, label, LABEL_COLUMNS);
        ps_text_wrapf(out, LABEL_COLUMNS, "%s%s%s", before, between, after);
        ps_output_putc(out, '\n');
}

static void put_run(ps_output *out, const ps_compare *c, ps_run_role side)
{
        const ps_run *run = c->run[side];
        char room[PS_COMPARE_VERDICT_ROOM];

        put_labelled(out, ps_compare_side_title(c, side), run->path, ": ", ps_compare_run_text(room, run));
        if (!run->machine && !run->formula)
                return;
        put_labelled(out, "Machine", run->machine ? run->machine : "",
                     run->machine && run->formula ? ": " : "", run->formula ? run->formula : "");
        if (run->machine_source)
                put_labelled(out, "Source", run->machine_source, "", "");
}

static void put_coverage(ps_output *out, const ps_compare *c)
{
        const ps_compared_operations *o = &c->operations;
        uint64_t all = o->matched + o->unmatched[PS_MEASURED];
        char room[PS_NUMBER_ROOM];

        ps_text_write_label(out, "Aligned", LABEL_COLUMNS);
        ps_output_printf(out, "%" PRIu64 " of %" PRIu32 " intervals", c->matched_intervals, c->intervals.n);
        if (o->is_known) {
                ps_text_count(room, o->matched);
                ps_output_printf(out, ", %s of ", room);
                ps_text_count(room, all);
                ps_output_printf(out, "%s operations", room);
        }
        if (o->by_counts)
                ps_output_printf(out, " (on %" PRIu32 " ranks by their numbers only)", o->by_counts);
        ps_output_putc(out, '\n');
}

static void put_total(ps_output *out, const ps_compare *c)
{
        char m[PS_NUMBER_ROOM], p[PS_NUMBER_ROOM], d[PS_NUMBER_ROOM], share[PS_NUMBER_ROOM];

        ps_text_write_label(out, "Total", LABEL_COLUMNS);
        ps_output_printf(out, "%s %s, %s %s: ", ps_compare_side_name(c, PS_MEASURED),
                         ps_compare_seconds(m, c->duration.measured), ps_compare_side_name(c, PS_PREDICTED),
                         ps_compare_seconds(p, c->duration.predicted));
        ps_output_style(out, PS_BOLD);
        ps_output_printf(out, "%s (%s)", ps_compare_difference(d, c->duration),
                         ps_compare_change(share, ps_errors_signed(c->duration)));
        ps_output_style(out, PS_PLAIN);
        if (c->duration.measured > 0)
                ps_output_printf(out, ", ratio %.4g", c->duration.predicted / c->duration.measured);
        ps_output_putc(out, '\n');
}

static void put_notes(ps_output *out, const ps_compare *c)
{
        char room[PS_COMPARE_NOTE_ROOM];

        for (unsigned i = 0; ps_compare_note(room, c, i); i++) {
                ps_output_style(out, PS_YELLOW);
                ps_output_printf(out, "%-*s", LABEL_COLUMNS, i ? "" : "Note");
                ps_output_style(out, PS_PLAIN);
                ps_text_wrap(out, ps_compare_note(room, c, i), LABEL_COLUMNS, ps_output_width(out));
                ps_output_putc(out, '\n');
        }
}

/* -- what it consists of */

static void put_parts(ps_output *out, const ps_compare *c)
{
        const char *const heads[] = {ps_compare_side_name(c, PS_MEASURED),
                                     ps_compare_side_name(c, PS_PREDICTED), "difference", "share of it"};
        char room[PS_NUMBER_ROOM];

        if (isnan(c->part[0].measured) || isnan(c->part[0].predicted))
                return;
        put_heads(out, "Of which, mean of a rank", heads);
        for (int part = 0; part < PS_PARTS; part++) {
                ps_two two = c->part[part];
                put_name(out, ps_parts[part].title);
                put_two(out, two);
                put_cell(out, ps_compare_percent(room, ps_compare_share(c, two.predicted - two.measured)));
                ps_output_putc(out, '\n');
        }
}

static void put_contributions(ps_output *out, const ps_compare *c)
{
        char room[PS_NUMBER_ROOM], name[PS_COMPARE_NAME_ROOM];

        if (!c->n_contributions)
                return;
        ps_text_write_heading(out, "Most of the difference, mean of a rank");
        for (unsigned i = 0; i < most_of(c, c->n_contributions); i++) {
                const ps_contribution *one = &c->contribution[i];
                ps_output_printf(out, "  %*s", CELL_COLUMNS, ps_compare_signed(room, one->difference_s));
                ps_output_printf(out, "%*s  ", CELL_COLUMNS,
                                 ps_compare_percent(room, ps_compare_share(c, one->difference_s)));
                ps_compare_contribution_name(name, c, one);
                ps_text_wrapf(out, 2 * CELL_COLUMNS + 4, "%s%s%s", ps_parts[one->part].title,
                              *name ? ": " : "", name);
                ps_output_putc(out, '\n');
        }
}

/* -- tables */

static void put_worst(ps_output *out, const ps_compared_interval *i, const ps_run_interval *row)
{
        char room[PS_NUMBER_ROOM], work[2 * PS_NUMBER_ROOM] = "", line[PS_NUMBER_ROOM] = "";
        int has_work = i->worst != PS_NONE && i->weight > 0, has_place = row->line && *row->file;

        if (!has_work && !has_place)
                return;
        if (has_work)
                snprintf(work, sizeof(work), "own work of rank %" PRIu32 ": %s", i->worst,
                         ps_compare_difference(room, i->worst_work));
        if (has_place)
                snprintf(line, sizeof(line), ":%" PRIu32, row->line);
        ps_output_puts(out, "    ");
        ps_output_style(out, PS_DIM);
        ps_text_wrapf(out, 4, "%s%s%s%s", work, has_work && has_place ? ", " : "", has_place ? row->file : "",
                      line);
        ps_output_style(out, PS_PLAIN);
        ps_output_putc(out, '\n');
}

static void put_interval(ps_output *out, const ps_compare *c, const ps_compared_interval *i)
{
        char room[PS_NUMBER_ROOM], name[PS_COMPARE_NAME_ROOM];
        int is_in[] = {i->row[PS_MEASURED] != PS_NONE, i->row[PS_PREDICTED] != PS_NONE};

        put_name(out, ps_compare_interval_name(name, c, i));
        put_two(out, i->execution);
        ps_output_style(out, i->is_exceeded ? PS_RED : PS_PLAIN);
        put_cell(out, is_in[0] && is_in[1] ? ps_compare_change(room, ps_errors_signed(i->execution))
                                           : ps_compare_where(c, is_in[0], is_in[1]));
        ps_output_style(out, PS_PLAIN);
        ps_output_putc(out, '\n');
        put_worst(out, i, ps_compare_interval_row(c, i));
}

static void put_errors(ps_output *out, const ps_errors *errors)
{
        char room[PS_COMPARE_VERDICT_ROOM];

        if (!*ps_compare_errors_text(room, errors))
                return;
        ps_output_puts(out, "  errors: ");
        ps_text_wrap(out, room, 10, ps_output_width(out));
        ps_output_putc(out, '\n');
}

static void put_intervals(ps_output *out, const ps_compare *c)
{
        const char *const heads[] = {ps_compare_side_name(c, PS_MEASURED),
                                     ps_compare_side_name(c, PS_PREDICTED), "difference", NULL};
        uint32_t n = c->intervals.n, most;

        if (n < 2)
                return;
        while (n && c->intervals.row[n - 1].weight == 0 && is_equal(c->intervals.row[n - 1].execution))
                n--;
        most = most_of(c, n);
        put_heads(out, "Intervals, by own work", heads);
        for (uint32_t i = 0; i < most; i++)
                put_interval(out, c, &c->intervals.row[i]);
        put_rest(out, most, n, "interval");
        put_equal(out, n, c->intervals.n);
        put_errors(out, &c->interval_errors);
}

static void put_rank(ps_output *out, const ps_compared_rank *rank)
{
        char room[PS_NUMBER_ROOM];
        int n = snprintf(room, sizeof(room), "rank %" PRIu32, rank->processor[PS_MEASURED]);

        if (rank->processor[PS_MEASURED] != rank->processor[PS_PREDICTED])
                snprintf(room + n, sizeof(room) - (size_t)n, " and %" PRIu32, rank->processor[PS_PREDICTED]);
        put_name(out, room);
        put_two(out, rank->work);
        put_cell(out, ps_compare_difference(room, rank->wait));
        ps_output_putc(out, '\n');
}

static void put_ranks(ps_output *out, const ps_compare *c)
{
        const char *const heads[] = {ps_compare_side_name(c, PS_MEASURED),
                                     ps_compare_side_name(c, PS_PREDICTED), "difference", "of waiting"};
        char m[PS_NUMBER_ROOM], p[PS_NUMBER_ROOM];
        uint32_t most = most_of(c, c->ranks.n);

        if (!c->ranks.n)
                return;
        put_heads(out, "Ranks, work without waiting", heads);
        for (uint32_t i = 0; i < most; i++)
                put_rank(out, &c->ranks.row[i]);
        put_rest(out, most, c->ranks.n, "rank");
        ps_output_printf(out, "  imbalance of calculating %s and %s",
                         ps_compare_percent(m, c->imbalance.measured),
                         ps_compare_percent(p, c->imbalance.predicted));
        if (!isnan(c->spearman))
                ps_output_printf(out, "; their order agrees by %.3f", c->spearman);
        ps_output_putc(out, '\n');
}

static void put_size(ps_output *out, const ps_compared_size *size)
{
        char room[PS_NUMBER_ROOM], name[2 * PS_NUMBER_ROOM], n[PS_NUMBER_ROOM];

        ps_text_count(n, size->n);
        snprintf(name, sizeof(name), "%s (%s)", ps_compare_bytes(room, size), n);
        put_name(out, name);
        put_two(out, size->median);
        put_cell(out, ps_compare_percent(room, size->errors.mean_log));
        ps_output_putc(out, '\n');
        if (size->worst_to == PS_NONE || size->worst_from == PS_NONE || !(size->errors.max_log > 0))
                return;
        ps_output_style(out, PS_DIM);
        ps_output_printf(out, "    worst: from rank %" PRIu32 " to %" PRIu32 ", %s", size->worst_from,
                         size->worst_to, ps_compare_seconds(room, size->worst.measured));
        ps_output_printf(out, " and %s", ps_compare_seconds(room, size->worst.predicted));
        ps_output_style(out, PS_PLAIN);
        ps_output_putc(out, '\n');
}

static void put_messages(ps_output *out, const ps_compare *c)
{
        const char *const heads[] = {ps_compare_side_name(c, PS_MEASURED),
                                     ps_compare_side_name(c, PS_PREDICTED), "difference", "log error"};

        if (!c->sizes.n)
                return;
        put_heads(out, "Messages by bytes, median", heads);
        for (uint32_t i = 0; i < c->sizes.n; i++)
                put_size(out, &c->sizes.row[i]);
        put_errors(out, &c->message_errors);
}

static void put_patterns(ps_output *out, const ps_compare *c)
{
        const char *const heads[] = {ps_compare_side_name(c, PS_MEASURED),
                                     ps_compare_side_name(c, PS_PREDICTED), "difference", NULL};
        uint32_t n = c->patterns.n, most;

        if (!n)
                return;
        while (n && is_equal(c->patterns.row[n - 1].lost))
                n--;
        most = most_of(c, n);
        put_heads(out, "Patterns, time lost by all ranks", heads);
        for (uint32_t i = 0; i < most; i++) {
                const ps_compared_pattern *p = &c->patterns.row[i];
                put_name(out, ps_compare_pattern_row(p)->title);
                put_two(out, p->lost);
                ps_output_putc(out, '\n');
        }
        put_rest(out, most, n, "pattern");
        put_equal(out, n, c->patterns.n);
}

static void put_site(ps_output *out, const ps_compare *c, const ps_compared_site *site)
{
        const ps_run_site *row = ps_compare_site_row(site);
        char line[PS_NUMBER_ROOM] = "";

        put_name(out, ps_compare_site_title(row));
        put_two(out, site->lost);
        if (row->file && row->line)
                snprintf(line, sizeof(line), ":%" PRIu32, row->line);
        ps_output_puts(out, "\n    ");
        ps_output_style(out, PS_DIM);
        ps_text_wrapf(out, 4, "%s%s%s%s, %s", row->call, row->file ? ", " : "", row->file ? row->file : "",
                      line,
                      ps_compare_where(c, site->row[PS_MEASURED] != NULL, site->row[PS_PREDICTED] != NULL));
        ps_output_style(out, PS_PLAIN);
        ps_output_putc(out, '\n');
}

static void put_sites(ps_output *out, const ps_compare *c)
{
        char heading[160];
        uint32_t n = c->sites.n, most;

        if (!n)
                return;
        while (n && is_equal(c->sites.row[n - 1].lost))
                n--;
        most = most_of(c, n);
        snprintf(heading, sizeof(heading),
                 "Findings: %" PRIu64 " in both runs, %" PRIu64 " %s, %" PRIu64 " %s", c->sites_in_both,
                 c->sites_only[PS_MEASURED], ps_compare_where(c, 1, 0), c->sites_only[PS_PREDICTED],
                 ps_compare_where(c, 0, 1));
        ps_text_write_heading(out, heading);
        for (uint32_t i = 0; i < most; i++)
                put_site(out, c, &c->sites.row[i]);
        put_rest(out, most, n, "finding");
        put_equal(out, n, c->sites.n);
}

ps_status ps_compare_write_text(const ps_compare *c, ps_output *out, ps_error *err)
{
        char room[PS_COMPARE_VERDICT_ROOM];

        (void)err;
        put_run(out, c, PS_MEASURED);
        put_run(out, c, PS_PREDICTED);
        put_coverage(out, c);
        put_total(out, c);
        put_notes(out, c);
        put_parts(out, c);
        put_contributions(out, c);
        put_intervals(out, c);
        put_ranks(out, c);
        put_messages(out, c);
        put_patterns(out, c);
        put_sites(out, c);
        if (*ps_compare_parting(room, c)) {
                ps_output_putc(out, '\n');
                ps_text_wrapf(out, 0, "%s", room);
                ps_output_putc(out, '\n');
        }
        ps_output_putc(out, '\n');
        ps_output_style(out, c->total_exceeded || c->intervals_exceeded ? PS_RED : PS_BOLD);
        ps_output_puts(out, ps_compare_verdict(room, c));
        ps_output_style(out, PS_PLAIN);
        ps_output_putc(out, '\n');
        return PS_OK;
}
