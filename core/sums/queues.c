/* queues.c - see queues.h. */
#include "core/sums/queues.h"

#include <stdlib.h>

enum { QUEUE_BINS = 256, QUEUE_CELLS = 1 << 18 };

/* Where a bin of the queues begins. */
static ps_time queue_bin(const ps_profile *p, uint32_t bin)
{
        return p->span.begin + ps_bin_begin(p->span.end - p->span.begin, p->n_queue_bins, bin);
}

void ps_queues_fill(ps_profile *out, const ps_focus *focus, uint32_t row, ps_span time, uint64_t messages,
                    uint64_t bytes)
{
        ps_time from = time.begin > out->span.begin ? time.begin : out->span.begin;
        ps_time to = time.end < out->span.end ? time.end : out->span.end;

        if (!out->n_queue_bins || !messages || from >= to)
                return;
        double at = (double)(from - out->span.begin) / (double)(out->span.end - out->span.begin);
        uint32_t bin = (uint32_t)(at * out->n_queue_bins);
        for (bin -= bin > 0; bin < out->n_queue_bins && from < to;
             bin++) { /* the one before: `at` is rounded */
                ps_time end = queue_bin(out, bin + 1) < to ? queue_bin(out, bin + 1) : to;
                size_t cell = (size_t)row * out->n_queue_bins + bin;
                if (end <= from)
                        continue;
                double length = (double)ps_focus_clip(focus, from, end);
                out->queue[cell] += (double)messages * length;
                out->queue_bytes[cell] += (double)bytes * length;
                from = end;
        }
}

ps_status ps_queues_make(ps_profile *out, ps_error *err)
{
        uint32_t n = QUEUE_BINS;
        while (n > 1 && (uint64_t)n * out->n_rows > QUEUE_CELLS)
                n /= 2;
        out->queue = calloc((size_t)n * out->n_rows + 1, sizeof(*out->queue));
        out->queue_bytes = calloc((size_t)n * out->n_rows + 1, sizeof(*out->queue_bytes));
        if (!out->queue || !out->queue_bytes)
                return PS_NOMEM(err, "queues of locations", out->n_rows);
        out->n_queue_bins = out->span.end > out->span.begin ? n : 0;
        return PS_OK;
}

void ps_queues_finish(ps_profile *out, const ps_focus *focus)
{
        for (uint32_t bin = 0; bin < out->n_queue_bins; bin++) {
                ps_time length = ps_focus_clip(focus, queue_bin(out, bin), queue_bin(out, bin + 1));
                for (size_t i = bin; length > 0 && i < (size_t)out->n_rows * out->n_queue_bins;
                     i += out->n_queue_bins) {
                        out->queue[i] /= (double)length;
                        out->queue_bytes[i] /= (double)length;
                }
        }
}
