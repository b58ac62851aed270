/* serial.c - the serial operators, but those of B_Op: constructors, projection, and the loops over lists.
 * What they do is in Martinaitis, 2.5 to 2.7; what they cost, in bmf.def. */
#include "simulator/bmf/eval.h"

static void work(ps_bmf_eval *e, const ps_bmf_node *node, uint32_t proc)
{
        ps_bmf_machine_work(e->machine, proc, ps_bmf_forms[node->form].cost);
}

ps_status ps_bmf_id(ps_bmf_eval *e, const ps_bmf_node *node, ps_bmf_value x, uint32_t proc, ps_bmf_value *out)
{
        work(e, node, proc);
        *out = x;
        return PS_OK;
}

ps_status ps_bmf_con(ps_bmf_eval *e, const ps_bmf_node *node, ps_bmf_value x, uint32_t proc,
                     ps_bmf_value *out)
{
        (void)x;
        work(e, node, proc);
        *out = node->constant;
        return PS_OK;
}

/* B_Alltup and B_Allvec: each function on a copy of the argument. */
ps_status ps_bmf_all(ps_bmf_eval *e, const ps_bmf_node *node, ps_bmf_value x, uint32_t proc,
                     ps_bmf_value *out)
{
        ps_bmf_object *all;
        PS_TRY(ps_bmf_new(e, node, node->n_children, 0, &all));
        for (uint32_t i = 0; i < node->n_children; i++)
                PS_TRY(ps_bmf_evaluate(e, node->child[i], x, proc, &all->item[i]));
        work(e, node, proc);
        return ps_bmf_done(e, node, node->form == PS_BMF_ALLTUP ? PS_BMF_TUPLE : PS_BMF_LIST, all, out);
}

/* The thesis does not say which number is the place and which the tuple's size. The place counts from 1, so
 * that it is the smaller one. */
ps_status ps_bmf_addr(ps_bmf_eval *e, const ps_bmf_node *node, ps_bmf_value x, uint32_t proc,
                      ps_bmf_value *out)
{
        int64_t a = node->number[0], b = node->number[1], place = a < b ? a : b, size = a < b ? b : a;
        if (x.type != PS_BMF_TUPLE)
                return ps_bmf_fail_type(e, node, "tuple", x);
        if (place < 1)
                return PS_BMF_FAIL(e, node, "no such item: item=%lld, first=1", (long long)place);
        if (size != x.object->n)
                return PS_BMF_FAIL(e, node, "tuple of another size: expected=%lld, found=%u", (long long)size,
                                   x.object->n);
        work(e, node, proc);
        *out = x.object->item[place - 1];
        return PS_OK;
}

ps_status ps_bmf_map(ps_bmf_eval *e, const ps_bmf_node *node, ps_bmf_value x, uint32_t proc,
                     ps_bmf_value *out)
{
        const ps_bmf_object *list;
        ps_bmf_object *result;
        PS_TRY(ps_bmf_take_local(e, node, x, &list));
        PS_TRY(ps_bmf_new(e, node, list->n, 0, &result));
        for (uint32_t i = 0; i < list->n; i++)
                PS_TRY(ps_bmf_evaluate(e, node->child[0], list->item[i], proc, &result->item[i]));
        return ps_bmf_done(e, node, PS_BMF_LIST, result, out);
}

/* What folding begins with: the default value, or else the first item. */
static ps_status begin_fold(ps_bmf_eval *e, const ps_bmf_node *node, ps_bmf_value x, uint32_t proc,
                            ps_bmf_value *total, uint32_t *next)
{
        *next = node->n_children == 1;
        if (node->n_children == 2)
                return ps_bmf_evaluate(e, node->child[1], x, proc, total);
        if (!x.object->n)
                return PS_BMF_FAIL(e, node, "an empty list has no value without a default");
        *total = x.object->item[0];
        return PS_OK;
}

ps_status ps_bmf_reduce(ps_bmf_eval *e, const ps_bmf_node *node, ps_bmf_value x, uint32_t proc,
                        ps_bmf_value *out)
{
        const ps_bmf_object *list;
        uint32_t i = 0;
        PS_TRY(ps_bmf_take_local(e, node, x, &list));
        PS_TRY(begin_fold(e, node, x, proc, out, &i));
        for (; i < list->n; i++)
                PS_TRY(ps_bmf_evaluate_pair(e, node->child[0], *out, list->item[i], proc, out));
        return PS_OK;
}

ps_status ps_bmf_scan(ps_bmf_eval *e, const ps_bmf_node *node, ps_bmf_value x, uint32_t proc,
                      ps_bmf_value *out)
{
        const ps_bmf_object *list;
        ps_bmf_object *result;
        ps_bmf_value total = {0};
        uint32_t next = 0;
        PS_TRY(ps_bmf_take_local(e, node, x, &list));
        PS_TRY(ps_bmf_new(e, node, list->n, 0, &result));
        if (list->n)
                PS_TRY(begin_fold(e, node, x, proc, &total, &next));
        for (uint32_t i = 0; i < list->n; i++) {
                if (i >= next)
                        PS_TRY(ps_bmf_evaluate_pair(e, node->child[0], total, list->item[i], proc, &total));
                result->item[i] = total;
        }
        return ps_bmf_done(e, node, PS_BMF_LIST, result, out);
}

ps_status ps_bmf_zip(ps_bmf_eval *e, const ps_bmf_node *node, ps_bmf_value x, uint32_t proc,
                     ps_bmf_value *out)
{
        const ps_bmf_object *v[2] = {0};
        ps_bmf_object *result = NULL;
        PS_TRY(ps_bmf_take_lists(e, node, x, ps_bmf_take_local, ps_bmf_take_local, v));
        PS_TRY(ps_bmf_check_lengths(e, node, v[0], v[1]));
        PS_TRY(ps_bmf_new(e, node, v[0]->n, 0, &result));
        for (uint32_t i = 0; i < v[0]->n; i++)
                PS_TRY(ps_bmf_evaluate_pair(e, node->child[0], v[0]->item[i], v[1]->item[i], proc,
                                            &result->item[i]));
        return ps_bmf_done(e, node, PS_BMF_LIST, result, out);
}

static ps_status take_part(ps_bmf_eval *e, const ps_bmf_node *node, const ps_bmf_object *list, uint32_t first,
                           uint32_t n, ps_bmf_value *out)
{
        ps_bmf_object *part;
        PS_TRY(ps_bmf_new(e, node, n, 0, &part));
        for (uint32_t i = 0; i < n; i++)
                part->item[i] = list->item[first + i];
        return ps_bmf_done(e, node, PS_BMF_LIST, part, out);
}

/* The first part has ceil(n / parts) items, and so on with what is left (5.3.1). It takes no time (5.3.3). */
ps_status ps_bmf_split(ps_bmf_eval *e, const ps_bmf_node *node, ps_bmf_value x, uint32_t proc,
                       ps_bmf_value *out)
{
        const ps_bmf_object *list;
        ps_bmf_object *result = NULL;
        int64_t n_parts = node->number[0];
        uint32_t first = 0;
        (void)proc;
        PS_TRY(ps_bmf_take_local(e, node, x, &list));
        if (n_parts < 1)
                return PS_BMF_FAIL(e, node, "cannot split into so many parts: parts=%lld",
                                   (long long)n_parts);
        PS_TRY(ps_bmf_new(e, node, (uint64_t)n_parts, 0, &result));
        for (uint32_t i = 0; i < result->n; i++) {
                uint32_t n = ps_bmf_part(list->n - first, result->n - i);
                PS_TRY(take_part(e, node, list, first, n, &result->item[i]));
                first += n;
        }
        return ps_bmf_done(e, node, PS_BMF_LIST, result, out);
}
