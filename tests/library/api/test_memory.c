/* test_memory.c - what one thread lacks is nothing to another one that uses the library, too. */
#include "patscan/patscan.h"
#include "tests/support/failing_memory.h"
#include "tests/support/test.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

static const char demo[] = "traces/demo";

typedef struct text {
        char bytes[1 << 17];
        size_t n;
} text;

static int gather(void *ctx, const char *bytes, size_t n)
{
        text *to = ctx;
        if (n > sizeof(to->bytes) - to->n)
                return 1;
        memcpy(to->bytes + to->n, bytes, n);
        to->n += n;
        return 0;
}

static patscan_status open_and_analyze(void)
{
        const patscan_open_options how = {.size = sizeof(how), .threads = 1};
        patscan_trace *trace = NULL;
        patscan_analysis *analysis = NULL;
        patscan_status status = patscan_open(&trace, demo, &how, NULL);
        if (status == PATSCAN_OK)
                status = patscan_analyze(&analysis, trace, NULL, NULL);
        patscan_analysis_free(analysis);
        patscan_close(trace);
        return status;
}

enum { STEP = 97 }; /* of the allocations so many are enough here */

typedef struct starving {
        atomic_int is_over;
        unsigned n_failed;
        patscan_status other; /* than that there was no memory */
} starving;

/* Each attempt gets further, until there is enough. What only saves time may do without. */
static void *starve(void *ctx)
{
        starving *s = ctx;
        long left = -1;
        for (long n = 0; left < 0; n += STEP) {
                allocations_left = n;
                patscan_status status = open_and_analyze();
                left = allocations_left;
                allocations_left = -1;
                s->n_failed += status == PATSCAN_E_NOMEM;
                if (status != PATSCAN_OK && (left >= 0 || status != PATSCAN_E_NOMEM))
                        s->other = status;
        }
        s->is_over = 1;
        return NULL;
}

TEST(a_thread_without_memory_spoils_no_report_of_another)
{
        static text first, again;
        starving s = {0};
        pthread_t thread;
        patscan_trace *trace = NULL;
        patscan_analysis *analysis = NULL;
        assert_int_equal(patscan_open(&trace, demo, NULL, NULL), PATSCAN_OK);
        assert_int_equal(patscan_analyze(&analysis, trace, NULL, NULL), PATSCAN_OK);
        assert_int_equal(patscan_report(analysis, "markdown", NULL, gather, &first, NULL), PATSCAN_OK);
        assert_int_equal(pthread_create(&thread, NULL, starve, &s), 0);
        unsigned n = 0;
        for (; !s.is_over; n++) {
                again.n = 0;
                assert_int_equal(patscan_report(analysis, "markdown", NULL, gather, &again, NULL),
                                 PATSCAN_OK);
                assert_int_equal(again.n, first.n);
                assert_memory_equal(again.bytes, first.bytes, first.n);
        }
        pthread_join(thread, NULL);
        assert_true(n > 0 && s.n_failed > 10);
        assert_int_equal(s.other, PATSCAN_OK);
        patscan_analysis_free(analysis);
        patscan_close(trace);
}
