/* cautions.c - see cautions.h. */
#include "report/facts/cautions.h"

#include "core/base/memory.h"
#include "core/sums/damage.h"
#include "report/facts/prediction.h"
#include "report/print/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SENTENCE = 512 };

/* Those of a circle one after the other, otherwise all. */
static uint32_t stuck_at(const ps_ending *ending, uint32_t i)
{
        return ending->n_circle ? ending->circle[i] : i;
}

const char *ps_stuck_operation(const ps_trace *trace, const ps_stuck *stuck)
{
        ps_region region = ps_op_region(trace, stuck->at);
        return region == PS_NONE ? NULL : ps_defs_str(&trace->defs, trace->defs.regions.row[region].name);
}

static ps_status describe_caution(ps_stuck_call *out, const ps_trace *trace, const ps_stuck *stuck,
                                  ps_sources *sources, ps_error *err)
{
        const ps_source_place *place;
        *out = (ps_stuck_call){.process = stuck->process,
                               .thread = trace->defs.locations.row[stuck->at.loc].thread,
                               .call = ps_stuck_operation(trace, stuck),
                               .partner = stuck->partner};
        PS_TRY(ps_sources_of(sources, ps_op_path(&trace->ops[stuck->at.loc], stuck->at.op), &place, err));
        out->file = place->file;
        out->line = place->line;
        return PS_OK;
}

static const char *keep_sentence(ps_arena *arena, const char *before, const char *text, const char *behind)
{
        size_t n = strlen(before) + strlen(text) + strlen(behind) + 1;
        char *copy = ps_arena_alloc(arena, n, 1);
        if (copy)
                snprintf(copy, n, "%s%s%s", before, text, behind);
        return copy;
}

static ps_status add_caution(ps_cautions *c, ps_caution caution, ps_error *err)
{
        c->row[c->n++] = caution;
        return caution.text ? PS_OK : PS_NOMEM(err, "texts", c->n);
}

/* Where the process called Abort. */
static ps_path path_of_abort(const ps_trace *trace, ps_proc process)
{
        const ps_process_def *def = &trace->defs.processes.row[process];

        for (uint32_t i = 0; i < def->n_locs; i++) {
                const ps_location_info *info = &trace->info[trace->defs.by_process[def->first + i]];
                for (uint32_t use = 0; use < info->n_uses; use++) {
                        ps_region region = trace->paths[info->uses[use].path].region;
                        if (region != PS_NONE &&
                            strcmp(ps_defs_str(&trace->defs, trace->defs.regions.row[region].name),
                                   "MPI_Abort") == 0)
                                return info->uses[use].path;
                }
        }
        return PS_NONE;
}

/* What a process did last that the trace tells of. */
static ps_path last_path(const ps_trace *trace, const ps_cut_off *row)
{
        if (row->is_abort)
                return path_of_abort(trace, row->process);
        return row->last.loc == PS_NONE ? PS_NONE : ps_op_path(&trace->ops[row->last.loc], row->last.op);
}

static ps_status say_place(ps_sentence *s, const ps_trace *trace, ps_path path, ps_sources *sources,
                           ps_error *err)
{
        const ps_source_place *place;

        if (!ps_path_region(trace, path))
                return PS_OK;
        ps_sentence_add(s, " %.100s", ps_path_region_name(trace, path));
        PS_TRY(ps_sources_of(sources, path, &place, err));
        if (place->file)
                ps_sentence_add(s, place->line ? " (%.200s:%" PRIu32 ")" : " (%.200s)", place->file,
                                place->line);
        return PS_OK;
}

/* Row `first` and all that are like it; returns how many. */
static uint32_t say_cut_off(ps_sentence *s, const ps_trace *trace, const ps_ending *e, uint32_t first)
{
        enum { LISTED_MOST = 64 };
        ps_proc rank[LISTED_MOST];
        ps_path path = last_path(trace, &e->cut_off[first]);
        uint32_t n = 0;

        for (uint32_t i = first; i < e->n_cut_off && n < LISTED_MOST; i++)
                if (last_path(trace, &e->cut_off[i]) == path)
                        rank[n++] = e->cut_off[i].process;
        ps_ranks_say(s, "rank", "ranks", rank, n);
        if (e->cut_off[first].is_abort)
                ps_sentence_add(s, " called");
        else if (path == PS_NONE)
                ps_sentence_add(s, n == 1 ? " made no call" : " made no call at all");
        else
                ps_sentence_add(s, " %s in no call: killed, gone, or still computing after",
                                n == 1 ? "was" : "were");
        return n;
}

/* Those that wait in no call: mostly the others wait for them. */
static ps_status say_all_cut_off(ps_sentence *s, const ps_trace *trace, const ps_ending *e,
                                 ps_sources *sources, ps_error *err)
{
        enum { PLACES_MOST = 4 };
        uint32_t told = 0;

        for (uint32_t i = 0, places = 0; i < e->n_cut_off && places < PLACES_MOST; i++) {
                uint32_t before = 0;
                ps_path path = last_path(trace, &e->cut_off[i]);
                while (before < i && last_path(trace, &e->cut_off[before]) != path)
                        before++;
                if (before < i)
                        continue;
                ps_sentence_add(s, "%s", s->n ? "; " : "");
                told += say_cut_off(s, trace, e, i);
                PS_TRY(say_place(s, trace, path, sources, err));
                places++;
        }
        if (told < e->n_cut_off)
                ps_sentence_add(s, "; and %" PRIu32 " more", e->n_cut_off - told);
        return PS_OK;
}

/* Who waits, and whether in a circle. */
static ps_status say_stuck(ps_sentence *s, const ps_trace *trace, const ps_ending *e, ps_sources *sources,
                           ps_error *err)
{
        ps_deadlock stuck = {.n_locations = e->n_stuck,
                             .is_circle = e->n_circle > 0,
                             .n_calls = e->n_circle ? e->n_circle : e->n_stuck};
        ps_status status = PS_OK;

        if (!e->n_stuck)
                return PS_OK;
        stuck.call = ps_memory_zeroed(stuck.n_calls, sizeof(*stuck.call));
        if (!stuck.call)
                return PS_NOMEM(err, "calls", stuck.n_calls);
        for (uint32_t i = 0; i < stuck.n_calls && status == PS_OK; i++)
                status = describe_caution(&stuck.call[i], trace, &e->stuck[stuck_at(e, i)], sources, err);
        char *text = status == PS_OK ? ps_deadlock_text(&stuck) : NULL;
        if (status == PS_OK && !text)
                status = PS_NOMEM(err, "texts", stuck.n_calls);
        if (text)
                ps_sentence_add(s, "%s%s", text, e->n_circle ? ", a circle" : "");
        if (e->n_stuck > stuck.n_calls)
                ps_sentence_add(s, "; %" PRIu32 " more %s, too", e->n_stuck - stuck.n_calls,
                                e->n_stuck - stuck.n_calls == 1 ? "waits" : "wait");
        free(text);
        free(stuck.call);
        return status;
}

static ps_status tell_ending(ps_cautions *c, const ps_trace *trace, ps_sources *sources, ps_arena *arena,
                             ps_error *err)
{
        enum { ALL = 8192 };
        const ps_ending *e = &c->ending;
        char text[ALL] = "";
        ps_sentence s = {text, sizeof(text), 0};

        PS_TRY(say_stuck(&s, trace, e, sources, err));
        PS_TRY(say_all_cut_off(&s, trace, e, sources, err));
        ps_loc where = e->n_stuck ? e->stuck[stuck_at(e, 0)].at.loc : e->cut_off[0].last.loc;
        return add_caution(c,
                           (ps_caution){"unfinished",
                                        keep_sentence(arena, "The run did not finish: ", text, "."),
                                        e->n_stuck + (uint64_t)e->n_cut_off, where},
                           err);
}

/* What a wait was for is not known then. */
static ps_status tell_crowding(ps_cautions *c, const ps_trace *trace, ps_arena *arena, ps_error *err)
{
        const ps_crowding *crowding = &c->crowding;
        uint32_t n_processes = trace->defs.processes.n, n = 0;
        ps_proc *rank = ps_memory_new((n_processes + (size_t)1) * sizeof(*rank));
        char text[SENTENCE];
        ps_sentence s = {text, sizeof(text), 0};
        if (!rank)
                return PS_NOMEM(err, "processes", n_processes);
        for (ps_proc p = 0; p < n_processes; p++)
                if (crowding->is_crowded[p])
                        rank[n++] = p;
        ps_ranks_say(&s, "Rank", "Ranks", rank, n);
        ps_sentence_add(&s,
                        " ran on fewer processors than threads (%" PRIu32 " threads on %" PRIu32
                        " processor%s%s%.100s): times may not be trusted, because a thread that waits, or "
                        "seems to "
                        "compute, may have waited for a processor.",
                        crowding->n_threads, crowding->n_processors, crowding->n_processors == 1 ? "" : "s",
                        crowding->node ? " of " : "",
                        crowding->node ? ps_defs_str(&trace->defs, crowding->node) : "");
        free(rank);
        return add_caution(c, (ps_caution){"oversubscribed", keep_sentence(arena, "", text, ""), n, PS_NONE},
                           err);
}

static ps_status tell_flushes(ps_cautions *c, const ps_trace *trace, ps_arena *arena, ps_error *err)
{
        const ps_issue *issue = &trace->issues.row[PS_I_BUFFER_FLUSH];
        char text[SENTENCE], count[PS_NUMBER_ROOM];
        if (!issue->count)
                return PS_OK;
        ps_text_count(count, issue->count);
        snprintf(text, sizeof(text),
                 "The recorder wrote to the disk in the middle of the run, %s time%s: who waited for a rank "
                 "meanwhile waited for the recorder. Give it more memory (Score-P: SCOREP_TOTAL_MEMORY).",
                 count, issue->count == 1 ? "" : "s");
        return add_caution(c,
                           (ps_caution){ps_issue_infos[PS_I_BUFFER_FLUSH].name,
                                        keep_sentence(arena, "", text, ""), issue->count, issue->location},
                           err);
}

static ps_status tell_issue(ps_cautions *c, const ps_trace *trace, int kind, ps_arena *arena, ps_error *err)
{
        const ps_issue *issue = &trace->issues.row[kind];
        char before[SENTENCE], count[PS_NUMBER_ROOM];
        ps_text_count(count, issue->count);
        snprintf(before, sizeof(before), "The trace is damaged, %s %s: ", count,
                 issue->count == 1 ? "time" : "times");
        return add_caution(c,
                           (ps_caution){ps_issue_infos[kind].name,
                                        keep_sentence(arena, before, ps_issue_infos[kind].text, "."),
                                        issue->count, issue->location},
                           err);
}

static ps_status tell_lonely(ps_cautions *c, const ps_damage *damage, ps_arena *arena, ps_error *err)
{
        char text[SENTENCE], lonely[PS_NUMBER_ROOM], all[PS_NUMBER_ROOM];
        ps_text_count(lonely, damage->lonely);
        ps_text_count(all, damage->messages);
        snprintf(text, sizeof(text), "%s of %s messages have no partner: what they waited for is not known.",
                 lonely, all);
        return add_caution(c,
                           (ps_caution){"unmatched-messages", keep_sentence(arena, "", text, ""),
                                        damage->lonely, PS_NONE},
                           err);
}

/* What a device does is in no sum, and who waits for it seems to compute. */
static ps_status tell_accelerators(ps_cautions *c, const ps_trace *trace, ps_arena *arena, ps_error *err)
{
        char text[SENTENCE], count[PS_NUMBER_ROOM];
        ps_loc first = PS_NONE;
        uint64_t n = 0;
        for (ps_loc loc = trace->n_locs; loc-- > 0;) {
                if (trace->defs.locations.row[loc].type != PS_LOCATION_ACCELERATOR ||
                    !trace->info[loc].n_events)
                        continue;
                first = loc;
                n++;
        }
        if (!n)
                return PS_OK;
        ps_text_count(count, n);
        snprintf(
                text, sizeof(text),
                "What %s stream%s of accelerators did is not looked at: it is not told whether a call of one "
                "waits for its device.",
                count, n == 1 ? "" : "s");
        return add_caution(c, (ps_caution){"accelerators", keep_sentence(arena, "", text, ""), n, first},
                           err);
}

ps_status ps_cautions_find(ps_cautions *out, const ps_trace *trace, ps_sources *sources, bool tells_ending,
                           ps_arena *arena, ps_error *err)
{
        ps_damage damage = ps_damage_of(&trace->issues, trace->n_messages);
        *out = (ps_cautions){.row = ps_memory_zeroed(damage.n_kinds + (size_t)5, sizeof(*out->row))};
        PS_TRY(out->row ? ps_ending_find(&out->ending, trace, err) : PS_NOMEM(err, "texts", damage.n_kinds));
        if (tells_ending && (out->ending.n_stuck || out->ending.n_cut_off))
                PS_TRY(tell_ending(out, trace, sources, arena, err));
        PS_TRY(ps_crowding_find(&out->crowding, trace, err));
        if (tells_ending && out->crowding.n_processes)
                PS_TRY(tell_crowding(out, trace, arena, err));
        PS_TRY(tell_flushes(out, trace, arena, err));
        PS_TRY(tell_accelerators(out, trace, arena, err));
        for (int kind = 0; kind < PS_I_COUNT; kind++)
                if (ps_issue_infos[kind].damages && trace->issues.row[kind].count)
                        PS_TRY(tell_issue(out, trace, kind, arena, err));
        /* What processes wait in as the run ends has no partner, and was told of. */
        bool is_told = tells_ending && damage.lonely <= out->ending.n_stuck;
        return damage.lonely && !is_told ? tell_lonely(out, &damage, arena, err) : PS_OK;
}

void ps_cautions_clear(ps_cautions *cautions)
{
        ps_ending_clear(&cautions->ending);
        ps_crowding_clear(&cautions->crowding);
        free(cautions->row);
        *cautions = (ps_cautions){0};
}
