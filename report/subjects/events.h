/* events.h - single events as lines: of aligned text, or of JSON. */
#ifndef PS_REPORT_SUBJECTS_EVENTS_H
#define PS_REPORT_SUBJECTS_EVENTS_H

#include "core/model/defs.h"
#include "core/views/cursor.h"
#include "report/print/output.h"

typedef struct ps_event_writer {
        const ps_defs *defs; /* frozen */
        ps_output *out;
        ps_time zero; /* of the times as recorded: what is written as 0 */
        unsigned location_columns, code_columns;
} ps_event_writer;

/* Measures the columns; `zero` is the caller's to set. */
void ps_event_writer_init(ps_event_writer *writer, const ps_defs *defs, ps_output *out);

/* seconds, process.thread and name of the location, the format's name of the record, fields */
void ps_event_write_text(const ps_event_writer *writer, const ps_cursor_event *row);
void ps_event_write_jsonl(const ps_event_writer *writer, const ps_cursor_event *row);

#endif
