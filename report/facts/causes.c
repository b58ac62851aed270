/* causes.c - see causes.h. */
#include "report/facts/causes.h"

#include "core/base/hash.h"
#include "core/base/memory.h"
#include "core/model/focus.h"
#include "report/facts/sites.h"
#include "report/print/record.h"
#include "report/print/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const advice[PS_N_WHYS] = {
        [PS_WHY_LONGER] = "Share this work out more evenly, or make it shorter here: the others wait for it.",
        [PS_WHY_ALONE] = "Let the others do a part of it, do it at another time, or make it shorter.",
        [PS_WHY_LATE_ORDER] = "Receive messages in the order in which they are sent.",
        [PS_WHY_TRANSFER] = "Move less data, or begin earlier: nobody computes while this call goes on.",
        [PS_WHY_LOCK] = "Hold the lock for a shorter time, or split it into several.",
        [PS_WHY_START] = "It begins later than the others: look at what comes before.",
};

/* Where a call path is: a function of the program itself, or a call in one. */
struct where {
        const char *function, *file;
        uint32_t line;
        ps_line_source certainty;
};

static struct where where_is(const ps_report *report, ps_path path)
{
        const ps_defs *defs = &report->trace->defs;
        ps_region number = path ? report->trace->paths[path].region : PS_NONE;
        const ps_source_place *place = NULL;
        if (number >= defs->regions.n)
                return (struct where){0};
        const ps_region_def *region = &defs->regions.row[number];
        const char *name = ps_defs_str(defs, region->name);
        const char *file = region->file ? ps_defs_str(defs, region->file) : NULL;
        if (region->kind == PS_K_NONE && file)
                return (struct where){name, file, region->line, PS_LINE_FUNCTION};
        if (ps_sources_of(report->sources, path, &place, NULL) < 0)
                return (struct where){.function = name};
        return (struct where){region->kind == PS_K_NONE ? name : place->function, place->file, place->line,
                              place->certainty};
}

/* -- causes */

struct told {
        const ps_cause *cause;
        char id[PS_REPORT_ID], site[PS_REPORT_ID];
        ps_proc process;
        const char *function, *file;
        uint32_t line;
        ps_line_source certainty;
};

static uint64_t hash_path(const ps_report *report, ps_path path)
{
        uint64_t hash = ps_hash_pair(0, 0);
        for (; path; path = report->trace->paths[path].parent) {
                const char *name = ps_site_call(report, path);
                hash = ps_hash_pair(hash, ps_hash_bytes(name, strlen(name)));
        }
        return hash;
}

static struct told told_of(const ps_report *report, const ps_cause *cause)
{
        int is_known = cause->location != PS_NONE;
        struct where where = where_is(report, cause->path);
        struct told told = {.cause = cause,
                            .process = is_known ? report->trace->defs.locations.row[cause->location].process
                                                : PS_NONE,
                            .function = where.function,
                            .file = where.file,
                            .line = where.line,
                            .certainty = where.certainty};
        const char *slash = where.file ? strrchr(where.file, '/') : NULL;
        const char *file = slash ? slash + 1 : where.file ? where.file : "";
        uint64_t site = ps_hash_pair(hash_path(report, cause->path), ps_hash_bytes(file, strlen(file)));
        site = is_known ? site : ps_hash_pair(site, 1);
        ps_number_print_hex(told.site, site);
        ps_number_print_hex(told.id, ps_hash_pair(site, is_known ? cause->location : PS_NONE));
        return told;
}

static void put_findings(ps_row *to, const char *key, const ps_report *report, const ps_cause *cause)
{
        const ps_causes *causes = report->blame->causes;
        char(*id)[PS_REPORT_ID] = report->blame->finding;
        if (!cause->is_told) {
                ps_row_null(to, key);
                return;
        }
        ps_row_open(to, key, '[');
        for (const ps_cause *before = causes->row; before < cause; before++)
                id += before->n_findings;
        for (uint32_t i = 0; i < cause->n_findings; i++)
                if (id[i][0]) /* the report may leave it out */
                        ps_row_text(to, NULL, id[i]);
        ps_row_close(to, ']');
}

const char *const ps_fix_names[PS_N_FIXES] = {"balanced", "evened", "sped-up", "reordered", "overlapped"};

#define RECORD     fix
#define RECORD_DEF "report/facts/fix.def"
#define RECORD_IN  void
#define RECORD_IT  ps_cause_fix
#define RECORD_DOC "what mending a cause in one way gains"
#include "report/print/make_record.def"

static void put_fixes(ps_row *to, const char *key, const ps_report *report, const ps_cause *cause)
{
        const ps_blame *blame = report->blame;
        const ps_cause_fixes *fixes = blame->fixes ? &blame->fixes[cause - blame->causes->row] : NULL;
        if (!fixes || !fixes->are_known) {
                ps_row_null(to, key);
                return;
        }
        ps_records table = ps_records_open_compact(to, key, &ps_record_fix);
        for (uint32_t i = 0; i < fixes->n; i++)
                ps_records_row(&table, NULL, &fixes->row[i]);
        ps_records_close(&table);
}

/* Rank 3: solve takes 2 ms more than those who wait for it; 6 ms of waiting on 3 ranks. */
static void put_comment(ps_row *to, const char *key, const ps_report *report, const struct told *told)
{
        static const char *const says[PS_N_WHYS] = {
                [PS_WHY_LONGER] = "takes %s longer than those who wait for it do",
                [PS_WHY_ALONE] = "takes %s, which those who wait for it have not to do",
                [PS_WHY_LATE_ORDER] =
                        "delays messages that are asked for before others that are there, by %s",
                [PS_WHY_TRANSFER] = "takes %s longer in this call than those who wait for it do",
                [PS_WHY_LOCK] =
                        "holds a lock that others wait for, for %s longer than they do anything there",
                [PS_WHY_START] = "begins %s later than those who wait for it",
        };
        const ps_cause *cause = told->cause;
        char text[512], waiting[PS_NUMBER_ROOM], excess[PS_NUMBER_ROOM], what[160];
        (void)report;
        ps_text_duration(waiting, cause->direct + cause->indirect);
        ps_text_duration(excess, cause->excess);
        if (cause->location == PS_NONE) {
                snprintf(text, sizeof(text),
                         "%s of waiting is not explained: nobody is known to have ended it, or "
                         "clocks contradict.",
                         waiting);
        } else {
                snprintf(what, sizeof(what), says[cause->why], excess); /* NOLINT: all of ours */
                snprintf(text, sizeof(text), "Rank %u %s: %s of waiting.", told->process, what, waiting);
        }
        ps_row_text(to, key, text);
}

#define RECORD     cause
#define RECORD_DEF "report/facts/cause.def"
#define RECORD_IN  ps_report
#define RECORD_IT  struct told
#define RECORD_DOC "what somebody did too long, and what waiting it caused"
#include "report/print/make_record.def"

void ps_causes_put(ps_row *to, const char *key, const ps_report *report)
{
        if (!report->blame) {
                ps_row_null(to, key);
                return;
        }
        ps_records table = ps_records_open(to, key, &ps_record_cause);
        for (uint32_t i = 0; i < report->blame->causes->n && !ps_output_failed(to->out); i++) {
                struct told told = told_of(report, &report->blame->causes->row[i]);
                ps_records_row(&table, report, &told);
        }
        ps_records_close(&table);
}

/* -- the causes of findings */

#define RECORD     blamed
#define RECORD_DEF "report/facts/blamed.def"
#define RECORD_IN  void
#define RECORD_IT  ps_blamed
#define RECORD_DOC "a cause of a finding"
#include "report/print/make_record.def"

void ps_blamed_put(ps_row *to, const char *key, const ps_report *report, const ps_finding *finding)
{
        if (!report->blame) {
                ps_row_null(to, key);
                return;
        }
        size_t i = (size_t)(finding - report->analysis->findings);
        const uint32_t *first = report->blame->first;
        ps_records table = ps_records_open_compact(to, key, &ps_record_blamed);
        for (uint32_t k = first[i]; k < first[i + 1]; k++)
                ps_records_row(&table, NULL, &report->blame->blamed[k]);
        ps_records_close(&table);
}

/* -- delays */

static ps_time sum_of(const ps_delays *delays, ps_delay_family family, ps_delay_term term)
{
        ps_time sum = 0;
        for (ps_loc loc = 0; loc < delays->n_locs; loc++)
                sum += ps_delayed(delays, family, term, loc);
        return sum;
}

#define RECORD     delay
#define RECORD_DEF "report/facts/delay.def"
#define RECORD_IN  ps_delays
#define RECORD_IT  ps_delay_family
#define RECORD_DOC "waits of one family, and who is charged with them"
#include "report/print/make_record.def"

void ps_delays_put(ps_row *to, const char *key, const ps_report *report)
{
        if (!report->blame) {
                ps_row_null(to, key);
                return;
        }
        ps_row_open_lines(to, key, '{');
        for (int f = 0; f < PS_N_DELAYS; f++) {
                ps_delay_family family = (ps_delay_family)f;
                if (sum_of(report->blame->delays, family, PS_DELAYED_WAIT))
                        ps_record_put(to, ps_delay_names[f], &ps_record_delay, report->blame->delays,
                                      &family);
        }
        ps_row_close(to, '}');
}

/* -- the critical path */

struct on_path {
        const ps_critical_row *row;
        const char *function, *file;
        uint32_t line;
};

static ps_time time_of_process(const ps_report *report, const ps_critical_row *row, ps_proc process)
{
        ps_time sum = 0;
        for (ps_loc loc = 0; loc < report->trace->n_locs; loc++)
                if (report->trace->defs.locations.row[loc].process == process)
                        sum += row->by_location[loc];
        return sum;
}

#define RECORD     critical_row
#define RECORD_DEF "report/facts/critical_row.def"
#define RECORD_IN  ps_report
#define RECORD_IT  struct on_path
#define RECORD_DOC "a call path on the critical path"
#include "report/print/make_record.def"

static void put_critical_rows(ps_row *to, const char *key, const ps_report *report)
{
        ps_records table = ps_records_open(to, key, &ps_record_critical_row);
        for (uint32_t i = 0; i < report->blame->critical->n && !ps_output_failed(to->out); i++) {
                const ps_critical_row *row = &report->blame->critical->row[i];
                struct where where = where_is(report, row->path);
                ps_records_row(&table, report,
                               &(struct on_path){row, where.function, where.file, where.line});
        }
        ps_records_close(&table);
}

#define RECORD     critical_path
#define RECORD_DEF "report/facts/critical_path.def"
#define RECORD_IN  ps_report
#define RECORD_IT  ps_critical
#define RECORD_DOC "what nobody waited in, backward from the end of the run to its begin"
#include "report/print/make_record.def"

void ps_critical_put(ps_row *to, const char *key, const ps_report *report)
{
        if (report->blame)
                ps_record_put(to, key, &ps_record_critical_path, report, report->blame->critical);
        else
                ps_row_null(to, key);
}

/* -- finding them */

ps_status ps_blame_find(ps_blame *b, const ps_trace *trace, const ps_timing *timing, const ps_wait_log *log,
                        const ps_analysis *analysis, unsigned n_threads, ps_error *err)
{
        ps_span focus = ps_focus_hull(timing);
        const ps_delay_options options = {.definitions = analysis->definitions,
                                          .begin = focus.begin,
                                          .end = focus.end,
                                          .n_threads = n_threads};
        ps_status status = ps_delays_new(&b->delays, trace, timing, log, &options, err);
        PS_THEN(status, ps_critical_new(&b->critical, b->delays, err));
        return status == PS_OK ? ps_causes_new(&b->causes, b->delays, analysis, err) : status;
}

static size_t count_findings(const ps_causes *causes)
{
        size_t n = 0;
        for (uint32_t c = 0; c < causes->n; c++)
                n += causes->row[c].n_findings;
        return n;
}

/* How many causes each finding has, and from there where they begin. */
static void make_room(ps_blame *b, uint32_t n_findings)
{
        for (uint32_t c = 0; c < b->causes->n; c++)
                for (uint32_t i = 0; i < b->causes->row[c].n_findings; i++)
                        b->first[b->causes->row[c].findings[i].finding + 1]++;
        for (uint32_t i = 0; i < n_findings; i++)
                b->first[i + 1] += b->first[i];
}

static void tell_cause(ps_blame *b, const ps_report *report, const ps_cause *cause,
                       const ps_report_finding **of, uint32_t *next)
{
        struct told told = told_of(report, cause);
        for (uint32_t i = 0; i < cause->n_findings; i++, b->n_findings++) {
                uint32_t f = cause->findings[i].finding;
                ps_blamed *blamed = &b->blamed[b->first[f] + next[f]++];
                if (of[f])
                        memcpy(b->finding[b->n_findings], of[f]->id, PS_REPORT_ID);
                memcpy(blamed->id, told.id, PS_REPORT_ID);
                blamed->waiting = cause->findings[i].waiting;
        }
}

ps_status ps_blame_tell(ps_blame *b, ps_report *report, ps_error *err)
{
        size_t n = count_findings(b->causes) + 1, n_findings = report->analysis->n_findings + (size_t)1;
        uint32_t *next = ps_memory_zeroed(n_findings, sizeof(*next));
        const ps_report_finding **of = ps_memory_zeroed(n_findings, sizeof(*of));
        b->finding = ps_memory_zeroed(n, sizeof(*b->finding));
        b->blamed = ps_memory_zeroed(n, sizeof(*b->blamed));
        b->first = ps_memory_zeroed(n_findings, sizeof(*b->first));
        ps_status status =
                b->finding && b->blamed && b->first && next && of ? PS_OK : PS_NOMEM(err, "causes", n);
        for (uint32_t i = 0; status == PS_OK && i < report->n_findings; i++)
                of[report->findings[i].finding - report->analysis->findings] = &report->findings[i];
        if (status == PS_OK)
                make_room(b, report->analysis->n_findings);
        for (uint32_t c = 0; status == PS_OK && c < b->causes->n; c++)
                tell_cause(b, report, &b->causes->row[c], of, next);
        free(next);
        free(of);
        report->blame = b;
        return status;
}

static void free_fixes(ps_blame *b)
{
        for (uint32_t c = 0; b->fixes && c < b->causes->n; c++) {
                for (uint32_t i = 0; i < b->fixes[c].n; i++)
                        free(b->fixes[c].row[i].edit);
                free(b->fixes[c].row);
        }
        free(b->fixes);
}

void ps_blame_clear(ps_blame *b)
{
        free_fixes(b);
        ps_causes_free(b->causes);
        ps_critical_free(b->critical);
        ps_delays_free(b->delays);
        free(b->finding);
        free(b->blamed);
        free(b->first);
        *b = (ps_blame){0};
}
