/* replayed.c - see replayed.h. */
#include "report/facts/replayed.h"

#include "core/base/memory.h"
#include "report/print/text.h"
#include "simulator/cost/amount.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What the formula does not tell of messages that meet others, or go far. */
static const char *what_replay_adds(const ps_machine *m)
{
        if (m->model == PS_MODEL_TRANSPUTER && !m->grid_rank)
                return "; no grid is told: all are neighbours; messages do not hinder each other";
        return ps_replay_is_shared(m) ? "" : "; messages do not hinder each other";
}

static size_t put_recorded(char room[PS_FORMULA_ROOM], const ps_machine *divider, const ps_replay_info *info)
{
        size_t n = (size_t)snprintf(room, PS_FORMULA_ROOM, "what each operation took, as recorded");
        if (divider)
                n += (size_t)snprintf(room + n, PS_FORMULA_ROOM - n,
                                      "; latency and bytes in the proportion of %s",
                                      divider->name ? divider->name : "a machine");
        if (divider || !info->is_fitted)
                return n;
        n += (size_t)snprintf(room + n, PS_FORMULA_ROOM - n, "; of it, as the shortest transfers tell");
        n += (size_t)ps_amount_print(room + n, PS_FORMULA_ROOM - n, "L", PS_A_SECONDS,
                                     ps_time_seconds(info->latency));
        if (info->per_byte > 0)
                n += (size_t)ps_amount_print(room + n, PS_FORMULA_ROOM - n, "B", PS_A_RATE,
                                             (double)PS_PS_PER_S / info->per_byte);
        return n;
}

const char *ps_replay_formula(char room[PS_FORMULA_ROOM], const ps_machine *machine,
                              const ps_machine *divider, const ps_replay_info *info)
{
        size_t n = machine ? strlen(ps_machine_formula(machine, room)) : put_recorded(room, divider, info);
        if (n < PS_FORMULA_ROOM)
                snprintf(room + n, PS_FORMULA_ROOM - n,
                         "%s; %" PRIu64 " of %" PRIu64 " operations keep their recorded time",
                         machine ? what_replay_adds(machine) : "", info->n_kept, info->n_operations);
        return room;
}

/* -- a run that never ends -- */

static ps_status describe_call(ps_stuck_call *out, const ps_trace *trace, ps_ref ref, ps_ref awaited,
                               ps_sources *sources, ps_error *err)
{
        const ps_defs *defs = &trace->defs;
        const ps_location_def *location = &defs->locations.row[ref.loc];
        ps_region region = ps_op_region(trace, ref);
        const ps_source_place *place;
        *out = (ps_stuck_call){
                .process = location->process,
                .thread = location->thread,
                .call = region == PS_NONE ? NULL : ps_defs_str(defs, defs->regions.row[region].name),
                .partner = awaited.op == PS_NONE ? PS_NONE : defs->locations.row[awaited.loc].process};
        PS_TRY(ps_sources_of(sources, ps_op_path(&trace->ops[ref.loc], ref.op), &place, err));
        out->file = place->file;
        out->line = place->line;
        return PS_OK;
}

ps_status ps_deadlock_describe(ps_deadlock *out, const ps_trace *trace, const ps_replayed *run,
                               ps_sources *sources, ps_error *err)
{
        *out = (ps_deadlock){.n_locations = run->n_stuck,
                             .is_circle = run->is_circle,
                             .call = ps_memory_zeroed(run->n_cycle + (size_t)1, sizeof(*out->call)),
                             .n_calls = run->n_cycle};
        if (!out->call)
                return PS_NOMEM(err, "calls", run->n_cycle);
        for (uint32_t i = 0; i < run->n_cycle; i++) {
                uint32_t next = (i + 1) % run->n_cycle;
                ps_ref awaited = run->is_circle ? run->cycle[next] : (ps_ref){PS_NONE, PS_NONE};
                PS_TRY(describe_call(&out->call[i], trace, run->cycle[i], awaited, sources, err));
        }
        return PS_OK;
}

void ps_deadlock_clear(ps_deadlock *deadlock)
{
        free(deadlock->call);
        *deadlock = (ps_deadlock){0};
}
