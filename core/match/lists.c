/* lists.c - see lists.h.
 *
 * The members' lists are taken off head by head. As long as the heads agree that is all. Recorders miss
 * calls, though, and programs are wrong, so when the heads disagree the lists are put in step again: of all
 * operations within the next WINDOW calls of each member the one is next that costs least, where a member
 * pays the calls that it must skip to get there, or WINDOW when it is not in sight; such a member sits out
 * and skips nothing. The chosen one is in sight of a fixed share of the members at least (a share of the
 * number of kinds), so that the work stays proportional to the calls. */
#include "core/match/lists.h"
#include "core/match/calls.h"

#include <string.h>

enum { WINDOW = 32, NO_KEY = -1 };

/* The key of all heads, or NO_KEY. MPI_Init, where it may stand, needs no agreement. */
static int agreed_key(const struct ps_lists *l)
{
        int key = l->key[l->row[0].next], agreed = 1;
        for (uint32_t i = 0; i < l->n; i++) {
                int other = l->key[l->row[i].next];
                if (!l->has_begun && other == 2 * PS_K_INIT)
                        return other;
                agreed &= other == key;
        }
        return agreed ? key : NO_KEY;
}

/* The cheapest key, the lowest one of those. Counts what each key saves against not being in sight at all. */
static int cheapest_key(const struct ps_lists *l)
{
        uint64_t saved[PS_CALL_KEYS] = {0};
        for (uint32_t i = 0; i < l->n; i++) {
                const struct ps_list *list = &l->row[i];
                uint8_t seen[PS_CALL_KEYS] = {0};
                for (size_t skip = 0; skip < WINDOW && list->next + skip < list->end; skip++) {
                        int key = l->key[list->next + skip];
                        saved[key] += seen[key] ? 0 : (WINDOW - skip) * list->n_members;
                        seen[key] = 1;
                }
        }
        int best = 0;
        for (int key = 1; key < PS_CALL_KEYS; key++)
                if (saved[key] > saved[best])
                        best = key;
        return best;
}

/* The list's first call of that key within the window; its end when there is none. */
static size_t find_key(const struct ps_lists *l, const struct ps_list *list, int key, size_t window)
{
        size_t end = list->end - list->next < window ? list->end : list->next + window;
        for (size_t i = list->next; i < end; i++)
                if (l->key[i] == key)
                        return i;
        return list->end;
}

/* Those that have come to their ends are no longer among them. */
static void drop_ended(struct ps_lists *l)
{
        uint32_t left = 0;
        for (uint32_t i = 0; i < l->n; i++)
                if (l->row[i].next < l->row[i].end)
                        l->row[left++] = l->row[i];
        l->n = left;
}

uint32_t ps_lists_in_step(const struct ps_lists *l)
{
        size_t n = l->n ? PS_MOST_IN_STEP : 0;
        for (uint32_t i = 0; i < l->n; i++) {
                const size_t left = l->row[i].end - l->row[i].next;
                n = left < n ? left : n;
        }
        for (uint32_t i = 1; n && i < l->n; i++)
                if (memcmp(l->key + l->row[i].next, l->key + l->row[0].next, n) != 0)
                        n = 0;
        return (uint32_t)n;
}

void ps_lists_pass(struct ps_lists *l, uint32_t n)
{
        for (uint32_t i = 0; i < l->n; i++)
                l->row[i].next += n;
        drop_ended(l);
        l->has_begun = true;
}

/* Do all heads agree? Then all are taken: which lists go on is asked of those alone that end. */
static bool take_all(struct ps_lists *l)
{
        const uint8_t *keys = l->key;
        const uint8_t key = keys[l->row[0].next];
        const uint32_t n = l->n;
        uint32_t n_members = 0;
        bool ends = false;
        for (uint32_t i = 1; i < n; i++)
                if (keys[l->row[i].next] != key)
                        return false;
        for (uint32_t i = 0; i < n; i++) {
                struct ps_list *list = &l->row[i];
                l->taken[i] = list->next++;
                n_members += list->n_members;
                ends |= list->next == list->end;
        }
        l->n_taken = n;
        l->n_members = n_members;
        if (ends)
                drop_ended(l);
        return true;
}

/* Those that have the next key: it is in sight of some. */
static void take_some(struct ps_lists *l)
{
        int key = agreed_key(l);
        size_t window = key == NO_KEY ? WINDOW : 1;
        uint32_t left = 0;
        l->n_taken = l->n_members = 0;
        if (key == NO_KEY)
                key = cheapest_key(l);
        for (uint32_t i = 0; i < l->n; i++) {
                struct ps_list list = l->row[i];
                size_t call = find_key(l, &list, key, window);
                if (call < list.end) {
                        l->taken[l->n_taken++] = call;
                        l->n_members += list.n_members;
                        list.next = call + 1;
                }
                if (list.next < list.end)
                        l->row[left++] = list;
        }
        l->n = left;
}

bool ps_lists_take(struct ps_lists *l)
{
        if (!l->n)
                return false;
        if (!take_all(l))
                take_some(l);
        l->has_begun = true;
        return true;
}
