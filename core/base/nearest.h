/* nearest.h - which of the known words was meant by an unknown one. */
#ifndef PS_CORE_BASE_NEAREST_H
#define PS_CORE_BASE_NEAREST_H

enum { PS_NEAREST_MAX = 63 }; /* letters; longer words are near nothing */

/* The candidate that was probably meant, or NULL when none is near. */
const char *ps_nearest(const char *word, const char *const *candidates, unsigned n);

#endif
