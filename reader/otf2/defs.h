/* defs.h - the global definitions of an OTF2 archive as they stand in its file.
 *
 * Definitions come in any order, may be there twice and may name what comes later or never. So they are all
 * collected first, sorted by id, freed of duplicates, and only then tied together (resolve.h). Lookups
 * are binary searches: no id, however chosen, costs memory or makes them slow. */
#ifndef PS_READER_OTF2_DEFS_H
#define PS_READER_OTF2_DEFS_H

#include "core/model/issue.h"
#include "reader/otf2/archive.h"
#include "reader/otf2/bytes.h"

typedef enum ps_otf2_table {
        PS_OTF2_CLOCK,
        PS_OTF2_PARADIGM,
        PS_OTF2_STRING,
        PS_OTF2_ATTRIBUTE,
        PS_OTF2_NODE,
        PS_OTF2_PROCESS,          /* location groups */
        PS_OTF2_PROCESS_PROPERTY, /* by where they stand in the file */
        PS_OTF2_LOCATION,
        PS_OTF2_REGION,
        PS_OTF2_GROUP,
        PS_OTF2_RANKS, /* groups of type COMM_LOCATIONS once more, by paradigm */
        PS_OTF2_MEMBER,
        PS_OTF2_METRIC, /* classes and instances */
        PS_OTF2_COMM,   /* intercommunicators too */
        PS_OTF2_PARAMETER,
        PS_OTF2_WINDOW,
        PS_OTF2_SOURCE,
        PS_OTF2_CONTEXT,
        PS_OTF2_SAMPLER, /* what asks where a location is, again and again */
        PS_OTF2_TABLES
} ps_otf2_table;

/* Where a table keeps what in ps_otf2_def.v. */
enum {
        PS_OTF2_NAME = 0, /* a string's id, in most tables */
        PS_OTF2_CLOCK_RESOLUTION = 0,
        PS_OTF2_CLOCK_ZERO = 1,
        PS_OTF2_PARADIGM_CLASS = 1,
        PS_OTF2_STRING_ID = 0, /* the ps_str, set once duplicates are gone */
        PS_OTF2_NODE_CLASS = 1,
        PS_OTF2_NODE_PARENT = 2,
        PS_OTF2_PROCESS_TYPE = 1,
        PS_OTF2_PROCESS_NODE = 2,
        PS_OTF2_PROCESS_CREATOR = 3,
        PS_OTF2_PROPERTY_OF = 0,
        PS_OTF2_PROPERTY_NAME = 1,
        PS_OTF2_PROPERTY_TEXT = 2, /* its id, if the value is a text */
        PS_OTF2_LOCATION_TYPE = 1,
        PS_OTF2_LOCATION_EVENTS = 2,
        PS_OTF2_LOCATION_PROCESS = 3,
        PS_OTF2_REGION_OLD_TYPE = 1,
        PS_OTF2_REGION_FILE = 2,
        PS_OTF2_REGION_BEGIN = 3,
        PS_OTF2_REGION_END = 4,
        PS_OTF2_REGION_ROLE = 5,
        PS_OTF2_REGION_PARADIGM = 6,
        PS_OTF2_REGION_FLAGS = 7,
        PS_OTF2_GROUP_OLD_TYPE = 1,
        PS_OTF2_GROUP_TYPE = 2,
        PS_OTF2_GROUP_PARADIGM = 3,
        PS_OTF2_GROUP_FLAGS = 4,
        PS_OTF2_METRIC_CLASS = 0, /* of an instance */
        PS_OTF2_COMM_GROUP = 1,
        PS_OTF2_COMM_PARENT = 2,
        PS_OTF2_COMM_FLAGS = 3,
        PS_OTF2_INTER_B = 2, /* of an intercommunicator; group A stands where a communicator has its group */
        PS_OTF2_INTER_PARENT = 3,
        PS_OTF2_WINDOW_COMM = 1,
        PS_OTF2_SOURCE_FILE = 0,
        PS_OTF2_SOURCE_LINE = 1,
        PS_OTF2_CONTEXT_REGION = 0,
        PS_OTF2_CONTEXT_SOURCE = 1,
        PS_OTF2_CONTEXT_PARENT = 2,
        PS_OTF2_SAMPLER_MODE = 1,
        PS_OTF2_SAMPLER_BASE = 2,
        PS_OTF2_SAMPLER_EXPONENT = 3,
        PS_OTF2_SAMPLER_PERIOD = 4,
        PS_OTF2_VALUES = 8,
        PS_OTF2_TYPE_COMM = 22 /* the record of a communicator; an intercommunicator has another */
};

#define PS_OTF2_UNDEFINED ((uint64_t)UINT32_MAX) /* an id that a record leaves open */

typedef struct ps_otf2_def {
        uint64_t id;
        uint64_t v[PS_OTF2_VALUES]; /* UINT64_MAX: an older record without this field */
        const uint8_t *data;        /* a string's text, or encoded members; in the file's memory */
        uint64_t count;  /* how many members, the text's length, or the string of a region's description */
        uint64_t offset; /* where the record stands in the file */
        uint32_t size;   /* bytes of data */
        uint8_t type;    /* of record */
        uint8_t big;     /* data is big-endian */
} ps_otf2_def;

typedef struct ps_otf2_defs {
        ps_otf2_file file;
        ps_str name; /* the file's, for issues */
        struct {
                ps_otf2_def *row; /* sorted by id, each id once */
                uint32_t n, cap;
        } table[PS_OTF2_TABLES];
} ps_otf2_defs;

/* Reads the global definitions. A file that ends early or turns bad in the middle gives what came before and
 * an issue. */
ps_status ps_otf2_defs_read(ps_otf2_defs *out, const ps_otf2_archive *archive, ps_strings *strings,
                            ps_issues *issues, ps_error *err);
void ps_otf2_defs_free(ps_otf2_defs *defs);

/* NULL when nothing has this id. */
const ps_otf2_def *ps_otf2_defs_find(const ps_otf2_defs *defs, ps_otf2_table table, uint64_t id);

/* Notes an issue of a definition. */
void ps_otf2_defs_note(const ps_otf2_defs *defs, const ps_otf2_def *def, ps_issue_kind kind,
                       ps_issues *issues);

#endif
