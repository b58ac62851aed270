/* report_fuzzer.c - feeds a text to the reader of saved reports, and compares what it makes of it: with
 * itself, which has to show no difference, and with another report. */
#include "report/compare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

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

static void check(int holds)
{
        if (!holds)
                abort();
}

static void compare(const ps_run *a, const ps_run *b, double tolerance)
{
        static ps_status (*const writers[])(const ps_compare *, ps_output *,
                                            ps_error *) = {ps_compare_write_text, ps_compare_write_json,
                                                           ps_compare_write_html, ps_compare_write_markdown};
        ps_compare_options options = {.tolerance = tolerance};
        ps_compare *c;
        ps_output *out;

        check(ps_compare_new(&c, a, b, &options, NULL) == PS_OK);
        check(c->n_contributions <= PS_CONTRIBUTIONS);
        if (a == b)
                check(!c->total_exceeded && !c->intervals_exceeded && !c->n_contributions);
        for (size_t i = 0; i < sizeof(writers) / sizeof(*writers); i++) {
                check(ps_output_open_memory(&out, PS_WIDTH_DEFAULT, NULL) == PS_OK);
                check(writers[i](c, out, NULL) == PS_OK && ps_output_text(out));
                ps_output_discard(out);
        }
        ps_compare_free(c);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
        char *text = malloc(size + 1);
        ps_error err = {0};
        ps_run run, known;

        check(text != NULL);
        memcpy(text, data, size);
        text[size] = '\0';
        if (ps_run_parse(&run, text, size, "fuzz", &err) == PS_OK) {
                check(ps_run_parse(&known, other, sizeof(other) - 1, "other", &err) == PS_OK);
                compare(&run, &run, 0);
                compare(&run, &known, 0.05);
                compare(&known, &run, NAN);
                ps_run_clear(&known);
        } else {
                check(err.n_causes > 0 && err.status == PS_E_INPUT);
        }
        ps_run_clear(&run);
        free(text);
        return 0;
}
