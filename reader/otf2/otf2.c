/* otf2.c - the OTF2 reader as the rest of patscan sees it: see otf2.h for the format, reader.h for the
 * contract. After open() the reader never changes, so that streams of several threads share it. */
#include "reader/otf2/otf2.h"

#include "core/base/file.h"
#include "core/base/number.h"
#include "core/base/search.h"
#include "reader/otf2/events.h"
#include "reader/otf2/fold.h"
#include "reader/otf2/records.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

struct ps_reader {
        ps_otf2_archive archive;
        ps_otf2_names names;
        ps_otf2_scale scale;
        const ps_defs *defs;
        ps_str *events_name, *defs_name; /* of the files, by location */
        int most_files;                  /* that may be open at once, but for some that others need */
};

static int find_most_files(void)
{
        enum { FOR_OTHERS = 48, FEWEST = 8, MOST = 1 << 20 };
        struct rlimit limit;
        if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur > MOST)
                return MOST;
        return limit.rlim_cur > FOR_OTHERS + FEWEST ? (int)limit.rlim_cur - FOR_OTHERS : FEWEST;
}

static ps_status add_codes(ps_defs *defs, ps_error *err)
{
        for (unsigned i = 0; i < ps_otf2_n_records; i++)
                PS_TRY(ps_defs_add_code(defs, ps_otf2_records[i].name, NULL, err));
        return ps_defs_add_code(defs, "UNKNOWN", NULL, err);
}

static ps_status name_file(ps_reader *reader, ps_defs *defs, uint64_t location, const char *suffix,
                           ps_str *out, ps_error *err)
{
        char *name = ps_otf2_archive_file(&reader->archive, location, suffix, 0);
        *out = name ? ps_strings_addz(defs->strings, name) : PS_NONE;
        free(name);
        return *out == PS_NONE ? PS_NOMEM(err, "file names", 1) : PS_OK;
}

/* Streams must not add strings, so that all files that they may have to complain about get theirs here. */
static ps_status name_files(ps_reader *reader, ps_defs *defs, ps_error *err)
{
        uint32_t n = defs->locations.n;
        reader->events_name = malloc(n * sizeof(*reader->events_name));
        reader->defs_name = malloc(n * sizeof(*reader->defs_name));
        if (!reader->events_name || !reader->defs_name)
                return PS_NOMEM(err, "file names", n);
        for (ps_loc i = 0; i < n; i++) {
                uint64_t id = defs->locations.row[i].native;
                PS_TRY(name_file(reader, defs, id, "evt", &reader->events_name[i], err));
                PS_TRY(name_file(reader, defs, id, "def", &reader->defs_name[i], err));
        }
        return PS_OK;
}

static ps_status note_anchor(const ps_reader *reader, ps_defs *defs, ps_issues *issues, ps_error *err)
{
        ps_place place = PS_NOWHERE;
        const char *slash = strrchr(reader->archive.anchor, '/');
        if (reader->archive.damage == PS_I_COUNT)
                return PS_OK;
        place.file = ps_strings_addz(defs->strings, slash ? slash + 1 : reader->archive.anchor);
        if (place.file == PS_NONE)
                return PS_NOMEM(err, "file names", 1);
        ps_issue_note(issues, reader->archive.damage, place);
        return PS_OK;
}

static ps_loc find_location(const ps_defs *defs, uint64_t native)
{
        uint32_t low = 0; /* they were added in the order of their ids */
        PS_SEARCH(low, defs->locations.n, middle, defs->locations.row[middle].native < native);
        assert(low == 0 || low == defs->locations.n ||
               defs->locations.row[low - 1].native < defs->locations.row[low].native);
        return low < defs->locations.n && defs->locations.row[low].native == native ? low : PS_NONE;
}

/* Event files of locations that no definition names. The folder has no order: the smallest id is the first.
 */
static ps_status note_strangers(ps_reader *reader, ps_defs *defs, ps_issues *issues, ps_error *err)
{
        uint64_t n = 0, smallest = 0;
        DIR *dir = ps_folder_open(reader->archive.stem);
        for (struct dirent *e; dir && (e = readdir(dir));) {
                const char *end = e->d_name;
                uint64_t id;
                if (!ps_number_whole(&end, UINT64_MAX, &id) || strcmp(end, ".evt") != 0 ||
                    find_location(defs, id) != PS_NONE)
                        continue;
                smallest = n == 0 || id < smallest ? id : smallest;
                n++;
        }
        if (dir)
                closedir(dir);
        ps_place place = PS_NOWHERE;
        if (n == 0)
                return PS_OK;
        PS_TRY(name_file(reader, defs, smallest, "evt", &place.file, err));
        ps_issue_note_many(issues, PS_I_DEF_UNKNOWN, n, place);
        return PS_OK;
}

static ps_status read_local(const ps_reader *reader, ps_loc location, ps_otf2_local *out, ps_error *err)
{
        char *path = ps_otf2_archive_file(&reader->archive, reader->defs->locations.row[location].native,
                                          "def", 1);
        if (!path)
                return PS_NOMEM(err, "path", 1);
        ps_status status = ps_otf2_local_read(out, path, reader->archive.def_chunk, err);
        free(path);
        return status;
}

/* A path of NULL and a file of -1: there is none. */
static ps_status open_events(const ps_reader *reader, ps_loc location, char **path, int *fd, ps_error *err)
{
        *fd = -1;
        *path = ps_otf2_archive_file(&reader->archive, reader->defs->locations.row[location].native, "evt",
                                     1);
        if (!*path)
                return PS_NOMEM(err, "path", 1);
        *fd = ps_otf2_open(*path);
        ps_status status = *fd == -2 ? ps_file_unopened("events", *path, err) : PS_OK;
        if (*fd < 0) {
                free(*path);
                *path = NULL;
                *fd = -1;
        }
        return status;
}

/* The first timestamp of a location; 0 when there is none. */
static uint64_t first_ticks(int fd)
{
        uint8_t head[PS_OTF2_HEADER_BYTES + 9];
        ssize_t got = fd >= 0 ? read(fd, head, sizeof(head)) : 0;
        if (got != (ssize_t)sizeof(head) || head[PS_OTF2_HEADER_BYTES] != PS_OTF2_TIMESTAMP)
                return 0;
        ps_otf2_bytes b = {head + PS_OTF2_HEADER_BYTES + 1, head + sizeof(head),
                           head[1] == PS_OTF2_BIG_ENDIAN, 0};
        return ps_otf2_full64(&b);
}

/* When the archive does not say from when its times count, they count from the earliest: clocks that count
 * since 1970 would leave the range of picoseconds otherwise. Looks for clock offsets on the way, whose
 * presence means that the processes' clocks were compared. */
static ps_status find_zero(ps_reader *reader, ps_defs *defs, ps_error *err)
{
        uint64_t zero = UINT64_MAX;
        ps_status status = PS_OK;
        if (reader->names.zero != 0 && !defs->clock_per_process)
                return PS_OK;
        for (ps_loc i = 0; i < defs->locations.n && status == PS_OK; i++) {
                ps_otf2_local local = {0};
                int fd = -1;
                char *path = NULL;
                status = read_local(reader, i, &local, err);
                PS_THEN(status, open_events(reader, i, &path, &fd, err));
                uint64_t ticks = first_ticks(fd);
                if (ticks)
                        ticks = ps_otf2_local_time(&local, ticks);
                if (local.n_intervals)
                        defs->clock_per_process = 0;
                zero = ticks && ticks < zero ? ticks : zero;
                if (fd >= 0)
                        close(fd);
                free(path);
                ps_otf2_local_free(&local);
        }
        if (reader->names.zero == 0 && zero != UINT64_MAX)
                reader->names.zero = zero;
        return status;
}

static ps_status read_definitions(ps_reader *reader, ps_defs *defs, ps_issues *issues, ps_error *err)
{
        ps_otf2_defs raw;
        PS_TRY(ps_otf2_defs_read(&raw, &reader->archive, defs->strings, issues, err));
        ps_status status = ps_otf2_resolve(&reader->names, &raw, reader->archive.creator, defs, issues, err);
        ps_otf2_defs_free(&raw);
        if (status == PS_OK && defs->locations.n == 0)
                status = PS_FAIL(err, PS_E_INPUT, "the OTF2 archive defines no location: path=\"%s\"",
                                 reader->archive.anchor);
        return status;
}

/* "RANK", "RANK:RANK", "RANK!" or "RANK?", with spaces between: see record/finish/archive.h. Others ended
 * well. */
static void take_ends(const char *text, ps_defs *defs)
{
        for (uint32_t p = 0; text && p < defs->processes.n; p++)
                defs->processes.row[p].end = PS_END_REACHED;
        uint64_t rank, partner, most = defs->processes.n - 1;
        while (text && defs->processes.n && ps_number_whole(&text, most, &rank)) {
                ps_process_def *process = &defs->processes.row[rank];
                process->end = *text == '!' ? PS_END_ABORT : *text == '?' ? PS_END_UNTOLD : PS_END_CUT_OFF;
                text += process->end != PS_END_CUT_OFF;
                if (*text == ':' && text++ && ps_number_whole(&text, most, &partner))
                        process->awaits = (uint32_t)partner + 1;
                text += *text == ' ';
        }
}

static void otf2_close(ps_reader *reader)
{
        if (!reader)
                return;
        ps_otf2_archive_close(&reader->archive);
        ps_otf2_names_free(&reader->names);
        free(reader->events_name);
        free(reader->defs_name);
        free(reader);
}

static ps_status otf2_open(ps_reader **out, const char *path, ps_defs *defs, ps_issues *issues, ps_error *err)
{
        ps_reader *reader = calloc(1, sizeof(*reader));
        if (!reader)
                return PS_NOMEM(err, "reader", 1);
        reader->defs = defs;
        reader->most_files = find_most_files();
        ps_status status = ps_otf2_archive_open(&reader->archive, path, err);
        PS_THEN(status, note_anchor(reader, defs, issues, err));
        PS_THEN(status, read_definitions(reader, defs, issues, err));
        PS_THEN(status, add_codes(defs, err));
        if (status == PS_OK)
                take_ends(reader->archive.ends, defs);
        PS_THEN(status, name_files(reader, defs, err));
        PS_THEN(status, note_strangers(reader, defs, issues, err));
        PS_THEN(status, find_zero(reader, defs, err));
        if (status != PS_OK) {
                otf2_close(reader);
                return status;
        }
        reader->scale = ps_otf2_scale_make(defs->resolution_hz, reader->names.zero);
        *out = reader;
        return PS_OK;
}

static uint64_t otf2_weight(const ps_reader *reader, ps_loc location)
{
        struct stat st;
        char *path = ps_otf2_archive_file(&reader->archive, reader->defs->locations.row[location].native,
                                          "evt", 1);
        uint64_t size = path && stat(path, &st) == 0 && st.st_size > 0 ? (uint64_t)st.st_size : 0;
        free(path);
        return size;
}

static ps_str otf2_stream_file(const ps_stream *stream)
{
        return stream->file;
}

static void otf2_stream_close(ps_stream *stream)
{
        if (!stream)
                return;
        if (stream->fd >= 0)
                close(stream->fd);
        free(stream->path);
        free(stream->window);
        ps_otf2_cache_end(stream);
        ps_otf2_local_free(&stream->local);
        free(stream);
}

/* Of very many locations there is a window each, and little in it. */
static size_t room_for(int fd)
{
        struct stat st;
        return fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size < PS_OTF2_WINDOW_BYTES
                       ? (size_t)st.st_size + 1
                       : PS_OTF2_WINDOW_BYTES;
}

static ps_status otf2_stream_open(ps_stream **out, ps_reader *reader, ps_loc location, ps_error *err)
{
        ps_stream *s = calloc(1, sizeof(*s));
        if (!s)
                return PS_NOMEM(err, "stream", 1);
        s->names = &reader->names;
        s->defs = reader->defs;
        s->scale = reader->scale;
        s->location = location;
        s->file = reader->events_name[location];
        s->locals_file = reader->defs_name[location];
        s->chunk = reader->archive.event_chunk;
        s->until = UINT64_MAX;
        s->last = -PS_TIME_MAX;
        s->fd = -1;
        ps_otf2_cache_begin(s);
        ps_status status = read_local(reader, location, &s->local, err);
        PS_THEN(status, open_events(reader, location, &s->path, &s->fd, err));
        s->done = !s->path;
        s->most_files = reader->most_files;
        s->room = room_for(s->fd);
        if (s->path)
                ps_otf2_stream_rest(s);
        if (status == PS_OK && !s->done && !(s->window = malloc(s->room)))
                status = PS_NOMEM(err, "stream", s->room);
        if (status == PS_OK)
                *out = s;
        else
                otf2_stream_close(s);
        return status;
}

/* What is wrong with the location's files, told before its first event. */
static void note_files(const ps_stream *s, ps_issues *issues)
{
        uint64_t promised = s->defs->locations.row[s->location].n_events;
        ps_place events = {s->location, s->file, UINT64_MAX, INT64_MIN};
        ps_place locals = {s->location, s->locals_file, s->local.offset, INT64_MIN};
        if (!s->path) {
                if (promised != 0 && promised != UINT64_MAX)
                        ps_issue_note(issues, PS_I_FILE_MISSING, events);
                return;
        }
        if (!s->local.found)
                locals.offset = UINT64_MAX;
        if (!s->local.found)
                ps_issue_note(issues, PS_I_LOCAL_DEFS_MISSING, locals);
        else if (s->local.end == PS_OTF2_TRUNCATED)
                ps_issue_note(issues, PS_I_FILE_TRUNCATED, locals);
        else if (s->local.end == PS_OTF2_CORRUPT)
                ps_issue_note(issues, PS_I_FILE_CORRUPT, locals);
        if (s->local.doubtful)
                ps_issue_note(issues, PS_I_DEF_INVALID, locals);
}

static void note_count(const ps_stream *s, ps_issues *issues)
{
        uint64_t promised = s->defs->locations.row[s->location].n_events;
        if (s->path && !s->broken && promised != UINT64_MAX && promised != s->n_events)
                ps_issue_note(issues, PS_I_EVENT_COUNT,
                              (ps_place){s->location, s->file, UINT64_MAX, INT64_MIN});
}

static void begin_batch(ps_stream *stream, ps_batch *out, ps_issues *issues)
{
        out->location = stream->location;
        out->n = 0;
        if (!stream->begun)
                note_files(stream, issues);
        stream->begun = 1;
}

static void end_batch(ps_stream *stream, ps_issues *issues)
{
        if (!stream->done || stream->counted)
                return;
        note_count(stream, issues);
        stream->counted = 1;
}

static ps_status otf2_stream_next(ps_stream *stream, ps_batch *out, ps_issues *issues, ps_error *err)
{
        begin_batch(stream, out, issues);
        PS_TRY(ps_otf2_decode(stream, out, issues, err));
        end_batch(stream, issues);
        return PS_OK;
}

static ps_status otf2_stream_fold(ps_stream *stream, ps_builder *builder, ps_batch *out, ps_error *err)
{
        begin_batch(stream, out, ps_builder_issues(builder));
        PS_TRY(ps_otf2_fold(stream, builder, out, err));
        end_batch(stream, ps_builder_issues(builder));
        return PS_OK;
}

static ps_status otf2_stream_seek(ps_stream *s, const ps_stream_mark *mark, ps_error *err)
{
        s->begun = s->counted = 1;
        return ps_otf2_stream_seek(s, mark, err);
}

const ps_reader_class ps_otf2_reader = {.name = "otf2",
                                        .summary = "Open Trace Format 2 (Score-P, EZTrace, TAU, HPX)",
                                        .probe = ps_otf2_archive_probe,
                                        .open = otf2_open,
                                        .close = otf2_close,
                                        .weight = otf2_weight,
                                        .stream_open = otf2_stream_open,
                                        .stream_next = otf2_stream_next,
                                        .stream_fold = otf2_stream_fold,
                                        .stream_close = otf2_stream_close,
                                        .stream_file = otf2_stream_file,
                                        .stream_mark = ps_otf2_stream_mark,
                                        .stream_seek = otf2_stream_seek,
                                        .portions = &ps_otf2_portions,
                                        .parts = ps_otf2_archive_parts,
                                        .lies_apart = true};
