/* causes.c - see causes.h. */
#include "report/causes/causes.h"

#include "core/base/memory.h"
#include "core/model/focus.h"
#include "report/causes/words.h"
#include "report/facts/sites.h"
#include "report/print/record.h"

#include <stdlib.h>
#include <string.h>

/* -- causes -- */

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
#define RECORD_DEF "report/causes/fix.def"
#define RECORD_IT  ps_cause_fix
#define RECORD_DOC "what mending a cause in one way gains"
#include "report/print/make_record.def"

static void put_fixes(ps_row *to, const char *key, const ps_report *report, const ps_cause *cause)
{
        const ps_blame *blame = report->blame;
        const ps_cause_fixes *fixes = blame->fixes ? &blame->fixes[cause - blame->causes->row] : NULL;
        if (!fixes || !fixes->are_known || fixes->why_none) {
                ps_row_null(to, key);
                return;
        }
        ps_records table = ps_records_open_compact(to, key, &ps_record_fix);
        for (uint32_t i = 0; i < fixes->n; i++)
                ps_records_row(&table, NULL, &fixes->row[i]);
        ps_records_close(&table);
}

static const char *why_no_fix(const ps_report *report, const ps_cause *cause)
{
        const ps_blame *blame = report->blame;
        return blame->fixes ? blame->fixes[cause - blame->causes->row].why_none : NULL;
}

/* Of this row alone: people are told of several at once. */
static void put_comment(ps_row *to, const char *key, const ps_report *report, const ps_told_cause *told)
{
        const ps_blame *blame = report->blame;
        const ps_cause *cause = told->cause;
        char room[PS_COMMENT_ROOM];
        ps_sentence sentence = {room, sizeof(room), 0};
        if (cause->location == PS_NONE) {
                ps_cause_say_unexplained(&sentence, cause->direct);
        } else {
                const ps_cause_group *all = &blame->group[blame->group_of[told - blame->told]];
                ps_cause_group alone = {.row = &told,
                                        .n = 1,
                                        .why = all->why == PS_WHY_LOCK ? PS_WHY_LOCK : cause->why,
                                        .stretch = told->stretch,
                                        .waiting = cause->direct + cause->indirect,
                                        .indirect = cause->indirect,
                                        .waiter = cause->processes,
                                        .n_waiters = cause->n_processes};
                if (told == all->row[0] && cause->why == all->why) {
                        alone.own = all->own;
                        alone.others = all->others;
                        alone.visits = all->visits;
                        alone.untold = all->untold;
                }
                ps_cause_say(&sentence, report, &alone);
        }
        ps_row_text(to, key, room);
}

static const char *advice_of(const ps_report *report, const ps_told_cause *told)
{
        const ps_blame *blame = report->blame;
        return ps_cause_advice_of(report, &blame->group[blame->group_of[told - blame->told]]);
}

#define RECORD     cause
#define RECORD_DEF "report/causes/cause.def"
#define RECORD_IN  ps_report
#define RECORD_IT  ps_told_cause
#define RECORD_DOC "what somebody did too long, and what waiting it caused"
#include "report/print/make_record.def"

void ps_causes_put(ps_row *to, const char *key, const ps_report *report)
{
        if (!report->blame) {
                ps_row_null(to, key);
                return;
        }
        ps_records table = ps_records_open(to, key, &ps_record_cause);
        for (uint32_t i = 0; i < report->blame->causes->n && !ps_output_failed(to->out); i++)
                ps_records_row(&table, report, &report->blame->told[i]);
        ps_records_close(&table);
}

/* -- the causes of findings -- */

#define RECORD     blamed
#define RECORD_DEF "report/causes/blamed.def"
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

/* -- delays -- */

#define RECORD     delay
#define RECORD_DEF "report/causes/delay.def"
#define RECORD_IN  ps_delays
#define RECORD_IT  ps_delay_family
#define RECORD_DOC "waits of one family, and who is charged with them"
#include "report/print/make_record.def"

#define RECORD     delay_row
#define RECORD_DEF "report/causes/delay_row.def"
#define RECORD_IN  ps_delays
#define RECORD_IT  ps_delay_family
#define RECORD_DOC "the same as a row of a table"
#include "report/print/make_record.def"

static void put_delay_rows(ps_row *to, const char *key, const ps_report *report)
{
        ps_records table = ps_records_open(to, key, &ps_record_delay_row);
        for (int f = 0; report->blame && f < PS_N_DELAYS; f++) {
                ps_delay_family family = (ps_delay_family)f;
                if (ps_delayed_all(report->blame->delays, family, PS_DELAYED_WAIT))
                        ps_records_row(&table, report->blame->delays, &family);
        }
        ps_records_close(&table);
}

void ps_delays_put(ps_row *to, const char *key, const ps_report *report)
{
        if (to->style == PS_ROW_CSV) {
                put_delay_rows(to, key, report);
                return;
        }
        if (!report->blame) {
                ps_row_null(to, key);
                return;
        }
        ps_row_open_lines(to, key, '{');
        for (int f = 0; f < PS_N_DELAYS; f++) {
                ps_delay_family family = (ps_delay_family)f;
                if (ps_delayed_all(report->blame->delays, family, PS_DELAYED_WAIT))
                        ps_record_put(to, ps_delay_names[f], &ps_record_delay, report->blame->delays,
                                      &family);
        }
        ps_row_close(to, '}');
}

/* -- the critical path -- */

struct on_path {
        const ps_critical_row *row;
        const char *function, *file;
        uint32_t line;
};

static ps_time time_of_process(const ps_report *report, const ps_critical_row *row, ps_proc process)
{
        const ps_defs *defs = &report->trace->defs;
        const ps_process_def *of = &defs->processes.row[process];
        ps_time sum = 0;
        for (uint32_t i = 0; i < of->n_locs; i++)
                sum += row->by_location[defs->by_process[of->first + i]];
        return sum;
}

#define RECORD     critical_row
#define RECORD_DEF "report/causes/critical_row.def"
#define RECORD_IN  ps_report
#define RECORD_IT  struct on_path
#define RECORD_DOC "a call path on the critical path"
#include "report/print/make_record.def"

static void put_critical_rows(ps_row *to, const char *key, const ps_report *report)
{
        ps_records table = ps_records_open(to, key, &ps_record_critical_row);
        for (uint32_t i = 0; report->blame && i < report->blame->critical->n && !ps_output_failed(to->out);
             i++) {
                const ps_critical_row *row = &report->blame->critical->row[i];
                ps_cause_place where = ps_cause_place_of(report, row->path);
                ps_records_row(&table, report,
                               &(struct on_path){row, where.function, where.file, where.line});
        }
        ps_records_close(&table);
}

#define RECORD     serial
#define RECORD_DEF "report/causes/serial.def"
#define RECORD_IN  ps_report
#define RECORD_IT  ps_serial
#define RECORD_DOC "what one thread computes alone"
#include "report/print/make_record.def"

#define RECORD     critical_path
#define RECORD_DEF "report/causes/critical_path.def"
#define RECORD_IN  ps_report
#define RECORD_IT  ps_critical
#define RECORD_DOC "what nobody waited in, backward from the end of the focus to its begin"
#include "report/print/make_record.def"

void ps_critical_put(ps_row *to, const char *key, const ps_report *report)
{
        if (to->style == PS_ROW_CSV)
                put_critical_rows(to, key, report);
        else if (report->blame)
                ps_record_put(to, key, &ps_record_critical_path, report, report->blame->critical);
        else
                ps_row_null(to, key);
}

/* -- finding them -- */

ps_status ps_blame_find(ps_blame *b, const ps_trace *trace, const ps_timing *timing, ps_wait_log *log,
                        const ps_analysis *analysis, const ps_blame_options *how, ps_error *err)
{
        ps_span focus = ps_focus_hull(timing);
        const ps_delay_options options = {.definitions = analysis->definitions,
                                          .begin = focus.begin,
                                          .end = focus.end,
                                          .n_threads = how->n_threads,
                                          .takes_log = how->takes_log,
                                          .keeps_chains = how->tells_chains};
        PS_TRY(ps_delays_new(&b->delays, &b->critical, trace, timing, log, &options, err));
        PS_TRY(ps_causes_new(&b->causes, b->delays, analysis, err));
        ps_memory_give_back();
        return how->tells_chains ? ps_delays_bring_chains(b->delays, trace, err) : PS_OK;
}

static size_t count_findings(const ps_causes *causes)
{
        size_t n = 0;
        for (uint32_t c = 0; c < causes->n; c++)
                n += causes->row[c].n_findings;
        return n;
}

/* How many causes each finding has, and from there where they begin. */
static void count_causes_of_findings(ps_blame *b, uint32_t n_findings)
{
        for (uint32_t c = 0; c < b->causes->n; c++)
                for (uint32_t i = 0; i < b->causes->row[c].n_findings; i++)
                        b->first[b->causes->row[c].findings[i].finding + 1]++;
        for (uint32_t i = 0; i < n_findings; i++)
                b->first[i + 1] += b->first[i];
}

static void tell_cause(ps_blame *b, const ps_cause *cause, const ps_report_finding **of, uint32_t *next)
{
        for (uint32_t i = 0; i < cause->n_findings; i++, b->n_findings++) {
                uint32_t f = cause->findings[i].finding;
                ps_blamed *blamed = &b->blamed[b->first[f] + next[f]++];
                if (of[f])
                        memcpy(b->finding[b->n_findings], of[f]->id, PS_REPORT_ID);
                blamed->cause = &b->told[cause - b->causes->row];
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
        PS_THEN(status, ps_cause_groups_make(b, report, err));
        PS_THEN(status, ps_serial_find(&b->serial, report->trace, b->critical, err));
        for (uint32_t i = 0; status == PS_OK && i < report->n_findings; i++)
                of[report->findings[i].finding - report->analysis->findings] = &report->findings[i];
        if (status == PS_OK)
                count_causes_of_findings(b, report->analysis->n_findings);
        for (uint32_t c = 0; status == PS_OK && c < b->causes->n; c++)
                tell_cause(b, &b->causes->row[c], of, next);
        free(next);
        free(of);
        report->blame = b;
        return status;
}

static void free_fixes(ps_blame *b)
{
        for (uint32_t c = 0; b->fixes && c < b->causes->n; c++)
                free(b->fixes[c].row);
        for (uint32_t i = 0; i < b->n_edits; i++)
                free(b->edit[i]);
        free(b->edit);
        free(b->fixes);
}

void ps_blame_clear(ps_blame *b)
{
        free_fixes(b);
        ps_cause_groups_clear(b);
        ps_causes_free(b->causes);
        ps_critical_free(b->critical);
        ps_delays_free(b->delays);
        free(b->finding);
        free(b->blamed);
        free(b->first);
        *b = (ps_blame){0};
}

/* -- the causes of a place -- */

static int compare_shares(const void *a, const void *b)
{
        const ps_group_share *x = a, *y = b;
        PS_ORDER_BY(y->waiting, x->waiting);
        return PS_ORDER(x->group, y->group);
}

unsigned ps_cause_shares_of(ps_group_share out[PS_CAUSES_TOLD], const ps_report *report,
                            const ps_report_place *place)
{
        const ps_blame *blame = report->blame;
        unsigned n = 0;
        for (uint32_t i = 0; i < place->n; i++) {
                size_t f = (size_t)(place->finding[i]->finding - report->analysis->findings);
                for (uint32_t k = blame->first[f]; k < blame->first[f + 1]; k++) {
                        uint32_t group = blame->group_of[blame->blamed[k].cause - blame->told];
                        unsigned at = 0;
                        while (at < n && out[at].group != group)
                                at++;
                        if (group == PS_NONE || at == PS_CAUSES_TOLD)
                                continue;
                        if (at == n)
                                out[n++] = (ps_group_share){group, 0};
                        out[at].waiting += blame->blamed[k].waiting;
                }
        }
        qsort(out, n, sizeof(*out), compare_shares);
        return n;
}
