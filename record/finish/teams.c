/* teams.c - teams of OpenMP. A thread that begins its part of a parallel region is of its team, so that rows
 * are gone through once before they are written. Teams of the same threads are one. */
#include "record/finish/run.h"

static ps_status set_with(ps_raw_run *run, uint32_t before, uint32_t thread, uint32_t *out, ps_error *err)
{
        ps_map *map = &run->keys[PS_RAW_SET_IDS];
        size_t n = map->n;
        ps_time *value = ps_map_at(map, before, thread, (ps_time)n + 1);
        ps_raw_run_set set = {before, thread, before ? run->sets.row[before - 1].n + 1 : 1, PS_NONE};
        if (!value || (map->n > n && PS_PUSH(run->sets, set)))
                return PS_NOMEM(err, "teams", n);
        *out = (uint32_t)*value;
        return PS_OK;
}

static ps_status join_team(ps_raw_run *run, uint32_t thread, uint32_t process, uint64_t region, ps_error *err)
{
        uint32_t set;
        ps_time *members = ps_map_at(&run->keys[PS_RAW_TEAM_IDS], process, (uint32_t)region, 0);
        if (!members)
                return PS_NOMEM(err, "parallel regions", run->keys[PS_RAW_TEAM_IDS].n);
        if (*members && run->sets.row[*members - 1].thread == thread) /* twice in one region: a damaged row */
                return PS_OK;
        PS_TRY(set_with(run, (uint32_t)*members, thread, &set, err));
        *members = set;
        return PS_OK;
}

static ps_status note_joined(ps_raw_run *run, uint32_t process, uint64_t region, uint64_t time, ps_error *err)
{
        ps_time *at = ps_map_at(&run->keys[PS_RAW_JOINS], process, (uint32_t)region, 0);
        if (!at)
                return PS_NOMEM(err, "parallel regions", run->keys[PS_RAW_JOINS].n);
        *at = (ps_time)time;
        return PS_OK;
}

static ps_status read_thread(ps_raw_run *run, uint32_t thread, ps_error *err)
{
        const ps_raw_run_thread *at = &run->threads.row[thread];
        const ps_process *process = &run->processes.row[at->process];
        ps_rows rows;
        ps_raw_row row;
        const uint8_t *notes;
        ps_status status = ps_rows_open(&rows, at->path, err);
        while (status == PS_OK && ps_rows_next(&rows, &row, &notes)) {
                if (row.site == PS_RAW_SAMPLE)
                        continue;
                const uint8_t *end = notes + row.size;
                uint64_t f[PS_RAW_FIELDS_MOST];
                ps_raw_note note;
                while (status == PS_OK && ps_notes_next(&notes, end, &note, f))
                        if (note == PS_RAW_TEAM_BEGIN)
                                status = join_team(run, thread, at->process, f[0], err);
                        else if (note == PS_RAW_TEAM_JOIN)
                                status = note_joined(run, at->process, f[0],
                                                     ps_process_time(process, row.enter), err);
        }
        ps_rows_close(&rows);
        return status;
}

ps_status ps_raw_run_teams(ps_raw_run *run, ps_error *err)
{
        for (uint32_t i = 0; i < run->threads.n; i++) {
                const ps_raw_run_thread *thread = &run->threads.row[i];
                if (thread->path && thread->process != PS_NONE &&
                    run->processes.row[thread->process].has_teams)
                        PS_TRY(read_thread(run, i, err));
        }
        return PS_OK;
}

static ps_raw_run_set *members_of(const ps_raw_run *run, uint32_t process, uint64_t region)
{
        ps_time set = ps_map_get(&run->keys[PS_RAW_TEAM_IDS], process, (uint32_t)region, 0);
        return set ? &run->sets.row[set - 1] : NULL;
}

uint32_t ps_raw_run_team_size(const ps_raw_run *run, uint32_t process, uint64_t region)
{
        const ps_raw_run_set *set = members_of(run, process, region);
        return set ? set->n : 0;
}

ps_status ps_raw_run_team(ps_raw_run *run, uint32_t process, uint64_t region, uint32_t *out, ps_error *err)
{
        ps_raw_run_set *set = members_of(run, process, region);
        *out = PS_NONE;
        if (!set)
                return PS_OK;
        if (set->team == PS_NONE) {
                set->team = run->teams.n;
                if (PS_PUSH(run->teams, (uint32_t)(set - run->sets.row) + 1))
                        return PS_NOMEM(err, "teams", run->teams.n);
        }
        *out = set->team;
        return PS_OK;
}

uint64_t ps_raw_run_joined(const ps_raw_run *run, uint32_t process, uint64_t region)
{
        return (uint64_t)ps_map_get(&run->keys[PS_RAW_JOINS], process, (uint32_t)region, 0);
}
