/* forward.c - see forward.h.
 *
 * Causes go forward in the order of time: the part of a wait that is due to a cause is what the cause was
 * charged with directly, and the same parts of the waits that it inherits from. That tells which places and
 * processes wait for a cause, also where others stand in between. */
#include "patterns/causes/forward.h"
#include "patterns/causes/apart.h"
#include "patterns/causes/known.h"

#include "core/base/blocks.h"
#include "core/base/memory.h"
#include "core/base/radix.h"
#include "core/base/vector.h"
#include "core/order/newer.h"

#include <assert.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* What is due to each cause. It is aligned so that sums are added to where they stand. */
struct parts {
        _Alignas(max_align_t) double sum[PS_CAUSES_TOLD];
};

static const struct parts nothing;

/* What the waits of a location so far pass on, and how long they are. Between two of these with as many
 * changes there is nothing that is due to a cause: mostly so where there are many. */
struct passed {
        struct parts parts;
        ps_time waited; /* where not all waits are here */
        uint64_t changes;
};

/* What each wait asks of its location and of its causer's, in one place. */
struct lane {
        struct passed so_far;     /* what its waits so far pass on. A wait of which something is not explained
                                     passes on as much as if all were */
        struct parts *by_process; /* where it is added for the location's process */
        struct known known;
        const ps_ops *ops;
        const uint8_t *row;      /* of its first cost; NULL: no cause that goes forward is one of them */
        const struct part *part; /* of the waits that it ended */
        uint32_t first;          /* its first wait */
};

struct forward {
        struct delaying *d;
        const ps_analysis *analysis;
        ps_causes *out;
        uint32_t n;           /* of its rows: those that go forward */
        struct lane *lane;    /* by location */
        struct place *places; /* of the findings of all */
        uint8_t *row; /* by cost, as they were found: number of the cause that goes forward, + 1; 0: none */
        uint8_t *has_rows;     /* by location */
        uint8_t *asks;         /* by wait: how often that is read later */
        uint32_t *slot;        /* by wait: where it is kept until then */
        struct passed *passed; /* by slot; in slot 0 is what there is before a location's first wait */
        uint32_t n_slots, cap_slots;
        uint32_t unused; /* a slot whose `changes` are the next such slot; 0: there is none */
        bool is_full;    /* memory was out */
        struct parts *by_finding, *by_process; /* behind the last: what belongs to none that is told */
};

/* Room for those of each location; mask: how many there are. */
static ps_status make_places(struct forward *f, ps_error *err)
{
        const struct lane *const behind = f->lane + f->d->trace->n_locs;
        size_t n = 0;
        for (struct lane *lane = f->lane; lane < behind; lane++) {
                struct known *known = &lane->known;
                const unsigned bits = bits_for(known->mask);
                known->shift = 32 - bits;
                known->mask = (uint32_t)(((uint64_t)1 << bits) - 1);
                n += known->mask + (size_t)1;
        }
        f->places = ps_memory_new((n + 1) * sizeof(*f->places));
        if (!f->places)
                return PS_NOMEM(err, "findings", n);
        memset(f->places, 0xff, n * sizeof(*f->places));
        struct place *at = f->places;
        for (struct lane *lane = f->lane; lane < behind; lane++) {
                lane->known.at = at;
                at += lane->known.mask + (size_t)1;
        }
        return PS_OK;
}

static ps_status learn_findings(struct forward *f, ps_error *err)
{
        const ps_finding *of = f->analysis->findings;
        const uint32_t n = f->d->trace->n_paths < PS_NONE / PS_MAX_PATTERNS ? f->analysis->n_findings : 0;
        for (uint32_t i = 0; i < n; i++)
                f->lane[of[i].location].known.mask += f->d->line[of[i].location].counts;
        PS_TRY(make_places(f, err));
        for (uint32_t i = 0; i < n; i++) {
                const uint32_t key = place_key(of[i].pattern, of[i].path);
                if (f->d->line[of[i].location].counts)
                        *place_of(&f->lane[of[i].location].known, key) = (struct place){key, i};
        }
        return PS_OK;
}

/* Which finding a wait belongs to; behind the last: to none that is told. Few waits are asked. */
static inline uint32_t finding_of(const struct forward *f, const struct apart *a, const struct waiting *w)
{
        const bool is_lent = a && w == a->shown->wait;
        const struct lane *lane = &f->lane[w->loc];
        const uint32_t key = is_lent ? a->shown->key : place_key(w->pattern, ps_op_path(lane->ops, w->op)),
                       finding = place_of(&lane->known, key)->finding;
        return finding == PS_NONE ? f->analysis->n_findings : finding;
}

/* What all waits of the location before number `i` pass on. */
static inline const struct passed *passed_before(const struct forward *f, const struct lane *lane, uint32_t i)
{
        return &f->passed[i > lane->first ? f->slot[i - 1] : 0];
}

/* 0: memory is out. */
static __attribute__((noinline)) uint32_t add_slot(struct forward *f)
{
        f->is_full |= PS_ROOM(f->passed, f->n_slots, f->cap_slots) != 0;
        return f->is_full ? 0 : f->n_slots++;
}

/* Heirs will read what the location has passed on up to its wait number `i`. */
__attribute__((always_inline)) static inline void keep_passed(struct forward *f, uint32_t i,
                                                              const struct passed *passed)
{
        const uint32_t slot = f->slot[i] = f->unused ? f->unused : add_slot(f);
        if (f->unused)
                f->unused = (uint32_t)f->passed[slot].changes;
        if (slot)
                f->passed[slot] = *passed;
}

/* One of the heirs has read it. */
static inline void forget_passed(struct forward *f, uint32_t i)
{
        const uint32_t slot = f->slot[i];
        if (f->asks[i] == MANY_ASKS || --f->asks[i] || !slot)
                return;
        f->passed[slot].changes = f->unused;
        f->unused = slot;
}

/* `w` has read what it inherits. */
__attribute__((always_inline)) static inline void forget_ends(struct forward *f, const struct apart *a,
                                                              const struct waiting *w)
{
        const uint32_t base = base_of_all(a, w->by.loc), first = base + w->first;
        forget_passed(f, base + w->behind - 1);
        if (first > f->lane[w->by.loc].first)
                forget_passed(f, first - 1);
        if (w->is_cut)
                forget_passed(f, first);
}

/* What of a wait is due to causes: `own` directly, and `rate` of what the waits that it inherits from passed
 * on, which is `last` less `before`, and less `cut` of what the first of them did: `first` less `before`. */
struct due {
        struct parts own;
        const struct passed *before, *first, *last;
        double rate, cut;
};

/* What the waits passed on that it inherits from. Is anything of that due to a cause? */
__attribute__((always_inline)) static inline bool inherits_due(const struct forward *f, const struct apart *a,
                                                               const struct waiting *w, struct due *due)
{
        const uint32_t base = base_of_all(a, w->by.loc);
        const struct lane *lane = &f->lane[w->by.loc];
        if (!inherits(w))
                return false;
        due->before = due->first = passed_before(f, lane, base + w->first);
        due->last = passed_before(f, lane, base + w->behind);
        return due->last->changes != due->before->changes;
}

__attribute__((always_inline)) static inline void inherit_parts(const struct forward *f,
                                                                const struct apart *a,
                                                                const struct waiting *w, ps_time indirect,
                                                                struct due *due)
{
        due->rate = (double)indirect / (double)w->waited;
        due->cut = 0;
        if (!w->is_cut)
                return;
        due->first = passed_before(f, &f->lane[w->by.loc], base_of_all(a, w->by.loc) + w->first + 1);
        const ps_time inherited =
                a ? due->last->waited - due->before->waited : waited_between(f->d, w->first, w->behind);
        const ps_time of_first =
                a ? due->first->waited - due->before->waited : length_of(&f->d->wait[w->first]);
        due->cut = (double)(inherited - w->waited) / (double)of_first;
}

/* Where what is due of a wait is added: to the process and the finding, and `times` as much to what
 * the location passes on. */
struct sinks {
        const struct forward *f;
        const struct apart *a;
        const struct waiting *w;
        struct passed *so_far;
        struct parts *by_process, *by_finding; /* by_finding: NULL: not asked for yet */
        double times;
};

static inline struct parts *by_finding_of(struct sinks *to)
{
        if (!to->by_finding)
                to->by_finding = &to->f->by_finding[finding_of(to->f, to->a, to->w)];
        return to->by_finding;
}

__attribute__((always_inline)) static inline void add_due(const struct due *due, bool has_cut, double times,
                                                          struct parts *restrict so_far,
                                                          struct parts *restrict by_process,
                                                          struct parts *restrict by_finding)
{
        const struct parts *before = &due->before->parts, *first = &due->first->parts,
                           *last = &due->last->parts;
        const double rate = due->rate, cut = due->cut;
        for (unsigned c = 0; c < PS_CAUSES_TOLD; c++) {
                double inherited = last->sum[c] - before->sum[c];
                if (has_cut)
                        inherited -= cut * (first->sum[c] - before->sum[c]);
                double part = due->own.sum[c] + rate * inherited;
                so_far->sum[c] += times * part;
                by_process->sum[c] += part;
                by_finding->sum[c] += part;
        }
}

/* What belongs to a cause directly goes to `own`, or else where it belongs. */
struct direct {
        struct sinks *to;
        struct parts *own;
        bool is_any;
};

static inline void add_charged(void *direct, uint32_t cause, ps_time charged)
{
        struct direct *add = direct;
        struct sinks *to = add->to;
        const double time = (double)charged;
        add->is_any = true;
        if (add->own) {
                add->own->sum[cause] = time;
                return;
        }
        to->so_far->parts.sum[cause] += to->times * time;
        to->by_process->sum[cause] += time;
        by_finding_of(to)->sum[cause] += time;
}

/* By whoever explained it. Is there anything? */
static bool add_told(const struct apart *a, const struct waiting *w, struct sinks *to, struct parts *own)
{
        const struct lent *lent = &a->lent[w->loc];
        const struct part *due = lent->now.due + w->part, *end = due + (w[1].part - w->part);
        const bool is_any = due < end;
        for (; own && due < end; due++)
                own->sum[due->cost] = (double)due->time;
        for (struct parts *by_finding = due < end ? by_finding_of(to) : NULL; due < end; due++) {
                to->so_far->parts.sum[due->cost] += to->times * (double)due->time;
                to->by_process->sum[due->cost] += (double)due->time;
                by_finding->sum[due->cost] += (double)due->time;
        }
        return is_any;
}

/* Is there anything? */
__attribute__((always_inline)) static inline bool add_own(const struct forward *f, const struct apart *a,
                                                          const struct waiting *w, ps_time direct,
                                                          struct sinks *to, struct parts *own)
{
        const struct lane *causer = &f->lane[w->by.loc];
        struct direct add = {to, own, false};
        if (!causer->row)
                return false;
        if (a)
                return add_told(a, w, to, own);
        add_direct(causer->part + w->part, causer->row, w->excess, direct, add_charged, &add);
        return add.is_any;
}

/* The parts of a wait that somebody ended; those that it inherits from had their turn. */
__attribute__((always_inline)) static inline void add_parts(struct forward *f, const struct apart *a,
                                                            const struct waiting *w)
{
        struct due due;
        const bool has_due = inherits_due(f, a, w, &due);
        if (!has_due && !f->lane[w->by.loc].row)
                return;
        struct lane *lane = &f->lane[w->loc];
        struct sinks to = {f, a, w, &lane->so_far, lane->by_process, NULL, 1};
        const struct split split = ps_split_of(f->d, w);
        const ps_time explained = split.direct + split.indirect;
        if (explained != length_of(w))
                to.times = explained ? (double)length_of(w) / (double)explained : 0;
        if (!has_due) {
                to.so_far->changes += add_own(f, a, w, split.direct, &to, NULL);
                return;
        }
        due.own = nothing;
        inherit_parts(f, a, w, split.indirect, &due);
        (void)add_own(f, a, w, split.direct, &to, &due.own);
        to.so_far->changes++;
        add_due(&due, w->is_cut, to.times, &to.so_far->parts, to.by_process, by_finding_of(&to));
}

/* Whose wait is it? */
__attribute__((always_inline)) static inline ps_loc location_of(const struct delaying *d,
                                                                const struct apart *a, uint32_t i)
{
        uint32_t low = 0;
        if (!a)
                return d->wait[i].loc;
        PS_SEARCH(low, d->trace->n_locs, loc, a->first[loc + 1] <= i);
        return low;
}

__attribute__((always_inline)) static inline void go_forward(struct forward *f, const struct apart *a,
                                                             uint32_t i)
{
        const ps_loc loc = location_of(f->d, a, i);
        const struct waiting *w = wait_of_all(f->d, a, loc, i);
        if (w->is_caused)
                add_parts(f, a, w);
        if (inherits(w))
                forget_ends(f, a, w);
        if (a)
                f->lane[loc].so_far.waited += length_of(w);
        if (f->asks[i])
                keep_passed(f, i, &f->lane[loc].so_far);
}

/* Descending. */
static uint64_t by_waiting(const void *caused)
{
        return ~ps_radix_signed(((const ps_caused *)caused)->waiting);
}

static ps_status keep_parts(const struct forward *f, uint32_t c, ps_cause *cause, ps_error *err)
{
        uint32_t n_findings = f->analysis->n_findings, n_processes = f->d->trace->defs.processes.n;
        uint32_t cap_findings = 0;
        int failed = 0;
        for (uint32_t i = 0; i < n_findings; i++)
                if (f->by_finding[i].sum[c] >= (double)PS_PS_PER_NS)
                        failed |= PS_APPEND(cause->findings, cause->n_findings, cap_findings,
                                            (ps_caused){i, (ps_time)(f->by_finding[i].sum[c] + 0.5)});
        cause->processes = ps_memory_new((n_processes + (size_t)1) * sizeof(*cause->processes));
        cause->waits = ps_memory_new((n_processes + (size_t)1) * sizeof(*cause->waits));
        failed |= !cause->processes || !cause->waits;
        for (ps_proc p = 0; !failed && p < n_processes; p++)
                if (f->by_process[p].sum[c] >= (double)PS_PS_PER_NS) {
                        cause->processes[cause->n_processes] = p;
                        cause->waits[cause->n_processes++] = (ps_time)(f->by_process[p].sum[c] + 0.5);
                }
        failed |= ps_radix_sort(cause->findings, cause->n_findings, sizeof(*cause->findings),
                                (ps_row_number *[]){by_waiting}, 1);
        cause->is_told = true;
        return failed ? PS_NOMEM(err, "causes", n_findings) : PS_OK;
}

/* Marks the costs of a cause. */
static void mark_row(const struct forward *f, const ps_cause *cause, uint8_t row)
{
        const struct delaying *d = f->d;
        if (cause->location == PS_NONE)
                return;
        uint32_t i = d->costs[cause->location];
        while (d->out->cost[i].path != cause->path)
                i++;
        assert(i < d->costs[cause->location + 1]);
        f->row[i] = row;
        f->has_rows[cause->location] = 1;
}

/* Once the rows of causes are marked. */
static void make_lane(const struct forward *f, struct lane *lane, ps_loc loc)
{
        const struct delaying *d = f->d;
        const ps_defs *defs = &d->trace->defs;
        const ps_proc process = d->line[loc].counts ? defs->locations.row[loc].process : defs->processes.n;
        lane->by_process = &f->by_process[process];
        lane->ops = d->line[loc].ops;
        lane->row = f->has_rows[loc] ? f->row + d->costs[loc] : NULL;
        lane->part = d->parts[loc].row;
        lane->first = first_of_all(d, d->apart, loc);
}

/* What is to be known of each wait before. */
static ps_status prepare(struct forward *f, ps_error *err)
{
        if (PS_ROOM(f->passed, f->n_slots, f->cap_slots))
                return PS_NOMEM(err, "causes", f->n_slots);
        memset(&f->passed[f->n_slots++], 0, sizeof(*f->passed));
        for (uint32_t c = 0; c < f->n; c++)
                mark_row(f, &f->out->row[c], (uint8_t)(c + 1));
        for (ps_loc loc = 0; loc < f->d->trace->n_locs; loc++)
                make_lane(f, &f->lane[loc], loc);
        if (f->d->apart)
                PS_TRY(ps_apart_go_forward(f->d, &(struct asked_forward){f->row, f->has_rows}, err));
        return learn_findings(f, err);
}

__attribute__((always_inline)) static inline void go_all_forward(struct forward *f, const struct apart *a)
{
        for (uint32_t i = count_of_all(f->d); i-- > 0;) {
                ps_blocks_keep();
                go_forward(f, a, f->d->order[i]);
        }
}

/* Where all waits are here. */
static void go_here(struct forward *f)
{
        go_all_forward(f, NULL);
}

PS_NEWER static void go_here_newer(struct forward *f)
{
        go_all_forward(f, NULL);
}

static ps_status tell_forward(struct forward *f, ps_error *err)
{
        struct delaying *d = f->d;
        ps_status status = prepare(f, err);
        if (status == PS_OK && d->apart)
                go_all_forward(f, d->apart);
        else if (status == PS_OK)
                (ps_newer_can() ? go_here_newer : go_here)(f);
        if (d->apart && d->options.keeps_chains)
                PS_THEN(status, ps_apart_find_chains(d, f->analysis, err));
        ps_apart_close(d);
        PS_THEN(status, f->is_full ? PS_NOMEM(err, "causes", f->n_slots) : PS_OK);
        for (uint32_t c = 0; c < f->n && status == PS_OK; c++)
                if (f->out->row[c].location != PS_NONE)
                        status = keep_parts(f, c, &f->out->row[c], err);
        return status;
}

/* Each row is so short that it is cleared without a call. */
static struct parts *parts_new(size_t n)
{
        struct parts *parts = ps_memory_new(n * sizeof(*parts));
        for (size_t i = 0; parts && i < n; i++)
                memset(&parts[i], 0, sizeof(*parts));
        return parts;
}

ps_status ps_forward_tell(ps_causes *out, struct delaying *d, const ps_analysis *analysis, ps_error *err)
{
        size_t n = count_of_all(d) + (size_t)1, n_locs = d->trace->n_locs + (size_t)1;
        size_t n_findings = analysis->n_findings + (size_t)1;
        size_t n_processes = d->trace->defs.processes.n + (size_t)1;
        struct forward f = {.d = d,
                            .analysis = analysis,
                            .out = out,
                            .n = out->n < PS_CAUSES_TOLD ? out->n : PS_CAUSES_TOLD,
                            .lane = ps_memory_zeroed(n_locs, sizeof(*f.lane)),
                            .row = ps_memory_zeroed(d->out->n_costs + (size_t)1, sizeof(*f.row)),
                            .has_rows = ps_memory_zeroed(n_locs, sizeof(*f.has_rows)),
                            .asks = d->asks,
                            .slot = ps_memory_again(n * sizeof(*f.slot)),
                            .by_finding = parts_new(n_findings),
                            .by_process = parts_new(n_processes)};
        bool has_room = f.lane && f.row && f.has_rows && f.asks && f.slot && f.by_finding && f.by_process;
        ps_status status = has_room ? tell_forward(&f, err) : PS_NOMEM(err, "causes", n);
        free(f.lane);
        free(f.places);
        free(f.row);
        free(f.has_rows);
        free(f.asks);
        d->asks = NULL;
        free(f.slot);
        free(f.passed);
        free(f.by_finding);
        free(f.by_process);
        return status;
}
