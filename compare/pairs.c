/* pairs.c - which interval of one run is which of the other: from the whole run downwards, each level
 * twice. First those of equal names and files; then, among what is left, those of equal names where one of
 * the runs does not know the file: recorders differ in that. */
#include "compare/parts.h"

#include "core/base/hash.h"
#include "core/base/map.h"

#include <stdlib.h>

typedef enum strictness { BY_FILE, FILE_UNKNOWN, FILE_KNOWN } strictness;

typedef struct pairing {
        const ps_run *run[PS_SIDES];
        uint32_t *match[PS_SIDES]; /* by row: the row of the other run, or PS_NONE */
        uint32_t *order[PS_SIDES]; /* rows by depth */
        uint32_t *end[PS_SIDES];   /* by depth: where its rows end in the order */
        uint32_t *next;            /* by measured row: the next one of its key */
        ps_map first;              /* by key: the first measured row that is not taken */
        bool failed;
} pairing;

static const ps_run_interval *row_on_side(const pairing *p, int side, uint32_t i)
{
        return &p->run[side]->intervals.row[i];
}

/* The rows of a run, those of a depth one after the other. */
static void sort_by_depth(pairing *p, int side)
{
        uint32_t n = p->run[side]->intervals.n;
        uint32_t *depth = calloc((size_t)n + 1, sizeof(*depth)), *at = calloc((size_t)n + 2, sizeof(*at));
        p->order[side] = malloc(((size_t)n + 1) * sizeof(*p->order[side]));
        p->end[side] = at;
        p->failed |= !depth || !at || !p->order[side];
        for (uint32_t i = 0; !p->failed && i < n; i++) {
                depth[i] = i ? depth[row_on_side(p, side, i)->parent] + 1 : 0;
                at[depth[i] + 1]++;
        }
        for (uint32_t d = 0; !p->failed && d < n; d++)
                at[d + 1] += at[d];
        for (uint32_t i = 0; !p->failed && i < n; i++)
                p->order[side][at[depth[i]]++] = i;
        free(depth);
}

static uint64_t interval_key(const ps_run_interval *row, uint32_t parent, strictness how)
{
        ps_run_interval key = *row;
        if (how != BY_FILE)
                key.file = "";
        return ps_hash_pair(ps_run_interval_id(&key, parent), (uint64_t)how);
}

/* Rows are put in backwards, so that they come out in their order. */
static void enter_row(pairing *p, uint64_t key, uint32_t row)
{
        ps_time *first = ps_map_at(&p->first, (uint32_t)(key >> 32), (uint32_t)key, PS_NONE);
        if (!first) {
                p->failed = 1;
                return;
        }
        p->next[row] = (uint32_t)*first;
        *first = row;
}

static bool take_partner(pairing *p, uint32_t predicted, uint64_t key)
{
        ps_time row = ps_map_get(&p->first, (uint32_t)(key >> 32), (uint32_t)key, PS_NONE);
        if (row == PS_NONE)
                return false;
        *ps_map_at(&p->first, (uint32_t)(key >> 32), (uint32_t)key, PS_NONE) = p->next[row];
        p->match[PS_MEASURED][row] = predicted;
        p->match[PS_PREDICTED][predicted] = (uint32_t)row;
        return true;
}

/* The measured row of its parent's pair; PS_NONE: the row is paired already, or its parent is not. */
static uint32_t parent_of(const pairing *p, int side, uint32_t i)
{
        uint32_t parent = row_on_side(p, side, i)->parent;
        if (p->match[side][i] != PS_NONE || p->match[side][parent] == PS_NONE)
                return PS_NONE;
        return side == PS_MEASURED ? parent : p->match[side][parent];
}

static uint64_t key_below(const pairing *p, int side, uint32_t i, uint32_t parent, bool is_strict)
{
        const ps_run_interval *row = row_on_side(p, side, i);
        bool has_file = *row->file != '\0';
        /* Who knows the file looks for one that does not, and the other way round. */
        strictness how = has_file == (side == PS_MEASURED) ? FILE_KNOWN : FILE_UNKNOWN;
        return interval_key(row, parent, is_strict ? BY_FILE : how);
}

static void pair_level(pairing *p, uint32_t depth, bool is_strict)
{
        uint32_t first[PS_SIDES], end[PS_SIDES];
        for (int side = 0; side < PS_SIDES; side++) {
                first[side] = depth ? p->end[side][depth - 1] : 0;
                end[side] = p->end[side][depth];
        }
        for (uint32_t at = end[PS_MEASURED]; at > first[PS_MEASURED] && !p->failed; at--) {
                uint32_t i = p->order[PS_MEASURED][at - 1], parent = parent_of(p, PS_MEASURED, i);
                if (parent != PS_NONE)
                        enter_row(p, key_below(p, PS_MEASURED, i, parent, is_strict), i);
        }
        for (uint32_t at = first[PS_PREDICTED]; at < end[PS_PREDICTED] && !p->failed; at++) {
                uint32_t i = p->order[PS_PREDICTED][at], parent = parent_of(p, PS_PREDICTED, i);
                if (parent != PS_NONE)
                        take_partner(p, i, key_below(p, PS_PREDICTED, i, parent, is_strict));
        }
}

/* The whole runs are a pair; then a level after the other, as long as both have one. */
static void pair_all(pairing *p)
{
        uint32_t m = p->run[PS_MEASURED]->intervals.n, n = p->run[PS_PREDICTED]->intervals.n;
        p->match[PS_MEASURED][0] = p->match[PS_PREDICTED][0] = 0;
        for (uint32_t depth = 1; depth < m && depth < n && !p->failed; depth++) {
                if (p->end[PS_MEASURED][depth - 1] == m || p->end[PS_PREDICTED][depth - 1] == n)
                        break;
                pair_level(p, depth, 1);
                pair_level(p, depth, 0);
        }
}

ps_status ps_compare_pair_intervals(uint32_t **out, const ps_compare *c, ps_error *err)
{
        pairing p = {.run = {c->run[PS_MEASURED], c->run[PS_PREDICTED]}};
        for (int side = 0; side < PS_SIDES; side++) {
                uint32_t n = p.run[side]->intervals.n;
                p.match[side] = malloc(((size_t)n + 1) * sizeof(*p.match[side]));
                p.failed |= !p.match[side];
                for (uint32_t i = 0; p.match[side] && i < n; i++)
                        p.match[side][i] = PS_NONE;
                sort_by_depth(&p, side);
        }
        p.next = malloc(((size_t)p.run[PS_MEASURED]->intervals.n + 1) * sizeof(*p.next));
        p.failed |= !p.next;
        if (!p.failed)
                pair_all(&p);
        for (int side = 0; side < PS_SIDES; side++) {
                free(p.order[side]);
                free(p.end[side]);
        }
        free(p.next);
        ps_map_free(&p.first);
        free(p.match[PS_PREDICTED]);
        *out = p.failed ? NULL : p.match[PS_MEASURED];
        if (p.failed)
                free(p.match[PS_MEASURED]);
        return p.failed ? PS_NOMEM(err, "intervals", p.run[PS_MEASURED]->intervals.n) : PS_OK;
}
