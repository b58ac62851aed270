/* baseline.c - see baseline.h. */
#include "report/saved/baseline.h"

#include "core/base/number.h"
#include "core/base/search.h"
#include "report/saved/saved.h"

#include <stdlib.h>
#include <string.h>

static int compare_sites(const void *a, const void *b)
{
        uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

        return PS_ORDER(x, y);
}

static bool read_site(uint64_t *out, const cJSON *row)
{
        const char *text = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(row, "site"));

        return text && ps_number_is_hex(text, out);
}

static ps_status take_sites(struct ps_saved_sites *out, const cJSON *rows, const char *path, const char *bad,
                            ps_error *err)
{
        const cJSON *row;

        out->site = malloc(sizeof(*out->site) * ((size_t)cJSON_GetArraySize(rows) + 1));
        if (!out->site)
                return PS_NOMEM(err, "baseline", 1);
        for (row = rows->child; row; row = row->next)
                if (!read_site(&out->site[out->n++], row))
                        return ps_saved_fail("baseline", path, bad, err);
        qsort(out->site, out->n, sizeof(*out->site), compare_sites);
        return PS_OK;
}

/* Reports of older versions, and of those who did not ask, have no causes. */
static ps_status take_all(ps_baseline *out, const cJSON *root, const char *path, ps_error *err)
{
        const cJSON *findings = cJSON_GetObjectItemCaseSensitive(root, "findings"),
                    *causes = cJSON_GetObjectItemCaseSensitive(root, "causes");

        if (!cJSON_IsArray(findings))
                return ps_saved_fail("baseline", path,
                                     "it holds no findings: it was not written by patscan analyze", err);
        PS_TRY(take_sites(&out->findings, findings, path, "a finding has no valid site", err));
        out->has_causes = cJSON_IsArray(causes);
        if (out->has_causes)
                PS_TRY(take_sites(&out->causes, causes, path, "a cause has no valid site", err));
        return PS_OK;
}

ps_status ps_baseline_read(ps_baseline *out, const char *path, ps_error *err)
{
        cJSON *root;
        ps_status status = ps_saved_read(&root, "baseline", path, err);

        *out = (ps_baseline){0};
        PS_THEN(status, take_all(out, root, path, err));
        if (status != PS_OK)
                ps_baseline_clear(out);
        cJSON_Delete(root);
        return status;
}

void ps_baseline_clear(ps_baseline *baseline)
{
        free(baseline->findings.site);
        free(baseline->causes.site);
        *baseline = (ps_baseline){0};
}

static bool is_saved(const struct ps_saved_sites *saved, const char *site)
{
        uint64_t key;

        return saved->n && ps_number_is_hex(site, &key) &&
               bsearch(&key, saved->site, saved->n, sizeof(key), compare_sites);
}

uint32_t ps_baseline_mark(const ps_baseline *baseline, ps_report *report)
{
        uint32_t n_new = 0;

        for (uint32_t i = 0; i < report->n_findings; i++) {
                report->findings[i].is_new = !is_saved(&baseline->findings, report->findings[i].site);
                n_new += report->findings[i].is_new;
        }
        return n_new;
}

void ps_baseline_mark_causes(const ps_baseline *baseline, ps_blame *blame)
{
        blame->are_compared = baseline->has_causes;
        for (uint32_t i = 0; baseline->has_causes && i < blame->causes->n; i++)
                blame->told[i].is_new = !is_saved(&baseline->causes, blame->told[i].site);
}
