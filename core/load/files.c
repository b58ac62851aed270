/* files.c - nothing in a file of events says whose it is. That two of them were swapped shows in the numbers
 * of events that the definitions promise; that one is a copy of another one in equal times, which no two
 * clocks have. Traces that were computed may have those, so that a copy is told only of locations whose
 * messages find no partner: those were another one's. */
#include "core/load/files.h"

#include "core/base/memory.h"
#include "core/base/search.h"
#include "core/load/share.h"

#include <stdlib.h>
#include <string.h>

struct file {
        uint64_t promised, events;
        ps_time first, last;
        ps_loc loc;
};

static int compare_promises(const void *a, const void *b)
{
        const struct file *x = a, *y = b;
        uint64_t x_low = x->promised < x->events ? x->promised : x->events,
                 x_high = x->promised ^ x->events ^ x_low;
        uint64_t y_low = y->promised < y->events ? y->promised : y->events,
                 y_high = y->promised ^ y->events ^ y_low;
        PS_ORDER_BY(x_low, y_low);
        PS_ORDER_BY(x_high, y_high);
        return PS_ORDER(x->loc, y->loc);
}

static int compare_times(const void *a, const void *b)
{
        const struct file *x = a, *y = b;
        PS_ORDER_BY(x->events, y->events);
        PS_ORDER_BY(x->first, y->first);
        PS_ORDER_BY(x->last, y->last);
        return PS_ORDER(x->loc, y->loc);
}

static void note(ps_trace *trace, ps_issue_kind kind, ps_loc loc)
{
        ps_place place = PS_NOWHERE;
        place.location = loc;
        ps_issue_note(&trace->issues, kind, place);
}

/* Two neighbours that would both be right at each other's place. */
static void find_swapped(ps_trace *trace, struct file *files, uint32_t n)
{
        qsort(files, n, sizeof(*files), compare_promises);
        for (uint32_t i = 1; i < n; i++) {
                const struct file *a = &files[i - 1], *b = &files[i];
                if (a->promised == a->events || a->promised != b->events || b->promised != a->events)
                        continue;
                note(trace, PS_I_FILE_SWAPPED, a->loc);
                i++;
        }
}

static bool is_lonely(const ps_ops *ops, ps_op op)
{
        ps_class cls = ps_kinds[ops->kind[op]].cls;
        return (cls == PS_C_SEND || cls == PS_C_RECV) && ps_op_comm(ops, op) != PS_NONE &&
               !(ops->flags[op] & (PS_OP_MATCHED | PS_OP_CANCELLED));
}

/* Do the same messages have no partner, or those of one of them? A copy names the same ranks. */
static int share_lonely_messages(const ps_ops *x, const ps_ops *y)
{
        int n_lonely = 0;
        for (ps_op op = 0; op < x->n; op++) {
                int a = is_lonely(x, op), b = is_lonely(y, op);
                if (a && b && x->link[op] != y->link[op])
                        return 0;
                n_lonely |= a || b;
        }
        return n_lonely;
}

/* Messages without a partner there are, operations in both enough for that not to be chance. */
static bool may_be_copy(const ps_trace *trace, ps_loc a, ps_loc b)
{
        enum { LEAST = 8 };
        const ps_issue *issues = trace->issues.row;
        uint32_t n = trace->ops[a].n;
        return (issues[PS_I_SEND_UNMATCHED].count || issues[PS_I_RECV_UNMATCHED].count) && n >= LEAST &&
               n == trace->ops[b].n &&
               trace->defs.locations.row[a].process != trace->defs.locations.row[b].process;
}

/* Another process of ours may have them. */
static ps_status bring_rows(const ps_trace *trace, ps_loc location, ps_error *err)
{
        uint32_t n = trace->ops[location].n;
        if (!trace->spread || ps_share_is_here(trace, location))
                return PS_OK;
        ps_ref *rows = ps_memory_new(n * sizeof(*rows));
        if (!rows)
                return PS_NOMEM(err, "operations", n);
        for (ps_op op = 0; op < n; op++)
                rows[op] = (ps_ref){location, op};
        ps_status status = ps_share_bring(trace, rows, n, err);
        free(rows);
        return status;
}

static bool have_same_bytes(const ps_ops *x, const ps_ops *y)
{
        ps_op op = 0;
        while (op < x->n && ps_op_bytes(x, op) == ps_op_bytes(y, op))
                op++;
        return op == x->n;
}

static bool is_copy(const ps_trace *trace, ps_loc a, ps_loc b)
{
        const ps_ops *x = &trace->ops[a], *y = &trace->ops[b];
        size_t n = x->n;
        return memcmp(x->kind, y->kind, n) == 0 && have_same_bytes(x, y) &&
               memcmp(trace->measured.enter[a], trace->measured.enter[b], n * sizeof(ps_time)) == 0 &&
               memcmp(trace->measured.leave[a], trace->measured.leave[b], n * sizeof(ps_time)) == 0 &&
               share_lonely_messages(x, y);
}

static ps_status find_copies(ps_trace *trace, struct file *files, uint32_t n, ps_error *err)
{
        qsort(files, n, sizeof(*files), compare_times);
        for (uint32_t i = 1; i < n; i++) {
                const struct file *a = &files[i - 1], *b = &files[i];
                if (a->events != b->events || a->first != b->first || a->last != b->last ||
                    !may_be_copy(trace, a->loc, b->loc))
                        continue;
                PS_TRY(bring_rows(trace, a->loc, err));
                PS_TRY(bring_rows(trace, b->loc, err));
                if (is_copy(trace, a->loc, b->loc))
                        note(trace, PS_I_FILE_COPIED, b->loc);
        }
        return PS_OK;
}

/* Where all fits, nobody has to look closer. */
ps_status ps_files_check(ps_trace *trace, ps_error *err)
{
        const ps_issue *issues = trace->issues.row;
        if (!issues[PS_I_EVENT_COUNT].count && !issues[PS_I_SEND_UNMATCHED].count &&
            !issues[PS_I_RECV_UNMATCHED].count)
                return PS_OK;
        struct file *files = ps_memory_zeroed(trace->n_locs, sizeof(*files));
        if (!files)
                return PS_NOMEM(err, "locations", trace->n_locs);
        for (ps_loc l = 0; l < trace->n_locs; l++)
                files[l] = (struct file){trace->defs.locations.row[l].n_events, trace->info[l].n_events,
                                         trace->info[l].first, trace->info[l].last, l};
        find_swapped(trace, files, trace->n_locs);
        ps_status status = find_copies(trace, files, trace->n_locs, err);
        free(files);
        return status;
}
