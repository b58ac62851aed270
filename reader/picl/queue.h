/* queue.h - the records of a PICL trace on their way out, in the order of time.
 *
 * What an entry says is often known only later: a receive tells its sender when it is over. A line that
 * waits for that keeps its place in a queue and holds back those behind it, so that memory follows the
 * longest call, not the trace. */
#ifndef PS_READER_PICL_QUEUE_H
#define PS_READER_PICL_QUEUE_H

#include "core/base/error.h"
#include "core/base/types.h"

/* Where the text goes. */
typedef struct ps_picl_sink {
        void *ctx;
        ps_status (*write)(void *ctx, const char *bytes, size_t n, ps_error *err);
} ps_picl_sink;

enum { PS_PICL_VALUES = 4 };

typedef enum ps_picl_queued_state { PS_PICL_HELD, PS_PICL_READY, PS_PICL_DROPPED } ps_picl_queued_state;

typedef struct ps_picl_queued {
        ps_time time;
        uint32_t node;
        int32_t pid;
        int32_t record, event;
        uint8_t state; /* ps_picl_queued_state */
        uint8_t n;     /* of the values */
        int64_t value[PS_PICL_VALUES];
} ps_picl_queued;

/* {.sink = ...} is an empty queue. The first failure is kept; from then on nothing happens. */
typedef struct ps_picl_queue {
        ps_picl_sink sink;
        ps_picl_queued *ring;
        uint64_t head, tail; /* numbers of the first line in the queue and of the one after the last */
        size_t cap;
        uint64_t n_written;
        char *text;
        size_t n_text;
        ps_status status;
        ps_error err;
} ps_picl_queue;

/* Frees what the queue holds. */
void ps_picl_queue_free(ps_picl_queue *queue);

/* Appends a line and gives its number. */
uint64_t ps_picl_queue_add(ps_picl_queue *queue, const ps_picl_queued *line);

/* A line that has not been written yet; good until the next one is added. */
ps_picl_queued *ps_picl_queue_at(ps_picl_queue *queue, uint64_t number);

/* Writes what nothing holds back any more. */
void ps_picl_queue_pass(ps_picl_queue *queue);

/* Definitions, which wait for nothing: the beginning of a record that concerns no process, then its data. */
void ps_picl_queue_define(ps_picl_queue *queue, int32_t record, int64_t event);
void ps_picl_queue_put(ps_picl_queue *queue, const char *text);
void ps_picl_queue_put_number(ps_picl_queue *queue, int64_t number); /* with a blank before it */

/* Hands on the text that is still gathered, and tells the first failure. */
ps_status ps_picl_queue_end(ps_picl_queue *queue, ps_error *err);

#endif
