/* gasp.c - the reader of gasp-dump text traces: see gasp.h for the format, reader.h for the contract.
 *
 * open() reads all lines once, for names, for the first barrier and for nothing else; the streams read them
 * again. After open() the reader never changes. */
#include "reader/gasp/gasp.h"

#include "core/base/file.h"
#include "core/base/map.h"
#include "core/exchange/tell.h"
#include "core/model/kinds.h"
#include "reader/gasp/files.h"

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_EVENTS = 4 };

struct ps_reader {
        const ps_defs *defs;
        ps_gasp_files files; /* by location */
        bool aligned;
        bool is_told;   /* by another process what is in the files */
        ps_map regions; /* (name, 0) to region */
};

struct ps_stream {
        const ps_reader *reader;
        const ps_gasp_file *of;
        FILE *file;
        ps_loc location;
        uint64_t offset; /* of the line at hand */
        ps_time last;
        char line[PS_GASP_LINE_BYTES];
};

/* -- definitions -- */

static bool is_text(ps_gasp_text text, const char *other)
{
        return text.n == strlen(other) && memcmp(text.at, other, text.n) == 0;
}

/* The name of the region of an event: a function's own, the call's in small letters. */
static ps_gasp_text region_name(const ps_gasp_line *line, char room[PS_GASP_LINE_BYTES])
{
        if (is_text(line->tag, "C_FUNC"))
                return line->arguments;
        bool is_call = line->tag.n > 4 &&
                       (memcmp(line->tag.at, "UPC_", 4) == 0 || memcmp(line->tag.at, "BUPC", 4) == 0);
        for (size_t i = 0; i < line->tag.n; i++)
                room[i] = is_call ? (char)tolower((unsigned char)line->tag.at[i]) : line->tag.at[i];
        return (ps_gasp_text){room, line->tag.n};
}

static ps_status add_region(ps_reader *r, const ps_gasp_line *line, ps_defs *defs, ps_error *err)
{
        char room[PS_GASP_LINE_BYTES];
        ps_gasp_text text = region_name(line, room);
        ps_region_def def = {.name = ps_strings_add(defs->strings, text.at, text.n),
                             .paradigm = PS_PARADIGM_USER,
                             .role = PS_ROLE_FUNCTION};
        ps_str file = ps_strings_add(defs->strings, line->file.at, line->file.n);
        ps_time *region = def.name == PS_NONE ? NULL : ps_map_at(&r->regions, def.name, 0, -1);
        if (!region || file == PS_NONE)
                return PS_NOMEM(err, "names", defs->regions.n);
        if (is_text(line->tag, "C_FUNC") && line->line) {
                def.file = file;
                def.line = line->line;
        }
        if (*region >= 0)
                return PS_OK;
        *region = defs->regions.n;
        return ps_defs_add_region(defs, &def, NULL, err);
}

static bool leaves_barrier(const ps_gasp_line *line)
{
        return line->type == PS_GASP_END &&
               (is_text(line->tag, "UPC_WAIT") || is_text(line->tag, "UPC_BARRIER"));
}

static ps_status scan_file(ps_reader *r, ps_gasp_file *f, ps_defs *defs, ps_error *err)
{
        char text[PS_GASP_LINE_BYTES];
        size_t n;
        uint64_t read, number = 0;
        ps_gasp_line line;
        ps_status status = PS_OK;
        FILE *file = ps_file_open(f->path);
        if (!file)
                return ps_file_unopened("trace", f->path, err);
        while (status == PS_OK && ps_gasp_next_line(file, text, &n, &read)) {
                const char *wrong = ps_gasp_line_parse(&line, text, n);
                number++;
                if (!wrong && (line.thread != f->thread || line.threads != r->files.n_threads))
                        status =
                                PS_FAIL(err, PS_E_INPUT,
                                        "a line belongs to another thread: path=\"%s\", line=%llu, thread=%u",
                                        f->path, (unsigned long long)number, line.thread);
                if (wrong || status != PS_OK)
                        continue;
                if (leaves_barrier(&line) && f->barrier == PS_GASP_NO_BARRIER)
                        f->barrier = line.time;
                status = add_region(r, &line, defs, err);
        }
        fclose(file);
        return status;
}

static ps_status add_threads(ps_reader *r, ps_defs *defs, ps_error *err)
{
        char name[32];
        uint32_t *members = PS_ARENA_NEW(defs->arena, uint32_t, r->files.n_threads);
        if (!members)
                return PS_NOMEM(err, "threads", r->files.n_threads);
        for (uint32_t i = 0; i < r->files.n_threads; i++) {
                snprintf(name, sizeof(name), "UPC thread %u", i);
                ps_process_def process = {.name = ps_strings_addz(defs->strings, name)};
                members[i] = i;
                PS_TRY(process.name == PS_NONE ? PS_NOMEM(err, "threads", i)
                                               : ps_defs_add_process(defs, &process, NULL, err));
        }
        for (uint32_t i = 0; i < r->files.n; i++) {
                ps_location_def location = {.name = r->files.file[i].name,
                                            .process = r->files.file[i].thread,
                                            .native = r->files.file[i].thread,
                                            .n_events = UINT64_MAX};
                PS_TRY(ps_defs_add_location(defs, &location, NULL, err));
        }
        ps_comm_def comm = {.name = ps_strings_addz(defs->strings, "UPC_TEAM_ALL"),
                            .parent = PS_NONE,
                            .n_members = r->files.n_threads,
                            .members = members,
                            .pgas = 1};
        ps_window_def window = {.name = ps_strings_addz(defs->strings, "UPC shared heap")};
        PS_TRY(ps_defs_add_comm(defs, &comm, &window.comm, err));
        return ps_defs_add_window(defs, &window, NULL, err);
}

/* Threads start at times of their own; the first barrier is left by all at once. */
static void align_clocks(ps_reader *r, ps_defs *defs)
{
        r->aligned = 1;
        for (uint32_t i = 0; i < r->files.n; i++)
                r->aligned &= r->files.file[i].barrier != PS_GASP_NO_BARRIER;
        defs->clock_per_process = !r->aligned && r->files.n > 1;
}

/* What is known before any line is read a second time. */
static ps_status scan_files(ps_reader *r, const char *path, ps_defs *defs, ps_issues *issues, ps_error *err)
{
        PS_TRY(ps_gasp_files_find(&r->files, path, defs, issues, err));
        for (uint32_t i = 0; i < r->files.n; i++)
                PS_TRY(scan_file(r, &r->files.file[i], defs, err));
        return PS_OK;
}

/* What follows from it. */
static ps_status define_trace(ps_reader *r, ps_defs *defs, ps_error *err)
{
        static const char *const codes[] = {"START", "END", "ATOMIC"};
        PS_TRY(add_threads(r, defs, err));
        for (int i = 0; i < 3; i++)
                PS_TRY(ps_defs_add_code(defs, codes[i], NULL, err));
        defs->creator = ps_strings_addz(defs->strings, "gasp-dump");
        defs->resolution_hz = 1000000;
        align_clocks(r, defs);
        return defs->creator != PS_NONE ? PS_OK : PS_NOMEM(err, "strings", 1);
}

static void gasp_close(ps_reader *r)
{
        if (!r)
                return;
        ps_gasp_files_free(&r->files);
        ps_map_free(&r->regions);
        free(r);
}

static ps_status gasp_open(ps_reader **out, const char *path, ps_defs *defs, ps_issues *issues, ps_error *err)
{
        ps_reader *r = calloc(1, sizeof(*r));
        *out = NULL;
        if (!r)
                return PS_NOMEM(err, "reader", 1);
        r->defs = defs;
        ps_status status = scan_files(r, path, defs, issues, err);
        PS_THEN(status, define_trace(r, defs, err));
        if (status != PS_OK)
                gasp_close(r);
        else
                *out = r;
        return status;
}

/* -- by several processes -- */

static ps_status find_regions(ps_reader *r, const ps_defs *defs, ps_error *err)
{
        for (ps_region i = 0; i < defs->regions.n; i++)
                if (!ps_map_at(&r->regions, defs->regions.row[i].name, 0, i))
                        return PS_NOMEM(err, "names", defs->regions.n);
        return PS_OK;
}

struct scanned {
        ps_reader *reader;
        ps_defs *defs;
};

static ps_status pass_scanned(ps_pass *p, void *what)
{
        const struct scanned *s = what;
        PS_TRY(ps_pass_strings(p, s->defs->strings));
        PS_TRY(ps_pass_whole(p, &s->defs->regions.row, &s->defs->regions.n, &s->defs->regions.cap,
                             sizeof(*s->defs->regions.row)));
        PS_TRY(ps_gasp_files_pass(p, &s->reader->files, s->defs));
        return p->way == PS_PASS_TAKE ? find_regions(s->reader, s->defs, p->err) : PS_OK;
}

static ps_status open_together(ps_reader *r, const char *path, ps_exchange *x, ps_defs *defs,
                               ps_issues *issues, ps_error *err)
{
        struct scanned scanned = {r, defs};
        PS_TRY(ps_exchange_agree(x, x->rank ? PS_OK : scan_files(r, path, defs, issues, err), err));
        PS_TRY(ps_exchange_tell(x, pass_scanned, &scanned, err));
        return ps_exchange_agree(x, define_trace(r, defs, err), err);
}

/* All lines are read for names: by process 0, and by nobody again. */
static ps_status gasp_open_together(ps_reader **out, const char *path, ps_exchange *x, ps_defs *defs,
                                    ps_issues *issues, ps_error *err)
{
        ps_reader *r = calloc(1, sizeof(*r));
        ps_status status = ps_exchange_agree(x, r ? PS_OK : PS_NOMEM(err, "reader", 1), err);
        *out = NULL;
        assert(r || status != PS_OK);
        if (r)
                *r = (ps_reader){.defs = defs, .is_told = x->rank != 0};
        PS_THEN(status, open_together(r, path, x, defs, issues, err));
        if (status != PS_OK)
                gasp_close(r);
        else
                *out = r;
        return status;
}

/* -- streams -- */

/* What a call's arguments are: which is a pointer to the thread that it is about, which the size. */
static const struct argument_places {
        const char *tag;
        uint8_t kind; /* of the record that tells it */
        uint8_t thread, bytes;
        uint8_t at_end; /* the record stands at the end, where the handle behind the size is known */
} places[] = {
        {"UPC_ALL_BROADCAST", PS_EV_RMA_COLL_END, 1, 2, 1},
        {"UPC_ALL_SCATTER", PS_EV_RMA_COLL_END, 1, 2, 1},
        {"UPC_ALL_GATHER", PS_EV_RMA_COLL_END, 0, 2, 1},
        {"UPC_ALL_GATHER_ALL", PS_EV_RMA_COLL_END, UINT8_MAX, 2, 1},
        {"UPC_ALL_EXCHANGE", PS_EV_RMA_COLL_END, UINT8_MAX, 2, 1},
        {"UPC_ALL_PERMUTE", PS_EV_RMA_COLL_END, UINT8_MAX, 3, 1},
        {"UPC_ALL_REDUCE", PS_EV_RMA_COLL_END, 0, UINT8_MAX, 1},
        {"UPC_MEMPUT", PS_EV_RMA_PUT, 0, 2, 0},
        {"UPC_MEMCPY", PS_EV_RMA_PUT, 0, 2, 0},
        {"UPC_MEMSET", PS_EV_RMA_PUT, 0, 2, 0},
        {"UPC_MEMGET", PS_EV_RMA_GET, 1, 2, 0},
        {"UPC_PUT", PS_EV_RMA_PUT, 1, 3, 0},
        {"UPC_GET", PS_EV_RMA_GET, 2, 3, 0},
        {"UPC_NB_PUT_INIT", PS_EV_RMA_PUT, 1, 3, 1},
        {"UPC_NB_GET_INIT", PS_EV_RMA_GET, 2, 3, 1},
        {"BUPC_NB_MEMPUT_INIT", PS_EV_RMA_PUT, 0, 2, 1},
        {"BUPC_NB_MEMCPY_INIT", PS_EV_RMA_PUT, 0, 2, 1},
        {"BUPC_NB_MEMGET_INIT", PS_EV_RMA_GET, 1, 2, 1},
        {"UPC_LOCK", PS_EV_RMA_LOCK_REQUEST, 0, UINT8_MAX, 0},
        {"UPC_LOCK_ATTEMPT", PS_EV_RMA_LOCK_ACQUIRE, 0, UINT8_MAX, 1},
        {"UPC_UNLOCK", PS_EV_RMA_LOCK_RELEASE, 0, UINT8_MAX, 0},
        {"UPC_NB_SYNC", PS_EV_RMA_DONE_LOCAL, UINT8_MAX, UINT8_MAX, 0},
};

static ps_event *add_event(const ps_stream *s, ps_batch *out, ps_event_kind kind, ps_gasp_type type)
{
        ps_event *e = &out->event[out->n++];
        *e = (ps_event){.time = s->last,
                        .kind = (uint8_t)kind,
                        .code = (uint16_t)type,
                        .ref = PS_NONE,
                        .peer = PS_NONE,
                        .comm = PS_NONE,
                        .offset = s->offset};
        return e;
}

static uint8_t collective_of(const ps_defs *defs, ps_region region)
{
        uint8_t kind = region < defs->regions.n ? defs->regions.row[region].kind : PS_K_NONE;
        return kind < PS_K_COUNT && ps_kinds[kind].cls == PS_C_COLL ? kind : PS_K_COLLECTIVE;
}

/* The record that the arguments make; the window is the only one. */
static void add_record(const ps_stream *s, const ps_gasp_line *line, ps_region region, ps_batch *out)
{
        size_t i = 0, n = sizeof(places) / sizeof(places[0]);
        while (i < n && !is_text(line->tag, places[i].tag))
                i++;
        if (i < n && places[i].kind == PS_EV_RMA_COLL_END && line->type != PS_GASP_END)
                add_event(s, out, PS_EV_RMA_COLL_BEGIN, line->type);
        if (i == n || (places[i].at_end && line->type == PS_GASP_START) ||
            (!places[i].at_end && line->type == PS_GASP_END))
                return;
        ps_event *e = add_event(s, out, (ps_event_kind)places[i].kind, line->type);
        ps_gasp_text first = ps_gasp_argument(line, 0);
        e->ref = 0;
        e->op = e->kind == PS_EV_RMA_COLL_END ? collective_of(s->reader->defs, region) : 0;
        if (places[i].thread != UINT8_MAX)
                e->peer = ps_gasp_thread(line, ps_gasp_argument(line, places[i].thread));
        if (places[i].bytes != UINT8_MAX)
                e->bytes = ps_gasp_number(ps_gasp_argument(line, places[i].bytes));
        if (e->kind == PS_EV_RMA_PUT || e->kind == PS_EV_RMA_GET)
                e->request = places[i].at_end ? ps_gasp_id(ps_gasp_argument(line, places[i].bytes + 1U))
                                              : s->offset;
        else
                e->request = ps_gasp_id(first);
        if (is_text(line->tag, "UPC_LOCK_ATTEMPT") && !ps_gasp_number(ps_gasp_argument(line, 1)))
                e->kind = PS_EV_RMA_LOCK_TRY;
}

static void add_enter(const ps_stream *s, const ps_gasp_line *line, ps_region region, ps_batch *out)
{
        ps_event *e = add_event(s, out, PS_EV_ENTER, line->type);
        char text[PS_GASP_LINE_BYTES];
        memcpy(text, line->arguments.at, line->arguments.n);
        text[line->arguments.n] = '\0';
        e->ref = region;
        e->tag = ps_sync_parse(text);
        ps_str file = is_text(line->tag, "C_FUNC") /* that is where it is defined */
                              ? PS_NONE
                              : ps_strings_find(s->reader->defs->strings, line->file.at, line->file.n);
        e->site_line = file == PS_NONE ? 0 : line->line;
        e->site_file = e->site_line ? file : 0;
}

static void add_line(const ps_stream *s, const ps_gasp_line *line, ps_batch *out)
{
        char room[PS_GASP_LINE_BYTES];
        if (is_text(line->tag, "CONTROL")) {
                add_event(s, out, PS_EV_MEASUREMENT, line->type)->op =
                        line->arguments.n > 0 && line->arguments.at[0] != '0';
                return;
        }
        if (is_text(line->tag, "INIT") || is_text(line->tag, "CREATE_EVENT")) {
                add_event(s, out, PS_EV_OTHER, line->type);
                return;
        }
        ps_gasp_text name = region_name(line, room);
        ps_str known = ps_strings_find(s->reader->defs->strings, name.at, name.n);
        ps_time found = known == PS_NONE ? -1 : ps_map_get(&s->reader->regions, known, 0, -1);
        ps_region region = found < 0 ? PS_NONE : (ps_region)found;
        if (line->type != PS_GASP_END)
                add_enter(s, line, region, out);
        add_record(s, line, region, out);
        if (line->type != PS_GASP_START)
                add_event(s, out, PS_EV_LEAVE, line->type)->ref = region;
}

/* The line's time among those of all threads, not before the one before it. */
static ps_time time_of_line(const ps_stream *s, const ps_gasp_line *line, ps_issues *issues)
{
        ps_place place = {s->location, s->of->name, s->offset, s->last};
        ps_time time = line->time - (s->reader->aligned ? s->of->barrier : 0);
        if (line->out_of_range)
                ps_issue_note(issues, PS_I_TIME_RANGE, place);
        if (time < s->last) {
                ps_issue_note(issues, PS_I_TIME_BACKWARD, place);
                time = s->last;
        }
        return time;
}

static ps_status gasp_stream_next(ps_stream *s, ps_batch *out, ps_issues *issues, ps_error *err)
{
        size_t n;
        uint64_t read;
        ps_gasp_line line;
        (void)err;
        out->location = s->location;
        out->n = 0;
        while (out->n <= PS_BATCH_EVENTS - MOST_EVENTS && ps_gasp_next_line(s->file, s->line, &n, &read)) {
                const char *wrong = ps_gasp_line_parse(&line, s->line, n);
                if (!wrong) {
                        s->last = time_of_line(s, &line, issues);
                        add_line(s, &line, out);
                } else if (!ps_gasp_line_is_chatter(s->line, n)) {
                        ps_issue_note(issues, PS_I_RECORD_UNKNOWN,
                                      (ps_place){s->location, s->of->name, s->offset, s->last});
                }
                s->offset += read;
        }
        return PS_OK;
}

static void gasp_stream_close(ps_stream *s)
{
        if (!s)
                return;
        if (s->file)
                fclose(s->file);
        free(s);
}

static ps_status gasp_stream_open(ps_stream **out, ps_reader *r, ps_loc location, ps_error *err)
{
        *out = NULL;
        ps_stream *s = calloc(1, sizeof(*s));
        if (!s)
                return PS_NOMEM(err, "stream", 1);
        *s = (ps_stream){.reader = r, .of = &r->files.file[location], .location = location};
        s->last = -PS_READER_TIME_LIMIT;
        s->file = ps_file_open(s->of->path);
        ps_status status = s->file ? PS_OK : ps_file_unopened("trace", s->of->path, err);
        if (r->is_told)
                PS_THEN(status, ps_gasp_file_check(s->of, s->file, err));
        if (status != PS_OK)
                gasp_stream_close(s);
        else
                *out = s;
        return status;
}

static ps_str gasp_stream_file(const ps_stream *s)
{
        return s->of->name;
}

static uint64_t gasp_weight(const ps_reader *r, ps_loc location)
{
        return r->files.file[location].size;
}

const ps_reader_class ps_gasp_reader = {.name = "gasp",
                                        .summary = "text traces of UPC by gasp-dump, a file a thread",
                                        .probe = ps_gasp_files_probe,
                                        .open = gasp_open,
                                        .open_together = gasp_open_together,
                                        .close = gasp_close,
                                        .weight = gasp_weight,
                                        .stream_open = gasp_stream_open,
                                        .stream_next = gasp_stream_next,
                                        .stream_close = gasp_stream_close,
                                        .stream_file = gasp_stream_file,
                                        .parts = ps_gasp_files_parts};
