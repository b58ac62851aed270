/* apart.h - causes where each of several processes has the rows of its own locations alone
 * (core/load/share.h).
 *
 * Each does with its locations what one process does with all. Of a wait that another process ended it tells
 * that one when, and then what the waiter did since the two had last waited for each other; and it is told
 * what explains the wait. What goes from wait to wait - the critical path, what waits pass on, what is due to
 * the largest causes - process 0 follows. It borrows waits of others a block at a time, and keeps of each
 * wait of all no more than a few numbers. What it finds of a wait it tells whoever has it. */
#ifndef PS_PATTERNS_CAUSES_APART_H
#define PS_PATTERNS_CAUSES_APART_H

#include "core/exchange/numbers.h"
#include "core/load/share.h"
#include "patterns/causes/critical.h"

/* What process 0 follows from wait to wait, one after the other. */
enum following { FOLLOWS_PATH, FOLLOWS_TURNS, FOLLOWS_CAUSES };

struct apart {
        ps_exchange *x;
        ps_trace here;   /* in process 0: with the rows that it has */
        uint64_t before; /* bytes that this process had sent */
        uint32_t *owner; /* by location: which process has its rows */
        /* Waits of locations that are here come first. Behind them, and one that is none, are those that
         * others told, because they ended here: by process, up to told[process]. */
        uint32_t n_own, *told;
        struct crossing {
                uint32_t *wait, n, cap;
        } * crossing;        /* by process: own ones that ended there */
        uint32_t n_crossing; /* processes: all, also when the exchange is gone */
        size_t n_expected;   /* waits of others that end here, at most */
        ps_pile sums;        /* of waits that were told: what the waiter did */
        size_t *sums_of;     /* by such wait: where that is */
        /* Who takes no part in an operation of which several processes have members, or does in one without
         * some of its members: number, and process of the program; rising. */
        uint64_t *absent;
        uint32_t n_absent;
        struct calling *calling; /* which threads make calls of such operations: see apart_members.c */
        uint32_t n_callings;
        uint32_t **members;    /* by communicator, rising; NULL: they are so anyway */
        struct path_end *last; /* by span: where its critical path ends; of all, in process 0 */
        struct forks forks;    /* in process 0, until the path is found */
        /* What of each wait here is due to the causes that are told: from row `part` of the wait on, up to
         * that of the one behind it, by number of the cause in place of a cost. */
        struct parts_of due;
        uint32_t most_lent; /* waits of a location at a time */
        uint8_t *letter;    /* room for what is lent: see apart_lend.c */
        enum following follows;
        /* -- of process 0 -- */
        bool is_open;          /* the others wait for what it asks */
        bool is_forward;       /* and nothing more is lent */
        struct chained *chain; /* of findings, where that was asked for: see apart_chains.c */
        uint32_t n_chains;
        uint32_t *first;   /* by location, and behind them: its first wait among those of all */
        struct lent *lent; /* by location */
        struct wished {
                ps_loc first, last; /* first: PS_NONE: nothing is wished */
                bool is_asked;      /* for the first one */
        } * wished;                 /* by process */
        uint8_t *lent_row;
        struct part *lent_due;
        struct shown *shown;
};

/* What process 0 follows of waits that follow each other. */
struct block {
        uint8_t *row;
        struct part *due;  /* to causes; of own waits those of all */
        uint32_t first, n; /* among those of all */
};

/* Of a location. */
struct lent {
        struct waiting *wait; /* own ones as they are; NULL: they are of others */
        struct block now, next;
        ps_loc after;             /* whose next ones are wished after its own */
        bool is_wished, is_ahead; /* next: not here yet; or already */
};

/* Rows are packed: many of them travel. */
#define LENT_ROW __attribute__((packed, aligned(4)))

/* For the critical path. */
struct LENT_ROW lent_end {
        ps_time end;
        ps_ref by; /* its location is PS_NONE: no causer */
        uint32_t behind;
};

/* For what waits pass on; and for causes that go forward: */
struct LENT_ROW lent_wait {
        ps_time length, excess, waited;
        ps_loc by; /* PS_NONE: no causer */
        uint32_t first, n : 31, is_cut : 1;
};

struct LENT_ROW lent_turn {
        struct lent_wait of;
        uint32_t family;
};

struct LENT_ROW lent_forward {
        struct lent_wait of;
        uint32_t due, key; /* due: up to where those of these waits are due to it; key: see place_key() */
};

/* So many of locations that follow each other go in one letter, and what is due of them in another one. */
enum { PS_LENT_TOGETHER = 1 << 13 };

/* A wait that is lent, as far as what is followed asks for it. */
struct shown {
        struct waiting wait[2]; /* the other one is behind it */
        uint32_t key;
};

static inline uint32_t owner_of(const struct delaying *d, ps_loc loc)
{
        return d->apart->owner[loc];
}

static inline bool is_here(const struct delaying *d, ps_loc loc)
{
        return !d->apart || owner_of(d, loc) == d->apart->x->rank;
}

/* Have other processes members of the operation, too? */
static inline bool is_shared(const struct delaying *d, uint32_t coll)
{
        return d->trace->spread->agreed.id[coll] != PS_NONE;
}

/* Where the numbers of the location's waits begin that say what others inherit from, among the waits that
 * this process knows. */
static inline uint32_t base_here(const struct delaying *d, ps_loc loc)
{
        return d->apart ? d->line[loc].wait : 0;
}

/* The same among those of all. Here and below, `a` is d->apart; who asks of each wait has code of its own for
 * none. */
static inline uint32_t base_of_all(const struct apart *a, ps_loc loc)
{
        return a ? a->first[loc] : 0;
}

/* The waits of a location among those of all. */
static inline uint32_t first_of_all(const struct delaying *d, const struct apart *a, ps_loc loc)
{
        return a ? a->first[loc] : d->first[loc];
}

static inline uint32_t behind_of_all(const struct delaying *d, const struct apart *a, ps_loc loc)
{
        return a ? a->first[loc + 1] : d->first[loc + 1];
}

static inline uint32_t count_of_all(const struct delaying *d)
{
        return d->apart ? d->apart->first[d->trace->n_locs] : d->n_waits;
}

static inline struct waiting *show_end(struct waiting *w, const struct lent_end *row)
{
        w->end = row->end;
        w->by = row->by;
        w->behind = row->behind;
        w->is_caused = row->by.loc != PS_NONE;
        return w;
}

static inline struct waiting *show_wait(struct waiting *w, const struct lent_wait *row, ps_loc loc)
{
        w[0].before = 0;
        w[1].before = (uint64_t)row->length;
        w->excess = row->excess;
        w->waited = row->waited;
        w->by.loc = row->by;
        w->loc = loc;
        w->first = row->first;
        w->behind = row->first + row->n;
        w->is_caused = row->by != PS_NONE;
        w->is_cut = row->is_cut;
        return w;
}

static inline struct waiting *show_turn(struct waiting *w, const struct lent_turn *row, ps_loc loc)
{
        w->family = (uint8_t)row->family;
        return show_wait(w, &row->of, loc);
}

static inline struct waiting *show_forward(struct shown *to, const struct lent_forward *row, uint32_t i,
                                           ps_loc loc)
{
        to->wait[0].part = i ? row[i - 1].due : 0;
        to->wait[1].part = row[i].due;
        to->key = row[i].key;
        return show_wait(to->wait, &row[i].of, loc);
}

/* The one behind `i` others of those that are lent. */
static inline struct waiting *show_lent(const struct apart *a, ps_loc loc, uint32_t i)
{
        const void *row = a->lent[loc].now.row;
        if (a->follows == FOLLOWS_PATH)
                return show_end(a->shown->wait, (const struct lent_end *)row + i);
        return a->follows == FOLLOWS_TURNS ? show_turn(a->shown->wait, (const struct lent_turn *)row + i, loc)
                                           : show_forward(a->shown, row, i, loc);
}

void ps_apart_borrow(const struct delaying *d, ps_loc loc, uint32_t number);

/* A wait of the location by its number among those of all. The row stays until another one is asked for; of
 * one that is lent it has what is followed. */
static inline struct waiting *wait_of_all(const struct delaying *d, const struct apart *a, ps_loc loc,
                                          uint32_t number)
{
        if (!a)
                return d->wait + number;
        const struct lent *lent = &a->lent[loc];
        if (number - lent->now.first >= lent->now.n)
                ps_apart_borrow(d, loc, number);
        const uint32_t i = number - lent->now.first;
        return lent->wait ? lent->wait + i : show_lent(a, loc, i);
}

/* Waits that it told, because they ended here. */
static inline uint32_t first_told(const struct apart *a, uint32_t process)
{
        return process ? a->told[process - 1] : a->n_own + 1;
}

/* Is it a wait of another process? */
static inline bool was_told(const struct delaying *d, const struct waiting *w)
{
        return d->apart && (uint32_t)(w - d->wait) > d->apart->n_own;
}

/* -- apart.c -- */

/* By process 0, for a trace whose rows are elsewhere, too: the others begin. */
ps_status ps_apart_begin(struct delaying *d, ps_error *err);
/* What needs the operations, by all together. Then process 0 has what it goes on with. */
ps_status ps_apart_explain(struct delaying *d, ps_wait_log *log, ps_error *err);
void ps_apart_free(struct delaying *d);

/* -- apart_members.c; together -- */

/* `membership`: see membership.c; `takes_part` is the bit of those who do. */
ps_status ps_apart_tell_members(struct delaying *d, const uint8_t *membership, uint8_t takes_part,
                                ps_status status, ps_error *err);
/* Does a location of another process take part in the operation, too? */
bool ps_apart_takes_part(const struct delaying *d, uint32_t coll, ps_loc other);

/* -- apart_waits.c; together, each after all have agreed -- */

/* Each writes letters to the others, and reads what they wrote to it. */
ps_status ps_apart_tell(struct delaying *d,
                        ps_status (*write)(ps_numbers *letters, struct delaying *d, void *ctx, ps_error *err),
                        ps_status (*read)(struct delaying *d, const ps_pile *in, void *ctx, ps_error *err),
                        void *ctx, ps_error *err);
/* Each process learns of the waits that its locations ended. */
ps_status ps_apart_deal(struct delaying *d, ps_error *err);
/* Before own waits are listed: how many of others ended here, at most, so that there is room for them from
 * the start. If there were not, own ones would be copied to where there is, and lie in memory twice. */
ps_status ps_apart_expect(struct delaying *d, const ps_wait_log *log, ps_error *err);
/* Each learns what those who waited there did since then. */
ps_status ps_apart_compare(struct delaying *d, ps_error *err);
/* Fills the begin of the causer's window and the waiter's sums. */
ps_time ps_apart_take_sums(struct sums *waiter, const struct delaying *d, const struct waiting *w);
/* And tells what explains them. */
ps_status ps_apart_answer(struct delaying *d, ps_error *err);

/* -- apart_open.c -- */

/* Together: process 0 learns how many waits each location has, and where critical paths end; it may borrow
 * then, and the others lend. */
ps_status ps_apart_open(struct delaying *d, ps_error *err);
/* The room for what is lent. */
void ps_apart_forget_lent(struct apart *a);
/* Waits of locations that follow each other and have one owner. */
struct ps_apart_run {
        ps_loc from, behind;
        uint32_t owner, n;
        uint32_t here, of_all; /* the first one, in the process that has them and in process 0 */
};
struct ps_apart_run ps_apart_next_run(const struct delaying *d, ps_loc from);
/* Together: rows of `size` bytes, one for each of their waits, which process 0 gets for all. */
void ps_apart_collect(const struct delaying *d, void *of_all, const void *here, size_t size);

/* -- apart_lend.c -- */

/* Together: process 0 gets those of each location that it asks for first. */
void ps_apart_offer(const struct delaying *d);
/* By the others, until process 0 gives them back. */
void ps_apart_lend(const struct delaying *d);
void ps_apart_give_back(const struct delaying *d);

/* -- apart_path.c -- */

/* Together, once process 0 knows the way: each adds up what its locations did on the stretches there, and in
 * all. */
ps_status ps_apart_trace(struct tracing *t, ps_numbers *stretches, ps_status status, ps_error *err);
void ps_apart_put_stretch(ps_numbers *to, const struct delaying *d, ps_loc loc, const struct window *w);
/* The others, when the waits are explained: all that follows. */
void ps_apart_serve(struct delaying *d);

/* -- apart_costs.c; together -- */

/* Process 0 gets of each wait of how many heirs it is the last inherited one. */
ps_status ps_apart_count_heirs(const struct delaying *d, uint32_t *of_all, ps_status status, ps_error *err);
/* Of each wait of all, what its excess is charged with by its heirs; less than 0, -1 - that: it inherits
 * nothing. Each gets those that it explained, and process 0 the costs and sums of all. */
ps_status ps_apart_charge(struct delaying *d, const ps_time *charged, ps_status status, ps_error *err);

/* -- apart_due.c; together -- */

/* Which costs go forward, by cost and location: see forward.c. */
struct asked_forward {
        const uint8_t *row, *has_rows;
};

/* By process 0, which may borrow again then; the others follow. */
ps_status ps_apart_go_forward(struct delaying *d, struct asked_forward *asked, ps_error *err);
void ps_apart_follow_forward(struct delaying *d);
/* By process 0: nothing more is lent. */
void ps_apart_end_forward(struct delaying *d);
/* By process 0: nothing more is asked of anybody. */
void ps_apart_close(struct delaying *d);

/* -- apart_chains.c -- */

/* By process 0, once causes have gone forward: what ps_delays_chain() tells of all findings. */
ps_status ps_apart_find_chains(struct delaying *d, const ps_analysis *analysis, ps_error *err);
/* By the others, until process 0 has no more. */
ps_status ps_apart_follow_chains(struct delaying *d, ps_error *err);
uint32_t ps_apart_chain(const struct delaying *d, ps_ref at, ps_delay_step *steps);

#endif
