/* events.c - the lines of a micro-trace that tell what happens: calls and what their records say. */
#include "core/model/kinds.h"
#include "tests/support/micro/internal.h"

#include <string.h>

enum { DONE = 24 };

#define NOBODY UINT32_MAX

/* A call as its line says it. */
struct call {
        const char *region;
        ps_name_info info;
        uint64_t begin, end;
        uint64_t begins, ends; /* of its records */
        uint64_t to, from, tag, bytes, comm, root, sent, got, request, window, group, lock;
        uint64_t times, every; /* how often the call is made, and how far apart */
        uint64_t done[DONE];
        unsigned n_done;
        int cancels, shared;
        const char *in, *out; /* modes of a PGAS collective */
};

/* What happens at one time: LOCATION TIME VERB [ARGUMENT]... */
static int put_instant(micro *m, uint32_t loc, uint64_t time)
{
        const struct {
                const char *verb;
                ps_gen_kind kind;
                const char *arguments; /* r: region, n: number to tag, t: team, l: number to ref */
                uint8_t op;
        } verbs[] = {
                {"enter", PS_GEN_R_ENTER, "r", 0},
                {"leave", PS_GEN_R_LEAVE, "r", 0},
                {"fork", PS_GEN_R_FORK, "n", OTF2_PARADIGM_OPENMP},
                {"join", PS_GEN_R_JOIN, "", OTF2_PARADIGM_OPENMP},
                {"team-begin", PS_GEN_R_TEAM_BEGIN, "t", 0},
                {"team-end", PS_GEN_R_TEAM_END, "t", 0},
                {"acquire", PS_GEN_R_LOCK_ACQUIRE, "ln", OTF2_PARADIGM_OPENMP},
                {"release", PS_GEN_R_LOCK_RELEASE, "ln", OTF2_PARADIGM_OPENMP},
        };
        for (size_t v = 0; v < sizeof verbs / sizeof *verbs; v++) {
                if (strcmp(verbs[v].verb, m->word[2]) != 0)
                        continue;
                ps_gen_rec record = {.kind = verbs[v].kind, .op = verbs[v].op};
                for (unsigned i = 0; verbs[v].arguments[i]; i++) {
                        const char *word = micro_word_at(m, 3 + i);
                        switch (verbs[v].arguments[i]) {
                        case 'r':
                                record.ref = ps_gen_region(m->gen, word, "", 0);
                                break;
                        case 't':
                                record.comm = micro_id_of(m, word);
                                break;
                        case 'l':
                                record.ref = (uint32_t)micro_number(m, word);
                                break;
                        default:
                                record.tag = (uint32_t)micro_number(m, word);
                        }
                }
                ps_gen_put(m->gen, loc, time, record);
                return 1;
        }
        return 0;
}

int micro_is_number(const micro *m, unsigned i)
{
        return i < m->n_words && m->word[i][0] >= '0' && m->word[i][0] <= '9';
}

/* KEY VALUE pairs from word i on; `done` and `cancelled` take as many requests as follow. */
static void read_keys(micro *m, struct call *c, unsigned i)
{
        const struct {
                const char *key;
                uint64_t *field;
                char type; /* n: number, t: time, i: name */
        } keys[] = {
                {"group", &c->group, 'i'},   {"lock", &c->lock, 'n'},       {"to", &c->to, 'n'},
                {"from", &c->from, 'n'},     {"tag", &c->tag, 'n'},         {"bytes", &c->bytes, 'n'},
                {"comm", &c->comm, 'i'},     {"root", &c->root, 'n'},       {"sent", &c->sent, 'n'},
                {"got", &c->got, 'n'},       {"request", &c->request, 'n'}, {"times", &c->times, 'n'},
                {"every", &c->every, 't'},   {"begins", &c->begins, 't'},   {"ends", &c->ends, 't'},
                {"window", &c->window, 'i'},
        };
        while (i < m->n_words) {
                const char *key = m->word[i++];
                size_t k = 0, n = sizeof keys / sizeof *keys;
                if (!strcmp(key, "done") || !strcmp(key, "cancelled")) {
                        c->cancels = key[0] == 'c';
                        for (; micro_is_number(m, i) && c->n_done < DONE; i++)
                                c->done[c->n_done++] = micro_number_at(m, i);
                        continue;
                }
                if (!strcmp(key, "shared")) {
                        c->shared = 1;
                        continue;
                }
                if (!strcmp(key, "in") || !strcmp(key, "out")) {
                        *(key[0] == 'i' ? &c->in : &c->out) = micro_word_at(m, i++);
                        continue;
                }
                while (k < n && strcmp(keys[k].key, key) != 0)
                        k++;
                if (k == n)
                        DIE(m, "no such word", key);
                const char *value = micro_word_at(m, i++);
                *keys[k].field = keys[k].type == 'n'   ? micro_number(m, value)
                                 : keys[k].type == 't' ? micro_time_of(m, value)
                                                       : micro_id_of(m, value);
        }
}

static ps_gen_rec message(const struct call *c, ps_gen_kind kind, uint64_t peer)
{
        return (ps_gen_rec){.kind = kind,
                            .peer = (uint32_t)peer,
                            .comm = (uint32_t)c->comm,
                            .tag = (uint32_t)c->tag,
                            .bytes = c->bytes,
                            .request = c->request};
}

static ps_gen_rec collective(const struct call *c, ps_gen_kind kind)
{
        return (ps_gen_rec){.kind = kind,
                            .op = ps_gen_op(c->region),
                            .comm = (uint32_t)c->comm,
                            .ref = c->window == NOBODY ? 0 : (uint32_t)c->window,
                            .tag = OTF2_RMA_SYNC_LEVEL_PROCESS | OTF2_RMA_SYNC_LEVEL_MEMORY,
                            .peer = (uint32_t)c->root,
                            .bytes = c->sent,
                            .received = c->got,
                            .request = c->request};
}

static void put(micro *m, uint32_t loc, uint64_t time, ps_gen_rec record)
{
        ps_gen_put(m->gen, loc, time, record);
}

static void open_request(micro *m, uint32_t loc, ps_gen_rec completion)
{
        if (m->n_requests == REQUESTS)
                DIE(m, "too many requests", "");
        m->requests[m->n_requests++] = (struct open_request){completion, loc};
}

static void complete(micro *m, uint32_t loc, uint64_t time, uint64_t request, int cancels)
{
        for (unsigned i = 0; i < m->n_requests; i++) {
                struct open_request *open = &m->requests[i];
                if (open->loc != loc || open->record.request != request)
                        continue;
                put(m, loc, time, cancels ? PS_GEN_CANCELLED(request) : open->record);
                *open = m->requests[--m->n_requests];
                return;
        }
        DIE(m, "no such request", m->word[m->n_words - 1]);
}

static void put_start(micro *m, uint32_t loc, const struct call *c)
{
        if (c->to != NOBODY) {
                put(m, loc, c->begins, message(c, PS_GEN_R_ISEND, c->to));
                open_request(m, loc, PS_GEN_SENT(c->request));
        } else {
                put(m, loc, c->begins, PS_GEN_REC_OF(IRECV_REQUEST, .request = c->request));
                open_request(m, loc, message(c, PS_GEN_R_IRECV, c->from));
        }
}

static void put_collective(micro *m, uint32_t loc, const struct call *c)
{
        uint16_t traits = ps_kinds[c->info.kind].traits;
        if (traits & PS_T_LIFE)
                return;
        if (c->info.nonblocking) {
                put(m, loc, c->begins, PS_GEN_REC_OF(NBC_REQUEST, .request = c->request));
                open_request(m, loc, collective(c, PS_GEN_R_NBC_DONE));
        } else if (traits & PS_T_RMA || c->window != NOBODY) {
                put(m, loc, c->begins, PS_GEN_REC_OF(RMA_COLL_BEGIN, .op = 0));
                put(m, loc, c->ends, collective(c, PS_GEN_R_RMA_COLL_END));
        } else {
                put(m, loc, c->begins, PS_GEN_REC_OF(COLL_BEGIN, .op = 0));
                put(m, loc, c->ends, collective(c, PS_GEN_R_COLL_END));
        }
}

/* What a recorder notes of one-sided calls where it knows the window. */
static void put_one_sided(micro *m, uint32_t loc, const struct call *c)
{
        ps_gen_rec r = {.ref = (uint32_t)c->window,
                        .peer = (uint32_t)c->to,
                        .comm = (uint32_t)c->group,
                        .bytes = c->bytes,
                        .request = c->lock == UINT64_MAX ? 0 : c->lock,
                        .tag = OTF2_RMA_SYNC_LEVEL_PROCESS,
                        .op = c->shared ? OTF2_LOCK_SHARED : OTF2_LOCK_EXCLUSIVE};
        uint64_t at = c->begins;
        switch (c->info.kind) {
        case PS_K_PUT:
                r.kind = PS_GEN_R_PUT;
                break;
        case PS_K_GET:
                r.kind = PS_GEN_R_GET;
                break;
        case PS_K_ATOMIC:
                r.kind = PS_GEN_R_ATOMIC;
                r.op = OTF2_RMA_ATOMIC_TYPE_FETCH_AND_ADD;
                break;
        case PS_K_WIN_LOCK:
                r.kind = PS_GEN_R_RMA_LOCK_REQUEST;
                break;
        case PS_K_WIN_UNLOCK:
                r.kind = PS_GEN_R_RMA_LOCK_RELEASE;
                at = c->ends;
                break;
        default:
                if (c->group == NOBODY)
                        return;
                r.kind = PS_GEN_R_RMA_GROUP_SYNC;
        }
        put(m, loc, at, r);
}

static int is_pgas(const struct call *c)
{
        return c->info.family == PS_NAMES_UPC || c->info.family == PS_NAMES_SHMEM;
}

/* TAU's way: a transfer is a message, and a get one that its target sends. */
static void put_as_messages(micro *m, uint32_t loc, const struct call *c)
{
        if (c->to != NOBODY)
                put(m, loc, c->begins, message(c, PS_GEN_R_SEND, c->to));
        if (c->from != NOBODY)
                put(m, loc, c->ends, message(c, PS_GEN_R_RECV, c->from));
}

/* The records of a call, which follow from its name. */
static void put_records(micro *m, uint32_t loc, const struct call *c)
{
        const ps_kind_info *kind = c->info.kind == PS_K_NONE ? NULL : &ps_kinds[c->info.kind];
        int blocks = kind && kind->traits & PS_T_BLOCKING;
        for (unsigned i = 0; i < c->n_done; i++)
                complete(m, loc, c->ends, c->done[i], c->cancels);
        if (kind && c->window != NOBODY && kind->cls != PS_C_COLL)
                put_one_sided(m, loc, c);
        if (kind && is_pgas(c) && c->window == NOBODY && kind->cls == PS_C_RMA)
                put_as_messages(m, loc, c);
        if (!kind || (is_pgas(c) && c->window == NOBODY))
                return; /* names only */
        if (kind->cls == PS_C_COLL)
                put_collective(m, loc, c);
        else if ((kind->cls == PS_C_SEND || kind->cls == PS_C_RECV) && !blocks)
                put_start(m, loc, c);
        else if (kind->cls == PS_C_REQUEST && c->info.kind == PS_K_START)
                put_start(m, loc, c);
        else if (kind->cls == PS_C_SEND && c->to != NOBODY)
                put(m, loc, c->begins, message(c, PS_GEN_R_SEND, c->to));
        if (blocks && c->from != NOBODY)
                put(m, loc, c->ends, message(c, PS_GEN_R_RECV, c->from));
}

static void put_hints(micro *m, uint32_t loc, const struct call *c)
{
        char text[40];
        const char *const modes[] = {c->in, c->out};
        for (int half = 0; half < 2; half++) {
                if (!modes[half])
                        continue;
                snprintf(text, sizeof text, "UPC_%s_%sSYNC", half ? "OUT" : "IN",
                         !strcmp(modes[half], "all")  ? "ALL"
                         : !strcmp(modes[half], "my") ? "MY"
                                                      : "NO");
                ps_gen_hint_text(m->gen, loc, half ? "UPC_OUT_SYNC" : "UPC_IN_SYNC", text);
        }
        if (is_pgas(c) && c->root != NOBODY)
                ps_gen_hint(m->gen, loc, "ROOT", c->root);
        if (is_pgas(c) && c->lock != UINT64_MAX && c->window == NOBODY)
                ps_gen_hint(m->gen, loc, "LOCK_ID", c->lock);
}

static void put_call(micro *m, uint32_t loc, const struct call *c)
{
        put_hints(m, loc, c);
        ps_gen_enter(m->gen, loc, c->begin, c->region);
        put_records(m, loc, c);
        ps_gen_leave(m->gen, loc, c->end, c->region);
}

/* LOCATION BEGIN REGION END [KEY VALUE]... */
void micro_put_event(micro *m)
{
        uint32_t loc = micro_loc_of(m, micro_word_at(m, 0));
        struct call c = {.begin = micro_time_at(m, 1),
                         .to = NOBODY,
                         .from = NOBODY,
                         .root = NOBODY,
                         .window = NOBODY,
                         .group = NOBODY,
                         .lock = UINT64_MAX,
                         .times = 1};
        c.region = micro_word_at(m, 2);
        if (put_instant(m, loc, c.begin))
                return;
        c.info = ps_kind_of_name(c.region);
        c.end = c.ends = micro_time_at(m, 3);
        c.begins = c.begin;
        read_keys(m, &c, 4);
        for (uint64_t i = 0; i < c.times; i++) {
                put_call(m, loc, &c);
                c.begin += c.every;
                c.begins += c.every;
                c.ends += c.every;
                c.end += c.every;
        }
}
