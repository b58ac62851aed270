/* info_text.c - a first look at a trace: the figures, the most frequent events, the communicators, and what
 * is wrong with it. Long tables are cut: the JSON report has them whole. */
#include "report/print/text.h"
#include "report/subjects/info.h"
#include "report/subjects/profile.h"

#include <inttypes.h>
#include <string.h>

enum { LABEL_COLUMNS = 13, NAME_COLUMNS_MAX = 44, TOP_CODES = 12, TOP_COMMS = 8 };

static void put_count(ps_output *out, uint64_t n)
{
        char room[PS_NUMBER_ROOM];

        ps_text_count(room, n);
        ps_output_puts(out, room);
}

/* "1 node", "3 nodes", "2 processes" */
static void put_many(ps_output *out, uint64_t n, const char *what)
{
        const char *plural = what[strlen(what) - 1] == 's' ? "es" : "s";

        put_count(out, n);
        ps_output_printf(out, " %s%s", what, n == 1 ? "" : plural);
}

static void put_duration(ps_output *out, ps_time time)
{
        char room[PS_NUMBER_ROOM];

        ps_text_duration(room, time);
        ps_output_puts(out, room);
}

static void put_origin(ps_output *out, const ps_info *info)
{
        const char *creator = ps_defs_str(&info->trace->defs, info->trace->defs.creator);

        ps_text_write_label(out, "Trace", LABEL_COLUMNS);
        ps_text_write(out, info->path);
        ps_output_putc(out, '\n');
        ps_text_write_label(out, "Format", LABEL_COLUMNS);
        ps_text_write(out, info->trace->format);
        if (*creator) {
                ps_output_puts(out, ", written by ");
                ps_text_write(out, creator);
        }
        ps_output_putc(out, '\n');
}

static void put_places(ps_output *out, const ps_info *info)
{
        static const char *const types[] = {"CPU", "metric", "accelerator"};
        const ps_overview *overview = info->overview;
        int all_cpu = overview->n_locations[PS_LOCATION_CPU] == info->trace->n_locs;
        const char *between = " (";

        ps_text_write_label(out, "Processes", LABEL_COLUMNS);
        put_count(out, info->trace->defs.processes.n);
        if (overview->n_nodes) {
                ps_output_puts(out, " on ");
                put_many(out, overview->n_nodes, "node");
        }
        ps_output_putc(out, '\n');
        ps_text_write_label(out, "Locations", LABEL_COLUMNS);
        put_count(out, info->trace->n_locs);
        for (int type = 0; type < 3; type++) {
                if (all_cpu || overview->n_locations[type] == 0)
                        continue;
                ps_output_puts(out, between);
                put_count(out, overview->n_locations[type]);
                ps_output_printf(out, " %s", types[type]);
                between = ", ";
        }
        ps_output_puts(out, all_cpu ? "" : ")");
        if (overview->n_silent)
                ps_output_printf(out, ", %" PRIu32 " without events", overview->n_silent);
        ps_output_putc(out, '\n');
}

static void put_violations(ps_output *out, const ps_clock_info *clock)
{
        if (!clock->violations) {
                ps_output_puts(out, "no violations of causality");
                return;
        }
        ps_output_style(out, PS_YELLOW);
        put_many(out, clock->violations, "violation");
        ps_output_puts(out, " of causality");
        ps_output_style(out, PS_PLAIN);
        ps_output_puts(out, ", the largest ");
        put_duration(out, clock->worst);
}

static void put_clock(ps_output *out, const ps_info *info)
{
        const ps_clock_info *clock = &info->trace->clock;
        char room[PS_NUMBER_ROOM];

        ps_text_write_label(out, "Clock", LABEL_COLUMNS);
        if (info->trace->defs.resolution_hz) {
                ps_text_hertz(room, info->trace->defs.resolution_hz);
                ps_output_printf(out, "%s, ", room);
        }
        put_violations(out, clock);
        ps_output_putc(out, '\n');
        if (clock->repaired) {
                ps_text_write_label(out, "", LABEL_COLUMNS);
                ps_output_puts(out, "offsets of the processes estimated, uncertain by up to ");
                put_duration(out, clock->uncertainty);
                ps_output_putc(out, '\n');
        }
        if (clock->corrected) {
                ps_text_write_label(out, "", LABEL_COLUMNS);
                put_many(out, clock->moved, "time");
                ps_output_puts(out, " moved to restore causality\n");
        }
        if (clock->left) {
                ps_text_write_label(out, "", LABEL_COLUMNS);
                put_many(out, clock->left, "violation");
                ps_output_puts(out, clock->infeasible ? " left: no constant offsets explain the times\n"
                                                      : " left\n");
        }
}

static void put_figures(ps_output *out, const ps_info *info)
{
        const ps_overview *overview = info->overview;
        const struct {
                const char *label;
                uint64_t n;
        } rows[] = {{"Events", info->trace->n_events},
                    {"Operations", info->trace->n_operations},
                    {"Messages", info->trace->n_messages},
                    {"Collectives", info->trace->n_colls}};

        for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
                ps_text_write_label(out, rows[i].label, LABEL_COLUMNS);
                put_count(out, rows[i].n);
                if (strcmp(rows[i].label, "Messages") == 0 &&
                    (overview->n_unmatched_sends || overview->n_unmatched_receives)) {
                        ps_output_style(out, PS_YELLOW);
                        ps_output_puts(out, ", unmatched: ");
                        put_many(out, overview->n_unmatched_sends, "send");
                        ps_output_puts(out, ", ");
                        put_many(out, overview->n_unmatched_receives, "receive");
                        ps_output_style(out, PS_PLAIN);
                }
                ps_output_putc(out, '\n');
        }
}

static void put_heading(ps_output *out, const char *text)
{
        ps_output_putc(out, '\n');
        ps_output_style(out, PS_BOLD);
        ps_output_puts(out, text);
        ps_output_style(out, PS_PLAIN);
}

static void put_rest(ps_output *out, uint32_t n)
{
        if (!n)
                return;
        ps_output_style(out, PS_DIM);
        ps_output_printf(out, "  and %" PRIu32 " more\n", n);
        ps_output_style(out, PS_PLAIN);
}

static unsigned count_columns(uint64_t n)
{
        char room[PS_NUMBER_ROOM];

        return (unsigned)ps_text_count(room, n);
}

/* With separators, so that it ends in column `columns`. */
static void put_right(ps_output *out, uint64_t n, unsigned columns)
{
        char room[PS_NUMBER_ROOM];
        unsigned used = (unsigned)ps_text_count(room, n);

        ps_output_repeat(out, ' ', used < columns ? columns - used : 0);
        ps_output_puts(out, room);
}

static unsigned wider(unsigned columns, const char *name)
{
        unsigned here = ps_text_columns(name);

        return here > NAME_COLUMNS_MAX ? NAME_COLUMNS_MAX : here > columns ? here : columns;
}

static void put_codes(ps_output *out, const ps_info *info)
{
        const ps_defs *defs = &info->trace->defs;
        const ps_overview *overview = info->overview;
        uint32_t n = overview->n_codes < TOP_CODES ? overview->n_codes : TOP_CODES;
        unsigned columns = 0;
        char share[PS_NUMBER_ROOM];

        if (!n)
                return;
        for (uint32_t i = 0; i < n; i++)
                columns = wider(columns, ps_defs_str(defs, defs->codes.row[overview->codes[i].code]));
        put_heading(out, "Event types");
        ps_output_putc(out, '\n');
        for (uint32_t i = 0; i < n; i++) {
                const ps_code_count *row = &overview->codes[i];
                ps_output_puts(out, "  ");
                ps_text_write_padded(out, ps_defs_str(defs, defs->codes.row[row->code]), columns);
                ps_output_puts(out, "  ");
                put_right(out, row->n, count_columns(overview->codes[0].n));
                ps_text_percent(share, row->n, info->trace->n_events);
                ps_output_printf(out, "  %7s\n", share);
        }
        put_rest(out, overview->n_codes - n);
}

static void put_members(ps_output *out, const ps_comm_def *comm)
{
        if (comm->self) {
                ps_output_puts(out, "each process alone");
        } else {
                put_many(out, comm->n_members, comm->team ? "thread" : "process");
                if (comm->inter) {
                        ps_output_puts(out, ", with ");
                        put_many(out, comm->n_members_b, "other");
                }
        }
}

static int looks_alike(const ps_comm_def *a, const ps_comm_def *b)
{
        return a->name == b->name && a->n_members == b->n_members && a->n_members_b == b->n_members_b &&
               a->self == b->self && a->inter == b->inter && a->team == b->team;
}

/* Rows that look alike and follow each other are told once. */
static void put_comms(ps_output *out, const ps_info *info)
{
        const ps_defs *defs = &info->trace->defs;
        const ps_comm_def *rows = defs->comms.row;
        uint32_t n = defs->comms.n, next;
        unsigned columns = ps_text_columns("(unnamed)"), shown = 0;

        if (!n)
                return;
        for (uint32_t i = 0; i < n; i++)
                columns = wider(columns, ps_defs_str(defs, rows[i].name));
        put_heading(out, "Communicators");
        ps_output_putc(out, '\n');
        for (uint32_t i = 0; i < n; i = next) {
                const char *name = ps_defs_str(defs, rows[i].name);
                for (next = i + 1; next < n && looks_alike(&rows[i], &rows[next]);)
                        next++;
                if (shown++ == TOP_COMMS) {
                        put_rest(out, n - i);
                        return;
                }
                ps_output_puts(out, "  ");
                ps_text_write_padded(out, *name ? name : "(unnamed)", columns);
                ps_output_puts(out, "  ");
                put_members(out, &rows[i]);
                if (next - i > 1)
                        ps_output_printf(out, ", %" PRIu32 " times", next - i);
                ps_output_putc(out, '\n');
        }
}

static void put_file(ps_output *out, const ps_defs *defs, const ps_issue *issue)
{
        ps_text_write(out, ps_defs_str(defs, issue->file));
        if (issue->offset != UINT64_MAX)
                ps_output_printf(out, ":%" PRIu64, issue->offset);
}

static void put_issue_location(ps_output *out, const ps_defs *defs, const ps_issue *issue)
{
        const ps_location_def *location = &defs->locations.row[issue->location];
        char room[PS_NUMBER_ROOM];

        ps_text_write(out, ps_defs_str(defs, location->name));
        ps_output_puts(out, " of ");
        ps_text_write(out, ps_defs_str(defs, defs->processes.row[location->process].name));
        if (issue->time != INT64_MIN) {
                ps_text_seconds(room, issue->time);
                ps_output_printf(out, ", at %s s", room);
        }
}

/* "first: Master thread of MPI Rank 3, at 0.25 s, traces/3.evt:512" */
static ps_status put_place(ps_output *out, const ps_info *info, const ps_issue *issue, unsigned indent,
                           ps_error *err)
{
        const ps_defs *defs = &info->trace->defs;
        int has_location = issue->location < defs->locations.n;
        const char *text;
        ps_output *line;
        ps_status status;

        if (!has_location && !issue->file)
                return PS_OK;
        status = ps_output_open_memory(&line, PS_WIDTH_DEFAULT, err);
        if (status)
                return status;
        ps_output_puts(line, "first: ");
        if (has_location)
                put_issue_location(line, defs, issue);
        ps_output_puts(line, has_location && issue->file ? ", " : "");
        if (issue->file)
                put_file(line, defs, issue);
        text = ps_output_text(line);
        ps_output_putc(out, '\n');
        ps_output_repeat(out, ' ', indent);
        ps_output_style(out, PS_DIM);
        ps_text_wrap(out, text ? text : "", indent, ps_output_width(out));
        ps_output_style(out, PS_PLAIN);
        ps_output_discard(line);
        return text ? PS_OK : PS_NOMEM(err, "line", 1);
}

static ps_status put_issue(ps_output *out, const ps_info *info, ps_issue_kind kind, unsigned counts,
                           unsigned names, ps_error *err)
{
        ps_status status;
        const ps_issue *issue = &info->trace->issues.row[kind];
        unsigned indent = 2 + counts + 2 + names + 2;

        ps_output_puts(out, "  ");
        put_right(out, issue->count, counts);
        ps_output_puts(out, "  ");
        ps_output_style(out, PS_YELLOW);
        ps_text_write_padded(out, ps_issue_infos[kind].name, names);
        ps_output_style(out, PS_PLAIN);
        ps_output_puts(out, "  ");
        ps_text_wrap(out, ps_issue_infos[kind].text, indent, ps_output_width(out));
        status = put_place(out, info, issue, indent, err);
        ps_output_putc(out, '\n');
        return status;
}

static ps_status put_issues(ps_output *out, const ps_info *info, ps_error *err)
{
        ps_status status = PS_OK;
        const ps_issues *issues = &info->trace->issues;
        unsigned counts = 0, names = 0;

        put_heading(out, "Issues");
        if (!ps_issues_total(issues)) {
                ps_output_puts(out, "       none\n");
                return PS_OK;
        }
        ps_output_putc(out, '\n');
        for (int kind = 0; kind < PS_I_COUNT; kind++) {
                unsigned here = count_columns(issues->row[kind].count);
                if (!issues->row[kind].count)
                        continue;
                counts = here > counts ? here : counts;
                names = wider(names, ps_issue_infos[kind].name);
        }
        for (int kind = 0; kind < PS_I_COUNT && !status; kind++)
                if (issues->row[kind].count)
                        status = put_issue(out, info, (ps_issue_kind)kind, counts, names, err);
        return status;
}

ps_status ps_info_write_text(const ps_info *info, ps_output *out, ps_error *err)
{
        put_origin(out, info);
        put_places(out, info);
        ps_text_write_label(out, "Duration", LABEL_COLUMNS);
        put_duration(out, info->trace->measured.duration);
        ps_output_putc(out, '\n');
        put_clock(out, info);
        put_figures(out, info);
        put_codes(out, info);
        put_comms(out, info);
        if (info->profile)
                ps_profile_write_text(info, out);
        return put_issues(out, info, err);
}
