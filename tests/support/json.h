/* json.h - what a report in JSON holds. */
#ifndef PS_TESTS_SUPPORT_JSON_H
#define PS_TESTS_SUPPORT_JSON_H

#include "tests/support/test.h"

#include <cjson/cJSON.h>

/* Fails the test unless it is there. */
static inline const cJSON *json_at(const cJSON *object, const char *key)
{
        const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);
        if (!item)
                fail_msg("no key \"%s\"", key);
        return item;
}

#endif
