/* crew.c - see crew.h. In a small crew a block stays with its sender until the receiver copies it, so that it
 * shows when somebody waits for one who waits for him. In a larger one it is copied at once, as MPI does with
 * small blocks: others are waited for more seldom, which is most of what so many threads take. Whoever asks
 * whether something is done sleeps until something is. */
#include "tests/support/crew/crew.h"

#include "tests/support/test.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { COPIES_AT_ONCE = 4, LEADS_ONLY = 7 };

struct block {
        struct block *next;
        const void *bytes;
        size_t n;
};

/* What is under way from one member to another, in the order in which it was sent. */
struct slot {
        struct block *first, **last;
};

struct crew {
        uint32_t n;
        pthread_mutex_t lock;
        struct slot *slot;       /* [from * n + to] */
        pthread_cond_t *changed; /* by member: a block that it sent or may take */
        void (*work)(ps_exchange *x, void *ctx);
        void *ctx;
};

struct member {
        struct crew *crew;
        ps_exchange x;
        struct block out; /* of a small crew; without bytes once it was taken */
        bool is_sending;
        struct slot *in; /* that something is expected from; NULL: nothing is */
        void *room;
        size_t n_room;
};

static struct block *copy_of(const void *bytes, size_t n)
{
        struct block *block = malloc(sizeof(*block) + n);
        assert_non_null(block);
        *block = (struct block){.bytes = memcpy(block + 1, bytes, n), .n = n};
        return block;
}

static void send_block(void *ctx, uint32_t to, const void *bytes, size_t n)
{
        struct member *m = ctx;
        struct crew *crew = m->crew;
        struct slot *slot = &crew->slot[m->x.rank * crew->n + to];
        m->out = (struct block){.bytes = bytes, .n = n};
        m->is_sending = true;
        struct block *block = crew->n < COPIES_AT_ONCE ? &m->out : copy_of(bytes, n);
        pthread_mutex_lock(&crew->lock);
        *(slot->first ? slot->last : &slot->first) = block;
        slot->last = &block->next;
        if (block != &m->out)
                m->out.bytes = NULL;
        pthread_mutex_unlock(&crew->lock);
        pthread_cond_signal(&crew->changed[to]);
}

static void receive_block(void *ctx, uint32_t from, void *block, size_t n)
{
        struct member *m = ctx;
        m->in = &m->crew->slot[from * m->crew->n + m->x.rank];
        m->room = block;
        m->n_room = n;
}

static bool has_gone(const struct member *m)
{
        return m->is_sending && !m->out.bytes;
}

static bool has_come(const struct member *m)
{
        return m->in && m->in->first;
}

static void take_block(struct member *m)
{
        struct crew *crew = m->crew;
        struct block *block = m->in->first;
        assert_int_equal(block->n, m->n_room);
        memcpy(m->room, block->bytes, block->n);
        m->in->first = block->next;
        if (crew->n < COPIES_AT_ONCE) {
                block->bytes = NULL;
                pthread_cond_signal(&crew->changed[(uint32_t)(m->in - crew->slot) / crew->n]);
        } else {
                free(block);
        }
        m->in = NULL;
}

/* Not before something is done, be it the other way. */
static bool is_done(void *ctx, ps_way way)
{
        struct member *m = ctx;
        pthread_mutex_lock(&m->crew->lock);
        while (!has_gone(m) && !has_come(m))
                pthread_cond_wait(&m->crew->changed[m->x.rank], &m->crew->lock);
        const bool is = way == PS_WAY_IN ? has_come(m) : has_gone(m);
        if (is && way == PS_WAY_IN)
                take_block(m);
        else if (is)
                m->is_sending = false;
        pthread_mutex_unlock(&m->crew->lock);
        return is;
}

static void *run(void *member)
{
        struct member *m = member;
        m->crew->work(&m->x, m->crew->ctx);
        return NULL;
}

void crew_run(uint32_t n, void (*work)(ps_exchange *x, void *ctx), void *ctx)
{
        static const ps_wire wire = {send_block, receive_block, is_done, PS_EXCHANGE_BLOCK};
        struct crew crew = {.n = n,
                            .slot = calloc((size_t)n * n, sizeof(struct slot)),
                            .changed = calloc(n, sizeof(pthread_cond_t)),
                            .work = work,
                            .ctx = ctx};
        struct member *members = calloc(n, sizeof(*members));
        pthread_t *threads = calloc(n, sizeof(*threads));
        assert_true(crew.slot && crew.changed && members && threads);
        pthread_mutex_init(&crew.lock, NULL);
        for (uint32_t i = 0; i < n; i++)
                pthread_cond_init(&crew.changed[i], NULL);
        for (uint32_t i = 0; i < n; i++) {
                members[i] = (struct member){.crew = &crew, .x = {.rank = i, .size = n, .wire = &wire}};
                members[i].x.wire_ctx = &members[i];
                members[i].x.n_threads = 1;
                members[i].x.leads_only = n >= LEADS_ONLY;
                assert_int_equal(pthread_create(&threads[i], NULL, run, &members[i]), 0);
        }
        for (uint32_t i = 0; i < n; i++)
                pthread_join(threads[i], NULL);
        for (uint32_t i = 0; i < n; i++)
                pthread_cond_destroy(&crew.changed[i]);
        pthread_mutex_destroy(&crew.lock);
        free(threads);
        free(members);
        free(crew.changed);
        free(crew.slot);
}
