/* late_sender.c - see late_sender.h. */
#include "tests/support/late_sender.h"
#include "tests/support/test.h"

const late_sender_run late_sender_plain = {"a.c", 40, 2, 0};

static ps_gen *write_trace(const late_sender_run *run)
{
        ps_gen *g = ps_gen_new(NULL, (ps_gen_options){.ranks = 2});

        ps_gen_enter(g, 0, 0, "main");
        ps_gen_enter(g, 1, 0, "main");
        for (uint32_t k = 0; k < run->n_messages; k++) {
                uint64_t sent = PS_GEN_MS(20) * (k + 1) + PS_GEN_US(run->late_us);
                ps_gen_site(g, 0, run->file, SENT_AT);
                ps_gen_send(g, 0, sent, sent + PS_GEN_US(100), 1, PS_GEN_WORLD, 7, 64);
                ps_gen_site(g, 1, run->file, run->line);
                ps_gen_enter(g, 1, sent - PS_GEN_MS(5) * (k + 1), "MPI_Recv");
                ps_gen_put(g, 1, sent + PS_GEN_US(150),
                           PS_GEN_REC_OF(RECV, .peer = 0, .comm = PS_GEN_WORLD, .tag = 7, .bytes = 64));
                ps_gen_leave(g, 1, sent + PS_GEN_US(200), "MPI_Recv");
        }
        ps_gen_leave(g, 0, PS_GEN_MS(DURATION_MS), "main");
        ps_gen_leave(g, 1, PS_GEN_MS(DURATION_MS), "main");
        ps_gen_close(g);
        return g;
}

void late_sender_load(late_sender *f, const late_sender_run *run)
{
        ps_error err = {0};

        *f = (late_sender){.gen = write_trace(run)};
        assert_int_equal(ps_trace_load(&f->trace, ps_gen_anchor(f->gen), NULL, &err), PS_OK);
}

void late_sender_analyse(late_sender *f, const ps_report_settings *settings)
{
        ps_analysis_options how = {.definitions = PS_DEFINITIONS_SCALASCA, .epsilon = 0, .n_threads = 1};
        ps_error err = {0};

        assert_int_equal(ps_analyse(&f->analysis, f->trace, &f->trace->measured, &how, &err), PS_OK);
        assert_int_equal(ps_sources_new(&f->sources, f->trace, &(ps_source_options){0}, &err), PS_OK);
        assert_int_equal(ps_report_new(&f->report, f->trace, &f->trace->measured, f->analysis, f->sources,
                                       settings, &err),
                         PS_OK);
}

void late_sender_report(late_sender *f, const late_sender_run *run)
{
        late_sender_load(f, run);
        late_sender_analyse(f, &(ps_report_settings){.trace_path = "t.otf2"});
}

void late_sender_clear(late_sender *f)
{
        ps_report_free(f->report);
        ps_sources_free(f->sources);
        ps_analysis_free(f->analysis);
        ps_trace_close(f->trace);
        ps_gen_free(f->gen);
}
