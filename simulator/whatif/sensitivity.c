/* sensitivity.c - finds by replays what the length of a run depends on.
 *
 * Without contention the length of the run is a convex function of each factor, made of straight pieces: it
 * is the longest of many sums. So a chord between two factors never lies below it: where the chord says that
 * the run is so much longer, it is that much longer at most. That point and some between it and the upper end
 * are replayed at a time; once both ends lie on one piece the point is exact. With contention there is no
 * such law, and the search ends at some point where the limit is crossed. */
#include "core/base/memory.h"
#include "core/base/search.h"
#include "core/model/focus.h"
#include "core/model/paths.h"
#include "simulator/whatif/whatif.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
        OCTAVES = 24,
        OCTAVES_AT_A_TIME = 4,
        POINTS = 4,
        ROUNDS = 24,
        STEPS = 3,
        REGIONS_MOST = 32,
        REGIONS_TOLD = 10,
        AT_A_TIME = 64
};

#define CLOSE 1e-9 /* of a factor: near enough */

const double ps_tolerances[PS_N_TOLERANCES] = {0.01, 0.02, 0.05};
static const double speedups[PS_N_SPEEDUPS] = {0.1, 0.25, 0.5, 1};

typedef struct work {
        const ps_replays *replays;
        unsigned n_threads;
        ps_time base;
        double *cpu[AT_A_TIME];         /* by process, for each scenario */
        ps_work_edit *works[AT_A_TIME]; /* those of the edited run, and one more */
        ps_scenario scenario[AT_A_TIME];
        ps_replayed run[AT_A_TIME];
        uint32_t n;
} work;

/* -- scenarios -- */

static ps_scenario *next_scenario(work *w)
{
        ps_scenario *s = &w->scenario[w->n++];
        *s = w->replays->scenario;
        return s;
}

static void turn(work *w, ps_knob knob, double factor)
{
        const ps_scenario *base = &w->replays->scenario;
        double *cpu = w->cpu[w->n];
        ps_scenario *s = next_scenario(w);
        s->latency *= knob == PS_KNOB_LATENCY ? factor : 1;
        s->per_byte *= knob == PS_KNOB_PER_BYTE ? factor : 1;
        if (knob != PS_KNOB_CPU)
                return;
        for (ps_proc p = 0; p < w->replays->trace->defs.processes.n; p++)
                cpu[p] = factor * (base->cpu_of_process ? base->cpu_of_process[p] : 1);
        s->cpu_of_process = cpu;
}

/* paths: those of a region. */
static void turn_region(work *w, const uint8_t *paths, double factor)
{
        const ps_scenario *base = &w->replays->scenario;
        ps_work_edit *works = w->works[w->n];
        ps_scenario *s = next_scenario(w);
        if (base->n_works)
                memcpy(works, base->works, base->n_works * sizeof(*works));
        works[base->n_works] = (ps_work_edit){.paths = paths, .factor = factor};
        s->works = works;
        s->n_works = base->n_works + 1;
}

static ps_status replay(work *w, ps_error *err)
{
        const ps_replay_options options = {.n_threads = w->n_threads};
        return ps_replay_run(w->run, w->replays->replay, w->scenario, w->n, &options, err);
}

static void forget_runs(work *w)
{
        for (uint32_t i = 0; i < w->n; i++)
                ps_replayed_clear(&w->run[i]);
        w->n = 0;
}

/* -- how much is tolerated -- */

/* The factor at which the run takes `goal` lies between these. */
typedef struct bracket {
        ps_knob knob;
        double low, high, goal;
        double at_low, at_high; /* the run's length */
        bool has_ended;
} bracket;

enum { N_BRACKETS = PS_N_KNOBS * PS_N_TOLERANCES };

static void tighten(bracket *b, double factor, double at)
{
        if (at > b->goal && factor < b->high) {
                b->high = factor;
                b->at_high = at;
        } else if (at <= b->goal && factor > b->low && factor < b->high) {
                b->low = factor;
                b->at_low = at;
        }
}

/* Doubles the factor until the run is long enough; a few at a time, because a run must not take for ever. */
static ps_status double_factor(work *w, bracket *b, ps_error *err)
{
        for (int from = 1; from <= OCTAVES; from += OCTAVES_AT_A_TIME) {
                for (int i = 0; i < OCTAVES_AT_A_TIME; i++)
                        turn(w, b->knob, ldexp(1, from + i));
                PS_TRY(replay(w, err));
                for (int i = 0; i < OCTAVES_AT_A_TIME; i++)
                        for (int t = 0; t < PS_N_TOLERANCES; t++)
                                tighten(&b[t], ldexp(1, from + i), (double)w->run[i].total);
                forget_runs(w);
                if (!isinf(b[PS_N_TOLERANCES - 1].high))
                        break;
        }
        return PS_OK;
}

static ps_status find_brackets(work *w, bracket *b, ps_error *err)
{
        for (int k = 0; k < PS_N_KNOBS; k++, b += PS_N_TOLERANCES) {
                for (int t = 0; t < PS_N_TOLERANCES; t++)
                        b[t] = (bracket){.knob = (ps_knob)k,
                                         .low = 1,
                                         .high = INFINITY,
                                         .at_low = (double)w->base,
                                         .goal = (double)w->base * (1 + ps_tolerances[t])};
                PS_TRY(double_factor(w, b, err));
                for (int t = 0; t < PS_N_TOLERANCES; t++)
                        b[t].has_ended = isinf(b[t].high);
        }
        return PS_OK;
}

static double chord(const bracket *b)
{
        double at = b->low + (b->goal - b->at_low) * (b->high - b->low) / (b->at_high - b->at_low);
        return at > b->low && at < b->high ? at : b->low + (b->high - b->low) / 2;
}

static double point(const bracket *b, int i)
{
        double from = chord(b);
        return from + (b->high - from) * i / POINTS * (i ? 0.5 : 1);
}

static void narrow(const work *w, bracket *b, uint32_t first)
{
        bracket old = *b;
        for (int i = 0; i < POINTS; i++)
                tighten(b, point(&old, i), (double)w->run[first + (uint32_t)i].total);
        /* A picosecond is the least that the length can tell. */
        b->has_ended = b->high - b->low <= CLOSE * b->low || b->goal - b->at_low < 1;
}

static ps_status narrow_all(work *w, bracket *b, ps_error *err)
{
        int going = 1;
        for (int round = 0; round < ROUNDS && going; round++) {
                uint32_t first[N_BRACKETS];
                for (int i = 0; i < N_BRACKETS; i++) {
                        first[i] = w->n;
                        for (int p = 0; p < POINTS && !b[i].has_ended; p++)
                                turn(w, b[i].knob, point(&b[i], p));
                }
                going = w->n > 0;
                if (going)
                        PS_TRY(replay(w, err));
                for (int i = 0; i < N_BRACKETS; i++)
                        if (!b[i].has_ended)
                                narrow(w, &b[i], first[i]);
                forget_runs(w);
        }
        return PS_OK;
}

static ps_status find_tolerances(ps_sensitivity *out, work *w, ps_error *err)
{
        bracket b[N_BRACKETS];
        PS_TRY(find_brackets(w, b, err));
        PS_TRY(narrow_all(w, b, err));
        for (int i = 0; i < N_BRACKETS; i++)
                out->tolerated[i % PS_N_TOLERANCES].factor[b[i].knob] =
                        isinf(b[i].high) ? INFINITY : b[i].low;
        return PS_OK;
}

/* -- slopes -- */

static double latency_step(int i)
{
        return ldexp(1, -6 - 3 * i);
}

/* The first two steps that agree lie on one piece; each run is rounded to picoseconds. */
static ps_slope slope_of(const work *w, uint32_t first, int sign)
{
        double slope[STEPS];
        for (int i = 0; i < STEPS; i++)
                slope[i] = sign * ((double)w->run[first + (uint32_t)i].total - (double)w->base) /
                           latency_step(i);
        for (int i = 0; i + 1 < STEPS; i++) {
                double rounding = 1e-4 * fabs(slope[i]) + 1e-9 * (double)w->base;
                if (fabs(slope[i] - slope[i + 1]) <= rounding)
                        return (ps_slope){.time = (ps_time)(slope[i] + 0.5), .is_exact = 1};
        }
        return (ps_slope){.time = (ps_time)(slope[STEPS - 1] + 0.5)};
}

static ps_status find_slopes(ps_sensitivity *out, work *w, ps_error *err)
{
        for (int k = 0; k < PS_N_KNOBS; k++)
                for (int i = 0; i < STEPS; i++)
                        turn(w, (ps_knob)k, 1 + latency_step(i));
        ps_status status = replay(w, err);
        for (int k = 0; k < PS_N_KNOBS && status == PS_OK; k++)
                out->slope[k] = slope_of(w, (uint32_t)(k * STEPS), 1);
        forget_runs(w);
        return status;
}

/* -- regions -- */

typedef struct candidate {
        ps_region region;
        ps_time computed;
        ps_slope slope;
        ps_time gain[PS_N_SPEEDUPS];
} candidate;

/* Regions of the program by what is computed in them and below them. Nested visits of a region count once. */
static void sum_up_computed(const ps_trace *trace, candidate *of, const uint8_t *is_inner, ps_time *computed)
{
        for (ps_loc loc = 0; loc < trace->n_locs; loc++)
                for (uint32_t i = 0; i < trace->info[loc].n_uses; i++) {
                        const ps_path_use *use = &trace->info[loc].uses[i];
                        ps_region own = trace->paths[use->path].region;
                        if (own == PS_NONE || trace->defs.regions.row[own].kind == PS_K_NONE)
                                computed[use->path] = ps_time_add(computed[use->path], use->exclusive);
                }
        for (ps_path p = trace->n_paths; p-- > 1;) { /* children before their parents */
                ps_region region = trace->paths[p].region;
                ps_time *above = &computed[trace->paths[p].parent];
                if (region != PS_NONE && !is_inner[p])
                        of[region].computed = ps_time_add(of[region].computed, computed[p]);
                *above = ps_time_add(*above, computed[p]);
        }
}

static int by_computed(const void *a, const void *b)
{
        const candidate *x = a, *y = b;
        PS_ORDER_BY(y->computed, x->computed);
        return PS_ORDER(x->region, y->region);
}

static int by_slope(const void *a, const void *b)
{
        const candidate *x = a, *y = b;
        PS_ORDER_BY(y->slope.time, x->slope.time);
        return by_computed(a, b);
}

/* Of scenarios [first, first + STEPS + PS_N_SPEEDUPS). */
static void keep_slope(const work *w, candidate *c, uint32_t first)
{
        ps_time before = ps_focus_length(w->replays->run[PS_REPLAYED_EDITED].timing);
        c->slope = slope_of(w, first, -1);
        for (uint32_t i = 0; i < PS_N_SPEEDUPS; i++)
                c->gain[i] = ps_time_sub(before, w->run[first + STEPS + i].focus);
}

/* How much shorter the run becomes if a region is faster, a little and by much. */
static ps_status find_region_slopes(work *w, candidate *c, uint32_t n, ps_error *err)
{
        enum { EACH = STEPS + PS_N_SPEEDUPS, TOGETHER = AT_A_TIME / EACH };
        ps_status status = PS_OK;
        for (uint32_t from = 0; from < n && status == PS_OK; from += TOGETHER) {
                uint32_t some = n - from < TOGETHER ? n - from : TOGETHER;
                uint8_t *paths[TOGETHER] = {NULL};
                for (uint32_t k = 0; k < some && status == PS_OK; k++) {
                        status = ps_what_if_region(&paths[k], w->replays->trace, c[from + k].region, err);
                        for (int i = 0; i < STEPS; i++)
                                turn_region(w, paths[k], 1 - latency_step(i));
                        for (int i = 0; i < PS_N_SPEEDUPS; i++)
                                turn_region(w, paths[k], 1 - speedups[i]);
                }
                PS_THEN(status, replay(w, err));
                for (uint32_t k = 0; k < some && status == PS_OK; k++)
                        keep_slope(w, &c[from + k], k * EACH);
                for (uint32_t k = 0; k < some; k++)
                        free(paths[k]);
                forget_runs(w);
        }
        return status;
}

static ps_status keep_regions(ps_sensitivity *out, const ps_defs *defs, const candidate *c, uint32_t n,
                              ps_error *err)
{
        out->regions = ps_memory_zeroed(REGIONS_TOLD, sizeof(*out->regions));
        if (!out->regions)
                return PS_NOMEM(err, "regions", REGIONS_TOLD);
        for (uint32_t i = 0; i < n && i < REGIONS_TOLD && c[i].slope.time > 0; i++) {
                const ps_region_def *def = &defs->regions.row[c[i].region];
                ps_region_slope *row = &out->regions[out->n_regions++];
                *row = (ps_region_slope){.region = ps_defs_str(defs, def->name),
                                         .file = ps_defs_str(defs, def->file),
                                         .line = def->line,
                                         .computed = c[i].computed,
                                         .slope = c[i].slope};
                memcpy(row->gain, c[i].gain, sizeof(row->gain));
        }
        return PS_OK;
}

static bool is_programs(const ps_region_def *def)
{
        return def->kind == PS_K_NONE &&
               (def->paradigm == PS_PARADIGM_USER || def->paradigm == PS_PARADIGM_UNKNOWN);
}

static ps_status find_regions(ps_sensitivity *out, work *w, ps_error *err)
{
        const ps_trace *trace = w->replays->trace;
        const ps_defs *defs = &trace->defs;
        uint32_t n = 0;
        candidate *c = ps_memory_zeroed(defs->regions.n + (size_t)1, sizeof(*c));
        ps_time *computed = ps_memory_zeroed(trace->n_paths + (size_t)1, sizeof(*computed));
        uint8_t *is_inner = NULL;
        ps_status status = c && computed ? PS_OK : PS_NOMEM(err, "regions", defs->regions.n);
        PS_THEN(status, ps_paths_find_inner(&is_inner, trace, err));
        if (status == PS_OK)
                sum_up_computed(trace, c, is_inner, computed);
        for (ps_region r = 0; status == PS_OK && r < defs->regions.n; r++)
                if (c[r].computed > 0 && is_programs(&defs->regions.row[r]))
                        c[n++] = (candidate){.region = r, .computed = c[r].computed};
        if (status == PS_OK)
                qsort(c, n, sizeof(*c), by_computed);
        n = n < REGIONS_MOST ? n : REGIONS_MOST;
        PS_THEN(status, find_region_slopes(w, c, n, err));
        if (status == PS_OK) {
                qsort(c, n, sizeof(*c), by_slope);
                status = keep_regions(out, defs, c, n, err);
        }
        free(c);
        free(computed);
        free(is_inner);
        return status;
}

/* -- the whole -- */

static ps_status open_work(work *w, ps_error *err)
{
        size_t n_procs = w->replays->trace->defs.processes.n + (size_t)1;
        size_t n_works = w->replays->scenario.n_works + (size_t)1;
        for (int i = 0; i < AT_A_TIME; i++) {
                w->cpu[i] = ps_memory_zeroed(n_procs, sizeof(double));
                w->works[i] = ps_memory_zeroed(n_works, sizeof(ps_work_edit));
                if (!w->cpu[i] || !w->works[i])
                        return PS_NOMEM(err, "scenarios", n_procs);
        }
        return PS_OK;
}

/* What the factors are factors of, where there is one number. */
static void name_machine(ps_sensitivity *out, const ps_replays *r)
{
        const ps_scenario *s = &r->scenario;
        const ps_machine *m = s->machine;
        const ps_replay_info *info = ps_replay_info_of(r->replay);
        if (!m && info->is_fitted && !s->divider) {
                out->latency_s = ps_time_seconds(info->latency) * s->latency;
                if (info->per_byte > 0 && s->per_byte > 0)
                        out->bandwidth_bytes_per_s = (double)PS_PS_PER_S / info->per_byte / s->per_byte;
        } else if (!m) {
                return;
        } else if (m->model != PS_MODEL_LMO && m->model != PS_MODEL_CLUSTER && !m->has_intra) {
                out->latency_s = m->link.latency_s * s->latency;
                if (isfinite(m->link.bandwidth_bytes_per_s) && s->per_byte > 0)
                        out->bandwidth_bytes_per_s = m->link.bandwidth_bytes_per_s / s->per_byte;
        }
}

/* A recording whose messages are of one size says what the network costs, and not why. */
static void forget_network(ps_sensitivity *out, const ps_replays *r)
{
        const ps_scenario *s = &r->scenario;
        if (s->machine || s->divider || ps_replay_info_of(r->replay)->is_fitted)
                return;
        for (ps_knob k = PS_KNOB_LATENCY; k <= PS_KNOB_PER_BYTE; k++) {
                out->slope[k].is_unknown = true;
                for (int t = 0; t < PS_N_TOLERANCES; t++)
                        out->tolerated[t].factor[k] = NAN;
        }
}

ps_status ps_sensitivity_find(ps_sensitivity *out, const ps_replays *replays, unsigned n_threads,
                              ps_error *err)
{
        work *w = calloc(1, sizeof(*w));
        *out = (ps_sensitivity){0};
        if (!w)
                return PS_NOMEM(err, "replays", 1);
        w->replays = replays;
        w->n_threads = n_threads;
        w->base = out->duration = replays->run[PS_REPLAYED_EDITED].total;
        name_machine(out, replays);
        ps_status status = open_work(w, err);
        PS_THEN(status, find_tolerances(out, w, err));
        PS_THEN(status, find_slopes(out, w, err));
        PS_THEN(status, find_regions(out, w, err));
        forget_network(out, replays);
        for (int i = 0; i < AT_A_TIME; i++) {
                free(w->cpu[i]);
                free(w->works[i]);
        }
        free(w);
        return status;
}

void ps_sensitivity_clear(ps_sensitivity *sensitivity)
{
        free(sensitivity->regions);
        *sensitivity = (ps_sensitivity){0};
}
