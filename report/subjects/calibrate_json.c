/* calibrate_json.c - a calibration for programs: docs/CALIBRATION.md. */
#include "report/subjects/calibrate.h"
#include "report/subjects/info_json.h"
#include "simulator/machine/json.h"

#include <math.h>
#include <stdio.h>

/* null for what is not known, or has no limit. Sizes are whole; more than ten digits of the rest are an
 * accident of the arithmetic. */
static void put_number(ps_json *json, cJSON *parent, const char *key, double value)
{
        char room[32];
        if (!isfinite(value)) {
                ps_json_null(json, parent, key);
                return;
        }
        snprintf(room, sizeof(room), value == floor(value) && fabs(value) < 0x1p53 ? "%.0f" : "%.10g", value);
        ps_json_put(parent, key, cJSON_CreateRaw(room), &json->failed);
}

static void put_line(ps_json *json, cJSON *parent, const char *key, const ps_fit *fit,
                     const ps_fit_line *line)
{
        cJSON *object = ps_json_object(json, parent, key);
        put_number(json, object, "fixed_s", fit->has_fixed ? line->fixed_s : NAN);
        put_number(json, object, "per_byte_s", fit->has_per_byte ? line->per_byte_s : NAN);
}

static void put_segments(ps_json *json, cJSON *parent, const ps_fit *fit)
{
        cJSON *list = ps_json_array(json, parent, "segments");
        for (uint32_t i = 0; i < fit->n_segments; i++) {
                cJSON *row = ps_json_object(json, list, NULL);
                put_number(json, row, "least_bytes", fit->segment[i].least_bytes);
                put_number(json, row, "most_bytes", fit->segment[i].most_bytes);
                put_line(json, row, "line", fit, &fit->segment[i].line);
        }
}

static void put_fit(ps_json *json, cJSON *parent, const char *key, const ps_fit *fit)
{
        if (!fit->n_sizes) {
                ps_json_null(json, parent, key);
                return;
        }
        cJSON *object = ps_json_object(json, parent, key);
        ps_json_u64(json, object, "samples", fit->n_samples);
        ps_json_u64(json, object, "sizes", fit->n_sizes);
        put_number(json, object, "least_bytes", fit->least_bytes);
        put_number(json, object, "most_bytes", fit->most_bytes);
        put_line(json, object, "fast", fit, &fit->fast);
        put_line(json, object, "typical", fit, &fit->typical);
        put_number(json, object, "fixed_low_s", fit->fixed_low);
        put_number(json, object, "fixed_high_s", fit->fixed_high);
        put_number(json, object, "per_byte_low_s", fit->per_byte_low);
        put_number(json, object, "per_byte_high_s", fit->per_byte_high);
        put_number(json, object, "r_squared", fit->r_squared);
        put_number(json, object, "spread", fit->spread);
        put_segments(json, object, fit);
}

static void put_classes(ps_json *json, cJSON *root, const ps_calibration *c)
{
        static const char *const keys[PS_N_SAMPLE_KINDS] = {"one_way", "send", "receive"};
        cJSON *list = ps_json_array(json, root, "classes");
        for (int i = 0; i < PS_N_CLASSES; i++) {
                const ps_class_fit *cls = &c->cls[i];
                cJSON *row = ps_json_object(json, list, NULL);
                ps_json_text(json, row, "class", ps_class_names[i]);
                ps_json_u64(json, row, "pairs", cls->n_pairs);
                for (int kind = 0; kind < PS_N_SAMPLE_KINDS; kind++)
                        put_fit(json, row, keys[kind], &cls->fit[kind]);
                ps_json_u64(json, row, "pairs_with_own_line", cls->n_own);
                put_number(json, row, "own_fixed_least_s", cls->n_own ? cls->own_fixed[0] : NAN);
                put_number(json, row, "own_fixed_most_s", cls->n_own ? cls->own_fixed[1] : NAN);
                put_number(json, row, "own_per_byte_least_s", cls->n_own ? cls->own_per_byte[0] : NAN);
                put_number(json, row, "own_per_byte_most_s", cls->n_own ? cls->own_per_byte[1] : NAN);
        }
}

static void put_parameters(ps_json *json, cJSON *machine, const ps_calibration *c)
{
        cJSON *list = ps_json_array(json, machine, "parameters");
        for (uint32_t i = 0; i < c->n_rows; i++) {
                const ps_calibrated *p = &c->row[i];
                cJSON *row = ps_json_object(json, list, NULL);
                ps_json_text(json, row, "name", p->name);
                ps_json_text(json, row, "within", p->where);
                ps_json_bool(json, row, "identified", !p->is_assumed);
                put_number(json, row, "value", p->value);
                put_number(json, row, "low", p->low);
                put_number(json, row, "high", p->high);
                put_number(json, row, "typical", p->typical);
                ps_json_u64(json, row, "values", p->n_values);
                ps_json_u64(json, row, "samples", p->n_samples);
                ps_json_u64(json, row, "sizes", p->n_sizes);
        }
}

static void put_sums(ps_json *json, cJSON *machine, const ps_calibration *c)
{
        static const char *const keys[2] = {"fixed_s", "per_byte_s"};
        if (!c->has_sums) {
                ps_json_null(json, machine, "sums");
                return;
        }
        cJSON *sums = ps_json_object(json, machine, "sums");
        for (int f = 0; f < 2; f++) {
                cJSON *row = ps_json_object(json, sums, keys[f]);
                put_number(json, row, "median", c->sum[f].median);
                put_number(json, row, "low", c->sum[f].least);
                put_number(json, row, "high", c->sum[f].most);
        }
}

static void put_replay(ps_json *json, cJSON *machine, const ps_calibrate_replay *replay)
{
        if (!replay) {
                ps_json_null(json, machine, "replay");
                return;
        }
        double measured = (double)replay->measured / (double)PS_PS_PER_S;
        double replayed = (double)replay->replayed / (double)PS_PS_PER_S;
        cJSON *row = ps_json_object(json, machine, "replay");
        put_number(json, row, "measured_s", measured);
        put_number(json, row, "replayed_s", replay->never_ends ? NAN : replayed);
        put_number(json, row, "drift", replay->never_ends ? NAN : replayed / measured - 1);
}

static void put_machine(ps_json *json, cJSON *root, const ps_calibrate_report *r)
{
        const ps_calibration *c = r->calibration;
        ps_json_text(json, root, "refusal", c->refusal);
        if (!r->formula) {
                ps_json_null(json, root, "machine");
                return;
        }
        cJSON *machine = ps_json_object(json, root, "machine");
        ps_json_text(json, machine, "name", r->name);
        ps_json_text(json, machine, "formula", r->formula);
        put_parameters(json, machine, c);
        ps_json_u64(json, machine, "clamped", c->n_clamped);
        put_number(json, machine, "triple_spread_processing", c->triple_spread_fixed);
        put_number(json, machine, "triple_spread_processing_per_byte", c->triple_spread_per_byte);
        put_number(json, machine, "worst_pair_error", c->worst_pair);
        put_number(json, machine, "repeat_spread", c->repeat_spread);
        put_sums(json, machine, c);
        put_replay(json, machine, r->replay);
}

static void put_samples(ps_json *json, cJSON *root, const ps_samples *s)
{
        ps_json_u64(json, root, "messages", s->n_messages);
        ps_json_u64(json, root, "processes", s->n_processes);
        ps_json_u64(json, root, "collectives", s->n_collectives);
        cJSON *list = ps_json_array(json, root, "unused");
        for (int i = 0; i < PS_N_UNUSED; i++) {
                cJSON *row = ps_json_object(json, list, NULL);
                ps_json_text(json, row, "reason", ps_calibrate_reasons[i].name);
                ps_json_u64(json, row, "count", s->unused[i]);
                ps_json_text(json, row, "text", ps_calibrate_reasons[i].text);
        }
        cJSON *clocks = ps_json_object(json, root, "clocks");
        ps_json_u64(json, clocks, "pairs_in_both_directions", s->clocks.n_both);
        ps_json_u64(json, clocks, "pairs_in_one_direction", s->clocks.n_single);
        ps_json_u64(json, clocks, "pairs_refused", s->clocks.n_refused);
        put_number(json, clocks, "largest_difference_s", s->clocks.n_both ? s->clocks.largest_s : NAN);
        cJSON *eager = ps_json_object(json, root, "eager_bytes");
        put_number(json, eager, "seen_ahead", s->eager_seen ? (double)s->eager_seen : NAN);
        put_number(json, eager, "seen_waiting",
                   s->blocked_seen == UINT64_MAX ? NAN : (double)s->blocked_seen);
}

static void put_notes(ps_json *json, cJSON *root, const ps_calibration *c)
{
        cJSON *list = ps_json_array(json, root, "notes");
        for (int i = 0; i < PS_N_NOTES; i++) {
                if (!(c->notes >> i & 1))
                        continue;
                cJSON *row = ps_json_object(json, list, NULL);
                ps_json_text(json, row, "id", ps_calibrate_notes[i].name);
                ps_json_text(json, row, "text", ps_calibrate_notes[i].text);
        }
}

ps_status ps_calibrate_write_json(const ps_calibrate_report *r, ps_output *out, ps_error *err)
{
        ps_json json = {0};
        cJSON *root = ps_json_root(&json);
        ps_json_text(&json, root, "schema", "patscan-calibration-1");
        ps_info_add_tool(&json, root);
        cJSON *list = ps_json_array(&json, root, "measured");
        for (unsigned i = 0; i < r->n_paths; i++)
                ps_json_text(&json, list, NULL, r->paths[i]);
        ps_json_text(&json, root, "model", ps_models[r->model].name);
        put_machine(&json, root, r);
        put_samples(&json, root, r->samples);
        put_classes(&json, root, r->calibration);
        put_notes(&json, root, r->calibration);
        return ps_json_finish(&json, out, err);
}
