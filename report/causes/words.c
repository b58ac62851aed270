/* words.c - what is said of a cause: "Rank 2 computes 40 % longer than the others in relax (heat.c:17):
 * 96 ms of waiting on ranks 0, 1 and 3." And of the fix that applies first. */
#include "report/causes/words.h"
#include "core/model/focus.h"

#include "core/base/search.h"
#include "core/base/text.h"
#include "report/facts/sites.h"
#include "report/print/text.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_BYTES = 120 };

/* From here on a gain needs no tenths. */
#define WHOLE_PERCENT 0.1
/* So many times as long as the others: two times say more. */
#define TOLD_APART 10
/* What goes through others is worth a word from here on. */
#define WORTH_SAYING 0.1

/* -- who -- */

static const ps_location_def *location_of(const ps_report *report, const ps_told_cause *told)
{
        return &report->trace->defs.locations.row[told->cause->location];
}

static bool has_threads(const ps_report *report, ps_proc process)
{
        return report->trace->defs.processes.row[process].n_locs > 1;
}

/* Their ranks, the largest cause first, each once; how many there are. */
static uint32_t ranks_of(const ps_cause_group *group, ps_proc room[PS_RANKS_LISTED])
{
        uint32_t n = 0;
        for (uint32_t i = 0; i < ps_cause_group_rows(group); i++) {
                ps_proc process = group->row[i]->process;
                bool is_new = 1;
                for (uint32_t k = 0; k < n && k < PS_RANKS_LISTED; k++)
                        is_new &= room[k] != process;
                if (is_new && n < PS_RANKS_LISTED)
                        room[n] = process;
                n += (uint32_t)is_new;
        }
        return n;
}

static int compare_ranks(const void *a, const void *b)
{
        ps_proc x = *(const ps_proc *)a, y = *(const ps_proc *)b;
        return PS_ORDER(x, y);
}

/* How many are spoken of: 1, or several. */
static uint32_t say_who(ps_sentence *s, const ps_report *report, const ps_cause_group *group)
{
        ps_proc rank[PS_RANKS_LISTED] = {0};
        uint32_t n = ranks_of(group, rank), n_rows = ps_cause_group_rows(group);
        if (n_rows == 1 && has_threads(report, rank[0])) {
                ps_sentence_add(s, "Thread %" PRIu32 " of rank %" PRIu32,
                                location_of(report, group->row[0])->thread, rank[0]);
                return 1;
        }
        if (n <= PS_RANKS_LISTED)
                qsort(rank, n, sizeof(*rank), compare_ranks);
        if (n_rows > n)
                ps_sentence_add(s, "%" PRIu32 " threads of ", n_rows);
        if (n <= PS_RANKS_LISTED) {
                ps_ranks_say(s, n_rows > n ? "rank" : "Rank", n_rows > n ? "ranks" : "Ranks", rank, n);
        } else if (n_rows > n || n == report->trace->defs.processes.n) {
                ps_sentence_add(s, "%s%" PRIu32 " ranks", n_rows > n ? "" : "All ", n);
        } else {
                ps_sentence_add(s, "Ranks %" PRIu32 ", %" PRIu32 " and %" PRIu32 " more", rank[0], rank[1],
                                n - 2);
        }
        return n_rows;
}

/* Nobody is left to compare them with: now this one is late, now that one. */
static bool take_turns(const ps_report *report, const ps_cause_group *group)
{
        ps_proc rank[PS_RANKS_LISTED];
        return group->n > 1 && !has_threads(report, group->row[0]->process) &&
               ranks_of(group, rank) == report->trace->defs.processes.n;
}

/* -- where -- */

static const char no_function[] = "code whose functions were not recorded";

/* "between heat.c:9 and heat.c:11" */
static void say_between(ps_sentence *s, const ps_report *report, const ps_stretch *stretch)
{
        const ps_defs *defs = &report->trace->defs;
        const ps_call_line *ends[] = {&stretch->from, &stretch->to};
        bool is_one = stretch->from.file == stretch->to.file && stretch->from.line == stretch->to.line;
        ps_sentence_add(s, is_one ? " between two calls at" : " between");
        for (int i = 0; i < (is_one ? 1 : 2); i++)
                ps_sentence_add(s, "%s %.*s:%" PRIu32, i ? " and" : "", NAME_BYTES,
                                ps_file_name(ps_defs_str(defs, ends[i]->file)), ends[i]->line);
}

/* As constructs of OpenMP do: "!$omp critical @farm.c:10". */
static bool names_its_line(const char *name, const ps_cause_place *at)
{
        char line[NAME_BYTES + 16];
        int n = snprintf(line, sizeof(line), "@%.*s:%" PRIu32, NAME_BYTES, ps_file_name(at->file), at->line);
        size_t length = name ? strlen(name) : 0;
        return name && length >= (size_t)n && strcmp(name + length - (size_t)n, line) == 0;
}

static void say_where(ps_sentence *s, const ps_report *report, const ps_cause_group *group)
{
        const ps_told_cause *told = group->row[0];
        const ps_cause_place *at = &told->at;
        const char *name = told->cause->path ? ps_site_call(report, told->cause->path) : NULL;
        ps_sentence_add(s, "%.*s", NAME_BYTES, !name ? no_function : *name ? name : "an unnamed region");
        if (name && at->function && strcmp(name, at->function) != 0)
                ps_sentence_add(s, " in %.*s", NAME_BYTES, at->function);
        if (group->stretch.name)
                say_between(s, report, &group->stretch);
        else if (at->file && at->line && !names_its_line(name, at))
                ps_sentence_add(s, " (%.*s:%" PRIu32 ")", NAME_BYTES, ps_file_name(at->file), at->line);
}

/* -- why -- */

static void say_time(ps_sentence *s, ps_time time)
{
        char room[PS_NUMBER_ROOM];
        ps_text_duration(room, time);
        ps_sentence_add(s, "%s", room);
}

/* "24 ms longer" is said where the whole run does not show it. */
static void say_how_much_longer(ps_sentence *s, const ps_cause_group *group, uint32_t n, double ratio)
{
        if (ratio >= 2) {
                ps_sentence_add(s, "%s%.1f times as long as the others", n == 1 ? "" : "up to ", ratio);
        } else if (ratio >= 1.01) {
                ps_sentence_add(s, "%s%.0f %% longer than the others", n == 1 ? "" : "up to ",
                                100 * (ratio - 1));
        } else {
                if (n == 1) {
                        say_time(s, group->row[0]->cause->excess);
                        ps_sentence_add(s, " ");
                }
                ps_sentence_add(s, "longer than those who wait meanwhile");
        }
}

static void say_longer(ps_sentence *s, const ps_report *report, const ps_cause_group *group, uint32_t n)
{
        double ratio = group->others > 0 ? (double)group->own / (double)group->others : 0;
        if (ratio >= TOLD_APART) {
                ps_sentence_add(s, n == 1 ? " takes " : " take up to ");
                say_time(s, group->own);
                ps_sentence_add(s, " in ");
                say_where(s, report, group);
                ps_sentence_add(s, ", the others ");
                say_time(s, group->others);
                return;
        }
        ps_sentence_add(s, n == 1 ? " computes " : " compute ");
        if (ratio < 2 && take_turns(report, group))
                ps_sentence_add(s, "longer than the others by turns");
        else
                say_how_much_longer(s, group, n, ratio);
        ps_sentence_add(s, " in ");
        say_where(s, report, group);
        ps_sentence_add(s, group->is_partly_alone ? ", partly alone" : "");
}

static void say_alone(ps_sentence *s, const ps_report *report, const ps_cause_group *group, uint32_t n)
{
        (void)n;
        ps_sentence_add(s, " alone %s in ", n == 1 ? "is" : "are");
        say_where(s, report, group);
        if (group->own > 0) {
                ps_sentence_add(s, n == 1 ? ", for " : ", for up to ");
                say_time(s, group->own);
        }
        if (group->visits > 1)
                ps_sentence_add(s, " in %" PRIu64 " visits", group->visits);
}

static void say_order(ps_sentence *s, const ps_report *report, const ps_cause_group *group, uint32_t n)
{
        ps_sentence_add(
                s,
                " send%s messages in another order than they are received; what is asked for first comes "
                "only after ",
                n == 1 ? "s" : "");
        say_where(s, report, group);
}

/* The one who is charged may have waited himself. */
bool ps_cause_is_untold(const ps_cause_group *group)
{
        return group->why == PS_WHY_TRANSFER && 2 * group->untold > group->own;
}

static void say_transfer(ps_sentence *s, const ps_report *report, const ps_cause_group *group, uint32_t n)
{
        if (ps_cause_is_untold(group)) {
                ps_sentence_add(s, n == 1 ? " is in " : " are in ");
                say_where(s, report, group);
                ps_sentence_add(s, ", and for whom %s there cannot be told",
                                n == 1 ? "it waits" : "they wait");
                return;
        }
        ps_sentence_add(s, n == 1 ? " spends " : " spend ");
        if (n == 1 && group->row[0]->cause->excess > 0) {
                say_time(s, group->row[0]->cause->excess);
                ps_sentence_add(s, " ");
        }
        ps_sentence_add(s, take_turns(report, group) ? "more than the others by turns in "
                                                     : "more than others in ");
        say_where(s, report, group);
        ps_sentence_add(s, ", waiting not counted");
}

static void say_lock(ps_sentence *s, const ps_report *report, const ps_cause_group *group, uint32_t n)
{
        ps_sentence_add(s, n == 1 ? " is in " : " are in ");
        say_where(s, report, group);
        ps_sentence_add(s, n == 1 ? " before it gives up a lock" : " before they give up a lock");
}

static void say_start(ps_sentence *s, const ps_report *report, const ps_cause_group *group, uint32_t n)
{
        (void)report;
        ps_sentence_add(s, n == 1 ? " begins " : " begin ");
        if (n == 1) {
                say_time(s, group->row[0]->cause->excess);
                ps_sentence_add(s, " ");
        }
        ps_sentence_add(s, "later than those who wait for %s", n == 1 ? "it" : "them");
}

static void (*const says[PS_N_WHYS])(ps_sentence *, const ps_report *, const ps_cause_group *, uint32_t) = {
        [PS_WHY_LONGER] = say_longer,     [PS_WHY_ALONE] = say_alone, [PS_WHY_LATE_ORDER] = say_order,
        [PS_WHY_TRANSFER] = say_transfer, [PS_WHY_LOCK] = say_lock,   [PS_WHY_START] = say_start,
};

/* -- what it costs -- */

static void say_cost(ps_sentence *s, const ps_report *report, const ps_cause_group *group)
{
        ps_proc own = group->row[0]->process;
        ps_sentence_add(s, ": ");
        say_time(s, group->waiting);
        ps_sentence_add(s, " of waiting");
        if (group->n_waiters == 1 && group->waiter[0] == own && has_threads(report, own)) {
                ps_sentence_add(s, " on other threads of rank %" PRIu32, own);
        } else if (group->n_waiters) {
                ps_sentence_add(s, " on ");
                ps_ranks_say(s, "rank", "ranks", group->waiter, group->n_waiters);
        }
        if ((double)group->indirect >= WORTH_SAYING * (double)group->waiting) {
                ps_sentence_add(s, ", ");
                say_time(s, group->indirect);
                ps_sentence_add(s, " of it through others");
        }
        ps_sentence_add(s, ".");
}

/* A trace does not tell when the system let a rank run. */
static bool may_lack_processors(const ps_report *report, const ps_cause_group *group)
{
        const uint8_t *is_crowded = report->cautions.crowding.is_crowded;
        ps_why why = ps_cause_spoken_why(report, group);
        bool is_time = why == PS_WHY_LONGER || why == PS_WHY_ALONE ||
                       (why == PS_WHY_TRANSFER && !ps_cause_is_untold(group));
        for (uint32_t i = 0; is_crowded && is_time && i < ps_cause_group_rows(group); i++)
                if (is_crowded[group->row[i]->process])
                        return true;
        return false;
}

/* Messages that came in another order are not what is to be told where their order gains nothing, but taking
 * less time does. */
ps_why ps_cause_spoken_why(const ps_report *report, const ps_cause_group *group)
{
        const ps_cause_fix *fix = group->why == PS_WHY_LATE_ORDER ? ps_cause_first_fix(report, group) : NULL;
        bool is_longer = fix && fix->kind != PS_FIX_REORDERED &&
                         ps_cause_fix_share(fix, ps_focus_length(report->timing)) >= PS_WORTH_LEADING;
        return is_longer ? PS_WHY_LONGER : group->why;
}

void ps_cause_say_what(ps_sentence *s, const ps_report *report, const ps_cause_group *group)
{
        uint32_t n = say_who(s, report, group);
        says[ps_cause_spoken_why(report, group)](s, report, group, n);
        if (may_lack_processors(report, group))
                ps_sentence_add(s, n == 1 ? ", or waits for a processor" : ", or wait for a processor");
}

void ps_cause_say(ps_sentence *s, const ps_report *report, const ps_cause_group *group)
{
        ps_cause_say_what(s, report, group);
        say_cost(s, report, group);
}

void ps_cause_say_short(ps_sentence *s, const ps_report *report, const ps_cause_group *group)
{
        const ps_told_cause *told = group->row[0];
        char *first = &s->room[s->n];
        (void)say_who(s, report, group);
        *first = (char)tolower((unsigned char)*first);
        ps_sentence_add(s, " in %.*s", NAME_BYTES,
                        told->cause->path ? ps_site_call(report, told->cause->path) : no_function);
}

void ps_cause_say_unexplained(ps_sentence *s, ps_time waiting)
{
        say_time(s, waiting);
        ps_sentence_add(
                s, " of waiting cannot be blamed on anybody: nobody is known to have ended it, or clocks "
                   "contradict each other.");
}

/* -- what mending it gains -- */

double ps_cause_fix_share(const ps_cause_fix *fix, ps_time length)
{
        return length > 0 ? (double)fix->gain / (double)length : 0;
}

bool ps_cause_is_mended_by(const ps_cause_fix *fix, ps_time length)
{
        return fix && !ps_cause_fix_is_bound(fix) && ps_cause_fix_share(fix, length) >= PS_WORTH_MENDING;
}

/* The first one that gains anything, unless another one gains far more; if none does, the first one. */
static const ps_cause_fix *fix_of(const ps_cause_fixes *fixes, ps_time length)
{
        const ps_cause_fix *row = fixes->row, *best = NULL;
        for (uint32_t i = 0; i < fixes->n; i++)
                if (!best ? ps_cause_fix_share(&row[i], length) >= PS_WORTH_MENDING
                          : !ps_cause_fix_is_bound(&row[i]) &&
                                    ps_cause_gains_far_more(row[i].gain, best->gain, length))
                        best = &row[i];
        return best || !fixes->n ? best : row;
}

static const ps_cause_fixes *fixes_of(const ps_report *report, const ps_cause_group *group)
{
        const ps_cause_fixes *fixes = report->blame->fixes;
        for (uint32_t i = 0; fixes && !ps_cause_is_untold(group) && i < group->n; i++) {
                const ps_cause_fixes *of = &fixes[group->row[i] - report->blame->told];
                if (of->are_known && of->n)
                        return of;
        }
        return NULL;
}

const char *ps_cause_why_no_fix(const ps_report *report, const ps_cause_group *group)
{
        const ps_cause_fixes *fixes = report->blame->fixes;
        return fixes ? fixes[group->row[0] - report->blame->told].why_none : NULL;
}

const ps_cause_fix *ps_cause_first_fix(const ps_report *report, const ps_cause_group *group)
{
        const ps_cause_fixes *fixes = fixes_of(report, group);
        return fixes ? fix_of(fixes, ps_focus_length(report->timing)) : NULL;
}

const ps_cause_fix *ps_cause_vain_fix(const ps_report *report, const ps_cause_group *group)
{
        const ps_cause_fixes *fixes = fixes_of(report, group);
        return fixes && fix_of(fixes, ps_focus_length(report->timing)) != fixes->row ? fixes->row : NULL;
}

static bool is_of_start(const ps_cause_fix *fix)
{
        static const char start[] = "start:";
        return fix->edit && strncmp(fix->edit, start, strlen(start)) == 0;
}

static void say_way(ps_sentence *s, const ps_cause_fix *fix)
{
        static const char *const ways[PS_N_FIXES] = {
                [PS_FIX_BALANCED] = "Sharing the work out evenly",
                [PS_FIX_EVENED] = "Taking no longer than the others do",
                [PS_FIX_SPED_UP] = "Doing without it altogether",
                [PS_FIX_REORDERED] = "Receiving in the order of sending",
                [PS_FIX_OVERLAPPED] = "Letting transfers go on behind computation",
        };
        if (is_of_start(fix))
                ps_sentence_add(s, "Starting with the others");
        else if (fix->has_factor && fix->factor > 0)
                ps_sentence_add(s, "Taking %.0f %% less time here", 100 * (1 - fix->factor));
        else if (ps_cause_fix_is_bound(fix) && fix->kind == PS_FIX_OVERLAPPED)
                ps_sentence_add(s, "A network on which messages cost nothing");
        else
                ps_sentence_add(s, "%s", ways[fix->kind]);
}

void ps_cause_say_fix(ps_sentence *s, const ps_cause_fix *fix, ps_time length)
{
        double share = ps_cause_fix_share(fix, length);
        char run[PS_NUMBER_ROOM], was[PS_NUMBER_ROOM], gain[PS_NUMBER_ROOM];
        if (share < PS_WORTH_MENDING) {
                say_way(s, fix);
                ps_sentence_add(s, " would not make the run shorter.");
                return;
        }
        ps_text_duration(run, ps_time_sub(length, fix->gain));
        ps_text_duration(was, length);
        ps_text_share(gain, share);
        if (share >= WHOLE_PERCENT)
                snprintf(gain, sizeof(gain), "%.0f %%", 100 * share);
        if (ps_cause_fix_is_bound(fix)) {
                ps_sentence_add(s, "At most %s of the run could be gained, %s (%s instead of %s).", gain,
                                fix->kind == PS_FIX_OVERLAPPED ? "if no message cost anything"
                                                               : "by doing without it altogether",
                                run, was);
                return;
        }
        say_way(s, fix);
        ps_sentence_add(s, " would make the run %s shorter (%s instead of %s).", gain, run, was);
}
