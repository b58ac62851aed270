/* info.h - the report of `patscan info`: what a trace holds, for people and for programs. */
#ifndef PS_REPORT_SUBJECTS_INFO_H
#define PS_REPORT_SUBJECTS_INFO_H

#include "core/sums/crowding.h"
#include "core/sums/ending.h"
#include "core/sums/functions.h"
#include "core/sums/overview.h"
#include "core/sums/profile.h"
#include "report/print/output.h"
#include "simulator/network/linkload.h"

typedef struct ps_info {
        const char *path; /* as the user gave it */
        const ps_trace *trace;
        const ps_overview *overview;
        const ps_ending *ending; /* of the measured run */
        const ps_crowding *crowding;
        const ps_timing *timing;   /* whose duration is told; NULL: the measured one */
        bool never_ends;           /* the run of that timing: it has no duration */
        const ps_profile *profile; /* NULL: nobody asked for it */
        const ps_link_load *links; /* of the profile's messages on a network; NULL: on none */
        const char *network;
        const ps_functions *functions; /* with `times`; NULL: nobody asked for them */
        const ps_times *times;
        uint32_t top; /* how many a person is shown; 0: all */
} ps_info;

typedef ps_status ps_info_writer(const ps_info *info, ps_output *out, ps_error *err);
ps_info_writer ps_info_write_text, ps_info_write_html, ps_info_write_markdown, ps_info_write_json;
/* The profile only, which must be there. */
ps_info_writer ps_info_write_csv;

#endif
