/* intervals.c - the tree of intervals: finding one again, and the characteristics that follow from the
 * shares. */
#include "core/sums/intervals.h"

#include "core/base/hash.h"
#include "core/base/memory.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

const ps_interval_type_info ps_interval_types[PS_INTERVAL_TYPES] = {
#define PS_INTERVAL_TYPE(id, key, title) {key, title},
#include "core/base/vector.h"
#include "core/sums/intervals.def"
#undef PS_INTERVAL_TYPE
};

const ps_interval_class_info ps_interval_classes[PS_IC_COUNT] = {
#define PS_INTERVAL_CLASS(id, key, title, letter) {key, title, letter},
#include "core/sums/intervals.def"
#undef PS_INTERVAL_CLASS
};

/* -- the tree -- */

static ps_status append_interval(ps_intervals *tree, uint32_t parent, const ps_interval_key *key,
                                 ps_error *err)
{
        if (PS_ROOM(tree->row, tree->n, tree->cap))
                return PS_NOMEM(err, "intervals", tree->n);
        uint32_t id = tree->n++;
        tree->row[id] = (ps_interval){.key = *key,
                                      .parent = parent,
                                      .first_child = PS_NONE,
                                      .last_child = PS_NONE,
                                      .next = PS_NONE,
                                      .level = parent == PS_NONE ? 0 : tree->row[parent].level + 1};
        if (parent == PS_NONE)
                return PS_OK;
        ps_interval *p = &tree->row[parent];
        if (p->last_child == PS_NONE)
                p->first_child = id;
        else
                tree->row[p->last_child].next = id;
        p->last_child = id;
        return PS_OK;
}

ps_status ps_intervals_new(ps_intervals **out, uint32_t n_processors, unsigned known, unsigned classes,
                           ps_error *err)
{
        *out = NULL;
        ps_intervals *tree = calloc(1, sizeof(*tree));
        if (!tree)
                return PS_NOMEM(err, "intervals", 1);
        tree->n_processors = n_processors;
        tree->known = known;
        tree->classes = classes;
        tree->arena = ps_arena_new();
        tree->strings = tree->arena ? ps_strings_new(tree->arena) : NULL;
        ps_status status = tree->strings ? PS_OK : PS_NOMEM(err, "intervals", 1);
        PS_THEN(status, append_interval(tree, PS_NONE, &(ps_interval_key){.type = PS_INTERVAL_MAIN}, err));
        if (status != PS_OK) {
                ps_intervals_free(tree);
                return status;
        }
        tree->row[0].count = 1;
        *out = tree;
        return PS_OK;
}

void ps_intervals_free(ps_intervals *tree)
{
        if (!tree)
                return;
        for (uint32_t i = 0; i < tree->n; i++)
                free(tree->row[i].share);
        free(tree->row);
        ps_lookup_free(&tree->by_key);
        free(tree->span);
        ps_strings_free(tree->strings);
        ps_arena_free(tree->arena);
        free(tree);
}

const char *ps_intervals_str(const ps_intervals *tree, ps_str id)
{
        return ps_strings_get(tree->strings, id);
}

static uint64_t hash_key(uint32_t parent, const ps_interval_key *key)
{
        uint64_t h = ps_hash_pair((uint64_t)parent << 3 | (uint64_t)key->type << 1 | (key->has_index != 0),
                                  (uint64_t)key->name << 32 | key->file);
        return ps_hash_pair(h, (uint64_t)key->index ^ (uint64_t)key->line << 32);
}

typedef struct wanted {
        uint32_t parent;
        const ps_interval_key *key;
} wanted;

static uint64_t interval_hash(const void *rows, uint32_t row)
{
        const ps_interval *interval = (const ps_interval *)rows + row;
        return hash_key(interval->parent, &interval->key);
}

static bool is_same_interval(const void *key, const void *rows, uint32_t row)
{
        const wanted *w = key;
        const ps_interval *interval = (const ps_interval *)rows + row;
        const ps_interval_key *a = &interval->key, *b = w->key;
        return interval->parent == w->parent && a->type == b->type && a->name == b->name &&
               a->file == b->file && a->line == b->line && a->has_index == b->has_index &&
               a->index == b->index;
}

ps_status ps_intervals_enter(ps_intervals *tree, uint32_t parent, const ps_interval_key *key, uint32_t *out,
                             ps_error *err)
{
        if (ps_lookup_room(&tree->by_key, tree->n, interval_hash, tree->row))
                return PS_NOMEM(err, "intervals", tree->n);
        uint32_t *slot = ps_lookup_find(&tree->by_key, hash_key(parent, key), is_same_interval,
                                        &(wanted){parent, key}, tree->row);
        if (!*slot) {
                PS_TRY(append_interval(tree, parent, key, err));
                *slot = tree->n;
        }
        *out = *slot - 1;
        tree->row[*out].count++;
        return PS_OK;
}

ps_status ps_intervals_new_shares(ps_intervals *tree, uint32_t interval, ps_share **out, ps_error *err)
{
        ps_interval *i = &tree->row[interval];
        i->share = ps_memory_zeroed(tree->n_processors ? tree->n_processors : 1, sizeof(*i->share));
        *out = i->share;
        return *out ? PS_OK : PS_NOMEM(err, "shares of processors", tree->n_processors);
}

/* -- what follows -- */

static ps_time work(const ps_share *share)
{
        return ps_time_add(share->cpu, share->system);
}

ps_time ps_share_execution(const ps_share *share)
{
        ps_time sum = ps_time_add(work(share), share->io);
        for (int c = 0; c < PS_IC_COUNT; c++)
                sum = ps_time_add(sum, share->communication[c]);
        return sum;
}

static void add_share(ps_interval_sums *sums, const ps_share *share)
{
        sums->cpu_s += ps_time_seconds(share->cpu);
        sums->system_s += ps_time_seconds(share->system);
        sums->io_s += ps_time_seconds(share->io);
        sums->insufficient_cpu_s += ps_time_seconds(share->insufficient_cpu);
        sums->insufficient_system_s += ps_time_seconds(share->insufficient_system);
        for (int c = 0; c < PS_IC_COUNT; c++) {
                sums->communication_s[c] += ps_time_seconds(share->communication[c]);
                sums->synchronization_s[c] += ps_time_seconds(share->synchronization[c]);
                sums->variation_s[c] += ps_time_seconds(share->variation[c]);
                sums->overlap_s[c] += ps_time_seconds(share->overlap[c]);
        }
}

static void add_sums(ps_interval_sums *to, const ps_interval_sums *from)
{
        to->cpu_s += from->cpu_s;
        to->system_s += from->system_s;
        to->io_s += from->io_s;
        to->insufficient_cpu_s += from->insufficient_cpu_s;
        to->insufficient_system_s += from->insufficient_system_s;
        for (int c = 0; c < PS_IC_COUNT; c++) {
                to->communication_s[c] += from->communication_s[c];
                to->synchronization_s[c] += from->synchronization_s[c];
                to->variation_s[c] += from->variation_s[c];
                to->overlap_s[c] += from->overlap_s[c];
                to->count[c] += from->count[c];
        }
}

static void derive(ps_interval_sums *s, uint32_t n_processors)
{
        for (int c = 0; c < PS_IC_COUNT; c++) {
                s->communication_all_s += s->communication_s[c];
                s->synchronization_all_s += s->synchronization_s[c];
                s->variation_all_s += s->variation_s[c];
                s->overlap_all_s += s->overlap_s[c];
        }
        s->total_s = s->execution_s * n_processors;
        s->productive_cpu_s = s->cpu_s - s->insufficient_cpu_s;
        s->productive_system_s = s->system_s - s->insufficient_system_s;
        s->productive_s = s->productive_cpu_s + s->productive_system_s + s->io_s;
        s->insufficient_s = s->insufficient_cpu_s + s->insufficient_system_s;
        s->lost_s = s->insufficient_s + s->communication_all_s + s->idle_s;
        s->efficiency = s->total_s > 0 ? s->productive_s / s->total_s : 1;
}

/* Of one interval on one processor: with the intervals below when clocks are known. */
struct ps_interval_span {
        ps_time execution, work;
};

static bool is_part(const ps_intervals *tree, const ps_interval *row)
{
        return row->is_part || tree->known & PS_KNOWS_CLOCKS;
}

/* Children stand behind their parents: backwards, each is complete before its parent takes it up. */
static void fill_spans(const ps_intervals *tree, struct ps_interval_span *span)
{
        uint32_t n = tree->n_processors;
        for (uint32_t i = tree->n; i-- > 0;) {
                const ps_interval *row = &tree->row[i];
                struct ps_interval_span *own = span + (size_t)i * n;
                for (uint32_t p = 0; row->share && p < n; p++) {
                        own[p].execution = ps_time_add(own[p].execution, ps_share_execution(&row->share[p]));
                        own[p].work = ps_time_add(own[p].work, work(&row->share[p]));
                }
                if (!i || !is_part(tree, row))
                        continue;
                struct ps_interval_span *above = span + (size_t)row->parent * n;
                for (uint32_t p = 0; p < n; p++) {
                        above[p].execution = ps_time_add(above[p].execution, own[p].execution);
                        above[p].work = ps_time_add(above[p].work, own[p].work);
                }
        }
}

static void sum_own(const ps_intervals *tree, ps_interval *i, const struct ps_interval_span *span)
{
        i->sums = (ps_interval_sums){0};
        i->longest = i->most_work = 0;
        memcpy(i->sums.count, i->operations, sizeof(i->operations));
        for (uint32_t p = 0; p < tree->n_processors; p++) {
                i->longest = span[p].execution > i->longest ? span[p].execution : i->longest;
                i->most_work = span[p].work > i->most_work ? span[p].work : i->most_work;
                if (i->share)
                        add_share(&i->sums, &i->share[p]);
        }
        for (uint32_t p = 0; p < tree->n_processors; p++) {
                i->sums.idle_s += ps_time_seconds(i->longest - span[p].execution);
                i->sums.imbalance_s += ps_time_seconds(i->most_work - span[p].work);
        }
        i->sums.execution_s = ps_time_seconds(i->longest);
}

ps_status ps_intervals_finish(ps_intervals *tree, ps_error *err)
{
        struct ps_interval_span *span = ps_memory_zeroed(
                (size_t)tree->n * (tree->n_processors ? tree->n_processors : 1), sizeof(*span));
        if (!span)
                return PS_NOMEM(err, "shares of processors", tree->n_processors);
        fill_spans(tree, span);
        for (uint32_t i = 0; i < tree->n; i++)
                sum_own(tree, &tree->row[i], span + (size_t)i * tree->n_processors);
        free(tree->span);
        tree->span = span;
        for (uint32_t i = tree->n; i-- > 0;) {
                ps_interval_sums *sums = &tree->row[i].sums, *above;
                derive(sums, tree->n_processors);
                if (!i)
                        break;
                above = &tree->row[tree->row[i].parent].sums;
                add_sums(above, sums);
                if (is_part(tree, &tree->row[i]))
                        continue;
                above->execution_s += sums->execution_s;
                above->idle_s += sums->idle_s;
                above->imbalance_s += sums->imbalance_s;
        }
        return PS_OK;
}

/* The interval behind `i` in a walk through `top` and all that is below it; PS_NONE at the end. */
static uint32_t next_below(const ps_intervals *tree, uint32_t top, uint32_t i)
{
        if (tree->row[i].first_child != PS_NONE)
                return tree->row[i].first_child;
        while (i != top && tree->row[i].next == PS_NONE)
                i = tree->row[i].parent;
        return i == top ? PS_NONE : tree->row[i].next;
}

void ps_intervals_split(ps_intervals *tree, const ps_intervals *ideal)
{
        assert(tree->n == ideal->n);
        for (uint32_t i = 0; i < tree->n; i++)
                if (tree->row[i].longest > 0)
                        tree->row[i].transfer = (double)ideal->row[i].longest / (double)tree->row[i].longest;
}

void ps_interval_processor(const ps_intervals *tree, uint32_t interval, uint32_t processor,
                           ps_interval_sums *out)
{
        *out = (ps_interval_sums){0};
        for (uint32_t i = interval; i != PS_NONE; i = next_below(tree, interval, i)) {
                const ps_interval *row = &tree->row[i];
                const struct ps_interval_span *span = &tree->span[(size_t)i * tree->n_processors + processor];
                if (row->share)
                        add_share(out, &row->share[processor]);
                if (i != interval && is_part(tree, row))
                        continue;
                out->execution_s += ps_time_seconds(span->execution);
                out->idle_s += ps_time_seconds(row->longest - span->execution);
                out->imbalance_s += ps_time_seconds(row->most_work - span->work);
        }
        derive(out, 1);
        out->total_s += out->idle_s;
        out->efficiency = out->total_s > 0 ? out->productive_s / out->total_s : 1;
}
