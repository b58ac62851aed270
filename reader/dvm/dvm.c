/* dvm.c - a DVM trace as an ordinary one: one location, whose calls of the run-time system and whose
 * intervals are regions below the program's own.
 *
 * Lib-DVM records durations, so that times are sums. A nested call's time lies in that of the call around it,
 * which it cannot outlast. */
#include "reader/dvm/dvm.h"

#include "core/base/map.h"
#include "core/base/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Types of records: a call counts as its function, what is not known as PS_DVM_UNKNOWN. */
enum { CODE_RET = PS_DVM_COUNT, CODE_INTERVAL_BEGIN, CODE_INTERVAL_END, CODE_BEGIN, CODE_EXIT, N_CODES };

static const char *name_of_code(int code)
{
        static const char *const names[N_CODES] = {
                [PS_DVM_UNKNOWN] = "unknown-call",        [CODE_RET] = "ret",
                [CODE_INTERVAL_BEGIN] = "interval-begin", [CODE_INTERVAL_END] = "interval-end",
                [CODE_BEGIN] = "program-begin",           [CODE_EXIT] = "program-end"};
        return names[code] ? names[code] : ps_dvm_infos[code].name;
}

/* What names of the trace are called in ps_defs. */
enum { NAME_STRING, NAME_FUNCTION };

struct ps_reader {
        ps_dvm *dvm;
        ps_map names;         /* (string of dvm, NAME_*): string or region */
        ps_region *intervals; /* by interval */
        ps_region program;
        ps_str path;
};

struct open_call {
        uint32_t call;
        ps_time end;
};

struct ps_stream {
        const ps_reader *reader;
        ps_batch *out;
        struct open_call open[PS_DVM_DEPTH_MAX];
        uint32_t n_open;
        uint32_t next;     /* call */
        uint32_t interval; /* that is open */
        ps_time now;
        uint8_t begun, ended;
};

/* -- definitions -- */

static ps_status add_string(ps_reader *r, ps_defs *defs, ps_str from, ps_str *out, ps_error *err)
{
        ps_time *known = ps_map_at(&r->names, from, NAME_STRING, -1);
        if (known && *known < 0)
                *known = ps_strings_addz(defs->strings, ps_dvm_str(r->dvm, from));
        if (!known || *known == PS_NONE)
                return PS_NOMEM(err, "strings", r->names.n);
        *out = (ps_str)*known;
        return PS_OK;
}

static ps_status add_function(ps_reader *r, ps_defs *defs, const ps_dvm_call *call, ps_error *err)
{
        ps_region_def def = {.role = PS_ROLE_FUNCTION};
        ps_time *known = ps_map_at(&r->names, call->name, NAME_FUNCTION, -1);
        if (!known)
                return PS_NOMEM(err, "regions", r->names.n);
        if (*known >= 0)
                return PS_OK;
        ps_region region;
        bool is_io = ps_dvm_infos[call->function].cls == PS_DVM_C_IO;
        def.paradigm = is_io ? PS_PARADIGM_IO : PS_PARADIGM_PGAS;
        def.name = ps_strings_addz(defs->strings, ps_dvm_str(r->dvm, call->name));
        if (def.name == PS_NONE)
                return PS_NOMEM(err, "strings", 1);
        ps_status status = ps_defs_add_region(defs, &def, &region, err);
        *known = region;
        return status;
}

static ps_status add_calls(ps_reader *r, ps_defs *defs, ps_error *err)
{
        const ps_dvm *dvm = r->dvm;
        ps_str file;
        for (uint32_t i = 0; i < dvm->calls.n; i++) {
                const ps_dvm_call *call = &dvm->calls.row[i];
                if (i && dvm->calls.row[i - 1].file == call->file && dvm->calls.row[i - 1].name == call->name)
                        continue;
                PS_TRY(add_string(r, defs, call->file, &file, err));
                PS_TRY(add_function(r, defs, call, err));
        }
        return PS_OK;
}

static uint32_t line_number(int64_t line)
{
        return line > 0 && line < UINT32_MAX ? (uint32_t)line : 0;
}

static ps_status add_interval(ps_reader *r, ps_defs *defs, const ps_dvm_interval *i, ps_region *out,
                              ps_error *err)
{
        static const char *const words[] = {"", "interval", "parallel loop", "sequential loop"};
        char name[512];
        int n = snprintf(name, sizeof(name), "%s %.400s:%" PRId64, words[i->type],
                         ps_dvm_str(r->dvm, i->file), i->line);
        if (i->expr != PS_DVM_NO_EXPR)
                snprintf(name + n, sizeof(name) - (size_t)n, " (%" PRId64 ")", i->expr);
        ps_region_def def = {.name = ps_strings_addz(defs->strings, name),
                             .line = line_number(i->line),
                             .paradigm = PS_PARADIGM_USER,
                             .role = i->type == PS_DVM_I_USER ? PS_ROLE_PHASE : PS_ROLE_LOOP};
        PS_TRY(add_string(r, defs, i->file, &def.file, err));
        if (def.name == PS_NONE)
                return PS_NOMEM(err, "strings", 1);
        return ps_defs_add_region(defs, &def, out, err);
}

static ps_status add_intervals(ps_reader *r, ps_defs *defs, ps_error *err)
{
        uint32_t n = r->dvm->intervals.n;
        r->intervals = calloc(n, sizeof(*r->intervals));
        if (!r->intervals)
                return PS_NOMEM(err, "intervals", n);
        for (uint32_t i = 1; i < n; i++)
                PS_TRY(add_interval(r, defs, &r->dvm->intervals.row[i], &r->intervals[i], err));
        return PS_OK;
}

static ps_status add_program(ps_reader *r, ps_defs *defs, ps_error *err)
{
        char creator[64] = "Lib-DVM";
        if (r->dvm->rts_version)
                snprintf(creator, sizeof(creator), "Lib-DVM %" PRId64, r->dvm->rts_version);
        ps_region_def program = {.name = ps_strings_addz(defs->strings, "program"),
                                 .paradigm = PS_PARADIGM_USER,
                                 .role = PS_ROLE_FUNCTION};
        ps_process_def process = {.name = program.name};
        ps_location_def location = {.name = program.name, .type = PS_LOCATION_CPU, .n_events = UINT64_MAX};
        defs->creator = ps_strings_addz(defs->strings, creator);
        if (program.name == PS_NONE || defs->creator == PS_NONE)
                return PS_NOMEM(err, "strings", 1);
        PS_TRY(ps_defs_add_region(defs, &program, &r->program, err));
        PS_TRY(ps_defs_add_process(defs, &process, &location.process, err));
        PS_TRY(ps_defs_add_location(defs, &location, NULL, err));
        for (int i = 0; i < N_CODES; i++)
                PS_TRY(ps_defs_add_code(defs, name_of_code(i), NULL, err));
        return PS_OK;
}

/* The issues of the trace, with the file's name as a string of the trace. */
static void take_issues(const ps_reader *r, ps_issues *issues)
{
        ps_issues found = r->dvm->issues;
        for (int kind = 0; kind < PS_I_COUNT; kind++)
                found.row[kind].file = found.row[kind].count ? r->path : 0;
        ps_issues_merge(issues, &found);
}

static void dvm_close(ps_reader *r)
{
        if (!r)
                return;
        ps_dvm_free(r->dvm);
        ps_map_free(&r->names);
        free(r->intervals);
        free(r);
}

static ps_status dvm_open(ps_reader **out, const char *path, ps_defs *defs, ps_issues *issues, ps_error *err)
{
        ps_reader *r = calloc(1, sizeof(*r));
        if (!r)
                return PS_NOMEM(err, "reader", 1);
        ps_status status = ps_dvm_read_tolerant(&r->dvm, path, err);
        PS_THEN(status, add_program(r, defs, err));
        PS_THEN(status, add_calls(r, defs, err));
        PS_THEN(status, add_intervals(r, defs, err));
        r->path = ps_strings_addz(defs->strings, ps_file_name(path));
        if (status == PS_OK && r->path == PS_NONE)
                status = PS_NOMEM(err, "strings", 1);
        if (status != PS_OK) {
                dvm_close(r);
                return status;
        }
        take_issues(r, issues);
        *out = r;
        return PS_OK;
}

/* -- events -- */

/* Sizes and offsets are lines of the trace. */
static uint64_t dvm_weight(const ps_reader *r, ps_loc location)
{
        (void)location;
        return r->dvm->n_lines;
}

static ps_str dvm_stream_file(const ps_stream *stream)
{
        return stream->reader->path;
}

static void dvm_stream_close(ps_stream *stream)
{
        free(stream);
}

static ps_status dvm_stream_open(ps_stream **out, ps_reader *reader, ps_loc location, ps_error *err)
{
        (void)location;
        ps_stream *s = calloc(1, sizeof(*s));
        if (!s)
                return PS_NOMEM(err, "stream", 1);
        s->reader = reader;
        *out = s;
        return PS_OK;
}

static ps_event *put_event(ps_stream *s, int code, ps_event_kind kind, ps_region region, uint64_t line)
{
        ps_event *e = &s->out->event[s->out->n++];
        *e = (ps_event){.time = s->now,
                        .ref = region,
                        .peer = PS_NONE,
                        .comm = PS_NONE,
                        .code = (uint16_t)code,
                        .kind = (uint8_t)kind,
                        .offset = line};
        return e;
}

static ps_region function_of(const ps_stream *s, const ps_dvm_call *call)
{
        return (ps_region)ps_map_get(&s->reader->names, call->name, NAME_FUNCTION, PS_NONE);
}

static void leave_interval(ps_stream *s, uint64_t line)
{
        put_event(s, CODE_INTERVAL_END, PS_EV_LEAVE, s->reader->intervals[s->interval], line);
        s->interval = s->reader->dvm->intervals.row[s->interval].parent;
}

static void leave_call(ps_stream *s)
{
        const struct open_call *open = &s->open[--s->n_open];
        const ps_dvm_call *call = &s->reader->dvm->calls.row[open->call];
        s->now = open->end;
        put_event(s, CODE_RET, PS_EV_LEAVE, function_of(s, call), call->at);
        if (call->form != PS_DVM_F_INTERVAL)
                return;
        if (ps_dvm_begins_interval(call->function)) {
                s->interval = call->object;
                put_event(s, CODE_INTERVAL_BEGIN, PS_EV_ENTER, s->reader->intervals[s->interval], call->at);
        } else {
                leave_interval(s, call->at);
        }
}

/* `time` later, but not after the end of the call around it. */
static ps_time later_by(const ps_stream *s, ps_time time)
{
        ps_time then = ps_time_add(s->now, time);
        return s->n_open && then > s->open[s->n_open - 1].end ? s->open[s->n_open - 1].end : then;
}

static void enter_call(ps_stream *s)
{
        const ps_dvm_call *call = &s->reader->dvm->calls.row[s->next];
        s->now = later_by(s, call->call_time);
        ps_event *e = put_event(s, call->function, PS_EV_ENTER, function_of(s, call), call->at);
        e->site_file = (ps_str)ps_map_get(&s->reader->names, call->file, NAME_STRING, 0);
        e->site_line = line_number(call->line);
        ps_time end = later_by(s, call->ret_time);
        s->open[s->n_open++] = (struct open_call){s->next++, end};
}

static void finish_stream(ps_stream *s)
{
        const ps_dvm *dvm = s->reader->dvm;
        if (s->n_open) {
                leave_call(s);
        } else if (s->interval) {
                leave_interval(s, dvm->n_lines);
        } else {
                s->now = later_by(s, dvm->exit_time);
                put_event(s, CODE_EXIT, PS_EV_LEAVE, s->reader->program, dvm->n_lines);
                s->ended = 1;
        }
}

static ps_status dvm_stream_next(ps_stream *s, ps_batch *out, ps_issues *issues, ps_error *err)
{
        (void)issues;
        (void)err;
        const ps_dvm *dvm = s->reader->dvm;
        out->location = 0;
        out->n = 0;
        s->out = out;
        if (!s->begun)
                put_event(s, CODE_BEGIN, PS_EV_ENTER, s->reader->program, 1);
        s->begun = 1;
        while (!s->ended && out->n + 2 <= PS_BATCH_EVENTS) { /* a step makes two events at most */
                if (s->next == dvm->calls.n)
                        finish_stream(s);
                else if (s->n_open > dvm->calls.row[s->next].depth)
                        leave_call(s);
                else
                        enter_call(s);
        }
        return PS_OK;
}

static int dvm_probe(const char *path, const uint8_t *head, size_t len)
{
        (void)path;
        return ps_dvm_probe(head, len);
}

const ps_reader_class ps_dvm_reader = {
        .name = "dvm",
        .summary = "Lib-DVM, the run-time system of DVM programs (text, gzip)",
        .instead = "it holds one processor; \"patscan predict\" tells how it would run on many",
        .probe = dvm_probe,
        .open = dvm_open,
        .close = dvm_close,
        .weight = dvm_weight,
        .stream_open = dvm_stream_open,
        .stream_next = dvm_stream_next,
        .stream_close = dvm_stream_close,
        .stream_file = dvm_stream_file};
