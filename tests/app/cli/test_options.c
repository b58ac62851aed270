/* test_options.c - command lines and what they mean. */
#include "app/cli/commands.h"
#include "tests/support/test.h"

#include <string.h>

enum { WORDS_MAX = 16 };

/* Parses the words of `line`, which are separated by single spaces. */
static ps_status parse(ps_options *options, const char *line, char *room, ps_error *err)
{
        char *argv[WORDS_MAX] = {"patscan"};
        int argc = 1;

        strcpy(room, line);
        for (char *word = strtok(room, " "); word; word = strtok(NULL, " "))
                argv[argc++] = word;
        *err = (ps_error){0};
        return ps_options_parse(options, argc, argv, err);
}

TEST(options_have_defaults)
{
        ps_options o;
        ps_error err;
        char room[256];

        assert_int_equal(parse(&o, "info a.otf2", room, &err), PS_OK);
        assert_string_equal(o.command->name, "info");
        assert_string_equal(o.arguments[0], "a.otf2");
        assert_false(o.is_implicit);
        assert_int_equal(o.load.clock, PS_CLOCK_AUTO);
        assert_int_equal(o.terminal.color, PS_COLOR_AUTO);
        assert_int_equal(o.load.threads, 0);
        assert_int_equal(o.reports.n, 1);
        assert_int_equal(o.reports.row[0].format, 0);
        assert_string_equal(o.reports.row[0].file, "-");
        assert_null(o.reports.output);
}

/* Several traces; the machine goes to -o, and the report to the standard output only beside it. */
TEST(calibrate_writes_a_machine_and_a_report_beside_it)
{
        ps_options o;
        ps_error err;
        char room[256];

        assert_int_equal(parse(&o, "calibrate a b c -o m.json", room, &err), PS_OK);
        assert_int_equal(o.n_arguments, 3);
        assert_string_equal(o.arguments[2], "c");
        assert_int_equal(o.reports.n, 1);
        assert_string_equal(o.reports.row[0].file, "-");
        assert_int_equal(parse(&o, "calibrate a", room, &err), PS_OK);
        assert_int_equal(o.reports.n, 0);
        assert_int_equal(parse(&o, "calibrate a -o - --model lmo", room, &err), PS_OK);
        assert_int_equal(o.reports.n, 0);
        assert_int_equal(o.machine.model, 3);
        assert_int_equal(parse(&o, "info a b", room, &err), PS_E_USAGE);
        assert_int_equal(parse(&o, "calibrate", room, &err), PS_E_USAGE);
}

TEST(forms_of_values)
{
        static const char *const lines[] = {"info t --threads 7 -o x -q", "--threads=7 -ox info -q t",
                                            "-qo x info --threads 7 -- t"};
        ps_options o;
        ps_error err;
        char room[256];

        for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++) {
                assert_int_equal(parse(&o, lines[i], room, &err), PS_OK);
                assert_string_equal(o.command->name, "info");
                assert_int_equal(o.load.threads, 7);
                assert_string_equal(o.reports.output, "x");
                assert_string_equal(o.arguments[0], "t");
                assert_true(o.terminal.quiet);
        }
}

TEST(words_after_dashes_are_arguments)
{
        ps_options o;
        ps_error err;
        char room[256];

        assert_int_equal(parse(&o, "info -- --strict", room, &err), PS_OK);
        assert_string_equal(o.arguments[0], "--strict");
        assert_false(o.load.strict);
        assert_int_equal(parse(&o, "info -", room, &err), PS_OK);
        assert_string_equal(o.arguments[0], "-");
}

TEST(choices_are_the_enums)
{
        ps_options o;
        ps_error err;
        char room[256];

        assert_int_equal(parse(&o, "info t --clock as-is --color never", room, &err), PS_OK);
        assert_int_equal(o.load.clock, PS_CLOCK_AS_IS);
        assert_int_equal(o.terminal.color, PS_COLOR_NEVER);
        assert_int_equal(parse(&o, "info t --clock repair --color=always", room, &err), PS_OK);
        assert_int_equal(o.load.clock, PS_CLOCK_REPAIR);
        assert_int_equal(o.terminal.color, PS_COLOR_ALWAYS);
        assert_int_equal(parse(&o, "dump t --format jsonl", room, &err), PS_OK);
        assert_int_equal(o.dump.format, PS_DUMP_JSONL);
}

TEST(reports_go_to_files_or_the_standard_output)
{
        ps_options o;
        ps_error err;
        char room[256];

        assert_int_equal(parse(&o, "info t --report json:a:b --report text", room, &err), PS_OK);
        assert_int_equal(o.reports.n, 2);
        assert_int_equal(o.reports.row[0].format, 1);
        assert_string_equal(o.reports.row[0].file, "a:b");
        assert_int_equal(o.reports.row[1].format, 0);
        assert_string_equal(o.reports.row[1].file, "-");
        assert_int_equal(parse(&o, "info t -o x --report json", room, &err), PS_OK);
        assert_string_equal(o.reports.row[0].file, "x");
        assert_int_equal(parse(&o, "info t --report json --report text", room, &err), PS_E_USAGE);
        assert_int_equal(parse(&o, "info t --report jso", room, &err), PS_E_USAGE);
}

TEST(the_default_command)
{
        ps_options o;
        ps_error err;
        char room[256];
        int n_defaults = 0;

        for (int i = 0; i < PS_CMD_COUNT; i++)
                n_defaults += ps_commands[i].traits & PS_IS_DEFAULT ? 1 : 0;
        assert_int_equal(n_defaults, 1);
        assert_int_equal(parse(&o, "app.otf2", room, &err), PS_OK);
        assert_ptr_equal(o.command, ps_command_default());
        assert_true(o.is_implicit);
        assert_string_equal(o.arguments[0], "app.otf2");
}

TEST(help_and_version_stand_for_commands)
{
        ps_options o;
        ps_error err;
        char room[256];

        assert_int_equal(parse(&o, "dump t --help", room, &err), PS_OK);
        assert_string_equal(o.command->name, "help");
        assert_int_equal(o.n_arguments, 1);
        assert_string_equal(o.arguments[0], "dump");
        assert_int_equal(parse(&o, "-h", room, &err), PS_OK);
        assert_string_equal(o.command->name, "help");
        assert_int_equal(o.n_arguments, 0);
        assert_int_equal(parse(&o, "--version --json", room, &err), PS_OK);
        assert_string_equal(o.command->name, "version");
        assert_false(o.is_implicit);
        assert_true(o.manual.json);
}

TEST(what_is_refused)
{
        static const struct {
                const char *line, *part;
        } cases[] = {{"", "give a command or a TRACE"},
                     {"info", "patscan info needs a TRACE"},
                     {"info a b", "takes fewer arguments: given="},
                     {"info a b c d e f g", "takes fewer arguments: given="},
                     {"formats x", "takes fewer arguments: given="},
                     {"info a --threads", "needs a value"},
                     {"info a --threads -1", "needs a whole number"},
                     {"info a --threads 1x", "needs a whole number"},
                     {"info a --threads 99999999999999999999", "needs a whole number"},
                     {"info a --threads=", "needs a whole number"},
                     {"info a --strict=1", "takes no value"},
                     {"info a --clock sometimes", "auto|as-is|repair"},
                     {"info a --clock as", "does not take"},
                     {"info a --thread 3", "did you mean --threads?"},
                     {"info a --allow", "did you mean --allow-partial?"},
                     {"info a --colour never", "did you mean --color?"},
                     {"info a --xyzzy", "unknown option \"--xyzzy\""},
                     {"info a -x", "unknown option \"-x\""},
                     {"info a --format text", "--format is not an option of patscan info"},
                     {"dump a --json", "--json is not an option of patscan dump"}};
        ps_options o;
        ps_error err;
        char room[256];

        for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
                assert_int_equal(parse(&o, cases[i].line, room, &err), PS_E_USAGE);
                if (!strstr(err.cause[0].text, cases[i].part))
                        fail_msg("\"%s\": %s", cases[i].line, err.cause[0].text);
        }
}

TEST(long_words_are_no_overflow)
{
        char word[5000];
        char *argv[] = {"patscan", "info", "x", word};
        ps_options o;
        ps_error err = {0};

        memset(word, '-', sizeof(word) - 1);
        word[sizeof(word) - 1] = '\0';
        assert_int_equal(ps_options_parse(&o, 4, argv, &err), PS_E_USAGE);
        assert_null(ps_commands_nearest(word));
}

TEST(mistyped_commands_have_a_nearest)
{
        assert_string_equal(ps_commands_nearest("inof"), "info"); /* swapped letters are one edit */
        assert_string_equal(ps_commands_nearest("dmup"), "dump");
        assert_string_equal(ps_commands_nearest("formts"), "formats");
        assert_string_equal(ps_commands_nearest("comp"), "compare");
        assert_string_equal(ps_commands_nearest("complet"), "completion");
        assert_null(ps_commands_nearest("zzzz"));
        assert_null(ps_commands_nearest(""));
}

TEST(each_status_has_its_exit_code)
{
        assert_int_equal(ps_exit_of(PS_OK), 0);
        assert_int_equal(ps_exit_of(PS_E_USAGE), 2);
        assert_int_equal(ps_exit_of(PS_E_INPUT), 3);
        assert_int_equal(ps_exit_of(PS_E_NOMEM), 5);
        assert_int_equal(ps_exit_of(PS_E_OUTPUT), 5);
        assert_int_equal(ps_exit_of(PS_E_INTERNAL), 5);
        assert_int_equal(ps_exit_of(PS_E_CANCELLED), 5);
}
