/* edits.c - an edit is read by the function of its row; errors name the column. */
#include "core/base/nearest.h"
#include "core/base/number.h"
#include "simulator/cost/collectives.h"
#include "simulator/whatif/whatif.h"

#include <stdlib.h>
#include <string.h>

enum { ID_MAX = 64 };

#define FACTOR_MAX 1e9

typedef struct cursor {
        ps_edits *edits;
        const char *text, *at;
        ps_error *err;
        unsigned n_ranges; /* at most so many are in all edits */
} cursor;

static ps_status fail_edit(const cursor *c, const char *what)
{
        return PS_FAIL(c->err, PS_E_USAGE, "%s: edit=\"%.120s\", column=%zu", what, c->text,
                       (size_t)(c->at - c->text) + 1);
}

static bool take_letter(cursor *c, char letter)
{
        if (*c->at != letter)
                return false;
        c->at++;
        return true;
}

static ps_status read_end(const cursor *c)
{
        return *c->at ? fail_edit(c, "nothing may follow here") : PS_OK;
}

/* *F, or /F which is the inverse. */
static ps_status read_factor(cursor *c, double *out)
{
        int divides = *c->at == '/';
        if (!take_letter(c, '*') && !take_letter(c, '/'))
                return fail_edit(c, "* or / with a factor is missing");
        if (!ps_number_real(&c->at, out) || *out > FACTOR_MAX || (divides && *out < 1 / FACTOR_MAX))
                return fail_edit(c, divides ? "the factor is missing, 0 or too large"
                                            : "the factor is missing or too large");
        *out = divides ? 1 / *out : *out;
        return read_end(c);
}

static char *keep_text(const cursor *c, const char *from, size_t n)
{
        char *copy = ps_arena_alloc(c->edits->arena, n + 1, 1);
        if (copy)
                memcpy(copy, from, n);
        return copy;
}

/* A name may hold * and / itself: the last of them is the operator. */
static ps_status read_name(cursor *c, const char **out, int to_end)
{
        const char *end = c->at + strlen(c->at);
        if (!to_end) {
                while (end > c->at && *end != '*' && *end != '/')
                        end--;
                if (end == c->at && *c->at != '*' && *c->at != '/')
                        end = c->at + strlen(c->at);
        }
        if (end == c->at)
                return fail_edit(c, "a name is missing");
        *out = keep_text(c, c->at, (size_t)(end - c->at));
        c->at = end;
        return *out ? PS_OK : PS_NOMEM(c->err, "edits", 1);
}

static ps_status read_rank(cursor *c, ps_proc *out)
{
        uint64_t n;
        if (!ps_number_whole(&c->at, PS_NONE - 1, &n))
                return fail_edit(c, "a rank is missing or too large");
        *out = (ps_proc)n;
        return PS_OK;
}

/* As many as there are at most, whatever the text says: each but the first stands behind a comma. */
static unsigned count_ranges(const char *text)
{
        unsigned n = 1;
        for (; *text; text++)
                n += *text == ',';
        return n;
}

/* rows: room for all that count_ranges() told of. */
static ps_status read_ranges(cursor *c, ps_edit_ranks *rows, unsigned *n)
{
        do {
                ps_edit_ranks *r = &rows[*n];
                PS_TRY(read_rank(c, &r->first));
                r->last = r->first;
                if (take_letter(c, '-'))
                        PS_TRY(read_rank(c, &r->last));
                if (r->last < r->first)
                        return fail_edit(c, "the first rank is greater than the last one");
                ++*n;
        } while (take_letter(c, ','));
        return PS_OK;
}

static ps_status read_ranks(cursor *c)
{
        ps_edits *e = c->edits;
        double factor = 1;
        unsigned first = e->n_ranks;
        if (!take_letter(c, ':'))
                return fail_edit(c, ": with a rank is missing");
        PS_TRY(read_ranges(c, e->ranks, &e->n_ranks));
        PS_TRY(read_factor(c, &factor));
        for (unsigned i = first; i < e->n_ranks; i++) {
                e->ranks[i].factor = factor;
                e->ranks[i].text = c->text;
        }
        return PS_OK;
}

/* -- what is computed -- */

/* Ranks behind the last @ of the name, if that is what they are. Fixes name as many as wait. */
static ps_status split_ranks(const cursor *c, ps_edit_work *w)
{
        const char *at = strrchr(w->name, '@');
        w->bare = w->name;
        if (!at || at == w->name || !at[1] || at[1 + strspn(at + 1, "0123456789,-")])
                return PS_OK;
        ps_edit_ranks *ranks = PS_ARENA_NEW(c->edits->arena, ps_edit_ranks, count_ranges(at + 1));
        w->bare = keep_text(c, w->name, (size_t)(at - w->name));
        w->ranks = ranks;
        if (!ranks || !w->bare)
                return PS_NOMEM(c->err, "edits", 1);
        cursor in = *c; /* which stands behind the name */
        in.at -= strlen(at + 1);
        PS_TRY(read_ranges(&in, ranks, &w->n_ranks));
        if (in.at != c->at)
                return PS_FAIL(c->err, PS_E_USAGE,
                               "this is not a list of ranks: edit=\"%.120s\", ranks=\"%.40s\"", c->text,
                               at + 1);
        return PS_OK;
}

static ps_status read_work(cursor *c, ps_work_change change)
{
        ps_edit_work *w = &c->edits->works[c->edits->n_works++];
        *w = (ps_edit_work){.factor = 1, .change = change, .text = c->text};
        if (!take_letter(c, ':'))
                return fail_edit(c, ": with a name is missing");
        PS_TRY(read_name(c, &w->name, change != PS_WORK_SCALE));
        PS_TRY(split_ranks(c, w));
        return change == PS_WORK_SCALE ? read_factor(c, &w->factor) : PS_OK;
}

static ps_status read_region(cursor *c)
{
        return read_work(c, PS_WORK_SCALE);
}

static ps_status read_even(cursor *c)
{
        return read_work(c, PS_WORK_EVEN);
}

static ps_status read_balance(cursor *c)
{
        if (*c->at == ':')
                return read_work(c, PS_WORK_BALANCE);
        c->edits->balanced = 1;
        return read_end(c);
}

/* Who is named may begin late; without ranks, everybody. */
static ps_status read_start(cursor *c)
{
        ps_edits *e = c->edits;
        if (!e->starts)
                e->starts = PS_ARENA_NEW(e->arena, ps_edit_ranks, c->n_ranges);
        if (!e->starts)
                return PS_NOMEM(c->err, "edits", 1);
        unsigned first = e->n_starts;
        if (take_letter(c, ':'))
                PS_TRY(read_ranges(c, e->starts, &e->n_starts));
        else
                e->all_start = 1;
        for (unsigned i = first; i < e->n_starts; i++)
                e->starts[i].text = c->text;
        return read_end(c);
}

static ps_status read_latency(cursor *c)
{
        double factor;
        PS_TRY(read_factor(c, &factor));
        c->edits->latency *= factor;
        return PS_OK;
}

/* Twice the bandwidth is half the time. */
static ps_status read_bandwidth(cursor *c)
{
        double factor;
        const char *at = c->at;
        PS_TRY(read_factor(c, &factor));
        if (!(factor >= 1 / FACTOR_MAX)) {
                c->at = at;
                return fail_edit(c, "the bandwidth must be above 0, or no message would ever arrive");
        }
        c->edits->per_byte /= factor;
        return PS_OK;
}

static ps_status read_eager(cursor *c)
{
        static const char units[] = "kMG";
        uint64_t n;
        if (!take_letter(c, '='))
                return fail_edit(c, "= with a size is missing");
        if (!ps_number_whole(&c->at, UINT64_MAX - 1, &n))
                return fail_edit(c, "a size is missing or too large");
        const char *unit = *c->at ? strchr(units, *c->at == 'K' ? 'k' : *c->at) : NULL;
        if (unit) {
                if (__builtin_mul_overflow(n, UINT64_C(1) << (10 * (unit - units + 1)), &n))
                        return fail_edit(c, "a size is too large");
                c->at++;
        }
        c->edits->has_eager = true;
        c->edits->eager_bytes = n;
        return read_end(c);
}

static ps_status read_overlap(cursor *c)
{
        c->edits->overlap = 1;
        return read_end(c);
}

static ps_status read_ideal(cursor *c)
{
        c->edits->ideal = 1;
        return read_end(c);
}

static ps_status read_map(cursor *c)
{
        if (!take_letter(c, '=') || !*c->at)
                return fail_edit(c, "= with a file is missing");
        if (c->edits->map)
                return fail_edit(c, "there may be only one map");
        c->edits->map = c->at;
        return PS_OK;
}

/* -- words of a table -- */

static ps_status fail_word(const cursor *c, const char *what, const char *word, const char *const *known,
                           unsigned n)
{
        const char *near = ps_nearest(word, known, n);
        if (near)
                return PS_FAIL(c->err, PS_E_USAGE, "%s \"%s\": did you mean %s? edit=\"%.120s\", column=%zu",
                               what, word, near, c->text, (size_t)(c->at - c->text) + 1);
        return PS_FAIL(c->err, PS_E_USAGE, "%s \"%.60s\": edit=\"%.120s\", column=%zu", what, word, c->text,
                       (size_t)(c->at - c->text) + 1);
}

/* The place of the word at the cursor among those known, which ends before one of `stops`. */
static ps_status read_word(cursor *c, const char *what, const char *stops, const char *const *known,
                           unsigned n, unsigned *out)
{
        size_t len = strcspn(c->at, stops);
        char *word = keep_text(c, c->at, len);
        if (!word)
                return PS_NOMEM(c->err, "edits", 1);
        for (*out = 0; *out < n; ++*out)
                if (known[*out] && strcmp(known[*out], word) == 0) {
                        c->at += len;
                        return PS_OK;
                }
        return fail_word(c, what, word, known, n);
}

static ps_status read_kind(cursor *c, ps_kind *out)
{
        const char *names[PS_K_COUNT];
        ps_kind kinds[PS_K_COUNT];
        unsigned n = 0, at;
        for (int k = 0; k < PS_K_COUNT; k++)
                if (ps_kinds[k].cls == PS_C_COLL && !(ps_kinds[k].traits & (PS_T_LIFE | PS_T_TEAM))) {
                        kinds[n] = (ps_kind)k;
                        names[n++] = ps_kinds[k].name;
                }
        PS_TRY(read_word(c, "no collective operation", "=", names, n, &at));
        *out = kinds[at];
        return PS_OK;
}

static ps_status read_coll(cursor *c)
{
        ps_edit_collective *k = &c->edits->collectives[c->edits->n_collectives++];
        unsigned shape[2] = {0, PS_SHAPE_FREE};
        if (!take_letter(c, ':'))
                return fail_edit(c, ": with an operation is missing");
        PS_TRY(read_kind(c, &k->kind));
        if (!take_letter(c, '='))
                return fail_edit(c, "= with a shape is missing");
        PS_TRY(read_word(c, "no shape", ",", ps_shape_names, PS_N_SHAPES, &shape[0]));
        if (take_letter(c, ','))
                PS_TRY(read_word(c, "no shape", ",", ps_shape_names, PS_N_SHAPES, &shape[1]));
        k->shape[0] = (uint8_t)shape[0];
        k->shape[1] = (uint8_t)shape[1];
        return read_end(c);
}

static ps_status read_id(cursor *c)
{
        size_t len;
        if (!take_letter(c, ':') || !*c->at)
                return fail_edit(c, ": with a pattern or a finding is missing");
        len = strspn(c->at, "abcdefghijklmnopqrstuvwxyz0123456789-");
        if (!c->at[len] && len <= ID_MAX)
                return PS_OK;
        c->at += len;
        return fail_edit(c, "this is no id of a pattern or a finding");
}

static ps_status read_remove(cursor *c)
{
        PS_TRY(read_id(c));
        c->edits->removed[c->edits->n_removed].id = c->at;
        c->edits->removed[c->edits->n_removed++].text = c->text;
        return PS_OK;
}

static ps_status read_reorder(cursor *c)
{
        PS_TRY(read_id(c));
        c->edits->reordered[c->edits->n_reordered].id = c->at;
        c->edits->reordered[c->edits->n_reordered++].text = c->text;
        return PS_OK;
}

/* -- the table -- */

const ps_edit_row ps_edit_rows[] = {
#define PS_EDIT(name, form, read, help) {name, form, help},
#include "simulator/whatif/edits.def"
#undef PS_EDIT
};
const unsigned ps_n_edit_rows = sizeof(ps_edit_rows) / sizeof(*ps_edit_rows);

static ps_status (*const readers[])(cursor *) = {
#define PS_EDIT(name, form, read, help) read_##read,
#include "simulator/whatif/edits.def"
#undef PS_EDIT
};

static ps_status read_edit(ps_edits *edits, const char *text, unsigned n_ranges, ps_error *err)
{
        const char *names[sizeof(readers) / sizeof(*readers)];
        cursor c = {edits, text, text, err, n_ranges};
        unsigned row;
        for (unsigned i = 0; i < ps_n_edit_rows; i++)
                names[i] = ps_edit_rows[i].name;
        PS_TRY(read_word(&c, "unknown edit", ":=*/", names, ps_n_edit_rows, &row));
        return readers[row](&c);
}

ps_status ps_edits_parse(ps_edits *out, const char *const *texts, unsigned n, ps_error *err)
{
        *out = (ps_edits){.text = texts, .n_text = n, .latency = 1, .per_byte = 1, .arena = ps_arena_new()};
        unsigned n_ranges = 1;
        for (unsigned i = 0; i < n; i++)
                n_ranges += count_ranges(texts[i]);
        out->ranks = out->arena ? PS_ARENA_NEW(out->arena, ps_edit_ranks, n_ranges) : NULL;
        if (!out->ranks)
                return PS_NOMEM(err, "edits", n);
        if (n > PS_EDITS_MAX)
                return PS_FAIL(err, PS_E_USAGE, "there are too many edits: n=%u, most=%d", n, PS_EDITS_MAX);
        for (unsigned i = 0; i < n; i++)
                PS_TRY(read_edit(out, texts[i], n_ranges, err));
        return PS_OK;
}

void ps_edits_clear(ps_edits *edits)
{
        ps_arena_free(edits->arena);
        *edits = (ps_edits){0};
}
