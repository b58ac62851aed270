/* handle.h - what the handles of patscan.h hold. */
#ifndef PS_LIBRARY_API_HANDLE_H
#define PS_LIBRARY_API_HANDLE_H

#include "core/base/memory.h"
#include "core/model/trace.h"
#include "library/api/rows.h"
#include "library/run/analysis.h"
#include "patscan/patscan.h"
#include "simulator/cost/machine.h"

#include <pthread.h>
#include <stdatomic.h>

struct ps_message_index;

struct patscan_trace {
        ps_trace *trace;
        ps_options asked; /* by whoever opened it: how it is loaded, and its focus */
        ps_arena *arena;  /* of what is asked */
        ps_made_rows *rows;
        patscan_summary_row summary;
        patscan_listener *listener;
        void *listener_ctx;
        pthread_mutex_t lock; /* of `messages` */
        struct ps_message_index *_Atomic messages;
};

/* Fills in what is asked; needs the arena. */
ps_status ps_handle_open_options(patscan_trace *t, const patscan_open_options *options, ps_error *err);
/* The trace's own options with those of an analysis; texts are copied into the arena. The listener is that of
 * the trace. */
ps_status ps_handle_ask(ps_options *out, const patscan_trace *trace, const patscan_analyze_options *options,
                        ps_arena *arena, ps_error *err);

struct patscan_analysis {
        const patscan_trace *trace;
        ps_options asked;
        ps_arena *arena;
        ps_made_rows *rows;
        ps_plan plan;
        ps_analysed w;
        ps_report_limit limits[PS_GATES_MAX];
        patscan_efficiency_row efficiency;
        uint8_t n_families, family[PS_N_DELAYS];     /* of waits that there are */
        const struct patscan_prediction *prediction; /* that it is of; NULL: the measured run */
        ps_plan beside_plan;                         /* of the measured run beside a predicted one */
        ps_analysed beside;
        ps_timing none;       /* of a run that never ends */
        pthread_mutex_t lock; /* of a profile that is made late */
};

/* Makes the report of the plan, about `structure`. */
ps_status ps_handle_report(patscan_analysis *a, const ps_trace *structure, ps_error *err);
/* With a plan, and without a report; to be freed, also after a failure. */
ps_status ps_handle_new(patscan_analysis **out, const patscan_trace *trace,
                        const patscan_analyze_options *options, ps_error *err);

/* What a report is written to, and its end: `status` is what writing it said. */
ps_status ps_handle_output(ps_output **out, const patscan_report_options *options, patscan_write *write,
                           void *ctx, ps_error *err);
ps_status ps_handle_close(ps_output *out, ps_status status, ps_error *err);

/* Whoever makes a handle has to see to it that nothing was left out for lack of memory: `lacks` is
 * ps_memory_lacks() before. */
ps_status ps_handle_is_whole(unsigned lacks, ps_error *err);

/* Does such a trace record a program, whose runs are simulated, rather than a run? */
bool ps_handle_is_program(const char *format);

/* One more owner of it. */
patscan_machine *ps_handle_share(const patscan_machine *machine);

struct patscan_machine {
        atomic_uint owners;
        struct ps_machine *machine; /* NULL: as recorded */
        struct ps_machine *divider; /* of "recorded:FILE" */
        char *name;
};

#endif
