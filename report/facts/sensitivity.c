/* sensitivity.c - see sensitivity.h. */
#include "report/facts/sensitivity.h"

#include <math.h>

static const struct {
        const char *key, *title;
} knobs[PS_N_KNOBS] = {
        [PS_KNOB_LATENCY] = {"latency", "latency"},
        [PS_KNOB_PER_BYTE] = {"bandwidth", "what sizes cost"},
        [PS_KNOB_CPU] = {"computation", "computation"},
};

static double share_of_run(const ps_sensitivity *s, ps_time time)
{
        return s->duration > 0 ? (double)time / (double)s->duration : 0;
}

/* -- for people -- */

static void put_factor(ps_doc *doc, const char *sign, double factor)
{
        if (isfinite(factor))
                ps_doc_cellf(doc, PS_DOC_PLAIN, "%s%.4g", sign, factor);
        else
                ps_doc_cell(doc, PS_DOC_PLAIN, isnan(factor) ? "cannot be told" : "any");
}

static void put_tolerances(ps_doc *doc, const ps_sensitivity *s)
{
        ps_doc_begin_table(doc, PS_DOC_TABLE, "How much slower the machine may be",
                           "Longer run|=Latency|=Bandwidth|=Processors");
        for (int i = 0; i < PS_N_TOLERANCES; i++) {
                const double *f = s->tolerated[i].factor;
                ps_doc_row(doc, 0);
                ps_doc_cellf(doc, PS_DOC_PLAIN, "by %g %%", 100 * ps_tolerances[i]);
                put_factor(doc, "*", f[PS_KNOB_LATENCY]);
                put_factor(doc, "/", f[PS_KNOB_PER_BYTE]);
                put_factor(doc, "/", f[PS_KNOB_CPU]);
        }
        ps_doc_end_table(doc);
        if (s->latency_s > 0) {
                ps_doc_begin(doc, PS_DOC_P);
                ps_doc_put(doc, PS_DOC_PLAIN, "The latency is ");
                ps_doc_put_seconds(doc, PS_DOC_PLAIN, s->latency_s);
                ps_doc_put(doc, PS_DOC_PLAIN, ".");
                ps_doc_end(doc);
        }
}

static bool is_certain(const ps_slope *slope)
{
        return slope->is_exact && !slope->is_unknown;
}

static bool are_certain(const ps_sensitivity *s)
{
        for (int k = 0; k < PS_N_KNOBS; k++)
                if (!is_certain(&s->slope[k]))
                        return false;
        for (uint32_t i = 0; i < s->n_regions; i++)
                if (!is_certain(&s->regions[i].slope))
                        return false;
        return true;
}

static void put_slope_cells(ps_doc *doc, const ps_sensitivity *s, const ps_slope *slope)
{
        double share = share_of_run(s, slope->time);

        if (slope->is_unknown) {
                ps_doc_cell(doc, PS_DOC_PLAIN, "");
                ps_doc_cell(doc, PS_DOC_PLAIN, "");
                ps_doc_cell(doc, PS_DOC_PLAIN, "cannot be told");
                return;
        }
        ps_doc_cellf(doc, PS_DOC_PLAIN, "%.1f %%", 100 * share);
        ps_doc_cell_time(doc, slope->time);
        if (!are_certain(s))
                ps_doc_cell(doc, PS_DOC_PLAIN, slope->is_exact ? "" : "about");
}

static void put_slopes(ps_doc *doc, const ps_sensitivity *s)
{
        ps_doc_begin_table(doc, PS_DOC_TREE, "What the length of the run depends on",
                           are_certain(s) ? "On|=Share|=Time" : "On|=Share|=Time|How sure");
        for (int k = 0; k < PS_N_KNOBS; k++) {
                ps_doc_row(doc, 0);
                ps_doc_cell(doc, PS_DOC_PLAIN, knobs[k].title);
                put_slope_cells(doc, s, &s->slope[k]);
                if (k == PS_KNOB_LATENCY && s->latency_s > 0) {
                        ps_doc_row_note(doc);
                        ps_doc_putf(doc, PS_DOC_PLAIN, "%.0f latencies one after the other",
                                    (double)s->slope[k].time / (s->latency_s * (double)PS_PS_PER_S));
                }
        }
        for (uint32_t i = 0; i < s->n_regions; i++) {
                ps_doc_row(doc, 1);
                ps_doc_cell(doc, PS_DOC_NAME, s->regions[i].region);
                put_slope_cells(doc, s, &s->regions[i].slope);
        }
        ps_doc_end_table(doc);
}

/* Which function is worth making faster, and by how much. */
static void put_speedups(ps_doc *doc, const ps_sensitivity *s)
{
        if (!s->n_regions)
                return;
        ps_doc_begin_table(doc, PS_DOC_TABLE, "What the run gains if a function takes so much less",
                           "Function|=10 %|=25 %|=50 %|=100 %");
        for (uint32_t i = 0; i < s->n_regions; i++) {
                ps_doc_row(doc, 0);
                ps_doc_cell(doc, PS_DOC_NAME, s->regions[i].region);
                for (int k = 0; k < PS_N_SPEEDUPS; k++)
                        ps_doc_cell_time(doc, s->regions[i].gain[k]);
        }
        ps_doc_end_table(doc);
}

void ps_sensitivity_show(ps_doc *doc, const ps_sensitivity *s)
{
        put_tolerances(doc, s);
        put_slopes(doc, s);
        put_speedups(doc, s);
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
#define RECORD_IT  ps_sensitivity
#define RECORD_DOC "what the length of a predicted run depends on; only with --sensitivity"
#include "report/print/make_record.def"
