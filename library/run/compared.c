/* compared.c - see compared.h. */
#include "library/run/compared.h"
#include "core/base/memory.h"
#include "core/base/number.h"
#include "core/model/rank_map.h"
#include "library/run/input.h"
#include "library/run/message.h"
#include "library/run/scaled.h"
#include "report/comparison/comparison.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct ps_compared {
        ps_compare_sides sides;
        ps_scaling scaling;
        uint32_t *map;
        ps_compare *compare;
};

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

/* -- all of it -- */

static ps_status compare(ps_compared *w, const ps_compare_paths of[PS_SIDES], const ps_options *options,
                         ps_error *err)
{
        ps_compare_options how = {.top = options->reports.top};

        PS_TRY(parse_tolerance(&how, options->limits.tolerance, err));
        if (options->compare.rank_map)
                PS_TRY(ps_rank_map_read(&w->map, &how.n_processors, options->compare.rank_map,
                                        "MEASURED PREDICTED", err));
        how.processors = w->map;
        PS_TRY(ps_compare_sides_load(&w->sides, of, options, err));
        if (w->sides.samples.n[PS_MEASURED])
                how.samples = &w->sides.samples;
        if (scales(&w->sides))
                find_scaling(&w->scaling, &w->sides, options);
        if (w->scaling.n)
                how.scaling = &w->scaling;
        return ps_compare_new(&w->compare, &w->sides.side[0].run, &w->sides.side[1].run, &how, err);
}

ps_status ps_compared_new(ps_compared **out, const ps_compare_paths of[PS_SIDES], const ps_options *options,
                          ps_error *err)
{
        *out = ps_memory_zeroed(1, sizeof(**out));
        return *out ? compare(*out, of, options, err) : PS_NOMEM(err, "runs", PS_SAMPLES_MOST);
}

void ps_compared_free(ps_compared *w)
{
        if (!w)
                return;
        ps_compare_free(w->compare);
        ps_scaling_clear(&w->scaling);
        ps_compare_sides_clear(&w->sides);
        free(w->map);
        free(w);
}

const ps_compare *ps_compared_result(const ps_compared *w)
{
        return w->compare;
}

ps_status ps_compared_write(const ps_compared *w, const char *format, ps_output *out, ps_error *err)
{
        static ps_status (*const writers[])(const ps_compare *, ps_output *,
                                            ps_error *) = {ps_compare_write_text, ps_compare_write_json, NULL,
                                                           ps_compare_write_html, ps_compare_write_markdown};
        int at = ps_table_format(format);
        if (at >= 0 && writers[at])
                return writers[at](w->compare, out, err);
        return PS_FAIL(err, PS_E_USAGE,
                       "there is no such report: value=\"%.40s\", choices=\"text|json|html|markdown\"",
                       format);
}

ps_exit ps_compared_judge(const ps_compared *w, const ps_options *options)
{
        return judge_comparison(&w->sides, options, w->compare);
}
