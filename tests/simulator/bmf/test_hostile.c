/* test_hostile.c - programs that want too much end soon, in little memory, and are told why. */
#include "tests/simulator/bmf/lab.h"
#include "tests/support/test.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

/* A tenth of what is usual, which is enough to see that it ends. */
static ps_bmf_options tight(void)
{
        static ps_bmf_limits limits;
        limits = ps_bmf_limits_default;
        limits.items /= 10;
        limits.steps /= 10;
        limits.events /= 10;
        return (ps_bmf_options){.costs = ps_bmf_costs_default, .limits = &limits};
}

static void expect_error(const char *text, const char *message)
{
        ps_bmf_options o = tight();
        clock_t before = clock();
        const char *found = bmf_lab_error_with(text, NULL, &o);
        if (strncmp(found, message, strlen(message)))
                fail_msg("\"%s\" and not \"%s\"", found, message);
        assert_true((double)(clock() - before) / CLOCKS_PER_SEC < 30);
}

static void expect_of(char *text, const char *message)
{
        assert_non_null(text);
        expect_error(text, message);
        free(text);
}

static char *repeated(const char *head, const char *what, size_t n)
{
        size_t len = strlen(what), first = strlen(head);
        char *text = malloc(first + len * n + 1);
        if (!text)
                return NULL;
        memcpy(text, head, first);
        for (size_t i = 0; i < n; i++)
                memcpy(text + first + i * len, what, len);
        text[first + len * n] = '\0';
        return text;
}

/* $a0 is `first`, and each $aN `next` with $aN-1 wherever an @ stands. */
static char *tower(const char *first, const char *next, int n, const char *program)
{
        char *text = malloc((size_t)n * (strlen(next) + 64) + strlen(first) + strlen(program) + 64);
        if (!text)
                return NULL;
        int at = sprintf(text, "$a0 = %s\n", first);
        for (int i = 1; i <= n; i++) {
                at += sprintf(text + at, "$a%d = ", i);
                for (const char *c = next; *c; c++)
                        at += *c == '@' ? sprintf(text + at, "$a%d", i - 1) : sprintf(text + at, "%c", *c);
                at += sprintf(text + at, "\n");
        }
        strcpy(text + at, program);
        return text;
}

TEST(nesting)
{
        expect_of(repeated("", "B_Map (", 200000),
                  "there are too many nested expressions: limit=1000, line=1, column=");
        expect_of(repeated("B_Id ", "[", 200000),
                  "there are too many nested lists and tuples: limit=200, line=1, column=");
        expect_of(repeated("B_Id ", "{1,", 200000),
                  "there are too many nested lists and tuples: limit=200, line=1, column=");
        /* Each definition is shallow; what they make together is not. */
        expect_of(tower("B_Id", "B_Map (@)", 5000, "$a5000 1"), "wrong type: expected=\"list\"");
        expect_of(tower("B_Id", "B_Comp (B_Id) (@)", 5000, "$a5000 1"),
                  "there are too many nested expressions: limit=1000");
        /* {{{0, 1}, 2}, 3} and so on. */
        expect_error("B_Comp (B_Reduce (B_Id)) (B_Op (B_Iota)) 1000",
                     "there are too many nested lists and tuples: limit=200, operator=B_Id");
}

TEST(sizes)
{
        expect_error("B_Op (B_Iota) 9000000000000000000",
                     "there are too many steps of evaluation: limit=20000000, operator=B_Iota");
        expect_error("B_Op (B_Iota) 10000000",
                     "there are too many list and tuple items: limit=3355443, operator=B_Iota");
        expect_error("B_Split (B_Num 9000000000000000000) [1]",
                     "there are too many steps of evaluation: limit=20000000, operator=B_Split");
        expect_error("P_Split (B_Num 9000000000000000000) (B_Num 31) [1]",
                     "there are too many steps of evaluation: limit=20000000, operator=P_Split");
        expect_error("P_Split (B_Num 100000) (B_Num 0) [1]",
                     "no such processor: processor=65536, processors=65536, operator=P_Split");
        expect_error("P_Split (B_Num 3) (B_Num 31) [1]",
                     "no such processor: processor=2147483648, processors=65536, operator=P_Split");
}

/* Sharing keeps these small until somebody wants all of their parts. */
TEST(doubling)
{
        static const char next[] = "B_Comp (B_Alltup [B_Id, B_Id]) (@)";
        expect_of(tower("B_Id", next, 60, "$a60 1"), "the result is too large to be written: limit=3355443");
        expect_of(tower("B_Allvec []", next, 60, "$a60 1"),
                  "the result is too large to be written: limit=3355443");
        expect_of(tower("B_Id", next, 62, "B_Comp (P_Split (B_Num 2) (B_Num 0)) (B_Map ($a62)) [1, 2]"),
                  "the simulated run takes too long");
        expect_of(
                tower("P_Split (B_Num 2) (B_Num 0)", next, 60, "B_Comp (P_Map (B_Id)) (B_Allvec [$a60]) [1]"),
                "there are too many steps of evaluation: limit=20000000, operator=P_Map");
}

TEST(work)
{
        expect_of(tower("B_Id", "B_Comp (@) (@)", 40, "$a40 1"),
                  "there are too many steps of evaluation: limit=20000000");
        expect_error(
                "B_Comp (B_Reduce (B_Op (B_Conc))) (B_Comp (B_Map (B_Allvec [B_Id])) (B_Op (B_Iota))) 20000",
                "there are too many list and tuple items: limit=3355443, operator=B_Conc");
        expect_error("B_Comp (B_Map (B_Comp (P_Map (B_Id)) (P_Split (B_Num 100) (B_Num 0))))"
                     "(B_Comp (B_Map (B_Allvec [B_Id])) (B_Op (B_Iota))) 5000",
                     "the run has too many events: limit=838860");
}

/* inf - inf would be the first step to a number that is none. */
TEST(no_numbers)
{
        expect_error("B_Op (B_Minus) {1e308, -1e308}", "the result is too large: operator=B_Minus");
        expect_error("B_Op (B_Divide) {1e308, 1e-308}", "the result is too large: operator=B_Divide");
        expect_error("B_Op (B_Divide) {0.0, 0}", "division by zero: operator=B_Divide");
}

TEST(costs)
{
        static const double bad[] = {-1, -0.5, 1.0 / 0.0, -1.0 / 0.0};
        ps_bmf_options o = tight();
        for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
                o.costs = ps_bmf_costs_default;
                o.costs.transport = bad[i];
                assert_memory_equal(bmf_lab_error_with("B_Id 1", NULL, &o), "bad cost: of=\"transport\"", 24);
        }
        o.costs.transport = 1152922; /* 2^60 ps are 1,152,921.5 s */
        assert_memory_equal(bmf_lab_error_with("P_Split (B_Num 2) (B_Num 0) [1]", NULL, &o),
                            "the simulated run takes too long", 32);
        o.costs.transport = 1e300;
        assert_memory_equal(bmf_lab_error_with("P_Split (B_Num 2) (B_Num 0) [1]", NULL, &o),
                            "the simulated run takes too long", 32);
        o.costs = ps_bmf_costs_default;
        o.costs.unit = 0;
        assert_memory_equal(bmf_lab_error_with("B_Id 1", NULL, &o), "a unit of time must not be 0", 28);
        o.costs = ps_bmf_costs_default;
        o.n_processors = UINT32_MAX;
        assert_memory_equal(bmf_lab_error_with("B_Id 1", NULL, &o), "too many processors", 19);
        o.n_processors = 0;
        o.network = "ring";
        o.costs.send_fixed = o.costs.send_byte = 0;
        o.costs.unit = PS_READER_TIME_LIMIT;
        assert_memory_equal(
                bmf_lab_error_with("P_Split (B_Num 2) (B_Num 0) [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]", NULL, &o),
                "a packet takes too long", 21);
        o.network = "no such network";
        assert_non_null(strstr(bmf_lab_error_with("B_Id 1", NULL, &o), "no such network"));
}
