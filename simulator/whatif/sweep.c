/* sweep.c - see sweep.h. What is behind the operator of an edit and holds a comma or .. is a list of values.
 */
#include "simulator/whatif/sweep.h"

#include "core/base/number.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* The operator, behind which nothing but values stands; a name may hold such letters, too. NULL: it has one
 * value. */
static const char *find_list(const char *text)
{
        if (strncmp(text, "map=", strlen("map=")) == 0)
                return NULL; /* a file may be called anything */
        for (const char *at = text + strcspn(text, "*/="); *at; at += 1 + strcspn(at + 1, "*/=")) {
                const char *values = at + 1;
                if (!values[strspn(values, "0123456789.,/kKMG")] && *values &&
                    (strchr(values, ',') || strstr(values, "..")))
                        return at;
        }
        return NULL;
}

bool ps_edit_is_swept(const char *text)
{
        return find_list(text) != NULL;
}

/* -- values -- */

typedef struct list {
        ps_edit_sweep *sweep;
        const char *text, *at;
        bool are_sizes; /* behind = */
        double value[PS_SWEEP_ROWS];
        uint32_t n;
        ps_error *err;
} list;

static ps_status fail_list(const list *l, const char *what)
{
        return PS_FAIL(l->err, PS_E_USAGE, "%s: edit=\"%.120s\", column=%zu", what, l->text,
                       (size_t)(l->at - l->text) + 1);
}

/* 4, 0.5, 1/4; 64k where it is a size. A point of ".." is none of the number. */
static ps_status read_sweep_number(list *l, double *out)
{
        char word[32] = "";
        const char *at = word;
        size_t n = strspn(l->at, "0123456789."), dots = (size_t)(strstr(l->at, "..") - l->at);

        n = strstr(l->at, "..") && dots < n ? dots : n;
        if (n && n < sizeof(word))
                memcpy(word, l->at, n);
        if (!ps_number_real(&at, out) || *at)
                return fail_list(l, "a value is missing, or no number");
        l->at += n;
        return PS_OK;
}

static ps_status read_value(list *l, double *out)
{
        static const char units[] = "kMG";
        PS_TRY(read_sweep_number(l, out));

        const char *unit = l->are_sizes && *l->at ? strchr(units, *l->at == 'K' ? 'k' : *l->at) : NULL;
        if (unit) {
                *out = ldexp(*out, 10 * (int)(unit - units + 1));
                l->at++;
        }
        if (*l->at == '/' && !l->are_sizes) {
                double below;
                l->at++;
                PS_TRY(read_sweep_number(l, &below));
                if (!(below > 0))
                        return fail_list(l, "a fraction of nothing");
                *out /= below;
        }
        return PS_OK;
}

static ps_status add_value(list *l, double value)
{
        if (l->n == PS_SWEEP_ROWS)
                return fail_list(l, "too many values");
        l->value[l->n++] = value;
        return PS_OK;
}

/* A, or A..B. */
static ps_status read_range(list *l)
{
        double from, to;
        PS_TRY(read_value(l, &from));
        PS_TRY(add_value(l, from));
        if (strncmp(l->at, "..", 2) != 0)
                return PS_OK;
        l->at += 2;
        PS_TRY(read_value(l, &to));
        if (!(from > 0) || to < from)
                return fail_list(l, "a range goes from a value above 0 up to a larger one");
        for (int doublings = 1; ldexp(from, doublings) <= to * (1 + 1e-12); doublings++)
                PS_TRY(add_value(l, ldexp(from, doublings)));
        return PS_OK;
}

static ps_status read_list(list *l)
{
        for (;;) {
                PS_TRY(read_range(l));
                if (!*l->at)
                        return PS_OK;
                if (*l->at != ',')
                        return fail_list(l, "something follows a value");
                l->at++;
        }
}

/* -- the axes -- */

static char *keep_text(const ps_edit_sweep *s, const char *from, size_t n)
{
        char *copy = ps_arena_alloc(s->arena, n + 1, 1);

        if (copy)
                memcpy(copy, from, n);
        return copy;
}

static ps_status keep_axis(const list *l, ps_sweep_axis *out, ps_error *err)
{
        const ps_edit_sweep *s = l->sweep;
        const char **word = PS_ARENA_NEW(s->arena, const char *, l->n);
        double *value = PS_ARENA_NEW(s->arena, double, l->n);

        *out = (ps_sweep_axis){.word = word, .value = value, .n = l->n};
        out->lead = keep_text(s, l->text, (size_t)(find_list(l->text) + 1 - l->text));
        if (!word || !value || !out->lead)
                return PS_NOMEM(err, "edits", l->n);
        for (uint32_t i = 0; i < l->n; i++) {
                char room[32];
                int n = snprintf(room, sizeof(room), l->are_sizes ? "%.0f" : "%.10g", l->value[i]);
                value[i] = l->value[i];
                word[i] = keep_text(s, room, (size_t)n);
                if (!word[i])
                        return PS_NOMEM(err, "edits", l->n);
        }
        return PS_OK;
}

static ps_status add_axis(ps_edit_sweep *s, const char *text, ps_error *err)
{
        const char *sign = find_list(text);
        list l = {.sweep = s, .text = text, .at = sign + 1, .are_sizes = *sign == '=', .err = err};

        if (s->n_axes == PS_SWEEP_AXES)
                return PS_FAIL(err, PS_E_USAGE, "too many edits with several values: most=%d", PS_SWEEP_AXES);
        PS_TRY(read_list(&l));
        if (l.n > PS_SWEEP_ROWS / s->n_rows)
                return PS_FAIL(err, PS_E_USAGE, "too many combinations of values: most=%d", PS_SWEEP_ROWS);
        s->n_rows *= l.n;
        return keep_axis(&l, &s->axis[s->n_axes++], err);
}

ps_status ps_edit_sweep_parse(ps_edit_sweep *out, const char *const *texts, unsigned n, ps_error *err)
{
        *out = (ps_edit_sweep){.n_rows = 1, .arena = ps_arena_new()};
        if (!out->arena)
                return PS_NOMEM(err, "edits", n);
        if (n > PS_EDITS_MAX)
                return PS_FAIL(err, PS_E_USAGE, "too many edits: n=%u, most=%d", n, PS_EDITS_MAX);
        for (unsigned i = 0; i < n; i++)
                if (ps_edit_is_swept(texts[i]))
                        PS_TRY(add_axis(out, texts[i], err));
                else
                        out->fixed[out->n_fixed++] = texts[i];
        return PS_OK;
}

void ps_edit_sweep_clear(ps_edit_sweep *sweep)
{
        ps_arena_free(sweep->arena);
        *sweep = (ps_edit_sweep){0};
}

uint32_t ps_edit_sweep_at(const ps_edit_sweep *sweep, uint32_t row, uint32_t axis)
{
        for (uint32_t a = sweep->n_axes; a-- > axis + 1;)
                row /= sweep->axis[a].n;
        return row % sweep->axis[axis].n;
}

ps_status ps_edit_sweep_texts(const char *out[PS_EDITS_MAX], const ps_edit_sweep *sweep, uint32_t row,
                              ps_error *err)
{
        for (unsigned i = 0; i < sweep->n_fixed; i++)
                out[i] = sweep->fixed[i];
        for (uint32_t a = 0; a < sweep->n_axes; a++) {
                const ps_sweep_axis *axis = &sweep->axis[a];
                const char *word = axis->word[ps_edit_sweep_at(sweep, row, a)];
                size_t lead = strlen(axis->lead), n = strlen(word);
                char *text = ps_arena_alloc(sweep->arena, lead + n + 1, 1);
                if (!text)
                        return PS_NOMEM(err, "edits", sweep->n_axes);
                snprintf(text, lead + n + 1, "%s%s", axis->lead, word);
                out[sweep->n_fixed + a] = text;
        }
        return PS_OK;
}
