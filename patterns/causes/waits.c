/* waits.c - the waits as the engine finds them, and then in the order of the calls that waited. */
#include "patterns/causes/apart.h"
#include "patterns/causes/by_op.h"
#include "patterns/causes/passes.h"
#include "patterns/causes/works.h"
#include "patterns/engine/works.h"

#include "core/base/blocks.h"
#include "core/base/memory.h"
#include "core/base/vector.h"
#include "core/model/focus.h"

#include <stdlib.h>
#include <string.h>

const char *const ps_delay_names[PS_N_DELAYS] = {
#define PS_DELAY_FAMILY(id, name, scalasca) name,
#include "patterns/causes/families.def"
#undef PS_DELAY_FAMILY
};

/* The rows of waiting; those below them belong to the same family. What other patterns find is ended by
 * nobody else: a transfer, an operation's own work, a function that is longer than elsewhere. */
static const struct {
        const char *pattern;
        ps_delay_family family;
} rows[] = {
        {"late-sender", PS_DELAY_LATE_SENDER},
        {"probe-wait", PS_DELAY_LATE_SENDER},
        {"late-receiver", PS_DELAY_LATE_RECEIVER},
        {"barrier-wait", PS_DELAY_BARRIER},
        {"nxn-wait", PS_DELAY_NXN},
        {"late-broadcast", PS_DELAY_BROADCAST},
        {"early-reduce", PS_DELAY_REDUCE},
        {"early-scan", PS_DELAY_SCAN},
        {"neighbor-wait", PS_DELAY_NEIGHBOR},
        {"nonblocking-collective-wait", PS_DELAY_NONBLOCKING},
        {"finalize-wait", PS_DELAY_FINALIZE},
        {"omp-barrier-wait", PS_DELAY_OMP_BARRIER},
        {"omp-implicit-barrier-wait", PS_DELAY_OMP_BARRIER},
        {"omp-critical-wait", PS_DELAY_LOCK},
        {"omp-lock-wait", PS_DELAY_LOCK},
        {"pthread-lock-wait", PS_DELAY_LOCK},
        {"window-lock-wait", PS_DELAY_LOCK},
        {"pgas-lock-wait", PS_DELAY_LOCK},
        {"pgas-atomic-wait", PS_DELAY_LOCK},
        {"fence-wait", PS_DELAY_ONE_SIDED},
        {"window-wait", PS_DELAY_ONE_SIDED},
        {"late-post", PS_DELAY_ONE_SIDED},
        {"early-transfer", PS_DELAY_ONE_SIDED},
        {"early-wait", PS_DELAY_ONE_SIDED},
        {"late-complete", PS_DELAY_ONE_SIDED},
        {"wait-for-progress", PS_DELAY_ONE_SIDED},
        {"pgas-in-sync-wait", PS_DELAY_PGAS},
        {"pgas-late-broadcast", PS_DELAY_PGAS},
        {"pgas-late-gather", PS_DELAY_PGAS},
        {"pgas-early-prefix-reduce", PS_DELAY_PGAS},
        {"pgas-early-gather", PS_DELAY_PGAS},
        {"pgas-in-sync-many-to-many", PS_DELAY_PGAS},
        {"pgas-assumed-in-sync", PS_DELAY_PGAS},
        {"pgas-barrier-wait", PS_DELAY_PGAS},
        {"pgas-split-barrier-wait", PS_DELAY_PGAS},
        {"pgas-alloc-wait", PS_DELAY_PGAS},
        {"pgas-change-wait", PS_DELAY_PGAS},
};

static const uint8_t is_charged_by_scalasca[PS_N_DELAYS] = {
#define PS_DELAY_FAMILY(id, name, scalasca) scalasca,
#include "patterns/causes/families.def"
#undef PS_DELAY_FAMILY
};

/* -- the log -- */

struct noted {
        ps_time begin, lost;
        ps_ref by;
        ps_op op;
        uint32_t pattern;
};

/* Room at first, which costs nothing until it is used. */
enum { FEW_NOTES = 64, OPS_A_WAIT = 2 };

struct notes {
        struct noted *at;
        uint32_t n, cap, next; /* next: how many there are when large pages that wait are looked for again */
        bool is_full;          /* memory was out */
};

struct ps_wait_log {
        uint32_t n_locs;
        const ps_ops *ops;               /* by location */
        uint8_t family[PS_MAX_PATTERNS]; /* PS_N_DELAYS: no waiting */
        uint8_t is_wait[PS_MAX_PATTERNS];
        bool is_taken;
        struct notes *notes; /* by location */
        ps_coll_sums *colls; /* of the analysis; NULL: taken, or not known */
};

static uint32_t root_pattern_of(uint32_t pattern)
{
        while (ps_pattern_parent(pattern) != PS_NONE)
                pattern = ps_pattern_parent(pattern);
        return pattern;
}

static bool is_order(uint32_t pattern)
{
        return ps_pattern_at(pattern)->subject == PS_ON_ORDER;
}

static void learn_families(ps_wait_log *log)
{
        memset(log->family, PS_N_DELAYS, sizeof(log->family));
        for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
                log->family[ps_pattern_find(rows[i].pattern)] = (uint8_t)rows[i].family;
        for (uint32_t p = 0; p < ps_pattern_count(); p++) {
                log->family[p] = log->family[root_pattern_of(p)];
                log->is_wait[p] = log->family[p] != PS_N_DELAYS;
        }
}

ps_status ps_wait_log_new(ps_wait_log **out, const ps_trace *trace, ps_error *err)
{
        ps_wait_log *log = *out = calloc(1, sizeof(*log));
        if (log)
                log->notes = ps_memory_zeroed(trace->n_locs + (size_t)1, sizeof(*log->notes));
        if (!log || !log->notes) {
                ps_wait_log_free(log);
                *out = NULL;
                return PS_NOMEM(err, "waits", trace->n_locs);
        }
        log->n_locs = trace->n_locs;
        log->ops = trace->ops;
        learn_families(log);
        return PS_OK;
}

void ps_wait_log_free(ps_wait_log *log)
{
        if (!log)
                return;
        for (ps_loc loc = 0; log->notes && loc < log->n_locs; loc++)
                free(log->notes[loc].at);
        free(log->notes);
        ps_coll_sums_free(log->colls);
        free(log);
}

static inline void put_note(struct notes *notes, const ps_instance *instance)
{
        struct noted *note = &notes->at[notes->n++];
        note->begin = instance->begin;
        note->lost = instance->lost;
        note->by = instance->partner;
        note->op = instance->at.op;
        note->pattern = instance->pattern;
}

/* Apart, so that where there is room nothing is kept for a call. */
static __attribute__((noinline)) void put_next_note(ps_wait_log *log, const ps_instance *instance)
{
        enum { SIZE = sizeof(struct noted), STEP = PS_LARGE_PAGE / SIZE };
        struct notes *notes = &log->notes[instance->at.loc];
        uint32_t first = FEW_NOTES + log->ops[instance->at.loc].n / OPS_A_WAIT;
        if (notes->n == notes->cap && ps_memory_grow(&notes->at, &notes->cap, first, SIZE)) {
                notes->is_full = true;
                return;
        }
        notes->next = notes->cap - notes->n < STEP ? notes->cap : notes->n + STEP;
        ps_memory_fill_next(notes->at, notes->n * (size_t)SIZE, notes->next * (size_t)SIZE,
                            notes->cap * (size_t)SIZE);
        put_note(notes, instance);
}

static void add_note(void *ctx, const ps_instance *instance, ps_path path)
{
        ps_wait_log *log = ctx;
        struct notes *notes = &log->notes[instance->at.loc];
        (void)path;
        if (!log->is_wait[instance->pattern] || instance->at.op == PS_NONE || instance->lost <= 0)
                return;
        if (notes->n < notes->next)
                put_note(notes, instance);
        else
                put_next_note(log, instance);
}

void ps_wait_log_listen(ps_wait_log *log, ps_analysis_options *how)
{
        how->sink = add_note;
        how->sink_ctx = log;
        how->sink_wants = log->is_wait;
        how->sink_is_shared = 1;
        how->sink_is_apart = true;
        how->sink_walk = PS_WORK_WALK_FOR_CAUSES;
        how->colls = &log->colls;
}

/* -- of another process, until causes are asked for -- */

static ps_status begin_log(void **out, const ps_trace *trace, ps_analysis_options *how, ps_error *err)
{
        ps_wait_log *log;
        PS_TRY(ps_wait_log_new(&log, trace, err));
        ps_wait_log_listen(log, how);
        *out = log;
        return PS_OK;
}

static ps_status end_log(const void *kept, ps_error *err)
{
        const ps_wait_log *log = kept;
        for (ps_loc loc = 0; loc < log->n_locs; loc++)
                if (log->notes[loc].is_full)
                        return PS_NOMEM(err, "waits", log->notes[loc].n);
        return PS_OK;
}

static void drop_log(void *kept)
{
        ps_wait_log_free(kept);
}

void ps_waits_walk_work(const ps_trace *trace, unsigned n_threads, uint8_t *asked, size_t n)
{
        static const ps_keeper keeper = {begin_log, end_log, drop_log};
        ps_walk_work_kept(&keeper, trace, n_threads, asked, n);
}

ps_status ps_wait_log_take_colls(ps_coll_sums **out, ps_wait_log *log, const struct delaying *d,
                                 ps_error *err)
{
        *out = log->colls;
        log->colls = NULL;
        return *out ? PS_OK : ps_coll_sums_new(out, d->trace, d->timing, d->options.n_threads, err);
}

ps_status ps_wait_log_take_colls_together(ps_coll_sums **out, ps_wait_log *log, const struct delaying *d,
                                          ps_error *err)
{
        if (ps_exchange_any(d->apart->x, !log->colls))
                return ps_coll_sums_together(out, d->trace, d->options.n_threads, err);
        *out = log->colls;
        log->colls = NULL;
        ps_coll_sums_take_up(*out, d->trace);
        return PS_OK;
}

bool ps_wait_log_keeps(const ps_wait_log *log, uint32_t pattern)
{
        return log->is_wait[pattern] && !log->is_taken;
}

void ps_wait_log_tell(const ps_wait_log *log, const ps_trace *trace, ps_loc loc,
                      void (*sink)(void *ctx, const ps_instance *instance, ps_path path), void *ctx)
{
        const struct notes *notes = &log->notes[loc];
        for (uint32_t i = 0; i < notes->n; i++) {
                const struct noted *note = &notes->at[i];
                const ps_instance instance = {.pattern = note->pattern,
                                              .at = {loc, note->op},
                                              .partner = note->by,
                                              .begin = note->begin,
                                              .lost = note->lost};
                sink(ctx, &instance, ps_op_path(&trace->ops[loc], note->op));
        }
}

/* -- in the order of calls -- */

struct ordering {
        struct delaying *d;
        const ps_wait_log *log;
        struct by_op by_call; /* the location's notes */
        uint32_t *order;      /* their numbers */
        const ps_time *leave; /* the location's */
        ps_loc loc;
        bool is_full;    /* memory was out */
        uint64_t waited; /* so far, in all */
        ps_time end;     /* of the last wait */
};

static bool is_wanted(const struct ordering *o, const struct noted *note)
{
        return !is_scalasca(o->d) || is_charged_by_scalasca[o->log->family[note->pattern]];
}

static inline void add_inside(struct ordering *o, const struct noted *note, ps_time begin, ps_time end)
{
        struct delaying *d = o->d;
        if (PS_ROOM(d->wait, d->n_waits, d->cap_waits)) {
                o->is_full = true;
                return;
        }
        struct waiting *w = &d->wait[d->n_waits++];
        w->end = end;
        w->before = o->waited;
        w->loc = o->loc;
        w->op = note->op;
        w->by = note->by;
        w->family = o->log->family[note->pattern];
        w->pattern = (uint8_t)note->pattern;
        w->is_cut = false;
        w->is_caused = note->by.op != PS_NONE && note->by.loc != o->loc;
        w->excess = w->waited = 0;
        w->first = w->behind = 0;
        o->waited += (uint64_t)(end - begin);
        o->end = end;
}

/* What of a wait lies in the focus: in each of its spans. */
static void add_in_focus(struct ordering *o, const struct noted *note, ps_time begin, ps_time end)
{
        const struct delaying *d = o->d;
        for (uint32_t s = span_after(d, begin); s < d->n_spans && d->span[s].begin < end; s++) {
                ps_time from = later(begin, d->span[s].begin), to = earlier(end, d->span[s].end);
                if (to > from)
                        add_inside(o, note, from, to);
        }
}

/* Where a call waits several times, it does so one after the other. */
static inline void add_wait(struct ordering *o, const struct noted *note)
{
        const struct delaying *d = o->d;
        ps_time begin = note->begin;
        if (!is_wanted(o, note))
                return;
        if (!is_scalasca(d))
                begin = later(begin, o->end);
        ps_time end = ps_time_add(begin, note->lost);
        if (!is_scalasca(d))
                end = earlier(end, o->leave[note->op]);
        if (end <= begin)
                return;
        if (begin >= d->span->begin && end <= d->span->end)
                add_inside(o, note, begin, end);
        else
                add_in_focus(o, note, begin, end);
}

/* Were they found in the order of their calls? So it is unless the walk looks at several kinds of calls one
 * after the other. */
static bool are_in_order(const struct notes *notes)
{
        ps_blocks_look();
        for (uint32_t i = 1; i < notes->n; i++)
                if (notes->at[i].op < notes->at[i - 1].op)
                        return false;
        return true;
}

/* In the order of their calls; of one call as they were found. */
static void add_waits_noted(struct ordering *o)
{
        const struct notes *notes = &o->log->notes[o->loc];
        if (are_in_order(notes)) {
                for (uint32_t i = 0; i < notes->n; i++) {
                        ps_blocks_keep();
                        add_wait(o, &notes->at[i]);
                }
                return;
        }
        for (uint32_t i = notes->n; i-- > 0;)
                by_op_put(&o->by_call, notes->at[i].op, i);
        by_op_order(&o->by_call, o->order, notes->n);
        for (uint32_t i = 0; i < notes->n; i++) {
                ps_blocks_keep();
                add_wait(o, &notes->at[o->order[i]]);
        }
}

static void order_location(struct ordering *o)
{
        struct timeline *line = &o->d->line[o->loc];
        line->wait = o->d->n_waits;
        line->counts = ps_focus_tells(o->d->trace, o->d->timing, o->loc);
        o->leave = o->d->timing->leave[o->loc];
        o->end = INT64_MIN;
        add_waits_noted(o);
        line->n_waits = o->d->n_waits - line->wait;
        o->d->first[o->loc + 1] = o->d->n_waits;
        memset(o->d->out->sum[o->loc], 0, sizeof(*o->d->out->sum));
}

static void find_odd(struct delaying *d, const ps_wait_log *log)
{
        for (uint32_t p = 0; p < ps_pattern_count(); p++)
                d->odd[p] = is_order(p) ? ODD_ORDER : log->family[p] == PS_DELAY_LOCK ? ODD_LOCK : NOT_ODD;
}

/* Behind the last wait, so that each has a length. */
static void end_waits(struct ordering *o)
{
        struct delaying *d = o->d;
        if (PS_ROOM(d->wait, d->n_waits, d->cap_waits))
                o->is_full = true;
        else
                d->wait[d->n_waits].before = o->waited;
}

static void empty(struct notes *notes)
{
        ps_memory_pass_on_touched(notes->at, notes->n * sizeof(*notes->at));
        *notes = (struct notes){0};
}

void ps_waits_count_causers(uint64_t *n, const ps_wait_log *log, const uint32_t *owner)
{
        for (ps_loc loc = 0; loc < log->n_locs; loc++)
                for (uint32_t i = 0; i < log->notes[loc].n; i++)
                        if (log->notes[loc].at[i].by.op != PS_NONE)
                                n[owner[log->notes[loc].at[i].by.loc]]++;
}

/* What notes of locations before have left becomes room for so many waits more. */
static void fill_next(struct delaying *d, size_t n)
{
        const size_t size = sizeof(*d->wait), from = d->n_waits * size;
        ps_memory_fill_next(d->wait, from, from + n * size, d->cap_waits * size);
}

ps_status ps_waits_order(struct delaying *d, ps_wait_log *log, size_t more, ps_error *err)
{
        size_t n = 0, most = 0, most_ops = 0;
        for (ps_loc loc = 0; loc < log->n_locs; loc++) {
                const struct notes *notes = &log->notes[loc];
                if (notes->is_full)
                        return PS_NOMEM(err, "waits", notes->n);
                n += notes->n;
                most = notes->n > most ? notes->n : most;
                most_ops = d->trace->ops[loc].n > most_ops ? d->trace->ops[loc].n : most_ops;
        }
        struct ordering o = {.d = d, .log = log, .order = ps_memory_again((most + 1) * sizeof(*o.order))};
        ps_status status = by_op_new(&o.by_call, most_ops, most, err);
        d->wait = n + more < PS_NONE ? ps_memory_new((n + more + 1) * sizeof(*d->wait)) : NULL;
        d->cap_waits = (uint32_t)(n + more) + 1;
        PS_THEN(status, d->wait && o.order ? PS_OK : PS_NOMEM(err, "waits", n));
        log->is_taken = d->options.takes_log;
        find_odd(d, log);
        for (; o.loc < d->trace->n_locs && status == PS_OK; o.loc++) {
                fill_next(d, log->notes[o.loc].n);
                order_location(&o);
                if (log->is_taken)
                        empty(&log->notes[o.loc]);
        }
        if (status == PS_OK)
                end_waits(&o);
        by_op_free(&o.by_call);
        ps_memory_pass_on(o.order);
        return o.is_full ? PS_NOMEM(err, "waits", d->n_waits) : status;
}
