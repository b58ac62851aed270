/* message.h - what patscan says beside its results, on stderr. */
#ifndef PS_APP_CLI_MESSAGE_H
#define PS_APP_CLI_MESSAGE_H

#include "app/cli/options.h"

/* The causes, outermost first; with --verbose also where in patscan's source they arose. */
void ps_message_error(const ps_asked_terminal *terminal, const ps_error *err);
/* Why the program ends with PS_EXIT_GATE. */
void ps_message_limit(const ps_asked_terminal *terminal, const char *text);
/* Not with --quiet. */
void ps_message_warn(const ps_asked_terminal *terminal, const char *fmt, ...) PS_FORMAT(2, 3);
/* Warns of the first of the options "a|b|c" that was given: it changes nothing, and `reason` says why. */
void ps_message_idle(const ps_options *options, const char *names, const char *reason);
/* Only with --verbose. */
void ps_message_note(const ps_asked_terminal *terminal, const char *fmt, ...) PS_FORMAT(2, 3);

#endif
