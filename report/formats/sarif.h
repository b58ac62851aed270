/* sarif.h - what the files that write a SARIF log share. */
#ifndef PS_REPORT_FORMATS_SARIF_H
#define PS_REPORT_FORMATS_SARIF_H

#include "report/facts/sites.h"
#include "report/print/line_hash.h"
#include "report/print/row.h"

/* A file that results point at. */
typedef struct ps_sarif_file {
        const char *name; /* as it is opened here, or as the trace has it */
        char *uri;        /* percent-encoded */
        bool is_relative; /* to SRCROOT */
        bool is_here;     /* on this machine */
        ps_line_hash *line;
        uint32_t n_lines; /* 0: it is not on disk */
} ps_sarif_file;

typedef struct ps_sarif {
        const ps_report *report;
        ps_row row;
        ps_output *text; /* a message in the making */
        const ps_sites *sites;
        uint32_t n_results; /* of the sites, the largest */
        char *root;         /* the folder that relative names are relative to, with a slash; or NULL */
        ps_sarif_file *file;
        uint32_t n_files, trace_file; /* sorted by name */
} ps_sarif;

/* Finds all files of the results, names them, and reads those that are here. */
ps_status ps_sarif_collect_files(ps_sarif *sarif, ps_error *err);
void ps_sarif_free_files(ps_sarif *sarif);
uint32_t ps_sarif_find_file(const ps_sarif *sarif, const char *name);
/* "file:///home/a%20b/"; NULL without memory. */

/* What was gathered in `text`, which is empty then. */
void ps_sarif_put_text(ps_sarif *sarif, const char *key);
void ps_sarif_write_result(ps_sarif *sarif, uint32_t i);

#endif
