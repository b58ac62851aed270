/* what_if.c TRACE - how long the run would take if its most expensive function took less: the trace is read
 * once, and replayed for each factor. */
#include <patscan/patscan.h>
#include <stdio.h>

/* The function of the program itself that takes longest, without what it calls; NULL: there is none. */
static const char *find_function(const patscan_trace *trace, const patscan_analysis *analysis)
{
        for (size_t i = 0; i < patscan_function_count(analysis); i++) {
                const patscan_function_row *f = patscan_function(analysis, i);
                const patscan_callpath_row *path = patscan_callpath(trace, f->callpath);
                const patscan_region_row *region = path ? patscan_region(trace, path->region) : NULL;

                if (region && !region->kind && f->function)
                        return f->function;
        }
        return NULL;
}

static patscan_status try_factors(const patscan_trace *trace, const char *function, patscan_error *err)
{
        static const double factors[] = {1, 0.75, 0.5, 0.25};
        patscan_status status = PATSCAN_OK;

        for (size_t i = 0; i < sizeof(factors) / sizeof(*factors) && status == PATSCAN_OK; i++) {
                patscan_prediction *prediction = NULL;
                char edit[300];
                const char *edits[] = {edit};

                snprintf(edit, sizeof(edit), "region:%s*%g", function, factors[i]);
                status = patscan_predict(&prediction, trace, NULL, edits, 1, err);
                if (status == PATSCAN_OK)
                        printf("%s: %.6f s\n", edit, patscan_prediction_duration_s(prediction));
                patscan_prediction_free(prediction);
        }
        return status;
}

int main(int argc, char **argv)
{
        patscan_trace *trace = NULL;
        patscan_analysis *analysis = NULL;
        patscan_error err = {0};
        char why[1024];
        const char *function = NULL;
        patscan_status status;

        if (argc != 2) {
                fputs("usage: what_if TRACE\n", stderr);
                return 2;
        }
        status = patscan_open(&trace, argv[1], NULL, &err);
        if (status == PATSCAN_OK)
                status = patscan_analyze(&analysis, trace, NULL, &err);
        if (status == PATSCAN_OK)
                function = find_function(trace, analysis);
        if (function)
                status = try_factors(trace, function, &err);
        if (status != PATSCAN_OK)
                fprintf(stderr, "what_if: %s\n", patscan_error_text(&err, why, sizeof(why)));
        patscan_analysis_free(analysis);
        patscan_close(trace);
        return status != PATSCAN_OK;
}
