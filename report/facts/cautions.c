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

static ps_status describe(ps_stuck_call *out, const ps_trace *trace, const ps_stuck *stuck,
                          ps_sources *sources, ps_error *err)
{
        const ps_source_place *place;
        *out = (ps_stuck_call){.process = stuck->process,
                               .thread = trace->defs.locations.row[stuck->at.loc].thread,
                               .call = ps_stuck_operation(trace, stuck),
                               .partner = stuck->partner};
        PS_TRY(ps_sources_of(sources, trace->ops[stuck->at.loc].path[stuck->at.op], &place, err));
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

static ps_status tell_ending(ps_cautions *c, const ps_trace *trace, ps_sources *sources, ps_arena *arena,
                             ps_error *err)
{
        const ps_ending *e = &c->ending;
        ps_deadlock stuck = {.n_locations = e->n_stuck,
                             .is_circle = e->n_circle > 0,
                             .n_calls = e->n_circle ? e->n_circle : e->n_stuck};
        ps_status status = PS_OK;
        stuck.call = ps_memory_zeroed(stuck.n_calls, sizeof(*stuck.call));
        if (!stuck.call)
                return PS_NOMEM(err, "calls", stuck.n_calls);
        for (uint32_t i = 0; i < stuck.n_calls && status == PS_OK; i++)
                status = describe(&stuck.call[i], trace, &e->stuck[stuck_at(e, i)], sources, err);
        char *text = status == PS_OK ? ps_deadlock_text(&stuck) : NULL;
        char behind[SENTENCE] = ".";
        uint32_t others = e->n_stuck - stuck.n_calls;
        if (others)
                snprintf(behind, sizeof(behind), ", a circle. %" PRIu32 " more wait, too.", others);
        else if (e->n_circle)
                snprintf(behind, sizeof(behind), ", a circle.");
        PS_THEN(status,
                add_caution(c,
                            (ps_caution){"unfinished",
                                         text ? keep_sentence(arena, "The run did not finish: ", text, behind)
                                              : NULL,
                                         e->n_stuck, e->stuck[stuck_at(e, 0)].at.loc},
                            err));
        free(text);
        free(stuck.call);
        return status;
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

ps_status ps_cautions_find(ps_cautions *out, const ps_trace *trace, ps_sources *sources, bool tells_ending,
                           ps_arena *arena, ps_error *err)
{
        ps_damage damage = ps_damage_of(&trace->issues, trace->n_messages);
        *out = (ps_cautions){.row = ps_memory_zeroed(damage.n_kinds + (size_t)2, sizeof(*out->row))};
        ps_status status =
                out->row ? ps_ending_find(&out->ending, trace, err) : PS_NOMEM(err, "texts", damage.n_kinds);
        if (status == PS_OK && tells_ending && out->ending.n_stuck)
                status = tell_ending(out, trace, sources, arena, err);
        for (int kind = 0; kind < PS_I_COUNT && status == PS_OK; kind++)
                if (ps_issue_infos[kind].damages && trace->issues.row[kind].count)
                        status = tell_issue(out, trace, kind, arena, err);
        return status == PS_OK && damage.lonely ? tell_lonely(out, &damage, arena, err) : status;
}

void ps_cautions_clear(ps_cautions *cautions)
{
        ps_ending_clear(&cautions->ending);
        free(cautions->row);
        *cautions = (ps_cautions){0};
}
