/* objects.c - machines, processor systems, templates and arrays: making, naming and dropping them. */
#include "reader/dvm/build.h"

#include <assert.h>
#include <string.h>

enum { VIEW_BITS = 62, ARRAY_BITS = 50, ELEMENT_BITS = 31 };

/* -- machines and processor systems -- */

/* getam_ and getamr_ tell an id, mostly one that is known already. */
static void end_am(ps_dvm_build *b, ps_dvm_call *call)
{
        const ps_dvm_am *am = call->of.any;
        int64_t id = ps_dvm_id_of(b, PS_DVM_K_AM_REF);
        uint32_t known = b->status == PS_OK ? ps_ids_get(&b->ids, PS_DVM_S_AM, (uint64_t)id) : PS_NONE;
        call->of.any = NULL;
        if (b->status != PS_OK)
                return;
        assert(known == PS_NONE || b->dvm->ams.row);
        const ps_dvm_am *old = known == PS_NONE ? NULL : &b->dvm->ams.row[known];
        if (old && (!am || (old->view == am->view && old->rank == am->rank &&
                            memcmp(old->index, am->index, am->rank * sizeof(*am->index)) == 0))) {
                call->object = known;
                return;
        }
        call->object = PS_DVM_PUSH(b, b->dvm->ams, am ? *am : (ps_dvm_am){.made = b->call, .view = PS_NONE});
        ps_dvm_bind(b, PS_DVM_S_AM, PS_DVM_K_AM_REF, call->object);
}

static void begin_getamr(ps_dvm_build *b, ps_dvm_call *call)
{
        ps_dvm_am am = {.made = b->call, .view = ps_dvm_object(b, PS_DVM_S_VIEW, PS_DVM_K_AM_VIEW_REF)};
        if (b->status != PS_OK)
                return;
        const ps_dvm_view *view = &b->dvm->views.row[am.view];
        am.rank = view->rank;
        am.index = ps_dvm_numbers(b, PS_DVM_K_INDEX_ARRAY, am.rank, 0, PS_DVM_INDEX_MAX - 1);
        for (uint32_t i = 0; am.index && i < am.rank; i++)
                if (am.index[i] >= view->size[i])
                        ps_dvm_fault(b, "a position is outside its template", PS_DVM_K_INDEX_ARRAY,
                                     am.index[i]);
        call->of.any = ps_dvm_keep(b, &am, sizeof(am));
}

static void begin_getps(ps_dvm_build *b, ps_dvm_call *call)
{
        call->object = ps_dvm_object_or_none(b, PS_DVM_S_AM, PS_DVM_K_AM_REF);
}

static void end_getps(ps_dvm_build *b, ps_dvm_call *call)
{
        ps_dvm_ps ps = {.made = b->call, .kind = PS_DVM_PS_OF_AM, .am = call->object, .parent = PS_NONE};
        int64_t id = ps_dvm_id_of(b, PS_DVM_K_PS_REF);
        call->object = b->status == PS_OK ? ps_ids_get(&b->ids, PS_DVM_S_PS, (uint64_t)id) : PS_NONE;
        if (b->status != PS_OK || call->object != PS_NONE)
                return;
        call->object = PS_DVM_PUSH(b, b->dvm->pss, ps);
        ps_dvm_bind(b, PS_DVM_S_PS, PS_DVM_K_PS_REF, call->object);
}

/* One for each axis; together they make at most `limit` elements. */
static const int64_t *take_sizes(ps_dvm_build *b, uint32_t rank, int64_t limit)
{
        const int64_t *size = ps_dvm_numbers(b, PS_DVM_K_SIZE_ARRAY, rank, 1, PS_DVM_INDEX_MAX);
        if (size && ps_dvm_product(size, rank, limit) < 0)
                ps_dvm_fault(b, "sizes are too large", PS_DVM_K_SIZE_ARRAY, size[0]);
        return size;
}

static void begin_crtps(ps_dvm_build *b, ps_dvm_call *call)
{
        ps_dvm_ps ps = {.made = b->call, .kind = PS_DVM_PS_PART, .am = PS_NONE};
        ps.parent = ps_dvm_object_or_none(b, PS_DVM_S_PS, PS_DVM_K_PS_REF);
        ps.rank = ps_dvm_count(b, PS_DVM_K_INIT_INDEX);
        if (ps.rank < 1 || ps.rank > PS_DVM_RANK_MAX)
                ps_dvm_fault(b, "an array is empty or too long", PS_DVM_K_INIT_INDEX, ps.rank);
        ps.first = ps_dvm_numbers(b, PS_DVM_K_INIT_INDEX, ps.rank, 0, PS_DVM_INDEX_MAX);
        ps.last = ps_dvm_numbers(b, PS_DVM_K_LAST_INDEX, ps.rank, 0, PS_DVM_INDEX_MAX);
        for (uint32_t i = 0; b->status == PS_OK && i < ps.rank; i++)
                if (ps.last[i] < ps.first[i])
                        ps_dvm_fault(b, "a range ends before it begins", PS_DVM_K_LAST_INDEX, ps.last[i]);
        call->object = PS_DVM_PUSH(b, b->dvm->pss, ps);
}

static void begin_psview(ps_dvm_build *b, ps_dvm_call *call)
{
        ps_dvm_ps ps = {.made = b->call, .kind = PS_DVM_PS_SHAPE, .am = PS_NONE};
        ps.parent = ps_dvm_object_or_none(b, PS_DVM_S_PS, PS_DVM_K_PS_REF);
        ps.rank = ps_dvm_rank(b);
        ps.size = take_sizes(b, ps.rank, PS_DVM_INDEX_MAX);
        call->object = PS_DVM_PUSH(b, b->dvm->pss, ps);
}

static void end_ps(ps_dvm_build *b, ps_dvm_call *call)
{
        ps_dvm_bind(b, PS_DVM_S_PS, PS_DVM_K_PS_REF, call->object);
}

static void begin_delps(ps_dvm_build *b, ps_dvm_call *call)
{
        call->object = ps_dvm_object(b, PS_DVM_S_PS, PS_DVM_K_PS_REF);
        ps_dvm_drop(b, PS_DVM_S_PS, PS_DVM_K_PS_REF);
}

/* -- templates and arrays -- */

static void begin_crtamv(ps_dvm_build *b, ps_dvm_call *call)
{
        ps_dvm_view view = {.made = b->call};
        view.am = ps_dvm_object_or_none(b, PS_DVM_S_AM, PS_DVM_K_AM_REF);
        view.rank = ps_dvm_rank(b);
        view.size = take_sizes(b, view.rank, (INT64_C(1) << VIEW_BITS) - 1);
        call->object = PS_DVM_PUSH(b, b->dvm->views, view);
}

static void end_crtamv(ps_dvm_build *b, ps_dvm_call *call)
{
        ps_dvm_bind(b, PS_DVM_S_VIEW, PS_DVM_K_AM_VIEW_REF, call->object);
}

static void begin_delamv(ps_dvm_build *b, ps_dvm_call *call)
{
        call->object = ps_dvm_object(b, PS_DVM_S_VIEW, PS_DVM_K_AM_VIEW_REF);
        ps_dvm_drop(b, PS_DVM_S_VIEW, PS_DVM_K_AM_VIEW_REF);
}

static void begin_crtda(ps_dvm_build *b, ps_dvm_call *call)
{
        ps_dvm_array array = {.made = b->call, .rank = ps_dvm_rank(b)};
        int64_t header = ps_dvm_id_of(b, PS_DVM_K_ARRAY_HEADER), limit = (INT64_C(1) << ELEMENT_BITS) - 1;
        /* A negative size says which type of the language it is. */
        array.element_bytes = ps_dvm_number(b, PS_DVM_K_TYPE_SIZE, -limit, limit);
        if (array.element_bytes == 0)
                ps_dvm_fault(b, "a parameter is out of range", PS_DVM_K_TYPE_SIZE, 0);
        array.element_bytes = array.element_bytes < 0 ? -array.element_bytes : array.element_bytes;
        array.size = ps_dvm_numbers(b, PS_DVM_K_SIZE_ARRAY, array.rank, 1, PS_DVM_INDEX_MAX);
        array.low = ps_dvm_numbers(b, PS_DVM_K_LOW_SHADOW, array.rank, 0, PS_DVM_INDEX_MAX);
        array.high = ps_dvm_numbers(b, PS_DVM_K_HIGH_SHADOW, array.rank, 0, PS_DVM_INDEX_MAX);
        if (array.size && array.element_bytes &&
            ps_dvm_product(array.size, array.rank, (INT64_C(1) << ARRAY_BITS) / array.element_bytes) < 0)
                ps_dvm_fault(b, "sizes are too large", PS_DVM_K_SIZE_ARRAY, array.size[0]);
        call->object = PS_DVM_PUSH(b, b->dvm->arrays, array);
        PS_DVM_PUSH(b, b->sides, (ps_dvm_array_side){header, 0, PS_NONE});
        ps_dvm_bind(b, PS_DVM_S_ARRAY, PS_DVM_K_ARRAY_HEADER, call->object);
}

static void end_crtda(ps_dvm_build *b, ps_dvm_call *call)
{
        int64_t handle = ps_dvm_number_or(b, PS_DVM_K_ARRAY_HANDLE, PS_DVM_BAD + 1, INT64_MAX, 0);
        if (b->status != PS_OK || handle == 0)
                return;
        b->sides.row[call->object].handle = handle;
        ps_dvm_bind(b, PS_DVM_S_HANDLE, PS_DVM_K_ARRAY_HANDLE, call->object);
}

/* Forgets an array's names, unless they belong to a newer one by now. */
static void drop_array(ps_dvm_build *b, uint32_t array)
{
        const ps_dvm_array_side *side = &b->sides.row[array];
        if (ps_ids_get(&b->ids, PS_DVM_S_ARRAY, (uint64_t)side->header) == array)
                ps_ids_drop(&b->ids, PS_DVM_S_ARRAY, (uint64_t)side->header);
        if (ps_ids_get(&b->ids, PS_DVM_S_HANDLE, (uint64_t)side->handle) == array)
                ps_ids_drop(&b->ids, PS_DVM_S_HANDLE, (uint64_t)side->handle);
}

static void begin_delda(ps_dvm_build *b, ps_dvm_call *call)
{
        call->object = ps_dvm_object(b, PS_DVM_S_ARRAY, PS_DVM_K_ARRAY_HEADER);
        if (b->status == PS_OK)
                drop_array(b, call->object);
}

/* Any object, by an id that does not tell its kind: whatever has this id is gone. */
static void begin_delobj(ps_dvm_build *b, ps_dvm_call *call)
{
        (void)call;
        int64_t id = ps_dvm_value_of(&b->values, PS_DVM_K_OBJECT_REF);
        uint32_t array = ps_ids_get(&b->ids, PS_DVM_S_HANDLE, (uint64_t)id);
        if (array != PS_NONE)
                drop_array(b, array);
        for (uint32_t space = PS_DVM_S_AM; space < PS_DVM_S_COUNT; space++)
                if (space != PS_DVM_S_ARRAY && space != PS_DVM_S_HANDLE)
                        ps_ids_drop(&b->ids, space, (uint64_t)id);
}

const ps_dvm_handlers ps_dvm_handlers_objects[PS_DVM_COUNT] = {
        [PS_DVM_GETAM] = {NULL, end_am},
        [PS_DVM_GETAMR] = {begin_getamr, end_am},
        [PS_DVM_GETPS] = {begin_getps, end_getps},
        [PS_DVM_CRTPS] = {begin_crtps, end_ps},
        [PS_DVM_PSVIEW] = {begin_psview, end_ps},
        [PS_DVM_DELPS] = {begin_delps, NULL},
        [PS_DVM_CRTAMV] = {begin_crtamv, end_crtamv},
        [PS_DVM_DELAMV] = {begin_delamv, NULL},
        [PS_DVM_CRTDA] = {begin_crtda, end_crtda},
        [PS_DVM_DELDA] = {begin_delda, NULL},
        [PS_DVM_DELOBJ] = {begin_delobj, NULL},
};
