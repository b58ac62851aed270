/* edit_sweep.c - a sweep over edits for people: a table of all combinations, and a picture on the page. */
#include "report/facts/edit_sweep.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { HEADS_ROOM = 1024, CURVES_MOST = 12, CURVE_ROOM = 96 };

static ps_status put_basis(ps_doc *doc, const void *subject, ps_error *err)
{
        return ps_prediction_show(doc, ((const ps_swept *)subject)->prediction, 0, err);
}

static void put_swept_row(ps_doc *doc, const ps_swept *s, uint32_t row)
{
        const ps_swept_row *r = &s->row[row];

        ps_doc_row(doc, 0);
        for (uint32_t a = 0; a < s->sweep->n_axes; a++)
                ps_doc_cell(doc, PS_DOC_PLAIN, s->sweep->axis[a].word[ps_edit_sweep_at(s->sweep, row, a)]);
        if (r->is_stuck) {
                ps_doc_cell(doc, PS_DOC_BAD, "never ends");
                ps_doc_cell(doc, PS_DOC_DIM, "-");
                return;
        }
        ps_doc_cell_time(doc, r->focus);
        ps_doc_cellf(doc, PS_DOC_PLAIN, "%.4g", r->focus ? (double)s->measured / (double)r->focus : INFINITY);
}

static ps_status put_rows(ps_doc *doc, const void *subject, ps_error *err)
{
        const ps_swept *s = subject;
        char heads[HEADS_ROOM];
        size_t at = 0;

        (void)err;
        for (uint32_t a = 0; a < s->sweep->n_axes; a++)
                at += (size_t)snprintf(heads + at, sizeof(heads) - at, "%s%.60s", a ? "|=" : "=",
                                       s->sweep->axis[a].lead);
        snprintf(heads + at, sizeof(heads) - at, "|=Length|=Speed-up");
        ps_doc_begin_table(doc, PS_DOC_TABLE, "", heads);
        for (uint32_t i = 0; i < s->sweep->n_rows; i++)
                put_swept_row(doc, s, i);
        ps_doc_end_table(doc);
        ps_doc_say(doc, PS_DOC_P,
                   "Lengths are of the focus; the speed-up is against the run as it was recorded.");
        return PS_OK;
}

/* -- the picture: the length over the last axis, a curve for each combination of the others -- */

typedef struct picture {
        const ps_swept *swept;
        uint32_t n_points;
} picture;

static bool next_point(const void *of, unsigned curve, size_t *at, double *x, double *y)
{
        const picture *p = of;
        const ps_edit_sweep *sweep = p->swept->sweep;

        for (; *at < p->n_points; ++*at) {
                const ps_swept_row *row = &p->swept->row[(size_t)curve * p->n_points + *at];
                *x = sweep->axis[sweep->n_axes - 1].value[*at];
                *y = ps_time_seconds(row->focus);
                if (!row->is_stuck && *x > 0 && *y > 0) {
                        ++*at;
                        return 1;
                }
        }
        return 0;
}

static void name_curve(char room[CURVE_ROOM], const ps_edit_sweep *sweep, uint32_t row)
{
        size_t at = 0;

        snprintf(room, CURVE_ROOM, "length");
        for (uint32_t a = 0; a + 1 < sweep->n_axes && at < CURVE_ROOM; a++)
                at += (size_t)snprintf(room + at, CURVE_ROOM - at, "%s%.40s%s", a ? " " : "",
                                       sweep->axis[a].lead,
                                       sweep->axis[a].word[ps_edit_sweep_at(sweep, row, a)]);
}

static ps_status put_picture(ps_doc *doc, const void *subject, ps_error *err)
{
        const ps_swept *s = subject;
        const ps_sweep_axis *last = &s->sweep->axis[s->sweep->n_axes - 1];
        const picture p = {s, last->n};
        uint32_t n = s->sweep->n_rows / last->n;
        char room[CURVES_MOST][CURVE_ROOM], unit[CURVE_ROOM];
        const char *names[CURVES_MOST];

        (void)err;
        n = n < CURVES_MOST ? n : CURVES_MOST;
        for (uint32_t i = 0; i < n; i++) {
                name_curve(room[i], s->sweep, i * last->n);
                names[i] = room[i];
        }
        snprintf(unit, sizeof(unit), "%.60s", last->lead);
        ps_doc_curves(doc, &(ps_doc_curves_spec){.title = "Length of the run",
                                                 .x_unit = unit,
                                                 .name = names,
                                                 .n_curves = n,
                                                 .next = next_point,
                                                 .of = &p});
        return PS_OK;
}

static const ps_doc_section sections[] = {
        {"prediction", "Prediction", PS_DOC_UNTITLED, NULL, put_basis},
        {"picture", "Length of the run", PS_DOC_PAGE_ONLY, NULL, put_picture},
        {"edits", "Edits", PS_DOC_UNTITLED, NULL, put_rows},
};

static ps_status write_swept(ps_doc *doc, const void *subject, ps_error *err)
{
        const ps_swept *s = subject;
        char what[64];

        snprintf(what, sizeof(what), "%" PRIu32 " combinations of edits (predicted)", s->sweep->n_rows);
        ps_doc_title(doc, "predict", s->trace_path, what);
        return ps_doc_sections(doc, sections, sizeof(sections) / sizeof(*sections), subject, err);
}

PS_DOC_FORMATS(ps_swept_write, ps_swept, write_swept)
