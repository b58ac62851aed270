/* deal.h - a PICL trace that several processes load: process 0 reads the file, and each has the records of
 * its places.
 *
 * No place is known before its first record, and then it has to be known whose it is: so process 0 looks at a
 * sample of the file, and deals out the order of places, not places. Records travel as they stand in the log,
 * in letters of bounded size; so process 0 holds of the places of others no more than a block each. */
#ifndef PS_READER_PICL_DEAL_H
#define PS_READER_PICL_DEAL_H

#include "core/exchange/exchange.h"
#include "reader/picl/log.h"

/* Called by all together: fills the logs. Where the records of a place are elsewhere its `n` is 0, and its
 * `owner` is known to process 0. Of defs all then have the same strings and codes, of the log the same all
 * that is not of a place. */
ps_status ps_picl_read_together(ps_picl_log *log, const char *path, ps_exchange *x, ps_error *err);

/* Of a place, while process 0 reads. */
uint32_t ps_picl_deal_owner(const ps_picl_deal *deal, int32_t node, int32_t pid);
/* The records that a place of another process has, which it then has no more. */
void ps_picl_deal_place(ps_picl_log *log, ps_picl_place *place);

#endif
