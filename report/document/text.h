/* text.h - what a document at a terminal is made of: marked text (marked.c), the frame and blocks (text.c),
 * tables (text_table.c). */
#ifndef PS_REPORT_DOCUMENT_TEXT_H
#define PS_REPORT_DOCUMENT_TEXT_H

#include "report/document/printer.h"

enum { PS_DOC_MARGIN = 2, PS_DOC_GAP = 2 };

/* -- marked text, from `at` to `end` -- */

unsigned ps_doc_marked_columns(const char *at, const char *end);
void ps_doc_put_marked(ps_doc *doc, const char *at, const char *end, ps_style base);
/* Nothing when it is so already. */
void ps_doc_set_style(ps_doc *doc, ps_style style);
/* Lines that begin at `indent`, where the output is, and end before `width`. */
void ps_doc_wrap(ps_doc *doc, const char *text, const char *end, unsigned indent, unsigned width,
                 ps_style base);
/* The same in the width of the output, with the end of the last line. */
void ps_doc_wrap_all(ps_doc *doc, const char *text, unsigned indent, ps_style base);

/* Of a call path that is longer than `room`, as many of the innermost names as fit, the last one without its
 * namespace if need be: says that there are more, and returns where these begin. */
const char *ps_doc_innermost(ps_doc *doc, const char *at, const char *end, unsigned room);

/* -- lines -- */

/* Whatever is printed comes after the blank line that somebody has asked for. */
void ps_doc_begin_lines(ps_doc *doc);
void ps_doc_put_bold_line(ps_doc *doc, const char *text);

/* -- tables: of the printer -- */

void ps_doc_text_table(ps_doc *doc);
void ps_doc_text_row(ps_doc *doc, char *cells, size_t n);
void ps_doc_text_end_table(ps_doc *doc);

#endif
