/* test_visits.c - laws of edits of regions where the trace tells what is in each computation. Programs
 * are made up: visits of a few regions, nested as it comes, with messages around a ring in between. */
#include "core/base/hash.h"
#include "core/model/pieces.h"
#include "tests/simulator/replay/lab.h"
#include "tests/support/damage.h"
#include "tests/support/test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define US LAB_US

enum { REGIONS = 4, RANKS = 5, ROUNDS = 30, DEPTH = 4 };

static const char *const names[REGIONS] = {"a", "b", "c", "d"};

static const struct ps_piece_options pieces = {.most = 1 << 20};

/* -- programs -- */

typedef struct program {
        replay_lab *lab;
        ps_region region[REGIONS];
        uint64_t noise;
        double factor[REGIONS]; /* of the edit whose time is added up */
        double sum;             /* what is computed, edited, by the rank that is written; picoseconds */
} program;

static uint32_t noise(program *p, uint32_t below)
{
        p->noise += UINT64_C(0x9e3779b97f4a7c15);
        return (uint32_t)((ps_hash_mix(p->noise) >> 32) % below);
}

static void compute(program *p, uint32_t rank, double factor)
{
        ps_time time = 2 * (ps_time)noise(p, 50000);
        rank_compute(p->lab, rank, time);
        p->sum += (double)time * factor;
}

static void call(program *p, uint32_t rank)
{
        rank_calls_take(p->lab, rank, US);
        rank_coll(p->lab, rank, PS_K_BARRIER, 0, PS_NONE, 0);
}

/* Some time in a region, with others inside of it, and calls. `inside`: the open ones. */
static void visit(program *p, uint32_t rank, unsigned depth, unsigned inside, double factor, int calls)
{
        uint32_t i = noise(p, REGIONS);
        factor *= inside >> i & 1 ? 1 : p->factor[i];
        rank_enter(p->lab, rank, p->region[i]);
        compute(p, rank, factor);
        for (uint32_t n = depth < DEPTH ? noise(p, 3) : 0; n > 0; n--) {
                visit(p, rank, depth + 1, inside | 1u << i, factor, calls);
                compute(p, rank, factor);
                if (calls && noise(p, 3) == 0)
                        call(p, rank);
        }
        rank_leave(p->lab, rank, p->region[i]);
}

static program program_new(uint32_t n_ranks)
{
        program p = {.lab = replay_lab_new(n_ranks), .factor = {1, 1, 1, 1}};
        for (int i = 0; i < REGIONS; i++)
                p.region[i] = replay_lab_region(p.lab, names[i]);
        return p;
}

/* Logical rank i is rank place[i]. */
static ps_trace *ring(const uint32_t *place, const struct ps_piece_options *options)
{
        program p = program_new(RANKS);
        for (uint32_t i = 0; i < RANKS; i++) {
                uint32_t rank = place[i];
                p.noise = i;
                for (uint32_t round = 0; round < ROUNDS; round++) {
                        compute(&p, rank, 1);
                        visit(&p, rank, 0, 0, 1, 0);
                        rank_calls_take(p.lab, rank, US);
                        rank_send(p.lab, rank, PS_K_SEND, place[(i + 1) % RANKS], 0, 1000);
                        visit(&p, rank, 0, 0, 1, 0);
                        rank_calls_take(p.lab, rank, 20 * US);
                        rank_recv(p.lab, rank, place[(i + RANKS - 1) % RANKS], 0, 1000);
                }
        }
        return replay_lab_trace_with(p.lab, options);
}

static const uint32_t in_order[RANKS] = {0, 1, 2, 3, 4}, out_of_order[RANKS] = {3, 0, 4, 1, 2};

static void expect_same_times(const ps_trace *trace, const ps_replayed *a, const ps_replayed *b)
{
        assert_int_equal(a->total, b->total);
        for (ps_loc loc = 0; loc < trace->n_locs; loc++) {
                size_t n = trace->ops[loc].n * sizeof(ps_time);
                assert_memory_equal(a->timing->enter[loc], b->timing->enter[loc], n);
                assert_memory_equal(a->timing->leave[loc], b->timing->leave[loc], n);
                assert_int_equal(a->end[loc], b->end[loc]);
        }
}

static void expect_same(const ps_trace *trace, const ps_scenario *a, const ps_scenario *b)
{
        ps_replayed x = lab_replayed(trace, a), y = lab_replayed(trace, b);
        expect_same_times(trace, &x, &y);
        ps_replayed_clear(&x);
        ps_replayed_clear(&y);
}

/* -- laws -- */

TEST(once_is_nothing)
{
        ps_trace *trace = ring(in_order, &pieces);
        ps_scenario plain, s;
        ps_scenario_init(&plain);
        for (ps_region r = 0; r < trace->defs.regions.n; r++) {
                ps_work_edit edit = lab_work(
                        trace, ps_defs_str(&trace->defs, trace->defs.regions.row[r].name), PS_WORK_SCALE, 1);
                ps_scenario_init(&s);
                s.works = &edit;
                s.n_works = 1;
                expect_same(trace, &plain, &s);
        }
        ps_trace_close(trace);
}

TEST(all_of_main_is_all)
{
        static const double factors[] = {0.5, 0, 2, 0.25, 3};
        ps_trace *trace = ring(in_order, &pieces);
        for (size_t i = 0; i < sizeof(factors) / sizeof(*factors); i++) {
                double cpu[RANKS];
                ps_work_edit edit = lab_work(trace, "main", PS_WORK_SCALE, factors[i]);
                ps_scenario by_region, by_rank;
                ps_scenario_init(&by_region);
                ps_scenario_init(&by_rank);
                for (int r = 0; r < RANKS; r++)
                        cpu[r] = factors[i];
                by_region.works = &edit;
                by_region.n_works = 1;
                by_rank.cpu_of_process = cpu;
                expect_same(trace, &by_region, &by_rank);
        }
        ps_trace_close(trace);
}

/* One rank, no waiting: what its computations become is all that changes. */
TEST(one_rank_becomes_the_sum_of_its_factors)
{
        static const double factors[][REGIONS] = {
                {0.5, 1, 1, 1}, {1, 0.5, 1, 3}, {2, 0, 1, 1}, {4, 0.5, 2, 0.5}};
        for (size_t f = 0; f < sizeof(factors) / sizeof(*factors); f++)
                for (uint64_t seed = 1; seed < 20; seed++) {
                        program p = program_new(1);
                        ps_work_edit edits[REGIONS];
                        ps_scenario s;
                        p.noise = seed;
                        memcpy(p.factor, factors[f], sizeof(p.factor));
                        visit(&p, 0, 0, 0, 1, 1);
                        visit(&p, 0, 0, 0, 1, 1);
                        ps_trace *trace = replay_lab_trace_with(p.lab, &pieces);
                        ps_scenario_init(&s);
                        s.works = edits;
                        s.n_works = REGIONS;
                        for (int i = 0; i < REGIONS; i++)
                                edits[i] = lab_work(trace, names[i], PS_WORK_SCALE, p.factor[i]);
                        ps_replayed out = lab_replayed(trace, &s);
                        ps_time calls = (ps_time)trace->ops[0].n * US;
                        double off = (double)(out.total - calls) - p.sum;
                        assert_true(2 * fabs(off) <= trace->ops[0].n + 1); /* each gap is rounded */
                        ps_replayed_clear(&out);
                        ps_trace_close(trace);
                }
}

enum { MANY = 5 };

/* Visits of a and c are balanced, and all else. */
static ps_scenario many_edits(ps_work_edit edits[MANY], const ps_trace *trace)
{
        ps_scenario s;
        ps_scenario_init(&s);
        edits[0] = lab_work(trace, NULL, PS_WORK_BALANCE, 1);
        edits[0].is_rest = 1;
        edits[1] = lab_work(trace, "a", PS_WORK_BALANCE, 1);
        edits[2] = lab_work(trace, "c", PS_WORK_EVEN, 1);
        edits[3] = lab_work(trace, "b", PS_WORK_SCALE, 0.7);
        edits[4] = lab_work(trace, "a", PS_WORK_SCALE, 1.3);
        s.works = edits;
        s.n_works = MANY;
        return s;
}

/* Ranks have no order. */
TEST(ranks_have_no_order)
{
        ps_trace *a = ring(in_order, &pieces), *b = ring(out_of_order, &pieces);
        ps_work_edit edits_a[MANY], edits_b[MANY];
        ps_scenario s = many_edits(edits_a, a), t = many_edits(edits_b, b);
        ps_replayed x = lab_replayed(a, &s), y = lab_replayed(b, &t);
        assert_int_equal(x.total, y.total);
        for (uint32_t i = 0; i < RANKS; i++)
                assert_int_equal(x.end[i], y.end[out_of_order[i]]);
        ps_replayed_clear(&x);
        ps_replayed_clear(&y);
        ps_trace_close(a);
        ps_trace_close(b);
}

/* Alone, or beside others in a pass, on one thread or several. */
TEST(lanes_and_threads_do_not_matter)
{
        enum { N = 7 };
        ps_trace *trace = ring(in_order, &pieces);
        ps_work_edit edits[MANY];
        ps_scenario s[N];
        ps_replayed many[N];
        ps_replay *replay;
        for (int i = 0; i < N; i++)
                ps_scenario_init(&s[i]);
        s[1] = s[4] = s[6] = many_edits(edits, trace);
        s[2].n_works = 3;
        s[2].works = edits;
        s[3].n_works = 1;
        s[3].works = edits;
        s[4].n_works = 2;
        s[4].works = edits + 3;
        s[6].eager_limit = 10;
        assert_int_equal(ps_replay_new(&replay, trace, &trace->measured, 1, NULL), PS_OK);
        for (unsigned threads = 1; threads <= 3; threads += 2) {
                ps_replay_options options = {.wants_timing = 1, .n_threads = threads, .shuffle = threads};
                assert_int_equal(ps_replay_run(many, replay, s, N, &options, NULL), PS_OK);
                for (int i = 0; i < N; i++) {
                        ps_replayed one = lab_replayed(trace, &s[i]);
                        expect_same_times(trace, &one, &many[i]);
                        ps_replayed_clear(&one);
                        ps_replayed_clear(&many[i]);
                }
        }
        ps_replay_free(replay);
        ps_trace_close(trace);
}

/* When the computations are the same everywhere, balance has nothing to do. */
TEST(balanced_is_balanced)
{
        program p = program_new(3);
        for (uint32_t rank = 0; rank < 3; rank++) {
                p.noise = 7;
                for (int i = 0; i < 20; i++) {
                        visit(&p, rank, 0, 0, 1, 1);
                        rank_calls_take(p.lab, rank, US);
                        rank_coll(p.lab, rank, PS_K_BARRIER, 0, PS_NONE, 0);
                }
        }
        ps_trace *trace = replay_lab_trace_with(p.lab, &pieces);
        ps_scenario plain, s;
        ps_scenario_init(&plain);
        ps_scenario_init(&s);
        ps_work_edit edits[] = {lab_work(trace, NULL, PS_WORK_BALANCE, 1),
                                lab_work(trace, "a", PS_WORK_BALANCE, 1),
                                lab_work(trace, "c", PS_WORK_EVEN, 1)};
        edits[0].is_rest = 1;
        s.works = edits;
        s.n_works = 3;
        expect_same(trace, &plain, &s);
        ps_trace_close(trace);
}

/* Rank 0 is in `a` for 10, idle for 20 and in `a` for 5 more; rank 1 is in `a` for 35. Then they meet. */
TEST(idle_time_is_not_computed)
{
        program p = program_new(2);
        ps_region idle = replay_lab_region(p.lab, "idle");
        for (uint32_t rank = 0; rank < 2; rank++) {
                rank_enter(p.lab, rank, p.region[0]);
                rank_compute(p.lab, rank, 10 * US);
                rank_visit(p.lab, rank, rank ? p.region[1] : idle, 20 * US);
                rank_compute(p.lab, rank, 5 * US);
                rank_leave(p.lab, rank, p.region[0]);
                rank_coll(p.lab, rank, PS_K_BARRIER, 0, PS_NONE, 0);
        }
        ps_trace *trace = replay_lab_trace_with(p.lab, &pieces);
        ps_work_edit edit = lab_work(trace, "a", PS_WORK_SCALE, 0.5);
        ps_scenario s;
        ps_scenario_init(&s);
        s.works = &edit;
        s.n_works = 1;
        ps_replayed out = lab_replayed(trace, &s);
        assert_int_equal(out.timing->enter[0][0], (5 + 20) * US + 5 * US / 2);
        assert_int_equal(out.timing->enter[1][0], 35 * US / 2);
        ps_replayed_clear(&out);
        edit = lab_work(trace, "a", PS_WORK_BALANCE, 1); /* 15 and 35 are 25 */
        out = lab_replayed(trace, &s);
        assert_int_equal(out.timing->enter[0][0], (20 + 25) * US);
        assert_int_equal(out.timing->enter[1][0], 25 * US);
        ps_replayed_clear(&out);
        ps_trace_close(trace);
}

/* The first visit of rank 1 takes no time, a second one there is none: 4 and 0, 6 and nothing. */
TEST(empty_visits_are_balanced_too)
{
        program p = program_new(2);
        for (uint32_t rank = 0; rank < 2; rank++) {
                rank_compute(p.lab, rank, 3 * US);
                rank_visit(p.lab, rank, p.region[0], rank ? 0 : 4 * US);
                rank_coll(p.lab, rank, PS_K_BARRIER, 0, PS_NONE, 0);
                if (rank)
                        continue;
                rank_visit(p.lab, rank, p.region[0], 6 * US);
                rank_coll(p.lab, rank, PS_K_BARRIER, 0, PS_NONE, 0);
        }
        rank_coll(p.lab, 1, PS_K_BARRIER, 0, PS_NONE, 0);
        ps_trace *trace = replay_lab_trace_with(p.lab, &pieces);
        ps_scenario s;
        ps_work_edit edit = lab_work(trace, "a", PS_WORK_BALANCE, 1);
        ps_scenario_init(&s);
        s.works = &edit;
        s.n_works = 1;
        ps_replayed out = lab_replayed(trace, &s);
        assert_int_equal(out.timing->enter[0][0], 5 * US);
        assert_int_equal(out.timing->enter[1][0], 5 * US);
        assert_int_equal(out.timing->enter[0][1], 11 * US); /* the only one that has a second visit */
        ps_replayed_clear(&out);
        ps_trace_close(trace);
}

/* Without pieces nobody knows what is between two calls. */
TEST(what_is_not_known)
{
        ps_trace *trace = ring(in_order, NULL);
        ps_replay *replay;
        ps_replayed out;
        ps_scenario s;
        ps_error err = {0};
        ps_work_edit edit = lab_work(trace, "a", PS_WORK_SCALE, 2);
        edit.is_stretch = 1;
        ps_scenario_init(&s);
        s.works = &edit;
        s.n_works = 1;
        assert_int_equal(ps_replay_new(&replay, trace, &trace->measured, 1, NULL), PS_OK);
        assert_false(ps_replay_knows_pieces(replay));
        assert_int_equal(ps_replay_run(&out, replay, &s, 1, NULL, &err), PS_E_USAGE);
        ps_replay_free(replay);
        ps_trace_close(trace);
}
