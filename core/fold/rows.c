/* rows.c - rows in flight, and the turn into columns. */
#include "core/fold/sink.h"

#include "core/base/blocks.h"
#include "core/base/parallel.h"

#include <stdlib.h>
#include <string.h>

ps_row_pool *ps_row_pool_new(void)
{
        ps_row_pool *pool = calloc(1, sizeof(*pool));
        if (pool && (pool->columns = ps_arena_new()))
                return pool;
        free(pool);
        return NULL;
}

void ps_row_pool_free(ps_row_pool *pool)
{
        if (!pool)
                return;
        ps_row_pool_empty(pool);
        ps_arena_free(pool->columns);
        free(pool);
}

void ps_row_pool_empty(ps_row_pool *pool)
{
        while (pool->n)
                ps_memory_pass_on(pool->block[--pool->n]);
        ps_addresses_drop(&pool->addresses);
        ps_addresses_drop(&pool->collectives);
        ps_addresses_drop(&pool->targets);
}

ps_status ps_row_pool_keep(ps_row_pool *pool, ps_arena *arena, ps_error *err)
{
        return ps_arena_join(arena, pool->columns) == 0 ? PS_OK : PS_NOMEM(err, "operations", 1);
}

static struct row_block *take_blocks(ps_row_pool *pool)
{
        return pool->n ? pool->block[--pool->n] : ps_memory_again(BYTES_AT_ONCE);
}

static void give_blocks(ps_row_pool *pool, struct row_block *first)
{
        if (first && pool->n < sizeof(pool->block) / sizeof(pool->block[0]))
                pool->block[pool->n++] = first;
        else
                ps_memory_pass_on(first);
}

/* Nobody needs the builder's block number `k` any more, nor those before it. */
static void give_block(ps_row_pool *pool, const ps_builder *b, uint32_t k)
{
        if (k % BLOCKS_AT_ONCE == BLOCKS_AT_ONCE - 1 || k + 1 == b->n_blocks) {
                give_blocks(pool, b->block[k - k % BLOCKS_AT_ONCE]);
                b->block[k - k % BLOCKS_AT_ONCE] = NULL;
        }
}

static int add_block(ps_builder *b)
{
        if (PS_ROOM(b->block, b->n_blocks, b->cap_blocks))
                return -1;
        struct row_block *rows = b->n_blocks % BLOCKS_AT_ONCE ? b->newest + 1 : take_blocks(b->pool);
        if (!rows)
                return -1;
        b->block[b->n_blocks++] = b->newest = rows;
        return 0;
}

/* Gives `n` rows what each has at first. */
__attribute__((always_inline)) static inline void make_fresh(struct row_block *rows, uint32_t from,
                                                             uint32_t n)
{
#define COLUMN(type, name, first) memset(&rows->name[from], first, n * sizeof(type));
        ROW_OPS(COLUMN)
#undef COLUMN
        ps_time *leave = rows->leave + from;
        for (uint32_t i = 0; i < n; i++)
                leave[i] = ROW_OPEN | PS_NONE;
}

int ps_rows_room(ps_builder *b)
{
        if (b->n_rows > PS_NONE - 1 - ROW_FRESH ||
            (b->n_rows == b->n_blocks * ROW_BLOCK && add_block(b) < 0) ||
            (b->pieces && ps_builder_make_piece_room(b) < 0)) {
                b->status = PS_NOMEM(&b->pool->err, "operations", b->n_rows);
                return -1;
        }
        ps_blocks_keep();
        make_fresh(b->newest, b->n_rows % ROW_BLOCK, ROW_FRESH);
        return 0;
}

ps_op ps_rows_add(ps_builder *b, ps_kind kind, ps_path path, ps_time enter)
{
        uint32_t call = ps_rows_call_of(b, path);
        if (!b->calls.list.n) /* there was no memory for the first one, and whoever has a row looks there */
                return PS_NONE;
        return ps_fold_add_row(b, (uint8_t)kind, awaits_of(kind), call, enter, b->is_watched);
}

uint32_t ps_rows_distance_odd(ps_builder *b, ps_op op, bool is_post, ps_time distance)
{
        if (distance < 0)
                return 0;
        ps_blocks_keep(); /* a call that completes very many takes so long that of most the distance is one */
        if (PS_PUSH(b->wide, ((struct ps_wide){op, (uint32_t)is_post, distance})))
                b->status = PS_NOMEM(b->pool ? &b->pool->err : NULL, "distances", b->wide.n);
        return UINT32_MAX;
}

/* -- rows of a portion -- */

/* What is to be added to indices, now that others stand before what they lead to. */
struct moved {
        const uint32_t *call;
        ps_op rows;
        uint32_t link[PS_K_COUNT];
};

/* It tells by its first row what it completes. */
static bool is_in_a_row(const struct row_block *rows, uint32_t at)
{
        return ps_kinds[rows->kind[at]].cls == PS_C_COMPLETE && rows->flags[at] & PS_OP_IN_A_ROW;
}

static void move_rows(struct row_block *rows, uint32_t at, uint32_t n, const struct moved *by)
{
        for (uint32_t i = at; i < at + n; i++) {
                rows->call[i] = by->call[rows->call[i]];
                rows->link[i] += is_in_a_row(rows, i) ? by->rows : by->link[rows->kind[i]];
                rows->done[i] += rows->done[i] == PS_NONE ? 0 : by->rows;
                if (rows->leave[i] >= ROW_OPEN && (ps_op)rows->leave[i] != PS_NONE)
                        rows->leave[i] += by->rows;
        }
}

static void copy_rows(struct row_block *to, uint32_t at, const struct row_block *from, uint32_t first,
                      uint32_t n)
{
#define COLUMN(type, name, at_first) memcpy(to->name + at, from->name + first, n * sizeof(type));
        ROW_TIMES(COLUMN)
        ROW_OPS(COLUMN)
#undef COLUMN
        memcpy(to->length + at, from->length + first, n * sizeof(*to->length));
}

static uint32_t least_of(uint32_t a, uint32_t b)
{
        return a < b ? a : b;
}

/* By number of the portion's: which one of the builder's. */
static uint32_t *move_calls(ps_builder *b, const struct ps_calls *apart, const ps_path *map)
{
        uint32_t *number = malloc((apart->list.n + (size_t)1) * sizeof(*number));
        for (uint32_t i = 0; number && i < apart->list.n; i++) {
                struct ps_call call = apart->list.row[i];
                call.path = map[call.path];
                if ((number[i] = ps_calls_number(&b->calls, &call)) == PS_NONE) {
                        free(number);
                        return NULL;
                }
        }
        return number;
}

/* Rows `from` to `end` of the portion are copied, those of each of its blocks by one thread. */
struct appending {
        ps_builder *b, *apart;
        const struct moved *by;
        uint32_t from, end;
};

static ps_status append_block(void *ctx, uint32_t i, unsigned worker, ps_error *err)
{
        const struct appending *a = ctx;
        const uint32_t begin = a->from + i * ROW_BLOCK, end = least_of(a->end - begin, ROW_BLOCK);
        (void)worker;
        (void)err;
        for (uint32_t at = 0, n; at < end; at += n) {
                const ps_op op = a->by->rows + begin + at;
                ps_blocks_keep();
                n = least_of(end - at, ROW_BLOCK - op % ROW_BLOCK);
                copy_rows(ps_rows_block(a->b, op), op % ROW_BLOCK, a->apart->block[begin / ROW_BLOCK], at, n);
                move_rows(ps_rows_block(a->b, op), op % ROW_BLOCK, n, a->by);
        }
        return PS_OK;
}

/* A block for each thread at a time, so that few are there twice. */
static ps_status append_some(struct appending *a, unsigned n_threads, ps_error *err)
{
        const uint32_t n = least_of(n_threads, (a->apart->n_rows - a->from - 1) / ROW_BLOCK + 1);
        a->end = least_of(a->apart->n_rows - a->from, n * ROW_BLOCK) + a->from;
        while ((uint64_t)a->b->n_blocks * ROW_BLOCK < (uint64_t)a->by->rows + a->end)
                if (add_block(a->b) < 0)
                        return PS_NOMEM(err, "operations", a->b->n_rows);
        PS_TRY(ps_parallel_for(n_threads, n, append_block, a, err));
        for (uint32_t i = 0; i < n; i++)
                give_block(a->b->pool, a->apart, a->from / ROW_BLOCK + i);
        a->b->n_rows += a->end - a->from;
        return PS_OK;
}

static ps_status append_rows(ps_builder *b, ps_builder *apart, const uint32_t *call, unsigned n_threads,
                             ps_error *err)
{
        struct moved by = {.call = call, .rows = b->n_rows};
        for (int kind = 0; kind < PS_K_COUNT; kind++)
                by.link[kind] = ps_kinds[kind].cls == PS_C_COMPLETE ? b->completed.n
                                : ps_kinds[kind].cls == PS_C_COLL   ? b->received.n
                                                                    : 0;
        for (struct appending a = {.b = b, .apart = apart, .by = &by}; a.from < apart->n_rows; a.from = a.end)
                PS_TRY(append_some(&a, n_threads, err));
        if (b->n_rows % ROW_FRESH)
                make_fresh(b->newest, b->n_rows % ROW_BLOCK, ROW_FRESH - b->n_rows % ROW_FRESH);
        return PS_OK;
}

ps_status ps_rows_append(ps_builder *b, ps_builder *apart, const ps_path *map, unsigned n_threads,
                         ps_error *err)
{
        uint32_t *call = move_calls(b, &apart->calls, map);
        b->ops.has_length |= apart->ops.has_length;
        b->ops.has_completed |= apart->ops.has_completed;
        ps_status status = call ? append_rows(b, apart, call, ps_parallel_threads(n_threads), err)
                                : PS_NOMEM(err, "calls", apart->calls.list.n);
        free(call);
        return status;
}

/* -- what calls complete -- */

void ps_rows_list_completed(ps_builder *b, ps_op op)
{
        const ps_op first = CELL(b, link, op);
        CELL(b, link, op) = b->completed.n;
        CELL(b, flags, op) &= (uint8_t)~PS_OP_IN_A_ROW;
        for (uint32_t i = 0; i < CELL(b, tag, op) && b->status == PS_OK; i++)
                PUSH(b, b->completed, first + i);
}

/* -- what calls say -- */

void ps_rows_say(ps_builder *b, ps_op op, const struct ps_call *call)
{
        bool is_own = ps_lengths_are_own(b, call->bytes);
        uint32_t number = ps_lengths_number(b, call);
        if (number == PS_NONE) {
                b->status = PS_NOMEM(&b->pool->err, "calls", b->calls.list.n);
                return;
        }
        CELL(b, call, op) = number;
        if (is_own)
                CELL(b, length, op) = (uint32_t)call->bytes;
}

uint32_t ps_rows_call_of(ps_builder *b, ps_path path)
{
        struct node *node = &b->tree.node[path];
        if (!node->call) {
                const struct ps_call call = {.path = path, .peer = PS_NONE, .comm = PS_NONE};
                uint32_t number = ps_calls_add(&b->calls, &call);
                if (number == PS_NONE)
                        b->status = PS_NOMEM(&b->pool->err, "calls", b->calls.list.n);
                else
                        node->call = number;
        }
        return node->call;
}

/* Where rows have lengths of their own they have more to say than their call. */
__attribute__((noinline)) static void learn_comm(ps_builder *b, ps_op op, ps_comm comm, uint32_t peer)
{
        const uint32_t bare = CELL(b, call, op);
        if (bare >= b->calls.list.n)
                return; /* memory is out */
        struct ps_call says = ps_rows_said(b, op);
        says.comm = comm;
        says.peer = peer;
        ps_rows_say(b, op, &says);
        if (!b->ops.has_length)
                b->team_calls[bare % TEAM_CALLS] = (struct team_call){bare, comm, CELL(b, call, op) + 1};
}

void ps_rows_say_comm(ps_builder *b, ps_op op, ps_comm comm, uint32_t peer)
{
        uint32_t *call = &CELL(b, call, op);
        const struct team_call *known = &b->team_calls[*call % TEAM_CALLS];
        if (known->call && known->bare == *call && known->team == comm)
                *call = known->call - 1;
        else
                learn_comm(b, op, comm, peer);
}

void ps_rows_say_team(ps_builder *b, ps_op op)
{
        const uint32_t team = team_now(b);
        if (team != PS_NONE)
                ps_rows_say_comm(b, op, team, PS_NONE);
}

bool ps_rows_learn_call(ps_builder *b, struct address *a, uint32_t call, uint64_t bytes)
{
        struct ps_call says = b->calls.list.row[call];
        says.comm = a->comm;
        says.peer = a->keeps_peer ? says.peer : a->location;
        says.bytes = bytes;
        says.varies = 0;
        bool is_own = ps_lengths_are_own(b, bytes);
        uint32_t number = ps_lengths_number(b, &says);
        if (number == PS_NONE)
                return false;
        if (a->before != call && a->before != PS_NONE)
                ps_addresses_share(b, a);
        if (is_own) {
                a->varying = call;
                a->own = number;
                return true;
        }
        a->bytes = bytes;
        a->before = call;
        a->call = number;
        return true;
}

/* -- columns -- */

size_t ps_rows_bytes(const ps_defs *defs, const ps_ops *ops, size_t n)
{
#define COLUMN(type, name, first) +sizeof(type)
        enum { ROW_BYTES = 0 ROW_TIMES(COLUMN) ROW_OPS(COLUMN) };
#undef COLUMN
        const size_t n_more = (size_t)(defs->partners_vary != 0) + (ops->has_length != 0);
        return n * (ROW_BYTES + n_more * sizeof(uint32_t));
}

/* One behind the other, widest first. */
void ps_rows_place(const ps_defs *defs, ps_ops *ops, ps_time **enter, ps_time **leave, void *columns,
                   size_t n)
{
        char *at = columns;
#define PLACE(type, to)                                                                                      \
        (to) = (type *)(void *)at;                                                                           \
        at += n * sizeof(type);
#define COLUMN(type, name, first) PLACE(type, *name)
        ROW_TIMES(COLUMN)
#undef COLUMN
        ops->peer = NULL;
        if (defs->partners_vary) {
                PLACE(uint32_t, ops->peer)
        }
        ops->length = NULL;
        if (ops->has_length) {
                PLACE(uint32_t, ops->length)
        }
#define COLUMN(type, name, first) PLACE(type, ops->name)
        ROW_OPS(COLUMN)
#undef COLUMN
}

/* So many are copied at a time: what is larger the C library has the processor copy byte by byte, which those
 * who count instructions take at its word. */
enum { COPIED_AT_ONCE = 1024 };

static void copy_in_pieces(void *to, const void *from, size_t bytes)
{
        for (size_t at = 0, n; at < bytes; at += n) {
                n = bytes - at < COPIED_AT_ONCE ? bytes - at : COPIED_AT_ONCE;
                memcpy((char *)to + at, (const char *)from + at, n);
        }
}

/* Of so many rows one column is copied after the other: a processor foresees what comes next in a column, but
 * not in all of them at a time. */
enum { ROW_PIECE = 2048 };

/* Puts `n` rows of their block into the columns. */
static void put_rows(ps_builder *b, const struct row_block *rows, size_t at, size_t n)
{
#define COLUMN(type, name, first) copy_in_pieces(b->name + at, rows->name + at % ROW_BLOCK, n * sizeof(type));
        ROW_TIMES(COLUMN)
#undef COLUMN
#define COLUMN(type, name, first)                                                                            \
        ps_blocks_keep();                                                                                    \
        copy_in_pieces(b->ops.name + at, rows->name + at % ROW_BLOCK, n * sizeof(type));
        ROW_OPS(COLUMN)
#undef COLUMN
        for (size_t i = 0; b->ops.length && i < n; i++)
                b->ops.length[at + i] = b->calls.list.row[b->ops.call[at + i]].varies
                                                ? rows->length[(at + i) % ROW_BLOCK]
                                                : 0;
        for (size_t i = 0; b->ops.peer && i < n; i++)
                b->ops.peer[at + i] = b->calls.list.row[b->ops.call[at + i]].peer;
}

void *ps_rows_take(ps_builder *b, size_t n)
{
        void *columns = ps_arena_room(b->pool->columns, ps_rows_bytes(b->defs, &b->ops, n));
        if (columns)
                ps_rows_place(b->defs, &b->ops, &b->enter, &b->leave, columns, n);
        return columns;
}

/* A large one has pages of its own, and stays in them: a copy would be there beside it. */
static void *keep_table(const ps_builder *b, void *rows, size_t bytes)
{
        if (bytes >= PS_LARGE_PAGE)
                return ps_arena_adopt(b->pool->columns, rows) == 0 ? rows : NULL;
        void *kept = bytes ? ps_arena_room(b->pool->columns, bytes) : NULL;
        if (kept)
                copy_in_pieces(kept, rows, bytes);
        free(rows);
        return kept;
}

ps_status ps_rows_keep_tables(ps_builder *b, ps_error *err)
{
        size_t n = b->ops.n_completed, n_calls = b->ops.n_calls;
        b->ops.completed = keep_table(b, b->ops.completed, n * sizeof(*b->ops.completed));
        b->ops.calls = keep_table(b, b->ops.calls, n_calls * sizeof(*b->ops.calls));
        return (b->ops.completed || !n) && (b->ops.calls || !n_calls) ? PS_OK
                                                                      : PS_NOMEM(err, "operations", n);
}

/* Columns of which rows `at` to `end` come next get what blocks have left. */
static void fill_columns(const ps_builder *b, size_t at, size_t end)
{
        const struct {
                char *row;
                size_t bytes;
        } columns[] = {
#define COLUMN(type, name, first) {(char *)b->name, sizeof(type)},
                ROW_TIMES(COLUMN)
#undef COLUMN
#define COLUMN(type, name, first) {(char *)b->ops.name, sizeof(type)},
                        ROW_OPS(COLUMN)
#undef COLUMN
        };
        for (size_t i = 0; i < sizeof(columns) / sizeof(*columns); i++) {
                const size_t bytes = columns[i].bytes;
                ps_memory_fill_next(columns[i].row, at * bytes, end * bytes, b->n_rows * bytes);
        }
}

/* Also a list that is empty: where the C library is given back something large, all that is not larger comes
 * from its heap from then on, and stays there. */
static uint32_t *take_completed(ps_builder *b)
{
        uint32_t *list = b->completed.row,
                 *fits = list ? realloc(list, (b->completed.n + (size_t)1) * sizeof(*list)) : NULL;
        b->completed.row = NULL;
        return fits ? fits : list;
}

ps_status ps_rows_freeze(ps_builder *b, ps_error *err)
{
        size_t n = b->n_rows;
        ps_lengths_settle(b);
        if (!ps_rows_take(b, n))
                return PS_NOMEM(err, "operations", n);
        for (size_t at = 0; at < n; at += ROW_PIECE) {
                ps_blocks_keep();
                if (at % ROW_BLOCK == 0)
                        fill_columns(b, at, n - at < ROW_BLOCK ? n : at + ROW_BLOCK);
                put_rows(b, b->block[at / ROW_BLOCK], at, n - at < ROW_PIECE ? n - at : ROW_PIECE);
                if ((at + ROW_PIECE) % ROW_BLOCK == 0 || at + ROW_PIECE >= n)
                        give_block(b->pool, b, (uint32_t)(at / ROW_BLOCK));
        }
        b->ops.n = (uint32_t)n;
        b->ops.completed = take_completed(b);
        b->ops.n_completed = b->completed.n;
        b->pool->n_calls = b->ops.n_calls = b->calls.list.n;
        b->ops.calls = ps_calls_take(&b->calls);
        ps_calls_free(&b->calls);
        return ps_rows_keep_tables(b, err);
}

void ps_rows_free(ps_builder *b)
{
        for (uint32_t k = 0; k < b->n_blocks; k += BLOCKS_AT_ONCE)
                give_blocks(b->pool, b->block[k]);
        free(b->block);
        b->block = NULL;
        b->n_blocks = b->cap_blocks = 0;
        ps_ids_free(&b->requests);
        ps_calls_free(&b->calls);
        free(b->targets.row);
        b->targets.row = NULL;
}
