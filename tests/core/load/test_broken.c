/* test_broken.c - archives that are damaged or made to hurt. A load may fail with a reason, or find
 * issues; it never crashes, hangs, asks for memory without bound, or says that all is well. */
#include "tests/support/damage.h"
#include "tests/support/loaded.h"
#include "tests/support/sanitized.h"
#include "tests/support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* One of so many damages: their number and that of ways to flip a byte have no divisor in common. */
enum { DAMAGES_APART = THREAD_SANITIZED ? 25 : SANITIZED ? 5 : 1 };

/* -- one small archive with something of everything -- */

static void write_rank(ps_gen *g, uint32_t rank, uint32_t win)
{
        ps_gen_rec rma[] = {PS_GEN_REC_OF(PUT, .ref = win, .peer = 1 - rank, .bytes = 8, .request = 4)};
        ps_gen_enter(g, rank, 0, "main");
        ps_gen_site(g, rank, "a.c", 10);
        ps_gen_sendrecv(g, rank, 100, 200, 1 - rank, 1 - rank, PS_GEN_WORLD, 3, 8);
        ps_gen_isend(g, rank, 210, 220, 1 - rank, PS_GEN_WORLD, 4, 300, 1);
        ps_gen_irecv(g, rank, 230, 240, 2);
        ps_gen_rec both[] = {PS_GEN_SENT(1), PS_GEN_GOT(1 - rank, PS_GEN_WORLD, 4, 300, 2)};
        ps_gen_waitall(g, rank, 250, 300, 2, both);
        ps_gen_collective(g, "MPI_Bcast", rank, 310, 320, PS_GEN_WORLD, 1, 8, 8);
        ps_gen_win_collective(g, "MPI_Win_fence", rank, 330, 340, win);
        ps_gen_call(g, "MPI_Put", rank, 350, 360, 1, rma);
        ps_gen_win_collective(g, "MPI_Win_fence", rank, 370, 380, win);
        ps_gen_leave(g, rank, 400, "main");
}

static ps_gen *small(void)
{
        static const int64_t skew[] = {0, 777};
        ps_gen *g = ps_gen_new(NULL, (ps_gen_options){.ranks = 2, .mapped = 1, .skew = skew});
        uint32_t win = ps_gen_window(g, "w", PS_GEN_WORLD);
        uint32_t top = ps_gen_context(g, OTF2_UNDEFINED_CALLING_CONTEXT, "main", "a.c", 12);
        uint32_t call = ps_gen_context(g, top, "MPI_Barrier", NULL, 0);
        for (uint32_t rank = 0; rank < 2; rank++) {
                write_rank(g, rank, win);
                ps_gen_rec barrier[] = {{.kind = PS_GEN_R_COLL_BEGIN},
                                        PS_GEN_REC_OF(COLL_END, .op = OTF2_COLLECTIVE_OP_BARRIER,
                                                      .comm = PS_GEN_WORLD,
                                                      .peer = OTF2_COLLECTIVE_ROOT_NONE)};
                ps_gen_context_call(g, call, rank, 500, 510, 2, barrier);
        }
        ps_gen_close(g);
        return g;
}

enum { ANCHOR, GLOBAL, LOCAL_0, LOCAL_1, EVENTS_0, EVENTS_1, N_FILES };

typedef struct content {
        char *path;
        unsigned char *data;
        size_t n;
} content;

/* A new file: what is written over an old one, file systems put on the disk at once. */
static void store(const content *file, size_t n)
{
        unlink(file->path);
        FILE *out = fopen(file->path, "wb");
        if (!out || fwrite(file->data, 1, n, out) != n || fclose(out))
                ps_test_die("cannot write: path=\"%s\"", file->path);
}

static ps_gen *small_files(content *files)
{
        ps_gen *g = small();
        for (int i = 0; i < N_FILES; i++) {
                const char *path = i == ANCHOR    ? ps_gen_anchor(g)
                                   : i == GLOBAL  ? ps_gen_global_defs_file(g)
                                   : i < EVENTS_0 ? ps_gen_defs_file(g, (uint32_t)(i - LOCAL_0))
                                                  : ps_gen_events_file(g, (uint32_t)(i - EVENTS_0));
                content *f = &files[i];
                f->path = strdup(path);
                f->n = (size_t)ps_file_size(path);
                f->data = malloc(f->n + 1);
                FILE *in = fopen(path, "rb");
                if (!f->path || !f->data || !in || fread(f->data, 1, f->n, in) != f->n)
                        ps_test_die("cannot read: path=\"%s\"", path);
                fclose(in);
        }
        return g;
}

static void release(ps_gen *g, content *files)
{
        for (int i = 0; i < N_FILES; i++) {
                free(files[i].path);
                free(files[i].data);
        }
        ps_gen_free(g);
}

/* What a load that ignores nothing says. */
static void expect_strict_refuses(const char *path)
{
        ps_load_options options = {.n_threads = 1, .strict = 1};
        ps_error err = {0};
        ps_trace *trace;
        assert_int_equal(ps_trace_load(&trace, path, &options, &err), PS_E_INPUT);
        assert_null(trace);
        assert_non_null(strstr(err.cause[0].text, "the trace has a defect: kind="));
        assert_non_null(strstr(err.cause[err.n_causes - 1].text, "cannot load the trace: path=\""));
}

TEST(small_is_sound)
{
        content files[N_FILES];
        ps_gen *g = small_files(files);
        ps_trace *t = loaded_by(files[ANCHOR].path, 2, PS_CLOCK_AUTO);
        EXPECT_ISSUES(t, "");
        loaded_check(t);
        ps_trace_close(t);
        release(g, files);
}

/* The place of the first issue is one of the trace's. */
static void check_places(const ps_trace *t)
{
        for (int i = 0; i < PS_I_COUNT; i++) {
                const ps_issue *issue = &t->issues.row[i];
                if (!issue->count)
                        continue;
                assert_true(issue->location == PS_NONE || issue->location < t->n_locs);
                assert_non_null(ps_defs_str(&t->defs, issue->file));
        }
}

TEST(truncation_is_noticed)
{
        content files[N_FILES];
        ps_gen *g = small_files(files);
        for (int i = 0; i < N_FILES; i++) {
                for (size_t n = 0; n < files[i].n; n += DAMAGES_APART) {
                        store(&files[i], n);
                        ps_trace *t = loaded_hostile(files[ANCHOR].path, 1);
                        /* Not all of the anchor is used, and the last byte stands behind the end mark. */
                        if (t && i != ANCHOR && n + 1 < files[i].n && !ps_issues_total(&t->issues))
                                fail_msg("%s: cut at %zu of %zu, and no issue", files[i].path, n, files[i].n);
                        if (t)
                                check_places(t);
                        if (t && i != ANCHOR && n + 1 < files[i].n && n % 16 == 0)
                                expect_strict_refuses(files[ANCHOR].path);
                        ps_trace_close(t);
                }
                store(&files[i], files[i].n);
        }
        release(g, files);
}

TEST(flipped_bytes_do_no_harm)
{
        static const unsigned char flips[] = {0xff, 0x01, 0x80};
        content files[N_FILES];
        ps_gen *g = small_files(files);
        for (int i = 0; i < N_FILES; i++) {
                for (size_t n = 0; n < files[i].n * sizeof(flips); n += DAMAGES_APART) {
                        files[i].data[n / sizeof(flips)] ^= flips[n % sizeof(flips)];
                        store(&files[i], files[i].n);
                        ps_trace_close(loaded_hostile(files[ANCHOR].path, 1 + n % 2));
                        files[i].data[n / sizeof(flips)] ^= flips[n % sizeof(flips)];
                }
                store(&files[i], files[i].n);
        }
        release(g, files);
}

TEST(missing_files_are_told)
{
        content files[N_FILES];
        ps_gen *g = small_files(files);
        for (int i = 0; i < N_FILES; i++) {
                unlink(files[i].path);
                ps_trace *t = loaded_hostile(files[ANCHOR].path, 1);
                assert_int_equal(t == NULL, i < LOCAL_0);
                if (t && i < EVENTS_0)
                        assert_int_equal(t->issues.row[PS_I_LOCAL_DEFS_MISSING].count, 1);
                if (t && i >= EVENTS_0)
                        assert_int_equal(t->issues.row[PS_I_FILE_MISSING].count, 1);
                if (t)
                        expect_strict_refuses(files[ANCHOR].path);
                ps_trace_close(t);
                store(&files[i], files[i].n);
        }
        release(g, files);
}

TEST(swapped_files_do_no_harm)
{
        content files[N_FILES];
        ps_gen *g = small_files(files);
        for (int i = 0; i < N_FILES; i++)
                for (int k = 0; k < N_FILES; k++) {
                        content other = {files[i].path, files[k].data, files[k].n};
                        store(&other, other.n);
                        ps_trace_close(loaded_hostile(files[ANCHOR].path, 1));
                        store(&files[i], files[i].n);
                }
        release(g, files);
}

TEST(a_wrong_number_of_events_is_told)
{
        ps_gen *g = ps_gen_new(NULL, (ps_gen_options){.ranks = 1});
        ps_gen_visit(g, 0, 0, 10, "main");
        ps_gen_promise(g, 0, 3);
        ps_trace *t = loaded(g, PS_CLOCK_AUTO);
        EXPECT_ISSUES(t, "wrong-event-count=1");
        ps_trace_close(t);
        expect_strict_refuses(ps_gen_anchor(g));
        ps_gen_free(g);
}

static void define_again(OTF2_GlobalDefWriter *w, void *ctx)
{
        const uint32_t *name = ctx;
        OTF2_GlobalDefWriter_WriteRegion(w, 0, name[0], name[0], 0, OTF2_REGION_ROLE_FUNCTION,
                                         OTF2_PARADIGM_USER, OTF2_REGION_FLAG_NONE, 0, 0, 0);
        OTF2_GlobalDefWriter_WriteString(w, name[0], "late");
        uint64_t ghost = 99;
        OTF2_GlobalDefWriter_WriteGroup(w, 50, name[0], OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI,
                                        OTF2_GROUP_FLAG_NONE, 1, &ghost);
        OTF2_GlobalDefWriter_WriteComm(w, 50, name[0], 50, 51, OTF2_COMM_FLAG_NONE);
        OTF2_GlobalDefWriter_WriteCallingContext(w, 0, 7, OTF2_UNDEFINED_SOURCE_CODE_LOCATION, 1);
        OTF2_GlobalDefWriter_WriteCallingContext(w, 1, 7, OTF2_UNDEFINED_SOURCE_CODE_LOCATION, 0);
}

TEST(definitions_out_of_order_twice_and_in_circles)
{
        ps_gen *g = ps_gen_new(NULL, (ps_gen_options){.ranks = 1});
        uint32_t name = 1000;
        ps_gen_more_defs(g, define_again, &name);
        ps_gen_visit(g, 0, 0, 10, "main");
        ps_gen_visit(g, 0, 20, 30, "f");
        ps_gen_close(g);
        ps_trace *t = loaded_hostile(ps_gen_anchor(g), 1);
        assert_non_null(t);
        assert_true(t->issues.row[PS_I_DEF_DUPLICATE].count >= 1);
        assert_true(t->issues.row[PS_I_DEF_UNKNOWN].count >= 1);
        assert_true(t->issues.row[PS_I_DEF_INVALID].count >= 1);
        ps_trace_close(t);
        expect_strict_refuses(ps_gen_anchor(g));
        ps_gen_free(g);
}

TEST(a_clock_that_goes_back_is_told)
{
        ps_gen *g = ps_gen_new(NULL, (ps_gen_options){.ranks = 1});
        ps_gen_visit(g, 0, 100, 200, "a");
        ps_gen_visit(g, 0, 300, 400, "b");
        ps_gen_retime(g, 0, 300, 50);
        ps_trace *t = loaded(g, PS_CLOCK_AUTO);
        EXPECT_ISSUES(t, "backward-time=1");
        assert_int_equal(t->measured.duration, 300000);
        loaded_check(t);
        ps_trace_close(t);
        ps_gen_free(g);
}

/* -- made to hurt: in a process of their own, with a limit on memory and time -- */

static void run_limited(void (*write)(ps_gen *g), ps_gen_options options)
{
        ps_gen *g = ps_gen_new(NULL, options);
        write(g);
        ps_gen_close(g);
        fflush(NULL);
        pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0) {
                struct rlimit memory = {(rlim_t)1 << 30, (rlim_t)1 << 30};
                struct rlimit cpu_s = {SANITIZED ? 60 : 5, RLIM_INFINITY};
                if (!SANITIZED)
                        setrlimit(RLIMIT_AS, &memory);
                setrlimit(RLIMIT_CPU, &cpu_s);
                ps_trace_close(loaded_hostile(ps_gen_anchor(g), 1));
                _exit(0);
        }
        int status;
        waitpid(child, &status, 0);
        ps_gen_free(g);
        if (WIFSIGNALED(status))
                fail_msg("killed by signal %d: %s", WTERMSIG(status), strsignal(WTERMSIG(status)));
        assert_int_equal(WEXITSTATUS(status), 0);
}

static void write_deep(ps_gen *g)
{
        uint32_t f = ps_gen_region(g, "f", "a.c", 1);
        for (uint64_t i = 0; i < 1000000; i++)
                ps_gen_put(g, 0, i, PS_GEN_REC_OF(ENTER, .ref = f));
}

/* Two rows each, on top of each other: a walk over what lies above would take the square of their number. */
static void write_deep_calls(ps_gen *g)
{
        enum { N = 200000 };
        const ps_gen_rec send = PS_GEN_REC_OF(SEND, .peer = 0, .comm = PS_GEN_WORLD, .tag = 1, .bytes = 8);
        uint32_t call = ps_gen_region(g, "MPI_Sendrecv", "MPI", 0);
        for (uint64_t i = 0; i < N; i++) {
                ps_gen_put(g, 0, i, PS_GEN_REC_OF(ENTER, .ref = call));
                ps_gen_put(g, 0, i, send);
                ps_gen_put(g, 0, i, send);
        }
        for (uint64_t i = 0; i < N; i++)
                ps_gen_put(g, 0, N + i, PS_GEN_REC_OF(LEAVE, .ref = call));
}

static void write_deep_collectives(ps_gen *g)
{
        enum { N = 200000 };
        uint32_t call = ps_gen_region(g, "MPI_Barrier", "MPI", 0);
        for (uint64_t i = 0; i < N; i++) {
                ps_gen_put(g, 0, i, PS_GEN_REC_OF(ENTER, .ref = call));
                ps_gen_put(g, 0, i, (ps_gen_rec){.kind = PS_GEN_R_COLL_BEGIN});
                ps_gen_put(g, 0, i, (ps_gen_rec){.kind = PS_GEN_R_COLL_BEGIN});
        }
        for (uint64_t i = 0; i < N; i++) {
                ps_gen_put(g, 0, N + i,
                           PS_GEN_REC_OF(COLL_END, .op = OTF2_COLLECTIVE_OP_BARRIER, .comm = PS_GEN_WORLD,
                                         .peer = OTF2_COLLECTIVE_ROOT_NONE));
                ps_gen_put(g, 0, N + i, PS_GEN_REC_OF(LEAVE, .ref = call));
        }
}

enum { N_DEEP = 200000 };

static void define_deep_contexts(OTF2_GlobalDefWriter *w, void *ctx)
{
        (void)ctx;
        for (uint32_t i = 0; i < N_DEEP; i++)
                OTF2_GlobalDefWriter_WriteCallingContext(w, i, 0, OTF2_UNDEFINED_SOURCE_CODE_LOCATION,
                                                         i ? i - 1 : OTF2_UNDEFINED_CALLING_CONTEXT);
}

static void write_deep_contexts(ps_gen *g)
{
        ps_gen_visit(g, 0, 0, 10, "f");
        ps_gen_more_defs(g, define_deep_contexts, NULL);
        ps_gen_put(g, 0, 20, PS_GEN_REC_OF(CONTEXT_ENTER, .ref = N_DEEP - 1, .tag = 1));
        ps_gen_put(g, 0, 30, PS_GEN_REC_OF(CONTEXT_LEAVE, .ref = N_DEEP - 1));
        ps_gen_put(g, 0, 40, PS_GEN_REC_OF(CONTEXT_ENTER, .ref = N_DEEP / 2, .tag = 1));
}

/* Each process would look for its machine all the way up. */
static void define_deep_machine(OTF2_GlobalDefWriter *w, void *ctx)
{
        (void)ctx;
        for (uint32_t i = 1000; i < 1000 + N_DEEP; i++) {
                OTF2_GlobalDefWriter_WriteSystemTreeNode(w, i, 0, 0,
                                                         i > 1000 ? i - 1 : OTF2_UNDEFINED_SYSTEM_TREE_NODE);
                OTF2_GlobalDefWriter_WriteLocationGroup(w, i, 0, OTF2_LOCATION_GROUP_TYPE_PROCESS,
                                                        999 + N_DEEP, OTF2_UNDEFINED_LOCATION_GROUP);
        }
}

static void write_deep_machine(ps_gen *g)
{
        ps_gen_visit(g, 0, 0, 10, "f");
        ps_gen_more_defs(g, define_deep_machine, NULL);
}

/* A table of all processes for each intercommunicator would take 5 GB. */
static void define_many_intercomms(OTF2_GlobalDefWriter *w, void *ctx)
{
        (void)ctx;
        for (uint32_t i = 1000; i < 1000 + N_DEEP; i++) {
                OTF2_GlobalDefWriter_WriteLocationGroup(w, i, 0, OTF2_LOCATION_GROUP_TYPE_PROCESS, 0,
                                                        OTF2_UNDEFINED_LOCATION_GROUP);
                OTF2_GlobalDefWriter_WriteInterComm(w, i, 0, 0, 0, OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE);
        }
}

static void write_many_intercomms(ps_gen *g)
{
        ps_gen_visit(g, 0, 0, 10, "f");
        ps_gen_more_defs(g, define_many_intercomms, NULL);
}

/* Requests that are never completed, and completions of what never began. */
static void write_loose_requests(ps_gen *g)
{
        for (uint64_t i = 0; i < 100000; i++) {
                ps_gen_put(g, 0, i, PS_GEN_REC_OF(IRECV_REQUEST, .request = i % 3));
                ps_gen_put(g, 1, i, PS_GEN_REC_OF(ISEND_DONE, .request = i));
                ps_gen_put(g, 1, i, PS_GEN_GOT(0, PS_GEN_WORLD, (uint32_t)i, 8, i % 5));
        }
}

TEST(made_to_hurt)
{
        if (THREAD_SANITIZED)
                skip(); /* one thread each, and memory that this sanitizer needs several times */
        static const struct {
                const char *name;
                void (*write)(ps_gen *g);
                uint32_t ranks, threads;
        } cases[] = {
                {"deep nesting", write_deep, 1, 1},
                {"deep calls", write_deep_calls, 1, 1},
                {"deep collectives", write_deep_collectives, 1, 1},
                {"deep contexts", write_deep_contexts, 1, 1},
                {"deep machine", write_deep_machine, 1, 1},
                {"many intercommunicators", write_many_intercomms, 1, 1},
                {"loose requests", write_loose_requests, 2, 1},
                {"loose requests of threads", write_loose_requests, 1, 2},
        };
        for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
                print_message("           %s\n", cases[i].name);
                run_limited(cases[i].write,
                            (ps_gen_options){.ranks = cases[i].ranks, .threads = cases[i].threads});
        }
}
