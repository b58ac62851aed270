/* test_gasp.c - text traces of gasp-dump, written by hand from its format: lines taken to pieces, whole sets
 * of files, what their calls become, and files that are damaged. */
#include "reader/gasp/files.h"
#include "reader/gasp/line.h"
#include "reader/reader.h"
#include "tests/support/analysed.h"
#include "tests/support/crew/crew.h"
#include "tests/support/damage.h"
#include "tests/support/dumped.h"
#include "tests/support/loaded.h"
#include "tests/support/test.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* -- lines -- */

static const char *text_of(ps_gasp_text text)
{
        static char room[256];
        snprintf(room, sizeof(room), "%.*s", (int)text.n, text.at);
        return room;
}

TEST(a_line_has_all_its_parts)
{
        static const char text[] = "3/8 12.000345> [a b:c.upc:42:7] UPC_ALL_BROADCAST START { "
                                   "<addr=0x10, thread=2, phase=0>, <x thread = 5>, 64, "
                                   "UPC_IN_MYSYNC|UPC_OUT_NOSYNC }\r";
        ps_gasp_line line;
        assert_null(ps_gasp_line_parse(&line, text, sizeof(text) - 1));
        assert_int_equal(line.thread, 3);
        assert_int_equal(line.threads, 8);
        assert_int_equal(line.time, INT64_C(12000345) * 1000000);
        assert_string_equal(text_of(line.file), "a b:c.upc");
        assert_int_equal(line.line, 42);
        assert_int_equal(line.type, PS_GASP_START);
        assert_string_equal(text_of(line.tag), "UPC_ALL_BROADCAST");
        assert_int_equal(ps_gasp_thread(&line, ps_gasp_argument(&line, 0)), 2);
        assert_int_equal(ps_gasp_thread(&line, ps_gasp_argument(&line, 1)), 5);
        assert_int_equal(ps_gasp_number(ps_gasp_argument(&line, 2)), 64);
        assert_string_equal(text_of(ps_gasp_argument(&line, 3)), "UPC_IN_MYSYNC|UPC_OUT_NOSYNC");
        assert_int_equal(ps_gasp_argument(&line, 4).n, 0);
        static const char user[] = "0/1 0.5> [<unknown>:0:0] my own event ATOMIC { a } b }";
        assert_null(ps_gasp_line_parse(&line, user, sizeof(user) - 1));
        assert_string_equal(text_of(line.tag), "my own event");
        assert_string_equal(text_of(line.arguments), "a } b");
}

TEST(bad_lines_are_refused)
{
        static const char *const lines[] = {"",
                                            "hello",
                                            "0/0 0.1> [a:1:1] X START { }",
                                            "4/4 0.1> [a:1:1] X START { }",
                                            "0/99999999999999999999 0.1> [a:1:1] X START { }",
                                            "0/4 -0.1> [a:1:1] X START { }",
                                            "0/4 0.> [a:1:1] X START { }",
                                            "0/4 0.1 [a:1:1] X START { }",
                                            "0/4 0.1> [a:1] X START { }",
                                            "0/4 0.1> [a:1:1 X START { }",
                                            "0/4 0.1> [a:1:1] X BEGIN { }",
                                            "0/4 0.1> [a:1:1] START { }",
                                            "0/4 0.1> [a:1:1] X START { ",
                                            "0/4 0.1> [a:1:1] X START }"};
        ps_gasp_line line;
        for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
                if (!ps_gasp_line_parse(&line, lines[i], strlen(lines[i])))
                        fail_msg("%s", lines[i]);
        assert_true(ps_gasp_line_is_chatter("", 0));
        assert_true(ps_gasp_line_is_chatter("Execution complete: goodbye!", 28));
        assert_false(ps_gasp_line_is_chatter("hello", 5));
        static const char far[] = "0/1 99999999999999999999.9> [a:1:1] X END { }";
        assert_null(ps_gasp_line_parse(&line, far, sizeof(far) - 1));
        assert_true(line.out_of_range);
}

/* -- traces -- */

#define P_0 "<address=0x7f00 (addr=0x10), thread=0, phase=0>"
#define P_1 "<address=0x7f00 (addr=0x10), thread=1, phase=0>"

/* Thread 1 starts 0.5 s after thread 0: the first barrier ends at 1.0 and at 0.5. */
static const char *const two[2] = {
        "0/2 0.000000> [<unknown>:0:0] INIT ATOMIC { MYTHREAD = 0, THREADS = 2, argc = 1 }\n"
        "0/2 0.100000> [a.upc:1:1] C_FUNC START { main }\n"
        "0/2 0.900000> [a.upc:10:1] UPC_BARRIER START { 0, 0 }\n"
        "0/2 1.000000> [a.upc:10:1] UPC_BARRIER END   { 0, 0 }\n"
        "0/2 1.100000> [a.upc:11:1] UPC_ALL_BROADCAST START { " P_0 ", " P_1
        ", 64, UPC_IN_MYSYNC|UPC_OUT_MYSYNC }\n"
        "0/2 1.400000> [a.upc:11:1] UPC_ALL_BROADCAST END   { " P_0 ", " P_1
        ", 64, UPC_IN_MYSYNC|UPC_OUT_MYSYNC }\n"
        "0/2 1.500000> [a.upc:12:1] UPC_LOCK START { " P_0 " }\n"
        "0/2 1.510000> [a.upc:12:1] UPC_LOCK END   { " P_0 " }\n"
        "0/2 1.600000> [a.upc:13:1] UPC_UNLOCK START { " P_0 " }\n"
        "0/2 1.610000> [a.upc:13:1] UPC_UNLOCK END   { " P_0 " }\n"
        "0/2 1.700000> [a.upc:14:1] UPC_MEMPUT START { " P_1 ", 0x1234, 4096 }\n"
        "0/2 1.710000> [a.upc:14:1] UPC_MEMPUT END   { " P_1 ", 0x1234, 4096 }\n"
        "0/2 1.720000> [a.upc:15:1] UPC_NB_GET_INIT START { 1, 0x12, " P_1 ", 8 }\n"
        "0/2 1.730000> [a.upc:15:1] UPC_NB_GET_INIT END   { 1, 0x12, " P_1 ", 8, handle:0x77 }\n"
        "0/2 1.740000> [a.upc:16:1] UPC_NB_SYNC START { handle:0x77 }\n"
        "0/2 1.750000> [a.upc:16:1] UPC_NB_SYNC END   { handle:0x77 }\n"
        "0/2 1.900000> [a.upc:1:1] C_FUNC END   { main }\n"
        "Execution complete: goodbye!\n",
        "1/2 0.000000> [<unknown>:0:0] INIT ATOMIC { MYTHREAD = 1, THREADS = 2, argc = 1 }\n"
        "1/2 0.000001> [a.upc:1:1] C_FUNC START { main }\n"
        "1/2 0.100000> [a.upc:10:1] UPC_BARRIER START { 0, 0 }\n"
        "1/2 0.500000> [a.upc:10:1] UPC_BARRIER END   { 0, 0 }\n"
        "1/2 0.850000> [a.upc:11:1] UPC_ALL_BROADCAST START { " P_0 ", " P_1
        ", 64, UPC_IN_MYSYNC|UPC_OUT_MYSYNC }\n"
        "1/2 0.860000> [a.upc:11:1] UPC_ALL_BROADCAST END   { " P_0 ", " P_1
        ", 64, UPC_IN_MYSYNC|UPC_OUT_MYSYNC }\n"
        "1/2 1.050000> [a.upc:12:1] UPC_LOCK START { " P_0 " }\n"
        "1/2 1.105000> [a.upc:12:1] UPC_LOCK END   { " P_0 " }\n"
        "1/2 1.200000> [a.upc:13:1] UPC_UNLOCK START { " P_0 " }\n"
        "1/2 1.210000> [a.upc:13:1] UPC_UNLOCK END   { " P_0 " }\n"
        "1/2 1.220000> [a.upc:14:1] UPC_LOCK_ATTEMPT START { " P_0 " }\n"
        "1/2 1.230000> [a.upc:14:1] UPC_LOCK_ATTEMPT END   { " P_0 ", 0 }\n"
        "1/2 1.400000> [a.upc:1:1] C_FUNC END   { main }\n"};

static void write_file(const char *dir, const char *name, const char *text, size_t n)
{
        char path[1024];
        snprintf(path, sizeof(path), "%s/%s", dir, name);
        FILE *file = fopen(path, "wb");
        if (!file || fwrite(text, 1, n, file) != n || fclose(file))
                ps_test_die("cannot write: path=\"%s\"", path);
}

static char *write_set(const char *const files[2], int n)
{
        char *dir = ps_dir_new();
        for (int i = 0; i < n; i++) {
                char name[32];
                snprintf(name, sizeof(name), "gasp_dump.%d", i);
                write_file(dir, name, files[i], strlen(files[i]));
        }
        return dir;
}

static void drop(char *dir, ps_trace *t)
{
        ps_trace_close(t);
        ps_dir_remove(dir);
        free(dir);
}

static ps_time lost_by(const ps_trace *t, const char *id, ps_loc loc)
{
        ps_analysis *a = analysed(t, PS_DEFINITIONS_PATSCAN, -1, 1);
        ps_time lost = analysed_lost(a, ps_pattern_find(id), loc, 1);
        ps_analysis_free(a);
        return lost;
}

#define MS (PS_PS_PER_S / 1000)

static void check_two(const ps_trace *t, const char *format)
{
        static const uint8_t kinds[] = {PS_K_BARRIER, PS_K_BCAST, PS_K_WIN_LOCK, PS_K_WIN_UNLOCK,
                                        PS_K_PUT,     PS_K_GET,   PS_K_RMA_WAIT};
        assert_string_equal(t->format, format);
        assert_int_equal(t->defs.clock_per_process, 0);
        assert_int_equal(t->ops[0].n, sizeof(kinds));
        for (ps_op i = 0; i < t->ops[0].n; i++)
                assert_int_equal(t->ops[0].kind[i], kinds[i]);
        assert_int_equal(ps_op_bytes(&t->ops[0], 1), 64);
        assert_int_equal(ps_op_bytes(&t->ops[0], 4), 4096);
        assert_int_equal(ps_op_peer(&t->ops[0], 4), 1);
        assert_int_equal(t->ops[0].done[5], 6);
        assert_true(t->ops[1].flags[4] & PS_OP_CANCELLED);
        /* Barrier: thread 1 came 400 ms before its end, thread 0 100 ms. Broadcast: thread 0 comes 100 ms
         * behind the barrier, the root 350 ms. Lock: asked 550 ms behind it, given back at 600. */
        assert_int_equal(lost_by(t, "pgas-barrier-wait", 1), 300 * MS);
        assert_int_equal(lost_by(t, "pgas-late-broadcast", 0), 250 * MS);
        assert_int_equal(lost_by(t, "pgas-lock-wait", 1), 50 * MS);
        EXPECT_PATH(t, 0, 1, "main@a.upc:11/upc_all_broadcast");
        EXPECT_ISSUES(t, "");
        loaded_check(t);
}

TEST(any_file_of_a_set_stands_for_all)
{
        char path[1024], *dir = write_set(two, 2);
        ps_trace *t = loaded_by(dir, 1, PS_CLOCK_AS_IS);
        check_two(t, "gasp");
        ps_trace_close(t);
        snprintf(path, sizeof(path), "%s/gasp_dump.1", dir); /* any of them stands for all */
        t = loaded_by(path, 2, PS_CLOCK_AS_IS);
        check_two(t, "gasp");
        drop(dir, t);
}

/* Written as OTF2 it says the same. */
TEST(written_as_otf2_it_says_the_same)
{
        char copy[1024], *dir = write_set(two, 2);
        snprintf(copy, sizeof(copy), "%s/copy", dir);
        assert_int_equal(dumped(dir, PS_DUMP_OTF2, copy), 2); /* each INIT, which tells of nothing */
        ps_trace *t = loaded_by(copy, 1, PS_CLOCK_AS_IS);
        check_two(t, "otf2");
        drop(dir, t);
}

/* Berkeley's notify and wait at one place are a barrier, at two places a split one. */
TEST(notify_and_wait)
{
        static const char *const barrier[2] = {"0/2 0.100000> [a.upc:5:1] UPC_NOTIFY START { 0, 0 }\n"
                                               "0/2 0.100001> [a.upc:5:1] UPC_NOTIFY END   { 0, 0 }\n"
                                               "0/2 0.100001> [a.upc:5:1] UPC_WAIT START { 0, 0 }\n"
                                               "0/2 0.400000> [a.upc:5:1] UPC_WAIT END   { 0, 0 }\n",
                                               "1/2 0.300000> [a.upc:5:1] UPC_NOTIFY START { 0, 0 }\n"
                                               "1/2 0.300001> [a.upc:5:1] UPC_NOTIFY END   { 0, 0 }\n"
                                               "1/2 0.300001> [a.upc:5:1] UPC_WAIT START { 0, 0 }\n"
                                               "1/2 0.400000> [a.upc:5:1] UPC_WAIT END   { 0, 0 }\n"};
        char *dir = write_set(barrier, 2);
        ps_trace *t = loaded_by(dir, 1, PS_CLOCK_AS_IS);
        assert_int_equal(lost_by(t, "pgas-barrier-wait", 0), 200 * MS);
        assert_int_equal(lost_by(t, "pgas-split-barrier-wait", 0), 0);
        drop(dir, t);
        char split[2][512];
        for (int i = 0; i < 2; i++) {
                snprintf(split[i], sizeof(split[i]), "%s", barrier[i]);
                for (char *at = split[i]; (at = strstr(at, "5:1] UPC_WAIT")) != NULL;)
                        *at = '6';
        }
        const char *const files[2] = {split[0], split[1]};
        dir = write_set(files, 2);
        t = loaded_by(dir, 1, PS_CLOCK_AS_IS);
        assert_int_equal(lost_by(t, "pgas-barrier-wait", 0), 0);
        assert_int_equal(lost_by(t, "pgas-split-barrier-wait", 0), 200 * MS - MS / 1000);
        drop(dir, t);
}

/* Without a barrier nobody knows the threads' starts. */
TEST(without_a_barrier_nobody_knows_the_starts)
{
        static const char *const files[2] = {"0/2 0.1> [a:1:1] C_FUNC START { main }\n"
                                             "0/2 0.2> [a:1:1] C_FUNC END { main }\n",
                                             "1/2 0.1> [a:1:1] C_FUNC START { main }\n"
                                             "1/2 0.2> [a:1:1] C_FUNC END { main }\n"};
        char *dir = write_set(files, 2);
        ps_trace *t = loaded_by(dir, 1, PS_CLOCK_AS_IS);
        assert_int_equal(t->defs.clock_per_process, 1);
        drop(dir, t);
}

TEST(defects_are_told)
{
        static const char *const files[2] = {"0/2 0.2> [a:1:1] C_FUNC START { main }\n"
                                             "what is this\n"
                                             "0/2 0.1> [a:1:1] C_FUNC END { main }\n",
                                             "0/2 0.1> [a:1:1] C_FUNC START { main }\n"};
        ps_error err = {0};
        const ps_load_options options = {.n_threads = 1, .clock = PS_CLOCK_AS_IS};
        ps_trace *t;
        char *dir = write_set(files, 1); /* the second file is missing */
        t = loaded_by(dir, 1, PS_CLOCK_AS_IS);
        EXPECT_ISSUES(t, "missing-file=1 unknown-record=1 backward-time=1");
        drop(dir, t);
        static const char mixed[] = "1/2 0.1> [a:1:1] C_FUNC START { main }\n"
                                    "0/2 0.1> [a:1:1] C_FUNC START { main }\n";
        dir = ps_dir_new();
        write_file(dir, "gasp_dump.1", mixed, sizeof(mixed) - 1);
        assert_int_equal(ps_trace_load(&t, dir, &options, &err), PS_E_INPUT);
        assert_non_null(strstr(err.cause[0].text, "line=2"));
        drop(dir, NULL);
}

TEST(truncated_files_do_no_harm)
{
        size_t n = strlen(two[0]);
        for (size_t cut = 1; cut < n; cut += 7) {
                char *dir = write_set(two, 2);
                write_file(dir, "gasp_dump.0", two[0], cut);
                drop(dir, loaded_hostile(dir, 1));
        }
}

/* What else lies in the folder may be large, and have no lines. */
TEST(too_many_open_files_are_no_fault_of_a_folder)
{
        const ps_reader_class *found;
        ps_error err = {0};
        char *dir = write_set(two, 2);
        for (uint64_t n = 3; n < 5;
             n++) { /* none for the folder; one for the folder, none for what is in it */
                uint64_t before = ps_files_limit(n);
                assert_int_equal(ps_reader_find(&found, dir, &err), PS_E_NOMEM);
                ps_files_limit(before);
                assert_non_null(strstr(err.cause[0].text, "ulimit -n"));
        }
        drop(dir, NULL);
}

TEST(strange_files_beside_it_are_left_alone)
{
        char *dir = write_set(two, 2), path[600];
        ps_trace *t;
        snprintf(path, sizeof(path), "%s/a.core", dir);
        write_file(dir, "a.core", "", 1);
        assert_int_equal(truncate(path, INT64_C(1) << 37), 0);
        t = loaded_by(dir, 1, PS_CLOCK_AS_IS);
        assert_int_equal(t->n_locs, 2);
        drop(dir, t);
}

/* -- several processes -- */

/* Threads that call functions of names of their own, meet, and put something to the next one. */
static void write_thread(const char *dir, unsigned thread, unsigned n)
{
        char *text, name[32];
        size_t size;
        FILE *file = open_memstream(&text, &size);
        assert_non_null(file);
        for (unsigned i = 0; i < 20; i++) {
                double t = 0.01 * i + 0.001 * thread;
                fprintf(file, "%u/%u %.6f> [f%u.upc:%u:1] C_FUNC START { f%u }\n", thread, n, t, thread,
                        i + 1, thread + i % 3);
                fprintf(file, "%u/%u %.6f> [f%u.upc:9:1] UPC_BARRIER START { 0, 0 }\n", thread, n, t + 0.001,
                        thread);
                fprintf(file, "%u/%u %.6f> [f%u.upc:9:1] UPC_BARRIER END { 0, 0 }\n", thread, n, t + 0.002,
                        thread);
                fprintf(file,
                        "%u/%u %.6f> [f%u.upc:10:1] UPC_MEMPUT START { <addr=0x10, thread=%u, phase=0>, 1, 8 "
                        "}\n",
                        thread, n, t + 0.003, thread, (thread + 1) % n);
                fprintf(file,
                        "%u/%u %.6f> [f%u.upc:10:1] UPC_MEMPUT END { <addr=0x10, thread=%u, phase=0>, 1, 8 "
                        "}\n",
                        thread, n, t + 0.004, thread, (thread + 1) % n);
                fprintf(file, "%u/%u %.6f> [f%u.upc:%u:1] C_FUNC END { f%u }\n", thread, n, t + 0.005, thread,
                        i + 1, thread + i % 3);
        }
        assert_int_equal(fclose(file), 0);
        snprintf(name, sizeof(name), "gasp_dump.%u", thread);
        write_file(dir, name, text, size);
        free(text);
}

TEST(what_several_processes_read_is_what_one_reads)
{
        const ps_load_options options = {.n_threads = 1};
        char path[1024], *dir = ps_dir_new(), *few = write_set(two, 2);
        crew_expect_same(few, &options);
        for (unsigned i = 0; i < 5; i++)
                write_thread(dir, i, 5);
        crew_expect_same(dir, &options);
        for (unsigned i = 1; i < 5; i++) { /* what is left of the others */
                snprintf(path, sizeof(path), "%s/gasp_dump.%u", dir, i);
                ps_file_truncate(path, ps_file_size(path) * i / 5);
                crew_expect_same(dir, &options);
        }
        remove(path);
        crew_expect_same(dir, &options);
        drop(few, NULL);
        drop(dir, NULL);
}

TEST(what_is_wrong_in_one_file_ends_all)
{
        const ps_load_options options = {.n_threads = 1};
        crew_expect_same("tests/fuzz/corpus/gasp/wrong-thread", &options);
        char *dir = ps_dir_new();
        for (unsigned i = 0; i < 5; i++)
                write_thread(dir, i, i == 3 ? 6 : 5);
        crew_expect_same(dir, &options);
        drop(dir, NULL);
}

TEST(another_file_at_a_path_is_noticed)
{
        ps_error err = {0};
        char path[1024], *dir = write_set(two, 1);
        snprintf(path, sizeof(path), "%s/gasp_dump.0", dir);
        FILE *file = fopen(path, "rb");
        assert_non_null(file);
        ps_gasp_file told = {.path = path, .size = strlen(two[0])};
        assert_int_equal(ps_gasp_file_check(&told, file, &err), PS_OK);
        told.size++;
        assert_int_equal(ps_gasp_file_check(&told, file, &err), PS_E_INPUT);
        fclose(file);
        drop(dir, NULL);
}
