/* markdown.h - names and prose from a trace inside of Markdown: they must show as they are, and never become
 * markup, links, mentions or another column of a table. */
#ifndef PS_REPORT_PRINT_MARKDOWN_H
#define PS_REPORT_PRINT_MARKDOWN_H

#include "report/print/output.h"

void ps_markdown_write_name(ps_output *out, const char *name); /* in the font of code */
const char *ps_markdown_escape(char c);                        /* what to write for it; NULL: itself */
void ps_markdown_write_prose(ps_output *out, const char *text);

#endif
