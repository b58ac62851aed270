/* apart.h - work in a process of its own: a limit holds for a whole one. */
#ifndef PS_TESTS_CORE_BASE_APART_H
#define PS_TESTS_CORE_BASE_APART_H

#include "tests/support/test.h"

#include <sys/wait.h>
#include <unistd.h>

/* What it returns is its exit code, which has to be 0. */
static inline void run_apart(int (*work)(void))
{
        int how;
        pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0)
                _exit(work());
        assert_int_equal(waitpid(child, &how, 0), child);
        assert_true(WIFEXITED(how));
        assert_int_equal(WEXITSTATUS(how), 0);
}

#endif
