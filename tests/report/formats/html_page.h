/* html_page.h - the page of the hand-made report, checked as it is made. */
#ifndef PS_TESTS_REPORT_FORMATS_HTML_PAGE_H
#define PS_TESTS_REPORT_FORMATS_HTML_PAGE_H

#include "tests/report/formats/html_check.h"
#include "tests/report/formats/lab.h"

/* Of the report in the lab, with this tree; NULL: without. */
const char *html_page_of(report_lab *lab, const ps_intervals *tree, ps_output **out);
/* The same, with a lab that is opened for it. */
const char *html_page(report_lab *lab, const ps_intervals *tree, ps_output **out);
void html_page_close(report_lab *lab, ps_output *out);

#endif
