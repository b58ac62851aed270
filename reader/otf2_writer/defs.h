/* defs.h - the definitions of an archive that is being written. Strings and places in the source
 * are defined when they are first referred to. */
#ifndef PS_READER_OTF2_WRITER_DEFS_H
#define PS_READER_OTF2_WRITER_DEFS_H

#include "core/base/map.h"
#include "core/model/defs.h"

#include <otf2/otf2.h>

typedef struct ps_otf2_out {
        const ps_defs *defs;
        OTF2_Archive *archive;
        OTF2_GlobalDefWriter *global;
        ps_map strings, sources; /* (ps_str, 0) and (file, line): the id */
        uint32_t n_strings;
        uint32_t modes[2][4]; /* strings of the modes of UPC's collectives by end and ps_sync; 0: not yet */
        /* Whose ranks the members of a PGAS communicator are, if these are processes, and if locations: OTF2
         * cannot tell this for each communicator, only for each paradigm. 0: there is none such. */
        OTF2_Paradigm pgas[2];
        uint64_t *n_events; /* written, by location */
        /* Groups that events name, in that order; ids have to grow, and those of ranks stand before them. */
        uint32_t *group, n_groups;
        uint64_t zero, end;  /* ticks of the earliest and the latest event; zero > end: there is none */
        OTF2_ErrorCode code; /* of the first call that failed, or OTF2_SUCCESS */
        bool is_out_of_memory;
} ps_otf2_out;

enum { PS_OTF2_OUT_SITE = 0 }; /* the attribute for call sites */

/* The id of a string of the trace, or of a place in the source. */
uint32_t ps_otf2_out_string(ps_otf2_out *out, ps_str string);
uint32_t ps_otf2_out_source(ps_otf2_out *out, ps_str file, uint32_t line);
/* The id of a group that an event names. */
uint32_t ps_otf2_out_group(ps_otf2_out *out, uint32_t group);
/* The id of a text that is defined anew each time. */
uint32_t ps_otf2_out_text(ps_otf2_out *out, const char *string);

/* Keeps the first failure. */
void ps_otf2_out_check(ps_otf2_out *out, OTF2_ErrorCode code);

/* All other definitions; the events must have been written. */
void ps_otf2_out_definitions(ps_otf2_out *out);

#endif
