/* loaded_check.c - is a loaded trace consistent: does every index lead somewhere, do sums add up, and can it
 * be profiled and replayed? */
#include "core/model/pieces.h"
#include "core/sums/profile.h"
#include "simulator/replay/replay.h"

#include "tests/support/damage.h"
#include "tests/support/loaded.h"
#include "tests/support/unchanged.h"

#include <math.h>
#include <stdlib.h>

static void must(int ok, const char *what, ps_loc loc, ps_op op)
{
        if (!ok)
                ps_test_die("inconsistent trace: %s, location=%u, operation=%u", what, loc, op);
}

static void check_link(const ps_trace *trace, ps_loc loc, ps_op i)
{
        const ps_ops *ops = &trace->ops[loc];
        ps_class cls = ps_kinds[ops->kind[i]].cls;
        if (cls == PS_C_COMPLETE) {
                const uint32_t most = ops->flags[i] & PS_OP_IN_A_ROW ? ops->n : ops->n_completed;
                must(ps_op_tag(ops, i) == 0 ||
                             (ops->link[i] <= most && ps_op_tag(ops, i) <= most - ops->link[i]),
                     "completed", loc, i);
                for (uint32_t k = 0; k < ps_op_tag(ops, i); k++)
                        must(ops->done[ps_op_completed(ops, i, k)] != PS_NONE, "completed row", loc, i);
        }
        if (!(ops->flags[i] & PS_OP_MATCHED))
                return;
        if (cls == PS_C_COLL) {
                const ps_member *m = &trace->members[ops->link[i]];
                must(ops->link[i] < trace->n_members && m->ref.loc == loc && m->ref.op == i, "member", loc,
                     i);
                return;
        }
        must(cls == PS_C_SEND || cls == PS_C_RECV, "matched class", loc, i);
        must(ps_op_peer(ops, i) < trace->n_locs && ops->link[i] < trace->ops[ps_op_peer(ops, i)].n, "partner",
             loc, i);
        const ps_ops *other = &trace->ops[ps_op_peer(ops, i)];
        must(ps_op_peer(other, ops->link[i]) == loc && other->link[ops->link[i]] == i, "partner's partner",
             loc, i);
        must(ps_kinds[other->kind[ops->link[i]]].cls == (cls == PS_C_SEND ? PS_C_RECV : PS_C_SEND),
             "partner's class", loc, i);
}

/* Roots are processes; on a team they are locations. */
static uint32_t n_roots(const ps_trace *trace, const ps_ops *ops, ps_op i)
{
        int team = !(ps_kinds[ops->kind[i]].traits & PS_T_RMA) && ps_op_comm(ops, i) < trace->defs.comms.n &&
                   trace->defs.comms.row[ps_op_comm(ops, i)].team;
        return team ? trace->n_locs : trace->defs.processes.n;
}

static void check_op(const ps_trace *trace, ps_loc loc, ps_op i)
{
        const ps_ops *ops = &trace->ops[loc];
        ps_class cls = ps_kinds[ops->kind[i]].cls;
        must(ops->kind[i] < PS_K_COUNT && ps_op_path(ops, i) < trace->n_paths, "kind or path", loc, i);
        must(trace->measured.enter[loc][i] <= trace->measured.leave[loc][i], "times", loc, i);
        if (cls == PS_C_COLL)
                must(ps_op_peer(ops, i) == PS_NONE || ps_op_peer(ops, i) < n_roots(trace, ops, i), "root",
                     loc, i);
        else if (cls != PS_C_TASK)
                must(ps_op_peer(ops, i) == PS_NONE || ps_op_peer(ops, i) < trace->n_locs, "peer", loc, i);
        must(ops->done[i] == PS_NONE || ops->done[i] < ops->n, "completion", loc, i);
        check_link(trace, loc, i);
        ps_ref ref = {loc, i};
        ps_time begin = ps_op_record_begin(trace, &trace->measured, ref);
        ps_time end = ps_op_record_end(trace, &trace->measured, ref);
        must(begin >= trace->measured.enter[loc][i], "record's begin", loc, i);
        must(end <= trace->measured.duration || trace->clock.repaired || trace->clock.corrected,
             "record's end", loc, i);
}

static void check_location(const ps_trace *trace, ps_loc loc)
{
        const ps_location_info *info = &trace->info[loc];
        ps_time exclusive = 0;
        for (ps_op i = 0; i < trace->ops[loc].n; i++)
                check_op(trace, loc, i);
        for (uint32_t i = 0; i < info->n_uses; i++) {
                must(info->uses[i].path < trace->n_paths, "use", loc, i);
                must(info->uses[i].exclusive >= 0 && info->uses[i].inclusive >= 0, "time of a path", loc, i);
                exclusive += info->uses[i].exclusive;
        }
        must(info->off >= 0 && (!info->n_events || info->first <= info->last), "limits", loc, 0);
        must(!info->n_events || exclusive + info->off <= info->last - info->first || trace->clock.repaired,
             "time charged twice", loc, 0);
}

/* Whatever the times: states fill the run, pairs hold the messages, and nothing stays under way. */
static void check_profile(const ps_trace *trace)
{
        ps_profile *p;
        uint64_t n = 0;
        must(ps_profile_make(&p, trace, &trace->measured, 10, NULL) == PS_OK, "profile", 0, 0);
        for (uint32_t i = 0; i < p->n_rows; i++) {
                const ps_time *state = p->rows[i].state;
                for (int k = 0; k < PS_STATE_COUNT; k++)
                        must(state[k] >= 0 && state[k] <= p->duration, "state", p->rows[i].location, 0);
                must(state[PS_STATE_BUSY] + state[PS_STATE_OVERHEAD] == p->duration - state[PS_STATE_IDLE],
                     "states", p->rows[i].location, 0);
        }
        for (size_t i = 0; i < p->n_pairs; i++)
                n += p->pairs[i].messages;
        must(n == p->n_messages && p->messages.value <= n, "messages of the profile", 0, 0);
        ps_profile_free(p);
}

enum { N_CHANGED = 6 };

/* Nothing but time may run out. */
static void replay_changed(const ps_trace *trace, const ps_replay *replay, const ps_replay_options *options)
{
        char star[] = "star";
        ps_machine buses, network;
        const ps_machine *const machine[N_CHANGED] = {&buses, &buses, &network};
        uint8_t *paths = calloc((size_t)trace->n_paths + 1, 1);
        ps_work_edit works[3] = {{.paths = paths, .factor = 0.5},
                                 {.paths = paths, .factor = 1, .change = PS_WORK_BALANCE},
                                 {.paths = paths, .factor = 1, .change = PS_WORK_EVEN}};
        ps_scenario scenario[N_CHANGED];
        ps_replayed out[N_CHANGED];
        ps_error err = {0};
        ps_machine_init(&buses, PS_MODEL_DIMEMAS);
        buses.link = (ps_link){1e-5, 1e9};
        buses.eager_bytes = 100;
        buses.buses = 1;
        ps_machine_init(&network, PS_MODEL_TOPOLOGY);
        network.link = (ps_link){1e-5, INFINITY};
        network.link_bandwidth_bytes_per_s = 1e9;
        network.network = star;
        for (int i = 0; i < N_CHANGED; i++) {
                ps_scenario_init(&scenario[i]);
                scenario[i].machine = machine[i];
                scenario[i].no_contention = i == 1;
                scenario[i].has_eager_limit = i == 3 || i == 4;
                scenario[i].eager_limit = i == 3 ? 0 : UINT64_MAX;
                scenario[i].overlap = i == 4;
        }
        for (ps_path p = 0; p < trace->n_paths; p++)
                paths[p] = (uint8_t)(p % 4); /* whatever that means */
        scenario[5].works = works;
        scenario[5].n_works = 3;
        ps_status status = ps_replay_run(out, replay, scenario, N_CHANGED, options, &err);
        must(status == PS_OK || status == PS_E_USAGE, "replay", 0, 0);
        for (int i = 0; i < N_CHANGED && status == PS_OK; i++)
                ps_replayed_clear(&out[i]);
        free(paths);
}

/* Whatever stands in it, a trace can be replayed: as it was, on a machine, with contention, with another
 * eager limit, with other computations. Of more than 26 days a replay may say that it is too long. */
static void check_replay(const ps_trace *trace)
{
        ps_replay *replay;
        ps_replayed out;
        ps_scenario nothing;
        ps_error err = {0};
        ps_replay_options options = {.wants_timing = 1, .n_threads = 1};
        ps_scenario_init(&nothing);
        if (ps_replay_new(&replay, trace, &trace->measured, 1, &err))
                ps_test_die("%s", err.cause[0].text);
        ps_status status = ps_replay_run(&out, replay, &nothing, 1, &options, &err);
        must(status == PS_OK || trace->measured.duration > 26 * 86400 * PS_PS_PER_S, "unchanged", 0, 0);
        if (status == PS_OK) {
                unchanged_check(trace, &out);
                ps_replayed_clear(&out);
        }
        replay_changed(trace, replay, &options);
        ps_replay_free(replay);
}

/* Pieces add up to their gaps, whatever was done to the clocks. */
static void check_pieces(const ps_trace *trace, ps_loc loc)
{
        const ps_pieces *p = &trace->pieces[loc];
        must(p->end[trace->ops[loc].n] == p->n, "number of pieces", loc, 0);
        for (ps_op gap = 0; gap <= trace->ops[loc].n; gap++) {
                ps_time sum = 0;
                must(ps_pieces_first(p, gap) <= p->end[gap], "pieces", loc, gap);
                for (uint32_t i = ps_pieces_first(p, gap); i < p->end[gap]; i++) {
                        must(p->piece[i].time >= 0, "time of a piece", loc, gap);
                        must(p->piece[i].path == PS_NONE || p->piece[i].path < trace->n_paths,
                             "path of a piece", loc, gap);
                        must(p->piece[i].path != PS_NONE || !p->piece[i].begins, "visit of a piece", loc,
                             gap);
                        sum += p->piece[i].time;
                }
                must(sum == ps_gap(trace, &trace->measured, loc, gap), "sum of pieces", loc, gap);
        }
}

const struct ps_piece_options loaded_pieces = {.most = 1 << 24};

void loaded_check(const ps_trace *trace)
{
        uint64_t events = 0, ops = 0;
        for (ps_loc l = 0; l < trace->n_locs; l++) {
                check_location(trace, l);
                if (trace->pieces)
                        check_pieces(trace, l);
                events += trace->info[l].n_events;
                ops += trace->ops[l].n;
        }
        must(events == trace->n_events && ops == trace->n_operations, "numbers", 0, 0);
        for (uint32_t i = 1; i < trace->n_paths; i++)
                must(trace->paths[i].parent < i && (trace->paths[i].region == PS_NONE ||
                                                    trace->paths[i].region < trace->defs.regions.n),
                     "path", 0, i);
        for (uint32_t i = 0; i < trace->n_colls; i++) {
                const ps_coll *c = &trace->colls[i];
                must(c->n && c->first + c->n <= trace->n_members && c->comm < trace->defs.comms.n,
                     "collective", 0, i);
                must(c->root == PS_NONE || (c->root >= c->first && c->root < c->first + c->n), "root", 0, i);
        }
        check_profile(trace);
        check_replay(trace);
}

ps_trace *loaded_hostile(const char *path, unsigned n_threads)
{
        ps_load_options options = {
                .n_threads = n_threads, .upc_flags = PS_UPC_FLAGS_NEW, .pieces = &loaded_pieces};
        ps_error err = {0};
        ps_trace *trace;
        ps_status status = ps_trace_load(&trace, path, &options, &err);
        if (status == PS_OK) {
                loaded_check(trace);
                return trace;
        }
        if (status != PS_E_INPUT || !err.n_causes || !err.cause[0].text[0])
                ps_test_die("status %d: %s", status, err.n_causes ? err.cause[0].text : "no reason");
        return NULL;
}
