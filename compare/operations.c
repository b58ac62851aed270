/* operations.c - the operations of two traces, one by one: which is which, where the runs part ways,
 * and how long each message took in both. */
#include "compare/align.h"
#include "compare/parts.h"
#include "report/facts/intervals.h"

#include "core/base/hash.h"
#include "core/base/map.h"

#include <math.h>
#include <stdlib.h>

/* Of one run. */
typedef struct side {
        const ps_run *run;
        uint64_t *id;        /* by path: of the interval that it is in */
        uint64_t *key;       /* by path: the id of the innermost interval around it that both runs have */
        uint32_t *row;       /* by path: in the table of the comparison */
        uint32_t *processor; /* by location: which of the measured ones it is; PS_NONE */
} side;

typedef struct work {
        ps_compare *c;
        side side[PS_SIDES];
        uint32_t **partner; /* by measured processor, by operation: the predicted operation */
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

static uint64_t operation_key(const side *s, ps_loc loc, ps_op op)
{
        const ps_trace *trace = s->run->trace;
        const ps_ops *ops = &trace->ops[loc];
        ps_class cls = ps_kinds[ops->kind[op]].cls;
        uint64_t key = ps_hash_pair(s->key[ops->path[op]], ops->kind[op]);
        bool is_message = cls == PS_C_SEND || cls == PS_C_RECV;

        if (is_message || cls == PS_C_RMA || cls == PS_C_RMA_SYNC)
                key = ps_hash_pair(key, processor_at(s, ops->peer[op]));
        else if (cls == PS_C_COLL)
                key = ps_hash_pair(key, root_at(s, ops->peer[op]));
        if (is_message)
                key = ps_hash_pair(key, ops->tag[op]);
        if ((is_message || (cls == PS_C_COLL && !(ps_kinds[ops->kind[op]].traits & PS_T_RMA))) &&
            ops->comm[op] < trace->defs.comms.n)
                key = ps_hash_pair(key, trace->defs.comms.row[ops->comm[op]].n_members);
        return key;
}

static uint64_t *keys_of(const side *s, ps_loc loc)
{
        uint32_t n = s->run->trace->ops[loc].n;
        uint64_t *key = malloc(((size_t)n + 1) * sizeof(*key));

        for (ps_op op = 0; key && op < n; op++)
                key[op] = operation_key(s, loc, op);
        return key;
}

/* -- pairs -- */

static void count_unmatched(work *w, ps_run_role which, ps_loc loc, ps_op op)
{
        const side *s = &w->side[which];
        uint32_t row = s->row[s->run->trace->ops[loc].path[op]];

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
                uint32_t partner = w->partner[processor][op];
                if (partner == PS_NONE) {
                        count_unmatched(w, PS_MEASURED, a, op);
                        continue;
                }
                taken[partner] = 1;
                w->c->operations.matches.both++;
                w->n_messages += ps_kinds[m->kind[op]].cls == PS_C_RECV;
        }
        for (ps_op op = 0; op < p->n; op++)
                if (!taken[op])
                        count_unmatched(w, PS_PREDICTED, b, op);
        free(taken);
        return PS_OK;
}

static ps_status align_processor(work *w, uint32_t processor, ps_error *err)
{
        ps_loc a = w->side[PS_MEASURED].run->location[processor];
        ps_loc b = w->side[PS_PREDICTED].run->location[w->c->processor[processor]];
        uint32_t n_a = w->side[PS_MEASURED].run->trace->ops[a].n;
        uint32_t n_b = w->side[PS_PREDICTED].run->trace->ops[b].n;
        uint64_t *x = keys_of(&w->side[PS_MEASURED], a), *y = keys_of(&w->side[PS_PREDICTED], b);
        uint32_t *partner = malloc(((size_t)n_a + 1) * sizeof(*partner));
        ps_alignment how = PS_ALIGNED_EQUAL;
        ps_status status = x && y && partner ? PS_OK : PS_NOMEM(err, "operations", n_a);

        w->partner[processor] = partner;
        PS_THEN(status, ps_align(partner, &how, x, n_a, y, n_b, 0, err));
        free(x);
        free(y);
        w->c->operations.by_differences += how == PS_ALIGNED_DIFFERENCES;
        w->c->operations.by_counts += how == PS_ALIGNED_COUNTS;
        return status == PS_OK ? count_pairs(w, processor, a, b, err) : status;
}

/* -- what pairs tell -- */

typedef struct pair {
        uint32_t processor;
        ps_ref ref[PS_SIDES];
} pair;

static void each_pair(work *w, void (*look)(work *w, const pair *p))
{
        for (uint32_t i = 0; i < w->side[PS_MEASURED].run->n_processors; i++) {
                if (!w->partner[i])
                        continue;
                pair p = {i,
                          {{w->side[PS_MEASURED].run->location[i], 0},
                           {w->side[PS_PREDICTED].run->location[w->c->processor[i]], 0}}};
                uint32_t n = w->side[PS_MEASURED].run->trace->ops[p.ref[PS_MEASURED].loc].n;
                for (ps_op op = 0; op < n; op++) {
                        p.ref[PS_MEASURED].op = op;
                        p.ref[PS_PREDICTED].op = w->partner[i][op];
                        if (p.ref[PS_PREDICTED].op != PS_NONE)
                                look(w, &p);
                }
        }
}

static ps_time enter_of(const ps_run *run, ps_ref ref)
{
        return run->timing->enter[ref.loc][ref.op];
}

static double since(ps_time begin, ps_time end)
{
        return ps_time_seconds(ps_time_sub(end, begin));
}

static void find_origin(work *w, const pair *p)
{
        for (int s = 0; s < PS_SIDES; s++) {
                ps_time enter = enter_of(w->c->run[s], p->ref[s]);
                w->origin[s] = enter < w->origin[s] ? enter : w->origin[s];
        }
}

/* The earliest in the measured run; of several at once that of the first processor. */
static void find_parting(work *w, const pair *p)
{
        const double least = 0.01;
        ps_compared_operations *o = &w->c->operations;
        const ps_run *m = w->c->run[PS_MEASURED];
        ps_path path = m->trace->ops[p->ref[PS_MEASURED].loc].path[p->ref[PS_MEASURED].op];
        ps_two at;

        for (int s = 0; s < PS_SIDES; s++)
                *ps_two_at(&at, s) = since(w->origin[s], enter_of(w->c->run[s], p->ref[s]));
        if (!(fabs(at.predicted - at.measured) > least * m->duration_s) ||
            (o->parts_ways && at.measured >= o->at.measured))
                return;
        o->parts_ways = 1;
        o->at = at;
        o->at_processor = p->processor;
        o->at_interval = w->side[PS_MEASURED].row[path];
        o->at_call = ps_path_region_name(m->trace, path);
}

/* From when both sides were ready; NAN: the message has no known partner, or is never completed. */
static double message_time(const ps_run *run, ps_ref recv)
{
        ps_ref send = ps_op_partner(run->trace, recv), done = ps_op_completion(run->trace, recv);

        if (send.loc == PS_NONE || done.loc == PS_NONE)
                return NAN;
        ps_time ready = enter_of(run, done), sent = enter_of(run, send);
        ps_time end = run->timing->leave[done.loc][done.op];
        ready = sent > ready ? sent : ready;
        return since(ready < end ? ready : end, end);
}

static void count_message(work *w, const pair *p)
{
        const ps_run *m = w->c->run[PS_MEASURED];
        const ps_ops *ops = &m->trace->ops[p->ref[PS_MEASURED].loc];
        ps_op op = p->ref[PS_MEASURED].op;
        ps_message_pair message = {.bytes = ops->bytes[op], .to = p->processor};

        if (ps_kinds[ops->kind[op]].cls != PS_C_RECV)
                return;
        for (int s = 0; s < PS_SIDES; s++)
                *ps_two_at(&message.time, s) = message_time(w->c->run[s], p->ref[s]);
        if (isnan(message.time.measured) || isnan(message.time.predicted))
                return;
        message.from = processor_at(&w->side[PS_MEASURED], ps_op_partner(m->trace, p->ref[PS_MEASURED]).loc);
        w->message[w->n_messages++] = message;
}

/* -- the whole -- */

static ps_status align_all(work *w, ps_error *err)
{
        uint32_t n = w->c->run[PS_MEASURED]->n_processors;

        w->partner = calloc((size_t)n + 1, sizeof(*w->partner));
        if (!w->partner)
                return PS_NOMEM(err, "ranks", n);
        for (int s = 0; s < PS_SIDES; s++) {
                w->side[s].run = w->c->run[s];
                w->origin[s] = PS_TIME_MAX;
                PS_TRY(place_processors(&w->side[s], w->c, (ps_run_role)s, err));
                PS_TRY(place_paths(&w->side[s], w->c, (ps_run_role)s, err));
        }
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
        each_pair(w, find_origin);
        each_pair(w, find_parting);
        each_pair(w, count_message);
        return ps_compare_messages(w->c, w->message, w->n_messages, err);
}

ps_status ps_compare_operations(ps_compare *c, ps_error *err)
{
        work w = {.c = c};
        ps_status status = align_all(&w, err);

        PS_THEN(status, look_at_pairs(&w, err));
        c->operations.is_known = status == PS_OK;
        for (uint32_t i = 0; w.partner && i < c->run[PS_MEASURED]->n_processors; i++)
                free(w.partner[i]);
        free(w.partner);
        free(w.message);
        for (int s = 0; s < PS_SIDES; s++) {
                free(w.side[s].id);
                free(w.side[s].key);
                free(w.side[s].row);
                free(w.side[s].processor);
        }
        return status;
}
