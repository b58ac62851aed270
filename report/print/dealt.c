/* dealt.c - see dealt.h. Each thread writes a part into memory, and passes it on when those before it have
 * been: parts are handed out in order, so that the first of those under way waits for nobody. */
#include "report/print/dealt.h"
#include "core/base/parallel.h"
#include "report/print/ready.h"

#include <pthread.h>
#include <stdlib.h>

/* Fewer rows are written before a thread has begun. A part's text stays in caches. */
enum { ROWS_MANY = 2048, ROWS_A_PART = 256 };

struct writer {
        ps_output *text;
        ps_ready ready;
};

struct dealing {
        const ps_dealt *rows;
        ps_row *to;
        struct writer *writer; /* by worker */
        pthread_mutex_t lock;
        pthread_cond_t has_changed;
        uint32_t turn; /* the part that is passed on next */
};

unsigned ps_dealt_threads(const ps_dealt *rows, const ps_row *to)
{
        const bool may_be =
                rows->record->n_threads && rows->n >= ROWS_MANY && !to->cells && to->style != PS_ROW_CSV;
        return may_be ? ps_parallel_threads(rows->record->n_threads(rows->in)) : 1;
}

static void wait_for_turn(struct dealing *d, uint32_t part)
{
        pthread_mutex_lock(&d->lock);
        while (d->turn != part)
                pthread_cond_wait(&d->has_changed, &d->lock);
        pthread_mutex_unlock(&d->lock);
}

static void end_turn(struct dealing *d)
{
        pthread_mutex_lock(&d->lock);
        d->turn++;
        pthread_cond_broadcast(&d->has_changed);
        pthread_mutex_unlock(&d->lock);
}

/* Nothing behind what could not be written is. */
static ps_status pass_on(const struct dealing *d, const ps_output *text)
{
        ps_output *out = d->to->out;
        if (!ps_output_failed(out))
                out->failed = text->failed;
        if (!ps_output_failed(out))
                ps_output_write(out, text->buffer, ps_output_gathered(text));
        return ps_output_failed(out) ? PS_E_OUTPUT : PS_OK;
}

static ps_status write_part(void *ctx, uint32_t part, unsigned worker, ps_error *err)
{
        (void)err; /* the output tells when it is committed */
        struct dealing *d = ctx;
        struct writer *w = &d->writer[worker];
        const size_t from = (size_t)part * ROWS_A_PART, left = d->rows->n - from;
        ps_row row = *d->to;
        ps_records table = {.to = &row, .record = d->rows->record};
        row.out = w->text;
        row.ready = w->ready.text ? &w->ready : NULL;
        row.n = part > 0;
        ps_output_clear(w->text);
        ps_dealt_put_range(d->rows, &table, from, from + (left < ROWS_A_PART ? left : ROWS_A_PART));
        wait_for_turn(d, part);
        const ps_status status = pass_on(d, w->text);
        end_turn(d);
        return status;
}

static ps_status open_writers(struct writer *writer, const ps_dealt *rows, unsigned n)
{
        for (unsigned i = 0; i < n; i++) {
                PS_TRY(ps_output_open_memory(&writer[i].text, PS_WIDTH_DEFAULT, NULL));
                if (rows->record->n_same)
                        ps_ready_open(&writer[i].ready, rows->record, rows->n / n);
        }
        return PS_OK;
}

static void close_writers(struct writer *writer, unsigned n)
{
        for (unsigned i = 0; writer && i < n; i++) {
                ps_output_discard(writer[i].text);
                ps_ready_free(&writer[i].ready);
        }
        free(writer);
}

bool ps_dealt_put(const ps_dealt *rows, ps_row *to, unsigned n_threads)
{
        const uint32_t n_parts = (uint32_t)((rows->n + ROWS_A_PART - 1) / ROWS_A_PART);
        struct dealing d = {.rows = rows,
                            .to = to,
                            .writer = calloc(n_threads, sizeof(*d.writer)),
                            .lock = PTHREAD_MUTEX_INITIALIZER,
                            .has_changed = PTHREAD_COND_INITIALIZER};
        ps_status status = d.writer ? open_writers(d.writer, rows, n_threads) : PS_E_NOMEM;
        PS_THEN(status, ps_parallel_for(n_threads, n_parts, write_part, &d, NULL));
        close_writers(d.writer, n_threads);
        return status == PS_OK || ps_output_failed(to->out);
}
