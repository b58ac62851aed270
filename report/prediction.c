/* prediction.c - see prediction.h. */
#include "report/prediction.h"
#include "report/text.h"

#include <inttypes.h>
#include <stdlib.h>

enum { LABEL_COLUMNS = 10 };

static void put_label(ps_output *out, const char *label)
{
        ps_output_style(out, PS_BOLD);
        ps_output_printf(out, "%-*s", LABEL_COLUMNS, label);
        ps_output_style(out, PS_PLAIN);
}

/* The formula has names of a file in it, and may be long. */
static ps_status put_wrapped(ps_output *out, const char *label, const char *text, ps_error *err)
{
        char *clean = ps_text_clean(text);
        if (!clean)
                return PS_NOMEM(err, "text", 1);
        put_label(out, label);
        ps_text_wrap(out, clean, LABEL_COLUMNS, ps_output_width(out));
        ps_output_putc(out, '\n');
        free(clean);
        return PS_OK;
}

ps_status ps_prediction_write_text(const ps_prediction *p, ps_output *out, ps_error *err)
{
        if (p->grid) {
                put_label(out, "Grid");
                ps_output_printf(out, "%s\n", p->grid);
        }
        put_label(out, "Machine");
        ps_text_write(out, p->machine);
        ps_output_putc(out, '\n');
        return put_wrapped(out, "Cost", p->formula, err);
}

void ps_prediction_write_json(const ps_prediction *p, ps_json_row *row)
{
        ps_row_text(row, "machine", p->machine);
        ps_row_text(row, "formula", p->formula);
        ps_row_text(row, "grid", p->grid);
        ps_row_open(row, "notes", '[');
        for (uint32_t i = 0; i < p->n_notes; i++) {
                ps_row_open(row, NULL, '{');
                ps_row_text(row, "text", p->notes[i].text);
                ps_row_u64(row, "count", p->notes[i].count);
                ps_row_known(u64, row, "line", p->notes[i].line, p->notes[i].line);
                ps_row_close(row, '}');
        }
        ps_row_close(row, ']');
}
