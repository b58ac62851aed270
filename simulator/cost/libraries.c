/* libraries.c - which algorithm a library takes for so many members and bytes. See schedule.h and
 * decisions.def. */
#include "simulator/cost/schedule.h"

enum { WAYS_MAX = 8 + 2 };

#define K      UINT64_C(1024)
#define M      (1024 * K)
#define ANY    UINT64_MAX
#define POWERS 0

typedef struct way {
        uint64_t below;
        ps_algorithm first, then;
        uint64_t segment;
} way;

typedef struct decision {
        ps_library library;
        ps_kind kind;
        uint64_t ranks;
        way ways[WAYS_MAX];
} decision;

/* NONE first: made of other operations. */
#define ALL(id)          PS_ALGORITHM_##id, PS_ALGORITHM_NONE, 0
#define CUT(id, segment) PS_ALGORITHM_##id, PS_ALGORITHM_NONE, segment
#define BOTH(id)         PS_ALGORITHM_##id##_IN, PS_ALGORITHM_##id##_OUT, 0
#define PARTS            PS_ALGORITHM_NONE, PS_ALGORITHM_NONE, 0

static const decision decisions[] = {
#define PS_DECISION(library, kind, ranks, ...) {PS_LIBRARY_##library, PS_K_##kind, ranks, {__VA_ARGS__}},
#include "simulator/cost/decisions.def"
#undef PS_DECISION
};

static bool is_power(uint32_t n)
{
        return (n & (n - 1)) == 0;
}

static uint64_t times(uint64_t bytes, uint32_t n)
{
        uint64_t product;
        return __builtin_mul_overflow(bytes, (uint64_t)n, &product) ? UINT64_MAX : product;
}

/* The length that the rows of the kind are about. */
static uint64_t decided_by(ps_library library, ps_kind kind, uint32_t n, uint64_t bytes)
{
        bool is_total =
                kind == PS_K_REDUCE_SCATTER || (library == PS_LIBRARY_MPICH && kind == PS_K_ALLGATHER);
        return is_total ? times(bytes, n) : bytes;
}

/* Kinds that have no rows of their own. */
static ps_kind like(ps_library library, ps_kind kind)
{
        if (kind == PS_K_REDUCE_SCATTER_BLOCK)
                return PS_K_REDUCE_SCATTER;
        if (kind == PS_K_EXSCAN)
                return PS_K_SCAN;
        return library == PS_LIBRARY_MPICH && kind == PS_K_ALLGATHERV ? PS_K_ALLGATHER : kind;
}

static const way *find_library(ps_library library, ps_kind kind, uint32_t n, uint64_t bytes)
{
        for (uint32_t i = 0; i < sizeof(decisions) / sizeof(*decisions); i++) {
                const decision *d = &decisions[i];
                if (d->library != library || d->kind != kind ||
                    (d->ranks == POWERS ? !is_power(n) : n >= d->ranks))
                        continue;
                const way *w = d->ways;
                while (bytes >= w->below && w->below < ANY)
                        w++;
                return w;
        }
        return NULL;
}

/* -- what else the libraries look at -- */

enum { ELEMENT_BYTES = 8, MESSAGES_PLAYED = 1 << 16, SEGMENTS_PLAYED = 1 << 18 };

/* How many elements there are is not known: they are taken for doubles. */
static bool has_fewer_elements(uint64_t bytes, uint32_t n)
{
        return bytes / ELEMENT_BYTES < n;
}

/* A ring divides the vector among all, and so does MPICH's reduction. */
static ps_algorithm without_parts(ps_library library, ps_algorithm algorithm, uint32_t n, uint64_t bytes)
{
        bool is_mpich = library == PS_LIBRARY_MPICH;
        if (algorithm == PS_ALGORITHM_RING_REDUCE && has_fewer_elements(bytes, n))
                return PS_ALGORITHM_NONE;
        if (algorithm == PS_ALGORITHM_HALVING_IN && has_fewer_elements(bytes, ps_power_within(n)))
                return PS_ALGORITHM_BINOMIAL_IN;
        if (is_mpich && algorithm == PS_ALGORITHM_RABENSEIFNER &&
            has_fewer_elements(bytes, ps_power_within(n)))
                return PS_ALGORITHM_DOUBLING;
        return algorithm;
}

/* Open MPI cuts a binomial reduction where it is small for so many members. */
static uint64_t segment_of(ps_algorithm algorithm, uint64_t segment, uint32_t n, uint64_t bytes)
{
        const double per_byte = 0.6016 / 1024, offset = 1.3496;
        if (algorithm == PS_ALGORITHM_BINOMIAL_IN &&
            (bytes < 2 * K || (n < 8 && bytes < 20 * K) || n <= per_byte * (double)bytes + offset))
                return 0;
        uint64_t most = SEGMENTS_PLAYED / n + 1; /* so many segments are worth being told apart */
        return segment && bytes / segment > most ? bytes / most : segment;
}

static ps_schedule made_of(ps_library library, ps_kind first, uint64_t first_bytes, ps_kind then,
                           uint64_t then_bytes, uint32_t n)
{
        ps_schedule out = ps_schedule_of_library(library, first, n, 0, first_bytes);
        ps_schedule last = ps_schedule_of_library(library, then, n, 0, then_bytes);
        out.stage[1] = last.stage[0];
        out.n_stages = 2;
        return out;
}

static ps_schedule parts_of(ps_library library, ps_kind kind, uint32_t n, uint64_t bytes)
{
        if (kind == PS_K_ALLREDUCE)
                return made_of(library, PS_K_REDUCE, bytes, PS_K_BCAST, bytes, n);
        if (kind == PS_K_ALLGATHERV)
                return made_of(library, PS_K_GATHERV, bytes, PS_K_BCAST, times(bytes, n), n);
        return made_of(library, PS_K_REDUCE, times(bytes, n), PS_K_SCATTERV, bytes, n);
}

ps_schedule ps_schedule_of_library(ps_library library, ps_kind kind, uint32_t n, uint32_t root,
                                   uint64_t bytes)
{
        ps_schedule out = {.n = n, .root = root, .n_stages = 1};
        kind = like(library, kind);
        const way *w = find_library(library, kind, n, decided_by(library, kind, n, bytes));
        out.stage[0] = (ps_stage){PS_ALGORITHM_DISSEMINATION, bytes, 0};
        if (!w)
                return out;
        ps_algorithm first = without_parts(library, w->first, n, bytes);
        if (first == PS_ALGORITHM_NONE)
                return parts_of(library, kind, n, bytes);
        out.stage[0] = (ps_stage){first, bytes, segment_of(first, w->segment, n, bytes)};
        out.stage[1] = (ps_stage){w->then, bytes, 0};
        out.n_stages += w->then != PS_ALGORITHM_NONE;
        return out;
}

/* -- one algorithm for all sizes -- */

static ps_algorithm usual_algorithm(ps_kind kind, bool is_flat, bool is_ring)
{
        uint16_t traits = ps_kinds[kind].traits;
        if (traits & PS_T_ONE_TO_ALL)
                return is_flat              ? PS_ALGORITHM_FLAT_OUT
                       : kind == PS_K_BCAST ? PS_ALGORITHM_BINOMIAL_OUT
                                            : PS_ALGORITHM_SCATTER_OUT;
        if (traits & PS_T_ALL_TO_ONE)
                return is_flat               ? PS_ALGORITHM_FLAT_IN
                       : kind == PS_K_REDUCE ? PS_ALGORITHM_BINOMIAL_IN
                                             : PS_ALGORITHM_GATHER_IN;
        if (traits & PS_T_PREFIX)
                return PS_ALGORITHM_CHAIN_ON;
        if (kind == PS_K_ALLTOALL || kind == PS_K_ALLTOALLV || kind == PS_K_ALLTOALLW)
                return PS_ALGORITHM_PAIRWISE;
        if (kind == PS_K_ALLREDUCE && is_ring)
                return PS_ALGORITHM_RING_REDUCE;
        return kind == PS_K_ALLREDUCE || traits & PS_T_BARRIER ? PS_ALGORITHM_DISSEMINATION
                                                               : PS_ALGORITHM_RING;
}

ps_schedule ps_schedule_usual(ps_kind kind, uint32_t n, uint32_t root, uint64_t bytes, bool is_flat,
                              bool is_ring)
{
        return (ps_schedule){.n = n,
                             .root = root,
                             .n_stages = 1,
                             .stage = {{usual_algorithm(kind, is_flat, is_ring), bytes, 0}}};
}

/* Each member sends to nearly all, or passes on what nearly all have. */
static bool is_of_all(ps_algorithm algorithm)
{
        switch (algorithm) {
        case PS_ALGORITHM_RING:
        case PS_ALGORITHM_RING_REDUCE:
        case PS_ALGORITHM_SCATTER_RING:
        case PS_ALGORITHM_NEIGHBOR:
        case PS_ALGORITHM_ALL_AT_ONCE:
        case PS_ALGORITHM_PAIRWISE:
                return 1;
        default:
                return 0;
        }
}

bool ps_schedule_is_wide(const ps_schedule *s)
{
        return is_of_all(s->stage[0].algorithm) && (uint64_t)s->n * (s->n - 1) > MESSAGES_PLAYED;
}
