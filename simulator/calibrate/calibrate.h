/* calibrate.h - from samples, or the round trips of a benchmark, to the parameters of a machine. */
#ifndef PS_SIMULATOR_CALIBRATE_CALIBRATE_H
#define PS_SIMULATOR_CALIBRATE_CALIBRATE_H

#include "simulator/calibrate/fit.h"
#include "simulator/calibrate/samples.h"
#include "simulator/calibrate/table.h"
#include "simulator/cost/amount.h"

/* Processes of one node, of different ones, and all together. */
typedef enum ps_calibrate_class {
        PS_CLASS_NEAR,
        PS_CLASS_FAR,
        PS_CLASS_ALL,
        PS_N_CLASSES
} ps_calibrate_class;
extern const char *const ps_class_names[PS_N_CLASSES];

typedef enum ps_calibrate_note {
#define PS_CALIBRATE_NOTE(id, name, text) PS_NOTE_##id,
#include "simulator/calibrate/notes.def"
#undef PS_CALIBRATE_NOTE
        PS_N_NOTES
} ps_calibrate_note;

extern const ps_calibrate_reason_info ps_calibrate_notes[PS_N_NOTES];

/* The samples of a class, and the lines through them. */
typedef struct ps_class_fit {
        uint64_t n_pairs; /* of processes with samples of any kind; the order does not matter */
        ps_fit fit[PS_N_SAMPLE_KINDS];
        /* Pairs with three sizes or more have a line of their own; these are their limits. */
        uint64_t n_own;
        double own_fixed[2], own_per_byte[2];
} ps_class_fit;

enum { PS_CALIBRATED_MAX = 16 };

/* A parameter of the machine. Several of one name (of each processor, of each pair) are told by their median
 * and their limits. */
typedef struct ps_calibrated {
        const char *name;  /* the key in the file of a machine */
        const char *where; /* "" or "intra_node" */
        ps_amount type;
        double value;
        double low, high; /* 95 %, or of the values when `n_values` > 1; NAN: not known */
        double typical;   /* what the medians of the samples give; NAN: not known */
        uint64_t n_samples;
        uint32_t n_sizes, n_values;
        bool is_assumed; /* not identified: the machine has this value because it must have one */
} ps_calibrated;

/* Of a sum over all pairs. */
typedef struct ps_calibrated_sum {
        double median, least, most;
} ps_calibrated_sum;

typedef struct ps_calibration {
        ps_class_fit cls[PS_N_CLASSES];
        ps_machine machine;  /* without name and source; unless there is a refusal */
        const char *refusal; /* why there is no machine; NULL: there is */
        ps_calibrated row[PS_CALIBRATED_MAX];
        uint32_t n_rows;
        uint64_t notes; /* a bit for each ps_calibrate_note */
        uint64_t n_clamped;
        /* Round trips: how far the values of one processor from different triples lie apart, relative to
         * their mean, as the median over the processors; NAN: not known. */
        double triple_spread_fixed, triple_spread_per_byte;
        /* How far the parameters that the triples give are from the round trips of the pairs, the worst of
         * all, relative; NAN: not known. The machine itself keeps the pairs. */
        double worst_pair;
        bool has_sums;
        ps_calibrated_sum sum[2]; /* C[i] + L + C[j], t[i] + 1/B + t[j]: what pairs alone tell */
        bool has_no_parts[2];     /* what the triples make of the one, of the other, is no measurement */
        double repeat_spread;     /* median of typical / least over the rows of the table; NAN: not known */
} ps_calibration;

/* `table` may be NULL, and is also what the samples of its pairs were added to `samples` from. To be cleared,
 * also after a failure. What the samples do not support is no failure: it is the `refusal`. */
ps_status ps_calibrate(ps_calibration *out, const ps_samples *samples, const ps_rtt_table *table,
                       ps_model model, ps_error *err);
void ps_calibration_clear(ps_calibration *calibration);

/* Half of each round trip between two processors is a one-way sample. */
ps_status ps_samples_add_table(ps_samples *samples, const ps_rtt_table *table, ps_error *err);

/* Scatters and gathers. */
ps_status ps_sweeps_add_table(ps_samples *samples, const ps_rtt_table *table, ps_error *err);

/* -- between the files of the calibration -- */

/* S, M1, M2 and the escalations of an LMO machine, as far as scatters and gathers tell them. */
ps_status ps_calibrate_sweeps(ps_calibration *c, const ps_samples *samples, ps_error *err);

bool ps_class_has(ps_calibrate_class cls, const ps_sample *sample);
void ps_calibration_note(ps_calibration *c, ps_calibrate_note note);
/* What is left of a whole without its part: not less than 0, which is noted. */
double ps_calibration_rest(ps_calibration *c, double whole, double part);
/* What is doubtful about a line for the whole way, and about those for the ends. */
void ps_calibration_note_way(ps_calibration *c, const ps_fit *way);
void ps_calibration_note_ends(ps_calibration *c);
/* Why there is no whole way of a message. */
const char *ps_calibration_no_way(const ps_samples *samples);
/* A row of the report; returns it, or one that nobody sees when there are too many. */
ps_calibrated *ps_calibration_add(ps_calibration *c, const char *name, ps_amount type, double value);
/* One row for `n` values; `values` gets sorted. */
void ps_calibration_add_many(ps_calibration *c, const char *name, ps_amount type, double *values, size_t n);
/* Calls `visit` with a fit for each run of equal keys, in rising order; `key` gives UINT64_MAX for samples
 * that are left out. */
ps_status ps_fit_groups(const ps_samples *samples, uint64_t (*key)(const ps_sample *sample),
                        void (*visit)(void *ctx, uint64_t key, const ps_fit *fit), void *ctx, ps_error *err);
/* These set `machine`, the rows and notes of their models, or the refusal. */
ps_status ps_calibrate_lines(ps_calibration *c, const ps_samples *samples, ps_model model, ps_error *err);
ps_status ps_calibrate_plogp(ps_calibration *c, const ps_samples *samples, ps_error *err);
ps_status ps_calibrate_lmo(ps_calibration *c, const ps_samples *samples, ps_error *err);
/* The rows of the tables of an LMO machine. */
ps_status ps_calibration_add_lmo(ps_calibration *c, ps_error *err);
/* Round trips of pairs without data and with `bytes`: [i * n + j]. */
typedef struct ps_pair_times {
        uint32_t n;
        double bytes;
        const double *empty, *full;
} ps_pair_times;
/* Makes the parameters keep the sums that the pairs tell, and says how far they were from them. */
ps_status ps_calibrate_sums(ps_calibration *c, const ps_lmo *lmo, const ps_pair_times *times, bool is_clamped,
                            ps_error *err);
/* Marks the rows of parameters that contradict the pairs, or each other. */
void ps_calibration_doubt_ends(ps_calibration *c);
ps_status ps_calibrate_triples(ps_calibration *c, const ps_rtt_table *table, ps_model model, ps_error *err);

#endif
