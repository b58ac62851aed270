/* sqlite.c - the run as a database. Findings, causes, functions and issues are the tables of the report, with
 * its keys; the run itself is in tables of its own (docs/EXPORTS.md). Beside each time in seconds, which is
 * called NAME_s, stands NAME_ps, which is exact. */
#include "report/exports/exports.h"
#include "report/exports/sqlite_library.h"
#include "report/facts/sites.h"
#include "report/print/record.h"

#include "core/load/lending.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct base {
        const ps_report *report;
        ps_sqlite sqlite;
        struct sqlite3 *db;
        struct sqlite3_stmt *insert;
        ps_output *sql, *columns; /* texts to be */
        int column;               /* the next one to be bound */
        int status;               /* PS_SQLITE_OK, or what failed first */
};

static void run_sql(struct base *b, const char *sql)
{
        if (b->status == PS_SQLITE_OK)
                b->status = b->sqlite.exec(b->db, sql, NULL, NULL, NULL);
}

/* What was gathered so far; NULL: there was no memory for it. */
static const char *gathered(struct base *b, ps_output *words)
{
        const char *text = ps_output_text(words);
        if (!text)
                b->status = PS_SQLITE_NOMEM;
        return text;
}

/* Makes a table and gets ready for its rows; `columns` is what SQL says of them. */
static void begin_table(struct base *b, const char *name, const char *columns)
{
        ps_output_clear(b->sql);
        ps_output_printf(b->sql, "CREATE TABLE %s (%s)", name, columns);
        run_sql(b, gathered(b, b->sql));
        ps_output_clear(b->sql);
        ps_output_printf(b->sql, "INSERT INTO %s VALUES (?", name);
        for (const char *c = columns; *c; c++)
                if (*c == ',')
                        ps_output_puts(b->sql, ",?");
        ps_output_puts(b->sql, ")");
        const char *insert = gathered(b, b->sql);
        if (b->status == PS_SQLITE_OK)
                b->status = b->sqlite.prepare(b->db, insert, -1, &b->insert, NULL);
        b->column = 0;
}

static void end_table(struct base *b)
{
        b->sqlite.finalize(b->insert);
        b->insert = NULL;
}

static void end_row(struct base *b)
{
        if (b->status == PS_SQLITE_OK && b->sqlite.step(b->insert) != PS_SQLITE_DONE)
                b->status = b->sqlite.errcode(b->db);
        if (b->insert) {
                b->sqlite.reset(b->insert);
                b->sqlite.clear_bindings(b->insert);
        }
        b->column = 0;
}

/* Columns that are not bound are null. */
static void put_null(struct base *b)
{
        b->column++;
}

static void put_sql_number(struct base *b, uint64_t value)
{
        b->column++;
        if (b->status == PS_SQLITE_OK)
                b->status = b->sqlite.bind_int64(b->insert, b->column, (long long)value);
}

static void put_index(struct base *b, uint32_t index)
{
        if (index == PS_NONE)
                put_null(b);
        else
                put_sql_number(b, index);
}

/* Where SQLite asks what frees a text. */
// NOLINTNEXTLINE(performance-no-int-to-ptr): so it says that the text has to be copied
#define KEEPS_A_COPY ((void (*)(void *))(intptr_t)-1)

static void put_sql_text(struct base *b, const char *text)
{
        b->column++;
        if (b->status == PS_SQLITE_OK && text && *text)
                b->status = b->sqlite.bind_text(b->insert, b->column, text, -1, KEEPS_A_COPY);
}

/* In seconds, and exactly. */
static void put_time(struct base *b, ps_time time)
{
        b->column++;
        if (b->status == PS_SQLITE_OK)
                b->status = b->sqlite.bind_double(b->insert, b->column, ps_time_seconds(time));
        put_sql_number(b, (uint64_t)time);
}

/* -- tables of the report -- */

static const ps_field *field_of(const ps_record *record, const char *name, size_t n)
{
        for (unsigned i = 0; i < record->n_fields; i++)
                if (strlen(record->field[i].id) == n && strncmp(record->field[i].id, name, n) == 0)
                        return &record->field[i];
        return NULL;
}

static bool is_time(const ps_field *f)
{
        return f && f->form == PS_FIELD_VALUE && (f->value == PS_VALUE_time || f->value == PS_VALUE_moment);
}

static const char *type_of(const ps_field *f)
{
        if (!f || f->form != PS_FIELD_VALUE || f->n_words)
                return "TEXT";
        switch (f->value) {
        case PS_VALUE_count:
        case PS_VALUE_index:
        case PS_VALUE_line:
        case PS_VALUE_integer:
        case PS_VALUE_flag:
                return "INTEGER";
        case PS_VALUE_time:
        case PS_VALUE_moment:
        case PS_VALUE_seconds:
        case PS_VALUE_share:
        case PS_VALUE_number:
        case PS_VALUE_real:
                return "REAL";
        default:
                return "TEXT";
        }
}

enum { COLUMNS = 64 };

/* What the first line of a table says; returns how many columns there are. */
static unsigned begin_record_table(struct base *b, const ps_field *table, const char *heads,
                                   const ps_field *field[COLUMNS])
{
        unsigned n = 0;
        ps_output_clear(b->columns);
        for (const char *at = heads; n < COLUMNS;) {
                size_t length = strcspn(at, ",\r\n");
                field[n] = field_of(table->record, at, length);
                ps_output_printf(b->columns, "%s\"%.*s\" %s", n ? ", " : "", (int)length, at,
                                 type_of(field[n]));
                if (is_time(field[n]))
                        ps_output_printf(b->columns, ", \"%.*s_ps\" INTEGER", (int)length - 2, at);
                n++;
                if (at[length] != ',')
                        break;
                at += length + 1;
        }
        const char *columns = gathered(b, b->columns);
        if (columns)
                begin_table(b, table->key, columns);
        return n;
}

/* The digits of a time in seconds: exactly as many picoseconds. */
static ps_time picoseconds_of(const char *text)
{
        bool is_negative = *text == '-';
        uint64_t value = 0;
        unsigned digits = 0;
        bool is_behind = false;
        for (text += is_negative; (*text >= '0' && *text <= '9') || *text == '.'; text++) {
                if (*text == '.') {
                        is_behind = true;
                } else if (digits < 12 || !is_behind) {
                        value = value * 10 + (uint64_t)(*text - '0');
                        digits += is_behind;
                }
        }
        for (; digits < 12; digits++)
                value *= 10;
        return is_negative ? -(ps_time)value : (ps_time)value;
}

/* A cell of CSV; quotes are taken off in place. Returns what is behind it. */
static char *next_cell(char *at, char **cell, bool *ends)
{
        char *to = at;
        bool is_quoted = *at == '"';
        *cell = at;
        at += is_quoted;
        for (; *at; at++) {
                if (is_quoted && *at == '"' && *++at != '"')
                        break;
                if (!is_quoted && (*at == ',' || *at == '\n' || *at == '\r'))
                        break;
                *to++ = *at;
        }
        at += *at == '\r';
        *ends = *at != ',';
        at += *at != '\0';
        *to = '\0';
        return at;
}

static void put_cell(struct base *b, const ps_field *field, const char *cell)
{
        if (is_time(field) && *cell)
                put_time(b, picoseconds_of(cell));
        else if (is_time(field))
                b->column += 2;
        else if (*cell && field && field->value == PS_VALUE_flag && type_of(field)[0] == 'I')
                put_sql_number(b, *cell == 't' || *cell == '1');
        else
                put_sql_text(b, cell); /* SQL makes a number of it where the column is one */
}

/* From the CSV of the table, so that its keys stand in one place. */
static ps_status put_record_table(struct base *b, const char *name, ps_error *err)
{
        const ps_field *table = ps_record_table(&ps_record_report, name, strlen(name)), *field[COLUMNS];
        ps_output *out;
        PS_TRY(ps_output_open_memory(&out, PS_WIDTH_DEFAULT, err));
        ps_record_write_csv(out, &ps_record_report, table, NULL, b->report);
        const char *told = ps_output_text(out);
        char *text = told ? strdup(told) : NULL, *at = text ? strchr(text, '\n') : NULL, *cell;
        unsigned n = text ? begin_record_table(b, table, text, field) : 0;
        for (at = at ? at + 1 : NULL; at && *at && b->status == PS_SQLITE_OK;) {
                bool ends = false;
                for (unsigned c = 0; c < n && !ends; c++) {
                        at = next_cell(at, &cell, &ends);
                        put_cell(b, field[c], cell);
                }
                end_row(b);
        }
        end_table(b);
        free(text);
        ps_output_discard(out);
        return text ? PS_OK : PS_NOMEM(err, "table", 1);
}

/* -- the run itself -- */

static void put_locations(struct base *b)
{
        const ps_defs *defs = &b->report->trace->defs;
        begin_table(b, "locations",
                    "location INTEGER PRIMARY KEY, process INTEGER, thread INTEGER, name TEXT, node TEXT, "
                    "begin_s REAL, begin_ps INTEGER, end_s REAL, end_ps INTEGER");
        for (ps_loc loc = 0; loc < defs->locations.n; loc++) {
                const ps_location_def *location = &defs->locations.row[loc];
                const ps_location_info *info = ps_timing_info(b->report->trace, b->report->timing, loc);
                put_sql_number(b, loc);
                put_sql_number(b, location->process);
                put_sql_number(b, location->thread);
                put_sql_text(b, ps_defs_str(defs, location->name));
                put_sql_text(b, ps_defs_str(defs, defs->processes.row[location->process].node));
                if (info->first <= info->last) {
                        put_time(b, info->first);
                        put_time(b, info->last);
                }
                end_row(b);
        }
        end_table(b);
}

static void put_regions(struct base *b)
{
        const ps_defs *defs = &b->report->trace->defs;
        begin_table(b, "regions",
                    "region INTEGER PRIMARY KEY, name TEXT, kind TEXT, file TEXT, line INTEGER");
        for (ps_region r = 0; r < defs->regions.n; r++) {
                const ps_region_def *region = &defs->regions.row[r];
                put_sql_number(b, r);
                put_sql_text(b, ps_defs_str(defs, region->name));
                put_sql_text(b, region->kind < PS_K_COUNT ? ps_kinds[region->kind].name : NULL);
                put_sql_text(b, ps_defs_str(defs, region->file));
                if (region->line)
                        put_sql_number(b, region->line);
                end_row(b);
        }
        end_table(b);
}

static ps_status put_paths(struct base *b, ps_error *err)
{
        const ps_trace *trace = b->report->trace;
        begin_table(b, "call_paths",
                    "call_path INTEGER PRIMARY KEY, parent INTEGER, region INTEGER, name TEXT, file TEXT, "
                    "line INTEGER");
        for (ps_path path = 0; path < trace->n_paths && b->status == PS_SQLITE_OK; path++) {
                const ps_source_place *place;
                PS_TRY(ps_sources_of(b->report->sources, path, &place, err));
                put_sql_number(b, path);
                put_index(b, path ? trace->paths[path].parent : PS_NONE);
                put_index(b, path ? trace->paths[path].region : PS_NONE);
                put_sql_text(b, path ? ps_site_call(b->report, path) : NULL);
                put_sql_text(b, path ? place->file : NULL);
                if (path && place->line)
                        put_sql_number(b, place->line);
                end_row(b);
        }
        end_table(b);
        return PS_OK;
}

static void put_operation(struct base *b, ps_ref ref)
{
        const ps_timing *timing = b->report->timing;
        const ps_ops *ops = &b->report->trace->ops[ref.loc];
        ps_class cls = ps_kinds[ops->kind[ref.op]].cls;
        bool is_message = cls == PS_C_SEND || cls == PS_C_RECV;
        ps_time begin = timing->enter[ref.loc][ref.op], end = timing->leave[ref.loc][ref.op];
        put_sql_number(b, ref.loc);
        put_sql_number(b, ref.op);
        put_sql_text(b, ps_kinds[ops->kind[ref.op]].name);
        put_sql_number(b, ps_op_path(ops, ref.op));
        put_time(b, begin);
        put_time(b, end);
        put_index(b, is_message && ops->flags[ref.op] & PS_OP_MATCHED ? ps_op_peer(ops, ref.op) : PS_NONE);
        if (is_message || cls == PS_C_RMA || cls == PS_C_COLL)
                put_sql_number(b, ps_op_bytes(ops, ref.op));
        else
                put_null(b);
        put_index(b, is_message ? ps_op_tag(ops, ref.op) : PS_NONE);
        put_sql_number(b, ps_focus_clip(timing->focus, begin, end > begin ? end : begin + 1) > 0);
        end_row(b);
}

/* Location by location. */
static ps_status put_each(struct base *b, ps_status (*put)(struct base *b, ps_loc loc, ps_error *err),
                          ps_error *err)
{
        const ps_report *report = b->report;
        for (ps_loc loc = 0; loc < report->trace->n_locs && b->status == PS_SQLITE_OK; loc++) {
                ps_loan loan;
                ps_status status = ps_loan_take(&loan, report->trace, report->timing, loc, err);
                PS_THEN(status, put(b, loc, err));
                ps_loan_return(&loan);
                PS_TRY(status);
        }
        return PS_OK;
}

static ps_status put_operations_of(struct base *b, ps_loc loc, ps_error *err)
{
        (void)err;
        for (ps_op op = 0; op < b->report->trace->ops[loc].n && b->status == PS_SQLITE_OK; op++)
                put_operation(b, (ps_ref){loc, op});
        return PS_OK;
}

static ps_status put_operations(struct base *b, ps_error *err)
{
        begin_table(b, "operations",
                    "location INTEGER, operation INTEGER, kind TEXT, call_path INTEGER, begin_s REAL, "
                    "begin_ps INTEGER, end_s REAL, end_ps INTEGER, partner_location INTEGER, bytes INTEGER, "
                    "tag INTEGER, in_focus INTEGER");
        ps_status status = put_each(b, put_operations_of, err);
        end_table(b);
        return status;
}

static void put_message(struct base *b, ps_ref send, ps_ref recv, ps_time received)
{
        const ps_report *report = b->report;
        const ps_ops *ops = &report->trace->ops[send.loc];
        put_sql_number(b, send.loc);
        put_sql_number(b, send.op);
        put_sql_number(b, recv.loc);
        put_sql_number(b, recv.op);
        put_sql_number(b, ps_site_process(report, send));
        put_sql_number(b, ps_site_process(report, recv));
        put_sql_number(b, ps_op_bytes(ops, send.op));
        put_sql_number(b, ps_op_tag(ops, send.op));
        put_time(b, ps_op_record_begin(report->trace, report->timing, send));
        put_time(b, received);
        end_row(b);
}

enum { MESSAGES = 4096 }; /* at a time: when they were received may have to be asked of other processes */

/* From the row on; returns where to go on. */
static ps_op list_messages(const ps_trace *trace, ps_ref from, ps_op send[MESSAGES], ps_ref recv[MESSAGES],
                           uint32_t *n)
{
        const ps_ops *ops = &trace->ops[from.loc];
        for (*n = 0; from.op < ops->n && *n < MESSAGES; from.op++) {
                if (ps_kinds[ops->kind[from.op]].cls != PS_C_SEND)
                        continue;
                recv[*n] = ps_op_partner(trace, from);
                send[*n] = from.op;
                *n += recv[*n].op != PS_NONE;
        }
        return from.op;
}

static ps_status put_messages_of(struct base *b, ps_loc loc, ps_error *err)
{
        const ps_report *report = b->report;
        const ps_trace *trace = report->trace;
        ps_op send[MESSAGES];
        ps_ref recv[MESSAGES];
        int64_t received[MESSAGES];
        uint32_t n;
        for (ps_op op = 0; op < trace->ops[loc].n && b->status == PS_SQLITE_OK;) {
                op = list_messages(trace, (ps_ref){loc, op}, send, recv, &n);
                PS_TRY(ps_loan_facts(received, PS_LOAN_RECORD_END, trace, report->timing, recv, n, err));
                for (uint32_t i = 0; i < n && b->status == PS_SQLITE_OK; i++)
                        put_message(b, (ps_ref){loc, send[i]}, recv[i], received[i]);
        }
        return PS_OK;
}

static ps_status put_messages(struct base *b, ps_error *err)
{
        begin_table(b, "messages",
                    "from_location INTEGER, from_operation INTEGER, to_location INTEGER, to_operation "
                    "INTEGER, from_process INTEGER, to_process INTEGER, bytes INTEGER, tag INTEGER, sent_s "
                    "REAL, sent_ps INTEGER, received_s REAL, received_ps INTEGER");
        ps_status status = put_each(b, put_messages_of, err);
        end_table(b);
        return status;
}

/* A row for each member. */
static bool put_member(void *ctx, const ps_loan_member *member)
{
        struct base *b = ctx;
        const ps_defs *defs = &b->report->trace->defs;
        ps_str name = member->comm < defs->comms.n ? defs->comms.row[member->comm].name : 0;
        put_sql_number(b, member->operation);
        put_sql_text(b, ps_kinds[member->kind].name);
        put_sql_text(b, ps_defs_str(defs, name));
        put_sql_number(b, member->complete);
        put_sql_number(b, member->is_root);
        put_sql_number(b, member->ref.loc);
        put_sql_number(b, member->ref.op);
        end_row(b);
        return b->status == PS_SQLITE_OK;
}

static ps_status put_collectives(struct base *b, ps_error *err)
{
        begin_table(b, "collectives",
                    "collective INTEGER, kind TEXT, communicator TEXT, is_complete INTEGER, is_root INTEGER, "
                    "location INTEGER, operation INTEGER");
        ps_status status = ps_loan_members(b->report->trace, b->report->timing, put_member, b, err);
        end_table(b);
        return status;
}

/* -- all of it -- */

static ps_status fill_base(struct base *b, ps_error *err)
{
        static const char *const tables[] = {"findings", "causes", "functions", "issues"};
        run_sql(b, "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA user_version = 1; BEGIN");
        put_locations(b);
        put_regions(b);
        PS_TRY(put_paths(b, err));
        PS_TRY(put_operations(b, err));
        PS_TRY(put_messages(b, err));
        PS_TRY(put_collectives(b, err));
        for (unsigned i = 0; i < sizeof(tables) / sizeof(*tables); i++)
                PS_TRY(put_record_table(b, tables[i], err));
        run_sql(b, "CREATE INDEX operations_by_location ON operations (location, operation); COMMIT");
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

static ps_status write_base(struct base *b, const char *path, ps_error *err)
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
static ps_status write_beside(struct base *b, ps_output *out, ps_error *err)
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
        struct base b = {.report = report};
        PS_TRY(ps_sqlite_load(&b.sqlite, err));
        ps_status status = write_beside(&b, out, err);
        ps_output_discard(b.sql);
        ps_output_discard(b.columns);
        ps_sqlite_unload(&b.sqlite);
        return status;
}
