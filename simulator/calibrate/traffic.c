/* traffic.c - when each process was sending, receiving or in a collective operation, so that what
 * was measured meanwhile can be left out. */
#include "simulator/calibrate/internal.h"

#include "core/base/radix.h"
#include "core/base/search.h"

#include <stdlib.h>

/* Of the spans of a process that begin before a time, the two that end last; `second` counts. */
typedef struct span {
        ps_proc process;
        ps_time begin, end;
        ps_time last, second;
} span;

struct ps_sample_traffic {
        span *row; /* by process and begin */
        size_t n;
        size_t *first; /* by process: of its spans; and behind the last one */
        size_t *near;  /* by process: where a span was looked for last */
};

static uint64_t process_of(const void *row)
{
        const span *s = row;
        return s->process;
}

static uint64_t begin_of(const void *row)
{
        const span *s = row;
        return ps_radix_signed(s->begin);
}

static ps_row_number *const by_begin[] = {process_of, begin_of};

static void add_span(ps_sample_traffic *t, ps_proc process, ps_time begin, ps_time end)
{
        t->row[t->n++] = (span){.process = process, .begin = begin, .end = ps_time_later(begin, end)};
}

/* When receiving began. A Sendrecv that came later than the message has sending to do first. */
static ps_time receive_begin(const ps_calibrate_message *m, bool is_awaited)
{
        return m->is_paired && !is_awaited ? m->through : ps_time_later(m->asked, m->sent);
}

/* When sending ended. A Sendrecv goes on until it has received. */
static ps_time send_end(const ps_calibrate_message *m, bool is_awaited)
{
        ps_time call = m->send_kind == PS_K_SENDRECV_SEND ? m->sent : m->sent_end;
        return is_awaited ? ps_time_later(m->through, call) : call;
}

/* Once on the clock of each end. A message that nobody waits for leaves its sender when the call ends, as far
 * as can be seen; one that is waited for together with others is under way until it has come, not until all
 * have. */
static void add_message(ps_sample_traffic *t, const ps_calibrate_message *m)
{
        bool is_awaited = ps_message_is_awaited(m);
        add_span(t, m->from, m->sent, send_end(m, is_awaited));
        add_span(t, m->to, ps_time_sub(receive_begin(m, is_awaited), m->offset),
                 ps_time_sub(m->through, m->offset));
}

static bool is_collective(const ps_ops *ops, ps_op i)
{
        return ps_kinds[ops->kind[i]].cls == PS_C_COLL;
}

static size_t count_collectives(const ps_trace *trace)
{
        size_t n = 0;
        for (ps_loc l = 0; l < trace->n_locs; l++)
                for (ps_op i = 0; i < trace->ops[l].n; i++)
                        n += (size_t)is_collective(&trace->ops[l], i);
        return n;
}

static void add_collectives(ps_sample_traffic *t, const ps_trace *trace, const ps_timing *timing)
{
        for (ps_loc l = 0; l < trace->n_locs; l++)
                for (ps_op i = 0; i < trace->ops[l].n; i++) {
                        if (!is_collective(&trace->ops[l], i))
                                continue;
                        ps_ref done = ps_op_completion(trace, (ps_ref){l, i});
                        ps_time end =
                                done.loc == PS_NONE ? timing->leave[l][i] : timing->leave[done.loc][done.op];
                        add_span(t, trace->defs.locations.row[l].process, timing->enter[l][i], end);
                }
}

static void find_ends(ps_sample_traffic *t)
{
        for (size_t i = 0; i < t->n; i++) {
                bool is_first = i == 0 || t->row[i - 1].process != t->row[i].process;
                ps_time last = is_first ? INT64_MIN : t->row[i - 1].last;
                ps_time second = is_first ? INT64_MIN : t->row[i - 1].second, end = t->row[i].end;
                t->row[i].last = ps_time_later(last, end);
                t->row[i].second = end > last ? last : ps_time_later(second, end);
        }
}

static ps_status find_processes(ps_sample_traffic *t, uint32_t n, ps_error *err)
{
        t->first = calloc((size_t)n + 1, sizeof(*t->first));
        t->near = calloc((size_t)n + 1, sizeof(*t->near));
        if (!t->first || !t->near)
                return PS_NOMEM(err, "processes", n);
        for (size_t i = 0; i < t->n; i++)
                t->first[t->row[i].process + 1]++;
        for (uint32_t p = 0; p < n; p++) {
                t->first[p + 1] += t->first[p];
                t->near[p] = t->first[p];
        }
        return PS_OK;
}

ps_status ps_sample_traffic_make(ps_sample_traffic **out, const ps_calibrate_messages *messages,
                                 const ps_trace *trace, const ps_timing *timing, ps_error *err)
{
        size_t room = 2 * messages->n + count_collectives(trace);
        ps_sample_traffic *t = calloc(1, sizeof(*t));
        *out = t;
        if (t)
                t->row = malloc((room ? room : 1) * sizeof(*t->row));
        if (!t || !t->row)
                return PS_NOMEM(err, "traffic", room);
        for (size_t i = 0; i < messages->n; i++)
                add_message(t, &messages->row[i]);
        add_collectives(t, trace, timing);
        if (ps_radix_sort(t->row, t->n, sizeof(*t->row), by_begin, 2))
                return PS_NOMEM(err, "traffic", room);
        find_ends(t);
        return find_processes(t, trace->defs.processes.n, err);
}

void ps_sample_traffic_free(ps_sample_traffic *traffic)
{
        if (traffic) {
                free(traffic->row);
                free(traffic->first);
                free(traffic->near);
        }
        free(traffic);
}

/* The first span of the process that does not begin before. Messages come about in order of time, so that it
 * is near the one before it, where steps that double find it first. */
static size_t find_span(const ps_sample_traffic *t, ps_proc process, ps_time begin)
{
        size_t first = t->first[process], end = t->first[process + 1], low = t->near[process], high = low,
               step = 1;
        for (; high < end && t->row[high].begin < begin; step *= 2) {
                low = high + 1;
                high = end - high > step ? high + step : end;
        }
        for (; low > first && t->row[low - 1].begin >= begin; step *= 2) {
                high = low - 1;
                low = low - first > step ? low - step : first;
        }
        PS_SEARCH(low, high, i, t->row[i].begin < begin);
        return t->near[process] = low;
}

bool ps_sample_traffic_overlaps(const ps_sample_traffic *traffic, ps_proc process, ps_time begin, ps_time end)
{
        /* Offsets between three clocks are not exact: what only touches is no overlap. */
        ps_time margin = ps_time_sub(end, begin) / 20;
        size_t at = find_span(traffic, process, ps_time_sub(end, margin));
        return at > traffic->first[process] && traffic->row[at - 1].second > ps_time_add(begin, margin);
}
