/* test_tally.c - findings by pattern and call path, and their order. */
#include "patterns/engine/tally.h"
#include "tests/support/test.h"
#include "tests/support/trace_maker.h"

#include <stdlib.h>
#include <string.h>

enum { PATTERNS = 9, PATHS = 300, CALLS = 20000 };

/* Of few hints many have to share one; each finding is found again in the row where it was made. */
TEST(findings_are_found_again_however_few_hints_there_are)
{
        for (size_t n_paths = 1; n_paths < 100000; n_paths *= 10) {
                ps_tally_hints hints = ps_tally_hints_for(n_paths);
                uint32_t *hint = hints.row = calloc(hints.n, sizeof(*hint));
                static uint32_t count[PATTERNS][PATHS];
                ps_tally_map map = {0};
                uint64_t seed = n_paths;
                uint32_t n = 0;
                memset(count, 0, sizeof(count));
                for (int i = 0; i < CALLS; i++) {
                        uint32_t pattern = maker_random(&seed, PATTERNS), path = maker_random(&seed, PATHS);
                        ps_finding *f = ps_tally_map_at(&map, pattern, path, 7, &hints);
                        assert_non_null(f);
                        assert_int_equal(f->pattern, pattern);
                        assert_int_equal(f->path, path);
                        assert_int_equal(f->location, 7);
                        n += !count[pattern][path];
                        assert_int_equal(f->count++, count[pattern][path]++);
                }
                assert_int_equal(map.n, n);
                ps_tally_map_free(&map);
                free(hint);
        }
}

static bool is_before(const ps_finding *a, const ps_finding *b)
{
        int by_id = strcmp(ps_pattern_at(a->pattern)->id, ps_pattern_at(b->pattern)->id);
        return a->lost != b->lost                 ? a->lost > b->lost
               : by_id                            ? by_id < 0
               : a->location != b->location       ? a->location < b->location
               : a->worst.begin != b->worst.begin ? a->worst.begin < b->worst.begin
                                                  : a->path < b->path;
}

/* Many lost the same, so that each of the further numbers decides for some. */
TEST(findings_stand_in_the_order_of_what_was_lost)
{
        uint64_t seed = 3;
        for (uint32_t n = 0; n <= 3000; n = 3 * n + 1) {
                ps_finding *row = calloc(n + 1, sizeof(*row));
                for (uint32_t i = 0; i < n; i++)
                        row[i] = (ps_finding){.pattern = maker_random(&seed, PATTERNS),
                                              .location = maker_random(&seed, 3),
                                              .path = i,
                                              .lost = (ps_time)maker_random(&seed, n / 8 + 1) << 33,
                                              .worst.begin = maker_random(&seed, 2)};
                assert_int_equal(ps_tally_sort(row, n, NULL), PS_OK);
                uint64_t paths = 0;
                for (uint32_t i = 0; i < n; i++) {
                        assert_true(!i || is_before(&row[i - 1], &row[i]));
                        paths += row[i].path;
                }
                assert_true(paths == (uint64_t)n * (n - 1) / 2 || !n);
                free(row);
        }
}
