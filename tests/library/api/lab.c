/* lab.c - see lab.h. */
#include "tests/library/api/lab.h"
#include "tests/support/json.h"
#include "tests/support/test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char api_demo[] = "traces/demo";

/* -- a report as text -- */

int api_gather(void *ctx, const char *bytes, size_t n)
{
        api_text *to = ctx;
        to->bytes = realloc(to->bytes, to->n + n + 1);
        assert_non_null(to->bytes);
        memcpy(to->bytes + to->n, bytes, n);
        to->n += n;
        to->bytes[to->n] = '\0';
        return 0;
}

patscan_trace *api_open_demo(void)
{
        patscan_error err = {0};
        patscan_trace *trace = NULL;
        if (patscan_open(&trace, api_demo, NULL, &err) != PATSCAN_OK)
                fail_msg("%s", err.cause[0].text);
        return trace;
}

patscan_analysis *api_analyze(const patscan_trace *trace, const patscan_analyze_options *options)
{
        patscan_error err = {0};
        patscan_analysis *analysis = NULL;
        if (patscan_analyze(&analysis, trace, options, &err) != PATSCAN_OK)
                fail_msg("%s", err.cause[0].text);
        return analysis;
}

cJSON *api_report_of(const patscan_analysis *analysis)
{
        api_text json = {NULL, 0};
        assert_int_equal(patscan_report(analysis, "json", NULL, api_gather, &json, NULL), PATSCAN_OK);
        cJSON *root = cJSON_Parse(json.bytes);
        assert_non_null(root);
        free(json.bytes);
        return root;
}

/* The report has nanoseconds. */
void api_same_number(double told, const cJSON *object, const char *key)
{
        const cJSON *value = json_at(object, key);
        if (isnan(told))
                assert_true(cJSON_IsNull(value));
        else
                assert_true(fabs(told - value->valuedouble) < 1e-9);
}
