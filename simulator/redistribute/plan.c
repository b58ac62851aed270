/* plan.c - see plan.h.
 *
 * In one dimension: within a block of the outer side, the inner side's blocks are a first part, whole blocks
 * at a distance of one inner cycle, and a last part. On the outer side these positions stay apart; on the
 * inner side they follow each other. So a pair of processors costs a few runs for each of its outer blocks in
 * one period. */
#include "simulator/redistribute/plan.h"
#include "core/base/vector.h"
#include "simulator/redistribute/line.h"

#include <stdlib.h>

/* Blocks to be looked at for all transfers together: some seconds. */
#define WORK_MAX (UINT64_C(1) << 30)

/* Equal parts of an element range that both sides of a pair have. */
typedef struct parts {
        uint64_t first, length, stride, count; /* in elements of the whole dimension */
} parts;

/* Both sides of one dimension of a transfer. */
typedef struct pair {
        const ps_redist_line *line[PS_REDIST_SIDES];
        uint32_t coordinate[PS_REDIST_SIDES];
        ps_redist_side outer;
        uint64_t offset; /* of the elements looked at in the whole dimension */
        ps_redist_runs *runs[PS_REDIST_SIDES];
} pair;

/* 1: `run` goes on where `last` ended, which now holds both. */
static bool extend(ps_redist_run *last, const ps_redist_run *run)
{
        if (last->count == 1 && run->count == 1 && run->first == last->first + last->length) {
                last->length += run->length;
                last->stride = last->length;
                return true;
        }
        uint64_t stride = last->count > 1 ? last->stride : run->first - last->first;
        if (run->length != last->length || run->first <= last->first ||
            run->first - last->first != stride * last->count || (run->count > 1 && run->stride != stride))
                return false;
        last->stride = stride;
        last->count += run->count;
        return true;
}

static ps_status append_run(ps_redist_runs *runs, ps_redist_run run, ps_error *err)
{
        if (run.count == 1 || run.length == run.stride)
                run = (ps_redist_run){run.first, run.length * run.count, run.length * run.count, 1};
        if (runs->n && extend(&runs->row[runs->n - 1], &run))
                return PS_OK;
        return PS_APPEND(runs->row, runs->n, runs->room, run) ? PS_NOMEM(err, "runs", runs->n) : PS_OK;
}

/* Adds parts that lie in one block of the outer side, and each in one of the inner side. */
static ps_status add_pair(pair *p, parts found, ps_error *err)
{
        for (unsigned side = 0; side < PS_REDIST_SIDES; side++) {
                uint64_t first =
                        ps_redist_line_position(p->line[side], p->coordinate[side], p->offset + found.first);
                uint64_t stride = side == p->outer ? found.stride : p->line[side]->block;
                PS_TRY(append_run(p->runs[side], (ps_redist_run){first, found.length, stride, found.count},
                                  err));
        }
        return PS_OK;
}

/* What lies in `block` of the inner side's cyclic blocks. */
static ps_status add_cyclic(pair *p, ps_redist_range block, ps_error *err)
{
        const ps_redist_line *inner = p->line[!p->outer];
        uint64_t coordinate = p->coordinate[!p->outer], size = inner->block;
        uint64_t at = block.begin / size,
                 ahead = (coordinate + inner->procs - at % inner->procs) % inner->procs;
        ps_u128 cycle = (ps_u128)size * inner->procs, begin = (ps_u128)(at + ahead) * size, whole;

        if (begin < block.begin) {
                uint64_t end = begin + size < block.end ? (uint64_t)(begin + size) : block.end;
                PS_TRY(add_pair(p, (parts){block.begin, end - block.begin, 0, 1}, err));
                begin += cycle;
        }
        if (begin >= block.end)
                return PS_OK;
        whole = begin + size > block.end ? 0 : (block.end - size - begin) / cycle + 1;
        if (whole)
                PS_TRY(add_pair(p, (parts){(uint64_t)begin, size, (uint64_t)cycle, (uint64_t)whole}, err));
        begin += whole * cycle;
        if (begin >= block.end)
                return PS_OK;
        return add_pair(p, (parts){(uint64_t)begin, block.end - (uint64_t)begin, 0, 1}, err);
}

static ps_status add_block(pair *p, ps_redist_range block, ps_error *err)
{
        const ps_redist_line *inner = p->line[!p->outer];

        if (inner->block)
                return add_cyclic(p, block, err);
        ps_redist_range other = ps_redist_line_first(inner, p->coordinate[!p->outer], inner->extent);
        uint64_t begin = other.begin > block.begin ? other.begin : block.begin;
        uint64_t end = other.end < block.end ? other.end : block.end;
        return begin < end ? add_pair(p, (parts){begin, end - begin, 0, 1}, err) : PS_OK;
}

/* The elements below `limit` that both have. */
static ps_status walk_blocks(pair *p, uint64_t limit, ps_error *err)
{
        const ps_redist_line *outer = p->line[p->outer];
        ps_redist_range block = ps_redist_line_first(outer, p->coordinate[p->outer], limit);

        for (; block.begin < block.end; block = ps_redist_line_next(outer, block, limit))
                PS_TRY(add_block(p, block, err));
        return PS_OK;
}

static ps_status plan_dim(ps_redist_plan *out, const ps_redist *r, unsigned dim, pair *p, ps_error *err)
{
        ps_redist_period period =
                ps_redist_line_period(&r->line[PS_REDIST_SOURCE][dim], &r->line[PS_REDIST_DESTINATION][dim]);

        for (unsigned side = 0; side < PS_REDIST_SIDES; side++) {
                ps_redist_part *part = &out->part[side][dim];
                part->cycle.n = part->rest.n = 0;
                part->repeats = period.times;
                p->line[side] = &r->line[side][dim];
                p->runs[side] = &part->cycle;
                /* The same for every processor, unless there is one period only. */
                part->period = period.times > 1 ? period.length / p->line[side]->procs : 0;
        }
        p->outer = ps_redist_line_is_outer(p->line[PS_REDIST_SOURCE], p->line[PS_REDIST_DESTINATION])
                           ? PS_REDIST_SOURCE
                           : PS_REDIST_DESTINATION;
        p->offset = 0;
        PS_TRY(walk_blocks(p, period.length, err));
        for (unsigned side = 0; side < PS_REDIST_SIDES; side++)
                p->runs[side] = &out->part[side][dim].rest;
        p->offset = period.times * period.length;
        return walk_blocks(p, period.rest, err);
}

ps_status ps_redist_plan_transfer(ps_redist_plan *out, const ps_redist *redist,
                                  const ps_redist_transfer *transfer, ps_error *err)
{
        for (unsigned d = 0; d < redist->spec.n_dims; d++) {
                pair p = {.coordinate = {ps_redist_coordinate(redist, PS_REDIST_SOURCE, d, transfer->source),
                                         ps_redist_coordinate(redist, PS_REDIST_DESTINATION, d,
                                                              transfer->destination)}};
                PS_TRY(plan_dim(out, redist, d, &p, err));
        }
        return PS_OK;
}

void ps_redist_plan_free(ps_redist_plan *plan)
{
        for (unsigned side = 0; side < PS_REDIST_SIDES; side++)
                for (unsigned d = 0; d < PS_REDIST_DIMS; d++) {
                        free(plan->part[side][d].cycle.row);
                        free(plan->part[side][d].rest.row);
                }
        *plan = (ps_redist_plan){0};
}

ps_status ps_redist_plan_check(const ps_redist *redist, ps_error *err)
{
        ps_u128 work = 0;

        for (unsigned d = 0; d < redist->spec.n_dims; d++) {
                const ps_redist_line *a = &redist->line[PS_REDIST_SOURCE][d],
                                     *b = &redist->line[PS_REDIST_DESTINATION][d];
                const ps_redist_line *outer = ps_redist_line_is_outer(a, b) ? a : b;
                ps_redist_period period = ps_redist_line_period(a, b);
                work += ps_redist_line_blocks(outer, &period) / outer->procs + 1;
        }
        if (work > WORK_MAX || work * redist->transfers.n > WORK_MAX)
                return PS_FAIL(err, PS_E_USAGE, "the plan is too long to be written: transfers=%zu",
                               redist->transfers.n);
        return PS_OK;
}

void ps_redist_local_shape(uint64_t shape[PS_REDIST_DIMS], const ps_redist *redist, ps_redist_side side,
                           uint32_t rank)
{
        for (unsigned d = 0; d < redist->spec.n_dims; d++)
                shape[d] = ps_redist_line_local(&redist->line[side][d],
                                                ps_redist_coordinate(redist, side, d, rank));
}
