/* tracegen_internal.h - what the two halves of the generator share: tracegen.c gathers definitions and writes
 * records, tracegen_defs.c writes the definitions down when the archive is closed. */
#ifndef PS_TESTS_TRACEGEN_INTERNAL_H
#define PS_TESTS_TRACEGEN_INTERNAL_H

#include "tests/support/tracegen.h"

#define PS_GEN_TABLE(type)                                                                                   \
        struct {                                                                                             \
                type *row;                                                                                   \
                uint32_t n, cap;                                                                             \
        }

/* A pointer to a new zeroed row at the table's end. */
#define PS_GEN_ADD(table)                                                                                    \
        ((table).row = ps_gen_grow((table).row, (table).n, &(table).cap, sizeof *(table).row),               \
         &(table).row[(table).n++])

void *ps_gen_grow(void *rows, uint32_t n, uint32_t *cap, size_t size);
void ps_gen_check(OTF2_ErrorCode code, const char *what);

#define CHECK(call) ps_gen_check((call), #call)

typedef struct gen_region {
        uint32_t name, file, line; /* strings; line 0: unknown */
        uint32_t description;      /* a string; 0: none */
        OTF2_Paradigm paradigm;
        OTF2_RegionRole role;
} gen_region;

typedef struct gen_group {
        uint32_t id, name; /* the id differs from the row where a style says so */
        OTF2_GroupType type;
        OTF2_Paradigm paradigm;
        uint64_t *members;
        uint32_t n;
} gen_group;

typedef struct gen_comm {
        uint32_t name, group_a,
                group_b; /* rows of groups; group_b: OTF2_UNDEFINED_GROUP but for intercomms */
} gen_comm;

typedef struct gen_context {
        uint32_t parent, region, site;
} gen_context;

typedef struct gen_pair { /* (file, line) of a site, (name, communicator) of a window */
        uint32_t name, value;
} gen_pair;

typedef struct gen_property {
        uint32_t rank, name, text;
} gen_property;

typedef struct gen_offset {
        uint64_t time;
        int64_t offset;
} gen_offset;

enum { GEN_MAPS = OTF2_MAPPING_MAX };

typedef struct gen_location {
        uint64_t id;
        uint32_t rank, thread;
        OTF2_LocationType type;
        OTF2_EvtWriter *writer;
        OTF2_AttributeList *attributes; /* of the next record */
        uint64_t n_events, promised;    /* promised: UINT64_MAX: the truth */
        PS_GEN_TABLE(gen_offset) offsets;
        PS_GEN_TABLE(uint64_t) map[GEN_MAPS]; /* [local id] = global id */
} gen_location;

struct ps_gen {
        ps_gen_options o;
        char *path, *temporary, *answer; /* answer: the last path handed out */
        const char *name;
        OTF2_Archive *archive; /* NULL once closed */
        OTF2_GlobalDefWriter *defs;
        uint64_t last; /* the latest time of any record */
        uint32_t n_locs, region_stride;
        gen_location *locs;
        PS_GEN_TABLE(char *) strings;
        PS_GEN_TABLE(gen_region) regions;
        PS_GEN_TABLE(gen_group) groups;
        PS_GEN_TABLE(gen_comm) comms;
        PS_GEN_TABLE(gen_pair) windows;
        PS_GEN_TABLE(gen_pair) sites;
        PS_GEN_TABLE(gen_pair) hints;      /* (name, type) of attributes of PGAS calls */
        PS_GEN_TABLE(uint32_t) parameters; /* strings */
        PS_GEN_TABLE(gen_context) contexts;
        PS_GEN_TABLE(gen_property) properties;
        uint32_t team_locations; /* row of the group of all locations that teams are made of; 0: not yet */
        void (*more_defs)(OTF2_GlobalDefWriter *w, void *ctx);
        void *more_ctx;
};

uint32_t ps_gen_group_add(ps_gen *g, const char *name, OTF2_GroupType type, OTF2_Paradigm paradigm,
                          uint32_t n);
uint64_t ps_gen_local_time(const ps_gen *g, uint32_t loc, uint64_t time);
uint32_t ps_gen_region_named(ps_gen *g, const char *name); /* defined at need */
uint32_t ps_gen_source_line(ps_gen *g, const char *file, uint32_t line);
void ps_gen_write_defs(ps_gen *g);

#endif
