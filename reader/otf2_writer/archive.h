/* archive.h - an archive that the OTF2 library writes for one process, a location after the other. */
#ifndef PS_READER_OTF2_WRITER_ARCHIVE_H
#define PS_READER_OTF2_WRITER_ARCHIVE_H

#include "core/base/error.h"

#include <otf2/otf2.h>

/* Makes `folder`/traces.otf2. Chunks are buffers of so many bytes: an event must fit into one, and a
 * definition, of which groups are the longest. *code keeps the first failure of what follows the opening. */
ps_status ps_otf2_out_open(OTF2_Archive **out, const char *folder, uint64_t event_chunk,
                           uint64_t definition_chunk, OTF2_ErrorCode *code, ps_error *err);

/* The library prints no errors. The first goes into *code, because not all show in what its functions give:
 * closing an archive says that all is well when its definitions could not be written. Gives what handled
 * errors before. */
OTF2_ErrorCallback ps_otf2_out_silence(OTF2_ErrorCode *code);

#endif
