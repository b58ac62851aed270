/* eval.h - what the evaluator's files share.
 *
 * Each function takes a value that is on one processor (a spread list: on that of its first item) and leaves
 * its result there. So a processor goes with the value, and only the parallel operators, which go
 * from item to item, ever change it. */
#ifndef PS_SIMULATOR_BMF_EVAL_H
#define PS_SIMULATOR_BMF_EVAL_H

#include "simulator/bmf/machine.h"

typedef struct ps_bmf_eval {
        ps_bmf_machine *machine;
        const ps_bmf_limits *limits;
        ps_bmf_pool pool;
        ps_error *err;
        uint64_t steps; /* left */
        uint64_t depth;
        bool in_serial; /* inside of a serial operator, which has a region: those in it have none */
} ps_bmf_eval;

typedef ps_status ps_bmf_apply(ps_bmf_eval *e, const ps_bmf_node *node, ps_bmf_value x, uint32_t proc,
                               ps_bmf_value *out);

/* The program's function `node` applied to x, which is on `proc`. */
ps_bmf_apply ps_bmf_evaluate;
/* The same of the pair {a, b}. */
ps_status ps_bmf_evaluate_pair(ps_bmf_eval *e, const ps_bmf_node *node, ps_bmf_value a, ps_bmf_value b,
                               uint32_t proc, ps_bmf_value *out);

/* Serial operators (serial.c), those of B_Op (operate.c), and parallel ones (parallel.c). */
ps_bmf_apply ps_bmf_id, ps_bmf_con, ps_bmf_all, ps_bmf_addr, ps_bmf_map, ps_bmf_reduce, ps_bmf_scan,
        ps_bmf_zip, ps_bmf_split;
ps_bmf_apply ps_bmf_operate;
ps_bmf_apply ps_bmf_p_map, ps_bmf_p_reduce, ps_bmf_p_scan, ps_bmf_p_zip, ps_bmf_p_project, ps_bmf_p_split,
        ps_bmf_p_distl;

/* -- what they are made of -- */

#define PS_BMF_FAIL(e, node, ...)                                                                            \
        ps_bmf_fail((e)->err, PS_E_INPUT, &(node)->place, ps_bmf_node_name(node), __VA_ARGS__)

ps_status ps_bmf_fail_type(ps_bmf_eval *e, const ps_bmf_node *node, const char *expected, ps_bmf_value x);
/* So many steps are done; fails when it is enough. */
ps_status ps_bmf_step(ps_bmf_eval *e, const ps_bmf_node *node, uint64_t n);

/* A list; one that is not spread. */
typedef ps_status ps_bmf_take(ps_bmf_eval *e, const ps_bmf_node *node, ps_bmf_value x,
                              const ps_bmf_object **out);
ps_bmf_take ps_bmf_take_list, ps_bmf_take_local;
/* The items of a 2-tuple; those of one of lists. */
ps_status ps_bmf_take_pair(ps_bmf_eval *e, const ps_bmf_node *node, ps_bmf_value x, const ps_bmf_value **out);
ps_status ps_bmf_take_lists(ps_bmf_eval *e, const ps_bmf_node *node, ps_bmf_value x, ps_bmf_take *first,
                            ps_bmf_take *second, const ps_bmf_object *out[2]);
ps_status ps_bmf_check_lengths(ps_bmf_eval *e, const ps_bmf_node *node, const ps_bmf_object *a,
                               const ps_bmf_object *b);
/* The item of a list at a place that the program has worked out. */
ps_status ps_bmf_take_item(ps_bmf_eval *e, const ps_bmf_node *node, const ps_bmf_object *list,
                           ps_bmf_value place, ps_bmf_value *out);

/* An object to be filled; then it becomes a value. */
ps_status ps_bmf_new(ps_bmf_eval *e, const ps_bmf_node *node, uint64_t n, bool is_spread,
                     ps_bmf_object **out);
ps_status ps_bmf_done(ps_bmf_eval *e, const ps_bmf_node *node, ps_bmf_type type, ps_bmf_object *object,
                      ps_bmf_value *out);
/* The 2-tuple {a, b}. */
ps_status ps_bmf_pair(ps_bmf_eval *e, const ps_bmf_node *node, ps_bmf_value a, ps_bmf_value b,
                      ps_bmf_value *out);

/* Lengths of the parts of B_Split: part i of `n` items in `parts`. */
static inline uint32_t ps_bmf_part(uint32_t n_left, uint32_t parts_left)
{
        return n_left / parts_left + (n_left % parts_left != 0);
}

#endif
