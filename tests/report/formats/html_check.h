/* html_check.h - what a browser would say of a page. What it would not like fails the test. */
#ifndef PS_TESTS_REPORT_FORMATS_HTML_CHECK_H
#define PS_TESTS_REPORT_FORMATS_HTML_CHECK_H

/* Tags nest and end, attributes are quoted, none is a handler of events or a style, no & or < stands bare. */
void html_check_markup(const char *html);
/* No id stands twice, and each link leads to one. */
void html_check_links(const char *html);
/* How often `what` stands in it. */
unsigned html_count(const char *html, const char *what);

#endif
