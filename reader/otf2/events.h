/* events.h - decoding the event file of a location. */
#ifndef PS_READER_OTF2_EVENTS_H
#define PS_READER_OTF2_EVENTS_H

#include "reader/otf2/stream.h"

/* Takes plain records off the window, from where the stream is. */
typedef void ps_otf2_plain(ps_stream *stream, void *ctx);

/* One step: all that is plain, then one record of any sort, whose event `batch`, which is not full, gets. */
ps_status ps_otf2_decode_step(ps_stream *stream, ps_otf2_plain *plain, void *ctx, ps_batch *batch,
                              ps_issues *issues, ps_error *err);

/* Decodes events until the batch is full or the stream is done; sets stream->done, and stream->broken when
 * the file turned out to be damaged. */
ps_status ps_otf2_decode(ps_stream *stream, ps_batch *batch, ps_issues *issues, ps_error *err);

#endif
