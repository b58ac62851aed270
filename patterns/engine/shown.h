/* shown.h - what a walk of several processes shows whoever listens: each notes what is found at its
 * locations, under the names that partners have in the whole trace, and keeps it. Process 0 asks for it
 * location by location, so that it never holds more than a block of it. */
#ifndef PS_PATTERNS_ENGINE_SHOWN_H
#define PS_PATTERNS_ENGINE_SHOWN_H

#include "patterns/engine/engine.h"

/* An instance, without what whoever may listen does not ask for, and of the operation that lost the time what
 * it is and when it ends. */
struct shown_row {
        ps_time begin, lost, leave;
        ps_ref at, partner;
        ps_path path;
        uint16_t pattern;
        uint8_t kind;
};

struct shown;

ps_status ps_shown_new(struct shown **out, const ps_trace *trace, ps_error *err);
void ps_shown_free(struct shown *shown);
/* The same, of what was kept (core/load/share.h). */
void ps_shown_drop(void *shown);
/* `how` is that of a walk: all that its sink was to hear is noted. */
void ps_shown_note(struct shown *shown, ps_analysis_options *how);
/* After the walk: was there room for all? */
ps_status ps_shown_end(const struct shown *shown, ps_error *err);
/* Tells what listens of a location, and forgets it. */
void ps_shown_tell(struct shown *shown, ps_loc location, const ps_analysis_options *to);

/* By process 0: the same of a location whose rows are elsewhere, where they were found in the last walk that
 * somebody listened to; of others, nothing. */
typedef void ps_shown_hear(void *ctx, const struct shown_row *row);
ps_status ps_shown_ask(const ps_trace *trace, ps_loc location, ps_shown_hear *hear, void *ctx, ps_error *err);
/* For whoever hears of both alike. */
void ps_shown_pass_on(void *to, const struct shown_row *row); /* to: ps_analysis_options */

#endif
