/* baseline.c - see baseline.h. */
#include "report/baseline.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* cJSON takes several times the memory of its text. */
enum { BYTES_MAX = 256 << 20 };

static ps_status fail_reading(const char *path, const char *reason, ps_error *err)
{
        return PS_FAIL(err, PS_E_INPUT, "cannot use baseline: path=\"%s\", reason=\"%s\"", path, reason);
}

/* The whole file and a NUL. */
static ps_status read_text(char **out, size_t *len, const char *path, ps_error *err)
{
        FILE *file = fopen(path, "rb");
        size_t room = 1 << 16, n = 0, got = 1;
        char *text = file ? malloc(room) : NULL;
        ps_status status = PS_OK;

        if (!file)
                return fail_reading(path, strerror(errno), err);
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
                status = PS_NOMEM(err, "baseline", room);
        else if (ferror(file))
                status = fail_reading(path, strerror(errno), err);
        else if (n >= BYTES_MAX)
                status = fail_reading(path, "it is too large", err);
        fclose(file);
        if (status == PS_OK)
                text[ *len = n] = '\0';
        else
                free(text);
        *out = status == PS_OK ? text : NULL;
        return status;
}

static int compare_sites(const void *a, const void *b)
{
        uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

        return (x > y) - (x < y);
}

static int read_site(uint64_t *out, const cJSON *finding)
{
        const char *text = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(finding, "site"));

        if (!text || strlen(text) != PS_REPORT_ID - 1 || strspn(text, "0123456789abcdef") != PS_REPORT_ID - 1)
                return -1;
        *out = strtoull(text, NULL, 16);
        return 0;
}

static ps_status take_sites(ps_baseline *out, const cJSON *root, const char *path, ps_error *err)
{
        const char *schema = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(root, "schema"));
        const cJSON *findings = cJSON_GetObjectItemCaseSensitive(root, "findings"), *finding;

        if (!schema)
                return fail_reading(path, "it is no report of patscan", err);
        if (strcmp(schema, "patscan-report-1") != 0)
                return PS_FAIL(
                        err, PS_E_INPUT,
                        "cannot use baseline: path=\"%s\", schema=\"%.40s\", known=\"patscan-report-1\"",
                        path, schema);
        if (!cJSON_IsArray(findings))
                return fail_reading(path, "it holds no findings: it is not of patscan analyze", err);
        out->site = malloc(sizeof(*out->site) * ((size_t)cJSON_GetArraySize(findings) + 1));
        if (!out->site)
                return PS_NOMEM(err, "baseline", 1);
        cJSON_ArrayForEach(
                finding, findings) if (read_site(&out->site[out->n++],
                                                 finding)) return fail_reading(path,
                                                                               "a finding has no valid site",
                                                                               err);
        qsort(out->site, out->n, sizeof(*out->site), compare_sites);
        return PS_OK;
}

ps_status ps_baseline_read(ps_baseline *out, const char *path, ps_error *err)
{
        const char *end = NULL;
        char *text;
        size_t len = 0;
        ps_status status = read_text(&text, &len, path, err);

        *out = (ps_baseline){0};
        if (status < 0)
                return status;
        /* With its NUL, which must be where the document ends. */
        cJSON *root = cJSON_ParseWithLengthOpts(text, len + 1, &end, 1);
        if (!root)
                status = PS_FAIL(err, PS_E_INPUT,
                                 "cannot use baseline: path=\"%s\", reason=\"it is no JSON\", offset=%zu",
                                 path, end ? (size_t)(end - text) : 0);
        else
                status = take_sites(out, root, path, err);
        if (status < 0)
                ps_baseline_clear(out);
        cJSON_Delete(root);
        free(text);
        return status;
}

void ps_baseline_clear(ps_baseline *baseline)
{
        free(baseline->site);
        *baseline = (ps_baseline){0};
}

uint32_t ps_baseline_mark(const ps_baseline *baseline, ps_report *report)
{
        uint32_t n_new = 0;

        for (uint32_t i = 0; i < report->n_findings; i++) {
                uint64_t site = strtoull(report->findings[i].site, NULL, 16);
                report->findings[i].is_new = !baseline->n || !bsearch(&site, baseline->site, baseline->n,
                                                                      sizeof(site), compare_sites);
                n_new += report->findings[i].is_new;
        }
        return n_new;
}
