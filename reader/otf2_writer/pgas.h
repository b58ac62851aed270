/* pgas.h - what an archive needs besides to tell of UPC and SHMEM: the attributes of their calls
 * by the names of docs/UPC_IN_OTF2.md, and whose ranks there are. */
#ifndef PS_READER_OTF2_WRITER_PGAS_H
#define PS_READER_OTF2_WRITER_PGAS_H

#include "core/model/event.h"
#include "reader/otf2_writer/defs.h"

/* What an Enter tells of a call of these, as attributes of the record that is written next. */
void ps_otf2_out_hints(ps_otf2_out *out, OTF2_AttributeList *list, const ps_event *e);

/* The description of a region: modes that hold for all of its calls, unless its name tells them. */
OTF2_StringRef ps_otf2_out_modes(ps_otf2_out *out, const ps_region_def *def);

/* Defines attributes and paradigms, and fills out->pgas; nothing if the trace has neither calls nor ranks of
 * such a program. */
void ps_otf2_out_pgas(ps_otf2_out *out);

#endif
