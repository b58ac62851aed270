/* test.h - tests, each of which is named once: `TEST(a_sum_of_nothing_is_0) { ... }` runs without being
 * listed anywhere, in the order of the file. main() is in test.c. */
#ifndef PS_TESTS_SUPPORT_TEST_H
#define PS_TESTS_SUPPORT_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define TEST(name) TEST_BETWEEN(name, NULL, NULL)

/* `setup` and `teardown` get the same `state`. */
#define TEST_BETWEEN(name, setup, teardown)                                                                  \
        static void name(void **state);                                                                      \
        __attribute__((constructor)) static void add_##name(void)                                            \
        {                                                                                                    \
                test_add(__LINE__, &(struct CMUnitTest){#name, name, setup, teardown, NULL});                \
        }                                                                                                    \
        static void name(__attribute__((unused)) void **state)

/* What is done before the first test of a program and behind the last one. */
#define TESTS_BETWEEN(setup, teardown)                                                                       \
        __attribute__((constructor)) static void add_around(void)                                            \
        {                                                                                                    \
                test_around(setup, teardown);                                                                \
        }
void test_around(CMFixtureFunction setup, CMFixtureFunction teardown);

/* Compilers may call the constructors of a file in any order, so that each says in which line it stands. */
void test_add(int line, const struct CMUnitTest *test);

#endif
