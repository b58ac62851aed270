/* errors.h - how far predicted times are from measured ones, in the measures that are in use for it,
 * because each of them hides something: a total hides errors that cancel out, the smallest times dominate a
 * mean of percentages, and the largest ones a weighted mean. */
#ifndef PS_COMPARE_ERRORS_H
#define PS_COMPARE_ERRORS_H

#include "core/base/error.h"

#include <math.h>
#include <stddef.h>
#include <stdint.h>

/* A time of each run. NAN: not known, or not there. */
typedef struct ps_two {
        double measured, predicted;
} ps_two;

typedef struct ps_errors {
        uint64_t n;       /* pairs */
        uint64_t n_below; /* of them with a time below the resolution: in sums and rmse only */
        double measured_s, predicted_s;
        double total;        /* sum of differences / measured */
        double mape;         /* mean of |d| / m */
        double wape;         /* sum of |d| / sum of m */
        double smape;        /* mean of |d| / ((m + p) / 2) */
        double mean_log;     /* mean of |ln(p / m)|, as a share: e^x - 1 */
        double max_log;      /* the largest, as a share */
        double ratio;        /* geometric mean of p / m */
        double rmse_s;       /* root of the mean square of d */
        double cancellation; /* 1 - |sum d| / sum |d|: how much of the errors is not seen in the total */
} ps_errors;

/* What errors follow from. {0} is of no pair. */
enum {
        PS_ERRORS_MEASURED,
        PS_ERRORS_PREDICTED,
        PS_ERRORS_DIFFERENCE,
        PS_ERRORS_SIZE, /* of the difference */
        PS_ERRORS_SQUARE,
        PS_ERRORS_SHARE,
        PS_ERRORS_SYMMETRIC,
        PS_ERRORS_LOG,
        PS_ERRORS_SIGNED_LOG,
        PS_ERRORS_SUMS
};

typedef struct ps_errors_sums {
        uint64_t n, n_below;
        double max_log, sum[PS_ERRORS_SUMS];
} ps_errors_sums;

/* Of pairs that are known on both sides; what cannot be told (of nothing, of a sum of 0) is NAN. `floor_s` is
 * the resolution: of shorter times no percentages are taken. */
ps_errors ps_errors_of(const ps_two *pair, uint64_t n, double floor_s);
/* The same of pairs that are all known and stand in rows of `size` bytes; they are added to `all`, too, one
 * after the other. */
ps_errors ps_errors_of_rows(const ps_two *first, size_t size, uint64_t n, double floor_s,
                            ps_errors_sums *all);
ps_errors ps_errors_of_sums(const ps_errors_sums *sums);

/* The rank-order correlation of Spearman, with means of equal places; NAN: fewer than two pairs, or all times
 * of a side are equal. */
ps_status ps_errors_spearman(double *out, const ps_two *pair, uint32_t n, ps_error *err);

/* |ln(p / m)| as a share, e^x - 1; NAN when one of them is not above 0. */
static inline double ps_errors_log(ps_two pair)
{
        return pair.measured > 0 && pair.predicted > 0 ? pair.measured > pair.predicted
                                                                 ? pair.measured / pair.predicted - 1
                                                                 : pair.predicted / pair.measured - 1
                                                       : NAN;
}

/* (p - m) / m; NAN when that cannot be told. */
double ps_errors_signed(ps_two pair);

#endif
