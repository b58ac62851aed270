/* test_broken.c - the OTF2 reader on archives that are cut, damaged or odd. */
#include "tests/reader/otf2/lab.h"
#include "tests/support/test.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Cut anywhere, the file gives a prefix of its events and one issue. */
TEST_BETWEEN(truncated_anywhere, otf2_lab_make, otf2_lab_drop)
{
        build whole = {0};
        otf2_lab_save_defs(0);
        otf2_lab_events(&whole);
        for (size_t n = 0; n <= whole.n; n++) {
                build b = whole;
                b.n = n;
                otf2_lab_save_events(&b, 0);
                otf2_lab_open(otf2_lab.folder);
                otf2_lab_read(0);
                assert_true(otf2_lab.n <= 4 && (n < whole.n || otf2_lab.n == 4));
                assert_int_equal(otf2_lab_issue(PS_I_FILE_TRUNCATED), 1);
                assert_int_equal(otf2_lab_issue(PS_I_FILE_CORRUPT), 0);
                assert_int_equal(otf2_lab_issue(PS_I_EVENT_COUNT), 0);
                otf2_lab_close();
        }
        otf2_lab_save_events(&whole, 0);
        otf2_lab_open(otf2_lab.folder);
}

TEST_BETWEEN(corrupt_record, otf2_lab_make, otf2_lab_drop)
{
        build b = {0};
        otf2_lab_save_defs(0);
        otf2_lab_events(&b);
        size_t bad = b.n;
        build_record(&b, 14, "nn", U(1), U(0)); /* a send without tag and length */
        build_enter(&b, 0);
        build_u8(&b, 2);
        otf2_lab_save_events(&b, 0);
        otf2_lab_open(otf2_lab.folder);
        otf2_lab_read(0);
        otf2_lab_check_events();
        assert_int_equal(otf2_lab_issue(PS_I_FILE_CORRUPT), 1);
        assert_int_equal(otf2_lab.issues.row[PS_I_FILE_CORRUPT].offset, bad);
        assert_string_equal(ps_defs_str(&otf2_lab.defs, otf2_lab.issues.row[PS_I_FILE_CORRUPT].file),
                            "t/0.evt");
}

TEST_BETWEEN(odd_records, otf2_lab_make, otf2_lab_drop)
{
        build b = {0};
        otf2_lab_save_defs(0);
        otf2_lab_events(&b);
        build_record(&b, 200, "nn", U(1), U(2)); /* a type that nobody knows */
        build_time(&b, 1400);                    /* back in time */
        build_enter(&b, 99);                     /* a region that nobody defined */
        build_u8(&b, 2);
        otf2_lab_save_events(&b, 0);
        build strange = {0};
        otf2_lab_save_events(&strange, 3); /* a location that nobody defined */
        otf2_lab_open(otf2_lab.folder);
        assert_int_equal(otf2_lab_issue(PS_I_DEF_UNKNOWN), 1);
        otf2_lab_read(0);
        assert_int_equal(otf2_lab.n, 6);
        assert_string_equal(ps_defs_str(&otf2_lab.defs, otf2_lab.defs.codes.row[otf2_lab.event[4].code]),
                            "UNKNOWN");
        assert_int_equal(otf2_lab.event[5].time, 500000);
        assert_int_equal(otf2_lab.event[5].ref, PS_NONE);
        assert_int_equal(otf2_lab_issue(PS_I_RECORD_UNKNOWN), 1);
        assert_int_equal(otf2_lab_issue(PS_I_TIME_BACKWARD), 1);
        assert_int_equal(otf2_lab_issue(PS_I_DEF_UNKNOWN), 2);
}

/* One communicator for each process under the same id, and a group as locations and as ranks: EZTrace's way.
 */
TEST_BETWEEN(duplicates, otf2_lab_make, otf2_lab_drop)
{
        build b = {0};
        otf2_lab_save_defs(0);
        otf2_lab_defs(&b, 0);
        build_record(&b, 18, "nnunnuun", U(1), U(0), U(4), U(1), U(0), U(5), U(4), U(0));
        build_record(&b, 18, "nnunnuun", U(2), U(0), U(4), U(1), U(0), U(5), U(4), U(0));
        build_record(&b, 22, "nnnn", U(0), U(3), U(2), NO_ID);
        build_record(&b, 22, "nnnn", U(0), U(3), U(1), NO_ID); /* the same once more */
        build_record(&b, 10, "ns", U(50), "EZTrace finalize");
        build_u8(&b, 2);
        build anchor = {0};
        build_anchor(&anchor, 1, 1, 4096, "");
        build_save(&anchor, otf2_lab.folder, "t.otf2");
        build_save(&b, otf2_lab.folder, "t.def");
        otf2_lab_open(otf2_lab.folder);
        assert_int_equal(otf2_lab.defs.comms.n, 1);
        assert_int_equal(otf2_lab.defs.comms.row[0].n_members, 2);
        assert_int_equal(otf2_lab_issue(PS_I_DEF_DUPLICATE), 2);
        assert_int_equal(otf2_lab.defs.clock_per_process, 1);
        assert_int_equal(otf2_lab.defs.recv_comm_unreliable, 1);
        assert_string_equal(ps_defs_str(&otf2_lab.defs, otf2_lab.defs.creator), "EZTrace");
}

TEST_BETWEEN(damaged_anchors, otf2_lab_make, otf2_lab_drop)
{
        static const struct {
                unsigned substrate, compression;
                const char *says;
        } cases[] = {{2, 1, "substrate=\"SION\""}, {1, 2, "compression=\"ZLIB\""}, {9, 1, "substrate=\"?\""}};
        otf2_lab_save_defs(0);
        for (size_t i = 0; i < 3; i++) {
                ps_error err = {0};
                build b = {0};
                build_anchor(&b, cases[i].substrate, cases[i].compression, OTF2_LAB_CHUNK, "");
                build_save(&b, otf2_lab.folder, "t.otf2");
                assert_int_equal(otf2_lab_try(otf2_lab.folder, &err), PS_E_INPUT);
                assert_non_null(strstr(err.cause[0].text, cases[i].says));
                ps_defs_free(&otf2_lab.defs);
        }
        build whole = {0};
        build_anchor(&whole, 1, 1, OTF2_LAB_CHUNK, "creator");
        enum { BEHIND_DESCRIPTION = 4 + 8 + 4 + 4 + 3 };
        size_t creator_ends = whole.n - sizeof("description") - BEHIND_DESCRIPTION;
        for (size_t n = 0; n < creator_ends; n++) {
                build b = whole;
                b.n = n;
                build_save(&b, otf2_lab.folder, "t.otf2");
                assert_int_equal(otf2_lab_try(otf2_lab.folder, NULL), PS_E_INPUT);
                ps_defs_free(&otf2_lab.defs);
        }
}

/* What stands behind the creator is not needed, but it has to be there, and nothing else. */
static void expect_anchor(const build *b, ps_issue_kind kind, uint64_t count)
{
        build_save(b, otf2_lab.folder, "t.otf2");
        otf2_lab_open(otf2_lab.folder);
        assert_int_equal(otf2_lab_issue(kind), count);
        otf2_lab_close();
}

TEST_BETWEEN(ends_of_anchors, otf2_lab_make, otf2_lab_drop)
{
        build whole = {0};
        otf2_lab_save_defs(0);
        build_anchor(&whole, 1, 1, OTF2_LAB_CHUNK, "creator");
        build cut = whole, longer = whole;
        expect_anchor(&whole, PS_I_ANCHOR_TRUNCATED, 0);
        expect_anchor(&whole, PS_I_FILE_TRAILING, 0);
        for (cut.n--; cut.n > whole.n - sizeof("description") - 4 - 8 - 4 - 4 - 3; cut.n--)
                expect_anchor(&cut, PS_I_ANCHOR_TRUNCATED, 1);
        build_u8(&longer, 0);
        expect_anchor(&longer, PS_I_FILE_TRAILING, 1);
}

TEST_BETWEEN(no_local_definitions, otf2_lab_make, otf2_lab_drop)
{
        char path[128];
        build b = {0};
        otf2_lab_save_defs(0);
        otf2_lab_events(&b);
        build_u8(&b, 2);
        otf2_lab_save_events(&b, 0);
        snprintf(path, sizeof(path), "%s/t/0.def", otf2_lab.folder);
        unlink(path);
        otf2_lab_open(otf2_lab.folder);
        otf2_lab_read(0);
        otf2_lab_check_events();
        assert_int_equal(otf2_lab_issue(PS_I_LOCAL_DEFS_MISSING), 1);
        assert_int_equal(otf2_lab.issues.row[PS_I_LOCAL_DEFS_MISSING].location, 0);
}
