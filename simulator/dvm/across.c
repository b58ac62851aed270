/* across.c - loops whose iterations need what others have computed: a wave goes over the processors.
 *
 * The undistributed dimension with most iterations is cut into S stages. In each, a processor waits for the
 * edges of the stage from those before it, calculates its part, and hands its own edges on, one message after
 * the other; it is busy until they are there:
 *
 *   C(p, s) = max(C(p, s - 1), arrival of the edges of stage s) + w(p) / S + sum of (TS + TB * bytes / S)
 *
 * With w alike everywhere and one message each, on P processors in a row it takes
 *
 *   T(S) = (P + S - 2) * (w / S + TS + TB * bytes / S) + w / S,
 *
 * because the last one sends nothing. That is least at S = sqrt(((P - 2) * (w + TB * bytes) + w) / TS), the
 * number of stages where the program leaves it open. */
#include "simulator/dvm/record.h"
#include "simulator/dvm/state.h"
#include "simulator/dvm/time.h"

#include <math.h>
#include <stdlib.h>

enum { STAGES_MAX = 1024 };

/* One edge handed on, from place to place of the loop's system. */
struct pass {
        uint32_t from, to;
        const ps_transfer *transfer;
        ps_time cost[2];       /* of a stage's part of it; [1]: of a stage with a byte more */
        ps_time sent, arrival; /* of the stage at hand */
};

/* Numbers sorted by a key: those of key k are item[start[k]] .. item[start[k + 1] - 1]. */
struct sorted {
        uint32_t *start, *item;
};

struct wave {
        struct ps_dvm_sim *sim;
        const struct ps_dvm_loop_state *loop;
        uint32_t n;         /* places */
        ps_time *own;       /* [place]: its work */
        uint32_t *place_of; /* [processor of the grid]; PS_NONE: not in the loop's system */
        struct pass *pass;
        uint32_t n_passes;
        struct sorted order;   /* places, by their steps */
        struct sorted out, in; /* passes, by the place that they leave, or reach */
        int64_t stages;
};

static ps_time own_time(const struct wave *w, uint32_t place)
{
        const struct ps_dvm_loop_state *loop = w->loop;
        uint32_t p = loop->layout->system->processor[place];
        return ps_dvm_part(ps_dvm_scale(w->sim, p, w->sim->call->call_time), loop->counts[place],
                           loop->iterations);
}

/* -- who waits for whom -- */

static void coordinates(const ps_dvm_system *s, uint32_t place, uint32_t *coord)
{
        for (uint32_t v = s->rank; v-- > 0; place /= s->size[v])
                coord[v] = place % s->size[v];
}

/* Iterations are run in the order of their positions: only what goes that way on all axes is waited for. */
static bool goes_ahead(const struct wave *w, uint32_t from, uint32_t to)
{
        const ps_dvm_layout *layout = w->loop->layout;
        uint32_t a[PS_DVM_RANK_MAX], b[PS_DVM_RANK_MAX];
        coordinates(layout->system, from, a);
        coordinates(layout->system, to, b);
        for (uint32_t v = 0; v < layout->system->rank; v++) {
                const ps_dvm_cut *cut = &layout->cut[v];
                if (a[v] != b[v] && (cut->dim == PS_NONE || (b[v] > a[v] ? 1 : -1) != cut->direction))
                        return false;
        }
        return true;
}

static ps_status gather_wave(struct wave *w, uint32_t group, bool writes, ps_error *err)
{
        struct ps_dvm_sim *sim = w->sim;
        PS_TRY(ps_dvm_gather_shadows(sim, group, err));
        for (size_t i = 0; writes && i < sim->moves.n; i++) {
                ps_transfer *t = &sim->moves.row[i];
                *t = (ps_transfer){t->destination, t->source, t->bytes};
        }
        sim->moves.n = ps_transfers_merge(sim->moves.row, sim->moves.n);
        w->pass = calloc(sim->moves.n + 1, sizeof(*w->pass));
        if (!w->pass)
                return PS_NOMEM(err, "transfers", sim->moves.n);
        for (size_t i = 0; i < sim->moves.n; i++) {
                const ps_transfer *t = &sim->moves.row[i];
                uint32_t from = w->place_of[t->source], to = w->place_of[t->destination];
                if (from != PS_NONE && to != PS_NONE && w->loop->counts[from] && w->loop->counts[to] &&
                    goes_ahead(w, from, to))
                        w->pass[w->n_passes++] = (struct pass){.from = from, .to = to, .transfer = t};
        }
        return PS_OK;
}

/* How many steps ahead of the first corner a place is; passes only lead to larger numbers. */
static uint32_t stage_of(const struct wave *w, uint32_t place)
{
        const ps_dvm_layout *layout = w->loop->layout;
        uint32_t coord[PS_DVM_RANK_MAX], step = 0;
        coordinates(layout->system, place, coord);
        for (uint32_t v = 0; v < layout->system->rank; v++)
                step += layout->cut[v].direction > 0 ? coord[v] : layout->system->size[v] - 1 - coord[v];
        return step;
}

static ps_status sort_by(struct sorted *out, const uint32_t *key, uint32_t n, uint32_t n_keys, ps_error *err)
{
        out->start = calloc((size_t)n_keys + 2, sizeof(*out->start));
        out->item = calloc((size_t)n + 1, sizeof(*out->item));
        if (!out->start || !out->item)
                return PS_NOMEM(err, "transfers", n);
        uint32_t *next = out->start + 1; /* where the next of each key goes; in the end, where the keys end */
        for (uint32_t i = 0; i < n; i++)
                if (key[i] + 1 < n_keys)
                        next[key[i] + 1]++;
        for (uint32_t k = 1; k < n_keys; k++)
                next[k] += next[k - 1];
        for (uint32_t i = 0; i < n; i++)
                out->item[next[key[i]]++] = i;
        return PS_OK;
}

static ps_status put_in_order(struct wave *w, ps_error *err)
{
        const ps_dvm_system *s = w->loop->layout->system;
        uint32_t n_steps = 1, n = w->n > w->n_passes ? w->n : w->n_passes;
        uint32_t *key = calloc((size_t)n + 1, sizeof(*key));
        if (!key)
                return PS_NOMEM(err, "processors", n);
        for (uint32_t v = 0; v < s->rank; v++)
                n_steps += s->size[v] - 1;
        for (uint32_t i = 0; i < w->n; i++)
                key[i] = stage_of(w, i);
        ps_status status = sort_by(&w->order, key, w->n, n_steps, err);
        for (uint32_t i = 0; i < w->n_passes; i++)
                key[i] = w->pass[i].from;
        PS_THEN(status, sort_by(&w->out, key, w->n_passes, w->n, err));
        for (uint32_t i = 0; i < w->n_passes; i++)
                key[i] = w->pass[i].to;
        PS_THEN(status, sort_by(&w->in, key, w->n_passes, w->n, err));
        free(key);
        return status;
}

/* -- in how many stages -- */

/* Iterations of the dimension that has most of those that no two processors share. */
static int64_t most_stages(const struct wave *w)
{
        const ps_dvm_layout *layout = w->loop->layout;
        int64_t most = 1;
        for (uint32_t d = 0; d < layout->rank; d++) {
                uint32_t v = layout->axis_of[d];
                if ((v == PS_NONE || layout->system->size[v] == 1) && layout->count[d] > most)
                        most = layout->count[d];
        }
        return most < STAGES_MAX ? most : STAGES_MAX;
}

/* Processors in a row, at most. */
static uint32_t longest_row(const struct wave *w)
{
        uint32_t *row = calloc((size_t)w->n + 1, sizeof(*row)), longest = 1;
        for (uint32_t k = 0; row && k < w->n; k++) {
                uint32_t i = w->order.item[k];
                for (uint32_t j = w->in.start[i]; j < w->in.start[i + 1]; j++) {
                        uint32_t before = row[w->pass[w->in.item[j]].from] + 1;
                        row[i] = before > row[i] ? before : row[i];
                }
                longest = row[i] + 1 > longest ? row[i] + 1 : longest;
        }
        free(row);
        return longest;
}

static int64_t best_stages(const struct wave *w)
{
        const ps_machine *machine = w->sim->machine;
        double work = 0, start = 0, data = 0, row = longest_row(w), most = (double)most_stages(w);
        for (uint32_t i = 0; i < w->n; i++)
                work = fmax(work, (double)w->own[i]);
        for (uint32_t i = 0; i < w->n_passes; i++) {
                const ps_transfer *t = w->pass[i].transfer;
                double empty = (double)ps_machine_p2p(machine, t->source, t->destination, 0);
                start = fmax(start, empty);
                data = fmax(data,
                            (double)ps_machine_p2p(machine, t->source, t->destination, t->bytes) - empty);
        }
        double shared = (row - 2) * (work + data) + work, best = floor(sqrt(shared / start));
        if (!(best < most)) /* also when messages cost nothing */
                return (int64_t)most;
        if (best < 1)
                return 1;
        /* T(S) but for what does not depend on S. */
        double here = shared / best + best * start, next = shared / (best + 1) + (best + 1) * start;
        return (int64_t)(next < here ? best + 1 : best);
}

static int64_t choose_stages(const struct wave *w, double told)
{
        int64_t most = most_stages(w);
        if (!(told > 0))
                return best_stages(w);
        return told < 2 ? 1 : told < (double)most ? (int64_t)told : most;
}

/* -- the wave -- */

/* Until the edges of the stage are there; *sync: until the last of them was sent. */
static ps_time await(const struct wave *w, uint32_t place, ps_time now, ps_time *sync)
{
        ps_time until = now;
        *sync = 0;
        for (uint32_t j = w->in.start[place]; j < w->in.start[place + 1]; j++) {
                const struct pass *pass = &w->pass[w->in.item[j]];
                if (pass->arrival <= until)
                        continue;
                until = pass->arrival;
                *sync = pass->sent > now ? pass->sent - now : 0;
        }
        return until;
}

/* What stage s has of `all`: what is left over goes to the first stages. */
static uint64_t share_of_stage(const struct wave *w, uint64_t all, int64_t s)
{
        uint64_t n = (uint64_t)w->stages;
        return all / n + ((uint64_t)s < all % n);
}

static void find_costs(const struct wave *w)
{
        for (uint32_t i = 0; i < w->n_passes; i++) {
                struct pass *pass = &w->pass[i];
                const ps_transfer *t = pass->transfer;
                uint64_t least = t->bytes / (uint64_t)w->stages;
                for (uint64_t more = 0; more < 2; more++)
                        pass->cost[more] =
                                ps_machine_p2p(w->sim->machine, t->source, t->destination, least + more);
        }
}

static ps_time hand_on(const struct wave *w, uint32_t place, int64_t s, ps_time now)
{
        for (uint32_t j = w->out.start[place]; j < w->out.start[place + 1]; j++) {
                struct pass *pass = &w->pass[w->out.item[j]];
                const ps_transfer *t = pass->transfer;
                pass->sent = now;
                now = ps_time_add(now, pass->cost[(uint64_t)s < t->bytes % (uint64_t)w->stages]);
                pass->arrival = now;
                ps_dvm_record_pass(w->sim, t->source, t->destination, share_of_stage(w, t->bytes, s),
                                   pass->sent, now);
        }
        return now;
}

static void record_taken(const struct wave *w, uint32_t place, int64_t s, ps_time from)
{
        uint32_t p = w->loop->layout->system->processor[place];
        for (uint32_t j = w->in.start[place]; j < w->in.start[place + 1]; j++) {
                const struct pass *pass = &w->pass[w->in.item[j]];
                ps_time until = pass->arrival > from ? pass->arrival : from;
                ps_dvm_record_take(w->sim, p, pass->transfer->source,
                                   share_of_stage(w, pass->transfer->bytes, s), from, until);
                from = until;
        }
}

static void do_stage(struct wave *w, uint32_t place, int64_t s, ps_share *share)
{
        struct ps_dvm_sim *sim = w->sim;
        uint32_t p = w->loop->layout->system->processor[place];
        ps_time *clock = &sim->clock[p], now = *clock, sync;
        ps_time until = await(w, place, now, &sync);
        record_taken(w, place, s, now);
        ps_time done = ps_time_add(until, (ps_time)share_of_stage(w, (uint64_t)w->own[place], s));
        *clock = hand_on(w, place, s, done);
        share->synchronization[PS_IC_SHADOW] = ps_time_add(share->synchronization[PS_IC_SHADOW], sync);
        share->communication[PS_IC_SHADOW] =
                ps_time_add(share->communication[PS_IC_SHADOW], ps_time_add(until - now, *clock - done));
}

static ps_status run_stages(struct wave *w, ps_error *err)
{
        struct ps_dvm_sim *sim = w->sim;
        const uint32_t *processor = w->loop->layout->system->processor;
        uint32_t copies = ps_dvm_layout_copies(w->loop->layout);
        ps_time last = 0;
        ps_share *share;
        PS_TRY(ps_dvm_shares(sim, &share, err));
        for (uint32_t i = 0; i < w->n; i++)
                ps_dvm_record_loop(sim, processor[i], copies, 1);
        for (int64_t s = 0; s < w->stages; s++)
                for (uint32_t k = 0; k < w->n; k++) {
                        uint32_t i = w->order.item[k];
                        if (w->loop->counts[i])
                                do_stage(w, i, s, &share[processor[i]]);
                }
        for (uint32_t i = 0; i < w->n; i++)
                if (w->loop->counts[i] && sim->clock[processor[i]] > last)
                        last = sim->clock[processor[i]];
        for (uint32_t i = 0; i < w->n; i++) {
                uint32_t p = processor[i];
                if (w->loop->counts[i])
                        ps_dvm_record_wave_end(sim, p);
                ps_dvm_record_loop(sim, p, copies, 0);
                if (!w->loop->counts[i])
                        continue;
                ps_dvm_add_body(&share[p], w->own[i], copies);
                share[p].variation[PS_IC_SHADOW] =
                        ps_time_add(share[p].variation[PS_IC_SHADOW], last - sim->clock[p]);
        }
        return PS_OK;
}

static void count_wave(struct wave *w)
{
        struct ps_dvm_sim *sim = w->sim;
        ps_dvm_count_operation(sim, PS_IC_SHADOW);
        sim->run->messages += (uint64_t)w->n_passes * (uint64_t)w->stages;
        for (uint32_t i = 0; i < w->n_passes; i++)
                sim->run->bytes += w->pass[i].transfer->bytes;
}

static ps_status find_places(struct wave *w, ps_error *err)
{
        const ps_dvm_system *s = w->loop->layout->system;
        w->n = s->n;
        w->place_of = malloc(((size_t)w->sim->n_processors + 1) * sizeof(*w->place_of));
        w->own = calloc((size_t)w->n + 1, sizeof(*w->own));
        if (!w->place_of || !w->own)
                return PS_NOMEM(err, "processors", w->sim->n_processors);
        for (uint32_t p = 0; p < w->sim->n_processors; p++)
                w->place_of[p] = PS_NONE;
        for (uint32_t i = 0; i < s->n; i++) {
                w->place_of[s->processor[i]] = i;
                w->own[i] = own_time(w, i);
        }
        return PS_OK;
}

ps_status ps_dvm_run_wave(struct ps_dvm_sim *sim, const struct ps_dvm_loop_state *loop, bool *was_run,
                          ps_error *err)
{
        const struct ps_dvm_wave *of = loop->wave.is_on ? &loop->wave : &sim->wave;
        struct wave w = {.sim = sim, .loop = loop};
        ps_status status = find_places(&w, err);
        PS_THEN(status, gather_wave(&w, of->group, of->writes, err));
        PS_THEN(status, put_in_order(&w, err));
        *was_run = status == PS_OK && w.n_passes;
        if (*was_run) {
                w.stages = choose_stages(&w, of->stages);
                find_costs(&w);
                count_wave(&w);
                status = run_stages(&w, err);
        }
        struct sorted all[] = {w.order, w.out, w.in};
        for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
                free(all[i].start);
                free(all[i].item);
        }
        free(w.pass);
        free(w.place_of);
        free(w.own);
        return status;
}

/* -- the calls that tell of it -- */

ps_status ps_dvm_across_begin(struct ps_dvm_sim *sim, ps_error *err)
{
        const ps_dvm_across *across = sim->call->of.across;
        ps_status status = PS_OK;
        if (across->old_group != PS_NONE)
                status = ps_dvm_shadow_exchange(sim, across->old_group, err);
        if (across->new_group == PS_NONE)
                return status;
        if (sim->loop == PS_NONE)
                ps_dvm_remark(sim, PS_DVM_NOTE_UNMAPPED);
        else
                sim->loops[sim->loop].wave =
                        (struct ps_dvm_wave){1, across->writes, across->new_group, across->stages};
        return status;
}

/* A wave by hand, in one stage: what is received before a loop, and sent after it. */
ps_status ps_dvm_wave_receive(struct ps_dvm_sim *sim, ps_error *err)
{
        sim->wave = (struct ps_dvm_wave){1, 0, sim->call->object, 1};
        return ps_dvm_shadow_nothing(sim, sim->call->object, err);
}

ps_status ps_dvm_wave_send(struct ps_dvm_sim *sim, ps_error *err)
{
        sim->wave.is_on = false;
        return ps_dvm_shadow_nothing(sim, sim->call->object, err);
}
