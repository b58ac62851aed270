/* archive.h - a run as an OTF2 archive. */
#ifndef PS_RECORD_FINISH_ARCHIVE_H
#define PS_RECORD_FINISH_ARCHIVE_H

#include "record/finish/run.h"

#include <otf2/otf2.h>

typedef struct ps_archive {
        OTF2_Archive *otf2;
        OTF2_GlobalDefWriter *global;
        ps_raw_run *run;
        uint64_t *n_events;            /* of each location */
        uint64_t (*span)[2];           /* of each, on its own clock, ns */
        uint64_t first, last;          /* of all, on that of rank 0 */
        PS_VECTOR(uint64_t) distances; /* of samples that follow one another, ns */
        OTF2_ErrorCode code;           /* the first that was none of success */
        bool is_gathering, is_out_of_memory;
} ps_archive;

/* Makes `folder`/traces.otf2 and what belongs to it; `incomplete` says what is missing, "" nothing. */
ps_status ps_archive_write(ps_raw_run *run, const char *folder, const char *incomplete, ps_error *err);

void ps_archive_check(ps_archive *archive, OTF2_ErrorCode code);

/* events.c, definitions.c */
ps_status ps_archive_events(ps_archive *archive, uint32_t location, ps_error *err);
void ps_archive_definitions(ps_archive *archive);
/* ends.c: of each rank that never left its Finalize "RANK", "RANK:RANK" with whom it waits for, or "RANK!" of
 * one that called Abort, and "RANK?" of one that was not recorded, with spaces between; to be freed. */
ps_status ps_archive_ends(char **out, const ps_raw_run *run, ps_error *err);

#endif
