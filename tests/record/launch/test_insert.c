/* test_insert.c - what a launcher starts, found in its command line. */
#include "record/launch/launch.h"
#include "tests/support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORDS_MOST = 40 };

/* The words of a line, which it is cut into. */
static void split(char **out, char *line)
{
        int n = 0;
        for (char *word = strtok(line, " "); word && n < WORDS_MOST; word = strtok(NULL, " "))
                out[n++] = word;
        out[n] = NULL;
}

static void expect(const char *command, const char *wanted)
{
        static const char *const words[] = {"R", "--", NULL};
        char line[512], text[512] = "", *word[WORDS_MOST + 1], **inserted;
        snprintf(line, sizeof(line), "%s", command);
        split(word, line);
        assert_int_equal(ps_launch_insert(&inserted, word, words, NULL), PS_OK);
        for (char **at = inserted; *at; at++) {
                strcat(text, at == inserted ? "" : " ");
                strcat(text, *at);
        }
        assert_string_equal(text, wanted);
        free((void *)inserted);
}

TEST(words_stand_before_the_program)
{
        expect("mpirun ./app", "mpirun R -- ./app");
        expect("mpirun -n 4 ./app -n 5 x", "mpirun -n 4 R -- ./app -n 5 x");
        expect("/usr/bin/mpiexec -np 4 --oversubscribe app",
               "/usr/bin/mpiexec -np 4 --oversubscribe R -- app");
}

TEST(values_of_options_are_no_program)
{
        expect("mpirun --map-by node --mca btl self -x PATH -n 2 ./app",
               "mpirun --map-by node --mca btl self -x PATH -n 2 R -- ./app");
        expect("mpirun.mpich -genv A 1 -hosts a,b -ppn 2 ./app",
               "mpirun.mpich -genv A 1 -hosts a,b -ppn 2 R -- ./app");
        expect("srun --ntasks=4 -N 2 --mpi=pmix ./app", "srun --ntasks=4 -N 2 --mpi=pmix R -- ./app");
}

TEST(a_launcher_may_stand_behind_others)
{
        expect("timeout -k 5 60 mpirun -n 4 ./app", "timeout -k 5 60 mpirun -n 4 R -- ./app");
        expect("env A=1 nice /opt/mpiexec ./app mpirun", "env A=1 nice /opt/mpiexec R -- ./app mpirun");
        expect("srun --cpu-bind cores --gres gpu:2 -n 2 ./app",
               "srun --cpu-bind cores --gres gpu:2 -n 2 R -- ./app");
}

TEST(each_of_several_programs_gets_them)
{
        expect("mpirun -n 1 ./a x : -n 2 ./b", "mpirun -n 1 R -- ./a x : -n 2 R -- ./b");
}

TEST(a_launcher_without_a_program_is_an_error)
{
        static const char *const words[] = {"R", NULL};
        char *bare[] = {(char[]){"mpirun"}, (char[]){"-n"}, (char[]){"4"}, NULL};
        char **inserted;
        ps_error err = {0};
        assert_int_equal(ps_launch_insert(&inserted, bare, words, &err), PS_E_USAGE);
        assert_null(inserted);
}

TEST(the_recording_is_called_like_the_program)
{
        char *launched[] = {(char[]){"mpirun"}, (char[]){"-n"}, (char[]){"4"}, (char[]){"bin/app"}, NULL};
        char *alone[] = {(char[]){"../app2"}, (char[]){"mpirun"}, NULL};
        assert_int_equal(ps_launch_is_launcher(launched), 1);
        assert_int_equal(ps_launch_is_launcher(alone), 0);
        assert_string_equal(ps_launch_program(launched), "app");
        assert_string_equal(ps_launch_program(alone), "app2");
}

static bool is_part(const char *command)
{
        char line[512], *word[WORDS_MOST + 1];
        snprintf(line, sizeof(line), "%s", command);
        split(word, line);
        return ps_launch_is_part(word);
}

TEST(a_run_of_which_some_programs_are_recorded_is_known)
{
        assert_false(is_part("mpirun -n 4 ./app"));
        assert_false(is_part("mpirun -n 4 patscan record -- ./app"));
        assert_false(is_part("mpirun -n 1 ./a : -n 1 ./b"));
        assert_false(is_part("mpirun -n 1 patscan record -- ./a : -n 1 /opt/bin/patscan record -- ./b"));
        assert_true(is_part("mpirun -n 1 patscan record -- ./a : -n 1 ./b"));
        assert_true(is_part("mpirun -n 1 ./a : -n 1 ./b : -n 1 patscan record -- ./c"));
}
