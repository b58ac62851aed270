/* test_names.c - what C++ functions are called, by hand. */
#include "record/resolve/names.h"
#include "tests/support/test.h"

#include <string.h>

TEST(a_declaration_is_cut_down_to_its_name)
{
        static const struct {
                const char *declaration, *name;
        } cases[] = {
                {"LAMMPS_NS::CommBrick::reverse_comm()", "LAMMPS_NS::CommBrick::reverse_comm"},
                {"exchange(int, double const*)", "exchange"},
                {"void fill<int>(int)", "fill<int>"},
                {"std::vector<int, std::allocator<int> >::push_back(int const&)",
                 "std::vector<int, std::allocator<int> >::push_back"},
                {"Mesh::size() const", "Mesh::size"},
                {"(anonymous namespace)::solve(int)", "(anonymous namespace)::solve"},
                {"Sum::operator()(int, int) const", "Sum::operator()"},
                {"Sum::operator<(Sum const&) const", "Sum::operator<"},
                {"Sum::operator->() const", "Sum::operator->"},
                {"Sum::operator bool() const", "Sum::operator bool"},
                {"operator new(unsigned long)", "operator new"},
                {"std::ostream& operator<< <char>(std::ostream&, char)", "operator<< <char>"},
                {"main::{lambda(int)#1}::operator()(int) const", "main::{lambda(int)#1}::operator()"},
                {"run(int)::{lambda()#2}::operator()() const", "run::{lambda()#2}::operator()"},
                {"unsigned long count<(Kind)2>(int (*)(double))", "count<(Kind)2>"},
                {"void pick<decltype(a->b)>(int)", "pick<decltype(a->b)>"},
                {"operators(int)", "operators"},
                {"f", "f"},
                {"", ""},
                {"f(", "f"},
                {"f<", "f<"},
        };
        for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
                char text[128];
                strcpy(text, cases[i].declaration);
                ps_plain_name_cut(text);
                assert_string_equal(text, cases[i].name);
        }
}

TEST(symbols_of_cxx_are_read_and_others_stay)
{
        ps_plain_names names = {0};
        assert_null(ps_plain_name(&names, NULL));
        assert_string_equal(ps_plain_name(&names, "exchange_"), "exchange_");
        assert_string_equal(ps_plain_name(&names, "__mesh_MOD_exchange"), "__mesh_MOD_exchange");
        assert_string_equal(ps_plain_name(&names, "_Znonsense"), "_Znonsense");
        assert_int_equal(names.text.n, 0);
        const char *name = ps_plain_name(&names, "_ZN4Mesh8exchangeEi");
        if (strcmp(name, "_ZN4Mesh8exchangeEi") == 0)
                skip(); /* no library of C++ is here */
        assert_string_equal(name, "Mesh::exchange");
        assert_string_equal(ps_plain_name(&names, "_Z5solvei._omp_fn.0"), "solve._omp_fn.0");
        assert_int_equal(names.text.n, 2);
        ps_plain_names_clear(&names);
}
