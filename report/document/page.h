/* page.h - pieces of the HTML report. Whatever is written is well-formed XML, too; all text that is not the
 * report's own goes through ps_html_text(). */
#ifndef PS_REPORT_DOCUMENT_PAGE_H
#define PS_REPORT_DOCUMENT_PAGE_H

#include "report/document/document.h"
#include "report/print/output.h"
#include "report/print/text.h"

/* Up to the <body>, which holds a <header> and an open <main>; from the end of the <main>.
 *
 * Whoever reads a page trusts it more than the trace that it is about. So nothing but the style and the
 * script of page/ is allowed to do anything, by their hashes in a
 * Content-Security-Policy. */
void ps_html_begin_page(ps_output *out, const char *title, bool is_served);
/* That policy. Whoever serves a page sends it as a header, and lets it ask for more of the run. */
void ps_html_policy(ps_output *out, bool is_served);
void ps_html_end_page(ps_output *out);

/* Cleaned, and escaped for an element's content or a quoted attribute. */
void ps_html_text(ps_output *out, const char *text);

/* For a text of JSON in a <script>: nothing in it ends the element, and it is well-formed XML, too. */
void ps_html_script_escape(ps_output *out, const char *text);
/* The same with its quotes. */
void ps_html_script_text(ps_output *out, const char *text);

/* For people; nothing is "0". */
void ps_html_duration(ps_output *out, double seconds);
void ps_html_count(ps_output *out, uint64_t n);
void ps_html_share(ps_output *out, double share);

/* A bar of parts of `whole`. Titles name the parts for those who do not see it, unless the numbers stand
 * beside it anyway (`is_told`). */
void ps_html_bar(ps_output *out, const ps_doc_part *parts, unsigned n, double whole, bool is_told);

/* A table with a caption, which is not seen if it `is_said` already, in a box that scrolls: up to its
 * <thead>. */
void ps_html_open_table(ps_output *out, const char *classes, const char *caption, bool is_said);
void ps_html_end_table(ps_output *out);

#endif
