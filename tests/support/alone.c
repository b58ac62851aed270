/* alone.c - linked with --wrap=pthread_create into the tests of tests/CMakeLists.txt that are said to start
 * no thread. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *how, void *(*run)(void *), void *ctx);

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *how, void *(*run)(void *), void *ctx)
{
        (void)thread, (void)how, (void)run, (void)ctx;
        fputs("This test starts threads: take it off the list of those that do not, in "
              "tests/CMakeLists.txt.\n",
              stderr);
        abort();
}
