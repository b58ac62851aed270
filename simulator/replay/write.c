/* write.c - the times of calls, for those who want them, and of the few that the focus follows from. */
#include "simulator/replay/parts.h"

#include "core/base/search.h"
static void write_times(run *r, ps_loc loc, ps_op row, const ps_time *begin, const ps_time *clock)
{
        for (uint32_t w = 0; w < r->n_lanes; w++) {
                if (!r->timing[w])
                        continue;
                r->timing[w]->enter[loc][row] = begin[w];
                r->timing[w]->leave[loc][row] = clock[w];
        }
}

/* A call that asked too early keeps its place in the time that it took until the answer came. */
static void write_spinning(run *r, ps_loc loc, ps_op end, uint32_t lane)
{
        const ps_timing *recorded = r->replay->timing;
        ps_time *enter = r->timing[lane]->enter[loc], *leave = r->timing[lane]->leave[loc];
        ps_op first = end;
        while (first > 0 && r->replay->steps[loc][first - 1].code == STEP_SPIN)
                first--;
        ps_time from = enter[first], begun = recorded->enter[loc][first];
        __extension__ typedef __int128 wide;
        wide length = leave[end] - from, was = recorded->leave[loc][end] - begun;
        for (ps_op op = first; op <= end && was > 0; op++) {
                enter[op] = from + (ps_time)((recorded->enter[loc][op] - begun) * length / was);
                leave[op] = from + (ps_time)((recorded->leave[loc][op] - begun) * length / was);
        }
}

void ps_replay_write(run *r, ps_loc loc, ps_op first, ps_op end, bool was_spinning)
{
        const ps_time *begin = vector_of(r, loc, V_BEGIN, r->width),
                      *clock = vector_of(r, loc, V_CLOCK, r->width);
        for (ps_op row = first; row < end; row++)
                write_times(r, loc, row, begin, clock);
        for (uint32_t w = 0; was_spinning && w < r->n_lanes; w++)
                if (r->timing[w])
                        write_spinning(r, loc, end - 1, w);
}

static uint32_t find_watched(const run *r, ps_loc loc, ps_op op)
{
        uint32_t low = 0;
        PS_SEARCH(low, r->n_watched, i,
                  r->watched[i].loc < loc || (r->watched[i].loc == loc && r->watched[i].op < op))
        return low;
}

void ps_replay_watch(run *r, place *p, ps_loc loc, ps_op end)
{
        const ps_time *begin = vector_of(r, loc, V_BEGIN, r->width),
                      *clock = vector_of(r, loc, V_CLOCK, r->width);
        uint32_t i = end ? find_watched(r, loc, p->watched) : find_watched(r, loc, 0);
        for (; i < r->n_watched && r->watched[i].loc == loc && r->watched[i].op < end; i++)
                for (uint32_t w = 0; w < r->n_lanes; w++)
                        r->seen[(size_t)i * r->n_lanes + w] = (ps_span){begin[w], clock[w]};
        p->watched = i < r->n_watched && r->watched[i].loc == loc ? r->watched[i].op : PS_NONE;
}
