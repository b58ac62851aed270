/* scale_run.c - a run as far as scaling goes, from a report or from a saved one. */
#include "compare/scale.h"
#include "core/base/memory.h"
#include "core/base/vector.h"
#include "core/model/focus.h"
#include "report/saved/saved.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH_MAX = 256, KEY_MAX = 1 << 16 };

void ps_scale_run_clear(ps_scale_run *run)
{
        for (uint32_t i = 0; i < run->functions.n; i++) {
                free(run->functions.row[i].key);
                free(run->functions.row[i].file);
        }
        free(run->functions.row);
        for (uint32_t i = 0; i < run->laps.n; i++)
                ps_scale_lap_clear(&run->laps.row[i]);
        free(run->laps.row);
        *run = (ps_scale_run){0};
}

/* -- call paths -- */

static char *path_key(const char *const *names, uint32_t n)
{
        size_t len = 1;
        for (uint32_t i = 0; i < n; i++)
                len += strlen(names[i]) + 3;
        char *key = malloc(len), *end = key;
        if (!key)
                return NULL;
        *key = '\0';
        for (uint32_t i = 0; i < n; i++)
                end = stpcpy(stpcpy(end, i ? " > " : ""), names[i]);
        return key;
}

static ps_status add_function(ps_scale_run *run, const char *const *names, uint32_t n, const char *file,
                              ps_scale_function row, ps_error *err)
{
        static const char *const outside[] = {"(outside of all)"};
        names = n ? names : outside; /* what computes where only calls were recorded */
        n = n ? n : 1;
        row.is_idle = strcmp(names[n - 1], "idle") == 0;
        row.is_call = row.is_call || ps_kind_of_name(names[n - 1]).family != PS_NAMES_OTHER;
        row.key = path_key(names, n);
        row.file = strdup(file);
        if (row.key && row.file) {
                row.name = row.key + strlen(row.key) - strlen(names[n - 1]);
                if (PS_PUSH(run->functions, row) == 0)
                        return PS_OK;
        }
        free(row.key);
        free(row.file);
        return PS_NOMEM(err, "functions", run->functions.n);
}

/* -- of a report that is made -- */

static ps_status add_function_row(ps_scale_run *run, const ps_report *report, const ps_function *f,
                                  ps_error *err)
{
        const char *names[DEPTH_MAX];
        const ps_trace *trace = report->trace;
        uint32_t n = f->path ? ps_report_callpath(report, f->path, names, DEPTH_MAX) : 0;
        const ps_region_def *region = n ? &trace->defs.regions.row[trace->paths[f->path].region] : NULL;
        return add_function(
                run, names, n < DEPTH_MAX ? n : DEPTH_MAX,
                region ? ps_defs_str(&trace->defs, region->file) : "",
                (ps_scale_function){.line = region ? region->line : 0,
                                    .is_call = region && region->kind != PS_K_NONE,
                                    .part = {ps_time_seconds(f->exclusive), ps_time_seconds(f->waiting),
                                             ps_time_seconds(f->most), f->visits}},
                err);
}

static ps_status add_intervals(ps_scale_run *out, const ps_report *report, ps_error *err)
{
        ps_run run = {0};
        ps_status status = ps_run_of_report(&run, report, err);
        PS_THEN(status, ps_scale_run_add_intervals(out, &run, err));
        ps_run_clear(&run);
        return status;
}

ps_status ps_scale_run_of_report(ps_scale_run *out, const ps_report *report, const char *path, ps_error *err)
{
        const ps_efficiency *e = &report->efficiency;
        const double none = NAN;
        *out = (ps_scale_run){.path = path,
                              .processes = report->trace->defs.processes.n,
                              .locations = report->times->n_told,
                              .duration_s = ps_time_seconds(ps_focus_length(report->timing)),
                              .computing_s = ps_time_seconds(ps_times_all_own(report->times)),
                              .is_partial = ps_issues_are_partial(&report->trace->issues)};
        out->factors = (ps_scale_factors){.parallel = e->is_known ? e->parallel : none,
                                          .load_balance = e->is_known ? e->load_balance : none,
                                          .communication = e->is_known ? e->communication : none,
                                          .serialization = e->is_split ? e->serialization : none,
                                          .transfer = e->is_split ? e->transfer : none};
        for (uint32_t i = 0; i < report->functions->n; i++)
                if (!report->between || report->functions->row[i].path)
                        PS_TRY(add_function_row(out, report, &report->functions->row[i], err));
        for (uint32_t i = 0; report->between && i < report->between->n; i++)
                PS_TRY(add_function_row(out, report, &report->between->row[i], err));
        return report->settings.intervals ? add_intervals(out, report, err) : PS_OK;
}

/* -- of a saved one: every number is looked at -- */

typedef struct reading {
        ps_scale_run *run;
        ps_error *err;
} reading;

static ps_status bad(const reading *r, const char *reason)
{
        return ps_saved_fail("saved report", r->run->path, reason, r->err);
}

/* NAN: it is not there, or no number that may be one of these. */
static double read_number_up_to(const cJSON *object, const char *key, double most)
{
        const cJSON *item = ps_saved_member(object, key);
        return cJSON_IsNumber(item) && item->valuedouble >= 0 && item->valuedouble <= most ? item->valuedouble
                                                                                           : NAN;
}

static const double most_seconds = 1e12, most_count = 9007199254740992.0;

static ps_status read_function(const reading *r, const cJSON *item)
{
        const char *names[DEPTH_MAX], *file = cJSON_GetStringValue(ps_saved_member(item, "file"));
        const cJSON *path = ps_saved_member(item, "callpath");
        double line = read_number_up_to(item, "line", UINT32_MAX),
               visits = read_number_up_to(item, "count", most_count);
        double waiting = read_number_up_to(item, "waiting_s", most_seconds);
        ps_scale_part part = {read_number_up_to(item, "exclusive_s", most_seconds),
                              isnan(waiting) ? 0 : waiting, read_number_up_to(item, "max_s", most_seconds),
                              isnan(visits) ? 0 : (uint64_t)visits};
        uint32_t n = 0;
        for (const cJSON *name = cJSON_IsArray(path) ? path->child : NULL; name && n < DEPTH_MAX;
             name = name->next)
                if (cJSON_IsString(name) && strlen(name->valuestring) < KEY_MAX)
                        names[n++] = name->valuestring;
        if (isnan(part.exclusive_s) || isnan(part.longest_s))
                return bad(r, "a function does not tell its time");
        return add_function(r->run, names, n, file ? file : "",
                            (ps_scale_function){.line = isnan(line) ? 0 : (uint32_t)line,
                                                .is_call = cJSON_IsTrue(ps_saved_member(item, "operation")),
                                                .part = part},
                            r->err);
}

static ps_status read_trace(const reading *r, const cJSON *root)
{
        ps_scale_run *run = r->run;
        const cJSON *trace = ps_saved_member(root, "trace"), *span, *time;
        double processes = read_number_up_to(trace, "processes", UINT32_MAX);
        double locations = read_number_up_to(trace, "cpu_locations", UINT32_MAX);
        cJSON_ArrayForEach(span, ps_saved_member(ps_saved_member(trace, "focus"), "spans"))
        {
                const cJSON *begin = cJSON_GetArrayItem(span, 0), *end = cJSON_GetArrayItem(span, 1);
                if (cJSON_IsNumber(begin) && cJSON_IsNumber(end) && end->valuedouble > begin->valuedouble)
                        run->duration_s += end->valuedouble - begin->valuedouble;
        }
        cJSON_ArrayForEach(time, ps_saved_member(root, "time"))
        {
                const char *kind = cJSON_GetStringValue(ps_saved_member(time, "kind"));
                if (kind && strcmp(kind, "computation") == 0)
                        run->computing_s = read_number_up_to(time, "time_s", most_seconds);
        }
        if (!(processes >= 1) || !(locations >= 1) || !(run->duration_s > 0) ||
            !(run->duration_s < most_seconds) || !(run->computing_s >= 0))
                return bad(r, "it does not tell how many processes computed for how long: was it written by "
                              "an older patscan?");
        run->processes = (uint64_t)processes;
        run->locations = (uint64_t)locations;
        return PS_OK;
}

static void read_factors(ps_scale_factors *out, const cJSON *efficiency)
{
        *out = (ps_scale_factors){.parallel = read_number_up_to(efficiency, "parallel", 1),
                                  .load_balance = read_number_up_to(efficiency, "load_balance", 1),
                                  .communication = read_number_up_to(efficiency, "communication", 1),
                                  .serialization = read_number_up_to(efficiency, "serialization", 1e6),
                                  .transfer = read_number_up_to(efficiency, "transfer", 1e6)};
}

/* What is computed between calls stands apart: it is what one function of no name takes. */
static ps_status read_functions(const reading *r, const cJSON *root)
{
        const cJSON *item, *between = ps_saved_member(root, "between_calls");
        bool has_between = cJSON_IsArray(between) && between->child;
        cJSON_ArrayForEach(item, ps_saved_member(root, "functions"))
        {
                if (!has_between || !cJSON_IsNull(ps_saved_member(item, "function")))
                        PS_TRY(read_function(r, item));
        }
        cJSON_ArrayForEach(item, between)
        {
                PS_TRY(read_function(r, item));
        }
        return PS_OK;
}

static ps_status take_report(const reading *r, const cJSON *root)
{
        PS_TRY(read_trace(r, root));
        r->run->is_partial = ps_saved_is_partial(root);
        read_factors(&r->run->factors, ps_saved_member(root, "efficiency"));
        return read_functions(r, root);
}

static bool has_intervals(const cJSON *root)
{
        return cJSON_GetArraySize(ps_saved_member(cJSON_GetArrayItem(ps_saved_member(root, "intervals"), 0),
                                                  "children")) > 0;
}

/* The report's intervals as comparisons know them: of all that they tell. */
static ps_status read_intervals(ps_scale_run *out, const char *path, ps_error *err)
{
        ps_run run = {0};
        ps_status status = ps_run_read(&run, path, err);
        PS_THEN(status, ps_scale_run_add_intervals(out, &run, err));
        ps_run_clear(&run);
        return status;
}

ps_status ps_scale_run_read(ps_scale_run *out, const char *path, ps_error *err)
{
        cJSON *json = NULL;
        *out = (ps_scale_run){.path = path};
        ps_status status = ps_saved_read(&json, "saved report", path, err);
        PS_THEN(status, take_report(&(reading){out, err}, json));
        bool are_told = status == PS_OK && has_intervals(json);
        cJSON_Delete(json);
        return are_told ? read_intervals(out, path, err) : status;
}
