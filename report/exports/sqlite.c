/* sqlite.c - the run as a database. Findings, causes, functions and issues are the tables of the report, with
 * its keys; the run itself is in tables of its own (docs/EXPORTS.md). Beside each time in seconds, which is
 * called NAME_s, stands NAME_ps, which is exact. */
#include "report/exports/exports.h"
#include "report/exports/sqlite_base.h"
#include "report/facts/sites.h"
#include "report/print/record.h"

#include "core/load/lending.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* -- the run itself -- */

static void put_locations(ps_base *b)
{
        const ps_defs *defs = &b->report->trace->defs;
        ps_base_begin(b, "locations",
                      "location INTEGER PRIMARY KEY, process INTEGER, thread INTEGER, name TEXT, node TEXT, "
                      "begin_s REAL, begin_ps INTEGER, end_s REAL, end_ps INTEGER");
        for (ps_loc loc = 0; loc < defs->locations.n; loc++) {
                const ps_location_def *location = &defs->locations.row[loc];
                const ps_location_info *info = ps_timing_info(b->report->trace, b->report->timing, loc);
                ps_base_number(b, loc);
                ps_base_number(b, location->process);
                ps_base_number(b, location->thread);
                ps_base_text(b, ps_defs_str(defs, location->name));
                ps_base_text(b, ps_defs_str(defs, defs->processes.row[location->process].node));
                if (info->first <= info->last) {
                        ps_base_time(b, info->first);
                        ps_base_time(b, info->last);
                }
                ps_base_end_row(b);
        }
        ps_base_end(b);
}

static void put_regions(ps_base *b)
{
        const ps_defs *defs = &b->report->trace->defs;
        ps_base_begin(b, "regions",
                      "region INTEGER PRIMARY KEY, name TEXT, kind TEXT, file TEXT, line INTEGER");
        for (ps_region r = 0; r < defs->regions.n; r++) {
                const ps_region_def *region = &defs->regions.row[r];
                ps_base_number(b, r);
                ps_base_text(b, ps_defs_str(defs, region->name));
                ps_base_text(b, region->kind < PS_K_COUNT ? ps_kinds[region->kind].name : NULL);
                ps_base_text(b, ps_defs_str(defs, region->file));
                if (region->line)
                        ps_base_number(b, region->line);
                ps_base_end_row(b);
        }
        ps_base_end(b);
}

static ps_status put_paths(ps_base *b, ps_error *err)
{
        const ps_trace *trace = b->report->trace;
        ps_base_begin(b, "call_paths",
                      "call_path INTEGER PRIMARY KEY, parent INTEGER, region INTEGER, name TEXT, file TEXT, "
                      "line INTEGER");
        for (ps_path path = 0; path < trace->n_paths && b->status == PS_SQLITE_OK; path++) {
                const ps_source_place *place;
                PS_TRY(ps_sources_of(b->report->sources, path, &place, err));
                ps_base_number(b, path);
                ps_base_index(b, path ? trace->paths[path].parent : PS_NONE);
                ps_base_index(b, path ? trace->paths[path].region : PS_NONE);
                ps_base_text(b, path ? ps_site_call(b->report, path) : NULL);
                ps_base_text(b, path ? place->file : NULL);
                if (path && place->line)
                        ps_base_number(b, place->line);
                ps_base_end_row(b);
        }
        ps_base_end(b);
        return PS_OK;
}

static void put_operation(ps_base *b, ps_ref ref)
{
        const ps_timing *timing = b->report->timing;
        const ps_ops *ops = &b->report->trace->ops[ref.loc];
        ps_class cls = ps_kinds[ops->kind[ref.op]].cls;
        bool is_message = cls == PS_C_SEND || cls == PS_C_RECV;
        ps_time begin = timing->enter[ref.loc][ref.op], end = timing->leave[ref.loc][ref.op];
        ps_base_number(b, ref.loc);
        ps_base_number(b, ref.op);
        ps_base_text(b, ps_kinds[ops->kind[ref.op]].name);
        ps_base_number(b, ps_op_path(ops, ref.op));
        ps_base_time(b, begin);
        ps_base_time(b, end);
        ps_base_index(b,
                      is_message && ops->flags[ref.op] & PS_OP_MATCHED ? ps_op_peer(ops, ref.op) : PS_NONE);
        if (is_message || cls == PS_C_RMA || cls == PS_C_COLL)
                ps_base_number(b, ps_op_bytes(ops, ref.op));
        else
                ps_base_null(b);
        ps_base_index(b, is_message ? ps_op_tag(ops, ref.op) : PS_NONE);
        ps_base_number(b, ps_focus_clip(timing->focus, begin, end > begin ? end : begin + 1) > 0);
        ps_base_end_row(b);
}

static ps_status put_operations_of(ps_base *b, ps_loan *loan, ps_error *err)
{
        for (ps_op op = loan->first; op < loan->behind && b->status == PS_SQLITE_OK; op++) {
                PS_TRY(ps_loan_reach(loan, op, err));
                put_operation(b, (ps_ref){loan->loc, op});
        }
        return PS_OK;
}

/* Location by location. */
static ps_status put_each(ps_base *b, ps_error *err)
{
        const ps_report *report = b->report;
        ps_loans *loans;
        ps_status status = ps_loans_new(&loans, err);
        for (ps_loc loc = 0; loc < report->trace->n_locs && status == PS_OK && b->status == PS_SQLITE_OK;
             loc++) {
                ps_loan loan;
                status = ps_loan_take(&loan, loans, report->trace, report->timing, loc, NULL, err);
                PS_THEN(status, put_operations_of(b, &loan, err));
                ps_loan_return(&loan);
        }
        ps_loans_free(loans);
        return status;
}

static ps_status put_operations(ps_base *b, ps_error *err)
{
        ps_base_begin(
                b, "operations",
                "location INTEGER, operation INTEGER, kind TEXT, call_path INTEGER, begin_s REAL, "
                "begin_ps INTEGER, end_s REAL, end_ps INTEGER, partner_location INTEGER, bytes INTEGER, "
                "tag INTEGER, in_focus INTEGER");
        ps_status status = put_each(b, err);
        ps_base_end(b);
        return status;
}

static bool put_message(void *ctx, const ps_loan_message *message)
{
        ps_base *b = ctx;
        ps_base_number(b, message->send.loc);
        ps_base_number(b, message->send.op);
        ps_base_number(b, message->receive.loc);
        ps_base_number(b, message->receive.op);
        ps_base_number(b, ps_site_process(b->report, message->send));
        ps_base_number(b, ps_site_process(b->report, message->receive));
        ps_base_number(b, message->bytes);
        ps_base_number(b, message->tag);
        ps_base_time(b, message->sent);
        ps_base_time(b, message->received);
        ps_base_end_row(b);
        return b->status == PS_SQLITE_OK;
}

static ps_status put_messages(ps_base *b, ps_error *err)
{
        ps_base_begin(b, "messages",
                      "from_location INTEGER, from_operation INTEGER, to_location INTEGER, to_operation "
                      "INTEGER, from_process INTEGER, to_process INTEGER, bytes INTEGER, tag INTEGER, sent_s "
                      "REAL, sent_ps INTEGER, received_s REAL, received_ps INTEGER");
        const ps_trace *trace = b->report->trace;
        ps_status status = ps_loan_messages(trace, b->report->timing, &(ps_loan_senders){.n = trace->n_locs},
                                            put_message, b, err);
        ps_base_end(b);
        return status;
}

/* A row for each member. */
static bool put_member(void *ctx, const ps_loan_member *member)
{
        ps_base *b = ctx;
        const ps_defs *defs = &b->report->trace->defs;
        ps_str name = member->comm < defs->comms.n ? defs->comms.row[member->comm].name : 0;
        ps_base_number(b, member->operation);
        ps_base_text(b, ps_kinds[member->kind].name);
        ps_base_text(b, ps_defs_str(defs, name));
        ps_base_number(b, member->complete);
        ps_base_number(b, member->is_root);
        ps_base_number(b, member->ref.loc);
        ps_base_number(b, member->ref.op);
        ps_base_end_row(b);
        return b->status == PS_SQLITE_OK;
}

static ps_status put_collectives(ps_base *b, ps_error *err)
{
        ps_base_begin(
                b, "collectives",
                "collective INTEGER, kind TEXT, communicator TEXT, is_complete INTEGER, is_root INTEGER, "
                "location INTEGER, operation INTEGER");
        ps_status status = ps_loan_members(b->report->trace, b->report->timing, put_member, b, err);
        ps_base_end(b);
        return status;
}

/* -- all of it -- */

static ps_status fill_base(ps_base *b, ps_error *err)
{
        static const char *const tables[] = {"findings", "causes", "functions", "issues"};
        ps_base_run(b, "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA user_version = 1; BEGIN");
        put_locations(b);
        put_regions(b);
        PS_TRY(put_paths(b, err));
        PS_TRY(put_operations(b, err));
        PS_TRY(put_messages(b, err));
        PS_TRY(put_collectives(b, err));
        for (unsigned i = 0; i < sizeof(tables) / sizeof(*tables); i++)
                PS_TRY(ps_base_record(b, tables[i], err));
        ps_base_run(b, "CREATE INDEX operations_by_location ON operations (location, operation); COMMIT");
        return b->status == PS_SQLITE_OK
                       ? PS_OK
                       : PS_FAIL(err, PS_E_OUTPUT, "the database cannot be written: reason=\"%s\"",
                                 b->sqlite.errstr(b->status));
}

static ps_status copy_file(ps_output *out, int fd, const char *path, ps_error *err)
{
        char room[PS_OUTPUT_ROOM];
        ssize_t n;
        while ((n = read(fd, room, sizeof(room))) > 0)
                ps_output_write(out, room, (size_t)n);
        return n < 0 ? PS_FAIL(err, PS_E_OUTPUT, "cannot read what was written: path=\"%s\", reason=\"%s\"",
                               path, strerror(errno))
                     : PS_OK;
}

static ps_status write_base(ps_base *b, const char *path, ps_error *err)
{
        PS_TRY(ps_output_open_memory(&b->sql, PS_WIDTH_DEFAULT, err));
        PS_TRY(ps_output_open_memory(&b->columns, PS_WIDTH_DEFAULT, err));
        b->status = b->sqlite.open(path, &b->db);
        ps_status status = fill_base(b, err);
        b->sqlite.finalize(b->insert);
        b->sqlite.close(b->db);
        return status;
}

/* SQLite wants a file that it can seek in, and an output may be a pipe. */
static ps_status write_beside(ps_base *b, ps_output *out, ps_error *err)
{
        const char *folder = getenv("TMPDIR");
        char path[512];
        int n = snprintf(path, sizeof(path), "%s/patscan-XXXXXX", folder && *folder ? folder : "/tmp");
        int fd = n < (int)sizeof(path) ? mkstemp(path) : -1;
        if (fd < 0)
                return PS_FAIL(err, PS_E_OUTPUT, "cannot make a temporary file: path=\"%s\"", path);
        ps_status status = write_base(b, path, err);
        PS_THEN(status, copy_file(out, fd, path, err));
        close(fd);
        unlink(path);
        return status;
}

ps_status ps_report_check_sqlite(ps_error *err)
{
        ps_sqlite sqlite;
        PS_TRY(ps_sqlite_load(&sqlite, err));
        ps_sqlite_unload(&sqlite);
        return PS_OK;
}

ps_status ps_report_write_sqlite(const ps_report *report, ps_output *out, ps_error *err)
{
        ps_base b = {.report = report};
        PS_TRY(ps_sqlite_load(&b.sqlite, err));
        ps_status status = write_beside(&b, out, err);
        ps_output_discard(b.sql);
        ps_output_discard(b.columns);
        ps_sqlite_unload(&b.sqlite);
        return status;
}
