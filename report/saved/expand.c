/* expand.c - see expand.h. The text is read twice: for the shared values, which are at its end, and row by
 * row. What is copied is checked as far as its ends are found; whoever reads the result checks the rest. */
#include "report/saved/expand.h"

#include "core/base/pull.h"
#include "core/base/vector.h"
#include "report/print/compact.h"
#include "report/saved/saved.h"

#include <stdlib.h>

/* What a column holds, and those within it, which follow it up to `next`. */
typedef struct column {
        enum { VALUE, SHARED, OBJECT, LIST } sort;
        ps_slice key;
        uint32_t next;
        bool is_left_out;
} column;

typedef struct expansion {
        ps_pull p;
        ps_output *out;
        size_t most; /* bytes of it */
        const ps_saved_asked *asked;
        ps_slice *shared;
        column *column; /* of the table that is read */
        uint32_t n_shared, cap_shared, n_columns, cap_columns;
        const char *wrong; /* NULL: nothing so far */
        bool lacks_memory;
} expansion;

static bool fail(expansion *x, const char *reason)
{
        if (!x->wrong)
                x->wrong = reason;
        return false;
}

static ps_slice take_text(ps_pull *p)
{
        ps_pull_kind(p);
        const char *begin = p->at;
        ps_pull_skip(p);
        return (ps_slice){begin, (size_t)(p->at - begin)};
}

static inline bool put(expansion *x, ps_slice slice)
{
        if (slice.n > x->most || ps_output_gathered(x->out) > x->most - slice.n)
                return fail(x, "it would be too large as a report in full");
        ps_output_write(x->out, slice.text, slice.n);
        return true;
}

static inline bool put_word(expansion *x, const char *word)
{
        return put(x, (ps_slice){word, strlen(word)});
}

/* Its key stands between quotes where it comes from. */
static bool put_key(expansion *x, ps_slice key, bool is_first)
{
        if (!is_first)
                ps_output_putc(x->out, ',');
        ps_output_write(x->out, key.text - 1, key.n + 2);
        return put_word(x, ":");
}

/* -- columns -- */

static bool read_columns(expansion *x, ps_slice key);

static bool read_below(expansion *x, char bracket)
{
        ps_slice key = {0};
        unsigned n = 0;

        ps_pull_open(&x->p, bracket);
        while (bracket == '{' ? ps_pull_key(&x->p, &key) : ps_pull_element(&x->p)) {
                if (!read_columns(x, key))
                        return false;
                n++;
        }
        return !x->p.is_bad && (bracket == '{' || n == 1);
}

static bool read_columns(expansion *x, ps_slice key)
{
        uint32_t at = x->n_columns;
        char kind = ps_pull_kind(&x->p);
        ps_slice sort = {0};

        if (PS_APPEND(x->column, x->n_columns, x->cap_columns, (column){.key = key})) {
                x->lacks_memory = true;
                return false;
        }
        if (kind == '{' || kind == '[') {
                x->column[at].sort = kind == '{' ? OBJECT : LIST;
                if (!read_below(x, kind))
                        return fail(x, "its columns cannot be read");
        } else {
                ps_pull_string(&x->p, &sort);
                x->column[at].sort = ps_slice_is(sort, PS_COMPACT_SHARED) ? SHARED : VALUE;
                if (x->column[at].sort == VALUE && !ps_slice_is(sort, PS_COMPACT_VALUE))
                        return fail(x, "it has columns of an unknown sort");
        }
        x->column[at].next = x->n_columns;
        return true;
}

static bool is_asked(const char *const *keys, ps_slice key)
{
        for (; *keys; keys++)
                if (ps_slice_is(key, *keys))
                        return true;
        return false;
}

/* A table is a list of objects. */
static void choose_columns(expansion *x, ps_slice table)
{
        const ps_saved_asked *asked = x->asked;
        while (asked && asked->table && !ps_slice_is(table, asked->table))
                asked++;
        if (!asked || !asked->table || x->n_columns < 2)
                return;
        for (uint32_t i = 2; i < x->column[1].next; i = x->column[i].next)
                x->column[i].is_left_out = !is_asked(asked->keys, x->column[i].key);
}

/* -- rows -- */

static bool put_shared(expansion *x)
{
        double place = -1;

        ps_pull_number(&x->p, &place);
        if (!(place >= 0 && place < x->n_shared))
                return fail(x, "a row refers to a value that is not there");
        return put(x, x->shared[(uint32_t)place]);
}

/* Is the next value ""? Then there is no such key. */
static bool is_missing(expansion *x)
{
        ps_pull ahead = x->p;

        if (ps_pull_kind(&x->p) != '"' || take_text(&ahead).n != 2)
                return false;
        x->p = ahead;
        return true;
}

static bool expand(expansion *x, uint32_t at);

static bool expand_object(expansion *x, uint32_t at)
{
        bool is_first = true;

        ps_pull_open(&x->p, '[');
        put_word(x, "{");
        for (uint32_t i = at + 1; i < x->column[at].next; i = x->column[i].next) {
                if (!ps_pull_element(&x->p))
                        return fail(x, "a row is shorter than its columns");
                if (x->column[i].is_left_out) {
                        ps_pull_skip(&x->p);
                        continue;
                }
                if (is_missing(x))
                        continue;
                if (!put_key(x, x->column[i].key, is_first) || !expand(x, i))
                        return false;
                is_first = false;
        }
        return put_word(x, "}") && (!ps_pull_element(&x->p) || fail(x, "a row is longer than its columns"));
}

static bool expand_list(expansion *x, uint32_t at)
{
        ps_pull_open(&x->p, '[');
        put_word(x, "[");
        for (bool is_first = true; ps_pull_element(&x->p); is_first = false)
                if ((!is_first && !put_word(x, ",\n")) || !expand(x, at + 1))
                        return false;
        return put_word(x, "]");
}

static bool expand(expansion *x, uint32_t at)
{
        const column *c = &x->column[at];
        char kind = ps_pull_kind(&x->p);

        if (c->sort == VALUE || kind == 'n')
                return put(x, take_text(&x->p));
        if (c->sort == SHARED)
                return put_shared(x);
        if (kind != '[')
                return fail(x, "a row is no array");
        return (c->sort == LIST ? expand_list : expand_object)(x, at);
}

/* -- the document -- */

static bool is_table(expansion *x)
{
        ps_pull ahead = x->p;
        ps_slice key = {0};

        return ps_pull_kind(&ahead) == '{' && ps_pull_open(&ahead, '{') && ps_pull_key(&ahead, &key) &&
               ps_slice_is(key, "columns");
}

/* {"columns": ..., "rows": ...}; rows that are "" are no such member of the report. */
static bool expand_table(expansion *x, ps_slice name)
{
        ps_slice key;

        x->n_columns = 0;
        if (PS_APPEND(x->column, x->n_columns, x->cap_columns, (column){.sort = LIST})) {
                x->lacks_memory = true;
                return false;
        }
        ps_pull_open(&x->p, '{');
        ps_pull_key(&x->p, &key);
        if (!read_columns(x, key))
                return false;
        x->column[0].next = x->n_columns;
        choose_columns(x, name);
        if (!ps_pull_key(&x->p, &key) || !ps_slice_is(key, "rows"))
                return fail(x, "a table has no rows");
        if (!is_missing(x) && !(put_key(x, name, false) && expand(x, 0)))
                return false;
        return !ps_pull_key(&x->p, &key) || fail(x, "a table has more than columns and rows");
}

static bool expand_document(expansion *x)
{
        ps_slice key;

        put_word(x, "{\"schema\":\"" PS_REPORT_SCHEMA "\"");
        ps_pull_open(&x->p, '{');
        while (ps_pull_key(&x->p, &key)) {
                if (ps_slice_is(key, "schema") || ps_slice_is(key, PS_COMPACT_SHARED))
                        ps_pull_skip(&x->p);
                else if (is_table(x) ? !expand_table(x, key)
                                     : !put_key(x, key, false) || !put(x, take_text(&x->p)))
                        return false;
        }
        return put_word(x, "}") &&
               (ps_pull_is_done(&x->p) || fail(x, "it is not JSON, or only a part of it"));
}

static bool read_shared(expansion *x, ps_pull p)
{
        ps_slice key;

        for (ps_pull_open(&p, '{'); ps_pull_key(&p, &key);) {
                if (!ps_slice_is(key, PS_COMPACT_SHARED) || x->n_shared || !ps_pull_open(&p, '[')) {
                        ps_pull_skip(&p);
                        continue;
                }
                while (ps_pull_element(&p)) {
                        ps_slice text = take_text(&p);
                        if (!PS_APPEND(x->shared, x->n_shared, x->cap_shared, text))
                                continue;
                        x->lacks_memory = true;
                        return false;
                }
        }
        return true;
}

/* A report begins with its schema; one in which it comes later is looked through. */
static bool is_compact(ps_pull p)
{
        ps_slice key, schema = {0};

        if (ps_pull_kind(&p) != '{' || !ps_pull_open(&p, '{'))
                return false;
        while (!schema.text && ps_pull_key(&p, &key))
                if (ps_slice_is(key, "schema"))
                        ps_pull_string(&p, &schema);
                else
                        ps_pull_skip(&p);
        return schema.text && ps_slice_is(schema, PS_REPORT_COMPACT);
}

/* What was gathered, with a NUL behind it. */
static ps_status take_gathered(const expansion *x, char **out, size_t *n, ps_error *err)
{
        const char *gathered = ps_output_text(x->out);

        *n = ps_output_gathered(x->out);
        *out = gathered ? malloc(*n + 1) : NULL;
        if (!*out)
                return PS_NOMEM(err, "report", *n);
        memcpy(*out, gathered, *n + 1);
        return PS_OK;
}

ps_status ps_saved_expand(char **out, const char *text, size_t *n, size_t most, const ps_saved_asked *asked,
                          const char *what, const char *path, ps_error *err)
{
        expansion x = {.p = {.at = text, .end = text + *n}, .most = most, .asked = asked};

        *out = NULL;
        if (!is_compact(x.p))
                return PS_OK;
        PS_TRY(ps_output_open_memory(&x.out, PS_WIDTH_DEFAULT, err));
        bool is_good = read_shared(&x, x.p) && expand_document(&x);
        ps_status status = x.lacks_memory ? PS_NOMEM(err, "report", *n)
                           : !is_good ? ps_saved_fail(what, path, x.wrong ? x.wrong : "it is not JSON", err)
                                      : take_gathered(&x, out, n, err);
        ps_output_discard(x.out);
        free(x.shared);
        free(x.column);
        return status;
}
