/* marks.c - rows of a report become marks, in the order of files and lines. */
#include "app/lsp/marks.h"

#include "app/lsp/rows.h"
#include "core/base/hash.h"
#include "core/base/search.h"
#include "core/base/vector.h"
#include "report/print/compact.h"
#include "report/saved/expand.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* -- from rows to marks -- */

typedef struct reading {
        ps_marks *marks;
        ps_pull p;
        ps_error *err;
} reading;

static const ps_saved_row nothing = {.process = -1, .partner = -1, .fix_gain = NAN, .fix_factor = NAN};

/* The numbers may come from anywhere. */
static uint32_t whole(double number, uint32_t otherwise)
{
        return number >= 0 && number < UINT32_MAX ? (uint32_t)number : otherwise;
}

/* NULL: there is none. */
static const char *keep(reading *r, ps_slice slice, ps_status *status)
{
        const char *copy = slice.text ? ps_slice_copy(r->marks->arena, slice) : NULL;
        if (slice.text && !copy)
                *status = PS_NOMEM(r->err, "texts of a report", slice.n);
        return copy;
}

static ps_str find_name(reading *r, ps_slice file, ps_status *status)
{
        const char *text = keep(r, file, status);
        ps_str name = text ? ps_strings_addz(r->marks->names, text) : 0;
        if (name == UINT32_MAX)
                *status = PS_NOMEM(r->err, "names of files", 1);
        return name == UINT32_MAX ? 0 : name;
}

static uint64_t hash_of_place(const char *site, uint32_t line)
{
        return ps_hash_pair(ps_hash_bytes(site, strlen(site)), line);
}

static uint64_t hash_of_mark(const void *rows, uint32_t i)
{
        const ps_line_mark *mark = (const ps_line_mark *)rows + i;
        return hash_of_place(mark->site, mark->line);
}

static bool is_same_place(const void *key, const void *rows, uint32_t i)
{
        const ps_line_mark *a = key, *b = (const ps_line_mark *)rows + i;
        return a->line == b->line && a->file == b->file && strcmp(a->site, b->site) == 0;
}

/* The findings come with the one that lost most first: the mark is about that one, and sums up all. */
static void add_to_mark(ps_line_mark *mark, const ps_saved_row *found)
{
        mark->lost_s += found->lost;
        mark->share += found->share;
        mark->count += found->count > 0 && found->count < 1e18 ? (uint64_t)found->count : 0;
        mark->n_ranks++;
}

static ps_line_mark mark_of(reading *r, const ps_saved_row *found, ps_status *status)
{
        return (ps_line_mark){.id = keep(r, found->id, status),
                              .type = keep(r, found->type, status),
                              .function = keep(r, found->function, status),
                              .line_text = keep(r, found->line_text, status),
                              .line_source = keep(r, found->line_source, status),
                              .comment = keep(r, found->comment, status),
                              .advice = keep(r, found->advice, status),
                              .dump = keep(r, found->dump, status),
                              .partner_file = keep(r, found->partner_file, status),
                              .cause = keep(r, found->cause, status),
                              .column = whole(found->column, 0),
                              .column_end = whole(found->column_end, 0),
                              .process = whole(found->process, UINT32_MAX),
                              .partner = whole(found->partner, UINT32_MAX),
                              .partner_line = whole(found->partner_line, 0)};
}

static ps_status take_finding(reading *r, const ps_saved_row *found)
{
        ps_marks *marks = r->marks;
        ps_status status = PS_OK;
        ps_line_mark place = {.file = find_name(r, found->file, &status), .line = whole(found->line, 0)};
        place.site = found->site.text ? keep(r, found->site, &status) : "";
        if (found->ignored.text)
                return status;
        marks->n_findings++;
        if (status != PS_OK || !place.file) {
                marks->n_nowhere++;
                return status;
        }
        if (ps_lookup_room(&marks->places, marks->n, hash_of_mark, marks->mark))
                return PS_NOMEM(r->err, "marks", marks->n);
        uint32_t *slot = ps_lookup_find(&marks->places, hash_of_place(place.site, place.line), is_same_place,
                                        &place, marks->mark);
        if (!*slot) {
                ps_line_mark mark = mark_of(r, found, &status);
                mark.file = place.file;
                mark.line = mark.now = place.line;
                mark.site = place.site;
                if (status == PS_OK && PS_APPEND(marks->mark, marks->n, marks->cap, mark))
                        status = PS_NOMEM(r->err, "marks", marks->n);
                if (status != PS_OK)
                        return status;
                *slot = marks->n;
        }
        add_to_mark(&marks->mark[*slot - 1], found);
        return PS_OK;
}

static ps_status take_cause(reading *r, const ps_saved_row *found)
{
        ps_marks *marks = r->marks;
        ps_status status = PS_OK;
        if (!found->id.text) /* the waiting that nothing explains has one, too: this is no report of ours */
                return PS_OK;
        ps_mark_cause cause = {.id = keep(r, found->id, &status),
                               .function = keep(r, found->function, &status),
                               .comment = keep(r, found->comment, &status),
                               .advice = keep(r, found->advice, &status),
                               .file = find_name(r, found->file, &status),
                               .line = whole(found->line, 0),
                               .process = whole(found->process, UINT32_MAX),
                               .waiting_s = found->waiting,
                               .share = found->share,
                               .fix = {keep(r, found->fix_kind, &status), keep(r, found->fix_edit, &status),
                                       found->fix_factor, found->fix_gain}};
        if (status == PS_OK && PS_APPEND(marks->cause, marks->n_causes, marks->cap_causes, cause))
                status = PS_NOMEM(r->err, "causes", marks->n_causes);
        return status;
}

/* Does it call itself? Then the outer call has its time already. */
static bool is_inner_call(const ps_saved_row *found)
{
        ps_pull p = {.at = found->callpath.text, .end = found->callpath.text + found->callpath.n};
        unsigned n = 0;
        if (!found->callpath.n || !ps_pull_open(&p, '['))
                return false;
        while (ps_pull_element(&p)) {
                ps_slice name = {0};
                ps_pull_string(&p, &name);
                n += name.text && name.n == found->function.n &&
                     memcmp(name.text, found->function.text, name.n) == 0;
        }
        return n > 1;
}

static ps_status take_function(reading *r, const ps_saved_row *found)
{
        ps_marks *marks = r->marks;
        ps_status status = PS_OK;
        if (!found->function.text || !found->file.text || !(found->line >= 1) || is_inner_call(found))
                return PS_OK;
        ps_mark_function function = {.name = keep(r, found->function, &status),
                                     .file = find_name(r, found->file, &status),
                                     .line = whole(found->line, 0),
                                     .waiting_s = found->waiting};
        if (status == PS_OK && PS_APPEND(marks->function, marks->n_functions, marks->cap_functions, function))
                status = PS_NOMEM(r->err, "functions", marks->n_functions);
        return status;
}

static ps_status take_time(reading *r, const ps_saved_row *found)
{
        r->marks->all_s += found->time;
        return PS_OK;
}

/* -- the document -- */

static const struct table {
        const char *name;
        const ps_saved_key *keys;
        ps_status (*take)(reading *r, const ps_saved_row *found);
} tables[] = {{"findings", ps_saved_finding, take_finding},
              {"causes", ps_saved_cause, take_cause},
              {"functions", ps_saved_function, take_function},
              {"time", ps_saved_time, take_time}};

static ps_status read_table(reading *r, const struct table *table)
{
        if (!ps_pull_open(&r->p, '['))
                return PS_OK;
        while (ps_pull_element(&r->p)) {
                ps_saved_row found = nothing;
                ps_saved_row_read(&r->p, &found, table->keys);
                if (!r->p.is_bad)
                        PS_TRY(table->take(r, &found));
        }
        return PS_OK;
}

/* "trace" and "settings": where it all comes from. */
static ps_status read_name(reading *r, const char **out, const ps_saved_key *keys)
{
        ps_status status = PS_OK;
        ps_saved_row found = nothing;
        ps_saved_row_read(&r->p, &found, keys);
        *out = keep(r, found.file, &status);
        r->marks->duration_s += found.time;
        return status;
}

static ps_status read_member(reading *r, ps_slice key)
{
        for (size_t i = 0; i < sizeof(tables) / sizeof(*tables); i++)
                if (ps_slice_is(key, tables[i].name))
                        return read_table(r, &tables[i]);
        if (ps_slice_is(key, "trace"))
                return read_name(r, &r->marks->trace, ps_saved_trace);
        if (ps_slice_is(key, "settings"))
                return read_name(r, &r->marks->source_root, ps_saved_settings);
        ps_pull_skip(&r->p);
        return PS_OK;
}

static ps_status fail_report(const reading *r, const char *path, const char *reason)
{
        return PS_FAIL(r->err, PS_E_INPUT, "cannot use report: path=\"%s\", reason=\"%s\"", path, reason);
}

static ps_status read_document(reading *r, const char *path)
{
        ps_slice name, schema = {0};
        bool is_object = ps_pull_open(&r->p, '{');
        while (is_object && ps_pull_key(&r->p, &name))
                if (ps_slice_is(name, "schema"))
                        ps_pull_string(&r->p, &schema);
                else
                        PS_TRY(read_member(r, name));
        if (!ps_pull_is_done(&r->p))
                return fail_report(r, path, "it is not JSON, or only a part of a report");
        if (!schema.text || !ps_slice_is(schema, PS_REPORT_SCHEMA))
                return fail_report(r, path, "it is not a report of patscan analyze");
        return PS_OK;
}

/* -- in order -- */

static int compare_marks(const void *a, const void *b)
{
        const ps_line_mark *x = a, *y = b;
        PS_ORDER_BY(x->file, y->file);
        PS_ORDER_BY(x->line, y->line);
        PS_ORDER_BY(y->lost_s, x->lost_s);
        return strcmp(x->site, y->site);
}

static ps_status list_files(ps_marks *marks, ps_error *err)
{
        if (marks->n)
                qsort(marks->mark, marks->n, sizeof(*marks->mark), compare_marks);
        for (uint32_t i = 0; i < marks->n; i++)
                if (!i || marks->mark[i].file != marks->mark[i - 1].file) {
                        if (PS_APPEND(marks->file, marks->n_files, marks->cap_files,
                                      (ps_marked_file){marks->mark[i].file, i, 1}))
                                return PS_NOMEM(err, "files", marks->n_files);
                } else {
                        marks->file[marks->n_files - 1].n++;
                }
        return PS_OK;
}

/* All call paths of a function in one row. */
static int compare_functions(const void *a, const void *b)
{
        const ps_mark_function *x = a, *y = b;
        PS_ORDER_BY(x->file, y->file);
        PS_ORDER_BY(x->line, y->line);
        return strcmp(x->name, y->name);
}

static int compare_causes(const void *a, const void *b)
{
        return strcmp(((const ps_mark_cause *)a)->id, ((const ps_mark_cause *)b)->id);
}

static void join_functions(ps_marks *marks)
{
        uint32_t n = 0;
        if (marks->n_functions)
                qsort(marks->function, marks->n_functions, sizeof(*marks->function), compare_functions);
        for (uint32_t i = 0; i < marks->n_functions; i++) {
                ps_mark_function *last = n ? &marks->function[n - 1] : NULL, *it = &marks->function[i];
                if (last && last->file == it->file && last->line == it->line &&
                    strcmp(last->name, it->name) == 0) {
                        last->waiting_s += it->waiting_s;
                } else {
                        marks->function[n++] = *it;
                }
        }
        marks->n_functions = n;
}

ps_status ps_marks_read(ps_marks *out, const char *text, size_t n, const char *path, ps_error *err)
{
        *out = (ps_marks){.arena = ps_arena_new()};
        out->names = out->arena ? ps_strings_new(out->arena) : NULL;
        reading r = {.marks = out, .err = err};
        char *full = NULL;
        ps_status status =
                out->names ? ps_saved_expand(&full, text, &n, PS_MARKS_MOST, NULL, "report", path, err)
                           : PS_NOMEM(err, "report", 1);
        text = full ? full : text;
        r.p = (ps_pull){.at = text, .end = text + n};
        PS_THEN(status, read_document(&r, path));
        free(full);
        PS_THEN(status, list_files(out, err));
        if (status == PS_OK && out->n_causes)
                qsort(out->cause, out->n_causes, sizeof(*out->cause), compare_causes);
        if (status == PS_OK)
                join_functions(out);
        else
                ps_marks_clear(out);
        return status;
}

void ps_marks_clear(ps_marks *marks)
{
        ps_lookup_free(&marks->places);
        ps_strings_free(marks->names);
        ps_arena_free(marks->arena);
        free(marks->mark);
        free(marks->cause);
        free(marks->function);
        free(marks->file);
        *marks = (ps_marks){0};
}

const ps_mark_cause *ps_marks_cause(const ps_marks *marks, const char *id)
{
        ps_mark_cause key = {.id = id};
        return id && marks->n_causes
                       ? bsearch(&key, marks->cause, marks->n_causes, sizeof(key), compare_causes)
                       : NULL;
}
