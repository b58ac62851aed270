/* gains.c - each wish is a scenario; they are replayed many at a time. */
#include "simulator/whatif/whatif.h"

enum { AT_A_TIME = 64 };

static bool removes_something(const ps_wish *wish, const ps_removal *removals)
{
        for (uint32_t i = 0; i < wish->n; i++)
                if (removals[wish->first + i].n)
                        return true;
        return false;
}

static ps_status prepare_wish(ps_scenario *scenario, ps_unwaited *set, const ps_wish *wish,
                              const ps_removal *removals, const ps_replays *replays, const ps_unwaited *base,
                              ps_error *err)
{
        PS_TRY(ps_unwaited_new(set, replays->trace, base, err));
        for (uint32_t i = 0; i < wish->n; i++)
                PS_TRY(ps_unwaited_add(set, replays->trace, &removals[wish->first + i], err));
        *scenario = replays->scenario;
        scenario->unwaited = (const uint64_t *const *)set->rows;
        return PS_OK;
}

static void keep_gain(ps_wish *wish, const ps_replayed *run, ps_time before)
{
        wish->is_known = !run->stuck;
        wish->gain = !run->stuck && run->focus < before ? ps_time_sub(before, run->focus) : 0;
}

/* AT_A_TIME of them at most. */
static ps_status replay_some(ps_wish *wishes, uint32_t n, const ps_removal *removals,
                             const ps_replays *replays, const ps_gains_options *options, ps_error *err)
{
        ps_unwaited sets[AT_A_TIME] = {{0}};
        ps_scenario scenarios[AT_A_TIME];
        ps_replayed runs[AT_A_TIME];
        ps_wish *of[AT_A_TIME];
        uint32_t n_runs = 0;
        const ps_replay_options how = {.n_threads = options->n_threads};
        ps_status status = PS_OK;
        for (uint32_t i = 0; i < n && status == PS_OK; i++) {
                if (!removes_something(&wishes[i], removals))
                        continue;
                of[n_runs] = &wishes[i];
                status = prepare_wish(&scenarios[n_runs], &sets[n_runs], &wishes[i], removals, replays,
                                      options->removed, err);
                n_runs++;
        }
        PS_THEN(status, ps_replay_run(runs, replays->replay, scenarios, n_runs, &how, err));
        for (uint32_t i = 0; i < n_runs; i++) {
                if (status == PS_OK) {
                        keep_gain(of[i], &runs[i], options->length);
                        ps_replayed_clear(&runs[i]);
                }
                ps_unwaited_clear(&sets[i]);
        }
        return status;
}

ps_status ps_gains_find(ps_wish *wishes, uint32_t n, const ps_removal *removals, const ps_replays *replays,
                        const ps_gains_options *options, ps_error *err)
{
        for (uint32_t i = 0; i < n; i++)
                wishes[i].is_known = false;
        for (uint32_t i = 0; i < n; i += AT_A_TIME)
                PS_TRY(replay_some(&wishes[i], n - i < AT_A_TIME ? n - i : AT_A_TIME, removals, replays,
                                   options, err));
        return PS_OK;
}
