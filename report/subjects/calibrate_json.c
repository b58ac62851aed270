/* calibrate_json.c - a calibration for programs: docs/CALIBRATION.md. */
#include "report/subjects/calibrate.h"
#include "report/subjects/info_json.h"

#include <math.h>

static void put_line(ps_row *to, const char *key, const ps_fit *fit, const ps_fit_line *line)
{
        ps_row_open(to, key, '{');
        ps_row_real(to, "fixed_s", fit->has_fixed ? line->fixed_s : NAN);
        ps_row_real(to, "per_byte_s", fit->has_per_byte ? line->per_byte_s : NAN);
        ps_row_close(to, '}');
}

static void put_segments(ps_row *to, const ps_fit *fit)
{
        ps_row_open(to, "segments", '[');
        for (uint32_t i = 0; i < fit->n_segments; i++) {
                ps_row_open(to, NULL, '{');
                ps_row_real(to, "least_bytes", fit->segment[i].least_bytes);
                ps_row_real(to, "most_bytes", fit->segment[i].most_bytes);
                put_line(to, "line", fit, &fit->segment[i].line);
                ps_row_close(to, '}');
        }
        ps_row_close(to, ']');
}

static void put_fit(ps_row *to, const char *key, const ps_fit *fit)
{
        if (!fit->n_sizes) {
                ps_row_null(to, key);
                return;
        }
        ps_row_open(to, key, '{');
        ps_row_u64(to, "samples", fit->n_samples);
        ps_row_u64(to, "sizes", fit->n_sizes);
        ps_row_real(to, "least_bytes", fit->least_bytes);
        ps_row_real(to, "most_bytes", fit->most_bytes);
        put_line(to, "fast", fit, &fit->fast);
        put_line(to, "typical", fit, &fit->typical);
        ps_row_real(to, "fixed_low_s", fit->fixed_low);
        ps_row_real(to, "fixed_high_s", fit->fixed_high);
        ps_row_real(to, "per_byte_low_s", fit->per_byte_low);
        ps_row_real(to, "per_byte_high_s", fit->per_byte_high);
        ps_row_real(to, "r_squared", fit->r_squared);
        ps_row_real(to, "spread", fit->spread);
        put_segments(to, fit);
        ps_row_close(to, '}');
}

static void put_classes(ps_row *to, const ps_calibration *c)
{
        static const char *const keys[PS_N_SAMPLE_KINDS] = {"one_way", "send", "receive"};
        ps_row_open(to, "classes", '[');
        for (int i = 0; i < PS_N_CLASSES; i++) {
                const ps_class_fit *cls = &c->cls[i];
                ps_row_open(to, NULL, '{');
                ps_row_text(to, "class", ps_class_names[i]);
                ps_row_u64(to, "pairs", cls->n_pairs);
                for (int kind = 0; kind < PS_N_SAMPLE_KINDS; kind++)
                        put_fit(to, keys[kind], &cls->fit[kind]);
                ps_row_u64(to, "pairs_with_own_line", cls->n_own);
                ps_row_real(to, "own_fixed_least_s", cls->n_own ? cls->own_fixed[0] : NAN);
                ps_row_real(to, "own_fixed_most_s", cls->n_own ? cls->own_fixed[1] : NAN);
                ps_row_real(to, "own_per_byte_least_s", cls->n_own ? cls->own_per_byte[0] : NAN);
                ps_row_real(to, "own_per_byte_most_s", cls->n_own ? cls->own_per_byte[1] : NAN);
                ps_row_close(to, '}');
        }
        ps_row_close(to, ']');
}

static void put_parameters(ps_row *to, const ps_calibration *c)
{
        ps_row_open(to, "parameters", '[');
        for (uint32_t i = 0; i < c->n_rows; i++) {
                const ps_calibrated *p = &c->row[i];
                ps_row_open(to, NULL, '{');
                ps_row_text(to, "name", p->name);
                ps_row_text(to, "within", p->where);
                ps_row_bool(to, "identified", !p->is_assumed);
                ps_row_real(to, "value", p->value);
                ps_row_real(to, "low", p->low);
                ps_row_real(to, "high", p->high);
                ps_row_real(to, "typical", p->typical);
                ps_row_u64(to, "values", p->n_values);
                ps_row_u64(to, "samples", p->n_samples);
                ps_row_u64(to, "sizes", p->n_sizes);
                ps_row_close(to, '}');
        }
        ps_row_close(to, ']');
}

static void put_sums(ps_row *to, const ps_calibration *c)
{
        static const char *const keys[2] = {"fixed_s", "per_byte_s"};
        if (!c->has_sums) {
                ps_row_null(to, "sums");
                return;
        }
        ps_row_open(to, "sums", '{');
        for (int f = 0; f < 2; f++) {
                ps_row_open(to, keys[f], '{');
                ps_row_real(to, "median", c->sum[f].median);
                ps_row_real(to, "low", c->sum[f].least);
                ps_row_real(to, "high", c->sum[f].most);
                ps_row_close(to, '}');
        }
        ps_row_close(to, '}');
}

static void put_replay(ps_row *to, const ps_calibrate_replay *replay)
{
        if (!replay) {
                ps_row_null(to, "replay");
                return;
        }
        double measured = (double)replay->measured / (double)PS_PS_PER_S;
        double replayed = (double)replay->replayed / (double)PS_PS_PER_S;
        ps_row_open(to, "replay", '{');
        ps_row_real(to, "measured_s", measured);
        ps_row_real(to, "replayed_s", replay->never_ends ? NAN : replayed);
        ps_row_real(to, "drift", replay->never_ends ? NAN : replayed / measured - 1);
        ps_row_close(to, '}');
}

static void put_machine(ps_row *to, const ps_calibrate_report *r)
{
        const ps_calibration *c = r->calibration;
        ps_row_text(to, "refusal", c->refusal);
        if (!r->formula) {
                ps_row_null(to, "machine");
                return;
        }
        ps_row_open(to, "machine", '{');
        ps_row_text(to, "name", r->name);
        ps_row_text(to, "formula", r->formula);
        put_parameters(to, c);
        ps_row_u64(to, "clamped", c->n_clamped);
        ps_row_real(to, "triple_spread_processing", c->triple_spread_fixed);
        ps_row_real(to, "triple_spread_processing_per_byte", c->triple_spread_per_byte);
        ps_row_real(to, "worst_pair_error", c->worst_pair);
        ps_row_real(to, "repeat_spread", c->repeat_spread);
        put_sums(to, c);
        put_replay(to, r->replay);
        ps_row_close(to, '}');
}

static void put_unused(ps_row *to, const ps_samples *s)
{
        ps_row_open(to, "unused", '[');
        for (int i = 0; i < PS_N_UNUSED; i++) {
                ps_row_open(to, NULL, '{');
                ps_row_text(to, "reason", ps_calibrate_reasons[i].name);
                ps_row_u64(to, "count", s->unused[i]);
                ps_row_text(to, "text", ps_calibrate_reasons[i].text);
                ps_row_close(to, '}');
        }
        ps_row_close(to, ']');
}

static void put_samples(ps_row *to, const ps_samples *s)
{
        ps_row_u64(to, "messages", s->n_messages);
        ps_row_u64(to, "processes", s->n_processes);
        ps_row_u64(to, "collectives", s->n_collectives);
        put_unused(to, s);
        ps_row_open(to, "clocks", '{');
        ps_row_u64(to, "pairs_in_both_directions", s->clocks.n_both);
        ps_row_u64(to, "pairs_in_one_direction", s->clocks.n_single);
        ps_row_u64(to, "pairs_refused", s->clocks.n_refused);
        ps_row_real(to, "largest_difference_s", s->clocks.n_both ? s->clocks.largest_s : NAN);
        ps_row_close(to, '}');
        ps_row_open(to, "eager_bytes", '{');
        ps_row_known(u64, to, "seen_ahead", s->eager_seen, s->eager_seen);
        ps_row_known(u64, to, "seen_waiting", s->blocked_seen, s->blocked_seen != UINT64_MAX);
        ps_row_close(to, '}');
}

static void put_notes(ps_row *to, const ps_calibration *c)
{
        ps_row_open(to, "notes", '[');
        for (int i = 0; i < PS_N_NOTES; i++) {
                if (!(c->notes >> i & 1))
                        continue;
                ps_row_open(to, NULL, '{');
                ps_row_text(to, "id", ps_calibrate_notes[i].name);
                ps_row_text(to, "text", ps_calibrate_notes[i].text);
                ps_row_close(to, '}');
        }
        ps_row_close(to, ']');
}

ps_status ps_calibrate_write_json(const ps_calibrate_report *r, ps_output *out, ps_error *err)
{
        ps_row row = {.out = out, .style = PS_ROW_INDENTED};
        (void)err;
        ps_row_open(&row, NULL, '{');
        ps_row_text(&row, "schema", "patscan-calibration-1");
        ps_info_put_tool(&row, "tool");
        ps_row_open(&row, "measured", '[');
        for (unsigned i = 0; i < r->n_paths; i++)
                ps_row_text(&row, NULL, r->paths[i]);
        ps_row_close(&row, ']');
        ps_row_text(&row, "model", ps_models[r->model].name);
        put_machine(&row, r);
        put_samples(&row, r->samples);
        put_classes(&row, r->calibration);
        put_notes(&row, r->calibration);
        ps_row_close(&row, '}');
        ps_output_putc(out, '\n');
        return PS_OK;
}
