/* program.c - texts and files become a program: both are parsed, names are looked up, and definitions
 * that lead back to themselves are found without recursion, by taking away again and again those that use
 * none that is left. */
#include "simulator/bmf/program.h"

#include "core/base/file.h"
#include "core/base/search.h"
#include "simulator/bmf/parser.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { SHOWN = 40 };

const ps_bmf_form_info ps_bmf_forms[PS_BMF_FORMS] = {
#define PS_BMF_FORM(id, name, shape, cost) {name, PS_BMF_SHAPE_##shape, cost},
#include "simulator/bmf/bmf.def"
};

const ps_bmf_op_info ps_bmf_ops[PS_BMF_OPS] = {
#define PS_BMF_OP(id, name, sort, cost) {name, PS_BMF_SORT_##sort, PS_BMF_COST_##cost},
#include "simulator/bmf/bmf.def"
};

const ps_bmf_limits ps_bmf_limits_default = {
#define PS_BMF_LIMIT(field, value, what) .field = value,
#include "simulator/bmf/bmf.def"
};

ps_status ps_bmf_fail(ps_error *err, ps_status status, const ps_bmf_place *at, const char *name,
                      const char *fmt, ...)
{
        char what[PS_ERROR_TEXT];
        va_list args;
        va_start(args, fmt);
        vsnprintf(what, sizeof(what), fmt, args);
        va_end(args);
        const char *joint = strstr(what, ": ") ? ", " : ": ";
        return PS_FAIL(err, status, "%s%s%s%s%sline=%u, column=%u, path=\"%s\"", what, joint,
                       name ? "operator=" : "", name ? name : "", name ? ", " : "", at->line, at->column,
                       at->path);
}

const char *ps_bmf_node_name(const ps_bmf_node *node)
{
        if (node->form == PS_BMF_OP)
                return ps_bmf_ops[node->op].name;
        return node->form < PS_BMF_FORMS ? ps_bmf_forms[node->form].name : NULL;
}

/* -- names -- */

static int compare_names(const char *a, size_t a_len, const char *b, size_t b_len)
{
        for (size_t i = 0; i < a_len && i < b_len; i++) {
                int x = tolower((unsigned char)a[i]), y = tolower((unsigned char)b[i]);
                PS_ORDER_BY(x, y);
        }
        return PS_ORDER(a_len, b_len);
}

static int by_name(const void *a, const void *b)
{
        const ps_bmf_definition *x = *(ps_bmf_definition *const *)a, *y = *(ps_bmf_definition *const *)b;
        int order = compare_names(x->name, x->len, y->name, y->len);
        return order ? order : (x->order > y->order) - (x->order < y->order);
}

static ps_status fail_name(const ps_bmf_parser *p, const ps_bmf_place *at, const char *what, const char *name,
                           uint32_t len)
{
        return ps_bmf_fail(p->err, PS_E_INPUT, at, NULL, "%s: name=\"$%.*s\"", what,
                           len < SHOWN ? (int)len : SHOWN, name);
}

static ps_status look_up(const ps_bmf_parser *p, ps_bmf_definition *const *sorted, ps_bmf_use *use)
{
        uint32_t low = 0;
        PS_SEARCH(low, p->n_defined, i,
                  compare_names(sorted[i]->name, sorted[i]->len, use->name, use->len) < 0);
        const ps_bmf_definition *d = low < p->n_defined ? sorted[low] : NULL;
        if (!d || compare_names(d->name, d->len, use->name, use->len))
                return fail_name(p, &use->node->place, "no such definition", use->name, use->len);
        const ps_bmf_node **child = PS_ARENA_NEW(p->program->arena, const ps_bmf_node *, 1);
        if (!child)
                return PS_NOMEM(p->err, "program", 1);
        child[0] = d->root;
        use->target = d->order;
        use->node->child = child;
        use->node->n_children = 1;
        return PS_OK;
}

static ps_status resolve_names(ps_bmf_parser *p)
{
        ps_bmf_definition **sorted = calloc((size_t)p->n_defined + 1, sizeof(*sorted));
        ps_status status = sorted ? PS_OK : PS_NOMEM(p->err, "definitions", p->n_defined);
        for (uint32_t i = 0; sorted && i < p->n_defined; i++)
                sorted[i] = &p->defined[i];
        if (sorted)
                qsort(sorted, p->n_defined, sizeof(*sorted), by_name);
        for (uint32_t i = 1; i < p->n_defined && status == PS_OK; i++)
                if (!compare_names(sorted[i]->name, sorted[i]->len, sorted[i - 1]->name, sorted[i - 1]->len))
                        status = fail_name(p, &sorted[i]->place, "defined twice", sorted[i]->name,
                                           sorted[i]->len);
        for (uint32_t i = 0; i < p->n_uses && status == PS_OK; i++)
                status = look_up(p, sorted, &p->use[i]);
        free(sorted);
        return status;
}

/* -- recursion -- */

/* Uses inside of definitions, grouped by the definition that they use. */
typedef struct uses_of {
        uint32_t *first, *use; /* use[first[d] ..  first[d + 1]) */
        uint32_t *left;        /* by definition: how many uses in it are not known to end */
        uint32_t *ready;
} uses_of;

static void group_uses(const ps_bmf_parser *p, uses_of *u)
{
        for (uint32_t i = 0; i < p->n_uses; i++)
                if (p->use[i].inside != PS_NONE) {
                        u->first[p->use[i].target + 1]++;
                        u->left[p->use[i].inside]++;
                }
        for (uint32_t d = 0; d < p->n_defined; d++)
                u->first[d + 1] += u->first[d];
        for (uint32_t i = p->n_uses; i-- > 0;)
                if (p->use[i].inside != PS_NONE)
                        u->use[--u->first[p->use[i].target + 1]] = i;
        /* Filling moved each end to its beginning; the beginning of d is now what first[d + 1] says. */
        for (uint32_t d = 0; d < p->n_defined; d++)
                u->first[d] = u->first[d + 1];
        uint32_t n = 0;
        for (uint32_t i = 0; i < p->n_uses; i++)
                n += p->use[i].inside != PS_NONE;
        u->first[p->n_defined] = n;
}

/* How many definitions do not end. */
static uint32_t take_away(const ps_bmf_parser *p, uses_of *u)
{
        uint32_t n_ready = 0;
        for (uint32_t d = 0; d < p->n_defined; d++)
                if (!u->left[d])
                        u->ready[n_ready++] = d;
        for (uint32_t at = 0; at < n_ready; at++) {
                uint32_t d = u->ready[at];
                for (uint32_t i = u->first[d]; i < u->first[d + 1]; i++) {
                        uint32_t user = p->use[u->use[i]].inside;
                        if (--u->left[user] == 0)
                                u->ready[n_ready++] = user;
                }
        }
        return p->n_defined - n_ready;
}

/* The first use, in the order of the text, by which a definition leads to one that does not end. */
static ps_status check_recursion(ps_bmf_parser *p)
{
        uses_of u = {calloc((size_t)p->n_defined + 2, sizeof(uint32_t)),
                     calloc((size_t)p->n_uses + 1, sizeof(uint32_t)),
                     calloc((size_t)p->n_defined + 1, sizeof(uint32_t)),
                     calloc((size_t)p->n_defined + 1, sizeof(uint32_t))};
        ps_status status = PS_OK;
        if (!u.first || !u.use || !u.left || !u.ready) {
                status = PS_NOMEM(p->err, "definitions", p->n_defined);
        } else {
                group_uses(p, &u);
                bool is_recursive = take_away(p, &u) > 0;
                for (uint32_t i = 0; is_recursive && i < p->n_uses && status == PS_OK; i++)
                        if (p->use[i].inside != PS_NONE && u.left[p->use[i].inside] &&
                            u.left[p->use[i].target])
                                status = fail_name(p, &p->use[i].node->place,
                                                   "a definition leads back to itself", p->use[i].name,
                                                   p->use[i].len);
        }
        free(u.first);
        free(u.use);
        free(u.left);
        free(u.ready);
        return status;
}

/* -- programs -- */

void ps_bmf_program_free(ps_bmf_program *program)
{
        if (!program)
                return;
        ps_arena_free(program->arena);
        free(program);
}

static ps_status keep_nodes(const ps_bmf_parser *p)
{
        ps_bmf_node **nodes = PS_ARENA_NEW(p->program->arena, ps_bmf_node *, p->n_nodes);
        if (!nodes)
                return PS_NOMEM(p->err, "program", p->n_nodes);
        memcpy(nodes, p->node, p->n_nodes * sizeof(ps_bmf_node *));
        p->program->nodes = (const ps_bmf_node *const *)nodes;
        p->program->n_nodes = p->n_nodes;
        return PS_OK;
}

ps_status ps_bmf_parse(ps_bmf_program **out, const ps_bmf_text *text, const ps_bmf_text *library,
                       const ps_bmf_limits *limits, ps_error *err)
{
        ps_bmf_parser p = {.limits = limits ? limits : &ps_bmf_limits_default, .err = err};
        p.definition = PS_NONE;
        *out = NULL;
        p.program = calloc(1, sizeof(*p.program));
        if (p.program)
                p.program->arena = ps_arena_new();
        ps_status status = p.program && p.program->arena ? PS_OK : PS_NOMEM(err, "program", 1);
        if (status == PS_OK) {
                p.pool = (ps_bmf_pool){p.program->arena, p.limits->items};
                status = library ? ps_bmf_parse_library(&p, library) : PS_OK;
        }
        PS_THEN(status, ps_bmf_parse_program(&p, text));
        PS_THEN(status, resolve_names(&p));
        PS_THEN(status, check_recursion(&p));
        PS_THEN(status, keep_nodes(&p));
        free(p.node);
        free(p.pile);
        free(p.defined);
        free(p.use);
        free(p.item);
        if (status == PS_OK)
                *out = p.program;
        else
                ps_bmf_program_free(p.program);
        return status;
}

static ps_status read_text(ps_bmf_text *out, char **owned, const char *path, ps_error *err)
{
        FILE *file = strcmp(path, "-") ? ps_file_open(path) : stdin;
        *out = (ps_bmf_text){.path = path};
        ps_status status =
                ps_file_read(owned, &out->len, file, ps_bmf_limits_default.text_bytes, "program", path, err);
        out->text = *owned;
        return status;
}

ps_status ps_bmf_read(ps_bmf_program **out, const char *program, const char *library, ps_error *err)
{
        ps_bmf_text text, more;
        char *owned = NULL, *more_owned = NULL;
        *out = NULL;
        ps_status status = read_text(&text, &owned, program, err);
        if (status == PS_OK && library)
                status = read_text(&more, &more_owned, library, err);
        PS_THEN(status, ps_bmf_parse(out, &text, library ? &more : NULL, NULL, err));
        free(owned);
        free(more_owned);
        return status;
}
