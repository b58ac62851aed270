/* samples.c - from messages to samples: see samples.h. */
#include "simulator/calibrate/samples.h"
#include "core/base/map.h"
#include "core/base/vector.h"
#include "simulator/calibrate/fit.h"
#include "simulator/calibrate/internal.h"

#include <stdlib.h>
#include <string.h>

const ps_calibrate_reason_info ps_calibrate_reasons[PS_N_UNUSED] = {
#define PS_CALIBRATE_REASON(id, name, text) {name, text},
#include "simulator/calibrate/reasons.def"
#undef PS_CALIBRATE_REASON
};

const char *const ps_sample_names[PS_N_SAMPLE_KINDS] = {"one-way", "send", "receive"};

/* A message was clearly there when it has been under way for so many times as long as it usually is; or, when
 * nobody knows how long that is, for so many times as long as it then took to receive it. */
enum { CLEAR_WAYS = 2, CLEAR_RECEIVES = 10 };

void ps_samples_free(ps_samples *samples)
{
        free(samples->row);
        free(samples->sweeps.row);
        free(samples->node_of_rank);
        *samples = (ps_samples){0};
}

ps_status ps_samples_add(ps_samples *samples, const ps_sample *sample, ps_error *err)
{
        return PS_APPEND(samples->row, samples->n, samples->room, *sample)
                       ? PS_NOMEM(err, "samples", samples->n)
                       : PS_OK;
}

/* -- one message -- */

typedef struct work {
        ps_samples *samples;
        const ps_sample_traffic *traffic;
        const ps_trace *trace;
        ps_error *err;
} work;

static double seconds_between(ps_time from, ps_time to)
{
        return ps_time_seconds(ps_time_sub(to, from));
}

static bool is_buffered(const ps_calibrate_message *m)
{
        return m->send_kind == PS_K_BSEND || m->send_kind == PS_K_IBSEND;
}

/* It was complete before anybody asked for the message. */
static bool is_eager(const ps_calibrate_message *m)
{
        return m->sent_done < m->posted || is_buffered(m);
}

/* The mode in which the library chooses by the size whether to wait. */
static bool is_standard(const ps_calibrate_message *m)
{
        return m->send_kind == PS_K_SEND || m->send_kind == PS_K_ISEND || m->send_kind == PS_K_SENDRECV_SEND;
}

static ps_sample sample_of(const work *w, const ps_calibrate_message *m, ps_sample_kind kind, ps_time begin,
                           ps_time end)
{
        const ps_process_def *processes = w->trace->defs.processes.row;
        ps_str node = processes[m->from].node;
        return (ps_sample){.s = seconds_between(begin, end),
                           .bytes = m->bytes,
                           .lead_s = (float)seconds_between(m->sent, m->asked),
                           .from = m->from,
                           .to = m->to,
                           .kind = (uint8_t)kind,
                           .is_near = node && node == processes[m->to].node,
                           .is_eager = (uint8_t)is_eager(m),
                           .is_standard = (uint8_t)is_standard(m)};
}

static ps_status take_sample(work *w, const ps_sample *sample, int overlaps)
{
        if (!(sample->s > 0))
                w->samples->unused[PS_UNUSED_NOT_POSITIVE]++;
        else if (overlaps)
                w->samples->unused[PS_UNUSED_OVERLAP]++;
        else
                return ps_samples_add(w->samples, sample, w->err);
        return PS_OK;
}

/* That a send was complete early tells about the library, whatever else went on. */
static ps_status look_at_end(work *w, const ps_calibrate_message *m)
{
        if (!is_standard(m) || m->sent_done == INT64_MAX || m->send_why == PS_UNUSED_SELF ||
            m->send_why == PS_UNUSED_CLOCK || m->send_why == PS_UNUSED_INCOMPLETE ||
            (m->asked > m->sent && !is_eager(m)))
                return PS_OK;
        ps_sample sample = sample_of(w, m, PS_SAMPLE_DONE, m->sent, m->sent_done);
        return ps_samples_add(w->samples, &sample, w->err);
}

static ps_status look_at_send(work *w, const ps_calibrate_message *m)
{
        bool is_nonblocking = m->send_why == PS_UNUSED_NONBLOCKING;
        bool may_wait = !is_nonblocking && m->sent < m->posted && m->posted <= m->sent_end && !is_buffered(m);
        ps_sample sample =
                sample_of(w, m, may_wait ? PS_SAMPLE_BLOCKED : PS_SAMPLE_SEND, m->sent, m->sent_end);
        if (m->send_why != PS_USED && (!is_nonblocking || !is_standard(m))) {
                w->samples->unused[m->send_why]++;
                return PS_OK;
        }
        sample.grade = is_nonblocking ? PS_GRADE_NONBLOCKING : PS_GRADE_BEST;
        sample.why_not = m->send_why;
        return take_sample(w, &sample, ps_sample_traffic_overlaps(w->traffic, m->from, m->sent, m->sent_end));
}

/* The receiver was there when it was sent: all of its way. What its sender begins after the call does not
 * delay it, if the message has left with the call. */
static ps_status look_at_way(work *w, const ps_calibrate_message *m)
{
        const ps_sample_traffic *t = w->traffic;
        ps_time end = m->sent_end < m->got ? m->sent_end : m->got;
        ps_sample sample = sample_of(w, m, PS_SAMPLE_ONE_WAY, m->sent, m->got);
        bool is_chased = ps_sample_traffic_overlaps(t, m->from, m->sent, m->got);
        int overlaps = ps_sample_traffic_overlaps(t, m->to, ps_time_sub(m->sent, m->offset),
                                                  ps_time_sub(m->got, m->offset)) ||
                       (is_chased && ps_sample_traffic_overlaps(t, m->from, m->sent, end));
        sample.grade = m->is_paired ? PS_GRADE_PAIRED : PS_GRADE_BEST;
        sample.if_eager = is_chased && m->bytes > m->own_bytes ? m->bytes : m->own_bytes;
        sample.why_not = m->is_grouped ? PS_UNUSED_SHARED : PS_UNUSED_OVERLAP;
        return take_sample(w, &sample, overlaps);
}

/* The sender waited: from when its receiver came on. Of a small message that is mostly latencies, and nobody
 * knows how many; a Sendrecv may have waited for something else. */
static ps_status look_at_meeting(work *w, const ps_calibrate_message *m)
{
        ps_sample sample = sample_of(w, m, PS_SAMPLE_ONE_WAY, m->asked, m->got);
        if (m->bytes < PS_FIT_RATE_ONLY || m->send_kind == PS_K_SENDRECV_SEND) {
                w->samples->unused[PS_UNUSED_BLOCKED]++;
                return PS_OK;
        }
        sample.grade = PS_GRADE_MEETING;
        sample.why_not = PS_UNUSED_BLOCKED;
        return take_sample(w, &sample,
                           ps_sample_traffic_overlaps(w->traffic, m->to, ps_time_sub(m->asked, m->offset),
                                                      ps_time_sub(m->got, m->offset)) ||
                                   ps_sample_traffic_overlaps(w->traffic, m->from, m->asked, m->sent_end));
}

static ps_status look_at_receive(work *w, const ps_calibrate_message *m)
{
        bool is_awaited = ps_message_is_awaited(m), is_sending = m->send_why != PS_UNUSED_NONBLOCKING;
        ps_calibrate_reason why = m->is_grouped && !is_awaited ? PS_UNUSED_SHARED : m->receive_why;
        if (why != PS_USED) {
                w->samples->unused[why]++;
                return PS_OK;
        }
        if (is_awaited)
                return look_at_way(w, m);
        if (is_sending && m->sent_end > m->asked && !is_buffered(m))
                return look_at_meeting(w, m);
        ps_sample sample = sample_of(w, m, PS_SAMPLE_RECEIVE, m->asked, m->got);
        return take_sample(w, &sample,
                           ps_sample_traffic_overlaps(w->traffic, m->to, ps_time_sub(m->asked, m->offset),
                                                      ps_time_sub(m->got, m->offset)));
}

/* -- a trace -- */

static ps_status look_at_all(work *w, const ps_calibrate_messages *messages)
{
        for (size_t i = 0; i < messages->n; i++) {
                PS_TRY(look_at_end(w, &messages->row[i]));
                PS_TRY(look_at_send(w, &messages->row[i]));
                PS_TRY(look_at_receive(w, &messages->row[i]));
        }
        w->samples->n_messages += messages->n;
        return PS_OK;
}

/* Numbers the nodes in the order in which they appear; a process without one has one of its own. */
static ps_status find_nodes(uint32_t *node, const ps_defs *defs, ps_error *err)
{
        ps_map numbers = {0};
        ps_time next = 0;
        for (ps_proc p = 0; p < defs->processes.n; p++) {
                ps_str name = defs->processes.row[p].node;
                ps_time *number = ps_map_at(&numbers, name, name ? 0 : p, -1);
                if (!number) {
                        ps_map_free(&numbers);
                        return PS_NOMEM(err, "nodes", defs->processes.n);
                }
                if (*number < 0)
                        *number = next++;
                node[p] = (uint32_t)*number;
        }
        ps_map_free(&numbers);
        return PS_OK;
}

ps_status ps_samples_place(ps_samples *samples, const uint32_t *node_of_rank, uint32_t n, ps_error *err)
{
        if (n <= samples->n_processes)
                return PS_OK;
        uint32_t *node = malloc(n * sizeof(*node));
        if (!node)
                return PS_NOMEM(err, "nodes", n);
        memcpy(node, node_of_rank, n * sizeof(*node));
        free(samples->node_of_rank);
        samples->node_of_rank = node;
        samples->n_processes = n;
        return PS_OK;
}

static ps_status place_processes(ps_samples *samples, const ps_defs *defs, ps_error *err)
{
        uint32_t n = defs->processes.n, *node = malloc((n ? n : 1) * sizeof(*node));
        if (!node)
                return PS_NOMEM(err, "nodes", n);
        ps_status status = find_nodes(node, defs, err);
        PS_THEN(status, ps_samples_place(samples, node, n, err));
        free(node);
        return status;
}

static void count_more(ps_samples *samples, const ps_trace *trace)
{
        const ps_defs *defs = &trace->defs;
        double tick = defs->resolution_hz ? 1 / (double)defs->resolution_hz : 0;
        samples->tick_s = tick > samples->tick_s ? tick : samples->tick_s;
        for (ps_loc l = 0; l < trace->n_locs; l++)
                for (ps_op i = 0; i < trace->ops[l].n; i++)
                        samples->n_collectives += ps_kinds[trace->ops[l].kind[i]].cls == PS_C_COLL;
        for (ps_proc p = 0; p < defs->processes.n; p++)
                samples->has_nodes |= defs->processes.row[p].node != 0;
}

ps_status ps_samples_add_trace(ps_samples *samples, const ps_trace *trace, const ps_timing *timing,
                               ps_error *err)
{
        ps_calibrate_messages messages = {0};
        ps_sample_traffic *traffic = NULL;
        const ps_clock_info *clock = &trace->clock;
        bool is_strict = trace->defs.clock_per_process || clock->repaired || clock->infeasible;
        ps_status status = ps_messages_collect(&messages, trace, timing, err);
        PS_THEN(status, ps_offsets_guess(&samples->clocks, &messages, is_strict, err));
        PS_THEN(status, ps_groups_resolve(&messages, trace, timing, err));
        PS_THEN(status, ps_offsets_apply(&samples->clocks, &messages, is_strict, err));
        PS_THEN(status, ps_sample_traffic_make(&traffic, &messages, trace, timing, err));
        PS_THEN(status, look_at_all(&(work){samples, traffic, trace, err}, &messages));
        PS_THEN(status, place_processes(samples, &trace->defs, err));
        if (status == PS_OK && !is_strict)
                status = ps_sweeps_add_trace(samples, trace, timing, err);
        count_more(samples, trace);
        ps_sample_traffic_free(traffic);
        free(messages.row);
        return status;
}

/* -- all samples together -- */

/* What a message usually takes; n_sizes 0: nobody knows. */
static ps_status find_usual(ps_fit *out, const ps_samples *samples, ps_error *err)
{
        ps_sample_point *points = malloc((samples->n ? samples->n : 1) * sizeof(*points));
        size_t n = 0;
        if (!points)
                return PS_NOMEM(err, "samples", samples->n);
        for (size_t i = 0; i < samples->n; i++)
                if (samples->row[i].kind == PS_SAMPLE_ONE_WAY)
                        points[n++] = (ps_sample_point){(double)samples->row[i].bytes, samples->row[i].s};
        ps_status status = ps_fit_make(out, points, n, err);
        free(points);
        return status;
}

/* A send that waits for its receiver takes a message there and one back at least, and then the data: two
 * thirds of the whole way. What was complete in less than half of it did not wait. */
static bool went_ahead(const ps_sample *s, const ps_fit *usual)
{
        if (s->is_eager)
                return true;
        return usual->n_sizes && (double)s->bytes <= usual->most_bytes &&
               s->s < ps_fit_at(&usual->fast, (double)s->bytes) / 2;
}

static void find_eager(ps_samples *samples, const ps_fit *usual)
{
        samples->eager_seen = 0;
        samples->blocked_seen = UINT64_MAX;
        for (size_t i = 0; i < samples->n; i++) {
                const ps_sample *s = &samples->row[i];
                if (s->kind == PS_SAMPLE_DONE && s->bytes > samples->eager_seen && went_ahead(s, usual))
                        samples->eager_seen = s->bytes;
        }
        for (size_t i = 0; i < samples->n; i++) {
                const ps_sample *s = &samples->row[i];
                if (s->kind == PS_SAMPLE_BLOCKED && s->is_standard && s->bytes > samples->eager_seen &&
                    s->bytes < samples->blocked_seen)
                        samples->blocked_seen = s->bytes;
        }
}

static bool was_there(const ps_sample *s, const ps_fit *usual)
{
        if (!usual->n_sizes)
                return (double)s->lead_s >= CLEAR_RECEIVES * s->s;
        return (double)s->lead_s >= CLEAR_WAYS * ps_fit_at(&usual->typical, (double)s->bytes);
}

static ps_calibrate_reason judge_sample(const ps_samples *samples, const ps_sample *s, const ps_fit *usual)
{
        bool is_side = s->kind == PS_SAMPLE_SEND || s->kind == PS_SAMPLE_RECEIVE;
        if (s->kind == PS_SAMPLE_BLOCKED)
                return PS_UNUSED_BLOCKED;
        if (s->if_eager > samples->eager_seen)
                return s->why_not;
        if (is_side && !s->is_eager && s->bytes > samples->eager_seen)
                return PS_UNUSED_RENDEZVOUS;
        if (s->kind == PS_SAMPLE_RECEIVE && !was_there(s, usual))
                return PS_UNUSED_IN_FLIGHT;
        return PS_USED;
}

/* What samples of the best grade there are of a kind, within nodes or between them. */
typedef struct best {
        uint64_t n, least_bytes, most_bytes;
} best;

static void count_best(best *b, const ps_sample *s)
{
        b->least_bytes = !b->n || s->bytes < b->least_bytes ? s->bytes : b->least_bytes;
        b->most_bytes = s->bytes > b->most_bytes ? s->bytes : b->most_bytes;
        b->n++;
}

/* Samples of a rendezvous add the rate where all others are of small messages. */
static bool is_needed(const ps_sample *s, const best *b)
{
        return s->grade == PS_GRADE_BEST || !b->n ||
               (s->grade == PS_GRADE_MEETING && b->most_bytes < PS_FIT_RATE_ONLY &&
                b->most_bytes <= 2 * b->least_bytes);
}

/* Keeps the samples that are good for anything, and of those of a kind that are second best none where there
 * are better ones. */
static void drop_useless(ps_samples *samples, const ps_fit *usual)
{
        best found[PS_N_SAMPLE_KINDS][2] = {{{0}}};
        size_t n = samples->n;
        samples->n = 0;
        for (size_t i = 0; i < n; i++) {
                ps_sample s = samples->row[i];
                ps_calibrate_reason why =
                        s.kind == PS_SAMPLE_DONE ? PS_USED : judge_sample(samples, &s, usual);
                if (why != PS_USED)
                        samples->unused[why]++;
                else if (s.kind != PS_SAMPLE_DONE)
                        samples->row[samples->n++] = s;
                if (why == PS_USED && s.kind != PS_SAMPLE_DONE && s.grade == PS_GRADE_BEST)
                        count_best(&found[s.kind][s.is_near], &s);
        }
        n = samples->n;
        samples->n = 0;
        for (size_t i = 0; i < n; i++) {
                ps_sample s = samples->row[i];
                bool is_kept = is_needed(&s, &found[s.kind][s.is_near]);
                if (is_kept)
                        samples->row[samples->n++] = s;
                ++*(is_kept ? &samples->graded[s.grade] : &samples->unused[s.why_not]);
        }
}

ps_status ps_samples_finish(ps_samples *samples, ps_error *err)
{
        ps_fit usual;
        PS_TRY(find_usual(&usual, samples, err));
        find_eager(samples, &usual);
        drop_useless(samples, &usual);
        return PS_OK;
}
