/* states.c - see states.h.
 *
 * For how long the count was k is the sum of the times at which it ceased to be k less those at which it
 * became k, and its sum over time is, beginning and end aside, that of the times at which it fell less those
 * at which it rose. So a change is a few additions, and no length is ever multiplied. What such sums are in
 * between does not matter, since unsigned numbers come round, as long as what they are in the end has room in
 * 64 bits: of what is summed over locations, stops that are near enough see to that.
 *
 * Of the locations, whose changes are in order, the one whose change is next goes on until it is the turn of
 * another one: calls of a location often follow one another, so that few changes are compared with those of
 * others. Where there are many locations, all changes of a window are sorted. */
#include "core/sums/states.h"

#include "core/base/heap.h"

#include <assert.h>
#include <stdlib.h>

enum { RUNS_MANY = 128 };

static inline bool is_earlier_run(const ps_states_run *a, const ps_states_run *b)
{
        return a->first < b->first;
}

PS_HEAP(runs, ps_states_run, is_earlier_run)

ps_status ps_states_begin(ps_states *s, ps_profile *profile, const ps_timing *timing, ps_error *err)
{
        s->out = profile;
        s->level[PS_STATE_BUSY].count = profile->n_rows;
        ps_stops_begin(&s->stops, profile, timing);
        s->stops.most = PS_TIME_MAX / ((ps_time)profile->n_rows + 1);
        for (unsigned state = 0; state < PS_STATE_COUNT; state++) {
                s->level[state].rise = ps_memory_zeroed(profile->n_rows + (size_t)1, sizeof(uint64_t));
                if (!s->level[state].rise)
                        return PS_NOMEM(err, "locations", profile->n_rows);
        }
        return PS_OK;
}

void ps_states_free(ps_states *s)
{
        for (unsigned state = 0; state < PS_STATE_COUNT; state++)
                free(s->level[state].rise);
        ps_moments_free(&s->changes);
        free(s->run);
}

static void add_time(ps_time *sum, uint64_t time)
{
        *sum = (ps_time)((uint64_t)*sum + time);
}

/* What began at the last stop is over. */
static void hold(ps_states *s, ps_time now)
{
        for (unsigned state = 0; state < PS_STATE_COUNT && s->stops.is_inside; state++) {
                const ps_state_level *l = &s->level[state];
                add_time(&s->out->concurrency[state][l->count], (uint64_t)now);
                s->stops.bin->state[state] += (double)(l->sum + l->count * (uint64_t)now);
        }
}

static void pass_stop(ps_states *s)
{
        ps_time now = s->stops.next;

        hold(s, now);
        ps_stops_pass(&s->stops);
        for (unsigned state = 0; state < PS_STATE_COUNT && s->stops.is_inside; state++) {
                ps_state_level *l = &s->level[state];
                add_time(&s->out->concurrency[state][l->count], 0 - (uint64_t)now);
                l->sum = 0 - l->count * (uint64_t)now;
        }
}

int ps_states_close(ps_states *s, uint32_t first)
{
        ps_moments *c = &s->changes;
        if (first == c->n)
                return 0;
        if (PS_ROOM(s->run, s->n_runs, s->cap_runs))
                return -1;
        s->run[s->n_runs++] = (ps_states_run){c->row[first], first + 1};
        c->row[c->n++] = UINT64_MAX;
        return 0;
}

/* They become one run. */
static int sort_runs(ps_states *s, uint64_t most)
{
        ps_moments *c = &s->changes;
        uint32_t n = c->n;
        c->n = 0;
        for (uint32_t i = 0; i < n; i++) {
                c->row[c->n] = c->row[i];
                c->n += c->row[i] != UINT64_MAX;
        }
        if (ps_moments_sort(c, most) || ps_moments_add(c, UINT64_MAX))
                return -1;
        s->run[0] = (ps_states_run){c->row[0], 1};
        s->n_runs = 1;
        return 0;
}

/* The run that is first goes on as long as its changes come before `end`. */
static void go_on(ps_states *s, uint64_t end, uint64_t begin)
{
        const unsigned mask = (1U << PS_STATES_BITS) - 1;
        const uint64_t *next = s->changes.row + s->run->at;
        uint64_t row = s->run->first;

        for (bool is_inside = s->stops.is_inside;;) {
                ps_state_level *was = &s->level[row >> PS_STATES_BITS & mask], *is = &s->level[row & mask];
                uint64_t now = begin + (row >> 2 * PS_STATES_BITS), fewer = --was->count, more = is->count++;
                if (is_inside) {
                        was->rise[fewer] -= now;
                        was->sum += now;
                        is->rise[more] += now;
                        is->sum -= now;
                }
                assert(*next >= row);
                row = *next++;
                if (row >= end)
                        break;
        }
        ps_states_run run = {row, (uint32_t)(next - s->changes.row)};
        if (row == UINT64_MAX)
                run = s->run[--s->n_runs];
        runs_sink(s->run, s->n_runs, 0, run);
}

/* Up to where the run that is first may go on: to the next one of the others, or to `stop`. */
static uint64_t end_of_run(const ps_states *s, uint64_t stop)
{
        for (uint32_t i = 1; i < 3 && i < s->n_runs; i++)
                stop = s->run[i].first < stop ? s->run[i].first : stop;
        return stop;
}

int ps_states_go(ps_states *s, ps_span window)
{
        uint64_t begin = (uint64_t)window.begin;
        uint64_t most = ((uint64_t)(window.end - window.begin) << 2 * PS_STATES_BITS) - 1;

        if (s->n_runs > RUNS_MANY && sort_runs(s, most))
                return -1;
        for (uint32_t i = 1; i < s->n_runs; i++)
                runs_rise(s->run, i, s->run[i]);
        for (uint64_t stop = 0; s->n_runs;) {
                if (s->run->first < stop) {
                        go_on(s, end_of_run(s, stop), begin);
                        continue;
                }
                while ((uint64_t)s->stops.next <= begin + (s->run->first >> 2 * PS_STATES_BITS))
                        pass_stop(s);
                stop = s->stops.next < window.end ? ((uint64_t)s->stops.next - begin) << 2 * PS_STATES_BITS
                                                  : UINT64_MAX;
        }
        s->changes.n = 0;
        return 0;
}

void ps_states_end(ps_states *s)
{
        while (s->stops.next < s->stops.run.end)
                pass_stop(s);
        hold(s, s->stops.run.end);
        for (unsigned state = 0; state < PS_STATE_COUNT; state++) {
                ps_time *time = s->out->concurrency[state];
                const uint64_t *rise = s->level[state].rise;
                for (uint32_t k = 0; k <= s->out->n_rows; k++)
                        add_time(&time[k], rise[k] - (k ? rise[k - 1] : 0));
        }
}
