/* lab.h - what tests of patscan.h have in common. */
#ifndef PS_TESTS_LIBRARY_API_LAB_H
#define PS_TESTS_LIBRARY_API_LAB_H

#include "patscan/patscan.h"

#include <cjson/cJSON.h>

extern const char api_demo[];

/* A report as text; api_gather() is what writes it there. */
typedef struct api_text {
        char *bytes;
        size_t n;
} api_text;

int api_gather(void *ctx, const char *bytes, size_t n);

patscan_trace *api_open_demo(void);
patscan_analysis *api_analyze(const patscan_trace *trace, const patscan_analyze_options *options);
cJSON *api_report_of(const patscan_analysis *analysis);
/* What is told, and the report has under the key: in nanoseconds. */
void api_same_number(double told, const cJSON *object, const char *key);

#endif
