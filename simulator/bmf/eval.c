/* eval.c - walks the tree of a program: compositions and references are ways to other nodes, everything
 * else is an operator that is applied. A serial operator has a region only if it stands in no other one, or
 * each addition of a long list would be an event. */
#include "simulator/bmf/eval.h"

#include <assert.h>
#include <inttypes.h>

static ps_bmf_apply *const operators[PS_BMF_FORMS] = {
        [PS_BMF_ID] = ps_bmf_id,
        [PS_BMF_CON] = ps_bmf_con,
        [PS_BMF_ALLTUP] = ps_bmf_all,
        [PS_BMF_ALLVEC] = ps_bmf_all,
        [PS_BMF_OP] = ps_bmf_operate,
        [PS_BMF_ADDR] = ps_bmf_addr,
        [PS_BMF_MAP] = ps_bmf_map,
        [PS_BMF_REDUCE] = ps_bmf_reduce,
        [PS_BMF_SCAN] = ps_bmf_scan,
        [PS_BMF_ZIP] = ps_bmf_zip,
        [PS_BMF_SPLIT] = ps_bmf_split,
        [PS_BMF_P_MAP] = ps_bmf_p_map,
        [PS_BMF_P_REDUCE] = ps_bmf_p_reduce,
        [PS_BMF_P_SCAN] = ps_bmf_p_scan,
        [PS_BMF_P_ZIP] = ps_bmf_p_zip,
        [PS_BMF_P_PROJECT] = ps_bmf_p_project,
        [PS_BMF_P_SPLIT] = ps_bmf_p_split,
        [PS_BMF_P_DISTL] = ps_bmf_p_distl,
};

static ps_status fail_limit(ps_bmf_eval *e, const ps_bmf_node *node, const char *what, uint64_t limit)
{
        return PS_BMF_FAIL(e, node, "there are too many %s: limit=%llu", what, (unsigned long long)limit);
}

ps_status ps_bmf_fail_type(ps_bmf_eval *e, const ps_bmf_node *node, const char *expected, ps_bmf_value x)
{
        return PS_BMF_FAIL(e, node, "wrong type: expected=\"%s\", found=\"%s\"", expected,
                           ps_bmf_type_names[x.type]);
}

ps_status ps_bmf_step(ps_bmf_eval *e, const ps_bmf_node *node, uint64_t n)
{
        if (e->steps < n)
                return fail_limit(e, node, "steps of evaluation", e->limits->steps);
        e->steps -= n;
        return PS_OK;
}

ps_status ps_bmf_take_list(ps_bmf_eval *e, const ps_bmf_node *node, ps_bmf_value x, const ps_bmf_object **out)
{
        if (x.type != PS_BMF_LIST)
                return ps_bmf_fail_type(e, node, "list", x);
        *out = x.object;
        return PS_OK;
}

ps_status ps_bmf_take_local(ps_bmf_eval *e, const ps_bmf_node *node, ps_bmf_value x,
                            const ps_bmf_object **out)
{
        PS_TRY(ps_bmf_take_list(e, node, x, out));
        if (x.object->proc)
                return PS_BMF_FAIL(e, node, "a serial operator cannot work on a distributed list");
        return PS_OK;
}

ps_status ps_bmf_take_pair(ps_bmf_eval *e, const ps_bmf_node *node, ps_bmf_value x, const ps_bmf_value **out)
{
        if (x.type != PS_BMF_TUPLE)
                return ps_bmf_fail_type(e, node, "tuple of two", x);
        if (x.object->n != 2)
                return PS_BMF_FAIL(e, node, "wrong type: expected=\"tuple of two\", found=\"tuple of %u\"",
                                   x.object->n);
        *out = x.object->item;
        return PS_OK;
}

ps_status ps_bmf_take_lists(ps_bmf_eval *e, const ps_bmf_node *node, ps_bmf_value x, ps_bmf_take *first,
                            ps_bmf_take *second, const ps_bmf_object *out[2])
{
        const ps_bmf_value *pair = NULL;
        PS_TRY(ps_bmf_take_pair(e, node, x, &pair));
        assert(pair);
        PS_TRY(first(e, node, pair[0], &out[0]));
        return second(e, node, pair[1], &out[1]);
}

ps_status ps_bmf_check_lengths(ps_bmf_eval *e, const ps_bmf_node *node, const ps_bmf_object *a,
                               const ps_bmf_object *b)
{
        if (a->n != b->n)
                return PS_BMF_FAIL(e, node, "lists differ in length: first=%u, second=%u", a->n, b->n);
        return PS_OK;
}

ps_status ps_bmf_take_item(ps_bmf_eval *e, const ps_bmf_node *node, const ps_bmf_object *list,
                           ps_bmf_value place, ps_bmf_value *out)
{
        if (place.type != PS_BMF_INT)
                return ps_bmf_fail_type(e, node, "integer", place);
        if (place.integer < 0 || place.integer >= list->n)
                return PS_BMF_FAIL(e, node, "no such item: item=%" PRId64 ", length=%u", place.integer,
                                   list->n);
        *out = list->item[place.integer];
        return PS_OK;
}

ps_status ps_bmf_new(ps_bmf_eval *e, const ps_bmf_node *node, uint64_t n, bool is_spread, ps_bmf_object **out)
{
        *out = NULL;
        PS_TRY(ps_bmf_step(e, node, n + 1));
        if (n <= UINT32_MAX)
                *out = ps_bmf_object_new(&e->pool, (uint32_t)n, is_spread);
        return *out ? PS_OK : fail_limit(e, node, "list and tuple items", e->limits->items);
}

static ps_status check_items(ps_bmf_eval *e, const ps_bmf_node *node, const ps_bmf_object *object)
{
        for (uint32_t i = 1; i < object->n; i++)
                if (object->item[i].type != object->item[0].type)
                        return PS_BMF_FAIL(e, node, "items of a list differ in type: first=%s, item_%u=%s",
                                           ps_bmf_type_names[object->item[0].type], i,
                                           ps_bmf_type_names[object->item[i].type]);
        return PS_OK;
}

ps_status ps_bmf_done(ps_bmf_eval *e, const ps_bmf_node *node, ps_bmf_type type, ps_bmf_object *object,
                      ps_bmf_value *out)
{
        ps_status status = type == PS_BMF_LIST ? check_items(e, node, object) : PS_OK;
        ps_bmf_object_finish(object);
        if (status == PS_OK && object->depth > e->limits->value_depth)
                return fail_limit(e, node, "nested lists and tuples", e->limits->value_depth);
        *out = (ps_bmf_value){.type = (uint8_t)type, .object = object};
        return status;
}

ps_status ps_bmf_pair(ps_bmf_eval *e, const ps_bmf_node *node, ps_bmf_value a, ps_bmf_value b,
                      ps_bmf_value *out)
{
        ps_bmf_object *pair;
        PS_TRY(ps_bmf_new(e, node, 2, 0, &pair));
        pair->item[0] = a;
        pair->item[1] = b;
        return ps_bmf_done(e, node, PS_BMF_TUPLE, pair, out);
}

static ps_status apply_serial(ps_bmf_eval *e, const ps_bmf_node *node, ps_bmf_value x, uint32_t proc,
                              ps_bmf_value *out)
{
        if (e->in_serial)
                return operators[node->form](e, node, x, proc, out);
        e->in_serial = 1;
        ps_status status = ps_bmf_machine_enter(e->machine, node, proc);
        PS_THEN(status, operators[node->form](e, node, x, proc, out));
        PS_THEN(status, ps_bmf_machine_leave(e->machine, node, proc));
        e->in_serial = 0;
        return status;
}

static ps_status apply_parallel(ps_bmf_eval *e, const ps_bmf_node *node, ps_bmf_value x, uint32_t proc,
                                ps_bmf_value *out)
{
        int outer = e->in_serial;
        e->in_serial = 0;
        ps_status status = operators[node->form](e, node, x, proc, out);
        e->in_serial = outer;
        return status;
}

ps_status ps_bmf_evaluate(ps_bmf_eval *e, const ps_bmf_node *node, ps_bmf_value x, uint32_t proc,
                          ps_bmf_value *out)
{
        ps_status status = ps_bmf_step(e, node, 1);
        if (status == PS_OK && e->depth >= e->limits->nesting)
                status = fail_limit(e, node, "nested expressions", e->limits->nesting);
        e->depth++;
        while (status == PS_OK && (node->form == PS_BMF_COMP || node->form == PS_BMF_REFERENCE)) {
                if (node->form == PS_BMF_COMP)
                        status = ps_bmf_evaluate(e, node->child[1], x, proc, &x);
                node = node->child[0];
                PS_THEN(status, ps_bmf_step(e, node, 1));
        }
        PS_THEN(status, ps_bmf_is_parallel(node) ? apply_parallel(e, node, x, proc, out)
                                                 : apply_serial(e, node, x, proc, out));
        e->depth--;
        return status;
}

ps_status ps_bmf_evaluate_pair(ps_bmf_eval *e, const ps_bmf_node *node, ps_bmf_value a, ps_bmf_value b,
                               uint32_t proc, ps_bmf_value *out)
{
        ps_bmf_value x = {0};
        PS_TRY(ps_bmf_pair(e, node, a, b, &x));
        return ps_bmf_evaluate(e, node, x, proc, out);
}
