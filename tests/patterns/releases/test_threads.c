/* test_threads.c - whom threads waited for, among many that fork, join and take locks at random: the same as
 * a look at all records tells. */
#include "patterns/releases/threads.h"

#include "tests/patterns/engine/lab.h"
#include "tests/support/test.h"

enum { PROCESSES = 3, THREADS = 4, LOCATIONS = PROCESSES * THREADS, RECORDS = 300, LOCKS = 3 };

static uint32_t random_below(uint32_t *state, uint32_t n)
{
        *state = *state * 1664525U + 1013904223U;
        return (*state >> 8) % n;
}

/* Many records are at one time, also of one thread. */
static void put_records(ps_gen *g, uint32_t loc, uint32_t *state)
{
        uint64_t us = 0;
        for (uint32_t i = 0; i < RECORDS; i++) {
                us += random_below(state, 3);
                const uint32_t lock = random_below(state, LOCKS);
                switch (random_below(state, 5)) {
                case 0:
                        ps_gen_put(g, loc, PS_GEN_US(us), PS_GEN_REC_OF(FORK, .op = OTF2_PARADIGM_OPENMP));
                        break;
                case 1:
                        ps_gen_put(g, loc, PS_GEN_US(us), PS_GEN_REC_OF(JOIN, .op = OTF2_PARADIGM_OPENMP));
                        break;
                case 2:
                        ps_gen_put(g, loc, PS_GEN_US(us),
                                   PS_GEN_REC_OF(LOCK_RELEASE, .op = OTF2_PARADIGM_OPENMP, .ref = lock));
                        break;
                default:
                        ps_gen_enter(g, loc, PS_GEN_US(us), "!$omp critical @a.c:5");
                        us += random_below(state, 8);
                        ps_gen_put(g, loc, PS_GEN_US(us),
                                   PS_GEN_REC_OF(LOCK_ACQUIRE, .op = OTF2_PARADIGM_OPENMP, .ref = lock));
                        ps_gen_leave(g, loc, PS_GEN_US(us), "!$omp critical @a.c:5");
                }
        }
}

static ps_trace *random_threads(uint32_t seed)
{
        ps_gen *g = ps_gen_new(NULL, (ps_gen_options){.ranks = PROCESSES, .threads = THREADS});
        for (uint32_t i = 0; i < LOCATIONS; i++)
                put_records(g, ps_gen_at(g, i / THREADS, i % THREADS), &seed);
        return engine_load(g);
}

static void make_threads(ps_threads *out, const ps_trace *trace)
{
        ps_error err = {0};
        *out = (ps_threads){0};
        for (ps_loc l = 0; l < trace->n_locs; l++)
                assert_int_equal(ps_threads_add(out, trace, &trace->measured, l, &err), PS_OK);
        assert_int_equal(ps_threads_sort(out, trace->defs.processes.n, &err), PS_OK);
}

/* What is asked for: a kind, of a process; of a lock that others than `not_of` give back. */
struct wanted {
        ps_kind kind;
        ps_proc process;
        ps_time from, until; /* behind `from` and up to `until` */
        uint32_t lock;
        ps_loc not_of;
};

static bool is_wanted(const struct wanted *w, const ps_trace *trace, ps_ref ref)
{
        const ps_time time = trace->measured.leave[ref.loc][ref.op];
        return trace->ops[ref.loc].kind[ref.op] == w->kind &&
               ps_trace_process(trace, ref.loc) == w->process && time > w->from && time <= w->until &&
               ref.loc != w->not_of &&
               (w->kind != PS_K_LOCK_RELEASE || ps_op_tag(&trace->ops[ref.loc], ref.op) == w->lock);
}

/* Of all that are wanted the last by time and place, or the last of those that come first. */
static ps_ref look_at_all(const struct wanted *w, const ps_trace *trace, bool first)
{
        ps_ref found = {PS_NONE, PS_NONE};
        ps_time at = 0;
        for (ps_loc l = 0; l < trace->n_locs; l++)
                for (ps_op op = 0; op < trace->ops[l].n; op++) {
                        const ps_time time = trace->measured.leave[l][op];
                        if (!is_wanted(w, trace, (ps_ref){l, op}) ||
                            (found.op != PS_NONE && (first ? time > at : time < at)))
                                continue;
                        found = (ps_ref){l, op};
                        at = time;
                }
        return found;
}

static void expect_giver(const ps_giver *giver, ps_ref expected)
{
        assert_int_equal(giver ? giver->ref.loc : PS_NONE, expected.loc);
        assert_int_equal(giver ? giver->ref.op : PS_NONE, expected.op);
}

static void expect_as_all_say(const ps_threads *t, const ps_trace *trace, ps_ref ref, ps_giving *forks,
                              ps_giving *joins, ps_lock_near *near)
{
        const ps_time enter = trace->measured.enter[ref.loc][ref.op],
                      leave = trace->measured.leave[ref.loc][ref.op];
        const uint32_t lock = ps_op_tag(&trace->ops[ref.loc], ref.op);
        struct wanted w = {PS_K_THREAD_FORK, ps_trace_process(trace, ref.loc), INT64_MIN, leave, 0, PS_NONE};
        expect_giver(ps_giving_last(forks, leave), look_at_all(&w, trace, false));
        w = (struct wanted){PS_K_THREAD_JOIN, w.process, leave - 1, PS_TIME_MAX, 0, PS_NONE};
        expect_giver(ps_giving_first(joins, leave), look_at_all(&w, trace, true));
        if (trace->ops[ref.loc].kind[ref.op] != PS_K_LOCK_ACQUIRE)
                return;
        w = (struct wanted){PS_K_LOCK_RELEASE, w.process, enter, leave, lock, ref.loc};
        expect_giver(ps_threads_holder(t, w.process, lock, ref.loc, (ps_span){enter, leave}, near),
                     look_at_all(&w, trace, false));
}

/* Whoever looks goes on from where somebody else of its process was, or begins anywhere. */
TEST(threads_wait_for_whom_a_look_at_all_records_tells)
{
        for (uint32_t seed = 1; seed <= 3; seed++) {
                ps_trace *trace = random_threads(seed);
                ps_threads t;
                make_threads(&t, trace);
                ps_lock_near near = {0};
                for (ps_loc l = 0; l < trace->n_locs; l++) {
                        const ps_proc process = ps_trace_process(trace, l);
                        ps_giving forks = ps_givers_of(&t.forks, process, 7 * l);
                        ps_giving joins = ps_givers_of(&t.joins, process, t.joins.n - l);
                        for (ps_op op = 0; op < trace->ops[l].n; op++)
                                expect_as_all_say(&t, trace, (ps_ref){l, op}, &forks, &joins, &near);
                }
                ps_threads_clear(&t);
                engine_end(NULL, trace);
        }
}

/* Nobody forks, and nobody gives a lock back. */
TEST(who_is_alone_waits_for_nobody)
{
        ps_gen *g = ps_gen_new(NULL, (ps_gen_options){.ranks = 1, .threads = 2});
        ps_gen_put(g, ps_gen_at(g, 0, 1), PS_GEN_US(10),
                   PS_GEN_REC_OF(LOCK_ACQUIRE, .op = OTF2_PARADIGM_OPENMP, .ref = 1));
        ps_trace *trace = engine_load(g);
        ps_threads t;
        ps_lock_near near = {0};
        make_threads(&t, trace);
        ps_giving forks = ps_givers_of(&t.forks, 0, 0), joins = ps_givers_of(&t.joins, 0, 0);
        assert_null(ps_giving_last(&forks, PS_TIME_MAX));
        assert_null(ps_giving_first(&joins, 0));
        assert_null(ps_threads_holder(&t, 0, 1, 1, (ps_span){0, PS_TIME_MAX}, &near));
        ps_threads_clear(&t);
        engine_end(NULL, trace);
}
