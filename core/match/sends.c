/* sends.c - a counting sort. All rows, process by process, are cut into parts of as many rows each: each part
 * counts its sends by pair, and then knows where they go, behind those of the parts before. To bring those of
 * some receivers it goes through its rows once more. */
#include "core/match/sends.h"

#include "core/base/hash.h"
#include "core/base/lookup.h"
#include "core/base/memory.h"
#include "core/base/parallel.h"
#include "core/base/vector.h"
#include "core/match/ends.h"
#include "core/match/order.h"

#include <stdlib.h>
#include <string.h>

/* A part begins at a row of a process that has one location, or at a process. */
struct border {
        ps_proc process;
        ps_op op;
};

struct ps_sends_part {
        struct border from, end;
        size_t *at; /* by pair of its processes: how many sends, then where they go */
        uint64_t n_ends;
        ps_postings postings;
};

struct sorting {
        const ps_trace *trace;
        ps_sends *out;
        uint32_t comm_mask;
        PS_VECTOR(ps_pair) pairs;
        ps_lookup by_ends;
        uint32_t *known; /* by process: the pair towards it that was found last */
};

/* -- parts -- */

static ps_loc location_of(const ps_trace *trace, const ps_process_def *process, uint32_t thread)
{
        return trace->defs.by_process[process->first + thread];
}

static uint64_t count_rows(const ps_trace *trace, const ps_process_def *process)
{
        uint64_t n = 0;
        for (uint32_t i = 0; i < process->n_locs; i++)
                n += trace->ops[location_of(trace, process, i)].n;
        return n;
}

/* So many that what each counts takes little beside the rows that it counts. */
static uint32_t count_parts(const ps_trace *trace, uint64_t n_rows, uint32_t asked, unsigned n_threads)
{
        uint64_t fit = n_rows / (asked ? asked : PS_RANGE_ROWS + UINT64_C(4) * trace->defs.processes.n),
                 most = ps_parallel_threads(n_threads);
        return fit < 2 ? 1 : (uint32_t)(fit < most ? fit : most);
}

/* Behind the last process of which the part has rows. */
static ps_proc end_of(const struct ps_sends_part *part)
{
        return part->end.process + (part->end.op > 0);
}

static uint32_t pairs_before(const ps_sends *out, ps_proc p)
{
        return out->first[p];
}

static ps_status make_parts(struct sorting *s, uint32_t asked, unsigned n_threads, ps_error *err)
{
        const ps_trace *trace = s->trace;
        const uint32_t n_procs = trace->defs.processes.n;
        uint64_t n_rows = 0, seen = 0;
        for (ps_proc p = 0; p < n_procs; p++)
                n_rows += count_rows(trace, &trace->defs.processes.row[p]);
        uint32_t n = count_parts(trace, n_rows, asked, n_threads), i = 1;
        s->out->part = calloc(n, sizeof(*s->out->part));
        if (!s->out->part)
                return PS_NOMEM(err, "threads", n);
        s->out->n_parts = n;
        for (ps_proc p = 0; p < n_procs; p++) {
                const ps_process_def *process = &trace->defs.processes.row[p];
                uint64_t rows = count_rows(trace, process);
                for (; i < n && n_rows * i / n < seen + rows; i++)
                        s->out->part[i].from = process->n_locs == 1
                                                       ? (struct border){p, (ps_op)(n_rows * i / n - seen)}
                                                       : (struct border){p + 1, 0};
                seen += rows;
        }
        for (; i < n; i++)
                s->out->part[i].from = (struct border){n_procs, 0};
        for (i = 0; i < n; i++) {
                s->out->part[i].end = i + 1 < n ? s->out->part[i + 1].from : (struct border){n_procs, 0};
                const uint32_t n_pairs = pairs_before(s->out, end_of(&s->out->part[i])) -
                                         pairs_before(s->out, s->out->part[i].from.process);
                s->out->part[i].at = calloc((size_t)n_pairs + 1, sizeof(*s->out->part[i].at));
                if (!s->out->part[i].at)
                        return PS_NOMEM(err, "pairs of processes", n_pairs);
        }
        return PS_OK;
}

/* The rows of a location of the process that are the part's. */
static ps_posted rows_of(const ps_sends *out, const struct ps_sends_part *part, ps_proc p, uint32_t thread)
{
        ps_loc loc = location_of(out->trace, &out->trace->defs.processes.row[p], thread);
        return (ps_posted){loc, p == part->from.process ? part->from.op : 0,
                           p == part->end.process ? part->end.op : out->trace->ops[loc].n};
}

/* -- who is at the other end -- */

static uint64_t hash_of_pair(const void *pairs, uint32_t i)
{
        const ps_pair *pair = (const ps_pair *)pairs + i;
        return ps_hash_pair((uint64_t)pair->from << 32 | pair->to, pair->comm);
}

static bool is_like_pair(const void *key, const void *pairs, uint32_t i)
{
        const ps_pair *a = key, *b = (const ps_pair *)pairs + i;
        return a->from == b->from && a->to == b->to && a->comm == b->comm;
}

/* That of a pair + 1; 0: there is none. */
static uint32_t *slot_of(const struct sorting *s, const ps_pair *pair)
{
        return ps_lookup_find(&s->by_ends, hash_of_pair(pair, 0), is_like_pair, pair, s->pairs.row);
}

/* Its number, or PS_NONE without memory. */
static uint32_t find_pair(struct sorting *s, ps_proc from, ps_proc to, ps_comm comm)
{
        const ps_pair *pairs = s->pairs.row;
        const uint32_t n = s->pairs.n, known = s->known[to];
        if (pairs && known != PS_NONE && pairs[known].from == from && pairs[known].comm == comm)
                return known;
        const ps_pair pair = {from, to, comm, PS_NONE, PS_NONE, 0, 0};
        if (n == PS_PAIR_NOBODY || PS_ROOM(s->pairs.row, s->pairs.n, s->pairs.cap) ||
            ps_lookup_room(&s->by_ends, n, hash_of_pair, s->pairs.row))
                return PS_NONE;
        uint32_t *slot = slot_of(s, &pair);
        if (!*slot) {
                s->pairs.row[s->pairs.n++] = pair;
                *slot = n + 1;
        }
        return s->known[to] = *slot - 1;
}

static ps_status name_partners(struct sorting *s, ps_loc loc, ps_proc process, ps_error *err)
{
        enum { NEAR = 8 };
        const ps_ops *ops = &s->trace->ops[loc];
        uint32_t *number = s->out->by_call[loc], near[NEAR] = {0}; /* by peer: the last one that was found */
        for (uint32_t i = 0; i < ops->n_calls; i++) {
                const struct ps_call *call = &ops->calls[i], *like = &ops->calls[near[call->peer % NEAR]];
                if (like < call && like->peer == call->peer && like->comm == call->comm) {
                        number[i] = number[like - ops->calls];
                        continue;
                }
                near[call->peer % NEAR] = i;
                ps_proc other = process_of(s->trace, call->peer);
                number[i] = call->comm == PS_NONE ? PS_PAIR_NO_MESSAGE : PS_PAIR_NOBODY;
                if (number[i] == PS_PAIR_NO_MESSAGE || process == PS_NONE || other == PS_NONE)
                        continue;
                uint32_t pair = find_pair(s, process, other, call->comm & s->comm_mask);
                if (pair == PS_NONE)
                        return PS_NOMEM(err, "pairs of processes", s->pairs.n);
                number[i] = pair - s->out->first[process];
        }
        return PS_OK;
}

static ps_status make_tables(struct sorting *s, ps_error *err)
{
        const ps_trace *trace = s->trace;
        const size_t n_procs = trace->defs.processes.n;
        size_t n = 0;
        for (ps_loc loc = 0; loc < trace->n_locs; loc++)
                n += trace->ops[loc].n_calls;
        ps_sends *out = s->out;
        out->first = malloc((n_procs + 1) * sizeof(*out->first));
        out->incoming = malloc((n_procs + 1) * sizeof(*out->incoming));
        s->known = malloc((n_procs + 1) * sizeof(*s->known));
        out->by_call = calloc(trace->n_locs + (size_t)1, sizeof(*out->by_call));
        if (!out->first || !out->incoming || !s->known || !out->by_call)
                return PS_NOMEM(err, "processes", n_procs);
        for (size_t p = 0; p < n_procs; p++)
                s->known[p] = out->incoming[p] = PS_NONE;
        if (!(out->by_call[0] = ps_memory_new(n * sizeof(**out->by_call))))
                return PS_NOMEM(err, "calls", n);
        for (ps_loc loc = 1; loc < trace->n_locs; loc++)
                out->by_call[loc] = out->by_call[loc - 1] + trace->ops[loc - 1].n_calls;
        return PS_OK;
}

/* Locations that are no threads of a process have none. */
static ps_status make_pairs(struct sorting *s, ps_error *err)
{
        const ps_defs *defs = &s->trace->defs;
        PS_TRY(make_tables(s, err));
        for (ps_proc p = 0; p < defs->processes.n; p++) {
                const ps_process_def *process = &defs->processes.row[p];
                s->out->first[p] = s->pairs.n;
                for (uint32_t i = 0; i < process->n_locs; i++)
                        PS_TRY(name_partners(s, location_of(s->trace, process, i), p, err));
        }
        s->out->first[defs->processes.n] = s->pairs.n;
        for (ps_loc loc = 0; loc < s->trace->n_locs; loc++)
                if (defs->locations.row[loc].type != PS_LOCATION_CPU)
                        PS_TRY(name_partners(s, loc, PS_NONE, err));
        return PS_OK;
}

/* -- counting -- */

/* The part's counts for the pairs of the process. */
static size_t *counts_of(const ps_sends *out, const struct ps_sends_part *part, ps_proc p)
{
        return part->at + (pairs_before(out, p) - pairs_before(out, part->from.process));
}

/* Sends and receives are counted in one number, the latter in its upper half: each location has fewer. By
 * pair, behind two places for what belongs to none, as numbers wrap around to them. */
#define A_SEND UINT64_C(1)
#define A_RECV (UINT64_C(1) << 32)
enum { OF_NOBODY, OF_NO_MESSAGE, FIRST_PAIR };
_Static_assert((uint32_t)(PS_PAIR_NOBODY + FIRST_PAIR) == OF_NOBODY, "it wraps around");
_Static_assert((uint32_t)(PS_PAIR_NO_MESSAGE + FIRST_PAIR) == OF_NO_MESSAGE, "this, too");

static void count_rows_of(const struct sorting *s, ps_posted rows, uint64_t *count)
{
        static const uint64_t counts[UINT8_MAX + 1] = {
#define PS_KIND(id, name, cls, traits)                                                                       \
        [PS_K_##id] = PS_C_##cls == PS_C_SEND ? A_SEND : PS_C_##cls == PS_C_RECV ? A_RECV : 0,
#include "core/model/kinds.def"
#undef PS_KIND
        };
        const uint32_t *by_call = s->out->by_call[rows.loc];
        const ps_ops ops = s->trace->ops[rows.loc];
        for (ps_op op = rows.from; op < rows.end; op++)
                if (!is_out(&ops, op))
                        count[(uint32_t)(by_call[ops.call[op]] + FIRST_PAIR)] += counts[ops.kind[op]];
}

static uint64_t ends_of(uint64_t count)
{
        return (uint32_t)count + (count >> 32);
}

/* Adds what the location sends to each of the n pairs, with room for `count`; gives how many of its rows
 * should find another one. */
static uint64_t count_location(const struct sorting *s, ps_posted rows, uint32_t n, uint64_t *count,
                               size_t *by_pair)
{
        memset(count, 0, (FIRST_PAIR + (size_t)n) * sizeof(*count));
        count_rows_of(s, rows, count);
        uint64_t n_ends = ends_of(count[OF_NOBODY]);
        for (uint32_t i = 0; i < n; i++) {
                n_ends += ends_of(count[FIRST_PAIR + i]);
                by_pair[i] += (uint32_t)count[FIRST_PAIR + i];
        }
        return n_ends;
}

static ps_status count_part(void *ctx, uint32_t i, unsigned worker, ps_error *err)
{
        const struct sorting *s = ctx;
        struct ps_sends_part *part = &s->out->part[i];
        const uint32_t *first = s->out->first;
        uint32_t most = 0;
        (void)worker;
        for (ps_proc p = part->from.process; p < end_of(part); p++)
                most = first[p + 1] - first[p] > most ? first[p + 1] - first[p] : most;
        uint64_t *count = malloc((FIRST_PAIR + (size_t)most) * sizeof(*count));
        if (!count)
                return PS_NOMEM(err, "pairs of processes", most);
        for (ps_proc p = part->from.process; p < end_of(part); p++)
                for (uint32_t k = 0; k < s->trace->defs.processes.row[p].n_locs; k++)
                        part->n_ends +=
                                count_location(s, rows_of(s->out, part, p, k), first[p + 1] - first[p], count,
                                               counts_of(s->out, part, p));
        free(count);
        return PS_OK;
}

/* Those of locations that are no threads of a process go nowhere. */
static void count_others(const struct sorting *s)
{
        const ps_trace *trace = s->trace;
        uint64_t nowhere[FIRST_PAIR];
        for (ps_loc loc = 0; loc < trace->n_locs; loc++)
                if (trace->defs.locations.row[loc].type != PS_LOCATION_CPU)
                        s->out->n_ends +=
                                count_location(s, (ps_posted){loc, 0, trace->ops[loc].n}, 0, nowhere, NULL);
}

/* How many each pair has: `end` of its rows, as if they began at 0. */
static void add_counts(const struct sorting *s)
{
        for (uint32_t i = 0; i < s->out->n_parts; i++) {
                const struct ps_sends_part *part = &s->out->part[i];
                const uint32_t first = pairs_before(s->out, part->from.process),
                               end = pairs_before(s->out, end_of(part));
                for (uint32_t pair = first; pair < end; pair++)
                        s->pairs.row[pair].end += part->at[pair - first];
                s->out->n_ends += part->n_ends;
        }
}

/* The pairs behind each other, receiver by receiver. */
static void place_pairs(const struct sorting *s)
{
        const ps_sends *out = s->out;
        const uint32_t n_procs = s->trace->defs.processes.n;
        ps_pair *pairs = s->pairs.row;
        size_t n = 0;
        for (uint32_t i = s->pairs.n; i-- > 0;)
                if (pairs[i].end) {
                        uint32_t back = *slot_of(
                                s,
                                &(ps_pair){.from = pairs[i].to, .to = pairs[i].from, .comm = pairs[i].comm});
                        pairs[i].back = back ? back - 1 - out->first[pairs[i].to] : PS_NONE;
                        pairs[i].next = out->incoming[pairs[i].to];
                        out->incoming[pairs[i].to] = i;
                }
        for (ps_proc p = 0; p < n_procs; p++) {
                out->begin[p] = n;
                for (uint32_t i = out->incoming[p]; i != PS_NONE; i = pairs[i].next) {
                        size_t more = pairs[i].end;
                        pairs[i].begin = pairs[i].end = n;
                        n += more;
                }
        }
        out->begin[n_procs] = n;
}

/* Each part's behind those of the parts before; then `end` is where the pair's rows end. */
static void place_parts(const struct sorting *s)
{
        for (uint32_t i = 0; i < s->out->n_parts; i++) {
                const struct ps_sends_part *part = &s->out->part[i];
                const uint32_t first = pairs_before(s->out, part->from.process),
                               end = pairs_before(s->out, end_of(part));
                for (uint32_t pair = first; pair < end; pair++) {
                        size_t more = part->at[pair - first];
                        part->at[pair - first] = s->pairs.row[pair].end;
                        s->pairs.row[pair].end += more;
                }
        }
}

static ps_status place_sends(const struct sorting *s, ps_error *err)
{
        const ps_defs *defs = &s->trace->defs;
        s->out->begin = malloc(((size_t)defs->processes.n + 1) * sizeof(*s->out->begin));
        if (!s->out->begin)
                return PS_NOMEM(err, "processes", defs->processes.n);
        add_counts(s);
        place_pairs(s);
        place_parts(s);
        return PS_OK;
}

static ps_status count_sends(struct sorting *s, uint32_t asked, unsigned n_threads, ps_error *err)
{
        PS_TRY(make_pairs(s, err));
        PS_TRY(make_parts(s, asked, n_threads, err));
        count_others(s);
        PS_TRY(ps_parallel_for(n_threads, s->out->n_parts, count_part, s, err));
        return place_sends(s, err);
}

ps_status ps_sends_count(ps_sends *out, const ps_trace *trace, uint32_t comm_mask, uint32_t asked,
                         unsigned n_threads, ps_error *err)
{
        struct sorting s = {.trace = trace, .out = out, .comm_mask = comm_mask};
        *out = (ps_sends){.trace = trace};
        ps_status status = count_sends(&s, asked, n_threads, err);
        free(s.known);
        ps_lookup_free(&s.by_ends);
        out->pair = s.pairs.row;
        return status;
}

/* -- sorting -- */

/* Those for whoever is at hand. Of pairs that were, `at` is behind those, and of others before. */
static void put_rows(const ps_sends *sends, size_t *at, ps_posted rows)
{
        const ps_ops ops = sends->trace->ops[rows.loc];
        const uint32_t *by_call = sends->by_call[rows.loc];
        const size_t first = sends->first_row, n = sends->n_rows;
        ps_op *out = sends->row;
        ps_loc *loc = sends->loc;
        for (ps_op op = rows.from; op < rows.end; op++) {
                uint32_t pair = ps_kind_sends(ops.kind[op]) ? looked_up(by_call, &ops, op) : PS_PAIR_NOBODY;
                if (pair >= PS_PAIR_NOBODY)
                        continue;
                size_t to = at[pair] - first;
                if (to >= n)
                        continue;
                at[pair]++;
                out[to] = op;
                if (loc)
                        loc[to] = rows.loc;
        }
}

/* Of traces of many sends only some are at hand at a time, and mostly few processes sent any of these. */
static bool sends_now(const ps_sends *sends, ps_proc p)
{
        const size_t first = sends->first_row, end = first + sends->n_rows;
        for (uint32_t i = pairs_before(sends, p); i < pairs_before(sends, p + 1); i++)
                if (sends->pair[i].begin < end && sends->pair[i].end > first)
                        return true;
        return false;
}

/* The rows of several threads are put in order as they were posted. */
static ps_status put_threads(const ps_sends *sends, struct ps_sends_part *part, ps_proc p, ps_error *err)
{
        PS_TRY(ps_postings_open(&part->postings, sends->trace, p, PS_C_SEND, err));
        for (ps_posted rows; ps_postings_next_rows(&part->postings, &rows);)
                put_rows(sends, counts_of(sends, part, p), rows);
        return PS_OK;
}

static ps_status put_part(void *ctx, uint32_t i, unsigned worker, ps_error *err)
{
        const ps_sends *sends = ctx;
        struct ps_sends_part *part = &sends->part[i];
        ps_status status = PS_OK;
        (void)worker;
        for (ps_proc p = part->from.process; p < end_of(part) && status == PS_OK; p++)
                if (!sends_now(sends, p))
                        continue;
                else if (sends->trace->defs.processes.row[p].n_locs == 1)
                        put_rows(sends, counts_of(sends, part, p), rows_of(sends, part, p, 0));
                else
                        status = put_threads(sends, part, p, err);
        ps_postings_free(&part->postings);
        return status;
}

static bool has_threads(const ps_defs *defs)
{
        bool has = false;
        for (ps_proc p = 0; p < defs->processes.n; p++)
                has |= defs->processes.row[p].n_locs > 1;
        return has;
}

static void drop_rows(ps_sends *sends)
{
        ps_memory_pass_on(sends->row);
        ps_memory_pass_on(sends->loc);
        sends->row = NULL;
        sends->loc = NULL;
}

static ps_status make_room(ps_sends *sends, size_t n, ps_error *err)
{
        drop_rows(sends);
        bool fits =
                n < SIZE_MAX / sizeof(*sends->row) && (sends->row = ps_memory_again(n * sizeof(*sends->row)));
        if (fits && has_threads(&sends->trace->defs))
                fits = (sends->loc = ps_memory_again(n * sizeof(*sends->loc)));
        return fits ? PS_OK : PS_NOMEM(err, "sends", n);
}

ps_status ps_sends_bring(ps_sends *sends, ps_proc *first, ps_proc end, size_t most, unsigned n_threads,
                         ps_error *err)
{
        const size_t *begin = sends->begin;
        for (*first = end - 1; *first > 0 && begin[end] - begin[*first - 1] <= most;)
                --*first;
        sends->first_row = begin[*first];
        sends->n_rows = begin[end] - begin[*first];
        PS_TRY(make_room(sends, sends->n_rows, err));
        return ps_parallel_for(n_threads, sends->n_parts, put_part, sends, err);
}

void ps_sends_free(ps_sends *sends)
{
        for (uint32_t i = 0; i < sends->n_parts; i++)
                free(sends->part[i].at);
        free(sends->part);
        free(sends->by_call ? sends->by_call[0] : NULL);
        free(sends->by_call);
        free(sends->pair);
        free(sends->first);
        free(sends->incoming);
        free(sends->begin);
        drop_rows(sends);
}
