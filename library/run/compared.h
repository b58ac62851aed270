/* compared.h - two runs side by side, or several a side, from traces or saved reports. */
#ifndef PS_LIBRARY_RUN_COMPARED_H
#define PS_LIBRARY_RUN_COMPARED_H

#include "library/run/compare_side.h"

typedef struct ps_compared ps_compared;

/* To be freed, also after a failure. */
ps_status ps_compared_new(ps_compared **out, const ps_compare_paths of[PS_SIDES], const ps_options *options,
                          ps_error *err);
void ps_compared_free(ps_compared *compared);

const ps_compare *ps_compared_result(const ps_compared *compared);
/* PS_E_USAGE: there is no report of that name. */
ps_status ps_compared_write(const ps_compared *compared, const char *format, ps_output *out, ps_error *err);
/* How the program ends, which is told, too. */
ps_exit ps_compared_judge(const ps_compared *compared, const ps_options *options);

#endif
