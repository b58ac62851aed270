/* message.c - see message.h. */
#include "library/run/message.h"

#include <stdarg.h>
#include <stdio.h>

enum { MESSAGE_ROOM = 1024 };

static void tell_listener(const ps_asked_terminal *terminal, ps_message_kind kind, const char *text)
{
        if (terminal->tell)
                terminal->tell(terminal, kind, text);
}

static void tell_formatted(const ps_asked_terminal *terminal, ps_message_kind kind, const char *fmt,
                           va_list args)
{
        char text[MESSAGE_ROOM];

        vsnprintf(text, sizeof(text), fmt, args);
        tell_listener(terminal, kind, text);
}

void ps_message_limit(const ps_asked_terminal *terminal, const char *text)
{
        tell_listener(terminal, PS_MESSAGE_LIMIT, text);
}

void ps_message_warn(const ps_asked_terminal *terminal, const char *fmt, ...)
{
        va_list args;

        va_start(args, fmt);
        if (!terminal->quiet)
                tell_formatted(terminal, PS_MESSAGE_WARNING, fmt, args);
        va_end(args);
}

void ps_message_note(const ps_asked_terminal *terminal, const char *fmt, ...)
{
        va_list args;

        va_start(args, fmt);
        if (terminal->verbose)
                tell_formatted(terminal, PS_MESSAGE_NOTE, fmt, args);
        va_end(args);
}
