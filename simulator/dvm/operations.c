/* operations.c - what all processors do together: redistribution, reductions, shadow edges. Each is a
 * transfer matrix, its time on the machine, and when the processors wait for it. */
#include "core/base/vector.h"
#include "simulator/dvm/record.h"
#include "simulator/dvm/state.h"
#include "simulator/dvm/time.h"

#include <inttypes.h>
#include <stdlib.h>

/* -- what they share -- */

ps_status ps_dvm_cost_of_moves(struct ps_dvm_sim *sim, ps_time *cost, ps_time *done, ps_error *err)
{
        ps_dvm_moves *moves = &sim->moves;
        moves->n = ps_transfers_merge(moves->row, moves->n);
        for (size_t i = 0; i < moves->n; i++)
                sim->run->bytes += moves->row[i].bytes;
        sim->run->messages += moves->n;
        return ps_dvm_blame(sim,
                            ps_exchange_time(cost, done, sim->machine, &sim->run->grid,
                                             sim->options->pipelining, moves->row, moves->n, err),
                            err);
}

void ps_dvm_count_operation(struct ps_dvm_sim *sim, ps_interval_class cls)
{
        sim->run->intervals->row[sim->interval].operations[cls]++;
}

ps_status ps_dvm_exchange_together(struct ps_dvm_sim *sim, ps_interval_class cls, ps_error *err)
{
        ps_time meet, cost = 0;
        ps_dvm_count_operation(sim, cls);
        PS_TRY(ps_dvm_cost_of_moves(sim, &cost, NULL, err));
        PS_TRY(ps_dvm_meeting(sim, &meet, err));
        ps_dvm_record_meeting(sim, ps_time_add(meet, cost), 1);
        PS_TRY(ps_dvm_synchronize(sim, cls, meet, err));
        return ps_dvm_spend(sim, cls, cost, err);
}

/* Everybody meets, then the operation goes on by itself for `cost`. */
static ps_status start_together(struct ps_dvm_sim *sim, struct ps_dvm_pending *pending, ps_interval_class cls,
                                ps_time cost, uint64_t bytes, ps_error *err)
{
        ps_time meet;
        ps_dvm_count_operation(sim, cls);
        PS_TRY(ps_dvm_meeting(sim, &meet, err));
        ps_dvm_record_meeting(sim, meet, 0);
        ps_status status = ps_dvm_synchronize(sim, cls, meet, err);
        free(pending->transfers);
        *pending = (struct ps_dvm_pending){.is_open = 1, .start = meet, .end = ps_time_add(meet, cost)};
        ps_dvm_record_start(sim, pending, cls == PS_IC_REDUCTION, bytes);
        return status;
}

/* -- redistribution -- */

ps_status ps_dvm_realign(struct ps_dvm_sim *sim, ps_error *err)
{
        const ps_dvm_align *align = sim->call->of.align;
        const ps_dvm_array *array = &sim->dvm->arrays.row[align->array];
        ps_dvm_layout *old = NULL;
        sim->moves.n = 0;
        ps_status status = ps_dvm_place_array(sim, &old, err);
        if (status == PS_OK && old && !align->fresh) {
                status = ps_dvm_moves_layout(&sim->moves, old, sim->arrays[align->array].layout,
                                             array->element_bytes, err);
                PS_THEN(status, ps_dvm_exchange_together(sim, PS_IC_REDISTRIBUTION, err));
        }
        ps_dvm_layout_free(old);
        return status;
}

/* One array of the template that was cut anew. */
static ps_status move_array(struct ps_dvm_sim *sim, uint32_t id, int fresh, ps_error *err)
{
        ps_dvm_layout *old;
        ps_status status = ps_dvm_replace_array(sim, id, &old, err);
        if (status == PS_OK && !fresh)
                status = ps_dvm_moves_layout(&sim->moves, old, sim->arrays[id].layout,
                                             sim->dvm->arrays.row[id].element_bytes, err);
        ps_dvm_layout_free(old);
        return status;
}

ps_status ps_dvm_redistribute(struct ps_dvm_sim *sim, ps_error *err)
{
        const ps_dvm_distr *distr = sim->call->of.distr;
        PS_TRY(ps_dvm_distribute(sim, err));
        uint32_t view = distr->view != PS_NONE ? distr->view : sim->arrays[distr->array].alignment.view;
        sim->moves.n = 0;
        for (uint32_t i = 0; i < sim->dvm->arrays.n; i++)
                if (sim->arrays[i].layout && sim->arrays[i].alignment.view == view)
                        PS_TRY(move_array(sim, i, distr->fresh, err));
        return !distr->fresh ? ps_dvm_exchange_together(sim, PS_IC_REDISTRIBUTION, err) : PS_OK;
}

/* -- reductions -- */

ps_status ps_dvm_reduction_add(struct ps_dvm_sim *sim, ps_error *err)
{
        (void)err;
        struct ps_dvm_group_state *group = &sim->reductions[sim->call->object];
        group->bytes += sim->dvm->reds.row[sim->call->other].bytes;
        group->target = *sim->call->of.target;
        return PS_OK;
}

/* Along which axes of the system the reduction has something to gather; *system: of which one. */
static uint32_t reduced_axes(const struct ps_dvm_sim *sim, const ps_dvm_target *target,
                             const ps_dvm_system **system)
{
        const ps_dvm_layout *layout = target->kind == PS_DVM_T_LOOP    ? sim->loops[target->index].layout
                                      : target->kind == PS_DVM_T_ARRAY ? sim->arrays[target->index].layout
                                                                       : NULL;
        uint32_t axes = 0;
        *system = sim->current;
        if (layout) {
                *system = layout->system;
                return ps_dvm_layout_axes(layout);
        }
        if (target->kind == PS_DVM_T_VIEW && sim->views[target->index].spread.system) {
                const ps_dvm_spread *spread = &sim->views[target->index].spread;
                *system = spread->system;
                for (uint32_t v = 0; v < spread->system->rank; v++)
                        axes |= spread->axis[v] == PS_NONE ? 0 : 1u << v;
                return axes;
        }
        return target->kind == PS_DVM_T_PS ? (1u << (*system)->rank) - 1 : 0;
}

ps_status ps_dvm_reduction_start(struct ps_dvm_sim *sim, ps_error *err)
{
        struct ps_dvm_group_state *group = &sim->reductions[sim->call->object];
        const ps_dvm_system *system;
        ps_grid grid = {0};
        ps_time cost = 0;
        uint32_t axes = reduced_axes(sim, &group->target, &system);
        if (system->rank > PS_GRID_RANK)
                return PS_DVM_FAIL(sim, err, PS_E_INPUT, "too many axes for a reduction: rank=%" PRIu32,
                                   system->rank);
        grid.rank = system->rank;
        for (uint32_t v = 0; v < system->rank; v++)
                grid.size[v] = system->size[v];
        ps_status status =
                axes ? ps_reduction_time(&cost, sim->machine, &grid, axes, (uint64_t)group->bytes, err)
                     : PS_OK;
        if (status != PS_OK)
                return ps_dvm_blame(sim, status, err);
        return start_together(sim, &group->pending, PS_IC_REDUCTION, cost, (uint64_t)group->bytes, err);
}

ps_status ps_dvm_reduction_wait(struct ps_dvm_sim *sim, ps_error *err)
{
        return ps_dvm_finish_pending(sim, &sim->reductions[sim->call->object].pending, PS_IC_REDUCTION, err);
}

/* -- shadow edges -- */

ps_status ps_dvm_shadow_add(struct ps_dvm_sim *sim, ps_error *err)
{
        struct ps_dvm_shadow_list *list = &sim->shadows[sim->call->object].shadows;
        return PS_APPEND(list->row, list->n, list->cap, sim->call->of.shadow)
                       ? PS_NOMEM(err, "shadow edges", list->n)
                       : PS_OK;
}

ps_status ps_dvm_gather_shadows(struct ps_dvm_sim *sim, uint32_t group, ps_error *err)
{
        const struct ps_dvm_shadow_list *list = &sim->shadows[group].shadows;
        ps_status status = PS_OK;
        sim->moves.n = 0;
        for (uint32_t i = 0; i < list->n && status == PS_OK; i++) {
                const ps_dvm_shadow *shadow = list->row[i];
                const ps_dvm_layout *layout = sim->arrays[shadow->array].layout;
                if (!layout)
                        return PS_DVM_FAIL(sim, err, PS_E_INPUT,
                                           "the array is not aligned with any template");
                status = ps_dvm_moves_shadow(&sim->moves, layout, shadow->low, shadow->high, shadow->corners,
                                             sim->dvm->arrays.row[shadow->array].element_bytes, err);
        }
        return ps_dvm_blame(sim, status, err);
}

static ps_status start_shadow(struct ps_dvm_sim *sim, uint32_t id, ps_error *err)
{
        ps_time cost;
        PS_TRY(ps_dvm_gather_shadows(sim, id, err));
        PS_TRY(ps_dvm_cost_of_moves(sim, &cost, NULL, err));
        return start_together(sim, &sim->shadows[id].pending, PS_IC_SHADOW, cost, 0, err);
}

static ps_status wait_shadow(struct ps_dvm_sim *sim, uint32_t id, ps_error *err)
{
        return ps_dvm_finish_pending(sim, &sim->shadows[id].pending, PS_IC_SHADOW, err);
}

ps_status ps_dvm_shadow_exchange(struct ps_dvm_sim *sim, uint32_t group, ps_error *err)
{
        PS_TRY(start_shadow(sim, group, err));
        return wait_shadow(sim, group, err);
}

ps_status ps_dvm_shadow_nothing(struct ps_dvm_sim *sim, uint32_t group, ps_error *err)
{
        struct ps_dvm_pending *pending = &sim->shadows[group].pending;
        ps_status status = ps_dvm_settle(sim, err);
        sim->moves.n = 0;
        free(pending->transfers);
        *pending = (struct ps_dvm_pending){.is_open = 1};
        ps_dvm_record_start(sim, pending, 0, 0);
        return status;
}

ps_status ps_dvm_shadow_start(struct ps_dvm_sim *sim, ps_error *err)
{
        return start_shadow(sim, sim->call->object, err);
}

ps_status ps_dvm_shadow_wait(struct ps_dvm_sim *sim, ps_error *err)
{
        return wait_shadow(sim, sim->call->object, err);
}

ps_status ps_dvm_edge_first(struct ps_dvm_sim *sim, ps_error *err)
{
        return start_shadow(sim, sim->call->other, err);
}

ps_status ps_dvm_edge_last(struct ps_dvm_sim *sim, ps_error *err)
{
        (void)err;
        sim->loops[sim->call->object].edge = sim->call->other;
        return PS_OK;
}

/* Waits for the edges that the loop was told to need last; what it knew of its iterations is done with. */
ps_status ps_dvm_loop_end(struct ps_dvm_sim *sim, ps_error *err)
{
        struct ps_dvm_loop_state *loop = &sim->loops[sim->call->object];
        uint32_t edge = loop->edge;
        ps_dvm_layout_free(loop->layout);
        free(loop->counts);
        *loop = (struct ps_dvm_loop_state){.edge = PS_NONE};
        sim->loop = sim->loop == sim->call->object ? PS_NONE : sim->loop;
        return edge == PS_NONE ? PS_OK : wait_shadow(sim, edge, err);
}
