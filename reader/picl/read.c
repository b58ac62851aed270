/* read.c - the lines of a PICL trace, whatever its form. */
#include "reader/picl/parse.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* What the first word of a line says about the form, if the file is a trace at all. */
ps_picl_form ps_picl_form_of(const ps_picl_line *line)
{
        const char *p = ps_picl_skip_blanks(line->text);
        if (*p == '-')
                return PS_PICL_NEW;
        if (*p >= '0' && *p <= '9')
                return PS_PICL_COMPACT;
        return (*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z') ? PS_PICL_VERBOSE : PS_PICL_NOT;
}

bool ps_picl_is_empty(const ps_picl_line *line)
{
        return *ps_picl_skip_blanks(line->text) == '\n';
}

bool ps_picl_looks(const ps_picl_line *line, ps_picl_form form)
{
        return form == PS_PICL_NEW ? ps_picl_new_looks(line)
                                   : form != PS_PICL_NOT && ps_picl_old_looks(line, form);
}

static inline ps_status take_line(ps_picl_log *log, const ps_picl_line *line, uint64_t number, ps_error *err)
{
        if (line->is_too_long) {
                ps_picl_note(log, PS_I_LINE_INVALID, number);
                return PS_OK;
        }
        if (log->form == PS_PICL_NEW)
                return ps_picl_new_take(log, line, number, err);
        if (ps_picl_is_empty(line))
                return PS_OK;
        if (log->form == PS_PICL_NOT) { /* nothing was a record yet */
                log->form = ps_picl_form_of(line);
                log->form = ps_picl_looks(line, log->form) ? log->form : PS_PICL_NOT;
        }
        if (log->form == PS_PICL_NOT) {
                ps_picl_note_line(log, line, number);
                return PS_OK;
        }
        return log->form == PS_PICL_NEW ? ps_picl_new_take(log, line, number, err)
                                        : ps_picl_old_take(log, line, number, err);
}

ps_status ps_picl_read(ps_picl_log *log, const char *path, ps_error *err)
{
        ps_picl_lines lines;
        ps_picl_line line;
        ps_status status = ps_picl_lines_open(&lines, path, err);
        while (status == PS_OK && (status = ps_picl_lines_next(&lines, &line, err)) == PS_OK && line.text) {
                status = take_line(log, &line, lines.line, err);
                if (status != PS_OK)
                        (void)PS_CAUSE(err, status, "cannot read the trace: path=\"%s\", line=%llu", path,
                                       (unsigned long long)lines.line);
        }
        if (status == PS_OK && log->form != PS_PICL_NEW)
                status = ps_picl_old_finish(log, err);
        if (status == PS_OK && !log->n_records)
                status = PS_FAIL(err, PS_E_INPUT, "the trace holds no records: path=\"%s\", lines=%llu", path,
                                 (unsigned long long)lines.line);
        ps_picl_lines_close(&lines);
        return status;
}

/* -- a sample -- */

enum { PIECES = 64, PIECE_BYTES = 4096 };

/* The whole lines of a piece, which begins somewhere in a line unless it is the file's first. */
static ps_status take_piece(ps_picl_log *log, const char *at, const char *end, bool is_first, ps_error *err)
{
        for (const char *stop; (stop = memchr(at, '\n', (size_t)(end - at))); at = stop + 1) {
                ps_picl_line line = {.text = at, .end = stop, .is_whole = 1};
                if (is_first)
                        PS_TRY(take_line(log, &line, 1, err));
                is_first = true;
        }
        return PS_OK;
}

ps_status ps_picl_read_sample(ps_picl_log *log, const char *path, ps_error *err)
{
        char piece[PIECE_BYTES];
        struct stat st;
        ps_status status = PS_OK;
        int file = open(path, O_RDONLY | O_CLOEXEC);
        if (file < 0) /* whoever reads all of it tells why */
                return PS_OK;
        off_t step = fstat(file, &st) == 0 ? st.st_size / PIECES : 0;
        for (off_t i = 0; i < PIECES && status == PS_OK; i++) {
                ssize_t n = pread(file, piece, sizeof(piece), i * step);
                status = n > 0 ? take_piece(log, piece, piece + n, !i, err) : PS_OK;
        }
        close(file);
        return status;
}
