/* gasp.h - text traces of UPC programs, as Berkeley's tool "gasp-dump" writes them through GASP, the tool
 * interface of UPC (version 1.5).
 *
 * A file for each thread, whose name holds the thread's number, a line for each event:
 *
 *   1/4 0.012345> [heat.upc:42:3] UPC_ALL_BROADCAST START { <dst>, <src>, 64, UPC_IN_MYSYNC|UPC_OUT_MYSYNC }
 *
 * thread / threads, seconds since the thread's own start, source place, event, START, END or ATOMIC,
 * arguments. The trace is one of these files, which stands for all of its set, or the folder that they lie
 * in. Times have no common zero; the first barrier that all threads leave gives one. Without it their clocks
 * are declared to be apart. */
#ifndef PS_READER_GASP_GASP_H
#define PS_READER_GASP_GASP_H

#include "core/model/format.h"

extern const ps_reader_class ps_gasp_reader;

#endif
