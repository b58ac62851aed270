/* names.c - the call paths that a name in an edit means.
 *
 * A name is that of a region, or the end of a call path with > between the regions; with a > before it, the
 * whole of one. Names may hold >, ! and @ themselves: what the trace knows as it stands there is meant. */
#include "simulator/whatif/scenario.h"

#include "core/base/memory.h"
#include "core/base/number.h"
#include "core/model/region_names.h"

#include <stdlib.h>
#include <string.h>

/* Does the path end so? */
static bool ends_in(const ps_trace *trace, ps_path path, const char *name, size_t len)
{
        for (; path && len; path = trace->paths[path].parent) {
                const char *own = ps_path_region_name(trace, path);
                size_t n = strlen(own);
                if (n > len || memcmp(name + len - n, own, n) != 0)
                        return 0;
                len -= n;
                if (!len)
                        return 1;
                if (!n || name[--len] != '>')
                        return 0;
        }
        return !path && !len;
}

/* Marks what is meant by a name: with `own`, only what is computed there and not below. */
static bool mark_named(uint8_t *paths, const ps_trace *trace, const char *name, size_t len, bool own)
{
        enum { IS_BELOW = 128 };
        bool found = 0;
        for (ps_path p = 1; p < trace->n_paths; p++) {
                bool is_below = paths[trace->paths[p].parent] & IS_BELOW,
                     is_meant = ends_in(trace, p, name, len);
                paths[p] = is_meant || is_below ? IS_BELOW : 0;
                if (is_meant || (is_below && !own))
                        paths[p] |= PS_WORK_IS_IN;
                if (is_meant && !is_below)
                        paths[p] |= PS_WORK_OPENS;
                found |= is_meant;
        }
        for (ps_path p = 1; p < trace->n_paths; p++)
                paths[p] &= (uint8_t)~IS_BELOW;
        return found;
}

/* -- stretches -- */

/* Where a call stands: a line of a file, whatever its folder is. */
typedef struct named_line {
        const char *file;
        size_t len;
        uint64_t line;
} named_line;

/* FILE:LINE at the end of text[0 .. len); `otherwise` has the file if there is only a line. */
static bool read_named_line(named_line *out, const char *text, size_t len, const named_line *otherwise)
{
        size_t digits = len;
        while (digits && text[digits - 1] >= '0' && text[digits - 1] <= '9')
                digits--;
        const char *at = text + digits;
        *out = (named_line){text, digits ? digits - 1 : 0, 0};
        if (digits == len || len - digits > 9 || !ps_number_whole(&at, UINT32_MAX, &out->line))
                return 0;
        if (!digits && otherwise) {
                out->file = otherwise->file;
                out->len = otherwise->len;
                return 1;
        }
        return digits > 1 && text[digits - 1] == ':';
}

static bool stands_at(const ps_trace *trace, ps_path path, const named_line *at)
{
        ps_call_line own = ps_call_line_of(trace, path);
        if (!own.line || own.line != at->line)
                return 0;
        const char *file = ps_defs_str(&trace->defs, own.file);
        size_t n = strlen(file);
        return n >= at->len && memcmp(file + n - at->len, at->file, at->len) == 0 &&
               (n == at->len || file[n - at->len - 1] == '/');
}

enum { LINES_MOST = 16 };

typedef struct named_lines {
        named_line row[LINES_MOST];
        unsigned n;
} named_lines;

/* Of [FILE:]LINE,[FILE:]LINE... : where no file is named it is that of the line before. */
static bool read_lines(named_lines *out, const char *text, size_t len, const named_lines *before)
{
        const named_line *last = before ? &before->row[before->n - 1] : NULL;
        for (out->n = 0; out->n < LINES_MOST; text++, len--) {
                const char *comma = memchr(text, ',', len);
                size_t n = comma ? (size_t)(comma - text) : len;
                if (!read_named_line(&out->row[out->n], text, n, last))
                        return 0;
                last = &out->row[out->n++];
                text += n;
                len -= n;
                if (!len)
                        return 1;
        }
        return 0;
}

/* LINES-LINES: from one of those to one of these. Names of files may hold a dash. */
static bool read_stretch(named_lines *from, named_lines *to, const char *name)
{
        size_t len = strlen(name);
        for (size_t dash = 0; dash < len; dash++)
                if (name[dash] == '-' && read_lines(from, name, dash, NULL) &&
                    read_lines(to, name + dash + 1, len - dash - 1, from))
                        return 1;
        return 0;
}

/* Marks the calls that stand at one of the lines; whether there is one at each of them. */
static bool mark_lines(uint8_t *paths, const ps_trace *trace, const named_lines *lines, uint8_t as)
{
        unsigned n_found = 0;
        for (unsigned i = 0; i < lines->n; i++) {
                bool found = 0;
                for (ps_path p = 1; p < trace->n_paths; p++)
                        if (stands_at(trace, p, &lines->row[i])) {
                                paths[p] |= as;
                                found = 1;
                        }
                n_found += found;
        }
        return n_found == lines->n;
}

static bool mark_stretch(uint8_t *paths, const ps_trace *trace, const char *name)
{
        named_lines from, to;
        return read_stretch(&from, &to, name) && mark_lines(paths, trace, &from, PS_WORK_FROM) &&
               mark_lines(paths, trace, &to, PS_WORK_TO);
}

/* -- errors -- */

static bool is_region(const ps_defs *defs, const char *name, size_t len)
{
        for (ps_region r = 0; r < defs->regions.n; r++) {
                const char *own = ps_defs_str(defs, defs->regions.row[r].name);
                if (strlen(own) == len && memcmp(own, name, len) == 0)
                        return 1;
        }
        return 0;
}

/* The first part of a call path that is no region. */
static ps_status fail_name(const ps_trace *trace, const ps_edit_work *edit, ps_error *err)
{
        named_lines from, to;
        const char *part = edit->bare + (edit->bare[0] == '>');
        size_t len = strlen(part);
        len -= len > 1 && part[len - 1] == '!';
        if (read_stretch(&from, &to, edit->bare))
                return PS_FAIL(err, PS_E_USAGE, "no call is on these lines: edit=\"%.120s\", lines=\"%.80s\"",
                               edit->text, edit->bare);
        for (const char *end = part + len; part < end;) {
                const char *next = memchr(part, '>', (size_t)(end - part));
                size_t n = (size_t)((next ? next : end) - part);
                if (!is_region(&trace->defs, part, n))
                        return ps_region_is_unknown(&trace->defs, edit->text, part, n, err);
                part += n + (next != NULL);
        }
        return PS_FAIL(err, PS_E_USAGE, "the trace has no such call path: edit=\"%.120s\", name=\"%.80s\"",
                       edit->text, edit->bare);
}

/* -- what is meant -- */

static bool find_paths(uint8_t *paths, bool *is_stretch, const ps_trace *trace, const char *name)
{
        size_t len = strlen(name);
        *is_stretch = 0;
        if (mark_named(paths, trace, name, len, 0) ||
            is_region(&trace->defs, name, len)) /* it may never be entered */
                return 1;
        if (len > 1 && name[len - 1] == '!' && mark_named(paths, trace, name, len - 1, 1))
                return 1;
        *is_stretch = mark_stretch(paths, trace, name);
        return *is_stretch;
}

ps_status ps_work_paths(uint8_t *paths, bool *is_stretch, const ps_edit_work *edit, const ps_trace *trace,
                        bool *has_ranks, ps_error *err)
{
        *has_ranks = 0;
        if (find_paths(paths, is_stretch, trace, edit->name))
                return PS_OK;
        *has_ranks = edit->n_ranks > 0;
        if (*has_ranks && find_paths(paths, is_stretch, trace, edit->bare))
                return PS_OK;
        return fail_name(trace, edit, err);
}

ps_status ps_what_if_region(uint8_t **paths, const ps_trace *trace, ps_region region, ps_error *err)
{
        *paths = ps_memory_zeroed(trace->n_paths + (size_t)1, 1);
        if (!*paths)
                return PS_NOMEM(err, "call paths", trace->n_paths);
        for (ps_path p = 1; p < trace->n_paths; p++) {
                bool is_below = (*paths)[trace->paths[p].parent] != 0;
                if (is_below || trace->paths[p].region == region)
                        (*paths)[p] = is_below ? PS_WORK_IS_IN : PS_WORK_IS_IN | PS_WORK_OPENS;
        }
        return PS_OK;
}

/* -- names of paths -- */

enum { NAME_MOST = 1000 };

/* From the root, or from `top` on; its first letter is a > that may be left out. 0: it is too long, or holds
 * a function without a name, which edits cannot mean. */
static size_t print_path(char room[NAME_MOST], const ps_trace *trace, ps_path path, ps_path top)
{
        size_t at = NAME_MOST - 1;
        room[at] = '\0';
        for (; path; path = trace->paths[path].parent) {
                const char *name = ps_path_region_name(trace, path);
                size_t n = strlen(name);
                if (!n || n + 1 > at)
                        return 0;
                at -= n;
                memcpy(room + at, name, n);
                room[--at] = '>';
                if (path == top)
                        break;
        }
        memmove(room, room + at, NAME_MOST - at);
        return NAME_MOST - 1 - at;
}

ps_status ps_path_edit_name(char **out, const ps_trace *trace, ps_path path, ps_path top, ps_error *err)
{
        char whole[NAME_MOST];
        size_t len = print_path(whole, trace, path, top);
        bool is_plain = 1;
        *out = NULL;
        if (!len)
                return PS_OK;
        for (ps_path p = 1; p < trace->n_paths && is_plain && !top; p++)
                is_plain = !ends_in(trace, p, whole + 1, len - 1) || ends_in(trace, p, whole, len);
        *out = ps_memory_new(len + 2);
        if (!*out)
                return PS_NOMEM(err, "names", len);
        memcpy(*out, whole + is_plain, len - is_plain);
        memcpy(*out + len - is_plain, "!", 2);
        return PS_OK;
}
