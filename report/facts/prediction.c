/* prediction.c - see prediction.h. */
#include "report/facts/prediction.h"
#include "report/print/text.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

enum { LABEL_COLUMNS = 10 };

/* Text that grows; it never fails, but may stay short. */
typedef struct text {
        char *at;
        size_t n, cap;
        int failed;
} text;

static void PS_FORMAT(2, 3) add(text *t, const char *fmt, ...)
{
        enum { MOST = 512 };
        va_list args;

        if (t->n + MOST > t->cap) {
                char *grown = realloc(t->at, 2 * t->cap + MOST);
                t->failed |= !grown;
                if (!grown)
                        return;
                t->at = grown;
                t->cap = 2 * t->cap + MOST;
        }
        va_start(args, fmt);
        int n = vsnprintf(t->at + t->n, MOST, fmt, args);
        va_end(args);
        t->n += n < MOST ? (size_t)n : MOST - 1;
}

static void add_call(text *t, const ps_stuck_call *c)
{
        add(t, "rank %" PRIu32, c->process);
        if (c->thread)
                add(t, ", thread %" PRIu32 ",", c->thread);
        add(t, " in %.100s", c->call ? c->call : "a call");
        if (c->file)
                add(t, c->line ? " (%.100s:%" PRIu32 ")" : " (%.100s)", c->file, c->line);
        if (c->partner != PS_NONE)
                add(t, " waits for rank %" PRIu32, c->partner);
        else
                add(t, " waits for what never comes");
}

char *ps_deadlock_text(const ps_deadlock *deadlock)
{
        enum { CALLS_MOST = 16 };
        text t = {0};

        for (uint32_t i = 0; i < deadlock->n_calls && i < CALLS_MOST; i++) {
                add(&t, "%s", i ? "; " : "");
                add_call(&t, &deadlock->call[i]);
        }
        if (deadlock->n_calls > CALLS_MOST)
                add(&t, "; and %" PRIu32 " more", deadlock->n_calls - CALLS_MOST);
        if (!t.failed && t.at)
                return t.at;
        free(t.at);
        return NULL;
}

static void put_change(text *t, const ps_drift *drift, ps_time predicted)
{
        char measured[PS_NUMBER_ROOM], now[PS_NUMBER_ROOM];
        double change = drift->replayed > 0 ? (double)predicted / (double)drift->replayed - 1 : 0;

        ps_text_duration(measured, drift->measured);
        ps_text_duration(now, predicted);
        add(t, "%s, measured %s", now, measured);
        if (predicted != drift->replayed)
                add(t, ": %.2f %% %s than the replay without edits", fabs(100 * change),
                    change > 0 ? "longer" : "shorter");
}

static void put_drift(text *t, const ps_prediction *p)
{
        const ps_drift *drift = p->drift;

        add(t,
            "the replay without edits is %+.3f %% off the measurement; the worst rank (%" PRIu32
            ") ends %+.3f %% off",
            100 * drift->total, drift->worst_rank, 100 * drift->rank);
        if (p->worst_interval)
                add(t, "; the worst interval (%.100s) %+.3f %%", p->worst_interval, 100 * drift->interval);
        if (drift->is_exceeded)
                add(t, "; that is more than %g %%: do not trust the prediction", 100 * drift->limit);
}

typedef struct rows {
        ps_prediction_put *put;
        void *ctx;
        int failed;
} rows;

static void put_row(rows *r, const char *label, const char *what, ps_style style)
{
        char *clean = ps_text_clean(what);
        if (clean)
                r->put(r->ctx, label, clean, style);
        r->failed |= !clean;
        free(clean);
}

/* And empties the text. */
static void put_grown(rows *r, const char *label, text *t, ps_style style)
{
        if (!t->failed && t->at)
                put_row(r, label, t->at, style);
        r->failed |= t->failed;
        free(t->at);
        *t = (text){0};
}

static void put_deadlock(rows *r, const ps_deadlock *deadlock)
{
        text t = {0};
        char *calls = ps_deadlock_text(deadlock);

        add(&t, "the run never ends: %" PRIu32 " of its locations wait for ever", deadlock->n_locations);
        put_grown(r, "Deadlock", &t, PS_RED);
        if (calls)
                put_row(r, deadlock->is_circle ? "Circle" : "Call", calls, PS_PLAIN);
        r->failed |= !calls;
        free(calls);
}

ps_status ps_prediction_rows(const ps_prediction *p, ps_time predicted, ps_prediction_put *put, void *ctx,
                             ps_error *err)
{
        rows r = {put, ctx, 0};
        text t = {0};

        if (p->grid)
                put_row(&r, "Grid", p->grid, PS_PLAIN);
        put_row(&r, "Machine", p->machine, PS_PLAIN);
        put_row(&r, "Cost", p->formula, PS_PLAIN);
        for (uint32_t i = 0; i < p->n_edits; i++)
                add(&t, "%s%.400s", i ? ", " : "", p->edits[i]);
        put_grown(&r, "Edits", &t, PS_PLAIN);
        if (p->drift && !p->deadlock) {
                put_change(&t, p->drift, predicted);
                put_grown(&r, "Predicted", &t, PS_PLAIN);
        }
        if (p->drift) {
                put_drift(&t, p);
                put_grown(&r, "Drift", &t, p->drift->is_exceeded ? PS_YELLOW : PS_PLAIN);
        }
        if (p->deadlock)
                put_deadlock(&r, p->deadlock);
        return r.failed ? PS_NOMEM(err, "text", 1) : PS_OK;
}

static void put_text_row(void *ctx, const char *label, const char *what, ps_style style)
{
        ps_output *out = ctx;

        ps_text_write_label(out, label, LABEL_COLUMNS);
        ps_output_style(out, style);
        ps_text_wrap(out, what, LABEL_COLUMNS, ps_output_width(out));
        ps_output_style(out, PS_PLAIN);
        ps_output_putc(out, '\n');
}

ps_status ps_prediction_write_text(const ps_prediction *p, ps_time predicted, ps_output *out, ps_error *err)
{
        return ps_prediction_rows(p, predicted, put_text_row, out, err);
}

/* -- JSON */

#define RECORD     note
#define RECORD_DEF "report/facts/note.def"
#define RECORD_IN  void
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
#define RECORD_IN  void
#define RECORD_IT  ps_stuck_call
#define RECORD_DOC "a call that never ends"
#include "report/print/make_record.def"

#define RECORD     deadlock
#define RECORD_DEF "report/facts/deadlock.def"
#define RECORD_IN  void
#define RECORD_IT  ps_deadlock
#define RECORD_DOC "calls that wait for one another"
#include "report/print/make_record.def"

#define RECORD     replay
#define RECORD_DEF "report/facts/replay.def"
#define RECORD_IN  void
#define RECORD_IT  ps_prediction
#define RECORD_DOC "of a replay"
#include "report/print/make_record.def"

#define RECORD     prediction
#define RECORD_DEF "report/facts/prediction.def"
#define RECORD_IN  void
#define RECORD_IT  ps_prediction
#define RECORD_DOC "what the predicted times rest on"
#include "report/print/make_record.def"
