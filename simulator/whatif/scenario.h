/* scenario.h - edits made fit for a trace: the call paths that names mean. */
#ifndef PS_SIMULATOR_WHATIF_SCENARIO_H
#define PS_SIMULATOR_WHATIF_SCENARIO_H

#include "simulator/whatif/whatif.h"

/* names.c: the call paths that an edit is about, as ps_work_edit has them, and whether it is about what is
 * between two calls. `paths`, by path, is all 0. Fails with what was probably meant. */
ps_status ps_work_paths(uint8_t *paths, bool *is_stretch, const ps_edit_work *edit, const ps_trace *trace,
                        bool *has_ranks, ps_error *err);

/* The line at which a call stands; line 0: the trace does not tell. */
typedef struct ps_call_line {
        ps_str file;
        uint32_t line;
} ps_call_line;

static inline ps_call_line ps_call_line_of(const ps_trace *trace, ps_path path)
{
        const ps_path_node *call = &trace->paths[path], *caller = &trace->paths[call->parent];
        if (call->site_line && call->site_file)
                return (ps_call_line){call->site_file, call->site_line};
        return (ps_call_line){caller->frame_file, caller->frame_file ? caller->frame_line : 0};
}

#endif
