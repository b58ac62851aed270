/* otf2_writer.h - a trace as an OTF2 archive, which every other tool reads.
 *
 * Event by event, with a clock of a tick a picosecond, so that reading it gives the same trace. What
 * ps_event does not keep (values of metrics, what a file operation did) is left out. A call that has another
 * name than in MPI, as in a simulated run or a PICL trace, has the name of MPI's as its description, which
 * the reader knows. */
#ifndef PS_READER_OTF2_WRITER_OTF2_WRITER_H
#define PS_READER_OTF2_WRITER_OTF2_WRITER_H

#include "core/model/defs.h"
#include "core/views/cursor.h"

typedef struct ps_otf2_written {
        uint64_t n_events; /* of the trace */
        uint64_t n_lossy;  /* those that were left out */
} ps_otf2_written;

/* Reads the source to its end, a location after the other. `folder` must not exist, or be empty: it appears
 * when all is written. */
ps_status ps_otf2_write(ps_otf2_written *written, const char *folder, const ps_defs *defs, ps_source source,
                        ps_error *err);

#endif
