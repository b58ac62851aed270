/* calls.h - the calls of a trace on their way to become events of PICL.
 *
 * A call's records come between its Enter and its Leave, but the entry of an event says what only they tell.
 * So the entry is a line that is held until the first record; each record also holds a place for the exit
 * of its event and the entry of another one, in case it is not the call's last. */
#ifndef PS_READER_PICL_CALLS_H
#define PS_READER_PICL_CALLS_H

#include "reader/picl/numbers.h"

/* An open region. */
typedef struct ps_picl_call {
        ps_region region;
        const ps_picl_event *row; /* the event that its calls are written as, or NULL */
        uint8_t is_library;       /* records inside tell of it */
        uint32_t n_parts;         /* events that it has become so far */
        uint64_t entry;           /* the line of the first one */
        uint64_t next;            /* if n_parts: the first of two held lines, an exit and an entry */
        ps_picl_queued last;      /* the exit of the last event */
} ps_picl_call;

typedef struct ps_picl_place_out {
        ps_picl_call *open;
        uint32_t n, cap;
        uint32_t node;
        int32_t pid;
        uint8_t is_cpu;
} ps_picl_place_out;

typedef struct ps_picl_calls {
        const ps_defs *defs;
        ps_picl_numbers numbers;
        ps_picl_queue queue;
        bool thesis; /* the dialect: see writer.h */
        ps_time zero;
        uint64_t n_lossy;
} ps_picl_calls;

/* What a record says: the event, and the values at its entry and exit. */
typedef struct ps_picl_part {
        const ps_picl_event *row;
        uint8_t n_entry, n_exit;
        int64_t entry[PS_PICL_VALUES], exit[PS_PICL_VALUES];
} ps_picl_part;

/* The innermost open region, or NULL. */
const ps_picl_call *ps_picl_calls_top(const ps_picl_place_out *place);

void ps_picl_calls_enter(ps_picl_calls *calls, ps_picl_place_out *place, ps_time time, ps_region region);
/* PS_NONE: the innermost region. */
void ps_picl_calls_leave(ps_picl_calls *calls, ps_picl_place_out *place, ps_time time, ps_region region);
/* A record of the innermost call, or one outside of any. */
void ps_picl_calls_part(ps_picl_calls *calls, ps_picl_place_out *place, ps_time time,
                        const ps_picl_part *part);
/* An entry or exit that belongs to no call. */
void ps_picl_calls_line(ps_picl_calls *calls, const ps_picl_place_out *place, ps_time time, int32_t record,
                        int32_t event);
/* At the end of the trace: what is never left has an entry only. */
void ps_picl_calls_end(ps_picl_calls *calls, ps_picl_place_out *place);

#endif
