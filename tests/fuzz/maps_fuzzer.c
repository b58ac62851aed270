/* maps_fuzzer.c - a map of ranks: what is read maps each rank once at the most, and into the limits. */
#include "core/model/rank_map.h"
#include "tests/support/fuzz_lab.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
        char *text = fuzz_text(data, size);
        uint32_t *map, n;
        ps_error err = {0};
        ps_status status = ps_rank_map_parse(&map, &n, text, "fuzz", "FORM", &err);
        if (status == PS_OK) {
                fuzz_must(n > 0 && n <= PS_RANK_MAX && map[n - 1] != PS_NONE);
                for (uint32_t i = 0; i < n; i++)
                        fuzz_must(map[i] == PS_NONE || map[i] < PS_RANK_MAX);
                free(map);
        } else {
                fuzz_must(status == PS_E_INPUT && err.n_causes && !map && !n);
        }
        free(text);
        return 0;
}
