/* later.h - libraries that are loaded when something of them is used, so that who never does needs neither
 * the library nor the time to link it. */
#ifndef PS_REPORT_PRINT_LATER_H
#define PS_REPORT_PRINT_LATER_H

#include "core/base/error.h"

#include <stddef.h>

typedef struct ps_later_function {
        const char *name;
        size_t member; /* its offset in the struct of pointers that is filled */
} ps_later_function;

typedef struct ps_later {
        const char *file, *name;
        const char *lacks; /* what is told where it is not there, before the reason */
        const ps_later_function *functions;
        size_t n_functions;
        ps_status status; /* where it is not there, or lacks a function */
        bool stays;       /* loaded for good: its threads may outlive their last use */
} ps_later;

/* Fills the struct at `functions`; *library is for dlclose(). What fails because there is no memory says so.
 */
ps_status ps_later_load(void **library, void *functions, const ps_later *later, ps_error *err);

#endif
