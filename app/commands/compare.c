/* compare.c - patscan compare: loads two runs, or several a side, each from a trace or from a saved report,
 * and tells how they differ. */
#include "app/cli/input.h"
#include "app/cli/message.h"
#include "app/commands/compare_side.h"
#include "app/commands/scale.h"
#include "core/base/memory.h"
#include "core/base/number.h"
#include "core/model/rank_map.h"
#include "report/comparison/comparison.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static ps_status parse_tolerance(ps_compare_options *how, const char *text, ps_error *err)
{
        double percent;

        how->tolerance = NAN;
        if (!text)
                return PS_OK;
        how->is_one_sided = text[0] == '+';
        const char *at = text + how->is_one_sided;
        if (!ps_number_real(&at, &percent) || (*at && strcmp(at, "%") != 0) || percent > 1e6)
                return PS_FAIL(err, PS_E_USAGE,
                               "--tolerance needs a percentage: value=\"%s\", forms=\"5, 5%%, +5\"", text);
        how->tolerance = percent / 100;
        return PS_OK;
}

static ps_status write_comparison(const void *compare, const ps_report_request *request, ps_output *out,
                                  ps_error *err)
{
        /* In the order of the command's list of reports. */
        static ps_status (*const writers[])(const ps_compare *, ps_output *,
                                            ps_error *) = {ps_compare_write_text, ps_compare_write_json,
                                                           ps_compare_write_html, ps_compare_write_markdown};

        return writers[request->format](compare, out, err);
}

static void tell_exceeded(const ps_options *options, const ps_compare *c)
{
        const char *sign = c->options.is_one_sided ? "+" : "";
        char told[200];

        if (c->total_exceeded) {
                snprintf(told, sizeof(told), "--tolerance: the run times differ by %.3g %%, limit %s%.4g %%",
                         100 * fabs(ps_errors_signed(c->sampled.median)), sign, 100 * c->options.tolerance);
                ps_message_limit(&options->terminal, told);
        }
        if (c->intervals_exceeded) {
                snprintf(told, sizeof(told), "--tolerance: %llu %s by more than %s%.4g %%",
                         (unsigned long long)c->intervals_exceeded,
                         c->intervals_exceeded == 1 ? "interval differs" : "intervals differ", sign,
                         100 * c->options.tolerance);
                ps_message_limit(&options->terminal, told);
        }
}

/* What cannot be compared, or only in part, keeps no tolerance: that verdict comes first. */
static ps_exit judge_comparison(const ps_compare_sides *sides, const ps_options *options, const ps_compare *c)
{
        bool is_exceeded = c->total_exceeded || c->intervals_exceeded;

        if (ps_compare_is_unusable(c)) {
                ps_message_warn(&options->terminal,
                                "there is nothing to compare: one of the runs took no time");
                return PS_EXIT_PARTIAL;
        }
        if (c->is_calibration)
                ps_message_warn(&options->terminal, "the machine of the prediction was calibrated with this "
                                                    "very run, so their agreement proves little");
        if (is_exceeded)
                tell_exceeded(options, c);
        if (c->is_partial && !options->limits.allow_partial) {
                ps_message_warn(&options->terminal,
                                "only part of the runs could be compared; --allow-partial accepts that");
                return PS_EXIT_PARTIAL;
        }
        for (int i = 0; i < PS_SIDES && options->limits.tolerance && !c->options.samples; i++)
                if (sides->side[i].trace && ps_input_distrusts(options, sides->side[i].trace, 0))
                        return PS_EXIT_PARTIAL;
        if (sides->is_distrusted)
                return PS_EXIT_PARTIAL;
        return is_exceeded ? PS_EXIT_GATE : PS_EXIT_OK;
}

/* Of runs on different numbers of processes the same as `patscan scale`. It is loaded once more, for what is
 * kept of a run there is another thing; what was said of it is not said again. */
static void find_scaling(ps_scaling *s, const ps_compare_sides *sides, const ps_options *options)
{
        ps_options own = *options;
        ps_exit code = PS_EXIT_OK;
        ps_error err = {0};
        ps_status status = PS_OK;

        own.terminal.quiet = 1;
        s->is_weak = options->scale.weak != 0;
        for (int i = 0; i < PS_SIDES && status == PS_OK; i++)
                status = ps_scale_take(s, sides->side[i].path, &own, &code, &err);
        PS_THEN(status, ps_scale(s, &err));
        if (status == PS_OK)
                return;
        ps_message_warn(&options->terminal, "how the program scales cannot be told: %s", err.cause[0].text);
        ps_scaling_clear(s);
}

static bool scales(const ps_compare_sides *sides)
{
        return sides->side[0].run.processes != sides->side[1].run.processes;
}

static ps_status compare_sides(const ps_compare_sides *sides, const ps_compare_options *how,
                               const ps_options *options, ps_exit *code, ps_error *err)
{
        ps_compare *c = NULL;
        ps_status status = ps_compare_new(&c, &sides->side[0].run, &sides->side[1].run, how, err);

        PS_THEN(status, ps_input_reports(options, write_comparison, c, err));
        if (status == PS_OK)
                *code = judge_comparison(sides, options, c);
        ps_compare_free(c);
        return status;
}

ps_status ps_cmd_compare(const ps_options *options, ps_exit *code, ps_error *err)
{
        ps_compare_options how = {.top = options->terminal.verbose ? UINT32_MAX : options->reports.top};
        uint32_t *map = NULL;
        ps_compare_sides *sides = ps_memory_zeroed(1, sizeof(*sides));
        ps_scaling *scaling = ps_memory_zeroed(1, sizeof(*scaling));
        ps_status status = sides && scaling ? parse_tolerance(&how, options->limits.tolerance, err)
                                            : PS_NOMEM(err, "runs", PS_SAMPLES_MOST);

        if (status == PS_OK && options->compare.rank_map)
                status = ps_rank_map_read(&map, &how.n_processors, options->compare.rank_map,
                                          "MEASURED PREDICTED", err);
        how.processors = map;
        PS_THEN(status, ps_compare_sides_load(sides, options, err));
        if (status == PS_OK && sides->samples.n[PS_MEASURED])
                how.samples = &sides->samples;
        if (status == PS_OK && scales(sides))
                find_scaling(scaling, sides, options);
        if (scaling && scaling->n)
                how.scaling = scaling;
        PS_THEN(status, compare_sides(sides, &how, options, code, err));
        if (scaling)
                ps_scaling_clear(scaling);
        free(scaling);
        if (sides)
                ps_compare_sides_clear(sides);
        free(sides);
        free(map);
        return status;
}
