/* input.h - what the commands that read a trace have in common. */
#ifndef PS_APP_CLI_INPUT_H
#define PS_APP_CLI_INPUT_H

#include "app/cli/commands.h"
#include "app/cli/progress.h"
#include "library/run/input.h"

ps_load_options ps_input_options(const ps_options *options, ps_progress *progress);

/* Traces and reports are read in any order, and more than once: what comes through the standard input, where
 * one is called "-", or through another pipe is kept in a file without a name, and the argument becomes what
 * opens it. */
ps_status ps_input_take_pipes(ps_options *options, ps_error *err);

/* What a run that was killed has left becomes an archive before it is read. */
ps_status ps_input_finish(const ps_options *options, const char *path, ps_error *err);

/* Is it a saved report? */
bool ps_input_is_saved(const char *path);

/* A trace, with progress and a note of how long it took. What everybody has to know of it is said at once. */
ps_status ps_input_read(ps_trace **out, const ps_options *options, const char *path,
                        const ps_load_options *how, ps_error *err);
/* Whatever is read and analysed with the options shows a bar. */
typedef struct ps_input_bars {
        ps_progress reading, analysing;
} ps_input_bars;
void ps_input_show_progress(ps_options *options, ps_input_bars *bars);
/* The trace that is the command's first argument, as the options ask for it. */
ps_status ps_input_load(ps_trace **out, const ps_options *options, const struct ps_piece_options *pieces,
                        ps_error *err);

#endif
