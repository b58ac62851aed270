/* order.h - puts the records of each place into the order of the program, pairs entries with exits, and
 * compares the recorder's statistics with what the events add up to. */
#ifndef PS_READER_PICL_ORDER_H
#define PS_READER_PICL_ORDER_H

#include "reader/picl/log.h"

ps_status ps_picl_order(ps_picl_log *log, ps_error *err);

#endif
