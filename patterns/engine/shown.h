/* shown.h - what a walk of several processes shows whoever listens: each notes what is found at its
 * locations, under the names that partners have in the whole trace, and keeps it. Process 0 asks for it
 * location by location, so that it never holds more than a block of it. */
#ifndef PS_PATTERNS_ENGINE_SHOWN_H
#define PS_PATTERNS_ENGINE_SHOWN_H

#include "core/exchange/exchange.h"
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

/* How a process keeps what its walk finds, for a work that is to come. */
typedef struct ps_keeper {
        /* `how` is that of the walk, which has this as its sink then. */
        ps_status (*begin)(void **out, const ps_trace *trace, ps_analysis_options *how, ps_error *err);
        /* After the walk: was there room for all? */
        ps_status (*end)(const void *kept, ps_error *err);
        void (*drop)(void *kept);
} ps_keeper;

/* As a struct shown. */
extern const ps_keeper ps_shown_keeper;
/* Tells what listens of a location, and forgets it. */
void ps_shown_tell(struct shown *shown, ps_loc location, const ps_analysis_options *to);

/* By process 0: the same of locations whose rows are elsewhere, best in their order, of the last walk that
 * somebody listened to, a block at a time, in which there are as many locations as it has room for. */
struct shown_reader {
        const ps_trace *trace;
        ps_loc location;
        uint32_t from;
        bool is_over;  /* there are no more of the location */
        ps_time least; /* if there are, none of them begins before that, whether it is waited for at the begin
                          of a call or done at its end */
        ps_pile pile;
        const struct shown_row *row; /* what is left of the block */
        size_t n;
        uint64_t at, behind;
};

void ps_shown_begin(struct shown_reader *reader, const ps_trace *trace, ps_loc location);
/* Those that come next. Of locations whose rows are here there are none. */
ps_status ps_shown_next(struct shown_reader *reader, const struct shown_row **row, size_t *n, ps_error *err);
void ps_shown_stop(struct shown_reader *reader);
/* For whoever hears of both alike. */
void ps_shown_pass_on(const ps_analysis_options *to, const struct shown_row *row);

#endif
