/* loaded_difference.c - two loaded traces, compared in all that a load makes. */
#include "core/model/pieces.h"
#include "reader/otf2/otf2.h"
#include "tests/support/loaded.h"

#include <string.h>

static int differs(const void *a, const void *b, size_t n, size_t size)
{
        return n && memcmp(a, b, n * size) != 0;
}

/* Tags are looked at apart. */
static int calls_differ(const ps_ops *a, const ps_ops *b)
{
        for (ps_op i = 0; i < a->n; i++)
                if (ps_op_path(a, i) != ps_op_path(b, i) || ps_op_peer(a, i) != ps_op_peer(b, i) ||
                    ps_op_comm(a, i) != ps_op_comm(b, i) || ps_op_bytes(a, i) != ps_op_bytes(b, i))
                        return 1;
        return 0;
}

static int ops_differ(const ps_ops *a, const ps_ops *b)
{
        size_t n = a->n;
        if (a->n != b->n || a->n_completed != b->n_completed || a->n_wide != b->n_wide)
                return 1;
        const uint32_t *x[] = {a->link, a->done, a->pre, a->post};
        const uint32_t *y[] = {b->link, b->done, b->pre, b->post};
        for (size_t i = 0; i < sizeof(x) / sizeof(x[0]); i++)
                if (differs(x[i], y[i], n, sizeof(uint32_t)))
                        return 1;
        return differs(a->kind, b->kind, n, 1) || differs(a->flags, b->flags, n, 1) || calls_differ(a, b) ||
               differs(a->completed, b->completed, a->n_completed, sizeof(uint32_t)) ||
               differs(a->wide, b->wide, a->n_wide, sizeof(*a->wide));
}

/* The numbers of groups are the archive's affair: their members count. */
static int group_differs(const ps_trace *a, const ps_trace *b, uint32_t x, uint32_t y)
{
        if (x >= a->defs.groups.n || y >= b->defs.groups.n)
                return 1;
        const ps_group_def *g = &a->defs.groups.row[x], *h = &b->defs.groups.row[y];
        return g->n_members != h->n_members ||
               differs(g->members, h->members, g->n_members, sizeof(*g->members));
}

static int tags_differ(const ps_trace *a, const ps_trace *b, ps_loc loc)
{
        const ps_ops *x = &a->ops[loc], *y = &b->ops[loc];
        for (ps_op i = 0; i < x->n; i++)
                if (ps_op_tag(x, i) != ps_op_tag(y, i) &&
                    (ps_kinds[x->kind[i]].cls != PS_C_RMA_SYNC || x->link[i] != PS_NONE ||
                     group_differs(a, b, ps_op_tag(x, i), ps_op_tag(y, i))))
                        return 1;
        return 0;
}

/* These two have gaps that hold anything. */
static int uses_differ(const ps_path_use *a, const ps_path_use *b, uint32_t n)
{
        for (uint32_t i = 0; i < n; i++)
                if (a[i].path != b[i].path || a[i].visits != b[i].visits ||
                    a[i].inclusive != b[i].inclusive || a[i].exclusive != b[i].exclusive)
                        return 1;
        return 0;
}

static int members_differ(const ps_member *a, const ps_member *b, uint32_t n)
{
        for (uint32_t i = 0; i < n; i++)
                if (a[i].ref.loc != b[i].ref.loc || a[i].ref.op != b[i].ref.op || a[i].coll != b[i].coll ||
                    a[i].received != b[i].received)
                        return 1;
        return 0;
}

static int info_differs(const ps_location_info *a, const ps_location_info *b, int times)
{
        if (a->n_events != b->n_events || a->n_uses != b->n_uses || a->off != b->off ||
            (times && (a->first != b->first || a->last != b->last)))
                return 1;
        return uses_differ(a->uses, b->uses, a->n_uses);
}

static int pieces_differ(const ps_trace *a, const ps_trace *b, ps_loc loc)
{
        if (!a->pieces || !b->pieces)
                return a->pieces != b->pieces;
        const ps_pieces *x = &a->pieces[loc], *y = &b->pieces[loc];
        return x->n != y->n || x->adds_up != y->adds_up ||
               differs(x->piece, y->piece, x->n, sizeof(*x->piece)) ||
               differs(x->end, y->end, a->ops[loc].n, sizeof(*x->end));
}

static int colls_differ(const ps_trace *a, const ps_trace *b)
{
        if (a->n_colls != b->n_colls || a->n_members != b->n_members)
                return 1;
        for (uint32_t i = 0; i < a->n_colls; i++) {
                const ps_coll *x = &a->colls[i], *y = &b->colls[i];
                if (x->comm != y->comm || x->first != y->first || x->n != y->n || x->root != y->root ||
                    x->kind != y->kind || x->complete != y->complete)
                        return 1;
        }
        return members_differ(a->members, b->members, a->n_members);
}

static int neighbours_differ(const ps_defs *a, const ps_defs *b)
{
        for (ps_comm c = 0; c < a->comms.n && c < b->comms.n; c++) {
                const ps_comm_def *x = &a->comms.row[c], *y = &b->comms.row[c];
                for (uint32_t rank = 0; rank < x->n_members; rank++) {
                        uint32_t n, m;
                        const uint32_t *of_x = ps_near_of(a, x, rank, &n), *of_y = ps_near_of(b, y, rank, &m);
                        if (!of_x != !of_y || n != m || differs(of_x, of_y, n, sizeof(*of_x)))
                                return 1;
                }
        }
        return 0;
}

static int issues_differ(const ps_trace *a, const ps_trace *b)
{
        for (int i = 0; i < PS_I_COUNT; i++) {
                const ps_issue *x = &a->issues.row[i], *y = &b->issues.row[i];
                if (x->count != y->count)
                        return 1;
                if (x->count && (x->location != y->location || x->offset != y->offset || x->time != y->time ||
                                 strcmp(ps_defs_str(&a->defs, x->file), ps_defs_str(&b->defs, y->file)) != 0))
                        return 1;
        }
        return 0;
}

static int clocks_differ(const ps_clock_info *a, const ps_clock_info *b, uint32_t n)
{
        if (a->violations != b->violations || a->worst != b->worst || a->repaired != b->repaired ||
            a->corrected != b->corrected || a->infeasible != b->infeasible || a->moved != b->moved ||
            a->left != b->left || a->trust != b->trust || a->likely != b->likely ||
            a->uncertainty != b->uncertainty || !a->offset != !b->offset)
                return 1;
        return a->offset && (differs(a->offset, b->offset, n, sizeof(ps_time)) ||
                             differs(a->width, b->width, n, sizeof(ps_time)));
}

static const char *times_difference(const ps_trace *a, const ps_trace *b)
{
        for (ps_loc l = 0; l < a->n_locs; l++)
                if (differs(a->measured.enter[l], b->measured.enter[l], a->ops[l].n, sizeof(ps_time)) ||
                    differs(a->measured.leave[l], b->measured.leave[l], a->ops[l].n, sizeof(ps_time)))
                        return "times";
        if (a->measured.duration != b->measured.duration)
                return "duration";
        if (clocks_differ(&a->clock, &b->clock, a->defs.processes.n))
                return "clocks";
        return issues_differ(a, b) ? "issues" : NULL;
}

const char *loaded_difference(const ps_trace *a, const ps_trace *b, int times)
{
        if (a->n_locs != b->n_locs || a->n_events != b->n_events || a->n_operations != b->n_operations ||
            a->n_messages != b->n_messages)
                return "numbers";
        if (!a->events_by_code != !b->events_by_code ||
            (a->events_by_code &&
             differs(a->events_by_code, b->events_by_code, a->defs.codes.n, sizeof(*a->events_by_code))))
                return "events by code";
        for (ps_loc l = 0; l < a->n_locs; l++) {
                if (ops_differ(&a->ops[l], &b->ops[l]) || tags_differ(a, b, l))
                        return "operations";
                if (info_differs(&a->info[l], &b->info[l], times))
                        return "locations";
                if (times && pieces_differ(a, b, l))
                        return "pieces";
        }
        if (colls_differ(a, b))
                return "collectives";
        if (neighbours_differ(&a->defs, &b->defs))
                return "neighbours";
        if (a->n_paths != b->n_paths || differs(a->paths, b->paths, a->n_paths, sizeof(*a->paths)))
                return "paths";
        if (a->n_foreign != b->n_foreign ||
            differs(a->foreign, b->foreign, a->n_foreign, sizeof(*a->foreign)))
                return "requests";
        return times ? times_difference(a, b) : NULL;
}

const char *loaded_difference_of_batches(const char *path, const ps_load_options *options)
{
        ps_reader_class batches = ps_otf2_reader;
        ps_trace *folded = NULL, *reference = NULL;
        ps_error err = {0};
        batches.stream_fold = NULL;
        batches.portions = NULL;
        ps_status status = ps_load(&folded, &ps_otf2_reader, path, options, &err);
        const char *difference =
                ps_load(&reference, &batches, path, options, &err) == status ? NULL : "statuses";
        if (!difference && folded)
                difference = loaded_difference(folded, reference, 1);
        ps_trace_close(folded);
        ps_trace_close(reference);
        return difference;
}
