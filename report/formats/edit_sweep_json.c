/* edit_sweep_json.c - a sweep over edits for programs, as JSON and as CSV, with a column for each edit. */
#include "report/facts/edit_sweep.h"
#include "report/print/record_rows.h"

#include <stdio.h>

static void put_edits(ps_row *to, const char *key, const ps_swept *s, const ps_swept_row *row)
{
        char text[128];

        ps_row_open(to, key, '[');
        for (uint32_t a = 0; a < s->sweep->n_axes; a++) {
                const ps_sweep_axis *axis = &s->sweep->axis[a];
                snprintf(text, sizeof(text), "%.90s%.30s", axis->lead,
                         axis->word[ps_edit_sweep_at(s->sweep, (uint32_t)(row - s->row), a)]);
                ps_row_text(to, NULL, text);
        }
        ps_row_close(to, ']');
}

static const char *const schema_names[] = {"patscan-edit-sweep-1"};

#define RECORD     swept_row
#define RECORD_DEF "report/formats/swept_row.def"
#define RECORD_IN  ps_swept
#define RECORD_IT  ps_swept_row
#define RECORD_DOC "the run with one combination of edits"
#include "report/print/make_record.def"

#define RECORD       edit_sweep
#define RECORD_DEF   "report/formats/edit_sweep.def"
#define RECORD_IT    ps_swept
#define RECORD_DOC   "What `patscan predict --report json` writes of edits with several values, version 1."
#define RECORD_WRITE ps_swept_write_json
#define RECORD_STYLE PS_ROW_SPACED
#include "report/print/make_record.def"

ps_status ps_swept_write_csv(const ps_swept *s, ps_output *out, ps_error *err)
{
        ps_row to = {.out = out, .style = PS_ROW_CSV};

        (void)err;
        for (uint32_t a = 0; a < s->sweep->n_axes; a++)
                ps_row_text(&to, NULL, s->sweep->axis[a].lead);
        ps_row_word(&to, NULL, "run_s");
        ps_row_word(&to, NULL, "whole_s");
        ps_row_word(&to, NULL, "speedup");
        ps_row_end_line(&to);
        for (uint32_t i = 0; i < s->sweep->n_rows; i++) {
                const ps_swept_row *row = &s->row[i];
                for (uint32_t a = 0; a < s->sweep->n_axes; a++)
                        ps_row_word(&to, NULL, s->sweep->axis[a].word[ps_edit_sweep_at(s->sweep, i, a)]);
                ps_row_known(time, &to, NULL, row->focus, !row->is_stuck);
                ps_row_known(time, &to, NULL, row->whole, !row->is_stuck);
                ps_row_known(share, &to, NULL, (double)s->measured / (double)row->focus,
                             !row->is_stuck && row->focus > 0);
                ps_row_end_line(&to);
        }
        return PS_OK;
}
