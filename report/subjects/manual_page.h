/* manual_page.h - how what is explained looks, as text and as Markdown: a heading, paragraphs, labelled
 * texts. */
#ifndef PS_REPORT_SUBJECTS_MANUAL_PAGE_H
#define PS_REPORT_SUBJECTS_MANUAL_PAGE_H

#include "report/subjects/manual.h"

typedef struct ps_manual_page {
        ps_output *out;
        ps_manual_form form;
} ps_manual_page;

void ps_manual_put_heading(const ps_manual_page *page, const char *id, const char *title);
void ps_manual_put_paragraph(const ps_manual_page *page, const char *text);
/* A labelled text; `code`, which may be NULL, stands before it and on a line of its own where it is not
 * marked. */
void ps_manual_put_entry(const ps_manual_page *page, const char *label, const char *code, const char *text);

#endif
