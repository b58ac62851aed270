/* build.c - asking for parameters. */
#include "reader/dvm/build.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *ps_dvm_alloc(ps_dvm_build *b, size_t count, size_t size)
{
        void *memory = b->status == PS_OK ? ps_arena_alloc(b->dvm->arena, count, size) : NULL;
        if (!memory && b->status == PS_OK)
                b->status = PS_NOMEM(b->err, "parameters", count);
        return memory;
}

const void *ps_dvm_keep(ps_dvm_build *b, const void *data, size_t size)
{
        void *copy = ps_dvm_alloc(b, 1, size);
        return copy ? memcpy(copy, data, size) : NULL;
}

void ps_dvm_fault(ps_dvm_build *b, const char *what, ps_dvm_key key, int64_t value)
{
        char tail[48] = "";
        if (b->status != PS_OK)
                return;
        if (value > PS_DVM_BAD)
                snprintf(tail, sizeof(tail),
                         ps_dvm_key_infos[key].form == PS_DVM_V_HEX ? ", value=%llx" : ", value=%lld",
                         (long long)value);
        const ps_dvm_call *call = &b->dvm->calls.row[b->call];
        b->status = PS_FAIL(b->err, PS_E_INPUT, "%s: line=%llu, function=%s, parameter=%s%s", what,
                            (unsigned long long)b->at, ps_dvm_str(b->dvm, call->name),
                            ps_dvm_key_infos[key].name, tail);
}

static int64_t check_number(ps_dvm_build *b, ps_dvm_key key, int64_t n, int64_t least, int64_t most)
{
        if (n == PS_DVM_ABSENT)
                ps_dvm_fault(b, "a parameter is missing", key, n);
        else if (n == PS_DVM_BAD)
                ps_dvm_fault(b, "a parameter is not a number, or too large a one", key, n);
        else if (n < least || n > most)
                ps_dvm_fault(b, "a parameter is out of range", key, n);
        return b->status == PS_OK ? n : 0;
}

int64_t ps_dvm_number(ps_dvm_build *b, ps_dvm_key key, int64_t least, int64_t most)
{
        return check_number(b, key, ps_dvm_value_of(&b->values, key), least, most);
}

int64_t ps_dvm_number_or(ps_dvm_build *b, ps_dvm_key key, int64_t least, int64_t most, int64_t otherwise)
{
        int64_t n = ps_dvm_value_of(&b->values, key);
        return n == PS_DVM_ABSENT ? otherwise : check_number(b, key, n, least, most);
}

uint32_t ps_dvm_count(const ps_dvm_build *b, ps_dvm_key key)
{
        const ps_dvm_value *value = &b->values.value[key];
        uint32_t n = 0;
        if (value->round != b->values.round)
                return 0;
        while (n < value->n && value->at[n] != PS_DVM_ABSENT)
                n++;
        return n;
}

const int64_t *ps_dvm_numbers(ps_dvm_build *b, ps_dvm_key key, uint32_t n, int64_t least, int64_t most)
{
        if (ps_dvm_count(b, key) < n)
                ps_dvm_fault(b, "an array has too few elements", key, ps_dvm_count(b, key));
        int64_t *copy = ps_dvm_alloc(b, n, sizeof(*copy));
        for (uint32_t i = 0; i < n && b->status == PS_OK; i++)
                copy[i] = check_number(b, key, b->values.value[key].at[i], least, most);
        return b->status == PS_OK ? copy : NULL;
}

uint32_t ps_dvm_rank(ps_dvm_build *b)
{
        return (uint32_t)ps_dvm_number(b, PS_DVM_K_RANK, 1, PS_DVM_RANK_MAX);
}

int64_t ps_dvm_id_of(ps_dvm_build *b, ps_dvm_key key)
{
        int64_t id = ps_dvm_number(b, key, PS_DVM_BAD + 1, INT64_MAX);
        if (id == 0)
                ps_dvm_fault(b, "an id is 0", key, PS_DVM_ABSENT);
        return id;
}

static uint32_t object_of(ps_dvm_build *b, ps_dvm_space space, ps_dvm_key key, int64_t id)
{
        uint32_t object = b->status == PS_OK ? ps_ids_get(&b->ids, space, (uint64_t)id) : PS_NONE;
        if (object == PS_NONE)
                ps_dvm_fault(b, "no such object lives", key, id);
        return object;
}

uint32_t ps_dvm_object(ps_dvm_build *b, ps_dvm_space space, ps_dvm_key key)
{
        int64_t id = ps_dvm_id_of(b, key);
        return object_of(b, space, key, id);
}

uint32_t ps_dvm_object_or_none(ps_dvm_build *b, ps_dvm_space space, ps_dvm_key key)
{
        int64_t id = ps_dvm_number_or(b, key, PS_DVM_BAD + 1, INT64_MAX, 0);
        return id == 0 ? PS_NONE : object_of(b, space, key, id);
}

void ps_dvm_bind(ps_dvm_build *b, ps_dvm_space space, ps_dvm_key key, uint32_t object)
{
        int64_t id = ps_dvm_id_of(b, key);
        uint32_t *meant = b->status == PS_OK ? ps_ids_at(&b->ids, space, (uint64_t)id) : NULL;
        if (meant)
                *meant = object;
        else
                PS_THEN(b->status, PS_NOMEM(b->err, "ids", 1));
}

void ps_dvm_drop(ps_dvm_build *b, ps_dvm_space space, ps_dvm_key key)
{
        int64_t id = ps_dvm_id_of(b, key);
        if (b->status == PS_OK)
                ps_ids_drop(&b->ids, space, (uint64_t)id);
}

int64_t ps_dvm_product(const int64_t *count, uint32_t n, int64_t most)
{
        int64_t product = 1;
        for (uint32_t i = 0; i < n; i++)
                if (count[i] == 0)
                        return 0;
        for (uint32_t i = 0; i < n; i++)
                if (__builtin_mul_overflow(product, count[i], &product) || product > most)
                        return -1;
        return product;
}

ps_dvm_linear ps_dvm_linear_of(ps_dvm_build *b, uint32_t n, uint32_t rank)
{
        return (ps_dvm_linear){
                .n = n,
                .axis = ps_dvm_numbers(b, PS_DVM_K_AXIS, n, -1, rank),
                .coeff = ps_dvm_numbers(b, PS_DVM_K_COEFF, n, -PS_DVM_COEFF_MAX, PS_DVM_COEFF_MAX),
                .constant = ps_dvm_numbers(b, PS_DVM_K_CONST, n, -PS_DVM_INDEX_MAX, PS_DVM_INDEX_MAX)};
}
