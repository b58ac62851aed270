/* apart_waits.c - apart.h: what two processes tell each other of the waits of one that the other one ended.
 */
#include "patterns/causes/apart.h"
#include "patterns/causes/start.h"

#include "core/base/memory.h"
#include "core/base/parallel.h"
#include "core/exchange/letters.h"

#include <stdlib.h>
#include <string.h>

ps_status ps_apart_tell(struct delaying *d,
                        ps_status (*write)(ps_numbers *letters, struct delaying *d, void *ctx, ps_error *err),
                        ps_status (*read)(struct delaying *d, const ps_pile *in, void *ctx, ps_error *err),
                        void *ctx, ps_error *err)
{
        ps_exchange *x = d->apart->x;
        ps_numbers *letters = NULL;
        ps_pile in;
        ps_status status = ps_letters_new(&letters, x, err);
        PS_THEN(status, write(letters, d, ctx, err));
        PS_TRY(ps_letters_deal(&in, letters, x, status, err));
        status = read(d, &in, ctx, err);
        ps_pile_pass_on(&in);
        return ps_exchange_agree(x, status, err);
}

/* -- that they are -- */

/* Where the focus has several spans, which divide waits, they may become more. */
static ps_status make_crossing(struct apart *a, const uint64_t *n, ps_error *err)
{
        for (uint32_t p = 0; p < a->x->size; p++) {
                struct crossing *crossing = &a->crossing[p];
                if (p == a->x->rank || !n[p])
                        continue;
                crossing->wait = n[p] < PS_NONE ? ps_memory_again(n[p] * sizeof(*crossing->wait)) : NULL;
                if (!crossing->wait)
                        return PS_NOMEM(err, "waits", n[p]);
                crossing->cap = (uint32_t)n[p];
        }
        return PS_OK;
}

static ps_status count_crossing(uint64_t **n, const struct delaying *d, const ps_wait_log *log, ps_error *err)
{
        struct apart *a = d->apart;
        *n = calloc(a->x->size, sizeof(**n));
        a->crossing = calloc(a->x->size, sizeof(*a->crossing));
        if (!*n || !a->crossing)
                return PS_NOMEM(err, "processes", a->x->size);
        a->n_crossing = a->x->size;
        ps_waits_count_causers(*n, log, a->owner);
        return make_crossing(a, *n, err);
}

ps_status ps_apart_expect(struct delaying *d, const ps_wait_log *log, ps_error *err)
{
        ps_exchange *x = d->apart->x;
        uint64_t *n, of;
        const ps_status status = ps_exchange_agree(x, count_crossing(&n, d, log, err), err);
        for (uint64_t phase = 1; phase < x->size && status == PS_OK; phase++) {
                const uint32_t to = (uint32_t)((x->rank + phase) % x->size),
                               from = (uint32_t)((x->rank + x->size - phase) % x->size);
                ps_exchange_swap(x, to, &n[to], sizeof(n[to]), from, &of, sizeof(of));
                d->apart->n_expected += of;
        }
        free(n);
        return status;
}

/* A wait, as whoever ended it is told of it. */
struct told_wait {
        ps_time end, length;
        ps_ref by;
        ps_loc loc;
        uint8_t family, pattern, none[2];
};

static ps_status write_wait(ps_numbers *letters, const struct delaying *d, uint32_t i, ps_error *err)
{
        const struct waiting *w = &d->wait[i];
        const uint32_t to = owner_of(d, w->by.loc);
        struct crossing *crossing = &d->apart->crossing[to];
        const struct told_wait told = {.end = w->end,
                                       .length = length_of(w),
                                       .by = w->by,
                                       .loc = w->loc,
                                       .family = w->family,
                                       .pattern = w->pattern};
        if (to == d->apart->x->rank)
                return PS_OK;
        if (PS_APPEND(crossing->wait, crossing->n, crossing->cap, i))
                return PS_NOMEM(err, "waits", crossing->n);
        ps_numbers_put_plain(&letters[to], &told, sizeof(told));
        return PS_OK;
}

static ps_status write_waits(ps_numbers *letters, struct delaying *d, void *ctx, ps_error *err)
{
        struct apart *a = d->apart;
        (void)ctx;
        a->n_own = d->n_waits;
        a->told = calloc(a->x->size, sizeof(*a->told));
        if (!a->told)
                return PS_NOMEM(err, "processes", a->x->size);
        for (uint32_t p = 0; p < a->x->size; p++)
                ps_letter_expect(&letters[p], a->crossing[p].cap, sizeof(struct told_wait));
        for (uint32_t i = 0; i < d->n_waits; i++)
                if (d->wait[i].is_caused)
                        PS_TRY(write_wait(letters, d, i, err));
        return PS_OK;
}

static void take_waits_of(struct delaying *d, const uint8_t *at, uint64_t n, uint64_t *waited)
{
        for (; n; n--) {
                struct told_wait told;
                ps_numbers_take_plain(&at, &told, sizeof(told));
                d->wait[d->n_waits++] = (struct waiting){.end = told.end,
                                                         .before = *waited,
                                                         .waiter = {.op = PS_NONE},
                                                         .by = told.by,
                                                         .loc = told.loc,
                                                         .op = PS_NONE,
                                                         .family = told.family,
                                                         .pattern = told.pattern,
                                                         .is_caused = true};
                *waited += (uint64_t)told.length;
                if (!d->line[told.loc].n_waits++)
                        d->line[told.loc].wait = d->n_waits - 1;
        }
}

/* More than were expected there are where the focus has several spans, which divide waits. */
static bool has_room(struct delaying *d, uint64_t n)
{
        if (n <= d->cap_waits)
                return true;
        struct waiting *all = n < PS_NONE ? realloc(d->wait, n * sizeof(*d->wait)) : NULL;
        if (!all)
                return false;
        d->wait = all;
        d->cap_waits = (uint32_t)n;
        return true;
}

static ps_status take_waits(struct delaying *d, const ps_pile *in, void *ctx, ps_error *err)
{
        (void)ctx;
        struct apart *a = d->apart;
        const uint64_t n = in->end[a->x->size - 1] / sizeof(struct told_wait);
        const size_t size = sizeof(*d->wait), own = (a->n_own + (size_t)1) * size;
        uint64_t waited = d->wait[a->n_own].before;
        if (!has_room(d, a->n_own + n + 2))
                return PS_NOMEM(err, "waits", a->n_own + n);
        ps_memory_fill_next(d->wait, own, own + n * size, d->cap_waits * size);
        d->wait[a->n_own] = (struct waiting){.before = waited};
        d->n_waits = a->n_own + 1;
        for (uint32_t p = 0; p < a->x->size; p++) {
                size_t bytes;
                const uint8_t *at = ps_pile_part(in, p, &bytes);
                take_waits_of(d, at, bytes / sizeof(struct told_wait), &waited);
                a->told[p] = d->n_waits;
        }
        d->wait[d->n_waits] = (struct waiting){.before = waited};
        return PS_OK;
}

ps_status ps_apart_deal(struct delaying *d, ps_error *err)
{
        return ps_apart_tell(d, write_waits, take_waits, NULL, err);
}

/* -- since when the two sides are compared -- */

static const ps_time NOWHERE = INT64_MIN;

/* When the ones who ended the waits had left the call in which the two had last waited for each other. */
static ps_status write_lefts(ps_numbers **out, const struct delaying *d, ps_error *err)
{
        const struct apart *a = d->apart;
        PS_TRY(ps_letters_new(out, a->x, err));
        for (uint32_t p = 0; p < a->x->size; p++) {
                ps_letter_expect(*out + p, a->told[p] - first_told(a, p), sizeof(ps_time));
                for (uint32_t i = first_told(a, p); i < a->told[p]; i++) {
                        const struct waiting *w = &d->wait[i];
                        const ps_time left =
                                w->causer.op == PS_NONE ? NOWHERE : d->timing->leave[w->by.loc][w->causer.op];
                        ps_numbers_put_plain(*out + p, &left, sizeof(left));
                }
        }
        return PS_OK;
}

/* -- what the waiter did since then -- */

struct writing {
        const struct delaying *d;
        const ps_pile *lefts;
        ps_numbers *letters; /* by process */
        struct sums *sums;   /* by worker */
};

/* Of few paths: which took time; how long before the end of the wait the window began; and how long each
 * took. All of them have four bytes or, where that is not enough, eight: then `window` is WIDE and it comes
 * first. */
struct told_few {
        uint32_t paths, window; /* paths: bits */
};

enum { NARROW = sizeof(uint32_t) };

#define WIDE UINT32_MAX

/* Its bytes. */
static inline size_t few_at(const uint8_t *at)
{
        struct told_few head;
        memcpy(&head, at, sizeof(head));
        const size_t n = (size_t)__builtin_popcount(head.paths);
        return sizeof(head) + (head.window == WIDE ? (n + 1) * sizeof(ps_time) : n * NARROW);
}

/* Where one of them does not fit. Gives their end. */
static __attribute__((noinline)) uint8_t *put_wide(uint8_t *at, const ps_time *few, uint32_t paths,
                                                   ps_time window)
{
        memcpy(at, &window, sizeof(window));
        at += sizeof(window);
        for (uint32_t left = paths; left; left &= left - 1, at += sizeof(*few))
                memcpy(at, &few[__builtin_ctz(left)], sizeof(*few));
        return at;
}

/* The sums are clear afterwards. */
static void put_few(ps_numbers *to, struct sums *sums, ps_time begin, ps_time end)
{
        const ps_time window = ps_time_sub(end, begin);
        const uint32_t n = sums->same->n;
        struct told_few head = {0, (uint32_t)window};
        uint64_t any = (uint64_t)window; /* all of them together */
        if (!ps_numbers_have_room(to, sizeof(head) + (FEW_PATHS + (size_t)1) * sizeof(ps_time)))
                return;
        uint8_t *const begun = to->row + to->n, *at = begun + sizeof(head);
        for (uint32_t i = 0; i < n; i++) {
                const ps_time time = sums->few[i];
                const uint32_t narrow = (uint32_t)time;
                memcpy(at, &narrow, sizeof(narrow));
                at += time ? NARROW : 0;
                head.paths |= (uint32_t)(time != 0) << i;
                any |= (uint64_t)time;
        }
        if (any >= WIDE) {
                head.window = WIDE;
                at = put_wide(begun + sizeof(head), sums->few, head.paths, window);
        }
        memcpy(begun, &head, sizeof(head));
        to->n += (size_t)(at - begun);
        sums_clear(sums);
}

static ps_time take_few(struct sums *sums, const uint8_t *at, ps_time end)
{
        struct told_few head;
        ps_numbers_take_plain(&at, &head, sizeof(head));
        const bool is_wide = head.window == WIDE;
        ps_time window = head.window;
        if (is_wide)
                ps_numbers_take_plain(&at, &window, sizeof(window));
        for (uint32_t left = head.paths; left; left &= left - 1) {
                uint32_t narrow = 0;
                ps_time wide = 0;
                if (is_wide)
                        ps_numbers_take_plain(&at, &wide, sizeof(wide));
                else
                        ps_numbers_take_plain(&at, &narrow, sizeof(narrow));
                sums->few[__builtin_ctz(left)] += is_wide ? wide : narrow;
        }
        return end - window;
}

/* Of many: the bytes of what follows; the window; and pairs of a path and a time, as many as there is room
 * for beside each other. */
enum { A_PAIR = 2 };

static inline size_t many_at(const uint8_t *at)
{
        uint32_t bytes;
        memcpy(&bytes, at, sizeof(bytes));
        return sizeof(bytes) + bytes;
}

static void put_many(ps_numbers *to, struct sums *sums, ps_time begin, ps_time end)
{
        const size_t from = to->n;
        uint32_t bytes;
        ps_packing row;
        if (!ps_numbers_have_room(to, sizeof(bytes)))
                return;
        to->n += sizeof(bytes);
        if (!ps_packing_begin(&row, to))
                return;
        ps_packing_put(&row, ps_time_sub(end, begin));
        for (uint32_t i = 0, n = sums_n(sums); i < n; i++) {
                const ps_path path = sums_path(sums, i);
                const ps_time time = sums_at(sums, path);
                if (!time)
                        continue;
                if (row.n + A_PAIR > PS_PACKED_MOST) {
                        ps_packing_end(&row, to);
                        if (!ps_packing_begin(&row, to))
                                return;
                }
                ps_packing_put(&row, path);
                ps_packing_put(&row, time);
        }
        ps_packing_end(&row, to);
        bytes = (uint32_t)(to->n - from - sizeof(bytes));
        memcpy(to->row + from, &bytes, sizeof(bytes));
        sums_clear(sums);
}

static void write_sums_of(ps_numbers *to, const struct delaying *d, const struct waiting *w, ps_time begin,
                          struct sums *sums)
{
        const struct window window = {begin,
                                      earlier(d->timing->enter[w->loc][w->op], begin_of(w)),
                                      {w->waiter.op, w->op, w->waiter.wait}};
        ps_own_add(sums, d, w->loc, &window);
        (sums->few ? put_few : put_many)(to, sums, begin, w->end);
}

static ps_status write_sums(void *ctx, uint32_t process, unsigned worker, ps_error *err)
{
        const struct writing *writing = ctx;
        const struct delaying *d = writing->d;
        enum { BYTES = 32 };
        size_t bytes;
        const uint8_t *at = ps_pile_part(writing->lefts, process, &bytes);
        (void)err;
        const struct crossing *crossing = &d->apart->crossing[process];
        ps_letter_expect(&writing->letters[process], crossing->n, BYTES);
        for (uint32_t i = 0; i < crossing->n; i++) {
                const struct waiting *w = &d->wait[crossing->wait[i]];
                ps_time begin = begin_of_span(d, w);
                ps_time left;
                ps_numbers_take_plain(&at, &left, sizeof(left));
                if (left != NOWHERE && w->waiter.op != PS_NONE)
                        begin = later(begin, earlier(d->timing->leave[w->loc][w->waiter.op], left));
                write_sums_of(&writing->letters[process], d, w, begin, &writing->sums[worker]);
        }
        return PS_OK;
}

static ps_status write_all_sums(ps_numbers **out, const struct delaying *d, const ps_pile *lefts,
                                ps_error *err)
{
        unsigned n = ps_parallel_threads(d->options.n_threads);
        struct writing w = {.d = d, .lefts = lefts, .sums = calloc(n, sizeof(*w.sums))};
        ps_status status = w.sums ? ps_letters_new(out, d->apart->x, err) : PS_NOMEM(err, "call paths", n);
        w.letters = *out;
        for (unsigned i = 0; i < n && status == PS_OK; i++)
                status = ps_sums_new(&w.sums[i], &d->same, false, err);
        PS_THEN(status, ps_parallel_for(n, d->apart->x->size, write_sums, &w, err));
        for (unsigned i = 0; w.sums && i < n; i++)
                ps_sums_free(&w.sums[i]);
        free(w.sums);
        return status;
}

/* Finds where the sums of each wait begin. */
static ps_status find_sums(struct delaying *d, ps_error *err)
{
        struct apart *a = d->apart;
        size_t *sums_of = a->sums_of = ps_memory_again((d->n_waits - a->n_own) * sizeof(*sums_of));
        if (!sums_of)
                return PS_NOMEM(err, "waits", d->n_waits);
        const bool are_few = d->same.n <= FEW_PATHS;
        const uint8_t *at = a->sums.bytes;
        for (uint32_t i = a->n_own + 1; i < d->n_waits; i++) {
                *sums_of++ = (size_t)(at - a->sums.bytes);
                at += are_few ? few_at(at) : many_at(at);
        }
        return PS_OK;
}

ps_status ps_apart_compare(struct delaying *d, ps_error *err)
{
        ps_exchange *x = d->apart->x;
        ps_numbers *letters = NULL;
        ps_pile lefts;
        ps_status status = write_lefts(&letters, d, err);
        PS_TRY(ps_letters_deal(&lefts, letters, x, status, err));
        letters = NULL;
        status = write_all_sums(&letters, d, &lefts, err);
        ps_pile_pass_on(&lefts);
        PS_TRY(ps_letters_deal(&d->apart->sums, letters, x, status, err));
        return find_sums(d, err);
}

ps_time ps_apart_take_sums(struct sums *waiter, const struct delaying *d, const struct waiting *w)
{
        const struct apart *a = d->apart;
        const uint8_t *at = a->sums.bytes + a->sums_of[(uint32_t)(w - d->wait) - a->n_own - 1];
        uint32_t bytes;
        if (waiter->few)
                return take_few(waiter, at, w->end);
        memcpy(&bytes, at, sizeof(bytes));
        at += sizeof(bytes);
        const uint8_t *end = at + bytes;
        ps_unpacking row = ps_unpacking_begin(at);
        const ps_time begin = w->end - ps_unpacking_take(&row);
        while (row.at < end) {
                if (row.n + A_PAIR > PS_PACKED_MOST)
                        row = ps_unpacking_begin(row.at);
                const ps_path path = (ps_path)ps_unpacking_take(&row);
                sums_add(waiter, path, ps_unpacking_take(&row));
        }
        return begin;
}

/* -- what explains them -- */

struct told_answer {
        ps_time excess, waited;
        uint32_t first, n : 31, is_cut : 1;
};

static ps_status write_answers(ps_numbers *letters, struct delaying *d, void *ctx, ps_error *err)
{
        const struct apart *a = d->apart;
        (void)ctx;
        (void)err;
        for (uint32_t p = 0; p < a->x->size; p++) {
                ps_letter_expect(&letters[p], a->told[p] - first_told(a, p), sizeof(struct told_answer));
                for (uint32_t i = first_told(a, p); i < a->told[p]; i++) {
                        const struct waiting *w = &d->wait[i];
                        const struct told_answer answer = {w->excess, w->waited, w->first,
                                                           (w->behind - w->first) & INT32_MAX, w->is_cut};
                        ps_numbers_put_plain(&letters[p], &answer, sizeof(answer));
                }
        }
        return PS_OK;
}

static ps_status take_answers(struct delaying *d, const ps_pile *in, void *ctx, ps_error *err)
{
        const struct apart *a = d->apart;
        (void)ctx;
        (void)err;
        for (uint32_t p = 0; p < a->x->size; p++) {
                size_t bytes;
                const uint8_t *at = ps_pile_part(in, p, &bytes);
                for (uint32_t i = 0; i < a->crossing[p].n; i++) {
                        struct waiting *w = &d->wait[a->crossing[p].wait[i]];
                        struct told_answer answer;
                        ps_numbers_take_plain(&at, &answer, sizeof(answer));
                        w->excess = answer.excess;
                        w->waited = answer.waited;
                        w->first = answer.first;
                        w->behind = answer.first + answer.n;
                        w->is_cut = answer.is_cut;
                }
        }
        return PS_OK;
}

ps_status ps_apart_answer(struct delaying *d, ps_error *err)
{
        return ps_apart_tell(d, write_answers, take_answers, NULL, err);
}
