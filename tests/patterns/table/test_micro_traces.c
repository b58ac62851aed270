/* test_micro_traces.c - each pattern has a file in traces/patterns/ with a trace that has it, one that is
 * just below epsilon and one that must not match; what is expected stands in the file, derived by hand. */
#include "tests/support/analysed.h"
#include "tests/support/micro/micro.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { HAS, BELOW, NOT, N_KINDS };
static const char *const kinds[N_KINDS] = {"has", "below", "not"};

/* The file and case that is looked at, for messages. */
struct place {
        const char *file;
        const micro_case *c;
};

static ps_analysis *analyse_by(const micro_case *c, ps_time epsilon, unsigned n_threads)
{
        ps_analysis *analysis;
        ps_error err = {0};
        ps_analysis_options options = {
                .definitions = c->definitions, .epsilon = epsilon, .n_threads = n_threads};
        assert_int_equal(ps_analyse(&analysis, c->trace, &c->trace->measured, &options, &err), PS_OK);
        return analysis;
}

static ps_analysis *analyse(const micro_case *c, ps_time epsilon)
{
        return analyse_by(c, epsilon, 1);
}

static void check_threads(const micro_case *c, const ps_analysis *one)
{
        ps_analysis *two = analyse_by(c, c->epsilon, 2);
        assert_null(analysed_difference(c->trace, one, c->trace, two, NULL));
        ps_analysis_free(two);
}

static void check_number(const struct place *at, uint32_t pattern, const char *what, int64_t got,
                         int64_t wanted)
{
        if (got != wanted)
                fail_msg("%s:%u: [%s] %s: %s: %s is %lld and not %lld", at->file, at->c->line, at->c->kind,
                         at->c->title, ps_pattern_at(pattern)->id, what, (long long)got, (long long)wanted);
}

/* Everything that was lost to the pattern, with its children, against what the case says. */
static void check_pattern(const struct place *at, const ps_analysis *analysis, uint32_t pattern)
{
        uint64_t count = 0;
        for (ps_loc loc = 0; loc < analysis->n_locs; loc++) {
                ps_time lost = 0;
                for (unsigned i = 0; i < at->c->n_expects; i++)
                        if (at->c->expect[i].pattern == pattern && at->c->expect[i].loc == loc)
                                lost += at->c->expect[i].lost;
                char what[48];
                snprintf(what, sizeof what, "picoseconds lost at location %u", loc);
                check_number(at, pattern, what, analysed_lost(analysis, pattern, loc, 1), lost);
        }
        for (unsigned i = 0; i < at->c->n_expects; i++)
                if (at->c->expect[i].pattern == pattern)
                        count += at->c->expect[i].count;
        check_number(at, pattern, "the count", (int64_t)analysed_count(analysis, pattern, 1), (int64_t)count);
}

static int expects(const micro_case *c, uint32_t pattern)
{
        for (unsigned i = 0; i < c->n_expects; i++)
                if (c->expect[i].pattern == pattern)
                        return 1;
        return 0;
}

/* With an epsilon that is a nanosecond smaller the loss is found: it was just below, and by epsilon alone. */
static void check_limit(const struct place *at, uint32_t own)
{
        ps_time below = at->c->epsilon - PS_PS_PER_NS;
        ps_analysis *analysis = analyse(at->c, below);
        check_number(at, own, "the loss by a smaller epsilon", analysed_lost(analysis, own, PS_NONE, 1),
                     below);
        if (ps_pattern_at(own)->least <= 1 && ps_pattern_at(own)->subject != PS_ON_SITE)
                check_number(at, own, "the count by a smaller epsilon",
                             (int64_t)analysed_count(analysis, own, 1), 1);
        ps_analysis_free(analysis);
}

static int check_case(const struct place *at, uint32_t own)
{
        int kind = 0;
        while (kind < N_KINDS && strcmp(kinds[kind], at->c->kind) != 0)
                kind++;
        if (kind == N_KINDS)
                fail_msg("%s:%u: no such case: \"%s\"", at->file, at->c->line, at->c->kind);
        ps_analysis *analysis = analyse(at->c, at->c->epsilon);
        for (uint32_t p = 0; p < ps_pattern_count(); p++)
                if (p == own || at->c->expects_nothing || expects(at->c, p))
                        check_pattern(at, analysis, p);
        check_threads(at->c, analysis);
        ps_analysis_free(analysis);
        if (own != PS_NONE && (kind == HAS) != expects(at->c, own))
                fail_msg("%s:%u: [%s] expects the contrary", at->file, at->c->line, at->c->kind);
        if (kind == BELOW && !ps_pattern_at(own)->is_defect)
                check_limit(at, own);
        return kind;
}

static void check_file(const char *id, uint32_t own)
{
        char path[256];
        unsigned seen[N_KINDS] = {0};
        struct place at = {.file = path};
        snprintf(path, sizeof path, "traces/patterns/%s.trace", id);
        micro *m = micro_open(path, own);
        if (!m)
                fail_msg("no micro-trace: path=\"%s\"", path);
        while ((at.c = micro_next(m)))
                seen[check_case(&at, own)]++;
        micro_close(m);
        for (int kind = 0; own != PS_NONE && kind < N_KINDS; kind++)
                if (!seen[kind])
                        fail_msg("%s: there is no [%s]", path, kinds[kind]);
}

static void a_pattern_is_found_and_only_where_it_is(void **state)
{
        const uint32_t *pattern = *state;
        check_file(ps_pattern_at(*pattern)->id, *pattern);
}

static void what_is_no_pattern_is_not_reported(void **state)
{
        (void)state;
        check_file("none", PS_NONE);
}

/* A test for each row of the table of patterns, which no TEST() could name. */
int main(void)
{
        static uint32_t pattern[PS_MAX_PATTERNS];
        static struct CMUnitTest tests[PS_MAX_PATTERNS + 1];
        uint32_t n = ps_pattern_count();
        for (uint32_t i = 0; i < n; i++) {
                pattern[i] = i;
                tests[i] = (struct CMUnitTest){.name = ps_pattern_at(i)->id,
                                               .test_func = a_pattern_is_found_and_only_where_it_is,
                                               .initial_state = &pattern[i]};
        }
        tests[n] = (struct CMUnitTest)cmocka_unit_test(what_is_no_pattern_is_not_reported);
        return _cmocka_run_group_tests("micro-traces", tests, n + 1, NULL, NULL);
}
