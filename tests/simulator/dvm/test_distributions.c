/* test_distributions.c - DVM programs on processors of different power, cut by weights and multiples, and
 * with distributions that are tried instead of their own; worked out by hand. */
#include "tests/simulator/dvm/runs.h"
#include "tests/support/test.h"

/* -- powers and parts of the processors -- */

static void call_getlen(dvm_text *t)
{
        dvm_call(t, "getlen_", .1, .02, 31, "ArrayHeader=a1; ArrayHandlePtr=a10;\n", "Res=4;\n");
}

TEST(times_are_divided_by_the_power)
{
        double ratios[] = {1, 2};
        ps_dvm *dvm = dvm_program_with(8, 8, 1, 1, call_getlen);
        ps_machine machine = dvm_machine(PS_MODEL_BUS);
        const ps_dvm_options options = {.grid = {1, {2}}};
        ps_dvm_run run;
        machine.cpu_ratio = 2;
        const ps_interval_sums *s = dvm_simulate_on(&run, dvm, &machine, &options);
        DVM_NEAR(s->execution_s, .06);
        DVM_NEAR(s->productive_cpu_s, .05);
        ps_dvm_run_clear(&run);
        machine.cpu_ratios = (ps_ratios){.row = ratios, .n = 2};
        s = dvm_simulate_on(&run, dvm, &machine, &options);
        DVM_NEAR(s->execution_s, .12);
        DVM_NEAR(s->idle_s, .06);
        DVM_NEAR(s->insufficient_cpu_s, .075);
        DVM_NEAR(dvm_of_processor(&run, 1).cpu_s, .05);
        ps_dvm_run_clear(&run);
        ps_dvm_free(dvm);
}

/* Weights 1 and 3: two rows and six. */
static void weighted(dvm_text *t)
{
        dvm_call(t, "setelw_", 0, 0, 20,
                 "PSRefPtr=NULL; PSRef=0; AMViewRefPtr=2; AMViewRef=bb;\nAddrNumber=1;\nWeightNumber[0]=2;\n"
                 "LoadWeight[0]=1.0; LoadWeight[1]=3.0;\n",
                 "");
        dvm_redistribute(t, "PSRefPtr=NULL; PSRef=0;", 1, 1);
        dvm_loop_over(t, 'a', 8, 8, .008);
}

static void check_weighted(const ps_dvm_run *run, const ps_interval_sums *s)
{
        DVM_NEAR(s->execution_s, .006);
        DVM_NEAR(s->idle_s, .004);
        DVM_NEAR(dvm_of_processor(run, 0).cpu_s, .002);
        DVM_NEAR(s->communication_all_s, 0);
}

static void check_unweighted(const ps_dvm_run *run, const ps_interval_sums *s)
{
        DVM_NEAR(s->execution_s, .002);
        assert_int_equal(run->note[PS_DVM_NOTE_WEIGHTS].count, 1);
}

TEST(weights_cut_blocks)
{
        dvm_on_bus(weighted, 8, 8, 1, 1, (ps_grid){1, {2}}, check_weighted);
        dvm_on_bus(weighted, 8, 8, 1, 1, (ps_grid){1, {4}}, check_unweighted);
}

/* Blocks begin at multiples of 3: of 3 and 5 rows. Only the first axis has a divisor. */
static void multiples(dvm_text *t)
{
        dvm_call(t, "blkdiv_", 0, 0, 20, "AMViewRefPtr=2; AMViewRef=bb; AMVAxisCount=1\nAMVAxisDiv[0]=3\n",
                 "");
        dvm_call(t, "redis_", 0, 0, 30,
                 "AMViewRefPtr=2; AMViewRef=bb; PSRefPtr=NULL; PSRef=0; ParamCount=2; NewSign=1;\n"
                 "AxisArray[0]=1; AxisArray[1]=2;\nDistrParamArray[0]=0; DistrParamArray[1]=0;\n",
                 "IsLocal=1;\n");
        dvm_loop_over(t, 'a', 8, 8, .008);
}

static void check_multiples(const ps_dvm_run *run, const ps_interval_sums *s)
{
        DVM_NEAR(s->execution_s, .008 * 5 * 4 / 64);
        DVM_NEAR(dvm_of_processor(run, 0).cpu_s, .008 * 3 * 4 / 64);
}

TEST(blocks_begin_at_multiples)
{
        dvm_on_bus(multiples, 8, 8, 2, 1, (ps_grid){2, {2, 2}}, check_multiples);
}

/* 2 x 2 seen as a row of four: two rows of eight for each. */
static void reshaped(dvm_text *t)
{
        dvm_call(t, "psview_", 0, 0, 20, "PSRefPtr=NULL; PSRef=0; Rank=1; StaticSign=0;\nSizeArray[0]=4;\n",
                 "PSRef=de;\n");
        dvm_redistribute(t, "PSRefPtr=7; PSRef=de;", 1, 1);
        dvm_loop_over(t, 'a', 8, 1, .008);
}

static void check_reshaped(const ps_dvm_run *run, const ps_interval_sums *s)
{
        (void)run;
        DVM_NEAR(s->execution_s, .002);
        DVM_NEAR(s->lost_s, 0);
}

TEST(processors_in_another_shape)
{
        dvm_on_bus(reshaped, 8, 1, 1, 1, (ps_grid){2, {2, 2}}, check_reshaped);
}

/* -- distributions to try -- */

static void upper_half(dvm_text *t)
{
        dvm_loop_over(t, 'a', 4, 8, .008);
}

static ps_dvm_override columns(void)
{
        ps_dvm_override o = {.file = "t.cdv", .line = 10, .n = 2};
        o.axis[0].divisor = o.axis[1].divisor = 1;
        o.axis[1].on = 1;
        return o;
}

TEST(a_distribution_can_be_tried)
{
        static const double weights[] = {3, 1};
        ps_dvm *dvm = dvm_program_with(8, 8, 1, 1, upper_half);
        ps_machine machine = dvm_machine(PS_MODEL_BUS);
        ps_dvm_override o = columns();
        ps_dvm_options options = {.grid = {1, {2}}, .overrides = &o};
        ps_dvm_run run;
        DVM_NEAR(dvm_simulate_on(&run, dvm, &machine, &options)->execution_s, .008);
        ps_dvm_run_clear(&run);
        options.n_overrides = 1;
        DVM_NEAR(dvm_simulate_on(&run, dvm, &machine, &options)->execution_s, .004);
        ps_dvm_run_clear(&run);
        o.axis[1].weight = weights;
        o.axis[1].n_weights = 2;
        DVM_NEAR(dvm_simulate_on(&run, dvm, &machine, &options)->execution_s, .006);
        ps_dvm_run_clear(&run);
        o.axis[1].weight = NULL;
        o.axis[1].divisor = 3;
        DVM_NEAR(dvm_simulate_on(&run, dvm, &machine, &options)->execution_s, .005);
        ps_dvm_run_clear(&run);
        ps_dvm_free(dvm);
}

TEST(bad_distributions_are_refused)
{
        ps_dvm *dvm = dvm_program_with(8, 8, 1, 1, upper_half);
        ps_machine machine = dvm_machine(PS_MODEL_BUS);
        ps_dvm_override o = columns();
        const ps_dvm_options options = {.grid = {1, {2}}, .overrides = &o, .n_overrides = 1};
        static const double weights[] = {1, 1, 1};
        ps_dvm_run run;
        ps_error err = {0};
        uint32_t rank;
        assert_int_equal(ps_dvm_grid_rank(&rank, dvm, &options, &err), PS_OK);
        assert_int_equal(rank, 1);
        o.axis[0].on = 2;
        assert_int_equal(ps_dvm_grid_rank(&rank, dvm, &options, &err), PS_OK);
        assert_int_equal(rank, 2);
        assert_int_equal(ps_dvm_simulate(&run, dvm, &machine, &options, &err), PS_E_INPUT);
        o = columns();
        o.axis[1].weight = weights;
        o.axis[1].n_weights = 3;
        assert_int_equal(ps_dvm_simulate(&run, dvm, &machine, &options, &err), PS_E_INPUT);
        o = columns();
        o.line = 11;
        assert_int_equal(ps_dvm_grid_rank(&rank, dvm, &options, &err), PS_E_USAGE);
        o = columns();
        o.file = "cdv";
        assert_int_equal(ps_dvm_grid_rank(&rank, dvm, &options, &err), PS_E_USAGE);
        o = columns();
        o.n = 3;
        assert_int_equal(ps_dvm_grid_rank(&rank, dvm, &options, &err), PS_E_USAGE);
        ps_dvm_free(dvm);
}
