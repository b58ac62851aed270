/* test_merge.c - profiles of few locations, which are followed in order of time, are those that come of all
 * changes put in order. */
#include "core/sums/profile.h"
#include "tests/support/dumped.h"
#include "tests/support/loaded.h"
#include "tests/support/random_program.h"
#include "tests/support/test.h"
#include <stdlib.h>

static const ps_time s = PS_PS_PER_S;

/* Where queues are told over time, all changes of a window are put in order. */
static void check_order(const ps_trace *trace)
{
        ps_profile *sorted, *p;
        assert_int_equal(ps_profile_make(&p, trace, &trace->measured, PS_PROFILE_BINS_FINE, NULL), PS_OK);
        assert_int_equal(ps_profile_make_fine(&sorted, trace, &trace->measured, NULL), PS_OK);
        assert_int_equal(p->n_rows, sorted->n_rows);
        assert_int_equal(p->n_bins, sorted->n_bins);
        assert_memory_equal(p->rows, sorted->rows, p->n_rows * sizeof(*p->rows));
        assert_memory_equal(p->bins, sorted->bins, p->n_bins * sizeof(*p->bins));
        assert_memory_equal(&p->messages, &sorted->messages, sizeof(p->messages));
        assert_memory_equal(&p->bytes, &sorted->bytes, sizeof(p->bytes));
        assert_int_equal(p->n_pairs, sorted->n_pairs);
        assert_memory_equal(p->pairs, sorted->pairs, p->n_pairs * sizeof(*p->pairs));
        for (int state = 0; state < PS_STATE_COUNT; state++)
                assert_memory_equal(p->concurrency[state], sorted->concurrency[state],
                                    (p->n_rows + 1) * sizeof(ps_time));
        ps_profile_free(p);
        ps_profile_free(sorted);
}

/* Times of many calls are the same then, and many calls take no time. */
static void make_coarse(ps_trace *trace, ps_time unit)
{
        for (ps_loc loc = 0; loc < trace->n_locs; loc++)
                for (ps_op op = 0; op < trace->ops[loc].n; op++) {
                        trace->measured.enter[loc][op] -= trace->measured.enter[loc][op] % unit;
                        trace->measured.leave[loc][op] -= trace->measured.leave[loc][op] % unit;
                }
}

static uint32_t draw(uint32_t *random, uint32_t n)
{
        *random = *random * 1664525U + 1013904223U;
        return (uint32_t)((uint64_t)n * (*random >> 8) >> 24);
}

/* Every so many rows, some are one call. What is sent is so sooner, and what is received later. */
static void make_twins(ps_trace *trace, uint32_t *random, uint32_t every)
{
        for (ps_loc loc = 0; loc < trace->n_locs; loc++) {
                ps_time *enter = trace->measured.enter[loc], *leave = trace->measured.leave[loc];
                const ps_op n = trace->ops[loc].n;
                for (ps_op first = draw(random, every); first < n; first += 1 + draw(random, 2 * every)) {
                        const ps_op more = 1 + draw(random, 3),
                                    last = n - first > more ? first + more : n - 1;
                        const ps_time end = leave[last];
                        for (ps_op op = first; op <= last; op++) {
                                enter[op] = enter[first];
                                leave[op] = end;
                        }
                        first = last;
                }
        }
}

/* Some rows go on for as long as a few that follow. What is received by them is so later. */
static void make_nests(ps_trace *trace, uint32_t *random, uint32_t every)
{
        for (ps_loc loc = 0; loc < trace->n_locs; loc++) {
                ps_time *leave = trace->measured.leave[loc];
                const ps_op n = trace->ops[loc].n;
                for (ps_op op = draw(random, every); op + 3 < n; op += 1 + draw(random, 2 * every))
                        leave[op] = ps_time_later(leave[op], leave[op + 1 + draw(random, 3)]);
        }
}

/* Between operations, mostly as long as one may be, or shorter, and in some of them. */
static ps_idle idle_near(const ps_timing *timing, ps_loc loc, ps_op op, uint32_t *random)
{
        const ps_time *enter = timing->enter[loc], *leave = timing->leave[loc];
        const bool is_inside = draw(random, 16) == 0;
        const ps_time room = is_inside ? leave[op] - enter[op] : enter[op + 1] - leave[op];
        const ps_time begin = draw(random, 2) ? 0 : room * draw(random, 8) / 8;
        return (ps_idle){op, is_inside, begin, draw(random, 2) ? room : begin + (room - begin) / 2};
}

static ps_idle *make_idle(ps_trace *trace, ps_loc loc, uint32_t *random, uint32_t every)
{
        ps_location_info *info = &trace->info[loc];
        const ps_op n = trace->ops[loc].n;
        ps_idle *idle = calloc(n + (size_t)1, sizeof(*idle)), *first = info->idle;
        assert_non_null(idle);
        info->idle = idle;
        info->n_idle = 0;
        for (ps_op op = draw(random, every); op + 1 < n; op += draw(random, 2 * every))
                if (info->n_idle < n)
                        idle[info->n_idle++] = idle_near(&trace->measured, loc, op, random);
                else
                        break;
        return first;
}

/* With times like these, with some rows made one call, with some made idle between, and with some in others.
 */
static void check_odd(ps_trace *trace, uint32_t seed)
{
        ps_idle *kept[RANDOM_MAX_RANKS * 8];
        uint32_t n_kept[RANDOM_MAX_RANKS * 8], random = seed + 1;
        const uint32_t every = 2U << seed % 6;
        if (trace->n_locs > RANDOM_MAX_RANKS * 8)
                return;
        check_order(trace);
        for (ps_loc loc = 0; loc < trace->n_locs; loc++) {
                n_kept[loc] = trace->info[loc].n_idle;
                kept[loc] = make_idle(trace, loc, &random, every);
        }
        check_order(trace);
        make_twins(trace, &random, every);
        check_order(trace);
        make_nests(trace, &random, every);
        check_order(trace);
        for (ps_loc loc = 0; loc < trace->n_locs; loc++) {
                free(trace->info[loc].idle);
                trace->info[loc].idle = kept[loc];
                trace->info[loc].n_idle = n_kept[loc];
        }
        check_order(trace);
}

static void check(const char *anchor, uint32_t seed)
{
        for (ps_time unit = 1; unit<s; unit *= unit> 1 ? 100 : 100 * PS_PS_PER_NS) {
                ps_trace *trace = loaded_by(anchor, 1, PS_CLOCK_AUTO);
                make_coarse(trace, unit);
                check_odd(trace, seed);
                ps_trace_close(trace);
        }
}

static void check_micro(const char *anchor, const char *title)
{
        check(anchor, (uint32_t)strlen(title));
}

TEST(micro_traces_have_the_same_profile)
{
        dumped_each_micro(check_micro);
}

TEST(random_programs_have_the_same_profile)
{
        static const int64_t skew[RANDOM_MAX_RANKS] = {0, 5000, -3000, 700, 0, 1, 2, 3};
        for (uint64_t seed = 0; seed < 16; seed++) {
                uint32_t n_messages, n_colls;
                random_program program = {.seed = seed,
                                          .ranks = seed % 4 == 3 ? 2 : 6,
                                          .steps = 300,
                                          .noise = 1000,
                                          .teams = seed % 4 == 3,
                                          .nonblocking = seed % 4 == 1};
                program.options.style = seed % 2 ? PS_GEN_EZTRACE : PS_GEN_SCOREP;
                program.options.skew = seed % 4 == 2 ? skew : NULL;
                program.options.threads = program.teams ? 3 : 0;
                ps_gen *g = random_program_write(&program, &n_messages, &n_colls);
                check(ps_gen_anchor(g), (uint32_t)seed);
                ps_gen_free(g);
        }
}
