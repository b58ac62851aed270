/* copies.c - elements that are copied to where they are needed: from array to array, and to buffers of
 * remote elements. */
#include "core/base/vector.h"
#include "simulator/dvm/record.h"
#include "simulator/dvm/state.h"
#include "simulator/dvm/time.h"

#include <inttypes.h>
#include <stdlib.h>

/* -- copies -- */

/* The dimensions of which more than one element is copied; what else there is has one place only. */
static uint32_t long_dims(const ps_dvm_lattice *lattice, uint32_t *dims)
{
        uint32_t n = 0;
        for (uint32_t d = 0; d < lattice->rank; d++)
                if (lattice->count[d] != 1)
                        dims[n++] = d;
        return n;
}

/* The layout seen as one of the given dimensions only. */
static void keep_dims(ps_dvm_layout *layout, const uint32_t *dims, uint32_t n)
{
        for (uint32_t v = 0; v < layout->system->rank; v++) {
                ps_dvm_cut *cut = &layout->cut[v];
                uint32_t at = 0;
                while (cut->dim != PS_NONE && at < n && dims[at] != cut->dim)
                        at++;
                cut->dim = cut->dim != PS_NONE && at < n ? at : PS_NONE;
        }
        for (uint32_t i = 0; i < n; i++) {
                layout->count[i] = layout->count[dims[i]];
                layout->axis_of[i] = layout->axis_of[dims[i]];
        }
        layout->rank = n;
}

static ps_status section_lattice(struct ps_dvm_sim *sim, ps_dvm_lattice *out, const ps_dvm_section *section,
                                 ps_error *err)
{
        const int64_t *size = sim->dvm->arrays.row[section->array].size;
        ps_dvm_lattice_from(out, section->rank, section->first, section->last, section->step, size);
        for (uint32_t d = 0; d < out->rank; d++) {
                int64_t last = out->first[d] + (out->count[d] - 1) * out->step[d];
                if (out->count[d] &&
                    (out->first[d] < 0 || out->first[d] >= size[d] || last < 0 || last >= size[d]))
                        return PS_DVM_FAIL(sim, err, PS_E_INPUT,
                                           "a section reaches beyond its array: dimension=%" PRIu32
                                           ", from=%" PRId64 ", to=%" PRId64 ", size=%" PRId64,
                                           d + 1, out->first[d], last, size[d]);
        }
        return PS_OK;
}

/* Both sides by their long dimensions; `to` lies everywhere when it is a buffer. */
static ps_status copy_layouts(struct ps_dvm_sim *sim, const ps_dvm_copy *copy, ps_dvm_layout **from,
                              ps_dvm_layout **to, int *conform, ps_error *err)
{
        ps_dvm_lattice a, b;
        uint32_t dims_a[PS_DVM_RANK_MAX] = {0}, dims_b[PS_DVM_RANK_MAX] = {0};
        bool is_buffer = copy->to.array == PS_NONE;
        PS_TRY(section_lattice(sim, &a, &copy->from, err));
        if (!is_buffer)
                PS_TRY(section_lattice(sim, &b, &copy->to, err));
        PS_TRY(ps_dvm_section_layout(sim, from, copy->from.array, &a, err));
        PS_TRY(is_buffer ? ps_dvm_layout_everywhere(to, sim->current, &a, err)
                         : ps_dvm_section_layout(sim, to, copy->to.array, &b, err));
        uint32_t n_a = long_dims(&a, dims_a), n_b = is_buffer ? n_a : long_dims(&b, dims_b);
        *conform = n_a == n_b;
        for (uint32_t i = 0; i < n_a && *conform && !is_buffer; i++)
                *conform = a.count[dims_a[i]] == b.count[dims_b[i]];
        if (*conform) {
                keep_dims(*from, dims_a, n_a);
                keep_dims(*to, is_buffer ? dims_a : dims_b, n_b);
        }
        return PS_OK;
}

/* Shapes that do not fit: all elements from one processor to all others. */
static ps_status copy_shapeless(struct ps_dvm_sim *sim, const ps_dvm_layout *from, int64_t element_bytes,
                                ps_error *err)
{
        ps_dvm_lattice all = {.rank = 1, .step = {1}, .count = {1}};
        ps_dvm_layout *one = NULL, *every = NULL;
        for (uint32_t d = 0; d < from->rank; d++)
                all.count[0] *= from->count[d];
        ps_dvm_remark(sim, PS_DVM_NOTE_SHAPE);
        ps_status status = ps_dvm_layout_everywhere(&one, sim->current, &all, err);
        PS_THEN(status, ps_dvm_layout_everywhere(&every, sim->current, &all, err));
        for (uint32_t v = 0; status == PS_OK && v < one->system->rank; v++)
                one->cut[v].to = 0;
        PS_THEN(status, ps_dvm_moves_layout(&sim->moves, one, every, element_bytes, err));
        ps_dvm_layout_free(one);
        ps_dvm_layout_free(every);
        return status;
}

/* What processors have to send for the copy; nothing comes out of a buffer, which everybody has. */
static ps_status gather_copy(struct ps_dvm_sim *sim, const ps_dvm_copy *copy, ps_error *err)
{
        ps_dvm_layout *from = NULL, *to = NULL;
        int conform = 0;
        sim->moves.n = 0;
        if (copy->from.array == PS_NONE)
                return PS_OK;
        int64_t element_bytes = sim->dvm->arrays.row[copy->from.array].element_bytes;
        ps_status status = copy_layouts(sim, copy, &from, &to, &conform, err);
        PS_THEN(status, conform ? ps_dvm_moves_layout(&sim->moves, from, to, element_bytes, err)
                                : copy_shapeless(sim, from, element_bytes, err));
        ps_dvm_layout_free(from);
        ps_dvm_layout_free(to);
        return status;
}

ps_status ps_dvm_copy_array(struct ps_dvm_sim *sim, ps_error *err)
{
        PS_TRY(gather_copy(sim, sim->call->of.copy, err));
        return ps_dvm_exchange_together(sim, PS_IC_REMOTE_ACCESS, err);
}

/* Where an asynchronous copy is remembered, by the address of its parameters. */
static ps_time *copy_place(struct ps_dvm_sim *sim)
{
        uintptr_t key = (uintptr_t)sim->call->of.copy;
        return ps_map_at(&sim->copy_of, (uint32_t)(key >> 32), (uint32_t)key, -1);
}

/* The time of the gathered transfers for each processor, from its own clock on. */
static ps_status start_apart(struct ps_dvm_sim *sim, struct ps_dvm_pending *pending, ps_interval_class cls,
                             ps_error *err)
{
        ps_time cost;
        ps_dvm_count_operation(sim, cls);
        PS_TRY(ps_dvm_settle(sim, err));
        if (!pending->starts)
                pending->starts = calloc(sim->n_processors, sizeof(ps_time));
        if (!pending->ends)
                pending->ends = calloc(sim->n_processors, sizeof(ps_time));
        if (!pending->starts || !pending->ends)
                return PS_NOMEM(err, "processors", sim->n_processors);
        ps_status status = ps_dvm_cost_of_moves(sim, &cost, pending->ends, err);
        for (uint32_t p = 0; p < sim->n_processors; p++) {
                pending->starts[p] = sim->clock[p];
                pending->ends[p] = ps_time_add(sim->clock[p], pending->ends[p]);
        }
        pending->is_open = true;
        free(pending->transfers);
        pending->transfers = NULL;
        ps_dvm_record_start(sim, pending, 0, 0);
        return status;
}

ps_status ps_dvm_copy_start(struct ps_dvm_sim *sim, ps_error *err)
{
        ps_status status = gather_copy(sim, sim->call->of.copy, err);
        ps_time *place = status == PS_OK ? copy_place(sim) : NULL;
        if (status != PS_OK)
                return status;
        if (!place || (*place < 0 && PS_ROOM(sim->copies, sim->n_copies, sim->cap_copies)))
                return PS_NOMEM(err, "copies", sim->n_copies);
        if (*place < 0) {
                sim->copies[sim->n_copies] = (struct ps_dvm_pending){0};
                *place = sim->n_copies++;
        }
        return start_apart(sim, &sim->copies[*place], PS_IC_REMOTE_ACCESS, err);
}

ps_status ps_dvm_copy_wait(struct ps_dvm_sim *sim, ps_error *err)
{
        ps_time *place = sim->call->of.copy ? copy_place(sim) : NULL;
        struct ps_dvm_pending none = {0};
        return ps_dvm_finish_pending(sim, place && *place >= 0 ? &sim->copies[*place] : &none,
                                     PS_IC_REMOTE_ACCESS, err);
}

/* -- remote elements -- */

/* The elements that the loop's iterations read: by dimension of the array one of them, all, or those that an
 * index of the loop leads to. */
static void read_lattice(ps_dvm_lattice *out, const ps_dvm_linear *map, const ps_dvm_array *array,
                         const ps_dvm_lattice *loop)
{
        ps_dvm_lattice_of(out, array->rank, array->size);
        for (uint32_t d = 0; d < array->rank; d++) {
                if (map->axis[d] < 0)
                        continue;
                out->first[d] = map->constant[d];
                out->count[d] = 1;
                if (map->axis[d] == 0 || map->coeff[d] == 0)
                        continue;
                uint32_t of = (uint32_t)map->axis[d] - 1;
                out->first[d] += map->coeff[d] * loop->first[of];
                out->step[d] = map->coeff[d] * loop->step[of];
                out->count[d] = loop->count[of];
        }
}

/* Who needs them: as the loop's iterations lie, each dimension of the array being the loop's that leads to
 * it. Axes that cut other dimensions of the loop only say who takes part at all. */
static void read_by_loop(ps_dvm_layout *needs, const ps_dvm_linear *map, const ps_dvm_layout *loop)
{
        uint32_t dim_of[PS_DVM_RANK_MAX];
        for (uint32_t d = 0; d < PS_DVM_RANK_MAX; d++)
                dim_of[d] = PS_NONE;
        for (uint32_t d = map->n; d-- > 0;)
                if (map->axis[d] > 0 && map->coeff[d] != 0)
                        dim_of[map->axis[d] - 1] = d;
        for (uint32_t v = 0; v < loop->system->rank; v++) {
                const ps_dvm_cut *cut = &loop->cut[v];
                uint32_t d = cut->dim == PS_NONE ? PS_NONE : dim_of[cut->dim];
                for (uint32_t c = 0; c < loop->system->size[v]; c++) {
                        int has = cut->part[c].first <= cut->part[c].last;
                        needs->cut[v].part[c] = d != PS_NONE ? cut->part[c] : (ps_dvm_range){0, has ? 0 : -1};
                }
                needs->cut[v].dim = d;
                needs->cut[v].direction = cut->direction;
                needs->cut[v].from = cut->from;
                needs->cut[v].to = cut->to;
                if (d != PS_NONE)
                        needs->axis_of[d] = v;
        }
}

static ps_status gather_read(struct ps_dvm_sim *sim, const ps_dvm_buffer *buffer, ps_error *err)
{
        const ps_dvm_array *array = &sim->dvm->arrays.row[buffer->array];
        const struct ps_dvm_loop_state *loop = buffer->loop == PS_NONE ? NULL : &sim->loops[buffer->loop];
        ps_dvm_layout *from = NULL, *to = NULL;
        ps_dvm_lattice lattice;
        if (loop && loop->layout) {
                read_lattice(&lattice, &buffer->section, array, &loop->lattice);
        } else {
                ps_dvm_lattice_of(&lattice, array->rank, array->size);
                for (uint32_t d = 0; d < buffer->rank; d++)
                        if (buffer->coord[d] >= 0) {
                                lattice.first[d] = buffer->coord[d];
                                lattice.count[d] = 1;
                        }
        }
        sim->moves.n = 0;
        ps_status status = ps_dvm_section_layout(sim, &from, buffer->array, &lattice, err);
        PS_THEN(status,
                ps_dvm_layout_everywhere(&to, loop && loop->layout ? loop->layout->system : sim->current,
                                         &lattice, err));
        if (status == PS_OK && loop && loop->layout)
                read_by_loop(to, &buffer->section, loop->layout);
        PS_THEN(status, ps_dvm_moves_layout(&sim->moves, from, to, array->element_bytes, err));
        ps_dvm_layout_free(from);
        ps_dvm_layout_free(to);
        return status;
}

ps_status ps_dvm_buffer_load(struct ps_dvm_sim *sim, ps_error *err)
{
        uint32_t id = sim->call->object;
        PS_TRY(gather_read(sim, &sim->dvm->buffers.row[id], err));
        return start_apart(sim, &sim->buffers[id], PS_IC_REMOTE_ACCESS, err);
}

ps_status ps_dvm_buffer_wait(struct ps_dvm_sim *sim, ps_error *err)
{
        return ps_dvm_finish_pending(sim, &sim->buffers[sim->call->object], PS_IC_REMOTE_ACCESS, err);
}
