/* layout.c - how templates, arrays and loops are laid over each other and over processors. */
#include "reader/dvm/build.h"

#include <assert.h>
#include <math.h>
#include <string.h>

static void begin_setelw(ps_dvm_build *b, ps_dvm_call *call)
{
        ps_dvm_weights w = {0};
        call->other = ps_dvm_object_or_none(b, PS_DVM_S_PS, PS_DVM_K_PS_REF);
        call->object = ps_dvm_object_or_none(b, PS_DVM_S_VIEW, PS_DVM_K_AM_VIEW_REF);
        w.n = (uint32_t)ps_dvm_number(b, PS_DVM_K_ADDR_NUMBER, 0, PS_DVM_RANK_MAX);
        w.count = ps_dvm_numbers(b, PS_DVM_K_WEIGHT_NUMBER, w.n, 0, ps_dvm_count(b, PS_DVM_K_LOAD_WEIGHT));
        for (uint32_t i = 0; w.count && i < w.n; i++)
                w.n_weights += (uint32_t)w.count[i];
        const int64_t *bits = ps_dvm_numbers(b, PS_DVM_K_LOAD_WEIGHT, w.n_weights, PS_DVM_BAD + 1, INT64_MAX);
        double *weight = ps_dvm_alloc(b, w.n_weights, sizeof(*weight));
        if (b->status != PS_OK)
                return;
        assert(!w.n || w.count);
        memcpy(weight, bits, w.n_weights * sizeof(*weight));
        for (uint32_t axis = 0, at = 0; axis < w.n; at += (uint32_t)w.count[axis++]) {
                double sum = 0;
                for (uint32_t i = at; i < at + (uint32_t)w.count[axis]; i++)
                        sum = weight[i] < 0 ? -INFINITY : sum + weight[i];
                if (w.count[axis] && !(sum > 0 && sum < INFINITY))
                        ps_dvm_fault(b, "weights are negative, or all zero", PS_DVM_K_LOAD_WEIGHT,
                                     PS_DVM_ABSENT);
        }
        w.weight = weight;
        call->of.any = ps_dvm_keep(b, &w, sizeof(w));
}

static void begin_blkdiv(ps_dvm_build *b, ps_dvm_call *call)
{
        ps_dvm_blocks blocks = {0};
        call->object = ps_dvm_object(b, PS_DVM_S_VIEW, PS_DVM_K_AM_VIEW_REF);
        if (b->status != PS_OK)
                return;
        uint32_t rank = b->dvm->views.row[call->object].rank;
        blocks.n = (uint32_t)ps_dvm_number(b, PS_DVM_K_AMV_AXIS_COUNT, 0, rank);
        blocks.divisor = ps_dvm_numbers(b, PS_DVM_K_AMV_AXIS_DIV, blocks.n, 1, PS_DVM_INDEX_MAX);
        call->of.any = ps_dvm_keep(b, &blocks, sizeof(blocks));
}

/* The template that an array is aligned with, through other arrays if need be. */
static uint32_t view_of_array(ps_dvm_build *b, uint32_t array, ps_dvm_key key)
{
        if (b->status != PS_OK)
                return PS_NONE;
        if (b->sides.row[array].view == PS_NONE)
                ps_dvm_fault(b, "an array is not aligned with anything", key, b->sides.row[array].header);
        return b->sides.row[array].view;
}

static void distribute(ps_dvm_build *b, ps_dvm_call *call, ps_dvm_distr *d)
{
        d->ps = ps_dvm_object_or_none(b, PS_DVM_S_PS, PS_DVM_K_PS_REF);
        d->n = (uint32_t)ps_dvm_number(b, PS_DVM_K_PARAM_COUNT, 0, PS_DVM_RANK_MAX);
        uint32_t rank = b->status == PS_OK ? b->dvm->views.row[d->view].rank : 0, used = 0;
        d->axis = ps_dvm_numbers(b, PS_DVM_K_AXIS, d->n, 0, rank);
        d->param = ps_dvm_numbers(b, PS_DVM_K_DISTR_PARAM, d->n, PS_DVM_BAD + 1, INT64_MAX);
        for (uint32_t i = 0; b->status == PS_OK && i < d->n; i++) {
                uint32_t bit = d->axis[i] ? 1u << d->axis[i] : 0;
                if (used & bit)
                        ps_dvm_fault(b, "an axis is distributed twice", PS_DVM_K_AXIS, d->axis[i]);
                used |= bit;
        }
        call->of.any = ps_dvm_keep(b, d, sizeof(*d));
}

static void begin_distr(ps_dvm_build *b, ps_dvm_call *call)
{
        ps_dvm_distr d = {.view = ps_dvm_object(b, PS_DVM_S_VIEW, PS_DVM_K_AM_VIEW_REF), .array = PS_NONE};
        distribute(b, call, &d);
}

static void begin_redis(ps_dvm_build *b, ps_dvm_call *call)
{
        ps_dvm_distr d = {.array = ps_dvm_object_or_none(b, PS_DVM_S_ARRAY, PS_DVM_K_ARRAY_HEADER)};
        d.view = d.array == PS_NONE ? ps_dvm_object(b, PS_DVM_S_VIEW, PS_DVM_K_AM_VIEW_REF)
                                    : view_of_array(b, d.array, PS_DVM_K_ARRAY_HEADER);
        d.fresh = ps_dvm_number(b, PS_DVM_K_NEW_SIGN, PS_DVM_BAD + 1, INT64_MAX) != 0;
        distribute(b, call, &d);
}

/* What something is aligned with: a template by its id, an array by its header. The rank of the pattern, 0
 * when there is none. */
static uint32_t find_pattern(ps_dvm_build *b, uint32_t *view, uint32_t *array)
{
        *view = *array = PS_NONE;
        switch (b->values.pattern) {
        case PS_DVM_PATTERN_VIEW:
                *view = ps_dvm_object(b, PS_DVM_S_VIEW, PS_DVM_K_PATTERN_REF);
                return b->status == PS_OK ? b->dvm->views.row[*view].rank : 0;
        case PS_DVM_PATTERN_ARRAY:
                *array = ps_dvm_object(b, PS_DVM_S_ARRAY, PS_DVM_K_PATTERN_REF_PTR);
                view_of_array(b, *array, PS_DVM_K_PATTERN_REF_PTR);
                return b->status == PS_OK ? b->dvm->arrays.row[*array].rank : 0;
        case PS_DVM_PATTERN_NONE:
                break;
        }
        return 0;
}

static void read_alignment(ps_dvm_build *b, ps_dvm_call *call, ps_dvm_align *a)
{
        a->array = call->object = ps_dvm_object(b, PS_DVM_S_ARRAY, PS_DVM_K_ARRAY_HEADER);
        uint32_t n = find_pattern(b, &a->view, &a->pattern);
        if (n == 0)
                ps_dvm_fault(b, "a pattern is neither (AMView) nor (DisArray)", PS_DVM_K_PATTERN_REF,
                             PS_DVM_ABSENT);
        if (a->pattern != PS_NONE && a->pattern == a->array)
                ps_dvm_fault(b, "an array is aligned with itself", PS_DVM_K_PATTERN_REF_PTR, PS_DVM_ABSENT);
        if (b->status != PS_OK)
                return;
        a->map = ps_dvm_linear_of(b, n, b->dvm->arrays.row[a->array].rank);
        call->of.any = ps_dvm_keep(b, a, sizeof(*a));
        if (b->status == PS_OK)
                b->sides.row[a->array].view = a->view != PS_NONE ? a->view : b->sides.row[a->pattern].view;
}

static void begin_align(ps_dvm_build *b, ps_dvm_call *call)
{
        ps_dvm_align a = {0};
        read_alignment(b, call, &a);
}

static void begin_realn(ps_dvm_build *b, ps_dvm_call *call)
{
        ps_dvm_align a = {.fresh = ps_dvm_number(b, PS_DVM_K_NEW_SIGN, PS_DVM_BAD + 1, INT64_MAX) != 0};
        read_alignment(b, call, &a);
}

/* How many values lie between `init` and `last`. */
static int64_t steps_of(int64_t init, int64_t last, int64_t step)
{
        if (step > 0)
                return last < init ? 0 : (last - init) / step + 1;
        return last > init ? 0 : (init - last) / -step + 1;
}

static void begin_mappl(ps_dvm_build *b, ps_dvm_call *call)
{
        enum { LOOP_BITS = 62 };
        ps_dvm_map m = {.loop = ps_dvm_object(b, PS_DVM_S_LOOP, PS_DVM_K_LOOP_REF)};
        uint32_t n = find_pattern(b, &m.view, &m.pattern);
        if (n == 0 && ps_dvm_number_or(b, PS_DVM_K_PATTERN_REF, PS_DVM_BAD + 1, INT64_MAX, 0) != 0)
                ps_dvm_fault(b, "a pattern is neither (AMView) nor (DisArray)", PS_DVM_K_PATTERN_REF,
                             PS_DVM_ABSENT);
        if (b->status != PS_OK)
                return;
        int64_t count[PS_DVM_RANK_MAX];
        call->object = m.loop;
        m.rank = b->dvm->loops.row[m.loop].rank;
        m.map = ps_dvm_linear_of(b, n, m.rank);
        m.init = ps_dvm_numbers(b, PS_DVM_K_IN_INIT, m.rank, -PS_DVM_INDEX_MAX, PS_DVM_INDEX_MAX);
        m.last = ps_dvm_numbers(b, PS_DVM_K_IN_LAST, m.rank, -PS_DVM_INDEX_MAX, PS_DVM_INDEX_MAX);
        m.step = ps_dvm_numbers(b, PS_DVM_K_IN_STEP, m.rank, -PS_DVM_INDEX_MAX, PS_DVM_INDEX_MAX);
        for (uint32_t i = 0; b->status == PS_OK && i < m.rank; i++) {
                if (m.step[i] == 0)
                        ps_dvm_fault(b, "a parameter is out of range", PS_DVM_K_IN_STEP, 0);
                else
                        count[i] = steps_of(m.init[i], m.last[i], m.step[i]);
        }
        if (b->status != PS_OK)
                return;
        m.iterations = ps_dvm_product(count, m.rank, (INT64_C(1) << LOOP_BITS) - 1);
        if (m.iterations < 0)
                ps_dvm_fault(b, "a loop has too many iterations", PS_DVM_K_IN_LAST, m.last[0]);
        call->of.any = ps_dvm_keep(b, &m, sizeof(m));
}

const ps_dvm_handlers ps_dvm_handlers_layout[PS_DVM_COUNT] = {
        [PS_DVM_SETELW] = {begin_setelw, NULL}, [PS_DVM_BLKDIV] = {begin_blkdiv, NULL},
        [PS_DVM_DISTR] = {begin_distr, NULL},   [PS_DVM_REDIS] = {begin_redis, NULL},
        [PS_DVM_ALIGN] = {begin_align, NULL},   [PS_DVM_REALN] = {begin_realn, NULL},
        [PS_DVM_MAPPL] = {begin_mappl, NULL},
};
