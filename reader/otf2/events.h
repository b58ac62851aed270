/* events.h - decoding the event file of a location. */
#ifndef PS_READER_OTF2_EVENTS_H
#define PS_READER_OTF2_EVENTS_H

#include "reader/otf2/stream.h"

/* Decodes events until the batch is full or the stream is done; sets stream->done, and stream->broken when
 * the file turned out to be damaged. */
ps_status ps_otf2_decode(ps_stream *stream, ps_batch *batch, ps_issues *issues, ps_error *err);

#endif
