/* message.h - what patscan says beside its results, on stderr. */
#ifndef PS_APP_CLI_MESSAGE_H
#define PS_APP_CLI_MESSAGE_H

#include "app/cli/options.h"
#include "library/run/message.h"

/* The causes, outermost first; with --verbose also where in patscan's source they arose. */
void ps_message_error(const ps_asked_terminal *terminal, const ps_error *err);
/* For ps_asked_terminal.tell. */
void ps_message_print(const ps_asked_terminal *terminal, ps_message_kind kind, const char *text);
/* Warns of the first of the options "a|b|c" that was given: it changes nothing, and `reason` says why. */
void ps_message_idle(const ps_options *options, const char *names, const char *reason);

#endif
