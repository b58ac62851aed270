/* otf2_events.h - OTF2's event records and their decoding. */
#ifndef PS_READER_OTF2_EVENTS_H
#define PS_READER_OTF2_EVENTS_H

#include "reader/otf2_stream.h"

/* One type of record; the row's place is the type minus PS_OTF2_FIRST_TYPE and its index in ps_defs.codes. */
typedef struct ps_otf2_record {
        const char *name; /* as the format's tools print it */
        uint8_t kind;     /* ps_event_kind */
        const char *fields;
} ps_otf2_record;

extern const ps_otf2_record ps_otf2_records[];
extern const unsigned ps_otf2_n_records;

/* Decodes events until the batch is full or the stream is done; sets stream->done, and stream->broken when
 * the file turned out to be damaged. */
ps_status ps_otf2_decode(ps_stream *stream, ps_batch *batch, ps_issues *issues, ps_error *err);

#endif
