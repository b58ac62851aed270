/* test_killed.c - of a command that ends while it keeps a trace nothing stays. */
#include "core/cache/cache.h"
#include "tests/support/damage.h"
#include "tests/support/loaded.h"
#include "tests/support/test.h"

#include <dirent.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static unsigned count_files(const char *folder)
{
        DIR *dir = opendir(folder);
        unsigned n = 0;
        assert_non_null(dir);
        for (struct dirent *e; (e = readdir(dir));)
                n += e->d_name[0] != '.';
        closedir(dir);
        return n;
}

/* It ends at a column that cannot be read. */
static void keep_and_die(const ps_cache_key *key, ps_trace *trace)
{
        void *nowhere = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        assert_ptr_not_equal(nowhere, MAP_FAILED);
        pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0) {
                signal(SIGSEGV, SIG_DFL);
                signal(SIGBUS, SIG_DFL);
                trace->measured.leave[trace->n_locs - 1] = nowhere;
                (void)ps_cache_keep(key, trace, 1, NULL);
                _exit(0);
        }
        int how;
        assert_int_equal(waitpid(child, &how, 0), child);
        assert_true(WIFSIGNALED(how));
        munmap(nowhere, 4096);
}

TEST(nothing_stays_of_a_command_that_dies)
{
        ps_gen *g = ps_gen_new(NULL, (ps_gen_options){.ranks = 2});
        for (uint32_t rank = 0; rank < 2; rank++)
                ps_gen_barrier(g, rank, 10, 20, PS_GEN_WORLD);
        ps_trace *trace = loaded(g, PS_CLOCK_AUTO);
        char *folder = ps_dir_new(), *anchor = (char *)ps_gen_anchor(g);
        const ps_load_options options = {.n_threads = 1};
        ps_cache_key key;
        unsigned n;
        assert_int_equal(ps_cache_key_make(&key, folder, anchor, &options, &anchor, 1, NULL), PS_OK);
        keep_and_die(&key, trace);
        assert_int_equal(count_files(folder), 0);
        assert_int_equal(ps_cache_keep(&key, trace, 1, NULL), PS_OK);
        assert_int_equal(count_files(folder), 1);
        assert_int_equal(ps_cache_clear(folder, &n, NULL), PS_OK);
        assert_int_equal(n, 1);
        ps_cache_key_clear(&key);
        ps_dir_remove(folder);
        free(folder);
        ps_trace_close(trace);
        ps_gen_free(g);
}
