/* completion.c - scripts that complete command lines, one function for each shell. */
#include "app/cli/help.h"
#include "patterns/engine/engine.h"
#include "simulator/machine/file.h"

#include <string.h>

/* Text inside of single quotes: up to its first clause, for a line of a menu. */
static void put_quoted(ps_output *out, const char *text, const char *specials)
{
        size_t n = strcspn(text, ";:");

        for (size_t i = 0; i < n; i++) {
                if (text[i] == '\'')
                        ps_output_puts(out, "'\\''");
                else if (strchr(specials, text[i]))
                        ps_output_printf(out, "\\%c", text[i]);
                else
                        ps_output_putc(out, text[i]);
        }
}

static void put_spaced(void *ctx, const char *word, size_t len)
{
        ps_output_putc(ctx, ' ');
        ps_output_write(ctx, word, len);
}

/* The words of "a|b|c" as " a b c"; "@" stands for the commands, "%" for the patterns, "#" for the
 * machines. */
static void put_words(ps_output *out, const char *choices)
{
        const ps_pattern *row;
        if (strcmp(choices, "@") == 0)
                for (int i = 0; i < PS_CMD_COUNT; i++)
                        ps_output_printf(out, " %s", ps_commands[i].name);
        else if (strcmp(choices, "%") == 0)
                for (uint32_t i = 0; (row = ps_pattern_at(i)); i++)
                        ps_output_printf(out, " %s", row->id);
        else if (strcmp(choices, "#") == 0)
                for (uint32_t i = 0; i < ps_n_presets; i++)
                        ps_output_printf(out, " %s", ps_presets[i].name);
        else
                ps_choice_each(choices, put_spaced, out);
}

static bool has_option(const ps_command *command, const ps_option *option)
{
        return (option->commands & ps_command_bit(command)) != 0;
}

/* Which reports there are depends on the command. */
static void bash_reports(ps_output *out)
{
        ps_output_puts(out, "case $command in");
        for (int i = 0; i < PS_CMD_COUNT; i++) {
                const ps_command *command = &ps_commands[i];
                if (!command->reports)
                        continue;
                ps_output_printf(out, command->traits & PS_IS_DEFAULT ? " %s | '') words='" : " %s) words='",
                                 command->name);
                put_words(out, command->reports);
                ps_output_puts(out, "' ;;");
        }
        ps_output_puts(out, " esac; COMPREPLY=($(compgen -W \"$words\" -- \"$current\")); ");
}

static void bash_values(ps_output *out)
{
        ps_output_puts(out, "    case $previous in\n");
        for (unsigned i = 0; i < ps_option_count; i++) {
                const ps_option *option = &ps_option_table[i];
                if (!option->argument || option->type == PS_O_MAYBE)
                        continue;
                ps_output_puts(out, "    ");
                if (option->letter)
                        ps_output_printf(out, "-%c | ", option->letter);
                ps_output_printf(out, "--%s) ", option->name);
                if (option->type == PS_O_REPORT) {
                        bash_reports(out);
                } else if (option->choices) {
                        ps_output_puts(out, "COMPREPLY=($(compgen -W '");
                        put_words(out, option->choices);
                        ps_output_puts(out, "' -- \"$current\")); ");
                }
                ps_output_puts(out, "return ;;\n");
        }
        ps_output_puts(out, "    esac\n");
}

static void bash_command(ps_output *out, const ps_command *command)
{
        ps_output_printf(out,
                         command->traits & PS_IS_DEFAULT ? "    %s | '') options='" : "    %s) options='",
                         command->name);
        for (unsigned i = 0; i < ps_option_count; i++)
                if (has_option(command, &ps_option_table[i]))
                        ps_output_printf(out, " --%s", ps_option_table[i].name);
        ps_output_putc(out, '\'');
        if (command->completes && *command->completes) {
                ps_output_puts(out, " words='");
                put_words(out, command->completes);
                ps_output_putc(out, '\'');
        }
        ps_output_puts(out, " ;;\n");
}

static void write_bash(ps_output *out)
{
        ps_output_puts(out,
                       "# bash completion for patscan; made by \"patscan completion bash\"\n"
                       "_patscan() {\n"
                       "    local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}\n"
                       "    local command='' options='' words='' i\n"
                       "    COMPREPLY=()\n"
                       "    [[ $previous == '=' ]] && previous=${COMP_WORDS[COMP_CWORD - 2]}\n"
                       "    [[ $current == '=' ]] && previous=${COMP_WORDS[COMP_CWORD - 1]} current=''\n"
                       "    for ((i = 1; i < COMP_CWORD; i++)); do\n"
                       "        case ${COMP_WORDS[i]} in\n        ");
        for (int i = 0; i < PS_CMD_COUNT; i++)
                ps_output_printf(out, i ? " | %s" : "%s", ps_commands[i].name);
        ps_output_puts(out, ") command=${COMP_WORDS[i]}; break ;;\n        esac\n    done\n");
        bash_values(out);
        ps_output_puts(out, "    case $command in\n");
        for (int i = 0; i < PS_CMD_COUNT; i++)
                bash_command(out, &ps_commands[i]);
        ps_output_puts(out, "    esac\n    [[ $command ]] || words='");
        put_words(out, "@");
        ps_output_puts(out, "'\n    [[ $current == -* ]] && words=$options\n"
                            "    COMPREPLY=($(compgen -W \"$words\" -- \"$current\"))\n"
                            "}\n"
                            "complete -o default -F _patscan patscan\n");
}

static bool takes_file(const ps_option *option)
{
        return option->type == PS_O_TEXT || option->type == PS_O_MAYBE || option->type == PS_O_REST;
}

/* What stands behind its name. */
static const char *zsh_value(const ps_option *option)
{
        return option->type == PS_O_MAYBE ? "=-" : option->argument ? "=" : "";
}

static void zsh_option(ps_output *out, const ps_option *option, const ps_command *command)
{
        const char *choices = ps_option_choices(option, command);

        if (option->letter)
                ps_output_printf(out, " \\\n            '(-%c --%s)'{-%c,--%s%s}'[", option->letter,
                                 option->name, option->letter, option->name, zsh_value(option));
        else
                ps_output_printf(out, " \\\n            '--%s%s[", option->name, zsh_value(option));
        put_quoted(out, option->help, "[]");
        ps_output_putc(out, ']');
        if (option->argument) {
                ps_output_printf(out, option->type == PS_O_MAYBE ? "::%s:" : ":%s:", option->name);
                if (choices) {
                        ps_output_putc(out, '(');
                        put_words(out, choices);
                        ps_output_putc(out, ')');
                } else if (takes_file(option)) {
                        ps_output_puts(out, "_files");
                }
        }
        ps_output_putc(out, '\'');
}

static void zsh_command(ps_output *out, const ps_command *command)
{
        ps_output_printf(out, command->traits & PS_IS_DEFAULT ? "    %s | *)\n" : "    %s)\n", command->name);
        ps_output_puts(out, "        _arguments -s");
        for (unsigned i = 0; i < ps_option_count; i++)
                if (has_option(command, &ps_option_table[i]))
                        zsh_option(out, &ps_option_table[i], command);
        if (command->argument) {
                ps_output_printf(out, " \\\n            '*:%s:", command->argument);
                if (command->completes && *command->completes) {
                        ps_output_putc(out, '(');
                        put_words(out, command->completes);
                        ps_output_puts(out, ")'");
                } else {
                        ps_output_puts(out, "_files'");
                }
        }
        ps_output_puts(out, "\n        ;;\n");
}

static void write_zsh(ps_output *out)
{
        ps_output_puts(out, "#compdef patscan\n"
                            "# zsh completion for patscan; made by \"patscan completion zsh\"\n"
                            "_patscan() {\n"
                            "    if ((CURRENT == 2)) && [[ $words[2] != -* ]]; then\n"
                            "        local -a commands=(\n");
        for (int i = 0; i < PS_CMD_COUNT; i++) {
                ps_output_printf(out, "            '%s:", ps_commands[i].name);
                put_quoted(out, ps_commands[i].summary, "");
                ps_output_puts(out, "'\n");
        }
        ps_output_puts(out, "        )\n"
                            "        _describe -t commands command commands\n"
                            "        _files\n"
                            "        return\n"
                            "    fi\n"
                            "    local command=$words[2]\n"
                            "    case $command in\n");
        for (int i = 0; i < PS_CMD_COUNT; i++)
                if (!(ps_commands[i].traits & PS_IS_DEFAULT))
                        zsh_command(out, &ps_commands[i]);
        zsh_command(out, ps_command_default());
        ps_output_puts(out, "    esac\n"
                            "}\n"
                            "if [[ $funcstack[1] == _patscan ]]; then\n"
                            "    _patscan \"$@\"\n"
                            "else\n"
                            "    compdef _patscan patscan\n"
                            "fi\n");
}

/* An option is offered with its commands, and without any if the default one has it. */
static void fish_option(ps_output *out, const ps_option *option)
{
        ps_output_puts(out, "complete -c patscan");
        if (!ps_option_is_general(option)) {
                const char *otherwise = has_option(ps_command_default(), option)
                                                ? "; or not __fish_seen_subcommand_from $__patscan_commands"
                                                : "";
                ps_output_puts(out, " -n '__fish_seen_subcommand_from");
                for (int i = 0; i < PS_CMD_COUNT; i++)
                        if (has_option(&ps_commands[i], option))
                                ps_output_printf(out, " %s", ps_commands[i].name);
                ps_output_printf(out, "%s'", otherwise);
        }
        ps_output_printf(out, " -l %s", option->name);
        if (option->letter)
                ps_output_printf(out, " -s %c", option->letter);
        if (option->argument && option->type != PS_O_MAYBE)
                ps_output_puts(out, takes_file(option) ? " -r -F" : " -x");
        if (option->choices) {
                ps_output_puts(out, " -a '");
                put_words(out, option->choices);
                ps_output_putc(out, '\'');
        }
        ps_output_puts(out, " -d '");
        put_quoted(out, option->help, "");
        ps_output_puts(out, "'\n");
}

static void fish_command(ps_output *out, const ps_command *command)
{
        ps_output_puts(out,
                       "complete -c patscan -n 'not __fish_seen_subcommand_from $__patscan_commands' -a ");
        ps_output_printf(out, "%s -d '", command->name);
        put_quoted(out, command->summary, "");
        ps_output_puts(out, "'\n");
        if (!command->completes || !*command->completes)
                return;
        ps_output_printf(out, "complete -c patscan -n '__fish_seen_subcommand_from %s' -f -a '",
                         command->name);
        put_words(out, command->completes);
        ps_output_puts(out, "'\n");
}

static void write_fish(ps_output *out)
{
        ps_output_puts(out, "# fish completion for patscan; made by \"patscan completion fish\"\n"
                            "set -g __patscan_commands");
        put_words(out, "@");
        ps_output_putc(out, '\n');
        for (int i = 0; i < PS_CMD_COUNT; i++)
                fish_command(out, &ps_commands[i]);
        for (unsigned i = 0; i < ps_option_count; i++)
                fish_option(out, &ps_option_table[i]);
}

ps_status ps_cmd_completion(const ps_options *options, ps_exit *code, ps_error *err)
{
        /* In the order of the command's words. */
        static void (*const writers[])(ps_output *) = {write_bash, write_zsh, write_fish};
        const char *shell = options->arguments[0], *shells = options->command->completes;
        int which = ps_choice_find(shells, shell, strlen(shell));

        (void)code;
        if (which < 0)
                return PS_FAIL(err, PS_E_USAGE,
                               "there is no completion for this shell: shell=\"%s\", choices=\"%s\"", shell,
                               shells);
        return ps_help_print(options, writers[which], err);
}
