/* test_synchronised.c - recorded archives of a recorder that compares no clocks, next to copies that hold how
 * far these were apart: what is found with the copy must be found without, or said not to be told, and little
 * else. Skipped where there are none: tests/support/corpus.h. */
#include "tests/support/analysed.h"
#include "tests/support/corpus.h"
#include "tests/support/loaded.h"
#include "tests/support/test.h"
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const double ms = (double)PS_PS_PER_S / 1e3;

static int is_clean(const cJSON *entry)
{
        const cJSON *expected = cJSON_GetObjectItemCaseSensitive(entry, "expected_patterns");
        return cJSON_IsArray(expected) && !cJSON_GetArraySize(expected);
}

static void expect_alike(const cJSON *entry, const char *raw, const char *copy)
{
        ps_trace *t = loaded_by(copy, 1, PS_CLOCK_AUTO), *u = loaded_by(raw, 1, PS_CLOCK_AUTO);
        ps_analysis *truth = analysed(t, PS_DEFINITIONS_PATSCAN, -1, 1);
        ps_analysis *told = analysed(u, PS_DEFINITIONS_PATSCAN, -1, 1);
        analysed_match m = analysed_compare(truth, told);
        double most = is_clean(entry) ? m.truth + 2 * ms : m.both + 0.15 * m.told;
        assert_int_equal(t->clock.trust, PS_CLOCK_EXACT);
        assert_int_equal(u->clock.trust, PS_CLOCK_BOUNDED);
        if (m.both + (double)told->doubtful < 0.9 * m.truth || m.told > most || m.least > m.truth * 1.0001)
                fail_msg("%s: true %.3f, told %.3f, of it true %.3f, not to be told %.3f, at least %.3f ms",
                         corpus_text(entry, "name"), m.truth / ms, m.told / ms, m.both / ms,
                         (double)told->doubtful / ms, m.least / ms);
        ps_analysis_free(truth);
        ps_analysis_free(told);
        ps_trace_close(t);
        ps_trace_close(u);
}

TEST(raw_clocks_find_what_synchronised_ones_show)
{
        const cJSON *entry;
        int n = 0;
        corpus_open();
        cJSON_ArrayForEach(entry, corpus.manifest)
        {
                corpus_path raw, copy;
                corpus_join(raw, "%s/%s", corpus.unpacked, corpus_text(entry, "anchor"));
                memcpy(copy, raw, sizeof(copy));
                corpus_sync(copy);
                corpus_unpack(corpus_text(entry, "file"));
                if (access(copy, R_OK))
                        continue;
                expect_alike(entry, raw, copy);
                n++;
        }
        corpus_close();
        if (!n)
                skip();
}
