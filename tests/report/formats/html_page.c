/* html_page.c - see html_page.h. */
#include "tests/report/formats/html_page.h"

const char *html_page_of(report_lab *lab, const ps_intervals *tree, ps_output **out)
{
        const char *html;

        lab->report.settings.intervals = tree;
        lab->report.settings.interval_levels = UINT32_MAX;
        html = report_lab_write(lab, out, ps_report_write_html);
        html_check_markup(html);
        html_check_links(html);
        return html;
}

const char *html_page(report_lab *lab, const ps_intervals *tree, ps_output **out)
{
        report_lab_open(lab, &(lab_names){0});
        return html_page_of(lab, tree, out);
}

void html_page_close(report_lab *lab, ps_output *out)
{
        ps_output_discard(out);
        report_lab_close(lab);
}
