/* engine.c - walks each location's operations once, asks the rules, and adds up what they answer.
 *
 * A location needs only its own rows and, by the matches, single rows of others; nothing is shared but what
 * is read, so locations run on any number of threads. A call is charged once: of all that its messages say,
 * the longest wait counts. Scalasca's definitions charge each message of a call, but for Waitall and
 * Waitsome. */
#include "patterns/engine.h"

#include "core/memory.h"
#include "core/parallel.h"
#include "patterns/rules.h"
#include "patterns/tally.h"
#include "patterns/view.h"

#include <stdlib.h>
#include <string.h>

/* Waits that may still turn out to be in wrong order: as many as Scalasca remembers. */
enum { REMEMBERED = 100 };

struct waited {
        ps_instance instance;
        ps_path path;
        ps_time sent; /* when its message was */
        ps_proc source;
};

struct engine {
        const ps_trace *trace;
        const ps_timing *timing;
        const ps_analysis_options *options;
        ps_rules rules;
        ps_coll_sums *colls;
        ps_time tolerance;
        struct local *local; /* by location */
};

/* The state of one location. */
struct local {
        const struct engine *engine;
        ps_loc loc;
        ps_tally_map findings;
        ps_status status;
        struct waited remembered[REMEMBERED];
        uint32_t first, n;   /* of `remembered`, a ring */
        ps_time latest_sent; /* of those */
        uint64_t eager_max, rendezvous_min;
};

/* The longest wait of a call so far, on each side. */
struct candidates {
        struct waited receiver, sender; /* lost == 0: none */
        ps_time charged;
};

static void book(struct local *l, const ps_instance *instance, ps_path path)
{
        const ps_analysis_options *options = l->engine->options;
        if (l->status == PS_OK && ps_tally_map_add(&l->findings, instance, path) < 0)
                l->status = PS_E_NOMEM;
        if (options->sink)
                options->sink(options->sink_ctx, instance);
}

static ps_path path_of(const struct local *l, ps_ref ref)
{
        return l->engine->trace->ops[ref.loc].path[ref.op];
}

/* -- wrong order
 * -------------------------------------------------------------------------------------------------- */

static void forget_first(struct local *l)
{
        const struct waited *w = &l->remembered[l->first];
        if (w->instance.lost)
                book(l, &w->instance, w->path);
        l->first = (l->first + 1) % REMEMBERED;
        l->n--;
}

static void remember(struct local *l, const struct waited *w)
{
        if (l->n == REMEMBERED)
                forget_first(l);
        l->remembered[(l->first + l->n++) % REMEMBERED] = *w;
        l->latest_sent = later(l->latest_sent, w->sent);
}

/* A receive whose message was sent before those of remembered waits: these were in wrong order. */
static void check_order(struct local *l, ps_ref recv, ps_ref send)
{
        const struct engine *e = l->engine;
        if (!l->n)
                return;
        ps_time sent = ps_op_record_begin(e->trace, e->timing, send);
        if (l->latest_sent <= sent)
                return;
        (void)recv;
        ps_proc source = e->trace->defs.locations.row[send.loc].process;
        l->latest_sent = INT64_MIN;
        for (uint32_t i = 0; i < l->n; i++) {
                struct waited *w = &l->remembered[(l->first + i) % REMEMBERED];
                ps_order_view order = {.same_source = w->source == source};
                uint32_t pattern = !w->instance.lost || w->sent <= sent
                                           ? PS_NONE
                                           : ps_rules_refine_order(&e->rules, w->instance.pattern, &order);
                if (pattern != PS_NONE) {
                        w->instance.pattern = pattern;
                        book(l, &w->instance, w->path);
                        w->instance.lost = 0;
                } else if (w->instance.lost) {
                        l->latest_sent = later(l->latest_sent, w->sent);
                }
        }
}

/* -- messages
 * ----------------------------------------------------------------------------------------------------- */

/* What the roots of a subject say of one message: the first that finds something is charged. */
static struct waited ask_message(struct local *l, ps_subject subject, const ps_message_view *view)
{
        const struct engine *e = l->engine;
        const ps_side *own = subject == PS_ON_RECEIVER ? &view->recv : &view->send;
        const ps_side *other = subject == PS_ON_RECEIVER ? &view->send : &view->recv;
        for (uint32_t i = 0; i < e->rules.n_roots[subject]; i++) {
                uint32_t root = e->rules.root[subject][i];
                ps_time lost = ps_rules_message(&e->rules, root, own->wait_kind, view);
                if (lost)
                        return (struct waited){
                                .instance = {.pattern = ps_rules_refine_message(&e->rules, root, view),
                                             .at = own->wait,
                                             .partner = other->post,
                                             .begin = own->wait_enter,
                                             .lost = lost},
                                .path = path_of(l, own->wait),
                                .sent = ps_op_record_begin(e->trace, e->timing, view->send.post),
                                .source = e->trace->defs.locations.row[view->send.post.loc].process};
        }
        return (struct waited){.instance = {.pattern = PS_NONE}};
}

/* The size up to which a standard send does not wait shows in sends that were there before their receive. */
static void learn_eager_limit(struct local *l, const ps_message_view *view)
{
        if (view->send.kind != PS_K_SEND || view->recv.enter <= view->send.enter)
                return;
        if (view->send.leave + view->tolerance < view->recv.enter) {
                if (view->bytes > l->eager_max)
                        l->eager_max = view->bytes;
        } else if (view->send.leave > view->recv.enter + view->tolerance && view->bytes < l->rendezvous_min) {
                l->rendezvous_min = view->bytes;
        }
}

static int charges_each(const struct engine *e, ps_kind call)
{
        return e->options->definitions == PS_DEFINITIONS_SCALASCA && call != PS_K_WAITALL &&
               call != PS_K_WAITSOME;
}

static void charge_receiver(struct local *l, struct candidates *c, const struct waited *w, int each)
{
        if (each)
                remember(l, w);
        else if (w->instance.lost > c->receiver.instance.lost)
                c->receiver = *w;
}

static void charge_sender(struct local *l, struct candidates *c, const struct waited *w, int each)
{
        if (each)
                book(l, &w->instance, w->path);
        else if (w->instance.lost > c->sender.instance.lost)
                c->sender = *w;
}

/* One message that the call waits for. Nobody waits for a partner that came first: most messages end here. */
static void consider_message(struct local *l, struct candidates *c, ps_ref own, ps_time call_enter, int each)
{
        const struct engine *e = l->engine;
        ps_ref partner = ps_op_partner(e->trace, own);
        if (partner.op == PS_NONE)
                return;
        int receives = ps_kinds[e->trace->ops[own.loc].kind[own.op]].cls == PS_C_RECV;
        if (receives)
                check_order(l, own, partner);
        if (e->timing->enter[partner.loc][partner.op] <= call_enter)
                return;
        ps_message_view view = ps_view_message(e->trace, e->timing, own, e->tolerance);
        if (!receives)
                learn_eager_limit(l, &view);
        struct waited w = ask_message(l, receives ? PS_ON_RECEIVER : PS_ON_SENDER, &view);
        if (!w.instance.lost)
                return;
        c->charged += w.instance.lost;
        if (receives)
                charge_receiver(l, c, &w, each);
        else
                charge_sender(l, c, &w, each);
}

/* Of a call that is charged once: Scalasca does not ask for late receivers where it saw a late sender;
 * patscan takes the longer wait. */
static void charge_once(struct local *l, struct candidates *c)
{
        int scalasca = l->engine->options->definitions == PS_DEFINITIONS_SCALASCA;
        struct waited *r = &c->receiver, *s = &c->sender;
        if (r->instance.lost && (scalasca || r->instance.lost >= s->instance.lost)) {
                remember(l, r);
                c->charged = r->instance.lost;
        } else if (s->instance.lost) {
                book(l, &s->instance, s->path);
                c->charged = s->instance.lost;
        }
}

/* -- collectives
 * --------------------------------------------------------------------------------------------------- */

static void consider_collective(struct local *l, ps_ref own, ps_subject subject, ps_ref call)
{
        const struct engine *e = l->engine;
        const ps_ops *ops = &e->trace->ops[own.loc];
        ps_collective_view view;
        if (!(ops->flags[own.op] & PS_OP_MATCHED) || !ps_view_collective(&view, e->colls, ops->link[own.op]))
                return;
        if (subject == PS_ON_NONBLOCKING) {
                view.own.begin = e->timing->enter[call.loc][call.op];
                view.own.end = e->timing->leave[call.loc][call.op];
        }
        for (uint32_t i = 0; i < e->rules.n_roots[subject]; i++) {
                uint32_t root = e->rules.root[subject][i];
                ps_time lost = ps_rules_collective(&e->rules, root, &view);
                if (!lost)
                        continue;
                ps_instance instance = {.pattern = root,
                                        .at = call,
                                        .partner = view.cause,
                                        .begin = view.own.begin,
                                        .lost = lost};
                book(l, &instance, path_of(l, call));
        }
}

/* -- calls
 * -----------------------------------------------------------------------------------------------------------
 */

static void consider_completions(struct local *l, struct candidates *c, ps_op op, int each)
{
        const ps_ops *ops = &l->engine->trace->ops[l->loc];
        ps_time enter = l->engine->timing->enter[l->loc][op];
        for (uint32_t i = 0; i < ops->tag[op]; i++) {
                ps_ref start = {l->loc, ops->completed[ops->link[op] + i]};
                if (ps_kinds[ops->kind[start.op]].cls == PS_C_COLL)
                        consider_collective(l, start, PS_ON_NONBLOCKING, (ps_ref){l->loc, op});
                else
                        consider_message(l, c, start, enter, each);
        }
}

/* One row of a call; those that do not block lose nothing. */
static void consider_row(struct local *l, struct candidates *c, ps_op op)
{
        const ps_ops *ops = &l->engine->trace->ops[l->loc];
        ps_kind kind = (ps_kind)ops->kind[op];
        ps_ref own = {l->loc, op};
        int each = charges_each(l->engine, kind);
        if (!(ps_kinds[kind].traits & PS_T_BLOCKING))
                return;
        if (ps_kinds[kind].cls == PS_C_SEND || ps_kinds[kind].cls == PS_C_RECV)
                consider_message(l, c, own, l->engine->timing->enter[l->loc][op], each);
        else if (ps_kinds[kind].cls == PS_C_COMPLETE)
                consider_completions(l, c, op, each);
        else if (ps_kinds[kind].cls == PS_C_COLL && !(ops->flags[op] & PS_OP_NONBLOCKING))
                consider_collective(l, own, PS_ON_COLLECTIVE, own);
}

/* A call is a row and the further rows of the same call behind it. */
static ps_op consider_call(struct local *l, ps_op op)
{
        const ps_ops *ops = &l->engine->trace->ops[l->loc];
        struct candidates c = {0};
        ps_op end = op + 1;
        while (end < ops->n && ops->flags[end] & PS_OP_PART)
                end++;
        for (ps_op i = op; i < end; i++)
                consider_row(l, &c, i);
        charge_once(l, &c);
        return end;
}

static ps_status walk_location(void *ctx, uint32_t loc, unsigned worker, ps_error *err)
{
        (void)worker;
        struct engine *e = ctx;
        struct local *l = &e->local[loc];
        *l = (struct local){.engine = e, .loc = loc, .latest_sent = INT64_MIN, .rendezvous_min = UINT64_MAX};
        for (ps_op op = 0; op < e->trace->ops[loc].n && l->status == PS_OK;)
                op = consider_call(l, op);
        while (l->n)
                forget_first(l);
        return l->status < 0 ? PS_NOMEM(err, "findings", l->findings.n) : PS_OK;
}

/* -- all locations
 * ------------------------------------------------------------------------------------------------- */

static int compare_findings(const void *a, const void *b)
{
        const ps_finding *x = a, *y = b;
        if (x->lost != y->lost)
                return x->lost > y->lost ? -1 : 1;
        int by_id = strcmp(ps_pattern_at(x->pattern)->id, ps_pattern_at(y->pattern)->id);
        if (by_id)
                return by_id;
        if (x->location != y->location)
                return x->location < y->location ? -1 : 1;
        if (x->worst.begin != y->worst.begin)
                return x->worst.begin < y->worst.begin ? -1 : 1;
        return (x->path > y->path) - (x->path < y->path);
}

static ps_status gather(ps_analysis *a, const struct engine *e, ps_error *err)
{
        size_t n = 0;
        for (ps_loc l = 0; l < a->n_locs; l++)
                n += e->local[l].findings.n;
        a->findings = n < PS_NONE ? ps_memory_new(n * sizeof(*a->findings)) : NULL;
        a->lost = ps_memory_zeroed((size_t)ps_pattern_count() * a->n_locs, sizeof(*a->lost));
        if (!a->findings || !a->lost)
                return PS_NOMEM(err, "findings", n);
        for (ps_loc loc = 0; loc < a->n_locs; loc++) {
                struct local *l = &e->local[loc];
                for (uint32_t i = 0; i < l->findings.n; i++) {
                        const ps_finding *f = &l->findings.row[i];
                        a->findings[a->n_findings++] = *f;
                        a->count[f->pattern] += f->count;
                        a->lost[(size_t)f->pattern * a->n_locs + loc] += f->lost;
                }
                ps_tally_map_free(&l->findings);
                a->eager_max = l->eager_max > a->eager_max ? l->eager_max : a->eager_max;
                a->rendezvous_min =
                        l->rendezvous_min < a->rendezvous_min ? l->rendezvous_min : a->rendezvous_min;
        }
        qsort(a->findings, a->n_findings, sizeof(*a->findings), compare_findings);
        return PS_OK;
}

/* Instances are handed out in one order only: then one thread walks. */
static ps_status walk(struct engine *e, ps_analysis *a, ps_error *err)
{
        unsigned n_threads = e->options->sink ? 1 : e->options->n_threads;
        e->local = ps_memory_zeroed(a->n_locs, sizeof(*e->local));
        if (!e->local)
                return PS_NOMEM(err, "locations", a->n_locs);
        ps_status status = ps_coll_sums_new(&e->colls, e->trace, e->timing, e->options->n_threads, err);
        if (status == PS_OK)
                status = ps_parallel_for(n_threads, a->n_locs, walk_location, e, err);
        return status == PS_OK ? gather(a, e, err) : status;
}

ps_time ps_analysis_epsilon(const ps_trace *trace)
{
        ps_time epsilon = 1000 * PS_PS_PER_NS;
        if (trace->defs.resolution_hz)
                epsilon = later(epsilon, 2 * (PS_PS_PER_S / (ps_time)trace->defs.resolution_hz));
        return later(epsilon, trace->clock.uncertainty);
}

ps_status ps_analyse(ps_analysis **out, const ps_trace *trace, const ps_timing *timing,
                     const ps_analysis_options *options, ps_error *err)
{
        *out = NULL;
        struct engine e = {.trace = trace, .timing = timing, .options = options};
        ps_analysis *a = calloc(1, sizeof(*a));
        if (!a)
                return PS_NOMEM(err, "analysis", 1);
        a->definitions = options->definitions;
        a->epsilon = options->epsilon >= 0 ? options->epsilon : ps_analysis_epsilon(trace);
        a->n_locs = trace->n_locs;
        a->rendezvous_min = UINT64_MAX;
        e.tolerance = options->definitions == PS_DEFINITIONS_SCALASCA ? 0 : ps_analysis_epsilon(trace);
        ps_rules_make(&e.rules, options, a->epsilon);
        ps_status status = walk(&e, a, err);
        for (ps_loc l = 0; e.local && l < trace->n_locs; l++)
                ps_tally_map_free(&e.local[l].findings);
        free(e.local);
        ps_coll_sums_free(e.colls);
        if (status < 0)
                ps_analysis_free(a);
        else
                *out = a;
        return status;
}

void ps_analysis_free(ps_analysis *a)
{
        if (!a)
                return;
        free(a->findings);
        free(a->lost);
        free(a);
}

/* -- sums
 * ---------------------------------------------------------------------------------------------------------
 */

static int is_below(uint32_t pattern, uint32_t ancestor)
{
        while (pattern != PS_NONE && pattern != ancestor)
                pattern = ps_pattern_parent(pattern);
        return pattern == ancestor;
}

ps_time ps_analysis_lost(const ps_analysis *a, uint32_t pattern, ps_loc location, int total)
{
        ps_time lost = 0;
        for (uint32_t p = 0; p < ps_pattern_count(); p++) {
                if (p != pattern && !(total && is_below(p, pattern)))
                        continue;
                const ps_time *row = &a->lost[(size_t)p * a->n_locs];
                for (ps_loc l = location == PS_NONE ? 0 : location; l < a->n_locs; l++) {
                        lost += row[l];
                        if (location != PS_NONE)
                                break;
                }
        }
        return lost;
}

uint64_t ps_analysis_count(const ps_analysis *a, uint32_t pattern, int total)
{
        uint64_t count = 0;
        for (uint32_t p = 0; p < ps_pattern_count(); p++)
                if (p == pattern || (total && is_below(p, pattern)))
                        count += a->count[p];
        return count;
}
