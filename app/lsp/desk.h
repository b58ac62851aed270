/* desk.h - a report, and the source files that it is about as they are now. */
#ifndef PS_APP_LSP_DESK_H
#define PS_APP_LSP_DESK_H

#include "app/lsp/marks.h"
#include "patterns/source/lines.h"
#include "patterns/source/source.h"

#include <sys/stat.h>

/* A file that an editor may show; one for each name in the report. */
typedef struct ps_desk_file {
        char *path;     /* absolute, as it is here or would be */
        char *uri;      /* as the editor has it */
        bool is_here;   /* on this machine */
        bool is_open;   /* in the editor, which tells its text */
        bool is_shown;  /* the editor has marks of it */
        ps_lines lines; /* as they are now; empty: not looked at */
        bool was_read;
} ps_desk_file;

typedef struct ps_desk {
        ps_marks marks;
        ps_desk_file *file; /* by id of the name; row 0 is of no file */
        uint32_t n_files;
        size_t n_kept;           /* bytes of their lines */
        time_t made;             /* when the report was */
        ps_source_options where; /* what --source-root and --path-map say */
        const char *report;      /* the report's path, for what lies beside it */
        char *root;              /* of the editor; NULL: none. Owned */
} ps_desk;

/* Reads the report anew; on failure the desk stays as it is. */
ps_status ps_desk_read(ps_desk *desk, const char *text, size_t n, time_t made, ps_error *err);
void ps_desk_clear(ps_desk *desk);

/* The id of the name of the file that the editor calls `uri`; 0: the report tells nothing of it. */
ps_str ps_desk_find(ps_desk *desk, const char *uri);
/* From now on the file is called as the editor calls it. */
ps_status ps_desk_call(ps_desk *desk, ps_str file, const char *uri, ps_error *err);
/* What the editor shows; text NULL: it is closed, and the file on disk counts. */
ps_status ps_desk_open(ps_desk *desk, ps_str file, const char *text, ps_error *err);
/* Looks where the marks of a file are by now. */
ps_status ps_desk_settle(ps_desk *desk, const ps_marked_file *marked, ps_error *err);
/* Drops the marks of sites that the configuration ignores. */
void ps_desk_drop(ps_desk *desk, bool (*is_ignored)(void *ctx, const char *site), void *ctx);
/* The marks of a file; NULL: there are none. */
const ps_marked_file *ps_desk_marks(const ps_desk *desk, ps_str file);
/* A line of a file as it is now; NULL: nobody knows. */
const char *ps_desk_line(ps_desk *desk, ps_str file, uint32_t line);

#endif
