/* tables.c - see tables.h. */
#include "report/comparison/tables.h"
#include "report/comparison/words.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

enum { BRIEF = 10, PAGE = 1000 };

static uint32_t most_of(const ps_doc *doc, const ps_compare *c, uint32_t n)
{
        uint32_t most = ps_doc_most(doc, c->options.top, BRIEF, PAGE);

        return n < most ? n : most;
}

/* Rows are sorted by their differences and end with `equal` that have none. What is left out is counted. */
static void put_rest(ps_doc *doc, uint32_t shown, uint32_t n, uint32_t equal, const char *one,
                     const char *many)
{
        ps_doc_rest(doc, n - shown, one, many, "-v shows all");
        if (equal)
                ps_doc_say(doc, PS_DOC_HINT, "%s%" PRIu32 " %s not differ", n ? "and " : "", equal,
                           equal == 1 ? "does" : "do");
}

static bool is_equal(ps_two two)
{
        return two.measured == two.predicted;
}

static void put_difference(ps_doc *doc, ps_two two)
{
        char room[PS_NUMBER_ROOM];

        ps_doc_put(doc, PS_DOC_PLAIN, ps_compare_difference(room, two));
}

static void cell_difference(ps_doc *doc, ps_two two)
{
        ps_doc_cell_begin(doc);
        put_difference(doc, two);
}

static void cell_percent(ps_doc *doc, double share)
{
        char room[PS_NUMBER_ROOM];

        ps_doc_cell(doc, PS_DOC_PLAIN, ps_compare_percent(room, share));
}

static void cell_two(ps_doc *doc, ps_two two)
{
        ps_doc_cell_seconds(doc, two.measured);
        ps_doc_cell_seconds(doc, two.predicted);
        cell_difference(doc, two);
}

/* `name`|measured|predicted|difference|`more` */
static void begin_table(ps_doc *doc, const ps_compare *c, const char *caption, const char *name,
                        const char *more)
{
        char heads[200];

        snprintf(heads, sizeof(heads), "%s|=%s|=%s|=Difference%s", name,
                 ps_compare_side_title(c, PS_MEASURED), ps_compare_side_title(c, PS_PREDICTED), more);
        ps_doc_begin_table(doc, PS_DOC_TABLE, caption, heads);
}

static void put_errors(ps_doc *doc, const ps_errors *errors)
{
        char room[PS_COMPARE_VERDICT_ROOM];

        if (*ps_compare_errors_text(room, errors))
                ps_doc_say(doc, PS_DOC_P, "Errors: %s.", room);
}

/* -- the lengths of several runs -- */

/* The shortest and the longest run of a side. */
static ps_two range_of(const ps_run_samples *samples, ps_run_role side)
{
        ps_two range = {INFINITY, 0};

        for (uint32_t i = 0; i < samples->n[side]; i++) {
                double length = samples->row[side][i].duration_s;
                range = (ps_two){fmin(range.measured, length), fmax(range.predicted, length)};
        }
        return range;
}

static void put_sample_row(ps_doc *doc, const char *name, ps_two two)
{
        ps_doc_row(doc, 0);
        ps_doc_cell(doc, PS_DOC_PLAIN, name);
        cell_two(doc, two);
}

void ps_comparison_put_samples(ps_doc *doc, const ps_compare *c)
{
        const ps_run_samples *samples = c->options.samples;
        char caption[100];

        if (!samples)
                return;
        const ps_two m = range_of(samples, PS_MEASURED), p = range_of(samples, PS_PREDICTED);
        snprintf(caption, sizeof(caption), "Lengths of %" PRIu32 " and %" PRIu32 " runs",
                 samples->n[PS_MEASURED], samples->n[PS_PREDICTED]);
        begin_table(doc, c, caption, "Run", "");
        put_sample_row(doc, "median", c->sampled.median);
        put_sample_row(doc, "shortest", (ps_two){m.measured, p.measured});
        put_sample_row(doc, "longest", (ps_two){m.predicted, p.predicted});
        ps_doc_end_table(doc);
        if (ps_run_samples_tell_noise(samples))
                ps_doc_say(doc, PS_DOC_P,
                           "By chance the %s would be that much longer with p = %.2g, that much shorter "
                           "with p = %.2g (exact rank test); a difference counts up to p = %.4g.",
                           ps_compare_side_name(c, PS_PREDICTED), c->sampled.p_longer, c->sampled.p_shorter,
                           ps_run_samples_level);
        ps_doc_say(doc, PS_DOC_P, "All that follows compares the median runs: %s and %s.",
                   c->run[PS_MEASURED]->path, c->run[PS_PREDICTED]->path);
}

/* -- what it consists of -- */

static bool has_parts(const ps_compare *c)
{
        return !isnan(c->part[0].measured) && !isnan(c->part[0].predicted);
}

static void put_contributions(ps_doc *doc, const ps_compare *c)
{
        char room[PS_NUMBER_ROOM], name[PS_COMPARE_NAME_ROOM];

        if (!c->n_contributions)
                return;
        ps_doc_begin_table(doc, PS_DOC_TABLE, "Largest parts (mean per rank)",
                           "Part|=Difference|=Share of it|>Interval");
        for (unsigned i = 0; i < most_of(doc, c, c->n_contributions); i++) {
                const ps_contribution *one = &c->contribution[i];
                ps_doc_row(doc, 0);
                ps_doc_cell(doc, PS_DOC_PLAIN, ps_parts[one->part].title);
                ps_doc_cell(doc, PS_DOC_PLAIN, ps_compare_signed(room, one->difference_s));
                cell_percent(doc, ps_compare_share(c, one->difference_s));
                ps_doc_cell(doc, PS_DOC_PLAIN, ps_compare_contribution_name(name, c, one));
        }
        ps_doc_end_table(doc);
}

ps_status ps_comparison_put_parts(ps_doc *doc, const void *subject, ps_error *err)
{
        const ps_compare *c = subject;

        (void)err;
        if (!has_parts(c)) {
                ps_doc_say(doc, PS_DOC_P, "A saved report does not say what each processor did.");
                return PS_OK;
        }
        bool has_shares = !isnan(ps_compare_share(c, 0)); /* not of runs that took as long */
        begin_table(doc, c, "Of which (mean per rank)", "Part", has_shares ? "|=Share of it" : "");
        for (int part = 0; part < PS_PARTS; part++) {
                ps_two two = c->part[part];
                ps_doc_row(doc, 0);
                ps_doc_cell(doc, PS_DOC_PLAIN, ps_parts[part].title);
                cell_two(doc, two);
                if (has_shares)
                        cell_percent(doc, ps_compare_share(c, two.predicted - two.measured));
        }
        ps_doc_end_table(doc);
        put_contributions(doc, c);
        return PS_OK;
}

/* -- intervals -- */

bool ps_comparison_has_intervals(const void *subject)
{
        return ((const ps_compare *)subject)->intervals.n > 1;
}

/* Whose work differs most, and where it is. */
static void put_worst(ps_doc *doc, const ps_compared_interval *i, const ps_run_interval *row)
{
        bool has_work = i->worst != PS_NONE && i->weight > 0, has_place = row->line && *row->file;

        if (!has_work && !has_place)
                return;
        ps_doc_row_note(doc);
        if (has_work) {
                ps_doc_putf(doc, PS_DOC_PLAIN, "own work of rank %" PRIu32 ": ", i->worst);
                put_difference(doc, i->worst_work);
        }
        if (has_work && has_place)
                ps_doc_put(doc, PS_DOC_PLAIN, ", ");
        if (has_place)
                ps_doc_put_place(doc, row->file, row->line);
}

static void put_interval(ps_doc *doc, const ps_compare *c, const ps_compared_interval *i)
{
        char room[PS_NUMBER_ROOM], name[PS_COMPARE_NAME_ROOM];
        bool is_in[] = {i->row[PS_MEASURED] != PS_NONE, i->row[PS_PREDICTED] != PS_NONE};

        ps_doc_row(doc, 0);
        ps_doc_cell(doc, PS_DOC_PLAIN, ps_compare_interval_name(name, c, i));
        cell_two(doc, i->execution);
        ps_doc_cell(doc, i->is_exceeded ? PS_DOC_BAD : PS_DOC_PLAIN,
                    is_in[0] && is_in[1] ? ps_compare_change(room, ps_errors_signed(i->execution))
                                         : ps_compare_where(c, is_in[0], is_in[1]));
        cell_difference(doc, i->work);
        cell_difference(doc, i->wait);
        put_worst(doc, i, ps_compare_interval_row(c, i));
}

ps_status ps_comparison_put_intervals(ps_doc *doc, const void *subject, ps_error *err)
{
        const ps_compare *c = subject;
        uint32_t n = c->intervals.n, most;

        (void)err;
        while (n && c->intervals.row[n - 1].weight == 0 && is_equal(c->intervals.row[n - 1].execution))
                n--;
        most = most_of(doc, c, n);
        begin_table(doc, c, "Intervals, by own work", "Interval", "|=Change|+=Own work|+=Own waiting");
        for (uint32_t i = 0; i < most; i++)
                put_interval(doc, c, &c->intervals.row[i]);
        ps_doc_end_table(doc);
        put_rest(doc, most, n, c->intervals.n - n, "interval", "intervals");
        put_errors(doc, &c->interval_errors);
        return PS_OK;
}

/* -- ranks -- */

bool ps_comparison_has_ranks(const void *subject)
{
        return ((const ps_compare *)subject)->ranks.n > 0;
}

ps_status ps_comparison_put_ranks(ps_doc *doc, const void *subject, ps_error *err)
{
        const ps_compare *c = subject;
        char m[PS_NUMBER_ROOM], p[PS_NUMBER_ROOM];
        uint32_t most = most_of(doc, c, c->ranks.n);

        (void)err;
        begin_table(doc, c, "Ranks, work without waiting", "Rank", "|=Of waiting");
        for (uint32_t i = 0; i < most; i++) {
                const ps_compared_rank *rank = &c->ranks.row[i];
                ps_doc_row(doc, 0);
                ps_doc_cellf(doc, PS_DOC_PLAIN, "rank %" PRIu32, rank->processor[PS_MEASURED]);
                if (rank->processor[PS_MEASURED] != rank->processor[PS_PREDICTED])
                        ps_doc_putf(doc, PS_DOC_PLAIN, " and %" PRIu32, rank->processor[PS_PREDICTED]);
                cell_two(doc, rank->work);
                cell_difference(doc, rank->wait);
        }
        ps_doc_end_table(doc);
        put_rest(doc, most, c->ranks.n, 0, "rank", "ranks");
        ps_doc_begin(doc, PS_DOC_P);
        ps_doc_putf(doc, PS_DOC_PLAIN, "Imbalance of computing: %s and %s",
                    ps_compare_percent(m, c->imbalance.measured),
                    ps_compare_percent(p, c->imbalance.predicted));
        if (!isnan(c->spearman))
                ps_doc_putf(doc, PS_DOC_PLAIN, "; rank correlation of the two orders %.3f", c->spearman);
        ps_doc_put(doc, PS_DOC_PLAIN, ".");
        ps_doc_end(doc);
        return PS_OK;
}

/* -- messages -- */

bool ps_comparison_has_messages(const void *subject)
{
        return ((const ps_compare *)subject)->sizes.n > 0;
}

static void put_size(ps_doc *doc, const ps_compared_size *size)
{
        char room[PS_NUMBER_ROOM];

        ps_doc_row(doc, 0);
        ps_doc_cell(doc, PS_DOC_PLAIN, ps_compare_bytes(room, size));
        cell_two(doc, size->median);
        cell_percent(doc, size->errors.mean_log);
        ps_doc_cell_count(doc, size->n);
        if (size->worst_to == PS_NONE || size->worst_from == PS_NONE || !(size->errors.max_log > 0))
                return;
        ps_doc_row_note(doc);
        ps_doc_putf(doc, PS_DOC_PLAIN, "worst: from rank %" PRIu32 " to %" PRIu32 ", ", size->worst_from,
                    size->worst_to);
        ps_doc_put_seconds(doc, PS_DOC_PLAIN, size->worst.measured);
        ps_doc_put(doc, PS_DOC_PLAIN, " and ");
        ps_doc_put_seconds(doc, PS_DOC_PLAIN, size->worst.predicted);
}

ps_status ps_comparison_put_messages(ps_doc *doc, const void *subject, ps_error *err)
{
        const ps_compare *c = subject;

        (void)err;
        begin_table(doc, c, "Messages by bytes, median", "Bytes", "|=Log error|?=How many");
        for (uint32_t i = 0; i < c->sizes.n; i++)
                put_size(doc, &c->sizes.row[i]);
        ps_doc_end_table(doc);
        put_errors(doc, &c->message_errors);
        return PS_OK;
}

/* -- findings -- */

bool ps_comparison_has_patterns(const void *subject)
{
        return ((const ps_compare *)subject)->patterns.n > 0;
}

ps_status ps_comparison_put_patterns(ps_doc *doc, const void *subject, ps_error *err)
{
        const ps_compare *c = subject;
        uint32_t n = c->patterns.n, most;

        (void)err;
        while (n && is_equal(c->patterns.row[n - 1].lost))
                n--;
        most = most_of(doc, c, n);
        begin_table(doc, c, "Patterns, time lost by all ranks", "Pattern", "");
        for (uint32_t i = 0; i < most; i++) {
                ps_doc_row(doc, 0);
                ps_doc_cell(doc, PS_DOC_PLAIN, ps_compare_pattern_row(&c->patterns.row[i])->title);
                cell_two(doc, c->patterns.row[i].lost);
        }
        ps_doc_end_table(doc);
        put_rest(doc, most, n, c->patterns.n - n, "pattern", "patterns");
        return PS_OK;
}

bool ps_comparison_has_sites(const void *subject)
{
        return ((const ps_compare *)subject)->sites.n > 0;
}

static void put_site(ps_doc *doc, const ps_compare *c, const ps_compared_site *site)
{
        const ps_run_site *row = ps_compare_site_row(site);

        ps_doc_row(doc, 0);
        ps_doc_cell(doc, PS_DOC_PLAIN, ps_compare_site_title(row));
        cell_two(doc, site->lost);
        ps_doc_row_note(doc);
        ps_doc_put(doc, PS_DOC_NAME, row->call);
        ps_doc_put(doc, PS_DOC_PLAIN, ", ");
        if (row->file) {
                ps_doc_put_place(doc, row->file, row->line);
                ps_doc_put(doc, PS_DOC_PLAIN, ", ");
        }
        ps_doc_put(doc, PS_DOC_PLAIN,
                   ps_compare_where(c, site->row[PS_MEASURED] != NULL, site->row[PS_PREDICTED] != NULL));
}

ps_status ps_comparison_put_sites(ps_doc *doc, const void *subject, ps_error *err)
{
        const ps_compare *c = subject;
        char caption[160];
        uint32_t n = c->sites.n, most;

        (void)err;
        while (n && is_equal(c->sites.row[n - 1].lost))
                n--;
        most = most_of(doc, c, n);
        snprintf(caption, sizeof(caption),
                 "Findings: %" PRIu64 " in both runs, %" PRIu64 " %s, %" PRIu64 " %s", c->site_matches.both,
                 c->site_matches.only[PS_MEASURED], ps_compare_where(c, 1, 0),
                 c->site_matches.only[PS_PREDICTED], ps_compare_where(c, 0, 1));
        begin_table(doc, c, caption, "Finding", "");
        for (uint32_t i = 0; i < most; i++)
                put_site(doc, c, &c->sites.row[i]);
        ps_doc_end_table(doc);
        put_rest(doc, most, n, c->sites.n - n, "finding", "findings");
        return PS_OK;
}
