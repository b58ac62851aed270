/* line.c - see line.h.
 *
 * The larger blocks are dealt out over the smaller ones. A block of k * r elements gives r to each of k
 * processors in turn, and when k is larger than their number it starts anew: only divisions, whatever k is.
 * If one block is a multiple of the other and both sides have the same processors, there is one such block
 * for each processor and cycle, which is the closed form; otherwise all blocks of one period are dealt out.
 * The result of the opposite direction is the transpose. */
#include "simulator/redistribute/line.h"

#include "core/base/search.h"
#include "core/base/vector.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Transfers to be found for one dimension, repeats included: some seconds. */
#define WORK_MAX (UINT64_C(1) << 31)

static uint64_t min_u64(uint64_t a, uint64_t b)
{
        return a < b ? a : b;
}

static ps_u128 cycle_of(const ps_redist_line *line)
{
        return (ps_u128)line->block * line->procs;
}

static ps_u128 gcd(ps_u128 a, ps_u128 b)
{
        while (b) {
                ps_u128 rest = a % b;
                a = b;
                b = rest;
        }
        return a;
}

ps_redist_period ps_redist_line_period(const ps_redist_line *a, const ps_redist_line *b)
{
        uint64_t n = a->extent;
        ps_u128 cycle_a = cycle_of(a), cycle_b = cycle_of(b), length = n;

        if (!n)
                return (ps_redist_period){0};
        /* Cycles that are longer than the extent could overflow, and do not matter. */
        if (cycle_a && cycle_b && cycle_a <= n && cycle_b <= n)
                length = cycle_a / gcd(cycle_a, cycle_b) * cycle_b;
        if (length > n)
                length = n;
        return (ps_redist_period){(uint64_t)length, n / (uint64_t)length, n % (uint64_t)length};
}

/* The element where DVM's block `coordinate` begins. */
static uint64_t dvm_begin(const ps_redist_line *line, uint64_t coordinate)
{
        return (uint64_t)((ps_u128)coordinate * line->extent / line->procs);
}

static ps_redist_range range_below(ps_u128 begin, ps_u128 end, uint64_t limit)
{
        if (begin >= limit)
                return (ps_redist_range){limit, limit};
        return (ps_redist_range){(uint64_t)begin, end < limit ? (uint64_t)end : limit};
}

ps_redist_range ps_redist_line_first(const ps_redist_line *line, uint32_t coordinate, uint64_t limit)
{
        ps_u128 begin = (ps_u128)line->block * coordinate;

        if (!line->block)
                return range_below(dvm_begin(line, coordinate), dvm_begin(line, (uint64_t)coordinate + 1),
                                   limit);
        return range_below(begin, begin + line->block, limit);
}

ps_redist_range ps_redist_line_next(const ps_redist_line *line, ps_redist_range block, uint64_t limit)
{
        ps_u128 begin = block.begin + cycle_of(line);

        if (!line->block)
                return (ps_redist_range){limit, limit};
        return range_below(begin, begin + line->block, limit);
}

uint64_t ps_redist_line_local(const ps_redist_line *line, uint32_t coordinate)
{
        ps_redist_range first = ps_redist_line_first(line, coordinate, line->extent);
        ps_u128 cycle = cycle_of(line);

        if (!line->block || cycle > line->extent)
                return first.end - first.begin;
        /* What is left after all whole cycles is dealt out once more. */
        uint64_t rest = (uint64_t)(line->extent % cycle);
        first = ps_redist_line_first(line, coordinate, rest);
        return (uint64_t)(line->extent / cycle) * line->block + (first.end - first.begin);
}

uint64_t ps_redist_line_position(const ps_redist_line *line, uint32_t coordinate, uint64_t element)
{
        if (!line->block)
                return element - dvm_begin(line, coordinate);
        return (uint64_t)(element / cycle_of(line)) * line->block + element % line->block;
}

bool ps_redist_line_is_outer(const ps_redist_line *a, const ps_redist_line *b)
{
        /* With the bounds of DVM there is one block for each coordinate: no side has fewer. */
        if (!a->block || !b->block)
                return !a->block;
        return a->block >= b->block;
}

ps_u128 ps_redist_line_blocks(const ps_redist_line *a, const ps_redist_period *period)
{
        return a->block ? (ps_u128)(period->length / a->block) + 1 : a->procs;
}

/* What one coordinate of the outer side shares with each of the inner side. */
typedef struct hand {
        const ps_redist_line *inner;
        uint64_t *elements; /* by coordinate of the inner side */
        uint32_t *touched;  /* those that have any */
        uint32_t n;
} hand;

static void give_elements(hand *h, uint32_t coordinate, uint64_t elements)
{
        if (!elements)
                return;
        if (!h->elements[coordinate])
                h->touched[h->n++] = coordinate;
        h->elements[coordinate] += elements;
}

static void deal_dvm(hand *h, ps_redist_range range, uint64_t times)
{
        const ps_redist_line *inner = h->inner;
        /* The last one that begins at or before the range does. */
        uint64_t at = (uint64_t)((((ps_u128)range.begin + 1) * inner->procs - 1) / inner->extent);

        while (range.begin < range.end) {
                uint64_t end = min_u64(dvm_begin(inner, at + 1), range.end);
                give_elements(h, (uint32_t)at++, times * (end - range.begin));
                range.begin = end;
        }
}

/* Deals out the elements of a range, as if it came `times` times. */
static void deal(hand *h, ps_redist_range range, uint64_t times)
{
        uint64_t block = h->inner->block, procs = h->inner->procs;

        if (range.begin >= range.end || !times)
                return;
        if (!block) {
                deal_dvm(h, range, times);
                return;
        }
        /* The whole blocks are those from `first` to before `last`. */
        uint64_t first = range.begin / block + (range.begin % block != 0), last = range.end / block;
        if (first > last) {
                give_elements(h, (uint32_t)(last % procs), times * (range.end - range.begin));
                return;
        }
        uint64_t whole = last - first, rounds = whole / procs, extra = whole % procs;
        uint32_t at = (uint32_t)(first % procs);
        if (first * block > range.begin)
                give_elements(h, (uint32_t)((first - 1) % procs), times * (first * block - range.begin));
        for (uint64_t d = 0; d < min_u64(whole, procs); d++) {
                give_elements(h, at, times * (rounds + (d < extra)) * block);
                at = at + 1 == procs ? 0 : at + 1;
        }
        give_elements(h, (uint32_t)(last % procs), times * (range.end - last * block));
}

static ps_status push_transfer(ps_redist_list *list, ps_redist_transfer transfer, ps_error *err)
{
        if (PS_ROOM(list->row, list->n, list->room))
                return PS_NOMEM(err, "transfers", list->n);
        if (list->n == PS_REDIST_TRANSFERS_MAX)
                return PS_FAIL(err, PS_E_USAGE, "too many transfers: most=%" PRIu64, PS_REDIST_TRANSFERS_MAX);
        list->row[list->n++] = transfer;
        return PS_OK;
}

static int by_number(const void *a, const void *b)
{
        uint32_t left, right;

        memcpy(&left, a, sizeof(left));
        memcpy(&right, b, sizeof(right));
        return PS_ORDER(left, right);
}

/* Brings what was touched into its order. */
static void order_hand(hand *h)
{
        if (h->n < h->inner->procs / 16) {
                qsort(h->touched, h->n, sizeof(*h->touched), by_number);
                return;
        }
        h->n = 0;
        for (uint32_t i = 0; i < h->inner->procs; i++)
                if (h->elements[i])
                        h->touched[h->n++] = i;
}

/* Moves the hand's elements to the list, by coordinate. */
static ps_status put_down(hand *h, uint32_t outer, bool is_swapped, ps_redist_list *list, ps_error *err)
{
        order_hand(h);
        for (uint32_t i = 0; i < h->n; i++) {
                uint32_t inner = h->touched[i];
                PS_TRY(push_transfer(list,
                                     (ps_redist_transfer){is_swapped ? inner : outer,
                                                          is_swapped ? outer : inner, h->elements[inner]},
                                     err));
                h->elements[inner] = 0;
        }
        h->n = 0;
        return PS_OK;
}

static void deal_all(hand *h, const ps_redist_line *outer, uint32_t coordinate, const ps_redist_period *p)
{
        ps_redist_range block = ps_redist_line_first(outer, coordinate, p->length);

        for (; block.begin < block.end; block = ps_redist_line_next(outer, block, p->length)) {
                deal(h, block, p->times);
                deal(h, (ps_redist_range){block.begin, min_u64(block.end, p->rest)}, 1);
        }
}

/* The size of a block; the least of all that are not empty. */
static uint64_t usual_block(const ps_redist_line *line)
{
        uint64_t block = line->block ? line->block : line->extent / line->procs;

        return block ? block : 1;
}

static ps_status check_work(const ps_redist_line *outer, const ps_redist_line *inner,
                            const ps_redist_period *period, ps_error *err)
{
        ps_u128 blocks = ps_redist_line_blocks(outer, period);
        uint64_t each = min_u64(usual_block(outer) / usual_block(inner) + 2, inner->procs);

        if (blocks > WORK_MAX || blocks * each > WORK_MAX)
                return PS_FAIL(err, PS_E_USAGE,
                               "too many blocks before the distributions meet again: blocks=%" PRIu64
                               ",%" PRIu64 ", elements=%" PRIu64,
                               outer->block, inner->block, period->length);
        return PS_OK;
}

/* Orders by source if `is_source`, else by destination; what was equal stays in its order. */
static ps_status sort_by(ps_redist_list *list, bool is_source, ps_error *err)
{
        uint32_t most = 0;

        for (size_t i = 0; i < list->n; i++) {
                uint32_t key = is_source ? list->row[i].source : list->row[i].destination;
                most = key > most ? key : most;
        }
        size_t *at = calloc((size_t)most + 2, sizeof(*at));
        ps_redist_transfer *row = malloc((list->n ? list->n : 1) * sizeof(*row));
        if (!at || !row) {
                free(at);
                free(row);
                return PS_NOMEM(err, "transfers", list->n);
        }
        for (size_t i = 0; i < list->n; i++)
                at[(is_source ? list->row[i].source : list->row[i].destination) + 1]++;
        for (size_t i = 1; i <= most; i++)
                at[i] += at[i - 1];
        for (size_t i = 0; i < list->n; i++)
                row[at[is_source ? list->row[i].source : list->row[i].destination]++] = list->row[i];
        free(at);
        free(list->row);
        *list = (ps_redist_list){row, list->n, list->n};
        return PS_OK;
}

ps_status ps_redist_list_sort(ps_redist_list *list, ps_error *err)
{
        bool is_sorted = true;

        for (size_t i = 1; i < list->n && is_sorted; i++) {
                const ps_redist_transfer *a = &list->row[i - 1], *b = &list->row[i];
                is_sorted =
                        a->source < b->source || (a->source == b->source && a->destination < b->destination);
        }
        if (is_sorted)
                return PS_OK;
        PS_TRY(sort_by(list, 0, err));
        return sort_by(list, 1, err);
}

void ps_redist_list_free(ps_redist_list *list)
{
        free(list->row);
        *list = (ps_redist_list){0};
}

ps_status ps_redist_line_transfers(ps_redist_list *out, const ps_redist_line *source,
                                   const ps_redist_line *destination, ps_error *err)
{
        bool is_swapped = !ps_redist_line_is_outer(source, destination);
        const ps_redist_line *outer = is_swapped ? destination : source;
        const ps_redist_line *inner = is_swapped ? source : destination;
        ps_redist_period period = ps_redist_line_period(source, destination);
        hand h = {.inner = inner};
        ps_status status = check_work(outer, inner, &period, err);

        *out = (ps_redist_list){0};
        if (status != PS_OK)
                return status;
        h.elements = calloc(inner->procs, sizeof(*h.elements));
        h.touched = calloc(inner->procs, sizeof(*h.touched));
        if (!h.elements || !h.touched)
                status = PS_NOMEM(err, "processors", inner->procs);
        for (uint32_t i = 0; i < outer->procs && status == PS_OK; i++) {
                deal_all(&h, outer, i, &period);
                status = put_down(&h, i, is_swapped, out, err);
        }
        PS_THEN(status, ps_redist_list_sort(out, err));
        free(h.elements);
        free(h.touched);
        if (status != PS_OK)
                ps_redist_list_free(out);
        return status;
}
