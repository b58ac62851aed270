/* test_merge.c - profiles of few locations, which are followed in order of time, are those that come of all
 * changes put in order. */
#include "core/sums/profile.h"
#include "core/sums/turns.h"
#include "tests/support/dumped.h"
#include "tests/support/loaded.h"
#include "tests/support/made_up.h"
#include "tests/support/random_program.h"
#include "tests/support/test.h"

#include <stdlib.h>
#include <string.h>

static const ps_time s = PS_PS_PER_S;

static void check_same(const ps_profile *p, const ps_profile *sorted)
{
        assert_int_equal(p->n_rows, sorted->n_rows);
        assert_memory_equal(p->rows, sorted->rows, p->n_rows * sizeof(*p->rows));
        assert_memory_equal(&p->messages, &sorted->messages, sizeof(p->messages));
        assert_memory_equal(&p->bytes, &sorted->bytes, sizeof(p->bytes));
        assert_int_equal(p->n_pairs, sorted->n_pairs);
        assert_memory_equal(p->pairs, sorted->pairs, p->n_pairs * sizeof(*p->pairs));
        for (int state = 0; state < PS_STATE_COUNT; state++)
                assert_memory_equal(p->concurrency[state], sorted->concurrency[state],
                                    (p->n_rows + 1) * sizeof(ps_time));
}

/* Where queues are told over time, changes are put in order. Nobody goes on behind the end of a bin, of which
 * there are many then; so it is done with a single one, too. */
static void check_order(const ps_trace *trace)
{
        ps_profile *sorted, *p, *in_one;
        assert_int_equal(ps_profile_make_fine(&sorted, trace, &trace->measured, NULL), PS_OK);
        assert_int_equal(ps_profile_make(&p, trace, &trace->measured, PS_PROFILE_BINS_FINE, NULL), PS_OK);
        assert_int_equal(ps_profile_make(&in_one, trace, &trace->measured, 1, NULL), PS_OK);
        check_same(p, sorted);
        check_same(in_one, sorted);
        assert_int_equal(p->n_bins, sorted->n_bins);
        assert_memory_equal(p->bins, sorted->bins, p->n_bins * sizeof(*p->bins));
        ps_profile_free(p);
        ps_profile_free(in_one);
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

/* -- by hand -- */

enum { SEND, RECV, BARRIER, N_REGIONS };

static void call(ps_recording *r, ps_loc location, ps_time begin, ps_time end, ps_event event)
{
        static const ps_region regions[PS_EV_COUNT] = {[PS_EV_RECV] = RECV, [PS_EV_COLL_END] = BARRIER};
        const ps_region region = regions[event.kind];
        event.time = event.kind == PS_EV_SEND ? begin : end;
        made_up_event(r, location, (ps_event){.kind = PS_EV_ENTER, .time = begin, .ref = region});
        made_up_event(r, location, event);
        made_up_event(r, location, (ps_event){.kind = PS_EV_LEAVE, .time = end, .ref = region});
}

static void send(ps_recording *r, ps_loc from, ps_loc to, ps_time begin, ps_time end)
{
        call(r, from, begin, end, (ps_event){.kind = PS_EV_SEND, .peer = to, .comm = 0, .bytes = 8});
}

static void receive(ps_recording *r, ps_loc to, ps_loc from, ps_time begin, ps_time end)
{
        call(r, to, begin, end, (ps_event){.kind = PS_EV_RECV, .peer = from, .comm = 0, .bytes = 8});
}

static ps_recording *processes(uint32_t n)
{
        static const char *const names[] = {"MPI_Send", "MPI_Recv", "MPI_Barrier"};
        ps_recording *r = made_up_recording(n);
        made_up_regions(r, names, N_REGIONS, PS_PARADIGM_MPI);
        return r;
}

static ps_trace *finished(ps_recording *r)
{
        ps_trace *trace;
        assert_int_equal(ps_recording_load(&trace, r, NULL, NULL), PS_OK);
        ps_recording_free(r);
        return trace;
}

static void exchange(ps_recording *r, ps_time begin, ps_time end)
{
        for (; begin < end; begin += 2 * s) {
                send(r, 0, 1, begin, begin + s);
                receive(r, 1, 0, begin, begin + s);
        }
}

/* Long after the begin, up to where changes are put in order, and long before the end: in a barrier that
 * follows a call in which the other process goes on, a message is sent. */
TEST(a_call_with_one_in_it_may_follow_one_that_others_go_on_in)
{
        ps_recording *r = processes(2);
        exchange(r, 0, 600 * s);
        send(r, 0, 1, 602 * s, 610 * s);
        receive(r, 1, 0, 601 * s, 604 * s);
        receive(r, 1, 0, 605 * s, 625 * s);
        made_up_event(r, 0, (ps_event){.kind = PS_EV_ENTER, .time = 611 * s, .ref = BARRIER});
        send(r, 0, 1, 612 * s, 613 * s);
        made_up_event(r, 0,
                      (ps_event){.kind = PS_EV_COLL_END,
                                 .time = 630 * s,
                                 .op = PS_K_BARRIER,
                                 .comm = 0,
                                 .peer = PS_NONE});
        made_up_event(r, 0, (ps_event){.kind = PS_EV_LEAVE, .time = 630 * s, .ref = BARRIER});
        exchange(r, 640 * s, 660 * s);
        ps_trace *trace = finished(r);
        check_order(trace);
        ps_trace_close(trace);
}

static ps_time random_below(uint64_t *seed, ps_time limit)
{
        *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        return (ps_time)(*seed >> 33) % limit;
}

/* Each receives from the one before and sends to the next one, over and over. */
static ps_trace *pipeline(uint32_t n, uint64_t *seed)
{
        enum { STEPS = 1000, LONGEST = 1000 };
        ps_time now[PS_TURNS] = {0};
        ps_recording *r = processes(n);
        for (unsigned step = 0; step < STEPS; step++) {
                ps_time sent = 0;
                for (ps_loc loc = 0; loc < n; loc++) {
                        ps_time begin = now[loc] + 1 + random_below(seed, LONGEST);
                        ps_time end = (begin > sent ? begin : sent) + 1 + random_below(seed, LONGEST);
                        if (loc)
                                receive(r, loc, loc - 1, begin, end);
                        sent = end + 1 + random_below(seed, LONGEST);
                        now[loc] = sent + 1 + random_below(seed, LONGEST);
                        if (loc + 1 < n)
                                send(r, loc, loc + 1, sent, now[loc]);
                }
        }
        return finished(r);
}

/* Few calls end when later ones have begun, in the run or long after it. No trace that is loaded has all of
 * such ends, but what was kept of one, and forged, may have. */
static void make_late(ps_trace *trace, uint64_t *seed)
{
        enum { RARE = 100, BITS = 60 };
        for (ps_loc loc = 0; loc < trace->n_locs; loc++)
                for (ps_op op = 0; op < trace->ops[loc].n; op++)
                        if (random_below(seed, RARE) == 0)
                                trace->measured.leave[loc][op] += INT64_C(1) << random_below(seed, BITS);
}

TEST(calls_that_end_late_are_looked_at_more_closely)
{
        for (uint64_t seed = 0, n = 2; n <= PS_TURNS; n++)
                for (unsigned again = 0; again < 20; again++) {
                        ps_trace *trace = pipeline((uint32_t)n, &seed);
                        check_order(trace);
                        make_late(trace, &seed);
                        check_order(trace);
                        ps_trace_close(trace);
                }
}

/* Numbers of turns count 32 for a picosecond, and would come round. */
TEST(what_ends_long_after_the_run_is_looked_at_more_closely)
{
        uint64_t seed = 0;
        ps_trace *trace = pipeline(2, &seed);
        for (ps_op op = trace->ops[0].n / 2; op < trace->ops[0].n; op++) {
                trace->measured.enter[0][op] += INT64_C(1) << 60;
                trace->measured.leave[0][op] += INT64_C(1) << 60;
        }
        trace->measured.leave[0][trace->ops[0].n / 2 - 1] += INT64_C(1) << 59;
        check_order(trace);
        ps_trace_close(trace);
}
