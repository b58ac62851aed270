/* network_shape.c - distances that follow from the shape of a network. */
#include "simulator/network_internal.h"

static uint32_t grid_distance(const ps_shape *shape, uint32_t a, uint32_t b)
{
        uint32_t sum = 0;
        for (uint32_t i = shape->n; i-- > 0;) {
                uint32_t size = shape->size[i], x = a % size, y = b % size, apart = x > y ? x - y : y - x;
                sum += shape->wraps && size - apart < apart ? size - apart : apart;
                a /= size;
                b /= size;
        }
        return sum;
}

static uint32_t level_of(const ps_shape *shape, uint32_t node)
{
        uint32_t level = 0;
        while (node >= shape->start[level + 1])
                level++;
        return level;
}

static uint32_t tree_distance(const ps_shape *shape, uint32_t a, uint32_t b)
{
        uint32_t la = level_of(shape, a), lb = level_of(shape, b), up = 0;
        a -= shape->start[la];
        b -= shape->start[lb];
        for (; la < lb; la++, up++)
                a /= shape->arity;
        for (; lb < la; lb++, up++)
                b /= shape->arity;
        for (; a != b; up += 2) {
                a /= shape->arity;
                b /= shape->arity;
        }
        return up;
}

uint32_t ps_shape_distance(const ps_shape *shape, uint32_t a, uint32_t b)
{
        switch (shape->kind) {
        case PS_SHAPE_GRID:
                return grid_distance(shape, a, b);
        case PS_SHAPE_CUBE:
                return (uint32_t)__builtin_popcount(a ^ b);
        case PS_SHAPE_TREE:
                return tree_distance(shape, a, b);
        case PS_SHAPE_NONE:
        case PS_SHAPE_CROSSBAR:
                break;
        }
        return a != b;
}
