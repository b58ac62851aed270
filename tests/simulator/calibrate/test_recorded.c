/* test_recorded.c - what messages of recorded traces tell; only where there are such traces beside this tree.
 */
#include "core/base/search.h"
#include "simulator/calibrate/internal.h"
#include "tests/reader/picl/lab.h"
#include "tests/simulator/calibrate/lab.h"
#include "tests/support/loaded.h"
#include "tests/support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static int by_time(const void *a, const void *b)
{
        const ps_time *p = a, *q = b;
        return PS_ORDER(*p, *q);
}

/* Of all messages whose receiver waited, and of all buffered sends: counted by another program. */
TEST(samples_of_mpicl_are_as_counted_elsewhere)
{
        const char *path = picl_given("mpicl_test.trf");
        ps_calibrate_messages messages;
        ps_time ways[200], sends[200];
        size_t n = 0, n_sends = 0;
        if (!path)
                skip();
        ps_trace *trace = loaded_by(path, 1, PS_CLOCK_AS_IS);
        assert_int_equal(ps_messages_collect(&messages, trace, &trace->measured, NULL), PS_OK);
        assert_int_equal(messages.n, 174);
        for (size_t i = 0; i < messages.n; i++) {
                const ps_calibrate_message *m = &messages.row[i];
                if (m->receive_why == PS_USED && ps_message_is_awaited(m))
                        ways[n++] = (m->got - m->sent) / 1000000;
                if (m->send_kind == PS_K_BSEND)
                        sends[n_sends++] = (m->sent_end - m->sent) / 1000000;
        }
        qsort(ways, n, sizeof(*ways), by_time);
        qsort(sends, n_sends, sizeof(*sends), by_time);
        assert_int_equal(ways[0], 10);
        assert_int_equal(ways[n / 2], 17);
        assert_int_equal(ways[n - 1], 25981);
        assert_int_equal(sends[0], 3);
        assert_int_equal(sends[n_sends / 2], 7);
        assert_int_equal(sends[n_sends - 1], 637);
        free(messages.row);
        ps_trace_close(trace);
}

TEST(samples_of_a_large_trace_are_as_counted_elsewhere)
{
        const char *packed = picl_given("mpicl_trace3.trf.xz");
        char path[64], command[1200];
        if (!packed)
                skip();
        snprintf(path, sizeof(path), "/tmp/patscan-calibrate-%ld.trf", (long)getpid());
        snprintf(command, sizeof(command), "xz -dc '%s' > %s", packed, path);
        assert_int_equal(system(command), 0); /* NOLINT: no other reader of .xz is at hand */
        ps_trace *trace = loaded_by(path, 1, PS_CLOCK_AS_IS);
        unlink(path);
        ps_samples samples = calib_samples(trace);
        ps_calibration c = calib_fitted(&samples, PS_MODEL_HOCKNEY);
        assert_int_equal(samples.n, 9);
        for (size_t i = 0; i < samples.n; i++) {
                double rate = (double)samples.row[i].bytes / samples.row[i].s;
                assert_true(rate > 0.525e9 && rate < 0.575e9);
        }
        assert_true(c.machine.link.bandwidth_bytes_per_s > 0.53e9 &&
                    c.machine.link.bandwidth_bytes_per_s < 0.575e9);
        assert_true(c.machine.link.latency_s == 0);
        assert_true(c.notes >> PS_NOTE_ONE_SIZE_RATE & 1);
        ps_calibration_clear(&c);
        ps_samples_free(&samples);
        ps_trace_close(trace);
}
