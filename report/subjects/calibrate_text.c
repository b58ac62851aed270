/* calibrate_text.c - a calibration for people: what the samples are, the lines through them, the parameters
 * with their limits, what was left out and what nobody can tell. */
#include "report/print/text.h"
#include "report/subjects/calibrate.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
        LABEL_COLUMNS = 12,
        NAME_COLUMNS_LEAST = 23,
        VALUE_COLUMNS = 12,
        COUNT_COLUMNS = 9,
        LINE_INDENT = 2 + LABEL_COLUMNS + 8 + 2,
        NAME_ROOM = 80,
        TEXT_ROOM = 3 * PS_NUMBER_ROOM,
        REPLAY_INDENT = 38,
        WIDTH_MAX = 110
};

static unsigned width_of(const ps_output *out)
{
        return ps_output_width(out) < WIDTH_MAX ? ps_output_width(out) : WIDTH_MAX;
}

/* "20.01 us"; "?" for what is not known. */
static const char *amount(char room[PS_NUMBER_ROOM], ps_amount type, double value)
{
        char text[PS_NUMBER_ROOM];
        if (isnan(value))
                return strcpy(room, "?");
        /* Four digits are more than any measurement has. */
        if (type != PS_A_BYTES && value > 0 && isfinite(value)) {
                double unit = pow(10, floor(log10(value)) - 3);
                value = unit > 0 ? round(value / unit) * unit : value;
        }
        ps_amount_print(text, sizeof(text), "", type, value);
        return strcpy(room, text + 3); /* without ", =" */
}

/* -- samples -- */

static void put_class(ps_output *out, const ps_class_fit *cls, const char *name)
{
        char room[PS_NUMBER_ROOM];
        const ps_fit *way = &cls->fit[PS_SAMPLE_ONE_WAY];
        if (!cls->n_pairs)
                return;
        ps_output_printf(out, "  %-*s", LABEL_COLUMNS, name);
        ps_text_count(room, cls->n_pairs);
        ps_output_printf(out, "%*s", COUNT_COLUMNS, room);
        for (int kind = 0; kind < PS_N_SAMPLE_KINDS; kind++) {
                ps_text_count(room, cls->fit[kind].n_samples);
                ps_output_printf(out, "%*s", COUNT_COLUMNS, room);
        }
        ps_output_printf(out, "%*" PRIu32, COUNT_COLUMNS, way->n_sizes);
        if (way->n_sizes)
                ps_output_printf(out, "  %.16g..%.16g B", way->least_bytes, way->most_bytes);
        ps_output_putc(out, '\n');
}

static void put_samples(ps_output *out, const ps_calibrate_report *r)
{
        static const char *const heads[] = {"pairs", "one-way", "send", "receive", "sizes"};
        char room[PS_NUMBER_ROOM];
        if (r->samples->n_messages) {
                ps_text_write_label(out, "Messages", LABEL_COLUMNS);
                ps_text_count(room, r->samples->n_messages);
                ps_output_printf(out, "%s; each end of each was looked at\n", room);
        }
        if (!r->calibration->cls[PS_CLASS_ALL].n_pairs)
                return;
        ps_output_putc(out, '\n');
        ps_output_style(out, PS_BOLD);
        ps_output_printf(out, "%-*s", 2 + LABEL_COLUMNS, "Samples");
        for (size_t i = 0; i < sizeof(heads) / sizeof(heads[0]); i++)
                ps_output_printf(out, "%*s", COUNT_COLUMNS, heads[i]);
        ps_output_puts(out, "\n");
        ps_output_style(out, PS_PLAIN);
        for (int cls = 0; cls < PS_N_CLASSES; cls++)
                put_class(out, &r->calibration->cls[cls], ps_class_names[cls]);
}

/* -- lines -- */

static const char *line_text(char room[TEXT_ROOM], const ps_fit *fit, const ps_fit_line *line)
{
        char fixed[PS_NUMBER_ROOM], per_byte[PS_NUMBER_ROOM];
        amount(fixed, PS_A_SECONDS, line->fixed_s);
        amount(per_byte, PS_A_SECONDS_PER_BYTE, line->per_byte_s);
        snprintf(room, TEXT_ROOM, "%s%s%s", fit->has_fixed || !fit->has_per_byte ? fixed : "",
                 fit->has_fixed && fit->has_per_byte ? " + " : "", fit->has_per_byte ? per_byte : "");
        return room;
}

static void put_segments(ps_output *out, const ps_fit *fit)
{
        for (uint32_t i = 0; i < fit->n_segments && fit->n_segments > 1; i++) {
                const ps_fit_segment *s = &fit->segment[i];
                char line[TEXT_ROOM];
                ps_output_printf(out, "%*s%.16g..%.16g B: %s%s\n", LINE_INDENT, "", s->least_bytes,
                                 s->most_bytes, line_text(line, fit, &s->line),
                                 i + 1 < fit->n_segments ? ", then a breakpoint" : "");
        }
}

static const char *many(char room[TEXT_ROOM], uint64_t n, const char *what)
{
        char count[PS_NUMBER_ROOM];
        ps_text_count(count, n);
        snprintf(room, TEXT_ROOM, "%s %s%s", count, what, n == 1 ? "" : "s");
        return room;
}

/* "medians 1.92 times the least": how far they scatter. One sample has none. */
static void put_fit(ps_output *out, const ps_fit *fit, const char *cls, const char *kind)
{
        char fast[TEXT_ROOM], typical[TEXT_ROOM], samples[TEXT_ROOM];
        char sizes[TEXT_ROOM], r_squared[PS_NUMBER_ROOM] = "", spread[PS_NUMBER_ROOM + 16] = "";
        if (!fit->n_sizes)
                return;
        if (!isnan(fit->r_squared))
                snprintf(r_squared, sizeof(r_squared), ", R2 %.4f", fit->r_squared);
        if (fit->n_samples > 1)
                snprintf(spread, sizeof(spread), ", medians %.3g times the least", fit->spread);
        ps_output_printf(out, "  %-*s%-8s  ", LABEL_COLUMNS, cls, kind);
        ps_output_printf(out, "%s; typical %s\n    ", line_text(fast, fit, &fit->fast),
                         line_text(typical, fit, &fit->typical));
        ps_text_wrapf(out, 4, "%s of %s%s%s", many(samples, fit->n_samples, "sample"),
                      many(sizes, fit->n_sizes, "size"), r_squared, spread);
        ps_output_putc(out, '\n');
        put_segments(out, fit);
}

static void put_own(ps_output *out, const ps_class_fit *cls, const char *name)
{
        char a[PS_NUMBER_ROOM], b[PS_NUMBER_ROOM], c[PS_NUMBER_ROOM], d[PS_NUMBER_ROOM];
        if (cls->n_own < 2)
                return;
        ps_output_printf(out, "  %-*s%-8s  ", LABEL_COLUMNS, name, "by pair");
        ps_text_wrapf(out, LINE_INDENT, "%s..%s + %s..%s; %" PRIu64 " pairs with three sizes or more",
                      amount(a, PS_A_SECONDS, cls->own_fixed[0]), amount(b, PS_A_SECONDS, cls->own_fixed[1]),
                      amount(c, PS_A_SECONDS_PER_BYTE, cls->own_per_byte[0]),
                      amount(d, PS_A_SECONDS_PER_BYTE, cls->own_per_byte[1]), cls->n_own);
        ps_output_putc(out, '\n');
}

static void put_lines(ps_output *out, const ps_calibration *c)
{
        if (!c->cls[PS_CLASS_ALL].n_pairs)
                return;
        ps_text_write_heading(out, "Lines through the least times (typical: through the medians)");
        for (int cls = 0; cls < PS_CLASS_ALL; cls++) {
                for (int kind = 0; kind < PS_N_SAMPLE_KINDS; kind++)
                        put_fit(out, &c->cls[cls].fit[kind], ps_class_names[cls], ps_sample_names[kind]);
                put_own(out, &c->cls[cls], ps_class_names[cls]);
        }
}

/* -- the machine -- */

static void full_name(char room[NAME_ROOM], const ps_calibrated *row)
{
        snprintf(room, NAME_ROOM, "%s%s%s", row->where, *row->where ? "." : "", row->name);
}

static unsigned name_columns(const ps_calibration *c)
{
        unsigned most = NAME_COLUMNS_LEAST;
        char name[NAME_ROOM];
        for (uint32_t i = 0; i < c->n_rows; i++) {
                full_name(name, &c->row[i]);
                most = strlen(name) > most ? (unsigned)strlen(name) : most;
        }
        return most;
}

/* "12 us to 14 us  typical 13 us", or why there is no more to say. */
static void put_limits(ps_output *out, const ps_calibrated *row, unsigned indent)
{
        char low[PS_NUMBER_ROOM], high[PS_NUMBER_ROOM], typical[PS_NUMBER_ROOM],
                text[6 * PS_NUMBER_ROOM] = "";
        int n = row->is_assumed ? snprintf(text, sizeof(text), "not identified") : 0;
        amount(low, row->type, row->low);
        amount(high, row->type, row->high);
        if (row->n_values > 1)
                n += snprintf(text + n, sizeof(text) - (size_t)n, "%smedian of %" PRIu32 ", %s to %s",
                              n ? "; " : "", row->n_values, low, high);
        else if (!isnan(row->low) && !isnan(row->high))
                n += snprintf(text + n, sizeof(text) - (size_t)n, "%s%s to %s", n ? "; " : "", low, high);
        if (!isnan(row->typical))
                snprintf(text + n, sizeof(text) - (size_t)n, "%stypical %s", n ? "; " : "",
                         amount(typical, row->type, row->typical));
        if (*text)
                ps_output_puts(out, "  ");
        ps_text_wrapf(out, indent + 2, "%s", text);
}

static void put_value(ps_output *out, const char *name, unsigned columns, const char *value)
{
        ps_output_printf(out, "  %-*s%*s", (int)columns, name, VALUE_COLUMNS, value);
}

/* What is sure whatever the triples say. */
static void put_sums(ps_output *out, const ps_calibration *c, unsigned columns)
{
        static const char *const names[2] = {"C[i] + L + C[j]", "t[i] + 1/B + t[j]"};
        static const ps_amount types[2] = {PS_A_SECONDS, PS_A_SECONDS_PER_BYTE};
        for (int f = 0; f < 2; f++) {
                char median[PS_NUMBER_ROOM], least[PS_NUMBER_ROOM], most[PS_NUMBER_ROOM];
                put_value(out, names[f], columns, amount(median, types[f], c->sum[f].median));
                ps_output_puts(out, "  ");
                ps_text_wrapf(out, 2 + columns + VALUE_COLUMNS + 2, "median of all pairs, %s to %s",
                              amount(least, types[f], c->sum[f].least),
                              amount(most, types[f], c->sum[f].most));
                ps_output_putc(out, '\n');
        }
}

/* How far the numbers bear out one another. */
static void put_scatter(ps_output *out, const ps_calibration *c)
{
        if (!isnan(c->triple_spread_fixed)) {
                ps_output_puts(out, "  ");
                ps_text_wrapf(out, 2,
                              "single triples scatter about the means by %.3g %% (processing_s) and %.3g %% "
                              "(processing_s_per_byte)",
                              100 * c->triple_spread_fixed, 100 * c->triple_spread_per_byte);
                ps_output_putc(out, '\n');
        }
        if (!isnan(c->worst_pair)) {
                ps_output_puts(out, "  ");
                ps_text_wrapf(out, 2,
                              "the round trips of pairs come back from the triples with an error of %.2f %% "
                              "at most",
                              100 * c->worst_pair);
                ps_output_putc(out, '\n');
        }
}

static void put_parameters(ps_output *out, const ps_calibrate_report *r)
{
        char room[TEXT_ROOM], name[NAME_ROOM];
        const ps_calibration *c = r->calibration;
        unsigned columns = name_columns(c);
        ps_text_write_heading(out, "Parameters (with the limits within which they lie with 95 %)");
        for (uint32_t i = 0; i < c->n_rows; i++) {
                const ps_calibrated *row = &c->row[i];
                full_name(name, row);
                put_value(out, name, columns, amount(room, row->type, row->value));
                put_limits(out, row, 2 + columns + VALUE_COLUMNS);
                ps_output_putc(out, '\n');
        }
        put_scatter(out, c);
        if (c->has_sums)
                put_sums(out, c, columns);
        if (!isnan(c->repeat_spread))
                ps_output_printf(out, "  medians of repetitions are %.3g times their least\n",
                                 c->repeat_spread);
        if (c->n_clamped)
                ps_output_printf(out, "  %s came out negative\n", many(room, c->n_clamped, "value"));
}

static void put_replay(ps_output *out, const ps_calibrate_replay *replay)
{
        char measured[PS_NUMBER_ROOM], replayed[PS_NUMBER_ROOM];
        ps_text_duration(measured, replay->measured);
        ps_text_duration(replayed, replay->replayed);
        ps_output_puts(out, "  replayed on the calibrated machine: ");
        if (replay->never_ends)
                ps_output_puts(out, "it never ends");
        else
                ps_text_wrapf(out, REPLAY_INDENT, "%s, measured %s, drift %+.3f %%", replayed, measured,
                              100 * ((double)replay->replayed / (double)replay->measured - 1));
        ps_output_putc(out, '\n');
}

static void put_wrapped(ps_output *out, const char *mark, const char *text)
{
        ps_output_printf(out, "  %s ", mark);
        ps_text_wrap(out, text, 3 + (unsigned)strlen(mark), width_of(out));
        ps_output_putc(out, '\n');
}

/* -- what is missing -- */

static void put_clocks(ps_output *out, const ps_sample_clocks *clocks)
{
        char room[PS_NUMBER_ROOM], pairs[TEXT_ROOM];
        if (!clocks->n_both && !clocks->n_single && !clocks->n_refused)
                return;
        ps_text_write_heading(out, "Clocks");
        if (clocks->n_both) {
                ps_output_puts(out, "  ");
                ps_text_wrapf(
                        out, 2,
                        "%s measured in both directions; the largest difference that was taken out is %s",
                        many(pairs, clocks->n_both, "pair"), amount(room, PS_A_SECONDS, clocks->largest_s));
                ps_output_putc(out, '\n');
        }
        if (clocks->n_single)
                ps_output_printf(out, "  %s in one direction, taken as %s\n",
                                 many(pairs, clocks->n_single, "pair"),
                                 clocks->n_single == 1 ? "it is" : "they are");
        if (clocks->n_refused)
                ps_output_printf(out, "  %s in one direction, not used\n",
                                 many(pairs, clocks->n_refused, "pair"));
}

static void put_unused(ps_output *out, const ps_samples *samples)
{
        char room[PS_NUMBER_ROOM];
        uint64_t n = samples->n_collectives;
        for (int i = 0; i < PS_N_UNUSED; i++)
                n += samples->unused[i];
        if (!n)
                return;
        ps_text_write_heading(out, "Not used");
        for (int i = 0; i < PS_N_UNUSED; i++) {
                if (!samples->unused[i])
                        continue;
                ps_text_count(room, samples->unused[i]);
                ps_output_printf(out, "%*s  %s\n", COUNT_COLUMNS, room, ps_calibrate_reasons[i].text);
        }
        if (!samples->n_collectives)
                return;
        ps_text_count(room, samples->n_collectives);
        ps_output_printf(out, "%*s  collective operations\n", COUNT_COLUMNS, room);
}

static void put_notes(ps_output *out, const ps_calibration *c)
{
        if (!c->notes)
                return;
        ps_text_write_heading(out, "What cannot be told");
        for (int i = 0; i < PS_N_NOTES; i++)
                if (c->notes >> i & 1)
                        put_wrapped(out, "-", ps_calibrate_notes[i].text);
}

static void put_inputs(ps_output *out, const ps_calibrate_report *r)
{
        for (unsigned i = 0; i < r->n_paths; i++) {
                ps_text_write_label(out, i ? "" : "Measured", LABEL_COLUMNS);
                ps_text_write(out, r->paths[i]);
                ps_output_putc(out, '\n');
        }
        ps_text_write_label(out, "Machine", LABEL_COLUMNS);
        if (r->formula) {
                ps_text_write(out, r->name);
                ps_output_printf(out, ", %s\n", ps_models[r->model].name);
        } else {
                ps_output_printf(out, "none of model %s\n%-*s", ps_models[r->model].name, LABEL_COLUMNS, "");
                ps_text_wrap(out, r->calibration->refusal, LABEL_COLUMNS, width_of(out));
                ps_output_putc(out, '\n');
        }
}

ps_status ps_calibrate_write_text(const ps_calibrate_report *r, ps_output *out, ps_error *err)
{
        (void)err;
        put_inputs(out, r);
        put_samples(out, r);
        put_lines(out, r->calibration);
        if (r->formula) {
                put_parameters(out, r);
                put_wrapped(out, "formula:", r->formula);
                if (r->replay)
                        put_replay(out, r->replay);
        }
        put_clocks(out, &r->samples->clocks);
        put_unused(out, r->samples);
        put_notes(out, r->calibration);
        return PS_OK;
}
