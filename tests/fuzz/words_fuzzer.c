/* words_fuzzer.c - a text whose lines are the words of a command line: they are read as such, and each as
 * whatever the value of an option can be. */
#include "app/cli/commands.h"
#include "library/run/gate.h"
#include "library/run/select.h"
#include "simulator/dvm/dvm.h"
#include "tests/support/fuzz_lab.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WORDS_MAX = 40 };

static int is_fine(ps_status status, const ps_error *err)
{
        fuzz_must(status == PS_OK || (status == PS_E_USAGE && err->n_causes));
        return status == PS_OK;
}

static void read_options(const char *const *words, unsigned n)
{
        char *argv[WORDS_MAX + 1] = {"patscan"};
        ps_options options;
        ps_error err = {0};
        for (unsigned i = 0; i < n; i++)
                argv[i + 1] = (char *)(uintptr_t)words[i];
        if (!is_fine(ps_options_parse(&options, (int)n + 1, argv, &err), &err))
                return;
        fuzz_must(options.command && options.n_arguments <= options.command->most);
        for (unsigned i = 0; options.command->reports && i < options.reports.n; i++)
                fuzz_must(options.reports.row[i].file != NULL);
}

static void read_limits(const char *word)
{
        ps_quantity quantity;
        ps_gates gates = {0};
        ps_error err = {0};
        if (is_fine(ps_quantity_parse(&quantity, word, strlen(word), "word", &err), &err))
                fuzz_must(quantity.is_share ? quantity.share >= 0 && quantity.share <= 1
                                            : quantity.time >= 0);
        if (!is_fine(ps_gates_parse(&gates, word, &err), &err))
                return;
        for (unsigned i = 0; i < gates.n; i++)
                fuzz_must(gates.row[i].subject != PS_GATE_PATTERN ||
                          gates.row[i].pattern < ps_pattern_count());
}

static void read_patterns(const char *word)
{
        const ps_word_list none = {0}, list = {{word}, 1};
        ps_selection selection;
        ps_error err = {0};
        is_fine(ps_selection_make(&selection, &list, &none, &err), &err);
}

static void check_grids(ps_grid_list *grids)
{
        for (uint32_t i = 0; i < grids->n; i++) {
                char room[PS_GRID_ROOM];
                uint32_t count = ps_grid_count(&grids->row[i]);
                fuzz_must(count > 0 && count <= PS_MACHINE_RANKS_MAX);
                fuzz_must(strlen(ps_grid_text(room, &grids->row[i])) < PS_GRID_ROOM);
        }
        ps_grid_list_free(grids);
}

static void read_grids(const char *word)
{
        ps_grid_list grids = {0};
        ps_error err = {0};
        is_fine(ps_grids_parse(&grids, word, &err), &err);
        check_grids(&grids);
        is_fine(ps_grids_of_procs(&grids, word, 1 + strlen(word) % PS_GRID_RANK, &err), &err);
        check_grids(&grids);
}

static void read_distribution(const char *word)
{
        ps_overrides overrides;
        ps_error err = {0};
        if (is_fine(ps_overrides_parse(&overrides, &word, 1, &err), &err)) {
                const ps_dvm_override *o = overrides.row;
                fuzz_must(o->n > 0 && o->n <= PS_DVM_RANK_MAX && o->line > 0);
                for (uint32_t t = 0; t < o->n; t++)
                        fuzz_must(o->axis[t].on <= PS_GRID_RANK && o->axis[t].divisor > 0);
        }
        ps_overrides_free(&overrides);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
        const char *words[WORDS_MAX];
        char *text = fuzz_text(data, size);
        unsigned n = fuzz_lines(text, words, WORDS_MAX);
        read_options(words, n);
        for (unsigned i = 0; i < n; i++) {
                read_limits(words[i]);
                read_patterns(words[i]);
                read_grids(words[i]);
                read_distribution(words[i]);
        }
        free(text);
        return 0;
}
