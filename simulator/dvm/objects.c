/* objects.c - processor systems, arrays and loops of a DVM program, as they lie on the grid. */
#include "core/base/vector.h"
#include "simulator/dvm/state.h"
#include "simulator/dvm/time.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* -- processor systems -- */

static ps_dvm_system *new_system(uint32_t rank, uint32_t n)
{
        ps_dvm_system *s = calloc(1, sizeof(*s) + n * sizeof(uint32_t));
        if (s) {
                s->rank = rank;
                s->n = n;
                s->processor = (uint32_t *)(void *)(s + 1);
        }
        return s;
}

static ps_status make_root(struct ps_dvm_sim *sim, ps_error *err)
{
        const ps_grid *grid = &sim->run->grid;
        sim->root = new_system(grid->rank, sim->n_processors);
        if (!sim->root)
                return PS_NOMEM(err, "processors", sim->n_processors);
        for (uint32_t v = 0; v < grid->rank; v++)
                sim->root->size[v] = grid->size[v];
        for (uint32_t p = 0; p < sim->n_processors; p++)
                sim->root->processor[p] = p;
        sim->current = sim->root;
        return PS_OK;
}

static const ps_dvm_system *system_of_am(const struct ps_dvm_sim *sim, uint32_t am)
{
        if (am == PS_NONE)
                return sim->current;
        return sim->of_am[am] ? sim->of_am[am] : sim->root;
}

const ps_dvm_system *ps_dvm_system_at(const struct ps_dvm_sim *sim, uint32_t ps)
{
        if (ps == PS_NONE)
                return sim->current;
        const ps_dvm_ps *row = &sim->dvm->pss.row[ps];
        if (row->kind == PS_DVM_PS_OF_AM)
                return system_of_am(sim, row->am);
        return sim->systems[ps] ? sim->systems[ps] : sim->current;
}

static ps_status make_part(struct ps_dvm_sim *sim, ps_dvm_system **out, const ps_dvm_ps *ps,
                           const ps_dvm_system *parent, ps_error *err)
{
        uint32_t from[PS_DVM_RANK_MAX], to[PS_DVM_RANK_MAX], coord[PS_DVM_RANK_MAX], n = 1, i = 0;
        for (uint32_t v = 0; v < ps->rank; v++) {
                if (v >= parent->rank || ps->last[v] >= parent->size[v])
                        return PS_DVM_FAIL(sim, err, PS_E_INPUT,
                                           "the processors of a part are not there: axis=%" PRIu32
                                           ", last=%" PRId64 ", size=%" PRIu32,
                                           v + 1, ps->last[v], v < parent->rank ? parent->size[v] : 0);
                from[v] = (uint32_t)ps->first[v];
                to[v] = (uint32_t)ps->last[v];
                n *= to[v] - from[v] + 1;
        }
        if (ps->rank != parent->rank)
                return PS_DVM_FAIL(sim, err, PS_E_INPUT,
                                   "a part of processors has another rank than the whole: part=%" PRIu32
                                   ", whole=%" PRIu32,
                                   ps->rank, parent->rank);
        *out = new_system(ps->rank, n);
        if (!*out)
                return PS_NOMEM(err, "processors", n);
        for (uint32_t v = 0; v < ps->rank; v++)
                (*out)->size[v] = to[v] - from[v] + 1;
        memcpy(coord, from, sizeof(coord));
        do
                (*out)->processor[i++] = parent->processor[ps_dvm_place(parent, coord)];
        while (ps_dvm_step(coord, from, to, ps->rank));
        return PS_OK;
}

static ps_status make_shape(struct ps_dvm_sim *sim, ps_dvm_system **out, const ps_dvm_ps *ps,
                            const ps_dvm_system *parent, ps_error *err)
{
        int64_t n = 1;
        for (uint32_t v = 0; v < ps->rank && n <= parent->n; v++)
                n = ps->size[v] <= parent->n ? n * ps->size[v] : INT64_MAX;
        if (n != parent->n)
                return PS_DVM_FAIL(sim, err, PS_E_INPUT,
                                   "the shape does not fit the processors: rank=%" PRIu32
                                   ", processors=%" PRIu32,
                                   ps->rank, parent->n);
        *out = new_system(ps->rank, parent->n);
        if (!*out)
                return PS_NOMEM(err, "processors", parent->n);
        for (uint32_t v = 0; v < ps->rank; v++)
                (*out)->size[v] = (uint32_t)ps->size[v];
        memcpy((*out)->processor, parent->processor, parent->n * sizeof(uint32_t));
        return PS_OK;
}

ps_status ps_dvm_make_ps(struct ps_dvm_sim *sim, ps_error *err)
{
        const ps_dvm_ps *ps = &sim->dvm->pss.row[sim->call->object];
        ps_dvm_system **out = &sim->systems[sim->call->object];
        const ps_dvm_system *parent = ps_dvm_system_at(sim, ps->parent);
        return ps->kind == PS_DVM_PS_PART ? make_part(sim, out, ps, parent, err)
                                          : make_shape(sim, out, ps, parent, err);
}

ps_status ps_dvm_map_am(struct ps_dvm_sim *sim, ps_error *err)
{
        (void)err;
        sim->of_am[sim->call->object] = ps_dvm_system_at(sim, sim->call->other);
        return PS_OK;
}

ps_status ps_dvm_run_am(struct ps_dvm_sim *sim, ps_error *err)
{
        PS_TRY(ps_dvm_settle(sim, err));
        if (PS_ROOM(sim->stack, sim->n_stack, sim->cap_stack))
                return PS_NOMEM(err, "subtasks", sim->n_stack);
        sim->stack[sim->n_stack++] = sim->current;
        sim->current = system_of_am(sim, sim->call->object);
        return PS_OK;
}

ps_status ps_dvm_stop_am(struct ps_dvm_sim *sim, ps_error *err)
{
        PS_TRY(ps_dvm_settle(sim, err));
        if (!sim->n_stack)
                return PS_DVM_FAIL(sim, err, PS_E_INPUT, "a subtask ends that never began");
        sim->current = sim->stack[--sim->n_stack];
        return PS_OK;
}

/* -- arrays and loops -- */

static ps_status array_layout(struct ps_dvm_sim *sim, ps_dvm_layout **out, uint32_t array,
                              const ps_dvm_alignment *alignment, const ps_dvm_lattice *lattice, ps_error *err)
{
        ps_dvm_lattice whole = {0};
        ps_dvm_lattice_of(&whole, sim->dvm->arrays.row[array].rank, sim->dvm->arrays.row[array].size);
        ps_status status = ps_dvm_need_spread(sim, alignment->view, err);
        return status != PS_OK ? status
                               : ps_dvm_layout_new(out, &sim->views[alignment->view].spread,
                                                   sim->dvm->views.row[alignment->view].size, alignment,
                                                   lattice ? lattice : &whole, err);
}

ps_status ps_dvm_section_layout(struct ps_dvm_sim *sim, ps_dvm_layout **out, uint32_t array,
                                const ps_dvm_lattice *lattice, ps_error *err)
{
        if (!sim->arrays[array].layout)
                return PS_DVM_FAIL(sim, err, PS_E_INPUT, "the array is not aligned with any template");
        ps_status status = array_layout(sim, out, array, &sim->arrays[array].alignment, lattice, err);
        return ps_dvm_blame(sim, status, err);
}

/* The alignment of something that is mapped to a template or to an array. */
static ps_status compose(struct ps_dvm_sim *sim, ps_dvm_alignment *out, const ps_dvm_linear *map,
                         uint32_t view, uint32_t pattern, ps_error *err)
{
        const ps_dvm_alignment *outer = NULL;
        const int64_t *pattern_size = NULL;
        if (view == PS_NONE) {
                if (!sim->arrays[pattern].layout)
                        return PS_DVM_FAIL(sim, err, PS_E_INPUT,
                                           "the pattern array is not aligned with any template");
                outer = &sim->arrays[pattern].alignment;
                pattern_size = sim->dvm->arrays.row[pattern].size;
                view = outer->view;
        }
        ps_status status = ps_dvm_need_spread(sim, view, err);
        PS_THEN(status, ps_dvm_align_compose(out, map, view, sim->dvm->views.row[view].size, outer,
                                             pattern_size, err));
        return ps_dvm_blame(sim, status, err);
}

/* The array lies as the call says from now on; what it was like before is the caller's to free. */
ps_status ps_dvm_place_array(struct ps_dvm_sim *sim, ps_dvm_layout **old, ps_error *err)
{
        const ps_dvm_align *align = sim->call->of.align;
        struct ps_dvm_array_state *array = &sim->arrays[align->array];
        ps_dvm_alignment alignment = {0};
        ps_dvm_layout *layout = NULL;
        *old = NULL;
        PS_TRY(compose(sim, &alignment, &align->map, align->view, align->pattern, err));
        PS_TRY(ps_dvm_blame(sim, array_layout(sim, &layout, align->array, &alignment, NULL, err), err));
        *old = array->layout;
        array->layout = layout;
        array->alignment = alignment;
        return PS_OK;
}

/* The same alignment on a template that was cut anew. */
ps_status ps_dvm_replace_array(struct ps_dvm_sim *sim, uint32_t id, ps_dvm_layout **old, ps_error *err)
{
        struct ps_dvm_array_state *array = &sim->arrays[id];
        ps_dvm_layout *layout = NULL;
        *old = NULL;
        ps_status status = array_layout(sim, &layout, id, &array->alignment, NULL, err);
        if (status != PS_OK)
                return ps_dvm_blame(sim, status, err);
        *old = array->layout;
        array->layout = layout;
        return PS_OK;
}

ps_status ps_dvm_align_array(struct ps_dvm_sim *sim, ps_error *err)
{
        ps_dvm_layout *old;
        ps_status status = ps_dvm_place_array(sim, &old, err);
        ps_dvm_layout_free(old);
        return status;
}

static int64_t steps(int64_t first, int64_t last, int64_t step)
{
        int64_t way = step > 0 ? last - first : first - last;
        return way < 0 ? 0 : way / (step > 0 ? step : -step) + 1;
}

void ps_dvm_lattice_from(ps_dvm_lattice *out, uint32_t rank, const int64_t *first, const int64_t *last,
                         const int64_t *step, const int64_t *size)
{
        out->rank = rank;
        for (uint32_t d = 0; d < rank; d++) {
                bool whole = size && first[d] == -1;
                out->first[d] = whole ? 0 : first[d];
                out->step[d] = whole ? 1 : step[d];
                out->count[d] = whole ? size[d] : steps(first[d], last[d], step[d]);
        }
}

/* Without a pattern every processor runs all of it. */
static ps_status loop_layout(struct ps_dvm_sim *sim, ps_dvm_layout **out, const ps_dvm_map *map,
                             const ps_dvm_lattice *lattice, ps_error *err)
{
        ps_dvm_alignment alignment = {0};
        if (map->view == PS_NONE && map->pattern == PS_NONE)
                return ps_dvm_layout_everywhere(out, sim->current, lattice, err);
        PS_TRY(compose(sim, &alignment, &map->map, map->view, map->pattern, err));
        ps_status status =
                ps_dvm_layout_new(out, &sim->views[alignment.view].spread,
                                  sim->dvm->views.row[alignment.view].size, &alignment, lattice, err);
        return ps_dvm_blame(sim, status, err);
}

ps_status ps_dvm_map_loop(struct ps_dvm_sim *sim, ps_error *err)
{
        const ps_dvm_map *map = sim->call->of.map;
        struct ps_dvm_loop_state *loop = &sim->loops[sim->call->object];
        ps_dvm_layout_free(loop->layout);
        loop->layout = NULL;
        free(loop->counts);
        loop->counts = NULL;
        ps_dvm_lattice_from(&loop->lattice, map->rank, map->init, map->last, map->step, NULL);
        loop->iterations = map->iterations;
        sim->loop = sim->call->object;
        PS_TRY(loop_layout(sim, &loop->layout, map, &loop->lattice, err));
        assert(loop->layout);
        loop->counts = calloc(loop->layout->system->n, sizeof(*loop->counts));
        if (!loop->counts)
                return PS_NOMEM(err, "processors", loop->layout->system->n);
        ps_dvm_layout_counts(loop->layout, loop->counts);
        return PS_OK;
}

/* -- all of them -- */

#define TABLE(field, n) ((field) = calloc((n) ? (n) : 1, sizeof(*(field))))

ps_status ps_dvm_objects_init(struct ps_dvm_sim *sim, ps_error *err)
{
        const ps_dvm *dvm = sim->dvm;
        if (!TABLE(sim->systems, dvm->pss.n) || !TABLE(sim->of_am, dvm->ams.n) ||
            !TABLE(sim->views, dvm->views.n) || !TABLE(sim->arrays, dvm->arrays.n) ||
            !TABLE(sim->loops, dvm->loops.n) || !TABLE(sim->reductions, dvm->red_groups.n) ||
            !TABLE(sim->shadows, dvm->shadow_groups.n) || !TABLE(sim->buffers, dvm->buffers.n))
                return PS_NOMEM(err, "objects of the program", dvm->calls.n);
        for (uint32_t i = 0; i < dvm->loops.n; i++)
                sim->loops[i].edge = PS_NONE;
        sim->loop = PS_NONE;
        return make_root(sim, err);
}

static void free_pending(struct ps_dvm_pending *pending)
{
        free(pending->transfers);
        free(pending->starts);
        free(pending->ends);
}

void ps_dvm_objects_free(struct ps_dvm_sim *sim)
{
        const ps_dvm *dvm = sim->dvm;
        for (uint32_t i = 0; sim->systems && i < dvm->pss.n; i++)
                free(sim->systems[i]);
        for (uint32_t i = 0; sim->views && i < dvm->views.n; i++)
                free(sim->views[i].bounds);
        for (uint32_t i = 0; sim->arrays && i < dvm->arrays.n; i++)
                ps_dvm_layout_free(sim->arrays[i].layout);
        for (uint32_t i = 0; sim->loops && i < dvm->loops.n; i++) {
                ps_dvm_layout_free(sim->loops[i].layout);
                free(sim->loops[i].counts);
        }
        for (uint32_t i = 0; sim->reductions && i < dvm->red_groups.n; i++)
                free_pending(&sim->reductions[i].pending);
        for (uint32_t i = 0; sim->shadows && i < dvm->shadow_groups.n; i++) {
                free_pending(&sim->shadows[i].pending);
                free(sim->shadows[i].shadows.row);
        }
        for (uint32_t i = 0; sim->buffers && i < dvm->buffers.n; i++)
                free_pending(&sim->buffers[i]);
        for (uint32_t i = 0; i < sim->n_copies; i++)
                free_pending(&sim->copies[i]);
        void *tables[] = {sim->systems, sim->of_am,   sim->views,  sim->arrays, sim->loops, sim->reductions,
                          sim->shadows, sim->buffers, sim->copies, sim->stack,  sim->root};
        for (size_t i = 0; i < sizeof(tables) / sizeof(*tables); i++)
                free(tables[i]);
        ps_map_free(&sim->copy_of);
        ps_dvm_moves_free(&sim->moves);
}
