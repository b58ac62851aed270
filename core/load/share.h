/* share.h - the reading of a trace, dealt out to several processes (core/exchange).
 *
 * Process 0 loads; the others serve it. Each process of the program that was traced is read by one of ours,
 * all of its threads together; what is left of it after the fold travels to process 0, which goes on as if it
 * had read it. The others keep it, too, for what process 0 lets each do with the rows that it has. Only
 * process 0 decides what is done, so that whatever fails in it ends nobody else's waiting. */
#ifndef PS_CORE_LOAD_SHARE_H
#define PS_CORE_LOAD_SHARE_H

#include "core/match/agreed.h"
#include "core/model/format.h"
#include "core/model/loading.h"
#include "core/model/trace.h"

struct ps_folding;

/* The stage of a load: all locations have builders that were ended. */
ps_status ps_share_fold(struct ps_folding *f, ps_error *err);
/* For ps_exchange.told, of a trace that was loaded. */
void ps_share_count(const struct ps_folding *f);

/* Who has which rows of a trace. */
typedef struct ps_spread {
        ps_exchange *x;
        const uint32_t *owner; /* by process of the program: which of ours */
        uint32_t reading;      /* which one of ps_exchange.readings */
        ps_agreed agreed;      /* of the collective operations of the trace: what each is to all */
        bool rows_are_away;    /* process 0 has only its own, and those that it asked for */
        struct ps_kept *kept;  /* of the others: see ps_share_keep */
} ps_spread;

/* Lets a trace that was loaded be worked on by all, where its rows are the same everywhere. */
ps_status ps_share_spread(const struct ps_folding *f, ps_error *err);

/* A work that all do with the rows that they have: `trace` holds those of this process, with their call paths
 * and times, and nothing of the others. Process 0 and the others call the same functions of the exchange, in
 * the same order, or ps_share_gather alone. */
typedef void (*ps_share_work)(const ps_trace *trace, unsigned n_threads, uint8_t *asked, size_t n);

/* The numbers of works, those of patterns from PS_WORKS_OF_PATTERNS on (patterns/engine/works.h). */
enum { PS_WORK_STRETCHES, PS_WORKS_OF_PATTERNS };

/* What the processes other than 0 do until they are dismissed: what process 0 asks them for. `find` knows
 * formats by their names, `works` is what can be asked. What fails is process 0's to tell. */
void ps_share_serve(ps_exchange *x, const ps_reader_class *(*find)(const char *name),
                    const ps_share_work *works);
/* By one of the others, in a work: what this has made is here for works that follow, until another one has
 * something to keep, or nothing more is asked of the trace; then it is freed. */
void ps_share_keep(const ps_trace *trace, void *what, void (*drop)(void *what));
/* What was kept, or NULL. */
void *ps_share_kept(const ps_trace *trace);
/* By process 0: there is nothing more to do. */
void ps_share_dismiss(ps_exchange *x);

/* Who has rows of the trace at these times, or NULL: this process alone. */
ps_exchange *ps_share_others(const ps_trace *trace, const ps_timing *timing);
/* Have they rows that process 0 does not? */
bool ps_share_is_apart(const ps_trace *trace, const ps_timing *timing);
/* How many collective operations the trace has: process 0 may know of its own only. */
uint32_t ps_share_n_collectives(const ps_trace *trace);
/* Is it this process that works on the location's rows? */
bool ps_share_is_here(const ps_trace *trace, ps_loc location);
/* By process 0, before it looks at rows that may be away: those of these calls, and what they complete. Who
 * took part in a collective operation they do not tell. */
ps_status ps_share_bring(const ps_trace *trace, const ps_ref *rows, size_t n, ps_error *err);
/* By process 0: the trace with the rows that are here, where others may stand for those that are away. What
 * it holds is freed by looking away. */
ps_status ps_share_look(ps_trace *out, const ps_trace *trace, ps_error *err);
void ps_share_look_away(ps_trace *look);
/* Has this process the rows of all? */
bool ps_share_has_all(const ps_trace *trace);
/* By process 0: nothing more will be asked of a trace that others have rows of, too; they drop them. */
void ps_share_forget(const ps_trace *trace);
/* By process 0: the others begin, with what is asked, and so should it. */
ps_status ps_share_ask(ps_exchange *x, unsigned work, const void *asked, size_t n, ps_error *err);
/* The end of a work, whatever became of it: process 0 gets what each has made. */
ps_status ps_share_gather(ps_exchange *x, ps_status status, ps_pile *out, const void *mine, size_t n,
                          ps_error *err);

#endif
