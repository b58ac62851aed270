/* calibrate_fuzzer.c - feeds a text to the reader of round trips.
 *
 * What is read must be in order, and either give a machine that prints and reads back, or a reason. */
#include "simulator/calibrate/calibrate.h"
#include "simulator/cost/models.h"
#include "simulator/machine/file.h"
#include "tests/support/fuzz_lab.h"

#include <stdlib.h>
#include <string.h>

static void check_table(const ps_rtt_table *table)
{
        fuzz_must(table->n > 0 && table->n_ranks > 0 && table->n_ranks <= PS_RTT_RANKS_MAX);
        for (uint32_t i = 0; i < table->n_ranks; i++)
                fuzz_must(table->node_of_rank[i] <= i);
        for (size_t i = 0; i < table->n; i++) {
                const ps_rtt_row *row = &table->row[i];
                fuzz_must(row->kind < PS_RTT_KINDS && row->least_s > 0 && row->bytes >= 0 &&
                          ps_rtt_time(row) > 0);
                fuzz_must(row->kind == PS_RTT_SCATTER || row->kind == PS_RTT_GATHER ||
                          (row->rank[0] < table->n_ranks && row->rank[1] < table->n_ranks));
                fuzz_must(i == 0 || table->row[i - 1].kind <= row->kind);
        }
}

/* Parameters beyond what a machine may have are refused by its reader, and by nobody else. */
static void check_machine(const ps_machine *machine)
{
        ps_machine *again;
        ps_error err = {0};
        char *text;
        fuzz_must(ps_machine_print(&text, machine, &err) == PS_OK);
        if (ps_machine_parse(&again, text, strlen(text), "calibrated", &err) == PS_OK)
                fuzz_must(ps_machine_p2p(again, 0, 1, 1000) >= 0);
        else
                fuzz_must(err.status == PS_E_INPUT);
        free(text);
        ps_machine_free(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
        static const ps_model models[] = {PS_MODEL_HOCKNEY, PS_MODEL_LOGGP, PS_MODEL_PLOGP, PS_MODEL_LMO,
                                          PS_MODEL_HLMO};
        ps_rtt_table *table;
        ps_error err = {0};
        if (ps_rtt_parse(&table, (const char *)data, size, "fuzz", &err) != PS_OK) {
                fuzz_must(!table && err.n_causes > 0 && err.status == PS_E_INPUT);
                return 0;
        }
        check_table(table);
        for (size_t i = 0; i < sizeof(models) / sizeof(models[0]); i++) {
                ps_samples samples = {0};
                ps_calibration c;
                fuzz_must(ps_samples_add_table(&samples, table, &err) == PS_OK);
                fuzz_must(ps_samples_finish(&samples, &err) == PS_OK);
                fuzz_must(ps_calibrate(&c, &samples, table, models[i], &err) == PS_OK);
                if (!c.refusal)
                        check_machine(&c.machine);
                ps_calibration_clear(&c);
                ps_samples_free(&samples);
        }
        ps_rtt_free(table);
        return 0;
}
