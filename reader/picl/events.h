/* events.h - the records of one place as events. */
#ifndef PS_READER_PICL_EVENTS_H
#define PS_READER_PICL_EVENTS_H

#include "reader/picl/defs.h"

/* Of the interval of idleness in a trace whose receives begin with the arrival: events.c. */
typedef enum ps_picl_idle {
        PS_PICL_BUSY,
        PS_PICL_IDLE,
        PS_PICL_IDLE_IN_RECV, /* the receive that it ends at has been entered with it */
        PS_PICL_IN_RECV       /* the same, and it is over */
} ps_picl_idle;

struct ps_stream {
        const ps_picl_log *log;
        const ps_picl_names *names;
        const ps_picl_place *place;
        ps_loc location;
        uint32_t at;     /* the next record */
        bool is_arrival; /* the entry of a receive is the arrival of its message */
        bool completes;  /* requests are completed somewhere in the trace */
        bool is_off;
        ps_picl_idle idle;
};

void ps_picl_stream_init(ps_stream *stream, const ps_picl_log *log, const ps_picl_names *names,
                         ps_loc location);

/* Fills the batch from where the last one ended; 0 events: the end. */
void ps_picl_stream_next(ps_stream *stream, ps_batch *batch);

#endif
