/* lab.c - see lab.h. */
#include "tests/reader/otf2/lab.h"
#include "tests/support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

otf2_opened otf2_lab;

int otf2_lab_make(void **state)
{
        (void)state;
        strcpy(otf2_lab.folder, "/tmp/patscan-otf2-XXXXXX");
        return mkdtemp(otf2_lab.folder) ? 0 : -1;
}

void otf2_lab_close(void)
{
        if (otf2_lab.reader)
                ps_otf2_reader.close(otf2_lab.reader);
        ps_defs_free(&otf2_lab.defs);
        otf2_lab.reader = NULL;
        otf2_lab.defs = (ps_defs){0};
        otf2_lab.issues = (ps_issues){0};
}

int otf2_lab_drop(void **state)
{
        char command[128];
        (void)state;
        otf2_lab_close();
        snprintf(command, sizeof(command), "rm -rf '%s'", otf2_lab.folder);
        return system(command);
}

ps_status otf2_lab_try(const char *path, ps_error *err)
{
        assert_int_equal(ps_defs_init(&otf2_lab.defs, err), PS_OK);
        ps_status status = ps_otf2_reader.open(&otf2_lab.reader, path, &otf2_lab.defs, &otf2_lab.issues, err);
        if (status < 0)
                otf2_lab.reader = NULL;
        else
                assert_int_equal(ps_defs_freeze(&otf2_lab.defs, err), PS_OK);
        return status;
}

void otf2_lab_open(const char *path)
{
        ps_error err = {0};
        if (otf2_lab_try(path, &err) < 0)
                fail_msg("%s", err.cause[0].text);
}

void otf2_lab_read(ps_loc location)
{
        static ps_batch batch;
        ps_stream *stream;
        otf2_lab.n = 0;
        assert_int_equal(ps_otf2_reader.stream_open(&stream, otf2_lab.reader, location, NULL), PS_OK);
        do {
                assert_int_equal(ps_otf2_reader.stream_next(stream, &batch, &otf2_lab.issues, NULL), PS_OK);
                assert_int_equal(batch.location, location);
                for (uint32_t i = 0; i < batch.n && otf2_lab.n < OTF2_LAB_EVENTS; i++)
                        otf2_lab.event[otf2_lab.n++] = batch.event[i];
        } while (batch.n > 0);
        ps_otf2_reader.stream_close(stream);
}

uint64_t otf2_lab_issue(ps_issue_kind kind)
{
        return otf2_lab.issues.row[kind].count;
}

void otf2_lab_defs(build *b, int with_end)
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

void otf2_lab_save_defs(int big)
{
        build anchor = {.big = big}, defs = {.big = big}, local = {.big = big};
        char below[64];
        snprintf(below, sizeof(below), "%s/t", otf2_lab.folder);
        mkdir(below, 0700); /* or it is there */
        build_anchor(&anchor, 1, 1, OTF2_LAB_CHUNK, "");
        build_save(&anchor, otf2_lab.folder, "t.otf2");
        otf2_lab_defs(&defs, 1);
        build_save(&defs, otf2_lab.folder, "t.def");
        build_header(&local);
        build_u8(&local, 2);
        build_save(&local, otf2_lab.folder, "t/0.def");
        build_save(&local, otf2_lab.folder, "t/7.def");
}

void otf2_lab_events(build *b)
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

void otf2_lab_save_events(build *b, int location)
{
        char name[32];
        snprintf(name, sizeof(name), "t/%d.evt", location);
        build_save(b, otf2_lab.folder, name);
}

void otf2_lab_check_events(void)
{
        assert_int_equal(otf2_lab.n, 4);
        assert_int_equal(otf2_lab.event[0].time, 1000); /* one tick of 1 ns after the archive's zero */
        assert_int_equal(otf2_lab.event[1].time, 300000);
        assert_int_equal(otf2_lab.event[2].time, 300000); /* no timestamp of its own */
        assert_int_equal(otf2_lab.event[3].time, 500000);
        assert_int_equal(otf2_lab.event[0].kind, PS_EV_ENTER);
        assert_int_equal(otf2_lab.event[0].ref, 0);
        assert_int_equal(otf2_lab.event[2].kind, PS_EV_SEND);
        assert_int_equal(otf2_lab.event[2].peer, 1);
        assert_int_equal(otf2_lab.event[2].comm, 0);
        assert_int_equal(otf2_lab.event[2].tag, 0x1234);
        assert_int_equal(otf2_lab.event[2].bytes, 70000);
        assert_int_equal(otf2_lab.event[2].ref, PS_NONE);
        assert_int_equal(otf2_lab.event[3].kind, PS_EV_LEAVE);
        assert_int_equal(otf2_lab.event[3].ref, 1);
        assert_string_equal(ps_defs_str(&otf2_lab.defs, otf2_lab.defs.codes.row[otf2_lab.event[2].code]),
                            "MPI_SEND");
}
