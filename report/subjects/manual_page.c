/* manual_page.c - see manual_page.h. */
#include "report/subjects/manual_page.h"

#include "report/print/text.h"

#include <string.h>

enum { LABEL_COLUMNS = 14, WIDTH_MAX = 100 };

static unsigned width_of(const ps_manual_page *p)
{
        unsigned width = ps_output_width(p->out);
        return p->form == PS_MANUAL_MARKDOWN || width > WIDTH_MAX ? WIDTH_MAX : width;
}

void ps_manual_put_heading(const ps_manual_page *p, const char *id, const char *title)
{
        if (p->form == PS_MANUAL_MARKDOWN) {
                ps_output_printf(p->out, "## %s\n\n**%s.** ", id, title);
                return;
        }
        ps_text_write_label(p->out, id, (unsigned)strlen(id));
        ps_output_puts(p->out, ": ");
        ps_text_wrap(p->out, title, (unsigned)strlen(id) + 2, width_of(p));
        ps_output_puts(p->out, "\n\n");
}

void ps_manual_put_paragraph(const ps_manual_page *p, const char *text)
{
        if (p->form == PS_MANUAL_MARKDOWN)
                ps_output_puts(p->out, text);
        else
                ps_text_wrap(p->out, text, 0, width_of(p));
        ps_output_puts(p->out, "\n\n");
}

/* A labelled text; `code`, which may be NULL, stands before it and on a line of its own where it is not
 * marked. */
void ps_manual_put_entry(const ps_manual_page *p, const char *label, const char *code, const char *text)
{
        if (p->form == PS_MANUAL_MARKDOWN) {
                ps_output_printf(p->out, "- **%s:** ", label);
                if (code)
                        ps_output_printf(p->out, "`%s`%s", code, *text ? "<br>" : "");
                ps_output_printf(p->out, "%s\n", text);
                return;
        }
        ps_output_style(p->out, PS_BOLD);
        ps_output_printf(p->out, "%-*s", LABEL_COLUMNS, label);
        ps_output_style(p->out, PS_PLAIN);
        if (code)
                ps_text_wrap(p->out, code, LABEL_COLUMNS, width_of(p));
        if (code && *text)
                ps_output_printf(p->out, "\n%*s", LABEL_COLUMNS, "");
        ps_text_wrap(p->out, text, LABEL_COLUMNS, width_of(p));
        ps_output_putc(p->out, '\n');
}
