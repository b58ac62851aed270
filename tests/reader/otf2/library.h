/* library.h - an archive as the OTF2 library itself reads it, to compare our decoding with. */
#ifndef PS_TESTS_READER_OTF2_LIBRARY_H
#define PS_TESTS_READER_OTF2_LIBRARY_H

#include <stddef.h>
#include <stdint.h>

enum lib_table {
        LIB_RAW, /* a number, no reference */
        LIB_REGION,
        LIB_COMM,
        LIB_GROUP,
        LIB_WINDOW,
        LIB_METRIC,
        LIB_PARAMETER,
        LIB_CONTEXT,
        LIB_LOCATION,
        LIB_TABLES
};

#define LIB_NONE UINT64_MAX

/* Ids are global, times corrected; fields that a record does not have are LIB_NONE. */
typedef struct lib_event {
        const char *name;
        uint64_t ticks, ref, comm, peer, tag, bytes, received, request;
        enum lib_table ref_table, comm_table;
} lib_event;

typedef struct lib_trace {
        uint64_t resolution, zero;
        uint64_t *id[LIB_TABLES]; /* sorted */
        uint32_t n[LIB_TABLES];
        uint64_t *context_region; /* by context, in the order of LIB_CONTEXT before sorting */
        uint64_t *context_id;
        lib_event **events; /* by position of the location's id */
        size_t *n_events;
} lib_trace;

/* 0, or -1 when the library refuses the archive. */
int lib_read(lib_trace *out, const char *anchor);
void lib_free(lib_trace *trace);
uint32_t lib_find(const lib_trace *trace, enum lib_table table, uint64_t id); /* UINT32_MAX: none */

#endif
