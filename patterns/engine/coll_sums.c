/* coll_sums.c - what all members of a collective operation did, seen from one of them.
 *
 * An operation without payload need not synchronise anybody, and in an N-to-N operation whose members do not
 * all overlap only those who have data for each other do. So "all" is: everybody, if all were in the
 * operation at one time; otherwise the last of those who send, and of the receivers those who were there
 * before it. */
#include "patterns/engine/coll_sums.h"
#include "core/base/search.h"
#include "patterns/table/formula.h"

#include "core/base/blocks.h"
#include "core/base/memory.h"
#include "core/base/parallel.h"

#include <stdlib.h>

enum { CHUNK = 1024 };

/* Whose parts a sum is made of. Across an intercommunicator data flows from one group to the other. */
enum side { EVERYBODY, GROUP_A, GROUP_B };

static ps_sync in_sync_of(const ps_coll_sums *s, uint32_t member)
{
        ps_ref ref = s->trace->members[member].ref;
        return ps_sync_in(ps_op_tag(&s->trace->ops[ref.loc], ref.op));
}

static bool is_inter(const ps_coll_sums *s, const ps_coll *coll)
{
        return s->trace->defs.comms.row[coll->comm].inter;
}

static enum side side_of(const ps_coll_sums *s, const ps_coll *coll, uint32_t member)
{
        if (!is_inter(s, coll))
                return EVERYBODY;
        ps_proc process = s->trace->defs.locations.row[s->trace->members[member].ref.loc].process;
        return ps_defs_in_group_a(&s->trace->defs.comms.row[coll->comm], process) ? GROUP_A : GROUP_B;
}

/* In an N-to-N operation that not all were in at one time: the last of those who send, and the first to leave
 * of those who were there before it and receive. */
static void narrow_sum(const ps_coll_sums *s, const ps_coll *coll, enum side side, struct sum *sum)
{
        sum->latest = sum->latest_sender;
        sum->latest_begin = sum->latest_sender_begin;
        sum->earliest_end = PS_NEVER_ENDED;
        for (uint32_t m = coll->first; m < coll->first + coll->n; m++)
                if (side_of(s, coll, m) == side &&
                    (m == sum->latest ||
                     (received_by(s, coll, m) && begin_of(s, coll, m) < sum->latest_begin)))
                        sum->earliest_end = earlier(end_of(s, coll, m), sum->earliest_end);
}

/* A member that comes back to complete what it has begun. */
__attribute__((always_inline)) static inline void sum_back(const ps_coll_sums *s, uint32_t member,
                                                           struct sum *sum)
{
        ps_time came = ps_coll_sums_back_of(s, member).came;
        if (came <= sum->back_came)
                return;
        sum->back_came = came;
        sum->latest_back = member;
}

__attribute__((always_inline)) static inline void sum_member(const ps_coll_sums *s, const ps_coll *coll,
                                                             bool has_columns, uint32_t m, struct sum *sum)
{
        const ps_ref ref = s->trace->members[m].ref;
        const ps_ops *ops = &s->trace->ops[ref.loc];
        ps_time begin, end;
        find_part_times(s, coll, has_columns, ref, &begin, &end);
        bool sends = (coll->pgas ? sent_by(s, coll, m) : ps_op_bytes(ops, ref.op)) > 0;
        if (begin > sum->latest_begin) {
                sum->latest_begin = begin;
                sum->latest = m;
        }
        sum->earliest_end = earlier(end, sum->earliest_end);
        if (ops->flags[ref.op] & PS_OP_NONBLOCKING)
                sum_back(s, m, sum);
        if (sends && begin > sum->latest_sender_begin) {
                sum->latest_sender_begin = begin;
                sum->latest_sender = m;
        }
        sum->has_payload |= sends || coll->pgas || s->trace->members[m].received;
}

static void sum_members(const ps_coll_sums *s, const ps_coll *coll, enum side side, struct sum *out)
{
        const bool has_columns = has_part_columns(s, coll);
        struct sum sum = {.latest_begin = PS_NEVER_BEGUN,
                          .earliest_end = PS_NEVER_ENDED,
                          .latest_sender_begin = PS_NEVER_BEGUN,
                          .latest = PS_NONE,
                          .latest_sender = PS_NONE,
                          .latest_back = PS_NONE,
                          .back_came = PS_NEVER_BEGUN,
                          .other = out->other,
                          .has_payload = (uint8_t)needs_no_payload(coll),
                          .has_others = coll->n > 1};
        for (uint32_t m = coll->first; m < coll->first + coll->n; m++) {
                ps_blocks_keep();
                if (side == EVERYBODY || side_of(s, coll, m) == side)
                        sum_member(s, coll, has_columns, m, &sum);
        }
        *out = sum;
}

/* Of a barrier of a team, whose members are calls without records inside: of whom it is asked when the latest
 * came and the first left. */
static void sum_team(const ps_coll_sums *s, const ps_coll *coll, struct sum *out)
{
        ps_time latest = PS_NEVER_BEGUN, earliest = PS_NEVER_ENDED;
        uint32_t last = PS_NONE;
        for (uint32_t m = coll->first; m < coll->first + coll->n; m++) {
                const ps_ref ref = s->trace->members[m].ref;
                const ps_time begin = s->timing->enter[ref.loc][ref.op];
                ps_blocks_keep();
                last = begin > latest ? m : last;
                latest = later(latest, begin);
                earliest = earlier(earliest, s->timing->leave[ref.loc][ref.op]);
        }
        *out = (struct sum){.latest_begin = latest,
                            .earliest_end = earliest,
                            .latest_sender_begin = PS_NEVER_BEGUN,
                            .latest = last,
                            .latest_sender = PS_NONE,
                            .latest_back = PS_NONE,
                            .back_came = PS_NEVER_BEGUN,
                            .other = out->other,
                            .has_payload = true,
                            .has_others = coll->n > 1,
                            .is_of_team = coll->complete};
}

/* Who comes back last to complete what was only begun. */
struct latest_back {
        uint32_t member;
        ps_time came;
};

/* What of a member columns tell, as nearly always; false: they do not. */
__attribute__((always_inline)) static inline bool find_columns(const ps_coll_sums *s, const ps_ops *ops,
                                                               ps_ref ref, uint32_t m, ps_time *begin,
                                                               ps_time *end, struct latest_back *back)
{
        const uint32_t pre = ops->pre[ref.op], post = ops->post[ref.op];
        const ps_time *enter = s->timing->enter[ref.loc], *leave = s->timing->leave[ref.loc];
        *begin = enter[ref.op] + pre;
        if (!(ops->flags[ref.op] & PS_OP_NONBLOCKING)) {
                *end = leave[ref.op] - post;
                return pre != UINT32_MAX && post != UINT32_MAX;
        }
        const ps_op done = ops->done[ref.op];
        if (pre == UINT32_MAX || done == PS_NONE || ops->flags[ref.op] & PS_OP_ELSEWHERE)
                return false;
        *end = leave[done];
        if (enter[done] > back->came)
                *back = (struct latest_back){m, enter[done]};
        return true;
}

/* The same as columns tell it; false: they do not. */
static bool sum_columns(const ps_coll_sums *s, const ps_coll *coll, struct sum *out)
{
        const ps_member *member = s->trace->members;
        const ps_ops *all = s->trace->ops;
        uint32_t latest = PS_NONE, latest_sender = PS_NONE;
        ps_time latest_begin = PS_NEVER_BEGUN, earliest_end = PS_NEVER_ENDED, sender_begin = PS_NEVER_BEGUN;
        struct latest_back back = {PS_NONE, PS_NEVER_BEGUN};
        uint64_t payload = needs_no_payload(coll);
        for (uint32_t m = coll->first, end = m + coll->n; m < end; m++) {
                const ps_ref ref = member[m].ref;
                const ps_ops *ops = &all[ref.loc];
                ps_time begun, ended;
                ps_blocks_keep();
                if (!find_columns(s, ops, ref, m, &begun, &ended, &back))
                        return false;
                const uint64_t sent = ps_op_bytes(ops, ref.op);
                earliest_end = earlier(ended, earliest_end);
                latest = begun > latest_begin ? m : latest;
                latest_begin = later(begun, latest_begin);
                payload |= sent | member[m].received;
                const bool is_latest_sender = sent && begun > sender_begin;
                latest_sender = is_latest_sender ? m : latest_sender;
                sender_begin = is_latest_sender ? begun : sender_begin;
        }
        *out = (struct sum){.latest_begin = latest_begin,
                            .earliest_end = earliest_end,
                            .latest_sender_begin = sender_begin,
                            .latest = latest,
                            .latest_sender = latest_sender,
                            .latest_back = back.member,
                            .back_came = back.came,
                            .other = out->other,
                            .has_payload = payload != 0,
                            .has_others = coll->n > 1};
        return true;
}

/* Of all members. */
static bool end_sum(const ps_coll_sums *s, const ps_coll *coll, enum side side, struct sum *sum)
{
        sum->is_full = sum->earliest_end > sum->latest_begin;
        bool narrows = !sum->is_full && !needs_no_payload(coll) && traits_of(coll) & PS_T_ALL_TO_ALL &&
                       sum->latest_sender != PS_NONE;
        if (narrows)
                narrow_sum(s, coll, side, sum);
        return narrows;
}

bool ps_coll_sums_narrow(const ps_coll_sums *s, uint32_t c, bool is_other)
{
        const ps_coll *coll = &s->trace->colls[c];
        enum side side = is_other ? GROUP_A : is_inter(s, coll) ? GROUP_B : EVERYBODY;
        return end_sum(s, coll, side, ps_coll_sums_at(s, c, is_other));
}

static bool is_of_team(const ps_coll_sums *s, const ps_coll *coll)
{
        const ps_ref first = s->trace->members[coll->first].ref;
        return traits_of(coll) & PS_T_TEAM && !coll->pgas &&
               !(s->trace->ops[first.loc].flags[first.op] & PS_OP_NONBLOCKING);
}

static void sum_instance(const ps_coll_sums *s, const ps_coll *coll, enum side side, struct sum *sum)
{
        if (side == EVERYBODY && is_of_team(s, coll))
                sum_team(s, coll, sum);
        else if (side != EVERYBODY || coll->pgas || !has_part_columns(s, coll) || !sum_columns(s, coll, sum))
                sum_members(s, coll, side, sum);
        end_sum(s, coll, side, sum);
}

ps_time ps_coll_sums_sends_at(const ps_coll_sums *s, uint32_t member)
{
        const ps_coll *coll = &s->trace->colls[s->trace->members[member].coll];
        return sent_by(s, coll, member) ? begin_of(s, coll, member) : INT64_MIN;
}

/* -- prefix operations, in rank order -- */

struct prefix {
        ps_coll_sums *sums;
        uint32_t latest; /* of those who send, so far */
};

static void sum_rank(void *ctx, uint32_t member)
{
        struct prefix *p = ctx;
        ps_coll_sums *s = p->sums;
        const ps_coll *coll = &s->trace->colls[s->trace->members[member].coll];
        if (sent_by(s, coll, member) &&
            (p->latest == PS_NONE || begin_of(s, coll, member) > begin_of(s, coll, p->latest)))
                p->latest = member;
        s->predecessor[member] = p->latest;
}

/* -- among neighbours -- */

/* Those who send nothing at all are not waited for. */
static void sum_neighbour(void *ctx, uint32_t member, uint32_t needed)
{
        ps_coll_sums *s = ctx;
        const ps_coll *coll = &s->trace->colls[s->trace->members[member].coll];
        uint32_t *latest = &s->predecessor[member];
        struct coll_back back = ps_coll_sums_back_of(s, needed);
        if (!sent_by(s, coll, needed))
                return;
        if (begin_of(s, coll, needed) > begin_or_never(s, coll, *latest))
                *latest = needed;
        if (back.came > s->back[member].came)
                s->back[member] = back;
}

/* -- the two of them -- */

static ps_status make_predecessors_room(ps_coll_sums *s, uint32_t **member_of, ps_error *err)
{
        size_t n = s->trace->n_members, n_back = s->agreed || ps_trace_tells_neighbours(s->trace) ? n : 0;
        *member_of = ps_memory_new(ps_coll_room(s->trace) * sizeof(**member_of));
        s->predecessor = ps_memory_new(n * sizeof(*s->predecessor));
        s->back = ps_memory_new(n_back * sizeof(*s->back));
        if (!*member_of || !s->predecessor || !s->back)
                return PS_NOMEM(err, "collective operations", n);
        for (size_t m = 0; m < n; m++)
                s->predecessor[m] = PS_NONE;
        for (size_t m = 0; m < n_back; m++)
                s->back[m] = nowhere;
        return PS_OK;
}

static ps_status sum_predecessors(ps_coll_sums *s, ps_error *err)
{
        const ps_trace *trace = s->trace;
        uint32_t *member_of = NULL;
        ps_status status = PS_OK;
        for (uint32_t c = 0; c < trace->n_colls && status == PS_OK; c++) {
                const ps_coll *coll = &trace->colls[c];
                bool is_near = ps_coll_is_near(trace, coll);
                if (!is_near && !(traits_of(coll) & PS_T_PREFIX))
                        continue;
                if (!member_of)
                        status = make_predecessors_room(s, &member_of, err);
                if (status == PS_OK && is_near && !ps_coll_sums_are_shared(s, c))
                        ps_coll_visit_near(trace, coll, member_of, sum_neighbour, s);
                else if (status == PS_OK && !is_near)
                        ps_coll_visit_ranks(trace, coll, member_of, sum_rank, &(struct prefix){s, PS_NONE});
        }
        free(member_of);
        return status;
}

static ps_status sum_chunk(void *ctx, uint32_t chunk, unsigned worker, ps_error *err)
{
        (void)worker;
        ps_coll_sums *s = ctx;
        uint32_t end = s->trace->n_colls - chunk * CHUNK < CHUNK ? s->trace->n_colls : (chunk + 1) * CHUNK;
        for (uint32_t c = chunk * CHUNK; c < end; c++) {
                const ps_coll *coll = &s->trace->colls[c];
                const bool inter = is_inter(s, coll), is_whole = coll->complete && !inter;
                struct sum *sum = &s->sum[c];
                if (ps_coll_sums_are_shared(s, c)) {
                        sum_members(s, coll, inter ? GROUP_B : EVERYBODY, sum);
                        if (inter)
                                sum_members(s, coll, GROUP_A, &s->sum[sum->other]);
                } else {
                        sum_instance(s, coll, inter ? GROUP_B : EVERYBODY, sum);
                        if (ps_coll_sums_ask_alone(s, coll) && ps_coll_sums_find_alone(s, coll, sum) < 0)
                                return PS_NOMEM(err, "collective operations", coll->n);
                        if (inter)
                                sum_instance(s, coll, GROUP_A, &s->sum[sum->other]);
                }
                sum->is_plain = is_whole && !coll->pgas;
                sum->is_plain_pgas = is_whole && coll->pgas;
        }
        return PS_OK;
}

/* One sum for each instance, and a second one for those of intercommunicators behind all of them. */
static ps_status make_sums_room(ps_coll_sums *s, ps_error *err)
{
        const ps_trace *trace = s->trace;
        uint32_t n = trace->n_colls;
        for (uint32_t c = 0; c < trace->n_colls; c++)
                n += (uint32_t)is_inter(s, &trace->colls[c]);
        s->sum = ps_memory_new(n * sizeof(*s->sum));
        if (!s->sum)
                return PS_NOMEM(err, "collective operations", n);
        for (uint32_t c = 0, next = trace->n_colls; c < trace->n_colls; c++)
                s->sum[c].other = is_inter(s, &trace->colls[c]) ? next++ : PS_NONE;
        return PS_OK;
}

ps_status ps_coll_sums_begin(ps_coll_sums **out, const ps_trace *trace, const ps_timing *timing,
                             const ps_agreed *agreed, unsigned n_threads, ps_error *err)
{
        *out = NULL;
        ps_coll_sums *s = calloc(1, sizeof(*s));
        if (!s)
                return PS_NOMEM(err, "collective operations", 1);
        *s = (ps_coll_sums){.trace = trace, .timing = timing, .agreed = agreed, .n_here = trace->n_members};
        ps_status status = make_sums_room(s, err);
        PS_THEN(status, ps_parallel_for(n_threads, (trace->n_colls + CHUNK - 1) / CHUNK, sum_chunk, s, err));
        PS_THEN(status, sum_predecessors(s, err));
        if (status != PS_OK)
                ps_coll_sums_free(s);
        else
                *out = s;
        return status;
}

ps_status ps_coll_sums_new(ps_coll_sums **out, const ps_trace *trace, const ps_timing *timing,
                           unsigned n_threads, ps_error *err)
{
        return ps_coll_sums_begin(out, trace, timing, NULL, n_threads, err);
}

void ps_coll_sums_free(ps_coll_sums *s)
{
        if (!s)
                return;
        if (s->trace)
                ps_coll_sums_forget_roots(s);
        free(s->sum);
        free(s->predecessor);
        free(s->back);
        free(s->begin);
        free(s->shared_back);
        free(s->root);
        free(s);
}

/* -- one member -- */

static ps_sync out_sync_of(const ps_coll_sums *s, uint32_t member)
{
        ps_ref ref = s->trace->members[member].ref;
        return ps_sync_out(ps_op_tag(&s->trace->ops[ref.loc], ref.op));
}

/* In PGAS programs the mode decides, and gathering waits for the one that gathers, too. */
static uint32_t needed_thread(const ps_coll_sums *s, const ps_coll *coll, const struct sum *sum,
                              uint32_t member)
{
        uint16_t traits = traits_of(coll);
        if (coll->kind == PS_K_ALLOC)
                return sum->is_full ? sum->latest : coll->root;
        if (in_sync_of(s, member) != PS_SYNC_MY)
                return sum->latest;
        if (traits & PS_T_ALL_TO_ONE)
                return member == coll->root ? sum->latest_sender : coll->root;
        if (traits & PS_T_ONE_TO_ALL)
                return coll->root;
        return traits & PS_T_PREFIX && s->predecessor ? s->predecessor[member] : sum->latest;
}

static uint32_t needed_member(const ps_coll_sums *s, const ps_coll *coll, const struct sum *sum,
                              uint32_t member)
{
        return coll->pgas ? needed_thread(s, coll, sum, member) : ps_coll_needed_member(s, coll, sum, member);
}

/* Whose return to complete the operation the member may have to wait for. */
static uint32_t returning_member(const ps_coll_sums *s, const ps_coll *coll, const struct sum *sum,
                                 uint32_t member)
{
        uint16_t traits = traits_of(coll);
        if (traits & (PS_T_BARRIER | PS_T_ALL_TO_ALL))
                return sum->latest_back;
        return needed_member(s, coll, sum, member);
}

/* Who has members of it elsewhere knows of nobody's return but that of the one whom all wait for who wait for
 * any. */
static struct coll_back back_for(const ps_coll_sums *s, const ps_coll *coll, const struct sum *sum,
                                 uint32_t member)
{
        uint32_t c = s->trace->members[member].coll;
        bool waits_for_all = traits_of(coll) & (PS_T_BARRIER | PS_T_ALL_TO_ALL);
        if (coll->pgas && !waits_for_all)
                return nowhere; /* only barriers of theirs are begun, and completed later */
        if (traits_of(coll) & PS_T_SPARSE)
                return ps_coll_is_near(s->trace, coll) ? s->back[member] : nowhere;
        if (!s->shared_back || !ps_coll_sums_are_shared(s, c) || !ps_coll_sums_are_begun(s, c))
                return ps_coll_sums_back_of(s, returning_member(s, coll, sum, member));
        if (traits_of(coll) & PS_T_PREFIX)
                return s->back[member];
        if (waits_for_all || needed_member(s, coll, sum, member) != PS_NONE)
                return s->shared_back[sum - s->sum];
        return nowhere;
}

static const struct sum *sum_of(const ps_coll_sums *s, const ps_coll *coll, uint32_t member)
{
        uint32_t c = s->trace->members[member].coll;
        return &s->sum[side_of(s, coll, member) == GROUP_B ? s->sum[c].other : c];
}

bool ps_takes_part(const ps_coll_sums *s, uint32_t member)
{
        const ps_coll *coll = &s->trace->colls[s->trace->members[member].coll];
        const struct sum *sum = sum_of(s, coll, member);
        return sum->has_others && ps_coll_takes_part(s, coll, sum, member);
}

bool ps_view_collective(ps_collective_view *out, const ps_coll_sums *s, uint32_t member)
{
        const ps_coll *coll = &s->trace->colls[s->trace->members[member].coll];
        const struct sum *sum = sum_of(s, coll, member);
        if (!sum->has_others)
                return false;
        uint32_t needed = needed_member(s, coll, sum, member);
        struct coll_back back = may_come_back(s, member) ? back_for(s, coll, sum, member) : nowhere;
        *out = (ps_collective_view){
                .own = {.begin = begin_of(s, coll, member),
                        .end = end_of(s, coll, member),
                        .takes_part = ps_coll_takes_part(s, coll, sum, member),
                        .is_root = member == coll->root,
                        .receives = received_by(s, coll, member) > 0,
                        .in_sync = in_sync_of(s, member),
                        .out_sync = out_sync_of(s, member)},
                .all = {.latest_begin = sum->latest_begin,
                        .earliest_end = sum->earliest_end,
                        .root_begin = begin_or_never(s, coll, coll->root),
                        .latest_sender_begin = sum->latest_sender_begin,
                        .latest_predecessor_begin = traits_of(coll) & PS_T_PREFIX && s->predecessor
                                                            ? begin_or_never(s, coll, s->predecessor[member])
                                                            : PS_NEVER_BEGUN,
                        .needed_begin =
                                needed == sum->latest ? sum->latest_begin : begin_or_never(s, coll, needed),
                        .alone = sum->alone},
                .is_pgas = coll->pgas,
                .kind = (ps_kind)coll->kind,
                .cause = needed == PS_NONE ? (ps_ref){PS_NONE, PS_NONE} : s->trace->members[needed].ref,
                .back = back.ref,
                .back_came = back.came,
                .back_left = back.left};
        return true;
}
