/* calibrate.c - what the samples of each class say, and which of it the model takes. */
#include "simulator/calibrate/calibrate.h"
#include "core/base/radix.h"
#include "core/base/search.h"
#include "simulator/cost/collectives.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

const char *const ps_class_names[PS_N_CLASSES] = {"intra-node", "inter-node", "all"};

const ps_calibrate_reason_info ps_calibrate_notes[PS_N_NOTES] = {
#define PS_CALIBRATE_NOTE(id, name, text) {name, text},
#include "simulator/calibrate/notes.def"
#undef PS_CALIBRATE_NOTE
};

bool ps_class_has(ps_calibrate_class cls, const ps_sample *sample)
{
        return cls == PS_CLASS_ALL || (cls == PS_CLASS_NEAR) == (sample->is_near != 0);
}

void ps_calibration_note(ps_calibration *c, ps_calibrate_note note)
{
        c->notes |= UINT64_C(1) << note;
}

double ps_calibration_rest(ps_calibration *c, double whole, double part)
{
        if (whole >= part)
                return whole - part;
        c->n_clamped++;
        ps_calibration_note(c, PS_NOTE_ENDS_HELD_APART);
        return 0;
}

ps_calibrated *ps_calibration_add(ps_calibration *c, const char *name, ps_amount type, double value)
{
        uint32_t at = c->n_rows < PS_CALIBRATED_MAX ? c->n_rows++ : PS_CALIBRATED_MAX - 1;
        c->row[at] = (ps_calibrated){.name = name,
                                     .where = "",
                                     .type = type,
                                     .value = value,
                                     .low = NAN,
                                     .high = NAN,
                                     .typical = NAN,
                                     .n_values = 1};
        return &c->row[at];
}

void ps_calibration_add_many(ps_calibration *c, const char *name, ps_amount type, double *values, size_t n)
{
        if (!n)
                return;
        qsort(values, n, sizeof(*values), ps_doubles_compare);
        ps_calibrated *row = ps_calibration_add(c, name, type, values[n / 2]);
        row->low = values[0];
        row->high = values[n - 1];
        row->n_values = (uint32_t)n;
        /* A cost of 0 was not measured, and neither was a rate without limit. */
        row->is_assumed = !(row->value > 0) || !isfinite(row->value);
}

/* -- groups of samples -- */

typedef struct keyed {
        uint64_t key;
        ps_sample_point point;
} keyed;

static uint64_t key_of(const void *row)
{
        const keyed *k = row;
        return k->key;
}

static ps_row_number *const by_key[] = {key_of};

static ps_status visit_groups(keyed *rows, ps_sample_point *points, size_t n,
                              void (*visit)(void *ctx, uint64_t key, const ps_fit *fit), void *ctx,
                              ps_error *err)
{
        if (ps_radix_sort(rows, n, sizeof(*rows), by_key, 1))
                return PS_NOMEM(err, "samples", n);
        for (size_t first = 0, end; first < n; first = end) {
                ps_fit fit;
                for (end = first; end < n && rows[end].key == rows[first].key; end++)
                        points[end - first] = rows[end].point;
                PS_TRY(ps_fit_make(&fit, points, end - first, err));
                visit(ctx, rows[first].key, &fit);
        }
        return PS_OK;
}

ps_status ps_fit_groups(const ps_samples *samples, uint64_t (*key)(const ps_sample *sample),
                        void (*visit)(void *ctx, uint64_t key, const ps_fit *fit), void *ctx, ps_error *err)
{
        size_t room = samples->n ? samples->n : 1, n = 0;
        keyed *rows = malloc(room * sizeof(*rows));
        ps_sample_point *points = malloc(room * sizeof(*points));
        ps_status status = PS_OK;
        for (size_t i = 0; rows && points && i < samples->n; i++) {
                const ps_sample *s = &samples->row[i];
                uint64_t k = key(s);
                if (k != UINT64_MAX)
                        rows[n++] = (keyed){k, {(double)s->bytes, s->s}};
        }
        status = rows && points ? visit_groups(rows, points, n, visit, ctx, err)
                                : PS_NOMEM(err, "samples", room);
        free(rows);
        free(points);
        return status;
}

/* -- classes -- */

static uint64_t near_and_kind(const ps_sample *sample)
{
        return (uint64_t)sample->is_near * PS_N_SAMPLE_KINDS + sample->kind;
}

static uint64_t kind_alone(const ps_sample *sample)
{
        return sample->kind;
}

static void keep_class(void *ctx, uint64_t key, const ps_fit *fit)
{
        ps_calibration *c = ctx;
        bool is_near = key >= PS_N_SAMPLE_KINDS;
        c->cls[is_near ? PS_CLASS_NEAR : PS_CLASS_FAR].fit[key % PS_N_SAMPLE_KINDS] = *fit;
}

static void keep_all(void *ctx, uint64_t key, const ps_fit *fit)
{
        ((ps_calibration *)ctx)->cls[PS_CLASS_ALL].fit[key] = *fit;
}

/* Ranks are below 2^31: traces of more would not fit into memory. */
static uint64_t pair_of(const ps_sample *s)
{
        uint64_t low = s->from < s->to ? s->from : s->to, high = s->from < s->to ? s->to : s->from;
        return ((uint64_t)(s->is_near != 0) << 62) | low << 31 | high;
}

static uint64_t pair_of_way(const ps_sample *s)
{
        return s->kind == PS_SAMPLE_ONE_WAY ? pair_of(s) : UINT64_MAX;
}

static void count_pair(void *ctx, uint64_t key, const ps_fit *fit)
{
        ps_calibration *c = ctx;
        (void)fit;
        c->cls[key >> 62 ? PS_CLASS_NEAR : PS_CLASS_FAR].n_pairs++;
        c->cls[PS_CLASS_ALL].n_pairs++;
}

static void widen(double limits[2], double value, bool is_first)
{
        limits[0] = is_first || value < limits[0] ? value : limits[0];
        limits[1] = is_first || value > limits[1] ? value : limits[1];
}

static void keep_own(void *ctx, uint64_t key, const ps_fit *fit)
{
        ps_calibration *c = ctx;
        const ps_calibrate_class classes[] = {key >> 62 ? PS_CLASS_NEAR : PS_CLASS_FAR, PS_CLASS_ALL};
        for (int i = 0; i < 2 && fit->n_sizes >= 3; i++) {
                ps_class_fit *cls = &c->cls[classes[i]];
                widen(cls->own_fixed, fit->fast.fixed_s, !cls->n_own);
                widen(cls->own_per_byte, fit->fast.per_byte_s, !cls->n_own);
                cls->n_own++;
        }
}

static ps_status fit_classes(ps_calibration *c, const ps_samples *samples, ps_error *err)
{
        PS_TRY(ps_fit_groups(samples, near_and_kind, keep_class, c, err));
        PS_TRY(ps_fit_groups(samples, kind_alone, keep_all, c, err));
        PS_TRY(ps_fit_groups(samples, pair_of, count_pair, c, err));
        return ps_fit_groups(samples, pair_of_way, keep_own, c, err);
}

/* -- the whole -- */

static const ps_calibrate_note notes_of_grades[PS_N_GRADES] = {
        [PS_GRADE_PAIRED] = PS_NOTE_PAIRED,
        [PS_GRADE_MEETING] = PS_NOTE_MEETINGS,
        [PS_GRADE_NONBLOCKING] = PS_NOTE_NONBLOCKING_SENDS,
};

/* A class without samples has the costs of the other one. */
static void note_classes(ps_calibration *c, const ps_samples *samples)
{
        const ps_class_fit *near = &c->cls[PS_CLASS_NEAR], *far = &c->cls[PS_CLASS_FAR];
        if (!samples->has_nodes)
                return;
        if (!far->fit[PS_SAMPLE_ONE_WAY].n_sizes)
                ps_calibration_note(c, PS_NOTE_NEAR_ONLY);
        else if (near->n_pairs && !near->fit[PS_SAMPLE_ONE_WAY].n_sizes)
                ps_calibration_note(c, PS_NOTE_FAR_ONLY);
}

static void note_samples(ps_calibration *c, const ps_samples *samples)
{
        const ps_fit *way = &c->cls[PS_CLASS_ALL].fit[PS_SAMPLE_ONE_WAY];
        if (samples->clocks.n_single)
                ps_calibration_note(c, PS_NOTE_ONE_DIRECTION);
        if (samples->clocks.n_refused)
                ps_calibration_note(c, PS_NOTE_CLOCK_REFUSED);
        if (!samples->has_nodes && samples->n_processes > 1)
                ps_calibration_note(c, PS_NOTE_NO_NODES);
        for (int grade = PS_GRADE_BEST + 1; grade < PS_N_GRADES; grade++)
                if (samples->graded[grade])
                        ps_calibration_note(c, notes_of_grades[grade]);
        if (samples->n_messages && way->n_samples && way->n_samples < PS_FIT_ENOUGH)
                ps_calibration_note(c, PS_NOTE_FEW_SAMPLES);
        if (way->n_sizes && ps_fit_at(&way->fast, way->least_bytes) < 10 * samples->tick_s)
                ps_calibration_note(c, PS_NOTE_COARSE_CLOCK);
}

const char *ps_calibration_no_way(const ps_samples *samples)
{
        if (!samples->n_messages && samples->n_collectives)
                return "there is no message of which both ends are known, and collective operations do not "
                       "tell "
                       "what one costs";
        if (!samples->n_messages)
                return "there is no message of which both ends are known";
        if (samples->unused[PS_UNUSED_CLOCK])
                return "the messages go in one direction only, between clocks that have no common zero: the "
                       "latency cannot be told from the difference of the clocks";
        return "no message shows its whole way: none was waited for by its receiver, alone and without "
               "other traffic";
}

/* Both must have been seen: a size that went ahead, and a larger one that waited. */
static void set_eager(ps_calibration *c, const ps_samples *samples)
{
        bool is_seen = samples->eager_seen && samples->blocked_seen != UINT64_MAX;
        if (!samples->n_messages)
                return;
        if (is_seen)
                c->machine.eager_bytes = samples->eager_seen;
        ps_calibrated *row = ps_calibration_add(c, "eager_bytes", PS_A_BYTES,
                                                is_seen ? (double)samples->eager_seen : INFINITY);
        row->is_assumed = !is_seen;
        if (!is_seen) {
                ps_calibration_note(c, PS_NOTE_NO_EAGER);
                return;
        }
        row->low = (double)samples->eager_seen;
        row->high = (double)samples->blocked_seen - 1;
}

/* Which ranks share a node, where that makes a difference. */
static ps_status set_nodes(ps_machine *machine, const uint32_t *node_of_rank, uint32_t n, ps_error *err)
{
        if (!machine->has_intra || !node_of_rank || !n)
                return PS_OK;
        machine->node_of_rank = malloc(n * sizeof(*machine->node_of_rank));
        if (!machine->node_of_rank)
                return PS_NOMEM(err, "nodes", n);
        for (uint32_t i = 0; i < n; i++)
                machine->node_of_rank[i] = node_of_rank[i];
        machine->n_node_of_rank = n;
        return PS_OK;
}

static void note_table(ps_calibration *c, const ps_rtt_table *table, ps_model model)
{
        size_t first, end;
        ps_rtt_range(table, PS_RTT_TRIPLE, &first, &end);
        if (first < end && model != PS_MODEL_LMO && model != PS_MODEL_HLMO)
                ps_calibration_note(c, PS_NOTE_UNUSED_TRIPLES);
}

static ps_status take_model(ps_calibration *c, const ps_samples *samples, const ps_rtt_table *table,
                            ps_model model, ps_error *err)
{
        if (table && (model == PS_MODEL_LMO || model == PS_MODEL_HLMO))
                return ps_calibrate_triples(c, table, model, err);
        if (model == PS_MODEL_LMO)
                return ps_calibrate_lmo(c, samples, err);
        if (model == PS_MODEL_PLOGP)
                return ps_calibrate_plogp(c, samples, err);
        return ps_calibrate_lines(c, samples, model, err);
}

/* More digits than these are an accident of the arithmetic. */
static void round_all(double *values, size_t n)
{
        char room[32];
        for (size_t i = 0; values && i < n; i++) {
                snprintf(room, sizeof(room), "%.10g", values[i]);
                values[i] = strtod(room, NULL);
        }
}

static void round_machine(ps_machine *m)
{
        double *const single[] = {&m->link.latency_s,
                                  &m->link.bandwidth_bytes_per_s,
                                  &m->intra.latency_s,
                                  &m->intra.bandwidth_bytes_per_s,
                                  &m->send_overhead_s,
                                  &m->send_overhead_s_per_byte,
                                  &m->receive_overhead_s,
                                  &m->receive_overhead_s_per_byte,
                                  &m->gap_s,
                                  &m->processing_s,
                                  &m->processing_s_per_byte,
                                  &m->lmo.escalation_s,
                                  &m->lmo.escalation_probability};
        size_t pairs = (size_t)m->lmo.n * m->lmo.n;
        for (size_t i = 0; i < sizeof(single) / sizeof(single[0]); i++)
                round_all(single[i], 1);
        round_all(m->send_table.s, m->send_table.n);
        round_all(m->receive_table.s, m->receive_table.n);
        round_all(m->gap_table.s, m->gap_table.n);
        round_all(m->lmo.processing_s, m->lmo.n);
        round_all(m->lmo.processing_s_per_byte, m->lmo.n);
        round_all(m->lmo.latency_s, pairs);
        round_all(m->lmo.bandwidth_bytes_per_s, pairs);
}

ps_status ps_calibrate(ps_calibration *out, const ps_samples *samples, const ps_rtt_table *table,
                       ps_model model, ps_error *err)
{
        *out = (ps_calibration){.triple_spread_fixed = NAN,
                                .triple_spread_per_byte = NAN,
                                .worst_pair = NAN,
                                .repeat_spread = NAN};
        ps_machine_init(&out->machine, model);
        PS_TRY(fit_classes(out, samples, err));
        note_samples(out, samples);
        if (table)
                note_table(out, table, model);
        PS_TRY(take_model(out, samples, table, model, err));
        if (!out->refusal && model == PS_MODEL_LMO)
                PS_TRY(ps_calibrate_sweeps(out, samples, err));
        if (!out->refusal) {
                ps_collectives_of_library(&out->machine, PS_SHAPE_OPENMPI);
                round_machine(&out->machine);
                note_classes(out, samples);
                set_eager(out, samples);
                PS_TRY(set_nodes(&out->machine, samples->node_of_rank, samples->n_processes, err));
        }
        return PS_OK;
}

void ps_calibration_clear(ps_calibration *calibration)
{
        ps_machine_clear(&calibration->machine);
}
