/* otf2.h - the Open Trace Format 2, as Score-P, EZTrace, TAU, HPX and others write it.
 *
 * The archive is decoded here and not by the format's own library: that is several times faster, needs no
 * memory for chunks of the size that an archive asks for, and keeps damaged input under control. Read are
 * archives of the "POSIX" substrate without compression: an anchor NAME.otf2, global definitions NAME.def,
 * and for each location its events NAME/<id>.evt and local definitions NAME/<id>.def. */
#ifndef PS_READER_OTF2_OTF2_H
#define PS_READER_OTF2_OTF2_H

#include "core/model/format.h"

extern const ps_reader_class ps_otf2_reader;

#endif
