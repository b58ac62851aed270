/* read.c - from lines to calls: which lines belong to which half of which call.
 *
 * The half at hand is finished by the next line that frames a call: only then is it known to be complete. A
 * trace that breaks off thus loses what was not finished, and nothing else. */
#include "reader/dvm/dvm.h"

#include "core/base/map.h"
#include "reader/dvm/build.h"
#include "reader/dvm/chars.h"
#include "reader/dvm/header.h"
#include "reader/dvm/lines.h"

#include <stdlib.h>
#include <string.h>

/* A call that was entered and not left. */
struct frame {
        uint32_t call;
        uint8_t broken; /* its parameters are wrong: nothing but its time is kept */
};

enum half { HALF_NONE, HALF_CALL, HALF_RET };

struct reading {
        ps_dvm_build b;
        ps_dvm_lines lines;
        ps_dvm_words functions;
        ps_dvm_handlers handlers[PS_DVM_COUNT];
        ps_str name[PS_DVM_COUNT]; /* of functions, once met; else 0 */
        struct frame frame[PS_DVM_DEPTH_MAX];
        unsigned depth;
        enum half half; /* of the innermost frame, that is being read */
        bool free_text; /* the present half is text that may look like anything */
        bool tolerant, exited;
        ps_time total;
};

static const struct frame *top(const struct reading *r)
{
        return &r->frame[r->depth - 1];
}

static ps_dvm_call *call_of(const struct reading *r, const struct frame *f)
{
        return &r->b.dvm->calls.row[f->call];
}

static ps_place place_in_trace(const struct reading *r, uint64_t line)
{
        return (ps_place){PS_NONE, r->b.dvm->path, line, INT64_MIN};
}

/* -- halves -- */

static void demote(ps_dvm_call *call)
{
        call->cls = PS_DVM_C_ORDINARY;
        call->form = PS_DVM_F_NONE;
        call->object = call->other = PS_NONE;
        call->value = 0;
        call->of.any = NULL;
}

static ps_status run_handler(struct reading *r, ps_dvm_handler handler)
{
        struct frame *f = &r->frame[r->depth - 1];
        if (!handler || f->broken)
                return PS_OK;
        ps_dvm_call call = *call_of(r, f); /* handlers may move the table */
        r->b.call = f->call;
        handler(&r->b, &call);
        if (r->b.status == PS_E_INPUT && r->tolerant) {
                ps_issue_note(&r->b.dvm->issues, PS_I_CALL_INVALID, place_in_trace(r, call.at));
                r->b.status = PS_OK;
                f->broken = 1;
                demote(&call);
        }
        *call_of(r, f) = call;
        return r->b.status;
}

static ps_status finish_half(struct reading *r)
{
        if (r->half == HALF_NONE)
                return PS_OK;
        const ps_dvm_handlers *h = &r->handlers[call_of(r, top(r))->function];
        ps_status status = run_handler(r, r->half == HALF_CALL ? h->begin : h->end);
        if (r->half == HALF_RET)
                r->depth--;
        r->half = HALF_NONE;
        r->free_text = 0;
        ps_dvm_values_clear(&r->b.values);
        return status;
}

/* -- lines that frame calls -- */

static ps_status fail_header(const struct reading *r, const char *what, const char *function, int len)
{
        return PS_FAIL(r->b.err, PS_E_INPUT, "%s: line=%llu, function=%.*s", what,
                       (unsigned long long)r->lines.number, len < 64 ? len : 64, function);
}

/* Times are at least 0, and their sum is a time. */
static ps_time take_time(struct reading *r, ps_time time)
{
        ps_issue_kind kind = time < 0 ? PS_I_TIME_BACKWARD : PS_I_TIME_RANGE;
        ps_time room = PS_READER_TIME_LIMIT - r->total, taken = time < 0 ? 0 : time < room ? time : room;
        if (taken != time)
                ps_issue_note(&r->b.dvm->issues, kind, place_in_trace(r, r->lines.number));
        r->total += taken;
        return taken;
}

/* Consecutive calls mostly stand in the same file. */
static ps_status take_file(struct reading *r, const ps_dvm_header *h, ps_str *out)
{
        ps_dvm *dvm = r->b.dvm;
        if (dvm->calls.n) {
                ps_str last = dvm->calls.row[dvm->calls.n - 1].file;
                const char *text = ps_dvm_str(dvm, last);
                if (strncmp(text, h->file, h->file_len) == 0 && text[h->file_len] == '\0') {
                        *out = last;
                        return PS_OK;
                }
        }
        *out = ps_strings_add(dvm->strings, h->file, h->file_len);
        return *out == PS_NONE ? PS_NOMEM(r->b.err, "file names", 1) : PS_OK;
}

static ps_status take_name(struct reading *r, const ps_dvm_header *h, ps_dvm_call *call)
{
        uint16_t found = ps_dvm_words_find(&r->functions, h->name, h->name_len);
        call->function = (uint8_t)(found == PS_DVM_WORD_NONE ? PS_DVM_UNKNOWN : found);
        call->name = r->name[call->function];
        if (call->name)
                return PS_OK;
        call->name = ps_strings_add(r->b.dvm->strings, h->name, h->name_len);
        if (call->name == PS_NONE)
                return PS_NOMEM(r->b.err, "function names", 1);
        if (call->function != PS_DVM_UNKNOWN)
                r->name[call->function] = call->name;
        return PS_OK;
}

static ps_status enter_call(struct reading *r, const ps_dvm_header *h)
{
        ps_dvm_call call = {.line = h->line,
                            .at = r->lines.number,
                            .depth = (uint8_t)r->depth,
                            .object = PS_NONE,
                            .other = PS_NONE};
        if (r->depth == PS_DVM_DEPTH_MAX)
                return fail_header(r, "calls are nested too deep", h->name, (int)h->name_len);
        PS_TRY(take_name(r, h, &call));
        PS_TRY(take_file(r, h, &call.file));
        const ps_dvm_info *info = &ps_dvm_infos[call.function];
        call.cls = info->cls == PS_DVM_C_UNSUPPORTED ? PS_DVM_C_ORDINARY : info->cls;
        call.form = info->form;
        call.call_time = take_time(r, h->time);
        r->frame[r->depth] = (struct frame){.call = PS_DVM_PUSH(&r->b, r->b.dvm->calls, call)};
        if (r->b.status != PS_OK)
                return r->b.status;
        r->depth++;
        r->half = HALF_CALL;
        return PS_OK;
}

static bool is_of(const struct reading *r, const ps_dvm_header *h)
{
        const char *name = r->depth ? ps_dvm_str(r->b.dvm, call_of(r, top(r))->name) : "";
        return strncmp(name, h->name, h->name_len) == 0 && name[h->name_len] == '\0';
}

static ps_status leave_call(struct reading *r, const ps_dvm_header *h)
{
        if (!r->depth || !is_of(r, h))
                return fail_header(r, "a call is left that is not the last one entered", h->name,
                                   (int)h->name_len);
        call_of(r, top(r))->ret_time = take_time(r, h->time);
        r->half = HALF_RET;
        return PS_OK;
}

static ps_status leave_program(struct reading *r, const ps_dvm_header *h)
{
        ps_dvm *dvm = r->b.dvm;
        if (r->depth) {
                const char *name = ps_dvm_str(dvm, call_of(r, top(r))->name);
                return fail_header(r, "the program ends in a call", name, (int)strlen(name));
        }
        dvm->exit_line = h->line;
        dvm->exit_time = take_time(r, h->time);
        r->exited = 1;
        return take_file(r, h, &dvm->exit_file);
}

static ps_status take_header(struct reading *r, const ps_dvm_header *h)
{
        if (h->wrong)
                return PS_FAIL(r->b.err, PS_E_INPUT,
                               "a field is missing or is not a number: line=%llu, function=%.*s, field=%s",
                               (unsigned long long)r->lines.number, h->name_len < 64 ? (int)h->name_len : 64,
                               h->name, h->wrong);
        ps_status status = finish_half(r);
        r->b.at = r->lines.number;
        if (status != PS_OK)
                return status;
        switch (h->kind) {
        case PS_DVM_H_CALL:
                return enter_call(r, h);
        case PS_DVM_H_RET:
                return leave_call(r, h);
        default:
                return leave_program(r, h);
        }
}

/* -- other lines -- */

static ps_status take_line(struct reading *r)
{
        const char *at = ps_dvm_skip_blanks(r->lines.at, r->lines.end), *end = r->lines.end;
        ps_dvm_header h;
        bool is_header =
                at < end && (*at == 'c' || *at == 'r' || *at == 'E') && ps_dvm_header_scan(&h, at, end);
        if (r->lines.unended && !(is_header && h.kind == PS_DVM_H_EXIT && !h.wrong))
                return PS_OK; /* nobody knows what is missing */
        if (is_header &&
            (!r->free_text || h.kind == PS_DVM_H_EXIT || (h.kind == PS_DVM_H_RET && is_of(r, &h))))
                return take_header(r, &h);
        if (r->half == HALF_NONE || r->free_text || at == end)
                return PS_OK;
        if (PS_DVM_BEGINS(at, end, "Format=")) {
                r->free_text = r->half == HALF_CALL;
                return PS_OK;
        }
        const ps_dvm_handlers *wants = &r->handlers[call_of(r, top(r))->function];
        return wants->begin || wants->end ? ps_dvm_values_add(&r->b.values, at, end, r->b.err) : PS_OK;
}

/* -- the preamble: what the run was like, up to the end of dvm_Init -- */

/* The number at *at, which moves behind it; 0 when there is none. */
static int64_t take_number(const char **at, const char *end)
{
        int64_t n = 0;
        const char *p = ps_dvm_skip_blanks(*at, end);
        for (; p < end && *p >= '0' && *p <= '9' && n < INT32_MAX; p++)
                n = 10 * n + (*p - '0');
        *at = p;
        return n;
}

static ps_status take_sizes(struct reading *r, const char *at, const char *end)
{
        int64_t size[PS_DVM_RANK_MAX];
        uint32_t n = 0;
        while (n < PS_DVM_RANK_MAX && (size[n] = take_number(&at, end)) > 0)
                n++;
        r->b.dvm->virtual_size = ps_dvm_keep(&r->b, size, n * sizeof(size[0]));
        r->b.dvm->virtual_rank = r->b.dvm->virtual_size ? n : 0;
        return r->b.status;
}

static ps_status take_preamble_line(struct reading *r)
{
        static const char version[] = "RTS VERSION =", sizes[] = "VPSSize=";
        const char *at = ps_dvm_skip_blanks(r->lines.at, r->lines.end), *end = r->lines.end, *p = at;
        if (PS_DVM_BEGINS(at, end, version)) {
                p += sizeof(version) - 1;
                r->b.dvm->rts_version = take_number(&p, end);
                return PS_OK;
        }
        for (; (p = memchr(p, sizes[0], (size_t)(end - p))); p++)
                if (PS_DVM_BEGINS(p, end, sizes))
                        return take_sizes(r, p + sizeof(sizes) - 1, end);
        return ps_dvm_values_add(&r->b.values, at, end, r->b.err);
}

static ps_status read_preamble(struct reading *r)
{
        static const char init[] = "dvm_Init";
        int got;
        while ((got = ps_dvm_lines_next(&r->lines, r->b.err)) > 0) {
                ps_dvm_header h;
                if (ps_dvm_header_scan(&h, r->lines.at, r->lines.end) && h.kind == PS_DVM_H_RET &&
                    h.name_len == sizeof(init) - 1 && memcmp(h.name, init, sizeof(init) - 1) == 0)
                        break;
                PS_TRY(take_preamble_line(r));
        }
        if (got < 0)
                return (ps_status)got;
        if (got == 0)
                return PS_FAIL(r->b.err, PS_E_INPUT,
                               "the trace has no call of dvm_Init that can be used: lines=%llu",
                               (unsigned long long)r->lines.number);
        int64_t n = ps_dvm_value_of(&r->b.values, PS_DVM_K_PROC_COUNT);
        r->b.dvm->n_processors = n > 0 ? n : 1;
        ps_dvm_values_clear(&r->b.values);
        return PS_OK;
}

/* -- the end -- */

/* Forgets calls that were not finished, and what they made. */
static void trim(ps_dvm *dvm, uint32_t n_calls)
{
        dvm->calls.n = n_calls;
#define TRIM(table)                                                                                          \
        while (dvm->table.n && dvm->table.row[dvm->table.n - 1].made >= n_calls)                             \
        dvm->table.n--
        TRIM(ams);
        TRIM(pss);
        TRIM(views);
        TRIM(arrays);
        TRIM(loops);
        TRIM(reds);
        TRIM(red_groups);
        TRIM(shadow_groups);
        TRIM(buffers);
#undef TRIM
}

static ps_status count_stranger(struct reading *r, ps_map *rows, const ps_dvm_call *call)
{
        ps_dvm *dvm = r->b.dvm;
        ps_issue_kind kind = call->function == PS_DVM_UNKNOWN ? PS_I_CALL_UNKNOWN : PS_I_CALL_UNSUPPORTED;
        ps_time *row = ps_map_at(rows, call->name, 0, dvm->strangers.n);
        if (!row)
                return PS_NOMEM(r->b.err, "function names", dvm->strangers.n);
        if (*row == dvm->strangers.n)
                PS_DVM_PUSH(&r->b, dvm->strangers,
                            (ps_dvm_stranger){call->name, kind == PS_I_CALL_UNSUPPORTED, 0, call->at});
        if (r->b.status != PS_OK)
                return r->b.status;
        dvm->strangers.row[*row].count++;
        ps_issue_note(&dvm->issues, kind, place_in_trace(r, call->at));
        return PS_OK;
}

static ps_status count_calls(struct reading *r)
{
        ps_dvm *dvm = r->b.dvm;
        ps_map rows = {0};
        ps_status status = PS_OK;
        for (uint32_t i = 0; i < dvm->calls.n && status == PS_OK; i++) {
                const ps_dvm_call *call = &dvm->calls.row[i];
                const ps_dvm_info *info = &ps_dvm_infos[call->function];
                if (call->function == PS_DVM_UNKNOWN || info->cls == PS_DVM_C_UNSUPPORTED)
                        status = count_stranger(r, &rows, call);
                if (call->form == PS_DVM_F_INTERVAL && ps_dvm_begins_interval(call->function))
                        dvm->intervals.row[call->object].count++;
        }
        while (dvm->intervals.row[dvm->intervals.n - 1].count == 0) /* begun by a call that was forgotten */
                dvm->intervals.n--;
        ps_map_free(&rows);
        return status;
}

static ps_status finish_reading(struct reading *r)
{
        ps_dvm *dvm = r->b.dvm;
        dvm->n_lines = r->lines.number;
        if (!r->exited) {
                dvm->truncated = 1;
                ps_issue_note(&dvm->issues, r->lines.corrupt ? PS_I_FILE_CORRUPT : PS_I_FILE_TRUNCATED,
                              place_in_trace(r, r->lines.number));
                trim(dvm, r->depth ? r->frame[0].call : dvm->calls.n);
        } else if (r->b.interval != 0) {
                ps_issue_note_many(&dvm->issues, PS_I_NEST_OPEN, dvm->intervals.row[r->b.interval].level,
                                   place_in_trace(r, r->lines.number));
        }
        return count_calls(r);
}

static ps_status start_reading(struct reading *r, const char *path)
{
        static const ps_dvm_handlers *const sets[] = {ps_dvm_handlers_objects, ps_dvm_handlers_layout,
                                                      ps_dvm_handlers_exchange, ps_dvm_handlers_control};
        ps_dvm *dvm = r->b.dvm;
        ps_dvm_values_init(&r->b.values);
        for (unsigned i = 0; i < PS_DVM_UNKNOWN; i++)
                ps_dvm_words_add(&r->functions, ps_dvm_infos[i].name, (uint16_t)i);
        for (unsigned set = 0; set < sizeof(sets) / sizeof(sets[0]); set++)
                for (unsigned i = 0; i < PS_DVM_COUNT; i++)
                        if (sets[set][i].begin || sets[set][i].end)
                                r->handlers[i] = sets[set][i];
        dvm->arena = ps_arena_new();
        dvm->strings = dvm->arena ? ps_strings_new(dvm->arena) : NULL;
        dvm->path = dvm->strings ? ps_strings_addz(dvm->strings, path) : PS_NONE;
        if (dvm->path == PS_NONE)
                return PS_NOMEM(r->b.err, "trace", 1);
        PS_DVM_PUSH(&r->b, dvm->intervals,
                    (ps_dvm_interval){.parent = PS_NONE, .expr = PS_DVM_NO_EXPR, .count = 1});
        return r->b.status != PS_OK ? r->b.status : ps_dvm_lines_open(&r->lines, path, r->b.err);
}

static ps_status read_calls(struct reading *r)
{
        int got = 1;
        ps_status status = PS_OK;
        while (status == PS_OK && !r->exited && (got = ps_dvm_lines_next(&r->lines, r->b.err)) > 0)
                status = take_line(r);
        return got < 0 ? (ps_status)got : status;
}

static ps_status read_trace(ps_dvm **out, const char *path, int tolerant, ps_error *err)
{
        struct reading *r = calloc(1, sizeof(*r));
        *out = NULL;
        if (!r || !(r->b.dvm = calloc(1, sizeof(*r->b.dvm)))) {
                free(r);
                return PS_NOMEM(err, "trace", 1);
        }
        r->tolerant = tolerant;
        r->b.err = err;
        r->b.ids = PS_IDS_EMPTY;
        ps_status status = start_reading(r, path);
        PS_THEN(status, read_preamble(r));
        PS_THEN(status, read_calls(r));
        PS_THEN(status, finish_reading(r));
        if (status == PS_OK)
                *out = r->b.dvm;
        else
                ps_dvm_free(r->b.dvm);
        ps_dvm_lines_close(&r->lines);
        ps_dvm_values_free(&r->b.values);
        ps_ids_free(&r->b.ids);
        free(r->b.sides.row);
        free(r->b.flags.row);
        ps_lookup_free(&r->b.interval_of);
        free(r);
        return status != PS_OK ? PS_CAUSE(err, status, "cannot read the DVM trace: path=\"%s\"", path)
                               : PS_OK;
}

ps_status ps_dvm_read(ps_dvm **out, const char *path, ps_error *err)
{
        return read_trace(out, path, 0, err);
}

ps_status ps_dvm_read_tolerant(ps_dvm **out, const char *path, ps_error *err)
{
        return read_trace(out, path, 1, err);
}
