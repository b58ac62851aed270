/* prediction.c - see prediction.h. */
#include "report/facts/prediction.h"

#include "report/print/text.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Both wait in the same place for the same one. */
static bool is_alike(const ps_stuck_call *a, const ps_stuck_call *b)
{
        return a->call == b->call && a->file == b->file && a->line == b->line && a->partner == b->partner &&
               !a->thread && !b->thread;
}

static bool is_first(const ps_deadlock *deadlock, uint32_t i)
{
        for (uint32_t before = 0; before < i && !deadlock->is_circle; before++)
                if (is_alike(&deadlock->call[before], &deadlock->call[i]))
                        return 0;
        return 1;
}

/* Call `first`, with all others that are like it unless they are links of a circle; returns how many. */
static uint32_t put_calls(ps_output *out, const ps_deadlock *deadlock, uint32_t first)
{
        enum { LISTED_MOST = 64 };
        const ps_stuck_call *c = &deadlock->call[first];
        ps_proc rank[LISTED_MOST] = {c->process};
        char ranks[128];
        ps_sentence who = {ranks, sizeof(ranks), 0};
        uint32_t n = 1;

        for (uint32_t i = first + 1; i < deadlock->n_calls && !deadlock->is_circle && n < LISTED_MOST; i++)
                if (is_alike(c, &deadlock->call[i]))
                        rank[n++] = deadlock->call[i].process;
        ps_ranks_say(&who, "rank", "ranks", rank, n);
        ps_output_printf(out, "%s", ranks);
        if (c->thread)
                ps_output_printf(out, ", thread %" PRIu32 ",", c->thread);
        ps_output_printf(out, " %s in %.100s", n == 1 ? "waits" : "wait", c->call ? c->call : "a call");
        if (c->file)
                ps_output_printf(out, c->line ? " (%.100s:%" PRIu32 ")" : " (%.100s)", c->file, c->line);
        if (c->partner != PS_NONE)
                ps_output_printf(out, " for rank %" PRIu32, c->partner);
        else
                ps_output_printf(out, " for what never comes");
        return n;
}

char *ps_deadlock_text(const ps_deadlock *deadlock)
{
        enum { PLACES_MOST = 16 };
        uint32_t told = 0;
        ps_output *out;

        if (ps_output_open_memory(&out, PS_WIDTH_DEFAULT, NULL) != PS_OK)
                return NULL;
        for (uint32_t i = 0, places = 0; i < deadlock->n_calls && places < PLACES_MOST; i++) {
                if (!is_first(deadlock, i))
                        continue;
                ps_output_printf(out, "%s", places++ ? "; " : "");
                told += put_calls(out, deadlock, i);
        }
        if (told < deadlock->n_calls)
                ps_output_printf(out, "; and %" PRIu32 " more", deadlock->n_calls - told);
        const char *text = ps_output_text(out);
        char *copy = text ? strdup(text) : NULL;
        ps_output_discard(out);
        return copy;
}

/* A program that is laid over a grid was not measured there. */
static void put_change(ps_doc *doc, const ps_prediction *p, ps_time predicted)
{
        const ps_drift *drift = p->drift;
        double change = drift->replayed > 0 ? (double)predicted / (double)drift->replayed - 1 : 0;

        ps_doc_begin_term(doc, "Predicted");
        ps_doc_put_time(doc, PS_DOC_PLAIN, predicted);
        ps_doc_put(doc, PS_DOC_PLAIN, p->grid ? ", simulated " : ", measured ");
        ps_doc_put_time(doc, PS_DOC_PLAIN, drift->measured);
        if (predicted != drift->replayed)
                ps_doc_putf(doc, PS_DOC_PLAIN, ": %.2f %% %s than the replay without edits",
                            fabs(100 * change), change > 0 ? "longer" : "shorter");
        ps_doc_end(doc);
}

static void put_drift(ps_doc *doc, const ps_prediction *p)
{
        const ps_drift *drift = p->drift;
        ps_doc_look look = drift->is_exceeded ? PS_DOC_WARN : PS_DOC_PLAIN;

        ps_doc_begin_term(doc, "Drift");
        ps_doc_putf(doc, look,
                    "the replay without edits is %+.3f %% off the %s; the worst rank (%" PRIu32
                    ") ends %+.3f %% off",
                    100 * drift->total, p->grid ? "simulation" : "measurement", drift->worst_rank,
                    100 * drift->rank);
        if (p->worst_interval)
                ps_doc_putf(doc, look, "; the worst interval (%s) %+.3f %%", p->worst_interval,
                            100 * drift->interval);
        if (drift->is_exceeded)
                ps_doc_putf(doc, look, "; that is more than %g %%: do not trust the prediction",
                            100 * drift->limit);
        ps_doc_end(doc);
}

static ps_status put_deadlock(ps_doc *doc, const ps_deadlock *deadlock, ps_error *err)
{
        char *calls = ps_deadlock_text(deadlock);

        if (!calls)
                return PS_NOMEM(err, "text", 1);
        ps_doc_begin_term(doc, "Deadlock");
        ps_doc_putf(doc, PS_DOC_BAD, "the run never ends: %" PRIu32 " of its locations wait for ever",
                    deadlock->n_locations);
        ps_doc_end(doc);
        ps_doc_term(doc, deadlock->is_circle ? "Circle" : "Call", PS_DOC_PLAIN, calls);
        free(calls);
        return PS_OK;
}

ps_status ps_prediction_show(ps_doc *doc, const ps_prediction *p, ps_time predicted, ps_error *err)
{
        if (p->grid)
                ps_doc_term(doc, "Grid", PS_DOC_PLAIN, p->grid);
        ps_doc_term(doc, "Machine", PS_DOC_PLAIN, p->machine);
        ps_doc_term(doc, "Cost", PS_DOC_PLAIN, p->formula);
        if (p->n_edits) {
                ps_doc_begin_term(doc, "Edits");
                for (uint32_t i = 0; i < p->n_edits; i++)
                        ps_doc_putf(doc, PS_DOC_PLAIN, "%s%s", i ? ", " : "", p->edits[i]);
                ps_doc_end(doc);
        }
        if (p->drift && !p->deadlock && predicted)
                put_change(doc, p, predicted);
        if (p->drift)
                put_drift(doc, p);
        return p->deadlock ? put_deadlock(doc, p->deadlock, err) : PS_OK;
}

/* -- JSON -- */

#define RECORD     note
#define RECORD_DEF "report/facts/note.def"
#define RECORD_IT  ps_prediction_note
#define RECORD_DOC "what could not be done as the program asked"
#include "report/print/make_record.def"

#define RECORD     drift
#define RECORD_DEF "report/facts/drift.def"
#define RECORD_IN  ps_prediction
#define RECORD_IT  ps_drift
#define RECORD_DOC "how far the replay of the recording is from the measurement"
#include "report/print/make_record.def"

#define RECORD     stuck_call
#define RECORD_DEF "report/facts/stuck_call.def"
#define RECORD_IT  ps_stuck_call
#define RECORD_DOC "a call that never ends"
#include "report/print/make_record.def"

#define RECORD     deadlock
#define RECORD_DEF "report/facts/deadlock.def"
#define RECORD_IT  ps_deadlock
#define RECORD_DOC "calls that wait for one another"
#include "report/print/make_record.def"

#define RECORD     replay
#define RECORD_DEF "report/facts/replay.def"
#define RECORD_IT  ps_prediction
#define RECORD_DOC "of a replay"
#include "report/print/make_record.def"

#define RECORD     prediction
#define RECORD_DEF "report/facts/prediction.def"
#define RECORD_IT  ps_prediction
#define RECORD_DOC "what the predicted times rest on"
#include "report/print/make_record.def"
