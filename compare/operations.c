/* operations.c - the operations of two traces, one by one: which is which, where the runs part ways,
 * and how long each message took in both. */
#include "compare/align.h"
#include "compare/parts.h"
#include "report/facts/intervals.h"

#include "core/base/blocks.h"
#include "core/base/hash.h"
#include "core/base/map.h"
#include "core/model/focus.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Of one run. */
typedef struct side {
        const ps_run *run;
        uint64_t *id;        /* by path: of the interval that it is in */
        uint64_t *key;       /* by path: the id of the innermost interval around it that both runs have */
        uint32_t *row;       /* by path: in the table of the comparison */
        uint32_t *processor; /* by location: which of the measured ones it is; PS_NONE */
        bool is_alike;       /* of the first: locations and processes have the same numbers in both */
} side;

/* Of the operations of a measured processor. */
struct partners {
        bool are_known;
        uint32_t *of; /* by operation: the predicted one, or PS_NONE; NULL: the n-th is the n-th */
};

typedef struct work {
        ps_compare *c;
        side side[PS_SIDES];
        struct partners *partners; /* by measured processor */
        bool is_receive[PS_K_COUNT], is_blocking[PS_K_COUNT];
        ps_span focus; /* of the measured run */
        ps_time origin[PS_SIDES];
        ps_message_pair *message;
        uint64_t n_messages;
} work;

/* -- where an operation belongs to -- */

static ps_status place_processors(side *s, const ps_compare *c, ps_run_role which, ps_error *err)
{
        uint32_t n_locs = s->run->trace->n_locs;
        s->processor = malloc(((size_t)n_locs + 1) * sizeof(*s->processor));
        if (!s->processor)
                return PS_NOMEM(err, "locations", n_locs);
        for (ps_loc loc = 0; loc < n_locs; loc++)
                s->processor[loc] = PS_NONE;
        for (uint32_t i = 0; i < c->run[PS_MEASURED]->n_processors; i++) {
                uint32_t at = which == PS_MEASURED ? i : c->processor[i];
                if (at != PS_NONE && c->processor[i] != PS_NONE)
                        s->processor[s->run->location[at]] = i;
        }
        return PS_OK;
}

static ps_status map_intervals(ps_map *out, const ps_compare *c, ps_run_role which, ps_error *err)
{
        for (uint32_t i = 0; i < c->intervals.n; i++) {
                uint32_t row = c->intervals.row[i].row[which];
                uint64_t id = row == PS_NONE ? 0 : c->run[which]->intervals.row[row].id;
                if (row != PS_NONE && !ps_map_at(out, (uint32_t)(id >> 32), (uint32_t)id, i))
                        return PS_NOMEM(err, "intervals", c->intervals.n);
        }
        return PS_OK;
}

/* A node of the call tree is in the interval of its own name, if there is one, or else in that of its parent.
 */
static void place_path(side *s, const ps_compare *c, const ps_map *rows, ps_path path)
{
        const ps_defs *defs = &s->run->trace->defs;
        const ps_path_node *node = &s->run->trace->paths[path];
        ps_run_interval key = {.type = ps_interval_types[PS_INTERVAL_USER].key};

        s->id[path] = s->id[node->parent];
        s->key[path] = s->key[node->parent];
        s->row[path] = s->row[node->parent];
        if (node->region == PS_NONE)
                return;
        key.name = ps_defs_str(defs, defs->regions.row[node->region].name);
        key.file = ps_defs_str(defs, defs->regions.row[node->region].file);
        key.line = defs->regions.row[node->region].line;
        uint64_t id = ps_run_interval_id(&key, s->id[path]);
        ps_time row = ps_map_get(rows, (uint32_t)(id >> 32), (uint32_t)id, PS_NONE);
        if (row == PS_NONE)
                return;
        s->id[path] = id;
        s->row[path] = (uint32_t)row;
        if (c->intervals.row[row].row[PS_MEASURED] != PS_NONE &&
            c->intervals.row[row].row[PS_PREDICTED] != PS_NONE)
                s->key[path] = (uint64_t)row;
}

static ps_status place_paths(side *s, const ps_compare *c, ps_run_role which, ps_error *err)
{
        uint32_t n = s->run->trace->n_paths;
        ps_map rows = {0};
        ps_status status = map_intervals(&rows, c, which, err);

        s->id = malloc(((size_t)n + 1) * sizeof(*s->id));
        s->key = malloc(((size_t)n + 1) * sizeof(*s->key));
        s->row = malloc(((size_t)n + 1) * sizeof(*s->row));
        if (status == PS_OK && (!s->id || !s->key || !s->row))
                status = PS_NOMEM(err, "call paths", n);
        if (status == PS_OK && n) {
                uint64_t id = s->run->intervals.row[0].id;
                s->id[0] = id;
                s->row[0] = (uint32_t)ps_map_get(&rows, (uint32_t)(id >> 32), (uint32_t)id, PS_NONE);
                s->key[0] = s->row[0];
        }
        for (ps_path path = 1; path < n && status == PS_OK; path++)
                place_path(s, c, &rows, path);
        ps_map_free(&rows);
        return status;
}

/* -- keys -- */

static uint32_t processor_at(const side *s, uint32_t location)
{
        return location < s->run->trace->n_locs ? s->processor[location] : PS_NONE;
}

static uint32_t root_at(const side *s, uint32_t process)
{
        const ps_defs *defs = &s->run->trace->defs;

        if (process >= defs->processes.n || !defs->processes.row[process].n_locs)
                return PS_NONE;
        return processor_at(s, defs->by_process[defs->processes.row[process].first]);
}

/* Of how many members its communicator is; 0: it has none, or nobody knows. */
static uint64_t members_at(const side *s, ps_comm comm)
{
        const ps_defs *defs = &s->run->trace->defs;
        return comm < defs->comms.n ? UINT64_C(1) + defs->comms.row[comm].n_members : 0;
}

/* Its interval and kind, then what its kind has: whom it is with, by which tag, and among how many. */
static inline uint64_t operation_key(const side *s, const ps_ops *ops, ps_op op)
{
        const ps_kind_info *kind = &ps_kinds[ops->kind[op]];
        uint64_t what = s->key[ps_op_path(ops, op)] << 8 | ops->kind[op], whom = 0, members = 0;

        if (kind->cls == PS_C_SEND || kind->cls == PS_C_RECV) {
                whom = (uint64_t)processor_at(s, ps_op_peer(ops, op)) << 32 | ps_op_tag(ops, op);
                members = members_at(s, ps_op_comm(ops, op));
        } else if (kind->cls == PS_C_COLL) {
                whom = root_at(s, ps_op_peer(ops, op));
                members = kind->traits & PS_T_RMA ? 0 : members_at(s, ps_op_comm(ops, op));
        } else if (kind->cls == PS_C_RMA || kind->cls == PS_C_RMA_SYNC) {
                whom = processor_at(s, ps_op_peer(ops, op));
        }
        return ps_hash_pair(what + members * UINT64_C(0x9e3779b97f4a7c15), whom);
}

static bool are_equal(const void *a, const void *b, size_t n)
{
        return !n || memcmp(a, b, n) == 0;
}

static bool are_same_processors(const side *x, const side *y)
{
        const ps_trace *a = x->run->trace, *b = y->run->trace;
        if (a->n_locs != b->n_locs || a->defs.processes.n != b->defs.processes.n ||
            !are_equal(x->processor, y->processor, a->n_locs * sizeof(*x->processor)))
                return false;
        for (ps_proc p = 0; p < a->defs.processes.n; p++)
                if (root_at(x, p) != root_at(y, p))
                        return false;
        return true;
}

/* Whether all keys are equal since the operations are the same calls, and these say the same. */
static bool are_same_calls(const side *x, const ps_ops *a, const side *y, const ps_ops *b)
{
        if (!a->peer != !b->peer || a->n_calls != b->n_calls ||
            (a->peer && !(x->is_alike && are_equal(a->peer, b->peer, a->n * sizeof(*a->peer)))) ||
            !are_equal(a->call, b->call, a->n * sizeof(*a->call)) ||
            !are_equal(a->tag, b->tag, a->n * sizeof(*a->tag)))
                return false;
        for (uint32_t i = 0; i < a->n_calls; i++) {
                const struct ps_call *p = &a->calls[i], *q = &b->calls[i];
                if (x->key[p->path] != y->key[q->path] ||
                    processor_at(x, p->peer) != processor_at(y, q->peer) ||
                    root_at(x, p->peer) != root_at(y, q->peer) ||
                    members_at(x, p->comm) != members_at(y, q->comm))
                        return false;
        }
        return true;
}

/* Whether all keys are equal, without making any: mostly they are. */
static bool have_same_keys(const side *x, const ps_ops *a, const side *y, const ps_ops *b)
{
        if (a->n != b->n || !are_equal(a->kind, b->kind, a->n))
                return false;
        if (are_same_calls(x, a, y, b))
                return true;
        for (ps_op op = 0; op < a->n; op++)
                if (operation_key(x, a, op) != operation_key(y, b, op))
                        return false;
        return true;
}

static uint64_t *keys_of(const side *s, ps_loc loc)
{
        const ps_ops ops = s->run->trace->ops[loc];
        uint64_t *key = malloc(((size_t)ops.n + 1) * sizeof(*key));

        for (ps_op op = 0; key && op < ops.n; op++)
                key[op] = operation_key(s, &ops, op);
        return key;
}

/* -- pairs -- */

static void count_unmatched(work *w, ps_run_role which, ps_loc loc, ps_op op)
{
        const side *s = &w->side[which];
        uint32_t row = s->row[ps_op_path(&s->run->trace->ops[loc], op)];

        w->c->operations.matches.only[which]++;
        if (row != PS_NONE)
                w->c->intervals.row[row].unmatched[which]++;
}

static ps_status count_pairs(work *w, uint32_t processor, ps_loc a, ps_loc b, ps_error *err)
{
        const ps_ops *m = &w->side[PS_MEASURED].run->trace->ops[a];
        const ps_ops *p = &w->side[PS_PREDICTED].run->trace->ops[b];
        uint8_t *taken = calloc((size_t)p->n + 1, 1);

        if (!taken)
                return PS_NOMEM(err, "operations", p->n);
        for (ps_op op = 0; op < m->n; op++) {
                uint32_t partner = w->partners[processor].of[op];
                if (partner == PS_NONE) {
                        count_unmatched(w, PS_MEASURED, a, op);
                        continue;
                }
                taken[partner] = 1;
                w->c->operations.matches.both++;
                w->n_messages += w->is_receive[m->kind[op]];
        }
        for (ps_op op = 0; op < p->n; op++)
                if (!taken[op])
                        count_unmatched(w, PS_PREDICTED, b, op);
        free(taken);
        return PS_OK;
}

static void count_all_pairs(work *w, const ps_ops *ops)
{
        const uint8_t *kind = ops->kind;
        uint64_t n = 0;
        for (ps_op op = 0, end = ops->n; op < end; op++)
                n += w->is_receive[kind[op]];
        w->c->operations.matches.both += ops->n;
        w->n_messages += n;
}

static ps_status align_by_keys(work *w, uint32_t *partner, ps_alignment *how, ps_loc a, ps_loc b,
                               ps_error *err)
{
        const side *m = &w->side[PS_MEASURED], *p = &w->side[PS_PREDICTED];
        uint32_t n_a = m->run->trace->ops[a].n, n_b = p->run->trace->ops[b].n;
        uint64_t *x = keys_of(m, a), *y = keys_of(p, b);
        ps_status status =
                x && y ? ps_align(partner, how, x, n_a, y, n_b, 0, err) : PS_NOMEM(err, "operations", n_a);

        free(x);
        free(y);
        return status;
}

static ps_status align_processor(work *w, uint32_t processor, ps_error *err)
{
        const side *m = &w->side[PS_MEASURED], *p = &w->side[PS_PREDICTED];
        ps_loc a = m->run->location[processor], b = p->run->location[w->c->processor[processor]];
        const ps_ops *x = &m->run->trace->ops[a], *y = &p->run->trace->ops[b];
        struct partners *partners = &w->partners[processor];
        ps_alignment how = PS_ALIGNED_EQUAL;

        partners->are_known = true;
        if (have_same_keys(m, x, p, y)) {
                count_all_pairs(w, x);
                return PS_OK;
        }
        partners->of = malloc(((size_t)x->n + 1) * sizeof(*partners->of));
        if (!partners->of)
                return PS_NOMEM(err, "operations", x->n);
        PS_TRY(align_by_keys(w, partners->of, &how, a, b, err));
        w->c->operations.by_differences += how == PS_ALIGNED_DIFFERENCES;
        w->c->operations.by_counts += how == PS_ALIGNED_COUNTS;
        return count_pairs(w, processor, a, b, err);
}

/* -- what pairs tell -- */

static double since(ps_time begin, ps_time end)
{
        return ps_time_seconds(ps_time_sub(end, begin));
}

/* The operations of a measured processor in both runs. */
typedef struct pairs {
        uint32_t processor, n;
        const uint32_t *partner; /* PS_NONE: the operation is in no pair; NULL: the n-th is the n-th */
        ps_loc loc[PS_SIDES];
        const ps_time *enter[PS_SIDES];
} pairs;

static inline ps_op partner_of(const pairs *p, ps_op op)
{
        return p->partner ? p->partner[op] : op;
}

static inline bool is_in_focus(const work *w, ps_time begin)
{
        return begin >= w->focus.begin && begin <= w->focus.end;
}

/* Operations are in the order in which they begin: of those in the focus, the first ones decide. */
static void find_origin(work *w, const pairs *p)
{
        for (ps_op op = 0; op < p->n; op++) {
                ps_op partner = partner_of(p, op);
                if (partner == PS_NONE || !is_in_focus(w, p->enter[PS_MEASURED][op]))
                        continue;
                w->origin[PS_MEASURED] = ps_time_earlier(p->enter[PS_MEASURED][op], w->origin[PS_MEASURED]);
                w->origin[PS_PREDICTED] =
                        ps_time_earlier(p->enter[PS_PREDICTED][partner], w->origin[PS_PREDICTED]);
                if (!p->partner)
                        return;
        }
}

/* Of the measured run: so far apart operations have to be for the runs to part ways there. */
static const double parting = 0.01;

/* The earliest in the measured run; of several at once that of the first processor. */
static inline void look_at_parting(work *w, const pairs *p, ps_op op, ps_two at)
{
        ps_compared_operations *o = &w->c->operations;
        const ps_run *m = w->c->run[PS_MEASURED];
        ps_path path = ps_op_path(&m->trace->ops[p->loc[PS_MEASURED]], op);
        if (!(fabs(at.predicted - at.measured) > parting * m->duration_s) ||
            (o->parts_ways && at.measured >= o->at.measured))
                return;
        o->parts_ways = 1;
        o->at = at;
        o->at_processor = p->processor;
        o->at_interval = w->side[PS_MEASURED].row[path];
        o->at_call = ps_path_region_name(m->trace, path);
}

static void find_parting(work *w, const pairs *p)
{
        const ps_time *enter = p->enter[PS_MEASURED], *other = p->enter[PS_PREDICTED];
        const ps_time begin = w->origin[PS_MEASURED], other_begin = w->origin[PS_PREDICTED];
        const uint64_t apart = (uint64_t)begin - (uint64_t)other_begin;
        /* What is nearer than that is near in seconds, too, however they are rounded. */
        const uint64_t near =
                (uint64_t)(parting * 0.99 * w->c->run[PS_MEASURED]->duration_s * (double)PS_PS_PER_S);
        for (ps_op op = 0, n = p->n; op < n; op++) {
                ps_op partner = partner_of(p, op);
                if (partner == PS_NONE ||
                    (uint64_t)enter[op] - (uint64_t)other[partner] - apart + near <= 2 * near ||
                    !is_in_focus(w, enter[op]))
                        continue;
                look_at_parting(w, p, op,
                                (ps_two){since(begin, enter[op]), since(other_begin, other[partner])});
        }
}

/* From when both sides were ready, of a receive, which is over by itself or when it is completed. False: it
 * has no known partner, or is never completed. `ops`: a copy, which nobody writes to. */
static inline __attribute__((always_inline)) bool message_time(double *out, const work *w, const ps_run *run,
                                                               const ps_ops *ops, ps_loc loc, ps_op op)
{
        const uint8_t flags = ops->flags[op];
        ps_ref done = {loc, op};
        if (!(flags & PS_OP_MATCHED))
                return false;
        if (!w->is_blocking[ops->kind[op]] && flags & PS_OP_ELSEWHERE)
                done = ps_op_completion_elsewhere(run->trace, done);
        else if (!w->is_blocking[ops->kind[op]])
                done.op = ops->done[op];
        if (done.op == PS_NONE)
                return false;
        ps_time ready = run->timing->enter[done.loc][done.op], end = run->timing->leave[done.loc][done.op];
        ready = ps_time_later(run->timing->enter[ps_op_peer(ops, op)][ops->link[op]], ready);
        *out = since(ready < end ? ready : end, end);
        return true;
}

static void count_messages(work *w, const pairs *p)
{
        const ps_run *m = w->c->run[PS_MEASURED], *q = w->c->run[PS_PREDICTED];
        const ps_loc loc = p->loc[PS_MEASURED], other = p->loc[PS_PREDICTED];
        const ps_ops ops = m->trace->ops[loc], others = q->trace->ops[other];
        ps_message_pair *message = w->message + w->n_messages;

        for (ps_op op = 0, n = p->n; op < n; op++) {
                if (!w->is_receive[ops.kind[op]])
                        continue;
                const ps_op partner = partner_of(p, op);
                if (partner == PS_NONE)
                        continue;
                ps_blocks_keep();
                ps_two time;
                if (!w->is_receive[others.kind[partner]] ||
                    !message_time(&time.measured, w, m, &ops, loc, op) ||
                    !message_time(&time.predicted, w, q, &others, other, partner))
                        continue;
                *message++ = (ps_message_pair){ps_op_bytes(&ops, op),
                                               processor_at(&w->side[PS_MEASURED], ps_op_peer(&ops, op)),
                                               p->processor, time};
        }
        w->n_messages = (uint64_t)(message - w->message);
}

static void each_processor(work *w, void (*look)(work *w, const pairs *p))
{
        const ps_run *m = w->c->run[PS_MEASURED], *q = w->c->run[PS_PREDICTED];

        for (uint32_t i = 0; i < m->n_processors; i++) {
                if (!w->partners[i].are_known)
                        continue;
                pairs p = {
                        i, 0, w->partners[i].of, {m->location[i], q->location[w->c->processor[i]]}, {NULL}};
                p.n = m->trace->ops[p.loc[PS_MEASURED]].n;
                for (int s = 0; s < PS_SIDES; s++)
                        p.enter[s] = w->c->run[s]->timing->enter[p.loc[s]];
                look(w, &p);
        }
}

/* -- the whole -- */

static ps_status align_all(work *w, ps_error *err)
{
        uint32_t n = w->c->run[PS_MEASURED]->n_processors;
        w->partners = calloc((size_t)n + 1, sizeof(*w->partners));
        if (!w->partners)
                return PS_NOMEM(err, "ranks", n);
        for (int kind = 0; kind < PS_K_COUNT; kind++) {
                w->is_receive[kind] = ps_kinds[kind].cls == PS_C_RECV;
                w->is_blocking[kind] = ps_kinds[kind].traits & PS_T_BLOCKING;
        }
        for (int s = 0; s < PS_SIDES; s++) {
                w->side[s].run = w->c->run[s];
                w->origin[s] = PS_TIME_MAX;
                PS_TRY(place_processors(&w->side[s], w->c, (ps_run_role)s, err));
                PS_TRY(place_paths(&w->side[s], w->c, (ps_run_role)s, err));
        }
        w->side[PS_MEASURED].is_alike = are_same_processors(&w->side[PS_MEASURED], &w->side[PS_PREDICTED]);
        for (uint32_t i = 0; i < n; i++)
                if (w->c->processor[i] != PS_NONE)
                        PS_TRY(align_processor(w, i, err));
        return PS_OK;
}

static ps_status look_at_pairs(work *w, ps_error *err)
{
        w->message = malloc((w->n_messages + 1) * sizeof(*w->message));
        if (!w->message)
                return PS_NOMEM(err, "messages", w->n_messages);
        w->n_messages = 0;
        each_processor(w, find_origin);
        each_processor(w, find_parting);
        each_processor(w, count_messages);
        return ps_compare_messages(w->c, w->message, w->n_messages, err);
}

ps_status ps_compare_operations(ps_compare *c, ps_error *err)
{
        work w = {.c = c, .focus = ps_focus_hull(c->run[PS_MEASURED]->timing)};
        ps_status status = align_all(&w, err);
        PS_THEN(status, look_at_pairs(&w, err));
        c->operations.is_known = status == PS_OK;
        for (uint32_t i = 0; w.partners && i < c->run[PS_MEASURED]->n_processors; i++)
                free(w.partners[i].of);
        free(w.partners);
        free(w.message);
        for (int s = 0; s < PS_SIDES; s++) {
                free(w.side[s].id);
                free(w.side[s].key);
                free(w.side[s].row);
                free(w.side[s].processor);
        }
        return status;
}
