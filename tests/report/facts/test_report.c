/* test_report.c - the report on a small trace whose tables are written down here. */
#include "core/model/fields.h"
#include "report/print/output.h"
#include "report/subjects/events.h"
#include "report/subjects/info.h"
#include "tests/support/json.h"
#include "tests/support/test.h"
#include <cjson/cJSON.h>

#include <string.h>

/* Two processes on one node with a CPU location each, and a metric location of the first. The second CPU
 * location is silent. 3 times ENTER, 5 times MPI_SEND, and a record type that does not occur. */
typedef struct fixture {
        ps_trace trace;
        ps_location_info info[3];
        uint64_t codes[3];
        uint32_t members[2];
} fixture;

enum { CODE_ENTER, CODE_SEND, CODE_NEVER };

static ps_str text(fixture *f, const char *s)
{
        return ps_strings_addz(f->trace.defs.strings, s);
}

static void fill_defs(fixture *f)
{
        ps_defs *defs = &f->trace.defs;
        uint32_t index;

        for (uint32_t p = 0; p < 2; p++)
                ps_defs_add_process(defs,
                                    &(ps_process_def){.name = text(f, p ? "Rank 1" : "Rank 0"),
                                                      .node = text(f, "node a")},
                                    &index, NULL);
        ps_defs_add_location(defs, &(ps_location_def){.name = text(f, "Master"), .process = 0}, &index, NULL);
        ps_defs_add_location(
                defs,
                &(ps_location_def){.name = text(f, "Metrics"), .process = 0, .type = PS_LOCATION_METRIC},
                &index, NULL);
        ps_defs_add_location(defs, &(ps_location_def){.name = text(f, "Ma\033ster"), .process = 1}, &index,
                             NULL);
        ps_defs_add_code(defs, "ENTER", &index, NULL);
        ps_defs_add_code(defs, "MPI_SEND", &index, NULL);
        ps_defs_add_code(defs, "NEVER", &index, NULL);
        ps_defs_add_region(defs, &(ps_region_def){.name = text(f, "so\"lve")}, &index, NULL);
        f->members[0] = 1;
        f->members[1] = 0;
        ps_defs_add_comm(defs,
                         &(ps_comm_def){.name = text(f, "reversed"), .n_members = 2, .members = f->members},
                         &index, NULL);
        ps_defs_add_comm(defs, &(ps_comm_def){.parent = PS_NONE, .n_members = 0, .self = 1}, &index, NULL);
        assert_int_equal(ps_defs_freeze(defs, NULL), PS_OK);
}

static int set_up(void **state)
{
        static fixture f;

        f = (fixture){.trace = {.format = "otf2",
                                .n_locs = 3,
                                .n_events = 8,
                                .n_messages = 5,
                                .n_operations = (UINT64_C(1) << 53) + 1,
                                .measured = {.duration = PS_PS_PER_S / 10}},
                      .codes = {3, 5, 0}};
        assert_int_equal(ps_defs_init(&f.trace.defs, NULL), PS_OK);
        fill_defs(&f);
        f.info[0] = (ps_location_info){.n_events = 8};
        f.trace.info = f.info;
        f.trace.events_by_code = f.codes;
        ps_issue_note_many(&f.trace.issues, PS_I_SEND_UNMATCHED, 2,
                           (ps_place){2, text(&f, "b.evt"), 77, PS_PS_PER_S / 2});
        ps_issue_note_many(&f.trace.issues, PS_I_RECV_UNMATCHED, 1, PS_NOWHERE);
        *state = &f;
        return 0;
}

static int tear_down(void **state)
{
        fixture *f = *state;

        ps_defs_free(&f->trace.defs);
        return 0;
}

TEST_BETWEEN(an_overview_counts_what_there_is, set_up, tear_down)
{
        fixture *f = *state;
        ps_overview overview;

        assert_int_equal(ps_overview_collect(&overview, &f->trace, NULL), PS_OK);
        assert_int_equal(overview.n_locations[PS_LOCATION_CPU], 2);
        assert_int_equal(overview.n_locations[PS_LOCATION_METRIC], 1);
        assert_int_equal(overview.n_nodes, 1);
        assert_int_equal(overview.n_silent, 2);
        assert_int_equal(overview.n_unmatched_sends, 2);
        assert_int_equal(overview.n_unmatched_receives, 1);
        assert_int_equal(overview.n_codes, 2);
        assert_int_equal(overview.codes[0].code, CODE_SEND);
        assert_int_equal(overview.codes[1].n, 3);
        ps_overview_clear(&overview);
}

TEST_BETWEEN(what_is_partial, set_up, tear_down)
{
        ps_issues issues = {0};

        ps_issue_note(&issues, PS_I_SEND_UNMATCHED, PS_NOWHERE);
        assert_false(ps_issues_are_partial(&issues));
        ps_issue_note(&issues, PS_I_FILE_TRUNCATED, PS_NOWHERE);
        assert_true(ps_issues_are_partial(&issues));
}

/* The report is text until the caller discards *out. */
static const char *report(const fixture *f, ps_output **out,
                          ps_status (*write)(const ps_info *, ps_output *, ps_error *))
{
        ps_overview overview;
        static const ps_ending ended = {.is_known = 1};
        static const ps_crowding nobody;
        ps_info info = {.path = "a\nb.otf2",
                        .trace = &f->trace,
                        .overview = &overview,
                        .ending = &ended,
                        .crowding = &nobody};

        assert_int_equal(ps_overview_collect(&overview, &f->trace, NULL), PS_OK);
        assert_int_equal(ps_output_open_memory(out, 80, NULL), PS_OK);
        assert_int_equal(write(&info, *out, NULL), PS_OK);
        ps_overview_clear(&overview);
        return ps_output_text(*out);
}

TEST_BETWEEN(info_is_written_as_json, set_up, tear_down)
{
        ps_output *out;
        const char *written = report(*state, &out, ps_info_write_json);
        cJSON *root = cJSON_Parse(written);
        const cJSON *trace = json_at(root, "trace"), *issue = cJSON_GetArrayItem(json_at(root, "issues"), 0);
        const cJSON *type = cJSON_GetArrayItem(json_at(root, "event_types"), 0),
                    *comms = json_at(trace, "communicators");

        assert_string_equal(json_at(root, "schema")->valuestring, "patscan-report-1");
        assert_string_equal(json_at(json_at(root, "tool"), "name")->valuestring, "patscan");
        assert_string_equal(json_at(trace, "path")->valuestring, "a\\x0ab.otf2");
        assert_true(cJSON_IsNull(json_at(trace, "creator")));
        assert_int_equal(json_at(trace, "processes")->valueint, 2);
        assert_int_equal(json_at(trace, "locations")->valueint, 3);
        assert_int_equal(json_at(trace, "events")->valueint, 8);
        assert_int_equal(json_at(trace, "messages")->valueint, 5);
        assert_int_equal(json_at(trace, "messages_unmatched")->valueint, 3);
        assert_int_equal(json_at(trace, "collectives")->valueint, 0);
        assert_non_null(strstr(written, "\"operations\":\t9007199254740993,"));
        assert_non_null(strstr(written, "\"duration_s\":\t0.1,"));
        assert_true(cJSON_IsNull(json_at(json_at(trace, "clock"), "resolution_hz")));
        assert_int_equal(json_at(json_at(trace, "clock"), "violations")->valueint, 0);
        assert_true(cJSON_IsFalse(json_at(json_at(trace, "clock"), "corrected")));
        assert_string_equal(json_at(cJSON_GetArrayItem(comms, 1), "kind")->valuestring, "self");
        assert_int_equal(cJSON_GetArraySize(json_at(root, "issues")), 2);
        assert_string_equal(json_at(issue, "kind")->valuestring, "unmatched-send");
        assert_int_equal(json_at(issue, "count")->valueint, 2);
        assert_int_equal(json_at(issue, "location")->valueint, 2);
        assert_string_equal(json_at(issue, "file")->valuestring, "b.evt");
        assert_int_equal(json_at(issue, "offset")->valueint, 77);
        assert_true(json_at(issue, "time_s")->valuedouble == 0.5);
        assert_true(cJSON_IsNull(json_at(cJSON_GetArrayItem(json_at(root, "issues"), 1), "location")));
        assert_true(cJSON_IsNull(json_at(cJSON_GetArrayItem(json_at(root, "issues"), 1), "time_s")));
        assert_string_equal(json_at(type, "name")->valuestring, "MPI_SEND");
        assert_int_equal(json_at(type, "count")->valueint, 5);
        cJSON_Delete(root);
        ps_output_discard(out);
}

TEST_BETWEEN(info_is_written_as_text, set_up, tear_down)
{
        ps_output *out;
        const char *written = report(*state, &out, ps_info_write_text);

        assert_non_null(strstr(written, "Processes    2 on 1 node\n"));
        assert_non_null(strstr(written, "Locations    3 (2 CPU, 1 metric), 2 without events\n"));
        assert_non_null(strstr(written, "Duration     100 ms\n"));
        assert_non_null(strstr(written, "Messages     5, unmatched: 2 sends, 1 receive\n"));
        assert_non_null(strstr(written, "first: Ma\\x1bster of Rank 1, at 0.5 s, b.evt:77\n"));
        assert_null(strchr(written, '\033'));
        ps_output_discard(out);
}

static const ps_cursor_event send_event = {.location = 2,
                                           .event = {.time = 1500 * PS_PS_PER_NS,
                                                     .kind = PS_EV_SEND,
                                                     .code = CODE_SEND,
                                                     .peer = 1,
                                                     .comm = 0,
                                                     .tag = 9,
                                                     .bytes = 64}};

static void check_event(const fixture *f, const ps_cursor_event *row, const char *text_line,
                        const char *json_line)
{
        const char *const lines[] = {[PS_EVENTS_TEXT] = text_line, [PS_EVENTS_JSONL] = json_line};

        for (int format = PS_EVENTS_TEXT; format <= PS_EVENTS_JSONL; format++) {
                ps_event_writer *writer;
                ps_output *out;
                assert_int_equal(ps_output_open_memory(&out, 80, NULL), PS_OK);
                assert_int_equal(
                        ps_event_writer_new(&writer, &f->trace.defs, (ps_event_format)format, out, NULL),
                        PS_OK);
                ps_event_writer_begin(writer, 500 * PS_PS_PER_NS);
                ps_event_write(writer, row);
                assert_string_equal(ps_output_text(out), lines[format]);
                ps_event_writer_free(writer);
                ps_output_discard(out);
        }
}

/* Rank 1 of "reversed" is process 0. */
TEST_BETWEEN(a_message_as_lines, set_up, tear_down)
{
        check_event(
                *state, &send_event,
                "   0.000001000  1.0    Ma\\x1bster  MPI_SEND  peer=1 communicator=reversed tag=9 bytes=64\n",
                "{\"time_s\": 0.000001, \"location\": 2, \"process\": 1, \"thread\": 0, \"event\": \"send\", "
                "\"code\": \"MPI_SEND\", \"peer\": 1, \"peer_process\": 0, \"communicator\": \"reversed\", "
                "\"tag\": 9, \"bytes\": 64}\n");
}

TEST_BETWEEN(what_is_unknown_is_null, set_up, tear_down)
{
        ps_cursor_event row = send_event;

        row.event.peer = row.event.comm = PS_NONE;
        check_event(
                *state, &row, "   0.000001000  1.0    Ma\\x1bster  MPI_SEND  tag=9 bytes=64\n",
                "{\"time_s\": 0.000001, \"location\": 2, \"process\": 1, \"thread\": 0, \"event\": \"send\", "
                "\"code\": \"MPI_SEND\", \"peer\": null, \"peer_process\": null, \"communicator\": null, "
                "\"tag\": 9, \"bytes\": 64}\n");
}

TEST_BETWEEN(regions_and_places, set_up, tear_down)
{
        fixture *f = *state;
        ps_cursor_event row = {.location = 1,
                               .event = {.time = 500 * PS_PS_PER_NS,
                                         .kind = PS_EV_ENTER,
                                         .code = CODE_ENTER,
                                         .site_file = text(f, "a.c"),
                                         .site_line = 12}};

        check_event(
                f, &row, "   0.000000000  0      Metrics     ENTER     so\"lve  at=a.c:12\n",
                "{\"time_s\": 0, \"location\": 1, \"process\": 0, \"thread\": null, \"event\": \"enter\", "
                "\"code\": \"ENTER\", \"region\": \"so\\\"lve\", \"file\": \"a.c\", \"line\": 12}\n");
}

TEST_BETWEEN(every_list_of_fields_ends, set_up, tear_down)
{
        for (int kind = 0; kind < PS_EV_COUNT; kind++)
                assert_int_equal(ps_event_fields[kind][PS_FIELDS_MAX - 1], PS_F_END);
}
