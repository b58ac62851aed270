/* hockney.c - see hockney.h. */
#include "tests/simulator/replay/hockney.h"

#include "core/base/hash.h"
#include "tests/support/damage.h"

#include <stdlib.h>
#include <string.h>

const char *const hockney_regions[HOCKNEY_REGIONS] = {"solve", "pack", "check"};

enum { SIZES = 4, REQUESTS = 8, MESSAGES_A_STEP = 32 };

enum what { COMPUTE, SEND, RECEIVE, ISEND, IRECEIVE, WAIT, MEET };

typedef struct action {
        enum what what;
        uint32_t peer, message; /* WAIT: the first of n actions of its rank before it; MEET: which one */
        uint32_t n;
        ps_time time; /* COMPUTE */
        uint32_t region;
        ps_time begin, end; /* found out */
} action;

typedef struct message {
        uint64_t bytes;
        ps_time sent, posted; /* -1: not yet */
} message;

typedef struct meeting {
        ps_kind kind;
        uint64_t bytes;
        uint32_t root, n_in; /* root PS_NONE: all meet all */
        ps_time last, at_root;
} meeting;

typedef struct rank {
        action *row;
        uint32_t n, cap, next;
        ps_time clock;
} rank;

struct hockney {
        uint64_t noise, sizes[SIZES];
        uint32_t n_sizes, n_ranks, n_messages, n_meetings;
        rank *rank;
        message *messages;
        meeting *meetings;
};

/* -- programs -- */

static uint32_t draw(hockney *p, uint32_t below)
{
        p->noise += UINT64_C(0x9e3779b97f4a7c15);
        return (uint32_t)((ps_hash_mix(p->noise) >> 32) % below);
}

static action *add(hockney *p, uint32_t r, action a)
{
        rank *of = &p->rank[r];
        if (of->n == of->cap) {
                of->cap = of->cap ? 2 * of->cap : 64;
                of->row = realloc(of->row, of->cap * sizeof(*of->row));
        }
        of->row[of->n] = a;
        return &of->row[of->n++];
}

static uint32_t new_message(hockney *p)
{
        p->messages[p->n_messages].bytes = p->sizes[draw(p, p->n_sizes)];
        return p->n_messages++;
}

static void compute(hockney *p, uint32_t r, uint32_t most_us)
{
        add(p, r,
            (action){.what = COMPUTE,
                     .time = (1 + draw(p, most_us)) * LAB_US,
                     .region = draw(p, HOCKNEY_REGIONS)});
}

static void wait_for(hockney *p, uint32_t r, uint32_t first, uint32_t n)
{
        add(p, r, (action){.what = WAIT, .message = first, .n = n});
}

/* One of two sends, one way or the other. */
static void pair_step(hockney *p)
{
        uint32_t from = draw(p, p->n_ranks), to = (from + 1 + draw(p, p->n_ranks - 1)) % p->n_ranks;
        uint32_t m = new_message(p), way = draw(p, 4), at = p->rank[from].n;
        add(p, from, (action){.what = way & 1 ? ISEND : SEND, .peer = to, .message = m});
        if (way & 1) {
                compute(p, from, 100);
                wait_for(p, from, at, 1);
        }
        at = p->rank[to].n;
        add(p, to, (action){.what = way & 2 ? IRECEIVE : RECEIVE, .peer = from, .message = m});
        if (way & 2) {
                compute(p, to, 100);
                wait_for(p, to, at, 1);
        }
}

/* All exchange messages with both neighbours, in one Waitall. */
static void halo_step(hockney *p)
{
        uint32_t n = p->n_ranks, *right = calloc(n, sizeof(*right)), *left = calloc(n, sizeof(*left));
        for (uint32_t r = 0; r < n; r++) {
                right[r] = new_message(p);
                left[r] = new_message(p);
        }
        for (uint32_t r = 0; r < n; r++) {
                uint32_t next = (r + 1) % n, before = (r + n - 1) % n, first = p->rank[r].n;
                add(p, r, (action){.what = IRECEIVE, .peer = before, .message = right[before]});
                add(p, r, (action){.what = IRECEIVE, .peer = next, .message = left[next]});
                add(p, r, (action){.what = ISEND, .peer = next, .message = right[r]});
                add(p, r, (action){.what = ISEND, .peer = before, .message = left[r]});
                if (draw(p, 2))
                        compute(p, r, 200);
                wait_for(p, r, first, 4);
        }
        free(right);
        free(left);
}

static void meet_step(hockney *p)
{
        static const uint8_t kinds[] = {PS_K_ALLREDUCE, PS_K_BARRIER, PS_K_BCAST, PS_K_REDUCE};
        ps_kind kind = (ps_kind)kinds[draw(p, 4)];
        bool has_root = kind == PS_K_BCAST || kind == PS_K_REDUCE;
        meeting *m = &p->meetings[p->n_meetings];
        *m = (meeting){.kind = kind, .bytes = kind == PS_K_BARRIER ? 0 : p->sizes[draw(p, p->n_sizes)]};
        m->root = has_root ? draw(p, p->n_ranks) : PS_NONE;
        for (uint32_t r = 0; r < p->n_ranks; r++)
                add(p, r, (action){.what = MEET, .message = p->n_meetings});
        p->n_meetings++;
}

hockney *hockney_new(uint64_t seed, uint32_t n_ranks, uint32_t n_steps)
{
        hockney *p = calloc(1, sizeof(*p));
        *p = (hockney){.noise = seed * UINT64_C(0x632be59bd9b4e019), .n_ranks = n_ranks};
        p->rank = calloc(n_ranks, sizeof(*p->rank));
        p->messages = calloc((size_t)n_steps * 2 * n_ranks + 1, sizeof(*p->messages));
        p->meetings = calloc(n_steps + 1, sizeof(*p->meetings));
        p->n_sizes = 2 + draw(p, SIZES - 1);
        p->sizes[0] = 8 + draw(p, 4000);
        for (uint32_t i = 1; i < p->n_sizes; i++)
                p->sizes[i] = p->sizes[i - 1] * 4 + draw(p, 1 << (10 + 3 * i));
        for (uint32_t i = 0; i < n_steps; i++) {
                for (uint32_t r = 0; r < n_ranks; r++)
                        compute(p, r, 150);
                uint32_t sort = draw(p, 10);
                sort < 6 ? pair_step(p) : sort < 8 ? halo_step(p) : meet_step(p);
        }
        return p;
}

void hockney_free(hockney *p)
{
        for (uint32_t r = 0; r < p->n_ranks; r++)
                free(p->rank[r].row);
        free(p->rank);
        free(p->messages);
        free(p->meetings);
        free(p);
}

/* -- what they take -- */

static ps_time later(ps_time a, ps_time b)
{
        return a > b ? a : b;
}

static ps_time by_size(const hockney_machine *on, uint64_t bytes)
{
        return (ps_time)(on->ps_per_byte * (double)bytes + 0.5);
}

static ps_time flight(const hockney_machine *on, uint64_t bytes)
{
        return (ps_time)(on->latency_ps + 0.5) + by_size(on, bytes);
}

static bool waits(const hockney_machine *on, const message *m)
{
        return m->bytes > on->eager_bytes;
}

/* When the send or the receive is through, -1: not known yet. */
static ps_time over(const hockney *p, const hockney_machine *on, const action *a)
{
        const message *m = &p->messages[a->message];
        bool sends = a->what == SEND || a->what == ISEND;
        if (m->sent < 0 || (waits(on, m) && m->posted < 0))
                return -1;
        if (!waits(on, m))
                return sends ? m->sent : m->sent + flight(on, m->bytes);
        ps_time start = later(m->sent, m->posted);
        if (!sends)
                return start + flight(on, m->bytes);
        return start + (on->frees_at_end ? by_size(on, m->bytes) : 0);
}

static uint32_t doublings(uint32_t n)
{
        uint32_t count = 0;
        while ((UINT32_C(1) << count) < n)
                count++;
        return count;
}

static ps_time met(const hockney *p, const hockney_machine *on, const action *a, uint32_t r)
{
        const meeting *m = &p->meetings[a->message];
        ps_time cost = flight(on, m->bytes) * doublings(p->n_ranks);
        if (m->kind == PS_K_BCAST)
                return m->at_root < 0 ? -1 : later(a->begin, m->at_root + cost);
        if (m->kind == PS_K_REDUCE && r != m->root)
                return a->begin;
        return m->n_in < p->n_ranks ? -1 : m->last + cost;
}

/* Makes known that the rank is there, once. */
static void begin(hockney *p, const hockney_machine *on, rank *of, uint32_t r, action *a)
{
        a->begin = of->clock;
        message *m = &p->messages[a->message];
        if (a->what == COMPUTE)
                a->end = a->begin + (ps_time)((double)a->time * on->factor[a->region] + 0.5);
        else if (a->what == SEND || a->what == ISEND)
                m->sent = a->begin;
        else if (a->what == RECEIVE || a->what == IRECEIVE)
                m->posted = a->begin;
        else if (a->what == MEET) {
                meeting *with = &p->meetings[a->message];
                with->n_in++;
                with->last = later(with->last, a->begin);
                if (r == with->root)
                        with->at_root = a->begin;
        }
}

static ps_time end_of(const hockney *p, const hockney_machine *on, const rank *of, uint32_t r,
                      const action *a)
{
        ps_time end = a->begin;
        switch (a->what) {
        case COMPUTE:
                return a->end;
        case ISEND:
        case IRECEIVE:
                return a->begin;
        case MEET:
                return met(p, on, a, r);
        case SEND:
        case RECEIVE:
                end = over(p, on, a);
                return end < 0 ? -1 : later(a->begin, end);
        case WAIT:
                break;
        }
        for (uint32_t i = 0; i < a->n; i++) {
                ps_time done = over(p, on, &of->row[a->message + i]);
                if (done < 0)
                        return -1;
                end = later(end, done);
        }
        return end;
}

static bool go_on(hockney *p, const hockney_machine *on, uint32_t r)
{
        rank *of = &p->rank[r];
        uint32_t first = of->next;
        while (of->next < of->n) {
                action *a = &of->row[of->next];
                if (a->begin < 0)
                        begin(p, on, of, r, a);
                ps_time end = end_of(p, on, of, r, a);
                if (end < 0)
                        break;
                a->end = of->clock = end;
                of->next++;
        }
        return of->next > first;
}

ps_time hockney_time(hockney *p, const hockney_machine *on)
{
        for (uint32_t i = 0; i < p->n_messages; i++)
                p->messages[i].sent = p->messages[i].posted = -1;
        for (uint32_t i = 0; i < p->n_meetings; i++) {
                p->meetings[i].n_in = 0;
                p->meetings[i].last = p->meetings[i].at_root = -1;
        }
        for (uint32_t r = 0; r < p->n_ranks; r++) {
                p->rank[r].next = 0;
                p->rank[r].clock = 0;
                for (uint32_t i = 0; i < p->rank[r].n; i++)
                        p->rank[r].row[i].begin = -1;
        }
        for (bool moves = 1; moves;) {
                moves = 0;
                for (uint32_t r = 0; r < p->n_ranks; r++)
                        moves |= go_on(p, on, r);
        }
        ps_time total = 0;
        for (uint32_t r = 0; r < p->n_ranks; r++) {
                if (p->rank[r].next < p->rank[r].n)
                        ps_test_die("the program is stuck");
                total = later(total, p->rank[r].clock);
        }
        return total;
}

/* -- as it is recorded -- */

static void record_wait(const hockney *p, replay_lab *lab, uint32_t r, const action *a,
                        const uint64_t *requests)
{
        uint64_t done[REQUESTS];
        (void)p;
        for (uint32_t i = 0; i < a->n; i++)
                done[i] = requests[a->message + i];
        rank_waitall(lab, r, done, a->n);
}

static void record(const hockney *p, replay_lab *lab, uint32_t r, const ps_region *regions,
                   uint64_t *requests)
{
        for (uint32_t i = 0; i < p->rank[r].n; i++) {
                const action *a = &p->rank[r].row[i];
                const message *m = &p->messages[a->message];
                const meeting *with = &p->meetings[a->message];
                rank_calls_take(lab, r, a->end - a->begin);
                switch (a->what) {
                case COMPUTE:
                        rank_visit(lab, r, regions[a->region], a->end - a->begin);
                        break;
                case SEND:
                        rank_send(lab, r, PS_K_SEND, a->peer, a->message, m->bytes);
                        break;
                case RECEIVE:
                        rank_recv(lab, r, a->peer, a->message, m->bytes);
                        break;
                case ISEND:
                        requests[i] = rank_isend(lab, r, PS_K_ISEND, a->peer, a->message, m->bytes);
                        break;
                case IRECEIVE:
                        requests[i] = rank_irecv(lab, r, a->peer, a->message, m->bytes);
                        break;
                case WAIT:
                        record_wait(p, lab, r, a, requests);
                        break;
                case MEET:
                        rank_coll(lab, r, with->kind, 0, with->root, with->bytes);
                }
        }
}

ps_trace *hockney_trace(hockney *p, const hockney_machine *on, const struct ps_piece_options *pieces)
{
        replay_lab *lab = replay_lab_new(p->n_ranks);
        ps_region regions[HOCKNEY_REGIONS];
        hockney_time(p, on);
        for (int i = 0; i < HOCKNEY_REGIONS; i++)
                regions[i] = replay_lab_region(lab, hockney_regions[i]);
        for (uint32_t r = 0; r < p->n_ranks; r++) {
                uint64_t *requests = calloc((size_t)p->rank[r].n + 1, sizeof(*requests));
                record(p, lab, r, regions, requests);
                free(requests);
        }
        return replay_lab_trace_with(lab, pieces);
}
