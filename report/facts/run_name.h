/* run_name.h - what a run is called in the file of a machine that was calibrated with it. */
#ifndef PS_REPORT_FACTS_RUN_NAME_H
#define PS_REPORT_FACTS_RUN_NAME_H

#include <stdbool.h>

enum { PS_RUN_NAME_ROOM = 512 };

/* The last two parts of the path; archives are named by their folder, since all their anchors are called the
 * same. Empty: nothing in the path tells it from others. Returns `room`. */
const char *ps_run_name(char room[PS_RUN_NAME_ROOM], const char *path);

/* Whether a text about where numbers come from names the run of this path. */
bool ps_run_is_named(const char *text, const char *path);

#endif
