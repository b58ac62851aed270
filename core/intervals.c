/* intervals.c - the tree of intervals: finding one again, and the characteristics that follow from the
 * shares. */
#include "core/intervals.h"

#include "core/hash.h"
#include "core/memory.h"

#include <stdlib.h>
#include <string.h>

const ps_interval_type_info ps_interval_types[PS_INTERVAL_TYPES] = {
#define PS_INTERVAL_TYPE(id, key, title) {key, title},
#include "core/intervals.def"
#undef PS_INTERVAL_TYPE
};

const ps_interval_class_info ps_interval_classes[PS_IC_COUNT] = {
#define PS_INTERVAL_CLASS(id, key, title, letter) {key, title, letter},
#include "core/intervals.def"
#undef PS_INTERVAL_CLASS
};

struct ps_interval_slot {
        uint32_t interval; /* + 1; 0 is free */
};

/* -- the tree
 * ------------------------------------------------------------------------------------------ */

static ps_status append(ps_intervals *tree, uint32_t parent, const ps_interval_key *key, ps_error *err)
{
        if (tree->n == tree->cap) {
                uint32_t cap = tree->cap ? tree->cap * 2 : 16;
                ps_interval *grown = cap > tree->cap ? realloc(tree->row, cap * sizeof(*grown)) : NULL;
                if (!grown)
                        return PS_NOMEM(err, "intervals", cap);
                tree->row = grown;
                tree->cap = cap;
        }
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
        if (status == PS_OK)
                status = append(tree, PS_NONE, &(ps_interval_key){.type = PS_INTERVAL_MAIN}, err);
        if (status < 0) {
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
        free(tree->slot);
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

static int same_key(const ps_interval_key *a, const ps_interval_key *b)
{
        return a->type == b->type && a->name == b->name && a->file == b->file && a->line == b->line &&
               a->has_index == b->has_index && a->index == b->index;
}

/* The slot of the key: the one that holds it, or a free one. */
static uint32_t find_slot(const ps_intervals *tree, uint32_t parent, const ps_interval_key *key)
{
        uint32_t at = (uint32_t)hash_key(parent, key) & (tree->n_slots - 1);
        for (;; at = (at + 1) & (tree->n_slots - 1)) {
                uint32_t id = tree->slot[at].interval;
                if (!id || (tree->row[id - 1].parent == parent && same_key(&tree->row[id - 1].key, key)))
                        return at;
        }
}

/* Keeps the table at most half full. */
static ps_status make_slots(ps_intervals *tree, ps_error *err)
{
        if (tree->n < tree->n_slots / 2)
                return PS_OK;
        uint32_t n_slots = tree->n_slots ? tree->n_slots * 2 : 32;
        struct ps_interval_slot *slot = n_slots > tree->n_slots ? calloc(n_slots, sizeof(*slot)) : NULL;
        if (!slot)
                return PS_NOMEM(err, "intervals", n_slots);
        free(tree->slot);
        tree->slot = slot;
        tree->n_slots = n_slots;
        for (uint32_t i = 1; i < tree->n; i++)
                slot[find_slot(tree, tree->row[i].parent, &tree->row[i].key)].interval = i + 1;
        return PS_OK;
}

ps_status ps_intervals_enter(ps_intervals *tree, uint32_t parent, const ps_interval_key *key, uint32_t *out,
                             ps_error *err)
{
        ps_status status = make_slots(tree, err);
        if (status < 0)
                return status;
        struct ps_interval_slot *slot = &tree->slot[find_slot(tree, parent, key)];
        if (!slot->interval) {
                status = append(tree, parent, key, err);
                if (status < 0)
                        return status;
                slot->interval = tree->n;
        }
        *out = slot->interval - 1;
        tree->row[*out].count++;
        return PS_OK;
}

ps_status ps_intervals_shares(ps_intervals *tree, uint32_t interval, ps_share **out, ps_error *err)
{
        ps_interval *i = &tree->row[interval];
        if (!i->share)
                i->share = ps_memory_zeroed(tree->n_processors ? tree->n_processors : 1, sizeof(*i->share));
        *out = i->share;
        return *out ? PS_OK : PS_NOMEM(err, "shares of processors", tree->n_processors);
}

/* -- what follows
 * ------------------------------------------------------------------------------------------ */

ps_time ps_share_communication(const ps_share *share)
{
        ps_time sum = 0;
        for (int c = 0; c < PS_IC_COUNT; c++)
                sum = ps_time_add(sum, share->communication[c]);
        return sum;
}

static ps_time work(const ps_share *share)
{
        return ps_time_add(share->cpu, share->system);
}

ps_time ps_share_execution(const ps_share *share)
{
        return ps_time_add(ps_time_add(work(share), share->io), ps_share_communication(share));
}

ps_time ps_interval_idle(const ps_intervals *tree, uint32_t interval, uint32_t processor)
{
        const ps_interval *i = &tree->row[interval];
        return i->share ? i->longest - ps_share_execution(&i->share[processor]) : 0;
}

ps_time ps_interval_imbalance(const ps_intervals *tree, uint32_t interval, uint32_t processor)
{
        const ps_interval *i = &tree->row[interval];
        return i->share ? i->most_work - work(&i->share[processor]) : 0;
}

static double seconds(ps_time time)
{
        return (double)time / (double)PS_PS_PER_S;
}

static void add_share(ps_interval_sums *sums, const ps_share *share)
{
        sums->cpu_s += seconds(share->cpu);
        sums->system_s += seconds(share->system);
        sums->io_s += seconds(share->io);
        sums->insufficient_cpu_s += seconds(share->insufficient_cpu);
        sums->insufficient_system_s += seconds(share->insufficient_system);
        for (int c = 0; c < PS_IC_COUNT; c++) {
                sums->communication_s[c] += seconds(share->communication[c]);
                sums->synchronization_s[c] += seconds(share->synchronization[c]);
                sums->variation_s[c] += seconds(share->variation[c]);
                sums->overlap_s[c] += seconds(share->overlap[c]);
        }
}

static void sum_own(ps_intervals *tree, uint32_t interval)
{
        ps_interval *i = &tree->row[interval];
        i->sums = (ps_interval_sums){0};
        i->longest = i->most_work = 0;
        memcpy(i->sums.count, i->operations, sizeof(i->operations));
        for (uint32_t p = 0; i->share && p < tree->n_processors; p++) {
                ps_time execution = ps_share_execution(&i->share[p]), busy = work(&i->share[p]);
                i->longest = execution > i->longest ? execution : i->longest;
                i->most_work = busy > i->most_work ? busy : i->most_work;
                add_share(&i->sums, &i->share[p]);
        }
        for (uint32_t p = 0; i->share && p < tree->n_processors; p++) {
                i->sums.idle_s += seconds(ps_interval_idle(tree, interval, p));
                i->sums.imbalance_s += seconds(ps_interval_imbalance(tree, interval, p));
        }
        i->sums.execution_s = seconds(i->longest);
}

static void add_child(ps_interval_sums *sums, const ps_interval_sums *child)
{
        sums->execution_s += child->execution_s;
        sums->cpu_s += child->cpu_s;
        sums->system_s += child->system_s;
        sums->io_s += child->io_s;
        sums->insufficient_cpu_s += child->insufficient_cpu_s;
        sums->insufficient_system_s += child->insufficient_system_s;
        sums->idle_s += child->idle_s;
        sums->imbalance_s += child->imbalance_s;
        for (int c = 0; c < PS_IC_COUNT; c++) {
                sums->communication_s[c] += child->communication_s[c];
                sums->synchronization_s[c] += child->synchronization_s[c];
                sums->variation_s[c] += child->variation_s[c];
                sums->overlap_s[c] += child->overlap_s[c];
                sums->count[c] += child->count[c];
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

/* Children stand behind their parents: backwards, each is complete before its parent takes it up. */
void ps_intervals_finish(ps_intervals *tree)
{
        for (uint32_t i = 0; i < tree->n; i++)
                sum_own(tree, i);
        for (uint32_t i = tree->n; i-- > 0;) {
                derive(&tree->row[i].sums, tree->n_processors);
                if (i)
                        add_child(&tree->row[tree->row[i].parent].sums, &tree->row[i].sums);
        }
}
