/* agreed.h - collective operations where each of several processes has some of the members. */
#ifndef PS_CORE_MATCH_AGREED_H
#define PS_CORE_MATCH_AGREED_H

#include "core/exchange/reduce.h"
#include "core/match/match.h"
#include "core/model/trace.h"

/* What is wrong with the calls that are here, by the first of them: calls of no operation, operations without
 * some of the members, and those whose members name several roots. */
typedef struct ps_agreed_wrong {
        ps_lonely mismatched, incomplete, roots;
} ps_agreed_wrong;

void ps_agreed_wrong_add(ps_agreed_wrong *to, const ps_agreed_wrong *other);
void ps_agreed_wrong_note(ps_trace *trace, const ps_agreed_wrong *wrong);

/* Those that have members here; what a trace has of them knows of no other members, nor of a root that is
 * elsewhere. {0}: none. */
typedef struct ps_agreed {
        bool agrees; /* else nothing is here */
        ps_coll *colls;
        ps_member *members; /* with room for three more of each operation that others have members of, too,
                               and in those in which members wait for lower ranks or neighbours, for as many
                               as there are */
        uint32_t n_colls, n_members;
        uint32_t n_all;   /* operations of the whole trace, as their numbers count them */
        uint32_t *id;     /* by operation: its number; PS_NONE: nobody else has members of it */
        uint32_t *number; /* in any case; NULL in a trace with all rows: there they count themselves */
        /* A member behind all of that room: what a row of elsewhere is to a trace that looks it up. Its
         * operation stands behind the others, and is one whose members are all there; and another such, of an
         * operation without some of its members. */
        uint32_t stand_in;
        /* By communicator: are all its members in the trace, each once? */
        uint8_t *is_whole;
        ps_agreed_wrong wrong;
        uint32_t n_incomplete, n_roots; /* operations of all; in process 0 */
} ps_agreed;

/* Where all members of a communicator make the same calls the n-th ones belong together, so that nobody
 * needs to see those of the others; elsewhere process 0 puts their calls in step. Then rows are tied to what
 * is here. `received` is that of ps_match_collectives; what is unmatched changes nothing. Called by all of
 * ours together, who have agreed before that all is well. */
ps_status ps_match_agreed(ps_agreed *out, ps_trace *trace, const uint64_t *const *received, ps_exchange *x,
                          ps_error *err);
void ps_agreed_clear(ps_agreed *agreed);
/* All but the numbers, once the trace has the operations of all. */
void ps_agreed_forget_members(ps_agreed *agreed);
/* Operations and members become the trace's own. */
ps_status ps_agreed_hand_over(ps_agreed *agreed, ps_trace *trace, ps_error *err);

/* What a process makes a row of for each operation that the trace has, and what it does with the row of all
 * who have members of it; in the order of operations, some of them at a time. */
typedef struct ps_agreed_rows {
        ps_reduction sum;
        void (*put)(void *ctx, uint32_t coll, int64_t *row);
        void (*take)(void *ctx, uint32_t coll, const int64_t *row);
        void *ctx;
} ps_agreed_rows;

/* Called by all of ours together, who have agreed before that all is well. */
ps_status ps_agreed_reduce(const ps_agreed *agreed, ps_exchange *x, const ps_agreed_rows *rows,
                           ps_error *err);

#endif
