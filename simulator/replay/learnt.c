/* learnt.c - what several workers learnt, put together. */
#include "simulator/replay/plan.h"

static void clear_transfers(learnt *l, const bool *has_kind)
{
        for (int kind = 0; kind < PS_K_COUNT; kind++) {
                if (has_kind && !has_kind[kind])
                        continue;
                ps_line_clear(&l->collective[kind]);
                ps_line_clear(&l->of_root[kind]);
        }
        ps_line_clear(&l->flight);
        ps_line_clear(&l->met);
        ps_line_clear(&l->likely);
        ps_line_clear(&l->release);
        l->in_calls = l->in_transfers = 0;
}

static void clear_times(learnt *l, const bool *has_kind)
{
        for (int kind = 0; kind < PS_K_COUNT; kind++) {
                if (has_kind && !has_kind[kind])
                        continue;
                for (int i = 0; i < SIZE_CLASSES; i++)
                        l->begun[kind][i] = PS_TIME_MAX;
                l->own[kind] = l->after[kind] = PS_TIME_MAX;
        }
        clear_transfers(l, has_kind);
}

static void clear(learnt *l, const bool *has_kind)
{
        clear_times(l, has_kind);
        for (int i = 0; i < SIZE_CLASSES; i++) {
                l->until_received[i] = PS_TIME_MAX;
                l->late_least[i] = UINT64_MAX;
                l->late[i] = l->early[i] = l->early_most[i] = 0;
        }
        for (int kind = 0; kind < PS_K_COUNT; kind++)
                for (int i = 0; i < SIZE_CLASSES && (!has_kind || has_kind[kind]); i++)
                        l->until_left[kind][i] = PS_TIME_MAX;
        l->eager_below = l->open_below = 0;
        l->rendezvous_min = UINT64_MAX;
}

void ps_learnt_clear(learnt *l)
{
        clear(l, NULL);
}

void ps_learnt_clear_times(learnt *l)
{
        clear_times(l, NULL);
}

void ps_learnt_clear_transfers(learnt *l)
{
        clear_transfers(l, NULL);
}

static void merge_class(learnt *into, const learnt *from, int i)
{
        ps_keep_least(&into->until_received[i], from->until_received[i]);
        into->late[i] += from->late[i];
        into->early[i] += from->early[i];
        into->early_most[i] =
                from->early_most[i] > into->early_most[i] ? from->early_most[i] : into->early_most[i];
        into->late_least[i] =
                from->late_least[i] < into->late_least[i] ? from->late_least[i] : into->late_least[i];
}

static void merge(learnt *into, const learnt *from, const bool *has_kind)
{
        for (int kind = 0; kind < PS_K_COUNT; kind++) {
                if (!has_kind[kind])
                        continue;
                for (int i = 0; i < SIZE_CLASSES; i++) {
                        ps_keep_least(&into->begun[kind][i], from->begun[kind][i]);
                        ps_keep_least(&into->until_left[kind][i], from->until_left[kind][i]);
                }
                ps_keep_least(&into->own[kind], from->own[kind]);
                ps_keep_least(&into->after[kind], from->after[kind]);
                ps_line_merge(&into->collective[kind], &from->collective[kind]);
                ps_line_merge(&into->of_root[kind], &from->of_root[kind]);
        }
        for (int i = 0; i < SIZE_CLASSES; i++)
                merge_class(into, from, i);
        ps_line_merge(&into->flight, &from->flight);
        ps_line_merge(&into->met, &from->met);
        ps_line_merge(&into->likely, &from->likely);
        ps_line_merge(&into->release, &from->release);
        into->in_calls = ps_time_add(into->in_calls, from->in_calls);
        into->in_transfers = ps_time_add(into->in_transfers, from->in_transfers);
        if (from->eager_below > into->eager_below)
                into->eager_below = from->eager_below;
        if (from->rendezvous_min < into->rendezvous_min)
                into->rendezvous_min = from->rendezvous_min;
}

void ps_learnt_clear_all(learnt *of, size_t n, const bool *has_kind)
{
        for (size_t i = 0; i < n; i++)
                clear(&of[i], has_kind);
}

void ps_learnt_merge_all(learnt *into, const learnt *from, size_t n, const bool *has_kind)
{
        for (size_t i = 0; i < n; i++)
                merge(into, &from[i], has_kind);
}
