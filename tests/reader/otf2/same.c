/* same.c - see same.h. */
#include "tests/reader/otf2/same.h"

#include "tests/support/damage.h"
#include "tests/support/loaded.h"
#include "tests/support/sanitized.h"
#include "tests/support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Apart, but every way to damage a byte comes: the distance and the number of ways have no divisor in common.
 */
enum { FIRST_DAMAGED = 18, APART = THREAD_SANITIZED ? 121 : SANITIZED ? 40 : 13 };

void expect_same(const char *path)
{
        const ps_load_options options[] = {{.n_threads = 1},
                                           {.n_threads = 2, .pieces = &loaded_pieces},
                                           {.n_threads = 1, .clock = PS_CLOCK_AS_IS},
                                           {.n_threads = 1, .portion_bytes = PORTION_BYTES}};
        for (size_t i = 0; i < sizeof(options) / sizeof(*options); i++) {
                const char *difference = loaded_difference_of_batches(path, &options[i]);
                if (difference)
                        fail_msg("%s: %s differ (%zu)", path, difference, i);
        }
}

void expect_same_damaged(ps_gen *g)
{
        static const uint8_t flips[] = {0xff, 0x01, 0x10};
        char *path = strdup(ps_gen_events_file(g, 0));
        size_t n = (size_t)ps_file_size(path);
        uint8_t *data = malloc(n);
        FILE *file = fopen(path, "rb");
        if (!path || !data || !file || fread(data, 1, n, file) != n)
                ps_test_die("cannot read: path=\"%s\"", path);
        fclose(file);
        for (size_t i = FIRST_DAMAGED; i < n * sizeof(flips); i += APART) {
                uint8_t byte = data[i / sizeof(flips)] ^ flips[i % sizeof(flips)];
                ps_file_patch(path, i / sizeof(flips), &byte, 1);
                expect_same(ps_gen_anchor(g));
                ps_file_patch(path, i / sizeof(flips), &data[i / sizeof(flips)], 1);
        }
        while (n >= FIRST_DAMAGED + APART) {
                n -= APART;
                ps_file_truncate(path, n);
                expect_same(ps_gen_anchor(g));
        }
        free(data);
        free(path);
        ps_gen_free(g);
}
