/* info_json.c - the part of the JSON report that tells about the trace itself: the keys `trace`, `issues` and
 * `event_types`. Every report on a trace has the first two. */
#include "report/subjects/info_json.h"
#include "report/subjects/profile.h"

void ps_info_add_tool(ps_json *json, cJSON *root)
{
        cJSON *tool = ps_json_object(json, root, "tool");

        ps_json_text(json, tool, "name", "patscan");
        ps_json_text(json, tool, "version", ps_version());
}

static void add_clock(ps_json *json, cJSON *parent, const ps_trace *trace)
{
        const ps_clock_info *clock = &trace->clock;
        cJSON *object = ps_json_object(json, parent, "clock");

        if (trace->defs.resolution_hz)
                ps_json_u64(json, object, "resolution_hz", trace->defs.resolution_hz);
        else
                ps_json_null(json, object, "resolution_hz");
        ps_json_u64(json, object, "violations", clock->violations);
        ps_json_u64(json, object, "message_violations", clock->message_violations);
        ps_json_u64(json, object, "collective_violations", clock->collective_violations);
        if (clock->violations)
                ps_json_time(json, object, "worst_s", clock->worst);
        else
                ps_json_null(json, object, "worst_s");
        ps_json_bool(json, object, "repaired", clock->repaired);
        ps_json_bool(json, object, "corrected", clock->corrected);
        ps_json_bool(json, object, "infeasible", clock->infeasible);
        ps_json_u64(json, object, "moved", clock->moved);
        ps_json_u64(json, object, "violations_left", clock->left);
        if (clock->repaired)
                ps_json_time(json, object, "uncertainty_s", clock->uncertainty);
        else
                ps_json_null(json, object, "uncertainty_s");
}

static const char *comm_kind(const ps_comm_def *comm)
{
        return comm->team ? "team" : comm->inter ? "intercommunicator" : comm->self ? "self" : "communicator";
}

static void add_comms(ps_json *json, cJSON *parent, const ps_defs *defs)
{
        cJSON *array = ps_json_array(json, parent, "communicators");

        for (uint32_t i = 0; i < defs->comms.n && !json->failed; i++) {
                const ps_comm_def *comm = &defs->comms.row[i];
                cJSON *object = ps_json_object(json, array, NULL);
                ps_json_text(json, object, "name", ps_defs_str(defs, comm->name));
                ps_json_text(json, object, "kind", comm_kind(comm));
                /* The group of a `self` communicator says nothing: it stands for one of each process. */
                ps_json_u64(json, object, "members", comm->self ? 1 : comm->n_members);
                if (comm->inter)
                        ps_json_u64(json, object, "members_remote", comm->n_members_b);
        }
}

void ps_info_add_trace(ps_json *json, cJSON *root, const ps_info *info)
{
        const ps_trace *trace = info->trace;
        const ps_overview *overview = info->overview;
        cJSON *object = ps_json_object(json, root, "trace");

        ps_json_text(json, object, "path", info->path);
        ps_json_text(json, object, "format", trace->format);
        ps_json_text(json, object, "creator", ps_defs_str(&trace->defs, trace->defs.creator));
        ps_json_u64(json, object, "processes", trace->defs.processes.n);
        ps_json_u64(json, object, "locations", trace->n_locs);
        ps_json_u64(json, object, "cpu_locations", overview->n_locations[PS_LOCATION_CPU]);
        ps_json_u64(json, object, "metric_locations", overview->n_locations[PS_LOCATION_METRIC]);
        ps_json_u64(json, object, "accelerator_locations", overview->n_locations[PS_LOCATION_ACCELERATOR]);
        if (overview->n_nodes)
                ps_json_u64(json, object, "nodes", overview->n_nodes);
        else
                ps_json_null(json, object, "nodes");
        ps_json_u64(json, object, "events", trace->n_events);
        ps_json_u64(json, object, "operations", trace->n_operations);
        ps_json_u64(json, object, "messages", trace->n_messages);
        ps_json_u64(json, object, "messages_unmatched",
                    overview->n_unmatched_sends + overview->n_unmatched_receives);
        ps_json_u64(json, object, "sends_unmatched", overview->n_unmatched_sends);
        ps_json_u64(json, object, "receives_unmatched", overview->n_unmatched_receives);
        ps_json_u64(json, object, "collectives", trace->n_colls);
        if (info->never_ends)
                ps_json_null(json, object, "duration_s");
        else
                ps_json_time(json, object, "duration_s",
                             (info->timing ? info->timing : &trace->measured)->duration);
        add_clock(json, object, trace);
        add_comms(json, object, &trace->defs);
}

static void add_issue(ps_json *json, cJSON *array, const ps_trace *trace, int kind)
{
        const ps_defs *defs = &trace->defs;
        const ps_issue *issue = &trace->issues.row[kind];
        cJSON *object = ps_json_object(json, array, NULL);

        ps_json_text(json, object, "kind", ps_issue_infos[kind].name);
        ps_json_u64(json, object, "count", issue->count);
        ps_json_text(json, object, "text", ps_issue_infos[kind].text);
        if (issue->location < defs->locations.n)
                ps_json_u64(json, object, "location", issue->location);
        else
                ps_json_null(json, object, "location");
        ps_json_text(json, object, "file", ps_defs_str(defs, issue->file));
        if (issue->offset != UINT64_MAX && !defs->counts_lines)
                ps_json_u64(json, object, "offset", issue->offset);
        else
                ps_json_null(json, object, "offset");
        if (issue->offset != UINT64_MAX && defs->counts_lines)
                ps_json_u64(json, object, "line", issue->offset);
        if (issue->time != INT64_MIN)
                ps_json_time(json, object, "time_s", issue->time);
        else
                ps_json_null(json, object, "time_s");
}

void ps_info_add_issues(ps_json *json, cJSON *root, const ps_trace *trace)
{
        cJSON *issues = ps_json_array(json, root, "issues");

        for (int kind = 0; kind < PS_I_COUNT; kind++)
                if (trace->issues.row[kind].count)
                        add_issue(json, issues, trace, kind);
}

static void add_event_types(ps_json *json, cJSON *root, const ps_info *info)
{
        cJSON *array = ps_json_array(json, root, "event_types");

        for (uint32_t i = 0; i < info->overview->n_codes; i++) {
                const ps_code_count *row = &info->overview->codes[i];
                cJSON *object = ps_json_object(json, array, NULL);
                ps_json_text(json, object, "name",
                             ps_defs_str(&info->trace->defs, info->trace->defs.codes.row[row->code]));
                ps_json_u64(json, object, "count", row->n);
        }
}

ps_status ps_info_write_json(const ps_info *info, ps_output *out, ps_error *err)
{
        ps_json json = {0};
        cJSON *root = ps_json_root(&json);

        ps_json_text(&json, root, "schema", "patscan-report-1");
        ps_info_add_tool(&json, root);
        ps_info_add_trace(&json, root, info);
        ps_info_add_issues(&json, root, info->trace);
        add_event_types(&json, root, info);
        if (!info->profile)
                return ps_json_finish(&json, out, err);
        ps_output_puts(out, "{\n");
        ps_status status = ps_json_finish_members(&json, out, err);
        ps_output_puts(out, ",\n\"profile\": ");
        ps_profile_write_json(info, &(ps_json_row){.out = out});
        ps_output_puts(out, "\n}\n");
        return status;
}
