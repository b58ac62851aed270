/* order.c - see order.h.
 *
 * The file is sorted by time, but not stably: of records with one stamp on one node the entry of the next
 * call may stand before the exit of the last one, and durations would pair wrongly. Among records of one
 * stamp the first is therefore taken that is possible: the entry of an event only while no communication is
 * open, an exit only if its event is open; all else always. How far ahead is looked is limited, because a
 * file that is wrong on purpose must not cost a search for each record. */
#include "reader/picl/order.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LOOK_AHEAD = 256 };

/* Of a region on the place at hand. */
struct open {
        uint32_t n;    /* how often it is open */
        uint32_t last; /* its last entry + 1; 0: left again */
};

struct order {
        ps_picl_log *log;
        struct open *open; /* by region */
        uint32_t n_open;   /* communication that is open */
        struct sums *sums;
};

/* What the events of a place add up to, by row. */
struct sums {
        int64_t of[PS_PICL_STAT_RECEIVED + 1][PS_PICL_E_COUNT];
};

/* Other events may happen inside of these. */
static bool is_around_others(const ps_picl_rec *r)
{
        return r->row == PS_PICL_E_USER || r->row == PS_PICL_E_TRACING || r->row == PS_PICL_E_IDLE ||
               r->row == PS_PICL_E_SYSTEM_OVERHEAD || r->row == PS_PICL_E_USER_OVERHEAD;
}

static bool is_possible(const struct order *o, const ps_picl_rec *r)
{
        if (r->type == PS_PICL_ENTRY)
                return o->n_open == 0;
        if (r->type != PS_PICL_EXIT)
                return 1;
        return o->open[r->region].n > 0 && (o->n_open == 0 || !is_around_others(r));
}

static void count_open(struct order *o, const ps_picl_rec *r)
{
        if (r->type == PS_PICL_ENTRY) {
                o->open[r->region].n++;
                o->n_open += !is_around_others(r);
        } else if (r->type == PS_PICL_EXIT && o->open[r->region].n) {
                o->open[r->region].n--;
                o->n_open -= !is_around_others(r);
        }
}

/* Moves the first possible one of the records first .. end - 1 to the front. */
static void choose_first(const struct order *o, ps_picl_place *place, uint32_t first, uint32_t end)
{
        uint32_t i = first;
        end = end - first < LOOK_AHEAD ? end : first + LOOK_AHEAD;
        while (i < end && !is_possible(o, ps_picl_rec_at(place, i)))
                i++;
        if (i == first || i == end)
                return;
        ps_picl_rec chosen = *ps_picl_rec_at(place, i);
        for (; i > first; i--)
                *ps_picl_rec_at(place, i) = *ps_picl_rec_at(place, i - 1);
        *ps_picl_rec_at(place, first) = chosen;
}

/* An exit belongs to the last entry of its event that is not left yet. */
static void pair(struct order *o, const ps_picl_place *place, ps_picl_rec *r, uint32_t i)
{
        struct open *open = &o->open[r->region];
        if (r->type == PS_PICL_ENTRY) {
                open->last = i + 1;
        } else if (open->last) {
                r->mate = open->last - 1;
                ps_picl_rec_at(place, r->mate)->mate = i;
                open->last = 0;
        }
}

/* 1: there are statistics. Records of old traces are in order as they are. */
static bool order_records(struct order *o, ps_picl_place *place)
{
        bool has_ties = o->log->form == PS_PICL_NEW, has_statistics = 0;
        uint32_t end = 0; /* of the records that have the stamp of the one at hand */
        ps_picl_rec *next = place->n ? ps_picl_rec_at(place, 0) : NULL;
        for (uint32_t i = 0; i < place->n; i++) {
                ps_picl_rec *r = next;
                assert(r);
                next = i + 1 < place->n ? ps_picl_rec_at(place, i + 1) : NULL;
                if (has_ties && next && next->time == r->time) {
                        for (end = end > i ? end : i + 1;
                             end < place->n && ps_picl_rec_at(place, end)->time == r->time;)
                                end++;
                        choose_first(o, place, i, end);
                }
                has_statistics |= r->type > PS_PICL_EXIT;
                if (r->region == PS_NONE)
                        continue;
                count_open(o, r);
                pair(o, place, r, i);
                if (r->row == PS_PICL_E_TRACING && r->type == PS_PICL_ENTRY)
                        place->last_tracing = i;
        }
        return has_statistics;
}

/* Nothing is open any more. */
static void forget_open(struct order *o, const ps_picl_place *place)
{
        o->n_open = 0;
        if (o->log->n_regions < place->n) {
                memset(o->open, 0, o->log->n_regions * sizeof(*o->open));
                return;
        }
        for (uint32_t i = 0; i < place->n; i++)
                if (ps_picl_rec_at(place, i)->region != PS_NONE)
                        o->open[ps_picl_rec_at(place, i)->region] = (struct open){0, 0};
}

/* -- statistics -- */

static void sum_event(struct sums *s, const ps_picl_place *place, const ps_picl_rec *r)
{
        const ps_picl_act act = (ps_picl_act)ps_picl_events[r->row].act;
        bool has_bytes = (r->fields & PS_PICL_BYTES) != 0;
        bool is_exit = r->type == PS_PICL_EXIT;
        s->of[PS_PICL_STAT_COUNT][r->row] += !is_exit;
        if (is_exit && r->mate != PS_NONE)
                s->of[PS_PICL_STAT_TIME][r->row] += r->time - ps_picl_rec_at(place, r->mate)->time;
        if (has_bytes && act != PS_PICL_IO)
                s->of[is_exit ? PS_PICL_STAT_RECEIVED : PS_PICL_STAT_SENT][r->row] += r->value;
}

/* The recorder adds up times before they are rounded: of n calls the sum of the rounded ones is off by 0.4
 * units of the clock times the root of n. Six times that, and two units, are allowed. */
static bool agrees(const ps_picl_log *log, const struct sums *s, const ps_picl_rec *r)
{
        double unit = 1, off = (double)r->value - (double)s->of[r->type][r->row];
        for (unsigned i = log->decimals; i < 12; i++)
                unit *= 10;
        if (r->type != PS_PICL_STAT_TIME)
                return r->value == s->of[r->type][r->row];
        double beyond = fabs(off) / unit - 2;
        return beyond <= 0 || beyond * beyond <= 6.25 * (double)s->of[PS_PICL_STAT_COUNT][r->row];
}

/* Events that are open while the statistics are written, the close that may stand before or behind them, and
 * sets of events cannot be compared. */
static bool is_comparable(const ps_picl_rec *r)
{
        if (r->row >= PS_PICL_E_COUNT || r->row == PS_PICL_E_TRACING || r->row == PS_PICL_E_CLOSE)
                return 0;
        ps_picl_act act = (ps_picl_act)ps_picl_events[r->row].act;
        return act != PS_PICL_SUBSET && act != PS_PICL_IO;
}

static ps_status compare_statistics(struct order *o, ps_picl_place *place, ps_loc at, ps_error *err)
{
        struct sums *s = o->sums = o->sums ? o->sums : malloc(sizeof(*o->sums));
        if (!s)
                return PS_NOMEM(err, "statistics", 1);
        *s = (struct sums){0};
        for (uint32_t i = 0; i < place->n; i++) {
                const ps_picl_rec *r = ps_picl_rec_at(place, i);
                if (r->type <= PS_PICL_EXIT && r->row < PS_PICL_E_COUNT)
                        sum_event(s, place, r);
                else if (r->type > PS_PICL_EXIT && is_comparable(r) && !agrees(o->log, s, r))
                        ps_issue_note(o->log->issues, PS_I_STATS_MISMATCH,
                                      (ps_place){at, o->log->file, r->line, r->time});
        }
        return PS_OK;
}

ps_status ps_picl_order(ps_picl_log *log, ps_error *err)
{
        struct order o = {.log = log, .open = calloc((size_t)log->n_regions + 1, sizeof(*o.open))};
        ps_status status = o.open ? PS_OK : PS_NOMEM(err, "events", log->n_regions);
        for (uint32_t i = 0; i < log->n_places && status == PS_OK; i++) {
                ps_picl_place *place = &log->place[i];
                if (order_records(&o, place))
                        status = compare_statistics(&o, place, i, err);
                forget_open(&o, place);
        }
        free(o.open);
        free(o.sums);
        return status;
}
