/* info_json.c - the part of the JSON report that tells about the trace itself: the keys `trace`, `issues` and
 * `event_types`. Every report on a trace has the first two. */
#include "report/subjects/info_json.h"

#include "core/load/share.h"
#include "report/facts/cautions.h"
#include "report/subjects/profile.h"

#include "core/model/focus.h"

/* -- the trace -- */

static const char *const trusts[] = {
        [PS_CLOCK_EXACT] = "exact", [PS_CLOCK_BOUNDED] = "bounded", [PS_CLOCK_UNKNOWN] = "unknown"};
static const char *const comm_kinds[] = {"communicator", "intercommunicator", "self", "team"};

static const char *comm_kind(const ps_comm_def *comm)
{
        return comm_kinds[comm->team ? 3 : comm->inter ? 1 : comm->self ? 2 : 0];
}

#define RECORD     communicator
#define RECORD_DEF "report/subjects/communicator.def"
#define RECORD_IN  ps_defs
#define RECORD_IT  ps_comm_def
#define RECORD_DOC "processes that communicate with each other"
#include "report/print/make_record.def"

static const ps_timing *timing_of(const ps_info *info)
{
        return info->timing ? info->timing : &info->trace->measured;
}

#define RECORD     outside
#define RECORD_DEF "report/subjects/outside.def"
#define RECORD_IN  ps_trace
#define RECORD_IT  ps_focus_outside
#define RECORD_DOC "a call that starts or ends the library"
#include "report/print/make_record.def"

static void put_outside(ps_row *to, const char *key, const ps_info *info)
{
        ps_focus_outside out[PS_FOCUS_OUTSIDE_MOST];
        unsigned n = ps_focus_find_outside(out, info->trace, timing_of(info));

        ps_record_put_rows(to, key, &ps_record_outside, info->trace, out, n, sizeof(*out));
}

static void put_spans(ps_row *to, const char *key, const ps_focus *focus)
{
        ps_row_open(to, key, '[');
        for (uint32_t i = 0; i < focus->n_spans; i++) {
                ps_row_open(to, NULL, '[');
                ps_row_time(to, NULL, focus->span[i].begin);
                ps_row_time(to, NULL, focus->span[i].end);
                ps_row_close(to, ']');
        }
        ps_row_close(to, ']');
}

#define RECORD     focus
#define RECORD_DEF "report/subjects/focus.def"
#define RECORD_IN  ps_trace
#define RECORD_IT  ps_info
#define RECORD_DOC "the part of the run that shares, efficiencies and limits are of"
#include "report/print/make_record.def"

#define RECORD     stuck
#define RECORD_DEF "report/subjects/stuck.def"
#define RECORD_IN  ps_trace
#define RECORD_IT  ps_stuck
#define RECORD_DOC "a process that waits, as the trace ends, for what never came"
#include "report/print/make_record.def"

static void put_crowded(ps_row *to, const char *key, const ps_trace *trace, const ps_crowding *crowding)
{
        ps_row_open(to, key, '[');
        for (ps_proc p = 0; p < trace->defs.processes.n; p++)
                if (crowding->is_crowded[p])
                        ps_row_u64(to, NULL, p);
        ps_row_close(to, ']');
}

#define RECORD     crowding
#define RECORD_DEF "report/subjects/crowding.def"
#define RECORD_IN  ps_trace
#define RECORD_IT  ps_crowding
#define RECORD_DOC "more threads ran than there were processors for them"
#include "report/print/make_record.def"

#define RECORD     trace
#define RECORD_DEF "report/subjects/trace.def"
#define RECORD_IN  ps_trace
#define RECORD_IT  ps_info
#define RECORD_DOC "what the trace holds"
#include "report/print/make_record.def"

void ps_info_put_trace(ps_row *to, const char *key, const ps_info *info)
{
        ps_record_put_compact(to, key, &ps_record_trace, info->trace, info);
}

/* -- issues and events -- */

#define RECORD     issue
#define RECORD_DEF "report/subjects/issue.def"
#define RECORD_IN  ps_trace
#define RECORD_IT  ps_issue
#define RECORD_DOC "what is wrong with the trace itself"
#include "report/print/make_record.def"

void ps_info_put_issues(ps_row *to, const char *key, const ps_trace *trace)
{
        ps_records table = ps_records_open_compact(to, key, &ps_record_issue);

        for (int kind = 0; kind < PS_I_COUNT; kind++)
                if (trace->issues.row[kind].count)
                        ps_records_row(&table, trace, &trace->issues.row[kind]);
        ps_records_close(&table);
}

#define RECORD     event_type
#define RECORD_DEF "report/subjects/event_type.def"
#define RECORD_IN  ps_trace
#define RECORD_IT  ps_code_count
#define RECORD_DOC "events of one kind"
#include "report/print/make_record.def"

static void put_event_types(ps_row *to, const char *key, const ps_info *info)
{
        ps_records table = ps_records_open_compact(to, key, &ps_record_event_type);

        for (uint32_t i = 0; i < info->overview->n_codes; i++)
                ps_records_row(&table, info->trace, &info->overview->codes[i]);
        ps_records_close(&table);
}

static const char *const schema_names[] = {"patscan-report-1"};

#define RECORD     info
#define RECORD_DEF "report/subjects/info.def"
#define RECORD_IT  ps_info
#define RECORD_DOC "What `patscan info --report json` writes, version 1."
#include "report/print/make_record.def"

ps_status ps_info_write_json(const ps_info *info, ps_output *out, ps_error *err)
{
        (void)err;
        ps_record_write_json(out, info->profile ? PS_ROW_SPACED : PS_ROW_INDENTED, &ps_record_info, info);
        return PS_OK;
}
