/* calibration.h - the report of `patscan calibrate`, for people and for programs. */
#ifndef PS_REPORT_CALIBRATION_CALIBRATION_H
#define PS_REPORT_CALIBRATION_CALIBRATION_H

#include "report/print/output.h"
#include "simulator/calibrate/calibrate.h"

/* The trace again, with the machine's costs instead of the measured ones. */
typedef struct ps_calibrate_replay {
        ps_time measured, replayed;
        bool never_ends; /* on this machine */
} ps_calibrate_replay;

typedef struct ps_calibrate_report {
        const char *const *paths; /* what was read */
        unsigned n_paths;
        ps_model model;
        const ps_samples *samples;
        const ps_calibration *calibration;
        const char *name;                  /* of the machine */
        const char *formula;               /* NULL: there is no machine */
        const ps_calibrate_replay *replay; /* NULL: there is none */
} ps_calibrate_report;

typedef ps_status ps_calibrate_writer(const ps_calibrate_report *report, ps_output *out, ps_error *err);
ps_calibrate_writer ps_calibrate_write_text, ps_calibrate_write_html, ps_calibrate_write_markdown,
        ps_calibrate_write_json;

#endif
