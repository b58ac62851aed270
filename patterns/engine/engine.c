/* engine.c - walks each location's operations once, asks the rules, and adds up what they answer.
 *
 * A location needs only its own rows and, by the matches, single rows of others; nothing is shared but what
 * is read, so locations run on any number of threads. A call is charged once: of all that its messages say,
 * the longest wait counts. */
#include "core/base/blocks.h"
#include "core/base/memory.h"
#include "core/base/parallel.h"
#include "core/base/search.h"
#include "core/clock/clock.h"
#include "core/model/unexplained.h"
#include "patterns/engine/spread.h"
#include "patterns/engine/walk_pgas.h"
#include "patterns/engine/works.h"

#include <stdlib.h>
#include <string.h>

/* -- calls -- */

static void consider_completions(struct local *l, struct candidates *c, ps_op op)
{
        const ps_ops *ops = l->ops;
        for (uint32_t i = 0; i < ps_op_tag(ops, op); i++) {
                ps_op start = ps_op_completed(ops, op, i);
                if (ps_kinds[ops->kind[start]].cls == PS_C_COLL)
                        ps_walk_nonblocking(l, c, (ps_ref){l->loc, start}, (ps_ref){l->loc, op});
                else
                        ps_walk_message(l, c, start, op);
        }
}

static bool is_asked_of_threads(const ps_rules *rules, ps_kind kind)
{
        return (kind == PS_K_LOCK_ACQUIRE && rules->n_roots[PS_ON_LOCK]) ||
               (kind == PS_K_TEAM_BEGIN && rules->n_roots[PS_ON_FORK]) ||
               (kind == PS_K_TEAM_END && rules->n_roots[PS_ON_JOIN]);
}

/* Operations that do not block lose nothing, but for a Test that is called again and again. */
static enum act act_of(const ps_rules *rules, ps_kind kind, bool is_nonblocking)
{
        bool blocks = ps_kinds[kind].traits & PS_T_BLOCKING && !is_nonblocking;
        enum act otherwise = blocks ? ACT_ASK : ACT_PASS;
        switch (ps_kinds[kind].cls) {
        case PS_C_SEND:
                return blocks ? ACT_SEND : otherwise;
        case PS_C_RECV:
                return blocks ? ACT_RECV : otherwise;
        case PS_C_COMPLETE:
                return blocks ? ACT_COMPLETE : rules->n_roots[PS_ON_SERIES] ? ACT_SERIES : otherwise;
        case PS_C_COLL:
                return blocks ? ACT_COLLECTIVE : otherwise;
        case PS_C_PROBE:
                return kind == PS_K_PROBE && rules->n_roots[PS_ON_PROBE] ? ACT_PROBE : otherwise;
        case PS_C_RMA:
                return ACT_ONE_SIDED;
        case PS_C_RMA_SYNC:
                return blocks ? ACT_ONE_SIDED : otherwise;
        case PS_C_LOCK:
        case PS_C_THREAD:
                return is_asked_of_threads(rules, kind) ? ACT_THREAD : ACT_PASS;
        default:
                return otherwise;
        }
}

/* What communicates in a program of the DVM system is looked at, whatever it is. */
static void choose_acts(struct engine *e)
{
        for (int is_nonblocking = 0; is_nonblocking < 2; is_nonblocking++)
                for (int kind = 0; kind < PS_K_COUNT; kind++) {
                        enum act act = act_of(&e->rules, (ps_kind)kind, is_nonblocking);
                        e->acts[kind][is_nonblocking] =
                                (uint8_t)(act == ACT_PASS && e->trace->defs.is_dvm ? ACT_ASK : act);
                }
        for (int kind = 0; kind < PS_K_COUNT; kind++)
                e->is_watched[kind] = kind == PS_K_SEND ||
                                      ps_rules_has_kind(e->rules.send_kinds[PS_ON_READY], (unsigned)kind);
}

static void consider_row(struct local *l, struct candidates *c, ps_op op)
{
        switch (ps_walk_act(l->engine, l->ops, op)) {
        case ACT_SEND:
                ps_walk_send(l, op);
                ps_walk_message(l, c, op, op);
                break;
        case ACT_RECV:
                ps_walk_message(l, c, op, op);
                break;
        case ACT_COMPLETE:
                consider_completions(l, c, op);
                break;
        case ACT_SERIES:
                ps_walk_series(l, op);
                break;
        case ACT_COLLECTIVE:
                ps_walk_collective(l, c, (ps_ref){l->loc, op});
                break;
        case ACT_PROBE:
                ps_walk_probe(l, op);
                break;
        case ACT_ONE_SIDED:
                ps_walk_one_sided(l, op);
                break;
        case ACT_THREAD:
                ps_walk_thread(l, op);
                break;
        default:
                break;
        }
}

/* Scalasca charges each message of a call, but for Waitall and Waitsome. */
static bool charges_each(const struct engine *e, ps_kind call)
{
        return e->options->definitions == PS_DEFINITIONS_SCALASCA && call != PS_K_WAITALL &&
               call != PS_K_WAITSOME;
}

/* Of each wait only `lost` is cleared: where it is 0 the rest is not looked at. */
static void begin_call(struct candidates *c, int each)
{
        c->receiver.lost = c->sender.lost = c->collective.lost = 0;
        c->charged = 0;
        c->each = each;
        c->n_messages = c->n_collectives = 0;
}

/* Considers all that a call may have waited for. Not inlined: consider_call() seldom needs it. */
__attribute__((noinline)) static void consider_rows(struct local *l, ps_op op, ps_op end)
{
        struct candidates c;
        begin_call(&c, charges_each(l->engine, (ps_kind)l->ops->kind[op]));
        ps_op row = op;
        do
                consider_row(l, &c, row);
        while (++row < end);
        if (c.receiver.lost | c.sender.lost | c.collective.lost)
                ps_walk_charge_once(l, &c);
        if (end == op + 1 && ps_walk_leaves_rest(l, op))
                ps_walk_rest(l, &c, op);
        else if (end > op + 1 || !ps_walk_leaves_nothing(l, op))
                ps_walk_account_unexplained(l, op, ps_walk_left(l, &c, op, end));
        if (l->engine->notes_hidden && c.n_messages)
                ps_walk_note_hidden(l, c.latest_partner);
        if (l->engine->purpose)
                ps_walk_exchange(l, op);
}

/* A call is a row and the further rows of the same call behind it. */
static inline ps_op end_of_call(const ps_ops *ops, ps_op op)
{
        do
                op++;
        while (ps_op_continues(ops, op));
        return op;
}

/* Most rows are a call each, and in many of them nobody loses anything. A Test alone blocks nobody, and
 * programs that poll call it over and over. Rows of threads, and what stands among them, are gone through
 * together. */
static ps_op consider_call(struct local *l, ps_op op)
{
        const struct engine *e = l->engine;
        const ps_ops *ops = l->ops;
        enum act act = ps_walk_act(e, ops, op);
        ps_op end = op + 1;
        if (end < ops->n && ops->flags[end] & PS_OP_PART)
                end = end_of_call(ops, op);
        if (act == ACT_PASS && end == op + 1)
                return end;
        const ps_op behind = act == ACT_THREAD && l->is_plain ? ps_walk_teams(l, op) : op;
        if (behind > op)
                return behind;
        if (!e->purpose && ps_walk_is_alone(l, op, act))
                return ps_walk_alone(l, op);
        l->worker->call = op;
        l->worker->call_left = -1;
        if (end == op + 1 && act == ACT_SERIES && !e->purpose)
                ps_walk_series(l, op);
        else
                consider_rows(l, op, end);
        return end;
}

enum { STRETCH = 256 };

/* Where plain rows are gone through no further before somebody looks at what is resident: not within a call.
 */
static ps_op end_of_stretch(const struct local *l, ps_op op, ps_op end)
{
        op = end - op < STRETCH ? end : op + STRETCH;
        while (op < end && l->ops->flags[op] & PS_OP_PART)
                op++;
        return op;
}

void ps_walk_rows(struct local *l, ps_op from, ps_op end)
{
        ps_walk_begin_teams(l);
        for (ps_op op = from; op < end && l->status == PS_OK;) {
                l->end = end_of_stretch(l, op, end);
                ps_op next = l->is_plain ? ps_walk_plain(l, op) : l->is_plain_pgas ? ps_walk_pgas(l, op) : op;
                ps_blocks_keep();
                op = next < end ? consider_call(l, next) : next;
        }
        ps_walk_end_teams(l);
        ps_walk_end_series(l);
}

/* The calling thread is the first worker. */
ps_status ps_walk_progress(struct engine *e, uint64_t n, unsigned worker, ps_error *err)
{
        const ps_analysis_options *o = e->options;
        uint64_t done = atomic_fetch_add(&e->n_done, n) + n;
        if (worker || !o->progress || !o->progress(o->progress_ctx, done, e->trace->n_operations))
                return PS_OK;
        return PS_FAIL(err, PS_E_CANCELLED, "the analysis was cancelled: operations=%llu",
                       (unsigned long long)done);
}

/* -- all locations -- */

void ps_walk_add(struct worker *to, const struct engine *e, const struct worker *w)
{
        for (ps_path path = 0; path < e->trace->n_paths; path++)
                to->waiting[path] = ps_time_add(to->waiting[path], w->waiting[path]);
        for (ps_proc p = 0; p <= e->trace->defs.processes.n; p++)
                to->awaited[p] = ps_time_add(to->awaited[p], w->awaited[p]);
        for (unsigned p = 0; p < ps_pattern_count(); p++)
                to->outside[p] = ps_time_add(to->outside[p], w->outside[p]);
        to->doubtful = ps_time_add(to->doubtful, w->doubtful);
        to->hidden = ps_time_add(to->hidden, w->hidden);
        to->doubtful_count += w->doubtful_count;
        to->eager_max = w->eager_max > to->eager_max ? w->eager_max : to->eager_max;
        to->rendezvous_min = w->rendezvous_min < to->rendezvous_min ? w->rendezvous_min : to->rendezvous_min;
}

static void tell_sums(ps_analysis *a, const struct engine *e)
{
        struct worker *all = &e->worker[0];
        for (unsigned i = 1; i < e->n_workers; i++)
                ps_walk_add(all, e, &e->worker[i]);
        memcpy(a->waiting, all->waiting, e->trace->n_paths * sizeof(*a->waiting));
        memcpy(a->awaited, all->awaited, (e->trace->defs.processes.n + (size_t)1) * sizeof(*a->awaited));
        memcpy(a->outside, all->outside, sizeof(a->outside));
        a->doubtful = all->doubtful;
        a->hidden = all->hidden;
        a->doubtful_count = all->doubtful_count;
        a->eager_max = all->eager_max;
        a->rendezvous_min = all->rendezvous_min;
}

static ps_status gather_findings(ps_analysis *a, const struct engine *e, ps_error *err)
{
        size_t n = 0;
        for (ps_loc l = 0; l < a->n_locs; l++)
                n += e->local[l].findings.n;
        a->findings = n < PS_NONE ? ps_memory_new(n * sizeof(*a->findings)) : NULL;
        a->waiting = ps_memory_zeroed(e->trace->n_paths + (size_t)1, sizeof(*a->waiting));
        a->awaited = ps_memory_zeroed(e->trace->defs.processes.n + (size_t)1, sizeof(*a->awaited));
        if (!a->findings || !a->waiting || !a->awaited)
                return PS_NOMEM(err, "findings", n);
        tell_sums(a, e);
        for (ps_loc loc = 0; loc < a->n_locs; loc++) {
                struct local *l = &e->local[loc];
                for (uint32_t i = 0; i < l->findings.n; i++) {
                        const ps_finding *f = &l->findings.row[i];
                        a->findings[a->n_findings++] = *f;
                        a->count[f->pattern] += f->count;
                }
                ps_tally_map_free(&l->findings);
        }
        return ps_tally_sort(a->findings, a->n_findings, err);
}

/* The sums of the first begin where those of all do. */
ps_status ps_walk_new_workers(struct worker **out, const struct engine *e, unsigned n, ps_error *err)
{
        size_t n_paths = e->trace->n_paths, n_awaited = e->trace->defs.processes.n + (size_t)1;
        struct worker *worker = *out = ps_memory_zeroed(n, sizeof(*worker));
        if (!worker)
                return PS_NOMEM(err, "threads", n);
        worker->waiting = ps_memory_zeroed(n * (n_paths + n_awaited), sizeof(*worker->waiting));
        if (e->clocks_differ)
                worker->doubt = ps_memory_zeroed(n * n_awaited, sizeof(*worker->doubt));
        const ps_tally_hints hints = ps_tally_hints_for(n_paths);
        worker->hints.row = ps_memory_zeroed((size_t)n * hints.n, sizeof(*hints.row));
        if (!worker->waiting || !worker->hints.row || (e->clocks_differ && !worker->doubt))
                return PS_NOMEM(err, "threads", n);
        for (unsigned i = 0; i < n; i++) {
                worker[i].waiting = worker->waiting + i * (n_paths + n_awaited);
                worker[i].awaited = worker[i].waiting + n_paths;
                worker[i].doubt = worker->doubt ? worker->doubt + i * n_awaited : NULL;
                worker[i].hints = (ps_tally_hints){worker->hints.row + (size_t)i * hints.n, hints.n,
                                                   hints.n_patterns, 0};
                worker[i].rendezvous_min = UINT64_MAX;
        }
        return PS_OK;
}

void ps_walk_free_workers(struct worker *worker)
{
        if (!worker)
                return;
        free(worker->waiting);
        free(worker->hints.row);
        free(worker->doubt);
        free(worker);
}

ps_status ps_walk_tables(struct engine *e, ps_error *err)
{
        uint32_t n_locs = e->trace->n_locs;
        const ps_analysis_options *options = e->options;
        e->n_workers =
                options->sink && !options->sink_is_shared ? 1 : ps_parallel_threads(options->n_threads);
        e->moves = ps_memory_zeroed(n_locs + (size_t)1, sizeof(*e->moves));
        e->local = ps_memory_zeroed(n_locs, sizeof(*e->local));
        if (!e->local || !e->moves)
                return PS_NOMEM(err, "locations", n_locs);
        PS_TRY(ps_walk_new_workers(&e->worker, e, e->n_workers, err));
        return ps_times_of_paths(&e->kind_of_path, e->trace, err);
}

/* By one process, which has all rows. */
static ps_status prepare_all(struct engine *e, ps_error *err)
{
        const ps_trace *trace = e->trace;
        PS_TRY(ps_prepare(&e->prepared, trace, e->timing, err));
        PS_TRY(ps_releases_new(&e->releases, trace, e->timing, err));
        return ps_coll_sums_new(&e->colls, trace, e->timing, e->options->n_threads, err);
}

/* What all locations are asked with. */
static ps_status prepare_walk(struct engine *e, ps_analysis *a, ps_error *err)
{
        const ps_trace *trace = e->trace;
        ps_status status = ps_walk_tables(e, err);
        a->moves = e->moves;
        PS_TRY(status);
        if (e->options->definitions != PS_DEFINITIONS_SCALASCA)
                PS_TRY(ps_apart_find_all(&a->apart, trace, e->timing, err));
        e->apart = a->apart;
        e->others = ps_spread_walk_to(e);
        if (!e->others)
                PS_TRY(prepare_all(e, err));
        PS_TRY(ps_walk_find_inner(e, err));
        if (e->rules.n_roots[PS_ON_MASTER] && (e->options->has_master || !e->others))
                PS_TRY(ps_walk_find_master(e, err));
        if (trace->defs.is_dvm)
                PS_TRY(ps_walk_find_purposes(e, err));
        ps_walk_find_plain(e);
        return PS_OK;
}

/* Who wants all instances in one order has one thread walk. */
static ps_status walk_locations(struct engine *e, ps_analysis *a, ps_error *err)
{
        PS_TRY(prepare_walk(e, a, err));
        PS_TRY(e->others ? ps_spread_walk(e, err) : ps_walk_all(e, err));
        if (!e->others)
                PS_TRY(ps_walk_gather_sites(e, err));
        if (e->master != PS_NONE)
                PS_TRY(ps_walk_master(e, err));
        if (e->sites)
                PS_TRY(ps_walk_sites(e, a, err));
        if (e->rules.n_roots[PS_ON_REGION])
                PS_TRY(ps_walk_regions(e, err));
        if (e->trace->defs.is_dvm)
                PS_TRY(ps_walk_copies(e, err));
        return gather_findings(a, e, err);
}

ps_time ps_analysis_epsilon(const ps_trace *trace)
{
        ps_time epsilon = 1000 * PS_PS_PER_NS;
        if (trace->defs.resolution_hz)
                epsilon = later(epsilon, 2 * (PS_PS_PER_S / (ps_time)trace->defs.resolution_hz));
        return epsilon;
}

/* Waiting counts as waiting also where its pattern was not asked for. */
static ps_status account_for_all(ps_analysis *a, const ps_trace *trace, const ps_timing *timing,
                                 const ps_analysis_options *options, ps_error *err)
{
        ps_analysis_options every = *options;
        ps_analysis *all;
        if ((options->sink && !options->sink_is_shared) || !memchr(options->off, 1, sizeof(options->off)))
                return PS_OK;
        every.sink = NULL;
        every.colls = NULL;
        memset(every.off, 0, sizeof(every.off));
        PS_TRY(ps_analyse(&all, trace, timing, &every, err));
        ps_time_moves *moves = a->moves;
        ps_time *waiting = a->waiting, *awaited = a->awaited;
        a->moves = all->moves;
        a->waiting = all->waiting;
        a->awaited = all->awaited;
        all->moves = moves;
        all->waiting = waiting;
        all->awaited = awaited;
        ps_analysis_free(all);
        return PS_OK;
}

void ps_walk_begin(struct engine *e, const ps_trace *trace, const ps_timing *timing,
                   const ps_analysis_options *options)
{
        ps_time epsilon = options->definitions == PS_DEFINITIONS_SCALASCA ? 0 : ps_analysis_epsilon(trace);
        *e = (struct engine){.trace = trace, .timing = timing, .options = options, .master = PS_NONE};
        e->clocks_differ = timing == &trace->measured && trace->clock.trust != PS_CLOCK_EXACT;
        e->leaves_doubtful = options->epsilon < 0 && options->definitions != PS_DEFINITIONS_SCALASCA;
        e->notes_hidden = e->leaves_doubtful && e->clocks_differ;
        e->least_tolerance = epsilon;
        e->tolerance = e->clocks_differ ? later(epsilon, ps_walk_sane(trace->clock.likely)) : epsilon;
        e->eager_bytes = options->eager_bytes ? options->eager_bytes : PS_EAGER_DEFAULT;
        ps_rules_make(&e->rules, options, options->epsilon >= 0 ? options->epsilon : epsilon);
        choose_acts(e);
        e->is_whole = ps_trace_is_whole(trace);
}

void ps_walk_end(struct engine *e)
{
        for (ps_loc l = 0; e->local && l < e->trace->n_locs; l++)
                ps_tally_map_free(&e->local[l].findings);
        free(e->local);
        ps_walk_free_sites(e);
        free(e->inner);
        free(e->is_pgas);
        free(e->kind_of_path);
        free(e->purpose);
        ps_walk_free_workers(e->worker);
        ps_coll_sums_free(e->colls);
        ps_prepared_free(e->prepared);
        ps_releases_free(e->releases);
        if (e->kept)
                e->keeper->drop(e->kept);
}

ps_status ps_analyse(ps_analysis **out, const ps_trace *trace, const ps_timing *timing,
                     const ps_analysis_options *options, ps_error *err)
{
        *out = NULL;
        PS_TRY(ps_focus_check_sums(timing, ps_focus_n_told(trace, timing), err));
        struct engine e;
        ps_analysis *a = calloc(1, sizeof(*a));
        if (!a)
                return PS_NOMEM(err, "analysis", 1);
        ps_walk_begin(&e, trace, timing, options);
        a->definitions = options->definitions;
        a->epsilon = e.rules.epsilon;
        a->n_locs = trace->n_locs;
        a->rendezvous_min = UINT64_MAX;
        ps_status status = walk_locations(&e, a, err);
        PS_THEN(status, ps_walk_progress(&e, 0, 0, err)); /* the last one may have been another thread */
        PS_THEN(status, account_for_all(a, trace, timing, options, err));
        if (options->colls && e.colls) {
                *options->colls = e.colls;
                e.colls = NULL;
        }
        ps_walk_end(&e);
        ps_blocks_give_back();
        if (status != PS_OK)
                ps_analysis_free(a);
        else
                *out = a;
        return status;
}

void ps_analysis_free(ps_analysis *a)
{
        if (!a)
                return;
        free(a->findings);
        free(a->places);
        free(a->moves);
        free(a->waiting);
        free(a->awaited);
        free(a->apart);
        free(a);
}
