/* coll_alone.c - how long the root of an operation of a PGAS program was in it while nobody else was; of one
 * that gathers, after the last one had come, for which it waits before.
 *
 * Where other processes have members, each tells whoever has the root when its own were in it: those that
 * overlap as one. */
#include "core/base/memory.h"
#include "core/base/search.h"
#include "core/exchange/rows.h"
#include "core/load/share.h"
#include "patterns/engine/coll_sums.h"
#include "patterns/table/formula.h"

#include <stdlib.h>

/* That some of the members were in the operation of this number. */
struct inside {
        int64_t to, id;
        ps_time begin, end;
};

static int compare_inside(const void *a, const void *b)
{
        const struct inside *x = a, *y = b;
        PS_ORDER_BY(x->id, y->id);
        return PS_ORDER(x->begin, y->begin);
}

static void sort(struct inside *row, size_t n)
{
        if (n)
                qsort(row, n, sizeof(*row), compare_inside);
}

bool ps_coll_sums_ask_alone(const ps_coll_sums *s, const ps_coll *coll)
{
        if (!coll->pgas || coll->root == PS_NONE || coll->root >= s->n_here)
                return false;
        const ps_ref root = s->trace->members[coll->root].ref;
        return ps_sync_in(ps_op_tag(&s->trace->ops[root.loc], root.op)) == PS_SYNC_MY;
}

/* All but the root, as far as `is_told` says so; in order, and those that overlap as one. */
static uint32_t find_inside(struct inside *out, const ps_coll_sums *s, const ps_coll *coll,
                            bool (*is_told)(const ps_trace *trace, ps_loc location))
{
        uint32_t n = 0, n_joined = 0;
        for (uint32_t m = coll->first; m < coll->first + coll->n; m++) {
                const struct inside one = {.begin = begin_of(s, coll, m), .end = end_of(s, coll, m)};
                if (m != coll->root && one.end > one.begin && is_told(s->trace, s->trace->members[m].ref.loc))
                        out[n++] = one;
        }
        sort(out, n);
        for (uint32_t i = 0; i < n; i++)
                if (n_joined && out[i].begin <= out[n_joined - 1].end)
                        out[n_joined - 1].end = later(out[n_joined - 1].end, out[i].end);
                else
                        out[n_joined++] = out[i];
        return n_joined;
}

/* Of the root's time, what none of these, in the order of their begins, is in. */
static ps_time find_alone(const ps_coll_sums *s, const ps_coll *coll, const struct sum *sum,
                          const struct inside *others, size_t n)
{
        ps_time at = begin_of(s, coll, coll->root), end = end_of(s, coll, coll->root), alone = 0;
        if (traits_of(coll) & PS_T_ALL_TO_ONE && sum->latest_sender != PS_NONE)
                at = later(at, begin_of(s, coll, sum->latest_sender));
        for (size_t i = 0; i < n && at < end; i++) {
                ps_time came = earlier(others[i].begin, end);
                alone += later(came - at, 0);
                at = later(at, others[i].end);
        }
        return at < end ? alone + end - at : alone;
}

static bool is_any(const ps_trace *trace, ps_loc location)
{
        (void)trace;
        (void)location;
        return true;
}

int ps_coll_sums_find_alone(const ps_coll_sums *s, const ps_coll *coll, struct sum *sum)
{
        struct inside *others = ps_memory_new(coll->n * sizeof(*others));
        if (!others)
                return -1;
        sum->alone = find_alone(s, coll, sum, others, find_inside(others, s, coll, is_any));
        free(others);
        return 0;
}

/* -- of which others have members -- */

/* Numbers at a time. */
enum { AT_ONCE = 1 << 16 };

static bool is_asked(const ps_coll_sums *s, uint32_t c)
{
        return ps_coll_sums_are_shared(s, c) && s->sum[c].asks_alone;
}

static ps_status tell_one(const ps_coll_sums *s, uint32_t c, ps_dealt_rows *rows, ps_error *err)
{
        const ps_coll *coll = &s->trace->colls[c];
        const ps_proc root = ps_trace_process(s->trace, s->trace->members[coll->root].ref.loc);
        for (uint32_t i = 0; i < coll->n; i++)
                if (ps_memory_room(&rows->row, rows->n + i, &rows->cap, 16, sizeof(struct inside)))
                        return PS_NOMEM(err, "collective operations", rows->n);
        struct inside *to = (struct inside *)rows->row + rows->n;
        uint32_t n = find_inside(to, s, coll, ps_share_is_here);
        for (uint32_t i = 0; i < n; i++) {
                to[i].to = s->trace->spread->owner[root];
                to[i].id = s->agreed->id[c];
        }
        rows->n += n;
        return PS_OK;
}

/* Operations from `first` on whose numbers are below `end`; *behind is where to go on. */
static ps_status tell_block(const ps_coll_sums *s, uint32_t first, uint32_t end, uint32_t *behind,
                            ps_dealt_rows *rows, ps_error *err)
{
        uint32_t c = first;
        ps_status status = PS_OK;
        for (; c < s->trace->n_colls && (!ps_coll_sums_are_shared(s, c) || s->agreed->id[c] < end); c++)
                if (status == PS_OK && is_asked(s, c))
                        status = tell_one(s, c, rows, err);
        *behind = c;
        return status;
}

/* Of roots that are here all is known now. */
static void settle_block(const ps_coll_sums *s, uint32_t first, uint32_t behind, const ps_dealt_rows *rows)
{
        const struct inside *row = rows->row;
        uint32_t i = 0, end;
        sort(rows->row, rows->n);
        for (uint32_t c = first; c < behind; c++) {
                const ps_coll *coll = &s->trace->colls[c];
                if (!is_asked(s, c) || !ps_share_is_here(s->trace, s->trace->members[coll->root].ref.loc))
                        continue;
                for (; i < rows->n && row[i].id < s->agreed->id[c];)
                        i++;
                for (end = i; end < rows->n && row[end].id == s->agreed->id[c];)
                        end++;
                s->sum[c].alone = find_alone(s, coll, &s->sum[c], row + i, end - i);
                i = end;
        }
}

static uint32_t whose(const void *ctx, const void *row)
{
        (void)ctx;
        return (uint32_t)((const struct inside *)row)->to;
}

ps_status ps_coll_sums_find_alone_together(const ps_coll_sums *s, ps_exchange *x, ps_error *err)
{
        static const ps_rows_deal deal = {sizeof(struct inside) / sizeof(int64_t), whose, NULL};
        ps_dealt_rows rows = {NULL, 0, 0};
        uint32_t first = 0, behind = 0, n_blocks = s->agreed->n_all / AT_ONCE + 1;
        ps_status status = PS_OK;
        while (behind < s->trace->n_colls && !is_asked(s, behind))
                behind++;
        if (!ps_exchange_any(x, behind < s->trace->n_colls))
                return PS_OK;
        for (uint32_t i = 0; i < n_blocks && status == PS_OK; i++, first = behind) {
                uint32_t end = i + 1 < n_blocks ? (i + 1) * AT_ONCE : s->agreed->n_all;
                rows.n = 0;
                status = tell_block(s, first, end, &behind, &rows, err);
                status = ps_exchange_rows(x, &rows, &deal, status, err);
                if (status == PS_OK)
                        settle_block(s, first, behind, &rows);
        }
        free(rows.row);
        return status;
}
