#include "tests/support/test.h"

#include <stdlib.h>

enum { TESTS_MOST = 128 };

static struct CMUnitTest tests[TESTS_MOST]; /* cmocka passes over the rows without a name */
static int lines[TESTS_MOST], n_tests;

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
        return cmocka_run_group_tests(tests, NULL, NULL);
}
