/* words.h - the words of a comparison that its formats for people share. */
#ifndef PS_REPORT_COMPARISON_WORDS_H
#define PS_REPORT_COMPARISON_WORDS_H

#include "report/comparison/comparison.h"
#include "report/print/text.h"

/* "measured" and "predicted", or "first" and "second" when not just the second is known to be one. */
const char *ps_compare_side_name(const ps_compare *compare, ps_run_role side);
const char *ps_compare_side_title(const ps_compare *compare, ps_run_role side); /* the same, as a heading */

/* All write into `room` of PS_NUMBER_ROOM bytes and return it; what is not known is "-". */
const char *ps_compare_signed(char *room, double seconds);              /* "+1.2 ms", "0" */
const char *ps_compare_percent(char *room, double share);               /* "12.3 %" */
const char *ps_compare_change(char *room, double share);                /* "+12.3 %" */
const char *ps_compare_difference(char *room, ps_two two);              /* signed */
const char *ps_compare_bytes(char *room, const ps_compared_size *size); /* "0", "1", "512-1,023" */

/* What of the total difference a part is; NAN: there is none. */
double ps_compare_share(const ps_compare *compare, double difference_s);

/* "solve", "main > solve (3)", with the outermost left out where there is no room. */
enum { PS_COMPARE_NAME_ROOM = 256 };
const char *ps_compare_interval_name(char room[PS_COMPARE_NAME_ROOM], const ps_compare *compare,
                                     const ps_compared_interval *interval);
/* The same of a part of the difference: of the whole run only what is outside of the others; "": there are
 * none. */
const char *ps_compare_contribution_name(char room[PS_COMPARE_NAME_ROOM], const ps_compare *compare,
                                         const ps_contribution *contribution);
/* The row of the run that has it. */
const ps_run_interval *ps_compare_interval_row(const ps_compare *compare,
                                               const ps_compared_interval *interval);
const ps_run_site *ps_compare_site_row(const ps_compared_site *site);
const ps_run_pattern *ps_compare_pattern_row(const ps_compared_pattern *pattern);
/* The pattern's title, if this version knows it. */
const char *ps_compare_site_title(const ps_run_site *site);

/* "in both", "only measured" */
const char *ps_compare_where(const ps_compare *compare, int in_measured, int in_predicted);

/* The result in a sentence or two. */
enum { PS_COMPARE_VERDICT_ROOM = 400 };
const char *ps_compare_verdict(char room[PS_COMPARE_VERDICT_ROOM], const ps_compare *compare);
/* The errors in a line; "": nothing was compared. */
const char *ps_compare_errors_text(char room[PS_COMPARE_VERDICT_ROOM], const ps_errors *errors);
/* "otf2 trace, 4 ranks, 1.2 s, clock of 1 GHz" */
const char *ps_compare_run_text(char room[PS_COMPARE_VERDICT_ROOM], const ps_run *run);
/* Where the runs part ways, or "". */
const char *ps_compare_parting(char room[PS_COMPARE_VERDICT_ROOM], const ps_compare *compare);

#endif
