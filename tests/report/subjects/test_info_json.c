/* test_info_json.c - what JSON tells of how a trace was recorded. */
#include "report/subjects/info.h"
#include "tests/patterns/causes/lab.h"
#include "tests/support/test.h"
#include "tests/support/tracegen.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* Without blanks; to be freed. */
static char *packed(const char *text)
{
        char *out = malloc(strlen(text) + 1);
        size_t n = 0;
        assert_non_null(out);
        for (; *text; text++)
                if (!isspace((unsigned char)*text))
                        out[n++] = *text;
        out[n] = '\0';
        return out;
}

/* Two ranks, which may use these processors, were looked at so often. */
static void expect(const char *processors, ps_time sampled_every, const char *crowded, const char *sampling)
{
        ps_gen *g = ps_gen_new(NULL, (ps_gen_options){.ranks = 2});
        for (uint32_t r = 0; r < 2; r++)
                ps_gen_visit(g, r, PS_GEN_US(0), PS_GEN_US(10), "work");
        ps_gen_close(g);
        ps_trace *trace = delayed_load(ps_gen_anchor(g), PS_CLOCK_AS_IS);
        ps_gen_free(g);
        trace->defs.sampled_every = sampled_every;
        for (ps_proc p = 0; p < 2; p++) {
                trace->defs.processes.row[p].node = ps_strings_addz(trace->defs.strings, "vm");
                trace->defs.processes.row[p].processors = ps_strings_addz(trace->defs.strings, processors);
        }
        ps_overview overview;
        ps_ending ending;
        ps_crowding crowding;
        ps_output *out;
        assert_int_equal(ps_overview_collect(&overview, trace, NULL), PS_OK);
        assert_int_equal(ps_ending_find(&ending, trace, NULL), PS_OK);
        assert_int_equal(ps_crowding_find(&crowding, trace, NULL), PS_OK);
        assert_int_equal(ps_output_open_memory(&out, 80, NULL), PS_OK);
        const ps_info info = {
                .path = "x", .trace = trace, .overview = &overview, .ending = &ending, .crowding = &crowding};
        assert_int_equal(ps_info_write_json(&info, out, NULL), PS_OK);
        char *text = packed(ps_output_text(out));
        if (!strstr(text, crowded) || !strstr(text, sampling))
                fail_msg("no %s or no %s in %s", crowded, sampling, text);
        free(text);
        ps_output_discard(out);
        ps_crowding_clear(&crowding);
        ps_ending_clear(&ending);
        ps_overview_clear(&overview);
        ps_trace_close(trace);
}

TEST(a_report_tells_who_shared_processors)
{
        expect("3", 0, "\"crowded\":{\"processes\":[0,1],\"threads\":2,\"processors\":1,\"node\":\"vm\"}",
               "\"sampling\":null");
        expect("3-4", 0, "\"crowded\":null", "\"sampling\":null");
}

TEST(a_report_tells_how_often_threads_were_looked_at)
{
        expect("3-4", PS_PS_PER_S / 100, "\"crowded\":null", "\"sampling\":{\"every_s\":0.01,\"samples\":0}");
}
