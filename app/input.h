/* input.h - what the commands that read a trace have in common. */
#ifndef PS_APP_INPUT_H
#define PS_APP_INPUT_H

#include "app/commands.h"
#include "app/progress.h"
#include "core/issue.h"

ps_load_options ps_input_options(const ps_options *options, ps_progress *progress);

/* How the program ends after reading `n_events` with these issues; says so if it is not well. */
ps_exit ps_input_judge(const ps_options *options, uint64_t n_events, const ps_issues *issues);

#endif
