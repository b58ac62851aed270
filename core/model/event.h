/* event.h - events on their way from a reader to the fold: an array of structs, a batch at a time, so that a
 * batch stays in the first-level cache. Nothing keeps events; what remains of them are operations. */
#ifndef PS_CORE_MODEL_EVENT_H
#define PS_CORE_MODEL_EVENT_H

#include "core/base/types.h"

typedef enum ps_event_kind {
#define PS_EVENT(id, name) PS_EV_##id,
#include "core/model/events.def"
#undef PS_EVENT
        PS_EV_COUNT
} ps_event_kind;

extern const char *const ps_event_names[PS_EV_COUNT];

/* Peers are ranks in the communicator, as recorded; PS_NONE is "no peer, no root", PS_ROOT_SELF a root that
 * is the event's own process (of an intercommunicator). Ids of regions, communicators and windows are already
 * the dense ones of ps_defs, PS_NONE when the trace defines no such thing. */
#define PS_ROOT_SELF (PS_NONE - 1)

typedef struct ps_event {
        ps_time time;
        uint64_t bytes;    /* sent, or moved */
        uint64_t received; /* by a collective operation */
        uint64_t request;
        uint32_t ref, peer, comm, tag;
        ps_str site_file; /* the call site that the recorder attached, 0: none */
        uint32_t site_line;
        uint16_t code;   /* the format's own type of record: an index into ps_defs.codes */
        uint8_t kind;    /* ps_event_kind */
        uint8_t op;      /* ps_kind of a collective, or as events.def says */
        uint64_t offset; /* where the record stands in its file: bytes, or lines (ps_defs.counts_lines) */
} ps_event;

enum { PS_BATCH_EVENTS = 256 };

typedef struct ps_batch {
        ps_loc location;
        uint32_t n;
        ps_event event[PS_BATCH_EVENTS];
} ps_batch;

#endif
