/* moved.h - where a line of a source is by now. */
#ifndef PS_APP_LSP_MOVED_H
#define PS_APP_LSP_MOVED_H

#include "app/lsp/marks.h"
#include "patterns/source/lines.h"

/* Sets `now` and `state` of the marks of a file with these lines; `is_newer`: it was changed after the report
 * was made. `path` tells the language. */
ps_status ps_marks_settle(ps_line_mark *mark, uint32_t n, const ps_lines *lines, const char *path,
                          bool is_newer, ps_error *err);

#endif
