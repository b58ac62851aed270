/* operate.c - what stands in B_Op (...): arithmetic, logic, and what is done with whole lists.
 *
 * Integers and reals may be mixed; a result is an integer if both are. Division of integers rounds towards
 * zero, as Ada's does. What has no result - a division by zero, an integer beyond 64 bits, a real that is not
 * finite - is an error. */
#include "core/base/search.h"
#include "simulator/bmf/eval.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static bool is_number(ps_bmf_value v)
{
        return v.type == PS_BMF_INT || v.type == PS_BMF_REAL;
}

static double as_real(ps_bmf_value v)
{
        return v.type == PS_BMF_REAL ? v.real : (double)v.integer;
}

static ps_status fail_overflow(ps_bmf_eval *e, const ps_bmf_node *node)
{
        return PS_BMF_FAIL(e, node, "the result is too large");
}

static ps_status take_numbers(ps_bmf_eval *e, const ps_bmf_node *node, ps_bmf_value x,
                              const ps_bmf_value **out)
{
        PS_TRY(ps_bmf_take_pair(e, node, x, out));
        for (int i = 0; i < 2; i++)
                if (!is_number((*out)[i]))
                        return ps_bmf_fail_type(e, node, "number", (*out)[i]);
        return PS_OK;
}

static ps_status on_integers(ps_bmf_eval *e, const ps_bmf_node *node, int64_t a, int64_t b, ps_bmf_value *out)
{
        int64_t c = 0;
        int overflow = 0;
        switch (node->op) {
        case PS_BMF_OP_PLUS:
                overflow = __builtin_add_overflow(a, b, &c);
                break;
        case PS_BMF_OP_MINUS:
                overflow = __builtin_sub_overflow(a, b, &c);
                break;
        case PS_BMF_OP_TIMES:
                overflow = __builtin_mul_overflow(a, b, &c);
                break;
        default:
                overflow = a == INT64_MIN && b == -1;
                c = overflow ? 0 : a / b;
        }
        *out = ps_bmf_integer(c);
        return overflow ? fail_overflow(e, node) : PS_OK;
}

static double on_reals(uint8_t op, double a, double b)
{
        return op == PS_BMF_OP_PLUS    ? a + b
               : op == PS_BMF_OP_MINUS ? a - b
               : op == PS_BMF_OP_TIMES ? a * b
                                       : a / b;
}

static ps_status arithmetic(ps_bmf_eval *e, const ps_bmf_node *node, ps_bmf_value x, uint32_t proc,
                            ps_bmf_value *out)
{
        const ps_bmf_value *v;
        (void)proc;
        PS_TRY(take_numbers(e, node, x, &v));
        if (node->op == PS_BMF_OP_DIVIDE && as_real(v[1]) == 0)
                return PS_BMF_FAIL(e, node, "division by zero");
        if (v[0].type == PS_BMF_INT && v[1].type == PS_BMF_INT)
                return on_integers(e, node, v[0].integer, v[1].integer, out);
        *out = (ps_bmf_value){.type = PS_BMF_REAL, .real = on_reals(node->op, as_real(v[0]), as_real(v[1]))};
        return isfinite(out->real) ? PS_OK : fail_overflow(e, node);
}

/* B_Uminus, and B_Neg, which negates booleans, too (2.7.2). */
static ps_status negation(ps_bmf_eval *e, const ps_bmf_node *node, ps_bmf_value x, uint32_t proc,
                          ps_bmf_value *out)
{
        (void)proc;
        if (x.type == PS_BMF_BOOL && node->op == PS_BMF_OP_NEG)
                *out = ps_bmf_truth(!x.truth);
        else if (x.type == PS_BMF_REAL)
                *out = (ps_bmf_value){.type = PS_BMF_REAL, .real = -x.real};
        else if (x.type != PS_BMF_INT)
                return ps_bmf_fail_type(e, node, node->op == PS_BMF_OP_NEG ? "number or boolean" : "number",
                                        x);
        else if (x.integer == INT64_MIN)
                return fail_overflow(e, node);
        else
                *out = ps_bmf_integer(-x.integer);
        return PS_OK;
}

static ps_status logic(ps_bmf_eval *e, const ps_bmf_node *node, ps_bmf_value x, uint32_t proc,
                       ps_bmf_value *out)
{
        const ps_bmf_value *v;
        (void)proc;
        PS_TRY(ps_bmf_take_pair(e, node, x, &v));
        for (int i = 0; i < 2; i++)
                if (v[i].type != PS_BMF_BOOL)
                        return ps_bmf_fail_type(e, node, "boolean", v[i]);
        *out = ps_bmf_truth(node->op == PS_BMF_OP_AND ? v[0].truth && v[1].truth : v[0].truth || v[1].truth);
        return PS_OK;
}

/* An integer of more than 53 bits is not rounded first. */
static int compare_mixed(int64_t a, double b)
{
        if (b >= 0x1p63)
                return -1;
        if (b < -0x1p63)
                return 1;
        int64_t whole = (int64_t)b;
        PS_ORDER_BY(a, whole);
        double rest = b - (double)whole;
        return (rest < 0) - (rest > 0);
}

static int compare_values(ps_bmf_value a, ps_bmf_value b)
{
        if (a.type == PS_BMF_INT && b.type == PS_BMF_INT)
                return PS_ORDER(a.integer, b.integer);
        if (a.type == PS_BMF_INT)
                return compare_mixed(a.integer, b.real);
        if (b.type == PS_BMF_INT)
                return -compare_mixed(b.integer, a.real);
        return PS_ORDER(a.real, b.real);
}

static bool holds(uint8_t op, int order)
{
        switch (op) {
        case PS_BMF_OP_EQ:
                return order == 0;
        case PS_BMF_OP_GT:
                return order > 0;
        case PS_BMF_OP_LT:
                return order < 0;
        case PS_BMF_OP_LE:
                return order <= 0;
        default:
                return order >= 0;
        }
}

static ps_status comparison(ps_bmf_eval *e, const ps_bmf_node *node, ps_bmf_value x, uint32_t proc,
                            ps_bmf_value *out)
{
        const ps_bmf_value *v;
        (void)proc;
        PS_TRY(ps_bmf_take_pair(e, node, x, &v));
        if (node->op == PS_BMF_OP_EQ && v[0].type == PS_BMF_BOOL && v[1].type == PS_BMF_BOOL) {
                *out = ps_bmf_truth(v[0].truth == v[1].truth);
                return PS_OK;
        }
        PS_TRY(take_numbers(e, node, x, &v));
        *out = ps_bmf_truth(holds(node->op, compare_values(v[0], v[1])));
        return PS_OK;
}

/* -- lists -- */

static ps_status length(ps_bmf_eval *e, const ps_bmf_node *node, ps_bmf_value x, uint32_t proc,
                        ps_bmf_value *out)
{
        const ps_bmf_object *list;
        (void)proc;
        PS_TRY(ps_bmf_take_list(e, node, x, &list));
        *out = ps_bmf_integer(list->n);
        return PS_OK;
}

static ps_status index_list(ps_bmf_eval *e, const ps_bmf_node *node, ps_bmf_value x, uint32_t proc,
                            ps_bmf_value *out)
{
        const ps_bmf_value *v;
        const ps_bmf_object *list;
        (void)proc;
        PS_TRY(ps_bmf_take_pair(e, node, x, &v));
        PS_TRY(ps_bmf_take_local(e, node, v[0], &list));
        return ps_bmf_take_item(e, node, list, v[1], out);
}

static ps_status iota(ps_bmf_eval *e, const ps_bmf_node *node, ps_bmf_value x, uint32_t proc,
                      ps_bmf_value *out)
{
        ps_bmf_object *list;
        (void)proc;
        if (x.type != PS_BMF_INT)
                return ps_bmf_fail_type(e, node, "integer", x);
        if (x.integer < 0)
                return PS_BMF_FAIL(e, node, "negative length: length=%" PRId64, x.integer);
        PS_TRY(ps_bmf_new(e, node, (uint64_t)x.integer, 0, &list));
        for (uint32_t i = 0; i < list->n; i++)
                list->item[i] = ps_bmf_integer(i);
        return ps_bmf_done(e, node, PS_BMF_LIST, list, out);
}

static ps_status distribute(ps_bmf_eval *e, const ps_bmf_node *node, ps_bmf_value x, uint32_t proc,
                            ps_bmf_value *out)
{
        const ps_bmf_value *v;
        const ps_bmf_object *list;
        ps_bmf_object *result = NULL;
        (void)proc;
        PS_TRY(ps_bmf_take_pair(e, node, x, &v));
        PS_TRY(ps_bmf_take_local(e, node, v[1], &list));
        PS_TRY(ps_bmf_new(e, node, list->n, 0, &result));
        for (uint32_t i = 0; i < list->n; i++)
                PS_TRY(ps_bmf_pair(e, node, v[0], list->item[i], &result->item[i]));
        return ps_bmf_done(e, node, PS_BMF_LIST, result, out);
}

static ps_status project(ps_bmf_eval *e, const ps_bmf_node *node, ps_bmf_value x, uint32_t proc,
                         ps_bmf_value *out)
{
        const ps_bmf_object *v[2] = {0}; /* items, places */
        ps_bmf_object *result = NULL;
        (void)proc;
        PS_TRY(ps_bmf_take_lists(e, node, x, ps_bmf_take_local, ps_bmf_take_local, v));
        PS_TRY(ps_bmf_new(e, node, v[1]->n, 0, &result));
        for (uint32_t i = 0; i < v[1]->n; i++)
                PS_TRY(ps_bmf_take_item(e, node, v[0], v[1]->item[i], &result->item[i]));
        return ps_bmf_done(e, node, PS_BMF_LIST, result, out);
}

static ps_status concatenate(ps_bmf_eval *e, const ps_bmf_node *node, ps_bmf_value x, uint32_t proc,
                             ps_bmf_value *out)
{
        const ps_bmf_object *v[2] = {0};
        ps_bmf_object *result = NULL;
        (void)proc;
        PS_TRY(ps_bmf_take_lists(e, node, x, ps_bmf_take_local, ps_bmf_take_local, v));
        PS_TRY(ps_bmf_new(e, node, (uint64_t)v[0]->n + v[1]->n, 0, &result));
        memcpy(result->item, v[0]->item, v[0]->n * sizeof(*v[0]->item));
        memcpy(result->item + v[0]->n, v[1]->item, v[1]->n * sizeof(*v[1]->item));
        return ps_bmf_done(e, node, PS_BMF_LIST, result, out);
}

static uint64_t work_of(uint8_t cost, ps_bmf_value result)
{
        switch ((ps_bmf_cost)cost) {
        case PS_BMF_COST_LENGTH:
                return result.object->n;
        case PS_BMF_COST_SIZE:
                return result.object->leaves;
        case PS_BMF_COST_ONE:
                break;
        }
        return 1;
}

ps_status ps_bmf_operate(ps_bmf_eval *e, const ps_bmf_node *node, ps_bmf_value x, uint32_t proc,
                         ps_bmf_value *out)
{
        static ps_bmf_apply *const by_sort[] = {
                [PS_BMF_SORT_ARITHMETIC] = arithmetic,
                [PS_BMF_SORT_NEGATION] = negation,
                [PS_BMF_SORT_LOGIC] = logic,
                [PS_BMF_SORT_COMPARISON] = comparison,
                [PS_BMF_SORT_LENGTH] = length,
                [PS_BMF_SORT_INDEX] = index_list,
                [PS_BMF_SORT_IOTA] = iota,
                [PS_BMF_SORT_DISTL] = distribute,
                [PS_BMF_SORT_PROJECT] = project,
                [PS_BMF_SORT_CONC] = concatenate,
        };
        const ps_bmf_op_info *info = &ps_bmf_ops[node->op];
        PS_TRY(by_sort[info->sort](e, node, x, proc, out));
        ps_bmf_machine_work(e->machine, proc, work_of(info->cost, *out));
        return PS_OK;
}
