/* build.h - what the files share that turn the parameters of calls into a ps_dvm.
 *
 * For each function there may be two handlers: `begin` sees what the call was given, `end` what it gave back.
 * They ask for parameters with the functions below. The first thing that is wrong is kept in `status` and
 * `err`, later ones are not looked at, and every question is answered with 0, NULL or PS_NONE from then on: a
 * handler checks `status` once, before it relies on what it was told. */
#ifndef PS_READER_DVM_BUILD_H
#define PS_READER_DVM_BUILD_H

#include "core/base/ids.h"
#include "core/base/lookup.h"
#include "core/dvm/dvm.h"
#include "reader/dvm/values.h"

/* What is known of an array while reading. */
typedef struct ps_dvm_array_side {
        int64_t header, handle;
        uint32_t view; /* the template that it is aligned with, or PS_NONE */
} ps_dvm_array_side;

/* A copy under way, by its flag. */
typedef struct ps_dvm_flag {
        const ps_dvm_copy *copy;
} ps_dvm_flag;

/* Ids are addresses: each kind of object has a space of its own. */
typedef enum ps_dvm_space {
        PS_DVM_S_FREE, /* none */
        PS_DVM_S_AM,
        PS_DVM_S_PS,
        PS_DVM_S_VIEW,
        PS_DVM_S_ARRAY,  /* by header */
        PS_DVM_S_HANDLE, /* an array by its handle */
        PS_DVM_S_LOOP,
        PS_DVM_S_RED,
        PS_DVM_S_RED_GROUP,
        PS_DVM_S_SHADOW_GROUP,
        PS_DVM_S_BUFFER,
        PS_DVM_S_COPY, /* a flag that an asynchronous copy was given */
        PS_DVM_S_COUNT
} ps_dvm_space;

typedef struct ps_dvm_build {
        ps_dvm *dvm;
        ps_dvm_values values; /* of the half of a call that is at hand */
        ps_ids ids; /* what they mean now, by space: the newest object hides older ones with the same id */
        PS_VECTOR(ps_dvm_array_side) sides; /* by array */
        PS_VECTOR(ps_dvm_flag) flags;
        ps_lookup interval_of; /* rows of the trace's intervals */
        uint32_t interval;     /* the one that is open */
        uint32_t call;         /* the index of the call at hand, and */
        uint64_t at;           /* the line of the trace where its half at hand begins */
        ps_status status;
        ps_error *err;
} ps_dvm_build;

typedef void (*ps_dvm_handler)(ps_dvm_build *b, ps_dvm_call *call);

typedef struct ps_dvm_handlers {
        ps_dvm_handler begin, end;
} ps_dvm_handlers;

/* By function; those that a file does not handle are NULL there, and those that no file handles have no
 * parameters of use. */
extern const ps_dvm_handlers ps_dvm_handlers_objects[PS_DVM_COUNT];
extern const ps_dvm_handlers ps_dvm_handlers_layout[PS_DVM_COUNT];
extern const ps_dvm_handlers ps_dvm_handlers_exchange[PS_DVM_COUNT];
extern const ps_dvm_handlers ps_dvm_handlers_control[PS_DVM_COUNT];

/* Appends a row and gives its index; PS_NONE when something is wrong already. */
#define PS_DVM_PUSH(b, table, ...)                                                                           \
        ((b)->status != PS_OK          ? PS_NONE                                                             \
         : PS_PUSH(table, __VA_ARGS__) ? ((b)->status = PS_NOMEM((b)->err, #table, (table).n), PS_NONE)      \
                                       : (table).n - 1)

/* Memory of the trace's; NULL and a status when there is none. */
void *ps_dvm_alloc(ps_dvm_build *b, size_t count, size_t size);
/* A copy of a struct in it. */
const void *ps_dvm_keep(ps_dvm_build *b, const void *data, size_t size);

/* Says that something is wrong with the call: "WHAT: line=.., function=.., parameter=.., value=..". */
void ps_dvm_fault(ps_dvm_build *b, const char *what, ps_dvm_key key, int64_t value);

/* A parameter that has to be there, from `least` to `most`. */
int64_t ps_dvm_number(ps_dvm_build *b, ps_dvm_key key, int64_t least, int64_t most);
/* One that may be missing. */
int64_t ps_dvm_number_or(ps_dvm_build *b, ps_dvm_key key, int64_t least, int64_t most, int64_t otherwise);
/* The first `n` elements, at least; in memory of the trace's. */
const int64_t *ps_dvm_numbers(ps_dvm_build *b, ps_dvm_key key, uint32_t n, int64_t least, int64_t most);
/* How many elements there are, one after another. */
uint32_t ps_dvm_count(const ps_dvm_build *b, ps_dvm_key key);
uint32_t ps_dvm_rank(ps_dvm_build *b);

/* The id in `key`, which must not be 0. */
int64_t ps_dvm_id_of(ps_dvm_build *b, ps_dvm_key key);
/* The living object that `key` names. */
uint32_t ps_dvm_object(ps_dvm_build *b, ps_dvm_space space, ps_dvm_key key);
/* The same; PS_NONE when `key` is 0 or missing. */
uint32_t ps_dvm_object_or_none(ps_dvm_build *b, ps_dvm_space space, ps_dvm_key key);
void ps_dvm_bind(ps_dvm_build *b, ps_dvm_space space, ps_dvm_key key, uint32_t object);
void ps_dvm_drop(ps_dvm_build *b, ps_dvm_space space, ps_dvm_key key);

/* The product of counts that are at least 0; -1 when it exceeds `most`. */
int64_t ps_dvm_product(const int64_t *count, uint32_t n, int64_t most);

/* A linear mapping of something with `rank` dimensions to a pattern with `n` axes. */
ps_dvm_linear ps_dvm_linear_of(ps_dvm_build *b, uint32_t n, uint32_t rank);

#endif
