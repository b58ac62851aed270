/* marks.h - what a saved report says about lines of source files: what an editor shows.
 *
 * The report is read as a stream, because 50,000 findings are 50 MB of text and a tree of them several times
 * that. Findings of one site and line in several ranks are one mark. */
#ifndef PS_APP_LSP_MARKS_H
#define PS_APP_LSP_MARKS_H

#include "core/base/arena.h"
#include "core/base/error.h"
#include "core/base/lookup.h"
#include "core/base/strings.h"

/* What a mark, read at one time, is worth at another: its line may be a different one by now. */
typedef enum ps_mark_state {
        PS_MARK_UNKNOWN, /* nobody can tell */
        PS_MARK_SOUND,   /* the same line */
        PS_MARK_MOVED,   /* it stands elsewhere now */
        PS_MARK_STALE    /* it is no more there, or the file is newer than the report */
} ps_mark_state;

/* Texts are NULL where the report has none; lines and columns count from 1, 0: none. */
typedef struct ps_line_mark {
        ps_str file; /* the name in the report */
        uint32_t line, column, column_end;
        const char *id, *site, *type, *function, *line_text, *comment, *advice, *dump;
        const char *line_source;
        const char *partner_file, *cause; /* cause: the id of the one that explains most */
        double lost_s, share;             /* of all ranks */
        uint64_t count;
        uint32_t process, partner, partner_line; /* UINT32_MAX: none */
        uint32_t n_ranks;                        /* how many it happened on, `process` most of all */
        /* Where it is now. */
        uint32_t now;
        ps_mark_state state;
} ps_line_mark;

typedef struct ps_mark_fix {
        const char *kind, *edit;
        double factor, gain_s; /* NAN: none */
} ps_mark_fix;

/* What somebody did too long. */
typedef struct ps_mark_cause {
        const char *id, *function, *comment, *advice;
        ps_str file;
        uint32_t line, process;
        double waiting_s, share;
        ps_mark_fix fix; /* the one that applies first; kind NULL: none is known */
} ps_mark_cause;

/* A function, all its call paths together. */
typedef struct ps_mark_function {
        const char *name;
        ps_str file;
        uint32_t line;
        double waiting_s;
} ps_mark_function;

/* The marks of a file, one after the other. */
typedef struct ps_marked_file {
        ps_str name;
        uint32_t first, n;
} ps_marked_file;

typedef struct ps_marks {
        ps_arena *arena;
        ps_strings *names;  /* of files */
        ps_line_mark *mark; /* by file, then line */
        uint32_t n, cap;
        ps_mark_cause *cause;
        uint32_t n_causes, cap_causes;
        ps_mark_function *function;
        uint32_t n_functions, cap_functions;
        ps_marked_file *file;
        uint32_t n_files, cap_files;
        uint64_t n_findings, n_nowhere; /* nowhere: they have no file */
        double all_s, duration_s;       /* all time in the focus; how long the run took */
        const char *source_root, *trace;
        ps_lookup places;
} ps_marks;

/* Of the text of a report, or of a compact one; what is none is PS_E_INPUT. `path` is for the errors. */
enum { PS_MARKS_MOST = 1 << 30 }; /* bytes of a report that is read */
ps_status ps_marks_read(ps_marks *out, const char *text, size_t n, const char *path, ps_error *err);
void ps_marks_clear(ps_marks *marks);

/* NULL: there is no such cause, or `id` is NULL. */
const ps_mark_cause *ps_marks_cause(const ps_marks *marks, const char *id);
/* "" is the name of what has no file. */
static inline const char *ps_marks_name(const ps_marks *marks, ps_str file)
{
        return ps_strings_get(marks->names, file);
}

#endif
