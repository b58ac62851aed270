/* json.h - JSON documents by cJSON, with what cJSON lacks: exact 64-bit numbers, times without binary noise,
 * cleaned names, null for what is absent, and an out-of-memory that cannot be overlooked. */
#ifndef PS_REPORT_PRINT_JSON_H
#define PS_REPORT_PRINT_JSON_H

#include "core/base/types.h"
#include "report/print/output.h"
#include <cjson/cJSON.h>

/* Initialise with {0}; the functions do nothing once memory has run out. */
typedef struct ps_json {
        cJSON *root;
        int failed;
} ps_json;

/* The document's root, or a new child of `parent`, which may be an array (key NULL). */
cJSON *ps_json_root(ps_json *json);
cJSON *ps_json_object(ps_json *json, cJSON *parent, const char *key);
cJSON *ps_json_array(ps_json *json, cJSON *parent, const char *key);

void ps_json_null(ps_json *json, cJSON *parent, const char *key);
void ps_json_bool(ps_json *json, cJSON *parent, const char *key, int value);
void ps_json_u64(ps_json *json, cJSON *parent, const char *key, uint64_t value);
void ps_json_time(ps_json *json, cJSON *parent, const char *key, ps_time value);
/* NULL and "" are absent: null. */
void ps_json_text(ps_json *json, cJSON *parent, const char *key, const char *value);

/* Writes the root's members, a line each and without the root's own braces, for a document that is too large
 * to be held as a whole; frees them, also when it fails. */
ps_status ps_json_finish_members(ps_json *json, ps_output *out, ps_error *err);
/* Writes the document and frees it, also when it fails. */
ps_status ps_json_finish(ps_json *json, ps_output *out, ps_error *err);

#endif
