/* saved.c - a run from a saved report. It may come from anywhere: every number is checked, and what is
 * inconsistent is an error, because a comparison would report it as a difference. */
#include "report/saved/saved.h"
#include "compare/run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Longer names are of no program; more seconds are of no run. */
static const double SECONDS_MAX = 1e12, COUNT_MAX = 9007199254740992.0;

typedef struct reading {
        ps_run *run;
        const char *path;
        ps_error *err;
} reading;

static ps_status bad(const reading *r, const char *reason)
{
        return ps_saved_fail("saved report", r->path, reason, r->err);
}

static const char *member_text(const cJSON *object, const char *key, const char *otherwise)
{
        const char *text = cJSON_GetStringValue(ps_saved_member(object, key));

        return text && *text ? text : otherwise;
}

/* NULL and absent are `otherwise`. */
static ps_status read_member_number(const reading *r, double *out, const cJSON *object, const char *key,
                                    double least, double most, double otherwise)
{
        const cJSON *item = ps_saved_member(object, key);

        *out = otherwise;
        if (!item || cJSON_IsNull(item))
                return PS_OK;
        if (!cJSON_IsNumber(item) || !(item->valuedouble >= least && item->valuedouble <= most))
                return PS_FAIL(
                        r->err, PS_E_INPUT,
                        "cannot use the saved report, because a number in it is bad: path=\"%s\", key=\"%s\"",
                        r->path, key);
        *out = item->valuedouble;
        return PS_OK;
}

static ps_status read_seconds(const reading *r, double *out, const cJSON *object, const char *key)
{
        return read_member_number(r, out, object, key, -SECONDS_MAX, SECONDS_MAX, NAN);
}

static ps_status read_count(const reading *r, uint64_t *out, const cJSON *object, const char *key)
{
        double number;
        ps_status status = read_member_number(r, &number, object, key, 0, COUNT_MAX, 0);

        *out = status == PS_OK ? (uint64_t)number : 0;
        return status;
}

static ps_status read_member_line(const reading *r, uint32_t *out, const cJSON *object)
{
        double number;
        ps_status status = read_member_number(r, &number, object, "line", 0, UINT32_MAX, 0);

        *out = status == PS_OK ? (uint32_t)number : 0;
        return status;
}

/* -- the trace that the report is about -- */

/* How long the part is that all else is about; reports that do not say so are about the whole run. */
static ps_status read_focus(const reading *r, const cJSON *focus)
{
        const cJSON *spans = ps_saved_member(focus, "spans");

        r->run->duration_s = cJSON_IsArray(spans) ? 0 : r->run->whole_s;
        for (const cJSON *span = cJSON_IsArray(spans) ? spans->child : NULL; span; span = span->next) {
                const cJSON *begin = cJSON_GetArrayItem(span, 0), *end = cJSON_GetArrayItem(span, 1);
                if (!cJSON_IsNumber(begin) || !cJSON_IsNumber(end) ||
                    !(end->valuedouble >= begin->valuedouble) ||
                    !(end->valuedouble - begin->valuedouble <= SECONDS_MAX))
                        return bad(r, "bad spans of its focus");
                r->run->duration_s += end->valuedouble - begin->valuedouble;
        }
        if (r->run->duration_s > r->run->whole_s)
                r->run->duration_s = r->run->whole_s;
        return PS_OK;
}

static ps_status read_trace(const reading *r, const cJSON *root)
{
        ps_run *run = r->run;
        const cJSON *trace = ps_saved_member(root, "trace"), *clock = ps_saved_member(trace, "clock");
        const cJSON *prediction = ps_saved_member(root, "prediction");

        if (!cJSON_IsObject(trace))
                return bad(r, "it does not tell of a trace");
        run->is_saved = true;
        run->path = r->path;
        run->trace_path = member_text(trace, "path", "");
        run->format = member_text(trace, "format", "");
        run->creator = member_text(trace, "creator", NULL);
        run->is_predicted = strcmp(member_text(root, "timing", ""), "predicted") == 0;
        run->machine = member_text(prediction, "machine", NULL);
        run->formula = member_text(prediction, "formula", NULL);
        run->machine_source = member_text(prediction, "source", NULL);
        run->is_partial = ps_saved_is_partial(root);
        PS_TRY(read_member_number(r, &run->whole_s, trace, "duration_s", 0, SECONDS_MAX, NAN));
        if (isnan(run->whole_s))
                return bad(r, "it does not tell how long the run took");
        PS_TRY(read_focus(r, ps_saved_member(trace, "focus")));
        PS_TRY(read_count(r, &run->processes, trace, "processes"));
        PS_TRY(read_count(r, &run->operations, trace, "operations"));
        PS_TRY(read_count(r, &run->messages, trace, "messages"));
        PS_TRY(read_count(r, &run->resolution_hz, clock, "resolution_hz"));
        return read_count(r, &run->violations, clock, "violations");
}

/* -- patterns and findings -- */

/* What reports write as they find it. */
static bool is_word(const char *text)
{
        return !text[strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789-")];
}

static ps_status read_patterns(const reading *r, const cJSON *patterns)
{
        for (const cJSON *item = cJSON_IsArray(patterns) ? patterns->child : NULL; item; item = item->next) {
                ps_run_pattern row = {.id = member_text(item, "id", NULL),
                                      .title = member_text(item, "title", ""),
                                      .is_view = cJSON_IsTrue(ps_saved_member(item, "is_view"))};
                if (!row.id)
                        return bad(r, "a pattern has no id");
                if (!is_word(row.id))
                        return bad(r, "a pattern's id is no word");
                PS_TRY(read_seconds(r, &row.lost_s, item, "lost_s"));
                if (isnan(row.lost_s))
                        return bad(r, "a pattern does not tell what was lost");
                PS_TRY(read_count(r, &row.count, item, "count"));
                PS_TRY(ps_run_add_pattern(r->run, &row, r->err));
        }
        return PS_OK;
}

static const char *last_call(const cJSON *callpath)
{
        const cJSON *last = cJSON_IsArray(callpath) ? callpath->child : NULL;

        while (last && last->next)
                last = last->next;
        return last && cJSON_IsString(last) ? last->valuestring : "";
}

static ps_status read_finding(const reading *r, const cJSON *item)
{
        const char *site = member_text(item, "site", "");
        ps_run_site row = {.type = member_text(item, "type", NULL),
                           .call = last_call(ps_saved_member(item, "callpath")),
                           .file = member_text(item, "file", NULL)};

        if (!ps_number_is_hex(site, &row.site) || !row.type)
                return bad(r, "a finding has no valid site");
        PS_TRY(read_seconds(r, &row.lost_s, item, "lost_s"));
        if (isnan(row.lost_s))
                return bad(r, "a finding does not tell what was lost");
        PS_TRY(read_member_line(r, &row.line, item));
        PS_TRY(read_count(r, &row.count, item, "count"));
        return ps_run_add_site(r->run, &row, r->err);
}

static ps_status read_findings(const reading *r, const cJSON *findings)
{
        r->run->has_findings = cJSON_IsArray(findings);
        for (const cJSON *item = r->run->has_findings ? findings->child : NULL; item; item = item->next)
                PS_TRY(read_finding(r, item));
        return PS_OK;
}

/* -- intervals -- */

static ps_status read_share(const reading *r, ps_run_share *out, const cJSON *item)
{
        const cJSON *operations = ps_saved_member(item, "operations");
        PS_TRY(read_seconds(r, &out->execution_s, item, "execution_s"));

        PS_TRY(read_seconds(r, &out->communication_s, item, "communication_s"));
        if (isnan(out->execution_s) || isnan(out->communication_s))
                return bad(r, "an interval does not tell what its processors did");
        for (int c = 0; c < PS_IC_COUNT; c++) {
                const cJSON *operation = ps_saved_member(operations, ps_interval_classes[c].key);
                PS_TRY(read_member_number(r, &out->synchronization_s[c], operation, "synchronization_s",
                                          -SECONDS_MAX, SECONDS_MAX, 0));
        }
        return PS_OK;
}

/* All intervals tell of the same processors, or none does. */
static ps_status read_shares(const reading *r, ps_run_interval *row, const cJSON *processors)
{
        ps_run *run = r->run;
        uint32_t n = cJSON_IsArray(processors) ? (uint32_t)cJSON_GetArraySize(processors) : 0, p = 0;

        if (!run->intervals.n) {
                run->n_processors = n;
                run->has_shares = n > 0;
        }
        if (n != run->n_processors)
                return bad(r, "its intervals tell of different numbers of processors");
        if (!n)
                return PS_OK;
        row->share = calloc(n, sizeof(*row->share));
        if (!row->share)
                return PS_NOMEM(r->err, "processors", n);
        for (const cJSON *item = processors->child; item; item = item->next)
                PS_TRY(read_share(r, &row->share[p++], item));
        return PS_OK;
}

static ps_status read_index(const reading *r, ps_run_interval *row, const cJSON *item)
{
        double number;
        ps_status status = read_member_number(r, &number, item, "index", -COUNT_MAX, COUNT_MAX, NAN);

        row->has_index = status == PS_OK && !isnan(number);
        row->index = row->has_index ? (int64_t)number : 0;
        return status;
}

/* One interval; the next one is found by its caller. */
static ps_status read_interval(const reading *r, const cJSON *item, uint32_t parent, uint32_t level)
{
        ps_run_interval row = {.type = member_text(item, "type", NULL),
                               .name = member_text(item, "name", ""),
                               .file = member_text(item, "file", ""),
                               .parent = parent,
                               .level = level};
        ps_status status;

        if (!row.type)
                return bad(r, "an interval has no type");
        status = read_member_line(r, &row.line, item);
        PS_THEN(status, read_index(r, &row, item));
        PS_THEN(status, read_seconds(r, &row.execution_s, item, "execution_s"));
        if (status == PS_OK && isnan(row.execution_s))
                status = bad(r, "an interval does not tell how long it took");
        PS_THEN(status, read_shares(r, &row, ps_saved_member(item, "processors")));
        PS_THEN(status, ps_run_add_interval(r->run, &row, r->err));
        if (status != PS_OK)
                free(row.share);
        return status;
}

/* Before their children, which are nested as deeply as cJSON allows: a thousand levels of JSON. */
static ps_status read_below(const reading *r, const cJSON *items, uint32_t parent, uint32_t level)
{
        for (const cJSON *item = cJSON_IsArray(items) ? items->child : NULL; item; item = item->next) {
                uint32_t row = r->run->intervals.n;
                PS_TRY(read_interval(r, item, parent, level));
                PS_TRY(read_below(r, ps_saved_member(item, "children"), row, level + 1));
        }
        return PS_OK;
}

static ps_status read_intervals(const reading *r, const cJSON *intervals)
{
        if (!intervals || cJSON_IsNull(intervals))
                return PS_OK;
        if (!cJSON_IsArray(intervals) || !intervals->child || intervals->child->next)
                return bad(r, "its intervals are not one run");
        return read_below(r, intervals, PS_NONE, 0);
}

/* -- the whole -- */

static ps_status take_report(ps_run *run, const char *path, ps_error *err)
{
        reading r = {run, path, err};
        const cJSON *root = run->json;
        PS_TRY(read_trace(&r, root));

        PS_TRY(read_patterns(&r, ps_saved_member(root, "patterns")));
        PS_TRY(read_findings(&r, ps_saved_member(root, "findings")));
        PS_TRY(read_intervals(&r, ps_saved_member(root, "intervals")));
        return ps_run_finish(run, err);
}

ps_status ps_run_parse(ps_run *out, const char *text, size_t len, const char *path, ps_error *err)
{
        *out = (ps_run){0};
        PS_TRY(ps_saved_parse(&out->json, "saved report", path, text, len, err));
        return take_report(out, path, err);
}

ps_status ps_run_read(ps_run *out, const char *path, ps_error *err)
{
        *out = (ps_run){0};
        PS_TRY(ps_saved_read(&out->json, "saved report", path, err));
        return take_report(out, path, err);
}
