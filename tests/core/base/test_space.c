/* test_space.c - where no file, or no memory, can be had for what does not fit, the folder or the limit is
 * told that somebody can mend. */
#include "core/base/blocks.h"

#include "core/base/allocate.h"
#include "tests/core/base/apart.h"
#include "tests/support/sanitized.h"
#include "tests/support/test.h"

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MIB = 1 << 20, SMALL = 32 << 10 }; /* too small for the file */

static int try_nowhere(void)
{
        if (setenv("TMPDIR", "/nowhere/at/all", 1))
                return 1;
        ps_blocks_limit(1);
        if (malloc(MIB))
                return 2;
        return strstr(ps_blocks_trouble(), "path=\"/nowhere/at/all\", reason=\"No such file") ? 0 : 3;
}

TEST(the_folder_that_a_user_told_is_named)
{
        run_apart(try_nowhere);
}

#define LONG_FOLDER "/nowhere/at/all/scratch/of-somebody/on-a-large-file-system/jobs/2031-07-04/node-0017"

/* What else is told is shorter, and so is what an error has room for. */
static int try_long_way(void)
{
        if (setenv("TMPDIR", LONG_FOLDER, 1))
                return 1;
        ps_blocks_limit(1);
        if (malloc(MIB))
                return 2;
        return strstr(ps_blocks_trouble(), "path=\"" LONG_FOLDER "\", reason=\"No such file") ? 0 : 3;
}

TEST(a_long_way_to_it_is_told_whole)
{
        run_apart(try_long_way);
}

static int open_nothing(void)
{
        struct rlimit files = {0};
        if (unsetenv("TMPDIR") || setrlimit(RLIMIT_NOFILE, &files))
                return 1;
        ps_blocks_limit(1);
        if (malloc(MIB))
                return 2;
        return strstr(ps_blocks_trouble(), "path=\"/var/tmp\", reason=\"Too many open files\"") ? 0 : 3;
}

TEST(without_one_the_last_that_was_tried_is_named)
{
        run_apart(open_nothing);
}

static int take_all_data(void)
{
        struct rlimit most = {64 * MIB, 64 * MIB};
        if (setrlimit(RLIMIT_DATA, &most))
                return 1;
        for (unsigned n = 0; n < 128 * MIB / SMALL; n++)
                if (!calloc(1, SMALL))
                        return strstr(ps_blocks_trouble(), "ulimit_d_bytes=67108864") ? 0 : 2;
        return 3;
}

TEST(who_runs_out_of_memory_under_a_limit_is_told_of_it)
{
        if (!SANITIZED)
                run_apart(take_all_data);
}
