/* message.h - what patscan says beside its results, to whoever listens. */
#ifndef PS_LIBRARY_RUN_MESSAGE_H
#define PS_LIBRARY_RUN_MESSAGE_H

#include "library/run/asked.h"

/* A limit that was exceeded. */
void ps_message_limit(const ps_asked_terminal *terminal, const char *text);
/* Not with --quiet. */
void ps_message_warn(const ps_asked_terminal *terminal, const char *fmt, ...) PS_FORMAT(2, 3);
/* Only with --verbose. */
void ps_message_note(const ps_asked_terminal *terminal, const char *fmt, ...) PS_FORMAT(2, 3);

#endif
