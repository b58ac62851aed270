/* completion.c - scripts that complete command lines, one function for each shell. */
#include "app/cli/help.h"
#include "app/cli/regions.h"
#include "patterns/engine/engine.h"
#include "simulator/machine/file.h"
#include "simulator/whatif/whatif.h"

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

/* What is offered for options besides the choices that the table of options has. */
static const struct offer {
        const char *option, *words;
} offers[] = {{"only", "%"},
              {"ignore", "%"},
              {"fail-on", "total|new|new-cause|duration|parallel|load-balance|communication|%"},
              {"machine", "recorded|#"},
              {"network", "mesh:|torus:|tree:|hypercube:"},
              {"focus", "program|whole-run|&"},
              {"interval", "loops|&"}};

static const char *offered(const ps_option *option)
{
        for (size_t i = 0; i < sizeof(offers) / sizeof(offers[0]); i++)
                if (strcmp(option->name, offers[i].option) == 0)
                        return offers[i].words;
        return option->choices;
}

/* Such as "region:", "L*", "overlap": as far as they are the same for all. */
static void put_edits(ps_output *out)
{
        for (unsigned i = 0; i < ps_n_edit_rows; i++) {
                const char *name = ps_edit_rows[i].name, behind = ps_edit_rows[i].form[strlen(name)];
                ps_output_printf(out, " %s%.*s", name, behind && strchr(":=*", behind) ? 1 : 0, &behind);
        }
}

/* "@" stands for the commands, "%" for the patterns, "#" for the machines, "+" for edits; "&", the regions of
 * the trace, only the shell can find out. */
static void put_word(void *ctx, const char *word, size_t len)
{
        ps_output *out = ctx;
        const ps_pattern *row;
        switch (len == 1 ? *word : 0) {
        case '@':
                for (int i = 0; i < PS_CMD_COUNT; i++)
                        ps_output_printf(out, " %s", ps_commands[i].name);
                break;
        case '%':
                for (uint32_t i = 0; (row = ps_pattern_at(i)); i++)
                        ps_output_printf(out, " %s", row->id);
                break;
        case '#':
                for (uint32_t i = 0; i < ps_n_presets; i++)
                        ps_output_printf(out, " %s", ps_presets[i].name);
                break;
        case '+':
                put_edits(out);
                break;
        case '&':
                break;
        default:
                put_spaced(out, word, len);
        }
}

/* The words of "a|b|c" as " a b c". */
static void put_words(ps_output *out, const char *choices)
{
        ps_choice_each(choices, put_word, out);
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
        ps_output_puts(out, " esac; _patscan_words \"$words\"; ");
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
                } else if (offered(option)) {
                        ps_output_puts(out, "_patscan_words '");
                        put_words(out, offered(option));
                        ps_output_puts(out, strchr(offered(option), '&') ? "'; _patscan_regions; " : "'; ");
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

/* bash takes a word apart at : and =, and gets only what is behind the last of them. Names of regions are
 * somebody else's: they are never given to compgen, which would execute what is in them. */
static const char bash_begin[] =
        "# bash completion for patscan; made by \"patscan completion bash\"\n"
        "_patscan_offer() { # WORD: if it goes on as the current one, after what is before a comma\n"
        "    [[ $1 == \"$part\"* ]] && COMPREPLY+=(\"$before$1\")\n"
        "}\n"
        "_patscan_words() {\n"
        "    local word words\n"
        "    read -ra words <<<\"$1\"\n"
        "    for word in \"${words[@]}\"; do _patscan_offer \"$word\"; done\n"
        "}\n"
        "_patscan_regions() { # of the first file or folder on the line\n"
        "    local word name\n"
        "    for word in \"${COMP_WORDS[@]:1}\"; do\n"
        "        [[ -e $word ]] || continue\n"
        "        while IFS= read -r name; do _patscan_offer \"$name\"; done \\\n"
        "            < <(\"${COMP_WORDS[0]}\" completion regions \"$word\" 2>/dev/null)\n"
        "        return\n"
        "    done\n"
        "}\n"
        "_patscan() {\n"
        "    local current previous strip='' before='' part\n"
        "    COMPREPLY=()\n"
        "    _patscan_find\n"
        "    COMPREPLY=(\"${COMPREPLY[@]#\"$strip\"}\")\n"
        "    [[ ${#COMPREPLY[@]} == 1 && ${COMPREPLY[0]} == *[:=*] ]] && compopt -o nospace 2>/dev/null\n"
        "    return 0\n"
        "}\n"
        "_patscan_find() {\n"
        "    local command='' options='' words='' i=$COMP_CWORD last=${COMP_WORDS[COMP_CWORD]}\n"
        "    current=$last\n"
        "    while ((i > 1)) && [[ ${COMP_WORDS[i]} == [:=] || ${COMP_WORDS[i - 1]} == [:=] ]]; do\n"
        "        ((--i))\n"
        "        current=${COMP_WORDS[i]}$current\n"
        "    done\n"
        "    previous=${COMP_WORDS[i - 1]}\n"
        "    [[ $current == --*=* ]] && previous=${current%%=*} current=${current#*=}\n"
        "    [[ $last == [:=] ]] && strip=$current || strip=${current%\"$last\"}\n"
        "    [[ $current == *,* ]] && before=${current%,*},\n"
        "    part=${current##*,}\n"
        "    for ((i = 1; i < COMP_CWORD; i++)); do\n"
        "        case ${COMP_WORDS[i]} in\n        ";

static void write_bash(ps_output *out)
{
        ps_output_puts(out, bash_begin);
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
                            "    case $command:$current in\n"
                            "    predict:region:* | predict:balance:* | predict:even:*)\n"
                            "        before=${current%%:*}: part=${current#*:}; _patscan_regions; return ;;\n"
                            "    predict:remove:* | predict:reorder:*)\n"
                            "        before=${current%%:*}: part=${current#*:} words='");
        put_words(out, "%");
        ps_output_puts(out, "' ;;\n"
                            "    esac\n"
                            "    _patscan_words \"$words\"\n"
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
        const char *choices =
                option->type == PS_O_REPORT ? ps_option_choices(option, command) : offered(option);

        if (option->letter)
                ps_output_printf(out, " \\\n            '(-%c --%s)'{-%c,--%s%s}'[", option->letter,
                                 option->name, option->letter, option->name, zsh_value(option));
        else
                ps_output_printf(out, " \\\n            '--%s%s[", option->name, zsh_value(option));
        put_quoted(out, option->help, "[]");
        ps_output_putc(out, ']');
        if (option->argument) {
                ps_output_printf(out, option->type == PS_O_MAYBE ? "::%s:" : ":%s:", option->name);
                if (choices && strchr(choices, '&')) {
                        ps_output_puts(out, " _patscan_regions");
                        put_words(out, choices);
                } else if (choices) {
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
        bool has_edits = command->traits & PS_TAKES_EDITS;
        if (has_edits)
                ps_output_puts(out, " \\\n            '1:TRACE:_files'");
        if (command->argument) {
                ps_output_printf(out, " \\\n            '*:%s:", has_edits ? "EDIT" : command->argument);
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
        ps_output_puts(out,
                       "#compdef patscan\n"
                       "# zsh completion for patscan; made by \"patscan completion zsh\"\n"
                       "_patscan_regions() { # of the first file or folder on the line, and these words\n"
                       "    local file\n"
                       "    local -a names\n"
                       "    for file in ${words[2,-1]}; do\n"
                       "        [[ -e $file ]] || continue\n"
                       "        names=(\"${(@f)$(patscan completion regions $file 2>/dev/null)}\")\n"
                       "        break\n"
                       "    done\n"
                       "    compadd -- $names $@\n"
                       "}\n"
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
        const char *choices = offered(option);
        if (choices) {
                ps_output_puts(out, " -a '");
                put_words(out, choices);
                ps_output_puts(out, strchr(choices, '&') ? " (__patscan_regions)'" : "'");
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
        ps_output_printf(out, "complete -c patscan -n '__fish_seen_subcommand_from %s' %s-a '", command->name,
                         command->traits & PS_TAKES_EDITS ? "" : "-f ");
        put_words(out, command->completes);
        ps_output_puts(out, "'\n");
}

static void write_fish(ps_output *out)
{
        ps_output_puts(out,
                       "# fish completion for patscan; made by \"patscan completion fish\"\n"
                       "function __patscan_regions\n"
                       "    for file in (commandline -opc)[2..-1]\n"
                       "        test -e $file; and patscan completion regions $file 2>/dev/null; and break\n"
                       "    end\n"
                       "end\n"
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
        if (strcmp(shell, "regions") == 0)
                return ps_regions_print(options, err);
        if (options->n_arguments > 1)
                return PS_FAIL(err, PS_E_USAGE, "only the regions are those of a trace: argument=\"%s\"",
                               options->arguments[1]);
        if (which < 0)
                return PS_FAIL(err, PS_E_USAGE,
                               "there is no completion for this shell: shell=\"%s\", choices=\"%s\"", shell,
                               shells);
        return ps_help_print(options, writers[which], err);
}
