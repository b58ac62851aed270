/* away.h - rows that stay in the processes that have read them, and what process 0 knows of them. */
#ifndef PS_CORE_LOAD_AWAY_H
#define PS_CORE_LOAD_AWAY_H

#include "core/exchange/exchange.h"
#include "core/load/folding.h"

/* Together, once what is in `near` was matched: process 0 learns of all what tells whether it can do without
 * the rows of others. */
ps_status ps_away_look(struct ps_folding *f, ps_trace *near, ps_error *err);
/* By process 0 then: do they stay, and are times to be moved where they are (core/clock/apart.h)? */
bool ps_away_mends(struct ps_folding *f);
/* And after that: may they stay? The answer is the same for any number of processes, unless the system has no
 * room for columns that nobody fills. */
bool ps_away_decide(struct ps_folding *f);

/* Where they stay: process 0 gets the builders of the others, without rows. */
ps_status ps_away_give(const struct ps_folding *f, ps_exchange *x, ps_error *err);
ps_status ps_away_take(struct ps_folding *f, ps_error *err);
/* By process 0, whose trace has the locations: they get columns, with those rows that a load itself needs. */
ps_status ps_away_place(struct ps_folding *f, ps_error *err);

/* What the others do when process 0 calls ps_share_bring(). */
void ps_away_bring(const ps_trace *here, unsigned n_threads, uint8_t *asked, size_t n);

#endif
