/* stretches_apart.c - stretches of a run whose rows several processes have.
 *
 * Each tells which stretches its locations visit. Process 0 puts them in order, as if it had seen all visits,
 * and tells all. Then each adds up its visits, process 0 those of all, and each compares its own with them.
 */
#include "core/load/share.h"
#include "core/load/told.h"
#include "core/model/pieces.h"
#include "simulator/whatif/stretches.h"
#include "simulator/whatif/works.h"

#include "core/base/memory.h"
#include "core/exchange/numbers.h"

#include <stdlib.h>
#include <string.h>

/* -- what all say, and what process 0 says to all -- */

static ps_status gather(ps_pile *all, ps_exchange *x, ps_status status, ps_numbers *mine, ps_error *err)
{
        *all = (ps_pile){NULL, NULL};
        PS_THEN(status, mine->lacks ? PS_NOMEM(err, "stretches", mine->n) : PS_OK);
        status = ps_exchange_agree(x, status, err);
        PS_THEN(status, ps_exchange_gather(x, all, mine->row, mine->n, err));
        free(mine->row);
        *mine = (ps_numbers){NULL, 0, 0, false};
        return status;
}

/* `told`: of process 0; of the others what it has told. */
static ps_status tell(ps_numbers *told, ps_exchange *x, ps_status status, ps_error *err)
{
        uint64_t n = told->n;
        PS_THEN(status, told->lacks ? PS_NOMEM(err, "stretches", told->n) : PS_OK);
        PS_TRY(ps_exchange_agree(x, status, err));
        ps_exchange_broadcast(x, &n, sizeof(n));
        if (x->rank)
                told->row = ps_memory_new(n + 1);
        PS_TRY(ps_exchange_agree(x, told->row || !n ? PS_OK : PS_NOMEM(err, "stretches", n), err));
        if (n)
                ps_exchange_broadcast(x, told->row, n);
        told->n = n;
        return PS_OK;
}

/* -- which stretches there are -- */

static void put_passed(ps_numbers *to, const struct passed *at)
{
        ps_numbers_put(to, at->from);
        ps_numbers_put(to, at->to);
        for (unsigned end = 0; end < 2; end++) {
                ps_numbers_put(to, at->line[end].file);
                ps_numbers_put(to, at->line[end].line);
        }
        ps_numbers_put(to, at->region);
        ps_numbers_put(to, at->first.loc);
        ps_numbers_put(to, at->first.op);
        ps_numbers_put(to, at->is_shared);
}

static struct passed take_passed(const uint8_t **from)
{
        struct passed at = {.from = (uint32_t)ps_numbers_take(from)};
        at.to = (uint32_t)ps_numbers_take(from);
        for (unsigned end = 0; end < 2; end++) {
                at.line[end].file = (ps_str)ps_numbers_take(from);
                at.line[end].line = (uint32_t)ps_numbers_take(from);
        }
        at.region = (ps_region)ps_numbers_take(from);
        at.first.loc = (ps_loc)ps_numbers_take(from);
        at.first.op = (ps_op)ps_numbers_take(from);
        at.is_shared = ps_numbers_take(from) != 0;
        return at;
}

static int compare_firsts(const void *a, const void *b)
{
        return ps_refs_compare(&((const struct passed *)a)->first, &((const struct passed *)b)->first);
}

static void share_lines(struct passed *at, const struct passed *with)
{
        at->is_shared |= with->is_shared || with->region != at->region;
}

/* In the order of the first visits of all, those that are first between their lines. */
static ps_status open_all(ps_stretches *s, const uint8_t *at, size_t n, ps_error *err)
{
        PS_VECTOR(struct passed) all = {0};
        ps_status status = PS_OK;
        for (const uint8_t *end = at + n; at < end && status == PS_OK;)
                if (PS_PUSH(all, take_passed(&at)))
                        status = PS_NOMEM(err, "stretches", all.n);
        if (all.n)
                qsort(all.row, all.n, sizeof(*all.row), compare_firsts);
        ps_stretches_clear(s);
        for (uint32_t i = 0; i < all.n && status == PS_OK && ps_stretches_have_room(s); i++) {
                ps_time *number = ps_map_at(&s->first, all.row[i].from, all.row[i].to, s->row.n);
                if (!number)
                        status = PS_NOMEM(err, "stretches", s->row.n);
                else if (*number == s->row.n)
                        status = ps_stretches_open(s, &all.row[i], err);
                else
                        share_lines(&s->row.row[*number].at, &all.row[i]);
        }
        s->is_open = false;
        free(all.row);
        return status;
}

static ps_status add_here(ps_stretches *s, ps_error *err)
{
        for (ps_loc loc = 0; loc < s->trace->n_locs; loc++)
                if (ps_share_is_here(s->trace, loc))
                        PS_TRY(ps_stretches_add(s, loc, err));
        return PS_OK;
}

static ps_status agree_on_stretches(ps_stretches *s, ps_exchange *x, ps_error *err)
{
        ps_numbers mine = {NULL, 0, 0, false}, told = {NULL, 0, 0, false};
        ps_pile all;
        ps_status status = add_here(s, err);
        for (uint32_t i = 0; i < s->row.n; i++)
                put_passed(&mine, &s->row.row[i].at);
        PS_TRY(gather(&all, x, status, &mine, err));
        if (!x->rank)
                status = open_all(s, all.bytes, all.end[x->size - 1], err);
        for (uint32_t i = 0; !x->rank && i < s->row.n; i++)
                put_passed(&told, &s->row.row[i].at);
        ps_pile_clear(&all);
        status = tell(&told, x, status, err);
        if (x->rank)
                PS_THEN(status, open_all(s, told.row, told.n, err));
        free(told.row);
        return ps_exchange_agree(x, status, err);
}

/* -- how long they are -- */

static void put_visits(ps_numbers *to, const ps_stretches *s)
{
        for (uint32_t i = 0; i < s->row.n; i++) {
                const struct stretch *row = &s->row.row[i];
                ps_numbers_put(to, row->visit.n);
                for (uint32_t k = 0; k < row->visit.n; k++) {
                        ps_numbers_put_signed(to, row->visit.row[k].sum);
                        ps_numbers_put(to, row->visit.row[k].n);
                }
        }
}

static ps_status add_visits(ps_stretches *s, const uint8_t **at, ps_error *err)
{
        for (uint32_t i = 0; i < s->row.n; i++) {
                struct stretch *row = &s->row.row[i];
                const uint32_t n = (uint32_t)ps_numbers_take(at);
                for (uint32_t k = 0; k < n; k++) {
                        if (k == row->visit.n && PS_PUSH(row->visit, ((struct nth_visit){0})))
                                return PS_NOMEM(err, "visits", row->visit.n);
                        struct nth_visit *visit = &row->visit.row[k];
                        visit->sum = ps_time_add(visit->sum, ps_numbers_take_signed(at));
                        visit->n += (uint32_t)ps_numbers_take(at);
                }
        }
        return PS_OK;
}

static void forget_visits(ps_stretches *s)
{
        for (uint32_t i = 0; i < s->row.n; i++)
                s->row.row[i].visit.n = 0;
}

/* Of locations that are here. */
static void put_shares(ps_numbers *to, const ps_stretches *s)
{
        for (uint32_t i = 0; i < s->row.n; i++)
                for (ps_loc loc = 0; loc < s->trace->n_locs; loc++) {
                        const struct share *own = share_of_location(s, i, loc);
                        if (!ps_share_is_here(s->trace, loc))
                                continue;
                        uint64_t excess;
                        memcpy(&excess, &own->excess, sizeof(excess));
                        ps_numbers_put_signed(to, own->time);
                        ps_numbers_put_signed(to, own->held);
                        ps_numbers_put(to, own->visits);
                        ps_numbers_put(to, excess);
                }
}

/* Of those that the process has. */
static void take_shares(ps_stretches *s, const uint8_t *at, uint32_t process)
{
        const ps_trace *trace = s->trace;
        for (uint32_t i = 0; i < s->row.n; i++)
                for (ps_loc loc = 0; loc < trace->n_locs; loc++) {
                        struct share *own = share_of_location(s, i, loc);
                        if (trace->spread->owner[trace->defs.locations.row[loc].process] != process)
                                continue;
                        own->time = ps_numbers_take_signed(&at);
                        own->held = ps_numbers_take_signed(&at);
                        own->visits = (uint32_t)ps_numbers_take(&at);
                        uint64_t excess = ps_numbers_take(&at);
                        memcpy(&own->excess, &excess, sizeof(excess));
                }
}

/* In process 0 those of all. */
static ps_status sum_up_visits(ps_stretches *s, ps_exchange *x, ps_error *err)
{
        ps_numbers mine = {NULL, 0, 0, false}, told = {NULL, 0, 0, false};
        ps_pile all;
        size_t n;
        ps_status status = add_here(s, err);
        put_visits(&mine, s);
        PS_TRY(gather(&all, x, status, &mine, err));
        for (uint32_t p = 1; !x->rank && p < x->size && status == PS_OK; p++) {
                const uint8_t *at = ps_pile_part(&all, p, &n);
                status = add_visits(s, &at, err);
        }
        ps_pile_clear(&all);
        if (!x->rank)
                put_visits(&told, s);
        status = tell(&told, x, status, err);
        if (x->rank && status == PS_OK) {
                const uint8_t *at = told.row;
                forget_visits(s);
                status = add_visits(s, &at, err);
        }
        free(told.row);
        return ps_exchange_agree(x, status, err);
}

/* Then process 0 has the shares of all. */
static ps_status compare_all(ps_stretches *s, ps_exchange *x, ps_error *err)
{
        ps_numbers mine = {NULL, 0, 0, false};
        ps_pile all;
        size_t n;
        for (ps_loc loc = 0; loc < s->trace->n_locs; loc++)
                if (ps_share_is_here(s->trace, loc))
                        ps_stretches_compare(s, loc);
        put_shares(&mine, s);
        PS_TRY(gather(&all, x, PS_OK, &mine, err));
        for (uint32_t p = 1; !x->rank && p < x->size; p++)
                take_shares(s, ps_pile_part(&all, p, &n), p);
        ps_pile_clear(&all);
        return PS_OK;
}

/* All have agreed that all is well. */
static ps_status find_together(ps_stretches *s, ps_exchange *x, ps_error *err)
{
        PS_TRY(agree_on_stretches(s, x, err));
        PS_TRY(sum_up_visits(s, x, err));
        return ps_exchange_agree(x, compare_all(s, x, err), err);
}

/* -- process 0 -- */

static ps_status ask(const ps_trace *trace, ps_error *err)
{
        ps_told told = ps_told_of(trace);
        ps_pass measure = {.way = PS_PASS_MEASURE, .err = err};
        PS_TRY(ps_told_pass(&measure, &told, trace));
        ps_pass put = {
                .way = PS_PASS_PUT, .size = measure.used, .bytes = calloc(measure.used, 1), .err = err};
        ps_status status =
                put.bytes ? ps_told_pass(&put, &told, trace) : PS_NOMEM(err, "what is asked", measure.used);
        PS_THEN(status, ps_share_ask(trace->spread->x, PS_WORK_STRETCHES, put.bytes, put.size, err));
        free(put.bytes);
        return status;
}

ps_status ps_stretches_ask(ps_stretches *s, ps_error *err)
{
        const ps_trace *trace = s->trace;
        const ps_timing *timing = s->timing;
        ps_exchange *x = ps_share_others(trace, timing);
        ps_trace here = {0};
        PS_TRY(ask(trace, err));
        ps_status status = ps_exchange_agree(x, ps_share_look(&here, trace, err), err);
        s->trace = &here;
        s->timing = &here.measured;
        PS_THEN(status, find_together(s, x, err));
        s->trace = trace;
        s->timing = timing;
        ps_share_look_away(&here);
        return status;
}

/* -- the others -- */

void ps_stretches_work(const ps_trace *near, unsigned n_threads, uint8_t *asked, size_t n)
{
        ps_error err = {0};
        ps_trace here = *near;
        ps_stretches s = {.trace = &here, .timing = &here.measured, .is_open = true};
        ps_told told;
        ps_pass take = {.way = PS_PASS_TAKE, .bytes = asked, .size = n, .err = &err};
        (void)n_threads;
        ps_status status = ps_told_pass(&take, &told, near);
        if (status == PS_OK) {
                ps_told_hear(&here, &told);
                s.focus = ps_focus_hull(&here.measured);
        }
        PS_THEN(status, ps_pieces_settle(&here, &err));
        PS_THEN(status, ps_stretches_number_lines(&s, &err));
        if (ps_exchange_agree(here.spread->x, status, &err) == PS_OK)
                find_together(&s, here.spread->x, &err); /* what fails is process 0's to tell */
        ps_stretches_clear(&s);
        free(s.line_of_path);
}
