/* test_writer.c - an archive that is read and written is the same trace again, in every column. */
#include "reader/reader.h"
#include "tests/support/damage.h"
#include "tests/support/dumped.h"
#include "tests/support/loaded.h"
#include "tests/support/random_program.h"
#include "tests/support/test.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static unsigned n_compared;

/* Strings have other numbers in the copy: places in the source are compared by what they say. */
static void same_places(const ps_trace *a, const ps_trace *b, const char *title)
{
        for (uint32_t i = 0; i < a->n_paths; i++) {
                ps_path_node *x = &a->paths[i], *y = &b->paths[i];
                if (strcmp(ps_defs_str(&a->defs, x->site_file), ps_defs_str(&b->defs, y->site_file)) != 0 ||
                    strcmp(ps_defs_str(&a->defs, x->frame_file), ps_defs_str(&b->defs, y->frame_file)) != 0)
                        ps_test_die("other places: %s", title);
                y->site_file = x->site_file;
                y->frame_file = x->frame_file;
        }
}

/* The same names, files and lines, and what a record type is called. */
static void same_regions(const ps_defs *a, const ps_defs *b)
{
        assert_int_equal(a->regions.n, b->regions.n);
        for (ps_region i = 0; i < a->regions.n; i++) {
                const ps_region_def *x = &a->regions.row[i], *y = &b->regions.row[i];
                assert_string_equal(ps_defs_str(a, x->name), ps_defs_str(b, y->name));
                assert_string_equal(ps_defs_str(a, x->file), ps_defs_str(b, y->file));
                assert_int_equal(x->line, y->line);
                assert_int_equal(x->paradigm, y->paradigm);
                assert_int_equal(x->role, y->role);
        }
        assert_int_equal(a->comms.n, b->comms.n);
        for (ps_comm i = 0; i < a->comms.n; i++)
                assert_string_equal(ps_defs_str(a, a->comms.row[i].name),
                                    ps_defs_str(b, b->comms.row[i].name));
        for (ps_loc i = 0; i < a->locations.n; i++)
                assert_string_equal(ps_defs_str(a, a->locations.row[i].name),
                                    ps_defs_str(b, b->locations.row[i].name));
}

/* What was wrong with the files is put right by the copy; what is wrong with the run stays, in other places
 * of the file. */
static void same_issues(ps_issues *a, ps_issues *b, const char *title)
{
        for (int kind = 0; kind < PS_I_COUNT; kind++) {
                int is_of_files = kind < PS_I_TIME_BACKWARD;
                if (is_of_files ? b->row[kind].count != 0 : a->row[kind].count != b->row[kind].count)
                        ps_test_die("other issues: %s, %s", ps_issue_infos[kind].name, title);
                a->row[kind] = b->row[kind] = (ps_issue){0};
        }
}

static void survives(const char *anchor, const char *title)
{
        char *folder = ps_dir_new(), copy[512], file[600];
        snprintf(copy, sizeof(copy), "%s/copy", folder);
        snprintf(file, sizeof(file), "%s/traces.otf2", copy);
        uint64_t n_lossy = dumped(anchor, PS_DUMP_OTF2, copy);
        for (ps_clock_mode clock = PS_CLOCK_AUTO; clock <= PS_CLOCK_AS_IS; clock++) {
                ps_trace *a = loaded_by(anchor, 1, clock), *b = loaded_by(file, 1, clock);
                same_regions(&a->defs, &b->defs);
                if (a->n_paths == b->n_paths)
                        same_places(a, b, title);
                same_issues(&a->issues, &b->issues, title);
                const char *difference = n_lossy ? NULL : loaded_difference(a, b, 1);
                if (difference)
                        ps_test_die("%s differ: %s", difference, title);
                ps_trace_close(a);
                ps_trace_close(b);
        }
        n_compared += !n_lossy;
        ps_dir_remove(folder);
        free(folder);
}

TEST(micro_traces_survive)
{
        n_compared = 0;
        dumped_each_micro(survives);
        assert_true(n_compared > 50);
}

TEST(random_programs_survive)
{
        static const int64_t skew[RANDOM_MAX_RANKS] = {0, 5000, -3000, 700, 0, 1, 2, 3};
        const ps_gen_options options[] = {{.ranks = 0},
                                          {.style = PS_GEN_EZTRACE, .skew = skew},
                                          {.mapped = 1, .skew = skew},
                                          {.resolution = 2600000000, .nodes = 2}};
        n_compared = 0;
        for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++) {
                uint32_t n_messages, n_colls;
                random_program program = {.seed = 7 + i,
                                          .ranks = 5,
                                          .steps = 300,
                                          .noise = 1000,
                                          .neighbours = true,
                                          .options = options[i]};
                ps_gen *g = random_program_write(&program, &n_messages, &n_colls);
                survives(ps_gen_anchor(g), "random program");
                ps_gen_free(g);
        }
        assert_int_equal(n_compared, sizeof(options) / sizeof(options[0]));
}

/* What is there stays, and a failure leaves nothing behind. */
TEST(a_full_folder_is_not_touched)
{
        char *folder = ps_dir_new(), name[600];
        snprintf(name, sizeof(name), "%s/full", folder);
        assert_int_equal(mkdir(name, 0777), 0);
        snprintf(name, sizeof(name), "%s/full/file", folder);
        FILE *file = fopen(name, "w");
        assert_non_null(file);
        fclose(file);
        snprintf(name, sizeof(name), "%s/full", folder);
        ps_options options = {.dump.format = PS_DUMP_OTF2, .dump.folder = name};
        const ps_reader_class *reader;
        ps_progress progress = {0};
        ps_dump_result result;
        assert_int_equal(ps_reader_find(&reader, "traces/demo/traces.otf2", NULL), PS_OK);
        assert_int_equal(
                ps_dump_run(&result, reader, "traces/demo/traces.otf2", &options, &progress, NULL, NULL),
                PS_E_OUTPUT);
        assert_int_equal(rmdir(name), -1);
        snprintf(name, sizeof(name), "%s/full/file", folder);
        assert_int_equal(unlink(name), 0);
        snprintf(name, sizeof(name), "%s/full", folder);
        assert_int_equal(rmdir(name), 0);
        assert_int_equal(rmdir(folder), 0); /* nothing else was in it */
        free(folder);
}
