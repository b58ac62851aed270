/* near.c - see near.h. */
#include "core/load/near.h"

#include "core/exchange/exchange.h"
#include "core/fold/cut.h"
#include "core/load/away.h"
#include "core/match/match.h"
#include "core/match/partners.h"
#include "core/match/ranks.h"

#include <stdlib.h>
#include <string.h>

ps_status ps_near_look(ps_trace *out, struct ps_folding *f, ps_error *err)
{
        size_t n = f->trace->n_locs + (size_t)1;
        *out = (ps_trace){.defs = f->trace->defs,
                          .n_locs = f->trace->n_locs,
                          .colls = f->agreed.colls,
                          .n_colls = f->agreed.n_colls,
                          .members = f->agreed.members,
                          .n_members = f->agreed.n_members,
                          .paths = f->trace->paths,
                          .n_paths = f->trace->n_paths,
                          .arena = f->trace->arena};
        out->ops = calloc(n, sizeof(*out->ops));
        out->info = calloc(n, sizeof(*out->info));
        out->measured.enter = calloc(n, sizeof(*out->measured.enter));
        out->measured.leave = calloc(n, sizeof(*out->measured.leave));
        if (!out->ops || !out->info || !out->measured.enter || !out->measured.leave)
                return PS_NOMEM(err, "locations", n);
        for (ps_loc l = 0; l < out->n_locs; l++) {
                out->info[l].first = PS_TIME_MAX;
                out->info[l].last = INT64_MIN;
                if (!f->builders[l])
                        continue;
                ps_builder_rows(f->builders[l], &out->ops[l], &out->measured.enter[l],
                                &out->measured.leave[l]);
                out->info[l] = ps_builder_info(f->builders[l]);
        }
        return ps_build_foreign(out, f->builders, err);
}

ps_status ps_near_know(ps_trace *near, const struct ps_folding *f, ps_error *err)
{
        size_t n = near->n_locs + (size_t)1;
        near->pieces = f->options->pieces ? calloc(n, sizeof(*near->pieces)) : NULL;
        if (f->options->pieces && !near->pieces)
                return PS_NOMEM(err, "locations", n);
        for (ps_loc l = 0; l < near->n_locs; l++) {
                ps_location_info *info = &near->info[l];
                if (f->lasting) {
                        info->first = f->lasting[l].begin;
                        info->last = f->lasting[l].end;
                } else if (info->n_events) {
                        info->first -= f->zero;
                        info->last -= f->zero;
                }
                if (near->pieces && f->builders[l])
                        ps_builder_pieces(f->builders[l], &near->pieces[l]);
        }
        return PS_OK;
}

void ps_near_forget(ps_trace *near)
{
        free(near->ops);
        free(near->measured.enter);
        free(near->measured.leave);
        free(near->info);
        free(near->pieces);
}

static ps_status count_contradictions(void *out, const ps_trace *trace, const ps_clock_tally *early,
                                      unsigned n_threads, ps_error *err)
{
        if (!early)
                return ps_clock_count_messages(out, trace, n_threads, err);
        *(ps_clock_tally *)out = *early;
        return PS_OK;
}

static ps_status match_messages(struct ps_folding *f, ps_trace *near, ps_error *err)
{
        ps_match_near matched = {0};
        const ps_match_look look = {count_contradictions, &f->near.contradictions};
        ps_status status = ps_match_fitting_here(near, f->owner, f->options->exchange, f->options->n_threads,
                                                 &matched, &look, err);
        f->near.matched = near->n_messages;
        f->near.crossing = matched.crossing;
        f->near.left = matched.left;
        return status;
}

/* -- messages that find nobody -- */

/* In process 0, of all. */
static ps_status add_lonely(struct ps_folding *f, ps_trace *near, ps_error *err)
{
        ps_exchange *x = f->options->exchange;
        ps_match_lonely *sum = &f->lonely, other;
        ps_pile pile = {NULL, NULL};
        *sum = (ps_match_lonely){.sends = {0}};
        if (f->near.left)
                ps_match_find_lonely(sum, near);
        PS_TRY(ps_exchange_gather(x, &pile, sum, sizeof(*sum), err));
        for (uint32_t p = 1; !x->rank && p < x->size; p++) {
                size_t n;
                memcpy(&other, ps_pile_part(&pile, p, &n), sizeof(other));
                ps_match_lonely_add(sum, &other);
        }
        ps_pile_clear(&pile);
        return PS_OK;
}

struct late {
        ps_clock_tally *tally;
        ps_match_late matched;
};

/* In process 0: what is matched late contradicts causality, too. */
static ps_status count_late(void *ctx, const ps_trace *trace, const ps_clock_tally *early, unsigned n_threads,
                            ps_error *err)
{
        struct late *late = ctx;
        ps_clock_tally tally;
        PS_TRY(count_contradictions(&tally, trace, early, n_threads, err));
        ps_ref *first = &tally.first_message.ref;
        if (first->loc != PS_NONE)
                first->op = late->matched.real[first->loc][first->op];
        ps_clock_tally_add(late->tally, &tally);
        return PS_OK;
}

static ps_status match_late(struct ps_folding *f, ps_trace *near, ps_error *err)
{
        ps_exchange *x = f->options->exchange;
        struct late late = {.tally = &f->near.contradictions};
        const ps_match_look look = {count_late, &late};
        PS_TRY(add_lonely(f, near, err));
        uint8_t may_fit = ps_match_lonely_may_fit(&f->lonely);
        ps_exchange_broadcast(x, &may_fit, sizeof(may_fit));
        if (!may_fit)
                return PS_OK;
        PS_TRY(ps_match_late_here(near, f->owner, x, f->options->n_threads, &late.matched, &look, err));
        f->near.matched += late.matched.matched;
        f->near.crossing += late.matched.crossing;
        f->other_comms = late.matched.comms;
        return add_lonely(f, near, err);
}

/* -- collective operations -- */

static const ps_reduced bounds[PS_BOUNDS] = {[PS_BOUND_BEGUN] = {INT64_MIN, false},
                                             [PS_BOUND_ENDED] = {PS_TIME_MAX, true},
                                             [PS_BOUND_ENDS_AT] = {PS_NONE, false}};

struct counting {
        ps_clock_tally *tally;
        const ps_trace *near;
};

static void put_bounds(void *ctx, uint32_t coll, int64_t *row)
{
        const struct counting *c = ctx;
        ps_clock_bound(row, c->near, coll);
}

static void take_bounds(void *ctx, uint32_t coll, const int64_t *row)
{
        const struct counting *c = ctx;
        ps_clock_count_collective(c->tally, c->near, coll, row);
}

static ps_status count_collectives(struct ps_folding *f, const ps_trace *near, ps_error *err)
{
        struct counting counting = {&f->near.contradictions, near};
        const ps_agreed_rows rows = {
                {bounds, PS_BOUNDS, ps_clock_bound_add}, put_bounds, take_bounds, &counting};
        return ps_agreed_reduce(&f->agreed, f->options->exchange, &rows, err);
}

/* Operations in which each waits for those of lower ranks count once, too: where the first location lies that
 * ends too early. */
struct prefixes {
        struct ps_folding *f;
        const ps_trace *near;
        ps_loc *early; /* by operation; PS_NONE: none does */
};

static bool is_prefix(void *ctx, uint32_t c)
{
        const struct prefixes *p = ctx;
        const ps_coll *coll = &p->near->colls[c];
        return ps_kinds[coll->kind].traits & PS_T_PREFIX && coll->complete &&
               p->f->agreed.is_whole[coll->comm] && !p->near->defs.comms.row[coll->comm].team;
}

static bool is_told_here(void *ctx, uint32_t member)
{
        (void)ctx;
        (void)member;
        return true;
}

static ps_time passes_on(void *ctx, uint32_t member)
{
        return ps_clock_passes_on(((const struct prefixes *)ctx)->near, member);
}

static void wait_for_lower(void *ctx, uint32_t member, const ps_latest *before)
{
        const struct prefixes *p = ctx;
        const ps_member *m = &p->near->members[member];
        if (ps_clock_ends_too_early(&p->f->near.contradictions, p->near, member, before->time) &&
            m->ref.loc < p->early[m->coll])
                p->early[m->coll] = m->ref.loc;
}

static void put_early(void *ctx, uint32_t c, int64_t *row)
{
        *row = ((const struct prefixes *)ctx)->early[c];
}

static void take_early(void *ctx, uint32_t c, const int64_t *row)
{
        const struct prefixes *p = ctx;
        p->f->near.contradictions.collectives += p->early[c] != PS_NONE && p->early[c] == *row;
}

static void add_early(int64_t *to, const int64_t *row)
{
        *to = *row < *to ? *row : *to;
}

static bool has_prefixes(struct ps_folding *f, const ps_trace *near)
{
        struct prefixes p = {f, near, NULL};
        uint32_t c = 0;
        while (c < near->n_colls && !is_prefix(&p, c))
                c++;
        return c < near->n_colls;
}

static ps_status count_prefixes(struct ps_folding *f, const ps_trace *near, ps_error *err)
{
        static const ps_reduced first = {PS_NONE, false};
        ps_exchange *x = f->options->exchange;
        if (!ps_exchange_any(x, has_prefixes(f, near)))
                return PS_OK;
        struct prefixes p = {f, near, malloc((near->n_colls + (size_t)1) * sizeof(*p.early))};
        const ps_ranks ranks = {near, &f->agreed, x, is_prefix, is_told_here, passes_on, wait_for_lower, &p};
        const ps_agreed_rows rows = {{&first, 1, add_early}, put_early, take_early, &p};
        ps_status status = ps_exchange_agree(
                x, p.early ? PS_OK : PS_NOMEM(err, "collective operations", near->n_colls), err);
        if (p.early)
                memset(p.early, 0xff, near->n_colls * sizeof(*p.early)); /* PS_NONE */
        PS_THEN(status, ps_ranks_visit(&ranks, err));
        PS_THEN(status, ps_agreed_reduce(&f->agreed, x, &rows, err));
        free(p.early);
        return status;
}

static ps_status list_received(const struct ps_folding *f, const uint64_t ***out, ps_error *err)
{
        uint32_t n;
        *out = calloc(f->trace->n_locs + (size_t)1, sizeof(**out));
        for (ps_loc l = 0; *out && l < f->trace->n_locs; l++)
                (*out)[l] = f->builders[l] ? ps_builder_received(f->builders[l], &n) : NULL;
        return *out ? PS_OK : PS_NOMEM(err, "locations", f->trace->n_locs);
}

static ps_status match_collectives(struct ps_folding *f, ps_trace *near, ps_error *err)
{
        const uint64_t **received;
        ps_exchange *x = f->options->exchange;
        ps_status status = ps_exchange_agree(x, list_received(f, &received, err), err);
        PS_THEN(status, ps_match_agreed(&f->agreed, near, received, x, err));
        free(received);
        PS_TRY(status);
        near->colls = f->agreed.colls;
        near->n_colls = f->agreed.n_colls;
        near->members = f->agreed.members;
        near->n_members = f->agreed.n_members;
        if (!f->agreed.agrees)
                return PS_OK;
        PS_TRY(count_collectives(f, near, err));
        return count_prefixes(f, near, err);
}

/* -- clocks -- */

struct lasting {
        ps_loc location;
        ps_op n_rows;
        ps_time first, last;
};

static ps_status list_times(const struct ps_folding *f, const ps_trace *near, struct lasting **out,
                            ps_error *err)
{
        struct lasting *list = *out = malloc((f->n_order + (size_t)1) * sizeof(*list));
        if (!list)
                return PS_NOMEM(err, "locations", f->n_order);
        for (uint32_t i = 0; i < f->n_order; i++) {
                ps_time first = near->info[f->order[i]].first, last = near->info[f->order[i]].last;
                bool is_empty = first > last;
                list[i] = (struct lasting){f->order[i], near->ops[f->order[i]].n,
                                           is_empty ? first : first - f->zero,
                                           is_empty ? last : last - f->zero};
        }
        return PS_OK;
}

static void take_times(ps_trace *near, const ps_pile *pile, uint32_t size)
{
        struct lasting one;
        for (size_t at = 0; at < pile->end[size - 1]; at += sizeof(one)) {
                memcpy(&one, pile->bytes + at, sizeof(one));
                near->info[one.location].first = one.first;
                near->info[one.location].last = one.last;
                near->n_operations += one.n_rows;
        }
}

/* Process 0 learns when each location begins and ends. */
static ps_status learn_times(struct ps_folding *f, ps_trace *near, ps_error *err)
{
        ps_exchange *x = f->options->exchange;
        struct lasting *list;
        ps_pile pile = {NULL, NULL};
        ps_status status = ps_exchange_agree(x, list_times(f, near, &list, err), err);
        PS_THEN(status, ps_exchange_gather(x, &pile, list, f->n_order * sizeof(*list), err));
        if (!x->rank && status == PS_OK)
                take_times(near, &pile, x->size);
        ps_pile_clear(&pile);
        free(list);
        return ps_exchange_agree(x, status, err);
}

/* Those that have members elsewhere, in the order of their numbers. */
static ps_status list_dealt(const ps_agreed *agreed, uint32_t **out, uint32_t *n, ps_error *err)
{
        *n = 0;
        *out = malloc((agreed->n_colls + (size_t)1) * sizeof(**out));
        if (!*out)
                return PS_NOMEM(err, "collective operations", agreed->n_colls);
        for (uint32_t c = 0; c < agreed->n_colls; c++)
                if (agreed->id[c] != PS_NONE)
                        (*out)[(*n)++] = c;
        return PS_OK;
}

static ps_status mend_with_partners(struct ps_folding *f, ps_trace *near, ps_clock_apart *apart,
                                    ps_error *err)
{
        ps_partners partners;
        ps_status status = ps_partners_deal(&partners, near, f->owner, 0, apart->x, err);
        apart->real = partners.real;
        PS_THEN(status, ps_clock_mend_apart(&f->mended, near, f->options->clock, apart, err));
        ps_partners_clear(&partners, near);
        return status;
}

/* All learn when each location begins and ends from now on. */
static ps_status tell_times(struct ps_folding *f, const ps_trace *near, ps_error *err)
{
        ps_exchange *x = f->options->exchange;
        const size_t n = (near->n_locs + (size_t)1) * sizeof(*f->lasting);
        f->lasting = calloc(1, n);
        PS_TRY(ps_exchange_agree(x, f->lasting ? PS_OK : PS_NOMEM(err, "locations", near->n_locs), err));
        for (ps_loc l = 0; !x->rank && l < near->n_locs; l++)
                f->lasting[l] = (ps_span){near->info[l].first, near->info[l].last};
        ps_exchange_broadcast(x, f->lasting, n);
        return PS_OK;
}

static ps_status mend_clocks(struct ps_folding *f, ps_trace *near, ps_error *err)
{
        ps_exchange *x = f->options->exchange;
        uint8_t mends = !x->rank && ps_away_mends(f);
        ps_exchange_broadcast(x, &mends, sizeof(mends));
        if (!mends)
                return PS_OK;
        PS_TRY(learn_times(f, near, err));
        ps_clock_apart apart = {.x = x,
                                .id = f->agreed.id,
                                .n_all = f->agreed.n_all,
                                .is_whole = f->agreed.is_whole,
                                .n_rows = near->n_operations,
                                .n_threads = f->options->n_threads};
        uint32_t *dealt;
        ps_status status = ps_exchange_agree(x, list_dealt(&f->agreed, &dealt, &apart.n_dealt, err), err);
        apart.dealt = dealt;
        PS_THEN(status, mend_with_partners(f, near, &apart, err));
        free(dealt);
        status = ps_exchange_agree(x, status, err);
        return status == PS_OK ? tell_times(f, near, err) : status;
}

ps_status ps_near_match(struct ps_folding *f, ps_error *err)
{
        ps_trace near;
        ps_exchange *x = f->options->exchange;
        uint64_t before = x->bytes;
        ps_status status = ps_exchange_agree(x, ps_near_look(&near, f, err), err);
        PS_THEN(status, match_messages(f, &near, err));
        PS_THEN(status, match_late(f, &near, err));
        PS_THEN(status, match_collectives(f, &near, err));
        f->near.match_bytes = x->bytes - before;
        PS_THEN(status, ps_away_look(f, &near, err));
        PS_THEN(status, mend_clocks(f, &near, err));
        ps_near_forget(&near);
        return status;
}

ps_status ps_near_count(struct ps_folding *f)
{
        ps_exchange *x = f->options->exchange;
        struct ps_near_counts *sum = &f->near, other;
        sum->all_bytes = x->bytes - sum->all_bytes;
        if (x->rank)
                ps_exchange_send(x, 0, sum, sizeof(*sum));
        for (uint32_t p = 1; !x->rank && p < x->size; p++) {
                ps_exchange_receive(x, p, &other, sizeof(other));
                sum->matched += other.matched;
                sum->crossing += other.crossing;
                sum->match_bytes += other.match_bytes;
                sum->all_bytes += other.all_bytes;
        }
        x->told.match_bytes = sum->match_bytes;
        x->told.read_bytes = sum->all_bytes - sum->match_bytes;
        return PS_OK;
}
