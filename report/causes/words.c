/* words.c - what is said of a cause: "Rank 2 computes 40 % longer than the others in relax (heat.c:17):
 * 96 ms of waiting on ranks 0, 1 and 3." */
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
        for (uint32_t i = 0, n_rows = ps_cause_group_rows(group); i < n_rows; i++) {
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

/* Nobody recorded it. */
static const char *no_function(const ps_report *report)
{
        return report->trace->issues.row[PS_I_BUFFER_FLUSH].count
                       ? "the recorder, or in code whose functions were not recorded"
                       : "code whose functions were not recorded";
}

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

/* "relax in main (heat.c:17)" */
static void say_name(ps_sentence *s, const ps_report *report, const char *name, const ps_cause_place *at)
{
        ps_sentence_add(s, "%.*s", NAME_BYTES,
                        !name   ? no_function(report)
                        : *name ? name
                                : "an unnamed region");
        if (name && at->function && strcmp(name, at->function) != 0)
                ps_sentence_add(s, " in %.*s", NAME_BYTES, at->function);
}

static void say_line(ps_sentence *s, const char *name, const ps_cause_place *at)
{
        if (at->file && at->line && !names_its_line(name, at))
                ps_sentence_add(s, " (%.*s:%" PRIu32 ")", NAME_BYTES, ps_file_name(at->file), at->line);
}

static const char *name_of(const ps_report *report, const ps_cause_group *group)
{
        ps_path path = group->row[0]->cause->path;
        return path ? ps_site_call(report, path) : NULL;
}

static void say_where(ps_sentence *s, const ps_report *report, const ps_cause_group *group)
{
        const char *name = name_of(report, group);
        say_name(s, report, name, &group->row[0]->at);
        if (group->stretch.name)
                say_between(s, report, &group->stretch);
        else
                say_line(s, name, &group->row[0]->at);
}

/* A function that is known from the calls in it alone may have been left between them. */
static void say_in(ps_sentence *s, const ps_report *report, const ps_cause_group *group)
{
        const bool may_be_left =
                group->row[0]->is_unvisited && !group->stretch.name && !report->trace->defs.sampled_every;
        ps_sentence_add(s, may_be_left ? " between calls in " : " in ");
        say_where(s, report, group);
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

bool ps_cause_computes(const ps_report *report, const ps_cause_group *group)
{
        const ps_region_def *region = ps_path_region(report->trace, group->row[0]->cause->path);
        return !region || (region->paradigm != PS_PARADIGM_ACCELERATOR && !region->is_of_files);
}

/* What a stream of the process did for longest; 0: it has none, or none did anything. */
static ps_path longest_on_device(const ps_trace *trace, ps_proc process)
{
        ps_time most = 0;
        ps_path path = 0;
        for (ps_loc loc = 0; loc < trace->n_locs; loc++) {
                const ps_location_def *def = &trace->defs.locations.row[loc];
                const ps_location_info *info = &trace->info[loc];
                if (def->process != process || def->type != PS_LOCATION_ACCELERATOR)
                        continue;
                for (uint32_t i = 0; i < info->n_uses; i++)
                        if (info->uses[i].exclusive > most) {
                                most = info->uses[i].exclusive;
                                path = info->uses[i].path;
                        }
        }
        return path;
}

/* Whom it waits for there. */
static void say_device(ps_sentence *s, const ps_report *report, const ps_cause_group *group)
{
        const ps_region_def *call = ps_path_region(report->trace, group->row[0]->cause->path);
        const bool is_device = call && call->paradigm == PS_PARADIGM_ACCELERATOR;
        const ps_path path = is_device ? longest_on_device(report->trace, group->row[0]->process) : 0;
        if (!path)
                return;
        const char *name = ps_site_call(report, path);
        const ps_cause_place at = ps_cause_place_of(report, path);
        ps_sentence_add(s, "; %s mostly runs %.*s",
                        ps_cause_group_rows(group) == 1 ? "its device" : "a device", NAME_BYTES, name);
        say_line(s, name, &at);
}

static void say_longer(ps_sentence *s, const ps_report *report, const ps_cause_group *group, uint32_t n)
{
        double ratio = group->others > 0 ? (double)group->own / (double)group->others : 0;
        if (ratio >= TOLD_APART) {
                ps_sentence_add(s, n == 1 ? " takes " : " take up to ");
                say_time(s, group->own);
                say_in(s, report, group);
                ps_sentence_add(s, ", the others ");
                say_time(s, group->others);
                say_device(s, report, group);
                return;
        }
        ps_sentence_add(s, " %s%s ", ps_cause_computes(report, group) ? "compute" : "spend",
                        n == 1 ? "s" : "");
        bool is_by_turns = take_turns(report, group);
        if (ratio < 2 && is_by_turns)
                ps_sentence_add(s, "longer than the others");
        else
                say_how_much_longer(s, group, n, ratio);
        ps_sentence_add(s, is_by_turns ? " by turns" : "");
        say_in(s, report, group);
        ps_sentence_add(s, group->is_partly_alone ? ", partly alone" : "");
        say_device(s, report, group);
}

static void say_alone(ps_sentence *s, const ps_report *report, const ps_cause_group *group, uint32_t n)
{
        (void)n;
        ps_sentence_add(s, " alone %s", n == 1 ? "is" : "are");
        say_in(s, report, group);
        if (group->own > 0) {
                ps_sentence_add(s, n == 1 ? ", for " : ", for up to ");
                say_time(s, group->own);
        }
        if (group->visits > 1)
                ps_sentence_add(s, " in %" PRIu64 " visits", group->visits);
        say_device(s, report, group);
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

/* At which call most of those wait for a lock who wait because of the group; 0: nobody knows. */
static ps_path path_of_lock(const ps_report *report, const ps_cause_group *group)
{
        ps_time most = 0;
        ps_path path = 0;
        for (uint32_t i = 0; i < group->n; i++) {
                const ps_cause *cause = group->row[i]->cause;
                for (uint32_t k = 0; k < cause->n_findings; k++) {
                        const ps_finding *f = &report->analysis->findings[cause->findings[k].finding];
                        ps_subject subject = ps_pattern_at(f->pattern)->subject;
                        bool is_lock = subject == PS_ON_LOCK || subject == PS_ON_LOCK_HELD;
                        if (!is_lock || cause->findings[k].waiting <= most)
                                continue;
                        most = cause->findings[k].waiting;
                        path = f->path;
                }
        }
        return path;
}

/* Is that a construct that is left when its lock is given back, such as critical and ordered, and what is
 * told happens in it? Threads of a team have call paths of their own. */
static bool is_within(const ps_report *report, ps_path path, ps_path lock)
{
        const ps_region_def *construct = ps_path_region(report->trace, lock);
        if (!construct ||
            (construct->role != PS_ROLE_CRITICAL &&
             (construct->paradigm != PS_PARADIGM_OPENMP || construct->role == PS_ROLE_FUNCTION)))
                return false;
        while (path && ps_path_region(report->trace, path) != construct)
                path = report->trace->paths[path].parent;
        return path != 0;
}

/* "the lock of omp_set_lock @farm.c:12" */
static void say_which_lock(ps_sentence *s, const ps_report *report, ps_path lock)
{
        const char *name = lock ? ps_site_call(report, lock) : "";
        const ps_cause_place at = ps_cause_place_of(report, lock);
        ps_sentence_add(s, lock ? "the lock of %.*s" : "a lock", NAME_BYTES, name);
        say_line(s, name, &at);
}

/* What is not known to be done under the lock may be done before: then he has it later. */
static void say_lock(ps_sentence *s, const ps_report *report, const ps_cause_group *group, uint32_t n)
{
        ps_path path = group->row[0]->cause->path, lock = path_of_lock(report, group);
        bool is_inside = is_within(report, path, lock), is_held = group->stretch.name && !is_inside;
        bool is_itself = lock && ps_path_region(report->trace, path) == ps_path_region(report->trace, lock);
        ps_sentence_add(s, is_held ? n == 1 ? " holds " : " hold " : n == 1 ? " is in " : " are in ");
        if (is_held) {
                say_which_lock(s, report, lock);
                ps_sentence_add(s, " in ");
        }
        say_where(s, report, group);
        if (is_inside) {
                if (!is_itself)
                        ps_sentence_add(s, " inside %.*s", NAME_BYTES, ps_site_call(report, lock));
                ps_sentence_add(s, ", which others wait to enter");
        } else if (!is_held) {
                ps_sentence_add(s, n == 1 ? " before it gives up " : " before they give up ");
                if (is_itself)
                        ps_sentence_add(s, "its lock");
                else
                        say_which_lock(s, report, lock);
        }
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
        const uint32_t n = is_crowded && is_time ? ps_cause_group_rows(group) : 0;
        for (uint32_t i = 0; i < n; i++)
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
                        told->cause->path ? ps_site_call(report, told->cause->path) : no_function(report));
}

void ps_cause_say_unexplained(ps_sentence *s, ps_time waiting)
{
        say_time(s, waiting);
        ps_sentence_add(
                s, " of waiting cannot be blamed on anybody: nobody is known to have ended it, or clocks "
                   "contradict each other.");
}
