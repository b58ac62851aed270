/* writer.h - a trace as PICL 2.0 text, which ParaGraph reads.
 *
 * What is written for what:
 *
 * - A call of the library becomes the event of picl.def that its records tell of (a receive by its record of
 *   the message, never by its name alone). A call with several records, such as Waitall or Sendrecv,
 *   becomes as many events, one after the other; a call without any, or one that PICL has no number for,
 *   becomes a user event, whose label tells the reader what call of MPI it is. At equal times an event ends
 * before the next one begins.
 * - Regions become user events, numbered in their order, each with a label (-5) and, where it is known, a
 * message (-7) that says FILE:LINE. An event that is in PICL's table, or one that a PICL trace had no label
 * for, keeps its number.
 * - Communicators become subsets of processes (-202 -812 ... id member...); all processes are the subset -1.
 * - node is the process; pid is 0, or the thread where a process has several.
 *
 * The thesis dialect (Martinaitis, "The Simulation and Visualization of Parallel BMF Code", 3.2) has pid -1,
 * receives that begin when the message arrives, and the waiting before as an idle event of its own (-601).
 * Here that waiting is a region `idle` that is entered at once inside the call that receives: in that dialect
 * it is written before the receive, in the other one inside of it. Idle regions outside of calls are idle
 * events in both. Only that dialect says that no send waits for its receiver: runs of which that is true are
 * written in it, whatever the options say. */
#ifndef PS_READER_PICL_WRITER_H
#define PS_READER_PICL_WRITER_H

#include "core/model/defs.h"
#include "core/views/cursor.h"
#include "reader/picl/queue.h"

typedef struct ps_picl_write_options {
        bool thesis; /* its dialect also for runs whose sends may wait, instead of that of MPICL */
} ps_picl_write_options;

typedef struct ps_picl_written {
        uint64_t n_events;  /* of the trace */
        uint64_t n_records; /* lines */
        uint64_t n_lossy;   /* events that PICL cannot hold, or only a part of them */
} ps_picl_written;

/* Reads the source to its end. `written` counts also when it fails. */
ps_status ps_picl_write(ps_picl_written *written, ps_picl_sink sink, const ps_defs *defs, ps_source source,
                        const ps_picl_write_options *options, ps_error *err);

#endif
