/* test_text.c - calls in texts by hand, with the line and the columns counted by hand. */
#include "patterns/source/scan.h"
#include "tests/support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define N(array) ((uint32_t)(sizeof(array) / sizeof((array)[0])))

/* `file` tells the language; `own` is the region around the call, from `line` to `end`. Expected: "" for
 * nothing, "3:2-10" for the only call in line 3 and columns [2, 10), "3 5" for candidates. */
struct text_case {
        const char *what, *file, *own;
        uint32_t line, end;
        const char *call, *expected, *text;
};

static void describe(const ps_scan_calls *calls, char *out, size_t size)
{
        size_t n = 0;
        out[0] = '\0';
        for (uint32_t i = 0; i < calls->n_lines && n < size; i++)
                n += (size_t)snprintf(out + n, size - n, i ? " %u" : "%u", calls->line[i]);
        if (calls->unique)
                snprintf(out + n, size - n, ":%u-%u", calls->column, calls->column_end);
}

static void look(const char *file, const char *own, uint32_t line, uint32_t end, const char *call,
                 const char *text, size_t len, char *out, size_t size)
{
        ps_scan_language language = ps_scan_language_of(file);
        char name[PS_SCAN_LONGEST_NAME], around[PS_SCAN_LONGEST_NAME], *copy = malloc(len + 1);
        ps_scan *scan = NULL;
        ps_scan_calls calls = {0};
        assert_non_null(copy);
        memcpy(copy, text, len);
        assert_int_equal(ps_scan_new(&scan, copy, len, language, NULL), PS_OK);
        assert_non_null(scan);
        ps_scan_name(around, own, language);
        if (ps_scan_name(name, call, language))
                ps_scan_calls_of(scan, name, ps_scan_function(scan, around, line, end), &calls);
        describe(&calls, out, size);
        ps_scan_free(scan);
        free(copy);
}

static void check(const struct text_case *cases, uint32_t n)
{
        for (uint32_t i = 0; i < n; i++) {
                const struct text_case *c = &cases[i];
                char found[1024];
                look(c->file, c->own, c->line, c->end, c->call, c->text, strlen(c->text), found,
                     sizeof(found));
                if (strcmp(found, c->expected) != 0)
                        fail_msg("%s: wanted \"%s\", got \"%s\"", c->what, c->expected, found);
        }
}

TEST(calls_in_c)
{
        static const struct text_case cases[] = {
                {"one call", "a.c", "main", 1, 0, "MPI_Recv", "2:2-10",
                 "int main(void) {\n MPI_Recv(b);\n}\n"},
                {"several", "a.c", "f", 1, 0, "MPI_Recv", "2 4",
                 "void f(void)\n{ MPI_Recv(a);\n\n MPI_Recv(b); }\n"},
                {"twice in one line are one candidate", "a.c", "f", 1, 0, "g", "2",
                 "void f(void) {\n g(1); g(2);\n}"},
                {"none", "a.c", "f", 1, 0, "MPI_Recv", "", "void f(void) { MPI_Send(a); }"},
                {"whole words", "a.c", "f", 1, 0, "Recv", "2:1-5",
                 "void f() { MPI_Recv(a); Recv_(1); xRecv(2);\nRecv(3);}"},
                {"case matters", "a.c", "f", 1, 0, "MPI_Recv", "", "void f() { mpi_recv(a); MPI_RECV(a); }"},
                {"blanks and lines before the parenthesis", "a.c", "f", 1, 0, "g", "2:1-2",
                 "void f() {\ng \t\n (1); }"},
                {"a name without parenthesis", "a.c", "f", 1, 0, "g", "", "void f() { h = g; use(&g); }"},
                {"comments", "a.c", "f", 1, 0, "g", "4:3-4",
                 "void f() { // g(1) \\\n g(2)\n/* g(3)\n*/g(4); }"},
                {"strings and characters", "a.c", "f", 1, 0, "g", "3:9-10",
                 "void f() { p(\"g(1) \\\" g(2)\"); q('\"'); r('\\'');\n p(\"x\\\n g(2)\");g(3); }"},
                {"a string that is never closed ends with its line", "a.c", "f", 1, 0, "g", "2:1-2",
                 "void f() { p(\"abc\ng(1); }"},
                {"joined lines", "a.c", "f", 1, 0, "g", "2:1-2", "void f() { \\\ng \\\r\n (1); }"},
                {"dead code", "a.c", "f", 1, 0, "g", "8:1-2",
                 "void f() {\n#if 0\n g(1);\n#if X\n g(2); }\n#endif\n#else\ng(3);\n#endif\n}"},
                {"code that lives", "a.c", "f", 1, 0, "g", "3:1-2",
                 "void f() {\n# if 1 /* yes */\ng(1);\n#else\ng(2);\n# endif\n}"},
                {"both branches of a condition", "a.c", "f", 1, 0, "g", "3 5 7",
                 "void f() {\n#ifdef A\n if (a) { g(1);\n#else\n if (b) { g(2);\n#endif\n g(3); }\n}\nvoid "
                 "h() {\n g(4); }"},
                {"preprocessor lines", "a.c", "f", 1, 0, "g", "4:1-2",
                 "void f() {\n#define X g(1) \\\n g(2)\ng(3); }"},
                {"the end is the brace", "a.c", "f", 1, 0, "g", "1:19-20",
                 "void f(void) { { }g(1); } void h() {\n g(2); }"},
                {"the end is a line", "a.c", "f", 1, 2, "g", "2:1-2",
                 "void f(void) {\ng(1);\n} void h() { g(2); }"},
                {"braces in strings do not count", "a.c", "f", 1, 0, "g", "2:1-2",
                 "void f(void) { p(\"}\"); q('}');\ng(1); }"},
                {"a recursive call is not its definition", "a.c", "f", 1, 0, "f", "2:8-9",
                 "int f(int n) {\nreturn f(n - 1);\n}"},
                {"a call before the function", "a.c", "f", 2, 0, "g", "", "void h() { g(1); }\nvoid f() { }"},
                {"the name stands before the line", "a.c", "f", 3, 0, "g", "4:1-2",
                 "void\nf(void)\n{\ng(1); }"},
                {"another function stands there", "a.c", "f", 1, 0, "g", "", "void h(void) {\ng(1); f(2); }"},
                {"a line behind the end", "a.c", "f", 9, 0, "g", "", "void f(void) { g(1); }"},
                {"never closed", "a.c", "f", 1, 0, "g", "2:1-2", "void f(void) {\ng(1);"},
                {"profiling names", "a.c", "f", 1, 0, "MPI_Recv", "2:2-11",
                 "void f(void) {\n PMPI_Recv(a);\n}"},
                {"profiling names, recorded", "a.c", "f", 1, 0, "PMPI_Recv", "2:2-10",
                 "void f(void) {\n MPI_Recv(a);\n}"},
                {"copies of functions", "a.c", "f.constprop.0", 1, 0, "g.isra.0", "1:11-12",
                 "int f() { g(1); }"},
                {"tabs are one column", "a.c", "f", 1, 0, "g", "2:3-4", "void f() {\n\t\tg(1); }"},
        };
        check(cases, N(cases));
}

TEST(calls_in_cpp)
{
        static const struct text_case cases[] = {
                {"a method", "a.cc", "ns::C::run(int, char const*) const", 1, 0,
                 "ns::D::f(std::vector<int>&)", "2:3-4", "void C::run(int) const {\nd.f(1); }"},
                {"raw strings", "a.cpp", "f()", 1, 0, "g()", "3:6-7",
                 "void f() { p(R\"x( \" g(1) )\" \n)y\" g(2)\n)x\");g(3); }"},
                {"a raw string is nothing special in C", "a.c", "f", 1, 0, "g", "1:20-21",
                 "void f() { R\"x(\" ; g(1); }"},
                {"digits with apostrophes", "a.cc", "f()", 1, 0, "g()", "1:23-24",
                 "void f() { x = 1'000; g(1); }"},
                {"template arguments", "a.cc", "f()", 1, 0, "void g<double>(int)", "2 3",
                 "void f() {\ng<std::vector<int>>(1);\ng(2); }"},
                {"members initialised with braces", "a.cc", "C::C(int)", 1, 0, "g()", "1:29-30",
                 "C::C(int) : a{1}, b(h{2}) { g(1); }"},
                {"an anonymous namespace", "a.cc", "(anonymous namespace)::f(int)", 1, 0,
                 "(anonymous namespace)::g()", "1:12-13", "void f() { g(1); }"},
                {"operators have no name", "a.cc", "f()", 1, 0, "C::operator()(int)", "",
                 "void f() { operator()(1); }"},
                {"lambdas have no name", "a.cc", "f()", 1, 0, "f()::{lambda(int)#1}::operator()(int) const",
                 "", "void f() { operator()(1); }"},
        };
        check(cases, N(cases));
}

TEST(calls_in_fortran)
{
        static const struct text_case cases[] = {
                {"one call", "a.f90", "heat", 1, 0, "mpi_recv_", "2:7-15",
                 "program heat\n call MPI_Recv(a, 1)\nend program heat\n"},
                {"the main program by any name", "a.F90", "MAIN__", 1, 0, "MPI_RECV", "2:6-14",
                 "program heat\ncall mpi_recv(a)\nend\n"},
                {"comments and strings", "a.f90", "f", 1, 0, "g", "4:6-7",
                 "subroutine f(x) ! call g(1)\nprint *, 'call g(2) !', \"it's call g(3)\"\n! call g(4)\ncall "
                 "g(5)\nend subroutine\n"},
                {"a string that goes on", "a.f90", "f", 1, 0, "g", "4:6-7",
                 "subroutine f\nx = 'abc &\n &call g(1)'\ncall g(2)\nend\n"},
                {"lines that go on", "a.f90", "f", 1, 0, "g", "3:2-3",
                 "subroutine f\n call &  ! why\n g &\n (1)\nend\n"},
                {"the end is a bare END", "a.f90", "f", 1, 0, "g", "3:8-9",
                 "subroutine f\nif (x) then\n  call g(1)\nend if\nend\nsubroutine h\ncall g(2)\nend\n"},
                {"the end is a line", "a.f90", "f", 1, 2, "g", "2:6-7",
                 "subroutine f\ncall g(1)\ncall g(2)\nend\n"},
                {"the end is the next procedure", "a.f90", "f", 1, 0, "g", "2:6-7",
                 "subroutine f\ncall g(1)\ninteger function h()\ncall g(2)\nend\n"},
                {"procedures inside are others", "a.f90", "f", 1, 0, "g", "2:6-7",
                 "program f\ncall g(1)\ncontains\nsubroutine h\ncall g(2)\nend subroutine h\nend program "
                 "f\n"},
                {"a procedure inside", "a.f90", "m::h_", 4, 0, "g", "5:6-7",
                 "program f\ncall g(1)\ncontains\nrecursive subroutine H(x)\ncall g(2)\nend subroutine "
                 "h\nend program f\n"},
                {"interfaces begin no procedure", "a.f90", "f", 1, 0, "g", "7:6-7",
                 "subroutine f\ninterface\nsubroutine g(x)\ninteger x\nend subroutine\nend interface\ncall "
                 "g(1)\nend\n"},
                {"functions have prefixes", "a.f90", "__m_MOD_f", 2, 0, "g", "3:5-6",
                 "module m\nreal(kind=8) pure function f(x) result(y)\ny = g(1)\nend function\nend module\n"},
                {"a call goes before an element of an array", "a.f90", "f", 1, 0, "g", "3:6-7",
                 "subroutine f\nx = g(1)\ncall g\nend\n"},
                {"methods", "a.f90", "f", 1, 0, "g", "2:8-9", "subroutine f\ncall a%g(1)\nend\n"},
                {"another procedure stands there", "a.f90", "f", 1, 0, "g", "",
                 "subroutine h\ncall g(1)\nend\n"},
                {"bindings of 2008", "a.f90", "f", 1, 0, "MPI_Send_f08", "2:6-14",
                 "subroutine f\ncall mpi_send(1)\nend\n"},
                {"fixed form", "a.f", "F_", 1, 0, "g", "6:13-14",
                 "      SUBROUTINE F\nC     CALL G(1)\n*     CALL G(2)\nc     CALL G(3)\n! CALL G(4)\n  10   "
                 "CALL G(5)\n      END\n"},
                {"fixed form that goes on", "a.F", "f", 1, 0, "g", "4:7-8",
                 "      SUBROUTINE F\n      X = 'A\n     1 CALL G(1)'; CALL\n     2G(2)\n      END\n"},
                {"dead code", "a.F90", "f", 1, 0, "g", "5:6-7",
                 "subroutine f\n#if 0\ncall g(1)\n#else\ncall g(2)\n#endif\nend\n"},
        };
        check(cases, N(cases));
}

TEST(many_calls_are_bounded)
{
        char text[4096] = "void f() {", found[1024];
        for (int i = 0; i < 100; i++)
                strcat(text, "\n g(1);");
        look("a.c", "f", 1, 0, "g", text, strlen(text), found, sizeof(found));
        assert_int_equal(strncmp(found, "2 3 4 ", 6), 0);
        assert_string_equal(found + strlen(found) - 5, "64 65");
}

/* Nothing is known of what comes out, but that it comes, and at once. */
TEST(hostile_texts)
{
        static const char bits[] = "{}()\"'/*\\\n#if 0\n#else\n#endif\nR\"x(&!<>;\0\377g_ call end\n";
        static const char *const files[] = {"a.c", "a.cc", "a.f90", "a.f"};
        char text[300], found[1024];
        uint32_t seed = 1;
        for (int round = 0; round < 4000; round++) {
                size_t n = (size_t)round % sizeof(text);
                for (size_t i = 0; i < n; i++)
                        text[i] = bits[((seed = seed * 1664525 + 1013904223) >> 8) % sizeof(bits)];
                look(files[round % 4], "", 1, 0, "g", text, n, found, sizeof(found));
        }
        const size_t size = 1 << 20;
        char *large = malloc(size);
        assert_non_null(large);
        for (const char *c = "{(\"\\<a\n&'/R#"; *c; c++)
                for (int f = 0; f < 4; f++) {
                        memset(large, *c, size);
                        large[0] = 'a';
                        ps_scan *scan = NULL;
                        assert_int_equal(ps_scan_new(&scan, large, size, ps_scan_language_of(files[f]), NULL),
                                         PS_OK);
                        ps_scan_free(scan);
                }
        free(large);
}
