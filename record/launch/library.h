/* library.h - which recorder a program needs, and where it is. */
#ifndef PS_RECORD_LAUNCH_LIBRARY_H
#define PS_RECORD_LAUNCH_LIBRARY_H

#include "core/base/error.h"

/* The path of the library to be loaded before the program, which is looked for as a shell does. PS_E_USAGE:
 * there is no such program, or it may not be executed. */
ps_status ps_launch_library(char *out, size_t size, const char *program, ps_error *err);

#endif
