/* removals.c - see removals.h. */
#include "library/gains/removals.h"

#include "core/base/map.h"
#include "core/base/memory.h"
#include "core/base/nearest.h"
#include "core/base/search.h"
#include "core/base/vector.h"
#include "report/causes/causes.h"

#include <stdlib.h>
#include <string.h>

struct gather {
        const ps_trace *trace;
        ps_removals *out;
        ps_map row_of; /* (location and pattern, path): row */
        bool failed;
};

static uint32_t removal_key(ps_loc loc, uint32_t pattern)
{
        return loc * PS_MAX_PATTERNS + pattern;
}

/* A replay knows who waits for whom in these: leaving that out is what takes such a finding away. */
static bool is_about_waiting(const ps_pattern *pattern)
{
        switch (pattern->subject) {
        case PS_ON_RECEIVER:
        case PS_ON_SENDER:
        case PS_ON_ORDER:
        case PS_ON_PROBE:
        case PS_ON_COLLECTIVE:
        case PS_ON_NONBLOCKING:
        case PS_ON_PGAS_COLLECTIVE:
        case PS_ON_SPLIT_BARRIER:
                return !pattern->is_work && !pattern->is_view;
        default:
                return 0;
        }
}

/* Only these are replayed with their partners; the time of others is kept as recorded. */
static bool can_wait(const ps_trace *trace, const ps_instance *instance)
{
        ps_ref at = instance->at;
        if (at.op == PS_NONE || !is_about_waiting(ps_pattern_at(instance->pattern)))
                return 0;
        switch (ps_kinds[trace->ops[at.loc].kind[at.op]].cls) {
        case PS_C_SEND:
        case PS_C_RECV:
        case PS_C_PROBE:
        case PS_C_COMPLETE:
        case PS_C_COLL:
                return 1;
        default:
                return 0;
        }
}

static void on_instance(void *ctx, const ps_instance *instance, ps_path path)
{
        struct gather *g = ctx;
        ps_time i = ps_map_get(&g->row_of, removal_key(instance->at.loc, instance->pattern), path, -1);
        if (i < 0 || !can_wait(g->trace, instance))
                return;
        ps_removal *row = &g->out->row[i];
        if (PS_ROOM(row->op, row->n, row->cap)) {
                g->failed = 1;
                return;
        }
        row->op[row->n++] = instance->at.op;
}

/* What the log has of the locations that have findings; whether it keeps all of them. */
static bool gather_noted(struct gather *g, const ps_wait_log *log, const ps_finding *const *findings)
{
        for (uint32_t i = 0; i < g->out->n; i++)
                if (!log || (is_about_waiting(ps_pattern_at(findings[i]->pattern)) &&
                             !ps_wait_log_keeps(log, findings[i]->pattern)))
                        return false;
        for (ps_loc loc = 0; loc < g->trace->n_locs; loc++) {
                uint32_t i = 0;
                while (i < g->out->n && g->out->row[i].loc != loc)
                        i++;
                if (i < g->out->n)
                        ps_wait_log_tell(log, g->trace, loc, on_instance, g);
        }
        return true;
}

static ps_status gather_again(struct gather *g, const ps_timing *timing, const ps_analysis_options *how,
                              ps_error *err)
{
        ps_analysis_options options = *how;
        ps_analysis *analysis = NULL;
        options.sink = on_instance;
        options.sink_ctx = g;
        ps_status status = ps_analyse(&analysis, g->trace, timing, &options, err);
        ps_analysis_free(analysis);
        return status;
}

ps_status ps_removals_gather(ps_removals *out, const ps_trace *trace, const ps_timing *timing,
                             const ps_removals_source *source, const ps_finding *const *findings, uint32_t n,
                             ps_error *err)
{
        struct gather g = {.trace = trace, .out = out};
        *out = (ps_removals){.row = ps_memory_zeroed(n + (size_t)1, sizeof(*out->row)), .n = n};
        ps_status status = out->row ? PS_OK : PS_NOMEM(err, "findings", n);
        for (uint32_t i = 0; i < n && status == PS_OK; i++) {
                const ps_finding *f = findings[i];
                out->row[i].loc = f->location;
                if (!ps_map_at(&g.row_of, removal_key(f->location, f->pattern), f->path, i))
                        status = PS_NOMEM(err, "findings", n);
        }
        if (status == PS_OK && !gather_noted(&g, source->log, findings))
                status = gather_again(&g, timing, source->how, err);
        if (status == PS_OK && g.failed)
                status = PS_NOMEM(err, "operations of findings", n);
        ps_map_free(&g.row_of);
        return status;
}

void ps_removals_clear(ps_removals *waits)
{
        for (uint32_t i = 0; waits->row && i < waits->n; i++)
                free(waits->row[i].op);
        free(waits->row);
        *waits = (ps_removals){0};
}

/* -- what edits remove -- */

static ps_status fail_removed(const char *id, const char *edit, ps_error *err)
{
        const char *ids[PS_MAX_PATTERNS], *near;
        for (unsigned i = 0; i < ps_pattern_count(); i++)
                ids[i] = ps_pattern_at(i)->id;
        near = ps_nearest(id, ids, ps_pattern_count());
        if (near)
                return PS_FAIL(err, PS_E_USAGE,
                               "there is no such pattern, finding or cause: edit=\"%.80s\", did you "
                               "mean %s?",
                               edit, near);
        return PS_FAIL(err, PS_E_USAGE, "there is no such pattern, finding or cause: edit=\"%.80s\"", edit);
}

static bool is_below(uint32_t pattern, uint32_t ancestor)
{
        while (pattern != PS_NONE && pattern != ancestor)
                pattern = ps_pattern_parent(pattern);
        return pattern == ancestor;
}

/* Adds the findings that the id names to the list. */
static ps_status add_removed(const ps_report *report, const char *id, const char *edit,
                             const ps_finding **list, uint32_t *n, ps_error *err)
{
        uint32_t pattern = ps_pattern_find(id);
        bool known = pattern != PS_NONE;
        for (uint32_t i = 0; i < report->n_findings; i++) {
                const ps_report_finding *f = &report->findings[i];
                bool is_meant =
                        pattern != PS_NONE ? is_below(f->finding->pattern, pattern) : strcmp(f->id, id) == 0;
                if (is_meant)
                        list[(*n)++] = f->finding;
                known |= is_meant;
        }
        return known ? PS_OK : fail_removed(id, edit, err);
}

ps_status ps_removals_apply(ps_unwaited *out, uint64_t *n_operations, const ps_edits *edits,
                            const ps_report *report, const ps_analysis_options *how, ps_error *err)
{
        size_t room = (size_t)report->n_findings * edits->n_removed + 1;
        const ps_finding **list = ps_memory_zeroed(room, sizeof(const ps_finding *));
        ps_removals gone = {0};
        uint32_t n = 0;
        ps_status status = list ? PS_OK : PS_NOMEM(err, "findings", room);
        *n_operations = 0;
        for (unsigned i = 0; i < edits->n_removed && status == PS_OK; i++)
                status = add_removed(report, edits->removed[i].id, edits->removed[i].text, list, &n, err);
        PS_THEN(status, ps_removals_gather(&gone, report->trace, report->timing,
                                           &(ps_removals_source){.how = how}, list, n, err));
        PS_THEN(status, ps_unwaited_new(out, report->trace, NULL, err));
        for (uint32_t i = 0; i < gone.n && status == PS_OK; i++) {
                *n_operations += gone.row[i].n;
                status = ps_unwaited_add(out, report->trace, &gone.row[i], err);
        }
        ps_removals_clear(&gone);
        free(list);
        return status;
}

/* -- what edits reorder -- */

static bool is_wrong_order(const ps_finding *finding)
{
        return is_below(finding->pattern, ps_pattern_find("late-sender-wrong-order"));
}

/* Adds what the causes with this id explain of messages in wrong order; whether there are such causes. */
static bool add_caused(const ps_report *report, const char *id, const ps_finding **list, uint32_t *n)
{
        const ps_blame *blame = report->blame;
        bool is_known = 0;
        for (uint32_t c = 0; blame && c < blame->causes->n; c++) {
                const ps_told_cause *told = &blame->told[c];
                if (strcmp(told->id, id) != 0 && strcmp(told->site, id) != 0)
                        continue;
                is_known = 1;
                for (uint32_t i = 0; i < told->cause->n_findings; i++) {
                        const ps_finding *f = &report->analysis->findings[told->cause->findings[i].finding];
                        if (is_wrong_order(f))
                                list[(*n)++] = f;
                }
        }
        return is_known;
}

static ps_status flatten(ps_ref **room, uint32_t *n, const ps_removals *gone, ps_error *err)
{
        size_t most = 1;
        for (uint32_t i = 0; i < gone->n; i++)
                most += gone->row[i].n;
        *n = 0;
        *room = ps_memory_new(most * sizeof(**room));
        if (!*room)
                return PS_NOMEM(err, "receives", most);
        for (uint32_t i = 0; i < gone->n; i++)
                for (uint32_t k = 0; k < gone->row[i].n; k++)
                        (*room)[(*n)++] = (ps_ref){gone->row[i].loc, gone->row[i].op[k]};
        if (*n)
                qsort(*room, *n, sizeof(**room), ps_refs_compare);
        return PS_OK;
}

ps_status ps_removals_reordered(ps_ref **room, uint32_t *n, const ps_edits *edits, const ps_report *report,
                                const ps_removals_source *source, ps_error *err)
{
        size_t most = 1 + (size_t)report->n_findings;
        for (uint32_t c = 0; report->blame && c < report->blame->causes->n; c++)
                most += report->blame->causes->row[c].n_findings;
        const ps_finding **list = ps_memory_zeroed(most * (edits->n_reordered + (size_t)1), sizeof(*list));
        ps_removals gone = {0};
        uint32_t n_list = 0;
        ps_status status = list ? PS_OK : PS_NOMEM(err, "findings", most);
        *room = NULL;
        for (unsigned i = 0; i < edits->n_reordered && status == PS_OK; i++)
                if (!add_caused(report, edits->reordered[i].id, list, &n_list))
                        status = add_removed(report, edits->reordered[i].id, edits->reordered[i].text, list,
                                             &n_list, err);
        PS_THEN(status, ps_removals_gather(&gone, report->trace, report->timing, source, list, n_list, err));
        PS_THEN(status, flatten(room, n, &gone, err));
        ps_removals_clear(&gone);
        free(list);
        return status;
}
