/* fixes.c - see fixes.h. What can be done about a cause is a list of words for `predict`; they are tried by
 * replays, each word once. */
#include "library/gains/fixes.h"

#include "core/base/memory.h"
#include "core/base/vector.h"
#include "core/sums/times.h"
#include "library/gains/targets.h"
#include "report/causes/words.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One thing that can be done about one cause; with the factor 0 it tells the most that can be gained. */
typedef struct wish {
        uint32_t row; /* of the blame's causes */
        ps_fix_kind kind;
        double factor;     /* -1: none */
        uint8_t is_inside; /* see ps_cause_fix */
        uint8_t is_wanted;
        char *text;    /* owned */
        uint32_t word; /* of those that are tried, if it is wanted: the same text */
} wish;

typedef struct work {
        const ps_trace *trace;
        ps_blame *blame;
        ps_fixes_options how;
        const ps_report *report;
        uint8_t *kind_of_path;
        PS_VECTOR(ps_try) tried;
        PS_VECTOR(wish) wishes;
        uint32_t n_lanes;     /* of replays, that they need */
        uint8_t *in_group;    /* by process */
        const char *why_none; /* nothing can be done about the cause at hand that a replay knows of */
} work;

static char *join_words(const char *a, const char *b, const char *c, const char *d)
{
        size_t room = strlen(a) + strlen(b) + strlen(c) + strlen(d) + 1;
        char *text = ps_memory_new(room);
        if (text)
                snprintf(text, room, "%s%s%s%s", a, b, c, d);
        return text;
}

/* Why no replay tells what mending gains. */
static const char wakes_up[] = "a replay keeps how long threads take to begin.",
                  kept[] = "a replay keeps what this call takes.",
                  stuck[] = "a replay of the mended run ends in a deadlock.";

/* -- what can be done -- */

static ps_status add_wish(work *w, uint32_t row, ps_fix_kind kind, double factor, char *text, ps_error *err)
{
        wish new = {.row = row, .kind = kind, .factor = factor, .text = text};
        if (text && !PS_PUSH(w->wishes, new))
                return PS_OK;
        free(text);
        return PS_NOMEM(err, "fixes", w->wishes.n);
}

static ps_status add_sped_up(work *w, uint32_t row, const ps_target *t, const char *ranks, double factor,
                             ps_error *err)
{
        char scale[24];
        snprintf(scale, sizeof(scale), "*%g", factor);
        char *where = join_words("region:", t->name, ranks, scale);
        return add_wish(w, row, PS_FIX_SPED_UP, factor, where, err);
}

/* Now one thread of a team is late, now another one: as a whole they compute equally long. */
static ps_status add_inside(work *w, uint32_t row, const ps_stretch *in, ps_error *err)
{
        static const char *const words[] = {"balance:", "even:"};
        static const ps_fix_kind kinds[] = {PS_FIX_BALANCED, PS_FIX_EVENED};
        for (int i = 0; i < 2 && in->name && in->n_there > 1; i++) {
                PS_TRY(add_wish(w, row, kinds[i], -1, join_words(words[i], in->name, "", ""), err));
                w->wishes.row[w->wishes.n - 1].is_inside = 1;
        }
        return PS_OK;
}

/* The ways that say nothing of ranks, and then by the ranks of the cause. What nobody else does, or who is
 * late with it, cannot be shared out or compared; what all do is shared out first. */
static ps_status add_computed(work *w, uint32_t row, const ps_cause_group *group, const ps_target *t,
                              const char *ranks, ps_error *err)
{
        static const double factors[2][3] = {{0.75, 0.5, 0}, {0.5, 0.75, 0}};
        bool is_alone = group->why == PS_WHY_ALONE || t->n_there < 2 ||
                        (t->n_late >= t->n_there && t->n_there < t->n_all);
        for (int pass = 0; pass < 2; pass++) {
                if ((pass == 0) != is_alone) {
                        if (t->n_there == t->n_all && t->n_there > 1)
                                PS_TRY(add_wish(w, row, PS_FIX_BALANCED, -1,
                                                join_words("balance:", t->name, "", ""), err));
                        if (t->n_there > 1)
                                PS_TRY(add_wish(w, row, PS_FIX_EVENED, -1,
                                                join_words("even:", t->name, "", ""), err));
                        if (t->n_there > 1 && w->how.all)
                                PS_TRY(add_wish(w, row, PS_FIX_EVENED, -1,
                                                join_words("even:", t->name, ranks, ""), err));
                        PS_TRY(add_inside(w, row, &group->inside, err));
                } else {
                        for (int i = 0; i < 3; i++)
                                PS_TRY(add_sped_up(w, row, t, ranks, factors[is_alone][i], err));
                }
        }
        return PS_OK;
}

/* Whoever holds a lock holds it for a shorter time. */
static ps_status add_held(work *w, uint32_t row, const ps_target *t, ps_error *err)
{
        static const double factors[] = {0.5, 0.75, 0};
        for (int i = 0; i < 3; i++)
                PS_TRY(add_sped_up(w, row, t, "", factors[i], err));
        return PS_OK;
}

/* Where no functions are known all that is computed is meant. */
static ps_status add_all_computed(work *w, uint32_t row, const char *ranks, ps_error *err)
{
        static const double factors[] = {0.5, 0.75, 0};
        char scale[24];
        for (int i = 0; i < 3; i++) {
                snprintf(scale, sizeof(scale), "*%g", factors[i]);
                PS_TRY(add_wish(w, row, PS_FIX_SPED_UP, factors[i], join_words("rank:", ranks + 1, scale, ""),
                                err));
        }
        return PS_OK;
}

/* What a process does before its first event takes no longer than what the others do before theirs. */
static ps_status add_started(work *w, uint32_t row, const ps_cause *cause, const char *ranks, ps_error *err)
{
        bool is_thread = w->trace->defs.locations.row[cause->location].thread != 0;
        w->why_none = cause->path ? kept : wakes_up;
        return cause->path || is_thread
                       ? PS_OK
                       : add_wish(w, row, PS_FIX_EVENED, -1, join_words("start:", ranks + 1, "", ""), err);
}

/* Only what completes requests can go on behind computation; a library that does something else does not move
 * anything; and what one-sided calls take no machine tells. */
static ps_status add_transfer(work *w, uint32_t row, ps_path path, ps_error *err)
{
        const ps_region_def *region = ps_path_region(w->trace, path);
        const ps_class cls = region && region->kind != PS_K_NONE ? ps_kinds[region->kind].cls : PS_C_TASK;
        if (cls == PS_C_COMPLETE)
                PS_TRY(add_wish(w, row, PS_FIX_OVERLAPPED, -1, join_words("overlap", "", "", ""), err));
        if (cls != PS_C_RMA && cls != PS_C_RMA_SYNC && w->kind_of_path[path] == PS_TIME_TRANSFER)
                PS_TRY(add_wish(w, row, PS_FIX_OVERLAPPED, 0, join_words("ideal-network", "", "", ""), err));
        return PS_OK;
}

/* Of a measured run: other timings are not what messages were seen to do. */
static ps_status add_reordered(work *w, uint32_t row, const ps_cause_group *group, ps_error *err)
{
        if (w->report->timing != &w->trace->measured)
                return PS_OK;
        return add_wish(
                w, row, PS_FIX_REORDERED, -1,
                join_words("reorder:", group->n > 1 ? group->row[0]->site : group->row[0]->id, "", ""), err);
}

/* Eight words share a replay; what changes the order of calls needs one of its own. */
enum { LANES = 8 };

static uint32_t lanes_of(const wish *of)
{
        return of->kind == PS_FIX_REORDERED ? LANES : 1;
}

/* More are tried only if all are asked for. */
enum { LANES_UNASKED = 24 };

/* Each text is tried once, for all causes. */
static bool is_wanted_already(const work *w, const wish *of)
{
        for (uint32_t i = 0; i < w->wishes.n; i++)
                if (w->wishes.row[i].is_wanted && strcmp(w->wishes.row[i].text, of->text) == 0)
                        return true;
        return false;
}

static void want_if_there_is_room(work *w, wish *of)
{
        uint32_t n_lanes = is_wanted_already(w, of) ? 0 : lanes_of(of);
        of->is_wanted = w->how.all || w->n_lanes + n_lanes <= LANES_UNASKED;
        w->n_lanes += of->is_wanted ? n_lanes : 0;
}

/* Unasked: the first of those from `first` on, and the most that can be gained. */
static void choose_fixes(work *w, uint32_t first)
{
        for (uint32_t i = first; i < w->wishes.n; i++)
                if (w->how.all || i == first || w->wishes.row[i].factor == 0)
                        want_if_there_is_room(w, &w->wishes.row[i]);
}

/* Of what is tried; 0: that is not known. */
static ps_time gain_of(const work *w, const wish *of, ps_time before)
{
        const ps_try *tried = &w->tried.row[of->word];
        return of->is_wanted && tried->is_known ? ps_time_sub(before, tried->length) : 0;
}

/* Does the first way gain nothing, or hardly anything of what can be gained? */
static bool is_in_vain(const work *w, const wish *first, ps_time before)
{
        if (!first->is_wanted || !w->tried.row[first->word].is_known)
                return false;
        ps_time gain = gain_of(w, first, before);
        bool is = (double)gain < PS_WORTH_MENDING * (double)before;
        for (const wish *of = first; of < w->wishes.row + w->wishes.n && of->row == first->row; of++)
                is |= ps_cause_gains_far_more(gain_of(w, of, before), gain, before);
        return is;
}

/* What all ranks can do, of the causes that a report for people leads with. */
static bool is_another_way(const work *w, const wish *of)
{
        enum { LEADING = 3 };
        return !of->is_wanted && !strchr(of->text, '@') && w->blame->group_of[of->row] < LEADING;
}

/* Where the first way is in vain. */
static void want_others(work *w, ps_time before)
{
        const wish *first = w->wishes.row;
        for (uint32_t i = 0; i < w->wishes.n; i++) {
                wish *of = &w->wishes.row[i];
                first = of->row == first->row ? first : of;
                if (is_another_way(w, of) && is_in_vain(w, first, before))
                        want_if_there_is_room(w, of);
        }
}

/* Each text is tried once. */
static ps_status find_word(work *w, wish *of, ps_error *err)
{
        of->word = 0;
        while (of->word < w->tried.n && strcmp(w->tried.row[of->word].edit, of->text) != 0)
                of->word++;
        if (of->word == w->tried.n && PS_PUSH(w->tried, (ps_try){.edit = of->text}))
                return PS_NOMEM(err, "edits", w->tried.n);
        return PS_OK;
}

static ps_status find_words(work *w, ps_error *err)
{
        for (uint32_t i = 0; i < w->wishes.n; i++)
                if (w->wishes.row[i].is_wanted)
                        PS_TRY(find_word(w, &w->wishes.row[i], err));
        return PS_OK;
}

static bool is_reordering(const ps_try *of)
{
        return strncmp(of->edit, "reorder:", strlen("reorder:")) == 0;
}

/* Ways that are wanted only if others turn out to be in vain are tried with those from `first` on, as far as
 * these leave room in a replay: later on they would need one of their own. */
static ps_status find_words_ahead(work *w, uint32_t first, const ps_replays *replays, ps_error *err)
{
        enum { TOGETHER = 2 * LANES };
        uint32_t n = 0;
        for (uint32_t i = first; i < w->tried.n; i++)
                n += !is_reordering(&w->tried.row[i]);
        bool is_shared = n && !replays->redo && !replays->scenario.machine;
        uint32_t most = w->tried.n + (is_shared ? (TOGETHER - n % TOGETHER) % TOGETHER : 0);
        for (uint32_t i = 0; i < w->wishes.n && w->tried.n < most; i++)
                if (w->wishes.row[i].kind != PS_FIX_REORDERED && is_another_way(w, &w->wishes.row[i]))
                        PS_TRY(find_word(w, &w->wishes.row[i], err));
        return PS_OK;
}

static ps_status wish_for_group(work *w, const ps_cause_group *group, ps_error *err)
{
        uint32_t row = (uint32_t)(group->row[0] - w->blame->told), n = w->trace->defs.processes.n;
        const ps_cause *cause = group->row[0]->cause;
        ps_target t = {0};
        w->why_none = kept;
        if (cause->why == PS_WHY_TRANSFER)
                return add_transfer(w, row, cause->path, err);
        memset(w->in_group, 0, n);
        for (uint32_t i = 0, n_rows = ps_cause_group_rows(group); i < n_rows; i++)
                w->in_group[group->row[i]->process] = 1;
        if (cause->why == PS_WHY_LATE_ORDER)
                PS_TRY(add_reordered(w, row, group, err));
        char *ranks = ps_target_ranks(w->in_group, n);
        ps_status status = ranks ? PS_OK : PS_NOMEM(err, "ranks", n);
        if (cause->why != PS_WHY_START) {
                PS_THEN(status, ps_target_find(&t, w->trace, group, err));
                w->why_none = t.why_none;
        }
        if (status == PS_OK && cause->why == PS_WHY_START)
                status = add_started(w, row, cause, ranks, err);
        else if (status == PS_OK && t.name)
                status = group->why == PS_WHY_LOCK ? add_held(w, row, &t, err)
                                                   : add_computed(w, row, group, &t, ranks, err);
        else if (status == PS_OK && !cause->path && t.n_late < t.n_all &&
                 ps_target_is_all(w->trace, cause->location)) /* all that all compute is no place */
                status = add_all_computed(w, row, ranks, err);
        free(ranks);
        free(t.name);
        return status;
}

/* -- what is received in another order -- */

static ps_status reorder(work *w, ps_try *of, ps_error *err)
{
        ps_reordered *reordered = ps_memory_zeroed(1, sizeof(*reordered));
        ps_edits edits;
        ps_ref *late = NULL;
        uint32_t n;
        if (!reordered)
                return PS_NOMEM(err, "receives", 1);
        of->reordered = reordered;
        ps_status status = ps_edits_parse(&edits, &of->edit, 1, err);
        PS_THEN(status, ps_removals_reordered(&late, &n, &edits, w->report, &w->how.found, err));
        PS_THEN(status, ps_reordered_new(reordered, w->trace, late, n, err));
        free(late);
        ps_edits_clear(&edits);
        return status;
}

static ps_status reorder_from(work *w, uint32_t first, ps_error *err)
{
        for (uint32_t i = first; i < w->tried.n; i++)
                if (is_reordering(&w->tried.row[i]))
                        PS_TRY(reorder(w, &w->tried.row[i], err));
        return PS_OK;
}

static void forget_reordered(work *w)
{
        for (uint32_t i = 0; i < w->tried.n; i++) {
                /* NOLINTNEXTLINE(performance-no-int-to-ptr): const goes, it was made here */
                ps_reordered *reordered = (ps_reordered *)(uintptr_t)w->tried.row[i].reordered;
                if (reordered)
                        ps_reordered_clear(reordered);
                free(reordered);
        }
}

/* -- what they gain -- */

static ps_status keep_words(const work *w, ps_error *err)
{
        ps_blame *blame = w->blame;
        blame->edit = ps_memory_new((w->tried.n + (size_t)1) * sizeof(*blame->edit));
        while (blame->edit && blame->n_edits < w->tried.n) {
                char *word = join_words(w->tried.row[blame->n_edits].edit, "", "", "");
                if (!word)
                        break;
                blame->edit[blame->n_edits++] = word;
        }
        return blame->n_edits == w->tried.n && blame->edit ? PS_OK : PS_NOMEM(err, "edits", w->tried.n);
}

static ps_status keep_fix(const work *w, ps_cause_fixes *to, const wish *of, ps_time before, ps_error *err)
{
        const ps_time length = w->tried.row[of->word].length;
        const ps_cause_fix fix = {.kind = of->kind,
                                  .has_factor = of->factor >= 0,
                                  .factor = of->factor,
                                  .is_inside = of->is_inside,
                                  .edit = w->blame->edit[of->word],
                                  .gain = ps_time_sub(before, length),
                                  .run = length};
        uint32_t cap = to->n;
        return PS_APPEND(to->row, to->n, cap, fix) ? PS_NOMEM(err, "fixes", to->n) : PS_OK;
}

/* All causes of a group are mended together; an @ says for which ranks. */
static ps_status keep_fixes(work *w, ps_time before, ps_error *err)
{
        ps_blame *blame = w->blame;
        for (uint32_t i = 0; i < w->wishes.n; i++) {
                const wish *of = &w->wishes.row[i];
                const ps_cause_group *group = &blame->group[blame->group_of[of->row]];
                if (!of->is_wanted)
                        continue;
                const ps_try *tried = &w->tried.row[of->word];
                const uint32_t n_rows = ps_cause_group_rows(group);
                for (uint32_t r = 0; r < group->n; r++) {
                        ps_cause_fixes *to = &blame->fixes[group->row[r] - blame->told];
                        to->are_known = 1;
                        if (tried->is_known && (r < n_rows || !strchr(tried->edit, '@')))
                                PS_TRY(keep_fix(w, to, of, before, err));
                }
        }
        return PS_OK;
}

/* Of the causes whose wishes, if there are any, led to nothing. */
static void keep_reason(ps_blame *blame, const ps_cause_group *group, const char *why_none)
{
        for (uint32_t r = 0; r < group->n; r++) {
                ps_cause_fixes *to = &blame->fixes[group->row[r] - blame->told];
                to->why_none = why_none;
        }
}

static void keep_reasons(work *w)
{
        for (uint32_t i = 0; i < w->wishes.n; i++) {
                const ps_cause_group *group = &w->blame->group[w->blame->group_of[w->wishes.row[i].row]];
                const ps_cause_fixes *of = &w->blame->fixes[group->row[0] - w->blame->told];
                if (of->are_known && !of->n)
                        keep_reason(w->blame, group, stuck);
        }
}

static void tell_findings(ps_report *report, const ps_blame *blame)
{
        for (uint32_t i = 0; i < report->n_findings; i++) {
                ps_report_finding *f = &report->findings[i];
                size_t at = (size_t)(f->finding - report->analysis->findings);
                ps_time most = 0;
                for (uint32_t k = blame->first[at]; k < blame->first[at + 1]; k++) {
                        const ps_cause_fixes *fixes = &blame->fixes[blame->blamed[k].cause - blame->told];
                        if (!fixes->n || blame->blamed[k].waiting <= most)
                                continue;
                        most = blame->blamed[k].waiting;
                        f->has_fix_gain = true;
                        f->fix_gain = fixes->row[0].gain;
                }
        }
}

static ps_status try_wanted(work *w, const ps_replays *replays, ps_error *err)
{
        uint32_t first = w->tried.n;
        PS_TRY(find_words(w, err));
        PS_TRY(find_words_ahead(w, first, replays, err));
        PS_TRY(reorder_from(w, first, err));
        return w->tried.n == first ? PS_OK
                                   : ps_tries_run(&w->tried.row[first], w->tried.n - first, replays,
                                                  w->how.n_threads, err);
}

ps_status ps_fixes_put(ps_report *report, ps_blame *blame, const ps_replays *replays,
                       const ps_fixes_options *options, uint32_t *n_tried, ps_error *err)
{
        const ps_trace *trace = report->trace;
        ps_time length = ps_focus_length(report->timing);
        work w = {.trace = trace, .report = report, .blame = blame, .how = *options};
        ps_status status = PS_OK;
        blame->fixes = ps_memory_zeroed(blame->causes->n + (size_t)1, sizeof(*blame->fixes));
        w.in_group = ps_memory_zeroed(trace->defs.processes.n + (size_t)1, 1);
        if (!blame->fixes || !w.in_group)
                status = PS_NOMEM(err, "fixes", blame->causes->n);
        PS_THEN(status, ps_times_of_paths(&w.kind_of_path, trace, err));
        for (uint32_t g = 0; g < blame->n_groups && g < options->most && status == PS_OK; g++) {
                uint32_t first = w.wishes.n;
                status = wish_for_group(&w, &blame->group[g], err);
                choose_fixes(&w, first);
                if (w.wishes.n == first)
                        keep_reason(blame, &blame->group[g], w.why_none);
        }
        PS_THEN(status, try_wanted(&w, replays, err));
        if (status == PS_OK)
                want_others(&w, length);
        PS_THEN(status, try_wanted(&w, replays, err));
        PS_THEN(status, keep_words(&w, err));
        PS_THEN(status, keep_fixes(&w, length, err));
        if (status == PS_OK) {
                keep_reasons(&w);
                tell_findings(report, blame);
                ps_cause_groups_order(blame, report);
        }
        *n_tried = w.tried.n;
        forget_reordered(&w);
        for (uint32_t i = 0; i < w.wishes.n; i++)
                free(w.wishes.row[i].text);
        free(w.tried.row);
        free(w.wishes.row);
        free(w.in_group);
        free(w.kind_of_path);
        return status;
}
