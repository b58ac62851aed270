/* spread.c - see spread.h.
 *
 * Process 0 tells what belongs to no location: clocks, the focus, call paths. What each needs to know of
 * single rows elsewhere, their partners, it hears from whoever has read them; of collective operations, and
 * how long messages take, all add up what each of them knows. The others hand back what was found at their
 * locations, and their sums; each instance, if somebody listens, they keep, and tell process 0 of a location
 * when it asks. */
#include "patterns/engine/spread.h"

#include "core/load/told.h"
#include "core/model/unexplained.h"
#include "patterns/engine/coll_sums.h"
#include "patterns/engine/walk_pgas.h"
#include "patterns/engine/works.h"

#include <stdlib.h>
#include <string.h>

#define VALUE(p, value) PS_TRY(ps_pass_values((p), &(value), 1, sizeof(value)))

/* Who has all rows shows what it finds in less time than it takes to be told of it. */
static bool may_show(const struct engine *e)
{
        return !e->options->sink || e->trace->spread->rows_are_away;
}

ps_exchange *ps_spread_walk_to(const struct engine *e)
{
        ps_exchange *x = ps_share_others(e->trace, e->timing);
        return x && may_show(e) && !e->trace->defs.is_dvm && e->trace->spread->agreed.agrees ? x : NULL;
}

/* -- what process 0 tells all -- */

struct settings {
        ps_told told;
        ps_analysis_options options;
        bool keeps;                     /* what is found */
        uint8_t wants[PS_MAX_PATTERNS]; /* what is shown of, if anything is */
        uint8_t *apart;
};

static ps_status pass_settings(ps_pass *p, struct settings *s, const ps_trace *trace)
{
        PS_TRY(ps_told_pass(p, &s->told, trace));
        VALUE(p, s->options);
        PS_TRY(ps_pass_bool(p, &s->keeps));
        VALUE(p, s->wants);
        return ps_pass_optional(p, &s->apart, trace->defs.processes.n, sizeof(*s->apart));
}

static struct settings settings_of(const struct engine *e)
{
        struct settings s = {.told = ps_told_of(e->trace),
                             .options = *e->options,
                             .keeps = e->options->sink != NULL,
                             .apart = (uint8_t *)e->apart};
        memset(s.wants, 1, sizeof(s.wants));
        if (e->options->sink_wants)
                memcpy(s.wants, e->options->sink_wants, sizeof(s.wants));
        s.options.progress = NULL;
        s.options.progress_ctx = s.options.sink_ctx = NULL;
        s.options.sink = NULL;
        s.options.sink_wants = NULL;
        s.options.colls = NULL;
        return s;
}

static ps_status tell_settings(const struct engine *e, ps_error *err)
{
        struct settings settings = settings_of(e);
        ps_pass measure = {.way = PS_PASS_MEASURE, .err = err};
        PS_TRY(pass_settings(&measure, &settings, e->trace));
        ps_pass put = {
                .way = PS_PASS_PUT, .size = measure.used, .bytes = calloc(measure.used, 1), .err = err};
        ps_status status = put.bytes ? pass_settings(&put, &settings, e->trace)
                                     : PS_NOMEM(err, "what is asked", measure.used);
        const unsigned work = e->options->sink_walk ? e->options->sink_walk : PS_WORK_WALK;
        PS_THEN(status, ps_share_ask(e->others, work, put.bytes, put.size, err));
        free(put.bytes);
        return status;
}

/* -- what each makes of its locations -- */

/* Of one process, together with the bytes that it has sent for it. */
static ps_status pass_found(ps_pass *p, struct engine *e, struct worker *sums, uint64_t *sent, uint32_t of)
{
        const ps_trace *trace = e->trace;
        VALUE(p, *sent);
        PS_TRY(ps_pass_values(p, sums->waiting, trace->n_paths, sizeof(*sums->waiting)));
        PS_TRY(ps_pass_values(p, sums->awaited, trace->defs.processes.n + (size_t)1, sizeof(*sums->awaited)));
        VALUE(p, sums->outside);
        VALUE(p, sums->eager_max);
        VALUE(p, sums->rendezvous_min);
        VALUE(p, sums->doubtful_count);
        VALUE(p, sums->doubtful);
        VALUE(p, sums->hidden);
        for (ps_loc l = 0; l < trace->n_locs; l++) {
                ps_tally_map *found = &e->local[l].findings;
                if (trace->spread->owner[trace->defs.locations.row[l].process] != of)
                        continue;
                PS_TRY(ps_pass_whole(p, &found->row, &found->n, &found->cap, sizeof(*found->row)));
                VALUE(p, e->moves[l]);
                if (e->master != PS_NONE)
                        VALUE(p, e->local[l].master);
                if (e->sites)
                        PS_TRY(ps_pass_whole(p, &e->sites[l].row, &e->sites[l].n, &e->sites[l].cap,
                                             sizeof(*e->sites[l].row)));
        }
        return PS_OK;
}

static ps_status put_found(ps_pass *put, struct engine *e, uint64_t sent, ps_error *err)
{
        uint32_t rank = e->trace->spread->x->rank;
        struct worker *sums = &e->worker[0];
        for (unsigned i = 1; i < e->n_workers; i++)
                ps_walk_add(sums, e, &e->worker[i]);
        ps_pass measure = {.way = PS_PASS_MEASURE, .err = err};
        PS_TRY(pass_found(&measure, e, sums, &sent, rank));
        *put = (ps_pass){.way = PS_PASS_PUT, .size = measure.used, .bytes = malloc(measure.used), .err = err};
        return put->bytes ? pass_found(put, e, sums, &sent, rank) : PS_NOMEM(err, "findings", measure.used);
}

static ps_status take_found(struct engine *e, const ps_pile *found, ps_error *err)
{
        size_t n_paths = e->trace->n_paths, n_awaited = e->trace->defs.processes.n + (size_t)1;
        ps_exchange *x = e->others;
        ps_time *sums = calloc(n_paths + n_awaited, sizeof(*sums));
        ps_status status = sums ? PS_OK : PS_NOMEM(err, "call paths", n_paths);
        for (uint32_t p = 1; p < x->size && status == PS_OK; p++) {
                struct worker of = {.waiting = sums, .awaited = sums + n_paths};
                uint64_t sent = 0;
                ps_pass take = {.way = PS_PASS_TAKE,
                                .bytes = found->bytes + found->end[p - 1],
                                .size = found->end[p] - found->end[p - 1],
                                .err = err};
                status = pass_found(&take, e, &of, &sent, p);
                if (status == PS_OK)
                        ps_walk_add(&e->worker[0], e, &of);
                x->told.match_bytes += sent;
        }
        free(sums);
        return status;
}

/* -- all -- */

/* What each needs to know of rows elsewhere, and then its own locations. `trace` is the engine's. */
static ps_status walk_here(struct engine *e, ps_trace *trace, bool rows_are_away, uint64_t *sent,
                           ps_error *err)
{
        ps_exchange *x = trace->spread->x;
        uint64_t before = x->bytes;
        ps_partners partners = {.rows = NULL};
        /* First, as what they are found from takes more room than is left of it. */
        ps_status status = ps_releases_together(&e->releases, trace, err);
        PS_THEN(status, ps_partners_deal(&partners, trace, trace->spread->owner,
                                         rows_are_away ? 0 : PS_PARTNERS_NOT_TO_0, x, err));
        PS_THEN(status, ps_coll_sums_together(&e->colls, trace, e->options->n_threads, err));
        PS_THEN(status, ps_prepare_together(&e->prepared, trace, err));
        if (e->rules.n_roots[PS_ON_MASTER] && !e->options->has_master)
                PS_THEN(status, ps_walk_find_master(e, err));
        *sent = x->bytes - before;
        e->partners = &partners;
        PS_THEN(status, ps_walk_all(e, err));
        PS_THEN(status, ps_walk_gather_sites(e, err));
        e->partners = NULL;
        if (e->kept)
                PS_THEN(status, e->keeper->end(e->kept, err));
        ps_partners_clear(&partners, trace);
        if (e->options->colls && e->colls && rows_are_away && status == PS_OK) {
                ps_coll_sums_put_away(&e->colls);
                *e->options->colls = e->colls;
                e->colls = NULL;
        }
        return status;
}

/* -- process 0 -- */

/* What is booked later is booked by the rows that were brought. */
static void look_at_whole(struct engine *e, const ps_trace *whole)
{
        e->trace = whole;
        e->timing = &whole->measured;
        for (ps_loc loc = 0; loc < whole->n_locs; loc++) {
                e->local[loc].ops = &whole->ops[loc];
                e->local[loc].enter = whole->measured.enter[loc];
                e->local[loc].leave = whole->measured.leave[loc];
        }
}

static ps_status walk_first(struct engine *e, ps_trace *trace, ps_error *err)
{
        uint64_t sent = 0;
        const ps_trace *whole = e->trace;
        e->trace = trace;
        e->timing = &trace->measured;
        ps_status status = walk_here(e, trace, trace->spread->rows_are_away, &sent, err);
        ps_coll_sums_free(e->colls);
        e->colls = NULL;
        look_at_whole(e, whole);
        e->others->told.match_bytes += sent;
        return status;
}

static ps_status walk_and_gather(struct engine *e, ps_error *err)
{
        ps_exchange *x = e->others;
        ps_trace trace;
        ps_pile found;
        PS_TRY(tell_settings(e, err));
        ps_status status = ps_exchange_agree(x, ps_share_look(&trace, e->trace, err), err);
        PS_THEN(status, walk_first(e, &trace, err));
        status = ps_share_gather(x, status, &found, NULL, 0, err);
        PS_THEN(status, take_found(e, &found, err));
        ps_pile_clear(&found);
        ps_share_look_away(&trace);
        return status;
}

static ps_status pass_on_of(struct shown_reader *reader, const struct engine *e, ps_loc location,
                            ps_error *err)
{
        const struct shown_row *row = NULL;
        size_t n;
        ps_shown_begin(reader, e->trace, location);
        while (!reader->is_over) {
                PS_TRY(ps_shown_next(reader, &row, &n, err));
                for (size_t i = 0; i < n; i++)
                        ps_shown_pass_on(e->options, &row[i]);
        }
        return PS_OK;
}

static ps_status tell_shown(const struct engine *e, ps_error *err)
{
        struct shown_reader reader = {.trace = NULL};
        ps_status status = PS_OK;
        for (ps_loc l = 0; l < e->trace->n_locs && status == PS_OK; l++) {
                ps_shown_tell(e->kept, l, e->options);
                status = pass_on_of(&reader, e, l, err);
        }
        ps_shown_stop(&reader);
        return status;
}

/* Whoever listens to all hears it when all have walked. */
ps_status ps_spread_walk(struct engine *e, ps_error *err)
{
        const ps_analysis_options *asked = e->options;
        ps_analysis_options how = *asked;
        if (!asked->sink || asked->sink_is_apart)
                return walk_and_gather(e, err);
        e->keeper = &ps_shown_keeper;
        PS_TRY(e->keeper->begin(&e->kept, e->trace, &how, err));
        e->options = &how;
        ps_status status = walk_and_gather(e, err);
        e->options = asked;
        return status == PS_OK ? tell_shown(e, err) : status;
}

/* -- the others -- */

static ps_status hear_settings(ps_trace *trace, struct settings *s, ps_pass *take)
{
        PS_TRY(pass_settings(take, s, trace));
        ps_told_hear(trace, &s->told);
        return PS_OK;
}

static ps_status begin_walk(struct engine *e, ps_trace *trace, struct settings *s, const ps_keeper *keeper,
                            ps_error *err)
{
        void *kept = NULL;
        if (s->keeps) {
                PS_TRY(keeper->begin(&kept, trace, &s->options, err));
                s->options.sink_wants = s->wants;
        }
        ps_walk_begin(e, trace, &trace->measured, &s->options);
        e->keeper = keeper;
        e->kept = kept;
        e->others = trace->spread->x;
        e->apart = s->apart;
        PS_TRY(ps_walk_tables(e, err));
        PS_TRY(ps_walk_find_inner(e, err));
        if (s->options.has_master && e->rules.n_roots[PS_ON_MASTER])
                PS_TRY(ps_walk_find_master(e, err));
        ps_walk_find_plain(e);
        return PS_OK;
}

void ps_walk_work_kept(const ps_keeper *keeper, const ps_trace *here, unsigned n_threads, uint8_t *bytes,
                       size_t n)
{
        ps_error err = {0};
        ps_trace trace = *here;
        ps_exchange *x = trace.spread->x;
        struct settings settings = {.keeps = false};
        struct engine e = {.trace = &trace};
        ps_pass take = {.way = PS_PASS_TAKE, .bytes = bytes, .size = n, .err = &err}, put = {.bytes = NULL};
        ps_pile none;
        uint64_t sent = 0;
        ps_status status = hear_settings(&trace, &settings, &take);
        settings.options.n_threads = n_threads;
        PS_THEN(status, begin_walk(&e, &trace, &settings, keeper, &err));
        const ps_status others = ps_exchange_agree(x, status, &err);
        PS_THEN(status, others);
        PS_THEN(status, walk_here(&e, &trace, settings.told.rows_are_away, &sent, &err));
        PS_THEN(status, put_found(&put, &e, sent, &err));
        ps_share_gather(x, status, &none, put.bytes, put.size, &err);
        if (e.kept) {
                ps_share_keep(&trace, e.kept, keeper->drop);
                e.kept = NULL;
        }
        ps_walk_end(&e);
        free(e.moves);
        free(put.bytes);
}

void ps_walk_work(const ps_trace *here, unsigned n_threads, uint8_t *bytes, size_t n)
{
        ps_walk_work_kept(&ps_shown_keeper, here, n_threads, bytes, n);
}
