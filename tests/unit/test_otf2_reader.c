/* test_otf2_reader.c - the OTF2 reader on archives built byte by byte, with answers worked out by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "reader/otf2.h"
#include "tests/support/otf2_build.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define U(x)  ((uint64_t)(x))
#define NO_ID UINT64_MAX

enum { CHUNK = 512, MAX_EVENTS = 4096 };

typedef struct loaded {
        ps_defs defs;
        ps_issues issues;
        ps_reader *reader;
        ps_event event[MAX_EVENTS]; /* of the location that was read last */
        uint32_t n;
} loaded;

static char folder[] = "/tmp/patscan-otf2-XXXXXX";
static loaded now;

static int make_folder(void **state)
{
        (void)state;
        char sub[64];
        strcpy(folder, "/tmp/patscan-otf2-XXXXXX");
        if (!mkdtemp(folder))
                return -1;
        snprintf(sub, sizeof(sub), "%s/t", folder);
        return mkdir(sub, 0700);
}

static int drop_folder(void **state)
{
        (void)state;
        char command[128];
        if (now.reader)
                ps_otf2_reader.close(now.reader);
        ps_defs_free(&now.defs);
        memset(&now, 0, sizeof(now));
        snprintf(command, sizeof(command), "rm -rf '%s'", folder);
        return system(command);
}

static ps_status open_path(const char *path, ps_error *err)
{
        assert_int_equal(ps_defs_init(&now.defs, err), PS_OK);
        ps_status status = ps_otf2_reader.open(&now.reader, path, &now.defs, &now.issues, err);
        if (status < 0)
                now.reader = NULL;
        else
                assert_int_equal(ps_defs_freeze(&now.defs, err), PS_OK);
        return status;
}

static void open_fine(const char *path)
{
        ps_error err = {0};
        if (open_path(path, &err) < 0)
                fail_msg("%s", err.cause[0].text);
}

static void read_location(ps_loc location)
{
        static ps_batch batch;
        ps_stream *stream;
        now.n = 0;
        assert_int_equal(ps_otf2_reader.stream_open(&stream, now.reader, location, NULL), PS_OK);
        do {
                assert_int_equal(ps_otf2_reader.stream_next(stream, &batch, &now.issues, NULL), PS_OK);
                assert_int_equal(batch.location, location);
                for (uint32_t i = 0; i < batch.n && now.n < MAX_EVENTS; i++)
                        now.event[now.n++] = batch.event[i];
        } while (batch.n > 0);
        ps_otf2_reader.stream_close(stream);
}

static uint64_t issue(ps_issue_kind kind)
{
        return now.issues.row[kind].count;
}

/* Two processes with a location each (ids 0 and 7), MPI_COMM_WORLD, two regions; 1e9 ticks/s from 1000 on. */
static void build_defs(build *b, int with_end)
{
        static const char *const text[] = {"", "main", "MPI_Send", "world", "rank", "node", "app.c", "MPI"};
        build_header(b);
        build_record(b, 22, "nnnn", U(0), U(3), U(1), NO_ID); /* before what it refers to */
        build_record(b, 5, "nnn", U(1000000000), U(1000), U(500));
        for (unsigned i = 0; i < 8; i++)
                build_record(b, 10, "ns", U(i), text[i]);
        build_record(b, 12, "nnnn", U(0), U(4), U(5), NO_ID);
        for (unsigned i = 0; i < 2; i++) {
                build_record(b, 13, "nnun", U(i), U(4), U(1), U(0));
                build_record(b, 14, "nnunn", U(i * 7), U(4), U(1), U(4), U(i));
        }
        /* name, description, old type, file, lines; canonical name, role, paradigm (compiler, MPI), flags */
        build_record(b, 15, "nnnunnnnuun", U(0), U(1), U(0), U(1), U(6), U(10), U(20), U(1), U(1), U(2),
                     U(0));
        build_record(b, 15, "nnnunnnnuun", U(1), U(2), U(0), U(1), U(7), U(0), U(0), U(2), U(28), U(4), U(0));
        build_record(b, 18, "nnunnnuun", U(0), U(0), U(6), U(2), U(0), U(7), U(4), U(4), U(0));
        build_record(b, 18, "nnunnnuun", U(1), U(0), U(4), U(2), U(0), U(1), U(5), U(4), U(0));
        if (with_end)
                build_u8(b, 2);
}

static void save_defs(int big)
{
        build anchor = {.big = big}, defs = {.big = big}, local = {.big = big};
        build_anchor(&anchor, 1, 1, CHUNK, "");
        build_save(&anchor, folder, "t.otf2");
        build_defs(&defs, 1);
        build_save(&defs, folder, "t.def");
        build_header(&local);
        build_u8(&local, 2);
        build_save(&local, folder, "t/0.def");
        build_save(&local, folder, "t/7.def");
}

/* Four events of location 0; *end is where the last begins. */
static void build_events(build *b)
{
        build_header(b);
        build_time(b, 1001);
        build_enter(b, 0);
        build_time(b, 1300);
        build_enter(b, 1);
        build_record(b, 14, "nnnn", U(1), U(0), U(0x1234), U(70000));
        build_time(b, 1500);
        build_leave(b, 1);
}

static void save_events(build *b, int location)
{
        char name[32];
        snprintf(name, sizeof(name), "t/%d.evt", location);
        build_save(b, folder, name);
}

static void check_events(void)
{
        assert_int_equal(now.n, 4);
        assert_int_equal(now.event[0].time, 1000); /* one tick of 1 ns after the archive's zero */
        assert_int_equal(now.event[1].time, 300000);
        assert_int_equal(now.event[2].time, 300000); /* no timestamp of its own */
        assert_int_equal(now.event[3].time, 500000);
        assert_int_equal(now.event[0].kind, PS_EV_ENTER);
        assert_int_equal(now.event[0].ref, 0);
        assert_int_equal(now.event[2].kind, PS_EV_SEND);
        assert_int_equal(now.event[2].peer, 1);
        assert_int_equal(now.event[2].comm, 0);
        assert_int_equal(now.event[2].tag, 0x1234);
        assert_int_equal(now.event[2].bytes, 70000);
        assert_int_equal(now.event[2].ref, PS_NONE);
        assert_int_equal(now.event[3].kind, PS_EV_LEAVE);
        assert_int_equal(now.event[3].ref, 1);
        assert_string_equal(ps_defs_str(&now.defs, now.defs.codes.row[now.event[2].code]), "MPI_SEND");
}

static void both_byte_orders(void **state)
{
        (void)state;
        for (int big = 0; big < 2; big++) {
                build b = {.big = big};
                save_defs(big);
                build_events(&b);
                build_u8(&b, 2);
                save_events(&b, 0);
                open_fine(folder);
                read_location(0);
                check_events();
                assert_int_equal(issue(PS_I_EVENT_COUNT), 0);
                assert_int_equal(ps_issues_total(&now.issues), 0);
                read_location(1); /* promised four events and has no file */
                assert_int_equal(now.n, 0);
                assert_int_equal(issue(PS_I_FILE_MISSING), 1);
                ps_otf2_reader.close(now.reader);
                ps_defs_free(&now.defs);
                memset(&now, 0, sizeof(now));
        }
}

static void definitions(void **state)
{
        (void)state;
        save_defs(0);
        open_fine(folder);
        const ps_defs *d = &now.defs;
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
static void several_chunks(void **state)
{
        (void)state;
        build b = {0};
        save_defs(0);
        for (unsigned chunk = 0; chunk < 3; chunk++) {
                build_header(&b);
                for (unsigned i = 0; i < 20; i++) {
                        build_time(&b, 2000 + chunk * 100 + i);
                        build_enter(&b, i % 2);
                }
                if (chunk == 2)
                        build_u8(&b, 2);
                while (chunk < 2 && b.n < (chunk + 1) * CHUNK)
                        build_u8(&b, 0);
        }
        save_events(&b, 0);
        open_fine(folder);
        read_location(0);
        assert_int_equal(now.n, 60);
        assert_int_equal(now.event[59].time, (2219 - 1000) * 1000);
        assert_int_equal(issue(PS_I_FILE_CORRUPT) + issue(PS_I_FILE_TRUNCATED), 0);
        assert_int_equal(issue(PS_I_EVENT_COUNT), 1); /* four were promised */
}

/* Cut anywhere, the file gives a prefix of its events and one issue. */
static void truncated_anywhere(void **state)
{
        (void)state;
        build whole = {0};
        save_defs(0);
        build_events(&whole);
        for (size_t n = 0; n <= whole.n; n++) {
                build b = whole;
                b.n = n;
                save_events(&b, 0);
                open_fine(folder);
                read_location(0);
                assert_true(now.n <= 4 && (n < whole.n || now.n == 4));
                assert_int_equal(issue(PS_I_FILE_TRUNCATED), 1);
                assert_int_equal(issue(PS_I_FILE_CORRUPT), 0);
                assert_int_equal(issue(PS_I_EVENT_COUNT), 0);
                ps_otf2_reader.close(now.reader);
                ps_defs_free(&now.defs);
                memset(&now, 0, sizeof(now));
        }
        save_events(&whole, 0);
        open_fine(folder);
}

static void corrupt_record(void **state)
{
        (void)state;
        build b = {0};
        save_defs(0);
        build_events(&b);
        size_t bad = b.n;
        build_record(&b, 14, "nn", U(1), U(0)); /* a send without tag and length */
        build_enter(&b, 0);
        build_u8(&b, 2);
        save_events(&b, 0);
        open_fine(folder);
        read_location(0);
        check_events();
        assert_int_equal(issue(PS_I_FILE_CORRUPT), 1);
        assert_int_equal(now.issues.row[PS_I_FILE_CORRUPT].offset, bad);
        assert_string_equal(ps_defs_str(&now.defs, now.issues.row[PS_I_FILE_CORRUPT].file), "t/0.evt");
}

static void odd_records(void **state)
{
        (void)state;
        build b = {0};
        save_defs(0);
        build_events(&b);
        build_record(&b, 200, "nn", U(1), U(2)); /* a type that nobody knows */
        build_time(&b, 1400);                    /* back in time */
        build_enter(&b, 99);                     /* a region that nobody defined */
        build_u8(&b, 2);
        save_events(&b, 0);
        build strange = {0};
        save_events(&strange, 3); /* a location that nobody defined */
        open_fine(folder);
        assert_int_equal(issue(PS_I_DEF_UNKNOWN), 1);
        read_location(0);
        assert_int_equal(now.n, 6);
        assert_string_equal(ps_defs_str(&now.defs, now.defs.codes.row[now.event[4].code]), "UNKNOWN");
        assert_int_equal(now.event[5].time, 500000);
        assert_int_equal(now.event[5].ref, PS_NONE);
        assert_int_equal(issue(PS_I_RECORD_UNKNOWN), 1);
        assert_int_equal(issue(PS_I_TIME_BACKWARD), 1);
        assert_int_equal(issue(PS_I_DEF_UNKNOWN), 2);
}

/* One communicator for each process under the same id, and a group as locations and as ranks: EZTrace's way.
 */
static void duplicates(void **state)
{
        (void)state;
        build b = {0};
        save_defs(0);
        build_defs(&b, 0);
        build_record(&b, 18, "nnunnuun", U(1), U(0), U(4), U(1), U(0), U(5), U(4), U(0));
        build_record(&b, 18, "nnunnuun", U(2), U(0), U(4), U(1), U(0), U(5), U(4), U(0));
        build_record(&b, 22, "nnnn", U(0), U(3), U(2), NO_ID);
        build_record(&b, 22, "nnnn", U(0), U(3), U(1), NO_ID); /* the same once more */
        build_record(&b, 10, "ns", U(50), "EZTrace finalize");
        build_u8(&b, 2);
        build anchor = {0};
        build_anchor(&anchor, 1, 1, 4096, "");
        build_save(&anchor, folder, "t.otf2");
        build_save(&b, folder, "t.def");
        open_fine(folder);
        assert_int_equal(now.defs.comms.n, 1);
        assert_int_equal(now.defs.comms.row[0].n_members, 2);
        assert_int_equal(issue(PS_I_DEF_DUPLICATE), 2);
        assert_int_equal(now.defs.clock_per_process, 1);
        assert_int_equal(now.defs.recv_comm_unreliable, 1);
        assert_string_equal(ps_defs_str(&now.defs, now.defs.creator), "EZTrace");
}

/* Contexts: a child before its parent, and two that are each other's parent. */
static void contexts(void **state)
{
        (void)state;
        build b = {0}, anchor = {0};
        build_anchor(&anchor, 1, 1, 4096, "x");
        build_save(&anchor, folder, "t.otf2");
        build_defs(&b, 0);
        build_record(&b, 33, "nnn", U(0), U(6), U(12));
        build_record(&b, 34, "nnnn", U(0), U(1), NO_ID, U(1));
        build_record(&b, 34, "nnnn", U(1), U(0), U(0), NO_ID);
        build_record(&b, 34, "nnnn", U(2), U(0), NO_ID, U(3));
        build_record(&b, 34, "nnnn", U(3), U(0), NO_ID, U(2));
        build_save(&b, folder, "t.def"); /* without its end */
        open_fine(folder);
        const ps_context_def *c = now.defs.contexts.row;
        assert_int_equal(now.defs.contexts.n, 4);
        assert_int_equal(c[0].parent, PS_NONE);
        assert_int_equal(c[0].line, 12);
        assert_int_equal(c[1].parent, 0);
        assert_int_equal(c[1].region, 1);
        assert_int_equal(issue(PS_I_DEF_INVALID), 1); /* the cycle */
        assert_int_equal(issue(PS_I_FILE_TRUNCATED), 1);
}

static void damaged_anchors(void **state)
{
        (void)state;
        static const struct {
                unsigned substrate, compression;
                const char *says;
        } cases[] = {{2, 1, "substrate=\"SION\""}, {1, 2, "compression=\"ZLIB\""}, {9, 1, "substrate=\"?\""}};
        save_defs(0);
        for (size_t i = 0; i < 3; i++) {
                ps_error err = {0};
                build b = {0};
                build_anchor(&b, cases[i].substrate, cases[i].compression, CHUNK, "");
                build_save(&b, folder, "t.otf2");
                assert_int_equal(open_path(folder, &err), PS_E_INPUT);
                assert_non_null(strstr(err.cause[0].text, cases[i].says));
                ps_defs_free(&now.defs);
        }
        build whole = {0};
        build_anchor(&whole, 1, 1, CHUNK, "creator");
        size_t creator_ends = whole.n - sizeof("description") - 1;
        for (size_t n = 0; n < creator_ends; n++) {
                build b = whole;
                b.n = n;
                build_save(&b, folder, "t.otf2");
                assert_int_equal(open_path(folder, NULL), PS_E_INPUT);
                ps_defs_free(&now.defs);
        }
}

static void finding(void **state)
{
        (void)state;
        char path[128];
        const ps_reader_class *found;
        build b = {0};
        ps_error err = {0};
        save_defs(0);
        snprintf(path, sizeof(path), "%s/t.def", folder);
        assert_int_equal(ps_reader_find(&found, path, NULL), PS_OK);
        assert_ptr_equal(found, &ps_otf2_reader);
        assert_int_equal(ps_reader_find(&found, folder, NULL), PS_OK);
        open_fine(path);
        build_save(&b, folder, "other.otf2");
        ps_defs_free(&now.defs);
        ps_otf2_reader.close(now.reader);
        assert_int_equal(open_path(folder, &err), PS_E_INPUT);
        assert_non_null(strstr(err.cause[0].text, "several"));
        build_text(&b, "no trace");
        build_save(&b, folder, "x.txt");
        snprintf(path, sizeof(path), "%s/x.txt", folder);
        assert_int_equal(ps_reader_find(&found, path, NULL), PS_E_INPUT);
        assert_int_equal(ps_reader_find(&found, "/nonexistent", NULL), PS_E_INPUT);
}

/* Local ids: regions by a dense table (0 -> 1, 1 -> 0), and the clock: +100 ticks at 1000, +300 at 2000. */
static void local_definitions(void **state)
{
        (void)state;
        build local = {0}, b = {0};
        save_defs(0);
        build_header(&local);
        build_record(&local, 5, "ununn", U(3), U(2), U(0), U(1), U(0));
        build_record(&local, 6, "8n8", U(1000), U(100), U(0));
        build_record(&local, 6, "8n8", U(2000), U(300), U(0));
        build_u8(&local, 2);
        build_save(&local, folder, "t/0.def");
        build_events(&b);
        build_u8(&b, 2);
        save_events(&b, 0);
        open_fine(folder);
        read_location(0);
        assert_int_equal(now.n, 4);
        assert_int_equal(now.event[0].ref, 1);
        assert_int_equal(now.event[1].ref, 0);
        assert_int_equal(now.event[0].time, 101000); /* 1 + 100 + round(0.2) */
        assert_int_equal(now.event[3].time, 700000); /* 500 + 100 + 0.2 * 500 */
        assert_int_equal(ps_issues_total(&now.issues), 0);
}

static void no_local_definitions(void **state)
{
        (void)state;
        char path[128];
        build b = {0};
        save_defs(0);
        build_events(&b);
        build_u8(&b, 2);
        save_events(&b, 0);
        snprintf(path, sizeof(path), "%s/t/0.def", folder);
        unlink(path);
        open_fine(folder);
        read_location(0);
        check_events();
        assert_int_equal(issue(PS_I_LOCAL_DEFS_MISSING), 1);
        assert_int_equal(now.issues.row[PS_I_LOCAL_DEFS_MISSING].location, 0);
}

static void call_sites(void **state)
{
        (void)state;
        build defs = {0}, anchor = {0}, b = {0};
        save_defs(0);
        build_anchor(&anchor, 1, 1, 4096, "x");
        build_save(&anchor, folder, "t.otf2");
        build_defs(&defs, 0);
        build_record(&defs, 10, "ns", U(20), "CALLSITE_FILE");
        build_record(&defs, 10, "ns", U(21), "CALLSITE_LINE");
        build_record(&defs, 11, "nnu", U(0), U(20), U(11));
        build_record(&defs, 11, "nnu", U(1), U(21), U(3));
        build_u8(&defs, 2);
        build_save(&defs, folder, "t.def");
        build_header(&b);
        build_time(&b, 1001);
        build_record(&b, 6, "nnunnun", U(2), U(0), U(11), U(6), U(1), U(3), U(77));
        build_enter(&b, 1);
        build_leave(&b, 1);
        build_u8(&b, 2);
        save_events(&b, 0);
        open_fine(folder);
        read_location(0);
        assert_int_equal(now.n, 2);
        assert_string_equal(ps_defs_str(&now.defs, now.event[0].site_file), "app.c");
        assert_int_equal(now.event[0].site_line, 77);
        assert_int_equal(now.event[1].site_line, 0);
}

/* A group flagged GLOBAL_MEMBERS: events name the peer by its rank among all, here 1, which is the
 * communicator's rank 0. */
static void ranks_of_all(void **state)
{
        (void)state;
        build defs = {0}, anchor = {0}, b = {0};
        save_defs(0);
        build_anchor(&anchor, 1, 1, 4096, "x");
        build_save(&anchor, folder, "t.otf2");
        build_defs(&defs, 0);
        build_record(&defs, 18, "nnunnnuun", U(5), U(0), U(4), U(2), U(1), U(0), U(5), U(4), U(1));
        build_record(&defs, 22, "nnnn", U(9), U(3), U(5), U(0));
        build_u8(&defs, 2);
        build_save(&defs, folder, "t.def");
        build_header(&b);
        build_time(&b, 1001);
        build_record(&b, 14, "nnnn", U(1), U(9), U(3), U(4));
        build_record(&b, 14, "nnnn", U(1), U(0), U(3), U(4));
        build_u8(&b, 2);
        save_events(&b, 0);
        open_fine(folder);
        read_location(0);
        assert_int_equal(now.n, 2);
        assert_int_equal(now.event[0].comm, 1);
        assert_int_equal(now.event[0].peer, 0);
        assert_int_equal(ps_defs_peer(&now.defs, 1, now.event[0].peer, 0), 1);
        assert_int_equal(now.event[1].peer, 1); /* of an ordinary communicator */
}

/* 2^60 ps are 13 days: times farther away are clamped. Without a zero, times count from the earliest. */
static void far_times(void **state)
{
        (void)state;
        build b = {0}, far = {0};
        const uint64_t since_1970 = UINT64_C(1700000000000000000);
        save_defs(0);
        build defs = {0};
        build_header(&defs);
        build_record(&defs, 5, "nnn", U(1000000000), U(0), U(500));
        build_record(&defs, 13, "nnun", U(0), NO_ID, U(1), NO_ID);
        build_record(&defs, 14, "nnunn", U(0), NO_ID, U(1), U(2), U(0));
        build_record(&defs, 14, "nnunn", U(7), NO_ID, U(1), U(2), U(0));
        build_u8(&defs, 2);
        build_save(&defs, folder, "t.def");
        build_header(&b);
        build_time(&b, since_1970);
        build_enter(&b, UINT64_MAX);
        build_time(&b, since_1970 + 5);
        build_leave(&b, UINT64_MAX);
        build_u8(&b, 2);
        save_events(&b, 0);
        build_header(&far);
        build_time(&far, since_1970 + 2);
        build_enter(&far, UINT64_MAX);
        build_time(&far, since_1970 + UINT64_C(8000000000000000)); /* 92 days */
        build_leave(&far, UINT64_MAX);
        build_u8(&far, 2);
        save_events(&far, 7);
        open_fine(folder);
        read_location(0);
        assert_int_equal(now.event[0].time, 0);
        assert_int_equal(now.event[1].time, 5000);
        assert_int_equal(now.event[1].ref, PS_NONE);
        assert_int_equal(ps_issues_total(&now.issues), 0);
        read_location(1);
        assert_int_equal(now.event[0].time, 2000);
        assert_int_equal(now.event[1].time, PS_READER_TIME_LIMIT);
        assert_int_equal(issue(PS_I_TIME_RANGE), 1);
}
int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, make_folder, drop_folder)
        const struct CMUnitTest tests[] = {TEST(both_byte_orders),  TEST(definitions),
                                           TEST(several_chunks),    TEST(truncated_anywhere),
                                           TEST(corrupt_record),    TEST(odd_records),
                                           TEST(duplicates),        TEST(contexts),
                                           TEST(damaged_anchors),   TEST(finding),
                                           TEST(local_definitions), TEST(no_local_definitions),
                                           TEST(call_sites),        TEST(ranks_of_all),
                                           TEST(far_times)};
        return cmocka_run_group_tests(tests, NULL, NULL);
}
