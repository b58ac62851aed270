/* advice.c - what to do about a cause: by why it is one, and by what it is in. */
#include "core/model/focus.h"
#include "core/model/kinds.h"
#include "report/causes/words.h"
#include "report/facts/sites.h"

/* -- calls -- */

typedef enum call_sort {
#define ADVICE(id, text) CALL_##id,
#include "report/causes/advice.def"
#undef ADVICE
} call_sort;

static const char *const advice_of_call[] = {
#define ADVICE(id, text) [CALL_##id] = (text),
#include "report/causes/advice.def"
#undef ADVICE
};

static call_sort sort_of_collective(uint8_t kind)
{
        unsigned traits = ps_kinds[kind].traits;
        if (kind == PS_K_COMM_MANAGE || kind == PS_K_WIN_CREATE || kind == PS_K_WIN_FREE ||
            kind == PS_K_ALLOC || kind == PS_K_SYMMETRIC_ALLOC)
                return CALL_KEPT;
        return traits & PS_T_LIFE      ? CALL_OTHER
               : traits & PS_T_BARRIER ? CALL_BARRIER
               : traits & PS_T_RMA     ? CALL_ONE_SIDED
                                       : CALL_COLLECTIVE;
}

static call_sort sort_of_call(const ps_report *report, ps_path path)
{
        static const uint8_t of_class[] = {[PS_C_SEND] = CALL_MESSAGE,       [PS_C_RECV] = CALL_MESSAGE,
                                           [PS_C_SENDRECV] = CALL_MESSAGE,   [PS_C_PROBE] = CALL_MESSAGE,
                                           [PS_C_COMPLETE] = CALL_MESSAGE,   [PS_C_RMA] = CALL_ONE_SIDED,
                                           [PS_C_RMA_SYNC] = CALL_ONE_SIDED, [PS_C_TASK] = CALL_OTHER};
        const ps_region_def *region = ps_path_region(report->trace, path);
        if (!region)
                return CALL_OTHER;
        if (region->paradigm == PS_PARADIGM_OPENMP)
                return CALL_THREADS;
        if (region->paradigm == PS_PARADIGM_ACCELERATOR)
                return CALL_DEVICE;
        if (region->is_of_files)
                return CALL_FILE;
        if (region->kind == PS_K_NONE)
                return CALL_OTHER;
        ps_class cls = ps_kinds[region->kind].cls;
        return cls == PS_C_COLL ? sort_of_collective(region->kind) : (call_sort)of_class[cls];
}

/* -- what is computed -- */

/* Threads of a team share loops out by a clause. */
static bool is_in_team(const ps_trace *trace, ps_path path)
{
        for (; path; path = trace->paths[path].parent) {
                const ps_region_def *region = ps_path_region(trace, path);
                if (region && region->paradigm == PS_PARADIGM_OPENMP)
                        return true;
        }
        return false;
}

static const char *advice_on_longer(const ps_report *report, const ps_cause_group *group)
{
        return is_in_team(report->trace, group->row[0]->cause->path)
                       ? "Share this work out more evenly: give the loop schedule(dynamic) or smaller "
                         "chunks, or make "
                         "work into tasks."
                       : "Share this work out more evenly, or make it shorter here: the others wait for it.";
}

static const char *advice_on_call(const ps_report *report, const ps_cause_group *group)
{
        call_sort sort = sort_of_call(report, group->row[0]->cause->path);
        if (ps_cause_is_untold(group) && sort != CALL_FILE)
                return "Record with a tool that writes what this call completes: the one who is late is not "
                       "in "
                       "the trace.";
        return advice_of_call[sort];
}

/* Does somebody let this thread begin, whenever there is work for a team? */
static bool is_of_team(const ps_trace *trace, ps_loc loc)
{
        return trace->defs.locations.row[loc].thread && trace->info[loc].n_teams;
}

static const char *advice_on_start(const ps_report *report, const ps_cause_group *group)
{
        const char *of_process =
                "Look at how it is started, and at what it waits for or loads before its first call: the "
                "trace does not tell.";
        return is_of_team(report->trace, group->row[0]->cause->location) ? advice_of_call[CALL_THREADS]
                                                                         : of_process;
}

static const char *const advice_of_why[PS_N_WHYS] = {
        [PS_WHY_ALONE] = "Let the others do a part of it, do it at another time, or make it shorter.",
        [PS_WHY_LATE_ORDER] = "Receive messages in the order in which they are sent.",
        [PS_WHY_LOCK] = "Hold the lock for a shorter time, or split it into several.",
};

/* No network makes the run shorter, and one without calls would do so. */
static bool calls_take_time(const ps_report *report, const ps_cause_fix *fix)
{
        return fix->kind == PS_FIX_OVERLAPPED && report->efficiency.is_split &&
               report->efficiency.transfer <= 1 - PS_WORTH_LEADING;
}

const char *ps_cause_advice_of(const ps_report *report, const ps_cause_group *group)
{
        const ps_cause_fix *fix = ps_cause_first_fix(report, group);
        if (fix && ps_cause_fix_share(fix, ps_focus_length(report->timing)) < PS_WORTH_MENDING)
                return calls_take_time(report, fix)
                               ? advice_of_call[CALL_OWN_TIME]
                               : "Look at the other causes first: mending this one alone gains nothing.";
        if (fix && ps_cause_fix_is_bound(fix) && group->why != PS_WHY_TRANSFER)
                return "Make this work shorter, or do it at another time: what else was tried does not make "
                       "the run "
                       "shorter.";
        ps_why why = ps_cause_spoken_why(report, group);
        if (!group->row[0]->cause->path && report->trace->issues.row[PS_I_BUFFER_FLUSH].count)
                return advice_of_call[CALL_RECORDER];
        bool is_in_call = (why == PS_WHY_LONGER || why == PS_WHY_ALONE) && !ps_cause_computes(report, group);
        return why == PS_WHY_TRANSFER || is_in_call ? advice_on_call(report, group)
               : why == PS_WHY_LONGER               ? advice_on_longer(report, group)
               : why == PS_WHY_START                ? advice_on_start(report, group)
                                                    : advice_of_why[why];
}
