/* picl.h - traces of PICL, the Portable Instrumented Communication Library, as MPICL, coNCePTuaL, simulators
 * and ParaGraph's users have them: one text file for all processes, a record a line. Read are PICL 2.0 with
 * its dialects, and the compact and the verbose form of PICL 1; docs/PICL.md tells what is made of them. */
#ifndef PS_READER_PICL_PICL_H
#define PS_READER_PICL_PICL_H

#include "core/model/format.h"

extern const ps_reader_class ps_picl_reader;

#endif
