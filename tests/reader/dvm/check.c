/* check.c - a walk over all that a ps_dvm holds. */
#include "tests/reader/dvm/check.h"

#include "tests/support/damage.h"

#define MUST(condition)                                                                                      \
        do {                                                                                                 \
                if (!(condition))                                                                            \
                        ps_test_die("broken: condition=\"%s\", line=%d", #condition, __LINE__);              \
        } while (0)

static void check_index(uint32_t index, uint32_t n, int may_be_none)
{
        MUST(index < n || (may_be_none && index == PS_NONE));
}

static void check_range(const int64_t *value, uint32_t n, int64_t least, int64_t most)
{
        for (uint32_t i = 0; i < n; i++)
                MUST(value[i] >= least && value[i] <= most);
}

static void check_rank(uint32_t rank)
{
        MUST(rank >= 1 && rank <= PS_DVM_RANK_MAX);
}

static void check_linear(const ps_dvm_linear *map, uint32_t n, uint32_t rank)
{
        MUST(map->n == n);
        check_range(map->axis, n, -1, rank);
        check_range(map->coeff, n, -PS_DVM_COEFF_MAX, PS_DVM_COEFF_MAX);
        check_range(map->constant, n, -PS_DVM_INDEX_MAX, PS_DVM_INDEX_MAX);
}

static void check_product(const int64_t *size, uint32_t rank, double limit)
{
        double product = 1;
        check_rank(rank);
        check_range(size, rank, 1, PS_DVM_INDEX_MAX);
        for (uint32_t i = 0; i < rank; i++)
                product *= (double)size[i];
        MUST(product <= limit);
}

static void check_places(const ps_dvm *d)
{
        for (uint32_t i = 0; i < d->views.n; i++) {
                const ps_dvm_view *v = &d->views.row[i];
                check_index(v->made, d->calls.n, 0);
                check_index(v->am, d->ams.n, 1);
                check_product(v->size, v->rank, 0x1p62);
        }
        for (uint32_t i = 0; i < d->ams.n; i++) {
                const ps_dvm_am *am = &d->ams.row[i];
                check_index(am->view, d->views.n, 1);
                MUST(am->rank == (am->view == PS_NONE ? 0 : d->views.row[am->view].rank));
                for (uint32_t k = 0; k < am->rank; k++)
                        MUST(am->index[k] >= 0 && am->index[k] < d->views.row[am->view].size[k]);
        }
        for (uint32_t i = 0; i < d->pss.n; i++) {
                const ps_dvm_ps *ps = &d->pss.row[i];
                check_index(ps->am, d->ams.n, 1);
                MUST(ps->parent == PS_NONE || ps->parent < i);
                if (ps->kind == PS_DVM_PS_SHAPE)
                        check_product(ps->size, ps->rank, (double)PS_DVM_INDEX_MAX);
                for (uint32_t k = 0; ps->kind == PS_DVM_PS_PART && k < ps->rank; k++)
                        MUST(ps->first[k] >= 0 && ps->first[k] <= ps->last[k]);
        }
}

static void check_objects(const ps_dvm *d)
{
        for (uint32_t i = 0; i < d->arrays.n; i++) {
                const ps_dvm_array *a = &d->arrays.row[i];
                check_index(a->made, d->calls.n, 0);
                MUST(a->element_bytes >= 1);
                check_product(a->size, a->rank, 0x1p50 / (double)a->element_bytes);
                check_range(a->low, a->rank, 0, PS_DVM_INDEX_MAX);
                check_range(a->high, a->rank, 0, PS_DVM_INDEX_MAX);
        }
        for (uint32_t i = 0; i < d->loops.n; i++)
                check_rank(d->loops.row[i].rank);
        for (uint32_t i = 0; i < d->reds.n; i++)
                MUST(d->reds.row[i].bytes >= 0);
        for (uint32_t i = 0; i < d->buffers.n; i++) {
                const ps_dvm_buffer *b = &d->buffers.row[i];
                check_index(b->array, d->arrays.n, 0);
                uint32_t rank = d->arrays.row[b->array].rank;
                check_index(b->ps, d->pss.n, 1);
                check_index(b->loop, d->loops.n, 1);
                if (b->loop != PS_NONE)
                        check_linear(&b->section, rank, d->loops.row[b->loop].rank);
                else
                        check_range(b->coord, rank, -1, PS_DVM_INDEX_MAX);
        }
        for (uint32_t i = 0; i < d->intervals.n; i++) {
                const ps_dvm_interval *v = &d->intervals.row[i];
                MUST(i == 0 ? v->parent == PS_NONE && v->level == 0
                            : v->parent < i && v->level == d->intervals.row[v->parent].level + 1);
                MUST(v->count > 0);
        }
}

static uint32_t pattern_rank(const ps_dvm *d, uint32_t view, uint32_t pattern)
{
        check_index(view, d->views.n, 1);
        check_index(pattern, d->arrays.n, 1);
        MUST(view == PS_NONE || pattern == PS_NONE);
        return view != PS_NONE      ? d->views.row[view].rank
               : pattern != PS_NONE ? d->arrays.row[pattern].rank
                                    : 0;
}

static void check_map(const ps_dvm *d, const ps_dvm_map *m)
{
        double product = 1;
        check_index(m->loop, d->loops.n, 0);
        MUST(m->rank == d->loops.row[m->loop].rank);
        check_linear(&m->map, pattern_rank(d, m->view, m->pattern), m->rank);
        check_range(m->init, m->rank, -PS_DVM_INDEX_MAX, PS_DVM_INDEX_MAX);
        check_range(m->last, m->rank, -PS_DVM_INDEX_MAX, PS_DVM_INDEX_MAX);
        for (uint32_t i = 0; i < m->rank; i++) {
                MUST(m->step[i] != 0);
                int64_t n = (m->last[i] - m->init[i]) / m->step[i] + 1;
                product *=
                        (m->step[i] > 0 ? m->last[i] < m->init[i] : m->last[i] > m->init[i]) ? 0 : (double)n;
        }
        MUST(m->iterations >= 0 && (double)m->iterations <= product * 1.0001 &&
             (double)m->iterations >= product * 0.9999);
}

static void check_section(const ps_dvm *d, const ps_dvm_section *s)
{
        check_index(s->array, d->arrays.n, 1);
        MUST(s->rank == (s->array == PS_NONE ? 0 : d->arrays.row[s->array].rank));
        for (uint32_t i = 0; i < s->rank; i++) {
                int64_t size = d->arrays.row[s->array].size[i];
                MUST(s->first[i] == -1 || (s->first[i] >= 0 && s->first[i] < size && s->last[i] >= 0 &&
                                           s->last[i] < size && s->step[i] != 0));
        }
}

static void check_distr(const ps_dvm *d, const ps_dvm_distr *x)
{
        check_index(x->view, d->views.n, 0);
        check_index(x->array, d->arrays.n, 1);
        check_index(x->ps, d->pss.n, 1);
        MUST(x->n <= PS_DVM_RANK_MAX);
        check_range(x->axis, x->n, 0, d->views.row[x->view].rank);
        check_range(x->param, x->n, INT64_MIN, INT64_MAX);
}

static void check_align(const ps_dvm *d, const ps_dvm_align *x)
{
        check_index(x->array, d->arrays.n, 0);
        MUST(x->pattern != x->array && (x->view != PS_NONE || x->pattern != PS_NONE));
        check_linear(&x->map, pattern_rank(d, x->view, x->pattern), d->arrays.row[x->array].rank);
}

static void check_shadow(const ps_dvm *d, const ps_dvm_shadow *x)
{
        check_index(x->array, d->arrays.n, 0);
        MUST(x->rank == d->arrays.row[x->array].rank);
        check_range(x->low, x->rank, 0, INT64_MAX);
        check_range(x->high, x->rank, 0, INT64_MAX);
        if (x->sign)
                check_range(x->sign, x->rank, INT64_MIN, INT64_MAX);
}

static void check_weights(const ps_dvm_weights *w)
{
        int64_t n = 0;
        for (uint32_t i = 0; i < w->n; i++)
                n += w->count[i];
        MUST(n == w->n_weights);
        for (uint32_t i = 0; i < w->n_weights; i++)
                MUST(w->weight[i] >= 0 && w->weight[i] < 1e308 * 10);
}

static void check_target(const ps_dvm *d, const ps_dvm_target *t)
{
        const uint32_t n[] = {0, d->loops.n, d->views.n, d->arrays.n, d->pss.n};
        check_index(t->index, n[t->kind], t->kind == PS_DVM_T_NONE || t->kind == PS_DVM_T_PS);
}

/* How many objects of what `object` and `other` index, by form; 0: neither is used. */
static void check_references(const ps_dvm *d, const ps_dvm_call *c)
{
        const struct {
                uint32_t n, n_other;
        } bounds[] = {[PS_DVM_F_AM] = {d->ams.n, 0},
                      [PS_DVM_F_MAPAM] = {d->ams.n, d->pss.n},
                      [PS_DVM_F_PS] = {d->pss.n, 0},
                      [PS_DVM_F_VIEW] = {d->views.n, 0},
                      [PS_DVM_F_WEIGHTS] = {d->views.n, d->pss.n},
                      [PS_DVM_F_BLOCKS] = {d->views.n, 0},
                      [PS_DVM_F_ARRAY] = {d->arrays.n, 0},
                      [PS_DVM_F_ALIGN] = {d->arrays.n, 0},
                      [PS_DVM_F_LOOP] = {d->loops.n, 0},
                      [PS_DVM_F_MAP] = {d->loops.n, 0},
                      [PS_DVM_F_STEP] = {d->loops.n, 0},
                      [PS_DVM_F_EDGE] = {d->loops.n, d->shadow_groups.n},
                      [PS_DVM_F_RED_GROUP] = {d->red_groups.n, 0},
                      [PS_DVM_F_RED] = {d->reds.n, 0},
                      [PS_DVM_F_RED_MEMBER] = {d->red_groups.n, d->reds.n},
                      [PS_DVM_F_SHADOW_GROUP] = {d->shadow_groups.n, 0},
                      [PS_DVM_F_SHADOW] = {d->shadow_groups.n, 0},
                      [PS_DVM_F_ACROSS] = {0, 0},
                      [PS_DVM_F_BUFFER] = {d->buffers.n, 0},
                      [PS_DVM_F_INTERVAL] = {d->intervals.n, 0},
                      [PS_DVM_F_BYTES] = {0, 0}};
        int maybe = c->form == PS_DVM_F_WEIGHTS || bounds[c->form].n == 0;
        int maybe_other =
                c->form == PS_DVM_F_WEIGHTS || c->form == PS_DVM_F_MAPAM || !bounds[c->form].n_other;
        check_index(c->object, bounds[c->form].n, maybe);
        check_index(c->other, bounds[c->form].n_other, maybe_other);
}

static void check_params(const ps_dvm *d, const ps_dvm_call *c)
{
        switch ((ps_dvm_form)c->form) {
        case PS_DVM_F_DISTR:
                check_distr(d, c->of.distr);
                break;
        case PS_DVM_F_ALIGN:
                check_align(d, c->of.align);
                break;
        case PS_DVM_F_MAP:
                check_map(d, c->of.map);
                break;
        case PS_DVM_F_COPY:
                check_section(d, &c->of.copy->from);
                check_section(d, &c->of.copy->to);
                break;
        case PS_DVM_F_SHADOW:
                check_shadow(d, c->of.shadow);
                break;
        case PS_DVM_F_ACROSS:
                check_index(c->of.across->old_group, d->shadow_groups.n, 1);
                check_index(c->of.across->new_group, d->shadow_groups.n, 1);
                break;
        case PS_DVM_F_WEIGHTS:
                check_weights(c->of.weights);
                break;
        case PS_DVM_F_RED_MEMBER:
                check_target(d, c->of.target);
                break;
        case PS_DVM_F_BLOCKS:
                check_range(c->of.blocks->divisor, c->of.blocks->n, 1, PS_DVM_INDEX_MAX);
                break;
        default:
                MUST(!c->of.any);
        }
}

void dvm_check(const ps_dvm *d)
{
        ps_time total = d->exit_time;
        check_places(d);
        check_objects(d);
        for (uint32_t i = 0; i < d->calls.n; i++) {
                const ps_dvm_call *c = &d->calls.row[i];
                MUST(c->call_time >= 0 && c->ret_time >= 0 && c->function < PS_DVM_COUNT);
                MUST(c->cls < PS_DVM_C_UNSUPPORTED && c->form <= PS_DVM_F_BYTES && *ps_dvm_str(d, c->name));
                MUST(c->depth <= (i ? d->calls.row[i - 1].depth + 1 : 0) && c->depth < PS_DVM_DEPTH_MAX);
                MUST(c->at > (i ? d->calls.row[i - 1].at : 0) && c->at <= d->n_lines);
                total = ps_time_add(total, ps_time_add(c->call_time, c->ret_time));
                check_references(d, c);
                check_params(d, c);
        }
        MUST(total >= 0 && total <= INT64_C(1) << 60);
        MUST(d->truncated ==
             (d->issues.row[PS_I_FILE_TRUNCATED].count + d->issues.row[PS_I_FILE_CORRUPT].count > 0));
}
