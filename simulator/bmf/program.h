/* program.h - a BMF program as a tree: what the parser makes and the evaluator walks.
 *
 * Definitions ("$name = expression") may stand in a library and in front of the program, in any order. A
 * reference evaluates the tree of its definition, which is what replacing the name by the text would do; none
 * can, by whatever way, lead back to itself. */
#ifndef PS_SIMULATOR_BMF_PROGRAM_H
#define PS_SIMULATOR_BMF_PROGRAM_H

#include "simulator/bmf/value.h"

typedef enum ps_bmf_form {
#define PS_BMF_FORM(id, ...) PS_BMF_##id,
#include "simulator/bmf/bmf.def"
        PS_BMF_FORMS,
        PS_BMF_REFERENCE = PS_BMF_FORMS
} ps_bmf_form;

typedef enum ps_bmf_op {
#define PS_BMF_OP(id, ...) PS_BMF_OP_##id,
#include "simulator/bmf/bmf.def"
        PS_BMF_OPS
} ps_bmf_op;

/* What follows a form's name. */
typedef enum ps_bmf_shape {
        PS_BMF_SHAPE_NONE,
        PS_BMF_SHAPE_EXP,           /* (expression) */
        PS_BMF_SHAPE_EXP_EXP,       /* (expression) (expression) */
        PS_BMF_SHAPE_EXP_MAYBE_EXP, /* (expression) and perhaps another one */
        PS_BMF_SHAPE_EXPS,          /* [expression, ...] */
        PS_BMF_SHAPE_CON,           /* (constant) */
        PS_BMF_SHAPE_OP,            /* (operator) */
        PS_BMF_SHAPE_NUM,           /* (B_Num number) */
        PS_BMF_SHAPE_NUM_NUM
} ps_bmf_shape;

typedef enum ps_bmf_sort {
        PS_BMF_SORT_ARITHMETIC, /* a pair of numbers */
        PS_BMF_SORT_NEGATION,   /* a number; B_Neg also a boolean */
        PS_BMF_SORT_LOGIC,      /* a pair of booleans */
        PS_BMF_SORT_COMPARISON, /* a pair of numbers; B_Eq also of booleans */
        PS_BMF_SORT_LENGTH,     /* a list */
        PS_BMF_SORT_INDEX,      /* {list, place} */
        PS_BMF_SORT_IOTA,       /* how many */
        PS_BMF_SORT_DISTL,      /* {value, list} */
        PS_BMF_SORT_PROJECT,    /* {list, places} */
        PS_BMF_SORT_CONC        /* a pair of lists */
} ps_bmf_sort;

/* Units of work. */
typedef enum ps_bmf_cost {
        PS_BMF_COST_ONE,
        PS_BMF_COST_LENGTH, /* the number of the result's items */
        PS_BMF_COST_SIZE    /* the number of its scalars */
} ps_bmf_cost;

typedef struct ps_bmf_form_info {
        const char *name;
        uint8_t shape, cost;
} ps_bmf_form_info;

typedef struct ps_bmf_op_info {
        const char *name;
        uint8_t sort, cost;
} ps_bmf_op_info;

extern const ps_bmf_form_info ps_bmf_forms[PS_BMF_FORMS];
extern const ps_bmf_op_info ps_bmf_ops[PS_BMF_OPS];

/* How much of everything a program and its run may use. */
typedef struct ps_bmf_limits {
#define PS_BMF_LIMIT(field, value, what) uint64_t field;
#include "simulator/bmf/bmf.def"
} ps_bmf_limits;

extern const ps_bmf_limits ps_bmf_limits_default;

/* Where something stands: line and column from 1, in bytes. */
typedef struct ps_bmf_place {
        const char *path;
        uint32_t line, column;
} ps_bmf_place;

typedef struct ps_bmf_node ps_bmf_node;
struct ps_bmf_node {
        uint8_t form; /* ps_bmf_form */
        uint8_t op;   /* of B_Op */
        ps_bmf_place place;
        uint32_t index; /* its place in the order of reading */
        uint32_t n_children;
        const ps_bmf_node *const *child; /* of a reference: the definition's tree */
        int64_t number[2];
        ps_bmf_value constant;
};

typedef struct ps_bmf_program {
        ps_arena *arena;
        const ps_bmf_node *root;
        const ps_bmf_node *const *nodes; /* by index, those of unused definitions, too */
        uint32_t n_nodes;
        ps_bmf_value data;
} ps_bmf_program;

/* A text and what messages call it. */
typedef struct ps_bmf_text {
        const char *path, *text;
        size_t len;
} ps_bmf_text;

/* `library` may be NULL; limits: NULL for the usual ones. Paths are copied. */
ps_status ps_bmf_parse(ps_bmf_program **out, const ps_bmf_text *program, const ps_bmf_text *library,
                       const ps_bmf_limits *limits, ps_error *err);
/* The same of files, "-" being the standard input. `library` may be NULL. */
ps_status ps_bmf_read(ps_bmf_program **out, const char *program, const char *library, ps_error *err);
void ps_bmf_program_free(ps_bmf_program *program);

/* The name of the form, or of the operator in a B_Op; NULL for a reference. */
const char *ps_bmf_node_name(const ps_bmf_node *node);
static inline bool ps_bmf_is_parallel(const ps_bmf_node *node)
{
        return node->form >= PS_BMF_P_MAP && node->form <= PS_BMF_P_DISTL;
}

/* "WHAT: operator=NAME, line=3, column=12, path="prog.bmf"". `name` may be NULL. Returns `status`. */
ps_status ps_bmf_fail(ps_error *err, ps_status status, const ps_bmf_place *at, const char *name,
                      const char *fmt, ...) PS_FORMAT(5, 6);

#endif
