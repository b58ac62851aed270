/* build_rows.c - rows in flight, open requests, and the turn into columns. */
#include "core/builder.h"

#include "core/hash.h"

#include <stdlib.h>
#include <string.h>

/* Every PS_VECTOR begins with the pointer, the number and the capacity. */
int ps_vector_grow(ps_builder *b, void *vector, size_t size, const char *what)
{
        struct {
                void *at;
                uint32_t n, cap;
        } v;
        memcpy(&v, vector, sizeof(v));
        uint32_t cap = v.cap ? v.cap * 2 : 16;
        void *at = cap > v.cap ? realloc(v.at, cap * size) : NULL;
        if (!at) {
                b->status = PS_NOMEM(&b->err, what, cap);
                return -1;
        }
        v.at = at;
        v.cap = cap;
        memcpy(vector, &v, sizeof(v));
        return 0;
}

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
        if (b->n_blocks == b->cap_blocks) {
                uint32_t cap = b->cap_blocks ? b->cap_blocks * 2 : 16;
                struct row **block = realloc(b->block, cap * sizeof(*block));
                if (!block)
                        return -1;
                b->block = block;
                b->cap_blocks = cap;
        }
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
                PS_PUSH(b, b->received, 0);
        } else if (ps_kinds[kind].cls == PS_C_COMPLETE) {
                row->link = b->completed.n;
        }
        return row;
}

uint32_t ps_rows_distance_odd(ps_builder *b, ps_op op, int is_post, ps_time distance)
{
        if (distance < 0)
                return 0;
        PS_PUSH(b, b->wide, (struct ps_wide){op, (uint32_t)is_post, distance});
        return UINT32_MAX;
}

/* -- requests: open addressing, deletion by shifting back -- */

static uint32_t home_slot(const struct requests *r, uint8_t space, uint64_t id)
{
        return (uint32_t)ps_hash_mix((id ^ r->seed) + space) & (r->n_slots - 1);
}

static int requests_grow(struct requests *r)
{
        struct requests grown = {.n = r->n, .n_slots = r->n_slots ? r->n_slots * 2 : 64, .seed = r->seed};
        grown.slot = grown.n_slots ? calloc(grown.n_slots, sizeof(*grown.slot)) : NULL;
        if (!grown.slot)
                return -1;
        if (!grown.seed)
                grown.seed = ps_hash_mix((uint64_t)(uintptr_t)grown.slot);
        for (uint32_t i = 0; i < r->n_slots; i++) {
                if (!r->slot[i].used)
                        continue;
                uint32_t at = home_slot(&grown, r->slot[i].space, r->slot[i].id);
                while (grown.slot[at].used)
                        at = (at + 1) & (grown.n_slots - 1);
                grown.slot[at] = r->slot[i];
        }
        free(r->slot);
        *r = grown;
        return 0;
}

static struct request *find_request(const struct requests *r, uint8_t space, uint64_t id)
{
        uint32_t at = home_slot(r, space, id);
        while (r->slot[at].used && (r->slot[at].id != id || r->slot[at].space != space))
                at = (at + 1) & (r->n_slots - 1);
        return &r->slot[at];
}

int ps_requests_open(ps_builder *b, uint8_t space, uint64_t id, ps_op row, ps_op *old)
{
        struct requests *r = &b->requests;
        if (2 * (r->n + 1) > r->n_slots && requests_grow(r) < 0) {
                b->status = PS_NOMEM(&b->err, "requests", r->n);
                return 0;
        }
        struct request *request = find_request(r, space, id);
        int was_open = request->used;
        *old = was_open ? request->row : PS_NONE;
        r->n += !was_open;
        *request = (struct request){id, row, space, 1};
        return was_open;
}

ps_op ps_requests_row(const ps_builder *b, uint8_t space, uint64_t id)
{
        const struct request *request = b->requests.n ? find_request(&b->requests, space, id) : NULL;
        return request && request->used ? request->row : PS_NONE;
}

int ps_event_completes(uint8_t event, uint8_t kind)
{
        ps_class cls = ps_kinds[kind].cls;
        switch (event) {
        case PS_EV_ISEND_DONE:
                return cls == PS_C_SEND;
        case PS_EV_IRECV:
                return cls == PS_C_RECV;
        case PS_EV_NBC_DONE:
                return cls == PS_C_COLL;
        default:
                return event == PS_EV_REQUEST_CANCELLED;
        }
}

ps_op ps_requests_close(ps_builder *b, uint8_t space, uint64_t id)
{
        struct requests *r = &b->requests;
        struct request *request = r->n ? find_request(r, space, id) : NULL;
        if (!request || !request->used)
                return PS_NONE;
        ps_op row = request->row;
        uint32_t mask = r->n_slots - 1;
        uint32_t hole = (uint32_t)(request - r->slot);
        for (uint32_t i = (hole + 1) & mask; r->slot[i].used; i = (i + 1) & mask) {
                uint32_t home = home_slot(r, r->slot[i].space, r->slot[i].id);
                if (((i - home) & mask) >= ((i - hole) & mask)) {
                        r->slot[hole] = r->slot[i];
                        hole = i;
                }
        }
        r->slot[hole].used = 0;
        r->n--;
        return row;
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
        b->ops.completed = b->completed.at;
        b->ops.n_completed = b->completed.n;
        b->completed.at = NULL;
        return PS_OK;
}

void ps_rows_free(ps_builder *b)
{
        for (uint32_t k = 0; k < b->n_blocks; k++)
                give_block(b->pool, b->block[k]);
        free(b->block);
        b->block = NULL;
        b->n_blocks = b->cap_blocks = 0;
        free(b->requests.slot);
        b->requests = (struct requests){0};
}
