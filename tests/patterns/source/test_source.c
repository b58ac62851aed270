/* test_source.c - the places of a trace's calls: which file, which function, how sure. */
#include "patterns/source/source.h"

#include "tests/support/damage.h"
#include "tests/support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define N(array) ((uint32_t)(sizeof(array) / sizeof((array)[0])))

/* -- paths -- */

struct lab {
        ps_trace trace;
        ps_path_node paths[16];
        ps_sources *sources;
        ps_source_options options;
        char *dir;
};

static int lab_new(void **state)
{
        struct lab *lab = calloc(1, sizeof(*lab));
        assert_non_null(lab);
        assert_int_equal(ps_defs_init(&lab->trace.defs, NULL), PS_OK);
        lab->paths[0] = (ps_path_node){.region = PS_NONE};
        lab->trace.paths = lab->paths;
        lab->trace.n_paths = 1;
        lab->dir = ps_dir_new();
        *state = lab;
        return 0;
}

static int lab_free(void **state)
{
        struct lab *lab = *state;
        ps_sources_free(lab->sources);
        ps_defs_free(&lab->trace.defs);
        ps_dir_remove(lab->dir);
        free(lab->dir);
        free(lab);
        return 0;
}

static ps_str str(struct lab *lab, const char *text)
{
        return text ? ps_strings_addz(lab->trace.defs.strings, text) : 0;
}

static ps_path call(struct lab *lab, ps_path parent, ps_region_def region, const char *name, const char *file)
{
        ps_path_node *node = &lab->paths[lab->trace.n_paths];
        region.name = str(lab, name);
        region.file = str(lab, file);
        *node = (ps_path_node){.parent = parent};
        assert_int_equal(ps_defs_add_region(&lab->trace.defs, &region, &node->region, NULL), PS_OK);
        return lab->trace.n_paths++;
}

static ps_path user(struct lab *lab, ps_path parent, const char *name, const char *file, uint32_t line)
{
        return call(lab, parent,
                    (ps_region_def){.line = line, .paradigm = PS_PARADIGM_USER, .role = PS_ROLE_FUNCTION},
                    name, file);
}

static ps_path mpi(struct lab *lab, ps_path parent, const char *name)
{
        return call(lab, parent, (ps_region_def){.paradigm = PS_PARADIGM_MPI}, name, NULL);
}

static void site(struct lab *lab, ps_path path, const char *file, uint32_t line)
{
        lab->paths[path].site_file = str(lab, file);
        lab->paths[path].site_line = line;
}

/* `name` below the lab's folder; its folders are made. */
static char *path_of(struct lab *lab, const char *name)
{
        static char path[512];
        snprintf(path, sizeof(path), "%s/%s", lab->dir, name);
        for (char *c = path + strlen(lab->dir) + 1; *c; c++)
                if (*c == '/') {
                        *c = '\0';
                        mkdir(path, 0700);
                        *c = '/';
                }
        return path;
}

static const char *write_file(struct lab *lab, const char *name, const char *text)
{
        const char *path = path_of(lab, name);
        FILE *f = fopen(path, "w");
        assert_non_null(f);
        fputs(text, f);
        fclose(f);
        return path;
}

static void expect(struct lab *lab, ps_path path, ps_line_source certainty, const char *file, uint32_t line,
                   const char *function)
{
        const ps_source_place *place;
        if (!lab->sources) {
                assert_int_equal(ps_defs_freeze(&lab->trace.defs, NULL), PS_OK);
                assert_int_equal(ps_sources_new(&lab->sources, &lab->trace, &lab->options, NULL), PS_OK);
        }
        assert_int_equal(ps_sources_of(lab->sources, path, &place, NULL), PS_OK);
        assert_string_equal(ps_line_source_names[place->certainty], ps_line_source_names[certainty]);
        assert_int_equal(place->line, line);
        if (file)
                assert_string_equal(place->file, file);
        else
                assert_null(place->file);
        if (function)
                assert_string_equal(place->function, function);
        else
                assert_null(place->function);
}

TEST_BETWEEN(what_the_trace_says, lab_new, lab_free)
{
        struct lab *lab = *state;
        ps_path outer = user(lab, 0, "main", "/x/a.c", 3), send = mpi(lab, outer, "MPI_Send");
        ps_path wrapper = user(lab, outer, "wrapper", NULL, 0), inner = mpi(lab, wrapper, "MPI_Recv");
        ps_path frame = user(lab, 0, "other", "/x/b.c", 30), below = mpi(lab, frame, "MPI_Wait");
        ps_path inherits = mpi(lab, outer, "MPI_Test");
        site(lab, send, "/x/a.c", 12);
        site(lab, wrapper, "/x/a.c", 20);
        site(lab, inherits, NULL, 13);
        lab->paths[frame].frame_file = str(lab, "/x/c.h");
        lab->paths[frame].frame_line = 31;
        expect(lab, send, PS_LINE_EXACT, "/x/a.c", 12, "main");
        expect(lab, wrapper, PS_LINE_EXACT, "/x/a.c", 20, "main");
        expect(lab, inner, PS_LINE_FUNCTION, "/x/a.c", 20, "main");
        expect(lab, below, PS_LINE_EXACT, "/x/c.h", 31, "other");
        expect(lab, inherits, PS_LINE_EXACT, "/x/a.c", 13, "main");
        expect(lab, outer, PS_LINE_FUNCTION, "/x/a.c", 3, "main");
        expect(lab, 0, PS_LINE_NONE, NULL, 0, NULL);
        expect(lab, 99, PS_LINE_NONE, NULL, 0, NULL);
}

TEST_BETWEEN(no_files_in_the_trace, lab_new, lab_free)
{
        struct lab *lab = *state;
        ps_path thread = user(lab, 0, "Working", NULL, 0), bare = user(lab, thread, "mpi_send_", NULL, 0);
        ps_path function = user(lab, thread, "solve", NULL, 0),
                recv = user(lab, function, "MPI_Recv", NULL, 0);
        expect(lab, bare, PS_LINE_NONE, NULL, 0, NULL);
        expect(lab, recv, PS_LINE_NONE, NULL, 0, "solve");
        expect(lab, function, PS_LINE_NONE, NULL, 0, "solve");
}

TEST_BETWEEN(calls_in_functions, lab_new, lab_free)
{
        struct lab *lab = *state;
        char file[600];
        snprintf(file, sizeof(file), "%s",
                 write_file(lab, "a.c",
                            "void work(int n) {\n MPI_Recv(a);\n MPI_Recv(b);\n}\nint main() {\n work(1);\n"
                            " lib_wait(2); MPI_Init(0);\n}\n"));
        ps_path outer = user(lab, 0, "main", file, 5), work = user(lab, outer, "work", file, 1);
        ps_path recv = mpi(lab, work, "MPI_Recv"), init = mpi(lab, outer, "MPI_Init");
        ps_path lib = user(lab, outer, "lib_wait", NULL, 0), wait = mpi(lab, lib, "MPI_Wait");
        ps_path hidden = mpi(lab, outer, "MPI_Barrier");
        expect(lab, work, PS_LINE_UNIQUE_CALL, file, 6, "main");
        expect(lab, recv, PS_LINE_CANDIDATES, file, 2, "work");
        expect(lab, init, PS_LINE_UNIQUE_CALL, file, 7, "main");
        expect(lab, lib, PS_LINE_UNIQUE_CALL, file, 7, "main");
        expect(lab, wait, PS_LINE_UNIQUE_CALL, file, 7, "main");
        expect(lab, hidden, PS_LINE_FUNCTION, file, 5, "main");
        expect(lab, outer, PS_LINE_FUNCTION, file, 5, "main");
        const ps_source_place *place;
        assert_int_equal(ps_sources_of(lab->sources, recv, &place, NULL), PS_OK);
        assert_int_equal(place->n_candidates, 2);
        assert_int_equal(place->candidates[1], 3);
        assert_int_equal(ps_sources_of(lab->sources, init, &place, NULL), PS_OK);
        assert_int_equal(place->column, 15);
        assert_int_equal(place->column_end, 23);
        assert_string_equal(ps_sources_file_on_disk(lab->sources, place->file), file);
}

TEST_BETWEEN(constructs, lab_new, lab_free)
{
        struct lab *lab = *state;
        char file[600];
        snprintf(file, sizeof(file), "%s",
                 write_file(lab, "a.c",
                            "int main() {\n g(0);\n#pragma omp parallel\n { g(1);\n }\n for (;;)\n  g(2); "
                            "h(3);\n}\n"));
        ps_path outer = user(lab, 0, "main", file, 1);
        ps_path parallel =
                call(lab, outer, (ps_region_def){.line = 3, .line_end = 5, .paradigm = PS_PARADIGM_OPENMP},
                     "!$omp parallel @a.c:3", file);
        ps_path named = call(lab, outer, (ps_region_def){.paradigm = PS_PARADIGM_OPENMP},
                             "!$omp barrier @a.c:84", NULL);
        ps_path nameless = call(lab, outer, (ps_region_def){.paradigm = PS_PARADIGM_OPENMP}, "!$omp g", NULL);
        ps_path loop = call(
                lab, outer,
                (ps_region_def){.line = 6, .line_end = 7, .paradigm = PS_PARADIGM_USER, .role = PS_ROLE_LOOP},
                "loop", file);
        ps_path phase = call(lab, outer, (ps_region_def){.paradigm = PS_PARADIGM_USER, .role = PS_ROLE_PHASE},
                             "phase", file);
        ps_path g_inside = user(lab, parallel, "g", NULL, 0), in_phase = user(lab, phase, "g", NULL, 0);
        ps_path h_inside = user(lab, parallel, "h", NULL, 0);
        expect(lab, parallel, PS_LINE_EXACT, file, 3, "main");
        expect(lab, named, PS_LINE_EXACT, "a.c", 84, "main");
        expect(lab, nameless, PS_LINE_FUNCTION, file, 1, "main");
        expect(lab, loop, PS_LINE_EXACT, file, 6, "main");
        expect(lab, phase, PS_LINE_FUNCTION, file, 1, "main");
        expect(lab, g_inside, PS_LINE_UNIQUE_CALL, file, 4, "main");
        expect(lab, in_phase, PS_LINE_CANDIDATES, file, 2, "main");
        expect(lab, h_inside, PS_LINE_UNIQUE_CALL, file, 7, "main");
}

TEST_BETWEEN(places_of_files, lab_new, lab_free)
{
        struct lab *lab = *state;
        static const char text[] = "int main() {\n g(0);\n}\n";
        char root[600], other[600], path[700];
        write_file(lab, "root/src/a.c", text);
        write_file(lab, "other/deep/src/a.c", text);
        write_file(lab, "other/b.c", text);
        snprintf(root, sizeof(root), "%s/root/", lab->dir);
        snprintf(other, sizeof(other), "%s/other", lab->dir);
        const char *roots[] = {root, other};
        lab->options = (ps_source_options){roots, 2, NULL, 0};
        struct {
                const char *file, *shown;
                ps_line_source certainty;
        } files[] = {
                {"/home/me/deep/src/a.c", "deep/src/a.c", PS_LINE_UNIQUE_CALL}, /* the longer match wins */
                {"/home/me/src/a.c", "src/a.c", PS_LINE_UNIQUE_CALL},
                {"b.c", "b.c", PS_LINE_UNIQUE_CALL},
                {"/home/me/../b.c", "b.c", PS_LINE_UNIQUE_CALL},
                {"/home/me/none.c", "/home/me/none.c", PS_LINE_FUNCTION},
        };
        ps_path calls[N(files)];
        for (uint32_t i = 0; i < N(files); i++)
                calls[i] = user(lab, user(lab, 0, "main", files[i].file, 1), "g", NULL, 0);
        for (uint32_t i = 0; i < N(files); i++)
                expect(lab, calls[i], files[i].certainty, files[i].shown,
                       files[i].certainty == PS_LINE_FUNCTION ? 1 : 2, "main");
        assert_null(ps_sources_file_on_disk(lab->sources, "/home/me/none.c"));
        assert_null(ps_sources_file_on_disk(lab->sources, "never shown"));
        snprintf(path, sizeof(path), "%s/other/deep/src/a.c", lab->dir);
        assert_string_equal(ps_sources_file_on_disk(lab->sources, "deep/src/a.c"), path);
}

TEST_BETWEEN(maps, lab_new, lab_free)
{
        struct lab *lab = *state;
        char old[600], longer[600], shown[600], wrong[600];
        write_file(lab, "new/c.c", "int main() {\n g(0);\n}\n");
        snprintf(old, sizeof(old), "/build=%s/wrong", lab->dir);
        snprintf(longer, sizeof(longer), "/build/x/=%s/new/", lab->dir);
        snprintf(shown, sizeof(shown), "%s/new/c.c", lab->dir);
        snprintf(wrong, sizeof(wrong), "%s/wrong/d.c", lab->dir);
        const char *pairs[] = {old, longer};
        lab->options = (ps_source_options){NULL, 0, pairs, 2};
        ps_path c = user(lab, user(lab, 0, "main", "/build/x/c.c", 1), "g", NULL, 0);
        ps_path d = user(lab, user(lab, 0, "main", "/build/d.c", 1), "g", NULL, 0);
        ps_path e = user(lab, user(lab, 0, "main", "/buildx/e.c", 1), "g", NULL, 0); /* another component */
        expect(lab, c, PS_LINE_UNIQUE_CALL, shown, 2, "main");
        expect(lab, d, PS_LINE_FUNCTION, wrong, 1, "main");
        expect(lab, e, PS_LINE_FUNCTION, "/buildx/e.c", 1, "main");
        const char *bad[] = {"no separator"};
        ps_sources *none = NULL;
        assert_int_equal(ps_sources_new(&none, &lab->trace, &(ps_source_options){NULL, 0, bad, 1}, NULL),
                         PS_E_USAGE);
        assert_null(none);
}

TEST_BETWEEN(hostile_files, lab_new, lab_free)
{
        struct lab *lab = *state;
        static const char *const names[] = {"fifo.c",     "folder.c", "large.c",
                                            "secret.txt", "stale.c",  "empty.c"};
        char file[N(names)][600], long_name[9000];
        memset(long_name, '/', sizeof(long_name));
        memcpy(long_name + sizeof(long_name) - 5, "/a.c", 5);
        for (uint32_t i = 0; i < N(names); i++)
                snprintf(file[i], sizeof(file[i]), "%s", path_of(lab, names[i]));
        assert_int_equal(mkfifo(file[0], 0600), 0);
        assert_int_equal(mkdir(file[1], 0700), 0);
        write_file(lab, names[2], "int main() { g(1); }\n");
        assert_int_equal(truncate(file[2], (8 << 20) + 1), 0);
        write_file(lab, names[3], "int main() { g(1); }\n");
        write_file(lab, names[4], "int other() { g(1); }\n");
        write_file(lab, names[5], "");
        ps_path calls[N(names)], deep = user(lab, user(lab, 0, "main", long_name, 1), "g", NULL, 0);
        assert_true(2 * N(names) + 3 <= N(lab->paths));
        for (uint32_t i = 0; i < N(names); i++)
                calls[i] = user(lab, user(lab, 0, "main", file[i], 1), "g", NULL, 0);
        for (uint32_t i = 0; i < N(names); i++)
                expect(lab, calls[i], PS_LINE_FUNCTION, file[i], 1, "main");
        expect(lab, deep, PS_LINE_FUNCTION, long_name, 1, "main");
        assert_null(ps_sources_file_on_disk(lab->sources, file[3]));
}

/* -- recorded traces -- */

static char *oracle(const char *name)
{
        char command[256], found[512] = "";
        snprintf(command, sizeof(command), "ls -d ../*/oracle/%s 2>/dev/null | head -n 1", name);
        FILE *pipe = popen(command, "r");
        if (pipe && fgets(found, sizeof(found), pipe))
                found[strcspn(found, "\n")] = '\0';
        if (pipe)
                pclose(pipe);
        return *found ? strdup(found) : NULL;
}

struct seen {
        const char *call;
        uint32_t line;
        ps_line_source certainty;
        int found;
};

/* The places of all calls of MPI, which are those listed and no others. */
static void check_oracle(const char *name, const char *shown, struct seen *seen, uint32_t n)
{
        char *folder = oracle(name), *src = oracle("src"), path[600];
        if (!folder || !src) {
                print_message("skipped: no recorded traces\n");
                free(folder);
                free(src);
                skip();
        }
        snprintf(path, sizeof(path), "%s/trace", folder);
        ps_trace *trace = NULL;
        ps_sources *sources = NULL;
        const char *roots[] = {src};
        assert_int_equal(ps_trace_load(&trace, path, &(ps_load_options){0}, NULL), PS_OK);
        assert_int_equal(ps_sources_new(&sources, trace, &(ps_source_options){roots, 1, NULL, 0}, NULL),
                         PS_OK);
        for (ps_path p = 1; p < trace->n_paths; p++) {
                const ps_source_place *place;
                const ps_region_def *region = &trace->defs.regions.row[trace->paths[p].region];
                const char *call_name = ps_defs_str(&trace->defs, region->name);
                uint32_t known = 0;
                if (region->paradigm != PS_PARADIGM_MPI)
                        continue;
                assert_int_equal(ps_sources_of(sources, p, &place, NULL), PS_OK);
                for (uint32_t i = 0; i < n; i++)
                        if (strcmp(seen[i].call, call_name) == 0 && seen[i].line == place->line &&
                            seen[i].certainty == place->certainty)
                                seen[i].found = ++known != 0;
                if (!known)
                        fail_msg("%s: %s in line %u, %s", name, call_name, place->line,
                                 ps_line_source_names[place->certainty]);
                assert_string_equal(place->file, shown);
                assert_string_equal(place->function, "main");
        }
        for (uint32_t i = 0; i < n; i++)
                if (!seen[i].found)
                        fail_msg("%s: no %s in line %u", name, seen[i].call, seen[i].line);
        ps_sources_free(sources);
        ps_trace_close(trace);
        free(folder);
        free(src);
}

TEST(recorded_with_lines)
{
#define EXACT(call, line)                                                                                    \
        {                                                                                                    \
                call, line, PS_LINE_EXACT, 0                                                                 \
        }
        struct seen seen[] = {EXACT("MPI_Init", 4),    EXACT("MPI_Comm_rank", 5), EXACT("MPI_Comm_size", 5),
                              EXACT("MPI_Barrier", 6), EXACT("MPI_Send", 7),      EXACT("MPI_Recv", 7),
                              EXACT("MPI_Barrier", 8), EXACT("MPI_Send", 9),      EXACT("MPI_Irecv", 9),
                              EXACT("MPI_Wait", 9),    EXACT("MPI_Barrier", 10),  EXACT("MPI_Send", 11),
                              EXACT("MPI_Irecv", 12),  EXACT("MPI_Waitall", 12),  EXACT("MPI_Finalize", 13)};
        check_oracle("late_sender_unwind", "late_sender.c", seen, N(seen));
}

TEST(recorded_without_lines)
{
#define UNIQUE(call, line)                                                                                   \
        {                                                                                                    \
                call, line, PS_LINE_UNIQUE_CALL, 0                                                           \
        }
#define SEVERAL(call, line)                                                                                  \
        {                                                                                                    \
                call, line, PS_LINE_CANDIDATES, 0                                                            \
        }
        struct seen seen[] = {UNIQUE("MPI_Init", 4),      UNIQUE("MPI_Comm_rank", 5),
                              UNIQUE("MPI_Comm_size", 5), SEVERAL("MPI_Barrier", 6),
                              SEVERAL("MPI_Send", 7),     UNIQUE("MPI_Recv", 7),
                              SEVERAL("MPI_Irecv", 9),    UNIQUE("MPI_Wait", 9),
                              UNIQUE("MPI_Waitall", 12),  UNIQUE("MPI_Finalize", 13)};
        check_oracle("late_sender", "late_sender.c", seen, N(seen));
}
