/* scenario.c - edits made fit for a trace. */
#include "simulator/whatif/scenario.h"

#include "core/base/memory.h"
#include "core/model/rank_map.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* -- the machine -- */

/* Ranks that the file does not name stay where the machine has them. */
static ps_status read_map(ps_machine *machine, const char *path, uint32_t n_ranks, ps_error *err)
{
        uint32_t *nodes, *all, n;
        PS_TRY(ps_rank_map_read(&nodes, &n, path, "RANK NODE", err));
        if (n > n_ranks) {
                free(nodes);
                return PS_FAIL(err, PS_E_INPUT,
                               "the trace has no such rank: path=\"%s\", rank=%" PRIu32 ", ranks=%" PRIu32,
                               path, n - 1, n_ranks);
        }
        all = realloc(nodes, n_ranks * sizeof(*all));
        if (!all) {
                free(nodes);
                return PS_NOMEM(err, "nodes", n_ranks);
        }
        for (uint32_t r = 0; r < n_ranks; r++)
                if (r >= n || all[r] == PS_NONE)
                        all[r] = ps_machine_node(machine, r);
        free(machine->node_of_rank);
        machine->node_of_rank = all;
        machine->n_node_of_rank = n_ranks;
        return PS_OK;
}

static ps_status change_machine(ps_machine *machine, const ps_edits *edits, const ps_trace *trace,
                                ps_error *err)
{
        if (!machine && (edits->map || edits->n_collectives))
                return PS_FAIL(
                        err, PS_E_USAGE,
                        "%s= needs a machine with a model: \"recorded\" does not know what depends on it",
                        edits->map ? "map" : "coll");
        for (unsigned i = 0; i < edits->n_collectives; i++)
                memcpy(machine->collective[edits->collectives[i].kind], edits->collectives[i].shape,
                       sizeof(edits->collectives[i].shape));
        return edits->map ? read_map(machine, edits->map, trace->defs.processes.n, err) : PS_OK;
}

static ps_status fail_rank(const char *edit, ps_proc rank, uint32_t n, ps_error *err)
{
        return PS_FAIL(err, PS_E_USAGE,
                       "the trace has no such rank: edit=\"%.120s\", rank=%" PRIu32 ", ranks=%" PRIu32, edit,
                       rank, n);
}

/* -- what is computed -- */

static uint8_t *new_paths(const ps_what_if *w)
{
        return PS_ARENA_NEW(w->arena, uint8_t, w->trace->n_paths + (size_t)1);
}

static ps_status find_processes(const ps_what_if *w, const uint8_t **out, const ps_edit_work *edit,
                                ps_error *err)
{
        uint32_t n = w->trace->defs.processes.n;
        uint8_t *is_changed = PS_ARENA_NEW(w->arena, uint8_t, n + (size_t)1);
        *out = is_changed;
        if (!is_changed)
                return PS_NOMEM(err, "processes", n);
        for (unsigned i = 0; i < edit->n_ranks; i++) {
                const ps_edit_ranks *ranks = &edit->ranks[i];
                if (ranks->last >= n)
                        return fail_rank(edit->text, ranks->last, n, err);
                memset(is_changed + ranks->first, 1, ranks->last - ranks->first + (size_t)1);
        }
        return PS_OK;
}

static ps_status add_work(ps_what_if *w, const ps_edit_work *edit, ps_error *err)
{
        uint8_t *paths = new_paths(w);
        bool is_stretch = false, has_ranks = false;
        ps_work_edit *out = &w->works[w->scenario.n_works++];
        if (!paths)
                return PS_NOMEM(err, "call paths", w->trace->n_paths);
        *out = (ps_work_edit){.paths = paths, .factor = edit->factor, .change = (uint8_t)edit->change};
        PS_TRY(ps_work_paths(paths, &is_stretch, edit, w->trace, &has_ranks, err));
        out->is_stretch = (uint8_t)is_stretch;
        return has_ranks ? find_processes(w, &out->processes, edit, err) : PS_OK;
}

/* -- balance -- */

/* The outermost intervals that a path is in: its name, + 1; 0: none. */
static void find_intervals(const ps_trace *trace, const uint8_t *is_interval, uint32_t *in)
{
        for (ps_path p = 1; p < trace->n_paths; p++) {
                ps_region region = trace->paths[p].region;
                in[p] = in[trace->paths[p].parent];
                if (!in[p] && region != PS_NONE && is_interval && is_interval[region])
                        in[p] = trace->defs.regions.row[region].name + 1;
        }
}

/* The visits of the intervals of one name, or what is in none of them. */
static ps_status add_balance(ps_what_if *w, const uint32_t *in, uint32_t name, ps_error *err)
{
        const ps_trace *trace = w->trace;
        uint8_t *paths = new_paths(w);
        if (!paths)
                return PS_NOMEM(err, "call paths", trace->n_paths);
        for (ps_path p = 0; p < trace->n_paths; p++)
                if (in[p] == name)
                        paths[p] = name && !in[trace->paths[p].parent] ? PS_WORK_IS_IN | PS_WORK_OPENS
                                                                       : PS_WORK_IS_IN;
        w->works[w->scenario.n_works++] =
                (ps_work_edit){.paths = paths, .factor = 1, .change = PS_WORK_BALANCE, .is_rest = !name};
        return PS_OK;
}

static ps_status balance_all(ps_what_if *w, const uint8_t *is_interval, ps_error *err)
{
        const ps_trace *trace = w->trace;
        uint32_t *in = ps_memory_zeroed(trace->n_paths + (size_t)1, sizeof(*in));
        uint32_t last = 0;
        if (in)
                find_intervals(trace, is_interval, in);
        for (ps_path p = 0; in && p < trace->n_paths; p++)
                last = in[p] > last ? in[p] : last;
        uint8_t *is_done = ps_memory_zeroed(last + (size_t)1, 1);
        ps_status status = in && is_done ? PS_OK : PS_NOMEM(err, "call paths", trace->n_paths);
        for (ps_path p = 0; p < trace->n_paths && status == PS_OK; p++)
                if (!is_done[in[p]]) {
                        is_done[in[p]] = 1;
                        status = add_balance(w, in, in[p], err);
                }
        free(in);
        free(is_done);
        return status;
}

/* -- ranks -- */

static ps_status change_ranks(ps_what_if *w, const ps_edits *edits, ps_error *err)
{
        uint32_t n = w->trace->defs.processes.n;
        for (unsigned i = 0; i < edits->n_ranks; i++) {
                const ps_edit_ranks *ranks = &edits->ranks[i];
                if (ranks->last >= n)
                        return fail_rank(ranks->text, ranks->last, n, err);
                for (ps_proc p = ranks->first; p <= ranks->last; p++)
                        w->cpu[p] *= ranks->factor;
        }
        return PS_OK;
}

static ps_status change_starts(ps_what_if *w, const ps_edits *edits, ps_error *err)
{
        uint32_t n = w->trace->defs.processes.n;
        memset(w->starts, edits->all_start, n);
        for (unsigned i = 0; i < edits->n_starts; i++) {
                const ps_edit_ranks *ranks = &edits->starts[i];
                if (ranks->last >= n)
                        return fail_rank(ranks->text, ranks->last, n, err);
                memset(w->starts + ranks->first, 1, ranks->last - ranks->first + (size_t)1);
        }
        return PS_OK;
}

static ps_status make_tables(ps_what_if *w, size_t n_works, ps_error *err)
{
        const ps_trace *trace = w->trace;
        w->cpu = ps_memory_zeroed(trace->defs.processes.n + (size_t)1, sizeof(*w->cpu));
        w->starts = ps_memory_zeroed(trace->defs.processes.n + (size_t)1, 1);
        w->works = ps_memory_zeroed(n_works + 1, sizeof(*w->works));
        w->arena = ps_arena_new();
        if (!w->cpu || !w->starts || !w->works || !w->arena)
                return PS_NOMEM(err, "factors", trace->defs.processes.n);
        for (ps_proc p = 0; p < trace->defs.processes.n; p++)
                w->cpu[p] = 1;
        return PS_OK;
}

static void set_scenario(ps_what_if *w, const ps_edits *edits, const ps_machine *machine)
{
        ps_scenario *s = &w->scenario;
        s->machine = machine;
        s->latency = edits->ideal ? 0 : edits->latency;
        s->per_byte = edits->ideal ? 0 : edits->per_byte;
        s->no_contention = edits->ideal != 0;
        s->overlap = edits->overlap != 0;
        s->has_eager_limit = edits->has_eager != 0;
        s->eager_limit = edits->eager_bytes;
        s->cpu_of_process = w->cpu;
        s->starts = edits->all_start || edits->n_starts ? w->starts : NULL;
        s->works = w->works;
}

ps_status ps_what_if_make(ps_what_if *out, const ps_edits *edits, const ps_trace *trace, ps_machine *machine,
                          const uint8_t *is_interval, ps_error *err)
{
        size_t n_intervals = edits->balanced ? trace->defs.regions.n + (size_t)1 : 0;
        *out = (ps_what_if){.trace = trace};
        ps_scenario_init(&out->scenario);
        PS_TRY(make_tables(out, edits->n_works + n_intervals, err));
        PS_TRY(change_machine(machine, edits, trace, err));
        if (edits->balanced)
                PS_TRY(balance_all(out, is_interval, err));
        for (unsigned i = 0; i < edits->n_works; i++)
                PS_TRY(add_work(out, &edits->works[i], err));
        PS_TRY(change_ranks(out, edits, err));
        PS_TRY(change_starts(out, edits, err));
        set_scenario(out, edits, machine);
        return PS_OK;
}

void ps_what_if_clear(ps_what_if *what_if)
{
        free(what_if->cpu);
        free(what_if->starts);
        free(what_if->works);
        ps_arena_free(what_if->arena);
        *what_if = (ps_what_if){0};
}
