/* parse.h - one line of a PICL trace, in each of its forms. */
#ifndef PS_READER_PICL_PARSE_H
#define PS_READER_PICL_PARSE_H

#include "reader/picl/log.h"
#include "reader/picl/text.h"

/* Whether the line is a record of the form, as far as can be told from it alone: for probing. */
bool ps_picl_new_looks(const ps_picl_line *line);
bool ps_picl_old_looks(const ps_picl_line *line, ps_picl_form form);

/* The same, whatever the form; of a line that may be the first of its trace, the form that it can be of at
 * most. */
bool ps_picl_looks(const ps_picl_line *line, ps_picl_form form);
ps_picl_form ps_picl_form_of(const ps_picl_line *line);
bool ps_picl_is_empty(const ps_picl_line *line);

/* All lines of the file at `path`. */
ps_status ps_picl_read(ps_picl_log *log, const char *path, ps_error *err);
/* Some of them, from all over the file; none, if it cannot be read. */
ps_status ps_picl_read_sample(ps_picl_log *log, const char *path, ps_error *err);

/* Adds what the line says to the log and notes what is wrong with it; fails only for want of memory. */
ps_status ps_picl_new_take(ps_picl_log *log, const ps_picl_line *line, uint64_t number, ps_error *err);
ps_status ps_picl_old_take(ps_picl_log *log, const ps_picl_line *line, uint64_t number, ps_error *err);

/* At the end of an old trace: calls whose end did not come. */
ps_status ps_picl_old_finish(ps_picl_log *log, ps_error *err);

/* A line that is no record: of the last one only a part may be there. */
static inline void ps_picl_note_line(const ps_picl_log *log, const ps_picl_line *line, uint64_t number)
{
        ps_picl_note(log, line->is_whole ? PS_I_LINE_INVALID : PS_I_FILE_TRUNCATED, number);
}

#endif
