/* cut.c - see cut.h. Each span has two cuts: what had happened before its end, less what had before its
 * begin. */
#include "core/fold/cut.h"

#include "core/base/search.h"
#include "core/fold/builder.h"

#include <stdlib.h>
#include <string.h>

struct ps_cut {
        const ps_builder *whole;
        const ps_focus *focus;
        ps_time shift;
        ps_builder *again; /* NULL until it is needed */
        ps_row_pool *pool;
        uint32_t next, end; /* cuts: two a span; those from `end` on are done */
        ps_path_use *sum;   /* by node of the location's own tree */
        ps_time off;
};

/* As the events' times count. */
static ps_time time_of(const ps_cut *c, uint32_t cut)
{
        const ps_span *span = &c->focus->span[cut / 2];
        return ps_time_sub(cut % 2 ? span->end : span->begin, c->shift);
}

static void add_part_of_use(ps_path_use *sum, ps_path_use use, int sign)
{
        sum->inclusive += sign * use.inclusive;
        sum->exclusive += sign * use.exclusive;
        sum->visits += (uint64_t)(int64_t)sign * use.visits;
}

/* -- moments that need no events -- */

static void add_whole(ps_cut *c, int sign)
{
        for (uint32_t i = 0; i < c->whole->tree.n; i++)
                add_part_of_use(&c->sum[i], ps_tree_use(&c->whole->tree, i), sign);
        c->off += sign * c->whole->info.off;
}

/* What happened after `time`. */
static void add_stays(ps_cut *c, ps_time time, int sign)
{
        for (uint32_t i = 0; i < c->whole->stays.list.n; i++) {
                const struct stay *stay = &c->whole->stays.list.row[i];
                ps_time from = stay->from > time ? stay->from : time;
                if (stay->entered && stay->from >= time)
                        c->sum[stay->node].visits += (uint64_t)(int64_t)sign;
                if (stay->to <= from)
                        continue;
                *(stay->off ? &c->off : &c->sum[stay->node].exclusive) += sign * (stay->to - from);
                for (ps_path n = stay->node; n; n = c->whole->tree.place[n].is.parent)
                        c->sum[n].inclusive += sign * (stay->to - from);
        }
}

static bool is_known(const ps_cut *c, ps_time time)
{
        const struct stays *s = &c->whole->stays;
        return time >= c->whole->info.last || (s->list.n && time >= s->list.row[0].from);
}

/* From the last one back, those that need no events. */
static void skip_known(ps_cut *c)
{
        for (; c->end > c->next && is_known(c, time_of(c, c->end - 1)); c->end--) {
                ps_time time = time_of(c, c->end - 1);
                int sign = (c->end - 1) % 2 ? 1 : -1;
                add_whole(c, sign);
                if (time < c->whole->info.last)
                        add_stays(c, time, -sign);
        }
        while (c->next < c->end && time_of(c, c->next) <= c->whole->info.first)
                c->next++;
}

/* -- the others -- */

/* Regions that are open at `time`, as if they were left then. A visit that began before a span counts in it,
 * but not in two. */
static void add_open(ps_cut *c, ps_time time, int sign)
{
        const ps_builder *b = c->again;
        ps_time seen = c->next >= 2 ? time_of(c, (c->next / 2) * 2 - 1) : INT64_MIN;
        for (uint32_t i = 0; i < b->stack.n; i++) {
                const struct frame *f = &b->stack.row[i], *above = i + 1 < b->stack.n ? f + 1 : NULL;
                ps_time inclusive = time - f->enter, below = f->below;
                if (above)
                        below += time - above->enter - above->overlap;
                else if (b->is_off)
                        below += time - b->off_since;
                ps_path_use use = {.inclusive = inclusive, .exclusive = inclusive - below};
                use.visits = sign < 0 && f->enter >= seen ? UINT64_MAX : 0; /* one less is taken off */
                add_part_of_use(&c->sum[f->node], use, sign);
        }
        c->off += b->is_off ? sign * (time - b->off_since) : 0;
}

static void add_now(ps_cut *c)
{
        ps_time time = time_of(c, c->next);
        int sign = c->next % 2 ? 1 : -1;
        if (c->again->has_flush)
                ps_builder_charge_flush(c->again, time);
        for (uint32_t i = 0; i < c->again->tree.n; i++)
                add_part_of_use(&c->sum[i], ps_tree_use(&c->again->tree, i), sign);
        c->off += sign * c->again->info.off;
        add_open(c, time, sign);
        c->next++;
}

ps_status ps_cut_new(ps_cut **out, const ps_builder *whole, const ps_focus *focus, ps_time shift,
                     ps_row_pool *pool, ps_error *err)
{
        ps_cut *c = *out = calloc(1, sizeof(*c));
        if (c) {
                *c = (ps_cut){whole, focus, shift, NULL, pool, 0, 2 * focus->n_spans, NULL, 0};
                c->sum = ps_memory_zeroed(whole->tree.n, sizeof(*c->sum));
        }
        if (!c || !c->sum)
                return PS_NOMEM(err, "call paths", whole->tree.n);
        skip_known(c);
        if (c->next == c->end)
                return PS_OK;
        PS_TRY(ps_builder_new(&c->again, whole->defs, whole->location, pool, err));
        /* What samples saw has nodes, too, so that without these the others have different numbers. */
        return whole->pieces && whole->pieces->samples.n
                       ? ps_builder_keep_pieces(c->again, whole->pieces->most, whole->info.n_events, err)
                       : PS_OK;
}

void ps_cut_free(ps_cut *c)
{
        if (!c)
                return;
        ps_builder_free(c->again);
        free(c->sum);
        free(c);
}

bool ps_cut_needs_more(const ps_cut *c)
{
        return c->next < c->end;
}

/* What is left at the moment in which a span begins is not inside. */
static bool is_before(const ps_cut *c, const ps_event *e, ps_time time)
{
        int leaves = e->kind == PS_EV_LEAVE || e->kind == PS_EV_CONTEXT_LEAVE;
        return e->time < time || (e->time == time && leaves && c->next % 2 == 0);
}

ps_status ps_cut_add(ps_cut *c, ps_batch *batch, ps_error *err)
{
        ps_status status = PS_OK;
        while (batch->n && status == PS_OK && c->next < c->end) {
                ps_time time = time_of(c, c->next);
                uint32_t n = batch->n, before = 0;
                while (before < n && is_before(c, &batch->event[before], time))
                        before++;
                batch->n = before;
                status = before ? ps_builder_add(c->again, batch, err) : PS_OK;
                if (before < n && status == PS_OK)
                        add_now(c);
                memmove(batch->event, batch->event + before, (n - before) * sizeof(*batch->event));
                batch->n = n - before;
        }
        return status;
}

static int by_path(const void *a, const void *b)
{
        const ps_path_use *x = a, *y = b;
        return PS_ORDER(x->path, y->path);
}

static ps_time not_negative(ps_time time)
{
        return time > 0 ? time : 0;
}

/* Regions that were left in another order than they were entered may have been taken off too often. */
void ps_cut_finish(ps_cut *c, ps_focus_part *part)
{
        while (c->next < c->end && c->again)
                add_now(c);
        part->n_uses = 0;
        part->off = not_negative(c->off);
        for (uint32_t i = 1; i < c->whole->tree.n; i++) {
                const ps_path_use *sum = &c->sum[i];
                if (sum->inclusive <= 0 && ((int64_t)sum->visits <= 0 || !c->whole->tree.node[i].visits))
                        continue;
                part->uses[part->n_uses++] =
                        (ps_path_use){.path = c->whole->map[i],
                                      .visits = (int64_t)sum->visits > 0 ? sum->visits : 1,
                                      .inclusive = not_negative(sum->inclusive),
                                      .exclusive = not_negative(sum->exclusive)};
        }
        if (part->n_uses)
                qsort(part->uses, part->n_uses, sizeof(*part->uses), by_path);
}

const ps_span *ps_builder_visits(const ps_builder *b, uint32_t *n)
{
        *n = b->visits.list.n;
        return b->visits.list.row;
}

ps_time ps_builder_first(const ps_builder *b)
{
        return b->info.first;
}

ps_location_info ps_builder_info(const ps_builder *b)
{
        ps_location_info info = b->info;
        info.idle = b->idle.row;
        info.n_idle = b->idle.n;
        return info;
}
