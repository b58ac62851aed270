/* vicinity.h - what it takes to know of rows to move single times: the steps of flows that contradict
 * causality, and the rows that an end which comes later pushes. */
#ifndef PS_CORE_CLOCK_VICINITY_H
#define PS_CORE_CLOCK_VICINITY_H

#include "core/base/pass.h"
#include "core/base/vector.h"
#include "core/clock/flow.h"

/* A flow: a message by its receive, or {PS_NONE, instance}, as the instance is named to a visitor. */
typedef struct ps_suspect {
        ps_ref at;
        ps_comm comm;  /* of an instance */
        uint32_t home; /* the process that has all its members; PS_NONE: none */
} ps_suspect;

typedef PS_VECTOR(ps_suspect) ps_suspects;

ps_suspect ps_suspect_of(const ps_flows *flows, const ps_flow *flow, uint32_t coll);
/* A comparison for qsort(): in the order in which flows are shown where all rows are here. */
int ps_suspects_compare(const void *a, const void *b);

/* Rows are named as the whole trace does, their times are those from before anything was moved. */
typedef struct ps_near_step {
        uint32_t suspect; /* which of those that were asked for */
        uint32_t order;   /* in its flow, where that is in one process */
        ps_ref member, row;
        ps_time time;     /* of a give when the row begins, of a take when it ends */
        ps_time distance; /* from its begin to the record, or from the record to its end */
        ps_time now;      /* the record's, once that is known */
        uint8_t takes;
} ps_near_step;

typedef struct ps_near_row {
        ps_ref ref;
        ps_time enter, leave;
        uint32_t parent;  /* the row whose call is open around it, plus 1; 0: none */
        ps_suspect waits; /* for its begin; at.op PS_NONE: nobody does */
        uint8_t continues, is_bare;
} ps_near_row;

/* A call that is over for a take. */
typedef struct ps_near_call {
        ps_ref call;
        ps_op from, end; /* rows behind it that may have to begin later */
} ps_near_call;

typedef struct ps_vicinity {
        PS_VECTOR(ps_near_step) step; /* sorted by suspect, and as they stand in the flow */
        PS_VECTOR(ps_near_row) row;   /* some of them several times */
        PS_VECTOR(ps_near_call) call;
} ps_vicinity;

void ps_vicinity_clear(ps_vicinity *v);

/* Of these flows, where no time moves by more than `most`. Of rows that several processes have, all call it
 * together, and process 0 gets what all know. */
ps_status ps_vicinity_look(ps_vicinity *out, ps_flows *flows, const ps_suspect *suspect, uint32_t n,
                           ps_time most, ps_error *err);

#endif
