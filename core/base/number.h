/* number.h - numbers in texts that people write: digits, no signs, blanks, hexadecimals or "inf", all of
 * which strtod() and its like know, and no overflow. */
#ifndef PS_CORE_BASE_NUMBER_H
#define PS_CORE_BASE_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The decimal digits at *at, up to `most`; moves *at behind them. 0, and *at stays, when there are none or
 * the number is larger. */
bool ps_number_whole(const char **at, uint64_t most, uint64_t *out);
/* "3" or "3-8", which is 3 to 8. */
bool ps_number_range(const char **at, uint64_t most, uint64_t *from, uint64_t *to);
/* The same as the first for numbers that may have a minus before them; `least` is not above 0. */
bool ps_number_signed(const char **at, int64_t least, int64_t most, int64_t *out);
/* Hexadecimal digits with small letters, nothing before them. */
bool ps_number_hex(const char **at, uint64_t *out);

/* Digits with a point and an exponent or without ("2", ".5", "1e-6"), finite. */
bool ps_number_real(const char **at, double *out);

/* The same, of a text of `n` bytes that has nothing behind the number and need not end with a NUL. */
bool ps_number_is(const char *text, size_t n, double *out);

enum { PS_NUMBER_BYTES = 32 };

/* The shortest text, of those with 15 digits or more, that reads back as the same number. */
void ps_number_print(char out[PS_NUMBER_BYTES], double number);

/* The 16 hexadecimal digits of an id; returns `out`. */
enum { PS_HEX_BYTES = 17 };
const char *ps_number_print_hex(char out[PS_HEX_BYTES], uint64_t number);
/* Just these digits and nothing else? */
bool ps_number_is_hex(const char *text, uint64_t *out);

#endif
