/* lmo.c - LMO from a trace: each processor by the samples of its own ends, each pair by the
 * messages between them, less what its two processors take. Who has too few sizes takes the line of all. */
#include "simulator/cost/lmo.h"
#include "simulator/calibrate/calibrate.h"

#include <stdlib.h>

enum { OWN_SIZES = 3 };

typedef struct work {
        ps_calibration *c;
        ps_lmo *lmo;
        uint8_t *has_own; /* by processor, then by pair */
        int n_common;
} work;

/* Sending and receiving apart: the least of both would be that of the cheaper one. */
static uint64_t last_byte_of(const ps_sample *s)
{
        return s->kind == PS_SAMPLE_SEND      ? (uint64_t)s->from << 1
               : s->kind == PS_SAMPLE_RECEIVE ? (uint64_t)s->to << 1 | 1
                                              : UINT64_MAX;
}

static uint64_t pair_of(const ps_sample *s)
{
        uint64_t low = s->from < s->to ? s->from : s->to, high = s->from < s->to ? s->to : s->from;
        return s->kind == PS_SAMPLE_ONE_WAY ? low << 32 | high : UINT64_MAX;
}

/* The mean of both ends, or the one that is known. */
static void keep_end(void *ctx, uint64_t key, const ps_fit *fit)
{
        work *w = ctx;
        uint32_t i = (uint32_t)(key >> 1);
        double *fixed = &w->lmo->processing_s[i], *per_byte = &w->lmo->processing_s_per_byte[i];
        if (fit->n_sizes < OWN_SIZES)
                return;
        *fixed = w->has_own[i] ? (*fixed + fit->fast.fixed_s) / 2 : fit->fast.fixed_s;
        *per_byte = w->has_own[i] ? (*per_byte + fit->fast.per_byte_s) / 2 : fit->fast.per_byte_s;
        w->has_own[i] = 1;
}

static void set_pair(work *w, uint32_t i, uint32_t j, const ps_fit_line *way)
{
        ps_lmo *lmo = w->lmo;
        size_t at = (size_t)i * lmo->n + j, mirror = (size_t)j * lmo->n + i;
        double latency = ps_calibration_rest(w->c, way->fixed_s, lmo->processing_s[i] + lmo->processing_s[j]);
        double per_byte = ps_calibration_rest(w->c, way->per_byte_s,
                                              lmo->processing_s_per_byte[i] + lmo->processing_s_per_byte[j]);
        lmo->latency_s[at] = lmo->latency_s[mirror] = latency;
        lmo->bandwidth_bytes_per_s[at] = lmo->bandwidth_bytes_per_s[mirror] = 1 / per_byte;
}

static void keep_pair(void *ctx, uint64_t key, const ps_fit *fit)
{
        work *w = ctx;
        uint32_t i = (uint32_t)(key >> 32), j = (uint32_t)key;
        if (fit->n_sizes < OWN_SIZES)
                return;
        set_pair(w, i, j, &fit->fast);
        w->has_own[w->lmo->n + (size_t)i * w->lmo->n + j] = 1;
}

/* The line of both ends together. */
static void fill_ranks(work *w)
{
        const ps_fit *fit = w->c->cls[PS_CLASS_ALL].fit;
        for (uint32_t i = 0; i < w->lmo->n; i++) {
                if (w->has_own[i])
                        continue;
                w->lmo->processing_s[i] =
                        (fit[PS_SAMPLE_SEND].fast.fixed_s + fit[PS_SAMPLE_RECEIVE].fast.fixed_s) / 2;
                w->lmo->processing_s_per_byte[i] =
                        (fit[PS_SAMPLE_SEND].fast.per_byte_s + fit[PS_SAMPLE_RECEIVE].fast.per_byte_s) / 2;
                w->n_common++;
        }
}

static void fill_pairs(work *w, const uint32_t *node)
{
        for (uint32_t i = 0; i < w->lmo->n; i++)
                for (uint32_t j = i + 1; j < w->lmo->n; j++) {
                        if (w->has_own[w->lmo->n + (size_t)i * w->lmo->n + j])
                                continue;
                        const ps_class_fit *cls =
                                &w->c->cls[node && node[i] == node[j] ? PS_CLASS_NEAR : PS_CLASS_FAR];
                        if (!cls->fit[PS_SAMPLE_ONE_WAY].n_sizes)
                                cls = &w->c->cls[PS_CLASS_ALL];
                        set_pair(w, i, j, &cls->fit[PS_SAMPLE_ONE_WAY].fast);
                        w->n_common++;
                }
}

/* The rows of the report: `values` has room for all pairs. */
static void add_rows(ps_calibration *c, double *values)
{
        const ps_lmo *lmo = &c->machine.lmo;
        size_t n = 0;
        for (; n < lmo->n; n++)
                values[n] = lmo->processing_s[n];
        ps_calibration_add_many(c, "processing_s", PS_A_SECONDS, values, n);
        for (n = 0; n < lmo->n; n++)
                values[n] = lmo->processing_s_per_byte[n];
        ps_calibration_add_many(c, "processing_s_per_byte", PS_A_SECONDS_PER_BYTE, values, n);
        n = 0;
        for (uint32_t i = 0; i < lmo->n; i++)
                for (uint32_t j = i + 1; j < lmo->n; j++)
                        values[n++] = lmo->latency_s[(size_t)i * lmo->n + j];
        ps_calibration_add_many(c, "latency_s", PS_A_SECONDS, values, n);
        n = 0;
        for (uint32_t i = 0; i < lmo->n; i++)
                for (uint32_t j = i + 1; j < lmo->n; j++)
                        values[n++] = lmo->bandwidth_bytes_per_s[(size_t)i * lmo->n + j];
        ps_calibration_add_many(c, "bandwidth_bytes_per_s", PS_A_RATE, values, n);
}

ps_status ps_calibration_add_lmo(ps_calibration *c, ps_error *err)
{
        size_t n = (size_t)c->machine.lmo.n * c->machine.lmo.n;
        double *values = malloc(n * sizeof(*values));
        if (!values)
                return PS_NOMEM(err, "parameters", n);
        add_rows(c, values);
        free(values);
        return PS_OK;
}

static const char *refuse(const ps_calibration *c, const ps_samples *samples)
{
        const ps_fit *fit = c->cls[PS_CLASS_ALL].fit;
        if (samples->n_processes < 2 || samples->n_processes > PS_LMO_RANKS_MAX)
                return "LMO is for 2 to 1024 processors";
        if (!fit[PS_SAMPLE_ONE_WAY].n_sizes)
                return ps_calibration_no_way(samples);
        if (!fit[PS_SAMPLE_SEND].n_sizes || !fit[PS_SAMPLE_RECEIVE].n_sizes)
                return "messages alone tell only the sums C[i] + L + C[j] and t[i] + 1/B + t[j]: it needs "
                       "samples of both ends, or round trips of triples (tools/lmo_bench)";
        return NULL;
}

ps_status ps_calibrate_lmo(ps_calibration *c, const ps_samples *samples, ps_error *err)
{
        uint32_t n = samples->n_processes;
        work w = {.c = c, .lmo = &c->machine.lmo};
        c->refusal = refuse(c, samples);
        if (c->refusal)
                return PS_OK;
        ps_status status = ps_lmo_alloc(w.lmo, n, err);
        w.has_own = calloc((size_t)n + (size_t)n * n, 1);
        if (status == PS_OK && !w.has_own)
                status = PS_NOMEM(err, "pairs", (size_t)n * n);
        PS_THEN(status, ps_fit_groups(samples, last_byte_of, keep_end, &w, err));
        if (status == PS_OK) {
                fill_ranks(&w);
                status = ps_fit_groups(samples, pair_of, keep_pair, &w, err);
        }
        if (status == PS_OK)
                fill_pairs(&w, samples->has_nodes ? samples->node_of_rank : NULL);
        if (w.n_common) {
                ps_calibration_note(c, PS_NOTE_COMMON_ENDS);
                ps_calibration_note_ends(c);
                ps_calibration_note_way(c, &c->cls[PS_CLASS_ALL].fit[PS_SAMPLE_ONE_WAY]);
        }
        free(w.has_own);
        return status != PS_OK ? status : ps_calibration_add_lmo(c, err);
}
