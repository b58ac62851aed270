/* numbers.h - numbers of a DVM trace. Each takes the text [at, end) whole; none depends on the locale. */
#ifndef PS_READER_DVM_NUMBERS_H
#define PS_READER_DVM_NUMBERS_H

#include "core/base/types.h"

/* 1, or 0 when the text is no such number or the number does not fit. */
bool ps_dvm_integer(const char *at, const char *end, int64_t *out);
/* With or without 0x; NULL is 0. Results beyond 63 bits keep their bits. */
bool ps_dvm_hex(const char *at, const char *end, int64_t *out);
bool ps_dvm_real(const char *at, const char *end, double *out);
/* Decimal seconds, exactly, rounded to the nearest picosecond; what does not fit becomes PS_TIME_MAX, and
 * what is negative stays so. */
bool ps_dvm_seconds(const char *at, const char *end, ps_time *out);

#endif
