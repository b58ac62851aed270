/* told.c - see told.h. */
#include "core/load/told.h"
#include "core/load/share.h"

#define VALUE(p, value) PS_TRY(ps_pass_values((p), &(value), 1, sizeof(value)))

/* What tells how far times of two processes may be apart. */
static ps_status pass_clock(ps_pass *p, ps_clock_info *clock, size_t n_processes)
{
        VALUE(p, *clock);
        PS_TRY(ps_pass_optional(p, &clock->width, n_processes, sizeof(*clock->width)));
        PS_TRY(ps_pass_optional(p, &clock->room, n_processes * n_processes, sizeof(*clock->room)));
        PS_TRY(ps_pass_optional(p, &clock->error, n_processes * n_processes, sizeof(*clock->error)));
        return ps_pass_optional(p, &clock->wander, n_processes * n_processes, sizeof(*clock->wander));
}

ps_status ps_told_pass(ps_pass *p, ps_told *told, const ps_trace *trace)
{
        PS_TRY(pass_clock(p, &told->clock, trace->defs.processes.n));
        VALUE(p, told->issues);
        VALUE(p, told->duration);
        VALUE(p, told->n_operations);
        VALUE(p, told->n_paths);
        PS_TRY(ps_pass_column(p, &told->paths, told->n_paths, sizeof(*told->paths)));
        PS_TRY(ps_pass_bool(p, &told->rows_are_away));
        PS_TRY(ps_pass_bool(p, &told->has_focus));
        return told->has_focus ? ps_focus_pass(p, &told->focus, trace->n_locs) : PS_OK;
}

ps_told ps_told_of(const ps_trace *trace)
{
        ps_told told = {.clock = trace->clock,
                        .issues = trace->issues,
                        .duration = trace->measured.duration,
                        .n_operations = trace->n_operations,
                        .paths = trace->paths,
                        .n_paths = trace->n_paths,
                        .has_focus = trace->measured.focus,
                        .rows_are_away = trace->spread->rows_are_away};
        told.clock.offset = NULL;
        told.clock.drift = NULL;
        if (told.has_focus)
                told.focus = *trace->measured.focus;
        return told;
}

void ps_told_hear(ps_trace *trace, ps_told *told)
{
        trace->clock = told->clock;
        trace->issues = told->issues;
        trace->paths = told->paths;
        trace->n_paths = told->n_paths;
        trace->n_operations = told->n_operations;
        trace->measured.duration = told->duration;
        trace->measured.focus = told->has_focus ? &told->focus : NULL;
}
