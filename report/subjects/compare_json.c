/* compare_json.c - a comparison for programs: docs/compare.schema.json. What is not known is null. */
#include "report/print/row.h"
#include "report/subjects/compare_words.h"

#include <math.h>

static void put_seconds(ps_row *row, const char *key, double value)
{
        ps_row_known(seconds, row, key, value, isfinite(value));
}

static void put_share(ps_row *row, const char *key, double value)
{
        ps_row_known(share, row, key, value, isfinite(value));
}

/* Members of an object that is open. */
static void put_members(ps_row *row, ps_two two)
{
        int are_known = isfinite(two.measured) && isfinite(two.predicted);

        put_seconds(row, "measured_s", two.measured);
        put_seconds(row, "predicted_s", two.predicted);
        ps_row_known(seconds, row, "difference_s", two.predicted - two.measured, are_known);
        put_share(row, "error", ps_errors_signed(two));
}

static void put_two(ps_row *row, const char *key, ps_two two)
{
        ps_row_open(row, key, '{');
        put_members(row, two);
        ps_row_close(row, '}');
}

static void put_errors(ps_row *row, const ps_errors *e)
{
        ps_row_open(row, "errors", '{');
        ps_row_u64(row, "n", e->n);
        ps_row_u64(row, "below_resolution", e->n_below);
        put_seconds(row, "measured_s", e->measured_s);
        put_seconds(row, "predicted_s", e->predicted_s);
        put_share(row, "total", e->total);
        put_share(row, "mape", e->mape);
        put_share(row, "wape", e->wape);
        put_share(row, "smape", e->smape);
        put_share(row, "mean_log", e->mean_log);
        put_share(row, "max_log", e->max_log);
        put_share(row, "geometric_ratio", e->ratio);
        put_share(row, "rmse_s", e->rmse_s);
        put_share(row, "cancellation", e->cancellation);
        ps_row_close(row, '}');
}

static void put_where(ps_row *row, int in_measured, int in_predicted)
{
        ps_row_text(row, "in", in_measured && in_predicted ? "both" : in_measured ? "measured" : "predicted");
}

static void put_counts(ps_row *row, uint64_t both, const uint64_t only[PS_SIDES])
{
        ps_row_u64(row, "both", both);
        ps_row_u64(row, "only_measured", only[PS_MEASURED]);
        ps_row_u64(row, "only_predicted", only[PS_PREDICTED]);
}

/* A member of the document begins. */
static ps_row begin(ps_output *out)
{
        ps_output_puts(out, ",\n");
        return (ps_row){.out = out};
}

/* -- the runs -- */

static void put_run(ps_output *out, const char *key, const ps_run *run)
{
        ps_row row = begin(out);

        ps_row_open(&row, key, '{');
        ps_row_text(&row, "path", run->path);
        ps_row_text(&row, "source", run->is_saved ? "report" : "trace");
        ps_row_known(text, &row, "trace_path", run->trace_path, *run->trace_path);
        ps_row_text(&row, "timing", run->is_predicted ? "predicted" : "measured");
        ps_row_text(&row, "format", run->format);
        ps_row_text(&row, "creator", run->creator);
        ps_row_u64(&row, "processes", run->processes);
        ps_row_known(u64, &row, "processors", run->n_processors, run->has_shares);
        ps_row_u64(&row, "operations", run->operations);
        ps_row_u64(&row, "messages", run->messages);
        put_seconds(&row, "duration_s", run->duration_s);
        ps_row_known(u64, &row, "resolution_hz", run->resolution_hz, run->resolution_hz);
        ps_row_u64(&row, "violations", run->violations);
        ps_row_bool(&row, "partial", run->is_partial);
        ps_row_text(&row, "machine", run->machine);
        ps_row_text(&row, "formula", run->formula);
        ps_row_text(&row, "machine_source", run->machine_source);
        ps_row_close(&row, '}');
}

static void put_settings(ps_output *out, const ps_compare *c)
{
        ps_row row = begin(out);

        ps_row_open(&row, "settings", '{');
        put_share(&row, "tolerance", c->options.tolerance);
        put_seconds(&row, "resolution_s", c->floor_s);
        ps_row_bool(&row, "rank_map", c->options.processors != NULL);
        ps_row_close(&row, '}');
}

static void put_total(ps_output *out, const ps_compare *c)
{
        ps_row row = begin(out);

        ps_row_open(&row, "total", '{');
        put_members(&row, c->duration);
        put_share(&row, "ratio",
                  c->duration.measured > 0 ? c->duration.predicted / c->duration.measured : NAN);
        ps_row_close(&row, '}');
}

static void put_parts(ps_output *out, const ps_compare *c)
{
        ps_row row = begin(out);

        if (isnan(c->part[0].measured) || isnan(c->part[0].predicted)) {
                ps_row_null(&row, "components");
                return;
        }
        ps_row_open(&row, "components", '[');
        for (int part = 0; part < PS_PARTS; part++) {
                ps_two two = c->part[part];
                ps_row_open(&row, NULL, '{');
                ps_row_text(&row, "id", ps_parts[part].key);
                put_members(&row, two);
                put_share(&row, "share", ps_compare_share(c, two.predicted - two.measured));
                ps_row_close(&row, '}');
        }
        ps_row_close(&row, ']');
}

/* -- intervals -- */

/* Titles, outermost first. They are told innermost first by the tree: it is walked from the top, by levels.
 */
static void put_path(ps_row *row, const ps_compare *c, const ps_compared_interval *i)
{
        int side = i->row[PS_MEASURED] == PS_NONE ? PS_PREDICTED : PS_MEASURED;
        const ps_run *run = c->run[side];
        char title[PS_RUN_TITLE_ROOM];
        enum { DEEPEST = 64 };
        uint32_t above[DEEPEST];
        unsigned n = 0;

        for (uint32_t at = i->row[side]; at != PS_NONE && at && n < DEEPEST;
             at = run->intervals.row[at].parent)
                above[n++] = at;
        ps_row_open(row, "path", '[');
        while (n--)
                ps_row_text(row, NULL, ps_run_title(title, run, above[n]));
        ps_row_close(row, ']');
}

static void put_interval(ps_row *row, const ps_compare *c, const ps_compared_interval *i)
{
        const ps_run_interval *from = ps_compare_interval_row(c, i);
        uint32_t worst = i->worst;

        ps_row_open(row, NULL, '{');
        put_path(row, c, i);
        ps_row_text(row, "type", from->type);
        ps_row_text(row, "name", from->name);
        ps_row_text(row, "file", from->file);
        ps_row_known(u64, row, "line", from->line, from->line);
        ps_row_known(i64, row, "index", from->index, from->has_index);
        ps_row_u64(row, "level", from->level);
        put_where(row, i->row[PS_MEASURED] != PS_NONE, i->row[PS_PREDICTED] != PS_NONE);
        put_members(row, i->execution);
        put_two(row, "work", i->work);
        put_two(row, "wait", i->wait);
        ps_row_known(u64, row, "worst_rank", worst, worst != PS_NONE);
        if (worst != PS_NONE)
                put_two(row, "worst_work", i->worst_work);
        else
                ps_row_null(row, "worst_work");
        ps_row_known(u64, row, "operations_only_measured", i->unmatched[PS_MEASURED], c->operations.is_known);
        ps_row_known(u64, row, "operations_only_predicted", i->unmatched[PS_PREDICTED],
                     c->operations.is_known);
        ps_row_bool(row, "below_resolution", i->is_below);
        ps_row_bool(row, "exceeded", i->is_exceeded);
        ps_row_close(row, '}');
}

static void put_intervals(ps_output *out, const ps_compare *c)
{
        ps_row row = begin(out);

        if (!c->intervals.n) {
                ps_row_null(&row, "intervals");
                return;
        }
        ps_row_open(&row, "intervals", '{');
        put_counts(&row, c->matched_intervals, c->unmatched_intervals);
        put_errors(&row, &c->interval_errors);
        ps_row_open(&row, "rows", '[');
        for (uint32_t i = 0; i < c->intervals.n && !ps_output_failed(out); i++) {
                ps_output_putc(out, '\n');
                put_interval(&row, c, &c->intervals.row[i]);
        }
        ps_row_close(&row, ']');
        ps_row_close(&row, '}');
}

static void put_contributions(ps_output *out, const ps_compare *c)
{
        ps_row row = begin(out);

        ps_row_open(&row, "contributions", '[');
        for (unsigned i = 0; i < c->n_contributions; i++) {
                const ps_contribution *one = &c->contribution[i];
                ps_row_open(&row, NULL, '{');
                ps_row_text(&row, "component", ps_parts[one->part].key);
                if (one->interval != PS_NONE)
                        put_path(&row, c, &c->intervals.row[one->interval]);
                else
                        ps_row_null(&row, "path");
                put_seconds(&row, "difference_s", one->difference_s);
                put_share(&row, "share", ps_compare_share(c, one->difference_s));
                ps_row_close(&row, '}');
        }
        ps_row_close(&row, ']');
}

/* -- ranks, operations, messages -- */

static void put_ranks(ps_output *out, const ps_compare *c)
{
        ps_row row = begin(out);

        if (!c->ranks.n) {
                ps_row_null(&row, "ranks");
                return;
        }
        ps_row_open(&row, "ranks", '{');
        put_share(&row, "spearman", c->spearman);
        put_share(&row, "imbalance_measured", c->imbalance.measured);
        put_share(&row, "imbalance_predicted", c->imbalance.predicted);
        put_errors(&row, &c->rank_errors);
        ps_row_open(&row, "rows", '[');
        for (uint32_t i = 0; i < c->ranks.n && !ps_output_failed(out); i++) {
                const ps_compared_rank *rank = &c->ranks.row[i];
                ps_row_open(&row, NULL, '{');
                ps_row_u64(&row, "measured", rank->processor[PS_MEASURED]);
                ps_row_u64(&row, "predicted", rank->processor[PS_PREDICTED]);
                put_two(&row, "compute", rank->compute);
                put_two(&row, "work", rank->work);
                put_two(&row, "wait", rank->wait);
                ps_row_close(&row, '}');
        }
        ps_row_close(&row, ']');
        ps_row_close(&row, '}');
}

static void put_operations(ps_output *out, const ps_compare *c)
{
        const ps_compared_operations *o = &c->operations;
        ps_row row = begin(out);

        if (!o->is_known) {
                ps_row_null(&row, "operations");
                return;
        }
        ps_row_open(&row, "operations", '{');
        put_counts(&row, o->matched, o->unmatched);
        ps_row_u64(&row, "ranks_with_differences", o->by_differences);
        ps_row_u64(&row, "ranks_by_counts", o->by_counts);
        if (!o->parts_ways) {
                ps_row_null(&row, "parting");
        } else {
                ps_row_open(&row, "parting", '{');
                ps_row_u64(&row, "rank", o->at_processor);
                ps_row_text(&row, "call", o->at_call);
                put_members(&row, o->at);
                ps_row_close(&row, '}');
        }
        ps_row_close(&row, '}');
}

static void put_size(ps_row *row, const ps_compared_size *size)
{
        ps_row_open(row, NULL, '{');
        ps_row_u64(row, "least_bytes", size->least_bytes);
        ps_row_u64(row, "most_bytes", size->most_bytes);
        ps_row_u64(row, "n", size->n);
        put_two(row, "median", size->median);
        put_errors(row, &size->errors);
        if (size->worst_to == PS_NONE) {
                ps_row_null(row, "worst");
        } else {
                ps_row_open(row, "worst", '{');
                ps_row_known(u64, row, "from", size->worst_from, size->worst_from != PS_NONE);
                ps_row_u64(row, "to", size->worst_to);
                put_members(row, size->worst);
                ps_row_close(row, '}');
        }
        ps_row_close(row, '}');
}

static void put_messages(ps_output *out, const ps_compare *c)
{
        ps_row row = begin(out);

        if (!c->operations.is_known) {
                ps_row_null(&row, "messages");
                return;
        }
        ps_row_open(&row, "messages", '{');
        put_errors(&row, &c->message_errors);
        ps_row_open(&row, "sizes", '[');
        for (uint32_t i = 0; i < c->sizes.n; i++)
                put_size(&row, &c->sizes.row[i]);
        ps_row_close(&row, ']');
        ps_row_close(&row, '}');
}

/* -- patterns and findings -- */

static int have_findings(const ps_compare *c)
{
        return c->run[PS_MEASURED]->has_findings && c->run[PS_PREDICTED]->has_findings;
}

static void put_patterns(ps_output *out, const ps_compare *c)
{
        ps_row row = begin(out);

        if (!have_findings(c)) {
                ps_row_null(&row, "patterns");
                return;
        }
        ps_row_open(&row, "patterns", '[');
        for (uint32_t i = 0; i < c->patterns.n && !ps_output_failed(out); i++) {
                const ps_compared_pattern *p = &c->patterns.row[i];
                const ps_run_pattern *m = p->row[PS_MEASURED], *q = p->row[PS_PREDICTED];
                ps_row_open(&row, NULL, '{');
                ps_row_text(&row, "id", ps_compare_pattern_row(p)->id);
                ps_row_text(&row, "title", ps_compare_pattern_row(p)->title);
                ps_row_bool(&row, "is_view", ps_compare_pattern_row(p)->is_view);
                put_members(&row, p->lost);
                ps_row_known(u64, &row, "count_measured", m->count, m);
                ps_row_known(u64, &row, "count_predicted", q->count, q);
                ps_row_close(&row, '}');
        }
        ps_row_close(&row, ']');
}

static void put_site(ps_row *row, const ps_compared_site *site)
{
        const ps_run_site *from = ps_compare_site_row(site);
        char hex[17];

        for (int i = 0; i < 16; i++)
                hex[i] = "0123456789abcdef"[from->site >> (60 - 4 * i) & 15];
        hex[16] = '\0';
        ps_row_open(row, NULL, '{');
        ps_row_text(row, "site", hex);
        ps_row_text(row, "type", from->type);
        ps_row_text(row, "call", from->call);
        ps_row_text(row, "file", from->file);
        ps_row_known(u64, row, "line", from->line, from->line);
        put_where(row, site->row[PS_MEASURED] != NULL, site->row[PS_PREDICTED] != NULL);
        put_members(row, site->lost);
        ps_row_close(row, '}');
}

static void put_findings(ps_output *out, const ps_compare *c)
{
        ps_row row = begin(out);

        if (!have_findings(c)) {
                ps_row_null(&row, "findings");
                return;
        }
        ps_row_open(&row, "findings", '{');
        put_counts(&row, c->sites_in_both, c->sites_only);
        ps_row_open(&row, "rows", '[');
        for (uint32_t i = 0; i < c->sites.n && !ps_output_failed(out); i++) {
                ps_output_putc(out, '\n');
                put_site(&row, &c->sites.row[i]);
        }
        ps_row_close(&row, ']');
        ps_row_close(&row, '}');
}

/* -- the whole -- */

static void put_verdict(ps_output *out, const ps_compare *c)
{
        char room[PS_COMPARE_NOTE_ROOM];
        ps_row row = begin(out);

        ps_row_open(&row, "notes", '[');
        for (unsigned i = 0; ps_compare_note(room, c, i); i++)
                ps_row_text(&row, NULL, ps_compare_note(room, c, i));
        ps_row_close(&row, ']');
        row = begin(out);
        ps_row_open(&row, "verdict", '{');
        ps_row_text(&row, "result",
                    ps_compare_is_unusable(c)                    ? "unusable"
                    : isnan(c->options.tolerance)                ? NULL
                    : c->total_exceeded || c->intervals_exceeded ? "exceeded"
                                                                 : "within");
        ps_row_bool(&row, "total_exceeded", c->total_exceeded);
        ps_row_u64(&row, "intervals_exceeded", c->intervals_exceeded);
        ps_row_bool(&row, "partial", c->is_partial);
        ps_row_close(&row, '}');
}

ps_status ps_compare_write_json(const ps_compare *c, ps_output *out, ps_error *err)
{
        (void)err;
        ps_output_puts(out, "{\n\"schema\": \"patscan-compare-1\",\n"
                            "\"tool\": {\"name\": \"patscan\", \"version\": \"" PS_VERSION "\"}");
        put_run(out, "measured", c->run[PS_MEASURED]);
        put_run(out, "predicted", c->run[PS_PREDICTED]);
        put_settings(out, c);
        put_total(out, c);
        put_parts(out, c);
        put_contributions(out, c);
        put_intervals(out, c);
        put_ranks(out, c);
        put_operations(out, c);
        put_messages(out, c);
        put_patterns(out, c);
        put_findings(out, c);
        put_verdict(out, c);
        ps_output_puts(out, "\n}\n");
        return PS_OK;
}
