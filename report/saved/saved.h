/* saved.h - a saved JSON report, as it is read by whoever compares with it. */
#ifndef PS_REPORT_SAVED_SAVED_H
#define PS_REPORT_SAVED_SAVED_H

#include "core/base/error.h"
#include <cjson/cJSON.h>

/* Does the file look like one, and not like a trace? No trace begins with a brace. */
bool ps_saved_is(const char *path);

/* What is no JSON report of patscan is PS_E_INPUT; `what` says in errors what it was to be: "baseline". Of a
 * compact one, rows of findings and causes have no keys that nobody reads: see saved.c. */
ps_status ps_saved_read(cJSON **out, const char *what, const char *path, ps_error *err);
/* The same of a text that ends with a NUL behind its `len` bytes. */
ps_status ps_saved_parse(cJSON **out, const char *what, const char *path, const char *text, size_t len,
                         ps_error *err);

/* NULL: it is not there. */
static inline const cJSON *ps_saved_member(const cJSON *object, const char *key)
{
        return cJSON_GetObjectItemCaseSensitive(object, key);
}

/* Does it say that a part of its trace could not be read? */
bool ps_saved_is_partial(const cJSON *report);

ps_status ps_saved_fail(const char *what, const char *path, const char *reason, ps_error *err);

#endif
