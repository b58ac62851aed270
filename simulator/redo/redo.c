/* redo.c - deals, replays, and deals again from the first turn that was somebody else's, until there is none.
 *
 * Up to that turn nothing changes any more, because nothing that comes later reaches back; so each replay
 * settles one turn at least, and with what it tells of the pace of all workers most of those behind it. */
#include "simulator/redo/master.h"

/* Operations that are replayed, in all, and replays at least: then the order stays as it is, and is told. */
enum { ROWS_AT_MOST = 400000000, REPLAYS_AT_LEAST = 12 };

typedef struct redoing {
        const ps_master *m;
        const ps_scenario *scenario;
        unsigned n_threads;
        ps_arena *arena;
        deal deal;
        pace pace;
        uint32_t *kept_worker;
        double *kept_asked, *kept_over;
        ps_time *asked, *over; /* by position, in predicted time */
        ps_time *sent;         /* by turn: the same as `asked` */
        double slack;
        ps_redo_told *told;
} redoing;

static ps_status make_redo_room(redoing *r, ps_error *err)
{
        const ps_master *m = r->m;
        ps_arena *a = r->arena;
        r->deal.who = PS_ARENA_NEW(a, uint32_t, m->n_turns);
        r->deal.head = PS_ARENA_NEW(a, uint32_t, m->n_turns);
        r->deal.tail = PS_ARENA_NEW(a, uint32_t, m->n_turns);
        r->deal.worker_of = PS_ARENA_NEW(a, uint32_t, m->n_tasks);
        r->deal.row = PS_ARENA_NEW(a, ps_op, m->n_tasks);
        r->pace.cost = PS_ARENA_NEW(a, double, m->n_turns);
        r->pace.speed = PS_ARENA_NEW(a, double, m->n_workers);
        r->pace.first = PS_ARENA_NEW(a, double, m->n_workers);
        r->kept_worker = PS_ARENA_NEW(a, uint32_t, m->n_turns);
        r->kept_asked = PS_ARENA_NEW(a, double, m->n_turns);
        r->kept_over = PS_ARENA_NEW(a, double, m->n_turns);
        r->asked = PS_ARENA_NEW(a, ps_time, m->n_turns);
        r->over = PS_ARENA_NEW(a, ps_time, m->n_turns);
        r->sent = PS_ARENA_NEW(a, ps_time, m->n_turns);
        bool is_all = r->deal.who && r->deal.head && r->deal.tail && r->deal.worker_of && r->deal.row &&
                      r->pace.cost && r->pace.speed && r->pace.first && r->kept_worker && r->kept_asked &&
                      r->kept_over && r->asked && r->over && r->sent;
        return is_all ? PS_OK : PS_NOMEM(err, "turns of a master", m->n_turns);
}

static void find_costs(redoing *r)
{
        const ps_master *m = r->m;
        for (uint32_t t = 0; t < m->n_tasks; t++)
                for (uint32_t i = 0; i < m->tasks[t].n_turns; i++)
                        r->pace.cost[m->sequence[m->tasks[t].first_turn + i]] =
                                ps_master_cost(m, m->tasks[t].worker, ps_master_before(m, &m->tasks[t], i)) /
                                m->workers[m->worker_of[m->tasks[t].worker]].slowness;
        for (uint32_t w = 0; w < m->n_workers; w++)
                r->pace.speed[w] = 1;
}

/* As it was recorded. */
static void deal_as_recorded(redoing *r)
{
        const ps_master *m = r->m;
        for (uint32_t i = 0; i < m->n_turns; i++) {
                r->deal.who[i] = m->worker_of[m->turns[i].worker];
                r->deal.head[i] = r->deal.tail[i] = i;
        }
        for (uint32_t t = 0; t < m->n_tasks; t++)
                r->deal.worker_of[t] = m->worker_of[m->tasks[t].worker];
}

/* -- what a replay tells -- */

/* Where a row of the task is now. */
static ps_op row_now(const redoing *r, uint32_t number, ps_op row)
{
        return r->deal.row[number] + (row - r->m->tasks[number].rows.first);
}

static ps_loc location_of_worker(const redoing *r, uint32_t number)
{
        return r->m->workers[r->deal.worker_of[number]].loc;
}

/* When messages are sent, by turn, and when workers begin. */
static void read_messages(const redoing *r, const ps_timing *timing, ps_time *sent)
{
        const ps_master *m = r->m;
        for (uint32_t i = 0; i < m->n_workers; i++) {
                const worker *w = &m->workers[i];
                for (uint32_t k = 0; k < w->n_turns; k++) {
                        uint32_t at = m->sequence[w->first_turn + k];
                        sent[at] = timing->enter[w->loc][m->turns[at].sent];
                }
                if (w->n_turns)
                        r->pace.first[i] = (double)sent[m->sequence[w->first_turn]];
                else if (w->n_given)
                        r->pace.first[i] = (double)timing->leave[w->loc][w->rows_end];
        }
        for (uint32_t t = 0; t < m->n_tasks; t++)
                for (uint32_t k = 0; k < m->tasks[t].n_turns; k++) {
                        uint32_t at = m->sequence[m->tasks[t].first_turn + k];
                        sent[at] = timing->enter[location_of_worker(r, t)][row_now(r, t, m->turns[at].sent)];
                }
}

static void read_times(redoing *r, const ps_timing *timing)
{
        const ps_master *m = r->m;
        ps_op row = m->begin;
        read_messages(r, timing, r->sent);
        for (uint32_t i = 0; i < m->n_turns; i++) {
                const turn *head = &m->turns[r->deal.head[i]], *tail = &m->turns[r->deal.tail[i]];
                row += head->head.end - head->head.first + tail->tail.end - tail->tail.first;
                r->asked[i] = r->sent[r->deal.head[i]];
                r->over[i] = timing->leave[m->loc][row - 1];
        }
}

/* -- for a guess of the next one -- */

typedef struct mean {
        double sum;
        uint32_t n;
} mean;

static void add_to_mean(mean *of, double value)
{
        of->sum += value > 0 ? value : 0;
        of->n++;
}

static double value_of(const mean *of)
{
        return of->n ? of->sum / of->n : 0;
}

/* What is computed for the task's i-th message now. */
static double cost_now(const redoing *r, const ps_timing *timing, uint32_t number, uint32_t i)
{
        row_range before = ps_master_before(r->m, &r->m->tasks[number], i);
        ps_loc loc = location_of_worker(r, number);
        double sum = 0;
        for (ps_op row = before.first; row < before.end; row++) {
                ps_op now = row_now(r, number, row);
                ps_time gap = timing->enter[loc][now] - timing->leave[loc][now - 1];
                sum += gap > 0 ? (double)gap : 0;
        }
        return sum;
}

static void learn_speeds(redoing *r, const ps_timing *timing)
{
        const ps_master *m = r->m;
        mean *now = PS_ARENA_NEW(r->arena, mean, 2 * (size_t)m->n_workers), *then = now + m->n_workers;
        for (uint32_t t = 0; now && t < m->n_tasks; t++)
                for (uint32_t i = 0; i < m->tasks[t].n_turns; i++) {
                        uint32_t at = m->sequence[m->tasks[t].first_turn + i];
                        add_to_mean(&now[r->deal.worker_of[t]], cost_now(r, timing, t, i));
                        add_to_mean(&then[r->deal.worker_of[t]], r->pace.cost[at]);
                }
        for (uint32_t w = 0; now && w < m->n_workers; w++)
                if (then[w].sum > 0)
                        r->pace.speed[w] = now[w].sum / then[w].sum;
}

static void learn_turns(redoing *r, const ps_timing *timing)
{
        const ps_master *m = r->m;
        mean serve = {0}, queued = {0}, receive = {0};
        for (uint32_t i = 0; i < m->n_turns; i++) {
                ps_time before = i ? r->over[i - 1] : 0;
                uint32_t t = m->turns[r->deal.tail[i]].answer;
                if (r->asked[i] >= before)
                        add_to_mean(&serve, (double)(r->over[i] - r->asked[i]));
                else
                        add_to_mean(&queued, (double)(r->over[i] - before));
                if (t == PS_NONE || !m->tasks[t].n_turns)
                        continue;
                ps_time done = timing->leave[location_of_worker(r, t)][r->deal.row[t] - 1];
                ps_time ready = done > r->over[i] ? done : r->over[i];
                ps_time asked = r->sent[m->sequence[m->tasks[t].first_turn]];
                add_to_mean(&receive, (double)(asked - ready) - cost_now(r, timing, t, 0));
        }
        r->pace.serve = value_of(serve.n ? &serve : &queued);
        r->pace.queued = value_of(&queued);
        r->pace.receive = value_of(&receive);
}

/* -- all of it -- */

/* Up to the one at `from`, which is somebody else's. */
static bool deal_from(redoing *r, early_turn from)
{
        const ps_master *m = r->m;
        kept_turns kept = {r->kept_worker, r->kept_asked, r->kept_over, from.at + 1};
        for (uint32_t i = 0; i <= from.at; i++) {
                uint32_t at = i < from.at ? i : from.instead;
                r->kept_worker[i] = r->deal.who[at];
                r->kept_asked[i] = (double)r->asked[at];
                r->kept_over[i] = (double)r->over[i];
        }
        double busy = (from.at ? r->kept_over[from.at - 1] : 0) + r->pace.queued;
        double there = r->kept_asked[from.at] + r->pace.serve;
        r->kept_over[from.at] = busy > there ? busy : there;
        ps_arena *scratch = ps_arena_new();
        bool is_even = scratch && ps_deal(&r->deal, m, &kept, &r->pace, scratch);
        ps_arena_free(scratch);
        return is_even;
}

static ps_status replay_deal(redoing *r, ps_reordered *out, early_turn *early, ps_error *err)
{
        const ps_replay_options how = {.wants_timing = 1, .n_threads = r->n_threads};
        ps_arena *arena = ps_arena_new();
        ps_rows *rows;
        ps_replay *replay = NULL;
        ps_replayed run = {0};
        ps_status status = arena ? PS_OK : PS_NOMEM(err, "operations", 1);
        PS_THEN(status, ps_deal_rows(&rows, r->m, &r->deal, arena, err));
        PS_THEN(status, ps_rearranged_new(out, r->m->trace, rows, err));
        PS_THEN(status, ps_replay_new_reordered(&replay, out, r->n_threads, err));
        PS_THEN(status, ps_replay_run(&run, replay, r->scenario, 1, &how, err));
        *early = (early_turn){r->m->n_turns, r->m->n_turns};
        if (status == PS_OK && !run.stuck) {
                read_times(r, run.timing);
                status =
                        ps_master_early(&r->told->n_early, early, r->m, r->deal.who, r->asked, r->slack, err);
                learn_speeds(r, run.timing);
                learn_turns(r, run.timing);
        }
        r->told->n_replays++;
        r->told->length = run.focus;
        r->told->total = run.total;
        r->told->is_stuck = run.stuck;
        ps_replayed_clear(&run);
        ps_replay_free(replay);
        ps_arena_free(arena);
        return status;
}

static ps_status redo(redoing *r, ps_reordered *out, ps_error *err)
{
        const ps_trace *trace = r->m->trace;
        uint64_t n_rows = 1;
        for (ps_loc loc = 0; loc < trace->n_locs; loc++)
                n_rows += trace->ops[loc].n;
        const uint64_t most = REPLAYS_AT_LEAST + ROWS_AT_MOST / n_rows;
        early_turn early;
        PS_TRY(replay_deal(r, out, &early, err));
        while (early.at < r->m->n_turns && r->told->n_replays < most) {
                if (!deal_from(r, early)) {
                        r->told->why = "in another order some of its answers would have no receiver";
                        return PS_OK;
                }
                ps_reordered_clear(out);
                PS_TRY(replay_deal(r, out, &early, err));
        }
        return PS_OK;
}

static void tell_masters(redoing *r)
{
        const ps_master *m = r->m;
        for (uint32_t t = 0; t < m->n_tasks; t++)
                r->told->n_moved += m->workers[r->deal.worker_of[t]].loc != m->tasks[t].worker;
}

ps_status ps_redo_order(ps_reordered *rearranged, ps_redo_told *told, const ps_master *m,
                        const ps_scenario *scenario, unsigned n_threads, ps_error *err)
{
        redoing r = {.m = m, .scenario = scenario, .n_threads = n_threads, .told = told};
        *rearranged = (ps_reordered){0};
        *told = ps_master_tell(m);
        r.arena = ps_arena_new();
        r.slack = ps_master_slack(m);
        ps_status status = r.arena ? make_redo_room(&r, err) : PS_NOMEM(err, "turns of a master", 1);
        if (status == PS_OK) {
                find_costs(&r);
                deal_as_recorded(&r);
                status = redo(&r, rearranged, err);
                tell_masters(&r);
        }
        ps_arena_free(r.arena);
        return status;
}
