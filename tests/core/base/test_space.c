/* test_space.c - where no file can be had for what does not fit into memory, the folder and the reason are
 * told that somebody can mend. */
#include "core/base/blocks.h"

#include "core/base/allocate.h"
#include "tests/support/test.h"

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MIB = 1 << 20 };

/* In a process of its own: a limit holds for a whole one. What could not be had is said to be told so. */
static void expect_trouble(const char *folder, const char *told)
{
        int how;
        pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0) {
                struct rlimit files = {0};
                if (folder ? setenv("TMPDIR", folder, 1) : unsetenv("TMPDIR"))
                        _exit(1);
                if (!folder && setrlimit(RLIMIT_NOFILE, &files))
                        _exit(2);
                ps_blocks_limit(1);
                _exit(malloc(MIB) ? 3 : strstr(ps_blocks_trouble(), told) ? 0 : 4);
        }
        assert_int_equal(waitpid(child, &how, 0), child);
        assert_true(WIFEXITED(how));
        assert_int_equal(WEXITSTATUS(how), 0);
}

TEST(the_folder_that_a_user_told_is_named)
{
        expect_trouble("/nowhere/at/all", "path=\"/nowhere/at/all\", reason=\"No such file or directory\"");
}

TEST(without_one_the_last_that_was_tried_is_named)
{
        expect_trouble(NULL, "path=\"/var/tmp\", reason=\"Too many open files\"");
}
