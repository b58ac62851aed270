/* page.c - see page.h. */
#include "report/document/page.h"
#include "report/document/html_page.h"
#include "report/print/text.h"

static const char *const escapes[PS_ASCII] = {
        ['&'] = "&amp;", ['<'] = "&lt;", ['>'] = "&gt;", ['"'] = "&#34;", ['\''] = "&#39;", ['`'] = "&#96;"};

void ps_html_text(ps_output *out, const char *text)
{
        ps_text_write_escaped(out, text, escapes);
}

void ps_html_script_escape(ps_output *out, const char *text)
{
        static const char *const quotes[PS_ASCII] = {
                ['"'] = "\\\"", ['\\'] = "\\\\", ['<'] = "\\u003c", ['>'] = "\\u003e", ['&'] = "\\u0026"};

        ps_text_write_escaped(out, text, quotes);
}

void ps_html_script_text(ps_output *out, const char *text)
{
        ps_output_putc(out, '"');
        ps_html_script_escape(out, text);
        ps_output_putc(out, '"');
}

void ps_html_policy(ps_output *out, bool is_served)
{
        ps_output_printf(out,
                         "default-src 'none'; base-uri 'none'; form-action 'none'; style-src 'sha256-%s'; "
                         "script-src 'sha256-%s'%s",
                         ps_html_css_sha256, ps_html_js_sha256,
                         is_served ? "; connect-src 'self'; frame-ancestors 'none'" : "");
}

void ps_html_begin_page(ps_output *out, const char *title, bool is_served)
{
        ps_output_puts(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n");
        if (!is_served) {
                ps_output_puts(out, "<meta http-equiv=\"Content-Security-Policy\" content=\"");
                ps_html_policy(out, false);
                ps_output_puts(out, "\"/>\n");
        }
        ps_output_puts(out, "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
                            "<meta name=\"color-scheme\" content=\"light dark\"/>\n"
                            "<meta name=\"generator\" content=\"patscan " PS_VERSION "\"/>\n<title>");
        ps_html_text(out, title);
        ps_output_puts(out, " - patscan</title>\n<style>");
        ps_output_puts(out, ps_html_css);
        ps_output_puts(out, "</style>\n<script>");
        ps_output_puts(out, ps_html_js);
        ps_output_puts(out, "</script>\n</head>\n<body>\n");
}

void ps_html_end_page(ps_output *out)
{
        ps_output_puts(out, "</main>\n</body>\n</html>\n");
}

void ps_html_duration(ps_output *out, double seconds)
{
        char room[PS_NUMBER_ROOM];

        ps_text_seconds_short(room, seconds);
        ps_output_puts(out, seconds == 0 ? "0" : room);
}

void ps_html_count(ps_output *out, uint64_t n)
{
        char room[PS_NUMBER_ROOM];

        ps_text_count(room, n);
        ps_output_puts(out, room);
}

void ps_html_share(ps_output *out, double share)
{
        char room[PS_NUMBER_ROOM];

        ps_html_text(out, ps_text_share(room, share));
}

static double percent_of(double value, double whole)
{
        double percent = whole > 0 ? 100 * value / whole : 0;

        return percent > 0 ? percent < 100 ? percent : 100 : 0;
}

void ps_html_bar(ps_output *out, const ps_doc_part *parts, unsigned n, double whole, bool is_told)
{
        double at = 0;

        ps_output_puts(out, "<svg class=\"bar\" viewBox=\"0 0 100 10\" preserveAspectRatio=\"none\" ");
        ps_output_puts(out, is_told ? "aria-hidden=\"true" : "role=\"img\" aria-label=\"");
        for (unsigned i = 0; i < n && !is_told; i++)
                ps_output_printf(out, "%s%s %.0f %%", i ? ", " : "", parts[i].title,
                                 percent_of(parts[i].value, whole));
        ps_output_puts(out, "\">");
        for (unsigned i = 0; i < n; i++) {
                double width = percent_of(parts[i].value, whole);
                width = width < 100 - at ? width : 100 - at;
                if (width < 0.05)
                        continue;
                ps_output_printf(out, "<path class=\"%s\" d=\"M%.1f 0h%.1fv10h-%.1fz\"/>", parts[i].class, at,
                                 width, width);
                at += width;
        }
        ps_output_puts(out, "</svg>");
}

void ps_html_open_table(ps_output *out, const char *classes, const char *caption, bool is_said)
{
        ps_output_printf(out, "<div class=\"scroll\">\n<table class=\"%s\"><caption%s>%s</caption>\n<thead>",
                         classes, is_said ? " class=\"said\"" : "", caption);
}

void ps_html_end_table(ps_output *out)
{
        ps_output_puts(out, "</tbody></table></div>\n");
}
