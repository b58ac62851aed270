/* test_reader.c - the OTF2 reader on archives built byte by byte, with answers worked out by hand. */
#include "reader/reader.h"
#include "tests/reader/otf2/lab.h"
#include "tests/support/test.h"

#include <stdio.h>
#include <string.h>

TEST_BETWEEN(both_byte_orders, otf2_lab_make, otf2_lab_drop)
{
        for (int big = 0; big < 2; big++) {
                build b = {.big = big};
                otf2_lab_save_defs(big);
                otf2_lab_events(&b);
                build_u8(&b, 2);
                otf2_lab_save_events(&b, 0);
                otf2_lab_open(otf2_lab.folder);
                otf2_lab_read(0);
                otf2_lab_check_events();
                assert_int_equal(otf2_lab_issue(PS_I_EVENT_COUNT), 0);
                assert_int_equal(ps_issues_total(&otf2_lab.issues), 0);
                otf2_lab_read(1); /* promised four events and has no file */
                assert_int_equal(otf2_lab.n, 0);
                assert_int_equal(otf2_lab_issue(PS_I_FILE_MISSING), 1);
                otf2_lab_close();
        }
}

TEST_BETWEEN(definitions, otf2_lab_make, otf2_lab_drop)
{
        otf2_lab_save_defs(0);
        otf2_lab_open(otf2_lab.folder);
        const ps_defs *d = &otf2_lab.defs;
        assert_int_equal(d->processes.n, 2);
        assert_int_equal(d->locations.n, 2);
        assert_int_equal(d->locations.row[1].native, 7);
        assert_int_equal(d->locations.row[1].process, 1);
        assert_string_equal(ps_defs_str(d, d->processes.row[0].node), "rank");
        assert_string_equal(ps_defs_str(d, d->regions.row[0].file), "app.c");
        assert_int_equal(d->regions.row[0].line, 10);
        assert_int_equal(d->regions.row[1].file, 0); /* "MPI" without a line is no file */
        assert_int_equal(d->comms.row[0].n_members, 2);
        assert_int_equal(d->comms.row[0].members[1], 1);
        assert_int_equal(d->comms.row[0].team, 0);
        assert_int_equal(d->clock_per_process, 0);
        assert_int_equal(d->resolution_hz, 1000000000);
}

/* More events than fit into a chunk, with END_OF_CHUNK and the next header between them. */
TEST_BETWEEN(several_chunks, otf2_lab_make, otf2_lab_drop)
{
        build b = {0};
        otf2_lab_save_defs(0);
        for (unsigned chunk = 0; chunk < 3; chunk++) {
                build_header(&b);
                for (unsigned i = 0; i < 20; i++) {
                        build_time(&b, 2000 + chunk * 100 + i);
                        build_enter(&b, i % 2);
                }
                if (chunk == 2)
                        build_u8(&b, 2);
                while (chunk < 2 && b.n < (chunk + 1) * OTF2_LAB_CHUNK)
                        build_u8(&b, 0);
        }
        otf2_lab_save_events(&b, 0);
        otf2_lab_open(otf2_lab.folder);
        otf2_lab_read(0);
        assert_int_equal(otf2_lab.n, 60);
        assert_int_equal(otf2_lab.event[59].time, (2219 - 1000) * 1000);
        assert_int_equal(otf2_lab_issue(PS_I_FILE_CORRUPT) + otf2_lab_issue(PS_I_FILE_TRUNCATED), 0);
        assert_int_equal(otf2_lab_issue(PS_I_EVENT_COUNT), 1); /* four were promised */
}

/* Contexts: a child before its parent, and two that are each other's parent. */
TEST_BETWEEN(contexts, otf2_lab_make, otf2_lab_drop)
{
        build b = {0}, anchor = {0};
        build_anchor(&anchor, 1, 1, 4096, "x");
        build_save(&anchor, otf2_lab.folder, "t.otf2");
        otf2_lab_defs(&b, 0);
        build_record(&b, 33, "nnn", U(0), U(6), U(12));
        build_record(&b, 34, "nnnn", U(0), U(1), NO_ID, U(1));
        build_record(&b, 34, "nnnn", U(1), U(0), U(0), NO_ID);
        build_record(&b, 34, "nnnn", U(2), U(0), NO_ID, U(3));
        build_record(&b, 34, "nnnn", U(3), U(0), NO_ID, U(2));
        build_save(&b, otf2_lab.folder, "t.def"); /* without its end */
        otf2_lab_open(otf2_lab.folder);
        const ps_context_def *c = otf2_lab.defs.contexts.row;
        assert_int_equal(otf2_lab.defs.contexts.n, 4);
        assert_int_equal(c[0].parent, PS_NONE);
        assert_int_equal(c[0].line, 12);
        assert_int_equal(c[1].parent, 0);
        assert_int_equal(c[1].region, 1);
        assert_int_equal(otf2_lab_issue(PS_I_DEF_INVALID), 1); /* the cycle */
        assert_int_equal(otf2_lab_issue(PS_I_FILE_TRUNCATED), 1);
}

TEST_BETWEEN(finding, otf2_lab_make, otf2_lab_drop)
{
        char path[128];
        const ps_reader_class *found;
        build b = {0};
        ps_error err = {0};
        otf2_lab_save_defs(0);
        snprintf(path, sizeof(path), "%s/t.def", otf2_lab.folder);
        assert_int_equal(ps_reader_find(&found, path, NULL), PS_OK);
        assert_ptr_equal(found, &ps_otf2_reader);
        assert_int_equal(ps_reader_find(&found, otf2_lab.folder, NULL), PS_OK);
        otf2_lab_open(path);
        build_save(&b, otf2_lab.folder, "other.otf2");
        ps_defs_free(&otf2_lab.defs);
        ps_otf2_reader.close(otf2_lab.reader);
        assert_int_equal(otf2_lab_try(otf2_lab.folder, &err), PS_E_INPUT);
        assert_non_null(strstr(err.cause[0].text, "several"));
        build_text(&b, "no trace");
        build_save(&b, otf2_lab.folder, "x.txt");
        snprintf(path, sizeof(path), "%s/x.txt", otf2_lab.folder);
        assert_int_equal(ps_reader_find(&found, path, NULL), PS_E_INPUT);
        assert_int_equal(ps_reader_find(&found, "/nonexistent", NULL), PS_E_INPUT);
        err = (ps_error){0};
        ps_defs_free(&otf2_lab.defs);
        assert_int_equal(otf2_lab_try("/nonexistent", &err), PS_E_INPUT); /* as where another node has it */
        assert_non_null(strstr(err.cause[0].text, "No such file"));
}

/* Local ids: regions by a dense table (0 -> 1, 1 -> 0), and the clock: +100 ticks at 1000, +300 at 2000. */
TEST_BETWEEN(local_definitions, otf2_lab_make, otf2_lab_drop)
{
        build local = {0}, b = {0};
        otf2_lab_save_defs(0);
        build_header(&local);
        build_record(&local, 5, "ununn", U(3), U(2), U(0), U(1), U(0));
        build_record(&local, 6, "8n8", U(1000), U(100), U(0));
        build_record(&local, 6, "8n8", U(2000), U(300), U(0));
        build_u8(&local, 2);
        build_save(&local, otf2_lab.folder, "t/0.def");
        otf2_lab_events(&b);
        build_u8(&b, 2);
        otf2_lab_save_events(&b, 0);
        otf2_lab_open(otf2_lab.folder);
        otf2_lab_read(0);
        assert_int_equal(otf2_lab.n, 4);
        assert_int_equal(otf2_lab.event[0].ref, 1);
        assert_int_equal(otf2_lab.event[1].ref, 0);
        assert_int_equal(otf2_lab.event[0].time, 101000); /* 1 + 100 + round(0.2) */
        assert_int_equal(otf2_lab.event[3].time, 700000); /* 500 + 100 + 0.2 * 500 */
        assert_int_equal(ps_issues_total(&otf2_lab.issues), 0);
}

/* Definitions that go on behind those of the laboratory. */
static build begin_definitions(void)
{
        build defs = {0}, anchor = {0};
        otf2_lab_save_defs(0);
        build_anchor(&anchor, 1, 1, 4096, "x");
        build_save(&anchor, otf2_lab.folder, "t.otf2");
        otf2_lab_defs(&defs, 0);
        return defs;
}

static void end_definitions(build *defs)
{
        build_u8(defs, 2);
        build_save(defs, otf2_lab.folder, "t.def");
}

TEST_BETWEEN(call_sites, otf2_lab_make, otf2_lab_drop)
{
        build defs = begin_definitions(), b = {0};
        build_record(&defs, 10, "ns", U(20), "CALLSITE_FILE");
        build_record(&defs, 10, "ns", U(21), "CALLSITE_LINE");
        build_record(&defs, 11, "nnu", U(0), U(20), U(11));
        build_record(&defs, 11, "nnu", U(1), U(21), U(3));
        end_definitions(&defs);
        build_header(&b);
        build_time(&b, 1001);
        build_record(&b, 6, "nnunnun", U(2), U(0), U(11), U(6), U(1), U(3), U(77));
        build_enter(&b, 1);
        build_leave(&b, 1);
        build_u8(&b, 2);
        otf2_lab_save_events(&b, 0);
        otf2_lab_open(otf2_lab.folder);
        otf2_lab_read(0);
        assert_int_equal(otf2_lab.n, 2);
        assert_string_equal(ps_defs_str(&otf2_lab.defs, otf2_lab.event[0].site_file), "app.c");
        assert_int_equal(otf2_lab.event[0].site_line, 77);
        assert_int_equal(otf2_lab.event[1].site_line, 0);
}

/* A group flagged GLOBAL_MEMBERS: events name the peer by its rank among all, here 1, which is the
 * communicator's rank 0. */
TEST_BETWEEN(ranks_of_all, otf2_lab_make, otf2_lab_drop)
{
        build defs = begin_definitions(), b = {0};
        build_record(&defs, 18, "nnunnnuun", U(5), U(0), U(4), U(2), U(1), U(0), U(5), U(4), U(1));
        build_record(&defs, 22, "nnnn", U(9), U(3), U(5), U(0));
        end_definitions(&defs);
        build_header(&b);
        build_time(&b, 1001);
        build_record(&b, 14, "nnnn", U(1), U(9), U(3), U(4));
        build_record(&b, 14, "nnnn", U(1), U(0), U(3), U(4));
        build_u8(&b, 2);
        otf2_lab_save_events(&b, 0);
        otf2_lab_open(otf2_lab.folder);
        otf2_lab_read(0);
        assert_int_equal(otf2_lab.n, 2);
        assert_int_equal(otf2_lab.event[0].comm, 1);
        assert_int_equal(otf2_lab.event[0].peer, 0);
        assert_int_equal(ps_defs_peer(&otf2_lab.defs, 1, otf2_lab.event[0].peer, 0), 1);
        assert_int_equal(otf2_lab.event[1].peer, 1); /* of an ordinary communicator */
}

/* 2^60 ps are 13 days: times farther away are clamped. Without a zero, times count from the earliest. */
TEST_BETWEEN(far_times, otf2_lab_make, otf2_lab_drop)
{
        build b = {0}, far = {0};
        const uint64_t since_1970 = UINT64_C(1700000000000000000);
        otf2_lab_save_defs(0);
        build defs = {0};
        build_header(&defs);
        build_record(&defs, 5, "nnn", U(1000000000), U(0), U(500));
        build_record(&defs, 13, "nnun", U(0), NO_ID, U(1), NO_ID);
        build_record(&defs, 14, "nnunn", U(0), NO_ID, U(1), U(2), U(0));
        build_record(&defs, 14, "nnunn", U(7), NO_ID, U(1), U(2), U(0));
        build_u8(&defs, 2);
        build_save(&defs, otf2_lab.folder, "t.def");
        build_header(&b);
        build_time(&b, since_1970);
        build_enter(&b, UINT64_MAX);
        build_time(&b, since_1970 + 5);
        build_leave(&b, UINT64_MAX);
        build_u8(&b, 2);
        otf2_lab_save_events(&b, 0);
        build_header(&far);
        build_time(&far, since_1970 + 2);
        build_enter(&far, UINT64_MAX);
        build_time(&far, since_1970 + UINT64_C(8000000000000000)); /* 92 days */
        build_leave(&far, UINT64_MAX);
        build_u8(&far, 2);
        otf2_lab_save_events(&far, 7);
        otf2_lab_open(otf2_lab.folder);
        otf2_lab_read(0);
        assert_int_equal(otf2_lab.event[0].time, 0);
        assert_int_equal(otf2_lab.event[1].time, 5000);
        assert_int_equal(otf2_lab.event[1].ref, PS_NONE);
        assert_int_equal(ps_issues_total(&otf2_lab.issues), 0);
        otf2_lab_read(1);
        assert_int_equal(otf2_lab.event[0].time, 2000);
        assert_int_equal(otf2_lab.event[1].time, PS_READER_TIME_LIMIT);
        assert_int_equal(otf2_lab_issue(PS_I_TIME_RANGE), 1);
}
