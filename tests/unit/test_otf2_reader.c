/* The OTF2 reader: archives built byte by byte with answers worked out by hand, archives written by the OTF2
 * library, and real ones (*.tar.xz in a folder `corpus` beside the checkout, or where PATSCAN_CORPUS points),
 * both compared event by event with what the library reads. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "reader/otf2.h"
#include "tests/support/otf2_build.h"
#include "tests/support/otf2_library.h"

#include <dirent.h>
#include <glob.h>
#include <otf2/otf2.h>
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

/* ---- the library as witness ---- */

static uint32_t dense(const lib_trace *lib, enum lib_table table, uint64_t id)
{
        if (id == LIB_NONE)
                return PS_NONE;
        return table == LIB_RAW ? (uint32_t)id : lib_find(lib, table, id);
}

/* Equal definitions of a region are one for us: each of the library's regions is always the same one of ours.
 */
static uint32_t *ours; /* by the library's; region + 1 */

static void compare_region(uint32_t region, uint32_t lib_region)
{
        if (lib_region == UINT32_MAX) {
                assert_int_equal(region, PS_NONE);
                return;
        }
        assert_true(region < now.defs.regions.n);
        if (!ours[lib_region])
                ours[lib_region] = region + 1;
        assert_int_equal(ours[lib_region], region + 1);
}

static ps_time expected_time(const lib_trace *lib, uint64_t zero, uint64_t ticks)
{
        __extension__ typedef unsigned __int128 wide;
        uint64_t distance = ticks - zero;
        int before = distance >> 63 != 0;
        wide ps = (wide)(before ? 0 - distance : distance) * UINT64_C(1000000000000) / lib->resolution;
        return before ? -(ps_time)ps : (ps_time)ps;
}

static void compare_event(const lib_trace *lib, const lib_event *want, const ps_event *got)
{
        const ps_defs *d = &now.defs;
        assert_string_equal(ps_defs_str(d, d->codes.row[got->code]), want->name);
        if (want->ref_table == LIB_CONTEXT) {
                for (uint32_t i = 0; i < lib->n[LIB_CONTEXT]; i++)
                        if (lib->context_id[i] == want->ref)
                                compare_region(d->contexts.row[got->ref].region,
                                               lib_find(lib, LIB_REGION, lib->context_region[i]));
        } else if (want->ref_table == LIB_REGION) {
                compare_region(got->ref, dense(lib, LIB_REGION, want->ref));
        } else {
                assert_int_equal(got->ref, dense(lib, want->ref_table, want->ref));
        }
        assert_int_equal(got->comm, dense(lib, want->comm_table, want->comm));
        assert_int_equal(got->peer, want->peer == LIB_NONE ? PS_NONE : want->peer);
        assert_int_equal(got->tag, want->tag == LIB_NONE ? 0 : want->tag);
        assert_int_equal(got->received, want->received == LIB_NONE ? 0 : want->received);
        assert_int_equal(got->request, want->request == LIB_NONE ? 0 : want->request);
        if (got->kind != PS_EV_FLUSH)
                assert_int_equal(got->bytes, want->bytes == LIB_NONE ? 0 : want->bytes);
}

/* Batch by batch, so that traces of any size are compared whole. */
static void compare_location(const lib_trace *lib, ps_loc location, uint64_t zero)
{
        static ps_batch batch;
        ps_stream *stream;
        size_t at = 0;
        ps_time last = INT64_MIN;
        assert_int_equal(ps_otf2_reader.stream_open(&stream, now.reader, location, NULL), PS_OK);
        do {
                assert_int_equal(ps_otf2_reader.stream_next(stream, &batch, &now.issues, NULL), PS_OK);
                for (uint32_t i = 0; i < batch.n; i++, at++) {
                        assert_true(at < lib->n_events[location]);
                        const lib_event *want = &lib->events[location][at];
                        compare_event(lib, want, &batch.event[i]);
                        ps_time time = expected_time(lib, zero, want->ticks);
                        time = time < last ? last : time;
                        assert_true(llabs((long long)(batch.event[i].time - time)) <= 1);
                        last = batch.event[i].time;
                }
        } while (batch.n > 0);
        ps_otf2_reader.stream_close(stream);
        assert_int_equal(at, lib->n_events[location]);
}

/* Times count from the archive's zero, or from the earliest first event when it gives none. */
static uint64_t zero_of(const lib_trace *lib)
{
        uint64_t zero = UINT64_MAX;
        for (uint32_t i = 0; i < lib->n[LIB_LOCATION] && lib->zero == 0; i++)
                if (lib->n_events[i] > 0 && lib->events[i][0].ticks < zero)
                        zero = lib->events[i][0].ticks;
        return lib->zero ? lib->zero : zero;
}

static size_t compare(const char *anchor)
{
        lib_trace lib;
        size_t n = 0;
        assert_int_equal(lib_read(&lib, anchor), 0);
        open_fine(anchor);
        assert_int_equal(now.defs.locations.n, lib.n[LIB_LOCATION]);
        assert_true(now.defs.regions.n <= lib.n[LIB_REGION]);
        ours = calloc(lib.n[LIB_REGION] + 1, sizeof(*ours));
        assert_non_null(ours);
        assert_int_equal(now.defs.comms.n, lib.n[LIB_COMM]);
        for (ps_loc i = 0; i < now.defs.locations.n; i++) {
                compare_location(&lib, i, zero_of(&lib));
                n += lib.n_events[i];
        }
        free(ours);
        lib_free(&lib);
        ps_otf2_reader.close(now.reader);
        ps_defs_free(&now.defs);
        memset(&now, 0, sizeof(now));
        return n;
}

static OTF2_FlushType before_flush(void *user, OTF2_FileType type, OTF2_LocationRef loc, void *caller,
                                   bool final)
{
        (void)user, (void)type, (void)loc, (void)caller, (void) final;
        return OTF2_FLUSH;
}

static OTF2_TimeStamp after_flush(void *user, OTF2_FileType type, OTF2_LocationRef loc)
{
        (void)user, (void)type, (void)loc;
        return 5000000;
}

static void write_events(OTF2_Archive *archive, uint64_t location)
{
        OTF2_EvtWriter *w = OTF2_Archive_GetEvtWriter(archive, location);
        OTF2_AttributeList *list = OTF2_AttributeList_New();
        uint64_t t = 1000 + location * 10;
        for (uint32_t i = 0; i < 60000; i++) {
                t += 4 + i % 7;
                OTF2_AttributeList_AddUint32(list, 0, i);
                OTF2_EvtWriter_Enter(w, i % 100 ? NULL : list, t, i % 5);
                OTF2_AttributeList_RemoveAllAttributes(list);
                OTF2_EvtWriter_MpiIsend(w, NULL, t + 1, i % 3, i % 2, i, U(i) << (i % 33),
                                        ~U(0) >> (1 + i % 63));
                OTF2_EvtWriter_MpiIrecvRequest(w, NULL, t + 1, U(i) << 20);
                OTF2_EvtWriter_MpiCollectiveEnd(w, NULL, t + 2, (OTF2_CollectiveOp)(i % 23), 0,
                                                i % 4 ? i % 4 : OTF2_UNDEFINED_UINT32, i, U(i) << 8);
                OTF2_EvtWriter_MpiRecv(w, NULL, t + 2, 2, 1, 0, 0);
                OTF2_EvtWriter_ThreadAcquireLock(w, NULL, t + 2, OTF2_PARADIGM_OPENMP, 3, i);
                OTF2_EvtWriter_RmaPut(w, NULL, t + 2, 0, 1, i, i);
                OTF2_EvtWriter_Leave(w, NULL, t + 3, i % 5);
        }
        OTF2_AttributeList_Delete(list);
        OTF2_Archive_CloseEvtWriter(archive, w);
}

static void write_local(OTF2_Archive *archive, uint64_t location)
{
        OTF2_DefWriter *w = OTF2_Archive_GetDefWriter(archive, location);
        OTF2_IdMap *sparse = OTF2_IdMap_Create(OTF2_ID_MAP_SPARSE, 4);
        OTF2_IdMap *comms = OTF2_IdMap_CreateFromUint32Array(2, (uint32_t[]){1, 0}, false);
        OTF2_IdMap_AddIdPair(sparse, 3, 1);
        OTF2_IdMap_AddIdPair(sparse, 1, 4);
        if (location)
                OTF2_DefWriter_WriteMappingTable(w, OTF2_MAPPING_REGION, sparse);
        OTF2_DefWriter_WriteMappingTable(w, OTF2_MAPPING_COMM, comms);
        for (unsigned i = 0; i < 4; i++)
                OTF2_DefWriter_WriteClockOffset(w, 2000 + i * 40000, (int64_t)(location * 77 * i) - 333, 0.5);
        OTF2_IdMap_Free(sparse);
        OTF2_IdMap_Free(comms);
        OTF2_Archive_CloseDefWriter(archive, w);
}

static void write_global(OTF2_Archive *archive)
{
        OTF2_GlobalDefWriter *g = OTF2_Archive_GetGlobalDefWriter(archive);
        uint64_t ranks[] = {0, 1, 2};
        OTF2_GlobalDefWriter_WriteClockProperties(g, 2596176175, 900, 100000, OTF2_UNDEFINED_TIMESTAMP);
        OTF2_GlobalDefWriter_WriteString(g, 0, "name");
        for (uint32_t i = 0; i < 5; i++)
                OTF2_GlobalDefWriter_WriteRegion(g, i, 0, 0, 0, OTF2_REGION_ROLE_FUNCTION, OTF2_PARADIGM_USER,
                                                 OTF2_REGION_FLAG_NONE, 0, i, i);
        OTF2_GlobalDefWriter_WriteAttribute(g, 0, 0, 0, OTF2_TYPE_UINT32);
        OTF2_GlobalDefWriter_WriteSystemTreeNode(g, 0, 0, 0, OTF2_UNDEFINED_SYSTEM_TREE_NODE);
        for (uint32_t i = 0; i < 3; i++) {
                OTF2_GlobalDefWriter_WriteLocationGroup(g, i, 0, OTF2_LOCATION_GROUP_TYPE_PROCESS, 0,
                                                        OTF2_UNDEFINED_LOCATION_GROUP);
                OTF2_GlobalDefWriter_WriteLocation(g, i, 0, OTF2_LOCATION_TYPE_CPU_THREAD, 480000, i);
        }
        OTF2_GlobalDefWriter_WriteGroup(g, 0, 0, OTF2_GROUP_TYPE_COMM_LOCATIONS, OTF2_PARADIGM_MPI,
                                        OTF2_GROUP_FLAG_NONE, 3, ranks);
        OTF2_GlobalDefWriter_WriteGroup(g, 1, 0, OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI,
                                        OTF2_GROUP_FLAG_NONE, 3, ranks);
        for (uint32_t i = 0; i < 2; i++)
                OTF2_GlobalDefWriter_WriteComm(g, i, 0, 1, OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE);
        OTF2_GlobalDefWriter_WriteRmaWin(g, 0, 0, 0, OTF2_RMA_WIN_FLAG_NONE);
        OTF2_Archive_CloseGlobalDefWriter(archive, g);
}

static void written_by_the_library(void **state)
{
        (void)state;
        static const OTF2_FlushCallbacks flush = {before_flush, after_flush};
        char path[128];
        OTF2_Archive *a = OTF2_Archive_Open(folder, "w", OTF2_FILEMODE_WRITE, 256 * 1024, 4 * 1024 * 1024,
                                            OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
        OTF2_Archive_SetFlushCallbacks(a, &flush, NULL);
        OTF2_Archive_SetSerialCollectiveCallbacks(a);
        OTF2_Archive_OpenEvtFiles(a);
        for (uint64_t i = 0; i < 3; i++)
                write_events(a, i);
        OTF2_Archive_CloseEvtFiles(a);
        OTF2_Archive_OpenDefFiles(a);
        for (uint64_t i = 0; i < 3; i++)
                write_local(a, i);
        OTF2_Archive_CloseDefFiles(a);
        write_global(a);
        OTF2_Archive_Close(a);
        snprintf(path, sizeof(path), "%s/w.otf2", folder);
        assert_int_equal(compare(path), 3 * 60000 * 8);
}

/* Calls compare() for each anchor below a folder. */
static unsigned compare_below(const char *path)
{
        unsigned n = 0;
        DIR *dir = opendir(path);
        for (struct dirent *e; dir && (e = readdir(dir));) {
                char name[1024];
                size_t len = strlen(e->d_name);
                if (e->d_name[0] == '.')
                        continue;
                snprintf(name, sizeof(name), "%s/%s", path, e->d_name);
                if (len > 5 && strcmp(e->d_name + len - 5, ".otf2") == 0) {
                        compare(name);
                        n++;
                } else {
                        n += compare_below(name);
                }
        }
        if (dir)
                closedir(dir);
        return n;
}

static void real_traces(void **state)
{
        (void)state;
        const char *corpus = getenv("PATSCAN_CORPUS");
        char command[1024];
        glob_t found = {0};
        if (!corpus && glob("../*/corpus", 0, NULL, &found) == 0)
                corpus = found.gl_pathv[0];
        if (!corpus) {
                print_message("skipped: no recorded traces\n");
                skip();
        }
        snprintf(command, sizeof(command),
                 "for f in '%s'/*.tar.xz; do tar -C '%s' -xf \"$f\" || exit 1; done", corpus, folder);
        globfree(&found);
        assert_int_equal(system(command), 0);
        assert_true(compare_below(folder) > 0);
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
                                           TEST(far_times),         TEST(written_by_the_library),
                                           TEST(real_traces)};
        return cmocka_run_group_tests(tests, NULL, NULL);
}
