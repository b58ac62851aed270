/* numbers.h - under which numbers of PICL the regions and communicators of a trace are written, and the
 * definitions that say so. */
#ifndef PS_READER_PICL_NUMBERS_H
#define PS_READER_PICL_NUMBERS_H

#include "core/model/defs.h"
#include "reader/picl/queue.h"
#include "reader/picl/table.h"

/* The record that a counted event was, or is written as. */
typedef struct ps_picl_counted {
        int32_t record, event; /* record 0: it has become a part of others */
} ps_picl_counted;

typedef struct ps_picl_numbers {
        const ps_defs *defs;
        ps_picl_counted *counted;  /* by code */
        const ps_picl_event **row; /* by region: the event for its calls; NULL: none */
        int32_t *number;           /* by region: of its calls that no such event tells of */
        uint8_t *is_named;         /* by region: that number is its name, as in "user event 3" */
        uint8_t *is_told;          /* by region: its label tells the reader what call of MPI it is */
        ps_comm world;
} ps_picl_numbers;

/* `out` is given back with ps_picl_numbers_free(), also after a failure. */
ps_status ps_picl_numbers_make(ps_picl_numbers *out, const ps_defs *defs, ps_error *err);
void ps_picl_numbers_free(ps_picl_numbers *numbers);

/* The event that the region's name stands for because a PICL trace has it from there, or NULL. */
const ps_picl_event *ps_picl_numbers_own(const ps_picl_numbers *numbers, ps_region region);

/* The subset that a communicator is for a member; 0 when PICL has nothing like it. */
bool ps_picl_numbers_subset(const ps_picl_numbers *numbers, ps_comm comm, ps_proc member, int64_t *out);

/* The definitions of subsets and of user events. */
void ps_picl_numbers_write(const ps_picl_numbers *numbers, ps_picl_queue *queue);

#endif
