/* baseline.c - see baseline.h. */
#include "report/facts/baseline.h"

#include "report/facts/saved.h"

#include <stdlib.h>
#include <string.h>

static int compare_sites(const void *a, const void *b)
{
        uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

        return (x > y) - (x < y);
}

static bool read_site(uint64_t *out, const cJSON *finding)
{
        const char *text = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(finding, "site"));

        return text && ps_number_is_hex(text, out);
}

static ps_status take_sites(ps_baseline *out, const cJSON *root, const char *path, ps_error *err)
{
        const cJSON *findings = cJSON_GetObjectItemCaseSensitive(root, "findings"), *finding;

        if (!cJSON_IsArray(findings))
                return ps_saved_fail("baseline", path, "it holds no findings: it is not of patscan analyze",
                                     err);
        out->site = malloc(sizeof(*out->site) * ((size_t)cJSON_GetArraySize(findings) + 1));
        if (!out->site)
                return PS_NOMEM(err, "baseline", 1);
        for (finding = findings->child; finding; finding = finding->next)
                if (!read_site(&out->site[out->n++], finding))
                        return ps_saved_fail("baseline", path, "a finding has no valid site", err);
        qsort(out->site, out->n, sizeof(*out->site), compare_sites);
        return PS_OK;
}

ps_status ps_baseline_read(ps_baseline *out, const char *path, ps_error *err)
{
        cJSON *root;
        ps_status status = ps_saved_read(&root, "baseline", path, err);

        *out = (ps_baseline){0};
        PS_THEN(status, take_sites(out, root, path, err));
        if (status != PS_OK)
                ps_baseline_clear(out);
        cJSON_Delete(root);
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
