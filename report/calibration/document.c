/* document.c - a calibration for people: what the samples are, the lines through them, the parameters with
 * their limits, what was left out and what nobody can tell. */
#include "report/document/document.h"
#include "report/calibration/calibration.h"
#include "report/print/text.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* "20.01 us"; "?" for what is not known. */
static const char *amount(char room[PS_NUMBER_ROOM], ps_amount type, double value)
{
        if (isnan(value))
                return memcpy(room, "?", sizeof("?"));
        /* Four digits are more than any measurement has. */
        if (type != PS_A_BYTES && value > 0 && isfinite(value)) {
                double unit = pow(10, floor(log10(value)) - 3);
                value = unit > 0 ? round(value / unit) * unit : value;
        }
        ps_amount_print(room, PS_NUMBER_ROOM, "", type, value);
        return memmove(room, room + 3, strlen(room + 3) + 1); /* without ", =" */
}

static void put_amount(ps_doc *doc, ps_amount type, double value)
{
        char room[PS_NUMBER_ROOM];

        ps_doc_put(doc, PS_DOC_PLAIN, amount(room, type, value));
}

static const ps_calibration *calibration_of(const void *subject)
{
        return ((const ps_calibrate_report *)subject)->calibration;
}

/* -- what was read -- */

static ps_status put_inputs(ps_doc *doc, const void *subject, ps_error *err)
{
        const ps_calibrate_report *r = subject;

        (void)err;
        for (unsigned i = 0; i < r->n_paths; i++)
                ps_doc_term(doc, i ? "" : "Measured", PS_DOC_PLAIN, r->paths[i]);
        ps_doc_begin_term(doc, "Machine");
        if (r->formula)
                ps_doc_putf(doc, PS_DOC_PLAIN, "%s, %s", r->name, ps_models[r->model].name);
        else
                ps_doc_putf(doc, PS_DOC_PLAIN, "none of model %s: %s", ps_models[r->model].name,
                            r->calibration->refusal);
        ps_doc_end(doc);
        if (r->samples->n_messages) {
                ps_doc_begin_term(doc, "Messages");
                ps_doc_put_count(doc, PS_DOC_PLAIN, r->samples->n_messages);
                ps_doc_put(doc, PS_DOC_PLAIN, "; both ends of each were looked at");
                ps_doc_end(doc);
        }
        return PS_OK;
}

/* -- samples -- */

static bool has_samples(const void *subject)
{
        return calibration_of(subject)->cls[PS_CLASS_ALL].n_pairs > 0;
}

static ps_status put_samples(ps_doc *doc, const void *subject, ps_error *err)
{
        (void)err;
        ps_doc_begin_table(doc, PS_DOC_TABLE, "Samples",
                           "Class|=Pairs|=One-way|=Send|=Receive|=Sizes|?From and to");
        for (int i = 0; i < PS_N_CLASSES; i++) {
                const ps_class_fit *cls = &calibration_of(subject)->cls[i];
                const ps_fit *way = &cls->fit[PS_SAMPLE_ONE_WAY];
                if (!cls->n_pairs)
                        continue;
                ps_doc_row(doc, 0);
                ps_doc_cell(doc, PS_DOC_PLAIN, ps_class_names[i]);
                ps_doc_cell_count(doc, cls->n_pairs);
                for (int kind = 0; kind < PS_N_SAMPLE_KINDS; kind++)
                        ps_doc_cell_count(doc, cls->fit[kind].n_samples);
                ps_doc_cell_count(doc, way->n_sizes);
                ps_doc_cell_begin(doc);
                if (way->n_sizes)
                        ps_doc_putf(doc, PS_DOC_PLAIN, "%.16g..%.16g B", way->least_bytes, way->most_bytes);
        }
        ps_doc_end_table(doc);
        return PS_OK;
}

/* -- lines -- */

static void put_line(ps_doc *doc, const ps_fit *fit, const ps_fit_line *line)
{
        bool has_fixed = fit->has_fixed || !fit->has_per_byte;

        if (has_fixed)
                put_amount(doc, PS_A_SECONDS, line->fixed_s);
        if (has_fixed && fit->has_per_byte)
                ps_doc_put(doc, PS_DOC_PLAIN, " + ");
        if (fit->has_per_byte)
                put_amount(doc, PS_A_SECONDS_PER_BYTE, line->per_byte_s);
}

static void begin_line(ps_doc *doc, const char *cls, const char *of)
{
        ps_doc_row(doc, 0);
        ps_doc_cell(doc, PS_DOC_PLAIN, cls);
        ps_doc_cell(doc, PS_DOC_PLAIN, of);
        ps_doc_cell_begin(doc);
}

/* "medians 1.92 times the least": how far they scatter. One sample has none. */
static void put_fit(ps_doc *doc, const ps_fit *fit, const char *cls, const char *kind)
{
        if (!fit->n_sizes)
                return;
        begin_line(doc, cls, kind);
        put_line(doc, fit, &fit->fast);
        ps_doc_put(doc, PS_DOC_PLAIN, "; typical ");
        put_line(doc, fit, &fit->typical);
        ps_doc_row_note(doc);
        ps_doc_put_many(doc, fit->n_samples, "sample", "samples");
        ps_doc_put(doc, PS_DOC_PLAIN, " of ");
        ps_doc_put_many(doc, fit->n_sizes, "size", "sizes");
        if (!isnan(fit->r_squared))
                ps_doc_putf(doc, PS_DOC_PLAIN, ", R2 %.4f", fit->r_squared);
        if (fit->n_samples > 1)
                ps_doc_putf(doc, PS_DOC_PLAIN, ", medians %.3g times the least", fit->spread);
        for (uint32_t i = 0; i < fit->n_segments && fit->n_segments > 1; i++) {
                const ps_fit_segment *s = &fit->segment[i];
                ps_doc_putf(doc, PS_DOC_PLAIN, "; %s%.16g..%.16g B: ", i ? "then a breakpoint, " : "",
                            s->least_bytes, s->most_bytes);
                put_line(doc, fit, &s->line);
        }
}

static void put_own(ps_doc *doc, const ps_class_fit *cls, const char *name)
{
        if (cls->n_own < 2)
                return;
        begin_line(doc, name, "by pair");
        put_amount(doc, PS_A_SECONDS, cls->own_fixed[0]);
        ps_doc_put(doc, PS_DOC_PLAIN, "..");
        put_amount(doc, PS_A_SECONDS, cls->own_fixed[1]);
        ps_doc_put(doc, PS_DOC_PLAIN, " + ");
        put_amount(doc, PS_A_SECONDS_PER_BYTE, cls->own_per_byte[0]);
        ps_doc_put(doc, PS_DOC_PLAIN, "..");
        put_amount(doc, PS_A_SECONDS_PER_BYTE, cls->own_per_byte[1]);
        ps_doc_putf(doc, PS_DOC_PLAIN, "; %" PRIu64 " pairs with three sizes or more", cls->n_own);
}

static ps_status put_lines(ps_doc *doc, const void *subject, ps_error *err)
{
        (void)err;
        ps_doc_begin_table(doc, PS_DOC_TABLE, "Lines through the least times (typical: through the medians)",
                           "Class|Of|*Line");
        for (int i = 0; i < PS_CLASS_ALL; i++) {
                const ps_class_fit *cls = &calibration_of(subject)->cls[i];
                for (int kind = 0; kind < PS_N_SAMPLE_KINDS; kind++)
                        put_fit(doc, &cls->fit[kind], ps_class_names[i], ps_sample_names[kind]);
                put_own(doc, cls, ps_class_names[i]);
        }
        ps_doc_end_table(doc);
        return PS_OK;
}

/* -- the machine -- */

static bool has_machine(const void *subject)
{
        return ((const ps_calibrate_report *)subject)->formula != NULL;
}

/* "12 us to 14 us; typical 13 us", or why there is no more to say. */
static void put_limits(ps_doc *doc, const ps_calibrated *row)
{
        const char *between = row->is_assumed ? "; " : "";

        ps_doc_put(doc, PS_DOC_PLAIN, row->is_assumed ? "not identified" : "");
        if (row->n_values > 1 || (!isnan(row->low) && !isnan(row->high))) {
                ps_doc_put(doc, PS_DOC_PLAIN, between);
                if (row->n_values > 1)
                        ps_doc_putf(doc, PS_DOC_PLAIN, "median of %" PRIu32 ", ", row->n_values);
                put_amount(doc, row->type, row->low);
                ps_doc_put(doc, PS_DOC_PLAIN, " to ");
                put_amount(doc, row->type, row->high);
                between = "; ";
        }
        if (!isnan(row->typical)) {
                ps_doc_putf(doc, PS_DOC_PLAIN, "%stypical ", between);
                put_amount(doc, row->type, row->typical);
        }
}

/* What is sure whatever the triples say. */
static void put_sums(ps_doc *doc, const ps_calibration *c)
{
        static const char *const names[2] = {"C[i] + L + C[j]", "t[i] + 1/B + t[j]"};
        static const ps_amount types[2] = {PS_A_SECONDS, PS_A_SECONDS_PER_BYTE};

        for (int f = 0; c->has_sums && f < 2; f++) {
                ps_doc_row(doc, 0);
                ps_doc_cell(doc, PS_DOC_PLAIN, names[f]);
                ps_doc_cell_begin(doc);
                put_amount(doc, types[f], c->sum[f].median);
                ps_doc_cell(doc, PS_DOC_PLAIN, "median of all pairs, ");
                put_amount(doc, types[f], c->sum[f].least);
                ps_doc_put(doc, PS_DOC_PLAIN, " to ");
                put_amount(doc, types[f], c->sum[f].most);
        }
}

/* How far the numbers bear out one another. */
static void put_scatter(ps_doc *doc, const ps_calibration *c)
{
        if (!isnan(c->triple_spread_fixed))
                ps_doc_say(doc, PS_DOC_P,
                           "Single triples scatter about the means by %.3g %% (processing_s) and %.3g %% "
                           "(processing_s_per_byte).",
                           100 * c->triple_spread_fixed, 100 * c->triple_spread_per_byte);
        if (!isnan(c->worst_pair))
                ps_doc_say(doc, PS_DOC_P,
                           "The round trips of pairs come back from the triples with an error of %.2f %% at "
                           "most.",
                           100 * c->worst_pair);
        if (!isnan(c->repeat_spread))
                ps_doc_say(doc, PS_DOC_P, "The median of repeated measurements is %.3g times the shortest.",
                           c->repeat_spread);
        if (c->n_clamped)
                ps_doc_say(doc, PS_DOC_P, "%" PRIu64 " value%s came out negative and became 0.",
                           (uint64_t)c->n_clamped, c->n_clamped == 1 ? "" : "s");
}

static void put_replay(ps_doc *doc, const ps_calibrate_replay *replay)
{
        ps_doc_begin_term(doc, "Replayed");
        if (replay->never_ends) {
                ps_doc_put(doc, PS_DOC_WARN, "on the calibrated machine it never ends");
        } else {
                ps_doc_put(doc, PS_DOC_PLAIN, "on the calibrated machine: ");
                ps_doc_put_time(doc, PS_DOC_PLAIN, replay->replayed);
                ps_doc_put(doc, PS_DOC_PLAIN, ", measured ");
                ps_doc_put_time(doc, PS_DOC_PLAIN, replay->measured);
                ps_doc_putf(doc, PS_DOC_PLAIN, ", drift %+.3f %%",
                            100 * ((double)replay->replayed / (double)replay->measured - 1));
        }
        ps_doc_end(doc);
}

static ps_status put_parameters(ps_doc *doc, const void *subject, ps_error *err)
{
        const ps_calibrate_report *r = subject;
        const ps_calibration *c = r->calibration;

        (void)err;
        ps_doc_begin_table(doc, PS_DOC_TABLE, "Parameters (with the limits within which they lie with 95 %)",
                           "Parameter|=Value|*Limits");
        for (uint32_t i = 0; i < c->n_rows; i++) {
                const ps_calibrated *row = &c->row[i];
                ps_doc_row(doc, 0);
                ps_doc_cellf(doc, PS_DOC_NAME, "%s%s%s", row->where, *row->where ? "." : "", row->name);
                ps_doc_cell_begin(doc);
                put_amount(doc, row->type, row->value);
                ps_doc_cell_begin(doc);
                put_limits(doc, row);
        }
        put_sums(doc, c);
        ps_doc_end_table(doc);
        put_scatter(doc, c);
        ps_doc_term(doc, "Formula", PS_DOC_PLAIN, r->formula);
        if (r->replay)
                put_replay(doc, r->replay);
        return PS_OK;
}

/* -- what is missing -- */

static bool has_clocks(const void *subject)
{
        const ps_sample_clocks *clocks = &((const ps_calibrate_report *)subject)->samples->clocks;

        return clocks->n_both || clocks->n_single || clocks->n_refused;
}

static void begin_pairs(ps_doc *doc, uint64_t n)
{
        ps_doc_begin(doc, PS_DOC_P);
        ps_doc_put_many(doc, n, "pair", "pairs");
}

static ps_status put_clocks(ps_doc *doc, const void *subject, ps_error *err)
{
        const ps_sample_clocks *clocks = &((const ps_calibrate_report *)subject)->samples->clocks;

        (void)err;
        if (clocks->n_both) {
                begin_pairs(doc, clocks->n_both);
                ps_doc_put(doc, PS_DOC_PLAIN,
                           " measured in both directions; the largest offset that was corrected is ");
                put_amount(doc, PS_A_SECONDS, clocks->largest_s);
                ps_doc_end(doc);
        }
        if (clocks->n_drifting) {
                begin_pairs(doc, clocks->n_drifting);
                ps_doc_put(doc, PS_DOC_PLAIN, " whose clocks run apart, corrected in windows of time");
                ps_doc_end(doc);
        }
        if (clocks->n_single) {
                begin_pairs(doc, clocks->n_single);
                ps_doc_putf(doc, PS_DOC_PLAIN, " in one direction, taken as %s",
                            clocks->n_single == 1 ? "it is" : "they are");
                ps_doc_end(doc);
        }
        if (clocks->n_refused) {
                begin_pairs(doc, clocks->n_refused);
                ps_doc_put(doc, PS_DOC_PLAIN, " in one direction, not used");
                ps_doc_end(doc);
        }
        return PS_OK;
}

static bool has_unused(const void *subject)
{
        const ps_samples *samples = ((const ps_calibrate_report *)subject)->samples;
        uint64_t n = samples->n_collectives;

        for (int i = 0; i < PS_N_UNUSED; i++)
                n += samples->unused[i];
        return n > 0;
}

static void put_reason(ps_doc *doc, uint64_t n, const char *reason)
{
        if (!n)
                return;
        ps_doc_row(doc, 0);
        ps_doc_cell_count(doc, n);
        ps_doc_cell(doc, PS_DOC_PLAIN, reason);
}

static ps_status put_unused(ps_doc *doc, const void *subject, ps_error *err)
{
        const ps_samples *samples = ((const ps_calibrate_report *)subject)->samples;

        (void)err;
        ps_doc_begin_table(doc, PS_DOC_TABLE, "", "=Count|*What");
        for (int i = 0; i < PS_N_UNUSED; i++)
                put_reason(doc, samples->unused[i], ps_calibrate_reasons[i].text);
        put_reason(doc, samples->n_collectives, "collective operations");
        ps_doc_end_table(doc);
        return PS_OK;
}

static bool has_notes(const void *subject)
{
        return calibration_of(subject)->notes != 0;
}

static ps_status put_calibration_notes(ps_doc *doc, const void *subject, ps_error *err)
{
        (void)err;
        for (int i = 0; i < PS_N_NOTES; i++)
                if (calibration_of(subject)->notes >> i & 1)
                        ps_doc_say(doc, PS_DOC_POINT, "%s", ps_calibrate_notes[i].text);
        return PS_OK;
}

static const ps_doc_section sections[] = {
        {"inputs", "What was measured", PS_DOC_UNTITLED, NULL, put_inputs},
        {"samples", "Samples", PS_DOC_UNTITLED, has_samples, put_samples},
        {"lines", "Lines", PS_DOC_UNTITLED, has_samples, put_lines},
        {"parameters", "Parameters", PS_DOC_UNTITLED, has_machine, put_parameters},
        {"clocks", "Clocks", 0, has_clocks, put_clocks},
        {"unused", "Not used", 0, has_unused, put_unused},
        {"notes", "What cannot be told", 0, has_notes, put_calibration_notes},
};

static ps_status write_calibration(ps_doc *doc, const void *subject, ps_error *err)
{
        const ps_calibrate_report *r = subject;

        ps_doc_title(doc, "calibrate", r->formula ? r->name : ps_models[r->model].name, NULL);
        return ps_doc_sections(doc, sections, sizeof(sections) / sizeof(*sections), subject, err);
}

PS_DOC_FORMATS(ps_calibrate_write, ps_calibrate_report, write_calibration)
