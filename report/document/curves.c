/* curves.c - curves over two logarithmic axes, on a page. Other formats have the table that says the same. */
#include "report/document/page.h"
#include "report/document/printer.h"

#include <math.h>
#include <stdio.h>

enum { WIDTH = 900, HEIGHT = 420, LEFT = 74, RIGHT = 16, TOP = 12, BOTTOM = 44, COLOURS = 6, TICKS_MOST = 8 };

/* The decimal logarithms of what is drawn. */
typedef struct frame {
        double x_least, x_most, y_least, y_most;
        unsigned n;
} frame;

static void widen(double *least, double *most, double value, bool is_first)
{
        *least = is_first ? value : fmin(*least, value);
        *most = is_first ? value : fmax(*most, value);
}

/* The next point that a logarithm has a place for. */
static bool next_drawn(const ps_doc_curves_spec *c, unsigned curve, size_t *at, double *x, double *y)
{
        while (c->next(c->of, curve, at, x, y))
                if (*x > 0 && *y > 0 && isfinite(*x) && isfinite(*y)) {
                        *x = log10(*x);
                        *y = log10(*y);
                        return true;
                }
        return false;
}

static frame frame_of(const ps_doc_curves_spec *c)
{
        frame f = {0};
        double x, y;
        for (unsigned i = 0; i < c->n_curves; i++)
                for (size_t at = 0; next_drawn(c, i, &at, &x, &y); f.n++) {
                        widen(&f.x_least, &f.x_most, x, !f.n);
                        widen(&f.y_least, &f.y_most, y, !f.n);
                }
        f.y_least = floor(f.y_least);
        f.y_most = fmax(ceil(f.y_most), f.y_least + 1);
        f.x_most = fmax(f.x_most, f.x_least + 0.3);
        return f;
}

static double x_of(const frame *f, double x)
{
        return LEFT + (x - f->x_least) / (f->x_most - f->x_least) * (WIDTH - LEFT - RIGHT);
}

static double y_of(const frame *f, double y)
{
        return TOP + (f->y_most - y) / (f->y_most - f->y_least) * (HEIGHT - TOP - BOTTOM);
}

static void put_y_ticks(ps_output *out, const frame *f)
{
        double step = ceil((f->y_most - f->y_least) / TICKS_MOST);
        for (double y = f->y_least; y <= f->y_most + 0.5; y += step) { /* NOLINT(*FloatLoopCounter): whole */
                char room[PS_NUMBER_ROOM];
                ps_text_seconds_short(room, pow(10, y));
                ps_output_printf(out,
                                 "<path class=\"tick\" d=\"M%d %.1fH%d\"/><text class=\"y\" x=\"%d\" "
                                 "y=\"%.1f\">%s</text>",
                                 LEFT, y_of(f, y), WIDTH - RIGHT, LEFT - 6, y_of(f, y) + 4, room);
        }
}

/* Sizes of messages are powers of two. */
static void put_x_ticks(ps_output *out, const frame *f, const char *unit)
{
        const double two = log10(2);
        int first = (int)ceil(f->x_least / two - 1e-9), last = (int)floor(f->x_most / two + 1e-9);
        int step = (last - first) / TICKS_MOST + 1;
        for (int k = first; k <= last; k += step) {
                char room[PS_NUMBER_ROOM];
                ps_text_count(room, UINT64_C(1) << (k < 63 ? k : 63));
                ps_output_printf(out,
                                 "<path class=\"tick\" d=\"M%.1f %dV%d\"/><text class=\"x\" x=\"%.1f\" "
                                 "y=\"%d\">%s</text>",
                                 x_of(f, k * two), TOP, HEIGHT - BOTTOM, x_of(f, k * two),
                                 HEIGHT - BOTTOM + 18, room);
        }
        ps_output_printf(out, "<text class=\"x\" x=\"%d\" y=\"%d\">%s</text>", (LEFT + WIDTH - RIGHT) / 2,
                         HEIGHT - 6, unit);
}

static void put_curve(ps_output *out, const ps_doc_curves_spec *c, const frame *f, unsigned curve)
{
        double x, y;
        char sign = 'M';
        ps_output_printf(out, "<path class=\"curve c%u%s\" d=\"", curve % COLOURS,
                         curve / COLOURS % 2 ? " dashed" : "");
        for (size_t at = 0; next_drawn(c, curve, &at, &x, &y); sign = 'L')
                ps_output_printf(out, "%c%.1f %.1f", sign, x_of(f, x), y_of(f, y));
        ps_output_puts(out, "\"/>");
        for (size_t at = 0; next_drawn(c, curve, &at, &x, &y);)
                ps_output_printf(out, "<circle class=\"c%u\" cx=\"%.1f\" cy=\"%.1f\" r=\"3\"/>",
                                 curve % COLOURS, x_of(f, x), y_of(f, y));
}

void ps_doc_curves(ps_doc *doc, const ps_doc_curves_spec *c)
{
        ps_output *out = ps_doc_page(doc);
        frame f = frame_of(c);
        if (!out || f.n < 2)
                return;
        ps_output_puts(out, "<figure class=\"curves\">\n<figcaption>");
        for (unsigned i = 0; i < c->n_curves; i++) {
                ps_output_printf(out, "<span class=\"c%u\">%s", i % COLOURS, i / COLOURS % 2 ? "- - " : "");
                ps_html_text(out, c->name[i]);
                ps_output_puts(out, "</span> ");
        }
        ps_output_printf(out, "</figcaption>\n<svg viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"%s\">",
                         WIDTH, HEIGHT, c->title);
        put_y_ticks(out, &f);
        put_x_ticks(out, &f, c->x_unit);
        for (unsigned i = 0; i < c->n_curves; i++)
                put_curve(out, c, &f, i);
        ps_output_puts(out, "</svg>\n</figure>\n");
}
