/* saved.c - see saved.h. */
#include "report/facts/saved.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* cJSON takes several times the memory of its text. */
enum { BYTES_MAX = 256 << 20 };

ps_status ps_saved_fail(const char *what, const char *path, const char *reason, ps_error *err)
{
        return PS_FAIL(err, PS_E_INPUT, "cannot use %s: path=\"%s\", reason=\"%s\"", what, path, reason);
}

/* The whole file and a NUL. */
static ps_status read_text(char **out, size_t *len, const char *what, const char *path, ps_error *err)
{
        FILE *file = fopen(path, "rb");
        size_t room = 1 << 16, n = 0, got = 1;
        char *text = file ? malloc(room) : NULL;
        ps_status status = PS_OK;

        if (!file)
                return ps_saved_fail(what, path, strerror(errno), err);
        while (text && got && n < BYTES_MAX) {
                if (room - n < 2) {
                        char *larger = realloc(text, room *= 2);
                        if (!larger)
                                free(text);
                        text = larger;
                }
                got = text ? fread(text + n, 1, room - n - 1, file) : 0;
                n += got;
        }
        if (!text)
                status = PS_NOMEM(err, what, room);
        else if (ferror(file))
                status = ps_saved_fail(what, path, strerror(errno), err);
        else if (n >= BYTES_MAX)
                status = ps_saved_fail(what, path, "it is too large", err);
        fclose(file);
        if (status == PS_OK)
                text[ *len = n] = '\0';
        else
                free(text);
        *out = status == PS_OK ? text : NULL;
        return status;
}

static ps_status check_schema(const cJSON *root, const char *what, const char *path, ps_error *err)
{
        const char *schema = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(root, "schema"));

        if (!schema)
                return ps_saved_fail(what, path, "it is no report of patscan", err);
        if (strcmp(schema, "patscan-report-1") != 0)
                return PS_FAIL(err, PS_E_INPUT,
                               "cannot use %s: path=\"%s\", schema=\"%.40s\", known=\"patscan-report-1\"",
                               what, path, schema);
        return PS_OK;
}

ps_status ps_saved_parse(cJSON **out, const char *what, const char *path, const char *text, size_t len,
                         ps_error *err)
{
        const char *end = NULL;
        /* With its NUL, which must be where the document ends. */
        cJSON *root = cJSON_ParseWithLengthOpts(text, len + 1, &end, 1);
        ps_status status;

        *out = NULL;
        if (!root)
                return PS_FAIL(err, PS_E_INPUT,
                               "cannot use %s: path=\"%s\", reason=\"it is no JSON\", offset=%zu", what, path,
                               end ? (size_t)(end - text) : 0);
        status = check_schema(root, what, path, err);
        if (status == PS_OK)
                *out = root;
        else
                cJSON_Delete(root);
        return status;
}

ps_status ps_saved_read(cJSON **out, const char *what, const char *path, ps_error *err)
{
        char *text = NULL;
        size_t len = 0;
        ps_status status = read_text(&text, &len, what, path, err);

        *out = NULL;
        if (status == PS_OK)
                status = ps_saved_parse(out, what, path, text, len, err);
        free(text);
        return status;
}
