/* message.c - see message.h. */
#include "library/run/message.h"

#include <stdarg.h>
#include <stdio.h>

enum { MESSAGE_ROOM = 1024 };

static void tell(const ps_asked_terminal *terminal, ps_message_kind kind, const char *text)
{
        if (terminal->tell)
                terminal->tell(terminal, kind, text);
}

void ps_message_limit(const ps_asked_terminal *terminal, const char *text)
{
        tell(terminal, PS_MESSAGE_LIMIT, text);
}

void ps_message_warn(const ps_asked_terminal *terminal, const char *fmt, ...)
{
        char text[MESSAGE_ROOM];
        va_list args;

        va_start(args, fmt);
        vsnprintf(text, sizeof(text), fmt, args);
        va_end(args);
        if (!terminal->quiet)
                tell(terminal, PS_MESSAGE_WARNING, text);
}

void ps_message_note(const ps_asked_terminal *terminal, const char *fmt, ...)
{
        char text[MESSAGE_ROOM];
        va_list args;

        va_start(args, fmt);
        vsnprintf(text, sizeof(text), fmt, args);
        va_end(args);
        if (terminal->verbose)
                tell(terminal, PS_MESSAGE_NOTE, text);
}
