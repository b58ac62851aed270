/* info.c - a first look at a trace for people: the figures, the most frequent events, the communicators, who
 * was busy when, and what is wrong with it. Long tables are cut: the JSON report has them whole. */
#include "report/subjects/info.h"
#include "core/load/share.h"
#include "report/document/document.h"
#include "report/facts/functions.h"
#include "report/print/text.h"
#include "report/subjects/profile.h"

#include <inttypes.h>
#include <string.h>

enum { CODES_BRIEF = 12, COMMS_BRIEF = 8, PAGE = 1000 };

static const ps_trace *trace_of(const void *subject)
{
        return ((const ps_info *)subject)->trace;
}

/* -- figures -- */

static void put_places(ps_doc *doc, const ps_info *info)
{
        static const char *const types[] = {"CPU", "metric", "accelerator"};
        const ps_overview *overview = info->overview;
        int all_cpu = overview->n_locations[PS_LOCATION_CPU] == info->trace->n_locs;
        const char *between = " (";

        ps_doc_begin_term(doc, "Processes");
        ps_doc_put_count(doc, PS_DOC_PLAIN, info->trace->defs.processes.n);
        if (overview->n_nodes) {
                ps_doc_put(doc, PS_DOC_PLAIN, " on ");
                ps_doc_put_many(doc, overview->n_nodes, "node", "nodes");
        }
        ps_doc_end(doc);
        ps_doc_begin_term(doc, "Locations");
        ps_doc_put_count(doc, PS_DOC_PLAIN, info->trace->n_locs);
        for (int type = 0; type < 3; type++) {
                if (all_cpu || overview->n_locations[type] == 0)
                        continue;
                ps_doc_put(doc, PS_DOC_PLAIN, between);
                ps_doc_put_count(doc, PS_DOC_PLAIN, overview->n_locations[type]);
                ps_doc_putf(doc, PS_DOC_PLAIN, " %s", types[type]);
                between = ", ";
        }
        ps_doc_put(doc, PS_DOC_PLAIN, all_cpu ? "" : ")");
        if (overview->n_silent)
                ps_doc_putf(doc, PS_DOC_PLAIN, ", %" PRIu32 " without events", overview->n_silent);
        ps_doc_end(doc);
}

static void put_violations(ps_doc *doc, const ps_clock_info *clock)
{
        char room[PS_NUMBER_ROOM];

        if (!clock->violations) {
                ps_doc_put(doc, PS_DOC_PLAIN, "no violations of causality");
                return;
        }
        ps_text_count(room, clock->violations);
        ps_doc_putf(doc, PS_DOC_WARN, "%s violation%s of causality", room, clock->violations == 1 ? "" : "s");
        ps_doc_put(doc, PS_DOC_PLAIN, ", the largest ");
        ps_doc_put_time(doc, PS_DOC_PLAIN, clock->worst);
}

static void put_clock(ps_doc *doc, const ps_info *info)
{
        const ps_clock_info *clock = &info->trace->clock;
        char room[PS_NUMBER_ROOM];

        ps_doc_begin_term(doc, "Clock");
        if (info->trace->defs.resolution_hz) {
                ps_text_hertz(room, info->trace->defs.resolution_hz);
                ps_doc_putf(doc, PS_DOC_PLAIN, "%s, ", room);
        }
        put_violations(doc, clock);
        if (clock->repaired) {
                ps_doc_putf(doc, PS_DOC_PLAIN, "; offsets %sof the processes estimated, uncertain",
                            clock->drift ? "and drifts " : "");
                if (clock->likely < PS_TIME_MAX) {
                        ps_doc_put(doc, PS_DOC_PLAIN, " by up to ");
                        ps_doc_put_time(doc, PS_DOC_PLAIN, clock->likely);
                }
        }
        if (clock->corrected) {
                ps_doc_put(doc, PS_DOC_PLAIN, "; ");
                ps_doc_put_many(doc, clock->moved, "time", "times");
                ps_doc_put(doc, PS_DOC_PLAIN, " moved to restore causality");
        }
        if (clock->left) {
                ps_doc_put(doc, PS_DOC_PLAIN, "; ");
                ps_doc_put_many(doc, clock->left, "violation", "violations");
                ps_doc_put(doc, PS_DOC_PLAIN, " left");
                ps_doc_put(doc, PS_DOC_PLAIN,
                           clock->infeasible ? ": no constant offsets explain the times" : "");
        }
        ps_doc_end(doc);
}

static void put_figure(ps_doc *doc, const char *name, uint64_t n)
{
        ps_doc_begin_term(doc, name);
        ps_doc_put_count(doc, PS_DOC_PLAIN, n);
}

static void put_figures(ps_doc *doc, const ps_info *info)
{
        const ps_overview *o = info->overview;

        put_figure(doc, "Events", info->trace->n_events);
        ps_doc_end(doc);
        put_figure(doc, "Operations", info->trace->n_operations);
        ps_doc_end(doc);
        put_figure(doc, "Messages", info->trace->n_messages);
        if (o->n_unmatched_sends || o->n_unmatched_receives)
                ps_doc_putf(doc, PS_DOC_WARN, ", unmatched: %" PRIu64 " send%s, %" PRIu64 " receive%s",
                            o->n_unmatched_sends, o->n_unmatched_sends == 1 ? "" : "s",
                            o->n_unmatched_receives, o->n_unmatched_receives == 1 ? "" : "s");
        ps_doc_end(doc);
        put_figure(doc, "Collectives", ps_share_n_collectives(info->trace));
        ps_doc_end(doc);
}

static ps_status put_trace(ps_doc *doc, const void *subject, ps_error *err)
{
        const ps_info *info = subject;
        const char *creator = ps_defs_str(&info->trace->defs, info->trace->defs.creator);

        (void)err;
        ps_doc_term(doc, "Trace", PS_DOC_PLAIN, info->path);
        ps_doc_begin_term(doc, "Format");
        ps_doc_putf(doc, PS_DOC_PLAIN, "%s%s%s", info->trace->format, *creator ? ", written by " : "",
                    creator);
        ps_doc_end(doc);
        put_places(doc, info);
        ps_doc_begin_term(doc, "Duration");
        ps_doc_put_time(doc, PS_DOC_PLAIN, info->trace->measured.duration);
        ps_doc_end(doc);
        put_clock(doc, info);
        put_figures(doc, info);
        return PS_OK;
}

/* -- tables -- */

static bool has_codes(const void *subject)
{
        return ((const ps_info *)subject)->overview->n_codes > 0;
}

static ps_status put_codes(ps_doc *doc, const void *subject, ps_error *err)
{
        const ps_defs *defs = &trace_of(subject)->defs;
        const ps_overview *o = ((const ps_info *)subject)->overview;
        uint32_t most = ps_doc_most(doc, 0, CODES_BRIEF, PAGE), n = o->n_codes < most ? o->n_codes : most;

        (void)err;
        ps_doc_begin_table(doc, PS_DOC_TABLE, "Event types", "Type|=Events|=Share");
        for (uint32_t i = 0; i < n; i++) {
                ps_doc_row(doc, 0);
                ps_doc_cell(doc, PS_DOC_PLAIN, ps_defs_str(defs, defs->codes.row[o->codes[i].code]));
                ps_doc_cell_count(doc, o->codes[i].n);
                ps_doc_cell_share(doc, (double)o->codes[i].n / (double)trace_of(subject)->n_events);
        }
        ps_doc_end_table(doc);
        ps_doc_rest(doc, o->n_codes - n, "type", "types", "--report json has all of them");
        return PS_OK;
}

static bool has_comms(const void *subject)
{
        return trace_of(subject)->defs.comms.n > 0;
}

static void put_members(ps_doc *doc, const ps_comm_def *comm)
{
        if (comm->self) {
                ps_doc_put(doc, PS_DOC_PLAIN, "each process alone");
                return;
        }
        if (comm->team)
                ps_doc_put_many(doc, comm->n_members, "thread", "threads");
        else
                ps_doc_put_many(doc, comm->n_members, "process", "processes");
        if (comm->inter) {
                ps_doc_put(doc, PS_DOC_PLAIN, ", with ");
                ps_doc_put_many(doc, comm->n_members_b, "other", "others");
        }
}

static bool looks_alike(const ps_comm_def *a, const ps_comm_def *b)
{
        return a->name == b->name && a->n_members == b->n_members && a->n_members_b == b->n_members_b &&
               a->self == b->self && a->inter == b->inter && a->team == b->team;
}

/* Rows that look alike and follow each other are told once. */
static ps_status put_comms(ps_doc *doc, const void *subject, ps_error *err)
{
        const ps_defs *defs = &trace_of(subject)->defs;
        const ps_comm_def *rows = defs->comms.row;
        uint32_t n = defs->comms.n, i = 0, most = ps_doc_most(doc, 0, COMMS_BRIEF, PAGE);

        (void)err;
        ps_doc_begin_table(doc, PS_DOC_TABLE, "Communicators", "Name|*Members");
        for (uint32_t shown = 0, next; i < n && shown < most; i = next, shown++) {
                const char *name = ps_defs_str(defs, rows[i].name);
                for (next = i + 1; next < n && looks_alike(&rows[i], &rows[next]);)
                        next++;
                ps_doc_row(doc, 0);
                ps_doc_cell(doc, PS_DOC_PLAIN, *name ? name : "(unnamed)");
                ps_doc_cell_begin(doc);
                put_members(doc, &rows[i]);
                if (next - i > 1)
                        ps_doc_putf(doc, PS_DOC_PLAIN, ", %" PRIu32 " times", next - i);
        }
        ps_doc_end_table(doc);
        ps_doc_rest(doc, n - i, "communicator", "communicators", "--report json has all of them");
        return PS_OK;
}

/* -- who was busy when -- */

static bool has_profile(const void *subject)
{
        const ps_profile *p = ((const ps_info *)subject)->profile;

        return p && p->n_bins && p->n_rows;
}

static ps_status put_profile(ps_doc *doc, const void *subject, ps_error *err)
{
        const ps_info *info = subject;

        return ps_profile_show(doc, info->profile, info->trace, info->links, info->network, err);
}

/* -- issues -- */

static void put_issue_location(ps_doc *doc, const ps_defs *defs, const ps_issue *issue)
{
        const ps_location_def *location = &defs->locations.row[issue->location];
        char room[PS_NUMBER_ROOM];

        ps_doc_putf(doc, PS_DOC_PLAIN, "%s of %s", ps_defs_str(defs, location->name),
                    ps_defs_str(defs, defs->processes.row[location->process].name));
        if (issue->time != INT64_MIN) {
                ps_text_seconds(room, issue->time);
                ps_doc_putf(doc, PS_DOC_PLAIN, ", at %s s", room);
        }
}

/* "first: Master thread of MPI Rank 3, at 0.25 s, traces/3.evt:512" */
static void put_first(ps_doc *doc, const ps_defs *defs, const ps_issue *issue)
{
        bool has_location = issue->location < defs->locations.n;

        if (!has_location && !issue->file)
                return;
        ps_doc_row_note(doc);
        ps_doc_put(doc, PS_DOC_PLAIN, "first: ");
        if (has_location)
                put_issue_location(doc, defs, issue);
        ps_doc_put(doc, PS_DOC_PLAIN, has_location && issue->file ? ", " : "");
        if (issue->file)
                ps_doc_put(doc, PS_DOC_NAME, ps_defs_str(defs, issue->file));
        if (issue->file && issue->offset != UINT64_MAX)
                ps_doc_putf(doc, PS_DOC_PLAIN, ":%" PRIu64, issue->offset);
}

static ps_status put_issues(ps_doc *doc, const void *subject, ps_error *err)
{
        const ps_issues *issues = &trace_of(subject)->issues;

        (void)err;
        if (!ps_issues_total(issues)) {
                ps_doc_say(doc, PS_DOC_P, "None.");
                return PS_OK;
        }
        ps_doc_begin_table(doc, PS_DOC_TABLE, "", "Issue|=Count|*What it is");
        for (int kind = 0; kind < PS_I_COUNT; kind++) {
                if (!issues->row[kind].count)
                        continue;
                ps_doc_row(doc, 0);
                ps_doc_cell(doc, PS_DOC_WARN, ps_issue_infos[kind].name);
                ps_doc_cell_count(doc, issues->row[kind].count);
                ps_doc_cell(doc, PS_DOC_PLAIN, ps_issue_infos[kind].text);
                put_first(doc, &trace_of(subject)->defs, &issues->row[kind]);
        }
        ps_doc_end_table(doc);
        return PS_OK;
}

static bool has_functions(const void *subject)
{
        return ((const ps_info *)subject)->functions != NULL;
}

static ps_status put_functions(ps_doc *doc, const void *subject, ps_error *err)
{
        const ps_info *info = subject;

        (void)err;
        ps_functions_show(doc, info->trace, info->times, info->functions, NULL,
                          info->top ? info->top : UINT32_MAX);
        return PS_OK;
}

static const ps_doc_section sections[] = {
        {"trace", "Trace", PS_DOC_UNTITLED, NULL, put_trace},
        {"events", "Event types", PS_DOC_UNTITLED, has_codes, put_codes},
        {"communicators", "Communicators", PS_DOC_UNTITLED, has_comms, put_comms},
        {"functions", "Functions", PS_DOC_UNTITLED, has_functions, put_functions},
        {"profile", "Over time", PS_DOC_UNTITLED, has_profile, put_profile},
        {"issues", "Issues", 0, NULL, put_issues},
};

static ps_status write_info(ps_doc *doc, const void *subject, ps_error *err)
{
        ps_doc_title(doc, "info", ((const ps_info *)subject)->path, NULL);
        return ps_doc_sections(doc, sections, sizeof(sections) / sizeof(*sections), subject, err);
}

PS_DOC_FORMATS(ps_info_write, ps_info, write_info)
