/* replayed_records.h - from the rows of a call back to the records that made them; for replayed_source.c. */
#ifndef PS_CORE_VIEWS_REPLAYED_RECORDS_H
#define PS_CORE_VIEWS_REPLAYED_RECORDS_H

#include "core/base/map.h"
#include "core/model/event.h"
#include "core/model/trace.h"

/* Events in the order of their times; those of one time in the order in which they came. */
typedef struct ps_record_list {
        ps_event *at;
        uint32_t n, cap;
        uint32_t failed; /* no memory */
} ps_record_list;

typedef struct ps_records {
        const ps_trace *trace;
        const ps_timing *timing;
        ps_map ranks;        /* (communicator, process): rank */
        uint8_t *has_ranks;  /* by communicator */
        ps_foreign *foreign; /* sorted by completion */
        ps_record_list list;
} ps_records;

ps_status ps_records_init(ps_records *records, const ps_trace *trace, const ps_timing *timing, ps_error *err);
void ps_records_clear(ps_records *records);

/* Adds the records of a row to the list, whose events from `first` on stay sorted. */
void ps_records_add(ps_records *records, ps_ref row, uint32_t first);
/* The end of one-sided transfers of the location, all that `done` completes. */
void ps_records_add_transfer_end(ps_records *records, ps_ref start, ps_ref done, uint32_t first);

#endif
