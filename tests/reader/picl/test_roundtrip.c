/* test_roundtrip.c - what is read, written as PICL and read again is the same run: each dialect of PICL
 * in both dialects, and the OTF2 traces that PICL can express.
 *
 * Traces from elsewhere are looked for in ../<any>/traces/picl, or where PATSCAN_PICL_TRACES points. */
#include "reader/picl/table.h"
#include "tests/support/damage.h"
#include "tests/support/dumped.h"
#include "tests/support/loaded.h"
#include "tests/support/sanitized.h"
#include "tests/support/test.h"
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *now; /* the trace at hand */

#define SAME(a, b, what)                                                                                     \
        do {                                                                                                 \
                if ((a) != (b))                                                                              \
                        ps_test_die("%s: other %s: location=%u, operation=%u, %lld and %lld", now, what,     \
                                    loc, op, (long long)(a), (long long)(b));                                \
        } while (0)

/* As PICL has them: some kinds share an event. */
static int64_t kind_in_picl(uint8_t kind)
{
        if (ps_kinds[kind].cls == PS_C_COMPLETE)
                kind = ps_kinds[kind].traits & PS_T_BLOCKING ? PS_K_WAIT : PS_K_TEST;
        const ps_picl_event *row = ps_picl_event_of_kind((ps_kind)kind);
        return row ? row->number : kind;
}

static int is_library(const ps_trace *t, ps_path path)
{
        ps_region region = t->paths[path].region;

        return region < t->defs.regions.n && t->defs.regions.row[region].paradigm == PS_PARADIGM_MPI;
}

/* The names of a path; calls of the library have other ones. */
static void same_path(const ps_trace *a, ps_path x, const ps_trace *b, ps_path y)
{
        for (; x && y; x = a->paths[x].parent, y = b->paths[y].parent) {
                if (is_library(a, x) && is_library(b, y))
                        continue;
                assert_string_equal(ps_defs_str(&a->defs, a->defs.regions.row[a->paths[x].region].name),
                                    ps_defs_str(&b->defs, b->defs.regions.row[b->paths[y].region].name));
        }
        assert_int_equal(!x, !y);
}

static void same_members(const ps_trace *a, const ps_coll *x, const ps_trace *b, const ps_coll *y, ps_loc loc,
                         ps_op op)
{
        SAME(x->n, y->n, "number of members");
        SAME(x->root == PS_NONE ? -1 : (int64_t)a->members[x->root].ref.loc,
             y->root == PS_NONE ? -1 : (int64_t)b->members[y->root].ref.loc, "root");
        for (uint32_t i = 0; i < x->n; i++)
                SAME(a->members[x->first + i].ref.loc, b->members[y->first + i].ref.loc, "member");
}

static void same_operation(const ps_trace *a, const ps_trace *b, ps_loc loc, ps_op op)
{
        const ps_ops *x = &a->ops[loc], *y = &b->ops[loc];
        ps_class cls = ps_kinds[x->kind[op]].cls;

        SAME(kind_in_picl(x->kind[op]), kind_in_picl(y->kind[op]), "kind");
        SAME(a->measured.enter[loc][op], b->measured.enter[loc][op], "enter");
        SAME(a->measured.leave[loc][op], b->measured.leave[loc][op], "leave");
        SAME(x->flags[op], y->flags[op], "flags");
        SAME(x->done[op], y->done[op], "completion");
        SAME(ps_op_peer(x, op), ps_op_peer(y, op), "peer");
        same_path(a, ps_op_path(x, op), b, ps_op_path(y, op));
        if (cls == PS_C_SEND || cls == PS_C_RECV) {
                SAME(x->link[op], y->link[op], "partner");
                SAME(ps_op_tag(x, op), ps_op_tag(y, op), "tag");
                SAME(ps_op_bytes(x, op), ps_op_bytes(y, op), "bytes");
        } else if (cls == PS_C_COLL && x->flags[op] & PS_OP_MATCHED) {
                if (x->kind[op] != PS_K_INIT && x->kind[op] != PS_K_FINALIZE)
                        SAME(ps_op_bytes(x, op), ps_op_bytes(y, op), "bytes");
                same_members(a, &a->colls[a->members[x->link[op]].coll], b,
                             &b->colls[b->members[y->link[op]].coll], loc, op);
        }
}

static void same_run(const ps_trace *a, const ps_trace *b)
{
        ps_loc loc = 0;
        ps_op op = 0;

        SAME(a->n_locs, b->n_locs, "number of locations");
        SAME(a->n_messages, b->n_messages, "number of messages");
        SAME(a->n_colls, b->n_colls, "number of collectives");
        SAME(a->measured.duration, b->measured.duration, "duration");
        for (; loc < a->n_locs; loc++) {
                SAME(a->ops[loc].n, b->ops[loc].n, "number of operations");
                for (op = 0; op < a->ops[loc].n; op++)
                        same_operation(a, b, loc, op);
        }
}

/* Returns how many events were lost on the way. */
static uint64_t round_trip(const char *path, ps_dump_format format)
{
        char *folder = ps_dir_new(), copy[512];
        snprintf(copy, sizeof(copy), "%s/copy.trf", folder);
        uint64_t n_lossy = dumped(path, format, copy);
        now = path;
        if (!n_lossy && ps_file_size(copy)) {
                ps_trace *a = loaded_by(path, 1, PS_CLOCK_AS_IS), *b = loaded_by(copy, 1, PS_CLOCK_AS_IS);
                same_run(a, b);
                if (format == PS_DUMP_PICL)
                        assert_int_equal(a->defs.sends_are_buffered, b->defs.sends_are_buffered);
                ps_trace_close(a);
                ps_trace_close(b);
        }
        ps_dir_remove(folder);
        free(folder);
        return n_lossy;
}

static unsigned n_whole, n_lossy_traces;

static void micro(const char *anchor, const char *title)
{
        (void)title;
        *(round_trip(anchor, PS_DUMP_PICL) ? &n_lossy_traces : &n_whole) += 1;
}

TEST(micro_traces_come_back)
{
        n_whole = n_lossy_traces = 0;
        dumped_each_micro(micro);
        print_message("%u traces whole, %u not\n", n_whole, n_lossy_traces);
        assert_true(n_whole > (SANITIZED ? 40 : 150));
}

static void text_comes_back(const char *text, unsigned n_lossy)
{
        char *folder = ps_dir_new(), path[512];
        snprintf(path, sizeof(path), "%s/a.trf", folder);
        FILE *file = fopen(path, "w");
        assert_non_null(file);
        fputs(text, file);
        fclose(file);
        assert_int_equal(round_trip(path, PS_DUMP_PICL), n_lossy);
        assert_int_equal(round_trip(path, PS_DUMP_PICL_THESIS), n_lossy);
        ps_dir_remove(folder);
        free(folder);
}

/* The example of the thesis, as it stands there but for its slips: 3.5. */
TEST(the_thesis_dialect_comes_back)
{
        text_comes_back("-3 -601 0.000 0 -1 0\n-3 -601 0.000 1 -1 0\n-3 -601 0.000 2 -1 0\n"
                        "-3 -21 1.000 0 -1 3 2 5 1 2\n-4 -21 2.000 0 -1 0\n-3 -601 2.000 0 -1 0\n"
                        "-3 -51 4.000 2 -1 1 2 1\n-4 -51 5.000 2 -1 3 2 5 1 0\n-4 -601 5.000 2 -1 0\n"
                        "-3 -601 10.000 2 -1 0\n",
                        0);
}

/* MPICL: nonblocking calls, a broadcast in a subset, a block of the user; ties in the wrong order. */
TEST(the_mpicl_dialect_comes_back)
{
        text_comes_back("-202 -812 0.000000 -1 -1 3 2 4 1 0\n"
                        "-3 -901 -0.000001 0 0 0\n-3 -901 0.000000 1 0 0\n"
                        "-3 3 0.000010 0 0 0 2\n"
                        "-3 -27 0.000020 0 0 3 2 400 100 1\n-4 -27 0.000030 0 0 1 2 1\n"
                        "-3 -57 0.000040 1 0 2 2 100 0\n-4 -57 0.000041 1 0 1 2 5\n"
                        "-3 -61 0.000050 1 0 1 2 5\n-3 -31 0.000051 0 0 1 2 1\n"
                        "-4 -61 0.000060 1 0 3 2 400 100 0\n-4 -31 0.000061 0 0 0\n"
                        "-3 -785 0.000070 0 0 3 2 -1 1 4\n-3 -785 0.000071 1 0 3 2 8 1 4\n"
                        "-3 -402 0.000080 0 0 1 2 -1\n-4 -785 0.000080 0 0 1 2 8\n"
                        "-4 -785 0.000081 1 0 1 2 8\n-3 -402 0.000082 1 0 1 2 -1\n"
                        "-4 -402 0.000090 0 0 0\n-4 -402 0.000091 1 0 0\n"
                        "-4 3 0.000100 0 0 0 2\n-4 -901 0.000110 0 0 0\n-4 -901 0.000111 1 0 0\n",
                        0);
}

/* A copy's copy is the copy. */
static void comes_back_to_the_letter(const char *path, ps_dump_format format)
{
        char *folder = ps_dir_new(), copy[512], again[512];
        snprintf(copy, sizeof(copy), "%s/copy.trf", folder);
        snprintf(again, sizeof(again), "%s/again.trf", folder);
        dumped(path, format, copy);
        dumped(copy, format, again);
        char command[1100];
        snprintf(command, sizeof(command), "cmp %s %s", copy, again);
        if (system(command))
                ps_test_die("%s: the copy of its copy differs: format=%d", path, (int)format);
        ps_dir_remove(folder);
        free(folder);
}

TEST(given_traces_come_back)
{
        const char *given = getenv("PATSCAN_PICL_TRACES");
        char pattern[512];
        glob_t found;
        snprintf(pattern, sizeof(pattern), "%s/*.trf", given ? given : "../*/traces/picl");
        if (glob(pattern, 0, NULL, &found))
                skip();
        for (size_t i = 0; i < found.gl_pathc; i++)
                for (ps_dump_format format = PS_DUMP_PICL; format <= PS_DUMP_PICL_THESIS; format++) {
                        uint64_t n_lossy = round_trip(found.gl_pathv[i], format);
                        /* One of them leaves a block that it has never entered. */
                        if (n_lossy > 1)
                                ps_test_die("%s: lossy=%llu", now, (unsigned long long)n_lossy);
                        comes_back_to_the_letter(found.gl_pathv[i], format);
                }
        globfree(&found);
}
