/* exchange.c - what moves data between processors: copies, reductions, shadow edges, remote buffers. */
#include "reader/dvm/build.h"

#include <string.h>

/* -- copies -- */

typedef struct side_keys {
        ps_dvm_key array, buffer, init, last, step;
} side_keys;

/* The lower bound of a copy is -1 for a whole dimension; the other two mean nothing then. */
static ps_dvm_section section_of(ps_dvm_build *b, const side_keys *keys)
{
        ps_dvm_section s = {.array = ps_dvm_object_or_none(b, PS_DVM_S_ARRAY, keys->array)};
        if (b->status != PS_OK || s.array == PS_NONE) {
                ps_dvm_number(b, keys->buffer, PS_DVM_BAD + 1, INT64_MAX);
                return s;
        }
        const ps_dvm_array *array = &b->dvm->arrays.row[s.array];
        s.rank = array->rank;
        s.first = ps_dvm_numbers(b, keys->init, s.rank, -1, PS_DVM_INDEX_MAX);
        s.last = ps_dvm_numbers(b, keys->last, s.rank, -PS_DVM_INDEX_MAX, PS_DVM_INDEX_MAX);
        s.step = ps_dvm_numbers(b, keys->step, s.rank, -PS_DVM_INDEX_MAX, PS_DVM_INDEX_MAX);
        for (uint32_t i = 0; b->status == PS_OK && i < s.rank; i++) {
                if (s.first[i] == -1)
                        continue;
                if (s.first[i] >= array->size[i])
                        ps_dvm_fault(b, "an index is outside its array", keys->init, s.first[i]);
                if (s.last[i] < 0 || s.last[i] >= array->size[i])
                        ps_dvm_fault(b, "an index is outside its array", keys->last, s.last[i]);
                if (s.step[i] == 0)
                        ps_dvm_fault(b, "a parameter is out of range", keys->step, 0);
        }
        return s;
}

static ps_dvm_copy *copy_of(ps_dvm_build *b, ps_dvm_call *call)
{
        static const side_keys from = {PS_DVM_K_FROM_ARRAY, PS_DVM_K_FROM_BUFFER, PS_DVM_K_FROM_INIT,
                                       PS_DVM_K_FROM_LAST, PS_DVM_K_FROM_STEP},
                               to = {PS_DVM_K_TO_ARRAY, PS_DVM_K_TO_BUFFER, PS_DVM_K_TO_INIT,
                                     PS_DVM_K_TO_LAST, PS_DVM_K_TO_STEP};
        ps_dvm_copy *copy = ps_dvm_alloc(b, 1, sizeof(*copy));
        if (!copy)
                return NULL;
        copy->from = section_of(b, &from);
        copy->to = section_of(b, &to);
        copy->regime = ps_dvm_number_or(b, PS_DVM_K_COPY_REGIME, PS_DVM_BAD + 1, INT64_MAX, 0);
        call->of.copy = copy;
        call->value = -1;
        return copy;
}

static void begin_arrcpy(ps_dvm_build *b, ps_dvm_call *call)
{
        copy_of(b, call);
}

static void end_arrcpy(ps_dvm_build *b, ps_dvm_call *call)
{
        call->value = ps_dvm_number_or(b, PS_DVM_K_RES, 0, INT64_MAX, -1);
}

static void begin_aarrcp(ps_dvm_build *b, ps_dvm_call *call)
{
        ps_dvm_flag flag = {copy_of(b, call)};
        uint32_t index = PS_DVM_PUSH(b, b->flags, flag);
        ps_dvm_bind(b, PS_DVM_S_COPY, PS_DVM_K_COPY_FLAG, index);
}

static void begin_waitcp(ps_dvm_build *b, ps_dvm_call *call)
{
        uint32_t flag = ps_dvm_object(b, PS_DVM_S_COPY, PS_DVM_K_COPY_FLAG);
        ps_dvm_drop(b, PS_DVM_S_COPY, PS_DVM_K_COPY_FLAG);
        if (b->status == PS_OK)
                call->of.copy = b->flags.row[flag].copy;
}

/* -- reductions -- */

static void begin_red_group(ps_dvm_build *b, ps_dvm_call *call)
{
        call->object = ps_dvm_object(b, PS_DVM_S_RED_GROUP, PS_DVM_K_RED_GROUP_REF);
        if (call->function == PS_DVM_DELRG)
                ps_dvm_drop(b, PS_DVM_S_RED_GROUP, PS_DVM_K_RED_GROUP_REF);
}

static void end_crtrg(ps_dvm_build *b, ps_dvm_call *call)
{
        call->object = PS_DVM_PUSH(b, b->dvm->red_groups, (ps_dvm_group){b->call});
        ps_dvm_bind(b, PS_DVM_S_RED_GROUP, PS_DVM_K_RED_GROUP_REF, call->object);
}

static void begin_crtred(ps_dvm_build *b, ps_dvm_call *call)
{
        /* int, long, float, double, float complex, double complex; the others are not known. */
        static const uint8_t type_bytes[] = {0, 4, 8, 4, 8, 8, 16};
        enum { N_TYPES = sizeof(type_bytes) };
        ps_dvm_red red = {.made = b->call};
        red.function = (uint32_t)ps_dvm_number(b, PS_DVM_K_RED_FUNCTION, 0, INT32_MAX);
        int64_t type = ps_dvm_number(b, PS_DVM_K_RED_TYPE, -INT32_MAX, INT32_MAX);
        int64_t length = ps_dvm_number(b, PS_DVM_K_RED_LENGTH, 0, PS_DVM_INDEX_MAX);
        int64_t location = ps_dvm_number_or(b, PS_DVM_K_LOC_LENGTH, 0, PS_DVM_COEFF_MAX, 0);
        if (type > 0 && type < N_TYPES)
                red.bytes = (type_bytes[type] + location) * length;
        call->object = PS_DVM_PUSH(b, b->dvm->reds, red);
}

static void end_crtred(ps_dvm_build *b, ps_dvm_call *call)
{
        ps_dvm_bind(b, PS_DVM_S_RED, PS_DVM_K_RED_REF, call->object);
}

static void begin_delred(ps_dvm_build *b, ps_dvm_call *call)
{
        call->object = ps_dvm_object(b, PS_DVM_S_RED, PS_DVM_K_RED_REF);
        ps_dvm_drop(b, PS_DVM_S_RED, PS_DVM_K_RED_REF);
}

/* Over whose processors it goes: the first of these that the call names. */
static ps_dvm_target target_of(ps_dvm_build *b)
{
        static const struct {
                ps_dvm_key key;
                uint8_t space, kind;
        } targets[] = {{PS_DVM_K_LOOP_REF, PS_DVM_S_LOOP, PS_DVM_T_LOOP},
                       {PS_DVM_K_AM_VIEW_REF, PS_DVM_S_VIEW, PS_DVM_T_VIEW},
                       {PS_DVM_K_ARRAY_HEADER, PS_DVM_S_ARRAY, PS_DVM_T_ARRAY},
                       {PS_DVM_K_PS_REF, PS_DVM_S_PS, PS_DVM_T_PS},
                       {PS_DVM_K_PS_SPACE_REF, PS_DVM_S_PS, PS_DVM_T_PS}};
        for (unsigned i = 0; i < sizeof(targets) / sizeof(targets[0]); i++) {
                if (ps_dvm_value_of(&b->values, targets[i].key) == PS_DVM_ABSENT)
                        continue;
                uint32_t index = ps_dvm_object_or_none(b, (ps_dvm_space)targets[i].space, targets[i].key);
                if (index != PS_NONE || targets[i].kind == PS_DVM_T_PS)
                        return (ps_dvm_target){targets[i].kind, index};
        }
        return (ps_dvm_target){PS_DVM_T_NONE, PS_NONE};
}

static void begin_insred(ps_dvm_build *b, ps_dvm_call *call)
{
        call->object = ps_dvm_object(b, PS_DVM_S_RED_GROUP, PS_DVM_K_RED_GROUP_REF);
        call->other = ps_dvm_object(b, PS_DVM_S_RED, PS_DVM_K_RED_REF);
        call->value = ps_dvm_number_or(b, PS_DVM_K_RENEW, PS_DVM_BAD + 1, INT64_MAX, 1) != 0;
        ps_dvm_target target = target_of(b);
        call->of.any = ps_dvm_keep(b, &target, sizeof(target));
}

/* -- shadow edges -- */

static void begin_shadow_group(ps_dvm_build *b, ps_dvm_call *call)
{
        call->object = ps_dvm_object(b, PS_DVM_S_SHADOW_GROUP, PS_DVM_K_SHADOW_GROUP_REF);
        if (call->function == PS_DVM_DELSHG)
                ps_dvm_drop(b, PS_DVM_S_SHADOW_GROUP, PS_DVM_K_SHADOW_GROUP_REF);
}

static void end_crtshg(ps_dvm_build *b, ps_dvm_call *call)
{
        call->object = PS_DVM_PUSH(b, b->dvm->shadow_groups, (ps_dvm_group){b->call});
        ps_dvm_bind(b, PS_DVM_S_SHADOW_GROUP, PS_DVM_K_SHADOW_GROUP_REF, call->object);
}

/* Widths as given; -1 is the array's own. */
static const int64_t *widths_of(ps_dvm_build *b, ps_dvm_key key, uint32_t n, const int64_t *own)
{
        const int64_t *given = ps_dvm_numbers(b, key, n, -1, PS_DVM_INDEX_MAX);
        int64_t *width = ps_dvm_alloc(b, n, sizeof(*width));
        for (uint32_t i = 0; width && i < n; i++)
                width[i] = given[i] == -1 ? own[i] : given[i];
        return width;
}

/* Widths from the first and the last column of the edge: the array's own when both are -1, up to the last
 * when the first is. */
static const int64_t *ranges_of(ps_dvm_build *b, ps_dvm_key first_key, ps_dvm_key last_key, uint32_t n,
                                const int64_t *own)
{
        const int64_t *first = ps_dvm_numbers(b, first_key, n, -1, PS_DVM_INDEX_MAX);
        const int64_t *last = ps_dvm_numbers(b, last_key, n, -1, PS_DVM_INDEX_MAX);
        int64_t *width = ps_dvm_alloc(b, n, sizeof(*width));
        for (uint32_t i = 0; width && i < n; i++) {
                if (first[i] == -1)
                        width[i] = last[i] == -1 ? own[i] : last[i];
                else
                        width[i] = last[i] - first[i] + 1;
                if (width[i] < 0)
                        ps_dvm_fault(b, "a range ends before it begins", last_key, last[i]);
        }
        return width;
}

static void begin_shadow(ps_dvm_build *b, ps_dvm_call *call)
{
        int ranges = call->function == PS_DVM_INCSH || call->function == PS_DVM_INCSHD;
        int signs = call->function == PS_DVM_INSSHD || call->function == PS_DVM_INCSHD;
        ps_dvm_shadow s = {.max_count = -1};
        call->object = ps_dvm_object(b, PS_DVM_S_SHADOW_GROUP, PS_DVM_K_SHADOW_GROUP_REF);
        s.array = ps_dvm_object(b, PS_DVM_S_ARRAY, PS_DVM_K_ARRAY_HEADER);
        if (b->status != PS_OK)
                return;
        const ps_dvm_array *array = &b->dvm->arrays.row[s.array];
        s.rank = array->rank;
        if (signs) {
                s.max_count = ps_dvm_number(b, PS_DVM_K_MAX_SHADOW, 0, INT32_MAX);
                s.sign = ps_dvm_numbers(b, PS_DVM_K_SHADOW_SIGN, s.rank, -INT32_MAX, INT32_MAX);
                s.corners = s.max_count > 1;
        } else {
                s.corners = ps_dvm_number(b, PS_DVM_K_FULL_SHADOW, -INT32_MAX, INT32_MAX) != 0;
        }
        s.low = ranges ? ranges_of(b, PS_DVM_K_INIT_LOW, PS_DVM_K_LAST_LOW, s.rank, array->low)
                       : widths_of(b, PS_DVM_K_LOW_SHADOW, s.rank, array->low);
        s.high = ranges ? ranges_of(b, PS_DVM_K_INIT_HIGH, PS_DVM_K_LAST_HIGH, s.rank, array->high)
                        : widths_of(b, PS_DVM_K_HIGH_SHADOW, s.rank, array->high);
        call->of.any = ps_dvm_keep(b, &s, sizeof(s));
}

static void begin_edge(ps_dvm_build *b, ps_dvm_call *call)
{
        call->object = ps_dvm_object(b, PS_DVM_S_LOOP, PS_DVM_K_LOOP_REF);
        call->other = ps_dvm_object(b, PS_DVM_S_SHADOW_GROUP, PS_DVM_K_SHADOW_GROUP_REF);
}

/* A real stands as its bits; a number of stages that is missing is not told. */
static void begin_across(ps_dvm_build *b, ps_dvm_call *call)
{
        ps_dvm_across a = {.old_group = ps_dvm_object_or_none(b, PS_DVM_S_SHADOW_GROUP, PS_DVM_K_OLD_SHADOW),
                           .new_group = ps_dvm_object_or_none(b, PS_DVM_S_SHADOW_GROUP, PS_DVM_K_NEW_SHADOW)};
        a.writes = ps_dvm_number_or(b, PS_DVM_K_ACROSS_TYPE, -INT32_MAX, INT32_MAX, 0) != 0;
        int64_t bits = ps_dvm_number_or(b, PS_DVM_K_PIPE_LINE, PS_DVM_BAD + 1, INT64_MAX, 0);
        memcpy(&a.stages, &bits, sizeof(bits));
        call->of.any = ps_dvm_keep(b, &a, sizeof(a));
}

/* -- buffers of remote elements -- */

static void make_buffer(ps_dvm_build *b, ps_dvm_call *call, const ps_dvm_buffer *buffer)
{
        call->object = PS_DVM_PUSH(b, b->dvm->buffers, *buffer);
        ps_dvm_bind(b, PS_DVM_S_BUFFER, PS_DVM_K_BUFFER_HEADER, call->object);
}

static void begin_crtrbl(ps_dvm_build *b, ps_dvm_call *call)
{
        ps_dvm_buffer buffer = {.made = b->call, .ps = PS_NONE};
        buffer.array = ps_dvm_object(b, PS_DVM_S_ARRAY, PS_DVM_K_REM_ARRAY);
        buffer.loop = ps_dvm_object(b, PS_DVM_S_LOOP, PS_DVM_K_LOOP_REF);
        if (b->status != PS_OK)
                return;
        buffer.section = ps_dvm_linear_of(b, b->dvm->arrays.row[buffer.array].rank,
                                          b->dvm->loops.row[buffer.loop].rank);
        make_buffer(b, call, &buffer);
}

static void begin_crtrbp(ps_dvm_build *b, ps_dvm_call *call)
{
        ps_dvm_buffer buffer = {.made = b->call, .loop = PS_NONE};
        buffer.array = ps_dvm_object(b, PS_DVM_S_ARRAY, PS_DVM_K_REM_ARRAY);
        buffer.ps = ps_dvm_object_or_none(b, PS_DVM_S_PS, PS_DVM_K_PS_REF);
        if (b->status != PS_OK)
                return;
        buffer.rank = b->dvm->arrays.row[buffer.array].rank;
        buffer.coord = ps_dvm_numbers(b, PS_DVM_K_COORD, buffer.rank, -1, PS_DVM_INDEX_MAX);
        make_buffer(b, call, &buffer);
}

static void begin_buffer(ps_dvm_build *b, ps_dvm_call *call)
{
        call->object = ps_dvm_object(b, PS_DVM_S_BUFFER, PS_DVM_K_BUFFER_HEADER);
        if (call->function == PS_DVM_LOADRB)
                call->value = ps_dvm_number_or(b, PS_DVM_K_RENEW, PS_DVM_BAD + 1, INT64_MAX, 1) != 0;
}

const ps_dvm_handlers ps_dvm_handlers_exchange[PS_DVM_COUNT] = {
        [PS_DVM_ARRCPY] = {begin_arrcpy, end_arrcpy}, [PS_DVM_AARRCP] = {begin_aarrcp, NULL},
        [PS_DVM_WAITCP] = {begin_waitcp, NULL},       [PS_DVM_CRTRG] = {NULL, end_crtrg},
        [PS_DVM_DELRG] = {begin_red_group, NULL},     [PS_DVM_STRTRD] = {begin_red_group, NULL},
        [PS_DVM_WAITRD] = {begin_red_group, NULL},    [PS_DVM_CRTRED] = {begin_crtred, end_crtred},
        [PS_DVM_DELRED] = {begin_delred, NULL},       [PS_DVM_INSRED] = {begin_insred, NULL},
        [PS_DVM_CRTSHG] = {NULL, end_crtshg},         [PS_DVM_DELSHG] = {begin_shadow_group, NULL},
        [PS_DVM_STRTSH] = {begin_shadow_group, NULL}, [PS_DVM_WAITSH] = {begin_shadow_group, NULL},
        [PS_DVM_INSSH] = {begin_shadow, NULL},        [PS_DVM_INSSHD] = {begin_shadow, NULL},
        [PS_DVM_INCSH] = {begin_shadow, NULL},        [PS_DVM_INCSHD] = {begin_shadow, NULL},
        [PS_DVM_SENDSH] = {begin_shadow_group, NULL}, [PS_DVM_RECVSH] = {begin_shadow_group, NULL},
        [PS_DVM_ACROSS] = {begin_across, NULL},       [PS_DVM_EXFRST] = {begin_edge, NULL},
        [PS_DVM_IMLAST] = {begin_edge, NULL},         [PS_DVM_CRTRBL] = {begin_crtrbl, NULL},
        [PS_DVM_CRTRBP] = {begin_crtrbp, NULL},       [PS_DVM_LOADRB] = {begin_buffer, NULL},
        [PS_DVM_WAITRB] = {begin_buffer, NULL},
};
