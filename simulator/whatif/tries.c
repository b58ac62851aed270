/* tries.c - each word is a scenario of its own, on top of what is edited already; many are replayed at a
 * time.
 */
#include "core/base/memory.h"
#include "simulator/whatif/whatif.h"

#include <stdlib.h>
#include <string.h>

enum { AT_A_TIME = 64 };

typedef struct trying {
        ps_edits edits;
        ps_what_if what_if;
        ps_work_edit *works; /* those of the base, and then its own */
} trying;

static void forget_try(trying *t)
{
        ps_edits_clear(&t->edits);
        ps_what_if_clear(&t->what_if);
        free(t->works);
}

/* Only edits of what is computed and of the network are tried. */
static ps_status compose(trying *t, ps_scenario *out, const ps_scenario *base, ps_error *err)
{
        const ps_scenario *own = &t->what_if.scenario;
        size_t n = (size_t)base->n_works + own->n_works;
        t->works = ps_memory_zeroed(n + 1, sizeof(*t->works));
        if (!t->works)
                return PS_NOMEM(err, "edits", n);
        if (base->n_works)
                memcpy(t->works, base->works, base->n_works * sizeof(*t->works));
        if (own->n_works)
                memcpy(t->works + base->n_works, own->works, own->n_works * sizeof(*t->works));
        *out = *base;
        out->works = t->works;
        out->n_works = (uint32_t)n;
        out->latency *= own->latency;
        out->per_byte *= own->per_byte;
        for (ps_proc p = 0; base->cpu_of_process && p < t->what_if.trace->defs.processes.n; p++)
                t->what_if.cpu[p] *= base->cpu_of_process[p];
        out->cpu_of_process = t->what_if.cpu;
        for (ps_proc p = 0; base->starts && p < t->what_if.trace->defs.processes.n; p++)
                t->what_if.starts[p] |= base->starts[p];
        out->starts = base->starts || own->starts ? t->what_if.starts : NULL;
        out->no_contention |= own->no_contention;
        out->overlap |= own->overlap;
        return PS_OK;
}

static ps_status prepare_try(trying *t, ps_scenario *out, const ps_try *of, const ps_replays *replays,
                             ps_error *err)
{
        *t = (trying){0};
        PS_TRY(ps_edits_parse(&t->edits, &of->edit, 1, err));
        PS_TRY(ps_what_if_make(&t->what_if, &t->edits, replays->trace, NULL, NULL, err));
        return compose(t, out, &replays->scenario, err);
}

/* Another structure needs a replay of its own. */
static ps_status try_reordered(ps_try *of, const ps_replays *replays, unsigned n_threads, ps_error *err)
{
        const ps_replay_options how = {.n_threads = n_threads};
        ps_replayed run;
        ps_replay *replay;
        PS_TRY(ps_replay_new_reordered(&replay, of->reordered, n_threads, err));
        ps_status status = ps_replay_run(&run, replay, &replays->scenario, 1, &how, err);
        if (status == PS_OK) {
                of->is_known = !run.stuck;
                of->length = run.focus;
                ps_replayed_clear(&run);
        }
        ps_replay_free(replay);
        return status;
}

/* Somebody else may be free first. */
static ps_status try_redone(ps_try *of, const ps_scenario *scenario, const ps_replays *replays,
                            unsigned n_threads, ps_error *err)
{
        ps_reordered rearranged;
        ps_redo_told told;
        ps_status status = ps_redo_order(&rearranged, &told, replays->redo, scenario, n_threads, err);
        of->is_known = status == PS_OK && !told.is_stuck && !told.why;
        of->length = told.length;
        ps_reordered_clear(&rearranged);
        return status;
}

static ps_status try_some(ps_try *tries, uint32_t n, const ps_replays *replays, unsigned n_threads,
                          ps_error *err)
{
        trying of[AT_A_TIME];
        ps_scenario scenarios[AT_A_TIME] = {0};
        ps_replayed runs[AT_A_TIME];
        const ps_replay_options how = {.n_threads = n_threads};
        ps_try *tried[AT_A_TIME];
        ps_status status = PS_OK;
        uint32_t n_prepared = 0;
        for (uint32_t i = 0; i < n && status == PS_OK; i++) {
                if (tries[i].reordered) {
                        status = try_reordered(&tries[i], replays, n_threads, err);
                        continue;
                }
                tried[n_prepared] = &tries[i];
                status = prepare_try(&of[n_prepared], &scenarios[n_prepared], &tries[i], replays, err);
                if (status == PS_OK && replays->redo) {
                        status = try_redone(&tries[i], &scenarios[n_prepared], replays, n_threads, err);
                        forget_try(&of[n_prepared]);
                } else {
                        n_prepared++;
                }
        }
        PS_THEN(status, ps_replay_run(runs, replays->replay, scenarios, n_prepared, &how, err));
        for (uint32_t i = 0; i < n_prepared && status == PS_OK; i++) {
                tried[i]->is_known = !runs[i].stuck;
                tried[i]->length = runs[i].focus;
                ps_replayed_clear(&runs[i]);
        }
        for (uint32_t i = 0; i < n_prepared; i++)
                forget_try(&of[i]);
        return status;
}

ps_status ps_tries_run(ps_try *tries, uint32_t n, const ps_replays *replays, unsigned n_threads,
                       ps_error *err)
{
        for (uint32_t i = 0; i < n; i += AT_A_TIME)
                PS_TRY(try_some(&tries[i], n - i < AT_A_TIME ? n - i : AT_A_TIME, replays, n_threads, err));
        return PS_OK;
}
