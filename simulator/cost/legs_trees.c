/* legs_trees.c - algorithms along trees: whole vectors in segments, and blocks. See legs.h. */
#include "simulator/cost/legs.h"

/* The last segment has what is left. */
static uint64_t n_segments(const task *t)
{
        return t->segment && t->bytes > t->segment ? divided(t->bytes, t->segment) : 1;
}

static uint64_t segment_bytes(const task *t, uint64_t i)
{
        uint64_t n = n_segments(t);
        if (n == 1)
                return t->bytes;
        return i + 1 < n ? t->segment : t->bytes - i * t->segment;
}

/* -- trees: the parent of a member, and its children by their number, PS_NONE: it has fewer -- */

typedef struct tree {
        uint32_t (*parent)(uint32_t self);
        uint32_t (*child)(uint32_t n, uint32_t self, uint32_t number);
        uint32_t at_once; /* so many children are served together */
} tree;

static uint32_t chain_parent(uint32_t self)
{
        return self - 1;
}

static uint32_t chain_child(uint32_t n, uint32_t self, uint32_t number)
{
        return number == 0 && self + 1 < n ? self + 1 : PS_NONE;
}

static uint32_t flat_parent(uint32_t self)
{
        (void)self;
        return 0;
}

static uint32_t flat_child(uint32_t n, uint32_t self, uint32_t number)
{
        return self == 0 && number + 1 < n ? number + 1 : PS_NONE;
}

static uint32_t binary_parent(uint32_t self)
{
        return (self - 1) / 2;
}

static uint32_t binary_child(uint32_t n, uint32_t self, uint32_t number)
{
        uint64_t child = (uint64_t)self * 2 + 1 + number;
        return number < 2 && child < n ? (uint32_t)child : PS_NONE;
}

static uint32_t binomial_parent(uint32_t self)
{
        return self & (self - 1);
}

static uint32_t binomial_child(uint32_t n, uint32_t self, uint32_t number)
{
        uint64_t bit = UINT64_C(1) << number;
        return (!self || bit < (self & -self)) && self + bit < n ? self + (uint32_t)bit : PS_NONE;
}

enum { ARITY = 4 };

static uint32_t knomial_parent(uint32_t self)
{
        uint64_t unit = ARITY;
        while (self % unit == 0)
                unit *= ARITY;
        return (uint32_t)(self / unit * unit);
}

static uint32_t knomial_child(uint32_t n, uint32_t self, uint32_t number)
{
        uint64_t unit = 1;
        for (uint32_t i = 0; i < number / (ARITY - 1); i++)
                unit *= ARITY;
        uint64_t child = self + unit * (number % (ARITY - 1) + 1);
        return unit < n && self % (unit * ARITY) == 0 && child < n ? (uint32_t)child : PS_NONE;
}

static const tree chain = {chain_parent, chain_child, 1}, flat = {flat_parent, flat_child, UINT32_MAX},
                  binary = {binary_parent, binary_child, 1}, binomial = {binomial_parent, binomial_child, 1},
                  knomial = {knomial_parent, knomial_child, ARITY - 1};

/* Those of a k-nomial tree may lack some in between, but none behind this. */
static uint32_t most_children(const task *t, const tree *of)
{
        uint32_t n = (ARITY - 1) * 16;
        if (of == &flat)
                return t->self ? 0 : t->n - 1;
        while (n && of->child(t->n, t->self, n - 1) == PS_NONE)
                n--;
        return n;
}

/* The largest subtrees first. */
static void send_to_children(const task *t, const tree *of, uint32_t n_children, uint64_t bytes)
{
        bool is_ascending = of == &binary || of == &flat;
        for (uint32_t i = 0; i < n_children; i++) {
                uint32_t number = is_ascending ? i : n_children - 1 - i;
                uint32_t child = of->child(t->n, t->self, number);
                if (child == PS_NONE)
                        continue;
                ps_legs_send(t, child, bytes);
                bool is_last = is_ascending ? !((number + 1) % of->at_once) || i + 1 == n_children
                                            : !(number % of->at_once);
                if (!is_last && !t->legs->has_failed)
                        t->legs->row[t->legs->n - 1].flags &= (uint16_t)~PS_LEG_LAST;
        }
}

static void down(const task *t, const tree *of)
{
        task own = *t;
        own.is_pipelined = n_segments(t) > 1;
        uint32_t n_children = most_children(t, of);
        for (uint64_t i = 0; i < n_segments(t) && !t->legs->has_failed; i++) {
                if (t->self)
                        ps_legs_receive(&own, of->parent(t->self), segment_bytes(t, i));
                send_to_children(&own, of, n_children, segment_bytes(t, i));
        }
}

static void flag_last(const task *t, unsigned flags)
{
        if (t->legs->n)
                t->legs->row[t->legs->n - 1].flags |= (uint16_t)flags;
}

/* While one message is on its way, the next one is expected already; but for a root that has all below it. */
static void up(const task *t, const tree *of)
{
        uint64_t n = n_segments(t);
        uint32_t n_children = most_children(t, of), n_sent = 0;
        for (uint64_t i = 0; i < n && !t->legs->has_failed; i++) {
                for (uint32_t k = 0; k < n_children; k++) {
                        ps_legs_receive(t, of->child(t->n, t->self, k), segment_bytes(t, i));
                        if (of != &flat && (i + 1 < n || k + 1 < n_children))
                                flag_last(t, PS_LEG_NEXT);
                        if (t->self && n_sent < i)
                                ps_legs_send(t, of->parent(t->self), segment_bytes(t, n_sent++));
                }
                if (t->self && (!n_children || i + 1 == n))
                        ps_legs_send(t, of->parent(t->self), segment_bytes(t, n_sent++));
        }
}

void ps_legs_flat_out(const task *t)
{
        down(t, &flat);
}

void ps_legs_flat_in(const task *t)
{
        up(t, &flat);
}

void ps_legs_chain_out(const task *t)
{
        down(t, &chain);
}

void ps_legs_chain_in(const task *t)
{
        up(t, &chain);
}

void ps_legs_binary_out(const task *t)
{
        down(t, &binary);
}

void ps_legs_binary_in(const task *t)
{
        up(t, &binary);
}

void ps_legs_binomial_out(const task *t)
{
        down(t, &binomial);
}

void ps_legs_binomial_in(const task *t)
{
        up(t, &binomial);
}

void ps_legs_knomial_out(const task *t)
{
        down(t, &knomial);
}

void ps_legs_chain_on(const task *t)
{
        if (t->self)
                ps_legs_receive(t, t->self - 1, t->bytes);
        if (t->self + 1 < t->n)
                ps_legs_send(t, t->self + 1, t->bytes);
}

/* Blocks of the member and all that hang below it. */
static uint64_t subtree_bytes(const task *t, uint32_t self)
{
        uint32_t span = self ? self & -self : t->n;
        return t->bytes * (span < t->n - self ? span : t->n - self);
}

void ps_legs_scatter_out(const task *t)
{
        if (t->self)
                ps_legs_receive(t, binomial_parent(t->self), subtree_bytes(t, t->self));
        for (uint32_t i = most_children(t, &binomial); i-- > 0;) {
                uint32_t child = binomial_child(t->n, t->self, i);
                ps_legs_send(t, child, subtree_bytes(t, child));
        }
}

void ps_legs_gather_in(const task *t)
{
        for (uint32_t i = 0; i < most_children(t, &binomial); i++) {
                uint32_t child = binomial_child(t->n, t->self, i);
                ps_legs_receive(t, child, subtree_bytes(t, child));
        }
        if (t->self)
                ps_legs_send(t, binomial_parent(t->self), subtree_bytes(t, t->self));
}

/* Odd members and even ones have one half each. The last of an even number has nobody beside it. */
void ps_legs_split_binary(const task *t)
{
        task half = *t;
        half.bytes = divided(t->bytes, 2);
        down(&half, &binary);
        uint32_t peer = t->self % 2 ? t->self + 1 : t->self - 1;
        if (t->self && peer < t->n)
                ps_legs_exchange(t, peer, half.bytes, peer, half.bytes);
        else if (t->self)
                ps_legs_receive(t, 0, half.bytes);
        else if (t->n % 2 == 0)
                ps_legs_send(t, t->n - 1, half.bytes);
}
