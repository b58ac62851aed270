/* test_runs.c - costs of delays in runs that are not recordings of MPI: simulated ones, predicted ones, and
 * those of coarrays. All follows by hand. */
#include "core/load/recording.h"
#include "core/model/pieces.h"
#include "tests/patterns/causes/lab.h"
#include "tests/simulator/bmf/lab.h"
#include "tests/simulator/dvm/runs.h"
#include "tests/simulator/replay/lab.h"
#include "tests/support/damage.h"
#include "tests/support/test.h"
#include "tests/support/tracegen.h"

#define US       PS_GEN_US
#define TIME(us) ((ps_time)(us)*1000 * PS_PS_PER_NS)

static const struct ps_piece_options pieces = {.most = 1 << 20};

static delayed delays_of(const ps_trace *trace)
{
        delayed d = delayed_of(trace, PS_DEFINITIONS_PATSCAN, 0, 1);
        delayed_check(&d, "a run");
        return d;
}

static ps_trace *load(ps_recording *recording)
{
        const ps_load_options how = {.n_threads = 1, .pieces = &pieces};
        ps_trace *trace;
        ps_error err = {0};
        if (ps_recording_load(&trace, recording, &how, &err) < 0)
                ps_test_die("%s", err.cause[0].text);
        return trace;
}

static ps_time waits_of(const delayed *d)
{
        return delayed_sum(d, PS_N_DELAYS, PS_DELAYED_WAIT, PS_NONE);
}

/* What a location is charged with, at all of its call paths. */
static void expect_costs(const delayed *d, ps_loc loc, ps_time direct, ps_time indirect)
{
        ps_time own = 0, others = 0;
        for (uint32_t i = 0; i < d->delays->n_costs; i++)
                if (d->delays->cost[i].location == loc) {
                        own += d->delays->cost[i].direct;
                        others += d->delays->cost[i].indirect;
                }
        if (own != direct || others != indirect)
                fail_msg("location %u: %lld and %lld ps, not %lld and %lld", loc, (long long)own,
                         (long long)others, (long long)direct, (long long)indirect);
}

/* -- a program of BMF -- */

/* Sends of 7 s from processor 0 to 4, of 4 to 2 and of 2 to 1, one after the other; transport takes 5. 2 has
 * received at 20 and sends to 3, 4 at 19 to 6 and at 22 to 5, 6 at 30 to 7. All others wait from the begin to
 * the send that they are meant for: 11, 7, 20, 0, 22, 19 and 30 s on processors 1 to 7. What 0, 2, 4 and 6 do
 * until their sends delays them; only 2 and 6 had waited before, for 7 and 19. */
TEST(delays_of_a_bmf_run_go_along_its_tree)
{
        static const int wait_s[] = {0, 11, 7, 20, 0, 22, 19, 30};
        static const int direct_s[] = {18, 0, 13, 0, 41, 0, 11, 0}, indirect_s[] = {7, 0, 0, 0, 19, 0, 0, 0};
        const ps_bmf_options o = bmf_lab_plain(1, 5);
        bmf_lab lab;
        bmf_lab_run(&lab, "P_Split (B_Num 8) (B_Num 0) [1,2,3,4,5,6,7,8,9,10,11,12,13,14,15]", &o);
        ps_trace *trace = load(lab.run.recording);
        delayed d = delays_of(trace);
        for (ps_loc l = 0; l < 8; l++) {
                assert_int_equal(ps_delayed(d.delays, PS_DELAY_LATE_SENDER, PS_DELAYED_WAIT, l),
                                 wait_s[l] * PS_PS_PER_S);
                expect_costs(&d, l, direct_s[l] * PS_PS_PER_S, indirect_s[l] * PS_PS_PER_S);
        }
        assert_int_equal(waits_of(&d), 109 * PS_PS_PER_S);
        assert_int_equal(delayed_cost(&d, 0, "P_Split/send").direct, 18 * PS_PS_PER_S);
        assert_int_equal(d.critical->length, 37 * PS_PS_PER_S); /* processor 4, then 6, then 7 */
        delayed_free(&d);
        ps_trace_close(trace);
        bmf_lab_clear(&lab);
}

/* -- a program of DVM -- */

/* The columns that the loop in line 28 is over lie on two of four processors after the realign: these compute
 * 4 ms each, and the others wait for them at the end. Both come last; nobody else is late anywhere. */
TEST(who_has_the_iterations_delays_a_dvm_run)
{
        const ps_dvm_options how = {.grid = {2, {2, 2}}, .loops = PS_DVM_LOOPS_ALONE, .record = 1};
        ps_machine machine = dvm_machine(PS_MODEL_BUS);
        ps_dvm *dvm = dvm_program(dvm_sample_realign());
        ps_dvm_run run;
        dvm_simulate_on(&run, dvm, &machine, &how);
        ps_trace *trace = load(run.recording);
        delayed d = delays_of(trace);
        assert_int_equal(delayed_sum(&d, PS_DELAY_FINALIZE, PS_DELAYED_WAIT, PS_NONE), TIME(8000));
        assert_int_equal(waits_of(&d), TIME(8000));
        assert_int_equal(delayed_sum(&d, PS_N_DELAYS, PS_DELAYED_UNEXPLAINED, PS_NONE), 0);
        assert_int_equal(d.delays->n_costs, 1);
        const ps_delay_cost *cost = d.delays->cost;
        assert_int_equal(cost->direct, TIME(8000));
        assert_int_equal(trace->paths[cost->path].site_line, 28);
        delayed_free(&d);
        ps_trace_close(trace);
        ps_dvm_run_clear(&run);
        ps_dvm_free(dvm);
        ps_machine_clear(&machine);
}

/* -- a predicted run -- */

/* Nobody waits: 0 sends what 1 receives at the same time, and so do 1 and 2. */
static ps_trace *without_waits(void)
{
        replay_lab *lab = replay_lab_new(3);
        ps_region common = replay_lab_region(lab, "common"), assemble = replay_lab_region(lab, "assemble"),
                  post = replay_lab_region(lab, "post");
        rank_visit(lab, 0, assemble, 100 * LAB_US);
        rank_send(lab, 0, PS_K_SEND, 1, 0, 0);
        rank_visit(lab, 1, common, 100 * LAB_US);
        rank_recv(lab, 1, 0, 0, 0);
        rank_visit(lab, 1, post, 50 * LAB_US);
        rank_send(lab, 1, PS_K_SEND, 2, 0, 0);
        rank_visit(lab, 2, common, 150 * LAB_US);
        rank_recv(lab, 2, 1, 0, 0);
        return replay_lab_trace_with(lab, &pieces);
}

/* With three times as much to assemble rank 1 waits from 100 to 300 for rank 0, and rank 2 from 150 to 350
 * for rank 1, which did `post` for 50 and waited for 200: of the second wait a fifth is `post`, the rest
 * `assemble` again. */
TEST(a_predicted_run_has_delays_of_its_own)
{
        ps_trace *trace = without_waits();
        delayed measured = delays_of(trace);
        assert_int_equal(waits_of(&measured), 0);
        delayed_free(&measured);

        ps_work_edit longer = lab_work(trace, "assemble", PS_WORK_SCALE, 3);
        ps_scenario scenario;
        ps_scenario_init(&scenario);
        scenario.works = &longer;
        scenario.n_works = 1;
        ps_replayed replayed = lab_replayed(trace, &scenario);
        assert_int_equal(replayed.total, TIME(350));
        delayed d = delayed_by(trace, replayed.timing,
                               &(ps_analysis_options){.definitions = PS_DEFINITIONS_PATSCAN, .n_threads = 1},
                               &(ps_delay_options){.definitions = PS_DEFINITIONS_PATSCAN,
                                                   .end = replayed.timing->duration,
                                                   .n_threads = 1});
        delayed_check(&d, "predicted");
        assert_int_equal(waits_of(&d), TIME(400));
        expect_costs(&d, 0, TIME(200), TIME(160));
        expect_costs(&d, 1, TIME(40), 0);
        assert_int_equal(delayed_cost(&d, 0, "assemble").direct, TIME(200));
        assert_int_equal(delayed_cost(&d, 1, "post").direct, TIME(40));
        assert_int_equal(d.critical->length, TIME(350));
        delayed_free(&d);
        ps_replayed_clear(&replayed);
        ps_trace_close(trace);
}

/* -- stacks -- */

/* One call of main after the other, as a recorder tells them that unwinds the stack. */
static void main_calls(ps_gen *g, uint32_t rank, const char *name, ps_gen_rec record, const uint64_t at[2][2])
{
        uint32_t none = OTF2_UNDEFINED_CALLING_CONTEXT;
        uint32_t call = ps_gen_context(g, ps_gen_context(g, none, "main", NULL, 0), name, NULL, 0);
        ps_gen_put(g, rank, 0, PS_GEN_REC_OF(PROGRAM_BEGIN, .ref = 0));
        for (uint32_t i = 0; i < 2; i++)
                ps_gen_context_call(g, call, rank, US(at[i][0]), US(at[i][1]), 1, &record);
}

/* The critical path is rank 0's until the second send, at 90: 10 and 78 of it in main. Rank 1 waits from 30
 * on, and is in main for 20 and 8 before. So main has 88 there, of which 58 are what a rank takes. */
TEST(main_has_its_time_on_the_critical_path_though_nobody_enters_it)
{
        ps_gen *g = ps_gen_new(NULL, (ps_gen_options){.ranks = 2});
        main_calls(g, 0, "MPI_Send",
                   PS_GEN_REC_OF(SEND, .peer = 1, .comm = PS_GEN_WORLD, .tag = 1, .bytes = 8),
                   (const uint64_t[2][2]){{10, 12}, {90, 92}});
        main_calls(g, 1, "MPI_Recv",
                   PS_GEN_REC_OF(RECV, .peer = 0, .comm = PS_GEN_WORLD, .tag = 1, .bytes = 8),
                   (const uint64_t[2][2]){{20, 22}, {30, 93}});
        ps_gen_close(g);
        ps_trace *trace = delayed_load(ps_gen_anchor(g), PS_CLOCK_AS_IS);
        ps_gen_free(g);
        delayed d = delays_of(trace);
        assert_int_equal(waits_of(&d), TIME(60));
        assert_true(d.critical->n > 0);
        assert_int_equal(d.critical->row[0].time, TIME(88));
        assert_int_equal(d.critical->row[0].imbalance, TIME(30));
        delayed_free(&d);
        ps_trace_close(trace);
}

/* -- coarrays -- */

/* Images 0 and 1 wait 200 and 100 in `sync all` for image 2; in co_sum 0 and 2 wait 90 each for image 1; then
 * image 1 asks at 420 for the lock that image 0 gives back at 465, and 0 had it for `update`. */
TEST(who_delays_the_images_of_coarrays)
{
        ps_gen *g = ps_gen_new(NULL, (ps_gen_options){.ranks = 3});
        for (uint32_t i = 0; i < 3; i++) {
                ps_gen_enter(g, i, 0, "main");
                ps_gen_visit(g, i, US(0), US(100 + 100 * i), "compute");
                ps_gen_visit(g, i, US(100 + 100 * i), US(310), "_gfortran_caf_sync_all");
                if (i == 1)
                        ps_gen_visit(g, i, US(310), US(400), "post");
                ps_gen_visit(g, i, i == 1 ? US(400) : US(310), US(410), "_gfortran_caf_co_sum");
        }
        ps_gen_hint(g, 0, "LOCK_ID", 7);
        ps_gen_visit(g, 0, US(410), US(415), "_gfortran_caf_lock");
        ps_gen_visit(g, 0, US(415), US(465), "update");
        ps_gen_hint(g, 0, "LOCK_ID", 7);
        ps_gen_visit(g, 0, US(465), US(467), "_gfortran_caf_unlock");
        ps_gen_visit(g, 1, US(410), US(420), "compute");
        ps_gen_hint(g, 1, "LOCK_ID", 7);
        ps_gen_visit(g, 1, US(420), US(470), "_gfortran_caf_lock");
        ps_gen_hint(g, 1, "LOCK_ID", 7);
        ps_gen_visit(g, 1, US(470), US(472), "_gfortran_caf_unlock");
        for (uint32_t i = 0; i < 3; i++)
                ps_gen_leave(g, i, US(480), "main");
        ps_gen_close(g);
        ps_trace *trace = delayed_load(ps_gen_anchor(g), PS_CLOCK_AS_IS);
        ps_gen_free(g);
        delayed d = delays_of(trace);
        assert_int_equal(waits_of(&d), TIME(300 + 180 + 45));
        assert_int_equal(delayed_sum(&d, PS_N_DELAYS, PS_DELAYED_UNEXPLAINED, PS_NONE), 0);
        assert_int_equal(delayed_cost(&d, 2, "compute").direct, TIME(300));
        assert_int_equal(delayed_cost(&d, 1, "post").direct, TIME(180));
        expect_costs(&d, 0, TIME(45), 0);
        assert_true(delayed_cost(&d, 0, "update").direct > TIME(35));
        delayed_free(&d);
        ps_trace_close(trace);
}
