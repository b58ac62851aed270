/* rows.c - rows in flight, and the turn into columns. */
#include "core/fold/builder.h"

#include "core/base/vector.h"

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
        for (unsigned i = 0; i < pool->n; i++)
                free(pool->block[i]);
        ps_arena_free(pool->columns);
        free(pool);
}

ps_status ps_row_pool_keep(ps_row_pool *pool, ps_arena *arena, ps_error *err)
{
        return ps_arena_join(arena, pool->columns) == 0 ? PS_OK : PS_NOMEM(err, "operations", 1);
}

static struct row *take_block(ps_row_pool *pool)
{
        return pool->n ? pool->block[--pool->n] : ps_memory_new(ROW_BLOCK * sizeof(struct row));
}

static void give_block(ps_row_pool *pool, struct row *block)
{
        if (block && pool->n < sizeof(pool->block) / sizeof(pool->block[0]))
                pool->block[pool->n++] = block;
        else
                free(block);
}

static int add_block(ps_builder *b)
{
        if (PS_ROOM(b->block, b->n_blocks, b->cap_blocks))
                return -1;
        struct row *rows = take_block(b->pool);
        if (!rows)
                return -1;
        b->block[b->n_blocks++] = rows;
        return 0;
}

struct row *ps_rows_add(ps_builder *b, ps_kind kind, ps_path path, ps_time enter)
{
        if (b->n_rows == PS_NONE - 1 || (b->n_rows == b->n_blocks * ROW_BLOCK && add_block(b) < 0)) {
                b->status = PS_NOMEM(&b->err, "operations", b->n_rows);
                return NULL;
        }
        if (__builtin_expect(b->is_watched, 0))
                ps_builder_end_gap(b, enter);
        struct row *row = row_at(b, b->n_rows++);
        *row = (struct row){.enter = enter,
                            .leave = ROW_OPEN,
                            .path = path,
                            .peer = PS_NONE,
                            .comm = PS_NONE,
                            .link = PS_NONE,
                            .done = PS_NONE,
                            .kind = (uint8_t)kind,
                            .next = PS_NONE};
        if (ps_kinds[kind].cls == PS_C_COLL) {
                row->link = b->received.n;
                PUSH(b, b->received, 0);
        } else if (ps_kinds[kind].cls == PS_C_COMPLETE) {
                row->link = b->completed.n;
        }
        return row;
}

uint32_t ps_rows_distance_odd(ps_builder *b, ps_op op, bool is_post, ps_time distance)
{
        if (distance < 0)
                return 0;
        PUSH(b, b->wide, (struct ps_wide){op, (uint32_t)is_post, distance});
        return UINT32_MAX;
}

/* -- columns -- */

/* Where each column begins in the one block, widest first. */
static void place_columns(ps_builder *b, char *at, size_t n)
{
        ps_ops *ops = &b->ops;
        ps_time **times[] = {&b->enter, &b->leave};
        uint32_t **words[] = {&ops->path, &ops->peer, &ops->comm, &ops->tag,
                              &ops->link, &ops->done, &ops->pre,  &ops->post};
        for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++, at += n * sizeof(ps_time))
                *times[i] = (ps_time *)(void *)at;
        ops->bytes = (uint64_t *)(void *)at;
        at += n * sizeof(uint64_t);
        for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++, at += n * sizeof(uint32_t))
                *words[i] = (uint32_t *)(void *)at;
        ops->kind = (uint8_t *)at;
        ops->flags = (uint8_t *)at + n;
}

static void turn_row(ps_builder *b, const struct row *row, uint32_t i)
{
        ps_ops *ops = &b->ops;
        b->enter[i] = row->enter;
        b->leave[i] = row->leave;
        ops->bytes[i] = row->bytes;
        ops->path[i] = row->path;
        ops->peer[i] = row->peer;
        ops->comm[i] = row->comm;
        ops->tag[i] = row->tag;
        ops->link[i] = row->link;
        ops->done[i] = row->done;
        ops->pre[i] = row->pre;
        ops->post[i] = row->post;
        ops->kind[i] = row->kind;
        ops->flags[i] = row->flags;
}

ps_status ps_rows_freeze(ps_builder *b, ps_error *err)
{
        enum { ROW_BYTES = 3 * 8 + 8 * 4 + 2 };
        size_t n = b->n_rows;
        void *columns = ps_arena_room(b->pool->columns, n * ROW_BYTES);
        if (!columns)
                return PS_NOMEM(err, "operations", n);
        place_columns(b, columns, n);
        for (uint32_t k = 0, i = 0; k < b->n_blocks; k++) {
                for (uint32_t j = 0; j < ROW_BLOCK && i < n; j++, i++)
                        turn_row(b, &b->block[k][j], i);
                give_block(b->pool, b->block[k]);
                b->block[k] = NULL;
        }
        b->ops.n = (uint32_t)n;
        b->ops.completed = b->completed.row;
        b->ops.n_completed = b->completed.n;
        b->completed.row = NULL;
        return PS_OK;
}

void ps_rows_free(ps_builder *b)
{
        for (uint32_t k = 0; k < b->n_blocks; k++)
                give_block(b->pool, b->block[k]);
        free(b->block);
        b->block = NULL;
        b->n_blocks = b->cap_blocks = 0;
        ps_ids_free(&b->requests);
}
