/* analysed.c - analyses of traces that nobody vouches for, checked in every sum and index. */
#include "tests/support/analysed.h"

#include "core/base/hash.h"
#include "report/facts/report.h"
#include "tests/support/damage.h"

#include <stdlib.h>
#include <string.h>

static void must(int ok, const char *what, uint32_t i)
{
        if (!ok)
                ps_test_die("inconsistent analysis: %s, row=%u", what, i);
}

ps_analysis *analysed(const ps_trace *trace, ps_definitions definitions, ps_time epsilon, unsigned n_threads)
{
        ps_analysis_options options = {
                .definitions = definitions, .epsilon = epsilon, .n_threads = n_threads};
        ps_analysis *a;
        ps_error err = {0};
        if (ps_analyse(&a, trace, &trace->measured, &options, &err) < 0)
                ps_test_die("cannot analyse: %s", err.cause[0].text);
        return a;
}

/* -- consistency -- */

/* Lost descending, id, location, begin, path: no two are equal. */
static int in_order(const ps_finding *a, const ps_finding *b)
{
        int by_id = strcmp(ps_pattern_at(a->pattern)->id, ps_pattern_at(b->pattern)->id);
        if (a->lost != b->lost)
                return a->lost > b->lost;
        if (by_id)
                return by_id < 0;
        if (a->location != b->location)
                return a->location < b->location;
        if (a->worst.begin != b->worst.begin)
                return a->worst.begin < b->worst.begin;
        return a->path < b->path;
}

static void check_ref(const ps_trace *trace, ps_ref ref, uint32_t i)
{
        must(ref.loc < trace->n_locs && (ref.op == PS_NONE || ref.op < trace->ops[ref.loc].n), "place", i);
}

static void check_finding(const ps_trace *trace, const ps_analysis *a, uint32_t i)
{
        const ps_finding *f = &a->findings[i];
        must(f->pattern < ps_pattern_count() && f->location < trace->n_locs && f->path < trace->n_paths,
             "finding", i);
        const ps_pattern *row = ps_pattern_at(f->pattern);
        must(row->definitions >> a->definitions & 1, "definitions", i);
        must(f->count > 0 && f->count >= row->least, "count", i);
        must(f->lost > 0 || row->is_defect || row->least > 1, "nothing lost", i);
        must(f->worst.lost >= 0 && f->worst.lost <= f->lost && f->worst.later >= 0, "worst", i);
        must(row->is_defect || row->least > 1 || f->worst.lost >= a->epsilon, "below epsilon", i);
        must(f->worst.pattern == f->pattern && f->worst.at.loc == f->location, "worst's place", i);
        check_ref(trace, f->worst.at, i);
        if (f->worst.partner.op != PS_NONE)
                check_ref(trace, f->worst.partner, i);
        must(!i || in_order(f - 1, f), "order", i);
}

void analysed_check(const ps_trace *trace, const ps_analysis *a)
{
        uint64_t count[PS_MAX_PATTERNS] = {0};
        must(a->n_locs == trace->n_locs, "locations", a->n_locs);
        for (uint32_t i = 0; i < a->n_findings; i++) {
                const ps_finding *f = &a->findings[i];
                check_finding(trace, a, i);
                count[f->pattern] += f->count;
        }
        must(!memcmp(count, a->count, sizeof(count)), "counts of findings", 0);
}

/* -- sums -- */

static int is_below(uint32_t pattern, uint32_t ancestor)
{
        while (pattern != PS_NONE && pattern != ancestor)
                pattern = ps_pattern_parent(pattern);
        return pattern == ancestor;
}

ps_times *analysed_times(const ps_trace *trace, unsigned n_threads)
{
        ps_times *times;
        ps_error err = {0};
        ps_analysis *a = analysed(trace, PS_DEFINITIONS_PATSCAN, -1, n_threads);
        if (ps_times_make(&times, trace, &trace->measured, a->moves, &err) < 0)
                ps_test_die("no times: reason=\"%s\"", err.cause[0].text);
        ps_analysis_free(a);
        return times;
}

ps_efficiency analysed_efficiency(const ps_trace *trace)
{
        ps_times *times = analysed_times(trace, 1);
        ps_efficiency efficiency = ps_efficiency_of(times, ps_focus_length(&trace->measured));
        ps_times_free(times);
        return efficiency;
}

ps_time analysed_lost(const ps_analysis *a, uint32_t pattern, ps_loc location, int total)
{
        ps_time lost = 0;
        for (uint32_t i = 0; i < a->n_findings; i++) {
                const ps_finding *f = &a->findings[i];
                if ((f->pattern == pattern || (total && is_below(f->pattern, pattern))) &&
                    (location == PS_NONE || f->location == location))
                        lost = ps_time_add(lost, f->lost);
        }
        return lost;
}

uint64_t analysed_count(const ps_analysis *a, uint32_t pattern, int total)
{
        uint64_t count = 0;
        for (uint32_t p = 0; p < ps_pattern_count(); p++)
                if (p == pattern || (total && is_below(p, pattern)))
                        count += a->count[p];
        return count;
}

/* -- reports -- */

static void write_report(const ps_report *report, const ps_report_format *format)
{
        ps_output *out;
        ps_error err = {0};
        if (ps_output_open_memory(&out, PS_WIDTH_DEFAULT, &err) < 0 || format->write(report, out, &err) < 0 ||
            !ps_output_text(out))
                ps_test_die("cannot write: format=%s, %s", format->name, err.cause[0].text);
        ps_output_discard(out);
}

static void check_report(const ps_report *report)
{
        must(report->total >= 0 && report->total_share >= 0, "total of the report", 0);
        for (uint32_t i = 0; i < report->n_patterns; i++) {
                const ps_report_pattern *row = &report->patterns[i];
                must(row->lost >= 0 && row->lost <= row->total && row->count <= row->total_count, "row", i);
                must(row->parent == PS_NONE || row->parent < i, "parent", i);
        }
}

static void report_all(const ps_trace *trace, const ps_analysis *analysis)
{
        static const ps_source_options where = {0};
        const ps_analysis_options options = {
                .definitions = analysis->definitions, .epsilon = analysis->epsilon, .n_threads = 1};
        const ps_report_settings settings = {.trace_path = "t.otf2", .options = &options};
        ps_sources *sources = NULL;
        ps_report *report;
        ps_error err = {0};
        if (ps_sources_new(&sources, trace, &where, &err) < 0 ||
            ps_report_new(&report, trace, &trace->measured, analysis, sources, &settings, &err) < 0)
                ps_test_die("cannot make a report: %s", err.cause[0].text);
        check_report(report);
        for (unsigned i = 0; i < ps_report_n_formats; i++)
                write_report(report, &ps_report_formats[i]);
        ps_report_free(report);
        ps_sources_free(sources);
}

void analysed_hostile(const ps_trace *trace)
{
        analysed_in_full(trace, &trace->measured, -1);
        analysed_in_full(trace, &trace->measured, 0);
        for (int d = 0; d < PS_N_DEFINITIONS; d++)
                for (int k = 0; k < 2; k++) {
                        ps_analysis *a = analysed(trace, (ps_definitions)d, k ? -1 : 0, 1);
                        analysed_check(trace, a);
                        if (!k) /* it has all findings that the other has, and more */
                                report_all(trace, a);
                        ps_analysis_free(a);
                }
}

/* -- the short way and the long one -- */

static void hash_instance(void *ctx, const ps_instance *instance, ps_path path)
{
        const ps_instance *i = instance;
        uint64_t *hash = ctx;
        *hash = ps_hash_pair(*hash, ps_hash_pair(i->pattern, path));
        *hash = ps_hash_pair(*hash, ps_hash_pair(i->at.loc, i->at.op));
        *hash = ps_hash_pair(*hash, ps_hash_pair(i->partner.loc, i->partner.op));
        *hash = ps_hash_pair(*hash, ps_hash_pair((uint64_t)i->begin, (uint64_t)i->lost));
}

static bool are_alike(const ps_finding *a, const ps_finding *b)
{
        const ps_instance *x = &a->worst, *y = &b->worst;
        return a->pattern == b->pattern && a->location == b->location && a->path == b->path &&
               a->count == b->count && a->lost == b->lost && a->least == b->least &&
               !ps_refs_compare(&x->at, &y->at) && !ps_refs_compare(&x->partner, &y->partner) &&
               x->begin == y->begin && x->lost == y->lost && x->least == y->least && x->later == y->later;
}

void analysed_expect_alike(const ps_trace *t, const ps_analysis *a, const ps_analysis *b)
{
        size_t time = sizeof(ps_time), n_awaited = t->defs.processes.n + (size_t)1;
        must(a->n_findings == b->n_findings, "number of findings of the other", b->n_findings);
        for (uint32_t i = 0; i < a->n_findings; i++)
                must(are_alike(&a->findings[i], &b->findings[i]), "finding of the other", i);
        must(!t->n_paths || !memcmp(a->waiting, b->waiting, t->n_paths * time), "waiting of the other", 0);
        must(!memcmp(a->awaited, b->awaited, n_awaited * time), "awaited of the other", 0);
        must(!a->n_locs || !memcmp(a->moves, b->moves, a->n_locs * sizeof(*a->moves)), "moves of the other",
             0);
        must(!memcmp(a->outside, b->outside, sizeof(a->outside)), "outside of the other", 0);
        must(a->doubtful == b->doubtful && a->doubtful_count == b->doubtful_count, "doubts of the other", 0);
        must(a->hidden == b->hidden, "hidden waits of the other", 0);
        must(a->eager_max == b->eager_max && a->rendezvous_min == b->rendezvous_min, "limits of the other",
             0);
}

static ps_analysis *analysed_so(const ps_trace *trace, const ps_timing *timing,
                                const ps_analysis_options *options)
{
        ps_analysis *out;
        ps_error err = {0};
        if (ps_analyse(&out, trace, timing, options, &err) < 0)
                ps_test_die("cannot analyse: %s", err.cause[0].text);
        return out;
}

void analysed_in_ranges(const ps_trace *trace, const ps_timing *timing, ps_time epsilon, uint32_t range_ops,
                        unsigned n_threads)
{
        ps_analysis_options options = {
                .definitions = PS_DEFINITIONS_PATSCAN, .epsilon = epsilon, .n_threads = n_threads};
        ps_analysis *whole = analysed_so(trace, timing, &options);
        options.range_ops = range_ops;
        ps_analysis *ranges = analysed_so(trace, timing, &options);
        analysed_expect_alike(trace, ranges, whole);
        ps_analysis_free(ranges);
        ps_analysis_free(whole);
}

void analysed_in_full(const ps_trace *trace, const ps_timing *timing, ps_time epsilon)
{
        analysed_in_ranges(trace, timing, epsilon, 5, 1);
        for (int shows = 0; shows < 2; shows++) {
                ps_analysis *a[2];
                uint64_t hash[2] = {0};
                for (int full = 0; full < 2; full++) {
                        const ps_analysis_options options = {.definitions = PS_DEFINITIONS_PATSCAN,
                                                             .epsilon = epsilon,
                                                             .n_threads = 1,
                                                             .in_full = (uint8_t)full,
                                                             .sink = shows ? hash_instance : NULL,
                                                             .sink_ctx = &hash[full]};
                        a[full] = analysed_so(trace, timing, &options);
                }
                analysed_expect_alike(trace, a[1], a[0]);
                must(hash[0] == hash[1], "instances by columns", 0);
                ps_analysis_free(a[0]);
                ps_analysis_free(a[1]);
        }
}

/* -- comparison -- */

/* The finding in a form that does not depend on the names of locations and the numbers of call paths. */
struct row {
        uint64_t path;
        ps_loc loc, partner_loc;
        uint32_t pattern;
        ps_op op, partner_op;
        uint64_t count;
        ps_time lost, begin, worst, later;
};

static uint64_t hash_of(const ps_trace *t, ps_path path)
{
        uint64_t hash = 0;
        for (; path; path = t->paths[path].parent) {
                ps_region region = t->paths[path].region;
                const char *name =
                        region == PS_NONE ? "" : ps_defs_str(&t->defs, t->defs.regions.row[region].name);
                hash = ps_hash_pair(hash, ps_hash_bytes(name, strlen(name)));
        }
        return hash;
}

static ps_loc renamed(const ps_loc *rename, ps_loc loc)
{
        return rename && loc != PS_NONE ? rename[loc] : loc;
}

static int compare_rows(const void *a, const void *b)
{
        return memcmp(a, b, sizeof(struct row));
}

static struct row *rows_of(const ps_trace *t, const ps_analysis *a, const ps_loc *rename)
{
        struct row *rows = calloc(a->n_findings + (size_t)1, sizeof(*rows)); /* zeroed: padding, too */
        must(rows != NULL, "memory", a->n_findings);
        for (uint32_t i = 0; i < a->n_findings; i++) {
                const ps_finding *f = &a->findings[i];
                struct row *r = &rows[i];
                r->path = hash_of(t, f->path);
                r->loc = renamed(rename, f->location);
                r->partner_loc = renamed(rename, f->worst.partner.loc);
                r->pattern = f->pattern;
                r->op = f->worst.at.op;
                r->partner_op = f->worst.partner.op;
                r->count = f->count;
                r->lost = f->lost;
                r->begin = f->worst.begin;
                r->worst = f->worst.lost;
                r->later = f->worst.later;
        }
        qsort(rows, a->n_findings, sizeof(*rows), compare_rows);
        return rows;
}

const char *analysed_difference(const ps_trace *t, const ps_analysis *a, const ps_trace *u,
                                const ps_analysis *b, const ps_loc *rename)
{
        if (a->n_findings != b->n_findings)
                return "number of findings";
        if (memcmp(a->count, b->count, sizeof(a->count)))
                return "counts";
        if (a->epsilon != b->epsilon || a->eager_max != b->eager_max ||
            a->rendezvous_min != b->rendezvous_min)
                return "limits";
        struct row *x = rows_of(t, a, rename), *y = rows_of(u, b, NULL);
        int differ = memcmp(x, y, a->n_findings * sizeof(*x)) != 0;
        free(x);
        free(y);
        return differ ? "findings" : NULL;
}

/* By pattern * locations + location. */
static ps_time *sums_of(const ps_analysis *a)
{
        ps_time *lost = calloc((size_t)ps_pattern_count() * a->n_locs + 1, sizeof(*lost));
        must(lost != NULL, "memory for sums", a->n_locs);
        for (uint32_t i = 0; lost && i < a->n_findings; i++) {
                const ps_finding *f = &a->findings[i];
                ps_time *sum = &lost[(size_t)f->pattern * a->n_locs + f->location];
                *sum = ps_time_add(*sum, f->lost);
        }
        return lost;
}

analysed_match analysed_compare(const ps_analysis *truth, const ps_analysis *told)
{
        analysed_match m = {0};
        ps_time *of_truth = sums_of(truth), *of_told = sums_of(told);
        for (uint32_t i = 0; i < ps_pattern_count() * truth->n_locs; i++) {
                if (ps_pattern_at(i / truth->n_locs)->is_view)
                        continue;
                double a = (double)of_truth[i], b = (double)of_told[i];
                m.truth += a;
                m.told += b;
                m.both += a < b ? a : b;
        }
        free(of_truth);
        free(of_told);
        for (uint32_t i = 0; i < told->n_findings; i++)
                if (!ps_pattern_at(told->findings[i].pattern)->is_view)
                        m.least += (double)told->findings[i].least;
        return m;
}
