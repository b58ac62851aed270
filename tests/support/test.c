#include "tests/support/test.h"

#include <stdlib.h>

enum { TESTS_MOST = 128 };

static struct CMUnitTest tests[TESTS_MOST]; /* cmocka passes over the rows without a name */
static int lines[TESTS_MOST], n_tests;

static CMFixtureFunction around[2];

void test_around(CMFixtureFunction setup, CMFixtureFunction teardown)
{
        around[0] = setup;
        around[1] = teardown;
}

void test_add(int line, const struct CMUnitTest *test)
{
        int at = n_tests++;
        if (n_tests > TESTS_MOST)
                abort();
        for (; at > 0 && lines[at - 1] > line; at--) {
                lines[at] = lines[at - 1];
                tests[at] = tests[at - 1];
        }
        lines[at] = line;
        tests[at] = *test;
}

int main(void)
{
        return cmocka_run_group_tests(tests, around[0], around[1]);
}
