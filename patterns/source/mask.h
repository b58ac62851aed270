/* mask.h - replaces by blanks whatever in a source text is no code. */
#ifndef PS_PATTERNS_SOURCE_MASK_H
#define PS_PATTERNS_SOURCE_MASK_H

#include "patterns/source/scan.h"

/* Comments, literals, preprocessor lines and branches that are never compiled become blanks; line ends stay
 * where they are. Of alternative branches (#else) the braces are blanked, too, because together with those
 * of the first branch they do not balance. A Fortran line that goes on has '&' at its end or, in fixed form,
 * in column 6 of the next one. */
void ps_source_mask(char *text, size_t len, ps_scan_language language);

#endif
