/* resolve.h - from an archive's definitions to those of patscan: who takes part, names, communicators.
 */
#ifndef PS_READER_OTF2_RESOLVE_H
#define PS_READER_OTF2_RESOLVE_H

#include "core/model/defs.h"
#include "reader/otf2/defs.h"

#include <otf2/OTF2_GeneralDefinitions.h>

/* The ids of one kind of definition, sorted; `value` is what patscan knows them by (NULL: their position). */
typedef struct ps_otf2_ids {
        uint64_t *id;
        uint32_t *value;
        uint32_t n;
} ps_otf2_ids;

uint32_t ps_otf2_ids_find(const ps_otf2_ids *ids, uint64_t id); /* PS_NONE: there is none */

/* What an attribute of an event tells about the call. */
typedef enum ps_otf2_attribute {
        PS_OTF2_ATTRIBUTE_OTHER,
        PS_OTF2_ATTRIBUTE_FILE,
        PS_OTF2_ATTRIBUTE_LINE,
        PS_OTF2_ATTRIBUTE_PLACE,  /* both: a source code location */
        PS_OTF2_ATTRIBUTE_IN,     /* of a PGAS collective: how it synchronises at its begin, */
        PS_OTF2_ATTRIBUTE_OUT,    /* at its end, */
        PS_OTF2_ATTRIBUTE_ROOT,   /* and the thread that it begins or ends at */
        PS_OTF2_ATTRIBUTE_LOCK_ID /* of a call on a PGAS lock */
} ps_otf2_attribute;

/* Ranks of a communicator that events give as ranks of its whole paradigm. */
typedef struct ps_otf2_rank {
        uint32_t global, local;
} ps_otf2_rank;

typedef struct ps_otf2_ranks {
        ps_otf2_rank *rank; /* sorted by global; NULL: events give the communicator's own ranks */
        uint32_t n;
} ps_otf2_ranks;

typedef struct ps_otf2_source {
        ps_str file;
        uint32_t line;
} ps_otf2_source;

/* What the events need of the definitions. */
typedef struct ps_otf2_names {
        ps_otf2_ids ids[OTF2_MAPPING_MAX]; /* by OTF2_MAPPING_*; only those that events name are filled */
        ps_otf2_source *source;            /* by position among the source code locations */
        uint8_t *attribute;                /* ps_otf2_attribute, by position among the attributes */
        ps_otf2_ranks *comm_ranks;         /* by ps_comm; NULL when no communicator needs it */
        ps_proc *process;                  /* by position among the location groups */
        uint64_t zero;                     /* tick from which times count; 0: the trace does not tell */
} ps_otf2_names;

ps_status ps_otf2_resolve(ps_otf2_names *out, const ps_otf2_defs *raw, const char *creator, ps_defs *defs,
                          ps_issues *issues, ps_error *err);
void ps_otf2_names_free(ps_otf2_names *names);

#endif
