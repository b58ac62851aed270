/* test_planted.c - programs with one planted rank, or one set of them: the report names them and their
 * function first. They are no part of this tree: see tests/support/corpus.h. */
#include "report/facts/sites.h"
#include "tests/report/causes/lab.h"
#include "tests/support/corpus.h"
#include "tests/support/damage.h"
#include "tests/support/test.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RANK(r) (1u << (r))

/* What is planted, from the programs' source. */
static const struct planted {
        const char *name, *function;
        unsigned ranks; /* a bit for each; all of them: about equally */
        ps_proc victim; /* who waits for it, among others */
} planted[] = {
        {"scorep-2-hybrid", "sleepd", RANK(0), 1},
        {"scorep-4-collmix", "sleepd", RANK(0) | RANK(1) | RANK(2) | RANK(3), 0},
        {"scorep-4-intercomm", "sleepd", RANK(0) | RANK(1), 2},
        {"scorep-4-late_receiver", "sleepd", RANK(1) | RANK(3), 0},
        {"scorep-4-late_sender", "sleepd", RANK(0) | RANK(2), 1},
        {"scorep-4-late_sender-unwind", "late_sender", RANK(0) | RANK(2), 3},
        {"scorep-4-nbcoll", "sleepd", RANK(0), 3},
        {"scorep-4-persistent", "sleepd", RANK(0) | RANK(2), 1},
        {"scorep-4-rma_fence", "sleepd", RANK(0), 2},
        {"scorep-4-subcomm", "sleepd", RANK(2) | RANK(3), 0},
        {"scorep-4-wait_barrier", "sleepd", RANK(3), 0},
        {"scorep-4-waitall", "sleepd", RANK(3), 0},
        {"scorep-4-waitall-unwind", "waitall", RANK(3), 0},
        {"scorep-4-wrong_order", "sleepd", RANK(0) | RANK(2), 1},
        {"eztrace-openmpi-4-late_sender", "Working", RANK(0) | RANK(2), 1},
        {"eztrace-mpich-4-persistent", "Working", RANK(0) | RANK(2), 1},
        {"eztrace-openmpi-4-collmix", "Working", RANK(0) | RANK(1) | RANK(2) | RANK(3), 0},
};

/* -- one trace -- */

static struct told tell_entry(const char *name)
{
        const cJSON *entry;
        corpus_path anchor = "";
        cJSON_ArrayForEach(entry, corpus.manifest) if (!strcmp(corpus_text(entry, "name"), name))
        {
                corpus_unpack(corpus_text(entry, "file"));
                corpus_join(anchor, "%s/%s", corpus.unpacked, corpus_text(entry, "anchor"));
        }
        if (!*anchor)
                fail_msg("%s: not in the manifest", name);
        return lab_tell(anchor, PS_CLOCK_AUTO);
}

static int begin(void)
{
        int is_there = corpus_open();
        if (!is_there)
                corpus_close();
        return is_there;
}

/* -- what is told -- */

static ps_time waiting_of(const ps_told_cause *told)
{
        return told->cause->direct + told->cause->indirect;
}

/* Of the ranks in the set each has an equal part, and nobody else has a tenth of the first one's. */
static void expect_set(const struct planted *p, const ps_cause_group *group)
{
        ps_time by_rank[32] = {0}, all = 0;
        unsigned n = 0;
        for (uint32_t i = 0; i < group->n; i++)
                by_rank[group->row[i]->process % 32] += waiting_of(group->row[i]);
        for (unsigned r = 0; r < 32; r++)
                if (p->ranks & RANK(r)) {
                        all += by_rank[r];
                        n++;
                }
        for (unsigned r = 0; r < 32; r++) {
                if (p->ranks & RANK(r) && (by_rank[r] * 2 * n < all || by_rank[r] * n > all * 2))
                        fail_msg("%s: rank %u has %lld of %lld ps", p->name, r, (long long)by_rank[r],
                                 (long long)all);
                if (!(p->ranks & RANK(r)) && by_rank[r] * 10 > all)
                        fail_msg("%s: rank %u has %lld of %lld ps, too", p->name, r, (long long)by_rank[r],
                                 (long long)all);
        }
}

TEST(planted_ranks_and_their_function_come_first)
{
        if (!begin())
                skip();
        for (size_t i = 0; i < sizeof(planted) / sizeof(*planted); i++) {
                const struct planted *p = &planted[i];
                struct told t = tell_entry(p->name);
                assert_true(t.blame.n_groups > 0);
                const ps_cause_group *first = &t.blame.group[0];
                uint32_t k = 0;
                const char *name = ps_site_call(t.report, first->row[0]->cause->path);
                if (strcmp(name, p->function))
                        fail_msg("%s: %s is told first", p->name, name);
                expect_set(p, first);
                while (k < first->n_waiters && first->waiter[k] != p->victim)
                        k++;
                if (k == first->n_waiters)
                        fail_msg("%s: rank %u does not wait", p->name, p->victim);
                lab_forget(&t);
        }
        corpus_close();
}

/* Nothing is planted, and the run is all MPI_Init: of the 303 ms no cause is worth anything. Of the 259 us
 * behind MPI_Init half is waiting, while connections are made; all of that is somebody's doing, too. */
TEST(a_clean_program_has_no_cause_to_speak_of)
{
        if (!begin())
                skip();
        struct told t = tell_entry("scorep-4-clean");
        ps_time waits = 0;
        assert_true(t.report->timing->duration > 300 * (ps_time)(PS_PS_PER_S / 1000));
        for (uint32_t i = 0; i < t.blame.n_groups; i++) {
                if (ps_report_share(t.report, t.blame.group[i].waiting) > 0.001)
                        fail_msg("%s", t.blame.group[i].row[0]->id);
                waits += t.blame.group[i].waiting;
        }
        assert_true(waits < 600 * 1000 * (ps_time)PS_PS_PER_NS);
        lab_forget(&t);
        corpus_close();
}

/* The recorder wrote no sends that match: whom the Waitall waited for is not in the trace. */
TEST(what_a_trace_does_not_hold_cannot_be_told)
{
        if (!begin())
                skip();
        struct told t = tell_entry("eztrace-openmpi-4-waitall");
        char room[PS_COMMENT_ROOM];
        ps_sentence said = {room, sizeof(room), 0};
        ps_cause_say(&said, t.report, &t.blame.group[0]);
        if (!strstr(room, "MPI_Waitall") || !strstr(room, "cannot be told"))
                fail_msg("%s", room);
        lab_forget(&t);
        corpus_close();
}

/* What follows by hand: 6 ms for each, of 6.633 and 6 ms that are waited. */
TEST(worked_cases_have_the_causes_that_were_worked_out)
{
        static const struct {
                const char *name, *function;
                ps_proc process;
                ps_why why;
                int us, direct_us, all_us;
        } cases[] = {{"rc", "assemble", 0, PS_WHY_ALONE, 6000, 2000, 6633},
                     {"gd", "solve", 3, PS_WHY_LONGER, 6000, 6000, 6000}};
        const ps_time us = 1000 * PS_PS_PER_NS;
        if (!begin())
                skip();
        for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
                corpus_path folder, anchor;
                corpus_join(folder, "%s/../cases/%s", corpus.folder, cases[i].name);
                corpus_join(anchor, "%s/%s", folder, "traces.otf2");
                struct told t = lab_tell(anchor, PS_CLOCK_AUTO);
                const ps_told_cause *first = t.blame.group[0].row[0];
                assert_int_equal(first->process, cases[i].process);
                assert_string_equal(ps_site_call(t.report, first->cause->path), cases[i].function);
                assert_int_equal(first->cause->why, cases[i].why);
                assert_int_equal(waiting_of(first), cases[i].us * us);
                assert_int_equal(first->cause->direct, cases[i].direct_us * us);
                assert_int_equal(t.blame.causes->waiting, cases[i].all_us * us);
                lab_forget(&t);
        }
        corpus_close();
}
