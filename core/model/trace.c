/* trace.c - a trace's life, what it amounts to, and questions about one operation that need more than one
 * column. */
#include "core/model/trace.h"
#include "core/model/stack_places.h"

#include "core/base/blocks.h"
#include "core/base/memory.h"
#include "core/base/search.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { KINDS_AT_ONCE = 64 };

ps_status ps_trace_new(ps_trace **out, const char *format, ps_error *err)
{
        *out = NULL;
        ps_trace *trace = calloc(1, sizeof(*trace));
        if (!trace)
                return PS_NOMEM(err, "trace", 1);
        ps_status status = ps_defs_init(&trace->defs, err);
        if (status != PS_OK) {
                free(trace);
                return status;
        }
        trace->format = format;
        trace->arena = trace->defs.arena;
        *out = trace;
        return PS_OK;
}

void ps_trace_close(ps_trace *trace)
{
        if (!trace)
                return;
        for (ps_loc i = 0; trace->stack_places && i < trace->n_locs; i++)
                ps_stack_places_clear(&trace->stack_places[i]);
        free(trace->stack_places);
        ps_defs_free(&trace->defs);
        if (trace->mapped && !trace->mapped_bytes) {
                free(trace->mapped);
        } else if (trace->mapped) {
                ps_blocks_mapped(trace->mapped, 0);
                ps_memory_poison_end(trace->mapped, trace->mapped_bytes);
                munmap(trace->mapped, trace->mapped_bytes);
        }
        free(trace->mapped_pages);
        free(trace);
}

/* UINT32_MAX may be the distance itself, hence no failure when `wide` lacks it. */
ps_time ps_op_wide_distance(const ps_ops *ops, ps_op op, bool is_post)
{
        uint32_t low = 0;
        PS_SEARCH(low, ops->n_wide, middle, ops->wide[middle].op < op);
        for (; low < ops->n_wide && ops->wide[low].op == op; low++)
                if (!ops->wide[low].is_post == !is_post)
                        return ops->wide[low].distance;
        return UINT32_MAX;
}

static bool starts_before(ps_ref a, ps_ref b)
{
        return a.loc != b.loc ? a.loc < b.loc : a.op < b.op;
}

ps_ref ps_op_completion_elsewhere(const ps_trace *trace, ps_ref start)
{
        uint32_t low = 0;
        PS_SEARCH(low, trace->n_foreign, middle, starts_before(trace->foreign[middle].start, start));
        return low < trace->n_foreign && !starts_before(start, trace->foreign[low].start)
                       ? trace->foreign[low].done
                       : (ps_ref){PS_NONE, PS_NONE};
}

static ps_time at_most(ps_time time, ps_time limit)
{
        return time < limit ? time : limit;
}

ps_time ps_op_record_end_far(const ps_trace *trace, const ps_timing *timing, ps_ref ref)
{
        ps_ref done = ps_op_completion(trace, ref);
        if (done.op == PS_NONE)
                return timing->leave[ref.loc][ref.op];
        const ps_ops *ops = &trace->ops[ref.loc];
        uint32_t narrow = ops->post[ref.op];
        ps_time distance = narrow != UINT32_MAX ? narrow : ps_op_wide_distance(ops, ref.op, true);
        ps_time end = timing->leave[done.loc][done.op] - distance;
        if (timing == &trace->measured)
                return end;
        ps_time least = done.loc == ref.loc && done.op == ref.op ? ps_op_record_begin(trace, timing, ref)
                                                                 : timing->enter[done.loc][done.op];
        return end > least ? end : least;
}

uint32_t ps_rows_of_span(const ps_time *enter, uint32_t n, ps_span span, ps_op *first)
{
        ps_op low = 0, end;
        PS_BISECT(low, n, i, enter[i] <= span.begin)
        *first = low ? low - 1 : 0;
        end = low;
        PS_BISECT(end, n, i, enter[i] < span.end)
        return end - *first;
}

ps_span ps_idle_span(const ps_trace *trace, const ps_timing *timing, ps_loc location, const ps_idle *idle)
{
        const ps_time *enter = timing->enter[location], *leave = timing->leave[location];
        ps_op next = idle->after == PS_NONE ? 0 : idle->after + 1;
        ps_time from = idle->after == PS_NONE ? trace->info[location].first
                       : idle->inside         ? enter[idle->after]
                                              : leave[idle->after];
        ps_time limit = idle->inside                    ? leave[idle->after]
                        : next < trace->ops[location].n ? enter[next]
                                                        : timing->duration;
        return (ps_span){at_most(ps_time_add(from, idle->begin), limit),
                         at_most(ps_time_add(from, idle->end), limit)};
}

ps_path ps_op_caller(const ps_trace *trace, ps_ref ref)
{
        const ps_ops *ops = &trace->ops[ref.loc];
        ps_path path = ps_op_path(ops, ref.op);
        return ops->flags[ref.op] & PS_OP_BARE || !path ? path : trace->paths[path].parent;
}

ps_region ps_op_region(const ps_trace *trace, ps_ref ref)
{
        ps_path path = ps_op_path(&trace->ops[ref.loc], ref.op);
        return path < trace->n_paths ? trace->paths[path].region : PS_NONE;
}

/* Is one of so many kinds that large? Eight at a time, as one number: what is large enough carries into its
 * byte's highest bit, which no kind has. Returns those bits. */
static inline uint64_t large_of(const uint8_t *kind, size_t n, ps_kind least)
{
        _Static_assert(PS_K_COUNT <= 128, "kinds leave no bit for the carry");
        uint64_t any = 0;
        for (size_t i = 0; i < n; i += sizeof(uint64_t)) {
                uint64_t word;
                memcpy(&word, kind + i, sizeof(word));
                any |= word | (word + (128 - least) * (UINT64_MAX / 255));
        }
        return any & UINT64_MAX / 255 * 128;
}

static inline unsigned first_byte(uint64_t bits)
{
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
        return (unsigned)__builtin_clzll(bits) / 8;
#else
        return (unsigned)__builtin_ctzll(bits) / 8;
#endif
}

/* The first one before `end`, or the first of less than eight before `end` that were not looked at. */
static inline ps_op seek_words(const ps_ops *ops, ps_op op, ps_op end, ps_kind least)
{
        for (; end - op >= sizeof(uint64_t); op += sizeof(uint64_t)) {
                const uint64_t large = large_of(ops->kind + op, sizeof(uint64_t), least);
                if (large)
                        return op + first_byte(large);
        }
        return op;
}

ps_op ps_ops_seek_on(const ps_ops *ops, ps_op op, ps_kind least)
{
        const ps_op n = ops->n;
        if (n - op >= KINDS_AT_ONCE) {
                op = seek_words(ops, op, op + KINDS_AT_ONCE, least);
                if (op < n && ops->kind[op] >= least)
                        return op;
        }
        while (n - op >= KINDS_AT_ONCE && !large_of(ops->kind + op, KINDS_AT_ONCE, least))
                op += KINDS_AT_ONCE;
        op = seek_words(ops, op, n, least);
        while (op < n && ops->kind[op] < least)
                op++;
        return op;
}

uint64_t ps_ops_rare_kinds(const ps_ops *ops, uint64_t *count)
{
        _Static_assert(PS_K_COUNT - PS_K_PUT <= 64, "rare kinds do not fit a set");
        const uint8_t *kind = ops->kind;
        uint32_t n_of[UINT8_MAX + 1] = {0};
        uint64_t set = 0;
        for (size_t op = ps_ops_seek(ops, 0, PS_K_PUT), n = ops->n; op < n; op++)
                n_of[kind[op]]++;
        for (unsigned k = PS_K_PUT; k < PS_K_COUNT; k++) {
                set |= n_of[k] ? PS_RARE_KIND(k) : 0;
                count[k] += n_of[k];
        }
        return set;
}

ps_completes ps_op_completes(const ps_ops *ops, ps_op op)
{
        if (ps_kinds[ops->kind[op]].cls != PS_C_COMPLETE)
                return PS_COMPLETES_NONE;
        for (uint32_t i = 0; i < ps_op_tag(ops, op); i++)
                if (ps_kinds[ops->kind[ps_op_completed(ops, op, i)]].cls != PS_C_COLL)
                        return PS_COMPLETES_ANY;
        return ps_op_tag(ops, op) ? PS_COMPLETES_COLLECTIVES : PS_COMPLETES_ANY;
}

bool ps_op_is_pgas(const ps_trace *trace, ps_ref ref)
{
        ps_region region = ps_op_region(trace, ref);
        return region != PS_NONE && ps_paradigm_is_pgas(trace->defs.regions.row[region].paradigm);
}

/* As the communicator names it. */
static uint32_t caller_of(const ps_trace *trace, const ps_comm_def *comm, ps_loc loc)
{
        return comm->team ? loc : trace->defs.locations.row[loc].process;
}

static void find_members(const ps_trace *trace, const ps_coll *coll, uint32_t *member_of)
{
        const ps_comm_def *comm = &trace->defs.comms.row[coll->comm];
        for (uint32_t rank = 0; rank < comm->n_members; rank++)
                if (comm->members[rank] != PS_NONE)
                        member_of[comm->members[rank]] = PS_NONE;
        for (uint32_t m = coll->first; m < coll->first + coll->n; m++)
                member_of[caller_of(trace, comm, trace->members[m].ref.loc)] = m;
}

uint32_t ps_coll_member(const ps_trace *trace, const ps_coll *coll, const uint32_t *member_of, uint32_t rank)
{
        const ps_comm_def *comm = &trace->defs.comms.row[coll->comm];
        return rank < comm->n_members && comm->members[rank] != PS_NONE ? member_of[comm->members[rank]]
                                                                        : PS_NONE;
}

static bool is_member(const ps_trace *trace, const ps_coll *coll, ps_proc process)
{
        for (uint32_t i = coll->first; i < coll->first + coll->n; i++)
                if (ps_trace_process(trace, trace->members[i].ref.loc) == process)
                        return true;
        return false;
}

ps_proc ps_coll_absent(const ps_trace *trace, const ps_coll *coll)
{
        const ps_comm_def *comm = &trace->defs.comms.row[coll->comm];
        for (uint32_t i = 0; !comm->team && !comm->inter && i < comm->n_members; i++)
                if (comm->members[i] != PS_NONE && !is_member(trace, coll, comm->members[i]))
                        return comm->members[i];
        return PS_NONE;
}

void ps_coll_visit_ranks(const ps_trace *trace, const ps_coll *coll, uint32_t *member_of,
                         void (*visit)(void *ctx, uint32_t member), void *ctx)
{
        find_members(trace, coll, member_of);
        for (uint32_t rank = 0; rank < trace->defs.comms.row[coll->comm].n_members; rank++) {
                uint32_t member = ps_coll_member(trace, coll, member_of, rank);
                if (member != PS_NONE)
                        visit(ctx, member);
        }
}

void ps_coll_visit_near(const ps_trace *trace, const ps_coll *coll, uint32_t *member_of,
                        void (*visit)(void *ctx, uint32_t member, uint32_t needed), void *ctx)
{
        const ps_comm_def *comm = &trace->defs.comms.row[coll->comm];
        find_members(trace, coll, member_of);
        for (uint32_t i = 0; i < comm->n_near; i++) {
                uint32_t member = ps_coll_member(trace, coll, member_of, comm->near[i].rank), n;
                const uint32_t *near = ps_near_of(&trace->defs, comm, comm->near[i].rank, &n);
                for (uint32_t k = 0; k < n && member != PS_NONE; k++) {
                        uint32_t needed = ps_coll_member(trace, coll, member_of, near[k]);
                        if (needed != PS_NONE && needed != member)
                                visit(ctx, member, needed);
                }
        }
}
