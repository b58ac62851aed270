/* value.h - the data of BMF programs.
 *
 * A value is a scalar, or points to an object that never changes once it is finished. Only the items of a
 * list can be on several processors; the list is then `spread` and names them. Everything else is where the
 * list item is that it belongs to, so that moving a value changes nothing in it. */
#ifndef PS_SIMULATOR_BMF_VALUE_H
#define PS_SIMULATOR_BMF_VALUE_H

#include "core/base/arena.h"
#include "core/base/error.h"
#include <stdint.h>
#include <stdio.h>

typedef enum ps_bmf_type { PS_BMF_INT, PS_BMF_REAL, PS_BMF_BOOL, PS_BMF_LIST, PS_BMF_TUPLE } ps_bmf_type;

extern const char *const ps_bmf_type_names[];

typedef struct ps_bmf_value {
        uint8_t type; /* ps_bmf_type */
        union {
                int64_t integer;
                double real; /* finite */
                int truth;
                const struct ps_bmf_object *object;
        };
} ps_bmf_value;

typedef struct ps_bmf_object {
        uint64_t leaves; /* scalars in it: its size in a message, in bytes */
        uint64_t parts;  /* of its text: scalars, lists and tuples; shared ones as often as they are in it */
        uint32_t n;
        uint32_t depth;       /* 1: only scalars in it */
        uint8_t holds_spread; /* it, or a list in it, is spread */
        uint32_t *proc;       /* of a spread list: the processor of each item; else NULL */
        ps_bmf_value *item;
} ps_bmf_object;

/* Where objects come from; what is left of their items. */
typedef struct ps_bmf_pool {
        ps_arena *arena;
        uint64_t items;
} ps_bmf_pool;

/* An object of `n` items to be filled and finished; NULL when the pool is used up or memory is out. */
ps_bmf_object *ps_bmf_object_new(ps_bmf_pool *pool, uint32_t n, bool is_spread);
/* Works out what the fields say of the items. */
void ps_bmf_object_finish(ps_bmf_object *object);

static inline ps_bmf_value ps_bmf_integer(int64_t integer)
{
        return (ps_bmf_value){.type = PS_BMF_INT, .integer = integer};
}

static inline ps_bmf_value ps_bmf_truth(int truth)
{
        return (ps_bmf_value){.type = PS_BMF_BOOL, .truth = truth != 0};
}

static inline bool ps_bmf_is_scalar(ps_bmf_value v)
{
        return v.type < PS_BMF_LIST;
}

static inline uint64_t ps_bmf_leaves(ps_bmf_value v)
{
        return ps_bmf_is_scalar(v) ? 1 : v.object->leaves;
}

static inline bool ps_bmf_holds_spread(ps_bmf_value v)
{
        return !ps_bmf_is_scalar(v) && v.object->holds_spread;
}

/* As BMF data, in one line without its end; reals in as many digits as it takes to read them back. */
void ps_bmf_value_write(ps_bmf_value value, FILE *out);

#endif
