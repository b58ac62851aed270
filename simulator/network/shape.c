/* shape.c - ways that follow from the shape of a network: the neighbour that routes.h asks for, the
 * lowest one on a cheapest way, without looking at the graph. */
#include "simulator/network/internal.h"

/* Of the steps along one dimension that lead nearer, the one to the lowest node. */
static uint32_t grid_step(const ps_shape *shape, uint32_t at, uint32_t stride, uint32_t size, uint32_t x,
                          uint32_t y)
{
        uint32_t up = y > x ? y - x : shape->wraps ? y + size - x : size;
        uint32_t down = x > y ? x - y : shape->wraps ? x + size - y : size;
        uint32_t above = x + 1 < size ? at + stride : at - x * stride;
        uint32_t below = x > 0 ? at - stride : at + (size - 1) * stride;
        if (up == down)
                return above < below ? above : below;
        return up < down ? above : below;
}

static uint32_t grid_next(const ps_shape *shape, uint32_t at, uint32_t to)
{
        uint32_t best = PS_NONE, a = at, b = to, stride = 1;
        for (uint32_t i = shape->n; i-- > 0;) {
                uint32_t size = shape->size[i], x = a % size, y = b % size;
                uint32_t node = x != y ? grid_step(shape, at, stride, size, x, y) : PS_NONE;
                best = node < best ? node : best;
                stride *= size;
                a /= size;
                b /= size;
        }
        return best;
}

/* Clears the highest bit that is to be cleared, or else sets the lowest one. */
static uint32_t cube_next(uint32_t at, uint32_t to)
{
        uint32_t clear = at & ~to, set = to & ~at;
        return clear ? at ^ UINT32_C(1) << (31 - __builtin_clz(clear)) : at | (set & -set);
}

static uint32_t level_of(const ps_shape *shape, uint32_t node)
{
        uint32_t level = 0;
        while (node >= shape->start[level + 1])
                level++;
        return level;
}

/* Down, if the destination is below, else up. */
static uint32_t tree_next(const ps_shape *shape, uint32_t at, uint32_t to)
{
        uint32_t level = level_of(shape, at), below = level_of(shape, to);
        uint32_t here = at - shape->start[level], ancestor = to - shape->start[below], child = ancestor;
        for (; below < level; below++) {
                child = ancestor;
                ancestor /= shape->arity;
        }
        if (below == level && ancestor == here)
                return shape->start[level - 1] + child;
        return shape->start[level + 1] + here / shape->arity;
}

uint32_t ps_shape_next(const ps_shape *shape, uint32_t at, uint32_t to)
{
        switch (shape->kind) {
        case PS_SHAPE_GRID:
                return grid_next(shape, at, to);
        case PS_SHAPE_CUBE:
                return cube_next(at, to);
        case PS_SHAPE_TREE:
                return tree_next(shape, at, to);
        case PS_SHAPE_NONE:
        case PS_SHAPE_CROSSBAR:
                break;
        }
        return to;
}

/* The links of a switch go to its branches, in their order, and then up. */
uint32_t ps_shape_climb(const ps_network *network, uint32_t from, uint32_t to, uint32_t *links)
{
        const ps_shape *shape = &network->shape;
        uint32_t down[PS_SHAPE_LEVELS], n = 0;
        for (uint32_t arity = shape->arity; from != to; n++) {
                uint32_t a = from / arity, b = to / arity;
                links[n] = network->first[shape->start[n] + from + 1] - 1;
                down[n] = network->first[shape->start[n + 1] + b] + to - b * arity;
                from = a;
                to = b;
        }
        for (uint32_t level = n; level-- > 0;)
                links[n++] = down[level];
        return n;
}
