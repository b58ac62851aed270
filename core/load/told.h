/* told.h - what of a trace belongs to no location, as process 0 tells those who work on their rows of it. */
#ifndef PS_CORE_LOAD_TOLD_H
#define PS_CORE_LOAD_TOLD_H

#include "core/base/pass.h"
#include "core/model/focus.h"
#include "core/model/trace.h"

typedef struct ps_told {
        ps_clock_info clock;
        ps_issues issues;
        ps_time duration;
        uint64_t n_operations;
        ps_path_node *paths;
        uint32_t n_paths;
        bool has_focus, rows_are_away;
        ps_focus focus;
} ps_told;

/* Without what lies in the memory of process 0 alone. */
ps_told ps_told_of(const ps_trace *trace);
ps_status ps_told_pass(ps_pass *p, ps_told *told, const ps_trace *trace);
/* `told` is to outlive the work on `trace`. */
void ps_told_hear(ps_trace *trace, ps_told *told);

#endif
