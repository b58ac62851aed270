/* sensitivity.c - see sensitivity.h. */
#include "report/facts/sensitivity.h"

#include "report/print/text.h"

#include <math.h>
#include <stdio.h>

enum { REGION_COLUMNS = 36 };

static const struct {
        const char *key, *title;
} knobs[PS_N_KNOBS] = {
        [PS_KNOB_LATENCY] = {"latency", "latency"},
        [PS_KNOB_PER_BYTE] = {"bandwidth", "what sizes cost"},
        [PS_KNOB_CPU] = {"computation", "computation"},
};

static double share_of(const ps_sensitivity *s, ps_time time)
{
        return s->duration > 0 ? (double)time / (double)s->duration : 0;
}

/* -- text -- */

static void put_factor(ps_output *out, const char *sign, double factor)
{
        char room[PS_NUMBER_ROOM] = "any";

        if (isfinite(factor))
                snprintf(room, sizeof(room), "%s%.4g", sign, factor);
        ps_output_printf(out, "%11s", room);
}

static void put_tolerances(const ps_sensitivity *s, ps_output *out)
{
        ps_text_write_heading(out, "How much slower the machine may be");
        ps_output_printf(out, "  %-10s%11s%11s%11s\n", "longer run", "latency", "bandwidth", "processors");
        for (int i = 0; i < PS_N_TOLERANCES; i++) {
                const double *f = s->tolerated[i].factor;
                ps_output_printf(out, "  %8g %%", 100 * ps_tolerances[i]);
                put_factor(out, "*", f[PS_KNOB_LATENCY]);
                put_factor(out, "/", f[PS_KNOB_PER_BYTE]);
                put_factor(out, "/", f[PS_KNOB_CPU]);
                ps_output_putc(out, '\n');
        }
        if (s->latency_s > 0) {
                char room[PS_NUMBER_ROOM];
                ps_text_seconds_short(room, s->latency_s);
                ps_output_printf(out, "  The latency is %s.\n", room);
        }
}

static void put_slopes(const ps_sensitivity *s, ps_output *out)
{
        ps_text_write_heading(out, "What the length of the run depends on");
        for (int k = 0; k < PS_N_KNOBS; k++) {
                const ps_slope *slope = &s->slope[k];
                char time[PS_NUMBER_ROOM];
                ps_text_duration(time, slope->time);
                ps_output_printf(out, "  %-*s %6.1f %%  %9s%s", REGION_COLUMNS, knobs[k].title,
                                 100 * share_of(s, slope->time), time, slope->is_exact ? "" : "  about");
                if (k == PS_KNOB_LATENCY && s->latency_s > 0)
                        ps_output_printf(out, "\n    %.0f latencies one after the other",
                                         (double)slope->time / (s->latency_s * (double)PS_PS_PER_S));
                ps_output_putc(out, '\n');
        }
        for (uint32_t i = 0; i < s->n_regions; i++) {
                const ps_region_slope *r = &s->regions[i];
                char time[PS_NUMBER_ROOM];
                ps_text_duration(time, r->slope.time);
                ps_output_puts(out, "    ");
                ps_text_write_padded(out, r->region, REGION_COLUMNS - 2);
                ps_output_printf(out, " %6.1f %%  %9s%s\n", 100 * share_of(s, r->slope.time), time,
                                 r->slope.is_exact ? "" : "  about");
        }
}

void ps_sensitivity_write_text(const ps_sensitivity *s, ps_output *out)
{
        put_tolerances(s, out);
        put_slopes(s, out);
}

/* -- JSON -- */

#define RECORD     tolerance
#define RECORD_DEF "report/facts/tolerance.def"
#define RECORD_IN  ps_sensitivity
#define RECORD_IT  ps_tolerated
#define RECORD_DOC "how much slower parts of the machine may be"
#include "report/print/make_record.def"

#define RECORD     slope
#define RECORD_DEF "report/facts/slope.def"
#define RECORD_IN  ps_sensitivity
#define RECORD_IT  ps_slope
#define RECORD_DOC "how much longer the run gets with a part of it"
#include "report/print/make_record.def"

#define RECORD     region_slope
#define RECORD_DEF "report/facts/region_slope.def"
#define RECORD_IN  ps_sensitivity
#define RECORD_IT  ps_region_slope
#define RECORD_DOC "the same of a region of the program"
#include "report/print/make_record.def"

static void put_slopes_json(ps_row *to, const char *key, const ps_sensitivity *s)
{
        ps_row_open(to, key, '{');
        for (int k = 0; k < PS_N_KNOBS; k++)
                ps_record_put(to, knobs[k].key, &ps_record_slope, s, &s->slope[k]);
        ps_row_close(to, '}');
}

#define RECORD     sensitivity
#define RECORD_DEF "report/facts/sensitivity.def"
#define RECORD_IN  void
#define RECORD_IT  ps_sensitivity
#define RECORD_DOC "what the length of a predicted run depends on; only with --sensitivity"
#include "report/print/make_record.def"
