/* random_program.c - each rank has a clock of its own; a step takes those of its participants on. Waits of
 * nonblocking operations are put off until a rank has several of them, or the end. */
#include "tests/support/random_program.h"

#include "tests/support/damage.h"
#include "tests/support/random_machine.h"

#include <stdio.h>
#include <stdlib.h>

static uint32_t n_threads(const machine *m)
{
        return m->p->options.threads ? m->p->options.threads : 1;
}

/* Some thread of the rank, where threads do what others have begun. */
static uint32_t some_thread(machine *m, uint32_t r)
{
        return m->p->teams ? ps_gen_at(m->g, name(m, r), pick(m, n_threads(m))) : name(m, r);
}

static void wait_all(machine *m, uint32_t r)
{
        rank *k = &m->rank[r];
        uint64_t from = begin(m, r), until = (k->ready > from ? k->ready : from) + 40;
        if (!k->n_open)
                return;
        /* What is completed stands a quarter before the end. */
        until += (until - from) / 2;
        ps_gen_waitall(m->g, some_thread(m, r), from, until, k->n_open, k->open);
        k->now = until;
        k->n_open = 0;
}

static uint64_t open_request(machine *m, uint32_t r)
{
        if (m->rank[r].n_open >= MAX_OPEN)
                wait_all(m, r);
        return ++m->rank[r].next_request;
}

static void keep_open(machine *m, uint32_t r, ps_gen_rec done, uint64_t ready)
{
        rank *k = &m->rank[r];
        k->open[k->n_open++] = done;
        k->ready = ready > k->ready ? ready : k->ready;
}

/* How the ranks of a communicator are called in it: their place among the members. */
static void message(machine *m, const comm *c)
{
        uint32_t from = pick(m, c->n), to = pick(m, c->n), tag = pick(m, 3);
        uint32_t a = c->members[from], b = c->members[to], style = pick(m, 4);
        uint64_t bytes = 1000 + m->n_messages++;
        if (a == b)
                style |= 2; /* to itself: the receive has to be posted */
        uint64_t recv_request = style & 2 ? open_request(m, b) : 0;
        uint64_t send_request = style & 1 ? open_request(m, a) : 0;
        if (style & 2) {
                uint64_t posted = begin(m, b);
                ps_gen_irecv(m->g, name(m, b), posted, posted + 20, recv_request);
                m->rank[b].now = posted + 20;
        }
        uint64_t sent = begin(m, a), arrives = sent + 40 + (uint64_t)m->p->noise;
        if (style & 1)
                ps_gen_isend(m->g, name(m, a), sent, sent + 20, to, c->id, tag, bytes, send_request);
        else if (!loses(m, m->p->loses_ends))
                ps_gen_send(m->g, name(m, a), sent, sent + 20, to, c->id, tag, bytes);
        m->rank[a].now = sent + 20;
        if (style & 1)
                keep_open(m, a, PS_GEN_SENT(send_request), sent + 20);
        if (style & 2) {
                keep_open(m, b, PS_GEN_GOT(from, c->id, tag, bytes, recv_request), arrives);
                return;
        }
        if (loses(m, m->p->loses_ends))
                return;
        uint64_t posted = begin(m, b), until = (arrives > posted ? arrives : posted) + 40;
        until += until - posted;
        ps_gen_recv(m->g, name(m, b), posted, until, from, c->id, tag, bytes);
        m->rank[b].now = until;
}

enum { BLOCKING = 4, PREFIXES = 2 };

/* Of those that begin to be completed later, one more row of the call. */
static void call_collective(machine *m, const comm *c, uint32_t i, const char *call, uint32_t root,
                            uint64_t bytes, const uint64_t *from, uint64_t last)
{
        uint32_t r = c->members[i];
        if (call[4] == 'I') {
                uint64_t request = open_request(m, r), posted = begin(m, r);
                ps_gen_nbc(m->g, call, some_thread(m, r), posted, posted + 20, request);
                m->rank[r].now = posted + 20;
                keep_open(m, r, PS_GEN_COLLECTED(call, c->id, root, bytes, bytes, request),
                          last + pick(m, 1500));
                return;
        }
        uint64_t until = last + last - from[i] + pick(m, 20);
        ps_gen_collective(m->g, call, name(m, r), from[i], until, c->id, root, bytes, bytes);
        m->rank[r].now = until;
}

/* What all have begun is not over before the last of them has. */
static void finish_behind_all(machine *m, const comm *c)
{
        uint64_t last = 0;
        for (uint32_t i = 0; i < c->n; i++)
                last = m->rank[c->members[i]].now > last ? m->rank[c->members[i]].now : last;
        last += 40 + (uint64_t)m->p->noise;
        for (uint32_t i = 0; i < c->n; i++) {
                rank *k = &m->rank[c->members[i]];
                k->ready = last > k->ready ? last : k->ready;
        }
}

static void collective(machine *m, const comm *c)
{
        static const char *const names[] = {"MPI_Barrier",  "MPI_Bcast",      "MPI_Reduce", "MPI_Allreduce",
                                            "MPI_Ibarrier", "MPI_Iallreduce", "MPI_Ibcast", "MPI_Ireduce",
                                            "MPI_Scan",     "MPI_Exscan",     "MPI_Iscan",  "MPI_Iexscan"};
        uint32_t which = pick(m, BLOCKING);
        if (m->p->nonblocking && pick(m, 2))
                which += BLOCKING;
        if (m->p->prefixes && !pick(m, 3))
                which = 2 * BLOCKING + pick(m, m->p->nonblocking ? 2 * PREFIXES : PREFIXES);
        bool has_root = which == 1 || which == 2 || which == 6 || which == 7;
        uint32_t root = has_root ? pick(m, c->n) : OTF2_COLLECTIVE_ROOT_NONE;
        uint64_t from[RANDOM_MAX_RANKS], last = begin_all(m, c, from);
        for (uint32_t i = 0; i < c->n; i++) {
                const char *call = loses(m, m->p->loses_calls) ? "MPI_Allgather" : names[which];
                if (!loses(m, m->p->loses_calls))
                        call_collective(m, c, i, call, root, which % BLOCKING ? 8 : 0, from, last);
        }
        if (names[which][4] == 'I')
                finish_behind_all(m, c);
}

/* Threads come to the team when it is forked, each is in a critical section, and all meet in a barrier. */
static void share_work(machine *m, uint32_t r)
{
        static const char work[] = "!$omp parallel @a.c:3", section[] = "!$omp critical @a.c:5",
                          barrier[] = "!$omp implicit barrier @a.c:9";
        uint64_t from = begin(m, r), is_free = 0, at[8], last = 0;
        uint32_t n = n_threads(m), first = ps_gen_at(m->g, name(m, r), 0);
        ps_gen_put(m->g, first, from, PS_GEN_REC_OF(FORK, .op = OTF2_PARADIGM_OPENMP, .tag = n));
        for (uint32_t t = 0; t < n; t++) {
                uint32_t thread = ps_gen_at(m->g, name(m, r), t);
                at[t] = from + 5 + pick(m, 50);
                ps_gen_put(m->g, thread, at[t], PS_GEN_REC_OF(TEAM_BEGIN, .comm = m->rank[r].team));
                ps_gen_enter(m->g, thread, at[t], work);
                at[t] += 10 + pick(m, 100);
                uint64_t taken = at[t] > is_free ? at[t] : is_free;
                ps_gen_enter(m->g, thread, at[t], section);
                ps_gen_put(m->g, thread, taken,
                           PS_GEN_REC_OF(LOCK_ACQUIRE, .op = OTF2_PARADIGM_OPENMP, .ref = 1, .tag = t));
                at[t] = is_free = taken + 20 + pick(m, 60);
                ps_gen_put(m->g, thread, is_free,
                           PS_GEN_REC_OF(LOCK_RELEASE, .op = OTF2_PARADIGM_OPENMP, .ref = 1, .tag = t));
                ps_gen_leave(m->g, thread, is_free, section);
                last = at[t] > last ? at[t] : last;
        }
        for (uint32_t t = 0; t < n; t++) {
                uint32_t thread = ps_gen_at(m->g, name(m, r), t);
                if (!loses(m, m->p->loses_calls))
                        ps_gen_visit(m->g, thread, at[t] + 2, last + 10, barrier);
                ps_gen_leave(m->g, thread, last + 20, work);
                ps_gen_put(m->g, thread, last + 20 + t, PS_GEN_REC_OF(TEAM_END, .comm = m->rank[r].team));
        }
        ps_gen_put(m->g, first, last + 40, PS_GEN_REC_OF(JOIN, .op = OTF2_PARADIGM_OPENMP));
        m->rank[r].now = last + 40;
}

enum { GROUPS = 3 };

static void begin_between(machine *m, uint32_t r, const char *call, uint64_t bytes, uint64_t last)
{
        uint64_t request = open_request(m, r), posted = begin(m, r);
        ps_gen_nbc(m->g, call, name(m, r), posted, posted + 20, request);
        m->rank[r].now = posted + 20;
        keep_open(m, r,
                  PS_GEN_COLLECTED(call, m->between.id, OTF2_COLLECTIVE_ROOT_NONE, bytes, bytes, request),
                  last);
}

/* Some of each group have data for the other one. */
static void exchange_groups(machine *m)
{
        static const char *const names[] = {"MPI_Barrier",  "MPI_Allreduce",  "MPI_Alltoall",
                                            "MPI_Ibarrier", "MPI_Iallreduce", "MPI_Ialltoall"};
        uint32_t which = pick(m, m->p->nonblocking ? 2 * GROUPS : GROUPS), n = m->p->ranks;
        uint64_t from[RANDOM_MAX_RANKS], last = 0;
        m->n_colls++;
        for (uint32_t r = 0; r < n; r++) {
                from[r] = begin(m, r);
                last = from[r] > last ? from[r] : last;
        }
        last += 40 + (uint64_t)m->p->noise;
        for (uint32_t r = 0; r < n; r++) {
                uint64_t until = last + last - from[r] + pick(m, 20);
                uint64_t bytes = which % GROUPS ? 8 * pick(m, 2) : 0;
                if (loses(m, m->p->loses_calls))
                        continue;
                if (which >= GROUPS) {
                        begin_between(m, r, names[which], bytes, last + pick(m, 1000));
                        continue;
                }
                ps_gen_collective(m->g, names[which], name(m, r), from[r], until, m->between.id,
                                  OTF2_COLLECTIVE_ROOT_NONE, bytes, which % GROUPS ? 8 : 0);
                m->rank[r].now = until;
        }
        if (which >= GROUPS)
                finish_behind_all(m, &m->comm[0]);
}

static void make_groups(machine *m)
{
        uint32_t group[2][RANDOM_MAX_RANKS], n[2] = {0};
        for (uint32_t r = 0; r < m->p->ranks; r++)
                group[r % 2][n[r % 2]++] = name(m, r);
        if (m->p->groups)
                m->between.id = ps_gen_intercomm(m->g, "between", group[0], n[0], group[1], n[1]);
}

static void make_teams(machine *m)
{
        for (uint32_t r = 0; m->p->teams && r < m->p->ranks; r++) {
                uint32_t members[8];
                for (uint32_t t = 0; t < n_threads(m); t++)
                        members[t] = ps_gen_at(m->g, name(m, r), t);
                m->rank[r].team = ps_gen_team(m->g, "team", members, n_threads(m));
        }
}

static void begin_exchange(machine *m, const comm *c)
{
        for (uint32_t i = 0; i < c->n; i++) {
                uint32_t r = c->members[i];
                uint64_t request = open_request(m, r), posted = begin(m, r);
                if (loses(m, m->p->loses_calls))
                        continue;
                ps_gen_nbc(m->g, "MPI_Ineighbor_alltoall", name(m, r), posted, posted + 20, request);
                m->rank[r].now = posted + 20;
                keep_open(m, r,
                          PS_GEN_REC_OF(NBC_DONE, .op = OTF2_COLLECTIVE_OP_ALLTOALL, .comm = c->id,
                                        .peer = OTF2_COLLECTIVE_ROOT_NONE, .bytes = 8 * pick(m, 2),
                                        .received = 8, .request = request),
                          posted + 20 + pick(m, 2000));
        }
        finish_behind_all(m, c);
}

/* Each gets something of the rank before it, if there is one, and of the one after the last, rank 0. */
static void exchange(machine *m, const comm *c)
{
        uint64_t from[RANDOM_MAX_RANKS];
        m->n_colls++;
        if (m->p->nonblocking && pick(m, 2)) {
                begin_exchange(m, c);
                return;
        }
        for (uint32_t i = 0; i < c->n; i++)
                from[i] = begin(m, c->members[i]);
        for (uint32_t i = 0; i < c->n; i++) {
                uint64_t last = i && from[i - 1] > from[i] ? from[i - 1] : from[i];
                last = i + 1 == c->n && from[0] > last ? from[0] : last;
                last += 40 + (uint64_t)m->p->noise;
                uint64_t until = last + pick(m, 20);
                uint32_t at = name(m, c->members[i]);
                m->rank[c->members[i]].now = until;
                if (loses(m, m->p->loses_calls))
                        continue;
                ps_gen_enter(m->g, at, from[i], "MPI_Neighbor_alltoall");
                ps_gen_put(m->g, at, from[i], (ps_gen_rec){.kind = PS_GEN_R_COLL_BEGIN});
                ps_gen_put(m->g, at, until,
                           PS_GEN_REC_OF(COLL_END, .op = OTF2_COLLECTIVE_OP_ALLTOALL, .comm = c->id,
                                         .peer = OTF2_COLLECTIVE_ROOT_NONE, .bytes = 8, .received = 8));
                ps_gen_leave(m->g, at, until, "MPI_Neighbor_alltoall");
        }
}

static void define_neighbours(machine *m, const comm *c)
{
        for (uint32_t i = 0; i < c->n; i++) {
                char others[32] = "";
                if (i)
                        snprintf(others, sizeof(others), i + 1 == c->n ? "%u 0" : "%u", i - 1);
                ps_gen_neighbours(m->g, c->id, name(m, c->members[i]), others);
        }
}

/* The world, its ranks reversed, the even ones, and all but the first. */
static void make_comms(machine *m)
{
        for (uint32_t k = 0; k < N_COMMS; k++) {
                comm *c = &m->comm[k];
                uint32_t names[RANDOM_MAX_RANKS], n = m->p->ranks;
                for (uint32_t r = 0; r < n; r++)
                        if (k < 2 || (k == 2 && r % 2 == 0) || (k == 3 && r))
                                c->members[c->n++] = k == 1 ? n - 1 - r : r;
                for (uint32_t i = 0; i < c->n; i++)
                        names[i] = name(m, c->members[i]);
                c->id = ps_gen_comm(m->g, "part", names, c->n);
                if (m->p->neighbours && !m->p->hides_neighbours)
                        define_neighbours(m, c);
        }
}

static bool is_threaded_pgas(const random_program *p)
{
        return p->pgas && p->options.threads > 1;
}

static machine *begin_machine(const random_program *p)
{
        ps_gen_options options = p->options;
        uint32_t threads = is_threaded_pgas(p) ? options.threads : 1;
        machine *m = calloc(1, sizeof(*m));
        if (!m)
                ps_test_die("out of memory");
        options.ranks = p->ranks / threads;
        if (p->pgas)
                options.pgas = OTF2_PARADIGM_UPC;
        m->p = p;
        m->g = ps_gen_new(p->path, options);
        m->state = p->seed;
        for (uint32_t r = 0; r < p->ranks; r++)
                m->names[r] = p->rename ? p->rename[r] : ps_gen_at(m->g, r / threads, r % threads);
        if (p->pgas)
                m->heap = ps_gen_window(m->g, "heap", PS_GEN_WORLD);
        return m;
}

ps_gen *random_program_write(const random_program *p, uint32_t *n_messages, uint32_t *n_colls)
{
        machine *m = begin_machine(p);
        if (!is_threaded_pgas(p))
                make_comms(m);
        make_teams(m);
        make_groups(m);
        if (p->windows)
                random_make_windows(m);
        for (uint32_t r = 0; r < p->ranks; r++)
                ps_gen_enter(m->g, name(m, r), 0, "main");
        for (uint32_t i = 0; i < p->steps; i++) {
                const comm *c = &m->comm[pick(m, N_COMMS)];
                if (is_threaded_pgas(p) || (p->pgas && pick(m, 2)))
                        random_share_memory(m);
                else if (p->teams && !pick(m, 6))
                        share_work(m, pick(m, p->ranks));
                else if (p->groups && !pick(m, 8))
                        exchange_groups(m);
                else if (p->windows && !pick(m, 4))
                        random_use_window(m);
                else if (pick(m, 8))
                        message(m, c);
                else if (p->neighbours && pick(m, 2))
                        exchange(m, c);
                else
                        collective(m, c);
        }
        for (uint32_t r = 0; r < p->ranks; r++) {
                wait_all(m, r);
                ps_gen_leave(m->g, name(m, r), m->rank[r].now + 10, "main");
        }
        ps_gen *g = m->g;
        *n_messages = m->n_messages;
        *n_colls = m->n_colls;
        free(m);
        ps_gen_close(g);
        return g;
}

random_program random_program_rare(uint64_t seed, uint32_t steps)
{
        bool is_threaded = seed % 2;
        return (random_program){.seed = seed,
                                .ranks = 2 + (uint32_t)seed % (RANDOM_MAX_RANKS - 1),
                                .steps = steps,
                                .teams = is_threaded,
                                .nonblocking = seed / 2 % 2,
                                .prefixes = seed % 8 < 4,
                                .windows = seed % 7 < 4,
                                .neighbours = seed % 6 < 3,
                                .hides_neighbours = seed % 8 < 4,
                                .groups = seed % 5 < 2,
                                .loses_ends = seed % 5 ? 0 : 30,
                                .loses_calls = seed % 3 ? 10 + 40 * (uint32_t)(seed % 2) : 0,
                                .options = {.threads = is_threaded ? 3 : 1, .mapped = seed / 2 % 2}};
}

ps_gen *random_program_odd(uint64_t seed, uint32_t steps)
{
        uint32_t n_messages, n_colls;
        const random_program p = random_program_rare(seed, steps);
        return random_program_write(&p, &n_messages, &n_colls);
}

ps_gen *random_program_of(uint64_t seed)
{
        uint32_t n_messages, n_colls;
        return random_program_write(&(random_program){.seed = seed,
                                                      .ranks = 2 + (uint32_t)seed % (RANDOM_MAX_RANKS - 1),
                                                      .steps = 200,
                                                      .options = {.mapped = seed % 2 == 1}},
                                    &n_messages, &n_colls);
}
