/* walk.h - the walk over one location's operations, shared by engine.c and the walk_*.c files. */
#ifndef PS_PATTERNS_ENGINE_WALK_H
#define PS_PATTERNS_ENGINE_WALK_H

#include "core/load/share.h"
#include "core/match/partners.h"
#include "patterns/engine/rules.h"
#include "patterns/engine/shown.h"
#include "patterns/engine/tally.h"
#include "patterns/releases/prepare.h"
#include "patterns/releases/releases.h"
#include "patterns/table/view.h"

#include <stdatomic.h>

/* Where calls stand: in the program, as operations of a PGAS program, or below such, which is how these are
 * done. */
enum inner { NOT_INNER, IS_PGAS, IS_INNER };

/* A wait of a call, and all that one has to know to charge it. */
struct found {
        ps_time lost; /* 0: there is none */
        ps_ref partner;
        uint32_t pattern;
        ps_op own, call; /* the own end of its message, or PS_NONE; and where that is waited for */
};

/* Waits that may still turn out to be in wrong order: as many as Scalasca remembers. */
enum { REMEMBERED = 100 };

struct waited {
        struct found found; /* lost == 0: none */
        ps_time sent;       /* when its message was */
        ps_time begin;      /* of the call that waits for it, */
        ps_path path;       /* and where that is */
};

/* Tests that completed nothing, one right behind the other. */
struct series {
        ps_op first, last;
        uint32_t n; /* 0: none */
        ps_time gap;
};

enum { PS_PLAIN_KINDS = 128 }; /* a power of 2 */
_Static_assert((int)PS_K_COUNT <= (int)PS_PLAIN_KINDS, "kinds have no room");

/* What the rows on a kind of blocking collective operation say of a member's part in it. */
struct plain_coll {
        bool is_so;
        bool has_columns;          /* of which times of a part follow: see find_part_times() */
        uint8_t waits;             /* how one is found: ps_part_loss */
        uint32_t wait, completion; /* patterns; PS_NONE: no row is about that */
};

enum {
        PS_NEAR_LOCKS = 16,
        PS_LOCK_SORTS = 4,
        PS_REPEATED = 8,
        PS_TEAM_BARRIERS = PS_K_TEAM_IMPLICIT_BARRIER - PS_K_TEAM_BARRIER + 1
};

/* What was found again and again at a place of the program, added up until it is booked: walk_teams.c. */
struct repeated {
        uint32_t pattern;   /* PS_NONE: nothing */
        uint32_t call;      /* what calls there say, and from which path */
        uint64_t n;         /* that are long enough, and */
        ps_time lost, time; /* what those lost, and all */
        /* The first of the longest. */
        ps_time longest, begin;
        ps_ref partner;
        ps_op op;
};

/* What the threads of the process at hand wait for. */
struct teams {
        const ps_threads *all;
        ps_giving forks, joins;
        ps_lock_near near_lock[PS_NEAR_LOCKS];
        struct repeated repeated[PS_REPEATED]; /* neighbouring calls and patterns are side by side */
};

/* What is asked of calls about messages alone, where the columns tell all that rows say of these:
 * walk_plain.c. */
struct plain {
        bool is_so;
        ps_span span;     /* of the focus */
        uint64_t held_up; /* kinds of calls that wait for receivers */
        /* Of waits for senders, and for receivers, by kind of send: what is charged. */
        uint8_t pattern[2][PS_N_MESSAGE_KINDS];
        uint8_t as[UINT8_MAX + 1];      /* by kind: see walk_plain.c */
        uint8_t act[4][PS_PLAIN_KINDS]; /* by PS_OP_NONBLOCKING and PS_OP_PART, and by kind */
        uint64_t small_bytes;           /* of small sends at most */
        /* Patterns: of small sends and of such that are replied to, or PS_NONE; of what is left of a Wait. */
        uint32_t small, reply, rest;
        struct plain_coll coll[PS_N_COLLECTIVE_KINDS];
        uint32_t begun; /* the pattern of waits for one that was only begun; PS_NONE: it is asked */
        bool are_teams; /* columns tell what rows on threads say */
        uint32_t lock[PS_LOCK_SORTS]; /* by sort: see walk_teams.c; the pattern of waits, or PS_NONE */
        uint32_t held[2];             /* the same of windows, and of PGAS programs; PS_NONE: it is asked */
        uint32_t barrier[PS_TEAM_BARRIERS]; /* the same by kind, and of which columns do not tell, too */
        bool is_pgas_so;                    /* calls of a PGAS program may be plain: walk_pgas.c */
        struct plain_coll pgas_barrier;
        uint32_t fence, split_barrier,
                change; /* the patterns of waits there; PS_NONE: columns do not tell them */
};

/* What one location of a PGAS program does at one call path that communicates. */
struct site {
        uint64_t ops, bytes, largest;
        ps_time time, begin;
        ps_path path;
        uint32_t nothing;
};

/* Of one location, in the order in which it first came there. */
struct sites {
        struct site *row;
        uint32_t n, cap;
};

struct engine {
        const ps_trace *trace;
        const ps_timing *timing;
        const ps_analysis_options *options;
        ps_rules rules;
        ps_coll_sums *colls;
        ps_prepared *prepared;
        ps_releases *releases;
        ps_loc master;         /* PS_NONE: there is none */
        uint8_t *inner;        /* by path: see enum inner; NULL: there are no operations of PGAS programs */
        bool *is_pgas;         /* by path: ps_op_is_pgas() of what is there; NULL: of nothing */
        uint8_t *kind_of_path; /* ps_time_kind */
        uint8_t *purpose;      /* by path: ps_purpose; NULL: it is no program of the DVM system */
        const uint8_t
                *apart;     /* by process: its wait in Finalize is nobody's doing; NULL: there is none such */
        bool clocks_differ; /* times of different processes are in doubt */
        bool leaves_doubtful; /* waits below what clocks may well be wrong by are not told */
        /* How far clocks may disagree: of any two processes, and of one process. */
        ps_time tolerance, least_tolerance;
        uint64_t eager_bytes;
        uint8_t acts[PS_K_COUNT][2]; /* by kind, and whether PS_OP_NONBLOCKING: see enum act */
        bool is_watched[PS_K_COUNT]; /* by kind of send: a late receiver tells something in any case */
        struct plain plain;
        bool is_unreleased[PS_K_COUNT]; /* kinds of one-sided calls of which releases alone are asked */
        bool is_whole;                  /* all that has a record has its partners */
        bool notes_hidden;              /* waits that clocks may have hidden are added up */
        struct local *local;            /* by location */
        struct sites *sites;            /* by location, once all have walked; NULL: no row is about places */
        struct worker *worker;          /* by worker */
        unsigned n_workers;
        ps_time_moves *moves;        /* by location, of the analysis */
        atomic_uint_fast64_t n_done; /* operations that were looked at */
        const ps_partners *partners; /* what stands for rows of others while they walk; NULL: nothing does */
        ps_exchange *others;         /* who walk over the locations that are not here; NULL: nobody */
        const ps_keeper *keeper;     /* of what is found here, until somebody asks for it */
        void *kept;                  /* NULL: nobody will */
};

/* Of what is done for each message or finding: calls of it cost as much as it does. */
#define PS_WALK_INLINE __attribute__((always_inline)) static inline

/* What a row of a kind is looked at as. */
enum act {
        ACT_PASS, /* nobody loses anything in it */
        /* What may be plain. */
        ACT_SEND,
        ACT_RECV,
        ACT_COMPLETE,
        ACT_ASK, /* no row looks at it, but it may be unexplained */
        ACT_SERIES,
        ACT_COLLECTIVE,
        ACT_PROBE,
        ACT_ONE_SIDED,
        ACT_THREAD
};

/* How far the clock of a process may be off that of another one. */
struct doubt {
        ps_proc own; /* of which it was asked last, plus one */
        ps_time uncertainty;
};

/* What is kept for whoever walks, over all locations that it walks over. */
struct worker {
        struct doubt *doubt; /* by process; NULL: all clocks agree */
        ps_time *waiting;    /* by call path */
        ps_time *awaited;    /* by process; behind the last process: nobody is known */
        ps_time outside[PS_MAX_PATTERNS];
        ps_tally_hints hints;
        uint64_t eager_max, rendezvous_min;
        uint64_t doubtful_count;
        ps_time doubtful, hidden;
        /* Of the location at hand. */
        struct waited remembered[REMEMBERED];
        uint32_t first, n;   /* of `remembered`, a ring */
        ps_time latest_sent; /* of those, or the guard */
        ps_time guard;       /* no message was sent before: see walk_ranges.c */
        struct series series;
        /* At hand, alone: of all that no row on such calls looks at nothing is told. */
        ps_call_view send, one_sided;
        struct teams teams;
        ps_releases_near near;
        ps_op call;        /* at hand */
        ps_time call_left; /* of its time in the focus: what is not charged yet; negative: all */
};

/* What is kept of one location. */
struct local {
        const struct engine *engine;
        struct worker *worker;
        ps_loc loc;
        ps_proc process;
        uint8_t is_told;    /* its findings are wanted */
        bool is_plain;      /* calls about messages alone may be plain */
        bool is_plain_pgas; /* calls of a PGAS program may */
        /* Of the location, in trace, timing and analysis. */
        const ps_ops *ops;
        ps_op end; /* of what is walked over as plain rows */
        const ps_time *enter, *leave;
        ps_time_moves *moves;
        ps_status status;
        ps_tally_map findings;
        struct {
                ps_time waited; /* of the master, or for it */
                ps_instance worst;
                ps_path path; /* of the worst */
        } master;
};

/* What a call has been found to wait for so far: the longest wait of each sort. */
struct candidates {
        struct found receiver, sender, collective;
        ps_time charged;
        bool each; /* every wait is charged at once, not the longest at the end */
        /* The operation with the latest partner among those that the call completes, and that partner. */
        ps_ref latest, latest_partner;
        ps_time latest_post;
        uint32_t n_messages, n_collectives;
};

/* Far from what differences of times can be, but not so far that a sum overflows. */
static inline ps_time ps_walk_sane(ps_time uncertainty)
{
        return earlier(uncertainty, PS_TIME_MAX / 8);
}

static inline bool finds_anything(const struct local *l, ps_subject subject)
{
        return l->engine->rules.n_roots[subject] > 0;
}

/* Is it an operation of a PGAS program? */
static inline bool ps_walk_is_pgas(const struct engine *e, ps_ref at)
{
        return e->is_pgas && e->is_pgas[ps_op_path(&e->trace->ops[at.loc], at.op)];
}

static inline enum act ps_walk_act(const struct engine *e, const ps_ops *ops, ps_op op)
{
        _Static_assert(PS_OP_NONBLOCKING == 1, "the flag is no index");
        return (enum act)e->acts[ops->kind[op]][ops->flags[op] & PS_OP_NONBLOCKING];
}

/* Keeps the operation whose partner came last. */
static inline void note_latest(struct candidates *c, ps_ref own, ps_ref partner, ps_time post)
{
        if (c->n_messages + c->n_collectives == 0 || post > c->latest_post) {
                c->latest = own;
                c->latest_partner = partner;
                c->latest_post = post;
        }
}

/* As the whole trace names it: of the message whose own end that is. Members of a collective operation are
 * known by nothing else, nor is whatever has no own end. */
static inline ps_ref ps_walk_named(const struct local *l, ps_op own, ps_ref partner)
{
        const ps_partners *partners = l->engine->partners;
        return partners && own != PS_NONE && ps_kinds[l->ops->kind[own]].cls != PS_C_COLL
                       ? ps_partners_real(partners, partner)
                       : partner;
}

static inline ps_instance instance_of(const struct local *l, const struct found *f)
{
        return (ps_instance){.pattern = f->pattern,
                             .at = {l->loc, f->call},
                             .partner = ps_walk_named(l, f->own, f->partner),
                             .begin = l->enter[f->call],
                             .lost = f->lost};
}

static inline ps_path path_of(const struct local *l, ps_ref ref)
{
        return ps_op_path(&l->engine->trace->ops[ref.loc], ref.op);
}

/* engine.c: a walk with its options; the tables that it fills; its end. */
void ps_walk_begin(struct engine *e, const ps_trace *trace, const ps_timing *timing,
                   const ps_analysis_options *options);
ps_status ps_walk_tables(struct engine *e, ps_error *err);
void ps_walk_end(struct engine *e);
ps_status ps_walk_new_workers(struct worker **out, const struct engine *e, unsigned n, ps_error *err);
void ps_walk_free_workers(struct worker *worker);
/* So many operations more are done. */
ps_status ps_walk_progress(struct engine *e, uint64_t n, unsigned worker, ps_error *err);
/* Of a location, from one row on up to another, at which a call begins. */
void ps_walk_rows(struct local *l, ps_op from, ps_op end);
/* Adds the sums of a worker to those of another one. */
void ps_walk_add(struct worker *to, const struct engine *e, const struct worker *w);

/* How far the clocks of the location and of another one may disagree. */
ps_time ps_walk_tolerance(const struct local *l, ps_loc other);
/* Accounts for something that was found, and if it is long enough makes it a finding. `own` is the operation
 * whose call should have been made later, or PS_NONE. */
void ps_walk_book(struct local *l, const ps_instance *instance, ps_path path, ps_op own);
/* The same in two steps, for waits whose pattern is known only later. */
void ps_walk_account(struct local *l, const ps_instance *instance, ps_path path);
void ps_walk_tally(struct local *l, const ps_instance *instance, ps_path path, ps_op own);
/* So much of the call at hand, whose row this is, the trace does not explain. */
void ps_walk_account_unexplained(struct local *l, ps_op op, ps_time time);
/* What a call with this partner took without waiting may have been waiting, as far as clocks can tell. */
void ps_walk_note_hidden(struct local *l, ps_ref partner);
/* The call at hand is no time of the run. */
void ps_walk_leave_out(struct local *l);
/* Shorter than what counts as a finding? */
static inline bool ps_walk_is_short(const struct local *l, const ps_instance *instance)
{
        const ps_rules *rules = &l->engine->rules;
        return instance->lost < rules->epsilon && !rules->rule[instance->pattern].counts_when_short;
}

/* Asks the roots of a subject about a call at `at`; each that finds something is charged. `own` as above. */
void ps_walk_ask_call(struct local *l, ps_subject subject, const ps_call_view *view, ps_ref at,
                      ps_ref partner, ps_op own);

/* walk_ranges.c */
ps_status ps_walk_all(struct engine *e, ps_error *err);

/* walk_messages.c */
/* The receive or send `own` of a message for which `call` waits: its other end began at `post`, and may be
 * late. */
void ps_walk_receive(struct local *l, struct candidates *c, ps_op own, ps_op call, ps_time post);
void ps_walk_sender(struct local *l, struct candidates *c, ps_op own, ps_op call, ps_time post,
                    bool may_wait);
/* A message is received that was maybe sent before one that was waited for. */
void ps_walk_check_order(struct local *l, ps_ref send);
/* A wait for a message, which others may show to be in the wrong order. */
void ps_walk_remember(struct local *l, struct found f, ps_path path);
/* The size up to which a standard send does not wait shows in sends that were there before their receive. */
void ps_walk_learn_eager_limit(struct local *l, ps_op send, ps_time post);
void ps_walk_probe(struct local *l, ps_op probe);
void ps_walk_charge_once(struct local *l, struct candidates *c);
void ps_walk_forget(struct local *l); /* books the oldest remembered wait */
static inline uint32_t ps_walk_place_in_ring(uint32_t at)
{
        return at < REMEMBERED ? at : at - REMEMBERED;
}

/* By how much later the call that completes `own` should have been made. */
ps_time ps_walk_distance(const struct local *l, ps_op own);
/* The same of the worst of all that was found at the location, which is over. */
void ps_walk_find_distances(struct local *l);

/* A buffered send is over without its receiver: nobody waits for that. */
static inline bool waits_for_nobody(const struct engine *e, ps_kind own)
{
        return own == PS_K_IBSEND && e->options->definitions != PS_DEFINITIONS_SCALASCA;
}

/* May a row find anything in a message whose other end began then? */
static inline bool may_find(const struct local *l, ps_subject subject, ps_time post, ps_op own, ps_op call)
{
        const struct engine *e = l->engine;
        unsigned needs = e->rules.needs[subject];
        return !(needs & PS_NEEDS_LATE_FOR_CALL && post <= l->enter[call]) &&
               !(needs & PS_NEEDS_LATE_FOR_POST && post <= l->enter[own]) &&
               !(needs & PS_NEEDS_UNDER_WAY && !e->clocks_differ && post >= l->leave[call] + e->tolerance);
}

/* Most messages end here, after a glance at a few columns. */
PS_WALK_INLINE void ps_walk_message(struct local *l, struct candidates *c, ps_op own, ps_op call)
{
        const struct engine *e = l->engine;
        const ps_ops *ops = l->ops;
        ps_kind kind = (ps_kind)ops->kind[own];
        if (!(ops->flags[own] & PS_OP_MATCHED) || waits_for_nobody(e, kind))
                return;
        ps_ref partner = {ps_op_peer(ops, own), ops->link[own]};
        ps_time post = e->timing->enter[partner.loc][partner.op];
        note_latest(c, (ps_ref){l->loc, own}, partner, post);
        c->n_messages++;
        if (ps_kinds[kind].cls == PS_C_RECV) {
                if (l->worker->latest_sent > post)
                        ps_walk_check_order(l, partner);
                if (may_find(l, PS_ON_RECEIVER, post, own, call))
                        ps_walk_receive(l, c, own, call, post);
        } else if (post > l->enter[own]) {
                bool may_wait = may_find(l, PS_ON_SENDER, post, own, call);
                if (may_wait || e->is_watched[kind])
                        ps_walk_sender(l, c, own, call, post, may_wait);
        }
}

/* walk_plain.c */
void ps_walk_find_plain(struct engine *e);
/* Books plain calls from this row on, and passes those in which nobody loses anything; returns the first row
 * that is of neither. */
ps_op ps_walk_plain(struct local *l, ps_op op);

/* walk_parts.c: which rows on collective operations columns tell. Books parts in blocking ones from this row
 * on; returns the first row that is none, or is not plain. Books a call that completes what such rows began;
 * false: it is not plain, and nothing is booked. */
void ps_walk_find_parts(struct engine *e);
ps_op ps_walk_book_parts(struct local *l, ps_op op);
bool ps_walk_book_begun(struct local *l, ps_op op);

/* walk_calls.c */
void ps_walk_collective(struct local *l, struct candidates *c, ps_ref own);
void ps_walk_nonblocking(struct local *l, struct candidates *c, ps_ref own, ps_ref call);
/* Of a call of one row: is nothing left once its waits are charged? So it is with messages whose other end is
 * known. */
static inline bool ps_walk_leaves_nothing(const struct local *l, ps_op op)
{
        return ps_kinds[l->ops->kind[op]].cls <= PS_C_RECV && l->ops->flags[op] & PS_OP_MATCHED;
}

/* And of one that completes messages: is all explained, so that what is left is the rest? */
static inline bool ps_walk_leaves_rest(const struct local *l, ps_op op)
{
        const ps_kind_info *kind = &ps_kinds[l->ops->kind[op]];
        return kind->cls == PS_C_COMPLETE && kind->traits & PS_T_BLOCKING && l->engine->is_whole &&
               ps_op_tag(l->ops, op);
}

/* What is left is attributed to the message whose partner came last. */
void ps_walk_rest(struct local *l, const struct candidates *c, ps_op op);
/* Returns how much of the call, whose last row is before `end`, the trace does not explain, with what is
 * charged. */
ps_time ps_walk_left(struct local *l, const struct candidates *c, ps_op op, ps_op end);
void ps_walk_series(struct local *l, ps_op op);
void ps_walk_end_series(struct local *l);
void ps_walk_send(struct local *l, ps_op op);
/* Is the row all of its call? */
PS_WALK_INLINE bool ps_walk_is_whole(const ps_ops *ops, ps_op op)
{
        return !(ops->flags[op] & PS_OP_PART) && (op + 1 == ops->n || !(ops->flags[op + 1] & PS_OP_PART));
}

/* Of a one-sided call: does a record tell of it, or is it a PGAS program's? */
PS_WALK_INLINE bool ps_walk_is_at_window(const struct local *l, const ps_ops *ops, ps_op op)
{
        return ps_op_comm(ops, op) != PS_NONE ||
               (l->engine->inner && ps_walk_is_pgas(l->engine, (ps_ref){l->loc, op}));
}

/* Is the call one row of a thread or at a window, or a PGAS program's, of which nothing is asked but what
 * belongs to it? Nothing is left of it to be explained. */
PS_WALK_INLINE bool ps_walk_is_alone(const struct local *l, ps_op op, enum act act)
{
        return (act == ACT_THREAD || (act == ACT_ONE_SIDED && ps_walk_is_at_window(l, l->ops, op))) &&
               ps_walk_is_whole(l->ops, op);
}

/* walk_teams.c: a row of threads; which rows on them columns tell. Books such, and barriers of teams, from
 * this one on, where they are plain, and passes those in which nobody loses anything; returns the first row
 * that is of neither. */
void ps_walk_thread(struct local *l, ps_op op);
/* Before the first of a location's rows and behind the last. */
void ps_walk_begin_teams(struct local *l);
void ps_walk_end_teams(struct local *l);
void ps_walk_find_teams(struct engine *e);
ps_op ps_walk_teams(struct local *l, ps_op op);

/* walk_one_sided.c; those that are alone from this one on; returns the first row that is none */
void ps_walk_one_sided(struct local *l, ps_op op);
ps_op ps_walk_alone(struct local *l, ps_op op);
/* Of which kinds of calls releases alone are asked, and which rows on locks columns tell. */
void ps_walk_find_released(struct engine *e);
/* Such calls, which nothing released, from this one on; returns the first row that is none. */
ps_op ps_walk_pass_unreleased(struct local *l, ps_op op);

/* walk_dvm.c: of programs of the DVM system */
ps_status ps_walk_find_purposes(struct engine *e, ps_error *err);
void ps_walk_exchange(struct local *l, ps_op op);
ps_status ps_walk_copies(struct engine *e, ps_error *err);

/* walk_regions.c: the user regions of all locations. */
ps_status ps_walk_regions(struct engine *e, ps_error *err);

#endif
