/* report_fuzzer.c - feeds a text to the reader of saved reports, and compares what it makes of it: with
 * itself, which has to show no difference, and with another report. Then it is a baseline. */
#include "report/comparison/comparison.h"
#include "report/saved/baseline.h"
#include "tests/support/fuzz_lab.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

static const char other[] =
        "{\"schema\": \"patscan-report-1\", \"trace\": {\"format\": \"otf2\", \"processes\": 2, "
        "\"duration_s\": 2.5, "
        "\"clock\": {\"resolution_hz\": 1000000000}}, \"patterns\": [{\"id\": \"late-sender\", \"lost_s\": "
        "1.5}], "
        "\"findings\": [{\"site\": \"0123456789abcdef\", \"type\": \"late-sender\", \"lost_s\": 1.5, "
        "\"line\": 7}], "
        "\"intervals\": [{\"type\": \"main\", \"execution_s\": 2.5, \"processors\": [{\"execution_s\": 2.5, "
        "\"communication_s\": 1.5}, {\"execution_s\": 2, \"communication_s\": 0}], \"children\": [{\"type\": "
        "\"user\", "
        "\"name\": \"solve\", \"execution_s\": 1, \"processors\": [{\"execution_s\": 1, \"communication_s\": "
        "0}, "
        "{\"execution_s\": 1, \"communication_s\": 0}]}]}]}";

static void compare(const ps_run *a, const ps_run *b, double tolerance)
{
        static ps_status (*const writers[])(const ps_compare *, ps_output *,
                                            ps_error *) = {ps_compare_write_text, ps_compare_write_json,
                                                           ps_compare_write_html, ps_compare_write_markdown};
        ps_compare_options options = {.tolerance = tolerance};
        ps_compare *c;
        ps_output *out;

        fuzz_must(ps_compare_new(&c, a, b, &options, NULL) == PS_OK);
        fuzz_must(c->n_contributions <= PS_CONTRIBUTIONS);
        if (a == b)
                fuzz_must(!c->total_exceeded && !c->intervals_exceeded && !c->n_contributions);
        for (size_t i = 0; i < sizeof(writers) / sizeof(*writers); i++) {
                fuzz_must(ps_output_open_memory(&out, PS_WIDTH_DEFAULT, NULL) == PS_OK);
                fuzz_must(writers[i](c, out, NULL) == PS_OK && ps_output_text(out));
                ps_output_discard(out);
        }
        ps_compare_free(c);
}

static void read_baseline(const uint8_t *data, size_t size)
{
        const char *path = fuzz_path();
        ps_baseline baseline;
        ps_error err = {0};
        fuzz_write(path, data, size);
        ps_status status = ps_baseline_read(&baseline, path, &err);
        fuzz_must(status == PS_OK || (status == PS_E_INPUT && err.n_causes && !baseline.findings.n));
        for (size_t i = 1; i < baseline.findings.n; i++)
                fuzz_must(baseline.findings.site[i - 1] <= baseline.findings.site[i]);
        ps_baseline_clear(&baseline);
        unlink(path);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
        char *text = fuzz_text(data, size);
        ps_error err = {0};
        ps_run run, known;

        if (ps_run_parse(&run, text, size, "fuzz", &err) == PS_OK) {
                fuzz_must(ps_run_parse(&known, other, sizeof(other) - 1, "other", &err) == PS_OK);
                compare(&run, &run, 0);
                compare(&run, &known, 0.05);
                compare(&known, &run, NAN);
                ps_run_clear(&known);
        } else {
                fuzz_must(err.n_causes > 0 && err.status == PS_E_INPUT);
        }
        ps_run_clear(&run);
        free(text);
        read_baseline(data, size);
        return 0;
}
