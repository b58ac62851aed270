/* words.h - what marks say: in a diagnostic, over a function, on a line, and at length. */
#ifndef PS_APP_LSP_WORDS_H
#define PS_APP_LSP_WORDS_H

#include "app/lsp/marks.h"
#include "report/print/output.h"

/* "Late sender", also of a pattern that this version does not know. */
const char *ps_mark_title(const ps_line_mark *mark);
/* An error of the program, whatever it costs? */
bool ps_mark_is_defect(const ps_line_mark *mark);

/* "Late sender: 29.06 ms lost (6.3 %) in 39 calls on rank 1. MPI_Waitall waited ..." */
void ps_mark_say(ps_output *out, const ps_marks *marks, const ps_line_mark *mark);
/* "29.06 ms lost" */
void ps_mark_say_line(ps_output *out, const ps_line_mark *mark, uint32_t n);
/* "18.2 % lost, 24.1 ms shorter if balanced, rank 2 longest"; nothing if there is nothing to tell. */
void ps_mark_say_function(ps_output *out, const ps_marks *marks, const ps_mark_function *function);
/* Who waits for whom, why, what would help, and how it is measured, in Markdown. */
void ps_mark_explain(ps_output *out, const ps_marks *marks, const ps_line_mark *mark);
/* The same of a cause. */
void ps_mark_explain_cause(ps_output *out, const ps_marks *marks, const ps_mark_cause *cause);
/* The largest cause in a function; NULL: none. */
const ps_mark_cause *ps_mark_cause_in(const ps_marks *marks, const ps_mark_function *function);

#endif
