/* document.c - how a program scales, for people: the runs, what stops them, what grows, and where it leads.
 */
#include "report/document/document.h"
#include "report/print/text.h"
#include "report/scaling/scaling.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { LIMITS_BRIEF = 5, LIMITS_PAGE = 50, ROWS_BRIEF = 10, ROWS_PAGE = 500, HEADS_ROOM = 1024 };

/* A share that may not be known. */
static void put_factor(ps_doc *doc, double share)
{
        if (isfinite(share))
                ps_doc_cell_share(doc, share);
        else
                ps_doc_cell(doc, PS_DOC_DIM, "-");
}

/* -- the runs, a column each -- */

static void put_heads(char heads[HEADS_ROOM], const ps_scaling *s, const char *first)
{
        size_t at = (size_t)snprintf(heads, HEADS_ROOM, "%s", first);
        for (unsigned i = 0; i < s->n; i++)
                at += (size_t)snprintf(heads + at, HEADS_ROOM - at, "|=%" PRIu64, s->run[i].locations);
}

static void put_row_of(ps_doc *doc, const ps_scaling *s, unsigned depth, const char *title, size_t factor)
{
        ps_doc_row(doc, depth);
        ps_doc_cell(doc, PS_DOC_PLAIN, title);
        for (unsigned i = 0; i < s->n; i++) {
                double value;
                memcpy(&value, (const char *)&s->run[i].factors + factor, sizeof(value));
                put_factor(doc, value);
        }
}

ps_status ps_scaling_put_runs(ps_doc *doc, const void *subject, ps_error *err)
{
        static const struct {
                const char *title;
                unsigned depth;
                size_t factor;
        } rows[] = {{"Global efficiency", 0, offsetof(ps_scale_factors, global)},
                    {"Parallel", 1, offsetof(ps_scale_factors, parallel)},
                    {"Load balance", 2, offsetof(ps_scale_factors, load_balance)},
                    {"Communication", 2, offsetof(ps_scale_factors, communication)},
                    {"Serialization", 3, offsetof(ps_scale_factors, serialization)},
                    {"Transfer", 3, offsetof(ps_scale_factors, transfer)},
                    {"Computation scalability", 1, offsetof(ps_scale_factors, computation_scalability)}};
        const ps_scaling *s = subject;
        char heads[HEADS_ROOM];
        (void)err;
        put_heads(heads, s, s->run[0].locations == s->run[0].processes ? "Processes" : "Threads in all");
        ps_doc_begin_table(doc, PS_DOC_TREE, "Runs", heads);
        ps_doc_row(doc, 0);
        ps_doc_cell(doc, PS_DOC_PLAIN, "Length");
        for (unsigned i = 0; i < s->n; i++)
                ps_doc_cell_seconds(doc, s->run[i].duration_s);
        ps_doc_row(doc, 0);
        ps_doc_cell(doc, PS_DOC_STRONG, "Speed-up");
        for (unsigned i = 0; i < s->n; i++)
                ps_doc_cellf(doc, PS_DOC_STRONG, "%.2f", s->run[i].speedup);
        for (size_t r = 0; r < sizeof(rows) / sizeof(*rows); r++)
                put_row_of(doc, s, rows[r].depth, rows[r].title, rows[r].factor);
        ps_doc_end_table(doc);
        return PS_OK;
}

/* -- what stops it -- */

ps_status ps_scaling_put_limits(ps_doc *doc, const void *subject, ps_error *err)
{
        const ps_scaling *s = subject;
        char room[PS_SCALE_TEXT_ROOM];
        uint32_t n = ps_doc_most(doc, 0, LIMITS_BRIEF, LIMITS_PAGE);
        n = n < s->limits.n ? n : s->limits.n;
        (void)err;
        if (!s->limits.n)
                ps_doc_say(doc, PS_DOC_P,
                           "Nothing that takes 1 %% of the largest run grows: it scales so far.");
        for (uint32_t i = 0; i < n; i++) {
                const ps_scale_limit *limit = &s->limits.row[i];
                const ps_scale_row *row = &s->rows.row[limit->row];
                ps_doc_begin(doc, PS_DOC_POINT);
                ps_doc_put_share(doc, PS_DOC_STRONG, limit->share);
                ps_doc_putf(doc, PS_DOC_PLAIN, "  %s", ps_scale_say(room, s, limit));
                if (*row->file) {
                        ps_doc_put(doc, PS_DOC_PLAIN, " ");
                        ps_doc_put_place(doc, row->file, row->line);
                }
                ps_doc_end(doc);
        }
        ps_doc_rest(doc, s->limits.n - n, "limit", "limits", "--report json has all of them");
        return PS_OK;
}

/* -- functions -- */

static void put_growth(ps_doc *doc, const ps_growth *g)
{
        if (g->trust == PS_GROWTH_UNKNOWN)
                ps_doc_cell(doc, PS_DOC_DIM, "-");
        else
                ps_doc_cellf(doc, PS_DOC_PLAIN, "%s (%s)", ps_growth_names[g->law],
                             ps_growth_trusts[g->trust]);
}

static ps_status put_functions(ps_doc *doc, const void *subject, ps_error *err)
{
        const ps_scaling *s = subject;
        char heads[HEADS_ROOM], room[PS_SCALE_NAME_ROOM];
        uint32_t n = ps_doc_most(doc, 0, ROWS_BRIEF, ROWS_PAGE);
        n = n < s->rows.n ? n : s->rows.n;
        (void)err;
        put_heads(heads, s, "CPU time of");
        strncat(heads, "|?Grows (confidence)", HEADS_ROOM - strlen(heads) - 1);
        ps_doc_begin_table(doc, PS_DOC_TABLE, "CPU time by function, on so many processes", heads);
        for (uint32_t r = 0; r < n; r++) {
                const ps_scale_row *row = &s->rows.row[r];
                ps_doc_row(doc, 0);
                ps_doc_cell(doc, PS_DOC_NAME, ps_scale_name(room, row));
                for (unsigned i = 0; i < s->n; i++)
                        ps_doc_cell_seconds(doc, row->part[i].exclusive_s);
                put_growth(doc, &row->growth);
        }
        ps_doc_end_table(doc);
        ps_doc_rest(doc, s->rows.n - n, "call path", "call paths", "--report json has all of them");
        return PS_OK;
}

/* -- intervals -- */

static bool has_intervals(const void *subject)
{
        return ((const ps_scaling *)subject)->intervals.n > 0;
}

static void put_reason(ps_doc *doc, const ps_scaling *s, const ps_scale_interval *row)
{
        char room[PS_SCALE_NAME_ROOM];
        ps_doc_cell_begin(doc);
        if (row->what == PS_SCALE_WHATS) {
                ps_doc_put(doc, PS_DOC_DIM, "-");
                return;
        }
        ps_doc_put(doc, PS_DOC_PLAIN, ps_scale_names[row->what]);
        if (row->limit == PS_NONE)
                return;
        ps_doc_put(doc, PS_DOC_PLAIN, " of ");
        ps_doc_put(doc, PS_DOC_NAME, ps_scale_name(room, &s->rows.row[s->limits.row[row->limit].row]));
}

static void put_scaling_cell(ps_doc *doc, double value)
{
        if (isfinite(value))
                ps_doc_cellf(doc, PS_DOC_PLAIN, "%.2f", value);
        else
                ps_doc_cell(doc, PS_DOC_DIM, "-");
}

static ps_status put_intervals(ps_doc *doc, const void *subject, ps_error *err)
{
        const ps_scaling *s = subject;
        char heads[HEADS_ROOM];
        uint32_t n = ps_doc_most(doc, 0, ROWS_BRIEF, ROWS_PAGE);
        n = n < s->intervals.n ? n : s->intervals.n;
        (void)err;
        put_heads(heads, s, "CPU time in");
        strncat(heads, "|=Speed-up|?=Parallel|?Grows (confidence)|*Most of it",
                HEADS_ROOM - strlen(heads) - 1);
        ps_doc_begin_table(doc, PS_DOC_TABLE, "CPU time by interval, on so many processes", heads);
        for (uint32_t r = 0; r < n; r++) {
                const ps_scale_interval *row = &s->intervals.row[r];
                ps_doc_row(doc, 0);
                ps_doc_cell(doc, PS_DOC_NAME, row->lap->title);
                for (unsigned i = 0; i < s->n; i++)
                        ps_doc_cell_seconds(doc, row->stay[i].is_there ? row->stay[i].cpu_s : NAN);
                put_scaling_cell(doc, row->stay[s->n - 1].speedup);
                put_factor(doc, row->stay[s->n - 1].factors.parallel);
                put_growth(doc, &row->growth);
                put_reason(doc, s, row);
        }
        ps_doc_end_table(doc);
        ps_doc_rest(doc, s->intervals.n - n, "interval", "intervals", "--report json has all of them");
        return PS_OK;
}

static ps_status put_interval_factors(ps_doc *doc, const void *subject, ps_error *err)
{
        const ps_scaling *s = subject;
        (void)err;
        ps_doc_begin_table(
                doc, PS_DOC_TABLE, "Factors by interval",
                "Interval|=Processes|=Length|=Speed-up|=Global|=Parallel|=Load balance|=Communication|"
                "=Computation scalability");
        for (uint32_t r = 0; r < s->intervals.n && r < ROWS_PAGE; r++)
                for (unsigned i = 0; i < s->n; i++) {
                        const ps_scale_stay *stay = &s->intervals.row[r].stay[i];
                        const ps_scale_factors *f = &stay->factors;
                        const double factor[] = {f->global, f->parallel, f->load_balance, f->communication,
                                                 f->computation_scalability};
                        ps_doc_row(doc, 0);
                        ps_doc_cell(doc, PS_DOC_NAME, s->intervals.row[r].lap->title);
                        ps_doc_cell_count(doc, s->run[i].processes);
                        ps_doc_cell_seconds(doc, stay->is_there ? stay->duration_s : NAN);
                        put_scaling_cell(doc, stay->speedup);
                        for (size_t k = 0; k < sizeof(factor) / sizeof(*factor); k++)
                                put_factor(doc, factor[k]);
                }
        ps_doc_end_table(doc);
        return PS_OK;
}

/* -- ahead -- */

/* Laws that miss what was measured by more tell little of what was not. */
static const double missed_clearly = 0.1;

static ps_status put_forecast(ps_doc *doc, const void *subject, ps_error *err)
{
        const ps_scaling *s = subject;
        (void)err;
        if (s->n < 3) {
                ps_doc_say(doc, PS_DOC_P, "Where it leads cannot be told from fewer than three runs.");
                return PS_OK;
        }
        ps_doc_begin_table(doc, PS_DOC_TABLE, "If growth goes on like this", "On|=Length|=Speed-up");
        for (int i = 0; i < PS_SCALE_AHEAD; i++) {
                ps_doc_row(doc, 0);
                ps_doc_cellf(doc, PS_DOC_PLAIN, "%" PRIu64 " processes", s->ahead[i].locations);
                ps_doc_cell_seconds(doc, s->ahead[i].duration_s);
                ps_doc_cellf(doc, PS_DOC_PLAIN, "%.2f", s->ahead[i].speedup);
        }
        ps_doc_end_table(doc);
        if (fabs(s->missed_by) > missed_clearly)
                ps_doc_say(doc, PS_DOC_P,
                           "The same laws say that the largest run takes %.0f %% %s than it does: so the "
                           "forecast is a guess.",
                           fabs(100 * s->missed_by), s->missed_by > 0 ? "longer" : "less");
        return PS_OK;
}

/* -- the picture: the length over the number of processes, as it is and as it would be -- */

static bool next_length(const void *of, unsigned curve, size_t *at, double *x, double *y)
{
        const ps_scaling *s = of;
        if (*at == s->n + (curve == 0 && s->n > 2 ? (size_t)PS_SCALE_AHEAD : 0))
                return false;
        const ps_scale_run *run = &s->run[*at < s->n ? *at : s->n - 1];
        const ps_scale_forecast *f = &s->ahead[*at < s->n ? 0 : *at - s->n];
        *x = (double)(*at < s->n ? run->locations : f->locations);
        *y = *at < s->n ? run->duration_s : f->duration_s;
        if (curve == 1)
                *y = s->run[0].duration_s * (s->is_weak ? 1 : (double)s->run[0].locations / *x);
        ++*at;
        return true;
}

static ps_status put_picture(ps_doc *doc, const void *subject, ps_error *err)
{
        static const char *const names[] = {"as it runs, and goes on", "perfect"};
        (void)err;
        ps_doc_curves(doc, &(ps_doc_curves_spec){.title = "Length of the run",
                                                 .x_unit = "processes",
                                                 .name = names,
                                                 .n_curves = 2,
                                                 .next = next_length,
                                                 .of = subject});
        return PS_OK;
}

/* -- what one has to know before all else -- */

static const double few = 0.5; /* of the time in functions that the runs have in common */

static bool has_doubts(const void *subject)
{
        const ps_scaling *s = subject;
        bool is_partial = false;
        for (unsigned i = 0; i < s->n; i++)
                is_partial |= s->run[i].is_partial;
        return is_partial || s->common_share < few;
}

static ps_status put_doubts(ps_doc *doc, const void *subject, ps_error *err)
{
        const ps_scaling *s = subject;
        char room[PS_NUMBER_ROOM];
        (void)err;
        if (s->common_share < few)
                ps_doc_say(
                        doc, PS_DOC_P,
                        "The largest run spends only %s of its time in functions that the smallest one has, "
                        "too: are they of the same program?",
                        ps_text_share(room, s->common_share));
        for (unsigned i = 0; i < s->n; i++)
                if (s->run[i].is_partial)
                        ps_doc_say(doc, PS_DOC_P,
                                   "A part of %s could not be read: its numbers are too small.",
                                   s->run[i].path);
        return PS_OK;
}

static const ps_doc_section sections[] = {
        {"doubts", "Before all else", PS_DOC_UNTITLED, has_doubts, put_doubts},
        {"runs", "Runs", PS_DOC_UNTITLED, NULL, ps_scaling_put_runs},
        {"scaling", "Pictures", PS_DOC_PAGE_ONLY, NULL, ps_scaling_put_pictures},
        {"picture", "Length of the run", PS_DOC_PAGE_ONLY, NULL, put_picture},
        {"limits", "What stops it from scaling", 0, NULL, ps_scaling_put_limits},
        {"functions", "Functions", PS_DOC_UNTITLED, NULL, put_functions},
        {"intervals", "Intervals", PS_DOC_UNTITLED, has_intervals, put_intervals},
        {"interval-factors", "Factors by interval", PS_DOC_PAGE_ONLY, has_intervals, put_interval_factors},
        {"forecast", "Where it leads", PS_DOC_UNTITLED, NULL, put_forecast},
};

static ps_status put_all(ps_doc *doc, const void *subject, ps_error *err)
{
        const ps_scaling *s = subject;
        char what[2 * PS_NUMBER_ROOM];
        snprintf(what, sizeof(what), "%" PRIu64 " to %" PRIu64 " processes", s->run[0].processes,
                 s->run[s->n - 1].processes);
        ps_doc_title(doc, "scale", what,
                     s->is_weak ? "weak scaling: as much work for each process"
                                : "strong scaling: the same problem on more processes");
        return ps_doc_sections(doc, sections, sizeof(sections) / sizeof(*sections), subject, err);
}

PS_DOC_FORMATS(ps_scaling_write, ps_scaling, put_all)
