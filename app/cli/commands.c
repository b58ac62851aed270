/* commands.c - commands.def and exit.def as tables. */
#include "app/cli/commands.h"

#include <string.h>

const ps_command ps_commands[PS_CMD_COUNT] = {
#define PS_COMMAND(id, name, run, traits, argument, least, most, completes, reports, summary, text)          \
        [PS_CMD_##id] = {name, run, traits, argument, least, most, completes, reports, summary, text},
#include "app/cli/commands.def"
#undef PS_COMMAND
};

const char *const ps_exit_meanings[] = {
#define PS_EXIT(id, code, meaning) [PS_EXIT_##id] = (meaning),
#include "library/run/exit.def"
#undef PS_EXIT
};

const ps_command *ps_command_find(const char *name)
{
        for (int i = 0; i < PS_CMD_COUNT; i++)
                if (strcmp(ps_commands[i].name, name) == 0)
                        return &ps_commands[i];
        return NULL;
}

const ps_command *ps_command_default(void)
{
        const ps_command *command = ps_commands;

        while (!(command->traits & PS_IS_DEFAULT))
                command++;
        return command;
}

uint32_t ps_command_bit(const ps_command *command)
{
        return UINT32_C(1) << (command - ps_commands);
}

ps_exit ps_exit_of(ps_status status)
{
        static const ps_exit codes[] = {
                [-PS_OK] = PS_EXIT_OK,
                [-PS_E_USAGE] = PS_EXIT_USAGE,
                [-PS_E_INPUT] = PS_EXIT_INPUT,
                [-PS_E_NOMEM] = PS_EXIT_INTERNAL,
                [-PS_E_OUTPUT] = PS_EXIT_INTERNAL,
                [-PS_E_INTERNAL] = PS_EXIT_INTERNAL,
                [-PS_E_CANCELLED] = PS_EXIT_INTERNAL,
        };

        return codes[-status];
}
