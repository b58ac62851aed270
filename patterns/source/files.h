/* files.h - the source files that a trace names, as they are found on this machine.
 *
 * A trace is recorded elsewhere, so its paths are tried with the prefixes that --path-map exchanges, then
 * below each --source-root: the whole path, then without its first component, and so on. A longer match in
 * any root goes before a shorter one. Names come from a trace that nobody vouches for: only regular files
 * with the ending of a source file are opened, of a bounded size, each at most once. */
#ifndef PS_PATTERNS_SOURCE_FILES_H
#define PS_PATTERNS_SOURCE_FILES_H

#include "core/base/strings.h"
#include "patterns/source/scan.h"
#include "patterns/source/source.h"

typedef struct ps_source_files ps_source_files;

typedef struct ps_source_file {
        const char *shown; /* what reports print: relative to the source root that it lies in, if any, else
                            * the trace's name after --path-map */
        const char *disk;  /* where it is; NULL: not here */
        ps_scan *scan;     /* NULL: not read yet, or not readable */
        char *text;        /* what `scan` points into */
        bool was_read;
} ps_source_file;

/* PS_E_USAGE when a map has no '='. */
ps_status ps_source_files_new(ps_source_files **out, const ps_source_options *options, ps_error *err);
void ps_source_files_free(ps_source_files *files);

/* The file of that name in the trace; the pointer lives until the next call. NULL when there is no memory. */
ps_source_file *ps_source_files_get(ps_source_files *files, const char *name);

/* Reads it at the first call; *out is NULL when it cannot be read. Fails only for want of memory. */
ps_status ps_source_files_scan(ps_source_files *files, ps_source_file *file, const ps_scan **out,
                               ps_error *err);

/* The path of the file that is shown as `shown`; NULL when there is none. */
const char *ps_source_files_disk(const ps_source_files *files, const char *shown);

/* The text of a line of that file; NULL: there is none, or no memory for it. */
const char *ps_source_files_line(ps_source_files *files, const char *shown, uint32_t line);

#endif
