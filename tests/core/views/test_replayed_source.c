/* test_replayed_source.c - events made from operations: what is written and read back is what it was. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/views/replayed_source.h"
#include "reader/otf2_writer/otf2_writer.h"
#include "tests/support/damage.h"
#include "tests/support/dumped.h"
#include "tests/support/loaded.h"
#include "tests/support/test.h"

/* The trace at other times, written and read. */
static ps_trace *again(const ps_trace *trace, const ps_timing *timing, const char *dir)
{
        ps_replayed_source *source;
        ps_otf2_written written;
        ps_error err = {0};
        char folder[512], anchor[600];
        snprintf(folder, sizeof(folder), "%s/out", dir);
        snprintf(anchor, sizeof(anchor), "%s/traces.otf2", folder);
        assert_int_equal(ps_replayed_source_new(&source, trace, timing, &err), PS_OK);
        if (ps_otf2_write(&written, folder, &trace->defs, ps_replayed_source_of(source), &err) < 0)
                fail_msg("%s", err.cause[0].text);
        assert_int_equal(written.n_lossy, 0);
        ps_replayed_source_free(source);
        return loaded_by(anchor, 1, PS_CLOCK_AS_IS);
}

static void names_of(const ps_trace *trace, ps_ref ref, char room[1024])
{
        size_t n = 0;
        room[0] = '\0';
        for (ps_path p = ps_op_path(&trace->ops[ref.loc], ref.op); p && n < 900; p = trace->paths[p].parent)
                n += (size_t)snprintf(
                        room + n, 1024 - n, "/%.80s",
                        ps_defs_str(&trace->defs, trace->defs.regions.row[trace->paths[p].region].name));
}

static void compare(const ps_trace *a, const ps_trace *b, const char *title)
{
        assert_int_equal(a->n_locs, b->n_locs);
        for (ps_loc loc = 0; loc < a->n_locs; loc++) {
                char *x = loaded_ops(a, loc), *y = loaded_ops(b, loc);
                if (strcmp(x, y) != 0)
                        fail_msg("%s, location %u:\n%s\nis not\n%s", title, loc, y, x);
                free(x);
                free(y);
                for (ps_op op = 0; op < a->ops[loc].n; op++) {
                        char here[1024], there[1024];
                        names_of(a, (ps_ref){loc, op}, here);
                        names_of(b, (ps_ref){loc, op}, there);
                        assert_string_equal(here, there);
                }
        }
        assert_int_equal(a->n_messages, b->n_messages);
        assert_int_equal(a->n_colls, b->n_colls);
        assert_int_equal(a->measured.duration, b->measured.duration);
}

static void round_trip(const char *anchor, const char *title)
{
        char *dir = ps_dir_new();
        ps_trace *trace = loaded_by(anchor, 1, PS_CLOCK_AS_IS);
        /* How PGAS collectives synchronise is no part of what OTF2's writer is told. */
        if (trace->defs.pgas_comm == PS_NONE) {
                ps_trace *read = again(trace, &trace->measured, dir);
                compare(trace, read, title);
                ps_trace_close(read);
        }
        ps_trace_close(trace);
        ps_dir_remove(dir);
        free(dir);
}

TEST(every_kind_of_operation_comes_back)
{
        dumped_each_micro(round_trip);
}

/* Twice as long: an eager send and its receive at 10..20 and 12..30 us become 20..40 and 24..60. */
TEST(times_are_those_of_the_timing)
{
        ps_gen *g = ps_gen_new(NULL, (ps_gen_options){.ranks = 2});
        for (uint32_t r = 0; r < 2; r++)
                ps_gen_enter(g, r, 0, "main");
        ps_gen_send(g, 0, PS_GEN_US(10), PS_GEN_US(20), 1, PS_GEN_WORLD, 7, 100);
        ps_gen_recv(g, 1, PS_GEN_US(12), PS_GEN_US(30), 0, PS_GEN_WORLD, 7, 100);
        for (uint32_t r = 0; r < 2; r++)
                ps_gen_leave(g, r, PS_GEN_US(40), "main");
        ps_trace *trace = loaded(g, PS_CLOCK_AS_IS);
        ps_time enter[] = {20000000, 24000000}, leave[] = {40000000, 60000000};
        ps_time *enters[] = {&enter[0], &enter[1]}, *leaves[] = {&leave[0], &leave[1]};
        ps_location_info info[] = {trace->info[0], trace->info[1]};
        info[0].last = info[1].last = 80000000;
        ps_timing twice = {.enter = enters, .leave = leaves, .duration = 80000000, .info = info};
        char *dir = ps_dir_new();
        ps_trace *read = again(trace, &twice, dir);
        EXPECT_OPS(read, 0, "20000-40000 send 1.0 comm0 #7 100B\n");
        EXPECT_OPS(read, 1, "24000-60000 recv 0.0 comm0 #7 100B\n");
        assert_int_equal(read->measured.duration, 80000000);
        EXPECT_PATH(read, 1, 0, "main/MPI_Recv");
        ps_trace_close(read);
        ps_trace_close(trace);
        ps_gen_free(g);
        ps_dir_remove(dir);
        free(dir);
}
