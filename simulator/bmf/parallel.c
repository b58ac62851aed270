/* parallel.c - the parallel operators and the messages that they send; after Martinaitis, chapter 5.
 *
 * An operator works on a team: all processors that hold a part of its argument, or will hold one of its
 * result. A list that is not distributed is taken for one whose items all happen to be on one processor. */
#include "simulator/bmf/eval.h"

#include <stdlib.h>

static uint32_t proc_of(const ps_bmf_object *list, uint32_t i, uint32_t owner)
{
        return list->proc ? list->proc[i] : owner;
}

/* Adds all processors that hold a part of the value. */
static ps_status gather_value(ps_bmf_eval *e, const ps_bmf_node *node, ps_bmf_value x, uint32_t proc,
                              ps_bmf_team *team)
{
        PS_TRY(ps_bmf_team_add(e->machine, team, proc));
        if (!ps_bmf_holds_spread(x) || !e->machine->recording)
                return PS_OK;
        const ps_bmf_object *o = x.object;
        PS_TRY(ps_bmf_step(e, node, o->n));
        for (uint32_t i = 0; i < o->n; i++)
                PS_TRY(gather_value(e, node, o->item[i], proc_of(o, i, proc), team));
        return PS_OK;
}

static ps_status begin_parallel(ps_bmf_eval *e, const ps_bmf_node *node, ps_bmf_value x, uint32_t proc,
                                ps_bmf_team *team)
{
        *team = ps_bmf_team_new(e->machine);
        PS_TRY(gather_value(e, node, x, proc, team));
        return ps_bmf_team_begin(e->machine, *team, node);
}

/* What stands around the items of such an operator. */
static ps_status begin_alike(ps_bmf_eval *e, const ps_bmf_node *node, ps_bmf_value x, uint32_t proc,
                             const ps_bmf_object *list, ps_bmf_object **result, ps_bmf_team *team)
{
        PS_TRY(ps_bmf_new(e, node, list->n, 0, result));
        (*result)->proc = list->proc;
        return begin_parallel(e, node, x, proc, team);
}

static ps_status end_list(ps_bmf_eval *e, const ps_bmf_node *node, ps_bmf_team team, ps_bmf_object *result,
                          ps_bmf_value *out)
{
        PS_TRY(ps_bmf_team_end(e->machine, team, node));
        return ps_bmf_done(e, node, PS_BMF_LIST, result, out);
}

/* Only a value that is on one processor can be sent. */
static ps_status check_sendable(ps_bmf_eval *e, const ps_bmf_node *node, ps_bmf_value x)
{
        return ps_bmf_holds_spread(x)
                       ? PS_BMF_FAIL(e, node, "a value that is itself distributed cannot be sent")
                       : PS_OK;
}

ps_status ps_bmf_p_map(ps_bmf_eval *e, const ps_bmf_node *node, ps_bmf_value x, uint32_t proc,
                       ps_bmf_value *out)
{
        const ps_bmf_object *list;
        ps_bmf_object *result = NULL;
        ps_bmf_team team = {0, 0};
        PS_TRY(ps_bmf_take_list(e, node, x, &list));
        PS_TRY(begin_alike(e, node, x, proc, list, &result, &team));
        for (uint32_t i = 0; i < list->n; i++)
                PS_TRY(ps_bmf_evaluate(e, node->child[0], list->item[i], proc_of(list, i, proc),
                                       &result->item[i]));
        return end_list(e, node, team, result, out);
}

static ps_status check_alike(ps_bmf_eval *e, const ps_bmf_node *node, const ps_bmf_object *a,
                             const ps_bmf_object *b, uint32_t proc)
{
        PS_TRY(ps_bmf_check_lengths(e, node, a, b));
        for (uint32_t i = 0; i < a->n; i++)
                if (proc_of(a, i, proc) != proc_of(b, i, proc))
                        return PS_BMF_FAIL(e, node,
                                           "lists are on other processors: item=%u, first=%u, second=%u", i,
                                           proc_of(a, i, proc), proc_of(b, i, proc));
        return PS_OK;
}

ps_status ps_bmf_p_zip(ps_bmf_eval *e, const ps_bmf_node *node, ps_bmf_value x, uint32_t proc,
                       ps_bmf_value *out)
{
        const ps_bmf_object *v[2] = {0};
        ps_bmf_object *result = NULL;
        ps_bmf_team team = {0, 0};
        PS_TRY(ps_bmf_take_lists(e, node, x, ps_bmf_take_list, ps_bmf_take_list, v));
        PS_TRY(check_alike(e, node, v[0], v[1], proc));
        PS_TRY(begin_alike(e, node, x, proc, v[0], &result, &team));
        for (uint32_t i = 0; i < v[0]->n; i++)
                PS_TRY(ps_bmf_evaluate_pair(e, node->child[0], v[0]->item[i], v[1]->item[i],
                                            proc_of(v[0], i, proc), &result->item[i]));
        return end_list(e, node, team, result, out);
}

/* -- distribution -- */

/* What is sent along the tree of P_Split and P_Distl. */
typedef struct parcel {
        const uint32_t *proc;   /* of each item */
        const uint64_t *before; /* P_Split: scalars of the items before each one; NULL: */
        uint64_t bytes;         /* P_Distl: the same value for all */
} parcel;

/* LogP of the thesis (5.3.2): the largest power of two below x; 0 for x <= 1. */
static uint32_t power_below(uint32_t x)
{
        uint32_t power = x > 1;
        while (power && power < x - power)
                power *= 2;
        return power;
}

/* Split_Parallel (5.3.2): the upper part goes to its own first processor; then first the tail and then the
 * front are distributed further. */
static ps_status distribute(ps_bmf_eval *e, const ps_bmf_node *node, const parcel *p, uint32_t first,
                            uint32_t n)
{
        uint32_t cut = power_below(n);
        if (!cut)
                return PS_OK;
        uint64_t bytes = p->before ? p->before[first + n] - p->before[first + cut] : p->bytes;
        PS_TRY(ps_bmf_send(e->machine, node, p->proc[first], p->proc[first + cut], bytes));
        PS_TRY(distribute(e, node, p, first + cut, n - cut));
        return distribute(e, node, p, first, cut);
}

/* Processor proc + i * 2 ^ stride for part i. */
static ps_status place_parts(ps_bmf_eval *e, const ps_bmf_node *node, uint32_t proc, uint32_t n,
                             uint32_t *of_part)
{
        int64_t stride = node->number[1];
        if (stride < 0 || stride > 31)
                return PS_BMF_FAIL(e, node, "no such stride: stride=%lld, least=0, most=31",
                                   (long long)stride);
        for (uint32_t i = 0; i < n; i++) {
                uint64_t at = proc + ((uint64_t)i << stride);
                PS_TRY(ps_bmf_machine_reach(e->machine, node, at));
                of_part[i] = (uint32_t)at;
        }
        return PS_OK;
}

static ps_status send_parts(ps_bmf_eval *e, const ps_bmf_node *node, const ps_bmf_object *parts,
                            const uint32_t *of_part)
{
        ps_bmf_team team = ps_bmf_team_new(e->machine);
        uint64_t *before = calloc((size_t)parts->n + 1, sizeof(*before));
        ps_status status = before ? PS_OK : PS_NOMEM(e->err, "parts", parts->n);
        for (uint32_t i = 0; status == PS_OK && i < parts->n; i++) {
                before[i + 1] = before[i] + ps_bmf_leaves(parts->item[i]);
                status = ps_bmf_team_add(e->machine, &team, of_part[i]);
        }
        PS_THEN(status, ps_bmf_team_begin(e->machine, team, node));
        PS_THEN(status, distribute(e, node, &(parcel){of_part, before, 0}, 0, parts->n));
        PS_THEN(status, ps_bmf_team_end(e->machine, team, node));
        free(before);
        return status;
}

ps_status ps_bmf_p_split(ps_bmf_eval *e, const ps_bmf_node *node, ps_bmf_value x, uint32_t proc,
                         ps_bmf_value *out)
{
        ps_bmf_value parts;
        ps_bmf_object *spread = NULL;
        PS_TRY(check_sendable(e, node, x));
        PS_TRY(ps_bmf_split(e, node, x, proc, &parts));
        PS_TRY(ps_bmf_new(e, node, parts.object->n, 1, &spread));
        uint32_t *of_part = spread->proc;
        for (uint32_t i = 0; i < spread->n; i++)
                spread->item[i] = parts.object->item[i];
        PS_TRY(place_parts(e, node, proc, spread->n, of_part));
        if (e->machine->recording)
                PS_TRY(send_parts(e, node, spread, of_part));
        return ps_bmf_done(e, node, PS_BMF_LIST, spread, out);
}

static ps_status pair_up(ps_bmf_eval *e, const ps_bmf_node *node, ps_bmf_value x, const ps_bmf_object *list,
                         uint32_t owner, ps_bmf_object *result)
{
        for (uint32_t i = 0; i < list->n; i++) {
                PS_TRY(ps_bmf_pair(e, node, x, list->item[i], &result->item[i]));
                ps_bmf_machine_work(e->machine, proc_of(list, i, owner), ps_bmf_forms[node->form].cost);
        }
        return PS_OK;
}

/* The value goes the ways of P_Split; then each processor makes its pair. */
ps_status ps_bmf_p_distl(ps_bmf_eval *e, const ps_bmf_node *node, ps_bmf_value x, uint32_t proc,
                         ps_bmf_value *out)
{
        const ps_bmf_value *pair;
        const ps_bmf_object *list = NULL;
        ps_bmf_object *result = NULL;
        ps_bmf_team team = {0, 0};
        PS_TRY(ps_bmf_take_pair(e, node, x, &pair));
        PS_TRY(ps_bmf_take_list(e, node, pair[1], &list));
        PS_TRY(check_sendable(e, node, pair[0]));
        PS_TRY(begin_alike(e, node, x, proc, list, &result, &team));
        if (list->proc) {
                parcel all = {list->proc, NULL, ps_bmf_leaves(pair[0])};
                PS_TRY(distribute(e, node, &all, 0, list->n));
        }
        PS_TRY(pair_up(e, node, pair[0], list, proc, result));
        return end_list(e, node, team, result, out);
}

/* -- combination -- */

/* A list that an operator changes in place: a copy, still without its sums. */
static ps_status copy_list(ps_bmf_eval *e, const ps_bmf_node *node, const ps_bmf_object *list, uint32_t proc,
                           ps_bmf_object **out)
{
        PS_TRY(ps_bmf_new(e, node, list->n, 1, out));
        for (uint32_t i = 0; i < list->n; i++) {
                (*out)->item[i] = list->item[i];
                (*out)->proc[i] = proc_of(list, i, proc);
        }
        return PS_OK;
}

/* One level: neighbours become one, at the place of the first; a last one without a partner passes on. The
 * thesis pairs by tags (5.6), which is the same for lists as P_Split makes them and does not end for others.
 */
static ps_status reduce_level(ps_bmf_eval *e, const ps_bmf_node *node, ps_bmf_object *list)
{
        uint32_t n_pairs = list->n / 2, *proc = list->proc;
        for (uint32_t i = 0; i < n_pairs; i++) {
                uint32_t to = proc[(size_t)2 * i], from = proc[(size_t)2 * i + 1];
                ps_bmf_value a = list->item[(size_t)2 * i], b = list->item[(size_t)2 * i + 1];
                if (from != to)
                        PS_TRY(check_sendable(e, node, b));
                PS_TRY(ps_bmf_send(e->machine, node, from, to, ps_bmf_leaves(b)));
                PS_TRY(ps_bmf_evaluate_pair(e, node->child[0], a, b, to, &list->item[i]));
                proc[i] = to;
        }
        if (list->n % 2) {
                list->item[n_pairs] = list->item[list->n - 1];
                proc[n_pairs] = proc[list->n - 1];
        }
        list->n = n_pairs + list->n % 2;
        return PS_OK;
}

ps_status ps_bmf_p_reduce(ps_bmf_eval *e, const ps_bmf_node *node, ps_bmf_value x, uint32_t proc,
                          ps_bmf_value *out)
{
        const ps_bmf_object *list;
        ps_bmf_object *left = NULL;
        ps_bmf_team team = {0, 0};
        PS_TRY(ps_bmf_take_list(e, node, x, &list));
        if (!list->n)
                return PS_BMF_FAIL(e, node, "an empty list has no value");
        PS_TRY(copy_list(e, node, list, proc, &left));
        PS_TRY(begin_parallel(e, node, x, proc, &team));
        while (left->n > 1)
                PS_TRY(reduce_level(e, node, left));
        PS_TRY(ps_bmf_team_end(e->machine, team, node));
        *out = left->item[0];
        return PS_OK;
}

/* One level: each item goes `step` places on and is combined with what is there; all send what they had
 * before. */
static ps_status scan_level(ps_bmf_eval *e, const ps_bmf_node *node, ps_bmf_object *list, uint32_t step)
{
        for (uint32_t i = 0; i + step < list->n; i++) {
                if (list->proc[i] != list->proc[i + step])
                        PS_TRY(check_sendable(e, node, list->item[i]));
                PS_TRY(ps_bmf_send_delayed(e->machine, node, list->proc[i], list->proc[i + step],
                                           ps_bmf_leaves(list->item[i])));
        }
        PS_TRY(ps_bmf_receive_all(e->machine, node));
        for (uint32_t to = list->n; to-- > step;)
                PS_TRY(ps_bmf_evaluate_pair(e, node->child[0], list->item[to - step], list->item[to],
                                            list->proc[to], &list->item[to]));
        return PS_OK;
}

/* The levels begin together: the traffic of the thesis' charts is a burst for each of them (5.8). */
ps_status ps_bmf_p_scan(ps_bmf_eval *e, const ps_bmf_node *node, ps_bmf_value x, uint32_t proc,
                        ps_bmf_value *out)
{
        const ps_bmf_object *list;
        ps_bmf_object *result = NULL;
        ps_bmf_team team = {0, 0};
        PS_TRY(ps_bmf_take_list(e, node, x, &list));
        PS_TRY(copy_list(e, node, list, proc, &result));
        PS_TRY(begin_parallel(e, node, x, proc, &team));
        for (uint32_t step = 1; step < list->n; step *= 2) {
                PS_TRY(scan_level(e, node, result, step));
                PS_TRY(ps_bmf_team_meet(e->machine, team));
        }
        PS_TRY(ps_bmf_team_end(e->machine, team, node));
        result->proc = list->proc;
        return ps_bmf_done(e, node, PS_BMF_LIST, result, out);
}

/* -- permutation -- */

static ps_status project_items(ps_bmf_eval *e, const ps_bmf_node *node, const ps_bmf_object *list,
                               const ps_bmf_object *places, uint32_t owner, ps_bmf_object *result)
{
        for (uint32_t i = 0; i < places->n; i++) {
                ps_bmf_value place = places->item[i];
                PS_TRY(ps_bmf_take_item(e, node, list, place, &result->item[i]));
                uint32_t from = proc_of(list, (uint32_t)place.integer, owner), to = proc_of(list, i, owner);
                if (list->proc)
                        result->proc[i] = to;
                if (from != to)
                        PS_TRY(check_sendable(e, node, result->item[i]));
                PS_TRY(ps_bmf_send_delayed(e->machine, node, from, to, ps_bmf_leaves(result->item[i])));
        }
        return ps_bmf_receive_all(e->machine, node);
}

/* {list, places}: item i of the result is item places[i] of the list, and goes to where item i was. */
ps_status ps_bmf_p_project(ps_bmf_eval *e, const ps_bmf_node *node, ps_bmf_value x, uint32_t proc,
                           ps_bmf_value *out)
{
        const ps_bmf_object *v[2] = {0}; /* items, places */
        ps_bmf_object *result = NULL;
        ps_bmf_team team = {0, 0};
        PS_TRY(ps_bmf_take_lists(e, node, x, ps_bmf_take_list, ps_bmf_take_local, v));
        if (v[1]->n > v[0]->n)
                return PS_BMF_FAIL(e, node, "more places than items: items=%u, places=%u", v[0]->n, v[1]->n);
        PS_TRY(ps_bmf_new(e, node, v[1]->n, v[0]->proc && v[1]->n, &result));
        PS_TRY(begin_parallel(e, node, x, proc, &team));
        PS_TRY(project_items(e, node, v[0], v[1], proc, result));
        return end_list(e, node, team, result, out);
}
