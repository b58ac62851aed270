/* test_language.c - what programs mean, what they may look like, and what is said of those that are
 * wrong. */
#include "tests/simulator/bmf/lab.h"
#include "tests/support/test.h"

#include <stdio.h>
#include <string.h>

#define INCREMENT "$Increment = B_Comp (B_Op (B_Plus)) (B_Alltup [B_Id, B_Con (B_Int 1)])\n"

typedef struct row {
        const char *text, *result;
} row;

static void check(const row *rows, size_t n)
{
        for (size_t i = 0; i < n; i++) {
                bmf_lab lab;
                ps_bmf_options o = {.costs = ps_bmf_costs_default};
                bmf_lab_run(&lab, rows[i].text, &o);
                if (strcmp(lab.run.result, rows[i].result))
                        fail_msg("%s gives %s and not %s", rows[i].text, lab.run.result, rows[i].result);
                bmf_lab_clear(&lab);
        }
}
#define CHECK(rows) check(rows, sizeof(rows) / sizeof(*(rows)))

TEST(scalars)
{
        static const row rows[] = {
                {"B_Id 1", "1"},
                {"B_Id -7", "-7"},
                {"B_Id 9223372036854775807", "9223372036854775807"},
                {"B_Id -9223372036854775808", "-9223372036854775808"},
                {"B_Id 0.1", "0.1"},
                {"B_Id 2.0", "2.0"},
                {"B_Id -1.5e-3", "-0.0015"},
                {"B_Id 1E300", "1e+300"},
                {"B_Id 0.30000000000000004", "0.30000000000000004"},
                {"B_Id TRUE", "true"},
                {"B_Con (B_Real 3) 1", "3.0"},
                {"B_Con (B_Int -3) 1", "-3"},
                {"b_con (B_FALSE) 1", "false"},
                {"B_Op (B_Plus) {2, 3}", "5"},
                {"B_Op (B_Plus) {2, 3.5}", "5.5"},
                {"B_Op (B_Minus) {2, 3}", "-1"},
                {"B_Op (B_Times) {2.0, 3}", "6.0"},
                {"B_Op (B_Divide) {7, 2}", "3"},
                {"B_Op (B_Divide) {-7, 2}", "-3"},
                {"B_Op (B_Divide) {7.0, 2}", "3.5"},
                {"B_Op (B_Uminus) 4", "-4"},
                {"B_Op (B_Neg) 4.5", "-4.5"},
                {"B_Op (B_Neg) true", "false"},
                {"B_Op (B_And) {true, false}", "false"},
                {"B_Op (B_Or) {true, false}", "true"},
                {"B_Op (B_Eq) {2, 2.0}", "true"},
                {"B_Op (B_Eq) {true, false}", "false"},
                {"B_Op (B_Gt) {3, 2}", "true"},
                {"B_Op (B_Lt) {3, 2.5}", "false"},
                {"B_Op (B_Le) {2, 2}", "true"},
                {"B_Op (B_Ge) {1, 2}", "false"},
                /* Not equal although they are as doubles. */
                {"B_Op (B_Eq) {9007199254740993, 9007199254740992.0}", "false"},
                {"B_Op (B_Gt) {9007199254740993, 9007199254740992.0}", "true"},
                {"B_Op (B_Lt) {9223372036854775807, 9223372036854775808.0}", "true"},
        };
        CHECK(rows);
}

TEST(lists)
{
        static const row rows[] = {
                {"B_Id []", "[]"},
                {"B_Id [[], [1]]", "[[], [1]]"},
                {"B_Id {1, true, [2.5]}", "{1, true, [2.5]}"},
                {"B_Op (B_Length) [4, 5, 6]", "3"},
                {"B_Op (B_Index) {[4, 5, 6], 2}", "6"},
                {"B_Op (B_Iota) 4", "[0, 1, 2, 3]"},
                {"B_Op (B_Iota) 0", "[]"},
                {"B_Op (B_Distl) {7, [1, 2]}", "[{7, 1}, {7, 2}]"},
                {"B_Op (B_Project) {[4, 5, 6], [2, 0, 2]}", "[6, 4, 6]"},
                {"B_Op (B_Conc) {[1], [2, 3]}", "[1, 2, 3]"},
                {"B_Op (B_Conc) {[], []}", "[]"},
                {INCREMENT "B_Map ($Increment) [1, 2, 3]", "[2, 3, 4]"},
                {"B_Reduce (B_Op (B_Plus)) [1, 2, 3]", "6"},
                {"B_Reduce (B_Op (B_Plus)) [7]", "7"},
                {"B_Reduce (B_Op (B_Plus)) (B_Con (B_Int 10)) [1, 2, 3]", "16"},
                {"B_Reduce (B_Op (B_Plus)) (B_Con (B_Int 10)) []", "10"},
                {"B_Reduce (B_Op (B_Minus)) (B_Con (B_Int 10)) [1, 2, 3]", "4"},
                {"B_Scan (B_Op (B_Plus)) [1, 2, 3]", "[1, 3, 6]"},
                {"B_Scan (B_Op (B_Plus)) (B_Con (B_Int 10)) [1, 2, 3]", "[11, 13, 16]"},
                {"B_Scan (B_Op (B_Plus)) []", "[]"},
                {"B_Zip (B_Op (B_Times)) {[1, 2], [3, 4]}", "[3, 8]"},
                {"B_Alltup [B_Id, B_Op (B_Neg)] 2", "{2, -2}"},
                {"B_Allvec [B_Id, B_Op (B_Neg)] 2", "[2, -2]"},
                {"B_Allvec [] 2", "[]"},
                {"B_Addr (B_Num 1) (B_Num 3) {7, 8, 9}", "7"},
                {"B_Addr (B_Num 3) (B_Num 2) {7, 8, 9}", "8"},
                {"B_Addr (B_Num 3) (B_Num 3) {7, 8, 9}", "9"},
                {"B_Split (B_Num 3) [1, 2, 3, 4, 5, 6]", "[[1, 2], [3, 4], [5, 6]]"},
                {"B_Split (B_Num 3) [1, 2, 3, 4, 5, 6, 7]", "[[1, 2, 3], [4, 5], [6, 7]]"},
                {"B_Split (B_Num 3) [1]", "[[1], [], []]"},
        };
        CHECK(rows);
}

TEST(lengths_of_split)
{
        static const row rows[] = {
                {"$l = B_Comp (B_Map (B_Op (B_Length))) (B_Split (B_Num 4)) B_Comp ($l) (B_Op (B_Iota)) 31",
                 "[8, 8, 8, 7]"},
                {"$l = B_Comp (B_Map (B_Op (B_Length))) (B_Split (B_Num 3)) B_Comp ($l) (B_Op (B_Iota)) 7",
                 "[3, 2, 2]"},
                {"$l = B_Comp (B_Map (B_Op (B_Length))) (B_Split (B_Num 8)) B_Comp ($l) (B_Op (B_Iota)) 15",
                 "[2, 2, 2, 2, 2, 2, 2, 1]"},
        };
        CHECK(rows);
}

/* The thesis' programs, with their slips repaired. */
TEST(programs_of_the_thesis)
{
        static const row rows[] = {
                {INCREMENT "B_Comp ($Increment) (B_Id) 1", "2"},
                {INCREMENT "P_Map (B_Map ($INCREMENT)) [[1, 2], [3, 4], [5, 6]]", "[[2, 3], [4, 5], [6, 7]]"},
                {INCREMENT "B_Comp (P_Reduce (B_Op (B_Conc)))\n"
                           "(B_Comp (P_Map (B_Map (P_Reduce (B_Op (B_Conc)))))\n"
                           "(B_Comp (P_Map (B_Map (P_Map (B_Map ($Increment)))))\n"
                           "(B_Comp (P_Map (B_Map (P_Split (B_Num 4) (B_Num 0))))\n"
                           "(P_Split (B_Num 4) (B_Num 2)))))\n"
                           "[[0, 1, 2, 3], [5, 6, 7, 8], [9, 10, 11, 12], [13, 14, 15, 16]]",
                 "[[1, 2, 3, 4], [6, 7, 8, 9], [10, 11, 12, 13], [14, 15, 16, 17]]"},
                {INCREMENT "B_Comp (P_Reduce (B_Op (B_Conc)))\n" /* 5.3.4, but for a parenthesis */
                           "(B_Comp (P_Map (P_Map (P_Reduce (B_Op (B_Conc)))))\n"
                           "(B_Comp (P_Map (P_Map (P_Map (B_Map ($Increment)))))\n"
                           "(B_Comp (P_Map (B_Map (P_Split (B_Num 4) (B_Num 0))))\n"
                           "(P_Split (B_Num 4) (B_Num 2)))))\n"
                           "[[0, 1, 2, 3], [5, 6, 7, 8], [9, 10, 11, 12], [13, 14, 15, 16]]",
                 "[[1, 2, 3, 4], [6, 7, 8, 9], [10, 11, 12, 13], [14, 15, 16, 17]]"},
                {"B_Comp (P_Distl) (B_Comp (B_Alltup [B_Con (B_Int 2), B_Id]) (P_Split (B_Num 4) (B_Num 0))) "
                 "[1, 2, 3, 4, 5, 6, 7, 8]",
                 "[{2, [1, 2]}, {2, [3, 4]}, {2, [5, 6]}, {2, [7, 8]}]"},
                {"B_Comp (P_Zip (B_Op (B_Conc))) (B_Alltup [P_Split (B_Num 8) (B_Num 0), P_Split (B_Num 8) "
                 "(B_Num 0)]) [1, 2, 3, 4, 5, 6, 7, 8]",
                 "[[1, 1], [2, 2], [3, 3], [4, 4], [5, 5], [6, 6], [7, 7], [8, 8]]"},
                {"B_Comp (P_Scan (B_Op (B_Conc))) (P_Split (B_Num 4) (B_Num 0)) [1, 2, 3, 4]",
                 "[[1], [1, 2], [1, 2, 3], [1, 2, 3, 4]]"},
        };
        CHECK(rows);
}

/* On a list that is not distributed all happens on its processor, without messages. */
TEST(parallel_operators_on_local_lists)
{
        static const row rows[] = {
                {"P_Map (B_Op (B_Neg)) [1, 2]", "[-1, -2]"},
                {"P_Reduce (B_Op (B_Plus)) [1, 2, 3]", "6"},
                {"P_Reduce (B_Op (B_Minus)) [1, 2, 3, 4]", "0"}, /* (1 - 2) - (3 - 4) */
                {"P_Scan (B_Op (B_Plus)) [1, 2, 3]", "[1, 3, 6]"},
                {"P_Scan (B_Op (B_Plus)) []", "[]"},
                {"P_Map (B_Id) []", "[]"},
                {"P_Zip (B_Op (B_Plus)) {[1, 2], [3, 4]}", "[4, 6]"},
                {"P_Distl {1, [2, 3]}", "[{1, 2}, {1, 3}]"},
                {"P_Project {[4, 5, 6], [1, 0]}", "[5, 4]"},
        };
        bmf_lab lab;
        ps_bmf_options o = {.costs = ps_bmf_costs_default};
        CHECK(rows);
        bmf_lab_run(&lab, rows[1].text, &o);
        assert_int_equal(lab.n, 0);
        assert_int_equal(lab.run.n_processors, 1);
        bmf_lab_clear(&lab);
}

TEST(texts)
{
        static const row rows[] = {
                {"-- a comment\nB_Id -- another\n\t[1,\r\n2] -- and one more", "[1, 2]"},
                {"$a=$b $b=B_Id $A 1", "1"}, /* in any order, in any case */
                {"B_Comp(B_Id)(B_Id)1", "1"},
                {"B_Reduce (B_Op (B_Plus))\n(B_Con (B_Int 0))\n[1]", "1"},
                {"B_Id 1--2", "1"},
        };
        CHECK(rows);
}

/* -- what is wrong -- */

typedef struct wrong {
        const char *text, *message;
} wrong;

static void check_wrong(const wrong *rows, size_t n)
{
        for (size_t i = 0; i < n; i++) {
                char expected[256];
                const char *found = bmf_lab_error(rows[i].text);
                snprintf(expected, sizeof(expected), "%s, path=\"prog.bmf\"", rows[i].message);
                if (strcmp(found, expected))
                        fail_msg("%s: \"%s\" and not \"%s\"", rows[i].text, found, expected);
        }
}
#define CHECK_WRONG(rows) check_wrong(rows, sizeof(rows) / sizeof(*(rows)))

TEST(errors_of_the_text)
{
        static const wrong rows[] = {
                {"", "expected an expression, found the end: line=1, column=1"},
                {"B_Id", "expected a number, true, false, [ or {, found the end: line=1, column=5"},
                {"B_Id 1 2", "expected the end after the program's data, found \"2\": line=1, column=8"},
                {"B_Foo 1", "expected an expression, found \"B_Foo\": line=1, column=1"},
                {"B_Plus {1, 2}", "an operator stands only in B_Op (...): operator=B_Plus, line=1, column=1"},
                {"B_Op (B_Map) 1", "expected an operator, found \"B_Map\": line=1, column=7"},
                {"B_Comp (B_Id\n  (B_Id) 1", "expected \")\", found \"(\": line=2, column=3"},
                {"P_Zip [1]", "expected \"(\", found \"[\": line=1, column=7"},
                {"P_Split (B_Num 2) [1]", "expected \"(\", found \"[\": line=1, column=19"},
                {"B_Split (2) [1]", "expected B_Num, found \"2\": line=1, column=10"},
                {"B_Split (B_Num 2.5) [1]", "expected an integer, found \"2.5\": line=1, column=16"},
                {"B_Con (B_Int true) 1", "expected an integer, found \"true\": line=1, column=14"},
                {"B_Con (1) 1", "expected B_Int, B_Real, B_True or B_False, found \"1\": line=1, column=8"},
                {"B_Alltup [] 1", "expected an expression, found \"]\": line=1, column=11"},
                {"B_Alltup [B_Id,] 1", "expected an expression, found \"]\": line=1, column=16"},
                {"B_Id [1,]", "expected a number, true, false, [ or {, found \"]\": line=1, column=9"},
                {"B_Id {}", "expected a number, true, false, [ or {, found \"}\": line=1, column=7"},
                {"B_Id [1, 2.0]",
                 "items of a list differ in type: first=integer, this=real, line=1, column=10"},
                {"B_Id 9223372036854775808",
                 "the number is too large: \"9223372036854775808\", line=1, column=6"},
                {"B_Id 1e999", "the number is too large: \"1e999\", line=1, column=6"},
                {"B_Id 12ab", "this is no number: \"12a\", line=1, column=6"},
                {"B_Id nan", "expected a number, true, false, [ or {, found \"nan\": line=1, column=6"},
                {"B_Id ;", "unexpected \";\": line=1, column=6"},
                {"B_Id \x80", "unexpected byte 0x80: line=1, column=6"},
                {"$ 1", "unexpected \"$\": line=1, column=1"},
                {"$f 1", "no such definition: name=\"$f\", line=1, column=1"},
                {"$f = B_Id\n$F = B_Id\n$f 1", "defined twice: name=\"$F\", line=2, column=1"},
                {"$f = B_Map ($f)\n$f [1]",
                 "a definition leads back to itself: name=\"$f\", line=1, column=13"},
                {"$a = $b\n$b = $c\n$c = B_Map ($b)\nB_Id 1",
                 "a definition leads back to itself: name=\"$b\", line=1, column=6"},
        };
        CHECK_WRONG(rows);
}

TEST(errors_of_the_run)
{
        static const wrong rows[] = {
                {"B_Op (B_Plus) 1", "wrong type: expected=\"tuple of two\", found=\"integer\", "
                                    "operator=B_Plus, line=1, column=1"},
                {"B_Op (B_Plus) {1, 2, 3}",
                 "wrong type: expected=\"tuple of two\", found=\"tuple of 3\", operator=B_Plus, line=1, "
                 "column=1"},
                {"B_Op (B_Plus) {1, true}",
                 "wrong type: expected=\"number\", found=\"boolean\", operator=B_Plus, line=1, column=1"},
                {"B_Op (B_And) {1, true}",
                 "wrong type: expected=\"boolean\", found=\"integer\", operator=B_And, line=1, column=1"},
                {"B_Op (B_Uminus) true",
                 "wrong type: expected=\"number\", found=\"boolean\", operator=B_Uminus, line=1, column=1"},
                {"B_Comp (B_Op (B_Divide)) (B_Id) {1, 0}",
                 "division by zero: operator=B_Divide, line=1, column=9"},
                {"B_Op (B_Divide) {1.0, 0.0}", "division by zero: operator=B_Divide, line=1, column=1"},
                {"B_Op (B_Divide) {-9223372036854775808, -1}",
                 "the result is too large: operator=B_Divide, line=1, column=1"},
                {"B_Op (B_Plus) {9223372036854775807, 1}",
                 "the result is too large: operator=B_Plus, line=1, column=1"},
                {"B_Op (B_Neg) -9223372036854775808",
                 "the result is too large: operator=B_Neg, line=1, column=1"},
                {"B_Op (B_Times) {1e300, 1e300}",
                 "the result is too large: operator=B_Times, line=1, column=1"},
                {"B_Op (B_Index) {[1, 2], 2}",
                 "no such item: item=2, length=2, operator=B_Index, line=1, column=1"},
                {"B_Op (B_Iota) -1", "negative length: length=-1, operator=B_Iota, line=1, column=1"},
        };
        CHECK_WRONG(rows);
}

TEST(errors_of_lists_and_processors)
{
        static const wrong rows[] = {
                {"B_Reduce (B_Op (B_Plus)) []",
                 "an empty list has no value without a default: operator=B_Reduce, line=1, column=1"},
                {"P_Reduce (B_Op (B_Plus)) []",
                 "an empty list has no value: operator=P_Reduce, line=1, column=1"},
                {"B_Map (B_Id) 1",
                 "wrong type: expected=\"list\", found=\"integer\", operator=B_Map, line=1, column=1"},
                {"B_Zip (B_Id) {[1], [1, 2]}",
                 "lists differ in length: first=1, second=2, operator=B_Zip, line=1, column=1"},
                {"P_Zip (B_Id) {[1], [1, 2]}",
                 "lists differ in length: first=1, second=2, operator=P_Zip, line=1, column=1"},
                {"B_Comp (P_Zip (B_Id)) (B_Alltup [P_Split (B_Num 2) (B_Num 0), P_Split (B_Num 2) (B_Num 1)])"
                 " [1, 2]",
                 "lists are on other processors: item=1, first=1, second=2, operator=P_Zip, line=1, "
                 "column=9"},
                {"B_Comp (B_Map (B_Id)) (P_Split (B_Num 2) (B_Num 0)) [1, 2]",
                 "a serial operator cannot work on a distributed list: operator=B_Map, line=1, column=9"},
                {"B_Comp (P_Split (B_Num 2) (B_Num 0)) (P_Split (B_Num 2) (B_Num 0)) [1, 2]",
                 "a value that is itself distributed cannot be sent: operator=P_Split, line=1, column=9"},
                {"B_Allvec [B_Id, B_Con (B_True)] 1",
                 "items of a list differ in type: first=integer, item_1=boolean, operator=B_Allvec, line=1, "
                 "column=1"},
                {"B_Split (B_Num 0) [1]",
                 "cannot split into so many parts: parts=0, operator=B_Split, line=1, column=1"},
                {"P_Split (B_Num 2) (B_Num -1) [1]",
                 "no such stride: stride=-1, least=0, most=31, operator=P_Split, line=1, column=1"},
                /* As the thesis prints it in 5.6: a stride of 2 ^ 16. */
                {"P_Split (B_Num 16) (B_Num 16) [1]",
                 "no such processor: processor=65536, processors=65536, operator=P_Split, line=1, column=1"},
                {"P_Project {[1], [0, 0]}",
                 "more places than items: items=1, places=2, operator=P_Project, line=1, column=1"},
                {"P_Project {[1], [1]}",
                 "no such item: item=1, length=1, operator=P_Project, line=1, column=1"},
                {"B_Addr (B_Num 0) (B_Num 2) {1, 2}",
                 "no such item: item=0, first=1, operator=B_Addr, line=1, column=1"},
                {"B_Addr (B_Num 1) (B_Num 3) {1, 2}",
                 "tuple of another size: expected=3, found=2, operator=B_Addr, line=1, column=1"},
        };
        CHECK_WRONG(rows);
}

TEST(errors_name_the_library)
{
        ps_bmf_options o = {.costs = ps_bmf_costs_default};
        assert_string_equal(
                bmf_lab_error_with("$f 1", "\n $f = B_Op (B_Plus)", &o),
                "wrong type: expected=\"tuple of two\", found=\"integer\", operator=B_Plus, line=2, "
                "column=7, path=\"lib.bmf\"");
        assert_string_equal(bmf_lab_error_with("B_Id 1", "B_Id", &o),
                            "expected a definition ($name = ...), found \"B_Id\": line=1, column=1, "
                            "path=\"lib.bmf\"");
        assert_string_equal(bmf_lab_error_with("$f = B_Id $f 1", "$f = B_Id", &o),
                            "defined twice: name=\"$f\", line=1, column=1, path=\"prog.bmf\"");
}

TEST(too_few_processors)
{
        ps_bmf_options o = {.costs = ps_bmf_costs_default, .n_processors = 8};
        assert_string_equal(
                bmf_lab_error_with("P_Split (B_Num 3) (B_Num 2) [1]", NULL, &o),
                "no such processor: processor=8, processors=8, operator=P_Split, line=1, column=1, "
                "path=\"prog.bmf\"");
}
