/* writer.h - the events of one location while they are written. */
#ifndef PS_RECORD_FINISH_WRITER_H
#define PS_RECORD_FINISH_WRITER_H

#include "record/finish/archive.h"

typedef struct ps_event_writer {
        ps_archive *a;
        uint32_t process_id;
        const ps_process *process;
        OTF2_EvtWriter *events;
        uint64_t last, n;
        PS_VECTOR(uint32_t) open; /* contexts of marks that are entered, the innermost last */
        uint64_t sampled_at;      /* if that was the last event; or 0 */
        ps_status status;
        ps_error *err;
} ps_event_writer;

/* Counts an event that was written. */
void ps_event_put(ps_event_writer *w, OTF2_ErrorCode code);
/* Times of a location never go back, whatever its processor's counters do. */
uint64_t ps_event_time(ps_event_writer *w, uint64_t ns);
void ps_event_enter(ps_event_writer *w, uint64_t time, uint32_t context);
void ps_event_leave(ps_event_writer *w, uint64_t time, uint32_t context);
/* The site's context inside of what is open. */
uint32_t ps_event_context(ps_event_writer *w, uint32_t context);

/* marks.c: a row that is one. */
void ps_event_mark(ps_event_writer *w, const ps_raw_row *row, const uint8_t *notes);

#endif
