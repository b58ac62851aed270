/* sends.c - a counting sort. All rows, process by process, are cut into parts of as many rows each: each part
 * counts its sends by receiver, and then knows where they go, behind those of the parts before. */
#include "core/match/sends.h"

#include "core/base/memory.h"
#include "core/base/parallel.h"
#include "core/match/ends.h"
#include "core/match/order.h"

#include <stdlib.h>

/* A part begins at a row of a process that has one location, or at a process. */
struct border {
        ps_proc process;
        ps_op op;
};

struct part {
        struct border from, end;
        size_t *at; /* by receiver: how many sends, then where they go */
        uint64_t n_ends;
        ps_postings postings;
};

struct sorting {
        const ps_trace *trace;
        ps_sends *out;
        struct part *part;
        uint32_t n_parts;
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

static ps_status make_parts(struct sorting *s, uint32_t asked, unsigned n_threads, ps_error *err)
{
        const ps_trace *trace = s->trace;
        const uint32_t n_procs = trace->defs.processes.n;
        uint64_t n_rows = 0, seen = 0;
        for (ps_proc p = 0; p < n_procs; p++)
                n_rows += count_rows(trace, &trace->defs.processes.row[p]);
        uint32_t n = count_parts(trace, n_rows, asked, n_threads), i = 1;
        s->part = calloc(n, sizeof(*s->part));
        if (!s->part)
                return PS_NOMEM(err, "threads", n);
        s->n_parts = n;
        for (ps_proc p = 0; p < n_procs; p++) {
                const ps_process_def *process = &trace->defs.processes.row[p];
                uint64_t rows = count_rows(trace, process);
                for (; i < n && n_rows * i / n < seen + rows; i++)
                        s->part[i].from = process->n_locs == 1
                                                  ? (struct border){p, (ps_op)(n_rows * i / n - seen)}
                                                  : (struct border){p + 1, 0};
                seen += rows;
        }
        for (; i < n; i++)
                s->part[i].from = (struct border){n_procs, 0};
        for (i = 0; i < n; i++) {
                s->part[i].end = i + 1 < n ? s->part[i + 1].from : (struct border){n_procs, 0};
                s->part[i].at = calloc((size_t)n_procs + 1, sizeof(*s->part[i].at));
                if (!s->part[i].at)
                        return PS_NOMEM(err, "processes", n_procs);
        }
        return PS_OK;
}

/* The rows of a location of the process that are the part's. */
static ps_posted rows_of(const struct sorting *s, const struct part *part, ps_proc p, uint32_t thread)
{
        ps_loc loc = location_of(s->trace, &s->trace->defs.processes.row[p], thread);
        return (ps_posted){loc, p == part->from.process ? part->from.op : 0,
                           p == part->end.process ? part->end.op : s->trace->ops[loc].n};
}

/* Behind the last process of which the part has rows. */
static ps_proc end_of(const struct part *part)
{
        return part->end.process + (part->end.op > 0);
}

/* -- who is at the other end -- */

static ps_status look_up_partners(const struct sorting *s, ps_error *err)
{
        const ps_trace *trace = s->trace;
        size_t n = 0;
        for (ps_loc loc = 0; loc < trace->n_locs; loc++)
                n += trace->ops[loc].n_calls;
        ps_proc **by_call = s->out->by_call = malloc((trace->n_locs + (size_t)1) * sizeof(*by_call));
        ps_proc *partner = by_call ? ps_memory_new(n * sizeof(*partner)) : NULL;
        if (!partner) {
                free(by_call);
                s->out->by_call = NULL;
                return PS_NOMEM(err, "calls", n);
        }
        by_call[0] = partner;
        for (ps_loc loc = 0; loc < trace->n_locs; loc++) {
                const ps_ops *ops = &trace->ops[loc];
                by_call[loc] = partner;
                for (uint32_t i = 0; i < ops->n_calls; i++)
                        *partner++ = process_of(trace, ops->calls[i].peer);
        }
        return PS_OK;
}

/* -- counting -- */

static void count_location(const struct sorting *s, ps_posted rows, size_t *by_receiver, uint64_t *n_ends)
{
        const ps_trace *trace = s->trace;
        const ps_proc *by_call = s->out->by_call[rows.loc];
        const ps_ops ops = trace->ops[rows.loc];
        uint64_t n = 0;
        for (ps_op op = rows.from; op < rows.end; op++) {
                if (ops.kind[op] > PS_K_SENDRECV_RECV)
                        continue;
                n += !(ops.flags[op] & PS_OP_CANCELLED) && ps_op_comm(&ops, op) != PS_NONE;
                ps_proc receiver = is_send(ops.kind[op]) ? partner_by_call(by_call, &ops, op) : PS_NONE;
                if (receiver != PS_NONE)
                        by_receiver[receiver]++;
        }
        *n_ends += n;
}

static ps_status count_part(void *ctx, uint32_t i, unsigned worker, ps_error *err)
{
        const struct sorting *s = ctx;
        struct part *part = &s->part[i];
        (void)worker;
        (void)err;
        for (ps_proc p = part->from.process; p < end_of(part); p++)
                for (uint32_t k = 0; k < s->trace->defs.processes.row[p].n_locs; k++)
                        count_location(s, rows_of(s, part, p, k), part->at, &part->n_ends);
        return PS_OK;
}

/* Those of locations that are no threads of a process go nowhere. */
static ps_status count_others(const struct sorting *s, ps_error *err)
{
        const ps_trace *trace = s->trace;
        size_t *nowhere = NULL;
        for (ps_loc loc = 0; loc < trace->n_locs; loc++) {
                if (trace->defs.locations.row[loc].type == PS_LOCATION_CPU || !trace->ops[loc].n)
                        continue;
                if (!nowhere && !(nowhere = calloc(trace->defs.processes.n, sizeof(*nowhere))))
                        return PS_NOMEM(err, "processes", trace->defs.processes.n);
                count_location(s, (ps_posted){loc, 0, trace->ops[loc].n}, nowhere, &s->out->n_ends);
        }
        free(nowhere);
        return PS_OK;
}

static ps_status make_room(const struct sorting *s, ps_error *err)
{
        const uint32_t n_procs = s->trace->defs.processes.n;
        size_t n = 0;
        s->out->begin = calloc((size_t)n_procs + 1, sizeof(*s->out->begin));
        if (!s->out->begin)
                return PS_NOMEM(err, "processes", n_procs);
        for (ps_proc p = 0; p < n_procs; p++) {
                s->out->begin[p] = n;
                for (uint32_t i = 0; i < s->n_parts; i++) {
                        size_t more = s->part[i].at[p];
                        s->part[i].at[p] = n;
                        n += more;
                }
        }
        s->out->begin[n_procs] = n;
        for (uint32_t i = 0; i < s->n_parts; i++)
                s->out->n_ends += s->part[i].n_ends;
        s->out->row = n < SIZE_MAX / sizeof(*s->out->row) ? ps_memory_new(n * sizeof(*s->out->row)) : NULL;
        return s->out->row ? PS_OK : PS_NOMEM(err, "sends", n);
}

/* -- sorting -- */

static void put_rows(const struct sorting *s, size_t *at, ps_posted rows)
{
        const ps_ops ops = s->trace->ops[rows.loc];
        const ps_proc *by_call = s->out->by_call[rows.loc];
        ps_ref *out = s->out->row;
        for (ps_op op = rows.from; op < rows.end; op++) {
                ps_proc receiver = is_send(ops.kind[op]) ? partner_by_call(by_call, &ops, op) : PS_NONE;
                if (receiver != PS_NONE)
                        out[at[receiver]++] = (ps_ref){rows.loc, op};
        }
}

/* The rows of several threads are put in order as they were posted. */
static ps_status put_threads(const struct sorting *s, struct part *part, ps_proc p, ps_error *err)
{
        PS_TRY(ps_postings_open(&part->postings, s->trace, p, PS_C_SEND, err));
        for (ps_posted rows; ps_postings_next_rows(&part->postings, &rows);)
                put_rows(s, part->at, rows);
        return PS_OK;
}

static ps_status put_part(void *ctx, uint32_t i, unsigned worker, ps_error *err)
{
        const struct sorting *s = ctx;
        struct part *part = &s->part[i];
        ps_status status = PS_OK;
        (void)worker;
        for (ps_proc p = part->from.process; p < end_of(part) && status == PS_OK; p++)
                if (s->trace->defs.processes.row[p].n_locs == 1)
                        put_rows(s, part->at, rows_of(s, part, p, 0));
                else
                        status = put_threads(s, part, p, err);
        ps_postings_free(&part->postings);
        return status;
}

ps_status ps_sends_sort(ps_sends *out, const ps_trace *trace, uint32_t asked, unsigned n_threads,
                        ps_error *err)
{
        struct sorting s = {.trace = trace, .out = out};
        *out = (ps_sends){0};
        ps_status status = look_up_partners(&s, err);
        PS_THEN(status, make_parts(&s, asked, n_threads, err));
        PS_THEN(status, count_others(&s, err));
        PS_THEN(status, ps_parallel_for(n_threads, s.n_parts, count_part, &s, err));
        PS_THEN(status, make_room(&s, err));
        PS_THEN(status, ps_parallel_for(n_threads, s.n_parts, put_part, &s, err));
        for (uint32_t i = 0; i < s.n_parts; i++)
                free(s.part[i].at);
        free(s.part);
        return status;
}

void ps_sends_free(ps_sends *sends)
{
        free(sends->by_call ? sends->by_call[0] : NULL);
        free(sends->by_call);
        free(sends->begin);
        free(sends->row);
}
