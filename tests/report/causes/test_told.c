/* test_told.c - what a reader is told of who makes others wait: in words that fit what it does, and one cause
 * a construct where it holds a lock. Times are microseconds. */
#include "tests/report/causes/lab.h"
#include "tests/support/test.h"
#include "tests/support/tracegen.h"

#include <stdio.h>
#include <string.h>

#define AT(t) PS_GEN_US(t)

static struct told tell(ps_gen *g)
{
        ps_gen_close(g);
        return lab_tell(ps_gen_anchor(g), PS_CLOCK_AS_IS);
}

static void expect_cause(const struct told *t, uint32_t group, const char *text)
{
        char room[PS_COMMENT_ROOM];
        ps_sentence said = {room, sizeof(room), 0};
        assert_true(group < t->blame.n_groups);
        ps_cause_say(&said, t->report, &t->blame.group[group]);
        assert_string_equal(room, text);
}

static void mark_lock(ps_gen *g, uint32_t loc, uint64_t at, bool takes)
{
        ps_gen_rec rec = {.kind = takes ? PS_GEN_R_LOCK_ACQUIRE : PS_GEN_R_LOCK_RELEASE,
                          .op = OTF2_PARADIGM_OPENMP,
                          .ref = 1};
        ps_gen_put(g, loc, AT(at), rec);
}

static void critical(ps_gen *g, uint32_t loc, uint64_t from, uint64_t taken, uint64_t until)
{
        static const char section[] = "!$omp critical @a.c:5";
        ps_gen_enter(g, loc, AT(from), section);
        mark_lock(g, loc, taken, true);
        mark_lock(g, loc, until, false);
        ps_gen_leave(g, loc, AT(until), section);
}

/* Thread 1 waits for the section from 20 to 100, thread 0 from 120 to 350; then thread 1 waits in a barrier
 * for thread 0, which holds the section from 350 to 450. So thread 0 holds up the other by 80 at the lock and
 * 100 at the barrier, which is mostly no lock, and thread 1 by 230 at the lock: all of it is the section's.
 */
TEST(a_section_is_one_cause_also_where_others_wait_for_it_at_a_barrier)
{
        static const char barrier[] = "!$omp implicit barrier @a.c:9";
        ps_gen *g = ps_gen_new(NULL, (ps_gen_options){.threads = 2});
        uint32_t at[] = {ps_gen_at(g, 0, 0), ps_gen_at(g, 0, 1)};
        uint32_t team = ps_gen_team(g, "team", at, 2);
        for (int i = 0; i < 2; i++)
                ps_gen_put(g, at[i], 0, PS_GEN_REC_OF(TEAM_BEGIN, .comm = team));
        critical(g, at[0], 10, 10, 100);
        critical(g, at[0], 120, 350, 450);
        critical(g, at[1], 20, 100, 350);
        ps_gen_visit(g, at[0], AT(450), AT(451), barrier);
        ps_gen_visit(g, at[1], AT(350), AT(451), barrier);
        for (int i = 0; i < 2; i++)
                ps_gen_put(g, at[i], AT(460), PS_GEN_REC_OF(TEAM_END, .comm = team));
        struct told t = tell(g);
        assert_int_equal(t.blame.n_groups, 1);
        assert_int_equal(t.blame.group[0].n, 2);
        assert_int_equal(t.blame.group[0].why, PS_WHY_LOCK);
        expect_cause(
                &t, 0,
                "2 threads of rank 0 are in !$omp critical @a.c:5, which others wait to enter: 410 us of "
                "waiting on other threads of rank 0.");
        lab_forget(&t);
        ps_gen_free(g);
}

static void call(ps_gen *g, uint32_t loc, uint32_t context, uint64_t from, uint64_t until, int takes)
{
        ps_gen_put(g, loc, AT(from), PS_GEN_REC_OF(CONTEXT_ENTER, .ref = context));
        mark_lock(g, loc, until, takes);
        ps_gen_put(g, loc, AT(until), PS_GEN_REC_OF(CONTEXT_LEAVE, .ref = context));
}

/* In add() a lock is taken at line 10 and given back at 13. Thread 0 has it from 10 to 100, and thread 1
 * waits for it from 20 on. Nothing but these calls tells of add(), or both are in it from 5 to 150: then
 * thread 0 computes in it for 95 before it gives the lock, thread 1 for 15 before it asks. */
static void expect_held(bool is_entered)
{
        static const char set_lock[] = "!$omp set lock @a.c:10", unset_lock[] = "!$omp unset lock @a.c:13";
        ps_gen *g = ps_gen_new(NULL, (ps_gen_options){.threads = 2});
        uint32_t at[] = {ps_gen_at(g, 0, 0), ps_gen_at(g, 0, 1)};
        uint32_t add = ps_gen_context(g, OTF2_UNDEFINED_CALLING_CONTEXT, "add", NULL, 0);
        ps_gen_region(g, set_lock, "/src/a.c", 10);
        ps_gen_region(g, unset_lock, "/src/a.c", 13);
        uint32_t set = ps_gen_context(g, add, set_lock, NULL, 0);
        uint32_t unset = ps_gen_context(g, add, unset_lock, NULL, 0);
        for (int i = 0; is_entered && i < 2; i++)
                ps_gen_put(g, at[i], AT(5), PS_GEN_REC_OF(CONTEXT_ENTER, .ref = add));
        call(g, at[0], set, 10, 10, 1);
        call(g, at[0], unset, 100, 100, 0);
        call(g, at[1], set, 20, 100, 1);
        call(g, at[1], unset, 110, 110, 0);
        for (int i = 0; is_entered && i < 2; i++)
                ps_gen_put(g, at[i], AT(150), PS_GEN_REC_OF(CONTEXT_LEAVE, .ref = add));
        struct told t = tell(g);
        assert_int_equal(t.blame.n_groups, 1);
        expect_cause(&t, 0,
                     "Thread 0 of rank 0 holds the lock of !$omp set lock @a.c:10 in add between a.c:10 "
                     "and a.c:13: 80 us of waiting on other threads of rank 0.");
        lab_forget(&t);
        ps_gen_free(g);
}

TEST(who_holds_a_lock_in_a_function_is_told_between_its_calls)
{
        expect_held(false);
        expect_held(true);
}

/* Three times rank 0 takes 100 in step and rank 1 400, then it is the other way round, by 400 and 200: 700
 * against 1400 in all. */
TEST(those_who_are_late_by_turns_are_no_others)
{
        ps_gen *g = ps_gen_new(NULL, (ps_gen_options){.ranks = 2});
        for (uint32_t r = 0; r < 2; r++) {
                ps_gen_enter(g, r, 0, "main");
                for (uint32_t i = 0; i < 4; i++) {
                        uint64_t begin = 500 * i, end = begin + (r == (i < 3) ? 400 : i < 3 ? 100 : 200);
                        ps_gen_visit(g, r, AT(begin), AT(end), "step");
                        ps_gen_barrier(g, r, AT(end), AT(500 * i + 500), PS_GEN_WORLD);
                }
                ps_gen_leave(g, r, AT(2000), "main");
        }
        struct told t = tell(g);
        expect_cause(
                &t, 0,
                "Ranks 0 and 1 compute up to 2.0 times as long as the others by turns in step: 750 us of "
                "waiting on ranks 0 and 1.");
        lab_forget(&t);
        ps_gen_free(g);
}

static void must_be_of(ps_trace *trace, const char *name, uint8_t paradigm)
{
        for (ps_region r = 0; r < trace->defs.regions.n; r++) {
                ps_region_def *region = &trace->defs.regions.row[r];
                if (strcmp(ps_defs_str(&trace->defs, region->name), name) != 0)
                        continue;
                region->paradigm = paradigm;
                region->is_of_files = paradigm == PS_PARADIGM_IO;
        }
}

/* Rank 0 takes 20 in step, rank 1 80, and both are in a barrier until 150, whose operation begins a quarter
 * later: rank 0 waits from 60 to 105. The kernel of a device is no work of theirs. */
TEST(only_who_computes_is_said_to_compute)
{
        ps_gen *g = ps_gen_new(NULL, (ps_gen_options){.ranks = 2, .threads = 2});
        uint32_t stream = ps_gen_at(g, 1, 1);
        ps_gen_location_type(g, stream, OTF2_LOCATION_TYPE_ACCELERATOR_STREAM);
        ps_gen_location_type(g, ps_gen_at(g, 0, 1), OTF2_LOCATION_TYPE_ACCELERATOR_STREAM);
        for (uint32_t r = 0; r < 2; r++) {
                uint32_t at = ps_gen_at(g, r, 0);
                ps_gen_enter(g, at, 0, "main");
                ps_gen_visit(g, at, AT(10), AT(r ? 90 : 30), "step");
                ps_gen_barrier(g, at, AT(r ? 90 : 30), AT(150), PS_GEN_WORLD);
                ps_gen_leave(g, at, AT(160), "main");
        }
        ps_gen_visit(g, stream, AT(12), AT(88), "kernel");
        struct told t = tell(g);
        t.report->blame = &t.blame;
        expect_cause(&t, 0,
                     "Rank 1 computes 4.0 times as long as the others in step: 45 us of waiting on rank 0.");
        assert_non_null(strstr(ps_cause_advice_of(t.report, &t.blame.group[0]), "Share this work out"));
        static const struct {
                uint8_t paradigm;
                const char *device, *advice;
        } others[] = {{PS_PARADIGM_ACCELERATOR, "; its device mostly runs kernel", "device"},
                      {PS_PARADIGM_IO, "", "read or write"}};
        for (unsigned i = 0; i < 2; i++) {
                char text[PS_COMMENT_ROOM];
                snprintf(text, sizeof(text),
                         "Rank 1 spends 4.0 times as long as the others in step%s: 45 us of waiting on rank "
                         "0.",
                         others[i].device);
                must_be_of(t.trace, "step", others[i].paradigm);
                expect_cause(&t, 0, text);
                assert_non_null(strstr(ps_cause_advice_of(t.report, &t.blame.group[0]), others[i].advice));
        }
        assert_int_equal(t.report->cautions.n, 1);
        assert_string_equal(
                t.report->cautions.row[0].text,
                "What 1 stream of accelerators did is not looked at: it is not told whether a call of one "
                "waits for its device.");
        assert_int_equal(t.report->cautions.row[0].location, stream);
        lab_forget(&t);
        ps_gen_free(g);
}

/* Twice one thread prepares for 30 and forks a team of two, in which the second thread works for 50, the
 * first one for 10. So 60 of 160 are serial, 37.5 %; two threads would do it in 30. */
TEST(what_one_thread_computes_outside_of_teams_is_told)
{
        static const char barrier[] = "!$omp implicit barrier @a.c:3";
        char room[PS_COMMENT_ROOM];
        ps_sentence said = {room, sizeof(room), 0};
        ps_gen *g = ps_gen_new(NULL, (ps_gen_options){.threads = 2});
        const uint32_t at[] = {ps_gen_at(g, 0, 0), ps_gen_at(g, 0, 1)};
        const uint32_t team = ps_gen_team(g, "team", at, 2);
        for (uint64_t fork = 30; fork <= 110; fork += 80) {
                ps_gen_visit(g, at[0], AT(fork - 30), AT(fork), "prepare");
                ps_gen_put(g, at[0], AT(fork), PS_GEN_REC_OF(FORK, .op = OTF2_PARADIGM_OPENMP, .tag = 2));
                for (uint64_t i = 0; i < 2; i++) {
                        ps_gen_put(g, at[i], AT(fork), PS_GEN_REC_OF(TEAM_BEGIN, .comm = team));
                        ps_gen_enter(g, at[i], AT(fork), "!$omp parallel @a.c:3");
                        ps_gen_visit(g, at[i], AT(i ? fork + 50 : fork + 10), AT(fork + 50), barrier);
                        ps_gen_leave(g, at[i], AT(fork + 50), "!$omp parallel @a.c:3");
                        ps_gen_put(g, at[i], AT(fork + 50), PS_GEN_REC_OF(TEAM_END, .comm = team));
                }
                ps_gen_put(g, at[0], AT(fork + 50), PS_GEN_REC_OF(JOIN, .op = OTF2_PARADIGM_OPENMP));
        }
        struct told t = tell(g);
        t.report->blame = &t.blame;
        assert_int_equal(ps_serial_find(&t.blame.serial, t.report->trace, t.blame.critical, NULL), PS_OK);
        assert_int_equal(t.blame.serial.all, AT(60) * PS_PS_PER_NS);
        assert_int_equal(t.blame.serial.spared, AT(30) * PS_PS_PER_NS);
        ps_cause_say_serial(&said, t.report);
        assert_string_equal(room,
                            "Outside of parallel regions one thread of a rank computes alone: 60 us of the "
                            "critical path, 38 % of the run; all of that in prepare. Shared out among all "
                            "threads of the rank it would make the run at most 19 % shorter.");
        lab_forget(&t);
        ps_gen_free(g);
}
