/* saved.c - see saved.h. */
#include "report/saved/saved.h"

#include "core/base/file.h"
#include "core/sums/overview.h"
#include "report/print/compact.h"
#include "report/print/json.h"
#include "report/saved/expand.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* cJSON takes several times the memory of its text. */
enum { BYTES_MAX = 256 << 20, HEAD = 256 };

bool ps_saved_is(const char *path)
{
        struct stat st;
        unsigned char head[HEAD];
        size_t n = stat(path, &st) == 0 && !S_ISDIR(st.st_mode) ? ps_file_head(head, sizeof(head), path) : 0;
        size_t at = 0;

        if (n >= 3 && memcmp(head, "\xef\xbb\xbf", 3) == 0)
                at = 3;
        while (at < n && strchr(" \t\r\n", head[at]) && head[at])
                at++;
        return at < n && head[at] == '{';
}

ps_status ps_saved_fail(const char *what, const char *path, const char *reason, ps_error *err)
{
        return PS_FAIL(err, PS_E_INPUT, "cannot use the %s: path=\"%s\", reason=\"%s\"", what, path, reason);
}

/* All that comparisons and baselines look at in rows of the tables that may be large. */
static const ps_saved_asked asked[] = {
        {"findings",
         (const char *const[]){"site", "type", "file", "line", "callpath", "count", "lost_s", NULL}},
        {"causes", (const char *const[]){"site", NULL}},
        {NULL, NULL}};

static ps_status check_schema(const cJSON *root, const char *what, const char *path, ps_error *err)
{
        const char *schema = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(root, "schema"));

        if (!schema)
                return ps_saved_fail(what, path, "it is not a report of patscan", err);
        if (strcmp(schema, PS_REPORT_SCHEMA) != 0)
                return PS_FAIL(err, PS_E_INPUT,
                               "cannot use the %s: path=\"%s\", schema=\"%.40s\", "
                               "known=\"" PS_REPORT_SCHEMA "\"",
                               what, path, schema);
        return PS_OK;
}

static ps_status parse(cJSON **out, const char *what, const char *path, const char *text, size_t len,
                       ps_error *err)
{
        const char *end = NULL;
        cJSON *root;
        ps_status status;

        *out = NULL;
        PS_TRY(ps_json_parse(&root, text, len, &end, err));
        if (!root)
                return PS_FAIL(err, PS_E_INPUT,
                               "cannot use the %s: path=\"%s\", reason=\"it is not JSON\", offset=%zu", what,
                               path, end ? (size_t)(end - text) : 0);
        status = check_schema(root, what, path, err);
        if (status == PS_OK)
                *out = root;
        else
                cJSON_Delete(root);
        return status;
}

ps_status ps_saved_parse(cJSON **out, const char *what, const char *path, const char *text, size_t len,
                         ps_error *err)
{
        char *full;
        size_t n = len;

        *out = NULL;
        PS_TRY(ps_saved_expand(&full, text, &n, BYTES_MAX, asked, what, path, err));
        ps_status status = parse(out, what, path, full ? full : text, n, err);
        free(full);
        return status;
}

ps_status ps_saved_read(cJSON **out, const char *what, const char *path, ps_error *err)
{
        char *text = NULL;
        size_t len = 0;
        ps_status status = ps_file_read(&text, &len, ps_file_open(path), BYTES_MAX, what, path, err);

        *out = NULL;
        PS_THEN(status, ps_saved_parse(out, what, path, text, len, err));
        free(text);
        return status;
}

bool ps_saved_is_partial(const cJSON *report)
{
        ps_issues found = {0};
        const cJSON *item;

        cJSON_ArrayForEach(item, cJSON_GetObjectItemCaseSensitive(report, "issues"))
        {
                const char *name = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(item, "kind"));
                for (int kind = 0; name && kind < PS_I_COUNT; kind++)
                        if (strcmp(name, ps_issue_infos[kind].name) == 0)
                                found.row[kind].count = 1;
        }
        return ps_issues_are_partial(&found);
}
