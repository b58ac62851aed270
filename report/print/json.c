/* json.c - see json.h. */
#include "report/print/json.h"

#include <errno.h>

ps_status ps_json_parse(cJSON **out, const char *text, size_t n, const char **wrong, ps_error *err)
{
        errno = 0; /* cJSON tells no difference between a wrong text and a lack of memory */
        *out = cJSON_ParseWithLengthOpts(text, n + 1, wrong, 1);
        return *out || errno != ENOMEM ? PS_OK : PS_NOMEM(err, "JSON", n);
}
