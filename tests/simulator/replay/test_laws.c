/* test_laws.c - what holds for every program: random ones, valid by the way they are made up. */
#include "core/base/hash.h"
#include "tests/simulator/replay/programs.h"
#include "tests/support/loaded.h"
#include "tests/support/machines.h"
#include "tests/support/sanitized.h"
#include "tests/support/test.h"

#include <stdlib.h>
#include <string.h>

enum { RANKS = 6, STEPS = 60, PROGRAMS = SANITIZED ? 10 : 40 };

#define US LAB_US

/* -- random programs: one step after the other, of which both sides know -- */

typedef struct draw {
        uint64_t seed;
} draw;

static uint32_t below(draw *d, uint32_t n)
{
        d->seed = ps_hash_mix(d->seed + UINT64_C(0x9e3779b97f4a7c15));
        return (uint32_t)(d->seed % n);
}

static void compute_all(replay_lab *lab, draw *d, ps_time scale)
{
        for (uint32_t r = 0; r < RANKS; r++)
                rank_compute(lab, r, (ps_time)below(d, 100) * scale);
}

static void message_step(replay_lab *lab, draw *d)
{
        static const uint8_t kinds[] = {PS_K_SEND, PS_K_SSEND, PS_K_BSEND};
        uint32_t from = below(d, RANKS), to = (from + 1 + below(d, RANKS - 1)) % RANKS;
        uint64_t bytes = below(d, 3000);
        uint32_t tag = below(d, 3);
        switch (below(d, 3)) {
        case 0:
                rank_send(lab, from, (ps_kind)kinds[below(d, 3)], to, tag, bytes);
                rank_recv(lab, to, from, tag, bytes);
                break;
        case 1: {
                uint64_t send = rank_isend(lab, from, PS_K_ISEND, to, tag, bytes);
                rank_recv(lab, to, from, tag, bytes);
                rank_compute(lab, from, US);
                rank_wait(lab, from, send);
                break;
        }
        default: {
                uint64_t recv = rank_irecv(lab, to, from, tag, bytes);
                rank_send(lab, from, PS_K_SEND, to, tag, bytes);
                rank_compute(lab, to, 3 * US);
                rank_wait(lab, to, recv);
        }
        }
}

static ps_trace *random_trace(uint64_t seed, ps_time scale)
{
        static const uint8_t kinds[] = {PS_K_ALLREDUCE, PS_K_BCAST, PS_K_REDUCE, PS_K_BARRIER, PS_K_SCAN};
        draw d = {seed};
        replay_lab *lab = replay_lab_new(RANKS);
        for (uint32_t i = 0; i < STEPS; i++) {
                compute_all(lab, &d, scale);
                if (below(&d, 6)) {
                        message_step(lab, &d);
                        continue;
                }
                ps_kind kind = (ps_kind)kinds[below(&d, 5)];
                int has_root = kind == PS_K_BCAST || kind == PS_K_REDUCE;
                uint32_t root = has_root ? below(&d, RANKS) : PS_NONE, bytes = below(&d, 2000);
                for (uint32_t r = 0; r < RANKS; r++) {
                        rank_calls_take(lab, r, 100 * LAB_MS); /* nobody leaves before the others have come */
                        rank_coll(lab, r, kind, 0, root, kind == PS_K_BARRIER ? 0 : bytes);
                        rank_calls_take(lab, r, 0);
                }
        }
        return replay_lab_trace(lab);
}

static ps_machine machine_with(double latency_s, double bandwidth, uint64_t eager)
{
        ps_machine m;
        ps_machine_init(&m, PS_MODEL_HOCKNEY);
        m.link = (ps_link){latency_s, bandwidth};
        m.eager_bytes = eager;
        return m;
}

static ps_replayed run(const ps_trace *trace, const ps_timing *timing, const ps_scenario *scenario,
                       ps_replay_options options)
{
        ps_replay *replay;
        ps_replayed out;
        ps_error err = {0};
        options.wants_timing = 1;
        assert_int_equal(ps_replay_new(&replay, trace, timing, 1, &err), PS_OK);
        assert_int_equal(ps_replay_run(&out, replay, scenario, 1, &options, &err), PS_OK);
        assert_false(out.stuck);
        ps_replay_free(replay);
        return out;
}

static void expect_same(const ps_trace *trace, const ps_timing *a, const ps_timing *b)
{
        for (ps_loc l = 0; l < trace->n_locs; l++) {
                size_t bytes = trace->ops[l].n * sizeof(ps_time);
                assert_memory_equal(a->enter[l], b->enter[l], bytes);
                assert_memory_equal(a->leave[l], b->leave[l], bytes);
        }
}

/* -- laws -- */

/* What a machine made of it, taken for a recording, comes out of the same machine again, and out of none. */
TEST(a_prediction_replays_as_itself)
{
        const ps_replay_options usual = {.n_threads = 1};
        for (uint64_t seed = 1; seed <= PROGRAMS; seed++) {
                ps_trace *trace = random_trace(seed, US);
                ps_machine m = machine_with(7e-6, 1e9, 1000);
                ps_scenario on, as_is;
                ps_scenario_init(&on);
                ps_scenario_init(&as_is);
                on.machine = &m;
                ps_replayed first = run(trace, &trace->measured, &on, usual);
                for (ps_loc l = 0; l < trace->n_locs; l++)
                        trace->info[l].last = first.end[l];
                ps_replayed again = run(trace, first.timing, &on, usual);
                ps_replayed recorded = run(trace, first.timing, &as_is, usual);
                assert_int_equal(again.total, first.total);
                assert_int_equal(recorded.total, first.total);
                expect_same(trace, again.timing, first.timing);
                expect_same(trace, recorded.timing, first.timing);
                ps_replayed_clear(&first);
                ps_replayed_clear(&again);
                ps_replayed_clear(&recorded);
                ps_trace_close(trace);
        }
}

/* Each rank comes to Init, to a Comm_dup and to Finalize at another time, and stays there for another one, or
 * leaves with the last; these keep what they took on any machine. */
static ps_trace *kept_trace(uint64_t seed)
{
        static const uint8_t kinds[] = {PS_K_INIT, PS_K_COMM_MANAGE, PS_K_COMM_MANAGE, PS_K_FINALIZE};
        draw d = {seed};
        replay_lab *lab = replay_lab_new(RANKS);
        for (uint32_t i = 0; i < 4; i++) {
                compute_all(lab, &d, US);
                for (uint32_t r = 0; r < RANKS; r++) {
                        rank_calls_take(lab, r, (ps_time)(1 + below(&d, 200)) * US);
                        rank_coll(lab, r, (ps_kind)kinds[i], 0, PS_NONE, 0);
                        rank_calls_take(lab, r, (ps_time)below(&d, 5) * US);
                }
                for (uint32_t k = 0; k < 20; k++)
                        message_step(lab, &d);
        }
        return replay_lab_trace(lab);
}

TEST(machines_need_nothing_of_what_messages_show)
{
        const ps_replay_options options = {.n_threads = 1, .wants_timing = 1};
        for (uint64_t seed = 1; seed <= PROGRAMS; seed++) {
                ps_trace *trace = seed % 2 ? kept_trace(seed) : random_trace(seed, US);
                ps_machine m = machine_with(7e-6, 1e9, 1000);
                ps_scenario on;
                ps_replay *replay;
                ps_replayed out;
                ps_error err = {0};
                ps_scenario_init(&on);
                on.machine = &m;
                ps_replayed all = run(trace, &trace->measured, &on, options);
                assert_int_equal(ps_replay_new_for_machines(&replay, trace, &trace->measured, 1, &err),
                                 PS_OK);
                assert_int_equal(ps_replay_run(&out, replay, &on, 1, &options, &err), PS_OK);
                assert_int_equal(out.total, all.total);
                expect_same(trace, out.timing, all.timing);
                ps_replayed_clear(&out);
                ps_replayed_clear(&all);
                ps_replay_free(replay);
                ps_trace_close(trace);
        }
}

TEST(the_order_of_turns_changes_nothing)
{
        for (uint64_t seed = 1; seed <= PROGRAMS; seed++) {
                ps_trace *trace = random_trace(seed, US);
                ps_machine m = machine_with(7e-6, 1e9, 1000);
                ps_scenario s;
                ps_scenario_init(&s);
                s.machine = &m;
                ps_replayed plain = run(trace, &trace->measured, &s, (ps_replay_options){.n_threads = 1});
                for (uint64_t shuffle = 1; shuffle <= 5; shuffle++) {
                        ps_replayed other = run(trace, &trace->measured, &s,
                                                (ps_replay_options){.n_threads = 1, .shuffle = shuffle});
                        expect_same(trace, plain.timing, other.timing);
                        ps_replayed_clear(&other);
                }
                ps_replayed_clear(&plain);
                ps_trace_close(trace);
        }
}

enum { MANY = 26 };

/* Scenarios of all sorts, in passes of one and of many, as wide as there are, on one thread and two. */
TEST(lanes_and_threads_change_nothing)
{
        static const uint32_t numbers[] = {11, 18, MANY};
        for (uint64_t seed = 1; seed <= 10; seed++) {
                const uint32_t n = numbers[seed % 3];
                ps_trace *trace = random_trace(seed, US);
                ps_machine m[MANY];
                ps_scenario s[MANY];
                ps_replayed alone[MANY], together[MANY];
                ps_replay *replay;
                ps_replay_options one = {.wants_timing = 1, .n_threads = 1, .lanes = 1};
                ps_replay_options many = {.wants_timing = 1, .n_threads = 1 + (unsigned)(seed % 2)};
                for (uint32_t i = 0; i < n; i++) {
                        m[i] = machine_with(1e-6 * (i + 1), 1e9 / (1 + i % 3), i % 4 ? 1000 : 500);
                        ps_scenario_init(&s[i]);
                        s[i].machine = i % 5 ? &m[i] : NULL;
                        s[i].latency = 1 + i / 2;
                }
                assert_int_equal(ps_replay_new(&replay, trace, &trace->measured, 2, NULL), PS_OK);
                assert_int_equal(ps_replay_run(alone, replay, s, n, &one, NULL), PS_OK);
                assert_int_equal(ps_replay_run(together, replay, s, n, &many, NULL), PS_OK);
                for (uint32_t i = 0; i < n; i++) {
                        assert_int_equal(alone[i].total, together[i].total);
                        expect_same(trace, alone[i].timing, together[i].timing);
                        ps_replayed_clear(&alone[i]);
                        ps_replayed_clear(&together[i]);
                }
                ps_replay_free(replay);
                ps_trace_close(trace);
        }
}

/* Longer computations, latencies and messages never make it faster; in the latency time is convex. */
TEST(monotone_and_convex)
{
        enum { POINTS = 12 };
        for (uint64_t seed = 1; seed <= PROGRAMS; seed++) {
                ps_trace *trace = random_trace(seed, US);
                ps_time time[POINTS], before = 0;
                for (int i = 0; i < POINTS; i++) {
                        ps_machine m = machine_with(5e-6 * i, 1e9, 1000);
                        time[i] = lab_time_on(trace, &m);
                        assert_true(!i || time[i] >= time[i - 1]);
                        if (i > 1)
                                assert_true(time[i] - time[i - 1] >= time[i - 1] - time[i - 2]);
                }
                for (int i = 0; i < POINTS; i++) {
                        ps_machine m = machine_with(5e-6, 1e10 / (i + 1), 1000);
                        ps_time now = lab_time_on(trace, &m);
                        assert_true(now >= before);
                        before = now;
                }
                ps_machine m = machine_with(5e-6, 1e9, 1000), slow = m;
                slow.cpu_ratio = 0.5;
                assert_true(lab_time_on(trace, &slow) >= lab_time_on(trace, &m));
                ps_trace_close(trace);
        }
}

/* Everything twice as slow takes twice as long. */
TEST(everything_twice_as_slow_takes_twice_as_long)
{
        for (uint64_t seed = 1; seed <= PROGRAMS; seed++) {
                ps_trace *trace = random_trace(seed, US);
                ps_machine m = machine_with(7e-6, 1e9, 1000), slow = machine_with(14e-6, 5e8, 1000);
                slow.cpu_ratio = 0.5;
                assert_int_equal(lab_time_on(trace, &slow), 2 * lab_time_on(trace, &m));
                ps_trace_close(trace);
        }
}

/* With channels for everybody there is no contention; with few of them nothing is faster than without. */
TEST(contention_makes_nothing_faster)
{
        for (uint64_t seed = 1; seed <= PROGRAMS; seed++) {
                ps_trace *trace = random_trace(seed, US);
                ps_machine m;
                ps_scenario free_of, with;
                ps_machine_init(&m, PS_MODEL_DIMEMAS);
                m.link = (ps_link){5e-6, 1e9};
                m.links_in = m.links_out = 0;
                m.buses = 1000;
                ps_scenario_init(&free_of);
                free_of.machine = &m;
                free_of.no_contention = 1;
                with = free_of;
                with.no_contention = 0;
                ps_replayed a = lab_replayed(trace, &free_of), b = lab_replayed(trace, &with);
                expect_same(trace, a.timing, b.timing);
                assert_int_equal(b.n_delayed, 0);
                assert_true(b.n_transfers > 0 && a.n_transfers == 0);
                ps_replayed_clear(&a);
                ps_replayed_clear(&b);
                ps_trace_close(trace);
        }
}

/* -- single changes, by hand -- */

/* Rank 0 works longer in `work` than rank 1; both meet. */
static ps_trace *unbalanced(void)
{
        replay_lab *lab = replay_lab_new(2);
        ps_region work = replay_lab_region(lab, "work"), other = replay_lab_region(lab, "other");
        for (uint32_t r = 0; r < 2; r++)
                for (int i = 0; i < 10; i++) {
                        rank_visit(lab, r, work, r ? 20 * US : 60 * US);
                        rank_visit(lab, r, other, 10 * US);
                        ps_time wait = r ? 40 * US : 0;
                        rank_calls_take(lab, r, wait + US);
                        rank_coll(lab, r, PS_K_BARRIER, 0, PS_NONE, 0);
                }
        return replay_lab_trace(lab);
}

static ps_time total_of(const ps_trace *trace, const ps_scenario *s)
{
        ps_replayed out = lab_replayed(trace, s);
        ps_time total = out.total;
        assert_false(out.stuck);
        ps_replayed_clear(&out);
        return total;
}

TEST(a_region_is_changed_by_its_factor)
{
        ps_trace *trace = unbalanced();
        ps_scenario s;
        ps_scenario_init(&s);
        assert_int_equal(total_of(trace, &s), 10 * 71 * US);
        ps_work_edit edit = lab_work(trace, "work", PS_WORK_SCALE, 0.5);
        s.works = &edit;
        s.n_works = 1;
        assert_int_equal(total_of(trace, &s), 10 * 41 * US);
        edit.factor = 0;
        assert_int_equal(total_of(trace, &s), 10 * 11 * US);
        edit = lab_work(trace, "work", PS_WORK_BALANCE, 1);
        assert_int_equal(total_of(trace, &s), 10 * 51 * US);
        edit = lab_work(trace, "main", PS_WORK_SCALE, 3);
        assert_int_equal(total_of(trace, &s), 10 * (3 * 70 + 1) * US);
        ps_scenario_init(&s);
        const double cpu[] = {0.5, 1};
        s.cpu_of_process = cpu;
        assert_int_equal(total_of(trace, &s), 10 * 36 * US);
        ps_trace_close(trace);
}

/* A late sender on the way to the end: what is gained without it is what it delayed. */
TEST(without_a_late_sender_its_delay_is_gained)
{
        replay_lab *lab = replay_lab_new(2);
        rank_compute(lab, 0, 100 * US);
        rank_calls_take(lab, 0, US);
        rank_send(lab, 0, PS_K_SEND, 1, 0, 8);
        rank_compute(lab, 1, 30 * US);
        rank_calls_take(lab, 1, 75 * US);
        rank_recv(lab, 1, 0, 0, 8);
        rank_compute(lab, 1, 500 * US);
        ps_trace *trace = replay_lab_trace(lab);
        ps_scenario s;
        ps_scenario_init(&s);
        assert_int_equal(total_of(trace, &s), 605 * US);
        const uint64_t first = 1, *unwaited[] = {NULL, &first};
        s.unwaited = unwaited;
        assert_int_equal(total_of(trace, &s), 530 * US);
        /* The flight takes 5 us. With one message nobody knows why: half of it is taken for latency. */
        s.unwaited = NULL;
        s.latency = 3;
        assert_int_equal(total_of(trace, &s), 610 * US);
        s.per_byte = 3;
        assert_int_equal(total_of(trace, &s), 615 * US);
        s.latency = s.per_byte = 0;
        assert_int_equal(total_of(trace, &s), 600 * US);
        ps_trace_close(trace);
}

/* A second thread begins 2 us after the fork and is later in the barrier: 100, 2 + 198, 1 and 100 us. */
TEST(threads_begin_behind_their_fork)
{
        static const char barrier[] = "!$omp implicit barrier @a.c:1";
        ps_gen *g = ps_gen_new(NULL, (ps_gen_options){.threads = 2});
        uint32_t master = ps_gen_at(g, 0, 0), other = ps_gen_at(g, 0, 1);
        uint32_t team = ps_gen_team(g, "team", (uint32_t[]){master, other}, 2);
        ps_gen_enter(g, master, 0, "main");
        ps_gen_put(g, master, PS_GEN_US(100), PS_GEN_REC_OF(FORK, .op = OTF2_PARADIGM_OPENMP, .tag = 2));
        ps_gen_put(g, master, PS_GEN_US(100), PS_GEN_REC_OF(TEAM_BEGIN, .comm = team));
        ps_gen_visit(g, master, PS_GEN_US(200), PS_GEN_US(301), barrier);
        ps_gen_put(g, master, PS_GEN_US(301), PS_GEN_REC_OF(TEAM_END, .comm = team));
        ps_gen_put(g, master, PS_GEN_US(301), PS_GEN_REC_OF(JOIN, .op = OTF2_PARADIGM_OPENMP));
        ps_gen_leave(g, master, PS_GEN_US(401), "main");
        ps_gen_put(g, other, PS_GEN_US(102), PS_GEN_REC_OF(TEAM_BEGIN, .comm = team));
        ps_gen_visit(g, other, PS_GEN_US(300), PS_GEN_US(301), barrier);
        ps_gen_put(g, other, PS_GEN_US(301), PS_GEN_REC_OF(TEAM_END, .comm = team));
        ps_trace *trace = loaded(g, PS_CLOCK_AS_IS);
        const double cpu[] = {0.5};
        ps_scenario s;
        ps_scenario_init(&s);
        assert_int_equal(total_of(trace, &s), 401 * US);
        s.cpu_of_process = cpu;
        assert_int_equal(total_of(trace, &s), (50 + 2 + 99 + 1 + 50) * US);
        ps_trace_close(trace);
        ps_gen_free(g);
}

/* Sent as early as possible, a message is there when it is waited for. */
TEST(what_is_sent_early_is_there_when_waited_for)
{
        replay_lab *lab = replay_lab_new(2);
        rank_compute(lab, 0, 50 * US);
        uint64_t send = rank_isend(lab, 0, PS_K_ISEND, 1, 0, 1000);
        rank_wait(lab, 0, send);
        rank_compute(lab, 1, 10 * US);
        rank_recv(lab, 1, 0, 0, 1000);
        ps_trace *trace = replay_lab_trace(lab);
        ps_machine m = machine_with(5e-6, 1e9, 1000);
        ps_scenario s;
        ps_scenario_init(&s);
        s.machine = &m;
        ps_replayed before = lab_replayed(trace, &s);
        s.overlap = 1;
        ps_replayed after = lab_replayed(trace, &s);
        assert_int_equal(before.end[1], 56 * US);
        assert_int_equal(after.end[1], 10 * US);
        assert_int_equal(after.end[0], 50 * US);
        ps_replayed_clear(&before);
        ps_replayed_clear(&after);
        ps_trace_close(trace);
}

TEST(impossible_scenarios_are_refused)
{
        ps_trace *trace = program_ring(4, 2, US, 0, 8);
        ps_replay *replay;
        ps_replayed out;
        ps_error err = {0};
        ps_scenario s;
        ps_scenario_init(&s);
        assert_int_equal(ps_replay_new(&replay, trace, &trace->measured, 1, &err), PS_OK);
        s.latency = -1;
        assert_int_equal(ps_replay_run(&out, replay, &s, 1, NULL, &err), PS_E_USAGE);
        assert_non_null(strstr(err.cause[0].text, "latency=-1"));
        ps_machine *lmo = machine_of(lmo_example), m = machine_with(1e300, 1, UINT64_MAX);
        ps_scenario_init(&s);
        s.machine = lmo;
        assert_int_equal(ps_replay_run(&out, replay, &s, 1, NULL, &err), PS_OK);
        ps_replayed_clear(&out);
        s.machine = &m;
        ps_machine_free(lmo);
        ps_replay_free(replay);
        ps_trace_close(trace);
        trace = program_ring(4, 8, US, 0, 8); /* each message takes a hundred days */
        assert_int_equal(ps_replay_new(&replay, trace, &trace->measured, 1, &err), PS_OK);
        assert_int_equal(ps_replay_run(&out, replay, &s, 1, NULL, &err), PS_E_USAGE);
        assert_non_null(strstr(err.cause[0].text, "predicted run takes too long"));
        trace->measured.duration = (INT64_C(1) << 61) + 1;
        ps_scenario_init(&s);
        err.n_causes = 0;
        assert_int_equal(ps_replay_run(&out, replay, &s, 1, NULL, &err), PS_E_USAGE);
        assert_non_null(strstr(err.cause[0].text, "recorded run is too long"));
        ps_replay_free(replay);
        ps_trace_close(trace);
}
