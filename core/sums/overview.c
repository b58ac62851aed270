/* overview.c - counts what a trace holds. */
#include "core/sums/overview.h"
#include "core/base/search.h"

#include <stdlib.h>
#include <string.h>

static int compare_strs(const void *a, const void *b)
{
        ps_str x = *(const ps_str *)a, y = *(const ps_str *)b;

        return PS_ORDER(x, y);
}

/* Names are interned, so that equal nodes have equal ids. */
static ps_status count_nodes(ps_overview *out, const ps_defs *defs, ps_error *err)
{
        uint32_t n = defs->processes.n;
        ps_str *nodes = malloc((n ? n : 1) * sizeof(*nodes));

        if (!nodes)
                return PS_NOMEM(err, "nodes", n);
        for (uint32_t i = 0; i < n; i++)
                nodes[i] = defs->processes.row[i].node;
        qsort(nodes, n, sizeof(*nodes), compare_strs);
        for (uint32_t i = 0; i < n; i++)
                out->n_nodes += nodes[i] != 0 && (i == 0 || nodes[i] != nodes[i - 1]);
        free(nodes);
        return PS_OK;
}

typedef struct sortable_code {
        ps_code_count count;
        const char *name;
} sortable_code;

static int compare_codes(const void *a, const void *b)
{
        const sortable_code *x = a, *y = b;
        int by_count = (x->count.n < y->count.n) - (x->count.n > y->count.n);
        int by_name = strcmp(x->name, y->name);

        if (by_count)
                return by_count;
        return by_name ? by_name : (x->count.code > y->count.code) - (x->count.code < y->count.code);
}

static void sum_codes(sortable_code *rows, const ps_trace *trace)
{
        for (uint32_t code = 0; code < trace->defs.codes.n; code++) {
                rows[code].count.code = code;
                rows[code].count.n = trace->events_by_code ? trace->events_by_code[code] : 0;
                rows[code].name = ps_defs_str(&trace->defs, trace->defs.codes.row[code]);
        }
}

static ps_status count_codes(ps_overview *out, const ps_trace *trace, ps_error *err)
{
        uint32_t n = trace->defs.codes.n;
        sortable_code *rows = calloc(n ? n : 1, sizeof(*rows));

        out->codes = calloc(n ? n : 1, sizeof(*out->codes));
        if (!rows || !out->codes) {
                free(rows);
                return PS_NOMEM(err, "event types", n);
        }
        sum_codes(rows, trace);
        qsort(rows, n, sizeof(*rows), compare_codes);
        while (out->n_codes < n && rows[out->n_codes].count.n) {
                out->codes[out->n_codes] = rows[out->n_codes].count;
                bool is_sample = strcmp(rows[out->n_codes].name, "CALLING_CONTEXT_SAMPLE") == 0;
                out->n_samples += is_sample ? rows[out->n_codes].count.n : 0;
                out->n_codes++;
        }
        free(rows);
        return PS_OK;
}

ps_status ps_overview_collect(ps_overview *out, const ps_trace *trace, ps_error *err)
{
        const ps_defs *defs = &trace->defs;

        *out = (ps_overview){.n_unmatched_sends = trace->issues.row[PS_I_SEND_UNMATCHED].count,
                             .n_unmatched_receives = trace->issues.row[PS_I_RECV_UNMATCHED].count};
        for (ps_loc loc = 0; loc < trace->n_locs; loc++) {
                out->n_locations[defs->locations.row[loc].type]++;
                out->n_silent += trace->info[loc].n_events == 0;
        }
        PS_TRY(count_nodes(out, defs, err));
        return count_codes(out, trace, err);
}

void ps_overview_clear(ps_overview *overview)
{
        free(overview->codes);
        *overview = (ps_overview){0};
}

bool ps_issues_are_partial(const ps_issues *issues)
{
        return issues->row[PS_I_FILE_MISSING].count || issues->row[PS_I_FILE_TRUNCATED].count ||
               issues->row[PS_I_FILE_CORRUPT].count;
}
