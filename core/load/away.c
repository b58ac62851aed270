/* away.c - see away.h.
 *
 * In process 0 the columns of such rows are pages that nobody has touched: they take no memory, and rows keep
 * their numbers. Of single rows, those of calls in which locations end and of what findings name, the
 * contents are brought there, so that whoever looks one up finds it as ever. Whoever has to look at all of
 * them has to have all rows: then they travel. */
#include "core/load/away.h"
#include "core/load/ends.h"
#include "core/load/share.h"
#include "core/load/tasks.h"

#include "core/base/vector.h"
#include "core/fold/outline.h"

#include <stdlib.h>
#include <string.h>

/* -- may they stay? -- */

/* Is it not known all the way what it computes? Then none of that is kept of anybody. */
static bool is_shaky(const struct ps_folding *f, ps_loc l)
{
        ps_pieces pieces;
        return f->options->pieces && !ps_builder_pieces(f->builders[l], &pieces);
}

static struct ps_away_known known_here(const struct ps_folding *f, ps_trace *near)
{
        struct ps_away_known known = {.contradictions = f->near.contradictions, .wrong = f->agreed.wrong};
        for (uint32_t i = 0; i < f->n_order; i++) {
                ps_loc l = f->order[i];
                known.bytes += f->options->exchange->rank ? ps_outline_bytes(&near->defs, &near->ops[l]) : 0;
                known.operations += near->ops[l].n;
                known.shaky += is_shaky(f, l);
        }
        return known;
}

ps_status ps_away_look(struct ps_folding *f, ps_trace *near, ps_error *err)
{
        ps_exchange *x = f->options->exchange;
        struct ps_away_known *sum = &f->known, other;
        ps_pile pile = {NULL, NULL};
        *sum = known_here(f, near);
        PS_TRY(ps_exchange_gather(x, &pile, sum, sizeof(*sum), err));
        for (uint32_t p = 1; !x->rank && p < x->size; p++) {
                size_t n;
                memcpy(&other, ps_pile_part(&pile, p, &n), sizeof(other));
                sum->bytes += other.bytes;
                ps_clock_tally_add(&sum->contradictions, &other.contradictions);
                sum->operations += other.operations;
                sum->shaky += other.shaky;
                ps_agreed_wrong_add(&sum->wrong, &other.wrong);
        }
        ps_pile_clear(&pile);
        sum->wrong.incomplete.count = f->agreed.n_incomplete;
        sum->wrong.roots.count = f->agreed.n_roots;
        return PS_OK;
}

static bool wants_all(const struct ps_folding *f)
{
        return !f->options->rows_may_stay || f->known.operations < f->options->rows_travel_below;
}

static bool has_odd_collectives(const struct ps_folding *f)
{
        return !f->agreed.agrees;
}

static bool has_odd_causes(const struct ps_folding *f)
{
        return f->options->pieces && f->known.shaky;
}

static bool is_odd_program(const struct ps_folding *f)
{
        return f->trace->defs.is_dvm;
}

static bool have_to_travel(struct ps_folding *f)
{
        static const struct {
                bool (*needs_rows)(const struct ps_folding *f);
                const char *why; /* NULL: whoever loads says so */
        } row[] = {{wants_all, NULL},
                   {has_odd_collectives, "members of communicators do not make the same calls"},
                   {has_odd_causes, "not all is known of what a location computes"},
                   {is_odd_program, "it is a DVM program"}};
        for (unsigned i = 0; i < sizeof(row) / sizeof(*row); i++) {
                if (!row[i].needs_rows(f))
                        continue;
                f->rows_wanted = row[i].why ? row[i].why : f->options->rows_wanted;
                return true;
        }
        return false;
}

bool ps_away_mends(struct ps_folding *f)
{
        f->mended.left = f->known.contradictions;
        f->is_mended = !have_to_travel(f) &&
                       ps_clock_wants_mending(f->trace, f->options->clock, &f->known.contradictions);
        return f->is_mended;
}

bool ps_away_decide(struct ps_folding *f)
{
        if (have_to_travel(f))
                return false;
        f->rows_wanted = "there are not enough addresses";
        return f->rows_are_away = ps_outline_reserve(f->trace, f->known.bytes ? f->known.bytes : 1);
}

/* -- builders without rows -- */

/* Those of one process, in the order of locations. */
static ps_status pass_builders(ps_pass *p, const struct ps_folding *f)
{
        for (ps_loc l = 0; l < f->trace->n_locs; l++)
                if (f->builders[l])
                        PS_TRY(ps_outline_pass(p, f->builders[l]));
        return PS_OK;
}

ps_status ps_away_give(const struct ps_folding *f, ps_exchange *x, ps_error *err)
{
        ps_pile nothing;
        ps_pass measure = {.way = PS_PASS_MEASURE, .err = err};
        ps_status status = pass_builders(&measure, f);
        ps_pass put = {
                .way = PS_PASS_PUT, .size = measure.used, .bytes = malloc(measure.used + 1), .err = err};
        PS_THEN(status, put.bytes ? pass_builders(&put, f) : PS_NOMEM(err, "locations", measure.used));
        status = ps_exchange_agree(x, status, err);
        PS_THEN(status, ps_exchange_gather(x, &nothing, put.bytes, put.used, err));
        free(put.bytes);
        return status == PS_OK ? ps_exchange_agree(x, PS_OK, err) : status;
}

static ps_status take_builder(struct ps_folding *f, ps_pass *take, ps_loc l, ps_error *err)
{
        PS_TRY(ps_folding_builder(f, l, f->scratch[0].pool, err));
        ps_path *map = f->map[l];
        f->map[l] = NULL;
        return ps_outline_take(take, f->builders[l], map);
}

static ps_status take_builders(struct ps_folding *f, const ps_pile *pile, uint32_t from, ps_error *err)
{
        size_t n;
        const uint8_t *bytes = ps_pile_part(pile, from, &n);
        ps_pass take = {.way = PS_PASS_TAKE, .bytes = (uint8_t *)bytes, .size = n, .err = err};
        for (ps_loc l = 0; l < f->trace->n_locs; l++)
                if (f->owner[f->trace->defs.locations.row[l].process] == from)
                        PS_TRY(take_builder(f, &take, l, err));
        return PS_OK;
}

ps_status ps_away_take(struct ps_folding *f, ps_error *err)
{
        ps_exchange *x = f->options->exchange;
        ps_pile pile = {NULL, NULL};
        ps_task_order(x, TASK_OUTLINE, 0);
        ps_status status = ps_exchange_agree(x, PS_OK, err);
        PS_TRY(status);
        PS_TRY(ps_exchange_gather(x, &pile, NULL, 0, err));
        for (uint32_t p = 1; p < x->size && status == PS_OK; p++)
                status = take_builders(f, &pile, p, err);
        ps_pile_clear(&pile);
        return ps_exchange_agree(x, status, err);
}

/* -- single rows -- */

typedef PS_VECTOR(ps_ref) refs;

static void add(refs *to, ps_loc l, ps_op op, bool *lacks)
{
        *lacks |= PS_PUSH(*to, ((ps_ref){l, op})) != 0;
}

/* The call that the row belongs to, and what it completes. */
static void add_call(refs *to, const ps_trace *here, ps_ref at, bool *lacks)
{
        const ps_ops *ops = &here->ops[at.loc];
        ps_op op = at.op;
        while (op && ps_op_continues(ops, op))
                op--;
        do {
                add(to, at.loc, op, lacks);
                if (ps_kinds[ops->kind[op]].cls == PS_C_COMPLETE)
                        for (uint32_t i = 0; i < ps_op_tag(ops, op); i++)
                                add(to, at.loc, ps_op_completed(ops, op, i), lacks);
                op++;
        } while (ps_op_continues(ops, op));
}

/* Of a call of a collective operation: did all members take part, as far as the trace knows them? */
static bool is_complete(const ps_trace *here, ps_ref ref)
{
        const ps_ops *ops = &here->ops[ref.loc];
        return ps_kinds[ops->kind[ref.op]].cls != PS_C_COLL || !(ops->flags[ref.op] & PS_OP_MATCHED) ||
               here->colls[here->members[ops->link[ref.op]].coll].complete;
}

static ps_status pass_rows(ps_pass *p, const refs *rows, const ps_trace *here)
{
        for (uint32_t i = 0; i < rows->n; i++) {
                bool complete = is_complete(here, rows->row[i]);
                PS_TRY(ps_pass_values(p, &rows->row[i], 1, sizeof(*rows->row)));
                PS_TRY(ps_pass_bool(p, &complete));
                PS_TRY(ps_outline_pass_row(p, here, rows->row[i]));
        }
        return PS_OK;
}

/* `asked`: places in all of the trace. */
void ps_away_bring(const ps_trace *here, unsigned n_threads, uint8_t *asked, size_t n)
{
        ps_error err = {0};
        ps_pile nothing;
        refs rows = {0};
        bool lacks = false;
        (void)n_threads;
        for (size_t at = 0; at < n; at += sizeof(ps_ref)) {
                ps_ref ref;
                memcpy(&ref, asked + at, sizeof(ref));
                if (ps_share_is_here(here, ref.loc))
                        add_call(&rows, here, ref, &lacks);
        }
        ps_pass measure = {.way = PS_PASS_MEASURE, .err = &err};
        ps_status status = lacks ? PS_NOMEM(&err, "operations", rows.n) : pass_rows(&measure, &rows, here);
        ps_pass put = {
                .way = PS_PASS_PUT, .size = measure.used, .bytes = malloc(measure.used + 1), .err = &err};
        PS_THEN(status, put.bytes ? pass_rows(&put, &rows, here) : PS_NOMEM(&err, "operations", rows.n));
        ps_share_gather(here->spread->x, status, &nothing, put.bytes, put.used, &err);
        free(put.bytes);
        free(rows.row);
}

static ps_status take_rows(const ps_trace *trace, const ps_pile *pile, uint32_t from, ps_error *err)
{
        size_t n;
        const uint8_t *bytes = ps_pile_part(pile, from, &n);
        ps_pass take = {.way = PS_PASS_TAKE, .bytes = (uint8_t *)bytes, .size = n, .err = err};
        while (take.used < take.size) {
                ps_ref ref;
                bool complete;
                PS_TRY(ps_pass_values(&take, &ref, 1, sizeof(ref)));
                PS_TRY(ps_pass_bool(&take, &complete));
                PS_TRY(ps_outline_pass_row(&take, trace, ref));
                const ps_ops *ops = &trace->ops[ref.loc];
                if (ps_kinds[ops->kind[ref.op]].cls == PS_C_COLL)
                        ops->link[ref.op] = trace->spread->agreed.stand_in + !complete;
        }
        return PS_OK;
}

ps_status ps_share_bring(const ps_trace *trace, const ps_ref *rows, size_t n, ps_error *err)
{
        ps_exchange *x = ps_share_others(trace, &trace->measured);
        ps_pile pile;
        if (!ps_share_is_apart(trace, &trace->measured))
                return PS_OK;
        PS_TRY(ps_task_ask(x, TASK_BRING, rows, n * sizeof(*rows), err));
        ps_status status = ps_share_gather(x, PS_OK, &pile, NULL, 0, err);
        for (uint32_t p = 1; p < x->size && status == PS_OK; p++)
                status = take_rows(trace, &pile, p, err);
        ps_pile_clear(&pile);
        return status;
}

/* -- where the columns are -- */

ps_status ps_away_place(struct ps_folding *f, ps_error *err)
{
        ps_trace *trace = f->trace;
        char *at = trace->mapped;
        for (ps_loc l = 0; l < trace->n_locs; l++) {
                if (!f->owner[trace->defs.locations.row[l].process])
                        continue;
                ps_outline_place(trace, l, at);
                if (trace->pieces)
                        trace->pieces[l] = (ps_pieces){.adds_up = true};
                at += ps_outline_bytes(&trace->defs, &trace->ops[l]);
        }
        PS_TRY(ps_agreed_hand_over(&f->agreed, trace, err));
        PS_TRY(ps_share_spread(f, err));
        return ps_ends_hear(trace, err);
}
