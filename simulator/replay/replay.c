/* replay.c - from scenarios to results. Scenarios in which the same waits for the same share a pass, up to
 * eight at a time; passes run on threads of their own, one alone takes up to sixteen. */
#include "simulator/cost/collectives.h"
#include "simulator/replay/slots.h"

#include "core/base/memory.h"
#include "core/base/parallel.h"
#include "core/model/focus.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

void ps_scenario_init(ps_scenario *scenario)
{
        *scenario = (ps_scenario){.latency = 1, .per_byte = 1};
}

/* -- which scenarios can share a pass -- */

bool ps_replay_is_shared(const ps_machine *m)
{
        switch (m->model) {
        case PS_MODEL_BUS:
        case PS_MODEL_MYRINET:
        case PS_MODEL_CLUSTER:
        case PS_MODEL_TOPOLOGY:
                return 1;
        default:
                return m->model == PS_MODEL_DIMEMAS && (m->buses || m->links_in || m->links_out);
        }
}

/* What all lanes of a pass have in common. */
typedef struct manner {
        uint64_t eager_limit;
        uint8_t all_wait, has_machine, contends, receives_early;
        const uint8_t *shapes; /* that are no formula */
} manner;

static manner manner_of(const ps_replay *replay, const ps_scenario *s)
{
        const ps_machine *m = s->machine;
        manner out = {.has_machine = m != NULL};
        if (m) {
                out.receives_early = (uint8_t)ps_machine_receives_early(m);
                out.contends = !s->no_contention && ps_replay_is_shared(m);
                out.all_wait = m->send_mode == PS_SEND_SYNCHRONOUS;
                out.eager_limit = m->send_mode == PS_SEND_BUFFERED ? UINT64_MAX : m->eager_bytes;
                out.shapes = &m->collective[0][0];
        } else {
                uint64_t from = waits_from(&replay->least);
                out.all_wait = from == 0;
                out.eager_limit = from - (from > 0 && from < UINT64_MAX);
        }
        if (s->has_eager_limit) {
                out.all_wait = 0;
                out.eager_limit = s->eager_limit;
        }
        return out;
}

static bool are_alike(const manner *a, const manner *b)
{
        if (a->contends || b->contends || a->has_machine != b->has_machine || a->all_wait != b->all_wait ||
            a->receives_early != b->receives_early)
                return 0;
        if (!a->all_wait && a->eager_limit != b->eager_limit)
                return 0;
        for (int i = 0; a->has_machine && i < 2 * PS_K_COUNT; i++)
                if ((!ps_shape_is_formula(a->shapes[i & ~1]) || !ps_shape_is_formula(b->shapes[i & ~1])) &&
                    a->shapes[i] != b->shapes[i])
                        return 0;
        return 1;
}

/* A pass: some of the scenarios. */
typedef struct pass {
        uint32_t n, scenario[LANES_MAX];
        manner manner;
} pass;

typedef struct job {
        const ps_replay *replay;
        const ps_scenario *scenarios;
        const ps_replay_options *options;
        ps_replayed *out;
        pass *passes;
        uint32_t n_passes, n_watched;
        ps_ref *watched; /* see run.watched */
} job;

/* Several threads have a pass each, rather; and of many locations vectors are to stay small. */
static uint32_t lanes_of_pass(const job *j)
{
        enum { LOCATIONS = 1 << 12 };
        bool is_wide =
                ps_parallel_threads(j->options->n_threads) == 1 && j->replay->trace->n_locs <= LOCATIONS;
        return is_wide ? LANES_MAX : LANES_USUALLY;
}

static void share_out(job *j, uint32_t n)
{
        uint32_t wanted = j->options->lanes, most = lanes_of_pass(j);
        most = wanted && wanted < most ? wanted : most;
        for (uint32_t i = 0; i < n; i++) {
                manner m = manner_of(j->replay, &j->scenarios[i]);
                uint32_t p = 0;
                while (p < j->n_passes && (j->passes[p].n >= most || !are_alike(&j->passes[p].manner, &m)))
                        p++;
                if (p == j->n_passes)
                        j->passes[j->n_passes++] = (pass){.manner = m};
                j->passes[p].scenario[j->passes[p].n++] = i;
        }
}

/* -- a pass -- */

static ps_status make_places(run *r, ps_error *err)
{
        const ps_trace *trace = r->replay->trace;
        size_t n = (size_t)trace->n_locs + 1;
        ps_status status = ps_records_grow(&r->places, sizeof(place), N_VECTORS, r->width, (uint32_t)n);
        r->ready = malloc(n * sizeof(*r->ready));
        r->parked = malloc(n * sizeof(*r->parked));
        r->heap = malloc(n * sizeof(*r->heap));
        r->slot_of = ps_memory_zeroed((size_t)r->replay->n_messages + 1, sizeof(*r->slot_of));
        r->coll_slot_of = ps_memory_zeroed((size_t)trace->n_colls + 1, sizeof(*r->coll_slot_of));
        r->seen = ps_memory_zeroed((size_t)r->n_watched * r->n_lanes + 1, sizeof(*r->seen));
        r->free_slot = r->free_coll = PS_NONE;
        if (status != PS_OK || !r->ready || !r->parked || !r->heap || !r->slot_of || !r->coll_slot_of ||
            !r->seen)
                return PS_NOMEM(err, "locations", n);
        for (ps_loc loc = 0; loc < trace->n_locs; loc++) {
                const ps_location_info *info = &trace->info[loc];
                ps_time first = info->first <= info->last ? info->first : 0;
                const ps_time *over = r->replay->over ? r->replay->over[loc] : NULL;
                *place_of(r, loc) = (place){.steps = r->replay->steps[loc],
                                            .enter = r->replay->timing->enter[loc],
                                            .leave = r->replay->timing->leave[loc],
                                            .over = over ? over + 1 : r->replay->timing->leave[loc],
                                            .ops = &trace->ops[loc],
                                            .n = trace->ops[loc].n,
                                            .recorded = over ? over[0] : first};
                for (uint32_t w = 0; w < r->width; w++) {
                        vector_of(r, loc, V_CLOCK, r->width)[w] = vector_of(r, loc, V_SYNC, r->width)[w] =
                                ps_replay_first(r, loc, w);
                        vector_of(r, loc, V_PORT, r->width)[w] = 0;
                }
                ps_replay_watch(r, place_of(r, loc), loc, 0);
        }
        return PS_OK;
}

static void free_run(run *r)
{
        for (uint32_t i = 0; i < r->n_colls; i++)
                ps_replay_coll_clear(record_at(&r->colls, i));
        free(r->places.row);
        free(r->ready);
        free(r->parked);
        free(r->heap);
        free(r->slot_of);
        free(r->slots.row);
        free(r->coll_slot_of);
        free(r->colls.row);
        free(r->seen);
        free(r->gates);
        free(r->is_open);
        free(r->given);
        free(r->is_given);
        free(r->late);
        ps_replay_costs_free(r);
        ps_replay_factors_free(r);
        ps_traffic_free(r->traffic);
}

static void set_up(run *r, const job *j, const pass *p)
{
        r->replay = j->replay;
        r->n_lanes = p->n;
        r->width = p->n == 1               ? 1
                   : p->n <= 4             ? 4
                   : p->n <= LANES_USUALLY ? LANES_USUALLY
                   : p->n <= LANES_OFTEN   ? LANES_OFTEN
                                           : LANES_MAX;
        r->advance = ps_replay_advance_of(r->width);
        r->has_machine = p->manner.has_machine;
        r->receives_early = r->syncs_all = p->manner.receives_early;
        r->all_wait = p->manner.all_wait;
        r->eager_limit = p->manner.eager_limit;
        r->shuffle = j->options->shuffle;
        r->watched = j->watched;
        r->n_watched = j->n_watched;
        for (uint32_t w = 0; w < p->n; w++) {
                const ps_scenario *s = &j->scenarios[p->scenario[w]];
                r->lane[w] = s;
                r->overlaps |= s->overlap;
                r->moves_up[w] = -(ps_time)(s->overlap != 0);
                r->unwaited[w] = s->unwaited;
                r->has_unwaited |= s->unwaited != NULL;
                r->changes_limit |= !s->machine && s->has_eager_limit;
                bool keeps = s->latency == 1 && s->per_byte == 1, drops = s->latency == 0 && s->per_byte == 0;
                r->changes_network |= !s->machine && !keeps;
                r->divides_network |= !keeps && !drops;
                r->keeps_network[w] = -(ps_time)keeps;
                r->has_gaps |= s->machine &&
                               (s->machine->model == PS_MODEL_LOGP || s->machine->model == PS_MODEL_LOGGP ||
                                s->machine->model == PS_MODEL_PLOGP);
        }
}

static ps_status make_timing(ps_timing **out, const ps_trace *trace, ps_error *err)
{
        ps_timing *t = *out = calloc(1, sizeof(*t));
        size_t n = (size_t)trace->n_locs + 1;
        if (t) {
                t->enter = calloc(n, sizeof(*t->enter));
                t->leave = calloc(n, sizeof(*t->leave));
        }
        if (!t || !t->enter || !t->leave)
                return PS_NOMEM(err, "locations", n);
        for (ps_loc loc = 0; loc < trace->n_locs; loc++) {
                t->enter[loc] = ps_memory_zeroed(trace->ops[loc].n, 2 * sizeof(ps_time));
                if (!t->enter[loc])
                        return PS_NOMEM(err, "operations", trace->ops[loc].n);
                t->leave[loc] = t->enter[loc] + trace->ops[loc].n;
        }
        return PS_OK;
}

static void free_timing(ps_timing *t, uint32_t n_locs)
{
        for (ps_loc loc = 0; t && t->enter && loc < n_locs; loc++)
                free(t->enter[loc]);
        if (t) {
                free(t->enter);
                free(t->leave);
        }
        free(t);
}

void ps_replayed_clear(ps_replayed *replayed)
{
        free(replayed->begin);
        free(replayed->end);
        free_timing(replayed->timing, replayed->n_locs);
        free(replayed->cycle);
        *replayed = (ps_replayed){0};
}

static ps_status open_result(ps_replayed *out, const job *j, ps_error *err)
{
        const ps_trace *trace = j->replay->trace;
        out->n_locs = trace->n_locs;
        out->begin = calloc((size_t)trace->n_locs + 1, sizeof(*out->begin));
        out->end = calloc((size_t)trace->n_locs + 1, sizeof(*out->end));
        if (!out->begin || !out->end)
                return PS_NOMEM(err, "locations", trace->n_locs);
        return j->options->wants_timing ? make_timing(&out->timing, trace, err) : PS_OK;
}

static ps_status find_focus(ps_replayed *out, const run *r, uint32_t lane, ps_error *err)
{
        ps_span *seen = malloc(((size_t)r->n_watched + 1) * sizeof(*seen));
        if (!seen)
                return PS_NOMEM(err, "operations", r->n_watched);
        for (uint32_t i = 0; i < r->n_watched; i++)
                seen[i] = r->seen[(size_t)i * r->n_lanes + lane];
        out->focus = ps_focus_length_by(r->replay->trace, r->watched, seen, r->n_watched, out->total);
        free(seen);
        return PS_OK;
}

/* A run lasts as long as the program does. Sources of metrics and streams of accelerators go on as they were
 * recorded, whatever becomes of the program: what they told behind its end, they still tell so long after it.
 */
static void find_total(ps_replayed *out, const ps_trace *trace)
{
        ps_time last = 0, others = 0;
        for (ps_loc loc = 0; loc < out->n_locs; loc++) {
                const bool is_program = trace->defs.locations.row[loc].type == PS_LOCATION_CPU;
                ps_time *latest = is_program ? &last : &others;
                *latest = ps_time_later(*latest, trace->info[loc].last);
                if (is_program)
                        out->total = ps_time_later(out->total, out->end[loc]);
        }
        if (others > last)
                out->total = ps_time_add(out->total, others - last);
}

/* Nothing is later than the end. */
static void cut_at_total(ps_replayed *out, const ps_trace *trace)
{
        for (ps_loc loc = 0; loc < out->n_locs; loc++) {
                if (out->end[loc] <= out->total)
                        continue;
                out->begin[loc] = ps_time_earlier(out->begin[loc], out->total);
                out->end[loc] = out->total;
                for (ps_op op = 0; out->timing && op < trace->ops[loc].n; op++) {
                        ps_time *enter = &out->timing->enter[loc][op], *leave = &out->timing->leave[loc][op];
                        *enter = ps_time_earlier(*enter, out->total);
                        *leave = ps_time_earlier(*leave, out->total);
                }
        }
}

static ps_status collect_lane(ps_replayed *out, const run *r, uint32_t lane, ps_error *err)
{
        for (ps_loc loc = 0; loc < out->n_locs; loc++) {
                out->begin[loc] = ps_replay_first(r, loc, lane);
                out->end[loc] = vector_of(r, loc, V_CLOCK, r->width)[lane];
                out->n_stuck += !place_of(r, loc)->is_done;
        }
        find_total(out, r->replay->trace);
        cut_at_total(out, r->replay->trace);
        if (out->timing)
                out->timing->duration = out->total;
        if (r->traffic)
                ps_traffic_count(r->traffic, out);
        out->stuck = out->n_stuck > 0;
        return out->stuck ? ps_replay_find_cycle(out, r, err) : find_focus(out, r, lane, err);
}

static ps_status open_results(run *r, const job *j, const pass *p, ps_error *err)
{
        for (uint32_t w = 0; w < p->n; w++) {
                PS_TRY(open_result(&j->out[p->scenario[w]], j, err));
                r->timing[w] = j->out[p->scenario[w]].timing;
                r->writes |= r->timing[w] != NULL;
        }
        return PS_OK;
}

/* WENT_BACK: see run.forgets. */
static ps_status run_once(const job *j, const pass *p, int forgets, int *went_back, ps_error *err)
{
        run *r = calloc(1, sizeof(*r));
        if (!r)
                return PS_NOMEM(err, "replay", 1);
        set_up(r, j, p);
        r->err = err;
        r->forgets = (uint8_t)forgets;
        ps_status status = ps_replay_starts_new(r, err);
        PS_THEN(status, make_places(r, err));
        PS_THEN(status, open_results(r, j, p, err));
        PS_THEN(status, ps_replay_gates_new(r, err));
        PS_THEN(status, ps_replay_locks_new(r, err));
        PS_THEN(status, ps_replay_costs_new(r, err));
        PS_THEN(status, ps_replay_factors_new(r, err));
        if (status == PS_OK && p->manner.contends)
                status = ps_traffic_new(&r->traffic, r, err);
        r->needs_pairs = r->traffic || r->costs.by_pair || r->costs.n_near > 1;
        if (status == PS_OK) {
                ps_replay_run_all(r);
                status = r->status;
        }
        *went_back = r->went_back;
        for (uint32_t w = 0; w < p->n && status == PS_OK && !r->went_back; w++)
                status = collect_lane(&j->out[p->scenario[w]], r, w, err);
        free_run(r);
        free(r);
        return status;
}

static ps_status run_pass(void *ctx, uint32_t index, unsigned worker, ps_error *err)
{
        const job *j = ctx;
        const pass *p = &j->passes[index];
        int went_back;
        (void)worker;
        PS_TRY(run_once(j, p, 1, &went_back, err));
        for (uint32_t w = 0; w < p->n && went_back; w++)
                ps_replayed_clear(&j->out[p->scenario[w]]);
        return went_back ? run_once(j, p, 0, &went_back, err) : PS_OK;
}

/* -- all scenarios -- */

static bool is_factor(double factor)
{
        return isfinite(factor) && factor >= 0;
}

static ps_status check_grid(const ps_machine *m, uint32_t n_procs, ps_error *err)
{
        uint64_t n_nodes = 1;
        for (uint32_t d = 0; d < m->grid_rank; d++)
                n_nodes *= m->grid[d];
        for (uint32_t p = 0; p < n_procs && m->model == PS_MODEL_TRANSPUTER && m->grid_rank; p++)
                if (ps_machine_node(m, p) >= n_nodes)
                        return PS_FAIL(err, PS_E_USAGE,
                                       "the machine's grid is too small: rank=%u, node=%u, nodes=%" PRIu64, p,
                                       ps_machine_node(m, p), n_nodes);
        return PS_OK;
}

static ps_status check_machine(const ps_machine *m, uint32_t n_procs, ps_error *err)
{
        PS_TRY(ps_machine_fit(m, n_procs, err));
        return check_grid(m, n_procs, err);
}

static ps_status check_scenario(const ps_scenario *s, const ps_replay *replay, ps_error *err)
{
        const ps_trace *trace = replay->trace;
        uint32_t n_procs = trace->defs.processes.n;
        if (!is_factor(s->latency) || !is_factor(s->per_byte))
                return PS_FAIL(err, PS_E_USAGE,
                               "the network cannot be changed by such a factor: latency=%g, per_byte=%g",
                               s->latency, s->per_byte);
        for (uint32_t p = 0; s->cpu_of_process && p < n_procs; p++)
                if (!is_factor(s->cpu_of_process[p]))
                        return PS_FAIL(
                                err, PS_E_USAGE,
                                "computation cannot be changed by such a factor: process=%u, factor=%g", p,
                                s->cpu_of_process[p]);
        for (uint32_t i = 0; i < s->n_works; i++)
                if (!is_factor(s->works[i].factor))
                        return PS_FAIL(err, PS_E_USAGE,
                                       "regions cannot be changed by such a factor: factor=%g",
                                       s->works[i].factor);
                else if (s->works[i].is_stretch && !ps_replay_knows_pieces(replay))
                        return PS_FAIL(
                                err, PS_E_USAGE,
                                "regions cannot be changed: the run has too many pieces of computation");
        return s->machine ? check_machine(s->machine, n_procs, err) : PS_OK;
}

ps_status ps_replay_run(ps_replayed *out, const ps_replay *replay, const ps_scenario *scenarios, uint32_t n,
                        const ps_replay_options *options, ps_error *err)
{
        static const ps_replay_options usual;
        job j = {.replay = replay,
                 .scenarios = scenarios,
                 .options = options ? options : &usual,
                 .out = out,
                 .passes = calloc((size_t)n + 1, sizeof(pass))};
        ps_status status = j.passes ? PS_OK : PS_NOMEM(err, "scenarios", n);
        memset(out, 0, n * sizeof(*out));
        if (status == PS_OK && replay->timing->duration > REPLAY_TIME_LIMIT)
                status = PS_FAIL(err, PS_E_USAGE, "the recorded run is too long for a replay: limit_days=26");
        for (uint32_t i = 0; i < n && status == PS_OK; i++)
                status = check_scenario(&scenarios[i], replay, err);
        PS_THEN(status, ps_focus_rows(&j.watched, &j.n_watched, replay->trace, err));
        if (status == PS_OK) {
                share_out(&j, n);
                status = ps_parallel_for(j.options->n_threads, j.n_passes, run_pass, &j, err);
        }
        for (uint32_t i = 0; i < n && status != PS_OK; i++)
                ps_replayed_clear(&out[i]);
        free(j.watched);
        free(j.passes);
        return status;
}
