/* source.h - where in the source a call path stands, and how sure that is.
 *
 * Recorders seldom tell the line of a call. Where they do - calling contexts, call-site attributes - it is
 * exact. Otherwise the enclosing user function is known with its file and first line, and its text is
 * searched for the call's name: one hit is the place, several are candidates. Files that are not there, that
 * are not where they were built, or in which another function stands at that line, leave the function.
 *
 * A call from inside of a library is looked for by the name that the program's own code calls. When the trace
 * tells where that outer call stands, but not the inner one, the place is that line, and no more certain than
 * the function is. OpenMP constructs and marked loops stand where they are defined. */
#ifndef PS_PATTERNS_SOURCE_SOURCE_H
#define PS_PATTERNS_SOURCE_SOURCE_H

#include "core/model/trace.h"

/* In rising order of certainty. */
typedef enum ps_line_source {
        PS_LINE_NONE,
        PS_LINE_FUNCTION,    /* the first line of the enclosing function, or where it calls what calls this */
        PS_LINE_CANDIDATES,  /* one of several calls of that name in it: the first is given */
        PS_LINE_UNIQUE_CALL, /* the only call of that name in it */
        PS_LINE_EXACT        /* the trace says so */
} ps_line_source;

extern const char *const ps_line_source_names[PS_LINE_EXACT + 1]; /* "none" to "exact" */

typedef struct ps_source_place {
        /* As the trace names it, after --path-map; relative to the --source-root in which it was found, if
         * any. NULL: unknown. */
        const char *file;
        /* The user function that encloses the call; of one that nothing calls, the function itself. NULL:
         * unknown. */
        const char *function;
        uint32_t line;               /* 0: unknown */
        uint32_t column, column_end; /* of the call's name, 1-based, end exclusive; 0: unknown */
        ps_line_source certainty;
        const uint32_t *candidates; /* with PS_LINE_CANDIDATES: the first 64 lines, rising, each once */
        uint32_t n_candidates;
} ps_source_place;

/* `old_prefix=new_prefix` pairs, and folders under which files are looked for when they are not at their
 * path. */
typedef struct ps_source_options {
        const char *const *roots;
        unsigned n_roots;
        const char *const *maps;
        unsigned n_maps;
} ps_source_options;

typedef struct ps_sources ps_sources;

/* Borrows trace and options. PS_E_USAGE when a map has no '='. */
ps_status ps_sources_new(ps_sources **out, const ps_trace *trace, const ps_source_options *options,
                         ps_error *err);
void ps_sources_free(ps_sources *sources);

/* The place of a call path's last region. Computed once for each path; files are read at most once and are
 * bounded in size. Fails only for want of memory. Not for several threads at once. */
ps_status ps_sources_of(ps_sources *sources, ps_path path, const ps_source_place **out, ps_error *err);

/* The `file` of a place as it was found on this machine, or NULL: for reports that want the text of a line.
 * Only what ends like a source file is ever found. */
const char *ps_sources_file_on_disk(ps_sources *sources, const char *file);
/* A line of it, as it stands there now; NULL: there is none. */
const char *ps_sources_line(ps_sources *sources, const char *file, uint32_t line);

#endif
