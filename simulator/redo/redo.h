/* redo.h - programs that hand out work, replayed as they would run: with something different somebody else is
 * free first, and gets the next task.
 *
 * A master receives from whoever is first and answers with the next task, until there are none. Its turns are
 * done anew in the order in which workers ask in predicted time; what a task consists of - the receive, what
 * is computed after it, the messages with its result - goes to whoever gets the task. docs/WHATIF.md tells
 * the model. */
#ifndef PS_SIMULATOR_REDO_REDO_H
#define PS_SIMULATOR_REDO_REDO_H

#include "core/views/reordered.h"
#include "simulator/replay/replay.h"

typedef struct ps_master ps_master;

/* What redoing came to. */
typedef struct ps_redo_told {
        ps_proc master;
        uint32_t n_workers, n_tasks;
        uint32_t n_moved;      /* tasks that another worker has now */
        uint32_t n_early;      /* of the master's turns: somebody else had asked clearly before */
        uint32_t n_replays;    /* that it took */
        const char *why;       /* it was given up; NULL: it was not */
        ps_time length, total; /* of the focus and of the run, as in ps_replayed */
        bool is_stuck;         /* it never ends */
        bool has_speeds;       /* some workers were slower or faster than others in the recording */
} ps_redo_told;

/* NULL: the trace has no master that is known as one; then `why`, if it is not NULL, tells what speaks
 * against the likeliest one (NULL: there is none). To be freed before the trace. */
ps_status ps_master_find(ps_master **out, const char **why, const ps_trace *trace, ps_error *err);
void ps_master_free(ps_master *master);
ps_redo_told ps_master_tell(const ps_master *master);

/* How many of the master's turns would be others' in this timing of the trace, as it was recorded. */
ps_status ps_master_count_early(uint32_t *n_early, const ps_master *master, const ps_timing *timing,
                                ps_error *err);

/* The trace with its tasks dealt out anew. `rearranged` is to be cleared, also after a failure. */
ps_status ps_redo_order(ps_reordered *rearranged, ps_redo_told *told, const ps_master *master,
                        const ps_scenario *scenario, unsigned n_threads, ps_error *err);

#endif
