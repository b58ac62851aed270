/* test_dump.c - dumping from a reader that is made of arrays: order, zero of time, defects. */
#include "app/commands/merged.h"
#include "tests/support/test.h"

#include <stdatomic.h>
#include <string.h>

enum { N_LOCATIONS = 2, N_EVENTS = 3 };

/* Times count from no particular zero: the earliest is 1000 ns. */
static const ps_time times_ns[N_LOCATIONS][N_EVENTS] = {{1000, 3000, 5000}, {2000, 3000, 4000}};

/* A control sequence of C1, an escape, and a character that turns the direction of text. */
static const char misleading[] = "a\xc2\x9b"
                                 "31m\033[0m\xe2\x80\xae"
                                 "b";

struct ps_reader {
        int truncated;
};

struct ps_stream {
        ps_loc location;
        uint32_t next;
        int truncated;
};

static struct ps_reader the_reader;
static struct ps_stream the_streams[N_LOCATIONS];
static atomic_int n_open;

static ps_status fake_open(ps_reader **out, const char *path, ps_defs *defs, ps_issues *issues, ps_error *err)
{
        uint32_t index;

        (void)issues;
        if (strcmp(path, "missing") == 0)
                return PS_FAIL(err, PS_E_INPUT, "no such trace: path=\"%s\"", path);
        the_reader.truncated = strcmp(path, "truncated") == 0;
        ps_defs_add_process(defs, &(ps_process_def){0}, &index, NULL);
        for (int i = 0; i < N_LOCATIONS; i++)
                ps_defs_add_location(defs, &(ps_location_def){0}, &index, NULL);
        ps_defs_add_code(defs, strcmp(path, "misleading") == 0 ? misleading : "X", &index, NULL);
        *out = &the_reader;
        n_open++;
        return PS_OK;
}

static void fake_close(ps_reader *reader)
{
        assert_ptr_equal(reader, &the_reader);
        n_open--;
}

static uint64_t fake_weight(const ps_reader *reader, ps_loc location)
{
        (void)reader;
        (void)location;
        return 10;
}

static ps_status fake_stream_open(ps_stream **out, ps_reader *reader, ps_loc location, ps_error *err)
{
        (void)err;
        the_streams[location] = (ps_stream){location, 0, reader->truncated};
        *out = &the_streams[location];
        n_open++;
        return PS_OK;
}

/* An event a batch, so that batches of the two locations alternate. */
static ps_status fake_stream_next(ps_stream *stream, ps_batch *out, ps_issues *issues, ps_error *err)
{
        (void)err;
        out->location = stream->location;
        out->n = stream->next < N_EVENTS;
        if (stream->truncated && stream->next == 1) {
                ps_issue_note(issues, PS_I_FILE_TRUNCATED, PS_NOWHERE);
                out->n = 0;
        }
        if (out->n)
                out->event[0] = (ps_event){.time = times_ns[stream->location][stream->next++] * PS_PS_PER_NS,
                                           .kind = PS_EV_OTHER};
        return PS_OK;
}

static void fake_stream_close(ps_stream *stream)
{
        (void)stream;
        n_open--;
}

static ps_str fake_stream_file(const ps_stream *stream)
{
        (void)stream;
        return 0;
}

static const ps_reader_class fake = {.name = "fake",
                                     .open = fake_open,
                                     .close = fake_close,
                                     .weight = fake_weight,
                                     .stream_open = fake_stream_open,
                                     .stream_next = fake_stream_next,
                                     .stream_close = fake_stream_close,
                                     .stream_file = fake_stream_file};

static ps_status dump(const char *path, const ps_options *options, ps_dump_result *result, ps_output **out)
{
        ps_progress progress = {0};

        assert_int_equal(ps_output_open_memory(out, 80, NULL), PS_OK);
        return ps_dump_run(result, &fake, path, options, &progress, *out, NULL);
}

TEST(events_are_merged)
{
        ps_options options = {0};
        ps_dump_result result;
        ps_output *out;

        assert_int_equal(dump("good", &options, &result, &out), PS_OK);
        assert_int_equal(result.n_events, 6);
        assert_string_equal(ps_output_text(out), "   0.000000000  0.0      X\n"
                                                 "   0.000001000  0.1      X\n"
                                                 "   0.000002000  0.0      X\n"
                                                 "   0.000002000  0.1      X\n"
                                                 "   0.000003000  0.1      X\n"
                                                 "   0.000004000  0.0      X\n");
        assert_int_equal(n_open, 0);
        ps_output_discard(out);
}

TEST(names_cannot_mislead_in_lines)
{
        static const struct {
                ps_dump_format format;
                const char *written;
        } cases[] = {{PS_DUMP_TEXT, "  a\\xc2\\x9b31m\\x1b[0m\\xe2\\x80\\xaeb\n"},
                     {PS_DUMP_JSONL, "\"a\\\\xc2\\\\x9b31m\\\\x1b[0m\\\\xe2\\\\x80\\\\xaeb\""}};

        for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
                ps_options options = {.dump.format = cases[i].format};
                ps_dump_result result;
                ps_output *out;
                assert_int_equal(dump("misleading", &options, &result, &out), PS_OK);
                assert_non_null(strstr(ps_output_text(out), cases[i].written));
                for (const char *c = ps_output_text(out); *c; c++)
                        assert_true(*c == '\n' || (*c >= ' ' && *c <= '~'));
                ps_output_discard(out);
        }
}

TEST(defects_are_counted)
{
        ps_options options = {.dump.format = PS_DUMP_JSONL};
        ps_dump_result result;
        ps_output *out;

        assert_int_equal(dump("truncated", &options, &result, &out), PS_OK);
        assert_int_equal(result.n_events, 2);
        assert_int_equal(result.issues.row[PS_I_FILE_TRUNCATED].count, 2);
        assert_int_equal(n_open, 0);
        ps_output_discard(out);
}

TEST(a_dump_that_fails_closes_its_files)
{
        ps_options options = {.load.strict = 1};
        ps_dump_result result;
        ps_output *out;

        assert_int_equal(dump("truncated", &options, &result, &out), PS_E_INPUT);
        ps_output_discard(out);
        assert_int_equal(dump("missing", &options, &result, &out), PS_E_INPUT);
        ps_output_discard(out);
        assert_int_equal(n_open, 0);
}
