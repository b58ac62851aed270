/* events.h - single events as lines: of aligned text, or of JSON. */
#ifndef PS_REPORT_SUBJECTS_EVENTS_H
#define PS_REPORT_SUBJECTS_EVENTS_H

#include "core/model/defs.h"
#include "core/views/cursor.h"
#include "report/print/output.h"

typedef enum ps_event_format { PS_EVENTS_TEXT, PS_EVENTS_JSONL } ps_event_format;

typedef struct ps_event_writer ps_event_writer;

/* `defs` are frozen. */
ps_status ps_event_writer_new(ps_event_writer **out, const ps_defs *defs, ps_event_format format,
                              ps_output *lines, ps_error *err);
void ps_event_writer_free(ps_event_writer *writer); /* NULL is fine */
/* What is written as 0, of the times as recorded; it is 0 until it is told. */
void ps_event_writer_begin(ps_event_writer *writer, ps_time zero);

/* A line. Text: seconds, process.thread and name of the location, the format's name of the record, fields. */
void ps_event_write(const ps_event_writer *writer, const ps_cursor_event *row);

#endif
