/* options.c - reads a command line by the tables. Options may stand before, between and after the arguments;
 * "--" ends them. Values are --name=value, --name value, -nvalue or -n value. */
#include "app/cli/options.h"
#include "app/cli/commands.h"
#include "app/cli/message.h"
#include "core/base/nearest.h"
#include "library/run/cached.h"
#include "library/run/quantity.h"
#include "library/run/request.h"
#include "report/facts/report.h"
#include "report/scaling/scaling.h"
#include "report/subjects/profile.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#define PS_IN(id) (UINT32_C(1) << PS_CMD_##id)
#define PS_IN_ALL UINT32_MAX

const ps_option ps_option_table[] = {
#define PS_OPTION(name, letter, argument, type, field, choices, preset, commands, help)                      \
        {name, letter, argument, PS_O_##type, offsetof(ps_options, field), choices, preset, help, commands},
#include "app/cli/options.def"
#undef PS_OPTION
};
const unsigned ps_option_count = sizeof(ps_option_table) / sizeof(*ps_option_table);

enum { NUMBER_MOST = 1000000 };
_Static_assert(sizeof(ps_option_table) / sizeof(*ps_option_table) <= PS_OPTIONS_MAX, "too many options");

const char *ps_commands_nearest(const char *word)
{
        const char *names[PS_CMD_COUNT];

        for (int i = 0; i < PS_CMD_COUNT; i++)
                names[i] = ps_commands[i].name;
        return ps_nearest(word, names, PS_CMD_COUNT);
}

static ps_status fail_choice(const ps_option *option, const char *choices, const char *value, ps_error *err)
{
        return PS_FAIL(err, PS_E_USAGE, "--%s does not take \"%s\": choices=\"%s\"", option->name, value,
                       choices);
}

static ps_status set_number(unsigned *field, const ps_option *option, const char *value, ps_error *err)
{
        unsigned least = option->type != PS_O_NUMBER;
        unsigned most = option->type == PS_O_THREADS ? PS_THREADS_MAX : NUMBER_MOST;
        uint64_t number;

        PS_TRY(ps_whole_parse(&number, option->name, value, least, most, err));
        *field = (unsigned)number;
        return PS_OK;
}

/* Which formats there are depends on the command, which may come later: see check_reports. */
static ps_status add_report(ps_asked_reports *reports, const char *value, ps_error *err)
{
        if (reports->n == PS_REPORTS_MAX)
                return PS_FAIL(err, PS_E_USAGE, "no more than %d reports can be written at once",
                               PS_REPORTS_MAX);
        reports->row[reports->n++].text = value;
        return PS_OK;
}

static ps_status add_word(ps_word_list *list, const ps_option *option, const char *value, ps_error *err)
{
        if (list->n == PS_LIST_MAX)
                return PS_FAIL(err, PS_E_USAGE, "--%s may not be given more than %d times", option->name,
                               PS_LIST_MAX);
        list->row[list->n++] = value;
        return PS_OK;
}

static ps_status set_format(ps_asked_dump *dump, const ps_option *option, const char *value, ps_error *err)
{
        size_t len = strcspn(value, ":");
        int choice = ps_choice_find(option->choices, value, len), wants = choice == PS_DUMP_OTF2;

        if (choice < 0 || (!wants && value[len]))
                return fail_choice(option, option->choices, value, err);
        if (wants && (!value[len] || !value[len + 1]))
                return PS_FAIL(err, PS_E_USAGE, "--%s needs the folder to write to: otf2:DIR", option->name);
        dump->format = (unsigned)choice;
        dump->folder = wants ? value + len + 1 : NULL;
        return PS_OK;
}

static ps_status set_option(ps_options *options, const ps_option *option, const char *value, ps_error *err)
{
        char *field = (char *)options + option->field;
        int choice;

        switch (option->type) {
        case PS_O_NUMBER:
        case PS_O_COUNT:
        case PS_O_THREADS:
                return set_number((unsigned *)(void *)field, option, value, err);
        case PS_O_TEXT:
        case PS_O_MAYBE:
                *(const char **)(void *)field = value;
                return PS_OK;
        case PS_O_LIST:
                return add_word((ps_word_list *)(void *)field, option, value, err);
        case PS_O_CHOICE:
                assert(value); /* only flags have none */
                choice = ps_choice_find(option->choices, value, strlen(value));
                if (choice < 0)
                        return fail_choice(option, option->choices, value, err);
                *(unsigned *)(void *)field = (unsigned)choice;
                return PS_OK;
        case PS_O_FORMAT:
                return set_format((ps_asked_dump *)(void *)field, option, value, err);
        case PS_O_REPORT:
                return add_report((ps_asked_reports *)(void *)field, value, err);
        default:
                *(unsigned *)(void *)field = 1;
                return PS_OK;
        }
}

/* What the parser knows besides the options that it has read. */
typedef struct parse {
        ps_options *options;
        char *const *argv;
        int argc, at;
        const char *instead; /* the command that --help or --version stand for */
        /* Arguments, the command's name first if it has one. */
        const char *words[PS_ARGUMENTS_MAX + 1];
        unsigned n_words, n_rest; /* n_rest: those for which there is no room */
} parse;

static void add_argument(parse *p, const char *text)
{
        if (p->n_words < sizeof(p->words) / sizeof(*p->words))
                p->words[p->n_words++] = text;
        else
                p->n_rest++;
}

/* Where the rest begins is told by the first one. */
static void begin_rest(parse *p, const ps_option *option, const char *value)
{
        unsigned *field = (unsigned *)(void *)((char *)p->options + option->field);

        if (!*field)
                *field = p->n_words;
        add_argument(p, value);
}

static ps_status use(parse *p, const ps_option *option, const char *value, ps_error *err)
{
        if (option->type == PS_O_MAYBE && !value) {
                value = "";
        } else if (option->argument && !value) {
                if (p->at + 1 >= p->argc)
                        return PS_FAIL(err, PS_E_USAGE, "--%s needs a value: --%s %s", option->name,
                                       option->name, option->argument);
                value = p->argv[++p->at];
        } else if (!option->argument && value) {
                return PS_FAIL(err, PS_E_USAGE, "--%s takes no value", option->name);
        }
        p->options->given[option - ps_option_table] = 1;
        if (option->type == PS_O_HELP || option->type == PS_O_VERSION) {
                if (!p->instead || option->type == PS_O_HELP)
                        p->instead = option->name;
                return PS_OK;
        }
        if (option->type != PS_O_REST)
                return set_option(p->options, option, value, err);
        begin_rest(p, option, value);
        return PS_OK;
}

static ps_status fail_unknown(const char *text, size_t len, ps_error *err)
{
        const char *names[PS_OPTIONS_MAX], *near = NULL;
        char word[PS_NEAREST_MAX + 1] = "";

        if (len <= PS_NEAREST_MAX) {
                memcpy(word, text, len);
                for (unsigned i = 0; i < ps_option_count; i++)
                        names[i] = ps_option_table[i].name;
                near = ps_nearest(word, names, ps_option_count);
        }
        if (near)
                return PS_FAIL(err, PS_E_USAGE, "unknown option \"--%.*s\": did you mean --%s?", (int)len,
                               text, near);
        return PS_FAIL(err, PS_E_USAGE, "unknown option \"--%.*s\"", len > 80 ? 80 : (int)len, text);
}

static ps_status read_long(parse *p, const char *text, ps_error *err)
{
        size_t len = strcspn(text, "=");

        for (unsigned i = 0; i < ps_option_count; i++) {
                const ps_option *option = &ps_option_table[i];
                if (strlen(option->name) == len && strncmp(option->name, text, len) == 0)
                        return use(p, option, text[len] ? text + len + 1 : NULL, err);
        }
        return fail_unknown(text, len, err);
}

static const ps_option *find_letter(char letter)
{
        for (unsigned i = 0; i < ps_option_count; i++)
                if (ps_option_table[i].letter == letter)
                        return &ps_option_table[i];
        return NULL;
}

static ps_status read_letters(parse *p, const char *text, ps_error *err)
{
        for (; *text; text++) {
                const ps_option *option = find_letter(*text);
                if (!option)
                        return PS_FAIL(err, PS_E_USAGE, "unknown option \"-%.1s\"", text);
                PS_TRY(use(p, option, option->argument && text[1] ? text + 1 : NULL, err));
                if (option->argument)
                        return PS_OK;
        }
        return PS_OK;
}

/* Of a command that runs a program: the rest of the line is that program's. */
static bool begins_program(const parse *p, const char *text, int ended)
{
        const ps_command *command = p->n_words ? ps_command_find(p->words[0]) : NULL;
        return command && (command->traits & PS_RUNS_PROGRAM) && (ended || text[0] != '-');
}

static ps_status read_words(parse *p, ps_error *err)
{
        int ended = 0;

        for (p->at = 1; p->at < p->argc && !p->options->program; p->at++) {
                const char *text = p->argv[p->at];
                if (begins_program(p, text, ended))
                        p->options->program = &p->argv[p->at];
                else if (!ended && strcmp(text, "--") == 0)
                        ended = 1;
                else if (!ended && strncmp(text, "--", 2) == 0)
                        PS_TRY(read_long(p, text + 2, err));
                else if (!ended && text[0] == '-' && text[1])
                        PS_TRY(read_letters(p, text + 1, err));
                else
                        add_argument(p, text);
        }
        return PS_OK;
}

/* Decides which command it is, and what is left for it. */
static void choose_command(parse *p)
{
        ps_options *options = p->options;
        const ps_command *named = p->n_words ? ps_command_find(p->words[0]) : NULL;
        const ps_command *instead = p->instead ? ps_command_find(p->instead) : NULL;
        unsigned first = named != NULL;

        options->command = named ? named : ps_command_default();
        options->is_implicit = !named && !instead;
        if (instead) {
                /* "info app.otf2 --help" is "help info". */
                options->command = instead;
                first = 0;
                p->n_words = named && instead->most ? 1 : 0;
                p->n_rest = 0;
        }
        for (unsigned i = first; i < p->n_words; i++) {
                if (options->n_arguments < PS_ARGUMENTS_MAX)
                        options->arguments[options->n_arguments++] = p->words[i];
                else
                        p->n_rest++;
        }
}

static ps_status fail_missing(const ps_command *command, ps_error *err)
{
        bool is_one = !strchr(command->argument, ' ');
        return PS_FAIL(err, PS_E_USAGE, "patscan %s needs %s%s", command->name, is_one ? "a " : "",
                       command->argument);
}

static ps_status check_arguments(const parse *p, ps_error *err)
{
        const ps_options *options = p->options;
        const ps_command *command = options->command;
        const char *near = options->n_arguments ? ps_commands_nearest(options->arguments[0]) : NULL;

        if ((command->traits & PS_RUNS_PROGRAM) && !p->instead)
                return options->program ? PS_OK : fail_missing(command, err);
        if (ps_cached_only_clears(options))
                return PS_OK;
        if (options->n_arguments < command->least && options->is_implicit)
                return PS_FAIL(err, PS_E_USAGE, "give a command or a %s", command->argument);
        if (options->n_arguments < command->least)
                return fail_missing(command, err);
        if (options->n_arguments + p->n_rest > command->most && options->is_implicit && near)
                return PS_FAIL(err, PS_E_USAGE, "no such command \"%.80s\": did you mean %s?",
                               options->arguments[0], near);
        if (options->n_arguments + p->n_rest > command->most && options->is_implicit)
                return PS_FAIL(err, PS_E_USAGE, "\"%.80s\" is not a command, and only one %s can be analysed",
                               options->arguments[0], command->argument);
        if (options->n_arguments + p->n_rest > command->most)
                return PS_FAIL(err, PS_E_USAGE, "patscan %s takes fewer arguments: given=%u, most=%u",
                               command->name, options->n_arguments + p->n_rest, command->most);
        return PS_OK;
}

static ps_status check_options(const parse *p, ps_error *err)
{
        const ps_command *command = p->options->command;

        for (unsigned i = 0; i < ps_option_count && !p->instead; i++)
                if (p->options->given[i] && !(ps_option_table[i].commands & ps_command_bit(command)))
                        return PS_FAIL(err, PS_E_USAGE, "--%s is not an option of patscan %s",
                                       ps_option_table[i].name, command->name);
        if (p->options->manual.json && p->options->manual.markdown)
                return PS_FAIL(err, PS_E_USAGE, "choose one of --json and --markdown");
        if (p->options->terminal.quiet && p->options->terminal.verbose)
                return PS_FAIL(err, PS_E_USAGE, "choose one of --quiet and --verbose");
        return PS_OK;
}

static const ps_option *find_option(const char *name)
{
        for (unsigned i = 0; i < ps_option_count; i++)
                if (strcmp(ps_option_table[i].name, name) == 0)
                        return &ps_option_table[i];
        return NULL;
}

bool ps_options_has(const ps_options *options, const char *name)
{
        const ps_option *option = find_option(name);
        return option && (option->commands & ps_command_bit(options->command));
}

ps_status ps_options_set(ps_options *options, const char *name, const char *value, ps_error *err)
{
        const ps_option *option = find_option(name);
        assert(option && option->argument);
        return set_option(options, option, value, err);
}

const char *ps_options_given(const ps_options *options, const char *names)
{
        for (unsigned i = 0; i < ps_option_count; i++) {
                const char *name = ps_option_table[i].name;
                if (options->given[i] && ps_choice_find(names, name, strlen(name)) >= 0)
                        return name;
        }
        return NULL;
}

ps_status ps_options_refuse(const ps_options *options, const char *names, const char *reason, ps_error *err)
{
        const char *name = ps_options_given(options, names);
        return name ? PS_FAIL(err, PS_E_USAGE, "--%s has no effect here: %s", name, reason) : PS_OK;
}

static bool makes_file(const ps_command *command)
{
        return (command->traits & PS_MAKES_FILE) != 0;
}

/* Without --report. */
static bool reports_unasked(const ps_options *options)
{
        if (options->command->traits & PS_RUNS_PROGRAM)
                return true;
        if (options->command->traits & PS_TELLS_BESIDE)
                return options->reports.output && strcmp(options->reports.output, "-") != 0;
        return !makes_file(options->command);
}

/* The report whose tables csv.NAME names; NULL: its csv has one only. */
static const ps_record *tables_of(const ps_command *command)
{
        if (command->run == ps_cmd_scale)
                return &ps_record_scaling;
        return strcmp(command->reports, ps_command_default()->reports) == 0 ? &ps_record_report : NULL;
}

static ps_status split_report(ps_options *options, ps_report_request *request, ps_error *err)
{
        const char *otherwise = makes_file(options->command) ? NULL : options->reports.output;
        const char *choices = options->command->reports, *text = request->text;
        size_t len = strcspn(text, ":."), n = strcspn(text, ":");
        int format = ps_choice_find(choices, text, len);
        const ps_record *tables = strncmp(text, "csv", len) == 0 ? tables_of(options->command) : NULL;

        if (format < 0 || (len < n && !tables))
                return PS_FAIL(err, PS_E_USAGE, "--report does not take \"%s\": choices=\"%s\"", text,
                               choices);
        request->format = (unsigned)format;
        snprintf(request->name, sizeof(request->name), "%.*s", (int)n, text);
        options->reports.has_page |= strncmp(text, "html", len) == 0 && len == strlen("html");
        request->file = text[n] && text[n + 1] ? text + n + 1 : otherwise ? otherwise : "-";
        return len < n ? ps_request_find_table(request, tables, text + len + 1, n - len - 1, err) : PS_OK;
}

ps_status ps_options_add_report(ps_options *options, const char *format, const char *file, ps_error *err)
{
        ps_report_request *request = &options->reports.row[options->reports.n++];
        assert(options->reports.n <= PS_REPORTS_MAX);
        *request = (ps_report_request){.text = format};
        PS_TRY(split_report(options, request, err));
        request->file = file;
        return PS_OK;
}

static ps_status check_reports(ps_options *options, ps_error *err)
{
        ps_report_request *rows = options->reports.row;

        bool is_left = options->reports.output && !makes_file(options->command) &&
                       strcmp(options->reports.output, "-") != 0;

        if (!options->command->reports)
                return PS_OK;
        if (!options->reports.n && reports_unasked(options))
                rows[options->reports.n++].text = "text";
        for (unsigned i = 0; i < options->reports.n; i++) {
                PS_TRY(split_report(options, &rows[i], err));
                is_left = is_left && strcmp(rows[i].file, options->reports.output) != 0;
                for (unsigned j = 0; j < i; j++)
                        if (strcmp(rows[i].file, rows[j].file) == 0)
                                return PS_FAIL(err, PS_E_USAGE,
                                               "two reports would be written to the same place: file=\"%s\"",
                                               rows[i].file);
        }
        if (is_left)
                return PS_FAIL(err, PS_E_USAGE,
                               "every report has a file of its own already, so nothing is left for --output: "
                               "file=\"%s\"",
                               options->reports.output);
        return PS_OK;
}

ps_status ps_options_parse(ps_options *options, int argc, char *const *argv, ps_error *err)
{
        parse p = {.options = options, .argv = argv, .argc = argc};
        ps_status status;

        *options = (ps_options){.reports.interval_level = UINT32_MAX, .terminal.tell = ps_message_print};
        status = read_words(&p, err);
        choose_command(&p);
        PS_THEN(status, check_arguments(&p, err));
        PS_THEN(status, check_options(&p, err));
        PS_THEN(status, check_reports(options, err));
        options->reports.top = options->terminal.verbose ? UINT32_MAX : options->reports.top;
        options->load.clock_is_told = ps_options_given(options, "clock") != NULL;
        options->machine.pipelining_is_told = ps_options_given(options, "pipelining") != NULL;
        return status;
}
