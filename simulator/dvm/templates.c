/* templates.c - how templates are cut: as the program said, with the weights and divisors that it gave,
 * or as somebody wants to try. */
#include "simulator/dvm/state.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* -- what to try instead -- */

/* The same name, or the end of a longer path. */
static bool is_file(const char *path, const char *name)
{
        size_t n = strlen(path), m = strlen(name);
        return n >= m && strcmp(path + n - m, name) == 0 && (n == m || path[n - m - 1] == '/');
}

static bool holds_for(const ps_dvm_override *o, const ps_dvm *dvm, const ps_dvm_call *call)
{
        return o->line == call->line && (!o->file || is_file(ps_dvm_str(dvm, call->file), o->file));
}

/* The override that holds for a call of distr_ or redis_, or NULL. */
static const ps_dvm_override *override_of(const ps_dvm *dvm, const ps_dvm_call *call,
                                          const ps_dvm_options *options)
{
        for (uint32_t i = 0; i < options->n_overrides; i++)
                if (holds_for(&options->overrides[i], dvm, call))
                        return &options->overrides[i];
        return NULL;
}

static bool distributes(const ps_dvm_call *call)
{
        return call->form == PS_DVM_F_DISTR && !call->depth;
}

/* It must be for a distribution that there is, and name all axes of what is distributed there. */
static ps_status check_override(const ps_dvm_override *o, const ps_dvm *dvm, ps_error *err)
{
        bool found = false;
        for (uint32_t i = 0; i < dvm->calls.n; i++) {
                const ps_dvm_call *call = &dvm->calls.row[i];
                if (!distributes(call) || !holds_for(o, dvm, call))
                        continue;
                uint32_t rank = dvm->views.row[call->of.distr->view].rank;
                found = 1;
                if (rank != o->n)
                        return PS_FAIL(err, PS_E_USAGE,
                                       "--distribute has formats for another number of axes: line=%" PRId64
                                       ", formats=%" PRIu32 ", axes=%" PRIu32,
                                       o->line, o->n, rank);
        }
        return found ? PS_OK
                     : PS_FAIL(err, PS_E_USAGE,
                               "the program distributes nothing on this line: file=\"%s\", line=%" PRId64,
                               o->file ? o->file : "", o->line);
}

static uint32_t axes_used(const ps_dvm_distr *distr, const ps_dvm_override *o)
{
        uint32_t most = 0;
        for (uint32_t t = 0; o && t < o->n; t++)
                most = o->axis[t].on > most ? o->axis[t].on : most;
        for (uint32_t v = 0; !o && v < distr->n; v++)
                most = distr->axis[v] > 0 ? v + 1 : most;
        return most;
}

ps_status ps_dvm_grid_rank(uint32_t *out, const ps_dvm *dvm, const ps_dvm_options *options, ps_error *err)
{
        *out = 1;
        for (uint32_t i = 0; i < options->n_overrides; i++)
                PS_TRY(check_override(&options->overrides[i], dvm, err));
        for (uint32_t i = 0; i < dvm->calls.n; i++) {
                const ps_dvm_call *call = &dvm->calls.row[i];
                uint32_t used =
                        distributes(call) ? axes_used(call->of.distr, override_of(dvm, call, options)) : 0;
                *out = used > *out ? used : *out;
        }
        return PS_OK;
}

/* -- as the program said -- */

ps_status ps_dvm_set_weights(struct ps_dvm_sim *sim, ps_error *err)
{
        (void)err;
        if (sim->call->object == PS_NONE)
                sim->weights = sim->call->of.weights;
        else
                sim->views[sim->call->object].weights = sim->call->of.weights;
        return PS_OK;
}

ps_status ps_dvm_set_blocks(struct ps_dvm_sim *sim, ps_error *err)
{
        (void)err;
        sim->views[sim->call->object].divisor = sim->call->of.blocks->divisor;
        sim->views[sim->call->object].n_divisors = sim->call->of.blocks->n;
        return PS_OK;
}

/* The weights of axis v; NULL: all the same. */
static const double *weights_of(struct ps_dvm_sim *sim, const struct ps_dvm_view_state *view, uint32_t v)
{
        const ps_dvm_weights *w = view->weights ? view->weights : sim->weights;
        const ps_dvm_system *s = view->spread.system;
        const double *weight = w ? w->weight : NULL;
        if (!w && s->rank == 1 && sim->machine->block_weights.n == s->n)
                return sim->machine->block_weights.row;
        if (!w)
                return NULL;
        for (uint32_t i = 0; i < v && i < w->n; i++)
                weight += w->count[i];
        if (v < w->n && w->count[v] == s->size[v])
                return weight;
        ps_dvm_remark(sim, PS_DVM_NOTE_WEIGHTS);
        return NULL;
}

/* What is known of one axis of the system that is to cut a template. */
struct axis_cut {
        uint32_t axis; /* of the template; PS_NONE: a copy on each coordinate */
        int64_t divisor;
        const double *weights; /* NULL: all the same */
};

static struct axis_cut cut_as_recorded(struct ps_dvm_sim *sim, const struct ps_dvm_view_state *state,
                                       const ps_dvm_distr *distr, uint32_t v)
{
        struct axis_cut cut = {PS_NONE, 1, NULL};
        if (!distr || v >= distr->n || distr->axis[v] <= 0)
                return cut;
        cut.axis = (uint32_t)distr->axis[v] - 1;
        cut.weights = weights_of(sim, state, v);
        if (state->divisor && cut.axis < state->n_divisors)
                cut.divisor = state->divisor[cut.axis];
        if (distr->param[v] != 0)
                ps_dvm_remark(sim, PS_DVM_NOTE_FORMAT);
        return cut;
}

static ps_status cut_as_wanted(struct ps_dvm_sim *sim, struct axis_cut *cut, const ps_dvm_override *wanted,
                               const ps_dvm_system *s, uint32_t v, ps_error *err)
{
        uint32_t size = s->size[v];
        *cut = (struct axis_cut){PS_NONE, 1, NULL};
        for (uint32_t t = 0; t < wanted->n; t++)
                if (wanted->axis[t].on == v + 1) {
                        *cut = (struct axis_cut){t, wanted->axis[t].divisor, wanted->axis[t].weight};
                        if (cut->weights && wanted->axis[t].n_weights != size)
                                return PS_DVM_FAIL(
                                        sim, err, PS_E_INPUT,
                                        "weights are for another number of processors: axis=%" PRIu32
                                        ", weights=%" PRIu32 ", processors=%" PRIu32,
                                        v + 1, wanted->axis[t].n_weights, size);
                }
        return PS_OK;
}

static ps_status check_wanted(const struct ps_dvm_sim *sim, const ps_dvm_override *wanted,
                              const ps_dvm_system *s, ps_error *err)
{
        for (uint32_t t = 0; t < wanted->n; t++)
                if (wanted->axis[t].on > s->rank)
                        return PS_DVM_FAIL(sim, err, PS_E_INPUT,
                                           "the processors have no such axis: axis=%" PRIu32
                                           ", rank=%" PRIu32,
                                           wanted->axis[t].on, s->rank);
        return PS_OK;
}

/* Cuts the template as `distr` says, or what overrides it; without either, a copy everywhere. */
static ps_status cut_view(struct ps_dvm_sim *sim, uint32_t id, const ps_dvm_distr *distr, ps_error *err)
{
        const ps_dvm_view *view = &sim->dvm->views.row[id];
        struct ps_dvm_view_state *state = &sim->views[id];
        const ps_dvm_system *s = ps_dvm_system_at(sim, distr ? distr->ps : PS_NONE);
        const ps_dvm_override *wanted = distr ? override_of(sim->dvm, sim->call, sim->options) : NULL;
        size_t n = 0, used = 0;
        ps_status status = wanted ? check_wanted(sim, wanted, s, err) : PS_OK;
        for (uint32_t v = 0; v < s->rank; v++)
                n += s->size[v] + 1;
        int64_t *bounds = calloc(n + 1, sizeof(*bounds));
        if (!bounds)
                return PS_NOMEM(err, "blocks", n);
        free(state->bounds);
        state->bounds = bounds;
        state->spread.system = s;
        for (uint32_t v = 0; v < s->rank && status == PS_OK; used += s->size[v++] + 1) {
                struct axis_cut cut;
                if (wanted)
                        status = cut_as_wanted(sim, &cut, wanted, s, v, err);
                else
                        cut = cut_as_recorded(sim, state, distr, v);
                state->spread.axis[v] = PS_NONE;
                state->spread.bound[v] = bounds + used;
                if (status != PS_OK || cut.axis == PS_NONE)
                        continue;
                if (cut.axis >= view->rank)
                        return PS_DVM_FAIL(sim, err, PS_E_INPUT,
                                           "the template has no such axis: axis=%" PRIu32 ", rank=%" PRIu32,
                                           cut.axis + 1, view->rank);
                state->spread.axis[v] = cut.axis;
                ps_dvm_blocks_fill(bounds + used, s->size[v], view->size[cut.axis], cut.weights, cut.divisor);
        }
        return status;
}

ps_status ps_dvm_need_spread(struct ps_dvm_sim *sim, uint32_t view, ps_error *err)
{
        return sim->views[view].spread.system ? PS_OK : cut_view(sim, view, NULL, err);
}

ps_status ps_dvm_distribute(struct ps_dvm_sim *sim, ps_error *err)
{
        const ps_dvm_distr *distr = sim->call->of.distr;
        uint32_t view = distr->view != PS_NONE ? distr->view : sim->arrays[distr->array].alignment.view;
        if (distr->view == PS_NONE && !sim->arrays[distr->array].layout)
                return PS_DVM_FAIL(sim, err, PS_E_INPUT, "the array is not aligned with any template");
        return cut_view(sim, view, distr, err);
}
