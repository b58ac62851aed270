/* redistribution.h - the report of `patscan redistribute`, for people and for programs. */
#ifndef PS_REPORT_REDISTRIBUTION_REDISTRIBUTION_H
#define PS_REPORT_REDISTRIBUTION_REDISTRIBUTION_H

#include "core/base/types.h"
#include "report/print/output.h"
#include "simulator/redistribute/load.h"

typedef struct ps_redist_machine {
        const char *name, *formula;
        ps_time time;
} ps_redist_machine;

typedef struct ps_redist_report {
        const ps_redist *redist;
        const ps_redist_loads *loads;
        const ps_redist_machine *machines; /* in the order in which they were asked for */
        unsigned n_machines;
        bool were_asked_for; /* otherwise they are the presets, and `time_s` is nobody's */
        bool with_plan;      /* JSON only */
} ps_redist_report;

/* JSON has no `matrix` for more processors than this: `transfers` says the same. */
enum { PS_REDIST_MATRIX_MAX = 1024 };

typedef ps_status ps_redist_writer(const ps_redist_report *report, ps_output *out, ps_error *err);
ps_redist_writer ps_redist_write_text, ps_redist_write_html, ps_redist_write_markdown, ps_redist_write_json;
/* The transfers, one a line. */
ps_redist_writer ps_redist_write_csv;

/* So many bytes or more are written as JSON with a plan: known before any of it is made. */
uint64_t ps_redist_json_least(const ps_redist *redist);

/* "cyclic(10)", "block@2", "*". */
enum { PS_REDIST_FORMAT_ROOM = 48 };
const char *ps_redist_format_text(char room[PS_REDIST_FORMAT_ROOM], const ps_redist_format *format);

#endif
