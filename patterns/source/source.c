/* source.c - from a call path to the line where its last call stands.
 *
 * One walk over all paths notes for each node the nearest place above it that tells something, so that no
 * question climbs a deep path again. Texts are asked through source_scan, and the answer for a function and
 * a name is kept: many paths are few calls in few functions. */
#include "patterns/source/source.h"

#include "core/base/map.h"
#include "core/base/number.h"
#include "core/base/vector.h"
#include "patterns/source/files.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_CONSTRUCTS = 16 };

const char *const ps_line_source_names[PS_LINE_EXACT + 1] = {"none", "function", "candidates", "unique-call",
                                                             "exact"};

/* Nodes at or above a node; 0: there is none. */
typedef struct above {
        ps_path stop;     /* whose text can be searched, or whose own call has a place */
        ps_path call;     /* the outermost call below `stop`, the node included: what to search for */
        ps_path function; /* a function of the program, with its file */
        ps_path user;     /* a function of the program, in a file or not */
} above;

/* What the text of a function says about one name. */
typedef struct answer {
        const uint32_t *lines;
        uint32_t n_lines, column, column_end;
        bool unique;
} answer;

struct ps_sources {
        const ps_trace *trace;
        ps_source_files *files;
        ps_arena *arena;
        above *above;
        const ps_source_place **place; /* by path */
        ps_map answers;                /* (region of the text, region of the call) -> row */
        answer *answer;
        uint32_t n_answers, cap_answers;
};

/* -- what a region is -- */

static const ps_region_def *region_at(const ps_sources *s, ps_path path)
{
        static const ps_region_def none = {.paradigm = PS_PARADIGM_OTHER};
        ps_region region = s->trace->paths[path].region;
        return path && region < s->trace->defs.regions.n ? &s->trace->defs.regions.row[region] : &none;
}

static const char *string_at(const ps_sources *s, ps_str id)
{
        return ps_defs_str(&s->trace->defs, id);
}

static const char *region_name(const ps_sources *s, ps_path path)
{
        return string_at(s, region_at(s, path)->name);
}

/* EZTrace says of everything that it is the program's own code. */
static bool is_of_recorder(const char *name)
{
        static const char *const own[] = {"Working", "EZTrace finalize", "MEASUREMENT OFF",
                                          "TRACE BUFFER FLUSH"};
        for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++)
                if (strcmp(name, own[i]) == 0)
                        return 1;
        return strncmp(name, "OpenMP ", 7) == 0;
}

static bool is_openmp(const ps_sources *s, const ps_region_def *region)
{
        return region->paradigm == PS_PARADIGM_OPENMP || strncmp(string_at(s, region->name), "!$omp", 5) == 0;
}

static bool is_program(const ps_sources *s, const ps_region_def *region)
{
        int user = region->paradigm == PS_PARADIGM_USER || region->paradigm == PS_PARADIGM_UNKNOWN;
        return user && !is_openmp(s, region) && (region->file || !is_of_recorder(string_at(s, region->name)));
}

/* Loops and phases that somebody marked are no functions; neither is what has no role inside of something
 * that is said to be a function. */
static bool is_function(const ps_sources *s, const ps_region_def *region, ps_path outer)
{
        return is_program(s, region) &&
               (region->role == PS_ROLE_FUNCTION ||
                (region->role == PS_ROLE_OTHER && region_at(s, outer)->role != PS_ROLE_FUNCTION));
}

/* A part of a function whose lines are known: an OpenMP construct, a marked loop. */
static bool is_construct(const ps_sources *s, const ps_region_def *region, ps_path outer)
{
        return is_openmp(s, region) || (is_program(s, region) && !is_function(s, region, outer));
}

/* -- the walk -- */

typedef struct site {
        const char *file;
        uint32_t line; /* 0: unknown */
} site;

/* Where the call itself stands, as the trace says. */
static site call_site_of(const ps_sources *s, ps_path path)
{
        const ps_path_node *node = &s->trace->paths[path], *parent = &s->trace->paths[node->parent];
        int by_parent = !node->site_line && node->parent;
        uint32_t line = by_parent ? parent->frame_line : node->site_line;
        ps_str file = by_parent ? parent->frame_file : node->site_file;
        if (line && !file)
                file = region_at(s, s->above[node->parent].function)->file;
        return line && file ? (site){string_at(s, file), line} : (site){NULL, 0};
}

static above above_of(const ps_sources *s, ps_path path)
{
        const ps_region_def *region = region_at(s, path);
        above a = s->above[s->trace->paths[path].parent];
        int function = is_function(s, region, a.function), construct = is_construct(s, region, a.function);
        int text =
                region->file && (function || (construct && region->line && region->line_end > region->line));
        if (text || call_site_of(s, path).line) {
                a.stop = path;
                a.call = text || construct ? 0 : path;
        } else if (!a.call && !construct && region->paradigm != PS_PARADIGM_RECORDER) {
                a.call = path;
        }
        if (function)
                a.user = path;
        if (function && region->file)
                a.function = path;
        return a;
}

ps_status ps_sources_new(ps_sources **out, const ps_trace *trace, const ps_source_options *options,
                         ps_error *err)
{
        static const ps_source_options none = {0};
        ps_sources *s = calloc(1, sizeof(*s));
        if (!s)
                return PS_NOMEM(err, "source places", 1);
        s->trace = trace;
        ps_status status = ps_source_files_new(&s->files, options ? options : &none, err);
        s->arena = ps_arena_new();
        s->above = calloc((size_t)trace->n_paths + 1, sizeof(*s->above));
        s->place = calloc((size_t)trace->n_paths + 1, sizeof(ps_source_place *));
        if (status == PS_OK && (!s->arena || !s->above || !s->place))
                status = PS_NOMEM(err, "source places", trace->n_paths);
        for (ps_path p = 1; status == PS_OK && p < trace->n_paths; p++)
                s->above[p] = above_of(s, p);
        if (status == PS_OK)
                *out = s;
        else
                ps_sources_free(s);
        return status;
}

void ps_sources_free(ps_sources *s)
{
        if (!s)
                return;
        ps_source_files_free(s->files);
        ps_arena_free(s->arena);
        ps_map_free(&s->answers);
        free(s->answer);
        free(s->above);
        free((void *)s->place);
        free(s);
}

/* -- searching -- */

static ps_status ask(ps_sources *s, ps_path text, const char *call, answer *out, ps_error *err)
{
        const ps_region_def *region = region_at(s, text);
        char name[PS_SCAN_LONGEST_NAME], own[PS_SCAN_LONGEST_NAME];
        const ps_scan *scan = NULL;
        ps_source_file *file = ps_source_files_get(s->files, string_at(s, region->file));
        if (!file)
                return PS_NOMEM(err, "source files", 1);
        PS_TRY(ps_source_files_scan(s->files, file, &scan, err));
        if (!scan || !ps_scan_name(name, call, ps_scan_language_in(scan)))
                return PS_OK;
        ps_scan_name(own, string_at(s, region->name), ps_scan_language_in(scan));
        bool whole = is_function(s, region, s->above[s->trace->paths[text].parent].function);
        ps_scan_span span = whole ? ps_scan_function(scan, own, region->line, region->line_end)
                                  : ps_scan_lines(scan, region->line, region->line_end);
        ps_scan_calls calls;
        ps_scan_calls_of(scan, name, span, &calls);
        uint32_t *lines = PS_ARENA_NEW(s->arena, uint32_t, calls.n_lines);
        if (!lines)
                return PS_NOMEM(err, "source lines", calls.n_lines);
        if (calls.n_lines)
                memcpy(lines, calls.line, calls.n_lines * sizeof(*lines));
        *out = (answer){lines, calls.n_lines, calls.column, calls.column_end, calls.unique};
        return PS_OK;
}

/* The same from memory, if it was asked before. */
static ps_status recall(ps_sources *s, ps_path text, ps_path call, answer *out, ps_error *err)
{
        ps_time *row = ps_map_at(&s->answers, s->trace->paths[text].region, s->trace->paths[call].region, -1);
        if (!row)
                return PS_NOMEM(err, "source answers", s->n_answers);
        if (*row >= 0) {
                *out = s->answer[*row];
                return PS_OK;
        }
        if (PS_ROOM(s->answer, s->n_answers, s->cap_answers))
                return PS_NOMEM(err, "source answers", s->n_answers);
        PS_TRY(ask(s, text, region_name(s, call), out, err));
        *row = s->n_answers;
        s->answer[s->n_answers++] = *out;
        return PS_OK;
}

/* -- places -- */

static ps_status set_file(ps_sources *s, const char *name, ps_source_place *out, ps_error *err)
{
        const ps_source_file *file = ps_source_files_get(s->files, name);
        if (!file)
                return PS_NOMEM(err, "source files", 1);
        out->file = file->shown;
        return PS_OK;
}

static ps_status place_at(ps_sources *s, site where, ps_line_source certainty, ps_source_place *out,
                          ps_error *err)
{
        out->line = where.line;
        out->certainty = certainty;
        return set_file(s, where.file, out, err);
}

/* The file and line of a construct: of its definition, or in its name, "!$omp parallel @heat.c:84". */
static site construct_site(ps_sources *s, ps_path path)
{
        const ps_region_def *region = region_at(s, path);
        if (!is_construct(s, region, s->above[s->trace->paths[path].parent].function))
                return (site){NULL, 0};
        if (region->file && region->line)
                return (site){string_at(s, region->file), region->line};
        const char *name = string_at(s, region->name), *mark = strrchr(name, '@'),
                   *colon = strrchr(name, ':');
        if (!is_openmp(s, region) || !mark || !colon || colon < mark + 2)
                return (site){NULL, 0};
        const char *at = colon + 1;
        uint64_t line = 0;
        char *file = ps_arena_alloc(s->arena, (size_t)(colon - mark), 1);
        if (!file || *at == '0' || !ps_number_whole(&at, INT32_MAX - 1, &line) || *at)
                return (site){NULL, 0};
        memcpy(file, mark + 1, (size_t)(colon - mark - 1));
        return (site){file, (uint32_t)line};
}

static void take_answer(const answer *found, ps_source_place *out)
{
        out->line = found->lines[0];
        out->certainty = found->unique ? PS_LINE_UNIQUE_CALL : PS_LINE_CANDIDATES;
        out->column = found->column;
        out->column_end = found->column_end;
        out->candidates = found->unique ? NULL : found->lines;
        out->n_candidates = found->unique ? 0 : found->n_lines;
}

/* Asks the texts around the call, from the inside. A construct without the call - it stands in a function
 * that the construct calls - says nothing, and the next text is asked for the next call further out. */
static ps_status search(ps_sources *s, ps_path path, ps_source_place *out, ps_error *err)
{
        above a = s->above[s->trace->paths[path].parent];
        ps_path call = a.call ? a.call : path;
        bool is_part = is_construct(s, region_at(s, call), a.function); /* and thus bears no name of a call */
        for (int n = 0; n < MOST_CONSTRUCTS && a.stop && !out->line; n++) {
                site where = call_site_of(s, a.stop);
                const ps_region_def *text = region_at(s, a.stop);
                answer found = {0};
                bool is_text = s->above[a.stop].call == 0 && text->file;
                if (is_text && !is_part)
                        PS_TRY(recall(s, a.stop, call, &found, err));
                if (found.n_lines) {
                        take_answer(&found, out);
                        return set_file(s, string_at(s, text->file), out, err);
                }
                if (a.stop == a.function)
                        return place_at(s, (site){string_at(s, text->file), text->line}, PS_LINE_FUNCTION,
                                        out, err);
                if (where.line)
                        return place_at(s, where, PS_LINE_FUNCTION, out, err);
                a = s->above[s->trace->paths[a.stop].parent];
                call = a.call ? a.call : call;
        }
        return PS_OK;
}

/* The definition of the function around the call, or of a function that nothing calls. */
static ps_status place_of_function(ps_sources *s, ps_path path, ps_source_place *out, ps_error *err)
{
        ps_path outer = s->above[s->trace->paths[path].parent].function;
        ps_path function = outer ? outer : s->above[path].function;
        const ps_region_def *region = region_at(s, function);
        return function ? place_at(s, (site){string_at(s, region->file), region->line}, PS_LINE_FUNCTION, out,
                                   err)
                        : PS_OK;
}

static const char *function_name(const ps_sources *s, ps_path path)
{
        const above *around = &s->above[s->trace->paths[path].parent], *at = &s->above[path];
        ps_path function = around->function ? around->function
                           : around->user   ? around->user
                           : at->function   ? at->function
                                            : at->user;
        return function ? region_name(s, function) : NULL;
}

static ps_status make_place(ps_sources *s, ps_path path, ps_source_place *out, ps_error *err)
{
        out->function = function_name(s, path);
        site where = call_site_of(s, path);
        if (!where.line)
                where = construct_site(s, path);
        if (where.line)
                return place_at(s, where, PS_LINE_EXACT, out, err);
        PS_TRY(search(s, path, out, err));
        return out->certainty == PS_LINE_NONE ? place_of_function(s, path, out, err) : PS_OK;
}

ps_status ps_sources_of(ps_sources *s, ps_path path, const ps_source_place **out, ps_error *err)
{
        static const ps_source_place nowhere = {0};
        if (path == 0 || path >= s->trace->n_paths) {
                *out = &nowhere;
                return PS_OK;
        }
        ps_status status = PS_OK;
        if (!s->place[path]) {
                ps_source_place *place = PS_ARENA_NEW(s->arena, ps_source_place, 1);
                status = place ? make_place(s, path, place, err) : PS_NOMEM(err, "source places", 1);
                s->place[path] = status == PS_OK ? place : NULL;
        }
        *out = s->place[path];
        return status;
}

const char *ps_sources_file_on_disk(ps_sources *s, const char *file)
{
        return ps_source_files_disk(s->files, file);
}

const char *ps_sources_line(ps_sources *s, const char *file, uint32_t line)
{
        return file ? ps_source_files_line(s->files, file, line) : NULL;
}
