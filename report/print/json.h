/* json.h - reading JSON. */
#ifndef PS_REPORT_PRINT_JSON_H
#define PS_REPORT_PRINT_JSON_H

#include "core/base/error.h"

#include <cjson/cJSON.h>

/* `text` has a NUL behind its `n` bytes, and nothing else but one value. That it is no JSON is told by the
 * caller, who knows what it should be: *out is NULL then, and *wrong, unless it is NULL itself, where it goes
 * wrong. */
ps_status ps_json_parse(cJSON **out, const char *text, size_t n, const char **wrong, ps_error *err);

#endif
