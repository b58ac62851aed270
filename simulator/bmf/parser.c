/* parser.c - from text to a tree, by recursive descent: one token of look-ahead tells what follows, but
 * for "$name =", which begins a definition, and "$name", which uses one. */
#include "simulator/bmf/parser.h"
#include "core/base/vector.h"

#include <string.h>

enum { SHOWN = 40 };

static bool is_mark(const ps_bmf_parser *p, char mark)
{
        return p->token.kind == PS_BMF_T_MARK && *p->token.text == mark;
}

static ps_status advance(ps_bmf_parser *p)
{
        return ps_bmf_lexer_next(&p->lexer, &p->token, p->err);
}

static ps_status fail_expected(const ps_bmf_parser *p, const char *expected)
{
        const ps_bmf_token *t = &p->token;
        if (t->kind == PS_BMF_T_END)
                return ps_bmf_fail(p->err, PS_E_INPUT, &t->place, NULL, "expected %s, found the end",
                                   expected);
        return ps_bmf_fail(p->err, PS_E_INPUT, &t->place, NULL, "expected %s, found \"%s%.*s\"", expected,
                           t->kind == PS_BMF_T_NAME ? "$" : "", t->len < SHOWN ? (int)t->len : SHOWN,
                           t->text);
}

static ps_status take_mark(ps_bmf_parser *p, char mark)
{
        char expected[4] = {'"', mark, '"', '\0'};
        return is_mark(p, mark) ? advance(p) : fail_expected(p, expected);
}

/* Every limit that a text can exceed. */
static ps_status fail_limit(const ps_bmf_parser *p, const char *what, uint64_t limit)
{
        return ps_bmf_fail(p->err, PS_E_INPUT, &p->token.place, NULL, "there are too many %s: limit=%llu",
                           what, (unsigned long long)limit);
}

/* -- expressions -- */

static ps_status parse_expression(ps_bmf_parser *p, ps_bmf_node **out);

static ps_status add_node(ps_bmf_parser *p, ps_bmf_form form, ps_bmf_node **out)
{
        ps_bmf_node *node = PS_ARENA_NEW(p->program->arena, ps_bmf_node, 1);
        if (!node || PS_APPEND(p->node, p->n_nodes, p->cap_nodes, node))
                return PS_NOMEM(p->err, "program", p->n_nodes);
        node->form = (uint8_t)form;
        node->place = p->token.place;
        node->index = p->n_nodes - 1;
        *out = node;
        return PS_OK;
}

/* The children parsed since `first` were put on the pile. */
static ps_status take_children(ps_bmf_parser *p, ps_bmf_node *node, uint32_t first)
{
        node->n_children = p->n_pile - first;
        const ps_bmf_node **child = PS_ARENA_NEW(p->program->arena, const ps_bmf_node *, node->n_children);
        if (!child)
                return PS_NOMEM(p->err, "program", node->n_children);
        if (node->n_children)
                memcpy(child, p->pile + first, node->n_children * sizeof(const ps_bmf_node *));
        node->child = child;
        p->n_pile = first;
        return PS_OK;
}

static ps_status parse_child(ps_bmf_parser *p)
{
        ps_bmf_node *child = NULL;
        PS_TRY(parse_expression(p, &child));
        if (PS_APPEND(p->pile, p->n_pile, p->cap_pile, child))
                return PS_NOMEM(p->err, "program", p->n_pile);
        return PS_OK;
}

static ps_status parse_in_parentheses(ps_bmf_parser *p)
{
        PS_TRY(take_mark(p, '('));
        PS_TRY(parse_child(p));
        return take_mark(p, ')');
}

static ps_status parse_row(ps_bmf_parser *p, const ps_bmf_node *node)
{
        ps_status status = take_mark(p, '[');
        if (status == PS_OK && is_mark(p, ']') && node->form == PS_BMF_ALLVEC)
                return advance(p);
        while (status == PS_OK) {
                status = parse_child(p);
                if (status != PS_OK || !is_mark(p, ','))
                        break;
                status = advance(p);
        }
        return status == PS_OK ? take_mark(p, ']') : status;
}

static bool takes_word(const ps_bmf_parser *p, const char *word)
{
        return p->token.kind == PS_BMF_T_WORD && ps_bmf_same_word(p->token.text, p->token.len, word);
}

/* (B_Num number) */
static ps_status parse_number(ps_bmf_parser *p, int64_t *out)
{
        PS_TRY(take_mark(p, '('));
        PS_TRY(takes_word(p, "B_Num") ? advance(p) : fail_expected(p, "B_Num"));
        if (p->token.kind != PS_BMF_T_NUMBER || p->token.number.type != PS_BMF_INT)
                return fail_expected(p, "an integer");
        *out = p->token.number.integer;
        PS_TRY(advance(p));
        return take_mark(p, ')');
}

static ps_status parse_typed_number(ps_bmf_parser *p, ps_bmf_type type, ps_bmf_value *out)
{
        PS_TRY(advance(p));
        bool fits = p->token.kind == PS_BMF_T_NUMBER &&
                    (type == PS_BMF_REAL || p->token.number.type == PS_BMF_INT);
        if (!fits)
                return fail_expected(p, type == PS_BMF_INT ? "an integer" : "a number");
        *out = p->token.number;
        if (out->type != type)
                *out = (ps_bmf_value){.type = PS_BMF_REAL, .real = (double)p->token.number.integer};
        return advance(p);
}

static ps_status parse_constant(ps_bmf_parser *p, ps_bmf_value *out)
{
        PS_TRY(take_mark(p, '('));
        if (takes_word(p, "B_Int")) {
                PS_TRY(parse_typed_number(p, PS_BMF_INT, out));
        } else if (takes_word(p, "B_Real")) {
                PS_TRY(parse_typed_number(p, PS_BMF_REAL, out));
        } else if (takes_word(p, "B_True") || takes_word(p, "B_False")) {
                *out = ps_bmf_truth(takes_word(p, "B_True"));
                PS_TRY(advance(p));
        } else {
                return fail_expected(p, "B_Int, B_Real, B_True or B_False");
        }
        return take_mark(p, ')');
}

static ps_bmf_op find_operator(const ps_bmf_parser *p)
{
        unsigned op = 0;
        while (op < PS_BMF_OPS && !takes_word(p, ps_bmf_ops[op].name))
                op++;
        return (ps_bmf_op)op;
}

static ps_status parse_operator(ps_bmf_parser *p, uint8_t *out)
{
        PS_TRY(take_mark(p, '('));
        ps_bmf_op op = find_operator(p);
        if (op == PS_BMF_OPS)
                return fail_expected(p, "an operator");
        *out = (uint8_t)op;
        PS_TRY(advance(p));
        return take_mark(p, ')');
}

static ps_status parse_arguments(ps_bmf_parser *p, ps_bmf_node *node)
{
        ps_bmf_shape shape = (ps_bmf_shape)ps_bmf_forms[node->form].shape;
        ps_status status;
        switch (shape) {
        case PS_BMF_SHAPE_EXPS:
                return parse_row(p, node);
        case PS_BMF_SHAPE_CON:
                return parse_constant(p, &node->constant);
        case PS_BMF_SHAPE_OP:
                return parse_operator(p, &node->op);
        case PS_BMF_SHAPE_NUM:
        case PS_BMF_SHAPE_NUM_NUM:
                status = parse_number(p, &node->number[0]);
                return status == PS_OK && shape == PS_BMF_SHAPE_NUM_NUM ? parse_number(p, &node->number[1])
                                                                        : status;
        case PS_BMF_SHAPE_EXP:
        case PS_BMF_SHAPE_EXP_EXP:
        case PS_BMF_SHAPE_EXP_MAYBE_EXP:
                status = parse_in_parentheses(p);
                if (status != PS_OK || shape == PS_BMF_SHAPE_EXP ||
                    (shape == PS_BMF_SHAPE_EXP_MAYBE_EXP && !is_mark(p, '(')))
                        return status;
                return parse_in_parentheses(p);
        case PS_BMF_SHAPE_NONE:
                break;
        }
        return PS_OK;
}

static ps_status parse_form(ps_bmf_parser *p, ps_bmf_node **out)
{
        unsigned form = 0;
        uint32_t first = p->n_pile;
        while (form < PS_BMF_FORMS && !takes_word(p, ps_bmf_forms[form].name))
                form++;
        if (form == PS_BMF_FORMS && p->token.kind == PS_BMF_T_WORD && find_operator(p) != PS_BMF_OPS)
                return ps_bmf_fail(p->err, PS_E_INPUT, &p->token.place, ps_bmf_ops[find_operator(p)].name,
                                   "an operator stands only in B_Op (...)");
        if (form == PS_BMF_FORMS)
                return fail_expected(p, "an expression");
        PS_TRY(add_node(p, (ps_bmf_form)form, out));
        PS_TRY(advance(p));
        PS_TRY(parse_arguments(p, *out));
        return take_children(p, *out, first);
}

/* Its target is looked up when all definitions are there. */
static ps_status parse_reference(ps_bmf_parser *p, ps_bmf_node **out)
{
        PS_TRY(add_node(p, PS_BMF_REFERENCE, out));
        if (PS_APPEND(p->use, p->n_uses, p->cap_uses,
                      (ps_bmf_use){*out, p->token.text, (uint32_t)p->token.len, p->definition, PS_NONE}))
                return PS_NOMEM(p->err, "program", p->n_uses);
        return advance(p);
}

static ps_status parse_expression(ps_bmf_parser *p, ps_bmf_node **out)
{
        if (p->depth >= p->limits->nesting)
                return fail_limit(p, "nested expressions", p->limits->nesting);
        p->depth++;
        ps_status status = p->token.kind == PS_BMF_T_NAME ? parse_reference(p, out) : parse_form(p, out);
        p->depth--;
        return status;
}

/* -- data -- */

static ps_status parse_data(ps_bmf_parser *p, ps_bmf_value *out);

/* The items that were put on the pile of data since `first`. */
static ps_status take_items(ps_bmf_parser *p, uint32_t first, ps_bmf_value *out)
{
        uint32_t n = p->n_items - first;
        ps_bmf_object *object = ps_bmf_object_new(&p->pool, n, 0);
        if (!object)
                return fail_limit(p, "list and tuple items", p->limits->items);
        if (n)
                memcpy(object->item, p->item + first, n * sizeof(*object->item));
        ps_bmf_object_finish(object);
        if (object->depth > p->limits->value_depth)
                return fail_limit(p, "nested lists and tuples", p->limits->value_depth);
        p->n_items = first;
        out->object = object;
        return PS_OK;
}

static ps_status parse_item(ps_bmf_parser *p, ps_bmf_type in, uint32_t first)
{
        ps_bmf_value item = {0};
        ps_bmf_place place = p->token.place;
        PS_TRY(parse_data(p, &item));
        if (in == PS_BMF_LIST && p->n_items > first && p->item[first].type != item.type)
                return ps_bmf_fail(p->err, PS_E_INPUT, &place, NULL,
                                   "items of a list differ in type: first=%s, this=%s",
                                   ps_bmf_type_names[p->item[first].type], ps_bmf_type_names[item.type]);
        if (PS_APPEND(p->item, p->n_items, p->cap_items, item))
                return PS_NOMEM(p->err, "program", p->n_items);
        return PS_OK;
}

static ps_status parse_items(ps_bmf_parser *p, ps_bmf_value *out)
{
        uint32_t first = p->n_items;
        char end = is_mark(p, '[') ? ']' : '}';
        out->type = end == ']' ? PS_BMF_LIST : PS_BMF_TUPLE;
        ps_status status = advance(p);
        bool is_empty = end == ']' && is_mark(p, end);
        while (status == PS_OK && !is_empty) {
                status = parse_item(p, (ps_bmf_type)out->type, first);
                if (status != PS_OK || !is_mark(p, ','))
                        break;
                status = advance(p);
        }
        PS_THEN(status, take_mark(p, end));
        return status == PS_OK ? take_items(p, first, out) : status;
}

static ps_status parse_data(ps_bmf_parser *p, ps_bmf_value *out)
{
        ps_status status;
        if (p->depth > p->limits->value_depth)
                return fail_limit(p, "nested lists and tuples", p->limits->value_depth);
        if (is_mark(p, '[') || is_mark(p, '{')) {
                p->depth++;
                status = parse_items(p, out);
                p->depth--;
                return status;
        }
        if (p->token.kind == PS_BMF_T_NUMBER)
                *out = p->token.number;
        else if (takes_word(p, "true") || takes_word(p, "false"))
                *out = ps_bmf_truth(takes_word(p, "true"));
        else
                return fail_expected(p, "a number, true, false, [ or {");
        return advance(p);
}

/* -- texts -- */

static ps_status parse_definition(ps_bmf_parser *p)
{
        if (PS_ROOM(p->defined, p->n_defined, p->cap_defined))
                return PS_NOMEM(p->err, "program", p->n_defined);
        p->definition = p->n_defined++;
        ps_bmf_node *root = NULL;
        ps_bmf_definition *d = &p->defined[p->definition];
        *d = (ps_bmf_definition){p->token.text, (uint32_t)p->token.len, p->token.place, NULL, p->definition};
        PS_TRY(advance(p));
        PS_TRY(take_mark(p, '='));
        PS_TRY(parse_expression(p, &root));
        p->defined[p->definition].root = root;
        p->definition = PS_NONE;
        return PS_OK;
}

static ps_status begin_text(ps_bmf_parser *p, const ps_bmf_text *text)
{
        size_t len = strlen(text->path) + 1;
        char *path = PS_ARENA_NEW(p->program->arena, char, len);
        if (!path)
                return PS_NOMEM(p->err, "program", len);
        memcpy(path, text->path, len);
        ps_bmf_lexer_init(&p->lexer, path, text->text, text->len);
        p->token = (ps_bmf_token){.place = {path, 1, 1}};
        if (text->len > p->limits->text_bytes)
                return fail_limit(p, "bytes of program text", p->limits->text_bytes);
        return advance(p);
}

/* Is what follows "$name =" ? */
static bool is_definition(const ps_bmf_parser *p)
{
        ps_bmf_lexer ahead = p->lexer;
        ps_bmf_token next;
        return p->token.kind == PS_BMF_T_NAME && ps_bmf_lexer_next(&ahead, &next, NULL) == PS_OK &&
               next.kind == PS_BMF_T_MARK && *next.text == '=';
}

ps_status ps_bmf_parse_library(ps_bmf_parser *p, const ps_bmf_text *text)
{
        PS_TRY(begin_text(p, text));
        while (p->token.kind != PS_BMF_T_END)
                PS_TRY(p->token.kind == PS_BMF_T_NAME ? parse_definition(p)
                                                      : fail_expected(p, "a definition ($name = ...)"));
        return PS_OK;
}

ps_status ps_bmf_parse_program(ps_bmf_parser *p, const ps_bmf_text *text)
{
        ps_bmf_node *root = NULL;
        PS_TRY(begin_text(p, text));
        while (is_definition(p))
                PS_TRY(parse_definition(p));
        PS_TRY(parse_expression(p, &root));
        PS_TRY(parse_data(p, &p->program->data));
        if (p->token.kind != PS_BMF_T_END)
                return fail_expected(p, "the end after the program's data");
        p->program->root = root;
        return PS_OK;
}
