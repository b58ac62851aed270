/* files.h - the files of one gasp-dump trace, and their lines. */
#ifndef PS_READER_GASP_FILES_H
#define PS_READER_GASP_FILES_H

#include "core/base/pass.h"
#include "core/model/defs.h"
#include "core/model/issue.h"
#include "reader/gasp/line.h"

#include <stdio.h>

#define PS_GASP_NO_BARRIER (-1)

typedef struct ps_gasp_file {
        char *path;
        ps_str name;
        uint32_t thread;
        uint64_t size;
        ps_time barrier; /* when the first barrier was left; PS_GASP_NO_BARRIER: none was */
} ps_gasp_file;

typedef struct ps_gasp_files {
        ps_gasp_file *file; /* in the order of threads; some may be missing */
        uint32_t n, n_threads;
} ps_gasp_files;

/* 0 to 100, for ps_reader_class. */
int ps_gasp_files_probe(const char *path, const uint8_t *head, size_t head_len);

/* All files of the set that `path` is one of, or that lies in the folder `path`. Freed also after an error.
 */
ps_status ps_gasp_files_find(ps_gasp_files *out, const char *path, ps_defs *defs, ps_issues *issues,
                             ps_error *err);
/* What another process has found; names are those of defs. */
ps_status ps_gasp_files_pass(ps_pass *p, ps_gasp_files *files, const ps_defs *defs);
/* Is what was opened here what that has found? */
ps_status ps_gasp_file_check(const ps_gasp_file *file, FILE *open, ps_error *err);
void ps_gasp_files_free(ps_gasp_files *files);

/* The next line without its newline; of one that is too long only the begin. 0 at the end. */
bool ps_gasp_next_line(FILE *file, char line[PS_GASP_LINE_BYTES], size_t *n, uint64_t *read);

/* ps_reader_class.parts: the folder that they are in. */
unsigned ps_gasp_files_parts(char *out[], const char *path);

#endif
