/* bmf_fuzzer.c - feeds a text to the simulator as a BMF program; what follows a byte of 0 is its library.
 * With small limits, so that the machine's work stays small; what runs is loaded and analysed. */
#include "simulator/bmf/bmf.h"
#include "tests/support/analysed.h"
#include "tests/support/fuzz_lab.h"

#include <stdlib.h>
#include <string.h>

static const ps_bmf_limits small = {.processors = 24,
                                    .text_bytes = 1 << 16,
                                    .nesting = 100,
                                    .value_depth = 20,
                                    .items = 20000,
                                    .steps = 20000,
                                    .events = 3000};

static void check_result(const ps_bmf_run *run)
{
        ps_bmf_text again;
        ps_bmf_program *copy;
        size_t len = strlen(run->result), first = strlen("B_Id ");
        char *text = malloc(first + len + 1);
        fuzz_must(text != NULL);
        memcpy(text, "B_Id ", first);
        memcpy(text + first, run->result, len + 1);
        again = (ps_bmf_text){"again", text, first + len};
        /* A result is BMF data, unless it is as large as no text may be. */
        if (again.len <= small.text_bytes) {
                fuzz_must(ps_bmf_parse(&copy, &again, NULL, NULL, NULL) == PS_OK);
                ps_bmf_program_free(copy);
        }
        free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
        ps_bmf_program *program;
        ps_bmf_run run;
        ps_bmf_options options = {.costs = ps_bmf_costs_default, .limits = &small};
        const char *text = (const char *)data;
        const char *cut = size ? memchr(text, 0, size) : NULL;
        ps_bmf_text own = {"program", text, cut ? (size_t)(cut - text) : size};
        ps_bmf_text library = {"library", cut ? cut + 1 : NULL, cut ? size - own.len - 1 : 0};
        ps_error err = {0};
        options.network = size % 3 == 0 ? "ring" : NULL;
        if (ps_bmf_parse(&program, &own, cut ? &library : NULL, &small, &err) != PS_OK) {
                fuzz_must(err.status == PS_E_INPUT);
                return 0;
        }
        if (ps_bmf_simulate(&run, program, &options, &err) == PS_OK) {
                ps_trace *trace = NULL;
                check_result(&run);
                if (size % 5 == 0 && ps_recording_load(&trace, run.recording, NULL, NULL) == PS_OK)
                        analysed_hostile(trace);
                ps_trace_close(trace);
                ps_bmf_run_clear(&run);
        } else {
                fuzz_must(err.status == PS_E_INPUT || err.status == PS_E_USAGE);
        }
        ps_bmf_program_free(program);
        return 0;
}
