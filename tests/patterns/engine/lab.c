/* lab.c - see lab.h. */
#include "tests/patterns/engine/lab.h"

#include "tests/support/analysed.h"
#include "tests/support/test.h"

uint32_t engine_row(const char *id)
{
        uint32_t pattern = ps_pattern_find(id);
        assert_int_not_equal(pattern, PS_NONE);
        return pattern;
}

ps_gen *engine_ranks(uint32_t ranks)
{
        ps_gen *g = ps_gen_new(NULL, (ps_gen_options){.ranks = ranks});
        ps_gen_visit(g, 0, 0, 0, "start");
        return g;
}

void engine_message(ps_gen *g, uint32_t from, uint64_t send, uint64_t sent, uint32_t to, uint64_t recv,
                    uint64_t got, uint32_t tag)
{
        ps_gen_send(g, from, PS_GEN_US(send), PS_GEN_US(sent), to, PS_GEN_WORLD, tag, 8);
        ps_gen_recv(g, to, PS_GEN_US(recv), PS_GEN_US(got), from, PS_GEN_WORLD, tag, 8);
}

ps_trace *engine_load(ps_gen *g)
{
        ps_trace *trace;
        ps_error err = {0};
        const ps_load_options options = {.n_threads = 1, .clock = PS_CLOCK_AS_IS};
        ps_gen_close(g);
        assert_int_equal(ps_trace_load(&trace, ps_gen_anchor(g), &options, &err), PS_OK);
        ps_gen_free(g);
        return trace;
}

ps_analysis *engine_analyse_by(const ps_trace *trace, const ps_analysis_options *options)
{
        ps_analysis *analysis;
        ps_error err = {0};
        assert_int_equal(ps_analyse(&analysis, trace, &trace->measured, options, &err), PS_OK);
        return analysis;
}

ps_analysis *engine_analyse(const ps_trace *trace, ps_definitions definitions, ps_time epsilon)
{
        return engine_analyse_by(
                trace,
                &(ps_analysis_options){.definitions = definitions, .epsilon = epsilon, .n_threads = 1});
}

ps_time engine_own_loss(const ps_analysis *a, const char *id)
{
        return analysed_lost(a, engine_row(id), PS_NONE, 0);
}

ps_time engine_total_loss(const ps_analysis *a, const char *id)
{
        return analysed_lost(a, engine_row(id), PS_NONE, 1);
}

const ps_finding *engine_finding(const ps_analysis *a, const char *id, ps_loc loc)
{
        for (uint32_t i = 0; i < a->n_findings; i++)
                if (a->findings[i].pattern == engine_row(id) && a->findings[i].location == loc)
                        return &a->findings[i];
        return NULL;
}

void engine_end(ps_analysis *a, ps_trace *trace)
{
        ps_analysis_free(a);
        ps_trace_close(trace);
}
