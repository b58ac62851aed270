/* crew.c - see crew.h. A block that is sent stays with its sender until the receiver copies it. */
#include "tests/support/crew/crew.h"

#include "tests/support/test.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { LEADS_ONLY = 7 };

struct slot {
        const void *block; /* NULL: nothing is under way */
        size_t n;
};

struct crew {
        uint32_t n;
        pthread_mutex_t lock;
        struct slot *slot; /* [from * n + to] */
        void (*work)(ps_exchange *x, void *ctx);
        void *ctx;
};

struct member {
        struct crew *crew;
        ps_exchange x;
        struct slot *out, *in;
        void *room;
        size_t n_room;
};

static void send_block(void *ctx, uint32_t to, const void *block, size_t n)
{
        struct member *m = ctx;
        m->out = &m->crew->slot[m->x.rank * m->crew->n + to];
        pthread_mutex_lock(&m->crew->lock);
        assert_null(m->out->block);
        *m->out = (struct slot){block, n};
        pthread_mutex_unlock(&m->crew->lock);
}

static void receive_block(void *ctx, uint32_t from, void *block, size_t n)
{
        struct member *m = ctx;
        m->in = &m->crew->slot[from * m->crew->n + m->x.rank];
        m->room = block;
        m->n_room = n;
}

static bool is_done(void *ctx, ps_way way)
{
        struct member *m = ctx;
        pthread_mutex_lock(&m->crew->lock);
        bool has_come = way == PS_WAY_IN && m->in->block;
        if (has_come) {
                assert_int_equal(m->in->n, m->n_room);
                memcpy(m->room, m->in->block, m->n_room);
                m->in->block = NULL;
        }
        bool has_gone = way == PS_WAY_OUT && !m->out->block;
        pthread_mutex_unlock(&m->crew->lock);
        return has_come || has_gone;
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
        struct crew crew = {
                .n = n, .slot = calloc((size_t)n * n, sizeof(struct slot)), .work = work, .ctx = ctx};
        struct member *members = calloc(n, sizeof(*members));
        pthread_t *threads = calloc(n, sizeof(*threads));
        assert_true(crew.slot && members && threads);
        pthread_mutex_init(&crew.lock, NULL);
        for (uint32_t i = 0; i < n; i++) {
                members[i] = (struct member){.crew = &crew, .x = {.rank = i, .size = n, .wire = &wire}};
                members[i].x.wire_ctx = &members[i];
                members[i].x.n_threads = 1;
                members[i].x.leads_only = n >= LEADS_ONLY;
                assert_int_equal(pthread_create(&threads[i], NULL, run, &members[i]), 0);
        }
        for (uint32_t i = 0; i < n; i++)
                pthread_join(threads[i], NULL);
        pthread_mutex_destroy(&crew.lock);
        free(threads);
        free(members);
        free(crew.slot);
}
