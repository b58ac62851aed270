/* predict.c - runs on other machines, and with something different. */
#include "library/api/handle.h"
#include "library/run/predicted.h"
#include "simulator/machine/file.h"

#include <math.h>
#include <stdlib.h>

struct patscan_prediction {
        const patscan_trace *trace;
        ps_arena *arena;
        ps_options asked;
        ps_plan plan;
        ps_edits edits;
        ps_predict_run run;
        ps_predicted *predicted;
};

static ps_status lend_trace(void *ctx, ps_trace **out, const struct ps_piece_options *pieces, ps_error *err)
{
        const patscan_trace *trace = ctx;

        (void)pieces; /* it was opened with them, or is lean */
        (void)err;
        *out = trace->trace;
        return PS_OK;
}

/* Edits may change the machine, so that each prediction has its own. */
static ps_status open_machine(patscan_prediction *p, const patscan_machine *machine, ps_error *err)
{
        char *name = machine ? ps_made_rows_copy(p->arena, machine->name) : NULL;

        if (machine && !name)
                return PS_NOMEM(err, "machine", 1);
        if (name)
                p->asked.machine.names = (ps_word_list){{name}, 1};
        if (machine && machine->machine)
                return ps_machine_open(&p->run.on.machine, name, err);
        p->run.on.divider = machine ? machine->divider : NULL;
        return PS_OK;
}

static ps_status take_edits(patscan_prediction *p, const char *const *edits, size_t n, ps_error *err)
{
        char **text = PS_ARENA_NEW(p->arena, char *, n + 1);

        if (n >= PS_EDITS_MAX)
                return PS_FAIL(err, PS_E_USAGE, "there are too many edits: given=%zu, most=%d", n,
                               PS_EDITS_MAX - 1);
        for (size_t i = 0; text && i < n; i++)
                if (!(text[i] = ps_made_rows_copy(p->arena, edits[i])))
                        return PS_NOMEM(err, "edits", n);
        return text ? ps_edits_parse(&p->edits, (const char *const *)text, (unsigned)n, err)
                    : PS_NOMEM(err, "edits", n);
}

static ps_status predict(patscan_prediction *p, ps_error *err)
{
        PS_TRY(ps_predicted_new(&p->predicted, &p->asked, &p->plan, &p->run, err));
        if (!ps_predicted_stuck(p->predicted))
                return PS_OK;
        ps_error told = {0};
        PS_TRY(ps_predicted_tell_stuck(p->predicted, &told, err));
        return PS_FAIL(err, PS_E_INPUT, "%s", told.cause[0].text);
}

patscan_status patscan_predict(patscan_prediction **out, const patscan_trace *trace,
                               const patscan_machine *machine, const char *const *edits, size_t n,
                               patscan_error *err)
{
        unsigned lacks = ps_memory_lacks();
        *out = NULL;
        patscan_prediction *p = calloc(1, sizeof(*p));
        if (!p)
                return PS_NOMEM(err, "prediction", 1);
        p->trace = trace;
        p->asked = trace->asked;
        p->asked.reports.are_open = true;
        p->run = (ps_predict_run){.load = lend_trace,
                                  // NOLINTNEXTLINE(performance-no-int-to-ptr): const goes; it is only lent
                                  .ctx = (void *)(uintptr_t)trace,
                                  .is_borrowed = true,
                                  .edits = &p->edits};
        p->arena = ps_arena_new();
        ps_status status = p->arena ? PS_OK : PS_NOMEM(err, "prediction", 1);
        PS_THEN(status, open_machine(p, machine, err));
        PS_THEN(status, take_edits(p, edits, n, err));
        PS_THEN(status, ps_plan_make(&p->plan, &p->asked, err));
        PS_THEN(status, predict(p, err));
        PS_THEN(status, ps_handle_is_whole(lacks, err));
        if (status != PS_OK) {
                patscan_prediction_free(p);
                return status;
        }
        *out = p;
        return PS_OK;
}

void patscan_prediction_free(patscan_prediction *p)
{
        if (!p)
                return;
        ps_predicted_free(p->predicted);
        ps_plan_clear(&p->plan);
        ps_edits_clear(&p->edits);
        ps_machine_free(p->run.on.machine);
        ps_arena_free(p->arena);
        free(p);
}

static const ps_timing *timing_of(const patscan_prediction *p)
{
        return ps_predicted_replays(p->predicted)->run[PS_REPLAYED_EDITED].timing;
}

double patscan_prediction_duration_s(const patscan_prediction *p)
{
        return ps_time_seconds(timing_of(p)->duration);
}

double patscan_prediction_drift(const patscan_prediction *p)
{
        return ps_predicted_drift(p->predicted)->drift.total;
}

patscan_status patscan_prediction_analyze(patscan_analysis **out, patscan_prediction *p,
                                          const patscan_analyze_options *options, patscan_error *err)
{
        patscan_analysis *a = NULL;
        unsigned lacks = ps_memory_lacks();
        *out = NULL;
        ps_status status = ps_handle_new(&a, p->trace, options, err);

        if (status == PS_OK) {
                ps_predicted_plan(p->predicted, &a->plan);
                a->asked.machine.names = p->asked.machine.names;
        }
        PS_THEN(status, ps_handle_report(a, ps_predicted_replays(p->predicted)->trace, err));
        PS_THEN(status, ps_handle_is_whole(lacks, err));
        if (status != PS_OK) {
                patscan_analysis_free(a);
                return status;
        }
        *out = a;
        return PS_OK;
}
