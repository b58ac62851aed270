/* predict.h - the rest of patscan.h, which includes it: machines, predictions, and comparisons of runs. */
#ifndef PATSCAN_PREDICT_H
#define PATSCAN_PREDICT_H

#ifndef PATSCAN_PATSCAN_H
#error "include <patscan/patscan.h>, which includes this"
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* == Machines and predictions == */

typedef struct patscan_machine patscan_machine;

/* A file, one of the presets, or "recorded": the machine as the trace shows it. */
PATSCAN_API patscan_status patscan_machine_open(patscan_machine **out, const char *name, patscan_error *err);
PATSCAN_API void patscan_machine_free(patscan_machine *machine);
typedef struct patscan_prediction patscan_prediction;

typedef struct patscan_predict_options {
        size_t size;
        int redo_order;        /* the work of a master is dealt out anew */
        int sensitivity;       /* with what the length of the run depends on */
        const char *max_drift; /* how far the replay without edits may be from the measurement */
        /* Of a DVM program: the grid of processors, or several; or their numbers. */
        const char *grid, *procs, *pipelining;
        const char *distribute[PATSCAN_LIST];
} patscan_predict_options;

/* The run on that machine (NULL: as recorded), with n edits such as "region:solve*0.5"; where edits have
 * several values ("L*1,2,4") all combinations. A run that ends in a deadlock is PATSCAN_E_INPUT. */
PATSCAN_API patscan_status patscan_predict(patscan_prediction **out, const patscan_trace *trace,
                                           const patscan_machine *machine, const char *const *edits, size_t n,
                                           patscan_error *err);
/* The same with options, also of DVM programs; `what` are those of the analysis that edits of findings rest
 * on, and that is asked for later. A run that never ends is a row without times. Without a trace the options
 * are checked, as far as that can be done, and there is no prediction. */
PATSCAN_API patscan_status patscan_predict_with(patscan_prediction **out, const patscan_trace *trace,
                                                const patscan_machine *machine, const char *const *edits,
                                                size_t n, const patscan_predict_options *options,
                                                const patscan_analyze_options *what, patscan_error *err);
PATSCAN_API void patscan_prediction_free(patscan_prediction *prediction);
PATSCAN_API double patscan_prediction_duration_s(const patscan_prediction *prediction); /* of row 0 */

typedef struct patscan_predicted_row {
        const char *label;  /* its edits, or its grid; NULL: there is one run only, which can be analysed */
        const char *reason; /* why there are no times: it never ends, or cannot be on that grid */
        uint32_t processes;
        double duration_s; /* the whole run */
        double focus_s;    /* its focus; of a DVM program on one grid its analysis knows it */
        double drift;      /* of the replay of the recorded run, without any edit, from it: 0.01 is 1 % */
} patscan_predicted_row;
PATSCAN_API size_t patscan_predicted_count(const patscan_prediction *prediction);
PATSCAN_API const patscan_predicted_row *patscan_predicted(const patscan_prediction *prediction, size_t i);

/* What the predicted run loses, for rows and reports. */
PATSCAN_API patscan_status patscan_prediction_analyze(patscan_analysis **out, patscan_prediction *prediction,
                                                      const patscan_analyze_options *options,
                                                      patscan_error *err);
/* Of several runs: "text", "json", "csv", "html" or "markdown". */
PATSCAN_API patscan_status patscan_prediction_report(const patscan_prediction *prediction, const char *format,
                                                     const patscan_report_options *options,
                                                     patscan_write *write, void *ctx, patscan_error *err);
/* Tells the listener the reasons; patscan_judge() of its analysis does that, too. */
PATSCAN_API patscan_verdict patscan_prediction_judge(const patscan_prediction *prediction);

/* == Comparisons == */

typedef struct patscan_comparison patscan_comparison;

typedef struct patscan_compare_options {
        size_t size;
        int weak;                         /* runs on more processes have more to do */
        const char *tolerance, *rank_map; /* as --tolerance and --rank-map */
} patscan_compare_options;

/* Runs against runs: each is a trace or a saved JSON report. Traces are read with `how`, and analysed with
 * `what`. */
PATSCAN_API patscan_status patscan_compare(patscan_comparison **out, const char *const *measured,
                                           size_t n_measured, const char *const *predicted,
                                           size_t n_predicted, const patscan_compare_options *options,
                                           const patscan_open_options *how,
                                           const patscan_analyze_options *what, patscan_error *err);
PATSCAN_API void patscan_comparison_free(patscan_comparison *comparison);

typedef struct patscan_comparison_row {
        double measured_s, predicted_s; /* medians, where there are several runs a side */
        double error;                   /* of the prediction: (predicted_s - measured_s) / measured_s */
        uint64_t intervals_exceeded;    /* that differ by more than the tolerance */
        int exceeded, partial;          /* the whole run does; only a part could be compared */
} patscan_comparison_row;

PATSCAN_API const patscan_comparison_row *patscan_comparison_sums(const patscan_comparison *comparison);
PATSCAN_API patscan_verdict patscan_comparison_judge(const patscan_comparison *comparison);
/* "text", "json", "html" or "markdown". */
PATSCAN_API patscan_status patscan_comparison_report(const patscan_comparison *comparison, const char *format,
                                                     const patscan_report_options *options,
                                                     patscan_write *write, void *ctx, patscan_error *err);

#ifdef __cplusplus
}
#endif

#endif
